"""What the engine makes of a run, and of an agent's answer. No kernel is started."""

from __future__ import annotations

import json
import platform
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert, structs
from syrupy.assertion import SnapshotAssertion

from dumbbell.campaign.plan import refusals
from dumbbell.cc import known
from dumbbell.engines import agent, controls, machine, registry
from dumbbell.engines.guest import NOT_CONFINED, Guests, Left, Order
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.resources import limit_s, memory_mb
from dumbbell.errors import EngineFailure, KernelError, UnknownEngine
from dumbbell.spec import Run, load
from dumbbell.spec.keys import keys
from dumbbell.spec.quantity import Time
from kernels import CONTROLS, CONTROLS_3, kernel, kernel_3
from measured import measurement, written
from specs import run_of, smallest


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Order]:
    """Orders as guests got them; the answer is in `ANSWER`."""
    orders: list[Order] = []

    def outcome(_: Guests, order: Order) -> Left:
        orders.append(order)
        return Left(ANSWER[0], NOT_CONFINED)

    monkeypatch.setattr(Guests, "outcome", outcome)
    monkeypatch.setattr(agent, "path", lambda: Path("/nowhere/agent"))
    return orders


ANSWER = [b""]
PATH = smallest()["path"]


def test_a_kernel_that_is_not_there_is_told_with_what_makes_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for folder in ("DUMBBELL_CACHE", "DUMBBELL_DATA"):
        monkeypatch.setenv(folder, str(tmp_path_factory.mktemp("user")))
    for name in ("linux", "linux:6.12", "linux:mine"):
        with pytest.raises(KernelError, match="dumbbell kernel build"):
            registry.engine(name)
    for name in ("linux:", "linuxx", "Linux"):
        with pytest.raises(UnknownEngine, match="known: sim, linux, netns, linux:KERNEL"):
            registry.engine(name)


@pytest.mark.parametrize("name", ["linux", "netns"])
def test_another_machine_cannot_have_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    with pytest.raises(KernelError, match=f"the engine {name} needs x86-64 Linux"):
        registry.engine(name)


def test_its_name_and_identity_are_those_of_kernel_and_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "identity", lambda: "a")
    first = LinuxEngine(kernel()).identity()
    assert len(first) == 64
    assert (LinuxEngine(kernel()).name, LinuxEngine(kernel("6.12")).name) == ("linux", "linux:6.12")
    assert LinuxEngine(kernel()).identity() == first
    assert LinuxEngine(kernel(identity="4567")).identity() != first
    monkeypatch.setattr(agent, "identity", lambda: "b")
    assert LinuxEngine(kernel()).identity() != first


def test_its_algorithms_are_those_of_the_kernel() -> None:
    algorithms = LinuxEngine(kernel(controls=CONTROLS | {"bbr2": "bbr2"})).algorithms()
    assert set(algorithms) == {"bbr", "cubic", "vegas", "bbr2"}
    assert "cwnd_gain" in algorithms["bbr"].parameters
    assert algorithms["vegas"].parameters == algorithms["bbr2"].parameters == {}


@pytest.mark.parametrize(
    ("cc", "control"),
    [
        ("bbr", "bbr"),
        ("vegas", "vegas"),
        ("bbr_4_17", "bbr_4_17"),
        ("bbr_4_17[cwnd_gain=1.5]", "bbr_4_17_s_1a2b"),
        ("bbr[pacing_margin=1]", "bbr"),
        ("bbr[cwnd_gain=1.5]", None),
        ("bbr_shallow", None),
        ("bbr[cwnd_gain=1.7]", None),
        ("reno", None),
    ],
)
def test_an_algorithm_with_parameters_is_a_variant_of_the_kernel(cc: str, control: str | None) -> None:
    assert controls.names_of(kernel().controls, run_of({"flows[0].cc": cc})) == [control]


