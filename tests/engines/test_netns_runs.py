"""This machine's own kernel, really: needs root, and touches nothing outside of its namespaces."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import commandline
import dumbbell
from dumbbell.engines import lease, machine
from dumbbell.engines.lease import Incarnation
from dumbbell.engines.netns import NetnsEngine
from dumbbell.errors import EngineFailure
from dumbbell.metrics.samples import histogram_quantile_s, histogram_share_below
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import expand, load, resolve
from measured import known
from processes import descendants, soon
from specs import resolved

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("live")]
SPEC: dict[str, Any] = {
    "duration": "2 s",
    "path": {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "2 bdp"},
    "flows": [{"cc": "bbr"}, {"cc": "cubic"}],
    "measure": {"window": ["25 %", "100 %"]},
}


@pytest.fixture(autouse=True)
def _nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a machine that can have the engine has after each test, too."""
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if missing := {"bbr", "cubic"} - set(machine.controls()):
        pytest.skip(f"this kernel has no {', '.join(missing)}")
    before = network()
    yield
    assert [*tmp_path.glob("dumbbell-run-*"), *lease.folder().glob("*")] == []
    assert network() == before
    assert descendants(os.getpid()) == []


def network() -> tuple[str, ...]:
    """Devices and their queues, settings and namespaces of this machine, as tools tell them."""
    commands = (["ip", "-o", "address"], ["ip", "netns"], ["tc", "qdisc"], ["sysctl", "net.ipv4", "net.core"])
    outputs = (subprocess.run(each, capture_output=True, check=False, text=True).stdout for each in commands)
    # Labs of hosts, which other tests have meanwhile, have links from here (`dbl`).
    changing = ("tcp_mem", "dbl", "route.flush", "dst_entries", "nf_conntrack", "valid_lft")
    return tuple(line for text in outputs for line in text.splitlines() if not any(word in line for word in changing))


def test_no_more_is_in_flight_than_the_window_that_was_asked_for() -> None:
    """Kernels from 6.6 on forget a window's limit with the first full segment."""
    path = {"rate": "50 Mbit/s", "rtt": "50 ms", "buffer": "4 bdp"}
    spec = {"duration": "3 s", "path": path, "flows": [{"cc": "cubic"}], "host": {"receive_window": "200 kB"}}
    inflight_bytes = dumbbell.run(spec, engine="netns").series()["inflight_bytes"].max()
    assert 190_000 < inflight_bytes <= 200_000 + 1_448


def test_bbr_beside_cubic_has_the_same_columns_as_on_sim() -> None:
    outcomes: dict[str, Result] = {}
    for engine in ("sim", "netns"):
        (outcome,) = dumbbell.run(SPEC, engine=engine).outcomes
        assert isinstance(outcome, Result), outcome
        outcomes[engine] = outcome
    live, model = outcomes["netns"], outcomes["sim"]
    assert (model.validity, live.validity in {"VALID", "SUSPECT"}) == (None, True)
    seen_parts, expected_parts = ([*map(asdict, each.flows), asdict(each.bottleneck)] for each in (live, model))
    for seen, expected in zip(seen_parts, expected_parts, strict=True):
        missing = {name for name in expected if expected[name] is not None and seen[name] is None}
        # A stack counts no single ACKs, and a kernel's plain queue not where it dropped.
        assert missing <= {"ack_rtt_mean_s", "ack_rtt_p95_s", "ack_rtt_p99_s", "dequeue_dropped_packets"}
    disturbed = live.validity == "SUSPECT"
    assert disturbed or live.bottleneck.utilization == pytest.approx(model.bottleneck.utilization, abs=0.1)
    assert disturbed or all(flow.rtt_min_s == pytest.approx(0.02, abs=0.003) for flow in live.flows)


def test_the_machines_noise_is_how_late_packets_leave_and_how_acks_come() -> None:
    spec = {"duration": "1 s", "path": SPEC["path"], "flows": [{"cc": "cubic"}], "start_jitter": "0 s"}
    (point,) = expand(load(spec))
    noise = NetnsEngine().noise(resolve(point, 1, live=True).run)
    assert 0 < noise.release_late.count <= 2000, "a busy machine is late for some of them"
    late_s, worst_s = (known(histogram_quantile_s(noise.release_late, share)) for share in (0.5, 0.99))
    assert 0 < late_s <= worst_s
    # Each frame takes 0.6 ms at 20 Mbit/s, and one or two are acknowledged; on a busy machine ACKs come in lumps.
    frame_s = 1514 * 8 / 20e6
    lumps = known(histogram_share_below(noise.ack_gaps, round(1e9 * frame_s / 2)))
    assert 0 < noise.ack_gaps.count < 1.05 / frame_s
    gap_s = known(histogram_quantile_s(noise.ack_gaps, 0.5))
    assert lumps > 0.1 or 0.9 * frame_s < gap_s < 2.2 * frame_s


@pytest.mark.parametrize("generation", [0, 1, 2])
def test_a_killed_agent_is_told_and_leaves_nothing(generation: int) -> None:
    """The one that was started, process 1 of its enclosure, and the one that does the job."""
    begun = lease.ActiveLease.begun

    def killed(active_lease: lease.ActiveLease, pid: int) -> None:
        begun(active_lease, pid)
        assert soon(lambda: len(descendants(pid)) >= generation)
        os.kill([pid, *descendants(pid)][generation], signal.SIGKILL)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lease.ActiveLease, "begun", killed)
        with pytest.raises(EngineFailure, match=r"(?s)^measure: the agent's process .*SIGKILL"):
            NetnsEngine().measure(resolved(**SPEC).run)


