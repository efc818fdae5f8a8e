"""`dumbbell study`: documents made runnable. Their runs, their claims judged, their figures drawn again."""

import typer

from dumbbell.cli.study import catalogue, claims, figures, report, run

app = typer.Typer(
    help="Documents made runnable: experiments, published numbers, claims, figures.",
    epilog="Example: dumbbell study run claypool2019",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("list", epilog="Example: dumbbell study list")(catalogue.list_)
app.command("show", epilog="Example: dumbbell study show claypool2019")(catalogue.show)
app.command("run", epilog="Example: dumbbell study run claypool2019 --claims S7,S8 --jobs 2")(run.run)
app.command("claims", epilog="Example: dumbbell study claims all --json")(claims.claims)
app.command("figures", epilog="Example: dumbbell study figures claypool2019 --numbers figure7")(figures.figures)
app.command("report", epilog="Example: dumbbell study report all")(report.report)

__all__ = ["app"]
