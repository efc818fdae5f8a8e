"""Which runs are held against which, and what is said of the others. Every run is a real one of the simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agreed import Scaled, moment
from compared import compare_stores, overall_of, reasons, rows, store_of
from dumbbell.comparison.differences_text import notices
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ComparisonError, StoreError, StoreFailure
from dumbbell.results.campaign import begin
from dumbbell.results.store import Store
from ledgers import execute

FOUR = ["0.5 bdp", "1 bdp", "2 bdp", "4 bdp"]


def refused(a: Path | str, b: Path | str) -> str:
    with pytest.raises(ComparisonError) as error:
        compare_stores(a, b)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_store_and_itself_do_not_differ(tmp_path: Path) -> None:
    store = store_of(tmp_path / "s")
    comparison = compare_stores(store, store)
    assert (len(comparison.pairs), len(comparison.points), reasons(comparison)) == (4, 2, {})
    assert comparison.count > 20
    assert {each.difference for each in comparison.rows()} == {0.0}
    assert {each.outcome for each in comparison.rows()} == {"same"}
    assert {each.outcome for each in comparison.overall} == {"same"}
    assert (comparison.marked, comparison.intervals, comparison.worse) == (0, 0, [])


def test_each_run_meets_the_one_of_its_point_and_seed(tmp_path: Path) -> None:
    a, b = store_of(tmp_path / "a"), store_of(tmp_path / "b", Scaled(0.5))
    comparison = compare_stores(a, b)
    pairs = zip(comparison.pairs.table["run_a"], comparison.pairs.table["run_b"], strict=True)
    for ours, theirs in pairs:
        assert comparison.pairs.a.of(ours, "seed") == comparison.pairs.b.of(theirs, "seed")
        assert comparison.pairs.a.point_of(ours).swept == comparison.pairs.b.point_of(theirs).swept
    with Store.open(a) as first, Store.open(b) as second:
        frames = [store.groups().set_index(["path.buffer", "seed", "name"])["goodput_bps"] for store in (first, second)]
    for group in ("bbr", "cubic"):
        for row in rows(comparison, "goodput", group):
            point = comparison.points[row.point].swept["path.buffer"]
            expected = [(frames[1] - frames[0])[point, seed, group] for seed in (1, 2)]
            assert row.difference == pytest.approx(sum(expected) / 2)
            assert row.count == 2
            assert row.relative == pytest.approx(-0.5, abs=1e-3)


def test_what_is_kept_of_a_run_does_not_part_it_from_another(tmp_path: Path) -> None:
    a, b = store_of(tmp_path / "a"), store_of(tmp_path / "b", measure__record="series")
    assert len(compare_stores(a, b).pairs) == 4


def test_half_of_the_points_and_seeds_are_told_apart(tmp_path: Path) -> None:
    a = store_of(tmp_path / "a", path__buffer=FOUR[:3], seeds=[1, 2])
    b = store_of(tmp_path / "b", path__buffer=FOUR[1:], seeds=[2, 3])
    comparison = compare_stores(a, b)
    assert (len(comparison.pairs), [place.swept["path.buffer"] for place in comparison.points]) == (2, FOUR[1:3])
    assert reasons(comparison) == {
        ("A", "B has no such point"): 2, ("A", "B has not this seed"): 2,
        ("B", "A has no such point"): 2, ("B", "A has not this seed"): 2,
    }  # fmt: skip
    assert {each.example for each in comparison.pairs.unpaired} >= {"moment, path.buffer = 0.5 bdp, seed 1"}


def test_a_point_that_was_asked_otherwise_is_told_with_what_differs(tmp_path: Path) -> None:
    a = store_of(tmp_path / "a", path__buffer=["1 bdp", "100 kB"])
    b = store_of(tmp_path / "b", path__buffer=["1 bdp", "100 kB"], path__rtt="30 ms")
    assert "path.buffer.bytes 50000 and 75000" in refused(a, b)
    store_of(b, name="other", path__buffer=["1 bdp"])
    comparison = compare_stores(a, b)
    assert len(comparison.pairs) == 2
    assert reasons(comparison) == {
        ("A", "B asks for something else there"): 2, ("B", "A asks for something else there"): 4,
    }  # fmt: skip
    (example, _) = (each.example for each in comparison.pairs.unpaired)
    assert example.startswith("moment, path.buffer = 100 kB, seed 1: flows[0].return_delay_ns 20000000 and 30000000")


def test_nothing_pairs(tmp_path: Path) -> None:
    a = store_of(tmp_path / "a")
    assert "duration_ns 2000000000 and 1000000000" in refused(a, store_of(tmp_path / "b", duration="1 s"))
    message = refused(a, store_of(tmp_path / "c", seeds=[7]))
    assert message.startswith("4 runs of A, 2 of B, and no run of A has a matching run in B; moment, ")
    assert "seed 1 and 7" in message
    assert "start_ns" not in message
    message = refused(a, store_of(tmp_path / "d", **{"flows[0].cc": "reno"}))
    assert 'flows[0].cc.algorithm "bbr" and "reno"' in message
    assert "say which: STORE@cc=bbr STORE@cc=cubic" in message


def test_engines_are_paired_with_themselves_unless_each_side_has_one(tmp_path: Path) -> None:
    both = store_of(store_of(tmp_path / "both"), Scaled(0.5))
    one = store_of(tmp_path / "one")
    comparison = compare_stores(both, one)
    assert (len(comparison.pairs), {place.engine for place in comparison.points}) == (4, {"sim"})
    assert reasons(comparison) == {("A", "B has no experiment of this name on this engine"): 4}
    comparison = compare_stores(f"{both}@engine=sim", "@engine=double")
    assert len(comparison.pairs) == 4
    assert overall_of(comparison, "total_goodput").relative == pytest.approx(-0.5, abs=1e-3)
    assert len(compare_stores(both, both).pairs) == 8


def test_an_earlier_build_is_found_by_its_identity(tmp_path: Path) -> None:
    store = store_of(store_of(tmp_path / "s", Scaled(1.0)), Scaled(0.5))
    assert overall_of(compare_stores(store, f"{store}@identity=double 1"), "total_goodput").difference > 0
    assert (
        overall_of(compare_stores(f"{store}@identity=double 1", "@identity=double 0.5"), "total_goodput").difference < 0
    )


def test_one_algorithm_in_the_place_of_another(tmp_path: Path) -> None:
    """Names, and the jitter that they draw, follow the algorithm: the pairs are found all the same."""
    store = store_of(tmp_path / "s", **{"flows[0].cc": ["bbr", "cubic"], "start_jitter": "50 ms"})
    for a, b in (("cc=bbr", "cc=cubic"), ("flows[0].cc=bbr", "flows[0].cc=cubic")):
        comparison = compare_stores(f"{store}@{a}", f"@{b}")
        assert (len(comparison.pairs), len(comparison.points)) == (4, 2)
        assert [dict(place.swept) for place in comparison.points] == [
            {"path.buffer": "0.5 bdp"},
            {"path.buffer": "2 bdp"},
        ]
        assert {each.group for each in comparison.overall} == {None, "bbr → cubic", "cubic"}
        shallow = rows(comparison, "retransmits", "bbr → cubic")[0]
        assert shallow.difference < -0.03  # BBR loses in a queue of half a BDP
        assert shallow.verdict == "better"
    assert len(compare_stores(f"{store}@flows[0].cc=bbr", "@flows[0].cc=bbr").pairs) == 4
    assert "@cc=bbrr: no run has cc = bbrr; did you mean" in refused(store, f"{store}@cc=bbrr")


def test_the_start_jitter_counts_where_names_draw_it(tmp_path: Path) -> None:
    a, b = (
        store_of(tmp_path / name, path__buffer="1 bdp", start_jitter=jitter)
        for name, jitter in (("a", "0 s"), ("b", "50 ms"))
    )
    cubic = store_of(tmp_path / "c", path__buffer="1 bdp", start_jitter="50 ms", **{"flows[0].cc": "cubic"})
    assert len(compare_stores(f"{a}@cc=bbr", f"{cubic}@cc=cubic").pairs) == 2
    assert "flows[0].start_jitter_ns 0 and 50000000" in refused(a, b)


def test_two_groups_each_have_another_algorithm_in_their_place(tmp_path: Path) -> None:
    a = store_of(tmp_path / "a", **{"flows[1].cc": "bbr"})
    b = store_of(tmp_path / "b", **{"flows[0].cc": "cubic", "flows[1].cc": "reno"})
    comparison = compare_stores(f"{a}@flows[0].cc=bbr,flows[1].cc=bbr", f"{b}@flows[0].cc=cubic,flows[1].cc=reno")
    assert (len(comparison.pairs), reasons(comparison)) == (4, {})
    assert {each.group for each in comparison.overall} == {None, "bbr → cubic", "bbr-2 → reno"}


def test_flows_in_one_group_and_the_same_in_two(tmp_path: Path) -> None:
    one = store_of(tmp_path / "one", flows=[{"cc": "bbr", "count": 2}])
    two = store_of(tmp_path / "two", flows=[{"cc": "cubic"}, {"cc": "cubic"}])
    assert refused(f"{one}@cc=bbr", f"{two}@cc=cubic") == (
        "4 runs of A, 4 of B, and matching runs group their flows differently;"
        " moment, path.buffer = 0.5 bdp, seed 1: bbr in A, cubic and cubic-2 in B"
    )


@pytest.mark.slow
def test_what_differs_besides_the_algorithm_is_told_without_it(tmp_path: Path) -> None:
    a = store_of(tmp_path / "a", path__buffer=["1 bdp"], seeds=[1])
    b = store_of(tmp_path / "b", path__buffer=["1 bdp"], seeds=[1], duration="1 s", **{"flows[0].cc": "reno"})
    message = refused(f"{a}@cc=bbr", f"{b}@cc=reno")
    assert message.startswith("1 run of A, 1 of B, and no run of A has a matching run in B; ")
    assert "duration_ns 2000000000 and 1000000000" in message
    assert ".cc." not in message
    c = store_of(tmp_path / "c", path__buffer=["1 bdp"], seeds=[1], **{"flows[0].cc": "reno", "flows[1].cc": "reno"})
    message = refused(f"{a}@flows[0].cc=bbr", f"{c}@flows[0].cc=reno")
    assert 'flows[1].cc.algorithm "cubic" and "reno"' in message
    assert "say which" not in message
    other = store_of(tmp_path / "d", path__buffer=["1 bdp", "100 kB"], path__rtt="30 ms", **{"flows[0].cc": "reno"})
    store_of(other, name="more", path__buffer=["1 bdp"], **{"flows[0].cc": "reno"})
    first = store_of(tmp_path / "e", path__buffer=["1 bdp", "100 kB"])
    (example, *_) = (each.example for each in compare_stores(f"{first}@cc=bbr", f"{other}@cc=reno").pairs.unpaired)
    assert example.startswith("moment, path.buffer = 100 kB, seed 1: flows[0].return_delay_ns 20000000 and 30000000")


def test_algorithms_of_two_specs_in_two_stores(tmp_path: Path) -> None:
    a, b = store_of(tmp_path / "a"), store_of(tmp_path / "b", name="mine", **{"flows[0].cc": "bbr[cwnd_gain=1.5]"})
    comparison = compare_stores(f"{a}@cc=bbr", f"{b}@cc=bbr[cwnd_gain=1.5]")
    assert len(comparison.pairs) == 4
    assert overall_of(comparison, "retransmits", "bbr").difference < 0


@pytest.mark.slow
def test_runs_that_failed_are_told_and_not_compared(tmp_path: Path) -> None:
    a, b = store_of(tmp_path / "a"), store_of(tmp_path / "b", Scaled(failing=(2,)))
    comparison = compare_stores(a, b)
    assert (len(comparison.pairs), comparison.pairs.failed_in_b) == (2, 2)
    assert reasons(comparison) == {("A", "its partner failed"): 2, ("B", "failed"): 2}
    assert comparison.pairs.unpaired[-1].example == "moment, path.buffer = 0.5 bdp, seed 2: a bug"
    assert compare_stores(b, a).pairs.failed_in_b == 0
    none = store_of(
        tmp_path / "none", Scaled(failing=(1, 2)), path__buffer="0.5 bdp"
    )  # of four the engine would be given up
    assert "2 runs of B failed" in refused(a, none)


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ("enginee=sim", 'unknown "enginee"; did you mean "engine"?'),
        ("engine=linux", 'has no run of engine "linux"; known: sim'),
        ("experiment=momnt", 'did you mean "moment"?'),
        ("path.buffer=1 bdp", "no run has path.buffer = 1 bdp; did you mean"),
        ("path.rtt=20 ms", 'unknown "path.rtt"'),
        ("flows[7].cc=bbr", "no run is so"),
        ("identity=zz", "no run is so"),
    ],
)
def test_a_selection_of_nothing(selection: str, message: str, tmp_path: Path) -> None:
    assert message in refused(store_of(tmp_path / "s"), f"@{selection}")


def test_a_swept_field_selects(tmp_path: Path) -> None:
    store = store_of(tmp_path / "s")
    comparison = compare_stores(store, f"{store}@path.buffer=2 bdp")
    assert [place.swept["path.buffer"] for place in comparison.points] == ["2 bdp"]


def test_a_run_in_two_experiments_counts_once(tmp_path: Path) -> None:
    store = store_of(store_of(tmp_path / "s"), name="again", path__buffer=["2 bdp"])
    comparison = compare_stores(store, store)
    assert (len(comparison.pairs), reasons(comparison)) == (4, {})


def test_the_latest_of_two_builds_counts(tmp_path: Path) -> None:
    store = store_of(store_of(tmp_path / "s", Scaled(1.0)), Scaled(0.5), name="again")
    comparison = compare_stores(store, f"{store}@identity=double 0.5")
    assert reasons(comparison) == {("A", "a later run of this side was asked the same"): 4}
    assert {each.difference for each in comparison.rows()} == {0.0}


def test_what_is_no_store(tmp_path: Path) -> None:
    store = store_of(tmp_path / "s")
    with pytest.raises(StoreError, match="no such store"):
        compare_stores(store, tmp_path / "absent")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="is no store"):
        compare_stores(tmp_path / "folder", store)
    Store.open(tmp_path / "empty", write=True).close()
    assert "there is no run in it yet" in refused(tmp_path / "empty", store)


def test_a_store_of_another_schema_or_a_damaged_one(tmp_path: Path) -> None:
    store, other = store_of(tmp_path / "s"), store_of(tmp_path / "t")
    execute(other, "UPDATE schema SET version = 99")
    with pytest.raises(StoreError, match="schema 99"):
        compare_stores(store, other)
    ledger = other / "ledger.sqlite"
    ledger.write_bytes(ledger.read_bytes()[:100] + b"\xff" * 20_000)
    with pytest.raises(StoreFailure, match="is damaged"):
        compare_stores(store, other)


def test_a_campaign_that_has_begun_and_no_run_yet(tmp_path: Path) -> None:
    with Store.open(tmp_path / "begun", write=True) as opened:
        begin(opened.ledger, moment(), "sim", SimEngine().identity(), 1)
    assert refused(store_of(tmp_path / "s"), tmp_path / "begun").endswith("begun: there is no run in it yet")


def test_two_specs_of_one_name_in_one_store_are_both_there_to_compare(tmp_path: Path) -> None:
    store = store_of(tmp_path / "s")
    store_of(tmp_path / "s", **{"flows[0].cc": "bbr[cwnd_gain=1.5]"})
    comparison = compare_stores(f"{store}@cc=bbr", f"{store}@cc=bbr[cwnd_gain=1.5]")
    assert len(comparison.pairs) == 4
    label = "moment [flows[0].cc=bbr[cwnd_gain=1.5]]"
    assert len(compare_stores(f"{store}@experiment={label}", f"{store}@experiment={label}").pairs) == 4
    assert len(compare_stores(str(store), str(store)).pairs) == 8


def noisy(folder: Path, jitter: str | list[str], **settings: Any) -> Path:
    return store_of(folder, path__buffer="1 bdp", path__jitter=jitter, **settings)


def test_specs_that_differ_in_jitter_only_are_pairs_and_it_is_told(tmp_path: Path) -> None:
    a, b = noisy(tmp_path / "a", "none"), noisy(tmp_path / "b", "1 packet")
    comparison = compare_stores(a, b)
    assert (len(comparison.pairs), reasons(comparison), comparison.pairs.jitters) == (2, {}, {(0, 605_600): 2})
    assert "2 pairs with another path.jitter: none in A, 605.6 us in B" in list(notices(comparison))
    assert compare_stores(a, a).pairs.jitters == {}
    swept = noisy(tmp_path / "c", ["none", "1 packet"])
    assert len(compare_stores(f"{swept}@path.jitter=none", "@path.jitter=1 packet").pairs) == 2


def test_the_jitter_counts_where_a_side_has_several(tmp_path: Path) -> None:
    swept = noisy(tmp_path / "a", ["none", "50 us", "1 packet"])
    comparison = compare_stores(swept, swept)
    assert (len(comparison.pairs), reasons(comparison), comparison.pairs.jitters) == (6, {}, {})
    one = noisy(tmp_path / "b", "50 us")
    comparison = compare_stores(swept, one)
    assert (len(comparison.pairs), comparison.pairs.jitters) == (2, {})
    assert sum(reasons(comparison).values()) == 4
    assert "path.jitter_ns" in refused(swept, noisy(tmp_path / "c", "2 packets"))


@pytest.mark.slow
def test_base_rtts_that_names_draw_part_no_runs(tmp_path: Path) -> None:
    """Each flow of each seed has an RTT of its own, on whichever side the delay is."""
    cc = {"flows[0].cc": ["bbr", "cubic"]}
    for side in ("return", "forward", "split"):
        store = store_of(tmp_path / side, path__buffer="1 bdp", rtt_spread="3 ms", path__delay_side=side, **cc)
        assert len(compare_stores(f"{store}@flows[0].cc=bbr", "@flows[0].cc=cubic").pairs) == 2
    a, b = store_of(tmp_path / "a", rtt_spread="3 ms"), store_of(tmp_path / "b")
    assert len(compare_stores(a, a).pairs) == 4
    assert "flows[0].rtt_spread_ns 3000000 and 0" in refused(a, b)
