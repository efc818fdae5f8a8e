//! The noise of a machine, as its timing does to packets what none was asked to do: how late what is due leaves, and in
//! what lumps ACKs come. Time must be real, or noise asked for: in virtual time there is none.

use crate::error::{Error, Subject};
use crate::failure::Failure;
use crate::job::NoiseReport;
use crate::network::Network;
use crate::probe::station::{Station, nanoseconds, now_ns};
use crate::traffic::{self, Surroundings};
use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, MultiHeaders, SockFlag, SockProtocol, SockType, recvmmsg, setsockopt,
    socket, sockopt,
};
use nix::sys::time::{TimeSpec, TimeVal, TimeValLike};
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use run::{Histogram, Run};
use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Packets that are sent by the clock, and the time between two.
const RELEASES: u64 = 2_000;
const PAUSE_NS: u64 = 1_000_000;
/// After the last: those on their way arrive.
const PATIENCE: Duration = Duration::from_millis(500);
/// Packets a system call.
const BATCH: usize = 64;
const BUFFER_BYTES: usize = 1 << 26;
/// A listener looks so often whether it is to end.
const LOOK_MS: i64 = 50;

/// Measures it on the path of a run, whose flows then send as they are asked to.
///
/// # Errors
/// As of a measurement.
pub fn measure(
    run: &Run,
    controls: &[String],
    network: &mut Network,
    surroundings: &Surroundings,
) -> Result<NoiseReport, Failure> {
    let failed = |error| Failure::of("measure the machine's noise", error);
    let release_late = releases(network, run).map_err(failed)?;
    let listener = Listener::begin(network).map_err(failed)?;
    traffic::measure(run, controls, network, surroundings, traffic::Files::default())?;
    Ok(NoiseReport { release_late, ack_gaps: listener.end().map_err(failed)? })
}

/// How much later than at best each of many packets is received that a program sends by the clock.
fn releases(network: &Network, run: &Run) -> Result<Histogram, Error> {
    let station = Station::open(network.sender(0), network.receiver(0), run.path.mtu_bytes)?;
    let begin_ns = now_ns()? + 10 * PAUSE_NS;
    for number in 0..RELEASES {
        let due = TimeSpec::from_duration(Duration::from_nanos(begin_ns + number * PAUSE_NS));
        clock_nanosleep(ClockId::CLOCK_REALTIME, ClockNanosleepFlags::TIMER_ABSTIME, &due).about("sleep")?;
        station.send(number, 1)?;
    }
    crate::clock::sleep(PATIENCE)?;
    let taken: Vec<u64> =
        station.arrived()?.iter().map(|stamp| stamp.at_ns.saturating_sub(begin_ns + stamp.number * PAUSE_NS)).collect();
    let least = taken.iter().copied().min().unwrap_or(0);
    let mut late = Histogram::default();
    taken.into_iter().for_each(|taken| late.record(taken - least));
    Ok(late)
}

/// Stamps all that comes to the senders: ACKs, when they send bulk.
struct Listener {
    thread: JoinHandle<Result<Histogram, Error>>,
    ends: Arc<AtomicBool>,
}

impl Listener {
    fn begin(network: &Network) -> Result<Self, Error> {
        let socket = network.sender(0).namespace.within(open)??;
        let ends = Arc::new(AtomicBool::new(false));
        let end_flag = Arc::clone(&ends);
        let thread = thread::Builder::new().spawn(move || listen(&socket, &end_flag)).about("a listener")?;
        Ok(Self { thread, ends })
    }

    fn end(self) -> Result<Histogram, Error> {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| Err(Error::new("a listener", "it panicked")))
    }
}

/// A socket for a protocol sees what comes in, and not what goes out.
fn open() -> Result<OwnedFd, Error> {
    let socket = socket(AddressFamily::Packet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, SockProtocol::EthIp)
        .about("packet socket")?;
    setsockopt(&socket, sockopt::RcvBufForce, &BUFFER_BYTES).about("receive buffer")?;
    setsockopt(&socket, sockopt::ReceiveTimestampns, &true).about("receive timestamps")?;
    setsockopt(&socket, sockopt::ReceiveTimeout, &TimeVal::milliseconds(LOOK_MS)).about("packet socket")?;
    Ok(socket)
}

/// The times between two arrivals.
fn listen(socket: &OwnedFd, ends: &AtomicBool) -> Result<Histogram, Error> {
    let (mut gaps, mut last_ns) = (Histogram::default(), None);
    let mut bytes = [[0_u8; 1]; BATCH];
    while !ends.load(Ordering::Relaxed) {
        let mut slices: Vec<[IoSliceMut<'_>; 1]> = bytes.iter_mut().map(|byte| [IoSliceMut::new(byte)]).collect();
        let mut headers = MultiHeaders::<()>::preallocate(BATCH, Some(cmsg_space!(TimeSpec)));
        let flags = MsgFlags::MSG_WAITFORONE;
        let messages = match recvmmsg(socket.as_raw_fd(), &mut headers, &mut slices, flags, None) {
            Ok(messages) => messages,
            Err(Errno::EAGAIN | Errno::EINTR) => continue,
            Err(errno) => return Err(Error::refused("packets that come in", errno, None)),
        };
        for message in messages {
            let at = message.cmsgs().about("receive timestamp")?.find_map(|control| match control {
                ControlMessageOwned::ScmTimestampns(at) => Some(nanoseconds(at)),
                _ => None,
            });
            if let (Some(at_ns), Some(before_ns)) = (at, last_ns) {
                gaps.record(u64::saturating_sub(at_ns, before_ns));
            }
            last_ns = at.or(last_ns);
        }
    }
    Ok(gaps)
}
