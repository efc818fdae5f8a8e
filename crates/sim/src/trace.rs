//! Counting and sampling: from the state of a run to its [`Measurement`].

use crate::index::FlowId;
use crate::net::Network;
use crate::tcp::{Receiver, Sender};
use run::{DatagramLog, FlowCounters, Histogram, Mark, Measurement, Pages, Recorder, Run, SharedGauges};
use std::collections::BTreeMap;
use units::Time;

/// RTT samples that are kept until they are counted.
const UNSORTED: usize = 1 << 9;
const NANOS_PER_MICRO: u64 = 1_000;

/// What is recorded of a run.
#[derive(Debug)]
pub struct Trace {
    recorder: Recorder,
    ack_rtts: Vec<Histogram>,
    /// Samples that are not in `ack_rtts` yet: flow and µs. A histogram is seldom in the caches when its turn comes;
    /// filling many in a row lets the processor wait for all of them at once.
    unsorted: Vec<(FlowId, u32)>,
    within_window: bool,
}

impl Trace {
    /// Nothing recorded yet.
    pub fn new(run: &Run) -> Self {
        Self {
            recorder: Recorder::new(run),
            ack_rtts: vec![Histogram::default(); run.flows.len()],
            unsorted: Vec::with_capacity(UNSORTED),
            within_window: false,
        }
    }

    /// A flow connects.
    pub fn start(&mut self, flow: FlowId, phases: &[&str], now: Time) {
        self.recorder.start(flow.index(), now.as_nanos());
        self.recorder.set_phases(flow.index(), phases);
    }

    /// A transfer of a source connects.
    pub fn start_transfer(&mut self, source: FlowId, index: usize, now: Time) {
        self.recorder.start_transfer(source.index(), index, now.as_nanos());
    }

    /// The last byte of a transfer was delivered.
    pub fn complete_transfer(&mut self, source: FlowId, index: usize, now: Time) {
        self.recorder.complete_transfer(source.index(), index, now.as_nanos());
    }

    /// Keeps what a transfer has sent.
    pub fn count_transfer(&mut self, source: FlowId, index: usize, sender: &Sender) {
        let counters = sender.counters();
        self.recorder.count_transfer(source.index(), index, counters.segments_sent, counters.segments_retransmitted);
    }

    /// A flow's last byte was delivered.
    pub fn complete(&mut self, flow: FlowId, now: Time) {
        self.recorder.complete(flow.index(), now.as_nanos());
    }

    /// A connection of a flow was given up.
    pub fn give_up(&mut self, flow: FlowId, now: Time) {
        self.recorder.give_up(flow.index(), now.as_nanos());
    }

    /// An ACK gave an RTT sample.
    #[inline]
    pub fn ack(&mut self, flow: FlowId, rtt_us: u32, now: Time) {
        if self.within_window {
            self.unsorted.push((flow, rtt_us));
            if self.unsorted.len() == UNSORTED {
                self.sort_ack_rtts();
            }
        }
        self.recorder.keep_ack(flow.index(), now.as_nanos(), u64::from(rtt_us) * NANOS_PER_MICRO);
    }

    #[inline(never)]
    fn sort_ack_rtts(&mut self) {
        for (flow, rtt_us) in self.unsorted.drain(..) {
            self.ack_rtts[flow.index()].record(u64::from(rtt_us) * NANOS_PER_MICRO);
        }
    }

    /// Keeps a flow's counters.
    pub fn mark_flow(&mut self, mark: Mark, flow: FlowId, counters: FlowCounters) {
        self.recorder.mark_flow(mark, flow.index(), counters);
    }

    /// Keeps the smallest RTT of a flow's connection.
    pub fn keep_least_rtt(&mut self, flow: FlowId, sender: &Sender) {
        if let Some(rtt_us) = sender.rtt_least_us() {
            self.recorder.keep_least_rtt(flow.index(), u64::from(rtt_us) * NANOS_PER_MICRO);
        }
    }

    /// Keeps the counters of queues.
    pub fn mark_queues(&mut self, mark: Mark, network: &Network) {
        network.counters().enumerate().for_each(|(hop, counters)| self.recorder.mark_queue(mark, hop, counters));
        network.sojourns().for_each(|(hop, sojourn)| self.recorder.mark_sojourn(mark, hop, sojourn));
        match mark {
            Mark::WindowBegin => self.within_window = true,
            Mark::WindowEnd => self.within_window = false,
            Mark::End => {}
        }
    }