@pytest.mark.parametrize("after", [0, 8, 16, 24, 32, 40])
def test_an_agent_killed_while_it_builds_names_the_step_and_leaves_nothing(
    tmp_path: Path, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After so many lines of its console, one a step."""
    begun = lease.ActiveLease.begun

    def killed(active_lease: lease.ActiveLease, pid: int) -> None:
        begun(active_lease, pid)
        (console,) = tmp_path.glob("dumbbell-run-*/console.log")
        assert soon(lambda: _count(console) >= after)
        os.kill(pid, signal.SIGKILL)

    monkeypatch.setattr(lease.ActiveLease, "begun", killed)
    with pytest.raises(EngineFailure) as caught:
        NetnsEngine().measure(resolved(**SPEC).run)
    message = str(caught.value)
    assert message.startswith("measure: the agent's process was ended by SIGKILL")
    if after:
        last = message.splitlines()[-1]
        assert last.startswith(("sender: ", "near: ", "receiver: ", "the network is built")), message


def _count(console: Path) -> int:
    return len(console.read_text(encoding="utf-8").splitlines())


CONTROLLER = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
sys.path.insert(0, sys.argv[2])
from dumbbell.engines.netns import NetnsEngine
from specs import resolved
NetnsEngine().measure(resolved(flows=[{"cc": "cubic"}], duration="60 s").run)
"""


@pytest.mark.parametrize("later_s", [0.0, 0.5])
def test_a_killed_controller_takes_its_agent_with_it(tmp_path: Path, later_s: float) -> None:
    support = Path(__file__).parents[1] / "support"
    command = [sys.executable, "-c", CONTROLLER, str(tmp_path), str(support)]
    with subprocess.Popen(command) as controller:
        assert soon(lambda: bool(descendants(controller.pid)))
        signal.sigtimedwait([], later_s)
        started = [incarnation for pid in descendants(controller.pid) if (incarnation := Incarnation.of(pid))]
        controller.kill()
    assert soon(lambda: not any(Incarnation.of(each.pid) == each for each in started))
    for each in lease.left():
        each.clean()


def test_blocks_of_a_real_path_are_complete_one_after_the_other_and_compared_in_pairs(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    overrides = {"duration": "1 s", "flows": [{"cc": ["bbr", "cubic"]}], "seeds": 3}
    spec.write_text(load(SPEC, overrides=overrides).toml(), encoding="utf-8")
    done = commandline.process("run", spec, "--engine", "netns", "--out", tmp_path / "s")
    assert done.returncode == 0, done.stderr
    assert "after 3 blocks: BBR and CUBIC differ by" in done.stderr
    with Store.open(tmp_path / "s") as store:
        seeds = [seed for (seed,) in store.ledger.rows("SELECT seed FROM run ORDER BY id")]
    assert seeds == [1, 1, 2, 2, 3, 3]
    compared = commandline.process("compare", f"{tmp_path / 's'}@cc=bbr", "@cc=cubic", "--metrics", "goodput")
    assert compared.stdout.startswith("A"), compared.stderr
    assert "3 pairs of runs at 1 point." in compared.stdout
    assert "The runs of a pair in real time began" in " ".join(compared.stdout.split())


def test_datagrams_and_media_are_sent_over_this_machines_udp() -> None:
    """On 4 Mbit/s there is room for both: all arrives, half of the path and a short queue later."""
    path = {"rate": "4 Mbit/s", "rtt": "40 ms", "delay_side": "split", "buffer": "300 ms"}
    flows = [
        {"name": "even", "workload": {"udp": {"rate": "500 kbit/s"}}},
        {"name": "chance", "workload": {"udp": {"rate": "500 kbit/s", "spacing": "poisson"}}},
        {"name": "video", "workload": {"media": {}}},
    ]
    measured = dumbbell.run(SPEC | {"duration": "6 s", "path": path, "flows": flows}, engine="netns").flows()
    own = {str(row["name"]): row for row in measured.to_dict("records")}
    for name, row in own.items():
        assert row["datagrams_lost"] == 0, name
        assert 0.02 < row["delay_p50_s"] < 0.06, name
    assert own["even"]["goodput_bps"] == pytest.approx(500_000, rel=0.05)
    assert 0.15e6 < own["video"]["goodput_bps"] < 1.6e6
    assert own["video"]["frames"] > 60


def test_a_client_loads_pages_over_this_machines_tcp() -> None:
    """The network's own time is a bound below; a busy machine may be late, and loads fewer."""
    pages = {"objects": 12, "size": "20 kB", "think": "200 ms"}
    flows = [{"name": "web", "cc": "cubic", "workload": {"pages": pages}}]
    loads = dumbbell.run(SPEC | {"duration": "4 s", "flows": flows}, engine="netns").pages()
    loaded = loads[loads["load_s"].notna()]
    assert len(loaded) >= 4
    assert loaded["bytes"].to_list() == [12 * 20_000] * len(loaded)
    # Two turns of six connections, and what the line takes for a page.
    assert loaded["load_s"].min() >= max(2 * 0.02, 12 * 20_000 * 8 / 20e6)
    assert loaded["load_s"].median() < 0.6
