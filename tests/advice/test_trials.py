"""The runs behind an answer: an experiment for each company, seeds until it is decided, a store of the question's."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from threading import Lock

import pytest

from dumbbell.advice import runs
from dumbbell.advice.question import ORDERS, Order, Question, question
from dumbbell.advice.runs import store_for
from dumbbell.advice.trials import (
    FIRST_SEEDS,
    MOST_SEEDS,
    TIME_LIMIT_S,
    Case,
    Trials,
    cases,
    experiment,
    requests_s,
    trials,
)
from dumbbell.campaign.size import packets
from dumbbell.engines.catalogue import catalogue
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure, StoreError
from dumbbell.results.store import Store
from dumbbell.spec import Run, expand, resolve


class Counting(SimEngine):
    """Counts what it measures; some seeds fail."""

    def __init__(self, failing: Collection[int] = ()) -> None:
        self.measured, self.failing, self.lock = list[tuple[str, int]](), failing, Lock()

    def measure(self, run: Run) -> Measurement:
        with self.lock:
            self.measured.append((run.flows[0].algorithm, run.seed))
        if run.seed in self.failing:
            raise EngineFailure("a bug")
        return super().measure(run)


def about(neighbours: str | None = "none", **options: str | None) -> Question:
    path = {"rate": "2mbit", "rtt": "20ms", "buffer": "1bdp", "beside": neighbours, "starts": "together"}
    return replace(question(path | options, catalogue()), run_s=2.0)


def of_bbr(_: Question, tried: Trials) -> list[Case]:
    return [case for case in tried if case.candidate == "bbr"]


def nothing(*_: object) -> list[Case]:
    return []


def test_seeds_are_added_where_it_is_open_until_there_are_most_or_the_budget_is_used(tmp_path: Path) -> None:
    engine = Counting()
    with Store.open(tmp_path / "a", write=True) as store:
        tried = trials(about(), engine, store, budget=1e9, undecided=of_bbr)
        assert {case.candidate: len(each.run_ids) for case, each in tried.items()} == {
            "bbr": MOST_SEEDS, "cubic": FIRST_SEEDS,
        }  # fmt: skip
        assert len(engine.measured) == MOST_SEEDS + FIRST_SEEDS
        again = trials(about(), engine, store, budget=1e9, undecided=of_bbr)
        assert len(engine.measured) == MOST_SEEDS + FIRST_SEEDS, "all was there"
        assert again == tried
        exactly = trials(about(), engine, store, budget=0, undecided=of_bbr, seeds=2)
        assert {len(each.run_ids) for each in exactly.values()} == {2}
    with Store.open(tmp_path / "b", write=True) as store:
        few = trials(about(), engine, store, budget=1, undecided=of_bbr)
        assert {len(each.run_ids) for each in few.values()} == {FIRST_SEEDS}


def test_each_company_is_an_experiment_whose_points_are_its_cases(tmp_path: Path) -> None:
    about_all = about(None, **{"buffer": None, "for": "goodput"})
    engine = Counting()
    with Store.open(tmp_path, write=True) as store:
        tried = trials(about_all, engine, store, budget=0, undecided=nothing, seeds=1)
        names = {each.experiment: store.size(each) for each in store.campaigns()}
    points = len(about_all.buffers_bytes) * 2
    assert names == {f"advice {each.name}": points for each in about_all.company}
    assert set(tried) == set(cases(about_all))
    assert len(engine.measured) == len({case.run for case in tried}), "what two companies share is run once"
    for company in about_all.company:
        own = [each for each in cases(about_all) if each.company == company]
        for point, case in zip(expand(experiment(about_all, company, "joins")), own, strict=True):
            fields = point.fields()
            assert (fields["path"]["buffer"], fields["flows"][0]["cc"]) == (f"{case.buffer_bytes} B", case.candidate)
            if company.flows:
                assert fields["flows"][1]["cc"] == company.neighbours_cc(case.candidate)


def test_seed_after_seed_has_another_order_of_starts_where_nobody_says_it(tmp_path: Path) -> None:
    question_of_any = about("cubic:2", starts=None)
    starts: dict[int, tuple[int, ...]] = {}

    class Watching(Counting):
        def measure(self, run: Run) -> Measurement:
            starts[run.seed] = tuple(flow.start_ns for flow in run.flows)
            return super().measure(run)

    with Store.open(tmp_path, write=True) as store:
        tried = trials(question_of_any, Watching(), store, budget=0, undecided=nothing, jobs=1)
        names = {each.experiment for each in store.campaigns()}
    assert [question_of_any.order(seed) for seed in (1, 2, 3, 4)] == ["joins", "first", "together", "joins"]
    mine_s = {seed: (own - others) / 1e9 for seed, (own, others, _) in starts.items()}
    assert {seed: round(difference) for seed, difference in mine_s.items()} == {1: 5, 2: -5, 3: 0}
    assert names == {f"advice beside 2 CUBIC, {order}" for order in ORDERS}
    assert {tuple(each.run_ids) for each in tried.values()} == {(1, 2, 3)}, "the seeds of all orders are one case's"


def test_the_window_opens_when_all_are_there() -> None:
    (company,) = about("cubic:1").company
    alone = about()
    orders: dict[Order, tuple[float, float]] = {
        "joins": (5 + 2 / 3, 7),
        "first": (5 + 2 / 3, 7),
        "together": (2 / 3, 2),
    }
    for order, (begin_s, end_s) in orders.items():
        run = resolve(next(iter(expand(experiment(alone, company, order)))), 1).run
        assert [run.measure.window_begin_ns / 1e9, run.measure.window_end_ns / 1e9] == pytest.approx(
            [begin_s, end_s], abs=1e-3
        )
    transfer = about("cubic:1", transfer="500MB")
    run = resolve(next(iter(expand(experiment(transfer, company, "joins")))), 1).run
    assert [run.measure.window_begin_ns / 1e9, run.measure.window_end_ns / 1e9] == [5, 7], (
        "of a transfer the start counts, too"
    )


def test_what_the_next_seed_costs_is_of_the_order_that_has_it(tmp_path: Path) -> None:
    spent = list[float]()

    class Weighing(Counting):
        def measure(self, run: Run) -> Measurement:
            spent.append(packets(run))
            return super().measure(run)

    def every(_: Question, tried: Trials) -> list[Case]:
        return list(tried)

    any_order = about("cubic:2", starts=None)
    with Store.open(tmp_path, write=True) as store:
        trials(any_order, Weighing(), store, budget=0, undecided=every, jobs=1)
        first = sum(spent)
        more = trials(any_order, Weighing(), store, budget=1.4 * first, undecided=every, jobs=1)
    assert {len(each.run_ids) for each in more.values()} == {FIRST_SEEDS + 1}, "a third more, and not as much again"


def test_a_transfer_that_others_starve_ends_and_one_alone_has_its_time() -> None:
    (shared,), (alone,) = about("cubic:9").company, about().company
    query = about("cubic:9", transfer="1MB", rate="10mbit")
    assert query.full_transfer
    assert experiment(query, alone, "joins").fields()["time_limit"] == f"{TIME_LIMIT_S:g} s"
    assert experiment(query, shared, "joins").fields()["time_limit"] == f"{5 + 80:g} s", "ten times a fair share's time"


def test_who_was_first_may_have_been_so_by_a_time_that_is_known() -> None:
    known_lead = replace(about("cubic:1"), lead_s=2.0)
    (company,) = known_lead.company
    mine, others = experiment(known_lead, company, "joins").fields()["flows"]
    assert (mine["start"], others["start"]) == ("2 s", "0 s")


def test_requests_end_with_the_last_answer() -> None:
    requests = about("cubic:1", requests="1MB")
    fields = experiment(requests, requests.company[0], "joins").fields()
    assert (fields["duration"], fields["time_limit"]) == ("until done", f"{5 + requests_s(requests):g} s")


def test_a_stream_lasts_as_long_as_its_run_and_no_longer() -> None:
    stream = about("cubic:1", stream="1mbit")
    (company,) = stream.company
    for order in ORDERS:
        fields = experiment(stream, company, order).fields()
        assert fields["flows"][0]["workload"]["for"] == fields["duration"], "each piece that it would write is timed"


def test_of_hosts_every_second_seed_sends_super_packets_before_short_queues(tmp_path: Path) -> None:
    hosts = about("cubic:1", rate="20mbit", buffer=None, intervals="hosts", starts="joins")
    assert [hosts.merges(seed) for seed in (1, 2, 3, 4)] == [False, True, False, True]
    (company,) = hosts.company
    plain, merged = (experiment(hosts, company, "joins", merged=each).fields() for each in (False, True))
    assert [plain["host"]["socket_memory"], plain["path"].get("offload")] == ["default", None]
    short = [hosts.buffer_bdp(each) <= 0.5 for each in hosts.buffers_bytes]
    assert (merged["path"]["offload"], merged["zip"]) == (short, [["path.buffer", "path.offload"]])
    assert {True, False} == {*short}
    one = replace(hosts, buffers_bytes=(hosts.buffers_bytes[0],))
    assert experiment(one, company, "joins", merged=True).fields()["path"]["offload"] is True
    with Store.open(tmp_path, write=True) as store:
        tried = trials(one, SimEngine(), store, budget=0, undecided=nothing, seeds=4)
        names = {each.experiment for each in store.campaigns()}
    assert names == {"advice beside 1 CUBIC", "advice beside 1 CUBIC, super-packets"}
    assert {tuple(each.run_ids) for each in tried.values()} == {(1, 2, 3, 4)}


def test_the_first_seed_is_told_before_the_others_run(tmp_path: Path) -> None:
    engine, first = Counting(), list[int]()

    def so_far(tried: Trials) -> None:
        first.extend(len(each.run_ids) for each in tried.values())
        assert len(engine.measured) == len(tried)

    with Store.open(tmp_path, write=True) as store:
        trials(about(), engine, store, budget=0, undecided=nothing, so_far=so_far)
    assert first == [1, 1]
    assert len(engine.measured) == 2 * FIRST_SEEDS


def test_an_answer_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    class Interrupted(Counting):
        def measure(self, run: Run) -> Measurement:
            if len(self.measured) == 4:
                raise KeyboardInterrupt
            return super().measure(run)

    with Store.open(tmp_path, write=True) as store:
        with pytest.raises(KeyboardInterrupt):
            trials(about(), Interrupted(), store, budget=0, undecided=nothing, jobs=1)
        rest = Counting()
        trials(about(), rest, store, budget=0, undecided=nothing, jobs=1)
    assert len(rest.measured) == 2 * FIRST_SEEDS - 4


def test_a_run_that_fails_is_no_answer(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store, pytest.raises(EngineFailure, match="a bug"):
        trials(about(), Counting(failing=[3]), store, budget=0, undecided=nothing)


def test_a_question_has_its_store_again_and_another_one_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path))
    monkeypatch.setattr(runs, "MOST_STORED", 2)
    folders = []
    for rate in ("2mbit", "3mbit", "2mbit", "4mbit", "5mbit"):
        with store_for(about(rate=rate), SimEngine()) as store:
            folders.append(store.folder)
            assert store.folder.is_dir()
    assert (folders[0], len(set(folders))) == (folders[2], 4)
    assert set((tmp_path / "advice").iterdir()) == set(folders[3:]), "those that were asked last stay"


def test_who_asks_at_the_same_time_or_without_a_cache_is_answered_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))
    with store_for(about(), SimEngine()) as first, store_for(about(), SimEngine()) as second:
        assert first.folder != second.folder
    assert not second.folder.exists()
    (tmp_path / "file").touch()
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "file"))
    with store_for(about(), SimEngine()) as store:
        assert store.folder.is_dir()


def test_a_store_that_is_named_is_that_or_an_error(tmp_path: Path) -> None:
    with store_for(about(), SimEngine(), tmp_path / "own") as store:
        assert store.folder == tmp_path / "own"
    (tmp_path / "file").touch()
    with pytest.raises(StoreError), store_for(about(), SimEngine(), tmp_path / "file"):
        pass
