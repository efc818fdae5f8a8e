"""Answers as a person reads them: each sentence is true of the answer's own table, in usual cases and random ones."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from copy import deepcopy
from itertools import cycle, product
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from dumbbell.advice.question import GOALS, PRESETS
from dumbbell.cli.main import app
from fivelines import LABELS
from pathanswers import faults
from terminals import on_a_terminal

BEFORE: Final = json.loads(Path(__file__).with_name("data").joinpath("before.json").read_text(encoding="utf-8"))
"""What `advise` answered before it said five lines: about a CDN, and about a line with 1 % random loss."""
QUESTIONS: Final = int(os.environ.get("ADVICE_QUESTIONS", "4"))
"""How many random ones; `make check-answers` has 200."""
SEED: Final = int(os.environ.get("ADVICE_SEED", "1"))
ONCE_WRONG: Final = [
    "--preset cdn --for fairness --loss 1% --rate 5mbit --rtt 80ms --starts together",  # alike, and one right
    "--preset 5g --for completion --rate 10mbit --rtt 200ms --starts any --now bbr",  # 643 letters
]
PATHS: Final = [
    f"--rate {rate}mbit --rtt {rtt}ms {question}"
    for (rate, rtt), question in zip(
        product((2, 5, 10, 20), (10, 40, 100)),
        cycle((
            "--for balanced", "--beside cubic:1 --for goodput", "--beside bbr:1 --now cubic", "--beside none --loss 1%",
            "--beside same:3 --for fairness --now bbr", "--beside cubic:4 --for latency",
            "--transfer 3MB --beside cubic:1",
        )),
    )
]  # fmt: skip
"""Twelve, each of another rate and RTT."""
MANAGED: Final = ("fifo", "codel", "fq_codel", "pie")


def answer_to(*options: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The answer as JSON, and its lines as the terminal has them."""
    runner = CliRunner()
    done = runner.invoke(app(), ["advise", *options, "--json"])
    assert done.exit_code == 0, done.output or done.exception
    printed = runner.invoke(app(), ["advise", *options], env={"COLUMNS": "1000"})
    lines = {line[:10].strip(): line[10:] for line in printed.stdout.splitlines()}
    return json.loads(done.stdout), lines


def question(number: int) -> list[str]:
    """A random one: slow lines, whose runs are short."""
    draw = Random(f"{SEED} {number}")  # noqa: S311 (no secret)
    preset, goal = draw.choice([None, *PRESETS]), draw.choice([None, *GOALS])
    company = draw.choice([None, "none", "cubic:1", "cubic:10", "cubic:50", "bbr:1", "reno:2"])
    loss = draw.choice([None, "0.1%", "1%", "5%"])
    options = {"--preset": preset, "--for": goal, "--beside": company, "--loss": loss}
    options["--rate"] = f"{draw.choice([2, 5, 10, 20])}mbit"
    options["--rtt"] = f"{draw.choice([10, 30, 80, 200])}ms"
    if preset != "policed" and draw.random() < 0.3:
        options["--buffer"] = f"{draw.choice([2, 5, 20])}bdp"
    options["--starts"] = draw.choice([None, None, "joins", "first", "together", "any"])
    options["--now"] = draw.choice([None, None, "cubic", "bbr"])
    if preset in {None, "office", "satellite", "policed"} and draw.random() < 0.4:
        job = draw.choice(
            [("--transfer", "3MB"), ("--transfer", "300MB"), ("--requests", "200kB"), ("--stream", "1mbit")]
        )
        options[job[0]] = job[1]
    return [word for name, text in options.items() if text for word in (name, text)]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("options", [*ONCE_WRONG, *(" ".join(question(number)) for number in range(QUESTIONS))])
def test_an_answer_says_nothing_against_its_table(options: str) -> None:
    answer, lines = answer_to(*options.split())
    assert faults(answer, lines) == []
    assert lines == answer["answer"]


