"""`python -m dev advised`: what advice says of one flow among fifty, against what real hosts measured there.

The points are those of the study `mishra2022` with one flow of an algorithm beside 49 of the other, which started first
there; the 50 flows of one algorithm that the same hosts measured say what the other choice would have had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pandas as pd
import typer

from dumbbell.advice.outcome import Outcome, Seeds, outcome
from dumbbell.advice.question import Job, question
from dumbbell.advice.runs import store_for
from dumbbell.advice.trials import Case, trials
from dumbbell.cli.progress import progress
from dumbbell.engines.catalogue import catalogue
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import amount, percent
from dumbbell.metrics.sharing import harm
from dumbbell.studies.manifest import folder_of
from dumbbell.tables.plain_text import text
from dumbbell.tables.table import Table
from dumbbell.tables.terminal import columns
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.outcome import Interval
    from dumbbell.engines.protocol import Engine

STUDY: Final = "mishra2022"
CCS: Final = ("bbr", "cubic")
FLOWS: Final = 50
RUN_S: Final = 120.0
"""Of which the hosts' goodput is the mean, from a flow's own start."""
LEAD_RTTS: Final = 2 * (FLOWS - 2)
"""By which the one started earlier there: see the study's README."""
SEEDS: Final = 4
"""Two with super-packets, two without."""
COST: Final = 0.05
"""What a recommendation may cost by the measured values, a share."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One flow among 49 of the other algorithm, which it started before, or one of 50 that run what the others do."""

    mine: str
    """The algorithm of the one."""
    outcomes: Mapping[str, Outcome]
    """Of its own algorithm, and of the others'."""
    measured_bps: Mapping[str, float]
    """What hosts have of both."""
    measured_harm: float | None
    """What BBR takes from 49 CUBIC flows, beyond what one more CUBIC does; None beside BBR."""

    @property
    def chosen(self) -> str | None:
        """What has more goodput; None where both are within one another's intervals."""
        of_each = {cc: own for cc, each in self.outcomes.items() if (own := each.goodput_bps)}
        best = max(of_each, key=lambda cc: of_each[cc].value)
        apart = [of_each[best].value - own.value for cc, own in of_each.items() if cc != best]
        return best if apart and min(apart) > max(own.half for own in of_each.values()) else None

    @property
    def cost(self) -> float:
        """What that leaves of the better choice, as the hosts measured both: a share; 0 where nothing is chosen."""
        return 1 - self.measured_bps[self.chosen] / max(self.measured_bps.values()) if self.chosen else 0.0

    @property
    def is_decided(self) -> bool:
        """The hosts' values differ by what matters."""
        return min(self.measured_bps.values()) < (1 - MATTERS) * max(self.measured_bps.values())

    def holds(self) -> Iterator[tuple[str, bool]]:
        """Of each quantity that was measured, whether the interval has it."""
        for cc, value in self.measured_bps.items():
            name = f"goodput of one {cc}, {'first' if cc == self.mine else 'as all others'}"
            yield name, _inside(self.outcomes[cc].goodput_bps, value)
        if self.measured_harm is not None:
            yield "harm of one bbr", _inside(self.outcomes["bbr"].harm, self.measured_harm)


def _inside(interval: Interval | None, value: float) -> bool:
    return interval is not None and interval.low <= value <= interval.high


