"""Runs on hosts behind a real `sshd`: what they measure, and what is left when something ends in the middle."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from commandline import dumbbell
from dev.sshlab import Lab, data_address, inside
from dumbbell.captures.analysis import Sink, analyse
from dumbbell.engines.hosts.engine import HostsEngine
from dumbbell.engines.live import LiveReading
from dumbbell.engines.measurement import Measurement
from dumbbell.errors import EngineFailure
from dumbbell.results.disturbance import disturbances
from dumbbell.spec import expand, load, resolve
from dumbbell.spec.run import Run
from processes import HANG_S, processes, soon

pytestmark = pytest.mark.slow

SPEC = """
name = "on-hosts"
duration = "{duration}"
seeds = 1

[path]
rate = "40 Mbit/s"
rtt = "20 ms"
buffer = "1 bdp"
{path}

[measure]
window = ["1 s", "100 %"]
{measure}

[[flows]]
cc = "cubic"

[[flows]]
cc = "reno"
{flows}
"""
LINE_MBPS = 40 * 1448 / 1514


def run_of(folder: Path, duration: str = "4 s", path: str = "", flows: str = "", measure: str = "") -> Run:
    """The run of a spec of two flows, and of what is added to it."""
    file = folder / "on-hosts.toml"
    file.write_text(SPEC.format(duration=duration, path=path, flows=flows, measure=measure), encoding="utf-8")
    return resolve(next(iter(expand(load(file)))), 1, live=True).run


def engine(lab: Lab, inventory: Path) -> HostsEngine:
    made = HostsEngine(inventory, lab.config)
    made.allows_programs = True
    return made


def goodputs_mbps(measurement: Measurement) -> list[float]:
    """Of each flow within the window."""
    rates = []
    for flow in measurement.flows:
        begin, end = flow.at_window_begin, flow.at_window_end
        rates.append((end.delivered_bytes - begin.delivered_bytes) * 8e3 / (end.at_ns - begin.at_ns))
    return rates


def check_the_line(measurement: Measurement, line_mbps: float = LINE_MBPS) -> None:
    """What the receivers got is what the line carried, which on a busy machine is less than its rate."""
    begin, end = measurement.bottleneck.at_window_begin, measurement.bottleneck.at_window_end
    carried_mbps = (end.sent_bytes - begin.sent_bytes) * 8e3 / (end.at_ns - begin.at_ns)
    assert sum(goodputs_mbps(measurement)) == pytest.approx(carried_mbps * 1448 / 1514, rel=0.03)
    assert line_mbps / 2 < sum(goodputs_mbps(measurement)) < line_mbps * 1.02


@pytest.fixture(autouse=True)
def _nothing_is_left(lab: Lab) -> Iterator[None]:
    """After each test every host is as it was, but for the agent."""
    before = {name: state(lab, name) for name in lab.hosts}
    yield
    for name, host in lab.hosts.items():
        assert set(state(lab, name)) == set(before[name])
        assert not list(host.home.glob(".dumbbell/tasks/*")), name


def state(lab: Lab, name: str) -> list[str]:
    """What of a host a run could change: links, addresses, rules, routes, disciplines, settings."""
    process = lab.hosts[name].process.pid
    commands = ("ip -o link", "ip -4 -o address", "ip rule", "ip -4 route show table all", "tc qdisc", "sysctl -a")
    texts = [
        re.sub(r" (link-netnsid \d+|state \w+|<[^>]*>)", "", inside(process, *command.split())) for command in commands
    ]
    texts[-1] = "\n".join(line for line in texts[-1].splitlines() if line.startswith(("net.ipv4", "net.core")))
    return "\n".join(texts).splitlines()


def test_two_flows_share_the_line_that_a_router_makes(lab: Lab, tmp_path: Path) -> None:
    hosts, run = engine(lab, lab.testbed(mid="shape = true")), run_of(tmp_path)
    assert hosts.unsupported_fields(run) == []
    measurement = hosts.measure(run)
    check_the_line(measurement)
    queue = measurement.bottleneck.at_end
    assert queue.dropped_packets > 0
    assert queue.offered_packets == queue.sent_packets + queue.dropped_packets + queue.queued_packets
    passed = sum(flow.at_end.bottleneck_bytes for flow in measurement.flows)
    assert passed == pytest.approx(queue.sent_bytes, rel=0.02)
    for flow in measurement.flows:
        assert flow.rtt_min_ns is not None
        assert 20_000_000 <= flow.rtt_min_ns < 22_000_000
        assert len(flow.series.delivered_bytes) == len(flow.series.cwnd_segments) > 50
        assert (flow.series.delivered_bytes[1:] >= flow.series.delivered_bytes[:-1]).all()
    assert measurement.facts["flows[0].hosts"] == "s1 to r1"
    assert measurement.facts["hosts.path"] == "made by mid, for what it forwards"
    assert "in user space" in measurement.facts["mid: relay near108"]


def test_two_senders_meet_at_a_router_though_their_clocks_differ(lab: Lab, tmp_path: Path) -> None:
    hosts = engine(lab, lab.testbed(senders=("s1", "s2"), mid="shape = true"))
    measurement = hosts.measure(run_of(tmp_path))
    assert [measurement.facts[f"flows[{index}].hosts"] for index in range(2)] == ["s1 to r1", "s2 to r1"]
    check_the_line(measurement)
    assert min(goodputs_mbps(measurement)) > 3
    assert int(measurement.facts["s2: clock.ahead_ns"]) == pytest.approx(1e12, rel=1e-3)


@pytest.mark.parametrize("which", ["sender", "receiver"])
def test_an_end_makes_the_path_where_there_is_no_router(lab: Lab, tmp_path: Path, which: str) -> None:
    """At the receiver behind an `ifb`, through which goes what comes in."""
    if which == "sender":
        inventory, path = lab.testbed(router="", s1="shape = true"), ""
    else:
        inventory = lab.testbed(receiver="r2", router="", r2="shape = true")
        path = 'shaper_at = "receiver"\nshaper = "htb"\nburst = "1514 B"'
    measurement = engine(lab, inventory).measure(run_of(tmp_path, path=path))
    check_the_line(measurement)
    assert measurement.bottleneck.at_end.dropped_packets > 0
    assert all(20_000_000 <= (flow.rtt_min_ns or 0) < 22_000_000 for flow in measurement.flows)
    assert measurement.facts["hosts.path"].startswith("made by s1" if which == "sender" else "made by r2")
    assert ("receiver" in which) == any("goes through ifb" in text for text in measurement.facts.values())


@pytest.mark.parametrize("router", ["mid", ""])
def test_a_flow_offers_ecn_by_a_route_of_its_own(lab: Lab, tmp_path: Path, router: str) -> None:
    """Beside one that does not, and of the same two hosts; whether the path is the sender's or a router's."""
    run = run_of(tmp_path, duration="2 s", flows="ecn = true")
    able = "shape = true"
    hosts = engine(lab, lab.testbed(s1=able, mid=able) if router else lab.testbed(router="", s1=able))
    assert hosts.unsupported_fields(run) == []
    facts = hosts.measure(run).facts
    offers = [(facts.get(f"flows[{index}].ecn"), facts.get(f"flows[{index}].ect")) for index in range(2)]
    assert offers == [(None, None), ("1 of 1", "1 of 1")]
    assert facts["s1: ecn of flow 1"] == "offered by a route of table 218"
    assert facts["r1: net.ipv4.tcp_ecn"] == "2"
    if router:
        (refused,) = engine(lab, lab.testbed(mid="shape = true")).unsupported_fields(run)
        assert str(refused).startswith("flows[1].ecn: s1 offers it by a route of its own, which takes root and shape")


def test_an_access_line_is_made_in_the_path(lab: Lab, tmp_path: Path) -> None:
    hosts = engine(lab, lab.testbed(mid="shape = true"))
    file = tmp_path / "line.toml"
    beginning, _, _ = SPEC.format(duration="4 s", path="", flows="", measure="").partition("[[flows]]")
    flow = '[[flows]]\ncc = "cubic"\naccess = { rate = "8 Mbit/s", buffer = "30 kB" }\n'
    file.write_text(f"{beginning}{flow}", encoding="utf-8")
    run = resolve(next(iter(expand(load(file)))), 1, live=True).run
    measurement = hosts.measure(run)
    check_the_line(measurement, line_mbps=8 * 1448 / 1514)
    assert measurement.bottleneck.at_end.dropped_packets == 0
    assert sum(flow.at_end.segments_retransmitted for flow in measurement.flows) > 0
    line, *more = [text for name, text in measurement.facts.items() if "qdisc access" in name]
    assert "rate 1000000 bytes/s" in line
    assert more == []
    file.write_text(f"{beginning}{flow}{flow}", encoding="utf-8")
    both = resolve(next(iter(expand(load(file)))), 1, live=True).run
    refused = [str(problem) for problem in hosts.unsupported_fields(both)]
    assert [text.partition(":")[0] for text in refused] == ["flows[0].access", "flows[1].access"]
    assert "r1 receives other flows, too" in refused[0]


def test_transfers_are_complete_when_the_receiver_has_them(lab: Lab, tmp_path: Path) -> None:
    flows = """
