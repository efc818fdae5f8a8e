"""Single lines of a spec that put it outside of what was validated; `run` and the page say the same of them."""

from __future__ import annotations

OUTSIDE = {
    'rate = "2 Gbit/s"': "rate 2000 Mbit/s, not 5 to 1000 Mbit/s",
    'rtt = "400 ms"': "RTT 400 ms, not 5 to 200 ms",
    'buffer = "80 bdp"': "buffer 80 BDP, not ",
    'loss = "30 %"': "random loss 30 %, not 2 to 20 %",
    'jitter = "1 ms"': "path.jitter = 1 ms",
    'cc = "bbr[cwnd_gain=1.5]"': "constants of bbr",
    "count = 400": "flows: 400, not 9 to 200",
    'workload = { stream = "3 Mbit/s", for = "5 s", every = "40 ms" }': "flows[0].workload.stream = 3 Mbit/s",
}
"""Line of a spec: what is said of it."""


def spec_with(line: str) -> str:
    """A spec within what was validated, but for this line of `OUTSIDE`, as TOML."""
    key, _, value = line.partition(" = ")
    path = {"rate": '"80 Mbit/s"', "rtt": '"25 ms"', "buffer": '"1 bdp"'}
    flow = {"cc": '"bbr"'}
    (flow if key in {"cc", "count", "workload"} else path)[key] = value
    tables = ("\n".join(f"{name} = {text}" for name, text in table.items()) for table in (path, flow))
    return 'duration = "5 s"\n[path]\n{}\n[[flows]]\n{}\n'.format(*tables)
