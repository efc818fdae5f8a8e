"""The runs behind advice: each candidate at each queue in each company, with more seeds where they do not decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from dumbbell.campaign.until import run_until
from dumbbell.errors import EngineFailure
from dumbbell.spec import Experiment, load
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.spec.link import link
from dumbbell.spec.quantity import Rate, Share, Time
from dumbbell.spec.queue import FIFO
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.question import Company, Order, Question
    from dumbbell.campaign.until import Points
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.measured import MeasuredPoint
    from dumbbell.results.store import Store


Trials: TypeAlias = "Mapping[Case, MeasuredPoint]"
"""What came of each case, before its question reads it as `outcome.Seeds`."""
Undecided: TypeAlias = "Callable[[Question, Trials], Collection[Case]]"
"""Which cases need more seeds."""
ME, OTHERS = "you", "others"
FIRST_SEEDS: Final = 3
"""Of every case, one for each order of starts where that is not given."""
MOST_SEEDS: Final = 9
LEAD_S: Final = 5.0
"""How much earlier those start that are there first: their slow start is over, and they have what the line carries."""
LEAD_ROUND_TRIPS: Final = 30
"""The same, at least."""
FIRST_SHARE: Final = 0.7
"""Of the budget, that the first seeds have; what they leave open has the rest."""
LONGEST_S, SHORTEST_S = 60.0, 12.0
"""Of a run of traffic without an end. The shortest has one PROBE_RTT of BBR in its window."""
ROUND_TRIPS: Final = 150
"""That a run has at least, where it is not the longest."""
SHORT_ANSWER_S, LONG_ANSWER_S = 2.4, 10.5
OTHER_PACKETS: Final = 1e7
"""What an engine that is no simulator carries in about a minute: as long as it may look for an answer."""
SHORT_ANSWER_BPS: Final = 200_000_000
"""Up to which rate an answer is a short one."""
WORK: Final = {"stream": 2.0, "requests": 1.3}
"""How many times as long a packet takes where each piece or answer is timed."""
WARM_UP: Final = 1 / 3
"""Share of a run before its window, where the job is to go on."""
PACKETS_A_SECOND: Final = 5e6
"""That a core simulates, roughly."""
CORES: Final = 2
"""Of a small machine: how long runs are depends on no larger one's."""
MERGED_BDP: Final = 0.5
"""Up to which queue super-packets change what an algorithm gets."""
BACK_BUFFER: Final = "250 ms"
"""Queue before a way back of which only the rate is known: the rule of thumb for a router's line (Wischik
and McKeown, "Part I: Buffer sizes for core routers", CCR 2005)."""
STEP_S: Final = 5.0
"""How long a line has each of the rates that it has in turns."""
MOST_STEPS: Final = 100
TIME_LIMIT_S: Final = 600.0
"""Of a transfer that is run in full."""
REQUESTS: Final = 32
REQUESTS_LOAD: Final = 0.2
"""Part of the line that requests offer together."""
STREAM_EVERY: Final = "40 ms"
QUANTITIES: Final = ("goodput", "rtt", "rtt_p95", "retransmits", "fct", "fct_p95", "late_p95", "second_half")


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to try: a candidate before a queue in company."""

    candidate: str
    buffer_bytes: int
    company: Company

    @property
    def run(self) -> tuple[str, int, int, str]:
        """What is run: the same for ten others that switch to the default, and for ten that have it."""
        neighbours_cc = self.company.neighbours_cc(self.candidate) if self.company.flows else ""
        return self.candidate, self.buffer_bytes, self.company.flows, neighbours_cc


def trials(  # noqa: PLR0913 (what, with what, and how much of it)
    question: Question, engine: Engine, store: Store, *, budget: float, jobs: int | None = None, undecided: Undecided,
    seeds: int | None = None, progress: Callable[[], None] = lambda: None,
    so_far: Callable[[Trials], None] | None = None,
) -> Trials:  # fmt: skip
    """Runs every case with the first seeds, and then those that do not decide yet with more, within a budget.

    The budget is of packets, those of runs that the store has among them: the answer is the same on every machine, and
    the same when it is asked for again. With `seeds` every case has so many. `progress` is called for each run,
    `so_far` with what the first seed came to.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    strands = [each for company in question.company for each in _strands(question, company, seeds or MOST_SEEDS)]
    own = [
        load(experiment(question, each.company, each.order, merged=each.merged), overrides={"seeds": each.seeds})
        for each in strands
    ]

    def came_of(points: Points) -> Trials:
        for error in chain.from_iterable(point.errors.values() for point in chain(*points)):
            raise EngineFailure(error, engine.name)
        measured: dict[Case, MeasuredPoint] = {}
        for strand, some in zip(strands, points, strict=True):
            for case, point in zip(
                points_of(question, strand.company), some, strict=False
            ):  # none before its first seed
                measured[case] = measured[case].joined(point) if case in measured else point
        return measured

    def still_open(points: Points) -> list[set[int]]:
        pending = () if seeds else undecided(question, came_of(points))
        of_companies = (points_of(question, each.company) for each in strands)
        return [{nth for nth, case in enumerate(each) if case in pending} for each in of_companies]

    return came_of(run_until(
        store, own, engine, still_open, first=seeds or FIRST_SEEDS, budget=budget, names=QUANTITIES, jobs=jobs,
        progress=progress, so_far=so_far and (lambda points: so_far(came_of(points))),
        work=WORK.get(question.job.kind, 1.0),
    ))  # fmt: skip


