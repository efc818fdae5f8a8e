//! Two captures of random traffic, between which packets are lost, doubled and overtake each other, by two clocks.

use crate::support::{ACK, Captured, FIN, MSS, Packet, SYN, ack, data, ethernet, packet, pcap_file};
use pcap::pair::{FlowSummary, Open, Options, PairError, PairReport, compare};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::io::{Cursor, Read};

/// The least from the client's place to the server's, and back.
const LEAST_NS: [i64; 2] = [6_000_000, 4_000_000];
const RTO_NS: i64 = 250_000_000;

/// What tells a packet that was sent again from the first one.
#[derive(Clone, Copy, PartialEq)]
enum Marks {
    Timestamps,
    IpIds,
    /// Its time alone.
    None,
}

struct World {
    random: Xoshiro256PlusPlus,
    loss: f64,
    doubled: f64,
    overtaken: f64,
    marks: Marks,
    /// Near the client and near the server: true times, and whether the server sent it.
    places: [Vec<(i64, Packet)>; 2],
    truth: [Truth; 2],
    ids: u16,
}

#[derive(Default, Clone)]
struct Truth {
    sent: u64,
    lost: u64,
    doubled: u64,
    /// When sent and when arrived, without doubles.
    arrived: Vec<(i64, i64)>,
}

/// A SYN and its answer; timestamps are not counted in the maximum segment size (RFC 6691).
fn opening() -> [Packet; 2] {
    let options = vec![2, 4, ((MSS + 12) >> 8) as u8, (MSS + 12) as u8];
    let syn = Packet { seq: 0, ack: 0, flags: SYN, options: options.clone(), ..packet(0, true) };
    [syn, Packet { seq: 0, ack: 1, flags: SYN | ACK, options, ..packet(0, false) }]
}

impl World {
    fn new(seed: u64, loss: f64, doubled: f64, overtaken: f64, marks: Marks) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { random, loss, doubled, overtaken, marks, places: Default::default(), truth: Default::default(), ids: 7 }
    }

    fn chance(&mut self, share: f64) -> bool {
        (self.random.next_u32() as f64) < share * f64::from(u32::MAX)
    }

    fn below(&mut self, most: i64) -> i64 {
        (self.random.next_u64() % most as u64) as i64
    }

    /// Sends a packet; gives when it arrives, unless it is lost. A queue fills and empties every second.
    fn send(&mut self, at_ns: i64, packet: Packet, safe: bool) -> Option<i64> {
        let way = usize::from(!packet.from_client);
        let mut packet = packet;
        match self.marks {
            Marks::Timestamps => packet = packet.stamps((at_ns / 1_000_000) as u32, 5),
            Marks::IpIds => packet.ip_id = self.ids,
            Marks::None => {}
        }
        self.ids = self.ids.wrapping_add(1);
        self.places[way].push((at_ns, packet.clone()));
        self.truth[way].sent += 1;
        if !safe && self.chance(self.loss) {
            self.truth[way].lost += 1;
            return None;
        }
        let queue = if way == 0 { (at_ns % 1_000_000_000) / 50 } else { self.below(200_000) };
        let late = if self.chance(self.overtaken) { self.below(5_000_000) } else { 0 };
        let arrival = at_ns + LEAST_NS[way] + queue + late;
        self.truth[way].arrived.push((at_ns, arrival));
        self.places[1 - way].push((arrival, packet.clone()));
        if self.chance(self.doubled) {
            self.truth[way].doubled += 1;
            let later = arrival + 1 + self.below(2_000_000);
            self.places[1 - way].push((later, packet));
        }
        Some(arrival)
    }

    /// A connection with so many segments of data from the client, each sent until it arrives.
    fn connection(&mut self, begin_ns: i64, port: u16, count: u32) {
        let named = |packet: Packet| Packet { client_port: port, client_isn: u32::from(port) * 77_777, ..packet };
        let [syn, answer] = opening();
        let there = self.send(begin_ns, named(syn), true).unwrap();
        let mut now_ns = self.send(there + 10_000, named(answer), true).unwrap();
        for index in 0..count {
            now_ns += 20_000 + self.below(300_000);
            let mut sent_ns = now_ns;
            let flags = if index + 1 == count { ACK | FIN } else { ACK };
            loop {
                let segment = named(data(0, 1 + index * MSS, MSS)).flags(flags);
                if let Some(arrival) = self.send(sent_ns, segment, false) {
                    self.send(arrival + 10_000, named(ack(0, 1 + (index + 1) * MSS)), false);
                    break;
                }
                sent_ns += RTO_NS + self.below(10_000_000);
            }
        }
    }

    /// The captures, the client's first.
    fn frames(&mut self, clock: impl Fn(i64) -> i64, snap: usize) -> [Vec<Captured>; 2] {
        let mut place = 0;
        self.places.each_mut().map(|packets| {
            packets.sort_by_key(|(at_ns, _)| *at_ns);
            let segments: Vec<_> = packets.iter().map(|(_, packet)| packet.clone()).collect();
            let mut frames = ethernet(&segments, snap);
            for (frame, (at_ns, _)) in frames.iter_mut().zip(packets.iter()) {
                frame.ns = if place == 0 { *at_ns } else { clock(*at_ns) };
            }
            place += 1;
            frames
        })
    }

    fn overtaken(&self, way: usize) -> u64 {
        let mut arrived = self.truth[way].arrived.clone();
        arrived.sort_by_key(|(_, arrival)| *arrival);
        let mut most = i64::MIN;
        let mut overtaken = 0;
        for (sent, _) in arrived {
            overtaken += u64::from(sent < most);
            most = most.max(sent);
        }
        overtaken
    }
}

