"""The reference of the command line, out of its own help: `python docs/site/cli_reference.py > docs/cli.md`."""

from __future__ import annotations

import re

from typer.cli import get_docs_for_click
from typer.main import get_command
from typer.models import Context

from dumbbell.cli.main import app

INTRODUCTION = """<!-- Made by `make docs-outputs` out of the help of each command. -->
# The command line

Data goes to standard output, words to standard error. A command exits with 0 when it did what was asked, with 1 when it
could not, with 2 when what was asked makes no sense, with 74 when standard output is closed or full, and with 130 when
it was interrupted (143 by SIGTERM): in these three cases finished runs are kept. Control characters of programs and of
stores are printed as `\\u001b`. `NO_COLOR` is honoured, `COLUMNS` is the width where there is no terminal, and
`DUMBBELL_STORE` the folder of runs. `DUMBBELL_DATA` names the folder of built kernels, `DUMBBELL_CACHE` that of what
can be made again.
"""


def page() -> str:
    """The whole page, in Markdown."""
    command = get_command(app())
    context = Context(command, info_name="dumbbell")
    markdown = get_docs_for_click(obj=command, ctx=context, name="dumbbell", title="TITLE")
    body = re.sub(r"\n{3,}", "\n\n", markdown.partition("\n")[2].replace("\\", ""))
    return f"{INTRODUCTION}\n{body.strip()}\n"


if __name__ == "__main__":
    print(page(), end="")