[[flows]]
cc = "cubic"
workload = { transfer = "300 kB" }

[[flows]]
cc = "cubic"
start = "1 s"
workload = { arrivals = { rate = "20 /s", count = 20 }, size = "30 kB" }
"""
    run = run_of(tmp_path, flows=flows)
    *_, transfer, source = engine(lab, lab.testbed(mid="shape = true")).measure(run).flows
    assert transfer.completed_ns is not None
    assert transfer.at_end.delivered_bytes == 300_000
    assert source.transfers is not None
    took_ns = source.transfers.completed_ns - source.transfers.started_ns
    assert len(took_ns) == 20
    assert (took_ns >= 2 * 20_000_000).all(), "a handshake's round trip, and its data's"
    assert (took_ns < 3_000_000_000).all()
    assert source.at_end.delivered_bytes == 20 * 30_000
    assert source.completed_ns == source.transfers.completed_ns.max()


def test_a_run_ends_when_all_is_complete(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "done.toml"
    file.write_text(
        'duration = "until done"\ntime_limit = "60 s"\nseeds = 1\n[path]\nrate = "40 Mbit/s"\nrtt = "20 ms"\n'
        'buffer = "1 bdp"\n[[flows]]\ncc = "reno"\nworkload = { transfer = "5 MB" }\n',
        encoding="utf-8",
    )
    run = resolve(next(iter(expand(load(file)))), 1, live=True).run
    measurement = engine(lab, lab.testbed(mid="shape = true")).measure(run)
    assert measurement.flows[0].completed_ns == measurement.ended_ns
    assert 1_000_000_000 < measurement.ended_ns < 4_000_000_000
    assert measurement.bottleneck.at_end.sent_bytes > 5_000_000
    assert measurement.bottleneck.series.at_ns[-1] < measurement.ended_ns + 3e9, "the path's host learns it soon"


def test_programs_run_at_both_ends(lab: Lab, tmp_path: Path) -> None:
    own = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text(encoding="utf-8").strip()
    parts = '"iperf3", "-c", "{receiver}", "-p", "{port}", "-t", "{seconds}", "-J"'
    server = '"iperf3", "-s", "-1", "-p", "{port}", "-J"'
    flows = f'\n[[flows]]\ncc = "{own}"\nworkload = {{ command = [{parts}], server = [{server}] }}\n'
    hosts, run = engine(lab, lab.testbed(mid="shape = true")), run_of(tmp_path, flows=flows)
    assert hosts.unsupported_fields(run) == []
    assert [each.user for each in hosts.programs(run)] == ["the SSH user of s1", "the SSH user of r1"]
    flow = hosts.measure(run).flows[2]
    assert flow.program is not None
    assert flow.program.server is not None
    assert (flow.program.client.status, flow.program.server.status) == (0, 0)
    assert '"sum_received"' in flow.program.client.stdout
    assert flow.at_end.delivered_bytes > 1_000_000
    hosts.allows_programs = False
    with pytest.raises(EngineFailure, match="--programs"):
        hosts.measure(run)


def test_captures_come_from_where_packets_are(lab: Lab, tmp_path: Path) -> None:
    run = run_of(tmp_path, measure='record = ["series", "pcap"]')
    hosts = engine(lab, lab.testbed(receiver="r2", mid="shape = true"))
    assert hosts.unsupported_fields(run) == []
    folder = tmp_path / "captures"
    folder.mkdir()
    measurement = hosts.capture(run, folder)
    assert sorted(file.name.partition(".")[0] for file in folder.iterdir()) == ["bottleneck", "receivers", "senders"]
    acked_bytes = sorted(flow.sent.acked_bytes for flow in analyse(folder / "senders.pcapng.zst", Sink()).flows)
    delivered_bytes = sorted(flow.at_end.delivered_bytes for flow in measurement.flows)
    assert acked_bytes == [pytest.approx(each, rel=0.03) for each in delivered_bytes]
    assert all(measurement.facts[f"capture.{point}.dropped"] == "0" for point in ("senders", "receivers"))


def test_only_root_captures(lab: Lab, tmp_path: Path) -> None:
    run = run_of(tmp_path, measure='record = ["series", "pcap"]')
    (problem,) = engine(lab, lab.testbed(mid="shape = true")).unsupported_fields(run)
    assert "r1" in str(problem)
    assert "only root captures" in str(problem)


def measured(hosts: HostsEngine, run: Run, disturb: Callable[[], Any], after_s: float) -> Future[Measurement]:
    """A run in the midst of which something is done, which has ended."""
    with ThreadPoolExecutor(1) as pool:
        measuring = pool.submit(hosts.measure, run)
        timer = threading.Timer(after_s, disturb)
        timer.start()
        measuring.exception()
        timer.cancel()
    return measuring


def controlled(lab: Lab, inventory: Path, folder: Path) -> tuple[subprocess.Popen[bytes], list[str]]:
    """A run of the spec of `run_of` in a process of its own, and the options that name its hosts."""
    options = ["--inventory", str(inventory), "--ssh-config", str(lab.config)]
    command = [sys.executable, "-m", "dumbbell", "run", str(folder / "on-hosts.toml"), "--engine", "hosts", *options]
    with (folder / "said").open("ab") as said:
        return subprocess.Popen([*command, "--out", str(folder / "store")], stdout=said, stderr=said), options


def kill(*parts: str) -> int:
    """Kills all processes of this machine with these parts on their command lines; gives how many."""
    matching = []
    for process, _, _ in processes():
        with suppress(OSError):
            line = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            matching += [process] if all(word in line for word in parts) else []
    for process in matching:
        os.kill(process, signal.SIGKILL)
    return len(matching)


def test_the_run_goes_on_when_the_connection_is_cut(lab: Lab, tmp_path: Path) -> None:
    hosts, run = engine(lab, lab.testbed(mid="shape = true")), run_of(tmp_path, duration="6 s")
    measurement = measured(hosts, run, lambda: kill("ssh", str(lab.config), "-- s1"), 4.0).result()
    assert measurement.facts["s1: connection.lost"] == "1"
    check_the_line(measurement)


@pytest.mark.long
@pytest.mark.skipif(
    "DUMBBELL_STEP_CLOCK" not in os.environ, reason="it steps this machine's clock; DUMBBELL_STEP_CLOCK=1"
)
def test_a_step_of_the_clock_moves_nothing(lab: Lab, tmp_path: Path) -> None:
    hosts, run = engine(lab, lab.testbed(mid="shape = true")), run_of(tmp_path, duration="6 s")

    def step(seconds: float) -> None:
        time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)

    try:
        measurement = measured(hosts, run, lambda: step(100), 4.0).result()
    finally:
        step(-100)
    check_the_line(measurement)
    assert all(flow.at_end.at_ns == pytest.approx(6e9, rel=0.01) for flow in measurement.flows)


def test_what_a_killed_controller_began_the_next_one_collects(lab: Lab, tmp_path: Path) -> None:
    inventory = lab.testbed(mid="shape = true")
    run_of(tmp_path, duration="6 s")
    first, _ = controlled(lab, inventory, tmp_path)
    begun = [*(host.home / ".dumbbell/tasks" for host in (lab.hosts["s1"], lab.hosts["mid"]))]
    assert soon(lambda: all(list(each.glob("*/go")) for each in begun))
    first.kill()
    first.wait()
    second, _ = controlled(lab, inventory, tmp_path)
    beginnings: set[str] = set()

    def is_over() -> bool:
        with suppress(OSError):
            beginnings.update(file.read_text(encoding="utf-8") for file in begun[0].glob("*/go"))
        return second.poll() is not None

    assert soon(is_over)
    assert len(beginnings) == 1, "it began nothing of its own"
    assert second.returncode == 0
    assert "reno" in (tmp_path / "said").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "step"), [("s1", "measure"), ("r1", "measure"), ("mid", "measure")])
def test_an_agent_that_is_killed_is_named(lab: Lab, tmp_path: Path, name: str, step: str) -> None:
    """All of it: who does the job, and who keeps it."""
    hosts, run = engine(lab, lab.testbed(mid="shape = true")), run_of(tmp_path)

    def disturb() -> None:
        for ending in (b"\0task\0", b"outcome.json\0"):
            end_agent(lab, name, ending)

    failure = measured(hosts, run, disturb, 3.0).exception()
    assert isinstance(failure, EngineFailure)
    assert str(failure).startswith(f"{name}: {step}: ")


def elsewhere(lab: Lab, name: str, script: str) -> subprocess.Popen[bytes]:
    """A program of Python in the network of a host."""
    enter = ["/usr/bin/env", "nsenter", f"--net=/proc/{lab.hosts[name].process.pid}/ns/net"]
    return subprocess.Popen(
        [*enter, sys.executable, "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.mark.parametrize("port", [30_002, 40_000])
def test_strangers_are_no_flow(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """Who connects to a receiver that waits is let go: by the sender's port from elsewhere, or by another port."""
    monkeypatch.setattr(secrets, "randbelow", lambda _: 0)
    script = f"""
import socket, time
while True:
    try:
        with socket.create_connection(("{data_address("r1")}", 10002), 1, ("{data_address("s2")}", {port})) as stranger:
            stranger.recv(1)
        break
    except ConnectionRefusedError:
        time.sleep(0.02)
    except OSError:
        break
"""
    stranger = elsewhere(lab, "s2", script)
    run = run_of(tmp_path, flows='\n[[flows]]\ncc = "cubic"\nstart = "2 s"\n')
    measurement = engine(lab, lab.testbed(mid="shape = true")).measure(run)
    assert stranger.wait(10) == 0
    assert measurement.flows[2].at_end.delivered_bytes > 100_000
    check_the_line(measurement)


