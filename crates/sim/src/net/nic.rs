//! A receiving host's NIC, at the end of its forward delay: when it hands over what has arrived, and what of that is
//! merged.
//!
//! *Interrupt moderation* is that of [`Slots`], with which the engine `linux` makes it.
//!
//! *Generic receive offload* merges segments of a connection that are handed over together, as Linux 6.1 does behind a
//! NAPI poll (`tcp_gro_receive`, `skb_gro_receive`, `dev_gro_receive`): in sequence, with equal marks and timestamps (of
//! a millisecond), full-sized but the last, none with PSH but the last, none with CWR but the first, 64 kB with their
//! headers at most; then whatever is held goes up. A poll takes 64 packets, but one that was cut off there flushes
//! nothing: at HZ = 1000 it flushes what is older than this millisecond (`__napi_poll`). Left out: the identification
//! in IP headers, which keeps two segments apart that were not sent one after the other; those differ from this model
//! only where what was sent between them was lost.

use super::line::make_room;
use super::packet::{Packet, PacketKind};
use super::slots::Slots;
use run::{Host, SEGMENT_HEADERS_BYTES};
use std::collections::VecDeque;
use units::{Span, Time};

/// A merged packet, IP and TCP headers of one segment included, is smaller than this (`GRO_LEGACY_MAX_SIZE`).
const MERGED_BYTES: u32 = 65_536;
/// Connections are held in so many lists (`GRO_HASH_BUCKETS`), each of so many packets at most (`MAX_GRO_SKBS`).
const LISTS: usize = 8;
const LIST_PACKETS: usize = 8;

/// One host's NIC and the forward delay before it.
#[derive(Debug)]
pub struct Nic {
    delay: Span,
    slots: Slots,
    /// Generic receive offload, if it is on.
    merger: Option<Merger>,
    /// What is under way or waits, in order, with the time at which it arrives.
    packets: VecDeque<(Time, Packet)>,
}

impl Nic {
    /// The NIC of a host behind a forward delay, whose connections have this MSS.
    pub const fn new(delay: Span, host: &Host, mss_bytes: u32) -> Self {
        Self {
            delay,
            slots: Slots::new(Span::from_nanos(host.ack_aggregation_ns)),
            merger: if host.gro { Some(Merger { mss_bytes, pending: Vec::new() }) } else { None },
            packets: VecDeque::new(),
        }
    }

    /// A packet begins its way to the host. Gives the hand-over to schedule, in place of the one before.
    #[inline(never)]
    pub fn push(&mut self, now: Time, packet: Packet) -> Option<Time> {
        make_room(&mut self.packets);
        self.packets.push_back((now + self.delay, packet));
        self.plan(now)
    }

    /// Hands over what has arrived, merged, to `out`, if `now` is the time for it (an event of before the last plan is
    /// void); `each` sees every packet as it arrived. Gives the next hand-over to schedule.
    pub fn hand_over(&mut self, now: Time, out: &mut Vec<Packet>, mut each: impl FnMut(&Packet)) -> Option<Time> {
        if !self.slots.end(now) {
            return None;
        }
        while let Some(&(arrival, packet)) = self.packets.front()
            && arrival <= now
        {
            self.packets.pop_front();
            each(&packet);
            match &mut self.merger {
                Some(merger) => merger.receive(packet, out),
                None => out.push(packet),
            }
        }
        if let Some(merger) = &mut self.merger {
            out.append(&mut merger.pending);
        }
        self.plan(now)
    }

    /// Packets under way and waiting.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().map(|(_, packet)| packet)
    }

    #[inline]
    fn plan(&mut self, now: Time) -> Option<Time> {
        self.slots.plan(self.packets.front()?.0, now)
    }
}

/// Generic receive offload: what is held while a lump is handed over.
#[derive(Debug)]
struct Merger {
    mss_bytes: u32,
    /// The oldest first; at most one of a connection.
    pending: Vec<Packet>,
}

impl Merger {
    /// A packet comes; what goes up now is added to `out`.
    #[inline]
    fn receive(&mut self, packet: Packet, out: &mut Vec<Packet>) {
        if let Some(place) = self.pending.iter().position(|earlier| earlier.flow == packet.flow) {
            let earlier = &mut self.pending[place];
            if extends(earlier, &packet) {
                earlier.segments += packet.segments;
                earlier.frame_bytes += packet.frame_bytes;
                earlier.end_bytes = packet.end_bytes;
                earlier.marks = earlier.marks.merged(packet.marks);
                if self.ends(&packet) {
                    out.push(self.pending.remove(place));
                }
                return;
            }
            out.push(self.pending.remove(place));
        }
        if packet.kind != PacketKind::Data || self.ends(&packet) {
            return out.push(packet);
        }
        let list = |packet: &Packet| packet.flow.index() % LISTS;
        let mut others = self.pending.iter().enumerate().filter(|(_, earlier)| list(earlier) == list(&packet));
        let oldest = others.next().map(|(place, _)| place);
        if let Some(oldest) = oldest.filter(|_| others.count() + 1 >= LIST_PACKETS) {
            out.push(self.pending.remove(oldest));
        }
        self.pending.push(packet);
    }

