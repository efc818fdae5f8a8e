"""Writes `docs/suites.md` out of the manifests of suites and of what `make suites` wrote.

python docs/site/suites.py out/suites > docs/suites.md
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from dumbbell.metrics.number import amount
from dumbbell.suites import Suite, load, names
from dumbbell.tables.markdown import markdown
from dumbbell.tables.table import Cell, Table

CONTROLS: Final = ("bbr", "bbr3", "cubic", "reno")
WORST: Final = ("fails", "undecided", "holds")
HEAD: Final = """<!-- Made by `make suites` out of the manifests and what was run: edit docs/site/suites.py. -->
# Suites

Documents say what a new congestion control must be evaluated for. A suite has the scenarios of a document as specs,
each with what must hold ([`[[expect]]`](spec.md#expect)), most of it relative to a baseline: the same run with
CUBIC, or with Reno where CUBIC itself is in question, seed by seed.

```text
dumbbell suite list
dumbbell suite run rfc9743 --cc bbr --junit junit.xml
dumbbell suite run nsperf --cc my_control --engine linux:MY_KERNEL
```

It prints a row for each expectation, at the point of its sweep where it fails most or holds most narrowly, and
writes a page with all of them. `--only harm,aqm` runs some of the scenarios, `--short` the short form of each,
about a second, for CI: that form says whether a scenario runs, and its verdicts say little. What is in the store is
not run again. `make suites` runs them all for BBR, BBR version 3, CUBIC and Reno.

Each scenario is an ordinary spec in `python/dumbbell/suites/NAME`, which `dumbbell run` takes, too: groups of flows
whose names begin with `tested` have the algorithm in question, the baseline first. Bounds are the documents', where
they have any, and else ours, said in the manifest, `suite.toml`. A bound that fails is a finding about the
algorithm, and no mistake of the suite.

The tables below are of the engine `sim` and three seeds. *Decisive for bbr* is what decides a scenario for BBR,
with its number and CUBIC's at that point. Under the algorithms stands what becomes of the scenario, under `linux`
whether its short form runs on Linux 7.3 in virtual time (`make suites-linux`).
"""
"""What stands before the tables."""


def page(folder: Path) -> str:
    """The page, from the records of the runs."""
    return HEAD + "\n" + "\n".join(_suite(load(name), folder) for name in names())


def _suite(suite: Suite, folder: Path) -> str:
    records = _records(folder / f"{suite.name}.json")
    linux = _records(folder / f"{suite.name}-linux.json")
    rows: list[Sequence[Cell]] = []
    for name, scenario in suite.manifest.scenarios.items():
        own = [each for each in records if each["scenario"] == name]
        first = _decisive([each for each in own if each["cc"] == CONTROLS[0] and "measured" in each])
        numbers = [first["measured"], _number(first, "ours"), _number(first, "baseline")] if first else ["-", "-", "-"]
        statuses = [next((each["status"] for each in own if each["cc"] == cc), "-") for cc in CONTROLS]
        kernel = next((each["status"] for each in linux if each["scenario"] == name), "-")
        ran = {"holds": "runs", "fails": "runs", "undecided": "runs"}.get(kernel, kernel)
        rows.append([scenario.section, f"`{name}`", scenario.title, *numbers, *statuses, ran])
    heads = ["section", "spec", "scenario", "decisive for bbr", "bbr has", "cubic has", *CONTROLS, "`linux`"]
    notes = [
        f"- `{name}`: {' '.join(each.missing.split())}"
        for name, each in suite.manifest.scenarios.items()
        if each.missing
    ]
    notes += [f"- `{name}` on `linux`: {why}" for name, why in _refused(linux)]
    table = markdown(Table.of(heads, rows, keys=3))
    text = f"## {suite.name}: {suite.manifest.source}\n\n{suite.manifest.about}\n\n{table}\n"
    return f"{text}\nWhat is missing, and why:\n\n{chr(10).join(notes)}\n" if notes else text


def _records(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []


def _refused(records: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["scenario"], each["why"]) for each in records if each["status"] == "refused"]


def _decisive(records: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The record that decides: of the worst verdict the first."""
    return min(records, key=lambda each: (WORST.index(each["verdict"]), not each["decisive"]), default=None)


def _number(record: dict[str, Any], key: str) -> str:
    return amount(record[key], unit=f" {record['unit']}" if record["unit"] else "")


if __name__ == "__main__":
    sys.stdout.write(page(Path(sys.argv[1])))
