//! Explicit congestion notification: who marks what as ECT, and what a receiver echoes. RFC 3168 as Linux 6.1 has it in
//! `ecn_flags`; accurate ECN (AccECN, RFC 9768) as Linux 7.3 has it in `tcp_ecn.h`.
//!
//! Of AccECN there is the ACE field, with negotiation and fallback, and of its option the count of bytes with CE, which tells
//! what three bits of a count leave open. Left out: the option's other counts, of which a sender makes nothing; the option on
//! data, where Linux 7.3 takes 12 bytes of each segment; and the checks for middleboxes (RFC 9768 sections 3.2.2.3, 3.2.2.4
//! and 3.2.3.2), of which the network has none.

use crate::net::{Ack, Ecn, Marks, NO_OPTION, Packet};
use units::low_bits;

/// What the ends of a connection make of ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// Nothing.
    #[default]
    Off,
    /// RFC 3168: new data is ECT(0), and CE is echoed until the sender has reduced its window.
    Classic,
    /// DCTCP (RFC 8257): every packet is ECT(0), and the echo follows CE segment by segment.
    Exact,
    /// AccECN (RFC 9768): every packet but SYNs is ECT(0), and ACKs count those with CE.
    Accurate,
    /// AccECN of DCTCP: SYNs are ECT(0), too, and data that waits for an ACK is acknowledged before CE begins or ends.
    AccurateExact,
    /// AccECN for a scalable algorithm (RFC 9331 section 4): every packet is ECT(1), and nothing less will do.
    Scalable,
}

/// The ACE field of SYNs (RFC 9768 section 3.1, table 2): an offer of ECN, and of AccECN; an answer that takes the first.
const CLASSIC_OFFER: u8 = 0b011;
const ACCURATE_OFFER: u8 = 0b111;
const CLASSIC_ANSWER: u8 = 0b001;
/// Where the ACE field begins to count (`TCP_ACCECN_CEP_INIT_OFFSET`), and its largest value.
const COUNT_BEGIN: u32 = 5;
const ACE_MOST: u64 = 0b111;
/// An ACK is due before so many marks are unreported (RFC 9768 section 3.2.2.5.1; `TCP_ACCECN_ACE_MAX_DELTA`).
const MOST_UNREPORTED: u32 = 6;

/// The ACE field that says which ECN field a SYN, or its answer, came with (RFC 9768 section 3.1, tables 2 and 3;
/// `tcp_accecn_reflector_flags`).
const fn reflected(field: u8) -> u8 {
    [0b010, 0b011, 0b100, 0b110][field as usize & 0b11]
}

