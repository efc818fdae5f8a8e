from __future__ import annotations

from agreed import measured, result
from dumbbell.comparison import agreement_text as words
from dumbbell.comparison.agreement import compare_condition, judge
from dumbbell.comparison.record import Side, Source

SIDE = Side(engine="hand", identity="0", seeds=(1,), measured_on={})


def test_a_row_has_what_its_head_says_also_without_data() -> None:
    own, theirs = [result({"bbr": 51.0}, loss=None, delay_s=None)], [result({"bbr": 50.0}, loss=None, delay_s=None)]
    found = judge([compare_condition(measured(own, theirs))], Source(spec="hand"), SIDE, SIDE, ())
    header, rows = words.bands_table(found)
    assert {len(row) for row in rows} == {len(header)}
    assert rows[1] == ["total goodput (%)", "1", "2.00", "1", "2.00", "3", "-", "-", "+2.00", "broken"]
    assert rows[4] == ["queueing delay (points)", "0", "-", "5", "-", "15", "-", "-", "-", "no data"]
    assert rows[5][3] == "at least 95"


def test_one_condition_is_one_condition() -> None:
    condition = compare_condition(measured([result({"bbr": 50.0})], [result({"bbr": 50.0})]))
    random = Source(random=1, seed=4, duration="60 s")
    assert words.origin(judge([condition], random, SIDE, SIDE, ())).startswith("1 random condition of seed 4, 60 s")
    told = words.origin(judge([condition] * 2, Source(spec="two-flows"), SIDE, SIDE, (2, 3)))
    assert told == "2 conditions of two-flows; 1 seed an engine, 2 more of hand for its noise"


def test_a_setting_is_one_line() -> None:
    condition = compare_condition(measured([result({"bbr": 50.0})], [result({"bbr": 50.0})]))
    assert words.setting(condition) == "100 Mbit/s, 20 ms, 1 BDP: 1 bbr"
