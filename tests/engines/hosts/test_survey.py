"""Hosts behind a real `sshd`: what they answer, how the agent comes there, and what is said of each fault."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commandline import dumbbell
from dev.sshlab import LACKING, SHIFT_S, UID, Lab, key, public
from dumbbell.engines import agent
from dumbbell.engines.hosts.clock import clock_offset
from dumbbell.engines.hosts.connection import HostConnection
from dumbbell.engines.hosts.failure import HostFailure
from dumbbell.engines.hosts.inventory import InventoryHost, read
from dumbbell.engines.hosts.ssh import Clients, Patience
from dumbbell.engines.hosts.survey import HostReport, survey
from dumbbell.metrics.number import size
from processes import HANG_S, processes, soon

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_agents")]
IMPATIENT = Patience(connect_s=3, answer_s=2, copy_s=60)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which this process is, its home, and where it makes temporary files."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "TMPDIR", "DUMBBELL_CACHE", "DUMBBELL_DATA"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def reports(lab: Lab, patience: Patience | None = None, **more: str) -> dict[str, HostReport]:
    return {each.name: each for each in survey(read(lab.inventory(**more)), str(lab.config), patience)}


def problem(lab: Lab, name: str = "s1", patience: Patience = IMPATIENT) -> str:
    """What is wrong with a host; nothing is with the others."""
    by_name = reports(lab, patience)
    assert [each.problems for each in by_name.values() if each.name != name] == [()] * 3
    (only,) = by_name[name].problems
    return only


def test_what_hosts_answer(lab: Lab) -> None:
    by_name = reports(lab, mid="shape = true")
    for name, report in by_name.items():
        assert report.problems == (), name
        assert report.hello is not None
        assert report.description is not None
        assert (report.hello.kernel, report.hello.architecture) == (os.uname().release, os.uname().machine)
        assert report.hello.uid == (UID if name == "r1" else 0)
        assert report.hello.cores <= (os.cpu_count() or 1)
        interfaces = {each.name: each for each in report.description.interfaces}
        assert {"lo", "eth0"} < set(interfaces)
        assert f"{lab.hosts[name].address}/30" in interfaces["eth0"].addresses
        assert (interfaces["lo"].qdisc, interfaces["eth0"].up, interfaces["eth0"].mtu_bytes) == ("noqueue", True, 1500)
        available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="utf-8")
        allowed = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text(encoding="utf-8")
        assert set(report.description.available) == set((allowed if name == "r1" else available).split())
        assert report.description.default in available.split()
        assert {"reno"} <= set(report.controls)
        for tool, file in report.description.tools.items():
            lacking = name == "s2" and tool in LACKING
            there = (
                None
                if lacking
                else shutil.which(tool, path=f"{os.defpath}:/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin")
            )
            assert (file is None) == (there is None), tool
            assert file is None or (Path(file).name == tool and Path(file).is_file())
        assert (report.description.means is not None) == (name == "mid")


def test_clocks_of_one_machine_are_the_same_within_their_error(lab: Lab) -> None:
    by_name = reports(lab)
    offsets = {name: report.clock for name, report in by_name.items()}
    for name, offset in offsets.items():
        assert offset is not None
        assert abs(offset.realtime_ns) <= offset.error_ns, name
        shift_ns = SHIFT_S * 10**9 if name == "s2" else 0
        assert abs(offset.monotonic_ns - shift_ns) <= offset.error_ns, name
    first, second = offsets["s1"], offsets["s2"]
    assert first is not None
    assert second is not None
    between = second.minus(first)
    assert abs(between.realtime_ns) <= between.error_ns == first.error_ns + second.error_ns
    assert abs(between.monotonic_ns - SHIFT_S * 10**9) <= between.error_ns


def test_a_clock_is_measured_again_on_the_same_connection(lab: Lab) -> None:
    with HostConnection(of("s2"), str(lab.config), Clients(), Patience()) as connection:
        begin, end = clock_offset(connection), clock_offset(connection, samples=4)
        assert abs(end.minus(begin).monotonic_ns) <= begin.error_ns + end.error_ns


def test_the_agent_is_copied_once(lab: Lab, own_agent: str) -> None:
    first, second = reports(lab), reports(lab)
    assert [each.copied for each in first.values()] == [True] * 4
    assert [each.copied for each in second.values()] == [False] * 4
    for name in first:
        each = lab.hosts[name]
        assert each.agents == [each.home / own_agent], name
        assert each.agents[0].read_bytes() == agent.path().read_bytes()
        assert each.agents[0].stat().st_mode & 0o777 == 0o700
        assert each.agents[0].parent.stat().st_mode & 0o777 == 0o700


def test_another_program_under_the_agents_name_is_refused(lab: Lab, own_agent: str) -> None:
    """One that is an agent, too, with one byte more."""
    reports(lab)
    file = lab.hosts["s1"].home / own_agent
    file.write_bytes(file.read_bytes() + b"\0")
    assert problem(lab).startswith(f"hello: {own_agent} is another program than our agent: SHA-256 ")


@pytest.mark.parametrize("name", ["s1", "r1"])
def test_an_agent_of_another_architecture(lab: Lab, own_agent: str, name: str) -> None:
    """Our agent that says of itself that it is for another machine, below two kinds of shell."""
    reports(lab)
    file = lab.hosts[name].home / own_agent
    program = bytearray(file.read_bytes())
    program[18:20] = (243).to_bytes(2, "little")  # `e_machine` of ELF: RISC-V
    file.write_bytes(program)
    text = problem(lab, name)
    assert text.startswith("hello: the agent for x86-64 ended with status ")
    assert "for aarch64 `make agent-aarch64` of the source builds one" in text


def test_the_next_agent_is_tried_where_one_cannot_be_executed(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = agent.path()
    foreign = tmp_path / "dumbbell-agent"
    program = bytearray(own.read_bytes())
    program[18:20] = (243).to_bytes(2, "little")
    foreign.write_bytes(program)
    monkeypatch.setattr(agent, "paths", lambda: {"RISC-V": foreign, "x86-64": own})
    for copied in (True, False):
        for report in reports(lab).values():
            assert (report.problems, report.copied) == ((), copied)
            assert report.hello is not None
            assert report.hello.sha256 == agent.identity()


def test_two_names_of_one_host(lab: Lab, own_agent: str) -> None:
    """Both bring the agent at once."""
    file = lab.inventory()
    file.write_text(file.read_text(encoding="utf-8").replace('ssh = "s2"', 'ssh = "s1"'), encoding="utf-8")
    both = survey(read(file), str(lab.config))[:2]
    assert [each.hello is not None for each in both] == [True, True]
    assert lab.hosts["s1"].agents == [lab.hosts["s1"].home / own_agent]


def test_an_agent_that_cannot_be_executed(lab: Lab, own_agent: str) -> None:
    reports(lab)
    (lab.hosts["s1"].home / own_agent).chmod(0o600)
    assert "Permission denied; " in problem(lab)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "echo Welcome; sleep 60",
            'hello: answers what our agent never would: "Welcome"; a start-up file of its shell',
        ),
        ("yes", 'hello: answers what our agent never would: "y"'),
        ("tr '\\0' x </dev/zero", "hello: an answer of more than 4 MB, which no agent gives; the rest is not read"),
        ("yes >&2", "hello: no answer within 5 s"),
        ("sleep 60", "hello: no answer within 5 s"),
        ("read x; exit 3", "hello: the agent for x86-64 ended with status 3: it printed nothing"),
        ("echo why >&2; exit 1", "hello: the agent for x86-64 ended with status 1: why"),
        ("printf '\\033[2J\\377\\n'", "hello: answers what our agent never would: "),
        ("yes '[' | tr -d '\\n' | head -c 1000000; echo", "hello: answers what our agent never would: "),
        ('echo \'{"id":1,"answer":{"clock":{"realtime_ns":1,"monotonic_ns":1}}}\'', "hello: answers what our agent"),
        ('echo \'{"id":2,"answer":{}}\'', "hello: answers what our agent never would: "),
        ('echo \'{"id":1,"error":"\\u001b[2Jno"}\'', "hello: the agent cannot: "),
        ('echo \'{"id":1,"answer":{"hello":{"version":"../../x"}}}\'', "hello: answers what our agent never would: "),
        ("kill -9 $$", "hello: the agent was killed, or the connection was lost"),
    ],
)
def test_a_hostile_host(lab: Lab, own_agent: str, script: str, said: str, outside: Path) -> None:
    reports(lab)
    lab.hosts["s1"].fake_agent(own_agent, script)
    text = problem(lab)
    assert text.startswith(said)
    assert len(text) < 500
    assert text.isprintable()
    assert list(outside.iterdir()) == [], "nothing of it is written"


def test_a_host_that_lies_about_its_names(lab: Lab, own_agent: str) -> None:
    """It is our agent at first; what it describes has names that are paths."""
    reports(lab)
    hello = {"version": "1", "sha256": agent.identity(), "architecture": "x86_64", "kernel": "6", "uid": 0, "cores": 1}
    describe: dict[str, Any] = {"loadable": [], "tools": {}, "interfaces": [], "means": None, "load": 0}
    describe["default"] = "reno"
    for names, said in (
        (["../../etc"], "describe"),
        (["a" * 65], "describe"),
        (["ok\n"], "describe"),
        ([".."], "describe"),
        (["x"] * 5000, "describe"),
        (["ok"], "clock"),
    ):
        lines = [
            json.dumps({"id": nth, "answer": answer})
            for nth, answer in ((1, {"hello": hello}), (2, {"describe": {**describe, "available": names}}))
        ]
        answers = lab.hosts["s1"].home / "answers"
        answers.write_text("\n".join([*lines, ""]), encoding="utf-8")
        lab.hosts["s1"].fake_agent(own_agent, f'while read x; do read -r y <&3; printf "%s\\n" "$y"; done 3<{answers}')
        assert problem(lab).startswith(f"{said}: answers what our agent never would: ")


def test_more_than_was_asked_for_is_garbage(lab: Lab, own_agent: str) -> None:
    reports(lab)
    hello = {"version": "1", "sha256": agent.identity(), "architecture": "x86_64", "kernel": "6", "uid": 0, "cores": 1}
    line = json.dumps({"id": 1, "answer": {"hello": hello}})
    lab.hosts["s1"].fake_agent(own_agent, f"echo '{line}\n{line}'; sleep 60")
    assert problem(lab).startswith("describe: answers what our agent never would: ")


def test_faults_of_ssh(lab: Lab) -> None:
    known, config = lab.known_hosts.read_text(encoding="utf-8"), lab.config.read_text(encoding="utf-8")
    own = f"[{lab.hosts['s1'].address}]:{lab.hosts['s1'].port} "
    key(lab.folder / "other_key")
    without = "".join(line for line in known.splitlines(keepends=True) if not line.startswith(own))
    other = f"{own}{public(lab.folder / 'other_key')}\n"

    def of_s1(old: str, new: str) -> str:
        head, _, rest = config.partition("Host s2")
        assert old in head
        return head.replace(old, new) + "Host s2" + rest

    port = f"Port {lab.hosts['s1'].port}"
    address = f"HostName {lab.hosts['s1'].address}"
    cases = [
        (without, config, "connect: its host key is not known; compare its fingerprint and accept it once: ssh s1"),
        (without + other, config, "connect: its host key has changed, or another host answers; find out why, "),
        (known, of_s1(port, "Port 1"), "connect: connection refused: no SSH server listens there"),
        (known, of_s1(address, "HostName no.host.invalid"), "connect: no such host: neither ssh_config nor"),
        (known, of_s1("User root", "User absent"), "connect: permission denied; `ssh s1` must work without a password"),
        (known, of_s1("User root", "User root\n  Nonsense yes"), "connect: ssh_config has an option that this ssh"),
        (known, of_s1("User root", "User root\n  StrictHostKeyChecking no"), ""),
    ]
    try:
        for known_text, config_text, said in cases:
            lab.known_hosts.write_text(known_text, encoding="utf-8")
            lab.config.write_text(config_text, encoding="utf-8")
            by_name = reports(lab, IMPATIENT)
            assert by_name["s1"].problems == () if not said else by_name["s1"].problems[0].startswith(said), by_name[
                "s1"
            ]
        lab.known_hosts.write_text(without, encoding="utf-8")
        assert "host key is not known" in reports(lab)["s1"].problems[0], "whatever ssh_config says"
        assert lab.known_hosts.read_text(encoding="utf-8") == without, "and nothing is accepted"
    finally:
        lab.known_hosts.write_text(known, encoding="utf-8")
        lab.config.write_text(config, encoding="utf-8")


def test_a_host_that_does_not_answer(tmp_path: Path) -> None:
    """A port that takes no connection: who listens has room for none."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        port = server.getsockname()[1]
        config = tmp_path / "silent_config"
        config.write_text(
            f"Host *\n  HostName 127.0.0.1\n  Port {port}\n  UserKnownHostsFile /dev/null\n", encoding="utf-8"
        )
        with pytest.raises(HostFailure) as failure:
            HostConnection(of("s1"), str(config), Clients(), Patience(connect_s=1, answer_s=1))
    assert str(failure.value) == "s1: connect: it does not answer: no connection within 1 s"


