//! [`Receiver`]: the receiving end of a connection.
//!
//! Its reader is a thread of its own that sleeps inside one long `recv(MSG_WAITALL)`: each time enough data has come,
//! the kernel wakes the thread, takes the data and lets it sleep again, all without going back to user space. A loop of
//! `epoll_wait` and `recv` would make some thirty system calls a megabyte, and under User-Mode Linux each costs tens of
//! microseconds of the host's time.

use super::connection_id::ConnectionId;
use super::sender::Payload;
use crate::failure::Failure;
use crate::sockets::{clamp_window, set_receive_low_water, window_clamp};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::EventFd;
use nix::sys::socket::{MsgFlags, recv, send};
use std::io::ErrorKind;
use std::net::{Shutdown, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A reader sleeps until this much is there. Less wakes it for every segment, which takes as long as all that TCP
/// does; a megabyte would let the sender wait for the receiver's window in slow start on long paths.
const LOW_WATER_BYTES: u64 = 1 << 16;

/// Taken by one call at most.
const READ_BYTES: usize = 1 << 24;

/// A reader needs little more than the stack that its system calls take.
const STACK_BYTES: usize = 1 << 16;

/// How much a reader waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// As little as is worth the waking.
    Large,
    /// Anything at once: where an application writes in small pieces, the moment of reading decides when they are
    /// acknowledged (`tcp_cleanup_rbuf`), and where memory is limited, what is not read closes the window.
    AtOnce,
}

/// What readers have to say: each wakes the agent when it has all, or when its connection has failed.
#[derive(Debug)]
pub struct News {
    bell: EventFd,
    pending: Mutex<Vec<(ConnectionId, Result<(), Failure>)>>,
}

/// The receiving end of a connection.
#[derive(Debug)]
pub enum Receiver {
    /// A reader of its own is at work.
    Reader(Arc<TcpStream>),
    /// It is read when the kernel says that there is enough.
    Taker(Taker),
}

impl News {
    /// No news.
    ///
    /// # Errors
    /// The kernel has no descriptors to give.
    pub fn new() -> Result<Arc<Self>, Failure> {
        let bell = EventFd::new().map_err(|errno| Failure::of("create a bell", errno))?;
        Ok(Arc::new(Self { bell, pending: Mutex::default() }))
    }

    /// What is new of which connection. In virtual time there is one at a time, unless two come at the same instant.
    pub fn take(&self) -> Vec<(ConnectionId, Result<(), Failure>)> {
        std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn report(&self, id: ConnectionId, result: Result<(), Failure>) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push((id, result));
        // It can only fail when it has rung 2^64 times.
        self.bell.write(1).unwrap_or_default();
    }
}

impl AsFd for News {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

impl Receiver {
    /// Lets a reader begin.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn reader(
        id: ConnectionId,
        stream: TcpStream,
        reads: Reads,
        window_bytes: Option<u32>,
        total_bytes: Option<u64>,
        news: &Arc<News>,
    ) -> Result<Self, Failure> {
        let stream = Arc::new(stream);
        let (reader, news) = (Arc::clone(&stream), Arc::clone(news));
        let read = move || {
            let clamped = window_bytes.map_or(Ok(()), |bytes| hold_window(&reader, bytes));
            let result = clamped.and_then(|()| read(&reader, reads, total_bytes));
            // One that reads for ever has nothing to tell but its failure.
            if result.is_err() || total_bytes.is_some() {
                news.report(id, result);
            }
        };
        thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(read)
            .map_err(|error| Failure::of("start a reader", error))?;
        Ok(Self::Reader(stream))
    }

    /// Lets a reader go; it closes the connection.
    pub fn stop(self) {
        if let Self::Reader(stream) = self {
            // A connection that has ended already cannot be shut down, nor need be.
            stream.shutdown(Shutdown::Read).unwrap_or_default();
        }
    }
}

impl AsFd for Receiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Reader(stream) => stream.as_fd(),
            Self::Taker(taker) => taker.stream.as_fd(),
        }
    }
}

