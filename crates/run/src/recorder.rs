//! [`Recorder`]: how a [`Measurement`] comes into being, on every engine, and the [`Milestone`]s at which it does.

use crate::{
    AckSample, Direction, FlowCounters, FlowMeasurement, FlowSeries, Histogram, HopMeasurement, Measurement, Pings,
    Program, QueueCounters, QueueMeasurement, Record, Run, Transfers, changes,
};
use std::collections::BTreeMap;

/// What happens at an instant that is known before. Declared in the order of events at the same instant: the path
/// changes, applications act, flows start and stop, and the observers come last, who see all of it. Within a kind, flows
/// act in the run's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Milestone {
    /// The path changes, as this one of its [`changes`].
    Change(usize),
    /// The application of a flow acts.
    Write(usize),
    /// A flow connects.
    Start(usize),
    /// A transfer of a source arrives, and its connection connects.
    Arrival {
        /// The source.
        flow: usize,
        /// Which of its arrivals.
        index: usize,
    },
    /// A flow stops sending.
    Stop(usize),
    /// The gauges are read.
    Sample,
    /// The summary's window begins.
    WindowBegin,
    /// The summary's window ends.
    WindowEnd,
    /// The run ends.
    End,
}

/// Every milestone that a run fixes in advance and when it is due, ns: the flows' first, in their order; of the samples
/// and of a source's arrivals the first one. When applications act follows from when their connections are established.
pub fn milestones(run: &Run) -> Vec<(u64, Milestone)> {
    let mut milestones = Vec::new();
    for (i, flow) in run.flows.iter().enumerate() {
        milestones.push((flow.start_ns, Milestone::Start(i)));
        milestones.extend(arrival(run, i, 0));
        milestones.extend(flow.stop_ns.map(|stop_ns| (stop_ns, Milestone::Stop(i))));
    }
    milestones.extend(changes(run).iter().enumerate().map(|(i, (.., change))| (change.at_ns, Milestone::Change(i))));
    milestones.extend([
        (run.measure.sample_ns, Milestone::Sample),
        (run.measure.window_begin_ns, Milestone::WindowBegin),
        (run.measure.window_end_ns, Milestone::WindowEnd),
        (run.duration_ns, Milestone::End),
    ]);
    milestones
}

