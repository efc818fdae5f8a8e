//! Plans: which namespaces, links and disciplines a run needs.

use super::plan::{AddressPair, Device, Discipline, Place, Plan, Prefix};
use super::*;
use crate::samples;
use run::{
    Access, AccessKind, Buffer, Change, Codel, Ecn, GilbertElliott, Impairments, LossAt, Police, Qdisc,
    QueueDiscipline, Reorder, ShaperAt, ShaperKind, Trace,
};

pub fn place_of(plan: &Plan, device: usize) -> Place {
    plan.devices[device].place
}

pub fn disciplines_at(plan: &Plan, place: Place) -> Vec<Discipline> {
    plan.disciplines.iter().filter(|(device, _)| place_of(plan, *device) == place).map(|(_, what)| *what).collect()
}

/// Follows the routes, as the kernel would.
pub fn walk(plan: &Plan, from: Place, to: Ipv4Addr) -> Vec<Place> {
    let mut places = vec![from];
    while let Some(&here) = places.last() {
        if plan.addresses.iter().any(|(device, address)| place_of(plan, *device) == here && *address == to) {
            return places;
        }
        let leads = |route: &&plan::Route| {
            let bits = 32 - u32::from(route.to.length);
            let same = (route.to.address.to_bits() ^ to.to_bits()).checked_shr(bits).unwrap_or(0) == 0;
            place_of(plan, route.device) == here && same
        };
        let route = plan.routes.iter().filter(leads).max_by_key(|route| route.to.length).expect("a route");
        places.push(place_of(plan, route.device ^ 1));
        assert!(places.len() < 10, "a loop: {places:?}");
    }
    places
}

#[test]
fn a_plain_path_has_one_router() {
    let plan = Plan::new(&samples::run(4), 0);
    assert_eq!(plan.places, [Place::Sender, Place::Near, Place::Receiver]);
    assert_eq!((plan.pairs.len(), plan.devices.len()), (1, 4));
    assert_eq!(plan.pair_of_flow, [0; 4]);
    assert_eq!(place_of(&plan, plan.hops[0].queue), Place::Near);
    assert_eq!(disciplines_at(&plan, Place::Near).len(), 2);
    assert_eq!((plan.hops[0].loss, plan.hops[0].arrivals), (None, None));
}

#[test]
fn a_shaper_at_the_receivers_takes_what_comes_in_by_each_of_their_devices() {
    let mut run = samples::run(3);
    run.path.jitter_ns = Some(50_000);
    (run.path.shaper, run.path.shaper_at) = (ShaperKind::Htb, ShaperAt::Receiver);
    let plan = Plan::of(&run, 0, &[], POOR);
    let ifb = &plan.devices[plan.hops[0].queue];
    assert_eq!(
        (plan.ifb, plan.hops[0].queue, ifb.place),
        (Some(plan.devices.len() - 1), plan.devices.len() - 1, Place::Receiver)
    );
    let ways_in = plan.links().filter(|first| place_of(&plan, first + 1) == Place::Receiver).count();
    let led = |what: &&Discipline| **what == Discipline::Redirect { to: ifb.index };
    assert_eq!(disciplines_at(&plan, Place::Receiver).iter().filter(led).count(), ways_in);
    let is_bucket = |what: &Discipline| matches!(what, Discipline::Bucket { kind: ShaperKind::Htb, .. });
    assert!(is_bucket(disciplines_at(&plan, Place::Receiver).last().expect("a bucket")));
    assert!(!disciplines_at(&plan, Place::Near).iter().any(is_bucket));
    assert_eq!(plan.links().count() * 2 + 1, plan.devices.len());
}

/// A kernel that cannot delay, spread or lose packets.
pub const POOR: Means = Means { netem: false, loss: false, ..Means::ALL };

