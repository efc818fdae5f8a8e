"""`dumbbell agree`: the same points on two engines, and whether they agree."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.hosts import agree_measured
from dumbbell.cli.interruption import stored_runs_text, telling
from dumbbell.cli.option import DEFAULT_STORE, Folder, Html, Jobs, Sets
from dumbbell.cli.programs import Programs, allow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.comparison.campaigns import Sides
    from dumbbell.comparison.record import Source
    from dumbbell.spec import Experiment

EXAMPLE = "Example: dumbbell agree --random 20 --seed 7 --html agreement.html; or: dumbbell agree --curves"
FRESH_SEEDS = 1_000_000
SEEDS, CURVES_SEEDS = 3, 5
TWO = 2
NOT_OF_A_FILE_NAME = '/\\:*?"<>|'
"""Letters that some system has no file name with."""
FLOW_COLUMNS = {
    "flow": ("flow", 1.0), "name": ("name", 1.0), "engine": ("engine", 1.0), "seed": ("seed", 1.0),
    "Mbit/s": ("goodput_bps", 1e-6), "RTT ms": ("rtt_mean_s", 1e3), "min ms": ("rtt_min_s", 1e3),
    "cwnd": ("cwnd_mean_segments", 1.0), "sent": ("segments_sent", 1.0), "retrans %": ("retransmit_rate", 100.0),
    "lost": ("lost", 1.0), "dropped": ("dropped", 1.0), "timeouts": ("timeouts", 1.0), "probes": ("probes", 1.0),
    "undos": ("undos", 1.0), "acks": ("acks", 1.0), "path loss %": ("loss_rate", 100.0),
    "queue BDP": ("queue_mean_bdp", 1.0),
}  # fmt: skip
"""What `--show` prints of a flow: heading, key and scale."""


def agree(  # noqa: C901, PLR0913 (each is an option, and each mode a case)
    spec: Annotated[
        Path | None, typer.Argument(metavar="[SPEC]", help="The experiment: a TOML file.", show_default=False)
    ] = None,
    *,
    engines: Annotated[
        str, typer.Option("--engines", metavar="A,B", help="Compare engine A with B; B is the reference.")
    ] = "sim,linux",
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            metavar="N",
            min=1,
            show_default=False,
            help=f"Seeds of each engine: 1 to N; default: {SEEDS}, with --curves {CURVES_SEEDS}.",
        ),
    ] = None,
    candidate_seeds: Annotated[
        int | None,
        typer.Option(
            "--candidate-seeds",
            metavar="N",
            min=1,
            show_default=False,
            help="Seeds of A; more seeds reduce A's random error; default: as many as --seeds.",
        ),
    ] = None,
    floor: Annotated[
        int | None,
        typer.Option(
            "--floor",
            metavar="N",
            min=0,
            show_default=False,
            help="Extra seeds of B, to compare B with itself (noise floor); default: as many as --seeds.",
        ),
    ] = None,
    random: Annotated[
        int | None, typer.Option("--random", metavar="N", min=1, help="N conditions drawn at random instead of SPEC.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", min=0, help="Seed of the draw; default: a fresh one, which is printed."),
    ] = None,
    stratum: Annotated[
        str | None,
        typer.Option(
            "--stratum",
            metavar="NAME",
            help="What to draw from, judged by its own bands; default: plain.",
            show_default=False,
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option("--duration", metavar="TIME", help="Duration of a random condition; default: the stratum's."),
    ] = None,
    packets: Annotated[
        int | None,
        typer.Option(
            "--packets", metavar="N", min=1, help="Packet limit of a random condition; default: the stratum's."
        ),
    ] = None,
    curves: Annotated[
        bool,
        typer.Option("--curves", help="Single flows instead of SPEC: loss epochs over one another, BBR's phases."),
    ] = False,
    check: Annotated[
        list[str] | None,
        typer.Option(
            "--check",
            metavar="NAME",
            show_default=False,
            help="Run built-in checks whose name starts with NAME instead of SPEC; repeatable; all: every check.",
        ),
    ] = None,
    sets: Sets = None,
    out: Folder = DEFAULT_STORE,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with every figure.")] = False,
    html: Html = None,
    jobs: Jobs = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the conditions, and run nothing.")] = False,
    dump: Annotated[
        Path | None, typer.Option("--dump", metavar="DIR", help="Write each condition as a spec, and run nothing.")
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            "--measured",
            metavar="CSV",
            show_default=False,
            help="Compare each engine with measurements of real hosts: a table of points, or iperf3's JSON.",
        ),
    ] = None,
    heading: Annotated[
        list[str] | None,
        typer.Option(
            "--heading",
            metavar="THEIRS=OURS",
            show_default=False,
            help="With --measured: the field that a heading means, e.g. 'loss_rate=path.loss:x100'; repeatable.",
        ),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option("--show", metavar="CONDITION", help="Measure one condition, and print every flow of every run."),
    ] = None,
    programs: Programs = False,
) -> None:
    """Run an experiment on two engines and compare them. Exit status 1: they differ by more than a band or limit.

    With --measured dumbbell takes the points from a table, and compares each engine with the values that real hosts
    measured there. Its columns are fields of SPEC, as path.rate (Mbit/s) or flows[0].count, and quantities, as
    goodput.bbr (Mbit/s), share.bbr (%) or goodput.bbr (of rate); goodput.bbr.sd is a standard deviation, note.anything
    a remark.
    Other lists in SPEC stand for unknown host settings; dumbbell reports each combination separately.

    The same command goes on where it stopped: runs in the store are not repeated.
    """
    from dumbbell.comparison.campaigns import check_names
    from dumbbell.comparison.record import Source
    from dumbbell.errors import ComparisonError

    modes = {"--dry-run": dry_run, "--dump": dump is not None, "--show": show is not None}
    given = [name for name, wanted in modes.items() if wanted]
    if len(given) > 1:
        raise ComparisonError(f"give one of {' and '.join(given)}")
    if given and html is not None:
        raise ComparisonError(f"--html is of a comparison; {given[0]} makes none")
    draw = {
        "--random": random, "--seed": seed, "--stratum": stratum, "--duration": duration, "--packets": packets,
        "--curves": curves or None, "--candidate-seeds": candidate_seeds, "--floor": floor,
    }  # fmt: skip
    if check:
        values = {"SPEC": spec, **draw, "--seeds": seeds, "--set": sets or None, "--html": html}
        values["--measured"] = measured
        _refuse(values, given, "--check has conditions, seeds and bars of its own; leave it out")
        _check_bars(check, engines, out, jobs, as_json=as_json)
        return
    if measured is not None:
        _refuse(draw, given, "--measured has the points of its table; leave it out")
        agree_measured(
            spec, measured, heading or (), engines, seeds, sets, out, jobs, html, as_json=as_json, programs=programs
        )
        return
    source = Source(
        stratum=stratum, random=random, seed=seed, duration=duration, most_packets=packets, sets=tuple(sets or ())
    )
    experiments, source = _conditions(spec, source, curves=curves)
    check_names(experiments)
    if dump is not None:
        _dump(experiments, dump)
        return
    if dry_run:
        _print_conditions(experiments, source)
        return
    seeds = seeds or (CURVES_SEEDS if curves else SEEDS)
    sides = _sides(engines, seeds, seeds if floor is None else floor, candidate_seeds)
    requested = experiments if show is None else [_chosen(experiments, show)]
    _check(requested, sides, curves=curves and show is None)
    allow(requested, [sides.candidate, sides.reference], spec, wanted=programs)
    if show is not None:
        _show(requested[0], sides, jobs, as_json=as_json)
        return
    from dumbbell.cli.progress import progress
    from dumbbell.comparison import agreement_text as text
    from dumbbell.comparison.campaigns import compare_engines, runs
    from dumbbell.comparison.curves import judge
    from dumbbell.report.comparison import page
    from dumbbell.results.store import Store
    from dumbbell.tables.terminal import columns

    with (
        telling(lambda: _describe_stored_runs(out, [(each, sides) for each in experiments])),
        Store.open(out, write=True) as store,
    ):
        with progress(runs(experiments, sides), wanted=not (as_json and sys.stdout.isatty())) as advance:
            judge_curves = judge if curves else None
            comparison = compare_engines(store, experiments, sides, source, judge_curves, jobs=jobs, progress=advance)
        shown = page(comparison, store)
        for line in [comparison.model_dump_json()] if as_json else shown.lines(columns()):
            typer.echo(line)
        for line in text.failures(comparison):
            typer.echo(f"failed: {line}", err=True)
        for line in text.without_data(comparison):
            typer.echo(f"not compared: {line}", err=True)
        if html is not None:
            typer.echo(shown.write(html), err=True)
    if not comparison.holds:
        raise typer.Exit(1)


def _refuse(values: "Mapping[str, object]", modes: "Sequence[str]", reason: str) -> None:
    """Refuses what is given beside an option; `values` are by option, None where nothing was given."""
    from dumbbell.errors import ComparisonError

    others = [*modes, *(name for name, value in values.items() if value is not None)]
    if others:
        raise ComparisonError("\n".join(f"{name}: {reason}" for name in others))


def _check_bars(names: "Sequence[str]", engines: str, out: Path, jobs: int | None, *, as_json: bool) -> None:
    from dumbbell.cli.progress import progress
    from dumbbell.comparison import agreement_text as text
    from dumbbell.comparison.checks import chosen, count, run_checks
    from dumbbell.results.store import Store
    from dumbbell.tables import plain_text
    from dumbbell.tables.terminal import columns, wrapped

    # Every name begins with nothing.
    checks, sides = chosen(["" if name == "all" else name for name in names]), _sides(engines, 1, 0)
    _check([each.experiment for each in checks], sides)
    pairs = [(each.experiment, each.sides(sides)) for each in checks]
    with (
        telling(lambda: _describe_stored_runs(out, pairs)),
        Store.open(out, write=True) as store,
        progress(count(checks, sides), wanted=not as_json) as advance,
    ):
        record = run_checks(store, checks, sides, jobs=jobs, progress=advance)
    if as_json:
        typer.echo(record.model_dump_json())
    else:
        typer.echo(
            f"{plain_text.text(text.checks_table(record), columns())}\n\n{wrapped(text.summary(record), columns())}"
        )
    for line in text.failures(record):
        typer.echo(f"failed: {line}", err=True)
    if not record.holds:
        raise typer.Exit(1)


def _describe_stored_runs(out: Path, pairs: "Sequence[tuple[Experiment, Sides]]") -> str:
    from dumbbell.comparison.campaigns import runs
    from dumbbell.results.campaign import measured_of
    from dumbbell.results.store import Store

    with Store.open(out) as store:
        there = sum(
            measured_of(store.ledger, campaign, engine.name, engine.identity())
            for experiment, sides in pairs
            for engine, campaign in sides.campaigns(experiment)
        )
    return stored_runs_text(there, sum(runs([experiment], sides) for experiment, sides in pairs), out)


def _conditions(spec: Path | None, wanted: "Source", *, curves: bool) -> "tuple[list[Experiment], Source]":
    """What is compared, and where it comes from."""
    from dumbbell.comparison.curves import experiments
    from dumbbell.errors import ComparisonError
    from dumbbell.spec import assignment, load

    overrides = dict(map(assignment, wanted.sets))
    if (spec is not None) + (wanted.random is not None) + curves != 1:
        raise ComparisonError("give one of SPEC, --random N and --curves")
    if wanted.random is None:
        if (wanted.seed, wanted.stratum, wanted.duration, wanted.most_packets) != (None, None, None, None):
            raise ComparisonError("--seed, --stratum, --duration and --packets are for --random")
        if spec is None:
            return [load(each, overrides=overrides) for each in experiments()], wanted
        experiment = load(spec, overrides=overrides)
        return [experiment], wanted.model_copy(update={"spec": experiment.name, "file": spec.name})
    seed = wanted.seed
    if seed is None:
        import secrets

        seed = secrets.randbelow(FRESH_SEEDS)
        typer.echo(f"conditions of seed {seed}; --seed {seed} draws them again", err=True)
    from dumbbell.comparison.random_conditions import PLAIN, strata
    from dumbbell.problem import quoted, suggestion
    from dumbbell.validation.studied import STUDIES, drawn

    stratum, known = wanted.stratum or PLAIN, [*strata(), STUDIES]
    if stratum not in known:
        raise ComparisonError(f"--stratum: unknown {quoted(stratum)}; {suggestion(stratum, known)}")
    conditions = drawn(stratum, wanted.random, seed, duration=wanted.duration, most_packets=wanted.most_packets)
    source = wanted.model_copy(update={"seed": seed, "stratum": stratum})
    return [load(each, overrides=overrides) if overrides else each for each in conditions], source


def _sides(engines: str, seeds: int, floor: int, candidate_seeds: int | None = None) -> "Sides":
    from dumbbell.comparison.campaigns import Sides
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.errors import ComparisonError

    names = [name.strip() for name in engines.split(",")]
    if len(names) != TWO or not all(names):
        raise ComparisonError(f'--engines: "{engines}" names no two engines; write it as sim,linux')
    return Sides(engine_named(names[0]), engine_named(names[1]), seeds, floor, own=candidate_seeds)


def _check(experiments: "Sequence[Experiment]", sides: "Sides", *, curves: bool = False) -> None:
    """Refuses what an engine cannot honour, or has no curves if those are wanted; says what makes seeds alike."""
    from dumbbell.comparison.campaigns import problems
    from dumbbell.spec import SpecError

    all_problems = problems(experiments, sides)
    if curves:
        from dumbbell.comparison.curves import problems as curve_problems

        all_problems += curve_problems(experiments)
    if all_problems:
        raise SpecError(all_problems)
    if not all(_draws(each) for each in experiments):
        typer.echo('note: without any jitter seeds hardly differ; see --set start_jitter="100 ms"', err=True)


def _draws(experiment: "Experiment") -> bool:
    """Whether another seed is another run, random loss and algorithms' own chance apart: hosts, starts, arrivals."""
    from msgspec import structs

    from dumbbell.spec import expand, resolve

    point = next(iter(expand(experiment)))
    one, other = (resolve(point, seed).run for seed in (1, 2))
    return bool(one.path.jitter_ns) or structs.replace(one, seed=other.seed) != other


