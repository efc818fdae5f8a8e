"""Short transfers: what is drawn follows from the seed and the name, and has the mean that was asked for."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from dumbbell.spec import expand, load
from measured import known
from specs import run_of, smallest

MEAN_BYTES = 1000 * 0.2 + 5500 * 0.4 + 55_000 * 0.4
"""Of the sizes below, all as likely between two of them."""
SOURCE = {"arrivals": {"load": 0.5}, "size": {"lognormal": {"mean": "20 kB", "sigma": 1}}}


def drawn(
    source: dict[str, Any], fields: dict[str, Any] | None = None, *, seed: int = 1, flow: int = 0, **options: Any
) -> tuple[tuple[int, int], ...]:
    """The arrivals of a flow of a spec over 100 Mbit/s."""
    overrides = {"path.rate": "100 Mbit/s"} | (fields or {}) | {f"flows[{flow}].workload": source}
    return known(run_of(overrides, seed, **options).flows[flow].work.arrivals).arrivals


def test_what_is_offered_is_the_load_with_headers() -> None:
    arrivals = drawn(SOURCE, {"duration": "100 s"})
    wire_bits = sum(8 * (size + -(-size // 1448) * 66) for _, size in arrivals)
    assert wire_bits / (100 * 100e6) == pytest.approx(0.5, rel=0.05)


def test_the_seed_and_the_name_alone_decide() -> None:
    arrivals = drawn(SOURCE)
    assert arrivals != drawn(SOURCE, seed=2)
    others: list[dict[str, Any]] = [{"cc": "cubic"}, {"cc": "reno", "count": 7}]
    assert drawn(SOURCE, {"flows": others}) == arrivals, "as with one flow of bbr"
    assert drawn(SOURCE, {"flows": [{"cc": "bbr"}, {"cc": "bbr"}]}, flow=1) != arrivals, "another place"
    named = drawn(SOURCE, {"flows": [{"cc": "cubic", "name": "web"}]})
    moved = [{"cc": "cubic"}, {"cc": "reno", "name": "web"}]
    assert drawn(SOURCE, {"flows": moved}, flow=1) == named != arrivals


def test_load_and_size_have_streams_of_their_own() -> None:
    arrivals = drawn(SOURCE | {"arrivals": {"rate": "100 /s", "count": 200}})
    faster = drawn(SOURCE | {"arrivals": {"rate": "200 /s", "count": 200}})
    assert [size for _, size in arrivals] == [size for _, size in faster]
    assert all(abs(slow - 2 * fast) <= 1 for (slow, _), (fast, _) in zip(arrivals, faster, strict=True))
    alike = drawn({"arrivals": {"rate": "100 /s", "count": 200}, "size": "1 kB"})
    assert [at_ns for at_ns, _ in arrivals] == [at_ns for at_ns, _ in alike]


def test_arrivals_end_with_their_number_the_flow_and_the_run() -> None:
    often = {"arrivals": {"rate": "100 /s"}, "size": "1 kB"}
    assert len(drawn(often | {"arrivals": {"rate": "100 /s", "count": 17}})) == 17
    assert 900 < len(drawn(often, {"duration": "10 s"})) < 1100
    assert drawn(often, {"duration": "10 s"})[-1][0] < 10e9
    cut = drawn(often, {"duration": "10 s", "flows[0].start": "2 s", "flows[0].stop": "5 s"})
    assert 2.8e9 < cut[-1][0] < 3e9
    late = {"arrivals": {"rate": "1 /s", "count": 100}, "size": "1 kB"}
    done = drawn(late, {"duration": "until done", "time_limit": "10 s"})
    assert len(done) == 100, "those that would come too late are not complete"


def test_files_give_times_sizes_or_both(tmp_path: Path) -> None:
    (tmp_path / "both.csv").write_text("time,bytes\n0.5,100\n0.5,7\n", encoding="utf-8")
    (tmp_path / "times.csv").write_text("1\n2.25\n", encoding="utf-8")
    (tmp_path / "sizes.csv").write_text("bytes,share\n1000,0.2\n10000,0.6\n100000,1\n", encoding="utf-8")

    def of(source: dict[str, Any]) -> tuple[tuple[int, int], ...]:
        return drawn(source, folder=tmp_path)

    assert of({"arrivals": {"trace": "both.csv"}}) == ((500_000_000, 100), (500_000_000, 7))
    assert of({"arrivals": {"trace": "both.csv", "count": 1}}) == ((500_000_000, 100),)
    assert of({"arrivals": {"trace": "times.csv"}, "size": "5 B"}) == ((1_000_000_000, 5), (2_250_000_000, 5))
    measured = of({"arrivals": {"rate": "1000 /s"}, "size": {"cdf": "sizes.csv"}})
    assert fmean(size for _, size in measured) == pytest.approx(MEAN_BYTES, rel=0.05)


def test_load_and_size_are_swept() -> None:
    source = {"arrivals": {"load": [0.3, 0.6]}, "size": {"pareto": {"mean": ["10 kB", "1 MB"], "shape": 1.5}}}
    points = [point.values for point in expand(load(smallest(flows=[{"cc": "cubic", "workload": source}])))]
    assert len(points) == 4
    assert points[1] == {"flows[0].workload.arrivals.load": 0.3, "flows[0].workload.size.pareto.mean": "1 MB"}
    several_sizes = SOURCE | {"size": ["10 kB", {"lognormal": {"median": "1 kB", "sigma": 1}}]}
    assert len(list(expand(load(smallest(flows=[{"cc": "cubic", "workload": several_sizes}]))))) == 2
