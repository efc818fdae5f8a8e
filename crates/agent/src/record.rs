//! [`Recorder`]: from what the kernel tells to the run's [`Measurement`].

use crate::phase::{BBR_PHASES, LOSS_BASED_PHASES, bbr_phase, loss_based_phase};
use crate::sockets::tcp_info::{ControlInfo, TcpInfo};
use run::{
    FlowCounters, FlowMeasurement, FlowSeries, LossAt, Measurement, Qdisc, QueueCounters, QueueMeasurement, Record,
    Run, UNSEEN,
};
use std::collections::BTreeMap;

/// Headers of a frame with data: Ethernet 14, IP 20, TCP 20, timestamps 12 bytes.
const FRAME_HEADER_BYTES: u64 = 66;
/// `TCP_INFINITE_SSTHRESH`.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
/// Ten to the ninth: parts in parts per billion.
const BILLION: u64 = 1_000_000_000;
const NANOS_PER_MICRO: u64 = 1_000;

/// What the kernel tells of a flow at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Of the sending socket.
    pub sender: TcpInfo,
    /// Of its congestion control.
    pub control: ControlInfo,
    /// Of the receiving socket; all zero until it has accepted.
    pub receiver: TcpInfo,
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

/// What is recorded of a run.
#[derive(Debug)]
pub struct Recorder {
    keeps_gauges: bool,
    /// `fq` paces every flow, whatever its control asks for.
    paces_always: bool,
    /// Random loss after the bottleneck, in parts per billion.
    loss_after_ppb: u64,
    flows: Vec<FlowMeasurement>,
    bottleneck: QueueMeasurement,
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn new(run: &Run) -> Self {
        let phases = LOSS_BASED_PHASES.map(str::to_owned).to_vec();
        Self {
            keeps_gauges: run.measure.record > Record::Summary,
            paces_always: run.host.qdisc == Qdisc::Fq,
            loss_after_ppb: if run.path.loss_at == LossAt::After { u64::from(run.path.loss_ppb) } else { 0 },
            flows: vec![FlowMeasurement { phases, ..FlowMeasurement::default() }; run.flows.len()],
            bottleneck: QueueMeasurement::default(),
        }
    }

    /// A flow connects.
    pub fn start(&mut self, flow: usize, at_ns: u64) {
        self.flows[flow].started_ns = at_ns;
    }

    /// A flow's last byte was delivered.
    pub fn complete(&mut self, flow: usize, at_ns: u64) {
        self.flows[flow].completed_ns = Some(at_ns);
    }

    /// Keeps the queue's gauges.
    pub fn sample_queue(&mut self, counters: &QueueCounters) {
        let series = &mut self.bottleneck.series;
        series.at_ns.push(counters.at_ns);
        series.backlog_bytes.push(counters.queued_bytes);
        series.backlog_packets.push(counters.queued_packets as u32);
        series.dropped_packets.push(counters.dropped_packets);
        series.sent_packets.push(counters.sent_packets);
    }

    /// Keeps a flow's gauges.
    pub fn sample_flow(&mut self, flow: usize, reading: &Reading, delivered_bytes: u64, at_ns: u64) {
        let bottleneck_bytes = self.bottleneck_bytes(&reading.sender, &reading.receiver);
        let measured = &mut self.flows[flow];
        keep_least_rtt(measured, reading);
        let series = &mut measured.series;
        series.at_ns.push(at_ns);
        series.srtt_us.push(reading.sender.rtt_us);
        series.delivered_bytes.push(delivered_bytes);
        if self.keeps_gauges {
            series.bottleneck_bytes.push(bottleneck_bytes);
            sample_gauges(series, reading, self.paces_always);
            if matches!(reading.control, ControlInfo::Bbr { .. }) && measured.phases != BBR_PHASES {
                measured.phases = BBR_PHASES.map(str::to_owned).to_vec();
            }
        }
    }

    /// Keeps a flow's counters.
    pub fn mark_flow(&mut self, mark: Mark, flow: usize, counters: FlowCounters) {
        let measured = &mut self.flows[flow];
        match mark {
            Mark::WindowBegin => measured.at_window_begin = counters,
            Mark::WindowEnd => measured.at_window_end = counters,
            Mark::End => measured.at_end = counters,
        }
    }

    /// A flow has ended: its smallest RTT may be younger than the last sample.
    pub fn end_flow(&mut self, flow: usize, reading: &Reading) {
        keep_least_rtt(&mut self.flows[flow], reading);
    }

    /// Keeps the queue's counters.
    pub fn mark_queue(&mut self, mark: Mark, counters: QueueCounters) {
        match mark {
            Mark::WindowBegin => self.bottleneck.at_window_begin = counters,
            Mark::WindowEnd => self.bottleneck.at_window_end = counters,
            Mark::End => self.bottleneck.at_end = counters,
        }
    }

