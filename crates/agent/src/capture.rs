//! [`Captures`]: frames of a run, from rings at three points of its path into files that Wireshark opens.
//!
//! In virtual time the agent's own thread reads the rings, each time that it takes a sample: time stands still meanwhile, so
//! that it sees all that there is. The run is then the same to the last bit as it would be without captures. A thread more
//! would take some of the numbers that this kernel has for random ones; and each time that something is woken out of idleness
//! the kernel sets its next alarm anew, by a clock with steps of 256 ns, so that later events come up to a step earlier or later. Only
//! where a ring has not enough room from one sample to the next is the agent woken for its blocks.
//!
//! In real time a thread of its own looks from time to time, behind everything else that wants the processor.

mod checksum;
mod filter;
mod point;
mod ring;

use crate::clock::{self, Clock};
use crate::failure::Failure;
use crate::network::Network;
use point::PointFile;
use ring::{Ring, Size};
use run::{CapturePoint, Direction, Run};
use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// In virtual time a ring is no larger than it must be: each page of it costs the agent as much as some dozens of frames when it
/// first reads there, and what fits into the processor's cache is quick to write and to read. Each look at a block that
/// is not full is an event.
const VIRTUAL: Size = Size { block_bytes: 1 << 16, blocks: 256, retire_ms: 10_000 };
/// What a frame takes in a ring beside what is captured, at most.
const FRAME_ROOM_BYTES: u64 = 128;
/// A host may send, and acknowledge, more than its bottleneck carries.
const MOST_FRAMES: u64 = 3;
/// A third of a second at 10 Gbit/s, of which the headers are taken.
const REAL: Size = Size { block_bytes: 1 << 20, blocks: 32, retire_ms: 100 };
/// Between two looks of the thread.
const PAUSE: Duration = Duration::from_millis(50);
/// Until the kernel is done with a frame that it had begun when it was told to take no more.
const SETTLING: Duration = Duration::from_millis(10);
/// Where several rings go into one file, a frame waits so long for older ones of the other rings: the oldest that the
/// kernel still has, twice, and a look.
const HOLDING_NS: u64 = 250_000_000;
/// How much later than everything else the thread gets the processor.
const NICENESS: i32 = 10;

/// The captures of a run.
#[derive(Debug)]
pub struct Captures {
    work: Work,
}

#[derive(Debug)]
enum Work {
    /// The rings are there, and the run has not begun.
    Opened(Vec<PointFile>, bool),
    /// The agent reads them; whether it is to be woken for it.
    Own(Vec<PointFile>, bool),
    /// A thread does; it is told when the run has ended.
    Thread(Option<JoinHandle<Result<Facts, Failure>>>, Sender<u64>),
    /// They are written.
    Done(Facts),
}

type Facts = BTreeMap<String, String>;

impl Captures {
    /// Opens the rings of a run, and a file for each point in a folder that is there.
    ///
    /// # Errors
    /// The kernel refuses a ring, or a file cannot be written.
    pub fn open(run: &Run, network: &Network, folder: &Path) -> Result<Option<Self>, Failure> {
        let Some(snap_bytes) = run.measure.snap_bytes else { return Ok(None) };
        let room_bytes = room_bytes(run, snap_bytes);
        let size = if clock::time_is_virtual() { VIRTUAL.at_most(room_bytes) } else { REAL };
        let mut rings: BTreeMap<CapturePoint, Vec<Ring>> = BTreeMap::new();
        for (tap, namespace) in network.taps(run) {
            let numbers: &[u32] = if tap.is_of_all { &[] } else { &tap.numbers };
            let only = (tap.numbers.len() == 1).then(|| tap.numbers[0]);
            let program = match only {
                _ if !tap.hosts.is_empty() => filter::of_hosts(&tap.hosts, tap.is_outgoing, snap_bytes),
                Some(_) => filter::of_device(tap.is_outgoing, snap_bytes),
                None => filter::of_devices(numbers, tap.is_outgoing, snap_bytes),
            };
            let ring = namespace.within(|| Ring::open(size, &program, only)).and_then(|ring| ring);
            let ring = ring.map_err(|error| Failure::of(format!("capture at the {}", tap.point.name()), error))?;
            rings.entry(tap.point).or_default().push(ring);
        }
        let files = rings.into_iter().map(|(point, rings)| PointFile::create(folder, point, rings, snap_bytes));
        let files = files.collect::<Result<_, Failure>>()?;
        Ok(Some(Self { work: Work::Opened(files, room_bytes > size.bytes()) }))
    }

