//! [`ManagedQueue`]: a queue below a shaper that is more than a drop-tail one: the request for it, its text, and what the kernel
//! says of its settings and its marks.
//!
//! It stands where a `tbf` has its own `bfifo`. A change of the shaper's rate leaves it there: a `tbf` gives its limit to
//! nothing but a `pfifo` or a `bfifo` (`fifo_set_limit` in the kernel's `sch_fifo.c`), an `htb` has none.

use super::handle::saturated;
use crate::error::Error;
use netlink_bindings::tc::{
    self, CakeStatsAttrs, OptionsMsg, TcCodelXstats, TcDualpi2Xstats, TcFqCodelXstats, TcFqQdStats, TcPieXstats,
    TcRedQopt, TcRedXstats,
};
use netlink_bindings::traits::Pusher;
use run::{DualPi2, ETHERNET_HEADER_BYTES, Fq, FqCodel, Hop, Pie, QueueDiscipline, Red};
use std::ffi::CStr;

/// `TCA_STATS_APP`.
pub const STATS_APP: u16 = 4;
/// `TC_RED_ECN`.
const RED_MARKS: u8 = 1;
/// `RED_STAB_SIZE`: how RED's mean falls while its queue is idle. Below a shaper no idle period begins: a `tbf` takes out only
/// what it has looked at, an `htb` asks no class without frames (`red_dequeue` begins one where it is asked and has none).
const RED_STAB: [u8; 256] = [0; 256];
/// The ECN field of what is marked.
const CONGESTION_EXPERIENCED: u8 = 0b11;
const NS_PER_US: u64 = 1_000;

/// What manages a queue, and the frames that it reckons with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagedQueue {
    /// How it is managed.
    pub discipline: QueueDiscipline,
    /// Length of a full frame on a link: RED's mean one.
    pub frame_bytes: u64,
}

impl ManagedQueue {
    /// That of a hop; none: its queue is drop-tail.
    pub const fn of(hop: &Hop, mtu_bytes: u32) -> Option<Self> {
        if hop.qdisc.is_fifo() {
            return None;
        }
        Some(Self { discipline: hop.qdisc, frame_bytes: (mtu_bytes + ETHERNET_HEADER_BYTES) as u64 })
    }

    /// Refuses what the kernel refuses without a reason.
    pub fn check(self) -> Result<(), Error> {
        match self.discipline {
            QueueDiscipline::Red(red) if red.mean_bits(self.frame_bytes) > Red::MOST_MEAN_BITS => {
                let reason = format_args!("its mean takes more than {} bits", Red::MOST_MEAN_BITS);
                Err(Error::new(self.text(0), reason))
            }
            _ => Ok(()),
        }
    }

    /// It and its settings, in `tc`'s own syntax.
    pub fn text(self, limit: u64) -> String {
        self.discipline.tc(limit, self.frame_bytes)
    }

