"""The document's figures as charts: our numbers, and the published ones beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dumbbell.charts.chart import Chart, Layer, Panel
from dumbbell.studies.drawing import PAYLOAD_MBIT, family, flow_rates, panel_in_time
from dumbbell.studies.giordano2019.claims import BIN_S
from dumbbell.studies.giordano2019.tables import (
    DEEP,
    DUALS,
    SHALLOW,
    SINGLES,
    dual,
    evenness,
    own,
    senders,
    single,
    variation,
)
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.studies.evidence import Evidence, RunData
    from dumbbell.studies.giordano2019.tables import Sender
    from dumbbell.studies.study import Study

__all__ = [
    "dual", "dual1", "dual2", "dual3", "dual4", "evenness", "own", "single", "single1", "single2", "single3",
    "variation",
]  # fmt: skip

SPAN_S = (0.0, 120.0)
RATE = "rate (Mbit/s)"
FLOWS = ("flow 1", "flow 2")


def _single(study: Study, evidence: Evidence, number: int) -> Chart:
    """One flow's throughput over each algorithm, ours and the document's, of one seed."""
    words, point = SINGLES[number - 1]
    published = study.published[f"s{number}_series"]
    ours: list[Layer] = []
    theirs: list[Layer] = []
    for sender in senders(study, evidence, "single"):
        run = sender.trials[0].at(point)
        ours += _payload(run)
        if sender.style == sender.group or sender.style == study.variants[0]:
            label = f"{family(sender.group)}, published ({study.short})"
            theirs.append(_by_second(label, sender.style, published[f"{sender.group}_mbit_s"]))
    seed, n = sender.trials[0].seed, len(sender.trials)
    every = [rate for layer in (*ours, *theirs) for rate in layer.y]
    limits = (0.9 * min(every), 1.05 * max(every))
    return Chart(
        name=f"single{number}",
        title=f"One flow, {words} (single transmission flow, results {number})",
        caption=(
            "Throughput, as payload, in bins of 1 s of one flow a run, with a queue of 1000 packets and 3.5 ms; seed "
            f"{seed} of {n}, engine {evidence.engine}. Published: {published['source']}."
        ),
        panels=(
            panel_in_time("here", RATE, SPAN_S, *ours, limits=limits),
            panel_in_time("published", RATE, SPAN_S, *theirs, limits=limits),
        ),
        alt="All lines lie on one another near the limit; BBR's has small dips.",
    )


def _fitted(study: Study, evidence: Evidence, number: int) -> Chart:
    """Two flows' throughput through a fit, each algorithm's with the document's beside it, of one seed."""
    words, experiment, point = DUALS[number - 1]
    published = study.published[f"d{number}_series"]
    found = senders(study, evidence, experiment)
    panels = [
        panel
        for sender in found
        for panel in (
            _pair(label_of(sender.style, evidence.engine), sender.trials[0].at(point), published),
            _published_pair(study, sender.group, published),
        )
    ]
    return Chart(
        name=f"dual{number}",
        title=f"Two flows, {words} (dual transmission flow, results {number})",
        caption=(
            f"Throughput, as payload, in bins of 1 s of two flows of the same kind through {point['path.rate']} with "
            "0.4 % of random loss, both fitted to the published averages: no evidence of what the laptop did; 3.5 ms; "
            f"{_seed(found[0], evidence)}. On the right: {published['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt="In each panel two lines that cross again and again around the same level.",
    )


def dual2(study: Study, evidence: Evidence) -> Chart:
    """Two flows' throughput in a short and in a long queue over each algorithm, and the document's, of one seed."""
    words, experiment, _ = DUALS[1]
    published = study.published["d2_series"]
    found = senders(study, evidence, experiment)
    ours = [
        _pair(f"{label_of(sender.style, evidence.engine)}, {size}", sender.trials[0].at(queue), published)
        for sender in found
        for size, queue in (("1 BDP", SHALLOW), ("1000 packets", DEEP))
    ]
    theirs = [_published_pair(study, group, published) for group in dict.fromkeys(sender.group for sender in found)]
    return Chart(
        name="dual2",
        title=f"Two flows, {words} (dual transmission flow, results 2)",
        caption=(
            "Throughput, as payload, in bins of 1 s of two flows of the same kind; 3.5 ms, with queues of 1 BDP (left) "
            "and of 1000 packets (right), the ends of what the document leaves open. In the longer one the first CUBIC "
            "or Reno flow to leave slow start keeps more for minutes. "
            f"{_seed(found[0], evidence).capitalize()}. Below: {published['source']}."
        ),
        panels=(*ours, *theirs),
        columns=2,
        alt=(
            "In 1 BDP both lines of each kind are at half. In 1000 packets those of CUBIC and Reno begin far apart and "
            "come together over minutes. The published ones cross again and again around the same level."
        ),
    )


def _pair(title: str, run: RunData, published: Mapping[str, Any]) -> Panel:
    layers = _payload(run, FLOWS)
    return panel_in_time(title, RATE, SPAN_S, *layers, limits=(0, _most(published)))


def _published_pair(study: Study, group: str, published: Mapping[str, Any]) -> Panel:
    layers = [
        _by_second(flow, flow, published[f"{group}_{host}_mbit_s"]) for flow, host in zip(FLOWS, "ab", strict=True)
    ]
    title = f"{family(group)}, published ({study.short})"
    return panel_in_time(title, RATE, SPAN_S, *layers, limits=(0, _most(published)))


def _most(published: Mapping[str, Any]) -> float:
    """The largest rate of a table of series: every panel beside it ends there."""
    return max(float(rate) for name, rates in published.items() if name != "source" for rate in rates)


def _seed(sender: Sender, evidence: Evidence) -> str:
    return f"seed {sender.trials[0].seed} of {len(sender.trials)}, engine {evidence.engine}"


def _payload(run: RunData, labels: Sequence[str] = ()) -> tuple[Layer, ...]:
    """Each flow's throughput as payload, which iPerf3 counts."""
    return flow_rates(run, SPAN_S, BIN_S, labels=labels, factor=PAYLOAD_MBIT)


single1, single2, single3 = (partial(_single, number=number) for number in (1, 2, 3))
dual1, dual3, dual4 = (partial(_fitted, number=number) for number in (1, 3, 4))


def _by_second(label: str, style: str, values: Sequence[float]) -> Layer:
    x = tuple(BIN_S * (place + 0.5) for place in range(len(values)))
    return Layer(label=label, style=style, x=x, y=tuple(map(float, values)))