#[test]
fn what_the_kernel_lacks_a_relay_does_on_the_same_way() {
    let mut run = samples::run(2);
    (run.path.loss_ppb, run.path.jitter_ns) = (1_000_000, Some(50_000));
    run.flows[1].forward_delay_ns = 5_000_000;
    for loss_at in [LossAt::Before, LossAt::After] {
        run.path.loss_at = loss_at;
        let (full, poor) = (Plan::new(&run, 0), Plan::new(&run, 0).relayed(POOR));
        for pair in 0..2 {
            let there = |plan: &Plan| walk(plan, Place::Sender, plan.receiver(pair));
            let back = |plan: &Plan| walk(plan, Place::Receiver, plan.sender(pair));
            assert_eq!((there(&poor), back(&poor)), (there(&full), back(&full)));
        }
        let treatments = |plan: &Plan| -> Vec<Discipline> {
            let lacking = plan.disciplines.iter().filter(|(_, discipline)| !discipline.is_within(POOR));
            lacking.map(|(_, discipline)| *discipline).collect()
        };
        assert_eq!(poor.relays.iter().map(|(_, treatment)| *treatment).collect::<Vec<_>>(), treatments(&full));
        assert_eq!((poor.relays.len(), treatments(&poor).len()), (6, 0));
        assert!(
            poor.hops[0]
                .loss
                .is_some_and(|device| poor.relay_of(device) == Some(Discipline::Loss { loss_ppb: 1_000_000 }))
        );
        let windows = poor.routes.iter().filter(|route| route.initial_window_segments.is_some());
        assert!(windows.clone().count() == 2 && windows.clone().all(|route| poor.relay_of(route.device).is_some()));
        assert_eq!(poor.hops[0].queue, full.hops[0].queue);
    }
}

#[test]
fn a_kernel_with_all_means_needs_no_relay() {
    let mut run = samples::run(2);
    (run.path.loss_ppb, run.path.jitter_ns) = (1_000_000, Some(50_000));
    assert_eq!(Plan::new(&run, 0).relayed(Means::ALL), Plan::new(&run, 0));
}

#[test]
fn programs_share_their_addresses_with_nobody_and_have_their_control_from_the_route() {
    let mut run = samples::run(4);
    for flow in [0, 2] {
        run.flows[flow].workload =
            run::Workload::Command { command: vec!["true".to_owned()], server: vec![], user: run::User::Caller };
    }
    let controls = ["bbr", "cubic", "reno", "cubic"].map(str::to_owned);
    let plan = Plan::new(&run, 0).controlled(&run, &controls).relayed(POOR);
    assert_eq!(plan.pair_of_flow, [0, 1, 2, 1]);
    let steps = describe_steps(&run, &controls, Machine::Shared, POOR, "ab12").expect("a plan");
    let last: Vec<String> = steps.iter().rev().take(2).map(|step| step.command.join(" ")).collect();
    assert_eq!(last, ["ip netns exec dumbbell-ab12-sender true"; 2]);
    let lines: Vec<String> = steps.iter().map(|step| step.command.join(" ")).collect();
    assert!(lines.iter().any(|line| line.ends_with("src 10.0.0.1 initcwnd 10 congctl lock bbr")), "{lines:#?}");
    let at_sender = plan.routes.iter().filter(|route| place_of(&plan, route.device) == Place::Sender);
    let controls: Vec<Option<&str>> = at_sender.map(|route| route.control.as_deref()).collect();
    assert_eq!(controls, [Some("bbr"), None, Some("reno")]);
}

