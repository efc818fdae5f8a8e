//! [`Discipline`]: a queueing discipline, the requests for it, and its counters in the kernel's answers.
//!
//! Each is at its device's root with handle `1:`. A `tbf` is told its burst in bytes and its link layer, so that
//! neither clock ticks nor rate tables round it; its rate is in whole bytes a second, the nearest to what is asked.
//! Its own queue is a `bfifo` of `limit` bytes, which counts frames with their Ethernet header, as the model's queue
//! does; where the run counts packets, a `pfifo` takes its place, and where the queue is managed, a [`ManagedQueue`]. An `htb`
//! has one class, through which all goes, with the same queues; its burst is a time, in steps of 64 ns (`PSCHED_SHIFT`).
//!
//! What comes in by a device can be led through another one first, an `ifb`: to the kernel that is an action of a filter
//! of the discipline `ingress`. Loss is in [`super::loss`].

use super::device::{Device, ifb_name};
use super::handle::{
    CHILD, DEVICE, FIRST_CLASS, NEW_FILTER, NEW_QDISC, ROOT, UNLIMITED_PACKETS, header, ip_filter, saturated,
};
use super::loss::{self, Match};
use super::machine::Means;
use super::managed::{self, ManagedQueue};
use crate::error::Error;
use crate::netlink::{Batch, CREATE, EXCLUSIVE, REPLACE, Socket};
use netlink_bindings::tc::{
    self, TcFifoQopt, TcHtbGlob, TcHtbOpt, TcNetemQopt, TcNetemReorder, TcNetemSlot, TcRatespec, TcSizespec, TcTbfQopt,
    Tcmsg,
};
use netlink_bindings::traits::Pusher;
use netlink_bindings::utils::{finalize_nested_header, find_attr, push_nested_header};
use run::{Buffer, Hop, QueueDiscipline, ShaperKind};

/// `RTM_GETQDISC`.
pub const GET_QDISC: u16 = 38;
/// `RTM_NEWTCLASS`.
const NEW_CLASS: u16 = 40;

/// `TC_H_INGRESS`: what comes in.
const INGRESS: u32 = 0xffff_fff1;
/// Handle `ffff:` of the discipline there.
const INGRESS_HANDLE: u32 = 0xffff_0000;
/// `TC_LINKLAYER_ETHERNET`.
const ETHERNET: u8 = 1;
/// Bytes a second at which a frame takes no time.
pub const BOUNDLESS: u64 = 1 << 63;
/// What a class of an `htb` may send before another has its turn, bytes: there is no other.
pub const TURN_BYTES: u32 = 65_536;
/// `TC_HTB_PROTOVER`.
const HTB_VERSION: u32 = 3;
/// `r2q`, of which nothing follows where a class is told its turn.
const RATE_TO_TURN: u32 = 10;
/// Steps of the clock that an `htb`'s burst is told in, a second.
const STEPS_PER_S: u64 = 1_000_000_000 / 64;
/// `TCA_U32_ACT`.
const ACTIONS: u16 = 7;
/// `RTM_DELQDISC`, and `RTM_GETTFILTER`.
const DELETE_QDISC: u16 = 37;
const GET_FILTER: u16 = 46;
/// Every packet has these bits.
const ANY: &[Match] = &[Match { mask: 0, value: 0, at: 0 }];
/// `TC_ACT_STOLEN`, and `TCA_EGRESS_REDIR`.
const STOLEN: u32 = 4;
const REDIRECT: u32 = 1;

/// What the kernel counted at a queueing discipline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments that left.
    pub sent_packets: u64,
    /// Bytes of the frames that left.
    pub sent_bytes: u64,
    /// Packets dropped, a super-packet as one.
    pub dropped_packets: u64,
    /// Of these, those that were to leave; none: the kernel does not say which.
    pub dequeue_dropped_packets: Option<u64>,
    /// Packets marked, likewise.
    pub marked_packets: u64,
    /// Packets waiting, a super-packet as one.
    pub queued_packets: u64,
    /// Bytes of the frames waiting.
    pub queued_bytes: u64,
}

