"""Over a mix of paths: shares, which count what is not known, and the advice of a whole server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as File

import pytest

import mixanswers
from commandline import dumbbell
from dumbbell.advice.advice import Place
from dumbbell.advice.mix import Bin, Mix, common_question, mix, part, standing
from dumbbell.advice.mix_text import answer, as_object, details, table
from dumbbell.advice.outcome import Interval, Outcome
from dumbbell.advice.paths import Path
from dumbbell.advice.question import ALONE, Question
from dumbbell.cc import known
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.connection import Capture, Connection
from dumbbell.metrics.connections import capture, read
from dumbbell.problem import SpecError
from dumbbell.results.store import Store

CAPTURES = File(__file__).parents[1] / "metrics" / "captures"
REVIEW = (CAPTURES / "reordered.txt").read_text(encoding="utf-8")
SHALLOW, DEEP = (0.02, 0.1), (1.0, 1.2)


def question_of(neighbours: str | None = None, **options: str) -> Question:
    return common_question(
        {"beside": neighbours, **{name.replace("_", "-"): text for name, text in options.items()}}, known()
    )


def place(bbr: float, cubic: float) -> Place:
    """Mbit/s of both."""
    outcomes = [
        Outcome(candidate=name, goodput_bps=Interval(1e6 * value, 0.0))
        for name, value in (("bbr", bbr), ("cubic", cubic))
    ]
    best = "bbr" if bbr > cubic else "cubic"
    return Place(
        buffer_bytes=10000, company=ALONE, outcomes=tuple(outcomes), best=best, verdict="ahead", leader=best,
        gain=max(bbr, cubic) / min(bbr, cubic) - 1, acceptable=(best,), by_order={},
    )  # fmt: skip


def bin_of(*places: Place, sent: Sequence[float] = (1e6,)) -> Bin:
    paths = [
        Path(
            rate_bps=1e7,
            at_least=False,
            rtt_s=0.04,
            queue_bdp=(0, 1),
            sent_bytes=each,
            resent_bytes=each / 100,
            cc="cubic",
        )
        for each in sent
    ]
    return Bin(question=question_of(), paths=tuple(paths), places=places)


def connections(
    number: int, rate_bps: float, rtt_s: float, queue: tuple[float, float], first: int = 1
) -> list[Connection]:
    """CUBIC's, over lines whose queue is that: so much more RTT, and so many losses."""
    return [
        Connection(
            local="192.0.2.1:443", peer=f"203.0.113.{nth}:9", state="ESTAB", cc="cubic", min_rtt_s=rtt_s,
            srtt_s=rtt_s * (1 + queue[0]), delivery_bps=rate_bps, mss_bytes=1448, sent_bytes=1e7, resent_segments=9,
            resent_bytes=9 * 1448.0, busy_s=8e7 / rate_bps,
        )
        for nth in range(first, first + number)
    ]  # fmt: skip


def captured(*each: list[Connection]) -> Capture:
    return Capture(name="ss.txt", connections=tuple(own for some in each for own in some), other_sockets=0)


def test_a_share_counts_unknown_queues_alike_and_tells_both_ends() -> None:
    sure, unsure = bin_of(place(12, 10), sent=(1e6, 2e6)), bin_of(place(12, 10), place(9, 10), sent=(5e6,))
    by_number = part([sure, unsure], lambda where: where.best == "bbr")
    assert (by_number.value, by_number.low, by_number.high) == pytest.approx((2.5 / 3, 2 / 3, 1))
    by_bytes = part([sure, unsure], lambda where: where.best == "bbr", "sent_bytes")
    assert (by_bytes.value, by_bytes.low, by_bytes.high) == pytest.approx((5.5 / 8, 3 / 8, 1))


def test_who_is_ahead_by_little_wins_and_does_not_matter() -> None:
    little = replace(place(10.1, 10), verdict="no matter", best="cubic")
    bins = [bin_of(place(12, 10)), bin_of(little, sent=(3e6,)), bin_of(replace(little, leader=""))]
    bbr, cubic = (standing(bins, name) for name in ("bbr", "cubic"))
    assert [bbr.wins.value, bbr.matters.value, bbr.wins_bytes.value] == pytest.approx([2 / 3, 1 / 3, 4 / 5])
    assert (cubic.wins.high, cubic.matters.high, cubic.harms.high, cubic.harm) == (0, 0, 0, None)
    assert (bbr.regret.most, cubic.regret.most) == pytest.approx((0, 1 - 10 / 12))


@pytest.fixture(scope="module")
def two_kinds(store: Store) -> Mix:
    """Three connections before short queues and one before a long one: 200 Mbit/s, 80 ms."""
    server_capture = captured(connections(3, 191e6, 0.08, SHALLOW), connections(1, 191e6, 0.08, DEEP, first=4))
    return mix(server_capture, question_of(), SimEngine(), store, seconds=8)