def _dump(experiments: "Sequence[Experiment]", folder: Path) -> None:
    from dumbbell.errors import ComparisonError
    from dumbbell.spec import toml

    for experiment in experiments:
        if set(experiment.name) & set(NOT_OF_A_FILE_NAME) or experiment.name.startswith("."):
            letters = " ".join(NOT_OF_A_FILE_NAME)
            raise ComparisonError(
                f'name: "{experiment.name}" is no name of a file; one without {letters}, and no dot at its beginning'
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for experiment in experiments:
            path = folder / f"{experiment.name}.toml"
            path.write_text(toml(experiment.fields()), encoding="utf-8")
            typer.echo(path)
    except OSError as error:
        raise ComparisonError(f"{folder}: cannot write a spec there: {error.strerror or error}") from error


def _print_conditions(experiments: "Sequence[Experiment]", source: "Source") -> None:
    """With what drawn ones cost: an engine's time goes with the packets that it moves."""
    from dumbbell.comparison.campaigns import points
    from dumbbell.comparison.random_conditions import packets
    from dumbbell.metrics.number import counted
    from dumbbell.spec import toml

    for experiment in experiments:
        typer.echo(f"# {experiment.name}\n{toml(experiment.fields())}")
    if source.random is not None:
        total = sum(map(packets, experiments))
        count = counted(sum(len(points(each)) for each in experiments), "condition")
        typer.echo(f"{count}, {total / 1e6:.1f} million packets at most with each seed", err=True)


def _chosen(experiments: "Sequence[Experiment]", name: str) -> "Experiment":
    """The condition of that name, or of that number, with nothing swept."""
    from dumbbell.comparison.campaigns import points
    from dumbbell.errors import ComparisonError
    from dumbbell.problem import suggestion
    from dumbbell.spec import load

    conditions = [pair for experiment in experiments for pair in points(experiment)]
    for number, (known, point) in enumerate(conditions, start=1):
        if name in (known, str(number)):
            return load(point)
    known_names = [known for known, _ in conditions]
    raise ComparisonError(f'--show: there is no condition "{name}"; {suggestion(name, known_names)}')


def _show(experiment: "Experiment", sides: "Sides", jobs: int | None, *, as_json: bool) -> None:
    from dumbbell.comparison.campaigns import flows
    from dumbbell.metrics.number import rounded

    measured_flows = flows(experiment, sides, jobs)
    if as_json:
        for flow in measured_flows:
            typer.echo(json.dumps({k: rounded(v) if isinstance(v, float) else v for k, v in flow.items()}))
        return
    from dumbbell.spec import toml
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.table import Amount, Table
    from dumbbell.tables.terminal import columns

    typer.echo(toml(experiment.fields()))
    rows = [
        [
            value if isinstance(value, str | int) else Amount(value, factor=scale)
            for value, scale in ((flow[key], scale) for key, scale in FLOW_COLUMNS.values())
        ]
        for flow in sorted(measured_flows, key=lambda flow: int(flow["flow"]))
    ]
    typer.echo(text(Table.of(FLOW_COLUMNS, rows), columns()))
