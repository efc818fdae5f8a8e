"""Real programs over a real path: iperf3, netcat and ffmpeg, on this machine's kernel and on Linux in virtual time."""

from __future__ import annotations

import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dumbbell
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.netns import NetnsEngine
from dumbbell.metrics.programs.report import ProgramSummary
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.spec import expand, load, resolve
from measured import known
from specs import resolved

pytestmark = pytest.mark.slow
PATH = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}
IPERF3 = {
    "command": ["iperf3", "-c", "{receiver}", "-p", "{port}", "-t", "2", "-J"],
    "server": ["iperf3", "-s", "-1", "-p", "{port}", "-J"],
}
SENT_BYTES = 2_000_000
NETCAT = {
    "command": ["sh", "-c", f"head -c {SENT_BYTES} /dev/zero | nc -N {{receiver}} {{port}}"],
    "server": ["sh", "-c", "exec nc -l {port} >/dev/null"],
}
QUIET = ["ffmpeg", "-nostdin", "-nostats", "-progress", "pipe:1"]


def need(*tools: str) -> None:
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture(params=["netns", "linux"])
def engine(request: pytest.FixtureRequest) -> Any:
    """One that runs programs."""
    return request.getfixturevalue("live" if request.param == "netns" else "linux")


def measured(engine: NetnsEngine | LinuxEngine, workload: Any, store: Path, **fields: Any) -> Result:
    """The only run's result, with every column that the simulator's has."""
    spec = {
        "duration": "until done",
        "time_limit": "20 s",
        "path": PATH,
        "flows": [{"cc": "bbr", "workload": workload}],
    }
    results = dumbbell.run(spec | fields, engine=engine.name, store=store, programs=True)
    (outcome,) = results.outcomes
    assert isinstance(outcome, Result), outcome
    plain = {"duration": "1 s", "path": PATH, "flows": [{"cc": "bbr"}]}
    (simulated,) = dumbbell.run(plain, store=store).outcomes
    assert set(outcome.model_dump()) == set(simulated.model_dump())
    return outcome


def failure(engine: NetnsEngine | LinuxEngine, workload: Any, store: Path, **fields: Any) -> str:
    """Why the only run fails."""
    spec = {"duration": "1 s", "path": PATH, "flows": [{"cc": "cubic", "name": "mine", "workload": workload}]}
    (outcome,) = dumbbell.run(spec | fields, engine=engine.name, store=store, programs=True).outcomes
    assert isinstance(outcome, FailedRun)
    return outcome.error


def delivered_bytes(result: Result) -> int:
    """By the only flow."""
    (flow,) = result.flows
    return round(known(flow.goodput_bps) * (result.window_s[1] - flow.start_s) / 8)


def program_of(result: Result) -> ProgramSummary:
    """What the first flow's program said."""
    return known(result.flows[0].program)


def test_iperf3_sends_with_the_congestion_control_of_its_route(engine: Any, tmp_path: Path) -> None:
    need("iperf3")
    flows = [{"cc": "bbr", "workload": IPERF3}, {"cc": "cubic", "stop": "2 s"}]
    result = measured(engine, IPERF3, tmp_path, flows=flows)
    bbr, cubic = result.flows
    said = program_of(result)
    assert (said.error, said.status) == (None, 0)
    # The kernel counts what the control connection sends, too, and what came after the test's own end.
    carried_bytes = known(bbr.goodput_whole_bps) * (result.window_s[1] - bbr.start_s) / 8
    assert said.payload_bytes == pytest.approx(carried_bytes, rel=0.05)
    assert said.retransmits == pytest.approx(bbr.retransmits, abs=30)
    assert known(cubic.goodput_bps) > 0
    assert bbr.rtt_min_s == pytest.approx(0.02, abs=0.002)


def test_netcat_is_a_transfer_that_ends_by_itself(engine: Any, tmp_path: Path) -> None:
    need("nc")
    result = measured(engine, NETCAT, tmp_path)
    (flow,) = result.flows
    fct_s = known(flow.fct_s)
    assert fct_s > 8 * SENT_BYTES / 20e6
    assert engine.live or fct_s < 2, "in virtual time"
    late = result.validity == "SUSPECT" and 0.9 * SENT_BYTES < delivered_bytes(result) < SENT_BYTES
    assert late or delivered_bytes(result) == SENT_BYTES, "to the byte: a FIN is none; a disturbed look misses the end"
    assert flow.segments_sent >= SENT_BYTES / 1448