@pytest.mark.long(takes_s=30)
@pytest.mark.slow
@pytest.mark.parametrize("qdisc", MANAGED)
@pytest.mark.parametrize("options", PATHS)
def test_an_answer_about_any_queue_says_nothing_against_its_table(options: str, qdisc: str) -> None:
    answer, lines = answer_to(*options.split(), "--qdisc", qdisc, "--seeds", "2")
    assert faults(answer, lines) == []
    assert ("Outside of what was validated." in lines["Sure?"]) != answer["inside_validated"]
    assert qdisc == "fifo" or "ping" not in " ".join(lines.values()).lower(), "a load does not show such a queue"


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.slow
def test_a_preset_alone_is_a_question_and_says_what_it_assumes(preset: str) -> None:
    answer, lines = answer_to("--preset", preset, "--seeds", "2")
    assert faults(answer, lines) == []
    assert f"Preset {preset} assumes --rate {PRESETS[preset]['rate']}, --rtt {PRESETS[preset]['rtt']}" in lines["Sure?"]


@pytest.mark.slow
def test_a_link_is_a_question_and_the_answer_says_what_it_gives() -> None:
    answer, lines = answer_to("--link", "dsl_25_5", "--back", "1mbit", "--beside", "none", "--seeds", "2")
    assert faults(answer, lines) == []
    given = "Link dsl_25_5 gives --rate 25 Mbit/s, --rtt 50 ms, --buffer 250 ms, and the rest of its keys."
    assert f"{given} The way back has 1 Mbit/s. Outside of what was validated." in lines["Sure?"]
    assert "a way back of delay alone was" in answer["outside"]


@pytest.mark.parametrize("before", BEFORE, ids=["cdn", "loss"])
def test_what_advise_once_said_does_not_pass(before: Mapping[str, Any]) -> None:
    lines = before["lines"]
    wrong = faults(before["json"], lines)
    assert any("labels are" in each for each in wrong)
    rewritten = dict(zip(LABELS, (lines["Advice"], "", "Nothing that was tried.", "", ""), strict=True))
    wrong = faults(before["json"], rewritten)
    if before["json"]["recommendation"] == "keep":
        assert any("CUBIC is right in" in each for each in wrong), (
            "KEEP CUBIC, and three of four companies say otherwise"
        )
    else:
        assert any(each.startswith("flips_at:") for each in wrong), "an undecided case was an order to use CUBIC"


@pytest.mark.slow
def test_each_lie_is_noticed() -> None:
    answer, lines = answer_to(
        "--rate", "10mbit", "--rtt", "40ms", "--beside", "none", "--for", "goodput", "--seeds", "3"
    )
    assert faults(answer, lines) == []
    other = {"Use CUBIC.": "Use BBR.", "Use BBR.": "Use CUBIC."}[lines["Answer"]]
    assert faults(answer, {**lines, "Answer": other})
    assert faults(answer, {**lines, "Answer": "Nobody can say from these cases."})
    assert faults(answer, {**lines, "Answer": "It depends on the queue. BBR."})
    assert faults(answer, {**lines, "When not": "Alone: BBR, 9 instead of 8 Mbit/s."})
    assert faults(answer, {**lines, "When not": "Nobody can say in 7 of 7 cases."})
    assert faults(answer, {**lines, "Why": lines["Why"].replace(" in ", " in 9")})
    assert faults(answer, {**lines, "Why": "BBR instead: -90 to +900 % goodput for you."})
    assert faults(answer, {**lines, "Next": "word " * 120})
    assert faults(answer, {**lines, "Sure?": "Yes: 1 of 7 cases are decided by 3 seeds."})
    undecided = deepcopy(answer)
    for row in undecided["table"]:
        row["verdict"] = "open"
    assert faults(undecided, lines), "an undecided case is no instruction"


@pytest.mark.slow
def test_a_terminal_shows_a_first_answer_after_one_seed_and_the_answer_is_on_standard_output() -> None:
    command = ("advise", "--rate", "5mbit", "--rtt", "40ms", "--beside", "none", "--for", "goodput", "--seeds", "3")
    shown = on_a_terminal(*command)
    assert re.search(r"So far, by one seed: (Use|It depends|It does not matter|Nobody)", shown), shown
    assert "Why" not in shown
    assert "So far" not in CliRunner().invoke(app(), command).stderr, "nobody watches"
