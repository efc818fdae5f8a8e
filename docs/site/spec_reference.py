"""The reference of the spec, out of its keys: `python docs/site/spec_reference.py > docs/spec.md`.

What a key means, its units, default and limits are the words of `crates/spec` (`dumbbell.spec.keys`). Which engines
honour it is what they answer when they are asked about each of its values that this page names.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import jinja2

import dumbbell._core as _core
import dumbbell.cc as cc
from dumbbell.engines import linux_limits
from dumbbell.engines.sim import SimEngine
from dumbbell.problem import Problem, SpecError
from dumbbell.spec import expand, load, resolve, toml
from dumbbell.spec.keys import Key, keys
from dumbbell.spec.link import LinkKey, links

HERE: Final = Path(__file__).parent
COLUMNS: Final = 120
SMALLEST: Final[Mapping[str, Any]] = {
    "duration": "60 s",
    "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 MB"},
    "flows": [{"cc": "cubic"}],
}
"""What a spec must have; an example is read as if this were around it."""
FILES: Final = HERE / "files"
"""The folder of the files that examples name."""
HOP: Final = '[[{table}]]\nname = "core"\nrate = "80 Mbit/s"\nbuffer = "1 bdp"\n'
CHANGE: Final = '\n[[{table}.change]]\nat = "20 s"\nrate = "20 Mbit/s"\n'
BACK: Final = '[path.back]\nrate = "2 Mbit/s"\nbuffer = "50 packets"\n'
ROW: Final = (
    '[[hops]]\nname = "first"\nrate = "100 Mbit/s"\nbuffer = "1 bdp"\ndelay = "2 ms"\n\n'
    '[[hops]]\nname = "core"\nrate = "50 Mbit/s"\nbuffer = "1 bdp"\ndelay = "5 ms"\n'
)
WITH_NEIGHBOURS: Final = {
    "time_limit": 'duration = "until done"\ntime_limit = "600 s"\n\n[[flows]]\ncc = "cubic"\n'
    'workload = { transfer = "100 MB" }\n',
    "zip": 'zip = [["path.rate", "path.buffer"]]\n\n[path]\nrate = ["10 Mbit/s", "100 Mbit/s"]\n'
    'buffer = ["50 packets", "500 packets"]\n',
    "path": '[path]\nrate = "80 Mbit/s"\nrtt = "25 ms"\nbuffer = "1 bdp"\n',
    "path.link": '[path]\nlink = "dsl_25_5"\nrate = "10 Mbit/s"\n',
    "path.queue": '[path]\nqueue = "packets"\nbuffer = "100 packets"\n',
    "path.loss_at": '[path]\nloss = "0.1 %"\nloss_at = "after"\n',
    "path.qdisc": '[path]\nqdisc = "fq_codel"\nbuffer = "1 bdp"\n',
    "path.offload": '[path]\noffload = true\nburst = "64 kB"\n',
    "path.change": '[[path.change]]\nat = "20 s"\nrate = "20 Mbit/s"\n\n[[path.change]]\nat = "40 s"\n'
    'rate = "80 Mbit/s"\n',
    "path.change[].at": '[[path.change]]\nat = "20 s"\nrate = "20 Mbit/s"\n',
    "path.change[].rate": '[[path.change]]\nat = "20 s"\nrate = "20 Mbit/s"\n',
    "path.bottleneck": f'[path]\nbottleneck = "core"\n\n{ROW}',
    "path.back": BACK,
    "path.back.change": BACK + CHANGE.format(table="path.back"),
    "path.back.hops": HOP.format(table="path.back.hops").replace("core", "uplink"),
    "path.back.hops[].change": (HOP + CHANGE).format(table="path.back.hops"),
    "hops": ROW,
    "hops[].change": (HOP + CHANGE).format(table="hops"),
    "flows": '[[flows]]\ncc = "bbr"\n\n[[flows]]\ncc = "cubic"\ncount = 3\nstart = "2 s"\n',
    "flows[].workload.ping": '[[flows]]\nworkload = { ping = "100 ms" }\n',
    "flows[].workload.payload": '[[flows]]\nworkload = { ping = "100 ms", payload = "1 kB" }\n',
    "flows[].workload.udp": '[[flows]]\nworkload = { udp = { rate = "5 Mbit/s" } }\n',
    "flows[].workload.udp.trace": '[[flows]]\nworkload = { udp = { trace = "datagrams.csv" } }\n',
    "flows[].workload.udp.payload": '[[flows]]\nworkload = { udp = { rate = "64 kbit/s", payload = "172 B" } }\n',
    "flows[].workload.udp.spacing": '[[flows]]\nworkload = { udp = { rate = "5 Mbit/s", spacing = "poisson" } }\n',
    "flows[].workload.udp.off": '[[flows]]\nworkload = { udp = { rate = "5 Mbit/s", on = "1 s", off = "1 s" } }\n',
    "flows[].workload.udp.rate": '[[flows]]\nworkload = { udp = { rate = "5 Mbit/s" } }\n',
    "flows[].workload.udp.on": '[[flows]]\nworkload = { udp = { rate = "5 Mbit/s", on = "1 s", off = "1 s" } }\n',
    "flows[].workload.media": '[[flows]]\nname = "video"\nworkload = { media = { most = "2.5 Mbit/s" } }\n',
    "flows[].workload.media.least": '[[flows]]\nname = "video"\nworkload = { media = { least = "300 kbit/s" } }\n',
    "flows[].workload.media.most": '[[flows]]\nname = "video"\nworkload = { media = { most = "2.5 Mbit/s" } }\n',
    "flows[].workload.media.frames": '[[flows]]\nname = "video"\nworkload = { media = { frames = 60 } }\n',
    "flows[].workload.media.deadline": '[[flows]]\nname = "video"\nworkload = { media = { deadline = "400 ms" } }\n',
    "flows[].cc": '[[flows]]\ncc = ["bbr", "bbr_4_17", "bbr[cwnd_gain=1.5]"]\n',
    "flows[].stagger": '[[flows]]\ncc = "cubic"\ncount = 4\nstagger = "500 ms"\n',
    "flows[].workload": '[[flows]]\ncc = "cubic"\nworkload = { transfer = "100 MB" }\n',
    "flows[].workload.stream": '[[flows]]\ncc = "cubic"\n'
    'workload = { stream = "5 Mbit/s", for = "60 s", every = "40 ms" }\n',
    "flows[].workload.command": '[[flows]]\ncc = "cubic"\n'
    'workload = { command = ["iperf3", "-c", "{receiver}", "-p", "{port}", "-t", "{seconds}", "-J"], '
    'server = ["iperf3", "-s", "-1", "-p", "{port}", "-J"] }\n',
    "flows[].workload.name": '[[flows]]\ncc = "cubic"\n'
    'workload = { name = "iperf3", command = ["iperf3", "-c", "{receiver}"], server = ["iperf3", "-s", "-1"] }\n',
    "flows[].workload.user": '[[flows]]\ncc = "cubic"\n'
    'workload = { command = ["ping", "-c", "10", "{receiver}"], user = "root" }\n',
    "flows[].workload.arrivals": '[[flows]]\ncc = "cubic"\n'
    'workload = { arrivals = { load = 0.6, count = 1000 }, size = "100 kB" }\n',
    "flows[].workload.arrivals.rate": '[[flows]]\ncc = "cubic"\n'
    'workload = { arrivals = { rate = "50 /s" }, size = "100 kB" }\n',
    "flows[].workload.arrivals.trace": '[[flows]]\ncc = "cubic"\n'
    'workload = { arrivals = { trace = "arrivals.csv" } }\n',
    "flows[].workload.pages": '[[flows]]\ncc = "cubic"\nworkload = { pages = { objects = 50, size = "20 kB" } }\n',
    "flows[].workload.pages.connections": '[[flows]]\ncc = "cubic"\n'
    'workload = { pages = { objects = 50, size = "20 kB", connections = 1 } }\n',
    "flows[].workload.pages.request": '[[flows]]\ncc = "cubic"\n'
    'workload = { pages = { objects = 50, size = "20 kB", request = "1 kB" } }\n',
    "flows[].workload.pages.think": '[[flows]]\ncc = "cubic"\n'
    'workload = { pages = { objects = 50, size = "20 kB", think = "5 s" } }\n',
    "flows[].workload.pages.think.exponential": '[[flows]]\ncc = "cubic"\n'
    'workload = { pages = { objects = 50, size = "20 kB", think = { exponential = "10 s" } } }\n',
    "flows[].workload.size.lognormal": '[[flows]]\ncc = "cubic"\n'
    'workload = { arrivals = { load = 0.6 }, size = { lognormal = { mean = "100 kB", sigma = 1.5 } } }\n',
    "flows[].workload.size.lognormal.median": '[[flows]]\ncc = "cubic"\n'
    'workload = { arrivals = { load = 0.6 }, size = { lognormal = { median = "30 kB", sigma = 1.5 } } }\n',
    "flows[].workload.size.pareto": '[[flows]]\ncc = "cubic"\n'
    'workload = { arrivals = { load = 0.6 }, size = { pareto = { mean = "100 kB", shape = 1.2 } } }\n',
    "flows[].workload.size.pareto.minimum": '[[flows]]\ncc = "cubic"\nworkload = { arrivals = { load = 0.6 }, '
    'size = { pareto = { minimum = "1 kB", shape = 1.2, maximum = "100 MB" } } }\n',
    "flows[].workload.size.cdf": '[[flows]]\ncc = "cubic"\n'
    'workload = { arrivals = { load = 0.6 }, size = { cdf = "sizes.csv" } }\n',
    "flows[].access": '[[flows]]\ncc = "cubic"\naccess = { rate = "1 Gbit/s", buffer = "1 MB", kind = "router" }\n',
    "flows[].direction": f'{BACK}\n[[flows]]\ncc = "cubic"\ndirection = "up"\n',
    "flows[].route": f'{ROW}\n[[flows]]\ncc = "cubic"\nroute = ["core"]\n',
    "host": "[host]\ninitial_window = 32\n",
    "measure.capture_at": '[measure]\nrecord = "pcap"\ncapture_at = ["senders", "receivers"]\n',
    "measure.snap": '[measure]\nrecord = "pcap"\nsnap = "1514 B"\n',
    "expect": '[[expect]]\nquantity = "goodput"\nof = "cubic"\nat_least = "40 Mbit/s"\n',
    "expect[].at_least": '[[expect]]\nquantity = "utilization"\nat_least = "90 %"\n',
    "expect[].at_least.of": '[[flows]]\ncc = "cubic"\n\n[[flows]]\ncc = "bbr"\n\n[[expect]]\nquantity = "retransmits"\n'
    'of = "bbr"\nat_most = { of = "cubic", times = 4 }\n',
    "expect[].at_least.against": '[[flows]]\nname = "tested"\ncc = ["cubic", "bbr"]\n\n[[expect]]\n'
    'quantity = "rtt_p95"\n'
    'of = "tested"\nat_most = { against = "flows[0].cc", times = 1.5, slack = "1 ms" }\n',
    "expect[].at_most": '[[expect]]\nquantity = "rtt_p95"\nat_most = "50 ms"\n',
    "expect[].by": '[[expect]]\nquantity = "goodput"\nat_least = "40 Mbit/s"\nby = "5 s"\n',
    "expect[].from": '[[path.change]]\nat = "20 s"\nrate = "20 Mbit/s"\n\n[[expect]]\nquantity = "rtt"\n'
    'at_most = "60 ms"\nby = "2 s"\nfrom = "20 s"\n',
    "expect[].seeds": '[[expect]]\nquantity = "retransmits"\nat_most = "2 %"\nseeds = "all"\n',
    "expect[].where": '[path]\nbuffer = ["0.5 bdp", "1 bdp"]\n\n[[expect]]\nquantity = "utilization"\n'
    'at_least = "95 %"\n'
    'where = { "path.buffer" = "1 bdp" }\n',
    "measure": '[measure]\nwindow = ["25 %", "100 %"]\nrecord = "summary"\n',
}
"""Examples that need more than their own key."""
MORE_VALUES: Final = {"path.buffer": ["1000 GB"], "flows[].access.buffer": ["1000 GB"]}
"""What engines are asked about beside options, examples and bounds."""
KINDS: Final = ("Rate", "Frequency", "Time", "Jitter", "Share", "Bytes", "Size", "Moment")
SAME_EXAMPLE: Final = {
    "flows[].workload.for": "flows[].workload.stream",
    "flows[].workload.every": "flows[].workload.stream",
    "flows[].workload.arrivals.load": "flows[].workload.arrivals",
    "flows[].workload.arrivals.count": "flows[].workload.arrivals",
    "flows[].workload.server": "flows[].workload.command",
    "flows[].workload.size": "flows[].workload.arrivals",
    "flows[].workload.size.lognormal.mean": "flows[].workload.size.lognormal",
    "flows[].workload.size.lognormal.sigma": "flows[].workload.size.lognormal",
    "flows[].workload.size.pareto.mean": "flows[].workload.size.pareto",
    "flows[].workload.size.pareto.shape": "flows[].workload.size.pareto",
    "flows[].workload.size.pareto.maximum": "flows[].workload.size.pareto.minimum",
    "flows[].workload.pages.objects": "flows[].workload.pages",
    "flows[].workload.pages.size": "flows[].workload.pages",
    "expect[].quantity": "expect",
    "expect[].of": "expect",
    "expect[].at_least.times": "expect[].at_least.of",
    "expect[].at_least.slack": "expect[].at_least.against",
    "flows[].access.rate": "flows[].access",
    "flows[].access.buffer": "flows[].access",
    "flows[].access.kind": "flows[].access",
}


QDISC_WITH: Final = {
    "interval": "codel", "target": "codel", "limit": "codel", "ecn": "codel", "ce_threshold": "codel",
    "ce_threshold_selector": "fq_codel", "flows": "fq_codel", "quantum": "fq_codel", "initial_quantum": "fq",
    "flow_limit": "fq", "orphan_mask": "fq", "tupdate": "pie", "alpha": "pie", "beta": "pie", "coupling": "dualpi2",
    "step": "dualpi2", "min": "red", "max": "red", "probability": "red",
}  # fmt: skip
"""A queue discipline that has a parameter, for its example."""


def described() -> list[Key]:
    """Every key, those of discipline, bursts and reordering of the path only, of sizes those of transfers."""
    of_another = re.compile(
        r"(?!path\.(qdisc|loss|reorder)\.).*\.(qdisc|loss|reorder)\..+|expect\[\]\.at_most\..+|.*\.pages\.size\..+"
    )
    return [key for key in keys() if not of_another.fullmatch(key.path)]


def wrapped(text: str) -> str:
    """Sentences in lines of the documents' length."""
    return textwrap.fill(text, COLUMNS, break_long_words=False, break_on_hyphens=False)


