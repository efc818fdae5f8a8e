"""The engine with a real kernel."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from commandline import DUMBBELL, dumbbell
from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines import agent
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.path_check import check_path, deviations, path_of
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.kernel import Kernel
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Run, toml
from measured import known
from processes import HANG_S, children, group_of, soon
from specs import resolved, smallest

pytestmark = pytest.mark.slow

NOBODY = 65_534
PATH = {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"}
LOSSY = {"rate": "40 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp", "loss": "0.5 %"}
MIXED = [
    {"cc": "bbr", "count": 2},
    {"cc": "cubic", "start": "300 ms"},
    {"cc": "bbr_4_17", "rtt": "50 ms"},
    {"cc": "vegas", "workload": {"transfer": "1 MB"}},
    {"cc": "reno", "workload": {"stream": "2 Mbit/s", "for": "1 s", "every": "40 ms"}},
]
LONG = {"duration": "2000 s", "path": {"rate": "1 Gbit/s", "rtt": "10 ms", "buffer": "1 bdp"}}
SPEC = toml(
    smallest(
        duration="3 s",
        path={"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"},
        flows=[{"cc": "vegas"}, {"cc": "cubic"}],
    )
)


def run(**settings: Any) -> Run:
    return resolved(**{"path": PATH} | settings).run


def result(engine: LinuxEngine | SimEngine, **settings: Any) -> Result:
    outcome = execute(Planned({}, resolved(**settings)), engine, engine.identity())[0]
    assert isinstance(outcome, Result), outcome
    return outcome


def kernel_of(parent: int) -> int:
    """The kernel that a process started, when its guest runs: one before that may only have said what it is."""
    pids: list[int] = []

    def started() -> bool:
        for child in children(parent):
            with suppress(OSError):
                program = Path(f"/proc/{child}/cmdline").read_bytes().partition(b"\0")[0]
                if program.endswith(b"/linux") and len(group_of(child)) > 1:
                    pids.append(child)
        return bool(pids)

    assert soon(started), "no kernel was started"
    return pids[0]


def vanished(process: int) -> bool:
    """Whether a group is gone, or soon is."""
    return soon(lambda: not group_of(process))


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC, encoding="utf-8")
    return path


@contextmanager
def under_way(engine: LinuxEngine, spec_run: Run) -> Iterator[tuple[int, Callable[[], Measurement]]]:
    """A long run in another thread: its kernel's process, and what waits for its end and raises what it raised."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(engine.measure, spec_run)
        kernel = kernel_of(os.getpid())
        try:
            yield kernel, lambda: future.result(timeout=HANG_S)
        finally:
            engine.stop()


# -- what it gives ----------------------------------------------------------------------------------------------------


def test_the_same_run_gives_the_same_bytes_whatever_else_the_machine_does(
    linux: LinuxEngine, answers: list[bytes]
) -> None:
    spec_run = run(duration="4 s", path=LOSSY, flows=MIXED)
    linux.measure(spec_run)
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        linux.measure(spec_run)
    finally:
        burner.kill()
        burner.wait()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(linux.measure, [spec_run, spec_run]))
    assert len(answers[0]) > 10_000
    assert answers == [answers[0]] * 4
    linux.measure(structs.replace(spec_run, seed=spec_run.seed + 1))
    assert answers[-1] != answers[0]


def test_both_engines_give_the_same_columns_and_agree_about_one_cubic_flow(linux: LinuxEngine) -> None:
    settings: dict[str, Any] = {"path": PATH, "flows": [{"cc": "cubic"}], "duration": "30 s"}
    real, model = result(linux, **settings), result(SimEngine(), **settings)
    assert columns(json.loads(real.model_dump_json())) == columns(json.loads(model.model_dump_json()))
    assert (real.engine, model.engine) == ("linux", "sim")
    (ours,), (theirs,) = real.flows, model.flows
    assert known(ours.goodput_bps) == pytest.approx(known(theirs.goodput_bps), rel=0.03)
    assert ours.rtt_mean_s == pytest.approx(theirs.rtt_mean_s, rel=0.1)
    assert real.warnings == model.warnings == ()


def columns(value: object) -> object:
    """The keys of all tables in it."""
    if isinstance(value, dict):
        return {key: columns(item) for key, item in value.items()}
    return [columns(item) for item in value] if isinstance(value, list) else None


