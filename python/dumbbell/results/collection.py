"""The outcomes of an experiment, in the order of its expansion, and as pandas frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from dumbbell.results import frames
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Results(Sequence[Result | FailedRun]):
    """What `dumbbell.run` gives: every outcome, and apart from each other what was measured and what failed.

    >>> results = dumbbell.run("examples/two-flows.toml")  # doctest: +SKIP
    >>> results.flows().groupby(["path.buffer", "name"])["goodput_bps"].mean()  # doctest: +SKIP
    """

    outcomes: tuple[Result | FailedRun, ...]
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

    def summary(self) -> pd.DataFrame:
        """A row a run: the swept values, seed, status, `bottleneck.*`, jain, window, wall_s, warnings, error.

        Columns that end in `_s` are seconds, in `_bps` bit/s, in `_bytes` bytes; rates and shares without a unit are
        ratios. `docs/results-format.md` explains each.
        """
        with Store.open(self.store) as store:
            return self._own(store.runs(campaigns=[self.campaign]))

    def flows(self) -> pd.DataFrame:
        """A row a flow of a run: the swept values, seed, name, cc, rates in bit/s, RTTs in seconds, and more."""
        with Store.open(self.store) as store:
            return self._own(store.flows(campaigns=[self.campaign]))

    def groups(self) -> pd.DataFrame:
        """A row a group of a run: the swept values, seed, name, goodput in bit/s, and its share of all groups'."""
        with Store.open(self.store) as store:
            return self._own(store.groups(campaigns=[self.campaign]))

    def series(self, run: int | str | None = None) -> pd.DataFrame:
        """The flows over time, every `sample`: seconds, bytes, bit/s; NaN where a gauge is not known.

        `run` is a run's index or id. Without one there are all of them, with their ids, seeds and swept values.

        Raises:
            StoreError: the run kept no series: `measure.record = "summary"`.
        """
        with Store.open(self.store) as store:
            return self._of_runs(store.flow_series, run)

    def queue(self, run: int | str | None = None) -> pd.DataFrame:
        """The bottleneck's queue over time, every `sample`: backlog in bytes and packets, and packets counted so far.

        `run` is as for `series`.

        Raises:
            StoreError: the run kept no series: `measure.record = "summary"`.
        """
        with Store.open(self.store) as store:
            return self._of_runs(store.queue_series, run)

    def _own(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Without the runs of other seeds that the store may have."""
        return frame[frame["run_id"].isin({outcome.run_id for outcome in self.outcomes})].reset_index(drop=True)

    def _of_runs(self, series: Callable[[str], pd.DataFrame], run: int | str | None) -> pd.DataFrame:
        if run is not None:
            return series(self.outcomes[run].run_id if isinstance(run, int) else run)
        return frames.together((outcome, series(outcome.run_id)) for outcome in self.summaries)

    def __len__(self) -> int:
        return len(self.outcomes)

    @overload
    def __getitem__(self, index: int) -> Result | FailedRun: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result | FailedRun, ...]: ...
    def __getitem__(self, index: int | slice) -> Result | FailedRun | tuple[Result | FailedRun, ...]:
        return self.outcomes[index]
