"""What the page says of where it was validated is what was validated."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dev.strata.conditions import conditions
from dumbbell.explorer.page import bounds, tables
from outside import OUTSIDE, spec_with
from webtab import WASM

EACH = 12
SEED = 20261123


def standing(texts: Sequence[str], node: str, folder: Path) -> list[dict[str, Any]]:
    given = folder / "given.json"
    given.write_text(json.dumps({"tables": tables(), "bounds": bounds(), "texts": texts, "wasm": str(WASM)}))
    program = [node, str(Path(__file__).with_name("bounds.mjs")), str(given)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("stratum", bounds())
def test_each_condition_of_a_stratum_is_within(stratum: str, node: str, tmp_path: Path) -> None:
    texts = [experiment.toml() for experiment in conditions(EACH, SEED, stratum)]
    standings = standing(texts, node, tmp_path)
    assert [(text, each["text"]) for text, each in zip(texts, standings, strict=True) if not each["isInside"]] == []


@pytest.mark.parametrize("line", OUTSIDE)
def test_what_is_outside_is_named(line: str, node: str, tmp_path: Path) -> None:
    (verdict,) = standing([spec_with(line)], node, tmp_path)
    assert not verdict["isInside"]
    assert OUTSIDE[line] in verdict["text"]
