"""How far the simulator is from the kernel and from hosts: of made-up conditions, and of what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agreed import condition_of, result
from commandline import ROOT
from dev.strata.deviations import LEAST_DEVIATION, deviations_of, hosts_deviation, model_deviation, store_deviations
from dev.validation.hosts import HostsRecord
from dev.validation.page import HOSTS_PART
from dev.validation.plan import load_plan
from dev.validation.records import recorded_of
from dumbbell.comparison.record import Agreement, Condition
from dumbbell.comparison.strata import GOODPUT, HOSTS, RESENDS, stored_deviations

QUANTILE = 2.776
"""Of Student's t with 4 degrees of freedom."""


def conditions(errors: Sequence[float], spread: float = 0.0) -> list[Condition]:
    """Goodput off by each of these shares of 50 Mbit/s; the reference's seeds are `spread` apart."""
    reference = [result({"bbr": 50 * (1 + of * spread)}, seed=seed) for seed, of in enumerate((-1, 0, 1), start=1)]
    return [
        condition_of([result({"bbr": 50 * (1 + error)})] * 3, reference, reference, name=f"hand-{index}")
        for index, error in enumerate(errors)
    ]


def test_it_is_what_intervals_need_beyond_chance() -> None:
    assert model_deviation(conditions([0.1] * 20), "goodput_bps") == pytest.approx(0.1 / QUANTILE, rel=1e-2)
    assert model_deviation(conditions([0.1] * 20, spread=0.5), "goodput_bps") == LEAST_DEVIATION, "chance explains it"
    assert model_deviation(conditions([0.1] + [0.0] * 39), "goodput_bps") == LEAST_DEVIATION, "of 95 %, not of each"
    assert model_deviation([], "goodput_bps") is None


def test_what_advise_widens_by_is_what_the_records_come_to() -> None:
    """After a part is measured anew comes `python -m dev validation --set-deviations`."""
    stored = stored_deviations()
    for part in load_plan().parts:
        record = recorded_of(part, ROOT / "docs")
        if isinstance(record, Agreement) and part.name in stored:
            assert stored[part.name] == deviations_of(record), part.name
        if isinstance(record, HostsRecord) and part.name == HOSTS_PART:
            assert stored[HOSTS] == {GOODPUT: hosts_deviation(record, "sim")}
            shares = record.of("shares")
            assert shares is not None
            within = [abs(each.difference("sim") or 0) < 1.96 * stored[HOSTS][GOODPUT] for each in shares.points]
            assert 0.95 <= sum(within) / len(within) < 0.97
    assert {"plain", "short", "deep", "loss", "many", "transfers", HOSTS} <= stored.keys(), "what advice asks for"
    assert all({GOODPUT, RESENDS} <= of.keys() for name, of in stored.items() if name != HOSTS)


def test_one_is_written_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "deviations.toml"
    path.write_text("# What this is.\n[old]\ngoodput = 1\n", encoding="utf-8")
    store_deviations(path, {"plain": {GOODPUT: 0.25}})
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# What this is.\n\n[")
    assert "[plain]\ngoodput = 0.25\n" in text
    assert "[hosts]\n" in text
