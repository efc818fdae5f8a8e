"""`dumbbell cc`: the congestion controls that a spec can name, and every constant of theirs with its origin."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dumbbell.cli import completion
from dumbbell.cli.option import Json, print_json

if TYPE_CHECKING:
    from dumbbell.cc import Choice

app = typer.Typer(
    help="The congestion controls that a spec can name.",
    epilog='Example: dumbbell cc show "bbr[cwnd_gain=1.5]"',
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list", epilog="Example: dumbbell cc list")
def list_(*, as_json: Json = False) -> None:
    """List the algorithms and their variants, and the engines that have each."""
    import dumbbell.cc as cc
    from dumbbell.engines.catalogue import catalogue, engines_with
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.table import Table
    from dumbbell.tables.terminal import columns

    algorithms = [(each.name, "", engines_with(each.name), each.title) for each in catalogue().values()]
    variants = [(each.name, each.base, engines_with(each.name), each.about) for each in cc.variants().values()]
    if as_json:
        rows = [
            {"name": name, "base": base or None, "engines": engines, "about": about}
            for name, base, engines, about in algorithms + variants
        ]
        print_json(rows)
    else:
        table = [(name, base, ", ".join(engines), about) for name, base, engines, about in algorithms + variants]
        typer.echo(text(Table.of(("name", "variant of", "engines", "what it is"), table), columns()))


@app.command(epilog='Example: dumbbell cc show bbr_4_17, or "bbr[cwnd_gain=1.5]" as a spec would write it')
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="As a spec writes it.", autocompletion=completion.algorithms)
    ],
    *,
    as_json: Json = False,
) -> None:
    """Show an algorithm's parameters: value, unit, range, and where the default comes from."""
    import dumbbell.cc as cc
    from dumbbell.engines.catalogue import catalogue

    choice = cc.choose(name, catalogue())
    if as_json:
        print_json(_as_json(choice))
    else:
        typer.echo(_as_text(choice))


def _as_json(choice: "Choice") -> dict[str, Any]:
    from dataclasses import asdict

    import dumbbell.cc as cc
    from dumbbell.engines.catalogue import catalogue, engines_with

    algorithm, variant = catalogue()[choice.algorithm], cc.variants().get(choice.name)
    return {
        "name": choice.written,
        "algorithm": algorithm.name,
        "engines": engines_with(choice.name),
        "about": variant.about if variant else algorithm.title,
        "source": algorithm.source,
        "parameters": [
            asdict(each) | {"value": choice.parameters.get(each.name, each.default)}
            for each in algorithm.parameters.values()
        ],
    }


def _as_text(choice: "Choice") -> str:
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.table import Table
    from dumbbell.tables.terminal import columns, wrapped

    shown, width = _as_json(choice), columns()
    changed = any(each["value"] != each["default"] for each in shown["parameters"])
    header = ["parameter", "value", *["default"] * changed, "range", "unit", "what it does", "source of the default"]
    rows = [
        [
            each["name"],
            f"{each['value']:.10g}",
            *[f"{each['default']:.10g}"] * changed,
            "0 or 1" if each["kind"] == "switch" else " to ".join(f"{bound:.10g}" for bound in each["range"]),
            each["unit"],
            each["about"],
            each["source"],
        ]
        for each in shown["parameters"]
    ]
    head = f"{shown['name']}: {shown['about']}\n{shown['source']}; engines: {', '.join(shown['engines'])}"
    table = text(Table.of(header, rows), width) if rows else "It has no parameters."
    return f"{wrapped(head, width)}\n\n{table}"
