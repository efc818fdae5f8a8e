//! [`Discipline`]: a queueing discipline, and the requests for it.
//!
//! Each is at its device's root with handle `1:`. A `tbf` is told its burst in bytes and its link layer, so that
//! neither clock ticks nor rate tables round it; its rate is in whole bytes a second, the nearest to what is asked.
//! Its own queue is a `bfifo` of `limit` bytes, which counts frames with their Ethernet header, as the model's queue
//! does; where the run counts packets, a `pfifo` takes its place, and where the queue is managed, a [`ManagedQueue`]. An `htb`
//! has one class, through which all goes, with the same queues; its burst is a time, in steps of 64 ns (`PSCHED_SHIFT`).
//!
//! What comes in by a device can be led through another one first, an `ifb`: to the kernel that is an action of a filter
//! of the discipline `ingress` ([`super::ingress`]). Loss is in [`super::loss`].

use super::bucket::{
    OPEN_BPS, OPEN_BYTES, STEPS_PER_S, encode_htb_class, encode_stab, encode_tbf, rate_in_bytes, rate_spec, stab_text,
};
use super::device::{Device, ifb_name};
use super::handle::{
    BEHIND_VALVE, CHILD, DEVICE, FIRST_CLASS, GRANDCHILD, NEW_QDISC, ROOT, UNLIMITED_PACKETS, header, ip_filter,
    saturated,
};
use super::impaired;
use super::ingress::{ANY, INGRESS, INGRESS_HANDLE, push_action, push_redirect};
use super::loss::{self, Law, Match};
use super::machine::Means;
use super::managed::ManagedQueue;
use crate::error::Error;
use crate::netlink::{Batch, CREATE, EXCLUSIVE, REPLACE};
use netlink_bindings::tc::{
    self, TcFifoQopt, TcHtbGlob, TcNetemQopt, TcNetemReorder, TcNetemSlot, TcPolice, TcRatespec, Tcmsg,
};
use run::{Buffer, ETHERNET_HEADER_BYTES, GilbertElliott, Impairments, ShaperKind};

/// `RTM_NEWTCLASS`.
const NEW_CLASS: u16 = 40;