/// A queueing discipline at a device's egress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// Token bucket before a queue.
    Bucket {
        /// How it reckons.
        kind: ShaperKind,
        /// Rate on frames.
        rate_bps: u64,
        /// Depth of the bucket.
        burst_bytes: u64,
        /// Room of the queue.
        room: Buffer,
        /// What manages it; none: it is drop-tail.
        managed: Option<ManagedQueue>,
        /// What both count for each packet beyond its frame.
        extra_bytes: i32,
    },
    /// Constant delay; some packets may not take it and so overtake others. With a slot, what it holds leaves in lumps,
    /// at most once in that time: a NIC's interrupt moderation.
    Delay {
        /// The delay.
        delay_ns: u64,
        /// Packets that do not take it.
        reorder_ppb: u32,
        /// Time between two lumps; 0: each packet leaves when its delay is over.
        slot_ns: u64,
    },
    /// Each packet leaves later by a time drawn uniformly below this, and never before the one ahead of it.
    Jitter {
        /// The bound.
        jitter_ns: u64,
    },
    /// Random loss of packets that carry data.
    Loss {
        /// Probability.
        loss_ppb: u32,
    },
    /// Random loss of all packets, ACKs among them, but those that open a connection.
    LossOfAll {
        /// Probability.
        loss_ppb: u32,
    },
    /// `fq`.
    Fair,
    /// Nothing but its counters.
    Counter,
    /// What comes in, and not what leaves, is led through the `ifb` of this number first.
    Redirect {
        /// Its number.
        to: u32,
    },
}

impl Discipline {
    /// A constant delay, and nothing else.
    pub const fn delay(delay_ns: u64) -> Self {
        Self::Delay { delay_ns, reorder_ppb: 0, slot_ns: 0 }
    }

    /// Whether the kernel does it itself. What no relay could do instead counts as done: the kernel is asked for it, and
    /// its refusal names it.
    pub const fn is_within(self, means: Means) -> bool {
        match self {
            Self::Delay { .. } | Self::Jitter { .. } => means.netem,
            Self::Loss { .. } | Self::LossOfAll { .. } => means.loss,
            Self::Bucket { .. } | Self::Fair | Self::Counter | Self::Redirect { .. } => true,
        }
    }

    /// Refuses what the kernel would round, or take for something else.
    pub fn check(self) -> Result<(), Error> {
        let Self::Bucket { rate_bps, burst_bytes, room, managed, .. } = self else { return Ok(()) };
        let (Buffer::Bytes(limit) | Buffer::Packets(limit)) = room;
        let most = u64::from(u32::MAX);
        if limit == 0 || limit > most || burst_bytes > most || rate_in_bytes(rate_bps) == 0 {
            return Err(Error::new(
                self.text(),
                format_args!("a {} has a rate, and a queue and a burst up to {most}", self.kind()),
            ));
        }
        managed.map_or(Ok(()), ManagedQueue::check)
    }

    /// Its name among queueing disciplines.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Bucket { kind: ShaperKind::Tbf, .. } => "tbf",
            Self::Bucket { kind: ShaperKind::Htb, .. } => "htb",
            Self::Delay { .. } | Self::Jitter { .. } => "netem",
            Self::Loss { .. } | Self::LossOfAll { .. } => "prio with netem",
            Self::Fair => "fq",
            Self::Counter => "pfifo",
            Self::Redirect { .. } => "ingress",
        }
    }

    /// As `tc` would be told.
    pub fn text(self) -> String {
        match self {
            Self::Bucket { rate_bps, burst_bytes, room, managed, extra_bytes, .. } => {
                let (kind, rate) = (self.kind(), rate_in_bytes(rate_bps));
                let stab = stab_text(extra_bytes);
                format!("{stab}{kind} rate {rate} bytes/s burst {burst_bytes}, {}", queue_text(room, managed))
            }
            Self::Delay { delay_ns, reorder_ppb, slot_ns } => {
                let mut text = format!("netem delay {delay_ns}ns");
                if reorder_ppb > 0 {
                    text += &format!(" reorder {reorder_ppb} ppb");
                }
                if slot_ns > 0 {
                    text += &format!(" slot {slot_ns}ns {slot_ns}ns: the receiver's NIC hands over in lumps");
                }
                text
            }
            Self::Jitter { jitter_ns } => {
                let half_ns = jitter_ns / 2;
                format!("netem delay {half_ns}ns {half_ns}ns rate {BOUNDLESS}: timing noise of a sender, in order")
            }
            Self::Loss { loss_ppb } => format!("prio, netem loss {loss_ppb} ppb from 64 bytes on"),
            Self::LossOfAll { loss_ppb } => format!("prio, netem loss {loss_ppb} ppb of all but SYNs"),
            Self::Fair => "fq".to_owned(),
            Self::Counter => "pfifo".to_owned(),
            Self::Redirect { to } => format!("all that comes in goes through {}", ifb_name(to)),
        }
    }
}