/// An arrival of a source and when it is due, ns; none when there are no more. Each is followed by the next one.
pub fn arrival(run: &Run, flow: usize, index: usize) -> Option<(u64, Milestone)> {
    let source = &run.flows[flow];
    let arrival = source.arrivals().get(index)?;
    Some((source.start_ns + arrival.at_ns, Milestone::Arrival { flow, index }))
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

/// A flow's gauges at an instant, beyond those that a summary keeps; one column of [`FlowSeries`] each.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns have them")]
pub struct Gauges {
    pub bottleneck_bytes: u64,
    pub cwnd_segments: u32,
    pub ssthresh_segments: u32,
    pub inflight_segments: u32,
    pub min_rtt_us: u32,
    pub cc_min_rtt_us: u32,
    pub pacing_rate_bps: u64,
    pub delivery_rate_bps: u64,
    pub bandwidth_bps: u64,
    pub pacing_gain_256ths: u16,
    pub cwnd_gain_256ths: u16,
    pub bw_hi_bps: u64,
    pub bw_lo_bps: u64,
    pub inflight_hi_segments: u32,
    pub inflight_lo_segments: u32,
    pub alpha_ppm: u32,
    pub phase: u8,
}

impl Gauges {
    /// Nothing is known, or infinite: each as its column of [`FlowSeries`] has it.
    pub const UNKNOWN: Self = Self {
        bottleneck_bytes: 0,
        cwnd_segments: 0,
        ssthresh_segments: u32::MAX,
        inflight_segments: 0,
        min_rtt_us: u32::MAX,
        cc_min_rtt_us: u32::MAX,
        pacing_rate_bps: u64::MAX,
        delivery_rate_bps: 0,
        bandwidth_bps: u64::MAX,
        pacing_gain_256ths: 0,
        cwnd_gain_256ths: 0,
        bw_hi_bps: u64::MAX,
        bw_lo_bps: u64::MAX,
        inflight_hi_segments: u32::MAX,
        inflight_lo_segments: u32::MAX,
        alpha_ppm: u32::MAX,
        phase: 0,
    };
}

/// The gauges of a source's open connections together, see [`FlowMeasurement`].
#[derive(Clone, Copy, Debug)]
pub struct SharedGauges {
    gauges: Gauges,
    srtt_sum_us: u64,
    srtt_count: u64,
}

impl SharedGauges {
    /// Of no connection yet; its closed ones had these bytes leave the bottleneck.
    pub const fn new(bottleneck_bytes: u64) -> Self {
        let gauges = Gauges { bottleneck_bytes, ..Gauges::UNKNOWN };
        Self { gauges, srtt_sum_us: 0, srtt_count: 0 }
    }

    /// Adds those of an open connection; its smoothed RTT is 0 before the first sample.
    pub fn add(&mut self, srtt_us: u32, own: &Gauges) {
        self.srtt_sum_us += u64::from(srtt_us);
        self.srtt_count += u64::from(srtt_us > 0);
        let all = &mut self.gauges;
        all.bottleneck_bytes += own.bottleneck_bytes;
        all.cwnd_segments = all.cwnd_segments.saturating_add(own.cwnd_segments);
        all.inflight_segments = all.inflight_segments.saturating_add(own.inflight_segments);
        all.min_rtt_us = all.min_rtt_us.min(own.min_rtt_us);
        if own.pacing_rate_bps != u64::MAX {
            let paced_bps = if all.pacing_rate_bps == u64::MAX { 0 } else { all.pacing_rate_bps };
            all.pacing_rate_bps = paced_bps.saturating_add(own.pacing_rate_bps);
        }
        all.delivery_rate_bps = all.delivery_rate_bps.saturating_add(own.delivery_rate_bps);
    }

    /// The mean of those that have one; 0: none has.
    pub fn srtt_us(&self) -> u32 {
        self.srtt_sum_us.checked_div(self.srtt_count).map_or(0, |mean_us| mean_us as u32)
    }

    /// The others.
    pub const fn gauges(&self) -> Gauges {
        self.gauges
    }
}

impl FlowSeries {
    fn push(&mut self, gauges: &Gauges) {
        self.bottleneck_bytes.push(gauges.bottleneck_bytes);
        self.cwnd_segments.push(gauges.cwnd_segments);
        self.ssthresh_segments.push(gauges.ssthresh_segments);
        self.inflight_segments.push(gauges.inflight_segments);
        self.min_rtt_us.push(gauges.min_rtt_us);
        self.cc_min_rtt_us.push(gauges.cc_min_rtt_us);
        self.pacing_rate_bps.push(gauges.pacing_rate_bps);
        self.delivery_rate_bps.push(gauges.delivery_rate_bps);
        self.bandwidth_bps.push(gauges.bandwidth_bps);
        self.pacing_gain_256ths.push(gauges.pacing_gain_256ths);
        self.cwnd_gain_256ths.push(gauges.cwnd_gain_256ths);
        self.bw_hi_bps.push(gauges.bw_hi_bps);
        self.bw_lo_bps.push(gauges.bw_lo_bps);
        self.inflight_hi_segments.push(gauges.inflight_hi_segments);
        self.inflight_lo_segments.push(gauges.inflight_lo_segments);
        self.alpha_ppm.push(gauges.alpha_ppm);
        self.phase.push(gauges.phase);
    }
}

/// What is recorded of a run.
#[derive(Debug)]
pub struct Recorder {
    record: Record,
    flows: Vec<FlowMeasurement>,
    /// Of the path, then of the way back.
    hops: Vec<HopMeasurement>,
    /// The bottleneck's place among them.
    bottleneck: usize,
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn new(run: &Run) -> Self {
        let flows = run.flows.iter().map(|flow| FlowMeasurement {
            transfers: Transfers::waiting(flow.arrivals().len()),
            ..FlowMeasurement::default()
        });
        let hops = Direction::BOTH.into_iter().flat_map(|direction| run.path.hops(direction));
        let hops = hops.map(|hop| HopMeasurement { name: hop.name, queue: QueueMeasurement::default() });
        Self {
            record: run.measure.record,
            flows: flows.collect(),
            hops: hops.collect(),
            bottleneck: run.path.bottleneck,
        }
    }

    /// A flow connects.
    pub fn start(&mut self, flow: usize, at_ns: u64) {
        self.flows[flow].started_ns = at_ns;
    }

    /// The names of a flow's phases.
    pub fn set_phases(&mut self, flow: usize, phases: &[&str]) {
        let known = &mut self.flows[flow].phases;
        if known.as_slice() != phases {
            *known = phases.iter().map(|&phase| phase.to_owned()).collect();
        }
    }

    /// A flow's last byte was delivered; only the first time counts.
    pub fn complete(&mut self, flow: usize, at_ns: u64) {
        self.flows[flow].completed_ns.get_or_insert(at_ns);
    }

    /// A transfer of a source connects.
    pub fn start_transfer(&mut self, flow: usize, index: usize, at_ns: u64) {
        self.flows[flow].transfers.started_ns[index] = at_ns;
    }

    /// The last byte of a transfer was delivered.
    pub fn complete_transfer(&mut self, flow: usize, index: usize, at_ns: u64) {
        self.flows[flow].transfers.completed_ns[index] = at_ns;
    }

    /// What a transfer has sent, when it is complete or its source ends.
    pub fn count_transfer(&mut self, flow: usize, index: usize, segments_sent: u64, segments_retransmitted: u64) {
        let transfers = &mut self.flows[flow].transfers;
        transfers.segments_sent[index] = segments_sent;
        transfers.segments_retransmitted[index] = segments_retransmitted;
    }

    /// A flow had this round-trip time: its smallest is kept.
    pub fn keep_least_rtt(&mut self, flow: usize, rtt_ns: u64) {
        let least = &mut self.flows[flow].rtt_min_ns;
        *least = Some(least.map_or(rtt_ns, |least| least.min(rtt_ns)));
    }

    /// An ACK gave a round-trip sample; kept when the run records them.
    #[inline]
    pub fn keep_ack(&mut self, flow: usize, at_ns: u64, rtt_ns: u64) {
        if self.record >= Record::Acks {
            self.flows[flow].acks.push(AckSample { at_ns, rtt_ns });
        }
    }

    /// Keeps a queue's gauges, that of the hop at this place: those of the path, then those of the way back.
    pub fn sample_queue(&mut self, hop: usize, counters: &QueueCounters) {
        let series = &mut self.hops[hop].queue.series;
        series.at_ns.push(counters.at_ns);
        series.backlog_bytes.push(counters.queued_bytes);
        series.backlog_packets.push(counters.queued_packets as u32);
        series.dropped_packets.push(counters.dropped_packets);
        series.marked_packets.push(counters.marked_packets);
        series.sent_packets.push(counters.sent_packets);
        series.low_latency_packets.push(counters.low_latency_packets.map_or(u32::MAX, |packets| packets as u32));
    }

    /// Keeps a flow's gauges; those that a summary does not keep are asked for only when they are kept.
    pub fn sample_flow(
        &mut self,
        flow: usize,
        at_ns: u64,
        srtt_us: u32,
        delivered_bytes: u64,
        gauges: impl FnOnce() -> Gauges,
    ) {
        let series = &mut self.flows[flow].series;
        series.at_ns.push(at_ns);
        series.srtt_us.push(srtt_us);
        series.delivered_bytes.push(delivered_bytes);
        if self.record > Record::Summary {
            series.push(&gauges());
        }
    }

    /// Keeps a flow's counters.
    pub fn mark_flow(&mut self, mark: Mark, flow: usize, counters: FlowCounters) {
        let measured = &mut self.flows[flow];
        *match mark {
            Mark::WindowBegin => &mut measured.at_window_begin,
            Mark::WindowEnd => &mut measured.at_window_end,
            Mark::End => &mut measured.at_end,
        } = counters;
    }

    /// Keeps a queue's counters, likewise.
    pub fn mark_queue(&mut self, mark: Mark, hop: usize, counters: QueueCounters) {
        let queue = &mut self.hops[hop].queue;
        *match mark {
            Mark::WindowBegin => &mut queue.at_window_begin,
            Mark::WindowEnd => &mut queue.at_window_end,
            Mark::End => &mut queue.at_end,
        } = counters;
    }

    /// Keeps how long frames were in a queue that left it, since the window's begin.
    pub fn mark_sojourn(&mut self, mark: Mark, hop: usize, sojourn: &Histogram) {
        let queue = &mut self.hops[hop].queue;
        match mark {
            Mark::WindowBegin => queue.sojourn = Some(sojourn.clone()),
            Mark::WindowEnd => queue.sojourn = queue.sojourn.take().map(|before| sojourn.since(&before)),
            Mark::End => {}
        }
    }

    /// A flow's round-trip samples within the window.
    pub fn set_ack_rtt(&mut self, flow: usize, ack_rtt: Histogram) {
        self.flows[flow].ack_rtt = ack_rtt;
    }

    /// What a flow's program said and how it ended.
    pub fn set_program(&mut self, flow: usize, program: Program) {
        self.flows[flow].program = Some(program);
    }

    /// The pings of a flow.
    pub fn set_pings(&mut self, flow: usize, pings: Pings) {
        self.flows[flow].pings = Some(pings);
    }

    /// What is recorded of a flow so far.
    pub fn flow(&self, flow: usize) -> &FlowMeasurement {
        &self.flows[flow]
    }

    /// The run has ended.
    pub fn finish(mut self, ended_ns: u64, facts: BTreeMap<String, String>) -> Measurement {
        let only = self.hops.len() == 1;
        let bottleneck = if only { self.hops.remove(0).queue } else { self.hops[self.bottleneck].queue.clone() };
        Measurement { ended_ns, flows: self.flows, bottleneck, hops: self.hops, facts, ss: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauges_of_connections_are_summed_but_for_round_trip_times() {
        let mut all = SharedGauges::new(1_000);
        assert_eq!((all.srtt_us(), all.gauges().pacing_rate_bps), (0, u64::MAX));
        let own = |cwnd_segments, min_rtt_us, pacing_rate_bps| Gauges {
            bottleneck_bytes: 50,
            cwnd_segments,
            min_rtt_us,
            pacing_rate_bps,
            ..SharedGauges::new(0).gauges()
        };
        all.add(0, &own(10, u32::MAX, u64::MAX));
        all.add(30_000, &own(5, 20_000, 70));
        all.add(40_001, &own(7, 30_000, 30));
        let gauges = all.gauges();
        assert_eq!((all.srtt_us(), gauges.min_rtt_us), (35_000, 20_000));
        assert_eq!((gauges.bottleneck_bytes, gauges.cwnd_segments, gauges.pacing_rate_bps), (1_150, 22, 100));
    }
}
