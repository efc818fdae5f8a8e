//! [`KernelRecorder`]: from what the kernel tells to the run's measurement.

use crate::phase::{BBR_PHASES, BBR3_PHASES, LOSS_BASED_PHASES, bbr_phase, bbr3_phase, loss_based_phase};
use crate::sockets::tcp_info::{ControlInfo, TcpInfo};
use run::{
    Flow, FlowCounters, Gauges, LossAt, Path, Qdisc, Recorder, Run, SEGMENT_HEADERS_BYTES, SharedGauges,
    UDP_HEADERS_BYTES, UNSEEN,
};
use units::millionths;

/// `TCP_INFINITE_SSTHRESH`.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
/// Ten to the ninth: parts in parts per billion.
const BILLION: u64 = 1_000_000_000;
const NANOS_PER_MICRO: u64 = 1_000;
/// DCTCP's largest alpha.
const DCTCP_MAX_ALPHA: u64 = 1 << 10;

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

/// Turns what the kernel tells into a run's measurement.
#[derive(Debug)]
pub struct KernelRecorder {
    /// What does not depend on the kernel.
    pub recorder: Recorder,
    /// `fq` paces every flow, whatever its control asks for.
    paces_always: bool,
    /// By flow.
    passing: Vec<Passing>,
    /// The version of BBR that its connections report, by flow; none: none was BBR's.
    bbr_versions: Vec<Option<u8>>,
}

/// How a flow's data passes the bottleneck of its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Passing {
    /// What the kernel does not tell: the share of its frames that random loss lets through from there to the receiver, in
    /// parts per billion.
    arrives_ppb: u64,
    /// Of each frame there.
    headers_bytes: u32,
}

/// Those of a program's connections that carry what it sends. One that has sent less than a hundredth of the busiest says
/// how it goes, as iperf3's first one does: its window and its round-trip times are none of the flow's.
pub fn carrying(open: &[Reading]) -> impl Iterator<Item = &Reading> {
    let most = open.iter().map(|it| it.sender.bytes_sent).max().unwrap_or(0);
    open.iter().filter(move |it| u128::from(it.sender.bytes_sent) * 100 >= u128::from(most))
}

impl KernelRecorder {
    /// Nothing recorded yet.
    pub fn new(run: &Run) -> Self {
        let mut recorder = Recorder::new(run);
        let single = (0..run.flows.len()).filter(|&i| !run.flows[i].is_source() && !run.flows[i].has_datagrams());
        single.for_each(|i| recorder.set_phases(i, &LOSS_BASED_PHASES));
        Self {
            recorder,
            paces_always: run.host.qdisc == Qdisc::Fq,
            passing: run.flows.iter().map(|flow| Passing::of(flow, &run.path)).collect(),
            bbr_versions: vec![None; run.flows.len()],
        }
    }

    /// The version of BBR that a flow's connections report; none: none is BBR's.
    pub fn bbr_version(&self, flow: usize) -> Option<u8> {
        self.bbr_versions[flow]
    }

    /// Keeps a flow's gauges.
    pub fn sample_flow(&mut self, flow: usize, reading: &Reading, delivered_bytes: u64, at_ns: u64) {
        let bottleneck_bytes = self.bottleneck_bytes(flow, &reading.sender, &reading.receiver);
        self.sample_connection(flow, reading, delivered_bytes, bottleneck_bytes, at_ns);
    }

    /// Keeps the gauges of a flow's only connection beside what the flow has counted.
    fn sample_connection(
        &mut self,
        flow: usize,
        reading: &Reading,
        delivered_bytes: u64,
        bottleneck_bytes: u64,
        at_ns: u64,
    ) {
        self.keep_least_rtt(flow, reading);
        let (paces_always, mut stored) = (self.paces_always, false);
        self.recorder.sample_flow(flow, at_ns, reading.sender.rtt_us, delivered_bytes, || {
            stored = true;
            gauges(reading, bottleneck_bytes, paces_always)
        });
        match reading.control {
            ControlInfo::Bbr { bounds: None, .. } if stored => self.recorder.set_phases(flow, &BBR_PHASES),
            ControlInfo::Bbr { bounds: Some(_), .. } if stored => self.recorder.set_phases(flow, &BBR3_PHASES),
            _ => {}
        }
    }

