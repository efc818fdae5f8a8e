"""Every problem at once, each with its path, on standard error; exit status 2; no traceback."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from commandline import MOMENT, dumbbell

BAD = """
duration = "300"
seeds = 0
[path]
rate = "80 mbps"
rtt = "nan ms"
bufer = "1 bdp"
[[flows]]
cc = "bbrr"
start = "-1 s"
[[flows]]
cc = "bbr[cwnd_gian=1.5]"
"""
FILES = {
    "moment.toml": MOMENT.encode(),
    "bad.toml": BAD.encode(),
    "words.toml": b"duration = 300 s",
    "utf16.toml": b"\xff\xfe\x00",
    "nothing.toml": b"",
    "zero.toml": b"\x00",
}
REFUSED = [
    *(f"{command} {name}" for command in ("run", "check") for name in [*FILES, "absent.toml", "."] if name[0] != "m"),
    "run moment.toml --set 'path.rate=80 mbps'",
    "run moment.toml --set path.buffer=[]",
    "run moment.toml --set flows[0].count=10000000",
    "run moment.toml --set flows[7].cc=bbr",
    "run moment.toml --set path.rate",
    "run moment.toml --set flows[0].cc=vegas",
    "run moment.toml --json --set 'measure.ss=100 ms'",
    "run moment.toml --engine hosts",
    "results show --by hour --json",
    "run moment.toml --engine tofino",
    "run moment.toml --engine linux:mine",
    "check moment.toml --set flows[1].cc=vegass",
    "init moment.toml",
    "init absent/mine.toml",
    "cc show bbrr",
    "cc show bbr[gain=2]",
    "doctor --engine tofino",
    *(f"results {command} absent" for command in ("list", "show", "verify", "prune")),
    "results export absent x.csv",
    "run moment.toml --part 41/40",
    "merge absent --out results",
    "query absent 'SELECT 1'",
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files, on a machine without kernels."""
    for folder in ("DUMBBELL_CACHE", "DUMBBELL_DATA"):
        monkeypatch.setenv(folder, str(tmp_path / "user"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name, content in FILES.items():
        Path(name).write_bytes(content)


def test_what_is_said_of_bad_input(store: Path, snapshot: SnapshotAssertion) -> None:
    lines = []
    for arguments in REFUSED:
        done = dumbbell(*shlex.split(arguments))
        assert (done.returncode, done.stdout) == (2, ""), arguments
        lines += [f"$ dumbbell {arguments}", re.sub("not TOML: .*?;", "not TOML;", done.stderr)]  # the rest is Python's
    assert "\n".join(lines) == snapshot
    assert not store.exists()
    assert sorted(FILES) == sorted(path.name for path in Path().iterdir()), "nothing was written"
    assert Path("moment.toml").read_text(encoding="utf-8") == MOMENT


@pytest.mark.parametrize("arguments", ["fly", "run", "run a --jobs 0", "run a --jobs many", "run a --out x"])
def test_a_command_line_that_makes_no_sense(arguments: str) -> None:
    done = dumbbell(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
