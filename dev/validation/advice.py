"""Advice held against the kernel: questions about random paths, answered by one engine and carried out by another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from statistics import fmean
from typing import ClassVar, Final, Literal

from pydantic import Field

from dev.strata.conditions import Chance
from dumbbell.advice.advice import advice, undecided
from dumbbell.advice.outcome import MOST_HARM, Interval, Seeds, known
from dumbbell.advice.question import ALONE, CANDIDATES, ORDERS, Order, Question, neighbours
from dumbbell.advice.trials import QUANTITIES, Trials, experiment, points_of, trials
from dumbbell.advice.validated import stratum
from dumbbell.campaign.execution import run_experiments, stored_outcomes
from dumbbell.campaign.until import points_in
from dumbbell.comparison.agreement import versions
from dumbbell.comparison.record import Number, Part, Side
from dumbbell.engines.protocol import Engine
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

HARD: Final = (0.1, 0.6)
"""BDP of queue around the flip: every second path is drawn here."""
BUFFERS: Final = (0.1, 10.0)
"""BDP, of the others."""
RATES: Final = (5.0, 400.0)
"""Mbit/s: a minute of more takes the kernel long."""
RTTS: Final = (5.0, 200.0)
"""ms."""
NEIGHBOURS: Final = (1, 10)
NEIGHBOURS_RUN: Final = (None, None, "cubic", "cubic", "cubic", "bbr", "reno")
"""None: nobody is there."""
FIRST_SEED: Final = 101
"""Of the reference: none that an answer rests on, so that nothing is known of its chance."""


class PrintedValue(Part):
    """A value as the answer prints it."""

    value: Number
    low: Number
    high: Number

    @classmethod
    def of(cls, interval: Interval) -> PrintedValue:
        """As it stands in an outcome."""
        return cls(value=interval.value, low=interval.low, high=interval.high)


class Candidate(Part):
    """What a candidate comes to: as the answer says, and as the reference has it."""

    told: PrintedValue
    """Goodput in bit/s."""
    measured: tuple[Number, ...]
    """The same, a value a seed."""
    harm: PrintedValue | None
    """What it takes from the others beyond what the default does, a share."""
    others: tuple[Number, ...]
    """Of the reference: goodput of all others together, a value a seed."""

    @property
    def mean_bps(self) -> float:
        return fmean(self.measured)


class Answer(Part):
    """A question about one path and company, its answers, and what came of each candidate."""

    rate_bps: int
    rtt_s: Number
    buffer_bdp: Number
    hard: bool
    """Drawn around the flip."""
    beside: str | None
    """What the others run; null: nobody is there."""
    flows: int
    """How many others."""
    starts: Order = "together"
    """When the flow that is asked about starts."""
    stratum: str = ""
    """Of the validation, whose error its intervals have."""
    candidates: dict[str, Candidate]
    right: str
    """The candidate that `--for goodput` says is right."""
    verdict: Literal["no matter", "ahead", "open"]
    advised: str
    """What `--for goodput` advises."""
    balanced: str
    """What `--for balanced` advises."""
    balanced_harms: bool
    """It says of that one that it may harm the others too much."""
    seeds: int
    """That the answer rests on."""


class AdviceRecord(Part):
    """How often answers are right."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    versions: dict[str, str | None]
    candidate: Side
    reference: Side
    seed: int
    """Of the draw."""
    answers: tuple[Answer, ...]


