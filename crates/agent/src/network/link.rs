//! Requests for links, addresses and routes.
//!
//! Both ends of a link are made by one request, each in its own namespace; the second cannot be up before it has met
//! the first (`veth_newlink` in the kernel's `veth.c`), so devices come up by a request of their own. They do without
//! ARP: a frame on such a device is addressed to the device's own MAC address (`arp_constructor` in the kernel's
//! `arp.c`), so both ends of a link have the same one. Numbers and MAC addresses follow from the plan: nothing is
//! left to the kernel's random generator, and nothing needs to be asked for.

use super::plan::{Device, Prefix, Route};
use netlink_bindings::rt_addr::{self, Ifaddrmsg};
use netlink_bindings::rt_link::{self, Ifinfomsg, PushLinkAttrs};
use netlink_bindings::rt_route::{self, Rtmsg};
use netlink_bindings::traits::{NetlinkRequest, Pusher};
use netlink_bindings::utils::{finalize_nested_header, push_nested_header};
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsRawFd, BorrowedFd};

/// `RTM_NEWLINK`.
pub const NEW_LINK: u16 = 16;
/// `RTM_DELLINK`.
pub const DELETE_LINK: u16 = 17;
/// `RTM_GETLINK`.
pub const GET_LINK: u16 = 18;
/// `RTM_NEWADDR`.
pub const NEW_ADDRESS: u16 = 20;
/// `RTM_NEWROUTE`.
pub const NEW_ROUTE: u16 = 24;

/// `IFF_UP`.
const UP: u32 = libc::IFF_UP as u32;
/// `IFF_NOARP`.
const WITHOUT_ARP: u32 = libc::IFF_NOARP as u32;
/// `IFLA_INFO_DATA`.
const INFO_DATA: u16 = 2;
/// `VETH_INFO_PEER`.
const PEER: u16 = 1;
/// `RTAX_CC_ALGO`, and its bit among the metrics that nobody may change.
const CONTROL: u32 = 16;
/// `RTAX_FEATURE_ECN`.
pub const OFFERS_ECN: u32 = 1;
/// `IF_OPER_UP`.
const OPERATIONAL: u8 = 6;
/// Packets that may wait for the relay to wake up: a tenth of a second at 1 Gbit/s.
const WAITING_PACKETS: u32 = 10_000;
/// The loopback device's number in every namespace. Without it a namespace cannot reach its own addresses.
pub const LOOPBACK: u32 = 1;

