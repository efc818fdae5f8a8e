//! [`Recorder`]: how a [`Measurement`] comes into being, on every engine, and the [`Milestone`]s at which it does.

use crate::{
    AckSample, Changes, DatagramLog, Direction, FlowCounters, FlowMeasurement, FlowSeries, Gauges, Histogram,
    HopMeasurement, Measurement, Pages, Program, QueueCounters, QueueMeasurement, Record, Run, Transfers,
};
use std::collections::BTreeMap;

const NANOS_PER_SEC: u64 = 1_000_000_000;
const NANOS_PER_MILLI: u64 = 1_000_000;

/// What happens at an instant that is known before. Declared in the order of events at the same instant: the path
/// changes, applications act, flows start and stop, and the observers come last, who see all of it. Within a kind, flows
/// act in the run's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Milestone {
    /// The path changes, as the next one of its [`Changes`].
    Change,
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

/// Every milestone that a run fixes in advance and when it is due, ns: the flows' first, in their order; of the samples,
/// of the changes and of a source's arrivals the first one. When applications act follows from when their connections are established.
pub fn milestones(run: &Run) -> Vec<(u64, Milestone)> {
    let mut milestones = Vec::new();
    for (i, flow) in run.flows.iter().enumerate() {
        milestones.push((flow.start_ns, Milestone::Start(i)));
        milestones.extend(arrival(run, i, 0));
        milestones.extend(flow.stop_ns.map(|stop_ns| (stop_ns, Milestone::Stop(i))));
    }
    milestones.extend(Changes::of(run).next_ns().map(|at_ns| (at_ns, Milestone::Change)));
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
    /// Flows of which connections were given up: how many, and when the first, ns.
    given_up: BTreeMap<usize, (u64, u64)>,
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
            given_up: BTreeMap::new(),
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

    /// A flow's last byte was delivered; only the first time counts. One of which a transfer was given up is never complete.
    pub fn complete(&mut self, flow: usize, at_ns: u64) {
        if !self.given_up.contains_key(&flow) {
            self.flows[flow].completed_ns.get_or_insert(at_ns);
        }
    }

    /// The host of a flow has given a connection of it up (ETIMEDOUT): nothing that it sent was acknowledged for as long as it tries.
    pub fn give_up(&mut self, flow: usize, at_ns: u64) {
        self.given_up.entry(flow).or_insert((0, at_ns)).0 += 1;
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

    /// What became of a flow's datagrams.
    pub fn set_datagrams(&mut self, flow: usize, log: &DatagramLog) {
        log.measure(&mut self.flows[flow]);
    }

    /// The pages that a client has begun.
    pub fn set_pages(&mut self, flow: usize, pages: &Pages) {
        self.flows[flow].pages = pages.loads().clone();
    }

    /// What is recorded of a flow so far.
    pub fn flow(&self, flow: usize) -> &FlowMeasurement {
        &self.flows[flow]
    }

    /// The run has ended.
    pub fn finish(mut self, ended_ns: u64, mut facts: BTreeMap<String, String>) -> Measurement {
        facts.extend(self.given_up.iter().map(|(flow, &(count, first_ns))| {
            let (s, ms) = (first_ns / NANOS_PER_SEC, first_ns % NANOS_PER_SEC / NANOS_PER_MILLI);
            (format!("flows[{flow}].given_up"), format!("{count} from {s}.{ms:03} s on"))
        }));
        let only = self.hops.len() == 1;
        let bottleneck = if only { self.hops.remove(0).queue } else { self.hops[self.bottleneck].queue.clone() };
        Measurement { ended_ns, flows: self.flows, bottleneck, hops: self.hops, facts, ss: Vec::new() }
    }
}