def test_programs_negotiate_ecn_by_their_routes(engine: Any, tmp_path: Path) -> None:
    """DCTCP's of itself, and its server has it, too: this machine's kernel may lack it."""
    need("nc")
    kinds = [("cubic", True), ("cubic", False), *([] if engine.live else [("dctcp", False)])]
    flows = [{"cc": cc, "name": f"{cc}-{ecn}", "ecn": ecn, "workload": NETCAT} for cc, ecn in kinds]
    result = measured(engine, NETCAT, tmp_path, flows=flows)
    with Store.open(tmp_path) as store:
        measured_on: Any = store.provenance(result.run_id)["measured_on"]
    facts = [measured_on.get(f"flows[{index}].ecn") for index in range(len(kinds))]
    assert facts == ["1 of 1", None, *([] if engine.live else ["1 of 1"])]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds at about 1 Mbit/s."""
    need("ffmpeg")
    made = tmp_path_factory.mktemp("film") / "film.ts"
    source = ["-f", "lavfi", "-i", "testsrc=size=320x240:rate=25:duration=3"]
    coded = ["-c:v", "mpeg2video", "-b:v", "1M", "-g", "12", "-f", "mpegts"]
    subprocess.run([QUIET[0], "-nostdin", "-loglevel", "error", *source, *coded, made], check=True)
    return made


@pytest.mark.long
def test_ffmpeg_streams_in_its_own_time(engine: Any, tmp_path: Path, film: Path) -> None:
    there = "tcp://{receiver}:{port}"
    workload = {
        "command": [*QUIET, "-re", "-i", str(film), "-c", "copy", "-f", "mpegts", there],
        "server": [*QUIET, "-fflags", "nobuffer", "-analyzeduration", "500000", "-i", f"{there}?listen=1",
                   "-c", "copy", "-f", "null", "-"],
    }  # fmt: skip
    said = program_of(measured(engine, workload, tmp_path))
    assert (said.error, said.status) == (None, 0)
    assert engine.live or said.stalls == 0, "in virtual time"
    assert engine.live or said.speed == pytest.approx(1, abs=0.15), "in virtual time"
    assert said.media_s == pytest.approx(3, abs=0.5)


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        ({"command": ["sh", "-c", "echo quite wrong >&2; exit 7"]}, "ended with status 7: quite wrong"),
        ({"command": ["sleep", "9", "{port}"], "server": ["sh", "-c", "exit 3; echo {port}"]}, "ended with status 3"),
    ],
)
def test_a_program_that_fails_is_a_failed_run_in_its_words(
    engine: Any, tmp_path: Path, workload: Any, message: str
) -> None:
    error = failure(engine, workload, tmp_path)
    assert error.startswith("flows[0] (mine): ")
    assert message in error


@pytest.mark.parametrize("engine", ["netns"], indirect=True)  # in virtual time it would write for ever at one instant
def test_a_program_that_writes_without_end_fills_no_disk(engine: Any, tmp_path: Path) -> None:
    error = failure(engine, {"command": ["cat", "/dev/zero"]}, tmp_path, duration="9 s")
    assert "cat has written more than 256 MiB to its standard output" in error


def test_a_program_that_is_not_there_is_refused_before_anything_runs(engine: Any) -> None:
    workload = {"command": ["no-such-program", "{port}"], "server": ["nor-this", "{port}"]}
    problems = engine.unsupported_fields(resolved(flows=[{"cc": "cubic", "workload": workload}]).run)
    assert [str(each) for each in problems if "workload" in each.path] == [
        'flows[0].workload.command: this machine has no program "no-such-program"',
        'flows[0].workload.server: this machine has no program "nor-this"',
    ]


def test_what_iperf3_says_went_wrong_is_a_warning(engine: Any, tmp_path: Path) -> None:
    """With `-J` its status is 0 whatever happens."""
    need("iperf3")
    workload = {"command": ["iperf3", "-c", "{receiver}", "-p", "7", "-J"]}
    result = measured(engine, workload, tmp_path)
    (warning,) = [each for each in result.warnings if "its program says" in each]
    assert warning.startswith("flow 0 (bbr): its program says: unable to connect to server")


def test_what_ss_sees_is_what_the_engine_samples(engine: Any, tmp_path: Path) -> None:
    need("ss")
    spec = {
        "duration": "2 s", "path": PATH, "flows": [{"cc": "bbr"}, {"cc": "cubic", "workload": NETCAT}],
        "measure": {"ss": "250 ms", "sample": "50 ms"},
    }  # fmt: skip
    need("nc")
    results = dumbbell.run(spec, engine=engine.name, store=tmp_path, programs=True)
    (outcome,) = results.outcomes
    assert isinstance(outcome, Result), outcome
    with Store.open(tmp_path) as store:
        seen, sampled = store.ss_series(outcome.run_id), store.flow_series(outcome.run_id)
    assert set(seen["flow"]) == {0, 1}
    own = seen[seen["flow"] == 0]
    assert own["time_s"].to_list() == pytest.approx([0.25 * look for look in range(1, len(own) + 1)])
    own_samples = sampled[sampled["flow"] == 0]
    times_s, srtts_s = own_samples["time_s"].to_numpy(), own_samples["srtt_s"].to_numpy()
    # In real time each look waits for the one before, and is late by as long as the machine has others to serve.
    in_time = engine.name == "linux"
    assert len(own) >= (7 if in_time else 1)
    for at_s, srtt_s in zip(own["time_s"], own["srtt_s"], strict=True):
        around = srtts_s[abs(times_s - at_s) < 0.06] if in_time else srtts_s
        slack_s = 0.001 if in_time else 0.01
        assert around.min() - slack_s <= srtt_s <= around.max() + slack_s


SLOW = {"rate": "2 Mbit/s", "rtt": "100 ms", "buffer": "4 bdp"}


def test_a_program_that_does_not_wait_is_complete_when_all_has_come(engine: Any, tmp_path: Path) -> None:
    """What it leaves in its send buffer when it exits, the kernel sends."""
    need("bash", "nc")
    workload = {
        "command": ["bash", "-c", "head -c 500000 /dev/zero > /dev/tcp/{receiver}/{port}"],
        "server": ["sh", "-c", "exec nc -l {port} >/dev/null"],
    }
    result = measured(engine, workload, tmp_path, path=SLOW)
    (flow,) = result.flows
    assert known(flow.fct_s) > 8 * 500_000 / 2e6
    assert delivered_bytes(result) == 500_000


@pytest.mark.long
def test_connections_that_use_a_port_again_are_all_counted(engine: Any, tmp_path: Path) -> None:
    need("python3")
    server = """
