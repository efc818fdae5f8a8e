//! Growth that loss-based algorithms share: slow start, and one segment for every so many acknowledged.
//!
//! Growth is by segments acknowledged, not by ACKs, so that delayed and stretched ACKs do not slow it: the
//! idea of RFC 3465 (appropriate byte counting) without its cap of two, as in Linux 6.1's `tcp_slow_start` and
//! `tcp_cong_avoid_ai`, whose integer arithmetic this is.

use units::Segments;

use crate::Window;

/// RFC 5681 section 3.1, slow start: one segment for each acknowledged, but not past the threshold. Gives the
/// acknowledged segments that congestion avoidance is to deal with; `None` while slow start took them all.
pub(crate) fn left_for_avoidance(window: &mut Window, acked: Segments) -> Option<Segments> {
    if !window.in_slow_start() {
        return Some(acked);
    }
    let grown = acked.min(window.ssthresh - window.cwnd);
    window.cwnd += grown;
    (acked > grown).then(|| acked - grown)
}

/// Acknowledged segments that have not yet bought growth (Linux: `snd_cwnd_cnt`). Below the last price, except
/// after the price fell, so it never overflows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CwndCounter(Segments);

impl CwndCounter {
    /// Congestion avoidance: adds `acked`, and grows the window by one segment for every `price` of the count.
    pub(crate) fn add(&mut self, window: &mut Window, price: Segments, acked: Segments) {
        // What was saved up for a higher price buys one segment, not a burst.
        if self.0 >= price {
            self.0 = 0;
            window.cwnd += 1;
        }
        self.0 += acked;
        if self.0 >= price {
            self.0 -= price;
            window.cwnd += 1;
            // Hardly ever more than one: the division is off the common path.
            if self.0 >= price {
                window.cwnd += self.0 / price;
                self.0 %= price;
            }
        }
    }

    /// A reduction begins from zero (Linux: `tcp_init_cwnd_reduction`, `tcp_enter_loss`).
    pub(crate) fn reset(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: Segments) -> Window {
        Window { cwnd, ssthresh: Segments::MAX }
    }

    #[test]
    fn slow_start_gives_back_what_passes_the_threshold() {
        let mut w = Window { cwnd: 9, ssthresh: 10 };
        assert_eq!(left_for_avoidance(&mut w, 3), Some(2));
        assert_eq!(w.cwnd, 10);
        assert_eq!(left_for_avoidance(&mut w, 3), Some(3));
    }

    #[test]
    fn a_stretched_ack_buys_as_much_as_its_parts() {
        let (mut once, mut thrice) = (CwndCounter::default(), CwndCounter::default());
        let (mut a, mut b) = (window(10), window(10));
        once.add(&mut a, 4, 13);
        [5, 4, 4].into_iter().for_each(|acked| thrice.add(&mut b, 4, acked));
        assert_eq!((a.cwnd, once.0), (13, 1));
        assert_eq!((b.cwnd, thrice.0), (13, 1));
    }

    #[test]
    fn what_was_counted_at_a_higher_price_buys_one_segment_only() {
        let (mut counter, mut w) = (CwndCounter::default(), window(100));
        counter.add(&mut w, 100, 99);
        assert_eq!(w.cwnd, 100);
        counter.add(&mut w, 10, 1);
        assert_eq!((w.cwnd, counter.0), (101, 1));
    }
}