def _with_neighbours(name: str, own: str, value: Any) -> Any:  # noqa: ANN401 (whatever a key may have)
    """A table of loss in bursts, of reordering or of a change that has a key, with those that it needs."""
    if name == "loss":
        by_states = own not in {"gilbert_elliott", "loss", "burst"}
        states = {"p": "1 %", "r": "20 %"} if by_states else {"loss": "1 %", "burst": 5.0}
        return {"gilbert_elliott": states | ({own: value or "1 %"} if by_states else {})}
    if name == "reorder":
        return (
            {"share": "2 %", "by": "15 ms"} if own in {"share", "by"} else {"spread": "8 ms"} | {own: value or "25 %"}
        )
    needed = {"rate": "20 Mbit/s"} if own in {"at", "over", "every"} else {}
    return [{"at": "20 s"} | needed | {own: value}]


def _of_a_line(table: str, fields: Mapping[str, Any]) -> str:
    """Fields of the path, the way back or a hop, with what that needs."""
    if table == "path":
        return toml({"path": fields})
    around = tomllib.loads(BACK if table == "path.back" else HOP.format(table=table.removesuffix("[]")))
    place: Any = around
    for name in table.split("."):
        place = place[name.removesuffix("[]")]
    (place[0] if isinstance(place, list) else place).update(fields)
    return toml(around)


