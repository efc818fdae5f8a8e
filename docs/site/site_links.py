"""Whether every link of the site leads somewhere, and no page asks for anything on the network.

`python docs/site/site_links.py dist/docs`. Addresses of other sites are read, and not visited.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
}
"""What a browser asks for by itself."""
IN_STYLES = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")]+)")


@dataclass(slots=True)
class Page(HTMLParser):
    """The links and anchors of a page."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what a tag names, leads to or asks for."""
        for name, value in attrs:
            if name in {"id", "name"} and value:
                self.anchors.add(value)
            elif (tag, name) in FETCHED and value and dict(attrs).get("rel") != "canonical":
                self.fetched.append(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.append(value)


def problems(site: Path) -> Iterator[str]:
    """Every link that leads nowhere, and everything that is asked of the network."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        here = path.relative_to(site)
        yield from (f"{here} asks for {each}" for each in page.fetched if _is_elsewhere(each))
        for link in [*page.links, *(each for each in page.fetched if not _is_elsewhere(each))]:
            if problem := _problem(link, path, pages):
                yield f"{here}: {link}: {problem}"
    for path in site.rglob("*.css"):
        addresses = IN_STYLES.findall(path.read_text(encoding="utf-8"))
        yield from (f"{path.relative_to(site)} asks for {each}" for each in addresses)


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _is_elsewhere(link: str) -> bool:
    parts = urlsplit(link)
    return bool(parts.netloc) or parts.scheme in {"http", "https", "ftp"}


def _problem(link: str, path: Path, pages: dict[Path, Page]) -> str:
    parts = urlsplit(link)
    if parts.scheme in {"mailto", "data", "javascript"}:
        return ""
    if _is_elsewhere(link):
        return "" if parts.scheme in {"http", "https"} and "." in parts.netloc else "is no address"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
    if not target.is_file():
        return "there is no such file"
    anchor = unquote(parts.fragment)
    known = {each.resolve(): page for each, page in pages.items()}.get(target) if anchor else None
    return f"there is no #{anchor}" if known and anchor not in known.anchors else ""


if __name__ == "__main__":
    messages = list(problems(Path(sys.argv[1])))
    print("\n".join(messages) or "every link leads somewhere; nothing is asked of the network")
    sys.exit(bool(messages))
