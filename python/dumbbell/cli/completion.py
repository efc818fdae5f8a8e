"""What a shell offers at <TAB>: studies, algorithms, engines, fields of a spec, columns. It loads nothing heavy.

Of what a function gives, typer offers what begins with the incomplete word.

Bash ends a word at `=` and `:`, so that `flows[0].cc=cu` comes as three; here it is one again, and what stands before
bash's own word is left out of the answers.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any, Final

WORD_BREAKS: Final = "=:"
TABLES: Final = ("", "path", "flows[]", "host", "measure")
"""Whose fields are offered."""
GOALS: Final = ("goodput", "latency", "completion", "fairness", "balanced")
PRESETS: Final = ("cdn", "backup", "video", "office", "5g", "satellite", "policed")
"""What advice can be about; a test holds both to `dumbbell.advice`, which takes long to load."""
MOST_RUNS: Final = 100
"""Of a store, that are offered."""
_INDEX: Final = re.compile(r"\[\d+\]")


@contextmanager
def answering() -> Iterator[None]:
    """What typer answers to a shell within is as that shell needs it; nothing is changed where no shell asks."""
    if os.environ.get("_DUMBBELL_COMPLETE") != "complete_bash":
        yield
        return
    before = join_arguments(os.environ)
    answers = StringIO()
    try:
        with redirect_stdout(answers):
            yield
    finally:
        sys.stdout.write("".join(f"{line.removeprefix(before)}\n" for line in answers.getvalue().splitlines()))
        sys.stdout.flush()


def join_arguments(environment: MutableMapping[str, str]) -> str:
    """Makes one word of what bash tells as several; gives what of the last stands before bash's own."""
    arguments = re.split(r"[\n ]", environment.get("COMP_WORDS", ""))
    current = int(environment.get("COMP_CWORD") or len(arguments) - 1)
    arguments += [""] * (current + 1 - len(arguments))
    before = arguments[: current + 1]
    joined: list[str] = []
    for word in before:
        breaks = word and not word.strip(WORD_BREAKS)
        if joined and (breaks or (joined[-1] and joined[-1][-1] in WORD_BREAKS)):
            joined[-1] += word
        else:
            joined.append(word)
    own = "" if not before[-1].strip(WORD_BREAKS) else before[-1]
    environment["COMP_WORDS"], environment["COMP_CWORD"] = "\n".join(joined), str(len(joined) - 1)
    return joined[-1].removesuffix(own)


def studies() -> list[str]:
    home = Path(__file__).parents[1] / "studies"
    return [file.parent.name for file in sorted(home.glob("*/study.toml"))]


def studies_or_all() -> list[str]:
    """Names of studies, and `all`."""
    return [*studies(), "all"]


def suites() -> list[str]:
    home = Path(__file__).parents[1] / "suites"
    return [file.parent.name for file in sorted(home.glob("*/suite.toml"))]


def algorithms() -> list[str]:
    """Algorithms and variants that this machine has."""
    import dumbbell.cc as cc
    from dumbbell.engines.catalogue import catalogue

    return sorted({*catalogue(), *cc.variants()})


def several_algorithms(incomplete: str) -> list[str]:
    """Algorithms, the last of several between commas."""
    return _last_of_several(incomplete, algorithms())


def engines() -> list[str]:
    """Engines, one for each kernel that was built here."""
    from dumbbell.engines.catalogue import built, engine_name
    from dumbbell.engines.family import NAMES

    return list(dict.fromkeys([*NAMES, *(engine_name(kernel.name) for kernel in built())]))


def engines_or_captures(incomplete: str) -> list[str]:
    """Engines, and behind `capture:` the captures of a folder."""
    kind, colon, start = incomplete.partition(":")
    if kind != "capture" or not colon:
        return [*engines(), "capture:"]
    with suppress(OSError):
        return [f"capture:{file}" for file in sorted(Path(f"{start}_").parent.iterdir()) if ".pcap" in file.name]
    return []


