from __future__ import annotations

import pytest

from dumbbell import cc
from dumbbell.cc import Registry
from dumbbell.problem import SpecError

OLD = {"extra_acked_gain": 0.0, "min_rtt_equal_refresh": 1.0, "pacing_margin": 0.0, "quantisation_slack": 0.0}


@pytest.mark.parametrize(
    ("written", "name", "algorithm", "parameters"),
    [
        ("bbr", "bbr", "bbr", {}),
        (" bbr ", "bbr", "bbr", {}),
        ("cubic", "cubic", "cubic", {}),
        ("cubic[]", "cubic", "cubic", None),
        ("bbr[cwnd_gain=1.5]", "bbr", "bbr", {"cwnd_gain": 1.5}),
        ("bbr [ cwnd_gain = 1.5 , probe_gain=1.1 ]", "bbr", "bbr", {"cwnd_gain": 1.5, "probe_gain": 1.1}),
        ("bbr[cwnd_gain=2, policer=false]", "bbr", "bbr", {"policer": 0.0}),
        ("bbr[policer=0]", "bbr", "bbr", {"policer": 0.0}),
        ("bbr[policer=true]", "bbr", "bbr", {}),
        ("bbr[extra_acked_gain=-0]", "bbr", "bbr", {"extra_acked_gain": 0.0}),
        ("bbr_1_1", "bbr_1_1", "bbr", {"probe_gain": 1.1}),
        ("bbr_1_5", "bbr_1_5", "bbr", {"probe_gain": 1.5}),
        ("bbr_shallow", "bbr_shallow", "bbr", {"cwnd_gain": 1.5}),
        ("bbr_lt_off", "bbr_lt_off", "bbr", {"policer": 0.0}),
        ("bbr_4_17", "bbr_4_17", "bbr", OLD),
        ("bbr_4_17_shallow", "bbr_4_17_shallow", "bbr", OLD | {"cwnd_gain": 1.5}),
        ("bbr_4_17_1_1", "bbr_4_17_1_1", "bbr", OLD | {"probe_gain": 1.1}),
        ("bbr_4_17_1_5", "bbr_4_17_1_5", "bbr", OLD | {"probe_gain": 1.5}),
        ("bbr_4_17[pacing_margin=1]", "bbr_4_17", "bbr", {k: v for k, v in OLD.items() if k != "pacing_margin"}),
        ("bbr_shallow[cwnd_gain=1.25]", "bbr_shallow", "bbr", {"cwnd_gain": 1.25}),
    ],
)
def test_names_come_down_to_an_algorithm_and_what_differs(
    registry: Registry, written: str, name: str, algorithm: str, parameters: dict[str, float] | None
) -> None:
    choice = cc.choose(written, registry)
    assert (choice.written, choice.name, choice.algorithm) == (written, name, algorithm)
    assert dict(choice.parameters) == (parameters or {})
    assert list(choice.parameters) == sorted(choice.parameters)


@pytest.mark.parametrize(
    ("written", "messages"),
    [
        ("vegas", ['unknown "vegas"']),
        ("bbr[a=1, b=2, cwnd_gain=3]", ['bbr has no parameter "a"', 'bbr has no parameter "b"']),
        ("bbr[cwnd_gain=1, cwnd_gain=2]", ['parameter "cwnd_gain" is given twice']),
        ("bbr[cwnd_gain=0.05]", ["cwnd_gain=0.05 is out of range"]),
        ("bbr[cwnd_gain=inf]", ["cwnd_gain=inf is no number"]),
        ("bbr[cwnd_gain=1e999]", ["cwnd_gain=1e999 is no number"]),
        ("bbr[cwnd_gain=true]", ["cwnd_gain=true is no number"]),
        ("bbr[pacing_margin=1.5]", ["pacing_margin=1.5 is not a whole number"]),
        ("bbr[policer=0.5]", ["policer=0.5 is not a switch"]),
        ("bbr[cwnd_gain=1,]", ['"" sets no parameter']),
        ("bbr[cwnd_gain=1]x", ['"bbr[cwnd_gain=1]x" names no congestion control']),
        ("bbr[[a=1]]", ['"bbr[[a=1]]" names no congestion control']),
        ("", ['"" names no congestion control']),
    ],
)
def test_faults_are_told_together(registry: Registry, written: str, messages: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        cc.choose(written, registry)
    assert [problem.message for problem in caught.value.problems] == messages


def test_variants_of_an_algorithm_that_is_not_there_are_unknown(registry: Registry) -> None:
    with pytest.raises(SpecError) as caught:
        cc.choose("bbr_4_17", {"cubic": registry["cubic"]})
    assert caught.value.problems[0].hint == "known: cubic"


def test_every_variant_says_what_it_is() -> None:
    assert len(cc.variants()) == 11
    of_sim = {"bbr3_draft": "bbr3", "bbr_steady_rtt": "bbr_proposals", "bbr_feedback": "bbr_proposals"}
    assert {name for name, variant in cc.variants().items() if not variant.linux} == set(of_sim)
    for name, variant in cc.variants().items():
        assert variant.base == of_sim.get(name, "bbr")
        assert variant.about
        assert variant.parameters
        if variant.linux:
            assert len(variant.linux) >= len(variant.parameters), "each parameter has its change of the source"
        assert len({change["match"] for change in variant.linux}) == len(variant.linux)
        assert all(change["match"] != change["replace"] for change in variant.linux)


def test_a_variant_is_in_linux_only_with_all_of_its_changes() -> None:
    text = """
[mild]
about = "one change, in both"
base = "bbr"
parameters = { probe_gain = 1.1 }
linux = [{ file = "net/ipv4/tcp_bbr.c", match = "5 / 4", replace = "11 / 10" }]

[beyond]
about = "another one, which Linux cannot have"
base = "mild"
parameters = { probe_down_gain = 0.7 }

[farther]
about = "a third one, on top of that"
base = "beyond"
parameters = { cwnd_gain = 1.5 }
linux = [{ file = "net/ipv4/tcp_bbr.c", match = "UNIT * 2", replace = "UNIT * 3 / 2" }]
"""
    variants = cc.variants_of(text)
    assert {name: len(variant.linux) for name, variant in variants.items()} == {"mild": 1, "beyond": 0, "farther": 0}
    assert variants["farther"].parameters == {"probe_gain": 1.1, "probe_down_gain": 0.7, "cwnd_gain": 1.5}


def test_every_variant_is_one_of_the_simulators() -> None:
    for name, variant in cc.variants().items():
        choice = cc.choose(name, cc.installed())
        assert dict(choice.parameters) == dict(variant.parameters), "a parameter at its default says nothing"
