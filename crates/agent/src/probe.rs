//! A path looked at with packet trains: no congestion control, and none of the queue's own counters.
//!
//! * *Round-trip time*: a small packet there and back on the idle path, for each pair.
//! * *Rate and room of the queue*: more frames than bucket and queue hold, sent at one instant. What queued leaves at
//!   the bottleneck's rate, and the frame that waited longest tells how much was before it. Behind access lines, which
//!   would drop such a burst themselves, frames are sent one by one on all pairs as fast as these lines go; when that
//!   is not more than the bottleneck carries, the rate is what they carry and the room 0: no more can be seen.
//! * *Random loss*: frames sent below the rate, in groups of which the queue holds several.
//!
//! Frames are stamped by the kernel as they arrive. On a clock that is not virtual the sending takes time too, and the
//! figures are as good as that clock.

pub mod station;
mod train;

use crate::clock::sleep;
use crate::clock::time_is_virtual;
use crate::error::{Error, Subject};
use crate::job::PathReport;
use crate::network::Network;
use nix::sys::prctl::set_timerslack;
use run::{Access, Buffer, LossAt, Run};
use station::{Echo, Station, now_ns};
use std::time::Duration;
use train::{Arrival, Dispersion, Train};

/// Echoes a pair: the fastest counts.
const ECHOES: u64 = 3;
/// A burst is so much larger than what should fit.
const EXCESS: f64 = 1.5;
/// Where time is real a burst is sent so many times as fast as the bottleneck: faster it would wait elsewhere, too.
const REAL_SPEED: f64 = 4.0;
/// And a frame may be so late without having queued.
const REAL_NOISE_NS: u64 = 100_000;
/// And at least so many frames more.
const MARGIN_FRAMES: f64 = 16.0;
/// No burst is larger, whatever the queue: it must fit the socket's buffer and the kernel's memory.
const LARGEST_BURST_FRAMES: f64 = 100_000.0;
/// Several bursts, unless they are large: a lost frame may be the one that tells.
const BURSTS: u64 = 3;
/// Frames from which on a burst is large.
const LARGE_BURST_FRAMES: u64 = 4_000;
/// Losses to see: their number is then known to 5 %.
const LOSSES: f64 = 400.0;
/// Frames to look for losses among, at least and at most; the least also where none is asked for.
const SPACED_FRAMES: (f64, f64) = (4_000.0, 12_000.0);
/// And no more than take so long.
const SPACED: Duration = Duration::from_secs(60);
/// Share of the rate at which such frames are sent.
const SPACED_LOAD: f64 = 0.8;
/// Frames of a group at most.
const GROUP_FRAMES: u64 = 32;
/// When nothing has come for so long, and for so many frames' time, nothing will.
const QUIET: (Duration, f64) = (Duration::from_millis(50), 64.0);

/// Looks at a path.
pub fn probe(network: &mut Network, run: &Run) -> Result<PathReport, Error> {
    let mut probe = Probe::new(network, run)?;
    let bursts = if probe.burst_frames() > LARGE_BURST_FRAMES { 1 } else { BURSTS };
    let trains = (0..bursts).map(|_| probe.overload()).collect::<Result<Vec<Train>, Error>>()?;
    let rate_bps = probe.rate_bps(&trains);
    let frame_bits = probe.frame_bytes as f64 * 8.0;
    let frame_ns = if rate_bps > 0.0 { frame_bits * 1e9 / rate_bps } else { f64::INFINITY };
    let queue_packets = trains.iter().map(|train| train.queued_frames(frame_ns)).max().unwrap_or(0);
    let spaced = probe.spaced(frame_ns, queue_packets)?;
    Ok(PathReport {
        rate_bps: rate_bps.round() as u64,
        rtt_ns: (0..run.flows.len())
            .map(|flow| probe.echoes[network.pair(flow)])
            .map(|echo| echo.forward_ns + echo.return_ns)
            .collect(),
        queue_bytes: queue_packets * probe.frame_bytes,
        queue_packets,
        spaced_packets: spaced.sent,
        lost_packets: spaced.lost(),
        reordered_packets: trains.iter().chain([&spaced]).map(Train::reordered).sum(),
    })
}

