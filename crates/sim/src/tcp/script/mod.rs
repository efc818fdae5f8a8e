//! Scripted packet tests in the manner of packetdrill: one sender or one receiver alone, a virtual clock, and a story
//! of what it gets and what it must do.
//!
//! A script is as strict as packetdrill's: whatever is sent must be expected, in its order and at its instant. Time 0
//! is the end of the handshake; it lies on a boundary of every level of the timer wheel, so that the granules of
//! [`crate::engine::on_wheel`] can be counted from it. Timers fire by themselves when a step moves the clock.
//!
//! Segments are numbered from 0 and full unless a script says otherwise. [`SENDER`], [`RECEIVER`], [`ack`] and
//! [`segment`] are templates: a script sets only the fields that matter to it.

mod path;
mod receiver_side;
mod sender_side;

mod abort;
mod acknowledging;
mod bbr3_phases;
mod bbr_phases;
mod bursts;
mod closed_window;
mod closing;
mod ecn;
mod giving_up;
mod hystart;
mod late_acks;
mod late_data;
mod loss_detection;
mod lumps;
mod reduction;
mod reordering;
mod sack_compression;
mod send_buffer;
mod slow_start;
mod tail_loss;
mod timeout;
mod undo;
mod window_use;

use crate::net::{Ack, Ecn, Marks, NO_OPTION, SackBlock};
use path::Path;
use receiver_side::{RECEIVER, ReceiverScript, ReceiverSetup, fin, segment};
use sender_side::{SENDER, SenderScript, SenderSetup};
use std::fmt::{self, Display};
use std::ops::Range;
use units::{Span, Time};

/// Time 0 of every script: a multiple of 512 ms.
const BEGIN: Time = Time::from_nanos(1_024_000_000);
/// Payload of a full segment.
const MSS_BYTES: u32 = 1_448;

const fn ms(millis: u64) -> Span {
    Span::from_millis(millis)
}

const fn us(micros: u64) -> Span {
    Span::from_micros(micros)
}

/// The clock's milliseconds, as timestamps carry them, at an instant of the script.
fn stamp_ms(at: Span) -> u32 {
    (BEGIN + at).stamp_ms()
}

/// What happened so far.
#[derive(Debug, Default)]
struct Transcript(Vec<String>);

impl Transcript {
    fn note(&mut self, now: Time, event: impl Display) {
        self.0.push(format!("{:>12} ms  {event}", Millis(now.since(BEGIN))));
    }

    #[track_caller]
    fn fail(&self, what: impl Display) -> ! {
        panic!("{what}; the script so far:\n{}\n", self.0.join("\n"));
    }
}

/// A span in milliseconds.
struct Millis(Span);

impl Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0.as_millis(), self.0.as_micros() % 1_000)
    }
}

/// An ACK: what a sender gets, or what a receiver must send.
#[derive(Clone, Copy, Debug)]
struct AckTemplate {
    una: u64,
    blocks: [SackBlock; 3],
    block_count: u8,
    duplicate: bool,
    marks: Marks,
    marked_bytes: u32,
    echo: Option<Span>,
    left: Option<Span>,
    window_bytes: Option<u64>,
}

impl Default for AckTemplate {
    fn default() -> Self {
        Self {
            una: 0,
            blocks: Default::default(),
            block_count: 0,
            duplicate: false,
            marks: Marks::new(false, Ecn::NotEct),
            marked_bytes: NO_OPTION,
            echo: None,
            left: None,
            window_bytes: None,
        }
    }
}

/// An ACK of everything before segment `una`, that opens the window wide. Its timestamp echoes the segment that was the
/// first one missing before it (RFC 7323 section 4.3), or, when nothing new is acknowledged, what the last ACK echoed.
fn ack(una: u64) -> AckTemplate {
    AckTemplate { una, ..AckTemplate::default() }
}

impl AckTemplate {
    /// Adds a block; the most recent goes first.
    fn sack(mut self, block: Range<u64>) -> Self {
        self.blocks[usize::from(self.block_count)] = SackBlock { start: block.start, end: block.end };
        self.block_count += 1;
        self
    }

    /// Adds the block of a duplicate; it goes before all others.
    fn dsack(mut self, block: Range<u64>) -> Self {
        assert_eq!(self.block_count, 0, "a D-SACK goes first");
        self.duplicate = true;
        self.sack(block)
    }

    /// Echoes the timestamp of what was sent at `at`.
    fn echo(mut self, at: Span) -> Self {
        self.echo = Some(at);
        self
    }

    /// It left its host at `at` already.
    fn left(mut self, at: Span) -> Self {
        self.left = Some(at);
        self
    }

    /// With ECE.
    fn ece(mut self) -> Self {
        self.marks = self.marks.echoing(true);
        self
    }

    /// Its ACE field counts so many marked packets (RFC 9768 section 3.2.2).
    fn counting(mut self, marked: u32) -> Self {
        self.marks = self.marks.counting(5 + marked);
        self
    }

    /// Its option counts so many marked bytes (RFC 9768 section 3.2.3).
    fn counting_bytes(mut self, marked: u32) -> Self {
        self.marked_bytes = marked;
        self
    }

    /// Announces a window of `bytes` from `una` on.
    fn window(mut self, bytes: u64) -> Self {
        self.window_bytes = Some(bytes);
        self
    }
}

/// The fields that are always compared.
impl From<&Ack> for AckTemplate {
    fn from(ack: &Ack) -> Self {
        let Ack { una, block_count, duplicate, .. } = *ack;
        let plain = Marks::new(false, Ecn::NotEct).with_ace(ack.marks.ace());
        let marks = if ack.marks.counts() { plain.counting(ack.marks.ace().into()) } else { plain };
        Self { una, blocks: ack.sack_blocks(), block_count, duplicate, marks, ..Self::default() }
    }
}

impl Display for AckTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ack {}", self.una)?;
        for (index, block) in self.blocks[..usize::from(self.block_count)].iter().enumerate() {
            let kind = if index == 0 && self.duplicate { "dsack" } else { "sack" };
            write!(f, " {kind} {}..{}", block.start, block.end)?;
        }
        if self.marks.counts() {
            write!(f, " ace {}", self.marks.ace())?;
        } else if self.marks.echoes() {
            write!(f, " ece")?;
        }
        if let Some(echo) = self.echo {
            write!(f, " echo {}", Millis(echo))?;
        }
        if let Some(bytes) = self.window_bytes {
            write!(f, " window {bytes}")?;
        }
        Ok(())
    }
}

/// Several ACKs, packets or whatever, on one line.
fn listed<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { "nothing".to_owned() } else { items.join(", ") }
}