#[test]
fn a_flow_offers_ecn_by_the_route_to_a_receiver_of_its_own() {
    let mut run = samples::run(4);
    (run.flows[1].ecn, run.flows[3].ecn) = (Ecn::Classic, Ecn::Classic);
    let plan = Plan::new(&run, 0);
    assert_eq!(plan.pair_of_flow, [0, 1, 0, 1]);
    let offering: Vec<Prefix> = plan.routes.iter().filter(|route| route.offers_ecn).map(|route| route.to).collect();
    assert_eq!(offering, [plan::host(plan.receiver(1))]);
    let steps = describe_steps(&run, &[], Machine::Shared, Means::ALL, "ab12").expect("a plan");
    let lines: Vec<String> = steps.iter().map(|step| step.command.join(" ")).collect();
    let ends: Vec<&String> = lines.iter().filter(|line| line.contains("features")).collect();
    assert!(ends.len() == 1 && ends[0].ends_with("src 10.0.0.2 initcwnd 10 features ecn"), "{ends:?}");
    let accepts = lines.iter().filter(|line| line.ends_with("sysctl -w net.ipv4.tcp_ecn=2")).count();
    assert_eq!(accepts, 2, "each end, whatever the kernel's default");
    run.flows[2].ecn = Ecn::Accurate;
    let plan = Plan::new(&run, 0);
    assert_eq!(plan.pair_of_flow, [0, 1, 2, 1]);
    assert_eq!(plan.routes.iter().filter(|route| route.offers_ecn).count(), 1, "no route offers that");
    assert_eq!(sysctl::ecn_settings(&run).map(|(_, value)| value), ["5", "3"]);
    let hosts = [(Ipv4Addr::new(192, 0, 2, 1), Ipv4Addr::new(192, 0, 2, 9)); 4];
    assert!(
        !Plan::between(&run, 0, Some(&hosts)).routes.iter().any(|route| route.offers_ecn),
        "theirs are no hosts of ours"
    );
}

#[test]
fn a_program_of_dctcp_has_it_at_both_ends() {
    let mut run = samples::run(2);
    for flow in &mut run.flows {
        flow.workload =
            run::Workload::Command { command: vec!["true".to_owned()], server: vec![], user: run::User::Caller };
    }
    let plan = Plan::new(&run, 0).controlled(&run, &["dctcp", "cubic"].map(str::to_owned));
    let of = |place: Place| -> Vec<Option<&str>> {
        let there = plan.routes.iter().filter(|route| place_of(&plan, route.device) == place);
        there.map(|route| route.control.as_deref()).collect()
    };
    assert_eq!(of(Place::Sender), [Some("dctcp"), Some("cubic")]);
    assert_eq!(of(Place::Receiver), [Some("dctcp"), None]);
}

#[test]
fn every_step_is_described_as_a_command() {
    let mut run = samples::run(1);
    (run.path.loss_ppb, run.path.buffer) = (1_000_000, Buffer::Packets(40));
    for (means, relays) in [(Means::ALL, 0), (POOR, 2)] {
        let steps = describe_steps(&run, &[], Machine::Shared, means, "ab12").expect("a plan");
        assert!(steps.iter().all(|step| step.command.len() > 3 && !step.what.is_empty()), "{steps:?}");
        let lines: Vec<String> = steps.iter().map(|step| step.command.join(" ")).collect();
        let has = |line: &str| lines.iter().filter(|known| known.ends_with(line)).count();
        assert_eq!(has("tbf rate 10000000bps burst 5000 limit 40"), 1, "{lines:#?}");
        assert_eq!((has("parent 1:1 handle 2: pfifo limit 40"), has("netns add dumbbell-ab12-near")), (1, 1));
        assert_eq!(lines.iter().filter(|line| line.starts_with("dumbbell-agent relay ")).count(), relays);
        assert_eq!(has("netem limit 1000000000 loss 0.1%"), usize::from(relays == 0));
        assert!(lines.iter().all(|line| !line.contains("tcp_mem=")), "others use this kernel");
    }
    run.path.overhead_bytes = 38;
    for (kind, bucket) in
        [(ShaperKind::Tbf, "tbf rate 10000000bps burst 5000 limit 40"), (ShaperKind::Htb, "htb default 1")]
    {
        run.path.shaper = kind;
        let steps = describe_steps(&run, &[], Machine::Shared, Means::ALL, "ab12").expect("a plan");
        let ends = format!("root handle 1: stab overhead 24 {bucket}");
        assert_eq!(steps.iter().filter(|step| step.command.join(" ").ends_with(&ends)).count(), 1, "{ends}");
    }
}

