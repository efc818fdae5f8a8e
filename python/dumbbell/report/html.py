"""From a template and its words to one HTML file that needs no network and is not too large."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dumbbell.report.downsample import MOST_POINTS
from dumbbell.report.failure import ReportError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from dumbbell.report.figure import Drawing

LARGEST_BYTES: Final = 8_000_000
"""Of a report. Lines are thinned, and long tables cut, until it is no larger."""
FEWEST_POINTS: Final = 100
SCRIPT: Final = "vega.min.js"
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'{also}; style-src 'unsafe-inline'; img-src data: blob:;"
    " font-src data:"
)
"""Nothing is asked for, but for the script where that is beside the page."""


def write(target: Path, rendered: Callable[[int], str], largest_bytes: int = LARGEST_BYTES) -> Path:
    """Writes what `rendered` gives for the most points a line that make a file small enough, and gives where it is.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    most = MOST_POINTS
    while len(html := rendered(most).encode()) > largest_bytes:
        if most <= FEWEST_POINTS:
            raise ReportError(f"the report would have {len(html)} bytes, more than {largest_bytes}")
        most = max(FEWEST_POINTS, most // 2)
    return written(target, html)


def written(target: Path, data: bytes) -> Path:
    """Writes a file, whole or not at all.

    Raises:
        ReportError: it cannot be written.
    """
    partial = target.with_name(f".{target.name}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise ReportError(f"{target}: cannot write the report: {error.strerror or error}") from error
    return target


def filled(template: str, drawings: Iterable[Drawing], *, beside: bool = False, **words: Any) -> str:  # noqa: ANN401 (what the template names)
    """A template with its words, its drawings, and all that they need; `beside`: the script is in a file beside it."""
    plots = {each.name: {"spec": each.spec, "alt": each.alt, "caption": each.caption} for each in drawings}
    vega = Markup(f'<script src="{SCRIPT}"></script>') if beside else Markup(f"<script>{_vega()}</script>")  # noqa: S704 (a library's own file, which no tag closes)
    return _environment().get_template(template).render(
        plots=_for_script(plots), style=_file("page.css"), script=_file("page.js"), vega=vega,
        policy=_POLICY.format(also=" 'self' file:" if beside else ""), **words,
    )  # fmt: skip


def script() -> bytes:
    """What pages need beside them, under the name `SCRIPT`."""
    return _vega().encode()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("dumbbell.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


def _for_script(value: object) -> Markup:
    """JSON that no HTML parser takes for markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 (there is no markup left in it)


def _file(name: str) -> Markup:
    return Markup(files("dumbbell.report").joinpath("templates", name).read_text(encoding="utf-8"))  # noqa: S704 (ours)


@cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    import vl_convert  # noqa: PLC0415 (late: it takes long to load)

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script")
