"""What the page says of where it was validated is what was validated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dev.strata.conditions import conditions
from dumbbell.explorer.page import bounds, tables
from outside import OUTSIDE, spec_with

EACH = 12
SEED = 20261123
BACK = 'back = { rate = "40 Mbit/s", buffer = "700 packets" }'


def standing(in_node: Any, texts: Sequence[str]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = in_node("bounds.mjs", tables=tables(), bounds=bounds(), texts=texts)
    return answers


@pytest.mark.parametrize("stratum", bounds())
def test_each_condition_of_a_stratum_is_within(stratum: str, in_node: Any) -> None:
    texts = [experiment.toml() for experiment in conditions(EACH, SEED, stratum)]
    outside = [(text, each["text"]) for text, each in zip(texts, standing(in_node, texts), strict=True)
               if not each["isInside"]]  # fmt: skip
    assert outside == []


HOPS = "".join(f'[[hops]]\nname = "{name}"\nrate = "90 Mbit/s"\nbuffer = "1 bdp"\n' for name in "abcde")
ROUTED = '[[flows]]\ncc = "{}"\nroute = ["{}"]\n'
QUEUES = {
    f'duration = "60 s"\n[path]\nrtt = "25 ms"\n{HOPS}[[flows]]\ncc = "bbr"\n': "5 links in a row, not ",
    f'duration = "60 s"\n[path]\nrtt = "25 ms"\n{HOPS}{ROUTED.format("bbr", "a")}{ROUTED.format("cubic", "b")}': (
        "data that goes 2 ways, not "
    ),
    f'{spec_with(BACK)}direction = "up"\n': "path.back.buffer = 700 packets",
}
"""Specs of several queues: what is said of them."""


def test_what_is_outside_of_one_queue_is_named(in_node: Any) -> None:
    for text, verdict in zip(QUEUES.values(), standing(in_node, list(QUEUES)), strict=True):
        assert not verdict["isInside"]
        assert text in verdict["text"]


def test_what_is_outside_is_named(in_node: Any) -> None:
    standings = standing(in_node, [spec_with(line) for line in OUTSIDE])
    for (line, text), verdict in zip(OUTSIDE.items(), standings, strict=True):
        assert not verdict["isInside"], line
        assert text in verdict["text"]
