//! Rust's structures as Python's: structs become dictionaries, columns numpy arrays, everything else itself.

use cc::{Algorithm, Kind, Parameter};
use numpy::IntoPyArray;
use pyo3::{IntoPyObjectExt, intern, prelude::*, types::PyDict};
use run::{
    AckSample, FlowCounters, FlowMeasurement, FlowSeries, Histogram, HopMeasurement, Measurement, MediaFrames,
    PageLoads, Program, ProgramEnd, QueueCounters, QueueMeasurement, QueueSeries, SentDatagrams, SsSample, Transfers,
};
use sim::Attempt;
use std::collections::BTreeMap;

/// Conversion into a Python object.
pub(crate) trait ToPython {
    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>;
}

/// A value that Python has too.
macro_rules! value {
    ($($type:ty),*) => {$(
        impl ToPython for $type {
            fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                self.into_bound_py_any(py)
            }
        }
    )*};
}

/// A column becomes an array that owns the column's memory.
macro_rules! column {
    ($($type:ty),*) => {$(
        impl ToPython for Vec<$type> {
            fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                Ok(self.into_pyarray(py).into_any())
            }
        }
    )*};
}

/// A struct becomes a dictionary; the pattern makes a forgotten field an error of compilation.
macro_rules! dictionary {
    ($name:ident { $($field:ident),* $(,)? }) => {
        dictionary! { $name => $name { $($field),* } }
    };
    ($type:ty => $name:ident { $($field:ident),* $(,)? }) => {
        impl ToPython for $type {
            fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                let $name { $($field),* } = self;
                let dict = PyDict::new(py);
                $(dict.set_item(intern!(py, stringify!($field)), $field.to_python(py)?)?;)*
                Ok(dict.into_any())
            }
        }
    };
}

value!(bool, u32, u64, String, Option<u64>, Option<i32>, &f64, &(f64, f64), &&'static str, Vec<String>, Vec<(u64, u64)>, BTreeMap<String, String>);
column!(u8, u16, u32, u64);

dictionary! {
    Attempt {
        ended, ended_ns, segments_sent, delivered_bytes, transfers_started, transfers_completed, queued_packets,
        peak_packets, passed,
    }
}
dictionary! { Measurement { ended_ns, flows, bottleneck, hops, facts, ss } }
dictionary! { HopMeasurement { name, queue } }
dictionary! { SsSample { at_ns, text } }
dictionary! {
    FlowMeasurement {
        started_ns, completed_ns, at_window_begin, at_window_end, at_end, rtt_min_ns, ack_rtt, series, acks, phases,
        transfers, pages, program, datagrams, delay, frames,
    }
}
dictionary! {
    FlowCounters {
        at_ns, delivered_bytes, bottleneck_bytes, segments_sent, segments_retransmitted, segments_lost, acks,
        timeouts, probes, undos, dropped_packets, random_lost_packets, marked_packets, delivered_ce,
        cwr_reductions, app_limited_ns, rwnd_limited_ns, sndbuf_limited_ns,
    }
}
dictionary! {
    FlowSeries {
        at_ns, srtt_us, delivered_bytes, bottleneck_bytes, cwnd_segments, ssthresh_segments, inflight_segments,
        min_rtt_us, cc_min_rtt_us, pacing_rate_bps, delivery_rate_bps, bandwidth_bps, pacing_gain_256ths,
        cwnd_gain_256ths, bw_hi_bps, bw_lo_bps, inflight_hi_segments, inflight_lo_segments, alpha_ppm, phase,
    }
}
dictionary! { PageLoads { started_ns, loaded_ns, bytes } }
dictionary! { Transfers { started_ns, completed_ns, segments_sent, segments_retransmitted } }
dictionary! { SentDatagrams { sent, lost } }
dictionary! { MediaFrames { captured, late, delay } }
dictionary! { Program { client, server } }
dictionary! { ProgramEnd { argv, began_ns, ended_ns, status, stdout, stderr } }
dictionary! { QueueMeasurement { at_window_begin, at_window_end, at_end, series, sojourn } }
dictionary! {
    QueueCounters {
        at_ns, offered_packets, sent_packets, sent_bytes, dropped_packets, dequeue_dropped_packets, marked_packets,
        random_lost_packets, queued_packets, queued_bytes, low_latency_packets,
    }
}
dictionary! {
    QueueSeries {
        at_ns, backlog_bytes, backlog_packets, dropped_packets, marked_packets, sent_packets, low_latency_packets,
    }
}
dictionary! { Histogram { first_bin, counts, count, sum } }
dictionary! { &'static Algorithm => Algorithm { name, title, source, parameters, ordered, needs_ecn, needs_accurate_ecn } }
dictionary! { &'static Parameter => Parameter { name, about, unit, default, range, kind, source } }

/// What is not there is None.
macro_rules! optional {
    ($($type:ty),*) => {$(
        impl ToPython for Option<$type> {
            fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                self.map_or_else(|| Ok(py.None().into_bound(py)), |value| value.to_python(py))
            }
        }
    )*};
}

optional!(SentDatagrams, MediaFrames, Program, ProgramEnd, Histogram);

/// Structs become a list.
macro_rules! list {
    ($($type:ty),*) => {$(
        impl ToPython for Vec<$type> {
            fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                self.into_iter().map(|each| each.to_python(py)).collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)
            }
        }
    )*};
}

list!(SsSample, FlowMeasurement, HopMeasurement);

impl ToPython for &&'static [Parameter] {
    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        self.iter().map(|parameter| parameter.to_python(py)).collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)
    }
}

impl ToPython for &&'static [(&'static str, &'static str)] {
    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        self.to_vec().into_bound_py_any(py)
    }
}

impl ToPython for &Kind {
    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Kind::Number => "number",
            Kind::Integer => "integer",
            Kind::Switch => "switch",
        }
        .into_bound_py_any(py)
    }
}

/// Samples become columns.
impl ToPython for Vec<AckSample> {
    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let (at_ns, rtt_ns): (Vec<u64>, Vec<u64>) = self.iter().map(|ack| (ack.at_ns, ack.rtt_ns)).unzip();
        let dict = PyDict::new(py);
        dict.set_item("at_ns", at_ns.to_python(py)?)?;
        dict.set_item("rtt_ns", rtt_ns.to_python(py)?)?;
        Ok(dict.into_any())
    }
}
