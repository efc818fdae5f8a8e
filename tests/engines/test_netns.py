"""The engine of this machine's own kernel: what it tells its agent, and what is left when something goes wrong.

The agent is a program here that behaves like one, so that neither root nor namespaces are needed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import kernels
from commandline import MOMENT, dumbbell, json_lines
from dumbbell.cli import check
from dumbbell.engines import agent, lease, machine
from dumbbell.engines.lease import Incarnation
from dumbbell.engines.netns import NetnsEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec import expand, load, resolve
from dumbbell.spec.run import Run
from processes import alive, soon
from specs import resolved, run_of, smallest

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="Linux's own kernel is needed"),
    pytest.mark.usefixtures("temporary"),
]

MEANS = {"tbf": True, "htb": True, "ifb": True, "netem": False, "loss": False, "fq": False}
HANG = "import os, time; print('about to', flush=True); time.sleep(1000)"
ECHO = """
import json, os, sys
from pathlib import Path
leases = [json.loads(each.read_text()) for each in Path(LEASES).iterdir()]
seen = {"argv": sys.argv[1:], "job": json.loads(Path("job.json").read_text()), "leases": leases, "pid": os.getpid(),
        "environment": sorted(os.environ)}
Path("outcome.json").write_text(json.dumps({"failed": json.dumps(seen)}))
"""


@pytest.fixture(autouse=True)
def leases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of leases; not the user's."""
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "leases"


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may do what the agent would need."""
    monkeypatch.setattr(machine, "need_root", lambda: None)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Of algorithms that every machine has."""
    path = tmp_path / "moment.toml"
    path.write_text(MOMENT.replace('"bbr"', '"reno"'), encoding="utf-8")
    return path


@pytest.fixture
def nothing_left(leases: Path, temporary: Path) -> Iterator[None]:
    """Holds at the end of a test."""
    yield
    assert [*temporary.iterdir(), *leases.iterdir()] == []


