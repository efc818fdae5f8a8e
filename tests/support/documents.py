"""The examples of the documentation: what its pages tell a reader to type, and what they show as printed.

A fenced block of a page is an example by its language: `console` has commands, each behind `$ `, and below it what it
prints; `toml` is a spec, or what a spec says beside the smallest; `python` is run, and a `text` block right behind it
that is marked as printed is what it prints. A line `...` stands for any lines that are left out. A comment right
before a block, or before an image, says more:

    <!-- file: experiment.toml -->   the block is saved under that name before what follows is run
    <!-- not run: why -->            nobody runs it in a test
    <!-- not a spec: why -->         it is other TOML
    <!-- needs a kernel -->          run where `linux` has one
    <!-- needs root -->              run where `netns` can measure
    <!-- exits with 1 -->            so do all of its commands
    <!-- printed -->                 by the block before it
    <!-- picture: share.svg -->      the image is a copy of that file, which a command of the page has made
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from commandline import ROOT, typed

USAGE = ROOT / "docs" / "cli.md"
"""Its commands are forms and no examples."""
_FOLDERS = [ROOT / "docs", ROOT / "docs" / "how-to", ROOT / "docs" / "answers", ROOT / "docs" / "model"]
PAGES = sorted({ROOT / "README.md", *(page for folder in _FOLDERS for page in folder.glob("*.md"))} - {USAGE})
GENERATED = {"docs/validation.md": "made by `make validation`, with commands that take an hour"}
"""Pages that are written by a program, and why no test runs them."""
_COMMENT = re.compile(r"<!-- (.+?) -->\s*")
_IMAGE = re.compile(r"!\[[^]]+\]\(([^)]+)\)")
_MACHINE = re.compile(
    r"(\b(?:about|in|took|within) |, |^ +(?=[\d.,]+ \w+;))"  # the last one: where a line was broken behind its comma
    r"\d[\d.,]* (?:ms|s|seconds?|minutes?|min|h|hours?)(?: on \d+ cores?)?(?=;|,|\.|$)"
)
"""How long something took or will take: this machine's, and not the document's."""
_MEMORY = re.compile(r"\b[\d.,]+ [kMG]B memory\b")
"""What runs will need: likewise."""
_FORECAST = "; Ctrl-C keeps what is finished, and the same command goes on"
"""Ends what only a slow machine says, before runs that take it a minute."""
_HASH = re.compile(r"\b[0-9a-f]{12,16}\b")
"""An identity of an engine, or a run's: another one whenever the engine's sources change."""
_ELSEWHERE = "..."


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block, or one image that is a paragraph."""

    page: Path
    first: int
    """Number of its first line, from 0, behind the fence."""
    language: str
    """That of the fence; `image` of an image."""
    lines: tuple[str, ...]
    mark: str
    """The comment right before it."""

    @property
    def text(self) -> str:
        """All lines."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def place(self) -> str:
        """Where to find it."""
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.first}"

    def text_after(self, mark: str) -> str | None:
        """What a comment says behind these words; None: it does not say them."""
        return self.mark.removeprefix(mark).strip() if self.mark.startswith(mark) else None


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a console, and what the page shows of its output."""

    typed: tuple[str, ...]
    """Its lines."""
    shown: tuple[str, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        """Its words."""
        lines = (line.removeprefix("$ ").removeprefix("> ").removesuffix("\\") for line in self.typed)
        return tuple(shlex.split("".join(lines), comments=True))

    @property
    def program(self) -> str:
        """The name of the program."""
        return Path(self.arguments[0]).name


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    generated = GENERATED.get(page.relative_to(ROOT).as_posix())
    collected = []
    for before, token in pairwise([None, *MarkdownIt().enable("table").parse("\n".join(lines))]):
        if token is None or not token.map:
            continue
        comment = _COMMENT.fullmatch(before.content) if before is not None and before.type == "html_block" else None
        mark = f"not run: {generated}" if generated else comment[1] if comment else ""
        first, end = token.map
        if token.type == "fence":
            language = token.info.split(" ")[0]
            collected.append(Block(page, first + 1, language, tuple(lines[first + 1 : end - 1]), mark))
        elif token.type == "paragraph_open" and (image := _IMAGE.fullmatch(" ".join(lines[first:end]))):
            collected.append(Block(page, first, "image", (image[1],), mark))
    return collected


def commands(block: Block) -> list[Command]:
    """The commands of a console, those over several lines joined."""
    entries: list[tuple[list[str], list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            entries.append(([line], []))
        elif entries and not entries[-1][1] and entries[-1][0][-1].endswith("\\"):
            entries[-1][0].append(line)
        else:
            assert entries, f"{block.place}: a console begins with a command"
            entries[-1][1].append(line)
    return [Command(tuple(lines), tuple(shown)) for lines, shown in entries]


def same(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether a page shows what was printed, apart from lines left out and from how long things took."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == _ELSEWHERE else re.escape(_masked(line.rstrip())) + r"\n" for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{_masked(line.rstrip())}\n" for line in printed)) is not None


def refreshed(shown: tuple[str, ...], printed: tuple[str, ...]) -> tuple[str, ...]:
    """What a page should show: as many lines before and behind what it leaves out as now."""
    printed = tuple(line.rstrip() for line in printed)
    if same(shown, printed):
        return shown
    if _ELSEWHERE not in shown:
        return printed
    head, tail = shown.index(_ELSEWHERE), shown[::-1].index(_ELSEWHERE)
    return printed if head + tail >= len(printed) else (*printed[:head], _ELSEWHERE, *printed[len(printed) - tail :])


def _masked(line: str) -> str:
    return _HASH.sub("HASH", _MEMORY.sub("MEMORY", _MACHINE.sub(r"\1TIME", line)))


def _expanded(word: str) -> list[str]:
    """As a shell does with names of files."""
    return sorted(map(str, Path().glob(word))) if "*" in word and " " not in word else [word]


def run(command: Command) -> tuple[int, tuple[str, ...]]:
    """Types a command in the current folder; gives its status and what a terminal would show."""
    if command.program == "ls":
        return 0, tuple(sorted(path.name for path in Path(*(command.arguments[1:] or ["."])).iterdir()))
    if command.program == "cat":
        return 0, tuple(Path(command.arguments[1]).read_text(encoding="utf-8").splitlines())
    assert command.program == "dumbbell", f"{command.arguments[0]}: no test runs it; mark the block as not run"
    arguments = tuple(each for word in command.arguments[1:] for each in _expanded(word))
    target = None
    if len(arguments) > 2 and arguments[-2] == ">":
        arguments, target = arguments[:-2], Path(arguments[-1])
    status, printed = typed(*arguments, COLUMNS="80", NO_COLOR="1")
    if target:
        target.write_text(printed, encoding="utf-8")
        return status, ()
    return status, tuple(line for line in printed.splitlines() if not line.endswith(_FORECAST))


@dataclass(slots=True)
class Run:
    """A page, run from its top to its end in the current folder."""

    page: Path
    lacking: Collection[str]
    """Marks of blocks that cannot be run here."""
    pictures: dict[Path, bytes] = field(default_factory=dict)
    """What its images should be, by their files; complete when `problems` is at its end."""

    def problems(self) -> Iterator[tuple[str, list[str]]]:
        """Every difference between the page and what happens: where, and the lines that it should have there."""
        names: dict[str, Any] = {"__name__": "__main__"}
        every = blocks(self.page)
        for block, following in pairwise([*every, Block(self.page, 0, "", (), "")]):
            if block.text_after("not run:") is not None or block.mark in self.lacking:
                continue
            if name := block.text_after("file:"):
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(block.text, encoding="utf-8")
            elif picture := block.text_after("picture:"):
                self.pictures[self.page.parent / block.lines[0]] = Path(picture).read_bytes()
            elif block.language == "console":
                wanted = self._console(block)
                if wanted != list(block.lines):
                    yield block.place, wanted
            elif block.language == "python":
                printed = self._python(block, names)
                if following.language == "text" and following.text_after("printed") is not None:
                    wanted = list(refreshed(following.lines, printed))
                    if wanted != list(following.lines):
                        yield following.place, wanted

    def _console(self, block: Block) -> list[str]:
        wanted: list[str] = []
        expected = int(block.text_after("exits with") or 0)
        for command in commands(block):
            status, printed = run(command)
            said = "\n".join(printed)
            assert status == expected, f"{block.place}: {' '.join(command.arguments)}: exit {status}\n{said}"
            wanted += [*command.typed, *(refreshed(command.shown, printed) if command.shown else ())]
        return wanted

    def _python(self, block: Block, names: dict[str, Any]) -> tuple[str, ...]:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block.text, block.place, "exec"), names)  # noqa: S102 (our own words)
        return tuple(printed.getvalue().splitlines())


def with_outputs(page: Path, changes: list[tuple[str, list[str]]]) -> str:
    """A page's text with other lines in some of its blocks."""
    lines = page.read_text(encoding="utf-8").splitlines()
    wanted = {int(place.rpartition(":")[2]): new for place, new in changes}
    for block in reversed(blocks(page)):
        if block.first in wanted:
            lines[block.first : block.first + len(block.lines)] = wanted[block.first]
    return "\n".join([*lines, ""])
