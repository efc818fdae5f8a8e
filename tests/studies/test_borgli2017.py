"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.metrics.fairness import jain
from dumbbell.studies.borgli2017.claims import PACKET_BYTES, QUEUE
from dumbbell.studies.evidence import Evidence, Observed, Trial
from observed import frame, observed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.studies import Study, Verdict

CLAIMS = tuple(f"B{number}" for number in range(1, 23))
PACKETS = (13, 26, 39, 52, 55, 63, 80, 105, 130, 160, 189, 207)
SIX = (13, 39, 55, 80, 130, 207)
SIZES = {packets: f"{packets * PACKET_BYTES / 1000:g} kB" for packets in PACKETS}
WINDOW_S = (0.0, 300.0)
JOIN_S = 60.0
SEEDS = (1, 2)
FAIRNESS = {
    "c2": dict.fromkeys(PACKETS, 0.99),
    "b2": dict(zip(PACKETS, (0.99, 0.98) * 3 + (0.99, 0.8) * 3, strict=True)),
    "c1b1": dict(zip(PACKETS, (0.6, 0.7, 0.85, 0.98, 0.99, 0.97, 0.93, 0.9, 0.86, 0.83, 0.8, 0.78), strict=True)),
    "c2b2": dict(zip(PACKETS, (0.6, 0.62, 0.65, 0.7, 0.72, 0.75, 0.8, 0.86, 0.92, 0.97, 0.99, 0.98), strict=True)),
}
GOODPUT = {"b1": 9.3, "c1": 9.5}
LOSS = {
    "b1": dict(zip(PACKETS, (3.0, 2.5, 2.0, 1.6, 1.5, 1.2, 0.6, 0.0, 0.0, 0.0, 0.0, 0.0), strict=True)),
    "c1": dict(zip(PACKETS, (0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26), strict=True)),
}
RTT_MS = {"figure8": {63: 150.0, 189: 180.0}, "figure8_cubic": {63: 170.0, 189: 380.0}}


@pytest.fixture(scope="module")
def borgli() -> Study:
    return studies.load("borgli2017")


def verdict_of(study: Study, claim: str, evidence: Evidence) -> Verdict:
    asked = replace(study, claims=tuple(each for each in study.claims if each.id == claim), variants=("bbr",))
    (found,) = asked.verdicts(evidence)
    return found


def test_every_claim_of_the_reference_is_judged(borgli: Study) -> None:
    assert tuple(claim.id for claim in borgli.claims) == CLAIMS
    assert not [claim.id for claim in borgli.claims if claim.untestable]


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_was_published_reproduces_a_claim(borgli: Study, claim: str) -> None:
    found = verdict_of(borgli, claim, as_published())
    assert found.verdict == "reproduced", found.reason


