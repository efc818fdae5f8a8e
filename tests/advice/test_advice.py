"""From trials to advice: by hand where numbers are given, and on the simulator where what is known must come out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np
import pytest
from typer.testing import CliRunner

from dumbbell.advice.advice import Advice, advice, answer, place, undecided
from dumbbell.advice.exceptions import exceptions
from dumbbell.advice.outcome import MOST_HARM, Seeds, predicted
from dumbbell.advice.question import ALONE, Company, Question, question
from dumbbell.advice.text import MOST_LETTERS, as_object, details, headline
from dumbbell.advice.text import answer as lines
from dumbbell.advice.trials import ME, OTHERS, TIME_LIMIT_S, Case, Trials, cases, duration_s
from dumbbell.advice.validated import hosts_error, model_error, stratum
from dumbbell.cc import known
from dumbbell.cli.main import app
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.statistics import estimate
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store
from pathanswers import faults

CUBIC = Company(name="beside 1 cubic", cc="cubic", flows=1)


def question_of(neighbours: str = "cubic:1", **options: str) -> Question:
    path = {"rate": "20mbit", "rtt": "40 ms", "beside": neighbours, "starts": "together"}
    return question({**path, **{name.replace("_", "-"): text for name, text in options.items()}}, known())


def measured(others_bps: Sequence[float] = (), **mine: list[float]) -> MeasuredPoint:
    """A value a seed of each quantity, and the others' goodput."""
    numbers = {(name, ME): values for name, values in mine.items()}
    if others_bps:
        numbers["goodput", OTHERS] = list(others_bps)
    return MeasuredPoint(
        swept={}, run_ids={seed: f"{seed}" for seed, _ in enumerate(mine["goodput"], 1)}, errors={}, warnings={},
        ccs={}, sizes={}, fair_shares={}, numbers=numbers,
    )  # fmt: skip


def tried(mine: float, others: float, spread: float = 0.001) -> MeasuredPoint:
    """Three seeds, Mbit/s."""
    seeds = [1 - spread, 1.0, 1 + spread]
    goodputs_bps = [1e6 * mine * each for each in seeds]
    return measured([1e6 * others * each for each in seeds], goodput=goodputs_bps, rtt=[0.05, 0.05, 0.05])


def of(about: Question, *rows: tuple[MeasuredPoint, MeasuredPoint]) -> Trials:
    """For each queue, BBR's trials and CUBIC's."""
    flat = [each for row in rows for each in row]
    return dict(zip(cases(about), flat, strict=True))


def paragraphs(answer: Advice) -> Mapping[str, str]:
    return dict(lines(answer))


def test_a_candidate_that_harms_is_not_advised_where_that_counts() -> None:
    about = question_of(buffer="1bdp")
    answer = advice(about, of(about, (tried(14, 5), tried(9.5, 9.5))))
    assert (answer.recommendation, answer.places[0].harmful) == ("keep", ["bbr"])
    harm = answer.places[0].of("bbr").harm
    assert harm is not None
    assert harm.value == pytest.approx(1 - 5 / 9.5)
    assert harm.low < harm.value < harm.high
    assert "BBR takes 47 % (47 to 48) from the others" in dict(details(answer, seconds=1.0, engine="sim"))["Harm"]
    why = paragraphs(answer)["Why"]
    assert "BBR takes 47 % from the others, beyond what one more CUBIC does, in 1 of 1 case" in why
    assert "BBR instead: +47 % goodput for you, -47 % goodput for the others" in why
    greedy = question_of(buffer="1bdp", **{"for": "goodput"})
    assert advice(greedy, of(greedy, (tried(14, 5), tried(9.5, 9.5)))).recommendation == "bbr"


def test_below_two_percent_nothing_matters_and_the_default_stays() -> None:
    about = question_of(buffer="1bdp", **{"for": "goodput"})
    answer = advice(about, of(about, (tried(9.6, 9.4), tried(9.5, 9.5))))
    assert (answer.recommendation, answer.places[0].verdict) == ("keep", "no matter")
    assert (answer.headline, paragraphs(answer)["Answer"]) == ("no matter", "It does not matter which: use CUBIC.")


def test_what_chance_may_have_made_is_open_and_asks_for_seeds() -> None:
    about = question_of(buffer="1bdp", **{"for": "goodput"})
    noisy = of(about, (tried(10.5, 9, spread=0.4), tried(9.5, 9.5)))
    assert place(about, noisy, about.buffers_bytes[0], about.company[0]).verdict == "open"
    assert len(undecided(about, noisy)) == 2
    assert undecided(about, of(about, (tried(14, 5), tried(9.5, 9.5)))) == []