def goals() -> Sequence[str]:
    """What can count for advice."""
    return GOALS


def starts() -> Sequence[str]:
    """When the flow that advice is about may start."""
    from dumbbell.advice.question import ANY_ORDER, ORDERS

    return (*ORDERS, ANY_ORDER)


def measurers() -> Sequence[str]:
    """Whose measurements the intervals of advice may be about."""
    from dumbbell.advice.question import MEASURERS

    return MEASURERS


def presets() -> Sequence[str]:
    return PRESETS


def links() -> list[str]:
    """Presets of links."""
    from dumbbell.spec.link import links as known

    return [each.name for each in known()]


def processes() -> list[str]:
    """Of lines that change in time."""
    from dumbbell.traces.process import PROCESSES

    return list(PROCESSES)


def kernels() -> list[str]:
    """Kernels that were built here, and `all`."""
    from dumbbell.kernel.shelf import names

    return [*names(), "all"]


def variants_of_linux() -> list[str]:
    """Variants that Linux can have."""
    from dumbbell.cc import variants

    return [each.name for each in variants().values() if each.linux]


def runs(ctx: Any, incomplete: str) -> list[str]:  # noqa: ANN401 (typer's context, whose class it hides)
    """Ids of the runs of the store that is named before."""
    from dumbbell.errors import DumbbellError
    from dumbbell.results.store import Store

    folder = ctx.params.get("store") or ctx.params.get("source") or ""
    with suppress(DumbbellError), Store.open(folder) as store:
        return store.ids(incomplete, most=MOST_RUNS)
    return []


def columns(incomplete: str) -> list[str]:
    """Columns of a table, the last of several between commas."""
    from dumbbell.metrics.catalogue import QUANTITIES

    others = ["fair_share", "cc", "flows", "n", *([] if "," in incomplete else ["all"])]
    return _last_of_several(incomplete, [*QUANTITIES, *others])


def order() -> list[str]:
    from dumbbell.metrics.catalogue import QUANTITIES

    return [*QUANTITIES, "fair_share", *_paths({})]


def assignments(ctx: Any, incomplete: str) -> list[str]:  # noqa: ANN401 (typer's context, whose class it hides)
    """Fields of a spec for `--set`, and after an equals sign the words that one can have."""
    path, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{path}={value}" for value in _values(_INDEX.sub("[]", path))]
    return [f"{each}=" for each in _paths(_spec(ctx.params.get("spec") or next(iter(ctx.args), None)))]


def _last_of_several(incomplete: str, names: Iterable[str]) -> list[str]:
    before, comma, _ = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names]


def _values(field: str) -> Iterable[str]:
    from dumbbell.spec.keys import keys

    if field == "flows[].cc":
        return algorithms()
    spec_key = next((key for key in keys() if key.path == field), None)
    if spec_key is None:
        return ()
    return (*(("true", "false") if spec_key.noun == "true or false" else ()), *spec_key.options)


def _paths(spec: dict[str, Any]) -> Iterator[str]:
    """The fields of a spec, with its groups; of no spec, with one group."""
    from dumbbell.spec.keys import keys

    groups = spec.get("flows")
    offered: dict[str, list[str]] = {table: [] for table in TABLES}
    for key in keys():
        table, _, name = key.path.rpartition(".")
        if table in offered and name not in {"path", "flows", "host"} and key.path != "measure":
            offered[table].append(name)
    for table, names in offered.items():
        count = max(1, len(groups)) if table == "flows[]" and isinstance(groups, list) else 1
        for index in range(count):
            prefix = f"{table.replace('[]', f'[{index}]')}." if table else ""
            yield from (f"{prefix}{name}" for name in names)


def _spec(file: object) -> dict[str, Any]:
    if file is not None:
        with suppress(OSError, ValueError, RecursionError):
            return tomllib.loads(Path(str(file)).read_text(encoding="utf-8"))
    return {}
