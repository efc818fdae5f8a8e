from __future__ import annotations

from typing import Any

import pytest

from dumbbell.engines.resources import limit_s, memory_mb
from dumbbell.errors import EngineFailure
from experiments import resolved


def path(rate: str, rtt: str, buffer: str, **words: Any) -> dict[str, Any]:
    return {"path": {"rate": rate, "rtt": rtt, "buffer": buffer} | words}


@pytest.mark.parametrize(
    ("words", "megabytes"),
    [
        (path("80 Mbit/s", "25 ms", "1 bdp"), 1024),
        (path("1 Gbit/s", "200 ms", "50 MB"), 1024),
        (path("10 Gbit/s", "200 ms", "250 MB"), 4096),
        (path("10 Gbit/s", "1 s", "10 bdp") | {"duration": "300 s"}, None),
        (path("10 Mbit/s", "20 ms", "100000 bdp"), 1024),
        (path("1 Gbit/s", "200 ms", "100 bdp") | {"duration": "300 s", "host": {"receive_window": "3 MB"}}, 1024),
        (path("1 Gbit/s", "200 ms", "100 bdp") | {"duration": "300 s"}, 32768),
        (path("80 Mbit/s", "25 ms", "1 bdp") | {"flows": [{"cc": "bbr", "count": 4000}]}, 2048),
    ],
)
def test_memory_grows_with_what_can_be_on_the_way(words: dict[str, Any], megabytes: int | None) -> None:
    assert memory_mb(resolved(**words).run) == megabytes


def test_a_run_gets_a_minute_and_time_for_its_packets() -> None:
    assert 60 < limit_s(resolved(duration="1 s").run) < 62
    short, long = (limit_s(resolved(duration=each).run) for each in ("10 s", "1000 s"))
    assert long - 60 == pytest.approx(100 * (short - 60), rel=0.01)
    assert long > 2 * 1000 * 80e6 / 8 / 1514 / 20_000


def test_a_change_of_the_rate_counts() -> None:
    faster = path("80 Mbit/s", "25 ms", "1 bdp", change=[{"at": "5 s", "rate": "8 Gbit/s"}])
    assert limit_s(resolved(**faster).run) - 60 > 50 * (limit_s(resolved().run) - 60)


def test_the_environment_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUMBBELL_RUN_LIMIT_S", "2.5")
    assert limit_s(resolved().run) == 2.5
    monkeypatch.setenv("DUMBBELL_RUN_LIMIT_S", "soon")
    with pytest.raises(EngineFailure, match='"soon" is no number of seconds'):
        limit_s(resolved().run)
