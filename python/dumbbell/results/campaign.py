"""The campaigns of a store: which there are, which runs each has, and how those of one name are told apart.

A campaign has the runs of one spec on one build of an engine; another number of seeds is the same campaign. Another
spec is another experiment, even under the same name: it stays, with a label that says in what it differs. A campaign is
superseded by a later one that asks another build of the engine for all of its points, and hidden while another one of
the same name has all of its runs, as the whole of a study has those of a part. One of the groups of another by
themselves belongs to that other one, whose harm it tells: it is shown where it is named, and superseded with it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from dumbbell.results.digest import vouch, vouched
from dumbbell.results.ledger import Ledger, listed

if TYPE_CHECKING:
    from dumbbell.spec import Experiment

SEEDS: Final = "seeds"
ALONE: Final = "alone"
EACH_ALONE: Final = "(each group alone)"
NO_SWEEP: Final = ("zip", "window", "change")
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
    label: str = ""
    """The name, and what tells this spec from others of that name: `two-flows [path.rtt=50 ms]`."""
    superseded: bool = False
    """A later campaign asked another build of the engine for all of it."""
    hidden: bool = False
    """Another one has all of its runs."""
    alone_of: int | None = None
    """The campaign whose groups it has by themselves."""

    @property
    def current(self) -> bool:
        """Whether it is shown: neither superseded nor hidden, nor a part of another one."""
        return not (self.superseded or self.hidden or self.alone_of)

    def called(self, name: str) -> bool:
        """Whether this is its name or its label."""
        return name in (self.experiment, self.label)


def labelled(campaigns: Sequence[Campaign], contained: Collection[int]) -> list[Campaign]:
    """Campaigns in the order of their turns, with what a store says of each.

    `contained` has the ids of those whose runs are all in another one.
    """
    wholes = _wholes(campaigns)
    latest = {each.id for each in not_superseded(each for each in campaigns if each.id not in wholes)}
    marked = [
        replace(
            each,
            superseded=wholes.get(each.id, each.id) not in latest,
            hidden=each.id in contained,
            alone_of=wholes.get(each.id),
        )
        for each in campaigns
    ]
    first: dict[str, Campaign] = {}
    for each in sorted((each for each in marked if each.current), key=lambda each: each.id):
        first.setdefault(each.experiment, each)
    labels = {each.id: _label(each, first.get(each.experiment, each)) for each in marked if not each.alone_of}
    return [replace(each, label=labels.get(each.id) or f"{labels[wholes[each.id]]} {EACH_ALONE}") for each in marked]


def _wholes(campaigns: Sequence[Campaign]) -> dict[int, int]:
    """The campaign with all groups, of each that has them by themselves; none where that is not in the store."""
    kinds = {each.id: _kind(each) for each in campaigns if ALONE in each.spec}
    wholes = {_kind(each): each.id for each in campaigns if kinds and ALONE not in each.spec}
    return {id_: wholes[kind] for id_, kind in kinds.items() if kind in wholes}


def _kind(campaign: Campaign) -> tuple[str, ...]:
    """What a campaign has in common with that of its groups by themselves."""
    return (campaign.identity, *question(campaign, (SEEDS, ALONE)))


def question(campaign: Campaign, left_out: Collection[str] = (SEEDS,)) -> tuple[str, ...]:
    """What a campaign asks, whatever the engine's build, and whatever the spec has at these keys."""
    fields = {key: value for key, value in campaign.spec.items() if key not in left_out}
    return campaign.experiment, campaign.engine, json.dumps(fields, sort_keys=True)


def not_superseded(campaigns: Iterable[Campaign]) -> list[Campaign]:
    """Those, of some in the order of their turns, that none of these with another build asks for again."""
    remaining: list[Campaign] = []
    later = defaultdict[tuple[str, str], list[Campaign]](list)
    for each in reversed(list(campaigns)):
        rivals = later[each.experiment, each.engine]
        if not any(other.identity != each.identity and covers(other.spec, each.spec) for other in rivals):
            remaining.append(each)
        rivals.append(each)
    return remaining[::-1]


def same_but_for_seeds(spec: str, other: str) -> bool:
    """Whether two specs, as JSON, ask for the same points in the same order."""
    return spec == other or _without_seeds(spec) == _without_seeds(other)


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
    if campaign.spec != first.spec:
        differences = list(_differences(_plain(first.spec), _plain(campaign.spec)))
        text = ", ".join(differences or _differences(first.spec, campaign.spec))
        if not 0 < len(text) <= LONGEST_LABEL:
            text = f"spec {hashlib.sha256(json.dumps(campaign.spec).encode()).hexdigest()[:HASH_DIGITS]}"
        label += f" [{text}]"
    return f"{label} (build {campaign.identity[:BUILD_DIGITS]})" if campaign.superseded else label


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
    return {key: value for key, value in spec.items() if key != SEEDS}


