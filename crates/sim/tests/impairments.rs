//! Impairments in runs, against closed forms. What they draw is tested where they are: `src/net/medium.rs`, `loss.rs`, `spread.rs`.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{one_flow, pings};
use run::{
    CapturePoint, Change, Direction, Distribution, FlowCounters, Frame, GilbertElliott, Hop, Impairments, LossAt,
    Measure, Measurement, Record, Reorder, Run, Seen,
};
use scenario::{MBIT, MS, MSS_BYTES, SECOND};
use scenario::{bdp_bytes, gained, goodput_bps, measure};

const RTT_NS: u64 = 40 * MS;
const PPB: f64 = 1e9;

/// So many pings, one every millisecond, over an idle path; each takes 8.48 µs on the line.
fn pinging(count: u64, impairments: Impairments) -> Run {
    let mut run = one_flow("reno", 100 * MBIT, RTT_NS, 1 << 20, 0);
    run.flows = vec![pings("ping", MS, RTT_NS)];
    run.duration_ns = (count - 1) * MS + 10 * SECOND;
    run.flows[0].stop_ns = Some(count * MS - MS / 2);
    (run.measure.window_end_ns, run.measure.sample_ns) = (run.duration_ns, SECOND);
    run.measure.record = Record::Acks;
    run.path.impairments = impairments;
    run
}

/// Of a measurement's pings, how many were sent, and how many never answered.
fn counts(measurement: &Measurement) -> (u64, u64) {
    let pings = measurement.flows[0].datagrams.expect("a flow of pings");
    (pings.sent, pings.lost)
}

/// A share of so many is within five standard errors of a probability.
fn assert_share(count: u64, of: u64, probability: f64, what: &str) {
    let (share, error) = (count as f64 / of as f64, (probability * (1.0 - probability) / of as f64).sqrt());
    assert!((share - probability).abs() <= 5.0 * error, "{what}: {share} instead of {probability} ± {error}");
}

fn back(impairments: Impairments) -> Hop {
    let only = one_flow("reno", 1_000 * MBIT, RTT_NS, 1 << 24, 1).path.hops(Direction::Down).remove(0);
    Hop { name: "back".to_owned(), impairments, ..only }
}

/// Everything at once, there and back.
fn all() -> Impairments {
    Impairments {
        burst_loss: Some(GilbertElliott {
            to_bad_ppb: 2_000_000,
            to_good_ppb: 300_000_000,
            good_loss_ppb: 100_000,
            bad_loss_ppb: 700_000_000,
        }),
        duplicate_ppb: 20_000_000,
        corrupt_ppb: 3_000_000,
        reorder: Some(Reorder::Spread {
            delay_ns: 5 * MS,
            spread_ns: MS,
            distribution: Distribution::Normal,
            correlation_ppb: 250_000_000,
        }),
        aggregation_ns: MS / 2,
        thins_acks: true,
    }
}

fn impaired_both_ways() -> Run {
    let mut run = one_flow("cubic", 40 * MBIT, RTT_NS, bdp_bytes(40 * MBIT, RTT_NS), 5);
    run.path.impairments = all();
    run.path.back = vec![back(all())];
    let up = run::Flow { direction: Direction::Up, name: "up".to_owned(), ..run.flows[0].clone() };
    run.flows.extend([up, pings("ping", 10 * MS, RTT_NS)]);
    run
}

#[test]
fn a_run_with_all_impairments_gives_the_same_bytes_each_time() {
    let run = impaired_both_ways();
    let bytes = |run: &Run| serde_json::to_vec(&sim::measure(run).expect("valid")).expect("integers and names");
    let first = bytes(&run);
    assert!(first == bytes(&run));
    assert!(first != bytes(&Run { seed: 2, ..run.clone() }));
    let measurement = sim::measure(&run).expect("valid");
    assert!([0, 1].iter().all(|flow| goodput_bps(&measurement, *flow) > MBIT as f64), "both send");
}

/// What is lost in bursts is the same whatever else happens to packets, and so is what comes damaged: each draws on its own. Of
/// pings each one draws, whatever became of those before.
#[test]
fn an_impairment_does_not_change_what_another_one_draws() {
    let Impairments { burst_loss, corrupt_ppb, reorder, aggregation_ns, .. } = all();
    let lossy = Impairments { burst_loss, ..Impairments::default() };
    let damaging = Impairments { corrupt_ppb, ..Impairments::default() };
    let count = |impairments| measure(&pinging(20_000, impairments)).flows[0].at_end.random_lost_packets;
    assert!(count(damaging) > 30);
    assert_eq!(count(lossy), count(Impairments { reorder, aggregation_ns, duplicate_ppb: 500_000_000, ..lossy }));
    assert_eq!(count(damaging), count(Impairments { reorder, aggregation_ns, ..damaging }));
}