@pytest.mark.parametrize(
    ("cc", "has_bbr1", "expected"),
    [
        ("bbr3", False, "bbr"),
        ("bbr3", True, "bbr"),
        ("bbr", True, "bbr1"),
        ("bbr", False, 'this kernel (bbr3) has version 3 of "bbr", not version 1; cc = "bbr3" is that'),
        ("bbr_shallow", False, 'this kernel (bbr3) has version 3 of "bbr", not version 1; cc = "bbr3" is that'),
        ("bbr_shallow", True, "this kernel (bbr3) was built without bbr[cwnd_gain=1.5]; of bbr it has bbr"),
    ],
)
def test_bbr_is_version_1_and_bbr3_what_a_kernel_of_version_3_calls_bbr(
    cc: str,
    has_bbr1: bool,  # noqa: FBT001 (an input)
    expected: str,
) -> None:
    engine = LinuxEngine(kernel_3(CONTROLS_3 | {"bbr": "bbr1"} if has_bbr1 else None))
    run = run_of({"flows[0].cc": cc}, registry={**known(), **engine.algorithms()})
    problems = [str(problem).removeprefix("flows[0].cc: ") for problem in engine.unsupported_fields(run)]
    assert (problems or controls.names_of(engine._kernel.controls, run)) == [expected]


def test_a_kernel_of_version_1_says_that_it_has_no_version_3() -> None:
    run = run_of({"flows[0].cc": "bbr3"}, registry={**known(), **LinuxEngine(kernel_3()).algorithms()})
    (problem,) = LinuxEngine(kernel()).unsupported_fields(run)
    assert problem.message == 'this kernel (6.1) has version 1 of "bbr", not version 3'


@pytest.mark.parametrize(
    ("reported", "fails"), [({}, False), ({"cc_version": "1"}, False), ({"cc_version": "3"}, True)]
)
def test_what_a_kernel_reports_of_its_bbr_is_what_the_spec_names(
    answers: list[Order],
    reported: dict[str, str],
    fails: bool,  # noqa: FBT001 (a known answer)
) -> None:
    facts = {f"flows[0].{name}": text for name, text in ({"cc": "bbr"} | reported).items()}
    ANSWER[0] = b'{"measured":' + written(replace(measurement(), facts=facts)) + b"}"
    expectation = pytest.raises(EngineFailure) if fails else nullcontext()
    with expectation as refused:
        LinuxEngine(kernel()).measure(run_of({}))
    assert len(answers) == 1
    if refused:
        text = 'flows[0].cc: the "bbr" of this kernel (6.1) reports version 3, and bbr is version 1'
        assert str(refused.value) == text


def test_a_group_that_cannot_be_honoured_is_told_once_and_as_the_spec_counts() -> None:
    flows = [{"cc": "cubic", "count": 5}, {"cc": "yeah", "count": 3}]
    experiment = load(smallest(flows=flows), overrides={"path.buffer": ["1 bdp", "2 bdp"]})
    assert [problem.path for problem in refusals(experiment, LinuxEngine(kernel()))] == ["flows[1].cc"]
    (problem,) = refusals(experiment, registry.engine("sim"))
    assert str(problem).startswith('flows[1].cc: the simulator has no "yeah"; the linux engine ')


REFUSED: dict[str, list[Any]] = {
    "flows": [[{"cc": "cubic"}, {"cc": "westwood"}]],
    "flows[0].cc": [
        "bbr[cwnd_gain=1.7]", "bbr_steady_rtt", "bbr_feedback", "bbr_steady_rtt[feedback_step=0.125]",
    ],
    "flows[0].count": [10_001],
    "flows[0].access": [{"rate": "1001 bit/s", "buffer": "1 MB"}, {"rate": "1 Gbit/s", "buffer": "5 GB"}],
    "measure.record": ["qlog"],
    "path.burst": ["1514 B"],
    "path": [
        PATH | {"burst": "9000 B", "mtu": 9000},
        PATH | {"burst": "64 kB", "offload": True},
        PATH | {"rate": "1001 bit/s", "buffer": "5 kB"},
    ],
    "path.change": [[{"at": "1 s", "rate": "2001 bit/s"}]],
    "path.buffer": ["5 GB"],
    "host.receive_window": ["2000 B", "1.5 GB"],
    "host.socket_memory": ["2 GiB"],
}  # fmt: skip


