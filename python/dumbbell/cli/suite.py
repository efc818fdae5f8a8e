"""`dumbbell suite`: the scenarios of a document, run and judged relative to a baseline."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli import completion
from dumbbell.cli.option import Inventory, Jobs, Json, Seeds, Sets, SshConfig, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment
    from dumbbell.suites import ScenarioOutcome, Suite

STORE = "runs"
"""The folder of the runs in that of a suite."""
app = typer.Typer(
    help="Scenarios of RFCs and of others' test suites, each with what must hold relative to a baseline.",
    epilog="Example: dumbbell suite run rfc9743 --cc bbr --only standing-queue",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list", epilog="Example: dumbbell suite list rfc9743")
def list_(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="The scenarios of this suite.", autocompletion=completion.suites, show_default=False
        ),
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """List the suites, or the scenarios of one."""
    from dumbbell.suites import load, names
    from dumbbell.tables import terminal
    from dumbbell.tables.plain_text import lay_out
    from dumbbell.tables.table import Table

    suites = {each: load(each).manifest for each in (names() if name is None else [name])}
    if as_json:
        print_json({each: own.model_dump() for each, own in suites.items()})
        return
    if name is None:
        rows: list[list[str | int]] = [
            [each, len(own.scenarios), sum(bool(one.missing) for one in own.scenarios.values()), own.title]
            for each, own in suites.items()
        ]
        shown = Table.of(["suite", "scenarios", "missing", "document"], rows)
    else:
        lines = [
            [each, own.section, own.title, "missing" if own.missing else ""]
            for each, own in suites[name].scenarios.items()
        ]
        shown = Table.of(["scenario", "section", "what", ""], lines)
    for line in lay_out(shown, terminal.columns()).lines:
        typer.echo(line)


@app.command("run", epilog="Example: dumbbell suite run nsperf --cc bbr,bbr3 --out out/nsperf --junit junit.xml")
def run(  # noqa: PLR0913 (each is an option)
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The suite.", autocompletion=completion.suites, show_default=False)
    ],
    *,
    cc: Annotated[
        list[str] | None,
        typer.Option(
            "--cc",
            metavar="NAME,...",
            help="The algorithms in question; default: bbr.",
            autocompletion=completion.several_algorithms,
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="NAME",
            help="What each is compared with; default: cubic, and reno for cubic.",
            autocompletion=completion.algorithms,
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option("--engine", metavar="NAME", help="sim, linux, netns, hosts.", autocompletion=completion.engines),
    ] = "sim",
    inventory: Inventory = None,
    ssh_config: SshConfig = None,
    only: Annotated[
        str | None,
        typer.Option("--only", metavar="SCENARIO,...", help="Of its scenarios these only.", show_default=False),
    ] = None,
    short: Annotated[bool, typer.Option("--short", help="The short form of each: a second, for CI.")] = False,
    seeds: Seeds = None,
    sets: Sets = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="For the runs and the pages; default: suites/NAME.", show_default=False
        ),
    ] = None,
    jobs: Jobs = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what the store already has.")] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write all expectations as JUnit XML, for CI.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the scenarios of a suite that are not there yet, print what holds, and write a page for each algorithm.

    Each scenario runs with the algorithm in question and with the baseline, in pairs that differ in nothing else. A row
    is an expectation at the point where it fails most, or holds most narrowly. The exit status is 1 where one fails.
    """
    from dumbbell.cli.chosen_engine import engine_of
    from dumbbell.spec import assignment
    from dumbbell.suites import baseline_of, load

    suite = load(name)
    chosen = engine_of(engine, inventory, ssh_config)
    controls = _listed(",".join(cc)) if cc else ["bbr"]
    scenarios = list(suite.selected(_listed(only) if only else None))
    overrides = dict(map(assignment, sets or ())) | ({} if seeds is None else {"seeds": seeds})
    folder = out or Path("suites") / name
    trees: list[Any] = []
    unjudged: dict[str, str] = {}
    records: list[dict[str, Any]] = []
    broken = False
    for control in controls:
        against = baseline or baseline_of(suite, control)
        outcomes, own_trees = _outcomes(
            suite, scenarios, control, against, chosen, folder / STORE, jobs, overrides, short=short, fresh=fresh
        )
        trees += own_trees
        unjudged |= {f"{suite.name}-{each.name}": f"{each.status}: {each.why}" for each in outcomes if each.why}
        records += [record for each in outcomes for record in _records(each, control, against, chosen.name)]
        broken |= any(each.status == "fails" for each in outcomes)
        page = folder / f"{control}{'-short' if short else ''}.html"
        _print(suite, outcomes, control, against, chosen, page, short=short, as_json=as_json)
    if as_json:
        print_json(records)
    if junit is not None:
        from dumbbell.report.junit import joined, write

        write(joined(suite.name, trees, unjudged), junit)
    if broken:
        raise typer.Exit(1)


def _listed(text: str) -> list[str]:
    """Names between commas, outside of brackets."""
    import re

    return [each.strip() for each in re.split(r",(?![^\[]*\])", text) if each.strip()]


