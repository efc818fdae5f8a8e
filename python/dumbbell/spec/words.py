"""The words of a program: what each may be, and what stands in them for addresses and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, Tag

from dumbbell.problem import quoted, suggestion
from dumbbell.spec.quantity import invalid

PLACES: Final[Mapping[str, str]] = {
    "receiver": "address of the flow's receiver",
    "sender": "address of the flow's sender",
    "port": "a port of the flow's own, free at both ends",
    "seconds": "from the flow's start to its stop, or to the run's end at the latest, rounded down to whole seconds",
}
"""What may stand in braces. `crates/run/src/placeholder.rs` fills it in."""
MOST_WORDS: Final = 1_000

_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|([{}])")


def places(words: Iterable[str]) -> Iterator[str]:
    """Give the names that stand in braces, whether there are such or not; two braces are a brace itself.

    >>> list(places(["-c", "{receiver}", "{{a}}:{port}"]))
    ['receiver', 'port']
    """
    for word in words:
        for found in _BRACES.finditer(word):
            if found[1] is not None:
                yield found[1]


def _proper_word(word: str) -> str:
    """Each of at least one character, with braces only around names that there are."""
    if not word:
        raise invalid("an empty word", "leave it out")
    if "\0" in word:
        raise invalid(f"{quoted(word)} has a zero byte, which ends an argument", "leave it out")
    if any(found[2] for found in _BRACES.finditer(word)):
        raise invalid(f"{quoted(word)} has a brace without a partner", "a brace itself is written {{ or }}")
    for name in places([word]):
        if name not in PLACES:
            told = suggestion(name, [f"{{{place}}}" for place in PLACES])
            raise invalid(
                f"{quoted(f'{{{name}}}')} stands for nothing", f"{told}; a brace itself is written {{{{ or }}}}"
            )
    return word


def _form(value: object) -> str:
    """Give the tag that tells a list of commands, which is a sweep, from the words of one."""
    several = isinstance(value, list | tuple) and len(value) > 0 and isinstance(value[0], list | tuple)
    return "#sweep" if several else "#one"


def _proper_command(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        raise invalid("the list is empty", "write the program's name and its arguments")
    return words


Words: TypeAlias = Annotated[
    tuple[Annotated[str, AfterValidator(_proper_word)], ...],
    Field(max_length=MOST_WORDS),
    AfterValidator(_proper_command),
]
"""A command. It is a tuple, as a list is a sweep everywhere else."""
SweptWords: TypeAlias = Annotated[
    Annotated[Words, Tag("#one")] | Annotated[list[Words], Tag("#sweep"), Field(min_length=1)], Discriminator(_form)
]
"""One command, or a list of them: an axis of the sweep."""