    /// A flow's counters at `at_ns`, from what the kernel tells.
    ///
    /// `bottleneck_bytes` is made from the frames that arrived, each with its headers and the mean payload of those
    /// that were sent: exact where all segments are full, as in bulk; elsewhere it assumes that duplicates and losses
    /// have the mean size. What is still on its way from the bottleneck to the receiver is not in it yet. Where random
    /// loss acts after the bottleneck, the kernel does not tell whose frames it took: their expected number is added.
    pub fn counters(&self, reading: &Reading, delivered_bytes: u64, established_ns: u64, at_ns: u64) -> FlowCounters {
        let Reading { sender, receiver, .. } = reading;
        let elapsed_ns = at_ns.saturating_sub(established_ns);
        FlowCounters {
            at_ns,
            delivered_bytes,
            bottleneck_bytes: self.bottleneck_bytes(sender, receiver),
            segments_sent: u64::from(sender.data_segs_out),
            segments_retransmitted: u64::from(sender.total_retrans),
            segments_lost: UNSEEN,
            acks: u64::from(sender.segs_in),
            timeouts: UNSEEN,
            probes: UNSEEN,
            undos: UNSEEN,
            dropped_packets: UNSEEN,
            random_lost_packets: UNSEEN,
            app_limited_ns: elapsed_ns.saturating_sub(sender.busy_us * NANOS_PER_MICRO),
            rwnd_limited_ns: sender.rwnd_limited_us * NANOS_PER_MICRO,
            sndbuf_limited_ns: sender.sndbuf_limited_us * NANOS_PER_MICRO,
        }
    }

    fn bottleneck_bytes(&self, sender: &TcpInfo, receiver: &TcpInfo) -> u64 {
        let arrived = u128::from(receiver.data_segs_in);
        let payload = arrived * u128::from(sender.bytes_sent) / u128::from(sender.data_segs_out.max(1));
        let bytes = arrived * u128::from(FRAME_HEADER_BYTES) + payload;
        let passes_ppb = u128::from(BILLION.saturating_sub(self.loss_after_ppb).max(1));
        (bytes * u128::from(BILLION) / passes_ppb) as u64
    }

    /// The run has ended.
    pub fn finish(self, ended_ns: u64, facts: BTreeMap<String, String>) -> Measurement {
        Measurement { ended_ns, flows: self.flows, bottleneck: self.bottleneck, facts }
    }
}

/// A flow that has not started.
pub fn no_counters(at_ns: u64) -> FlowCounters {
    FlowCounters {
        at_ns,
        segments_lost: UNSEEN,
        timeouts: UNSEEN,
        probes: UNSEEN,
        undos: UNSEEN,
        dropped_packets: UNSEEN,
        random_lost_packets: UNSEEN,
        ..FlowCounters::default()
    }
}

/// The kernel's minimum is that of the last 300 s (`tcp_min_rtt_wlen`): the flow's is the least of all that were read.
fn keep_least_rtt(measured: &mut FlowMeasurement, reading: &Reading) {
    if reading.sender.min_rtt_us != u32::MAX {
        let rtt_ns = u64::from(reading.sender.min_rtt_us) * NANOS_PER_MICRO;
        measured.rtt_min_ns = Some(measured.rtt_min_ns.map_or(rtt_ns, |least| least.min(rtt_ns)));
    }
}

fn sample_gauges(series: &mut FlowSeries, reading: &Reading, paces_always: bool) {
    let Reading { sender, control, .. } = reading;
    let ssthresh = if sender.snd_ssthresh >= INFINITE_SSTHRESH { u32::MAX } else { sender.snd_ssthresh };
    // Linux keeps a pacing rate for every flow, and paces by it only those whose control asks for that.
    let paced = paces_always || matches!(control, ControlInfo::Bbr { .. });
    let (bandwidth_bps, cc_min_rtt_us, pacing_gain, cwnd_gain, phase) = match *control {
        ControlInfo::Silent => (u64::MAX, u32::MAX, 0, 0, loss_based_phase(sender.snd_cwnd, ssthresh)),
        ControlInfo::Vegas { min_rtt_us } => {
            let known = if min_rtt_us >= INFINITE_SSTHRESH { u32::MAX } else { min_rtt_us };
            (u64::MAX, known, 0, 0, loss_based_phase(sender.snd_cwnd, ssthresh))
        }
        ControlInfo::Bbr { bandwidth, min_rtt_us, pacing_gain, cwnd_gain } => {
            // Zero until the handshake is done.
            let known = if min_rtt_us == 0 { u32::MAX } else { min_rtt_us };
            (bits(bandwidth), known, pacing_gain, cwnd_gain, bbr_phase(pacing_gain, cwnd_gain))
        }
    };
    series.cwnd_segments.push(sender.snd_cwnd);
    series.ssthresh_segments.push(ssthresh);
    series.inflight_segments.push(sender.in_flight());
    series.min_rtt_us.push(sender.min_rtt_us);
    series.cc_min_rtt_us.push(cc_min_rtt_us);
    series.pacing_rate_bps.push(if paced { bits(sender.pacing_rate) } else { u64::MAX });
    series.delivery_rate_bps.push(bits(sender.delivery_rate));
    series.bandwidth_bps.push(bandwidth_bps);
    series.pacing_gain_256ths.push(pacing_gain as u16);
    series.cwnd_gain_256ths.push(cwnd_gain as u16);
    series.phase.push(phase);
}

