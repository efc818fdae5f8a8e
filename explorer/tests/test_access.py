"""The page for everybody: by keyboard, with a screen reader, on a narrow screen, in both colour schemes."""

from __future__ import annotations

from typing import Any

import pytest

from webtab import chosen, run_id, settle, soon

TABS = ("time", "seeds", "sweep", "map", "play")
CONTROLS = "a[href], button, select, input, textarea, summary, [tabindex='0']"
ENOUGH_CONTRAST = 4.5
"""Web Content Accessibility Guidelines 2.2, 1.4.3."""
NAMED_ROLES = {
    "button", "checkbox", "combobox", "DisclosureTriangle", "image", "link", "listbox", "radio", "slider",
    "spinbutton", "tab", "tabpanel", "textbox",
}  # fmt: skip
ALL_OPEN = "() => { for (const each of document.querySelectorAll('details')) each.open = true; }"
IN_REACH = f"""() => [...document.querySelectorAll({CONTROLS!r})].filter((it) =>
  it.checkVisibility({{ visibilityProperty: true }}) && !it.disabled && it.tabIndex >= 0).length"""
FOCUSED = """() => {
  const it = document.activeElement;
  window.visited ??= new Set();
  const isNew = it !== document.body && !window.visited.has(it);
  window.visited.add(it);
  const { outlineStyle, outlineWidth } = getComputedStyle(it.matches('[type=file]') ? it.closest('label') ?? it : it);
  const own = getComputedStyle(it);
  const seen = [[outlineStyle, outlineWidth], [own.outlineStyle, own.outlineWidth]]
    .some(([style, width]) => style !== 'none' && parseFloat(width) > 0);
  return { isNew, seen, is: it.outerHTML.slice(0, 120) };
}"""
CONTRASTS = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [red, green, blue] = numbers(colour).slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (it) => {
    for (let at = it; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((numbers(colour)[3] ?? 1) === 1) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  for (const it of document.querySelectorAll('body *')) {
    const words = [...it.childNodes].filter(({ nodeType }) => nodeType === 3);
    const text = words.map(({ data }) => data.trim()).filter(Boolean);
    if (!text.length || !it.checkVisibility() || it.disabled || it.closest('script, style, svg')) continue;
    const pair = [luminance(getComputedStyle(it).color), luminance(behind(it))].sort((one, other) => other - one);
    found.push({ ratio: (pair[0] + 0.05) / (pair[1] + 0.05), text: text[0].slice(0, 60) });
  }
  return found;
}"""
PAPER = "getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)"


@pytest.fixture(scope="module", params=TABS)
def unfolded(opened_for_all: Any, request: pytest.FixtureRequest) -> Any:
    """A tab with everything open."""
    page = opened_for_all()
    everything_open(page, request.param)
    return page


def everything_open(page: Any, tab: str) -> None:
    """Shows a tab, the buttons of sharing, all that can be folded, and the controls of all queues."""
    page.click(f"#tab-{tab}")
    for title in ("Second hop", "Way back"):
        page.get_by_role("checkbox", name=title, exact=True).check()
    if page.get_attribute("#share", "aria-expanded") != "true":
        page.click("#share")
    assert settle(page) == "ready"
    page.evaluate(ALL_OPEN)


def ink(page: Any) -> list[int]:
    """The darkest and the brightest pixel of the picture."""
    return list(
        page.evaluate(
            """() => {
          const canvas = document.querySelector('#plot-time canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let [least, most] = [255, 0];
          for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] < 255) continue;
            least = Math.min(least, data[at] + data[at + 1] + data[at + 2]);
            most = Math.max(most, data[at] + data[at + 1] + data[at + 2]);
          }
          return [least, most];
        }"""
        )
    )


def test_arrows_go_from_tab_to_tab(page: Any) -> None:
    page.focus("#tab-time")
    for key, tab in (("ArrowRight", "seeds"), ("ArrowLeft", "time"), ("ArrowLeft", "play"), ("ArrowRight", "time")):
        page.keyboard.press(key)
        assert settle(page) == "ready"
        assert page.evaluate("document.activeElement.id") == f"tab-{tab}"
        chosen_tabs = page.locator('[role="tab"][aria-selected="true"]')
        assert chosen_tabs.evaluate_all("(each) => each.map(({ id }) => id)") == [f"tab-{tab}"]
        assert page.locator('[role="tabpanel"]:visible').evaluate_all("(each) => each.map(({ id }) => id)") == [
            f"view-{tab}"
        ]


def test_an_arrow_moves_a_slider_that_keeps_the_focus(page: Any) -> None:
    before = run_id(page)
    slider = page.get_by_role("slider", name="Rate", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")

    assert settle(page) == "ready"
    assert run_id(page) != before
    assert slider.evaluate("(it) => it === document.activeElement")


def test_a_choice_by_keyboard_keeps_the_focus(page: Any) -> None:
    page.focus('[data-field="flows[0].cc"]')
    page.keyboard.type("reno")

    assert settle(page) == "ready"
    assert page.evaluate("explorer.fields.get('flows')[0].get('cc')") == "reno"
    assert page.evaluate("document.activeElement.dataset.field") == "flows[0].cc"


def test_every_control_is_reached_by_tab_and_shows_the_focus(unfolded: Any) -> None:
    expected = unfolded.evaluate(IN_REACH)
    assert expected > 20
    unfolded.evaluate("document.activeElement.blur()")
    unseen, reached = [], 0
    for _ in range(expected + 5):
        unfolded.keyboard.press("Tab")
        focused = unfolded.evaluate(FOCUSED)
        reached += focused["isNew"]
        unseen += [] if focused["seen"] or "<body" in focused["is"] else [focused["is"]]

    assert unseen == []
    assert reached >= expected


def test_every_control_and_picture_has_a_name(unfolded: Any) -> None:
    nodes = unfolded.context.new_cdp_session(unfolded).send("Accessibility.getFullAXTree")["nodes"]
    named = [each for each in nodes if not each["ignored"] and each["role"]["value"] in NAMED_ROLES]

    assert len(named) > 20
    assert [
        (each["role"]["value"], each.get("backendDOMNodeId"))
        for each in named
        if not each.get("name", {}).get("value", "").strip()
    ] == []


def wider(page: Any, width: int) -> tuple[bool, int]:
    """Whether the page is wider than the screen, and by how much it can be moved to the side."""
    wide, most = page.evaluate(
        "(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth - clientWidth])(document.documentElement)"
    )
    return wide > width, most


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_nothing_is_wider_than_the_screen(opened: Any, width: int) -> None:
    page = opened(width=width)
    for tab in TABS:
        everything_open(page, tab)
        assert wider(page, width) == (False, 0), tab
    page.click("#tour")
    assert settle(page) == "ready"
    assert wider(page, width) == (False, 0)


def test_on_a_phone_the_tour_shows_the_queue_that_it_speaks_of_and_the_buffer_alone(opened: Any) -> None:
    page = opened(width=420)
    page.click("#tour")
    assert settle(page) == "ready"
    assert page.evaluate("""() => {
        const [text, picture, sheet] = ["#guide p", "#plot-time", "#controls"]
            .map((one) => document.querySelector(one).getBoundingClientRect());
        return text.top >= 0 && picture.height > 300 && picture.bottom - 60 <= sheet.top && sheet.bottom <= innerHeight;
    }""")
    assert page.is_visible("[aria-label='Buffer']")
    assert not page.is_visible("#flows")
    page.click('[data-go="end"]')
    assert page.is_visible("#flows")


def test_on_a_phone_the_picture_and_the_sliders_are_seen_together(opened: Any) -> None:
    page = opened(width=400)
    page.evaluate("document.querySelector('#plot-time').scrollIntoView({ behavior: 'instant' })")
    assert page.evaluate("""() => {
        const [picture, sheet] = ["#plot-time", "#controls"]
            .map((one) => document.querySelector(one).getBoundingClientRect());
        return sheet.top - Math.max(0, picture.top) > 400 && sheet.bottom <= innerHeight && sheet.height > 200;
    }""")
    page.click("#sheet")
    assert not page.is_visible("#path")


def test_keys_move_the_cursor_and_its_numbers_are_told(page: Any) -> None:
    page.focus("#plot-time")
    page.keyboard.press("End")
    page.keyboard.press("PageDown")
    text = page.get_attribute("#plot-time", "aria-valuetext")
    assert text == page.inner_text("#at")
    assert text.startswith("54.0 s")
    assert "cwnd: BBR " in text
    assert "queue " in text
    assert page.is_visible("#cursor")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#plot-time", "aria-valuetext").startswith("54.6 s")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_colours_of_the_system_with_enough_contrast(opened: Any, scheme: str) -> None:
    page = opened(color_scheme=scheme)
    everything_open(page, "time")

    paper = page.evaluate(PAPER)
    assert max(paper) < 60 if scheme == "dark" else min(paper) > 240
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 50
    assert [each for each in contrasts if each["ratio"] < ENOUGH_CONTRAST] == []


def test_the_colours_can_be_chosen_and_the_picture_has_them(opened: Any) -> None:
    page = opened(color_scheme="light")
    light = ink(page)

    page.select_option("#theme", "dark")

    assert soon(page, lambda: max(page.evaluate(PAPER)) < 60)
    assert soon(page, lambda: ink(page) != light)


def test_a_preset_is_chosen_by_keyboard(page: Any) -> None:
    before = run_id(page)
    page.focus("#preset")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")

    assert settle(page) == "ready"
    assert run_id(page) != before
    assert chosen(page, 0) == "ready"
    assert run_id(page) == before
