"""Bands of strata: made of a measurement, and they can fail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agreed import condition_of, result
from dev.__main__ import app
from dev.chance import with_controls
from dev.strata.bands import (
    STATISTICS,
    bands_from,
    bands_of,
    controls_that_keep,
    judged_again,
    store_bands,
)
from dev.validation import page
from dev.validation.plan import ComparisonPart, Plan
from dev.validation.records import store_record
from dev.validation.section import Section, chance
from dumbbell.comparison import strata as strata_of_package
from dumbbell.comparison.agreement import BANDS, judge
from dumbbell.comparison.record import Agreement, Condition, Side, Source
from dumbbell.comparison.strata import strata

SIDE = Side(engine="hand", identity="0" * 64, seeds=(1,), measured_on={})


def conditions(errors: Sequence[float], *, spread: float = 0.0) -> list[Condition]:
    """Total goodput off by each of these shares of 50 Mbit/s; the reference's seeds are `spread` apart."""
    reference = [result({"bbr": 50 * (1 + of * spread)}, seed=seed) for seed, of in enumerate((-1, 0, 1), start=1)]
    return [
        condition_of([result({"bbr": 50 * (1 + error)})] * 3, reference, reference, name=f"hand-{index}")
        for index, error in enumerate(errors)
    ]


def judged(errors: Sequence[float], *, spread: float = 0.0, stratum: str | None = "hand") -> Agreement:
    return judged_again(judge(conditions(errors, spread=spread), Source(stratum=stratum, seed=7), SIDE, SIDE, ()))


def controlled(errors: Sequence[float], controls: Sequence[Sequence[float]], *, stratum: str = "hand") -> Agreement:
    """The same with what each control came to."""
    own = judged(errors, stratum=stratum)
    of = with_controls(own, {100 * (index + 1): judged(each, stratum=stratum) for index, each in enumerate(controls)})
    assert isinstance(of, Agreement)
    return of


def limits(of: Agreement) -> dict[str, float]:
    return {name: limit for name, limit in bands_from(of)["total_goodput"].items() if name in STATISTICS}


def test_a_band_is_what_nine_of_ten_controls_keep() -> None:
    of = controlled([0.5], [[0.001 * (index + 1)] for index in range(10)])
    nine = pytest.approx(0.009, abs=1e-5)
    assert limits(of) == {"median": nine, "p90": nine, "raw_median": nine, "raw_p90": nine}, "whatever the candidate is"
    assert bands_from(judged([0.5])) == {}, "without controls there are none"


def test_a_control_without_a_quantity_leaves_its_band_to_the_others() -> None:
    """Whichever it is: the first one is no measure for the others."""
    complete = controlled([0.5], [[0.001 * (index + 1)] for index in range(10)])
    for lacking in (0, 9):
        of = complete.model_copy(update={"conditions": tuple(_without(each, lacking) for each in complete.conditions)})
        assert limits(of)["median"] == pytest.approx(0.001 * (10 if lacking == 0 else 9), abs=1e-5)


def _without(condition: Condition, lacking: int) -> Condition:
    """A condition in which one control has no total goodput."""
    differences = [
        each.model_copy(update={"controls": (*each.controls[:lacking], None, *each.controls[lacking + 1 :])})
        if each.metric == "total_goodput" else each
        for each in condition.differences
    ]  # fmt: skip
    return condition.model_copy(update={"differences": tuple(differences)})


def test_parts_with_different_numbers_of_controls_share_those_of_the_same_shift() -> None:
    two, three = (
        Section(name, "agreement", controlled([0.0], [[0.0]] * (count - 1) + [[0.5]]))
        for name, count in (("two", 2), ("three", 3))
    )
    assert "; its controls keep those of 1 to 2. Beyond" in chance([two, three])
    alone = controlled([0.0], [[0.0]])
    other = Section("other", "agreement", alone.model_copy(update={"controls": (7,)}))
    assert "all bands of 2 of 2 parts. Beyond" in chance([Section("alone", "agreement", alone), other])


def test_nine_of_ten_controls_keep_all_bands_together(own_bands: Path) -> None:
    """Each of them is the worst in another statistic, and would keep no more than most."""
    high = [[0.001] * 5 + [0.002 * (index % 5 + 1)] * 5 for index in range(10)]
    of = controlled(
        [0.001] * 10, high[:5] + [[each + 0.0005 * index for each in row] for index, row in enumerate(high[5:])]
    )
    store_bands(own_bands, {"hand": of})
    assert sum(controls_that_keep(of)) == 9


def test_a_band_is_never_beyond_the_outer_limit_nor_narrower_than_a_fiftieth_of_it() -> None:
    far = limits(controlled([0.0, 0.0], [[0.009, 0.5]] * 10))
    assert (far["median"], far["p90"]) == (0.01, 0.03)
    assert far["raw_p90"] == pytest.approx(0.451, abs=1e-3)
    nothing = limits(controlled([0.0], [[0.0]] * 10))
    assert nothing == {"median": 0.0002, "p90": 0.0006, "raw_median": 0.0002, "raw_p90": 0.0006}


