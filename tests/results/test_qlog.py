"""Logs of senders: what a program that reads qlog finds in them, against what the engine counted and sampled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pandas as pd
import pytest

from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.summary import FlowSummary
from dumbbell.results.export import export_captures
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, expand, resolve
from specs import resolved

DURATION_S = 4
RTT_S = 0.02
TRANSFER_BYTES = 500_000
HEADERS_BYTES = 14 + 20 + 32
HOSTS: dict[str, dict[str, Any]] = {
    "alone": {},
    "with fq and offloads": {"host": {"qdisc": "fq"}, "offload": True},
    "behind devices": {"access": {"rate": "15 Mbit/s", "buffer": "20 packets"}},
}

NUMBER = {"type": "integer", "minimum": 0}
MS = {"type": "number", "minimum": 0}


def table(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split(), "additionalProperties": False}


def event(name: str, data: dict[str, Any]) -> dict[str, Any]:
    return table("time name data", time=MS, name={"const": name}, data=data)


HEADER = table("packet_type packet_number", packet_type={"const": "1RTT"}, packet_number=NUMBER)
RAW = table("length payload_length", length=NUMBER, payload_length=NUMBER)
STREAM = table(
    "frame_type stream_id offset length", frame_type={"const": "stream"}, stream_id=NUMBER, offset=NUMBER, length=NUMBER
)
RANGE = {"type": "array", "items": NUMBER, "minItems": 1, "maxItems": 2}
ACK = table("frame_type", frame_type={"const": "ack"}, acked_ranges={"type": "array", "items": RANGE, "minItems": 1})
TRIGGERS = ["reordering_threshold", "time_threshold", "pto_expired"]
EVENTS = [
    event("transport:packet_sent", table("header frames raw", header=HEADER, raw=RAW, frames={"items": STREAM})),
    event("transport:packet_received", table("header frames raw", header=HEADER, raw=RAW, frames={"items": ACK})),
    event("recovery:packet_lost", table("header trigger", header=HEADER, trigger={"enum": TRIGGERS})),
    event(
        "recovery:parameters_set",
        table(
            "timer_granularity", timer_granularity=NUMBER, max_datagram_size=NUMBER, initial_congestion_window=NUMBER
        ),
    ),
    event(
        "recovery:metrics_updated",
        {
            **table(
                min_rtt=MS, smoothed_rtt=MS, latest_rtt=MS, congestion_window=NUMBER, bytes_in_flight=NUMBER,
                ssthresh=NUMBER, packets_in_flight=NUMBER, pacing_rate=NUMBER,
            ),
            "minProperties": 1,
        },
    ),
    event("recovery:congestion_state_updated", table("new", old={"type": "string"}, new={"type": "string"})),
]  # fmt: skip
TRACE = table(
    "vantage_point title common_fields events",
    title={"type": "string"},
    vantage_point=table(
        "name type", name={"type": "string"}, type={"enum": ["client", "server", "network", "unknown"]}
    ),
    common_fields=table(
        "protocol_type time_format reference_time",
        protocol_type={"type": "array", "items": {"type": "string"}, "minItems": 1},
        time_format={"enum": ["absolute", "relative", "delta"]},
        reference_time=MS,
    ),
    events={"type": "array"},
)
FILE = table(
    "qlog_version qlog_format title traces",
    qlog_version={"const": "0.3"},
    qlog_format={"const": "JSON"},
    title={"type": "string"},
    traces={"type": "array", "items": TRACE, "minItems": 1, "maxItems": 1},
)
"""What draft-ietf-quic-qlog-main-schema-02 and draft-ietf-quic-qlog-quic-events-02 say in CDDL of what is there."""


class Log(NamedTuple):
    """A flow's log, and what the engine says of the flow."""

    flow: FlowSummary
    series: pd.DataFrame
    document: dict[str, Any]

    def events(self, name: str) -> Iterator[tuple[float, dict[str, Any]]]:
        every = self.document["traces"][0]["events"]
        return ((event["time"] / 1_000, event["data"]) for event in every if event["name"].endswith(f":{name}"))

    def acked(self) -> Iterator[tuple[float, int]]:
        for at_s, data in self.events("packet_received"):
            for first, last in data["frames"][0].get("acked_ranges", ()):
                yield from ((at_s, number) for number in range(first, last + 1))


def experiment(about: dict[str, Any], **measure: object) -> Experiment:
    flows: list[dict[str, Any]] = [
        {"cc": "cubic"},
        {"cc": "bbr"},
        {"cc": "reno", "workload": {"transfer": f"{TRANSFER_BYTES} B"}, "name": 'a "name"'},
    ]
    access = {"access": about["access"]} if "access" in about else {}
    offload = {"offload": True} if "offload" in about else {}
    return Experiment(
        name="logged",
        duration=f"{DURATION_S} s",
        path={"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "0.5 bdp", "loss": "0.1 %", **offload},
        flows=[{**flow, **access} for flow in flows],
        measure={"window": ["0 s", f"{DURATION_S} s"], "sample": "7 ms", **measure},
        **({"host": about["host"]} if "host" in about else {}),
    )


@pytest.fixture(scope="module", params=HOSTS)
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Log]:
    folder = tmp_path_factory.mktemp("logged")
    with Store.open(folder / "store", write=True) as store:
        (outcome,) = run_campaign(store, experiment(HOSTS[request.param], record="qlog"), SimEngine())
        assert isinstance(outcome, Result)
        assert store.kinds(outcome.run_id) == {"flows", "queue", *(f"flow-{flow}.qlog" for flow in range(3))}
        assert list(store.faults()) == []
        series = store.series(outcome.run_id, "flows")
        files = list(export_captures(store, folder))
    assert [file.name for file in files] == [f"{outcome.run_id}.flow-{flow}.qlog" for flow in range(3)]
    documents = [json.loads(file.read_bytes()) for file in files]
    return [
        Log(flow, series[series.flow == index], document)
        for index, (flow, document) in enumerate(zip(outcome.flows, documents, strict=True))
    ]


