//! The states of BBR version 3 over a path, through the sender (draft-ietf-ccwg-bbr section 5.1.1).

use super::{Path, SENDER, SenderScript, SenderSetup, ms, us};
use units::Span;

/// Each state of the draft's figure is entered: STARTUP, DRAIN, the four of PROBE_BW, and PROBE_RTT after five seconds.
#[test]
fn each_state_is_entered_in_its_order() {
    let mut s = SenderScript::begin(SenderSetup { cc: "bbr3", ..SENDER });
    s.writes(1_000_000);
    // 2 segments/ms: 40 fill the path.
    let mut path = Path::new(us(500), ms(20));
    let mut phases: Vec<(&str, Span)> = Vec::new();
    let mut least_flight = u32::MAX;
    path.carry(&mut s, ms(6_500), |now, sender| {
        let phase = sender.phases()[usize::from(sender.gauges(0).phase)];
        if phases.last().map(|&(last, _)| last) != Some(phase) {
            phases.push((phase, now));
        }
        if phase == "probe_rtt" {
            least_flight = least_flight.min(sender.board.in_flight());
        }
    });
    let (names, since): (Vec<_>, Vec<_>) = phases.into_iter().unzip();
    assert_eq!(names[..2], ["startup", "drain"], "{since:?}");
    let dip = names.iter().position(|&name| name == "probe_rtt").unwrap();
    let cycle = ["probe_bw_down", "probe_bw_cruise", "probe_bw_refill", "probe_bw_up"];
    for pair in names[2..dip].windows(2) {
        let place = cycle.iter().position(|&name| name == pair[0]).unwrap();
        assert_eq!(pair[1], cycle[(place + 1) % cycle.len()], "{names:?}");
    }
    assert!(cycle.iter().all(|name| names[..dip].contains(name)), "{names:?}");
    assert_eq!(names[dip + 1], "probe_bw_cruise");
    // The handshake's 20 ms are met again by no segment: they are five seconds old at 5 s.
    assert!((ms(5_001)..ms(5_060)).contains(&since[dip]), "{since:?}");
    assert!((ms(200)..ms(300)).contains(&since[dip + 1].saturating_sub(since[dip])), "{since:?}");
    // Half of the path's 40 segments.
    assert!((19..=21).contains(&least_flight), "{least_flight}");
    let bandwidth = s.sender.gauges(0).bandwidth_bps as f64 / (1_448.0 * 8.0 * 2_000.0);
    assert!((0.98..1.03).contains(&bandwidth), "{bandwidth}");
    assert_eq!(s.sender.lost_total(), 0);
    s.take_sent();
}