@pytest.mark.parametrize(
    ("bbr", "cubic", "goal", "leader"),
    [
        (tried(12, 7), tried(9.5, 9.5), "goodput", "bbr"), (tried(9.6, 9.4), tried(9.5, 9.5), "goodput", "bbr"),
        (tried(9.5, 9.5), tried(9.6, 9.6), "goodput", "cubic"), (tried(9.5, 9.5), tried(9.5, 9.5), "goodput", ""),
        (tried(10.5, 9, spread=0.4), tried(9.5, 9.5), "goodput", ""),
        (tried(12, 5), tried(9.5, 9.5), "balanced", "cubic"), (tried(12, 9.4), tried(9.5, 9.5), "balanced", "bbr"),
    ],
)  # fmt: skip
def test_who_is_ahead_by_however_little(bbr: MeasuredPoint, cubic: MeasuredPoint, goal: str, leader: str) -> None:
    about = question_of(buffer="1bdp", **{"for": goal})
    (only,) = advice(about, of(about, (bbr, cubic))).places
    assert only.leader == leader


def test_a_default_that_is_no_candidate_has_more_seeds_where_it_is_open() -> None:
    about = question_of(buffer="1bdp", candidates="bbr,reno", **{"for": "goodput"})
    clear, noisy = (tried(14, 5), tried(9.5, 9.5), tried(9, 9)), (tried(10.5, 9, spread=0.4), tried(9, 9), tried(9, 9))
    assert undecided(about, dict(zip(cases(about), clear, strict=True))) == []
    assert undecided(about, dict(zip(cases(about), noisy, strict=True))) == list(cases(about))


def test_the_answer_flips_between_two_queues_and_tells_it_as_an_rtt_under_load() -> None:
    about = question_of(**{"for": "goodput"})
    rows = [(tried(14, 5), tried(9.5, 9.5))] * 3 + [(tried(5, 14), tried(9.5, 9.5))] * 4
    answer = advice(about, of(about, *rows))
    ((company, below, above, at),) = answer.flips()
    assert (company.name, below, above) == ("beside 1 CUBIC", "bbr", "cubic")
    assert about.buffer_bdp(at) == pytest.approx((0.35 * 0.6) ** 0.5, rel=1e-3)
    loaded_ms = 40 + 40 * (0.35 * 0.6) ** 0.5
    assert paragraphs(answer)["Answer"] == (
        f"It depends on the queue. BBR with a ping under load below {loaded_ms:.0f} ms, CUBIC with a ping under load"
        f" above {loaded_ms:.0f} ms."
    )
    assert answer.regret["bbr"][0] == pytest.approx(1 - 5 / 9.5)
    assert answer.regret["cubic"][0] == pytest.approx(1 - 9.5 / 14)


def test_intervals_hold_the_models_error_too() -> None:
    about = question_of(buffer="1bdp")
    answer = advice(about, of(about, (tried(10, 9, spread=0), tried(9.5, 9.5, spread=0))))
    goodput = answer.places[0].of("bbr").goodput_bps
    assert goodput is not None
    error = model_error(about, about.buffers_bytes[0], CUBIC)
    assert goodput.half == pytest.approx(1.96 * error * 10e6)
    assert 0.001 <= error < 0.05


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"buffer": "1bdp"}, "plain"), ({"buffer": "10 packets"}, "short"), ({"buffer": "20bdp"}, "deep"),
        ({"buffer": "1bdp", "loss": "5%"}, "loss"), ({"buffer": "1bdp", "transfer": "1MB"}, "transfers"),
    ],
)  # fmt: skip
def test_a_case_has_the_error_of_its_stratum(options: dict[str, str], name: str) -> None:
    about = question_of(**options)
    assert stratum(about, about.buffers_bytes[0], about.company[0]) == name


def test_paths_beyond_the_validation_are_told() -> None:
    far = question({"rate": "20mbit", "rtt": "600 ms", "buffer": "1bdp", "beside": "none"}, known())
    answer = advice(far, of(far, (tried(9.5, 0), tried(9.5, 0))))
    assert "RTTs from 5 to 200 ms" in answer.outside
    shallow = question({"rate": "500mbit", "rtt": "80 ms", "buffer": "0.03bdp", "beside": "none"}, known())
    assert "queues from 0.1 BDP on were" in advice(shallow, of(shallow, (tried(450, 0), tried(200, 0)))).outside


