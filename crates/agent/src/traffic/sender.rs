//! [`Sender`]: the sending end of a flow.

use crate::failure::Failure;
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, Shutdown, SockaddrIn, connect, getsockopt, send, setsockopt, shutdown, sockopt};
use std::net::SocketAddrV4;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// A write takes as much as the socket does, so that user space sleeps while a third of the send buffer drains.
const WRITE_BYTES: usize = 1 << 20;

/// Payload: zeros. Never written to, they are all the same page.
#[derive(Debug)]
pub struct Payload(Vec<u8>);

impl Default for Payload {
    fn default() -> Self {
        Self(vec![0; WRITE_BYTES])
    }
}

/// A connection that data goes into.
#[derive(Debug)]
pub struct Sender {
    socket: OwnedFd,
    remote: SocketAddrV4,
    /// What the application has written and the socket not yet taken.
    pending_bytes: u64,
    /// Nothing follows what is pending.
    closes: bool,
}

impl Sender {
    /// A sender that will connect to `remote`.
    pub const fn new(socket: OwnedFd, remote: SocketAddrV4) -> Self {
        Self { socket, remote, pending_bytes: 0, closes: false }
    }

    /// Begins the handshake.
    ///
    /// # Errors
    /// There is no way to the other side.
    pub fn connect(&self) -> Result<(), Failure> {
        match connect(self.socket.as_raw_fd(), &SockaddrIn::from(self.remote)) {
            Ok(()) | Err(Errno::EINPROGRESS) => Ok(()),
            Err(errno) => Err(Failure::of(format!("connect to {}", self.remote), errno)),
        }
    }

    /// The application writes, and when that is all, closes its side.
    ///
    /// # Errors
    /// The connection has failed.
    pub fn write(&mut self, bytes: u64, closes: bool, payload: &Payload) -> Result<(), Failure> {
        self.pending_bytes += bytes;
        self.closes |= closes;
        self.flush(payload)
    }

    /// Gives the socket what it takes.
    ///
    /// # Errors
    /// The connection has failed.
    pub fn flush(&mut self, payload: &Payload) -> Result<(), Failure> {
        while self.pending_bytes > 0 {
            let length = self.pending_bytes.min(WRITE_BYTES as u64) as usize;
            match send(self.socket.as_raw_fd(), &payload.0[..length], MsgFlags::MSG_NOSIGNAL) {
                Ok(taken) => {
                    self.pending_bytes -= taken as u64;
                    // The socket is full, and will say when it is no longer.
                    if taken < length {
                        return Ok(());
                    }
                }
                Err(Errno::EAGAIN) => return Ok(()),
                Err(errno) => return Err(self.failed("send", errno)),
            }
        }
        if self.closes {
            self.closes = false;
            shutdown(self.socket.as_raw_fd(), Shutdown::Write).map_err(|errno| self.failed("close", errno))?;
        }
        Ok(())
    }

    /// The error that the connection has met, in words.
    pub fn error(&self) -> Option<Failure> {
        match getsockopt(&self.socket, sockopt::SocketError) {
            Ok(0) => None,
            Ok(code) => Some(self.failed("hold a connection", Errno::from_raw(code))),
            Err(errno) => Some(self.failed("hold a connection", errno)),
        }
    }

    /// Makes closing abort the connection: what lies in the send buffer is not sent any more.
    ///
    /// # Errors
    /// It is no TCP socket.
    pub fn abort_on_close(&self) -> Result<(), Failure> {
        setsockopt(&self.socket, sockopt::Linger, &libc::linger { l_onoff: 1, l_linger: 0 })
            .map_err(|errno| self.failed("abort", errno))
    }

    fn failed(&self, attempt: &str, errno: Errno) -> Failure {
        Failure::of(format!("{attempt} to {}", self.remote), errno)
    }
}

impl AsFd for Sender {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