class AdvicePart(Part):
    """Answers at random paths: how often their intervals hold, and what following them costs."""

    record_type: ClassVar = AdviceRecord

    name: str
    kind: Literal["advice"] = "advice"
    candidate: str
    reference: str
    paths: int
    seed: int
    """Of the draw."""
    seeds: int = 5
    """Of the reference."""

    @property
    def engines(self) -> tuple[str, ...]:
        """The reference first: it takes longer."""
        return self.reference, self.candidate

    def obstacle(self, engines: Sequence[Engine], records: object) -> str | None:
        """Why these engines cannot measure it."""
        del records
        names = {engine.name for engine in engines}
        missing = [name for name in self.engines if name not in names]
        return f"{self.name} is measured on {' and '.join(self.engines)}" if missing else None

    def total(self, engines: Sequence[Engine], records: object = None) -> int:
        """How many runs the reference has to give; the candidate's are not counted."""
        del engines, records
        return self.paths * len(CANDIDATES) * self.seeds

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None],
        records: object = None,
    ) -> tuple[AdviceRecord, list[str]]:  # fmt: skip
        """Runs what is missing on the reference, and answers every question of which no run failed."""
        del records
        by_name = {engine.name: engine for engine in engines}
        candidate, reference = by_name[self.candidate], by_name[self.reference]
        questions = list(drawn(self.paths, self.seed))
        experiments = [self._experiment(question) for question in questions]
        with closing(run_experiments(store, experiments, reference, jobs=jobs)) as finished:
            for _ in finished:
                progress()
        answers, failures = [], []
        for question, own in zip(questions, experiments, strict=True):
            (company,) = question.company
            runs = list(stored_outcomes(store, own, reference))
            if failed := [each.error for each in runs if each.status == "failed"]:
                failures.append(f"{own.name}: {failed[0]}")
            else:
                points = points_in(store, own, reference, QUANTITIES)
                measured = dict(zip(points_of(question, company), points, strict=True))
                answers.append(_answer(question, candidate, store, measured, jobs))
        record = AdviceRecord(
            versions=versions(), seed=self.seed, answers=tuple(answers),
            candidate=Side(engine=candidate.name, identity=candidate.identity(), seeds=(), measured_on={}),
            reference=Side(
                engine=reference.name, identity=reference.identity(), seeds=tuple(self._seeds()), measured_on={}
            ),
        )  # fmt: skip
        return record, failures

    def _seeds(self) -> list[int]:
        return list(range(FIRST_SEED, FIRST_SEED + self.seeds))

    def _experiment(self, question: Question) -> Experiment:
        """Both cases of a question as an experiment, with a name of its own."""
        (company,), (buffer_bytes,) = question.company, question.buffers_bytes
        name = f"advice-{question.rate_bps}-{question.rtt_ns}-{buffer_bytes}-{company.flows}-{company.cc or ''}"
        (order,) = question.starts
        own = experiment(question, company, order)
        return load(own, overrides={"name": name.rstrip("-"), "seeds": self._seeds()})


def drawn(paths: int, seed: int) -> Iterator[Question]:
    """Questions about paths, company and order of starts at random. Every second path is in the hard band."""
    for number in range(1, paths + 1):
        chance = Chance(f"advice {seed} {number}")
        rate_bps = round(chance.log_uniform("rate", *RATES) * 10) * 100_000
        rtt_ns = round(chance.log_uniform("rtt", *RTTS) * 10) * 100_000
        bdp_bytes = rate_bps * rtt_ns / NS_PER_S / BITS_PER_BYTE
        buffer = round(chance.log_uniform("buffer", *(HARD if number % 2 else BUFFERS)) * bdp_bytes)
        flows = math.floor(chance.log_uniform("neighbours", NEIGHBOURS[0], NEIGHBOURS[1] + 1))
        cc = NEIGHBOURS_RUN[chance.below("cc", len(NEIGHBOURS_RUN))]
        order = ORDERS[chance.below("starts", len(ORDERS))]
        yield Question(
            rate_bps=rate_bps, rtt_ns=rtt_ns, buffers_bytes=(max(6 * FRAME_BYTES, buffer),), known_buffer=True,
            company=(neighbours(cc, flows) if cc else ALONE,), goal="goodput", starts=(order,),
        )  # fmt: skip


def _answer(question: Question, engine: Engine, store: Store, measured: Trials, jobs: int | None) -> Answer:
    tried_cases = trials(question, engine, store, budget=math.inf, jobs=jobs, undecided=undecided)
    balanced = replace(question, goal="balanced")
    greedy, considerate = advice(question, tried_cases), advice(balanced, tried_cases)
    (place,), (kind,) = greedy.places, considerate.places
    (company,), (buffer_bytes,) = question.company, question.buffers_bytes
    candidates = {}
    for case, point in measured.items():
        outcome, seeds = place.of(case.candidate), Seeds(question, case, point)
        assert outcome.goodput_bps is not None  # noqa: S101 (bulk traffic has some)
        candidates[case.candidate] = Candidate(
            told=PrintedValue.of(outcome.goodput_bps), harm=PrintedValue.of(outcome.harm) if outcome.harm else None,
            measured=tuple(known(seeds.goodputs_bps()).tolist()),
            others=tuple(known(seeds.others_bps()).tolist()),
        )  # fmt: skip
    harm = kind.of(considerate.chosen).harm
    return Answer(
        rate_bps=question.rate_bps, rtt_s=question.rtt_ns / NS_PER_S, buffer_bdp=question.buffer_bdp(buffer_bytes),
        hard=HARD[0] <= question.buffer_bdp(buffer_bytes) <= HARD[1], beside=company.cc, flows=company.flows,
        starts=question.starts[0], stratum=stratum(question, buffer_bytes, company),
        candidates=candidates, right=place.best, verdict=place.verdict, advised=greedy.chosen,
        balanced=considerate.chosen, balanced_harms=harm is not None and harm.high > MOST_HARM, seeds=greedy.seeds[1],
    )  # fmt: skip