class Agent:
    """Puts a program in the place of the agent."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch

    def behaves(self, program: str, means: dict[str, bool] | None = None) -> Path:
        """As this program, and tells these means."""
        report = json.dumps(MEANS if means is None else means)
        head = f"import sys\nif sys.argv[1:] == ['means']:\n    print({report!r})\n    sys.exit()\n"
        script = kernels.agent(self.folder, head + f"LEASES = {str(lease.folder())!r}\n" + program)
        script.chmod(0o755)
        self._monkeypatch.setattr(agent, "path", lambda: script)
        agent.identity.cache_clear()
        return script


@pytest.fixture
def the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    yield Agent(tmp_path, monkeypatch)
    agent.identity.cache_clear()


def a_run(**fields: Any) -> Run:
    return resolved(flows=[{"cc": "cubic"}], duration="2 s", **fields).run


def failure(run: Run | None = None) -> str:
    with pytest.raises(EngineFailure) as caught:
        NetnsEngine().measure(run or a_run())
    return str(caught.value)


@pytest.mark.usefixtures("nothing_left")
def test_the_agent_is_told_its_job_and_a_lease_names_it(the_agent: Agent, temporary: Path) -> None:
    the_agent.behaves(ECHO)
    run = a_run()
    seen = json.loads(failure(run))
    assert seen["argv"] == ["run", "job.json", "outcome.json"]
    assert seen["job"] == {
        "run": json.loads(run.to_json()), "controls": ["cubic"], "task": "measure", "machine": "shared",
        "controller": os.getpid(), "folder": str(Path.cwd()),
    }  # fmt: skip
    assert {"HOME", "PATH"} <= set(seen["environment"])
    (lease_fields,) = seen["leases"]
    assert lease_fields["agent"]["pid"] == seen["pid"]
    assert Incarnation(**lease_fields["controller"]) == Incarnation.of(os.getpid())
    assert Path(lease_fields["folder"]).parent == temporary


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "print('tbf on near101'); sys.exit(3)",
            "measure: the agent's process ended with status 3; its console's last lines:\ntbf on near101",
        ),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            "measure: the agent's process was ended by SIGKILL; its console is empty",
        ),
        ("", "read the outcome: the agent left none: No such file or directory; its console is empty"),
        (
            """open("outcome.json", "w").write('{"measured":{"ended')""",
            "the agent's outcome is cut short or no JSON: 19 B",
        ),
        (
            """open("outcome.json", "w").write('{"failed": "build the network: tbf on near101: No such file"}')""",
            "build the network: tbf on near101: No such file",
        ),
    ],
    ids=["crash", "killed", "no outcome", "half an outcome", "refused"],
)
def test_an_agent_that_ends_badly_is_told_by_its_step(the_agent: Agent, program: str, message: str) -> None:
    the_agent.behaves(program)
    assert failure() == message


@pytest.mark.usefixtures("nothing_left")
def test_an_agent_that_cannot_be_started_or_does_not_end(
    the_agent: Agent, monkeypatch: pytest.MonkeyPatch, limit_begins: Callable[[str], None]
) -> None:
    script = the_agent.behaves(HANG)
    limit_begins("about to")
    monkeypatch.setenv("DUMBBELL_RUN_LIMIT_S", "0.3")
    assert failure() == (
        "measure: not finished after 0 s, and killed (DUMBBELL_RUN_LIMIT_S sets another limit); its console's last"
        " lines:\nabout to"
    )
    script.unlink()
    assert failure() == f"start the agent: {script}: No such file or directory"


@pytest.mark.usefixtures("nothing_left")
def test_a_full_disk_is_told_by_its_step(the_agent: Agent, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    the_agent.behaves(ECHO)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(small_disk))
        long = resolved(flows=[{"cc": "cubic", "count": 400}]).run
        assert failure(long) == "write the job: No space left on device"
        assert list(small_disk.iterdir()) == []
    with suppress(OSError), (small_disk / "full").open("wb", buffering=0) as full:
        while full.write(bytes(4096)):
            pass
    with monkeypatch.context() as patch:
        patch.setenv("DUMBBELL_CACHE", str(small_disk))
        (said,) = failure().splitlines()
    assert said.startswith("write a lease: ")
    assert said.endswith("No space left on device")


@pytest.mark.usefixtures("nothing_left")
def test_another_thread_stops_it_and_it_can_go_on(the_agent: Agent, leases: Path, temporary: Path) -> None:
    the_agent.behaves(HANG)
    engine = NetnsEngine()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(engine.measure, a_run())
        lease_fields = the_lease(leases)
        engine.stop()
        assert [*temporary.iterdir(), *leases.iterdir()] == []
        with pytest.raises(CancelledError):
            future.result()
    assert not alive(lease_fields["agent"]["pid"])
    the_agent.behaves(ECHO)
    with pytest.raises(EngineFailure, match="job"):
        engine.measure(a_run())


def the_lease(leases: Path) -> dict[str, Any]:
    """The only lease, as soon as it names an agent."""
    written: list[dict[str, Any]] = []

    def is_there() -> bool:
        written[:] = [
            json.loads(each.read_text(encoding="utf-8")) for each in leases.glob("*.json") if each.stat().st_size
        ]
        return bool(written) and "agent" in written[0]

    assert soon(is_there)
    return written[0]


CONTROLLER = """
import sys, tempfile
from pathlib import Path
tempfile.tempdir, agent_path, *arguments = sys.argv[1:]
from dumbbell.engines import agent, machine
agent.path = lambda: Path(agent_path)
machine.need_root = lambda: None
sys.argv = ["dumbbell", *arguments]
from dumbbell.cli.main import main
main()
"""


@pytest.fixture
def controller(the_agent: Agent, temporary: Path, spec: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of dumbbell's whose agent hangs, and does not die with it."""
    script = the_agent.behaves(HANG)
    command = ["run", str(spec), "--engine", "netns", "--out", str(tmp_path / "store")]
    program = [sys.executable, "-c", CONTROLLER, str(temporary), str(script)]
    with subprocess.Popen([*program, *command], stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.mark.long
@pytest.mark.slow
def test_a_killed_controller_leaves_nothing_once_it_is_cleaned(
    controller: subprocess.Popen[str], leases: Path, temporary: Path
) -> None:
    lease_fields = the_lease(leases)
    assert json.loads(dumbbell("doctor", "--clean", "--json").stdout) == [], "its controller lives"
    controller.kill()
    controller.wait()
    assert alive(lease_fields["agent"]["pid"])
    done = dumbbell("doctor", "--clean")
    assert (done.returncode, done.stderr) == (0, "")
    killed, removed = f"process {lease_fields['agent']['pid']} killed", f"{lease_fields['folder']} removed"
    assert done.stdout == f"{lease_fields['run']}: {killed}; {removed}; lease removed\n"
    assert not alive(lease_fields["agent"]["pid"])
    assert [*temporary.iterdir(), *leases.iterdir()] == []
    again = dumbbell("doctor", "--clean")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "nothing is left\n")


