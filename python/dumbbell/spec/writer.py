"""An experiment's words as a spec file, for those who want to run it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from dumbbell.spec.tables import Path, Spec

COLUMNS: Final = 100
"""Of a list that is written on one line."""
LISTS: Final = (Spec.lists | Path.lists) - {"seeds", "zip"}
"""Lists of tables, each of which has a header of its own."""


def toml(words: Mapping[str, Any]) -> str:
    """Give TOML that says the same, in the order of the words; tables that say nothing are left out.

    >>> print(toml({
    ...     "seeds": [1, 5], "path": {"rate": ["1 Mbit/s", "2 Mbit/s"]}, "flows": [{"cc": "bbr"}], "measure": {},
    ... }))
    seeds = [1, 5]
    <BLANKLINE>
    [path]
    rate = ["1 Mbit/s", "2 Mbit/s"]
    <BLANKLINE>
    [[flows]]
    cc = "bbr"
    <BLANKLINE>
    """
    return "\n".join(_tables(words))


def _tables(words: Mapping[str, Any], name: str = "", header: str = "") -> Iterator[str]:
    """The text of a table, and of each table in it; one in a flow is written on one line."""
    known = {key: value for key, value in words.items() if value is not None}
    inner = {key for key, value in known.items() if key in LISTS or (isinstance(value, Mapping) and not name)}
    lines = [header] if header else []
    lines += [f"{key} = {_value(value)}" for key, value in known.items() if key not in inner]
    if known.keys() - inner:
        yield "\n".join([*lines, ""])
    for key in filter(inner.__contains__, known):
        full = f"{name}.{key}" if name else key
        if key in LISTS:
            for each in known[key]:
                yield from _tables(each, full, f"[[{full}]]")
        else:
            yield from _tables(known[key], full, f"[{full}]")


def _value(value: object) -> str:
    """A scalar, list or table; a list that is too long for a line has a line for each of its values."""
    import tomli_w  # noqa: PLC0415 (late: whoever reads specs needs none)

    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(each)}' for key, each in value.items())} }}"
    if isinstance(value, list | tuple):
        values = [_value(each) for each in value]
        line = f"[{', '.join(values)}]"
        return line if len(line) <= COLUMNS else "[\n{}]".format("".join(f"    {each},\n" for each in values))
    return tomli_w.dumps({"value": value}).removeprefix("value = ").rstrip("\n")
