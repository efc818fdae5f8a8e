"""What a line does to packets and in time, where another host makes the path."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dev.sshlab import Lab
from dumbbell.engines.hosts.engine import HostsEngine
from dumbbell.spec.line import GilbertElliott, Impairments, Late, Reorder
from dumbbell.spec.run import Run
from impaired import BBR, MBIT, MS, PERCENT, impaired, rate, sent

pytestmark = pytest.mark.slow


def run_of() -> Run:
    """As hosts have it: with noise and settings of their own."""
    channel = GilbertElliott(
        to_bad_ppb=PERCENT // 2, to_good_ppb=20 * PERCENT, good_loss_ppb=0, bad_loss_ppb=100 * PERCENT
    )
    does = Impairments(burst_loss=channel, reorder=Reorder(late=Late(share_ppb=5 * PERCENT, by_ns=5 * MS)))
    changes = (rate(2, 0), rate(2.5, 50 * MBIT))
    run = impaired(flows=BBR, duration="4 s", impairments=does, changes=changes, jitter_ns=None)
    return replace(run, host=replace(run.host, socket_memory="default"))


def test_a_router_does_it(lab: Lab) -> None:
    hosts = HostsEngine(lab.testbed(mid="shape = true"), lab.config)
    run = run_of()
    assert hosts.unsupported_fields(run) == []
    measured = hosts.measure(run)
    queue = measured.bottleneck.at_end
    assert sent(measured, 2.1, 2.4) == 0
    assert sent(measured, 1, 1.9) > 200 < sent(measured, 2.6, 3.9)
    lost = queue.random_lost_packets / (queue.offered_packets + queue.random_lost_packets)
    assert lost == pytest.approx(0.5 / 20.5, rel=0.6)
    assert any("reorder 95%" in text for text in measured.facts.values())


def test_without_a_path_of_ours_it_is_refused(lab: Lab) -> None:
    hosts = HostsEngine(lab.testbed(router=""), lab.config)
    refused = [str(each) for each in hosts.unsupported_fields(run_of())]
    expected = ("path.loss.gilbert_elliott", "path.reorder", "path.change[0].rate")
    assert [each.partition(":")[0] for each in refused] == list(expected)
