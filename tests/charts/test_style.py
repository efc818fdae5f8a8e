"""Every algorithm has its own look, with colour and without."""

from __future__ import annotations

import itertools
import re

import pytest

from dumbbell import cc
from dumbbell.charts.chart import Layer
from dumbbell.charts.style import PUBLISHED, STYLES, dash_of, ranked, style_of

TOGETHER = [
    ("bbr", "bbr_4_17", "cubic", "reno"),
    ("bbr", "bbr_1_1", "bbr_1_5", "cubic", "reno"),
    ("bbr_4_17", "bbr_4_17_1_1", "bbr_4_17_1_5", "cubic", "reno"),
    tuple(f"flow {n}" for n in range(1, 5)),
]
"""What meets in one panel."""


def lightness(colour: str) -> float:
    """Of a colour in grey, 0 to 255, as image converters weigh it."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_every_algorithm_and_variant_has_a_style_and_a_version() -> None:
    names = {*cc.installed(), *cc.variants()}
    assert len(names) > 8
    for name in names:
        assert name in STYLES, name
        assert re.search(r"Linux \d\.\d+|draft \d+", STYLES[name].label), name


def test_no_two_look_or_are_called_alike() -> None:
    for one, other in itertools.combinations(STYLES, 2):
        assert STYLES[one].label != STYLES[other].label
        looks = [(style.colour, style.marker, style.dash) for style in (STYLES[one], STYLES[other])]
        assert looks[0] != looks[1], (one, other)


@pytest.mark.parametrize("names", TOGETHER, ids=", ".join)
def test_what_meets_in_a_panel_differs_without_colour(names: tuple[str, ...]) -> None:
    for one, other in itertools.combinations(map(style_of, names), 2):
        assert one.marker != other.marker
        assert one.dash != other.dash or abs(lightness(one.colour) - lightness(other.colour)) > 60


def test_every_colour_can_be_seen_on_white() -> None:
    assert all(lightness(style.colour) < 190 for style in STYLES.values())


def test_an_unknown_name_always_looks_the_same() -> None:
    style = style_of("vegas")
    assert style == style_of("vegas")
    assert style.label == "vegas"
    assert (style.colour, style.marker, style.dash) == ("#0072b2", "star", "dash")


def test_the_published_is_an_outline_with_the_marker_of_what_was_published() -> None:
    for name in ("bbr", "cubic"):
        style = style_of(f"{PUBLISHED} {name}")
        assert style.open
        assert style.marker == STYLES[name].marker
        assert style.colour == STYLES[PUBLISHED].colour


def test_layers_of_one_style_have_their_own_dashes_and_an_instance_keeps_its_own() -> None:
    layers = [
        Layer(label="", style=style, x=(), y=(), instance=n)
        for style, n in (("bbr", 4), ("cubic", 0), ("bbr", 7), ("bbr", 4))
    ]
    ranks = ranked(layers)
    assert [ranks[layer.style, layer.instance] for layer in layers] == [0, 0, 1, 0]
    dashes = [dash_of(style_of("bbr"), rank) for rank in range(6)]
    assert dashes[0] == STYLES["bbr"].dash
    assert len(set(dashes)) == 6
    assert dash_of(style_of("bbr"), 6) == dashes[0]
