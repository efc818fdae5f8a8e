"""`suite.toml`: what a suite says of itself and of its scenarios, each of which is a spec beside it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from dumbbell.errors import SuiteError
from dumbbell.problem import suggestion
from dumbbell.text_file import Unreadable, text_of

FILE: Final = "suite.toml"
HOME: Final = Path(__file__).parent


class Scenario(BaseModel):
    """One scenario of a document."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    section: str
    """Where the document has it."""
    title: str
    measures: str
    """What is measured, and what must be so, in a sentence."""
    otherwise: str = ""
    """What is otherwise than the document has it, or what it leaves open, and why; empty: nothing."""
    short: dict[str, Any] = {}
    """Fields by their paths, as `--set` has them, with which it takes a second at most."""
    missing: str = ""
    """Why it cannot be run yet; empty: it can."""


class SuiteManifest(BaseModel):
    """A suite's `suite.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    title: str
    source: str
    """The document."""
    about: str
    """What it is for, in a few sentences."""
    baseline: str = "cubic"
    """The algorithm that each is compared with."""
    scenarios: dict[str, Scenario]
    """By the names of their specs."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: its manifest, and the folder of its specs."""

    name: str
    manifest: SuiteManifest
    folder: Path

    def spec(self, scenario: str) -> Path:
        """The file of a scenario."""
        return self.folder / f"{scenario}.toml"

    def selected(self, only: list[str] | None) -> dict[str, Scenario]:
        """All scenarios, or those of these names.

        Raises:
            SuiteError: there is none of a name.
        """
        known = self.manifest.scenarios
        for name in only or ():
            if name not in known:
                raise SuiteError(f'{self.name}: no scenario "{name}"; {suggestion(name, list(known))}')
        return {name: each for name, each in known.items() if not only or name in only}


def names() -> list[str]:
    """All suites."""
    return [file.parent.name for file in sorted(HOME.glob(f"*/{FILE}"))]


def load(name: str) -> Suite:
    """A suite by its name.

    Raises:
        SuiteError: there is none of that name, or its manifest has problems.
    """
    if name not in names():
        raise SuiteError(f'no suite "{name}"; {suggestion(name, names())}')
    folder = HOME / name
    try:
        text = text_of(folder / FILE, "a suite's manifest")
        return Suite(name, SuiteManifest.model_validate(tomllib.loads(text)), folder)
    except (Unreadable, tomllib.TOMLDecodeError, ValidationError) as error:
        raise SuiteError(f"{name}/{FILE}: {error}") from None
