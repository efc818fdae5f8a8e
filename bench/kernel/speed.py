"""How fast the `linux` engine is: data packets a second of one core, its start, and its memory.

One run at a time, through the engine as `dumbbell run` uses it: start of the kernel, set-up of the network, sampling
every 50 ms and reading of the result included. The rounds take turns over the rows, and medians count.
"""

import argparse
import resource
import sys
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from dumbbell.campaign.local import plan
from dumbbell.cli.table import aligned
from dumbbell.engines.linux import LinuxEngine
from dumbbell.errors import DumbbellError
from dumbbell.spec import load
from dumbbell.spec.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping

NANOSECONDS = 1_000_000_000
MEBIBYTE = 2**20
PACKETS_BAR, START_BAR_S, REAL_TIME_BAR, MEMORY_BAR_MB = 200_000, 0.3, 10, 700


@dataclass(frozen=True)
class Row:
    """A condition, and what a second of it is measured by."""

    name: str
    run: Run


def run_of(**words: Any) -> Run:  # noqa: ANN401 (a spec's words)
    """The one run of a spec."""
    (planned,) = plan(load(words))
    return planned.resolved.run


def bottleneck(rate: str, flows: int, duration: str, **path: str) -> Run:
    """CUBIC flows, half a second apart, that share a bottleneck with a buffer of one BDP."""
    words: Mapping[str, Any] = {"rate": rate, "rtt": "25 ms", "buffer": "1 bdp"} | path
    group = {"cc": "cubic", "count": flows, "stagger": "0.5 s"}
    return run_of(name="speed", duration=duration, path=words, flows=[group])


def main() -> int:
    """Measures, prints, and tells by the exit status whether the bars were reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", default="6.1", help="which kernel of `dumbbell kernel list` (default 6.1)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured (default 3)")
    options = parser.parse_args()
    try:
        engine = LinuxEngine(options.kernel)
        return report(engine, options.rounds)
    except DumbbellError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def report(engine: LinuxEngine, rounds: int) -> int:
    """Measures every row so often, and prints the table; 1 where a bar was missed."""
    rows = [
        Row("80 Mbit/s, 1 flow", bottleneck("80 Mbit/s", 1, "60 s")),
        Row("80 Mbit/s, 8 flows", bottleneck("80 Mbit/s", 8, "60 s")),
        Row("1 Gbit/s, 1 flow", bottleneck("1 Gbit/s", 1, "10 s")),
        Row("1 Gbit/s, 8 flows", bottleneck("1 Gbit/s", 8, "10 s")),
    ]
    start = Row("start", bottleneck("80 Mbit/s", 1, "60 ms"))
    packets: dict[str, int] = {}
    taken_s: dict[str, list[float]] = {row.name: [] for row in (*rows, start)}
    for _ in range(rounds):
        for row in (*rows, start):
            began = time.perf_counter()
            measured = engine.measure(row.run)
            taken_s[row.name].append(time.perf_counter() - began)
            packets[row.name] = sum(flow.at_end.segments_sent for flow in measured.flows)
    missed = []
    table = []
    for row in rows:
        wall_s = median(taken_s[row.name])
        rate, real = packets[row.name] / wall_s, row.run.duration_ns / NANOSECONDS / wall_s
        table.append([row.name, f"{packets[row.name]:,}", f"{wall_s:.2f}", f"{rate:,.0f}", f"{real:.1f}"])
        missed += [row.name] if rate < PACKETS_BAR else []
        missed += [f"{row.name}, real time"] if row.run.path.rate_bps < NANOSECONDS and real < REAL_TIME_BAR else []
    sys.stdout.write(f"Linux {options_of(engine)} in virtual time; medians of {rounds} rounds\n\n")
    sys.stdout.write(aligned(["condition", "data packets", "wall s", "packets/s", "times real time"], table) + "\n\n")
    start_s = median(taken_s[start.name])
    sys.stdout.write(f"from process start to 60 ms after the first packet, and out again: {start_s:.3f} s\n")
    missed += ["start"] if start_s > START_BAR_S else []
    engine.measure(bottleneck("1 Gbit/s", 1, "20 s", rtt="200 ms", buffer="50 MB"))
    resident_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 10**6
    sys.stdout.write(f"memory, 1 Gbit/s, 200 ms, a 50 MB buffer: {resident_mb:.0f} MB\n")
    missed += ["memory"] if resident_mb > MEMORY_BAR_MB else []
    sys.stdout.write(
        f"bars: {PACKETS_BAR:,} packets/s; {REAL_TIME_BAR} times real time at 80 Mbit/s; start {START_BAR_S} s;"
        f" {MEMORY_BAR_MB} MB: {'missed by ' + '; '.join(missed) if missed else 'all reached'}\n"
    )
    return 1 if missed else 0


def options_of(engine: LinuxEngine) -> str:
    """What was measured."""
    return engine.name.partition(":")[2] or "6.1"


if __name__ == "__main__":
    sys.exit(main())
