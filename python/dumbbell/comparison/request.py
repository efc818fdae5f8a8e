"""What a run was asked, as a key: two runs with the same one are a pair."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from dumbbell.spec.quantity import Time
from dumbbell.spec.resolve import start_jitter_ns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_RECORD = re.compile(r',"record":"[a-z]+"')
"""What is kept of a run is not what happens in it."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the spec says of a run, and the resolved run does not."""

    jitter_ns: int
    groups: tuple[tuple[str, int], ...]
    """Algorithm and number of flows of each."""

    @classmethod
    def of(cls, spec: Mapping[str, Any], point: Mapping[str, Any]) -> Words:
        """Those of a point of an experiment."""

        def word(path: str, table: Mapping[str, Any], key: str, usual: object) -> Any:  # noqa: ANN401 (as written)
            return point.get(path, table.get(key, usual))

        groups = tuple(
            (str(word(f"flows[{index}].cc", flow, "cc", "")), int(word(f"flows[{index}].count", flow, "count", 1)))
            for index, flow in enumerate(spec["flows"])
        )
        return cls(_ns(word("start_jitter", spec, "start_jitter", "0 s")), groups)

    def flows(self) -> Iterator[int]:
        """The group of each flow, in the run's order."""
        for index, (_, count) in enumerate(self.groups):
            yield from [index] * count


def key(resolved: str) -> bytes:
    """Of a run, seed and algorithms included."""
    return _digest(_RECORD.sub("", resolved, count=1))


def key_with(resolved: str, words: Words, controllers: Mapping[int, Mapping[str, Any]]) -> bytes:
    """Of a run in which these groups have other algorithms."""
    return _digest(json.dumps(asked_with(resolved, words, controllers), sort_keys=True))


def asked(resolved: str) -> dict[str, Any]:
    """What the key of a run is made of."""
    found: dict[str, Any] = json.loads(_RECORD.sub("", resolved, count=1))
    return found


def asked_with(resolved: str, words: Words, controllers: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """The same, where these groups have other algorithms.

    A flow is often named by its algorithm, and its name draws its start jitter: neither makes another run of it.
    """
    run: dict[str, Any] = json.loads(resolved)
    for flow, group in zip(run["flows"], words.flows(), strict=True):
        flow["start_ns"] -= start_jitter_ns(run["seed"], flow.pop("name"), words.jitter_ns)
        flow["cc"] = controllers.get(group, flow["cc"])
    del run["measure"]["record"]
    return run


def controllers(resolved: str, words: Words) -> list[Mapping[str, Any]]:
    """The algorithm of each group, with its parameters."""
    flows = json.loads(resolved)["flows"]
    by_group = dict(zip(words.flows(), flows, strict=True))
    return [by_group[index]["cc"] for index in range(len(words.groups))]


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Where two runs were asked for different things: both values by path; None where there is no such field."""
    first, second = (dict(_leaves(each)) for each in (ours, theirs))
    found = {
        path: (first.get(path), second.get(path))
        for path in dict.fromkeys([*first, *second])
        if first.get(path) != second.get(path)
    }
    if "seed" in found:  # which draws the jitter
        found = {path: values for path, values in found.items() if not path.endswith(".start_ns")}
    return found


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 (whatever JSON has)
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


@cache
def _ns(text: str) -> int:
    return Time(text).ns


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
