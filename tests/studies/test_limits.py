"""What a formula can be: no interval of a mean goes beyond."""

from __future__ import annotations

from math import inf
from types import ModuleType

import pytest

from dumbbell.studies.evidence import RunData
from dumbbell.studies.formula import Formulas
from dumbbell.studies.limits import Share

FUNCTIONS = ModuleType("functions")


def part(_: RunData) -> Share | None:
    """A share."""


def surplus(_: RunData) -> float | None:
    """Any number."""


for function in (part, surplus):
    function.__module__ = FUNCTIONS.__name__
    FUNCTIONS.__dict__[function.__name__] = function


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("jain", (0, 1)),
        ("groups.bbr.goodput_trend", (-inf, inf)),
        ("bottleneck.queue_mean_bdp", (0, inf)),
        ("flows.0.rtt_p50_s - 0.076", (-0.076, inf)),
        ("100 * groups.bbr.share", (0, 100)),
        ("1 - bottleneck.utilization", (0, 1)),
        ("-jain", (-1, 0)),
        ("groups.cubic.goodput_bps / groups.bbr.goodput_bps", (0, inf)),
        ("beside.jain - jain", (-1, 1)),
        ("larger(groups.bbr.share, 3 * groups.cubic.share)", (0, 3)),
        ("share((jain >= 0.9)[bottleneck.loss_rate > 0])", (0, 1)),
        ("rank_correlation(jain, jain)", (-inf, inf)),
        ("part", (0, 1)),
        ("2 * surplus", (-inf, inf)),
    ],
)
def test_a_formula_is_within_what_its_parts_can_be(text: str, limits: tuple[float, float]) -> None:
    assert Formulas({}, FUNCTIONS).parse(text).limits == pytest.approx(limits)
