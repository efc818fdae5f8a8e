"""What the document tells in numbers as tables: ours, and the published ones beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.charts.table import Column, Table
from dumbbell.studies.borgli2017.claims import (
    OTHER_RTT,
    PACKET_BYTES,
    QUEUE,
    RIVALS,
    fairest_queue_bdp,
    jain,
    loss,
    rtt_apart,
    rtt_difference,
    spread_over_rtts,
    threshold_of_loss_bdp,
    time_to_share,
)
from dumbbell.studies.borgli2017.sweeps import LEFT, MOST_RIVALS, PACKETS, RIGHT, SHORTEST
from dumbbell.studies.drawing import MS, PERCENT, entry, means
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.charts.table import Entry
    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study


def told(study: Study, evidence: Evidence) -> Table:
    """Each number of the document beside ours."""
    join, two, four, eight, nine = (
        study.published[each] for each in ("join", "figure2", "figure4", "figure8", "figure9")
    )
    rows: list[tuple[Entry, ...]] = []
    for variant in evidence.variants("join", "join_cubic", "c1b1", "figure4", "figure8", "figure8_cubic", "b1"):
        both = evidence.together(["figure8", "figure8_cubic"], variant)
        rows.append(
            (
                label_of(variant, evidence.engine),
                entry(
                    evidence.of("join_cubic", variant),
                    lambda trial: time_to_share(trial.only),
                    published=join["cubic_converged_s"],
                ),
                entry(
                    evidence.of("join", variant),
                    lambda trial: time_to_share(trial.only),
                    published="a matter of seconds",
                ),
                entry(evidence.of("c1b1", variant), fairest_queue_bdp, published=two["fairest_bdp"]),
                entry(evidence.of("figure4", variant), _jain_beside(1), published=four["jain_one_cubic"]),
                entry(evidence.of("figure4", variant), _jain_beside(MOST_RIVALS), published=four["jain_more_cubic"]),
                entry(evidence.of("figure8", variant), _median_rtt_s, factor=MS, published=eight["bbr_median_ms"]),
                entry(
                    evidence.of("figure8_cubic", variant),
                    _median_rtt_s,
                    factor=MS,
                    published=f"{eight['cubic_median_ms']}: impossible",
                ),
                entry(both, partial(_beside, rtt_difference, LEFT), factor=MS, published=eight["difference_ms"]),
                entry(evidence.of("b1", variant), threshold_of_loss_bdp, published=_bdp(nine["threshold_packets"])),
            )
        )
    columns = (
        Column(title="version"),
        Column(title="two CUBIC flows share after", unit="s"),
        Column(title="two BBR flows share after", unit="s"),
        Column(title="fairest queue of c1b1", unit="BDP"),
        Column(title="Jain's index beside 1 CUBIC flow"),
        Column(title="Jain's index beside 4"),
        Column(title="BBR's median RTT", unit="ms"),
        Column(title="CUBIC's median RTT", unit="ms"),
        Column(title="difference", unit="ms"),
        Column(title="BBR loses nothing from", unit="BDP"),
    )
    return Table(
        name="told",
        title="What the document tells in numbers",
        caption=(
            f"Mean over seeds ± 95 % interval; engine {evidence.engine}. RTTs: smoothed, single flows, 189 packets. "
            "CUBIC's published median of 750 ms is above what the queue allows, 514 ms, and contradicts the published "
            "difference. Jain's index beside four: the number of flows is inferred."
        ),
        columns=columns,
        rows=tuple(rows),
    )


def units(study: Study, evidence: Evidence) -> Table:
    """What of it changes where the queue counts units of two segments, as the document's did for the most part."""
    two, eight, nine = (study.published[each] for each in ("figure2", "figure8", "figure9"))
    names = ("c1b1_units", "b1_units", "c1_units", "figure8_units", "figure8_units_cubic")
    rows: list[tuple[Entry, ...]] = []
    for variant in evidence.variants(*names):
        bbr, cubic = (evidence.of(each, variant) for each in names[3:])
        both = evidence.together(names[3:], variant)
        rows.append(
            (
                label_of(variant, evidence.engine),
                entry(evidence.of("c1b1_units", variant), fairest_queue_bdp, published=two["fairest_bdp"]),
                entry(evidence.of("b1_units", variant), _loss_in_shortest, factor=PERCENT),
                entry(evidence.of("c1_units", variant), _loss_in_shortest, factor=PERCENT),
                entry(
                    evidence.of("b1_units", variant), threshold_of_loss_bdp, published=_bdp(nine["threshold_packets"])
                ),
                entry(bbr, _median_rtt_s, factor=MS, published=eight["bbr_median_ms"]),
                entry(cubic, _median_rtt_s, factor=MS, published=f"{eight['cubic_median_ms']}: impossible"),
                entry(both, partial(_beside, rtt_difference, LEFT), factor=MS, published=eight["difference_ms"]),
                entry(both, partial(_beside, rtt_apart, RIGHT), factor=PERCENT, published="very similar"),
            )
        )
    columns = (
        Column(title="version"),
        Column(title="fairest queue of c1b1", unit="BDP"),
        Column(title="BBR's loss at 13 packets", unit="%"),
        Column(title="CUBIC's loss at 13 packets", unit="%"),
        Column(title="BBR loses nothing from", unit="BDP"),
        Column(title="BBR's median RTT", unit="ms"),
        Column(title="CUBIC's median RTT", unit="ms"),
        Column(title="difference", unit="ms"),
        Column(title="difference at 63 packets", unit="%"),
    )
    return Table(
        name="units",
        title="The same with a queue of units of two segments",
        caption=(
            f"Mean over seeds ± 95 % interval; engine {evidence.engine}. Segmentation offloads are on, so that "
            "super-packets of two segments are queued and dropped whole, and the token bucket lets 70 kB through at "
            "once, the least that offloads allow here. Six queues; RTTs at 189 packets where nothing else is said."
        ),
        columns=columns,
        rows=tuple(rows),
    )


