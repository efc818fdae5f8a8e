//! What follows from a path's fields: sizes of frames and segments, round-trip times, its hops, and which of them a flow
//! passes.

use crate::change::Change;
use crate::hop::{Direction, ETHERNET_HEADER_BYTES, Hop, changes_of};
use crate::request::{Flow, Path, Run};
use std::ops::Range;

/// What the one hop of a path without a list of them is called.
const BOTTLENECK: &str = "bottleneck";
/// What the one hop of a way back without a list is called; no other may be.
const BACK: &str = "back";

/// Headers of a data segment within the MTU: IP 20, TCP 20, timestamps 12 bytes.
pub const SEGMENT_HEADERS_BYTES: u32 = 52;
/// Headers of a datagram within the MTU: IP 20, UDP 8 bytes.
pub const UDP_HEADERS_BYTES: u32 = 28;
/// Headers of a data segment on a host's link.
pub const FRAME_HEADERS_BYTES: u32 = ETHERNET_HEADER_BYTES + SEGMENT_HEADERS_BYTES;

impl Path {
    /// A full frame, as the bottleneck counts it.
    pub const fn frame_bytes(&self) -> u64 {
        self.mtu_bytes as u64 + self.overhead_bytes as u64
    }

    /// A full frame, as a host's link counts it.
    pub const fn ethernet_frame_bytes(&self) -> u64 {
        self.mtu_bytes as u64 + ETHERNET_HEADER_BYTES as u64
    }

    /// What the bottleneck counts a frame beyond what a host's link does.
    pub const fn extra_bytes(&self) -> i32 {
        self.overhead_bytes as i32 - ETHERNET_HEADER_BYTES as i32
    }

    /// Payload of a full segment.
    pub const fn mss_bytes(&self) -> u32 {
        self.mtu_bytes - SEGMENT_HEADERS_BYTES
    }
}

impl Flow {
    /// Round-trip time of an empty path, without transmission.
    pub const fn base_rtt_ns(&self) -> u64 {
        self.forward_delay_ns + self.return_delay_ns
    }
}

impl Path {
    /// The hops of a direction, in the order in which packets pass them: those that are listed, or the one that the path's
    /// own fields describe. On a way back without hops there is nothing but delay.
    pub fn hops(&self, direction: Direction) -> Vec<Hop> {
        match direction {
            Direction::Up => self.back.clone(),
            Direction::Down if self.hops.is_empty() => vec![Hop {
                name: BOTTLENECK.to_owned(),
                rate_bps: self.rate_bps,
                buffer: self.buffer,
                qdisc: self.qdisc,
                delay_ns: 0,
                overhead_bytes: self.overhead_bytes,
                burst_bytes: self.burst_bytes,
                shaper: self.shaper,
                loss_ppb: self.loss_ppb,
                loss_at: self.loss_at,
                police: self.police,
                impairments: self.impairments,
                changes: self.changes.clone(),
                trace: self.trace.clone(),
            }],
            Direction::Down => self.hops.clone(),
        }
    }

    /// How many hops a direction has.
    pub fn links(&self, direction: Direction) -> usize {
        match direction {
            Direction::Down => self.hops.len().max(1),
            Direction::Up => self.back.len(),
        }
    }

    /// The changes of each hop of a direction.
    fn changes(&self, direction: Direction) -> Vec<&[Change]> {
        match direction {
            Direction::Down if self.hops.is_empty() => vec![changes_of(&self.changes, self.trace.as_ref())],
            Direction::Down => self.hops.iter().map(Hop::changes_in_time).collect(),
            Direction::Up => self.back.iter().map(Hop::changes_in_time).collect(),
        }
    }

    /// The tables of a spec that describe these hops.
    pub fn tables(&self, direction: Direction) -> impl Iterator<Item = String> {
        let (only, list, count) = match direction {
            Direction::Down => ((self.hops.is_empty()).then_some("path"), "hops", self.hops.len().max(1)),
            Direction::Up => {
                let is_only = self.back.first().is_some_and(|hop| hop.name == BACK);
                (is_only.then_some("path.back"), "path.back.hops", self.back.len())
            }
        };
        (0..count).map(move |place| only.map_or_else(|| format!("{list}[{place}]"), str::to_owned))
    }

    /// Which of these is the bottleneck: the one that the path names, and on the way back the slowest; of equals the first.
    /// None where there are no hops.
    pub fn bottleneck(&self, direction: Direction) -> Option<usize> {
        match direction {
            Direction::Down => Some(self.bottleneck),
            Direction::Up => (0..self.back.len()).min_by_key(|place| self.back[*place].rate_bps),
        }
    }

    /// There is more than one queue.
    pub fn has_several_hops(&self) -> bool {
        self.hops.len().max(1) + self.back.len() > 1
    }

    /// How long its queues remember what they dropped.
    pub fn memory_ns(&self) -> u64 {
        let hops = [Direction::Down, Direction::Up].into_iter().flat_map(|direction| self.hops(direction));
        hops.map(|hop| hop.qdisc.memory_ns()).max().unwrap_or(0)
    }
}

impl Flow {
    /// The places of the hops that its data passes, of those of its direction.
    pub fn data_hops(&self, path: &Path) -> Range<usize> {
        passed(self.route.data, path, self.direction)
    }

    /// The places of the hops that its ACKs pass, of those of the other direction.
    pub fn ack_hops(&self, path: &Path) -> Range<usize> {
        passed(self.route.acks, path, self.direction.reversed())
    }
}

