"""The campaigns of a store: which of them are shown, and how those of one name are told apart.

A campaign has the runs of one spec on one build of an engine; another number of seeds is the same campaign. Another
spec is another experiment, even under the same name: it stays, with a label that says in what it differs. A campaign is
superseded by a later one that asks another build of the engine for all of its points, and hidden while another one of
the same name has all of its runs, as the whole of a study has those of a part.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final

SEEDS: Final = "seeds"
NO_SWEEP: Final = ("zip", "window", "change")
"""Keys of a spec whose lists are values, not axes."""
LONGEST_LABEL: Final = 60
HASH_DIGITS: Final = 6
BUILD_DIGITS: Final = 8
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

    @property
    def current(self) -> bool:
        """Whether it is shown: neither superseded nor hidden."""
        return not (self.superseded or self.hidden)

    def called(self, name: str) -> bool:
        """Whether this is its name or its label."""
        return name in (self.experiment, self.label)


def labelled(campaigns: Sequence[Campaign], contained: Collection[int]) -> list[Campaign]:
    """Campaigns in the order of their turns, with what a store says of each.

    `contained` has the ids of those whose runs are all in another one.
    """
    latest = {each.id for each in not_superseded(campaigns)}
    found = [replace(each, superseded=each.id not in latest, hidden=each.id in contained) for each in campaigns]
    first: dict[str, Campaign] = {}
    for each in sorted((each for each in found if each.current), key=lambda each: each.id):
        first.setdefault(each.experiment, each)
    return [replace(each, label=_label(each, first.get(each.experiment, each))) for each in found]


def not_superseded(campaigns: Iterable[Campaign]) -> list[Campaign]:
    """Those, of some in the order of their turns, that none of these with another build asks for again."""
    kept: list[Campaign] = []
    later = defaultdict[tuple[str, str], list[Campaign]](list)
    for each in reversed(list(campaigns)):
        rivals = later[each.experiment, each.engine]
        if not any(other.identity != each.identity and covers(other.spec, each.spec) for other in rivals):
            kept.append(each)
        rivals.append(each)
    return kept[::-1]


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


def covers(whole: Any, part: Any, key: str = "") -> bool:  # noqa: ANN401 (whatever a spec may hold)
    """Whether a spec asks for every point of another one, whatever its seeds.

    >>> covers({"path": {"rtt": ["1 ms", "2 ms"]}}, {"path": {"rtt": "2 ms"}, "seeds": 3})
    True
    """
    if isinstance(whole, dict) and isinstance(part, dict):
        if whole.get("zip") and not key:  # what varies together has other points than its lists
            return _plain(whole) == _plain(part)
        whole, part = _plain(whole), _plain(part)
        return whole.keys() == part.keys() and all(covers(whole[each], part[each], each) for each in whole)
    if whole == part or not isinstance(whole, list) or key in NO_SWEEP:
        return bool(whole == part)
    if key == "flows":
        same = isinstance(part, list) and len(whole) == len(part)
        return same and all(covers(ours, theirs, "flow") for ours, theirs in zip(whole, part, strict=True))
    return all(each in whole for each in (part if isinstance(part, list) else [part]))


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
