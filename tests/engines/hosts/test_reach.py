"""Whether hosts carry a path: where one of their own lines is slower, its rate is what they allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from commandline import dumbbell
from dev.sshlab import Lab, inside
from dumbbell.engines.hosts.engine import HostsEngine
from dumbbell.engines.hosts.reach import Reach, filling, reach, shortfalls
from dumbbell.engines.path_check import check_paths, path_of
from dumbbell.spec import expand, load, resolve
from dumbbell.spec.run import Run
from measured import measurement, queue, queue_counters

MS = 1_000_000
SLOW_MBPS = 15


def path_at(rate: str, rtt: str = "25 ms", buffer: str = "13 packets") -> Run:
    path = {"rate": rate, "rtt": rtt, "buffer": buffer, "loss": "2 %"}
    fields = {"duration": "60 s", "seeds": 1, "path": path, "flows": [{"cc": "bbr", "count": 4}]}
    return path_of(resolve(next(iter(expand(load(fields)))), 1, live=True).run)


def test_what_fills_a_path_has_room_no_loss_and_a_flow_of_each_sender() -> None:
    run = filling(path_at("80 Mbit/s"), 3)
    assert [flow.algorithm for flow in run.flows] == ["reno"] * 3
    assert len({flow.name for flow in run.flows}) == 3
    assert run.path.loss_ppb == 0
    assert run.path.buffer.bytes == 80_000_000 * 0.075 / 8
    assert (run.measure.window_begin_ns, run.duration_ns) == (1_500 * MS, 3_500 * MS)


def test_what_passes_the_queue_within_the_window_is_the_rate() -> None:
    begin, end = queue_counters(1, sent_bytes=1_000_000), queue_counters(3, sent_bytes=11_000_000)
    made = replace(queue(end=end), at_window_begin=begin, at_window_end=end)
    assert reach(measurement(bottleneck=made)).rate_bps == 40_000_000


SHORT_OF_RATE = "path.rate: 80 Mbit/s is more than these hosts carry, 79.1 Mbit/s"
TOO_FAR = "path.rtt: the hosts' own path adds 85 ms to 25 ms"


@pytest.mark.parametrize(
    ("seen", "messages"),
    [
        (Reach(rate_bps=79_300_000, rtt_ns=(26_200_000,)), []),
        (Reach(rate_bps=79_100_000, rtt_ns=(None, 25_000_000)), [SHORT_OF_RATE]),
        (Reach(rate_bps=80_000_000, rtt_ns=(110_000_000,)), [TOO_FAR]),
        (Reach(rate_bps=80_000_000, rtt_ns=(None,)), ["path: no packet came back"]),
    ],
)
def test_what_hosts_do_not_carry_is_named_with_what_they_allow(seen: Reach, messages: list[str]) -> None:
    assert list(shortfalls(path_at("80 Mbit/s"), seen)) == messages


@pytest.fixture
def slow_sender(lab: Lab) -> Iterator[Path]:
    """An inventory whose sender has a slow line of its own."""
    process = lab.hosts["s1"].process.pid
    line = f"tc qdisc replace dev eth1 root tbf rate {SLOW_MBPS}mbit burst 10k limit 100k"
    inside(process, *line.split())
    yield lab.testbed(mid="shape = true")
    inside(process, *["tc", "qdisc", "delete", "dev", "eth1", "root"])


@pytest.mark.slow
def test_each_rate_is_tried_once_and_the_sender_s_own_line_is_what_they_allow(lab: Lab, slow_sender: Path) -> None:
    hosts = HostsEngine(slow_sender, lab.config)
    paths = [path_at("10 Mbit/s", "20 ms"), path_at("40 Mbit/s", "50 ms"), path_at("40 Mbit/s", "5 ms")]
    good, *bad = check_paths(hosts, paths)
    assert good.deviations == ()
    (message,), other = (each.deviations for each in bad)
    assert other == (message,), "of the same rate"
    seen = re.fullmatch(r"path\.rate: 40 Mbit/s is more than these hosts carry, ([\d.]+) Mbit/s", message)
    assert seen
    assert float(seen[1]) == pytest.approx(SLOW_MBPS, rel=0.03)


@pytest.mark.slow
def test_doctor_says_whether_hosts_carry_the_paths_of_a_spec(lab: Lab, slow_sender: Path, tmp_path: Path) -> None:
    spec = tmp_path / "wanted.toml"
    spec.write_text(
        'duration = "60 s"\n[path]\nrate = "40 Mbit/s"\nrtt = "20 ms"\nbuffer = "1 bdp"\n[[flows]]\ncc = "reno"\n',
        encoding="utf-8",
    )
    done = dumbbell("doctor", "--inventory", slow_sender, "--ssh-config", lab.config, "--spec", spec, COLUMNS="200")
    assert done.returncode == 1
    assert "BAD    path.rate: 40 Mbit/s is more than these hosts carry, 1" in done.stdout


@pytest.mark.slow
def test_a_study_leaves_out_what_hosts_do_not_carry(lab: Lab, slow_sender: Path, tmp_path: Path) -> None:
    done = dumbbell(
        "study", "run", "giordano2019", "--short", "--experiments", "single_cubic", "--engine", "hosts",
        "--inventory", slow_sender, "--ssh-config", lab.config, "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == 2
    assert "nothing was measured, because paths are not as asked:" in done.stderr
    assert "path.rate: 103.7 Mbit/s is more than these hosts carry, 1" in done.stderr
