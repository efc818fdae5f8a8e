"""Where the words of an SVG stand, without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree as ET

NARROW = 0.42
"""Width of a character that no text is narrower than in the mean, by the size of the font."""


class Text(NamedTuple):
    """Some words and the rectangle that they take at least; y is downwards."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Text) -> bool:
        """Whether both take some of the same room."""
        return (
            min(self.right, other.right) > max(self.left, other.left)
            and min(self.bottom, other.bottom) > max(self.top, other.top)
        )  # fmt: skip


def size(drawn: str) -> tuple[float, float]:
    """Width and height of the drawing."""
    match = re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', drawn)
    assert match is not None
    return float(match[1]), float(match[2])


def texts(drawn: str) -> list[Text]:
    """All words; of those that stand twice at one place, as on a halo, one."""
    return list(dict.fromkeys(_within(ET.fromstring(drawn), 0.0, 0.0)))  # noqa: S314 (ours)


def _within(element: ET.Element, x: float, y: float) -> Iterator[Text]:
    transform = element.get("transform", "")
    moved = re.match(r"translate\(([-0-9.e]+),? ?([-0-9.e]+)?\)", transform)
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2] or 0)
    tag = element.tag.rpartition("}")[2]
    if tag == "text" and float(element.get("opacity", 1)):
        yield from _lines(element, x, y, upright="rotate(-90" in transform)
    for child in element:
        yield from _within(child, x, y)


def _lines(element: ET.Element, x: float, y: float, *, upright: bool) -> Iterator[Text]:
    font = float(element.get("font-size", "10px").removesuffix("px"))
    lines = [each.text or "" for each in element] or [element.text or ""]
    for number, text in enumerate(filter(None, lines)):
        width = NARROW * font * len(text)
        before = {"start": 0.0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
        down = number * 1.2 * font
        if upright:
            yield Text(text, x - 0.6 * font, y - width + before, x, y + before)
        else:
            yield Text(text, x - before, y + down - 0.6 * font, x - before + width, y + down)