impl EcnMode {
    /// It is in use, or is to be.
    #[inline]
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }

    /// ACKs count marks.
    #[inline]
    pub const fn is_accurate(self) -> bool {
        matches!(self, Self::Accurate | Self::AccurateExact | Self::Scalable)
    }

    const fn codepoint(self) -> Ecn {
        if matches!(self, Self::Scalable) { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    /// The ECN field of new data (`tcp_ecn_send`).
    #[inline]
    pub const fn new_data(self) -> Ecn {
        if self.is_on() { self.codepoint() } else { Ecn::NotEct }
    }

    /// That of every other packet: one without data, and data that is sent again (RFC 3168 sections 6.1.4 and 6.1.5; with
    /// AccECN they are ECT).
    #[inline]
    pub const fn others(self) -> Ecn {
        if matches!(self, Self::Off | Self::Classic) { Ecn::NotEct } else { self.codepoint() }
    }

    /// That of a SYN and its answer: ECT only where an algorithm needs marks (`tcp_ecn_send_syn`).
    const fn handshake(self) -> Ecn {
        if matches!(self, Self::Exact | Self::AccurateExact | Self::Scalable) { self.codepoint() } else { Ecn::NotEct }
    }

    /// What a SYN carries that was sent so often before: AccECN is offered twice (RFC 9768 section 3.1.4.1), ECN once
    /// (RFC 3168 section 6.1.1.1; `tcp_ecn_clear_syn`).
    pub const fn syn(self, repetitions: u32) -> Marks {
        let offer = match self {
            Self::Classic | Self::Exact if repetitions == 0 => CLASSIC_OFFER,
            _ if self.is_accurate() && repetitions <= 1 => ACCURATE_OFFER,
            _ => 0,
        };
        Marks::new(false, self.handshake()).with_ace(offer)
    }

    /// What comes of an offer when it is answered so (RFC 9768 section 3.1, table 2; `tcp_ecn_rcv_synack`).
    #[must_use]
    pub const fn answered(self, answer: Marks) -> Self {
        match (self, answer.ace()) {
            (Self::Classic | Self::Exact, CLASSIC_ANSWER) => self,
            (Self::Accurate, CLASSIC_ANSWER) => Self::Classic,
            (Self::AccurateExact, CLASSIC_ANSWER) => Self::Exact,
            (_, ace) if self.is_accurate() && !matches!(ace, 0 | CLASSIC_ANSWER | 0b111) => self,
            _ => Self::Off,
        }
    }

    /// What a host makes of a SYN (`tcp_ecn_create_request`, `tcp_ecn_openreq_child`).
    const fn for_offer_of(self, syn: Marks) -> Self {
        match (self, syn.ace()) {
            (Self::Classic | Self::Exact, offer) if offer & CLASSIC_OFFER == CLASSIC_OFFER => self,
            (Self::Accurate, CLASSIC_OFFER) => Self::Classic,
            (Self::AccurateExact, CLASSIC_OFFER) => Self::Exact,
            (_, offer) if self.is_accurate() && !matches!(offer, 0 | CLASSIC_OFFER) => self,
            _ => Self::Off,
        }
    }
}

/// What a receiver echoes.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    mode: EcnMode,
    /// The SYN was answered: what it said stands.
    is_settled: bool,
    /// ECT has come (`TCP_ECN_SEEN`).
    has_seen: bool,
    /// The data that came last had CE (DCTCP's `ce_state`).
    is_congested: bool,
    /// The ECN field that came last (`prev_ecnfield`).
    field: u8,
    /// Packets with CE (`received_ce`), and those that no ACK has reported (`received_ce_pending`).
    marked: u32,
    unreported: u32,
    /// Payload bytes with CE (`received_ecn_bytes`).
    marked_bytes: u32,
    /// What ACKs carry.
    marks: Marks,
}

/// What the ECN field of new data is to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nothing new.
    Nothing,
    /// An occasion for quick ACKs: CE for the first time, or data without ECT, which probably is sent again.
    Occasion,
    /// CE has begun or ended, for a sender that counts it (RFC 8257 section 3.2; `dctcp_ece_ack_update`).
    Change,
}

impl Echo {
    /// Of a host that offers this.
    pub const fn new(mode: EcnMode) -> Self {
        let marks = Marks::new(false, mode.others());
        let (is_settled, has_seen, is_congested) = (false, false, false);
        Self { mode, is_settled, has_seen, is_congested, field: 0, marked: 0, unreported: 0, marked_bytes: 0, marks }
    }

    /// What both ends make of ECN.
    #[inline]
    pub const fn mode(&self) -> EcnMode {
        self.mode
    }

    /// What an ACK carries.
    #[inline]
    pub const fn marks(&self) -> Marks {
        self.marks
    }

    /// What an ACK of the data before a [change](Heard::Change) carries: a count that is as new as the change.
    pub const fn marks_before(&self) -> Marks {
        if self.mode.is_accurate() {
            return self.marks;
        }
        Marks::new(false, self.mode.others()).echoing(!self.is_congested)
    }

    /// An ACK is sent.
    #[inline]
    pub const fn on_ack(&mut self) {
        self.unreported = 0;
    }

