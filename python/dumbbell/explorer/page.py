"""The explorer: one HTML file with the simulator, its tables, its charts and its script in it."""

from __future__ import annotations

import base64
import gzip
import json
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from msgspec import to_builtins

import dumbbell.cc as cc
from dumbbell.comparison.strata import strata
from dumbbell.engines.sim import SimEngine
from dumbbell.explorer.bundle import bundled
from dumbbell.explorer.skeletons import skeletons
from dumbbell.metrics.statistics import t_quantile
from dumbbell.report.html import drawing_script, style_sheet
from dumbbell.spec.keys import keys
from dumbbell.spec.link import links
from dumbbell.version import __version__

POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:;"
    " style-src 'unsafe-inline'; img-src data: blob:"
)
"""Nothing is asked for: workers and WebAssembly come out of the page itself."""

MOST_DEGREES: Final = 200
"""Of freedom, of which the page has the quantile of Student's t."""

LIVE: Final = "live"
"""The stratum of another engine."""


def page(sources: Path, wasm: bytes) -> str:
    """The page, from the folder of its sources and the compiled simulator."""
    environment = Environment(
        loader=FileSystemLoader(sources), undefined=StrictUndefined, autoescape=True, keep_trailing_newline=True
    )
    data = {
        "tables": tables(), "skeletons": skeletons(), "presets": presets(), "version": __version__,
        "identity": SimEngine().identity(), "bounds": bounds(),
    }  # fmt: skip
    return environment.get_template("page.html.j2").render(
        policy=POLICY,
        version=__version__,
        identity=SimEngine().identity(),
        style=Markup(style_sheet() + (sources / "page.css").read_text(encoding="utf-8")),  # noqa: S704 (our own)
        data=Markup(json.dumps(data, ensure_ascii=False).replace("</", "<\\/")),  # noqa: S704 (as above)
        wasm=base64.b64encode(gzip.compress(wasm, mtime=0)).decode(),
        worker=Markup(bundled(sources / "src" / "worker.js")),  # noqa: S704 (as above)
        vega=Markup(drawing_script()),  # noqa: S704 (as above)
        script=Markup(bundled(sources / "src" / "main.js").replace("</script", "<\\/script")),  # noqa: S704 (as above)
    )


def presets() -> dict[str, list[dict[str, Any]]]:
    """`presets` and `tour`: what the page begins with and offers, and its guided tour; each a spec with a title."""
    return tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))


def tables() -> dict[str, Any]:
    """What the controls offer and say, and the 0.975 quantiles of Student's t, from 1 degree of freedom on."""
    return {
        "algorithms": {name: {"parameters": _parameters(each)} for name, each in cc.known().items()},
        "simulated": list(cc.installed()),
        "variants": {
            name: {"base": each.base, "parameters": dict(each.parameters)} for name, each in cc.variants().items()
        },
        "defaults": {key.path: key.default for key in keys()},
        "options": {key.path: list(key.options) for key in keys() if key.options},
        "links": [
            {
                "name": each.name,
                "about": each.about,
                "keys": [{"path": key.path, "text": key.text, "source": key.source} for key in each.keys],
            }
            for each in links()
        ],
        "meanings": {key.path: key.meaning for key in keys()},
        "t": [t_quantile(degrees) for degrees in range(1, MOST_DEGREES + 1)],
    }


def _parameters(algorithm: cc.Algorithm) -> dict[str, Any]:
    return {name: asdict(parameter) for name, parameter in algorithm.parameters.items()}


def bounds() -> dict[str, Any]:
    """The strata in which the simulator was held against the kernel, by their names, the plain path first."""
    return {name: to_builtins(stratum) for name, stratum in strata().items() if name != LIVE}
