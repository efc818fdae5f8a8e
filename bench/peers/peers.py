"""Time the same TCP flows on dumbbell, ns-3, ns-2 and csg-htsim, and print one table.

A condition is one spec under `specs/`: dumbbell runs the file itself, the peers get its numbers.
Engines take turns, so that a busy machine hurts them alike, and the median round counts. README.md
says what is compared and how fair that is.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).resolve().parent
DUMBBELL = HERE.parents[1] / ".venv" / "bin" / "dumbbell"
PACKAGES = ("libns3-dev", "ns2", "g++", "pkg-config")
NS3_MODULES = (
    "ns3-applications",
    "ns3-internet",
    "ns3-point-to-point",
    "ns3-traffic-control",
    "ns3-network",
    "ns3-core",
)
HTSIM = "https://github.com/Broadcom/csg-htsim"
# What of its sources a TCP flow needs.
HTSIM_SOURCES = (
    "config",
    "eth_pause_packet",
    "eventlist",
    "fairpullqueue",
    "logfile",
    "loggers",
    "mtcp",
    "ndppacket",
    "network",
    "pipe",
    "queue",
    "rng",
    "route",
    "tcp",
    "tcppacket",
)
# Only the units that the specs here use; dumbbell's own parser knows them all.
UNITS = {"Mbit/s": 1e6, "Gbit/s": 1e9, "ms": 1e-3, "s": 1.0}
# What a process may take beyond its budget to start, build its network and print.
GRACE_S = 60.0
INSTALL_LIMIT_S = 900.0
NOTE = """
ratio: dumbbell's packets/s divided by the engine's
Sack1 is Reno; htsim's TCP is NewReno without SACK, pacing and delayed ACKs. README.md has what else differs.
"""
BUDGET_HELP = "wall seconds after which a peer reports how far it came (default 30)"


class MissingError(Exception):
    """An engine is not on this machine; the message says how to get it."""


class FailedError(Exception):
    """A process ended badly, took too long or gave no result."""


@dataclass(frozen=True)
class Condition:
    """What the peers are asked for, in bit/s, bytes and seconds; the names are their options'."""

    rate: float
    rtt: float
    buffer: float
    flows: int
    stagger: float
    duration: float


@dataclass(frozen=True)
class Sample:
    """What one timed run did."""

    packets: int
    wall_s: float
    simulated_s: float
    goodput_bps: float

    @property
    def packets_per_s(self) -> float:
        """Data packets sent for each second of wall time."""
        return self.packets / self.wall_s


class Engine(Protocol):
    """Something that runs a condition and says how long that took."""

    @property
    def name(self) -> str:
        """What the table calls it."""

    def measure(self, spec: Path, budget_s: float) -> Sample:
        """Run the condition once; `FailedError` if there is no result."""


@dataclass(frozen=True)
class Dumbbell:
    """The program under test."""

    command: str
    store: Path
    name: str = "dumbbell"

    def measure(self, spec: Path, budget_s: float) -> Sample:
        """Run the spec afresh on one core: a result found in a store would cost nothing."""
        options = ["--json", "--fresh", "--jobs", "1", "--out", str(self.store)]
        run = last_object(run_limited([self.command, "run", str(spec), *options], budget_s))
        if run["status"] != "ok":
            message = f"dumbbell failed on {spec.stem}: {run.get('error')}"
            raise FailedError(message)
        return Sample(
            packets=sum(flow["segments_sent"] for flow in run["flows"]),
            wall_s=run["wall_s"],
            simulated_s=read_condition(spec).duration,
            goodput_bps=sum(flow["goodput_bps"] for flow in run["flows"]),
        )


@dataclass(frozen=True)
class Peer:
    """A program of ours on another simulator; it stops by itself when its budget is spent."""

    name: str
    command: tuple[str, ...]
    option: str  # how it takes one

    def measure(self, spec: Path, budget_s: float) -> Sample:
        """Hand the spec's numbers over as options."""
        parameters = asdict(read_condition(spec)) | {"budget": budget_s}
        options = [self.option.format(name=name, value=value) for name, value in parameters.items()]
        result = last_object(run_limited([*self.command, *options], budget_s))
        return Sample(
            packets=result["data_packets"],
            wall_s=result["wall_s"],
            simulated_s=result["simulated_s"],
            goodput_bps=result["goodput_bps"],
        )


def quantity(text: str) -> float:
    """Read `80 Mbit/s` or `25 ms` into bit/s or seconds."""
    number, unit = text.split()
    return float(number) * UNITS[unit]


