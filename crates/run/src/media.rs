//! [`Media`]: a source of live video that adapts to the path, and its receiver. The same on every engine.

mod encoder;
mod frames;
mod loss_intervals;
mod nada;
mod nada_receiver;

use crate::{MediaFrames, UDP_HEADERS_BYTES};
use encoder::Encoder;
use frames::Frames;
use nada::{Mode, REPORT_INTERVAL_NS, Report, Sender};
use nada_receiver::Receiver;
use std::collections::VecDeque;
use std::ops::Range;

const NANOS_PER_SEC: f64 = 1e9;
const BITS_PER_BYTE: f64 = 8.0;
/// Payload of a packet, at most: what RTP applications send through any tunnel.
const MOST_PAYLOAD_BYTES: u32 = 1_200;
/// A packet begins with its number.
const LEAST_PAYLOAD_BYTES: u32 = 8;
/// Payload of a report: with its headers the 200 bytes that RFC 8698 section 6.3 reckons with.
pub const REPORT_BYTES: u32 = 200 - UDP_HEADERS_BYTES;
/// Of a media source, by [`crate::FlowSeries::phase`]: NADA's modes.
pub const MEDIA_PHASES: [&str; 2] = ["ramp-up", "gradual"];

/// What a media source is to be like.
#[derive(Clone, Copy, Debug)]
pub struct MediaSettings {
    /// Least and most that the encoder gives, bit/s.
    pub limits_bps: [u64; 2],
    /// Frames a second.
    pub frames: u32,
    /// A frame is late when it is not complete so long after its capture.
    pub deadline_ns: u64,
    /// Largest payload of a datagram on the path.
    pub room_bytes: u32,
}

/// Both ends of a media source: a camera and an encoder by RFC 8593's statistical model, a buffer that shapes its frames to the rate that NADA
/// (RFC 8698) allows, and a receiver that reports every 100 ms. An engine drives it, and moves its packets and reports.
///
/// Both ends know when the flow starts. A report's content is looked up by its number where it arrives, as is that of a packet.
#[derive(Debug)]
pub struct Media {
    settings: MediaSettings,
    encoder: Encoder,
    sender: Sender,
    receiver: Receiver,
    frames: Frames,
    /// The rate-shaping buffer: payloads of packets that were not sent yet.
    buffer: VecDeque<u32>,
    buffered_bytes: u64,
    /// When the next frame is captured.
    captures_ns: u64,
    /// When the rate allows the next packet.
    sends_ns: u64,
    /// When the next report is due.
    reports_ns: u64,
    reports: Vec<Report>,
    /// The number behind the largest of the reports that have arrived.
    next_report: u32,
    /// How many have.
    reported: u64,
    /// The last instant at which something was due.
    now_ns: u64,
}

impl Media {
    /// One that starts at an instant. Its chance is that of the run's seed and the flow's name.
    pub fn new(seed: u64, name: &str, settings: MediaSettings, start_ns: u64) -> Self {
        let limits_bps = settings.limits_bps.map(|bps| bps as f64);
        Self {
            settings,
            encoder: Encoder::new(seed, name, limits_bps, settings.frames),
            sender: Sender::new(limits_bps, settings.frames, start_ns),
            receiver: Receiver::default(),
            frames: Frames::default(),
            buffer: VecDeque::new(),
            buffered_bytes: 0,
            captures_ns: start_ns,
            sends_ns: start_ns,
            reports_ns: start_ns + REPORT_INTERVAL_NS,
            reports: Vec::new(),
            next_report: 0,
            reported: 0,
            now_ns: start_ns,
        }
    }

    /// When something is due next, at either end.
    pub fn next_ns(&self) -> u64 {
        let sends_ns = if self.buffer.is_empty() { u64::MAX } else { self.sends_ns };
        self.captures_ns.min(sends_ns).min(self.reports_ns)
    }