def test_a_host_that_is_lost(lab: Lab) -> None:
    with HostConnection(of("s1"), str(lab.config), Clients(), Patience()) as connection:
        os.kill(connection._client._process.pid, 9)
        with pytest.raises(HostFailure, match=r"^s1: clock: the agent ended by signal 9: "):
            connection.clock()


def test_a_host_that_vanishes(lab: Lab) -> None:
    """One that is switched off may say so first; of one whose link is cut nobody does."""
    with lab.another("s8") as more, HostConnection(of("s8"), str(lab.config), Clients(), IMPATIENT) as connection:
        more.process.kill()
        lost = r"^s8: clock: (the connection was lost(: the other end closed it)?|no answer within 2 s)$"
        with pytest.raises(HostFailure, match=lost):
            list(iter(connection.clock, None))  # it may answer once more
    with lab.another("s8") as more, HostConnection(of("s8"), str(lab.config), Clients(), IMPATIENT) as connection:
        subprocess.run(["/usr/bin/env", "ip", "link", "set", more.link, "down"], check=True)
        with pytest.raises(HostFailure, match=r"^s8: clock: no answer within 2 s$"):
            connection.clock()


def test_an_interrupted_survey_leaves_nothing(lab: Lab, own_agent: str) -> None:
    reports(lab)
    lab.hosts["s1"].fake_agent(own_agent, "sleep 600")
    script = (
        "import dumbbell.cli.main, dumbbell.engines.hosts.survey as survey\n"
        "patience = survey.Patience(answer_s=1e6)\n"
        "survey.Patience = lambda: patience\n"
        "dumbbell.cli.main.main()\n"
    )
    command = [sys.executable, "-c", script, "doctor", "--inventory", str(lab.inventory())]
    command += ["--ssh-config", str(lab.config)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert soon(lambda: bool(clients(lab)))
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=HANG_S)
    assert (process.returncode, b"Traceback" in printed) == (130, False)
    assert clients(lab) == []


