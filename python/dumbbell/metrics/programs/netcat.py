"""netcat, in its two kinds: OpenBSD's `nc`, which counts nothing, and nmap's `ncat`, which does with `-v`."""

from __future__ import annotations

import re

from dumbbell.engines.measurement import Program
from dumbbell.metrics.programs.report import ProgramReport

_SENT = re.compile(r"^Ncat: (\d+) bytes sent, \d+ bytes received in ([\d.]+) seconds\.", re.MULTILINE)
_NO_ERROR = re.compile(r"succeeded!|^Ncat: (?:Version|Connected to|\d+ bytes sent)")


def read(program: Program) -> ProgramReport:
    """What ncat sent, and what went wrong. How long `nc` took is all that is known of it, and no report of its own."""
    client = program.client
    sent = _SENT.search(client.stderr)
    wrong = [line for line in client.stderr.splitlines() if line.strip() and not _NO_ERROR.search(line)]
    return ProgramReport(
        error=wrong[-1].strip() if wrong and client.status is not None else None,
        payload_bytes=int(sent[1]) if sent else None,
        test_s=float(sent[2]) if sent else None,
    )
