"""The runs behind advice: each candidate at each queue in each company, with more seeds where they do not decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dumbbell.campaign.until import run_until
from dumbbell.errors import EngineFailure
from dumbbell.spec import Experiment, load
from dumbbell.spec.quantity import Rate, Share, Time
from dumbbell.spec.run import FRAME_BYTES
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.question import Company, Question
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
MOST_SEEDS: Final = 9
LONGEST_S, SHORTEST_S = 60.0, 12.0
"""Of a run of traffic without an end. The shortest has one PROBE_RTT of BBR in its window."""
ROUND_TRIPS: Final = 150
"""That a run has at least, where it is not the longest."""
SHORT_ANSWER_S, LONG_ANSWER_S = 4.0, 12.0
OTHER_PACKETS: Final = 1e7
"""What an engine that is no simulator carries in about a minute: as long as it may look for an answer."""
SHORT_ANSWER_BPS: Final = 200_000_000
"""Up to which rate an answer is a short one."""
WARM_UP: Final = 1 / 3
"""Share of a run before its window, where the job is to go on."""
PACKETS_A_SECOND: Final = 5e6
"""That a core simulates, roughly."""
CORES: Final = 2
"""Of a small machine: how long runs are depends on no larger one's."""
TIME_LIMIT_S: Final = 600.0
"""Of a transfer that is run in full."""
REQUESTS: Final = 60
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
) -> Trials:  # fmt: skip
    """Runs every case with the first seeds, and then those that do not decide yet with more, within a budget.

    The budget is of packets, those of runs that the store has among them: the answer is the same on every machine, and
    the same when it is asked for again. With `seeds` every case has so many. `progress` is called for each run.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    own = [load(experiment(question, each), overrides={"seeds": seeds or MOST_SEEDS}) for each in question.company]

    def came_of(points: Points) -> Trials:
        for error in chain.from_iterable(point.errors.values() for point in chain(*points)):
            raise EngineFailure(error, engine.name)
        return dict(zip(cases(question), chain(*points), strict=True))

    def still_open(points: Points) -> list[set[int]]:
        measured = came_of(points)
        pending = () if seeds else undecided(question, measured)
        of_companies = (points_of(question, company) for company in question.company)
        return [{nth for nth, case in enumerate(each) if case in pending} for each in of_companies]

    return came_of(run_until(
        store, own, engine, still_open, first=seeds or FIRST_SEEDS, budget=budget, names=QUANTITIES, jobs=jobs,
        progress=progress,
    ))  # fmt: skip


def cases(question: Question) -> Iterator[Case]:
    """Everything to try, company by company."""
    return chain.from_iterable(points_of(question, company) for company in question.company)


def points_of(question: Question, company: Company) -> list[Case]:
    """What is tried in some company, as its experiment has the points: the shortest queue first."""
    return [Case(candidate, buffer, company) for buffer in question.buffers_bytes for candidate in question.tried]


def given_s(question: Question) -> float:
    """How long the simulator may look for an answer on a small machine: more packets take longer."""
    return SHORT_ANSWER_S if question.rate_bps <= SHORT_ANSWER_BPS else LONG_ANSWER_S


def packets_in(seconds: float) -> float:
    """What the simulator carries in so many seconds on a small machine, roughly."""
    return CORES * PACKETS_A_SECOND * seconds


def duration_s(question: Question) -> float:
    """How long runs of traffic without an end are: the same on every machine, so that answers are.

    As long as the first seeds of all cases are no more packets than a small machine simulates in a few seconds.
    """
    if question.run_s:
        return question.run_s
    packets_a_second = question.rate_bps / BITS_PER_BYTE / FRAME_BYTES
    different = len({case.run for case in cases(question)})
    fits = CORES * PACKETS_A_SECOND * given_s(question) / (different * FIRST_SEEDS * packets_a_second)
    least = max(SHORTEST_S, ROUND_TRIPS * question.rtt_ns / NS_PER_S)
    return min(max(fits, least), max(LONGEST_S, least))


def experiment(question: Question, company: Company) -> Experiment:
    """What is tried in some company: every queue with every candidate, as lists of one spec."""
    buffers, tried = [f"{each} B" for each in question.buffers_bytes], list(question.tried)
    own, lasting = _job(question)
    flows: list[dict[str, Any]] = [{"name": ME, "cc": _one_or_all(tried), **own}]
    spec: dict[str, Any] = {
        "name": f"advice {company.name}", "start_jitter": Time.show(min(question.rtt_ns * 10, NS_PER_S)),
        "path": {
            "rate": Rate.show(question.rate_bps), "rtt": Time.show(question.rtt_ns), "buffer": _one_or_all(buffers),
        },
        "flows": flows, "host": {"socket_memory": "max"}, "measure": {"record": "summary"},
    }  # fmt: skip
    if company.flows:
        flows.append({"name": OTHERS, "cc": company.cc or _one_or_all(tried), "count": company.flows})
        if company.cc is None:
            spec["zip"] = [["flows[0].cc", "flows[1].cc"]]
    if question.loss_ppb:
        spec["path"]["loss"] = Share.show(question.loss_ppb)
    return load(spec | lasting)


def _one_or_all(values: list[str]) -> str | list[str]:
    return values if len(values) > 1 else values[0]


def _job(question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of the flow that is asked about, and of its spec: what it carries, how long, and what is measured."""
    job, size = question.job, f"{question.job.size_bytes} B"
    if question.full_transfer:
        return {"workload": {"transfer": size}}, {"duration": "until done", "time_limit": _time(TIME_LIMIT_S)}
    if job.kind == "requests":
        arrivals = {"load": REQUESTS_LOAD, "count": REQUESTS}
        return {"workload": {"arrivals": arrivals, "size": size}}, {"duration": _time(requests_s(question))}
    run_s = duration_s(question)
    begin_s = 0.0 if job.kind == "transfer" else run_s * WARM_UP  # a file's start-up counts
    measure = {"record": "summary", "window": [_time(begin_s), _time(run_s)]}
    stream = {"workload": {"stream": Rate.show(job.rate_bps), "for": "3600 s", "every": STREAM_EVERY}}
    return stream if job.kind == "stream" else {}, {"duration": _time(run_s), "measure": measure}


def _time(seconds: float) -> str:
    """As a spec has it, to a millisecond."""
    return Time.show(round(round(seconds, 3) * NS_PER_S))


def requests_s(question: Question) -> float:
    """How long a run of requests is: until the last request has arrived and is answered, with room."""
    arriving_s = REQUESTS * BITS_PER_BYTE * question.job.size_bytes / (REQUESTS_LOAD * question.rate_bps)
    return min(120.0, 1.5 * arriving_s + 50 * question.rtt_ns / NS_PER_S + 5)