def test_a_measurement_has_what_a_summary_needs_and_says_what_it_was_made_on(linux: LinuxEngine, built: Kernel) -> None:
    measured = linux.measure(run(duration="2 s"))
    (flow,) = measured.flows
    lengths = {getattr(flow.series, each.name).size for each in fields(flow.series)}
    assert len(lengths) == 1
    assert lengths.pop() >= 38
    assert "probe_bw" in {name.lower() for name in flow.phases}
    assert built.release in " ".join(measured.facts.values())


@pytest.mark.parametrize(
    "settings",
    [
        {
            "duration": "10 s",
            "path": {"rate": "500 Mbit/s", "rtt": "50 ms", "buffer": "1 bdp"},
            "flows": [{"cc": "cubic"}],
        },
        {"duration": "20 s", "flows": [{"cc": name} for name in ("bbr", "cubic", "reno", "vegas")]},
        {"duration": "10 s", "path": PATH | {"rtt": "100 ms"}, "measure": {}},
    ],
)
def test_bulk_senders_are_limited_by_their_congestion_control_alone(
    linux: LinuxEngine, settings: dict[str, Any]
) -> None:
    assert result(linux, **settings).warnings == ()


@pytest.mark.parametrize("mtu", [pytest.param(1500, marks=pytest.mark.long), 9000])
@pytest.mark.parametrize(("memory", "kind"), [("default", "sndbuf"), ("16 MB", "rwnd")])
def test_memory_limits_a_flow_alike_on_both_engines(linux: LinuxEngine, memory: str, kind: str, mtu: int) -> None:
    path = {"rate": "400 Mbit/s", "rtt": "200 ms", "buffer": "1 bdp", "burst": "10 kB", "mtu": mtu, "jitter": "none"}
    settings: dict[str, Any] = {"path": path, "flows": [{"cc": "cubic"}], "host": {"socket_memory": memory}}
    (theirs,), (ours,) = (result(engine, duration="15 s", **settings).flows for engine in (linux, SimEngine()))
    assert ours.goodput_bps == pytest.approx(theirs.goodput_bps, rel=0.04)
    limited = [getattr(flow, f"{kind}_limited_s") for flow in (theirs, ours)]
    assert limited[1] == pytest.approx(limited[0], rel=0.05)
    assert limited[0] > 5, "it is the limit for a third of the time at least"


def test_a_sender_that_its_receiver_holds_back_is_warned_of(linux: LinuxEngine) -> None:
    (warning,) = result(linux, path=PATH, flows=[{"cc": "cubic"}], host={"receive_window": "50 kB"}).warnings
    assert warning == "flow 0 (cubic): bulk sender limited by the receive window for 100 % of its time in the window"


# -- the path ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_beside_cubic_dctcp_is_reno_and_lp_takes_about_as_much(linux: LinuxEngine) -> None:
    shares = {}
    for cc in ("reno", "dctcp", "lp"):
        flows = [{"cc": cc, "name": "a"}, {"cc": "cubic", "start": "1 s"}]
        outcome = result(linux, path=PATH | {"buffer": "2 bdp"}, duration="20 s", flows=flows)
        assert any("behaves as Reno" in each for each in outcome.warnings) == (cc != "reno")
        shares[cc] = outcome.groups["a"].share or 0.0
    # It negotiates ECN, and nothing marks. Where its receiver hears of a reduction, it acknowledges at once.
    assert shares["dctcp"] == pytest.approx(shares["reno"], rel=0.1)
    assert shares["lp"] > shares["reno"] / 2  # an LP that backs off has a hundredth


def test_the_paths_it_builds_are_those_that_were_asked_for(linux: LinuxEngine) -> None:
    far = {"cc": "cubic", "name": "far", "rtt": "80 ms"}
    for path in (PATH, LOSSY, PATH | {"queue": "packets", "delay_side": "split"}, PATH | {"rate": "1 Gbit/s"}):
        checked = check_path(linux, path_of(run(path=path, flows=[{"cc": "bbr"}, far])))
        assert checked.deviations == ()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"rate": "79 Mbit/s", "buffer": "250 kB"}, "path.rate"),
        ({"rtt": "26 ms", "buffer": "250 kB"}, "path.rtt"),
        ({"buffer": "256 kB"}, "path.buffer"),
        ({"loss": "0.2 %"}, "path.loss"),
        ({"loss": "0 %"}, "path.loss"),
    ],
)
def test_a_path_that_is_not_as_asked_is_flagged(linux: LinuxEngine, wrong: dict[str, Any], field: str) -> None:
    requested, built = (path_of(run(path=PATH | {"loss": "1 %"} | each)) for each in ({}, wrong))
    (line,) = deviations(requested, linux.probe(built))
    assert line.startswith(f"{field}: asked for ")


