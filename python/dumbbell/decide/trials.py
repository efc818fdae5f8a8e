"""The runs behind advice: each candidate at each queue in each company, with more seeds where they do not decide."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from dumbbell.campaign.execution import execute
from dumbbell.campaign.plan import Planned
from dumbbell.decide.question import FRAME_BYTES
from dumbbell.engines.cores import available_cores
from dumbbell.metrics.catalogue import group_values
from dumbbell.spec import expand, load, resolve
from dumbbell.spec.quantity import Rate, Share, Time
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.decide.question import Company, Question
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.schema import Result

    Undecided = Callable[[Question, Mapping["Case", "Tried"]], Sequence["Case"]]
    """Which cases need more seeds."""

ME, OTHERS = "you", "others"
FIRST_SEEDS: Final = 3
MOST_SEEDS: Final = 9
LONGEST_S, SHORTEST_S = 60.0, 12.0
"""Of a run of traffic without an end. The shortest has one PROBE_RTT of BBR in its window."""
ROUND_TRIPS: Final = 150
"""That a run has at least, where it is not the longest."""
SHORT_ANSWER_S, LONG_ANSWER_S = 4.0, 12.0
OTHER_ANSWER_S: Final = 60.0
SHORT_ANSWER_BPS: Final = 200_000_000
"""Up to which rate an answer is a short one."""
WARM_UP: Final = 1 / 3
"""Share of a run before its window, where the job is to go on."""
PACKETS_A_SECOND: Final = 5e6
"""That a core simulates, roughly."""
CORES: Final = 2
"""Of a small machine: how long runs are depends on no larger one's."""
SHORT_TRANSFER_S: Final = 8.0
"""A transfer that takes no longer on the idle line is carried out whole; a longer one is told from its goodput."""
TIME_LIMIT_S: Final = 600.0
"""Of a transfer that is carried out whole."""
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


@dataclass(slots=True)
class Tried:
    """What came of a case: a value a seed, of the flow that is asked about and of all others together.

    None stands where a run has no such value, so that the nth one is always of the nth seed.
    """

    seeds: list[int] = field(default_factory=list)
    mine: dict[str, list[float | None]] = field(default_factory=dict)
    others: dict[str, list[float | None]] = field(default_factory=dict)
    run_s: float = 0.0
    """How long its runs were, where their traffic has no end."""

    def add(self, result: Result) -> None:
        self.seeds.append(result.seed)
        values = group_values(result, QUANTITIES)
        for name, own in ((ME, self.mine), (OTHERS, self.others)):
            for quantity, value in values.get(name, {}).items():
                own.setdefault(quantity, []).append(value)