@pytest.mark.slow
def test_an_interrupted_controller_leaves_nothing(
    controller: subprocess.Popen[str], leases: Path, temporary: Path
) -> None:
    lease_fields = the_lease(leases)
    controller.send_signal(signal.SIGINT)
    assert controller.wait() == 130
    assert controller.stderr is not None
    assert "interrupted: 0 of 4 runs are in " in controller.stderr.read()
    assert not alive(lease_fields["agent"]["pid"])
    assert [*temporary.iterdir(), *leases.iterdir()] == []


def test_nobody_elses_process_or_folder_is_taken_away(leases: Path, tmp_path: Path) -> None:
    """Those of a process that has the agent's number now, or of another start of the machine."""
    with subprocess.Popen(["/bin/sleep", "60"]) as other:
        incarnation = Incarnation.of(other.pid)
        assert incarnation is not None
        boot = machine.BOOT_ID.read_text(encoding="utf-8").strip()
        mine = tmp_path / "precious"
        mine.mkdir()
        leases.mkdir(parents=True)
        for number, (started, since) in enumerate([(incarnation.started - 1, boot), (incarnation.started, "another")]):
            fields = {"boot": since, "agent": {"pid": other.pid, "started": started}, "folder": str(mine)}
            (leases / f"ab-1-7-{number}.json").write_text(json.dumps(fields), encoding="utf-8")
        (leases / "cd-1-7-3.json").write_text("", encoding="utf-8")
        (leases / "notes.json").write_text("", encoding="utf-8")
        assert dumbbell("doctor", "--clean").stdout == "ab: lease removed\nab: lease removed\ncd: lease removed\n"
        assert other.poll() is None
        other.kill()
    assert mine.is_dir()
    assert [each.name for each in leases.iterdir()] == ["notes.json"]


