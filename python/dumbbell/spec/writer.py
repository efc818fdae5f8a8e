"""An experiment's words as a spec file, for those who want to run it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def toml(words: Mapping[str, Any]) -> str:
    """Give TOML that says the same.

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
    import tomli_w  # noqa: PLC0415 (late: whoever reads specs needs none)

    return tomli_w.dumps({key: value for key, value in words.items() if value is not None})