def _without_seeds(spec: str) -> str:
    return json.dumps(_plain(json.loads(spec)))


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """The place of a run in a campaign."""

    campaign: int
    position: int
    """In the order of expansion, all seeds of the campaign counted."""
    point: Mapping[str, Any]
    """Each swept value, as the spec writes it."""


def campaigns(ledger: Ledger) -> list[Campaign]:
    """All campaigns, the one that was begun or resumed last at the end."""
    rows = ledger.rows("SELECT id, experiment, engine, identity, spec FROM campaign ORDER BY turn")
    stored = [Campaign(id_, name, on, build, json.loads(spec)) for id_, name, on, build, spec in rows]
    builds = Counter((each.experiment, each.engine, each.identity) for each in stored)
    several = [
        each for each in stored if builds[each.experiment, each.engine, each.identity] > 1 and ALONE not in each.spec
    ]
    return labelled(stored, _contained(ledger, several))


def campaign_of(ledger: Ledger, experiment: Experiment, engine: str, identity: str) -> int | None:
    """The number of the campaign that has an experiment's runs on a build of an engine."""
    same = _same(ledger, experiment.name, engine, identity, _spec_json(experiment))
    return int(same[-1][0]) if same else None


def measured_of(
    ledger: Ledger, experiment: Experiment, engine: str, identity: str, places: Container[int] | None = None
) -> int:
    """How many of an experiment's runs on a build of an engine were measured so far; `places`: of those there."""
    campaign = campaign_of(ledger, experiment, engine, identity)
    if campaign is None:
        return 0
    place_of = places_in_plan(experiment.seed_values, len(seeds_in(ledger, campaign)), places)
    query = (
        "SELECT position, seed FROM member JOIN run ON run.id = member.run"
        " WHERE status = 'ok' AND campaign = ? AND position >= ? AND position < ?"
    )
    rows = (row for part in positions(ledger, campaign) for row in ledger.rows(query, *part))
    return sum(place_of(position, seed) is not None for position, seed in rows)


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
    with ledger.transaction("begin a campaign") as connection:
        turn = ledger.one("SELECT COALESCE(MAX(turn), 0) + 1 FROM campaign")
        same = _same(ledger, name, engine, identity, spec)
        before = {campaign: seeds_of(text) for campaign, text in same}
        seeds, earlier_seeds = seeds_of(spec), {seed for own in before.values() for seed in own}
        if not earlier_seeds <= set(seeds):
            seeds = sorted(earlier_seeds | set(seeds))
        if not same:
            connection.execute(
                "INSERT INTO campaign (experiment, engine, identity, spec, turn) VALUES (?, ?, ?, ?, ?)",
                (name, engine, identity, spec, turn),
            )
            vouch(connection, "campaign", "turn = ?", turn)
            return int(ledger.one("SELECT id FROM campaign WHERE turn = ?", turn)), seeds
        campaign = list(before)[-1]
        if any(own != seeds for own in before.values()):
            _merge(connection, before, seeds)
        connection.execute(
            "UPDATE campaign SET spec = ?, turn = ? WHERE id = ?", (with_seeds(spec, seeds), turn, campaign)
        )
        vouch(connection, "campaign", "id = ?", campaign)
        return int(campaign), seeds


def seeds_in(ledger: Ledger, campaign: int) -> list[int]:
    """The seeds of a campaign: each of its points has a position for each, in this order."""
    return seeds_of(ledger.one("SELECT spec FROM campaign WHERE id = ?", campaign))


def places_in_plan(
    seeds: Sequence[int], every: int, places: Container[int] | None = None
) -> Callable[[int, int], int | None]:
    """Of a position in a campaign with `every` seeds, and its seed: the place in the plan of an experiment with these.

    None where that has none, or one that is not among these `places`.
    """
    nth = {seed: number for number, seed in enumerate(seeds)}

    def place_of(position: int, seed: int) -> int | None:
        place = position // every * len(nth) + nth[seed] if seed in nth else None
        return place if places is None or place in places else None

    return place_of


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


