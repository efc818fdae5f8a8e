//! [`DatagramLog`]: what a flow of datagrams has sent and what arrived. The same on every engine.

use crate::{
    Datagram, Datagrams, Flow, FlowCounters, FlowMeasurement, Gauges, Histogram, MEDIA_PHASES, Measure, Media,
    MediaSettings, Run, SentDatagrams, UDP_HEADERS_BYTES, Workload,
};
use std::ops::Range;

/// The datagrams of one flow: when the next is due, and by their numbers what became of those that were sent. A ping has
/// arrived when its answer is back at the sender, every other at the receiver.
#[derive(Debug)]
pub struct DatagramLog {
    window_begin_ns: u64,
    window_end_ns: u64,
    /// They are pings.
    are_answered: bool,
    schedule: Schedule,
    sent: Vec<Sent>,
    arrived: u64,
    arrived_bytes: u64,
    /// One more than the largest number that has arrived.
    resolved: usize,
    last_delay_ns: u64,
}

/// What says when datagrams are sent.
#[derive(Debug)]
enum Schedule {
    /// They do not depend on what becomes of them.
    Fixed { start_ns: u64, datagrams: Datagrams, next: Option<Datagram> },
    /// They answer to what the receiver reports.
    Media(Box<Media>),
}

impl Schedule {
    fn of(run: &Run, flow: &Flow) -> Option<Self> {
        if let Workload::Media { least_bps, most_bps, frames, deadline_ns } = flow.workload {
            let room_bytes = run.path.mtu_bytes - UDP_HEADERS_BYTES;
            let settings = MediaSettings { limits_bps: [least_bps, most_bps], frames, deadline_ns, room_bytes };
            return Some(Self::Media(Box::new(Media::new(run.seed, &flow.name, settings, flow.start_ns))));
        }
        let mut datagrams = Datagrams::of(run.seed, flow)?;
        Some(Self::Fixed { start_ns: flow.start_ns, next: datagrams.next(), datagrams })
    }
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    at_ns: u64,
    /// `u64::MAX`: it has not arrived.
    delay_ns: u64,
    bytes: u32,
}

const NOT_ARRIVED_NS: u64 = u64::MAX;

impl DatagramLog {
    /// Of this flow of a run, nothing sent yet; none: it is a TCP connection, or a source of them.
    pub fn of(run: &Run, flow: &Flow) -> Option<Self> {
        let schedule = Schedule::of(run, flow)?;
        let Measure { window_begin_ns, window_end_ns, .. } = run.measure;
        Some(Self {
            window_begin_ns,
            window_end_ns,
            are_answered: flow.has_pings(),
            schedule,
            sent: Vec::new(),
            arrived: 0,
            arrived_bytes: 0,
            resolved: 0,
            last_delay_ns: 0,
        })
    }

    /// The receiver sends each back.
    pub const fn are_answered(&self) -> bool {
        self.are_answered
    }

    /// When the next one is due, or of media anything at either end; none: there is none.
    pub fn next_ns(&self) -> Option<u64> {
        match &self.schedule {
            Schedule::Fixed { start_ns, next, .. } => next.map(|next| start_ns + next.at_ns),
            Schedule::Media(media) => Some(media.next_ns()),
        }
    }

    /// The next one is sent now, if one is due. Gives its number and its payload.
    pub fn send(&mut self, at_ns: u64) -> Option<(u32, u32)> {
        let bytes = match &mut self.schedule {
            Schedule::Fixed { next, datagrams, .. } => std::mem::replace(next, datagrams.next())?.bytes,
            Schedule::Media(media) => media.send(at_ns)?,
        };
        self.sent.push(Sent { at_ns, delay_ns: NOT_ARRIVED_NS, bytes });
        Some(((self.sent.len() - 1) as u32, bytes))
    }

    /// The number of the report that the receiver sends now, of [`crate::REPORT_BYTES`], if one is due.
    pub fn report(&mut self, at_ns: u64) -> Option<u32> {
        self.media_mut()?.report(at_ns)
    }

    /// A report has come to the sender.
    pub fn hear(&mut self, number: u32, at_ns: u64) {
        if let Schedule::Media(media) = &mut self.schedule {
            media.hear(number, at_ns, |number| self.sent[number as usize].at_ns);
        }
    }

    /// The receiver reports to the sender.
    pub const fn is_reported(&self) -> bool {
        matches!(self.schedule, Schedule::Media(_))
    }

    fn media(&self) -> Option<&Media> {
        if let Schedule::Media(media) = &self.schedule { Some(media) } else { None }
    }

    fn media_mut(&mut self) -> Option<&mut Media> {
        if let Schedule::Media(media) = &mut self.schedule { Some(media) } else { None }
    }

    /// One has arrived. Gives how long after it was sent, the first time.
    pub fn arrive(&mut self, number: u32, at_ns: u64) -> Option<u64> {
        let number = number as usize;
        let sent = self.sent.get_mut(number).filter(|sent| sent.delay_ns == NOT_ARRIVED_NS)?;
        sent.delay_ns = at_ns.saturating_sub(sent.at_ns);
        self.arrived += 1;
        self.arrived_bytes += u64::from(sent.bytes);
        self.resolved = self.resolved.max(number + 1);
        let Sent { bytes, delay_ns, .. } = *sent;
        self.last_delay_ns = delay_ns;
        if let Some(media) = self.media_mut() {
            media.arrive(number as u32, bytes, delay_ns, at_ns);
        }
        Some(delay_ns)
    }

