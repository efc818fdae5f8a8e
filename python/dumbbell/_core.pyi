"""The simulator, in Rust (crates/py). Private: `engines.sim` and `cc` are the two that call it."""

from collections.abc import Mapping
from typing import TypedDict, type_check_only

import numpy as np
import numpy.typing as npt

__all__ = ["__version__", "_panic", "algorithms", "check_parameters", "identity", "measure", "measurement", "problems"]

__version__: str

def measure(run_json: str) -> _Measurement:
    """Measures one run, given as the JSON of `run::Run`. Other threads run meanwhile.

    Raises `dumbbell.errors.EngineFailure` when the simulator panics or the run is not one that it can honour.
    """

def measurement(json: bytes) -> _Measurement:
    """What another process measured, given as the JSON of `run::Measurement`.

    Raises `dumbbell.errors.EngineFailure` when it is none.
    """

def problems(run_json: str) -> list[tuple[str, str]]:
    """`(path, message)` of every field that the simulator cannot honour."""

def algorithms() -> list[_Algorithm]:
    """Every algorithm of the registry, with its parameters."""

def check_parameters(algorithm: str, parameters: Mapping[str, float]) -> list[str]:
    """What is wrong with these parameters of this algorithm; empty when nothing is."""

def identity() -> str:
    """SHA-256 over everything that decides a measurement's bytes: the model's sources and Cargo.lock."""

def _panic(message: str) -> None:
    """Panics, so that a test can see what a panic becomes."""

@type_check_only
class _Measurement(TypedDict):
    ended_ns: int
    flows: list[_FlowMeasurement]
    bottleneck: _QueueMeasurement
    facts: dict[str, str]

@type_check_only
class _FlowMeasurement(TypedDict):
    started_ns: int
    completed_ns: int | None
    at_window_begin: _FlowCounters
    at_window_end: _FlowCounters
    at_end: _FlowCounters
    rtt_min_ns: int | None
    ack_rtt: _Histogram
    series: _FlowSeries
    acks: _AckSamples
    phases: list[str]

@type_check_only
class _FlowCounters(TypedDict):
    at_ns: int
    delivered_bytes: int
    bottleneck_bytes: int
    segments_sent: int
    segments_retransmitted: int
    segments_lost: int
    acks: int
    timeouts: int
    probes: int
    undos: int
    dropped_packets: int
    random_lost_packets: int
    app_limited_ns: int
    rwnd_limited_ns: int
    sndbuf_limited_ns: int

@type_check_only
class _FlowSeries(TypedDict):
    at_ns: npt.NDArray[np.uint64]
    srtt_us: npt.NDArray[np.uint32]
    delivered_bytes: npt.NDArray[np.uint64]
    bottleneck_bytes: npt.NDArray[np.uint64]
    cwnd_segments: npt.NDArray[np.uint32]
    ssthresh_segments: npt.NDArray[np.uint32]
    inflight_segments: npt.NDArray[np.uint32]
    min_rtt_us: npt.NDArray[np.uint32]
    cc_min_rtt_us: npt.NDArray[np.uint32]
    pacing_rate_bps: npt.NDArray[np.uint64]
    delivery_rate_bps: npt.NDArray[np.uint64]
    bandwidth_bps: npt.NDArray[np.uint64]
    pacing_gain_256ths: npt.NDArray[np.uint16]
    cwnd_gain_256ths: npt.NDArray[np.uint16]
    phase: npt.NDArray[np.uint8]

@type_check_only
class _AckSamples(TypedDict):
    at_ns: npt.NDArray[np.uint64]
    rtt_ns: npt.NDArray[np.uint64]

@type_check_only
class _QueueMeasurement(TypedDict):
    at_window_begin: _QueueCounters
    at_window_end: _QueueCounters
    at_end: _QueueCounters
    series: _QueueSeries

@type_check_only
class _QueueCounters(TypedDict):
    at_ns: int
    offered_packets: int
    sent_packets: int
    sent_bytes: int
    dropped_packets: int
    random_lost_packets: int
    queued_packets: int
    queued_bytes: int

@type_check_only
class _QueueSeries(TypedDict):
    at_ns: npt.NDArray[np.uint64]
    backlog_bytes: npt.NDArray[np.uint64]
    backlog_packets: npt.NDArray[np.uint32]
    dropped_packets: npt.NDArray[np.uint64]
    sent_packets: npt.NDArray[np.uint64]

@type_check_only
class _Histogram(TypedDict):
    first_bin: int
    counts: npt.NDArray[np.uint32]
    count: int
    sum: int

@type_check_only
class _Algorithm(TypedDict):
    name: str
    title: str
    source: str
    parameters: list[_Parameter]
    ordered: list[tuple[str, str]]

@type_check_only
class _Parameter(TypedDict):
    name: str
    about: str
    unit: str
    default: float
    range: tuple[float, float]
    kind: str
    source: str