/// Bytes a second as bits a second; "none" and "without limit" stay what they are.
const fn bits(bytes_per_sec: u64) -> u64 {
    bytes_per_sec.saturating_mul(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn bbr() -> Reading {
        let sender = TcpInfo {
            unacked: 12,
            sacked: 3,
            lost: 2,
            retrans: 1,
            rtt_us: 26_000,
            snd_ssthresh: INFINITE_SSTHRESH,
            snd_cwnd: 14,
            total_retrans: 2,
            pacing_rate: 1_000,
            min_rtt_us: 25_000,
            data_segs_out: 10,
            bytes_sent: 14_480,
            busy_us: 90,
            ..TcpInfo::default()
        };
        let control = ControlInfo::Bbr { bandwidth: 2_000, min_rtt_us: 25_001, pacing_gain: 88, cwnd_gain: 739 };
        Reading { sender, control, receiver: TcpInfo { data_segs_in: 8, ..TcpInfo::default() } }
    }

    #[test]
    fn gauges_have_the_measurements_units() {
        let mut recorder = Recorder::new(&samples::run(1));
        recorder.sample_flow(0, &bbr(), 1_448, 50);
        let flow = &recorder.flows[0];
        let series = &flow.series;
        assert_eq!((series.at_ns[0], series.srtt_us[0], series.delivered_bytes[0]), (50, 26_000, 1_448));
        assert_eq!(series.bottleneck_bytes, [8 * 1514]);
        assert_eq!(
            (series.cwnd_segments[0], series.ssthresh_segments[0], series.inflight_segments[0]),
            (14, u32::MAX, 8)
        );
        assert_eq!(
            (series.pacing_rate_bps[0], series.bandwidth_bps[0], series.cc_min_rtt_us[0]),
            (8_000, 16_000, 25_001)
        );
        assert_eq!((series.pacing_gain_256ths[0], series.cwnd_gain_256ths[0]), (88, 739));
        assert_eq!((flow.phases[usize::from(series.phase[0])].as_str(), flow.rtt_min_ns), ("drain", Some(25_000_000)));
    }

    #[test]
    fn a_silent_control_has_no_gauges_of_its_own() {
        let mut recorder = Recorder::new(&samples::run(1));
        let mut reading = Reading { control: ControlInfo::Silent, ..bbr() };
        reading.sender.snd_ssthresh = 14;
        recorder.sample_flow(0, &reading, 0, 50);
        let series = &recorder.flows[0].series;
        assert_eq!(
            (series.pacing_rate_bps[0], series.bandwidth_bps[0], series.cc_min_rtt_us[0]),
            (u64::MAX, u64::MAX, u32::MAX)
        );
        assert_eq!((series.pacing_gain_256ths[0], series.phase[0]), (0, 1));
        assert_eq!(recorder.flows[0].phases, LOSS_BASED_PHASES);
    }

    #[test]
    fn a_summary_keeps_what_it_is_made_from() {
        let mut run = samples::run(1);
        run.measure.record = Record::Summary;
        let mut recorder = Recorder::new(&run);
        recorder.sample_flow(0, &bbr(), 0, 50);
        let series = &recorder.flows[0].series;
        assert_eq!((series.srtt_us.len(), series.cwnd_segments.len(), series.phase.len()), (1, 0, 0));
    }

    #[test]
    fn full_segments_leave_the_bottleneck_to_the_byte() {
        let recorder = Recorder::new(&samples::run(1));
        let counters = recorder.counters(&bbr(), 11_584, 10, 100_010);
        assert_eq!(counters.bottleneck_bytes, 8 * 1514);
        assert_eq!((counters.segments_sent, counters.segments_retransmitted), (10, 2));
        assert_eq!((counters.app_limited_ns, counters.segments_lost), (10_000, UNSEEN));
    }

    #[test]
    fn frames_lost_behind_the_bottleneck_have_left_it() {
        let mut run = samples::run(1);
        (run.path.loss_at, run.path.loss_ppb) = (LossAt::After, 200_000_000);
        let recorder = Recorder::new(&run);
        assert_eq!(recorder.counters(&bbr(), 0, 0, 0).bottleneck_bytes, 10 * 1514);
    }
}
