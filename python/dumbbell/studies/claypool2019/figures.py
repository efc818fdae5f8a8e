"""The document's figures as charts: our numbers, and the published ones beside them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.counter import edges, rates_bps
from dumbbell.metrics.statistics import estimate
from dumbbell.plots.chart import Axis, Chart, Layer, Panel
from dumbbell.plots.style import PUBLISHED, style_of
from dumbbell.studies.claypool2019.claims import BIN_S, BUFFER, buffer_bdp, flows, quartiles_bps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.studies.evidence import Evidence, Observed, Trial
    from dumbbell.studies.study import Study

MBIT = 1e-6


def figure4b(study: Study, evidence: Evidence) -> Chart:
    """Throughput of four staggered BBR flows over time, in the first seed."""
    numbers = study.published["figure4b"]
    panels = []
    for variant in study.variants:
        trial = evidence.of("figure4b", variant)[0]
        run = trial.only
        begin_s, end_s = run.window_s
        middles = tuple(float(edge) + BIN_S / 2 for edge in edges(begin_s, end_s, BIN_S)[:-1])
        layers = [
            Layer(
                label=f"published: range of the 5-s means ({study.short})",
                style=PUBLISHED,
                kind="band",
                x=(numbers["from_s"], numbers["until_s"]),
                y=(),
                low=(numbers["least_mbit_s"],) * 2,
                high=(numbers["most_mbit_s"],) * 2,
            )
        ]
        for index, flow in flows(run).items():
            rates = tuple(float(rate) * MBIT for rate in rates_bps(flow, begin_s, end_s, BIN_S))
            # what comes before a flow's start is not drawn
            first = next((number for number, rate in enumerate(rates) if rate > 0), 0)
            layers.append(
                Layer(
                    label=f"flow {index + 1}, from {2 * index} s",
                    style=f"flow {index + 1}",
                    x=middles[first:],
                    y=rates[first:],
                    instance=index,
                )
            )
        panels.append(
            Panel(
                title=style_of(variant).label,
                x=Axis(label="time (s)", limits=(0, end_s)),
                y=Axis(label="throughput (Mbit/s)", limits=(0, 80)),
                layers=tuple(layers),
            )
        )
    return Chart(
        name="figure4b",
        title="Four BBR flows that start one after another (Figure 4b)",
        caption=(
            "Goodput in bins of 0.5 s of four BBR flows that start 2 s apart; 80 Mbit/s, 11 ms, a queue that is never "
            f"full; seed {trial.seed} of {len(evidence.of('figure4b', variant))}, engine {evidence.engine}. The common "
            "dips are PROBE_RTT. Band: where the authors' raw 5-s means of all four flows lie from 10 s on; their "
            "curves themselves are not published as numbers."
        ),
        panels=tuple(panels),
        alt="Four lines that meet near 20 Mbit/s within half a minute and dip together every ten seconds.",
    )


def figure7(study: Study, evidence: Evidence) -> Chart:
    """Loss of four BBR flows against the size of the queue."""
    numbers = study.published["figure7"]
    layers = [_published(PUBLISHED, f"published ({study.short})", numbers, "loss_percent")]
    for variant in study.variants:
        trials = evidence.of("figure7", variant)
        layers.append(
            _curve(
                style_of(variant).label, variant, trials, lambda run: 100 * (run.result.bottleneck.loss_per_sent or 0)
            )
        )
    return Chart(
        name="figure7",
        title="BBR's loss versus router queue size (Figure 7)",
        caption=(
            "Packets dropped / packets sent on, as the document counts, of four BBR flows at 80 Mbit/s and 25 ms, from "
            f"50 to 85 % of 300 s. Mean over {_seeds(trials)} with 95 % intervals (Student's t); engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=(
            Panel(
                x=_queue_axis(trials),
                y=Axis(label="loss (% of packets sent)", limits=(0, None)),
                layers=tuple(layers),
            ),
        ),
        alt="Loss falls from about 13 % in the shortest queue to nothing at 1.5 BDP; the published line is straighter.",
    )


def figure10(study: Study, evidence: Evidence) -> Chart:
    """Throughput of two BBR and two CUBIC flows against the size of the queue, with quartiles."""
    numbers = study.published["figure10"]
    panels = []
    for variant in study.variants:
        trials = evidence.of("figure10", variant)
        layers = []
        for group, style in (("bbr", variant), ("cubic", "cubic")):
            label, published = style_of(style).label, f"{group.upper()}, published ({study.short})"
            layers += [
                _curve(label, style, trials, partial(_goodput_mbit_s, group)),
                _quartiles(f"{label}, quartiles", style, trials, group),
                _published(f"{PUBLISHED} {group}", published, numbers, f"{group}_mbit_s"),
            ]
        for quartile in ("first", "third"):
            label, column = f"BBR's {quartile} quartile, published", f"bbr_{quartile}_quartile_mbit_s"
            points = _published(f"{PUBLISHED} {quartile} quartile", label, numbers, column)
            layers.append(replace(points, kind="points"))
        panels.append(
            Panel(
                title=f"{style_of(variant).label} beside CUBIC",
                x=_queue_axis(trials),
                y=Axis(label="throughput (Mbit/s)", limits=(0, 92)),
                layers=tuple(layers),
            )
        )
    return Chart(
        name="figure10",
        title="BBR and CUBIC's interplay versus router queue length (Figure 10)",
        caption=(
            "Summed goodput of two BBR and two CUBIC flows at 80 Mbit/s and 25 ms, from 50 to 80 % of 300 s. Lines: "
            f"mean over {_seeds(trials)} with 95 % intervals (Student's t); bands: first to third quartile of each "
            f"flow's goodput in bins of 0.5 s, summed over the group's flows, mean over the seeds; engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt=(
            "BBR has nearly all in queues shorter than 1.5 BDP; its share falls in longer ones, and CUBIC passes it "
            "between 4 and 8 BDP."
        ),
    )


def _curve(label: str, style: str, trials: Sequence[Trial], value: Callable[[Observed], float]) -> Layer:
    """A mean over seeds at each point, with its interval; where nothing varied, an interval of no width."""
    found = [estimate([value(run) for run in runs]) for runs in _by_point(trials)]
    return Layer(
        label=label,
        style=style,
        kind="line+points",
        x=_queues(trials),
        y=tuple(each.mean for each in found),
        low=tuple(each.mean - (each.half_width or 0) for each in found),
        high=tuple(each.mean + (each.half_width or 0) for each in found),
    )


def _quartiles(label: str, style: str, trials: Sequence[Trial], group: str) -> Layer:
    found = [[quartiles_bps(run, group) for run in runs] for runs in _by_point(trials)]
    return Layer(
        label=label,
        style=style,
        kind="band",
        x=_queues(trials),
        y=(),
        low=tuple(MBIT * fmean(first for first, _ in each) for each in found),
        high=tuple(MBIT * fmean(third for _, third in each) for each in found),
    )


def _published(style: str, label: str, numbers: dict[str, Any], column: str) -> Layer:
    sizes = tuple(buffer_bdp({BUFFER: size}) for size in numbers["buffer"])
    return Layer(label=label, style=style, kind="line+points", x=sizes, y=tuple(map(float, numbers[column])))


def _goodput_mbit_s(group: str, run: Observed) -> float:
    return MBIT * (run.result.groups[group].goodput_bps or 0.0)


def _by_point(trials: Sequence[Trial]) -> list[tuple[Observed, ...]]:
    return list(zip(*(trial.runs for trial in trials), strict=True))


def _queues(trials: Sequence[Trial]) -> tuple[float, ...]:
    return tuple(buffer_bdp(run.point) for run in trials[0].runs)


def _queue_axis(trials: Sequence[Trial]) -> Axis:
    sizes = _queues(trials)
    return Axis(label="router queue (BDP)", scale="log2", ticks=tuple((size, f"{size:g}") for size in sizes))


def _seeds(trials: Sequence[Trial]) -> str:
    return f"{len(trials)} seed{'s' * (len(trials) != 1)}"
