"""One run of a small experiment, resolved."""

from __future__ import annotations

from typing import Any

from dumbbell.spec import Experiment, Resolved, expand, resolve


def resolved(**words: Any) -> Resolved:
    """10 s at 80 Mbit/s and 25 ms with the window in the second half and one BBR flow, but for what `words` say."""
    usual: dict[str, Any] = {
        "duration": "10 s",
        "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"},
        "flows": [{"cc": "bbr"}],
        "measure": {"window": ["50 %", "100 %"]},
    }
    experiment = Experiment(**usual | words)
    (point,) = expand(experiment)
    return resolve(point, experiment.seed_values[0])
