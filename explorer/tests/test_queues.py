"""Managed queues and ECN: controls, the address, marks counted apart from drops, and a play of each queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from test_hops import native, switched
from test_sharing import link, text
from webtab import chosen, run_id, settle, typed

DISCIPLINE: Final = "[aria-label='Discipline']"
TARGET: Final = "[aria-label='Target, with its unit']"
MARKING: Final = "[aria-label='Marks by ECN']"
KINDS: Final = ("fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2")
HAS_TARGET: Final = {"codel", "fq_codel", "pie", "dualpi2"}
HAS_ECN: Final = {"codel", "fq_codel", "pie", "red"}
FLOWS: Final = '[[flows]]\ncc = "bbr"\n[[flows]]\ncc = "cubic"\necn = true\n'
WIDTHS: Final = "(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.documentElement)"
STRETCH: Final = """(({ strips, losses, marks, backlog, begin_s, end_s }) => ({
  names: strips.map(({ name }) => name), losses: losses.length, marks: marks.length, begin_s, end_s,
  most: Math.max(...backlog.packets),
  dots: strips.map(({ queues }) => queues.reduce((sum, { owners }) => sum + owners.length, 0)),
  rings: strips.map(({ queues }) => queues.flatMap(({ marked_s }) => marked_s.filter(Number.isFinite)).length),
  owners: strips.map(({ queues }) => [...new Set(queues.flatMap(({ owners }) => owners))]),
}))(explorer.player.stretch)"""


def spec(qdisc: str, flows: str = FLOWS) -> str:
    path = f'[path]\nrate = "20 Mbit/s"\nrtt = "30 ms"\nbuffer = "2 bdp"\nqdisc = {qdisc}\n'
    return f'duration = "8 s"\n{path}{flows}'


def played(page: Any) -> Any:
    """What the play shows, once it is ready."""
    page.click("#tab-play")
    assert settle(page) == "ready"
    return page.evaluate(STRETCH)


@pytest.mark.parametrize("kind", KINDS)
def test_a_discipline_is_chosen_in_the_words_of_the_spec(page: Any, kind: str) -> None:
    page.select_option(DISCIPLINE, "codel")
    assert settle(page) == "ready"
    page.select_option(DISCIPLINE, kind)
    assert settle(page) == "ready"
    assert (f'qdisc = "{kind}"' in text(page)) == (kind != "fifo")
    assert page.evaluate("explorer.shown.run.path.qdisc?.kind ?? 'fifo'") == kind
    assert (page.is_visible(TARGET), page.is_visible(MARKING)) == (kind in HAS_TARGET, kind in HAS_ECN)


def test_target_and_ecn_are_parameters_and_a_link_has_them(page: Any, opened: Any, tmp_path: Path) -> None:
    page.select_option(DISCIPLINE, "codel")
    assert settle(page) == "ready"
    assert page.get_attribute(TARGET, "placeholder") == "5 ms"
    page.fill(TARGET, "8 ms")
    page.keyboard.press("Tab")
    assert settle(page) == "ready"
    page.select_option(MARKING, "true")
    assert settle(page) == "ready"
    page.select_option("[data-field='flows[1].ecn']", "true")
    assert settle(page) == "ready"
    assert 'qdisc = { kind = "codel", target = "8 ms", ecn = true }' in text(page)
    assert "ecn = true" in text(page).rpartition("[[flows]]")[2]
    assert native(page, tmp_path, hops=False)
    other = opened(link(page))
    assert (text(other), run_id(other)) == (text(page), run_id(page))
    assert (other.input_value(DISCIPLINE), other.input_value(TARGET), other.input_value(MARKING)) == (
        "codel", "8 ms", "true",
    )  # fmt: skip
    for label, value in ((MARKING, ""), ("[data-field='flows[1].ecn']", "false")):
        other.select_option(label, value)
        assert settle(other) == "ready"
    other.fill(TARGET, "")
    other.keyboard.press("Tab")
    assert settle(other) == "ready"
    assert 'qdisc = "codel"' in text(other), "what is not said is not written"
    other.select_option(DISCIPLINE, "fifo")
    assert settle(other) == "ready"
    assert "qdisc" not in text(other)
    assert "ecn" not in text(other)


def test_what_is_wrong_with_a_target_is_said_at_its_field(page: Any) -> None:
    page.select_option(DISCIPLINE, "pie")
    assert settle(page) == "ready"
    page.fill(TARGET, "8 parsec")
    page.keyboard.press("Tab")
    assert settle(page) == "failed"
    assert "path.qdisc.target" in page.inner_text("#problems")
    assert page.get_attribute(DISCIPLINE, "aria-invalid") == "true"


def test_each_queue_of_the_path_has_a_discipline(page: Any) -> None:
    for title in ("Second hop", "Way back"):
        assert switched(page, title) == "ready"
    for of, kind in ((" of the second hop", "fq_codel"), (" of the way back", "pie"), ("", "codel")):
        page.select_option(f"[aria-label='Discipline{of}']", kind)
        assert settle(page) == "ready"
    assert page.evaluate("explorer.fields.get('hops').map((hop) => hop.get('qdisc'))") == ["codel", "fq_codel"]
    assert page.evaluate("explorer.fields.get('path').get('back').get('qdisc')") == "pie"
    assert switched(page, "Second hop", on=False) == "ready"
    assert page.evaluate("explorer.fields.get('path').get('qdisc')") == "codel"


def test_marks_are_no_drops(page: Any) -> None:
    assert typed(page, spec('"fq_codel"')) == "ready"
    queue = page.evaluate("explorer.summary.bottleneck")
    assert queue["marked_packets"] > 0 < queue["dropped_packets"]
    assert " marked at the fq_codel queue" in page.inner_text("#answer")
    assert "marks" in page.inner_text("#numbers tfoot")
    assert [page.locator(f"#phases .{each} span").count() > 0 for each in ("drops", "marks")] == [True, True]
    looks = page.evaluate("""['drops', 'marks'].map((each) => {
      const { backgroundColor, borderTopWidth } = getComputedStyle(document.querySelector(`#phases .${each} span`));
      return [backgroundColor !== 'rgba(0, 0, 0, 0)', parseFloat(borderTopWidth) > 0];
    })""")
    assert looks == [[True, False], [False, True]], "one is filled and the other an outline, in grey, too"
    assert "packet" in page.get_attribute("#phases .marks", "aria-label")

    assert typed(page, spec('"fifo"')) == "ready"
    assert page.locator("#phases .marks").count() == 0
    assert "marked" not in page.inner_text("#answer")


@pytest.mark.parametrize("kind", ["codel", "pie", "red"])
def test_a_queue_that_marks_is_played_with_its_marks(page: Any, kind: str) -> None:
    flows = FLOWS.replace('"bbr"', '"cubic"\necn = true')
    assert typed(page, spec(f'{{ kind = "{kind}", ecn = true }}', flows)) == "ready"
    play = played(page)
    assert play["names"] == [""]
    assert play["marks"] > 0
    assert play["rings"][0] > 0
    assert f"{kind}" in page.evaluate("explorer.player.stretch.kind")


def test_the_queues_of_fq_codel_are_played_side_by_side(page: Any) -> None:
    assert typed(page, spec('"fq_codel"')) == "ready"
    play = played(page)
    assert play["names"] == ["bbr", "cubic"]
    assert play["owners"] == [[0], [1]], "each has the packets of its flow"
    assert play["losses"] > 0 < play["marks"]
    assert play["rings"] == [0, play["rings"][1]], "only CUBIC understands marks"
    lists = page.evaluate("""explorer.player.stretch.strips.map(({ queues: [{ turns }] }) => turns.length)""")
    assert max(lists) > 1, "a queue that was new is an old one"
    assert "marked ○" in page.inner_text("#play-text")
    assert "dropped" in page.inner_text("#play-text")


def test_both_queues_of_dualpi2_are_played(page: Any) -> None:
    flows = FLOWS.replace('"bbr"', '"dctcp"')
    assert typed(page, spec('"dualpi2"', flows)) == "ready"
    play = played(page)
    assert play["names"] == ["L, low latency", "C, classic"]
    assert play["dots"][1] > 100
    assert play["marks"] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_played_is_what_the_simulator_counts(page: Any, kind: str) -> None:
    """Of the last two seconds: the counters at the run's end less those at their beginning."""
    assert typed(page, spec(f'"{kind}"')) == "ready"
    page.click("#tab-play")
    assert settle(page) == "ready"
    page.locator("#play-controls input").nth(0).evaluate(
        "(it) => { it.value = 100; it.dispatchEvent(new Event('change')); }"
    )
    assert settle(page) == "ready"
    play = page.evaluate(STRETCH)
    assert (play["begin_s"], play["end_s"]) == (6, 8)
    queue = page.evaluate("""(({ at_ns, dropped_packets, marked_packets }) => {
      const at = at_ns.findIndex((each) => each >= 6e9);
      return [dropped_packets.at(-1) - dropped_packets[at], marked_packets.at(-1) - marked_packets[at]];
    })(explorer.measurement.bottleneck.series)""")
    # A sample of the run is 50 ms from the next one.
    assert play["losses"] == pytest.approx(queue[0], abs=0.1 * queue[0] + 5)
    assert play["marks"] == pytest.approx(queue[1], abs=0.1 * queue[1] + 5)
    assert play["most"] > 0