    /// Adds its kind and its settings to a request.
    pub fn encode<Prev: Pusher>(self, request: tc::PushAttrs<Prev>, limit: u64) {
        let limit = saturated(limit);
        match self.discipline {
            QueueDiscipline::Fifo => drop(request),
            QueueDiscipline::Codel(codel) => {
                let options = request
                    .nested_options_codel()
                    .push_limit(limit)
                    .push_target(micros(codel.target_ns))
                    .push_interval(micros(codel.interval_ns))
                    .push_ecn(codel.ecn.into());
                let _ = match codel.ce_threshold_ns {
                    Some(ns) => options.push_ce_threshold(micros(ns)),
                    None => options,
                };
            }
            QueueDiscipline::FqCodel(FqCodel { codel, flows, quantum_bytes, ce_threshold_selector }) => {
                let mut options = request
                    .nested_options_fq_codel()
                    .push_limit(limit)
                    .push_flows(flows)
                    .push_quantum(quantum_bytes)
                    .push_target(micros(codel.target_ns))
                    .push_interval(micros(codel.interval_ns))
                    .push_ecn(codel.ecn.into());
                if let Some(ns) = codel.ce_threshold_ns {
                    options = options.push_ce_threshold(micros(ns));
                }
                if let Some((value, mask)) = ce_threshold_selector {
                    options = options.push_ce_threshold_selector(value).push_ce_threshold_mask(mask);
                }
                let _ = options;
            }
            QueueDiscipline::Fq(Fq {
                flow_limit_packets,
                quantum_bytes,
                initial_quantum_bytes,
                ce_threshold_ns,
                orphan_mask,
            }) => {
                let options = request
                    .nested_options_fq()
                    .push_plimit(limit)
                    .push_flow_plimit(flow_limit_packets)
                    .push_quantum(quantum_bytes)
                    .push_initial_quantum(initial_quantum_bytes)
                    .push_orphan_mask(orphan_mask);
                let _ = match ce_threshold_ns {
                    Some(ns) => options.push_ce_threshold(micros(ns)),
                    None => options,
                };
            }
            QueueDiscipline::Pie(Pie { target_ns, tupdate_ns, alpha, beta, ecn }) => {
                let _ = request
                    .nested_options_pie()
                    .push_limit(limit)
                    .push_target(micros(target_ns))
                    .push_tupdate(micros(tupdate_ns))
                    .push_alpha(alpha)
                    .push_beta(beta)
                    .push_ecn(ecn.into());
            }
            QueueDiscipline::Red(red) => {
                let Red { min_bytes, max_bytes, probability_ppb, ecn } = red;
                let parameters = TcRedQopt {
                    limit,
                    qth_min: saturated(min_bytes),
                    qth_max: saturated(max_bytes),
                    Wlog: red.weight(self.frame_bytes) as u8,
                    flags: if ecn { RED_MARKS } else { 0 },
                    ..Default::default()
                };
                let _ = request
                    .nested_options_red()
                    .push_parms(parameters)
                    .push_stab(&RED_STAB)
                    .push_max_p(saturated((u64::from(probability_ppb) << 32) / 1_000_000_000));
            }
            QueueDiscipline::Dualpi2(DualPi2 { target_ns, tupdate_ns, alpha, beta, coupling, step_ns }) => {
                let _ = request
                    .nested_options_dualpi2()
                    .push_limit(limit)
                    .push_target(micros(target_ns))
                    .push_tupdate(micros(tupdate_ns))
                    .push_alpha(alpha)
                    .push_beta(beta)
                    .push_step_thresh_us(micros(step_ns))
                    .push_coupling(coupling.min(u8::MAX.into()) as u8);
            }
            QueueDiscipline::Cake => drop(request.nested_options_cake().push_base_rate64(0)),
        }
    }
}

