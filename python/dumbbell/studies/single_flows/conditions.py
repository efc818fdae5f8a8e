"""The conditions, one algorithm on one path each, and what any other experiment needs to have curves."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from dumbbell.spec import Experiment, Problem, expand, load, resolve
from dumbbell.spec.quantity import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.spec import Run

LOSS_BASED: Final = ("reno", "cubic")
"""Algorithms with loss epochs; all others are variants of BBR."""


def experiments() -> Iterator[Experiment]:
    """Every condition, by algorithm, then by path."""
    for name in ("loss_based", "bbr"):
        spec = load(files("dumbbell.studies.single_flows").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
        by_cc: dict[str, list[Experiment]] = {}
        for point in expand(spec):
            members = by_cc.setdefault(str(point.values["flows[0].cc"]), [])
            words = {key: value for key, value in point.experiment.words().items() if key != "zip"}
            words["name"] = f"{spec.name}-{point.values['flows[0].cc']}-{len(members) + 1}"
            members.append(Experiment(**words))
        for members in by_cc.values():
            yield from members


def problems(experiments: Sequence[Experiment]) -> list[Problem]:
    """What keeps experiments from having curves, each problem once, with its path."""
    return list(dict.fromkeys(
        problem
        for experiment in experiments
        for point in expand(experiment)
        for problem in _problems_of(resolve(point, experiment.seed_values[0]).run)
    ))  # fmt: skip


def _problems_of(run: Run) -> Iterator[Problem]:
    if len(run.flows) != 1:
        yield Problem("flows", f"curves are those of a single flow; there are {len(run.flows)}")
    if run.measure.record == "summary":
        yield Problem("measure.record", '"summary" keeps no series to make curves of', 'write "series"')
    sample_s, rtt_s = run.measure.sample_ns / NS_PER_S, min(flow.base_rtt_s for flow in run.flows)
    if sample_s > rtt_s:  # BBR probes for bandwidth during one RTT
        needed = f"a curve needs a sample in each base RTT, {1e3 * rtt_s:g} ms"
        yield Problem("measure.sample", f"{1e3 * sample_s:g} ms is too long: {needed}")