def positions(ledger: Ledger, campaign: int, size: int = 5_000) -> Iterator[tuple[int, int, int]]:
    """What a query for a part of a campaign's members is given, part after part, so that few are in memory.

    The campaign, the first position, and the one after the last: whole points, so that a part has `size` members or one
    point's.
    """
    own = len(seeds_in(ledger, campaign))
    size = max(1, size // own) * own
    query = "SELECT MIN(position) FROM member WHERE campaign = ? AND position >= ?"
    end = 0
    while (there := ledger.one(query, campaign, end)) is not None:
        first = there // size * size
        end = first + size
        yield campaign, first, end


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
    names = {each.id: f"{each.label} on {each.engine}" for each in campaigns(ledger) if each.superseded}
    gone = listed(names)
    strays = ledger.one("SELECT COUNT(*) FROM run WHERE id NOT IN (SELECT run FROM member)")
    rows = ledger.rows(
        "SELECT campaign, COUNT(*) FROM (SELECT MIN(campaign) AS campaign FROM member"  # noqa: S608 (our numbers)
        f" WHERE campaign IN ({gone}) AND run NOT IN (SELECT run FROM member WHERE campaign NOT IN ({gone}))"
        " GROUP BY run) GROUP BY campaign"
    )
    return {names[campaign]: count for campaign, count in rows} | ({NO_EXPERIMENT: strays} if strays else {})


def prune(ledger: Ledger) -> tuple[int, list[str]]:
    """Removes superseded campaigns, and runs that are in none; gives how many runs, and their files."""
    gone = [campaign.id for campaign in campaigns(ledger) if campaign.superseded]
    with ledger.transaction("prune it") as connection:
        _forget(connection, gone)
        files = ledger.rows("SELECT file FROM series WHERE run NOT IN (SELECT run FROM member)")
        removed = connection.execute("DELETE FROM run WHERE id NOT IN (SELECT run FROM member)").rowcount
        connection.execute("DELETE FROM provenance WHERE id NOT IN (SELECT provenance FROM run)")
    ledger.vacuum()
    return removed, [file for (file,) in files]


def _spec_json(experiment: Experiment) -> str:
    return json.dumps(experiment.fields(), ensure_ascii=False)


def _same(ledger: Ledger, experiment: str, engine: str, identity: str, spec: str) -> list[tuple[int, str]]:
    """The campaigns of a spec, whatever its seeds; only stores of earlier versions have several."""
    rows = ledger.rows(
        "SELECT id, spec FROM campaign WHERE experiment = ? AND engine = ? AND identity = ? ORDER BY turn",
        experiment, engine, identity,
    )  # fmt: skip
    return [(campaign, before) for campaign, before in rows if same_but_for_seeds(before, spec)]


def _merge(connection: sqlite3.Connection, before: Mapping[int, Sequence[int]], seeds: Sequence[int]) -> None:
    """Puts the runs of campaigns, which differ in their seeds, into the last of them, which gets all seeds."""
    *others, last = before
    members = []
    for campaign, own in before.items():
        query = "SELECT position, run, point FROM member WHERE campaign = ?"
        for position, run, point in connection.execute(query, (campaign,)).fetchall():
            index, nth = divmod(position, len(own))
            members.append((last, index * len(seeds) + seeds.index(own[nth]), run, point))
        connection.execute("DELETE FROM member WHERE campaign = ?", (campaign,))
    _forget(connection, others)
    columns = "campaign, position, run, point"
    connection.executemany(f"INSERT OR REPLACE INTO member ({columns}) VALUES (?, ?, ?, ?)", members)  # noqa: S608 (ours)
    vouch(connection, "member", "campaign = ?", last)


def _forget(connection: sqlite3.Connection, gone: Sequence[int]) -> None:
    connection.executemany("DELETE FROM member WHERE campaign = ?", [(campaign,) for campaign in gone])
    connection.executemany("DELETE FROM campaign WHERE id = ?", [(campaign,) for campaign in gone])


def _contained(ledger: Ledger, several: Sequence[Campaign]) -> set[int]:
    """Those of which another one of the same experiment has all runs; of two with the same runs, the earlier."""
    if not several:
        return set()
    ids = listed(each.id for each in several)
    query = f"SELECT campaign, COUNT(*) FROM member WHERE campaign IN ({ids}) GROUP BY campaign"  # noqa: S608 (ours)
    sizes: dict[int, int] = dict(map(tuple, ledger.rows(query)))
    shared = ledger.rows(
        "SELECT part.campaign, whole.campaign, COUNT(DISTINCT part.position) FROM member part JOIN member whole"  # noqa: S608
        f" ON whole.run = part.run AND whole.campaign <> part.campaign WHERE part.campaign IN ({ids})"
        f" AND whole.campaign IN ({ids}) GROUP BY part.campaign, whole.campaign"
    )
    pairs = {(part, container) for part, container, count in shared if count == sizes[part]}
    experiments = {each.id: each.experiment for each in several}
    turns = {each.id: turn for turn, each in enumerate(several)}
    return {
        part
        for part, container in pairs
        if experiments[part] == experiments[container]
        and ((container, part) not in pairs or turns[part] < turns[container])
    }