#[test]
fn pings_are_lost_as_often_as_the_channel_says() {
    let Impairments { burst_loss, .. } = all();
    let run = pinging(200_000, Impairments { burst_loss, ..Impairments::default() });
    let measurement = measure(&run);
    let (sent, lost) = counts(&measurement);
    assert_eq!((sent, lost), (200_000, measurement.bottleneck.at_end.random_lost_packets));
    let model = burst_loss.expect("a channel");
    let (p, r) = (f64::from(model.to_bad_ppb) / PPB, f64::from(model.to_good_ppb) / PPB);
    let (in_bad, memory) = (p / (p + r), 1.0 - p - r);
    // Of the difference of the losses, 0.7, comes what neighbours have in common.
    let variance = model.loss() + 2.0 * 0.7_f64.powi(2) * in_bad * memory / (1.0 - memory);
    let (share, error) = (lost as f64 / sent as f64, (variance / sent as f64).sqrt());
    assert!((share - model.loss()).abs() < 5.0 * error, "{share} instead of {} ± {error}", model.loss());
}

/// Round trips of pings: a share is late by so much, to the nanosecond, and a mean is that of the distribution.
#[test]
fn pings_take_the_delays_that_were_drawn() {
    let rtts = |reorder| {
        let measurement = measure(&pinging(20_000, Impairments { reorder: Some(reorder), ..Impairments::default() }));
        measurement.flows[0].acks.iter().map(|ack| ack.rtt_ns).collect::<Vec<_>>()
    };
    let base_ns = RTT_NS + 8_480;
    let late = rtts(Reorder::Late { share_ppb: 50_000_000, by_ns: 7 * MS });
    assert!(late.iter().all(|rtt| [base_ns, base_ns + 7 * MS].contains(rtt)));
    let count = late.iter().filter(|rtt| **rtt > base_ns).count() as u64;
    assert_share(count, late.len() as u64, 0.05, "late");
    for (distribution, deviation) in [(Distribution::Uniform, 3e6 / 3.0_f64.sqrt()), (Distribution::Normal, 3e6)] {
        let drawn = rtts(Reorder::Spread { delay_ns: 15 * MS, spread_ns: 3 * MS, distribution, correlation_ppb: 0 });
        let mean = drawn.iter().map(|rtt| (rtt - base_ns) as f64).sum::<f64>() / drawn.len() as f64;
        let error = deviation / (drawn.len() as f64).sqrt();
        assert!((mean - 15e6).abs() < 5.0 * error, "{distribution:?}: {mean} ± {error}");
    }
}

#[test]
fn a_change_of_the_delay_is_of_packets_that_come_then() {
    let mut run = pinging(1_000, Impairments::default());
    let delay = |at_ns, delay_ns| Change { delay_ns: Some(delay_ns), ..Change::at(at_ns) };
    run.path.changes = vec![delay(300 * MS - 1, 30 * MS), delay(600 * MS - 1, 5 * MS)];
    let base_ns = RTT_NS + 8_480;
    let measurement = measure(&run);
    let acks = &measurement.flows[0].acks;
    // Answers in the order in which they come: the first behind the second change overtake the last before it.
    let sent: Vec<(u64, u64)> = acks.iter().map(|ack| (ack.at_ns - ack.rtt_ns, ack.rtt_ns - base_ns)).collect();
    assert_eq!(sent.len(), 1_000);
    assert!(
        sent.iter().all(
            |(at, more)| *more == [0, 30 * MS, 5 * MS][usize::from(*at >= 300 * MS) + usize::from(*at >= 600 * MS)]
        )
    );
    assert!(!sent.is_sorted());
}

#[test]
fn lumps_at_the_last_link_are_those_of_the_receivers_nic() {
    let mut run = one_flow("cubic", 50 * MBIT, RTT_NS, bdp_bytes(50 * MBIT, RTT_NS), 5);
    for period_ns in [MS / 5, 3 * MS] {
        run.host.ack_aggregation_ns = period_ns;
        let by_nic = measure(&run);
        run.host.ack_aggregation_ns = 0;
        run.path.impairments.aggregation_ns = period_ns;
        assert!(by_nic == measure(&run), "{period_ns}");
        run.path.impairments = Impairments::default();
        assert!(by_nic != measure(&run), "{period_ns}");
    }
}