def test_what_else_an_interface_carries_makes_a_run_suspect(lab: Lab, tmp_path: Path) -> None:
    script = f"""
import socket, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
    for _ in range(8_000):
        other.sendto(bytes(1400), ("{data_address("r1")}", 9))
        time.sleep(0.001)
"""
    other = elsewhere(lab, "s2", script)
    measurement = engine(lab, lab.testbed(mid="shape = true")).measure(run_of(tmp_path))
    other.kill()
    other.wait()
    reasons = [each for each in disturbances(measurement.facts) if "of what its interface" in each]
    assert [each.split()[1] for each in reasons] == ["r1:"]


def test_what_nobody_collects_is_cleaned_away(lab: Lab, tmp_path: Path) -> None:
    """A controller is killed in the midst of a run, whose path was just built at the receiver."""
    inventory = lab.testbed(receiver="r2", router="", r2="shape = true")
    run_of(tmp_path, duration="60 s")
    controller, options = controlled(lab, inventory, tmp_path)
    tasks = [lab.hosts[name].home / ".dumbbell/tasks" for name in ("s1", "r2")]
    assert soon(lambda: all(list(each.glob("*/go")) for each in tasks))
    controller.kill()
    controller.wait()
    assert "ingress_block 21903" in "".join(state(lab, "r2"))
    ended = dumbbell("doctor", "--clean", *options)
    assert ended.returncode == 0
    assert [line.partition(":")[0] for line in ended.stdout.splitlines()] == ["s1", "r2"]
    assert ended.stdout.count("removed; .dumbbell removed") == 2
    assert not any((lab.hosts[name].home / ".dumbbell").exists() for name in ("s1", "r2"))