/// A link between two namespaces.
pub fn encode_pair(bytes: &mut Vec<u8>, ends: [(&Device, BorrowedFd<'_>); 2], mtu_bytes: u32) {
    let mac = mac(ends[0].0);
    let attributes = |bytes: &mut Vec<u8>, (device, namespace): (&Device, BorrowedFd<'_>)| {
        let _ = PushLinkAttrs::new(bytes)
            .push_ifname_bytes(device.name.as_bytes())
            .push_address(&mac)
            .push_mtu(mtu_bytes)
            .push_num_tx_queues(1)
            .push_num_rx_queues(1)
            .push_net_ns_fd(namespace.as_raw_fd() as u32);
    };
    bytes.extend(flags(ends[0].0.index, WITHOUT_ARP).as_slice());
    attributes(bytes, ends[0]);
    let mut link = PushLinkAttrs::new(bytes).nested_linkinfo().push_kind(c"veth");
    let bytes = link.as_vec_mut();
    let data = push_nested_header(bytes, INFO_DATA);
    let peer = push_nested_header(bytes, PEER);
    bytes.extend(flags(ends[1].0.index, WITHOUT_ARP).as_slice());
    attributes(bytes, ends[1]);
    finalize_nested_header(bytes, peer);
    finalize_nested_header(bytes, data);
}

/// A device through which is led what comes in by others: its way out has a queueing discipline.
pub fn encode_ifb(bytes: &mut Vec<u8>, device: &Device, mtu_bytes: u32) {
    bytes.extend(flags(device.index, 0).as_slice());
    let _ = PushLinkAttrs::new(bytes)
        .push_ifname_bytes(device.name.as_bytes())
        .push_address(&mac(device))
        .push_mtu(mtu_bytes)
        .push_num_tx_queues(1)
        .push_num_rx_queues(1)
        .nested_linkinfo()
        .push_kind(c"ifb");
}

/// A device comes up.
pub fn encode_up(bytes: &mut Vec<u8>, index: u32) {
    let _ = rt_link::OpNewlinkDo::encode_request(bytes, &flags(index, UP));
}

/// A device goes down: what it held is dropped, and it takes nothing any more.
pub fn encode_down(bytes: &mut Vec<u8>, index: u32) {
    let _ = rt_link::OpNewlinkDo::encode_request(bytes, &Ifinfomsg { ifi_flags: 0, ..flags(index, UP) });
}

/// The question whether a device is up.
pub fn encode_question(bytes: &mut Vec<u8>, device: &Device) {
    let _ = rt_link::OpGetlinkDo::encode_request(bytes, &flags(device.index, 0));
}

/// Whether an answer says so: its queueing disciplines are then in force.
pub fn parse_up(answer: &[u8]) -> bool {
    rt_link::OpGetlinkDo::decode_reply(answer).1.get_operstate() == Ok(OPERATIONAL)
}

/// Packets that a device could not send, in an answer.
pub fn parse_dropped(answer: &[u8]) -> u64 {
    rt_link::OpGetlinkDo::decode_reply(answer).1.get_stats64().map_or(0, |statistics| statistics.tx_dropped)
}

/// An address of a device.
pub fn encode_address(bytes: &mut Vec<u8>, device: &Device, address: Ipv4Addr) {
    let header =
        Ifaddrmsg { ifa_family: libc::AF_INET as u8, ifa_prefixlen: 32, ifa_index: device.index, ..Default::default() };
    let _ = rt_addr::OpNewaddrDo::encode_request(bytes, &header).push_local(IpAddr::V4(address));
}

/// A route.
pub fn encode_route(bytes: &mut Vec<u8>, device: &Device, route: &Route) {
    let header = Rtmsg {
        rtm_family: libc::AF_INET as u8,
        rtm_dst_len: route.to.length,
        rtm_table: route.table.unwrap_or(libc::RT_TABLE_MAIN),
        rtm_protocol: libc::RTPROT_STATIC,
        rtm_scope: libc::RT_SCOPE_LINK,
        rtm_type: libc::RTN_UNICAST,
        ..Default::default()
    };
    let mut request = rt_route::OpNewrouteDo::encode_request(bytes, &header)
        .push_dst(IpAddr::V4(route.to.address))
        .push_oif(device.index);
    if let Some(source) = route.source {
        request = request.push_prefsrc(IpAddr::V4(source));
    }
    let has_numbers = route.initial_window_segments.is_some() || route.window_bytes.is_some();
    if !has_numbers && !route.offers_ecn && route.control.is_none() {
        return;
    }
    let mut metrics = request.nested_metrics();
    if route.offers_ecn {
        metrics = metrics.push_features(OFFERS_ECN);
    }
    if let Some(bytes) = route.window_bytes {
        metrics = metrics.push_window(bytes);
    }
    if let Some(segments) = route.initial_window_segments {
        metrics = metrics.push_initcwnd(segments);
    }
    if let Some(control) = &route.control {
        let mut name = control.clone().into_bytes();
        name.push(0);
        let _ = metrics.push_lock(1 << CONTROL).push_cc_algo_bytes(&name);
    }
}

impl Prefix {
    /// As `ip` writes it.
    pub fn text(self) -> String {
        format!("{}/{}", self.address, self.length)
    }
}

const fn flags(index: u32, set: u32) -> Ifinfomsg {
    Ifinfomsg { ifi_family: 0, _pad: [0], ifi_type: 0, ifi_index: index as i32, ifi_flags: set, ifi_change: set }
}

/// The address of both ends of a link, as `ip` writes it.
pub fn mac_text(first: &Device) -> String {
    mac(first).map(|byte| format!("{byte:02x}")).join(":")
}

/// A device of the relay: its largest packet, and how many wait for the relay before the kernel drops one.
pub fn encode_relay_end(bytes: &mut Vec<u8>, device: &Device, mtu_bytes: u32) {
    let mut request = rt_link::OpNewlinkDo::encode_request(bytes, &flags(device.index, 0));
    request = request.push_mtu(mtu_bytes).push_txqlen(WAITING_PACKETS);
    let _ = request;
}

/// A locally administered address from the number of a link's first device.
fn mac(first: &Device) -> [u8; 6] {
    let [a, b, c, d] = first.index.to_be_bytes();
    first.mac.unwrap_or([0x02, 0, a, b, c, d])
}

/// The question for the device of a name in the asking socket's namespace.
pub fn encode_question_of(bytes: &mut Vec<u8>, name: &str) {
    let _ = rt_link::OpGetlinkDo::encode_request(bytes, &flags(0, 0)).push_ifname_bytes(name.as_bytes());
}

/// Bytes that a device has received and sent, in an answer.
pub fn parse_bytes(answer: &[u8]) -> [u64; 2] {
    let statistics = rt_link::OpGetlinkDo::decode_reply(answer).1.get_stats64();
    statistics.map_or([0; 2], |statistics| [statistics.rx_bytes, statistics.tx_bytes])
}

/// Number of the device in an answer, and its address on Ethernet.
pub fn parse_device(answer: &[u8]) -> (u32, Option<[u8; 6]>) {
    let (header, attributes) = rt_link::OpGetlinkDo::decode_reply(answer);
    let mac = attributes.get_address().ok().and_then(|address| address.try_into().ok());
    (header.ifi_index as u32, mac)
}
