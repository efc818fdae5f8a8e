"""The document's tables, and numbers of its text as tables: ours, and the published ones beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell.charts.table import Amount, Column, Entry, Table
from dumbbell.studies.cao2019.claims import (
    DEEP,
    LARGE,
    QUEUE,
    RATE,
    RTT,
    SHALLOW,
    cubics_retransmits,
    deep_loss,
    gain,
    goodput,
    latency_decrease,
    loss_cliff,
    pooled_loss,
    retransmits,
    shallow_loss,
)
from dumbbell.studies.drawing import MBIT, PERCENT, entry, means
from dumbbell.studies.label import label_of
from dumbbell.studies.sweep import number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.studies.evidence import Evidence, SeedSweep
    from dumbbell.studies.study import Study

CELLS = (
    ("goodput (Mbit/s), 500 Mbit/s, 200 ms, 100 KB", "200 ms", SHALLOW, goodput, MBIT, "mbit_s"),
    ("retransmits, 500 Mbit/s, 25 ms, 100 KB", "25 ms", SHALLOW, retransmits, 1.0, "shallow_retransmits"),
    ("retransmits, 500 Mbit/s, 25 ms, 10 MB", "25 ms", DEEP, retransmits, 1.0, "deep_retransmits"),
)
BURSTS = (
    ("1-Gbit/s line, packets (as in the grid)", "1 Gbit/s", False, "5 kB"),
    ("1-Gbit/s line, super-packets of up to 64 kB", "1 Gbit/s", True, "70 kB"),
    ("1-Gbit/s line, bucket of 250 kB", "1 Gbit/s", False, "250 kB"),
    ("1-Gbit/s line, bucket of 1 MB", "1 Gbit/s", False, "1 MB"),
    ("1-Gbit/s line, bucket of 1.5 MB", "1 Gbit/s", False, "1.5 MB"),
    ("25-Gbit/s line, packets", "25 Gbit/s", False, "5 kB"),
)
"""What arrives at the queue, and how: in words, the sender's line, super-packets, the token bucket's depth."""
FORMS: tuple[tuple[str, str, dict[str, bool]], ...] = (
    ("no line, packets (Figure 8a)", "figure8a", {}),
    ("no line, super-packets", "figure8a_forms", {"path.offload": True}),
    ("1-Gbit/s line, packets", "figure8a_forms", {"path.offload": False}),
    ("24 MB of socket memory", "figure8a_memory", {}),
)
"""What is different, in which experiment, and at which of its points."""


def table1(study: Study, evidence: Evidence) -> Table:
    """Retransmissions of both flows in each queue."""
    numbers = study.published["table1"]
    variants = evidence.variants("figure8a")
    rows: list[tuple[Entry, ...]] = []
    for place, size in enumerate(numbers["buffer"]):
        row: list[Entry] = [size]
        for variant in variants:
            trials = [trial.where({QUEUE.path: size}) for trial in evidence.of("figure8a", variant)]
            row += [
                entry(trials, lambda trial: retransmits(trial.runs[0]), published=numbers["bbr"][place]),
                entry(trials, lambda trial: cubics_retransmits(trial.runs[0]), published=numbers["cubic"][place]),
            ]
        rows.append(tuple(row))
    columns = [Column(title="queue")]
    for variant in variants:
        name = label_of(variant, evidence.engine)
        columns += [Column(title=name), Column(title=f"CUBIC beside {name}")]
    return Table(
        name="table1",
        title="Retransmits of one BBR and one CUBIC flow beside one another (Table 1)",
        caption=(
            f"Segments retransmitted in 60 s at 1 Gbit/s and 20 ms: {means(evidence.of('figure8a', variants[0]))}; "
            f"published: {numbers['source']}."
        ),
        columns=tuple(columns),
        rows=tuple(rows),
    )


def losses(study: Study, evidence: Evidence) -> Table:
    """Mean and pooled loss of the two planes."""
    numbers = study.published["losses"]
    senders = _senders(evidence, "grid", "grid_cubic")
    rows: list[tuple[Entry, ...]] = []
    for plane, words, mean in (("shallow", SHALLOW, shallow_loss), ("deep", DEEP, deep_loss)):
        size = words["path.buffer"].replace("kB", "KB")
        told = {name: numbers[f"{'cubic' if name == 'cubic' else 'bbr'}_{plane}_percent"] for name in senders}
        rows.append(
            (
                f"{size}, mean of the runs",
                *(entry(trials, mean, factor=PERCENT, published=told[name]) for name, trials in senders.items()),
            )
        )
        rows.append(
            (
                f"{size}, all runs together",
                *(entry(part_of(trials, words), pooled_loss, factor=PERCENT) for trials in senders.values()),
            )
        )
    return Table(
        name="losses",
        title="Average loss in both planes",
        caption=(
            "Retransmitted / sent segments of the 64 cells of each plane, averaged over the runs and of all runs "
            f"together: {means(next(iter(senders.values())))}; published: {numbers['source']}."
        ),
        columns=(Column(title="queue"), *(Column(title=label_of(name, evidence.engine), unit="%") for name in senders)),
        rows=tuple(rows),
    )


def cells(study: Study, evidence: Evidence) -> Table:
    """The cells of the planes that the text tells."""
    numbers = study.published["cells"]
    senders = _senders(evidence, "grid", "grid_cubic")
    rows: list[tuple[Entry, ...]] = [
        (
            words,
            *(
                entry(
                    part_of(trials, {**plane, RATE.path: "500 Mbit/s", RTT.path: rtt}),
                    lambda trial, value=value: value(trial.runs[0]),
                    factor=factor,
                    published=numbers[f"{'cubic' if name == 'cubic' else 'bbr'}_{key}"],
                )
                for name, trials in senders.items()
            ),
        )
        for words, rtt, plane, value, factor, key in CELLS
    ]
    return Table(
        name="cells",
        title="The cells of Figure 5 that the text tells",
        caption=f"One flow of 60 s: {means(next(iter(senders.values())))}; published: {numbers['source']}.",
        columns=(Column(title="cell"), *(Column(title=label_of(name, evidence.engine)) for name in senders)),
        rows=tuple(rows),
    )


def cliff_points(study: Study, evidence: Evidence) -> Table:
    """Each gain's cliff, with and without the detector of policers where the engine has both."""
    numbers = study.published["cliffs"]
    variants = evidence.variants("figure7", "figure7_1_1", "figure7_1_5")
    rows: list[tuple[Entry, ...]] = []
    without = {"figure7_1_1": "cliffs_1_1", "figure7": "cliffs", "figure7_1_5": "cliffs_1_5"}
    published = [numbers[f"{each}_percent"] for each in ("bbr_1_1", "bbr", "bbr_1_5")]
    gains = study.published["figure7"]["gains"]
    for variant in variants:
        for experiment, theirs, predicted in zip(without, published, gains, strict=True):
            name = study.control(experiment, variant)
            other = evidence.of(without[experiment], variant)
            if not other and name == "bbr":
                other = evidence.of("figure7_undetected", variant)
            rows.append(
                (
                    label_of(name, evidence.engine),
                    Amount(PERCENT * (1 - 1 / predicted)),
                    entry(evidence.of(experiment, variant), loss_cliff, factor=PERCENT, published=theirs),
                    entry(other, loss_cliff, factor=PERCENT),
                )
            )
    titles = ("1 - 1/gain", "cliff", "cliff without the detector")
    return Table(
        name="cliff_points",
        title="The loss at which BBR falls off",
        caption=(
            "The largest random loss, all smaller ones included, with 80 % of what rate x (1 - loss) would carry; "
            f"points 1 % apart: {means(evidence.of('figure7', variants[0]))}; published: {numbers['source']}."
        ),
        columns=(Column(title="sender"), *(Column(title=title, unit="%") for title in titles)),
        rows=tuple(rows),
    )


