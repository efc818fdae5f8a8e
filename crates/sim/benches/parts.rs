//! Cost of the parts that every packet passes: the event queue with its timers, and a sender's scoreboard.
//!
//! `cargo bench -p sim --bench parts` prints nanoseconds an operation, the least of many rounds. Each part is compiled
//! anew as a module of this program, for the library shows none of them.

#![expect(dead_code, unused_imports, reason = "a bench uses a part of each module")]

#[path = "../src/engine/mod.rs"]
mod engine;
#[path = "../src/index.rs"]
mod index;
#[path = "../src/net/mod.rs"]
mod net;
#[path = "../src/serial.rs"]
mod serial;

mod row;

/// What the scoreboard needs of TCP.
#[path = "../src/tcp"]
mod tcp {
    mod flights;
    mod ring;
    pub mod scoreboard;
    mod segment;
}

use engine::{Event, EventQueue, Stream, Timer, Timers, stream};
use index::{FlowId, HopId};
use net::SackBlock;
use row::row;
use std::hint::black_box;
use tcp::scoreboard::{Scoreboard, Verdict};
use units::{Span, Time};

/// Of a round.
const OPERATIONS: u64 = 200_000;

/// Departures of a link and arrivals of two lines, an event each at a time, as nearly all of a run are.
fn hops() -> u64 {
    let ids = [0, 1, 2].map(HopId::new);
    let first = [Event::Departure(ids[0]), Event::Down(ids[1]), Event::Up(ids[2])];
    let mut events = EventQueue::new(&first);
    for (event, at) in first.into_iter().zip(1..) {
        events.schedule(Time::from_nanos(at), event);
    }
    for _ in 0..OPERATIONS {
        let event = events.next().expect("each schedules the next one");
        events.schedule(events.now() + Span::from_micros(12), event);
    }
    OPERATIONS
}

/// So many events ahead, of which some come within 34 ms, in buckets, and the others in a second or two, in a heap.
fn mixture(ahead: u64, far_percent: u64) -> u64 {
    let mut random = stream(1, "mixture");
    let mut events = EventQueue::new(&[]);
    let delay = |random: &mut Stream| {
        let most_us = if random.below(100) < far_percent { 2_000_000 } else { 30_000 };
        Span::from_nanos(1 + random.below(most_us * 1_000))
    };
    for _ in 0..ahead {
        events.schedule(events.now() + delay(&mut random), Event::Burst);
    }
    for _ in 0..OPERATIONS {
        let event = events.next().expect("each schedules another one");
        let at = events.now() + delay(&mut random);
        events.schedule(at, event);
    }
    OPERATIONS
}

/// What each ACK does to timers: the retransmission timer moves to a later millisecond, the pacing timer is set or stopped,
/// and the queue finds out when their entries come. The clock moves 12 µs an ACK.
fn timers(flows: usize) -> u64 {
    let hop = HopId::new(0);
    let mut events = EventQueue::new(&[Event::Departure(hop)]);
    let mut timers = Timers::new(flows);
    let mut random = stream(1, "timers");
    events.schedule(Time::from_nanos(1), Event::Departure(hop));
    let mut acks = 0;
    while acks < OPERATIONS {
        match events.next().expect("departures go on") {
            Event::Departure(_) => {
                acks += 1;
                let now = events.now();
                let flow = FlowId::new(usize::try_from(random.below(flows as u64)).expect("an index"));
                let rto = Time::ZERO + Span::from_millis(now.as_millis() + 225);
                timers.set(flow, Timer::Retransmission, rto, &mut events);
                let pacing = if acks % 4 == 0 { Time::NEVER } else { now + Span::from_micros(100) };
                timers.set(flow, Timer::Pacing, pacing, &mut events);
                events.schedule(now + Span::from_micros(12), Event::Departure(hop));
            }
            Event::Timer(flow, timer) => _ = black_box(timers.fires(flow, timer, &mut events)),
            Event::Tick => {
                let entries = timers.begin_tick(&events);
                for &(flow, timer) in &entries {
                    black_box(timers.fires(flow, timer, &mut events));
                }
                timers.end_tick(entries, &mut events);
            }
            _ => unreachable!("nothing else was scheduled"),
        }
    }
    acks
}

/// A window of segments of which so many are lost, with one ACK a segment that arrives: cumulative while nothing is
/// missing, else with the block that grows. What is found lost is sent again, and arrives once all others have.
fn scoreboard(window: u64, lost_percent: u64) -> u64 {
    let mut random = stream(1, "scoreboard");
    let mut board = Scoreboard::new();
    let (mut acks, mut now_us) = (0, 0);
    while acks < OPERATIONS {
        let first = board.next();
        for seq in first..first + window {
            now_us += 1;
            board.append((seq + 1) * 1_448).sent_us = now_us;
            board.end_buffer();
        }
        let mut block = first;
        for seq in first..first + window {
            if random.below(100) < lost_percent {
                block = seq + 1;
                continue;
            }
            acks += 1;
            if block == board.una() {
                black_box(board.acknowledge_plain(seq + 1).unwrap_or_else(|| board.acknowledge(seq + 1)));
                block = seq + 1;
                continue;
            }
            let block = SackBlock { start: block, end: seq + 1 };
            let mut from = board.first_news(block);
            while let Some(row) = board.sack(from, block.end) {
                from = row.end;
            }
            board.remember(&[block]);
            let newest_us = board.segment(seq).sent_us;
            board.detect_losses(|_, sent_us| if sent_us + 3 <= newest_us { Verdict::Lost } else { Verdict::Later });
            while let Some(lost) = board.first_waiting() {
                now_us += 1;
                board.retransmit(lost, now_us, true);
            }
        }
        while board.una() < board.next() {
            black_box(board.acknowledge(board.next()));
            acks += 1;
        }
    }
    acks
}

fn main() {
    row("event queue, a link and two lines", "event", hops);
    row("event queue, 1,000 events within 30 ms", "event", || mixture(1_000, 0));
    row("event queue, 1,000 events, 20 % of them within 2 s", "event", || mixture(1_000, 20));
    row("event queue, 10,000 events, 20 % of them within 2 s", "event", || mixture(10_000, 20));
    row("timers, 1 flow: RTO moved, pacing set or stopped", "ACK", || timers(1));
    row("timers, 1,000 flows: RTO moved, pacing set or stopped", "ACK", || timers(1_000));
    row("scoreboard, window of 500, no loss", "ACK", || scoreboard(500, 0));
    row("scoreboard, window of 500, 1 % lost", "ACK", || scoreboard(500, 1));
    row("scoreboard, window of 500, 20 % lost", "ACK", || scoreboard(500, 20));
}
