//! [`Relay`]: does to packets in user space what the kernel lacks a queueing discipline for: delays them, spreads them in
//! time, loses some.
//!
//! Each line begins and ends in a TUN device: what the kernel sends by the one, the relay reads, holds, and gives back to
//! the kernel at the other. A line carries packets one way; what comes back takes the link beside it, so that acknowledgements
//! that are delayed do not make the data pass here too. One thread serves all lines, before anything else that wants
//! the processor, and sleeps until the next packet comes or is due.
//!
//! It counts how late each packet left: the path is as exact as that.

use super::loss::OPENING;
use super::plan::{Device, Discipline, Place};
use super::{impaired, link};
use crate::error::{Error, Subject};
use crate::failure::Failure;
use crate::namespace::Namespace;
use crate::netlink::{Batch, Socket};
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use run::{GilbertElliott, Histogram, Impairments, Reorder};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// `TUNSETIFF`, `TUNSETIFINDEX`.
const SET_DEVICE: libc::c_ulong = 0x4004_54ca;
const SET_INDEX: libc::c_ulong = 0x4004_54da;
const TUN: &str = "/dev/net/tun";
/// What has its line's number as its token; these come after all lines.
const ALARM: u64 = u64::MAX;
const END: u64 = u64::MAX - 1;
/// Packets smaller than this are never lost: the segments of a handshake and of a close.
const LEAST_LOST_BYTES: usize = 64;
/// Of IPv4 without options.
const IP_HEADER_BYTES: usize = 20;
/// Above everything that is no real-time process.
const PRIORITY: libc::c_int = 10;
const BILLION: u64 = 1_000_000_000;
/// Buffers that are kept for the next packets.
const SPARE: usize = 4_096;

/// One way through the relay, as it is asked for.
#[derive(Debug)]
pub struct Line {
    /// What the kernel sends there comes here.
    pub takes: File,
    /// What is written here the kernel receives.
    pub gives: File,
    /// What is done in between.
    pub treatment: Discipline,
    /// Of its random draws.
    pub seed: u64,
    /// Packets have at most so many bytes.
    pub mtu_bytes: usize,
}

/// What the relay has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that left.
    pub packets: u64,
    /// Packets that the kernel would not take back.
    pub refused: u64,
    /// How long after its time each packet left, in nanoseconds.
    pub late: Histogram,
}

/// A relay at work. It ends when it is dropped.
#[derive(Debug)]
pub struct Relay {
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    end: EventFd,
    /// Packets that were lost at random, by line.
    lost: Vec<AtomicU64>,
    /// What is done to packets, by line.
    treatments: Vec<Mutex<Discipline>>,
    counts: Mutex<Counts>,
    /// Why it has stopped, if it has.
    failure: Mutex<Option<String>>,
}

/// Makes a device of a line in a namespace, of which `socket` is. It is there as long as the file is open.
///
/// # Errors
/// The kernel has none, or the namespace has one of that name.
pub fn open_end(namespace: &Namespace, socket: &mut Socket, device: &Device, mtu_bytes: u32) -> Result<File, Error> {
    let name = &device.name;
    let file = namespace
        .within(|| File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(TUN))?;
    let file = file.about(TUN)?;
    set_index(&file, device.index).about(format_args!("number of tun {name}"))?;
    set_device(&file, name).about(format_args!("tun {name}"))?;
    let mut batch = Batch::default();
    batch.push(link::NEW_LINK, 0, format!("tun {name}"), |bytes| link::encode_relay_end(bytes, device, mtu_bytes));
    socket.execute(batch)?;
    Ok(file)
}