    /// Captures the frames that are due, and gives the payload of a packet that is sent now, if one is.
    pub fn send(&mut self, now_ns: u64) -> Option<u32> {
        self.now_ns = now_ns;
        while self.captures_ns <= now_ns {
            self.capture();
        }
        if self.sends_ns > now_ns {
            return None;
        }
        let sending_bps = self.sender.sending_bps(self.buffered_bytes);
        let bytes = self.buffer.pop_front()?;
        self.buffered_bytes -= u64::from(bytes);
        self.sends_ns += (f64::from(bytes) * BITS_PER_BYTE / sending_bps * NANOS_PER_SEC) as u64;
        Some(bytes)
    }

    fn capture(&mut self) {
        let at_ns = self.captures_ns;
        let mut bytes = self.encoder.encode(self.sender.video_bps(self.buffered_bytes), at_ns);
        if self.buffer.is_empty() {
            self.sends_ns = self.sends_ns.max(at_ns);
        }
        let most_bytes = u64::from(MOST_PAYLOAD_BYTES.min(self.settings.room_bytes));
        let packets = bytes.div_ceil(most_bytes);
        self.frames.capture(packets as u32, at_ns);
        for _ in 0..packets {
            let payload_bytes = (bytes.min(most_bytes) as u32).max(LEAST_PAYLOAD_BYTES);
            bytes = bytes.saturating_sub(most_bytes);
            self.buffer.push_back(payload_bytes);
            self.buffered_bytes += u64::from(payload_bytes);
        }
        self.captures_ns += self.encoder.interval_ns();
    }

    /// The number of the report that the receiver sends now, if one is due and there is something to say.
    pub fn report(&mut self, now_ns: u64) -> Option<u32> {
        if self.reports_ns > now_ns {
            return None;
        }
        self.reports_ns += REPORT_INTERVAL_NS;
        self.reports.push(self.receiver.report(now_ns)?);
        Some((self.reports.len() - 1) as u32)
    }

    /// A packet has arrived for the first time, so long after it was sent.
    pub fn arrive(&mut self, number: u32, bytes: u32, delay_ns: u64, now_ns: u64) {
        self.receiver.on_packet(number, bytes, delay_ns, now_ns);
        self.frames.arrive(number, now_ns);
    }

    /// A report has arrived at the sender; `sent_ns` knows when a packet was sent. One that is older than the last says nothing new.
    pub fn hear(&mut self, number: u32, now_ns: u64, sent_ns: impl Fn(u32) -> u64) {
        let Some(report) = self.reports.get(number as usize).filter(|_| number >= self.next_report) else { return };
        let rtt_ns = now_ns.saturating_sub(sent_ns(report.latest) + report.since_ns);
        self.sender.on_report(report, rtt_ns, now_ns);
        self.next_report = number + 1;
        self.reported += 1;
    }

    /// How many reports the sender has taken.
    pub const fn reported(&self) -> u64 {
        self.reported
    }

    /// NADA's reference rate, and that at which it sends, bit/s.
    pub fn rates_bps(&self) -> [u64; 2] {
        [self.sender.reference_bps(), self.sender.sending_bps(self.buffered_bytes)].map(|bps| bps as u64)
    }

    /// The place of its mode in [`MEDIA_PHASES`].
    pub const fn phase(&self) -> u8 {
        match self.sender.mode() {
            Mode::RampUp => 0,
            Mode::Gradual => 1,
        }
    }

