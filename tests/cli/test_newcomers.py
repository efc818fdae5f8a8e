"""What newcomers wrote, what they were answered before, and what they are answered now: one table."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from commandline import DUMBBELL, MOMENT, dumbbell
from dumbbell.results.store import Store
from processes import HANG_S

SPEC = """
duration = "10 s"

[path]
rate = "100 Mbit/s"
rtt = "50 ms"
buffer = "1 bdp"

[[flows]]
cc = "bbr"
"""
IN_SPECS = {
    'path.buffer="400 ms"': 'unknown unit "ms"; known: B, kB, …',
    'path.delay="50 ms"': 'unknown key; did you mean "delay_side"?',
    'path.rtt="50ms 10ms"': 'unknown unit "ms 10ms"',
    'path.loss="gemodel 1% 10%"': 'is not a share; write it as "0.01 %"',
    'path.change=[{ at = "2 s", rtt = "10 ms" }]': '"rtt" belongs in [path]',
    'path.change=[{ at = "2 s", rate = "0 bit/s" }]': "is out of range; from 1 kbit/s to 1 Tbit/s",
    'path.policer="100 kB"': "unknown key; known: …",
    "host.hystart=false": "unknown key; known: …",
    "host.so_rcvbuf=262144": "unknown key; known: …",
    'path.rate="unlimited"': "is not a rate",
    'path.buffer="0.001 bdp"': "is less than one frame of 1514 B; no packet would fit",
    'path.jitter="12 ms"': "(nothing)",
}
"""By what was set on a path of 100 Mbit/s and 50 ms."""
TABLES_TWICE = SPEC.replace("[[flows]]", "[flows]") + '[flows]\ncc = "cubic"\n'
COMMANDS = {
    "check twice.toml": "not TOML: Cannot declare ('flows',) twice; a line of TOML is …",
    "check one.toml": "one: 1 points, 1 runs",
    "-h": "no such option",
    "-V": "no such option",
    "help check": "no such command",
    "advise --rate 100mbit --rtt 25ms --beside 3": "a list of 27 names; write it as cubic:3, or none",
    "run one.toml --out held": "another campaign is writing to it",
    "run held.toml": "59 lines of [[path.change]] above the table",
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))
    steps = ", ".join(f'{{ at = "{at} ms", rate = "{1 + at % 9} Mbit/s" }}' for at in range(1, 60))
    changing = MOMENT.replace("[path]", f"[path]\nchange = [{steps}]", 1)
    one = MOMENT.replace("seeds = 2", "seeds = 1").replace('["0.5 bdp", "2 bdp"]', '"2 bdp"')
    files = {"spec.toml": SPEC, "twice.toml": TABLES_TWICE, "one.toml": one, "held.toml": changing}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")


def said(*arguments: str) -> str:
    """The lines that are about it, without what hangs on the machine."""
    done = dumbbell(*arguments, COLUMNS="1000")
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line and "can run it" not in line]
    about = [line for line in lines if line.startswith(("warning", "path", "host", "twice"))]
    return re.sub(r"pid \d+", "pid N", " | ".join(about or lines[:1]))


def test_each_answer_says_what_to_write(snapshot: SnapshotAssertion) -> None:
    rows = [
        (f"--set {assignment}", before, said("check", "spec.toml", "--set", assignment))
        for assignment, before in IN_SPECS.items()
    ]
    for command, before in COMMANDS.items():
        if "held" in command and command.startswith("run one"):
            with Store.open(Path("held"), write=True):
                after = said(*command.split())
        elif command == "run held.toml":
            printed = dumbbell(*command.split(), COLUMNS="1000").stdout.splitlines()
            after = next(line for line in printed if "changes" in line)
        else:
            after = said(*command.split())
        rows.append((command, before, after))
    assert "\n".join(f"{what}\n    before: {before}\n    now:    {after}" for what, before, after in rows) == snapshot


def test_a_spec_comes_by_standard_input() -> None:
    done = subprocess.run(
        [DUMBBELL, "check", "-"], input=SPEC, capture_output=True, check=False, encoding="utf-8", timeout=HANG_S
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("experiment: 1 point, 1 run, 10 simulated seconds")
