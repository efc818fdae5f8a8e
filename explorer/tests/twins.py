"""What the package and the page make of the same specs, one beside the other.

`python explorer/tests/twins.py [--seed 1] [--first 0] [--count 1000]` prints where they differ.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from dumbbell.explorer.tables import page_tables
from dumbbell.results.run_id import run_id
from dumbbell.spec import Experiment, Resolved, SpecError, expand, load, resolve
from randomspecs import specs
from webtab import WASM

POINTS = 3
SEEDS = 2
IDENTITY = "0123456789abcdef"
UNREAD = "no such file"
SHOWN = 20
LONGEST = 600


def of_python(text: str) -> dict[str, Any]:
    """What the package makes of a spec."""
    try:
        experiment = load(text)
    except SpecError as error:
        unread = [problem.path for problem in error.problems if problem.message.endswith(UNREAD)]
        told = [[each.path, each.message, each.hint] for each in error.problems if not each.message.endswith(UNREAD)]
        return {"problems": told, "unread": unread} | ({} if told else {"points": None})
    return {"problems": [], "unread": [], "points": _points(experiment)}


def _points(experiment: Experiment) -> list[Any]:
    found: list[Any] = [str(len(experiment.seed_values)), list(map(str, experiment.seed_values[:SEEDS]))]
    for point in islice(expand(experiment), POINTS):
        runs = [_run(resolve(point, seed)) for seed in experiment.seed_values[:SEEDS]]
        found.append([{path: str(value) for path, value in point.values.items() if isinstance(value, str)}, runs])
    return found


def _run(resolved: Resolved) -> list[str]:
    words = json.dumps([resolved.groups, resolved.ccs, resolved.bdp_bytes]).encode()
    return [resolved.run.to_json(), run_id(b"\n".join((resolved.run.canonical(), words)), "sim", IDENTITY)]


def of_page(texts: Sequence[str]) -> list[dict[str, Any]]:
    """What the page's modules make of specs, in node."""
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given.json"
        words = {
            "tables": page_tables(), "texts": texts, "points": POINTS, "seeds": SEEDS, "identity": IDENTITY,
            "wasm": str(WASM),
        }  # fmt: skip
        given.write_text(json.dumps(words))
        program = [shutil.which("node") or "node", str(Path(__file__).with_suffix(".mjs")), str(given)]
        done = subprocess.run(program, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(texts: Sequence[str]) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The specs of which the two say something else, each with what they say."""
    pages = of_page(texts)
    both = ((text, of_python(text), page) for text, page in zip(texts, pages, strict=True))
    return [(text, ours, theirs) for text, ours, theirs in both if ours != theirs]


def first_difference(ours: Any, theirs: Any, where: str = "") -> str:
    """Where two values of JSON differ first, small."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        return next(
            (first_difference(ours[key], theirs[key], f"{where}.{key}") for key in ours if ours[key] != theirs[key]), ""
        )
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next(
            (first_difference(one, other, f"{where}[{index}]") for index, (one, other) in pairs if one != other), ""
        )
    one, other = (json.dumps(each, ensure_ascii=False)[:LONGEST] for each in (ours, theirs))
    return f"{where}\n  package: {one}\n  page:    {other}"


def main() -> int:
    """Compare, print the differing ones small, and how many there are of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--each", type=int, default=1, help="every so many-th only")
    chosen = parser.parse_args()
    texts = specs(chosen.seed)[chosen.first : chosen.first + chosen.count : chosen.each]
    found = differences(texts)
    for text, ours, theirs in found[:SHOWN]:
        lines = [line for line in text.splitlines() if len(line) < LONGEST]
        print("=" * 40, *lines, first_difference(ours, theirs), sep="\n")
    print(f"{len(texts)} specs, {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
