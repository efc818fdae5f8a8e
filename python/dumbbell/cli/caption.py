"""What stands above the table of an experiment on a terminal: what all its points share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from dumbbell.metrics.number import counted, listed
from dumbbell.spec.point_text import changes_text, impairment_texts
from dumbbell.tables.terminal import bold, wrapped

if TYPE_CHECKING:
    from dumbbell.experiment.points import ExperimentRuns
    from dumbbell.experiment.table import ResultRows

MOST_GROUPS: Final = 8
"""So many algorithms have their constants in a caption at most."""


def caption(table: ResultRows, width: int, points: int, seeds: Sequence[int]) -> Iterator[str]:
    """What all rows share: name, engine, what a number is; then path, flows and window as the spec wrote them.

    `points` and `seeds` are those of the experiment, of which a table may be a part.
    """
    runs, rows = table.runs, table.rows
    parts = [counted(points, "point"), *([f"seed{'s' * (len(seeds) > 1)} {listed(seeds)}"] if seeds else [])]
    means = [row for row in rows if row.seed is None and len(row.point.run_ids) > 1]
    if any(row.n > 1 for row in means):
        parts.append("mean ± 95 %")
    if any(row.n == 1 for row in means):
        parts.append("n = 1: all seeds gave the same value")
    if runs.validity and len(runs.points) == points:
        parts.append(runs.validity)
    yield bold(wrapped(f"{runs.name} on {runs.engine}: {', '.join(parts)}", width))
    constants = "; ".join(filter(None, _constants(runs)))
    if constants:
        yield wrapped(constants, width)


def _constants(runs: ExperimentRuns) -> Iterator[str]:
    spec = runs.spec
    for section in ("path", "host"):
        yield ", ".join(_field_texts(spec.get(section, {}), section, runs.axes))
        if section == "path":
            yield from _hop_texts(spec.get("hops", ()), "hops", runs.axes)
            yield from _hop_texts(spec["path"].get("back", {}).get("hops", ()), "path.back.hops", runs.axes)
    own = ("duration", "time_limit", "start_jitter", "rtt_spread")
    yield ", ".join(_field_texts({key: spec[key] for key in own if key in spec}, "", runs.axes))
    window = spec.get("measure", {}).get("window")
    if window:
        yield f"window {window[0]} to {window[1]}"
    groups = list(runs.points[0].ccs.items()) if runs.points else []
    if len(groups) <= MOST_GROUPS:
        for index, (flows, (name, _)) in enumerate(zip(spec.get("flows", ()), groups, strict=False)):
            fixed_cc = {"cc": flows["cc"]} if flows.get("cc", name) != name else {}
            others = {key: value for key, value in flows.items() if key not in {"name", "cc"}}
            constants = ", ".join(_field_texts(fixed_cc | others, f"flows[{index}]", runs.axes))
            yield f"{name}: {constants}" if constants else ""


def _hop_texts(hops: Sequence[Mapping[str, Any]], path: str, axes: Sequence[str]) -> Iterator[str]:
    for place, hop in enumerate(hops):
        others = {key: value for key, value in hop.items() if key != "name"}
        yield f"{hop['name']}: {', '.join(_field_texts(others, f'{path}[{place}]', axes))}"


def _field_texts(section: Mapping[str, Any], path: str, axes: Sequence[str]) -> Iterator[str]:
    """Key and value of what is not swept."""
    texts = impairment_texts(section)
    for key, value in section.items():
        if f"{path}.{key}".lstrip(".") in axes or key == "hops":
            continue
        if key == "change":
            yield from changes_text(value)
        elif key in texts and not any(axis.startswith(f"{path}.{key}.") for axis in axes):
            yield texts[key]
        elif isinstance(value, dict):
            is_sentence = "change" in value or impairment_texts(value)
            inner = (", " if is_sentence else " ").join(_field_texts(value, f"{path}.{key}", axes))
            yield inner if key == "workload" else f"{key} {inner}".strip()
        elif key == "route":
            yield f"by {', '.join(value)}"
        elif key == "cc":
            yield str(value)
        else:
            yield f"{key} {value}"
