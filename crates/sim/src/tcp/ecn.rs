//! Explicit congestion notification (RFC 3168): who marks what as ECT, and what a receiver echoes. Linux 6.1 has it in
//! `ecn_flags`.

use crate::net::{Ecn, Marks};

/// What the ends of a connection make of ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// Nothing.
    #[default]
    Off,
    /// RFC 3168: new data is ECT, and CE is echoed until the sender has reduced its window.
    Classic,
    /// DCTCP (RFC 8257): every packet is ECT, and the echo follows CE segment by segment.
    Exact,
}

impl EcnMode {
    /// It is in use, or is to be.
    #[inline]
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }

    /// The ECN field of new data (`tcp_ecn_send`).
    #[inline]
    pub const fn new_data(self) -> Ecn {
        if self.is_on() { Ecn::Ect0 } else { Ecn::NotEct }
    }

    /// That of every other packet: one without data, and data that is sent again (RFC 3168 sections 6.1.4 and 6.1.5).
    #[inline]
    pub const fn others(self) -> Ecn {
        if matches!(self, Self::Exact) { Ecn::Ect0 } else { Ecn::NotEct }
    }
}

/// What a receiver echoes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo {
    mode: EcnMode,
    /// The SYN was answered: what it said stands.
    is_settled: bool,
    /// ACKs carry ECE (`TCP_ECN_DEMAND_CWR`).
    echoes: bool,
    /// ECT has come (`TCP_ECN_SEEN`).
    has_seen: bool,
    /// The last segment had CE (DCTCP's `ce_state`).
    is_congested: bool,
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
    pub fn new(mode: EcnMode) -> Self {
        Self { mode, ..Self::default() }
    }

    /// What both ends make of ECN.
    #[inline]
    pub const fn mode(&self) -> EcnMode {
        self.mode
    }

    /// ACKs carry ECE.
    #[inline]
    pub const fn echoes(&self) -> bool {
        self.echoes
    }

    /// A SYN comes, perhaps again: takes its offer, if it makes one (RFC 3168 section 6.1.1; `tcp_ecn_create_request`). Its
    /// answer has ECE when that is so.
    pub fn answer(&mut self, syn: Marks) -> bool {
        let offers = syn.echoes() && syn.is_reduced();
        if !self.is_settled && !offers {
            self.mode = EcnMode::Off;
        }
        self.is_settled = true;
        self.mode.is_on()
    }

    /// New data comes (Linux 6.1 `__tcp_ecn_check_ce`).
    pub fn hear(&mut self, marks: Marks) -> Heard {
        if marks.ecn() == Ecn::NotEct as u8 {
            return if self.has_seen { Heard::Occasion } else { Heard::Nothing };
        }
        self.has_seen = true;
        let is_congested = marks.is_congested();
        if self.mode == EcnMode::Exact {
            let has_changed = self.is_congested != is_congested;
            (self.is_congested, self.echoes) = (is_congested, is_congested);
            return if has_changed { Heard::Change } else { Heard::Nothing };
        }
        if !is_congested || self.echoes {
            return Heard::Nothing;
        }
        self.echoes = true;
        Heard::Occasion
    }

    /// The sender says that it has reduced its window.
    pub const fn stop(&mut self) {
        self.echoes = false;
    }
}