    /// Keeps the gauges of a source of short transfers: those of its open connections together, each with its payload
    /// delivered, beside what the closed ones have counted.
    pub fn sample_source(
        &mut self,
        flow: usize,
        open: impl Iterator<Item = (Reading, u64)>,
        closed: &FlowCounters,
        at_ns: u64,
    ) {
        let mut shared = SharedGauges::new(closed.bottleneck_bytes);
        let mut delivered_bytes = closed.delivered_bytes;
        for (reading, bytes) in open {
            self.keep_least_rtt(flow, &reading);
            delivered_bytes += bytes;
            let bottleneck_bytes = self.bottleneck_bytes(flow, &reading.sender, &reading.receiver);
            shared.add(reading.sender.rtt_us, &gauges(&reading, bottleneck_bytes, self.paces_always));
        }
        self.recorder.sample_flow(flow, at_ns, shared.srtt_us(), delivered_bytes, || shared.gauges());
    }

    /// Keeps the gauges of a program's flow: those of its connections that carry what it sends. `counters`: what all of
    /// them have counted.
    pub fn sample_program(&mut self, flow: usize, open: &[Reading], counters: &FlowCounters, at_ns: u64) {
        let carrying: Vec<&Reading> = carrying(open).collect();
        let [only] = carrying[..] else {
            return self.sample_source(flow, carrying.into_iter().map(|it| (*it, 0)), counters, at_ns);
        };
        self.sample_connection(flow, only, counters.delivered_bytes, counters.bottleneck_bytes, at_ns);
    }

    /// The kernel's minimum is that of the last 300 s (`tcp_min_rtt_wlen`): the flow's is the least of all that were
    /// read. With it goes the version of BBR, which is the same of all.
    pub fn keep_least_rtt(&mut self, flow: usize, reading: &Reading) {
        self.bbr_versions[flow] = self.bbr_versions[flow].or(reading.control.bbr_version());
        if reading.sender.min_rtt_us != u32::MAX {
            self.recorder.keep_least_rtt(flow, u64::from(reading.sender.min_rtt_us) * NANOS_PER_MICRO);
        }
    }

    /// What a transfer of a source has sent, when it is complete or its source ends.
    pub fn count_transfer(&mut self, flow: usize, transfer: usize, reading: &Reading) {
        let (sent, again) = (u64::from(reading.sender.data_segs_out), u64::from(reading.sender.total_retrans));
        self.recorder.count_transfer(flow, transfer, sent, again);
    }

    /// A flow's connection's counters at `at_ns`, from what the kernel tells.
    ///
    /// `bottleneck_bytes` is made from the frames that arrived, each with its headers and the mean payload of those
    /// that were sent: exact where all segments are full, as in bulk; elsewhere it assumes that duplicates and losses
    /// have the mean size. What is still on its way from the bottleneck to the receiver is not in it yet. Where random
    /// loss acts after the bottleneck, the kernel does not tell whose frames it took: their expected number is added. Nor does
    /// it tell whose frames a queue behind the bottleneck dropped: these are left out.
    pub fn counters(
        &self,
        flow: usize,
        reading: &Reading,
        delivered_bytes: u64,
        established_ns: u64,
        at_ns: u64,
    ) -> FlowCounters {
        let Reading { sender, receiver, .. } = reading;
        let elapsed_ns = at_ns.saturating_sub(established_ns);
        FlowCounters {
            at_ns,
            delivered_bytes,
            bottleneck_bytes: self.bottleneck_bytes(flow, sender, receiver),
            segments_sent: u64::from(sender.data_segs_out),
            segments_retransmitted: u64::from(sender.total_retrans),
            segments_lost: UNSEEN,
            acks: u64::from(sender.segs_in),
            timeouts: UNSEEN,
            probes: UNSEEN,
            undos: UNSEEN,
            dropped_packets: UNSEEN,
            random_lost_packets: UNSEEN,
            marked_packets: UNSEEN,
            delivered_ce: u64::from(sender.delivered_ce),
            // The kernel shows the state in which it reduces, and counts nothing.
            cwr_reductions: UNSEEN,
            app_limited_ns: elapsed_ns.saturating_sub(sender.busy_us * NANOS_PER_MICRO),
            rwnd_limited_ns: sender.rwnd_limited_us * NANOS_PER_MICRO,
            sndbuf_limited_ns: sender.sndbuf_limited_us * NANOS_PER_MICRO,
        }
    }

