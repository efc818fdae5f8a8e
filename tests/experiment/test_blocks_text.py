"""How many blocks a difference takes, of the pair that is the hardest to tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from commandline import MOMENT
from dumbbell.experiment.blocks import blocks_text
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.contrast import resolution
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec import expand, load

QUIET, LOUD = (10.0, 10.3, 10.1), (9.0, 12.0, 10.0)


def runs(goodputs: Sequence[dict[str, Sequence[float]]], **overrides: Any) -> ExperimentRuns:
    """Of each point of a sweep what its groups had, in Mbit/s, in blocks 1 to n."""
    fields = {"path.buffer": "1 bdp", "seeds": 3}
    experiment = load(MOMENT, overrides=fields | overrides)
    ccs = experiment.of_groups("cc")
    points = [
        MeasuredPoint(
            swept=point.values,
            run_ids={seed: f"{point.number}-{seed}" for seed in (1, 2, 3)},
            ccs={name: point.get(f"flows[{nth}].cc") for nth, name in zip(range(len(ccs)), groups, strict=True)},
            sizes=dict.fromkeys(groups, 1),
            fair_shares=dict.fromkeys(groups, 0.5),
            numbers={("goodput", name): [1e6 * each for each in values] for name, values in groups.items()}
            | {("share", name): [0.5] * 3 for name in groups},
        )
        for point, groups in zip(expand(experiment), goodputs, strict=True)
    ]
    return ExperimentRuns(name="moment", engine="netns", points=points, experiment=experiment, spec=experiment.fields())


def test_algorithms_that_are_swept_are_compared_by_the_goodput_of_their_group() -> None:
    known = resolution(dict(enumerate(QUIET)), dict(enumerate(LOUD)))
    assert known is not None
    assert known.relative.mean == pytest.approx((31.0 - 30.4) / 31.0)
    sweep = runs([{"bbr": QUIET, "other": LOUD}, {"reno": LOUD, "other": QUIET}], **{"flows[0].cc": ["bbr", "reno"]})
    text = blocks_text(sweep, 3)
    assert text is not None
    assert text.startswith("after 3 blocks: BBR and Reno differ by 1.9 ± ")
    assert text.endswith(f" % in goodput; about {known.pairs} blocks would show a difference of 5 %")


def test_of_several_pairs_the_one_that_needs_most_is_named() -> None:
    sweep = {"flows[0].cc": ["bbr", "reno"], "path.buffer": ["1 bdp", "2 bdp"]}
    points: list[dict[str, Sequence[float]]] = [
        {"one": each, "other": QUIET} for each in (QUIET, QUIET[::-1], QUIET, LOUD)
    ]
    text = blocks_text(runs(points, **sweep), 3)
    assert text is not None
    assert "BBR and Reno at path.buffer = 2 bdp differ by" in text


def test_values_of_a_field_are_compared_where_no_algorithm_is_swept() -> None:
    sweep = {"path.buffer": ["1 bdp", "2 bdp"]}
    text = blocks_text(runs([{"bbr": QUIET, "cubic": QUIET}, {"bbr": QUIET, "cubic": LOUD}], **sweep), 3)
    assert text is not None
    assert "path.buffer = 1 bdp and path.buffer = 2 bdp differ by" in text
    assert " % in the goodput of CUBIC; about " in text


def test_groups_of_the_only_point_are_compared_with_one_another() -> None:
    text = blocks_text(runs([{"bbr": QUIET, "cubic": (10.1, 10.3, 10.2)}]), 3)
    assert text is not None
    assert "BBR and CUBIC differ by" in text
    assert text.endswith("3 blocks are enough to show a difference of 5 %")


def test_nothing_is_said_where_nothing_varied_or_nothing_is_there() -> None:
    assert blocks_text(runs([{"bbr": (1.0, 1.0, 1.0), "cubic": (2.0, 2.0, 2.0)}]), 3) is None
    assert blocks_text(ExperimentRuns(name="none", engine="netns"), 3) is None


def test_more_blocks_than_anybody_runs() -> None:
    text = blocks_text(runs([{"bbr": (1.0, 90.0, 5.0), "cubic": (80.0, 2.0, 9.0)}]), 3)
    assert text is not None
    assert text.endswith("more than 10,000 blocks would be needed to show a difference of 5 %")