class _Strand(NamedTuple):
    """Seeds of a company's cases that have the same starts and the same frames: an experiment."""

    company: Company
    order: Order
    merged: bool
    seeds: list[int]


def _strands(question: Question, company: Company, seeds: int) -> list[_Strand]:
    strands: dict[tuple[Order, bool], _Strand] = {}
    for seed in range(1, seeds + 1):
        order: Order = question.order(seed) if company.flows else "together"
        merged = question.merges(seed)
        strands.setdefault((order, merged), _Strand(company, order, merged, [])).seeds.append(seed)
    return list(strands.values())


def cases(question: Question) -> Iterator[Case]:
    """Everything to try, company by company."""
    return chain.from_iterable(points_of(question, company) for company in question.company)


def points_of(question: Question, company: Company) -> list[Case]:
    """What is tried in some company, as its experiment has the points: the shortest queue first."""
    return [Case(candidate, buffer, company) for buffer in question.buffers_bytes for candidate in question.tried]


def given_s(question: Question) -> float:
    """How long the simulator's packets may take for an answer on a small machine: more of them take longer."""
    given = SHORT_ANSWER_S if question.rate_bps <= SHORT_ANSWER_BPS else LONG_ANSWER_S
    return given / WORK.get(question.job.kind, 1.0)


def packets_in(seconds: float) -> float:
    """What the simulator carries in so many seconds on a small machine, roughly."""
    return CORES * PACKETS_A_SECOND * seconds


def duration_s(question: Question) -> float:
    """How long the flow that is asked about runs, of traffic without an end: the same on every machine.

    As long as the first seeds of all cases are no more packets than a small machine carries in their part of the time.
    """
    if question.run_s:
        return question.run_s
    least = max(SHORTEST_S, ROUND_TRIPS * question.rtt_ns / NS_PER_S)
    lines_s = packets_in(FIRST_SHARE * given_s(question)) / packets_a_second(question)
    leads = [_lead_s(question, case, seed) for case in different(question) for seed in range(1, FIRST_SEEDS + 1)]
    return min(max((lines_s - sum(leads)) / len(leads), least), max(LONGEST_S, least))


def first_runs(question: Question, seeds: int | None = None) -> int:
    """How many runs the first seeds of all cases are."""
    return (seeds or FIRST_SEEDS) * len(different(question))


def packets_a_second(question: Question) -> float:
    """That the line carries."""
    return question.rate_bps / BITS_PER_BYTE / FRAME_BYTES


def different(question: Question) -> list[Case]:
    """The cases of which no two are the same runs."""
    return list({case.run: case for case in cases(question)}.values())


def _lead_s(question: Question, case: Case, seed: int) -> float:
    """How long a run of a case is before all are there."""
    return 0.0 if not case.company.flows or question.order(seed) == "together" else lead_s(question)


def lead_s(question: Question) -> float:
    """How much earlier those start that are there first."""
    return question.lead_s or max(LEAD_S, LEAD_ROUND_TRIPS * question.rtt_ns / NS_PER_S)


def experiment(question: Question, company: Company, order: Order, *, merged: bool = False) -> Experiment:
    """What is tried in some company: every queue with every candidate, as lists of one spec.

    `merged`: senders hand super-packets to the line, before queues in which that matters.
    """
    counts = question.counts_packets
    buffers = [f"{each // FRAME_BYTES} packets" if counts else f"{each} B" for each in question.buffers_bytes]
    tried = list(question.tried)
    ahead_s = lead_s(question) if company.flows and order != "together" else 0.0
    mine_s, theirs_s = (ahead_s, 0.0) if order == "joins" else (0.0, ahead_s)
    own, lasting = _job(question, company, mine_s, theirs_s)
    flows: list[dict[str, Any]] = [{"name": ME, "cc": _one_or_all(tried), "start": _time(mine_s), **own}]
    name = f"advice {company.name}"
    spec: dict[str, Any] = {
        "name": f"{name}, {order}" if company.flows and len(question.starts) > 1 else name,
        "start_jitter": Time.show(min(question.rtt_ns * 10, NS_PER_S)),
        "path": {**_line(question), "buffer": _one_or_all(buffers)},
        "flows": flows, "host": {"socket_memory": "max" if question.intervals == "linux" else "default"},
        "measure": {"record": "summary"},
    }  # fmt: skip
    if company.flows:
        others = {"cc": company.cc or _one_or_all(tried), "count": company.flows, "start": _time(theirs_s)}
        flows.append({"name": OTHERS, **others})
        if company.cc is None:
            spec["zip"] = [["flows[0].cc", "flows[1].cc"]]
    if merged:
        offload = [question.buffer_bdp(each) <= MERGED_BDP for each in question.buffers_bytes]
        spec["name"] += ", super-packets"
        spec["path"]["offload"] = offload if len(offload) > 1 else offload[0]
        spec["zip"] = [*spec.get("zip", ()), *([["path.buffer", "path.offload"]] if len(offload) > 1 else [])]
    if question.steps_bps:
        spec["path"] |= _in_turns(question.steps_bps, ahead_s + _longest_s(question))
    return load(spec | lasting)


