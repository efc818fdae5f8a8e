"""What every table of a spec has in common: strict keys, their order, and lists that are sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Self, TypeAlias, TypeVar, Union

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Tag,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from dumbbell.problem import quoted
from dumbbell.spec.quantity import Quantity, invalid

T = TypeVar("T")
Q = TypeVar("Q", bound=Quantity)


class DependsOnInvalidField(Exception):  # noqa: N818 (it is no error: a rule that meets it has nothing to say)
    """A rule asked for a field that has a problem of its own."""


class StillHasLists(TypeError):  # noqa: N818 (as above)
    """An experiment that still has lists was taken for a point: a list is inside a list, which another rule tells."""


class Unknown:
    """Stands for a field that has a problem, so that the rules about the others can still be asked."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # Python's own questions, not a rule's
            raise AttributeError(name)
        raise DependsOnInvalidField(name)

    def __iter__(self) -> Iterator[object]:
        raise DependsOnInvalidField

    def __len__(self) -> int:
        raise DependsOnInvalidField


UNKNOWN = Unknown()


def form(value: object) -> str:
    """Give the tag that tells a list from a single value."""
    return "#sweep" if isinstance(value, list | tuple) else "#one"


Swept: TypeAlias = Annotated[
    Union[  # noqa: UP007 (an Annotated of a type variable has no `|`)
        Annotated[T, Tag("#one")],
        Annotated[list[T], Tag("#sweep"), Field(min_length=1)],
    ],
    Discriminator(form),
]
"""One value, or a list of them: an axis of the sweep."""


def scalar(value: T | list[T]) -> T:
    """Give the value of a field at a point, where no list is left."""
    if isinstance(value, list):
        raise StillHasLists
    if value is UNKNOWN:
        raise DependsOnInvalidField
    return value


@dataclass(frozen=True, slots=True)
class Bounds(Generic[Q]):
    """Refuses what is outside, and says the bounds."""

    least: Q
    most: Q
    beside: str = ""
    """What else to say to who is outside."""

    def __call__(self, quantity: Q) -> Q:
        """Give the quantity, if it is inside."""
        if not self.least.value <= quantity.value <= self.most.value:
            raise invalid(f"{quoted(str(quantity))} is out of range", str(self))
        return quantity

    def __str__(self) -> str:
        return f"from {self.least} to {self.most}{self.beside and f'; {self.beside}'}"


def between(least: Q, most: Q, beside: str = "") -> AfterValidator:
    """Refuse what is outside, and say the bounds, and what else there is to say."""
    return AfterValidator(Bounds(least, most, beside))


class Section(BaseModel):
    """A table of a spec. It knows the order in which its keys were written."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, use_attribute_docstrings=True)

    lists: ClassVar[frozenset[str]] = frozenset()
    """Keys whose value is a list, and no sweep."""

    _written: tuple[str, ...] = PrivateAttr(default=())

    @model_validator(mode="wrap")
    @classmethod
    def _remember_order(cls, words: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        section = handler(words)
        if isinstance(words, Mapping):
            section._written = tuple(words)  # noqa: SLF001 (its own)
        return section

    @field_validator("*", mode="wrap")
    @classmethod
    def _admit_unknown(cls, value: object, handler: ValidatorFunctionWrapHandler) -> object:
        return value if value is UNKNOWN else handler(value)

    @classmethod
    def attribute(cls, key: str) -> str:
        """Name of the attribute of a key: the same, but for words that Python keeps for itself."""
        return next((name for name, field in cls.model_fields.items() if field.alias == key), key)

    def written(self) -> Iterator[tuple[str, Any]]:
        """Keys and values in the order in which they were written; what is at its default is left out."""
        for key in self._written:
            yield key, getattr(self, self.attribute(key))

    def words(self) -> dict[str, Any]:
        """Give the section as it was written: plain text, numbers, lists and dictionaries."""
        return {key: plain(value) for key, value in self.written()}


def plain(value: object) -> Any:  # noqa: ANN401 (whatever TOML can say)
    """Give a value as the spec wrote it."""
    if isinstance(value, Section):
        return value.words()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, str) else value
