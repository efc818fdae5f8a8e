"""The path between two hosts behind a real `sshd`, measured."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from commandline import dumbbell
from dev.sshlab import Lab, data_address, data_interface, inside
from dumbbell.engines import agent
from dumbbell.engines.hosts.failure import HostFailure
from dumbbell.engines.hosts.inventory import read
from dumbbell.engines.hosts.path import ends, measure_path
from dumbbell.engines.hosts.ssh import Patience
from dumbbell.spec import load
from processes import HANG_S, soon

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_agents")]
RATE_BPS, QUEUE_BYTES = 20e6, 60_000
ECHO: Final = {"sent_ns": 1, "there_ns": 2, "left_ns": 3, "back_ns": 4}
IDLE: Final = {"sent": 1, "echoes": [ECHO]}
IMPATIENT = Patience(connect_s=3, answer_s=2, copy_s=60)


@pytest.fixture
def inventory(lab: Lab) -> Iterator[Path]:
    """A sender and the receiver of the lab, whose router has a bottleneck towards the receiver."""
    device = ["dev", data_interface("mid"), "root"]
    bucket = ["rate", f"{RATE_BPS:.0f}bit", "burst", "5000", "limit", str(QUEUE_BYTES)]
    inside(lab.hosts["mid"].process.pid, "tc", "qdisc", "add", *device, "tbf", *bucket)
    yield lab.testbed(router="")
    inside(lab.hosts["mid"].process.pid, "tc", "qdisc", "delete", *device)
    inside(lab.hosts["mid"].process.pid, "sysctl", "-q", "net.ipv4.ip_forward=1")


def test_a_path_is_measured_and_its_spec_can_be_run(lab: Lab, inventory: Path, tmp_path: Path) -> None:
    spec = tmp_path / "path.toml"
    done = dumbbell(
        "measure-path", "--inventory", inventory, "--ssh-config", lab.config, "--from", "s1", "--load", "--time", "3 s",
        "--spec", spec, "--json",
    )  # fmt: skip
    announced, written = done.stderr.splitlines()
    assert announced.startswith(f"note: s1 sends to r1 ({data_address('r1')}): 50 small packets")
    assert "one TCP flow that fills the path, for 3 s or 1.0 GB at most" in announced
    measured = json.loads(done.stdout)
    assert (measured["from"], measured["to"]) == ("s1", "r1")
    rate, rtt, queue = (measured[each] for each in ("rate_bps", "rtt_ns", "queue_bytes"))
    assert rate["value"] == pytest.approx(RATE_BPS, rel=0.02)
    assert queue["low"] <= QUEUE_BYTES <= queue["high"]
    assert queue["value"] == pytest.approx(QUEUE_BYTES, rel=0.15)
    assert 0 <= rtt["low"] < rtt["value"] < 2e6
    assert measured["limit"].startswith("the path: its queue overflowed")
    assert written == str(spec)
    fields = tomllib.loads(spec.read_text(encoding="utf-8"))
    assert [flow["cc"] for flow in fields["flows"]] == ["bbr", "cubic"]
    assert float(fields["path"]["rate"].removesuffix(" Mbit/s")) == pytest.approx(RATE_BPS / 1e6, rel=0.02)
    assert load(spec).fields()["path"]["buffer"] == fields["path"]["buffer"]


def test_without_a_load_only_the_base_rtt_is_known(lab: Lab, inventory: Path) -> None:
    done = dumbbell("measure-path", "--inventory", inventory, "--ssh-config", lab.config)
    rows = {line[:11].strip(): line for line in done.stdout.splitlines()}
    assert "the fastest of 50 small packets" in rows["base RTT"]
    for row in ("rate", "queue", "random loss"):
        assert "not measured: needs --load" in rows[row]
    assert "flow" not in done.stderr


def test_what_a_host_does_not_do_names_it_and_the_step(lab: Lab, inventory: Path) -> None:
    sender, receiver = ends(read(inventory), None, None)
    elsewhere = receiver.model_copy(update={"address": "192.0.2.1"})
    with pytest.raises(HostFailure, match=r"^r1: reflect: the agent cannot: bind UDP to 192\.0\.2\.1: "):
        measure_path(sender, elsewhere, None, str(lab.config))
    unused = sender.model_copy(update={"address": "198.51.100.3"})
    with pytest.raises(HostFailure, match=r"^s1: measure the path: the agent cannot: bind UDP to 198\.51\.100\.3: "):
        measure_path(unused, receiver, None, str(lab.config))
    inside(lab.hosts["mid"].process.pid, "sysctl", "-q", "net.ipv4.ip_forward=0")
    with pytest.raises(HostFailure, match=r"^s1: measure the path: .*no echo came back"):
        measure_path(sender, receiver, 1.0, str(lab.config))
    with pytest.raises(HostFailure, match=r"^s1: measure the path: none of 50 small packets \(UDP\) to 192"):
        measure_path(sender, receiver, None, str(lab.config))


@pytest.mark.parametrize(
    "answer",
    [
        {"path": {"echo_bytes": 58, "idle": {"sent": 1, "echoes": [{"sent_ns": -1}]}}},
        {"path": {"echo_bytes": 0, "idle": IDLE, "loaded": IDLE, "load": None}},
        {"path": {"echo_bytes": 58, "idle": {"sent": 1, "echoes": [ECHO] * 5000}, "loaded": IDLE, "load": None}},
        {"path": {"echo_bytes": 58, "idle": IDLE, "loaded": IDLE, "load": None, "shell": "sh"}},
        {"reflect": {"udp": 1, "tcp": 1}},
    ],
)
def test_a_sender_that_lies(lab: Lab, inventory: Path, own_agent: str, answer: dict[str, Any]) -> None:
    sender, receiver = ends(read(inventory), None, None)
    measure_path(sender, receiver, None, str(lab.config))  # brings the agents
    hello = {"version": "1", "sha256": agent.identity(), "architecture": "x86_64", "kernel": "6", "uid": 0, "cores": 1}
    lines = [json.dumps({"id": nth, "answer": each}) for nth, each in ((1, {"hello": hello}), (2, answer))]
    answers = lab.hosts["s1"].home / "answers"
    answers.write_text("\n".join([*lines, ""]), encoding="utf-8")
    lab.hosts["s1"].fake_agent(own_agent, f'while read x; do read -r y <&3; printf "%s\\n" "$y"; done 3<{answers}')
    with pytest.raises(HostFailure, match=r"^s1: measure the path: answers what our agent never would: "):
        measure_path(sender, receiver, None, str(lab.config), IMPATIENT)


def test_a_load_ends_with_the_connection(lab: Lab, inventory: Path) -> None:
    """The controller's: nothing of it goes on."""
    options = ["--inventory", str(inventory), "--ssh-config", str(lab.config), "--load"]
    command = [sys.executable, "-m", "dumbbell", "measure-path", *options]
    shown = ["ip", "-j", "-s", "link", "show", "dev", data_interface("mid")]

    def count() -> int:
        return int(json.loads(inside(lab.hosts["mid"].process.pid, *shown))[0]["stats64"]["tx"]["bytes"])

    def carried() -> int:
        before = count()
        time.sleep(0.3)
        return count() - before

    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert soon(lambda: carried() > 500_000)
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG_S) == 130
        assert carried() < 100_000


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--spec", "x.toml"], "--spec: a path's rate is known only with --load; add --load"),
        (["--load", "--time", "11 s"], "--time: is 11 s; give 1 s to 10 s"),
        (["--from", "bob"], '--from: the inventory has no "bob" there; write one of s1'),
        (["--load", "--cc", "bbrr"], 'unknown "bbrr"; did you mean "bbr'),
    ],
)
def test_what_makes_no_sense_is_one_message(lab: Lab, inventory: Path, arguments: list[str], error: str) -> None:
    done = dumbbell("measure-path", "--inventory", inventory, "--ssh-config", lab.config, *arguments)
    assert done.returncode == 2
    assert error in done.stderr
    assert done.stdout == ""


def test_an_agent_ends_with_its_input() -> None:
    """Also where its own connection alone is lost."""
    ports = {"udp": 9, "tcp": 9}
    request = {"address": "127.0.0.1", "to": "127.0.0.1", "ports": ports, "token": 1, "load_ms": None, "most_bytes": 0}
    line = json.dumps({"id": 1, "request": {"path": request}}) + "\n"
    done = subprocess.run([agent.path(), "serve"], input=line, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"id": 1, "error": "the controller has gone"}