def bursts(study: Study, evidence: Evidence) -> Table:
    """Goodput and retransmissions with other bursts at the queue."""
    numbers = study.published["bursts"]
    senders = _senders(evidence, "bursts", "bursts_cubic")
    rows: list[tuple[Entry, ...]] = []
    for name, trials in senders.items():
        group = "cubic" if name == "cubic" else "bbr"
        for words, line, offload, bucket in BURSTS:
            where = {"flows[0].access.rate": line, "path.offload": offload, "path.burst": bucket, **SHALLOW}
            prefix = {"25 Gbit/s": "replicated_", "1 Gbit/s": ""}[line]
            theirs = (
                {}
                if bucket != "5 kB"
                else {key: numbers[f"{prefix}{group}_{key}"] for key in ("mbit_s", "retransmits")}
            )
            rows.append((
                label_of(name, evidence.engine),
                words,
                entry(part_of(trials, {**where, RTT.path: "200 ms"}), lambda trial: goodput(trial.runs[0]), factor=MBIT,
                      published=theirs.get("mbit_s")),
                entry(part_of(trials, {**where, RTT.path: "25 ms"}), lambda trial: retransmits(trial.runs[0]),
                      published=theirs.get("retransmits")),
                entry(part_of(trials, {**where, RTT.path: "200 ms"}), lambda trial: retransmits(trial.runs[0])),
            ))  # fmt: skip
    return Table(
        name="bursts",
        title="What bursts decide: 500 Mbit/s with a queue of 100 KB",
        caption=(
            "One flow of 60 s through a sender's line of 1 or 25 Gbit/s and a token bucket of 5 kB unless said; "
            "packets one by one, or super-packets whole: "
            f"{means(next(iter(senders.values())))}; published: {numbers['source']}."
        ),
        columns=(
            Column(title="sender"),
            Column(title="arrives at the queue"),
            Column(title="goodput at 200 ms", unit="Mbit/s"),
            Column(title="retransmits at 25 ms"),
            Column(title="retransmits at 200 ms"),
        ),
        rows=tuple(rows),
    )


