"""The document's figures as charts: our numbers, and the published ones beside them."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.studies.drawing import (
    MBIT,
    curve,
    family,
    flow_rates,
    gauge_in_time,
    means,
    panel_in_time,
    published,
)
from dumbbell.studies.label import label_of
from dumbbell.studies.sweep import Sweep
from dumbbell.studies.zhang2024.claims import MSS_BYTES, PAIR_BIN_S, whole_rate
from dumbbell.studies.zhang2024.tables import early, pair, table1, video, wide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.studies.drawing.time import Span
    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

__all__ = [
    "early",
    "figure1",
    "figure2",
    "figure3",
    "figure4",
    "figure5",
    "figure6",
    "figure7",
    "figure8",
    "figure9",
    "figure10",
    "figure11",
    "loss",
    "pair",
    "shared",
    "slow_start",
    "table1",
    "video",
    "wide",
]  # fmt: skip

LOSS = Sweep("path.loss", "%")
LOSSES = ("0 %", "0.005 %", "0.01 %")
BULK_BIN_S = 0.1
BULK_S, VIDEO_S, PAIR_S = (0.0, 7.5), (0.0, 34.0), (0.0, 56.0)
ONE_FRAME = "33.26 ms"
LEAST_WINDOW = 5.0
SHOWN_S = 0.5
"""Of the document's bins of 0.1 s as many are taken together."""
MARKED_S = tuple(range(0, 35, 5))


def _windows(study: Study, evidence: Evidence, number: int) -> Chart:
    """Windows and thresholds of a bulk transfer over each algorithm, of one seed."""
    loss, numbers = _loss_and_table(study, number)
    layers: list[Layer] = []
    for style, trials in _senders(evidence, "bulk"):
        label, run = label_of(style, evidence.engine), trials[0].at({LOSS.path: loss})
        layers += [
            gauge_in_time(run, 0, "cwnd_bytes", BULK_S, factor=1 / MSS_BYTES, label=label, style=style),
            gauge_in_time(
                run, 0, "ssthresh_bytes", BULK_S, factor=1 / MSS_BYTES, label=f"{label}: ssthresh", style=style,
                instance=1,
            ),
        ]  # fmt: skip
    layers += [_published_windows(study, group, numbers[f"{group}_cwnd_segments"]) for group in ("bbr", "cubic")]
    levels = study.published["levels"]
    place = LOSSES.index(loss)
    return Chart(
        name=f"figure{number}",
        title=f"Congestion windows of a bulk transfer, {loss} loss (Figure {number})",
        caption=(
            f"Congestion window and slow start threshold of 100 MiB at 100 ms with {_of_loss(loss)}, one flow a run; "
            f"seed {trials[0].seed} of {len(trials)}, engine {evidence.engine}. Published: {numbers['source']}, shown "
            "every 0.5 s in the time of the transfer; the document's figure begins about "
            "2 s into it and shows every second line of its "
            f"log as 0.1 s. Its thresholds are {levels['cubic_ssthresh_segments'][place]} (CUBIC) and "
            f"{levels['bbr_ssthresh_segments'][place]} (BBR) segments; the 56587 that it starts with is another field."
        ),
        panels=(panel_in_time("", "window (segments)", BULK_S, *layers, limits=(LEAST_WINDOW, None), scale="log10"),),
        alt="BBR's window jumps to a thousand segments and steps down; CUBIC's climbs to the receive window's.",
    )


