"""The tables of a ledger, and how those of an earlier version become them. Columns are the fields of the summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary

LEDGER_SCHEMA: Final = 7
"""Version of the tables below: a change of any of them, of a summary's fields or of a request is a new number.

2: `run` has `request_key` and `request_groups`. 3: The range of the start jitter is in the groups, and not in the key.
4: Halves of the window. 5: Goodput as iperf3 tells it. 6: What programs say. 7: Digests of
what is written, and `damage`.
A store of an earlier schema is read as it is, and migrated where it is written.
"""
REQUESTS_SCHEMA: Final = 3
"""From this one on requests are as they are now."""
DIGESTS_SCHEMA: Final = 7
"""From this one on rows have digests. That of `schema` is made alike in all later ones: a version that does not match
it is damage, and no later version."""
EARLIER_SCHEMAS: Final = (1, 2, 3, 4, 5, 6)

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


def _more(table: str) -> dict[str, str]:
    """Columns of a table, with their types, that are no fields of its summary."""
    return dict.fromkeys(PROGRAM_NUMBERS if table == "flow" else (), "REAL")


SUMMARIES: Final = {"run": BottleneckSummary, "flow": FlowSummary, "flow_group": GroupSummary}


def lacking(table: str, present: Iterable[str]) -> dict[str, str]:
    """The columns, with their types, that a table of an earlier schema has not; what was never measured is null."""
    there = set(present)
    kinds = {each.name: str(each.type) for each in fields(SUMMARIES[table])}
    own = {name: _NULLABLE[kind] for name, kind in kinds.items() if name not in there}
    return own | {name: kind for name, kind in _more(table).items() if name not in there}


TABLES: Final = f"""
CREATE TABLE schema (version INTEGER NOT NULL, digest TEXT NOT NULL DEFAULT '');
CREATE TABLE writer (process INTEGER NOT NULL);
CREATE TABLE damage (found TEXT NOT NULL);
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, engine TEXT NOT NULL, identity TEXT NOT NULL, spec TEXT NOT NULL,
    turn INTEGER NOT NULL, digest TEXT NOT NULL DEFAULT '', UNIQUE (experiment, engine, identity, spec)
);
CREATE TABLE provenance (
    id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE, digest TEXT NOT NULL DEFAULT ''
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, engine TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL, error TEXT, window_begin_s REAL, window_end_s REAL, jain REAL, wall_s REAL NOT NULL,
    warnings TEXT, provenance INTEGER NOT NULL REFERENCES provenance (id), finished TEXT NOT NULL,
    {_columns(BottleneckSummary, nullable=True)},
    request_key TEXT NOT NULL DEFAULT '', request_groups TEXT NOT NULL DEFAULT '[]',
    digest TEXT NOT NULL DEFAULT ''
);
CREATE TABLE member (
    campaign INTEGER NOT NULL REFERENCES campaign (id), position INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES run (id), point TEXT NOT NULL, digest TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (campaign, position)
) WITHOUT ROWID;
CREATE INDEX member_of_run ON member (run);
CREATE TABLE flow (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, {_columns(FlowSummary)},
    {", ".join(f"{name} {kind}" for name, kind in _more("flow").items())}, PRIMARY KEY (run, flow)
) WITHOUT ROWID;
CREATE TABLE flow_group (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,
    {_columns(GroupSummary)}, PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE request (run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE, resolved TEXT NOT NULL);
CREATE TABLE series (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, kind TEXT NOT NULL, file TEXT NOT NULL UNIQUE,
    size_bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, modified_ns INTEGER NOT NULL, PRIMARY KEY (run, kind)
) WITHOUT ROWID;
"""

ADD_REQUEST_COLUMNS = """
ALTER TABLE run ADD COLUMN request_key TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN request_groups TEXT NOT NULL DEFAULT '[]';
"""
"""From schema 1 to 2, but for what is in them."""
WITH_DIGEST: Final = ("schema", "campaign", "provenance", "run", "member")
"""Tables with a column `digest`: of a row, and of a run with its rows in other tables."""
ADD_DIGESTS = "".join(f"ALTER TABLE {table} ADD COLUMN digest TEXT NOT NULL DEFAULT '';\n" for table in WITH_DIGEST) + (
    "CREATE TABLE damage (found TEXT NOT NULL);\n"
)
"""From schema 6 to 7, but for what is in them."""
FILL_REQUESTS = """
UPDATE run SET request_key = '', request_groups = '[]';
UPDATE run SET (request_key, request_groups) = (
    SELECT request_key(resolved, spec, point), request_groups(resolved, spec, point)
    FROM member JOIN campaign ON campaign.id = campaign JOIN request ON request.run = member.run
    WHERE member.run = run.id ORDER BY turn DESC LIMIT 1
) WHERE id IN (SELECT run FROM member);
"""
"""From schema 2 to 3. A run of no experiment gets no key, and is measured again if it is asked for."""

REQUESTS_VIEW = """
CREATE TEMP VIEW asked AS SELECT
    campaign, position, request_key(resolved, spec, point) AS request_key,
    request_groups(resolved, spec, point) AS request_groups
FROM member JOIN campaign ON campaign.id = campaign JOIN request ON request.run = member.run
"""
"""What later schemas keep in `run`, of an earlier store that is only read."""
