//! Plans of several queues, and such paths built for real.

use super::built_tests::{socket, unavailable};
use super::pair::check;
use super::plan::{Discipline, Place, Plan, Router};
use super::tests::{POOR, disciplines_at, place_of, walk};
use super::*;
use crate::clock::monotonic_ns;
use crate::samples;
use run::{Buffer, Direction, Hop, LossAt, Route, ShaperAt, ShaperKind};
use std::collections::BTreeSet;

const MILLI: u64 = 1_000_000;

fn near(hop: usize) -> Place {
    Place::Down(hop, Router::Near)
}

fn far(hop: usize) -> Place {
    Place::Down(hop, Router::Far)
}

fn up_near(hop: usize) -> Place {
    Place::Up(hop, Router::Near)
}

fn up_far(hop: usize) -> Place {
    Place::Up(hop, Router::Far)
}

fn hop(name: &str, rate_bps: u64, delay_ns: u64) -> Hop {
    let plain = samples::run(1).path.hops(Direction::Down).remove(0);
    Hop { name: name.to_owned(), rate_bps, delay_ns, ..plain }
}

/// So many flows of 25 ms, all of it on the way back, over these hops.
fn run_over(flows: usize, hops: &[Hop], back: &[Hop]) -> Run {
    let mut run = samples::run(flows);
    (run.path.hops, run.path.back) = (hops.to_vec(), back.to_vec());
    run
}

fn sent(plan: &Plan, pair: usize) -> Vec<Place> {
    walk(plan, Place::Sender, plan.receiver(pair))
}

fn acknowledged(plan: &Plan, pair: usize) -> Vec<Place> {
    walk(plan, Place::Receiver, plan.sender(pair))
}

fn rate_at(plan: &Plan, hop: usize) -> (Place, u64) {
    let queue = plan.hops[hop].queue;
    let rate = plan.disciplines.iter().find_map(|(device, what)| match what {
        Discipline::Bucket { rate_bps, .. } if *device == queue => Some(*rate_bps),
        _ => None,
    });
    (place_of(plan, queue), rate.expect("a bucket"))
}

/// The kernel takes no route twice, and no device has two disciplines or a name that is too long.
fn assert_sound(plan: &Plan) {
    let routes: BTreeSet<(Place, String)> =
        plan.routes.iter().map(|route| (place_of(plan, route.device), route.to.text())).collect();
    assert_eq!(routes.len(), plan.routes.len());
    let queues: BTreeSet<usize> = plan.disciplines.iter().map(|(device, _)| *device).collect();
    assert_eq!(queues.len(), plan.disciplines.len());
    let names: BTreeSet<&str> = plan.devices.iter().map(|device| device.name.as_str()).collect();
    assert!(names.len() == plan.devices.len() && names.iter().all(|name| name.len() < libc::IFNAMSIZ), "{names:?}");
    let places: BTreeSet<Place> = plan.devices.iter().map(|device| device.place).collect();
    assert!(places.len() == plan.places.len() && plan.places.iter().all(|place| places.contains(place)));
}

