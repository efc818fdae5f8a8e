"""Who reads what a program says: by the command's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import PurePath
from typing import Final

from dumbbell.engines.measurement import Program
from dumbbell.metrics.programs import ffmpeg, iperf3, netcat
from dumbbell.metrics.programs.report import ProgramReport, ProgramSummary
from dumbbell.units import NS_PER_S

Reader = Callable[[Program], ProgramReport]
READERS: Final[Mapping[str, Reader]] = {
    "iperf3": iperf3.read,
    "ffmpeg": ffmpeg.read,
    **dict.fromkeys(("nc", "ncat", "netcat", "nc.openbsd", "nc.traditional"), netcat.read),
}
"""By the file's name of the command."""
LONGEST_OUTPUT: Final = 2_000


def read(program: Program) -> ProgramReport | None:
    """What a program says of itself; None where no reader knows it. What it does not say, or garbles, is None."""
    reader = READERS.get(PurePath(program.client.argv[0]).name)
    return None if reader is None else reader(program)


def summary(program: Program, flow_ended_ns: int) -> ProgramSummary:
    """The summary of a program whose flow was over at an instant of the run."""
    client, report = program.client, read(program)
    ended_ns = flow_ended_ns if client.ended_ns is None else client.ended_ns
    return ProgramSummary(
        command=tuple(client.argv),
        status=client.status,
        took_s=max(ended_ns - client.began_ns, 0) / NS_PER_S,
        output=client.stdout[-LONGEST_OUTPUT:] if report is None else None,
        **asdict(report or ProgramReport()),
    )
