"""Words in the charts of an experiment: none leaves the picture or covers another, in print and at 420 pixels."""

from __future__ import annotations

from itertools import combinations

import pytest
import vl_convert

from dumbbell.charts import image
from dumbbell.charts.chart import Chart
from dumbbell.charts.layout import PAGE
from dumbbell.charts.vega import set_width, vega_lite
from dumbbell.experiment.charts import gallery
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.results.measured import MeasuredPoint
from svgtext import size, texts

NARROW_PANEL = 310
"""Pixels, of a page that is 420 wide."""


def experiment(buffers: int, ccs: tuple[str, ...], seeds: int = 3) -> ExperimentRuns:
    """Two groups that move apart as the buffer grows; with the scatter of three seeds."""
    points = []
    for cc in ccs:
        for step in range(buffers):
            shares = [0.5 + 0.4 * step / buffers + 0.02 * seed for seed in range(seeds)]
            rest = [1 - share for share in shares]
            points.append(
                MeasuredPoint(
                    swept={"path.buffer": f"{0.25 * 2**step:g} bdp", "flows[0].cc": cc},
                    ccs={"downloads": cc, "an upload": "cubic"},
                    sizes={"downloads": 1, "an upload": 3},
                    fair_shares={"downloads": 0.25, "an upload": 0.75},
                    run_ids={seed: f"{seed:016x}" for seed in range(1, seeds + 1)},
                    numbers={
                        ("share", "downloads"): shares, ("share", "an upload"): rest,
                        ("goodput", "downloads"): [1e8 * each for each in shares],
                        ("goodput", "an upload"): [1e8 * each for each in rest],
                        ("rtt", "downloads"): [0.03 * (1 + step + 0.1 * each) for each in shares],
                        ("rtt", "an upload"): [0.031 * (1 + step + 0.1 * each) for each in rest],
                        ("loss", ""): [0.1 / (step + 1)] * seeds, ("jain", ""): [0.6] * seeds,
                    },
                )
            )  # fmt: skip
    return ExperimentRuns(name="hand", engine="sim", points=points)


CHARTS = [
    pytest.param(chart, id=f"{chart.name} of {buffers} x {len(ccs)}")
    for buffers, ccs in ((1, ("bbr",)), (3, ("bbr",)), (6, ("bbr", "cubic", "reno")))
    for chart in gallery.of_summaries(None, experiment(buffers, ccs))
]


def narrow(chart: Chart) -> str:
    """As a page of 420 pixels draws it: one panel above the other."""
    spec = vega_lite(chart, PAGE)
    spec["columns"] = 1
    set_width(spec, NARROW_PANEL)
    drawn: str = vl_convert.vegalite_to_svg(spec)
    return drawn


@pytest.mark.long
@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("draw", [image.svg, narrow])
def test_words_stay_within_the_picture_and_leave_one_another_free(chart: Chart, draw: object) -> None:
    assert callable(draw)
    drawn = draw(chart)
    width, height = size(drawn)
    drawn_texts = texts(drawn)
    assert len(drawn_texts) > 8
    outside = [
        text for text in drawn_texts if text.left < -2 or text.right > width + 2 or not 0 <= text.bottom <= height + 2
    ]
    assert outside == []
    assert [(one.text, other.text) for one, other in combinations(drawn_texts, 2) if one.overlaps(other)] == []


def test_overlaps_and_what_is_outside_are_seen() -> None:
    drawn = (
        '<svg viewBox="0 0 50 20"><g transform="translate(10,10)"><text font-size="10px">one</text>'
        '<text transform="translate(5,1)" font-size="10px">another</text></g></svg>'
    )
    one, other = texts(drawn)
    assert one.overlaps(other)
    assert other.right > 40
    assert size(drawn) == (50, 20)