@pytest.mark.long
@pytest.mark.slow
def test_alone_the_simulator_flips_where_public_measurements_do(store: Store) -> None:
    """At about 0.35 BDP (Datta and Fund 2023, 128 cells), whether or not the start counts."""
    about = question({"rate": "200mbit", "rtt": "80 ms", "beside": "none", "for": "goodput"}, known())
    ((_, below, above, at),) = answer(about, SimEngine(), store).flips()
    assert (below, above) == ("bbr", "cubic")
    assert 0.14 < about.buffer_bdp(at) < 0.6


@pytest.mark.slow
def test_the_command_answers_in_words_and_in_json() -> None:
    command = ["advise", "--rate", "10mbit", "--rtt", "30ms", "--loaded-rtt", "45ms", "--beside", "cubic:2"]
    done = CliRunner().invoke(app(), [*command, "--transfer", "3MB"], env={"COLUMNS": "100"})
    assert done.exit_code == 0, done.output
    for label in ("Answer", "Why", "When not", "Sure?", "Next"):
        assert f"\n{label} " in f"\n{done.stdout}"
    assert len(done.stdout) <= 600 + 80
    detailed = CliRunner().invoke(app(), [*command, "--transfer", "3MB", "--details"], env={"COLUMNS": "100"}).stdout
    for label in ("Answer", "Next", "Path", "Regret", "Harm", "Intervals", "The tree"):
        assert f"\n{label} " in f"\n{detailed}"
    as_json = CliRunner().invoke(app(), [*command, "--json"])
    answer = json.loads(as_json.stdout)
    assert {"recommendation", "reason", "flips_at", "table", "harm", "inside_validated", "wall_s"} <= set(answer)
    assert answer["recommendation"] in {"keep", "bbr"}
    for row in answer["table"]:
        assert row["goodput_bps"]["low"] <= row["goodput_bps"]["value"] <= row["goodput_bps"]["high"]
    assert answer["harm"] is None or answer["harm"]["value"] <= MOST_HARM or answer["goal"] != "balanced"


def test_bad_input_is_one_message_and_status_2() -> None:
    done = CliRunner().invoke(app(), ["advise", "--rate", "10mbit", "--rtt", "30ms", "--loaded-rtt", "20ms"])
    assert str(done.exception).startswith('--loaded-rtt: "20ms" is not above')
    assert done.stdout == ""


def test_a_long_transfer_counts_its_start_and_goes_on_as_the_second_half_did() -> None:
    about = question_of(buffer="1bdp", transfer="1GB", neighbours="none")
    ran_s = duration_s(about)
    slow_start = measured(goodput=[10e6, 12e6], second_half=[20e6, 16e6])
    (buffer,) = about.buffers_bytes
    assert Seeds(about, Case("bbr", buffer, ALONE), slow_start).completions_s() == pytest.approx(
        [ran_s + (8e9 - mean * ran_s) / later for mean, later in ((10e6, 20e6), (12e6, 16e6))]
    )
    short = question_of(buffer="1bdp", transfer="100MB", neighbours="none")
    assert Seeds(short, Case("bbr", buffer, ALONE), slow_start).completions_s()[0] == pytest.approx(
        ran_s + (8e8 - 10e6 * ran_s) / 20e6
    )
    steady = measured(goodput=[10e6, 12e6, nan], second_half=[nan, 0.0, nan])
    assert Seeds(about, Case("bbr", buffer, ALONE), steady).completions_s() == pytest.approx(
        [8e9 / 10e6, ran_s + TIME_LIMIT_S, ran_s + TIME_LIMIT_S]
    ), "as its mean, where nothing says more; not at all, where nothing more came"
    tiny = question_of(buffer="1bdp", transfer="60MB", neighbours="none")
    assert Seeds(tiny, Case("bbr", buffer, ALONE), slow_start).completions_s()[0] == pytest.approx(48.0)


def test_a_transfer_that_is_not_complete_took_as_long_as_its_run_and_does_not_win() -> None:
    about = question_of(buffer="1bdp", transfer="2MB", neighbours="none")
    assert about.full_transfer
    stuck = measured(goodput=[1e6] * 3, fct=[nan, 2.0, nan])
    done = measured(goodput=[9e6] * 3, fct=[2.0, 2.1, 2.2])
    answer = advice(about, of(about, (stuck, done)))
    first, _ = answer.places[0].outcomes
    assert first.completion_s is not None
    assert first.completion_s.value == pytest.approx((2 * TIME_LIMIT_S + 2.0) / 3)
    assert (answer.recommendation, answer.places[0].best) == ("keep", "cubic")
    assert answer.places[0].gain > 100


