"""What every part of a run is made of."""

from typing import Annotated, TypeAlias, TypeVar

from msgspec import Meta, Struct, field

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Value = TypeVar("Value")


def written(value: Value) -> Value:
    """A default that is written too: runs had the field before defaults were left out."""
    default: Value = field(default_factory=lambda: value)
    return default


class RunPart(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table of a run: a default is not written, and a key that it does not know is refused."""
