//! What holds for every measurement of every run, however odd: nothing appears or vanishes, nothing is faster than
//! the line or shorter than the path, and nothing that was counted is taken back.

use super::MS;
use run::{
    AccessKind, Buffer, Direction, Ecn, Flow, FlowCounters, FlowMeasurement, Hop, LossAt, Measurement, NEVER_NS,
    PageLoads, Path, Qdisc, QueueMeasurement, Record, Run, ShaperKind, Trace, Workload,
};

/// Payload of the largest super-packet.
const SUPER_PACKET_BYTES: u64 = 65_536;
const BIT_NS_PER_BYTE: u128 = 8_000_000_000;

/// Panics when a measurement breaks a law.
pub fn hold(run: &Run, measurement: &Measurement) {
    the_run_ends_when_it_should(run, measurement);
    the_queue_keeps_its_packets(run, &measurement.bottleneck, measurement.ended_ns);
    the_line_is_no_faster_than_its_rate(run, &measurement.bottleneck);
    flows_and_bottleneck_agree(run, measurement);
    assert_eq!(measurement.flows.len(), run.flows.len());
    for (flow, measured) in run.flows.iter().zip(&measurement.flows) {
        counters_only_grow(run, measured);
        what_is_delivered_was_written_and_sent(run, flow, measured);
        no_round_trip_is_shorter_than_the_path(flow, measured);
        marks_are_for_those_who_understand_them(flow, measured);
        if !flow.is_source() {
            time_is_charged_once(measured);
        }
        transfers_begin_when_they_arrive(run, flow, measured, measurement.ended_ns);
        if flow.has_pages() {
            pages_are_loaded_one_after_the_other(flow, measured, measurement.ended_ns);
        }
        gauges_are_read_on_time(run, flow, measured, measurement.ended_ns);
    }
}

/// The path's bottleneck.
fn bottleneck(path: &Path) -> Hop {
    path.hops(Direction::Down).remove(path.bottleneck)
}

/// What the bottleneck can carry between two instants, in bit x ns / s.
pub fn capacity(path: &Path, from_ns: u64, to_ns: u64) -> u128 {
    if let Some(Trace::Deliveries(at_ms)) = &path.trace {
        let last_ms = u64::from(*at_ms.last().expect("deliveries"));
        let repetitions = (0..=to_ns / MS / last_ms).map(|repetition| repetition * last_ms);
        let all_ms = repetitions.flat_map(|from_ms| at_ms.iter().map(move |at_ms| from_ms + u64::from(*at_ms)));
        let count = all_ms.filter(|at_ms| from_ns < at_ms * MS && at_ms * MS <= to_ns).count();
        return count as u128 * u128::from(path.frame_bytes()) * BIT_NS_PER_BYTE;
    }
    let (mut since_ns, mut rate_bps, mut sum) = (from_ns, path.rate_bps, 0);
    for change in bottleneck(path).changes_in_time() {
        let at_ns = change.at_ns.clamp(from_ns, to_ns);
        sum += u128::from(rate_bps) * u128::from(at_ns - since_ns);
        (since_ns, rate_bps) = (at_ns, change.rate_bps.unwrap_or(rate_bps));
    }
    sum + u128::from(rate_bps) * u128::from(to_ns - since_ns)
}

fn mss_bytes(run: &Run) -> u64 {
    u64::from(run.path.mss_bytes())
}

/// Headers of a frame, as the bottleneck counts it. The smallest one has nothing else.
fn headers_bytes(run: &Run) -> u64 {
    u64::from(run::SEGMENT_HEADERS_BYTES + run.path.overhead_bytes)
}

/// The largest payload of a flow's frames, and their headers as the bottleneck counts them.
fn frame_of(run: &Run, flow: &Flow) -> (u64, u64) {
    if !flow.has_datagrams() {
        return (mss_bytes(run), headers_bytes(run));
    }
    let headers = u64::from(run::UDP_HEADERS_BYTES);
    (u64::from(run.path.mtu_bytes) - headers, headers + u64::from(run.path.overhead_bytes))
}