#[test]
fn two_hops_in_series_are_two_queues_with_a_delay_between() {
    let mut run = run_over(1, &[hop("first", 80_000_000, 3 * MILLI), hop("second", 8_000_000, 9 * MILLI)], &[]);
    (run.flows[0].forward_delay_ns, run.flows[0].return_delay_ns) = (10 * MILLI, 15 * MILLI);
    assert_eq!(check(&run), Ok(()));
    let steps = describe_steps(&run, &[], Machine::Shared, Means::ALL, "x").expect("a plan");
    let lines: Vec<String> = steps.iter().map(|step| step.command.join(" ")).collect();
    let of = |word: &str| -> Vec<&str> {
        lines
            .iter()
            .filter(|line| line.contains(word))
            .map(|line| line.split_once("dumbbell-x-").expect("a host").1)
            .collect()
    };
    assert_eq!(
        of(" qdisc "),
        [
            "near1 qdisc replace dev near1-101 root handle 1: netem limit 1000000000 delay 15000000ns",
            "near1 qdisc replace dev near1-102 root handle 1: tbf rate 10000000bps burst 5000 limit 250000",
            "far1 qdisc replace dev far1-104 root handle 1: netem limit 1000000000 delay 3000000ns",
            "near2 qdisc replace dev near2-106 root handle 1: tbf rate 1000000bps burst 5000 limit 250000",
            "far2 qdisc replace dev far2-108 root handle 1: netem limit 1000000000 delay 7000000ns",
        ]
    );
    assert_eq!(
        of(" route add "),
        [
            "sender route add 10.128.0.1/32 dev sender100 proto static scope link src 10.0.0.1 initcwnd 10",
            "near1 route add 10.0.0.1/32 dev near1-101 proto static scope link",
            "near1 route add 10.128.0.0/9 dev near1-102 proto static scope link",
            "far1 route add 10.0.0.0/9 dev far1-103 proto static scope link",
            "far1 route add 10.128.0.0/9 dev far1-104 proto static scope link",
            "near2 route add 10.0.0.0/9 dev near2-105 proto static scope link",
            "near2 route add 10.128.0.0/9 dev near2-106 proto static scope link",
            "far2 route add 10.0.0.0/9 dev far2-107 proto static scope link",
            "far2 route add 10.128.0.1/32 dev far2-108 proto static scope link",
            "receiver route add 10.0.0.1/32 dev receiver109 proto static scope link src 10.128.0.1",
        ]
    );
    let plan = Plan::new(&run, 0);
    assert_sound(&plan);
    assert_eq!([rate_at(&plan, 0), rate_at(&plan, 1)], [(near(0), 80_000_000), (near(1), 8_000_000)]);
    let path = "sender - near1 - far1 - near2 - far2 - receiver, 1 lanes, mtu 1500";
    assert_eq!(facts::describe(&plan, &run)["path"], path);
}

/// What is listed is laid as what the path's own fields say.
#[test]
fn a_list_of_one_hop_is_the_path_of_always() {
    let plain = samples::run(3);
    let mut listed = plain.clone();
    listed.path.hops = plain.path.hops(Direction::Down);
    listed.path.hops[0].delay_ns = MILLI;
    assert_eq!(Plan::new(&listed, 0), Plan::new(&plain, 0));
}

#[test]
fn hops_without_delays_meet_at_one_router() {
    let run = run_over(2, &[hop("a", 8_000_000, 0), hop("b", 4_000_000, 0)], &[]);
    let plan = Plan::new(&run, 0);
    assert_sound(&plan);
    assert_eq!(plan.places, [Place::Sender, near(0), near(1), Place::Receiver]);
    assert_eq!([rate_at(&plan, 0), rate_at(&plan, 1)], [(near(0), 8_000_000), (near(1), 4_000_000)]);
}

#[test]
fn a_way_back_has_queues_and_losses_of_its_own() {
    let mut up = hop("up", 1_600_000, 0);
    (up.loss_ppb, up.buffer) = (1_000_000, Buffer::Packets(40));
    let mut run = run_over(2, &[], &[up.clone()]);
    run.path.loss_ppb = 2_000_000;
    run.flows[1].return_delay_ns = 50 * MILLI;
    for loss_at in [LossAt::Before, LossAt::After] {
        (run.path.loss_at, run.path.back[0].loss_at) = (loss_at, loss_at);
        let plan = Plan::new(&run, 0);
        assert_sound(&plan);
        assert_eq!([rate_at(&plan, 0), rate_at(&plan, 1)], [(near(0), 80_000_000), (up_near(0), 1_600_000)]);
        let row = |place: fn(usize, Router) -> Place| match loss_at {
            LossAt::Before => [place(0, Router::Gate), place(0, Router::Near)],
            LossAt::After => [place(0, Router::Near), place(0, Router::LossHop)],
        };
        for pair in 0..2 {
            let data: Vec<Place> =
                [Place::Sender].into_iter().chain(row(Place::Down)).chain([Place::Receiver]).collect();
            let acks: Vec<Place> =
                [Place::Receiver].into_iter().chain(row(Place::Up)).chain([up_far(0), Place::Sender]).collect();
            assert_eq!((sent(&plan, pair), acknowledged(&plan, pair)), (data, acks));
        }
        let losses: Vec<Place> = plan.hops.iter().map(|hop| place_of(&plan, hop.loss.expect("a loss"))).collect();
        let lossy = match loss_at {
            LossAt::Before => Router::Gate,
            LossAt::After => Router::LossHop,
        };
        assert_eq!(losses, [Place::Down(0, lossy), Place::Up(0, lossy)]);
        assert_eq!(
            disciplines_at(&plan, losses[1]),
            [Discipline::LossOfAll { loss_ppb: 1_000_000 }],
            "ACKs are lost too"
        );
        let of_data = Discipline::Loss { loss_ppb: 2_000_000 };
        assert!(disciplines_at(&plan, losses[0]).contains(&of_data), "no ACK goes this way");
        assert_eq!(disciplines_at(&plan, up_far(0)), [25, 50].map(|ms| Discipline::delay(ms * MILLI)));
        let steps = describe_steps(&run, &[], Machine::Shared, Means::ALL, "x").expect("a plan");
        let spared = "match u32 0x00060000 0x00ff0000 at 8 match u32 0x00020000 0x00020000 at 32 flowid 1:1";
        assert_eq!(steps.iter().filter(|step| step.command.join(" ").ends_with(spared)).count(), 1);
    }
}

