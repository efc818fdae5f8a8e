"""From a template and its words to one HTML file that needs no network and is not too large."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dumbbell.errors import ReportError
from dumbbell.metrics.number import ABSENT, amount, counted
from dumbbell.replacement import replacing
from dumbbell.report.figure import MOST_POINTS, Drawing
from dumbbell.studies.totals import sentence
from dumbbell.studies.verdict import SIGNS, VERDICTS
from dumbbell.tables.html import Marks, html, sort_key
from dumbbell.user_folder import cache_folder
from dumbbell.version import __version__

LARGEST_BYTES: Final = 3_000_000
"""Of a report. Lines are thinned, and long tables cut, until it is no larger."""
FEWEST_POINTS: Final = 100
SCRIPT: Final = "vega.min.js"
MARKS: Final[Marks] = {
    "holds": ("reproduced", "✓"), "holds (no band)": ("reproduced", "✓"), "broken": ("not-reproduced", "✗"),
    "no data": ("not-testable", "○"),
    "fails": ("not-reproduced", "✗"), "refused": ("not-testable", "-"), "missing": ("not-testable", "-"),
    "better": ("reproduced", "▲"), "worse": ("not-reproduced", "▼"), "higher": ("not-testable", "↑"),
    "lower": ("not-testable", "↓"), "same": ("not-testable", "="), "undecided": ("not-testable", "○"),
}  # fmt: skip
"""Class and sign of each verdict in the last column of a table."""
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
    while len(html := rendered(most).encode(errors="backslashreplace")) > largest_bytes:
        if most <= FEWEST_POINTS:
            raise ReportError(f"the report would have {len(html)} bytes, more than {largest_bytes}")
        most = max(FEWEST_POINTS, most // 2)
    return written(target, html)


def check_writable(target: Path) -> None:
    """Tries whether a file can be written there, before anything is measured for it.

    Raises:
        ReportError: it cannot.
    """
    with _writing(target, is_folder=target.is_dir()), TemporaryFile(dir=target.parent):
        pass


def written(target: Path, data: bytes) -> Path:
    """Writes a file, whole or not at all.

    Raises:
        ReportError: it cannot be written.
    """
    with _writing(target), replacing(target) as partial:
        partial.write_bytes(data)
    return target


@contextmanager
def _writing(target: Path, *, is_folder: bool = False) -> Iterator[None]:
    if is_folder or not target.name:
        raise ReportError(f"{target}: cannot write the report: it is a folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ReportError(f"{target}: cannot write the report: {error.strerror or error}") from error


def filled(template: str, drawings: Iterable[Drawing], *, external_script: bool = False, **context: Any) -> str:  # noqa: ANN401 (what the template names)
    """A template with its words, its drawings, and all that they need; `external_script`: Vega has a file beside it."""
    plots = {each.name: {"spec": each.spec, "alt": each.alt, "caption": each.caption} for each in drawings}
    vega = Markup(f'<script src="{SCRIPT}"></script>') if external_script else Markup(f"<script>{_vega()}</script>")  # noqa: S704 (a library's own file, which no tag closes)
    return environment().get_template(template).render(
        plots=_packed(plots), style=_file("page.css"), script=_file("figures.js") + _file("page.js"), vega=vega,
        policy=_POLICY.format(also=" 'self' file:" if external_script else ""), **context,
    )  # fmt: skip


def fragment(template: str, **context: Any) -> Markup:  # noqa: ANN401 (what the template names)
    """What a template of its own has to show in a page."""
    return Markup(environment().get_template(template).render(**context))  # noqa: S704 (it escapes what it is given)


def script() -> bytes:
    """What pages need beside them, under the name `SCRIPT`."""
    return _vega().encode()


def style_sheet() -> str:
    return str(_file("page.css"))


def drawing_script() -> str:
    """What draws charts on a page, and the library that it needs before it."""
    return f"<script>{_vega()}</script>\n<script>{_file('figures.js')}</script>"


@cache
def environment() -> Environment:
    """The templates, with the filters by which they write the fields of records."""
    made = Environment(
        loader=PackageLoader("dumbbell.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {
        "amount": amount,
        "choices": lambda views: json.dumps([[view.engine, view.seed, view.key] for view in views]),
        "counted": counted,
        "sample": sample,
        "html_table": lambda table: html(table, marks=MARKS),
        "sort_key": sort_key,
        "sentence": sentence,
        "stated": lambda value, unit="": "" if value is None else f"{value:g} {unit}".rstrip(),
    }
    made.globals |= {"version": __version__, "absent": ABSENT, "SIGNS": SIGNS, "VERDICTS": VERDICTS}
    return made


def sample(n: int, *, repeated: bool, varies: bool) -> str:
    r"""How many different values a mean rests on; `repeated`: there was more than one seed.

    >>> sample(3, repeated=True, varies=True), sample(1, repeated=True, varies=False)
    ('n\xa0=\xa03', 'deterministic, n\xa0=\xa01')
    """
    text = f"n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{n}" if n else ""
    return f"deterministic, {text}" if text and repeated and not varies else text


def _packed(value: object) -> str:
    """JSON, compressed, as base64: a third of the size."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _file(name: str) -> Markup:
    return Markup(files("dumbbell.report").joinpath("templates", name).read_text(encoding="utf-8"))  # noqa: S704 (ours)


@cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script. Bundling it takes seconds, so that one is kept."""
    entry, bundler = "window.vegaEmbed = vegaEmbed;", version("vl-convert-python")
    cached = cache_folder("vega") / f"{bundler}-{sha256(entry.encode()).hexdigest()[:16]}.js"
    with suppress(OSError, UnicodeDecodeError):
        return cached.read_bytes().decode()
    import vl_convert  # noqa: PLC0415 (late: it takes long to load)

    script = vl_convert.javascript_bundle(entry).replace("</script", "<\\/script")
    with suppress(ReportError):
        written(cached, script.encode())
    return script
