//! The socket options that `nix` does not name.

use super::tcp_info::TcpInfo;
use crate::failure::Failure;
use nix::errno::Errno;
use nix::sys::socket::{getsockopt, setsockopt};
use std::os::fd::{AsFd, AsRawFd};

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

/// Linux 7.3's `struct tcp_info` is not longer.
const INFO_BYTES: usize = 280;

/// Its `struct tcp_info`, as much of it as the kernel has.
///
/// # Errors
/// It is no TCP socket.
#[expect(unsafe_code, reason = "nix takes no option whose length the kernel decides")]
pub(super) fn info(socket: impl AsFd) -> Result<TcpInfo, Failure> {
    let (mut bytes, mut length) = ([0_u8; INFO_BYTES], INFO_BYTES as libc::socklen_t);
    // SAFETY: the kernel writes at most `length` bytes at the address of `bytes`, and to `length` how many these are.
    let result = unsafe {
        let (socket, value) = (socket.as_fd().as_raw_fd(), bytes.as_mut_ptr().cast());
        libc::getsockopt(socket, libc::IPPROTO_TCP, libc::TCP_INFO, value, &raw mut length)
    };
    Errno::result(result).map_err(|errno| Failure::of("ask a socket for its TCP_INFO", errno))?;
    Ok(TcpInfo::parse(&bytes[..length as usize]))
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
