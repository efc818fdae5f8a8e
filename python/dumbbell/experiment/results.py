"""`dumbbell.run`: an experiment carried out from Python, and its outcomes."""

from __future__ import annotations

import operator
import shutil
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, overload

from dumbbell.campaign.execution import run_campaign, stored_outcomes
from dumbbell.campaign.plan import each_alone, refusals
from dumbbell.campaign.plan import programs as planned_programs
from dumbbell.campaign.until import run_until
from dumbbell.engines.catalogue import catalogue
from dumbbell.engines.registry import engine as engine_named
from dumbbell.experiment.answer import answer
from dumbbell.experiment.expectations import frame, judged
from dumbbell.experiment.notebook import html, means
from dumbbell.experiment.points import ExperimentRuns, campaign_runs
from dumbbell.experiment.sweep import CLIFF_SHARE, cliffs, crossovers
from dumbbell.experiment.time_below import measure_time_below, time_below
from dumbbell.metrics.number import counted
from dumbbell.results import frames
from dumbbell.results.campaign import Campaign, campaign_of, numbered
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.schema import FailedRun, Outcome, Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, SpecError, load
from dumbbell.spec.quantity import Rate, Time
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    from dumbbell.campaign.until import Points
    from dumbbell.experiment.charts.plot import Plot


