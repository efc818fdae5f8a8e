"""The campaigns of a store: which there are, which runs each has, and how those of one name are told apart.

A campaign has the runs of one spec on one build of an engine; another number of seeds, or other expectations, are the
same campaign. Another spec is another experiment, even under the same name: it stays, with a label that says in what it
differs.

Rows say what campaigns are to one another, as `relate` writes it. One is replaced by a later one that asks another
build of the engine for all of its points, and part of another one of the same name that has all of its runs, as a study
has those of a part. One of the groups of another, each alone, is part of that one, whose harm it gives: it is shown
where it is named, and replaced with it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dumbbell.results.digest import vouch, vouched
from dumbbell.results.ledger import Ledger, listed

if TYPE_CHECKING:
    from dumbbell.spec import Experiment

SEEDS: Final = "seeds"
EXPECT: Final = "expect"
UNASKED: Final = (SEEDS, EXPECT)
"""Keys of a spec whose change leaves it the same campaign: it has more runs, or is judged otherwise."""
ALONE: Final = "alone"
EACH_ALONE: Final = "(each group alone)"
NO_SWEEP: Final = ("zip", "window", "change", "record")
"""Keys of a spec whose lists are values, not axes."""
LONGEST_LABEL: Final = 60
HASH_DIGITS: Final = 6
BUILD_DIGITS: Final = 8
NO_EXPERIMENT: Final = "no experiment"
"""What `superseded_runs` calls runs that are in no campaign."""
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Campaign:
    """The runs of one spec on one build of an engine, as the ledger knows them."""

    id: int
    experiment: str
    """The name in the spec."""
    engine: str
    identity: str
    """Of the engine's build."""
    spec: Mapping[str, Any]
    """As it was written, key by key."""
    replaced_by: int | None = None
    """A later one that asked another build of the engine for all of it."""
    part_of: int | None = None
    """Another one that has all of its runs, or whose groups it has, each alone."""
    label: str = ""
    """The name, and what tells this spec from others of that name: `two-flows [path.rtt=50 ms]`."""

    @property
    def alone_of(self) -> int | None:
        """The campaign whose groups it has, each alone."""
        return self.part_of if ALONE in self.spec else None

    @property
    def hidden(self) -> bool:
        """Whether another one has all of its runs."""
        return self.part_of is not None and ALONE not in self.spec

    @property
    def current(self) -> bool:
        """Whether it is shown: neither replaced nor part of another one."""
        return self.replaced_by is None and self.part_of is None

    def called(self, name: str) -> bool:
        """Whether this is its name or its label."""
        return name in (self.experiment, self.label)


def campaigns(ledger: Ledger) -> list[Campaign]:
    """All campaigns, the one that was begun or resumed last at the end."""
    rows = ledger.rows(
        "SELECT id, experiment, engine, identity, spec, replaced_by, part_of FROM campaign ORDER BY turn"
    )
    there = {row["id"]: row["id"] for row in rows}  # without those that are damaged
    stored = [
        Campaign(id_, name, engine, build, json.loads(spec), there.get(replaced_by), there.get(part_of))
        for id_, name, engine, build, spec, replaced_by, part_of in rows
    ]
    first: dict[str, Campaign] = {}
    for each in sorted((each for each in stored if each.current), key=lambda each: each.id):
        first.setdefault(each.experiment, each)
    labels = {each.id: _label(each, first.get(each.experiment, each)) for each in stored}
    return [
        replace(each, label=labels[each.id] if each.alone_of is None else f"{labels[each.alone_of]} {EACH_ALONE}")
        for each in stored
    ]