/// The settings of a managed queue, or of the senders' `fq`, as the kernel has them; none: the answer has none of these.
pub fn settings_text(answer: &[u8]) -> Option<String> {
    let (_, attributes) = tc::OpGetqdiscDo::decode_request(answer);
    let options = attributes.get_options().ok()?;
    // Names as `tc` has them, in the kernel's units.
    let settings: Vec<(&str, Option<u64>, &str)> = match options {
        OptionsMsg::Codel(it) => vec![
            ("limit", number(it.get_limit()), ""),
            ("target", number(it.get_target()), "us"),
            ("interval", number(it.get_interval()), "us"),
            ("ecn", number(it.get_ecn()), ""),
            ("ce_threshold", number(it.get_ce_threshold()), "us"),
        ],
        OptionsMsg::FqCodel(it) => vec![
            ("limit", number(it.get_limit()), ""),
            ("flows", number(it.get_flows()), ""),
            ("quantum", number(it.get_quantum()), ""),
            ("target", number(it.get_target()), "us"),
            ("interval", number(it.get_interval()), "us"),
            ("memory_limit", number(it.get_memory_limit()), ""),
            ("drop_batch", number(it.get_drop_batch_size()), ""),
            ("ecn", number(it.get_ecn()), ""),
            ("ce_threshold", number(it.get_ce_threshold()), "us"),
            ("ce_threshold_selector", number(it.get_ce_threshold_selector()), ""),
            ("ce_threshold_mask", number(it.get_ce_threshold_mask()), ""),
        ],
        OptionsMsg::Fq(it) => vec![
            ("limit", number(it.get_plimit()), ""),
            ("flow_limit", number(it.get_flow_plimit()), ""),
            ("quantum", number(it.get_quantum()), ""),
            ("initial_quantum", number(it.get_initial_quantum()), ""),
            ("timer_slack", number(it.get_timer_slack()), "ns"),
            ("horizon", number(it.get_horizon()), "us"),
            ("orphan_mask", number(it.get_orphan_mask()), ""),
            // All bits: none.
            ("ce_threshold", number(it.get_ce_threshold()).filter(|us| *us < u32::MAX.into()), "us"),
        ],
        OptionsMsg::Pie(it) => vec![
            ("limit", number(it.get_limit()), ""),
            ("target", number(it.get_target()), "us"),
            ("tupdate", number(it.get_tupdate()), "us"),
            ("alpha", number(it.get_alpha()), ""),
            ("beta", number(it.get_beta()), ""),
            ("ecn", number(it.get_ecn()), ""),
        ],
        OptionsMsg::Red(it) => {
            let parameters = it.get_parms().ok()?;
            vec![
                ("limit", Some(parameters.limit.into()), ""),
                ("min", Some(parameters.qth_min.into()), ""),
                ("max", Some(parameters.qth_max.into()), ""),
                ("ewma", Some(parameters.Wlog.into()), ""),
                ("max_p", number(it.get_max_p()), " / 2^32"),
                ("ecn", Some(u64::from(parameters.flags & RED_MARKS)), ""),
            ]
        }
        OptionsMsg::Dualpi2(it) => vec![
            ("limit", number(it.get_limit()), ""),
            ("target", number(it.get_target()), "us"),
            ("tupdate", number(it.get_tupdate()), "us"),
            ("alpha", number(it.get_alpha()), " / 256"),
            ("beta", number(it.get_beta()), " / 256"),
            ("coupling_factor", number(it.get_coupling()), ""),
            ("step_thresh", number(it.get_step_thresh_us()), "us"),
        ],
        OptionsMsg::Cake(it) => vec![
            ("bandwidth", number(it.get_base_rate64()), ""),
            ("rtt", number(it.get_rtt()), "us"),
            ("target", number(it.get_target()), "us"),
            ("diffserv", number(it.get_diffserv_mode()), ""),
            ("flow_mode", number(it.get_flow_mode()), ""),
            ("ack-filter", number(it.get_ack_filter()), ""),
            ("memlimit", number(it.get_memory()), ""),
        ],
        _ => return None,
    };
    let known = settings.into_iter().filter_map(|(name, value, unit)| Some(format!("{name} {}{unit}", value?)));
    Some(known.collect::<Vec<String>>().join(" "))
}