def read_condition(spec: Path) -> Condition:
    """Read the few fields that these specs use."""
    document = tomllib.loads(spec.read_text(encoding="utf-8"))
    path, (flows,) = document["path"], document["flows"]
    rate, rtt = quantity(path["rate"]), quantity(path["rtt"])
    return Condition(
        rate=rate,
        rtt=rtt,
        buffer=float(path["buffer"].removesuffix(" bdp")) * rate * rtt / 8,
        flows=flows.get("count", 1),
        stagger=quantity(flows.get("stagger", "0 s")),
        duration=quantity(document["duration"]),
    )


def run_limited(command: Sequence[str], budget_s: float = 0.0) -> str:
    """Run a command and return its output; it is killed when its budget and grace are over."""
    name = Path(command[0]).name
    limit_s = budget_s + GRACE_S
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        message = f"{name} was stopped after {limit_s:.0f} s"
        raise FailedError(message) from None
    if done.returncode != 0:
        last_lines = "\n".join(done.stderr.splitlines()[-5:])
        message = f"{name} ended with status {done.returncode}:\n{last_lines}"
        raise FailedError(message)
    return done.stdout


def last_object(output: str) -> dict[str, Any]:
    """Find the result among a program's chatter (ns-2 logs on standard output)."""
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            result: dict[str, Any] = json.loads(line)
            return result
    message = "no result was printed"
    raise FailedError(message)


def find(program: str, package: str) -> str:
    """Where a program is; `MissingError` with its Debian package if it is nowhere."""
    path = shutil.which(program)
    if path is None:
        message = f"no `{program}` here: install the Debian package {package} (or use --install)"
        raise MissingError(message)
    return path


def prepare_dumbbell(command: str, build: Path) -> Engine:
    """Check that dumbbell is built."""
    if shutil.which(command) is None:
        message = f"no dumbbell at {command}: `make build` makes it, --dumbbell names another"
        raise MissingError(message)
    return Dumbbell(command, build / "store")


def prepare_ns3(build: Path) -> Engine:
    """Compile our ns-3 program."""
    pkg_config, compiler = find("pkg-config", "pkg-config"), find("g++", "g++")
    # Not all flags: Debian's files also name libraries that are not needed and may not be there.
    flags = [pkg_config, "--cflags-only-I", "--libs-only-L", "--libs-only-l", *NS3_MODULES]
    try:
        libraries = run_limited(flags).split()
    except FailedError:
        message = "no ns-3 library here: install the Debian package libns3-dev (or use --install)"
        raise MissingError(message) from None
    program = build / "ns3_dumbbell"
    source = HERE / "ns3_dumbbell.cc"
    run_limited([compiler, "-O2", "-std=c++17", str(source), "-o", str(program), *libraries], 120)
    return Peer("ns-3 CUBIC", (str(program),), "--{name}={value}")


def prepare_ns2(name: str, agent: str) -> Engine:
    """Find ns-2, to be used with one of its TCP agents."""
    script = HERE / "ns2_dumbbell.tcl"
    return Peer(name, (find("ns", "ns2"), str(script), f"agent={agent}"), "{name}={value}")


def prepare_htsim(checkout: Path, build: Path) -> Engine:
    """Compile our csg-htsim program with what it needs of a checkout, which stays as it is."""
    library = checkout / "sim"
    sources = [library / f"{name}.cpp" for name in HTSIM_SOURCES]
    if absent := [source for source in sources if not source.is_file()]:
        message = f"{absent[0]} is not there: --htsim must name a checkout of {HTSIM}"
        raise MissingError(message)
    program = build / "htsim_dumbbell"
    # Optimised as its own Makefile does it; its warnings are not ours.
    compiler = (find("g++", "g++"), "-O3", "-std=c++17", "-w", f"-I{library}")
    files = [str(file) for file in (HERE / "htsim_dumbbell.cc", *sources)]
    run_limited([*compiler, *files, "-o", str(program)], 240)
    return Peer("htsim NewReno", (str(program),), "--{name}={value}")


def measure_all(
    engines: Sequence[Engine], specs: Sequence[Path], repeat: int, budget_s: float
) -> tuple[dict[tuple[Path, str], Sample], bool]:
    """Run all `repeat` times, engines in turn; give the medians, and whether all went well."""
    samples = defaultdict[tuple[Path, str], list[Sample]](list)
    well = True
    for round_number in range(1, repeat + 1):
        for spec in specs:
            for engine in engines:
                say(f"round {round_number} of {repeat}: {spec.stem} on {engine.name}")
                try:
                    samples[spec, engine.name].append(engine.measure(spec, budget_s))
                except FailedError as failure:
                    say(f"{engine.name}: {failure}")
                    well = False
    return {key: median(measured) for key, measured in samples.items() if measured}, well