def _line(question: Question) -> dict[str, Any]:
    """Fields of the path but for its buffer. What a link gives is left to it: its changes leave what is written."""
    fields: dict[str, Any] = {"rate": Rate.show(question.rate_bps), "rtt": Time.show(question.rtt_ns)}
    of_link = {key.path for key in link(question.link).keys} if question.link else set()
    if question.qdisc != FIFO.kind or "qdisc" in of_link:
        fields["qdisc"] = question.qdisc
    if question.loss_ppb:
        fields["loss"] = Share.show(question.loss_ppb)
    if question.link:
        given = dict(question.of_link)
        fields = {"link": question.link, **{name: value for name, value in fields.items() if name not in given}}
    if question.back_bps:
        buffer = {} if "back.buffer" in of_link else {"buffer": BACK_BUFFER}
        fields["back"] = {"rate": Rate.show(question.back_bps), **buffer}
    return fields


def _in_turns(rates_bps: Sequence[int], until_s: float) -> dict[str, Any]:
    """Fields of a path that has each of some rates for `STEP_S`, over and over."""
    steps = range(1, min(MOST_STEPS, ceil(until_s / STEP_S)))
    changes = [{"at": _time(nth * STEP_S), "rate": Rate.show(rates_bps[nth % len(rates_bps)])} for nth in steps]
    return {"rate": Rate.show(rates_bps[0]), "change": changes}


def _longest_s(question: Question) -> float:
    """How long the flow that is asked about runs at most."""
    if question.full_transfer:
        return TIME_LIMIT_S
    return requests_s(question) if question.job.kind == "requests" else duration_s(question)


def _one_or_all(values: list[str]) -> str | list[str]:
    return values if len(values) > 1 else values[0]


def _job(question: Question, company: Company, mine_s: float, theirs_s: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of the flow that is asked about, and of its spec: what it carries, how long, and what is measured.

    It starts after `mine_s`, and the others after `theirs_s`.
    """
    job, size, last_s = question.job, f"{question.job.size_bytes} B", max(mine_s, theirs_s)
    if question.full_transfer:
        limit = _time(mine_s + time_limit_s(question, company))
        return {"workload": {"transfer": size}}, {"duration": "until done", "time_limit": limit}
    if job.kind == "requests":
        arrivals = {"load": REQUESTS_LOAD, "count": REQUESTS}
        limit = _time(last_s + requests_s(question))
        return {"workload": {"arrivals": arrivals, "size": size}}, {"duration": "until done", "time_limit": limit}
    run_s = duration_s(question)
    # a file's start-up counts; what goes on is measured when all others are there, too
    begin_s, end_s = (mine_s, mine_s + run_s) if job.kind == "transfer" else (last_s + run_s * WARM_UP, last_s + run_s)
    measure = {"record": "summary", "window": [_time(begin_s), _time(end_s)]}
    # not longer than it is looked at: each piece that it would write is timed
    stream = {"workload": {"stream": Rate.show(job.rate_bps), "for": _time(end_s), "every": STREAM_EVERY}}
    return stream if job.kind == "stream" else {}, {"duration": _time(end_s), "measure": measure}


def time_limit_s(question: Question, company: Company) -> float:
    """Of a transfer that is run in full: what is not done by then counts as done then.

    Beside others, who keep the line busy meanwhile, it is ten times what a fair share takes.
    """
    if not company.flows:
        return TIME_LIMIT_S
    fair_s = BITS_PER_BYTE * question.job.size_bytes * (1 + company.flows) / question.rate_bps
    return min(TIME_LIMIT_S, max(LONGEST_S, 10 * fair_s))


def _time(seconds: float) -> str:
    """As a spec has it, to a millisecond."""
    return Time.show(round(round(seconds, 3) * NS_PER_S))


def requests_s(question: Question) -> float:
    """How long a run of requests is at most: until the last request has arrived and is answered, with room."""
    arriving_s = REQUESTS * BITS_PER_BYTE * question.job.size_bytes / (REQUESTS_LOAD * question.rate_bps)
    return min(120.0, 1.5 * arriving_s + 50 * question.rtt_ns / NS_PER_S + 5)
