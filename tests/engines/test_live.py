"""What is heard of a run while it is measured: lines that may be cut, late, hostile, or of several hosts."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from dumbbell.engines import live as feeds
from dumbbell.engines.live import Feed, LiveEngine, LiveReading, tailed, watched
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec.run import Run
from processes import soon
from specs import resolved

FLOW = {
    "delivered_bytes": 1000, "acked_bytes": 900, "retransmitted_segments": 3, "srtt_us": 25000, "cwnd_segments": 10,
    "running": True,
}  # fmt: skip


class Noting:
    """A watcher that notes what it is called with."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.readings: list[LiveReading] = []

    def begin(self, run: Run) -> None:
        self.calls.append(f"begin {run.seed}")

    def read(self, run: Run, reading: LiveReading) -> None:
        del run
        self.readings.append(reading)

    def end(self, run: Run) -> None:
        self.calls.append(f"end {run.seed}")


def line(at_ns: int, *flows: dict[str, Any]) -> bytes:
    return json.dumps({"at_ns": at_ns, "flows": flows}).encode() + b"\n"


@pytest.fixture
def noting() -> Noting:
    return Noting()


@pytest.fixture
def feed(noting: Noting) -> Feed:
    return Feed(resolved(flows=[{"cc": "bbr"}, {"cc": "cubic"}]).run, noting)


def test_lines_may_be_cut_anywhere(feed: Feed, noting: Noting) -> None:
    data = line(1, FLOW, FLOW) + line(2, FLOW, FLOW)
    for at in range(len(data)):
        feed.take(data[at : at + 1])
    assert [reading.at_ns for reading in noting.readings] == [1, 2]
    assert structs.asdict(noting.readings[0].flows[1]) == FLOW


@pytest.mark.parametrize(
    "data",
    [
        b"\n",
        b"null\n",
        b"\xff\xfe\n",
        b'{"at_ns": 1}\n',
        line(1, FLOW),
        line(1, FLOW, FLOW, FLOW),
        line(-1, FLOW, FLOW),
        line(2**70, FLOW, FLOW),
        line(1, FLOW, FLOW | {"cwnd_segments": -1}),
        line(1, FLOW, FLOW | {"cwnd_segments": 1.5}),
        line(1, FLOW, FLOW | {"running": "<script>"}),
        line(1, FLOW, FLOW | {"name": "\x1b[2J"}),
        line(1, FLOW, {}),
        b"[" * 100_000 + b"\n",
        b" " * 100_000 + line(1, FLOW, FLOW),
        b" " * 100_000,
    ],
)
def test_what_is_no_reading_of_the_run_ends_the_feed_and_raises_nothing(
    feed: Feed, noting: Noting, data: bytes
) -> None:
    feed.take(line(1, FLOW, FLOW))
    feed.take(data)
    feed.take(b"\n" + line(2, FLOW, FLOW))
    assert feed.over
    assert [reading.at_ns for reading in noting.readings] == [1]


def test_hosts_that_each_see_a_part_are_one_reading(feed: Feed, noting: Noting) -> None:
    unseen = dict.fromkeys(FLOW, 0) | {"running": False}
    feed.take(line(5, FLOW | {"delivered_bytes": 0}, unseen)[:20], "a")
    feed.take(line(4, unseen | {"delivered_bytes": 950}, FLOW), "b")
    feed.take(line(5, FLOW | {"delivered_bytes": 0}, unseen)[20:], "a")
    assert [reading.at_ns for reading in noting.readings] == [4, 5]
    assert [structs.asdict(flow) for flow in noting.readings[1].flows] == [FLOW | {"delivered_bytes": 950}, FLOW]


def test_a_watcher_hears_the_end_of_a_run_that_fails(noting: Noting) -> None:
    with pytest.raises(EngineFailure), watched(resolved().run, noting):
        raise EngineFailure("it did")
    assert noting.calls == ["begin 1", "end 1"]


def test_whom_nobody_watches_nothing_is_written_for(tmp_path: Path) -> None:
    with watched(resolved().run, None) as nobody, tailed(tmp_path / "live", nobody) as fields:
        assert (nobody, fields, [*tmp_path.iterdir()]) == (None, {}, [])


def test_a_file_is_read_as_it_grows_and_emptied_when_it_is_long(
    feed: Feed, noting: Noting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "MOST_BYTES", 500)
    file = tmp_path / "live"
    with tailed(file, feed) as fields:
        assert fields == {"live": str(file)}
        for at_ns in range(1, 6):
            with file.open("ab") as lines:
                lines.write(line(at_ns, FLOW, FLOW))
            assert soon(lambda count=at_ns: len(noting.readings) == count)  # type: ignore[misc]
            assert soon(lambda: file.stat().st_size <= 500), "emptied before the next line, which would be lost too"
        with file.open("ab") as lines:
            lines.write(line(6, FLOW, FLOW))
    assert [reading.at_ns for reading in noting.readings] == [1, 2, 3, 4, 5, 6], "the last one at the end"
    assert "live" not in {thread.name for thread in threading.enumerate()}


def test_netns_can_be_watched_and_the_simulator_cannot() -> None:
    assert isinstance(NetnsEngine(), LiveEngine)
    assert not isinstance(SimEngine(), LiveEngine)


@pytest.mark.slow
@pytest.mark.parametrize("record", ["summary", "series"])
def test_a_real_run_is_heard_of_while_it_is_measured(live: NetnsEngine, noting: Noting, record: str) -> None:
    flows = [
        {"cc": "cubic"},
        {"cc": "reno", "start": "500 ms", "stop": "1 s"},
        {"cc": "reno", "workload": {"transfer": "200 kB"}},
    ]
    path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}
    measure = {"window": ["0 %", "100 %"], "record": record}
    run = resolved(duration="2 s", start_jitter="0 s", path=path, flows=flows, measure=measure).run
    live.watcher = noting
    measured = live.measure(run)
    assert noting.calls == ["begin 1", "end 1"]
    at_ns = [reading.at_ns for reading in noting.readings]
    assert 3 <= len(at_ns) <= 2 * 5 + 1, "five a second at most"
    assert at_ns == sorted(at_ns)
    for place, flow in enumerate(measured.flows):
        seen = [reading.flows[place] for reading in noting.readings]
        counts = [each.delivered_bytes for each in seen]
        assert counts == sorted(counts)
        assert counts[-1] <= flow.at_end.delivered_bytes
        assert seen[-1].retransmitted_segments <= flow.at_end.segments_retransmitted
        assert all(each.acked_bytes <= each.delivered_bytes + 2 for each in seen), "what is acknowledged was delivered"
        assert any(each.running and each.srtt_us >= 19_000 and each.cwnd_segments >= 2 for each in seen)
    bulk, stopped, transfer = noting.readings[-1].flows
    assert bulk.running
    assert bulk.acked_bytes > 1_000_000
    assert [(flow.running, flow.srtt_us, flow.cwnd_segments) for flow in (stopped, transfer)] == [(False, 0, 0)] * 2
    assert transfer.delivered_bytes == 200_000
    assert stopped.delivered_bytes == measured.flows[1].at_end.delivered_bytes > 0


@pytest.mark.slow
def test_a_run_that_nobody_watches_has_no_such_file(live: NetnsEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    write = Path.write_text

    def noted(path: Path, text: str, *, encoding: str) -> int:
        written.append(text)
        return write(path, text, encoding=encoding)

    monkeypatch.setattr(Path, "write_text", noted)
    live.measure(resolved(duration="1 s", flows=[{"cc": "reno"}]).run)
    assert [job["task"] for job in map(json.loads, written) if "live" not in job] == ["measure"]
