"""How the tests of a `make` command ended, in one sentence: how many passed, and what was skipped for want of what.

Run as `tally.py FOLDER`, with pytest's JUnit files and cargo's outputs in the folder.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

_CARGO = re.compile(r"^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored", re.MULTILINE)
_CARGO_SKIPPED = re.compile(r"^skipped \S+: (.+)$", re.MULTILINE)
"""As `crates/agent/src/skipped.rs` tells it; cargo counts such a test as passed."""
_PLACE = re.compile(r"^(Skipped: )?(\S+:\d+: )?")


@dataclass(slots=True)
class Tally:
    """What became of tests."""

    passed: int = 0
    failed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Why tests were skipped, and how many."""

    def add_pytest(self, junit: str) -> None:
        """Adds the tests of a JUnit file."""
        for case in ET.fromstring(junit).iter("testcase"):  # noqa: S314 (pytest wrote it)
            skipped = case.find("skipped")
            if skipped is not None:
                self.reasons[_PLACE.sub("", skipped.get("message", ""))] += 1
            elif case.find("failure") is not None or case.find("error") is not None:
                self.failed += 1
            else:
                self.passed += 1

    def add_cargo(self, output: str) -> None:
        """Adds the tests of an output of `cargo test`."""
        skipped = Counter(reason for reason in _CARGO_SKIPPED.findall(output))
        for passed, failed, ignored in _CARGO.findall(output):
            self.passed += int(passed)
            self.failed += int(failed)
            self.reasons["ignored by an attribute in Rust"] += int(ignored)
        self.passed -= skipped.total()
        self.reasons += skipped  # which drops what there is none of

    def sentence(self) -> str:
        """The whole in one sentence; of reasons that differ only behind a colon what they have in common."""
        alike = defaultdict[str, Counter[str]](Counter)
        for reason, count in self.reasons.items():
            alike[reason.partition(": ")[0]][reason] += count
        sums = [(which.total(), next(iter(which)) if len(which) == 1 else head) for head, which in alike.items()]
        skipped = "; ".join(f"{count:,}: {reason}" for count, reason in sorted(sums, key=lambda each: (-each[0], each)))
        failed = f"{self.failed:,} failed, " * (self.failed > 0)
        return f"{failed}{self.passed:,} passed; skipped {skipped or 'none'}"


def main(folder: Path) -> None:
    """Prints the sentence for the files of a folder."""
    tally = Tally()
    for file in sorted(folder.glob("*.xml")):
        tally.add_pytest(file.read_text(encoding="utf-8"))
    for file in sorted(folder.glob("*.txt")):
        tally.add_cargo(file.read_text(encoding="utf-8"))
    sys.stdout.write(f"{tally.sentence()}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
