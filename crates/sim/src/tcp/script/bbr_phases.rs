//! BBR's phases over a path, through the sender (draft-cardwell-iccrg-bbr-congestion-control-00 section 3.4).

use super::{Path, SENDER, SenderScript, SenderSetup, ms, us};
use units::Span;

/// STARTUP until the pipe is full, DRAIN until the queue is gone, PROBE_BW, and PROBE_RTT when `min_rtt` is ten seconds
/// old (`bbr_update_model`).
#[test]
fn bbr_goes_through_its_phases_in_their_legal_order() {
    let mut s = SenderScript::begin(SenderSetup { cc: "bbr", ..SENDER });
    s.writes(1_000_000);
    // 2 segments/ms: 40 fill the path.
    let mut path = Path::new(us(500), ms(20));
    let mut phases: Vec<(&str, Span)> = Vec::new();
    let (mut before_dip, mut least_flight) = (0, u32::MAX);
    path.carry(&mut s, ms(12_000), |now, sender| {
        let phase = sender.phases()[usize::from(sender.gauges(0).phase)];
        if phases.last().map(|&(last, _)| last) != Some(phase) {
            phases.push((phase, now));
        }
        match phase {
            "probe_bw" if phases.len() == 3 => before_dip = sender.control.window.cwnd,
            "probe_rtt" => least_flight = least_flight.min(sender.board.in_flight()),
            _ => {}
        }
    });
    let (names, since): (Vec<_>, Vec<_>) = phases.into_iter().unzip();
    assert_eq!(names, ["startup", "drain", "probe_bw", "probe_rtt", "probe_bw"], "{since:?}");
    // Full after three doublings, noticed three rounds later, of which each is longer than the last by its queue.
    assert!((ms(120)..ms(400)).contains(&since[1]), "{since:?}");
    assert!(since[2] < since[1] + ms(150), "{since:?}");
    // The handshake's 20 ms are met again by no segment: they are ten seconds old at 10 s.
    assert!((ms(10_001)..ms(10_060)).contains(&since[3]), "{since:?}");
    let dip = since[4].saturating_sub(since[3]);
    assert!((ms(200)..ms(300)).contains(&dip), "{dip:?}");
    assert!(least_flight <= 4, "{least_flight}");
    let gauges = s.sender.gauges(0);
    let bandwidth = gauges.bandwidth_bps as f64 / (1_448.0 * 8.0 * 2_000.0);
    assert!((0.98..1.03).contains(&bandwidth), "{bandwidth}");
    assert!(s.sender.control.window.cwnd.abs_diff(before_dip) <= 8, "{} {before_dip}", s.sender.control.window.cwnd);
    assert_eq!(s.sender.lost_total(), 0);
    s.take_sent();
}
