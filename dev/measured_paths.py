"""`python -m dev measured_paths`: random paths of namespaces, each measured by two agents as if they were real ones.

The samples of each path are kept, so that the same command goes on where it stopped, and judges them again.
"""

from __future__ import annotations

import json
import secrets
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, Literal

import msgspec
import typer

from dev.namespaces import built_network
from dev.strata.conditions import Chance
from dumbbell.captures.connection import CapturedNumber
from dumbbell.cli.progress import progress
from dumbbell.engines import agent
from dumbbell.engines.hosts.answer import AgentAnswer, reply
from dumbbell.engines.hosts.path import MOST_BYTES
from dumbbell.engines.hosts.path_estimate import estimated
from dumbbell.engines.hosts.path_samples import PathSamples
from dumbbell.errors import EngineFailure
from dumbbell.metrics.number import percent
from dumbbell.spec import Experiment, expand, resolve
from dumbbell.spec.quantity import Bytes, Quantity, Rate, Time
from dumbbell.spec.run import Run
from dumbbell.tables.plain_text import text
from dumbbell.tables.table import Cell, Table, TextCell
from dumbbell.tables.terminal import columns

RATE_MBPS: Final = (2.0, 200.0)
RTT_MS: Final = (5.0, 150.0)
BUFFER_BDP: Final = (0.5, 4.0)
FEWEST_BYTES: Final = 6 * 1514
BARS: Final = {"rate": 0.02, "base RTT": 0.01, "queue": 0.15}
LOAD_MS: Final = 10_000
DIGITS: Final = 4
Verdict = Literal["within", "interval", "WRONG"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A quantity of a path, and what was measured of it."""

    of: str
    kind: type[Quantity]
    true: float
    measured: CapturedNumber

    @property
    def off(self) -> float | None:
        """A share of what is true."""
        return None if self.measured.value is None else self.measured.value / self.true - 1

    @property
    def is_covered(self) -> bool:
        """The interval has what is true."""
        low, high = self.measured.low, self.measured.high
        return low is not None and low <= self.true and (high is None or self.true <= high)

    @property
    def verdict(self) -> Verdict:
        """Within its bar, or the interval has it, or neither."""
        if self.off is not None and abs(self.off) <= BARS[self.of]:
            return "within"
        return "interval" if self.is_covered else "WRONG"

    def cells(self) -> list[Cell]:
        """For a table's row."""
        low, high = (
            None if end is None else self.kind.show(end, DIGITS) for end in (self.measured.low, self.measured.high)
        )
        value = None if self.measured.value is None else TextCell(self.kind.show(self.measured.value, DIGITS))
        interval = TextCell(f"{low or '?'} to {high or '?'}")
        true = TextCell(self.kind.show(self.true, DIGITS))
        return [self.of, true, value or "not known", interval, percent(self.off, signed=True), self.verdict]


def path_of(number: int, seed: int) -> Run:
    """A random path, with a flow that is never started."""
    chance = Chance(f"measured path {seed} {number}")
    rate_mbps, rtt_ms = chance.log_uniform("rate", *RATE_MBPS), chance.log_uniform("rtt", *RTT_MS)
    buffer_bytes = max(FEWEST_BYTES, chance.log_uniform("buffer", *BUFFER_BDP) * rate_mbps * rtt_ms * 125)
    path = {"rate": f"{rate_mbps:.4g} Mbit/s", "rtt": f"{rtt_ms:.4g} ms", "buffer": f"{buffer_bytes:.0f} B"}
    experiment = Experiment(duration="10 s", path=path, flows=[{"cc": "reno"}])
    return resolve(next(iter(expand(experiment))), 1).run


def sampled(run: Run) -> PathSamples:
    """What two agents say of a path, one at each end.

    Raises:
        EngineFailure: it cannot be built, or an agent fails.
    """
    token = secrets.randbits(63)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="dumbbell-path-")))
        enter = stack.enter_context(built_network(run, folder))
        there, here = (stack.enter_context(_agent(enter[host])) for host in ("receiver", "sender"))
        sender, receiver = (_address(enter[host]) for host in ("sender", "receiver"))
        ports = _answer_of(there, {"reflect": {"address": receiver, "token": token, "seconds": 60}}).reflect
        request = {
            "address": sender, "to": receiver, "ports": msgspec.to_builtins(ports), "token": token, "load_ms": LOAD_MS,
            "most_bytes": MOST_BYTES,
        }  # fmt: skip
        samples = _answer_of(here, {"path": request}).path
        assert samples is not None  # noqa: S101 (an agent of this build answers what it was asked)
        return samples


