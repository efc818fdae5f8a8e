"""The captures of a run in a folder: all of them, or none; and what those at its senders say of single ACKs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

import dumbbell._core as _core
from dumbbell.engines import scratch
from dumbbell.engines.measurement import AckSamples, Histogram, Measurement

if TYPE_CHECKING:
    from dumbbell.spec.run import Run

PATTERN = "*.pcapng.zst"
"""One for each point (`crates/pcap/src/capture_file.rs`)."""
SENDERS = "senders.pcapng.zst"
HEADERS_BYTES = 96
"""Enough of a frame for all headers."""


def with_acks(run: Run, folder: Path | None, measured: Callable[[Run, Path | None], Measurement]) -> Measurement:
    """Has a run measured, with captures in a folder if one is given; and with single ACKs, if the run records them.

    Those are read from the capture at the senders, which is made in a folder of its own where no other asks for it.
    """
    if run.measure.record != "acks":
        return measured(run, folder)
    measure = run.measure
    if folder is not None:
        points = dict.fromkeys(("senders", *measure.capture_at))
        captured = structs.replace(run, measure=structs.replace(measure, capture_at=tuple(points)))
        measurement = _read(run, measured(captured, folder), folder / SENDERS)
        if "senders" not in measure.capture_at:
            (folder / SENDERS).unlink()
        return measurement
    with scratch.folder() as own:
        measure = structs.replace(measure, snap_bytes=HEADERS_BYTES, capture_at=("senders",))
        return _read(run, measured(structs.replace(run, measure=measure), own), own / SENDERS)


def _read(run: Run, measurement: Measurement, capture: Path) -> Measurement:
    senders = [measurement.facts.get(f"flows[{index}].sender", "") for index in range(len(run.flows))]
    window_ns = (run.measure.window_begin_ns, run.measure.window_end_ns)
    samples = _core.ack_samples(capture, senders, window_ns)
    flows = tuple(
        replace(flow, acks=AckSamples(**acks), ack_rtt=Histogram(**within))
        for flow, (acks, within) in zip(measurement.flows, samples, strict=True)
    )
    return replace(measurement, flows=flows)


@contextmanager
def all_or_none(folder: Path) -> Iterator[None]:
    """Removes what is there of them when the run fails that leaves them."""
    try:
        yield
    except BaseException:
        for capture in folder.glob(PATTERN):
            capture.unlink(missing_ok=True)
        raise
