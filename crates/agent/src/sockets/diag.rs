//! [`Diag`]: every TCP socket of a namespace with one request (`sock_diag(7)`, include/uapi/linux/inet_diag.h).
//!
//! Under User-Mode Linux a system call costs about as much as twenty packets, so a sample must not ask socket by
//! socket: it is one request and one `recvmmsg` for any number of flows.

use super::tcp_info::{ControlInfo, TcpInfo, u32_at};
use crate::failure::Failure;
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, MultiHeaders, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, recvmmsg, send,
    setsockopt, socket, sockopt,
};
use std::fmt;
use std::io::IoSliceMut;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, OwnedFd};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
/// `NLM_F_REQUEST | NLM_F_DUMP`.
const REQUEST_DUMP: u16 = 0x301;

const INET_DIAG_INFO: u16 = 2;
const INET_DIAG_VEGASINFO: u16 = 3;
const INET_DIAG_DCTCPINFO: u16 = 9;
const INET_DIAG_BBRINFO: u16 = 16;
/// A congestion control's own info of whatever kind is asked for as that of Vegas.
const EXTENSIONS: u8 = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_VEGASINFO - 1);

/// Connected, connecting, or closed by one side: 1 ESTABLISHED, 2 SYN_SENT, 4 and 5 FIN_WAIT, 8 CLOSE_WAIT,
/// 9 LAST_ACK, 11 CLOSING (include/net/tcp_states.h). What listens or lingers in TIME_WAIT has nothing to tell.
const STATES: u32 = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;

const HEADER_BYTES: usize = 16;
const REQUEST_BYTES: usize = HEADER_BYTES + 56;
/// `struct inet_diag_msg`.
const RECORD_BYTES: usize = 72;

/// The kernel fills at most this much at once (`netlink_recvmsg`).
const DATAGRAM_BYTES: usize = 1 << 15;
/// Datagrams taken by one call: some 600 sockets.
const DATAGRAMS: usize = 8;

/// Sockets that are closed, of both families (`SKNLGRP_INET_TCP_DESTROY`, `SKNLGRP_INET6_TCP_DESTROY`).
const CLOSED: u32 = 1 << 0 | 1 << 2;
/// Before this many bytes wait, the agent has read them.
const CLOSED_BYTES: usize = 1 << 23;

/// One socket as the kernel describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its own address.
    pub local: Ipv4Addr,
    /// The other side's.
    pub remote: Ipv4Addr,
    /// Its own port.
    pub local_port: u16,
    /// The other side's.
    pub remote_port: u16,
    /// What tells it from all that the kernel ever had.
    pub cookie: u64,
    /// Its state.
    pub info: TcpInfo,
    /// What its congestion control tells.
    pub control: ControlInfo,
}

/// A way to ask the kernel about the sockets of one namespace.
pub struct Diag {
    socket: OwnedFd,
    sequence: u32,
    headers: MultiHeaders<()>,
    buffers: Vec<Vec<u8>>,
}

impl fmt::Debug for Diag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diag").field("socket", &self.socket).field("sequence", &self.sequence).finish_non_exhaustive()
    }
}

impl Diag {
    /// Opens it in the caller's namespace, where it stays.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`.
    pub fn open() -> Result<Self, Failure> {
        let flags = SockFlag::SOCK_CLOEXEC;
        let socket = socket(AddressFamily::Netlink, SockType::Datagram, flags, SockProtocol::NetlinkSockDiag)
            .map_err(|errno| Failure::of("open sock_diag", errno))?;
        Ok(Self {
            socket,
            sequence: 0,
            headers: MultiHeaders::preallocate(DATAGRAMS, None),
            buffers: vec![vec![0; DATAGRAM_BYTES]; DATAGRAMS],
        })
    }

    /// Gives every TCP socket to `each`: those of IPv4, or, `mapped`, those of IPv6, which may carry IPv4.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn dump(&mut self, mapped: bool, mut each: impl FnMut(Record)) -> Result<(), Failure> {
        self.sequence = self.sequence.wrapping_add(1);
        let failed = |errno: Errno| Failure::of("ask the kernel for its TCP sockets", errno);
        send(self.socket.as_raw_fd(), &request(self.sequence, mapped), MsgFlags::empty()).map_err(failed)?;
        loop {
            let mut slices: Vec<_> = self.buffers.iter_mut().map(|buffer| [IoSliceMut::new(buffer)]).collect();
            // The first datagram is there already, and taking one lets the kernel put the next one there.
            let flags = MsgFlags::MSG_WAITFORONE;
            let lengths: Vec<usize> =
                match recvmmsg(self.socket.as_raw_fd(), &mut self.headers, slices.iter_mut(), flags, None) {
                    Ok(messages) => messages.map(|message| message.bytes).collect(),
                    Err(Errno::EINTR) => continue,
                    Err(errno) => return Err(failed(errno)),
                };
            for (buffer, length) in self.buffers.iter().zip(lengths) {
                if parse(&buffer[..length], &mut each)? == Progress::Done {
                    return Ok(());
                }
            }
        }
    }
}