def _rates(study: Study, evidence: Evidence, number: int) -> Chart:
    """Throughput of a bulk transfer over each algorithm, of one seed."""
    loss, numbers = _loss_and_table(study, number - 3)
    layers: list[Layer] = []
    for _, trials in _senders(evidence, "bulk"):
        run = trials[0].at({LOSS.path: loss})
        layers += flow_rates(run, _until_done(run), BULK_BIN_S)
    layers += [_published_rates(study, group, numbers[f"{group}_mbit_s"]) for group in ("bbr", "cubic")]
    return Chart(
        name=f"figure{number}",
        title=f"Throughput of a bulk transfer, {loss} loss (Figure {number})",
        caption=(
            f"Throughput in bins of 0.1 s of 100 MiB at 100 ms with {_of_loss(loss)}, one flow a run; seed "
            f"{trials[0].seed} of {len(trials)}, engine {evidence.engine}. Published: {numbers['source']}, which "
            "counts what was written into the socket, 128 KiB at a time, here in means of 0.5 s; its kbps are Mbit/s."
        ),
        panels=(panel_in_time("", "throughput (Mbit/s)", BULK_S, *layers),),
        alt="BBR is at the line's rate after one second, CUBIC after four and a half.",
    )


def _video_windows(study: Study, evidence: Evidence, number: int) -> Chart:
    """Windows of a video over each algorithm, of one seed: written by frames, and half a second at once."""
    loss, numbers = LOSSES[number - 7], study.published["video"]
    panels = []
    for every, title in ((ONE_FRAME, "a frame at a time"), ("500 ms", "half a second at a time")):
        layers: list[Layer] = []
        for style, trials in _senders(evidence, "video"):
            run = trials[0].at({LOSS.path: loss, "flows[0].workload.every": every})
            label = label_of(style, evidence.engine)
            layers.append(gauge_in_time(run, 0, "cwnd_bytes", VIDEO_S, factor=1 / MSS_BYTES, label=label, style=style))
        for group in ("bbr", "cubic"):
            level = numbers[f"{group}_segments"][number - 7]
            layers.append(_published(study, group, dict.fromkeys(MARKED_S, level)))
        panels.append(panel_in_time(title, "window (segments)", VIDEO_S, *layers, limits=(3, None), scale="log10"))
    return Chart(
        name=f"figure{number}",
        title=f"Congestion windows of a video, {loss} loss (Figure {number})",
        caption=(
            f"Congestion window of a stream of 2916.8 kbit/s at 100 ms with {_of_loss(loss)}, one flow a run, written "
            f"as named above each panel; seed {trials[0].seed} of {len(trials)}, engine {evidence.engine}. BBR's drops "
            f"to 4 segments are PROBE_RTT. Published: {numbers['source']}; BBR's drops there, 9 to 11 s apart, are "
            "left out."
        ),
        panels=tuple(panels),
        alt="Both windows are level; BBR's is the higher one, and drops to four segments every ten seconds.",
    )


def _pair_rates(study: Study, evidence: Evidence, number: int) -> Chart:
    """Throughput of both senders, each on a line of its own, of one seed."""
    loss, table = (("0 %", "pair_0"), ("0.01 %", "pair_010"))[number - 10]
    numbers = study.published[table]
    layers: list[Layer] = []
    for _, trials in _senders(evidence, "pair"):
        run = trials[0].at({LOSS.path: loss})
        layers += flow_rates(run, _until_done(run), PAIR_BIN_S)
    for group in ("bbr", "cubic"):
        rates = dict(enumerate(numbers[f"{group}_mbit_s"]))
        points = {PAIR_BIN_S * (at + 0.5): rate for at, rate in rates.items()}
        layers.append(_published(study, group, points, "points"))
    return Chart(
        name=f"figure{number}",
        title=f"Throughput of two senders that share nothing, {loss} loss (Figure {number})",
        caption=(
            f"Throughput in bins of 1 s of 1 GiB at 100 ms with {_of_loss(loss)}; each sender has a line of its own, "
            f"as the document's machines have: two runs, put side by side; seed {trials[0].seed} of {len(trials)}, "
            f"engine {evidence.engine}. Published: {numbers['source']}. The document calls it video."
        ),
        panels=(panel_in_time("", "throughput (Mbit/s)", PAIR_S, *layers, limits=(0, 260)),),
        alt="Both end at the line's rate; BBR is there at once and dips in PROBE_RTT, CUBIC takes five seconds.",
    )


