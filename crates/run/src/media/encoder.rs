//! [`Encoder`]: a live video encoder, by the statistical model of RFC 8593 section 5 with the values of its figure 2.

use crate::stream::{Stream, stream};

const NANOS_PER_SEC: f64 = 1e9;
const BITS_PER_BYTE: f64 = 8.0;
/// `tau_v`: so long after it has changed its rate an encoder ignores what it is to have.
const REACTION_NS: u64 = 200_000_000;
/// `K_d`: frames of a burst.
const BURST_FRAMES: u32 = 8;
/// `K_B` over `B0`: the first frame of a burst, 13.5 kB at 1 Mbit/s and 30 frames a second, in mean frames. The RFC has the size of one
/// rate; as large at all of them it would be more than a burst of the lowest rates has.
const BURST_FIRST: f64 = 13_500.0 / (1e6 / 8.0 / 30.0);
/// Each of the others, so that all together have the rate (section 5.2).
const BURST_NEXT: f64 = (BURST_FRAMES as f64 - BURST_FIRST) / (BURST_FRAMES - 1) as f64;
/// `SCALE_t` and `SCALE_B`: of the Laplacian deviations of intervals and sizes.
const SCALE: f64 = 0.15;
/// A deviation is no larger, either way: sizes and intervals stay above zero, and their means what they are. One in 400 would be.
const MOST_DEVIATION: f64 = 0.9;
/// A change of the rate by more than this part of it is abrupt, and begins a burst. The RFC has no number.
const ABRUPT: f64 = 0.5;

/// A camera and its encoder: frames of varying intervals and sizes.
#[derive(Debug)]
pub struct Encoder {
    frames_per_s: f64,
    limits_bps: [f64; 2],
    intervals: Stream,
    sizes: Stream,
    rate_bps: f64,
    reacts_ns: u64,
    /// Frames to come of a burst.
    bursting: u32,
}

impl Encoder {
    /// One that begins at its lowest rate, with a burst: the first frame has nothing to refer to. Its draws are those of the run's seed and the
    /// flow's name.
    pub fn new(seed: u64, name: &str, limits_bps: [f64; 2], frames_per_s: u32) -> Self {
        Self {
            frames_per_s: f64::from(frames_per_s),
            limits_bps,
            intervals: stream(seed, &format!("media/intervals/{name}")),
            sizes: stream(seed, &format!("media/sizes/{name}")),
            rate_bps: limits_bps[0],
            reacts_ns: 0,
            bursting: BURST_FRAMES,
        }
    }

    /// From one capture to the next.
    pub fn interval_ns(&mut self) -> u64 {
        let deviation = self.intervals.laplace(SCALE).clamp(-MOST_DEVIATION, MOST_DEVIATION);
        (NANOS_PER_SEC / self.frames_per_s * (1.0 + deviation)) as u64
    }

    /// Bytes of the frame that is captured now, when the encoder is to have this rate; 1 at least.
    pub fn encode(&mut self, request_bps: f64, now_ns: u64) -> u64 {
        self.request(request_bps, now_ns);
        let deviation = self.sizes.laplace(SCALE).clamp(-MOST_DEVIATION, MOST_DEVIATION);
        let relative = match self.bursting {
            0 => 1.0 + deviation,
            BURST_FRAMES => BURST_FIRST,
            _ => BURST_NEXT,
        };
        self.bursting = self.bursting.saturating_sub(1);
        ((self.rate_bps / BITS_PER_BYTE / self.frames_per_s * relative) as u64).max(1)
    }