/// A path being looked at.
struct Probe<'a> {
    run: &'a Run,
    /// One a pair.
    stations: Vec<Station>,
    echoes: Vec<Echo>,
    /// Lanes that trains take: one without an access line, if there is one, else all.
    used: Vec<usize>,
    /// The slowest of the used pairs' access lines.
    access: Option<Access>,
    frame_bytes: u64,
    /// Frames are sent and stamped one by one: where time is real a burst is not sent at one instant.
    is_singly: bool,
    /// Numbers go on from train to train, so that what comes late is not taken for the next train's.
    next: u64,
}

impl<'a> Probe<'a> {
    fn new(network: &Network, run: &'a Run) -> Result<Self, Error> {
        let mut stations = Vec::new();
        let mut lines: Vec<Option<Access>> = Vec::new();
        for flow in
            (0..run.flows.len()).filter(|flow| (0..*flow).all(|other| network.pair(other) != network.pair(*flow)))
        {
            stations.push(Station::open(network.sender(flow), network.receiver(flow), run.path.mtu_bytes)?);
            lines.push(run.flows[flow].access);
        }
        let used = match lines.iter().position(Option::is_none) {
            Some(pair) => vec![pair],
            None => (0..lines.len()).collect(),
        };
        let access = used.iter().filter_map(|&pair| lines[pair]).min_by_key(|access| access.rate_bps);
        let mut probe = Self {
            run,
            stations,
            echoes: Vec::new(),
            used,
            access,
            frame_bytes: run.path.frame_bytes(),
            is_singly: !time_is_virtual(),
            next: 0,
        };
        // Sleeps would take up to 50 us longer, which is four frames at 1 Gbit/s.
        set_timerslack(1).about("timer slack")?;
        // The kernel begins to stamp packets shortly after the first socket asks for it.
        sleep(Duration::from_millis(1))?;
        for pair in 0..probe.stations.len() {
            let mut best = Echo { forward_ns: u64::MAX, return_ns: u64::MAX };
            for _ in 0..ECHOES {
                let echo = probe.stations[pair].echo(probe.next)?;
                probe.next += 1;
                best.forward_ns = best.forward_ns.min(echo.forward_ns);
                best.return_ns = best.return_ns.min(echo.return_ns);
            }
            probe.echoes.push(best);
        }
        Ok(probe)
    }

    /// What a frame takes at the rate that was asked for.
    fn expected_frame_ns(&self) -> f64 {
        self.frame_bytes as f64 * 8e9 / self.run.path.rate_bps.max(1) as f64
    }

    /// Time between two frames of a used pair's access line, a little more than it needs.
    fn access_frame(&self) -> Option<Duration> {
        let access = self.access?;
        Some(Duration::from_nanos((self.frame_bytes as f64 * 8.16e9 / access.rate_bps.max(1) as f64).ceil() as u64))
    }

    fn bucket_frames(&self) -> f64 {
        self.run.path.burst_bytes as f64 / self.frame_bytes as f64
    }

    /// Frames that no queue as asked for holds.
    fn burst_frames(&self) -> u64 {
        let room = match self.run.path.buffer {
            Buffer::Bytes(bytes) => bytes as f64 / self.frame_bytes as f64,
            Buffer::Packets(packets) => packets as f64,
        };
        let mut frames = (room + self.bucket_frames()) * EXCESS + MARGIN_FRAMES;
        if self.run.path.loss_at == LossAt::Before {
            frames /= (1.0 - f64::from(self.run.path.loss_ppb) / 1e9).max(0.1);
        }
        if let Some(access) = self.access {
            // Meanwhile the bottleneck sends.
            let load = access.rate_bps as f64 * self.used.len() as f64 / self.run.path.rate_bps.max(1) as f64;
            frames /= (1.0 - 1.0 / load).max(0.05);
        }
        if self.is_singly {
            // Meanwhile the bottleneck sends.
            frames /= 1.0 - 1.0 / REAL_SPEED;
        }
        frames.min(LARGEST_BURST_FRAMES) as u64
    }

    /// Where time is real, when a frame of a burst is due.
    fn due_ns(&self, begin_ns: u64, number: usize) -> u64 {
        begin_ns + (number as f64 * self.expected_frame_ns() / REAL_SPEED) as u64
    }

    /// More than the queue holds.
    fn overload(&mut self) -> Result<Train, Error> {
        let frames = self.burst_frames();
        match self.access_frame() {
            None => self.train(frames, frames, Duration::ZERO),
            Some(pause) => self.train(frames, 1, pause),
        }
    }

