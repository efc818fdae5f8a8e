"""What may be asked, and every mistake at once."""

from __future__ import annotations

import pytest

from dumbbell.advice.question import (
    ALONE,
    CANDIDATES,
    GOALS,
    LEAST_QUEUE_BYTES,
    ORDERS,
    PRESETS,
    UNKNOWN_COMPANY,
    Question,
    question,
)
from dumbbell.advice.trials import experiment
from dumbbell.cc import known
from dumbbell.cli import completion
from dumbbell.problem import SpecError
from dumbbell.spec.link import Link, links

PATH = {"rate": "200mbit", "rtt": "80 ms"}


def question_of(neighbours: str | None = None, **options: str) -> Question:
    return question(
        {**PATH, "beside": neighbours, **{name.replace("_", "-"): text for name, text in options.items()}}, known()
    )


def problems(**options: str) -> list[str]:
    with pytest.raises(SpecError) as caught:
        question_of(**options)
    return [str(each) for each in caught.value.problems]


def test_an_rtt_under_load_tells_the_queue() -> None:
    query = question_of(loaded_rtt="105 ms", neighbours="cubic:3", transfer="1GB")
    assert (query.rate_bps, query.rtt_ns, query.known_buffer) == (200_000_000, 80_000_000, True)
    assert query.buffers_bytes == (625_000,), "25 ms of 200 Mbit/s"
    assert query.loaded_rtt_ns(625_000) == pytest.approx(105e6)
    assert [(each.cc, each.flows) for each in query.company] == [("cubic", 3)]
    assert (query.job.description, query.goal, query.candidates) == ("a transfer of 1 GB", "completion", CANDIDATES)


def test_a_job_that_begins_now_joins_those_who_are_there() -> None:
    assert [question_of(**{job: "1MB"}).starts for job in ("transfer", "requests")] == [("joins",)] * 2
    assert question_of(stream="2mbit").starts == ("joins",)
    bulk = question_of()
    assert bulk.starts == ORDERS
    assert [bulk.order(seed) for seed in range(1, 8)] == [*ORDERS, *ORDERS, "joins"]
    for written, starts in (("first", ("first",)), ("any", ORDERS)):
        assert question_of(transfer="1MB", starts=written).starts == starts
    assert problems(starts="last") == ['--starts: unknown "last"; known: joins, first, together, any']


def test_others_may_run_what_is_tried() -> None:
    (company,) = question_of("same:7").company
    assert (company.name, company.flows, company.neighbours_cc("reno")) == ("7 others switch too", 7, "reno")


def test_a_line_may_have_several_rates_in_turns() -> None:
    radio = question_of(rate="300mbit, 60mbit,150mbit")
    assert (radio.rate_bps, radio.steps_bps) == (170_000_000, (300_000_000, 60_000_000, 150_000_000))
    assert problems(rate="300mbit,60") == ['--rate: "60" has no unit; write it with a unit, as "60 Mbit/s"']
    assert "carries nothing" in problems(rate="300mbit,0mbit")[0]
    (company,) = question_of("cubic:1", rate="30mbit,10mbit").company
    about = question_of("cubic:1", rate="30mbit,10mbit", starts="joins", buffer="1bdp")
    path = experiment(about, company, "joins").fields()["path"]
    assert path["rate"] == "30 Mbit/s"
    assert path["change"][:3] == [
        {"at": "5 s", "rate": "10 Mbit/s"}, {"at": "10 s", "rate": "30 Mbit/s"}, {"at": "15 s", "rate": "10 Mbit/s"},
    ]  # fmt: skip


def test_a_preset_says_what_it_assumes_and_nothing_that_is_written() -> None:
    query = question({"preset": "cdn", "rtt": "25 ms"}, known())
    assert (query.rate_bps, query.rtt_ns, query.preset) == (100_000_000, 25_000_000, "cdn")
    assert query.assumed == ("--rate 100 Mbit/s", "--requests 1 MB", "--for completion")
    slow = question({"preset": "policed", "rate": "2mbit", "rtt": "10ms"}, known())
    assert slow.buffers_bytes == (LEAST_QUEUE_BYTES,), "a usual case has a queue that holds a few packets"


def test_what_nobody_knows_is_tried() -> None:
    query = question_of()
    assert not query.known_buffer
    assert query.buffers_bytes[0] == pytest.approx(0.1 * query.bdp_bytes)
    assert query.buffers_bytes[-1] == pytest.approx(5 * query.bdp_bytes)
    assert (query.company, query.known_company, query.goal) == (UNKNOWN_COMPANY, False, "balanced")
    assert question_of(neighbours="none").company == (ALONE,)
    others = UNKNOWN_COMPANY[-1]
    assert (others.neighbours_cc("bbr"), others.neighbours_cc("reno")) == ("bbr", "reno"), "all switch"


def test_a_queue_may_be_told_in_any_unit() -> None:
    sizes = {text: question_of(buffer=text).buffers_bytes[0] for text in ("0.5 bdp", "1MB", "100 packets")}
    assert sizes == {"0.5 bdp": 1_000_000, "1MB": 1_000_000, "100 packets": 151_400}


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_question(name: str) -> None:
    options = {} if name == "satellite" else {"rtt": "30 ms"}
    assert question({"rate": "50mbit", "preset": name, **options}, known()).goal == PRESETS[name]["for"]


