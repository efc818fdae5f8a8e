//! Counting and sampling: from the state of a run to its [`Measurement`].

use crate::net::Network;
use crate::tcp::{Receiver, Sender};
use run::{AckSample, FlowCounters, FlowMeasurement, Histogram, Measure, Measurement, QueueMeasurement, Record};
use std::collections::BTreeMap;
use units::{Segments, Time};

/// RTT samples that are kept until they are counted.
const UNSORTED: usize = 1 << 12;

/// What is recorded of a run.
#[derive(Debug)]
pub struct Trace {
    measure: Measure,
    flows: Vec<FlowMeasurement>,
    ack_rtts: Vec<Histogram>,
    /// Samples that are not in `ack_rtts` yet: flow and µs. A histogram is seldom in the caches when its turn comes;
    /// filling many in a row lets the processor wait for all of them at once.
    unsorted: Vec<(u32, u32)>,
    bottleneck: QueueMeasurement,
    within_window: bool,
}

/// A moment at which counters are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The window begins.
    WindowBegin,
    /// The window ends.
    WindowEnd,
    /// The flow, or the run, ends.
    End,
}

impl Trace {
    /// Nothing recorded yet.
    pub fn new(measure: Measure, flows: usize) -> Self {
        let mut all = Vec::new();
        all.resize_with(flows, FlowMeasurement::default);
        Self {
            measure,
            flows: all,
            ack_rtts: vec![Histogram::default(); flows],
            unsorted: Vec::with_capacity(UNSORTED),
            bottleneck: QueueMeasurement::default(),
            within_window: false,
        }
    }

    /// A flow connects.
    pub fn start(&mut self, flow: u32, sender: &Sender, now: Time) {
        let measured = &mut self.flows[flow as usize];
        measured.started_ns = now.as_nanos();
        measured.phases = sender.phases().iter().map(|&phase| phase.to_owned()).collect();
    }

    /// A flow's last byte was delivered.
    pub fn complete(&mut self, flow: u32, now: Time) {
        self.flows[flow as usize].completed_ns.get_or_insert(now.as_nanos());
    }

    /// An ACK gave an RTT sample.
    #[inline]
    pub fn ack(&mut self, flow: u32, rtt_us: u32, now: Time) {
        if self.within_window {
            self.unsorted.push((flow, rtt_us));
            if self.unsorted.len() == UNSORTED {
                self.sort_ack_rtts();
            }
        }
        if self.measure.record >= Record::Acks {
            let rtt_ns = u64::from(rtt_us) * 1_000;
            self.flows[flow as usize].acks.push(AckSample { at_ns: now.as_nanos(), rtt_ns });
        }
    }

    fn sort_ack_rtts(&mut self) {
        for (flow, rtt_us) in self.unsorted.drain(..) {
            self.ack_rtts[flow as usize].record(u64::from(rtt_us) * 1_000);
        }
    }

    /// Keeps a flow's counters.
    pub fn mark_flow(&mut self, mark: Mark, flow: u32, sender: &Sender, receiver: &Receiver, network: &Network) {
        let counters = flow_counters(flow, sender, receiver, network);
        let measured = &mut self.flows[flow as usize];
        match mark {
            Mark::WindowBegin => measured.at_window_begin = counters,
            Mark::WindowEnd => measured.at_window_end = counters,
            Mark::End => {
                measured.at_end = counters;
                measured.rtt_min_ns = sender.rtt_least_us().map(|us| u64::from(us) * 1_000);
            }
        }
    }

    /// Keeps the bottleneck's counters.
    pub fn mark_queue(&mut self, mark: Mark, network: &Network) {
        let counters = network.counters();
        match mark {
            Mark::WindowBegin => {
                self.within_window = true;
                self.bottleneck.at_window_begin = counters;
            }
            Mark::WindowEnd => {
                self.within_window = false;
                self.bottleneck.at_window_end = counters;
            }
            Mark::End => self.bottleneck.at_end = counters,
        }
    }

    /// Reads the queue's gauges.
    pub fn sample_queue(&mut self, network: &Network) {
        let counters = network.counters();
        let series = &mut self.bottleneck.series;
        series.at_ns.push(counters.at_ns);
        series.backlog_bytes.push(counters.queued_bytes);
        series.backlog_packets.push(counters.queued_packets as u32);
        series.dropped_packets.push(counters.dropped_packets);
        series.sent_packets.push(counters.sent_packets);
    }

    /// Reads a flow's gauges.
    pub fn sample_flow(&mut self, flow: u32, sender: &Sender, receiver: &Receiver, now: Time) {
        let series = &mut self.flows[flow as usize].series;
        series.at_ns.push(now.as_nanos());
        series.srtt_us.push(sender.srtt_us());
        series.delivered_bytes.push(receiver.delivered_bytes());
        if self.measure.record == Record::Summary {
            return;
        }
        series.bottleneck_bytes.push(receiver.bottleneck_bytes());
        let gauges = sender.gauges();
        series.cwnd_segments.push(gauges.window.cwnd);
        series.ssthresh_segments.push(gauges.window.ssthresh);
        series.inflight_segments.push(gauges.in_flight);
        series.min_rtt_us.push(gauges.min_rtt_us);
        series.cc_min_rtt_us.push(gauges.inspection.min_rtt_us.unwrap_or(Segments::MAX));
        series.pacing_rate_bps.push(gauges.pacing_rate.map_or(u64::MAX, |rate| rate.as_bps()));
        series.delivery_rate_bps.push(gauges.delivery_rate_bps);
        series.bandwidth_bps.push(gauges.inspection.bandwidth.map_or(u64::MAX, |rate| rate.as_bps()));
        series.pacing_gain_256ths.push(gauges.inspection.pacing_gain_256ths);
        series.cwnd_gain_256ths.push(gauges.inspection.cwnd_gain_256ths);
        series.phase.push(gauges.inspection.phase);
    }

    /// The run has ended.
    pub fn finish(mut self, now: Time) -> Measurement {
        self.sort_ack_rtts();
        for (measured, ack_rtt) in self.flows.iter_mut().zip(self.ack_rtts) {
            measured.ack_rtt = ack_rtt;
        }
        Measurement { ended_ns: now.as_nanos(), flows: self.flows, bottleneck: self.bottleneck, facts: BTreeMap::new() }
    }
}

fn flow_counters(flow: u32, sender: &Sender, receiver: &Receiver, network: &Network) -> FlowCounters {
    let now = network.events.now();
    let counters = sender.counters();
    let (application, receive_window, send_buffer) = sender.limited(now);
    let (dropped_packets, random_lost_packets) = network.losses(flow);
    FlowCounters {
        at_ns: now.as_nanos(),
        delivered_bytes: receiver.delivered_bytes(),
        bottleneck_bytes: receiver.bottleneck_bytes(),
        segments_sent: counters.segments_sent,
        segments_retransmitted: counters.segments_retransmitted,
        segments_lost: sender.lost_total(),
        acks: counters.acks,
        timeouts: counters.timeouts,
        probes: counters.probes,
        undos: counters.undos,
        dropped_packets,
        random_lost_packets,
        app_limited_ns: application.as_nanos(),
        rwnd_limited_ns: receive_window.as_nanos(),
        sndbuf_limited_ns: send_buffer.as_nanos(),
    }
}
