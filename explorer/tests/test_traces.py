"""The lines that the page draws itself lie where Vega draws them, whatever is zoomed and picked."""

from __future__ import annotations

from typing import Any

import pytest

from webtab import chosen, soon, typed

DIFFERENT = 0.35  # of the scale of a channel: antialiasing is not at the same sub-pixel
MOST = 0.003  # of all pixels
LEGEND = 110, 14  # its first entry, from the left and from below

COMPARE = """async ([different, shift]) => {
  const place = document.getElementById("plot-time");
  const image = new Image();
  image.src = await explorer.picture.file("png", 1);
  await image.decode();
  const pixels = (...drawings) => {
    const canvas = new OffscreenCanvas(image.width, image.height);
    const ink = canvas.getContext("2d");
    for (const [drawing, x] of drawings) ink.drawImage(drawing, x, 0);
    return ink.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const [axes, lines] = place.querySelectorAll("canvas");
  const [own, vega] = [pixels([axes, 0], [lines, shift]), pixels([image, 0])];
  const pixel = (i) => [0, 1, 2].some((channel) => Math.abs(own[i + channel] - vega[i + channel]) > 255 * different);
  let count = 0;
  for (let i = 0; i < own.length; i += 4) count += pixel(i);
  return [axes.width, image.width, (4 * count) / own.length];
}"""

MANY = """
duration = "20 s"

[path]
rate = "40 Mbit/s"
rtt = "25 ms"
buffer = "1 bdp"

[[flows]]
cc = "bbr"
count = 2

[[flows]]
cc = "cubic"
count = 2
start = "5 s"

[[flows]]
cc = "reno"
"""


def compared(page: Any, shift: int = 0) -> float:
    own, vega, share = page.evaluate(COMPARE, [DIFFERENT, shift])
    assert own == pytest.approx(vega, abs=1)
    return float(share)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_lie_where_vega_draws_them(opened: Any, scheme: str) -> None:
    page = opened(color_scheme=scheme)
    assert compared(page) < MOST
    assert compared(page, shift=3) > 2 * MOST
    assert typed(page, MANY) == "ready"
    assert compared(page) < MOST


def test_they_follow_what_is_picked(page: Any) -> None:
    """A click on an entry of the legend makes the others faint."""
    assert chosen(page, 0) == "ready"
    before = dark(page)
    axes = page.locator("#plot-time canvas").first
    axes.click(position={"x": LEGEND[0], "y": axes.bounding_box()["height"] - LEGEND[1]})
    assert soon(page, lambda: 0.1 < dark(page) / before < 0.8)


def test_they_follow_a_zoom(page: Any) -> None:
    assert chosen(page, 0) == "ready"
    box = page.locator("#plot-time").bounding_box()
    before = page.evaluate("document.querySelector('.traces').toDataURL()")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 80)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    span = "(([first, last]) => last - first)(explorer.picture.view.scale('x').domain())"
    assert soon(page, lambda: page.evaluate(span) < 59)
    assert soon(page, lambda: page.evaluate("document.querySelector('.traces').toDataURL()") != before)


def dark(page: Any) -> float:
    """The opacity of all that is drawn of lines."""
    return float(
        page.evaluate("""() => {
      const canvas = document.querySelector(".traces");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0;
      for (let i = 3; i < data.length; i += 4) sum += data[i];
      return sum / data.length;
    }""")
    )
