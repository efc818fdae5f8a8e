//! [`Sender`]: the sending end of a flow.

use crate::failure::Failure;
use nix::errno::Errno;
use nix::sys::socket::{
    MsgFlags, Shutdown, SockaddrIn, connect, getsockopt, recv, send, setsockopt, shutdown, sockopt,
};
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

impl Payload {
    /// So much of it, or as much as one write takes.
    pub fn of(&self, bytes: u64) -> &[u8] {
        &self.0[..bytes.min(WRITE_BYTES as u64) as usize]
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
            let piece = payload.of(self.pending_bytes);
            match send(self.socket.as_raw_fd(), piece, MsgFlags::MSG_NOSIGNAL) {
                Ok(taken) => {
                    self.pending_bytes -= taken as u64;
                    // The socket is full, and will say when it is no longer.
                    if taken < piece.len() {
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

    /// Takes what has come from the other end, at most so much; `sink` is never written to. Gives how much that was.
    ///
    /// # Errors
    /// The connection has failed.
    pub fn read(&self, most_bytes: u32, sink: &mut [u8]) -> Result<u32, Failure> {
        let flags = MsgFlags::MSG_TRUNC | MsgFlags::MSG_DONTWAIT;
        match recv(self.socket.as_raw_fd(), &mut sink[..most_bytes as usize], flags) {
            Ok(taken) => Ok(taken as u32),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(0),
            Err(errno) => Err(self.failed("receive from the other end", errno)),
        }
    }

    /// Whether the kernel has given the connection up: nothing that it sent was acknowledged for as long as it tries.
    ///
    /// # Errors
    /// The connection has met another error.
    pub fn is_given_up(&self) -> Result<bool, Failure> {
        match getsockopt(&self.socket, sockopt::SocketError).map(Errno::from_raw) {
            Ok(Errno::UnknownErrno) => Ok(false), // none
            Ok(Errno::ETIMEDOUT) => Ok(true),
            Ok(errno) | Err(errno) => Err(self.failed("hold a connection", errno)),
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
