//! A route-netlink socket: many requests in one message to the kernel, and one system call for its answer.
//!
//! Requests are numbered; only the last one of a message asks for an acknowledgement, errors come unasked
//! (`netlink_ack` in the kernel's `af_netlink.c`). A request that fails does not keep the kernel from the next ones,
//! so the first error is the one reported.

use crate::error::{Error, Subject};
use netlink_bindings::utils::find_attr;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// `NLM_F_CREATE`: make it when it is not there.
pub const CREATE: u16 = 0x400;
/// `NLM_F_EXCL`: fail when it is there.
pub const EXCLUSIVE: u16 = 0x200;
/// `NLM_F_REPLACE`: take the place of what is there.
pub const REPLACE: u16 = 0x100;

/// `NLM_F_REQUEST`.
const REQUEST: u16 = 0x1;
/// `NLM_F_ACK`.
const ACKNOWLEDGE: u16 = 0x4;
/// `NLM_F_ECHO`: what a request found or changed is sent back to who asked.
const ECHO: u16 = 0x8;
/// `NLM_F_DUMP`: all there are.
const DUMP: u16 = 0x300;
/// `NLM_F_CAPPED` in an answer: the request is not repeated in it.
const CAPPED: u16 = 0x100;
/// `NLM_F_ACK_TLVS` in an answer: attributes follow, such as a sentence about the error.
const EXPLAINED: u16 = 0x200;
/// `NLMSGERR_ATTR_MSG`.
const SENTENCE: u16 = 1;
/// `NLMSG_ERROR`: an error, or with error 0 an acknowledgement.
const ERROR: u16 = 2;
/// `NLMSG_DONE`: the end of a list.
const DONE: u16 = 3;
/// Size of `struct nlmsghdr`.
const HEADER_BYTES: usize = 16;
/// A message to the kernel is cut here: well below the send buffer's default of 212992 bytes.
const MESSAGE_BYTES: usize = 65_536;
/// One answer of the kernel: a page at least (`NLMSG_GOODSIZE`), errors are smaller.
const ANSWER_BYTES: usize = 16_384;

/// Requests to be sent together.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where each request begins, and what it is about.
    requests: Vec<(usize, String)>,
}

impl Batch {
    /// Adds a request; `encode` writes its fixed header and attributes.
    pub fn push(&mut self, kind: u16, flags: u16, subject: impl Into<String>, encode: impl FnOnce(&mut Vec<u8>)) {
        let begin = self.bytes.len();
        let sequence = self.requests.len() as u32;
        self.requests.push((begin, subject.into()));
        self.bytes.extend(0_u32.to_ne_bytes());
        self.bytes.extend(kind.to_ne_bytes());
        self.bytes.extend((REQUEST | flags).to_ne_bytes());
        self.bytes.extend(sequence.to_ne_bytes());
        self.bytes.extend(0_u32.to_ne_bytes());
        encode(&mut self.bytes);
        let length = (self.bytes.len() - begin) as u32;
        self.bytes[begin..begin + 4].copy_from_slice(&length.to_ne_bytes());
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// Whether there is nothing to send.
    pub const fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Requests in ranges that each fit one message.
    fn messages(&self) -> Vec<std::ops::Range<usize>> {
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for index in 0..self.requests.len() {
            match ranges.last_mut() {
                Some(range) if self.end(index) - self.requests[range.start].0 <= MESSAGE_BYTES => range.end += 1,
                _ => ranges.push(index..index + 1),
            }
        }
        ranges
    }

    fn end(&self, index: usize) -> usize {
        self.requests.get(index + 1).map_or(self.bytes.len(), |(begin, _)| *begin)
    }
}

/// A socket; it belongs to the namespace in which it was opened.
#[derive(Debug)]
pub struct Socket {
    descriptor: OwnedFd,
    answer: Vec<u8>,
}

impl Socket {
    /// Opens a socket in the calling thread's namespace.
    pub fn open() -> Result<Self, Error> {
        let descriptor = nix::sys::socket::socket(
            AddressFamily::Netlink,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkRoute,
        )
        .about("netlink socket")?;
        explain(&descriptor).about("netlink socket")?;
        Ok(Self { descriptor, answer: vec![0; ANSWER_BYTES] })
    }

