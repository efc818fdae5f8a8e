//! [`AddressPair`]: the hosts of a flow.

use crate::error::Error;
use run::{Access, Direction, Ecn, Flow, Hop, Path, Qdisc, Run, ShaperAt};
use std::net::Ipv4Addr;
use std::ops::Range;

/// Frames that one may overtake when a path is made to reorder and has no forward delay to overtake in.
const OVERTAKEN_FRAMES: u64 = 8;

/// A pair of addresses, and what leads there: a sending and a receiving host. Flows of the same delays share a pair
/// where nothing of a host can be felt: no line of its own, no queue, no timing noise, nothing that its NIC does; and no
/// programs, whose connections are known by their addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressPair {
    /// Its flow's own line, if any.
    pub access: Option<Access>,
    /// Where its data goes.
    pub direction: Direction,
    /// The hops that it passes, of those of its direction.
    pub data_hops: Range<usize>,
    /// Those that its ACKs pass, of the other direction; none where there is nothing but delay.
    pub ack_hops: Range<usize>,
    /// Delay from the last of its data's hops to the receiver.
    pub forward_delay_ns: u64,
    /// Delay from the last of its ACKs' hops, or the receiver, to the sender.
    pub return_delay_ns: u64,
    /// Its hosts run programs.
    pub has_programs: bool,
    /// What its sender offers.
    pub ecn: Ecn,
    /// Addresses of its sender and receiver, where these are other machines.
    pub hosts: Option<(Ipv4Addr, Ipv4Addr)>,
}

impl AddressPair {
    /// Where it leaves its hops, the last of them, and the delay behind: its data if it goes this way, else its ACKs.
    /// None: what goes this way passes none.
    pub fn leaves(&self, direction: Direction) -> Option<(usize, u64)> {
        let (hops, delay_ns) = if self.direction == direction {
            (&self.data_hops, self.forward_delay_ns)
        } else {
            (&self.ack_hops, self.return_delay_ns)
        };
        Some((hops.end.checked_sub(1)?, delay_ns))
    }
}

/// Refuses what no plan can do.
///
/// # Errors
/// It is named.
pub fn check(run: &Run) -> Result<(), Error> {
    let path = &run.path;
    if path.has_several_hops() && path.shaper_at == ShaperAt::Receiver {
        return Err(Error::new(
            "path.shaper_at",
            "the receivers' ingress is a place for the only queue of a path, and this one has several",
        ));
    }
    for (index, flow) in run.flows.iter().enumerate() {
        let refused = |reason: &str| Err(Error::new(format_args!("flows[{index}] ({})", flow.name), reason));
        let [data, acks] = ways(flow, path);
        if data.hops.is_empty() {
            return refused("its data goes up, and path.back has no hops");
        }
        for way in [data, acks] {
            let Some(passed) = path.hops(way.direction).get(way.hops.clone()).map(<[Hop]>::to_vec) else {
                return refused("it passes hops that the path does not have");
            };
            if inner_delay_ns(&passed) > way.delay_ns {
                return refused("the delays of its hops add up to more than its own");
            }
        }
    }
    Ok(())
}

/// The pairs, in order of their first flow; and each flow's.
pub fn pairs(run: &Run, reorder_ppb: u32, hosts: Option<&[(Ipv4Addr, Ipv4Addr)]>) -> (Vec<AddressPair>, Vec<usize>) {
    let hosts_are_felt = jitter(run).is_some() || run.host.qdisc == Qdisc::Fq || has_nics(run);
    let mut pairs: Vec<AddressPair> = Vec::new();
    let pair_of_flow = run
        .flows
        .iter()
        .enumerate()
        .map(|(index, flow)| {
            let hosts = hosts.and_then(|hosts| hosts.get(index)).copied();
            let own = pair(flow, run, reorder_ppb);
            let ecn = if hosts.is_none() { own.ecn } else { Ecn::Off };
            let pair = AddressPair { hosts, ecn, ..own };
            let alone = pair.access.is_some() || hosts.is_none() && (hosts_are_felt || pair.has_programs);
            let shared = pairs.iter().position(|other| *other == pair).filter(|_| !alone);
            shared.unwrap_or_else(|| {
                pairs.push(pair);
                pairs.len() - 1
            })
        })
        .collect();
    (pairs, pair_of_flow)
}

/// The senders' timing noise, if any.
pub fn jitter(run: &Run) -> Option<u64> {
    run.path.jitter_ns.filter(|ns| *ns > 0)
}

/// The receivers' NICs do something with what arrives.
pub const fn has_nics(run: &Run) -> bool {
    run.host.gro || run.host.ack_aggregation_ns > 0
}

/// A path that is to reorder needs a forward delay to be overtaken in: it is taken from the way back, so that the
/// round-trip time stays.
fn pair(flow: &Flow, run: &Run, reorder_ppb: u32) -> AddressPair {
    let [data, acks] = ways(flow, &run.path);
    let [forward_delay_ns, return_delay_ns] = [&data, &acks].map(|way| way.left_over_ns(&run.path));
    let frames_ns = OVERTAKEN_FRAMES * run.path.frame_bytes() * 8_000_000_000 / run.path.rate_bps.max(1);
    let moved_ns = if reorder_ppb > 0 && forward_delay_ns == 0 { frames_ns.min(return_delay_ns) } else { 0 };
    AddressPair {
        access: flow.access,
        direction: flow.direction,
        data_hops: data.hops,
        ack_hops: acks.hops,
        forward_delay_ns: forward_delay_ns + moved_ns,
        return_delay_ns: return_delay_ns - moved_ns,
        has_programs: flow.is_program(),
        ecn: flow.ecn,
        hosts: None,
    }
}

/// One way of a flow's packets.
struct Way {
    direction: Direction,
    hops: Range<usize>,
    /// The whole way's.
    delay_ns: u64,
}

/// That of its data, and that of its ACKs.
fn ways(flow: &Flow, path: &Path) -> [Way; 2] {
    [
        Way { direction: flow.direction, hops: flow.data_hops(path), delay_ns: flow.forward_delay_ns },
        Way { direction: flow.direction.reversed(), hops: flow.ack_hops(path), delay_ns: flow.return_delay_ns },
    ]
}

impl Way {
    /// What its hops leave over of its delay. That there is as much was found before.
    fn left_over_ns(&self, path: &Path) -> u64 {
        let hops = path.hops(self.direction);
        self.delay_ns.saturating_sub(inner_delay_ns(hops.get(self.hops.clone()).unwrap_or_default()))
    }
}

/// The delays between hops: behind the last one a flow has its own.
fn inner_delay_ns(hops: &[Hop]) -> u64 {
    hops.split_last().map_or(0, |(_, before)| before.iter().map(|hop| hop.delay_ns).sum())
}
