//! NADA's sender (RFC 8698 sections 4.3 and 5.2), with the parameters of the RFC's table 2.

/// DELTA: from one report to the next.
pub(super) const REPORT_INTERVAL_NS: u64 = 100_000_000;
/// What a report counts the congestion signal in (section 5.3).
pub(super) const SIGNAL_UNIT_NS: u64 = 100_000;
/// The largest signal of 15 bits.
pub(super) const MOST_SIGNAL: u16 = (1 << 15) - 1;

const NANOS_PER_SEC: f64 = 1e9;
const BITS_PER_BYTE: f64 = 8.0;
/// PRIO.
const PRIORITY: f64 = 1.0;
/// XREF.
const REFERENCE_SIGNAL_S: f64 = 0.010;
const KAPPA: f64 = 0.5;
const ETA: f64 = 2.0;
/// TAU: upper bound of the round-trip time in the gradual update.
const MOST_RTT_S: f64 = 0.5;
/// DFILT: bound on filtering delay.
const FILTERING_S: f64 = 0.120;
const GAMMA_MAX: f64 = 0.5;
/// QBOUND: upper bound on self-inflicted queueing delay during ramp-up.
const RAMP_UP_QUEUE_S: f64 = 0.050;
/// BETA_S and BETA_V.
const BETA: f64 = 0.1;
/// By this part of the reference rate the buffer changes the sending rate and the encoder's, at most (equations 11 and 12).
const MOST_SHAPING: f64 = 0.05;

/// How the sender is to update its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Accelerated ramp-up: the bottleneck seems to be underutilized.
    #[default]
    RampUp,
    /// Gradual rate update.
    Gradual,
}

/// What the receiver says of the path (RFC 8698 section 5.3), with what a sender needs to know the round-trip time, as RTCP has it
/// (RFC 3550 section 6.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// `rmode`.
    pub mode: Mode,
    /// `x_curr` in units of 100 µs.
    pub signal: u16,
    /// `r_recv`.
    pub receiving_bps: u32,
    /// The datagram that arrived last.
    pub latest: u32,
    /// How long before the report it did.
    pub since_ns: u64,
}

/// The sender's side of NADA.
#[derive(Debug)]
pub struct Sender {
    limits_bps: [f64; 2],
    frames_per_s: f64,
    /// `r_ref`.
    reference_bps: f64,
    /// `x_prev`.
    signal_s: f64,
    /// `t_last`.
    last_ns: u64,
    mode: Mode,
}

impl Sender {
    /// One that starts now, at its lowest rate.
    pub fn new(limits_bps: [f64; 2], frames_per_s: u32, now_ns: u64) -> Self {
        let (frames_per_s, reference_bps) = (f64::from(frames_per_s), limits_bps[0]);
        Self { limits_bps, frames_per_s, reference_bps, signal_s: 0.0, last_ns: now_ns, mode: Mode::RampUp }
    }

    /// A report has come, by which the round-trip time is so long.
    pub fn on_report(&mut self, report: &Report, rtt_ns: u64, now_ns: u64) {
        let delta_s = (now_ns - self.last_ns) as f64 / NANOS_PER_SEC;
        let signal_s = f64::from(report.signal) * SIGNAL_UNIT_NS as f64 / NANOS_PER_SEC;
        let [least_bps, most_bps] = self.limits_bps;
        let reference_bps = match report.mode {
            // Equations 3 and 4.
            Mode::RampUp => {
                let rtt_s = rtt_ns as f64 / NANOS_PER_SEC;
                let interval_s = REPORT_INTERVAL_NS as f64 / NANOS_PER_SEC;
                let gamma = GAMMA_MAX.min(RAMP_UP_QUEUE_S / (rtt_s + interval_s + FILTERING_S));
                self.reference_bps.max((1.0 + gamma) * f64::from(report.receiving_bps))
            }
            // Equations 5 to 7.
            Mode::Gradual => {
                let offset_s = signal_s - PRIORITY * REFERENCE_SIGNAL_S * most_bps / self.reference_bps;
                let difference_s = signal_s - self.signal_s;
                let by_offset = KAPPA * delta_s / MOST_RTT_S * offset_s / MOST_RTT_S;
                let by_difference = KAPPA * ETA * difference_s / MOST_RTT_S;
                self.reference_bps * (1.0 - by_offset - by_difference)
            }
        };
        // Equations 8 and 9.
        self.reference_bps = reference_bps.min(most_bps).max(least_bps);
        (self.mode, self.signal_s, self.last_ns) = (report.mode, signal_s, now_ns);
    }

