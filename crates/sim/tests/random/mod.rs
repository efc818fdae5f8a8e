//! Any run that a spec may ask for, as far as its work is bounded.

use proptest::prelude::*;
use proptest::sample::select;
use run::{
    Access, AccessKind, AlgorithmChoice, Arrival, Buffer, CapturePoints, Change, Codel, Direction, Distribution,
    DualPi2, Ecn, Flow, Fq, FqCodel, GilbertElliott, Host, Impairments, LossAt, Measure, Path, Pie, Police, Qdisc,
    QueueDiscipline, Record, Red, Reorder, Route, Run, ShaperAt, ShaperKind, Sizes, SocketMemory, Spacing, Think,
    Workload, Write,
};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// Frames that the bottleneck may carry in a run: enough for every mechanism, and some milliseconds of work.
pub const MOST_FRAMES: u64 = 2_000;

/// A number from `low` to `high`, each octave as likely as any other.
pub fn octaves(low: u64, high: u64) -> impl Strategy<Value = u64> {
    let (from, to) = (low as f64, high as f64);
    (from.log2()..=to.log2()).prop_map(move |exponent| (exponent.exp2() as u64).clamp(low, high))
}

pub fn room(frame_bytes: u64) -> impl Strategy<Value = Buffer> {
    prop_oneof![
        octaves(frame_bytes, 1 << 27).prop_map(Buffer::Bytes),
        octaves(1, 100_000).prop_map(Buffer::Packets),
        Just(Buffer::Bytes(frame_bytes)),
        Just(Buffer::Packets(1)),
    ]
}

pub fn loss_ppb() -> impl Strategy<Value = u32> {
    prop_oneof![4 => Just(0), 3 => 1..=50_000_000_u32, 2 => 1..=500_000_000_u32, 1 => 1..=999_999_999_u32]
}

/// The defaults, or one parameter at its least, its largest, or between.
fn controller() -> impl Strategy<Value = AlgorithmChoice> {
    (select(cc::algorithms()), prop::option::weighted(0.3, (any::<prop::sample::Index>(), 0..=2_u32))).prop_map(
        |(algorithm, change)| {
            let mut parameters = std::collections::BTreeMap::new();
            if let Some((index, place)) = change {
                let parameter = index.get(algorithm.parameters);
                let (low, high) = parameter.range;
                let value = [low, high, (parameter.default + low) / 2.0][place as usize];
                let value = if parameter.kind == cc::Kind::Number { value } else { value.round() };
                parameters.insert(parameter.name.to_owned(), value);
            }
            if !cc::check(algorithm.name, &parameters).is_empty() {
                parameters.clear(); // not with the other parameters' defaults
            }
            AlgorithmChoice { algorithm: algorithm.name.to_owned(), parameters }
        },
    )
}