WRONG: list[tuple[str, dict[str, Any], str, float | None]] = [
    ("B1", {"shared_after_s": {"join_cubic": 15.0}}, "time until two CUBIC flows share", 16.1),
    ("B1", {"shared_after_s": {"join_cubic": 110.0}}, "time until two CUBIC flows share", 111.1),
    ("B1", {"shared_after_s": {"join_cubic": 1000.0}}, "time until two CUBIC flows share", None),
    ("B2", {"shared_after_s": {"join": 16.0}}, "time until two BBR flows share", None),
    ("B2", {"shared_after_s": {"join": 13.0, "join_cubic": 25.0}}, "that time over CUBIC's", 14.1 / 26.1),
    (
        "B3",
        {"kept": {"join": 4.5, "join_cubic": 4.0}},
        "throughput that CUBIC's incumbent keeps more than BBR's, at worst",
        -0.5,
    ),
    ("B4", {"fairness": {"c2": {207: 0.94}}}, "smallest Jain index from 26 packets on", 0.94),
    ("B4", {"fairness": {"c2": {13: 0.89}}}, "Jain's index at 13 packets", 0.89),
    (
        "B5",
        {"fairness": {"b2": {105: 0.9, 160: 0.9, 207: 0.9, 80: 0.9, 130: 0.9, 189: 0.9}}},
        "spread of Jain's index, long queues less short ones",
        None,
    ),
    ("B6", {"fairness": {"c1b1": {80: 0.99, 105: 0.995, 130: 1.0}}}, "fairest queue", 130 * 2900 / 103750),
    ("B6", {"fairness": {"c1b1": {26: 1.0, 39: 0.99}}}, "fairest queue", 26 * 2900 / 103750),
    ("B6", {"fairness": {"c1b1": {52: 0.9, 55: 0.94, 63: 0.93}}}, "Jain's index there", 0.94),
    ("B6", {"fairness": {"c1b1": {189: 0.95}}}, "one peak (1) or not (0)", 0.0),
    ("B7", {"shares": {13: 64.0}}, "BBR's share at 13 packets", 64.0),
    ("B8", {"shares": {207: 46.0}}, "CUBIC's share at 207 packets", 54.0),
    ("B9", {"fairness": {"c2b2": {55: 1.0}}}, "fairest queue of 2 + 2 flows less that of 1 + 1", 0.0),
    ("B10", {"beside": {1: (6.5, 3.0)}}, "Jain's index beside one CUBIC flow", 9.5**2 / 2 / (6.5**2 + 9)),
    ("B11", {"beside": {4: (3.0, 1.6)}}, "Jain's index beside four CUBIC flows", None),
    ("B11", {"beside": {4: (7.0, 0.6)}}, "Jain's index beside four CUBIC flows", None),
    ("B11", {"beside": {1: (6.5, 3.0)}}, "change of BBR's share", 100 * (6.5 / 9.5 - 5 / 9.4)),
    ("B11", {"uneven": True}, "BBR's goodput over the largest CUBIC flow's", 5 / 3),
    ("B12", {"goodput": {"b1": 9.6}}, "queues in which BBR has less", 0.0),
    ("B12", {"goodput": {"b1": 8.62}}, "largest gap", 100 * (1 - 8.62 / 9.5)),
    ("B13", {"totals": {"crowd": {6: 8.9}}}, "smallest step of the total, BBR flows", None),
    ("B13", {"totals": {"crowd_cubic": {3: 8.9}}}, "smallest step of the total, CUBIC flows", None),
    ("B13", {"totals": {"crowd": {6: 9.4, 8: 9.3}}}, "total of eight BBR flows over capacity", None),
    ("B13", {"totals": {"crowd_cubic": {6: 9.4, 8: 9.3}}}, "total of eight CUBIC flows over capacity", None),
    ("B14", {"swing": {"b1": 0.0}}, "queues in which BBR varies more", 0.0),
    ("B14", {"swing": {"b1": 0.05}, "late": True}, "queues in which BBR varies more from 10 s on", 0.0),
    ("B15", {"rtt_ms": {"figure8_cubic": {63: 190.0}}}, "difference of the median RTTs at 63 packets", 100 * 40 / 150),
    ("B16", {"rtt_ms": {"figure8_cubic": {189: 290.0}}}, "CUBIC's median RTT less BBR's at 189 packets", 110.0),
    ("B16", {"rtt_ms": {"figure8_cubic": {189: 590.0}}}, "CUBIC's median RTT less BBR's at 189 packets", 410.0),
    ("B17", {"rtt_ms": {"figure8": {189: 201.0}}}, "BBR's median RTT at 189 packets", 201.0),
    ("B17", {"rtt_ms": {"figure8": {189: 75.0}}}, "BBR's median RTT at 189 packets", 75.0),
    ("B17", {"rtt_ms": {"figure8_cubic": {189: 750.0}}}, "CUBIC's median RTT at 189 packets", 750.0),
    ("B17", {"rtt_ms": {"figure8_cubic": {189: 290.0}}}, "CUBIC's median RTT at 189 packets", 290.0),
    ("B18", {"wobble": 0.25}, "interquartile range over median", None),
    ("B18", {"probe_every_s": 8.0}, "interval between PROBE_RTTs", 8.0),
    ("B18", {"probe_every_s": 1000.0}, "interval between PROBE_RTTs", None),
    ("B18", {"probe_ms": 84.0}, "RTT in PROBE_RTT", 84.0),
    (
        "B19",
        {"loss": {"b1": {130: 0.02}}},
        "shortest queue from which on BBR loses nothing",
        160 * 2900 / 103750,
    ),
    (
        "B19",
        {"loss": {"b1": {26: 0.12, 39: 0.12}}},
        "shorter queues in which BBR loses at least twice as much",
        100 * 5 / 7,
    ),
    (
        "B20",
        {"loss": {"c1": {207: 0.01, 189: 0.02, 160: 0.03}}},
        "rank correlation of CUBIC's loss and the queue",
        None,
    ),
    ("B21", {"goodput": {"b1": 8.6}}, "goodput in the queue in which it is smallest", 8.6),
    ("B22", {"beside_swing": (0.08, 0.3)}, "COV of BBR's throughput beside CUBIC less that alone", -0.02),
    ("B22", {"beside_swing": (0.3, 0.0)}, "COV of CUBIC's throughput beside BBR less that alone", -0.02),
]