def test_raw_errors_stand_beside_excused_ones() -> None:
    """Seeds 10 % apart excuse 5 % (the quartiles of three are half as far as the outermost)."""
    (total,) = [band for band in judged([0.06], spread=0.1).bands if band.metric == "total_goodput"]
    assert total.measured.median == pytest.approx(0.01)
    assert total.raw.median == pytest.approx(0.06)
    assert total.raw_floor.median == 0.0


@pytest.fixture
def own_bands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of bands that is not dumbbell's."""
    path = tmp_path / "bands.toml"
    path.write_text("# What this is.\n", encoding="utf-8")
    strata()  # from dumbbell's own file
    monkeypatch.setattr(strata_of_package, "files", lambda _: tmp_path)
    monkeypatch.setattr(page, "files", lambda _: tmp_path)
    strata_of_package.stored_bands.cache_clear()
    yield path
    strata_of_package.stored_bands.cache_clear()


def test_bands_are_stored_by_stratum_and_what_was_measured_then_keeps_them(own_bands: Path) -> None:
    measured_once = controlled([0.002] * 9 + [0.01], [[0.003] * 9 + [0.015]] * 10)
    assert bands_of("hand")["total_goodput"] == BANDS["total_goodput"]
    store_bands(own_bands, {"other": controlled([0.001], [[0.001]] * 10)})
    store_bands(own_bands, {"hand": measured_once})
    assert own_bands.read_text(encoding="utf-8").startswith('# What this is.\n\n[other]\nmeasured = "hand 000')
    assert bands_of("hand")["total_goodput"].median_limit == 0.003
    assert bands_of(None)["total_goodput"] == BANDS["total_goodput"]
    again = judged_again(measured_once)
    assert again.holds
    assert not judged([0.0031] * 10).holds, "more than controls were off by, and far from the outer limit"
    assert judged([0.0031] * 10, stratum=None).holds
    live = judged([0.0031] * 10).model_copy(update={"candidate": SIDE.model_copy(update={"engine": "netns"})})
    assert judged_again(live).holds, "bands are the simulator's"


@pytest.mark.usefixtures("own_bands")
def test_what_is_beyond_the_outer_limit_fails_whatever_its_band(own_bands: Path) -> None:
    far = controlled([0.02] * 10, [[0.02] * 10] * 10)
    store_bands(own_bands, {"hand": far})
    again = judged_again(far)
    assert not again.holds
    assert [band.metric for band in again.bands if band.beyond_design] == ["total_goodput"]


def test_bands_are_of_the_part_of_a_stratums_name_and_the_page_judges_by_them(own_bands: Path, tmp_path: Path) -> None:
    """Another part that draws from the stratum has no say."""
    parts = tuple(
        ComparisonPart(name=name, kind="agreement", candidate="a", reference="b", stratum="plain", random=10)
        for name in ("plain", "regression")
    )
    plan = Plan(parts=parts)
    controls = [[0.003] * 10] * 10
    store_record("plain", controlled([0.002] * 10, controls, stratum="plain"), tmp_path)
    store_record("regression", controlled([0.005] * 10, controls, stratum="plain"), tmp_path)
    before = page.part_markdown(page.read(plan, tmp_path)[0])
    assert "| holds (outer limit, no band yet) |" in before
    assert "the limit of the design that no band may cross" in " ".join(before.split())
    page.set_bands(plan, tmp_path)
    assert bands_of("plain")["total_goodput"].median_limit == 0.003
    sections = {each.name: each.record for each in page.read(plan, tmp_path)}
    assert [getattr(each, "holds", None) for each in sections.values()] == [True, False]
    own_bands.write_text("# Nothing.\n", encoding="utf-8")
    strata_of_package.stored_bands.cache_clear()
    sections = {each.name: each.record for each in page.read(plan, tmp_path)}
    assert [getattr(each, "holds", None) for each in sections.values()] == [True, True]


@pytest.mark.slow
def test_new_bands_and_the_pages_by_them_are_one_json_object(own_bands: Path, tmp_path: Path) -> None:
    plan, docs = tmp_path / "plan.toml", tmp_path / "docs"
    plan.write_text(
        "[[parts]]\nname = 'plain'\nkind = 'agreement'\ncandidate = 'a'\nreference = 'b'\nstratum = 'plain'\n",
        encoding="utf-8",
    )
    store_record("plain", controlled([0.002] * 10, [[0.003] * 10] * 10, stratum="plain"), docs)
    done = CliRunner().invoke(app, ["validation", "--set-bands", "--json", "--plan", str(plan), "--docs", str(docs)])
    files = json.loads(done.stdout)["files"]
    assert files[:3] == list(map(str, (own_bands, docs / "validation" / "plain.json", docs / "validation.md")))
