"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, BDP."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.metrics.convergence import jain_in_bins
from dumbbell.metrics.curve import crossover, interpolated, linear_r2
from dumbbell.metrics.cycle import correlation, dominant_period_s
from dumbbell.metrics.modes import Modes, alternation, boundary, modes
from dumbbell.metrics.phases import after_stays, entries_s, synchrony
from dumbbell.metrics.window import ratio
from dumbbell.studies.metric import metric
from dumbbell.studies.series import BIN_S, dropped_and_sent, group_rates_bps, quartiles_bps, received
from dumbbell.studies.sweep import Sweep

if TYPE_CHECKING:
    from dumbbell.studies.evidence import Observed, Trial

SETTLED_S = 30.0
"""When Figure 4b's flows are said to have found each other."""
TOGETHER_S = 0.5
"""Entries into PROBE_RTT this near are one."""
SHALLOW_BDP = 1.5
"""The document calls buffers below this shallow."""
SHALLOW_QUIET_BDP = 1.25
"""From here on BBR_Shallow is said to lose nothing."""
CYCLES_S = (60.0, 285.0)
"""Where the raw data's periods were taken."""
TAKEOVER_S = 3.0
"""How long BBR is said to be taking over after an inaccurate PROBE_RTT."""
CYCLE_S = 10.0
"""From one PROBE_RTT to the next."""
QUEUE = Sweep("path.buffer", "bdp")
RATE = Sweep("path.rate", "Mbit/s")
FLOWS = Sweep("flows[0].count", "")
"""BBR's, which beside CUBIC are half of all."""
FEW = 4
"""Up to so many BBR flows the raw data have no loss from 1.5 BDP on, at any capacity."""
LONGEST_QUEUE = (40.0, 8.0)
"""Mbit/s and flows of the only condition in which the raw data have loss above 1.5 BDP."""
cubic_share = metric("groups.cubic.share")


def jain_when_settled(run: Observed) -> float | None:
    """The smallest of Jain's indices in 5-s bins from 30 s to the end."""
    found = jain_in_bins(list(received(run).values()), SETTLED_S, run.window_s[1])
    known = [index for index in found if index is not None]
    return min(known) if known and len(known) == len(found) else None


def probe_rtt_synchrony(run: Observed) -> float | None:
    """Of all entries into PROBE_RTT from 30 s on, the share within 0.5 s of one of every other flow."""
    frame = run.flow_series()
    entries = [entries_s(each["time_s"], each["phase"], "probe_rtt") for _, each in frame.groupby("flow")]
    return synchrony(entries, TOGETHER_S, SETTLED_S)


def largest_queue_bdp(run: Observed) -> float | None:
    """The largest sample of the backlog, in BDP."""
    return ratio(run.result.bottleneck.queue_max_bytes or 0.0, run.bdp_bytes)


def queue_p95_bdp(run: Observed) -> float | None:
    """The 95th percentile of the backlog, in BDP."""
    return ratio(run.result.bottleneck.queue_p95_bytes or 0.0, run.bdp_bytes)


def mean_in_flight_bdp(run: Observed) -> float | None:
    """What is in flight on average: the queue, and the path, which it keeps full."""
    mean = run.result.bottleneck.queue_mean_bdp
    return None if mean is None else 1 + mean


def most_in_flight_bdp(run: Observed) -> float | None:
    """The most that is in flight."""
    largest = largest_queue_bdp(run)
    return None if largest is None else 1 + largest


def mean_rtt(run: Observed) -> float | None:
    """The mean over the flows of their mean smoothed RTT, seconds."""
    return fmean(flow.rtt_mean_s or 0.0 for flow in run.result.flows)


def rtt_over_rival(run: Observed, rival: Observed) -> float | None:
    """Mean RTT over that of CUBIC's own run."""
    mine, theirs = mean_rtt(run), mean_rtt(rival)
    return ratio(mine or 0.0, theirs or 0.0)


def cycle_period(run: Observed) -> float | None:
    """The dominant period of BBR's throughput in bins of 0.5 s, seconds."""
    return dominant_period_s(group_rates_bps(run, "bbr", *CYCLES_S), BIN_S)


def correlation_of_groups(run: Observed) -> float | None:
    """Pearson's, of BBR's and CUBIC's throughput in bins of 0.5 s."""
    return correlation(*(group_rates_bps(run, group, *CYCLES_S) for group in ("bbr", "cubic")))


