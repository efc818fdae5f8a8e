//! Sockets: how they are made, and how the kernel is asked about all of them at once.

pub mod diag;
mod option;
pub mod tcp_info;

use crate::failure::Failure;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockProtocol, SockType, SockaddrIn, bind, listen, setsockopt, socket, sockopt,
};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

pub use option::{clamp_window, set_receive_low_water, set_unsent_low_water, window_clamp};
use tcp_info::TcpInfo;

/// The receiver of flow i listens on this port + i.
pub const RECEIVER_PORT: u16 = 10_000;
/// The sender of flow i is bound to this port + i: no port is drawn at random.
pub const SENDER_PORT: u16 = 30_000;
/// So many flows have ports of their own.
pub const MAX_FLOWS: usize = (SENDER_PORT - RECEIVER_PORT) as usize;
/// So many connections may be open at once when short transfers arrive: each has a reader of its own.
pub const MOST_CONNECTIONS: usize = 1_000;
/// Senders of short transfers are bound to these ports, one after the other.
pub const TRANSFER_PORTS: RangeInclusive<u16> = SENDER_PORT + MAX_FLOWS as u16..=u16::MAX;

/// A socket that will connect from `address`, the first of `ports` that is free, with the congestion control `control`;
/// and that port. It belongs to the namespace of the caller.
///
/// # Errors
/// The address is not there, no port is free, or the kernel lacks the control.
pub fn sender(
    address: Ipv4Addr,
    ports: impl IntoIterator<Item = u16>,
    control: &str,
) -> Result<(OwnedFd, u16), Failure> {
    let socket = tcp()?;
    let port = bind_first(&socket, address, ports)?;
    set_control(&socket, control)?;
    Ok((socket, port))
}

fn set_control(socket: &OwnedFd, control: &str) -> Result<(), Failure> {
    setsockopt(socket, sockopt::TcpCongestion, &control.into()).map_err(|_| {
        let known = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
        Failure(format!(
            "this kernel has no congestion control {control:?}; it has: {}",
            known.split_whitespace().collect::<Vec<_>>().join(", ")
        ))
    })
}

/// A sender's congestion control that its receiver has, too; none: it takes no matter there. DCTCP's SYN is ECT, which a listener
/// takes for an offer of ECN only if it needs it itself (`tcp_ecn_create_request`), and its receiver echoes each mark.
pub fn control_of_both_ends(control: &str) -> Option<&str> {
    (control == "dctcp").then_some(control)
}

/// A socket that listens on `address`; what it accepts announces at most `window_bytes` and has the congestion control `control`, if
/// one is named. It belongs to the namespace of the caller. `again`: also where connections of one before it have not faded away.
///
/// # Errors
/// The address is not there, or the kernel lacks the control.
pub fn listener(
    address: SocketAddrV4,
    window_bytes: Option<u32>,
    control: Option<&str>,
    again: bool,
) -> Result<TcpListener, Failure> {
    let socket = tcp()?;
    control.map_or(Ok(()), |control| set_control(&socket, control))?;
    if again {
        setsockopt(&socket, sockopt::ReuseAddr, &true)
            .map_err(|errno| Failure::of(format!("listen on {address}"), errno))?;
    }
    bind_first(&socket, *address.ip(), [address.port()])?;
    if let Some(bytes) = window_bytes {
        clamp_window(&socket, bytes)?;
    }
    listen(&socket, Backlog::MAXCONN).map_err(|errno| Failure::of(format!("listen on {address}"), errno))?;
    Ok(socket.into())
}

/// What the kernel tells of a socket.
///
/// # Errors
/// It is no TCP socket.
pub fn info(socket: impl AsFd) -> Result<TcpInfo, Failure> {
    option::info(socket)
}

/// Name of the congestion control that a socket has.
///
/// # Errors
/// It is no TCP socket.
pub fn control(socket: impl AsFd) -> Result<String, Failure> {
    let name = nix::sys::socket::getsockopt(&socket.as_fd(), sockopt::TcpCongestion)
        .map_err(|errno| Failure::of("ask a socket for its congestion control", errno))?;
    Ok(name.to_string_lossy().into_owned())
}

fn tcp() -> Result<OwnedFd, Failure> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    socket(AddressFamily::Inet, SockType::Stream, flags, SockProtocol::Tcp)
        .map_err(|errno| Failure::of("create a TCP socket", errno))
}

/// Binds a socket to the first port that is free.
fn bind_first(socket: &OwnedFd, address: Ipv4Addr, ports: impl IntoIterator<Item = u16>) -> Result<u16, Failure> {
    let mut refused = Failure(format!("no port to bind to {address}"));
    for port in ports {
        let address = SocketAddrV4::new(address, port);
        match bind(socket.as_raw_fd(), &SockaddrIn::from(address)) {
            Ok(()) => return Ok(port),
            Err(errno) => refused = Failure::of(format!("bind to {address}"), errno),
        }
    }
    Err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_port_that_is_free_is_taken() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let bound = |ports: &[u16]| bind_first(&tcp().unwrap(), Ipv4Addr::LOCALHOST, ports.iter().copied());
        assert_eq!(bound(&[port, free]), Ok(free));
        assert!(bound(&[port]).unwrap_err().0.contains("EADDRINUSE"));
    }
}
