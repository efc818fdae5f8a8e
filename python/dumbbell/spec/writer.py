"""An experiment's words as a spec file, for those who want to run it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def toml(words: Mapping[str, Any]) -> str:
    """Give TOML that says the same, tables of flows and of changes with a header each.

    >>> print(toml({"duration": "1 s", "path": {"rate": "1 Mbit/s"}, "flows": [{"cc": "bbr"}]}))
    duration = "1 s"
    <BLANKLINE>
    [path]
    rate = "1 Mbit/s"
    <BLANKLINE>
    [[flows]]
    cc = "bbr"
    <BLANKLINE>
    """
    return "\n".join(_parts({key: value for key, value in words.items() if value is not None}))


def _parts(words: Mapping[str, Any]) -> Iterator[str]:
    """The text of each table: tomli-w puts several short tables on one line, which people read badly."""
    import tomli_w  # noqa: PLC0415 (late: whoever reads specs needs none)

    flows, changes = words.get("flows", []), words.get("path", {}).get("change", [])
    rest = {key: value for key, value in words.items() if key != "flows"}
    if changes:
        rest["path"] = {key: value for key, value in words["path"].items() if key != "change"}
    yield tomli_w.dumps(rest)
    for table in changes:
        yield tomli_w.dumps({"path": {"change": table}}).replace("[path.change]", "[[path.change]]", 1)
    for table in flows:
        yield tomli_w.dumps({"flows": table}).replace("[flows]", "[[flows]]", 1)
