"""What the engine makes of a run, and of an agent's answer. No kernel is started."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dumbbell import _core
from dumbbell.campaign.plan import refusals
from dumbbell.engines import agent, linux, registry
from dumbbell.engines.guest import Guests, Order
from dumbbell.engines.linux import LinuxEngine
from dumbbell.errors import EngineFailure, KernelError, UnknownEngine
from dumbbell.spec import Run, load
from experiments import resolved
from kernels import CONTROLS, kernel

REPORT = {
    "rate_bps": 80_000_000,
    "rtt_ns": [25_000_000],
    "queue_bytes": 250_000,
    "queue_packets": 165,
    "spaced_packets": 1000,
    "lost_packets": 0,
    "reordered_packets": 0,
}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Order]:
    """Orders as guests got them; the answer is in `ANSWER`."""
    orders: list[Order] = []

    def outcome(_: Guests, order: Order) -> bytes:
        orders.append(order)
        return ANSWER[0]

    monkeypatch.setattr(Guests, "outcome", outcome)
    monkeypatch.setattr(agent, "path", lambda: Path("/nowhere/agent"))
    return orders


ANSWER = [b""]


def run(**words: Any) -> Run:
    return resolved(**words).run


def refused(words: dict[str, Any], controls: dict[str, str] | None = None) -> list[tuple[str, str]]:
    problems = LinuxEngine(kernel(controls=controls)).unsupported_fields(run(**words))
    return [(problem.path, f"{problem.message}; {problem.hint}") for problem in problems]


def path(**words: Any) -> dict[str, Any]:
    return {"path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"} | words}


def test_its_name_is_that_of_its_kernel() -> None:
    assert LinuxEngine(kernel()).name == "linux"
    assert LinuxEngine(kernel("6.12")).name == "linux:6.12"


def test_a_kernel_that_is_not_there_is_told_with_what_makes_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path_factory.mktemp("cache")))
    for name in ("linux", "linux:6.12", "linux:mine"):
        with pytest.raises(KernelError, match="dumbbell kernel build"):
            registry.engine(name)
    for name in ("linux:", "linuxx", "Linux"):
        with pytest.raises(UnknownEngine, match="known: sim, linux, linux:KERNEL"):
            registry.engine(name)


def test_another_machine_cannot_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    with pytest.raises(KernelError, match="needs x86-64 Linux"):
        registry.engine("linux")


def test_its_identity_is_that_of_kernel_agent_and_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "identity", lambda: "a")
    first = LinuxEngine(kernel()).identity()
    assert len(first) == 64
    assert LinuxEngine(kernel()).identity() == first
    assert LinuxEngine(kernel(identity="4567")).identity() != first
    monkeypatch.setattr(agent, "identity", lambda: "b")
    assert LinuxEngine(kernel()).identity() != first


def test_its_algorithms_are_those_of_the_kernel() -> None:
    algorithms = LinuxEngine(kernel(controls=CONTROLS | {"bbr3": "bbr3"})).algorithms()
    assert set(algorithms) == {"bbr", "cubic", "vegas", "bbr3"}
    assert "cwnd_gain" in algorithms["bbr"].parameters
    assert algorithms["vegas"].parameters == algorithms["bbr3"].parameters == {}


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
    assert LinuxEngine(kernel()).control(run(flows=[{"cc": cc}]).flows[0].cc) == control


def test_a_congestion_control_that_it_lacks_is_refused_with_those_it_has() -> None:
    ((where, words),) = refused({"flows": [{"cc": "cubic"}, {"cc": "westwood"}]})
    assert where == "flows[1].cc"
    assert words == ('this kernel (6.1) has no "westwood"; known: bbr, bbr_4_17, bbr_4_17_shallow, cubic, vegas')
    ((_, words),) = refused({"flows": [{"cc": "reno"}]}, {"bbr": "bbr", "renom": "renom"})
    assert words == 'this kernel (6.1) has no "reno"; did you mean "renom"? It has bbr, renom'


def test_parameters_that_it_was_not_built_with_are_refused_with_those_it_was() -> None:
    ((where, words),) = refused({"flows": [{"cc": "bbr[cwnd_gain=1.7]"}]})
    assert where == "flows[0].cc"
    assert words == (
        "this kernel (6.1) was built without bbr[cwnd_gain=1.7]; of bbr it has bbr, bbr_4_17, bbr_4_17_shallow"
    )


@pytest.mark.parametrize(
    ("cc", "settings"),
    [
        ("bbr_steady_rtt", "min_rtt_rise_probes=6"),
        ("bbr_feedback", "feedback_step=0.0625"),
        ("bbr_steady_rtt[feedback_step=0.125]", "feedback_step=0.125, min_rtt_rise_probes=6"),
    ],
)
def test_a_variant_that_no_kernel_can_have_is_refused_with_those_it_has(cc: str, settings: str) -> None:
    ((where, words),) = refused({"flows": [{"cc": "cubic"}, {"cc": cc}]})
    assert where == "flows[1].cc"
    assert words == (
        f"this kernel (6.1) was built without bbr[{settings}]; of bbr it has bbr, bbr_4_17, bbr_4_17_shallow"
    )


def test_a_group_that_cannot_be_honoured_is_told_once_and_as_the_spec_counts() -> None:
    experiment = load({
        "duration": "10 s",
        "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": ["1 bdp", "2 bdp"]},
        "flows": [{"cc": "cubic", "count": 5}, {"cc": "yeah", "count": 3}],
    })  # fmt: skip
    assert [problem.path for problem in refusals(experiment, LinuxEngine(kernel()))] == ["flows[1].cc"]
    (problem,) = refusals(experiment, registry.engine("sim"))
    assert str(problem).startswith('flows[1].cc: the simulator has no "yeah"; the linux engine ')


@pytest.mark.parametrize(
    ("words", "where", "told"),
    [
        ({"measure": {"record": "acks"}}, "measure.record", '"acks" needs captures'),
        ({"measure": {"record": "pcap"}}, "measure.record", '"pcap" needs captures'),
        (path(burst="1514 B"), "path.burst", "1514 B is one frame or less"),
        (path(burst="9000 B", mtu=9000), "path.burst", "more than 9014 B"),
        (path(burst="64 kB", offload=True), "path.burst", "up to 68130 B; at least 68130 B"),
        (path(rate="1001 bit/s", buffer="5 kB"), "path.rate", "a multiple of 8 bit/s"),
        (path(change=[{"at": "1 s", "rate": "2001 bit/s"}]), "path.change[0].rate", "2001 bit/s"),
        (path(buffer="5 GB"), "path.buffer", "at most 4294967295 B"),
        ({"host": {"receive_window": "2000 B"}}, "host.receive_window", "from 2304 B to 1073725440 B"),
        ({"host": {"receive_window": "1.5 GB"}}, "host.receive_window", "1500000000 B is no window"),
        ({"host": {"socket_memory": "2 GiB"}}, "host.socket_memory", "at most 2147483647 B"),
        (
            {"flows": [{"cc": "bbr", "access": {"rate": "1001 bit/s", "buffer": "1 MB"}}]},
            "flows[0].access.rate",
            "a multiple of 8 bit/s",
        ),
        (
            {"flows": [{"cc": "bbr", "access": {"rate": "1 Gbit/s", "buffer": "5 GB"}}]},
            "flows[0].access.buffer",
            "in 32 bits",
        ),
        ({"flows": [{"cc": "bbr", "count": 10_001}]}, "flows", "at most 1000"),
    ],
)
def test_a_field_that_linux_cannot_honour_is_refused(words: dict[str, Any], where: str, told: str) -> None:
    words = words if "path" not in words or "rate" in words["path"] else path(**words["path"])
    found = refused({"duration": "10 s"} | words)
    assert [each for each, _ in found] == [where]
    assert told in found[0][1]


def test_what_linux_can_honour_is_not_refused() -> None:
    words = path(burst="68130 B", offload=True, queue="packets", loss="1 %", loss_at="after", mtu=1500)
    host = {"receive_window": "3 MB", "initial_window": 32, "qdisc": "fq", "sack_compression": False}
    assert refused(words | {"host": host}) == []


def test_a_guest_gets_the_run_and_the_kernels_names(answers: list[Order]) -> None:
    asked = run(flows=[{"cc": "bbr_4_17_shallow", "count": 2}, {"cc": "cubic"}], seeds=[7])
    ANSWER[0] = b'{"measured":' + json.dumps(empty()).encode() + b"}"
    measurement = LinuxEngine(kernel()).measure(asked)
    assert measurement.ended_ns == 3
    assert measurement.facts == {"kernel": "6.1.192"}
    (order,) = answers
    job = json.loads(order.job)
    assert job["controls"] == ["bbr_4_17_s_1a2b", "bbr_4_17_s_1a2b", "cubic"]
    assert job["task"] == "measure"
    assert Run.model_validate(job["run"]) == asked
    assert order.seed == 7


def test_it_boots_once_on_each_machine_since_that_was_started(
    answers: list[Order], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ANSWER[0] = b'{"failed":"no job"}'
    started = tmp_path / "boot_id"
    started.write_text("one machine")
    monkeypatch.setattr(linux, "_STARTED", started)
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
    ANSWER[0] = json.dumps({"probed": REPORT}, indent=1).encode()
    report = LinuxEngine(kernel()).probe(run(), reorder_ppb=5)
    assert (report.rate_bps, report.rtt_ns) == (80_000_000, (25_000_000,))
    assert json.loads(answers[0].job)["task"] == {"probe": {"reorder_ppb": 5}}


@pytest.mark.parametrize(
    ("answer", "words"),
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
def test_an_answer_that_is_no_measurement_is_a_failure(answer: bytes, words: str) -> None:
    ANSWER[0] = answer
    with pytest.raises(EngineFailure, match=words):
        LinuxEngine(kernel()).measure(run())


def test_what_it_refuses_it_does_not_measure(answers: list[Order]) -> None:
    with pytest.raises(EngineFailure, match='has no "reno"'):
        LinuxEngine(kernel()).measure(run(flows=[{"cc": "reno"}]))
    assert not answers


def test_an_installation_without_an_agent_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any) -> None:
    monkeypatch.setattr(agent, "files", lambda _: tmp_path_factory.mktemp("package"))
    with pytest.raises(EngineFailure, match="`make build` makes it"):
        agent.path()


def empty() -> dict[str, Any]:
    """A measurement of nothing, as an agent writes it."""
    counters = {"at_ns": 0} | dict.fromkeys(_core.measure(run(duration="1 s").to_json())["bottleneck"]["at_end"], 0)
    columns = ("at_ns", "backlog_bytes", "backlog_packets", "dropped_packets", "sent_packets")
    queue = {
        "series": {name: list[int]() for name in columns},
        **dict.fromkeys(("at_window_begin", "at_window_end", "at_end"), counters),
    }
    return {"ended_ns": 3, "flows": [], "bottleneck": queue, "facts": {"kernel": "6.1.192"}}
