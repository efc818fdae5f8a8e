"""What the page says of where it was validated is what was validated."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dumbbell.comparison.random_conditions import conditions
from dumbbell.explorer.page import bounds
from dumbbell.explorer.tables import page_tables
from webtab import WASM

EACH = 12
SEED = 20261123
OUTSIDE = {
    'rate = "2 Gbit/s"': "rate 2000 Mbit/s, not 5 to 1000 Mbit/s",
    'rtt = "400 ms"': "RTT 400 ms, not 5 to 200 ms",
    'buffer = "80 bdp"': "buffer 80 BDP, not ",
    'loss = "30 %"': "random loss 30 %, not 2 to 20 %",
    'jitter = "1 ms"': "path.jitter = 1 ms",
    'cc = "bbr[cwnd_gain=1.5]"': "constants of bbr",
    "count = 400": "flows: 400, not 9 to 200",
    'workload = { stream = "3 Mbit/s", for = "5 s", every = "40 ms" }': "flows[0].workload.stream = 3 Mbit/s",
}


def standing(texts: Sequence[str], node: str, folder: Path) -> list[dict[str, Any]]:
    given = folder / "given.json"
    given.write_text(json.dumps({"tables": page_tables(), "bounds": bounds(), "texts": texts, "wasm": str(WASM)}))
    program = [node, str(Path(__file__).with_name("bounds.mjs")), str(given)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("stratum", bounds())
def test_each_condition_of_a_stratum_is_within(stratum: str, node: str, tmp_path: Path) -> None:
    texts = [experiment.toml() for experiment in conditions(EACH, SEED, stratum)]
    found = standing(texts, node, tmp_path)
    assert [(text, each["told"]) for text, each in zip(texts, found, strict=True) if not each["isInside"]] == []


@pytest.mark.parametrize("line", OUTSIDE)
def test_what_is_outside_is_named(line: str, node: str, tmp_path: Path) -> None:
    key = line.split(" = ", maxsplit=1)[0]
    path = {"rate": '"80 Mbit/s"', "rtt": '"25 ms"', "buffer": '"1 bdp"'}
    flow = {"cc": '"bbr"'}
    (flow if key in {"cc", "count", "workload"} else path)[key] = line.partition(" = ")[2]
    texts = [f"{name} = {value}" for name, value in path.items()], [f"{name} = {value}" for name, value in flow.items()]
    (found,) = standing(['duration = "5 s"\n[path]\n{}\n[[flows]]\n{}'.format(*map("\n".join, texts))], node, tmp_path)
    assert not found["isInside"]
    assert OUTSIDE[line] in found["told"]
