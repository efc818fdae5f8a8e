//! Sockets: how they are made, and how the kernel is asked about all of them at once.

pub mod diag;
mod option;
pub mod tcp_info;

use crate::failure::Failure;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockProtocol, SockType, SockaddrIn, bind, listen, setsockopt, socket, sockopt,
};
use std::net::{SocketAddrV4, TcpListener};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

pub use option::set_receive_low_water;

/// The receiver of flow i listens on this port + i.
pub const RECEIVER_PORT: u16 = 10_000;
/// The sender of flow i is bound to this port + i: no port is drawn at random.
pub const SENDER_PORT: u16 = 30_000;
/// So many flows have ports of their own.
pub const MAX_FLOWS: usize = (SENDER_PORT - RECEIVER_PORT) as usize;

/// A socket that will connect from `address` with the congestion control `control`; it belongs to the namespace of the
/// caller.
///
/// # Errors
/// The address is not there, or the kernel lacks the control.
pub fn sender(address: SocketAddrV4, control: &str) -> Result<OwnedFd, Failure> {
    let socket = tcp(address)?;
    if setsockopt(&socket, sockopt::TcpCongestion, &control.into()).is_err() {
        let known = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
        return Err(Failure(format!(
            "this kernel has no congestion control {control:?}; it has: {}",
            known.split_whitespace().collect::<Vec<_>>().join(", ")
        )));
    }
    Ok(socket)
}

/// A socket that listens on `address`; what it accepts announces at most `window_bytes`. It belongs to the namespace of
/// the caller.
///
/// # Errors
/// The address is not there.
pub fn listener(address: SocketAddrV4, window_bytes: Option<u64>) -> Result<TcpListener, Failure> {
    let socket = tcp(address)?;
    if let Some(bytes) = window_bytes {
        option::clamp_window(&socket, bytes as usize)?;
    }
    listen(&socket, Backlog::MAXCONN).map_err(|errno| Failure::of(format!("listen on {address}"), errno))?;
    Ok(socket.into())
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

fn tcp(address: SocketAddrV4) -> Result<OwnedFd, Failure> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let socket = socket(AddressFamily::Inet, SockType::Stream, flags, SockProtocol::Tcp)
        .map_err(|errno| Failure::of("create a TCP socket", errno))?;
    bind(socket.as_raw_fd(), &SockaddrIn::from(address))
        .map_err(|errno| Failure::of(format!("bind to {address}"), errno))?;
    Ok(socket)
}