#[test]
fn data_that_goes_up_takes_the_way_back_and_its_acks_the_path() {
    let mut run = run_over(2, &[], &[hop("up", 8_000_000, 0)]);
    run.flows[1].direction = Direction::Up;
    (run.flows[1].forward_delay_ns, run.flows[1].return_delay_ns) = (4 * MILLI, 6 * MILLI);
    (run.path.jitter_ns, run.host.qdisc) = (Some(50_000), run::Qdisc::Fq);
    (run.path.loss_ppb, run.path.loss_at) = (1_000, LossAt::Before);
    let plan = Plan::new(&run, 0);
    assert_sound(&plan);
    let gate = Place::Down(0, Router::Gate);
    assert_eq!(sent(&plan, 0), [Place::Sender, Place::Lane, gate, near(0), far(0), Place::Receiver]);
    assert_eq!(acknowledged(&plan, 0), [Place::Receiver, up_near(0), up_far(0), Place::Sender]);
    assert_eq!(sent(&plan, 1), [Place::Sender, Place::Lane, up_near(0), up_far(0), Place::Receiver]);
    assert_eq!(acknowledged(&plan, 1), [Place::Receiver, gate, near(0), far(0), Place::Sender]);
    // Queues and noise are those of hosts that send, wherever they stand.
    let noise = Discipline::Jitter { jitter_ns: 50_000 };
    assert_eq!(disciplines_at(&plan, Place::Lane), [noise; 2]);
    assert_eq!(disciplines_at(&plan, Place::Sender), [Discipline::Fair; 2]);
    assert_eq!(disciplines_at(&plan, gate), [Discipline::LossOfAll { loss_ppb: 1_000 }], "ACKs go this way");
    let delays = |place| -> Vec<Discipline> { disciplines_at(&plan, place) };
    assert_eq!(delays(far(0)), [Discipline::delay(6 * MILLI)], "data that goes down has none");
    assert_eq!(delays(up_far(0)), [25, 4].map(|ms| Discipline::delay(ms * MILLI)));
    let path = "sender - lane - gate1 - near1 - far1 - receiver, back upnear1 - upfar1, 2 lanes, mtu 1500";
    assert_eq!(facts::describe(&plan, &run)["path"], path);
}

/// Three hops in a row; the first flow passes all of them, each of the others one.
fn parking_lot(back: &[Hop]) -> Run {
    let mut run = run_over(4, &[1, 2, 3].map(|ms| hop(&format!("hop{ms}"), 8_000_000, ms * MILLI)), back);
    run.path.bottleneck = 1;
    for place in 0..3 {
        run.flows[place + 1].route = Route { data: Some((place, place)), acks: None };
        run.flows[place + 1].forward_delay_ns = 2 * MILLI;
    }
    run.flows[0].forward_delay_ns = 5 * MILLI;
    run
}

