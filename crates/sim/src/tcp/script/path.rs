//! A path for scripts that are too long to be told ACK by ACK: one bottleneck that loses nothing.

use super::{BEGIN, SenderScript, ack};
use crate::tcp::Sender;
use std::collections::VecDeque;
use units::{Span, Time};

/// A bottleneck with room for everything; each segment is acknowledged.
#[derive(Debug)]
pub(super) struct Path {
    /// Time of a segment on the bottleneck.
    segment_time: Span,
    /// Round-trip time without queue.
    rtt: Span,
    free_at: Time,
    /// ACKs on their way: when they arrive, and what they acknowledge.
    acks: VecDeque<(Time, u64)>,
}

impl Path {
    pub(super) fn new(segment_time: Span, rtt: Span) -> Self {
        Self { segment_time, rtt, free_at: Time::ZERO, acks: VecDeque::new() }
    }

    /// Lets `script` run over the path until `until`, and shows its sender after every ACK.
    pub(super) fn carry(&mut self, script: &mut SenderScript, until: Span, mut observe: impl FnMut(Span, &Sender)) {
        loop {
            for (at, packet) in script.take_sent() {
                for seq in packet.number()..packet.number() + u64::from(packet.segments) {
                    self.free_at = self.free_at.max(BEGIN + at) + self.segment_time;
                    self.acks.push_back((self.free_at + self.rtt, seq + 1));
                }
            }
            let ack_at = self.acks.front().map_or(Time::NEVER, |&(at, _)| at);
            let next = ack_at.min(script.next_timer());
            if next > BEGIN + until {
                break;
            }
            if script.next_timer() <= ack_at {
                script.fire_timer();
                continue;
            }
            let una = self.acks.pop_front().map_or(0, |(_, una)| una);
            script.at(ack_at.since(BEGIN)).gets(ack(una));
            observe(script.now(), &script.sender);
        }
    }
}
