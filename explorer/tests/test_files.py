"""Files that a spec names: given with it or after it, chosen or dropped, and kept in links."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

import dumbbell
from webtab import run_id, settle, soon, typed

PATH: Final = 'duration = "5 s"\n[path]\nrate = "10 Mbit/s"\nrtt = "20 ms"\nbuffer = "1 bdp"\n[[flows]]\ncc = "bbr"\n'
TRACE: Final = f'{PATH}workload = {{ trace = "data/writes.csv" }}\n'
CDF: Final = f'{PATH}workload = {{ arrivals = {{ rate = "20 /s" }}, size = {{ cdf = "sizes.csv" }} }}\n'
FILES: Final = {"writes.csv": "time,bytes\n0,100000\n1,300000\n", "sizes.csv": "bytes,share\n1000,0.5\n90000,1\n"}
WANTED: Final = {TRACE: "writes.csv", CDF: "sizes.csv"}
DROP: Final = """([name, texts]) => {
  const dataTransfer = new DataTransfer();
  for (const [name, text] of Object.entries(texts)) dataTransfer.items.add(new File([text], name));
  const event = () => new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true });
  document.body.dispatchEvent(event());
}"""


@pytest.fixture(params=WANTED, ids=["trace", "cdf"])
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A spec with its file beside it, and one beside that for the page."""
    name = WANTED[request.param]
    (tmp_path / "data").mkdir()
    for folder in (tmp_path, tmp_path / "data"):
        (folder / name).write_text(FILES[name], encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(request.param, encoding="utf-8")
    return file


def csv_of(spec: Path) -> Path:
    return spec.with_name(WANTED[spec.read_text(encoding="utf-8")])


def native(spec: Path) -> str:
    """The name of its run, as the package has it."""
    return next(iter(dumbbell.run(spec, store=spec.with_name("store")))).run_id


def test_a_spec_opened_with_its_file_is_the_run_of_the_package(page: Any, spec: Path) -> None:
    page.set_input_files("#file", [csv_of(spec), spec])
    assert soon(page, lambda: run_id(page) == native(spec))
    assert settle(page) == "ready"
    assert page.is_hidden("#notice")


def test_a_file_that_is_not_there_is_asked_for_by_name_and_may_come_later(page: Any, spec: Path) -> None:
    name = csv_of(spec).name
    page.set_input_files("#file", spec)
    page.wait_for_selector("#problems:not([hidden])")
    assert f"open {name} on this page" in page.inner_text("#problems")
    page.set_input_files("#file", csv_of(spec))
    assert soon(page, lambda: run_id(page) == native(spec))
    assert page.is_hidden("#problems")
    assert page.is_hidden("#notice")


def test_a_spec_dropped_with_its_file_is_the_same_run(page: Any, spec: Path) -> None:
    texts = {each.name: each.read_text(encoding="utf-8") for each in (spec, csv_of(spec))}
    for name in ("dragover", "drop"):
        page.evaluate(DROP, [name, texts])
    assert soon(page, lambda: run_id(page) == native(spec))


def test_a_link_has_the_files(page: Any, opened: Any, spec: Path) -> None:
    page.set_input_files("#file", [csv_of(spec), spec])
    assert soon(page, lambda: run_id(page) == native(spec))
    assert settle(page) == "ready"
    link = "explorer.sharing.text('link')"
    before = page.evaluate(link)
    assert typed(page, f"# once more\n{page.evaluate('explorer.text')}") == "ready"
    assert soon(page, lambda: page.evaluate(link) != before)
    assert run_id(opened(page.evaluate(link))) == run_id(page)


def test_what_is_wrong_in_a_file_is_told_with_its_line(page: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TRACE, encoding="utf-8")
    (tmp_path / "writes.csv").write_text("0,1000\n1,many\n", encoding="utf-8")
    page.set_input_files("#file", [tmp_path / "mine.toml", tmp_path / "writes.csv"])
    page.wait_for_selector("#problems:not([hidden])")
    assert '"writes.csv" line 2: "many" is no number of bytes' in page.inner_text("#problems")


def test_files_are_opened_by_keyboard_and_on_a_phone(opened: Any, spec: Path) -> None:
    page = opened(width=420)
    dialogs: list[Any] = []
    page.on("filechooser", lambda dialog: dialogs.append(dialog))  # noqa: PLW0108 (a method of a list is refused)
    page.focus("#preset")
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "file":
            break
    assert page.is_visible("label:has(#file)")
    page.keyboard.press("Enter")
    assert soon(page, lambda: bool(dialogs))
    dialogs[0].set_files([spec, csv_of(spec)])
    assert soon(page, lambda: run_id(page) == native(spec))
