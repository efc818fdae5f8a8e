//! [`Reflect`]: the receiving end of a path. It sends echoes back, and takes one flow, of which it says each time what has come.

use super::echo::EchoSocket;
use super::{Arrived, STEP_NS, Token, enlarge, failed};
use crate::clock::{monotonic_ns, realtime_ns};
use crate::failure::Failure;
use crate::sockets;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv, send};
use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::thread;

/// No longer.
const MOST_SECONDS: u32 = 60;
/// Taken by one call at most; `MSG_TRUNC` copies nothing (tcp(7)).
const READ_BYTES: usize = 1 << 20;
/// What a sender has not taken: samples beyond are dropped.
const OUTBOX_BYTES: usize = 1 << 16;
const NS_PER_S: u64 = 1_000_000_000;

/// What a receiver is to do.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reflect {
    /// Its own, where the path ends.
    pub address: Ipv4Addr,
    /// Who knows it is answered.
    pub token: Token,
    /// How long.
    pub seconds: u32,
}

/// Where it listens.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ports {
    /// For echoes.
    pub udp: u16,
    /// For the flow.
    pub tcp: u16,
}

/// The flow, as it comes.
struct Flow {
    stream: TcpStream,
    /// It has sent the token.
    is_known: bool,
    /// When the next sample is due.
    due_ns: u64,
    outbox: Vec<u8>,
}

impl Reflect {
    /// Begins, in a thread of its own, which ends with its time or with this process.
    ///
    /// # Errors
    /// The address is not there, or the time is too long.
    pub fn begin(self) -> Result<Ports, Failure> {
        if self.seconds == 0 || self.seconds > MOST_SECONDS {
            return Err(Failure(format!("reflect for {} s: it has to be 1 to {MOST_SECONDS}", self.seconds)));
        }
        let echoes = EchoSocket::bind(self.address, self.token)?;
        let listener = sockets::listener(SocketAddrV4::new(self.address, 0), None, None, false)?;
        enlarge(&listener);
        let tcp = listener.local_addr().map_err(|error| Failure::of("name a port", error))?.port();
        let ports = Ports { udp: echoes.port()?, tcp };
        let until_ns = monotonic_ns()? + u64::from(self.seconds) * NS_PER_S;
        thread::Builder::new()
            // Who measures sees that nothing comes back.
            .spawn(move || self.reflect(&echoes, &listener, until_ns).unwrap_or_default())
            .map_err(|error| Failure::of("start a thread", error))?;
        Ok(ports)
    }

    fn reflect(self, echoes: &EchoSocket, listener: &TcpListener, until_ns: u64) -> Result<(), Failure> {
        let mut flow: Option<Flow> = None;
        while monotonic_ns()? < until_ns {
            let mut polled = vec![PollFd::new(echoes.as_fd(), PollFlags::POLLIN)];
            // One who is not known yet does not keep others from coming.
            let waits = flow.as_ref().is_none_or(|flow| !flow.is_known);
            if waits {
                polled.push(PollFd::new(listener.as_fd(), PollFlags::POLLIN));
            }
            if let Some(flow) = &flow {
                polled.push(PollFd::new(flow.stream.as_fd(), PollFlags::POLLIN));
            }
            match poll(&mut polled, PollTimeout::from((STEP_NS / 1_000_000) as u8)) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(Failure::of("wait for packets", errno)),
            }
            echoes.answer()?;
            if waits && let Ok((stream, _)) = listener.accept() {
                stream.set_nonblocking(true).map_err(|error| Failure::of("take a connection", error))?;
                stream.set_nodelay(true).map_err(|error| Failure::of("take a connection", error))?;
                flow = Some(Flow { stream, is_known: false, due_ns: 0, outbox: Vec::new() });
            }
            // One that failed, has ended, or is no flow of ours makes room for another.
            flow = flow.and_then(|mut flow| flow.turn(self.token).unwrap_or(false).then_some(flow));
        }
        Ok(())
    }
}

impl Flow {
    /// Takes what has come, and says how much that is; false: it has ended, or is not known.
    fn turn(&mut self, token: Token) -> Result<bool, Failure> {
        if !self.is_known {
            let mut bytes = [0; Token::BYTES];
            match recv(self.stream.as_raw_fd(), &mut bytes, MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EAGAIN) => return Ok(true),
                Ok(Token::BYTES) if bytes == token.bytes() => self.is_known = true,
                _ => return Ok(false),
            }
        }
        let mut nowhere = vec![0; READ_BYTES];
        loop {
            self.sample()?;
            match recv(self.stream.as_raw_fd(), &mut nowhere, MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_TRUNC) {
                Ok(0) => return Ok(false),
                Ok(READ_BYTES) => {}
                Ok(_) | Err(Errno::EAGAIN) => return Ok(true),
                Err(errno) => return Err(Failure::of("receive", errno)),
            }
        }
    }

    /// Says how much has come, when that is due.
    fn sample(&mut self) -> Result<(), Failure> {
        let now_ns = monotonic_ns()?;
        if now_ns < self.due_ns {
            return Ok(());
        }
        self.due_ns = now_ns + STEP_NS;
        let (at_ns, info) = (realtime_ns()?, sockets::info(&self.stream)?);
        let arrived = Arrived { at_ns, segments: info.data_segs_in.into(), bytes: info.bytes_received };
        if self.outbox.len() < OUTBOX_BYTES {
            self.outbox.extend(arrived.to_bytes());
        }
        match send(self.stream.as_raw_fd(), &self.outbox, MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL) {
            Ok(taken) => drop(self.outbox.drain(..taken)),
            Err(Errno::EAGAIN) => {}
            Err(errno) => return Err(failed("say what has come")(errno)),
        }
        Ok(())
    }
}