fn largest_frame_bytes(run: &Run) -> u64 {
    let frame = run.path.frame_bytes();
    if run.path.offload {
        frame.max(SUPER_PACKET_BYTES + SUPER_PACKET_BYTES.div_ceil(mss_bytes(run)) * headers_bytes(run))
    } else {
        frame
    }
}

/// At its time, or when every transfer is complete, stopped, or given up.
fn the_run_ends_when_it_should(run: &Run, measurement: &Measurement) {
    let finite = measurement.flows.iter().zip(&run.flows).enumerate().filter(|(_, (_, flow))| flow.is_finite());
    let done = finite.map(|(index, (measured, flow))| {
        let is_given_up = measurement.facts.contains_key(&format!("flows[{index}].given_up"));
        let given_up_ns = is_given_up.then_some(measured.at_end.at_ns);
        measured.completed_ns.or(given_up_ns).or(flow.stop_ns).unwrap_or(u64::MAX)
    });
    let last = done.max().filter(|_| run.until_done).unwrap_or(u64::MAX);
    assert_eq!(measurement.ended_ns, last.min(run.duration_ns));
}

/// A reset that answers for a connection which is no more: without timestamps. Or a datagram.
fn least_frame_bytes(run: &Run) -> u64 {
    let beyond = u64::from(run::UDP_HEADERS_BYTES + run.path.overhead_bytes);
    let datagrams = run.flows.iter().filter_map(|flow| match &flow.workload {
        Workload::Ping { bytes, .. } | Workload::Datagrams { bytes, .. } => Some(*bytes),
        Workload::DatagramTrace { datagrams } => datagrams.iter().map(|each| each.bytes).min(),
        Workload::Media { .. } => Some(8),
        _ => None,
    });
    datagrams.map(|bytes| bytes + beyond).chain([headers_bytes(run) - 12]).min().expect("one at least")
}

fn the_queue_keeps_its_packets(run: &Run, queue: &QueueMeasurement, ended_ns: u64) {
    for counters in [&queue.at_window_begin, &queue.at_window_end, &queue.at_end] {
        assert_eq!(
            counters.offered_packets,
            counters.sent_packets + counters.dropped_packets + counters.queued_packets,
            "{counters:?}"
        );
    }
    let series = &queue.series;
    let samples = series.at_ns.len();
    assert_eq!(
        [
            series.backlog_bytes.len(),
            series.backlog_packets.len(),
            series.dropped_packets.len(),
            series.sent_packets.len()
        ],
        [samples; 4]
    );
    // A run that ends with the last byte of a transfer ends before that instant's sample.
    let due = ended_ns / run.measure.sample_ns;
    let last_may_lack = run.until_done && ended_ns.is_multiple_of(run.measure.sample_ns);
    assert!(samples as u64 == due || last_may_lack && samples as u64 + 1 == due, "{samples} of {due} samples");
    let mut offered_before = 0;
    for i in 0..samples {
        assert_eq!(series.at_ns[i], (i as u64 + 1) * run.measure.sample_ns);
        let (bytes, packets) = (series.backlog_bytes[i], u64::from(series.backlog_packets[i]));
        assert!(
            packets * least_frame_bytes(run) <= bytes && bytes <= packets * largest_frame_bytes(run),
            "{packets}: {bytes} B"
        );
        let rooms = run.path.changes.iter().filter_map(|change| change.buffer).chain([run.path.buffer]);
        let (mut most_bytes, mut most_packets) = (0, 0);
        rooms.for_each(|room| match room {
            Buffer::Bytes(room) => most_bytes = room.max(most_bytes),
            Buffer::Packets(room) => most_packets = room.max(most_packets),
        });
        let fits = bytes <= most_bytes || packets <= most_packets || run.path.offload && most_packets > 0;
        assert!(fits, "{bytes} of {most_bytes} B, {packets} of {most_packets}");
        assert!(run.path.shaper != ShaperKind::Police || packets == 0, "{packets} at a policer");
        if i > 0 {
            assert!(series.sent_packets[i] >= series.sent_packets[i - 1]);
            assert!(series.dropped_packets[i] >= series.dropped_packets[i - 1]);
        }
        // What came is what left, what was dropped and what waits: it never falls, and the end's counter bounds it.
        let offered = series.sent_packets[i] + series.dropped_packets[i] + packets;
        assert!(offered >= offered_before && offered <= queue.at_end.offered_packets, "{offered} offered");
        offered_before = offered;
    }
}

