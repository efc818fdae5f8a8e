"""The formulas of random loss as curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dumbbell.charts.chart import Layer
from dumbbell.charts.shapes import Look, scatter
from dumbbell.charts.style import PUBLISHED
from dumbbell.spec.frame import MSS_BYTES
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.theory.claims import LOSSY_BPS, payload_bps
from dumbbell.units import BITS_PER_BYTE

MBIT = 1e-6
RTT_S = 0.1
"""Of the experiments `loss_*`."""
LOSSES = tuple(10 ** (exponent / 10) for exponent in range(-50, -5, 4))
"""Where the formulas are drawn."""


def formulas(scope: Scope) -> Iterator[Layer]:
    """Goodput in Mbit/s over random loss in %: of a full line, and of CUBIC's and Reno's mean windows."""
    numbers = scope.study.published["window"]
    line_bps = payload_bps(LOSSY_BPS)
    windows: dict[str, tuple[str, Callable[[float], float]]] = {
        "bbr": ("C (1 - p)", lambda _: float("inf")),
        "cubic": (
            "larger of CUBIC's curve and its Reno's line",
            lambda p: max(numbers["cubic"] * (RTT_S / p) ** 0.75, numbers["cubic_as_reno"] / p**0.5),
        ),
        "reno": ("1.31/sqrt(p)", lambda p: numbers["reno"] / p**0.5),
    }
    for cc, (title, window) in windows.items():
        goodputs = [min(line_bps * (1 - p), window(p) * MSS_BYTES * BITS_PER_BYTE / RTT_S) for p in LOSSES]
        look = Look(f"{PUBLISHED} {cc}", label=f"theory: {title}")
        yield scatter(look, [100 * p for p in LOSSES], [MBIT * each for each in goodputs], kind="line+points")