_OFFERED: Final = (
    "answer", "cliff", "crossover", "expectations", "failures", "flows", "groups", "hop_series",
    "hops", "means", "outcomes", "plot", "queue", "series", "store", "summaries", "summary", "time_below",
)  # fmt: skip
"""What completion shows."""


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Results(Sequence[Outcome]):
    """What `dumbbell.run` gives: the outcomes in the order of expansion, their means, frames and charts.

    Each swept field is a column of every frame, as the spec writes it, with its number behind it where it has one:
    `path.buffer` has `path.buffer_bytes` and `path.buffer_bdp`, others `_s`, `_bps`, `_bytes` or `_ratio`.

    >>> results = dumbbell.run(spec)
    >>> results
    <Results of experiment on sim: 4 runs, 2 points>
    >>> len(results), results[0].groups["bbr"].share > 0.5
    (4, True)
    """

    outcomes: tuple[Outcome, ...]
    store: Path
    """The folder that keeps the runs; a temporary one if none was given."""
    campaign: int
    """Its number in the store."""

    @property
    def summaries(self) -> list[Result]:
        """The runs that were measured."""
        return [outcome for outcome in self.outcomes if isinstance(outcome, Result)]

    @property
    def failures(self) -> list[FailedRun]:
        """The runs that the engine could not finish."""
        return [outcome for outcome in self.outcomes if isinstance(outcome, FailedRun)]

    @property
    def plot(self) -> Plot:
        """The charts of the experiment: `.shares()`, `.throughput_delay()`, `.completion()`, `.rtt()`, `.series()`.

        >>> results.plot.shares().save("shares.pdf")  # doctest: +SKIP
        """
        from dumbbell.experiment.charts.plot import Plot  # noqa: PLC0415 (late: whoever draws nothing needs none)

        return Plot(self._runs(), self.store)

    def answer(self) -> str:
        """What came out, in a sentence or two.

        >>> results.answer().partition(" % of the goodput")[0][:9]
        'BBR takes'
        """
        return " ".join(answer(self._runs()))

    def means(self, *quantities: str) -> pd.DataFrame:
        """A row a point, group and quantity: `mean` over the seeds, `low` and `high` of its 95 % interval, `n` seeds.

        Without names there are all quantities of the catalogue that the runs have, such as "goodput", "share",
        "fair_share", "rtt", "fct", "loss", "jain". Each is in its `unit`, as the terminal shows it. `low` and `high`
        are NaN where nothing varied; what belongs to the path has no group. "below[5 Mbit/s]" is the share of the time
        in which a flow had less.

        >>> results.means("share")[["path.buffer", "path.buffer_bdp", "group", "quantity", "unit", "n"]].values.tolist()
        [['0.5 bdp', 0.5, 'bbr', 'share', '%', 2], ['0.5 bdp', 0.5, 'cubic', 'share', '%', 2],
         ['2 bdp', 2.0, 'bbr', 'share', '%', 2], ['2 bdp', 2.0, 'cubic', 'share', '%', 2]]

        Raises:
            ColumnError: there is no such quantity.
        """
        runs = self._runs()
        with Store.open(self.store) as store:
            measure_time_below(store, runs, quantities)
        return means(runs, quantities)

    def expectations(self) -> pd.DataFrame:
        """A row an `[[expect]]` of the spec and point: `verdict` ("holds", "fails", "undecided"), `sentence`, numbers.

        `value` is the mean over seeds in `unit`, `low` and `high` are the ends of its 95 % interval (NaN where nothing
        varied), `n` how many values it rests on, `bound` what it must keep, in words. Of one that has a time, `by`, it
        is the time after which it was first so.

        >>> results.expectations()  # doctest: +SKIP
        """
        with Store.open(self.store) as store:
            return frame(judged(store, self._runs()))

    def summary(self) -> pd.DataFrame:
        """A row a run: the swept values, seed, status, `bottleneck.*`, jain, window, wall_s, warnings, error.

        Columns that end in `_s` are seconds, in `_bps` bit/s, in `_bytes` bytes; rates and shares without a unit are
        ratios. `docs/results-format.md` explains each.

        >>> results.summary()[["path.buffer", "path.buffer_bytes", "seed"]].values.tolist()
        [['0.5 bdp', 25000.0, 1], ['0.5 bdp', 25000.0, 2], ['2 bdp', 100000.0, 1], ['2 bdp', 100000.0, 2]]
        """
        return self._frame("runs")

    def flows(self) -> pd.DataFrame:
        """A row a flow of a run: the swept values, seed, name, cc, rates in bit/s, RTTs in seconds, and more.

        >>> (results.flows().groupby("name")["rtt_min_s"].min() >= 0.02).tolist()
        [True, True]
        """
        return self._frame("flows")

    def groups(self) -> pd.DataFrame:
        """A row a group of a run: the swept values, seed, name, goodput in bit/s, and its share of all groups'.

        `harm`, `harm_rtt` and `harm_fct` are what the other groups cost it in goodput, mean RTT and completion time, as
        shares (0.75: three quarters of what it has alone are lost; negative: they help it). They are NaN unless each
        group was measured alone, too: `dumbbell.run(..., harm=True)` or `dumbbell run SPEC --harm`.

        >>> results.groups()["name"].tolist()[:2]
        ['bbr', 'cubic']
        """
        return self._frame("groups")

    def hops(self) -> pd.DataFrame:
        """A row a queue of each run whose path has several: the swept values, seed, name, its counters and backlog.

        >>> results.hops().groupby("name")["utilization"].mean()  # doctest: +SKIP
        """
        return self._frame("hops")

    def series(self, run: SupportsIndex | str | None = None) -> pd.DataFrame:
        """The flows over time, every `sample`: seconds, bytes, bit/s; NaN where a gauge is not known.

        `run` is a run's index or id. Without one there are all of them, with their ids, seeds and swept values.

        >>> results.series(0).groupby("name")["cwnd_bytes"].max().gt(0).tolist()
        [True, True]

        Raises:
            StoreError: the run kept no series: `measure.record = "summary"`.
        """
        return self._series("flow_series", run)

    def queue(self, run: SupportsIndex | str | None = None) -> pd.DataFrame:
        """The bottleneck's queue over time, every `sample`: backlog in bytes and packets, and packets counted so far.

        `run` and what is raised are as for `series`.

        >>> bool(results.queue(0)["backlog_bytes"].max() <= 25_000)
        True
        """
        return self._series("queue_series", run)

    def hop_series(self, run: SupportsIndex | str | None = None) -> pd.DataFrame:
        """Every queue over time, by the hop's name, where the path has several; as `queue`."""
        return self._series("hop_series", run)

    def cliff(self, share: float = CLIFF_SHARE) -> pd.DataFrame:
        """A row a curve of a sweep over `path.loss`: up to which random loss the goodput of all flows holds.

        That is the largest loss, all smaller ones included, at which it is `share` of what the line carries, rate x
        (1 - loss). `cliff` is a share of the packets, by the means over seeds; `half_width` is of the 95 % interval
        over the seeds' own, NaN where one has none or all have the same; `n` is how many seeds have one.

        >>> results = dumbbell.run("examples/random-loss.toml")  # doctest: +SKIP
        >>> results.cliff()  # doctest: +SKIP
        """
        import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

        return pd.DataFrame([each.row("cliff") for each in cliffs(self._runs(), share)])

    def crossover(self) -> pd.DataFrame:
        """A row for each two groups and curve of a sweep: where a flow of `first` comes down to what `second`'s have.

        `crossover` is a number of `unit` on `axis` (where the spec writes the axis in one unit, else in base units), by
        the means over seeds and interpolated between points; NaN where they do not cross for good. `half_width` is of
        the 95 % interval over the seeds' own, NaN where one has none; `n` is how many seeds have one.

        >>> results = dumbbell.run("examples/two-flows.toml")  # doctest: +SKIP
        >>> results.crossover()  # doctest: +SKIP
        """
        import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

        return pd.DataFrame(crossovers(self._runs()))

    def time_below(self, rate: str | float, within: str = "1 s") -> pd.DataFrame:
        """A row a flow of a run: for how much of its part of the window it delivered less than a rate.

        `rate` is written as in a spec, or a number of bit/s; `within` is how long the bins are in which it is looked
        at. `below` is the share of the bins, `below_s` and `below_longest_s` how long they are in all and without a
        break; NaN of a flow that is not there for a whole bin.

        >>> results = dumbbell.run("examples/two-flows.toml")  # doctest: +SKIP
        >>> results.time_below("5 Mbit/s").groupby(["path.buffer", "name"])["below"].mean()  # doctest: +SKIP

        Raises:
            StoreError: the runs kept no series: `measure.record = "summary"`.
            ValueError: the rate or the time cannot be read.
        """
        rate_bps = Rate(rate).bps if isinstance(rate, str) else rate
        with Store.open(self.store) as store:
            within_s = Time(within).ns / NS_PER_S
            return time_below(store, self.summaries, rate_bps, within_s, self._campaign(store).spec)

    def transfers(self, run: SupportsIndex | str | None = None) -> pd.DataFrame:
        """The short transfers of sources (`workload = { arrivals = … }`): a row each, times in seconds.

        `fct_s` and `slowdown` are NaN of one that was not complete. `run` is as for `series`; without one there are
        those of all runs that have a source.

        >>> results.transfers().groupby("name")["slowdown"].quantile([0.5, 0.99])  # doctest: +SKIP

        Raises:
            StoreError: no flow of the run is a source of short transfers.
        """
        return self._series("transfers", run)

    def pages(self, run: SupportsIndex | str | None = None) -> pd.DataFrame:
        """The pages of clients (`workload = { pages = … }`): a row each, times in seconds.

        `load_s` is NaN of one that was not loaded by the client's end. `run` is as for `transfers`.

        >>> results.pages().groupby("name")["load_s"].quantile([0.5, 0.95])  # doctest: +SKIP

        Raises:
            StoreError: no flow of the run is a client that loads pages.
        """
        return self._series("pages", run)

    def _frame(self, table: frames.Table) -> pd.DataFrame:
        """Without the runs of other seeds that the store may have."""
        with Store.open(self.store) as store:
            frame: pd.DataFrame = getattr(store, table)(campaigns=[self.campaign])
        return frame[frame["run_id"].isin({outcome.run_id for outcome in self.outcomes})].reset_index(drop=True)

    def _series(self, kind: str, run: SupportsIndex | str | None) -> pd.DataFrame:
        with Store.open(self.store) as store:
            series: Callable[[str], pd.DataFrame] = getattr(store, kind)
            if run is not None:
                return series(run if isinstance(run, str) else self.outcomes[operator.index(run)].run_id)
            every = self.summaries
            if kind in {"transfers", "pages"}:  # a sweep may have other workloads, too
                every = [outcome for outcome in every if kind in store.kinds(outcome.run_id)]
            parts = ((outcome, series(outcome.run_id)) for outcome in every)
            return frames.together(parts, self._campaign(store).spec)

    def _runs(self) -> ExperimentRuns:
        with Store.open(self.store) as store:
            return campaign_runs(store, self._campaign(store), self.outcomes)

    def _campaign(self, store: Store) -> Campaign:
        return numbered(store.ledger, self.campaign)

    def __repr__(self) -> str:
        runs = self._runs()
        failed = f", {runs.failed} failed" if runs.failed else ""
        size = f"{counted(len(self), 'run')}{failed}, {counted(len(runs.points), 'point')}"
        return f"<Results of {runs.name} on {runs.engine}: {size}>"

    def _repr_html_(self) -> str:
        return html(self._runs())

    def __dir__(self) -> list[str]:
        return list(_OFFERED)

    def __len__(self) -> int:
        return len(self.outcomes)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Outcome, ...]: ...
    def __getitem__(self, index: int | slice) -> Outcome | tuple[Outcome, ...]:
        return self.outcomes[index]


