"""What is under way when the experiment changes: short runs are shown, long ones are cancelled."""

from __future__ import annotations

from typing import Any

from webtab import LONGEST_MS, settle

SPEC = """
duration = "{duration}"

[path]
rate = "{rate}"
rtt = "25 ms"
buffer = "{buffer} bdp"

[[flows]]
cc = "bbr"
"""

CANCELLED = """async ([long, short, longest_ms]) => {
  const began = performance.now();
  explorer.write(long);
  while (explorer.pool.busy.size !== 1 && performance.now() - began < longest_ms) {
    await new Promise((resolve) => { setTimeout(resolve, 0); });
  }
  const busy = explorer.pool.busy.size;
  explorer.write(short);
  return busy;
}"""
"""The page looks itself: from outside a look may come after the run has ended."""
FOLLOWED = """async ([specs, enough, longest_ms]) => {
  const seen = new Set();
  const watching = new MutationObserver(() => seen.add(document.body.dataset.run));
  watching.observe(document.body, { attributes: true, attributeFilter: ["data-run"] });
  const began = performance.now();
  let changes = 0;
  while (seen.size < enough && performance.now() - began < longest_ms) {
    explorer.write(specs[changes % specs.length]);
    changes += 1;
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
  watching.disconnect();
  return [seen.size, changes];
}"""


def spec(duration: str = "5 s", rate: str = "10 Mbit/s", buffer: float = 1) -> str:
    return SPEC.format(duration=duration, rate=rate, buffer=buffer)


def test_the_picture_follows_a_slider_while_it_is_dragged(page: Any) -> None:
    """Changes come faster than their runs end."""
    specs = [spec("60 s", "20 Mbit/s", 1 + step / 100) for step in range(1000)]
    enough = 4
    seen, changes = page.evaluate(FOLLOWED, [specs, enough, LONGEST_MS])
    assert seen >= enough
    assert settle(page) == "ready"
    assert page.evaluate("explorer.text") == specs[changes - 1]


def test_a_long_run_is_cancelled(page: Any) -> None:
    """Its worker goes with it, and another one is there."""
    assert page.evaluate(CANCELLED, [spec("60 s", "1 Gbit/s"), spec(), LONGEST_MS]) == 1
    assert settle(page) == "ready"
    assert page.evaluate("[explorer.pool.busy.size, explorer.pool.waiting.length]") == [0, 0]


def test_short_runs_say_nothing_about_how_long_others_take(page: Any) -> None:
    """Of a few packets most of the time is that of the beginning."""
    before = page.evaluate("explorer.ns_per_packet")
    for step in range(5):
        page.evaluate("(spec) => explorer.write(spec)", spec("1 s", buffer=1 + step / 10))
        assert settle(page) == "ready"
    assert page.evaluate("explorer.ns_per_packet") == before
    page.evaluate("(spec) => explorer.write(spec)", spec("30 s", "100 Mbit/s"))
    assert settle(page) == "ready"
    assert page.evaluate("explorer.ns_per_packet") != before
