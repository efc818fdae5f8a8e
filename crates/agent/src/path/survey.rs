//! [`Survey`]: the sending end of a path. Echoes on the path as it is, and then, where it may be loaded, beside a flow.

use super::echo::{Echo, EchoSocket, FRAME_BYTES};
use super::load::{Load, LoadSamples};
use super::reflector::Ports;
use super::{STEP_NS, Token, failed};
use crate::clock::monotonic_ns;
use crate::failure::Failure;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsFd;

/// Echoes on the path as it is, and the time between two.
const IDLE_ECHOES: u32 = 50;
const IDLE_STEP_NS: u64 = 30_000_000;
/// What is under way when nothing more is sent comes within this time and twice the longest round trip.
const QUIET_NS: u64 = 500_000_000;
/// A load takes no longer, and writes no more.
const MOST_LOAD_MS: u32 = 10_000;
const MOST_BYTES: u64 = 1 << 30;
const NS_PER_MS: u64 = 1_000_000;

/// What a sender is to do.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survey {
    /// Its own, where the path begins.
    pub address: Ipv4Addr,
    /// The receiver's.
    pub to: Ipv4Addr,
    /// Where that listens.
    pub ports: Ports,
    /// What it has to know.
    pub token: Token,
    /// How long a flow may fill the path; none: not at all.
    pub load_ms: Option<u32>,
    /// And what it may write.
    pub most_bytes: u64,
}

/// What a path is like, unjudged.
#[derive(Debug, Serialize)]
pub struct PathSamples {
    /// Size of an echo's frame of Ethernet, on the way there.
    pub echo_bytes: u32,
    /// Without a flow.
    pub idle: Echoes,
    /// Beside one.
    pub loaded: Echoes,
    pub load: Option<LoadSamples>,
}

/// Echoes that came back, in the order in which they did, of those that were sent.
#[derive(Debug, Default, Serialize)]
pub struct Echoes {
    pub sent: u32,
    pub echoes: Vec<Echo>,
}

/// Echoes at work.
struct Sounding {
    socket: EchoSocket,
    to: SocketAddrV4,
    step_ns: u64,
    due_ns: u64,
    /// Numbers go on, so that what comes late is not taken for another.
    next: u64,
    /// When those that have not come back were sent.
    under_way: BTreeMap<u64, u64>,
    echoes: Echoes,
    longest_ns: u64,
}

impl Survey {
    /// Measures.
    ///
    /// # Errors
    /// The load is too large, an address is not there, the receiver does not answer, or the controller has gone.
    pub fn measure(self) -> Result<PathSamples, Failure> {
        if self.load_ms.is_some_and(|load_ms| load_ms > MOST_LOAD_MS) || self.most_bytes > MOST_BYTES {
            return Err(Failure(format!("load a path: for at most {MOST_LOAD_MS} ms, and with {MOST_BYTES} bytes")));
        }
        let mut sounding = Sounding {
            socket: EchoSocket::bind(self.address, self.token)?,
            to: SocketAddrV4::new(self.to, self.ports.udp),
            step_ns: IDLE_STEP_NS,
            due_ns: 0,
            next: 0,
            under_way: BTreeMap::new(),
            echoes: Echoes::default(),
            longest_ns: 0,
        };
        while sounding.echoes.sent < IDLE_ECHOES {
            sounding.turn(true, None)?;
        }
        sounding.drain(None)?;
        let idle = std::mem::take(&mut sounding.echoes);
        let mut load = None;
        if let Some(load_ms) = self.load_ms {
            if idle.echoes.is_empty() {
                return Err(Failure("no echo came back, so nothing loads the path".to_owned()));
            }
            let to = SocketAddrV4::new(self.to, self.ports.tcp);
            let lasts_ns = u64::from(load_ms) * NS_PER_MS;
            let mut flow = Load::begin(self.address, to, self.token, lasts_ns, self.most_bytes)?;
            (sounding.step_ns, sounding.due_ns) = (STEP_NS, 0);
            while flow.lasts(monotonic_ns()?) {
                sounding.turn(true, Some(&mut flow))?;
            }
            sounding.drain(Some(&mut flow))?;
            load = Some(flow.end()?);
        }
        Ok(PathSamples { echo_bytes: FRAME_BYTES, idle, loaded: sounding.echoes, load })
    }
}

impl Sounding {
    /// Waits until something is to be done, for the time of a step at most, and does it.
    fn turn(&mut self, asks: bool, load: Option<&mut Load>) -> Result<(), Failure> {
        let now_ns = monotonic_ns()?;
        if asks && now_ns >= self.due_ns {
            self.due_ns = now_ns + self.step_ns;
            let sent_ns = self.socket.ask(self.next, self.to)?;
            self.under_way.insert(self.next, sent_ns);
            self.echoes.sent += 1;
            self.next += 1;
        }
        let is_ready = load.as_ref().is_some_and(|load| load.is_ready());
        let wait_ms = if is_ready { 0 } else { STEP_NS.min(self.due_ns.saturating_sub(now_ns)).div_ceil(NS_PER_MS) };
        self.wait(wait_ms as u8, load.as_deref())?;
        for (number, echo) in self.socket.answered()? {
            if let Some(sent_ns) = self.under_way.remove(&number) {
                self.longest_ns = self.longest_ns.max(echo.back_ns.saturating_sub(sent_ns));
                self.echoes.echoes.push(Echo { sent_ns, ..echo });
            }
        }
        load.map_or(Ok(()), Load::turn)
    }

    /// Nothing is asked any more; what is under way comes.
    fn drain(&mut self, mut load: Option<&mut Load>) -> Result<(), Failure> {
        let now_ns = monotonic_ns()?;
        let until_ns = now_ns + QUIET_NS + 2 * self.longest_ns;
        // The receiver's last sample is of a step ago, and as long under way as an echo.
        let least_ns = now_ns + load.as_ref().map_or(0, |_| 2 * STEP_NS + self.longest_ns);
        self.due_ns = until_ns;
        while monotonic_ns()? < if self.under_way.is_empty() { least_ns } else { until_ns } {
            self.turn(false, load.as_deref_mut())?;
        }
        self.under_way.clear();
        Ok(())
    }

    fn wait(&self, wait_ms: u8, load: Option<&Load>) -> Result<(), Failure> {
        let input = std::io::stdin();
        // Of its input only the end is waited for: with it goes the controller. `nix` has no name for that of a socket.
        let ended = PollFlags::POLLHUP | PollFlags::from_bits_retain(libc::POLLRDHUP);
        let mut polled = vec![PollFd::new(input.as_fd(), ended), PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        polled.extend(load.map(|load| PollFd::new(load.as_fd(), load.wanted())));
        match poll(&mut polled, PollTimeout::from(wait_ms)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(failed("wait for packets")(errno)),
        }
        if polled[0].revents().is_some_and(|events| events.intersects(ended)) {
            return Err(Failure("the controller has gone".to_owned()));
        }
        Ok(())
    }
}
