"""A capture as one side of a comparison."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from captured import Captured, captured_in
from commandline import dumbbell
from compared import store_of
from dumbbell.comparison.capture import sides
from dumbbell.comparison.differences import Comparison, column, compare
from dumbbell.comparison.selection import quantities
from dumbbell.errors import DumbbellError
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.statistics import t_quantile
from dumbbell.spec import Experiment, load

GOODPUT = QUANTITIES["goodput"]
SPEC: dict[str, Any] = {
    "name": "captured", "duration": "5 s", "measure.window": ["1 s", "4.9 s"], "measure.record": "summary",
    "path": {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.5 bdp", "jitter": "none"},
    "flows": [{"cc": "bbr"}, {"cc": "cubic"}, {"cc": "reno", "start": "1 s", "workload": {"transfer": "100 kB"}}],
}  # fmt: skip


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    return captured_in(tmp_path_factory.mktemp("captured"))


def runs(folder: Path, **more: Any) -> Path:
    spec = {key: value for key, value in SPEC.items() if "." not in key}
    others = {key: value for key, value in SPEC.items() if "." in key}
    return store_of(folder, None, load(Experiment(**spec), overrides=others | more))


def comparison_of(a: Path | str, b: Path | str) -> Comparison:
    with sides(str(a), str(b)) as selected:
        return compare(*selected, quantities("goodput,retransmits,rtt"))


def test_a_capture_of_a_run_differs_from_it_by_nothing(captured: Captured, tmp_path: Path) -> None:
    """The run is that of the capture: its records change nothing."""
    store = runs(tmp_path / "runs", **{"measure.record": ["acks", "pcap"]})
    comparison = comparison_of(captured.senders, store)
    assert len(comparison.pairs) == 1
    assert comparison.pairs.captured == ["A"]
    goodputs = [row for row in comparison.rows() if row.quantity.name == "goodput"]
    assert [row.relative for row in goodputs[:2]] == pytest.approx([0, 0], abs=0.001)
    assert [row.difference for row in comparison.rows() if row.quantity.name == "retransmits"] == pytest.approx(
        [0, 0, 0], abs=1e-9
    )
    turned = comparison_of(store, captured.senders)
    assert turned.pairs.captured == ["B"]
    assert {row.quantity.name for row in turned.rows()} == {"goodput", "retransmits", "rtt"}


def test_one_capture_stands_for_every_seed_and_intervals_are_of_one_more_run(
    captured: Captured, tmp_path: Path
) -> None:
    store = runs(tmp_path / "runs", seeds=4, start_jitter="0 s")
    done = dumbbell("compare", captured.senders, store, "--metrics", "goodput", "--json")
    assert done.returncode == 0, done.stderr
    assert "A is a capture, one run whatever the seeds: intervals are 95 % for one more run of B" in done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    (row,) = [each for each in rows if each["row"] == "point" and each["group"] == "bbr"]
    assert row["pairs"] == 4
    comparison = comparison_of(captured.senders, store)
    goodputs = comparison.pairs.b.groups.query("name == 'bbr'")["goodput"]
    wide = t_quantile(3) * goodputs.std() * math.sqrt(1 + 1 / 4)
    assert row["half_width"] == pytest.approx(wide, rel=1e-3)
    assert row["difference"] == pytest.approx(goodputs.mean() - row["a"], rel=1e-3)


def test_two_captures_have_no_interval() -> None:
    values = np.array([9.0, 10.0, 12.0])
    one = column(GOODPUT, None, np.full(3, 5.0), values, np.zeros(3, int), 1)
    assert one.of_one_run(1).half_width == pytest.approx(2 * one.half_width)
    assert one.of_one_run(1).at(0).relative_half_width == pytest.approx(
        2 * (one.at(0).relative_half_width or 0), rel=0.5
    )
    both = one.of_one_run(2).at(0)
    assert (both.half_width, both.outcome) == (None, "undecided")
    assert both.difference == pytest.approx(16 / 3)


def test_what_cannot_be_compared_is_one_clear_error(captured: Captured, tmp_path: Path) -> None:
    file = str(captured.senders)
    sweep = runs(tmp_path / "sweep", **{"path.buffer": ["0.5 bdp", "1 bdp"]})
    message = f"a capture is of one point, and {sweep} has 2 points; select one, as '{sweep}@path.buffer=0.5 bdp'"
    other = runs(tmp_path / "other", flows=SPEC["flows"][:2])
    text = tmp_path / "text"
    text.write_text("hello")
    for a, b, said in (
        (file, sweep, message),
        (file, "@cc=bbr", "names no store"),
        (file, file, "are captures; `dumbbell pcap"),
        (file, other, "is no capture of what .* has:\nflows: 2 flows, and the capture has 3 flows"),
        (other, str(text), "no capture: the stream begins"),
        (file, tmp_path / "absent", "no such store"),
    ):
        with pytest.raises(DumbbellError, match=said.replace("[", r"\[")):
            comparison_of(a, b)
    assert len(comparison_of(file, f"{sweep}@path.buffer=0.5 bdp").pairs) == 1
