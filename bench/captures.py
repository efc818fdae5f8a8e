"""What captures cost: runs of the engine `linux` with captures over the same without, and memory of a long pipe.

python bench/captures.py                # a minute of runs, five of each in turns: medians of the ratios
python bench/captures.py --pipe 10      # 10 GB through `dumbbell pcap -`: its memory, at the end and after a tenth
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa  # type: ignore[import-untyped]

from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, resolve

ROUNDS = 5
RUNS: dict[str, dict[str, Any]] = {
    "1 CUBIC, 1 Gbit/s": {"path": {"rate": "1 Gbit/s"}, "flows": [{"cc": "cubic"}], "duration": "5 s"},
    "8 BBR, 100 Mbit/s": {"path": {"rate": "100 Mbit/s"}, "flows": [{"cc": "bbr", "count": 8}], "duration": "20 s"},
}
RECORDS: dict[str, dict[str, Any]] = {
    "none": {"record": "series"},
    "at the senders": {"record": ["series", "pcap"], "capture_at": "senders"},
    "at the receivers": {"record": ["series", "pcap"], "capture_at": "receivers"},
    "at all three": {"record": ["series", "pcap"]},
}
GB = 10**9


def runs(fields: dict[str, Any]) -> Iterator[tuple[str, Run]]:
    path = {"rtt": "20 ms", "buffer": "1 bdp"} | fields["path"]
    for name, record in RECORDS.items():
        measure = {"window": ["0 %", "100 %"], **record}
        experiment = Experiment(**{**fields, "path": path, "measure": measure})
        yield name, resolve(experiment.point(0), 1).run


def cost() -> None:
    engine = LinuxEngine()
    for name, fields in RUNS.items():
        took: dict[str, list[float]] = {record: [] for record in RECORDS}
        for _ in range(ROUNDS):
            for record, run in runs(fields):
                with tempfile.TemporaryDirectory() as folder:
                    begin = time.perf_counter()
                    _ = engine.capture(run, Path(folder)) if run.measure.is_captured else engine.measure(run)
                    took[record].append(time.perf_counter() - begin)
        for record, own in list(took.items())[1:]:
            ratio = statistics.median(one / plain for one, plain in zip(own, took["none"], strict=True))
            print(f"{name:<20} {record:<18} {ratio:.2f}", flush=True)


def feed(pipe: IO[bytes], content: bytes, total: int) -> None:
    for _ in range(-(-total // len(content))):
        pipe.write(content)
    pipe.close()


def pipe(gigabytes: float) -> None:
    """The packets of 20 s of one flow, again and again, each time a connection on the same ports."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder), write=True) as store:
        experiment = Experiment(
            duration="20 s", path={"rate": "1 Gbit/s", "rtt": "20 ms", "buffer": "1 bdp"}, flows=[{"cc": "cubic"}],
            measure={"record": ["summary", "pcap"], "capture_at": "senders"},
        )  # fmt: skip
        (outcome,) = run_campaign(store, experiment, SimEngine())
        with pa.input_stream(str(store.capture(outcome.run_id, "senders")), compression="zstd") as stream:
            content = stream.read()
    print(f"{len(content) / GB:.1f} GB of packets, again and again, until {gigabytes:g} GB", flush=True)
    command = [sys.executable, "-m", "dumbbell", "pcap", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        feeder = threading.Thread(target=feed, args=(process.stdin, content, int(gigabytes * GB)))
        begin, peaks = time.perf_counter(), []
        feeder.start()
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text()
            peaks += [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
            time.sleep(0.2)
        feeder.join()
    early, last = peaks[len(peaks) // 10], peaks[-1]
    print(f"{early / 1000:.0f} MB after a tenth, {last / 1000:.0f} MB at the end; {time.perf_counter() - begin:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pipe", type=float, metavar="GB")
    arguments = parser.parse_args()
    if arguments.pipe:
        pipe(arguments.pipe)
    else:
        cost()


if __name__ == "__main__":
    main()