    /// Bytes of frames of a flow's datagrams that passed the bottleneck, of so many that arrived with so much payload.
    pub fn datagram_bytes(&self, flow: usize, [arrived, payload_bytes]: [u64; 2]) -> u64 {
        let headers_bytes = match self.passing[flow].headers_bytes {
            0 => return 0,
            of_segment => of_segment - SEGMENT_HEADERS_BYTES + UDP_HEADERS_BYTES,
        };
        arrived * u64::from(headers_bytes) + payload_bytes
    }

    fn bottleneck_bytes(&self, flow: usize, sender: &TcpInfo, receiver: &TcpInfo) -> u64 {
        let Passing { arrives_ppb, headers_bytes } = self.passing[flow];
        if headers_bytes == 0 {
            return 0;
        }
        let arrived = u128::from(receiver.data_segs_in);
        let payload = match sender.data_segs_out {
            // The sender is another machine's: what it sent twice is not known.
            0 => u128::from(receiver.bytes_received),
            sent => arrived * u128::from(sender.bytes_sent) / u128::from(sent),
        };
        let bytes = arrived * u128::from(headers_bytes) + payload;
        (bytes * u128::from(BILLION) / u128::from(arrives_ppb.max(1))) as u64
    }
}

impl Passing {
    /// It passes no bottleneck.
    const NOT: Self = Self { arrives_ppb: BILLION, headers_bytes: 0 };

    fn of(flow: &Flow, path: &Path) -> Self {
        let (hops, passed) = (path.hops(flow.direction), flow.data_hops(path));
        let Some(bottleneck) = path.bottleneck(flow.direction).filter(|place| passed.contains(place)) else {
            return Self::NOT;
        };
        let lost_ppb = |place: usize| {
            let acts = place > bottleneck || hops[place].loss_at == LossAt::After;
            if acts { u64::from(hops[place].loss_ppb) } else { 0 }
        };
        let passes = |ppb: u64, place: usize| ppb * BILLION.saturating_sub(lost_ppb(place)) / BILLION;
        let arrives_ppb = (bottleneck..passed.end).fold(BILLION, passes);
        Self { arrives_ppb, headers_bytes: SEGMENT_HEADERS_BYTES + hops[bottleneck].overhead_bytes }
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
        marked_packets: UNSEEN,
        cwr_reductions: UNSEEN,
        ..FlowCounters::default()
    }
}

fn gauges(reading: &Reading, bottleneck_bytes: u64, paces_always: bool) -> Gauges {
    let Reading { sender, control, .. } = reading;
    let ssthresh = if sender.snd_ssthresh >= INFINITE_SSTHRESH { u32::MAX } else { sender.snd_ssthresh };
    // Linux keeps a pacing rate for every flow, and paces by it only those whose control asks for that.
    let paced = paces_always || matches!(control, ControlInfo::Bbr { .. });
    let own = Gauges {
        bottleneck_bytes,
        cwnd_segments: sender.snd_cwnd,
        ssthresh_segments: ssthresh,
        inflight_segments: sender.in_flight(),
        min_rtt_us: sender.min_rtt_us,
        pacing_rate_bps: if paced { bits(sender.pacing_rate) } else { u64::MAX },
        delivery_rate_bps: bits(sender.delivery_rate),
        phase: loss_based_phase(sender.snd_cwnd, ssthresh),
        ..Gauges::UNKNOWN
    };
    match *control {
        ControlInfo::Silent => own,
        ControlInfo::Vegas { min_rtt_us } => {
            Gauges { cc_min_rtt_us: if min_rtt_us >= INFINITE_SSTHRESH { u32::MAX } else { min_rtt_us }, ..own }
        }
        ControlInfo::Dctcp { alpha } => {
            let alpha_ppm = alpha.map_or(u32::MAX, |alpha| millionths(alpha.into(), DCTCP_MAX_ALPHA));
            Gauges { alpha_ppm, ..own }
        }
        ControlInfo::Bbr { bandwidth, min_rtt_us, pacing_gain, cwnd_gain, bounds } => {
            let own = Gauges {
                // Zero until the handshake is done, as the bounds are.
                cc_min_rtt_us: if min_rtt_us == 0 { u32::MAX } else { min_rtt_us },
                bandwidth_bps: bits(bandwidth),
                pacing_gain_256ths: pacing_gain as u16,
                cwnd_gain_256ths: cwnd_gain as u16,
                phase: bbr_phase(pacing_gain, cwnd_gain),
                ..own
            };
            match bounds {
                None => own,
                Some(bounds) if min_rtt_us == 0 => Gauges { phase: bbr3_phase(bounds.phase), ..own },
                Some(bounds) => Gauges {
                    bw_hi_bps: bits(bounds.bw_hi),
                    bw_lo_bps: bits(bounds.bw_lo),
                    inflight_hi_segments: bounds.inflight_hi,
                    inflight_lo_segments: bounds.inflight_lo,
                    phase: bbr3_phase(bounds.phase),
                    ..own
                },
            }
        }
    }
}

