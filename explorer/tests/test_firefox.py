"""The page in Debian's Firefox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from test_files import DROP, FILES, TRACE
from webtab import chosen, dragged, measurements, run_id, settle, soon


def test_it_opens_from_a_file_answers_and_has_the_bytes_of_the_native_build(
    opened_in_firefox: Any, tmp_path: Path
) -> None:
    page = opened_in_firefox()
    assert page.evaluate("document.body.dataset.state") == "ready"
    first = run_id(page)

    assert dragged(page, "Buffer", 100) == "ready"

    assert run_id(page) != first
    assert page.locator("#plot-time canvas.traces").count() == 1
    own = page.evaluate("explorer.sharing.json()")
    spec = json.loads(own)["spec"]
    assert own.endswith(f'"measurement":{measurements(spec, tmp_path)[0]}' + "}\n")


def test_sweeps_and_maps_are_drawn(opened_in_firefox: Any) -> None:
    page = opened_in_firefox()
    for preset, view in ((1, "sweep"), (4, "map")):
        assert chosen(page, preset) == "ready"
        assert page.locator(f"#view-{view} canvas").count() == 1


def test_a_spec_and_its_file_are_dropped(opened_in_firefox: Any, tmp_path: Path) -> None:
    page = opened_in_firefox()
    texts = {"mine.toml": TRACE, "writes.csv": FILES["writes.csv"]}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "writes.csv").write_text(texts["writes.csv"], encoding="utf-8")
    for name in ("dragover", "drop"):
        page.evaluate(DROP, [name, texts])
    assert soon(page, lambda: page.evaluate("explorer.shown?.text") == TRACE)
    assert settle(page) == "ready"
    own = page.evaluate("explorer.sharing.json()")
    assert own.endswith(f'"measurement":{measurements(TRACE, tmp_path)[0]}' + "}\n")
