"""Single lines of a spec that put it outside of what was validated; `run` and the page say the same of them."""

from __future__ import annotations

OUTSIDE = {
    'rate = "2 Gbit/s"': "rate 2000 Mbit/s, not 5 to 1000 Mbit/s",
    'rtt = "400 ms"': "RTT 400 ms, not 5 to 200 ms",
    'buffer = "80 bdp"': "buffer 80 BDP, not ",
    'loss = "30 %"': "random loss 30 %, not 2 to 20 %",
    'jitter = "1 ms"': "path.jitter = 1 ms",
    'link = "geo"': "path.link = geo",
    'loss = { gilbert_elliott = { loss = "9 %", burst = 5 } }': "path.loss.gilbert_elliott.loss = 9 %",
    'loss = { gilbert_elliott = { p = "1 %", r = "20 %" } }': "path.loss.gilbert_elliott.p = 1 %",
    'reorder = { share = "20 %", by = "15 ms" }': "path.reorder.share = 20 %",
    'duplicate = "20 %"': "path.duplicate = 20 %",
    "ack_filter = true": "path.ack_filter = true",
    'aggregation = "80 ms"': "path.aggregation = 80 ms",
    'change = [{ at = "2 s", rate = "1 Gbit/s" }]': "path.change: rate = 1 Gbit/s",
    'change = [{ at = "2 s", loss = "1 %", rtt = "30 ms" }]': "random loss that changes",
    'change = [{ at = "2 s", rate = "0 bit/s", over = "1 s" }]': "changes that take time",
    'back = { rate = "9 Mbit/s", buffer = "50 packets", loss = "1 %" }': "path.back.loss = 1 %",
    'back = { rate = "9 Mbit/s", buffer = "50 packets", change = [{ at = "2 s", rate = "1 Mbit/s" }] }': (
        "[[path.back.change]]"
    ),
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
