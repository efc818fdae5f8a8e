//! Runs for tests, and what is read from their measurements. Every measurement that is made here is held against the
//! [`laws`] first.

pub mod laws;

use run::{Flow, FlowCounters, FlowMeasurement, Measurement, Run};

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;
pub const MBIT: u64 = 1_000_000;

/// Payload of a full segment at an MTU of 1500 bytes.
pub const MSS_BYTES: u64 = 1_448;

/// Sets parameters of a flow's algorithm.
pub fn set(flow: &mut Flow, parameters: &[(&str, f64)]) {
    let cc = flow.cc.as_mut().expect("a connection");
    cc.parameters.extend(parameters.iter().map(|&(name, value)| (name.to_owned(), value)));
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
