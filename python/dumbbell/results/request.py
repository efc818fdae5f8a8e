"""What a run was asked for, as the ledger keeps it: runs of two engines or algorithms are a pair by their keys.

The key is a hash of the resolved run without the seed, without the flows' names and algorithms, without the start
jitter and the RTT spread that a name draws, without the timing noise of hosts, and without what is recorded: what is
left is the path, the hosts and the workload. What was left out stands beside it: the seed, and of each group its name,
its algorithm, its ranges of start jitter and RTT, and its hosts' noise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dumbbell.spec import Resolved

KEY_BYTES = 16


def request_of(resolved: Resolved) -> dict[str, str]:
    """What pairs a run that is about to be stored with another one, as columns: `request_key`, and `request_groups`.

    These are JSON, a list of the groups of flows: `name`, `cc` as the spec has it, number of `flows`, the `controller`,
    `start_jitter_ns` and `rtt_spread_ns`, within which the start and the base RTT of each flow were drawn, and the
    hosts' `jitter_ns`; the last two are not there where they are 0.
    """
    run = json.loads(resolved.run.to_json())
    fields = _key_fields(run, resolved.start_jitter_ns, resolved.rtt_spread_ns)
    noise = {"rtt_spread_ns": resolved.rtt_spread_ns, "jitter_ns": run["path"]["jitter_ns"]}
    flows, groups = iter(run["flows"]), []
    for (name, cc), members in groupby(zip(resolved.groups, resolved.ccs, strict=True)):
        own = [next(flows) for _ in members]
        groups.append({
            "name": name, "cc": cc, "flows": len(own), "controller": own[0].get("cc"),
            "start_jitter_ns": resolved.start_jitter_ns, **{key: value for key, value in noise.items() if value != 0},
        })  # fmt: skip
    key = hashlib.blake2b(json.dumps(fields, sort_keys=True).encode(), digest_size=KEY_BYTES).hexdigest()
    return {"request_key": key, "request_groups": json.dumps(groups, ensure_ascii=False)}


def fields_of(run: str, groups: str) -> dict[str, Any]:
    """What pairs a stored run, from its JSON and its request's: what is behind its key, and what is beside it."""
    resolved, drawn = json.loads(run), json.loads(groups)[0]
    ranges = {"start_jitter_ns": drawn["start_jitter_ns"], "rtt_spread_ns": drawn.get("rtt_spread_ns", 0)}
    fields = _key_fields(resolved, **ranges)
    for own, flow in zip(fields["flows"], resolved["flows"], strict=True):
        own.update(name=flow["name"], cc=flow.get("cc"), **ranges)
    fields["path"] |= {"jitter_ns": resolved["path"]["jitter_ns"]}
    return fields | {"seed": resolved["seed"]}


def _key_fields(run: Mapping[str, Any], start_jitter_ns: int, rtt_spread_ns: int) -> dict[str, Any]:
    """What a key is of; the flows' names drew the start and the RTT of each within these."""
    import dumbbell.spec.resolved as drawn  # noqa: PLC0415 (late: lists need no specs)

    flows = []
    for flow in run["flows"]:
        own = {name: value for name, value in flow.items() if name not in {"name", "cc"}}
        own["start_ns"] -= drawn.start_jitter_ns(run["seed"], flow["name"], start_jitter_ns)
        flows.append(own | _delays_ns(flow, drawn.rtt_offset_ns(run["seed"], flow["name"], rtt_spread_ns)))
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
