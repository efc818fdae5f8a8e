"""The types of a spec's fields, out of its keys: `python docs/site/fields_stub.py > python/dumbbell/spec/fields.pyi`.

An editor completes the keys by these, and shows what each means.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from keyword import iskeyword
from typing import Final

from dumbbell.spec.keys import Key, keys

HEAD: Final = '''"""What each table of a spec may have. Made by `make docs-outputs` out of the keys of `crates/spec`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict
'''
COLUMNS: Final = 120
INDENT: Final = "    "
TYPES: Final = {
    "a whole number": "int",
    "a number": "float",
    "a number with the quantity's unit": "str | float",
    "true or false": "bool",
    "a list of words": "Sequence[str]",
    "a list of lists of paths": "Sequence[Sequence[str]]",
    "a table of values": "Mapping[str, Any]",
    "a list of two, each a time or a share of the duration": "Sequence[str]",
}
"""Of what is no text, by the key's noun."""
NAMED: Final = {
    "seeds": "int | Sequence[int]", "expect[].at_least": "str | float", "expect[].at_most": "str | float",
}  # fmt: skip
"""Of keys that take what their noun does not say."""
ALTERNATIVES: Final = ("flows[].workload", "flows[].workload.size")
"""Tables of which each has some of the keys only, whatever these require."""


def page() -> str:
    """The whole module."""
    every = keys()
    # A hop has the same keys on either way, a change those of every line: one class each.
    classes = {_name(table): table for table in sorted({_table(key) for key in every}, key=len, reverse=True)}
    tables = sorted(classes.values(), key=lambda table: (-table.count("."), table))
    return "\n".join([HEAD, *(line for table in tables for line in (*_class(table, every), ""))])


def _table(key: Key) -> str:
    """The path of the table that a key stands in; empty: the spec itself."""
    return key.path.rpartition(".")[0]


def _name(table: str) -> str:
    """The class of a table.

    >>> _name(""), _name("flows[].workload.size"), _name("flows[]"), _name("path.change[]")
    ('Fields', 'Size', 'Flow', 'Change')
    """
    last = table.rpartition(".")[2]
    return (last.removesuffix("s[]") if last.endswith("s[]") else last.removesuffix("[]")).title().replace(
        "_", ""
    ) or "Fields"


def _class(table: str, every: tuple[Key, ...]) -> Iterator[str]:
    own = {key.path.rpartition(".")[2]: key for key in every if _table(key) == table}
    unsayable = {name: key for name, key in own.items() if iskeyword(name)}
    base = "TypedDict"
    if unsayable:
        base = f"_{_name(table)}"
        fields = ", ".join(f'"{name}": {_type(key, every)}' for name, key in unsayable.items())
        yield f'\n{base} = TypedDict("{base}", {{{fields}}}, total=False)'
    yield f"\nclass {_name(table)}({base}, total=False):"
    about = f"The table `{table}`." if table else "A whole spec."
    yield f'{INDENT}"""{about}"""\n'
    for name, key in own.items():
        if name not in unsayable:
            annotation = _type(key, every)
            needed = key.required and table not in ALTERNATIVES
            yield f"{INDENT}{name}: {f'Required[{annotation}]' if needed else annotation}"
            yield textwrap.indent(_docstring(key), INDENT)


def _type(key: Key, every: tuple[Key, ...]) -> str:
    """What may stand there; a list where the sweep takes one."""
    tables = [each for each in (key.path, f"{key.path}[]") if any(_table(other) == each for other in every)]
    kinds = [f"Literal[{', '.join(map(json.dumps, key.options))}]"] if key.options else []
    if tables:
        kinds += [_name(tables[0]), "Mapping[str, Any]"]  # who builds a table bit by bit has no class for it
    if key.units or not kinds or key.path in NAMED or key.noun == "true or false":
        kinds.append(NAMED.get(key.path, TYPES.get(key.noun, "str")))
    one = " | ".join(kinds)
    if tables and tables[0].endswith("[]"):
        return f"Sequence[{one}]"
    return f"{one} | Sequence[{one}]" if key.swept or key.several else one


def _docstring(key: Key) -> str:
    """What it means, as a docstring."""
    text = " ".join(key.meaning.split()).replace("\\", "\\\\")
    lines = textwrap.wrap(f'"""{text}"""', COLUMNS - len(INDENT), break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


if __name__ == "__main__":
    print(page().rstrip("\n"))
