"""Where a spec comes from: a file, a text, a dictionary, overrides, the command line; and back into a file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from msgspec import to_builtins

from commandline import MOMENT, ROOT
from dumbbell.spec import Experiment, SpecError, assignment, expand, load, resolve, toml
from specs import EVERY_FIELD, run_of, smallest

MINIMAL = toml(smallest())


def test_a_file_a_text_a_dictionary_and_an_experiment(tmp_path: Path) -> None:
    file = tmp_path / "my experiment.toml"
    file.write_text(MINIMAL, encoding="utf-8")
    by_path, by_name, by_text = load(file), load(str(file)), load(MINIMAL)
    assert by_path.name == by_name.name == "my experiment"
    assert by_text.name == load(smallest()).name == "experiment"
    assert by_text.fields() == smallest()
    assert load(by_text).fields() == by_text.fields()
    file.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())
    assert load(file).get("duration") == "10 s"


def test_overrides_set_fields() -> None:
    fields = smallest()
    overrides = {
        "path.rtt": "50 ms",
        "flows[0].cc": ["bbr", "cubic"],
        "host.qdisc": "fq",
        "measure.window": ["1 s", "2 s"],
        "seeds": 5,
    }
    experiment = load(fields, overrides=overrides)
    assert [experiment.get(each) for each in ("path.rtt", "host.qdisc")] == ["50 ms", "fq"]
    assert len(experiment.seed_values) == 5
    assert [point.values for point in expand(experiment)] == [{"flows[0].cc": "bbr"}, {"flows[0].cc": "cubic"}]
    assert fields == smallest(), "the words that were given stay as they are"
    again = load(experiment, overrides={"path.rtt": "10 ms"})
    assert [again.get(each) for each in ("path.rtt", "host.qdisc")] == ["10 ms", "fq"]
    assert experiment.get("path.rtt") == "50 ms"


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
    path = {"buffer": ["1 bdp"], "rtt": "5 ms", "rate": "10mbit"}
    experiment = Experiment(flows=[{"count": 2, "cc": "bbr"}], seeds=[3, 1], path=path, duration="10 s")
    assert list(experiment.fields()) == ["flows", "seeds", "path", "duration"]
    assert experiment.fields()["flows"] == [{"count": 2, "cc": "bbr"}]
    assert type(experiment.fields()["duration"]) is str


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
def test_writes_are_read_from_a_csv_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "writes.csv").write_bytes(content.encode())
    run = run_of({"flows[0].workload": {"trace": "writes.csv"}}, folder=tmp_path)
    writes = ({"at_ns": 0, "bytes": 1000}, {"at_ns": 500_000_000, "bytes": 20})
    assert to_builtins(run.flows[0].workload) == {"trace": {"writes": writes}}


def test_a_trace_is_relative_to_the_spec(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "writes.csv").write_text("0,1\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    spec.write_text(toml(smallest(flows=[{"cc": "bbr", "workload": {"trace": "data/writes.csv"}}])), encoding="utf-8")
    for experiment in (load(spec), load(load(spec))):
        (point,) = expand(experiment)
        trace = resolve(point, 1).run.flows[0].work.trace
        assert trace
        assert len(trace.writes) == 1


SWEPT_TABLES = {
    "name": 'a "name" \u2014 with more',
    "seeds": [1, 5],
    "zip": [["path.rate", "path.buffer"]],
    "path.rate": ["80 Mbit/s", "40 Mbit/s"],
    "path.buffer": ["1 bdp", "2 bdp"],
    "path.queue": "bytes",
    "flows[0].cc": ["bbr", "bbr[cwnd_gain=1.5]"],
    "flows[1].workload": [{"transfer": "1 MB"}, "bulk"],
}


def test_what_is_written_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "writes.csv").write_text("0,1\n", encoding="utf-8")
    example = (ROOT / "examples" / "two-flows.toml").read_text(encoding="utf-8")
    every = load(EVERY_FIELD, folder=tmp_path)
    many = {"path.rtt": [f"{ms} ms" for ms in range(1, 200)]}
    for experiment in (
        load(MOMENT), load(example), every, load(every, overrides=many), load(every, overrides=SWEPT_TABLES),
    ):  # fmt: skip
        written = toml(experiment.fields())
        assert tomllib.loads(written) == experiment.fields()
        assert max(map(len, written.splitlines())) < 120
        assert load(written, folder=tmp_path).fields() == experiment.fields()
    assert (written.count("\n[[flows]]\n"), written.count("\n[[path.change]]\n")) == (4, 2)
    assert 'rate = ["80 Mbit/s", "40 Mbit/s"]\n' in written
    command = [
        "ffmpeg",
        "-re",
        "-i",
        "a long name of a video.mp4",
        "-c",
        "copy",
        "-f",
        "mpegts",
        "tcp://{receiver}:{port}",
    ]
    program = load(smallest(flows=[{"cc": "bbr", "workload": {"command": command, "server": ["nc", "-l", "{port}"]}}]))
    assert load(program.toml()).fields() == program.fields()
    assert max(map(len, program.toml().splitlines())) < 100
    headers = [line for line in written.splitlines() if line.startswith("[")]
    assert list(dict.fromkeys(headers)) == ["[path]", "[[path.change]]", "[[flows]]", "[host]", "[measure]"]
    assert toml({"duration": "1 s", "measure": {}}) == 'duration = "1 s"\n'