/// What an application may write in `duration_ns` at about `rate_bps`.
fn workload(rate_bps: u64, duration_ns: u64) -> impl Strategy<Value = Workload> {
    let stream = (octaves(8, rate_bps.max(9)), octaves(1_000, duration_ns), 1..=200_u64).prop_map(
        |(rate_bps, for_ns, writes)| {
            // At least a byte a write.
            let every_ns = (for_ns / writes).max((8 * SECOND).div_ceil(rate_bps)).max(1_000);
            Workload::Stream { rate_bps, for_ns: for_ns.max(every_ns), every_ns }
        },
    );
    let write = (0..duration_ns, octaves(1, 1 << 20)).prop_map(|(at_ns, bytes)| Write { at_ns, bytes });
    let trace = prop::collection::vec(write, 1..20).prop_map(|mut writes| {
        writes.sort_by_key(|write| write.at_ns);
        Workload::Trace { writes }
    });
    let arrival = (0..duration_ns, octaves(1, 1 << 17)).prop_map(|(at_ns, bytes)| Arrival { at_ns, bytes });
    let arrivals = prop::collection::vec(arrival, 0..40).prop_map(|mut arrivals| {
        arrivals.sort_by_key(|arrival| arrival.at_ns);
        Workload::Arrivals { arrivals }
    });
    let datagrams = {
        let paused = (octaves(1_000, duration_ns.max(2_000)), octaves(1_000, duration_ns.max(2_000)));
        let spacing = select(vec![Spacing::Even, Spacing::Poisson]);
        // A thousand at most, and twice the line's rate.
        (8..=500_u64, octaves(8, 2 * rate_bps), spacing, prop_oneof![Just((0, 0)), paused]).prop_map(
            move |(bytes, rate_bps, spacing, (on_ns, off_ns))| {
                let most_bps = u128::from(bytes) * u128::from(8_000 * SECOND) / u128::from(duration_ns);
                let rate_bps = rate_bps.min(u64::try_from(most_bps).unwrap_or(u64::MAX)).max(1);
                Workload::Datagrams { rate_bps, bytes, spacing, on_ns, off_ns }
            },
        )
    };
    let datagram = (0..duration_ns, 8..=500_u64).prop_map(|(at_ns, bytes)| Write { at_ns, bytes });
    let datagram_trace = prop::collection::vec(datagram, 1..20).prop_map(|mut datagrams| {
        datagrams.sort_by_key(|datagram| datagram.at_ns);
        Workload::DatagramTrace { datagrams }
    });
    let media = {
        let limits = (octaves(8, 2 * rate_bps), octaves(8, 2 * rate_bps));
        (limits, 1..=60_u32, octaves(1_000, SECOND)).prop_map(move |((one_bps, other_bps), frames, deadline_ns)| {
            let most_bps = u64::try_from(u128::from(40_000_000 * SECOND) / u128::from(duration_ns)).unwrap_or(u64::MAX);
            let [one_bps, other_bps] = [one_bps, other_bps].map(|bps| bps.min(most_bps).max(1));
            let frames = frames.min((1_000 * SECOND / duration_ns) as u32).max(1);
            Workload::Media { least_bps: one_bps.min(other_bps), most_bps: one_bps.max(other_bps), frames, deadline_ns }
        })
    };
    // They fit the smallest MTU.
    let ping = (octaves((duration_ns / 1_000).max(1_000), duration_ns.max(2_000)), 8..=500_u64)
        .prop_map(|(every_ns, bytes)| Workload::Ping { every_ns, bytes });
    let sizes = prop_oneof![
        octaves(1, 1 << 17).prop_map(Sizes::Fixed),
        (octaves(1, 1 << 15), 0.1..1.5_f64).prop_map(|(mean, sigma)| Sizes::lognormal_of_mean(mean as f64, sigma)),
    ];
    let think = (octaves(duration_ns / 200 + 1, duration_ns.max(2_000)), any::<bool>());
    let think = think.prop_map(|(ns, by_chance)| if by_chance { Think::Exponential(ns) } else { Think::Fixed(ns) });
    let pages = (1..=8_u32, octaves(1, 40), sizes, 1..=400_u32, think).prop_map(
        |(connections, objects, sizes, request_bytes, think)| Workload::Pages {
            connections,
            objects,
            sizes,
            request_bytes,
            think,
        },
    );
    prop_oneof![
        1 => ping,
        2 => pages,
        1 => datagrams,
        1 => datagram_trace,
        1 => media,
        3 => Just(Workload::Bulk),
        3 => octaves(1, 1 << 24).prop_map(|bytes| Workload::Transfer { bytes }),
        1 => stream,
        1 => trace,
        1 => arrivals,
    ]
}