impl Relay {
    /// Begins to carry what comes.
    ///
    /// # Errors
    /// The kernel has no thread, timer or poll to give.
    pub fn begin(lines: Vec<Line>) -> Result<Self, Error> {
        let end = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC).about("bell of the relay")?;
        let lost = lines.iter().map(|_| AtomicU64::new(0)).collect();
        let treatments = lines.iter().map(|line| Mutex::new(line.treatment)).collect();
        let shared = Arc::new(Shared { end, lost, treatments, counts: Mutex::default(), failure: Mutex::default() });
        let mut carrier = Carrier::new(lines, Arc::clone(&shared))?;
        let work = move || {
            if let Err(error) = carrier.work() {
                let mut failure = carrier.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
                *failure = Some(error.to_string());
            }
        };
        let thread = thread::Builder::new().name("relay".to_owned()).spawn(work).about("thread of the relay")?;
        Ok(Self { thread: Some(thread), shared })
    }

    /// Packets that a line has lost at random.
    pub fn lost(&self, line: usize) -> u64 {
        self.shared.lost[line].load(Ordering::Relaxed)
    }

    /// From now on it does this to what comes by a line.
    pub fn treat(&self, line: usize, treatment: Discipline) {
        *self.shared.treatments[line].lock().unwrap_or_else(PoisonError::into_inner) = treatment;
    }

    /// What it has counted so far.
    ///
    /// # Errors
    /// It has stopped, and why.
    pub fn counts(&self) -> Result<Counts, Error> {
        if let Some(message) = &*self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(Error::new("relay", message));
        }
        Ok(self.shared.counts.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// The role `relay`: one line by itself, between namespaces that have names, until it is killed. None: the arguments are
/// not those of a line.
pub fn carry(arguments: impl Iterator<Item = OsString>) -> Option<Result<(), Failure>> {
    let texts: Vec<String> = arguments.map(|word| word.into_string().ok()).collect::<Option<_>>()?;
    let [mtu, seed, from, takes, first, to, gives, second, treatment @ ..] = texts.as_slice() else { return None };
    let (mtu_bytes, seed) = (mtu.parse().ok()?, seed.parse().ok()?);
    let ends = [(from, takes, first.parse().ok()?), (to, gives, second.parse().ok()?)];
    let treatment = Discipline::of_arguments(treatment)?;
    let work = || {
        let [takes, gives] = ends.map(|(namespace, name, index)| {
            let namespace = Namespace::named(namespace)?;
            let mut socket = namespace.within(Socket::open)??;
            let place = Place::Near; // any: it is in the errors of those who have a plan
            let device = Device { place, index, name: name.clone(), offloads: Default::default(), mac: None };
            open_end(&namespace, &mut socket, &device, mtu_bytes)
        });
        let mtu_bytes = mtu_bytes as usize;
        Relay::begin(vec![Line { takes: takes?, gives: gives?, treatment, seed, mtu_bytes }])
    };
    Some(work().map_err(|error| Failure::of("carry packets", error)).map(|_relay| {
        loop {
            thread::park();
        }
    }))
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.end.write(1).unwrap_or_default();
        if let Some(thread) = self.thread.take() {
            // What it had to say is in the failure.
            thread.join().unwrap_or_default();
        }
    }
}

/// The relay's thread: its lines and what they hold.
struct Carrier {
    lines: Vec<Way>,
    queue: BinaryHeap<Reverse<QueuedPacket>>,
    /// Packets so far: of those that are due at one instant the first goes first.
    sequence: u64,
    spare: Vec<Vec<u8>>,
    poll: Epoll,
    alarm: TimerFd,
    armed_ns: Option<u64>,
    shared: Arc<Shared>,
}

/// A line at work.
struct Way {
    line: Line,
    random: Xoshiro256PlusPlus,
    schedule: Schedule,
}

/// When packets of a line leave.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    treatment: Discipline,
    /// When the last one leaves, where none may overtake; of a slot the last lump.
    last_ns: u64,
    /// Of loss in bursts: the channel is in its bad state.
    is_bad: bool,
    /// Of delays that depend on those before: the number that the last one was drawn by.
    last_draw: u32,
}

/// A packet on its way.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct QueuedPacket {
    due_ns: u64,
    sequence: u64,
    line: usize,
    bytes: Vec<u8>,
}

