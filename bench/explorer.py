"""How fast the explorer answers in Debian's Chromium: `make bench-explorer`. Each figure with its bar.

A change of a slider counts from its event until the page says that the new picture is drawn (`data-state` of its body),
on the page's own clock. Each value is a new one, so that nothing is kept from before. Between two changes the native
build simulates the same run, so that both have the same minute.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from dumbbell.campaign.plan import plan
from dumbbell.engines.sim import SimEngine
from dumbbell.spec import load
from dumbbell.tables.plain_text import text
from dumbbell.tables.table import Table

PAGE = Path(__file__).parents[1] / "dist" / "explorer.html"
CHANGES = 21
OPENINGS = 5
BUFFERS = range(112, 112 + 8 * CHANGES, 8)
"""Places of the slider that are far enough apart for values of their own."""
LONGEST_MS = 300_000

SPEC = """
duration = "60 s"
seeds = 3

[path]
rate = "80 Mbit/s"
rtt = "25 ms"
buffer = "1 bdp"

[[flows]]
cc = "bbr"

[[flows]]
cc = "cubic"
"""
MAP_SPEC = SPEC.replace("60 s", "20 s")
MAP = {
    "tab": "map", "what": "share",
    "x": "path.rtt", "xs": "10 ms, 15 ms, 20 ms, 25 ms, 30 ms, 40 ms, 50 ms, 60 ms",
    "y": "path.buffer", "ys": "0.2 bdp, 0.5 bdp, 1 bdp, 1.5 bdp, 2 bdp, 3 bdp, 4 bdp, 8 bdp",
}  # fmt: skip

WATCH = """
const settled = () => ["ready", "failed"].includes(document.body?.dataset.state);
const until = (is) => new Promise((resolve) => {
  const watch = new MutationObserver(() => {
    if (is()) {
      watch.disconnect();
      resolve(performance.now());
    }
  });
  watch.observe(document, { attributes: true, childList: true, subtree: true });
});
window.opened = until(settled);
window.change = async (act, is = settled) => {
  const began = performance.now();
  act();
  return (await until(is)) - began;
};
"""
CHANGE = """async (place) => {
  const slider = document.querySelector('#path input[type=range][aria-label="Buffer"]');
  const ask = explorer.pool.ask;
  let worker_ms = 0;
  explorer.pool.ask = async function (...asked) {
    const began = performance.now();
    const answer = await ask.apply(this, asked);
    worker_ms += performance.now() - began;
    return answer;
  };
  const taken_ms = await change(() => {
    slider.value = place;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  explorer.pool.ask = ask;
  const { run, state } = document.body.dataset;
  return { taken_ms, worker_ms, run, state, spec: explorer.text };
}"""
FILL = """async ([toml, view]) => {
  const drawn = () => document.querySelector("#plot-map canvas, #plot-map svg") !== null;
  if (drawn()) throw new Error("the map was there before");
  let first_ms;
  const began = performance.now();
  const all_ms = await change(() => {
    explorer.show({ toml, view });
    const look = () => {
      if (drawn()) first_ms = performance.now() - began;
      else requestAnimationFrame(look);
    };
    look();
  });
  const told = document.querySelector("#problems").textContent;
  return { first_ms, all_ms, told, cells: Number(document.body.dataset.cells) };
}"""


class Figure(NamedTuple):
    """What was measured, and what it may be at most; without a bar it stands beside one that has one."""

    name: str
    value: float
    unit: str
    bar: float | None = None

    @property
    def is_missed(self) -> bool:
        """Whether it is more than the bar."""
        return self.bar is not None and self.value > self.bar

    def row(self) -> list[str]:
        """Its line of the table."""
        verdict = "" if self.bar is None else "missed" if self.is_missed else "reached"
        return [self.name, f"{self.value:.3g}", self.unit, "" if self.bar is None else f"{self.bar:g}", verdict]


def opened(browser: Browser) -> Page:
    """The page in a context of its own, as it is when its first picture is there."""
    tab = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
    tab.set_default_timeout(LONGEST_MS)
    tab.add_init_script(WATCH)
    tab.goto(PAGE.as_uri())
    return tab


def first_picture(browser: Browser) -> Figure:
    """From the beginning of the navigation."""
    times_ms = []
    for _ in range(OPENINGS):
        tab = opened(browser)
        times_ms.append(tab.evaluate("window.opened"))
        tab.context.close()
    return Figure(f"first picture from disk, median of {OPENINGS}", median(times_ms) / 1000, "s", 2)


def changes(browser: Browser) -> Iterator[Figure]:
    """Median times of a slider's change, in the page, in its worker, and natively."""
    tab = opened(browser)
    tab.evaluate("window.opened")
    tab.evaluate("(toml) => change(() => explorer.show({ toml }))", SPEC)
    timings, native_ms = [], []
    for place in BUFFERS:
        timings.append(tab.evaluate(CHANGE, place))
        planned, *_ = plan(load(timings[-1]["spec"]))
        began = time.perf_counter()
        SimEngine().measurement_json(planned.resolved.run)
        native_ms.append(1000 * (time.perf_counter() - began))
    assert len({each["run"] for each in timings}) == CHANGES, "values that were there before"  # noqa: S101
    assert all(each["state"] == "ready" for each in timings), timings  # noqa: S101
    tab.context.close()
    yield Figure(
        f"from a change to its picture, median of {CHANGES}", median(each["taken_ms"] for each in timings), "ms", 150
    )
    yield Figure("of these the simulation in a worker", median(each["worker_ms"] for each in timings), "ms")
    yield Figure("and all else of the page", median(each["taken_ms"] - each["worker_ms"] for each in timings), "ms")
    yield Figure("the same runs natively", median(native_ms), "ms")


def filled(browser: Browser) -> Iterator[Figure]:
    """A map of 8 x 8 points with three seeds each."""
    tab = opened(browser)
    tab.evaluate("window.opened")
    timings = tab.evaluate(FILL, [MAP_SPEC, MAP])
    tab.context.close()
    assert not timings["told"], timings["told"]  # noqa: S101
    assert timings["cells"] == 8 * 8 * 3  # noqa: S101
    yield Figure("first colours of a map", timings["first_ms"] / 1000, "s", 2)
    yield Figure("all of its 8 x 8 points, 3 seeds, 20 s each", timings["all_ms"] / 1000, "s", 15)


PARTS = {
    "the simulator and the spec": '<script type="application/wasm"', "names, presets and charts without data":
    '<script type="application/json"', "the style": "<style",
}  # fmt: skip
"""By how the element begins that has it; what draws is the longest script, the page's own code the others."""


def parts(html: str) -> Iterator[Figure]:
    """What each part of the page weighs, as it stands there."""
    elements = [match[0] for match in re.finditer(r"<(script|style)\b.*?</\1>", html, flags=re.DOTALL)]
    sizes = {name: len(each.encode()) for name, begin in PARTS.items() for each in elements if each.startswith(begin)}
    scripts = sorted(
        (len(each.encode()) for each in elements if not each.startswith(tuple(PARTS.values()))), reverse=True
    )
    sizes |= {"Vega, which draws": scripts[0], "the page's own code": sum(scripts[1:])}
    for name, size in sorted(sizes.items(), key=lambda pair: -pair[1]):
        yield Figure(f"of this {name}", size / 10**3, "kB")


def main() -> int:
    """Measures, prints, and tells by the exit status whether every bar was reached."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    chromium = shutil.which("chromium")
    if chromium is None or not PAGE.is_file():
        sys.stderr.write("needs Chromium and the page: make browsers explorer\n")
        return 1
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        figures = [
            first_picture(browser),
            *changes(browser),
            *filled(browser),
            Figure("size of the page", PAGE.stat().st_size / 10**6, "MB", 4),
            *parts(PAGE.read_text(encoding="utf-8")),
        ]
    table = Table.of(["figure", "value", "unit", "bar", ""], [each.row() for each in figures])
    sys.stdout.write(text(table, 200) + "\n")
    return 1 if any(each.is_missed for each in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