    /// Carries out a batch.
    pub fn execute(&mut self, mut batch: Batch) -> Result<(), Error> {
        for range in batch.messages() {
            let (begin, last) = (batch.requests[range.start].0, range.end - 1);
            let flags_at = batch.requests[last].0 + 6;
            batch.bytes[flags_at] |= ACKNOWLEDGE as u8;
            self.send(&batch.bytes[begin..batch.end(last)], &batch.requests[last].1)?;
            let mut failure = None;
            loop {
                let (subject, sequence) = (&batch.requests[last].1, last as u32);
                let answer = self.receive(subject)?;
                if answer.kind != ERROR {
                    continue;
                }
                if let Some((errno, sentence)) = answer.error() {
                    let subject = batch.requests.get(answer.sequence as usize).map_or(subject, |(_, subject)| subject);
                    failure.get_or_insert_with(|| Error::refused(subject, errno, sentence.as_deref()));
                }
                if answer.sequence == sequence {
                    break;
                }
            }
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Asks for one thing. Gives what followed the message header in the answer.
    pub fn ask(&mut self, kind: u16, subject: &str, encode: impl FnOnce(&mut Vec<u8>)) -> Result<&[u8], Error> {
        let mut batch = Batch::default();
        batch.push(kind, ECHO, subject, encode);
        self.send(&batch.bytes, subject)?;
        let answer = self.receive(subject)?;
        if answer.kind != ERROR {
            return Ok(answer.payload);
        }
        let (errno, sentence) = answer.error().unwrap_or((Errno::ENODATA, None));
        Err(Error::refused(subject, errno, sentence.as_deref()))
    }

    /// Asks for all of a kind. `each` gets what followed the message header of each.
    pub fn dump(
        &mut self,
        kind: u16,
        subject: &str,
        encode: impl FnOnce(&mut Vec<u8>),
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        let mut batch = Batch::default();
        batch.push(kind, DUMP, subject, encode);
        self.send(&batch.bytes, subject)?;
        loop {
            let length = recv(self.descriptor.as_raw_fd(), &mut self.answer, MsgFlags::empty()).about(subject)?;
            let mut rest = &self.answer[..length];
            while !rest.is_empty() {
                let message = Answer::parse(rest)
                    .ok_or_else(|| Error::new(subject, "an answer that is no list of netlink messages"))?;
                match message.kind {
                    DONE => return Ok(()),
                    ERROR => {
                        let (errno, sentence) = message.error().unwrap_or((Errno::ENODATA, None));
                        return Err(Error::refused(subject, errno, sentence.as_deref()));
                    }
                    _ => each(message.payload),
                }
                let size = (HEADER_BYTES + message.payload.len()).next_multiple_of(4);
                rest = rest.get(size..).unwrap_or_default();
            }
        }
    }

    fn send(&self, bytes: &[u8], subject: &str) -> Result<(), Error> {
        send(self.descriptor.as_raw_fd(), bytes, MsgFlags::empty()).map(drop).about(subject)
    }

    fn receive(&mut self, subject: &str) -> Result<Answer<'_>, Error> {
        let length = recv(self.descriptor.as_raw_fd(), &mut self.answer, MsgFlags::empty()).about(subject)?;
        Answer::parse(&self.answer[..length]).ok_or_else(|| Error::new(subject, "an answer that is no netlink message"))
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Has the kernel say a sentence about each error.
#[expect(unsafe_code, reason = "no safe crate offers NETLINK_EXT_ACK")]
fn explain(descriptor: &OwnedFd) -> Result<(), Errno> {
    let (on, length) = (1_i32, size_of::<i32>() as libc::socklen_t);
    // SAFETY: the kernel reads `length` bytes at the address of `on`, which lives until the call returns.
    let result = unsafe {
        let value = std::ptr::from_ref(&on).cast();
        libc::setsockopt(descriptor.as_raw_fd(), libc::SOL_NETLINK, libc::NETLINK_EXT_ACK, value, length)
    };
    Errno::result(result).map(drop)
}

/// One message of the kernel.
struct Answer<'a> {
    kind: u16,
    flags: u16,
    sequence: u32,
    payload: &'a [u8],
}

impl<'a> Answer<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
        let field = |at: usize| Some(u16::from_ne_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        Some(Self {
            kind: field(4)?,
            flags: field(6)?,
            sequence: u32::from_ne_bytes(*bytes.get(8..)?.first_chunk()?),
            payload: bytes.get(HEADER_BYTES..length)?,
        })
    }

    /// The error number and the sentence of an answer of kind [`ERROR`]; none when it acknowledges.
    fn error(&self) -> Option<(Errno, Option<String>)> {
        let number = i32::from_ne_bytes(*self.payload.first_chunk()?);
        if number == 0 {
            return None;
        }
        let request = self.payload.get(4..)?;
        let repeated =
            if self.flags & CAPPED > 0 { HEADER_BYTES } else { u32::from_ne_bytes(*request.first_chunk()?) as usize };
        let sentence = request
            .get(repeated.next_multiple_of(4)..)
            .filter(|_| self.flags & EXPLAINED > 0)
            .and_then(|attributes| find_attr(attributes, SENTENCE))
            .map(|text| String::from_utf8_lossy(text).trim_end_matches('\0').to_owned());
        Some((Errno::from_raw(-number), sentence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_batch_is_cut_between_requests() {
        let mut batch = Batch::default();
        for index in 0..1_000 {
            batch.push(16, CREATE, format!("link {index}"), |bytes| bytes.extend([0_u8; 201]));
        }
        let messages = batch.messages();
        assert_eq!(messages.len(), 4); // 220 bytes each with header and padding
        assert_eq!((messages[0].start, messages[3].end), (0, 1_000));
        assert!(messages.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(messages.iter().all(|range| batch.end(range.end - 1) - batch.requests[range.start].0 <= MESSAGE_BYTES));
    }

    #[test]
    fn an_error_carries_the_kernels_sentence() {
        let mut bytes = Vec::new();
        bytes.extend([0, 0, 0, 0, 2, 0, 0, 3, 7, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend((-2_i32).to_ne_bytes());
        bytes.extend([0; HEADER_BYTES]);
        bytes.extend([8, 0, 1, 0]);
        bytes.extend(b"no!\0");
        let length = bytes.len() as u8;
        bytes[0] = length;
        let answer = Answer::parse(&bytes).expect("a message");
        assert_eq!((answer.kind, answer.sequence), (ERROR, 7));
        assert_eq!(answer.error(), Some((Errno::ENOENT, Some("no!".to_owned()))));
    }
}
