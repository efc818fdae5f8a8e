"""What advice takes from a capture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from commandline import dumbbell
from dumbbell.captures.analysis import Sink, analyse
from dumbbell.captures.connection import CapturedNumber
from dumbbell.captures.experiment import KeyLine, answers
from dumbbell.cli.question import from_capture
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import DumbbellError
from dumbbell.problem import SpecError
from dumbbell.spec import Experiment, resolve
from dumbbell.spec.quantity import Rate, Time

PATH = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.3 bdp"}
NOTHING: dict[str, str | None] = dict.fromkeys(("rate", "rtt", "buffer", "loaded-rtt", "loss", "beside", "transfer"))


def captured(folder: Path, flows: list[dict[str, Any]], **path: str) -> Path:
    experiment = Experiment(name="seen", duration="10 s", path=PATH | path, flows=flows, measure={"record": "pcap"})
    SimEngine().capture(resolve(experiment.point(0), 1).run, folder)
    return folder / "senders.pcapng.zst"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("captures")


@pytest.fixture(scope="module")
def two(folder: Path) -> Path:
    """BBR, and CUBIC beside it, in a queue that overflows."""
    return captured(folder, [{"cc": "bbr"}, {"cc": "cubic"}])


def lines(file: Path) -> dict[str, KeyLine]:
    return {line.key: line for line in answers(analyse(file, Sink()))}


def test_a_capture_answers_what_is_asked_about_its_path(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = from_capture(two, NOTHING)
    assert Rate(options["rate"] or "").bps == pytest.approx(20e6, rel=0.02)
    assert Time(options["rtt"] or "").ns == pytest.approx(40e6, rel=0.02)
    assert (options["beside"], options["loss"]) == ("cubic:1", "0 %")
    assert options["transfer"] is None, "no flow ended"
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith(f"from {two}: rate ")
    low, high = lines(two)["rate"].interval.split(" to ")
    assert Rate(low).bps < 20e6 < Rate(high).bps
    assert f"({low} to {high})" in said


def test_what_is_written_stays_and_is_not_asked_of_the_capture(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = NOTHING | {"rate": "1 Gbit/s", "loaded-rtt": "50 ms", "beside": "none"}
    options = from_capture(two, given)
    assert {name: options[name] for name, text in given.items() if text} == {
        "rate": "1 Gbit/s", "loaded-rtt": "50 ms", "beside": "none",
    }  # fmt: skip
    assert options["buffer"] is None, "--loaded-rtt says it"
    said = " ".join(capsys.readouterr().err.split())
    assert f"from {two}: rtt " in said
    assert not [word for word in ("rate ", "competitors ", "buffer ") if word in said]


def test_a_flow_that_ended_is_a_transfer_and_whoever_else_is_there_is_not_known(tmp_path: Path) -> None:
    file = captured(tmp_path, [{"cc": "cubic", "workload": {"transfer": "5 MB"}}])
    known = lines(file)
    assert "transfer" not in known, "the simulator closes nothing, so that its end is not known"
    assert known["competitors"].instead == "several cases"
    assert "may be on the line" in known["competitors"].reason
    analysis = analyse(file, Sink())
    (flow,) = analysis.flows
    assert flow.sent.flow is not None
    size = CapturedNumber(5e6, 5e6, 5e6, "all that was sent before its end was acknowledged")
    sent = structs.replace(flow.sent, flow=structs.replace(flow.sent.flow, size_bytes=size))
    analysis.flows[0] = flow._replace(sent=sent)
    assert {line.key: line.text for line in answers(analysis)}["transfer"] == "5 MB"


def test_others_whose_algorithm_is_not_known_are_several_cases(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dumbbell.captures.experiment.algorithm_of", lambda _: None)
    assert lines(two)["competitors"].reason == "of 1 other flow packets do not show one algorithm"


def test_a_path_that_nobody_filled_is_refused_unless_its_rate_is_given(
    folder: Path, two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del two
    receivers = folder / "receivers.pcapng.zst"
    with pytest.raises(SpecError) as error:
        from_capture(receivers, NOTHING)
    assert [(each.path, each.hint) for each in error.value.problems] == [
        ("--from", "give --rate"),
        ("--from", "give --rtt"),
    ]
    assert "does not show the path's rate: no queue stood" in str(error.value)
    capsys.readouterr()
    options = from_capture(receivers, NOTHING | {"rate": "20mbit", "rtt": "40ms"})
    assert (options["rate"], options["buffer"]) == ("20mbit", None)
    assert f"not known from {receivers}: buffer" in " ".join(capsys.readouterr().err.split())


def test_the_command_prints_what_it_took_and_answers(two: Path, tmp_path: Path) -> None:
    done = dumbbell("advise", "--from", two, "--out", tmp_path / "store")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Answer")
    assert f"from {two}: rate " in " ".join(done.stderr.split())
    again = dumbbell("advise", "--from", two, "map", "--rate", "10mbit", "--rtt", "40ms")
    assert (again.returncode, again.stderr) == (2, "--from: stands before map; it is about one path\n")


def test_files_that_are_none_are_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    for name, said in (("text", "no capture: the stream begins"), ("absent", "No such file")):
        with pytest.raises(DumbbellError, match=said):
            from_capture(tmp_path / name, NOTHING)
        done = dumbbell("advise", "--from", tmp_path / name)
        assert (done.returncode, done.stderr.count("\n"), "Traceback" in done.stderr) == (2, 1, False)