def test_a_run_that_nobody_waits_for_takes_its_path_away_at_its_end(lab: Lab, tmp_path: Path) -> None:
    inventory = lab.testbed(receiver="r2", router="", r2="shape = true")
    run_of(tmp_path)
    before = state(lab, "r2")
    controller, options = controlled(lab, inventory, tmp_path)
    tasks = lab.hosts["r2"].home / ".dumbbell/tasks"
    assert soon(lambda: bool(list(tasks.glob("*/go"))))
    controller.kill()
    controller.wait()
    assert state(lab, "r2") != before
    assert soon(lambda: bool(list(tasks.glob("*/outcome.json"))))
    assert soon(lambda: set(state(lab, "r2")) == set(before))
    assert dumbbell("doctor", "--clean", *options).returncode == 0


def test_an_interrupted_run_leaves_nothing(lab: Lab, tmp_path: Path) -> None:
    run_of(tmp_path, duration="60 s")
    controller, _ = controlled(lab, lab.testbed(mid="shape = true"), tmp_path)
    tasks = [lab.hosts[name].home / ".dumbbell/tasks" for name in ("s1", "r1", "mid")]
    assert soon(lambda: all(list(each.glob("*/go")) for each in tasks))
    controller.send_signal(signal.SIGINT)
    assert controller.wait(HANG_S) == 130
    assert soon(lambda: not any(list(each.glob("*")) for each in tasks))