    /// A SYN comes, perhaps again: takes its offer, if it makes one (RFC 3168 section 6.1.1, RFC 9768 section 3.1). Gives
    /// what its answer carries.
    pub fn answer(&mut self, syn: Marks) -> Marks {
        if !self.is_settled {
            self.is_settled = true;
            self.mode = self.mode.for_offer_of(syn);
            self.field = syn.ecn();
            self.marks = Marks::new(false, self.mode.others());
            if self.mode.is_accurate() {
                self.marks = self.marks.counting(COUNT_BEGIN);
            }
        }
        let answer = match self.mode {
            EcnMode::Off => 0,
            EcnMode::Classic | EcnMode::Exact => CLASSIC_ANSWER,
            _ => reflected(syn.ecn()),
        };
        Marks::new(false, self.mode.handshake()).with_ace(answer)
    }

    /// Adds AccECN's option to an ACK, where there is room beside its SACK blocks (Linux 7.3 `tcp_options_fit_accecn`): of two
    /// counts beside two blocks, which do for ECT(1) and CE, and of three there the third block gives way.
    pub fn add_option(&self, ack: &mut Ack) {
        if ack.block_count > 1 && self.mode != EcnMode::Scalable {
            return;
        }
        ack.block_count = ack.block_count.min(2);
        ack.marked_bytes = self.marked_bytes & OPTION_MASK;
    }

    /// A packet comes to a host that counts marks (Linux 7.3 `tcp_ecn_received_counters`). Gives
    /// whether it is to be answered at once: the ECN field is another one than before, or many marks are unreported.
    pub fn count(&mut self, packet: &Packet) -> bool {
        let marks = packet.marks;
        if marks.is_congested() {
            let more = u32::from(packet.segments.max(1));
            self.marked_bytes = self.marked_bytes.wrapping_add(packet.payload_bytes());
            self.marked = self.marked.wrapping_add(more);
            self.unreported += more;
            self.marks = self.marks.counting(COUNT_BEGIN.wrapping_add(self.marked));
        }
        let has_changed = self.field != marks.ecn();
        self.field = marks.ecn();
        has_changed || self.unreported >= MOST_UNREPORTED
    }

    /// New data comes (Linux 6.1 `__tcp_ecn_check_ce`).
    pub fn hear(&mut self, marks: Marks) -> Heard {
        if marks.ecn() == Ecn::NotEct as u8 {
            return if self.has_seen { Heard::Occasion } else { Heard::Nothing };
        }
        self.has_seen = true;
        let was_congested = std::mem::replace(&mut self.is_congested, marks.is_congested());
        match self.mode {
            EcnMode::Exact | EcnMode::AccurateExact => {
                if self.mode == EcnMode::Exact {
                    self.marks = Marks::new(false, self.mode.others()).echoing(self.is_congested);
                }
                if self.is_congested == was_congested { Heard::Nothing } else { Heard::Change }
            }
            EcnMode::Classic if self.is_congested && !self.marks.echoes() => {
                self.marks = self.marks.echoing(true);
                Heard::Occasion
            }
            _ => Heard::Nothing,
        }
    }

    /// The sender says that it has reduced its window: no ACK echoes any more.
    pub const fn stop(&mut self) {
        self.marks = Marks::new(false, self.mode.others());
    }
}

/// Bits of the option's count.
const OPTION_MASK: u32 = 0xff_ffff;

/// A sender's side of AccECN: the marks that it sees itself, and what it makes of those that ACKs count.
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkCount {
    /// Of packets that came from the receiver.
    seen: u32,
    /// The timestamp of the last ACK.
    stamp_ms: u32,
    /// The option's last count (`delivered_ecn_bytes`), and whether it was another one than before (`est_ecnfield`).
    marked_bytes: u32,
    has_changed: bool,
}

/// What an ACK brought.
#[derive(Clone, Copy, Debug)]
pub struct Brought {
    /// Segments that it delivered.
    pub delivered: u64,
    /// It acknowledged something, cumulatively or by SACK.
    pub has_progress: bool,
    /// Payload of a segment.
    pub mss_bytes: u32,
}

