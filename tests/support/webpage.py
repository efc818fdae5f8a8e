"""What a test wants to know of an HTML page, without a browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

FETCHING = {"src", "href", "srcset", "data", "action", "formaction", "poster", "background", "manifest", "xlink:href"}
LINES = {
    "caption", "dd", "details", "dt", "figcaption", "h1", "h2", "h3", "li", "option", "p", "section", "summary", "tr",
}  # fmt: skip
"""Elements that begin a line of `lines`."""
VOID = {"meta", "link", "input", "br", "hr", "img", "col"}


def content_of(address: str) -> Any:
    """What an address of the explorer has packed."""
    payload = address.rpartition(".")[2]
    return json.loads(gzip.decompress(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))


@dataclass
class Webpage(HTMLParser):
    """The page's elements, the text of each, and where they stand."""

    text: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    scripts: list[tuple[dict[str, str], str]] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    laid_out: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append((tag, attributes))
        self.laid_out.append("\n" * (tag in LINES) + f"## {attributes.get('id')}\n" * (tag == "section"))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append((attributes, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> is out of place"
        self.laid_out.append(" | " * (tag in {"td", "th"}))

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = (attributes, before + data)
        elif self.open and self.open[-1] == "style":
            self.styles.append(data)
        else:
            self.texts.append(data)
            self.laid_out.append(re.sub(r"\s+", " ", data))

    @property
    def plots(self) -> dict[str, Any]:
        """What the page draws, by name."""
        (packed,) = [text for attributes, text in self.scripts if attributes.get("id") == "plots"]
        plots: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)))
        return plots

    @property
    def said(self) -> str:
        """All that a reader reads, in one line."""
        return re.sub(r"\s+", " ", " ".join(self.texts))

    @property
    def lines(self) -> str:
        """The same, a line for each row, paragraph and heading; runs' ids and the machine's facts are left out."""
        text = re.sub(r"(?s)## provenance\n.*?(?=## )", "", "".join(self.laid_out))
        text = re.sub(r"\b[0-9a-f]{16,}\b", "ID", text)
        return "\n".join(line.strip() for line in text.splitlines() if line.strip())

    def requests(self) -> list[str]:
        """Whatever a browser would fetch from elsewhere."""
        addresses = [value for _, attributes in self.elements for name, value in attributes.items() if name in FETCHING]
        inside = [style for _, attributes in self.elements if (style := attributes.get("style"))]
        for css in [*self.styles, *inside]:
            addresses += re.findall(r"url\(\s*['\"]?([^'\")]*)", css) + re.findall(r"@import[^;]*", css)
        return [address for address in addresses if not address.startswith(("#", "data:"))]

    def named(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every element of that name."""
        return [attributes for name, attributes in self.elements if name == tag]