def test_a_full_disk_is_named(lab: Lab, tmp_path: Path) -> None:
    hosts, run = engine(lab, lab.testbed(mid="shape = true")), run_of(tmp_path)
    assert hosts.unsupported_fields(run) == []
    filling = lab.hosts["s1"].home / "filling"
    with suppress(OSError), filling.open("wb") as file:
        while True:
            file.write(bytes(2**20))
    try:
        with pytest.raises(EngineFailure, match=r"^s1: begin the task: .*No space left"):
            hosts.measure(run)
    finally:
        filling.unlink()


def test_a_user_who_is_not_root_makes_no_path(lab: Lab, tmp_path: Path) -> None:
    hosts = engine(lab, lab.testbed(r1="shape = true"))
    with pytest.raises(EngineFailure, match="r1: shape: who shapes must be root there, and SSH comes in as user"):
        hosts.unsupported_fields(run_of(tmp_path))


def test_an_ingress_discipline_of_the_hosts_own_is_left_alone(lab: Lab, tmp_path: Path) -> None:
    process = lab.hosts["r2"].process.pid
    hosts = engine(lab, lab.testbed(receiver="r2", router="", r2="shape = true"))
    inside(process, "tc", "qdisc", "add", "dev", "eth1", "ingress")
    try:
        with pytest.raises(EngineFailure, match=r"^r2: set up: .*ingress on eth1: EEXIST"):
            hosts.measure(run_of(tmp_path))
        assert "ingress" in inside(process, "tc", "qdisc", "show", "dev", "eth1")
    finally:
        inside(process, "tc", "qdisc", "delete", "dev", "eth1", "ingress")


