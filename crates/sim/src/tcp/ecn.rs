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
    pub mode: EcnMode,
    /// The SYN was answered: what it said stands.
    is_settled: bool,
    /// ACKs carry ECE (`TCP_ECN_DEMAND_CWR`).
    pub echoes: bool,
    /// ECT has come (`TCP_ECN_SEEN`).
    pub has_seen: bool,
    /// The last segment had CE (DCTCP's `ce_state`).
    pub is_congested: bool,
}

impl Echo {
    /// Of a host that offers this.
    pub fn new(mode: EcnMode) -> Self {
        Self { mode, ..Self::default() }
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
}
