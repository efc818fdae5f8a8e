"""Phase effects in real time: two CUBIC flows of nearly one RTT on this machine's kernel, beside virtual engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.resources import files
from statistics import fmean
from typing import Any, ClassVar, Final, Literal

from pydantic import Field
from typing_extensions import override

from dev.table import TomlTable
from dev.validation.separate import SeparatePart
from dumbbell.campaign.execution import run_campaign
from dumbbell.campaign.plan import count
from dumbbell.comparison.agreement import suspects, versions
from dumbbell.comparison.campaigns import side_of
from dumbbell.comparison.record import Number, Part, Side, Suspect
from dumbbell.engines.protocol import Engine
from dumbbell.hosts.noise import MachineNoise, Watching, machine_noise
from dumbbell.results.schema import Outcome, Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, expand, load, resolve
from dumbbell.units import BITS_PER_BYTE

SPEC: Final = "phases.toml"
SWEPT: Final = "flows[1].rtt"
LONGER: Final = "far"
"""The flow whose RTT is swept."""


class PhasesRun(Part):
    """What one run came to."""

    rtt: str
    """Of the longer flow, as the spec has it."""
    seed: int
    share: Number
    """Of the goodput of both flows, that the longer one has."""


class PhasesSide(Part):
    """An engine, and its runs."""

    side: Side
    runs: tuple[PhasesRun, ...]
    suspects: tuple[Suspect, ...] = ()
    """Runs in real time that something disturbed; the others of such an engine are valid."""

    def shares(self, rtt: str) -> list[float]:
        """The longer flow's, a value a seed."""
        return [each.share for each in self.runs if each.rtt == rtt]

    def mean(self, rtt: str) -> float | None:
        """Over the seeds; None: there are none."""
        shares = self.shares(rtt)
        return fmean(shares) if shares else None


class PhasesRecord(Part):
    """Who has how much, by the RTT of the longer flow."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    versions: dict[str, str | None]
    spec: dict[str, Any]
    """What all engines were asked for, but for the seeds."""
    packet_s: Number
    """What a full packet takes on the line: phases are parts of it."""
    sides: tuple[PhasesSide, ...]
    noise: MachineNoise | None
    """Of the machine whose kernel was measured in real time; null: none was, or it tells nothing of it."""

    @property
    def rtts(self) -> tuple[str, ...]:
        """Of the longer flow, in the order of the spec."""
        return tuple(dict.fromkeys(run.rtt for each in self.sides for run in each.runs))

    def of(self, engine: str) -> PhasesSide | None:
        return next((each for each in self.sides if each.side.engine == engine), None)


class PhasesSeeds(TomlTable):
    """An engine, and how many seeds it has: each takes a live engine as long as it lasts."""

    engine: str
    seeds: int


class PhasesPart(SeparatePart):
    """Two flows of nearly one RTT on engines in real and in virtual time, and the real one's noise."""

    record_type: ClassVar = PhasesRecord

    kind: Literal["phases"] = "phases"
    sides: tuple[PhasesSeeds, ...]
    instead: dict[str, Any] = Field(default_factory=dict)
    """What the spec has in the place of its own fields, by their path."""

    @property
    @override
    def engines(self) -> tuple[str, ...]:
        return tuple(side.engine for side in self.sides)

    def total(self, engines: Sequence[Engine], records: object = None) -> int:
        """How many runs these engines have to give."""
        del records
        return sum(count(self.experiment_on(engine.name)) for engine in engines)

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None],
        records: Callable[[str], object | None] = lambda _: None,
    ) -> tuple[PhasesRecord, list[str]]:  # fmt: skip
        """Runs what is missing on these engines, one after another; the others' runs of the same spec stay.

        Raises:
            EngineFailure: the first runs on an engine failed alike.
        """
        spec, earlier = self._spec(), records(self.name)
        known = earlier if isinstance(earlier, PhasesRecord) and earlier.spec == spec else None
        noise = known.noise if known else None
        by_engine = {each.side.engine: each for each in known.sides} if known else {}
        failed: list[str] = []
        for engine in engines:
            if engine.live and isinstance(engine, Watching):
                noise = machine_noise(engine)
            experiment, abreast = self.experiment_on(engine.name), None if engine.live else jobs
            with closing(run_campaign(store, experiment, engine, jobs=abreast, progress=progress)) as outcomes:
                every: list[Outcome] = list(outcomes)
            failed += [f"{each.run_id}: {each.error}" for each in every if each.status == "failed"]
            results = [each for each in every if isinstance(each, Result)]
            by_engine[engine.name] = PhasesSide(
                side=side_of(store, engine, experiment.seed_values, [each.run_id for each in results]),
                runs=tuple(_run(each) for each in results), suspects=tuple(suspects(results)),
            )  # fmt: skip
        sides = tuple(by_engine[name] for name in self.engines if name in by_engine)
        record = PhasesRecord(versions=versions(), spec=spec, packet_s=self._packet_s(), sides=sides, noise=noise)
        return record, failed

    def experiment_on(self, engine: str) -> Experiment:
        (seeds,) = (side.seeds for side in self.sides if side.engine == engine)
        return load(self._experiment(), overrides={"seeds": seeds})

    def _experiment(self) -> Experiment:
        text = files("dev.validation").joinpath(SPEC).read_text(encoding="utf-8")
        return load(text, overrides={"name": self.name, **self.instead})

    def _spec(self) -> dict[str, Any]:
        return {key: value for key, value in self._experiment().fields().items() if key != "seeds"}

    def _packet_s(self) -> float:
        path = resolve(next(iter(expand(self._experiment()))), 1).run.path
        return path.frame_bytes * BITS_PER_BYTE / path.rate_bps


def _run(result: Result) -> PhasesRun:
    share = result.groups[LONGER].share
    return PhasesRun(rtt=str(result.point[SWEPT]), seed=result.seed, share=0.0 if share is None else share)