def low_min_rtt(run: Observed) -> float | None:
    """The median of the low ones of BBR's min_rtt estimates as PROBE_RTT left them, seconds."""
    return _min_rtt_modes(run).low


def high_min_rtt(run: Observed) -> float | None:
    """The median of the high ones."""
    return _min_rtt_modes(run).high


def alternation_of_min_rtt(run: Observed) -> float | None:
    """Of all estimates that have a successor in their flow, the share whose successor is of the other kind."""
    found = min_rtts_s(run)
    between = boundary([each for flow in found for each in flow])
    return None if between is None else alternation(found, between)


def drops_after_inaccurate_probes(run: Observed) -> float | None:
    """Of all drops from 60 to 285 s, the share within 3 s after a BBR flow left PROBE_RTT with a high estimate."""
    return _drops_after_inaccurate_probes(run, TAKEOVER_S)


def drops_until_the_next_probe(run: Observed) -> float | None:
    """The same within 10 s: until the next PROBE_RTT."""
    return _drops_after_inaccurate_probes(run, CYCLE_S)


def _drops_after_inaccurate_probes(run: Observed, within_s: float) -> float | None:
    found = _probes(run)
    between = boundary([estimate for flow in found for _, estimate in flow])
    if between is None:
        return None
    takeovers = np.array([left for flow in found for left, estimate in flow if estimate > between])
    dropped, _ = dropped_and_sent(run)
    at, gone = dropped.time_s[1:], np.diff(dropped.total)
    counted = (at > CYCLES_S[0]) & (at <= CYCLES_S[1])
    since = at[:, None] - takeovers
    after = ((since > 0) & (since <= within_s)).any(axis=1)
    return ratio(float(gone[counted & after].sum()), float(gone[counted].sum()))


def largest_loss_from_1_25_bdp(trial: Trial) -> float | None:
    """The largest dropped / sent of the buffers of 1.25 BDP and more."""
    return max(QUEUE.along(trial, loss_per_sent, least=SHALLOW_QUIET_BDP)[1])


def loss_at_1_bdp(trial: Trial) -> float | None:
    """Dropped / sent at 1 BDP on the straight line between its neighbours: the authors have no such point either."""
    return interpolated(*QUEUE.along(trial, loss_per_sent), 1.0)


def straightness_of_loss(trial: Trial) -> float | None:
    """R^2 of the straight line through the losses from 0.25 to 1.5 BDP."""
    return linear_r2(*QUEUE.along(trial, loss_per_sent, most=SHALLOW_BDP))


def largest_loss_from_1_5_bdp(trial: Trial) -> float | None:
    """The largest dropped / sent of the buffers of 1.5 BDP and more."""
    return max(QUEUE.along(trial, loss_per_sent, least=SHALLOW_BDP)[1])


def largest_loss_of_few_from_1_5_bdp(trial: Trial) -> float | None:
    """The same of two and four flows, over all capacities."""
    few = [run for run in trial.runs if FLOWS.of(run) <= FEW]
    return max(loss_per_sent(run) for run in few if QUEUE.of(run) >= SHALLOW_BDP)


def smallest_loss_when_shallow(trial: Trial) -> float | None:
    """The smallest dropped / sent of the buffers below 1.5 BDP, over all capacities and flow counts."""
    return min(loss_per_sent(run) for run in trial.runs if QUEUE.of(run) < SHALLOW_BDP)


def largest_loss_but_of_eight_at_40(trial: Trial) -> float | None:
    """The largest dropped / sent of the buffers of 1.5 BDP and more, without eight flows at 40 Mbit/s."""
    others = [run for run in trial.runs if (RATE.of(run), FLOWS.of(run)) != LONGEST_QUEUE]
    return max(loss_per_sent(run) for run in others if QUEUE.of(run) >= SHALLOW_BDP)


def smallest_loss_of_many(trial: Trial) -> float | None:
    """The smallest dropped / sent of two and more BBR flows beside as many of CUBIC, over all capacities."""
    return min(loss_per_sent(run) for run in trial.runs if FLOWS.of(run) > 1)


def largest_cubic_share_beside_many(trial: Trial) -> float | None:
    """CUBIC's largest share there."""
    return max(cubic_share(run) or 0.0 for run in trial.runs if FLOWS.of(run) > 1)


