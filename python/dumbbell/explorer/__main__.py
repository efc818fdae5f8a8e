"""`python -m dumbbell.explorer SOURCES WASM OUT`: writes the explorer, as `make explorer` does."""

import sys
from pathlib import Path

from dumbbell.errors import DumbbellError
from dumbbell.explorer.page import page
from dumbbell.report.html import written


def main() -> None:
    """Write the page from the folder of its sources and the compiled simulator."""
    sources, wasm, *targets = map(Path, sys.argv[1:])
    try:
        html = page(sources, wasm.read_bytes()).encode()
    except DumbbellError as error:
        sys.exit(str(error))
    for target in targets:
        written(target, html)


if __name__ == "__main__":
    main()