    /// Reads the gauges of queues.
    pub fn sample_queues(&mut self, network: &Network) {
        network.counters().enumerate().for_each(|(hop, counters)| self.recorder.sample_queue(hop, &counters));
    }

    /// Reads a flow's gauges.
    pub fn sample_flow(&mut self, flow: FlowId, sender: &Sender, receiver: &Receiver, network: &Network) {
        let (srtt_us, delivered_bytes) = (sender.srtt_us(), receiver.delivered_bytes());
        let at_ns = network.events.now().as_nanos();
        self.recorder
            .sample_flow(flow.index(), at_ns, srtt_us, delivered_bytes, || sender.gauges(network.passed_bytes(flow)));
    }

    /// Keeps the gauges of a source's connections together.
    pub fn sample_source(&mut self, source: FlowId, delivered_bytes: u64, shared: &SharedGauges, now: Time) {
        let srtt_us = shared.srtt_us();
        self.recorder.sample_flow(source.index(), now.as_nanos(), srtt_us, delivered_bytes, || shared.gauges());
    }

    /// Reads the gauges of datagrams: what was delivered, of pings the last one's round-trip time.
    pub fn sample_datagrams(&mut self, flow: FlowId, log: &DatagramLog, network: &Network) {
        let srtt_us = u32::try_from(log.last_rtt_ns() / NANOS_PER_MICRO).unwrap_or(u32::MAX);
        let (at_ns, delivered_bytes) = (network.events.now().as_nanos(), log.delivered_bytes());
        self.recorder
            .sample_flow(flow.index(), at_ns, srtt_us, delivered_bytes, || log.gauges(network.passed_bytes(flow)));
    }

    /// A ping was answered.
    pub fn pong(&mut self, flow: FlowId, rtt_ns: u64, now: Time) {
        self.recorder.keep_least_rtt(flow.index(), rtt_ns);
        self.recorder.keep_ack(flow.index(), now.as_nanos(), rtt_ns);
    }

    /// The run has ended; `datagrams` has the logs of flows that are that, and `pages` the pages of clients.
    pub fn finish(mut self, datagrams: &[Option<DatagramLog>], pages: &[Option<&Pages>], now: Time) -> Measurement {
        self.sort_ack_rtts();
        for (flow, ack_rtt) in self.ack_rtts.into_iter().enumerate() {
            self.recorder.set_ack_rtt(flow, ack_rtt);
        }
        for (flow, log) in datagrams.iter().enumerate() {
            log.iter().for_each(|log| self.recorder.set_datagrams(flow, log));
        }
        for (flow, pages) in pages.iter().enumerate() {
            pages.iter().for_each(|pages| self.recorder.set_pages(flow, pages));
        }
        self.recorder.finish(now.as_nanos(), BTreeMap::new())
    }
}

/// What a connection has counted.
pub fn flow_counters(flow: FlowId, sender: &Sender, receiver: &Receiver, network: &Network) -> FlowCounters {
    let now = network.events.now();
    let counters = sender.counters();
    let (application, receive_window, send_buffer) = sender.limited(now);
    let (dropped_packets, random_lost_packets) = network.losses(flow);
    FlowCounters {
        at_ns: now.as_nanos(),
        delivered_bytes: receiver.delivered_bytes(),
        bottleneck_bytes: network.passed_bytes(flow),
        segments_sent: counters.segments_sent,
        segments_retransmitted: counters.segments_retransmitted,
        segments_lost: sender.lost_total(),
        acks: counters.acks,
        timeouts: counters.timeouts,
        probes: counters.probes,
        undos: sender.undos(),
        dropped_packets,
        random_lost_packets,
        marked_packets: network.marked(flow),
        delivered_ce: counters.delivered_ce,
        cwr_reductions: sender.echo_reductions(),
        app_limited_ns: application.as_nanos(),
        rwnd_limited_ns: receive_window.as_nanos(),
        sndbuf_limited_ns: send_buffer.as_nanos(),
    }
}
