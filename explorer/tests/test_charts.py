"""The page draws what the package draws of the same run, and its numbers are the package's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from charts import differences, of_package, structure
from dumbbell.explorer.page import tables
from dumbbell.explorer.skeletons import skeletons
from webtab import typed

TOLERANCE = 1e-9
PATH = '[path]\nrate = "10 Mbit/s"\nrtt = "40 ms"\nbuffer = "1 bdp"\n'
SOURCE = (
    '[[flows]]\nname = "web"\ncc = "cubic"\n[flows.workload]\narrivals = {{ load = {load} }}\n'
    'size = {{ pareto = {{ mean = "50 kB", shape = 1.3, maximum = "5 MB" }} }}\n'
)
NETWORK = (
    '[path]\nrtt = "40 ms"\n[path.back]\nrate = "5 Mbit/s"\nbuffer = "30 packets"\nloss = "0.1 %"\n'
    '[[hops]]\nname = "first"\nrate = "12 Mbit/s"\nbuffer = "1 bdp"\ndelay = "5 ms"\n'
    '[[hops]]\nname = "second"\nrate = "10 Mbit/s"\nbuffer = "40 ms"\n'
    '[[hops.change]]\nat = "4 s"\nrate = "6 Mbit/s"\n'
)
UP = '[[flows]]\nname = "up"\ncc = "cubic"\ndirection = "up"\n'
SPECS = {
    "two flows over two seeds": 'seeds = 2\nduration = "20 s"\nstart_jitter = "100 ms"\n'
    + PATH + '[[flows]]\ncc = "bbr"\n[[flows]]\ncc = "cubic"\n',
    "one flow, sampled finely": 'duration = "3 s"\n' + PATH + '[[flows]]\ncc = "reno"\n[measure]\nsample = "2 ms"\n',
    "named flows, one of which starts late": 'duration = "30 s"\n' + PATH
    + '[[flows]]\nname = "near"\ncc = "cubic"\n'
    + '[[flows]]\nname = "far"\ncc = "bbr_1_5"\nrtt = "80 ms"\nstart = "12 s"\n',
    "groups of which one has two flows": 'duration = "20 s"\n' + PATH
    + '[[flows]]\ncc = "bbr"\ncount = 2\n[[flows]]\ncc = "cubic"\nstop = "15 s"\n',
    "more flows than are drawn one by one": 'duration = "20 s"\n' + PATH
    + '[[flows]]\ncc = "bbr"\ncount = 3\n[[flows]]\ncc = "cubic"\ncount = 4\nstart = "1 s"\nstagger = "500 ms"\n'
    + '[[flows]]\ncc = "reno"\n',
    "a transfer that ends before the run": 'duration = "until done"\ntime_limit = "60 s"\n' + PATH
    + 'overhead = "38 B"\n[[flows]]\ncc = "cubic"\nworkload = { transfer = "2 MB" }\n',
    "random loss and a window": 'duration = "20 s"\n' + PATH + 'loss = "1 %"\n'
    + '[[flows]]\ncc = "bbr[cwnd_gain=1.5]"\n[[flows]]\ncc = "reno"\n[measure]\nwindow = ["25 %", "90 %"]\n',
    "a line whose rate changes": 'duration = "20 s"\n' + PATH + '[[path.change]]\nat = "8 s"\nrate = "4 Mbit/s"\n'
    + '[[flows]]\ncc = "bbr"\n',
    "short flows beside a transfer": 'duration = "20 s"\nseeds = 2\n' + PATH + SOURCE.format(load=0.3)
    + '[[flows]]\ncc = "bbr"\nworkload = { transfer = "2 MB" }\n[measure]\nwindow = ["20 %", "60 %"]\n',
    "more short flows than the line carries": 'duration = "10 s"\n' + PATH + SOURCE.format(load=1.5),
    "short flows of which none arrives": 'duration = "2 s"\n' + PATH + SOURCE.format(load=0.0001)
    + '[[flows]]\ncc = "reno"\n',
    "queues in a row and one on the way back": 'duration = "10 s"\nseeds = 2\n' + NETWORK + UP
    + '[[flows]]\ncc = "cubic"\nroute = ["second"]\n[[flows]]\nname = "all"\ncc = "bbr"\n',
    "a queue that drops and marks": 'duration = "8 s"\n' + PATH + 'qdisc = "fq_codel"\n'
    + '[[flows]]\ncc = "bbr"\n[[flows]]\ncc = "cubic"\necn = true\n',
    "a queue on the way back of a plain path": 'duration = "10 s"\n' + PATH
    + '[path.back]\nrate = "400 kbit/s"\nbuffer = "20 packets"\n' + '[[flows]]\ncc = "cubic"\ncount = 2\n',
}  # fmt: skip


@pytest.fixture(scope="module")
def pages(in_node: Any) -> dict[str, Any]:
    """What the page's modules make of each spec's runs."""
    answers = in_node("charts.mjs", tables=tables(), skeletons=skeletons(), texts=list(SPECS.values()))
    return dict(zip(SPECS, answers, strict=True))


@pytest.fixture(params=SPECS)
def both(
    request: pytest.FixtureRequest, pages: dict[str, Any], tmp_path: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the package and the page make of one spec."""
    return of_package(SPECS[request.param], tmp_path / "store"), pages[request.param]


