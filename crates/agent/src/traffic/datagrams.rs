//! [`Datagrams`]: UDP datagrams of a flow, and the receiver, which sends pings back and reports on media.

use crate::failure::Failure;
use crate::network::Network;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, setsockopt, socket, sockopt};
use run::{DatagramLog, REPORT_BYTES};
use std::io::ErrorKind;
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// A datagram begins with its number, as a report does.
const NUMBER_BYTES: usize = size_of::<u32>();
/// Room of a socket, both ways: what has come waits in it for the agent, and what is sent for the host's own queue.
const BUFFER_BYTES: usize = 4 << 20;

/// Both ends of a flow of datagrams.
#[derive(Debug)]
pub struct Datagrams {
    sender: UdpSocket,
    receiver: UdpSocket,
    /// The sender's address.
    own: SocketAddrV4,
    datagram: Vec<u8>,
    /// For one that has come.
    room: Vec<u8>,
    /// How many have come to the receiver, and their payload.
    arrived: [u64; 2],
    log: DatagramLog,
}

impl Datagrams {
    /// Opens the sockets of flow `index`, each in its namespace; none are sent yet.
    ///
    /// # Errors
    /// An address is not there.
    pub fn open(
        index: usize,
        largest_bytes: usize,
        remote: SocketAddrV4,
        log: DatagramLog,
        network: &Network,
    ) -> Result<Self, Failure> {
        let (host, far) = (network.sender(index), network.receiver(index));
        let own = SocketAddrV4::new(host.address, network.sender_port(index));
        let within = |error: crate::error::Error| Failure(error.to_string());
        let receiver = far.namespace.within(|| udp(remote, None)).map_err(within)??;
        let sender = host.namespace.within(|| udp(own, Some(remote))).map_err(within)??;
        let datagram = vec![0; largest_bytes];
        Ok(Self { sender, receiver, own, room: datagram.clone(), datagram, arrived: [0; 2], log })
    }

    /// Both sockets, which wake the agent when a datagram is there.
    pub fn sockets(&self) -> [BorrowedFd<'_>; 2] {
        [self.receiver.as_fd(), self.sender.as_fd()]
    }

    /// Sends those that are due, and reports. Gives when the next one is; none: there is none.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn send(&mut self, now_ns: u64) -> Result<Option<u64>, Failure> {
        while let Some(next_ns) = self.log.next_ns() {
            if next_ns > now_ns {
                return Ok(Some(next_ns));
            }
            // One that the host's own queue drops is lost.
            if let Some(number) = self.log.report(now_ns) {
                let report = numbered(&mut self.datagram, number, REPORT_BYTES);
                pending(self.receiver.send_to(report, self.own))?;
            }
            if let Some((number, bytes)) = self.log.send(now_ns) {
                pending(self.sender.send(numbered(&mut self.datagram, number, bytes)))?;
            }
        }
        Ok(None)
    }

    /// Takes what has come to the receiver, or sends it back, and takes what has come back; `each` has the round-trip time of every
    /// answer.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn take(&mut self, now_ns: u64, mut each: impl FnMut(u64)) -> Result<(), Failure> {
        while let Some((bytes, peer)) = pending(self.receiver.recv_from(&mut self.room))? {
            let [datagrams, payload_bytes] = &mut self.arrived;
            (*datagrams, *payload_bytes) = (*datagrams + 1, *payload_bytes + bytes as u64);
            if self.log.are_answered() {
                pending(self.receiver.send_to(&self.room[..bytes], peer))?;
            } else if let Some(number) = number(&self.room[..bytes]) {
                self.log.arrive(number, now_ns);
            }
        }
        while let Some(bytes) = pending(self.sender.recv(&mut self.room))? {
            let Some(number) = number(&self.room[..bytes]) else { continue };
            if self.log.is_reported() {
                self.log.hear(number, now_ns);
            } else {
                self.log.arrive(number, now_ns).into_iter().for_each(&mut each);
            }
        }
        Ok(())
    }

    /// How many have arrived at the receiver, and their payload: one that comes twice counts twice.
    pub const fn arrived(&self) -> [u64; 2] {
        self.arrived
    }

    /// What was sent and arrived.
    pub const fn log(&self) -> &DatagramLog {
        &self.log
    }
}

/// So many bytes with a number.
fn numbered(datagram: &mut [u8], number: u32, bytes: u32) -> &[u8] {
    datagram[..NUMBER_BYTES].copy_from_slice(&number.to_be_bytes());
    &datagram[..bytes as usize]
}

fn number(datagram: &[u8]) -> Option<u32> {
    datagram.first_chunk().map(|first| u32::from_be_bytes(*first))
}

/// What a call gave that does not wait; none: it would have to.
fn pending<T>(result: std::io::Result<T>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::WouldBlock || error.raw_os_error() == Some(libc::ENOBUFS) => Ok(None),
        Err(error) => Err(Failure::of("send or take a datagram", error)),
    }
}

/// A socket at an address, which sends to another one.
fn udp(own: SocketAddrV4, to: Option<SocketAddrV4>) -> Result<UdpSocket, Failure> {
    let failed = |errno| Failure::of(format!("open a UDP socket at {own}"), errno);
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = socket(AddressFamily::Inet, SockType::Datagram, flags, None).map_err(failed)?;
    // Where this process may; else the kernel's limits hold.
    setsockopt(&socket, sockopt::RcvBufForce, &BUFFER_BYTES).unwrap_or_default();
    setsockopt(&socket, sockopt::SndBufForce, &BUFFER_BYTES).unwrap_or_default();
    bind(socket.as_raw_fd(), &SockaddrIn::from(own)).map_err(failed)?;
    if let Some(to) = to {
        connect(socket.as_raw_fd(), &SockaddrIn::from(to)).map_err(failed)?;
    }
    Ok(socket.into())
}
