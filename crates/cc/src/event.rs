//! What the transport tells an algorithm: one struct an event.

use units::{Rate, Segments, Time};

/// The two variables that recovery and algorithm share (RFC 5681).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: Segments,
    /// Slow-start threshold; `Segments::MAX` while infinite.
    pub ssthresh: Segments,
}

impl Window {
    /// Below the slow-start threshold (Linux: `tcp_in_slow_start`).
    pub const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}

/// What an algorithm knows when its connection is established.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The moment.
    pub now: Time,
    /// Payload bytes of a full segment.
    pub mss_bytes: u32,
    /// Initial window.
    pub cwnd: Segments,
    /// RTT of the handshake, µs; `None` when it was not measured.
    pub rtt_us: Option<u32>,
    /// Seed of the flow's own random stream.
    pub seed: u64,
    /// Both ends understand ECN (RFC 3168 section 6.1.1), that which the algorithm needs.
    pub ecn: bool,
}

/// What has been delivered, as an ACK of a connection with ECN finds it before recovery takes it in.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Cumulative acknowledgement: index of the first segment not acknowledged.
    pub una: u64,
    /// Index of the next new segment.
    pub next: u64,
    /// Segments delivered since the connection began, this ACK's included.
    pub delivered: u64,
    /// Of these, those whose ACK had ECE; with accurate ECN those that ACKs count as marked (Linux's `delivered_ce`).
    pub delivered_ce: u64,
}

/// The transport's recovery state (Linux's `tcp_ca_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecoveryState {
    /// Nothing is amiss.
    #[default]
    Open,
    /// SACKs or duplicate ACKs came, but nothing is marked lost.
    Disorder,
    /// The window is being reduced without loss (local congestion or ECN).
    Cwr,
    /// Fast recovery.
    Recovery,
    /// After a retransmission timeout.
    Loss,
}

/// One delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation-02, as Linux's `rate_sample`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateSample {
    /// Segments delivered over the interval; `None`: the sample is not valid.
    pub delivered: Option<Segments>,
    /// Length of the interval, µs: the longer of the send and the ACK phase. 0 when not valid.
    pub interval_us: u32,
    /// The transport's count of delivered segments when the sampled segment was sent.
    pub prior_delivered: u64,
    /// True when `prior_delivered` belongs to a segment, so that rounds can be counted by it.
    pub has_prior: bool,
    /// RTT of this ACK's newest segment, µs; `None` when unknown.
    pub rtt_us: Option<u32>,
    /// Segments newly marked lost by this ACK.
    pub losses: Segments,
    /// Segments newly acknowledged, cumulatively or by SACK.
    pub acked_sacked: Segments,
    /// In flight before this ACK.
    pub prior_in_flight: Segments,
    /// The sampled segment was sent while the application limited the sender.
    pub is_app_limited: bool,
    /// In flight when the sampled segment was sent, itself included; segments marked lost since, and those delivered since whose
    /// ACKs had ECE. Only for an algorithm that [watches losses](crate::CongestionControl::watches_losses).
    pub tx_in_flight: Segments,
    /// See `tx_in_flight`.
    pub lost: Segments,
    /// See `tx_in_flight`.
    pub delivered_ce: Segments,
    /// This ACK has ECE.
    pub is_ece: bool,
    /// This ACK may be of a tail loss probe, or of the segment that it repeats (RFC 8985 section 7.4).
    pub acks_probe: bool,
    /// The RTT sample probably contains a delayed ACK (one segment acknowledged while 2 or more were in flight).
    pub is_ack_delayed: bool,
}

