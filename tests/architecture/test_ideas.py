"""Where each idea is said: the table of a decision, held to the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECISION = ROOT / "docs/decisions/0015-each-idea-once.md"
NAMED = re.compile(r"`([\w/]+\.(?:py|rs))`((?:,? `\w+`)*)")


def rows() -> list[tuple[str, str]]:
    table = [line for line in DECISION.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [
        (path, name)
        for line in table
        for path, names in NAMED.findall(line)
        for name in re.findall(r"\w+", names) or [""]
    ]


@pytest.mark.parametrize(("path", "name"), rows())
def test_an_idea_is_said_where_the_decision_says(path: str, name: str) -> None:
    file = ROOT / path if path.startswith(("crates/", "dev/")) else ROOT / "python/dumbbell" / path
    code = file.read_text(encoding="utf-8")
    defined = rf"^\s*(?:pub(?:\(crate\))? )?(?:const )?(?:def|class|fn|struct|const) {name}\b|^{name}\b.* ="
    assert not name or re.search(defined, code, re.MULTILINE), f"{path} has no {name}"


def test_the_decision_names_places() -> None:
    assert len(rows()) > 20
