"""Two stores are compared with as much work for a pair, however many pairs there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from compared import compare_stores, overall_of
from dumbbell.comparison.differences import Comparison
from multiplied import multiplied
from work import lines_run

FEW, MANY = 600, 2_400


def many(folder: Path, runs: int, factor: float) -> Path:
    """A store with goodputs that are scattered and `factor` times as large."""
    return multiplied(
        folder,
        runs,
        request_key="printf('%032x', i / 3)",
        goodput=f"goodput * ({factor} + i * {round(7919 * factor)} % 1000 / 1e6)",
    )


@pytest.mark.long
@pytest.mark.slow
def test_four_times_as_many_pairs_are_no_more_than_four_times_the_work(tmp_path: Path) -> None:
    lines: dict[int, int] = {}
    for runs in (FEW, MANY):
        a, b = (many(tmp_path / f"{runs}-{factor}", runs, factor) for factor in (1.0, 1.01))
        comparisons: list[Comparison] = []
        lines[runs] = lines_run(lambda a=a, b=b, comparisons=comparisons: comparisons.append(compare_stores(a, b)))  # type: ignore[misc]
        assert len(comparisons[0].pairs) == runs
        assert overall_of(comparisons[0], "goodput", "bbr").relative == pytest.approx(0.01, rel=1e-2)
    assert lines[MANY] < 1.1 * MANY / FEW * lines[FEW]
