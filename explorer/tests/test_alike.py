"""Page and package say the same of the same specs, runs, numbers and cells: crates, compiled for two machines."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from dumbbell.campaign.plan import Planned, run_key
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.number import amount
from dumbbell.spec import SpecError, expand, load, resolve
from dumbbell.spec.source import toml
from dumbbell.spreadsheet import cell
from oddspecs import ODD
from randomspecs import networks, specs

SEEDS: Final = 2
START: Final = 'duration = "9 s"\n[path]\nrate = "1 Mbit/s"\nrtt = "9 ms"\nbuffer = "9 kB"\n'
FLOW: Final = f'{START}[[flows]]\ncc = "bbr"\n'
SOURCE: Final = f'{FLOW}workload = {{ arrivals = {{ rate = "9 /s" }}, size = {{ cdf = "sizes.csv" }} }}\n'
FILES: Final = {"sizes.csv": "bytes,share\n1000,0.5\n90000,1\n", "writes.csv": "0,1000\n0.5,2000\n"}
SPECS: Final = {
    "the largest seed": f"seeds = [18446744073709551615]\n{FLOW}",
    "floats that are whole": f"{FLOW}workload = {{ arrivals = {{ load = 1 }}, "
     'size = { lognormal = { mean = "9 kB", sigma = 2.0 } } }\n',
    "chance": f'seeds = 3\nstart_jitter = "1 s"\nrtt_spread = "9 ms"\n{FLOW}count = 9\n',
    "a name that is not ASCII": f'{FLOW}name = "Überlast \\"☃\\" \\\\ 𝄞"\n',
    "constants": START + '[[flows]]\ncc = "bbr_4_17[cwnd_gain=1.25, drain_gain=1e-3]"\n',
    "a sweep": FLOW.replace('"9 ms"', '["9 ms", "18 ms"]'),
    "a trace": f'{FLOW}workload = {{ trace = "folder/writes.csv" }}\n',
    "a distribution": SOURCE,
    "a distribution that is none": SOURCE.replace("sizes", "writes"),
    "a program": f'{FLOW}workload = {{ command = ["iperf3", "{{receivers}}"] }}\n',
    "four mistakes": FLOW.replace("9 ms", "9 sec").replace("1 Mbit/s", "80 mbps").replace("bbr", "bbrr") + "x = 1\n",
    "two tables of one name": FLOW.replace("[[flows]]", "[flows]") + '[flows]\ncc = "reno"\n',
    "no TOML": "path = [\n",
}  # fmt: skip


def of_page(in_node: Any, **given: Sequence[Any]) -> dict[str, list[Any]]:
    """What the page makes of them, in node."""
    answers: dict[str, list[Any]]
    (answers,) = in_node("alike.mjs", **{"specs": [], "runs": [], "numbers": [], "cells": []} | given)
    return answers


def of_package(text: str, folder: Path) -> dict[str, Any]:
    """What the package makes of a spec."""
    try:
        experiment = load(text, folder=folder)
    except SpecError as error:
        return {"problems": [[each.path, each.message, each.hint] for each in error.problems]}
    engine = SimEngine()
    point = next(expand(experiment))
    first = [Planned(point.values, resolve(point, seed)) for seed in experiment.seed_values[:SEEDS]]
    runs = [[each.resolved.run.to_json(), run_key(each, engine, engine.identity())["run_id"]] for each in first]
    return {"problems": [], "runs": runs, "toml": toml(tomllib.loads(text))}


def test_specs_have_the_same_problems_or_runs_names_and_text(in_node: Any, tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "writes.csv").write_text(FILES["writes.csv"], encoding="utf-8")
    texts = [f"{text}\n" for text in SPECS.values()]
    answers = of_page(in_node, specs=[{"toml": text, "files": FILES} for text in texts])["specs"]
    assert dict(zip(SPECS, answers, strict=True)) == {
        name: of_package(text, tmp_path) for name, text in zip(SPECS, texts, strict=True)
    }


@pytest.mark.slow
@pytest.mark.parametrize("which", ["random", "odd"])
def test_odd_specs_have_the_same_problems_or_runs(which: str, in_node: Any, tmp_path: Path) -> None:
    """A page counts in 32 bits where the package does in 64."""
    texts = [f"{text}\n" for text in (ODD if which == "odd" else specs(seed=1))]
    answers = of_page(in_node, specs=[{"toml": text, "files": {}} for text in texts])["specs"]
    for text, page in zip(texts, answers, strict=True):
        package = of_package(text, tmp_path)
        for each in (page, package):
            # Each says in its own words how to give it a file.
            each["problems"] = [
                problem[:1] if problem[1].endswith(": no such file") else problem for problem in each["problems"]
            ]
        assert page == package, text


@pytest.mark.slow
def test_runs_of_several_queues_have_the_bytes_of_the_native_build(in_node: Any) -> None:
    """Hops in a row, ways back, data both ways and routes, all of them among so many."""
    engine = SimEngine()
    experiments = [load(fields) for fields in networks(seed=1, count=60)]
    runs = [resolve(next(expand(experiment)), 2).run for experiment in experiments]
    kinds: Counter[str] = Counter()
    for run in runs:
        kinds["in a row"] += len(run.path.hops) > 1
        kinds["back"] += len(run.path.back) == 1
        kinds["back in a row"] += len(run.path.back) > 1
        kinds["up"] += any(flow.direction == "up" for flow in run.flows)
        kinds["route"] += any(flow.route.data or flow.route.acks for flow in run.flows)
    assert min(kinds[kind] for kind in ("in a row", "back", "back in a row", "up", "route")) > 5, kinds
    native = [sha256(engine.measurement_json(run)).hexdigest() for run in runs]
    assert len(set(native)) == len(native)
    assert of_page(in_node, runs=[run.to_json() for run in runs])["runs"] == native


def test_numbers_and_cells_are_written_alike(in_node: Any) -> None:
    draw = random.Random(1)
    numbers = [draw.uniform(-10, 10) * 10 ** draw.randint(-9, 12) for _ in range(1000)]
    numbers += [number / 16 for number in range(-3000, 40000, 7)]  # many are halfway between two of three digits
    cells = ["", "-", "=1+1", "+5", "-5", "-5 ± 1", "-a", "@x", "'x", "\tx", "5e-3", "-inf", "1-1", "\uff1dx"]
    answers = of_page(in_node, numbers=numbers, cells=cells)
    assert answers["numbers"] == [amount(number) for number in numbers]
    assert answers["cells"] == [cell(text) for text in cells]
