"""Packages that only some studies need: extras of dumbbell, which an installation may not have."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from dumbbell.errors import MissingExtra

PACKAGES: Final = {"trees": ("sklearn", "scikit-learn")}
"""What Python and pip call the package of each extra."""


def absence(extra: str) -> str:
    """That an extra is not installed, and how to install it; empty where it is, and of none."""
    name, package = PACKAGES.get(extra, ("", ""))
    return f'{package} is not installed: pip install "dumbbell[{extra}]"' if name and find_spec(name) is None else ""


def imported(extra: str, module: str, name: str) -> Any:  # noqa: ANN401 (whatever the package has)
    """What a module of an extra's package calls so.

    Raises:
        MissingExtra: it is not installed.
    """
    if message := absence(extra):
        raise MissingExtra(message)
    return getattr(import_module(f"{PACKAGES[extra][0]}.{module}"), name)