#[test]
fn cross_traffic_passes_its_own_hop_and_no_other() {
    for back in [vec![], vec![hop("up", 8_000_000, 0)]] {
        let run = parking_lot(&back);
        assert_eq!(check(&run), Ok(()));
        for plan in [Plan::new(&run, 0), Plan::new(&run, 0).relayed(POOR)] {
            assert_sound(&plan);
            let rows = [(0, vec![near(0), far(0), near(1), far(1), near(2), far(2)])];
            let ways = rows.into_iter().chain((0..3).map(|place| (place + 1, vec![near(place), far(place)])));
            for (flow, row) in ways {
                let mut way = vec![Place::Sender];
                way.extend(&row);
                way.push(Place::Receiver);
                let pair = plan.pair_of_flow[flow];
                assert_eq!(sent(&plan, pair), way, "{flow}");
                way.reverse();
                let own = [Place::Receiver, up_near(0), up_far(0), Place::Sender];
                assert_eq!(acknowledged(&plan, pair), if back.is_empty() { way } else { own.to_vec() }, "{flow}");
            }
            assert_eq!([0, 1, 2].map(|place| rate_at(&plan, place).0), [near(0), near(1), near(2)]);
        }
        let plan = Plan::new(&run, 0);
        let delay = |ms| Discipline::delay(ms * MILLI);
        // What goes on has the hop's delay, what leaves its flow's own: of 5 ms two hops leave over 2.
        assert_eq!(disciplines_at(&plan, far(0)), [delay(1), delay(2)]);
        assert_eq!(disciplines_at(&plan, far(1)), [delay(2), delay(2)]);
        assert_eq!(disciplines_at(&plan, far(2)), [delay(2)]);
        assert_eq!(plan.pair_of_flow, [0, 1, 2, 3], "flows of other routes share no hosts");
    }
}

#[test]
fn who_leaves_before_the_last_queue_does_not_take_its_line() {
    let mut run = run_over(2, &[hop("a", 8_000_000, 0), hop("b", 8_000_000, 0)], &[]);
    run.flows[1].route = Route { data: Some((0, 0)), acks: None };
    let plan = Plan::new(&run, 0);
    assert_sound(&plan);
    assert_eq!(sent(&plan, 1), [Place::Sender, near(0), near(1), Place::Receiver]);
    assert_eq!(disciplines_at(&plan, near(1)).len(), 1, "one line of near2 has the queue, the other nothing");
    let line = plan
        .routes
        .iter()
        .find(|route| route.to.address == plan.receiver(1) && place_of(&plan, route.device) == near(1));
    assert!(line.is_some_and(|line| line.device != plan.hops[1].queue));
}

#[test]
fn a_hop_that_nobody_passes_is_there_all_the_same() {
    let mut run = run_over(1, &[hop("a", 8_000_000, 0), hop("b", 4_000_000, 0)], &[]);
    run.flows[0].route = Route { data: Some((0, 0)), acks: None };
    let plan = Plan::new(&run, 0);
    assert_eq!(rate_at(&plan, 1), (near(1), 4_000_000));
    assert_eq!(sent(&plan, 0), [Place::Sender, near(0), near(1), Place::Receiver]);
}

#[test]
fn with_offloads_each_hop_counts_what_is_offered() {
    let mut run = run_over(1, &[hop("a", 8_000_000, 0), hop("b", 4_000_000, 0)], &[hop("up", 8_000_000, 0)]);
    run.path.offload = true;
    let plan = Plan::new(&run, 0);
    assert_sound(&plan);
    let gates: Vec<Place> = plan.hops.iter().map(|hop| place_of(&plan, hop.arrivals.expect("a gate"))).collect();
    assert_eq!(gates, [Place::Down(0, Router::Gate), Place::Down(1, Router::Gate), Place::Up(0, Router::Gate)]);
}

#[test]
fn names_of_devices_on_long_paths_fit() {
    let hops: Vec<Hop> = (0..20)
        .map(|place| Hop { loss_ppb: 1, loss_at: LossAt::After, ..hop(&format!("hop{place}"), 8_000_000, 0) })
        .collect();
    let mut run = run_over(600, &hops, &hops);
    run.flows.iter_mut().zip(0..).for_each(|(flow, ns)| flow.return_delay_ns += ns);
    assert_sound(&Plan::new(&run, 0));
}

