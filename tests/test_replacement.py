from __future__ import annotations

from pathlib import Path

import pytest

from dumbbell.replacement import replacing


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with replacing(file) as partial:
        partial.write_text("old", encoding="utf-8")
    with pytest.raises(OSError, match="full"), replacing(file) as partial:  # noqa: PT012 (what fails is inside)
        partial.write_text("ne", encoding="utf-8")
        raise OSError("full")
    assert [(each.name, each.read_text(encoding="utf-8")) for each in tmp_path.iterdir()] == [("file", "old")]