    /// `r_ref`.
    pub const fn reference_bps(&self) -> f64 {
        self.reference_bps
    }

    /// How the last report had it updated.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// `r_vin`, what the encoder is to have while the rate-shaping buffer has so much (equations 11 and 13).
    pub fn video_bps(&self, buffered_bytes: u64) -> f64 {
        (self.reference_bps - self.shaping_bps(buffered_bytes)).max(self.limits_bps[0])
    }

    /// `r_send`, at which that is sent (equations 12 and 14).
    pub fn sending_bps(&self, buffered_bytes: u64) -> f64 {
        (self.reference_bps + self.shaping_bps(buffered_bytes)).min(self.limits_bps[1])
    }

    fn shaping_bps(&self, buffered_bytes: u64) -> f64 {
        (MOST_SHAPING * self.reference_bps).min(BETA * BITS_PER_BYTE * buffered_bytes as f64 * self.frames_per_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn sender(reference_bps: f64) -> Sender {
        Sender { reference_bps, ..Sender::new([150e3, 1.5e6], 30, 0) }
    }

    fn report(mode: Mode, signal_ms: u16, receiving_bps: u32) -> Report {
        Report { mode, signal: signal_ms * 10, receiving_bps, latest: 0, since_ns: 0 }
    }

    fn close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{value}, {expected}");
    }

    #[test]
    fn ramp_up_grows_on_what_was_received() {
        // gamma = 50 / (80 + 100 + 120) = 1/6.
        let mut own = sender(500e3);
        own.on_report(&report(Mode::RampUp, 0, 600_000), 80 * MS, 100 * MS);
        close(own.reference_bps(), 700e3);
        own.on_report(&report(Mode::RampUp, 0, 300_000), 80 * MS, 200 * MS);
        close(own.reference_bps(), 700e3);
        // GAMMA_MAX is beyond what any round-trip time gives: 50 / 220.
        let mut own = sender(500e3);
        own.on_report(&report(Mode::RampUp, 0, 600_000), 0, 100 * MS);
        close(own.reference_bps(), 600e3 * (1.0 + 50.0 / 220.0));
    }

    #[test]
    fn a_gradual_update_follows_from_the_signal_and_its_change() {
        let mut own = sender(1e6);
        own.signal_s = 0.020;
        own.on_report(&report(Mode::Gradual, 35, 0), 0, 100 * MS);
        // x_offset = 35 - 10 * 1.5 = 20 ms, x_diff = 15 ms.
        let expected = 1e6 - 0.5 * 0.2 * (0.020 / 0.5) * 1e6 - 0.5 * 2.0 * (0.015 / 0.5) * 1e6;
        close(own.reference_bps(), expected);
        // The second one has no change; as late as that, its offset counts twice.
        let offset_s = 0.035 - 0.010 * 1.5e6 / expected;
        own.on_report(&report(Mode::Gradual, 35, 0), 0, 300 * MS);
        close(own.reference_bps(), expected * (1.0 - 0.5 * 0.4 * offset_s / 0.5));
    }

    #[test]
    fn at_equilibrium_the_signal_is_the_reference_by_the_rate() {
        for (signal_ms, expected_bps) in [(20, 750e3), (30, 500e3), (75, 200e3)] {
            let mut own = sender(1e6);
            for at in 1..=5_000 {
                own.on_report(&report(Mode::Gradual, signal_ms, 0), 0, at * 100 * MS);
            }
            assert!((own.reference_bps() / expected_bps - 1.0).abs() < 1e-6, "{signal_ms}: {}", own.reference_bps());
        }
    }

    #[test]
    fn rates_stay_within_the_encoders() {
        let mut own = sender(1e6);
        own.on_report(&report(Mode::Gradual, 3_000, 0), 0, 100 * MS);
        assert_eq!(own.reference_bps(), 150e3);
        own.on_report(&report(Mode::RampUp, 0, 90_000_000), 0, 200 * MS);
        assert_eq!(own.reference_bps(), 1.5e6);
    }

    /// 2000 bytes in the buffer are 48 kbit/s (section 5.2.2), and 5 % of the rate is the most.
    #[test]
    fn the_buffer_slows_the_encoder_and_hastens_the_line() {
        let own = sender(1e6);
        close(own.video_bps(2_000), 952e3);
        close(own.sending_bps(2_000), 1_048e3);
        close(own.video_bps(20_000), 950e3);
        close(own.sending_bps(20_000), 1_050e3);
        assert_eq!((sender(1.49e6).sending_bps(20_000), sender(151e3).video_bps(20_000)), (1.5e6, 150e3));
    }
}
