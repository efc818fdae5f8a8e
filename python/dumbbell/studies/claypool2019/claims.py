"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, BDP."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell.metrics.convergence import jain_in_bins
from dumbbell.metrics.counter import Counter, rates_bps, summed_quantiles
from dumbbell.metrics.curve import crossover, interpolated, linear_r2
from dumbbell.metrics.cycle import correlation, dominant_period_s
from dumbbell.metrics.modes import Modes, alternation, boundary, modes
from dumbbell.metrics.phases import after_stays, entries_s, synchrony
from dumbbell.metrics.window import ratio
from dumbbell.spec.quantity import Size

if TYPE_CHECKING:
    from dumbbell.metrics.counter import Floats
    from dumbbell.studies.evidence import Observed, Trial

BIN_S = 0.5
"""Length of the document's bins."""
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
BUFFER = "path.buffer"


def buffer_bdp(point: Any) -> float:  # noqa: ANN401 (a point's values are the spec's)
    """The queue's size at a point, in BDP."""
    return float(Size(point[BUFFER]).number)


def bdp_bytes(run: Observed) -> float | None:
    """The path's bandwidth-delay product; None where nothing ever stood in the queue."""
    queue = run.result.bottleneck
    return ratio(queue.queue_mean_bytes or 0.0, queue.queue_mean_bdp or 0.0)


def jain_when_settled(run: Observed) -> float | None:
    """The smallest of Jain's indices in 5-s bins from 30 s to the end."""
    found = jain_in_bins(list(flows(run).values()), SETTLED_S, run.window_s[1])
    known = [index for index in found if index is not None]
    return min(known) if known and len(known) == len(found) else None


def probe_rtt_synchrony(run: Observed) -> float | None:
    """Of all entries into PROBE_RTT from 30 s on, the share within 0.5 s of one of every other flow."""
    frame = run.flow_series()
    entries = [entries_s(each["time_s"], each["phase"], "probe_rtt") for _, each in frame.groupby("flow")]
    return synchrony(entries, TOGETHER_S, SETTLED_S)


def largest_queue_bdp(run: Observed) -> float | None:
    """The largest sample of the backlog, in BDP."""
    return ratio(run.result.bottleneck.queue_max_bytes or 0.0, bdp_bytes(run) or 0.0)


def cycle_period(run: Observed) -> float | None:
    """The dominant period of BBR's goodput in bins of 0.5 s, seconds."""
    return dominant_period_s(group_rates_bps(run, "bbr", *CYCLES_S), BIN_S)


def correlation_of_groups(run: Observed) -> float | None:
    """Pearson's, of BBR's and CUBIC's goodput in bins of 0.5 s."""
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


def largest_loss_from_1_25_bdp(trial: Trial) -> float | None:
    """The largest dropped / sent of the buffers of 1.25 BDP and more."""
    return max(y for x, y in zip(*_loss_curve(trial), strict=True) if x >= SHALLOW_QUIET_BDP)


def loss_at_1_bdp(trial: Trial) -> float | None:
    """Dropped / sent at 1 BDP on the straight line between its neighbours: the authors have no such point either."""
    return interpolated(*_loss_curve(trial), 1.0)


def straightness_of_loss(trial: Trial) -> float | None:
    """R^2 of the straight line through the losses from 0.25 to 1.5 BDP."""
    buffers, losses = _loss_curve(trial)
    shallow = [(x, y) for x, y in zip(buffers, losses, strict=True) if x <= SHALLOW_BDP]
    return linear_r2([x for x, _ in shallow], [y for _, y in shallow])


def largest_loss_from_1_5_bdp(trial: Trial) -> float | None:
    """The largest dropped / sent of the buffers of 1.5 BDP and more."""
    return max(y for x, y in zip(*_loss_curve(trial), strict=True) if x >= SHALLOW_BDP)


