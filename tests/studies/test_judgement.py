from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from dumbbell.studies import StudyError, Verdict
from dumbbell.studies.claim import Vocabulary, claims_of
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep, Trials
from dumbbell.studies.formula import Formulas
from dumbbell.studies.judgement import judge
from observed import observed

FUNCTIONS = ModuleType("functions")


def seed_value(trial: SeedSweep) -> float | None:
    """What a test says that the trial of a seed gives."""
    return VALUES[trial.seed]


def mean_of_all(trials: Trials) -> float | None:
    """The mean of these over all seeds, as one number."""
    values = [value for (trial,) in trials.sweeps if (value := VALUES[trial.seed]) is not None]
    return sum(values) / len(values) if values else None


def width(_: Trials, percent: float) -> float:
    """A spread."""
    return percent / 100


VALUES: dict[int, float | None] = {}
seed_value.__module__ = FUNCTIONS.__name__
for function in (seed_value, mean_of_all, width):
    FUNCTIONS.__dict__[function.__name__] = function
FUNCTIONS.__dict__["imported"] = judge
VOCABULARY = Vocabulary({"sweep": frozenset({"path.buffer"})}, Formulas({}, FUNCTIONS), ("bbr", "bbr_4_17"))


def row(**fields: object) -> dict[str, object]:
    usual: dict[str, object] = {
        "id": "X1",
        "kind": "N",
        "section": "1",
        "statement": "it is about 10",
        "tolerance": "8 to 12 %",
        "flag": "OK",
        "source": "here",
        "experiment": "sweep",
        "metric": "seed_value",
        "unit": "%",
        "checks": [{"label": "it", "least": 8, "most": 12, "published": 10}],
    }
    return usual | fields


def verdict(*values: float | None, engine: str = "sim", untestable: str = "", **fields: object) -> Verdict:
    """The verdict on a claim of which each seed's trial gives one of these shares; a single one, three seeds."""
    values = values * 3 if len(values) == 1 else values
    VALUES.clear()
    VALUES.update(enumerate(values))
    (claim,) = claims_of([row(**fields)], VOCABULARY)
    trials = tuple(SeedSweep(seed, ()) for seed in range(len(values)))
    evidence = Evidence(
        engine=engine,
        trials={("sweep", "bbr"): trials} if trials else {},
        untestable={("sweep", "bbr"): untestable} if untestable else {},
    )
    return judge(claim, evidence, "bbr")


def test_a_mean_with_its_interval() -> None:
    ruling = verdict(0.095, 0.10, 0.105)
    assert ruling.verdict == "reproduced"
    assert ruling.value == pytest.approx(10)
    assert (ruling.n, ruling.published) == (3, 10)
    half = 4.30265 * 0.5 / 3**0.5  # t of 2 degrees x the standard deviation of 9.5, 10, 10.5
    assert ruling.low == pytest.approx(10 - half, rel=1e-5)
    assert ruling.high == pytest.approx(10 + half, rel=1e-5)
    assert ruling.reason == "it is 10.0 %, within 8 to 12 %"


def test_equal_seeds_are_one() -> None:
    ruling = verdict(0.1, 0.1, 0.1)
    assert ruling.value == pytest.approx(10)
    assert (ruling.low, ruling.high, ruling.n) == (None, None, 1)


def test_a_bound_belongs_to_what_it_bounds() -> None:
    assert verdict(0.08).verdict == "reproduced"
    assert verdict(0.0799).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("value", "broken"), [(10, []), (9.9, ["low"]), (20.1, ["high"]), (13.1, ["both"]), (8.9, ["low", "both"])]
)
def test_each_bound_of_each_check_decides(value: float, broken: list[str]) -> None:
    checks = [{"label": "low", "least": 9.95}, {"label": "high", "most": 20}, {"label": "both", "least": 9, "most": 13}]
    if broken == ["high"]:
        checks.pop()
    ruling = verdict(value / 100, checks=checks)
    assert ruling.verdict == ("not reproduced" if broken else "reproduced")
    assert [check.label for check in ruling.checks if not check.holds] == broken