def median(samples: Sequence[Sample]) -> Sample:
    """Give the median run by rate: a run that happened, so that its row agrees with itself."""
    return sorted(samples, key=lambda sample: sample.packets_per_s)[(len(samples) - 1) // 2]


def table(results: dict[tuple[Path, str], Sample], specs: Sequence[Path], engines: Sequence[Engine]) -> str:
    """Lay the medians out, condition by condition."""
    heads = ("engine", "condition", "data packets", "wall s", "packets/s", "ratio", "simulated s")
    rows: list[tuple[str, ...]] = [(*heads, "goodput Mbit/s")]
    for spec in specs:
        ours = results.get((spec, "dumbbell"))
        for engine in engines:
            sample = results.get((spec, engine.name))
            if sample is None:
                rows.append((engine.name, spec.stem, *["failed"] * 6))
                continue
            rows.append(
                (
                    engine.name,
                    spec.stem,
                    f"{sample.packets:,}",
                    f"{sample.wall_s:.3f}",
                    f"{sample.packets_per_s:,.0f}",
                    f"{ours.packets_per_s / sample.packets_per_s:.1f}" if ours else "-",
                    f"{sample.simulated_s:.1f}",
                    f"{sample.goodput_bps / 1e6:.1f}",
                )
            )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    label_columns = 2  # the leading columns, set to the left; the rest are numbers
    lines = (
        "  ".join(
            cell.ljust(width) if column < label_columns else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(lines) + NOTE


def say(message: str) -> None:
    """Tell whoever watches; standard output is for the table."""
    sys.stderr.write(f"{message}\n")


def install() -> None:
    """Install the peers from Debian's archive."""
    if os.geteuid() != 0:
        message = f"--install needs root; or ask for: apt-get install {' '.join(PACKAGES)}"
        raise MissingError(message)
    apt_get = find("apt-get", "apt")
    run_limited([apt_get, "update"], INSTALL_LIMIT_S)
    options = ["install", "--yes", "--no-install-recommends"]
    run_limited([apt_get, *options, *PACKAGES], INSTALL_LIMIT_S)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--dumbbell", default=str(DUMBBELL), metavar="PATH", help=f"default {DUMBBELL}")
    add("--build", type=Path, metavar="DIR", help="where to compile (default: a temporary folder)")
    add("--repeat", type=int, default=3, metavar="N", help="rounds; the median counts (default 3)")
    add("--budget", type=float, default=30.0, metavar="S", help=BUDGET_HELP)
    add("--require", action="store_true", help="exit 1 if an engine is missing: do not skip it")
    add("--install", action="store_true", help="first install the peers' Debian packages (as root)")
    add("--htsim", type=Path, metavar="DIR", help="a checkout of csg-htsim (default: it is left out)")
    options = parser.parse_args()
    if options.repeat < 1 or not 0 < options.budget < float("inf"):
        parser.error("--repeat and --budget must be positive")
    return options


def compare(options: argparse.Namespace, build: Path) -> int:
    """Prepare every engine there is, measure, print; give the exit status."""
    preparations: dict[str, Callable[[], Engine]] = {
        "dumbbell": lambda: prepare_dumbbell(options.dumbbell, build),
        "ns-3": lambda: prepare_ns3(build),
        "ns-2 CUBIC": lambda: prepare_ns2("ns-2 CUBIC", "linux"),
        "ns-2 Sack1": lambda: prepare_ns2("ns-2 Sack1", "sack1"),
    }
    if options.htsim is None:
        say(f"htsim is skipped: git clone {HTSIM}, then make bench-peers HTSIM=DIR (--htsim DIR)")
    else:
        preparations["htsim NewReno"] = lambda: prepare_htsim(options.htsim, build)
    engines: list[Engine] = []
    for name, prepare in preparations.items():
        try:
            engines.append(prepare())
        except MissingError as missing:
            say(f"{name} is left out: {missing}")
    if options.require and len(engines) < len(preparations):
        return 1
    if not engines:
        return 0
    specs = sorted((HERE / "specs").glob("*.toml"), key=lambda spec: read_condition(spec).rate)
    results, well = measure_all(engines, specs, options.repeat, options.budget)
    sys.stdout.write(table(results, specs, engines))
    return 0 if well else 1


def main() -> int:
    """Run the comparison in the folder asked for, or in one that is gone afterwards."""
    options = arguments()
    try:
        if options.install:
            install()
        with tempfile.TemporaryDirectory(prefix="dumbbell-peers-") as temporary:
            build = (options.build or Path(temporary)).resolve()
            build.mkdir(parents=True, exist_ok=True)
            return compare(options, build)
    except (MissingError, FailedError) as problem:
        say(str(problem))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