def test_a_sweep_goes_over_disciplines(page: Any) -> None:
    assert chosen(page, 0) == "ready"
    page.click("#tab-sweep")
    assert settle(page) == "ready"
    page.select_option("#sweep-controls select >> nth=0", "path.qdisc")
    assert settle(page) == "ready"
    page.select_option("#sweep-controls select >> nth=1", "sojourn")
    assert settle(page) == "ready"
    rows = page.evaluate(
        "explorer.survey.curves.spec.concat[0].layer.find(({ data }) => data?.name).data.values.map(({ x }) => x)"
    )
    assert rows == [1, 2, 3, 4], "a drop-tail queue has no sojourn times"


@pytest.mark.parametrize("width", [420, 1280])
@pytest.mark.parametrize("kind", ["fq_codel", "dualpi2", "pie"])
def test_a_played_queue_fits_the_screen(opened: Any, width: int, kind: str) -> None:
    page = opened(width=width)
    assert typed(page, spec(f'"{kind}"', f"{FLOWS}count = 9\n")) == "ready"
    for tab in ("time", "play"):
        page.click(f"#tab-{tab}")
        assert settle(page) == "ready"
        assert page.evaluate(WIDTHS) == [width, width], tab
        assert page.evaluate("""[...document.querySelectorAll("#controls .qdisc *, #controls .card *")]
            .every((it) => it.getBoundingClientRect().right <= innerWidth)""")


def test_a_discipline_is_chosen_by_keyboard(page: Any) -> None:
    page.focus(DISCIPLINE)
    page.keyboard.type("fq_c")
    assert settle(page) == "ready"
    assert 'qdisc = "fq_codel"' in text(page)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Discipline"


def test_firefox_plays_queues_with_the_same_frames(opened_in_firefox: Any, opened: Any) -> None:
    both = [each() for each in (opened_in_firefox, opened)]
    for page in both:
        assert typed(page, spec('"fq_codel"')) == "ready"
    assert played(both[0]) == played(both[1])