/// Takes what a short transfer delivers, each time that as much is there as would wake a reader: to start one, and to
/// be told by it, costs more than that.
#[derive(Debug)]
pub struct Taker {
    stream: TcpStream,
    reads: Reads,
    missing_bytes: u64,
    low_water: u64,
}

impl Taker {
    /// Nothing is taken yet.
    ///
    /// # Errors
    /// It is no socket.
    pub fn new(stream: TcpStream, reads: Reads, total_bytes: u64) -> Result<Self, Failure> {
        let mut taker = Self { stream, reads, missing_bytes: total_bytes, low_water: 0 };
        taker.await_more()?;
        Ok(taker)
    }

    /// Requests an object of so many bytes.
    ///
    /// # Errors
    /// The connection has failed, or has no room for a request.
    pub fn request(&mut self, request_bytes: u32, object_bytes: u64, payload: &Payload) -> Result<(), Failure> {
        self.missing_bytes = object_bytes;
        self.await_more()?;
        let sent = send(self.stream.as_raw_fd(), payload.of(u64::from(request_bytes)), MsgFlags::MSG_NOSIGNAL);
        match sent.map_err(|errno| Failure::of("request", errno))? {
            taken if taken == request_bytes as usize => Ok(()),
            taken => Err(Failure(format!("a request of {request_bytes} bytes: the socket took {taken}"))),
        }
    }

    /// Takes all that is there; `sink` is never written to. True: that was everything.
    ///
    /// # Errors
    /// The connection has failed, or has ended before that.
    pub fn take(&mut self, sink: &mut [u8]) -> Result<bool, Failure> {
        while self.missing_bytes > 0 {
            let most = self.missing_bytes.min(sink.len() as u64) as usize;
            match recv(self.stream.as_raw_fd(), &mut sink[..most], MsgFlags::MSG_TRUNC | MsgFlags::MSG_DONTWAIT) {
                Ok(0) => return Err(Failure(format!("its connection ended {} bytes early", self.missing_bytes))),
                Ok(taken) => {
                    self.missing_bytes -= taken as u64;
                    if taken < most {
                        self.await_more()?;
                        break;
                    }
                }
                Err(Errno::EAGAIN) => break,
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(Failure::of("receive", errno)),
            }
        }
        Ok(self.missing_bytes == 0)
    }

    /// It is woken when as much is there as is worth the waking, and by the last byte.
    fn await_more(&mut self) -> Result<(), Failure> {
        let low_water = mark(self.reads, self.missing_bytes.min(LOW_WATER_BYTES));
        if low_water != self.low_water {
            self.low_water = low_water;
            set_receive_low_water(&self.stream, low_water as usize)?;
        }
        Ok(())
    }
}

/// Where data goes that nobody wants: `MSG_TRUNC` lets TCP discard it without a copy. The memory is never written to,
/// and takes addresses only.
pub fn sink() -> Vec<u8> {
    vec![0; READ_BYTES]
}

/// The next connection that has come in, and its sender; none when there is no more.
///
/// # Errors
/// The kernel has no descriptors to give.
pub fn accept(listener: &TcpListener) -> Result<Option<(TcpStream, SocketAddrV4)>, Failure> {
    match listener.accept() {
        Ok((stream, SocketAddr::V4(sender))) => Ok(Some((stream, sender))),
        Ok((_, SocketAddr::V6(sender))) => Err(Failure(format!("accept a connection: from {sender}"))),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(Failure::of("accept a connection", error)),
    }
}

/// Waits for the first segment, and announces no larger window than this from then on. Kernels from 6.6 on forget it then:
/// they set the limit anew, to what the receive buffer holds, once a full segment has told how much memory a byte takes
/// (`tcp_measure_rcv_mss` in Linux's `tcp_input.c`). On others nothing is done: there it would narrow the window.
fn hold_window(stream: &TcpStream, bytes: u32) -> Result<(), Failure> {
    let mut waits = [PollFd::new(stream.as_fd(), PollFlags::POLLIN)];
    while poll(&mut waits, PollTimeout::NONE) == Err(Errno::EINTR) {}
    if window_clamp(stream)? > bytes { clamp_window(stream, bytes) } else { Ok(()) }
}