def smallest_goodput(trial: Trial) -> float | None:
    """All flows' goodput in the buffer in which it is smallest."""
    return min(sum(group.goodput_bps or 0.0 for group in run.result.groups.values()) for run in trial.runs)


def smallest_bbr_share_when_shallow(trial: Trial) -> float | None:
    """BBR's share in the buffer below 1.5 BDP in which it is smallest."""
    return min(run.result.groups["bbr"].share or 0.0 for run in trial.runs if buffer_bdp(run.point) < SHALLOW_BDP)


def widening_of_quartiles(trial: Trial) -> float | None:
    """BBR's interquartile range at 1.75 BDP over that at 1.25 BDP."""
    narrow, wide = (quartiles_bps(trial.at({BUFFER: size}), "bbr") for size in ("1.25 bdp", "1.75 bdp"))
    before = narrow[1] - narrow[0]
    return (wide[1] - wide[0]) / before if before else None


def fair_buffer_bdp(trial: Trial) -> float | None:
    """The queue size at which BBR's goodput has come down to CUBIC's."""
    shares = [(buffer_bdp(run.point), run.result.groups) for run in trial.runs]
    return crossover(
        [size for size, _ in shares],
        [groups["bbr"].goodput_bps or 0.0 for _, groups in shares],
        [groups["cubic"].goodput_bps or 0.0 for _, groups in shares],
    )


def smallest_step_of_cubic_share(trial: Trial) -> float | None:
    """The smallest change of CUBIC's share from one queue size to the next, from 2 BDP on; negative: it falls."""
    shares = [run.result.groups["cubic"].share or 0.0 for run in trial.runs if buffer_bdp(run.point) >= 2]  # noqa: PLR2004
    return min(after - before for before, after in pairwise(shares))


def quartiles_bps(run: Observed, group: str) -> tuple[float, float]:
    """First and third quartile of each flow's goodput in bins of 0.5 s, summed over the group's flows."""
    begin_s, end_s = run.window_s
    rates = [rates_bps(flow, begin_s, end_s, BIN_S) for flow in flows(run, group).values()]
    first, third = summed_quantiles(rates, (0.25, 0.75))
    return first, third


def group_rates_bps(run: Observed, group: str, begin_s: float, end_s: float) -> Floats:
    """A group's goodput in bins of 0.5 s."""
    rates = [rates_bps(flow, begin_s, end_s, BIN_S) for flow in flows(run, group).values()]
    return np.asarray(np.sum(rates, axis=0), dtype=np.float64)


def min_rtts_s(run: Observed) -> list[list[float]]:
    """The estimates that each BBR flow came out of PROBE_RTT with, from 60 s on."""
    frame = run.flow_series()
    own = [frame[frame["flow"] == flow.flow] for flow in run.result.flows if flow.name == "bbr"]
    return [
        after_stays(each["time_s"], each["cc_min_rtt_s"], each["phase"], "probe_rtt", CYCLES_S[0]).tolist()
        for each in own
    ]


def flows(run: Observed, group: str | None = None) -> dict[int, Counter]:
    """The bytes delivered over time, flow by flow."""
    frame = run.flow_series()
    found = {}
    for flow in run.result.flows:
        if group in {None, flow.name}:
            own = frame[frame["flow"] == flow.flow]
            found[flow.flow] = Counter.of(own["time_s"], own["delivered_bytes"], start_s=flow.start_s)
    return found


def _min_rtt_modes(run: Observed) -> Modes:
    found = [each for flow in min_rtts_s(run) for each in flow]
    between = boundary(found)
    return Modes(None, None) if between is None else modes(found, between)


def _loss_curve(trial: Trial) -> tuple[list[float], list[float]]:
    """Queue sizes in BDP, and dropped / sent in each."""
    return (
        [buffer_bdp(run.point) for run in trial.runs],
        [run.result.bottleneck.loss_per_sent or 0.0 for run in trial.runs],
    )
