//! [`Receiver`]: the receiving end of a flow.
//!
//! Its reader is a thread of its own that sleeps inside one long `recv(MSG_WAITALL)`: each time enough data has come,
//! the kernel wakes the thread, takes the data and lets it sleep again, all without going back to user space. A loop of
//! `epoll_wait` and `recv` would make some thirty system calls a megabyte, and under User-Mode Linux each costs tens of
//! microseconds of the host's time.

use crate::failure::Failure;
use crate::sockets::set_receive_low_water;
use nix::errno::Errno;
use nix::sys::eventfd::EventFd;
use nix::sys::socket::{MsgFlags, recv};
use std::io::ErrorKind;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A reader sleeps until this much is there. Less wakes it for every segment, which takes as long as all that TCP
/// does; a megabyte would let the sender wait for the receiver's window in slow start on long paths.
const LOW_WATER_BYTES: u64 = 1 << 16;

/// Taken by one call at most. `MSG_TRUNC` lets TCP discard it without a copy: the memory is never written to, and
/// takes addresses only.
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
    told: Mutex<Vec<(usize, Result<(), Failure>)>>,
}

/// The receiving end of a flow.
#[derive(Debug)]
pub enum Receiver {
    /// It waits for its connection.
    Listening(TcpListener),
    /// Its reader is at work on the connection.
    Reading(Arc<TcpStream>),
}

impl News {
    /// No news.
    ///
    /// # Errors
    /// The kernel has no descriptors to give.
    pub fn new() -> Result<Arc<Self>, Failure> {
        let bell = EventFd::new().map_err(|errno| Failure::of("create a bell", errno))?;
        Ok(Arc::new(Self { bell, told: Mutex::default() }))
    }

    /// What is new of which flow. In virtual time there is one at a time, unless two come at the same instant.
    pub fn take(&self) -> Vec<(usize, Result<(), Failure>)> {
        std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, flow: usize, result: Result<(), Failure>) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push((flow, result));
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
    /// Takes the connection, once it is there: the listener is closed, and a reader begins.
    ///
    /// # Errors
    /// There is no connection, or no thread to be had.
    pub fn accept(
        &mut self,
        flow: usize,
        reads: Reads,
        total_bytes: Option<u64>,
        news: &Arc<News>,
    ) -> Result<(), Failure> {
        let Self::Listening(listener) = self else { return Ok(()) };
        let stream = match listener.accept() {
            Ok((stream, _)) => Arc::new(stream),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(Failure::of("accept a connection", error)),
        };
        let (reader, news) = (Arc::clone(&stream), Arc::clone(news));
        let read = move || {
            let result = read(&reader, reads, total_bytes);
            // One that reads for ever has nothing to tell but its failure.
            if result.is_err() || total_bytes.is_some() {
                news.tell(flow, result);
            }
        };
        thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(read)
            .map_err(|error| Failure::of("start a reader", error))?;
        *self = Self::Reading(stream);
        Ok(())
    }

    /// Lets the reader go; it closes the connection.
    pub fn stop(self) {
        if let Self::Reading(stream) = self {
            // A connection that has ended already cannot be shut down, nor need be.
            stream.shutdown(Shutdown::Read).unwrap_or_default();
        }
    }
}

/// Reads until all is there, or until there can be no more.
fn read(stream: &TcpStream, reads: Reads, total_bytes: Option<u64>) -> Result<(), Failure> {
    let mut sink = vec![0; READ_BYTES];
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
}
