"""How long `dumbbell advise` takes with nothing stored: each preset alone, and a backup over 1 Gbit/s, with its bars.

    python bench/answers.py                       # a line each: first sign of life, answer, and the bars

Every command runs on a terminal of its own, as a user starts it, so that its bar shows.
"""

from __future__ import annotations

import os
import pty
import sys
import tempfile
import time
from typing import Final

from dumbbell.advice.question import PRESETS

SLOW_BAR_S, FAST_BAR_S, SIGN_BAR_S = 5.0, 15.0, 1.0
"""Up to 200 Mbit/s, up to 1 Gbit/s, and to the first sign of life."""
QUESTIONS: Final = (
    *((f"--preset {name}", SLOW_BAR_S) for name in PRESETS),
    ("--rate 200mbit --rtt 80ms", SLOW_BAR_S),
    ("--preset cdn --rate 200mbit --beside cubic:50", SLOW_BAR_S),
    ("--preset backup --rate 1gbit --rtt 80ms", FAST_BAR_S),
    ("--preset backup --rate 1gbit --rtt 80ms --beside cubic:10", FAST_BAR_S),
    ("--preset cdn --rate 1gbit", FAST_BAR_S),
)


def times(options: str) -> tuple[float, float]:
    """Seconds from the start to the first byte that is shown, and to the end."""
    with tempfile.TemporaryDirectory(prefix="dumbbell-") as cache:
        began = time.perf_counter()
        child, terminal = pty.fork()
        if not child:
            os.environ["DUMBBELL_CACHE"] = cache
            os.execv(sys.executable, [sys.executable, "-m", "dumbbell", "advise", *options.split()])  # noqa: S606
        first_s = 0.0
        while True:
            try:
                shown = os.read(terminal, 65536)
            except OSError:  # the child has closed it
                break
            if not shown:
                break
            first_s = first_s or time.perf_counter() - began
        os.waitpid(child, 0)
        os.close(terminal)
        return first_s, time.perf_counter() - began


def main() -> None:
    """Prints a line a question."""
    print(f"{'question':58} {'sign s':>7} {'bar':>5} {'answer s':>9} {'bar':>5}")
    for options, bar_s in QUESTIONS:
        first_s, all_s = times(options)
        late = " late" if first_s > SIGN_BAR_S or all_s > bar_s else ""
        print(f"{options:58} {first_s:7.2f} {SIGN_BAR_S:5.0f} {all_s:9.2f} {bar_s:5.0f}{late}", flush=True)


if __name__ == "__main__":
    main()