/// The table of sizes before a discipline's kind, in `tc`'s words; nothing where packets count as they are.
pub fn stab_text(extra_bytes: i32) -> String {
    if extra_bytes == 0 { String::new() } else { format!("stab overhead {extra_bytes} ") }
}

/// A queue as `tc` would be told.
pub fn queue_text(room: Buffer, managed: Option<ManagedQueue>) -> String {
    match (managed, room) {
        (Some(queue), Buffer::Bytes(limit) | Buffer::Packets(limit)) => queue.text(limit),
        (None, Buffer::Bytes(bytes)) => format!("bfifo limit {bytes}"),
        (None, Buffer::Packets(packets)) => format!("pfifo limit {packets}"),
    }
}

/// A `tbf` has a `bfifo` of its own; any other queue takes a request.
pub const fn takes_queue(kind: ShaperKind, room: Buffer, managed: Option<ManagedQueue>) -> bool {
    managed.is_some() || matches!((kind, room), (ShaperKind::Htb, _) | (_, Buffer::Packets(_)))
}

/// Adds the requests for a discipline. `seed` is for kernels whose `netem` has its own random stream (6.6 and later).
pub fn push(batch: &mut Batch, device: &Device, discipline: &Discipline, seed: u64) {
    let subject = |kind: &str| format!("{kind} on {}", device.name);
    let root = header(device, ROOT, DEVICE);
    match *discipline {
        Discipline::Bucket { kind, rate_bps, burst_bytes, room, managed, extra_bytes } => {
            match kind {
                ShaperKind::Tbf => batch.push(NEW_QDISC, CREATE | REPLACE, subject("tbf"), |bytes| {
                    encode_tbf(bytes, &root, rate_bps, burst_bytes, room, extra_bytes);
                }),
                ShaperKind::Htb => {
                    batch.push(NEW_QDISC, CREATE | REPLACE, subject("htb"), |bytes| {
                        let init = TcHtbGlob {
                            version: HTB_VERSION,
                            rate2quantum: RATE_TO_TURN,
                            defcls: FIRST_CLASS & 0xffff,
                            ..Default::default()
                        };
                        let request = tc::OpNewqdiscDo::encode_request(bytes, &root);
                        let _ = encode_stab(request, extra_bytes).nested_options_htb().push_init(init);
                    });
                    batch.push(NEW_CLASS, CREATE, subject("class of htb"), |bytes| {
                        encode_htb_class(bytes, device, rate_bps, burst_bytes);
                    });
                }
            }
            if takes_queue(kind, room, managed) {
                batch.push(NEW_QDISC, CREATE | REPLACE, subject("queue"), |bytes| {
                    let request = tc::OpNewqdiscDo::encode_request(bytes, &header(device, CHILD, FIRST_CLASS));
                    let limit = |limit| TcFifoQopt { limit: saturated(limit) };
                    match (managed, room) {
                        (Some(queue), Buffer::Bytes(limit) | Buffer::Packets(limit)) => queue.encode(request, limit),
                        (None, Buffer::Bytes(bytes)) => drop(request.nested_options_bfifo(&limit(bytes))),
                        (None, Buffer::Packets(packets)) => drop(request.nested_options_pfifo(&limit(packets))),
                    }
                });
            }
        }
        Discipline::Delay { delay_ns, reorder_ppb, slot_ns } => {
            batch.push(NEW_QDISC, CREATE | REPLACE, subject("netem"), |bytes| {
                let gap = u32::from(reorder_ppb > 0);
                let options = TcNetemQopt { limit: UNLIMITED_PACKETS, gap, ..Default::default() };
                let mut request = tc::OpNewqdiscDo::encode_request(bytes, &root)
                    .nested_options_netem(&options)
                    .push_latency64(delay_ns as i64)
                    .push_prng_seed(seed);
                if reorder_ppb > 0 {
                    let probability = loss::threshold(reorder_ppb);
                    request = request.push_reorder(TcNetemReorder { probability, correlation: 0 });
                }
                if slot_ns > 0 {
                    let mut slot = TcNetemSlot::default();
                    (slot.min_delay, slot.max_delay) = (slot_ns as i64, slot_ns as i64);
                    request = request.push_slot(slot);
                }
                let _ = request;
            });
        }
        Discipline::Jitter { jitter_ns } => batch.push(NEW_QDISC, CREATE | REPLACE, subject("netem"), |bytes| {
            // With a rate netem reckons from the departure of the last packet in its queue (`netem_enqueue`): with one
            // that takes no time nothing overtakes, and nothing else changes.
            let half_ns = (jitter_ns / 2) as i64;
            let options = TcNetemQopt { limit: UNLIMITED_PACKETS, ..Default::default() };
            let _ = tc::OpNewqdiscDo::encode_request(bytes, &root)
                .nested_options_netem(&options)
                .push_latency64(half_ns)
                .push_jitter64(half_ns)
                .push_rate64(BOUNDLESS)
                .push_prng_seed(seed);
        }),
        Discipline::Loss { loss_ppb } => loss::push(batch, device, loss_ppb, &loss::SHORT, seed),
        Discipline::LossOfAll { loss_ppb } => loss::push(batch, device, loss_ppb, &loss::OPENING, seed),
        Discipline::Fair => batch.push(NEW_QDISC, CREATE | REPLACE, subject("fq"), |bytes| {
            let _ = tc::OpNewqdiscDo::encode_request(bytes, &root).push_kind(c"fq");
        }),
        Discipline::Counter => batch.push(NEW_QDISC, CREATE | REPLACE, subject("pfifo"), |bytes| {
            let limit = TcFifoQopt { limit: UNLIMITED_PACKETS };
            let _ = tc::OpNewqdiscDo::encode_request(bytes, &root).nested_options_pfifo(&limit);
        }),
        Discipline::Redirect { to } => {
            push_ingress(batch, device);
            push_redirect(batch, device, to, 1, &[ANY]);
        }
    }
}

