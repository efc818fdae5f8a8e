"""The page tells the completion times that the package tells."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dumbbell.engines.sim import SimEngine
from dumbbell.explorer.tables import page_tables
from dumbbell.metrics.summary import summarise
from dumbbell.spec import expand, load, resolve
from twins import WASM

SPEC = """
duration = "{seconds} s"
seeds = 1

[path]
rate = "20 Mbit/s"
rtt = "40 ms"
buffer = "1 bdp"

[[flows]]
name = "web"
cc = "cubic"
[flows.workload]
arrivals = {{ load = {load} }}
size = {{ pareto = {{ mean = "100 kB", shape = 1.3, maximum = "10 MB" }} }}

[[flows]]
cc = "bbr"
workload = {{ transfer = "{transfer}" }}

[[flows]]
cc = "reno"
start = "1 s"

[measure]
window = ["20 %", "100 %"]
"""
TEXTS = [
    SPEC.format(seconds=20, load=0.3, transfer="2 MB"),
    SPEC.format(seconds=10, load=1.2, transfer="90 MB"),
    SPEC.format(seconds=2, load=0.001, transfer="20 kB"),
]
NAMES = ("fct_s", "transfers", "transfers_completed", "slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99",
         "fct_p50_s", "fct_p95_s", "fct_p99_s")  # fmt: skip


def of_page(folder: Path) -> list[list[dict[str, Any]]]:
    given = folder / "given.json"
    given.write_text(json.dumps({"tables": page_tables(), "texts": TEXTS, "wasm": str(WASM)}))
    program = ["node", str(Path(__file__).with_name("completion.mjs")), str(given)]
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.skipif(shutil.which("node") is None or not WASM.is_file(), reason="no node, or no web.wasm: make explorer")
def test_completion_times_are_those_of_the_package(tmp_path: Path) -> None:
    transfers = []
    for text, page in zip(TEXTS, of_page(tmp_path), strict=True):
        resolved = resolve(next(expand(load(text))), 1)
        measurement = SimEngine().measure(resolved.run)
        summary = summarise(resolved.run, measurement, resolved.bdp_bytes, resolved.groups, resolved.ccs)
        for ours, theirs in zip(summary.flows, page, strict=True):
            for name in NAMES:
                value = getattr(ours, name)
                expected = value if value is None else pytest.approx(value, rel=1e-12)
                assert theirs.get(name) == expected, f"{name} of {ours.name}"
        transfers.append((summary.flows[0].transfers, summary.flows[0].transfers_completed))
    (all_of, complete), (most_of, some), none = transfers
    assert all_of == complete > 50
    assert most_of > some > 0
    assert none == (0, 0)