impl Carrier {
    fn new(lines: Vec<Line>, shared: Arc<Shared>) -> Result<Self, Error> {
        let poll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).about("poll of the relay")?;
        let alarm = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK)
            .about("timer of the relay")?;
        let readable = |token| EpollEvent::new(EpollFlags::EPOLLIN, token);
        let edge = EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, ALARM);
        poll.add(&alarm, edge).about("poll of the relay")?;
        poll.add(&shared.end, readable(END)).about("poll of the relay")?;
        let mut ways = Vec::new();
        for (number, line) in lines.into_iter().enumerate() {
            poll.add(&line.takes, readable(number as u64)).about("poll of the relay")?;
            let mut random = Xoshiro256PlusPlus::seed_from_u64(line.seed);
            ways.push(Way { schedule: Schedule::new(line.treatment, &mut random), line, random });
        }
        Ok(Self {
            lines: ways,
            queue: BinaryHeap::new(),
            sequence: 0,
            spare: Vec::new(),
            poll,
            alarm,
            armed_ns: None,
            shared,
        })
    }

    fn work(&mut self) -> Result<(), Error> {
        hurry();
        let mut events = [EpollEvent::empty(); 64];
        loop {
            self.arm()?;
            let count = match self.poll.wait(&mut events, EpollTimeout::NONE) {
                Err(Errno::EINTR) => continue,
                count => count.about("sleep")?,
            };
            for event in &events[..count] {
                match event.data() {
                    END => return Ok(()),
                    ALARM => self.armed_ns = None,
                    line => self.take(line as usize)?,
                }
            }
            self.give()?;
        }
    }

    /// Takes all that a line has. What is there together is one burst.
    fn take(&mut self, number: usize) -> Result<(), Error> {
        let now_ns = now_ns()?;
        let way = &mut self.lines[number];
        way.schedule.treatment = *self.shared.treatments[number].lock().unwrap_or_else(PoisonError::into_inner);
        let extra_ns = way.schedule.draw(&mut way.random);
        loop {
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.resize(way.line.mtu_bytes, 0);
            match (&way.line.takes).read(&mut bytes) {
                Ok(length) => bytes.truncate(length),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.spare.push(bytes);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error).about("take a packet"),
            }
            if way.schedule.loses(&bytes, &mut way.random) {
                self.shared.lost[number].fetch_add(1, Ordering::Relaxed);
                self.spare.push(bytes);
                continue;
            }
            let copy = way.schedule.comes_twice(&mut way.random).then(|| bytes.clone());
            for mut bytes in copy.into_iter().chain([bytes]) {
                way.schedule.damage(&mut bytes, &mut way.random);
                let due_ns = way.schedule.due_ns(now_ns, extra_ns, &mut way.random);
                self.queue.push(Reverse(QueuedPacket { due_ns, sequence: self.sequence, line: number, bytes }));
                self.sequence += 1;
            }
        }
    }

    /// Gives back all that is due.
    fn give(&mut self) -> Result<(), Error> {
        if self.queue.is_empty() {
            return Ok(());
        }
        let mut now = now_ns()?;
        let shared = Arc::clone(&self.shared);
        let mut counts = shared.counts.lock().unwrap_or_else(PoisonError::into_inner);
        while self.queue.peek().is_some_and(|Reverse(next)| next.due_ns <= now) {
            let Some(Reverse(packet)) = self.queue.pop() else { break };
            counts.late.record(now.saturating_sub(packet.due_ns));
            match (&self.lines[packet.line].line.gives).write(&packet.bytes) {
                Ok(_) => counts.packets += 1,
                // The device is going down, or the kernel has no memory: a real line would lose it too, and it is told.
                Err(_) => counts.refused += 1,
            }
            if self.spare.len() < SPARE {
                self.spare.push(packet.bytes);
            }
            now = now_ns()?;
        }
        Ok(())
    }

    /// Sets the alarm for the next packet.
    fn arm(&mut self) -> Result<(), Error> {
        let next_ns = self.queue.peek().map(|Reverse(next)| next.due_ns);
        if next_ns.is_some() && next_ns != self.armed_ns {
            let at = TimeSpec::from_duration(Duration::from_nanos(next_ns.unwrap_or_default()));
            self.alarm
                .set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)
                .about("timer of the relay")?;
            self.armed_ns = next_ns;
        }
        Ok(())
    }
}

