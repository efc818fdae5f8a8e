//! NADA's receiver (RFC 8698 sections 4.2 and 5.1), with the parameters of the RFC's table 2.

use super::loss_intervals::LossIntervals;
use super::nada::{MOST_SIGNAL, Mode, Report, SIGNAL_UNIT_NS};
use libm::exp;
use std::collections::VecDeque;

const NANOS_PER_SEC: u64 = 1_000_000_000;
const BITS_PER_BYTE: u64 = 8;
/// LOGWIN: of what is summarised.
const WINDOW_NS: u64 = 500_000_000;
/// QEPS: below this there is no queue.
const NO_QUEUE_NS: u64 = 10_000_000;
/// Queueing delays of so many packets, of which the least counts (section 5.1.1).
const FILTERED_PACKETS: usize = 15;
/// QTH: from here on delays are warped after a loss.
const WARPED_NS: f64 = 50e6;
const LAMBDA: f64 = 0.5;
const MULTILOSS: f64 = 7.0;
/// PLRREF.
const REFERENCE_LOSS: f64 = 0.01;
/// DLOSS.
const LOSS_PENALTY_NS: f64 = 10e6;
/// Smoothing of the loss ratio.
const ALPHA: f64 = 0.1;

/// The receiver's side of NADA.
#[derive(Debug, Default)]
pub struct Receiver {
    /// `d_base`; none: nothing has arrived.
    base_ns: Option<u64>,
    /// Queueing delays of the latest packets.
    queueing_ns: VecDeque<u64>,
    /// What arrived within the window.
    arrivals: VecDeque<Arrival>,
    /// The number behind the largest that has arrived.
    next: u32,
    /// `p_loss`.
    loss: f64,
    intervals: LossIntervals,
    /// The packet that arrived last, and when.
    latest: Option<(u32, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Arrival {
    at_ns: u64,
    bytes: u32,
    /// Numbers between this one and the one before.
    missing: u32,
    /// The filtered queueing delay.
    queueing_ns: u64,
}

impl Receiver {
    /// A packet arrives, after such a delay.
    pub fn on_packet(&mut self, number: u32, bytes: u32, delay_ns: u64, now_ns: u64) {
        self.latest = Some((number, now_ns));
        // What comes out of order was lost (section 5.1.2), but has arrived.
        let missing = number.saturating_sub(self.next);
        if missing > 0 {
            self.intervals.lose(self.next);
        }
        self.next = self.next.max(number + 1);
        let base_ns = self.base_ns.map_or(delay_ns, |base_ns| base_ns.min(delay_ns));
        self.base_ns = Some(base_ns);
        self.queueing_ns.push_front(delay_ns - base_ns);
        self.queueing_ns.truncate(FILTERED_PACKETS);
        self.arrivals.push_back(Arrival { at_ns: now_ns, bytes, missing, queueing_ns: self.filtered_ns() });
        self.forget(now_ns);
        // Equation 10.
        let missing = self.missing();
        let ratio = missing as f64 / (missing + self.arrivals.len() as u64) as f64;
        self.loss = ALPHA * ratio + (1.0 - ALPHA) * self.loss;
    }

    /// What there is to say; none: nothing has arrived.
    pub fn report(&mut self, now_ns: u64) -> Option<Report> {
        let (latest, at_ns) = self.latest?;
        self.forget(now_ns);
        let bytes: u64 = self.arrivals.iter().map(|arrival| u64::from(arrival.bytes)).sum();
        let receiving_bps = bytes * BITS_PER_BYTE * NANOS_PER_SEC / WINDOW_NS;
        let signal = (self.signal_ns() / SIGNAL_UNIT_NS as f64 + 0.5) as u64;
        Some(Report {
            mode: self.mode(),
            signal: signal.min(u64::from(MOST_SIGNAL)) as u16,
            receiving_bps: u32::try_from(receiving_bps).unwrap_or(u32::MAX),
            latest,
            since_ns: now_ns - at_ns,
        })
    }

    fn forget(&mut self, now_ns: u64) {
        while self.arrivals.front().is_some_and(|arrival| arrival.at_ns + WINDOW_NS <= now_ns) {
            self.arrivals.pop_front();
        }
    }

    fn missing(&self) -> u64 {
        self.arrivals.iter().map(|arrival| u64::from(arrival.missing)).sum()
    }

    /// `d_queue`.
    fn filtered_ns(&self) -> u64 {
        self.queueing_ns.iter().copied().min().unwrap_or(0)
    }

    fn mode(&self) -> Mode {
        let is_free = self.arrivals.iter().all(|arrival| arrival.missing == 0 && arrival.queueing_ns < NO_QUEUE_NS);
        if is_free { Mode::RampUp } else { Mode::Gradual }
    }

    /// `x_curr`, equation 2.
    fn signal_ns(&self) -> f64 {
        let relative = self.loss / REFERENCE_LOSS;
        self.warped_ns() + LOSS_PENALTY_NS * relative * relative
    }

    /// `d_tilde`, equation 1; once a loss has expired it becomes the delay again within an average interval.
    fn warped_ns(&self) -> f64 {
        let queueing_ns = self.filtered_ns() as f64;
        let part = self.intervals.age(self.next).map_or(0.0, |age| (MULTILOSS + 1.0 - age).clamp(0.0, 1.0));
        part * warped(queueing_ns) + (1.0 - part) * queueing_ns
    }
}

fn warped(queueing_ns: f64) -> f64 {
    if queueing_ns < WARPED_NS {
        return queueing_ns;
    }
    WARPED_NS * exp(-LAMBDA * (queueing_ns - WARPED_NS) / WARPED_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const DELAY_NS: u64 = 50 * MS;

    /// Packets of 1000 bytes every 10 ms, 800 kbit/s, each queued for so long.
    fn receive(receiver: &mut Receiver, numbers: impl Iterator<Item = u32>, queueing_ns: u64) {
        for number in numbers {
            receiver.on_packet(number, 1_000, DELAY_NS + queueing_ns, u64::from(number) * 10 * MS);
        }
    }

    fn signal_ms(receiver: &mut Receiver, now: u32) -> f64 {
        f64::from(receiver.report(u64::from(now) * 10 * MS).unwrap().signal) / 10.0
    }

    #[test]
    fn nothing_is_reported_before_something_arrives() {
        assert_eq!(Receiver::default().report(100 * MS), None);
    }

    #[test]
    fn an_idle_path_has_no_signal_and_the_rate_of_its_window() {
        let mut receiver = Receiver::default();
        receive(&mut receiver, 0..=100, 0);
        let expected = Report { mode: Mode::RampUp, signal: 0, receiving_bps: 800_000, latest: 100, since_ns: 2 * MS };
        assert_eq!(receiver.report(1_002 * MS), Some(expected));
        assert_eq!(receiver.report(1_252 * MS).unwrap().receiving_bps, 400_000);
    }

    /// The least of 15 packets counts, over a base that is the least of all.
    #[test]
    fn without_losses_the_signal_is_the_queueing_delay() {
        let mut receiver = Receiver::default();
        receive(&mut receiver, 0..20, 0);
        receive(&mut receiver, 20..34, 8 * MS);
        assert_eq!(signal_ms(&mut receiver, 34), 0.0);
        receive(&mut receiver, 34..35, 8 * MS);
        assert_eq!(signal_ms(&mut receiver, 35), 8.0);
        assert_eq!(receiver.report(350 * MS).unwrap().mode, Mode::RampUp);
        receive(&mut receiver, 35..60, 12 * MS);
        assert_eq!(signal_ms(&mut receiver, 60), 12.0);
        assert_eq!(receiver.report(600 * MS).unwrap().mode, Mode::Gradual);
        receive(&mut receiver, 60..120, 400 * MS);
        assert_eq!(signal_ms(&mut receiver, 120), 400.0, "no loss, no warping");
    }

    #[test]
    fn a_loss_counts_by_the_square_of_its_smoothed_ratio() {
        let mut receiver = Receiver::default();
        receive(&mut receiver, (0..200).filter(|number| *number != 150), 0);
        // From 151 to 199 the window has 50 packets, one of them missing.
        let loss = (1.0 - 0.9_f64.powi(49)) / 50.0;
        let expected = 10.0 * (loss / 0.01).powi(2);
        assert!((signal_ms(&mut receiver, 200) - expected).abs() < 0.1, "{expected}");
        assert_eq!(receiver.report(2_000 * MS).unwrap().mode, Mode::Gradual);
        receive(&mut receiver, 200..260, 0);
        assert_eq!(receiver.report(2_600 * MS).unwrap().mode, Mode::RampUp, "it has left the window");
        assert!(signal_ms(&mut receiver, 260) < 0.1);
    }

    #[test]
    fn what_comes_late_was_lost_and_is_no_loss_again() {
        let mut receiver = Receiver::default();
        receive(&mut receiver, [0, 1, 3, 2, 4].into_iter(), 0);
        assert_eq!((receiver.missing(), receiver.next), (1, 5));
        assert_eq!(receiver.arrivals.len(), 5);
    }

    #[test]
    fn warping_is_that_of_the_rfc() {
        assert_eq!(warped(49e6), 49e6);
        assert_eq!(warped(50e6), 50e6);
        assert!((warped(150e6) - 50e6 * (-1.0_f64).exp()).abs() < 1.0);
        assert!((warped(350e6) - 50e6 * (-3.0_f64).exp()).abs() < 1.0);
    }

    /// Every 20th packet is lost up to the 400th: that expires with the 540th, and has no effect from the 560th on.
    #[test]
    fn a_loss_warps_long_delays_until_it_expires() {
        let mut receiver = Receiver::default();
        let warped_ms = 50.0 * (-1.0_f64).exp();
        receive(&mut receiver, 0..1, 0);
        receive(&mut receiver, (1..540).filter(|number| number % 20 != 0 || *number > 400), 150 * MS);
        assert!((receiver.warped_ns() / 1e6 - warped_ms).abs() < 1e-3);
        receive(&mut receiver, 540..550, 150 * MS);
        assert!((receiver.warped_ns() / 1e6 - (warped_ms + 150.0) / 2.0).abs() < 1e-3);
        receive(&mut receiver, 550..560, 150 * MS);
        assert_eq!(receiver.warped_ns(), 150e6);
    }
}