def test_what_one_seed_lacks_shifts_no_other() -> None:
    about = question_of(buffer="1bdp", neighbours="none", **{"for": "latency"})
    result = of(about, (tried(9, 0), tried(9, 0)))
    for each in result.values():
        each.numbers["rtt", ME] = [0.05, nan, 0.07]
    place_ = advice(about, result).places[0]
    assert place_.of("bbr").rtt_s is None
    assert place_.of("bbr").goodput_bps is not None


def test_fairness_is_judged_by_how_even_each_seed_is() -> None:
    about = question_of(buffer="1bdp", **{"for": "fairness"})
    even, greedy = tried(9.5, 9.5), tried(14, 5)
    answer = advice(about, of(about, (greedy, even)))
    assert Seeds(about, Case("bbr", about.buffers_bytes[0], CUBIC), greedy).counted() == pytest.approx([5 / 14] * 3)
    assert (answer.places[0].best, answer.places[0].verdict) == ("cubic", "ahead")


def test_without_the_default_among_them_the_first_candidate_is_held_against() -> None:
    about = question_of(buffer="1bdp", neighbours="none", candidates="bbr,reno", **{"for": "goodput"})
    alike = advice(about, of(about, (tried(9.5, 0), tried(9.5, 0))))
    assert (about.default, alike.chosen, alike.recommendation) == ("bbr", "bbr", "keep")
    assert paragraphs(alike)["Answer"] == "It does not matter which: use BBR."


def test_nobody_can_lose_more_than_all() -> None:
    about = question_of(buffer="1bdp")
    answer = advice(about, of(about, (tried(19, 0.5, spread=0.9), tried(9.5, 9.5, spread=0.9))))
    harm = answer.places[0].of("bbr").harm
    assert harm is not None
    assert harm.value < harm.high == 1.0


def test_an_interval_is_what_five_trials_would_give_not_what_the_mean_is_known_to() -> None:
    values = np.array([9.0, 10.0, 11.0])
    own, interval = estimate(values.tolist()), predicted(values, 0.0)
    assert interval is not None
    assert own.half_width is not None
    assert interval.half == pytest.approx(own.half_width * (1 + 3 / 5) ** 0.5)
    model = predicted(np.array([10.0, 10.0]), 0.05)
    assert model is not None
    assert [model.low, model.high] == pytest.approx([9.02, 10.98])


def test_ten_that_switch_to_the_default_are_ten_that_have_it() -> None:
    about = question({"rate": "20mbit", "rtt": "40 ms", "buffer": "1bdp"}, known())
    every = list(cases(about))
    assert len({case.run for case in every}) == len(every) - 1


@pytest.mark.slow
def test_as_many_seeds_as_are_asked_for_give_the_same_answer_again() -> None:
    command = ["advise", "--rate", "10mbit", "--rtt", "30ms", "--buffer", "1bdp", "--beside", "cubic:1", "--seeds", "2"]
    first, again = (json.loads(CliRunner().invoke(app(), [*command, "--json"]).stdout) for _ in range(2))
    assert first["seeds"] == [2, 2]
    assert first | {"wall_s": 0} == again | {"wall_s": 0}


def test_a_queue_between_two_flips_is_told_as_one_range_and_what_does_not_matter_is_no_exception() -> None:
    about = question_of(neighbours="none", **{"for": "goodput"})
    even, ahead, behind = (tried(9.5, 0), tried(9.5, 0)), (tried(12, 0), tried(9.5, 0)), (tried(6, 0), tried(9.5, 0))
    answer = advice(about, of(about, behind, ahead, ahead, behind, even, behind, behind))
    (only,) = exceptions(answer)
    queues = about.buffers_bytes
    assert (only.companies, only.candidate) == ((ALONE,), "bbr")
    assert [only.low_bytes, only.high_bytes] == pytest.approx(
        [(queues[0] * queues[1]) ** 0.5, (queues[2] * queues[3]) ** 0.5]
    )
    assert paragraphs(answer)["Answer"] == "Use CUBIC."
    assert paragraphs(answer)["When not"].startswith("With a ping under load of 46 to 58 ms: BBR, 12 instead of 9")
    other = advice(about, of(about, ahead, ahead, ahead, ahead, even, ahead, ahead))
    assert exceptions(other) == []
    assert paragraphs(other)["Answer"] == "Use BBR."
    island = advice(about, of(about, behind, behind, ahead, behind, behind, behind, behind))
    assert exceptions(island) == [], "nobody can act on one queue between two that say otherwise"
    assert paragraphs(island)["When not"] == "In 1 more of 7 cases another one is right."


