from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dumbbell.spec import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dumbbell.spec import Problem, Resolved

Words = dict[str, Any]


def traced(words: Words, name: object = "writes.csv") -> Words:
    words["flows"][0]["workload"] = {"trace": name}
    return words


@pytest.mark.parametrize(
    "content",
    [
        "time,bytes\n0,1000\n0.5,20\n",
        "time_s, bytes\n0.0, 1000\n.5, 20",
        "Time (s),Bytes\r\n0,1000\r\n0.500,20\r\n",
        "0,1000\n\n0.5,20\n\n",
        "\ufefftime,bytes\n0,1000\n0.5,20\n",
    ],
)
def test_reads_writes(tmp_path: Path, words: Words, resolved: Callable[..., list[Resolved]], content: str) -> None:
    (tmp_path / "writes.csv").write_bytes(content.encode())
    (only,) = resolved(traced(words), folder=tmp_path)
    workload = only.run.model_dump()["flows"][0]["workload"]
    assert workload == {"trace": {"writes": ({"at_ns": 0, "bytes": 1000}, {"at_ns": 500_000_000, "bytes": 20})}}


def test_is_relative_to_the_spec(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "writes.csv").write_text("0,1\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        """
        duration = "10 s"
        path = { rate = "80 Mbit/s", rtt = "25 ms", buffer = "1 bdp" }
        [[flows]]
        cc = "bbr"
        workload = { trace = "data/writes.csv" }
        """,
        encoding="utf-8",
    )
    assert len(load(spec).trace_of("data/writes.csv").writes) == 1
    assert len(load(load(spec)).trace_of("data/writes.csv").writes) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no writes"),
        ("time,bytes\n", "has no writes"),
        ("0,1000\nx,20\n", 'line 2: "x" is no time'),
        ("0,1000\n-1,20\n", 'line 2: "-1" is no time'),
        ("0,1000\nnan,20\n", 'line 2: "nan" is no time'),
        ("0,1000\n1e30,20\n", 'line 2: "1e30" is no time'),
        ("0,1000\n9999999,20\n", 'line 2: "9999999" is no time'),
        ("0,1000\n1,0\n", 'line 2: "0" is no number of bytes'),
        ("0,1000\n1,2.5\n", 'line 2: "2.5" is no number of bytes'),
        ("0,1000\n1,1000000000000000000\n", "is no number of bytes"),
        ("0,1000\n1\n", "line 2 has 1 columns"),
        ("0,1000,3\n", "line 1 has 3 columns"),
        ("1,1000\n0.5,20\n", "line 2: the time runs backward"),
        ("bytes,time\n0,1\n", '"bytes" is no time'),
        ("\xff", "is no time"),
    ],
)
def test_a_bad_file_is_one_message_with_its_line(
    tmp_path: Path, words: Words, problems_of: Callable[..., list[Problem]], content: str, message: str
) -> None:
    (tmp_path / "writes.csv").write_text(content + (",1" if content == "\xff" else ""), encoding="utf-8")
    (problem,) = problems_of(traced(words), folder=tmp_path)
    assert problem.path == "flows[0].workload.trace"
    assert message in problem.message
    assert problem.hint


def test_what_is_no_text_or_no_file(tmp_path: Path, words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    (tmp_path / "writes.csv").write_bytes(b"\xff\xff\x00")
    (tmp_path / "folder.csv").mkdir()
    found = problems_of(traced(words, ["writes.csv", "folder.csv", "absent.csv"]), folder=tmp_path)
    assert [problem.path for problem in found] == [f"flows[0].workload.trace[{n}]" for n in range(3)]
    assert "is no CSV text" in found[0].message
    assert "no such file" in found[2].message


def test_writes_of_many_flows_are_bounded(
    tmp_path: Path, words: Words, problems_of: Callable[..., list[Problem]]
) -> None:
    (tmp_path / "writes.csv").write_text("".join(f"{n},1\n" for n in range(1000)), encoding="utf-8")
    traced(words)["flows"][0]["count"] = 100_000
    (problem,) = problems_of(words, folder=tmp_path)
    assert (problem.path, problem.hint) == ("flows[0].workload.trace", "at most 10000000")