def test_the_median_decides_a_numeric_claim() -> None:
    ruling = verdict(0.1, 0.1, 0.2)
    assert ruling.value == pytest.approx(100 * 0.4 / 3)
    assert ruling.checks[0].holds
    assert not verdict(0.13, 0.13, 0.01).checks[0].holds


@pytest.mark.parametrize(("holding", "holds"), [(3, False), (4, True), (5, True)])
def test_four_fifths_of_the_seeds_decide_an_ordering(holding: int, *, holds: bool) -> None:
    ruling = verdict(*[0.1] * holding, *[0.2] * (5 - holding), kind="Q")
    assert (ruling.checks[0].holds, ruling.checks[0].holding) == (holds, holding)


@pytest.mark.parametrize(
    ("values", "word", "reason"),
    [
        ((0.1, 0.1, 0.2), "undecided", "is 13.3 %, and its 95 % interval of the mean, 0 to 27.7 %, is not all within"),
        ((0.13, 0.13, 0.01), "undecided", "is 9.00 %, and its 95 % interval of the mean, 0 to 26.2 %, is not all out"),
        ((0.125, 0.13, 0.135), "undecided", "is 13.0 %, and its 95 % interval of the mean, 11.8 to 14.2 %, is not all"),
        ((0.20, 0.20, 0.21), "not reproduced", "is 20.3 %, not within 8 to 12 %"),
        (
            (0.09, 0.10, 0.11),
            "undecided",
            "is 10.0 %, and its 95 % interval of the mean, 7.52 to 12.5 %, is not all wi",
        ),
        ((0.098, 0.10, 0.102), "reproduced", "is 10.0 %, within 8 to 12 %"),
        ((0.099, 0.101), "undecided", "is 10.0 % in 2 seeds: chance plays, and 3 seeds are the fewest that tell"),
        ((0.5, 0.6), "undecided", "is 55.0 % in 2 seeds: chance plays"),
        ((0.1, 0.1), "reproduced", "is 10.0 %, within 8 to 12 %"),
        ((0.1, None), "undecided", "is 10.0 % in 2 seeds: chance plays"),
        ((None, None), "not reproduced", "does not exist in 2 of 2 seeds"),
    ],
    ids=str,
)
def test_an_interval_across_a_bound_or_too_few_seeds_decide_nothing(
    values: tuple[float | None, ...], word: str, reason: str
) -> None:
    ruling = verdict(*values, metric="abs(seed_value)")
    assert (ruling.verdict, ruling.reason[: len(reason) + 3]) == (word, f"it {reason}")


def test_an_ordering_that_a_third_of_the_seeds_lack_fails_however_sure_the_mean_is() -> None:
    ruling = verdict(*[0.115] * 13, *[0.121] * 7, kind="Q")
    assert ruling.verdict == "not reproduced"
    assert ruling.reason == "it is 11.7 % on average, but not within 8 to 12 % in 7 of 20 seeds"


def test_one_seed_decides_nothing() -> None:
    (claim,) = claims_of([row()], VOCABULARY)
    VALUES[0] = 0.1
    evidence = Evidence(engine="sim", trials={("sweep", "bbr"): (SeedSweep(0, ()),)})
    assert judge(claim, evidence, "bbr").reason.startswith("it is 10.0 % in 1 seed: chance plays")


def test_what_fails_outright_fails_whatever_else_is_undecided() -> None:
    checks = [{"label": "open", "least": 9.9}, {"label": "broken", "most": 5}]
    ruling = verdict(0.09, 0.10, 0.11, checks=checks)
    assert (ruling.verdict, ruling.label) == ("not reproduced", "broken")
    assert [check.word for check in ruling.checks] == ["undecided", "no"]
    other = verdict(0.09, 0.10, 0.11, checks=[checks[0], {"label": "kept", "most": 20}])
    assert (other.verdict, other.label) == ("undecided", "open")
    assert other.reason.endswith("is not all within at least 9.9 %. Undecided: 1 of 2 checks")