#[test]
fn acks_of_a_way_back_come_in_lumps_once_a_period() {
    let mut run = one_flow("cubic", 50 * MBIT, RTT_NS, bdp_bytes(50 * MBIT, RTT_NS), 5);
    run.path.back = vec![back(Impairments { aggregation_ns: 4 * MS, ..Impairments::default() })];
    run.measure.record = Record::Acks;
    let measurement = measure(&run);
    let mut at_ns: Vec<u64> = measurement.flows[0].acks.iter().map(|ack| ack.at_ns).collect();
    assert!(at_ns.len() > 3_000);
    at_ns.dedup();
    assert!(at_ns.windows(2).all(|pair| pair[1] - pair[0] >= 4 * MS), "{at_ns:?}");
    assert!(at_ns.len() > 1_000 && goodput_bps(&measurement, 0) > 40e6);
}

fn captured(run: &Run) -> (Measurement, Vec<Frame>) {
    let mut frames = Vec::new();
    let run = Run { measure: Measure { snap_bytes: Some(96), ..run.measure }, ..run.clone() };
    let measurement = sim::capture(&run, &mut |more| {
        frames.extend(more.filter_map(|seen| if let Seen::Passed(frame) = seen { Some(frame) } else { None }));
        true
    });
    (measurement.expect("valid"), frames)
}

fn count(frames: &[Frame], point: CapturePoint, which: impl Fn(&Frame) -> bool) -> usize {
    frames.iter().filter(|frame| frame.point == point && which(frame)).count()
}

/// The receiver's window limits the flow, so that nothing is lost, and each segment is answered twice, the second time with a
/// D-SACK (RFC 2883). That is no sign of loss: nothing is sent again.
#[test]
fn what_comes_twice_costs_nothing_but_acks() {
    for cc in ["reno", "cubic", "bbr"] {
        let mut run = one_flow(cc, 50 * MBIT, RTT_NS, 1 << 24, 5);
        run.host.receive_window_bytes = Some(200_000);
        run.host.sack_compression = false;
        let (once, _) = captured(&run);
        run.path.impairments.duplicate_ppb = 1_000_000_000;
        let (twice, frames) = captured(&run);
        let data = |frame: &Frame| !frame.to_sender && frame.payload_bytes > 0;
        let (passed, came) =
            (count(&frames, CapturePoint::Bottleneck, data), count(&frames, CapturePoint::Receivers, data));
        assert_eq!(came, 2 * passed, "{cc}");
        let is_dsack = |frame: &Frame| frame.to_sender && frame.block_count > 0 && frame.blocks[0][1] <= frame.ack;
        let dsacks = count(&frames, CapturePoint::Senders, is_dsack);
        assert!(dsacks > 9_000 && passed.abs_diff(dsacks) < 200, "{cc}: {dsacks} D-SACKs for {passed}");
        let FlowCounters { segments_retransmitted, segments_lost, timeouts, .. } = twice.flows[0].at_end;
        assert_eq!((segments_retransmitted, segments_lost, timeouts), (0, 0, 0), "{cc}");
        let ratio = goodput_bps(&twice, 0) / goodput_bps(&once, 0);
        assert!((ratio - 1.0).abs() < 0.01, "{cc}: {ratio}");
    }
}

/// What the first of two hops damages passes the second, and is seen at it; no receiver sees it.
#[test]
fn what_is_damaged_goes_on_to_its_receiver_and_ends_there() {
    let mut run = pinging(20_000, Impairments::default());
    let [mut first, second] =
        ["first", "second"].map(|name| Hop { name: name.to_owned(), ..back(Impairments::default()) });
    first.impairments.corrupt_ppb = 100_000_000;
    run.path.hops = vec![first, second];
    let measurement = sim::measure(&run).expect("valid");
    let (sent, lost) = counts(&measurement);
    let [first, second] = [0, 1].map(|hop: usize| measurement.hops[hop].queue.at_end);
    assert_eq!((first.random_lost_packets, second.random_lost_packets), (lost, 0));
    assert_eq!((first.sent_packets, second.sent_packets), (sent, sent));
    assert_share(lost, sent, 0.1, "damaged");
    assert_eq!(measurement.flows[0].at_end.random_lost_packets, lost);

    run.flows = one_flow("reno", MBIT, RTT_NS, 1, 1).flows;
    (run.path.bottleneck, run.duration_ns) = (1, 5 * SECOND);
    run.measure = one_flow("reno", MBIT, RTT_NS, 1, 5).measure;
    let (measurement, frames) = captured(&run);
    let to_receiver = |frame: &Frame| !frame.to_sender;
    let (passed, came) =
        (count(&frames, CapturePoint::Bottleneck, to_receiver), count(&frames, CapturePoint::Receivers, to_receiver));
    let damaged = measurement.hops[0].queue.at_end.random_lost_packets;
    assert_eq!((damaged > 20, passed as u64 - damaged), (true, came as u64));
}

