//! [`Medium`]: what a link's line does to packets beyond taking its time, in the order of Linux 6.1 `netem` (`netem_enqueue`,
//! `netem_dequeue`): some come twice, some damaged, and each after a delay of its own, alone or in lumps.
//!
//! Packets leave in the order in which they are due, those of one instant in the order in which they came. One event stands for
//! the first of them; where another becomes the first, the event of before is void.

use super::overtaking::Overtaking;
use super::packet::Packet;
use super::slots::Slots;
use super::spread::Spread;
use crate::engine::{Stream, stream};
use run::{Impairments, Reorder};
use units::{Span, Time};

/// Behind one link.
#[derive(Debug)]
pub struct Medium {
    duplicates: Chance,
    damages: Chance,
    /// Beyond what is drawn.
    delay: Span,
    lateness: Option<Lateness>,
    slots: Slots,
    packets: Overtaking,
    /// Damaged packets end here, where hosts look at checksums.
    checks: bool,
    damaged: u64,
}

/// What becomes of a packet that reaches a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is through.
    Through,
    /// It is under way. The hand-over to schedule, in place of the one before, where that changes.
    Waits(Option<Time>),
}

/// With a probability, of each packet anew.
#[derive(Debug)]
struct Chance {
    ppb: u32,
    stream: Stream,
}

/// How much later than others a packet comes.
#[derive(Debug)]
enum Lateness {
    /// So much where this happens.
    Late(Chance, Span),
    /// As it is drawn.
    Spread(Spread),
}

impl Chance {
    fn new(ppb: u32, seed: u64, name: &str) -> Self {
        Self { ppb, stream: stream(seed, name) }
    }

    fn happens(&mut self) -> bool {
        self.ppb > 0 && self.stream.happens(self.ppb)
    }
}

impl Medium {
    /// That behind a link; `scope` is the hop's part of the names of random streams.
    pub fn new(impairments: &Impairments, seed: u64, scope: &str) -> Self {
        let name = |what: &str| format!("{scope}{what}");
        let lateness = impairments.reorder.map(|reorder| match reorder {
            Reorder::Late { share_ppb, by_ns } => {
                Lateness::Late(Chance::new(share_ppb, seed, &name("late")), Span::from_nanos(by_ns))
            }
            Reorder::Spread { delay_ns, spread_ns, distribution, correlation_ppb } => {
                let stream = stream(seed, &name("spread"));
                Lateness::Spread(Spread::new(delay_ns, spread_ns, distribution, correlation_ppb, stream))
            }
        });
        Self {
            duplicates: Chance::new(impairments.duplicate_ppb, seed, &name("duplicates")),
            damages: Chance::new(impairments.corrupt_ppb, seed, &name("damages")),
            delay: Span::ZERO,
            lateness,
            slots: Slots::new(Span::from_nanos(impairments.aggregation_ns)),
            packets: Overtaking::default(),
            checks: false,
            damaged: 0,
        }
    }

    /// One that only looks at checksums, for hosts.
    pub fn checking() -> Self {
        Self { checks: true, ..Self::new(&Impairments::default(), 0, "") }
    }

    /// Damaged packets end here.
    pub const fn checks(&self) -> bool {
        self.checks
    }

    /// From now on packets take so much longer than the link's own delay. Those that are under way do not.
    pub const fn change_delay(&mut self, delay: Span) {
        self.delay = delay;
    }

    /// The next packet comes twice.
    pub fn duplicates(&mut self) -> bool {
        self.duplicates.happens()
    }

    /// The next packet comes damaged, or the first segment of a super-packet.
    pub fn damages(&mut self) -> bool {
        let damages = self.damages.happens();
        self.damaged += u64::from(damages);
        damages
    }

    /// Segments that it has damaged, an ACK being one.
    pub const fn damaged(&self) -> u64 {
        self.damaged
    }

    /// A packet begins its way, or is through: nothing delays it, and nothing before it is due.
    pub fn begin(&mut self, now: Time, packet: &Packet) -> Begun {
        let due = self.draw_due(now);
        if due == now && self.slots.are_none() && self.packets.first_due().is_none_or(|first| first > now) {
            return Begun::Through;
        }
        self.packets.push(due, packet);
        Begun::Waits(self.plan(now))
    }

    /// A packet begins its way. Gives the hand-over to schedule, in place of the one before.
    pub fn push(&mut self, now: Time, packet: &Packet) -> Option<Time> {
        let due = self.draw_due(now);
        self.packets.push(due, packet);
        self.plan(now)
    }

