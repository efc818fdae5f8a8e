"""Every problem at once, each with its path, on standard error; exit status 2; no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import dumbbell

HEALTHY = """
duration = "3 s"
[path]
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = "1 bdp"
[[flows]]
cc = "bbr"
"""
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


def problems(path: Path, *options: str) -> list[str]:
    """What `run` and `check` say of a spec that cannot be run."""
    done = dumbbell("run", path, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert dumbbell("check", path, *options).stderr == done.stderr
    return done.stderr.splitlines()


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.toml"
    path.write_text(HEALTHY, encoding="utf-8")
    return path


def test_every_problem_is_told_at_once(spec: Path) -> None:
    spec.write_text(BAD, encoding="utf-8")
    assert {line.partition(":")[0] for line in problems(spec)} == {
        "duration", "seeds", "path.rate", "path.rtt", "path.bufer", "path.buffer", "flows[0].cc", "flows[0].start",
        "flows[1].cc",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "path", "words"),
    [
        ("path.rate=80 mbps", "path.rate", '"80 Mbit/s"'),
        ("path.rate=80", "path.rate", "no unit"),
        ("path.rate=0 bit/s", "path.rate", "out of range"),
        ("duration=1e30 s", "duration", "out of range"),
        ("path.buffer=1000000000000000000 B", "path.buffer", "out of range"),
        ("path.buffer=[]", "path.buffer", "empty"),
        ("flows[0].count=10000000", "flows[0].count", ""),
        ("flows[0].start=4 s", "flows[0].start", "end"),
        ("flows[0].cc=bbrr", "flows[0].cc", 'did you mean "bbr"?'),
        ("flows[0].cc=bbr[cwnd_gain=-1]", "flows[0].cc", "out of range"),
        ("path.colour=red", "path.colour", "unknown key"),
        ("flows[7].cc=bbr", "flows[7].cc", "no such entry"),
        ("path.rate", "path.rate", "sets no field"),
    ],
)
def test_one_thing_wrong(spec: Path, setting: str, path: str, words: str) -> None:
    told = problems(spec, "--set", setting)
    assert any(path in line.partition(": ")[0] and words in line for line in told), told


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"duration = 300 s", "not TOML"), (b"\xff\xfe\x00", ""), (b"", ""), (b"\x00", "")],
    ids=["no TOML", "not UTF-8", "nothing", "a zero"],
)
def test_what_is_no_spec_at_all(spec: Path, content: bytes, words: str) -> None:
    spec.write_bytes(content)
    assert words in "\n".join(problems(spec))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert ["no such file" in line for line in problems(tmp_path / "absent.toml")] == [True]
    assert ["is a folder" in line for line in problems(tmp_path)] == [True]


@pytest.mark.parametrize(
    "arguments", ["fly", "run", "run a.toml --jobs 0", "run a.toml --jobs many", "run a.toml --out x"]
)
def test_a_command_line_that_makes_no_sense(arguments: str) -> None:
    done = dumbbell(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("netns", "is not in this version"),
        ("tofino", "unknown engine"),
        ("linux:mine", 'no kernel "mine" here: `dumbbell kernel build'),
    ],
)
def test_an_engine_that_is_not_there(spec: Path, engine: str, words: str) -> None:
    done = dumbbell("run", spec, "--engine", engine)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert words in done.stderr


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("flows[0].cc=vegas", 'flows[0].cc: the simulator has no "vegas"; the linux engine '),
        ("measure.record=pcap", "measure.record: "),
    ],
)
def test_what_the_engine_cannot_honour(spec: Path, store: Path, setting: str, words: str) -> None:
    done = dumbbell("run", spec, "--json", "--set", setting)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(words)
    assert not store.exists()