def test_what_is_known_of_the_cause_stands_after_what_failed() -> None:
    why = {"sim": {"bbr": "The moon."}}
    assert verdict(0.2, why=why).reason == "it is 20.0 %, not within 8 to 12 %. The moon."
    assert verdict(0.1, why=why).reason == "it is 10.0 %, within 8 to 12 %"


def test_a_cause_is_an_engines_own_its_familys_or_anyones() -> None:
    why = {"linux": {"bbr": "A."}, "linux:6.12": {"bbr": "B."}, "any": {"bbr": "C.", "bbr_4_17": "D."}}
    (claim,) = claims_of([row(why=why)], VOCABULARY)
    assert [claim.cause(engine, "bbr") for engine in ("linux", "linux:6.12", "linux:6.6", "sim")] == [
        "A.",
        "B.",
        "A.",
        "C.",
    ]
    assert claim.cause("linux", "bbr_4_17") == "D."
    assert claim.cause("linux", "reno") == ""


@pytest.mark.parametrize(("holding", "word"), [(2, "not reproduced"), (3, "reproduced")])
def test_a_check_may_have_a_share_of_the_seeds_of_its_own(holding: int, word: str) -> None:
    checks = [{"label": "it", "least": 8, "most": 12, "in_seeds": 0.6}]
    ruling = verdict(*[0.1] * holding, *[None] * (5 - holding), checks=checks)
    assert ruling.verdict == word
    far = verdict(*[0.1] * 3, *[0.9] * 2, checks=checks)
    assert far.verdict == "reproduced"  # each seed tells for itself
    assert far.reason == "it is 10.0 % in the median over seeds, within 8 to 12 %; the mean, 42.0 %, is not"


def test_the_worst_check_decides() -> None:
    checks = [{"label": "a", "most": 12}, {"label": "b", "most": 5}, {"label": "c", "least": 9.5}]
    ruling = verdict(0.1, checks=checks)
    assert (ruling.verdict, ruling.label) == ("not reproduced", "b")
    assert ruling.reason == "b is 10.0 %, not at most 5 %. Failing: 1 of 3 checks"
    assert verdict(0.1, checks=[checks[0], checks[2]]).label == "c"


def test_a_phenomenon_that_is_not_there_is_not_reproduced() -> None:
    ruling = verdict(None, None, 0.1)
    assert (ruling.verdict, ruling.checks[0].without) == ("not reproduced", 2)
    assert verdict(None, None, None).reason == "it does not exist in 3 of 3 seeds"
    assert verdict(0.1, 0.1, None).reason == "it is 10.0 %, within 8 to 12 %; it does not exist in 1 of 3 seeds"


@pytest.mark.parametrize("bounds", [{"least": 2}, {"most": 20}, {"least": 2, "most": 20}], ids=str)
@pytest.mark.parametrize("none", [None, float("nan")], ids=str)
def test_nothing_keeps_no_bounds(bounds: dict[str, float], none: float | None) -> None:
    checks = [{"label": "it", **bounds}]
    ruling = verdict(none, none, none, checks=checks)
    assert (ruling.verdict, ruling.value, ruling.checks[0].median) == ("not reproduced", None, None)
    assert ruling.reason == "it does not exist in 3 of 3 seeds"
    assert verdict(0.1, none, none, checks=checks).verdict == "not reproduced"
    assert verdict(0.1, 0.1, none, checks=checks).verdict == "reproduced"


def test_a_seed_without_a_number_is_on_the_worse_side_of_the_median() -> None:
    least, most = ([{"label": "it", **bound}] for bound in ({"least": 8}, {"most": 12}))
    low, high = verdict(0.10, 0.07, None, checks=least), verdict(0.10, 0.13, None, checks=most)
    assert [each.checks[0].holds for each in (low, high)] == [False, False]
    assert [each.checks[0].median for each in (low, high)] == pytest.approx([7, 13])