/// Utilization is at most 1 + burst/(rate x window), whatever the rate does.
fn the_line_is_no_faster_than_its_rate(run: &Run, queue: &QueueMeasurement) {
    if run.path.police.marks {
        return;
    }
    let (begin, end) = (&queue.at_window_begin, &queue.at_window_end);
    // A plain line counts a frame when its last bit has left; a bucket lets its burst through at once, one that may owe
    // a frame more, and any a super-packet that is larger than the burst when it is full.
    let frame = largest_frame_bytes(run);
    let is_recorded = matches!(run.path.trace, Some(Trace::Deliveries(_)));
    let owes = !is_recorded && run.path.shaper == ShaperKind::Htb;
    let at_once = if is_recorded || !owes && run.path.burst_bytes <= frame { frame } else { run.path.burst_bytes };
    let at_once = if owes || run.path.offload { at_once + frame } else { at_once };
    // A change of rate cuts a fraction of a nanosecond off.
    let hop = bottleneck(&run.path);
    let cut = u128::from(hop.rates_bps().max().unwrap_or(0)) * hop.changes_in_time().len() as u128;
    let carried = u128::from(end.sent_bytes - begin.sent_bytes) * BIT_NS_PER_BYTE;
    let allowed = capacity(&run.path, begin.at_ns, end.at_ns) + u128::from(at_once) * BIT_NS_PER_BYTE + cut;
    assert!(carried <= allowed, "{carried} of {allowed} bit ns/s in the window");
}

/// What is no ECT is not marked, and without marks there is no echo.
fn marks_are_for_those_who_understand_them(flow: &Flow, measured: &FlowMeasurement) {
    let FlowCounters { marked_packets, delivered_ce, cwr_reductions, .. } = measured.at_end;
    let needs_ecn =
        flow.cc.as_ref().and_then(|cc| cc::algorithm(&cc.algorithm)).is_some_and(|algorithm| algorithm.needs_ecn);
    let has_ecn = flow.ecn != Ecn::Off || needs_ecn;
    assert!(has_ecn || marked_packets == 0, "{marked_packets} marked");
    assert!(marked_packets > 0 || delivered_ce == 0, "{delivered_ce} echoed");
    assert!(cwr_reductions <= delivered_ce, "{cwr_reductions} reductions for {delivered_ce}");
}