    /// Names of the phases that its gauges count.
    pub fn phases(&self) -> &'static [&'static str] {
        self.media().map_or(&[], |_| &MEDIA_PHASES)
    }

    /// Its gauges, when so many bytes of it have left the bottleneck.
    pub fn gauges(&self, bottleneck_bytes: u64) -> Gauges {
        let gauges = Gauges { bottleneck_bytes, ..Gauges::UNKNOWN };
        self.media().map_or(gauges, |media| {
            let [bandwidth_bps, pacing_rate_bps] = media.rates_bps();
            Gauges { bandwidth_bps, pacing_rate_bps, phase: media.phase(), ..gauges }
        })
    }

    /// What a flow has counted, as it says of itself: pings deliver nothing, and of media reports are what is
    /// answered.
    #[must_use]
    pub fn counters(&self, own: FlowCounters) -> FlowCounters {
        FlowCounters {
            segments_sent: self.sent.len() as u64,
            acks: if self.are_answered { self.arrived } else { self.media().map_or(0, Media::reported) },
            delivered_bytes: self.delivered_bytes(),
            app_limited_ns: 0,
            ..own
        }
    }

    /// Payload that has arrived at the receiver for good.
    pub const fn delivered_bytes(&self) -> u64 {
        if self.are_answered { 0 } else { self.arrived_bytes }
    }

    /// Round-trip time of the ping whose answer came last; 0: none has.
    pub const fn last_rtt_ns(&self) -> u64 {
        if self.are_answered { self.last_delay_ns } else { 0 }
    }

    /// Writes what became of those that were sent in the window: how many, up to the last one that arrived, their round-trip
    /// times or delays, and of media their frames.
    pub fn measure(&self, measured: &mut FlowMeasurement) {
        let (datagrams, delays) = self.in_window();
        measured.datagrams = Some(datagrams);
        measured.frames = self.media().map(|media| media.frames_within(&self.window()));
        if self.are_answered {
            measured.ack_rtt = delays;
        } else {
            measured.delay = Some(delays);
        }
    }

    fn in_window(&self) -> (SentDatagrams, Histogram) {
        let (mut datagrams, mut delays) = (SentDatagrams::default(), Histogram::default());
        let window = self.window();
        for sent in self.sent[..self.resolved].iter().filter(|sent| window.contains(&sent.at_ns)) {
            datagrams.sent += 1;
            match sent.delay_ns {
                NOT_ARRIVED_NS => datagrams.lost += 1,
                delay_ns => delays.record(delay_ns),
            }
        }
        (datagrams, delays)
    }

    const fn window(&self) -> Range<u64> {
        self.window_begin_ns..self.window_end_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workload;
    use crate::samples::{one_flow, pings};

    /// Sends those that are due at instants of its own.
    fn log() -> DatagramLog {
        let mut run = one_flow("", 1_000_000, 0, 0, 1);
        run.flows = vec![pings("ping", 10, 0)];
        (run.measure.window_begin_ns, run.measure.window_end_ns) = (100, 200);
        DatagramLog::of(&run, &run.flows[0]).unwrap()
    }

    fn send(log: &mut DatagramLog, at_ns: u64) -> u32 {
        log.send(at_ns).unwrap().0
    }

    #[test]
    fn the_window_has_what_is_sent_in_it() {
        let mut log = log();
        for (at_ns, rtt_ns) in [(90, 50), (100, 20), (199, 30), (200, 40)] {
            let number = send(&mut log, at_ns);
            assert_eq!(log.arrive(number, at_ns + rtt_ns), Some(rtt_ns));
        }
        let (datagrams, rtts) = log.in_window();
        assert_eq!((datagrams, rtts.count, rtts.sum), (SentDatagrams { sent: 2, lost: 0 }, 2, 50));
        let counters = log.counters(FlowCounters::default());
        assert_eq!((counters.segments_sent, counters.acks, log.last_rtt_ns()), (4, 4, 40));
        assert_eq!((counters.delivered_bytes, log.next_ns()), (0, Some(40)));
    }

    #[test]
    fn one_is_lost_when_a_later_one_arrives_and_under_way_until_then() {
        let mut log = log();
        let numbers = [100, 110, 120, 130].map(|at_ns| send(&mut log, at_ns));
        assert_eq!(log.in_window().0, SentDatagrams { sent: 0, lost: 0 });
        assert_eq!(log.arrive(numbers[2], 150), Some(30));
        assert_eq!(log.in_window().0, SentDatagrams { sent: 3, lost: 2 });
        assert_eq!(log.arrive(numbers[2], 160), None, "a second time");
        assert_eq!(log.arrive(7, 160), None, "none of ours");
        assert_eq!(log.arrive(numbers[0], 170), Some(70));
        assert_eq!(log.in_window().0, SentDatagrams { sent: 3, lost: 1 });
    }

    #[test]
    fn what_is_not_answered_delivers_its_payload_once() {
        let mut run = one_flow("", 1_000_000, 0, 0, 1);
        let datagrams = [(0, 500), (5, 700)].map(|(at_ns, bytes)| crate::Write { at_ns, bytes }).to_vec();
        run.flows[0].workload = Workload::DatagramTrace { datagrams };
        let mut log = DatagramLog::of(&run, &run.flows[0]).unwrap();
        assert_eq!([log.send(0), log.send(5), log.send(9)], [Some((0, 500)), Some((1, 700)), None]);
        assert_eq!((log.arrive(1, 25), log.arrive(1, 26)), (Some(20), None));
        let counters = log.counters(FlowCounters::default());
        assert_eq!((counters.segments_sent, counters.acks, counters.delivered_bytes), (2, 0, 700));
        let mut measured = FlowMeasurement::default();
        log.measure(&mut measured);
        assert_eq!(measured.datagrams, Some(SentDatagrams { sent: 2, lost: 1 }));
        assert_eq!((measured.delay.unwrap().sum, measured.ack_rtt.count, log.last_rtt_ns()), (20, 0, 0));
    }
}