def test_a_number_that_the_engine_does_not_measure_is_not_testable(evidence: Callable[..., Evidence]) -> None:
    made = evidence()
    claim = row(
        experiment="figure7",
        metric="bottleneck.queue_p95_bytes",
        unit="",
        checks=[{"label": "queue", "at": {"path.buffer": "8 bdp"}, "most": 2}],
    )
    (read,) = claims_of([claim], Vocabulary({"figure7": frozenset({"path.buffer"})}))
    ruling = judge(read, made, "bbr")
    assert (ruling.verdict, ruling.value) == ("not testable here", None)
    assert ruling.reason == "the runs do not give queue"


def test_an_engine_that_cannot_is_told_with_the_reason() -> None:
    assert verdict(0.1, engines=["linux"]).reason == "it needs an engine of linux"
    assert verdict(0.1, engines=["linux", "sim"]).verdict == "reproduced"
    assert verdict(0.1, engine="linux:6.12", engines=["linux"]).verdict == "reproduced"
    ruling = verdict(0.1, untestable="engine sim cannot honour path.loss: no")
    assert (ruling.verdict, ruling.reason) == ("not testable here", "sweep: engine sim cannot honour path.loss: no")
    assert verdict().reason == "sweep has no runs with bbr"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"metric": "loss_at_noon"}, 'claim X1: checks[0].metric: no result has "loss_at_noon"'),
        ({"metric": "imported"}, 'claim X1: checks[0].metric: no result has "imported"'),
        (
            {"metric": "bottleneck.loss_rate.mean"},
            'claim X1: checks[0].metric: no result has "bottleneck.loss_rate.mean"',
        ),
        ({"metric": "engine.name"}, 'claim X1: checks[0].metric: no result has "engine.name"'),
        ({"experiment": "figure99"}, 'claim X1: checks[0].experiment: there is no experiment "figure99"; known: sweep'),
        ({"unit": "mbps"}, 'claim X1: checks[0].unit: unknown unit "mbps"; known: %, Mbit/s'),
        ({"kind": "Z"}, "claim X1: kind: Input should be 'N', 'Q' or 'M'"),
        ({"flag": "MAYBE"}, "claim X1: flag: Input should be 'OK', 'SENS', 'ART' or 'CONTRA'"),
        ({"checks": []}, "claim X1: there is nothing to check"),
        ({"untestable": "no satellite"}, "claim X1: untestable, and has checks"),
        ({"checks": [{"label": "it"}]}, "claim X1: checks[0]: it has neither least nor most"),
        (
            {"checks": [{"label": "it", "most": 3, "in_seeds": 0.4}]},
            "claim X1: checks[0].in_seeds: Input should be greater",
        ),
        ({"checks": [{"most": 3}]}, "claim X1: checks[0].label: Field required"),
        (
            {"checks": [{"label": "it", "least": 3, "most": 2}]},
            "claim X1: checks[0]: it can be neither: least is 3, mo",
        ),
        ({"checks": [{"label": "it", "least": float("nan")}]}, "claim X1: checks[0].least: Input should be a finite"),
        ({"at": {"path.bufer": "1 bdp"}}, 'claim X1: checks[0].at: sweep does not sweep "path.bufer"; did you mean'),
        ({"metric": "beside.1.jain", "beside": ["sweep"]}, "claim X1: checks[0]: beside.1.jain: needs 2 experiments"),
        (
            {"spread": "width(1.0)"},
            "claim X1: checks[0]: it: a spread is of all seeds together, and beside a metric tha",
        ),
        ({"metric": "mean_of_all", "spread": "seed_value"}, "claim X1: checks[0]: it: a spread is of all seeds togeth"),
        ({"metric": "mean_of_all", "in_seeds": 0.8}, "claim X1: checks[0]: it: in_seeds says nothing of one number of"),
        ({"engines": ["simm"]}, 'claim X1: engines[0]: there is no engine "simm"; did you mean "sim"?'),
        ({"why": {"simm": {"bbr": "A."}}}, 'claim X1: why.simm.[key]: there is no engine "simm"'),
        ({"why": {"any": {"bbr3": "A."}}}, 'claim X1: why.any.bbr3.[key]: there is no version "bbr3"'),
        (
            {"checks": [{"label": "it", "mots": 3, "most": 3}], "engine": "sim"},
            "claim X1: checks[0].mots: Extra inputs are not permitted\nclaim X1: engine: Extra inputs are",
        ),
    ],
    ids=str,
)
def test_a_row_that_makes_no_sense(fields: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError) as caught:
        claims_of([row(**fields)], VOCABULARY)
    assert str(caught.value).startswith(message)


