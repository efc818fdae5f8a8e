"""The document's figures as charts: our numbers, and the published ones beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.plots.chart import Chart, Layer, Panel
from dumbbell.studies.drawing import family, flow_rates, panel_in_time
from dumbbell.studies.giordano2019.claims import BIN_S
from dumbbell.studies.giordano2019.tables import DUALS, SINGLES, dual, evenness, own, senders, single, variation
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies.evidence import Evidence
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
        ours += flow_rates(run, SPAN_S, BIN_S)
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
            f"Goodput in bins of 1 s of one flow a run, with a queue of 1000 packets and 3.5 ms; seed {seed} of {n}, "
            f"engine {evidence.engine}. Published: {published['source']}."
        ),
        panels=(
            panel_in_time("here", RATE, SPAN_S, *ours, limits=limits),
            panel_in_time("published", RATE, SPAN_S, *theirs, limits=limits),
        ),
        alt="All lines lie on one another near the limit; BBR's has small dips.",
    )


def _dual(study: Study, evidence: Evidence, number: int) -> Chart:
    """Two flows' throughput over each algorithm, ours with the document's beside it, of one seed."""
    words, experiment, point = DUALS[number - 1]
    published = study.published[f"d{number}_series"]
    panels: list[Panel] = []
    found = senders(study, evidence, experiment)
    most = max(max(published[f"{sender.group}_{host}_mbit_s"]) for sender in found for host in "ab")
    for sender in found:
        ours = flow_rates(sender.trials[0].at(point), SPAN_S, BIN_S, labels=FLOWS)
        theirs = [
            _by_second(flow, flow, published[f"{sender.group}_{host}_mbit_s"])
            for flow, host in zip(FLOWS, "ab", strict=True)
        ]
        titles = label_of(sender.style, evidence.engine), f"{family(sender.group)}, published ({study.short})"
        panels += [
            panel_in_time(title, RATE, SPAN_S, *layers, limits=(0, most))
            for title, layers in zip(titles, (ours, theirs), strict=True)
        ]
    seed, n = found[0].trials[0].seed, len(found[0].trials)
    fitted = (
        "with a queue of 1000 packets"
        if experiment == "dual"
        else f"through {point['path.rate']} with 0.4 % of random loss, both fitted to the published averages: no "
        "evidence of what the laptop did"
    )
    return Chart(
        name=f"dual{number}",
        title=f"Two flows, {words} (dual transmission flow, results {number})",
        caption=(
            f"Goodput in bins of 1 s of two flows of the same kind {fitted}; 3.5 ms; seed {seed} of {n}, engine "
            f"{evidence.engine}. On the right: {published['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt="In each panel two lines that cross again and again around the same level.",
    )


single1, single2, single3 = (partial(_single, number=number) for number in (1, 2, 3))
dual1, dual2, dual3, dual4 = (partial(_dual, number=number) for number in (1, 2, 3, 4))


def _by_second(label: str, style: str, values: Sequence[float]) -> Layer:
    x = tuple(BIN_S * (place + 0.5) for place in range(len(values)))
    return Layer(label=label, style=style, x=x, y=tuple(map(float, values)))
