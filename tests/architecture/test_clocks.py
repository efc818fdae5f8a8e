"""No test asks a machine to be fast: which tests look at a clock, and what for."""

from __future__ import annotations

import re

from commandline import ROOT

CLOCK = re.compile(r"\b(perf_counter|monotonic|process_time|thread_time|getrusage)\b|performance\.now")
WHY = {
    "tests/architecture/test_clocks.py": "names them",
    "tests/campaign/test_forecast.py": "what a run took, beside its forecast: a ratio within one run",
    "tests/campaign/test_survival.py": "the memory that a process had",
    "tests/support/paces.py": "slows them, and says how long the tests took",
    "tests/support/processes.py": "ends what hangs",
    "explorer/tests/test_changes.py": "ends what hangs",
}


def test_no_test_looks_at_a_clock_but_for_what_is_said_here() -> None:
    files = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("explorer/tests/*.*")]
    matches = {file.relative_to(ROOT).as_posix() for file in files if CLOCK.search(file.read_text(encoding="utf-8"))}
    assert len(files) > 200
    assert matches <= set(WHY)


def test_no_test_in_rust_looks_at_a_clock() -> None:
    """Nor does any code but the agent's, whose clock is that of Linux's own calls, and what leaves a simulation."""
    files = [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("crates/*/tests/**/*.rs")]
    assert len(files) > 100
    looking = [file for file in files if re.search(r"\bInstant::now\b|SystemTime", file.read_text(encoding="utf-8"))]
    assert looking == [ROOT / "crates/py/src/lib.rs"]