/// The bottleneck's counters are the sums of the flows', and every data segment sent was offered, or lost before.
fn flows_and_bottleneck_agree(run: &Run, measurement: &Measurement) {
    let pick = |mark: fn(&FlowMeasurement) -> FlowCounters| measurement.flows.iter().map(mark).collect::<Vec<_>>();
    let queue = &measurement.bottleneck;
    for (total, flows) in
        [(&queue.at_window_begin, pick(|f| f.at_window_begin)), (&queue.at_window_end, pick(|f| f.at_window_end))]
    {
        let sum = |counter: fn(&FlowCounters) -> u64| flows.iter().map(counter).sum::<u64>();
        assert!(flows.iter().all(|flow| flow.at_ns == total.at_ns));
        let bytes = sum(|f| f.bottleneck_bytes);
        // A run that is done ends within an instant, at which others may have left a bucket and were not handed over.
        let is_within = run.until_done && total.at_ns == measurement.ended_ns;
        assert!(bytes == total.sent_bytes || is_within && bytes < total.sent_bytes, "{bytes} of {}", total.sent_bytes);
        assert_eq!(sum(|f| f.dropped_packets), total.dropped_packets);
        assert_eq!(sum(|f| f.random_lost_packets), total.random_lost_packets);
        if run.flows.iter().any(|flow| flow.access.is_some()) {
            continue; // what an access line holds or dropped is not counted
        }
        let lost_before = if run.path.loss_at == LossAt::Before { total.random_lost_packets } else { 0 };
        let (came, data) = (total.offered_packets + lost_before, sum(|f| f.segments_sent));
        // SYN, the handshake's last ACK, FIN, that again as a probe of tail loss, and, repeated at most every 200 ms, SYNs and
        // window probes.
        let connections = run.flows.iter().map(|flow| flow.connections().max(1) as u64).sum::<u64>();
        let control = connections * (4 + total.at_ns / 200_000_000);
        // A reset of its own, and one for each ACK that comes after it.
        let resets = (run.flows.iter().zip(&flows).filter(|(flow, _)| flow.stop_ns.is_some()))
            .map(|(flow, counters)| flow.connections().max(1) as u64 + counters.segments_sent)
            .sum::<u64>();
        // What a managed queue drops of these comes again as soon as a probe of tail loss is due.
        let again = if run.path.qdisc.is_fifo() { 0 } else { total.dropped_packets };
        // So does what comes damaged.
        let again = again + if run.path.impairments.corrupt_ppb > 0 { total.random_lost_packets } else { 0 };
        assert!(came <= data + control + resets + again, "{came} came, {data} were sent");
        // With jitter what waits in hosts is not counted, but it waits for less than that.
        let jitter_ns = run.path.jitter_ns.unwrap_or(0);
        let begun = &queue.at_window_begin;
        let data_by_now = match jitter_ns {
            0 => data,
            _ if total.at_ns - begun.at_ns >= jitter_ns => {
                measurement.flows.iter().map(|flow| flow.at_window_begin.segments_sent).sum()
            }
            _ => 0,
        };
        // Behind fq what a host still holds counts as sent.
        assert!(run.host.qdisc == Qdisc::Fq || data_by_now <= came, "{came} came, {data} were sent");
        for flow in &flows {
            let gone = flow.dropped_packets + flow.random_lost_packets + flow.delivered_bytes.div_ceil(mss_bytes(run));
            let other_packets =
                if run.host.qdisc == Qdisc::Fq { control + resets } else { came.saturating_sub(data_by_now) };
            // Of a packet that comes twice one copy may be damaged.
            let is_twice = run.path.impairments.duplicate_ppb > 0;
            assert!(is_twice || gone <= flow.segments_sent + control.min(other_packets), "{flow:?}");
        }
    }
}

fn counters_only_grow(run: &Run, measured: &FlowMeasurement) {
    let marks = [measured.at_window_begin, measured.at_window_end, measured.at_end];
    let columns = |c: &FlowCounters| {
        [
            c.delivered_bytes,
            c.bottleneck_bytes,
            c.segments_sent,
            c.segments_retransmitted,
            c.segments_lost,
            c.acks,
            c.timeouts,
            c.probes,
            c.undos,
            c.dropped_packets,
            c.random_lost_packets,
            c.app_limited_ns,
            c.rwnd_limited_ns,
            c.sndbuf_limited_ns,
        ]
    };
    // A flow may end at the instant of a mark, before or after what else happens then.
    for (earlier, later) in marks.iter().flat_map(|a| marks.iter().map(move |b| (a, b))) {
        let grown = columns(earlier).iter().zip(columns(later)).all(|(before, after)| *before <= after);
        assert!(grown || earlier.at_ns >= later.at_ns, "{earlier:?} {later:?}");
    }
    for counters in marks {
        assert!(counters.segments_retransmitted <= counters.segments_sent, "{counters:?}");
        // What is sent again was marked lost, or is a probe. What the host itself drops counts as sent again each time.
        let has_device = |flow: &Flow| flow.access.is_some_and(|line| line.kind == AccessKind::Device);
        let host_drops = run.host.qdisc == Qdisc::Fq || run.flows.iter().any(has_device);
        let due = counters.segments_lost + counters.probes;
        assert!(host_drops || counters.segments_retransmitted <= due, "{counters:?}");
    }
}