def trials(  # noqa: PLR0913 (what, with what, and how much of it)
    question: Question, engine: Engine, *, seconds: float, jobs: int | None = None, undecided: Undecided,
    seeds: int | None = None, run_s: float | None = None, progress: Callable[[], None] = lambda: None,
) -> dict[Case, Tried]:  # fmt: skip
    """Runs every case with the first seeds, and then those that do not decide yet with more, while time is left.

    With `seeds` every case has so many, and the answer is the same on every machine. `run_s` is how long runs of
    traffic without an end are; without it as `duration_s` says. `progress` is called for each run.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    cores = jobs or available_cores()
    run_s = run_s or duration_s(question)
    began, runs = time.monotonic(), _Runs(question, engine, run_s)
    shared = {case.run: Tried(run_s=run_s) for case in cases(question)}
    case_trials = {case: shared[case.run] for case in cases(question)}
    with ThreadPoolExecutor(cores) as pool:
        pending: Iterable[Case] = case_trials
        for seed in range(1, (seeds or MOST_SEEDS) + 1):
            once = list({case.run: case for case in pending}.values())
            for case, result in zip(once, pool.map(partial(runs.of, seed), once), strict=True):
                case_trials[case].add(result)
                progress()
            if seeds is None and seed >= FIRST_SEEDS:
                spent = time.monotonic() - began
                pending = undecided(question, case_trials)
                if not pending or spent * (seed + 1) / seed > seconds:
                    break
    return case_trials


def cases(question: Question) -> Iterator[Case]:
    """Everything to try, the shortest queue first."""
    for buffer_bytes in question.buffers_bytes:
        for company in question.company:
            for candidate in question.tried:
                yield Case(candidate, buffer_bytes, company)


def given_s(question: Question) -> float:
    """How long the simulator may look for an answer: more packets take longer."""
    return SHORT_ANSWER_S if question.rate_bps <= SHORT_ANSWER_BPS else LONG_ANSWER_S


def time_for(question: Question, engine: str) -> float:
    """How long an engine may look for an answer, in seconds: those that are no simulator a minute."""
    return given_s(question) if engine == "sim" else OTHER_ANSWER_S


def duration_s(question: Question) -> float:
    """How long runs of traffic without an end are: the same on every machine, so that answers are.

    As long as the first seeds of all cases are no more packets than a small machine simulates in a few seconds.
    """
    packets_a_second = question.rate_bps / BITS_PER_BYTE / FRAME_BYTES
    different = len({case.run for case in cases(question)})
    fits = CORES * PACKETS_A_SECOND * given_s(question) / (different * FIRST_SEEDS * packets_a_second)
    least = max(SHORTEST_S, ROUND_TRIPS * question.rtt_ns / NS_PER_S)
    return min(max(fits, least), max(LONGEST_S, least))


class _Runs:
    """Makes runs of cases."""

    def __init__(self, question: Question, engine: Engine, seconds: float) -> None:
        self.question, self.engine, self.seconds = question, engine, seconds
        self.identity = engine.identity()

    def of(self, seed: int, case: Case) -> Result:
        (point,) = expand(load(spec_fields(self.question, case, self.seconds)))
        planned = Planned(point.values, resolve(point, seed, live=self.engine.live))
        outcome, _ = execute(planned, self.engine, self.identity)
        if outcome.status == "failed":
            from dumbbell.errors import EngineFailure  # noqa: PLC0415 (seldom)

            raise EngineFailure(outcome.error, self.engine.name)
        return outcome


def spec_fields(question: Question, case: Case, seconds: float) -> dict[str, Any]:
    flows: list[dict[str, Any]] = [{"name": ME, "cc": case.candidate, **_workload(question)}]
    if case.company.flows:
        neighbours_cc = case.company.neighbours_cc(case.candidate)
        flows.append({"name": OTHERS, "cc": neighbours_cc, "count": case.company.flows})
    spec: dict[str, Any] = {
        "name": "advice", "start_jitter": Time.show(min(question.rtt_ns * 10, NS_PER_S)),
        "path": {
            "rate": Rate.show(question.rate_bps), "rtt": Time.show(question.rtt_ns), "buffer": f"{case.buffer_bytes} B",
        },
        "flows": flows, "host": {"socket_memory": "max"}, "measure": {"record": "summary"},
    }  # fmt: skip
    if question.loss_ppb:
        spec["path"]["loss"] = Share.show(question.loss_ppb)
    if question.job.kind == "transfer" and runs_full_transfer(question):
        return spec | {"duration": "until done", "time_limit": _time(TIME_LIMIT_S)}
    if question.job.kind == "requests":
        return spec | {"duration": _time(requests_s(question))}
    begin_s = 0.0 if question.job.kind == "transfer" else seconds * WARM_UP  # a file's start-up counts
    window = {"window": [_time(begin_s), _time(seconds)]}
    return spec | {"duration": _time(seconds), "measure": spec["measure"] | window}


def _time(seconds: float) -> str:
    """As a spec has it, to a millisecond."""
    return Time.show(round(round(seconds, 3) * NS_PER_S))


def runs_full_transfer(question: Question) -> bool:
    """It is short enough to be carried out from its first byte to its last."""
    return BITS_PER_BYTE * question.job.size_bytes / question.rate_bps <= SHORT_TRANSFER_S


def _workload(question: Question) -> Mapping[str, Any]:
    job = question.job
    if job.kind == "transfer" and runs_full_transfer(question):
        return {"workload": {"transfer": f"{job.size_bytes} B"}}
    if job.kind == "requests":
        return {"workload": {"arrivals": {"load": REQUESTS_LOAD, "count": REQUESTS}, "size": f"{job.size_bytes} B"}}
    if job.kind == "stream":
        return {"workload": {"stream": Rate.show(job.rate_bps), "for": "3600 s", "every": STREAM_EVERY}}
    return {}


def requests_s(question: Question) -> float:
    """How long a run of requests is: until the last request has arrived and is answered, with room."""
    arriving_s = REQUESTS * BITS_PER_BYTE * question.job.size_bytes / (REQUESTS_LOAD * question.rate_bps)
    return min(120.0, 1.5 * arriving_s + 50 * question.rtt_ns / NS_PER_S + 5)
