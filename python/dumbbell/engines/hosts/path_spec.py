"""A measured path as an experiment: a spec with each value's interval and reason, like that of a capture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from dumbbell.captures.experiment import PPB, KeyLine, NoExperimentError, known_line, quoted
from dumbbell.engines.hosts.path_estimate import MeasuredPath
from dumbbell.spec.quantity import Bytes, Rate, Share, Time

DURATION: Final = "60 s"
USUAL_MTU_BYTES: Final = 1500
LEAST_BUFFER_BYTES: Final = 20 * 1514
"""As of a capture whose queue was never full."""


def write_spec(measured: MeasuredPath, file: Path, ccs: Sequence[str], command: str) -> Path:
    """Writes the spec of a path with a flow of each algorithm, and gives its file; `command` is what made it.

    Raises:
        NoExperimentError: nothing is known of its rate, or the file cannot be written.
    """
    lines = [
        f"# A path as `{command}` measured it.",
        "# Behind each value: its interval, and how it is known.",
        "",
        f"name = {json.dumps(file.stem)}",
        f"duration = {json.dumps(DURATION)}",
        "",
        "[path]",
        *map(str, _path(measured)),
    ]
    for cc in ccs:
        lines += ["", "[[flows]]", f"cc = {json.dumps(cc)}"]
    try:
        file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    except OSError as error:
        raise NoExperimentError(f"{file}: cannot be written: {error.strerror or error}") from error
    return file


def _path(measured: MeasuredPath) -> Iterator[KeyLine]:
    rate, rtt, queue, loss = measured.rate_bps, measured.rtt_ns, measured.queue_bytes, measured.random_loss
    if rate.value is not None:
        yield known_line("rate", Rate, rate.value, rate)
    elif rate.low:
        yield KeyLine("rate", quoted(Rate, rate.low), rate.reason, instead="at least this is the flow's own rate")
    else:
        raise NoExperimentError(f"the path's rate: {rate.reason}")
    assert rtt.value is not None  # noqa: S101 (without an echo there is no measured path)
    yield known_line("rtt", Time, rtt.value, rtt)
    if queue.value is not None:
        yield known_line("buffer", Bytes, queue.value, queue)
    else:
        waited = queue.low or 0
        instead = f"at least {Bytes.show(waited, 3)} waited"
        yield KeyLine("buffer", quoted(Bytes, max(2 * waited, LEAST_BUFFER_BYTES)), queue.reason, instead=instead)
    if loss.value and loss.low:
        yield known_line("loss", Share, loss.value, loss, PPB)
    if measured.mtu_bytes is not None and measured.mtu_bytes != USUAL_MTU_BYTES:
        yield KeyLine("mtu", str(measured.mtu_bytes), "of the flow's connection")
