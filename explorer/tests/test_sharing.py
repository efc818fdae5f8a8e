"""What leaves the page in Chromium comes back as the same experiment, and is that of the native build byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from webtab import chosen, dragged, dumbbell, measurements, run_id, settle, soon, typed

SHORT = """
name = "short"
duration = "2 s"
seeds = [3, 1]
start_jitter = "10 ms"

[path]
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = "0.5 bdp"
loss = "0.1 %"

[[flows]]
cc = "bbr[cwnd_gain=2.5]"

[[flows]]
cc = "cubic"
start = "0.5 s"
"""


def saved(page: Any, kind: str, folder: Path) -> Path:
    """The file that a button of the page saves."""
    if not page.is_visible("#sharing"):
        page.click("#share")
    with page.expect_download() as waited:
        page.click(f'[data-save="{kind}"]')
    path: Path = folder / waited.value.suggested_filename
    waited.value.save_as(path)
    return path


def link(page: Any) -> str:
    """What the button copies."""
    return str(page.evaluate("explorer.sharing.text('link')"))


def text(page: Any) -> str:
    return str(page.evaluate("explorer.text"))


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_what_is_exported_is_imported_as_the_same_experiment(page: Any, tmp_path: Path, kind: str) -> None:
    assert typed(page, SHORT) == "ready"
    mine, run = text(page), run_id(page)
    file = saved(page, kind, tmp_path)
    assert chosen(page, 5) == "ready"
    assert run_id(page) != run

    page.set_input_files("#file", file)
    page.wait_for_selector(f'body[data-state="ready"][data-run="{run}"]')

    assert text(page) == mine
    assert page.is_hidden("#notice")


def test_an_exported_spec_is_the_same_run_for_the_command(page: Any, tmp_path: Path) -> None:
    assert typed(page, SHORT) == "ready"
    file = saved(page, "toml", tmp_path)

    assert json.loads(dumbbell("check", file, "--json", cwd=tmp_path))["runs"] == 2
    printed = dumbbell("run", file, "--out", "store", "--json", cwd=tmp_path)

    assert json.loads(printed.splitlines()[0])["run_id"] == run_id(page)


def test_an_exported_run_has_the_bytes_of_the_native_build(page: Any, tmp_path: Path) -> None:
    assert typed(page, SHORT) == "ready"
    own = saved(page, "json", tmp_path).read_text(encoding="utf-8")
    shown = json.loads(own)

    assert shown["seed"] == 3
    assert own.endswith(f'"measurement":{measurements(shown["spec"], tmp_path)[0]}' + "}\n")


@pytest.mark.parametrize("preset", [0, 3, 5, 6, 7, 8])
def test_a_link_has_the_bytes_of_the_native_build(page: Any, opened: Any, tmp_path: Path, preset: int) -> None:
    assert chosen(page, preset) == "ready"

    other = opened(link(page))

    assert run_id(other) == run_id(page)
    own = other.evaluate("explorer.sharing.json()")
    shown = json.loads(own)
    assert own.endswith(f'"measurement":{measurements(shown["spec"], tmp_path)[shown["seed"] - 1]}' + "}\n")


def test_the_address_follows_the_experiment(page: Any, opened: Any) -> None:
    before = page.evaluate("location.href")
    dragged(page, "Rate", 300)
    assert soon(page, lambda: page.evaluate("location.href") != before)

    other = opened(page.evaluate("location.href"))

    assert text(other) == text(page)


def test_a_link_has_the_view(page: Any, opened: Any) -> None:
    assert chosen(page, 1) == "ready"

    other = opened(link(page))

    assert other.get_attribute("#tab-sweep", "aria-selected") == "true"
    assert other.evaluate("explorer.survey.x.text") == page.evaluate("explorer.survey.x.text")


def damaged(address: str) -> dict[str, str]:
    head, payload = address.rsplit(".", 1)
    middle = len(payload) // 2
    other = "A" if payload[middle] != "A" else "B"
    return {
        "cut": address[:-9],
        "changed": f"{head}.{payload[:middle]}{other}{payload[middle + 1 :]}",
        "no link": f"{address.split('#', maxsplit=1)[0]}#nothing",
        "no letters of a link": f"{head}.%F0%9F%98%80",
    }


@pytest.mark.parametrize("damage", ["cut", "changed", "no link", "no letters of a link"])
def test_a_damaged_link_is_told_once_and_the_page_works(page: Any, opened: Any, damage: str) -> None:
    other = opened(damaged(link(page))[damage])

    assert other.evaluate("document.body.dataset.state") == "ready"
    assert "link" in other.inner_text("#notice")
    assert other.is_hidden("#problems")
    assert typed(other, SHORT) == "ready"


def test_a_damaged_link_in_an_open_page_loses_nothing(page: Any) -> None:
    assert typed(page, SHORT) == "ready"
    mine, run, address = text(page), run_id(page), link(page)

    page.evaluate("(address) => { location.hash = address; }", damaged(address)["cut"].split("#")[1])
    page.wait_for_selector("#notice:not([hidden])")

    assert settle(page) == "ready"
    assert (text(page), run_id(page)) == (mine, run)
    assert "damaged" in page.inner_text("#notice")
    assert page.url == link(page) == address


def test_a_link_whose_content_is_no_experiment_is_told(page: Any, opened: Any) -> None:
    for content in ("5", "{}", '{"toml": 5}'):
        packed = page.evaluate(
            """async (text) => {
              const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
              const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
              return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
            }""",
            content,
        )

        other = opened(f"{link(page).rsplit('.', 1)[0]}.{packed}")

        assert "damaged" in other.inner_text("#notice"), content
        assert other.evaluate("document.body.dataset.state") == "ready"


def test_a_link_of_another_version_is_told_and_shown(page: Any, opened: Any) -> None:
    assert typed(page, SHORT) == "ready"
    head, fragment = link(page).split("#")
    form, *version, identity, payload = fragment.split(".")
    of_others = (["0", "1", "0-rc", "2"], identity), (version, "01234567")
    for its_version, its_identity in of_others:
        other = opened(f"{head}#{'.'.join([form, *its_version, its_identity, payload])}")

        assert other.evaluate("document.body.dataset.state") == "ready"
        assert text(other) == text(page)
        assert f"made with dumbbell {'.'.join(its_version)}" in other.inner_text("#notice")
        assert other.is_hidden("#problems")


def test_a_file_that_is_no_experiment_is_told_and_nothing_is_lost(page: Any, tmp_path: Path) -> None:
    run = run_id(page)
    (tmp_path / "other.json").write_text('{"measurement": 1}')

    page.set_input_files("#file", tmp_path / "other.json")
    page.wait_for_selector("#notice:not([hidden])")

    assert "other.json" in page.inner_text("#notice")
    assert (settle(page), run_id(page)) == ("ready", run)


@pytest.mark.parametrize("kind", ["csv", "svg", "png"])
def test_a_picture_is_saved(page: Any, tmp_path: Path, kind: str) -> None:
    content = saved(page, kind, tmp_path).read_bytes()

    begins = {"csv": b"quantity,line,x,y\n", "svg": b"<svg", "png": b"\x89PNG"}[kind]
    assert content.startswith(begins)
    assert len(content) > 10_000


def test_what_is_copied_runs_as_it_stands(page: Any, tmp_path: Path) -> None:
    assert typed(page, SHORT) == "ready"
    for kind, command in (("command", ["sh", "-e"]), ("python", [sys.executable, "-"])):
        copied = page.evaluate(f"explorer.sharing.text('{kind}')")
        scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            command, input=copied, cwd=tmp_path, env=os.environ | {"PATH": scripts}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_a_link_may_name_what_the_page_has_not(page: Any) -> None:
    """Its lists keep what they have."""
    view = {"tab": "map", "x": "path.colour", "xs": 5, "y": "path.rate", "ys": "5 Mbit/s, 10 Mbit/s", "what": "beauty"}
    page.evaluate("([toml, view]) => explorer.show({ toml, view })", [SHORT, view])
    assert settle(page) == "ready"
    assert page.evaluate("explorer.survey.storedView('map')") == {
        "tab": "map", "x": "path.rtt", "xs": "5 ms, 10 ms, 20 ms, 50 ms, 100 ms, 200 ms", "y": "path.rate",
        "ys": "5 Mbit/s, 10 Mbit/s", "what": "share",
    }  # fmt: skip
