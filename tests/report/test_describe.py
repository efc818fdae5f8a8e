"""Path and hosts in words, of runs whose every property is known."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from dumbbell.report.describe import brief, describe_runs
from specs import resolved


def described(*specs: dict[str, Any]) -> dict[str, list[str]]:
    runs = [resolved(**spec) for spec in specs]
    return describe_runs((run.run, list(zip(run.groups, run.ccs, strict=True)), run.rtt_spread_ns, {}) for run in runs)


def path(**changes: Any) -> dict[str, Any]:
    return {"path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "0.5 bdp"} | changes}


def test_a_plain_path() -> None:
    (bottleneck,) = described(path())["Bottleneck"]
    assert bottleneck.startswith("80 Mbit/s, charged on Ethernet frames")
    facts = described(path())
    assert facts["Queue"] == ["0.5 BDP = 125 kB, drop-tail"]
    assert described(path(qdisc="codel"))["Queue"] == ["82 packets, codel, counted in packets"]
    assert facts["Token bucket"] == ["5 kB"]
    assert facts["Random loss"] == ["none"]
    assert facts["Numbers taken from"] == ["5 s to 10 s; gauges every 50 ms"]


def test_what_differs_between_runs_is_listed() -> None:
    facts = described(path(), path(buffer="2 bdp"), path(buffer="2 bdp"))
    assert facts["Queue"] == ["0.5 BDP = 125 kB, drop-tail", "2 BDP = 500 kB, drop-tail"]
    assert len(facts["Bottleneck"]) == 1


def test_a_path_in_one_line() -> None:
    def line(*specs: dict[str, Any]) -> str:
        return brief(described(*specs))

    assert line(path()) == "80 Mbit/s, 25 ms RTT, queue of 0.5 BDP = 125 kB, drop-tail"
    assert line(path(), path(buffer="2 bdp")) == "80 Mbit/s, 25 ms RTT, queues of 0.5 BDP = 125 kB to 2 BDP = 500 kB"
    assert line() == ""


def test_every_property_of_a_path_is_told() -> None:
    facts = described(
        path(
            queue="packets", buffer="100 packets", loss="0.1 %", loss_at="after", burst="1 kB", mtu=9000,
            jitter="20 us", delay_side="split", change=[{"at": "5 s", "rate": "20 Mbit/s"}],
        )
    )  # fmt: skip
    assert facts["Queue"] == ["100 packets, drop-tail, counted in packets"]
    assert facts["Random loss"] == ["0.1 % of the data packets, after the queue"]
    assert facts["Token bucket"] == ["none: a plain line"]
    assert facts["Timing noise of the senders"] == ["each burst up to 20 us late, in order"]
    assert facts["Changes in time"] == ["20 Mbit/s from 5 s on"]
    assert facts["Round trip without a queue"] == ["25 ms, split between data and ACKs"]
    assert "segments of 8948 B" in facts["Hosts"][0]


def test_what_a_line_does_to_packets_is_a_sentence() -> None:
    bursts = {"gilbert_elliott": {"loss": "1 %", "burst": 5}}
    facts = described(
        path(loss=bursts, reorder={"share": "2 %", "by": "15 ms"}, duplicate="0.1 %", corrupt="0.01 %",
             aggregation="4 ms", ack_filter=True)
    )  # fmt: skip
    assert facts["Random loss"] == [
        "1 % of the data packets in the long run, in bursts of 5 packets in the mean, before the queue"
    ]
    assert "; ".join(facts["Packets on the line"]) == (
        "2 % of the packets late by 15 ms; 0.1 % of the packets twice; 0.01 % of the packets damaged;"
        " packets in lumps every 4 ms; superfluous ACKs filtered"
    )
    spread = {"spread": "8 ms", "distribution": "normal", "correlation": "25 %"}
    states = {"gilbert_elliott": {"p": "1 %", "r": "20 %", "h": "10 %"}}
    facts = described(path(reorder=spread, loss=states))
    assert facts["Packets on the line"] == ["delays spread by 8 ms around 8 ms (normal, correlation 25 %)"]
    assert facts["Random loss"][0].endswith(
        " in bad states of 5 packets in the mean, each of which loses 90 %, and the good one 0 %, before the queue"
    )
    assert "Packets on the line" not in described(path())


def test_a_policer_has_no_queue() -> None:
    policed = {"rate": "80 Mbit/s", "rtt": "25 ms", "shaper": "police", "burst": "125 kB", "peak": "90 Mbit/s"}
    facts = described({"path": policed | {"exceed": "mark"}})
    assert facts["Token bucket"] == ["policer of 125 kB, peak 90 Mbit/s, marks what exceeds"]
    assert brief(facts) == "80 Mbit/s, 25 ms RTT, no queue"


def test_changes_are_said_as_they_are_written() -> None:
    tables = [{"at": "2 s", "rate": "20 Mbit/s", "over": "500 ms"}, {"at": "6 s", "rtt": "60 ms", "loss": "1 %"}]
    run = resolved(**path(change=tables))
    senders = list(zip(run.groups, run.ccs, strict=True))
    facts = describe_runs([(run.run, senders, 0, {"path.change": tables})])
    assert facts["Changes in time"] == ["20 Mbit/s from 2 s on (reached in 500 ms); RTT 60 ms and loss 1 % from 6 s on"]
    (unknown,) = describe_runs([(run.run, senders, 0, {})])["Changes in time"]
    assert unknown.startswith("51 changes of rate, delay, loss, ")
    back = {"rate": "5 Mbit/s", "buffer": "9 kB", "duplicate": "1 %", "change": [{"at": "5 s", "rate": "0 bit/s"}]}
    (line,) = described(path(back=back))["Queue on the way back “back”"]
    assert line.endswith("1 % of the packets twice, an outage from 5 s on")


def test_a_spread_of_round_trip_times_is_told_as_it_was_asked_for() -> None:
    flows = [{"cc": "cubic", "count": 2}, {"cc": "reno", "rtt": "50 ms"}]
    facts = described(path() | {"rtt_spread": "1 ms", "flows": flows}, path() | {"flows": flows})
    assert facts["Round trip without a queue"] == [
        "25 ms or 50 ms, each flow's up to 1 ms longer, as the seed draws, all of it on the way of the ACKs",
        "25 ms or 50 ms, all of it on the way of the ACKs",
    ]
    assert len(facts["Senders “cubic”"]) == len(facts["Senders “reno”"]) == 1
    assert facts["Senders “reno”"][0].endswith("50 ms RTT")
    (line,) = described(path() | {"rtt_spread": "1 ms"})["Queue"]
    assert line.startswith("0.5 BDP")


def test_noise_that_is_the_machines_own() -> None:
    run = resolved()
    quiet = structs.replace(run.run, path=structs.replace(run.run.path, jitter_ns=None))
    facts = describe_runs([(quiet, list(zip(run.groups, run.ccs, strict=True)), 0, {})])
    assert facts["Timing noise of the senders"] == ["the machine's own"]


def test_a_line_of_a_router_is_told_from_the_senders_own() -> None:
    access = {"rate": "1 Gbit/s", "buffer": "1 MB"}
    flows = [{"cc": "cubic", "access": access}, {"cc": "reno", "access": access | {"kind": "router"}}]
    facts = described({"flows": flows})
    assert "own line of 1 Gbit/s" in facts["Senders “cubic”"][0]
    assert "behind it a router's line of 1 Gbit/s" in facts["Senders “reno”"][0]


def test_senders_with_their_versions_starts_and_workloads() -> None:
    (crowd,) = described({"flows": [{"cc": "bbr_4_17", "count": 3, "stagger": "2 s"}], "start_jitter": "0 s"})[
        "Senders “bbr_4_17”"
    ]
    assert crowd.startswith("3 x bbr_4_17, BBR as of Linux 4.17")
    assert "starting at 0, 2, 4 s" in crowd
    assert "jitter" not in crowd
    flows = [{
        "cc": "cubic", "name": "video", "count": 2, "rtt": "50 ms", "stop": "8 s", "start": "1 s",
        "workload": {"stream": "2 Mbit/s", "for": "4 s", "every": "40 ms"},
        "access": {"rate": "1 Gbit/s", "buffer": "1 MB"},
    }, {"cc": "reno", "workload": {"transfer": "1 MB"}}]  # fmt: skip
    several = described({"flows": flows, "start_jitter": "100 ms"})
    (video,) = several["Senders “video”"]
    for text in (
        "2 x cubic, CUBIC of Linux 6.1", "each a stream of 2 Mbit/s for 4 s, one write every 40 ms", "until 8 s",
        "50 ms RTT", "own line of 1 Gbit/s with room for 1 MB", "jitter of seed 1 included",
    ):  # fmt: skip
        assert text in video, text
    assert "a transfer of 1 MB" in several["Senders “reno”"][0]
    program = {"command": ["sh", "-c", "nc -N {receiver} 5001"], "server": ["nc", "-l", "5001"]}
    (own,) = described({"flows": [{"cc": "reno", "workload": program}]})["Senders “reno”"]
    assert "the program sh -c 'nc -N {receiver} 5001', to the server nc -l 5001" in own
    assert several["Queue"] == ["250 kB, drop-tail"], "two round trips: no one BDP"


def test_hosts_with_every_setting() -> None:
    host = {
        "socket_memory": "1 MB",
        "receive_window": "3 MB",
        "initial_window": 4,
        "qdisc": "fq",
        "sack_compression": False,
        "gro": True,
        "ack_aggregation": "100 us",
    }
    (hosts,) = described({"host": host})["Hosts"]
    for text in (
        "socket buffers of 1 MB",
        "receive window of 3 MB",
        "window of 4",
        "fq at the senders",
        "no compression",
        "merge segments",
        "at most every 100 us",
    ):
        assert text in hosts, text