    fn draw_due(&mut self, now: Time) -> Time {
        let more = match &mut self.lateness {
            None => Span::ZERO,
            Some(Lateness::Late(chance, by)) => {
                if chance.happens() {
                    *by
                } else {
                    Span::ZERO
                }
            }
            Some(Lateness::Spread(spread)) => Span::from_nanos(spread.draw_ns()),
        };
        now + self.delay + more
    }

    /// Hands over what is due, to `out`, if `now` is the time for it (an event of before the last plan is void). Gives the next
    /// hand-over to schedule.
    pub fn hand_over(&mut self, now: Time, out: &mut Vec<Packet>) -> Option<Time> {
        if !self.slots.end(now) {
            return None;
        }
        while let Some(packet) = self.packets.pop(now) {
            out.push(packet);
        }
        self.plan(now)
    }

    /// Hands over the only packet that is due, as [`Self::hand_over`] would, for less. None: that is to be asked instead.
    #[inline]
    pub fn hand_over_alone(&mut self, now: Time, out: &mut Packet) -> Option<Option<Time>> {
        if !self.slots.is_end(now) {
            return None;
        }
        *out = self.packets.pop_alone(now)?;
        self.slots.end(now);
        Some(self.plan(now))
    }

    #[inline]
    fn plan(&mut self, now: Time) -> Option<Time> {
        self.slots.plan(self.packets.first_due()?, now)
    }

    /// Packets under way and waiting.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::Distribution;
    use units::low_bits;

    const US: u64 = 1_000;
    const COUNT: u64 = 40_000;