def example(key: Key) -> str:
    """TOML that shows a key; with `SMALLEST` around it, it is a spec."""
    text = WITH_NEIGHBOURS.get(SAME_EXAMPLE.get(key.path, key.path))
    if text is not None:
        return text
    table, _, own = key.path.rpartition(".")
    others = [word for word in key.options if word != key.default]
    value = key.examples[0] if key.examples else others[0] if others else not key.default
    if nested := re.fullmatch(r"(.+?)\.(loss|reorder|change)(?:\[\])?\.(.+)", key.path):
        line, name, inner = nested.groups()
        return _of_a_line(line, {name: _with_neighbours(name, inner.rpartition(".")[2], value)})
    if table == "path.qdisc":
        more = {"ce_threshold": "1 ms"} if own == "ce_threshold_selector" else {}
        kind = {} if own == "kind" else {"kind": QDISC_WITH[own]}
        buffer = {"buffer": "1 bdp"} if QDISC_WITH.get(own) == "red" else {}
        return toml({"path": {**buffer, "qdisc": kind | more | {own: value}}})
    policer = {"rate": "20 Mbit/s", "shaper": "police", "burst": "125 kB"} if own in {"peak", "exceed"} else {}
    if table == "path" and policer:
        return toml({"path": policer | {own: value}})
    if table == "path.back" or table.endswith("hops[]"):
        around = BACK if table == "path.back" else HOP.format(table=table.removesuffix("[]"))
        if policer:
            around = "".join(
                line for line in around.splitlines(keepends=True) if not line.startswith(("rate", "buffer"))
            )
        return around if f"\n{own} = " in around else around + toml(policer | {own: value})
    *tables, name = key.path.split(".")
    fields: Any = {name: value}
    for table in reversed(tables):
        flow = {"cc": "cubic"} if table == "flows[]" and name != "cc" else {}
        fields = {table.removesuffix("[]"): [flow | fields] if table.endswith("[]") else fields}
    return toml(fields)


