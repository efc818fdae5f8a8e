//! [`Load`]: one flow that fills a path, sampled.
//!
//! It begins as Reno, whose slow start goes on until something is lost: CUBIC's may end long before that (HyStart, RFC 9406). From
//! then on it is CUBIC where the kernel has it, as it leaves a queue sooner filled again.

use super::{Arrived, STEP_NS, Token, enlarge, failed};
use crate::clock::{monotonic_ns, realtime_ns};
use crate::failure::Failure;
use crate::sockets::{self, set_unsent_low_water};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, SockaddrIn, connect, getsockopt, recv, send, setsockopt, sockopt};
use serde::Serialize;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

const FIRST: &str = "reno";
const THEN: &str = "cubic";
/// A handshake takes no longer.
const CONNECT_MS: u16 = 10_000;
/// Written but not sent is no more, so that little is left when the time is over.
const UNSENT_BYTES: u32 = 1 << 17;
/// Of what has come; more nobody says in the time that a load has.
const MOST_SAMPLES: usize = 4_000;
const WRITE_BYTES: usize = 1 << 16;
static PAYLOAD: [u8; WRITE_BYTES] = [0; WRITE_BYTES];

/// The flow at work.
#[derive(Debug)]
pub struct Load {
    socket: OwnedFd,
    /// When it began, and has to end, on CLOCK_MONOTONIC, which nobody sets.
    began_ns: u64,
    ends_ns: u64,
    /// When the next sample is due.
    due_ns: u64,
    /// It may write so much more.
    left_bytes: u64,
    is_full: bool,
    has_lost: bool,
    unread: Vec<u8>,
    samples: LoadSamples,
}

/// What a flow says of a path.
#[derive(Debug, Default, Serialize)]
pub struct LoadSamples {
    /// Its congestion control in the end.
    pub control: String,
    /// Payload of its full segments.
    pub mss_bytes: u32,
    /// Of IP, as the path has it.
    pub mtu_bytes: u32,
    /// How long it wrote.
    pub took_ns: u64,
    /// What it wrote.
    pub sent_bytes: u64,
    /// Of the time in which it had something to send, that in which the receiver's window or its send buffer held it back.
    pub busy_us: u64,
    pub window_limited_us: u64,
    pub buffer_limited_us: u64,
    pub sent: Vec<Sent>,
    pub arrived: Vec<Arrived>,
}

/// A sample at the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// On CLOCK_REALTIME.
    at_ns: u64,
    /// Segments with data, those that were sent again included, and those.
    segments: u32,
    again: u32,
    /// Smoothed.
    rtt_us: u32,
}

impl Load {
    /// Opens the connection, and begins.
    pub fn begin(
        from: Ipv4Addr,
        to: SocketAddrV4,
        token: Token,
        lasts_ns: u64,
        most_bytes: u64,
    ) -> Result<Self, Failure> {
        let (socket, _) = sockets::sender(from, [0], FIRST)?;
        enlarge(&socket);
        set_unsent_low_water(&socket, UNSENT_BYTES)?;
        match connect(socket.as_raw_fd(), &SockaddrIn::from(to)) {
            Ok(()) | Err(Errno::EINPROGRESS) => {}
            Err(errno) => return Err(Failure::of(format!("connect to {to}"), errno)),
        }
        let mut polled = [PollFd::new(socket.as_fd(), PollFlags::POLLOUT)];
        poll(&mut polled, PollTimeout::from(CONNECT_MS)).map_err(failed("wait for a connection"))?;
        let is_open = polled[0].any().unwrap_or(false);
        match getsockopt(&socket, sockopt::SocketError).map_err(failed("open a connection"))? {
            0 if is_open => {}
            0 => return Err(Failure(format!("connect to {to}: no answer within {} s", CONNECT_MS / 1_000))),
            code => return Err(Failure::of(format!("connect to {to}"), Errno::from_raw(code))),
        }
        send(socket.as_raw_fd(), &token.bytes(), MsgFlags::MSG_NOSIGNAL).map_err(failed("say who it is"))?;
        // A connection that is closed at the end sends nothing more, and says so.
        setsockopt(&socket, sockopt::Linger, &libc::linger { l_onoff: 1, l_linger: 0 }).map_err(failed("abort"))?;
        let began_ns = monotonic_ns()?;
        let samples = LoadSamples {
            mss_bytes: getsockopt(&socket, sockopt::TcpMaxSeg).map_err(failed("name a segment's size"))?,
            mtu_bytes: getsockopt(&socket, sockopt::IpMtu).map_err(failed("name the MTU"))?.unsigned_abs(),
            ..LoadSamples::default()
        };
        Ok(Self {
            socket,
            began_ns,
            ends_ns: began_ns + lasts_ns,
            due_ns: began_ns,
            left_bytes: most_bytes,
            is_full: false,
            has_lost: false,
            unread: Vec::new(),
            samples,
        })
    }

