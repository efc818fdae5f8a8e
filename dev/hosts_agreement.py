"""`python -m dev hosts_agreement`: ten specs on hosts behind SSH and in namespaces of one kernel, by turns.

The hosts are a lab of `sshd` on this machine, so that nothing differs but how the engines make a path and read a run.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer

from dev.sshlab import lab, obstacle
from dev.validation import live_text
from dev.validation.page import check_writable, write
from dev.validation.plan import load_plan
from dev.validation.records import store_record
from dumbbell.campaign.execution import run_experiments
from dumbbell.cli.agree import check, print_failures
from dumbbell.cli.option import print_files
from dumbbell.cli.progress import progress
from dumbbell.comparison.campaigns import Sides, compare_engines, runs
from dumbbell.comparison.record import Source
from dumbbell.engines import registry
from dumbbell.engines.hosts.engine import HostsEngine
from dumbbell.engines.protocol import Engine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load
from dumbbell.tables.plain_text import text
from dumbbell.tables.terminal import columns

PART: Final = "live-hosts"
"""Of the plan."""
SPECS: Final = "hosts_agreement.toml"
COMMON: Final[dict[str, Any]] = {
    "duration": "12 s",
    "start_jitter": "100 ms",
    "measure": {"window": ["2 s", "100 %"], "record": "summary"},
}
"""What all specs have: seeds would differ in nothing but flows' starts."""
SEEDS: Final = 3


def experiments() -> list[Experiment]:
    """Those of the file, in its order."""
    tables = tomllib.loads(files("dev").joinpath(SPECS).read_text(encoding="utf-8"))["specs"]
    return [Experiment(**COMMON, **each) for each in tables]


def turns(experiment: Experiment, sides: Sides) -> Iterator[tuple[Engine, Experiment]]:
    """A spec's runs one by one: the candidate, the reference, and the reference once more, with the next seeds."""
    by_turn = (
        (sides.candidate, sides.candidate_seeds),
        (sides.reference, sides.reference_seeds),
        (sides.reference, sides.floor_seeds),
    )
    for turn in range(sides.seeds):
        for engine, seeds in by_turn:
            yield engine, load(experiment, overrides={"seeds": seeds[turn : turn + 1]})


def hosts_agreement(
    *,
    out: Annotated[Path, typer.Option("--out", metavar="STORE", help="Where runs are kept.")] = Path("out/lab"),
    only: Annotated[
        str | None,
        typer.Option("--only", metavar="SPEC", help="This one, and write nothing.", show_default=False),
    ] = None,
    docs: Annotated[Path, typer.Option("--docs", metavar="FOLDER", help="Where the page is written.")] = Path("docs"),
) -> None:
    """Run ten specs on hosts of a lab and in namespaces, and compare; write the part live-hosts of validation.md.

    It takes twenty minutes, root, and a machine that does nothing else. The same command goes on where it stopped.
    """
    if why := obstacle():
        raise EngineFailure(why)
    every = [each for each in experiments() if only in (None, each.name)]
    if not every:
        raise typer.BadParameter(f"is none of {', '.join(each.name for each in experiments())}", param_hint="--only")
    check_writable(docs)
    with TemporaryDirectory(prefix="dumbbell-lab-") as folder, Store.open(out, write=True) as store:
        Path(folder).chmod(0o755)  # its plain user comes there
        with lab(Path(folder)) as made:
            inventory = made.testbed(("s1", "s2"), "r2", mid="shape = true", r2="shape = true")
            sides = Sides(HostsEngine(inventory, made.config), registry.engine("netns"), SEEDS, SEEDS)
            check(every, sides)
            with progress(runs(every, sides)) as advance:
                for engine, turn in (each for experiment in every for each in turns(experiment, sides)):
                    with closing(run_experiments(store, [turn], engine)) as finished:
                        for _ in finished:
                            advance()
            record = compare_engines(store, every, sides, Source(spec=PART, file=SPECS))
    typer.echo(text(live_text.conditions_table(record, {}), columns()))
    typer.echo(live_text.summary(record))
    for line in live_text.all_disturbances(record):
        typer.echo(line)
    print_failures(record.conditions)
    if only is None:
        print_files([store_record(PART, record, docs), *write(load_plan(), docs)], as_json=False)
