"""`dumbbell query`: the rows of a SELECT over a store."""

import csv
import math
import sys
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from dumbbell.cli.option import STANDARD_INPUT, print_json

EXAMPLE = 'Example: dumbbell query results "SELECT name, avg(goodput) / 1e6 AS mbps FROM group_value GROUP BY name"'


def query(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The folder of the store.", show_default=False)],
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT, or - for standard input.", show_default=False)],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a row.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Print the rows of one SELECT over a store, by DuckDB; nothing is written, and nothing else is read.

    Tables: campaign, member, run, provenance, flow, flow_group, run_value, group_value, hop, request, series; and of
    series flow_series, queue_series, hop_series, ack_series, ss_series, transfers, each with run_id.
    docs/results-format.md has their columns.

    A table rounds numbers to three digits; JSON has those of double precision, and CSV all. DuckDB is an extra: pip
    install "duckdb>=2".
    """
    from dumbbell.errors import QueryError
    from dumbbell.results.query import query as answer
    from dumbbell.results.store import Store
    from dumbbell.spreadsheet import cell
    from dumbbell.tables.plain_text import printed
    from dumbbell.text_file import Unreadable, standard_input

    if as_json and as_csv:
        raise typer.BadParameter("cannot be combined with --json", param_hint="--csv")
    try:
        statement = standard_input("SQL") if sql == STANDARD_INPUT else sql
    except Unreadable as error:
        raise QueryError(f"standard input {error}") from None
    with Store.open(store) as opened:
        columns, rows = answer(opened, statement)
        if as_json:
            if twice := next((name for name in columns if columns.count(name) > 1), None):
                raise QueryError(f'two columns are called "{twice}"; name one of them with AS')
            for row in rows:
                print_json(dict(zip(columns, map(_plain, row), strict=True)), lines=True)
        elif as_csv:
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow(map(cell, columns))
            for row in rows:
                writer.writerow("" if value is None else cell(str(value)) for value in row)
            sys.stdout.flush()
        else:
            for block in printed(columns, ([_text(value) for value in row] for row in rows)):
                typer.echo(block)


def _text(value: object) -> str:
    from dumbbell.metrics.number import ABSENT, NOTHING, trimmed
    from dumbbell.tables.table import TextCell

    if value is None or isinstance(value, int):
        return ABSENT if value is None else str(value)
    if not isinstance(value, float | Decimal):
        return TextCell(str(value).replace("\n", " "))
    number = float(value)
    return f"{number:.3g}" if 0 < abs(number) < NOTHING or math.isinf(number) else trimmed(number)


def _plain(value: Any) -> Any:  # noqa: ANN401 (whatever DuckDB has)
    """A value as JSON has it: null in place of what is no number, and text of other types."""
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    return value if value is None or isinstance(value, bool | int | str) else str(value)
