"""Which campaigns a ledger has, and which runs each of them: enrolled, merged, superseded, removed."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dumbbell.results.campaign import Campaign, labelled, same_but_for_seeds, seeds_of, with_seeds
from dumbbell.results.ledger import Ledger, listed

if TYPE_CHECKING:
    from dumbbell.spec import Experiment


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
    found = [Campaign(id_, name, on, build, json.loads(spec)) for id_, name, on, build, spec in rows]
    builds = Counter((each.experiment, each.engine, each.identity) for each in found)
    several = [each for each in found if builds[each.experiment, each.engine, each.identity] > 1]
    return labelled(found, _contained(ledger, several))


def campaign_of(ledger: Ledger, experiment: Experiment, engine: str, identity: str) -> int | None:
    """The number of the campaign that has an experiment's runs on a build of an engine."""
    same = _same(ledger, experiment.name, engine, identity, _words(experiment))
    return int(same[-1][0]) if same else None


def begin(ledger: Ledger, experiment: Experiment, engine: str, identity: str, points: int) -> tuple[int, list[int]]:
    """Begins or resumes the campaign of an experiment on an engine; gives its number, and all seeds asked for so far.

    Entries beyond its `points` are forgotten, which a trace that became shorter leaves behind.
    """
    spec = _words(experiment)
    with ledger.transaction("begin a campaign") as connection:
        turn = ledger.one("SELECT COALESCE(MAX(turn), 0) + 1 FROM campaign")
        same = _same(ledger, experiment.name, engine, identity, spec)
        before = {campaign: seeds_of(text) for campaign, text in same}
        seeds, asked = seeds_of(spec), {seed for own in before.values() for seed in own}
        if not asked <= set(seeds):
            seeds = sorted(asked | set(seeds))
        if not same:
            connection.execute(
                "INSERT INTO campaign (experiment, engine, identity, spec, turn) VALUES (?, ?, ?, ?, ?)",
                (experiment.name, engine, identity, spec, turn),
            )
            return int(ledger.one("SELECT id FROM campaign WHERE turn = ?", turn)), seeds
        campaign = list(before)[-1]
        if any(own != seeds for own in before.values()):
            _merge(connection, before, seeds)
        connection.execute(
            "UPDATE campaign SET spec = ?, turn = ? WHERE id = ?", (with_seeds(spec, seeds), turn, campaign)
        )
        connection.execute("DELETE FROM member WHERE campaign = ? AND position >= ?", (campaign, points * len(seeds)))
        return int(campaign), seeds


def add_member(ledger: Ledger, entry: CampaignEntry, run_id: str) -> None:
    """Gives a run that is there its place in a campaign."""
    with ledger.transaction("enter a run") as connection:
        connection.execute(
            "INSERT INTO member SELECT ?, ?, id, ? FROM run WHERE run_id = ?"
            " ON CONFLICT DO UPDATE SET run = excluded.run, point = excluded.point"
            " WHERE run <> excluded.run OR point <> excluded.point",
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
    return {names[campaign]: count for campaign, count in rows} | ({"no experiment": strays} if strays else {})


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


def _words(experiment: Experiment) -> str:
    return json.dumps(experiment.words(), ensure_ascii=False)


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
    connection.executemany("INSERT OR REPLACE INTO member VALUES (?, ?, ?, ?)", members)


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
    found = {(part, whole) for part, whole, count in shared if count == sizes[part]}
    experiments = {each.id: each.experiment for each in several}
    turns = {each.id: turn for turn, each in enumerate(several)}
    return {
        part
        for part, whole in found
        if experiments[part] == experiments[whole] and ((whole, part) not in found or turns[part] < turns[whole])
    }
