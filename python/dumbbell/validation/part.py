"""A part of the page: how it is measured, kept, told and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a part came to."""

    kept: str
    """JSON: everything that the page says of it, but for the words."""
    failures: tuple[str, ...] = ()
    """Runs that failed."""


class Part(Protocol):
    """One section of the page."""

    @property
    def name(self) -> str:
        """As its file is called, and as a command asks for it."""

    @property
    def engines(self) -> tuple[str, ...]:
        """On which it is measured."""

    @property
    def whole(self) -> bool:
        """It needs all of its engines; else it tells what those say that there are."""

    def total(self, engines: Sequence[Engine]) -> int:
        """How many runs these engines have to give."""

    def measure(self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None]) -> Found:
        """Carries out on these engines what the store does not have, and says what all of its runs came to."""

    def told(self, kept: str) -> str:
        """The section in Markdown, from what was kept.

        Raises:
            ValueError: it is not what this part keeps.
        """

    def verdict(self, kept: str) -> str:
        """What it comes to, in a sentence."""

    def draw(self, kept: str, folder: Path) -> list[Path]:
        """Its figures likewise, and where they are."""
