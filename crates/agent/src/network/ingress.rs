//! What comes in by a device: its discipline `ingress`, and filters that lead it through another device or police it.

use super::device::Device;
use super::handle::{NEW_FILTER, NEW_QDISC, header, ip_filter};
use super::loss::{self, Match};
use crate::error::Error;
use crate::netlink::{Batch, CREATE, EXCLUSIVE, Socket};
use netlink_bindings::tc::{self, Tcmsg};
use netlink_bindings::traits::Pusher;
use netlink_bindings::utils::{finalize_nested_header, push_nested_header};

/// `TC_H_INGRESS`: what comes in.
pub const INGRESS: u32 = 0xffff_fff1;
/// Handle `ffff:` of the discipline there.
pub const INGRESS_HANDLE: u32 = 0xffff_0000;
/// `TCA_U32_ACT`.
const ACTIONS: u16 = 7;
/// `RTM_DELQDISC`, and `RTM_GETTFILTER`.
const DELETE_QDISC: u16 = 37;
const GET_FILTER: u16 = 46;
/// Every packet has these bits.
pub const ANY: &[Match] = &[Match { mask: 0, value: 0, at: 0 }];
/// `TC_ACT_STOLEN`, and `TCA_EGRESS_REDIR`.
const STOLEN: u32 = 4;
const REDIRECT: u32 = 1;

/// Adds the discipline of what comes in by a device.
pub fn push_ingress(batch: &mut Batch, device: &Device) {
    batch.push(NEW_QDISC, CREATE | EXCLUSIVE, format!("ingress on {}", device.name), |bytes| {
        let header = header(device, INGRESS_HANDLE, INGRESS);
        let _ = tc::OpNewqdiscDo::encode_request(bytes, &header).push_kind(c"ingress");
    });
}

/// Leads to the device of this number what comes in by another, if it has all bits of one of these lists. Where that is every
/// packet, `matchall` would say it in a word, and not every kernel has it.
pub fn push_redirect(batch: &mut Batch, device: &Device, to: u32, priority: u16, matches: &[&[Match]]) {
    // `struct tc_mirred`: number, capabilities, what becomes of the packet, two counts of users, how, and where to.
    let redirect: Vec<u8> = [0, 0, STOLEN, 0, 0, REDIRECT, to].iter().flat_map(|word| word.to_ne_bytes()).collect();
    for each in matches {
        let what = format!("u32 filter with mirred on {}", device.name);
        push_action(
            batch,
            what,
            Tcmsg { info: ip_filter(priority), ..header(device, 0, INGRESS_HANDLE) },
            each,
            |bytes| {
                let _ = tc::PushActAttrs::new(bytes).nested_options_mirred().push_parms(&redirect);
            },
        );
    }
}

/// Adds the request for a filter that does something to packets with these bits.
pub fn push_action(
    batch: &mut Batch,
    what: String,
    header: Tcmsg,
    matches: &[Match],
    action: impl FnOnce(&mut Vec<u8>),
) {
    batch.push(NEW_FILTER, CREATE, what, |bytes| {
        let mut filter = tc::OpNewtfilterDo::encode_request(bytes, &header).nested_options_u32();
        // Actions are counted from 1; the bindings' array of them begins with 0, which the kernel passes over.
        let bytes = filter.as_vec_mut();
        loss::encode_selector(bytes, matches);
        let actions = push_nested_header(bytes, ACTIONS);
        let first = push_nested_header(bytes, 1);
        action(bytes);
        finalize_nested_header(bytes, first);
        finalize_nested_header(bytes, actions);
    });
}

/// Takes away the discipline of what comes in by a device, if filters of this priority lead there.
pub fn remove_ingress(socket: &mut Socket, device: &Device, priority: u16) -> Result<(), Error> {
    let mut is_there = false;
    let question = header(device, 0, INGRESS_HANDLE);
    let encode = |bytes: &mut Vec<u8>| drop(tc::OpGettfilterDump::encode_request(bytes, &question));
    // By where it leads it is not known again: that device may be gone, and is then none (`tcf_mirred_dump`).
    let listed = socket.dump(GET_FILTER, "filters", encode, |filter| {
        is_there |= tc::OpNewtfilterDo::decode_request(filter).0.info >> 16 == u32::from(priority);
    });
    // Without such a discipline there is nothing to list.
    if listed.is_err() || !is_there {
        return Ok(());
    }
    let mut batch = Batch::default();
    batch.push(DELETE_QDISC, 0, format!("ingress on {}", device.name), |bytes| {
        let _ = tc::OpDelqdiscDo::encode_request(bytes, &header(device, INGRESS_HANDLE, INGRESS));
    });
    socket.execute(batch)
}
