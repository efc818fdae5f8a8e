"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, BDP."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Final

from dumbbell.metrics import curve, merit
from dumbbell.metrics.window import ratio
from dumbbell.studies.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dumbbell.studies.evidence import Observed, Trial

RTT, RATE = Sweep("path.rtt", "ms"), Sweep("path.rate", "Mbit/s")
QUEUE, LOSS = Sweep("path.buffer", "MB"), Sweep("path.loss", "%")
SHALLOW, DEEP = {"path.buffer": "100 kB"}, {"path.buffer": "10 MB"}
SMALL, LARGE = ({"flows[0].workload.transfer": size} for size in ("10 MB", "100 MB"))
SHALLOW_MB, DEEP_MB = 0.1, 10.0
LONG_MB: Final = 4 * SHALLOW_MB
"""From here on the reference calls the bandwidth-delay product large beside the shallow queue."""
SHORT_MB: Final = 1.0
"""Up to here it calls it small."""
STEEPEST_MBIT_S: Final = 500
"""Up to this rate the gain is said to grow: above, the network card comes near."""
TENFOLD: Final = 10
LOSSY_BPS: Final = 100e6
"""Rate of Figure 7."""
SHARED_BDP_MB: Final = 2.5
"""Of Figure 8: 1 Gbit/s and 20 ms."""
TABLE1_MB: Final = (0.1, 1.0, 5.0, 10.0, 50.0, 100.0)
"""Table 1's queues from which BBR's retransmissions are said to fall."""


def goodput(run: Observed) -> float | None:
    """The first flow's."""
    return run.result.flows[0].goodput_bps


def gain(run: Observed, cubic: Observed) -> float | None:
    """BBR's goodput gain over CUBIC, each alone (equation 1)."""
    return merit.gain(goodput(run) or 0.0, goodput(cubic) or 0.0)


def latency_decrease(run: Observed, cubic: Observed) -> float | None:
    """How much earlier BBR is done (equation 2)."""
    ours, theirs = (each.result.flows[0].fct_s for each in (run, cubic))
    return None if ours is None or theirs is None else merit.decrease(ours, theirs)


def retransmits(run: Observed) -> float:
    """The first flow's, in segments."""
    return float(run.result.flows[0].retransmits)


def retransmit_rate(run: Observed) -> float:
    """The first flow's retransmitted segments / segments sent: what the reference takes for the loss percentage."""
    return run.result.flows[0].retransmit_rate or 0.0


def bdp_mb(run: Observed) -> float:
    """The bandwidth-delay product of a cell."""
    return RATE.of(run) * RTT.of(run) / 8e3


def gain_follows_bdp(trial: Trial, cubic: Trial) -> float | None:
    """The rank correlation of gain and bandwidth-delay product in the shallow plane, up to 500 Mbit/s."""
    cells = [run for run in trial.where(SHALLOW).runs if RATE.of(run) <= STEEPEST_MBIT_S]
    gains = [gain(run, cubic.beside(run)) or 0.0 for run in cells]
    return curve.rank_correlation([bdp_mb(run) for run in cells], gains)


def gains_on_long_paths(trial: Trial, cubic: Trial) -> float | None:
    """Of the shallow plane's cells with a BDP above four queues the share in which BBR has more."""
    cells = (run for run in trial.where(SHALLOW).runs if bdp_mb(run) > LONG_MB)
    return _share(cells, lambda run: (gain(run, cubic.beside(run)) or 0.0) > 0)


def cubic_ahead_when_deep(trial: Trial, cubic: Trial) -> float | None:
    """Of the deep plane's cells with a BDP below the queue the share in which CUBIC has as much or more."""
    cells = (run for run in trial.where(DEEP).runs if bdp_mb(run) < DEEP_MB)
    return _share(cells, lambda run: (gain(run, cubic.beside(run)) or 0.0) <= 0)


def tenfold_retransmits(trial: Trial, cubic: Trial) -> float | None:
    """Of the shallow plane's cells with a BDP above the queue the share in which BBR retransmits ten times as much."""
    cells = (run for run in trial.where(SHALLOW).runs if bdp_mb(run) > SHALLOW_MB)
    return _share(cells, lambda run: retransmits(run) >= TENFOLD * max(1.0, retransmits(cubic.beside(run))))


def shallow_loss(trial: Trial) -> float:
    """The mean over the shallow plane's runs of retransmitted / sent."""
    return fmean(retransmit_rate(run) for run in trial.where(SHALLOW).runs)


def deep_loss(trial: Trial) -> float:
    """The same of the deep plane."""
    return fmean(retransmit_rate(run) for run in trial.where(DEEP).runs)


def pooled_loss(trial: Trial) -> float | None:
    """Retransmitted / sent of all runs together."""
    flows = [run.result.flows[0] for run in trial.runs]
    return ratio(sum(flow.retransmits for flow in flows), sum(flow.segments_sent for flow in flows))


