"""`run --live`: what is shown of a run while it is measured, in a terminal and on a page of this machine."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from rich.console import Console

from commandline import dumbbell
from dumbbell.cli.live import server
from dumbbell.cli.live.history import MOST_TRACKS, SPAN_S, History, tracks_of
from dumbbell.cli.live.lines import lines
from dumbbell.cli.live.server import served
from dumbbell.cli.live.view import LiveView
from dumbbell.engines import registry
from dumbbell.engines.live import LiveFlow, LiveReading, Watcher, watched
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure, ReportError
from dumbbell.problem import Problem
from dumbbell.spec.run import Run
from processes import HANG_S
from specs import resolved
from terminals import on_a_terminal, screens
from webpage import Webpage

S = 10**9
HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J\x9b2J\u202e"


def flow(delivered_bytes: int = 0, **more: Any) -> LiveFlow:
    usual = {"acked_bytes": 0, "retransmitted_segments": 0, "srtt_us": 25_000, "cwnd_segments": 10, "running": True}
    return LiveFlow(**{"delivered_bytes": delivered_bytes, **usual, **more})


def run_with(*flows: dict[str, Any]) -> Run:
    return resolved(flows=list(flows)).run


def history_of(run: Run, *readings: tuple[float, list[LiveFlow]], label: str = "two: seed 1") -> History:
    """What is known of a run after some readings, each with its time in seconds."""
    history = History(lambda _: label, runs=3)
    history.begin(run)
    for at_s, flows in readings:
        history.read(run, LiveReading(at_ns=round(at_s * S), flows=tuple(flows)))
    return history


def two_flows(label: str = "two: seed 1", name: str = "far") -> History:
    """10 Mbit/s and 3 Mbit/s, for three seconds."""
    run = run_with({"cc": "bbr"}, {"cc": "cubic"})
    run = structs.replace(run, flows=(run.flows[0], structs.replace(run.flows[1], name=name)))
    times = [nth / 5 for nth in range(1, 16)]
    return history_of(
        run,
        *((at_s, [flow(round(1.25e6 * at_s)), flow(round(375_000 * at_s), srtt_us=0)]) for at_s in times),
        label=label,
    )


def test_goodput_is_that_of_the_last_second() -> None:
    run = run_with({"cc": "bbr"})
    history = history_of(run, (0.5, [flow(500_000)]), (1.0, [flow(1_000_000)]), (1.5, [flow(1_000_000)]))
    assert [each.gauges[0].goodput_bps for each in history.situation().instants] == [8e6, 8e6, 4e6]
    history.read(run, LiveReading(at_ns=5 * S, flows=(flow(2_000_000, retransmitted_segments=7),)))
    (gauge,) = history.situation().instants[-1].gauges
    assert gauge.goodput_bps == pytest.approx(8e6 / 3.5), "the time since the last reading, where that is longer"
    assert (gauge.retransmitted_segments, gauge.retransmitted_lately) == (7, 7)


def test_a_sender_alone_suffices() -> None:
    history = history_of(run_with({"cc": "bbr"}), (1.0, [flow(0, acked_bytes=1_250_000)]))
    assert history.situation().instants[0].gauges[0].goodput_bps == 10e6


def test_two_minutes_stay_and_each_instant_is_given_once() -> None:
    history = history_of(run_with({"cc": "bbr"}), *((float(at_s), [flow()]) for at_s in range(1, 301)))
    instants = history.situation().instants
    assert (instants[0].at_s, instants[-1].at_s) == (300 - SPAN_S, 300)
    assert [each.at_s for each in history.situation(instants[-3].number).instants] == [299, 300]
    history.begin(run_with({"cc": "bbr"}))
    situation = history.situation(instants[-1].number)
    assert (situation.run, [*situation.instants]) == (2, [])


def test_a_reading_that_is_older_than_the_last_or_of_no_run_is_left_out() -> None:
    run = run_with({"cc": "bbr"})
    history = history_of(run, (2.0, [flow(1)]), (1.0, [flow(2)]), (2.0, [flow(3)]))
    history.end(run)
    history.read(run, LiveReading(at_ns=9 * S, flows=(flow(4),)))
    assert [each.at_s for each in history.situation().instants] == [2.0]


def test_of_several_runs_at_once_the_last_one_is_shown() -> None:
    run, later = run_with({"cc": "bbr"}), run_with({"cc": "bbr"}, {"cc": "cubic"})
    history = history_of(run, (1.0, [flow()]))
    history.begin(later)
    history.read(run, LiveReading(at_ns=2 * S, flows=(flow(),)))
    history.end(run)
    situation = history.situation()
    assert (len(situation.tracks), [*situation.instants], situation.over) == (2, [], False)


def test_many_flows_are_shown_by_algorithm_and_many_algorithms_together() -> None:
    named = [("bbr_shallow, 4 flows", "bbr_shallow"), ("cubic, 9 flows", "cubic")]
    few = run_with({"cc": "bbr", "count": 3}, {"cc": "cubic", "name": "far"})
    assert [track.label for track in tracks_of(few)] == ["bbr", "bbr-2", "bbr-3", "far, cubic"]
    many = run_with({"cc": "bbr_shallow", "count": 4}, {"cc": "cubic", "count": 9})
    assert [(each.label, each.algorithm) for each in tracks_of(many)] == named
    web = run_with({"cc": "cubic", "count": 12}, {"cc": "bbr", "name": "web"})
    assert [track.label for track in tracks_of(web)] == ["cubic, 12 flows", "web, bbr"]
    readings = [flow(1_000, srtt_us=10_000)] * 4 + [flow(2_000, running=False, srtt_us=0)] * 9
    shallow, cubic = history_of(many, (1.0, readings)).situation().instants[0].gauges
    assert (shallow.goodput_bps, shallow.srtt_s, shallow.cwnd_segments, shallow.running) == (32_000, 0.01, 40, 4)
    assert (cubic.goodput_bps, cubic.srtt_s, cubic.running) == (144_000, None, 0)
    (one,) = run_with({"cc": "bbr"}).flows
    assert one.cc is not None
    other = tuple(
        structs.replace(one, name=f"f{nth}", cc=structs.replace(one.cc, algorithm=f"cc{nth}")) for nth in range(15)
    )
    tracks = tracks_of(structs.replace(many, flows=other))
    assert (len(tracks), tracks[-1].label) == (MOST_TRACKS, "4 more algorithms, 4 flows")
    assert sorted(place for track in tracks for place in track.places) == list(range(15))


def test_lines_of_a_usual_terminal() -> None:
    assert lines(two_flows().situation(), 80, 22) == [
        "two: seed 1",
        "run 1 of 3: 3.0 of 10 s",
        "",
        "flow        goodput    RTT  retrans-      cwnd  goodput,",
        "             Mbit/s     ms  missions  segments  last 32 s",
        "bbr            10.0   25.0         0        10  ████",
        "far, cubic     3.00      -         0        10  ▃▃▃▃",
    ]


@pytest.mark.parametrize("width", [1, 20, 33, 40, 79, 80, 200])
@pytest.mark.parametrize("height", [0, 1, 5, 8, 22, 60])
def test_lines_fit_whatever_terminal_there_is(width: int, height: int) -> None:
    run = run_with({"cc": "bbr", "count": 6}, {"cc": "cubic", "name": "流" * 30, "count": 6})
    shown = lines(history_of(run, (1.0, [flow(1)] * 12), label="x" * 300).situation(), width, height)
    assert len(shown) <= height
    text = StringIO()
    console = Console(file=text, width=width, height=height + 2, force_terminal=True)
    console.print("\n".join(shown), markup=False, highlight=False, overflow="crop", no_wrap=True)
    assert len(text.getvalue().splitlines()) == max(1, len(shown))
    if (width, height) == (80, 8):
        assert shown[-1] == "and 10 more: a taller terminal has them, and so has the page"
    if (width, height) == (33, 22):
        assert "goodput" in shown[3]
        assert "cwnd" not in shown[3]


def test_what_others_wrote_does_not_command_the_terminal() -> None:
    text = StringIO()
    console = Console(file=text, width=200, height=24, force_terminal=True, no_color=True)
    console.print(LiveView(two_flows(label=HOSTILE, name=HOSTILE)))
    assert not re.search(r"[\x1b\x9b\u202e]", text.getvalue())
    assert r"onerror=alert(1)>\u001b[2J\u009b2J\u202e" in text.getvalue()


# The page.


@pytest.fixture
def address() -> Iterator[str]:
    with served(two_flows(label=HOSTILE, name=HOSTILE)) as given:
        yield given


def parts(address: str) -> tuple[int, str]:
    match = re.fullmatch(r"http://127\.0\.0\.1:([0-9]+)/([A-Za-z0-9_-]{22})", address)
    assert match, address
    return int(match[1]), match[2]


def answer(
    address: str, path: str = "", method: str = "GET", host: str | None = None
) -> tuple[int, dict[str, str], str]:
    """The status, the headers and the text of an answer; `host`: what a browser says that it has come to."""
    port, token = parts(address)
    connection = HTTPConnection("127.0.0.1", port, timeout=HANG_S)
    connection.putrequest(method, path or f"/{token}", skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    given = connection.getresponse()
    text = given.read().decode()
    connection.close()
    return given.status, dict(given.getheaders()), text


def test_the_page_asks_nobody_else_and_may_do_no_more_than_it_has_to(address: str) -> None:
    status, headers, text = answer(address)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    page = Webpage(text)
    assert page.requests() == []
    assert len(page.scripts) == len(page.styles) == 1
    assert not [attributes for _, attributes in page.elements if {"style", "onclick", "onload"} & set(attributes)]
    assert "innerHTML" not in text
    policy = dict(each.strip().split(" ", 1) for each in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    for kind, own in (("script-src", page.scripts[0][1]), ("style-src", page.styles[0])):
        assert policy[kind] == f"'{server._hash(own)}'"
    assert {headers[name] for name in ("Cache-Control", "Referrer-Policy", "X-Content-Type-Options")} == {
        "no-store", "no-referrer", "nosniff",
    }  # fmt: skip
    assert HOSTILE not in text


def test_readings_are_those_behind_a_number(address: str) -> None:
    path = f"/{parts(address)[1]}/readings"
    status, headers, text = answer(address, path)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    value = json.loads(text)
    assert (value["label"], value["done"], value["runs"], value["duration_s"]) == (HOSTILE, 0, 3, 10)
    assert [track["label"] for track in value["tracks"]] == ["bbr", f"{HOSTILE}, cubic"]
    assert len(value["instants"]) == 15
    assert value["instants"][-1] == [15, 3.0, [[1e7, 0.025, 10, 0, 0, 1], [3e6, None, 10, 0, 0, 1]]]
    assert [each[0] for each in json.loads(answer(address, f"{path}?after=13")[2])["instants"]] == [14, 15]
    for after in ("-1", "x", "1e3", "9" * 5000, "٣"):
        bad = after if after.isascii() else "%D9%A3"
        assert len(json.loads(answer(address, f"{path}?after={bad}")[2])["instants"]) == 15


@pytest.mark.parametrize("path", ["/", "/readings", "/{}x", "/{:.21}", "/x/../{}", "/{}/x", "/{}/readings/x"])
def test_who_does_not_know_the_token_gets_nothing(address: str, path: str) -> None:
    status, _, text = answer(address, path.format(parts(address)[1]))
    assert (status, text) == (404, "Not Found\n")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{}", "127.0.0.1", "127.0.0.1:1", "[::1]:{}", "0.0.0.0:{}"]
)
def test_who_came_by_another_name_of_the_machine_gets_nothing(address: str, host: str) -> None:
    assert answer(address, host=host.format(parts(address)[0]))[0] == 403
    assert answer(address, host=f"LOCALHOST:{parts(address)[0]}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "MKCOL"])
def test_nothing_but_get_is_answered(address: str, method: str) -> None:
    status, headers, text = answer(address, method=method)
    assert (status, headers["Allow"], text) == (405, "GET", "" if method == "HEAD" else "Method Not Allowed\n")


@pytest.mark.parametrize(
    "request_",
    [b"GET /{} HTTP/1.1\r\n\r\n", b"GET /{} HTTP/1.1\r\nHost: {}\r\nHost: evil.example\r\n\r\n", b"GET /{}\r\n\r\n"],
)
def test_a_request_with_no_name_or_with_two_is_refused(address: str, request_: bytes) -> None:
    port, token = parts(address)
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as connection:
        text = request_.decode().replace("/{}", f"/{token}").replace("{}", f"127.0.0.1:{port}")
        connection.sendall(text.encode())
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b"Forbidden\n" in received
    assert b"<script>" not in received


def test_no_other_machine_comes_to_it_and_it_ends_with_the_command(address: str) -> None:
    port, _ = parts(address)
    with served(two_flows()) as other:
        assert parts(other)[1] != parts(address)[1]
        others_port = parts(other)[0]
        names = subprocess.run(["/bin/ss", "-Hltn", f"sport = :{port}"], capture_output=True, check=False, text=True)
        if names.returncode == 0 and names.stdout:
            assert names.stdout.split()[3] == f"127.0.0.1:{port}"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", others_port), timeout=HANG_S)


def test_a_machine_without_loopback_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LOOPBACK", "192.0.2.1")
    with pytest.raises(ReportError, match=r"^live page on 192\.0\.2\.1: Cannot assign"), served(two_flows()):
        pass


@pytest.mark.slow
def test_a_browser_shows_flows_by_their_names_whatever_these_are(address: str, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no browser")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--window-size=420,900"]
    command = [browser, *options, f"--user-data-dir={tmp_path}", "--dump-dom", address]
    dom = subprocess.run(command, capture_output=True, check=False, text=True, timeout=HANG_S).stdout
    if not dom:
        pytest.skip("the browser does not start here")
    page = Webpage(dom)
    assert page.named("img") == []
    assert "</script><img src=x onerror=alert(1)>" in page.said
    assert "run 1 of 3: 3.0 s of 10 s" in page.said
    assert "10.0" in page.said
    assert len([each for each in page.named("path") if each["d"].count("L") == 14]) == 5, "one of six has no RTT"


# The command.


class Watched(SimEngine):
    """The simulator under the name of a live engine, which says of each run that 1.25 MB came in the first second."""

    name = "netns"
    live = True
    watcher: Watcher | None = None
    meanwhile: Callable[[], None] = staticmethod(lambda: None)

    def measure(self, run: Run) -> Measurement:
        with watched(run, self.watcher) as feed:
            assert feed is not None
            flows = [structs.asdict(flow(1_250_000)) for _ in run.flows]
            feed.take(json.dumps({"at_ns": S, "flows": flows}).encode() + b"\n")
            self.meanwhile()
            virtual = structs.replace(run, path=structs.replace(run.path, jitter_ns=0))
            return super().measure(virtual)

    def unsupported_fields(self, run: Run) -> list[Problem]:
        del run
        return []


def test_the_address_of_the_page_is_printed_and_has_the_run_that_is_measured(
    moment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, seen = Watched(), list[tuple[str, float]]()
    monkeypatch.setattr(registry, "engine", lambda _: engine)

    def look() -> None:
        history = engine.watcher
        assert isinstance(history, History)
        situation = history.situation()
        seen.append((situation.label, situation.instants[-1].gauges[0].goodput_bps))

    engine.meanwhile = look
    done = dumbbell("run", moment, "--engine", "netns", "--live")
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^live page, for this machine only: http://127\.0\.0\.1:\d+/[\w-]{22}$", done.stderr, re.MULTILINE
    )
    assert "note: standard error is no terminal, so the flows are on that page only" in done.stderr
    assert sorted(seen) == [
        (f"moment: path.buffer = {buffer} bdp, seed {seed}", 10e6) for buffer in ("0.5", "2") for seed in (1, 2)
    ]
    assert engine.watcher is None
    again = dumbbell("run", moment, "--engine", "netns", "--live")
    assert (again.returncode, "live page" in again.stderr) == (0, False), "nothing is measured"


@pytest.mark.parametrize("engine", ["sim", "linux"])
def test_an_engine_in_virtual_time_cannot_be_watched(moment: Path, store: Path, engine: str) -> None:
    done = dumbbell("run", moment, "--engine", engine, "--live")
    if "needs x86-64 Linux" in done.stderr or "not in this installation" in done.stderr or "no kernel" in done.stderr:
        pytest.skip("no such engine here")
    assert (done.returncode, done.stdout) == (2, "")
    said = " ".join(re.sub("[│╭╮╰╯─]", "", done.stderr).split())
    assert f"--live: runs of {engine} are not in real time, so nobody can watch them; --engine netns" in said
    assert not store.exists()


def test_there_is_nothing_to_watch_where_nothing_runs(moment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "engine", lambda _: Watched())
    done = dumbbell("run", moment, "--engine", "netns", "--live", "--dry-run")
    assert done.returncode == 2
    assert "--live: nothing runs with --dry-run" in " ".join(done.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_terminal_shows_the_flows_of_a_real_run(tmp_path: Path, interrupted: bool) -> None:  # noqa: FBT001
    try:
        NetnsEngine().ready()
    except EngineFailure as failure:
        pytest.skip(f"no live engine here: {failure}")
    spec = tmp_path / "pair.toml"
    spec.write_text(
        'duration = "4 s"\n[path]\nrate = "20 Mbit/s"\nrtt = "20 ms"\nbuffer = "1 bdp"\n'
        '[[flows]]\ncc = "cubic"\n[[flows]]\ncc = "reno"\nname = "near"\n',
        encoding="utf-8",
    )
    seen = on_a_terminal(
        "run", spec, "--engine", "netns", "--live", "--out", tmp_path / "store", size=(80, 24),
        until=b"near, reno" if interrupted else None,
    )  # fmt: skip
    address = re.search(r"http://127\.0\.0\.1:(\d+)/[\w-]{22}", seen)
    assert address
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(address[1])), timeout=HANG_S)
    frames = [frame for frame in screens(seen, 80) if any(line.startswith("near, reno ") for line in frame)]
    assert frames
    assert max(map(len, frames)) <= 24
    assert max(len(line) for frame in frames for line in frame) <= 80
    if interrupted:
        assert "interrupted: 0 of 1 run are in" in seen.replace("\r\n", "")
        return
    shown = [
        (float(match[1]), frame) for frame in frames for line in frame
        if (match := re.fullmatch(r"run 1 of 1: (\d\.\d) of 4 s", line))
    ]  # fmt: skip
    assert len({at_s for at_s, _ in shown}) >= 4, "it moves"
    at_s, frame = shown[-1]
    assert 2 < at_s <= 4
    assert "pair: seed 1" in frame
    goodputs = [float(line.split()[-5]) for line in frame if line.startswith(("cubic ", "near, reno "))]
    assert 15 < sum(goodputs) < 21
    assert not any("near, reno" in line for line in screens(seen, 80)[-1]), "it is gone at the end"