def test_packets_out_of_order_are_flagged(linux: LinuxEngine) -> None:
    requested = path_of(run())
    (line,) = deviations(requested, linux.probe(requested, reorder_ppb=20_000_000))
    assert line.startswith("path: asked for no reordering, saw ")


@pytest.mark.usefixtures("built")
def test_the_doctor_looks_at_kernel_agent_and_paths(tmp_path: Path, spec: Path) -> None:
    spec.write_text(SPEC.replace('"1 bdp"', '["1 bdp", "2 bdp"]'), encoding="utf-8")
    done = dumbbell("doctor", "--engine", "linux", "--spec", spec, "--json", "--out", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    findings = {each["what"]: each for each in json.loads(done.stdout)}
    assert all(each["healthy"] for each in findings.values())
    assert {"kernel of linux", "agent", "compiler", "memory folder"} <= set(findings)
    assert {"path 20 Mbit/s, 20 ms, 50000 B", "path 20 Mbit/s, 20 ms, 100000 B"} <= set(findings)


# -- what can happen to it --------------------------------------------------------------------------------------------


def test_a_kernel_that_is_killed_is_a_failed_run(linux: LinuxEngine, temporary: Path) -> None:
    with under_way(linux, run(**LONG)) as (kernel, end):
        os.kill(kernel, signal.SIGKILL)
        with pytest.raises(EngineFailure, match="ended by SIGKILL"):
            end()
        assert vanished(kernel)
    assert list(temporary.iterdir()) == []


def test_an_agent_that_is_killed_is_a_failed_run(linux: LinuxEngine) -> None:
    with under_way(linux, run(**LONG)) as (kernel, end):

        def vanished_without_its_children() -> bool:
            """The first processes in the list may be none that the run needs."""
            for process in set(group_of(kernel)) - {kernel}:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return not group_of(kernel)

        assert soon(vanished_without_its_children)
        with pytest.raises(EngineFailure, match="its console"):
            end()


def test_a_kernel_that_is_none_is_a_failed_run(built: Kernel, tmp_path: Path) -> None:
    broken = tmp_path / "linux"
    broken.write_bytes(built.executable.read_bytes()[:100_000])
    broken.chmod(0o755)
    with pytest.raises(EngineFailure, match="the kernel's process"):
        LinuxEngine(replace(built, executable=broken)).measure(run(duration="1 s"))
    with pytest.raises(EngineFailure, match="No such file"):
        LinuxEngine(replace(built, executable=tmp_path / "absent")).measure(run(duration="1 s"))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system, which needs root")
def test_a_folder_that_fills_up_is_a_failed_run(
    linux: LinuxEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[bytes]
) -> None:
    spec_run = run(duration="2 s", measure={"sample": "1 ms"})
    linux.measure(spec_run)
    assert len(answers[0]) > 200_000
    kilobytes = (agent.path().stat().st_size >> 10) + 100
    mount: list[str | Path] = ["/bin/mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", tmp_path]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no mounts here")
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with pytest.raises(EngineFailure, match="No space left on device"):
            linux.measure(spec_run)
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["/bin/umount", tmp_path], check=True)


def test_a_damaged_kernel_is_bad_input(built: Kernel, tmp_path: Path, spec: Path) -> None:
    copy = tmp_path / "data" / "kernels" / built.executable.parent.name
    shutil.copytree(built.executable.parent, copy)
    with (copy / "linux").open("r+b") as executable:
        executable.seek(1_000_000)
        executable.write(b"damage")
    done = dumbbell("run", spec, "--engine", "linux", "--out", tmp_path / "out", DUMBBELL_DATA=str(tmp_path / "data"))
    assert (done.returncode, done.stdout) == (2, "")
    assert 'the kernel "6.1" is damaged' in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("built")
def test_what_the_kernel_cannot_honour_is_bad_input(tmp_path: Path, spec: Path) -> None:
    sets = ["--set", "flows[0].cc=bbr[cwnd_gain=1.7]", "--set", "path.burst=1 kB"]
    done = dumbbell("run", spec, "--engine", "linux", "--out", tmp_path / "out", *sets)
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["flows[0].cc", "path.burst"]


