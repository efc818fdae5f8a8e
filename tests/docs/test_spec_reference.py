"""`docs/spec.md`: it has every key of the models, its examples are specs, and it is what the models say today."""

from __future__ import annotations

import pytest

from commandline import ROOT
from dumbbell.spec import expand, load, resolve
from dumbbell.spec.keys import Key
from spec_reference import FILES, WITH_NEIGHBOURS, described, engines, example, page, spec_around

EVERY = {key.path: key for key in described()}
PAGE = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_is_what_the_models_say() -> None:
    assert page() == PAGE, "make docs-outputs"


def test_it_has_every_key() -> None:
    assert len(EVERY) > 70
    for path in EVERY:
        assert f"# `{path}`\n" in PAGE or f"## `[{path}]`\n" in PAGE or f"## `[[{path}]]`\n" in PAGE, path


@pytest.mark.parametrize("key", EVERY.values(), ids=lambda key: key.path)
def test_a_key_has_a_meaning_and_an_example_that_is_a_spec(key: Key) -> None:
    assert key.meaning.endswith("."), "the model has no docstring"
    name = key.path.rpartition(".")[2]
    assert name in example(key)
    experiment = load(spec_around(example(key)), folder=FILES)
    assert resolve(next(expand(experiment)), 1).run.flows
    assert set(WITH_NEIGHBOURS) <= set(EVERY)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("path.rtt", "`sim`; `linux`, `netns`"),
        ("path.burst", '`sim`; `linux`, `netns`: more than 1514 B, or shaper = "htb"'),
        ("path.rate", "`sim`; `linux`, `netns`: a multiple of 8 bit/s"),
        ("host.receive_window", "`sim`; `linux`, `netns`: from 2304 B to 1073725440 B"),
    ],
)
def test_what_an_engine_refuses_is_said(path: str, expected: str) -> None:
    assert engines(EVERY[path]) == expected


def test_a_word_that_an_engine_refuses_is_named() -> None:
    text = engines(EVERY["measure.record"])
    sim, linux = text.split("; `linux`, `netns`")
    assert ("not" in sim, 'not `"qlog"`' in linux) == (False, True)


def test_limits_defaults_and_sweeps_are_the_models() -> None:
    loss, mtu, window = EVERY["path.loss"], EVERY["path.mtu"], EVERY["measure.window"]
    assert (loss.limits, loss.default, loss.swept) == ("from 0 % to 99.9999999 %", "0 %", True)
    assert (mtu.limits, mtu.default, mtu.extremes) == ("from 576 to 65,535", 1500, (576, 65_535))
    assert (window.swept, window.required, EVERY["path.reorder.share"].required) == (False, False, True)
    assert EVERY["flows[].access.rate"].required