def test_no_exception_and_no_flip_reaches_over_a_queue_at_which_nobody_can_say() -> None:
    about = question_of(neighbours="none", **{"for": "goodput"})
    ahead, behind = (tried(12, 0), tried(9.5, 0)), (tried(6, 0), tried(9.5, 0))
    noisy, even = (tried(10.5, 0, spread=0.4), tried(9.5, 0)), (tried(9.5, 0), tried(9.5, 0))
    answer = advice(about, of(about, ahead, ahead, noisy, behind, behind, behind, behind))
    (only,) = exceptions(answer)
    assert (only.low_bytes, only.high_bytes) == (None, about.buffers_bytes[1])
    assert list(answer.flips()) == []
    between = advice(about, of(about, ahead, ahead, even, behind, behind, behind, behind))
    ((_, below, above, at),) = between.flips()
    assert (below, above) == ("bbr", "cubic")
    middle = (about.buffers_bytes[1] * about.buffers_bytes[3]) ** 0.5
    assert at == pytest.approx(middle), "where it does not matter either may be right"


def test_a_regret_that_is_less_by_nothing_that_matters_does_not_take_the_default_away() -> None:
    about = question_of(neighbours="none", **{"for": "goodput"})
    more, less = (tried(9.8, 0), tried(9.5, 0)), (tried(9.5, 0), tried(9.8, 0))
    slightly = advice(about, of(about, (tried(9.9, 0), tried(9.5, 0)), more, more, more, less, less, less))
    assert slightly.recommendation == "keep"


def ordered(joins: float, first: float, together: float, others: float = 9.5) -> MeasuredPoint:
    """Six seeds, Mbit/s: two of each order."""
    goodputs = [1e6 * each * (1 + 0.001 * nth) for nth in (1, 2) for each in (joins, first, together)]
    return measured([1e6 * others * (1 + 0.001 * nth) for nth in range(6)], goodput=goodputs)


def test_where_the_order_of_starts_decides_more_than_the_algorithm_the_answer_says_so() -> None:
    about = question_of("reno:1", buffer="20bdp", starts="any", **{"for": "goodput"})
    assert about.starts == ("joins", "first", "together")
    answer = advice(about, of(about, (ordered(20, 11, 5), ordered(10, 39, 24))))
    (place_,) = answer.places
    assert (place_.verdict, place_.by_order) == ("open", {"joins": "bbr", "first": "cubic", "together": "cubic"})
    assert paragraphs(answer)["Answer"].startswith("Nobody can say")
    assert "Who came first decides more than the algorithm in 1 of 1 case." in paragraphs(answer)["When not"]
    alike = advice(about, of(about, (ordered(20, 20.1, 20), ordered(10, 10.1, 10))))
    assert (alike.places[0].by_order, alike.chosen) == ({}, "bbr"), "orders that make no difference are not one"
    little = advice(about, of(about, (ordered(9.6, 9.5, 9.3), ordered(9.59, 9.49, 9.29))))
    assert little.places[0].by_order == {}, "3 % of order is beyond chance and the algorithm, and decides nothing"
    few = advice(about, of(about, (tried(20, 5, spread=0.5), tried(10, 10, spread=0.5))))
    assert few.places[0].by_order == {}, "one seed of each order tells nothing of chance"
    joins = replace(about, starts=("joins",))
    assert advice(joins, of(joins, (ordered(20, 20.1, 20), ordered(10, 10.1, 10)))).places[0].by_order == {}


def test_one_of_alike_flows_is_any_of_them_unless_it_is_known_who_comes_first() -> None:
    about = question_of("cubic:1", buffer="1bdp", starts="any", **{"for": "goodput"})
    case, point = Case("cubic", about.buffers_bytes[0], CUBIC), ordered(5, 15, 10)
    assert Seeds(about, case, point).goodputs_bps()[0] == pytest.approx((5.005e6 + 9.5e6) / 2)
    assert Seeds(replace(about, starts=("joins",)), case, point).goodputs_bps()[0] == pytest.approx(5.005e6)