def test_what_cannot_be_taken_away_keeps_its_lease(leases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leases.mkdir(parents=True)
    with subprocess.Popen(["/bin/sleep", "60"]) as other:
        incarnation = Incarnation.of(other.pid)
        assert incarnation is not None
        fields = {"agent": {"pid": incarnation.pid, "started": incarnation.started}}
        (leases / "ab-1-7-1.json").write_text(json.dumps(fields), encoding="utf-8")

        def refused(*_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(signal, "pidfd_send_signal", refused)
        done = dumbbell("doctor", "--clean", "--json")
        other.kill()
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)
    assert finding == {"what": "ab", "healthy": False, "words": "not taken away: Operation not permitted"}
    assert len(list(leases.iterdir())) == 1


REFUSED: list[tuple[dict[str, Any], dict[str, bool], list[str]]] = [
    ({}, {}, []),
    ({"host.qdisc": "fq"}, {}, ["host.qdisc"]),
    ({"host.qdisc": "fq"}, {"fq": True}, []),
    ({"path.qdisc": "codel"}, {}, ["path.qdisc"]),
    ({"path.qdisc": "codel"}, {"codel": True}, []),
    ({"path.qdisc": "dualpi2"}, {"codel": True}, ["path.qdisc"]),
    ({"path.burst": "100 kB", "path.offload": True}, {}, []),
    ({"path.burst": "100 kB", "path.offload": True, "path.delay_side": "split"}, {}, ["path.delay_side"]),
    ({"path.burst": "100 kB", "path.offload": True, "path.delay_side": "split"}, {"netem": True}, []),
    ({"path.burst": "100 kB", "path.offload": True, "path.jitter": "50 us"}, {}, ["path.jitter"]),
    ({"flows[0].cc": "vegas"}, {}, ["flows[0].cc"]),
    ({"flows[0].cc": "bbr[cwnd_gain=1.5]"}, {}, ["flows[0].cc"]),
    ({"path.burst": "1 kB"}, {}, ["path.burst"]),
    ({"measure.record": ["acks", "pcap"]}, {}, []),
    ({"measure.record": "qlog"}, {}, ["measure.record"]),
    (
        {"flows[0].workload": {"command": ["sh", "-c", "true"], "server": ["no-such-program"]}},
        {},
        ["flows[0].workload.server"],
    ),
]


@pytest.mark.parametrize(("fields", "means", "refused"), REFUSED)
def test_what_a_kernel_lacks_is_refused(
    the_agent: Agent,
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, Any],
    means: dict[str, bool],
    refused: list[str],
) -> None:
    the_agent.behaves("", MEANS | means)
    monkeypatch.setattr(machine, "controls", lambda: {"bbr": "bbr", "cubic": "cubic"})
    (point,) = expand(load(smallest(), overrides=fields))
    assert [each.path for each in NetnsEngine().unsupported_fields(resolve(point, 1, live=True).run)] == refused