def test_a_controller_that_was_killed_leaves_nothing(lab: Lab) -> None:
    script = (
        "import sys, time\n"
        "from dumbbell.engines.hosts.connection import *\n"
        'host = InventoryHost(name="s1", ssh="s1", interface="eth0")\n'
        "connection = HostConnection(host, sys.argv[1], Clients(), Patience())\n"
        "print(connection.hello.uid, flush=True)\n"
        "time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(lab.config)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"0\n"
    assert len(clients(lab)) == 1
    process.kill()
    process.communicate()
    assert soon(lambda: not clients(lab))


def clients(lab: Lab) -> list[int]:
    """Processes of `ssh` that come to the lab."""
    config = str(lab.config).encode()
    return [
        number
        for number, _, _ in processes()
        for parts in [cmdline(number)]
        if parts[:1] == [b"ssh"] and config in parts
    ]


def cmdline(number: int) -> list[bytes]:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def test_a_full_disk(lab: Lab) -> None:
    """A host whose home has room for 1 MB."""
    with lab.another("s9", room="1m") as small:
        with pytest.raises(HostFailure) as failure:
            HostConnection(of("s9"), str(lab.config), Clients(), Patience())
        needs = f"the agent needs {size(agent.path().stat().st_size)} in its home folder"
        assert str(failure.value) == f"s9: copy the agent: its disk is full: {needs}"
        assert small.agents == [], "no part is left"


def test_what_an_inventory_says_and_a_host_has_not(lab: Lab) -> None:
    file = lab.inventory(r1="shape = true")
    text = file.read_text(encoding="utf-8")
    text = text.replace('interface = "eth0"', 'interface = "eth7"', 1)
    text = text.replace(f'address = "{lab.hosts["s2"].address}"', 'address = "10.9.8.7"')
    file.write_text(text, encoding="utf-8")
    by_name = {each.name: each for each in survey(read(file), str(lab.config))}
    assert by_name["s1"].problems == ("interface: it has no eth7; it has lo, eth0, eth1",)
    (second,) = by_name["s2"].problems
    assert second.startswith("address: eth0 has not 10.9.8.7; it has ")
    assert by_name["r1"].problems == (f"shape: who shapes must be root there, and SSH comes in as user {UID}",)
    assert by_name["mid"].problems == ()


def test_the_doctors_table(lab: Lab) -> None:
    file = lab.inventory(mid="shape = true")
    done = dumbbell("doctor", "--inventory", file, "--ssh-config", lab.config, COLUMNS="250")
    assert (done.returncode, done.stderr) == (0, "")
    *_, first, second, third, last = rows = done.stdout.splitlines()
    assert any(row.startswith("host ") for row in rows)
    rows = [first, second, third, last]
    assert [row.split()[:3] for row in rows] == [[name, "ok", "copied"] for name in ("s1", "s2", "r1", "mid")]
    assert "eth0 by tbf" in rows[3]
    (lab.hosts["r1"].home / ".dumbbell").rename(lab.hosts["r1"].home / "away")
    lab.hosts["r1"].home.chmod(0o500)
    try:
        done = dumbbell("doctor", "--inventory", file, "--ssh-config", lab.config, "--json")
    finally:
        lab.hosts["r1"].home.chmod(0o755)
        shutil.rmtree(lab.hosts["r1"].home / "away")
    assert done.returncode == 1
    by_name = {each["name"]: each for each in json.loads(done.stdout)}
    assert [each["usable"] for each in by_name.values()] == [True, True, False, True]
    assert by_name["r1"]["problems"][0].startswith("copy the agent: ")
    assert by_name["mid"]["description"]["means"]["tbf"] is True
    assert abs(by_name["s1"]["clock"]["realtime_ns"]) <= by_name["s1"]["clock"]["error_ns"]


def of(name: str) -> InventoryHost:
    return InventoryHost(name=name, ssh=name, interface="eth0")