@pytest.mark.long
@pytest.mark.slow
def test_bbr_matters_before_short_queues_and_not_before_long_ones(two_kinds: Mix) -> None:
    """As public measurements have it, below about 0.35 BDP (Datta and Fund 2023)."""
    bbr, cubic = two_kinds.standings["bbr"], two_kinds.standings["cubic"]
    assert [each.connections for each in two_kinds.bins] == [3, 1]
    assert two_kinds.bins[0].places[0].best == "bbr"
    assert two_kinds.bins[0].places[0].gain > 0.02
    assert two_kinds.bins[1].places[0].best == "cubic"
    assert bbr.matters.high == pytest.approx(0.75)
    assert bbr.wins.high <= 1 - cubic.wins.low + 1e-9
    assert bbr.matters.low <= bbr.matters.value <= bbr.matters.high
    assert (bbr.regret.most, cubic.regret.most) == pytest.approx(
        (
            two_kinds.bins[1].places[0].gain / (1 + two_kinds.bins[1].places[0].gain),
            1 - 1 / (1 + two_kinds.bins[0].places[0].gain),
        ),
        rel=0.05,
    )


def test_words_table_and_json_tell_the_same(two_kinds: Mix) -> None:
    paragraphs, row = dict(details(two_kinds)), table(two_kinds).texts()[0]
    said = as_object(two_kinds, seconds=1.0, engine="sim")
    bbr = said["candidates"]["bbr"]
    assert paragraphs["Wins"].startswith(f"BBR wins on {100 * bbr['wins']['value']:.0f} %")
    assert f"it matters on {100 * bbr['matters']['value']:.0f} %" in paragraphs["Wins"]
    assert "4 of 4 connections in ss.txt show a path, in 2 bins" in paragraphs["Paths"]
    assert paragraphs["Resent"].startswith("0.130 %")
    assert row[:6] == ["4", "100", "200", "80", "0.1 to 1", "0.130"]
    assert row[6].startswith(f"BBR on {100 * bbr['matters']['value']:.0f} %")
    assert sum(each["connections"] for each in said["bins"]) == said["connections"]["told"] == 4
    assert said["answer"] == dict(answer(two_kinds))
    assert not mixanswers.faults(said, list(answer(two_kinds)))
    assert json.loads(json.dumps(said)) == said


def test_thousands_of_connections_need_few_simulations_and_what_has_no_time_is_told(store: Store) -> None:
    many = captured(connections(2000, 9e6, 0.02, SHALLOW), connections(1, 9e8, 0.15, SHALLOW, first=3000))
    of_many = mix(many, question_of(), SimEngine(), store, seconds=0.1)  # less than the second path takes anywhere
    assert (len(of_many.paths), of_many.not_tried) == (2000, 1)
    assert "1: no time was left to simulate their paths" in dict(details(of_many))["Left out"]


def test_who_harms_the_others_is_not_advised_where_that_counts(store: Store) -> None:
    shared = mix(
        captured(connections(2, 20e6, 0.04, SHALLOW)), question_of(neighbours="cubic:1"), SimEngine(), store, seconds=4
    )
    bbr = shared.standings["bbr"]
    assert bbr.harms.high == 1
    assert (shared.recommendation, shared.ruling.candidate) == ("keep", "cubic")
    paragraphs = dict(answer(shared))
    assert paragraphs["Answer"] == "Keep CUBIC, which 100 % of the connections run."
    assert "Others lose up to" in paragraphs["Why"]