#[test]
fn a_managed_queue_is_below_the_shaper_of_its_hop_and_of_no_access_line() {
    let mut run = samples::run(1);
    run.path.buffer = Buffer::Packets(1_000);
    let (target_ns, interval_ns) = (5_000_000, 100_000_000);
    run.path.qdisc = QueueDiscipline::Codel(Codel { target_ns, interval_ns, ecn: false, ce_threshold_ns: None });
    let line = Access { rate_bps: 800_000_000, buffer: Buffer::Bytes(1_000_000), kind: AccessKind::Router };
    run.flows[0].access = Some(line);
    for (kind, shaper) in [(ShaperKind::Tbf, "tbf rate 10000000bps"), (ShaperKind::Htb, "htb rate 10000000bps")] {
        run.path.shaper = kind;
        let steps = describe_steps(&run, &[], Machine::Shared, Means::ALL, "ab12").expect("a plan");
        let lines: Vec<String> = steps.iter().map(|step| step.command.join(" ")).collect();
        let place = lines.iter().position(|line| line.contains(shaper)).expect("a shaper");
        let queue = "parent 1:1 handle 2: codel limit 1000 target 5000us interval 100000us noecn";
        assert!(lines[place + 1].ends_with(queue), "{}", lines[place + 1]);
        assert_eq!(lines.iter().filter(|line| line.contains("codel")).count(), 1, "{lines:#?}");
    }
    run.path.qdisc = QueueDiscipline::Cake;
    let facts = facts::describe(&Plan::new(&run, 0), &run);
    assert!(facts.values().any(|text| text.ends_with("burst 5000, cake unlimited")), "{facts:#?}");
}

/// The commands that end so.
fn commands(run: &Run, means: Means) -> Vec<String> {
    let steps = describe_steps(run, &[], Machine::Shared, means, "ab12").expect("a plan");
    steps.iter().map(|step| step.command.join(" ")).collect()
}

#[test]
fn a_line_that_does_something_to_packets_has_routers_behind_its_queue() {
    let channel = GilbertElliott {
        to_bad_ppb: 10_000_000,
        to_good_ppb: 250_000_000,
        good_loss_ppb: 1_000_000,
        bad_loss_ppb: 500_000_000,
    };
    let mut run = samples::run(1);
    let reorder = Some(Reorder::Late { share_ppb: 20_000_000, by_ns: 3_000_000 });
    run.path.impairments = Impairments {
        burst_loss: Some(channel),
        duplicate_ppb: 1_000_000,
        reorder,
        aggregation_ns: 4_000_000,
        ..Impairments::default()
    };
    run.path.changes = vec![Change { delay_ns: Some(5), ..Change::at(0) }];
    run.path.loss_at = LossAt::After;
    run.flows[0].forward_delay_ns = 1_000_000;
    let plan = Plan::new(&run, 0);
    let row = [Place::Near, Place::LossHop, Place::Wire, Place::Lag, Place::Far];
    let way: Vec<Place> = [Place::Sender].into_iter().chain(row).chain([Place::Receiver]).collect();
    assert_eq!(walk(&plan, Place::Sender, plan.receiver(0)), way);
    assert_eq!(plan.hops[0].loss.map(|device| place_of(&plan, device)), Some(Place::LossHop));
    assert_eq!(plan.hops[0].lag.map(|device| place_of(&plan, device)), Some(Place::Lag));
    let lines = commands(&run, Means::ALL);
    for end in [
        "handle 2: netem limit 1000000000 loss gemodel 1% 25% 50% 0.1%",
        "netem limit 1000000000 delay 3000000ns reorder 98% gap 1 duplicate 0.1%",
        "netem limit 1000000000 delay 0ns slot 4000000ns 4000000ns",
    ] {
        assert_eq!(lines.iter().filter(|line| line.ends_with(end)).count(), 1, "{end}: {lines:#?}");
    }
    let poor = Plan::new(&run, 0).relayed(POOR);
    assert_eq!(walk(&poor, Place::Sender, poor.receiver(0)), way);
    let hop = poor.hops[0];
    assert!([hop.loss, hop.lag].iter().flatten().all(|device| poor.relay_of(*device).is_some()));
    assert_eq!(commands(&run, POOR).iter().filter(|line| line.starts_with("dumbbell-agent relay ")).count(), 5);
}

