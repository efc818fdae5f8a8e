//! The interfaces of a machine, with their addresses and the queueing discipline that each has now.

use crate::error::Error;
use crate::netlink::Socket;
use netlink_bindings::rt_addr::{Ifaddrmsg, OpGetaddrDump};
use netlink_bindings::rt_link::{Ifinfomsg, OpGetlinkDump};
use netlink_bindings::tc::{OpGetqdiscDump, Tcmsg};
use serde::Serialize;
use std::collections::BTreeMap;

/// `RTM_GETLINK`.
const GET_LINK: u16 = 18;
/// `RTM_GETADDR`.
const GET_ADDRESS: u16 = 22;
/// `RTM_GETQDISC`.
const GET_QDISC: u16 = 38;
/// `TC_H_ROOT`.
const ROOT: u32 = u32::MAX;
/// `IFF_UP`, and `IFF_LOWER_UP`: it has a carrier.
const RUNNING: u32 = libc::IFF_UP as u32 | 1 << 16;

#[derive(Debug, Default, Serialize)]
pub struct Interface {
    name: String,
    /// It is up and has a carrier.
    up: bool,
    mtu_bytes: u32,
    /// Each with the length of its prefix, as "10.0.0.1/24".
    addresses: Vec<String>,
    /// The kind of discipline at its root, as "fq_codel"; none: the kernel does not say.
    qdisc: Option<String>,
}

/// All interfaces of this network namespace, in the order of their numbers.
///
/// # Errors
/// The kernel refuses to list them.
pub fn interfaces() -> Result<Vec<Interface>, Error> {
    let mut socket = Socket::open()?;
    let mut interfaces: BTreeMap<i32, Interface> = BTreeMap::new();
    let encode = |bytes: &mut Vec<u8>| drop(OpGetlinkDump::encode_request(bytes, &Ifinfomsg::default()));
    socket.dump(GET_LINK, "links", encode, |message| {
        let (header, attributes) = OpGetlinkDump::decode_request(message);
        let name = attributes.get_ifname().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (up, mtu_bytes) = (header.ifi_flags & RUNNING == RUNNING, attributes.get_mtu().unwrap_or_default());
        interfaces.insert(header.ifi_index, Interface { name, up, mtu_bytes, ..Default::default() });
    })?;
    let encode = |bytes: &mut Vec<u8>| drop(OpGetaddrDump::encode_request(bytes, &Ifaddrmsg::default()));
    socket.dump(GET_ADDRESS, "addresses", encode, |message| {
        let (header, attributes) = OpGetaddrDump::decode_request(message);
        // Of IPv4 `IFA_ADDRESS` is the other end's where two hosts share a link; IPv6 has no `IFA_LOCAL`.
        let address = attributes.get_local().or_else(|_| attributes.get_address());
        if let (Some(interface), Ok(address)) = (interfaces.get_mut(&(header.ifa_index as i32)), address) {
            interface.addresses.push(format!("{address}/{}", header.ifa_prefixlen));
        }
    })?;
    let encode = |bytes: &mut Vec<u8>| drop(OpGetqdiscDump::encode_request(bytes, &Tcmsg::default()));
    let disciplines = socket.dump(GET_QDISC, "queueing disciplines", encode, |message| {
        let (header, attributes) = OpGetqdiscDump::decode_request(message);
        if let (Some(interface), ROOT) = (interfaces.get_mut(&header.ifindex), header.parent) {
            interface.qdisc = attributes.get_kind().ok().map(|kind| kind.to_string_lossy().into_owned());
        }
    });
    // A kernel can be built without any (`CONFIG_NET_SCHED`).
    disciplines.unwrap_or_default();
    Ok(interfaces.into_values().collect())
}
