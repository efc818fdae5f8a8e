"""The five lines over a mix: every sentence against its own tables, whatever the mix; and what they were before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

import mixanswers
from dumbbell.advice.advice import Place
from dumbbell.advice.mix import Bin, Mix, answered, common_question
from dumbbell.advice.mix_text import answer, as_object, below, details, table
from dumbbell.advice.outcome import Interval, Outcome
from dumbbell.advice.paths import Path
from dumbbell.advice.question import Question
from dumbbell.advice.reading import Contradiction
from dumbbell.cc import known
from dumbbell.metrics.connection import Capture

SIX = "bbr,cubic,reno,bbr_4_17[cwnd_gain=1.5],cubic[hystart=0],vegas"
CAPTURE = Capture(
    name="a-long-name-of-a-capture-from-a-server-2026-11-28T20-15-00Z.txt", connections=(), other_sockets=0
)


def question(neighbours: str = "none", candidates: str = "bbr,cubic") -> Question:
    return common_question({"beside": neighbours, "candidates": candidates}, known())


def path(cc: str = "cubic", sent: float = 1e7, rate_bps: float = 1e7, rtt_s: float = 0.04) -> Path:
    return Path(
        rate_bps=rate_bps, at_least=False, rtt_s=rtt_s, queue_bdp=(0, 1), sent_bytes=sent, resent_bytes=sent / 100,
        cc=cc,
    )  # fmt: skip


def place(about: Question, goodputs: Sequence[float], verdict: str, harms: Sequence[float] = ()) -> Place:
    """A queue before which candidates have so many Mbit/s, and take so much from the others."""
    outcomes = tuple(
        Outcome(
            candidate=name, goodput_bps=Interval(1e6 * value, 0.0), retransmit_rate=Interval(0.01, 0.0),
            harm=Interval(harm, 0.0) if about.company[0].flows else None,
        )
        for name, value, harm in zip(about.candidates, goodputs, harms or [0.0] * len(goodputs), strict=True)
    )  # fmt: skip
    values = dict(zip(about.candidates, goodputs, strict=True))
    allowed = [each.candidate for each in outcomes if not each.harms] or [about.default]
    best, *rest = sorted(allowed, key=values.__getitem__, reverse=True)
    other = about.default if best != about.default else (rest or [best])[0]
    return Place(
        buffer_bytes=50_000, company=about.company[0], outcomes=outcomes,
        best=best if verdict == "ahead" else about.default, verdict=verdict,  # type: ignore[arg-type]
        leader=best if verdict == "ahead" else "", gain=values[best] / values[other] - 1, by_order={},
        acceptable=tuple(each for each in allowed if values[each] >= 0.98 * values[best]),
    )  # fmt: skip


def mix_of(bins: Sequence[Bin], about: Question, contradictions: Sequence[Contradiction] = (), **more: object) -> Mix:
    running = [each.cc for own in bins for each in own.paths] + [each.path.cc for each in contradictions]
    now = next((cc for cc in set(running) if 2 * running.count(cc) > len(running)), "")
    return answered(
        CAPTURE, about, bins, contradictions, now=now, not_simulated=more.get("not_simulated", {}),  # type: ignore[arg-type]
        silent={"rwnd": 3}, not_tried=0, seeds=(3, 9), runs_s=(12.0, 31.0),
    )  # fmt: skip


def bin_of(
    about: Question, *places: Place, paths: Sequence[Path], rate_bps: int = 10**7, rtt_ns: int = 40_000_000
) -> Bin:
    return Bin(question=replace(about, rate_bps=rate_bps, rtt_ns=rtt_ns), paths=tuple(paths), places=places)


def drawn(random: Random) -> Mix:
    """Any mix: paths, verdicts, algorithms, company, and connections that the model does not explain."""
    about = question(random.choice(["none", "cubic:1"]), candidates=random.choice(["bbr,cubic", "cubic,bbr,reno", SIX]))
    ccs = random.choice([["cubic"], ["bbr"], ["cubic", "cubic", "bbr"], ["bbr", "cubic"], ["reno"], ["vegas"], [""]])
    lean = random.choice([0.5, 1.0, 1.0, 1.5])
    bins = []
    for _ in range(random.randint(0, 9)):
        rate = 10 ** random.uniform(5.5, 9)
        bases = [random.uniform(9, 10), random.uniform(9, 10) * lean, 9.5, 9.1, 8, 7][: len(about.candidates)]
        values = [each if random.random() < 0.7 else bases[0] for each in bases]
        harms = [random.choice([0.0, 0.0, 0.3]) for _ in values]
        verdict = "open" if random.random() < 0.2 else "ahead"
        if max(values) / min(values) < 1.02:
            verdict = "no matter"
        paths = [path(random.choice(ccs), 10 ** random.uniform(5, 9)) for _ in range(random.randint(1, 40))]
        places = [place(about, values, verdict, harms) for _ in range(random.randint(1, 3))]
        bins.append(
            bin_of(
                about, *places, paths=paths, rate_bps=int(float(f"{rate:.3g}")), rtt_ns=random.randint(1, 300) * 10**6
            )
        )
    off = [
        Contradiction(
            path(random.choice(ccs), 10 ** random.uniform(5, 9)), random.choice([None, (0.0, 0.001)]),
            tuple(random.sample(["reordering", "random loss", "neighbours"], random.randint(1, 3))),
        )
        for _ in range(random.choice([0, 0, 1, 9]) if bins else 3)
    ]  # fmt: skip
    lacking = {"vegas": 12, "hybla": 3} if ccs == ["vegas"] else {}
    return mix_of(bins, about, off, not_simulated=lacking)


@pytest.mark.parametrize("seed", range(40))
def test_no_sentence_contradicts_its_tables(seed: int) -> None:
    random = Random(seed)  # noqa: S311 (no secret)
    for _ in range(15):
        mix = drawn(random)
        said = as_object(mix, seconds=1.0, engine="sim")
        lines = list(answer(mix))
        assert mixanswers.faults(said, lines) == [], lines
        assert said["answer"] == dict(lines)
        assert all(text == text.strip() != "" for _, text in lines)
        assert list(details(mix))
        assert list(below(mix, seconds=1.0, engine="sim"))
        assert bool(table(mix).texts()) is bool(mix.bins)


def test_mixes_of_every_kind_are_drawn() -> None:
    random = Random(1)  # noqa: S311 (likewise)
    mixes = [drawn(random) for _ in range(400)]
    assert {each.ruling.kind for each in mixes if each.decides} == {"one", "split", "each"}
    assert {each.recommendation for each in mixes} >= {"keep", "bbr", "cubic", "depends", "undecided"}
    assert any(each.ruling.sides for each in mixes if each.recommendation == "keep")


BEFORE = [
    ("Paths", (
        "1 of 1 connection in review.txt tell of a path, in 1 bin of rate, RTT and queue; they run CUBIC (1); the queue"
        " of 1 may be of several sizes: each is tried, and counts alike. Bulk traffic, for balanced, alone."
    )),
    ("Answer", (
        "BBR wins on 0 % of your connections, it matters on 0 %; CUBIC wins on 100 %, it matters on 100 %, which have"
        " 100 % of the bytes. It wins by however little, and matters from 2 % on."
    )),
    ("Advice", "KEEP CUBIC: nothing else matters on any of these paths."),
    ("If wrong", (
        "BBR on all of them costs 2.99 % in the mean, at most 2.99 %; CUBIC on all of them costs 0 % in the mean, at"
        " most 0 %."
    )),
    ("Resent", "1.78 % of their bytes so far; simulated: BBR 0 %, CUBIC 0.00548 %."),
    ("Harm", "not asked: each path is tried alone. What the others on a line lose by it: --beside cubic:1."),
    ("Sure?", (
        "3 seeds of 60 s, sim, 0.6 s; all paths are inside what was validated against Linux 6.1 and real hosts"
        " (docs/validation.md). A path's rate is what its connection had, by itself: where others share the line, or"
        " losses hold it back, the line has more."
    )),
]  # fmt: skip
"""What this command said of the review's connection before it tested its own reading."""