fn flow(rate_bps: u64, rtt_ns: u64, frame_bytes: u64, duration_ns: u64) -> impl Strategy<Value = Flow> {
    let kind = select(vec![AccessKind::Device, AccessKind::Router]);
    let access = (octaves(1_000, 100_000_000_000), room(frame_bytes), kind)
        .prop_map(|(rate_bps, buffer, kind)| Access { rate_bps, buffer, kind });
    let times = (prop_oneof![Just(0), 0..duration_ns], prop::option::weighted(0.3, 1..=duration_ns));
    let own_rtt = prop_oneof![2 => Just(rtt_ns), 1 => octaves(1_000, 2 * rtt_ns.max(1_000))];
    (
        controller(),
        times,
        workload(rate_bps, duration_ns),
        (own_rtt, select(vec![0_u64, 1, 2])),
        prop::option::weighted(0.25, access),
        prop_oneof![3 => Just(Ecn::Off), 1 => Just(Ecn::Classic), 1 => Just(Ecn::Accurate)],
    )
        .prop_map(move |(cc, (start_ns, stop_ns), workload, (rtt_ns, halves), access, ecn)| {
            datagrams_alone(Flow {
                name: String::new(),
                cc: Some(cc),
                start_ns,
                stop_ns: stop_ns.filter(|stop_ns| *stop_ns > start_ns),
                forward_delay_ns: rtt_ns * halves / 2,
                return_delay_ns: rtt_ns - rtt_ns * halves / 2,
                access,
                direction: Direction::Down,
                route: Route::default(),
                ecn,
                workload,
            })
        })
}

/// Datagrams have no congestion control and no ECN.
fn datagrams_alone(flow: Flow) -> Flow {
    if flow.has_datagrams() { Flow { cc: None, ecn: Ecn::Off, ..flow } } else { flow }
}

fn path(rate_bps: u64, [mtu_bytes, overhead_bytes]: [u32; 2], duration_ns: u64) -> impl Strategy<Value = Path> {
    let frame_bytes = u64::from(mtu_bytes + overhead_bytes);
    let change = (1..duration_ns, octaves((rate_bps / 8).max(1_000), rate_bps * 2))
        .prop_map(|(at_ns, rate_bps)| Change::of_rate(at_ns, rate_bps));
    (
        room(frame_bytes),
        (
            prop_oneof![Just(frame_bytes), Just(5_000), octaves(1, 1_000_000)],
            prop_oneof![3 => Just(ShaperKind::Tbf), 1 => Just(ShaperKind::Htb)],
        ),
        (loss_ppb(), select(vec![LossAt::Before, LossAt::After])),
        prop::bool::weighted(0.2),
        prop_oneof![1 => Just(0), 1 => octaves(1, duration_ns)],
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(change, 1..5)],
        qdisc(frame_bytes),
    )
        .prop_map(
            move |(buffer, (burst_bytes, shaper), (loss_ppb, loss_at), offload, jitter_ns, mut changes, qdisc)| {
                changes.sort_by_key(|change| change.at_ns);
                changes.dedup_by_key(|change| change.at_ns);
                let burst_bytes =
                    if offload && shaper == ShaperKind::Tbf { burst_bytes.max(64_000) } else { burst_bytes };
                Path {
                    rate_bps,
                    buffer: counted(buffer, &qdisc, frame_bytes),
                    qdisc,
                    overhead_bytes,
                    burst_bytes,
                    shaper,
                    shaper_at: ShaperAt::Router,
                    jitter_ns: Some(jitter_ns),
                    loss_ppb,
                    loss_at,
                    mtu_bytes,
                    offload,
                    police: Police::default(),
                    impairments: Impairments::default(),
                    changes,
                    trace: None,
                    hops: Vec::new(),
                    bottleneck: 0,
                    back: Vec::new(),
                }
            },
        )
}

/// None, or some of all that a line does to packets in a run of so long.
pub fn impairments(duration_ns: u64) -> impl Strategy<Value = Impairments> {
    let channel = [1_000_000_000_u32; 4].map(|most| 0..=most);
    let channel = channel.prop_map(|[to_bad_ppb, to_good_ppb, good_loss_ppb, bad_loss_ppb]| GilbertElliott {
        to_bad_ppb,
        to_good_ppb,
        good_loss_ppb: good_loss_ppb / 20,
        bad_loss_ppb,
    });
    let most_ns = duration_ns.clamp(2, 2 * SECOND);
    let late =
        (0..=1_000_000_000_u32, octaves(1, most_ns)).prop_map(|(share_ppb, by_ns)| Reorder::Late { share_ppb, by_ns });
    let distribution = select(vec![Distribution::Uniform, Distribution::Normal]);
    let spread = (octaves(1, most_ns), octaves(1, most_ns), distribution, 0..=1_000_000_000_u32).prop_map(
        |(delay_ns, spread_ns, distribution, correlation_ppb)| Reorder::Spread {
            delay_ns,
            spread_ns,
            distribution,
            correlation_ppb,
        },
    );
    let all =
        (
            prop::option::weighted(0.3, channel),
            loss_ppb(),
            loss_ppb(),
            prop::option::weighted(0.5, prop_oneof![late, spread]),
            prop_oneof![2 => Just(0), 1 => octaves(1, most_ns)],
            any::<bool>(),
        )
            .prop_map(|(burst_loss, duplicate_ppb, corrupt_ppb, reorder, aggregation_ns, thins_acks)| {
                Impairments { burst_loss, duplicate_ppb, corrupt_ppb, reorder, aggregation_ns, thins_acks }
            });
    prop_oneof![1 => Just(Impairments::default()), 1 => all]
}

