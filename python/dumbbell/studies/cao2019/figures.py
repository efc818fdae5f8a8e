"""The document's figures as charts: our numbers, and the published ones beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.studies.cao2019.claims import (
    DEEP,
    LARGE,
    LOSS,
    QUEUE,
    RATE,
    RTT,
    SHALLOW,
    SMALL,
    TABLE1_MB,
    gain,
    goodput,
    latency_decrease,
    retransmits,
)
from dumbbell.studies.cao2019.tables import (
    bursts,
    cells,
    cliff_points,
    fast_line,
    figure8a_forms,
    losses,
    part_of,
    table1,
)
from dumbbell.studies.drawing import MBIT, PERCENT, curve, entry, grid, means, published
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dumbbell.studies.evidence import Evidence, SeedSweep
    from dumbbell.studies.study import Study

COLUMNS, ROWS = (RTT, "RTT (ms)"), (RATE, "rate (Mbit/s)")
MOST = {SHALLOW[QUEUE.path]: 100.0, DEEP[QUEUE.path]: 20.0}
"""In %, by queue: where a gain or a decrease has the darkest colour."""
LOSSY = ["figure7", "figure7_1_1", "figure7_1_5", "figure7_cubic", "figure7_reno"]
LOSS_AXIS = Axis(label="random loss before the queue (%)", limits=(0, 50))
PER_KILO = 1e-3
QUEUES_MB = (0.01, *TABLE1_MB)
BETTER = "red: BBR, blue: CUBIC better"
"""The document's colours."""

__all__ = [
    "bursts", "cells", "cliff_points", "fast_line", "figure5a", "figure5b", "figure5c", "figure5d", "figure6a",
    "figure6b", "figure7a", "figure7b", "figure8a", "figure8a_forms", "figure8b", "losses", "small_transfers", "table1",
    "undetected", "wan_loss",
]  # fmt: skip


def figure5a(study: Study, evidence: Evidence) -> Chart:
    """BBR's goodput gain in the shallow plane."""
    return _gains(study, evidence, "figure5a", SHALLOW, "100 KB", "BBR has more where rate or RTT is high.")


def figure5b(study: Study, evidence: Evidence) -> Chart:
    """BBR's goodput gain in the deep plane."""
    told = "CUBIC has a little more in most cells; BBR where rate and RTT are high."
    return _gains(study, evidence, "figure5b", DEEP, "10 MB", told)


def figure5c(study: Study, evidence: Evidence) -> Chart:
    """BBR's retransmissions in the shallow plane."""
    senders = {variant: evidence.of("grid", variant) for variant in evidence.variants("grid")}
    return _retransmissions(study, evidence, "figure5c", "BBR's retransmissions, 100 KB (Figure 5c)", senders)


def figure5d(study: Study, evidence: Evidence) -> Chart:
    """CUBIC's retransmissions in the shallow plane."""
    senders = {"cubic": evidence.of("grid_cubic", evidence.variants("grid_cubic")[0])}
    return _retransmissions(study, evidence, "figure5d", "CUBIC's retransmissions, 100 KB (Figure 5d)", senders)


def figure6a(study: Study, evidence: Evidence) -> Chart:
    """How much earlier BBR has delivered 100 MB in the shallow plane."""
    told = "BBR is earlier in most cells."
    return _decreases(study, evidence, "figure6a", {**SHALLOW, **LARGE}, "100 MB, queue of 100 KB (Figure 6a)", told)


def figure6b(study: Study, evidence: Evidence) -> Chart:
    """How much earlier BBR has delivered 100 MB in the deep plane."""
    told = "CUBIC is earlier where the bandwidth-delay product is small."
    return _decreases(study, evidence, "figure6b", {**DEEP, **LARGE}, "100 MB, queue of 10 MB (Figure 6b)", told)


def small_transfers(study: Study, evidence: Evidence) -> Chart:
    """How much earlier BBR has delivered 10 MB in both planes."""
    together = {variant: evidence.together(["transfer", "transfer_cubic"], variant) for variant in _both(evidence)}
    panels = [
        _decrease(
            f"{label_of(variant, evidence.engine)}, {size}",
            _planes(trials, {**plane, **SMALL}),
            MOST[plane[QUEUE.path]],
        )
        for plane, size in ((SHALLOW, "100 KB"), (DEEP, "10 MB"))
        for variant, trials in together.items()
    ]
    trials = evidence.of("transfer", next(iter(together)))
    return Chart(
        name="small_transfers",
        title="BBR's latency decrease of 10 MB, in queues of 100 KB and of 10 MB",
        caption=(
            f"100 (T_CUBIC - T_BBR)/T_CUBIC of the time from connect() to the last of 10 MB, each flow alone: "
            f"{means(trials)}; engine {evidence.engine}. {study.short} say that BBR is earlier "
            "in almost all cells, and draw none of them."
        ),
        panels=tuple(panels),
        columns=len(together),
        alt="Heat maps of the latency decrease over round-trip time and rate, for both queue sizes.",
    )


