"""How fast the `linux` engine is: data packets a second of one core, its start, and its memory.

One run at a time, through the engine as `dumbbell run` uses it: start of the kernel, set-up of the network, sampling
every 50 ms and reading of the result included. Rounds take turns over the conditions, and medians count.
"""

import argparse
import resource
import sys
import time
from dataclasses import dataclass, field
from statistics import median

from dumbbell.campaign.plan import plan
from dumbbell.engines.linux import LinuxEngine
from dumbbell.errors import DumbbellError
from dumbbell.spec import load
from dumbbell.spec.run import Run
from dumbbell.tables.plain_text import text
from dumbbell.tables.table import Table
from dumbbell.units import NS_PER_S

PACKETS_BAR = 200_000
REAL_TIME_BAR = 10
"""At 80 Mbit/s."""
START_BAR_S = 0.3
MEMORY_BAR_MB = 700


@dataclass
class Condition:
    """A run, and what it took in each round."""

    name: str
    run: Run
    packets: int = 0
    taken_s: list[float] = field(default_factory=list)

    def measure(self, engine: LinuxEngine) -> None:
        """Adds a round."""
        began = time.perf_counter()
        measured = engine.measure(self.run)
        self.taken_s.append(time.perf_counter() - began)
        self.packets = sum(flow.at_end.segments_sent for flow in measured.flows)

    @property
    def wall_s(self) -> float:
        """The median round's real time."""
        return median(self.taken_s)

    @property
    def packets_per_s(self) -> float:
        """Data packets a second of real time."""
        return self.packets / self.wall_s

    @property
    def times_real_time(self) -> float:
        """Virtual over real time."""
        return self.run.duration_ns / NS_PER_S / self.wall_s


def condition(name: str, rate: str, flows: int, duration: str, **path: str) -> Condition:
    """CUBIC flows, half a second apart, that share a bottleneck with a buffer of one BDP unless `path` has another."""
    spec = {
        "duration": duration,
        "path": {"rate": rate, "rtt": "25 ms", "buffer": "1 bdp", "jitter": "none"} | path,
        "flows": [{"cc": "cubic", "count": flows, "stagger": "0.5 s"}],
    }
    (planned,) = plan(load(spec))
    return Condition(name, planned.resolved.run)


def conditions(rate: str, duration: str) -> list[Condition]:
    """One flow and eight, without timing noise of the senders and with what hosts have."""
    return [
        condition(f"{rate}, {flows} flow{'s' * (flows > 1)}{said}", rate, flows, duration, jitter=jitter)
        for jitter, said in (("none", ""), ("50 us", ", jitter"))
        for flows in (1, 8)
    ]


def main() -> int:
    """Measures, prints, and tells by the exit status whether every bar was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", default="6.1", help="which kernel of `dumbbell kernel list` (default 6.1)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each condition is measured (default 3)")
    options = parser.parse_args()
    try:
        missed = report(LinuxEngine(options.kernel), options.kernel, options.rounds)
    except DumbbellError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    bars = (
        f"{PACKETS_BAR:,} packets/s, {REAL_TIME_BAR} times real time at 80 Mbit/s, {START_BAR_S} s, {MEMORY_BAR_MB} MB"
    )
    sys.stdout.write(f"bars: {bars}: {'missed by ' + ', '.join(missed) if missed else 'all reached'}\n")
    return 1 if missed else 0


def report(engine: LinuxEngine, kernel: str, rounds: int) -> list[str]:
    """Measures and prints; gives what missed its bar."""
    slow = conditions("80 Mbit/s", "60 s")
    fast = conditions("1 Gbit/s", "10 s")
    start = condition("start", "80 Mbit/s", 1, "60 ms")
    for _ in range(rounds):
        for each in (*slow, *fast, start):
            each.measure(engine)
    rows = [
        [
            each.name,
            f"{each.packets:,}",
            f"{each.wall_s:.2f}",
            f"{each.packets_per_s:,.0f}",
            f"{each.times_real_time:.1f}",
        ]
        for each in (*slow, *fast)
    ]
    header = ["condition", "data packets", "wall s", "packets/s", "times real time"]
    sys.stdout.write(
        f"Linux {kernel} in virtual time, medians of {rounds} rounds\n\n{text(Table.of(header, rows), 200)}\n\n"
    )
    sys.stdout.write(f"from the process's start to 60 ms after the first packet, and its end: {start.wall_s:.3f} s\n")
    condition("memory", "1 Gbit/s", 1, "20 s", rtt="200 ms", buffer="50 MB").measure(engine)
    memory_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 10**6
    sys.stdout.write(f"memory, 1 Gbit/s, 200 ms, a buffer of 50 MB: {memory_mb:.0f} MB\n")
    return [
        *(each.name for each in (*slow, *fast) if each.packets_per_s < PACKETS_BAR),
        *(f"{each.name} (real time)" for each in slow if each.times_real_time < REAL_TIME_BAR),
        *["start"] * (start.wall_s > START_BAR_S),
        *["memory"] * (memory_mb > MEMORY_BAR_MB),
    ]


if __name__ == "__main__":
    sys.exit(main())