    /// Nothing is merged behind it: PSH, or its last segment is short.
    fn ends(&self, packet: &Packet) -> bool {
        packet.marks.is_pushed() || packet.payload_bytes() < u32::from(packet.segments) * self.mss_bytes
    }
}

/// True when `packet` goes on where `earlier` ends, looks like it, and both together are not too large. What is held
/// ends with a full segment without PSH.
fn extends(earlier: &Packet, packet: &Packet) -> bool {
    let sizes = earlier.payload_bytes() + packet.payload_bytes();
    packet.kind == PacketKind::Data
        && packet.seq == earlier.seq.wrapping_add(u32::from(earlier.segments))
        && packet.marks.may_follow(earlier.marks)
        && packet.stamp_ms == earlier.stamp_ms
        && packet.echo_ms == earlier.echo_ms
        && SEGMENT_HEADERS_BYTES + sizes < MERGED_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::FlowId;
    use crate::net::{Ecn, Marks};
    use run::{FRAME_HEADERS_BYTES, Qdisc, SocketMemory};
    use units::low_bits;

    const MSS: u32 = 1448;

    fn nic(delay_us: u64, period_us: u64, gro: bool) -> Nic {
        let host = Host {
            socket_memory: SocketMemory::Max,
            receive_window_bytes: None,
            initial_window_segments: 10,
            qdisc: Qdisc::None,
            sack_compression: true,
            gro,
            ack_aggregation_ns: period_us * 1_000,
        };
        Nic::new(Span::from_micros(delay_us), &host, MSS)
    }

    fn segment(seq: u64) -> Packet {
        Packet {
            seq: low_bits(seq),
            end_bytes: (low_bits(seq) + 1) * MSS,
            frame_bytes: MSS + FRAME_HEADERS_BYTES,
            stamp_ms: 7,
            echo_ms: 3,
            segments: 1,
            kind: PacketKind::Data,
            ..Packet::default()
        }
    }

    fn at(us: u64) -> Time {
        Time::from_nanos(us * 1_000)
    }

    /// When, in microseconds, each of the packets that enter at `entries` is handed over, and how many hand-overs are
    /// scheduled in vain.
    fn hand_overs(nic: &mut Nic, entries: &[u64]) -> (Vec<u64>, usize) {
        let (mut times, mut vain, mut out) = (Vec::new(), 0, Vec::new());
        let mut events: Vec<Time> = Vec::new();
        let mut entries = entries.iter().map(|us| at(*us)).peekable();
        loop {
            events.sort_unstable();
            let event = events.first().copied().unwrap_or(Time::NEVER);
            let next = match entries.peek() {
                Some(entry) if *entry <= event => {
                    let now = entries.next().expect("peeked");
                    nic.push(now, segment(0))
                }
                _ if events.is_empty() => return (times, vain),
                _ => {
                    let next = nic.hand_over(events.remove(0), &mut out, |_| {});
                    vain += usize::from(out.is_empty());
                    times.extend(out.drain(..).map(|_| event.as_nanos() / 1_000));
                    next
                }
            };
            events.extend(next);
        }
    }

    /// The same by netem's own steps, each of its looks at its time: `netem_enqueue`, `netem_dequeue`,
    /// `qdisc_watchdog_schedule_ns`.
    fn netem(delay: u64, period: u64, entries: &[u64]) -> Vec<u64> {
        let mut queue: VecDeque<u64> = VecDeque::new();
        let (mut slot, mut watchdog, mut times) = (None, u64::MAX, Vec::new());
        let mut entries = entries.iter().copied().peekable();
        while entries.peek().is_some() || watchdog != u64::MAX {
            let now = entries.peek().copied().unwrap_or(u64::MAX).min(watchdog);
            while entries.next_if_eq(&now).is_some() {
                queue.push_back(now + delay);
            }
            watchdog = u64::MAX;
            while let Some(&due) = queue.front() {
                if slot < Some(due) {
                    slot = Some(now + period);
                }
                if due > now || slot > Some(now) {
                    watchdog = slot.map_or(due, |slot| due.max(slot));
                    break;
                }
                queue.pop_front();
                times.push(now);
            }
        }
        times
    }

    #[test]
    fn without_moderation_each_packet_is_handed_over_when_it_arrives() {
        assert_eq!(hand_overs(&mut nic(100, 0, true), &[0, 3, 3, 250]), (vec![100, 103, 103, 350], 0));
    }

    #[test]
    fn after_a_pause_a_slot_begins_with_the_first_arrival() {
        assert_eq!(hand_overs(&mut nic(1_000, 100, false), &[0, 30, 5_000]).0, [1_100, 1_100, 6_100]);
        assert_eq!(hand_overs(&mut nic(0, 100, false), &[0, 30, 100, 101, 5_000]).0, [100, 100, 100, 201, 5_100]);
    }

    #[test]
    fn dense_traffic_is_handed_over_once_a_period() {
        let entries: Vec<u64> = (0..100).map(|i| 12 * i).collect();
        let (times, vain) = hand_overs(&mut nic(5_000, 100, false), &entries);
        assert!(times.iter().all(|us| us % 100 == 0), "{times:?}");
        assert_eq!(vain, 0);
        let mut lumps = times;
        lumps.dedup();
        assert_eq!(lumps, (51..=62).map(|i| 100 * i).collect::<Vec<_>>());
    }

    #[test]
    fn a_slot_longer_than_the_delay_begins_when_the_packet_enters_it() {
        assert_eq!(hand_overs(&mut nic(40, 100, false), &[10, 60, 75]).0, [110, 110, 210]);
    }

    #[test]
    fn a_packet_that_enters_shortly_before_an_arrival_moves_the_slot() {
        assert_eq!(hand_overs(&mut nic(1_000, 100, false), &[0, 950]), (vec![1_050, 2_050], 1));
    }

    #[test]
    fn slots_are_those_of_netem() {
        let mut random = 1_u64;
        for case in 0..2_000 {
            let (delay, period) = ([0, 40, 100, 1_000, 7_000][case % 5], [1, 100, 1_000][case % 3]);
            let mean = [5, 60, 400, 3_000][case % 4];
            let mut entry = 0;
            let entries: Vec<u64> = (0..60)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    entry += (random >> 33) % (2 * mean);
                    entry
                })
                .collect();
            let (times, _) = hand_overs(&mut nic(delay, period, false), &entries);
            assert_eq!(times, netem(delay, period, &entries), "{delay} {period} {entries:?}");
        }
    }

    /// What one lump becomes: first segment, number of segments, PSH.
    fn merged(packets: &[Packet]) -> Vec<(u64, u16, bool)> {
        let mut nic = nic(0, 0, true);
        let mut out = Vec::new();
        packets.iter().for_each(|packet| _ = nic.push(Time::ZERO, *packet));
        assert_eq!(nic.hand_over(Time::ZERO, &mut out, |_| {}), None);
        let bytes = |packets: &[Packet]| packets.iter().map(|packet| u64::from(packet.frame_bytes)).sum::<u64>();
        assert_eq!(bytes(packets), bytes(&out));
        out.iter().map(|packet| (packet.number(), packet.segments, packet.marks.is_pushed())).collect()
    }

    #[test]
    fn a_run_of_segments_becomes_one_packet() {
        let run: Vec<Packet> = (4..9).map(segment).collect();
        assert_eq!(merged(&run), [(4, 5, false)]);
        let mut out = Vec::new();
        let mut nic = nic(0, 0, true);
        run.iter().for_each(|packet| _ = nic.push(Time::ZERO, *packet));
        nic.hand_over(Time::ZERO, &mut out, |_| {});
        assert_eq!(out[0].end_bytes, 9 * MSS);
    }

    #[test]
    fn without_gro_nothing_is_merged() {
        let mut nic = nic(0, 100, false);
        let mut out = Vec::new();
        (0..3).for_each(|seq| _ = nic.push(Time::ZERO, segment(seq)));
        nic.hand_over(at(100), &mut out, |_| {});
        assert_eq!(out, (0..3).map(segment).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_out_of_sequence_is_a_packet_of_its_own() {
        assert_eq!(
            merged(&[segment(1), segment(3), segment(4), segment(2)]),
            [(1, 1, false), (3, 2, false), (2, 1, false)]
        );
    }

    #[test]
    fn another_timestamp_or_echo_is_not_merged() {
        let later = Packet { stamp_ms: 8, ..segment(2) };
        assert_eq!(merged(&[segment(1), later]), [(1, 1, false), (2, 1, false)]);
        let echoes = Packet { echo_ms: 4, ..segment(2) };
        assert_eq!(merged(&[segment(1), echoes]), [(1, 1, false), (2, 1, false)]);
    }

    #[test]
    fn a_push_ends_a_merged_packet_and_is_preserved() {
        let pushed = Packet { marks: Marks::new(true, Ecn::NotEct), ..segment(2) };
        assert_eq!(merged(&[segment(1), pushed, segment(3), segment(4)]), [(1, 2, true), (3, 2, false)]);
    }

    /// CE is not merged with what has none; what goes on behind CWR is, and CWR behind something is not (`tcp_gro_receive`).
    #[test]
    fn marks_of_the_network_and_cwr_are_not_blurred() {
        let marked = |seq, ecn, reduced| Packet { marks: Marks::new(false, ecn).reducing(reduced), ..segment(seq) };
        let (ect, ce) = (Ecn::Ect0, Ecn::CongestionExperienced);
        let run = [(1, ect), (2, ect), (3, ce), (4, ce), (5, ect)].map(|(seq, ecn)| marked(seq, ecn, false));
        assert_eq!(merged(&run), [(1, 2, false), (3, 2, false), (5, 1, false)]);
        let run = [(1, false), (2, true), (3, false)].map(|(seq, reduced)| marked(seq, ect, reduced));
        assert_eq!(merged(&run), [(1, 1, false), (2, 2, false)]);
        let pushed = Packet { marks: Marks::new(true, ect), ..segment(3) };
        let together = run[1].marks.merged(pushed.marks);
        assert!(together.is_reduced() && together.is_pushed() && together.ecn() == ect as u8);
    }

    #[test]
    fn a_short_segment_ends_a_merged_packet() {
        let short = Packet { frame_bytes: 500, ..segment(2) };
        assert_eq!(merged(&[segment(1), short, segment(3)]), [(1, 2, false), (3, 1, false)]);
        assert_eq!(merged(&[short, segment(3)]), [(2, 1, false), (3, 1, false)]);
    }

    #[test]
    fn a_merged_packet_is_smaller_than_64_kibibytes() {
        let run: Vec<Packet> = (0..100).map(segment).collect();
        assert_eq!(merged(&run), [(0, 45, false), (45, 45, false), (90, 10, false)]);
    }

    #[test]
    fn only_data_is_merged() {
        for kind in [PacketKind::Syn, PacketKind::Bare, PacketKind::WindowProbe] {
            let other = Packet { kind, segments: 0, frame_bytes: FRAME_HEADERS_BYTES, ..segment(2) };
            assert_eq!(
                merged(&[segment(1), other, segment(2)]),
                [(1, 1, false), (2, 0, false), (2, 1, false)],
                "{kind:?}"
            );
        }
    }

    #[test]
    fn super_packets_are_merged_as_far_as_they_are_full() {
        let super_packet = |seq, segments: u16, payload| Packet {
            segments,
            frame_bytes: payload + FRAME_HEADERS_BYTES * u32::from(segments),
            ..segment(seq)
        };
        let (full, ragged) = (super_packet(0, 10, 10 * MSS), super_packet(10, 3, 2 * MSS + 5));
        assert_eq!(merged(&[full, ragged, segment(13)]), [(0, 13, false), (13, 1, false)]);
        assert_eq!(merged(&[full, super_packet(10, 36, 36 * MSS)]), [(0, 10, false), (10, 36, false)]);
    }

    #[test]
    fn connections_are_merged_apart() {
        let of = |flow, seq| Packet { flow: FlowId::new(flow), ..segment(seq) };
        let lump = [of(0, 1), of(1, 5), of(0, 2), of(1, 6)];
        assert_eq!(merged(&lump), [(1, 2, false), (5, 2, false)]);
    }

    #[test]
    fn the_ninth_connection_of_a_list_displaces_the_oldest() {
        let of = |flow: u32, seq| Packet { flow: FlowId::new(8 * flow as usize), ..segment(seq) };
        let mut lump: Vec<Packet> = (0..9).map(|flow| of(flow, 10 * u64::from(flow))).collect();
        lump.extend((0..9).map(|flow| of(flow, 10 * u64::from(flow) + 1)));
        let merged = merged(&lump);
        assert_eq!(merged.len(), 18, "each comes when it has been displaced: {merged:?}");
        lump.retain(|packet| packet.flow != FlowId::new(0));
        assert!(self::merged(&lump).iter().all(|(_, segments, _)| *segments == 2));
    }
}