    /// Less than the bottleneck carries, on one pair.
    fn spaced(&mut self, frame_ns: f64, queue_packets: u64) -> Result<Train, Error> {
        self.used.truncate(1);
        let frame_ns = frame_ns.min(self.expected_frame_ns() * 100.0);
        let frame_ns = frame_ns.max(self.access_frame().map_or(0.0, |span| span.as_nanos() as f64)) / SPACED_LOAD;
        let holds = |room: Buffer| match room {
            Buffer::Bytes(bytes) => bytes / self.frame_bytes,
            Buffer::Packets(packets) => packets,
        };
        let room = self.access.map_or(u64::MAX, |access| holds(access.buffer)).min(queue_packets);
        let group = (room / 2).clamp(1, GROUP_FRAMES);
        let loss = f64::from(self.run.path.loss_ppb) / 1e9;
        let most = SPACED_FRAMES.1.min(SPACED.as_nanos() as f64 / frame_ns);
        let wanted = if loss > 0.0 { LOSSES / loss } else { 0.0 };
        let frames = wanted.max(SPACED_FRAMES.0).min(most).max(1.0) as u64;
        self.train(frames, group, Duration::from_nanos((frame_ns * group as f64).ceil() as u64))
    }

    /// Sends frames in groups, with a pause after each, on every pair that is used, and waits for the last.
    fn train(&mut self, frames: u64, group: u64, pause: Duration) -> Result<Train, Error> {
        let (first, begin_ns) = (self.next, now_ns()?);
        let mut sent: Vec<(u64, usize)> = Vec::new(); // when and where, by number
        let mut arrivals = Vec::new();
        while (sent.len() as u64) < frames {
            for index in 0..self.used.len() {
                let pair = self.used[index];
                let mut count = group.min(frames - sent.len() as u64);
                let together = if self.is_singly { 1 } else { count };
                while count > 0 {
                    let mut at_ns = now_ns()?;
                    while self.is_singly && pause.is_zero() && at_ns < self.due_ns(begin_ns, sent.len()) {
                        at_ns = now_ns()?; // a sleep would be longer than that
                    }
                    self.stations[pair].send(first + sent.len() as u64, together)?;
                    sent.extend((0..together).map(|_| (at_ns, pair)));
                    count -= together;
                }
            }
            if !pause.is_zero() {
                sleep(pause)?;
            }
            if sent.len() as u64 % LARGE_BURST_FRAMES < group {
                self.gather(first, &sent, &mut arrivals)?;
            }
        }
        self.next += frames;
        let quiet = QUIET.0 + Duration::from_nanos((self.expected_frame_ns() * QUIET.1) as u64);
        let quiet =
            quiet + Duration::from_nanos(self.used.iter().map(|&pair| self.echoes[pair].forward_ns).max().unwrap_or(0));
        loop {
            sleep(quiet)?;
            let before = arrivals.len();
            self.gather(first, &sent, &mut arrivals)?;
            if arrivals.len() == before {
                return Ok(Train { arrivals, sent: frames });
            }
        }
    }

    /// Takes what has arrived.
    fn gather(&self, first: u64, sent: &[(u64, usize)], arrivals: &mut Vec<Arrival>) -> Result<(), Error> {
        for &pair in &self.used {
            for stamp in self.stations[pair].arrived()? {
                let Some(&(sent_ns, _)) = stamp.number.checked_sub(first).and_then(|place| sent.get(place as usize))
                else {
                    continue; // an earlier train's, late
                };
                let taken_ns = stamp.at_ns.saturating_sub(sent_ns);
                let waited_ns = taken_ns.saturating_sub(self.echoes[pair].forward_ns);
                arrivals.push(Arrival { number: stamp.number, pair, at_ns: stamp.at_ns, waited_ns });
            }
        }
        if self.used.len() > 1 {
            arrivals.sort_by_key(|arrival| arrival.at_ns); // stable: each pair keeps its order
        }
        Ok(())
    }

    fn rate_bps(&self, trains: &[Train]) -> f64 {
        let thinned = self.run.path.loss_ppb > 0 && self.run.path.loss_at == LossAt::After;
        let noise_ns = if self.is_singly { REAL_NOISE_NS } else { 0 };
        let (frame_ns, bucket) = (self.expected_frame_ns(), self.bucket_frames());
        let seen = trains.iter().map(|train| train.dispersion(frame_ns, bucket, thinned, noise_ns)).fold(
            Dispersion::default(),
            |all, one| Dispersion { frames: all.frames + one.frames, span_ns: all.span_ns + one.span_ns },
        );
        seen.rate_bps(self.frame_bytes)
    }
}