fn compared(files: &[Vec<Captured>; 2], options: &Options) -> Result<PairReport, PairError> {
    let opens = files.each_ref().map(|frames| {
        let file = pcap_file(1, frames);
        move || -> std::io::Result<Box<dyn Read + Send>> { Ok(Box::new(Cursor::new(file.clone()))) }
    });
    let opens: [Open<'_>; 2] = [&opens[0], &opens[1]];
    compare(opens, options, &mut || true)
}

/// Of all connections: sent, lost, doubled, overtaken.
fn sums(report: &PairReport, side: usize, value: impl Fn(&FlowSummary) -> u64) -> u64 {
    report.connections.iter().map(|connection| value(&connection.directions[side])).sum()
}

const DRIFT: f64 = 200e-6;
const HOUR_NS: i64 = 3_600_000_000_000;

fn other_clock(at_ns: i64) -> i64 {
    at_ns + HOUR_NS + (at_ns as f64 * DRIFT) as i64
}

#[test]
fn what_became_of_packets_is_what_happened() {
    let shares = [(0.0, 0.0, 0.0), (0.02, 0.01, 0.05), (0.3, 0.0, 0.5), (0.3, 0.05, 0.3)];
    for (case, (loss, doubled, overtaken)) in shares.into_iter().enumerate() {
        for marks in [Marks::Timestamps, Marks::IpIds, Marks::None] {
            for seed in 0..2 {
                let mut world = World::new(seed + 100 * case as u64, loss, doubled, overtaken, marks);
                for number in 0..3 {
                    world.connection(1_000_000_000 + i64::from(number) * 300_000_000, 40_000 + number, 3_000);
                }
                let mut files = world.frames(other_clock, 96);
                if seed % 2 == 1 {
                    files.reverse();
                }
                let report = compared(&files, &Options::default()).unwrap();
                let name = format!("loss {loss}, doubled {doubled}, overtaken {overtaken}, seed {seed}");
                assert_eq!(report.connections.len(), 3);
                let clocks = report.clocks;
                for side in [0, 1] {
                    let truth = &world.truth[side];
                    // At the end what is under way and what is lost are told apart for what came before alone.
                    let unsure = sums(&report, side, |flow| flow.under_way + flow.outside);
                    assert!(unsure <= 30, "{name}: {unsure} unsure");
                    assert_eq!(sums(&report, side, |flow| flow.sent) + unsure, truth.sent, "{name}");
                    assert_eq!(
                        sums(&report, side, |flow| flow.lost) + unsure,
                        truth.lost,
                        "{name} {side}: {:#?}",
                        report.connections
                    );
                    assert_eq!(sums(&report, side, |flow| flow.duplicated), truth.doubled, "{name}");
                    assert_eq!(sums(&report, side, |flow| flow.unsent + flow.given_up), 0, "{name}");
                }
                for (place, connection) in report.connections.iter().enumerate() {
                    assert_eq!(connection.first_is_near_client, seed % 2 == 0, "{name}: connection {place}");
                }
                let expected = if seed % 2 == 0 { DRIFT } else { 1.0 / (1.0 + DRIFT) - 1.0 };
                assert!((clocks.drift_ppm - expected * 1e6).abs() < 1.0, "{name}: {clocks:?}");
                let bounds = clocks.drift_bounds_ppm.unwrap();
                assert!(bounds[0] <= expected * 1e6 && expected * 1e6 <= bounds[1], "{name}: {clocks:?}");
                let truth_ns = if seed % 2 == 0 {
                    other_clock(clocks.reference_ns) - clocks.reference_ns
                } else {
                    let at_ns = ((clocks.reference_ns - HOUR_NS) as f64 / (1.0 + DRIFT)) as i64;
                    at_ns - clocks.reference_ns
                };
                // Half of what one way is longer than the other.
                let away = clocks.offset_ns.unwrap() - truth_ns;
                assert!(away.unsigned_abs() <= clocks.offset_bound_ns.unwrap(), "{name}: {away} {clocks:?}");
                let least = world.truth.each_ref().map(|way| way.arrived.iter().map(|(sent, came)| came - sent).min());
                let longer = (least[0].unwrap() - least[1].unwrap()) / 2;
                let longer = if seed % 2 == 0 { longer } else { -longer };
                // What was sent again and looks the same says nothing of the clocks, and may have been the quickest.
                let unseen = if marks == Marks::None { 300_000 } else { 20_000 };
                assert!((away - longer).abs() < unseen, "{name}: {away} {longer} {clocks:?}");
            }
        }
    }
}

#[test]
fn who_overtakes_is_counted_in_the_order_of_sending() {
    for marks in [Marks::Timestamps, Marks::IpIds] {
        let mut world = World::new(5, 0.1, 0.0, 0.4, marks);
        world.connection(1_000_000_000, 40_000, 5_000);
        let report = compared(&world.frames(other_clock, 96), &Options::default()).unwrap();
        for side in [0, 1] {
            let expected = world.overtaken(side);
            assert!(expected > 500, "{expected}");
            assert_eq!(report.connections[0].directions[side].overtaken, expected);
        }
    }
}

#[test]
fn delays_are_exact_where_the_clocks_are_one() {
    let mut world = World::new(9, 0.05, 0.0, 0.1, Marks::Timestamps);
    world.connection(1_000_000_000, 40_000, 20_000);
    let options = Options { same_clock: true, ..Options::default() };
    let report = compared(&world.frames(|at_ns| at_ns, 96), &options).unwrap();
    for side in [0, 1] {
        let mut delays: Vec<i64> = world.truth[side].arrived.iter().map(|(sent, arrival)| arrival - sent).collect();
        delays.sort_unstable();
        let quantile = |percent: usize| delays[(delays.len() * percent).div_ceil(100).max(1) - 1];
        let flow = &report.connections[0].directions[side];
        let delay = flow.delay.unwrap();
        assert_eq!(delay.samples, delays.len() as u64);
        let of_ways = [(delay.p50_ns, 50), (delay.p95_ns, 95), (delay.p99_ns, 99)];
        for (value, percent) in of_ways {
            assert!(value.abs_diff(quantile(percent) as u64) < 1000, "{percent}: {value} {}", quantile(percent));
        }
        assert!(delay.least_ns.abs_diff(delays[0] as u64) < 2, "{} {}", delay.least_ns, delays[0]);
        let queueing = flow.queueing.unwrap();
        assert!(queueing.p95_ns.abs_diff((quantile(95) - delays[0]) as u64) < 1000);
        assert_eq!(queueing.least_ns, 0);
    }
    assert_eq!((report.clocks.offset_ns, report.clocks.backwards_ns), (Some(0), 0));
    let report = compared(&world.frames(other_clock, 96), &options).unwrap();
    assert!(report.clocks.backwards_ns.abs_diff(HOUR_NS as u64 - LEAST_NS[1] as u64) < 10_000_000);
}

#[test]
fn one_file_twice_has_no_loss_and_no_delay() {
    for marks in [Marks::Timestamps, Marks::IpIds, Marks::None] {
        let mut world = World::new(11, 0.1, 0.05, 0.2, marks);
        world.connection(1_000_000_000, 40_000, 2_000);
        let [file, _] = world.frames(|at_ns| at_ns, 96);
        let frames = file.len() as u64;
        let report = compared(&[file.clone(), file], &Options::default()).unwrap();
        assert_eq!((report.clocks.offset_ns, report.clocks.rtt_ns), (Some(0), Some(0)));
        assert_eq!(report.clocks.drift_ppm, 0.0);
        let flows = &report.connections[0].directions;
        assert_eq!(flows[0].sent + flows[1].sent, frames);
        for flow in flows {
            assert_eq!((flow.lost, flow.duplicated, flow.overtaken, flow.unsent), (0, 0, 0, 0));
            assert_eq!((flow.under_way, flow.outside), (0, 0));
            assert_eq!(flow.delay.unwrap().most_ns, 0);
        }
    }
}

#[test]
fn only_the_time_of_both_captures_counts() {
    let mut world = World::new(13, 0.1, 0.0, 0.2, Marks::Timestamps);
    world.connection(1_000_000_000, 40_000, 12_000);
    let truth = world.truth.clone();
    let [mut first, mut second] = world.frames(other_clock, 96);
    // The first one begins late and the second ends early.
    let (begin, end) = (1_700_000_000, 2_400_000_000);
    first.retain(|frame| frame.ns >= begin);
    second.retain(|frame| frame.ns < other_clock(end));
    let report = compared(&[first, second], &Options::default()).unwrap();
    let flows = &report.connections[0].directions;
    let both = |way: usize, sent: i64, arrived: i64| {
        if way == 0 { sent >= begin && arrived < end } else { arrived >= begin && sent < end }
    };
    for way in [0, 1] {
        let arrived = truth[way].arrived.iter().filter(|(sent, arrived)| both(way, *sent, *arrived)).count() as u64;
        let flow = &flows[way];
        assert_eq!(flow.sent - flow.lost, arrived);
        assert!(flow.outside > 100, "{flow:?}");
        assert_eq!((flow.duplicated, flow.unsent), (0, 0), "{flow:?}");
        let share = flow.lost as f64 / flow.sent as f64;
        assert!((share - 0.1).abs() < 0.02, "{share}");
    }
    let [begin_ns, end_ns] = report.common_ns.unwrap();
    assert!((begin_ns - begin).abs() < 50_000_000 && (end_ns - end).abs() < 50_000_000, "{begin_ns} {end_ns}");
}

#[test]
fn a_capture_may_begin_long_after_the_other() {
    let mut world = World::new(17, 0.01, 0.0, 0.0, Marks::Timestamps);
    for number in 0..40 {
        world.connection(i64::from(number) * 2_000_000_000, 30_000 + number, 2_000);
    }
    let [first, mut second] = world.frames(|at_ns| at_ns - 40 * HOUR_NS * 24 * 365 / 100, 96);
    let count = second.len();
    second.drain(..count - 3_000);
    second.iter_mut().for_each(|frame| frame.ns += 100 * HOUR_NS * 24 * 365);
    let report = compared(&[first, second], &Options::default()).unwrap();
    let sent = report.connections[0].directions[0].sent + report.connections[0].directions[1].sent;
    assert!(sent > 2_900, "{sent}");
    assert!(report.places[0].own_connections >= 38);
}

#[test]
fn behind_a_nat_a_connection_has_another_name() {
    let mut world = World::new(19, 0.05, 0.0, 0.1, Marks::Timestamps);
    for number in 0..4 {
        world.connection(1_000_000_000, 40_000 + number, 1_000);
    }
    let [first, mut second] = world.frames(other_clock, 96);
    for frame in &mut second {
        // The client's address, and its port.
        let from_client = frame.bytes[26..30] == [10, 0, 0, 1];
        let (address, port) = if from_client { (26, 34) } else { (30, 36) };
        frame.bytes[address..address + 4].copy_from_slice(&[192, 0, 2, 9]);
        frame.bytes[port] ^= 0x55;
    }
    let report = compared(&[first, second], &Options::default()).unwrap();
    assert_eq!(report.connections.len(), 4);
    assert!(report.connections.iter().all(|connection| connection.translated.is_some()));
    let unsure = sums(&report, 0, |flow| flow.under_way + flow.outside);
    assert_eq!(sums(&report, 0, |flow| flow.lost) + unsure, world.truth[0].lost);
}

#[test]
fn what_was_cut_up_or_joined_is_known_again() {
    // Sent as packets of ten segments, with timestamps; joined by twos behind the path.
    let stamped = |mut packet: Packet, at_ns: i64, id: u16| {
        packet.ip_id = id;
        (at_ns, packet.stamps(9, 9))
    };
    let [syn, answer] = opening();
    let mut places = [Vec::new(), Vec::new()];
    for (packet, at_ns) in [(syn, 0), (answer, 5_000_000)] {
        let (from, to) = if packet.from_client { (0, 1) } else { (1, 0) };
        places[from].push(stamped(packet.clone(), at_ns, 0));
        places[to].push(stamped(packet, at_ns + 4_000_000, 0));
    }
    for burst in 0..200_u32 {
        let at_ns = 20_000_000 + i64::from(burst) * 1_000_000;
        let first = 1 + burst * 10 * MSS;
        places[0].push(stamped(data(0, first, 10 * MSS - 100), at_ns, burst as u16 * 10));
        for pair in (0..5_u32).filter(|pair| (burst + pair) % 7 != 0) {
            let payload = if pair == 4 { 2 * MSS - 100 } else { 2 * MSS };
            let joined = data(0, first + pair * 2 * MSS, payload);
            let id = (burst * 10 + pair * 2) as u16;
            places[1].push(stamped(joined, at_ns + 4_000_000 + i64::from(pair) * 1_000, id));
        }
        let reply = ack(0, first + 10 * MSS - 100);
        places[1].push(stamped(reply.clone(), at_ns + 4_500_000, 0));
        places[0].push(stamped(reply, at_ns + 8_500_000, 0));
    }
    let files = places.map(|mut packets| {
        packets.sort_by_key(|(at_ns, _)| *at_ns);
        let segments: Vec<_> = packets.iter().map(|(_, packet)| packet.clone()).collect();
        let mut frames = ethernet(&segments, 96);
        frames.iter_mut().zip(&packets).for_each(|(frame, (at_ns, _))| frame.ns = *at_ns);
        frames
    });
    let report = compared(&files, &Options::default()).unwrap();
    let flow = &report.connections[0].directions[0];
    let lost = (0..200).flat_map(|burst| (0..5).map(move |pair| burst + pair)).filter(|sum| sum % 7 == 0).count();
    assert_eq!((flow.sent, flow.lost), (2_001, 2 * lost as u64));
}

#[test]
fn cut_options_leave_tcps_header() {
    let mut world = World::new(23, 0.05, 0.0, 0.0, Marks::Timestamps);
    world.connection(1_000_000_000, 40_000, 1_000);
    let [first, mut second] = world.frames(other_clock, 96);
    second.iter_mut().for_each(|frame| frame.bytes.truncate(54));
    let report = compared(&[first, second], &Options::default()).unwrap();
    let flow = &report.connections[0].directions[0];
    assert_eq!(flow.lost + flow.under_way + flow.outside, world.truth[0].lost);
}

#[test]
fn packets_of_one_way_have_queueing_and_no_delay() {
    let mut world = World::new(27, 0.05, 0.0, 0.0, Marks::Timestamps);
    world.connection(1_000_000_000, 40_000, 3_000);
    let mut files = world.frames(other_clock, 96);
    files.iter_mut().for_each(|frames| frames.retain(|frame| frame.bytes[26..30] == [10, 0, 0, 1]));
    let report = compared(&files, &Options::default()).unwrap();
    let flow = &report.connections[0].directions[0];
    assert_eq!((report.clocks.offset_ns, report.clocks.drift_bounds_ppm, flow.delay), (None, None, None));
    assert_eq!((report.assumed, flow.sent, flow.lost), (1, world.truth[0].sent, world.truth[0].lost));
    let queue = world.truth[0].arrived.iter().map(|(sent, came)| came - sent - LEAST_NS[0]).max().unwrap();
    let most = flow.queueing.unwrap().most_ns;
    assert!(most.abs_diff(queue as u64) < queue as u64 / 10, "{most} {queue}");
}

#[test]
fn a_connection_of_one_way_goes_where_its_address_is() {
    let mut world = World::new(28, 0.05, 0.0, 0.0, Marks::Timestamps);
    for port in [40_000, 40_001] {
        world.connection(1_000_000_000, port, 500);
    }
    let mut files = world.frames(other_clock, 96);
    files.reverse();
    // Of the second one what the client sent.
    let is_one = |bytes: &[u8]| bytes[34..36] == 40_001_u16.to_be_bytes() || bytes[36..38] == 40_000_u16.to_be_bytes();
    let both = |bytes: &[u8]| bytes[34..36] == 40_000_u16.to_be_bytes();
    files.iter_mut().for_each(|frames| frames.retain(|frame| both(&frame.bytes) || is_one(&frame.bytes)));
    let report = compared(&files, &Options::default()).unwrap();
    assert_eq!((report.connections.len(), report.assumed), (2, 0));
    assert!(report.connections.iter().all(|connection| !connection.first_is_near_client));
    assert_eq!(sums(&report, 0, |flow| flow.lost), world.truth[0].lost);
}

#[test]
fn strangers_have_nothing_in_common() {
    let files = [1, 2].map(|seed| {
        let mut world = World::new(seed, 0.0, 0.0, 0.0, Marks::Timestamps);
        world.connection(1_000_000_000, 40_000 + seed as u16, 100);
        let [file, _] = world.frames(other_clock, 96);
        file
    });
    assert!(matches!(compared(&files, &Options::default()), Err(PairError::NothingInCommon)));
    let nothing: [Vec<Captured>; 2] = Default::default();
    assert!(matches!(compared(&nothing, &Options::default()), Err(PairError::NothingInCommon)));
}

#[test]
fn a_small_window_gives_up_and_says_so() {
    let mut world = World::new(29, 0.05, 0.0, 0.0, Marks::Timestamps);
    world.connection(1_000_000_000, 40_000, 5_000);
    let options = Options { most_waiting: 20, ..Options::default() };
    let report = compared(&world.frames(other_clock, 96), &options).unwrap();
    let flow = &report.connections[0].directions[0];
    assert!(flow.given_up > 1_000, "{flow:?}");
}

#[test]
fn broken_captures_are_answered() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(31);
    let mut world = World::new(31, 0.1, 0.05, 0.2, Marks::None);
    for number in 0..2 {
        world.connection(1_000_000_000, 40_000 + number, 60);
    }
    let complete = world.frames(other_clock, 96).map(|frames| pcap_file(1, &frames));
    let mut answers = 0;
    for _ in 0..1_500 {
        let mut files = complete.clone();
        for file in &mut files {
            for _ in 0..random.next_u32() % 40 {
                let place = random.next_u64() as usize % file.len();
                // Most bytes are of headers: times, lengths, sequence numbers.
                file[place] = random.next_u32() as u8;
            }
            if random.next_u32().is_multiple_of(4) {
                file.truncate(random.next_u64() as usize % file.len());
            }
        }
        let opens = files
            .map(|file| move || -> std::io::Result<Box<dyn Read + Send>> { Ok(Box::new(Cursor::new(file.clone()))) });
        let options = Options { most_waiting: 100, most_connections: 8, ..Options::default() };
        let report = compare([&opens[0], &opens[1]], &options, &mut || true);
        answers += u32::from(report.is_ok());
    }
    assert!(answers > 300, "{answers}");
}