/// An ACK, after the scoreboard took it in.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Recovery state after the ACK.
    pub state: RecoveryState,
    /// Cumulative acknowledgement after this ACK: index of the first segment not acknowledged.
    pub una: u64,
    /// Index of the next new segment.
    pub next: u64,
    /// Segments newly acknowledged cumulatively by this ACK, those SACKed before included (HyStart, `pkts_acked`).
    pub acked: Segments,
    /// Segments newly delivered, cumulatively or by SACK.
    pub acked_sacked: Segments,
    /// RTT sample of this ACK, µs (RFC 6298 with Karn's rule; Linux's `sack_rtt`/`seq_rtt`).
    pub rtt_us: Option<u32>,
    /// Smoothed RTT, µs; 0 before the first sample.
    pub srtt_us: u32,
    /// Windowed minimum RTT of the transport, µs; `u32::MAX` before the first sample.
    pub min_rtt_us: u32,
    /// The delivery-rate sample.
    pub rate: RateSample,
    /// Segments delivered since the connection began, this ACK's included.
    pub delivered: u64,
    /// When the transport last counted a delivery (Linux's `delivered_mstamp`).
    pub delivered_at: Time,
    /// Segments marked lost since the connection began.
    pub lost: u64,
    /// In flight after this ACK: sent - acknowledged - SACKed - lost + retransmitted.
    pub in_flight: Segments,
    /// The flight filled the window during the last round, so that growth is earned (RFC 7661's concern).
    pub cwnd_limited: bool,
    /// The transport allows growth now (not reducing; progress was made).
    pub may_grow: bool,
    /// The application has nothing to send now, or had when it was last asked (Linux's `tp->app_limited != 0`).
    pub app_limited: bool,
    /// When the next segment may leave under pacing (Linux's `tcp_wstamp_ns`).
    pub next_departure: Time,
    /// The transport's pacing rate, used or not.
    pub pacing_rate: Rate,
    /// Whether the transport really paces.
    pub paced: bool,
}

/// A retransmission timeout, after the scoreboard marked what it loses.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    /// When the timer fired.
    pub now: Time,
    /// Segments delivered since the connection began.
    pub delivered: u64,
    /// When the last delivery was counted.
    pub delivered_at: Time,
    /// Segments marked lost since the connection began, those of this timeout included.
    pub lost: u64,
}

/// A segment that was just marked lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// In flight when it was sent, itself included.
    pub tx_in_flight: Segments,
    /// Segments marked lost since it was sent, itself included.
    pub lost: Segments,
    /// It was sent while the application limited the sender.
    pub is_app_limited: bool,
}

/// First transmission after idle.
#[derive(Clone, Copy, Debug)]
pub struct Restart {
    /// When.
    pub now: Time,
    /// The idle period was the application's doing (Linux: `tp->app_limited`).
    pub app_limited: bool,
    /// Segments delivered since the connection began.
    pub delivered: u64,
    /// When the last delivery was counted.
    pub delivered_at: Time,
    /// When the last data segment was sent.
    pub last_sent: Time,
}

/// What an algorithm shows of itself. Fields that it does not have are at their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Index into [`crate::CongestionControl::phases`].
    pub phase: u8,
    /// Bandwidth estimate.
    pub bandwidth: Option<Rate>,
    /// Its own minimum RTT, µs.
    pub min_rtt_us: Option<u32>,
    /// Pacing gain in 1/256.
    pub pacing_gain_256ths: u16,
    /// cwnd gain in 1/256.
    pub cwnd_gain_256ths: u16,
    /// Long-term bound on the bandwidth: the most that was delivered lately (BBR version 3, as the other bounds).
    pub bw_hi: Option<Rate>,
    /// Short-term bound on the bandwidth.
    pub bw_lo: Option<Rate>,
    /// Long-term bound on what is in flight.
    pub inflight_hi: Option<Segments>,
    /// Short-term bound on what is in flight.
    pub inflight_lo: Option<Segments>,
    /// Mean share of marked packets, in 1/1,000,000 (RFC 8257's alpha).
    pub alpha_ppm: Option<u32>,
}

#[cfg(test)]
pub(crate) mod samples {
    //! Events for tests: a template, of which a test changes only the fields that matter to it.

    use super::*;

    /// One segment acknowledged 50 ms into a run on a 20 ms path, in a window that is used and may grow.
    pub(crate) fn ack() -> Ack {
        Ack {
            now: Time::from_nanos(50_000_000),
            state: RecoveryState::Open,
            una: 1,
            next: 11,
            acked: 1,
            acked_sacked: 1,
            rtt_us: Some(20_000),
            srtt_us: 20_000,
            min_rtt_us: 20_000,
            rate: RateSample {
                delivered: Some(1),
                interval_us: 20_000,
                has_prior: true,
                rtt_us: Some(20_000),
                acked_sacked: 1,
                prior_in_flight: 10,
                ..RateSample::default()
            },
            delivered: 1,
            delivered_at: Time::from_nanos(50_000_000),
            lost: 0,
            in_flight: 9,
            cwnd_limited: true,
            may_grow: true,
            app_limited: false,
            next_departure: Time::ZERO,
            pacing_rate: Rate::from_bps(10_000_000),
            paced: false,
        }
    }

    /// A connection established at time 0 with a handshake of 20 ms.
    pub(crate) fn start() -> Start {
        Start { now: Time::ZERO, mss_bytes: 1_448, cwnd: 10, rtt_us: Some(20_000), seed: 1, ecn: false }
    }
}
