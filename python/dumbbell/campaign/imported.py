"""A run that the explorer's page has saved as JSON, into a store: the same record as a campaign would keep.

The page measures with the same simulator, and a run of one build has one measurement. So the run is carried out here as
any other one, and the file's measurement has to be the same: what is kept is what this build measures, and a file that
somebody changed, or a browser that computes otherwise, is refused.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from dumbbell.campaign.execution import BegunCampaign
from dumbbell.campaign.measuring import measured
from dumbbell.campaign.plan import Planned, refusals, run_key
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import RunFileError
from dumbbell.problem import quoted
from dumbbell.results.campaign import BUILD_DIGITS, add_member
from dumbbell.results.schema import Outcome
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, SpecError, expand, load, resolve
from dumbbell.text_file import Unreadable, text_of

LARGEST_FILE_BYTES: Final = 2**30
_WANTED: Final = {
    "version": (str, "text"),
    "identity": (str, "text"),
    "spec": (str, "text"),
    "seed": (int, "a whole number"),
    "measurement": (dict, "a table"),
}
"""What the page writes (`explorer/src/share.js`), and of which type."""


class SavedRun(NamedTuple):
    """What a file says: the first point of an experiment with one of its seeds."""

    experiment: Experiment
    planned: Planned
    place: int
    """Among the runs of the experiment, in the order of expansion."""


class Imported(NamedTuple):
    """What came of it."""

    outcome: Outcome
    was_there: bool
    """The store had the run before."""


def read(file: Path, engine: SimEngine) -> SavedRun:
    """What a file says, if this build of the simulator measures the same.

    Raises:
        RunFileError: it cannot be read, is none of the page's, is of another build, or was changed.
        SpecError: something is wrong with its spec.
    """
    saved = _parsed(file)
    if saved["identity"] != engine.identity():
        theirs, ours = (quoted(each[:BUILD_DIGITS]) for each in (saved["identity"], engine.identity()))
        reason = f"simulator {theirs} of dumbbell {saved['version']} measured this run, and this one is {ours}"
        raise RunFileError(
            file, f"{reason}; open the file in this version's page (`dumbbell explore`) and save it anew"
        )
    experiment = load(f"{saved['spec']}\n", folder=file.parent)
    if "name" not in experiment.fields():  # then it has the file's, as that of a spec's file
        experiment = load(experiment, overrides={"name": file.stem})
    seed = saved["seed"]
    if seed not in experiment.seed_values:
        raise RunFileError(file, f"its seed, {quoted(seed)}, is none of its spec's")
    problems = refusals(experiment, engine)
    if problems:
        raise SpecError(problems)
    point = next(expand(experiment))
    planned = Planned(point.values, resolve(point, seed))
    if json.loads(engine.measurement_json(planned.resolved.run)) != saved["measurement"]:
        reason = "this build of the simulator measures something else for its spec and seed"
        raise RunFileError(file, f"is damaged or was changed: {reason}")
    return SavedRun(experiment, planned, list(experiment.seed_values).index(seed))


def put(saved: SavedRun, store: Store, engine: SimEngine) -> Imported:
    """Enters a run into a store, in its experiment, unless it is there."""
    identity = engine.identity()
    entry = BegunCampaign.begun(store, saved.experiment, engine).entry(saved.place, saved.planned)
    key = run_key(saved.planned, engine, identity)
    run_id = key["run_id"]
    there = store.get(run_id, saved.planned.point) if store.finished(run_id) else None
    if there is not None:
        add_member(store.ledger, entry, run_id)
        return Imported(there, was_there=True)
    outcome, rows = measured(engine, saved.planned.resolved, key, store.folder)
    store.put([(rows, entry)], identity=identity)
    return Imported(outcome, was_there=False)


def _parsed(file: Path) -> dict[str, Any]:
    try:
        saved = json.loads(text_of(file, 'a file that "Save as JSON" of the page wrote', most_bytes=LARGEST_FILE_BYTES))
    except Unreadable as error:
        raise RunFileError(file, str(error)) from None
    except (ValueError, RecursionError) as error:
        raise RunFileError(file, f"is cut short, or no JSON: {error}") from None
    if not isinstance(saved, dict):
        raise RunFileError(file, f"is no run of the explorer: {quoted(saved)}, where a table should be")
    for key, (kind, description) in _WANTED.items():
        if key not in saved:
            raise RunFileError(file, f'is no run of the explorer: it has no "{key}"; its "Save as JSON" writes one')
        if not isinstance(saved[key], kind) or isinstance(saved[key], bool):
            raise RunFileError(file, f'"{key}" must be {description}, not {quoted(saved[key])}')
    return saved