/// Adds a request that gives the bucket of a hop, at a device's root, another rate. What waits stays, and so does its queue.
pub fn push_rate(batch: &mut Batch, device: &Device, hop: &Hop, rate_bps: u64) {
    let subject = |kind: &str| format!("rate of {kind} on {}", device.name);
    match hop.shaper {
        ShaperKind::Tbf => batch.push(NEW_QDISC, 0, subject("tbf"), |bytes| {
            let (root, extra_bytes) = (header(device, ROOT, DEVICE), hop.extra_bytes());
            encode_tbf(bytes, &root, rate_bps, hop.burst_bytes, hop.buffer, extra_bytes);
        }),
        ShaperKind::Htb => batch.push(NEW_CLASS, 0, subject("htb"), |bytes| {
            encode_htb_class(bytes, device, rate_bps, hop.burst_bytes);
        }),
    }
}

/// The question for a discipline's counters.
pub fn encode_question(bytes: &mut Vec<u8>, device: &Device, handle: u32) {
    let _ = tc::OpGetqdiscDo::encode_request(bytes, &header(device, handle, 0));
}

/// The counters in an answer about a queue, or about what stands before it; none when it has none.
pub fn parse_counters(answer: &[u8], discipline: &QueueDiscipline) -> Option<Counters> {
    let (_, attributes) = tc::OpGetqdiscDo::decode_request(answer);
    let statistics = attributes.get_stats2().ok()?;
    let (basic, queue) = (statistics.get_basic().ok()?, statistics.get_queue().ok()?);
    let own = attributes.get_kind().ok().zip(find_attr(statistics.get_buf(), managed::STATS_APP));
    let marked_packets = own.map_or(0, |(kind, statistics)| managed::marked_packets(kind, statistics, discipline));
    let arriving = own.and_then(|(kind, statistics)| managed::arriving_drops(kind, statistics));
    let dropped_packets = u64::from(queue.drops);
    Some(Counters {
        sent_packets: statistics.get_pkt64().unwrap_or_else(|_| u64::from(basic.packets)),
        sent_bytes: basic.bytes,
        dropped_packets,
        dequeue_dropped_packets: arriving.map(|arriving| dropped_packets.saturating_sub(arriving)),
        marked_packets,
        queued_packets: u64::from(queue.qlen),
        queued_bytes: u64::from(queue.backlog),
    })
}