import socket, sys
listener = socket.create_server(("", int(sys.argv[1])))
while True:
    connection, _ = listener.accept()
    connection.recv(10000, socket.MSG_WAITALL)
    connection.close()  # first, so that its end is the one that waits
"""
    client = """
import socket, sys, time
for _ in range(20):
    time.sleep(0.1)  # the last one's end is acknowledged
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    connection.bind(("", 40000))
    connection.connect((sys.argv[1], int(sys.argv[2])))
    connection.sendall(bytes(10000))
    connection.recv(1)
    connection.close()
"""
    workload = {
        "command": ["python3", "-c", client.replace("{", "{{").replace("}", "}}"), "{receiver}", "{port}"],
        "server": ["python3", "-c", server.replace("{", "{{").replace("}", "}}"), "{port}"],
    }
    result = measured(engine, workload, tmp_path)
    assert delivered_bytes(result) == 200_000


@pytest.mark.parametrize("engine", ["netns"], indirect=True)
def test_after_its_stop_a_program_sends_no_more_whatever_it_makes_of_the_signal(engine: Any) -> None:
    need("nc")
    workload = {
        "command": ["sh", "-c", "trap '' TERM; head -c 90000000 /dev/zero | nc -N {receiver} {port}; sleep 9"],
        "server": ["sh", "-c", "exec nc -l {port} >/dev/null"],
    }
    spec = {"duration": "3 s", "path": PATH, "flows": [{"cc": "bbr", "workload": workload, "stop": "1 s"}]}
    (point,) = expand(load(spec))
    engine.allows_programs = True
    measurement = engine.measure(resolve(point, 1, live=True).run)
    (flow,) = measurement.flows
    assert 0.9e9 < flow.at_end.at_ns < 3e9, "before the run's end"
    assert flow.at_end.delivered_bytes > 0
    sent = measurement.bottleneck.at_end.sent_bytes
    assert sent < 1.05 * flow.at_end.bottleneck_bytes + 200_000, "what was under way still came"


def test_what_a_program_leaves_behind_is_no_zombie(engine: Any, tmp_path: Path) -> None:
    """And its own status is still its own: it is told."""
    need("sh")
    orphans = "(true &); (sleep 0.1 &); (sh -c 'kill -34 $$' &)"  # the last by a real-time signal
    count = "cat /proc/[0-9]*/status | grep -c '^State:.Z'"
    workload = {"command": ["sh", "-c", f"{orphans}; sleep 0.5; {count} || true"]}
    said = program_of(measured(engine, workload, tmp_path))
    assert (said.status, said.output) == (0, "0\n")


def test_programs_start_where_the_user_is(engine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\npwd\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert program_of(measured(engine, {"command": ["./mine"]}, tmp_path / "store")).output == f"{tmp_path}\n"


@pytest.fixture
def everyones() -> Iterator[Path]:
    """A folder where every user may make files: pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="everyones-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


