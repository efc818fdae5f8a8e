//! [`Station`]: a pair's two UDP sockets, from which packets are sent, received and stamped.

use crate::error::{Error, Subject};
use crate::network::Endpoint;
use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, MultiHeaders, recvmmsg, sendmmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use std::io::{IoSlice, IoSliceMut};
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// IP and UDP headers.
const HEADERS_BYTES: usize = 28;
/// A packet's number, at the beginning of its payload.
const NUMBER_BYTES: usize = 8;
/// Messages a system call.
const BATCH: usize = 64;
/// Socket buffers, as asked for (the kernel doubles it): what arrives while the probe sleeps must fit.
const BUFFER_BYTES: usize = 1 << 28;
/// An answer that takes longer does not come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A pair's sender and receiver.
#[derive(Debug)]
pub struct Station {
    sender: UdpSocket,
    receiver: UdpSocket,
    /// What follows a packet's number in a frame of full size.
    padding: Vec<u8>,
}

/// A packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its number.
    pub number: u64,
    /// When the kernel received it.
    pub at_ns: u64,
}

/// The times of a small packet that was sent on the idle path and sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// On the way there.
    pub forward_ns: u64,
    /// On the way back.
    pub return_ns: u64,
}

impl Station {
    /// Sockets at both ends of a pair, connected with one another.
    pub fn open(from: &Endpoint, to: &Endpoint, mtu_bytes: u32) -> Result<Self, Error> {
        let open = |end: &Endpoint| end.namespace.within(|| UdpSocket::bind(SocketAddrV4::new(end.address, 0)));
        let sender = open(from)?.about(format_args!("UDP socket on {}", from.address))?;
        let receiver = open(to)?.about(format_args!("UDP socket on {}", to.address))?;
        let connect = |socket: &UdpSocket, other: &UdpSocket| {
            other.local_addr().and_then(|address| socket.connect(address)).about("UDP socket")
        };
        connect(&sender, &receiver)?;
        connect(&receiver, &sender)?;
        for socket in [&sender, &receiver] {
            setsockopt(socket, sockopt::RcvBufForce, &BUFFER_BYTES).about("receive buffer")?;
            setsockopt(socket, sockopt::SndBufForce, &BUFFER_BYTES).about("send buffer")?;
            setsockopt(socket, sockopt::ReceiveTimestampns, &true).about("receive timestamps")?;
            socket.set_read_timeout(Some(PATIENCE)).about("UDP socket")?;
        }
        let padding = vec![0; mtu_bytes as usize - HEADERS_BYTES - NUMBER_BYTES];
        Ok(Self { sender, receiver, padding })
    }

    /// Sends a small packet there and back. Only the ways count, not the time until it is read.
    pub fn echo(&self, number: u64) -> Result<Echo, Error> {
        let way = |from: &UdpSocket, to: &UdpSocket| {
            let sent_ns = now_ns()?;
            from.send(&number.to_ne_bytes()).about("small packet")?;
            loop {
                let stamps = receive(to, MsgFlags::MSG_WAITFORONE)?;
                if stamps.is_empty() {
                    return Err(Error::new("small packet", format_args!("did not arrive within {PATIENCE:?}")));
                }
                if let Some(stamp) = stamps.iter().find(|stamp| stamp.number == number) {
                    return Ok(stamp.at_ns.saturating_sub(sent_ns));
                }
            }
        };
        let forward_ns = way(&self.sender, &self.receiver)?;
        Ok(Echo { forward_ns, return_ns: way(&self.receiver, &self.sender)? })
    }

    /// Sends frames of full size, numbered on from `first`, as fast as it goes.
    pub fn send(&self, first: u64, count: u64) -> Result<(), Error> {
        let end = first + count;
        let mut next = first;
        while next < end {
            let numbers: Vec<[u8; NUMBER_BYTES]> = (next..end.min(next + BATCH as u64)).map(u64::to_ne_bytes).collect();
            let slices: Vec<[IoSlice<'_>; 2]> =
                numbers.iter().map(|number| [IoSlice::new(number), IoSlice::new(&self.padding)]).collect();
            let mut headers = MultiHeaders::<()>::preallocate(slices.len(), None);
            let addresses = vec![None; slices.len()];
            let sent = sendmmsg(self.sender.as_raw_fd(), &mut headers, &slices, addresses, [], MsgFlags::empty())
                .about("packet train")?
                .count();
            next += sent as u64;
        }
        Ok(())
    }

    /// Everything that has arrived, in that order.
    pub fn arrived(&self) -> Result<Vec<Stamp>, Error> {
        let mut all = Vec::new();
        loop {
            let stamps = receive(&self.receiver, MsgFlags::MSG_DONTWAIT)?;
            all.extend(&stamps);
            if stamps.len() < BATCH {
                return Ok(all);
            }
        }
    }
}

/// The clock of the receive timestamps.
pub fn now_ns() -> Result<u64, Error> {
    clock_gettime(ClockId::CLOCK_REALTIME).map(nanoseconds).about("clock")
}

/// What a socket has, a batch at most; nothing when nothing came.
fn receive(socket: &UdpSocket, flags: MsgFlags) -> Result<Vec<Stamp>, Error> {
    let mut numbers = [[0_u8; NUMBER_BYTES]; BATCH];
    let mut slices: Vec<[IoSliceMut<'_>; 1]> = numbers.iter_mut().map(|number| [IoSliceMut::new(number)]).collect();
    let mut headers = MultiHeaders::<()>::preallocate(BATCH, Some(cmsg_space!(TimeSpec)));
    let messages = match recvmmsg(socket.as_raw_fd(), &mut headers, &mut slices, flags, None) {
        Ok(messages) => messages,
        Err(Errno::EAGAIN) => return Ok(Vec::new()),
        Err(errno) => return Err(Error::refused("packets of the probe", errno, None)),
    };
    let mut stamps = Vec::new();
    for message in messages {
        let number = message.iovs().next().and_then(|bytes| bytes.first_chunk().copied());
        let at = message.cmsgs().about("receive timestamp")?.find_map(|control| match control {
            ControlMessageOwned::ScmTimestampns(at) => Some(at),
            _ => None,
        });
        if let (Some(number), Some(at)) = (number, at) {
            stamps.push(Stamp { number: u64::from_ne_bytes(number), at_ns: nanoseconds(at) });
        }
    }
    Ok(stamps)
}

/// Since the clock's beginning.
pub fn nanoseconds(time: TimeSpec) -> u64 {
    Duration::from(time).as_nanos() as u64
}