@pytest.mark.parametrize("link", links(), ids=lambda link: link.name)
def test_every_link_is_a_question_whose_runs_have_it(link: Link) -> None:
    query = question({"link": link.name}, known())
    assert (query.link, query.known_buffer) == (link.name, True)
    path = experiment(query, ALONE, "joins").fields()["path"]
    assert set(path) == {"link", "buffer"}, "all else is left to the link"
    first = experiment(query, ALONE, "joins")
    assert [first.get(f"path.{key}") for key in ("rate", "rtt")] == [link.get(key) for key in ("rate", "rtt")]


def test_options_that_are_written_come_before_a_links() -> None:
    query = question({"link": "starlink", "rtt": "80 ms", "loaded-rtt": "180 ms", "back": "1mbit"}, known())
    assert (query.rate_bps, query.rtt_ns, query.back_bps) == (58_400_000, 80_000_000, 1_000_000)
    assert query.buffers_bytes == (730_000,), "100 ms of 58.4 Mbit/s"
    assert query.of_link == (("rate", "58.4 Mbit/s"),)
    path = experiment(query, ALONE, "joins")
    assert path.fields()["path"] == {
        "link": "starlink", "rtt": "80 ms", "back": {"rate": "1 Mbit/s"}, "buffer": "730000 B"
    }  # fmt: skip
    assert path.get("path.back.buffer") == "250 ms"
    assert [change.get("rate") for change in path.get("path.change")][:2] == ["0 bit/s", "37.8 Mbit/s"]
    assert question({"link": "lte", "preset": "video"}, known()).rate_bps == 13_000_000, "a preset's path is less"
    wifi = question({"link": "wifi"}, known())
    assert (wifi.qdisc, experiment(wifi, ALONE, "joins").get("path.qdisc.target")) == ("fq_codel", "20 ms")


def test_a_link_that_is_misspelt_is_one_mistake() -> None:
    with pytest.raises(SpecError) as caught:
        question({"link": "starlinc"}, known())
    assert [each.path for each in caught.value.problems] == ["--link"]


def test_a_way_back_has_a_queue() -> None:
    query = question_of(back="2mbit")
    assert experiment(query, ALONE, "joins").fields()["path"]["back"] == {"rate": "2 Mbit/s", "buffer": "250 ms"}


def test_options_that_are_written_come_before_a_presets() -> None:
    assert question_of(preset="satellite").rtt_ns == 80_000_000
    assert question_of(preset="video", stream="3mbit").job.rate_bps == 3_000_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": "200"}, '--rate: "200" has no unit'),
        ({"rtt": "0.2 ms"}, '--rtt: "0.2 ms" is a data centre\'s'),
        ({"loaded_rtt": "60 ms"}, '--loaded-rtt: "60 ms" is not above the RTT without load, 80 ms'),
        ({"buffer": "1bdp", "loaded_rtt": "100 ms"}, "--buffer and --loaded-rtt: say the same thing in two ways"),
        ({"transfer": "1GB", "stream": "3mbit"}, "--transfer and --stream: say the same thing in two ways"),
        ({"preset": "video", "transfer": "1GB"}, "--transfer: contradicts it: preset video is about --stream 5 Mbit/s"),
        ({"preset": "vidoe"}, '--preset: unknown "vidoe"; did you mean "video"?'),
        ({"for": "speed"}, '--for: unknown "speed"; known: goodput, latency, completion, fairness, balanced'),
        ({"candidates": "bbr,cubi"}, '--candidates: unknown "cubi"; did you mean "cubic"?'),
        ({"candidates": "bbr"}, "--candidates: 1 of them; 2 to 6"),
        (
            {"candidates": "bbr2,cubic"},
            '--candidates: unknown "bbr2"; not in this version: "bbr" is BBR v1, and "bbr3"',
        ),
        ({"beside": "cubic:99"}, "--beside: 99 neighbours; 1 to 50; nobody is none"),
        ({"beside": "cubi:2"}, '--beside: unknown "cubi"; did you mean "cubic"?'),
        ({"buffer": "10 B"}, '--buffer: "10 B" holds no packet; at least 1514 B'),
        ({"link": "starlinc"}, '--link: unknown "starlinc"; did you mean "starlink"?'),
        ({"back": "1"}, '--back: "1" has no unit'),
        ({"loss": "2"}, '--loss: "2" has no unit'),
        ({"qdisc": "codel", "loaded_rtt": "90 ms"}, "--loaded-rtt: says nothing of how long a queue can get"),
        ({"qdisc": "red"}, "--buffer: is missing, of which red's thresholds are parts"),
    ],
    ids=lambda each: " ".join(each.values()) if isinstance(each, dict) else "",
)
def test_what_cannot_be(options: dict[str, str], message: str) -> None:
    (problem,) = problems(**options)
    assert problem.startswith(message)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        question({"rtt": "1 us", "buffer": "1", "for": "x", "candidates": "y,cubic", "beside": ":"}, known())
    named = [each.path for each in caught.value.problems]
    assert named == ["--rate", "--rtt", "--for", "--buffer", "--beside", "--candidates"]


def test_a_shell_offers_what_there_is() -> None:
    assert (GOALS, tuple(PRESETS)) == (completion.GOALS, completion.PRESETS)
    assert "goodput" in completion.goals()
    assert "bbr,cubic" in completion.several_algorithms("bbr,cu")
