//! Phases of a congestion control, from what the kernel tells of it.

/// Phases of BBR, with the simulator's names and in its order.
pub const BBR_PHASES: [&str; 4] = ["startup", "drain", "probe_bw", "probe_rtt"];

/// Phases of version 3 of BBR, in the order of `enum tcp_bbr_phase`, which numbers them from 1.
pub const BBR3_PHASES: [&str; 7] =
    ["startup", "drain", "probe_rtt", "probe_bw_up", "probe_bw_down", "probe_bw_cruise", "probe_bw_refill"];

/// Phases of a control that tells nothing of itself. Where the simulator's model has finer ones (the regions of CUBIC)
/// the kernel does not show them.
pub const LOSS_BASED_PHASES: [&str; 2] = ["slow_start", "avoidance"];

/// One in the kernel's gains (`BBR_UNIT` in net/ipv4/tcp_bbr.c).
const UNIT: u32 = 256;

/// `bbr_high_gain`, 2885/1000 + 1/256: pacing gain of STARTUP, and the cwnd gain until PROBE_BW.
const HIGH: u32 = UNIT * 2885 / 1000 + 1;

/// BBR's phase, an index into [`BBR_PHASES`], from its gains in 1/256 (`bbr_update_gains` in net/ipv4/tcp_bbr.c).
///
/// The cwnd gain decides: it is `bbr_high_gain` in STARTUP and in DRAIN, which differ in whether the pacing gain is
/// above or below one; one in PROBE_RTT, where the pacing gain is one too; and `bbr_cwnd_gain` in PROBE_BW, whatever a
/// variant makes of that and of the cycle's gains, also with the long-term bandwidth, whose pacing gain is one. Before
/// the handshake is done both are zero: that is counted as STARTUP. A variant whose PROBE_BW had a cwnd gain of
/// one would be taken for PROBE_RTT while it cruises.
pub const fn bbr_phase(pacing_gain_256ths: u32, cwnd_gain_256ths: u32) -> u8 {
    match (pacing_gain_256ths, cwnd_gain_256ths) {
        (0, 0) | (HIGH, HIGH) => 0,
        (pacing, HIGH) if pacing < UNIT => 1,
        (UNIT, UNIT) => 3,
        _ => 2,
    }
}

/// The phase of a later version of BBR, which tells it: an index into [`BBR3_PHASES`]. A number that is none of them is
/// counted as STARTUP.
pub const fn bbr3_phase(phase: u8) -> u8 {
    match phase {
        1..=7 => phase - 1,
        _ => 0,
    }
}

/// Phase of a loss-based control, an index into [`LOSS_BASED_PHASES`]: Linux's `tcp_in_slow_start`.
pub const fn loss_based_phase(cwnd_segments: u32, ssthresh_segments: u32) -> u8 {
    (cwnd_segments >= ssthresh_segments) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(pacing: u32, cwnd: u32) -> &'static str {
        BBR_PHASES[usize::from(bbr_phase(pacing, cwnd))]
    }

    #[test]
    fn gains_determine_the_phase() {
        assert_eq!(HIGH, 739);
        assert_eq!(name(0, 0), "startup");
        assert_eq!(name(739, 739), "startup");
        assert_eq!(name(88, 739), "drain");
        assert_eq!(name(256, 256), "probe_rtt");
    }

    #[test]
    fn probe_bw_is_known_whatever_its_gains() {
        // The cycle of 6.1; variants that probe with 1.1 and 1.5; cruising, and the long-term bandwidth, at 256.
        for pacing in [320, 192, 256, 281, 230, 384, 128] {
            // The cwnd gain of 6.1, and of variants.
            for cwnd in [512, 384, 768] {
                assert_eq!(name(pacing, cwnd), "probe_bw", "{pacing} {cwnd}");
            }
        }
        assert_eq!(name(320, 256), "probe_bw");
    }

    #[test]
    fn a_later_version_tells_its_phase() {
        let name = |phase: u8| BBR3_PHASES[usize::from(bbr3_phase(phase))];
        assert_eq!([1, 2, 3].map(name), ["startup", "drain", "probe_rtt"]);
        assert_eq!((name(7), name(0), name(8)), ("probe_bw_refill", "startup", "startup"));
    }

    #[test]
    fn slow_start_ends_at_the_threshold() {
        assert_eq!(LOSS_BASED_PHASES[usize::from(loss_based_phase(10, u32::MAX))], "slow_start");
        assert_eq!(LOSS_BASED_PHASES[usize::from(loss_based_phase(10, 10))], "avoidance");
    }
}
