//! [`Pings`]: UDP datagrams of a flow, and the receiver that sends them back.

use crate::failure::Failure;
use crate::network::Network;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, socket};
use run::PingLog;
use std::io::ErrorKind;
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// A datagram begins with its number.
const NUMBER_BYTES: usize = size_of::<u32>();

/// Both ends of a flow of pings.
#[derive(Debug)]
pub struct Pings {
    sender: UdpSocket,
    receiver: UdpSocket,
    every_ns: u64,
    datagram: Vec<u8>,
    /// For one that has come.
    room: Vec<u8>,
    arrived: u64,
    log: PingLog,
}

impl Pings {
    /// Opens the sockets of flow `index`, each in its namespace; none are sent yet.
    ///
    /// # Errors
    /// An address is not there.
    pub fn open(
        index: usize,
        (every_ns, bytes): (u64, u64),
        remote: SocketAddrV4,
        log: PingLog,
        network: &Network,
    ) -> Result<Self, Failure> {
        let (host, far) = (network.sender(index), network.receiver(index));
        let own = SocketAddrV4::new(host.address, network.sender_port(index));
        let within = |error: crate::error::Error| Failure(error.to_string());
        let receiver = far.namespace.within(|| udp(remote, None)).map_err(within)??;
        let sender = host.namespace.within(|| udp(own, Some(remote))).map_err(within)??;
        let datagram = vec![0; bytes as usize];
        Ok(Self { sender, receiver, every_ns, room: datagram.clone(), datagram, arrived: 0, log })
    }

    /// Both sockets, which wake the agent when a datagram is there.
    pub fn sockets(&self) -> [BorrowedFd<'_>; 2] {
        [self.receiver.as_fd(), self.sender.as_fd()]
    }

    /// Sends one. Gives when the next one is due.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn send(&mut self, due_ns: u64, now_ns: u64) -> Result<u64, Failure> {
        let number = self.log.send(now_ns);
        self.datagram[..NUMBER_BYTES].copy_from_slice(&number.to_be_bytes());
        match self.sender.send(&self.datagram) {
            Ok(_) => {}
            // The host's own queue has dropped it.
            Err(error) if error.kind() == ErrorKind::WouldBlock || error.raw_os_error() == Some(libc::ENOBUFS) => {}
            Err(error) => return Err(Failure::of("send a ping", error)),
        }
        Ok(due_ns + self.every_ns)
    }

    /// Sends back what has come to the receiver, and takes what has come back; `each` has the round-trip time of every answer.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn take(&mut self, now_ns: u64, mut each: impl FnMut(u64)) -> Result<(), Failure> {
        while let Some((bytes, peer)) = pending(self.receiver.recv_from(&mut self.room))? {
            self.arrived += 1;
            pending(self.receiver.send_to(&self.room[..bytes], peer))?;
        }
        while let Some(bytes) = pending(self.sender.recv(&mut self.room))? {
            let number = self.room[..bytes].first_chunk().map(|first| u32::from_be_bytes(*first));
            number.and_then(|number| self.log.answer(number, now_ns)).into_iter().for_each(&mut each);
        }
        Ok(())
    }

    /// Payload of each.
    pub const fn payload_bytes(&self) -> u64 {
        self.datagram.len() as u64
    }

    /// How many have arrived at the receiver.
    pub const fn arrived(&self) -> u64 {
        self.arrived
    }

    /// What was sent and came back.
    pub const fn log(&self) -> &PingLog {
        &self.log
    }
}

/// What a call gave that does not wait; none: it would have to.
fn pending<T>(result: std::io::Result<T>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::WouldBlock || error.raw_os_error() == Some(libc::ENOBUFS) => Ok(None),
        Err(error) => Err(Failure::of("take a ping", error)),
    }
}

/// A socket at an address, which sends to another one.
fn udp(own: SocketAddrV4, to: Option<SocketAddrV4>) -> Result<UdpSocket, Failure> {
    let failed = |errno| Failure::of(format!("open a UDP socket at {own}"), errno);
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = socket(AddressFamily::Inet, SockType::Datagram, flags, None).map_err(failed)?;
    bind(socket.as_raw_fd(), &SockaddrIn::from(own)).map_err(failed)?;
    if let Some(to) = to {
        connect(socket.as_raw_fd(), &SockaddrIn::from(to)).map_err(failed)?;
    }
    Ok(socket.into())
}
