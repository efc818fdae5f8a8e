//! [`EchoSocket`]: small UDP packets there and back, stamped by the kernel as they arrive.
//!
//! A question is the token and a number; the answer has when the question came and when it left, too.

use super::{Token, failed, numbers};
use crate::clock::realtime_ns;
use crate::failure::Failure;
use crate::probe::station::nanoseconds;
use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, sendto, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use serde::Serialize;
use std::io::IoSliceMut;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

const QUESTION_BYTES: usize = 16;
const ANSWER_BYTES: usize = 32;
/// No more is taken at once, so that a flood leaves time for the rest.
const MOST_AT_ONCE: usize = 64;
/// Ethernet's, IP's and UDP's headers.
const HEADERS_BYTES: u32 = 42;
/// The frame of a question.
pub const FRAME_BYTES: u32 = HEADERS_BYTES + QUESTION_BYTES as u32;

/// When a packet was sent there and back, each on the CLOCK_REALTIME of whom it left or reached, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Echo {
    pub sent_ns: u64,
    pub there_ns: u64,
    pub left_ns: u64,
    pub back_ns: u64,
}

/// A socket of either end.
#[derive(Debug)]
pub struct EchoSocket {
    socket: UdpSocket,
    token: Token,
}

/// What came: its numbers behind the token, from whom, and when.
struct Packet {
    numbers: Vec<u64>,
    from: SocketAddrV4,
    at_ns: u64,
}

impl EchoSocket {
    pub fn bind(address: Ipv4Addr, token: Token) -> Result<Self, Failure> {
        let socket =
            UdpSocket::bind((address, 0)).map_err(|error| Failure::of(format!("bind UDP to {address}"), error))?;
        socket.set_nonblocking(true).map_err(|error| Failure::of("make a socket that waits for nothing", error))?;
        setsockopt(&socket, sockopt::ReceiveTimestampns, &true).map_err(failed("ask for stamps"))?;
        Ok(Self { socket, token })
    }

    pub fn port(&self) -> Result<u16, Failure> {
        self.socket.local_addr().map(|address| address.port()).map_err(|error| Failure::of("name a port", error))
    }

    /// Sends a question, and gives when.
    pub fn ask(&self, number: u64, to: SocketAddrV4) -> Result<u64, Failure> {
        let mut bytes = [0; QUESTION_BYTES];
        bytes[..Token::BYTES].copy_from_slice(&self.token.bytes());
        bytes[Token::BYTES..].copy_from_slice(&number.to_le_bytes());
        let at_ns = realtime_ns()?;
        self.send(&bytes, to)?;
        Ok(at_ns)
    }

    /// Answers the questions that have come.
    pub fn answer(&self) -> Result<(), Failure> {
        for packet in self.receive()? {
            let [number] = packet.numbers[..] else { continue };
            let mut bytes = [0; ANSWER_BYTES];
            bytes[..Token::BYTES].copy_from_slice(&self.token.bytes());
            bytes[8..16].copy_from_slice(&number.to_le_bytes());
            bytes[16..24].copy_from_slice(&packet.at_ns.to_le_bytes());
            bytes[24..].copy_from_slice(&realtime_ns()?.to_le_bytes());
            self.send(&bytes, packet.from)?;
        }
        Ok(())
    }

    /// The answers that have come: the number of each, and the echo but for when it was sent.
    pub fn answered(&self) -> Result<Vec<(u64, Echo)>, Failure> {
        let echo = |packet: Packet| match packet.numbers[..] {
            [number, there_ns, left_ns] => {
                Some((number, Echo { sent_ns: 0, there_ns, left_ns, back_ns: packet.at_ns }))
            }
            _ => None,
        };
        Ok(self.receive()?.into_iter().filter_map(echo).collect())
    }

    fn send(&self, bytes: &[u8], to: SocketAddrV4) -> Result<(), Failure> {
        match sendto(self.socket.as_raw_fd(), bytes, &SockaddrIn::from(to), MsgFlags::MSG_NOSIGNAL) {
            // What is lost here is lost on the path, too; and nobody may listen there any more.
            Ok(_) | Err(Errno::EAGAIN | Errno::ENOBUFS | Errno::ECONNREFUSED) => Ok(()),
            Err(errno) => Err(Failure::of(format!("send an echo to {to}"), errno)),
        }
    }

    /// What has come from somebody who knows the token.
    fn receive(&self) -> Result<Vec<Packet>, Failure> {
        let mut bytes = [0; ANSWER_BYTES + 1];
        let mut space = cmsg_space!(TimeSpec);
        let mut packets = Vec::new();
        for _ in 0..MOST_AT_ONCE {
            let mut slices = [IoSliceMut::new(&mut bytes)];
            let socket = self.socket.as_raw_fd();
            let message = match recvmsg::<SockaddrIn>(socket, &mut slices, Some(&mut space), MsgFlags::MSG_DONTWAIT) {
                Ok(message) => message,
                Err(Errno::EAGAIN) => break,
                Err(Errno::ECONNREFUSED | Errno::EINTR) => continue,
                Err(errno) => return Err(Failure::of("receive an echo", errno)),
            };
            let stamp = message.cmsgs().map_err(failed("read a stamp"))?.find_map(|control| match control {
                ControlMessageOwned::ScmTimestampns(at) => Some(nanoseconds(at)),
                _ => None,
            });
            let (length, from) = (message.bytes, message.address);
            // A kernel that stamps nothing leaves it to this process.
            let at_ns = stamp.map_or_else(realtime_ns, Ok)?;
            let mut all = numbers(&bytes[..length]);
            if let (Some(token), Some(from), true) = (all.next(), from, length.is_multiple_of(8))
                && token == self.token.0
            {
                packets.push(Packet { numbers: all.collect(), from: from.into(), at_ns });
            }
        }
        Ok(packets)
    }
}

impl AsFd for EchoSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
