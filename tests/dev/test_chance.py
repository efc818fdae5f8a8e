"""Controls: the candidate under other random streams, and the test that tells an engine with an error from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dev.chance import control_worse, of_control, with_controls, worse
from dev.curves.record import Case, Curves, LimitVerdict
from dumbbell.comparison.agreement import verdicts
from dumbbell.comparison.record import (
    Agreement,
    Condition,
    Difference,
    Group,
    Side,
    Source,
    Winner,
)

SIDE = Side(engine="hand", identity="0" * 64, seeds=(1,), measured_on={})
COUNT = 40
LEVEL = 5e-4
"""About what a test has where a hundred share 5 %."""


def condition(name: str, errors: Sequence[float | None], won: str = "bbr") -> Condition:
    """With the goodput of two groups off by these shares."""
    differences = tuple(
        Difference(
            metric="group_goodput", group=group, candidate=0, reference=0, floor=None, excused=0.1, scale=10.0,
            difference=error, half_width=None, error=max(0.0, abs(error) - 0.01), floor_error=None, limits=None,
        )
        for group, error in zip(("bbr", "cubic"), errors, strict=True)
        if error is not None
    )  # fmt: skip
    return Condition(
        name=name, rate_bps=1, rtt_s=0.1, buffer_bdp=1, failures=(), point={}, buffer_bytes=1, loss=0,
        groups=tuple(Group(name=each, cc=each, flows=1) for each in ("bbr", "cubic")), candidate=(), reference=(),
        floor=(), differences=differences, winner=Winner(reference="bbr", candidate=won, floor=None),
    )  # fmt: skip


def agreement(errors: Sequence[Sequence[float | None]], won: str = "bbr") -> Agreement:
    return Agreement(
        versions={}, candidate=SIDE, reference=SIDE, floor_seeds=(), holds=True, source=Source(), bands=(), worst=(),
        conditions=tuple(condition(str(index), each, won) for index, each in enumerate(errors)),
    )  # fmt: skip


def drawn(seed: int, scale: float = 0.02) -> list[list[float | None]]:
    """Errors of an engine that is right but for chance, in conditions whose sizes differ a hundredfold."""
    generator = np.random.default_rng(seed)
    sizes = scale * np.logspace(-2, 0, COUNT)
    return [list(map(float, size * generator.standard_normal(2))) for size in sizes]


@pytest.fixture(scope="module")
def known() -> Agreement:
    comparison = with_controls(agreement(drawn(0)), {100 * seed: agreement(drawn(seed)) for seed in range(1, 11)})
    assert isinstance(comparison, Agreement)
    return comparison


def test_what_each_control_came_to_stands_beside_the_difference(known: Agreement) -> None:
    assert known.controls == tuple(range(100, 1001, 100))
    assert known.conditions[3].differences[1].controls[6] == pytest.approx(drawn(7)[3][1], rel=1e-5)
    (first, *_) = of_control(known.conditions, 6)
    again = agreement(drawn(7)).conditions[0]
    assert [each.difference for each in first.differences] == [each.difference for each in again.differences]
    ours, theirs = (
        verdicts(each)[0].measured for each in (of_control(known.conditions, 6), agreement(drawn(7)).conditions)
    )
    assert ours.p90 == pytest.approx(theirs.p90, rel=1e-4)


def test_what_is_as_far_off_as_the_controls_is_not_noticed(known: Agreement) -> None:
    probabilities = [worse(known, agreement(drawn(seed)))["group_goodput"] for seed in range(20, 60)]
    assert min(probabilities) > LEVEL
    assert 0.3 < float(np.mean(probabilities)) < 0.7, "probabilities of what chance makes are even"


def test_what_is_half_as_far_again_in_every_condition_is_noticed(known: Agreement) -> None:
    assert worse(known, agreement(drawn(20, 0.04)))["group_goodput"] < LEVEL


def test_what_is_far_off_in_some_conditions_is_noticed_however_small_they_are(known: Agreement) -> None:
    errors = drawn(20)
    for each in errors[:8]:
        each[0] = 10 * abs(each[0] or 0.0) + 1e-3
    assert worse(known, agreement(errors))["group_goodput"] < LEVEL


def test_what_is_nearer_than_chance_is_no_error(known: Agreement) -> None:
    assert worse(known, agreement(drawn(20, 0.002)))["group_goodput"] > 0.99


def test_what_has_no_such_number_is_off_by_the_whole(known: Agreement) -> None:
    none: list[list[float | None]] = [[None, None] for _ in range(COUNT)]
    assert worse(known, agreement(none))["group_goodput"] < LEVEL


def test_the_wrong_winner_is_noticed_where_no_control_has_it(known: Agreement) -> None:
    assert worse(known, agreement(drawn(20), won="cubic"))["winner"] < LEVEL
    assert "winner" not in worse(known, agreement(drawn(20))), "nothing differs"


def test_a_control_that_is_worse_than_the_others_is_a_false_alarm() -> None:
    controls = {100 * seed: agreement(drawn(seed, 0.06 if seed == 4 else 0.02)) for seed in range(1, 11)}
    known = with_controls(agreement(drawn(0)), controls)
    noticed = [control_worse(known, index)["group_goodput"] < LEVEL for index in range(10)]
    assert noticed == [index == 3 for index in range(10)]


def test_curves_are_one_test_of_all_quantities() -> None:
    def curves(errors: Sequence[float | None]) -> Curves:
        def limit(label: str, error: float | None) -> LimitVerdict:
            return LimitVerdict(
                key="k", label=label, unit="", of="reference", limit=0.05, reference=1, candidate=1, floor=1,
                difference=error, noise=None, holds=True,
            )  # fmt: skip

        cases = tuple(
            Case(
                name=str(index), rate_bps=1, rtt_s=0.1, buffer_bdp=1, failures=(), cc="reno", epochs={}, curves=(),
                comparisons=(limit("a", error), limit("b", error)),
            )
            for index, error in enumerate(errors)
        )  # fmt: skip
        return Curves(versions={}, candidate=SIDE, reference=SIDE, floor_seeds=(), holds=True, sets=(), cases=cases)

    shares = np.random.default_rng(1).normal(0, 0.01, (12, 10))
    known = with_controls(curves(shares[0]), {100 * at: curves(shares[at]) for at in range(1, 11)})
    assert isinstance(known, Curves)
    assert known.cases[2].comparisons[1].controls[4] == pytest.approx(shares[5][2], rel=1e-5)
    assert worse(known, curves(shares[11]))["curves"] > LEVEL
    assert worse(known, curves([0.1] * 10))["curves"] < LEVEL
    assert worse(known, curves([None] * 10))["curves"] < LEVEL


def test_a_control_takes_the_test_that_any_engine_takes(known: Agreement) -> None:
    others = with_controls(
        agreement(drawn(0)), {100 * seed: agreement(drawn(seed)) for seed in range(1, 11) if seed != 5}
    )
    assert control_worse(known, 4) == worse(others, agreement(drawn(5)))