/// Payload that the application has written when the flow is `age_ns` old, at most; all of it, without an age.
fn written_bytes(run: &Run, flow: &Flow, age_ns: Option<u64>) -> u64 {
    match &flow.workload {
        // What a client requests follows from when answers come: see `pages_are_loaded_one_after_the_other`.
        Workload::Bulk | Workload::Pages { .. } => u64::MAX,
        Workload::Transfer { bytes } => *bytes,
        Workload::Stream { rate_bps, for_ns, every_ns } => {
            // A write carries the data of the time until the next one.
            let length_ns = age_ns.map_or(*for_ns, |age_ns| (age_ns + every_ns).min(*for_ns));
            u64::try_from(u128::from(*rate_bps) * u128::from(length_ns) / BIT_NS_PER_BYTE).expect("a stream")
        }
        Workload::Trace { writes } => {
            let due = writes.iter().filter(|write| age_ns.is_none_or(|age_ns| write.at_ns <= age_ns));
            due.map(|write| write.bytes).sum()
        }
        Workload::Arrivals { arrivals } => {
            let due = arrivals.iter().filter(|arrival| age_ns.is_none_or(|age_ns| arrival.at_ns <= age_ns));
            due.map(|arrival| arrival.bytes).sum()
        }
        Workload::Ping { .. } => 0,
        Workload::Datagrams { bytes, .. } => {
            let all = run::Datagrams::of(run.seed, flow).expect("they are");
            age_ns.map_or(u64::MAX, |age_ns| all.take_while(|each| each.at_ns <= age_ns).count() as u64 * bytes)
        }
        Workload::DatagramTrace { datagrams } => {
            let due = datagrams.iter().filter(|each| age_ns.is_none_or(|age_ns| each.at_ns <= age_ns));
            due.map(|each| each.bytes).sum()
        }
        // As much as the path lets it.
        Workload::Media { .. } => u64::MAX,
        Workload::Command { .. } => unreachable!("the simulator refuses it"),
    }
}

fn what_is_delivered_was_written_and_sent(run: &Run, flow: &Flow, measured: &FlowMeasurement) {
    let (most_bytes, headers_bytes) = frame_of(run, flow);
    let total = written_bytes(run, flow, None);
    for counters in [measured.at_window_begin, measured.at_window_end, measured.at_end] {
        assert!(counters.delivered_bytes <= total);
        let first_sent = counters.segments_sent - counters.segments_retransmitted;
        assert!(counters.delivered_bytes <= first_sent * most_bytes, "{counters:?}");
        let frames = counters.delivered_bytes.div_ceil(most_bytes);
        assert!(counters.delivered_bytes + frames * headers_bytes <= counters.bottleneck_bytes, "{counters:?}");
    }
    if let Some(completed_ns) = measured.completed_ns {
        assert_eq!(measured.at_end.delivered_bytes, total);
        assert_eq!(measured.at_end.at_ns, completed_ns);
    }
    let series = &measured.series;
    for (at_ns, delivered) in series.at_ns.iter().zip(&series.delivered_bytes) {
        assert!(*delivered <= written_bytes(run, flow, Some(at_ns - measured.started_ns)));
        assert!(*delivered <= measured.at_end.delivered_bytes);
    }
    assert!(series.delivered_bytes.is_sorted());
    for (delivered, left) in series.delivered_bytes.iter().zip(&series.bottleneck_bytes) {
        let frames = delivered.div_ceil(most_bytes);
        assert!(delivered + frames * headers_bytes <= *left && *left <= measured.at_end.bottleneck_bytes);
    }
    assert!(series.bottleneck_bytes.is_sorted());
}