    /// When each of the packets that enter at these times, ns, is handed over, with its place among them.
    fn hand_overs(medium: &mut Medium, entries: impl IntoIterator<Item = u64>) -> Vec<(u64, u64)> {
        let mut entries = entries.into_iter().zip(0..).peekable();
        let (mut events, mut left, mut out): (Vec<Time>, _, _) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            events.sort_unstable();
            let event = events.first().copied();
            let entry = entries.next_if(|(ns, _)| event.is_none_or(|event| *ns <= event.as_nanos()));
            let planned = if let Some((ns, place)) = entry {
                match medium.begin(Time::from_nanos(ns), &Packet { seq: low_bits(place), ..Packet::default() }) {
                    Begun::Through => {
                        left.push((ns, place));
                        None
                    }
                    Begun::Waits(planned) => planned,
                }
            } else if let Some(now) = event {
                events.remove(0);
                let planned = medium.hand_over(now, &mut out);
                left.extend(out.drain(..).map(|packet| (now.as_nanos(), u64::from(packet.seq))));
                planned
            } else {
                return left;
            };
            events.extend(planned);
        }
    }

    fn of(reorder: Reorder) -> Medium {
        Medium::new(&Impairments { reorder: Some(reorder), ..Impairments::default() }, 7, "")
    }

    /// A share of so many is within five standard errors of a probability.
    fn assert_share(count: u64, of: u64, probability: f64, what: &str) {
        let (share, error) = (count as f64 / of as f64, (probability * (1.0 - probability) / of as f64).sqrt());
        assert!((share - probability).abs() <= 5.0 * error, "{what}: {share} instead of {probability} ± {error}");
    }

    #[test]
    fn what_is_on_time_goes_through_but_not_past_what_is_due() {
        let mut medium = of(Reorder::Late { share_ppb: 0, by_ns: US });
        let [begin, end] = [0, US].map(Time::from_nanos);
        let packet = Packet::default();
        assert_eq!(medium.begin(begin, &packet), Begun::Through);
        medium.change_delay(Span::from_nanos(US));
        assert_eq!(medium.begin(begin, &packet), Begun::Waits(Some(end)));
        medium.change_delay(Span::ZERO);
        assert_eq!(medium.begin(begin, &packet), Begun::Through, "it overtakes one that is due later");
        assert_eq!(medium.begin(end, &packet), Begun::Waits(None), "one that came before it is due now");
    }

    #[test]
    fn a_share_is_late_and_those_behind_overtake_it() {
        for (share_ppb, by_us) in [(10_000_000, 95), (200_000_000, 95), (500_000_000, 15), (500_000_000, 10)] {
            let mut medium = of(Reorder::Late { share_ppb, by_ns: by_us * US });
            let left = hand_overs(&mut medium, (0..COUNT).map(|place| 10 * US * place));
            let mut late = 0;
            for &(at, place) in &left {
                let delay = at - 10 * US * place;
                assert!(delay == 0 || delay == by_us * US, "{delay}");
                late += u64::from(delay > 0);
            }
            let share = f64::from(share_ppb) / 1e9;
            assert_share(late, COUNT, share, "late");
            // RFC 4737 section 3.3: reordered is what comes after a larger number. Those are the late ones that somebody punctual
            // overtakes, of the packets that leave less than `by` behind them.
            let mut next = 0;
            let reordered = left.iter().filter(|(_, place)| {
                let is_reordered = *place < next;
                next = next.max(place + 1);
                is_reordered
            });
            let behind = i32::try_from((by_us - 1) / 10).expect("few");
            assert_share(reordered.count() as u64, COUNT, share * (1.0 - share.powi(behind)), "reordered");
        }
    }

    /// Two packets d apart change places where the difference of their delays is more than d: for delays uniform within
    /// ± s with the probability (1 - d/2s)^2/2, for normal ones Q(d/(s sqrt 2)).
    #[test]
    fn packets_change_places_as_often_as_their_distribution_says() {
        let spread_us = 100;
        // Q of 0, 1/2, 1, 2, and so many times sqrt 2 of the deviation.
        let tails = [(0, 0.5), (70_711, 0.308_537_5), (141_421, 0.158_655_3), (282_843, 0.022_750_1)];
        let normal = tails.map(|(apart_ns, tail)| (Distribution::Normal, apart_ns, tail));
        let uniform = [0_u64, 50, 120, 190].map(|apart_us| {
            let rest = 1.0 - apart_us as f64 / 2.0 / spread_us as f64;
            (Distribution::Uniform, apart_us * US, rest * rest / 2.0)
        });
        for (distribution, apart_ns, probability) in normal.into_iter().chain(uniform) {
            let mut medium = of(Reorder::Spread {
                delay_ns: 1_000 * US,
                spread_ns: spread_us * US,
                distribution,
                correlation_ppb: 0,
            });
            let entries = (0..COUNT).flat_map(|pair| [10_000 * US * pair, 10_000 * US * pair + apart_ns]);
            let left = hand_overs(&mut medium, entries);
            let swapped = left.chunks(2).filter(|pair| pair[0].1 > pair[1].1).count() as u64;
            assert_share(swapped, COUNT, probability, &format!("{distribution:?}, {apart_ns} ns"));
        }
    }

    #[test]
    fn who_comes_after_a_shorter_delay_overtakes() {
        let mut medium = of(Reorder::Late { share_ppb: 0, by_ns: 0 });
        medium.change_delay(Span::from_millis(5));
        let at = |ms: u64| Time::from_nanos(ms * 1_000_000);
        assert_eq!(medium.push(at(0), &Packet::default()), Some(at(5)));
        assert_eq!(medium.push(at(1), &Packet { seq: 1, ..Packet::default() }), None);
        medium.change_delay(Span::from_millis(1));
        assert_eq!(medium.push(at(2), &Packet { seq: 2, ..Packet::default() }), Some(at(3)));
        let mut out = Vec::new();
        assert_eq!(medium.hand_over(at(3), &mut out), Some(at(5)));
        assert_eq!(medium.hand_over(at(4), &mut out), None, "void");
        assert_eq!(medium.hand_over(at(5), &mut out), Some(at(6)));
        assert_eq!(medium.hand_over(at(6), &mut out), None);
        assert_eq!(out.iter().map(|packet| packet.seq).collect::<Vec<_>>(), [2, 0, 1]);
    }

    /// Of the packets of one instant the first to come is the first to leave, whatever their number.
    #[test]
    fn packets_of_one_instant_stay_in_order() {
        let mut medium = of(Reorder::Late { share_ppb: 1_000_000_000, by_ns: 10 });
        let left = hand_overs(&mut medium, [3; 100]);
        assert_eq!(left, (0..100).map(|place| (13, place)).collect::<Vec<_>>());
    }

    #[test]
    fn lumps_come_once_a_period() {
        let reorder = Reorder::Spread {
            delay_ns: 300 * US,
            spread_ns: 200 * US,
            distribution: Distribution::Uniform,
            correlation_ppb: 0,
        };
        let impairments = Impairments { reorder: Some(reorder), aggregation_ns: 1_000 * US, ..Impairments::default() };
        let left = hand_overs(&mut Medium::new(&impairments, 7, ""), (0..COUNT).map(|place| 12 * US * place));
        assert_eq!(left.len() as u64, COUNT);
        let mut times: Vec<u64> = left.iter().map(|(at, _)| *at).collect();
        times.dedup();
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 1_000 * US), "dense traffic: {times:?}");
        assert!(left.windows(2).any(|pair| pair[0].1 > pair[1].1), "within a lump in the order in which they were due");
    }
}
