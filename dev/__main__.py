"""`python -m dev`: the commands of the proof, with the exit statuses of `dumbbell`."""

import sys

import typer

from dev.advised import advised
from dev.captured import captured
from dev.checks.command import checks
from dev.curves.command import curves
from dev.decisions import record_decisions
from dev.hosts_agreement import hosts_agreement
from dev.in_lab import in_lab
from dev.measured_paths import measured_paths
from dev.strata.command import strata
from dev.validation.command import validation
from dumbbell.cli.main import ended

PROGRAM = "python -m dev"
app = typer.Typer(
    help="How far can each engine be trusted? What measures it, and writes docs/validation.md.",
    epilog=f"Example: {PROGRAM} validation --only fq",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("strata", epilog=f"Example: {PROGRAM} strata --random 20 --stratum fq --html agreement.html")(strata)
app.command("curves", epilog=f"Example: {PROGRAM} curves --engines sim,linux")(curves)
app.command("checks", epilog=f"Example: {PROGRAM} checks phases --engines sim,linux")(checks)
app.command("validation", epilog=f"Example: {PROGRAM} validation --only fq")(validation)
app.command("advised", epilog=f"Example: {PROGRAM} advised")(advised)
app.command("captured", epilog=f"Example: {PROGRAM} captured --runs 20")(captured)
app.command("decisions", epilog=f"Example: {PROGRAM} decisions")(record_decisions)
app.command("measured_paths", epilog=f"Example: {PROGRAM} measured_paths --seed 7")(measured_paths)
app.command("hosts_agreement", epilog=f"Example: {PROGRAM} hosts_agreement")(hosts_agreement)
app.command(
    "lab",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=f"Example: {PROGRAM} lab study run cao2019 --short --engine hosts --out out/cao",
)(in_lab)


def main() -> None:
    """Runs the command line and ends the process."""
    ended(lambda: typer.main.get_command(app)(sys.argv[1:], prog_name=PROGRAM))


if __name__ == "__main__":
    main()