def test_what_runs_today_is_kept_and_something_else_is_used() -> None:
    options = {"for": "goodput", "buffer": "1bdp"}
    for now, word in (("bbr", "Keep BBR."), ("cubic", "Use BBR."), (None, "Use BBR.")):
        about = question_of(**options, **({"now": now} if now else {}))
        ahead = advice(about, of(about, (tried(14, 5), tried(9.5, 9.5))))
        assert paragraphs(ahead)["Answer"] == word
        assert ahead.recommendation == ("keep" if now == "bbr" else "bbr")
    reno = question_of(now="reno", **options)
    assert (reno.candidates, reno.default) == (("bbr", "cubic", "reno"), "reno")


def test_intervals_of_hosts_hold_how_far_the_model_is_from_them_and_decide_nothing_within_that() -> None:
    path = {"buffer": "1bdp", "for": "goodput"}
    rows = (tried(9.9, 9.1, spread=0), tried(9.5, 9.5, spread=0))
    of_linux, of_hosts = (question_of(**path, intervals=each) for each in ("linux", "hosts"))
    goodput = advice(of_hosts, of(of_hosts, rows)).places[0].of("bbr").goodput_bps
    assert goodput is not None
    assert goodput.half > 1.96 * hosts_error(of_hosts) * 20e6 > 1e6
    assert advice(of_linux, of(of_linux, rows)).places[0].verdict == "ahead"
    assert advice(of_hosts, of(of_hosts, rows)).places[0].verdict == "open"
    far = (tried(14, 5, spread=0), tried(9.5, 9.5, spread=0))
    assert advice(of_hosts, of(of_hosts, far)).places[0].verdict == "ahead"
    assert "Intervals are of real hosts." in paragraphs(advice(of_hosts, of(of_hosts, far)))["Sure?"]


def test_an_answer_that_would_be_long_leaves_the_queues_of_each_company_to_the_details() -> None:
    about = question({"rate": "20mbit", "rtt": "40 ms", "starts": "together", "for": "goodput"}, known())
    behind, ahead = (tried(6, 3), tried(9.5, 9.5)), (tried(14, 5), tried(9.5, 9.5))
    flips = [[ahead] * nth + [behind] * (7 - nth) for nth in (3, 4, 3, 4)]
    depends = advice(about, of(about, *(row for own in flips for row in own)))
    assert len(headline(depends)) > len(headline(depends, brief=True))
    lines_ = paragraphs(depends)
    assert "Alone: as the queue is." in lines_["Answer"]
    assert sum(len(label) + len(text) for label, text in lines_.items()) <= MOST_LETTERS
    assert faults(as_object(depends, seconds=1.0, engine="sim"), lines_) == []


def test_harm_that_chance_may_have_made_is_no_order_to_use_another() -> None:
    about = question_of(buffer="1bdp")
    answer = advice(about, of(about, (tried(14, 8, spread=0.9), tried(9.5, 9.5, spread=0.5))))
    assert (answer.headline, answer.places[0].harmful) == ("open", [])
    assert "Use" not in paragraphs(answer)["Answer"]
    certain = measured([3e6, 9e6, 9e6], goodput=[13.9e6, 14e6, 14.1e6], rtt=[0.05] * 3)
    faster = advice(about, of(about, (certain, tried(9.5, 9.5))))
    assert faster.places[0].of("bbr").may_harm
    assert (faster.headline, faster.places[0].verdict) == ("open", "open"), "that it is faster is certain; harm is not"


def test_one_seed_makes_a_first_answer() -> None:
    about = question_of(buffer="1bdp", **{"for": "goodput"})
    single = [measured([5e6], goodput=[14e6]), measured([9.5e6], goodput=[9.5e6])]
    first = advice(about, dict(zip(cases(about), single, strict=True)))
    assert (first.seeds, first.chosen, headline(first)) == ((1, 1), "bbr", "Use BBR.")


def test_lateness_counts_on_top_of_the_way() -> None:
    about = question_of(buffer="1bdp", stream="3mbit", neighbours="none")
    late = [measured(goodput=[3e6, 3e6], late_p95=[ms / 1e3] * 2) for ms in (4.0, 1.0)]
    answer = advice(about, of(about, (late[0], late[1])))
    assert answer.places[0].gain == pytest.approx((20 + 4) / (20 + 1) - 1)
    assert answer.places[0].best == "cubic"