def test_its_identity_is_that_of_agent_machine_and_means(the_agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    the_agent.behaves("")
    identities = {NetnsEngine().identity() for _ in range(2)}
    assert len(identities) == 1
    the_agent.behaves("", MEANS | {"fq": True})
    identities.add(NetnsEngine().identity())
    the_agent.behaves("pass")
    identities.add(NetnsEngine().identity())
    monkeypatch.setattr(machine, "description", lambda: ("another",))
    identities.add(NetnsEngine().identity())
    assert len(identities) == 4


def test_what_it_needs_is_told_before_anything_is_made(
    the_agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "TUN", tmp_path / "tun")
    the_agent.behaves("")
    with pytest.raises(EngineFailure, match=r"no netem or no prio, and the relay .* needs .*tun; `modprobe tun` helps"):
        NetnsEngine().ready()
    the_agent.behaves("", MEANS | {"tbf": False})
    with pytest.raises(EngineFailure, match="no tbf"):
        NetnsEngine().ready()
    the_agent.behaves("", MEANS | {"netem": True, "loss": True})
    NetnsEngine().ready()
    the_agent.behaves("sys.exit('unshare: Operation not permitted')", {}).write_text("#!/bin/sh\necho no >&2; exit 1\n")
    with pytest.raises(EngineFailure, match=r"^find the kernel's queueing disciplines: no$"):
        NetnsEngine().ready()


def test_without_root_it_says_so_and_refuses_nothing_for_it(the_agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    the_agent.behaves("")
    monkeypatch.undo()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    engine = NetnsEngine()
    for needs_root in (engine.ready, engine.identity):
        with pytest.raises(EngineFailure, match="needs root"):
            needs_root()
    assert engine.unsupported_fields(run_of({"flows[0].cc": "cubic", "host.qdisc": "fq"})) == []


STEPS = """
import json
from pathlib import Path
job = json.loads(Path("job.json").read_text())
name = "dumbbell-" + job["task"]["plan"]["id"]
steps = [
    {"host": "near", "what": "network namespace near", "command": ["ip", "netns", "add", name]},
    {"host": "near", "what": "tbf on near101", "command": ["tc", "-n", name, "qdisc", "add", "dev", "a b"]},
]
Path("outcome.json").write_text(json.dumps({"planned": steps}))
"""


@pytest.mark.usefixtures("nothing_left")
def test_a_dry_run_tells_the_steps_of_each_point_once(the_agent: Agent, spec: Path, leases: Path) -> None:
    leases.mkdir(parents=True)
    the_agent.behaves(STEPS)
    command = ("run", spec, "--engine", "netns", "--dry-run")
    lines = dumbbell(*command).stdout.splitlines()
    (first,) = [at for at, line in enumerate(lines) if line == "# path.buffer = 0.5 bdp, seed 1"]
    assert lines[first + 1] == "# near: network namespace near"
    assert lines[first + 2].startswith("ip netns add dumbbell-")
    assert lines[first + 4].endswith("qdisc add dev 'a b'")
    assert sum(line.startswith("ip netns add") for line in lines) == 2
    rows = json_lines(*command)
    assert [len(row.get("steps", ())) for row in rows] == [2, 0, 2, 0]
    assert rows[0]["steps"][1]["command"][-1] == "a b"
    assert rows[0]["run"]["path"]["jitter_ns"] is None, "the machine's own"
    assert len({row["run_id"] for row in rows}) == 4


def test_the_time_of_live_runs_is_known(
    the_agent: Agent, spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    the_agent.behaves(f"if sys.argv[1:] == ['run', 'job.json', 'outcome.json']: open({str(tmp_path / 'tried')!r}, 'w')")
    monkeypatch.setattr(check, "_STARTS", 0.0)  # this process did much else before
    facts = json.loads(dumbbell("check", spec, "--json").stdout)
    assert facts["engines"]["netns"] == []
    assert facts["forecasts"]["netns"].items() >= {"seconds": 4 * (3 + 1), "at_once": 1}.items()
    assert not (tmp_path / "tried").exists(), "it takes as long as it says, so none is tried"


@pytest.fixture
def of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Gives the kernel these congestion controls, and no module of one."""

    def has(names: str) -> None:
        monkeypatch.setattr(machine, "_CONTROLS", tmp_path / "available")
        monkeypatch.setattr(machine, "release", lambda: "6.1.0-none")
        (tmp_path / "available").write_text(f"{names}\n", encoding="utf-8")

    return has


@pytest.mark.parametrize(
    ("written", "registered"),
    [
        ("bbr_shallow", "bbr_shallow"),
        ("bbr[cwnd_gain=1.5]", "bbr_shallow"),
        ("bbr_4_17_shallow", "bbr_4_17_s_35bc"),
        ("bbr", "bbr"),
    ],
)
def test_a_variant_that_somebody_loaded_is_taken_by_the_kernels_name_for_it(
    written: str, registered: str, the_agent: Agent, of_the_kernel: Callable[[str], None]
) -> None:
    the_agent.behaves(ECHO)
    run = resolved(flows=[{"cc": written}], duration="2 s").run
    of_the_kernel(f"reno bbr {registered}")
    assert NetnsEngine().unsupported_fields(run) == []
    assert json.loads(failure(run))["job"]["controls"] == [registered]
    of_the_kernel("reno cubic")
    (problem,) = NetnsEngine().unsupported_fields(run)
    assert (problem.path, "this kernel (6.1.0-none) " in problem.message) == ("flows[0].cc", True)


def test_a_machine_whose_bbr_says_that_it_is_version_3_has_bbr3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_the_kernel: Callable[[str], None]
) -> None:
    of_the_kernel("reno bbr")
    monkeypatch.setattr(machine, "_MODULES", tmp_path / "module")
    for module, version in (("tcp_bbr", "3\n"), ("tcp_cubic", "2.3\n"), ("nf_nat", "7\n")):
        (tmp_path / "module" / module).mkdir(parents=True)
        (tmp_path / "module" / module / "version").write_text(version, encoding="utf-8")
    assert machine.controls() == {"bbr3": "bbr", "reno": "reno"}
    assert NetnsEngine().versions == {"bbr": 3}
    (problem,) = NetnsEngine().unsupported_fields(resolved(duration="2 s").run)
    assert problem.message == 'this kernel (6.1.0-none) has version 3 of "bbr", not version 1'
    (tmp_path / "module/tcp_bbr/version").unlink()
    assert machine.controls() == {"bbr": "bbr", "reno": "reno"}
