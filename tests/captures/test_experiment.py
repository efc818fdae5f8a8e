"""A capture becomes an experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

from captured import Captured
from commandline import dumbbell
from dumbbell.campaign.execution import run_campaign
from dumbbell.captures.analysis import Sink, analyse
from dumbbell.captures.experiment import NoExperimentError, spec, written
from dumbbell.engines.sim import SimEngine
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load, resolve


def test_a_short_capture_gives_a_path_and_says_what_is_not_known(captured: Captured, tmp_path: Path) -> None:
    file = tmp_path / "again.toml"
    done = dumbbell("pcap", captured.senders, "--spec", file)
    assert done.stderr.splitlines()[-1] == str(file)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# What a capture says of its path and its flows, by `dumbbell pcap ")
    assert "NOT KNOWN" in text, "five seconds do not show BBR"
    experiment = load(file)
    run = resolve(experiment.point(0), 1).run
    assert experiment.name == "again"
    assert run.path.rate_bps == pytest.approx(20e6, rel=0.02)
    transfer = next(flow for flow in experiment.fields()["flows"] if "workload" in flow)
    assert transfer["workload"] == {"transfer": "100 kB"}
    assert run.flows[2].start_ns == pytest.approx(1e9, abs=5e7)


@pytest.mark.slow
def test_the_spec_of_a_capture_runs_as_the_capture_did(tmp_path: Path) -> None:
    experiment = Experiment(
        name="truth",
        duration="40 s",
        path={"rate": "30 Mbit/s", "rtt": "30 ms", "buffer": "2 bdp"},
        flows=[{"cc": "bbr"}, {"cc": "cubic"}],
        measure={"window": ["0 s", "40 s"], "record": "pcap"},
    )
    with Store.open(tmp_path / "truth", write=True) as store:
        (truth,) = run_campaign(store, experiment, SimEngine())
        assert isinstance(truth, Result)
        file = written(analyse(store.capture(truth.run_id, "senders"), Sink()), tmp_path / "again.toml", "a test")
    text = file.read_text(encoding="utf-8")
    assert "NOT KNOWN" not in text
    again = load(file, overrides={"measure": {"window": ["0 s", "40 s"]}})
    assert sorted(flow["cc"] for flow in again.fields()["flows"]) == ["bbr", "cubic"]
    run = resolve(again.point(0), 1).run
    assert run.path.rate_bps == pytest.approx(30e6, rel=0.02)
    rtts_ns = [flow.forward_delay_ns + flow.return_delay_ns for flow in run.flows]
    assert rtts_ns == pytest.approx([30e6, 30e6], rel=0.02)
    with Store.open(tmp_path / "again", write=True) as store:
        (simulated,) = run_campaign(store, again, SimEngine())
    assert isinstance(simulated, Result)
    of_truth, of_again = ({flow.cc: flow.goodput_bps for flow in each.flows} for each in (truth, simulated))
    assert of_again == pytest.approx(of_truth, rel=0.1)


def test_what_tells_nothing_is_refused(captured: Captured, tmp_path: Path) -> None:
    analysis = analyse(captured.senders, Sink())
    with pytest.raises(NoExperimentError, match=r"again\.toml: cannot be written: No such file"):
        written(analysis, tmp_path / "absent" / "again.toml", "a test")
    analysis.flows.clear()
    with pytest.raises(NoExperimentError, match="no flow shows its path"):
        spec(analysis, "nothing", "a test")
    done = dumbbell("pcap", captured.senders, captured.receivers, "--spec", tmp_path / "again.toml")
    assert (done.returncode, done.stderr) == (2, "--spec: is of one capture; of two use --json\n")
