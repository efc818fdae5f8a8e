from __future__ import annotations

from dumbbell.report.claims import claims_of
from dumbbell.studies import Checked, Flipped, Verdict
from dumbbell.studies.verdict import Word
from reported import verdict

HARD_SPACE = "\N{NO-BREAK SPACE}"
FLIPS: tuple[tuple[str, Word], ...] = (
    ("more memory", "reproduced"), ("less", "not reproduced"), ("none", "not run yet"),
)  # fmt: skip


def checked(**words: object) -> Checked:
    usual: dict[str, object] = {
        "label": "loss", "value": 5.0, "low": 4.0, "high": 6.0, "n": 3, "published": 5.5, "least": 3.5, "most": 7.5,
        "unit": "%", "holds": True, "holding": 3, "seeds": 3,
    }  # fmt: skip
    return Checked(**usual | words)  # type: ignore[arg-type]


def test_without_verdicts_there_is_no_table() -> None:
    assert claims_of([], "the document") is None


def test_verdicts_are_sorted_by_what_their_columns_mean(verdicts: list[Verdict]) -> None:
    table = claims_of(verdicts, "Hand 2020")
    assert table is not None
    assert table.words == ("reproduced", "not reproduced", "not testable here")
    assert table.variants == ("bbr", "bbr_4_17")
    assert [row.rank for row in table.rows] == [0, 1, 2]
    assert [row.value_sort for row in table.rows] == ["11.04", "14", ""]


def test_an_interval_is_told_to_the_place_of_its_mean_and_never_as_nothing() -> None:
    table = claims_of([verdict(), verdict(low=11.0399, high=11.0401), verdict(low=None, high=None)], "it")
    assert table is not None
    assert [row.measured for row in table.rows] == ["11.0 ± 0.5 %", "11.0 ± < 0.1 %", "11.0 %"]


def test_what_is_the_same_for_every_seed_is_deterministic() -> None:
    same = checked(low=None, high=None, n=1)
    alone = checked(low=None, high=None, n=1, seeds=1, holding=1)
    table = claims_of(
        [verdict(low=None, high=None, n=1, seeds=each.seeds, checks=(each, each)) for each in (same, alone)], "it"
    )
    assert table is not None
    assert [row.interval.replace(HARD_SPACE, " ") for row in table.rows] == ["deterministic, n = 1", "n = 1"]


def test_the_checks_of_a_claim_are_told_where_there_are_several() -> None:
    several = (checked(), checked(least=None), checked(most=None, holds=False, holding=1), checked(value=None, n=0))
    table = claims_of([verdict(checks=several), verdict(checks=several[:1])], "it")
    assert table is not None
    assert [check.bounds for check in table.rows[0].checks] == [
        "3.5 to 7.5 %", "at most 7.5 %", "at least 3.5 %", "3.5 to 7.5 %",
    ]  # fmt: skip
    assert [check.holds for check in table.rows[0].checks][2] == "no, in 1 of 3 seeds"
    assert table.rows[0].checks[3].measured == "-"
    assert table.rows[1].checks == ()


def test_a_flag_is_explained_if_it_says_something() -> None:
    table = claims_of([verdict(flag="OK"), verdict(flag="SENS")], "it")
    assert table is not None
    assert [row.flag for row in table.rows] == ["", "SENS"]
    assert "SENS: depends on a detail" in table.legend
    assert "ART" not in table.legend


def test_what_makes_a_claim_hold_stands_at_its_verdict_and_what_does_not_does_not() -> None:
    flips = tuple(
        Flipped(kind="fitted", by=by, experiments=(), verdict=word, reason="", checks=()) for by, word in FLIPS
    )
    table = claims_of([verdict(verdict="not reproduced", flips=flips), verdict()], "it")
    assert table is not None
    assert [row.flips for row in table.rows] == [(("more memory", "fitted"),), ()]


def test_a_claim_that_contains_no_version_is_one_row() -> None:
    table = claims_of([verdict(variant="cubic, reno", versions=("bbr", "bbr_4_17"))], "it")
    assert table is not None
    assert [row.variant for row in table.rows] == ["cubic, reno"]
    assert "bbr_4_17: BBR as of Linux 4.17" in table.about
