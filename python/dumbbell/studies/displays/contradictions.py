"""What rows of figures and tables name and there is not, found as they are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from string import Formatter
from types import ModuleType

from dumbbell.errors import StudyError
from dumbbell.problem import suggestion
from dumbbell.studies.displays.rows import UNITS, Displays, Line, MeasuredRow, Number, Panel, Row, Shown
from dumbbell.studies.displays.scope import EXPERIMENT, USUAL, VERSION
from dumbbell.studies.formula import Formulas


def contradictions(
    displays: Displays, formulas: Formulas, drawing: ModuleType | None, experiments: Collection[str]
) -> Iterator[str]:
    """Every name in rows for which there is nothing; those with words in braces show when they are drawn."""
    known = {"experiment": experiments, "dimension": {*displays.cases, VERSION, EXPERIMENT}, "axis": displays.axes}
    for name in displays.cases.keys() & (USUAL.keys() - {"group"}):
        yield f'cases "{name}" hide the words of that name that every template has'
    yield from _misnamed(displays)
    yield from _wordless(displays)
    rows: list[tuple[str, object]] = [(f"cases.{name}", cases) for name, cases in displays.cases.items()]
    rows += [(row.name, row) for row in (*displays.figures, *displays.tables)]
    for name, row in rows:
        for part in _parts(row):
            yield from _unknown_names(name, part, known)
            if isinstance(part, MeasuredRow | Number):
                yield from _unmeasured(name, part, formulas)
            if isinstance(part, Line) and part.draw and not hasattr(drawing, part.draw):
                yield f'{name}: figures.py has no function "{part.draw}"'


def _parts(value: object) -> Iterator[Row]:
    """A row and all rows in it."""
    if isinstance(value, Row):
        yield value
    if isinstance(value, Row | Mapping | tuple):
        inner = (
            vars(value).values() if isinstance(value, Row) else value.values() if isinstance(value, Mapping) else value
        )
        for each in inner:
            yield from _parts(each)


def _unknown_names(display: str, part: Row, known: Mapping[str, Collection[str]]) -> Iterator[str]:
    for field, about in type(part).model_fields.items():
        value = getattr(part, field)
        names = (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()
        for noun in known.keys() & {each for each in about.metadata if isinstance(each, str)}:
            for name in filter(None, names):
                yield from _unknown(display, noun, name, known[noun])


def _unmeasured(display: str, part: MeasuredRow | Number, formulas: Formulas) -> Iterator[str]:
    for name in (part.metric, getattr(part, "spread", "")):
        if name and "{" not in name:
            try:
                formulas.parse(name).refuse_without(getattr(part, "beside", ()))
            except StudyError as error:
                yield f"{display}: {error}"
    if isinstance(part, MeasuredRow) and part.factor is None:
        yield from _unknown(display, "unit", part.unit, UNITS)


def _misnamed(displays: Displays) -> Iterator[str]:
    """Figures and tables without a name of their own, and an order that is not of all figures."""
    names = []
    for row in displays.figures:
        for member in displays.members(row) if not row.case or row.case in displays.cases else ():
            try:
                names.append(row.name_of(member))
            except LookupError as error:
                yield f"{row.name}: a case of {row.case} has no word {error}"
            except ValueError:
                pass  # no template, which is said of all texts
    for name, count in Counter([*names, *(row.name for row in displays.tables)]).items():
        if count > 1:
            yield f'figures: {count} are called "{name}"'
    for name in displays.order:
        yield from _unknown("order", "figure", name, names)
    for name in names if displays.order else ():
        if name not in displays.order:
            yield f'order: lacks "{name}"'


def _wordless(displays: Displays) -> Iterator[str]:
    """Texts that are no templates, or that have words which no case and no display gives them."""
    terms = {*USUAL, *displays.cases, *(f"{name}_place" for name in displays.cases)}
    for cases in displays.cases.values():
        terms |= {word for case in (cases if isinstance(cases, tuple) else ()) for word in case.model_extra or {}}
    rows = {row.name: row for row in (*displays.figures, *displays.tables)}
    own = {name: _own_terms(row) for name, row in rows.items()}
    places: dict[str, object] = {name: row.model_dump() for name, row in rows.items()}
    places |= {f"axes.{name}": axis.model_dump() for name, axis in displays.axes.items()}
    for name, cases in displays.cases.items():
        if isinstance(cases, tuple):
            places[f"cases.{name}"] = [[case.words, case.experiment] for case in cases]
    for place, value in places.items():
        known = terms | own.get(place, set().union(*own.values()))
        for text in dict.fromkeys(_texts(value)):
            try:
                names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
            except ValueError as error:
                yield f'{place}: "{text}": {error}'
            else:
                for name in names:
                    yield from _unknown(place, "word", re.split(r"[.\[]", name)[0], known)


def _own_terms(row: Shown) -> set[str]:
    """The words that templates of a display have from its numbers and its experiments."""
    numbers = {name for part in _parts(row) if isinstance(part, Panel) for name in part.numbers}
    return numbers | {f"{noun}_{each}" for noun in ("means", "Means", "seeds") for each in row.experiments}


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from _texts(list(value.values()))
        case list() | tuple():
            for each in value:
                yield from _texts(each)


def _unknown(display: str, noun: str, name: str, known: Collection[str]) -> Iterator[str]:
    if "{" not in name and name not in known:
        hint = suggestion(name, sorted(known))
        yield f'{display}: there is no {noun} "{name}"' + (f"; {hint}" if hint else "")
