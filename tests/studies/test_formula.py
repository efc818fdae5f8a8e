"""Formulas: what they make of the runs of a sweep and of those beside them, how they are refused, what they can be."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell.captures.series import CaptureSeries
from dumbbell.studies import StudyError
from dumbbell.studies.evidence import RunData, SeedSweep, Trials
from dumbbell.studies.formula import Formulas
from dumbbell.studies.limits import Share
from observed import frame, observed

LOSSES = (0.4, 0.2, 0.1)
SIZES = ("1 bdp", "2 bdp", "4 bdp")


def scaled(run: RunData, factor: float = 2.0) -> float | None:
    """The loss so many times, twice unless something else is said."""
    return factor * (run.result.bottleneck.loss_per_sent or 0.0)


def runs(sweep: SeedSweep) -> float | None:
    """How many there are."""
    return float(len(sweep.runs))


def seeds(trials: Trials, factor: float = 1.0) -> float | None:
    """How many there are, of all seeds together."""
    return factor * len(trials.sweeps) if trials.sweeps else None


def part(_: RunData) -> Share | None:
    """A share."""


def surplus(_: RunData) -> float | None:
    """Any number."""


def halved(value: float) -> float:
    """No metric: it takes no run."""
    return value / 2


FUNCTIONS = ModuleType("functions")
for function in (scaled, runs, seeds, part, surplus, halved):
    setattr(FUNCTIONS, function.__name__, function)
FORMULAS = Formulas(
    {
        "loss": "bottleneck.loss_per_sent",
        "queue": 'swept("path.buffer", "bdp")',
        "rate": "flows.0.goodput_bps / 1e6",
        "worst": "max(loss)",
        "long": "queue >= 2",
    },
    FUNCTIONS,
)


def sweep(losses: tuple[float, ...] = LOSSES, sizes: tuple[str, ...] = SIZES, **more: Any) -> SeedSweep:
    points = zip(sizes, losses, strict=True)
    return SeedSweep(1, tuple(observed({"path.buffer": size}, {"a": [4, 8]}, (0, 60), lost=lost, **more)
                              for size, lost in points))  # fmt: skip


OTHER = sweep((0.1, 0.3, 0.2, 0.9), ("4 bdp", "2 bdp", "1 bdp", "8 bdp"))
NAMELESS = Formulas({"loss": "bottleneck.loss_per_sent"})
"""Of a study without `claims.py`."""
ALONE = SeedSweep(1, (observed({}, {"a": [5]}, (0, 60)),))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max(loss)", 0.4),
        ("min(100 * bottleneck.loss_per_sent)", 10.0),
        ("mean(loss) - 0.1", 0.7 / 3 - 0.1),
        ("deviation(rate)", 0.0),
        ("max(loss[queue > 1])", 0.2),
        ("max(loss[queue > 1 and queue < 3 or loss == 0.1])", 0.2),
        ("min(queue[queue in (2, 4)])", 2.0),
        ("max((loss / beside.loss)[long])", 1.0),
        ("loss[queue == 4]", 0.1),
        ("-loss[queue == min(queue)]", -0.4),
        ("share(loss > 0.15)", 2 / 3),
        ("worst - beside.worst", -0.5),
        ("share(loss >= beside.loss)", 2 / 3),
        ("max(beside.1.rate / rate)", 1.25),
        ("beside.runs - runs", 1.0),
        ("max(scaled)", 0.8),
        ("max(scaled(3) - scaled)", 0.4),
        ("mean(larger(loss, 0.2, beside.loss) - smaller(loss, 0.2))", (0.2 + 0.1 + 0.1) / 3),
        ("evenness(flows.0.goodput_bps, flows.1.goodput_bps)[queue == 1]", 144 / 160),
        ("max(known_or(jain, 3))", 3.0),
        ("abs(loss[queue == 4] - loss[queue == 1])", 0.3),
        ("min(steps(queue, loss))", -0.2),
        ("max(relative_steps(queue, loss))", -0.5),
        ("interpolated(queue, loss, 3)", 0.15),
        ("crossover(queue, loss, 0 * loss + 0.15)", 3.0),
        ("argmax(queue, loss)", 1.0),
        ("rank_correlation(queue, loss)", -1.0),
        ("linear_r2(queue[queue < 9], loss)", 0.8622449),
        ("cliff(0.01 * queue, rate, 4.2)", 0.04),
        ("max(bdp_bytes)", 250_000.0),
        ('max(summed("flows", "goodput_bps"))', 12e6),
        ('max(averaged("flows", "goodput_bps"))', 6e6),
        ('max(summed("groups", "share"))', 1.0),
        ("one_peak(queue, larger(loss, 0.3) * (queue == 2), 0)", 1.0),
        ("one_peak(queue, loss, 0)", 0.0),
        ("threshold(queue, loss, 0.2)", 2.0),
        ("threshold(queue, loss, 0.05)", None),
        ("max(loss[queue > 9])", None),
        ("max(jain)", None),
        ("one_peak(queue, jain, 0)", None),
        ("max(relative_steps(queue, loss - 0.4))", None),
        ("max(abs(relative_steps(queue[queue > 1], loss[queue > 1])))", 0.5),
        ("interpolated(queue[queue == 2], loss[queue == 2], 2)", 0.2),
        ("threshold(queue[queue == 2], loss[queue == 2], 0.3)", 2.0),
        ("cliff(0.01 * queue[queue == 2], rate[queue == 2], 4.2)", 0.02),
        ("threshold(queue, loss, max(jain))", None),
        ("crossover(queue, loss, 0.15)", 3.0),
        ("max(loss / (loss - loss))", None),
    ],
)
def test_what_a_formula_makes_of_a_sweep(text: str, value: float | None) -> None:
    expected = value if value is None else pytest.approx(value, abs=1e-7)
    assert FORMULAS.parse(text).value(sweep(), OTHER, ALONE) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('sampled("cwnd_bytes", "max")', 40.0),
        ('sampled("cwnd_bytes", "last") - sampled("cwnd_bytes", "min", 2)', 10.0),
        ('sampled("cwnd_bytes", "median", 1)', 30.0),
        ('sampled("cwnd_bytes", "mean", 9)', None),
        ("rate_variation(1, 0, 0)", 1 / 3),
        ("rate_variation(1)", 1 / 3),
        ("rate_variation(1, 2, 0)", 0.0),
    ],
)
def test_what_a_formula_makes_of_series(text: str, value: float | None) -> None:
    at = np.array([0.0, 1, 2, 3, 4])
    series = frame(0, at, [0, 1e6, 3e6, 5e6, 7e6], None).assign(cwnd_bytes=[10.0, 20, 30, 30, 40])
    run = observed({}, {"a": [8.0]}, (0, 4), series=series)
    expected = value if value is None else pytest.approx(value, abs=0.1)
    assert FORMULAS.parse(text).of_run(run) == expected


def test_what_captures_show_stands_in_the_place_of_counters() -> None:
    at = np.array([0.0, 1, 2, 3, 4])
    rtts = pd.DataFrame({"flow": [0, 0, 1], "time_s": [1.0, 2.0, 3.0], "rtt_s": [0.2, 0.2, 0.4]})
    queue = pd.DataFrame({"time_s": at, "sent_packets": [0, 3, 6, 8, 9], "dropped_packets": [0, 0, 0, 0, 1]})
    seen = CaptureSeries(
        frame(0, at, 1e6 * at, None),
        pd.DataFrame({"time_s": at, "sent_packets": [0, 3, 3, 3, 3], "dropped_packets": [0, 0, 0, 1, 1]}),
        pd.DataFrame({"flow": 0, "time_s": [1.0, 2.0], "rtt_s": [0.1, 0.1]}),
    )
    series = frame(0, at, [0, 1e6, 3e6, 3.5e6, 4e6], None)
    without = observed({}, {"a": [8.0]}, (0, 4), series=series, backlog=queue, acks=rtts)
    run = replace(without, capture_series=lambda: seen)
    metrics = {"varies": "rate_variation(1)", "acks": 'sampled("ack_rtt", "median")', "lost": "dropped(0, 9)"}
    formulas = Formulas(metrics)

    def number(text: str, run: RunData) -> float | None:
        return formulas.parse(text).of_run(run)

    for name, counted, captured in (("varies", 0.375**0.5, 0.0), ("acks", 0.2, 0.1), ("lost", 0.1, 0.25)):
        assert number(name, run) == number(name, without) == number(f"captured.{name}", without)
        assert number(name, run) == pytest.approx(counted)
        assert number(f"captured.{name}", run) == pytest.approx(captured)
        assert number(f"abs(captured.{name} - {name})", run) == pytest.approx(abs(counted - captured))
    assert number('sampled("ack_rtt", "max", 2, 1)', run) == 0.4
    assert number("dropped(-1, 2)", run) == 0
    assert (number('bins_apart(1, "max")', run), number('bins_apart(1, "median")', run)) == (8e6, 4e6)
    assert number('bins_apart(1, "max")', without) is None


def test_a_number_of_each_run_needs_one_run() -> None:
    formula = FORMULAS.parse("loss / beside.loss")
    assert formula.of_run(sweep().runs[0], OTHER.runs[2]) == pytest.approx(2)
    with pytest.raises(StudyError, match="a number of each of 3 runs, where one is needed"):
        formula.value(sweep(), OTHER)


def test_only_a_field_may_be_unmeasured() -> None:
    assert [FORMULAS.parse(text).is_field for text in ("jain", "flows.0.fct_s", "loss", "scaled", "1 - jain")] == [
        True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max(los)", 'no result has "los"; did you mean "loss"?'),
        ("groups.cubic.shar", 'no result has "groups.cubic.shar"'),
        ("maximum(loss)", 'there is no operation "maximum"; did you mean "max"?'),
        ("loss +", "is no formula: invalid syntax"),
        ("loss ** 2", "loss ** 2 is nothing that a formula can have"),
        ("[loss for loss in queue]", "is nothing that a formula can have"),
        ("loss if queue else 1", "is nothing that a formula can have"),
        ('loss + "a"', "is nothing that a formula can have"),
        ("loss.real", 'no result has "loss.real"'),
        ("FUNCTIONS", 'no result has "FUNCTIONS"'),
        ('summed("flows", "goodput")', 'no result has "flows.0.goodput"'),
        ('sampled("cwnd_bytes", "mode")', 'there is no reduction "mode"; known: '),
        ("swept(loss)", "swept(loss): swept cannot be given (loss)"),
        ("rate_variation()", "rate_variation cannot be given ()"),
        ('rate_variation("10")', "rate_variation cannot be given ('10')"),
        ('summed("flow", "goodput_bps")', "summed cannot be given ('flow', 'goodput_bps')"),
        ("max()", "max(): max: missing a required argument: 'values'"),
        ("larger()", "larger: missing a required argument: 'first'"),
        ("argmax(jain)", "argmax: missing a required argument: 'y'"),
        ("abs(loss, jain)", "abs: too many positional arguments"),
        ("captured", "captured.: a capture has series"),
        ("captured.loss", "captured.loss: a capture has series, as captured.variation is of"),
        ("captured.bottleneck.loss_rate", "captured.bottleneck.loss_rate: a capture has series"),
        ("captured.beside.loss", "captured.beside.loss: a capture has series"),
        ("beside", "beside needs a name: beside.loss"),
        ("beside.1", "beside needs a name"),
        ("beside[bdp_bytes]", "beside needs a name"),
        ("beside.beside.loss", "beside.beside.loss: nothing stands beside what stands beside"),
        ("qq_flows.0.goodput_bps", 'no result has "qq_flows.0.goodput_bps"'),
        ("halved", 'no result has "halved"'),
    ],
)
@pytest.mark.parametrize("formulas", [FORMULAS, NAMELESS], ids=["functions", "none"])
def test_a_formula_that_is_none(formulas: Formulas, text: str, message: str) -> None:
    with pytest.raises(StudyError) as caught:
        formulas.parse(text)
    assert message in str(caught.value)
    assert "halved" not in str(caught.value).removeprefix('no result has "halved"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('max(swept("path.loss", "%"))', "path.loss is not swept; swept: path.buffer"),
        ("max(flows.9.goodput_bps)", 'flows.9.goodput_bps: the run has no "9"; it has 0, 1'),
        ("max(rate_variation(1, 0, 9))", "the run has no flow 9, but 2"),
        ("argmax(queue[queue > 1], loss)", "its parts do not go together, being of 2, 3 runs"),
        ("max(loss + loss[queue > 1])", "its parts do not go together, being of 3, 2 runs"),
    ],
)
def test_what_the_runs_do_not_have(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=re.escape(message)):
        FORMULAS.parse(text).value(sweep())


def test_how_many_experiments_must_stand_beside() -> None:
    formula = FORMULAS.parse("max(loss[beside.1.loss > 0]) + worst")
    formula.refuse_without(["one", "other"])
    with pytest.raises(StudyError, match="needs 2 experiments beside, not 1"):
        formula.refuse_without(["one"])


@pytest.mark.parametrize(("known", "value"), [((2, 4), 3), ((2, None), 2), ((None, None), None)])
def test_what_is_not_known_is_left_out_of_a_mean(known: tuple[float | None, ...], value: float | None) -> None:
    run = observed({}, {"a": [4, 8]}, (0, 60), flows=[{"rtt_mean_s": each} for each in known])
    assert FORMULAS.parse('averaged("flows", "rtt_mean_s")').of_run(run) == value


def test_a_formula_that_is_defined_by_itself() -> None:
    with pytest.raises(StudyError, match=r"metrics\.one: is defined by itself, through one, other"):
        Formulas({"one": "1 + other", "other": "max(one)"}).parse("one")


@pytest.mark.parametrize(
    ("text", "value"), [("seeds", 2), ("seeds(10.0)", 20), ("seeds(10.0) - 3 * seeds", 14), ("larger(seeds, 7)", 7)]
)
def test_what_all_seeds_say_together(text: str, value: float) -> None:
    formula = FORMULAS.parse(text)
    assert formula.together
    assert formula.value_together(Trials(((sweep(),), (sweep(),)))) == value
    with pytest.raises(StudyError, match="all seeds together is not one of seed 1"):
        formula.value(sweep())


def test_no_seeds_have_no_number() -> None:
    assert FORMULAS.parse("seeds").value_together(Trials(())) is None


def test_a_number_of_each_seed_is_none_of_all() -> None:
    formula = FORMULAS.parse("worst")
    assert not formula.together
    with pytest.raises(StudyError, match="a number of each seed"):
        formula.value_together(Trials(((sweep(),),)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds - worst", "do not go together"),
        ("seeds[loss > 0]", "has no part"),
        ("beside.seeds", "nothing stands beside"),
        ("seeds('two')", "seeds cannot be given ('two')"),
        ("seeds(1.0, 2.0)", "seeds cannot be given (1.0, 2.0)"),
        ("seeds(loss)", "seeds cannot be given (loss)"),
        ("scaled('two')", "scaled cannot be given ('two')"),
        ("runs(1)", "runs cannot be given (1)"),
    ],
)
def test_what_all_seeds_together_are_not_part_of(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=re.escape(message)):
        FORMULAS.parse(text)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("jain", (0, 1)),
        ("groups.bbr.goodput_trend", (-inf, inf)),
        ("bottleneck.queue_mean_bdp", (0, inf)),
        ("flows.0.rtt_p50_s - 0.076", (-0.076, inf)),
        ("100 * groups.bbr.share", (0, 100)),
        ("1 - bottleneck.utilization", (0, 1)),
        ("-jain", (-1, 0)),
        ("groups.cubic.goodput_bps / groups.bbr.goodput_bps", (0, inf)),
        ("beside.jain - jain", (-1, 1)),
        ("larger(groups.bbr.share, 3 * groups.cubic.share)", (0, 3)),
        ("share((jain >= 0.9)[bottleneck.loss_rate > 0])", (0, 1)),
        ("rank_correlation(jain, jain)", (-inf, inf)),
        ("part", (0, 1)),
        ("2 * surplus", (-inf, inf)),
    ],
)
def test_a_formula_is_within_what_its_parts_can_be(text: str, limits: tuple[float, float]) -> None:
    assert FORMULAS.parse(text).limits == pytest.approx(limits)
