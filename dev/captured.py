"""`python -m dev captured`: what a capture of a real kernel's run says, made an experiment, and that one simulated.

The analysis has nothing but a file of packets, in a folder of its own: neither the spec nor the store.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer

from dev.strata.conditions import Chance
from dumbbell.campaign.execution import run_campaign, run_experiments, stored_outcomes
from dumbbell.captures.analysis import Sink, analyse
from dumbbell.captures.experiment import NoExperimentError, spec
from dumbbell.cli.option import Jobs
from dumbbell.cli.progress import progress
from dumbbell.engines.registry import engine as engine_named
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.metrics.number import percent, trimmed
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load
from dumbbell.spec.quantity import Rate, Time
from dumbbell.tables.plain_text import text
from dumbbell.tables.table import Table
from dumbbell.tables.terminal import columns

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine

CCS: Final = ("bbr", "cubic", "reno", "vegas")
SILENT: Final = "cannot_tell"
RUN_S: Final = 40
LAST_START_S: Final = 5
"""So that each flow has 35 s and more."""
RATE_MBPS: Final = (2.0, 100.0)
RTT_MS: Final = (5.0, 200.0)
BUFFER_BDP: Final = (0.25, 8.0)
LOSS: Final = (0.01, 0.5)
"""%, in half of the runs."""
CROSS_LOAD: Final = (0.02, 0.2)
"""Of short transfers, in half of the runs: of the line, that they offer."""
CROSS_SIZE_S: Final = (0.05, 0.5)
"""How long the line alone takes for the median one."""
FEWEST_BYTES: Final = 6 * 1514
HALF: Final = 0.5
LONG: Final = "long-"
SHIFT: Final = 1_000_000
NAME_AND_SOURCE: Final = r'name = "(flow-\d+)"\s+# (\S+) >'
"""Of a flow in a spec of a capture."""
ALL, REPEATED = "all goodput", ", repeated"
BARS: Final = {"rate": 0.02, "base RTT": 0.01, ALL: 0.1, ALL + REPEATED: 0.1, "goodput": 0.1, "goodput" + REPEATED: 0.1}
"""Repeated: of the same run once more on what was captured, with another seed, which no experiment can be nearer to."""


@dataclass(frozen=True, slots=True)
class Error:
    """Of what a capture says of a run, or of a flow of it: how far off it is."""

    of: str
    """Which quantity."""
    alone: bool
    """The run has one long flow, and nothing beside it."""
    value: float | None
    """A share of what is true; None: the capture does not say it."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What a flow runs, and what its capture says that it does."""

    true: str
    said: str


def experiment(number: int, seed: int) -> Experiment:
    """A random run of one to four long flows; half of the runs have short transfers beside them."""
    chance = Chance(f"captured {seed} {number}")
    rate_mbps, rtt_ms = chance.log_uniform("rate", *RATE_MBPS), chance.log_uniform("rtt", *RTT_MS)
    buffer_bytes = max(FEWEST_BYTES, chance.log_uniform("buffer", *BUFFER_BDP) * rate_mbps * rtt_ms * 125)
    path = {"rate": f"{rate_mbps:.4g} Mbit/s", "rtt": f"{rtt_ms:.4g} ms", "buffer": f"{buffer_bytes:.0f} B"}
    if chance.share("lossless") >= HALF:
        path["loss"] = f"{chance.log_uniform('loss', *LOSS):.3g} %"
    flows: list[dict[str, Any]] = [
        {
            "name": f"{LONG}{index}",
            "cc": CCS[chance.below(f"algorithm {index}", len(CCS))],
            "start": f"{LAST_START_S * chance.share(f'start {index}') if index else 0:.2f} s",
        }
        for index in range(1 + chance.below("flows", 4))
    ]
    if chance.share("cross") >= HALF:
        median_bytes = 125e3 * rate_mbps * chance.log_uniform("size", *CROSS_SIZE_S)
        workload = {
            "arrivals": {"load": round(chance.log_uniform("load", *CROSS_LOAD), 3)},
            "size": {"lognormal": {"median": f"{median_bytes:.0f} B", "sigma": 0.5}},
        }
        flows.append({"name": "cross", "cc": "cubic", "workload": workload})
    return Experiment(
        name=f"captured-{seed}-{number}", duration=f"{RUN_S} s", path=path, flows=flows, seeds=[number],
        measure={"window": ["0 s", f"{RUN_S} s"], "record": ["summary", "pcap"]},
    )  # fmt: skip


def repeated(truth: Experiment) -> Experiment:
    """The same with another seed, and not captured."""
    seeds = [seed + SHIFT for seed in truth.seed_values]
    return load(truth, overrides={"name": f"{truth.name}-repeated", "seeds": seeds, "measure.record": "summary"})


