"""An experiment's words as a spec file, for those who want to run it again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml(words: Mapping[str, Any]) -> str:
    """TOML that says the same.

    >>> print(toml({"duration": "1 s", "path": {"rate": "1 Mbit/s"}, "flows": [{"cc": ["bbr", "cubic"]}]}))
    duration = "1 s"
    <BLANKLINE>
    [path]
    rate = "1 Mbit/s"
    <BLANKLINE>
    [[flows]]
    cc = ["bbr", "cubic"]
    <BLANKLINE>
    """
    return "\n".join(_table(words, ())) + "\n"


def _table(words: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Plain keys first, as TOML wants it; a table or a list of tables follows under its own head."""
    later = {key: value for key, value in words.items() if _has_head(value, path)}
    for key, value in words.items():
        if key not in later and value is not None:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in later.items():
        here = (*path, key)
        head = ".".join(map(_key, here))
        for table in [value] if isinstance(value, dict) else value:
            yield f"\n[{head}]" if isinstance(value, dict) else f"\n[[{head}]]"
            yield from _table(table, here)


def _has_head(value: object, path: tuple[str, ...]) -> bool:
    """Tables of a spec's two upper levels; those below them are written inline."""
    if isinstance(value, dict):
        return not path
    is_tables = isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)
    return is_tables and (not path or path == ("path",))


def _value(value: Any) -> str:  # noqa: ANN401 (whatever TOML can say)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)
