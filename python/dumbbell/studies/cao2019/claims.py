"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, BDP."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

from dumbbell.metrics import curve, harm
from dumbbell.metrics.window import ratio
from dumbbell.studies.sweep import Sweep

if TYPE_CHECKING:
    from dumbbell.studies.evidence import RunData, SeedSweep

RTT, RATE = Sweep("path.rtt", "ms"), Sweep("path.rate", "Mbit/s")
QUEUE, LOSS = Sweep("path.buffer", "MB"), Sweep("path.loss", "%")
SHALLOW, DEEP = {"path.buffer": "100 kB"}, {"path.buffer": "10 MB"}
SMALL, LARGE = ({"flows[0].workload.transfer": size} for size in ("10 MB", "100 MB"))
SHALLOW_MB, DEEP_MB = 0.1, 10.0
LOSSY_BPS: Final = 100e6
"""Rate of Figure 7."""
SHARED_BDP_MB: Final = 2.5
"""Of Figure 8: 1 Gbit/s and 20 ms."""


def goodput(run: RunData) -> float | None:
    """The first flow's."""
    return run.result.flows[0].goodput_bps


def gain(run: RunData, cubic: RunData) -> float | None:
    """BBR's goodput gain over CUBIC, each alone (equation 1)."""
    return harm.gain(goodput(run) or 0.0, goodput(cubic) or 0.0)


def latency_decrease(run: RunData, cubic: RunData) -> float | None:
    """How much earlier BBR is done (equation 2)."""
    ours, theirs = (each.result.flows[0].fct_s for each in (run, cubic))
    return None if ours is None or theirs is None else harm.decrease(ours, theirs)


def retransmits(run: RunData) -> float:
    """The first flow's, in segments."""
    return float(run.result.flows[0].retransmits)


def retransmit_rate(run: RunData) -> float:
    """The first flow's retransmitted segments / segments sent: what the reference takes for the loss percentage."""
    return run.result.flows[0].retransmit_rate or 0.0


def bdp_mb(run: RunData) -> float:
    """The bandwidth-delay product of a cell."""
    return RATE.of(run) * RTT.of(run) / 8e3


def shallow_loss(trial: SeedSweep) -> float:
    """The mean over the shallow plane's runs of retransmitted / sent."""
    return fmean(retransmit_rate(run) for run in trial.where(SHALLOW).runs)


def deep_loss(trial: SeedSweep) -> float:
    """The same of the deep plane."""
    return fmean(retransmit_rate(run) for run in trial.where(DEEP).runs)


def pooled_loss(trial: SeedSweep) -> float | None:
    """Retransmitted / sent of all runs together."""
    flows = [run.result.flows[0] for run in trial.runs]
    return ratio(sum(flow.retransmits for flow in flows), sum(flow.segments_sent for flow in flows))


def loss_cliff(trial: SeedSweep) -> float | None:
    """The largest random loss, all smaller ones included, with 80 % of what rate x (1 - loss) would carry; a share."""
    losses, goodputs = LOSS.along(trial, goodput)
    return curve.cliff([loss / 100 for loss in losses], goodputs, LOSSY_BPS)


def fair_buffer_bdp(trial: SeedSweep) -> float | None:
    """The queue size at which BBR's goodput has come down to CUBIC's."""
    sizes, bbr = QUEUE.along(trial, lambda run: run.result.groups["bbr"].goodput_bps or 0.0)
    found = curve.crossover(
        sizes, bbr, QUEUE.along(trial, lambda run: run.result.groups["cubic"].goodput_bps or 0.0)[1]
    )
    return None if found is None else found / SHARED_BDP_MB


def cubics_retransmits(run: RunData) -> float:
    """Of CUBIC beside BBR, in segments."""
    return float(run.result.flows[1].retransmits)