#[test]
fn a_policer_stands_before_a_queue_that_is_never_full() {
    let mut run = samples::run(1);
    (run.path.shaper, run.path.overhead_bytes) = (ShaperKind::Police, 38);
    run.path.police = Police { peak_bps: Some(160_000_000), marks: false };
    let lines = commands(&run, Means::ALL);
    let police = "egress protocol ip prio 1 u32 match u32 0 0 action police rate 10000000bps burst 5000 \
                  peakrate 20000000bps mtu 1514 overhead 24 conform-exceed drop/ok";
    for end in ["root handle 1: pfifo limit 1000000000", "clsact", police] {
        assert_eq!(lines.iter().filter(|line| line.ends_with(end)).count(), 1, "{end}: {lines:#?}");
    }
    run.path.burst_bytes = u64::from(u32::MAX) << 8;
    assert!(describe_steps(&run, &[], Machine::Shared, Means::ALL, "ab12").is_err(), "more than it can save up");
}

#[test]
fn the_line_of_a_trace_keeps_its_tokens_and_can_be_shut() {
    let mut run = samples::run(1);
    run.path.trace = Some(Trace::Changes([Change::of_rate(0, 8_000_000), Change::of_rate(5, 0)].into()));
    for (qdisc, queue) in [(QueueDiscipline::Fifo, None), (QueueDiscipline::Cake, Some("parent 2:1 handle 3: cake"))] {
        run.path.qdisc = qdisc;
        let lines = commands(&run, Means::ALL);
        let bucket = "htb rate 10000000bps ceil 10000000bps burst 3486 cburst 3486 quantum 65536";
        let valve = "parent 1:1 handle 2: tbf rate 1099511627776bps burst 1073741824 limit 250000";
        for part in [Some(bucket), Some(valve), queue].into_iter().flatten() {
            assert_eq!(lines.iter().filter(|line| line.contains(part)).count(), 1, "{part}: {lines:#?}");
        }
    }
    run.path.trace = Some(Trace::Changes([Change::of_rate(0, 8_000_000)].into()));
    assert!(!commands(&run, Means::ALL).iter().any(|line| line.contains("1099511627776bps")), "nothing shuts it");
}

#[test]
fn a_relays_line_reads_its_arguments() {
    let channel = GilbertElliott { to_bad_ppb: 1, to_good_ppb: 2, good_loss_ppb: 3, bad_loss_ppb: 4 };
    let reorder = Some(Reorder::Late { share_ppb: 5, by_ns: 6 });
    for treatment in [
        Discipline::Delay { delay_ns: 5, reorder_ppb: 6, slot_ns: 7 },
        Discipline::Jitter { jitter_ns: 8 },
        Discipline::Loss { loss_ppb: 9 },
        Discipline::BurstLoss { channel, of_all: false },
        Discipline::BurstLoss { channel, of_all: true },
        Discipline::Impaired(Impairments { duplicate_ppb: 3, reorder, ..Impairments::default() }),
    ] {
        assert_eq!(Discipline::of_arguments(&treatment.arguments()), Some(treatment));
    }
    let arguments = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for wrong in ["delay 5", "delay 5 6 x", "loss 1 2", "loss", "hold 5", "impair {", "bursts 5"] {
        assert_eq!(Discipline::of_arguments(&arguments(wrong)), None, "{wrong}");
    }
}

#[test]
fn flows_share_a_lane_when_their_delays_are_equal_and_no_line_is_their_own() {
    let mut run = samples::run(5);
    run.flows[1].return_delay_ns = 50_000_000;
    run.flows[2].forward_delay_ns = 10_000_000;
    for flow in [3, 4] {
        run.flows[flow].access =
            Some(Access { rate_bps: 1_000_000_000, buffer: Buffer::Bytes(1_000_000), kind: AccessKind::Router });
    }
    let plan = Plan::new(&run, 0);
    assert_eq!(plan.pair_of_flow, [0, 1, 2, 3, 4]);
    run.flows[2].forward_delay_ns = 0;
    assert_eq!(Plan::new(&run, 0).pair_of_flow, [0, 1, 0, 2, 3]);
}