/// The clock of timestamps, which tell the RTT when a retransmission was acknowledged, has whole milliseconds: a sample
/// is no shorter than the path in those.
fn no_round_trip_is_shorter_than_the_path(flow: &Flow, measured: &FlowMeasurement) {
    let base_ns = flow.base_rtt_ns();
    let least_ns = base_ns / MS * MS;
    assert!(measured.rtt_min_ns.is_none_or(|rtt_ns| rtt_ns >= least_ns), "{:?} of {base_ns}", measured.rtt_min_ns);
    assert!(measured.acks.iter().all(|ack| ack.rtt_ns >= least_ns));
    assert!(measured.acks.is_sorted_by_key(|ack| ack.at_ns));
    let histogram = &measured.ack_rtt;
    assert_eq!(histogram.counts.iter().map(|count| u64::from(*count)).sum::<u64>(), histogram.count);
    assert!(histogram.sum >= histogram.count * least_ns);
    match (measured.datagrams, &measured.delay) {
        (None, _) => assert!(histogram.count <= measured.at_window_end.acks - measured.at_window_begin.acks),
        (Some(pings), None) => assert_eq!(histogram.count, pings.sent - pings.lost),
        (Some(datagrams), Some(delay)) => {
            assert_eq!((delay.count, histogram.count), (datagrams.sent - datagrams.lost, 0));
            assert!(delay.sum >= delay.count * flow.forward_delay_ns);
        }
    }
    if let Some(frames) = &measured.frames {
        assert!(frames.late <= frames.captured && frames.delay.count <= frames.captured, "{frames:?}");
        assert!(frames.delay.sum >= frames.delay.count * flow.forward_delay_ns);
    }
}

fn time_is_charged_once(measured: &FlowMeasurement) {
    for counters in [measured.at_window_begin, measured.at_window_end, measured.at_end] {
        let charged = counters.app_limited_ns + counters.rwnd_limited_ns + counters.sndbuf_limited_ns;
        assert!(charged <= counters.at_ns.saturating_sub(measured.started_ns), "{counters:?}");
    }
}

fn gauges_are_read_on_time(run: &Run, flow: &Flow, measured: &FlowMeasurement, ended_ns: u64) {
    let series = &measured.series;
    let samples = series.at_ns.len();
    assert_eq!([series.srtt_us.len(), series.delivered_bytes.len()], [samples; 2]);
    let gauges = [
        series.bottleneck_bytes.len(),
        series.cwnd_segments.len(),
        series.ssthresh_segments.len(),
        series.inflight_segments.len(),
        series.min_rtt_us.len(),
        series.cc_min_rtt_us.len(),
        series.pacing_rate_bps.len(),
        series.delivery_rate_bps.len(),
        series.bandwidth_bps.len(),
        series.pacing_gain_256ths.len(),
        series.cwnd_gain_256ths.len(),
        series.bw_hi_bps.len(),
        series.bw_lo_bps.len(),
        series.inflight_hi_segments.len(),
        series.inflight_lo_segments.len(),
        series.alpha_ppm.len(),
        series.phase.len(),
    ];
    assert_eq!(gauges, [if run.measure.record == Record::Summary { 0 } else { samples }; 17]);
    let phases = measured.phases.len().max(1);
    assert!(series.phase.iter().all(|phase| usize::from(*phase) < phases));
    assert!(run.measure.record == Record::Acks || measured.acks.is_empty());
    for (before, after) in series.at_ns.iter().zip(series.at_ns.iter().skip(1)) {
        assert_eq!(before + run.measure.sample_ns, *after);
    }
    // From the first sample after the start to the end of the flow, without a gap.
    let sample = run.measure.sample_ns;
    if let (Some(first), Some(last)) = (series.at_ns.first(), series.at_ns.last()) {
        assert!(*first >= flow.start_ns && *first <= flow.start_ns.next_multiple_of(sample).max(sample));
        assert!(*last <= measured.at_end.at_ns && last + sample >= measured.at_end.at_ns.min(ended_ns));
    }
    let has_window = !flow.is_source() && !flow.has_datagrams();
    assert!(series.cwnd_segments.iter().all(|cwnd| *cwnd > 0) || !has_window);
}

