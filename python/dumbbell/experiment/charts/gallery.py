"""All charts of an experiment in the order in which they answer: who gets what, at what delay, what it costs, when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dumbbell.charts.chart import Chart
from dumbbell.experiment.charts import samples
from dumbbell.experiment.charts.ellipse import ellipses
from dumbbell.experiment.charts.layout import Sweep
from dumbbell.experiment.charts.samples import Sampled
from dumbbell.experiment.charts.sweep import completion, costs, shares, throughput_delay
from dumbbell.experiment.charts.time import in_time, most_different, rtt_distribution, state
from dumbbell.experiment.charts.transfer import transfers
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.results.store import Store


def of_summaries(store: Store | None, runs: ExperimentRuns) -> list[Chart]:
    """Those that need no series; where there are transfers their times stand before their rates.

    Without a store there is none of single transfers.
    """
    sweep = Sweep.of(runs)
    times = [completion(sweep), transfers(store, sweep) if store else None]
    return [chart for chart in (throughput_delay(sweep), *times, shares(sweep), *costs(sweep)) if chart]


def of_series(runs: ExperimentRuns, there: Sequence[Sampled]) -> list[Chart]:
    """Those of runs that were read, together: how RTTs are distributed.

    Of queue disciplines that are compared, goodput against queueing delay, too.
    """
    spread = rtt_distribution(runs, there)
    managed = any(path.endswith("qdisc") for path in runs.axes)
    ellipse = ellipses(runs, there) if managed else None
    return [*filter(None, (spread, ellipse))]


def most_differing(runs: ExperimentRuns, there: Sequence[Sampled]) -> tuple[Chart | None, Chart | None]:
    """The two runs that differ most, over time: what their flows did, and the state of their algorithms."""
    shown = most_different(runs, there)
    return (in_time(runs, shown), state(runs, shown)) if shown else (None, None)


def single_runs(runs: ExperimentRuns, there: Sequence[Sampled]) -> Iterator[Chart]:
    """Each run that was read, over time."""
    for number, each in enumerate(there, 1):
        yield in_time(runs, [each], f"series-{number}")


def charts(store: Store, runs: ExperimentRuns) -> Iterator[Chart]:
    """Every figure of an experiment; over time the first seed of each point. Their names are the same each time."""
    there = samples.read(store, runs).runs
    yield from of_summaries(store, runs)
    yield from of_series(runs, there)
    yield from filter(None, most_differing(runs, there))
    firsts = [each for each in there if each.seed == min(each.point.run_ids)]
    if len(there) > 1:
        yield from single_runs(runs, firsts)
