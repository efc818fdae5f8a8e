"""What the page begins with, what it offers, and its guided tour."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def presets() -> dict[str, list[dict[str, Any]]]:
    """`presets` and `tour`, each a list of experiments with a title, words and a spec."""
    return tomllib.loads(files("dumbbell.explorer").joinpath("presets.toml").read_text(encoding="utf-8"))