@pytest.mark.parametrize(("claim", "changes", "label", "value"), WRONG)
def test_a_wrong_number_fails_its_claim(
    borgli: Study, claim: str, changes: dict[str, Any], label: str, value: float | None
) -> None:
    found = verdict_of(borgli, claim, as_published(**changes))
    assert found.verdict == "not reproduced"
    assert next(check.label for check in found.checks if not check.holds) == label
    assert label in found.reason
    if value is not None:
        assert found.value == pytest.approx(value, abs=1e-3)


def test_every_claim_has_been_seen_to_fail() -> None:
    assert {row[0] for row in WRONG} == set(CLAIMS)


def test_its_bounds_are_those_of_the_reference(borgli: Study) -> None:
    """Written down a second time, from the reference."""
    bounds = {claim.id: [(check.least, check.most) for check in claim.checks] for claim in borgli.claims}
    more = pytest.approx(0, abs=0.0011)  # an ordering: above nothing
    assert bounds == {
        "B1": [(20, 100)],
        "B2": [(None, 15), (None, 0.5)],
        "B3": [(more, None)],
        "B4": [(0.95, None), (0.9, None)],
        "B5": [(more, None)],
        "B6": [(1.0, 3.0), (0.95, None), (1, None)],
        "B7": [(65, None)],
        "B8": [(55, None)],
        "B9": [(more, None)],
        "B10": [(0.93, None)],
        "B11": [(0.5, 0.75), (None, 15), (2, None)],
        "B12": [(80, None), (None, 9)],
        "B13": [(-2, None), (-2, None), (98, None), (98, None)],
        "B14": [(80, None), (80, None)],
        "B15": [(None, 25)],
        "B16": [(120, 400)],
        "B17": [(76, 200), (180 + 120, 514)],
        "B18": [(None, 20), (9, 12), (None, pytest.approx(1.1 * 76))],
        "B19": [(1.0, 3.5), (80, None)],
        "B20": [(0.6, None)],
        "B21": [(pytest.approx(0.9 * 10 * 1448 / 1514, abs=1e-3), None)],
        "B22": [(more, None), (more, None)],
    }
    flags = {"SENS": {"B1", "B6", "B10", "B11", "B14", "B15", "B19"}, "CONTRA": {"B17", "B20"}}
    for claim in borgli.claims:
        assert claim.flag == next((flag for flag, ids in flags.items() if claim.id in ids), "OK")


def test_what_no_document_has_is_not_called_published(borgli: Study) -> None:
    claims = {claim.id: claim for claim in borgli.claims}
    found = [check.published for each in ("B13", "B14", "B15", "B19") for check in claims[each].checks]
    assert found == [None] * 7 + [2.8, None]
    assert [check.published for check in claims["B11"].checks] == [0.606, None, None]


def test_its_queues_are_the_documents_packets_of_2900_bytes(borgli: Study) -> None:
    for name in ("c2", "b2", "c1b1", "c2b2", "b1", "c1"):
        written = borgli.experiments[name].words()["path"]["buffer"]
        assert [str(size) for size in written] == list(SIZES.values())
    units = Trial(1, tuple(run({"path.buffer": f"{packets} packets"}, {"bbr": [9.0]}) for packets in SIX))
    bytes_ = Trial(1, tuple(run({"path.buffer": SIZES[packets]}, {"bbr": [9.0]}) for packets in SIX))
    assert QUEUE.values([units]) == QUEUE.values([bytes_]) == SIX