/// Bytes a second at which a frame takes no time.
pub const BOUNDLESS: u64 = 1 << 63;
/// `TC_HTB_PROTOVER`.
const HTB_VERSION: u32 = 3;
/// `r2q`, of which nothing follows where a class is told its turn.
const RATE_TO_TURN: u32 = 10;
/// What leaves by a device, before its queue (`TC_H_CLSACT` with `TC_H_MIN_EGRESS`).
const LEAVING: u32 = 0xffff_fff3;
/// `TC_ACT_SHOT`, and `TC_ACT_OK`.
const SHOT: i32 = 2;
const PASS: u32 = 0;
/// What lengths would cost (`TC_RTAB_SIZE`): a kernel that reckons itself reads nothing of it.
const RATE_TABLE: [u8; 1_024] = [0; 1_024];

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
        /// Between an `htb` and its queue is a `tbf` without a rate of its own, which is shut where nothing is to leave.
        has_valve: bool,
    },
    /// Token bucket without a queue: an action of a filter of what leaves.
    Police {
        /// Rate on frames.
        rate_bps: u64,
        /// Depth of the bucket.
        burst_bytes: u64,
        /// Rate of the bucket of one frame.
        peak_bps: Option<u64>,
        /// Largest packet.
        mtu_bytes: u32,
        /// What it counts for each packet beyond its frame.
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
    /// Loss in bursts, of packets that carry data or of all but those that open a connection.
    BurstLoss {
        /// By what law.
        channel: GilbertElliott,
        /// Of all.
        of_all: bool,
    },
    /// Packets come twice, damaged, or out of order.
    Impaired(Impairments),
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
            Self::Delay { .. } | Self::Jitter { .. } | Self::Impaired(_) => means.netem,
            Self::Loss { .. } | Self::LossOfAll { .. } | Self::BurstLoss { .. } => means.loss,
            Self::Bucket { .. } | Self::Police { .. } | Self::Fair | Self::Counter | Self::Redirect { .. } => true,
        }
    }

    /// Refuses what the kernel would round, or take for something else.
    pub fn check(self) -> Result<(), Error> {
        if let Self::Police { rate_bps, burst_bytes, extra_bytes, .. } = self {
            let steps = burst_bytes.saturating_mul(STEPS_PER_S) / rate_in_bytes(rate_bps).max(1);
            let counts =
                rate_in_bytes(rate_bps) > 0 && steps <= u64::from(u32::MAX) && u8::try_from(extra_bytes).is_ok();
            let reason = "a policer has a rate, a burst of up to 274 s of it, and an overhead from that of Ethernet on";
            return if counts { Ok(()) } else { Err(Error::new(self.text(), reason)) };
        }
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
            Self::Bucket { kind: ShaperKind::Police, .. } | Self::Police { .. } => "police",
            Self::Delay { .. } | Self::Jitter { .. } | Self::Impaired(_) => "netem",
            Self::Loss { .. } | Self::LossOfAll { .. } | Self::BurstLoss { .. } => "prio with netem",
            Self::Fair => "fq",
            Self::Counter => "pfifo",
            Self::Redirect { .. } => "ingress",
        }
    }

    /// Where below its device what waits is counted, and what is dropped there.
    pub const fn queue_handle(self) -> u32 {
        match self {
            Self::Bucket { managed: Some(_), has_valve: true, .. } => GRANDCHILD,
            Self::Bucket { managed: Some(_), .. } => CHILD,
            Self::Police { .. } => INGRESS_HANDLE,
            _ => ROOT,
        }
    }

    /// The action of a policer; none: it is none.
    pub fn police_text(self) -> Option<String> {
        let Self::Police { rate_bps, burst_bytes, peak_bps, mtu_bytes, extra_bytes } = self else { return None };
        let peak = peak_bps.map_or_else(String::new, |bps| format!(" peakrate {}bps", rate_in_bytes(bps)));
        let (rate, mtu) = (rate_in_bytes(rate_bps), mtu_bytes + ETHERNET_HEADER_BYTES);
        let overhead = if extra_bytes == 0 { String::new() } else { format!(" overhead {extra_bytes}") };
        Some(format!("police rate {rate}bps burst {burst_bytes}{peak} mtu {mtu}{overhead} conform-exceed drop/ok"))
    }

    /// As `tc` would be told.
    pub fn text(self) -> String {
        match self {
            Self::Bucket { rate_bps, burst_bytes, room, managed, extra_bytes, has_valve, .. } => {
                let (kind, rate) = (self.kind(), rate_in_bytes(rate_bps));
                let (stab, valve) = (stab_text(extra_bytes), if has_valve { ", tbf that is open" } else { "" });
                format!("{stab}{kind} rate {rate} bytes/s burst {burst_bytes}{valve}, {}", queue_text(room, managed))
            }
            Self::Police { .. } => self.police_text().unwrap_or_default(),
            Self::BurstLoss { channel, of_all } => {
                let of = if of_all { "of all but SYNs" } else { "from 64 bytes on" };
                format!("prio, netem {} {of}", loss::bursts_text(channel))
            }
            Self::Impaired(impairments) => impaired::text(&impairments),
            Self::Delay { delay_ns, reorder_ppb, slot_ns } => {
                let mut text = format!("netem delay {delay_ns}ns");
                if reorder_ppb > 0 {
                    text += &format!(" reorder {reorder_ppb} ppb");
                }
                if slot_ns > 0 {
                    text += &format!(" slot {slot_ns}ns {slot_ns}ns: packets leave in lumps");
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
        Discipline::Bucket { kind, rate_bps, burst_bytes, room, managed, extra_bytes, has_valve } => {
            match kind {
                ShaperKind::Police => {} // that is none
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
            if has_valve {
                batch.push(NEW_QDISC, CREATE | REPLACE, subject("valve"), |bytes| {
                    encode_tbf(bytes, &header(device, CHILD, FIRST_CLASS), OPEN_BPS, OPEN_BYTES, room, 0);
                });
            }
            // The valve's own queue counts bytes.
            let above = if has_valve { ShaperKind::Tbf } else { kind };
            if takes_queue(above, room, managed) {
                let (handle, parent) = if has_valve { (GRANDCHILD, BEHIND_VALVE) } else { (CHILD, FIRST_CLASS) };
                batch.push(NEW_QDISC, CREATE | REPLACE, subject("queue"), |bytes| {
                    encode_queue(bytes, &header(device, handle, parent), room, managed);
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
        Discipline::Loss { loss_ppb } => loss::push(batch, device, Law::Independent(loss_ppb), &loss::SHORT, seed),
        Discipline::LossOfAll { loss_ppb } => {
            loss::push(batch, device, Law::Independent(loss_ppb), &loss::OPENING, seed);
        }
        Discipline::BurstLoss { channel, of_all } => {
            let spared: &[Match] = if of_all { &loss::OPENING } else { &loss::SHORT };
            loss::push(batch, device, Law::Bursts(channel), spared, seed);
        }
        Discipline::Impaired(impairments) => batch.push(NEW_QDISC, CREATE | REPLACE, subject("netem"), |bytes| {
            impaired::encode(bytes, &root, &impairments, seed);
        }),
        Discipline::Police { rate_bps, burst_bytes, peak_bps, mtu_bytes, extra_bytes } => {
            push(batch, device, &Discipline::Counter, seed);
            batch.push(NEW_QDISC, CREATE | EXCLUSIVE, subject("clsact"), |bytes| {
                let header = header(device, INGRESS_HANDLE, INGRESS);
                let _ = tc::OpNewqdiscDo::encode_request(bytes, &header).push_kind(c"clsact");
            });
            let spec = |rate_bps: u64| rate_spec(rate_in_bytes(rate_bps), extra_bytes);
            let (rate, peak) = (rate_in_bytes(rate_bps), peak_bps.map(rate_in_bytes));
            let parameters = TcPolice {
                action: SHOT,
                burst: saturated((burst_bytes * STEPS_PER_S).div_ceil(rate.max(1))),
                mtu: mtu_bytes + ETHERNET_HEADER_BYTES,
                rate: spec(rate_bps),
                peakrate: peak_bps.map_or_else(TcRatespec::default, spec),
                ..Default::default()
            };
            let filter = Tcmsg { info: ip_filter(1), ..header(device, 0, LEAVING) };
            push_action(batch, subject("u32 filter with police"), filter, ANY, |bytes| {
                let options = tc::PushActAttrs::new(bytes).nested_options_police();
                let mut options =
                    options.push_tbf(parameters).push_rate(&RATE_TABLE).push_rate64(rate).push_result(PASS);
                if let Some(peak) = peak {
                    options = options.push_peakrate(&RATE_TABLE).push_peakrate64(peak);
                }
                let _ = options;
            });
        }
        Discipline::Fair => batch.push(NEW_QDISC, CREATE | REPLACE, subject("fq"), |bytes| {
            let _ = tc::OpNewqdiscDo::encode_request(bytes, &root).push_kind(c"fq");
        }),
        Discipline::Counter => batch.push(NEW_QDISC, CREATE | REPLACE, subject("pfifo"), |bytes| {
            let limit = TcFifoQopt { limit: UNLIMITED_PACKETS };
            let _ = tc::OpNewqdiscDo::encode_request(bytes, &root).nested_options_pfifo(&limit);
        }),
        Discipline::Redirect { to } => push_redirect(batch, device, None, to, &[ANY]),
    }
}

/// Adds the requests that make what is at a device this discipline, which differs from it in its rate, its room, its loss or its
/// delay. What waits stays, and so does its queue.
pub fn push_change(batch: &mut Batch, device: &Device, discipline: &Discipline) {
    let subject = |kind: &str| format!("change of {kind} on {}", device.name);
    match *discipline {
        Discipline::Bucket { kind: ShaperKind::Tbf, rate_bps, burst_bytes, room, extra_bytes, .. } => {
            batch.push(NEW_QDISC, 0, subject("tbf"), |bytes| {
                encode_tbf(bytes, &header(device, ROOT, DEVICE), rate_bps, burst_bytes, room, extra_bytes);
            });
        }
        Discipline::Bucket { kind: ShaperKind::Htb, rate_bps, burst_bytes, room, managed, has_valve, .. } => {
            if rate_bps > 0 {
                batch.push(NEW_CLASS, 0, subject("htb"), |bytes| {
                    encode_htb_class(bytes, device, rate_bps, burst_bytes);
                });
            }
            if has_valve {
                let open_bps = if rate_bps > 0 { OPEN_BPS } else { 0 };
                batch.push(NEW_QDISC, 0, subject("valve"), |bytes| {
                    encode_tbf(bytes, &header(device, CHILD, FIRST_CLASS), open_bps, OPEN_BYTES, room, 0);
                });
            } else if managed.is_none() {
                batch.push(NEW_QDISC, 0, subject("queue"), |bytes| {
                    encode_queue(bytes, &header(device, CHILD, FIRST_CLASS), room, None);
                });
            }
        }
        Discipline::Loss { loss_ppb } | Discipline::LossOfAll { loss_ppb } => {
            loss::push_change(batch, device, loss_ppb)
        }
        Discipline::Delay { delay_ns, .. } => batch.push(NEW_QDISC, 0, subject("netem"), |bytes| {
            // Slots that are not named stay (`netem_change`).
            let options = TcNetemQopt { limit: UNLIMITED_PACKETS, ..Default::default() };
            let _ = tc::OpNewqdiscDo::encode_request(bytes, &header(device, ROOT, DEVICE))
                .nested_options_netem(&options)
                .push_latency64(delay_ns as i64);
        }),
        _ => {}
    }
}

fn encode_queue(bytes: &mut Vec<u8>, header: &Tcmsg, room: Buffer, managed: Option<ManagedQueue>) {
    let request = tc::OpNewqdiscDo::encode_request(bytes, header);
    let limit = |limit| TcFifoQopt { limit: saturated(limit) };
    match (managed, room) {
        (Some(queue), Buffer::Bytes(limit) | Buffer::Packets(limit)) => queue.encode(request, limit),
        (None, Buffer::Bytes(bytes)) => drop(request.nested_options_bfifo(&limit(bytes))),
        (None, Buffer::Packets(packets)) => drop(request.nested_options_pfifo(&limit(packets))),
    }
}
