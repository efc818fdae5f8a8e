"""What is run: one flow of each algorithm on a few paths that differ in BDP and buffer, without random loss.

Nothing but the flow itself fills the queue, so that each engine repeats its cycle and cycles can be laid over one
another. Seeds differ in the start jitter, hence in where the flow meets the clock's ticks, and in BBR's cycle phase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dumbbell.spec import Experiment

if TYPE_CHECKING:
    from collections.abc import Iterator

LOSS_BASED: Final = ("reno", "cubic")
MODEL_BASED: Final = ("bbr", "bbr_4_17", "bbr_1_1", "bbr_1_5", "bbr_shallow")
PATHS: Final = (("10 Mbit/s", "40 ms", "1 bdp"), ("80 Mbit/s", "25 ms", "1 bdp"), ("80 Mbit/s", "100 ms", "0.5 bdp"))
DURATION: Final = "60 s"
"""BBR's PROBE_RTT comes five times; Reno has nine epochs of 6 s on the second path."""
LONG_DURATION: Final = "240 s"
"""Of Reno and CUBIC on the third path, where Reno takes half a window of 1000 segments, one a round, to come back."""
SAMPLE: Final = "5 ms"
"""A fifth of the shortest RTT."""


def experiments() -> Iterator[Experiment]:
    """Every condition, in the order of the tables."""
    for cc in (*LOSS_BASED, *MODEL_BASED):
        for number, (rate, rtt, buffer) in enumerate(PATHS, start=1):
            is_long = cc in LOSS_BASED and number == len(PATHS)
            yield Experiment(
                name=f"curve-{cc}-{number}",
                duration=LONG_DURATION if is_long else DURATION,
                start_jitter="100 ms",
                path={"rate": rate, "rtt": rtt, "buffer": buffer},
                flows=[{"cc": cc}],
                measure={"sample": SAMPLE},
            )