def rtts(study: Study, evidence: Evidence) -> Table:
    """Jain's index of two BBR flows of which the second has another RTT."""
    del study
    rows: list[tuple[Entry, ...]] = []
    variant = evidence.variants("b2_rtts", "b2_rtts_4_17")[0]  # the runs are the same for each
    for version, experiment in (("bbr", "b2_rtts"), ("bbr_4_17", "b2_rtts_4_17")):
        trials = evidence.of(experiment, variant)
        others = dict.fromkeys(str(run.point[OTHER_RTT.path]) for run in trials[0].runs)
        for size in dict.fromkeys(str(run.point[QUEUE.path]) for run in trials[0].runs):
            in_queue = [trial.where({QUEUE.path: size}) for trial in trials]
            rows.append(
                (
                    label_of(version, evidence.engine),
                    f"{QUEUE.of(in_queue[0].runs[0]):g}",
                    *(entry(in_queue, partial(_jain_with, rtt)) for rtt in others),
                    entry(in_queue, spread_over_rtts),
                )
            )
    columns = (
        Column(title="version"),
        Column(title="queue (packets)"),
        *(Column(title=f"Jain's index, second flow with {rtt}") for rtt in others),
        Column(title="spread over these"),
    )
    return Table(
        name="rtts",
        title="Two BBR flows whose RTTs differ",
        caption=(
            "The first flow has 83 ms, the second, 2 s later, another RTT within the document's 60 to 100 ms; "
            "10 Mbit/s, 300 s; spread: standard deviation over the RTTs. "
            f"{means(trials).capitalize()}; engine {evidence.engine}."
        ),
        columns=columns,
        rows=tuple(rows),
    )


def _jain_with(rtt: str, trial: SeedSweep) -> float | None:
    return jain(trial.at({OTHER_RTT.path: rtt}))


def _jain_beside(count: int) -> Callable[[SeedSweep], float | None]:
    return lambda trial: jain(trial.at({RIVALS.path: count}))


def _median_rtt_s(trial: SeedSweep) -> float | None:
    return _at(trial, LEFT).result.flows[0].rtt_p50_s


def _loss_in_shortest(trial: SeedSweep) -> float:
    return loss(_at(trial, SHORTEST))


def _beside(
    value: Callable[[RunData, RunData], float | None], size: str, trial: SeedSweep, other: SeedSweep
) -> float | None:
    return value(_at(trial, size), _at(other, size))


def _at(trial: SeedSweep, size: str) -> RunData:
    """The run with a queue of this size, in bytes or in as many packets."""
    return next(run for run in trial.runs if QUEUE.of(run) == PACKETS[size])


def _bdp(packets: float) -> str:
    """At 83 ms."""
    return f"{packets * PACKET_BYTES * 8 / 10e6 / 0.083:.1f}"