/// What the kernel tells of sockets of one namespace when they are closed: nobody could ask for it any more.
#[derive(Debug)]
pub struct Closed {
    socket: OwnedFd,
}

impl Closed {
    /// Hears of them from now on, in the caller's namespace.
    ///
    /// # Errors
    /// The kernel does not tell.
    pub fn open() -> Result<Self, Failure> {
        let failed = |errno| Failure::of("hear of sockets that are closed", errno);
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let socket =
            socket(AddressFamily::Netlink, SockType::Datagram, flags, SockProtocol::NetlinkSockDiag).map_err(failed)?;
        // Who may not have more room has what there is.
        setsockopt(&socket, sockopt::RcvBufForce, &CLOSED_BYTES).unwrap_or_default();
        bind(socket.as_raw_fd(), &NetlinkAddr::new(0, CLOSED)).map_err(failed)?;
        Ok(Self { socket })
    }

    /// Gives each that was closed since the last time.
    ///
    /// # Errors
    /// There were too many to be told.
    pub fn take(&self, mut each: impl FnMut(Record)) -> Result<(), Failure> {
        let mut buffer = vec![0; DATAGRAM_BYTES];
        loop {
            match recv(self.socket.as_raw_fd(), &mut buffer, MsgFlags::MSG_DONTWAIT) {
                Ok(length) => parse(&buffer[..length], &mut each).map(drop)?,
                Err(Errno::EAGAIN) => return Ok(()),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(Failure::of("hear of sockets that are closed", errno)),
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    More,
    Done,
}

/// `struct nlmsghdr` and `struct inet_diag_req_v2`.
fn request(sequence: u32, mapped: bool) -> [u8; REQUEST_BYTES] {
    let mut bytes = [0; REQUEST_BYTES];
    bytes[0..4].copy_from_slice(&(REQUEST_BYTES as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&REQUEST_DUMP.to_ne_bytes());
    bytes[8..12].copy_from_slice(&sequence.to_ne_bytes());
    bytes[16] = if mapped { libc::AF_INET6 } else { libc::AF_INET } as u8;
    bytes[17] = libc::IPPROTO_TCP as u8;
    bytes[18] = EXTENSIONS;
    bytes[20..24].copy_from_slice(&STATES.to_ne_bytes());
    bytes
}

/// Reads one datagram.
fn parse(mut bytes: &[u8], each: &mut impl FnMut(Record)) -> Result<Progress, Failure> {
    while let Some((kind, body, rest)) = message(bytes) {
        match kind {
            NLMSG_DONE => return Ok(Progress::Done),
            NLMSG_ERROR => {
                let errno = u32_at(body, 0).map_or(0, |code| -(code as i32));
                return Err(Failure::of("ask the kernel for its TCP sockets", Errno::from_raw(errno)));
            }
            SOCK_DIAG_BY_FAMILY => each(record(body).ok_or_else(malformed)?),
            _ => {}
        }
        bytes = rest;
    }
    if bytes.is_empty() { Ok(Progress::More) } else { Err(malformed()) }
}

fn malformed() -> Failure {
    Failure("the kernel's list of TCP sockets is not as include/uapi/linux/inet_diag.h has it".to_owned())
}

/// Kind and body of the first message, and what follows it.
fn message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = u32_at(bytes, 0)? as usize;
    let kind = u16_at(bytes, 4)?;
    Some((kind, bytes.get(HEADER_BYTES..length)?, bytes.get(length.next_multiple_of(4)..).unwrap_or(&[])))
}

fn record(body: &[u8]) -> Option<Record> {
    let mut attributes = body.get(RECORD_BYTES..)?;
    let port = |offset: usize| Some(u16::from_be_bytes(body.get(offset..offset + 2)?.try_into().ok()?));
    let mut record = Record {
        local: address(body, 8)?,
        remote: address(body, 24)?,
        local_port: port(4)?,
        remote_port: port(6)?,
        cookie: u64::from(u32_at(body, 44)?) | u64::from(u32_at(body, 48)?) << 32,
        info: TcpInfo::default(),
        control: ControlInfo::Silent,
    };
    while !attributes.is_empty() {
        let length = usize::from(u16_at(attributes, 0)?);
        let value = attributes.get(4..length)?;
        match u16_at(attributes, 2)? {
            INET_DIAG_INFO => record.info = TcpInfo::parse(value),
            INET_DIAG_BBRINFO => record.control = ControlInfo::parse_bbr(value)?,
            INET_DIAG_VEGASINFO => record.control = ControlInfo::parse_vegas(value)?,
            INET_DIAG_DCTCPINFO => record.control = ControlInfo::parse_dctcp(value)?,
            _ => {}
        }
        attributes = attributes.get(length.next_multiple_of(4)..).unwrap_or(&[]);
    }
    Some(record)
}

/// An address of a socket: programs that speak both kinds of IP have sockets of the other kind. What is not IPv4 is none
/// of a path's.
fn address(body: &[u8], offset: usize) -> Option<Ipv4Addr> {
    let bytes: [u8; 16] = body.get(offset..offset + 16)?.try_into().ok()?;
    if i32::from(body[0]) == libc::AF_INET6 {
        return Some(Ipv6Addr::from(bytes).to_ipv4_mapped().unwrap_or(Ipv4Addr::UNSPECIFIED));
    }
    let [a, b, c, d, ..] = bytes;
    Some(Ipv4Addr::new(a, b, c, d))
}

fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(offset..offset + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(kind: u16, body: &[u8]) -> Vec<u8> {
        let mut bytes = ((HEADER_BYTES + body.len()) as u32).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0; 10]);
        bytes.extend(body);
        bytes
    }

    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let mut bytes = ((4 + value.len()) as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn socket(local: u16, remote: u16, attributes: &[Vec<u8>]) -> Vec<u8> {
        let mut body = vec![0; RECORD_BYTES];
        body[4..6].copy_from_slice(&local.to_be_bytes());
        body[6..8].copy_from_slice(&remote.to_be_bytes());
        body.extend(attributes.concat());
        framed(SOCK_DIAG_BY_FAMILY, &body)
    }

    fn records(bytes: &[u8]) -> (Vec<Record>, Result<Progress, Failure>) {
        let mut records = Vec::new();
        let progress = parse(bytes, &mut |record| records.push(record));
        (records, progress)
    }

    #[test]
    fn sockets_are_distinguished_by_their_ports() {
        let mut info = vec![0; 232];
        info[80..84].copy_from_slice(&10_u32.to_ne_bytes());
        let gains: Vec<u8> = [1_u32, 0, 2, 739, 739].into_iter().flat_map(u32::to_ne_bytes).collect();
        // An attribute of an odd length, as the name of a control has one.
        let bbr = socket(
            30_000,
            10_000,
            &[attribute(INET_DIAG_INFO, &info), attribute(4, b"bbr"), { attribute(INET_DIAG_BBRINFO, &gains) }],
        );
        let bytes = [bbr, socket(30_001, 10_001, &[attribute(INET_DIAG_INFO, &info)])].concat();
        let (records, progress) = records(&bytes);
        assert_eq!(progress, Ok(Progress::More));
        assert_eq!((records[0].local_port, records[0].remote_port, records[0].info.snd_cwnd), (30_000, 10_000, 10));
        let expected = ControlInfo::Bbr { bandwidth: 1, min_rtt_us: 2, pacing_gain: 739, cwnd_gain: 739, bounds: None };
        assert_eq!((records[0].control, records[1].control), (expected, ControlInfo::Silent));
        assert_eq!((records.len(), records[1].local_port), (2, 30_001));
    }

    #[test]
    fn the_last_message_ends_the_list() {
        let bytes = [socket(1, 2, &[]), framed(NLMSG_DONE, &[0; 4])].concat();
        let (records, progress) = records(&bytes);
        assert_eq!((records.len(), progress), (1, Ok(Progress::Done)));
    }

    #[test]
    fn a_refusal_names_the_kernels_error() {
        let (_, progress) = records(&framed(NLMSG_ERROR, &(-libc::EPERM).to_ne_bytes()));
        assert!(progress.unwrap_err().0.contains("EPERM"));
    }

    #[test]
    fn bytes_that_are_cut_off_are_no_list() {
        let bytes = socket(1, 2, &[attribute(INET_DIAG_INFO, &[0; 232])]);
        for cut in 1..bytes.len() {
            assert!(records(&bytes[..cut]).1.is_err(), "{cut}");
        }
    }

    #[test]
    fn a_request_asks_for_all_ports() {
        let bytes = request(7, false);
        assert_eq!(u32_at(&bytes, 0), Some(72));
        assert_eq!((&bytes[16..19], &bytes[24..26]), (&[2, 6, 0b110][..], &[0, 0][..]));
    }
}
