"""What a point of a sweep is, in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dumbbell.spec.quantity import magnitude

MOST_CHANGES: Final = 6
_CHANGED: Final = {"rate": "rate", "rtt": "RTT", "delay": "delay", "loss": "loss", "buffer": "buffer"}
"""What a change changes, by its key."""
_SAID_ANYWAY: Final = re.compile(r"duration|path\.(?:rate|rtt|buffer|loss)|flows\[\d+\]\.(?:cc|count)")


def point_text(values: Mapping[str, Any], seed: int | None = None) -> str:
    """A point of a sweep, or a run at it.

    >>> point_text({"path.buffer": "1 bdp", "path.offload": True}, 3)
    'path.buffer = 1 bdp, path.offload = true, seed 3'
    """
    parts = [f"{path} = {swept_text(value)}" for path, value in values.items()]
    return ", ".join([*parts, *([] if seed is None else [f"seed {seed}"])])


def swept_text(value: object) -> str:
    """A swept value.

    >>> swept_text("1 bdp"), swept_text(True), swept_text({"transfer": "1 MB"})
    ('1 bdp', 'true', '{"transfer": "1 MB"}')
    >>> swept_text({"gilbert_elliott": {"loss": "1 %", "burst": 5.0}}), swept_text({"share": "2 %", "by": "15 ms"})
    ('1 % in bursts of 5 packets', '2 % of the packets late by 15 ms')
    >>> swept_text({"spread": "8 ms", "distribution": "normal"})
    'delays spread by 8 ms (normal)'
    >>> swept_text({"kind": "codel", "ecn": True}), swept_text({"command": ["send", "{receiver}"], "server": ["take"]})
    ('codel with ecn = true', 'send {receiver} | take')
    >>> swept_text({"command": ["send", "{receiver}"], "server": ["take"], "name": "mine"})
    'mine'
    """
    if isinstance(value, str):
        return value
    text = (_impairment_text(value) or _named_text(value)) if isinstance(value, Mapping) else None
    return text or json.dumps(value)


def _impairment_text(table: Mapping[str, Any]) -> str | None:
    """Loss in bursts and reordering, as a spec writes them; None of other tables, and of lists in them."""
    channel = table.get("gilbert_elliott", {})
    if any(isinstance(each, list) for each in (*table.values(), *channel.values())):
        return None
    if "burst" in channel:
        return f"{channel['loss']} in bursts of {channel['burst']:g} packets"
    if channel:
        return f"in bursts with {', '.join(f'{key} = {each}' for key, each in channel.items())}"
    if "by" in table:
        return f"{table['share']} of the packets late by {table['by']}"
    if "spread" in table:
        around = f" around {table['delay']}" if "delay" in table else ""
        again = f"correlation {table['correlation']}" if "correlation" in table else ""
        return f"delays spread by {table['spread']}{around}{_in_brackets([table.get('distribution', ''), again])}"
    return None


def _named_text(table: Mapping[str, Any]) -> str | None:
    """A program, and a queueing discipline with its parameters; None of other tables, and of lists in them."""
    if "command" in table:
        return table.get("name") or " | ".join(" ".join(table[key]) for key in ("command", "server") if key in table)
    own = {key: value for key, value in table.items() if key != "kind"}
    if "kind" not in table or any(isinstance(each, list | Mapping) for each in table.values()):
        return None
    parts = ", ".join(f"{key} = {swept_text(value)}" for key, value in own.items())
    return f"{table['kind']}{' with ' if parts else ''}{parts}"


def _in_brackets(parts: Sequence[str]) -> str:
    text = ", ".join(filter(None, parts))
    return f" ({text})" if text else ""


def impairment_texts(line: Mapping[str, Any]) -> dict[str, str]:
    """What a line does to packets as parts of a sentence, by the key of the spec: of what stands in the line's table.

    >>> impairment_texts({"duplicate": "0.1 %", "ack_filter": True, "reorder": "none"})
    {'duplicate': '0.1 % of the packets twice', 'ack_filter': 'superfluous ACKs filtered'}
    """
    texts = {
        "loss": "loss {}", "reorder": "{}", "duplicate": "{} of the packets twice",
        "corrupt": "{} of the packets damaged", "aggregation": "packets in lumps every {}",
        "ack_filter": "superfluous ACKs filtered",
    }  # fmt: skip
    return {
        key: text.format(swept_text(line[key]))
        for key, text in texts.items()
        if line.get(key, "none") != "none" and line[key] is not False
    }


def values_beyond_path(values: Mapping[str, Any]) -> dict[str, Any]:
    """The swept values that a point's rate, RTT, buffer, loss and flows do not say, nor how long it is.

    >>> values_beyond_path({"path.rtt": "25 ms", "flows[0].cc": "bbr", "host.ack_aggregation": "1 ms"})
    {'host.ack_aggregation': '1 ms'}
    """
    return {path: value for path, value in values.items() if not _SAID_ANYWAY.fullmatch(path)}


def changes_text(changes: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a line changes to, and when, as a spec writes it; of many changes how many, and between which rates.

    >>> changes_text([{"at": "5 s", "rate": "20 Mbit/s"}, {"at": "9 s", "rate": "0 bit/s", "every": "40 s"}])
    ['20 Mbit/s from 5 s on', 'an outage from 9 s on (again every 40 s)']
    >>> changes_text([{"at": "5 s", "rtt": "80 ms", "loss": "1 %", "over": "2 s"}])
    ['RTT 80 ms and loss 1 % from 5 s on (reached in 2 s)']
    >>> changes_text([{"at": "5 s", "rate": "20 Mbit/s"}, {"at": "9 s", "rate": "500 kbit/s"}] * 40)
    ['80 changes of rate, 500 kbit/s to 20 Mbit/s']
    """
    if len(changes) <= MOST_CHANGES:
        return list(map(_change_text, changes))
    rates = [swept_text(each["rate"]) for each in changes if "rate" in each]
    ordered = sorted(rates, key=lambda text: magnitude(text) or 0.0)
    of = [name for key, name in _CHANGED.items() if any(key in each for each in changes)]
    span = [f"{ordered[0]} to {ordered[-1]}"] if ordered else []
    return [", ".join([f"{len(changes):,} changes of {', '.join(of)}", *span])]


def _change_text(change: Mapping[str, Any]) -> str:
    parts = [
        f"{'' if key == 'rate' else name} {swept_text(change[key])}".lstrip()
        for key, name in _CHANGED.items()
        if key in change
    ]
    if "rate" in change and magnitude(swept_text(change["rate"])) == 0:
        parts[0] = "an outage"
    ramp = f"reached in {swept_text(change['over'])}" if "over" in change else ""
    again = f"again every {swept_text(change['every'])}" if "every" in change else ""
    return f"{' and '.join(parts)} from {swept_text(change['at'])} on{_in_brackets([ramp, again])}"
