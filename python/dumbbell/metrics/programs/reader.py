"""Who reads what a program says: by the command's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
SHELLS: Final = ("sh", "bash", "dash")
LONGEST_OUTPUT: Final = 2_000


def read(program: Program) -> ProgramReport | None:
    """What a program says of itself; None where no reader knows it. What it does not say, or garbles, is None."""
    reader = READERS.get(program_name(program.client.argv))
    return None if reader is None else reader(program)


def program_name(argv: Sequence[str]) -> str:
    """The program's name, without its folder; of a shell's `-c` that of the last program of its pipe.

    >>> program_name(["/usr/bin/iperf3", "-J"]), program_name(["sh", "-c", "cat film | nc -N 10.1.0.2 5001"])
    ('iperf3', 'nc')
    """
    arguments = list(argv)
    if arguments and PurePath(arguments[0]).name in SHELLS and "-c" in arguments[:-1]:
        arguments = arguments[arguments.index("-c") + 1].rpartition("|")[2].split()
    return PurePath(arguments[0]).name if arguments else ""


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
