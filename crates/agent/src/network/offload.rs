//! Offloads of a device, by the `ethtool` request: a system call each, but no attribute of a new link sets them.

use super::device::Offloads;
use crate::error::{Error, Subject};
use nix::errno::Errno;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `ETHTOOL_STSO`, `ETHTOOL_SGSO`: segmentation of TCP by the device, of anything by the kernel below the queueing
/// discipline.
const SET_SEGMENTATION: [(u32, &str); 2] = [(0x1f, "tso"), (0x24, "gso")];
/// `ETHTOOL_SGRO`: joining at the receiver.
const SET_MERGING: (u32, &str) = (0x2c, "gro");
/// `ETHTOOL_GTSO`, `ETHTOOL_GGSO`, `ETHTOOL_GGRO`.
const GET: [(u32, &str); 3] = [(0x1e, "tso"), (0x23, "gso"), (0x2b, "gro")];
/// `SIOCETHTOOL`.
const ETHTOOL: libc::c_ulong = 0x8946;

/// `struct ethtool_value`.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// Switches them on or off.
pub fn set(socket: BorrowedFd<'_>, device: &str, offloads: Offloads) -> Result<(), Error> {
    let segmentation = SET_SEGMENTATION.map(|command| (command, offloads.segmentation));
    segmentation.into_iter().chain([(SET_MERGING, offloads.merging)]).try_for_each(|((command, name), on)| {
        let mut value = Value { command, data: u32::from(on) };
        request(socket, device, &mut value).about(format_args!("{name} of {device}"))
    })
}

/// What they are, e.g. `tso off gso off gro off`.
pub fn get(socket: BorrowedFd<'_>, device: &str) -> Result<String, Error> {
    let mut settings = Vec::new();
    for (command, name) in GET {
        let mut value = Value { command, data: 0 };
        request(socket, device, &mut value).about(format_args!("{name} of {device}"))?;
        settings.push(format!("{name} {}", if value.data > 0 { "on" } else { "off" }));
    }
    Ok(settings.join(" "))
}

#[expect(unsafe_code, reason = "no safe crate makes this request")]
fn request(socket: BorrowedFd<'_>, device: &str, value: &mut Value) -> Result<(), Errno> {
    let mut name = [0; libc::IFNAMSIZ];
    for (to, from) in name.iter_mut().take(libc::IFNAMSIZ - 1).zip(device.bytes()) {
        *to = from as libc::c_char;
    }
    let data = std::ptr::from_mut(value).cast();
    let mut interface_request =
        libc::ifreq { ifr_name: name, ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_data: data } };
    // SAFETY: `interface_request` and what it points to, a command of eight bytes, live until the call returns.
    let result =
        unsafe { libc::ioctl(socket.as_raw_fd(), ETHTOOL as libc::Ioctl, std::ptr::from_mut(&mut interface_request)) };
    Errno::result(result).map(drop)
}
