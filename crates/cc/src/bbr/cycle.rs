//! [`Cycle`]: the phases of `PROBE_BW` and their gains; when each is over, [`super::probe_bw`] decides.

use rand_core::RngCore;

use super::bandwidth::Gain;
use super::parameters::Parameters;

/// The phase that probes.
pub(super) const UP: u32 = 0;
/// The phase that drains.
pub(super) const DOWN: u32 = 1;

/// Where in the cycle, and since when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    pub(super) phase: u32,
    pub(super) start_us: u64,
}

impl Cycle {
    /// Begins in a random phase. Linux 6.1 bbr_reset_probe_bw_mode: as if advanced from one of the last
    /// `cycle_rand` phases.
    pub(super) fn begin(parameters: &Parameters, random: &mut impl RngCore, now_us: u64) -> Self {
        let draw = (u64::from(random.next_u32()) * u64::from(parameters.cycle_rand)) >> 32;
        let mut cycle = Self { phase: parameters.cycle_len - 1 - draw as u32, start_us: now_us };
        cycle.advance(parameters, now_us);
        cycle
    }

    /// To the next phase.
    pub(super) fn advance(&mut self, parameters: &Parameters, now_us: u64) {
        self.phase = if self.phase + 1 == parameters.cycle_len { UP } else { self.phase + 1 };
        self.start_us = now_us;
    }

    pub(super) fn is_up(&self) -> bool {
        self.phase == UP
    }

    pub(super) fn pacing_gain(&self, parameters: &Parameters) -> Gain {
        match self.phase {
            UP => parameters.probe_gain,
            DOWN => parameters.probe_down_gain,
            _ => Gain::UNIT,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn the_cycle_probes_drains_and_cruises_six_times() {
        let p = Parameters::from_defaults_and(&[]);
        let mut cycle = Cycle::default();
        let gains: Vec<_> = (0..9)
            .map(|us| {
                let gain = cycle.pacing_gain(&p).in_256ths();
                cycle.advance(&p, us);
                gain
            })
            .collect();
        assert_eq!(gains, [320, 192, 256, 256, 256, 256, 256, 256, 320]);
    }

    #[test]
    fn a_cycle_begins_anywhere_but_in_draining() {
        let p = Parameters::from_defaults_and(&[]);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut times = [0; 8];
        for _ in 0..7_000 {
            times[Cycle::begin(&p, &mut random, 0).phase as usize] += 1;
        }
        assert_eq!(times[DOWN as usize], 0);
        assert!(times.iter().enumerate().all(|(phase, &n)| phase == DOWN as usize || (850..1_150).contains(&n)));
    }

    #[test]
    fn length_and_gains_of_the_cycle_are_parameters() {
        let p = Parameters::from_defaults_and(&[
            ("cycle_len", 3.0),
            ("cycle_rand", 1.0),
            ("probe_gain", 1.5),
            ("probe_down_gain", 0.5),
        ]);
        let mut cycle = Cycle::begin(&p, &mut Xoshiro256PlusPlus::seed_from_u64(1), 0);
        let gains = [(); 4].map(|()| {
            let gain = cycle.pacing_gain(&p).in_256ths();
            cycle.advance(&p, 0);
            gain
        });
        assert_eq!(gains, [384, 128, 256, 384]);
    }
}