impl MarkCount {
    /// The SYN's answer came with this: what the ACK of it carries (RFC 9768 section 3.1, table 3).
    pub fn on_answer(&mut self, mode: EcnMode, answer: Marks) -> Marks {
        self.see(answer);
        Marks::new(false, mode.others()).with_ace(reflected(answer.ecn()))
    }

    /// A packet came with this.
    #[inline]
    pub const fn see(&mut self, marks: Marks) {
        self.seen = self.seen.wrapping_add(marks.is_congested() as u32);
    }

    /// What data carries, with this ECN field.
    #[inline]
    pub const fn marks(&self, ecn: Ecn) -> Marks {
        Marks::new(false, ecn).counting(COUNT_BEGIN.wrapping_add(self.seen))
    }

    /// An ACK says nothing but that so many segments were delivered: no more than the field can count, and its count is what
    /// it was when `marked` had been.
    #[inline]
    pub fn is_quiet(ack: &Ack, delivered: u64, marked: u64) -> bool {
        delivered <= ACE_MOST && u64::from(ack.marks.ace()) == (u64::from(COUNT_BEGIN) + marked) & ACE_MOST
    }

    /// An ACK comes: gives whether its timestamp is newer than any before.
    #[inline]
    pub const fn note(&mut self, ack: &Ack) -> bool {
        let is_newer = ack.stamp_ms.wrapping_sub(self.stamp_ms).cast_signed() > 0;
        if is_newer {
            self.stamp_ms = ack.stamp_ms;
        }
        is_newer
    }

    /// How many packets an ACK tells of as marked when `marked` had been (RFC 9768 section 3.2.2.5 and appendix A.2; Linux 7.3
    /// `__tcp_accecn_process`). Three bits may hide a multiple of 8 where more were delivered: bytes tell.
    pub fn newly_marked(&mut self, ack: &Ack, marked: u64, brought: Brought) -> u64 {
        let is_newer = self.note(ack);
        let Brought { delivered, has_progress, mss_bytes } = brought;
        if !(has_progress || is_newer) {
            return 0; // it may have been overtaken
        }
        let (mss_bytes, delivered_bytes) = (u64::from(mss_bytes), delivered * u64::from(mss_bytes));
        let more_bytes = self.newly_marked_bytes(ack, delivered_bytes);
        let count = u64::from(ack.marks.ace()).wrapping_sub(u64::from(COUNT_BEGIN) + marked) & ACE_MOST;
        if delivered <= ACE_MOST || more_bytes == 0 {
            return count;
        }
        let most = delivered - ((delivered - count) & ACE_MOST);
        if delivered > 2 * ACE_MOST + 1 {
            let estimate = (more_bytes * delivered).div_ceil(delivered_bytes);
            return if more_bytes >= delivered_bytes { most } else { most.min(count + (estimate & !ACE_MOST)) };
        }
        let is_between = more_bytes <= count * mss_bytes && more_bytes >= most * mss_bytes / 2;
        if more_bytes > count * mss_bytes || is_between { most } else { count }
    }

    /// What the option's count has gone on by; of an ACK without one, all or nothing of what it delivered, as of the last ACK
    /// that had one (`tcp_accecn_process_option`).
    fn newly_marked_bytes(&mut self, ack: &Ack, delivered_bytes: u64) -> u64 {
        if ack.marked_bytes == NO_OPTION {
            let more_bytes = if self.has_changed { delivered_bytes } else { 0 };
            self.marked_bytes = self.marked_bytes.wrapping_add(low_bits(more_bytes)) & OPTION_MASK;
            return more_bytes;
        }
        let more_bytes = ack.marked_bytes.wrapping_sub(self.marked_bytes) & OPTION_MASK;
        self.marked_bytes = ack.marked_bytes;
        self.has_changed = more_bytes > 0;
        // Less than before: what was assumed was too much.
        if more_bytes > OPTION_MASK / 2 { 0 } else { more_bytes.into() }
    }
}