def relate(connection: sqlite3.Connection, experiment: str | None = None) -> None:
    """Writes which campaigns are replaced and which are part of another one: of all, or of those of one name.

    To be called within a transaction where that may have changed: as one begins, and as a writer ends.
    """
    query = (
        "SELECT id, experiment, engine, identity, spec FROM campaign WHERE experiment = COALESCE(?, experiment)"
        " ORDER BY turn"
    )
    families = defaultdict[tuple[str, str], list[Campaign]](list)
    for id_, name, engine, build, spec in connection.execute(query, (experiment,)).fetchall():
        families[name, engine].append(Campaign(id_, name, engine, build, _plain(json.loads(spec))))
    for family in families.values():
        replaced_by: dict[int, int | None] = {}
        part_of: dict[int, int | None] = {}
        for place, own in enumerate(family):
            later = family[place + 1 :]
            rivals = (each.id for each in later if each.identity != own.identity and covers(each.spec, own.spec))
            replaced_by[own.id] = next(rivals, None)
            part_of[own.id] = next(_containers(connection, own, family[:place], later), None)
        for own in family:
            container = part_of[own.id]
            relations = (replaced_by[container if container and ALONE in own.spec else own.id], container)
            if connection.execute(
                "UPDATE campaign SET replaced_by = ?, part_of = ? WHERE id = ?"
                " AND (replaced_by IS NOT ? OR part_of IS NOT ?)",
                (*relations, own.id, *relations),
            ).rowcount:
                vouch(connection, "campaign", "id = ?", own.id)


def question(campaign: Campaign) -> tuple[str, ...]:
    """What a campaign asks, whatever the engine's build and the seeds."""
    return campaign.experiment, campaign.engine, json.dumps(_plain(campaign.spec), sort_keys=True)


def _containers(
    connection: sqlite3.Connection, own: Campaign, earlier: Sequence[Campaign], later: Sequence[Campaign]
) -> Iterator[int]:
    """What a campaign is part of, of those of its name; of two with the same runs the earlier one is."""
    joint = {key: value for key, value in own.spec.items() if key != ALONE}
    for each in (*reversed(later), *earlier):
        if each.identity != own.identity or ALONE in each.spec:
            continue
        if ALONE in own.spec:
            contains = each.spec == joint
        else:
            contains = _has_all(connection, each.id, own.id)
            contains = contains and (each in later or not _has_all(connection, own.id, each.id))
        if contains:
            yield each.id


