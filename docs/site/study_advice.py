"""The answers of `dumbbell advise` to the questions of the studies' documents, in their `advice.toml`.

`python docs/site/study_advice.py` asks each question anew and writes the answer below it: the same on every machine.
"""

from __future__ import annotations

import shlex
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from dumbbell.advice.advice import answer
from dumbbell.advice.question import question
from dumbbell.advice.runs import store_for
from dumbbell.advice.text import answer as lines
from dumbbell.engines.catalogue import catalogue
from dumbbell.engines.sim import SimEngine
from dumbbell.spec.source import toml
from dumbbell.studies.manifest import ADVICE, Advised, advised_of, folder_of, names

ROOT: Final = Path(__file__).parents[2]


def advised() -> dict[Path, Advised]:
    """The files of the studies that ask a question, and what they say."""
    folders: dict[str, Traversable] = {name: folder_of(name) for name in names()}
    asking = {Path(str(folder.joinpath(ADVICE))): advised_of(folder) for folder in folders.values()}
    return {path: each for path, each in asking.items() if each}


def answered(asking: Advised) -> Advised:
    """The question with the answer that the simulator gives now."""
    written = shlex.split(asking.options)
    options = {name.removeprefix("--"): text for name, text in zip(written[::2], written[1::2], strict=True)}
    about, engine = question(options, catalogue()), SimEngine()
    with store_for(about, engine) as store:
        return asking.model_copy(update={"answer": dict(lines(answer(about, engine, store)))})


def main() -> None:
    """Writes each answer below its question."""
    for path, each in advised().items():
        path.write_text(toml(answered(each).model_dump()), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