#[test]
fn hosts_that_can_be_felt_are_not_shared() {
    let pairs = |change: fn(&mut Run)| {
        let mut run = samples::run(3);
        change(&mut run);
        Plan::new(&run, 0).pair_of_flow
    };
    assert_eq!(pairs(|run| run.path.jitter_ns = None), [0, 0, 0]);
    assert_eq!(pairs(|run| run.path.jitter_ns = Some(1)), [0, 1, 2]);
    assert_eq!(pairs(|run| run.host.qdisc = Qdisc::Fq), [0, 1, 2]);
    assert_eq!(pairs(|run| run.host.gro = true), [0, 1, 2]);
    assert_eq!(pairs(|run| run.host.ack_aggregation_ns = 1), [0, 1, 2]);
}

#[test]
fn timing_noise_is_behind_the_senders_queue_and_before_a_routers_line() {
    let noise = Discipline::Jitter { jitter_ns: 50_000 };
    let line = |kind| Access { rate_bps: 1_000_000_000, buffer: Buffer::Bytes(1_000_000), kind };
    let bucket = Discipline::Bucket {
        kind: ShaperKind::Tbf,
        rate_bps: 1_000_000_000,
        burst_bytes: 1_764,
        room: Buffer::Bytes(1_000_000),
        managed: None,
        extra_bytes: 0,
        has_valve: false,
    };
    let cases = [
        (Qdisc::None, None, vec![noise], None, None),
        (Qdisc::Fq, None, vec![Discipline::Fair], Some(noise), None),
        (Qdisc::None, Some(AccessKind::Device), vec![bucket], Some(noise), None),
        (Qdisc::None, Some(AccessKind::Router), vec![noise], None, Some(bucket)),
        (Qdisc::Fq, Some(AccessKind::Router), vec![Discipline::Fair], Some(noise), Some(bucket)),
    ];
    for (qdisc, kind, at_sender, in_lane, behind) in cases {
        let mut run = samples::run(1);
        run.path.jitter_ns = Some(50_000);
        run.host.qdisc = qdisc;
        run.flows[0].access = kind.map(line);
        let plan = Plan::new(&run, 0);
        assert_eq!(disciplines_at(&plan, Place::Sender), at_sender);
        assert_eq!(disciplines_at(&plan, Place::Lane), Vec::from_iter(in_lane));
        assert_eq!(disciplines_at(&plan, Place::Access), Vec::from_iter(behind));
        let mut way = vec![Place::Sender];
        way.extend(in_lane.map(|_| Place::Lane));
        way.extend(behind.map(|_| Place::Access));
        way.extend([Place::Near, Place::Receiver]);
        assert_eq!(walk(&plan, Place::Sender, plan.receiver(0)), way);
        way.reverse();
        assert_eq!(walk(&plan, Place::Receiver, plan.sender(0)), way);
        // Only on the way into the lane do super-packets pass whole: it draws once for each.
        let offloading: Vec<Place> =
            plan.devices.iter().filter(|it| it.offloads.segmentation).map(|it| it.place).collect();
        assert_eq!(offloading, Vec::from_iter(in_lane.map(|_| Place::Sender)));
    }
}

