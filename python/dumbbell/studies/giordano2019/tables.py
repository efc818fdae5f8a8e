"""The document's tables: ours, and the published numbers beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.charts.table import Column, Entry, Table
from dumbbell.metrics.fairness import jain
from dumbbell.studies.drawing import MBIT, PERCENT, entry, means
from dumbbell.studies.giordano2019.claims import evenness as jain_of
from dumbbell.studies.giordano2019.claims import over, total, variation_by_second
from dumbbell.studies.label import label_of
from dumbbell.studies.metric import metric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

DEEP = {"path.buffer": "1000 packets"}
SHALLOW = {"path.buffer": "1 bdp"}
SHORT = {"path.buffer": "100 packets"}
SINGLES = (
    ("Router 1 limited to 100 Mbit/s", {"path.rate": "103.7 Mbit/s", **DEEP}),
    ("Router 1 limited to 1 Gbit/s", {"path.rate": "1.037 Gbit/s", **DEEP}),
    ("5 Gbit/s everywhere", {"path.rate": "1.34 Gbit/s", **DEEP}),
)
"""What the slides call results 1, 2 and 3, and where they are here."""
DUALS = (
    ("1 Gbit/s everywhere", "lossy", {"path.rate": "360 Mbit/s"}),
    ("Router 1 limited to 100 Mbit/s", "dual", DEEP),
    ("5 Gbit/s everywhere", "lossy", {"path.rate": "280 Mbit/s"}),
    ("5 Gbit/s, Router 1 limited to 1 Gbit/s", "lossy", {"path.rate": "280 Mbit/s"}),
)
"""Results 1 to 4 of two flows, likewise; 3 and 4 are the same fit."""
RIVALS = ("cubic", "reno")


@dataclass(frozen=True, slots=True)
class Sender:
    """What sends in an experiment."""

    style: str
    group: str
    """As the document has it: "bbr", "cubic", "reno"."""
    trials: tuple[SeedSweep, ...]


def senders(study: Study, evidence: Evidence, experiment: str) -> list[Sender]:
    """Each version of BBR that the engine has, CUBIC and Reno."""
    rivals = [f"{experiment}_{rival}" for rival in RIVALS]
    variants = evidence.variants(experiment, *rivals)
    own = [Sender(variant, "bbr", evidence.of(experiment, variant)) for variant in variants]
    return own + [
        Sender(study.control(name, variants[0]), rival, evidence.of(name, variants[0]))
        for name, rival in zip(rivals, RIVALS, strict=True)
    ]


def single(study: Study, evidence: Evidence) -> Table:
    """Averages of one flow."""
    numbers = study.published["single"]
    found = senders(study, evidence, "single")
    rows: list[tuple[Entry, ...]] = []
    for place, (words, point) in enumerate(SINGLES):
        for buffer in ({**point, **SHALLOW}, point) if place < len(SINGLES) - 1 else (point,):
            cells = (
                _cell(sender.trials, buffer, total, MBIT, numbers[f"{sender.group}_mbit_s"][place]) for sender in found
            )
            rows.append((f"{words}, queue of {buffer['path.buffer']}", *cells))
    return Table(
        name="single",
        title="One flow (single transmission flow, results 1 to 3)",
        caption=f"Goodput of 120 s: {means(found[0].trials)}. Published: {numbers['source']}.",
        columns=(
            Column(title="limit"),
            *(Column(title=label_of(each.style, evidence.engine), unit="Mbit/s") for each in found),
        ),
        rows=tuple(rows),
    )


def variation(study: Study, evidence: Evidence) -> Table:
    """How much the rate of one flow varies."""
    numbers = study.published["single_variation"]
    found = senders(study, evidence, "single")
    rows: list[tuple[Entry, ...]] = []
    for place, (words, point) in enumerate(SINGLES):
        for buffer in ({**point, **SHALLOW}, point) if place < len(SINGLES) - 1 else (point,):
            cells = (
                _cell(sender.trials, buffer, variation_by_second, PERCENT, PERCENT * numbers[sender.group][place])
                for sender in found
            )
            rows.append((f"{words}, queue of {buffer['path.buffer']}", *cells))
    return Table(
        name="variation",
        title="How much one flow's rate varies",
        caption=(
            "Standard deviation / mean of the throughput in bins of 1 s from 10 s on: "
            f"{means(found[0].trials)}. Published: {numbers['source']}."
        ),
        columns=(
            Column(title="limit"),
            *(Column(title=label_of(each.style, evidence.engine), unit="%") for each in found),
        ),
        rows=tuple(rows),
    )


def dual(study: Study, evidence: Evidence) -> Table:
    """Averages and retransmissions of two flows."""
    rows: list[tuple[Entry, ...]] = []
    for number, (words, experiment, point) in enumerate(DUALS, start=1):
        numbers = study.published[f"d{number}"]
        fitted = " (fitted)" if experiment == "lossy" else ""
        for sender in senders(study, evidence, experiment):
            for buffer in (SHALLOW, SHORT, DEEP) if experiment == "dual" else (point,):
                row: list[Entry] = [
                    f"{words}{fitted}"
                    + (f", queue of {buffer['path.buffer']}" if experiment == "dual" else "")
                    + f": {label_of(sender.style, evidence.engine)}"
                ]
                for flow in (0, 1):
                    rate = numbers[f"{sender.group}_mbit_s"][flow]
                    again = numbers[f"{sender.group}_retransmits"][flow]
                    row += [
                        _cell(sender.trials, buffer, metric(f"flows.{flow}.goodput_bps"), MBIT, rate),
                        _cell(sender.trials, buffer, metric(f"flows.{flow}.retransmits"), 1.0, again),
                    ]
                rows.append(tuple(row))
    trials = senders(study, evidence, "dual")[0].trials
    return Table(
        name="dual",
        title="Two flows (dual transmission flow, results 1 to 4)",
        caption=(
            f"Goodput and retransmitted segments of 120 s: {means(trials)}. Fitted: a capacity and 0.4 % of random "
            f"loss that give such averages; no evidence. Published: "
            f"{study.published['d1']['source']}, and 2 to 4 likewise."
        ),
        columns=(
            Column(title="limit"),
            Column(title="h-1-a to h-2-c", unit="Mbit/s"),
            Column(title="its retransmits"),
            Column(title="h-1-b to h-2-d", unit="Mbit/s"),
            Column(title="its retransmits"),
        ),
        rows=tuple(rows),
    )


def evenness(study: Study, evidence: Evidence) -> Table:
    """How evenly two flows of a kind share, in each condition."""
    found = senders(study, evidence, "dual")
    rows: list[tuple[Entry, ...]] = []
    for number, (words, experiment, point) in enumerate(DUALS, start=1):
        numbers = study.published[f"d{number}"]
        for buffer in (SHALLOW, SHORT, DEEP) if experiment == "dual" else (point,):
            cells = (
                _cell(sender.trials, buffer, jain_of, 1.0, jain(numbers[f"{sender.group}_mbit_s"]) or 0.0)
                for sender in senders(study, evidence, experiment)
            )
            rows.append(
                (words + (f", queue of {buffer['path.buffer']}" if experiment == "dual" else " (fitted)"), *cells)
            )
    return Table(
        name="evenness",
        title="How evenly two flows of a kind share",
        caption=(
            f"Jain's index of two flows' goodput of 120 s: {means(found[0].trials)}. Fitted: a capacity and 0.4 % of "
            f"random loss. Published: of the rates in {study.published['d1']['source']}, and 2 to 4 likewise."
        ),
        columns=(Column(title="limit"), *(Column(title=label_of(each.style, evidence.engine)) for each in found)),
        rows=tuple(rows),
    )


def own(study: Study, evidence: Evidence) -> Table:
    """What one loss for all makes of the order, and what each kind's own makes of it."""
    variants = evidence.variants("lossy", "lossy_cubic", "lossy_reno", "own_cubic", "own_reno")
    columns = [Column(title="capacity"), Column(title="loss")]
    columns += [Column(title=f"{label_of(variant, evidence.engine)} over CUBIC") for variant in variants]
    totals = {
        name: [sum(study.published[name][f"{group}_mbit_s"]) for group in ("bbr", "cubic", "reno")]
        for name in ("d1", "d3", "d4")
    }
    published = {
        rate: [
            " and ".join(f"{totals[name][place] / totals[name][place + 1]:.2f}" for name in names) for place in (0, 1)
        ]
        for rate, names in (("360 Mbit/s", ("d1",)), ("280 Mbit/s", ("d3", "d4")))
    }
    rows: list[tuple[Entry, ...]] = []
    for rate, (over_cubic, over_reno) in published.items():
        for kind, words in (("lossy", "0.4 % for all"), ("own", "0.25 % over CUBIC, 0.45 % over Reno")):
            cells = [
                entry(
                    evidence.together(["lossy", f"{kind}_cubic"], variant),
                    lambda *trials, rate=rate: over(*(trial.at({"path.rate": rate}) for trial in trials)),
                    published=over_cubic,
                )
                for variant in variants
            ]
            last = entry(
                evidence.together([f"{kind}_cubic", f"{kind}_reno"], variants[0]),
                lambda *trials, rate=rate: over(*(trial.at({"path.rate": rate}) for trial in trials)),
                published=over_reno,
            )
            rows.append((rate, words, *cells, last))
    return Table(
        name="own",
        title="What loss makes of the order of two flows",
        caption=(
            "Goodput of two flows over that of two others of another kind, of 120 s: "
            f"{means(evidence.of('lossy', variants[0]))}. Published: {study.published['d1']['source']}; results 3 and "
            "4 at 280 Mbit/s."
        ),
        columns=(*columns, Column(title="CUBIC over Reno")),
        rows=tuple(rows),
    )


def _cell(
    trials: tuple[SeedSweep, ...],
    point: Mapping[str, str],
    value: Callable[[RunData], float | None],
    factor: float,
    published: float,
) -> Entry:
    return entry(trials, lambda trial: value(trial.at(point)), factor=factor, published=published)
