//! The socket options that `nix` does not name.

use crate::failure::Failure;
use nix::sys::socket::setsockopt;
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
    usize,
    nix::sys::socket::sockopt::SetUsize
);

/// A reader sleeps until this much is there.
///
/// # Errors
/// It is no socket.
pub fn set_receive_low_water(socket: impl AsFd, bytes: usize) -> Result<(), Failure> {
    setsockopt(&socket.as_fd(), ReceiveLowWater, &bytes)
        .map_err(|errno| Failure::of("set a socket's SO_RCVLOWAT", errno))
}

/// At most this window is announced.
pub(super) fn clamp_window(socket: impl AsFd, bytes: usize) -> Result<(), Failure> {
    setsockopt(&socket.as_fd(), WindowClamp, &bytes)
        .map_err(|errno| Failure::of("set a socket's TCP_WINDOW_CLAMP", errno))
}
