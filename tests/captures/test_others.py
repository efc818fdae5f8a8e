"""Captures that others made, broken ones among them: each is read, or refused in one line."""

from __future__ import annotations

import pytest

import othercaptures
from dumbbell.captures.analysis import CaptureError, Sink, analyse
from dumbbell.captures.text import notices

FILES = othercaptures.fetched()


@pytest.mark.skipif(not FILES, reason="no captures of others: make captures")
def test_every_capture_is_read_or_refused() -> None:
    assert len(FILES) >= othercaptures.LEAST
    refused: list[str] = []
    tcp = 0
    for file in FILES:
        try:
            analysis = analyse(file, Sink())
        except CaptureError as error:
            refused.append(str(error))
            continue
        frames = analysis.report.frames
        named = sum(sum(frames[kind].values()) for kind in ("malformed", "tunnels", "others", "unknown_links"))
        assert frames["frames"] == frames["tcp"] + frames["fragments"] + frames["short"] + named, file
        assert all("\n" not in note for note in notices(analysis)), file
        tcp += frames["tcp"]
    assert [each for each in refused if "\n" in each or ": no capture: " not in each] == []
    assert len(refused) < len(FILES) / 100
    assert tcp > len(FILES)
