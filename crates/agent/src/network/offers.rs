//! [`offer_ecn`]: flows that begin on a machine which is as it is offer ECN, and nothing else of that machine does.
//!
//! Rules lead their packets, by addresses and port, to a table of our own, whose routes go where those packets went before and have
//! `features ecn`. Nothing that the machine had is changed.

use super::link;
use super::passage::{OFFERS, Rule};
use crate::error::Error;
use crate::netlink::{Batch, CREATE, REPLACE, Socket};
use crate::part::{Ends, Part};
use crate::sockets::RECEIVER_PORT;
use netlink_bindings::rt_route::{OpDelrouteDo, OpGetrouteDo, OpGetrouteDump, OpNewrouteDo, Rtmsg};
use netlink_bindings::traits::NetlinkRequest;
use run::{Ecn, Run};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

/// `RTM_DELROUTE` and `RTM_GETROUTE`.
const DELETE_ROUTE: u16 = 25;
const GET_ROUTE: u16 = 26;

/// Has the flows offer ECN that begin on this machine and are to. Gives these.
///
/// # Errors
/// The kernel refuses, or the process is not root.
pub fn offer_ecn(run: &Run, part: &Part) -> Result<Vec<usize>, Error> {
    let offers = |flow: &usize| part.flows[*flow].begins_here && run.flows[*flow].ecn == Ecn::Classic;
    let flows: Vec<usize> = (0..run.flows.len()).filter(offers).collect();
    if flows.is_empty() {
        return Ok(flows);
    }
    let (mut socket, mut batch, mut routed) = (Socket::open()?, Batch::default(), BTreeSet::new());
    for flow in &flows {
        let Ends { sender, receiver, .. } = part.flows[*flow];
        if routed.insert(receiver) {
            let (device, gateway) = usual_way(&mut socket, sender, receiver)?;
            batch.push(link::NEW_ROUTE, CREATE | REPLACE, format!("route to {receiver} that offers ECN"), |bytes| {
                encode_route(bytes, receiver, device, gateway);
            });
        }
        Rule::offering(sender, receiver, RECEIVER_PORT + *flow as u16).push(&mut batch);
    }
    socket.execute(batch).map(|()| flows)
}

/// Takes the routes away that do; the rules go with all of ours.
///
/// # Errors
/// The kernel refuses.
pub fn withdraw_offers() -> Result<(), Error> {
    let mut socket = Socket::open()?;
    let mut left: Vec<Ipv4Addr> = Vec::new();
    let encode = |bytes: &mut Vec<u8>| drop(OpGetrouteDump::encode_request(bytes, &header(0, 0)));
    socket.dump(GET_ROUTE, "routes", encode, |message| {
        let (route, attributes) = OpGetrouteDump::decode_reply(message);
        if let (OFFERS, Ok(IpAddr::V4(to))) = (route.rtm_table, attributes.get_dst()) {
            left.push(to);
        }
    })?;
    for to in left {
        let mut batch = Batch::default();
        batch.push(DELETE_ROUTE, 0, format!("route to {to} that offers ECN"), |bytes| {
            drop(OpDelrouteDo::encode_request(bytes, &header(OFFERS, 32)).push_dst(IpAddr::V4(to)));
        });
        socket.execute(batch)?;
    }
    Ok(())
}

/// By which device packets go that this machine sends, and to which router, if to any.
fn usual_way(socket: &mut Socket, from: Ipv4Addr, to: Ipv4Addr) -> Result<(u32, Option<IpAddr>), Error> {
    let mut question = header(0, 32);
    question.rtm_src_len = 32;
    let encode = |bytes: &mut Vec<u8>| {
        let request = OpGetrouteDo::encode_request(bytes, &question);
        drop(request.push_src(IpAddr::V4(from)).push_dst(IpAddr::V4(to)));
    };
    let subject = format!("route from {from} to {to}");
    let (_, attributes) = OpGetrouteDo::decode_reply(socket.ask(GET_ROUTE, &subject, encode)?);
    let device = attributes.get_oif().map_err(|_| Error::new(&subject, "an answer without a device"))?;
    Ok((device, attributes.get_gateway().ok()))
}

fn encode_route(bytes: &mut Vec<u8>, to: Ipv4Addr, device: u32, gateway: Option<IpAddr>) {
    let scope = if gateway.is_some() { libc::RT_SCOPE_UNIVERSE } else { libc::RT_SCOPE_LINK };
    let header = Rtmsg {
        rtm_protocol: libc::RTPROT_STATIC,
        rtm_scope: scope,
        rtm_type: libc::RTN_UNICAST,
        ..header(OFFERS, 32)
    };
    let mut request = OpNewrouteDo::encode_request(bytes, &header).push_dst(IpAddr::V4(to)).push_oif(device);
    if let Some(gateway) = gateway {
        request = request.push_gateway(gateway);
    }
    drop(request.nested_metrics().push_features(link::OFFERS_ECN));
}

fn header(table: u8, length: u8) -> Rtmsg {
    Rtmsg { rtm_family: libc::AF_INET as u8, rtm_dst_len: length, rtm_table: table, ..Default::default() }
}