def test_charts_and_numbers_of_a_run_are_alike(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    package, page = both
    assert len(package["runs"]) == len(page["runs"]) > 0
    for ours, theirs in zip(package["runs"], page["runs"], strict=True):
        # The page has fewer numbers in its summary, and as many in everything else.
        assert list(differences(ours["summary"], theirs["summary"], TOLERANCE)) == []
        assert list(differences(ours["lines"], theirs["lines"], TOLERANCE)) == []
        assert structure(ours["chart"]) == structure(theirs["chart"])
    assert package["fair"].keys() == page["fair"].keys()
    assert list(differences(package["fair"], page["fair"], TOLERANCE)) == []
    assert list(differences(package["goodput"], page["goodput"], TOLERANCE)) == []


KEYS = "[...document.querySelectorAll('#phases .strip:not(.drops)')].map((it) => it.style.getPropertyValue('--mark'))"
LINES = """() => {
  const { concat: [throughput], usermeta } = explorer.picture.spec;
  const lines = throughput.layer.filter(({ data }) => data?.name)
    .map(({ layer }) => (layer[0].layer ?? layer)[0].mark.color);
  return Object.fromEntries(usermeta.panels[0].layers.map((label, at) => [label, lines[at]]));
}"""


@pytest.mark.parametrize("count", [1, 4])
def test_the_strip_of_each_flow_has_the_look_of_its_line(page: Any, count: int) -> None:
    """Of its group's line, where there are too many flows to be drawn one by one."""
    names = ("far", "near", "there")
    spec = 'duration = "20 s"\n' + PATH
    spec += "".join(
        f'[[flows]]\ncc = "{cc}"\nname = "{name}"\ncount = {count}\n'
        for cc, name in zip(("bbr", "cubic", "bbr"), names, strict=True)
    )
    assert typed(page, spec) == "ready"
    looks = page.evaluate(LINES)
    keys = page.evaluate(KEYS)
    lines = [next(colour for label, colour in looks.items() if f"{name} (" in label) for name in names]
    assert keys == [line for line in lines for _ in range(count)][: len(keys)]
    assert len(keys) >= len(names)
    assert len(set(lines)) == len(names)
    assert page.locator("#phases .strip small svg path").count() == len(keys)


def test_the_strip_of_a_flow_says_what_its_algorithm_has_when_a_phase_begins(page: Any) -> None:
    spec = 'duration = "10 s"\n' + PATH + '[[flows]]\ncc = "bbr3"\n[[flows]]\ncc = "reno"\n'
    assert typed(page, spec) == "ready"
    titles = page.locator("#phases .strip span").evaluate_all("spans => spans.map((it) => it.title)")
    known = [dict.fromkeys(word.rsplit(" ", 2)[0] for word in title.split("at first ")[1].split(", "))
             for title in titles if "at first" in title]  # fmt: skip
    version_3 = [each for each in known if "bw_hi" in each]
    assert len(version_3) >= 5
    assert {"bandwidth", "minimum RTT", "pacing rate"} <= set(version_3[-1])
    assert any("inflight_hi" in each for each in version_3), "Reno's losses set bounds"
    reno = next(each for each in known if "bw_hi" not in each)
    assert set(reno) == {"ssthresh"}
