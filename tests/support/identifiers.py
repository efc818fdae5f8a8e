"""Identifiers of this repository that have a word in them which says too little: `docs/STYLE.md` says what to write.

    python tests/support/identifiers.py [PATH ...]

prints the place of each, in the files below these paths that git knows.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FORBIDDEN: Final = frozenset({"told", "tell", "found", "asked", "held", "kept", "words", "whole", "beside"})
"""As a part of a name: `found`, `is_found`, `foundPoints`."""
PHRASES: Final = re.compile(r"(?i:carry_?out|carried_?out|by_?itself|comes_?to)")
ALLOWED: Final = frozenset({
    "FileNotFoundError", "ModuleNotFoundError", "NotFound", "PackageNotFoundError", "break_long_words",
    "goodput_whole_bps",
})  # fmt: skip
"""Names of others, and of results that are published."""
SUFFIXES: Final = (".py", ".pyi", ".rs", ".js")
NAMES: Final = ("id", "attr", "arg", "name", "asname", "rest")
"""Fields of a syntax tree of Python that hold an identifier."""
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_NO_CODE: Final = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | r(\#*)".*?"\1 | b?"(?:\\.|[^"\\])*" | b?'(?:\\.[^']*|[^'\\])' | `(?:\\.|[^`\\])*`""",
    re.VERBOSE | re.DOTALL,
)
"""Comments and texts of Rust and JavaScript; what a template of JavaScript has in braces, too."""


def offends(name: str) -> bool:
    """Whether a name has a forbidden part; a test's name is a sentence, and may.

    >>> [offends(name) for name in ("found", "asked_of_all", "toldShare", "foundation", "carryOut", "test_all_is_told")]
    [True, True, True, False, True, False]
    """
    if name in ALLOWED or name.startswith("test_"):
        return False
    return bool(PHRASES.search(name)) or any(part.lower() in FORBIDDEN for part in _PART.findall(name))


def offenders(file: Path) -> Iterator[tuple[int, str]]:
    """The line and the name of each, in a file of Python, Rust or JavaScript."""
    if file.suffix in {".py", ".pyi"}:
        names = sorted(set(_of_python(file)))
    else:
        text = _NO_CODE.sub(lambda match: "\n" * match[0].count("\n"), file.read_text(encoding="utf-8"))
        names = [
            (number, name) for number, line in enumerate(text.splitlines(), start=1) for name in _NAME.findall(line)
        ]
    yield from (each for each in names if offends(each[1]))


def _of_python(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        for field in NAMES:
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield getattr(node, "lineno", 0), name


def sources(*paths: str) -> list[Path]:
    """The files of code that git knows, below these paths."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *paths],  # noqa: S607 (git is where the user has it)
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if name.endswith(SUFFIXES)]


if __name__ == "__main__":
    for source in sources(*sys.argv[1:]):
        for line, name in offenders(source):
            sys.stdout.write(f"{source.relative_to(ROOT)}:{line}: {name}\n")