def loss_of_two_over_four(trial: Trial) -> float | None:
    """Dropped / sent of one BBR flow and one of CUBIC over that of two and two, at the capacity where it is largest."""
    found = [ratio(loss_per_sent(two), loss_per_sent(four)) for two, four in _two_and_four(trial)]
    known = [each for each in found if each is not None]
    return max(known) if len(known) == len(found) else None


def cubic_share_gained_by_two(trial: Trial) -> float | None:
    """By how much CUBIC's share of two flows exceeds that of four, at the capacity where it does so least."""
    return min((cubic_share(two) or 0.0) - (cubic_share(four) or 0.0) for two, four in _two_and_four(trial))


def smallest_goodput(trial: Trial) -> float | None:
    """All flows' goodput in the buffer in which it is smallest."""
    return min(goodput_bps(run) for run in trial.runs)


def smallest_bbr_share_when_shallow(trial: Trial) -> float | None:
    """BBR's share in the buffer below 1.5 BDP in which it is smallest."""
    return min(run.result.groups["bbr"].share or 0.0 for run in trial.runs if QUEUE.of(run) < SHALLOW_BDP)


def widening_of_quartiles(trial: Trial) -> float | None:
    """BBR's interquartile range at 1.75 BDP over that at 1.25 BDP."""
    narrow, wide = (quartiles_bps(trial.at({QUEUE.path: size}), "bbr") for size in ("1.25 bdp", "1.75 bdp"))
    return ratio(wide[1] - wide[0], narrow[1] - narrow[0])


def fair_buffer_bdp(trial: Trial) -> float | None:
    """The queue size at which BBR's goodput has come down to CUBIC's."""
    sizes, bbr = QUEUE.along(trial, lambda run: run.result.groups["bbr"].goodput_bps or 0.0)
    return crossover(sizes, bbr, QUEUE.along(trial, lambda run: run.result.groups["cubic"].goodput_bps or 0.0)[1])


def fair_buffer_less_usual(trial: Trial, usual: Trial) -> float | None:
    """The same, less BBR's own."""
    mine, theirs = fair_buffer_bdp(trial), fair_buffer_bdp(usual)
    return None if mine is None or theirs is None else mine - theirs


def smallest_step_of_cubic_share(trial: Trial) -> float | None:
    """The smallest change of CUBIC's share from one queue size to the next, from 2 BDP on; negative: it falls."""
    _, shares = QUEUE.along(trial, lambda run: run.result.groups["cubic"].share or 0.0, least=2)
    return min(after - before for before, after in pairwise(shares))


def loss_per_sent(run: Observed) -> float:
    """Packets dropped / sent on, as the document counts."""
    return run.result.bottleneck.loss_per_sent or 0.0


def goodput_bps(run: Observed) -> float:
    """All flows'."""
    return sum(group.goodput_bps or 0.0 for group in run.result.groups.values())


def min_rtts_s(run: Observed) -> list[list[float]]:
    """The estimates that each BBR flow came out of PROBE_RTT with, from 60 s on."""
    return [[estimate for _, estimate in flow] for flow in _probes(run)]


def _probes(run: Observed) -> list[list[tuple[float, float]]]:
    """When each BBR flow left PROBE_RTT, from 60 s on, and its estimate then."""
    frame = run.flow_series().dropna(subset=["cc_min_rtt_s"])
    found = []
    for flow in run.result.flows:
        if flow.name == "bbr":
            own = frame[frame["flow"] == flow.flow]
            left, estimates = (
                after_stays(own["time_s"], own[column], own["phase"], "probe_rtt", CYCLES_S[0]).tolist()
                for column in ("time_s", "cc_min_rtt_s")
            )
            found.append(list(zip(left, estimates, strict=True)))
    return found


def _two_and_four(trial: Trial) -> list[tuple[Observed, Observed]]:
    """The runs of one BBR flow and one of CUBIC, and those of two and two, at each capacity."""
    ones, twos = (trial.where({FLOWS.path: each}) for each in (1, 2))
    return [(run, twos.at({RATE.path: run.point[RATE.path]})) for run in ones.runs]


def _min_rtt_modes(run: Observed) -> Modes:
    found = [each for flow in min_rtts_s(run) for each in flow]
    between = boundary(found)
    return Modes(None, None) if between is None else modes(found, between)