def figure7a(study: Study, evidence: Evidence) -> Chart:
    """Goodput of five algorithms against random loss."""
    numbers = study.published["figure7"]
    theirs = [
        published(f"{name}, published ({study.short})", f"{PUBLISHED} {style}", numbers, LOSS, f"{style}_loss",
                  f"{style}_mbit_s", kind="points")
        for name, style in (("BBR and BBR_1.5", "bbr"), ("BBR_1.1", "bbr_1_1"), ("Reno and CUBIC", "reno"))
    ]  # fmt: skip
    chart = _over_loss(
        study,
        evidence,
        "figure7a",
        "Goodput versus loss rate (Figure 7a)",
        Axis(label="goodput (Mbit/s)", limits=(0, 100)),
        lambda layer, style, trials: curve(layer, style, trials, LOSS, goodput, factor=MBIT),
        theirs,
        "Reno and CUBIC fall to a few Mbit/s at 1 % loss; BBR holds until its cliff, earlier with a gain of 1.1.",
    )
    beyond = "Not drawn: BBR's 94 Mbit/s at 18 %, as the reference reads, where this line carries no more than 78."
    return replace(chart, caption=f"{chart.caption} {beyond}")


def figure7b(study: Study, evidence: Evidence) -> Chart:
    """Retransmissions of the same."""
    return _over_loss(
        study,
        evidence,
        "figure7b",
        "Retransmits versus loss rate (Figure 7b)",
        Axis(label="retransmitted segments (thousands)", limits=(0, 90)),
        lambda layer, style, trials: curve(layer, style, trials, LOSS, retransmits, factor=PER_KILO),
        [],
        "BBR's retransmissions rise with the loss up to its cliff and fall beyond it; Reno and CUBIC have few.",
    )