/// Reads until all is there, or until there can be no more.
fn read(stream: &TcpStream, reads: Reads, total_bytes: Option<u64>) -> Result<(), Failure> {
    let mut sink = sink();
    let mut missing = total_bytes;
    let mut low_water = None;
    while missing != Some(0) {
        let step = step(reads, missing);
        if low_water.replace(step.low_water) != Some(step.low_water) {
            set_receive_low_water(stream, step.low_water as usize)?;
        }
        let flags = MsgFlags::MSG_TRUNC | MsgFlags::MSG_WAITALL;
        match recv(stream.as_raw_fd(), &mut sink[..step.bytes as usize], flags) {
            Ok(0) => return Ok(()),
            Ok(taken) => missing = missing.map(|bytes| bytes.saturating_sub(taken as u64)),
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(Failure::of("receive", errno)),
        }
    }
    Ok(())
}

/// One call of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// How much it takes before it goes back to user space.
    bytes: u64,
    /// How much must be there to wake it.
    low_water: u64,
}

/// What a reader does next who still misses `missing_bytes`: the last step is as long as its low-water mark, so that
/// it wakes with the last byte, which is the instant of completion.
const fn step(reads: Reads, missing_bytes: Option<u64>) -> Step {
    let most = READ_BYTES as u64;
    let bytes = match missing_bytes {
        None => return Step { bytes: most, low_water: mark(reads, LOW_WATER_BYTES) },
        Some(missing) if missing <= LOW_WATER_BYTES => return Step { bytes: missing, low_water: mark(reads, missing) },
        Some(missing) => missing - LOW_WATER_BYTES,
    };
    Step { bytes: if bytes < most { bytes } else { most }, low_water: mark(reads, LOW_WATER_BYTES) }
}

const fn mark(reads: Reads, bytes: u64) -> u64 {
    match reads {
        Reads::Large => bytes,
        Reads::AtOnce => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_last_byte_wakes_the_reader() {
        let steps = |mut missing: u64| {
            let mut steps = Vec::new();
            while missing > 0 {
                let Step { bytes, low_water } = step(Reads::Large, Some(missing));
                steps.push((bytes, low_water));
                missing -= bytes;
            }
            steps
        };
        assert_eq!(steps(100), [(100, 100)]);
        assert_eq!(steps(65_536), [(65_536, 65_536)]);
        assert_eq!(steps(100_000), [(34_464, 65_536), (65_536, 65_536)]);
        assert_eq!(steps(20_000_000), [(16_777_216, 65_536), (3_157_248, 65_536), (65_536, 65_536)]);
    }

    #[test]
    fn a_reader_without_end_goes_home_seldom() {
        assert_eq!(step(Reads::Large, None), Step { bytes: 1 << 24, low_water: 1 << 16 });
        assert_eq!(step(Reads::AtOnce, None).low_water, 1);
    }

    fn connection() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (sender, listener.accept().unwrap().0)
    }

    #[test]
    fn a_taker_is_done_with_the_last_byte_and_not_before() {
        let (mut sender, stream) = connection();
        let mut taker = Taker::new(stream, Reads::Large, 70_000).unwrap();
        assert_eq!((taker.take(&mut sink()), taker.low_water), (Ok(false), LOW_WATER_BYTES));
        sender.write_all(&[0; 69_999]).unwrap();
        while taker.missing_bytes > 1 {
            assert_eq!(taker.take(&mut sink()), Ok(false));
        }
        assert_eq!(taker.low_water, 1);
        sender.write_all(&[0]).unwrap();
        while taker.missing_bytes > 0 {
            taker.take(&mut sink()).unwrap();
        }
        assert_eq!(taker.take(&mut sink()), Ok(true));
    }

    #[test]
    fn a_connection_that_ends_early_is_reported() {
        let (sender, stream) = connection();
        let mut taker = Taker::new(stream, Reads::Large, 100).unwrap();
        drop(sender);
        let failure = std::iter::repeat_with(|| taker.take(&mut sink())).find_map(Result::err).unwrap();
        assert_eq!(failure.0, "its connection ended 100 bytes early");
    }
}
