"""What `docs/STYLE.md` asks for, as far as a test can hold it: names, words, and how long each room may be."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import identifiers
from commandline import ROOT

PACKAGE: Final = ROOT / "python" / "dumbbell"
DEV: Final = ROOT / "dev"
BUDGETS: Final = Path(__file__).with_name("budgets.toml")
PHRASE: Final = re.compile(
    r"(?<![-\w])(?:told|tells?|found|asked|held|kept|words|whole|beside|by itself|comes? to|carr(?:y|ied) out)\b(?!-)",
    re.IGNORECASE,
)
PAGES: Final = (
    "README.md",
    "docs/cli.md",
    "docs/tutorial.md",
    "docs/index.md",
    "docs/questions.md",
    "docs/how-to/*.md",
)
"""What users read first; `cli.md` is the help of all commands."""
TAGS: Final = re.compile(r"\{[{%#].*?[}%#]\}", re.DOTALL)
TEXT: Final = re.compile(r'"((?:\\.|[^"\\\n]|\\\n)*)"|`((?:\\.|[^`\\])*)`')
FILLED: Final = re.compile(r"\$?\{[^}]*\}")
"""What a text has in braces is code."""
COMMENT: Final = re.compile(r"//[^\n]*")
UNIT: Final = re.compile(r" ?(?:[kMG]?bit/s|[mun]?s|%|[kMG]i?B|BDP|packets/s|points)(?![\w/])")
WRITES_NUMBERS: Final = {"metrics", "tables"}


@cache
def budgets() -> dict[str, Any]:
    return tomllib.loads(BUDGETS.read_text(encoding="utf-8"))


def sources(pattern: str) -> list[Path]:
    files = [path for path in ROOT.glob(pattern) if "tests" not in path.relative_to(ROOT).parts]
    assert files, pattern
    return files


def texts(file: Path) -> Iterator[str]:
    """The texts of a module that have a blank, but for docstrings: what users may read."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {
        id(each.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        for each in node.body
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def user_texts() -> Iterator[str]:
    for file in sources("python/dumbbell/**/*.py"):
        yield from (text for text in texts(file) if " " in text)
    for file in sources("python/dumbbell/**/*.j2"):
        yield TAGS.sub("", file.read_text(encoding="utf-8"))
    for pattern in ("crates/spec/src/**/*.rs", "crates/cc/src/**/*.rs", "explorer/src/**/*.js"):
        for file in sources(pattern):
            code = COMMENT.sub("", file.read_text(encoding="utf-8"))
            literals = (text for match in TEXT.finditer(code) for text in match.groups() if text and " " in text)
            yield from (FILLED.sub("", text) for text in literals)
    for pattern in PAGES:
        yield from (file.read_text(encoding="utf-8") for file in sources(pattern))


def test_no_identifier_says_too_little() -> None:
    """But for fields that are published: keys of what is stored, printed as JSON, or written in a study's files."""
    files = identifiers.sources("python", "dev", "crates", "explorer", "tests", "docs", "bench")
    assert len(files) > 500
    published = budgets()["published"]
    offenders = [
        f"{place}:{line}: {name}"
        for file in files
        for place in [str(file.relative_to(ROOT))]
        for line, name in identifiers.offenders(file)
        if not any(place.startswith(room) for room in published.get(name, ()))
    ]
    assert offenders == []


def test_what_users_read_has_fewer_and_fewer_words_that_say_too_little() -> None:
    count = Counter(match[0].lower() for text in user_texts() for match in PHRASE.finditer(text))
    assert dict(sorted(count.items())) == budgets()["phrases"], "where it fell, lower tests/architecture/budgets.toml"


def numbers_with_units(code: str) -> Iterator[str]:
    """What an f-string formats with a unit behind it, or in %; verbs, which have an "s", are no numbers."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FormattedValue) and node.format_spec and ast.unparse(node.format_spec).endswith("%'"):
            yield ast.unparse(node.value)
        for value, text in pairwise(node.values if isinstance(node, ast.JoinedStr) else ()):
            if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant) and UNIT.match(str(text.value)):
                number = ast.unparse(value.value)
                yield from [number] * (not number.endswith("verb"))


def test_what_has_a_unit_behind_it_is_seen() -> None:
    code = """f"{1e3 * rtt_s:.3g} ms, {100 * share}% of {size} GiB, {each.verb}s, {text} started, {late:.1%}" """
    assert list(numbers_with_units(code)) == ["1000.0 * rtt_s", "100 * share", "size", "late"]


def test_fewer_and_fewer_rooms_write_units_behind_numbers() -> None:
    """`metrics/number.py` does, and `spec/quantity.py` what a spec has."""
    rooms = Counter(
        room
        for file in sources("python/dumbbell/**/*.py")
        if (room := file.relative_to(PACKAGE).parts[0]) not in WRITES_NUMBERS
        for _ in numbers_with_units(file.read_text(encoding="utf-8"))
    )
    assert dict(sorted(rooms.items())) == budgets()["units"], "where it fell, lower tests/architecture/budgets.toml"


def test_a_class_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for file in (*sources("python/dumbbell/**/*.py"), *sources("dev/**/*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(file.relative_to(ROOT if file.is_relative_to(DEV) else PACKAGE)))
    assert len(places) > 300
    assert {name: sorted(files) for name, files in places.items() if len(files) > 1} == budgets()["classes"]


def test_a_room_keeps_to_its_budget_of_lines() -> None:
    lines: Counter[str] = Counter()
    for file in sources("python/dumbbell/**/*.py"):
        room = file.relative_to(PACKAGE).parts[0]
        lines[room if (PACKAGE / room).is_dir() else "."] += file.read_text(encoding="utf-8").count("\n")
    lines[DEV.name] = sum(file.read_text(encoding="utf-8").count("\n") for file in sources("dev/**/*.py"))
    over = {room: f"{count} lines, {budgets()['lines'].get(room, 0)} are its budget"
            for room, count in lines.items() if count > budgets()["lines"].get(room, 0)}  # fmt: skip
    assert over == {}
    assert lines.keys() == budgets()["lines"].keys()