/// Room in what the discipline counts.
pub fn counted(room: Buffer, qdisc: &QueueDiscipline, frame_bytes: u64) -> Buffer {
    match (qdisc, room) {
        (QueueDiscipline::Red(_), Buffer::Packets(packets)) => Buffer::Bytes(packets * frame_bytes),
        (QueueDiscipline::Fifo | QueueDiscipline::Red(_), _) | (_, Buffer::Packets(_)) => room,
        (_, Buffer::Bytes(bytes)) => Buffer::Packets((bytes / frame_bytes).max(1)),
    }
}

/// That of a queue.
fn qdisc(frame_bytes: u64) -> impl Strategy<Value = QueueDiscipline> {
    let frame_bytes = frame_bytes as u32;
    let codel = (octaves(1_000, 100_000_000), octaves(1_000, 1_000_000_000), any::<bool>(), threshold())
        .prop_map(|(target_ns, interval_ns, ecn, ce_threshold_ns)| Codel {
            target_ns,
            interval_ns,
            ecn,
            ce_threshold_ns,
        })
        .prop_map(QueueDiscipline::Codel);
    let fq_codel =
        (octaves(1_000, 100_000_000), any::<bool>(), 1..2_000_u32).prop_map(move |(target_ns, ecn, flows)| {
            let codel = Codel { target_ns, interval_ns: 100_000_000, ecn, ce_threshold_ns: None };
            QueueDiscipline::FqCodel(FqCodel { codel, flows, quantum_bytes: frame_bytes, ce_threshold_selector: None })
        });
    let fq = (1..1_000_u32, select(vec![0, 1, 1_023]), threshold()).prop_map(
        move |(flow_limit_packets, orphan_mask, ce_threshold_ns)| {
            QueueDiscipline::Fq(Fq {
                flow_limit_packets,
                quantum_bytes: 2 * frame_bytes,
                initial_quantum_bytes: 10 * frame_bytes,
                ce_threshold_ns,
                orphan_mask,
            })
        },
    );
    let pie = (octaves(1_000, 100_000_000), octaves(1_000_000, 1_000_000_000), 0..=32_u32, 0..=32_u32, any::<bool>())
        .prop_map(|(target_ns, tupdate_ns, alpha, beta, ecn)| {
            QueueDiscipline::Pie(Pie { target_ns, tupdate_ns, alpha, beta, ecn })
        });
    let red = (octaves(256, 1_000_000), octaves(1, 1_000_000), 1..=1_000_000_000_u32, any::<bool>()).prop_map(
        |(min_bytes, more_bytes, probability_ppb, ecn)| {
            QueueDiscipline::Red(Red { min_bytes, max_bytes: min_bytes + more_bytes, probability_ppb, ecn })
        },
    );
    let dualpi2 = (octaves(1_000, 100_000_000), 0..=8_192_u32, 1..=255_u32, octaves(1_000, 100_000_000)).prop_map(
        |(target_ns, beta, coupling, step_ns)| {
            QueueDiscipline::Dualpi2(DualPi2 { target_ns, tupdate_ns: 16_000_000, alpha: 41, beta, coupling, step_ns })
        },
    );
    prop_oneof![3 => Just(QueueDiscipline::Fifo), 1 => dualpi2, 1 => codel, 1 => fq_codel, 1 => fq, 1 => pie, 1 => red]
}

