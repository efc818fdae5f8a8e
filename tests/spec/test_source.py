from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dumbbell.spec import Experiment, SpecError, assignment, expand, load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dumbbell.spec import Problem

Words = dict[str, Any]
MINIMAL = """
duration = "10 s"
path = { rate = "80 Mbit/s", rtt = "25 ms", buffer = "1 bdp" }
flows = [{ cc = "bbr" }]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my experiment.toml"
    path.write_text(MINIMAL, encoding="utf-8")
    return path


def test_a_file_a_text_a_dictionary_and_an_experiment(file: Path, words: Words) -> None:
    by_path, by_name, by_text = load(file), load(str(file)), load(MINIMAL)
    assert by_path.name == by_name.name == "my experiment"
    assert by_text.name == load(words).name == "experiment"
    assert by_text.words() == words
    assert load(by_text).words() == by_text.words()


def test_a_byte_order_mark_is_no_problem(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())
    assert load(file).duration == "10 s"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'name = "x"\nthis is no TOML\n', "line 2, column 6: not TOML"),
        (b'name = "x"\nname = "y"\n', "not TOML"),
        (b"[path\nrate = 3\n", "line 1, column 6: not TOML"),
        (b'name = "x\n', "line 1, column 10: not TOML"),
        (b"\xff\xfe\x00", "is not UTF-8 text: byte 0"),
        (b"x = " + b"[" * 100_000, "not TOML"),
        (b"x = " + b"1" * 5000, "not TOML"),
        (b"{}\n", "not TOML"),
        (b"# nothing" * 2_000_000, "too large"),
    ],
)
def test_what_is_no_toml_is_one_message_with_its_line(
    tmp_path: Path, problems_of: Callable[..., list[Problem]], content: bytes, message: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    (problem,) = problems_of(path)
    assert problem.path == str(path)
    assert message in problem.message
    assert problem.hint


@pytest.mark.parametrize(
    ("name", "message"), [("absent.toml", "no such file"), (".", "is a folder"), ("\0", "cannot be read")]
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, problems_of: Callable[..., list[Problem]], name: str, message: str
) -> None:
    (problem,) = problems_of(tmp_path / name)
    assert message in problem.message
    assert problem.hint


def test_a_text_that_is_no_toml(problems_of: Callable[..., list[Problem]]) -> None:
    (problem,) = problems_of("duration = 10 s\n[path]\n")
    assert (problem.path, problem.message[:15]) == ("spec", "line 1, column ")


def test_overrides_set_fields(words: Words) -> None:
    overrides = {
        "path.rtt": "50 ms",
        "flows[0].cc": ["bbr", "cubic"],
        "host.qdisc": "fq",
        "measure.window": ["1 s", "2 s"],
        "seeds": 5,
    }
    experiment = load(words, overrides=overrides)
    assert experiment.path.rtt == "50 ms"
    assert experiment.host.qdisc == "fq"
    assert len(experiment.seed_values) == 5
    assert [point.values for point in expand(experiment)] == [{"flows[0].cc": "bbr"}, {"flows[0].cc": "cubic"}]
    assert words["path"]["rtt"] == "25 ms", "the words that were given stay as they are"
    assert "host" not in words
    assert words["flows"][0]["cc"] == "bbr"
    again = load(experiment, overrides={"path.rtt": "10 ms"})
    assert (again.path.rtt, again.host.qdisc, experiment.path.rtt) == ("10 ms", "fq", "50 ms")


@pytest.mark.parametrize(
    "path", ["", "path.", "a b", "flows[x]", "flows[1].cc", "duration.x", "path[0]", "[0]", "seeds[0]"]
)
def test_an_override_of_nothing(words: Words, problems_of: Callable[..., list[Problem]], path: str) -> None:
    (problem,) = problems_of(words, overrides={path: "1 s"})
    assert problem.path == path
    assert problem.hint


def test_an_override_with_a_problem_of_its_own(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    found = problems_of(words, overrides={"path.rat": "1 Mbit/s", "path.rtt": "1 parsec"})
    assert {problem.path for problem in found} == {"path.rat", "path.rtt"}


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("path.rtt=50 ms", "path.rtt", "50 ms"),
        ('path.rtt="50 ms"', "path.rtt", "50 ms"),
        (" path.rtt = 50 ms ", "path.rtt", "50 ms"),
        ("flows[0].count=3", "flows[0].count", 3),
        ("path.offload=true", "path.offload", True),
        ('path.buffer=["1 bdp", "2 bdp"]', "path.buffer", ["1 bdp", "2 bdp"]),
        ("flows[1].cc=bbr[cwnd_gain=1.5]", "flows[1].cc", "bbr[cwnd_gain=1.5]"),
        ('flows[0].workload={ transfer = "1 MB" }', "flows[0].workload", {"transfer": "1 MB"}),
        ("name=1\nother=2", "name", "1\nother=2"),
        ("name=", "name", ""),
    ],
)
def test_assignments_of_the_command_line(text: str, path: str, value: object) -> None:
    assert assignment(text) == (path, value)


@pytest.mark.parametrize("text", ["path.rtt", "=3", "path rtt=3", "flows[-1].cc=bbr", ""])
def test_what_is_no_assignment(text: str) -> None:
    with pytest.raises(SpecError, match="sets no field"):
        assignment(text)


def test_words_come_back_in_their_order() -> None:
    experiment = Experiment(
        flows=[{"count": 2, "cc": "bbr"}],
        seeds=[3, 1],
        path={"buffer": ["1 bdp"], "rtt": "5 ms", "rate": "10mbit"},
        duration="10 s",
    )
    assert list(experiment.words()) == ["flows", "seeds", "path", "duration"]
    assert experiment.words()["flows"] == [{"count": 2, "cc": "bbr"}]
    assert type(experiment.words()["duration"]) is str
