"""What `--dry-run` prints of a live run, typed by a person, makes the network that the agent makes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dev.namespaces import built_network
from dumbbell.engines import agent
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.steps import Step
from dumbbell.spec import Experiment, expand, resolve
from processes import soon

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("live")]
PATH = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "40 packets", "queue": "packets"}
TOOLS = ("ip", "tc", "ethtool", "sysctl", "nsenter")
OFFLOADS = ("tx-tcp-segmentation", "generic-segmentation-offload", "generic-receive-offload")
"""Those that TCP over IPv4 without AccECN has."""
OWN_TO_EACH = {"link_netnsid", "link_netns", "link_index", "link", "ifindex", "txqlen", "refcnt", "stats64", "group"}
"""What the kernel numbers as it likes, or shows only where the other end has a name."""


@pytest.fixture(autouse=True)
def _able() -> None:
    """This machine has the tools."""
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")


@contextmanager
def typed(steps: list[Step]) -> Iterator[dict[str, list[str]]]:
    """Carries out the commands; gives how each host is entered."""
    environment = os.environ | {"PATH": f"{agent.path().parent}:{os.environ['PATH']}"}
    names = {step.host: step.command[-1] for step in steps if step.command[:3] == ("ip", "netns", "add")}
    with ExitStack() as stack:
        for step in steps:
            if step.command[0] == "dumbbell-agent":
                relay = stack.enter_context(subprocess.Popen(step.command, env=environment))
                stack.callback(relay.kill)
                wait_for(names[step.host], step.command[5])
                continue
            if step.command[:3] == ("ip", "netns", "add"):
                stack.callback(subprocess.run, ["ip", "netns", "del", step.command[-1]], check=True)
            done = subprocess.run(step.command, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (step.command, done.stderr)
        yield {host: ["ip", "netns", "exec", name] for host, name in names.items()}


def wait_for(namespace: str, device: str) -> None:
    """Returns when the relay has made its device."""
    shown = ["ip", "-n", namespace, "link", "show", "dev", device]
    assert soon(lambda: subprocess.run(shown, capture_output=True, check=False).returncode == 0)


def output_of(enter: list[str], *command: str) -> str:
    return subprocess.run([*enter, *command], capture_output=True, text=True, check=True).stdout


def json_of(enter: list[str], *command: str) -> Any:
    return bare(json.loads(output_of(enter, *command)))


def bare(parsed: Any) -> Any:
    """Without what differs from one namespace to the next."""
    if isinstance(parsed, dict):
        return {key: bare(value) for key, value in parsed.items() if key not in OWN_TO_EACH}
    return [bare(each) for each in parsed] if isinstance(parsed, list) else parsed


def state(enter: list[str], settings: list[str]) -> dict[str, Any]:
    links = json_of(enter, "ip", "-j", "-d", "address")
    devices = [link["ifname"] for link in links if link["ifname"] != "lo" and link.get("link_type") == "ether"]
    return {
        "links": sorted(links, key=lambda link: str(link["ifname"])),
        "routes": json_of(enter, "ip", "-j", "-d", "route"),
        "disciplines": json_of(enter, "tc", "-j", "-d", "qdisc", "show"),
        # Not every kind of class and filter has a form in JSON.
        "classes": [output_of(enter, "tc", "-d", "class", "show", "dev", device) for device in devices],
        "filters": [
            output_of(enter, "tc", "-d", "filter", "show", "dev", device, *at)
            for device in devices
            for at in ((), ("ingress",))
        ],
        "settings": output_of(enter, "sysctl", *settings),
        "offloads": [
            {name: features[name]["active"] for name in OFFLOADS}
            for device in devices
            for features in json_of(enter, "ethtool", "--json", "-k", device)
        ],
    }


ROUTER = {"loss": "1 %"}
RECEIVER = {"shaper": "htb", "shaper_at": "receiver", "burst": "1600 B"}


@pytest.mark.parametrize(("path", "hosts", "bucket"), [
    (ROUTER, {"sender", "gate", "near", "receiver"}, "tbf rate 2500000bps burst 5000 limit 40"),
    (RECEIVER, {"sender", "near", "receiver"}, "htb rate 2500000bps ceil 2500000bps burst 1600 cburst 1600"),
])  # fmt: skip
def test_the_commands_make_the_same_network(path: dict[str, str], hosts: set[str], bucket: str, tmp_path: Path) -> None:
    flows: list[dict[str, Any]] = [
        {"cc": "bbr"},
        {"cc": "cubic", "rtt": "40 ms", "ecn": True},
        {"cc": "reno", "workload": {"command": ["true", "{port}"]}},
    ]
    (point,) = expand(Experiment(duration="1 s", path=PATH | path, flows=flows, host={"initial_window": 20}))
    run = resolve(point, 1, live=True).run
    *steps, program = NetnsEngine().plan(run)
    assert program.command[-2:] == ("true", "10002")
    settings: dict[str, list[str]] = {step.host: [] for step in steps}
    for step in steps:
        if "sysctl" in step.command:
            settings[step.host].append(step.command[-1].partition("=")[0])
    with typed(steps) as by_hand, built_network(run, tmp_path) as by_agent:
        assert set(by_hand) == set(by_agent) == hosts
        for host in by_hand:
            mine, its = state(by_hand[host], settings[host]), state(by_agent[host], settings[host])
            for what in mine:
                assert mine[what] == its[what], (host, what)
    assert any(bucket in " ".join(step.command) for step in steps)
    left = [each.name for each in Path("/run/netns").glob("*") if each.name in {name[-1] for name in by_hand.values()}]
    assert left == []