fn threshold() -> impl Strategy<Value = Option<u64>> {
    prop::option::weighted(0.3, octaves(1_000, 100_000_000))
}

fn host() -> impl Strategy<Value = Host> {
    let socket_memory = prop_oneof![
        2 => Just(SocketMemory::Max),
        1 => Just(SocketMemory::Default),
        1 => octaves(4_000, 1 << 31).prop_map(SocketMemory::Bytes),
    ];
    (
        socket_memory,
        prop::option::weighted(0.2, octaves(1, 1 << 31)),
        prop_oneof![2 => Just(10_u32), 1 => 1..=100_u32, 1 => 1..=10_000_u32],
        select(vec![Qdisc::None, Qdisc::Fq]),
        any::<bool>(),
        (any::<bool>(), prop_oneof![1 => Just(0), 1 => octaves(1, 100 * MS)]),
    )
        .prop_map(
            |(socket_memory, receive_window_bytes, initial_window_segments, qdisc, sack_compression, nic)| Host {
                socket_memory,
                receive_window_bytes,
                initial_window_segments,
                qdisc,
                sack_compression,
                gro: nic.0,
                ack_aggregation_ns: nic.1,
            },
        )
}

fn measured(duration_ns: u64) -> impl Strategy<Value = Measure> {
    (
        (0..duration_ns, 0..duration_ns),
        1..=300_u64,
        prop::bool::weighted(0.3),
        select(vec![Record::Summary, Record::Series, Record::Acks]),
    )
        .prop_map(move |((a, b), samples, covers_run, record)| {
            let sample_ns = (duration_ns / samples).max(1_000);
            let (begin, end) = if covers_run { (0, duration_ns) } else { (a.min(b), a.max(b)) };
            let window_end_ns = end.max(begin + sample_ns).min(duration_ns);
            let window_begin_ns = begin.min(window_end_ns - sample_ns.min(window_end_ns));
            let capture_at = CapturePoints::default();
            let (snap_bytes, qlog, ss_ns) = (None, false, None);
            Measure { window_begin_ns, window_end_ns, sample_ns, record, snap_bytes, capture_at, qlog, ss_ns }
        })
}

/// Any run that a spec may resolve to.
pub fn any_run() -> impl Strategy<Value = Run> {
    let mtu_bytes = prop_oneof![3 => Just(1500_u32), 2 => 576..=9_000_u32, 1 => 9_001..=65_535_u32];
    let overhead_bytes = prop_oneof![3 => Just(14_u32), 1 => Just(38_u32), 1 => 0..=1_000_u32];
    (octaves(1_000, 1_000_000_000_000), mtu_bytes, overhead_bytes, 0.0..14.0_f64)
        .prop_flat_map(|(rate_bps, mtu_bytes, overhead_bytes, rtts)| {
            let frame_bytes = u64::from(mtu_bytes + overhead_bytes);
            let duration_ns = u64::try_from(u128::from(MOST_FRAMES * frame_bytes * 8 * SECOND) / u128::from(rate_bps));
            let duration_ns = duration_ns.expect("ranges as above").clamp(MS, 50_000 * SECOND);
            let rtt_ns = ((duration_ns as f64 / rtts.exp2()) as u64).clamp(1_000, 100 * SECOND);
            (
                path(rate_bps, [mtu_bytes, overhead_bytes], duration_ns),
                prop::collection::vec(flow(rate_bps, rtt_ns, frame_bytes, duration_ns), 1..=6),
                host(),
                measured(duration_ns),
                (any::<u64>(), Just(duration_ns), any::<bool>(), impairments(duration_ns)),
            )
        })
        .prop_map(|(mut path, mut flows, host, measure, (seed, duration_ns, until_done, impairments))| {
            path.impairments = impairments;
            path.impairments.thins_acks &= path.qdisc.is_fifo();
            for (index, flow) in flows.iter_mut().enumerate() {
                flow.name = flow.cc.as_ref().map_or("ping", |cc| &cc.algorithm).to_owned() + &format!("-{index}");
            }
            let until_done = until_done && flows.iter().any(Flow::is_finite);
            Run { seed, duration_ns, until_done, path, flows, host, measure }
        })
}