/// Bytes a second as bits a second; "none" and "without limit" stay what they are.
const fn bits(bytes_per_sec: u64) -> u64 {
    bytes_per_sec.saturating_mul(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::sockets::tcp_info::BbrBounds;
    use run::{Direction, Hop, Record};

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
        let control =
            ControlInfo::Bbr { bandwidth: 2_000, min_rtt_us: 25_001, pacing_gain: 88, cwnd_gain: 739, bounds: None };
        Reading { sender, control, receiver: TcpInfo { data_segs_in: 8, ..TcpInfo::default() } }
    }

    #[test]
    fn gauges_have_the_measurements_units() {
        let mut recorder = KernelRecorder::new(&samples::run(1));
        recorder.sample_flow(0, &bbr(), 1_448, 50);
        let flow = recorder.recorder.flow(0);
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
    fn version_3_tells_its_phase_whatever_its_gains_are() {
        let mut recorder = KernelRecorder::new(&samples::run(1));
        assert_eq!(recorder.bbr_version(0), None);
        let bounds = BbrBounds {
            version: 3,
            phase: 6,
            bw_hi: 2_000,
            bw_lo: u64::MAX,
            inflight_lo: u32::MAX,
            inflight_hi: 20,
            extra_acked: 0,
        };
        let control = ControlInfo::Bbr {
            bandwidth: 2_000,
            min_rtt_us: 25_001,
            pacing_gain: 256,
            cwnd_gain: 512,
            bounds: Some(bounds),
        };
        recorder.sample_flow(0, &Reading { control, ..bbr() }, 1_448, 50);
        let flow = recorder.recorder.flow(0);
        assert_eq!(flow.phases[usize::from(flow.series.phase[0])], "probe_bw_cruise");
        assert_eq!(recorder.bbr_version(0), Some(3));
        let set = BbrBounds { bw_lo: 1_000, inflight_lo: 10, ..bounds };
        let begun = |min_rtt_us| ControlInfo::Bbr {
            bandwidth: 2_000,
            min_rtt_us,
            pacing_gain: 256,
            cwnd_gain: 512,
            bounds: Some(set),
        };
        for (at_ns, min_rtt_us) in [(60, 25_001), (70, 0)] {
            recorder.sample_flow(0, &Reading { control: begun(min_rtt_us), ..bbr() }, 1_448, at_ns);
        }
        // Not set; set; and before the handshake is done all are zeros in the kernel.
        let series = &recorder.recorder.flow(0).series;
        assert_eq!(series.bw_hi_bps, [16_000, 16_000, u64::MAX]);
        assert_eq!(series.bw_lo_bps, [u64::MAX, 8_000, u64::MAX]);
        assert_eq!(series.inflight_hi_segments, [20, 20, u32::MAX]);
        assert_eq!(series.inflight_lo_segments, [u32::MAX, 10, u32::MAX]);
    }

    #[test]
    fn a_programs_gauges_are_those_of_the_connection_that_carries_what_it_sends() {
        let mut recorder = KernelRecorder::new(&samples::run(1));
        let mut busy = Reading { receiver: TcpInfo::default(), ..bbr() };
        let mut idle = Reading { control: ControlInfo::Silent, ..busy };
        (busy.sender.bytes_sent, idle.sender.bytes_sent, idle.sender.rtt_us) = (1_000_000, 9_999, 200_000);
        let counters = FlowCounters { delivered_bytes: 7, bottleneck_bytes: 9, ..FlowCounters::default() };
        recorder.sample_program(0, &[idle, busy], &counters, 50);
        idle.sender.bytes_sent = 10_000;
        recorder.sample_program(0, &[idle, busy], &counters, 60);
        recorder.sample_program(0, &[], &counters, 70);
        let flow = recorder.recorder.flow(0);
        let series = &flow.series;
        assert_eq!((&series.delivered_bytes[..], &series.bottleneck_bytes[..]), (&[7; 3][..], &[9; 3][..]));
        assert_eq!((&series.srtt_us[..], &series.cwnd_segments[..]), (&[26_000, 113_000, 0][..], &[14, 28, 0][..]));
        assert_eq!(flow.phases[usize::from(series.phase[0])], "drain");
    }

    #[test]
    fn dctcp_tells_alpha_where_it_has_ecn() {
        let mut recorder = KernelRecorder::new(&samples::run(1));
        for (place, alpha) in [(1, Some(64)), (2, None)] {
            let reading = Reading { control: ControlInfo::Dctcp { alpha }, ..bbr() };
            recorder.sample_flow(0, &reading, 0, place);
        }
        assert_eq!(recorder.recorder.flow(0).series.alpha_ppm, [62_500, u32::MAX]);
    }

    #[test]
    fn a_silent_control_has_no_gauges_of_its_own() {
        let mut recorder = KernelRecorder::new(&samples::run(1));
        let mut reading = Reading { control: ControlInfo::Silent, ..bbr() };
        reading.sender.snd_ssthresh = 14;
        recorder.sample_flow(0, &reading, 0, 50);
        let series = &recorder.recorder.flow(0).series;
        assert_eq!(
            (series.pacing_rate_bps[0], series.bandwidth_bps[0], series.cc_min_rtt_us[0]),
            (u64::MAX, u64::MAX, u32::MAX)
        );
        assert_eq!((series.pacing_gain_256ths[0], series.phase[0]), (0, 1));
        assert_eq!(recorder.recorder.flow(0).phases, LOSS_BASED_PHASES);
    }

    #[test]
    fn a_summary_keeps_what_it_is_made_from() {
        let mut run = samples::run(1);
        run.measure.record = Record::Summary;
        let mut recorder = KernelRecorder::new(&run);
        recorder.sample_flow(0, &bbr(), 0, 50);
        let series = &recorder.recorder.flow(0).series;
        assert_eq!((series.srtt_us.len(), series.cwnd_segments.len(), series.phase.len()), (1, 0, 0));
    }

    #[test]
    fn full_segments_leave_the_bottleneck_to_the_byte() {
        let recorder = KernelRecorder::new(&samples::run(1));
        let counters = recorder.counters(0, &bbr(), 11_584, 10, 100_010);
        assert_eq!(counters.bottleneck_bytes, 8 * 1514);
        assert_eq!((counters.segments_sent, counters.segments_retransmitted), (10, 2));
        assert_eq!((counters.app_limited_ns, counters.segments_lost), (10_000, UNSEEN));
    }

    #[test]
    fn frames_lost_behind_the_bottleneck_have_left_it() {
        let mut run = samples::run(1);
        (run.path.loss_at, run.path.loss_ppb) = (LossAt::After, 200_000_000);
        let recorder = KernelRecorder::new(&run);
        assert_eq!(recorder.counters(0, &bbr(), 0, 0, 0).bottleneck_bytes, 10 * 1514);
    }

    #[test]
    fn the_bottleneck_of_a_flow_is_that_of_its_datas_way() {
        let mut run = samples::run(4);
        let hop = run.path.hops(Direction::Down).remove(0);
        let lossy = |loss_at| Hop { loss_ppb: 200_000_000, loss_at, ..hop.clone() };
        run.path.hops = vec![lossy(LossAt::After), lossy(LossAt::Before), lossy(LossAt::Before), hop.clone()];
        run.path.bottleneck = 1;
        run.path.back = vec![Hop { overhead_bytes: 38, ..hop.clone() }];
        run.flows[1].route.data = Some((0, 1));
        run.flows[2].route.data = Some((2, 3));
        run.flows[3].direction = Direction::Up;
        let recorder = KernelRecorder::new(&run);
        let bytes = |flow: usize| recorder.counters(flow, &bbr(), 0, 0, 0).bottleneck_bytes;
        // Loss before the queue of the bottleneck takes nothing that has left it, that behind it does.
        assert_eq!([bytes(0), bytes(1), bytes(2), bytes(3)], [10 * 1514, 8 * 1514, 0, 8 * (1500 + 38)]);
    }
}