def test_flows_are_watched_where_they_begin(lab: Lab, tmp_path: Path) -> None:
    readings: list[LiveReading] = []

    class Audience:
        def begin(self, run: Run) -> None:
            del run

        def read(self, run: Run, reading: LiveReading) -> None:
            del run
            readings.append(reading)

        def end(self, run: Run) -> None:
            del run

    hosts = engine(lab, lab.testbed(senders=("s1", "s2"), mid="shape = true"))
    hosts.watcher = Audience()
    measurement = hosts.measure(run_of(tmp_path))
    assert len(readings) > 10
    assert [flow.running for flow in readings[-1].flows] == [True, True]
    for flow, last in zip(measurement.flows, readings[-1].flows, strict=True):
        assert last.acked_bytes == pytest.approx(flow.at_end.delivered_bytes, rel=0.3), "within a reading of the end"
        assert last.cwnd_segments > 0
        assert last.srtt_us >= 20_000


STEPS = ("job.json", "lock", "ready", "go", "outcome.json")
"""What is in the folder of a task when it was begun, has a keeper, is set up, runs, and has ended."""


def test_what_a_kill_leaves_half_made_is_known_as_ours(lab: Lab, tmp_path: Path) -> None:
    """An ingress discipline without its filters, as a kill between the two leaves it."""
    run_of(tmp_path)
    process = lab.hosts["r2"].process.pid
    controller, options = controlled(lab, lab.testbed(receiver="r2", router="", r2="shape = true"), tmp_path)
    assert soon(lambda: bool(list(lab.hosts["r2"].home.glob(".dumbbell/tasks/*/go"))))
    for ending in (b"\0task\0", b"outcome.json\0"):
        end_agent(lab, "r2", ending)
    controller.kill()
    controller.wait()
    inside(process, "tc", "filter", "delete", "block", "21903")
    assert "ingress_block 21903" in inside(process, "tc", "qdisc", "show", "dev", "eth1")
    assert dumbbell("doctor", "--clean", *options).returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("killed", ["controller", "keeper", "worker"])