def test_what_it_said_before_may_not_be_followed() -> None:
    off = Contradiction(path(sent=148e6), (0.0004, 0.0011), ("reordering", "random loss"))
    said = as_object(mix_of([], question(), [off]), seconds=1.0, engine="sim")
    faults = mixanswers.faults(said, BEFORE)
    assert "7 lines" in faults
    assert "Advice: KEEP CUBIC, and nothing is decided" in faults
    assert "Sure?: is sure of what is not decided" in faults
    assert any(each.endswith(" letters") for each in faults)
    assert any(each.startswith("labels are Paths, Answer") for each in faults)


def test_the_checker_sees_each_fault() -> None:
    about = question()
    one = mix_of([bin_of(about, place(about, [10, 5], "ahead"), paths=[path(), path()])], about)
    said, lines = as_object(one, seconds=1.0, engine="sim"), list(answer(one))
    assert lines[0] == ("Answer", "Switch to BBR: 100 % of the connections run CUBIC.")

    def faults(label: str, text: str) -> list[str]:
        return mixanswers.faults(said, [(each, text if each == label else own) for each, own in lines])

    assert faults("Answer", "Keep BBR.") == ["Answer: Keep BBR, and {'cubic': 2} run"]
    assert faults("Answer", "Keep CUBIC.") == ["Answer: Keep CUBIC, which is right on 0% of what is decided"]
    assert faults("Answer", "It depends.") == ["Answer: one is right on two thirds"]
    assert faults("Next", "sysctl -w net.ipv4.tcp_congestion_control=cubic") == [
        "Next: sets cubic, which is not recommended"
    ]
    assert faults("When not", "CUBIC where the RTT is below 50 ms, on 3 %.") == [
        "When not: CUBIC is not right alone where the RTT is below 50 ms"
    ]
    assert faults("Why", "CUBIC is ahead on 70 % of them (some (or all)).") == [
        "Why: parentheses in parentheses", "CUBIC is ahead on 0.0%, and not on 70 %",
    ]  # fmt: skip
    assert faults("Why", "It is 30 ± 106 %, but here; there; and so on.") == [
        "Why: but ...; ...;", "Why: an interval that is no range",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("running", "right", "answer_line", "recommendation"),
    [
        (["bbr", "bbr", "bbr"], "cubic", "Switch to CUBIC: 100 % of the connections run BBR.", "cubic"),
        (["bbr", "bbr", "cubic"], "bbr", "Keep BBR, which 67 % of the connections run.", "keep"),
        (["cubic", "bbr"], "cubic", "Use CUBIC rather than BBR.", "cubic"),
        (
            ["vegas", "vegas"], "cubic",
            "Use CUBIC rather than BBR. vegas, which most run, was not simulated.", "cubic",
        ),
    ],
)  # fmt: skip
def test_to_keep_or_to_switch_is_by_what_runs_now(
    running: list[str], right: str, answer_line: str, recommendation: str
) -> None:
    about = question()
    values = [10, 5] if right == "bbr" else [5, 10]
    mix = mix_of([bin_of(about, place(about, values, "ahead"), paths=[path(each) for each in running])], about)
    said = as_object(mix, seconds=1.0, engine="sim")
    assert dict(answer(mix))["Answer"] == answer_line
    assert (said["recommendation"], said["algorithm"]) == (recommendation, right)