    fn request(&mut self, request_bps: f64, now_ns: u64) {
        let [least_bps, most_bps] = self.limits_bps;
        let request_bps = request_bps.clamp(least_bps, most_bps);
        if request_bps == self.rate_bps || now_ns < self.reacts_ns {
            return;
        }
        if self.bursting == 0 && (request_bps - self.rate_bps).abs() > ABRUPT * self.rate_bps {
            self.bursting = BURST_FRAMES;
        }
        self.rate_bps = request_bps;
        self.reacts_ns = now_ns + REACTION_NS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn encoder(seed: u64) -> Encoder {
        Encoder::new(seed, "video", [150e3, 1.5e6], 30)
    }

    /// One that has been at a rate for long.
    fn settled(rate_bps: f64) -> Encoder {
        let mut encoder = encoder(1);
        for frame in 0..20 {
            encoder.encode(rate_bps, frame * 33 * MS);
        }
        encoder
    }

    #[test]
    fn frames_have_the_rate_and_the_interval_in_the_mean() {
        let mut encoder = settled(1e6);
        let count = 100_000;
        let (mut bytes, mut square, mut interval) = (0.0, 0.0, 0.0);
        for _ in 0..count {
            let relative = encoder.encode(1e6, 1_000 * MS) as f64 / (1e6 / 240.0);
            bytes += relative;
            square += (relative - 1.0) * (relative - 1.0);
            interval += encoder.interval_ns() as f64 / 1e9;
        }
        let count = f64::from(count);
        // A Laplacian's variance is twice the square of its scale.
        let error = SCALE * (2.0 / count).sqrt();
        assert!((bytes / count - 1.0).abs() < 5.0 * error, "{}", bytes / count);
        assert!((interval / count * 30.0 - 1.0).abs() < 5.0 * error, "{}", interval / count);
        assert!((square / count / (2.0 * SCALE * SCALE) - 1.0).abs() < 0.03, "{}", square / count);
    }

    #[test]
    fn a_rate_outside_the_limits_is_the_nearest_limit() {
        for (request_bps, rate_bps) in [(1e3, 150e3), (9e9, 1.5e6), (700e3, 700e3)] {
            assert_eq!(settled(request_bps).rate_bps, rate_bps);
        }
    }

    #[test]
    fn an_encoder_ignores_changes_until_its_reaction_time_is_over() {
        let mut encoder = settled(1e6);
        encoder.encode(900e3, 1_000 * MS);
        encoder.encode(800e3, 1_199 * MS);
        assert_eq!(encoder.rate_bps, 900e3);
        encoder.encode(800e3, 1_200 * MS);
        assert_eq!(encoder.rate_bps, 800e3);
    }

    /// The first of eight frames has 13.5 kB at 1 Mbit/s, and all eight have the rate.
    #[test]
    fn an_abrupt_change_begins_a_burst_that_has_the_rate() {
        let mut encoder = settled(500e3);
        let sizes: Vec<u64> = (0..8).map(|frame| encoder.encode(1e6, (2_000 + 33 * frame) * MS)).collect();
        assert_eq!(sizes[0], 13_500);
        assert!(sizes[1..].iter().all(|size| *size == sizes[1]));
        assert!((sizes.iter().sum::<u64>() as f64 / (8.0 * 1e6 / 240.0) - 1.0).abs() < 1e-3, "{sizes:?}");
        assert_ne!(encoder.encode(1e6, 3_000 * MS), sizes[1], "it is over");
        let first = settled(1e6).encode(600e3, 2_000 * MS);
        assert!(first < 6_000, "{first}: less than half is not abrupt");
    }

    #[test]
    fn draws_are_those_of_the_seed_and_intervals_those_of_no_rate() {
        let frames = |seed, rate_bps| -> Vec<(u64, u64)> {
            let mut encoder = encoder(seed);
            (0..100).map(|frame| (encoder.encode(rate_bps, frame * 33 * MS), encoder.interval_ns())).collect()
        };
        assert_eq!(frames(1, 1e6), frames(1, 1e6));
        assert_ne!(frames(1, 1e6), frames(2, 1e6));
        let intervals = |rate_bps| frames(1, rate_bps).into_iter().map(|(_, interval)| interval).collect::<Vec<u64>>();
        assert_eq!(intervals(1e6), intervals(200e3));
    }
}
