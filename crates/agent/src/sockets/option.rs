//! The socket options that `nix` does not name.

use crate::failure::Failure;
use nix::sys::socket::{getsockopt, setsockopt};
use std::os::fd::AsFd;

#[derive(Clone, Copy, Debug)]
struct ReceiveLowWater;
nix::setsockopt_impl!(ReceiveLowWater, libc::SOL_SOCKET, libc::SO_RCVLOWAT, usize, nix::sys::socket::sockopt::SetUsize);

#[derive(Clone, Copy, Debug)]
struct WindowClamp;
nix::setsockopt_impl!(
    WindowClamp,
    libc::IPPROTO_TCP,
    libc::TCP_WINDOW_CLAMP,
    u32,
    nix::sys::socket::sockopt::SetStruct<u32>
);
nix::getsockopt_impl!(
    WindowClamp,
    libc::IPPROTO_TCP,
    libc::TCP_WINDOW_CLAMP,
    u32,
    nix::sys::socket::sockopt::GetStruct<u32>
);

#[derive(Clone, Copy, Debug)]
struct UnsentLowWater;
nix::setsockopt_impl!(
    UnsentLowWater,
    libc::IPPROTO_TCP,
    libc::TCP_NOTSENT_LOWAT,
    u32,
    nix::sys::socket::sockopt::SetStruct<u32>
);

/// The beginning of `struct tcp_info`, which every kernel since Linux 4.19 fills.
const INFO_BYTES: usize = 208;

#[derive(Clone, Copy, Debug)]
struct Info;
nix::getsockopt_impl!(
    Info,
    libc::IPPROTO_TCP,
    libc::TCP_INFO,
    [u8; INFO_BYTES],
    nix::sys::socket::sockopt::GetStruct<[u8; INFO_BYTES]>
);

/// Its `struct tcp_info`.
///
/// # Errors
/// It is no TCP socket.
pub(super) fn info(socket: impl AsFd) -> Result<[u8; INFO_BYTES], Failure> {
    getsockopt(&socket.as_fd(), Info).map_err(|errno| Failure::of("ask a socket for its TCP_INFO", errno))
}

/// A reader sleeps until this much is there.
///
/// # Errors
/// It is no socket.
pub fn set_receive_low_water(socket: impl AsFd, bytes: usize) -> Result<(), Failure> {
    setsockopt(&socket.as_fd(), ReceiveLowWater, &bytes)
        .map_err(|errno| Failure::of("set a socket's SO_RCVLOWAT", errno))
}

/// A socket takes no more while so much of what it has is not yet sent.
///
/// # Errors
/// It is no TCP socket.
pub fn set_unsent_low_water(socket: impl AsFd, bytes: u32) -> Result<(), Failure> {
    setsockopt(&socket.as_fd(), UnsentLowWater, &bytes)
        .map_err(|errno| Failure::of("set a socket's TCP_NOTSENT_LOWAT", errno))
}

/// At most this window is announced.
///
/// # Errors
/// It is no TCP socket.
pub fn clamp_window(socket: impl AsFd, bytes: u32) -> Result<(), Failure> {
    setsockopt(&socket.as_fd(), WindowClamp, &bytes)
        .map_err(|errno| Failure::of("set a socket's TCP_WINDOW_CLAMP", errno))
}

/// The largest window that is announced.
///
/// # Errors
/// It is no TCP socket.
pub fn window_clamp(socket: impl AsFd) -> Result<u32, Failure> {
    getsockopt(&socket.as_fd(), WindowClamp)
        .map_err(|errno| Failure::of("ask a socket for its TCP_WINDOW_CLAMP", errno))
}
