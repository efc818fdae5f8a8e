"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.metrics.sharing import jain
from dumbbell.studies.borgli2017.claims import PACKET_BYTES, QUEUE
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
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


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_was_published_reproduces_a_claim(borgli: Study, claim: str) -> None:
    found = verdict_of(borgli, claim, as_published())
    assert found.verdict == "reproduced", found.reason


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
    units = SeedSweep(1, tuple(run({"path.buffer": f"{packets} packets"}, {"bbr": [9.0]}) for packets in SIX))
    bytes_ = SeedSweep(1, tuple(run({"path.buffer": SIZES[packets]}, {"bbr": [9.0]}) for packets in SIX))
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
    charts = {chart.name: chart for chart in borgli.drawn(as_published(units_ms=129.0))}
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


def as_published(*, units_ms: float = 150.0) -> Evidence:
    """Rates in Mbit/s, losses and shares in %, by queue in packets or number of flows.

    `units_ms` is BBR's median RTT in 63 units of two segments.
    """
    times, keeps = {"join": 4.0, "join_cubic": 50.0}, {"join": 2.0, "join_cubic": 8.0}
    swings = {"b1": 0.1, "c1": 0.02}
    pairs = {1: (5.0, 4.5), **{count: (5.0, 4.4 / count) for count in range(2, 10)}}
    rtts = RTT_MS | {name.replace("figure8", "figure8_units"): row for name, row in RTT_MS.items()}
    rtts["figure8_units"] = rtts["figure8_units"] | {63: units_ms}
    bbr_shares = {13: 90.0, 207: 35.0}
    runs: dict[str, list[RunData]] = {
        name: [joined(times[name], keeps[name], "cubic" if name == "join_cubic" else "bbr")]
        for name in ("join", "join_cubic")
    }
    alike: dict[str, dict[str, int]] = {"c2": {"cubic": 2}, "b2": {"bbr": 2}, "c2b2": {"bbr": 2, "cubic": 2}}
    for name, groups in alike.items():
        runs[name] = [
            run({"path.buffer": SIZES[packets]}, {each: [4.7] * many for each, many in groups.items()}, jain=index)
            for packets, index in FAIRNESS[name].items()
        ]
    runs["c1b1"] = [
        run(
            {"path.buffer": SIZES[packets]},
            {"bbr": [share / 10], "cubic": [10 - share / 10]},
            jain=index,
            series=swinging((share / 10, 10 - share / 10), (0.3, 0.3)),
        )
        for packets, index in FAIRNESS["c1b1"].items()
        for share in [bbr_shares.get(packets, 55.0)]
    ]
    runs["figure4"] = [
        run({"flows[1].count": count}, {"bbr": [bbr], "cubic": cubics}, jain=jain([bbr, *cubics]))
        for count, (bbr, cubic) in pairs.items()
        for cubics in [[cubic] * count]
    ]
    for name, group in (("b1", "bbr"), ("c1", "cubic")):
        series = swinging((GOODPUT[name],), (swings[name],))
        runs[name] = [
            run(
                {"path.buffer": SIZES[packets]},
                {group: [GOODPUT[name]]},
                bottleneck={"loss_rate": percent / 100},
                series=series,
            )
            for packets, percent in LOSS[name].items()
        ]
        crowd = "crowd" if name == "b1" else "crowd_cubic"
        total = {1: 9.3, 2: 9.4, 3: 9.45, 4: 9.5, 6: 9.5, 8: 9.5}
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
                    series=delayed(median_ms),
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
                series=delayed(median_ms),
            )
            for packets, median_ms in rtts[name].items()
        ]
    return Evidence(
        engine="sim",
        trials={
            (experiment, variant): tuple(SeedSweep(seed, tuple(found)) for seed in SEEDS)
            for experiment, found in runs.items()
            for variant in ("bbr", "bbr_4_17")
        },
    )


def run(point: Mapping[str, Any], groups: Mapping[str, Sequence[float]], **more: Any) -> RunData:
    """A run at 10 Mbit/s and 83 ms."""
    names = [name for name, rates in groups.items() for _ in rates]
    series = more.pop("series", None)
    if series is None:
        series = swinging(tuple(rate for rates in groups.values() for rate in rates))
    assert len(names) == series["flow"].nunique()
    return replace(observed(point, groups, WINDOW_S, series=series, **more), bdp_bytes=103_750)


@cache
def swinging(rates: tuple[float, ...], swings: tuple[float, ...] = ()) -> pd.DataFrame:
    """300 s of flows with these mean rates, above and below them by so much in turn, in bins of 0.5 s."""
    at = np.arange(0, 300.01, 0.5)
    frames = []
    for index, (rate, swing) in enumerate(zip(rates, swings or [0.0] * len(rates), strict=True)):
        turns = np.where(np.arange(at.size - 1) % 2 == 0, 1 + swing, 1 - swing)
        delivered = np.concatenate(([0.0], np.cumsum(rate * turns * 0.5e6 / 8)))
        frames.append(frame(index, at, delivered, np.full(at.size, "probe_bw")))
    return pd.concat(frames, ignore_index=True)


def joined(shared_after_s: float, kept: float, group: str) -> RunData:
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
def delayed(median_ms: float) -> pd.DataFrame:
    """300 s of one flow whose smoothed RTT is above and below its median in turn, with PROBE_RTTs of 0.2 s."""
    at = np.arange(0, 300.01, 0.05)
    steps = np.arange(at.size)
    probing = (at % 10 < 0.2) & (at > 1)
    srtt = median_ms / 1e3 * (1 + 0.02 * np.where(steps % 2 == 0, 1, -1))
    own = frame(0, at, at * 9.4e6 / 8, np.where(probing, "probe_rtt", "probe_bw"))
    return own.assign(srtt_s=srtt, cc_min_rtt_s=0.076)