    /// What became of the frames that were captured in a window.
    pub fn frames_within(&self, window: &Range<u64>) -> MediaFrames {
        self.frames.within(window, self.settings.deadline_ns, self.now_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const SECOND: u64 = 1_000 * MS;

    fn media(room_bytes: u32) -> Media {
        let limits_bps = [150_000, 1_500_000];
        Media::new(1, "video", MediaSettings { limits_bps, frames: 30, deadline_ns: 150 * MS, room_bytes }, SECOND)
    }

    /// Packets of so many seconds, each with its instant; whatever is sent arrives after 50 ms, and reports do, too.
    fn over_a_free_path(media: &mut Media, seconds: u64) -> Vec<(u64, u32)> {
        let mut sent = Vec::<(u64, u32)>::new();
        let mut reports = VecDeque::<(u64, u32)>::new();
        let mut arrived = 0;
        loop {
            let next = [
                media.next_ns(),
                sent.get(arrived).map_or(u64::MAX, |(at_ns, _)| at_ns + 50 * MS),
                reports.front().map_or(u64::MAX, |(at_ns, _)| at_ns + 50 * MS),
            ];
            let now_ns = next.into_iter().min().unwrap();
            if now_ns >= (1 + seconds) * SECOND {
                return sent;
            }
            if next[1] == now_ns {
                media.arrive(arrived as u32, sent[arrived].1, 50 * MS, now_ns);
                arrived += 1;
            }
            if next[2] == now_ns {
                let (_, number) = reports.pop_front().unwrap();
                media.hear(number, now_ns, |number| sent[number as usize].0);
            }
            if next[0] == now_ns {
                reports.extend(media.report(now_ns).map(|number| (now_ns, number)));
                sent.extend(media.send(now_ns).map(|bytes| (now_ns, bytes)));
            }
        }
    }

    #[test]
    fn on_a_free_path_it_ramps_up_to_its_most() {
        let mut media = media(1_472);
        let sent = over_a_free_path(&mut media, 30);
        assert_eq!((media.rates_bps()[0], media.phase()), (1_500_000, 0));
        let late = sent.iter().filter(|(at_ns, _)| *at_ns >= 11 * SECOND).map(|(_, bytes)| u64::from(*bytes) * 8);
        // Of the most up to 5 % less are the encoder's, by what is in the buffer; the mean of 600 frames is within 0.02.
        let rate_bps = late.sum::<u64>() as f64 / 20.0;
        assert!((1.36e6..1.52e6).contains(&rate_bps), "{rate_bps}");
        assert!(media.reported() > 290);
        let frames = media.frames_within(&(11 * SECOND..30 * SECOND));
        assert!((540..600).contains(&frames.captured), "{frames:?}");
        // 50 ms, 32 ms to send a frame, and up to 30 ms in the buffer: what Kingman's formula gives at a load of 0.95 for intervals and
        // sizes with a square of the coefficient of variation of 2 * 0.15^2 each.
        let mean_ns = frames.delay.sum / frames.delay.count;
        assert!((82 * MS..112 * MS).contains(&mean_ns), "{mean_ns}");
        assert!(frames.late * 8 < frames.captured, "{frames:?}");
    }

    #[test]
    fn packets_are_paced_and_have_room_on_the_path() {
        let mut own = media(1_472);
        let sent = over_a_free_path(&mut own, 20);
        assert!(sent.iter().all(|(_, bytes)| (8..=1_200).contains(bytes)));
        for pair in sent.windows(2) {
            let [(at_ns, bytes), (next_ns, _)] = pair else { continue };
            // 1.5 Mbit/s, and 5 % more below that.
            assert!(next_ns - at_ns + 1 >= u64::from(*bytes) * 8 * 1_000 / 1_500 * 1_000, "{at_ns}");
        }
        assert!(over_a_free_path(&mut media(548), 5).iter().all(|(_, bytes)| *bytes <= 548));
    }

    #[test]
    fn without_reports_it_stays_at_its_least() {
        let mut media = media(1_472);
        let mut bytes = 0;
        while media.next_ns() < 61 * SECOND {
            let now_ns = media.next_ns();
            assert_eq!(media.report(now_ns), None, "nothing has arrived");
            bytes += u64::from(media.send(now_ns).unwrap_or(0));
        }
        let rate_bps = bytes as f64 * 8.0 / 60.0;
        assert!((rate_bps / 150e3 - 1.0).abs() < 0.03, "{rate_bps}");
        assert_eq!(media.rates_bps()[0], 150_000);
    }

    #[test]
    fn a_report_that_comes_twice_or_late_says_nothing() {
        let mut media = media(1_472);
        for (number, at_ns) in [(0, 1_050), (1, 1_060)] {
            media.arrive(number, 1_000, 50 * MS, at_ns * MS);
        }
        for at_ns in [1_100, 1_200, 1_300] {
            media.report(at_ns * MS);
        }
        for number in [1, 1, 0, 7] {
            media.hear(number, 1_400 * MS, |_| SECOND);
        }
        assert_eq!(media.reported(), 1);
    }
}
