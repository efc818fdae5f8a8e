"""`Results.plot`: the charts of an experiment's page in a notebook, and as files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from dumbbell.charts.chart import Chart
from dumbbell.charts.notebook import Shown, show
from dumbbell.errors import DumbbellError
from dumbbell.experiment.charts import samples
from dumbbell.experiment.charts.ellipse import ellipses
from dumbbell.experiment.charts.layout import Sweep
from dumbbell.experiment.charts.sweep import completion, over, shares, throughput_delay
from dumbbell.experiment.charts.time import in_time, most_different, rtt_distribution, state
from dumbbell.experiment.charts.transfer import transfers
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.problem import quoted, suggestion
from dumbbell.results.store import Store


@dataclass(frozen=True, slots=True)
class Plot:
    """The charts of an experiment: each is displayed as a cell's last line, and `.save("shares.pdf")` keeps it.

    >>> results = dumbbell.run("examples/two-flows.toml")  # doctest: +SKIP
    >>> results.plot.shares()  # doctest: +SKIP
    >>> results.plot.throughput_delay().save("delay.svg")  # doctest: +SKIP
    """

    runs: ExperimentRuns
    store: Path
    """The folder that keeps them."""

    def shares(self) -> Shown:
        """What each group takes over the sweep, with the line of what is fair; of one group its goodput.

        >>> results.plot.shares()  # doctest: +SKIP

        Raises:
            DumbbellError: there is one number only, or none.
        """
        return _shown(shares(self._sweep), "there is no sweep and one group of flows: its goodput is one number")

    def throughput_delay(self) -> Shown:
        """Goodput of each group against its mean RTT, with 95 % intervals in both directions.

        >>> results.plot.throughput_delay()  # doctest: +SKIP

        Raises:
            DumbbellError: no run was measured.
        """
        return _shown(throughput_delay(self._sweep), "no run has a goodput and an RTT")

    def completion(self) -> Shown:
        """How long transfers took over the sweep.

        >>> results.plot.completion()  # doctest: +SKIP

        Raises:
            DumbbellError: no group of flows has an end.
        """
        return _shown(completion(self._sweep), 'nothing completes: a group needs workload = { transfer = "10 MB" }')

    def transfers(self) -> Shown:
        """Completion time against size of a source's transfers, or its distribution where all have one size.

        >>> results.plot.transfers()  # doctest: +SKIP

        Raises:
            DumbbellError: no group of flows is a source of transfers.
        """
        with Store.open(self.store) as store:
            return _shown(transfers(store, self._sweep), "no group has workload = { arrivals = … }")

    def rtt(self, *, points: Collection[int] | None = None, seeds: Collection[int] | None = None) -> Shown:
        """How the RTTs of each group are distributed within the window; `points` and `seeds` are as for `series`.

        >>> results.plot.rtt(seeds=[1, 2, 3])  # doctest: +SKIP

        Raises:
            StoreError: the series are damaged.
            DumbbellError: the runs kept no series.
        """
        run_samples = self._read(points, seeds)
        return _shown(rtt_distribution(self.runs, run_samples.runs), run_samples.note or "no run has samples of an RTT")

    def ellipses(self, *, points: Collection[int] | None = None, seeds: Collection[int] | None = None) -> Shown:
        """Goodput against queueing delay of each group at each point, as RFC 7928 draws them: median and ellipse.

        >>> results.plot.ellipses()  # doctest: +SKIP

        Raises:
            StoreError: the series are damaged.
            DumbbellError: the runs kept no series.
        """
        run_samples = self._read(points, seeds)
        return _shown(ellipses(self.runs, run_samples.runs), run_samples.note or "no run has goodput and RTTs in time")

    def series(self, *, points: Collection[int] | None = None, seeds: Collection[int] | None = None) -> Shown:
        """Throughput, cwnd, inflight, RTT and queue over time: up to four runs laid over one another.

        `points` are indices into the points of the sweep, in the order of its expansion, and `seeds` the seeds that
        count. Without them there are the two points that differ most.

        >>> results.plot.series(points=[0, 2], seeds=[1])  # doctest: +SKIP

        Raises:
            StoreError: the series are damaged.
            DumbbellError: the runs kept no series.
        """
        chosen, note = self._chosen(points, seeds)
        return _shown(in_time(self.runs, chosen) if chosen else None, note or "there is no such run")

    def state(self, *, points: Collection[int] | None = None, seeds: Collection[int] | None = None) -> Shown:
        """The state of each algorithm over time: bounds, estimates, gains; `points` and `seeds` are as for `series`.

        >>> results.plot.state(points=[0], seeds=[1])  # doctest: +SKIP

        Raises:
            StoreError: the series are damaged.
            DumbbellError: the runs kept no series.
        """
        chosen, note = self._chosen(points, seeds)
        return _shown(state(self.runs, chosen), note or "no algorithm of these runs shows its state")

    def quantity(self, name: str) -> Shown:
        """Any quantity of the catalogue over the sweep, by its name, such as "rtt_p95" or "retransmits".

        >>> results.plot.quantity("retransmits")  # doctest: +SKIP

        Raises:
            DumbbellError: there is no such quantity, or the runs have none.
        """
        if name not in list(QUANTITIES):
            raise DumbbellError(f"no quantity {quoted(name)}; {suggestion(name, list(QUANTITIES))}")
        quantity = QUANTITIES[name]
        title = quantity.label[0].upper() + quantity.label[1:]
        return _shown(over(self._sweep, name, quantity, title), f"the runs have no {quantity.label}")

    @property
    def _sweep(self) -> Sweep:
        return Sweep.of(self.runs)

    def _chosen(
        self, points: Collection[int] | None, seeds: Collection[int] | None
    ) -> tuple[Sequence[samples.Sampled], str]:
        run_samples = self._read(points, seeds)
        is_open = points is None and seeds is None
        return most_different(self.runs, run_samples.runs) if is_open else run_samples.runs, run_samples.note

    def _read(self, points: Collection[int] | None, seeds: Collection[int] | None) -> samples.Samples:
        with Store.open(self.store) as store:
            return samples.read(store, self.runs, points=points, seeds=seeds)


def _shown(chart: Chart | None, why: str) -> Shown:
    if chart is None:
        raise DumbbellError(f"nothing to draw: {why}")
    return show(chart)