/// Each on a connection of its own, which takes a round trip to open; and what they send is what their source sends.
fn transfers_begin_when_they_arrive(run: &Run, flow: &Flow, measured: &FlowMeasurement, ended_ns: u64) {
    let transfers = &measured.transfers;
    let columns = [&transfers.started_ns, &transfers.completed_ns, &transfers.segments_sent];
    assert!(columns.iter().all(|column| column.len() == flow.arrivals().len()));
    let (mut sent, mut retransmitted, mut delivered) = (0, 0, 0);
    for (index, arrival) in flow.arrivals().iter().enumerate() {
        let (started_ns, completed_ns) = (transfers.started_ns[index], transfers.completed_ns[index]);
        let due_ns = flow.start_ns + arrival.at_ns;
        let over_ns = flow.stop_ns.unwrap_or(u64::MAX).min(ended_ns);
        assert!(started_ns == due_ns || started_ns == NEVER_NS && due_ns >= over_ns, "{started_ns} of {due_ns}");
        let own = transfers.segments_sent[index] - transfers.segments_retransmitted[index];
        if completed_ns != NEVER_NS {
            assert!(completed_ns >= started_ns + flow.base_rtt_ns() + flow.forward_delay_ns);
            assert!(completed_ns <= over_ns && own * mss_bytes(run) >= arrival.bytes, "{own} segments");
            delivered += arrival.bytes;
        }
        sent += transfers.segments_sent[index];
        retransmitted += transfers.segments_retransmitted[index];
    }
    if flow.is_source() && !flow.has_pages() {
        let end = measured.at_end;
        // Counted again when their ACK came late: what was sent again although it had arrived.
        let again = end.segments_retransmitted - retransmitted;
        assert_eq!(end.segments_sent - sent, again);
        assert!(end.delivered_bytes >= delivered);
    }
}

/// Each takes a round trip for each object of a connection at least, and only the last is under way; what arrives was requested.
fn pages_are_loaded_one_after_the_other(flow: &Flow, measured: &FlowMeasurement, ended_ns: u64) {
    let Workload::Pages { connections, objects, .. } = flow.workload else { unreachable!("a client") };
    let PageLoads { started_ns, loaded_ns, bytes } = &measured.pages;
    let over_ns = flow.stop_ns.unwrap_or(u64::MAX).min(ended_ns);
    assert!(started_ns.len() == loaded_ns.len() && started_ns.len() == bytes.len());
    let turns = objects.div_ceil(u64::from(connections));
    for (index, (started_ns, loaded_ns)) in started_ns.iter().zip(loaded_ns).enumerate() {
        let is_last = index + 1 == bytes.len();
        assert!(*loaded_ns == NEVER_NS && is_last || *loaded_ns <= over_ns, "{loaded_ns}");
        assert!(*loaded_ns >= started_ns + turns * flow.base_rtt_ns() && *started_ns <= over_ns);
        assert!(measured.pages.started_ns.get(index + 1).is_none_or(|next_ns| next_ns >= loaded_ns));
        assert!(loaded_ns == &NEVER_NS || bytes[index] >= objects);
    }
    let (all, last) = (bytes.iter().sum::<u64>(), bytes.last().copied().unwrap_or(0));
    let delivered_bytes = measured.at_end.delivered_bytes;
    assert!(delivered_bytes <= all && delivered_bytes >= all - last, "{delivered_bytes} of {all}");
}