def _has_all(connection: sqlite3.Connection, container: int, part: int) -> bool:
    """Whether a campaign has all runs of another one, which has some."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM member WHERE campaign = :part) AND NOT EXISTS ("
        "SELECT 1 FROM member AS own WHERE campaign = :part AND NOT EXISTS ("
        "SELECT 1 FROM member WHERE run = own.run AND campaign = :container))"
    )
    ((verdict,),) = connection.execute(query, {"container": container, "part": part})
    return bool(verdict)


def with_seeds(spec: str, seeds: Sequence[int]) -> str:
    """The spec, as JSON, with these seeds."""
    counted = list(seeds) == list(range(1, len(seeds) + 1))
    return json.dumps(json.loads(spec) | {SEEDS: len(seeds) if counted else list(seeds)}, ensure_ascii=False)


def seeds_of(spec: str) -> list[int]:
    """The seeds of a spec, as JSON."""
    seeds = json.loads(spec).get(SEEDS, 1)
    return list(range(1, seeds + 1)) if isinstance(seeds, int) else seeds


def covers(full: Any, part: Any, key: str = "") -> bool:  # noqa: ANN401 (whatever a spec may hold)
    """Whether a spec asks for every point of another one, whatever its seeds.

    >>> covers({"path": {"rtt": ["1 ms", "2 ms"]}}, {"path": {"rtt": "2 ms"}, "seeds": 3})
    True
    """
    if isinstance(full, dict) and isinstance(part, dict):
        if full.get("zip") and not key:  # what varies together has other points than its lists
            return _plain(full) == _plain(part)
        full, part = _plain(full), _plain(part)
        return full.keys() == part.keys() and all(covers(full[each], part[each], each) for each in full)
    if full == part or not isinstance(full, list) or key in NO_SWEEP:
        return bool(full == part)
    if key == "flows":
        same = isinstance(part, list) and len(full) == len(part)
        return same and all(covers(ours, theirs, "flow") for ours, theirs in zip(full, part, strict=True))
    return all(each in full for each in (part if isinstance(part, list) else [part]))


def _label(campaign: Campaign, first: Campaign) -> str:
    label = campaign.experiment
    ours, theirs = ({key: value for key, value in each.spec.items() if key != EXPECT} for each in (first, campaign))
    if ours != theirs:
        differences = list(_differences(_plain(ours), _plain(theirs)))
        text = ", ".join(differences or _differences(ours, theirs))
        if not 0 < len(text) <= LONGEST_LABEL:
            text = f"spec {hashlib.sha256(json.dumps(theirs).encode()).hexdigest()[:HASH_DIGITS]}"
        label += f" [{text}]"
    return f"{label} (build {campaign.identity[:BUILD_DIGITS]})" if campaign.replaced_by else label


def _differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:  # noqa: ANN401 (values of a spec)
    """What must be set in the first to make the second of it."""
    if isinstance(ours, dict) or isinstance(theirs, dict):
        one, other = (each if isinstance(each, dict) else {} for each in (ours, theirs))
        for key in dict.fromkeys([*one, *other]):
            yield from _differences(one.get(key, _ABSENT), other.get(key, _ABSENT), f"{path}.{key}".lstrip("."))
    elif path == "flows":
        for index, pair in enumerate(zip_longest(ours, theirs, fillvalue=_ABSENT)):
            yield from _differences(*pair, f"{path}[{index}]")
    elif ours != theirs:
        yield f"no {path}" if theirs is _ABSENT else f"{path}={_written(theirs)}"


def _written(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _plain(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in UNASKED}


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """The place of a run in a campaign."""

    campaign: int
    position: int
    """In the order of expansion, all seeds of the campaign counted."""
    point: Mapping[str, Any]
    """Each swept value, as the spec writes it."""


def numbered(ledger: Ledger, number: int | None) -> Campaign:
    """The campaign of a number, as `campaign_of` gives one."""
    return next(each for each in campaigns(ledger) if each.id == number)


def campaign_of(ledger: Ledger, experiment: Experiment, engine: str, identity: str) -> int | None:
    """The number of the campaign that has an experiment's runs on a build of an engine."""
    return _campaign_of_spec(ledger, experiment.name, engine, identity, _spec_json(experiment))


def _campaign_of_spec(ledger: Ledger, name: str, engine: str, identity: str, spec: str) -> int | None:
    paths = ", ".join(f"'$.{key}'" for key in UNASKED)
    rows = ledger.rows(
        "SELECT id FROM campaign WHERE experiment = ? AND engine = ? AND identity = ?"  # noqa: S608 (our name)
        f" AND json_remove(spec, {paths}) = json_remove(?, {paths})",
        name, engine, identity, spec,
    )  # fmt: skip
    return int(rows[0]["id"]) if rows else None


def measured_of(
    ledger: Ledger, experiment: Experiment, engine: str, identity: str, wanted: Container[int] | None = None
) -> int:
    """How many of an experiment's runs on a build of an engine were measured so far; `wanted`: of those there."""
    campaign = campaign_of(ledger, experiment, engine, identity)
    if campaign is None:
        return 0
    measured = "JOIN run ON run.id = place.run WHERE status = 'ok'"
    return sum(
        wanted is None or nth in wanted
        for part in places(ledger, campaign, experiment.seed_values)
        for (nth,) in part.rows(ledger, "nth", measured)
    )


def begin(ledger: Ledger, experiment: Experiment, engine: str, identity: str, points: int) -> tuple[int, list[int]]:
    """Begins or resumes the campaign of an experiment on an engine; gives its number, and all seeds asked for so far.

    Entries beyond its `points` are forgotten, which a trace that became shorter leaves behind.
    """
    with ledger.transaction("begin a campaign") as connection:
        campaign, seeds = begin_spec(ledger, experiment.name, engine, identity, _spec_json(experiment))
        connection.execute("DELETE FROM member WHERE campaign = ? AND position >= ?", (campaign, points * len(seeds)))
    return campaign, seeds