figure1, figure2, figure3 = (partial(_windows, number=number) for number in (1, 2, 3))
figure4, figure5, figure6 = (partial(_rates, number=number) for number in (4, 5, 6))
figure7, figure8, figure9 = (partial(_video_windows, number=number) for number in (7, 8, 9))
figure10, figure11 = (partial(_pair_rates, number=number) for number in (10, 11))


def loss(study: Study, evidence: Evidence) -> Chart:
    """Rate of the whole transfer against the loss rate, to where loss decides."""
    layers: list[Layer] = []
    (variant,) = evidence.variants("bulk", "bulk_cubic", "lossy", "lossy_cubic")
    for style, tail in ((variant, ""), ("cubic", "_cubic")):
        trials = [*evidence.of(f"bulk{tail}", variant), *evidence.of(f"lossy{tail}", variant)]
        known = [trial.where({LOSS.path: told}) for trial in trials for told in _swept(trial) if told != "0 %"]
        layers.append(curve(label_of(style, evidence.engine), style, known, LOSS, whole_rate, factor=MBIT))
    numbers = study.published["table1"]
    for group in ("bbr", "cubic"):
        name, style, lossy = f"{family(group)}, published ({study.short})", f"{PUBLISHED} {group}", slice(1, None)
        theirs = {"loss": numbers["loss"][lossy], "rate": numbers[f"{group}_mbit_s"][lossy]}
        layers.append(published(name, style, theirs, LOSS, "loss", "rate", kind="points"))
    return Chart(
        name="loss",
        title="What loss does to a transfer of 100 MiB (not in the document)",
        caption=(
            "Goodput of the whole transfer at 216 Mbit/s and 100 ms against the random loss of packets of 9001 B: "
            f"{means(evidence.of('bulk', variant))}; engine {evidence.engine}. Published: {numbers['source']}. At the "
            "document's two rates "
            "0.6 and 1.2 losses a transfer are expected; its transfers had none, none, none and one."
        ),
        panels=(
            Panel(
                x=Axis(label="loss (%)", scale="log10"),
                y=Axis(label="throughput (Mbit/s)", limits=(0, None)),
                layers=tuple(layers),
            ),
        ),
        alt="BBR's rate hardly changes up to 1 % of loss; CUBIC's is a tenth of it at half a percent.",
    )


def shared(study: Study, evidence: Evidence) -> Chart:  # noqa: ARG001 (as every figure; the document has none)
    """Throughput of both senders on one link, of one seed."""
    (variant,) = evidence.variants("shared")
    trial = evidence.of("shared", variant)[0]
    span = (0.0, 80.0)
    panels = tuple(
        panel_in_time(
            f"{rate}, {told} loss",
            "throughput (Mbit/s)",
            span,
            *flow_rates(
                trial.at({"path.rate": rate, LOSS.path: told}), span, PAIR_BIN_S,
                labels=[label_of(variant, evidence.engine), label_of("cubic", evidence.engine)],
            ),
            limits=(0, 260),
        )
        for told in ("0 %", "0.01 %")
        for rate in ("216 Mbit/s", "432 Mbit/s")
    )  # fmt: skip
    return Chart(
        name="shared",
        title="The pair on one link (not in the document)",
        caption=(
            "Throughput in bins of 1 s of 1 GiB from each of two senders through one link with a queue of 4 MB, as "
            f"wide as one of the document's shapers and as both together; 100 ms; seed {trial.seed} of "
            f"{len(evidence.of('shared', variant))}, engine {evidence.engine}."
        ),
        panels=panels,
        columns=2,
        alt="Without loss both share either link about evenly; with loss BBR has more of the wide one.",
    )


