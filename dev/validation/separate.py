"""`SeparatePart`: what the parts have in common that each engine measures without the others."""

from abc import abstractmethod
from collections.abc import Sequence

from dev.table import TomlTable
from dumbbell.engines.protocol import Engine


class SeparatePart(TomlTable):
    """A part whose engines need nothing of one another."""

    name: str

    @property
    @abstractmethod
    def engines(self) -> tuple[str, ...]:
        """In the order of the page."""

    def obstacle(self, engines: Sequence[Engine], records: object) -> str | None:
        """Why these engines cannot measure it: none of them is its own."""
        del records
        return None if engines else f"{self.name} is measured on {' and '.join(self.engines)}"
