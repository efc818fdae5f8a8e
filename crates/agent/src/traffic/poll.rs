//! [`Poll`]: the one place where the agent sleeps.

use super::connection_id::ConnectionId;
use crate::failure::Failure;
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use std::os::fd::AsFd;

/// Wake-ups that are fetched at once.
const WAKES: usize = 64;
/// Bits of a token that say what kind of wake-up it names.
const KIND_BITS: u32 = 3;

/// Whom a wake-up is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Something is due.
    Alarm,
    /// The sender of a connection can go on.
    Sender(ConnectionId),
    /// The receiver of a connection has enough to take.
    Receiver(ConnectionId),
    /// A connection of a flow is there to be accepted.
    Listener(usize),
    /// A reader has news.
    News,
    /// A program has ended.
    Ending,
    /// Frames were captured.
    Capture,
    /// A datagram of a flow is there.
    Datagram(usize),
}

/// What wakes the agent. Everything is edge-triggered: whoever is woken takes all that there is, and is not asked again.
#[derive(Debug)]
pub struct Poll {
    epoll: Epoll,
}

impl Poll {
    /// Nothing wakes yet.
    ///
    /// # Errors
    /// The kernel has none to give.
    pub fn new() -> Result<Self, Failure> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(|errno| Failure::of("create a poll", errno))?;
        Ok(Self { epoll })
    }

    /// From now on `what` causes `wake`: senders when there is room, all others when there is something to take.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn watch(&self, what: impl AsFd, wake: Wake) -> Result<(), Failure> {
        let room = if matches!(wake, Wake::Sender(_)) { EpollFlags::EPOLLOUT } else { EpollFlags::EPOLLIN };
        self.add(what, room, wake)
    }

    /// The same, when there is room and when there is something to take.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn watch_both(&self, what: impl AsFd, wake: Wake) -> Result<(), Failure> {
        self.add(what, EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT, wake)
    }

    fn add(&self, what: impl AsFd, when: EpollFlags, wake: Wake) -> Result<(), Failure> {
        self.epoll
            .add(what, EpollEvent::new(when | EpollFlags::EPOLLET, wake.token()))
            .map_err(|errno| Failure::of("watch a socket", errno))
    }

    /// Sleeps until something happens. Tells whose wake-ups they are, and whether there was an error.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn sleep(&self) -> Result<impl Iterator<Item = (Wake, bool)> + use<>, Failure> {
        let mut wakes = [EpollEvent::empty(); WAKES];
        let count = loop {
            match self.epoll.wait(&mut wakes, EpollTimeout::NONE) {
                Ok(count) => break count,
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(Failure::of("sleep", errno)),
            }
        };
        let decode = |wake: EpollEvent| (Wake::of_token(wake.data()), wake.events().contains(EpollFlags::EPOLLERR));
        Ok(wakes.into_iter().take(count).map(decode))
    }
}

impl Wake {
    /// Which kind it is in the lowest bits, then the flow or the connection.
    const fn token(self) -> u64 {
        match self {
            Self::Alarm => 0,
            Self::News => 1,
            Self::Listener(flow) => 2 | (flow as u64) << KIND_BITS,
            Self::Sender(id) => 3 | id.number() << KIND_BITS,
            Self::Receiver(id) => 4 | id.number() << KIND_BITS,
            Self::Ending => 5,
            Self::Capture => 6,
            Self::Datagram(flow) => 7 | (flow as u64) << KIND_BITS,
        }
    }

    const fn of_token(token: u64) -> Self {
        let rest = token >> KIND_BITS;
        match token & ((1 << KIND_BITS) - 1) {
            0 => Self::Alarm,
            1 => Self::News,
            2 => Self::Listener(rest as usize),
            3 => Self::Sender(ConnectionId::of_number(rest)),
            5 => Self::Ending,
            4 => Self::Receiver(ConnectionId::of_number(rest)),
            6 => Self::Capture,
            _ => Self::Datagram(rest as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_wake() {
        let mut wakes =
            vec![Wake::Alarm, Wake::News, Wake::Ending, Wake::Capture, Wake::Listener(0), Wake::Listener(19_999)];
        wakes.extend([Wake::Datagram(0), Wake::Datagram(19_999)]);
        for (flow, port) in [(0, 0), (0, u16::MAX), (19_999, 50_000)] {
            let id = ConnectionId { flow, port };
            wakes.extend([Wake::Sender(id), Wake::Receiver(id)]);
        }
        for wake in wakes {
            assert_eq!(Wake::of_token(wake.token()), wake);
        }
    }
}
