"""The document's table, and numbers of its text as tables: ours, and the published ones beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.charts.table import Column, Entry, Table
from dumbbell.studies.drawing import MBIT, MS, entry, means
from dumbbell.studies.label import label_of
from dumbbell.studies.metric import metric
from dumbbell.studies.zhang2024.claims import (
    largest_window,
    last_threshold,
    logged_rtt,
    plateau_window,
    rise_time,
    video_window,
    whole_rate,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

RISE_S = 5.5
"""In the log of 1 GiB CUBIC is at 90 % of its plateau in the sixth second."""
FCT, RETRANSMITS, MEAN_RTT = (metric(f"flows.0.{each}") for each in ("fct_s", "retransmits", "rtt_mean_s"))
LOST = metric("bottleneck.random_lost_packets")
FRAMES = {"33.26 ms": "a frame at a time", "500 ms": "half a second at a time"}


def table1(study: Study, evidence: Evidence) -> Table:
    """Throughput, RTT and completion time of each transfer."""
    numbers = study.published["table1"]
    rows: list[tuple[Entry, ...]] = []
    for place, loss in enumerate(numbers["loss"]):
        for style, group, experiment in _senders(study, "bulk"):
            trials = evidence.of(experiment, study.variants[0])
            cell = partial(_cell, trials, {"path.loss": loss})
            rows.append(
                (
                    f"{label_of(style, evidence.engine)}, {loss} loss",
                    cell(whole_rate, MBIT, numbers[f"{group}_mbit_s"][place]),
                    cell(logged_rtt, MS, f"{numbers[f'{group}_rtt_ms'][place]:.3f}"),
                    cell(FCT, 1.0, numbers[f"{group}_fct_s"][place]),
                    cell(plateau_window, 1.0, _window(study, group, place)),
                    cell(RETRANSMITS, 1.0, numbers[f"{group}_retransmits"][place]),
                    cell(LOST, 1.0, None),
                )
            )
    return Table(
        name="table1",
        title="Performance of CUBIC and BBR (Table 1)",
        caption=(
            "One transfer of 100 MiB at 100 ms; RTT: mean of the smoothed RTT from 2 s on, where the author looked; "
            "window: its median in the last fifth; retransmissions and packets lost at random of the whole transfer: "
            f"{means(trials)}. Published: {numbers['source']}: CUBIC's RTTs are "
            f"{', '.join(f'{each:g}' for each in numbers['cubic_logged_rtt_ms'])} ms there. BBR's "
            "windows: iperf3's last."
        ),
        columns=(
            Column(title="setting"),
            Column(title="throughput", unit="Mbit/s"),
            Column(title="RTT", unit="ms"),
            Column(title="completion", unit="s"),
            Column(title="window", unit="segments"),
            Column(title="retransmits"),
            Column(title="lost at random"),
        ),
        rows=tuple(rows),
    )


def video(study: Study, evidence: Evidence) -> Table:
    """Rate and window of the video."""
    numbers = study.published["video"]
    rows: list[tuple[Entry, ...]] = []
    for every, written in FRAMES.items():
        for place, loss in enumerate(numbers["loss"]):
            for style, group, experiment in _senders(study, "video"):
                trials = evidence.of(experiment, study.variants[0])
                cell = partial(_cell, trials, {"path.loss": loss, "flows[0].workload.every": every})
                rows.append(
                    (
                        f"{label_of(style, evidence.engine)}, {loss} loss, {written}",
                        cell(whole_rate, 1e-3, numbers["kbit_s"]),
                        cell(video_window, 1.0, numbers[f"{group}_segments"][place]),
                        cell(MEAN_RTT, MS, None),
                    )
                )
    return Table(
        name="video",
        title="A video in real time (section 2.3)",
        caption=(
            "A stream of 34.06 s at 100 ms; window: its median from 5 s on; RTT: mean of the smoothed RTT, of which "
            f"the document leaves the number out: {means(trials)}. Published: {numbers['source']}."
        ),
        columns=(
            Column(title="setting"),
            Column(title="rate", unit="kbit/s"),
            Column(title="window", unit="segments"),
            Column(title="RTT", unit="ms"),
        ),
        rows=tuple(rows),
    )


def pair(study: Study, evidence: Evidence) -> Table:
    """Averages of the two senders, apart and on one link."""
    numbers = study.published["pair"]
    (variant,) = evidence.variants("pair", "pair_cubic", "shared")
    rows: list[tuple[Entry, ...]] = []
    for place, loss in enumerate(numbers["loss"]):
        for style, group, experiment in _senders(study, "pair"):
            cell = partial(_cell, evidence.of(experiment, variant), {"path.loss": loss})
            rows.append(
                (
                    f"{label_of(style, evidence.engine)}, a line of its own, {loss} loss",
                    cell(whole_rate, MBIT, numbers[f"{group}_mbit_s"][place]),
                    cell(FCT, 1.0, numbers[f"{group}_fct_s"][place]),
                    cell(RETRANSMITS, 1.0, numbers[f"{group}_retransmits"][place]),
                )
            )
    for rate in ("216 Mbit/s", "432 Mbit/s"):
        for loss in numbers["loss"]:
            for flow, style in enumerate((variant, "cubic")):
                cell = partial(_cell, evidence.of("shared", variant), {"path.rate": rate, "path.loss": loss})
                rows.append(
                    (
                        f"{label_of(style, evidence.engine)}, one link of {rate}, {loss} loss",
                        cell(metric(f"flows.{flow}.goodput_whole_bps"), MBIT, None),
                        cell(metric(f"flows.{flow}.fct_s"), 1.0, None),
                        cell(metric(f"flows.{flow}.retransmits"), 1.0, None),
                    )
                )
    return Table(
        name="pair",
        title="Two senders of 1 GiB (section 2.4)",
        caption=(
            "Goodput from start to last byte, each sender's own; on one link what ends later has the link alone at "
            f"last, and retransmissions are of the first 40 s: {means(evidence.of('pair', variant))}. Published: "
            f"{numbers['source']}; the document says 210 kbps of all."
        ),
        columns=(
            Column(title="setting"),
            Column(title="throughput", unit="Mbit/s"),
            Column(title="completion", unit="s"),
            Column(title="retransmits"),
        ),
        rows=tuple(rows),
    )


def early(study: Study, evidence: Evidence) -> Table:
    """CUBIC's transfers as its slow start ends by itself, and early."""
    (variant,) = evidence.variants("bulk_cubic", "pair_cubic", "early_cubic", "lumps_cubic")
    levels, bulk, both = (study.published[each] for each in ("levels", "table1", "pair"))
    size, clean = "flows[0].workload.transfer", {"path.loss": "0 %"}
    rows = tuple(
        (
            words,
            _cell(first, small, last_threshold, 1.0, levels["cubic_ssthresh_segments"][0]),
            _cell(first, small, plateau_window, 1.0, levels["cubic_plateau_segments"][0]),
            _cell(first, small, whole_rate, MBIT, bulk["cubic_mbit_s"][0]),
            _cell(first, small, FCT, 1.0, bulk["cubic_fct_s"][0]),
            _cell(first, small, logged_rtt, MS, bulk["cubic_logged_rtt_ms"][0]),
            _cell(second, large, rise_time, 1.0, RISE_S),
            _cell(second, large, whole_rate, MBIT, both["cubic_mbit_s"][0]),
        )
        for words, first, small, second, large in (
            (
                "by itself", evidence.of("bulk_cubic", variant), clean,
                evidence.of("pair_cubic", variant), clean,
            ),
            (
                "early, by a slow first half second", evidence.of("early_cubic", variant), {size: "100 MiB"},
                evidence.of("early_cubic", variant), {size: "1 GiB"},
            ),
            (
                "the same, then served in lumps", evidence.of("lumps_cubic", variant), {size: "100 MiB", **clean},
                evidence.of("lumps_cubic", variant), {size: "1 GiB", **clean},
            ),
        )
    )  # fmt: skip
    return Table(
        name="early",
        title=f"{label_of('cubic', evidence.engine)} when slow start ends early",
        caption=(
            "Transfers at 100 ms without loss; slow start threshold, window in the last fifth, rate, completion "
            "time and mean of the smoothed RTT from 2 s on of 100 MiB; "
            "time to 90 % of the plateau in bins of 1 s, and rate, of 1 GiB: "
            f"{means(evidence.of('bulk_cubic', variant))}. Published: {levels['source']}; {bulk['source']}."
        ),
        columns=(
            Column(title="slow start ends"),
            Column(title="threshold", unit="segments"),
            Column(title="window", unit="segments"),
            Column(title="100 MiB", unit="Mbit/s"),
            Column(title="completion", unit="s"),
            Column(title="RTT", unit="ms"),
            Column(title="1 GiB: to 90 %", unit="s"),
            Column(title="1 GiB", unit="Mbit/s"),
        ),
        rows=rows,
    )