    /// The run begins: its clock says when time 0 is, and whether it is virtual.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn begin(&mut self, clock: &Clock) -> Result<(), Failure> {
        let Work::Opened(files, wakes) = &mut self.work else { return Ok(()) };
        let (mut files, wakes) = (std::mem::take(files), *wakes);
        let zero_ns = clock.zero_ns() + clock::realtime_ahead_ns()?;
        files.iter_mut().for_each(|file| file.zero_ns = zero_ns);
        self.work = if clock.jumps() {
            Work::Own(files, wakes)
        } else {
            let (sender, ends) = mpsc::channel();
            let thread = thread::Builder::new()
                .name("capture".to_owned())
                .spawn(move || read(files, &ends))
                .map_err(|error| Failure::of("start a thread for captures", error))?;
            Work::Thread(Some(thread), sender)
        };
        Ok(())
    }

    /// For what the agent is to be woken, beside its samples.
    pub fn rings(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let files: &[PointFile] = if let Work::Own(files, true) = &self.work { files } else { &[] };
        files.iter().flat_map(PointFile::rings)
    }

    /// Reads what there is, or looks how the thread does that is to read it.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn drain(&mut self) -> Result<(), Failure> {
        match &mut self.work {
            Work::Own(files, _) => files.iter_mut().try_for_each(|file| file.drain(true, u64::MAX)),
            Work::Thread(thread, _) if thread.as_ref().is_some_and(JoinHandle::is_finished) => join(thread).map(drop),
            Work::Opened(..) | Work::Thread(..) | Work::Done(_) => Ok(()),
        }
    }

    /// The run has ended at this instant of its clock: nothing more is captured.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn end(&mut self, ended_ns: u64) -> Result<(), Failure> {
        match &mut self.work {
            Work::Own(files, _) => {
                let facts = finish(std::mem::take(files), ended_ns)?;
                self.work = Work::Done(facts);
            }
            // One that has ended before says why when it is joined.
            Work::Thread(_, sender) => sender.send(ended_ns).unwrap_or_default(),
            Work::Opened(..) | Work::Done(_) => {}
        }
        Ok(())
    }

    /// How many frames each file has and lacks, as facts, once all are written.
    ///
    /// # Errors
    /// A file could not be written.
    pub fn facts(self) -> Result<Facts, Failure> {
        match self.work {
            Work::Thread(mut thread, _) => join(&mut thread),
            Work::Done(facts) => Ok(facts),
            Work::Opened(..) | Work::Own(..) => Ok(Facts::default()),
        }
    }
}

/// What a ring must have room for from one sample to the next.
fn room_bytes(run: &Run, snap_bytes: u32) -> u64 {
    let hops = Direction::BOTH.into_iter().flat_map(|direction| run.path.hops(direction));
    let rates = hops.filter_map(|hop| hop.rates_bps().max());
    let frame_bytes = run.path.frame_bytes();
    let bytes = u128::from(rates.max().unwrap_or(0)) * u128::from(run.measure.sample_ns) / 8_000_000_000;
    let frames = u64::try_from(bytes).unwrap_or(u64::MAX) / frame_bytes;
    let room_bytes = frame_bytes.min(snap_bytes.into()) + FRAME_ROOM_BYTES;
    frames.saturating_mul(MOST_FRAMES).saturating_mul(room_bytes)
}

fn join(thread: &mut Option<JoinHandle<Result<Facts, Failure>>>) -> Result<Facts, Failure> {
    let lost = || Err(Failure("the thread of the captures panicked".to_owned()));
    thread.take().map_or_else(lost, |thread| thread.join().unwrap_or_else(|_| lost()))
}

/// The thread's work: reads until it is told when the run has ended, or until nobody is there to tell.
fn read(mut files: Vec<PointFile>, ends: &Receiver<u64>) -> Result<Facts, Failure> {
    // If it may not it is in the way a little more.
    rustix::process::setpriority_process(None, NICENESS).unwrap_or_default();
    loop {
        match ends.recv_timeout(PAUSE) {
            Ok(ended_ns) => return finish(files, ended_ns),
            Err(RecvTimeoutError::Disconnected) => return Ok(Facts::default()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now_ns = clock::realtime_ns()?;
        for file in &mut files {
            let until_ns = if file.rings().count() > 1 { now_ns.saturating_sub(HOLDING_NS) } else { u64::MAX };
            file.drain(false, until_ns)?;
        }
    }
}

/// Ends all captures, reads what is left, and ends the files.
fn finish(mut files: Vec<PointFile>, ended_ns: u64) -> Result<Facts, Failure> {
    files.iter().try_for_each(PointFile::close)?;
    if !clock::time_is_virtual() {
        clock::sleep(SETTLING).map_err(|error| Failure(error.to_string()))?;
    }
    for file in &mut files {
        file.end_ns = file.zero_ns + ended_ns;
        file.drain(true, u64::MAX)?;
    }
    let mut facts = Facts::new();
    for file in files {
        let name = format!("capture.{}", file.point.name());
        let (frames, dropped) = file.finish()?;
        facts.insert(format!("{name}.frames"), frames.to_string());
        facts.insert(format!("{name}.dropped"), dropped.to_string());
    }
    Ok(facts)
}