def measured() -> Iterator[tuple[dict[str, str], str, dict[str, float], float | None]]:
    """For each path and each of both algorithms: the question's options, the algorithm, and what hosts measured."""
    shares, alone = _rows("shares.csv"), _rows("alone.csv")
    of_all = {cc: {_path(row): each for row in alone if (each := row[f"goodput.{cc} (of rate)"]) > 0} for cc in CCS}
    for row in shares:
        flows, path = int(row["flows[0].count"]), _path(row)
        if flows not in {1, FLOWS - 1} or not row["share.bbr (%)"] > 0 or not all(path in of_all[cc] for cc in CCS):
            continue
        mine, other = CCS if flows == 1 else CCS[::-1]
        rate_bps, share = 1e6 * path[0], row["share.bbr (%)"] / 100
        sum_bps, all_bps = row["note.sum"] * rate_bps, of_all[other][path] * rate_bps
        own_bps = (share if mine == "bbr" else 1 - share) * sum_bps
        taken = harm(all_bps * (FLOWS - 1) / FLOWS, sum_bps - own_bps) if mine == "bbr" else None
        options = {"rate": f"{path[0]:g}mbit", "rtt": f"{path[1]:g}ms", "buffer": f"{path[2]:g}bdp"}
        yield options | {"beside": f"{other}:{FLOWS - 1}"}, mine, {mine: own_bps, other: all_bps / FLOWS}, taken


def _rows(name: str) -> list[dict[str, float]]:
    """Of a table of the study; NaN where nothing was measured."""
    rows = pd.read_csv(str(folder_of(STUDY).joinpath(name)), comment="#").to_dict("records")
    return [{str(column): value for column, value in row.items()} for row in rows]


def _path(row: Mapping[str, float]) -> tuple[float, float, float]:
    """Mbit/s, ms and BDP."""
    return row["path.rate (Mbit/s)"], row["path.rtt (ms)"], row["path.buffer (bdp)"]


def answers() -> Iterator[Answered]:
    """What the simulator has of each, with intervals of hosts, by the starts that the hosts had."""
    engine, points = SimEngine(), list(measured())
    with progress(len(points), what="questions") as advance:
        for options, mine, measured_bps, taken in points:
            other = next(cc for cc in CCS if cc != mine)
            seeds = {mine: _seeds(options, mine, "first", engine), other: _seeds(options, other, "together", engine)}
            usual = seeds["cubic"] if mine == "bbr" else seeds[mine]
            yield Answered(mine, {cc: outcome(own, usual) for cc, own in seeds.items()}, measured_bps, taken)
            advance()


def _seeds(options: Mapping[str, str], cc: str, starts: str, engine: Engine) -> Seeds:
    """The runs of one flow of an algorithm beside the options' 49."""
    read = question({**options, "starts": starts, "intervals": "hosts"}, catalogue())
    endless = Job(kind="transfer", size_bytes=round(100 * RUN_S * read.rate_bps))  # so that the start counts
    about = replace(
        read, candidates=(cc,), job=endless, run_s=RUN_S, lead_s=LEAD_RTTS * read.rtt_ns / NS_PER_S, goal="goodput"
    )
    case = Case(cc, about.buffers_bytes[0], about.company[0])
    with store_for(about, engine) as store:
        runs = trials(about, engine, store, budget=0, undecided=lambda *_: [], seeds=SEEDS)
    return Seeds(about, case, runs[case])


def advised() -> None:
    """Hold advice against what real hosts measured: one flow among fifty, on the paths of `mishra2022`."""
    every = list(answers())
    inside_of: dict[str, list[bool]] = {}
    for each in every:
        for quantity, inside in each.holds():
            inside_of.setdefault(quantity, []).append(inside)
    rows = [[name, str(len(own)), f"{sum(own)} ({percent(sum(own) / len(own))})"] for name, own in inside_of.items()]
    flat = [inside for own in inside_of.values() for inside in own]
    rows.append(["all", str(len(flat)), f"{sum(flat)} ({percent(sum(flat) / len(flat))})"])
    typer.echo(text(Table.of(["quantity", "points", "inside the interval"], rows), columns()))
    decided = [each for each in every if each.is_decided]
    chosen = [each for each in decided if each.chosen]
    costs = ", ".join(amount(100 * each.cost, unit=" %") for each in chosen if each.cost > COST) or "none"
    typer.echo(
        f"Of {len(every)} questions the hosts decide {len(decided)}, and the simulator by intervals of hosts"
        f" {len(chosen)} of these. Recommendations that cost more than {percent(COST)}: {costs}."
    )