/// The rate that a `tbf` has when it is asked for this one: it counts bytes a second.
pub const fn rate_in_bytes(rate_bps: u64) -> u64 {
    (rate_bps + 4) / 8
}

/// Adds the discipline of what comes in by a device.
pub fn push_ingress(batch: &mut Batch, device: &Device) {
    batch.push(NEW_QDISC, CREATE | EXCLUSIVE, format!("ingress on {}", device.name), |bytes| {
        let header = header(device, INGRESS_HANDLE, INGRESS);
        let _ = tc::OpNewqdiscDo::encode_request(bytes, &header).push_kind(c"ingress");
    });
}

/// Leads to the device of this number what comes in by another, if it has all bits of one of these lists. Where that is every
/// packet, `matchall` would say it in a word, and not every kernel has it.
pub fn push_redirect(batch: &mut Batch, device: &Device, to: u32, priority: u16, matches: &[&[Match]]) {
    let encode = |bytes: &mut Vec<u8>, matches: &[Match]| {
        // `struct tc_mirred`: number, capabilities, what becomes of the packet, two counts of users, how, and where to.
        let redirect: Vec<u8> = [0, 0, STOLEN, 0, 0, REDIRECT, to].iter().flat_map(|word| word.to_ne_bytes()).collect();
        let header = Tcmsg { info: ip_filter(priority), ..header(device, 0, INGRESS_HANDLE) };
        let mut filter = tc::OpNewtfilterDo::encode_request(bytes, &header).nested_options_u32();
        // Actions are counted from 1; the bindings' array of them begins with 0, which the kernel passes over.
        let bytes = filter.as_vec_mut();
        loss::encode_selector(bytes, matches);
        let actions = push_nested_header(bytes, ACTIONS);
        let first = push_nested_header(bytes, 1);
        let _ = tc::PushActAttrs::new(&mut *bytes).nested_options_mirred().push_parms(&redirect);
        finalize_nested_header(bytes, first);
        finalize_nested_header(bytes, actions);
    };
    for each in matches {
        batch.push(NEW_FILTER, CREATE, format!("u32 filter with mirred on {}", device.name), |bytes| {
            encode(bytes, each)
        });
    }
}

/// Takes away the discipline of what comes in by a device, if filters of this priority lead there.
pub fn remove_ingress(socket: &mut Socket, device: &Device, priority: u16) -> Result<(), Error> {
    let mut is_there = false;
    let question = header(device, 0, INGRESS_HANDLE);
    let encode = |bytes: &mut Vec<u8>| drop(tc::OpGettfilterDump::encode_request(bytes, &question));
    // By where it leads it is not known again: that device may be gone, and is then none (`tcf_mirred_dump`).
    let listed = socket.dump(GET_FILTER, "filters", encode, |filter| {
        is_there |= tc::OpNewtfilterDo::decode_request(filter).0.info >> 16 == u32::from(priority);
    });
    // Without such a discipline there is nothing to list.
    if listed.is_err() || !is_there {
        return Ok(());
    }
    let mut batch = Batch::default();
    batch.push(DELETE_QDISC, 0, format!("ingress on {}", device.name), |bytes| {
        let _ = tc::OpDelqdiscDo::encode_request(bytes, &header(device, INGRESS_HANDLE, INGRESS));
    });
    socket.execute(batch)
}