WHO = 'echo "$(id -u) $(id -g) $(id -G) $HOME"; pwd'
NOBODY = 65534


@pytest.mark.parametrize("engine", ["netns"], indirect=True)
@pytest.mark.parametrize(("user", "number"), [("caller", NOBODY), ("root", 0)])
def test_programs_run_as_who_called_sudo_unless_the_spec_says_root(
    engine: Any, everyones: Path, monkeypatch: pytest.MonkeyPatch, user: str, number: int
) -> None:
    need("nc")
    monkeypatch.setenv("SUDO_UID", str(NOBODY))
    monkeypatch.setenv("SUDO_GID", str(NOBODY))
    monkeypatch.chdir("/")
    protected, theirs = everyones / "kept", everyones / "theirs"
    protected.write_text("kept\n", encoding="utf-8")
    server = f"id -u > {theirs}; echo x >> {protected}; exec nc -l {{port}} >/dev/null"
    client = f"{WHO}; nc -N {{receiver}} {{port}} </dev/null"
    workload = {"command": ["sh", "-c", client], "server": ["sh", "-c", server], "user": user}
    printed = known(program_of(measured(engine, workload, everyones / "store")).output).split()
    assert (printed[0], printed[1], printed[-1]) == (str(number), str(number), "/")
    assert theirs.read_text(encoding="utf-8") == f"{number}\n"
    assert (protected.read_text(encoding="utf-8") == "kept\n") == (number != 0)
    assert (printed[-2] == pwd.getpwuid(NOBODY).pw_dir) == (number != 0)


@pytest.mark.parametrize("engine", ["netns"], indirect=True)
def test_a_folder_that_the_user_may_not_enter_is_named(
    engine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_UID", str(NOBODY))
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.chdir(closed)
    error = failure(engine, {"command": ["true"]}, tmp_path / "store")
    assert f"start true in {closed} as user {NOBODY}: Permission denied" in error


@pytest.mark.parametrize("engine", ["linux"], indirect=True)
def test_a_guest_cannot_give_programs_the_powers_of_root(engine: Any) -> None:
    flows = [{"cc": "cubic"}, {"cc": "cubic", "workload": {"command": ["true"], "user": "root"}}]
    (problem,) = engine.unsupported_fields(resolved(flows=flows).run)
    assert (problem.path, problem.message) == (
        "flows[1].workload.user", "a guest's programs have no privileges, whoever they run as",
    )  # fmt: skip


def test_nothing_of_the_callers_environment_reaches_a_program_or_a_store(
    engine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = "hunter2-of-the-environment"
    monkeypatch.setenv("TOKEN", word)
    output = known(program_of(measured(engine, {"command": ["env"]}, tmp_path / "store")).output)
    assert "PATH=" in output
    assert word not in output
    contents = [path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert contents
    assert not any(word.encode() in each for each in contents)
