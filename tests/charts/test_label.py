from __future__ import annotations

import pytest

from dumbbell.charts.style import label_of


@pytest.mark.parametrize(
    ("name", "engine", "label"),
    [
        ("cubic", "sim", "CUBIC of Linux 6.1"),
        ("cubic", "linux", "CUBIC of Linux 6.1"),
        ("cubic", "linux:6.12", "CUBIC of Linux 6.12"),
        ("bbr_shallow", "linux:6.12", "BBR of Linux 6.12, cwnd gain 1.5"),
        ("cubic", "netns", "CUBIC of the machine's kernel"),
        ("bbr_4_17", "linux:6.12", "BBR as of Linux 4.17 (parameters)"),
        ("flow 1", "linux:6.12", "flow 1"),
    ],
)
def test_a_label_names_the_kernel_of_the_engine(name: str, engine: str, label: str) -> None:
    assert label_of(name, engine) == label