/// The one class of an `htb`: as deep for its rate as for the most that it may borrow, for there is nobody to borrow from.
fn encode_htb_class(bytes: &mut Vec<u8>, device: &Device, rate_bps: u64, burst_bytes: u64) {
    let rate = rate_in_bytes(rate_bps);
    let spec = || TcRatespec { linklayer: ETHERNET, rate: saturated(rate), ..Default::default() };
    let steps = saturated((burst_bytes * STEPS_PER_S).div_ceil(rate.max(1)));
    let parameters = TcHtbOpt {
        rate: spec(),
        ceil: spec(),
        buffer: steps,
        cbuffer: steps,
        quantum: TURN_BYTES,
        ..Default::default()
    };
    let _ = tc::OpNewtclassDo::encode_request(bytes, &header(device, FIRST_CLASS, ROOT))
        .nested_options_htb()
        .push_parms(parameters)
        .push_rate64(rate)
        .push_ceil64(rate);
}

/// Adds a table of sizes by which each packet counts more, or less (`qdisc_get_stab` and `__qdisc_calculate_pkt_len` in the
/// kernel's `sch_api.c`). A change of the discipline that does not repeat it takes it away.
fn encode_stab<Prev: Pusher>(request: tc::PushAttrs<Prev>, extra_bytes: i32) -> tc::PushAttrs<Prev> {
    if extra_bytes == 0 {
        return request;
    }
    request.nested_stab().push_base(TcSizespec { overhead: extra_bytes, ..Default::default() }).end_nested()
}