impl Schedule {
    fn new(treatment: Discipline, random: &mut impl RngCore) -> Self {
        Self { treatment, last_ns: 0, is_bad: false, last_draw: random.next_u32() }
    }

    /// What a burst's packets have in common.
    fn draw(&self, random: &mut impl RngCore) -> u64 {
        match self.treatment {
            Discipline::Jitter { jitter_ns } => below(jitter_ns, random),
            _ => 0,
        }
    }

    /// When a packet leaves that comes now.
    fn due_ns(&mut self, now_ns: u64, extra_ns: u64, random: &mut impl RngCore) -> u64 {
        match self.treatment {
            Discipline::Jitter { .. } => {
                self.last_ns = self.last_ns.max(now_ns + extra_ns);
                self.last_ns
            }
            Discipline::Delay { reorder_ppb, .. } if reorder_ppb > 0 && chance(reorder_ppb, random) => now_ns,
            Discipline::Delay { delay_ns, slot_ns: 0, .. } => now_ns + delay_ns,
            Discipline::Delay { delay_ns, slot_ns, .. } => {
                let due_ns = now_ns + delay_ns;
                if due_ns > self.last_ns {
                    self.last_ns = due_ns.max(self.last_ns + slot_ns);
                }
                self.last_ns
            }
            Discipline::Impaired(Impairments { reorder: Some(reorder), .. }) => match reorder {
                Reorder::Late { share_ppb, by_ns } => now_ns + if chance(share_ppb, random) { by_ns } else { 0 },
                Reorder::Spread { delay_ns, spread_ns, distribution, correlation_ppb } => {
                    self.last_draw = impaired::correlated(self.last_draw, random.next_u32(), correlation_ppb);
                    now_ns + impaired::spread_ns(delay_ns, spread_ns, distribution, self.last_draw)
                }
            },
            _ => now_ns,
        }
    }

    fn comes_twice(&self, random: &mut impl RngCore) -> bool {
        matches!(self.treatment, Discipline::Impaired(it) if it.duplicate_ppb > 0 && chance(it.duplicate_ppb, random))
    }

    /// Changes a bit behind the header of IP, which the checksum of TCP or UDP shows.
    fn damage(&self, packet: &mut [u8], random: &mut impl RngCore) {
        let Discipline::Impaired(Impairments { corrupt_ppb, .. }) = self.treatment else { return };
        let Some(payload) = packet.get_mut(IP_HEADER_BYTES..).filter(|payload| !payload.is_empty()) else { return };
        if corrupt_ppb > 0 && chance(corrupt_ppb, random) {
            let place = below(payload.len() as u64, random) as usize;
            payload[place] ^= 1 << below(8, random);
        }
    }

    fn loses(&mut self, packet: &[u8], random: &mut impl RngCore) -> bool {
        match self.treatment {
            Discipline::Loss { loss_ppb } => packet.len() >= LEAST_LOST_BYTES && chance(loss_ppb, random),
            Discipline::LossOfAll { loss_ppb } => !opens(packet) && chance(loss_ppb, random),
            Discipline::BurstLoss { channel, of_all } => {
                let is_spared = if of_all { opens(packet) } else { packet.len() < LEAST_LOST_BYTES };
                !is_spared && self.passes_channel(channel, random)
            }
            _ => false,
        }
    }
}