    /// It has time and bytes left.
    pub fn lasts(&self, now_ns: u64) -> bool {
        now_ns < self.ends_ns && self.left_bytes > 0
    }

    /// What to wait for.
    pub fn wanted(&self) -> PollFlags {
        if self.is_full { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN }
    }

    /// Writes what the socket takes at once, where it lasts, samples it when that is due, and reads what has come.
    pub fn turn(&mut self) -> Result<(), Failure> {
        self.read()?;
        let now_ns = monotonic_ns()?;
        if now_ns >= self.due_ns {
            self.due_ns = now_ns + STEP_NS;
            self.sample()?;
        }
        if !self.lasts(now_ns) {
            self.is_full = false;
            return Ok(());
        }
        self.samples.took_ns = now_ns - self.began_ns;
        let length = self.left_bytes.min(WRITE_BYTES as u64) as usize;
        match send(self.socket.as_raw_fd(), &PAYLOAD[..length], MsgFlags::MSG_NOSIGNAL) {
            Ok(taken) => {
                self.left_bytes -= taken as u64;
                self.samples.sent_bytes += taken as u64;
                self.is_full = taken < length;
            }
            Err(Errno::EAGAIN) => self.is_full = true,
            Err(errno) => return Err(Failure::of("send", errno)),
        }
        Ok(())
    }

    /// It can write more at once.
    pub const fn is_ready(&self) -> bool {
        !self.is_full && self.left_bytes > 0
    }

    /// Ends it, with whatever is under way.
    pub fn end(mut self) -> Result<LoadSamples, Failure> {
        self.read()?;
        self.samples.control = sockets::control(&self.socket)?;
        Ok(self.samples)
    }

    fn sample(&mut self) -> Result<(), Failure> {
        let (at_ns, info) = (realtime_ns()?, sockets::info(&self.socket)?);
        if info.total_retrans > 0 && !self.has_lost {
            self.has_lost = true;
            // One who lacks it, or may not have it, goes on as before.
            setsockopt(&self.socket, sockopt::TcpCongestion, &THEN.into()).unwrap_or_default();
        }
        self.samples.busy_us = info.busy_us;
        self.samples.window_limited_us = info.rwnd_limited_us;
        self.samples.buffer_limited_us = info.sndbuf_limited_us;
        self.samples.sent.push(Sent {
            at_ns,
            segments: info.data_segs_out,
            again: info.total_retrans,
            rtt_us: info.rtt_us,
        });
        Ok(())
    }

    /// What the receiver says that has come.
    fn read(&mut self) -> Result<(), Failure> {
        let mut bytes = [0; 64 * Arrived::BYTES];
        loop {
            match recv(self.socket.as_raw_fd(), &mut bytes, MsgFlags::MSG_DONTWAIT) {
                Ok(0) => return Err(Failure("the receiver closed the connection".to_owned())),
                Ok(length) => self.unread.extend(&bytes[..length]),
                Err(Errno::EAGAIN) => break,
                Err(errno) => return Err(Failure::of("receive samples", errno)),
            }
            if self.unread.len() > MOST_SAMPLES * Arrived::BYTES {
                break;
            }
        }
        let mut chunks = self.unread.chunks_exact(Arrived::BYTES);
        let samples = chunks.by_ref().filter_map(|chunk| chunk.try_into().ok().map(Arrived::from_bytes));
        self.samples.arrived.extend(samples);
        self.unread = chunks.remainder().to_vec();
        if self.samples.arrived.len() > MOST_SAMPLES {
            return Err(Failure("the receiver says more than it can know".to_owned()));
        }
        Ok(())
    }
}

impl AsFd for Load {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
