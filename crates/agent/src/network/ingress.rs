//! What comes in by a device: its discipline `ingress`, and filters that lead it through another device or police it.

use super::counters::GET_QDISC;
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
/// `RTM_DELQDISC`.
const DELETE_QDISC: u16 = 37;
/// `TCM_IFINDEX_MAGIC_BLOCK`: a filter of a block has this in place of a device.
const OF_BLOCK: u32 = u32::MAX;
/// Every packet has these bits.
pub const ANY: &[Match] = &[Match { mask: 0, value: 0, at: 0 }];
/// `TC_ACT_STOLEN`, and `TCA_EGRESS_REDIR`.
const STOLEN: u32 = 4;
const REDIRECT: u32 = 1;

/// Adds the discipline of what comes in by a device, and leads to the device of the number `to` what has all bits of one of
/// these lists. Where that is every packet, `matchall` would say it in a word, and not every kernel has it.
///
/// `block`: where its filters are kept, and by which [`remove_ingress`] knows that it is ours, from when it is made.
pub fn push_redirect(batch: &mut Batch, device: &Device, block: Option<u32>, to: u32, matches: &[&[Match]]) {
    batch.push(NEW_QDISC, CREATE | EXCLUSIVE, format!("ingress on {}", device.name), |bytes| {
        let header = header(device, INGRESS_HANDLE, INGRESS);
        let request = tc::OpNewqdiscDo::encode_request(bytes, &header).push_kind(c"ingress");
        let _ = match block {
            None => request,
            Some(block) => request.push_ingress_block(block),
        };
    });
    let filters = match block {
        None => header(device, 0, INGRESS_HANDLE),
        // Where another's discipline is there already is no such block, and nothing is added to that one.
        Some(block) => Tcmsg { ifindex: OF_BLOCK as i32, parent: block, ..Default::default() },
    };
    // `struct tc_mirred`: number, capabilities, what becomes of the packet, two counts of users, how, and where to.
    let redirect: Vec<u8> = [0, 0, STOLEN, 0, 0, REDIRECT, to].iter().flat_map(|word| word.to_ne_bytes()).collect();
    for each in matches {
        let what = format!("u32 filter with mirred on {}", device.name);
        push_action(batch, what, Tcmsg { info: ip_filter(1), ..filters }, each, |bytes| {
            let _ = tc::PushActAttrs::new(bytes).nested_options_mirred().push_parms(&redirect);
        });
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

/// Takes away the discipline of what comes in by a device, if its filters are in this block.
pub fn remove_ingress(socket: &mut Socket, device: &Device, block: u32) -> Result<(), Error> {
    let mut is_there = false;
    let encode = |bytes: &mut Vec<u8>| drop(tc::OpGetqdiscDump::encode_request(bytes, &Tcmsg::default()));
    socket.dump(GET_QDISC, "queueing disciplines", encode, |message| {
        let (at, attributes) = tc::OpGetqdiscDump::decode_request(message);
        is_there |= at.ifindex == device.index as i32 && attributes.get_ingress_block() == Ok(block);
    })?;
    if !is_there {
        return Ok(());
    }
    let mut batch = Batch::default();
    batch.push(DELETE_QDISC, 0, format!("ingress on {}", device.name), |bytes| {
        let _ = tc::OpDelqdiscDo::encode_request(bytes, &header(device, INGRESS_HANDLE, INGRESS));
    });
    socket.execute(batch)
}