def test_what_is_not_explained_is_a_group_of_its_own() -> None:
    about = question()
    off = [
        Contradiction(path(sent=2e6), (0.0, 0.001), ("random loss",)),
        Contradiction(path(sent=1e6), None, ("reordering",)),
    ]
    mix = mix_of([bin_of(about, place(about, [5, 10], "ahead"), paths=[path(sent=7e6)])], about, off)
    said = as_object(mix, seconds=1.0, engine="sim")
    assert said["connections"] == {
        "captured": 0, "told": 3, "unexplained": 2, "silent": {"rwnd": 3}, "not_tried": 0, "other_sockets": 0,
    }  # fmt: skip
    assert said["unexplained"]["sent_bytes"] == pytest.approx(0.3)
    assert said["unexplained"]["connections"] == pytest.approx(2 / 3)
    assert said["unexplained"]["causes"] == {"reordering": 1, "random loss": 1}
    assert said["unexplained"]["each"][0]["simulated_retransmit_rate"] == [0.0, 0.001]
    sure, behind = dict(answer(mix))["Sure?"], dict(details(mix))["Not explained"]
    assert "2 of 3 connections, 30 % of bytes: perhaps reordering (1), random loss (1)" in sure
    assert behind.startswith("2 connections, 67 % of all, with 30 % of the bytes; they resent 1.00 %,")
    assert mix.standings["cubic"].wins.value == 1, "they count in no share"
