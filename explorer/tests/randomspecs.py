"""Random specs as texts: right ones, such as have mistakes, and such as are no TOML; from a seed, always the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, TypeAlias

Tree: TypeAlias = "dict[str, Any]"
"""A table: values are TOML as text, tables, or lists of tables."""

CCS = ("bbr", "cubic", "reno", "vegas", "bbr_1_1", "bbr_4_17", "bbr_shallow", "illinois", "bbr[cwnd_gain=1.5]",
       "bbr_4_17[cwnd_gain=2, probe_gain=1.10]", "cubic[beta=0.8,hystart=false]", "reno[ beta = 5e-1 ]", " bbr ",
       "cubic[]", "bbr[cycle_len=7,policer=true]", "bbr[lt_bw_diff=1e3]",
       "bbr_proposals[min_tso_rate=1e12, feedback_loss=1e-7]", "bbr_1_5[probe_gain=1.25]", "cubic[c=0.4]",
       "bbr_proposals[feedback_step=-0.0]", "bbr[drain_gain=.00001e3]")  # fmt: skip
WRONG_CCS = ("bbrr", "bbr3", "BBR", "bbr_4_16", "bbr[cwnd_gain=99]", "bbr[cwnd=1]", "bbr[cwnd_gain]", "reno[beta=x]",
             "vegas[a=1]", "bbr[cwnd_gain=1,cwnd_gain=2]", "bbr[cycle_len=1.5]", "bbr[policer=2,cycle_len=nan]",
             "bbr[", "", "tcp_bbr", "quick", "bbr[cwnd_gain=1e999]", "cubic[hystart=0.5]", "copa", "bbr cubic",
             "westwood+", "b" * 501, "x" * 70, "bbr[policer=yes]", "bbr[cwnd_gain=1,]",
             "bbr_2", "cdg[x=1]")  # fmt: skip
NAMES = ("a", "web", "bbr-2", "cubic", "übung", "two words", "a-2", "a-10", "日本", "bbr-3", "reno")
WRONG_TEXTS = ("", " ", "5", "-5 s", "nan s", "inf", "80 mbps", "80 MB/s", "3 KiB/s", "5 sec", "10 m", "5 M",
               "8 kbit", "3 MBit", "1e99 s", "1e-30 s", "1.5 packets", "0.5 bdp", "0 s", "0 B", "abc", "5 xs",
               "1 s s", "1,5 s", "9" * 90 + " s", "5 µs", "100 %", "150 %", "5 hours", "20 /min", "50 Hz", "7 /s",
               "1 Gb", "2 GB", "3 TB", "1 Tbit/s", "2 Tbit/s", "none", "until done", "max", "bulk", "x\ty", "“5 s”",
               "\u200b5 s", "5\u00a0s", "\uff15 s", "1e 3 s", "+5 s", ".5 s", "5. s", "1_000 s", "0x10 s", "min",
               "5 bits", "12 b", "3 MiBs", "flows[0]", "flows[7]", "flows[0", "\u0001")  # fmt: skip
WRONG_VALUES = ("5", "0", "-1", "1.5", "1e3", "nan", "inf", "-0.0", "true", "false", "[]", "{}", "[[]]", "[1, 2]",
                '["a", "b"]', '"a"', "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "100000000000000000000",
                "1000001", "1e16", '["5 s", 5, "5 s"]', "{ a = 1 }", '{ codel = 1, x = "y" }', "[true, 1]", "0b101",
                "1_000", "9" * 400, "3.141592653589793", '["1 s", "2 s"]', '["1 s", "1 s"]', '["10 %", "90 %"]',
                '[["a"], ["b"]]')  # fmt: skip
WISHES = ("fq_codel", "ecn", "reorder", "red", "background", "udp", "AQM", "trace", "link", "loss_model", "web",
          "bbr2", "L4S")  # fmt: skip
OPTIONS = ("bytes", "packets", "before", "after", "tbf", "htb", "router", "receiver", "return", "forward", "split",
         "fq", "none", "fqq", "Bytes", "summary", "series", "acks", "pcap", "device", "routers",
         "retrun", "sumary")  # fmt: skip
KEYS = ("rate", "rtt", "buffer", "duration", "cc", "count", "start", "stop", "workload", "rtts", "Rate", "seed",
        "flows", "host", "gro", "delay", "bandwidth", "window", "sample", "for_", "size", "mean", "qdisc", "initcwnd",
        "loss_rate", "name", "é")  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz_"


def specs(seed: int, right: int = 500, wrong: int = 400, broken: int = 100) -> list[str]:
    """So many specs of each kind; what is meant to be right is nearly always."""
    counts = {"right": right, "wrong": wrong, "broken": broken}
    draws = [
        Random(f"dumbbell specs {seed} {kind} {number}") for kind, count in counts.items() for number in range(count)
    ]
    texts = [written(spec(draw)) for draw in draws[:right]]
    texts += [_wrong(draw) for draw in draws[right : right + wrong]]
    texts += [_broken(draw) for draw in draws[right + wrong :]]
    return texts


def spec(draw: Random) -> Tree:
    """A spec that is meant to be right."""
    seconds = draw.choice((10, 20, 45, 300))
    tree: Tree = {}
    if draw.random() < 0.3:
        tree["name"] = _text(draw.choice(NAMES))
    done = draw.random() < 0.15
    tree["duration"] = _text("until done" if done else _time(draw, seconds))
    if done:
        tree["time_limit"] = _text(_time(draw, seconds))
    tree["path"] = _path(draw, seconds)
    tree["flows"] = [
        _flow(draw, seconds, finite=done, unnamed=index) for index in range(draw.choice((1, 1, 2, 2, 3, 5)))
    ]
    _maybe(draw, tree, 0.3, seeds=lambda: draw.choice(("3", "1", "[7, 8]", "[9223372036854775807, 0]", "20")))
    _maybe(draw, tree, 0.3, start_jitter=lambda: _swept(draw, lambda: _time(draw, draw.choice((0.1, 0.25, 0.5)))))
    _maybe(draw, tree, 0.3, rtt_spread=lambda: _swept(draw, lambda: _time(draw, draw.choice((0.001, 0.0005, 1)))))
    if draw.random() < 0.1:
        tree["alone"] = _text(f"flows[{draw.randrange(len(tree['flows']))}]")
    if draw.random() < 0.5:
        tree["host"] = _host(draw)
    if draw.random() < 0.5:
        tree["measure"] = _measure(draw, seconds, times=done)
    if draw.random() < 0.3:
        _zip(draw, tree)
    keys = list(tree)
    if draw.random() < 0.3:
        draw.shuffle(keys)
    return {key: tree[key] for key in keys}


def written(tree: Tree) -> str:
    """As TOML."""
    return "\n".join(_lines(tree)) + "\n"


def _lines(tree: Tree, name: str = "") -> Iterator[str]:
    tables = {key: value for key, value in tree.items() if isinstance(value, dict) and not value.get("")}
    lists = {key: value for key, value in tree.items() if isinstance(value, list)}
    for key, value in tree.items():
        if key and key not in tables and key not in lists:
            yield f"{_key(key)} = {inline(value)}"
    for key, table in tables.items():
        yield f"[{name}{_key(key)}]"
        yield from _lines(table, f"{name}{_key(key)}.")
    for key, entries in lists.items():
        for entry in entries:
            yield f"[[{name}{_key(key)}]]"
            yield from _lines(entry, f"{name}{_key(key)}.")


def inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {inline(each)}" for key, each in value.items() if key) + " }"
    return str(value)


def _key(key: str) -> str:
    return (
        key
        if key.isascii() and key.replace("_", "a").replace("-", "a").isalnum()
        else json.dumps(key, ensure_ascii=False)
    )


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(values)}]"


def _maybe(draw: Random, tree: Tree, share: float, **values: Callable[[], Any]) -> None:
    for key, value in values.items():
        if draw.random() < share:
            tree[key] = value()


def _swept(draw: Random, value: Callable[[], str], share: float = 0.12) -> str:
    """A value of text or, now and then, a list of different ones."""
    return _either(draw, lambda: _text(value()), share)


def _either(draw: Random, value: Callable[[], str], share: float = 0.12) -> str:
    if draw.random() >= share:
        return value()
    values = list(dict.fromkeys(value() for _ in range(draw.choice((1, 2, 3)))))
    return _list(values)


def _number(draw: Random, number: float) -> str:
    """A number in one of the forms that it may have."""
    plain = f"{number:.9f}".rstrip("0").rstrip(".")
    forms = [plain, plain, plain, f"{number:.3f}" if abs(round(number, 3) - number) < 1e-12 else plain, f"{number!r}"]
    if number >= 1 and number == int(number):
        forms += [f"{int(number)}e0", f"{number / 10!r}E+1", f"0{int(number)}", f"+{int(number)}", f"{int(number)}."]
    return draw.choice(forms)


def _quantity(draw: Random, number: float, unit: str) -> str:
    space = draw.choice((" ", " ", " ", "", "  "))
    around = draw.choice(("", "", "", "", " "))
    return f"{around}{_number(draw, number)}{space}{unit}{around}"


def _time(draw: Random, seconds: float) -> str:
    units = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9} | ({"min": 1 / 60} if seconds >= 60 else {})
    unit = draw.choice(list(units))
    return _quantity(draw, round(seconds * units[unit], 6), unit)


def _rate(draw: Random, mbit: float) -> str:
    unit, scale = draw.choice(
        (("Mbit/s", 1.0), ("kbit/s", 1e3), ("Gbit/s", 1e-3), ("mbit", 1.0), ("MBIT/s", 1.0), ("bit/s", 1e6))
    )
    return _quantity(draw, round(mbit * scale, 9), unit)


def _size(draw: Random, kb: float) -> str:
    unit, scale = draw.choice((("kB", 1.0), ("MB", 1e-3), ("B", 1e3), ("KiB", 1.0), ("MiB", 1e-3)))
    return _quantity(draw, round(kb * scale, 6), unit)


def _buffer(draw: Random, *, packets: bool) -> str:
    bdp = _quantity(draw, draw.choice((0.5, 1, 1.5, 2, 7.3)), draw.choice(("bdp", "BDP")))
    count = _quantity(draw, draw.choice((20, 100, 1000)), draw.choice(("packets", "packet", "Packets")))
    return draw.choice((bdp, count) if packets else (bdp, count, _size(draw, draw.choice((64, 100, 250.5, 2000)))))


def _path(draw: Random, seconds: float) -> Tree:
    packets = draw.random() < 0.15
    path: Tree = {
        "rate": _swept(draw, lambda: _rate(draw, draw.choice((5, 20, 80, 100, 123.456, 1000)))),
        "rtt": _swept(draw, lambda: _time(draw, draw.choice((0.005, 0.01, 0.025, 0.1, 0.0333)))),
        "buffer": _swept(draw, lambda: _buffer(draw, packets=packets)),
    }
    if packets:
        path["queue"] = '"packets"'
    receiver = draw.random() < 0.1
    if receiver:
        path["shaper_at"] = '"receiver"'
    _maybe(
        draw, path, 0.15,
        loss=lambda: _swept(draw, lambda: _quantity(draw, draw.choice((0.01, 0.1, 2, 0.0)), "%")),
        burst=lambda: _swept(draw, lambda: _size(draw, draw.choice((5, 20, 1.6)))),
        shaper=lambda: _swept(draw, lambda: draw.choice(("tbf", "htb"))),
        jitter=lambda: _swept(draw, lambda: draw.choice((_time(draw, 0.00005), "none", _quantity(draw, draw.choice((1,
        0.5, 2)), "packet")))),
        mtu=lambda: _either(draw, lambda: draw.choice(("1500", "9000", "576", "65535", "1_400"))),
        offload=lambda: draw.choice(("true", "false")),
    )  # fmt: skip
    if not receiver:
        _maybe(
            draw, path, 0.15,
            loss_at=lambda: _swept(draw, lambda: draw.choice(("before", "after"))),
            delay_side=lambda: _swept(draw, lambda: draw.choice(("return", "forward", "split"))),
        )  # fmt: skip
    if draw.random() < 0.2:
        moments = sorted(draw.sample(range(1, 10), draw.choice((1, 2, 3))))
        path["change"] = [
            {
                "at": _text(_time(draw, moment * seconds / 10)),
                "rate": _swept(draw, lambda: _rate(draw, draw.choice((10, 40, 60)))),
            }
            for moment in moments
        ]
    return path


def _flow(draw: Random, seconds: float, *, finite: bool, unnamed: int) -> Tree:
    flow: Tree = {"cc": _swept(draw, lambda: draw.choice(CCS), 0.2)}
    if draw.random() < 0.3:
        flow["name"] = _text(f"{draw.choice(NAMES)} {unnamed}" if draw.random() < 0.9 else draw.choice(NAMES))
    source = False
    if finite or draw.random() < 0.3:
        flow["workload"], source = _workload(draw, seconds, finite=finite)
    elif draw.random() < 0.1:
        flow["workload"] = '"bulk"'
    if not source:
        _maybe(draw, flow, 0.3, count=lambda: _either(draw, lambda: str(draw.choice((1, 2, 3, 4)))))
    _maybe(
        draw, flow, 0.2,
        start=lambda: _swept(draw, lambda: _time(draw, draw.choice((0, 1, 2, 0.5)))),
        stagger=lambda: _swept(draw, lambda: _time(draw, draw.choice((0, 0.5, 0.25)))),
        stop=lambda: _swept(draw, lambda: _time(draw, draw.choice((0.8, 0.9, 1.0)) * seconds)),
        rtt=lambda: _swept(draw, lambda: _time(draw, draw.choice((0.02, 0.05, 0.1)))),
    )  # fmt: skip
    if draw.random() < 0.15:
        flow["access"] = {
            "rate": _swept(draw, lambda: _rate(draw, draw.choice((100, 1000)))),
            "buffer": _text(draw.choice(("1 MB", "100 packets", "64 KiB"))),
            "": True,
        }
        _maybe(draw, flow["access"], 0.3, kind=lambda: draw.choice(('"device"', '"router"')))
    return flow


def _workload(draw: Random, seconds: float, *, finite: bool) -> tuple[Any, bool]:
    kind = draw.choice(("transfer", "transfer", "stream", "arrivals", "command", "trace", "list"))
    if kind == "transfer":
        return {"transfer": _swept(draw, lambda: _size(draw, draw.choice((100, 5000, 1)))), "": True}, False
    if kind == "stream":
        return {
            "stream": _text(_rate(draw, draw.choice((2.9168, 1, 0.5)))), "for": _text(_time(draw, seconds / 4)),
            "every": _swept(draw, lambda: _time(draw, draw.choice((0.04, 0.1, 0.02)))), "": True,
        }, False  # fmt: skip
    if kind == "command":
        command = draw.choice(
            ('["iperf3", "-p", "{port}"]', '["a", "{{x}}", "{seconds}"]', '[["a", "{receiver}"], ["b"]]')
        )
        server = {"server": '["iperf3", "-s", "-p", "{port}"]'} if "{port}" in command else {}
        user = draw.choice(({}, {}, {"user": '"root"'}, {"user": '"caller"'}, {"user": '["root", "caller"]'}))
        return {"command": command, **server, **user, "": True}, False
    if kind == "trace" and not finite:
        return {"trace": _text("no-such-file.csv"), "": True}, False
    if kind == "list":
        return _list(['{ transfer = "1 MB" }', '{ transfer = "2 MB" }', *(() if finite else ('"bulk"',))]), False
    return {"arrivals": _arrivals(draw, finite=finite), "size": _source_size(draw), "": True}, True


def _arrivals(draw: Random, *, finite: bool) -> Tree:
    how = draw.choice(
        (
            {"load": _either(draw, lambda: draw.choice(("0.5", "0.25", "1", f"{draw.uniform(0.01, 2):.3g}")))},
            {"rate": _text(draw.choice(("50 /s", "0.5/s", "33.3 /s")))},
        )
    )
    return {**how, **({"count": "100"} if finite or draw.random() < 0.3 else {})}


def _source_size(draw: Random) -> Any:
    size, sigma, shape = draw.randrange(1, 1000), draw.uniform(0.05, 3), draw.uniform(0.1, 4)
    return draw.choice((
        '"100 kB"', '["10 kB", "1 MB"]', f'{{ lognormal = {{ mean = "{size} kB", sigma = {sigma:.4g} }} }}',
        f'{{ lognormal = {{ median = "{size} kB", sigma = {sigma} }} }}',
        f'{{ pareto = {{ mean = "{size} kB", shape = {1.01 + shape} }} }}',
        '{ pareto = { minimum = "10 kB", shape = 1, maximum = "1 GB" } }',
        f'{{ pareto = {{ mean = "{size} kB", shape = {shape:.3g}, maximum = "100 MB" }} }}',
        '["5 kB", { lognormal = { mean = "9 kB", sigma = 1 } }]',
    ))  # fmt: skip


def _host(draw: Random) -> Tree:
    host: Tree = {}
    _maybe(
        draw, host, 0.3,
        socket_memory=lambda: _swept(draw, lambda: draw.choice(("max", "default", "16 MB", "4 MiB"))),
        receive_window=lambda: _swept(draw, lambda: _size(draw, draw.choice((3145, 500)))),
        initial_window=lambda: _either(draw, lambda: draw.choice(("10", "32", "4"))),
        qdisc=lambda: _swept(draw, lambda: draw.choice(("none", "fq"))),
        sack_compression=lambda: _either(draw, lambda: draw.choice(("true", "false"))),
        ack_aggregation=lambda: _swept(draw, lambda: _time(draw, 0)),
    )  # fmt: skip
    return host


def _measure(draw: Random, seconds: float, *, times: bool) -> Tree:
    measure: Tree = {}
    begin, end = draw.choice((0, 0.25, 0.5)), draw.choice((0.9, 1))
    shares = [_quantity(draw, 100 * begin, "%"), _quantity(draw, 100 * end, "%")]
    moments = [_time(draw, begin * seconds), _time(draw, end * seconds)]
    _maybe(
        draw, measure, 0.4,
        window=lambda: _list([_text(each) for each in (moments if times or draw.random() < 0.3 else shares)]),
        sample=lambda: _swept(draw, lambda: _time(draw, draw.choice((0.01, 0.05, 0.1)))),
        record=lambda: _swept(draw, lambda: draw.choice(("summary", "series", "acks"))),
        ss=lambda: _text(_time(draw, 0.1)),
    )  # fmt: skip
    return measure


def _zip(draw: Random, tree: Tree) -> None:
    """Makes two lists that vary together."""
    count = draw.choice((2, 3))
    tree["path"]["rate"] = _list([_text(f"{10 * (number + 1)} Mbit/s") for number in range(count)])
    tree["flows"][0]["cc"] = _list([_text(cc) for cc in draw.sample(CCS[:8], count)])
    bundle = ["path.rate", "flows[0].cc"]
    if draw.random() < 0.3:
        tree["path"]["rtt"] = _list([_text(f"{number + 5} ms") for number in range(count)])
        bundle.append("path.rtt")
    draw.shuffle(bundle)
    tree["zip"] = _list([_list([_text(path) for path in bundle])])


def _wrong(draw: Random) -> str:
    tree = spec(draw)
    for _ in range(draw.choice((1, 1, 2, 3, 4))):
        draw.choice(MISTAKES)(draw, tree)
    return written(tree)


def _tables(tree: Tree) -> list[Tree]:
    """Every table of a spec, itself first."""
    tables = [tree]
    for value in tree.values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                tables += _tables(each)
    return tables


def _place(draw: Random, tree: Tree) -> tuple[Tree, str]:
    """A table and one of its keys."""
    table = draw.choice([each for each in _tables(tree) if set(each) - {""}])
    return table, draw.choice([key for key in table if key])


def _leaf(draw: Random, tree: Tree) -> tuple[Tree, str]:
    """The same, of a key whose value is text."""
    tables = [each for each in _tables(tree) if any(key and isinstance(value, str) for key, value in each.items())]
    table = draw.choice(tables or [tree])
    keys = [key for key, value in table.items() if key and isinstance(value, str)]
    return table, draw.choice(keys or ["duration"])


def _other_value(draw: Random, tree: Tree) -> None:
    table, key = _place(draw, tree) if draw.random() < 0.2 else _leaf(draw, tree)
    table[key] = draw.choice(WRONG_VALUES)


def _other_text(draw: Random, tree: Tree) -> None:
    table, key = _leaf(draw, tree)
    text = draw.choice((*WRONG_TEXTS, *WISHES, *OPTIONS, draw.choice(WRONG_CCS), draw.choice(CCS)))
    table[key] = _list([_text(text), str(table[key])]) if draw.random() < 0.2 else _text(text)


def _renamed(draw: Random, tree: Tree) -> None:
    table, key = _place(draw, tree)
    place = draw.randrange(len(key))
    letter = draw.choice(LETTERS)
    changed = draw.choice(
        (
            key[:place] + key[place + 1 :],
            key[:place] + letter + key[place:],
            key.upper(),
            key[:place] + letter + key[place + 1 :],
        )
    )
    if changed and changed not in table:
        table[changed] = table.pop(key)


def _added(draw: Random, tree: Tree) -> None:
    table = draw.choice(_tables(tree))
    table.setdefault(draw.choice((*KEYS, *WISHES)), draw.choice((*WRONG_VALUES, '"5 s"', '"80 Mbit/s"')))


def _removed(draw: Random, tree: Tree) -> None:
    table, key = _place(draw, tree)
    del table[key]


def _other_cc(draw: Random, tree: Tree) -> None:
    for flow in _flows(tree)[:1]:
        names = [_text(draw.choice((*WRONG_CCS, *CCS))) for _ in range(draw.choice((1, 1, 2, 3)))]
        flow["cc"] = names[0] if len(names) == 1 else _list(names)


def _flows(tree: Tree) -> list[Tree]:
    flows = tree.get("flows")
    return [each for each in flows if isinstance(each, dict)] if isinstance(flows, list) else []


def _late(draw: Random, tree: Tree) -> None:
    for flow in _flows(tree)[-1:]:
        key = draw.choice(("start", "stop", "stagger"))
        flow[key] = _swept(draw, lambda: _time(draw, draw.choice((0, 1, 10, 20, 45, 300, 1000))), 0.4)
        if key == "stagger":
            flow["count"] = "5"


def _other_rule(draw: Random, tree: Tree) -> None:
    """What is right by itself and wrong beside the rest."""
    path = tree.get("path")
    path = path if isinstance(path, dict) else {}
    for table, key, value in draw.sample((
        (tree, "duration", '"until done"'), (tree, "duration", '["10 s", "until done"]'), (tree, "time_limit", '"5 s"'),
        (tree, "alone", '"flows[9]"'), (tree, "alone", '["flows[0]", "flows[1]"]'), (tree, "alone", '"flow 1"'),
        (tree, "seeds", "[1, 2, 1]"), (tree, "seeds", "[]"), (tree, "seeds", "[-1, 5.0]"), (tree, "seeds", "0"),
        (tree, "start_jitter", '["1 s", "500 s"]'), (tree, "zip", '[["path.rate", "path.rtt"]]'), (tree, "zip",
        '[["path.rate"]]'),
        (tree, "zip", '[["path.rate", "path.rate"]]'), (tree, "zip", '[["path.rat", "flows[0].cc"], []]'), (tree,
        "zip", "[[1]]"),
        (tree, "measure", {"window": draw.choice(('["50 %", "20 %"]', '["5 s", "1000 s"]', '["1 s", "1 s"]', '["5 s"]',
        '["1", "2", "3"]'))}),
        (tree, "measure", {"sample": draw.choice(('"1 us"', '"1000 s"', '["10 ms", "9 s"]')),
        "window": '["9 s", "10 s"]'}),
        (path, "queue", '"packets"'), (path, "queue", '["bytes", "packets"]'), (path, "shaper_at", '"receiver"'),
        (path, "buffer", draw.choice(('"1000 B"', '"1 kB"', '"0.001 bdp"', '"100000 bdp"', '"0 packets"',
        '["1 kB", "1 MB"]'))),
        (path, "buffer", '["100 kB", "0.1 MB", "100 kB"]'), (path, "jitter", '["1000000 packets", "1 packet", "0 s"]'),
        (path, "change", [{"at": '"0 s"', "rate": '"1 Mbit/s"'}, {"at": '"9 s"', "rate": '"1 Mbit/s"'}, {"at": '"5 s"',
        "rate": '"1 Mbit/s"'}]),
        (path, "rtt", _list([_text(f"{number} ms") for number in range(1, 40)])),
        (tree, "host", {"gro": "true", "ack_aggregation": '["0 s", "1 ms"]', "qdisc": '"fqcodel"'}),
    ), 2):  # fmt: skip
        table[key] = value


def _other_workload(draw: Random, tree: Tree) -> None:
    for flow in _flows(tree)[:1]:
        flow["workload"] = draw.choice((
            "{}", '"bulky"', "[]", '{ transfer = "1 MB", stream = "1 Mbit/s" }', "{ transfer = 5 }",
            '[{ transfer = "1 MB" }, { transfer = "1 MB" }]', '[{ transfer = ["1 MB", "2 MB"] }, "bulk"]',
            '{ stream = "1 Mbit/s" }', '{ stream = "1 Mbit/s", for = "1 s", every = "2 s" }',
            '{ stream = "1 Tbit/s", for = "1000000 s", every = "1 us" }',
            '{ stream = "10 bit/s", for = "5 s", every = "1 ms" }', "{ arrivals = {} }",
            '{ arrivals = { load = 0 }, size = "1 kB" }', '{ arrivals = { load = 0.5, rate = "5 /s" } }',
            '{ arrivals = { rate = "10000000 /s" }, size = "1 B" }',
            "{ arrivals = { load = 10 }, size = { lognormal = { sigma = 1 } } }",
            '{ arrivals = { load = 9.5 }, size = ["1 B", { pareto = { mean = "2 kB", shape = 0.9 } }] }',
            "{ arrivals = 5, size = 5 }",
            '{ arrivals = { load = 1 }, size = {pareto = { mean = "2 B", minimum = "9 B", shape = 2, maximum="1 B"}}}',
            '{ arrivals = { load = 10 }, size = { pareto = { mean = "100 B", shape = 1.5, maximum = "1 MB" } } }',
            '{ arrivals = { load = nan }, size = { cdf = "x.csv" } }',
            '{ arrivals = { trace = ["a.csv", ""] }, size = {} }',
            '{ arrivals = { trace = "a.csv", count = 0 }, size = { zipf = 1 } }', "{ command = [] }",
            '{ command = ["a", "", "{x}", "{", 5] }', '{ command = ["{port}"], server = ["a"] }',
            '{ command = ["{seconds}"], servers = [] }', '{ command = [["a"], [], "b"] }',
            '{ command = "iperf3 -c {receiver}" }', '{ command = ["a"], user = "nobody" }',
            '{ trace = "" }', "{ trace = 5 }", '{ udp = "5 Mbit/s" }',
            "{ a = 1, b = 2 }", '[["bulk"]]',
        ))  # fmt: skip
        flow["count"] = draw.choice(("1", "2", "100001", "[1, 2]", "[2, 2]"))


def _more_flows(draw: Random, tree: Tree) -> None:
    flows = tree.get("flows")
    if isinstance(flows, list):
        count = draw.choice(("1", "3", "60000", "[1, 3]"))
        flows += [
            {"cc": '"bbr"', "name": _text(name), "count": count}
            for name in draw.choices((*NAMES, " x", "a" * 101, ""), k=2)
        ]


MISTAKES = (_other_value, _other_value, _other_text, _other_text, _other_text, _renamed, _added, _removed, _other_cc,
            _late, _other_rule, _other_rule, _other_workload, _more_flows)  # fmt: skip


def _broken(draw: Random) -> str:
    text = written(spec(draw))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        place = draw.randrange(len(text))
        sign = draw.choice("\"'[]{}=#,.\\\n\t-+_: \x00\x7fé😀0aZ")
        lines = text.split("\n")
        text = draw.choice((
            text[:place] + text[place + 1 :], text[:place] + sign + text[place:],
            text[:place] + sign + text[place + 1 :], text[:place],
            "\n".join([*lines, draw.choice(lines)]), text.replace("\n", "\r\n", draw.choice((1, -1))),
            text.replace(" = ", sign, 1),
            text + draw.choice(("[path]\n", "[[path]]\n", "[flows]\n", "a.b = 1\na = 2\n", 'x = """a\n"\n',
                "x = '''\n", "d = 2024-02-30\n", 'e = "\\u00"\n', 'e = "\\q"\n', "n = 01\n", "n = 1__0\n", "f = 1.\n",
                "t = 25:00:00\n", "b = truth\n", "l = [1,,2]\n", "i = { a = 1, }\n", "i = { a = 1\n b = 2 }\n",
                "[a.b.c]\n[a]\nb = 1\n", "= 1\n", "[]\n", "[a\n", "a b = 1\n", '"" = 1\n', "x = " + "[" * 50 + "\n",
                "n = " + "9" * 5000 + "\n", 'e = "\\U00110000"\n', "é = 1\n", "# \x01\n", "k = 0xg\n", "s = 'a\tb'\n",
                "z = {a.b=1,a.b=2}\n")),
        ))  # fmt: skip
    return text if "\n" in text else text + "\n"