def test_a_log_is_as_the_drafts_say_and_its_times_are_in_order(logs: list[Log]) -> None:
    validators = {each["properties"]["name"]["const"]: jsonschema.Draft202012Validator(each) for each in EVENTS}
    for log in logs:
        jsonschema.validate(log.document, FILE)
        assert log.document["title"] == log.flow.name
        events = log.document["traces"][0]["events"]
        for event in events:
            validators[event["name"]].validate(event)
        times = [event["time"] for event in events]
        assert times == sorted(times)


def test_what_was_sent_and_sent_again_is_what_the_engine_counted(logs: list[Log]) -> None:
    for log in logs:
        sent = [data["header"]["packet_number"] for _, data in log.events("packet_sent")]
        assert sent == list(range(log.flow.segments_sent))
        lost = [data["header"]["packet_number"] for _, data in log.events("packet_lost")]
        assert len(lost) == len(set(lost)) == log.flow.retransmits > 0
        raw = [data["raw"] for _, data in log.events("packet_sent")]
        assert {each["length"] - each["payload_length"] for each in raw} == {HEADERS_BYTES}
        acks = {data["raw"]["length"] - HEADERS_BYTES for _, data in log.events("packet_received")}
        assert {0, 12} <= acks <= {0, 12, 20, 28}, "with up to three SACK blocks"


def test_each_byte_is_acknowledged_once_and_by_one_packet(logs: list[Log]) -> None:
    for log in logs:
        streams = [data["frames"][0] for _, data in log.events("packet_sent")]
        acked = [number for _, number in log.acked()]
        assert max(Counter(acked).values()) == 1
        parts = sorted((streams[number]["offset"], streams[number]["length"]) for number in acked)
        assert all(a + length <= b for (a, length), (b, _) in pairwise(parts))
        total = sum(length for _, length in parts)
        if log.flow.flow == 2:
            assert total == TRANSFER_BYTES
            continue
        delivered = log.series.set_index("time_s").delivered_bytes
        # ACKs of what arrived within the last round trips, queues and all, are under way.
        assert delivered[: DURATION_S - 5 * RTT_S].iloc[-1] <= total
        assert log.flow.goodput_bps is not None
        assert total <= round(log.flow.goodput_bps * DURATION_S / 8)


def test_metrics_and_phases_are_those_that_are_sampled(logs: list[Log]) -> None:
    columns = {
        "congestion_window": ("cwnd_bytes", 1),
        "bytes_in_flight": ("inflight_bytes", 1),
        "ssthresh": ("ssthresh_bytes", 1),
        "pacing_rate": ("pacing_rate_bps", 1),
        "smoothed_rtt": ("srtt_s", 1e-3),
        "min_rtt": ("min_rtt_s", 1e-3),
    }
    for log in logs:
        updates = [*log.events("metrics_updated"), *log.events("congestion_state_updated")]
        updates.sort(key=lambda update: update[0])
        known: dict[str, Any] = {}
        compared: Counter[str] = Counter()
        place = 0
        for sample in log.series.to_dict("records"):
            time_s = sample["time_s"]
            while place < len(updates) and updates[place][0] <= time_s + 1e-10:
                known |= updates[place][1]
                place += 1
            for metric, (column, unit) in columns.items():
                if not pd.isna(sample[column]):
                    assert known[metric] * unit == pytest.approx(sample[column], rel=1e-12), (metric, time_s)
                    compared[metric] += 1
            assert known["new"] in {sample["phase"], "recovery"}
        wanted = columns if log.flow.cc == "bbr" else set(columns) - {"pacing_rate"}
        assert set(compared) >= set(wanted)
        assert min(compared.values()) > 10


def test_a_run_that_is_logged_measures_the_same(tmp_path: Path) -> None:
    def run(*record: str) -> Run:
        (point,) = expand(experiment({}, record=list(record)))
        return resolve(point, 1).run

    logged, plain = SimEngine().capture(run("acks", "pcap", "qlog"), tmp_path), SimEngine().measure(run("acks"))
    assert [flow.at_end for flow in logged.flows] == [flow.at_end for flow in plain.flows]
    assert logged.bottleneck.at_end == plain.bottleneck.at_end
    assert len(list(tmp_path.iterdir())) == 6


def test_what_has_no_log_is_said() -> None:
    def problems(*flows: dict[str, Any]) -> list[str]:
        run = resolved(flows=list(flows), measure={"record": "qlog"}).run
        return [str(problem) for problem in SimEngine().unsupported_fields(run)]

    source = {"cc": "reno", "workload": {"arrivals": {"load": 0.1, "count": 5}, "size": "20 kB"}}
    assert problems({"cc": "reno"}, source) == []
    (none,) = problems(source)
    assert "measure.record" in none
    assert "no source of short transfers" in none
    (many,) = problems({"cc": "reno", "count": 257})
    assert "257 are too many; at most 256" in many