def test_every_figure_and_the_table_are_drawn(borgli: Study) -> None:
    charts = {chart.name: chart for chart in borgli.drawn(as_published())}
    assert list(charts) == [each.name for each in borgli.figures]
    assert [len(charts[name].panels) for name in ("figure1", "figure3", "figure4", "figure8_acks")] == [3, 4, 4, 4]
    two = charts["figure2"].panels[0]
    assert [layer.y for layer in two.layers] == [
        pytest.approx(tuple(FAIRNESS[each].values())) for each in ("c2", "b2", "c1b1", "c2b2")
    ]
    assert two.layers[0].x == PACKETS
    assert two.marks[0][0] == 55
    assert two.x.opposite is not None
    assert two.x.opposite.ticks[1][0] == pytest.approx(103750 / 2900)
    lost = charts["figure9"].panels[0]
    assert [layer.style for layer in lost.layers] == ["bbr", "cubic", "bbr_4_17"]
    assert lost.layers[0].y == pytest.approx(tuple(LOSS["b1"].values()))
    theirs = charts["rivals"].panels[0].layers[0]
    assert (theirs.x, theirs.y) == ((1.0, 4.0), (0.994, 0.606))
    medians = [layer for layer in charts["figure8"].panels[2].layers if layer.kind == "points"]
    assert [layer.x for layer in medians] == [(180,), (750,)]
    assert [len(panel.layers) for panel in charts["figure2_readings"].panels] == [4, 4, 4, 4]


def test_what_explains_figures_8_and_9_is_drawn_beside_them(borgli: Study) -> None:
    charts = {chart.name: chart for chart in borgli.drawn(as_published(rtt_ms={"figure8_units": {63: 129.0}}))}
    usual, units = charts["figure8"].panels[3], charts["figure8"].panels[5]
    assert (usual.title, units.title) == ("63 packets", "63 units of two segments, bursts up to 70 kB")
    assert [max(panel.layers[0].x) for panel in (usual, units)] == pytest.approx([153, 1.02 * 129])
    usual, units = charts["figure9"].panels
    assert [max(panel.layers[0].y) for panel in (usual, units)] == pytest.approx([3.0, 5.5])
    assert [layer.style for layer in units.layers] == ["bbr", "cubic", "bbr_4_17"]


def test_its_table_has_the_published_numbers_beside_ours(borgli: Study) -> None:
    table, units, rtts = borgli.tabled(as_published())
    assert [each.title for each in table.columns if each.title == "version"] == ["version"]
    amounts = table.rows[0][1:]
    assert [each.published for each in amounts if not isinstance(each, str)] == [
        50, "a matter of seconds", 1.537, 0.994, 0.606, 180, "750: impossible", 200, "2.8",
    ]  # fmt: skip
    ours = [each.mean for each in units.rows[0][1:] if not isinstance(each, str)]
    assert ours[-4:] == pytest.approx([180, 380, 200, 100 * 20 / 150])
    assert [row[1] for row in rtts.rows] == [str(packets) for packets in SIX] * 2
    fair = [each.mean for each in rtts.rows[-1][2:] if not isinstance(each, str)]
    assert fair == pytest.approx([0.9, 0.95, 1.0, 0.95, 0.9, np.std([0.9, 0.95, 1.0, 0.95, 0.9])])


