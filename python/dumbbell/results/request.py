"""What a run was asked for, as the ledger keeps it: runs of two engines or algorithms are a pair by their keys.

The key is a hash of the resolved run without the seed, without the flows' names and algorithms, without the start
jitter that a name draws, and without what is recorded: what is left is the path, the hosts and the workload. What was
left out stands beside it: the seed, and of each group its name, its algorithm and its range of start jitter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dumbbell.spec import Resolved

KEY_BYTES = 16
_CACHED_SPECS = 4096


class Request(NamedTuple):
    """What pairs a run with another one."""

    key: str
    groups: str
    """JSON, a list of the groups of flows: `name`, `cc` as the spec has it, number of `flows`, the `controller`, and
    `start_jitter_ns`, within which the start of each flow was drawn."""


def request_of(resolved: Resolved) -> Request:
    """The request of a run that is about to be stored."""
    run = resolved.run.model_dump(mode="json")
    return _request(run, resolved.start_jitter_ns, list(zip(resolved.groups, resolved.ccs, strict=True)))


@lru_cache(1)
def request_from_texts(run: str, spec: str, point: str) -> Request:
    """The same from a resolved run, its experiment's spec and its point, each as the ledger has it: JSON."""
    resolved = json.loads(run)
    jitter_ns, groups = _from_spec(spec, point)
    names = [flow["name"] for flow in resolved["flows"]]
    owners: list[tuple[str, str]] = []
    for cc, flows in groups:
        owners += [(names[len(owners)], cc)] * flows
    return _request(resolved, jitter_ns, owners)


def fields_of(run: str, spec: str, point: str) -> dict[str, Any]:
    """What pairs a run, from the same texts: the fields behind its key, its seed, and those of its flows beside it."""
    resolved = json.loads(run)
    jitter_ns, _ = _from_spec(spec, point)
    fields = _key_fields(resolved, jitter_ns)
    for own, flow in zip(fields["flows"], resolved["flows"], strict=True):
        own |= {"name": flow["name"], "cc": flow["cc"], "start_jitter_ns": jitter_ns}
    return fields | {"seed": resolved["seed"]}


def _key_fields(run: Mapping[str, Any], start_jitter_ns: int) -> dict[str, Any]:
    from dumbbell.spec.resolve import start_jitter_ns as draw_ns  # noqa: PLC0415 (late: lists need no specs)

    flows = []
    for flow in run["flows"]:
        own = {name: value for name, value in flow.items() if name not in {"name", "cc"}}
        own["start_ns"] -= draw_ns(run["seed"], flow["name"], start_jitter_ns)
        flows.append(own)
    return {
        **{name: value for name, value in run.items() if name != "seed"},
        "flows": flows,
        "measure": {name: value for name, value in run["measure"].items() if name != "record"},
    }


def _request(run: Mapping[str, Any], start_jitter_ns: int, owners: Sequence[tuple[str, str]]) -> Request:
    """`owners` has the name and the algorithm, in the spec's words, of each flow's group."""
    text = json.dumps(_key_fields(run, start_jitter_ns), sort_keys=True)
    key = hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()
    return Request(key, json.dumps(list(_groups(run, start_jitter_ns, owners)), ensure_ascii=False))


def _groups(
    run: Mapping[str, Any], start_jitter_ns: int, owners: Sequence[tuple[str, str]]
) -> Iterator[dict[str, Any]]:
    flows = iter(run["flows"])
    for (name, cc), members in groupby(owners):
        own = [next(flows) for _ in members]
        yield {
            "name": name, "cc": cc, "flows": len(own), "controller": own[0]["cc"], "start_jitter_ns": start_jitter_ns,
        }  # fmt: skip


@lru_cache(_CACHED_SPECS)
def _from_spec(spec: str, point: str) -> tuple[int, list[tuple[str, int]]]:
    """The start jitter of a point, and the algorithm and number of flows of each group."""
    from dumbbell.spec.quantity import Time  # noqa: PLC0415 (late: lists need no specs)

    experiment, values = json.loads(spec), json.loads(point)
    jitter = values.get("start_jitter", experiment.get("start_jitter", "0 s"))
    groups = [
        (
            str(values.get(f"flows[{index}].cc", flow["cc"])),
            int(values.get(f"flows[{index}].count", flow.get("count", 1))),
        )
        for index, flow in enumerate(experiment["flows"])
    ]
    return Time(jitter).ns, groups