def test_a_file_without_a_path_says_why_of_each(store: Store) -> None:
    near = [Connection(local="a:1", peer=f"b:{nth}", state="ESTAB", min_rtt_s=2e-4, srtt_s=3e-4) for nth in range(3)]
    with pytest.raises(SpecError, match=r"ss\.txt: has 3 connections, and none tells of a path \(3: RTT below 1 ms"):
        mix(captured(near), question_of(), SimEngine(), store, seconds=1)
    with pytest.raises(SpecError, match="has no connection that carries data"):
        capture("ss.txt", b"LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n\t cubic cwnd:10\n")


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        ({"preset": "satellite"}, ["--preset: satellite is about --rtt, and connections tell their paths; leave it"]),
        ({"preset": "policed"}, ["--preset: policed is about --buffer, and connections tell their paths"]),
        ({"preset": "policed", "candidates": "bbr"}, ["--preset: policed is about", "--candidates: 1 of them"]),
    ],
)  # fmt: skip
def test_options_that_a_capture_answers_contradict_it(options: dict[str, str], messages: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        question_of(**options)
    texts = [str(each) for each in caught.value.problems]
    assert len(texts) == len(messages)
    assert all(each.startswith(message) for each, message in zip(texts, messages, strict=True))


def test_job_company_and_goal_are_those_of_every_path() -> None:
    assert question_of().company == (ALONE,)
    question = question_of(preset="office", candidates="cubic,reno", loss="0.1 %")
    assert [(each.cc, each.flows) for each in question.company] == [("cubic", 3)]
    assert (question.candidates, question.loss_ppb) == (("cubic", "reno"), 1_000_000)
    assert question_of(preset="cdn").job.kind == "requests"


@pytest.mark.long
@pytest.mark.slow
def test_a_busy_server_is_answered_whole(store: Store) -> None:
    """98 of 130 connections show a path; the rest is counted by its reason. Most saw packets out of order."""
    busy = mix(read(str(CAPTURES / "server.txt")), question_of(), SimEngine(), store, seconds=60)
    assert (len(busy.paths), busy.not_tried) == (98, 0)
    out_of_order = sum(each.path.reordered for each in busy.contradictions)
    assert out_of_order == sum(each.reordered for each in busy.paths) == 38
    assert len(busy.contradictions) - out_of_order <= 5, "of 60 that did not, on lines that are known"
    assert busy.recommendation == "undecided"
    assert mixanswers.faults(as_object(busy, seconds=1.0, engine="sim"), list(answer(busy))) == []


@pytest.mark.long
@pytest.mark.slow
def test_the_command_answers_in_five_lines_in_words_and_in_json() -> None:
    done = dumbbell("advise", "mix", CAPTURES / "one-line.txt", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    labels = [line[:10].strip() for line in done.stdout.splitlines() if line[:1].strip()]
    assert labels == ["Answer", "Why", "When not", "Sure?", "Next"]
    more = dumbbell("advise", "mix", CAPTURES / "one-line.txt", "--details", COLUMNS="80").stdout
    assert more.startswith(done.stdout.splitlines()[0])
    for label in ("Paths", "Wins", "If wrong", "Resent", "Harm", "Not explained", "To know", "Sure?"):
        assert f"\n{label} " in more
    assert max(map(len, more.splitlines())) <= 80
    said = json.loads(dumbbell("advise", "mix", CAPTURES / "established.txt", "--json").stdout)
    explained = said["connections"]["told"] - said["connections"]["unexplained"]
    assert (said["connections"]["told"], explained) == (10, sum(each["connections"] for each in said["bins"]))
    assert said["cc"] == {"cubic": 8, "bbr": 2}
    assert mixanswers.faults(said, list(said["answer"].items())) == []


@pytest.mark.long
@pytest.mark.slow
def test_the_review_is_told_that_its_file_does_not_decide(tmp_path: File) -> None:
    capture_ = tmp_path / "ss.txt"
    capture_.write_text(REVIEW, encoding="utf-8")
    for more in ((), ("--loss", "1.8%")):
        said = json.loads(dumbbell("advise", "mix", capture_, "--json", *more).stdout)
        assert (said["recommendation"], said["algorithm"], said["unexplained"]["sent_bytes"]) == ("undecided", None, 1)
        assert said["answer"]["Answer"].startswith("This file does not decide")
        assert said["answer"]["Sure?"].startswith("No.")


@pytest.mark.long
@pytest.mark.slow
def test_iperf3s_json_is_advised_on() -> None:
    said = json.loads(dumbbell("advise", "mix", CAPTURES / "iperf3.json", "--json").stdout)
    assert (said["connections"]["told"], said["cc"], said["algorithm"]) == (1, {"cubic": 1}, "cubic")
    assert mixanswers.faults(said, list(said["answer"].items())) == []


def test_bad_files_are_one_message_and_status_2(tmp_path: File) -> None:
    table_ = tmp_path / "mine.csv"
    table_.write_text("rate,rtt\n10,20\n", encoding="utf-8")
    other = tmp_path / "other.json"
    other.write_text('{"rate": 3}', encoding="utf-8")
    for source, text in (
        (table_, "is no output of `ss -tin`"), (tmp_path / "absent", "cannot be read: no such file"),
        (other, "is JSON, and not iperf3's; give what `iperf3 -c HOST --json` wrote"),
    ):  # fmt: skip
        done = dumbbell("advise", "mix", source)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"{source}: {text}")
        assert len(done.stderr.splitlines()) == 1


def test_options_of_a_path_are_none_of_a_servers() -> None:
    done = dumbbell("advise", "mix", CAPTURES / "server.txt", "--rate", "10mbit")
    assert done.returncode == 2
    assert "No such option: --rate" in done.stderr
    done = dumbbell("advise", "--loss", "1%", "mix", CAPTURES / "server.txt")
    assert done.returncode == 2
    assert done.stderr == "--loss: stands before mix; write it behind mix\n"