#[test]
fn each_receiver_with_a_nic_that_matters_has_a_link_of_its_own() {
    for (gro, slot_ns, forward_delay_ns) in [(true, 0, 0), (false, 100_000, 0), (true, 100_000, 7)] {
        let mut run = samples::run(3);
        (run.host.gro, run.host.ack_aggregation_ns) = (gro, slot_ns);
        run.flows[1].forward_delay_ns = forward_delay_ns;
        let plan = Plan::new(&run, 0);
        let at_far = disciplines_at(&plan, Place::Far);
        let delay = |delay_ns| Discipline::Delay { delay_ns, reorder_ppb: 0, slot_ns };
        let expected = if slot_ns > 0 { vec![delay(0), delay(forward_delay_ns), delay(0)] } else { vec![] };
        assert_eq!(at_far, expected);
        let nics: Vec<bool> =
            plan.devices.iter().filter(|it| it.place == Place::Receiver).map(|it| it.offloads.merging).collect();
        assert_eq!(nics, [gro; 3]);
        assert_eq!(plan.devices.iter().filter(|it| it.offloads.merging).count(), nics.iter().filter(|on| **on).count());
    }
}

#[test]
fn data_and_acks_pass_every_place_in_order() {
    let mut run = samples::run(3);
    run.path.loss_ppb = 1;
    run.flows[1].access =
        Some(Access { rate_bps: 1_000_000_000, buffer: Buffer::Packets(10), kind: AccessKind::Router });
    run.flows[2].forward_delay_ns = 10_000_000;
    for (loss_at, middle) in
        [(LossAt::Before, [Place::Gate, Place::Near]), (LossAt::After, [Place::Near, Place::LossHop])]
    {
        run.path.loss_at = loss_at;
        let plan = Plan::new(&run, 0);
        for pair in 0..3 {
            let access = (pair == 1).then_some(Place::Access);
            let mut places: Vec<Place> = [Place::Sender].into_iter().chain(access).chain(middle).collect();
            places.extend([Place::Far, Place::Receiver]);
            assert_eq!(walk(&plan, Place::Sender, plan.receiver(pair)), places);
            places.reverse();
            assert_eq!(walk(&plan, Place::Receiver, plan.sender(pair)), places);
        }
        assert_eq!(
            plan.hops[0].loss.map(|device| place_of(&plan, device)),
            middle.into_iter().find(|place| *place != Place::Near)
        );
    }
}

#[test]
fn every_device_has_its_own_number_and_a_name_that_fits() {
    let mut run = samples::run(300);
    for (index, flow) in run.flows.iter_mut().enumerate() {
        flow.forward_delay_ns = index as u64;
    }
    let plan = Plan::new(&run, 0);
    assert!(plan.devices.iter().enumerate().all(|(position, device)| device.index == 100 + position as u32));
    assert!(plan.devices.iter().all(|Device { name, .. }| name.len() < libc::IFNAMSIZ));
}

#[test]
fn a_path_that_reorders_keeps_its_round_trip_time() {
    let plan = Plan::new(&samples::run(1), 1_000);
    let AddressPair { forward_delay_ns, return_delay_ns, .. } = plan.pairs[0];
    assert_eq!((forward_delay_ns, forward_delay_ns + return_delay_ns), (8 * 151_400, 25_000_000));
    let delay = Discipline::Delay { delay_ns: forward_delay_ns, reorder_ppb: 1_000, slot_ns: 0 };
    assert_eq!(disciplines_at(&plan, Place::Far), [delay]);
}

#[test]
fn what_a_bucket_cannot_express_is_refused() {
    for (rate_bps, room) in [(3, Buffer::Bytes(1)), (8_000_000, Buffer::Bytes(1 << 32)), (8_000_000, Buffer::Bytes(0))]
    {
        for kind in [ShaperKind::Tbf, ShaperKind::Htb] {
            let bucket = Discipline::Bucket {
                kind,
                rate_bps,
                burst_bytes: 5_000,
                room,
                managed: None,
                extra_bytes: 0,
                has_valve: false,
            };
            assert!(bucket.check().is_err(), "{kind:?} {rate_bps} {room:?}");
        }
    }
    let (kind, room) = (ShaperKind::Tbf, Buffer::Packets(1));
    assert!(
        Discipline::Bucket {
            kind,
            rate_bps: 8,
            burst_bytes: 5_000,
            room,
            managed: None,
            extra_bytes: 0,
            has_valve: false
        }
        .check()
        .is_ok()
    );
}
