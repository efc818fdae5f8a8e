"""A study's README as HTML, inside of a page that has headings of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt
from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it.token import Token

LOWEST: Final = 6
"""Of HTML's headings."""
DEEPER: Final = 2
"""By so much are its headings below the page's own."""
ELSEWHERE: Final = ("http://", "https://")


def html(text: str) -> Markup:
    """As text without markup of its own; its title, its pictures and links to files are left out: the page has them."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        del tokens[:3]  # its opening, its words, its end
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(LOWEST, int(token.tag[1]) + DEEPER - 1)}"
        token.children = _without_files(token.children) if token.children else token.children
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 (the parser has escaped all of it)


def _without_files(tokens: Sequence[Token]) -> list[Token]:
    """Without pictures, and with the words only of a link to a file."""
    remaining: list[Token] = []
    leading: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            leading.append(str(token.attrGet("href")).startswith(ELSEWHERE))
        if token.type == "image" or (token.type in {"link_open", "link_close"} and not leading[-1]):
            if token.type == "link_close":
                leading.pop()
            continue
        if token.type == "link_close":
            leading.pop()
        remaining.append(token)
    return remaining