def test_a_kill_at_any_step_leaves_nothing_that_is_not_cleaned(
    lab: Lab, tmp_path: Path, step: str, killed: str
) -> None:
    """Of the controller, or of a process of the agent on the host that makes the path, with its ingress discipline."""
    inventory = lab.testbed(receiver="r2", router="", r2="shape = true")
    run_of(tmp_path, duration="3 s")
    controller, options = controlled(lab, inventory, tmp_path)
    reached = lab.hosts["r2"].home.glob
    assert soon(lambda: bool(list(reached(f".dumbbell/tasks/*/{step}"))) or controller.poll() is not None)
    assert controller.poll() is None, (tmp_path / "said").read_text(encoding="utf-8")
    if killed == "controller":
        controller.kill()
    else:
        end_agent(lab, "r2", b"\0task\0" if killed == "keeper" else b"outcome.json\0")
    controller.wait(HANG_S)
    text = (tmp_path / "said").read_text(encoding="utf-8")
    assert "Traceback" not in text
    if killed != "controller" and controller.returncode:
        assert "r2: " in text, "the host is named"
    assert dumbbell("doctor", "--clean", *options).returncode == 0
    assert not any((lab.hosts[name].home / ".dumbbell").exists() for name in ("s1", "r2"))


def end_agent(lab: Lab, name: str, ending: bytes) -> None:
    """Kills a host's processes whose command lines end so."""
    own = Path(f"/proc/{lab.hosts[name].process.pid}/ns/net").readlink()
    for process, _, _ in processes():
        with suppress(OSError):
            line = Path(f"/proc/{process}/cmdline").read_bytes()
            if Path(f"/proc/{process}/ns/net").readlink() == own and line.endswith(ending):
                os.kill(process, signal.SIGKILL)