def _outcomes(  # noqa: PLR0913, PLR0917 (the options of a suite)
    suite: "Suite", names: "Sequence[str]", control: str, baseline: str, engine: "Engine", folder: Path,
    jobs: int | None, overrides: "dict[str, Any]", *, short: bool, fresh: bool,
) -> "tuple[list[ScenarioOutcome], list[Any]]":  # fmt: skip
    """Runs what is missing of scenarios, and judges each; with the trees of JUnit of those that were run."""
    from dumbbell.cli.interruption import store_of
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.experiment.points import read_campaign
    from dumbbell.results.campaign import campaign_of, numbered
    from dumbbell.suites import ScenarioOutcome, experiment_of, outcome_of, refused
    from dumbbell.suites.scenario import fields_in_question

    registry = catalogue()
    experiments: dict[str, Experiment] = {}
    outcomes: dict[str, ScenarioOutcome] = {}
    for name in names:
        scenario = suite.manifest.scenarios[name]
        if scenario.missing:
            outcomes[name] = ScenarioOutcome(name=name, scenario=scenario, status="missing", why=scenario.missing)
            continue
        experiment = experiment_of(
            suite, name, control, baseline, short=short, overrides=overrides, registry=registry
        )  # fmt: skip
        if why := refused(experiment, engine):
            outcomes[name] = ScenarioOutcome(name=name, scenario=scenario, status="refused", why=why)
            continue
        experiments[name] = experiment
    trees = []
    if experiments:
        with store_of(folder, [(engine, each) for each in experiments.values()]) as store:
            _measure(store, list(experiments.values()), engine, jobs, fresh=fresh)
            for name, experiment in experiments.items():
                campaign = numbered(store.ledger, campaign_of(store.ledger, experiment, engine.name, engine.identity()))
                runs = read_campaign(store, campaign, experiment)
                scenario = suite.manifest.scenarios[name]
                outcomes[name] = outcome_of(store, name, scenario, runs, fields_in_question(suite, name), control)
                trees.append(_tree(store, experiment, outcomes[name], control, engine))
    return [outcomes[name] for name in names], trees


def _measure(
    store: "Store", experiments: "list[Experiment]", engine: "Engine", jobs: int | None, *, fresh: bool
) -> None:
    from contextlib import closing

    from dumbbell.campaign.execution import run_experiments
    from dumbbell.campaign.plan import count
    from dumbbell.cli.progress import progress

    with (
        progress(sum(map(count, experiments))) as advance,
        closing(run_experiments(store, experiments, engine, jobs=jobs, fresh=fresh)) as finished,
    ):
        for _ in finished:
            advance()


def _tree(
    store: "Store", experiment: "Experiment", outcome: "ScenarioOutcome", control: str, engine: "Engine"
) -> "Any":  # noqa: ANN401 (an element)
    from dumbbell.report.junit import junit

    results = {run_id: store.get(run_id) for each in outcome.verdicts for run_id in each.run_ids}
    wall_s = {run_id: each.wall_s for run_id, each in results.items() if each is not None}
    facts = {"cc": control, "engine": engine.name, "identity": engine.identity()}
    return junit(experiment.name, outcome.verdicts, facts, wall_s)


def _print(  # noqa: PLR0913, PLR0917 (what is said of a suite)
    suite: "Suite", outcomes: "list[ScenarioOutcome]", control: str, baseline: str, engine: "Engine", page: Path, *,
    short: bool, as_json: bool,
) -> None:  # fmt: skip
    """Prints what was judged, and writes the page."""
    from dumbbell.problem import typed
    from dumbbell.report.suite import page_of
    from dumbbell.suites import counts, table
    from dumbbell.suites.outcome import sentence
    from dumbbell.tables import terminal
    from dumbbell.tables.plain_text import lay_out

    command = f"dumbbell suite run {suite.name} --cc {typed(control)} --baseline {typed(baseline)}"
    command += f" --engine {typed(engine.name)} --out {typed(page.parent)}{' --short' if short else ''}"
    page_of(suite, outcomes, control, baseline, engine.name, command, short=short).write(page)
    if not as_json:
        shown = lay_out(table([each for each in outcomes if each.findings], control, baseline), terminal.columns())
        for line in (*shown.lines, "", f"{control}, {suite.name}: {counts(outcomes)}"):
            typer.echo(line)
        for each in outcomes:
            texts = [sentence(one) for one in each.findings if one.decisive.verdict != "holds"]
            texts += [f"{each.status}: {each.why}"] * bool(each.why)
            for text in texts:
                typer.echo(terminal.wrapped(f"{each.name}: {text}", terminal.columns()), err=True)
    typer.echo(f"page: {page}", err=True)


def _records(outcome: "ScenarioOutcome", control: str, baseline: str, engine: str) -> "list[dict[str, Any]]":
    """A record an expectation; one of a scenario that was not run."""
    head = {"scenario": outcome.name, "section": outcome.scenario.section, "cc": control, "baseline_cc": baseline}
    head |= {"engine": engine, "status": outcome.status, "why": outcome.why}
    if not outcome.findings:
        return [head]
    return [
        head | {
            "measured": each.subject, "bound": each.decisive.expectation.bound, "unit": each.unit, "ours": each.ours,
            "baseline": each.baseline, "verdict": each.decisive.verdict, "margin": each.margin, "at": each.place,
            "points": each.points, "holding": each.holding, "decisive": each is outcome.decisive,
            "wall_s": outcome.wall_s,
        }
        for each in outcome.findings
    ]  # fmt: skip