def fast_line(study: Study, evidence: Evidence) -> Table:
    """Goodput gain and latency decrease at 1 Gbit/s, 100 KB, behind the grid's line and behind a faster one."""
    names = ("fast_line", "fast_line_cubic", "fast_transfer", "fast_transfer_cubic")
    variants = evidence.variants(*names, "grid", "grid_cubic", "transfer", "transfer_cubic")
    cell = {RATE.path: "1 Gbit/s", **SHALLOW}
    rows: list[tuple[Entry, ...]] = []
    for variant in variants:
        slow = {
            "gain": _parts(evidence.together(["grid", "grid_cubic"], variant), cell),
            "decrease": _parts(evidence.together(["transfer", "transfer_cubic"], variant), {**cell, **LARGE}),
        }
        fast = {
            "gain": evidence.together(["fast_line", "fast_line_cubic"], variant),
            "decrease": evidence.together(["fast_transfer", "fast_transfer_cubic"], variant),
        }
        for rtt in sorted(
            {str(run.point[RTT.path]) for run in fast["gain"][0][0].runs}, key=lambda rtt: number(rtt, "ms")
        ):
            at = {RTT.path: rtt}
            rows.append(
                (
                    label_of(variant, evidence.engine),
                    rtt,
                    *(
                        entry(
                            _parts(each[key], at),
                            lambda ours, theirs, v=value: v(ours.only, theirs.only),
                            factor=PERCENT,
                        )
                        for key, value in (("gain", gain), ("decrease", latency_decrease))
                        for each in (slow, fast)
                    ),
                )
            )
    titles = ("goodput gain", "goodput gain, 25-Gbit/s line", "latency decrease", "latency decrease, 25-Gbit/s line")
    return Table(
        name="fast_line",
        title="What the sender's line decides at 1 Gbit/s with a queue of 100 KB",
        caption=(
            "Of 60 s, and of 100 MB, each flow alone, through a sender's line of 1 Gbit/s, which is as slow as the "
            f"bottleneck, and through one of 25 Gbit/s: {means(evidence.of('fast_line', variants[0]))} for the faster "
            f"line. {study.short} have gains of 0 to 24 % in this row (reference)."
        ),
        columns=(
            Column(title="sender"), Column(title="RTT"), *(Column(title=title, unit="%") for title in titles),
        ),
        rows=tuple(rows),
    )  # fmt: skip


def figure8a_forms(study: Study, evidence: Evidence) -> Table:
    """BBR's share and both flows' retransmissions, with other bursts at the queue and with less socket memory."""
    numbers, shares = study.published["table1"], study.published["figure8a"]
    variants = evidence.variants("figure8a", "figure8a_forms", "figure8a_memory")
    told = dict(zip(shares["buffer"], shares["bbr_percent"], strict=True))
    rows: list[tuple[Entry, ...]] = []
    for variant in variants:
        for place, size in enumerate(numbers["buffer"]):
            for words, experiment, where in FORMS:
                found = part_of(evidence.of(experiment, variant), {QUEUE.path: size, **where})
                rows.append((
                    label_of(variant, evidence.engine),
                    size,
                    words,
                    entry(found, lambda trial: trial.only.result.groups["bbr"].share, factor=PERCENT,
                          published=told.get(size)),
                    entry(found, lambda trial: retransmits(trial.only), published=numbers["bbr"][place]),
                    entry(found, lambda trial: cubics_retransmits(trial.only), published=numbers["cubic"][place]),
                ))  # fmt: skip
    return Table(
        name="figure8a_forms",
        title="What bursts and socket memory decide beside CUBIC: Figure 8a and Table 1",
        caption=(
            "One BBR and one CUBIC flow at 1 Gbit/s and 20 ms, 60 s: as in Figure 8a; with super-packets of up to "
            "64 kB that reach the queue whole; with a line of 1 Gbit/s for each sender; and with sockets of 24 MB: "
            f"{means(evidence.of('figure8a', variants[0]))}, for super-packets and lines "
            f"{means(evidence.of('figure8a_forms', variants[0]))}; published: {numbers['source']}."
        ),
        columns=(
            Column(title="BBR"),
            Column(title="queue"),
            Column(title="form"),
            Column(title="BBR's share", unit="%"),
            Column(title="BBR's retransmits"),
            Column(title="CUBIC's retransmits"),
        ),
        rows=tuple(rows),
    )


def part_of(trials: Sequence[SeedSweep], where: Mapping[str, Any]) -> list[SeedSweep]:
    """The part of a sweep that has these values, seed by seed."""
    return [trial.where(where) for trial in trials]


def _senders(evidence: Evidence, experiment: str, control: str) -> dict[str, tuple[SeedSweep, ...]]:
    """Each version's trials, and CUBIC's once."""
    variants = evidence.variants(experiment, control)
    return {each: evidence.of(experiment, each) for each in variants} | {"cubic": evidence.of(control, variants[0])}


def _parts(trials: Sequence[tuple[SeedSweep, ...]], where: Mapping[str, Any]) -> list[tuple[SeedSweep, ...]]:
    """The same of trials of several experiments, as far as each sweeps it."""
    return [tuple(part_of(each, where)) for each in trials]
