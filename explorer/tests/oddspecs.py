"""Specs that random ones do not come upon: large sweeps, names that JavaScript knows, numbers at their ends."""

from __future__ import annotations

from collections.abc import Callable

START = 'duration = "9 s"\n'
PLAIN = f'{START}[path]\nrate = "1 Mbit/s"\nrtt = "9 ms"\nbuffer = "9 kB"\n'
BBR = '[[flows]]\ncc = "bbr"\n'
FLOW = f"{PLAIN}{BBR}"


def _array(count: int, value: Callable[[int], str]) -> str:
    return f"[{', '.join(value(number) for number in range(count))}]"


def _grid(rates: int, rtts: int, buffers: int) -> str:
    rate = _array(rates, lambda number: f'"{number + 1} Mbit/s"')
    rtt = _array(rtts, lambda number: f'"{number + 1} ms"')
    buffer = _array(buffers, lambda number: f'"{number + 1} kB"')
    return f"[path]\nrate = {rate}\nrtt = {rtt}\nbuffer = {buffer}\n"


def _source(fields: str) -> str:
    return f"{FLOW}workload = {{ {fields} }}\n"


STARTS = _array(6, lambda number: f'"{number + 5} s"')
LARGE = (
    f"{START}{_grid(200, 30, 20)}" + f"{BBR}count = 3\n" * 40,
    f'{START}{_grid(300, 300, 20)}[[flows]]\ncc = ["bbr", "cubic"]\n',
    (
        f"{START}seeds = 1000\n{_grid(1, 1, 9)}{BBR}start = {STARTS}\n"
        'stop = ["5 s", "20 s"]\n[measure]\nwindow = ["5 s", "8 s"]\nsample = ["1 s", "4 s"]\n'
    ),
)
NAMES = (
    f'{FLOW}name = "a-2"\n{BBR}name = "a"\ncount = 3\n{BBR}name = "a"\n{BBR}name = "bbr-2"\n{BBR}count = 4\n{BBR}',
    f'{FLOW}name = "bbr-2"\n{BBR}count = 4\n[[flows]]\ncc = "bbr[cwnd_gain=1]"\n{BBR}name = "bbr-9"\ncount = 9\n{BBR}',
)
JAVASCRIPT = (
    f"{FLOW}__proto__ = 1\nconstructor = 2\n",
    f'{PLAIN}[[flows]]\ncc = "constructor"\n',
    f'{PLAIN}[[flows]]\ncc = "bbr[constructor=1]"\n',
    f'{PLAIN}__proto__ = "1 s"\n[[flows]]\ncc = "__proto__"\nworkload = {{ __proto__ = 1 }}\n',
    f'{PLAIN}[[flows]]\ncc = "toString"\nworkload = {{ valueOf = 1 }}\nstart = "5 constructor"\n',
    _source('command = ["{constructor}"]'),
    f"{PLAIN}with = 2\nwritten = 3\n{BBR}",
    f'{PLAIN}"a b" = 1\n"é" = 2\n"\\u0001" = 3\n"" = 4\n{BBR}',
)
PLACES = (
    "name = 1\n",
    "\n",
    "path = 5\nflows = []\nduration = []\n",
    'flows = [{ cc = "bbrr" }, 1]\nduration = "1 s"\npath = { rate = "1 Mbit/s", rtt = "1 ms", buffer = "1 bdp" }\n',
    (
        f'{PLAIN}[[path.change]]\nat = ["1 s", "2 s"]\nrate = "1 Mbit/s"\n[[path.change]]\nat = "1.5 s"\n'
        f'rate = "2 Mbit/s"\n{BBR}'
    ),
)
ZIPS = (
    (
        f'zip = [["path.rate", "flows[0].rtt"], ["path.buffer", "path.rtt"]]\n{START}{_grid(2, 3, 2)}{BBR}'
        'rtt = ["8 ms", "x"]\n'
    ),
    (
        f'zip = [["path.rate", "path.buffer"], ["path.rtt", "flows[0].cc"]]\n{START}{_grid(2, 3, 2)}[[flows]]\n'
        'cc = ["bbr", "cubic", "reno"]\ncount = [1, 2]\n'
    ),
    (
        f'zip = [["path.rate", "path.buffer"]]\n{START}[path]\nrate = ["1 Mbit/s", "1 Mbit/s"]\nrtt = "9 ms"\n'
        f'buffer = ["9 kB", "9 kB"]\n{BBR}'
    ),
)
WORKLOADS = (
    f'{FLOW}workload = ["bulk", {{ stream = "1 Mbit/s", for = "1 s", every = "40 ms" }}]\n',
    f'{FLOW}workload = [{{ stream = ["1 Mbit/s", "2 Mbit/s"], for = "1 s", every = "40 ms" }}]\n',
    f'{FLOW}count = 100001\nworkload = {{ stream = "1 Mbit/s", for = "1 s", every = "2 s" }}\n',
    _source('arrivals = { rate = "10000000 /s" }, size = "1 B"'),
    _source('arrivals = { load = 9.5 }, size = { lognormal = { mean = "1 B", sigma = 0.5 } }'),
    _source(
        "arrivals = { load = [0.5, 1], count = [1, 2] }, "
        'size = ["1 kB", { cdf = ["a.csv", "b.csv"] }, { pareto = { mean = "1 kB", shape = [1, 2] } }]'
    ),
    *(
        f'duration = "1000000 s"\n[path]\nrate = "1 Tbit/s"\nrtt = "9 ms"\nbuffer = "9 MB"\n{BBR}'
        f"workload = {{ arrivals = {{ load = 0.3 }}, size = {{ {size} }} }}\n"
        for size in (
            'lognormal = { median = "1 kB", sigma = 0.5 }',
            'pareto = { mean = "20 kB", shape = 1.1, maximum = "1 MB" }',
            'pareto = { minimum = "20 kB", shape = 1, maximum = "1 MB" }',
            'pareto = { mean = "20 kB", shape = 1.7 }',
        )
    ),
)
BOUNDS = (
    f"{PLAIN}mtu = 9223372036854775808\n{BBR}",
    (
        f'{PLAIN}jitter = "1 packet"\nmtu = [576, 9000]\n{BBR}'
        'access = [{ rate = "1 Gbit/s", buffer = "1 bdp" }, { rate = "1 Gbit/s", buffer = "1 kB" }]\n'
    ),
    (
        f'{FLOW}access = [{{ rate = "1 Gbit/s", buffer = "1 MB" }}, {{ rate = "1 Gbit/s", buffer = "1 packets" }}]\n'
        '[host]\nsocket_memory = ["max", "1 kB"]\n'
    ),
    f'{FLOW}[measure]\nwindow = ["25.0000001 %", "33.3333333333 %"]\nss = "100 ms"\nrecord = "pcap"\n',
)
NUMBERS = tuple(
    f'{START}[path]\nrate = "{number} {rate}"\nrtt = "{number} hz"\nbuffer = "{number} {size}"\n{BBR}'
    f'workload = {{ arrivals = {{ rate = "{number} {frequency}" }}, size = "{number}" }}\n'
    for number in (
        "1e9999999", "1e-9999999", "0e9999999", "0e-9999999", "1e99999999999999999999", "999999999999999.9", "1e15",
        "1e-15", "9e-16", "0.0000000000000010", "1.23456789012345678901234567890123456789", "12e3", "0",
    )
    for rate, size, frequency in (("MB/s", "kbit", "hz"), ("TiB", "b", "/min"), ("KiB/s", "Mbit", "/ms"))
)  # fmt: skip
ODD = (*LARGE, *NAMES, *JAVASCRIPT, *PLACES, *ZIPS, *WORKLOADS, *BOUNDS, *NUMBERS)
