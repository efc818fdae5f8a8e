//! Runs for tests: a template, of which a test changes only the fields that matter to it, and what is read from their
//! measurements. Every measurement that is made here is held against the [`laws`] first.

pub mod laws;

use run::{
    Buffer, Controller, Flow, FlowCounters, FlowMeasurement, Host, LossAt, Measure, Measurement, Path, Qdisc, Record,
    Run, SocketMemory, Workload,
};

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;
pub const MBIT: u64 = 1_000_000;

/// Payload of a full segment at an MTU of 1500 bytes, and its frame.
pub const MSS_BYTES: u64 = 1_448;
pub const FRAME_BYTES: u64 = 1_514;

/// One bulk flow of the algorithm `cc` for so many seconds over a plain line, all of the delay on the return side.
/// Every gauge is kept every 10 ms; the window is the whole run.
pub fn one_flow(cc: &str, rate_bps: u64, rtt_ns: u64, buffer_bytes: u64, seconds: u64) -> Run {
    let duration_ns = seconds * SECOND;
    Run {
        seed: 1,
        duration_ns,
        until_done: false,
        path: Path {
            rate_bps,
            buffer: Buffer::Bytes(buffer_bytes),
            burst_bytes: FRAME_BYTES,
            loss_ppb: 0,
            loss_at: LossAt::Before,
            mtu_bytes: 1500,
            offload: false,
            changes: Vec::new(),
        },
        flows: vec![flow(cc, cc, rtt_ns)],
        host: Host {
            socket_memory: SocketMemory::Max,
            receive_window_bytes: None,
            initial_window_segments: 10,
            qdisc: Qdisc::None,
            sack_compression: true,
        },
        measure: Measure { window_begin_ns: 0, window_end_ns: duration_ns, sample_ns: 10 * MS, record: Record::Series },
    }
}

/// A bulk flow from the beginning to the end of the run.
pub fn flow(name: &str, cc: &str, rtt_ns: u64) -> Flow {
    Flow {
        name: name.to_owned(),
        cc: Controller { algorithm: cc.to_owned(), parameters: Default::default() },
        start_ns: 0,
        stop_ns: None,
        workload: Workload::Bulk,
        forward_delay_ns: 0,
        return_delay_ns: rtt_ns,
        access: None,
    }
}

/// Sets parameters of a flow's algorithm.
pub fn set(flow: &mut Flow, parameters: &[(&str, f64)]) {
    flow.cc.parameters.extend(parameters.iter().map(|&(name, value)| (name.to_owned(), value)));
}

/// Bytes of frames that fill the path.
pub fn bdp_bytes(rate_bps: u64, rtt_ns: u64) -> u64 {
    u64::try_from(u128::from(rate_bps) * u128::from(rtt_ns) / 8_000_000_000).expect("a path of this world")
}

/// Measures a run that must be valid, and holds the measurement against the laws.
pub fn measure(run: &Run) -> Measurement {
    let measurement = sim::measure(run).expect("a valid run");
    laws::hold(run, &measurement);
    measurement
}

/// What a counter gained within the window.
pub fn gained(flow: &FlowMeasurement, counter: impl Fn(&FlowCounters) -> u64) -> u64 {
    counter(&flow.at_window_end) - counter(&flow.at_window_begin)
}

/// Length of the window, s.
pub fn window_s(measurement: &Measurement) -> f64 {
    let queue = &measurement.bottleneck;
    (queue.at_window_end.at_ns - queue.at_window_begin.at_ns) as f64 * 1e-9
}

/// Payload delivered in order within the window, bit/s.
pub fn goodput_bps(measurement: &Measurement, flow: usize) -> f64 {
    gained(&measurement.flows[flow], |c| c.delivered_bytes) as f64 * 8.0 / window_s(measurement)
}

/// Share of the bottleneck's rate that its frames took within the window; the rate must not have changed.
pub fn utilization(run: &Run, measurement: &Measurement) -> f64 {
    assert!(run.path.changes.is_empty());
    let queue = &measurement.bottleneck;
    let bytes = queue.at_window_end.sent_bytes - queue.at_window_begin.sent_bytes;
    bytes as f64 * 8.0 / window_s(measurement) / run.path.rate_bps as f64
}

/// The values of a column from `from_ns` on.
pub fn since<T: Copy>(at_ns: &[u64], column: &[T], from_ns: u64) -> Vec<T> {
    let values: Vec<T> = at_ns.iter().zip(column).filter(|(at, _)| **at >= from_ns).map(|(_, value)| *value).collect();
    assert!(!values.is_empty(), "nothing was recorded after {from_ns} ns");
    values
}

/// The mean.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    assert!(count > 0.0, "the mean of nothing");
    sum / count
}