/// Segments that Reno delivers in a round trip, the path being so fast that there is no queue.
fn reno_window(change: impl Fn(&mut Run)) -> f64 {
    let windows = (1..=4).map(|seed| {
        let mut run = one_flow("reno", 10_000 * MBIT, RTT_NS, 1 << 30, 110);
        (run.seed, run.measure.window_begin_ns) = (seed, 10 * SECOND);
        (run.measure.record, run.measure.sample_ns) = (Record::Summary, SECOND);
        change(&mut run);
        let measurement = measure(&run);
        assert!(gained(&measurement.flows[0], |counters| counters.segments_sent) > 50_000);
        goodput_bps(&measurement, 0) / 8.0 / MSS_BYTES as f64 * (RTT_NS as f64 * 1e-9)
    });
    windows.sum::<f64>() / 4.0
}

/// Mathis' law with independent losses: 1.3098/sqrt(p) segments (Ott, Kemperman and Mathis 1996), more by sqrt(1 + pW) as losses
/// of one window are one event (`tests/loss_response.rs`). About 300 losses a run and four runs: a standard error of 1.5 %; and
/// windows are integers, two to four segments below a theory of real numbers.
#[test]
fn renos_window_is_mathis_behind_damage_and_lost_acks() {
    const P: f64 = 1e-3;
    let theory = 1.3098 / P.sqrt();
    let theory = theory * (1.0 + P * theory).sqrt();
    let agrees = |what: &str, window: f64| {
        assert!(window < theory * 1.05 && window > theory * 0.95 - 4.0, "{what}: {window} instead of {theory}");
    };
    let ppb = (P * PPB) as u32;
    agrees("lost", reno_window(|run| (run.path.loss_ppb, run.path.loss_at) = (ppb, LossAt::After)));
    agrees("damaged", reno_window(|run| run.path.impairments.corrupt_ppb = ppb));
    agrees(
        "of a channel without memory",
        reno_window(|run| {
            let model = GilbertElliott {
                to_bad_ppb: ppb,
                to_good_ppb: 1_000_000_000 - ppb,
                good_loss_ppb: 0,
                bad_loss_ppb: 1_000_000_000,
            };
            run.path.impairments.burst_loss = Some(model);
        }),
    );
    // A later ACK stands for those that are lost.
    for share in [0.01, 0.1] {
        agrees(
            &format!("{share} of ACKs lost"),
            reno_window(|run| {
                run.path.loss_ppb = ppb;
                run.path.back = vec![Hop {
                    loss_ppb: (share * PPB) as u32,
                    rate_bps: 10_000 * MBIT,
                    ..back(Impairments::default())
                }];
            }),
        );
    }
}

/// Of a row of ACKs that wait for a narrow way back only two wait at a time, so that it does not limit data: 100 kbit/s carry
/// 189 ACKs/s, which acknowledge as many segments as there are.
#[test]
fn a_way_back_that_thins_acks_does_not_limit_data() {
    let mut run = one_flow("cubic", 50 * MBIT, RTT_NS, bdp_bytes(50 * MBIT, RTT_NS), 20);
    run.measure.window_begin_ns = 5 * SECOND;
    run.host.sack_compression = true;
    let narrow = |thins_acks| Hop { rate_bps: 100_000, ..back(Impairments { thins_acks, ..Impairments::default() }) };
    run.path.back = vec![narrow(false)];
    let without = goodput_bps(&measure(&run), 0);
    run.path.back = vec![narrow(true)];
    let measurement = measure(&run);
    let with = goodput_bps(&measurement, 0);
    assert!(without < 6e6 && with > 30e6, "{with} instead of {without} bit/s");
    let queue = &measurement.hops[1].queue;
    assert_eq!(queue.at_end.dropped_packets, 0, "an ACK that another takes the place of is no loss");
    assert_eq!(queue.at_end.offered_packets, queue.at_end.sent_packets + queue.at_end.queued_packets);
    let flow = &measurement.flows[0].at_end;
    assert!(flow.acks < flow.segments_sent / 10, "{flow:?}");
}
