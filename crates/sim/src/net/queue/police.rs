//! A policer: what exceeds a token bucket is dropped, or marked, and what does not goes on at once.
//!
//! As Linux's `act_police` (6.1 `tcf_police_act`): a frame passes if all of its tokens are there, of the peak's bucket too where
//! there is one, and only then takes them; a super-packet is judged as one frame.

use super::frames::{Frames, Queued};
use super::staged::{Management, Stage, mark};
use super::{Fate, Verdict};
use crate::net::packet::Packet;
use crate::net::shaper::Shaper;
use run::{Hop, ShaperKind};
use units::{Bytes, Rate, Time};

/// Its buckets, and what passes at this instant.
#[derive(Debug)]
pub struct Policer {
    rate: Shaper,
    peak: Option<Shaper>,
    marks: bool,
    passing: Frames,
}

impl Policer {
    /// Full buckets, the peak's of one frame.
    pub fn new(hop: &Hop, frame: Bytes) -> Self {
        let bucket = |rate_bps, burst| Shaper::new(ShaperKind::Police, Rate::from_bps(rate_bps), burst, frame);
        Self {
            rate: bucket(hop.rate_bps, Bytes::new(hop.burst_bytes)),
            peak: hop.police.peak_bps.map(|peak_bps| bucket(peak_bps, frame)),
            marks: hop.police.marks,
            passing: Frames::default(),
        }
    }

    fn buckets(&mut self) -> impl Iterator<Item = &mut Shaper> {
        std::iter::once(&mut self.rate).chain(&mut self.peak)
    }
}

impl Management for Policer {
    const IS_TAKEN_TO_LOOK_AT: bool = false;

    fn enqueue(&mut self, packet: &mut Packet, now: Time, _: &Stage, fates: &mut Vec<Fate>) -> Verdict {
        let bytes = packet.frame_bytes;
        if self.buckets().all(|bucket| bucket.admits(bytes, now)) {
            self.buckets().for_each(|bucket| bucket.on_departure(bytes, now));
        } else if self.rate.is_out() || !(self.marks && mark(packet, fates)) {
            return Verdict::Dropped;
        }
        self.passing.push(packet, now);
        Verdict::Queued
    }

    fn dequeue(&mut self, _: Time, out: &mut Queued, _: &mut Vec<Fate>) -> bool {
        self.passing.pop(out)
    }

    fn waiting(&self) -> usize {
        self.passing.len()
    }

    fn first(&self) -> Option<&Queued> {
        self.passing.first()
    }

    fn set_limit(&mut self, _: u64) {}

    fn police(&mut self, rate: Rate, now: Time) -> bool {
        self.rate.change_rate(rate, None, now);
        true
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.passing.packets().for_each(see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::packet::{Ecn, Marks};
    use run::samples::one_flow;
    use run::{Direction, Police};

    /// A byte a microsecond, and 5,000 at once.
    fn policer(peak_bps: Option<u64>, marks: bool) -> Policer {
        let mut run = one_flow("reno", 8_000_000, 1, 1, 1);
        (run.path.shaper, run.path.burst_bytes, run.path.police) =
            (ShaperKind::Police, 5_000, Police { peak_bps, marks });
        Policer::new(&run.path.hops(Direction::Down)[0], Bytes::new(1_514))
    }

    /// Which of these frames pass, each of so many bytes at its microsecond.
    fn passes(policer: &mut Policer, ecn: Ecn, frames: &[(u32, u64)]) -> Vec<bool> {
        let pass = |(frame_bytes, at_us): &(u32, u64)| {
            let mut packet =
                Packet { frame_bytes: *frame_bytes, segments: 1, marks: Marks::new(false, ecn), ..Packet::default() };
            let now = Time::from_nanos(at_us * 1_000);
            policer.enqueue(&mut packet, now, &Stage::default(), &mut Vec::new()) == Verdict::Queued
        };
        frames.iter().map(pass).collect()
    }

    #[test]
    fn a_frame_passes_when_all_of_its_tokens_are_there() {
        let frames = [
            (5_001, 0),
            (3_000, 0),
            (2_001, 0),
            (2_000, 0),
            (1_000, 999),
            (1_000, 1_000),
            (5_000, 5_999),
            (5_000, 6_000),
        ];
        let expected = [false, true, false, true, false, true, false, true];
        assert_eq!(passes(&mut policer(None, false), Ecn::NotEct, &frames), expected);
    }

    #[test]
    fn a_peak_lets_no_frame_pass_that_is_larger_than_its_bucket() {
        // Two bytes a microsecond.
        let frames = [(1_515, 0), (1_514, 0), (1_514, 756), (1_514, 757), (100, 800), (100, 807)];
        let expected = [false, true, false, true, false, true];
        assert_eq!(passes(&mut policer(Some(16_000_000), false), Ecn::NotEct, &frames), expected);
    }

    #[test]
    fn what_is_marked_takes_no_tokens_and_in_an_outage_nothing_passes() {
        let mut policer = policer(None, true);
        assert_eq!(passes(&mut policer, Ecn::Ect0, &[(5_000, 0), (1_514, 0), (1_000, 1_000)]), [true; 3]);
        assert_eq!(passes(&mut policer, Ecn::NotEct, &[(1, 1_000), (500, 1_500)]), [false, true]);
        assert!(policer.police(Rate::from_bps(0), Time::from_nanos(2_000_000)));
        assert_eq!(passes(&mut policer, Ecn::Ect0, &[(100, 2_000), (100, 9_000)]), [false; 2]);
        policer.police(Rate::from_bps(8_000_000), Time::from_nanos(9_000_000));
        // The tokens of before, and none of the outage.
        assert_eq!(passes(&mut policer, Ecn::NotEct, &[(501, 9_000), (500, 9_000)]), [false, true]);
    }
}