def as_published(  # noqa: PLR0913 (each is a number of the document)
    *,
    shared_after_s: Mapping[str, float] | None = None,
    kept: Mapping[str, float] | None = None,
    fairness: Mapping[str, Mapping[int, float]] | None = None,
    shares: Mapping[int, float] | None = None,
    beside: Mapping[int, tuple[float, float]] | None = None,
    uneven: bool = False,
    goodput: Mapping[str, float] | None = None,
    totals: Mapping[str, Mapping[int, float]] | None = None,
    swing: Mapping[str, float] | None = None,
    late: bool = False,
    rtt_ms: Mapping[str, Mapping[int, float]] | None = None,
    wobble: float = 0.02,
    probe_every_s: float = 10.0,
    probe_ms: float = 76.0,
    loss: Mapping[str, Mapping[int, float]] | None = None,
    beside_swing: tuple[float, float] = (0.3, 0.3),
) -> Evidence:
    """Rates in Mbit/s, losses and shares in %, by queue in packets or number of flows.

    `kept` is the incumbent's rate in the 5 s after the join, `beside` BBR's and each CUBIC flow's rate, `swing` half
    the relative distance of two rates that take turns, `beside_swing` BBR's and CUBIC's beside each other, `late`:
    CUBIC's swing from 10 s on, BBR's before; `wobble` the same of BBR's RTT.
    """
    times = {"join": 4.0, "join_cubic": 50.0} | dict(shared_after_s or {})
    keeps = {"join": 2.0, "join_cubic": 8.0} | dict(kept or {})
    fair = {name: row | dict((fairness or {}).get(name, {})) for name, row in FAIRNESS.items()}
    lost = {name: row | dict((loss or {}).get(name, {})) for name, row in LOSS.items()}
    rates = GOODPUT | dict(goodput or {})
    swings = {"b1": 0.1, "c1": 0.02} | dict(swing or {})
    pairs = {1: (5.0, 4.5), **{count: (5.0, 4.4 / count) for count in range(2, 10)}} | dict(beside or {})
    delays = RTT_MS | {name.replace("figure8", "figure8_units"): row for name, row in RTT_MS.items()}
    rtts = {name: row | dict((rtt_ms or {}).get(name, {})) for name, row in delays.items()}
    bbr_shares = {13: 90.0, 207: 35.0} | dict(shares or {})

    runs: dict[str, list[Observed]] = {
        name: [joined(times[name], keeps[name], "cubic" if name == "join_cubic" else "bbr")]
        for name in ("join", "join_cubic")
    }
    alike: dict[str, dict[str, int]] = {"c2": {"cubic": 2}, "b2": {"bbr": 2}, "c2b2": {"bbr": 2, "cubic": 2}}
    for name, groups in alike.items():
        runs[name] = [
            run({"path.buffer": SIZES[packets]}, {each: [4.7] * many for each, many in groups.items()}, jain=index)
            for packets, index in fair[name].items()
        ]
    runs["c1b1"] = [
        run(
            {"path.buffer": SIZES[packets]},
            {"bbr": [share / 10], "cubic": [10 - share / 10]},
            jain=index,
            series=swinging((share / 10, 10 - share / 10), beside_swing),
        )
        for packets, index in fair["c1b1"].items()
        for share in [bbr_shares.get(packets, 55.0)]
    ]
    runs["figure4"] = [
        run({"flows[1].count": count}, {"bbr": [bbr], "cubic": cubics}, jain=jain([bbr, *cubics]))
        for count, (bbr, cubic) in pairs.items()
        for cubics in [[3.0, 0.5, 0.5, 0.4] if uneven and count == 4 else [cubic] * count]
    ]
    for name, group in (("b1", "bbr"), ("c1", "cubic")):
        until_s = 10.0 if late and name == "b1" else 300.0
        series = swinging((rates[name],), (swings[name] * (20 if late and name == "b1" else 1),), until_s)
        runs[name] = [
            run(
                {"path.buffer": SIZES[packets]},
                {group: [rates[name]]},
                bottleneck={"loss_rate": percent / 100},
                series=series,
            )
            for packets, percent in lost[name].items()
        ]
        crowd = "crowd" if name == "b1" else "crowd_cubic"
        total = {1: 9.3, 2: 9.4, 3: 9.45, 4: 9.5, 6: 9.5, 8: 9.5} | dict((totals or {}).get(crowd, {}))
        runs[crowd] = [run({"flows[0].count": count}, {group: [rate / count] * count}) for count, rate in total.items()]
        runs[f"{name}_bursts"] = [
            run({"path.buffer": SIZES[packets], "path.burst": burst}, {group: [9.4]})
            for packets in SIX
            for burst in ("1.6 kB", "10 kB", "70 kB")
        ]
        runs[f"{name}_units"] = [
            run({"path.buffer": f"{packets} packets"}, {group: [9.4]}, bottleneck={"loss_rate": 0.055 * (packets < 60)})
            for packets in SIX
        ]
    both = {"bbr": [4.7], "cubic": [4.7]}
    runs["c1b1_bursts"] = [
        run({"path.buffer": SIZES[packets], "path.burst": burst}, both, jain=0.9)
        for packets in SIX
        for burst in ("1.6 kB", "10 kB", "70 kB")
    ]
    runs["c1b1_loss"] = [
        run({"path.buffer": SIZES[packets], "path.loss": each}, both, jain=0.9)
        for packets in SIX
        for each in ("0.001 %", "0.01 %")
    ]
    for name in ("b2_rtts", "b2_rtts_4_17"):
        runs[name] = [
            run({"path.buffer": SIZES[packets], "flows[1].rtt": rtt}, {"bbr": [4.7] * 2}, jain=index)
            for packets in SIX
            for rtt, index in zip(
                ("60 ms", "70 ms", "83 ms", "90 ms", "100 ms"), (0.9, 0.95, 1, 0.95, 0.9), strict=True
            )
        ]
    runs["c1b1_units"] = [run({"path.buffer": f"{packets} packets"}, both, jain=0.9) for packets in SIX]
    for name, group in (("figure8", "bbr"), ("figure8_cubic", "cubic")):
        for kind in (name, name.replace("figure8", "figure8_acks")):
            runs[kind] = [
                run(
                    {"path.buffer": SIZES[packets]},
                    {group: [9.4]},
                    flows=[{"rtt_p50_s": median_ms / 1e3}],
                    series=delayed(median_ms, wobble, probe_every_s, probe_ms),
                    acks=pd.DataFrame({"flow": 0, "time_s": [1.0, 2.0], "rtt_s": [0.076, median_ms / 1e3]}),
                )
                for packets, median_ms in rtts[name].items()
            ]
    for name, group in (("figure8_units", "bbr"), ("figure8_units_cubic", "cubic")):
        runs[name] = [
            run(
                {"path.buffer": f"{packets} packets"},
                {group: [9.4]},
                flows=[{"rtt_p50_s": median_ms / 1e3}],
                series=delayed(median_ms, wobble, probe_every_s, probe_ms),
            )
            for packets, median_ms in rtts[name].items()
        ]
    return Evidence(
        engine="sim",
        trials={
            (experiment, variant): tuple(Trial(seed, tuple(found)) for seed in SEEDS)
            for experiment, found in runs.items()
            for variant in ("bbr", "bbr_4_17")
        },
    )