def judged(truth: Experiment, store: Store, engine: Engine) -> Iterator[Error | Naming]:
    """Holds a run that is in a store against what its capture says of it."""
    outcome, once_more = (measured(store, each, engine) for each in (truth, repeated(truth)))
    with TemporaryDirectory() as folder:
        capture = Path(folder) / "trace"
        copyfile(store.capture(outcome.run_id, "senders"), capture)
        analysis = analyse(capture, Sink())
        try:
            again = spec(analysis, f"{truth.name}-again", "dumbbell pcap")
        except NoExperimentError:
            again = None
    fields = truth.fields()
    facts, path = store.provenance(outcome.run_id)["measured_on"], analysis.report.paths[0]
    assert isinstance(facts, dict)  # noqa: S101 (they are a table)
    alone = len(fields["flows"]) == 1
    error = partial(Error, alone=alone)
    yield error("rate", value=_off(path.rate_bps.value if path else None, Rate(fields["path"]["rate"]).bps))
    by_source = {str(flow.source): flow for flow in analysis.flows}
    long = {each.flow: each for each in outcome.flows if each.name.startswith(LONG)}
    sources = {index: str(facts[f"flows[{index}].sender"]) for index in long}
    for index, own in long.items():
        flow = by_source[sources[index]].sent
        rtt_ns = flow.flow.base_rtt_ns.value if flow.flow else None
        yield error("base RTT", value=_off(rtt_ns, Time(fields["path"]["rtt"]).ns))
        yield Naming(own.cc, flow.algorithm.algorithm if flow.algorithm else SILENT)
    names = {source: name for name, source in re.findall(NAME_AND_SOURCE, again or "")}
    simulated = _goodputs(again, store, engine) if again else {}
    true = [own.goodput_bps for own in long.values()]
    of_again = [simulated.get(names.get(source, "")) for source in sources.values()]
    for which, goodputs in (("", of_again), (REPEATED, [once_more.flows[index].goodput_bps for index in long])):
        for one, other in zip(goodputs, true, strict=True):
            yield error("goodput" + which, value=_off(one, other))
        yield error(ALL + which, value=_off(sum(each or 0 for each in goodputs), sum(each or 0 for each in true)))


def measured(store: Store, truth: Experiment, engine: Engine) -> Result:
    """The only run of an experiment, which is in a store."""
    (outcome,) = stored_outcomes(store, truth, engine)
    if not isinstance(outcome, Result):
        raise EngineFailure(f"{truth.name}: {outcome.error}")
    return outcome


def _off(value: float | None, true: float | None) -> float | None:
    return None if value is None or not true else value / true - 1


def _goodputs(again: str, store: Store, engine: Engine) -> dict[str, float]:
    """Of a spec's flows, on the simulator, or on the other engine where the simulator has not their algorithm."""
    truth = load(again, overrides={"measure.window": ["0 %", "100 %"], "measure.record": "summary"})
    simulator = SimEngine()
    lacks = any(flow["cc"] not in simulator.algorithms() for flow in truth.fields()["flows"])
    able = engine if lacks else simulator
    with closing(run_campaign(store, truth, able)) as outcomes:
        list(outcomes)
    outcome = measured(store, truth, able)
    return {flow.name: flow.goodput_bps for flow in outcome.flows if flow.goodput_bps is not None}


def confusion(namings: Sequence[Naming]) -> Table:
    """How many flows of each algorithm were said to run which."""
    counts = Counter(namings)
    rows = [[true, *(str(counts[Naming(true, said)]) for said in (*CCS, SILENT))] for true in CCS]
    return Table.of(["runs", *CCS, "cannot tell"], rows)


def within(errors: Sequence[Error]) -> Table:
    """Of each quantity how far off it is, of flows alone and of others."""
    rows = []
    for of, bar in BARS.items():
        for alone, which in ((True, "one flow"), (False, "others")):
            own = [each.value for each in errors if (each.of, each.alone) == (of, alone)]
            sizes = np.abs([value for value in own if value is not None])
            sums = [*np.quantile(sizes, (0.5, 0.95)), np.mean(sizes <= bar)] if len(sizes) else [None] * 3
            median, most, inside = (percent(None if each is None else float(each)) for each in sums)
            counts = (str(len(sizes)), str(len(own) - len(sizes)))
            rows.append([of, which, *counts, median, most, f"{inside} in {trimmed(100 * bar, ' %')}"])
    return Table.of(["quantity", "of", "said", "not", "median error", "95 %", "within"], rows)


def captured(  # noqa: PLR0913 (each is an option)
    *,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, help="How many runs.")] = 100,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the draw.")] = 1,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help="What is captured.")] = "linux",
    out: Annotated[Path, typer.Option("--out", metavar="STORE", help="Where runs are kept.")] = Path("out/captured"),
    each: Annotated[bool, typer.Option("--each", help="Print every run, too.")] = False,
    jobs: Jobs = None,
) -> None:
    """Capture random runs, make an experiment of each capture alone, and simulate that.

    The same command goes on where it stopped.
    """
    source = engine_named(engine)
    experiments = [experiment(number, seed) for number in range(1, runs + 1)]
    every = [*experiments, *map(repeated, experiments)]
    judgements: list[Error | Naming] = []
    with Store.open(out, write=True) as store:
        with progress(len(every)) as advance, closing(run_experiments(store, every, source, jobs=jobs)) as finished:
            for _ in finished:
                advance()
        with progress(runs, what="captures") as advance:
            for truth in experiments:
                own = list(judged(truth, store, source))
                judgements += own
                if each:
                    typer.echo(f"{truth.name}: {truth.fields()['path']} {own}")
                advance()
    namings = [each for each in judgements if isinstance(each, Naming)]
    said = [each for each in namings if each.said != SILENT]
    for table in (confusion(namings), within([each for each in judgements if isinstance(each, Error)])):
        typer.echo(text(table, columns()))
    right = sum(each.true == each.said for each in said)
    typer.echo(
        f"Right in {percent(right / max(1, len(said)))} of {len(said)} flows where it says one;"
        f" cannot tell {percent(1 - len(said) / max(1, len(namings)))} of {len(namings)}."
    )
