"""What a run was asked for, as the ledger keeps it: runs of two engines or algorithms are a pair by their keys.

The key is a hash of the resolved run without the seed, without the flows' names and algorithms, without the start
jitter and the RTT spread that a name draws, without the timing noise of hosts, and without what is recorded: what is
left is the path, the hosts and the workload. What was left out stands beside it: the seed, and of each group its name,
its algorithm, its ranges of start jitter and RTT, and its hosts' noise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dumbbell.spec import Resolved

KEY_BYTES = 16


class Request(NamedTuple):
    """What pairs a run with another one."""

    key: str
    groups: str
    """JSON, a list of the groups of flows: `name`, `cc` as the spec has it, number of `flows`, the `controller`,
    `start_jitter_ns` and `rtt_spread_ns`, within which the start and the base RTT of each flow were drawn, and the
    hosts' `jitter_ns`; the last two are not there where they are 0."""


class _Ranges(NamedTuple):
    """Within which values were drawn by the flows' names."""

    start_jitter_ns: int
    rtt_spread_ns: int


def request_of(resolved: Resolved) -> Request:
    """The request of a run that is about to be stored."""
    run = json.loads(resolved.run.to_json())
    ranges = _Ranges(resolved.start_jitter_ns, resolved.rtt_spread_ns)
    return _request(run, ranges, list(zip(resolved.groups, resolved.ccs, strict=True)))


def fields_of(run: str, groups: str) -> dict[str, Any]:
    """What pairs a stored run, from its JSON and its request's: what is behind its key, and what is beside it."""
    resolved = json.loads(run)
    drawn = json.loads(groups)[0]
    ranges = _Ranges(drawn["start_jitter_ns"], drawn.get("rtt_spread_ns", 0))
    fields = _key_fields(resolved, ranges)
    for own, flow in zip(fields["flows"], resolved["flows"], strict=True):
        own.update(name=flow["name"], cc=flow["cc"], **ranges._asdict())
    fields["path"] |= {"jitter_ns": resolved["path"]["jitter_ns"]}
    return fields | {"seed": resolved["seed"]}


def _key_fields(run: Mapping[str, Any], ranges: _Ranges) -> dict[str, Any]:
    from dumbbell.spec.resolved import rtt_offset_ns, start_jitter_ns  # noqa: PLC0415 (late: lists need no specs)

    flows = []
    for flow in run["flows"]:
        own = {name: value for name, value in flow.items() if name not in {"name", "cc"}}
        own["start_ns"] -= start_jitter_ns(run["seed"], flow["name"], ranges.start_jitter_ns)
        flows.append(own | _delays_ns(flow, rtt_offset_ns(run["seed"], flow["name"], ranges.rtt_spread_ns)))
    return {
        **{name: value for name, value in run.items() if name != "seed"},
        "path": {name: value for name, value in run["path"].items() if name != "jitter_ns"},
        "flows": flows,
        "measure": {name: value for name, value in run["measure"].items() if name != "record"},
    }


def _delays_ns(flow: Mapping[str, Any], longer_ns: int) -> dict[str, int]:
    """Both delays of a flow as they would be without its own part of the RTT spread."""
    forward_ns, return_ns = flow["forward_delay_ns"], flow["return_delay_ns"]
    rtt_ns = forward_ns + return_ns - longer_ns
    own_ns = 0 if not forward_ns else rtt_ns if not return_ns else rtt_ns // 2
    return {"forward_delay_ns": own_ns, "return_delay_ns": rtt_ns - own_ns}


def _request(run: Mapping[str, Any], ranges: _Ranges, owners: Sequence[tuple[str, str]]) -> Request:
    """`owners` has the name and the algorithm, in the spec's words, of each flow's group."""
    text = json.dumps(_key_fields(run, ranges), sort_keys=True)
    key = hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()
    return Request(key, json.dumps(list(_groups(run, ranges, owners)), ensure_ascii=False))


def _groups(run: Mapping[str, Any], ranges: _Ranges, owners: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    flows, common = iter(run["flows"]), {"rtt_spread_ns": ranges.rtt_spread_ns, "jitter_ns": run["path"]["jitter_ns"]}
    for (name, cc), members in groupby(owners):
        own = [next(flows) for _ in members]
        yield {
            "name": name, "cc": cc, "flows": len(own), "controller": own[0]["cc"],
            "start_jitter_ns": ranges.start_jitter_ns,
            **{name: value for name, value in common.items() if value != 0},
        }  # fmt: skip