def begin_spec(ledger: Ledger, name: str, engine: str, identity: str, spec: str) -> tuple[int, list[int]]:
    """The same of a spec, as JSON, with the experiment's name."""
    seeds = seeds_of(spec)
    with ledger.transaction("begin a campaign") as connection:
        campaign = _campaign_of_spec(ledger, name, engine, identity, spec)
        if campaign is None:
            query = "INSERT INTO campaign (experiment, engine, identity, spec, turn) VALUES (?, ?, ?, ?, 0)"
            campaign = int(connection.execute(query, (name, engine, identity, spec)).lastrowid or 0)
        else:
            before = seeds_in(ledger, campaign)
            if not set(before) <= set(seeds):
                seeds = sorted({*before, *seeds})
            if before != seeds:
                _renumber(connection, campaign, before, seeds)
            connection.execute("UPDATE campaign SET spec = ? WHERE id = ?", (with_seeds(spec, seeds), campaign))
        connection.execute("UPDATE campaign SET turn = (SELECT MAX(turn) + 1 FROM campaign) WHERE id = ?", (campaign,))
        relate(connection, name)
        if ALONE not in json.loads(spec):  # shown while it gets runs, which no other one may have
            connection.execute("UPDATE campaign SET part_of = NULL WHERE id = ?", (campaign,))
        vouch(connection, "campaign", "id = ?", campaign)
        return campaign, seeds


def seeds_in(ledger: Ledger, campaign: int) -> list[int]:
    """The seeds of a campaign: each of its points has a position for each, in this order."""
    return seeds_of(ledger.one("SELECT spec FROM campaign WHERE id = ?", campaign))


def swept_paths(ledger: Ledger, campaign: int) -> list[str]:
    """The swept fields of a campaign, in order; none of one without runs."""
    first = ledger.rows("SELECT point FROM member WHERE campaign = ? ORDER BY position LIMIT 1", campaign)
    return list(json.loads(first[0]["point"])) if first else []


def extent(ledger: Ledger, campaign: int, seeds: Collection[int] | None = None) -> tuple[int, list[int]]:
    """How many points of a campaign have a run, and the seeds that any has; `seeds`: of these."""
    every = seeds_in(ledger, campaign)
    members = "FROM member WHERE campaign = ?"
    places = [place for (place,) in ledger.rows(f"SELECT DISTINCT position % {len(every)} {members}", campaign)]
    there = {every[place]: place for place in places if seeds is None or every[place] in seeds}
    only = f"{members} AND position % {len(every)} IN ({listed(there.values())})"
    points = ledger.one(f"SELECT COUNT(DISTINCT position / {len(every)}) {only}", campaign)
    return points, sorted(there)


class Places(NamedTuple):
    """Runs at their points."""

    query: str
    """Of the number `run` of each, its `point`, and `nth`, its place in the plan of an experiment with those seeds."""
    values: Sequence[object]

    def rows(
        self, ledger: Ledger, columns: str, then: str = "JOIN run ON run.id = place.run ORDER BY nth"
    ) -> list[sqlite3.Row]:
        """Columns of each, in the order of the plan; `then`: the rest of the query, behind `FROM place`."""
        return ledger.rows(f"WITH place AS ({self.query}) SELECT {columns} FROM place {then}", *self.values)  # noqa: S608 (our names)