fn passed(route: Option<(usize, usize)>, path: &Path, direction: Direction) -> Range<usize> {
    route.map_or(0..path.links(direction), |(first, last)| first..last + 1)
}

/// The changes of a run's hops: the direction of each and its place among the hops of that, when, and to what. In order of time; of
/// one instant those of the path first.
#[derive(Clone, Debug)]
pub struct Changes<'run> {
    /// Those to come, by hop.
    hops: Vec<(Direction, usize, &'run [Change])>,
}

impl<'run> Changes<'run> {
    /// All of a run.
    pub fn of(run: &'run Run) -> Self {
        let path = &run.path;
        let of =
            |direction| path.changes(direction).into_iter().enumerate().map(move |(hop, own)| (direction, hop, own));
        Self { hops: Direction::BOTH.into_iter().flat_map(of).filter(|(.., own)| !own.is_empty()).collect() }
    }

    /// When the next one is.
    pub fn next_ns(&self) -> Option<u64> {
        self.hops.iter().filter_map(|(.., own)| own.first()).map(|change| change.at_ns).min()
    }
}

impl<'run> Iterator for Changes<'run> {
    type Item = (Direction, usize, &'run Change);

    fn next(&mut self) -> Option<Self::Item> {
        let at_ns = self.next_ns()?;
        let is_next = |own: &[Change]| own.first().is_some_and(|change| change.at_ns == at_ns);
        let (direction, hop, own) = self.hops.iter_mut().find(|(.., own)| is_next(own))?;
        let (first, rest) = own.split_first()?;
        *own = rest;
        Some((*direction, *hop, first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use crate::hop::Route;
    use crate::queue_discipline::{Codel, QueueDiscipline};
    use crate::samples::one_flow;

    fn hop(name: &str, rate_bps: u64) -> Hop {
        Hop { name: name.to_owned(), rate_bps, ..one_flow("reno", 8, 1, 1, 1).path.hops(Direction::Down).remove(0) }
    }

    #[test]
    fn a_path_without_a_list_is_one_hop_and_delay_back() {
        let run = one_flow("reno", 80_000_000, 25_000_000, 250_000, 1);
        let [only] = &run.path.hops(Direction::Down)[..] else { panic!("one hop") };
        assert_eq!((&*only.name, only.rate_bps, only.buffer), ("bottleneck", 80_000_000, Buffer::Bytes(250_000)));
        assert!(run.path.hops(Direction::Up).is_empty() && !run.path.has_several_hops());
        assert_eq!((run.flows[0].data_hops(&run.path), run.flows[0].ack_hops(&run.path)), (0..1, 0..0));
        assert_eq!((run.path.bottleneck(Direction::Down), run.path.bottleneck(Direction::Up)), (Some(0), None));
    }

    #[test]
    fn a_path_remembers_as_long_as_its_slowest_codel() {
        let mut run = one_flow("reno", 80_000_000, 25_000_000, 250_000, 1);
        assert_eq!(run.path.memory_ns(), 0);
        let codel = |interval_ns| {
            QueueDiscipline::Codel(Codel { target_ns: 5_000_000, interval_ns, ecn: false, ce_threshold_ns: None })
        };
        run.path.hops = vec![Hop { qdisc: codel(100_000_000), ..hop("first", 100) }, hop("last", 50)];
        assert_eq!(run.path.memory_ns(), 1_600_000_000);
        run.path.back = vec![Hop { qdisc: codel(200_000_000), ..hop("back", 10) }];
        assert_eq!(run.path.memory_ns(), 3_200_000_000);
    }

    #[test]
    fn a_run_without_hops_says_nothing_of_them() {
        let run = one_flow("reno", 80_000_000, 25_000_000, 250_000, 1);
        let text = serde_json::to_string(&run).expect("JSON");
        assert!(!["hops", "back", "bottleneck", "direction", "route"].iter().any(|word| text.contains(word)), "{text}");
        assert_eq!(serde_json::from_str::<Run>(&text).expect("a run"), run);
    }

    #[test]
    fn a_flow_passes_all_hops_or_some() {
        let mut run = one_flow("reno", 50, 25_000_000, 250_000, 1);
        run.path.hops = vec![hop("first", 100), hop("core", 50), hop("last", 100)];
        run.path.bottleneck = 1;
        run.path.back = vec![hop("up", 9), hop("out", 5), hop("far", 5)];
        let mut flow = run.flows[0].clone();
        assert_eq!((flow.data_hops(&run.path), flow.ack_hops(&run.path)), (0..3, 0..3));
        flow.route = Route { data: Some((1, 1)), acks: None };
        assert_eq!((flow.data_hops(&run.path), flow.ack_hops(&run.path)), (1..2, 0..3));
        flow.direction = Direction::Up;
        assert_eq!(flow.route.data.map(|_| flow.data_hops(&run.path)), Some(1..2));
        assert_eq!(run.path.bottleneck(Direction::Up), Some(1), "the first of the slowest");
        run.path.hops[2].changes = vec![Change::of_rate(7, 3)];
        run.path.back[0].changes = vec![Change::of_rate(2, 5), Change::of_rate(7, 4)];
        let when: Vec<_> = Changes::of(&run).map(|(of, place, change)| (of, place, change.rate_bps)).collect();
        assert_eq!(when, [(Direction::Up, 0, Some(5)), (Direction::Down, 2, Some(3)), (Direction::Up, 0, Some(4))]);
        let text = serde_json::to_string(&run).expect("JSON");
        assert_eq!(serde_json::from_str::<Run>(&text).expect("a run"), run);
    }
}
