//! [`Train`]: what came of frames sent close together, and what that says about the bottleneck. Pure.

/// Less than this share of a frame is a clock's unevenness, not a frame.
const UNEVENNESS: f64 = 0.02;
/// Who has waited less than this share of the time that a frame takes has not queued.
const IDLE: f64 = 0.05;

/// A frame that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its place among those sent.
    pub number: u64,
    /// The pair that it took.
    pub pair: usize,
    /// When it arrived.
    pub at_ns: u64,
    /// Beyond the time that an idle path takes.
    pub waited_ns: u64,
}

/// Frames of one size, in order of arrival, sent on an idle path with a full bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Train {
    /// Those that arrived.
    pub arrivals: Vec<Arrival>,
    /// How many were sent.
    pub sent: u64,
}

/// What the bottleneck's rate is computed from: frames, and the time in which they left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dispersion {
    /// Frames, of full size; the bucket's are not counted.
    pub frames: f64,
    /// Time.
    pub span_ns: f64,
}

impl Dispersion {
    /// Rate on frames; 0 when nothing was seen.
    pub fn rate_bps(self, frame_bytes: u64) -> f64 {
        if self.span_ns > 0.0 { self.frames * frame_bytes as f64 * 8e9 / self.span_ns } else { 0.0 }
    }
}

impl Train {
    /// Frames and the time between them while the queue was never empty. `frame_ns` is about what a frame takes,
    /// `burst` the bucket's depth in frames. Frames lost between the bottleneck and here (`thinned`) leave gaps of
    /// two frames and more, which are left out. Who has waited less than `noise_ns` may not have queued either.
    pub fn dispersion(&self, frame_ns: f64, burst: f64, thinned: bool, noise_ns: u64) -> Dispersion {
        let idle_ns = noise_ns.max((frame_ns * IDLE) as u64);
        let idle = self.arrivals.iter().rposition(|arrival| arrival.waited_ns <= idle_ns);
        let busy = &self.arrivals[idle.map_or(0, |last| last + 1)..];
        match busy {
            [] => between(&self.arrivals),
            // One frame has queued: it waited for what the bucket lacked for it.
            [only] => {
                Dispersion { frames: (self.arrivals.len() as f64 - burst).max(0.0), span_ns: only.waited_ns as f64 }
            }
            _ if thinned => {
                let mut gaps: Vec<u64> = busy.windows(2).map(|pair| pair[1].at_ns - pair[0].at_ns).collect();
                gaps.sort_unstable();
                let median = gaps[(gaps.len() - 1) / 2];
                let single = &gaps[..gaps.partition_point(|gap| *gap <= median + median / 2)];
                Dispersion { frames: single.len() as f64, span_ns: single.iter().sum::<u64>() as f64 }
            }
            _ => between(busy),
        }
    }

    /// Frames in the queue when the one that waited longest had come.
    pub fn queued_frames(&self, frame_ns: f64) -> u64 {
        let waited_ns = self.arrivals.iter().map(|arrival| arrival.waited_ns).max().unwrap_or(0);
        // The bucket has tokens for a part of a frame at any time while frames wait, hence the rounding up.
        (waited_ns as f64 / frame_ns - UNEVENNESS).ceil().max(0.0) as u64
    }

    /// Frames that arrived after one of their pair that was sent later.
    pub fn reordered(&self) -> u64 {
        let mut latest: Vec<u64> = Vec::new();
        let mut reordered = 0;
        for arrival in &self.arrivals {
            if latest.len() <= arrival.pair {
                latest.resize(arrival.pair + 1, 0);
            }
            let latest = &mut latest[arrival.pair];
            reordered += u64::from(arrival.number < *latest);
            *latest = arrival.number.max(*latest);
        }
        reordered
    }

    /// Frames that did not arrive.
    pub fn lost(&self) -> u64 {
        self.sent.saturating_sub(self.arrivals.len() as u64)
    }
}

fn between(arrivals: &[Arrival]) -> Dispersion {
    match arrivals {
        [first, .., last] => {
            Dispersion { frames: (arrivals.len() - 1) as f64, span_ns: last.at_ns.saturating_sub(first.at_ns) as f64 }
        }
        _ => Dispersion::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME_NS: f64 = 151_400.0; // 1514 bytes at 80 Mbit/s
    const BURST: f64 = 5_000.0 / 1_514.0;

    /// Frames sent at one instant into a queue of `room` behind a bucket of 5000 bytes.
    fn burst(room: u64) -> Train {
        let arrivals = (0..3 + room).map(|number| {
            let waited_ns = (((number + 1) as f64 - BURST) * FRAME_NS).max(0.0).ceil() as u64;
            Arrival { number, pair: 0, at_ns: 12_500_000 + waited_ns, waited_ns }
        });
        Train { arrivals: arrivals.collect(), sent: 1_000 }
    }

    #[test]
    fn rate_and_room_follow_from_a_burst_of_any_length() {
        for room in [1, 2, 3, 41, 165, 33_000] {
            let train = burst(room);
            let rate = train.dispersion(FRAME_NS, BURST, false, 0).rate_bps(1_514);
            assert!((rate / 80e6 - 1.0).abs() < 2e-5, "{room}: {rate}");
            assert_eq!(train.queued_frames(1_514.0 * 8e9 / rate), room);
        }
    }

    #[test]
    fn frames_lost_behind_the_bottleneck_do_not_slow_it() {
        let mut train = burst(165);
        train.arrivals.retain(|arrival| arrival.number % 5 != 1);
        let rate = train.dispersion(FRAME_NS, BURST, true, 0).rate_bps(1_514);
        assert!((rate / 80e6 - 1.0).abs() < 1e-4, "{rate}");
    }

    #[test]
    fn frames_out_of_order_are_counted_once_each() {
        let arrival = |number| Arrival { number, pair: 0, at_ns: number, waited_ns: 0 };
        let train = Train { arrivals: [0, 2, 3, 1, 4, 6, 5].map(arrival).to_vec(), sent: 8 };
        assert_eq!((train.reordered(), train.lost()), (2, 1));
    }

    #[test]
    fn nothing_seen_is_no_rate() {
        assert_eq!(Train::default().dispersion(FRAME_NS, BURST, false, 0).rate_bps(1_514), 0.0);
        assert_eq!(Train::default().queued_frames(FRAME_NS), 0);
    }
}