def test_claims_of_one_name() -> None:
    with pytest.raises(StudyError, match=r"^claims: more than one is called X1$"):
        claims_of([row(), row(), row(id="X2")], VOCABULARY)


def test_what_the_runs_do_not_have_is_told_with_the_check() -> None:
    (claim,) = claims_of([row(metric="flows.9.goodput_bps")], VOCABULARY)
    trial = SeedSweep(1, (observed({}, {"bbr": [1]}, (0, 1)),))
    with pytest.raises(
        StudyError, match=r'^claim X1, check "it": flows\.9\.goodput_bps: the run has no "9"; it has 0$'
    ):
        judge(claim, Evidence(engine="sim", trials={("sweep", "bbr"): (trial,)}), "bbr")


def test_a_group_of_a_result_may_have_any_name() -> None:
    claims_of([row(metric="groups.cubic.share")], VOCABULARY)


def test_a_point_that_no_run_has(evidence: Callable[..., Evidence]) -> None:
    (trial, *_) = evidence().of("figure7", "bbr")
    with pytest.raises(StudyError, match=r"path\.buffer = 3 bdp: 0 runs of the experiment are there, not one"):
        trial.at({"path.buffer": "3 bdp"})
    assert isinstance(trial.at({"path.buffer": "2 bdp"}), RunData)
    with pytest.raises(StudyError, match="9 runs"):
        _ = trial.only


def test_a_value_is_told_apart_from_the_bound_that_it_breaks() -> None:
    ruling = verdict(0.120004)
    assert ruling.reason == "it is 12.0004 %, not within 8 to 12 %"
    assert ruling.measured == "12.0004 %"


def test_a_claim_of_which_no_check_binds_is_weak() -> None:
    weak = {"label": "it", "least": 8, "most": 12, "weak": "it is a constant"}
    ruling = verdict(0.1, checks=[weak])
    assert (ruling.binding, ruling.why_weak, ruling.checks[0].weak) == ("weak", "it is a constant", "it is a constant")
    half = verdict(0.1, checks=[weak, {"label": "that", "least": 2}])
    assert (half.binding, half.why_weak, half.label) == ("yes", "", "that")
    assert verdict(0.2, checks=[weak, {"label": "that", "least": 2}]).label == "it"


@pytest.mark.parametrize(("spread", "word"), [(1.9, "reproduced"), (2.1, "undecided")])
def test_all_of_a_spread_must_keep_the_bounds(spread: float, word: str) -> None:
    ruling = verdict(0.05, 0.10, 0.15, metric="mean_of_all", spread=f"width({spread})")
    assert ruling.verdict == word
    (check,) = ruling.checks
    assert check.together
    assert check.value == pytest.approx(10)
    assert (check.n, check.seeds) == (3, 3)
    assert check.low == pytest.approx(10 - spread)
    assert check.high == pytest.approx(10 + spread)
    assert check.holding == (3 if word == "reproduced" else 0)
    if word == "undecided":
        assert ruling.reason == "it is 10.0 %, and its spread, 7.90 to 12.1 %, is not all outside of 8 to 12 %"


def test_one_number_of_all_seeds_may_have_no_spread() -> None:
    ruling = verdict(0.05, 0.10, 0.15, metric="mean_of_all")
    assert (ruling.verdict, ruling.low) == ("reproduced", None)
    assert verdict(0.25, metric="mean_of_all").reason == "it is 25.0 %, not within 8 to 12 %"
    nothing = verdict(None, metric="mean_of_all")
    assert nothing.verdict == "not reproduced"
    assert nothing.reason == "it does not exist in 3 of 3 seeds"