def cubics_loss_above_ours_when_deep(trial: Trial, cubic: Trial) -> float:
    """CUBIC's mean loss in the deep plane less BBR's."""
    return deep_loss(cubic) - deep_loss(trial)


def faster_when_shallow(trial: Trial, cubic: Trial) -> float | None:
    """Of the shallow plane's cells the share in which BBR has delivered 100 MB earlier."""
    return _faster(trial.where({**SHALLOW, **LARGE}).runs, cubic)


def faster_on_long_paths(trial: Trial, cubic: Trial) -> float | None:
    """The same of the cells with a BDP above four queues."""
    return _faster((run for run in trial.where({**SHALLOW, **LARGE}).runs if bdp_mb(run) > LONG_MB), cubic)


def slower_when_deep(trial: Trial, cubic: Trial) -> float | None:
    """Of the deep plane's cells with a BDP below 1 MB the share in which BBR has delivered 100 MB later."""
    cells = (run for run in trial.where({**DEEP, **LARGE}).runs if bdp_mb(run) < SHORT_MB)
    return _share(cells, lambda run: (latency_decrease(run, cubic.beside(run)) or 0.0) < 0)


def faster_with_10_mb(trial: Trial, cubic: Trial) -> float | None:
    """Of both planes' cells the share in which BBR has delivered 10 MB earlier."""
    return _faster(trial.where(SMALL).runs, cubic)


def goodput_left(run: Observed) -> float | None:
    """Goodput as a share of what rate x (1 - loss) would carry, as the cliff has it."""
    return ratio(goodput(run) or 0.0, LOSSY_BPS * (1 - LOSS.of(run) / 100))


def goodput_of_rate(run: Observed) -> float | None:
    """Goodput as a share of the line."""
    return ratio(goodput(run) or 0.0, LOSSY_BPS)


def loss_cliff(trial: Trial) -> float | None:
    """The largest random loss, all smaller ones included, with 80 % of what rate x (1 - loss) would carry; a share."""
    losses, goodputs = LOSS.along(trial, goodput)
    return curve.cliff([loss / 100 for loss in losses], goodputs, LOSSY_BPS)


def largest_rise(trial: Trial) -> float:
    """The largest rise of goodput from one loss to the next larger, as a share of the line."""
    _, goodputs = LOSS.along(trial, goodput)
    return max(after - before for before, after in pairwise(goodputs)) / LOSSY_BPS


def peak_beyond_cliff(trial: Trial) -> float | None:
    """The loss with most retransmissions less the cliff; shares."""
    peak, fall = curve.argmax(*LOSS.along(trial, retransmits)), loss_cliff(trial)
    return None if peak is None or fall is None else peak / 100 - fall


def fair_buffer_bdp(trial: Trial) -> float | None:
    """The queue size at which BBR's goodput has come down to CUBIC's."""
    sizes, bbr = QUEUE.along(trial, lambda run: run.result.groups["bbr"].goodput_bps or 0.0)
    found = curve.crossover(
        sizes, bbr, QUEUE.along(trial, lambda run: run.result.groups["cubic"].goodput_bps or 0.0)[1]
    )
    return None if found is None else found / SHARED_BDP_MB


def cubic_over_bbr(run: Observed) -> float | None:
    """CUBIC's goodput over BBR's beside it."""
    return ratio(*(run.result.groups[group].goodput_bps or 0.0 for group in ("cubic", "bbr")))


def bbrs_retransmits_over_cubics(run: Observed) -> float:
    """BBR's retransmissions over those of CUBIC beside it, none of which count as one."""
    return retransmits(run) / max(1.0, cubics_retransmits(run))


def cubics_retransmits_above_ours(run: Observed) -> float:
    """Retransmissions of CUBIC less those of BBR beside it, in segments."""
    return cubics_retransmits(run) - retransmits(run)


def cubics_retransmits(run: Observed) -> float:
    """Of CUBIC beside BBR, in segments."""
    return float(run.result.flows[1].retransmits)


def largest_rise_of_retransmits(trial: Trial) -> float:
    """The largest rise of BBR's retransmissions from one of Table 1's queues to the next, from 100 KB on; segments."""
    found = [retransmits(run) for run in sorted(trial.runs, key=QUEUE.of) if QUEUE.of(run) in TABLE1_MB]
    return max(after - before for before, after in pairwise(found))


def _faster(runs: Iterable[Observed], cubic: Trial) -> float | None:
    return _share(runs, lambda run: (latency_decrease(run, cubic.beside(run)) or 0.0) > 0)


def _share(cells: Iterable[Observed], holds: Callable[[Observed], bool]) -> float | None:
    """Of cells in which something holds."""
    found = [holds(run) for run in cells]
    return fmean(found) if found else None