def places(ledger: Ledger, campaign: int, seeds: Sequence[int] | None = None, size: int = 1_000) -> Iterator[Places]:
    """The runs of a campaign in the order of expansion, part after part, so that few are in memory.

    A part has whole points, of `size` members or one point's. `seeds`: of these only, in this order.
    """
    own = {seed: place for place, seed in enumerate(seeds_in(ledger, campaign))}
    query, values = "SELECT position AS nth, run, point FROM member", list[object]()
    if seeds is not None and list(seeds) != list(own):
        values = [json.dumps([own.get(seed) for seed in seeds])]
        query = (
            f"SELECT position / {len(own)} * {len(seeds)} + key AS nth, run, point"  # noqa: S608 (numbers)
            f" FROM json_each(?) JOIN member ON position % {len(own)} = value"
        )
    query += " WHERE campaign = ? AND position >= ? AND position < ?"
    size = max(1, size // len(own)) * len(own)
    first = "SELECT MIN(position) FROM member WHERE campaign = ? AND position >= ?"
    end = 0
    while (there := ledger.one(first, campaign, end)) is not None:
        begin = there // size * size
        end = begin + size
        yield Places(query, (*values, campaign, begin, end))


def add_member(ledger: Ledger, entry: CampaignEntry, run_id: str) -> None:
    """Gives a run that is there its place in a campaign."""
    with ledger.transaction("enter a run") as connection:
        connection.execute(
            "INSERT INTO member (campaign, position, run, point, digest) SELECT campaign, position, run, point,"  # noqa: S608 (our names)
            f" digest({vouched('member')}) FROM ("
            " SELECT ? AS campaign, ? AS position, id AS run, ? AS point FROM run WHERE run_id = ?"
            " ) WHERE TRUE ON CONFLICT DO UPDATE SET run = excluded.run, point = excluded.point,"
            " digest = excluded.digest WHERE run <> excluded.run OR point <> excluded.point",
            (entry.campaign, entry.position, json.dumps(entry.point, ensure_ascii=False), run_id),
        )


def superseded_runs(ledger: Ledger) -> dict[str, int]:
    """How many runs `prune` would remove, by experiment, engine and build."""
    names = {each.id: f"{each.label} on {each.engine}" for each in campaigns(ledger) if each.replaced_by}
    gone = listed(names)
    rows = ledger.rows(
        "SELECT campaign, COUNT(*) FROM (SELECT MIN(campaign) AS campaign FROM member"  # noqa: S608 (our numbers)
        f" WHERE campaign IN ({gone}) AND run NOT IN (SELECT run FROM member WHERE campaign NOT IN ({gone}))"
        " GROUP BY run) GROUP BY campaign"
    )
    lone = strays(ledger)
    return {names[campaign]: count for campaign, count in rows} | ({NO_EXPERIMENT: lone} if lone else {})


def strays(ledger: Ledger) -> int:
    """How many runs are in no campaign."""
    return int(ledger.one("SELECT (SELECT COUNT(*) FROM run) - COUNT(DISTINCT run) FROM member"))


def prune(ledger: Ledger) -> tuple[int, list[str]]:
    """Removes superseded campaigns, and runs that are in none; gives how many runs, and their files."""
    gone = [(campaign.id,) for campaign in campaigns(ledger) if campaign.replaced_by]
    with ledger.transaction("prune it") as connection:
        connection.executemany("DELETE FROM member WHERE campaign = ?", gone)
        connection.executemany("DELETE FROM campaign WHERE id = ?", gone)
        vouch(connection, "campaign")  # that of whichever were related to one that is gone
        files = ledger.rows("SELECT file FROM series WHERE run NOT IN (SELECT run FROM member)")
        removed = connection.execute("DELETE FROM run WHERE id NOT IN (SELECT run FROM member)").rowcount
        connection.execute("DELETE FROM provenance WHERE id NOT IN (SELECT provenance FROM run)")
    ledger.vacuum()
    return removed, [file for (file,) in files]


def _spec_json(experiment: Experiment) -> str:
    return json.dumps(experiment.fields(), ensure_ascii=False)


def _renumber(connection: sqlite3.Connection, campaign: int, before: Sequence[int], seeds: Sequence[int]) -> None:
    """Gives the runs of a campaign their places where it has more seeds."""
    query = "SELECT position, run, point FROM member WHERE campaign = ?"
    rows = connection.execute(query, (campaign,)).fetchall()
    connection.execute("DELETE FROM member WHERE campaign = ?", (campaign,))
    connection.executemany(
        "INSERT INTO member (campaign, position, run, point) VALUES (?, ?, ?, ?)",
        (
            (campaign, position // len(before) * len(seeds) + seeds.index(before[position % len(before)]), run, point)
            for position, run, point in rows
        ),
    )
    vouch(connection, "member", "campaign = ?", campaign)