@contextmanager
def _agent(enter: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    command = [*enter, str(agent.path()), "serve"]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:  # noqa: S603 (a list of arguments)
        yield process


def _answer_of(process: subprocess.Popen[bytes], request: dict[str, Any]) -> AgentAnswer:
    assert process.stdin is not None  # noqa: S101 (each was asked for)
    assert process.stdout is not None  # noqa: S101
    process.stdin.write(json.dumps({"id": 1, "request": request}).encode() + b"\n")
    process.stdin.flush()
    answer = reply(process.stdout.readline())
    if answer is None or answer.answer is None:
        raise EngineFailure(f"the agent: {answer.error if answer else 'no answer'}")
    return answer.answer


def _address(enter: list[str]) -> str:
    """The host's own, beside that of its loopback."""
    command = [*enter, "ip", "-j", "-4", "address"]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603 (a list of arguments)
    every = [address["local"] for link in json.loads(done.stdout) for address in link["addr_info"]]
    return next(str(each) for each in every if not each.startswith("127."))


def judged(run: Run, samples: PathSamples) -> list[Judged]:
    """What was measured of a path, beside what is true."""
    measured = estimated(samples)
    if measured is None:
        raise EngineFailure("no echo came back")
    buffer_bytes = run.path.buffer.bytes
    assert buffer_bytes is not None  # noqa: S101 (`path_of` gives bytes)
    return [
        Judged("rate", Rate, run.path.rate_bps, measured.rate_bps),
        Judged("base RTT", Time, run.flows[0].base_rtt_ns, measured.rtt_ns),
        Judged("queue", Bytes, buffer_bytes, measured.queue_bytes),
    ]


def measured_paths(
    *,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the draw.")] = 1,
    paths: Annotated[int, typer.Option("--paths", metavar="N", min=1, help="How many.")] = 30,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where samples are kept.")] = Path("out/paths"),
) -> None:
    """Measure random paths of namespaces as `dumbbell measure-path` does, and compare with what they are.

    A path takes 15 s. It needs root, and a machine that does nothing else. The same command goes on where it stopped.
    """
    out.mkdir(parents=True, exist_ok=True)
    rows: list[list[Cell]] = []
    verdicts: Counter[tuple[str, str]] = Counter()
    covered: Counter[str] = Counter()
    with progress(paths, what="paths") as advance:
        for number in range(1, paths + 1):
            run, file = path_of(number, seed), out / f"{seed}-{number}.json"
            if not file.exists():
                file.write_bytes(msgspec.json.encode(sampled(run)))
            for each in judged(run, msgspec.json.decode(file.read_bytes(), type=PathSamples)):
                rows.append([number, *each.cells()])
                verdicts[each.of, each.verdict] += 1
                covered[each.of] += each.is_covered
            advance()
    typer.echo(text(Table.of(["path", "of it", "is", "measured", "interval", "off", "verdict"], rows), columns()))
    for of, bar in BARS.items():
        within, interval, wrong = (verdicts[of, each] for each in ("within", "interval", "WRONG"))
        typer.echo(
            f"{of}: {within} of {paths} within {percent(bar)}, {interval} more in the interval, {wrong} wrong;"
            f" the interval has {covered[of]} of {paths}"
        )
    if any(verdict == "WRONG" for _, verdict in verdicts):
        raise typer.Exit(1)
