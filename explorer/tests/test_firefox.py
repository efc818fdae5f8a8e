"""The page in Debian's Firefox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from webtab import chosen, dragged, measurements, run_id


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