def undetected(study: Study, evidence: Evidence) -> Chart:
    """Goodput of BBR with three gains against random loss, without the detector of policers."""
    marks = _marks(study)
    panels = []
    for variant in evidence.variants("cliffs", "cliffs_1_1", "cliffs_1_5"):
        names = [study.control(each, variant) for each in ("figure7", "figure7_1_1", "figure7_1_5")]
        layers = [
            curve(label_of(name, evidence.engine), name, evidence.of(each, variant), LOSS, goodput, factor=MBIT)
            for each, name in zip(("cliffs", "cliffs_1_1", "cliffs_1_5"), names, strict=True)
        ]
        axis = Axis(label="goodput (Mbit/s)", limits=(0, 100))
        title = label_of(variant, evidence.engine)
        panels.append(Panel(title=title, x=LOSS_AXIS, y=axis, layers=tuple(layers), marks=marks))
        trials = evidence.of("cliffs", variant)
    return Chart(
        name="undetected",
        title="Goodput versus loss rate, without BBR's detector of policers",
        caption=(
            "As Figure 7a, with BBR's long-term bandwidth sampling off (`policer = 0`), so that nothing but the probe "
            f"gain decides; marks: 1 - 1/gain (equation 3). {means(trials).capitalize()}; engine {evidence.engine}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="Each gain's goodput falls off near 1 - 1/gain.",
    )


def wan_loss(study: Study, evidence: Evidence) -> Chart:
    """BBR's retransmissions against random loss over 7 ms."""
    variants = evidence.variants("wan_loss")
    layers = [
        curve(label_of(variant, evidence.engine), variant, evidence.of("wan_loss", variant), LOSS, retransmits,
              factor=PER_KILO)
        for variant in variants
    ]  # fmt: skip
    axis = Axis(label="retransmitted segments (thousands)", limits=(0, None))
    return Chart(
        name="wan_loss",
        title="Retransmits versus loss rate over 7 ms, a proxy of the Internet path",
        caption=(
            "One BBR flow of 60 s at 100 Mbit/s and 7 ms, the round-trip time from Stony Brook to Rutgers, 10 MB: "
            f"{means(evidence.of('wan_loss', variants[0]))}; engine {evidence.engine}. "
            f"{study.short} say that the curve is similar to Figure 7b's, and draw none."
        ),
        panels=(Panel(x=LOSS_AXIS, y=axis, layers=tuple(layers)),),
        alt="The retransmissions rise with the loss up to a cliff and fall beyond it.",
    )


def figure8a(study: Study, evidence: Evidence) -> Chart:
    """BBR's and CUBIC's share beside one another against the size of the queue."""
    numbers = study.published["figure8a"]
    panels = []
    for variant in evidence.variants("figure8a"):
        trials = evidence.of("figure8a", variant)
        layers = _shares(evidence, trials, variant)
        layers += [
            published(f"{name}, published ({study.short})", f"{PUBLISHED} {group}", numbers, QUEUE, "buffer",
                      f"{group}_percent", kind="points")
            for group, name in (("bbr", "BBR"), ("cubic", "CUBIC"))
        ]  # fmt: skip
        panels.append(_share_panel(f"{label_of(variant, evidence.engine)} beside CUBIC", layers))
    return Chart(
        name="figure8a",
        title="BBR's and CUBIC's bandwidth share, Mininet (Figure 8a)",
        caption=(
            f"Shares of the goodput of one BBR and one CUBIC flow at 1 Gbit/s and 20 ms (2.5 MB), 60 s: "
            f"{means(trials)}; engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="BBR has nearly all in short queues; CUBIC passes it at a few megabytes.",
    )


def figure8b(study: Study, evidence: Evidence) -> Chart:
    """The shares in the queue of 20 KB that the Internet path is said to have, whatever queue is set."""
    numbers = study.published["figure8b"]
    size = QUEUE.numbers([study.experiments["figure8b"].words()["path"]["buffer"]])
    panels = []
    for variant in evidence.variants("figure8b"):
        trials = evidence.of("figure8b", variant)
        layers = []
        for group, style, name in (("bbr", variant, "BBR"), ("cubic", "cubic", "CUBIC")):
            share = entry(trials, lambda trial, g=group: trial.only.result.groups[g].share, factor=PERCENT)
            mean, half = share.mean or 0.0, share.half_width or 0.0
            label = f"{label_of(style, evidence.engine)}, queue of 20 KB"
            layers.append(
                Layer(
                    label=label, style=style, kind="points", x=size, y=(mean,), low=(mean - half,), high=(mean + half,)
                )
            )
            theirs, level = f"{name}, published ({study.short})", (numbers[f"{group}_percent"],) * 2
            ends = (QUEUES_MB[0], QUEUES_MB[-1])
            layers.append(Layer(label=theirs, style=f"{PUBLISHED} {group}", kind="line+points", x=ends, y=level))
        panels.append(_share_panel(f"{label_of(variant, evidence.engine)} beside CUBIC", layers))
    return Chart(
        name="figure8b",
        title="BBR's and CUBIC's bandwidth share, Internet (Figure 8b)",
        caption=(
            "Shares of the goodput of one BBR and one CUBIC flow. Filled marks: run at 1 Gbit/s and 20 ms, 60 s, in "
            "one queue, of 20 KB, which the authors infer the Internet path to have of its own. Outlines and dotted "
            f"lines: published, for queues of any size set in front of it. {means(trials).capitalize()}; engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="Two points at 20 KB: BBR has nearly all. The published lines are level at 92 and 8 %.",
    )


def _both(evidence: Evidence) -> tuple[str, ...]:
    return evidence.variants("transfer", "transfer_cubic")


def _planes(trials: Sequence[tuple[SeedSweep, ...]], where: Mapping[str, Any]) -> list[tuple[SeedSweep, ...]]:
    return [tuple(trial.where(where) for trial in each) for each in trials]


def _gains(  # noqa: PLR0913, PLR0917 (what tells one figure from the other)
    study: Study, evidence: Evidence, name: str, plane: Mapping[str, Any], size: str, told: str
) -> Chart:
    numbers = study.published[name]
    together = {
        each: evidence.together(["grid", "grid_cubic"], each) for each in evidence.variants("grid", "grid_cubic")
    }
    panels = [
        grid(
            label_of(variant, evidence.engine), _planes(trials, plane), COLUMNS, ROWS, gain,
            quantity=f"gain (%); {BETTER}", factor=PERCENT, published=numbers, colours="diverging",
            most=MOST[plane[QUEUE.path]],
        )
        for variant, trials in together.items()
    ]  # fmt: skip
    trials = evidence.of("grid", next(iter(together)))
    return Chart(
        name=name,
        title=f"BBR's goodput gain over CUBIC, queue of {size} (Figure {name.removeprefix('figure')})",
        caption=(
            "100 (goodput of BBR - goodput of CUBIC)/goodput of CUBIC, each alone for 60 s, start-up included: "
            f"{means(trials)}; engine {evidence.engine}. Published, below ours: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt=f"Heat maps over round-trip time and rate. {told}",
    )


def _retransmissions(
    study: Study, evidence: Evidence, name: str, title: str, senders: Mapping[str, Sequence[SeedSweep]]
) -> Chart:
    numbers = study.published[name]
    panels = [
        grid(
            label_of(sender, evidence.engine), part_of(trials, SHALLOW), COLUMNS, ROWS, retransmits,
            quantity="retransmitted segments", published=numbers, colours="logarithmic",
        )
        for sender, trials in senders.items()
    ]  # fmt: skip
    return Chart(
        name=name,
        title=title,
        caption=(
            f"Segments retransmitted in 60 s by one flow: {means(next(iter(senders.values())))}; engine "
            f"{evidence.engine}. Published, below ours: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="Heat maps over round-trip time and rate.",
    )


def _decreases(  # noqa: PLR0913, PLR0917 (what tells one figure from the other)
    study: Study, evidence: Evidence, name: str, where: Mapping[str, Any], title: str, told: str
) -> Chart:
    variants = _both(evidence)
    panels = [
        _decrease(
            label_of(variant, evidence.engine),
            _planes(evidence.together(["transfer", "transfer_cubic"], variant), where),
            MOST[where[QUEUE.path]],
        )
        for variant in variants
    ]
    return Chart(
        name=name,
        title=f"BBR's latency decrease: {title}",
        caption=(
            "100 (T_CUBIC - T_BBR)/T_CUBIC of the time from connect() to the last byte delivered, each flow alone: "
            f"{means(evidence.of('transfer', variants[0]))}; engine {evidence.engine}. The cells of "
            f"{study.short} are not published as numbers."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt=f"Heat maps over round-trip time and rate. {told}",
    )


def _decrease(title: str, trials: Sequence[tuple[SeedSweep, ...]], most: float) -> Panel:
    return grid(
        title, trials, COLUMNS, ROWS, latency_decrease, quantity=f"decrease (%); {BETTER}", factor=PERCENT,
        colours="diverging", most=most,
    )  # fmt: skip


def _over_loss(  # noqa: PLR0913, PLR0917 (what tells one figure from the other)
    study: Study,
    evidence: Evidence,
    name: str,
    title: str,
    axis: Axis,
    drawn: Callable[[str, str, Sequence[SeedSweep]], Layer],
    theirs: Sequence[Layer],
    told: str,
) -> Chart:
    panels = []
    for variant in evidence.variants(*LOSSY):
        layers = []
        for experiment in LOSSY:
            style = study.control(experiment, variant)
            layers.append(drawn(label_of(style, evidence.engine), style, evidence.of(experiment, variant)))
        title_ = label_of(variant, evidence.engine)
        panels.append(Panel(title=title_, x=LOSS_AXIS, y=axis, layers=(*layers, *theirs), marks=_marks(study)))
        trials = evidence.of("figure7", variant)
    source = f" Published: {study.published['figure7']['source']}." if theirs else ""
    return Chart(
        name=name,
        title=title,
        caption=(
            "One flow of 60 s at 100 Mbit/s and 25 ms, 10 MB, packets lost at random before the queue; marks: "
            f"1 - 1/gain (equation 3). {means(trials).capitalize()}; engine {evidence.engine}.{source}"
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt=told,
    )


def _marks(study: Study) -> tuple[tuple[float, str], ...]:
    """Where equation 3 has the cliff of each gain."""
    gains: Sequence[float] = study.published["figure7"]["gains"]
    return tuple((PERCENT * (1 - 1 / each), f"1 - 1/{each:g}") for each in gains)


def _shares(evidence: Evidence, trials: Sequence[SeedSweep], variant: str) -> list[Layer]:
    return [
        curve(label_of(style, evidence.engine), style, trials, QUEUE, lambda run, g=group: run.result.groups[g].share,
              factor=PERCENT)
        for group, style in (("bbr", variant), ("cubic", "cubic"))
    ]  # fmt: skip


def _share_panel(title: str, layers: Sequence[Layer]) -> Panel:
    queue = Axis(label="queue (MB)", scale="log10", ticks=tuple((size, f"{size:g}") for size in QUEUES_MB))
    return Panel(title=title, x=queue, y=Axis(label="share of the goodput (%)", limits=(0, 100)), layers=tuple(layers))
