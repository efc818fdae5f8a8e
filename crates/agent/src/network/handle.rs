//! Handles: how requests for queueing disciplines and filters name what they are about. Each discipline is at its device's
//! root with handle `1:`.

use super::device::Device;
use netlink_bindings::tc::Tcmsg;

/// `RTM_NEWQDISC`.
pub const NEW_QDISC: u16 = 36;
/// `RTM_NEWTFILTER`.
pub const NEW_FILTER: u16 = 44;
/// Handle of every root.
pub const ROOT: u32 = 1 << 16;
/// Handle of what is below it.
pub const CHILD: u32 = 2 << 16;
/// Handle of what is below that.
pub const GRANDCHILD: u32 = 3 << 16;
/// `TC_H_ROOT`.
pub const DEVICE: u32 = u32::MAX;
/// Class `1:1`: the queue of a `tbf` or an `htb`, or `prio`'s way past the loss.
pub const FIRST_CLASS: u32 = ROOT | 1;
/// Class `2:1`: the queue behind a valve.
pub const BEHIND_VALVE: u32 = CHILD | 1;
/// Class `1:2`: `prio`'s way through the loss.
pub const SECOND_CLASS: u32 = ROOT | 2;
/// Packets that a line or a counter holds at most: it must never bind.
pub const UNLIMITED_PACKETS: u32 = 1_000_000_000;
/// `TC_U32_TERMINAL`.
pub const TERMINAL: u8 = 1;

/// The kernel wants a filter's place in the upper half, and the protocol in network order in the lower.
pub fn ip_filter(priority: u16) -> u32 {
    u32::from(priority) << 16 | u32::from((libc::ETH_P_IP as u16).to_be())
}

/// What a request begins with.
pub fn header(device: &Device, handle: u32, parent: u32) -> Tcmsg {
    Tcmsg { ifindex: device.index as i32, handle, parent, ..Default::default() }
}

/// A number as the kernel takes it: what is larger was refused before, or has no bound.
pub fn saturated(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