fn encode_tbf(bytes: &mut Vec<u8>, header: &Tcmsg, rate_bps: u64, burst_bytes: u64, room: Buffer, extra_bytes: i32) {
    let (Buffer::Bytes(limit) | Buffer::Packets(limit)) = room;
    let rate = rate_in_bytes(rate_bps);
    let parameters = TcTbfQopt {
        rate: TcRatespec { linklayer: ETHERNET, rate: saturated(rate), ..Default::default() },
        peakrate: TcRatespec { linklayer: ETHERNET, ..Default::default() },
        limit: saturated(limit),
        ..Default::default()
    };
    let _ = encode_stab(tc::OpNewqdiscDo::encode_request(bytes, header), extra_bytes)
        .nested_options_tbf()
        .push_parms(parameters)
        .push_rate64(rate)
        .push_burst(saturated(burst_bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_bindings::tc::{GnetStatsBasic, GnetStatsQueue};
    use netlink_bindings::utils::push_header;
    use run::Codel;
    use std::ffi::CStr;

    #[test]
    fn a_rate_is_the_nearest_in_bytes() {
        assert_eq!(rate_in_bytes(80_000_000), 10_000_000);
        assert_eq!((rate_in_bytes(11), rate_in_bytes(12)), (1, 2));
    }

    /// 1600 bytes at 10 Mbit/s are 1.28 ms.
    #[test]
    fn the_burst_of_a_class_is_encoded_as_a_time() {
        let mut bytes = Vec::new();
        let place = super::super::place::Place::Near;
        let device = Device { place, index: 107, name: "near107".to_owned(), offloads: Default::default(), mac: None };
        encode_htb_class(&mut bytes, &device, 10_000_000, 1_600);
        let (read, attributes) = tc::OpNewtclassDo::decode_request(&bytes);
        assert_eq!((read.ifindex, read.handle, read.parent), (107, 0x1_0001, 0x1_0000));
        let Ok(tc::OptionsMsg::Htb(options)) = attributes.get_options() else { panic!("no htb") };
        let parameters = options.get_parms().expect("parameters");
        assert_eq!((parameters.buffer, parameters.cbuffer, parameters.rate.rate), (20_000, 20_000, 1_250_000));
    }

    #[test]
    fn a_bucket_is_encoded_in_bytes() {
        let mut bytes = Vec::new();
        let place = super::super::place::Place::Near;
        let device = Device { place, index: 107, name: "near107".to_owned(), offloads: Default::default(), mac: None };
        let header = header(&device, ROOT, DEVICE);
        encode_tbf(&mut bytes, &header, 40_000_000_000, 5_000, Buffer::Bytes(125_000), 24);
        let (read, attributes) = tc::OpNewqdiscDo::decode_request(&bytes);
        assert_eq!((read.ifindex, read.parent), (107, u32::MAX));
        let Ok(tc::OptionsMsg::Tbf(options)) = attributes.get_options() else { panic!("no tbf") };
        let parameters = options.get_parms().expect("parameters");
        assert_eq!((parameters.limit, parameters.rate.linklayer, parameters.rate.rate), (125_000, 1, u32::MAX));
        assert_eq!((options.get_rate64(), options.get_burst()), (Ok(5_000_000_000), Ok(5_000)));
        let sizes = attributes.get_stab().expect("a table of sizes").get_base().expect("its base");
        assert_eq!((sizes.overhead, sizes.tsize), (24, 0));
    }

    /// An answer with statistics of a queue of its own kind.
    fn answer(kind: &CStr, statistics: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut answer = tc::OpGetqdiscDo::encode_request(&mut bytes, &Tcmsg::default())
            .push_kind(kind)
            .nested_stats2()
            .push_basic(GnetStatsBasic::default())
            .push_queue(GnetStatsQueue { drops: 7, qlen: 3, ..Default::default() });
        push_header(answer.as_vec_mut(), managed::STATS_APP, statistics.len() as u16);
        answer.as_vec_mut().extend(statistics);
        drop(answer);
        bytes
    }

    /// Marks of the kernel's structures, by the places that `include/uapi/linux/pkt_sched.h` has them at.
    #[test]
    fn marks_of_every_kind_are_counted() {
        for (kind, places) in [
            (c"codel", vec![24, 32]),
            (c"fq_codel", vec![12, 28]),
            (c"pie", vec![36]),
            (c"red", vec![12]),
            (c"dualpi2", vec![24]),
        ] {
            let mut statistics = [0; 48];
            places.iter().for_each(|place| statistics[*place] = 5);
            let counters = parse_counters(&answer(kind, &statistics), &QueueDiscipline::Fifo).expect("counters");
            assert_eq!(counters.marked_packets, 5 * places.len() as u64, "{kind:?}");
            assert_eq!((counters.dropped_packets, counters.queued_packets), (7, 3));
        }
        // The law's among those of the threshold, if that takes what has waited for less.
        let mut statistics = [0; 48];
        (statistics[24], statistics[32]) = (5, 7);
        let codel =
            |threshold_ns| Codel { target_ns: 5, interval_ns: 100, ecn: true, ce_threshold_ns: Some(threshold_ns) };
        let marked =
            |discipline| parse_counters(&answer(c"codel", &statistics), &discipline).expect("counters").marked_packets;
        assert_eq!([5, 6].map(|threshold_ns| marked(QueueDiscipline::Codel(codel(threshold_ns)))), [7, 12]);
        // `drop_overlimit`.
        for (kind, place, late) in [(c"codel", 20, Some(5)), (c"fq_codel", 8, Some(5)), (c"red", 0, None)] {
            let mut statistics = [0; 48];
            statistics[place] = 2;
            let counters = parse_counters(&answer(kind, &statistics), &QueueDiscipline::Fifo).expect("counters");
            assert_eq!(counters.dequeue_dropped_packets, late, "{kind:?}");
        }
        let mut statistics = [0; 88];
        statistics[80] = 9;
        assert_eq!(
            parse_counters(&answer(c"fq", &statistics), &QueueDiscipline::Fifo).expect("counters").marked_packets,
            9
        );
        let mut tins = Vec::new();
        let mut array = tc::PushCakeStatsAttrs::new(&mut tins).array_tin_stats();
        for marked in [2, 3] {
            array = array.entry_nested().push_ecn_marked_packets(marked).end_nested();
        }
        drop(array);
        assert_eq!(
            parse_counters(&answer(c"cake", &tins), &QueueDiscipline::Fifo).expect("counters").marked_packets,
            5
        );
        assert_eq!(parse_counters(&answer(c"pfifo", &[]), &QueueDiscipline::Fifo).expect("counters").marked_packets, 0);
    }
}
