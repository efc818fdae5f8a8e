"""The tables of a ledger. Columns are the fields of the summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from dumbbell.metrics.catalogue import OF_GROUP, OF_RUN
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary, HopSummary

LEDGER_SCHEMA: Final = 15
"""Version of the tables below: a change of any of them, or of a summary's fields, is a new number. A store of another
one is refused: before the first release nothing is migrated."""

_SQL_TYPES = {"int": "INTEGER NOT NULL", "float": "REAL NOT NULL", "str": "TEXT NOT NULL"}
_NULLABLE = {
    "int | None": "INTEGER", "bool | None": "INTEGER", "float | None": "REAL", "ProgramSummary | None": "TEXT",
}  # fmt: skip
PROGRAM_NUMBERS: Final = ("program_goodput_bps", "program_speed")
"""What quantities need of a flow's program: columns beside `program`, which is JSON."""


def _columns(summary: type, *, nullable: bool = False) -> str:
    """A summary's fields as columns; the names are its own."""
    kinds = {each.name: str(each.type) for each in fields(summary)}
    types = {name: _NULLABLE.get(kind) or _SQL_TYPES[kind] for name, kind in kinds.items()}
    return ", ".join(f"{name} {kind.removesuffix(' NOT NULL') if nullable else kind}" for name, kind in types.items())


def _values(names: Iterable[str]) -> str:
    """Quantities of the catalogue as columns, in base units; null where a run has none."""
    return ", ".join(f"{name} REAL" for name in names)


RUN_TABLES: Final = {
    "flow": "run, flow", "flow_group": "run, position", "hop": "run, position", "run_value": "run",
    "group_value": "run, position", "request": "run", "series": "run, kind",
}  # fmt: skip
"""Tables with rows of a run, and the order of these."""
TABLES: Final = f"""
CREATE TABLE schema (version INTEGER NOT NULL, digest TEXT NOT NULL DEFAULT '');
CREATE TABLE writer (process INTEGER NOT NULL);
CREATE TABLE damage (found TEXT NOT NULL);
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, engine TEXT NOT NULL, identity TEXT NOT NULL, spec TEXT NOT NULL,
    turn INTEGER NOT NULL, replaced_by INTEGER REFERENCES campaign (id) ON DELETE SET NULL,
    part_of INTEGER REFERENCES campaign (id) ON DELETE SET NULL, digest TEXT NOT NULL DEFAULT '',
    UNIQUE (experiment, engine, identity, spec)
);
CREATE TABLE provenance (
    id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE, digest TEXT NOT NULL DEFAULT ''
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, engine TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL, error TEXT, window_begin_s REAL, window_end_s REAL, jain REAL, wall_s REAL NOT NULL,
    warnings TEXT, provenance INTEGER NOT NULL REFERENCES provenance (id), finished TEXT NOT NULL,
    {_columns(BottleneckSummary, nullable=True)},
    request_key TEXT NOT NULL, request_groups TEXT NOT NULL,
    digest TEXT NOT NULL DEFAULT ''
);
CREATE INDEX trouble ON run (warnings, error, run_id) WHERE warnings IS NOT NULL OR error IS NOT NULL;
CREATE TABLE member (
    campaign INTEGER NOT NULL REFERENCES campaign (id), position INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES run (id), point TEXT NOT NULL, digest TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (campaign, position)
) WITHOUT ROWID;
CREATE INDEX member_of_run ON member (run);
CREATE TABLE flow (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, {_columns(FlowSummary)},
    {_values(PROGRAM_NUMBERS)}, PRIMARY KEY (run, flow)
) WITHOUT ROWID;
CREATE TABLE flow_group (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,
    {_columns(GroupSummary)}, PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE hop (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, position INTEGER NOT NULL,
    {_columns(HopSummary)}, PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE run_value (run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE, {_values(OF_RUN)});
CREATE TABLE group_value (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,
    cc TEXT NOT NULL, flows INTEGER NOT NULL, fair_share REAL, {_values(OF_GROUP)}, PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE request (run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE, resolved TEXT NOT NULL);
CREATE TABLE series (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, kind TEXT NOT NULL, file TEXT NOT NULL UNIQUE,
    size_bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, modified_ns INTEGER NOT NULL, PRIMARY KEY (run, kind)
) WITHOUT ROWID;
"""