#[test]
fn what_no_plan_can_do_is_refused_by_name() {
    type Change = fn(&mut Run);
    let cases: [(Change, &str); 4] = [
        (
            |run| run.flows[0].direction = Direction::Up,
            "flows[0] (reno-0): its data goes up, and path.back has no hops",
        ),
        (
            |run| run.flows[0].forward_delay_ns = 0,
            "flows[0] (reno-0): the delays of its hops add up to more than its own",
        ),
        (|run| run.flows[0].route.data = Some((1, 2)), "flows[0] (reno-0): it passes hops that the path does not have"),
        (
            |run| run.path.shaper_at = ShaperAt::Receiver,
            "path.shaper_at: the receivers' ingress is a place for the only queue",
        ),
    ];
    for (change, refusal) in cases {
        let mut run = run_over(1, &[hop("a", 8_000_000, MILLI), hop("b", 8_000_000, MILLI)], &[]);
        run.flows[0].forward_delay_ns = MILLI;
        assert_eq!(check(&run), Ok(()));
        change(&mut run);
        let error = describe_steps(&run, &[], Machine::Shared, Means::ALL, "x").expect_err(refusal).to_string();
        assert!(error.starts_with(refusal), "{error}");
    }
}

/// Data of a flow that goes down and of one that goes up, on a path of two hops with a way back of one; and cross traffic
/// on the second hop.
#[test]
fn packets_pass_the_hops_of_their_flows_and_are_counted_there() {
    let mut slow = hop("b", 20_000_000, 0);
    (slow.shaper, slow.buffer) = (ShaperKind::Htb, Buffer::Packets(500));
    let mut run = run_over(3, &[hop("a", 40_000_000, 3 * MILLI), slow], &[hop("up", 10_000_000, 0)]);
    run.flows.iter_mut().for_each(|flow| (flow.forward_delay_ns, flow.return_delay_ns) = (4 * MILLI, 2 * MILLI));
    run.flows[1].direction = Direction::Up;
    run.flows[1].return_delay_ns = 4 * MILLI;
    run.flows[2].route = Route { data: Some((1, 1)), acks: None };
    let mut network = match Means::find().and_then(|means| Network::build(&run, &[], 0, Machine::Shared, means)) {
        Ok(network) => network,
        Err(error) if unavailable(&error) => return,
        Err(error) => panic!("{error}"),
    };
    let packets = |network: &mut Network| -> Vec<u64> {
        network.counters().expect("counters").iter().map(|queue| queue.sent_packets).collect()
    };
    assert_eq!(packets(&mut network), [0; 3]);
    let mut before = vec![0; 3];
    for (flow, there, back) in [(0, [1, 1, 0], [0, 0, 1]), (1, [0, 0, 1], [1, 1, 0]), (2, [0, 1, 0], [0, 0, 1])] {
        let (sender, receiver) = (socket(network.sender(flow)), socket(network.receiver(flow)));
        for (from, to, passed, delay_ns) in [
            (&sender, &receiver, there, run.flows[flow].forward_delay_ns),
            (&receiver, &sender, back, run.flows[flow].return_delay_ns),
        ] {
            let begun_ns = monotonic_ns().expect("a clock");
            from.send_to(&[0; 72], to.local_addr().expect("address")).expect("sent");
            assert_eq!(to.recv(&mut [0; 100]).expect("received"), 72);
            let taken_ns = monotonic_ns().expect("a clock") - begun_ns;
            assert!(taken_ns >= delay_ns, "{flow}: {taken_ns}");
            let after = packets(&mut network);
            let counted: Vec<u64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
            assert_eq!(counted, passed, "{flow}");
            before = after;
        }
    }
    // 40 frames of 1,514 bytes at 2 Mbit/s take 242 ms, less what the bucket holds; at 20 Mbit/s they would take a tenth.
    network.change(Direction::Down, 1, &run::Change::of_rate(0, 2_000_000)).expect("a change of rate");
    let (sender, receiver) = (socket(network.sender(2)), socket(network.receiver(2)));
    let begun_ns = monotonic_ns().expect("a clock");
    for _ in 0..40 {
        sender.send_to(&[0; 1_472], receiver.local_addr().expect("address")).expect("sent");
    }
    (0..40).for_each(|_| assert_eq!(receiver.recv(&mut [0; 2_000]).expect("received"), 1_472));
    let taken_ns = monotonic_ns().expect("a clock") - begun_ns;
    assert!(taken_ns >= 200 * MILLI, "{taken_ns}");
    let counters = network.counters().expect("counters");
    assert_eq!(counters[1].sent_packets, before[1] + 40);
}
