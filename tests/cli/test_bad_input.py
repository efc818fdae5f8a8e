"""Every problem at once, each with its path, on standard error; exit status 2; no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import dumbbell

pytestmark = pytest.mark.slow

HEALTHY = """
duration = "3 s"
[path]
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = "1 bdp"
[[flows]]
cc = "bbr"
"""


def problems(path: Path, *options: str) -> list[str]:
    """What is said of a spec that cannot be run."""
    done = dumbbell("run", path, *options)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert lines
    assert dumbbell("check", path, *options).stderr == done.stderr
    return lines


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(
        """
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
        """,
        encoding="utf-8",
    )
    told = [line.partition(":")[0] for line in problems(path)]
    wanted = ["duration", "seeds", "path.rate", "path.rtt", "path.bufer", "path.buffer", "flows[0].cc", "flows[1].cc"]
    assert set(wanted) | {"flows[0].start"} == set(told)


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
    ],
)
def test_one_thing_wrong(tmp_path: Path, setting: str, path: str, words: str) -> None:
    spec = tmp_path / "healthy.toml"
    spec.write_text(HEALTHY, encoding="utf-8")
    told = problems(spec, "--set", setting)
    assert any(line.startswith(f"{path}: ") and words in line for line in told), told


def test_what_is_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("duration = 300 s", encoding="utf-8")
    (told,) = problems(path)
    assert told.startswith(str(path))
    assert "not TOML" in told


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"\x00"], ids=["not UTF-8", "nothing", "a zero"])
def test_what_is_no_spec_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    assert problems(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (told,) = problems(tmp_path / "absent.toml")
    assert "no such file" in told
    (told,) = problems(tmp_path)
    assert "is a folder" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["run"],
        ["run", "a.toml", "--jobs", "0"],
        ["run", "a.toml", "--jobs", "many"],
        ["run", "a.toml", "--out", "x"],
    ],
)
def test_a_command_line_that_makes_no_sense(arguments: list[str]) -> None:
    done = dumbbell(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_setting_that_sets_nothing(tmp_path: Path) -> None:
    spec = tmp_path / "healthy.toml"
    spec.write_text(HEALTHY, encoding="utf-8")
    (told,) = problems(spec, "--set", "path.rate")
    assert "sets no field" in told