def run(  # noqa: PLR0913 (the options of a campaign)
    spec: str | Path | Mapping[str, Any] | Experiment,
    engine: str = "sim",
    store: str | Path | None = None,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    harm: bool = False,
    programs: bool = False,
    until: Callable[[MeasuredPoint], bool] | None = None,
) -> Results:
    """Measures every run of an experiment and returns the outcomes in the order of expansion.

    `spec` is the path of a TOML file, its text, its words as a dictionary, or an `Experiment`. `jobs` runs go on at
    once; as many as the engine can on this machine if nothing is said.

    `store` is a folder that keeps every run: what it has is not run again, unless `fresh`. Without one the runs are
    kept in a temporary folder for as long as the results are in use.

    With `harm` each group is run alone, too, at the same points with the same seeds: `Results.groups()` has then what
    the others cost it.

    With `until` each point of the sweep has three seeds first and then more, one by one, until that function says of
    its runs that they are enough, or they have all seeds of the spec. `point.estimate("goodput", "bbr")` has `mean`,
    `half_width` (95 %) and `n` in base units, `point.swept` the swept values.

    With `programs` the engine starts those that the spec names; without it such a spec is refused, with a list of them.

    >>> results = dumbbell.run(spec)
    >>> results.answer()[:9]
    'BBR takes'

    Raises:
        ValueError: `jobs` is less than 1.
        SpecError: the spec has problems, the engine cannot honour it, or it names programs that nobody has allowed.
        UnknownEngine: there is no such engine in this version.
        KernelError: its kernel is not on this machine.
        StoreError: the store cannot be opened or written.
        EngineFailure: the first runs failed alike, as where a kernel cannot boot.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs: {jobs} is no number of runs at once; give 1 or more, or None")
    chosen = engine_named(engine)
    experiment = load(spec, registry=None if isinstance(spec, Experiment) else catalogue())
    problems = refusals(experiment, chosen)
    if not programs and experiment.names_programs:
        problems += [each.refusal() for each in planned_programs(experiment, chosen)]
    if problems:
        raise SpecError(problems)
    chosen.allows_programs = programs
    folder = Path(store if store is not None else tempfile.mkdtemp(prefix="dumbbell-"))
    try:
        with Store.open(folder, write=True) as opened:
            if until is None:
                outcomes = tuple(run_campaign(opened, experiment, chosen, jobs=jobs, fresh=fresh))
            else:

                def still_open(points: Points) -> list[set[int]]:
                    return [{nth for nth, point in enumerate(own) if not until(point)} for own in points]

                run_until(opened, [experiment], chosen, still_open, jobs=jobs)
                outcomes = tuple(stored_outcomes(opened, experiment, chosen))
            if harm and (alone := each_alone(experiment)):
                deque(run_campaign(opened, alone, chosen, jobs=jobs, fresh=fresh), maxlen=0)
            campaign = campaign_of(opened.ledger, experiment, chosen.name, chosen.identity())
        assert campaign is not None  # noqa: S101 (it was just carried out)
        results = Results(outcomes, folder, campaign)
    except BaseException:
        if store is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if store is None:
        weakref.finalize(results, shutil.rmtree, folder, ignore_errors=True)
    return results