def run(point: Mapping[str, Any], groups: Mapping[str, Sequence[float]], **more: Any) -> Observed:
    """A run at 10 Mbit/s and 83 ms."""
    names = [name for name, rates in groups.items() for _ in rates]
    series = more.pop("series", None)
    if series is None:
        series = swinging(tuple(rate for rates in groups.values() for rate in rates))
    assert len(names) == series["flow"].nunique()
    return replace(observed(point, groups, WINDOW_S, series=series, **more), bdp_bytes=103_750)


@cache
def swinging(rates: tuple[float, ...], swings: tuple[float, ...] = (), until_s: float = 300.0) -> pd.DataFrame:
    """300 s of flows with these mean rates, above and below them by so much in turn, in bins of 0.5 s."""
    at = np.arange(0, 300.01, 0.5)
    frames = []
    for index, (rate, swing) in enumerate(zip(rates, swings or [0.0] * len(rates), strict=True)):
        turns = np.where(np.arange(at.size - 1) % 2 == 0, 1 + swing, 1 - swing)
        factors = np.where(at[:-1] < until_s, turns, 1.0)
        delivered = np.concatenate(([0.0], np.cumsum(rate * factors * 0.5e6 / 8)))
        frames.append(frame(index, at, delivered, np.full(at.size, "probe_bw")))
    return pd.concat(frames, ignore_index=True)


def joined(shared_after_s: float, kept: float, group: str) -> Observed:
    """Two flows; the second starts at 60 s and leaves the first `kept` for 5 s, then 8 Mbit/s until they share."""
    at = np.arange(0, 300.01, 0.1)
    since = at[:-1] - JOIN_S
    first = np.select([since < -1e-6, since < min(5.0, shared_after_s), since < shared_after_s], [9.5, kept, 8.0], 4.75)
    frames = []
    for index, rates in enumerate((first, 9.5 - first)):
        delivered = np.concatenate(([0.0], np.cumsum(rates * 0.1e6 / 8)))
        frames.append(frame(index, at, delivered, np.full(at.size, "probe_bw")))
    series = pd.concat(frames, ignore_index=True)
    return run({}, {group: [4.75, 4.75]}, series=series, flows=[{}, {"start_s": JOIN_S}])


@cache
def delayed(median_ms: float, wobble: float, probe_every_s: float, probe_ms: float) -> pd.DataFrame:
    """300 s of one flow whose smoothed RTT is above and below its median in turn, with PROBE_RTTs of 0.2 s."""
    at = np.arange(0, 300.01, 0.05)
    steps = np.arange(at.size)
    probing = (at % probe_every_s < 0.2) & (at > 1)
    srtt = median_ms / 1e3 * (1 + wobble * np.where(steps % 2 == 0, 1, -1))
    own = frame(0, at, at * 9.4e6 / 8, np.where(probing, "probe_rtt", "probe_bw"))
    return own.assign(srtt_s=srtt, cc_min_rtt_s=probe_ms / 1e3)