impl Schedule {
    /// Whether a packet is lost, and what becomes of the channel's state (`loss_gilb_ell` in `sch_netem.c`).
    fn passes_channel(&mut self, channel: GilbertElliott, random: &mut impl RngCore) -> bool {
        let (changes_ppb, loss_ppb) = if self.is_bad {
            (channel.to_good_ppb, channel.bad_loss_ppb)
        } else {
            (channel.to_bad_ppb, channel.good_loss_ppb)
        };
        self.is_bad ^= chance(changes_ppb, random);
        chance(loss_ppb, random)
    }
}

/// Whether a packet is a TCP segment with SYN, as the kernel's filter finds out.
fn opens(packet: &[u8]) -> bool {
    let word =
        |at: i32| packet.get(at as usize..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_be_bytes(*word));
    OPENING.iter().all(|it| word(it.at) & it.mask == it.value)
}

/// A number below `bound`, or 0: off by one part in 2^64 of it.
fn below(bound: u64, random: &mut impl RngCore) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

fn chance(ppb: u32, random: &mut impl RngCore) -> bool {
    below(BILLION, random) < u64::from(ppb)
}

fn now_ns() -> Result<u64, Error> {
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC).about("read the clock")?;
    Ok(now.tv_sec() as u64 * BILLION + now.tv_nsec() as u64)
}

/// This thread comes before all others, if it may. If not, lateness shows it.
#[expect(unsafe_code, reason = "no safe crate makes this request")]
fn hurry() {
    let parameters = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the kernel reads `parameters`, which lives until the call returns.
    unsafe {
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters);
    }
}

/// The number that the file's device will have.
#[expect(unsafe_code, reason = "no safe crate makes this request")]
fn set_index(file: &File, index: u32) -> Result<(), Errno> {
    // SAFETY: the kernel reads four bytes at the address of `index`, which lives until the call returns.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), SET_INDEX as libc::Ioctl, &raw const index) };
    Errno::result(result).map(drop)
}