def spec_around(text: str) -> dict[str, Any]:
    """The smallest spec with what an example says."""
    fields = tomllib.loads(text)
    # Hops stand in place of the path's own queue.
    smallest = dict(SMALLEST) | {"path": {"rtt": "25 ms"}} if "hops" in fields else dict(SMALLEST)
    path = fields.get("path", {})
    if ("qdisc" in path and "buffer" not in path) or path.get("shaper") == "police":
        # One that counts packets has a limit of its own, and a policer has no queue.
        smallest["path"] = {"rate": "80 Mbit/s", "rtt": "25 ms"}
    return _merged(smallest, fields)


def _merged(fields: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    merged = deepcopy(dict(fields))
    for key, value in others.items():
        inner = merged.get(key)
        merged[key] = _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return merged


def refusals(key: Key) -> dict[str, list[str]]:
    """What each engine refuses of a key's values that this page names, in its own words."""
    fields = spec_around(example(key))
    more = MORE_VALUES.get(key.path, [])
    tried = [*key.options, *([*key.examples, *key.extremes, *more] if "table" not in key.noun else [])]
    tried += [not key.default] if isinstance(key.default, bool) else []
    refused: dict[str, list[str]] = {"sim": [], "linux": []}
    place = key.path.replace("[]", "[0]")
    known = _problems(fields, {} if key.default is None else {place: key.default})
    for value in tried:
        by_engine = _problems(fields, {place: value})
        for engine, problems in by_engine.items():
            new = [each for each in problems if each not in known[engine] and _is_about(each, key)]
            refused[engine] += [line for each in new if (line := _line(each, value, key)) not in refused[engine]]
    return refused


def _problems(fields: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, list[Problem]]:
    """Every engine's problems with the first run of a spec; none where there is no such spec."""
    try:
        run = resolve(next(expand(load(fields, overrides=change, folder=FILES))), 1).run
    except SpecError:
        return {"sim": [], "linux": []}
    return {"sim": SimEngine().unsupported_fields(run), "linux": list(linux_limits.problems(run))}


def _is_about(problem: Problem, key: Key) -> bool:
    path = _general(problem.path)
    return key.path == path or (key.path == "flows[].count" and path == "flows")


def _line(problem: Problem, value: object, key: Key) -> str:
    if isinstance(value, bool):
        return f"not `{_toml(value)}` ({problem.message})"
    if value not in key.options:
        return problem.hint or problem.message
    word = f'"{value}"'
    return f"not `{word}` ({problem.message.removeprefix(f'{word}: ').replace(f'{word} needs', 'it needs')})"


def _toml(value: object) -> str:
    return toml({"value": value}).removeprefix("value = ").rstrip()


def takes(key: Key, *, short: bool = False) -> str:
    """What a key takes, in words; in short without its limits and links."""
    options = " or ".join(f"`{_toml(word)}`" for word in key.options)
    noun = f"[{key.noun}](#quantities-and-units)" if key.units and not short else key.noun
    if key.noun in {"a word", "a word, or a table"}:
        noun = options + key.noun.removeprefix("a word").replace(", or", " or")
        if key.several and not short:
            noun += ", or a list of several"
    elif options:
        noun += f", or {options}"
    return f"{noun}; {key.limits[0].lower()}{key.limits[1:]}" if key.limits and not short else noun


def default(key: Key) -> str:
    """What holds where a key is not there, in words."""
    if key.required:
        return "needed"
    if key.default in (None, []):
        return "as described" if "default" in key.meaning.lower() else "none"
    return f"`{_toml(key.default)}`"


ENGINES = {"sim": "`sim`", "linux": "`linux`, `netns`"}
"""The same code says what both engines of a real kernel cannot honour; what one machine's kernel lacks it says."""


def engines(key: Key) -> str:
    """The engines that honour a key, what they do not take, and those that refuse the whole table that it is in."""
    refusing = _refusing(key)
    parts = (
        f"not {ENGINES[engine]}" if engine in refusing else ENGINES[engine] + (f": {'; '.join(lines)}" if lines else "")
        for engine, lines in refusals(key).items()
    )
    return "; ".join(parts)


def _refusing(key: Key) -> set[str]:
    """The engines that refuse every spec with the table of a key."""
    problems = _problems(spec_around(example(key)), {})
    return {
        engine
        for engine, each in problems.items()
        if any(key.path.startswith(f"{_general(problem.path)}.") for problem in each)
    }


def _general(path: str) -> str:
    """The path of a field in whichever table of a list."""
    return re.sub(r"\[\d+\]", "[]", path)


def algorithms() -> Iterator[tuple[str, str, str, str]]:
    """Each name that `cc` takes without a kernel of one's own: what of, on which engines, and what it is."""
    for name, algorithm in cc.known().items():
        engines = [engine for engine, names in (("sim", cc.installed()), ("linux", cc.LINUX)) if name in names]
        yield name, "", ", ".join(engines), algorithm.title
    for name, variant in cc.variants().items():
        yield name, variant.base, "sim, linux" if variant.linux else "sim", variant.about


def link_cell(key: LinkKey) -> str:
    """The value of a key of a preset, as a table has it."""
    return "<br>".join(f"`{line}`" for line in key.text.splitlines())


def anchor(heading: str) -> str:
    """The anchor that a heading has, here and on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page() -> str:
    """The whole page, in Markdown."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, autoescape=False,  # noqa: S701 (Markdown, of our own words)
    )  # fmt: skip
    return environment.get_template("spec.md.j2").render(
        keys=described(), kinds=[each for name in KINDS for each in _core.quantity_kinds() if each[0] == name],
        example=example, takes=takes, default=default, engines=engines, anchor=anchor, wrapped=wrapped,
        algorithms=list(algorithms()), links=links(), cell=link_cell, places=dict(_core.placeholders()),
    )  # fmt: skip


if __name__ == "__main__":
    print(page(), end="")
