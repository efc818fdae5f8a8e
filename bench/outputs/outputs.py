"""What one checkout prints over stored runs, to be held against another's: a change of the code loses no number.

    outputs.py record EXECUTABLE FOLDER --studies STORES [--agree STORE] [--curves STORE] [--only REGEX]
    outputs.py diff OLD NEW [--only REGEX]

`record` runs the `dumbbell` that is given by its full path on every spec of `examples` and on the studies' stores, and
writes what it prints into FOLDER, a file a command. It works on copies of the stores, which a newer `dumbbell` may
migrate. `diff` compares two such folders: JSON value by value but for what names a build, and keys that only the new
one has; text line by line but for blanks. It prints the differences and exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "python/dumbbell/studies"
DEV = ["dev"]
"""What begins a command of `python -m dev`, not of `dumbbell`."""
UNCOMPARED = {"run_id", "wall_s", "versions", "identity", "measured_on", "example"}
MOST_SHOWN = 12
ROUNDING = 1e-12
"""What the order of operations leaves: two numbers this close are one."""


def commands(stores: Path, scratch: Path, agree: Path | None, curves: Path | None) -> Iterator[tuple[str, list[str]]]:
    """A name and the arguments of each command."""
    for spec in sorted((ROOT / "examples").glob("*.toml")):
        yield f"run-{spec.stem}.json", ["run", str(spec), "--json", "--out", str(scratch / spec.stem)]
    for folder in sorted(stores.iterdir()):
        manifest = STUDIES / folder.name / "study.toml"
        if not manifest.is_file():
            continue
        out = ["--out", str(folder)]
        yield f"claims-{folder.name}.json", ["study", "claims", folder.name, "--json", *out]
        yield f"claims-{folder.name}.txt", ["study", "claims", folder.name, *out]
        yield f"numbers-{folder.name}.txt", ["study", "figures", folder.name, "--numbers", "all", *out]
    yield "totals.json", ["study", "claims", "all", "--totals", "--json", "--out", str(stores)]
    store = str(stores / "claypool2019" / "store")
    for b in ("cubic", "bbr_4_17"):
        yield f"compare-{b}.json", ["compare", f"{store}@cc=bbr", f"@cc={b}", "--json"]
    yield "list.json", ["results", "list", store, "--json"]
    if agree is not None:
        yield "agree.json", [*DEV, "strata", "--random", "10", "--seed", "7", "--seeds", "2", "--floor", "2",
                             "--duration", "20 s", "--packets", "600000", "--out", str(agree), "--json"]  # fmt: skip
        yield "compare-engines.json", ["compare", f"{scratch / 'engines'}@engine=sim", "@engine=linux", "--json"]
    if curves is not None:
        yield "curves.json", [*DEV, "curves", "--seeds", "2", "--floor", "2", "--out", str(curves), "--json"]


def record(arguments: argparse.Namespace) -> int:
    """Writes down what every command prints."""
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as scratch_name:
        scratch = Path(scratch_name).resolve()
        copies = {
            name: Path(shutil.copytree(store, scratch / name)) if store else None
            for name, store in (
                ("studies", arguments.studies),
                ("agree", arguments.agree),
                ("engines", arguments.agree),
                ("curves", arguments.curves),
            )
        }
        studies = copies["studies"]
        assert studies is not None  # noqa: S101 (it is required)
        wanted = [
            each for each in commands(studies, scratch, copies["agree"], copies["curves"])
            if not arguments.only or re.search(arguments.only, each[0])
        ]  # fmt: skip

        def run(command: tuple[str, list[str]]) -> bool:
            name, options = command
            proof = options[:1] == DEV
            program = [str(arguments.executable.with_name("python")), "-m"] if proof else [str(arguments.executable)]
            done = subprocess.run(
                [*program, *options], capture_output=True, text=True, check=False, cwd=ROOT if proof else None
            )
            (folder / name).write_text(done.stdout.replace(str(scratch), ""), encoding="utf-8")
            if done.returncode > 1 or "Traceback" in done.stderr:
                print(f"{name}: exit {done.returncode}: {done.stderr[-400:]}", file=sys.stderr)
                return False
            return True

        with ThreadPoolExecutor(arguments.jobs) as pool:
            return 0 if all(list(pool.map(run, wanted))) else 1


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:  # noqa: ANN401 (of JSON)
    """Where the new value is not the old one."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() - UNCOMPARED:
            if key not in new:
                yield f"{place}.{key}: gone, was {str(old[key])[:80]}"
            else:
                yield from differences(old[key], new[key], f"{place}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place}[{index}]")
    elif (
        not (isinstance(old, float) and isinstance(new, float) and math.isclose(old, new, rel_tol=ROUNDING))
        and old != new
    ):
        yield f"{place}: {str(old)[:120]} -> {str(new)[:120]}"


def _single_spaced(line: str) -> str:
    return " ".join(line.split())


def of_file(old: Path, new: Path) -> Iterator[str]:
    """The differences between two files."""
    if not new.is_file():
        yield "not there"
        return
    before, after = (path.read_text(encoding="utf-8").splitlines() for path in (old, new))
    if old.suffix != ".json":
        lines = unified_diff([*map(_single_spaced, before)], [*map(_single_spaced, after)], lineterm="", n=0)
        yield from (line for line in lines if line[:2] not in {"--", "++", "@@"})
        return
    if len(before) != len(after):
        yield f"{len(before)} lines -> {len(after)} lines"
    for number, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        yield from (f"{number}{each}" for each in differences(json.loads(one), json.loads(other)))


def diff(arguments: argparse.Namespace) -> int:
    """Prints what differs."""
    files = [
        path for path in sorted(arguments.old.iterdir()) if not arguments.only or re.search(arguments.only, path.name)
    ]
    changed = 0
    for old in files:
        changes = list(of_file(old, arguments.new / old.name))
        if changes:
            changed += 1
            print(f"{old.name}: {len(changes)} differences")
            for each in changes[:MOST_SHOWN]:
                print(f"  {each}")
    print(f"{len(files)} outputs, {len(files) - changed} of them alike")
    return 1 if changed else 0


def main() -> int:
    """Runs the command that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True)
    action = actions.add_parser("record")
    action.add_argument("executable", type=Path)
    action.add_argument("folder", type=Path)
    action.add_argument("--studies", type=Path, required=True)
    action.add_argument("--agree", type=Path)
    action.add_argument("--curves", type=Path)
    action.add_argument("--only", default="")
    action.add_argument("--scratch", type=Path)
    action.add_argument("--jobs", type=int, default=2)
    action.set_defaults(do=record)
    action = actions.add_parser("diff")
    action.add_argument("old", type=Path)
    action.add_argument("new", type=Path)
    action.add_argument("--only", default="")
    action.set_defaults(do=diff)
    arguments = parser.parse_args()
    done: int = arguments.do(arguments)
    return done


if __name__ == "__main__":
    sys.exit(main())