/// Makes the file's device.
#[expect(unsafe_code, reason = "no safe crate makes this request")]
fn set_device(file: &File, name: &str) -> Result<(), Errno> {
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_flags: (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short },
    };
    for (to, from) in request.ifr_name.iter_mut().take(libc::IFNAMSIZ - 1).zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    // SAFETY: the kernel reads and writes `request`, which lives until the call returns.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), SET_DEVICE as libc::Ioctl, &raw mut request) };
    Errno::result(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(treatment: Discipline) -> (Schedule, Xoshiro256PlusPlus) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        (Schedule::new(treatment, &mut random), random)
    }

    #[test]
    fn losses_come_in_bursts_of_the_channels_length() {
        let (to_bad_ppb, to_good_ppb, bad_loss_ppb) = (10_000_000, 250_000_000, 500_000_000);
        let channel = GilbertElliott { to_bad_ppb, to_good_ppb, good_loss_ppb: 0, bad_loss_ppb };
        let (mut schedule, mut random) = schedule(Discipline::BurstLoss { channel, of_all: false });
        assert!((0..1_000).all(|_| !schedule.loses(&[0; 63], &mut random)));
        let lost: Vec<bool> = (0..400_000).map(|_| schedule.loses(&[0; 1_500], &mut random)).collect();
        let share = lost.iter().filter(|it| **it).count() as f64 / lost.len() as f64;
        assert!((share / channel.loss() - 1.0).abs() < 0.05, "{share}");
        // After a loss the next one is lost where the state stays, and then every other time.
        let again = lost.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64;
        let after = again / (share * lost.len() as f64);
        assert!((after - 0.75 * 0.5).abs() < 0.03, "{after}");
    }

    #[test]
    fn so_many_packets_are_late_come_twice_and_are_damaged() {
        let reorder = Some(Reorder::Late { share_ppb: 100_000_000, by_ns: 5_000 });
        let (duplicate_ppb, corrupt_ppb) = (200_000_000, 300_000_000);
        let impairments = Impairments { duplicate_ppb, corrupt_ppb, reorder, ..Impairments::default() };
        let (mut schedule, mut random) = schedule(Discipline::Impaired(impairments));
        let mut counts = [0; 3];
        for now_ns in 0..20_000 {
            let due_ns = schedule.due_ns(now_ns, 0, &mut random);
            assert!([now_ns, now_ns + 5_000].contains(&due_ns));
            let mut packet = [0; 100];
            schedule.damage(&mut packet, &mut random);
            let bits: u32 = packet.iter().map(|byte: &u8| byte.count_ones()).sum();
            assert!(bits <= 1 && packet[..20].iter().all(|byte| *byte == 0));
            counts[0] += usize::from(due_ns > now_ns);
            counts[1] += usize::from(schedule.comes_twice(&mut random));
            counts[2] += bits as usize;
        }
        for (count, expected) in counts.into_iter().zip([2_000_f64, 4_000.0, 6_000.0]) {
            assert!((count as f64 / expected - 1.0).abs() < 0.08, "{count}, {expected}");
        }
        schedule.damage(&mut [0; 20], &mut random);
    }

    #[test]
    fn a_delay_is_the_same_for_all() {
        let (mut schedule, mut random) = schedule(Discipline::delay(5_000));
        assert_eq!([7, 8, 8].map(|now_ns| schedule.due_ns(now_ns, 0, &mut random)), [5_007, 5_008, 5_008]);
    }

    #[test]
    fn what_a_slot_holds_leaves_together_and_no_lump_follows_another_sooner() {
        let (mut schedule, mut random) = schedule(Discipline::Delay { delay_ns: 1_000, reorder_ppb: 0, slot_ns: 300 });
        let due = [0, 100, 200, 400, 2_000].map(|now_ns| schedule.due_ns(now_ns, 0, &mut random));
        assert_eq!(due, [1_000, 1_300, 1_300, 1_600, 3_000]);
    }

    #[test]
    fn jitter_keeps_the_order_and_is_spread_over_its_bound() {
        let (mut schedule, mut random) = schedule(Discipline::Jitter { jitter_ns: 1_000 });
        let mut last = 0;
        let mut spread = Histogram::default();
        for burst in 0..4_000 {
            let now_ns = burst * 1_000_000;
            let extra_ns = schedule.draw(&mut random);
            spread.record(extra_ns);
            for _ in 0..2 {
                let due_ns = schedule.due_ns(now_ns, extra_ns, &mut random);
                assert!((now_ns..now_ns + 1_000).contains(&due_ns) && due_ns >= last);
                last = due_ns;
            }
        }
        assert!((480..520).contains(&(spread.sum / spread.count)), "{}", spread.sum / spread.count);
        assert_eq!(schedule.due_ns(0, 0, &mut random), last, "nothing overtakes");
    }

    #[test]
    fn of_packets_with_data_so_many_are_lost_as_were_requested() {
        let (mut schedule, mut random) = schedule(Discipline::Loss { loss_ppb: 20_000_000 });
        assert!((0..10_000).all(|_| !schedule.loses(&[0; 63], &mut random)));
        let lost = (0..100_000).filter(|_| schedule.loses(&[0; 1_500], &mut random)).count();
        assert!((1_850..2_150).contains(&lost), "{lost}");
    }

    #[test]
    fn where_acks_are_lost_what_opens_a_connection_is_not() {
        let (mut schedule, mut random) = schedule(Discipline::LossOfAll { loss_ppb: 1_000_000_000 });
        let mut segment = [0; 52];
        (segment[0], segment[9]) = (0x45, 6);
        let mut is_lost = |protocol: u8, flags: u8| {
            (segment[9], segment[33]) = (protocol, flags);
            schedule.loses(&segment, &mut random)
        };
        // SYN, SYN with ACK; ACK, FIN with ACK; and what is no segment.
        assert_eq!([is_lost(6, 0x02), is_lost(6, 0x12)], [false; 2]);
        assert_eq!([is_lost(6, 0x10), is_lost(6, 0x11), is_lost(17, 0x02)], [true; 3]);
    }
}