def slow_start(study: Study, evidence: Evidence) -> Chart:
    """CUBIC's windows as slow start ends by itself, and early, of one seed."""
    (variant,) = evidence.variants("bulk_cubic", "early_cubic", "lumps_cubic")
    itself = evidence.of("bulk_cubic", variant)[0]
    early, lumps = (evidence.of(each, variant)[0] for each in ("early_cubic", "lumps_cubic"))
    small = {"flows[0].workload.transfer": "100 MiB"}
    name, numbers = label_of("cubic", evidence.engine), study.published["bulk_0"]
    layers = [
        gauge_in_time(run, 0, "cwnd_bytes", BULK_S, factor=1 / MSS_BYTES, label=label, style="cubic", instance=place)
        for place, (label, run) in enumerate(
            (
                (name, itself.at({LOSS.path: "0 %"})),
                (f"{name}, slow start ended early", early.at(small)),
                (f"{name}, and served in lumps", lumps.at({**small, LOSS.path: "0 %"})),
            )
        )
    ]
    return Chart(
        name="slow_start",
        title="CUBIC's window, as slow start ends by itself and early (not in the document)",
        caption=(
            "Congestion window of 100 MiB at 100 ms without loss; slow start ends early because the line "
            "gives 40 Mbit/s in the first half second; in lumps: it then gives 1048 Mbit/s for 8 ms of each 40. "
            "Both are fits, and no evidence of what the cloud's shaper did; "
            f"seed {itself.seed} of {len(evidence.of('bulk_cubic', variant))}, engine {evidence.engine}. Published: "
            f"{numbers['source']}, shown every 0.5 s."
        ),
        panels=(
            panel_in_time(
                "",
                "window (segments)",
                BULK_S,
                *layers,
                _published_windows(study, "cubic", numbers["cubic_cwnd_segments"]),
                limits=(LEAST_WINDOW, None),
                scale="log10",
            ),
        ),
        alt="By itself slow start goes on to 430 segments; ended early, the window climbs as the published one does.",
    )


def _senders(evidence: Evidence, experiment: str) -> list[tuple[str, tuple[SeedSweep, ...]]]:
    """BBR's trials and CUBIC's, with the style of each."""
    (variant,) = evidence.variants(experiment, f"{experiment}_cubic")
    return [(variant, evidence.of(experiment, variant)), ("cubic", evidence.of(f"{experiment}_cubic", variant))]


def _loss_and_table(study: Study, number: int) -> tuple[str, Mapping[str, Any]]:
    return LOSSES[number - 1], study.published[("bulk_0", "bulk_005", "bulk_010")[number - 1]]


def _of_loss(loss: str) -> str:
    return "no loss" if loss == "0 %" else f"{loss} loss"


def _swept(trial: SeedSweep) -> list[str]:
    return [run.point[LOSS.path] for run in trial.runs]


def _until_done(run: RunData) -> Span:
    flow = run.result.flows[0]
    return 0.0, flow.start_s + (flow.fct_s or 0.0)


def _published_windows(study: Study, group: str, values: Sequence[float]) -> Layer:
    """The document's window every half a second; it was read at the end of bins of 0.1 s."""
    every = round(SHOWN_S / BULK_BIN_S)
    return _published(study, group, {SHOWN_S * (at + 1): value for at, value in enumerate(values[every - 1 :: every])})


def _published_rates(study: Study, group: str, values: Sequence[float]) -> Layer:
    """The document's rate in bins of half a second: its own are shorter than its writes into the socket."""
    every = round(SHOWN_S / BULK_BIN_S)
    whole = range(0, len(values) - every + 1, every)
    return _published(study, group, {BULK_BIN_S * at + SHOWN_S / 2: fmean(values[at : at + every]) for at in whole})


def _published(
    study: Study, group: str, points: Mapping[float, float], kind: Literal["points", "line+points"] = "line+points"
) -> Layer:
    return Layer(
        label=f"{family(group)}, published ({study.short})",
        style=f"{PUBLISHED} {group}",
        kind=kind,
        x=tuple(points),
        y=tuple(points.values()),
    )