def test_it_runs_from_the_command_line_and_is_not_repeated(built: Kernel, tmp_path: Path, spec: Path) -> None:
    store = tmp_path / "out"
    first, second = (dumbbell("run", spec, "--engine", "linux", "--json", "--out", store) for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == second.stdout
    outcome = json.loads(first.stdout)
    assert outcome["engine"] == "linux"
    assert [flow["cc"] for flow in outcome["flows"]] == ["vegas", "cubic"]
    checked = dumbbell("check", spec).stdout.splitlines()
    assert any(line.startswith("linux: can run it") for line in checked)
    with Store.open(store) as opened:
        measured_on = opened.provenance(outcome["run_id"])["measured_on"]
    assert built.release in str(measured_on)


def test_a_parent_that_is_killed_leaves_no_process(built: Kernel) -> None:
    program = (
        "from dumbbell.engines.linux import LinuxEngine\n"
        "from dumbbell.spec import Run\n"
        "import sys\n"
        "LinuxEngine(sys.argv[1]).measure(Run.from_json(sys.argv[2]))"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, built.name, run(**LONG).to_json()])
    kernel = kernel_of(parent.pid)
    parent.kill()
    parent.wait()
    assert vanished(kernel)


def test_ctrl_c_leaves_no_process_and_no_folder(built: Kernel, tmp_path: Path, spec: Path, temporary: Path) -> None:
    sets = ["--set", "duration=2000 s", "--set", "path.rate=1 Gbit/s", "--seeds", "5"]
    campaign = subprocess.Popen(
        [DUMBBELL, "run", spec, "--engine", f"linux:{built.name}", "--out", tmp_path / "out", "--json", *sets],
        encoding="utf-8",
        env=os.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    kernel = kernel_of(campaign.pid)
    campaign.send_signal(signal.SIGINT)
    output, errors = campaign.communicate(timeout=HANG_S)
    summary = f"0 of 5 runs are in {tmp_path / 'out'}; the same command goes on"
    assert (campaign.returncode, output, errors.splitlines()[-1]) == (130, "", f"interrupted: {summary}")
    assert vanished(kernel)
    assert list(temporary.iterdir()) == []
    assert dumbbell("results", "verify", tmp_path / "out").returncode == 0


AS_NOBODY = """
import os, sys, tempfile
import dumbbell
spec, own, closed = sys.argv[1:]
dumbbell.run(spec, engine="linux")  # loads all that it needs from folders that may be closed to others
os.setgroups([])
os.setgid({nobody})
os.setuid({nobody})
tempfile.tempdir = own
(outcome,) = dumbbell.run(spec, engine="linux", store=own + "/store").outcomes
print(outcome.status)
try:
    dumbbell.run(spec, engine="linux", store=closed + "/store")
except dumbbell.StoreFailure as failure:
    print(failure)
tempfile.tempdir = closed
(outcome,) = dumbbell.run(spec, engine="linux", store=own + "/other").outcomes
print(outcome.error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which needs root")
def test_an_ordinary_user_needs_no_privileges_and_hears_of_a_folder_that_is_not_theirs(built: Kernel) -> None:
    home = Path(tempfile.mkdtemp(prefix="nobody-"))
    try:
        shutil.copytree(built.executable.parent, home / "data" / "kernels" / built.executable.parent.name)
        (home / "spec.toml").write_text(SPEC, encoding="utf-8")
        for each in (home, *home.rglob("*")):
            each.chmod(each.stat().st_mode | 0o055)
        closed, own = home / "closed", home / "own"
        closed.mkdir(mode=0o755)
        own.mkdir()
        os.chown(own, NOBODY, NOBODY)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY.format(nobody=NOBODY), home / "spec.toml", own, closed],
            capture_output=True,
            check=False,
            encoding="utf-8",
            env=os.environ | {"DUMBBELL_CACHE": str(home / "cache"), "DUMBBELL_DATA": str(home / "data")},
            timeout=HANG_S,
        )
        assert done.returncode == 0, done.stderr
        status, failure, error = done.stdout.splitlines()
        assert status == "ok"
        assert failure.startswith(f"{closed}/store: cannot ")
        assert "Permission denied" in failure
        assert error.startswith(f"no temporary folder: {closed}/dumbbell-run-")
        assert error.endswith("Permission denied")
    finally:
        shutil.rmtree(home)