def wide(study: Study, evidence: Evidence) -> Table:
    """BBR's transfer behind a shaper, on a line that does not limit it, and behind a shaper that serves in lumps."""
    (variant,) = evidence.variants("bulk", "wide", "lumps")
    levels, numbers = study.published["levels"], study.published["table1"]
    rows = tuple(
        (
            words,
            _cell(trials, point, largest_window, 1.0, levels["bbr_peak_segments"][0]),
            _cell(trials, point, last_threshold, 1.0, levels["bbr_ssthresh_segments"][0]),
            _cell(trials, point, plateau_window, 1.0, levels["bbr_last_segments"][0]),
            _cell(trials, point, logged_rtt, MS, f"{numbers['bbr_rtt_ms'][0]:.3f}"),
            _cell(trials, point, whole_rate, MBIT, numbers["bbr_mbit_s"][0]),
        )
        for words, trials, point in (
            ("216 Mbit/s", evidence.of("bulk", variant), {"path.loss": "0 %"}),
            ("1 Gbit/s", evidence.of("wide", variant), {}),
            (
                "216 Mbit/s in lumps",
                evidence.of("lumps", variant),
                {"flows[0].workload.transfer": "100 MiB", "path.loss": "0 %"},
            ),
        )
    )
    return Table(
        name="wide",
        title=f"{label_of(variant, evidence.engine)} when only the receive window limits it, and behind lumps",
        caption=(
            "100 MiB at 100 ms without loss: largest window, slow start threshold, window in the last fifth, mean of "
            f"the smoothed RTT from 2 s on, rate: {means(evidence.of('bulk', variant))}. Published: "
            f"{levels['source']}; {numbers['source']}."
        ),
        columns=(
            Column(title="line"),
            Column(title="peak", unit="segments"),
            Column(title="threshold", unit="segments"),
            Column(title="window", unit="segments"),
            Column(title="RTT", unit="ms"),
            Column(title="throughput", unit="Mbit/s"),
        ),
        rows=rows,
    )


def _senders(study: Study, experiment: str) -> tuple[tuple[str, str, str], ...]:
    """Style, the document's word, and experiment of CUBIC and of BBR."""
    return (("cubic", "cubic", f"{experiment}_cubic"), (study.variants[0], "bbr", experiment))


def _window(study: Study, group: str, place: int) -> float:
    numbers = study.published["levels"]
    return float(numbers["cubic_plateau_segments" if group == "cubic" else "bbr_last_segments"][place])


def _cell(
    trials: tuple[SeedSweep, ...],
    point: dict[str, str],
    value: Callable[[RunData], float | None],
    factor: float,
    published: float | str | None,
) -> Entry:
    return entry(trials, lambda trial: value(trial.at(point)), factor=factor, published=published)
