"""Every key that a spec may have, as `crates/spec` says it: meaning, kind, units, default, limits, examples."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import dumbbell._core as _core


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a spec."""

    path: str
    """Where it stands: `path.loss`, `flows[].access.rate`; `[]`: in each table of a list."""
    meaning: str
    """Sentences, in Markdown."""
    required: bool
    default: Any
    """As a spec would write it; None: there is no value that says the same."""
    swept: bool
    """Whether a list makes it an axis of the sweep."""
    several: bool
    """Whether a list has several at once."""
    noun: str
    """What it takes: `a rate`, `a whole number`, `one of`, …"""
    units: tuple[str, ...]
    options: tuple[str, ...]
    """Words that may stand there."""
    limits: str
    """As a spec's messages say them; empty: none."""
    examples: tuple[Any, ...]
    """Values, as a spec would write them."""
    extremes: tuple[Any, ...]
    """The least and the most, and where the unit can say it what is just above the least."""


def schema() -> str:
    """Give the keys as a JSON Schema (2020-12), for editors that check TOML by one."""
    return json.dumps(json.loads(_core.schema()), indent=1, ensure_ascii=False) + "\n"


@cache
def keys() -> tuple[Key, ...]:
    """Give every key of a spec and of the tables in it, in their order."""
    return tuple(Key(**key) for key in iter(_core.keys()))