SUPER_PACKETS = {"path.offload": True, "path.burst": "68130 B"}
REFUSED_TOGETHER: list[dict[str, Any]] = [
    SUPER_PACKETS | {"path.loss": "1 %"},
    SUPER_PACKETS | {"host.gro": True},
    {"flows[0].access": {"rate": "1 Gbit/s", "buffer": "1 MB", "kind": "device"}, "host.qdisc": "fq"},
]


def refused(fields: dict[str, Any], controls: dict[str, str] | None = None) -> str:
    problems = LinuxEngine(kernel(controls=controls)).unsupported_fields(run_of(fields))
    settings = ", ".join(f"{field}={value}" for field, value in fields.items())
    return f"{settings} -> {' | '.join(map(str, problems))}"


def test_what_linux_cannot_honour_is_refused_with_what_it_can(snapshot: SnapshotAssertion) -> None:
    said = [refused({field: value}) for field, values in REFUSED.items() for value in values]
    said.append(refused({"flows[0].cc": "reno"}, {"bbr": "bbr", "renom": "renom"}))
    said.extend(map(refused, REFUSED_TOGETHER))
    assert "\n".join(said) == snapshot


def test_an_algorithm_is_asked_for_once_with_each_of_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many flows have it: `check` may see a hundred thousand."""
    algorithms = []

    def named(algorithm: str) -> dict[str, dict[str, float]]:
        algorithms.append(algorithm)
        return {}

    monkeypatch.setattr("dumbbell.engines.controls._named", named)
    flows = [{"cc": "bbr", "count": 30}, {"cc": "bbr[cwnd_gain=1.7]", "count": 30}, {"cc": "bbr[cwnd_gain=1.8]"}]
    problems = LinuxEngine(kernel()).unsupported_fields(run_of({"flows": flows}))
    assert [each.path for each in problems] == [f"flows[{number}].cc" for number in range(30, 61)]
    assert len(algorithms) == 4, "of two: whether the kernel has it, and what it has instead"


@pytest.mark.parametrize("fields", REFUSED_TOGETHER)
def test_each_of_what_is_refused_together_can_be_honoured(fields: dict[str, Any]) -> None:
    last = next(reversed(fields))
    for remaining in ({last: fields[last]}, {name: value for name, value in fields.items() if name != last}):
        assert LinuxEngine(kernel()).unsupported_fields(run_of(remaining)) == []


def test_timing_noise_of_the_machine_is_refused() -> None:
    run = run_of({})
    run = structs.replace(run, path=structs.replace(run.path, jitter_ns=None))
    (problem,) = LinuxEngine(kernel()).unsupported_fields(run)
    assert problem.path == "path.jitter"


def test_netem_can_draw_below_the_largest_jitter_of_a_spec() -> None:
    (most,) = (key.extremes[-1] for key in keys() if key.path == "path.jitter")
    assert Time(most).ns // 2 <= 2**31 - 1


def test_what_linux_can_honour_is_not_refused() -> None:
    path = PATH | {"burst": "68130 B", "queue": "packets", "loss": "1 %", "loss_at": "after", "jitter": "4 s"}
    host = {"receive_window": "3 MB", "initial_window": 32, "qdisc": "fq", "sack_compression": False}
    nic = {"gro": True, "ack_aggregation": "100 ms"}
    assert LinuxEngine(kernel()).unsupported_fields(run_of({"path": path, "host": host | nic})) == []


def test_a_guest_gets_the_run_and_the_kernels_names(answers: list[Order]) -> None:
    spec_run = run_of({"flows": [{"cc": "bbr_4_17_shallow", "count": 2}, {"cc": "cubic"}]}, 7)
    nothing = replace(measurement(ended_s=3e-9), facts={"kernel": "6.1.192"})
    ANSWER[0] = b'{"measured":' + written(nothing) + b"}"
    measured = LinuxEngine(kernel()).measure(spec_run)
    assert measured.ended_ns == 3
    assert measured.facts == {"kernel": "6.1.192", "guest": NOT_CONFINED}
    (order,) = answers
    job = json.loads(order.job)
    assert job["controls"] == ["bbr_4_17_s_1a2b", "bbr_4_17_s_1a2b", "cubic"]
    assert job["task"] == "measure"
    assert convert(job["run"], Run) == spec_run
    assert (order.seed, order.limit_s, order.memory_mb) == (7, limit_s(spec_run), memory_mb(spec_run))


def test_it_boots_once_on_each_machine_since_that_was_started(
    answers: list[Order], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ANSWER[0] = b'{"failed":"no job"}'
    started = tmp_path / "boot_id"
    started.write_text("one machine")
    monkeypatch.setattr(machine, "BOOT_ID", started)
    engine = LinuxEngine(replace(kernel(), executable=tmp_path / "linux"))
    for _ in range(3):
        engine.ready()
    assert len(answers) == 1
    started.write_text("another machine, or the same after a new start")
    engine.ready()
    engine.ready()
    assert len(answers) == 2
    engine.boot()
    assert len(answers) == 3


def test_what_did_not_boot_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Guests, order: Order) -> bytes:
        raise EngineFailure(f"no kernel: {order.kernel}")

    monkeypatch.setattr(Guests, "outcome", fail)
    monkeypatch.setattr(agent, "path", lambda: tmp_path / "agent")
    engine = LinuxEngine(replace(kernel(), executable=tmp_path / "linux"))
    for _ in range(2):
        with pytest.raises(EngineFailure, match="no kernel"):
            engine.ready()
    assert list(tmp_path.iterdir()) == []


def test_a_probe_gives_a_report(answers: list[Order]) -> None:
    counts = dict.fromkeys(("queue_bytes", "queue_packets", "spaced_packets", "lost_packets", "reordered_packets"), 0)
    ANSWER[0] = json.dumps({"probed": counts | {"rate_bps": 80_000_000, "rtt_ns": [25_000_000]}}, indent=1).encode()
    report = LinuxEngine(kernel()).probe(run_of({}), reorder_ppb=5)
    assert (report.rate_bps, report.rtt_ns) == (80_000_000, (25_000_000,))
    assert json.loads(answers[0].job)["task"] == {"probe": {"reorder_ppb": 5}}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"", "cut short or no JSON: 0 B"),
        (b'{"measured":{"ended_ns":3,"flo', "cut short or no JSON: 30 B"),
        (b'{"measured":{"ended_ns":3}}', "not a measurement: missing field"),
        (b'{"failed":"no veth: Operation not supported"}', "no veth: Operation not supported"),
        (b'{"probed":{}}', "none of a run"),
        (b"[]", "none of a run"),
    ],
)
@pytest.mark.usefixtures("answers")
def test_an_answer_that_is_no_measurement_is_a_failure(answer: bytes, message: str) -> None:
    ANSWER[0] = answer
    with pytest.raises(EngineFailure, match=message):
        LinuxEngine(kernel()).measure(run_of({}))


def test_what_it_refuses_it_does_not_measure(answers: list[Order]) -> None:
    with pytest.raises(EngineFailure, match='has no "reno"'):
        LinuxEngine(kernel()).measure(run_of({"flows[0].cc": "reno"}))
    assert not answers


def test_an_installation_without_an_agent_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any) -> None:
    monkeypatch.setattr(agent, "files", lambda _: tmp_path_factory.mktemp("package"))
    with pytest.raises(EngineFailure, match="`make build` makes of the source"):
        agent.path()
    for name, engine in (("linux", "linux"), ("linux:6.12", "linux"), ("netns", "netns")):
        with pytest.raises(KernelError, match=f"the engine {engine} is not in this installation: it has no agent"):
            registry.engine(name)