/// The packets that a queue of this kind has marked, out of its own statistics; 0 where it has none. Older kernels' are shorter.
pub fn marked_packets(kind: &CStr, statistics: &[u8], discipline: &QueueDiscipline) -> u64 {
    let of_codel = |by_law: u32, by_threshold: u32| {
        u64::from(by_threshold) + if counts_marks_twice(discipline) { 0 } else { u64::from(by_law) }
    };
    match kind.to_bytes() {
        b"codel" => {
            let it = TcCodelXstats::new_from_zeroed(statistics);
            of_codel(it.ecn_mark, it.ce_mark)
        }
        b"fq_codel" => {
            let it = TcFqCodelXstats::new_from_zeroed(statistics);
            of_codel(it.ecn_mark, it.ce_mark)
        }
        b"fq" => TcFqQdStats::new_from_zeroed(statistics).ce_mark,
        b"pie" => TcPieXstats::new_from_zeroed(statistics).ecn_mark.into(),
        b"red" => TcRedXstats::new_from_zeroed(statistics).marked.into(),
        // Those of the step are among them (`dualpi2_mark` in `sch_dualpi2.c`).
        b"dualpi2" => TcDualpi2Xstats::new_from_zeroed(statistics).ecn_mark.into(),
        b"cake" => {
            let tins = CakeStatsAttrs::new(statistics).get_tin_stats().into_iter().flatten();
            tins.filter_map(|tin| number(tin.get_ecn_marked_packets())).sum()
        }
        _ => 0,
    }
}

/// A CoDel's law marks what has waited for its target at least. Where its threshold is no more, that marks each such packet once
/// more, and the kernel counts both (`codel_dequeue`), unless the threshold takes none that is marked.
fn counts_marks_twice(discipline: &QueueDiscipline) -> bool {
    let (codel, selector) = match discipline {
        QueueDiscipline::Codel(codel) => (codel, None),
        QueueDiscipline::FqCodel(FqCodel { codel, ce_threshold_selector, .. }) => (codel, *ce_threshold_selector),
        _ => return false,
    };
    let takes_marked = selector.is_none_or(|(value, mask)| CONGESTION_EXPERIENCED & mask == value);
    takes_marked && codel.ce_threshold_ns.is_some_and(|ns| ns <= codel.target_ns)
}

/// The packets that a queue of this kind has dropped as they came, out of its own statistics; none where these do not say, or
/// where all are.
pub fn arriving_drops(kind: &CStr, statistics: &[u8]) -> Option<u64> {
    match kind.to_bytes() {
        b"codel" => Some(TcCodelXstats::new_from_zeroed(statistics).drop_overlimit.into()),
        // Those that were dropped for want of memory are among them (`fq_codel_enqueue` in `sch_fq_codel.c`).
        b"fq_codel" => Some(TcFqCodelXstats::new_from_zeroed(statistics).drop_overlimit.into()),
        _ => None,
    }
}

/// A time as the kernel takes it.
fn micros(ns: u64) -> u32 {
    saturated(ns / NS_PER_US)
}

