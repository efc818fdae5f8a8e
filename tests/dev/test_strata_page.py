"""Two engines over drawn conditions, as a page and in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agreed import by_hand
from dev.strata import page, text
from dev.strata.bands import judged_again
from dumbbell.comparison.record import Agreement
from dumbbell.report.figure import MOST_POINTS
from dumbbell.results.store import Store
from webpage import Webpage


def drawn(**fields: object) -> Agreement:
    """Of the stratum `hand`, which has no bands, unless the fields say another."""
    source = {"random": 2, "seed": 9, "duration": "60 s", "most_packets": 5_000_000, "stratum": "hand"} | fields
    return judged_again(by_hand(**source))


def test_the_page_of_drawn_conditions(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with Store.open(tmp_path / "store", write=True) as store:
        assert Webpage(page.page(drawn(stratum=None), store).html(MOST_POINTS)).lines == snapshot


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        (
            {"stratum": None, "duration": None, "most_packets": None},
            "python -m dev strata --random 2 --seed 9 --engines sim,linux --seeds 3",
        ),
        (
            {"duration": None, "most_packets": None},
            "python -m dev strata --random 2 --stratum hand --seed 9 --engines sim,linux --seeds 3",
        ),
        ({}, '--duration "60 s" --packets 5000000 --engines'),
        ({"sets": ("path.rtt=50 ms",)}, " --set 'path.rtt=50 ms' --engines"),
    ],
)
def test_the_command_has_every_option_that_was_given(fields: dict[str, object], command: str) -> None:
    """Also one that is the default of the plain path: other strata have others."""
    assert command in text.command(drawn(**fields))


def test_a_verdict_says_where_only_the_outer_limit_is_there() -> None:
    without, of_plain = (text.bands_table(drawn(stratum=stratum)).rows for stratum in ("hand", "plain"))
    assert text.WITHIN in {row[-1] for row in without}
    assert text.WITHIN not in {row[-1] for row in of_plain}
    assert "no band yet" in text.legend(drawn())
    assert "no band yet" not in text.legend(drawn(stratum="plain"))
