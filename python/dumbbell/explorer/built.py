"""The page that `make explorer` has built, and copies of it that begin with an experiment.

A copy, and no link: of a file's address most programs that open one in a browser leave out what is behind `#`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dumbbell.engines.sim import SimEngine
from dumbbell.errors import Failure
from dumbbell.explorer.address import encoded
from dumbbell.report.file_name import file_names
from dumbbell.report.html import written
from dumbbell.user_folder import cache_folder
from dumbbell.version import __version__

PAGE: Final = Path(__file__).with_name("explorer.html")
START: Final = '<script type="text/plain" id="start"></script>'
"""Where the page looks for an address if its own has none."""


def built() -> Path:
    """The page.

    Raises:
        Failure: nobody has built it.
    """
    if not PAGE.is_file():
        raise Failure("the page is not built: `make explorer` builds it, and a wheel that is made after that has it")
    return PAGE


def beginning_with(toml: str, name: str, files: Mapping[str, str]) -> Path:
    """A copy of the page that begins with an experiment, and has the texts of the files that it names.

    The copy's file has the experiment's name.

    Raises:
        Failure: nobody has built the page, or the copy cannot be written.
    """
    before, start, behind = built().read_text(encoding="utf-8").partition(START)
    if not start:
        raise Failure(
            f"{PAGE} is of an earlier version and cannot begin with an experiment: `make explorer` builds it anew"
        )
    address = encoded(
        {"toml": toml, "view": {}, "files": dict(files)}, version=__version__, identity=SimEngine().identity()
    )
    inner = START.replace("></", f">{address}</")
    return written(cache_folder("explorer") / next(file_names(name, ".html")), f"{before}{inner}{behind}".encode())
