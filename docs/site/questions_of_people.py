"""The page "twelve questions": what people ask, the command, its answer and how long that took.

`python docs/site/questions_of_people.py` asks each of them anew and writes `docs/answers/twelve-questions.md`. The
answers are the same on every machine, the times are not: they are of the machine that wrote the page, named on it.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "answers" / "twelve-questions.md"


class Question(NamedTuple):
    """A question in words, and as a command asks it."""

    title: str
    about: str
    command: str


QUESTIONS: Final = (
    Question("A content delivery network", "Objects of a megabyte, on a home line.", "advise --preset cdn"),
    Question(
        "An office's uplink", "Three colleagues upload; mine is the fourth.", "advise --preset office --starts joins"
    ),
    Question(
        "A nightly backup", "One gigabyte over a long fast line.", "advise --preset backup --rate 1gbit --rtt 80ms"
    ),
    Question(
        "A video call", "Its stream meets an upload that is there.",
        "advise --stream 3mbit --rate 20mbit --rtt 30ms --beside cubic:1",
    ),
    Question("A satellite", "Geostationary: 600 ms.", "advise --preset satellite"),
    Question("A line with a policer", "It drops what exceeds the rate, and hardly queues.", "advise --preset policed"),
    Question("5G", "A radio whose rate changes every few seconds.", "advise --preset 5g"),
    Question("A data centre", "Less than a millisecond.", "advise --rate 10gbit --rtt 0.2ms"),
    Question("A file server", "`ss -tin` of its connections.", "advise mix tests/metrics/captures/server.txt"),
    Question(
        "A server whose packets arrive out of order", "Likewise.", "advise mix tests/metrics/captures/reordered.txt"
    ),
    Question(
        "A server on known lines", "Linux's own flows, whose lines were known.",
        "advise mix tests/metrics/captures/known-lines.txt",
    ),
    Question(
        "Everybody switches", "Ten others do what I do.", "advise --rate 100mbit --rtt 40ms --beside same:10"
    ),
)  # fmt: skip


def answered(question: Question, cache: Path) -> tuple[str, float]:
    """What the command prints, and how many seconds that takes with nothing stored."""
    environment = {**os.environ, "COLUMNS": "80", "DUMBBELL_CACHE": str(cache)}
    began = time.monotonic()
    done = subprocess.run(  # noqa: S603 (our own command)
        [sys.executable, "-m", "dumbbell", *shlex.split(question.command)], cwd=ROOT, env=environment, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    return (done.stdout + done.stderr).rstrip(), time.monotonic() - began


def page() -> Iterator[str]:
    """The page, block by block."""
    cores = os.cpu_count()
    yield "<!-- Made by `make answers`: edit docs/site/questions_of_people.py instead. -->\n# Twelve questions"
    yield (
        "What people ask of a line, each as one command with its answer. `--details` behind any of them prints every\n"
        f"case. Times are of one machine ({cores} cores, {platform.machine()}), from the command to the answer, with\n"
        "nothing stored; asked again it takes a third of a second."
    )
    with tempfile.TemporaryDirectory(prefix="dumbbell-") as folder:
        for nth, each in enumerate(QUESTIONS, 1):
            text, seconds = answered(each, Path(folder))
            yield f"## {nth}. {each.title}\n\n{each.about} {seconds:.1f} s."
            yield f"```text\n$ dumbbell {each.command}\n{text}\n```"
            print(each.title, f"{seconds:.1f} s")


if __name__ == "__main__":
    PAGE.write_text("\n\n".join(page()) + "\n", encoding="utf-8", newline="\n")
    print(PAGE.relative_to(ROOT))
