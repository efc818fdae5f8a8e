"""What an experiment must be to have curves, told before it is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.agreement.observation import base_rtt_s
from dumbbell.spec import Problem, expand, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.spec import Experiment, Run

NANOSECONDS = 1_000_000_000
"""In a second."""


def problems(experiments: Sequence[Experiment]) -> list[Problem]:
    """What is in the way of curves, each once, with its path."""
    found = (
        problem
        for experiment in experiments
        for point in expand(experiment)
        for problem in _of(resolve(point, experiment.seed_values[0]).run)
    )
    return list(dict.fromkeys(found))


def _of(run: Run) -> Iterator[Problem]:
    if len(run.flows) != 1:
        yield Problem("flows", f"curves are those of a single flow; there are {len(run.flows)}")
    if run.measure.record == "summary":
        yield Problem("measure.record", '"summary" keeps no series to make curves of', 'write "series"')
    sample_s, rtt_s = run.measure.sample_ns / NANOSECONDS, min(map(base_rtt_s, run.flows))
    if sample_s > rtt_s:  # BBR probes for bandwidth during one RTT
        told = f"a curve needs a sample in each base RTT, {1e3 * rtt_s:g} ms"
        yield Problem("measure.sample", f"{1e3 * sample_s:g} ms is too long: {told}")