fn number<Value: Into<u64>, Reason>(value: Result<Value, Reason>) -> Option<u64> {
    value.ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_bindings::tc::Tcmsg;
    use run::Codel;

    const MS: u64 = 1_000_000;
    const CODEL: Codel = Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: false, ce_threshold_ns: None };
    const MARKING: Codel = Codel { ecn: true, ce_threshold_ns: Some(MS), ..CODEL };
    const RED: Red = Red { min_bytes: 30_000, max_bytes: 90_000, probability_ppb: 20_000_000, ecn: true };

    fn queue(discipline: QueueDiscipline) -> ManagedQueue {
        ManagedQueue { discipline, frame_bytes: 1_514 }
    }

    /// Each with its text for `tc`, and the settings that are read back from its request.
    fn examples() -> Vec<(QueueDiscipline, &'static str, &'static str)> {
        let fq_codel = FqCodel { codel: MARKING, flows: 64, quantum_bytes: 300, ce_threshold_selector: Some((1, 3)) };
        let (target_ns, tupdate_ns) = (15 * MS, 16 * MS);
        vec![
            (
                QueueDiscipline::Codel(CODEL),
                "codel limit 1000 target 5000us interval 100000us noecn",
                "limit 1000 target 5000us interval 100000us ecn 0",
            ),
            (
                QueueDiscipline::Codel(MARKING),
                "codel limit 1000 target 5000us interval 100000us ecn ce_threshold 1000us",
                "limit 1000 target 5000us interval 100000us ecn 1 ce_threshold 1000us",
            ),
            (
                QueueDiscipline::FqCodel(fq_codel),
                "fq_codel limit 1000 flows 64 quantum 300 target 5000us interval 100000us ecn ce_threshold 1000us \
                 ce_threshold_selector 0x1/0x3",
                "limit 1000 flows 64 quantum 300 target 5000us interval 100000us ecn 1 ce_threshold 1000us \
                 ce_threshold_selector 1 ce_threshold_mask 3",
            ),
            (
                QueueDiscipline::Fq(Fq {
                    flow_limit_packets: 100,
                    quantum_bytes: 3_028,
                    initial_quantum_bytes: 15_140,
                    ce_threshold_ns: None,
                    orphan_mask: 1_023,
                }),
                "fq limit 1000 flow_limit 100 quantum 3028 initial_quantum 15140 orphan_mask 1023",
                "limit 1000 flow_limit 100 quantum 3028 initial_quantum 15140 orphan_mask 1023",
            ),
            (
                QueueDiscipline::Pie(Pie { target_ns, tupdate_ns, alpha: 2, beta: 20, ecn: false }),
                "pie limit 1000 target 15000us tupdate 16000us alpha 2 beta 20 noecn",
                "limit 1000 target 15000us tupdate 16000us alpha 2 beta 20 ecn 0",
            ),
            (
                QueueDiscipline::Red(RED),
                "red limit 1000 min 30000 max 90000 avpkt 1514 burst 33 probability 0.02 ecn",
                "limit 1000 min 30000 max 90000 ewma 5 max_p 85899345 / 2^32 ecn 1",
            ),
            (
                QueueDiscipline::Dualpi2(DualPi2 {
                    target_ns,
                    tupdate_ns,
                    alpha: 41,
                    beta: 819,
                    coupling: 2,
                    step_ns: MS,
                }),
                "dualpi2 limit 1000 target 15000us tupdate 16000us alpha 0.16015625 beta 3.19921875 coupling_factor 2 \
                 step_thresh 1000us",
                "limit 1000 target 15000us tupdate 16000us alpha 41 / 256 beta 819 / 256 coupling_factor 2 \
                 step_thresh 1000us",
            ),
            (QueueDiscipline::Cake, "cake unlimited", "bandwidth 0"),
        ]
    }

    #[test]
    fn a_request_has_what_its_text_says() {
        for (discipline, text, settings) in examples() {
            assert_eq!(queue(discipline).text(1_000), text);
            let mut bytes = Vec::new();
            queue(discipline).encode(tc::OpNewqdiscDo::encode_request(&mut bytes, &Tcmsg::default()), 1_000);
            let (_, attributes) = tc::OpNewqdiscDo::decode_request(&bytes);
            assert_eq!(attributes.get_kind().expect("a kind").to_str(), Ok(discipline.name()));
            assert_eq!(settings_text(&bytes).as_deref(), Some(settings));
        }
    }

    #[test]
    fn a_fifo_of_a_hop_is_not_managed() {
        let mut hop = crate::samples::run(1).path.hops(run::Direction::Down).remove(0);
        assert_eq!(ManagedQueue::of(&hop, 1_500), None);
        hop.qdisc = QueueDiscipline::Cake;
        assert_eq!(ManagedQueue::of(&hop, 1_500), Some(queue(QueueDiscipline::Cake)));
    }

    #[test]
    fn a_mean_that_the_kernel_cannot_count_is_refused() {
        let red = |max_bytes| Red { min_bytes: max_bytes / 3, max_bytes, ..RED };
        assert_eq!(queue(QueueDiscipline::Red(red(1 << 20))).check(), Ok(()));
        let refused = queue(QueueDiscipline::Red(red(1 << 24))).check().expect_err("too many bits").to_string();
        assert!(refused.starts_with("red limit 0 min 5592405 max 16777216 "), "{refused}");
    }
}
