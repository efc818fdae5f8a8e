from __future__ import annotations

import tomllib

import pytest

from commandline import MOMENT, ROOT
from dumbbell.spec import load
from dumbbell.spec.writer import toml

EVERYTHING = """
name = "a \\"name\\" \u2014 with more"
duration = "until done"
time_limit = "60 s"
seeds = [1, 5]
zip = [["path.rate", "path.buffer"]]
[path]
rate = ["80 Mbit/s", "40 Mbit/s"]
rtt = "25 ms"
buffer = ["1 bdp", "2 bdp"]
offload = false
[[path.change]]
at = "20 s"
rate = "20 Mbit/s"
[[path.change]]
at = "30 s"
rate = "80 Mbit/s"
[[flows]]
cc = ["bbr", "bbr[cwnd_gain=1.5]"]
workload = { transfer = "1 MB" }
access = { rate = "1 Gbit/s", buffer = "1 MB" }
[[flows]]
cc = "cubic"
workload = [{ transfer = "1 MB" }, "bulk"]
[measure]
window = ["5 s", "20 s"]
"""


@pytest.mark.parametrize(
    "spec", [MOMENT, EVERYTHING, (ROOT / "examples" / "two-flows.toml").read_text(encoding="utf-8")]
)
def test_it_says_the_same(spec: str) -> None:
    words = load(spec).words()
    written = toml(words)
    assert tomllib.loads(written) == words
    assert load(written).words() == words


def test_every_table_of_flows_and_of_changes_has_a_header() -> None:
    written = toml(load(EVERYTHING).words())
    assert written.count("\n[[flows]]\n") == 2
    assert written.count("\n[[path.change]]\n") == 2
