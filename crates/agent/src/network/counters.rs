//! [`Counters`]: what a queueing discipline counted, in the kernel's answers.

use super::device::Device;
use super::handle::header;
use super::managed;
use netlink_bindings::tc;
use netlink_bindings::utils::find_attr;
use run::QueueDiscipline;

/// `RTM_GETQDISC`.
pub const GET_QDISC: u16 = 38;

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

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_bindings::tc::{GnetStatsBasic, GnetStatsQueue, Tcmsg};
    use netlink_bindings::traits::Pusher;
    use netlink_bindings::utils::push_header;
    use run::Codel;
    use std::ffi::CStr;

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
