"""Two of the closed forms as curves, with what was measured on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.metrics.counter import BITS
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.label import label_of
from dumbbell.studies.theory.claims import LOSSY_BPS, MSS_BYTES, buffer_bdp, payload_bps
from dumbbell.studies.theory.claims import loss as loss_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

MBIT = 1e-6
LOSSY_RTT_S = 0.1
"""Of the experiments `loss_*`."""
LOSSES = tuple(10 ** (exponent / 10) for exponent in range(-50, -5, 4))
"""Where the formulas are drawn."""


def loss(study: Study, evidence: Evidence) -> Chart:
    """Goodput of one flow under random loss, with the formulas."""
    (variant,) = study.variants
    numbers = study.published["window"]
    line_bps = payload_bps(LOSSY_BPS)

    def formula(window: Callable[[float], float]) -> tuple[float, ...]:
        return tuple(MBIT * min(line_bps * (1 - p), window(p) * MSS_BYTES * BITS / LOSSY_RTT_S) for p in LOSSES)

    formulas = (
        ("C (1 - p)", "bbr", formula(lambda _: float("inf"))),
        ("larger of CUBIC's curve and its Reno's line", "cubic", formula(
            lambda p: max(numbers["cubic"] * (LOSSY_RTT_S / p) ** 0.75, numbers["cubic_as_reno"] / p**0.5)
        )),
        ("1.31/sqrt(p)", "reno", formula(lambda p: numbers["reno"] / p**0.5)),
    )  # fmt: skip
    at = tuple(100 * p for p in LOSSES)
    layers = [
        Layer(label=f"theory: {title}", style=f"{PUBLISHED} {cc}", kind="line+points", x=at, y=y)
        for title, cc, y in formulas
    ]
    for cc in ("bbr", "cubic", "reno"):
        trials = evidence.of(f"loss_{cc}", variant)
        layers.append(
            _measured(
                trials, cc, evidence.engine, lambda run: 100 * loss_of(run.point), lambda run: MBIT * _goodput(run)
            )
        )
    return Chart(
        name="loss",
        title="One flow under random loss",
        caption=(
            "Goodput of one flow over 60 s, start included, at 100 Mbit/s and 100 ms with a queue of 1 BDP and random"
            f" loss before it; mean over seeds ({len(evidence.of('loss_cubic', variant))}, of BBR"
            f" {len(evidence.of('loss_bbr', variant))}) and 95 % interval. Lines:"
            f" {numbers['source']}."
        ),
        panels=(
            Panel(
                title=evidence.engine,
                x=Axis(label="random loss (%)", scale="log10"),
                y=Axis(label="goodput (Mbit/s)", scale="log10", limits=(0.3, 130)),
                layers=tuple(layers),
            ),
        ),
        alt="CUBIC and Reno fall along their lines from a loss of a thousandth of a percent on; BBR stays near the top"
        " until some fifteen percent.",
    )


def share(study: Study, evidence: Evidence) -> Chart:
    """BBR's share beside one CUBIC flow, and beside one Reno flow, with Ware's model."""
    (variant,) = study.variants
    numbers = study.published["ware"]
    buffers = tuple(buffer_bdp({"path.buffer": size}) for size in numbers["buffer"])
    return Chart(
        name="share",
        title="BBR's share beside one CUBIC flow, and beside one Reno flow",
        caption=(
            "BBR's share of the goodput from 40 to 440 s at 10 Mbit/s, 40 ms; mean over"
            f" {len(evidence.of('share', variant))} seeds and 95 % interval. Line:"
            f" {numbers['source']}."
        ),
        panels=(
            Panel(
                title=evidence.engine,
                x=Axis(label="queue (BDP)", scale="log2", ticks=tuple((size, f"{size:g}") for size in buffers)),
                y=Axis(label="BBR's share (%)", limits=(0, 100)),
                layers=(
                    Layer(label="Ware et al. 2019", style=PUBLISHED, x=buffers, y=tuple(numbers["share_percent"])),
                    *(
                        replace(
                            _measured(
                                evidence.of(experiment, variant), rival, evidence.engine,
                                lambda run: buffer_bdp(run.point),
                                lambda run: 100 * (run.result.groups["bbr"].share or 0.0),
                            ),
                            label=f"BBR beside {name}",
                        )
                        for experiment, rival, name in (("share", "cubic", "CUBIC"), ("share_reno", "reno", "Reno"))
                    ),
                ),
            ),
        ),
        alt="The model falls from 97 to 37 percent; in deep queues BBR has as much beside Reno, and less beside CUBIC.",
    )  # fmt: skip


def _goodput(run: RunData) -> float:
    return run.result.flows[0].goodput_bps or 0.0


def _measured(
    trials: Sequence[SeedSweep], cc: str, engine: str, x: Callable[[RunData], float], y: Callable[[RunData], float]
) -> Layer:
    """Means over seeds at each point of a sweep, with their intervals."""
    found = [
        (x(runs[0]), estimate([y(run) for run in runs])) for runs in zip(*(trial.runs for trial in trials), strict=True)
    ]
    return Layer(
        label=label_of(cc, engine),
        style=cc,
        kind="line+points",
        x=tuple(at for at, _ in found),
        y=tuple(each.mean for _, each in found),
        low=tuple(each.mean - (each.half_width or 0.0) for _, each in found),
        high=tuple(each.mean + (each.half_width or 0.0) for _, each in found),
    )
