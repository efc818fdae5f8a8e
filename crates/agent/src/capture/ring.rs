//! [`Ring`]: frames that the kernel leaves in memory that it shares with the agent, in blocks (`TPACKET_V3`, Linux
//! `Documentation/networking/packet_mmap.rst`). Nothing is woken for a frame, but when a block is full or old.

use super::filter;
use crate::error::{Error, Subject};
use libc::{sock_filter, sock_fprog, sockaddr_ll, tpacket_req3, tpacket_stats_v3, tpacket3_hdr};
use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use nix::sys::socket::sockopt::{GetStruct, SetStruct};
use nix::sys::socket::{
    AddressFamily, LinkAddr, SockFlag, SockType, SockaddrLike, bind, getsockopt, setsockopt, socket,
};
use std::ffi::c_void;
use std::mem::size_of;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// Of no meaning but that the kernel checks it.
const FRAME_BYTES: usize = 1 << 11;
/// `TPACKET_V3`.
const VERSION: u32 = 2;
/// `struct tpacket_block_desc`: after a version and an offset come its status, how many frames it has, and where the
/// first of them is.
const STATUS_AT: usize = 8;
const COUNT_AT: usize = 12;
const FIRST_AT: usize = 16;
/// Behind a frame's header, the address of its device: there it has the kind of the device.
const DEVICE_AT: usize = size_of::<tpacket3_hdr>().next_multiple_of(libc::TPACKET_ALIGNMENT);
const BILLION: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
struct Version;
nix::setsockopt_impl!(Version, libc::SOL_PACKET, libc::PACKET_VERSION, u32, SetStruct<u32>);

#[derive(Clone, Copy, Debug)]
struct ReceiveRing;
nix::setsockopt_impl!(ReceiveRing, libc::SOL_PACKET, libc::PACKET_RX_RING, tpacket_req3, SetStruct<tpacket_req3>);

#[derive(Clone, Copy, Debug)]
struct Filter;
nix::setsockopt_impl!(Filter, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, sock_fprog, SetStruct<sock_fprog>);

#[derive(Clone, Copy, Debug)]
struct Statistics;
nix::getsockopt_impl!(
    Statistics,
    libc::SOL_PACKET,
    libc::PACKET_STATISTICS,
    tpacket_stats_v3,
    GetStruct<tpacket_stats_v3>
);

/// How large a ring is, and how old a block may become before it is given to the agent though it is not full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Each has room for the largest super-packet.
    pub block_bytes: usize,
    /// How many there are.
    pub blocks: usize,
    /// In milliseconds.
    pub retire_ms: u32,
}

impl Size {
    /// All of it.
    pub const fn bytes(self) -> u64 {
        (self.blocks * self.block_bytes) as u64
    }

    /// The same with no more blocks than have so much room; two at least, that one is free when the other is full.
    pub const fn at_most(self, room_bytes: u64) -> Self {
        let blocks = room_bytes.div_ceil(self.block_bytes as u64).saturating_add(1);
        if blocks < self.blocks as u64 { Self { blocks: blocks as usize, ..self } } else { self }
    }
}

/// A packet socket with its ring.
#[derive(Debug)]
pub struct Ring {
    socket: OwnedFd,
    memory: NonNull<c_void>,
    block_bytes: usize,
    blocks: usize,
    /// The block that is read, and how many of its frames have been.
    block: usize,
    read: u32,
    /// Where its next frame is.
    next_at: usize,
}

/// A frame as it lies in a ring.
#[derive(Clone, Copy, Debug)]
pub struct RingFrame<'a> {
    /// On CLOCK_REALTIME.
    pub time_ns: u64,
    /// Its length on the wire.
    pub wire_bytes: u32,
    /// Its beginning.
    pub captured: &'a [u8],
    /// It begins with IP: its device has no other headers.
    pub is_bare: bool,
    /// TCP's checksum is the pseudo header's sum only: a device would have done the rest.
    pub is_unsummed: bool,
}

// SAFETY: the memory is mapped for as long as the ring is there, and nobody else of this process has it.
#[expect(unsafe_code, reason = "a pointer to memory that is shared with the kernel is in no thread's way")]
unsafe impl Send for Ring {}

impl Ring {
    /// A ring of the calling thread's namespace that takes from now on what a program of [`filter`] lets pass, of the
    /// device with this number or of all.
    ///
    /// # Errors
    /// The kernel refuses: one must be root, and it must have the memory.
    pub fn open(size: Size, program: &[sock_filter], device: Option<u32>) -> Result<Self, Error> {
        // Without a protocol it takes nothing yet.
        let socket =
            socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_CLOEXEC, None).about("packet socket")?;
        setsockopt(&socket, Version, &VERSION).about("version of a packet ring")?;
        let Size { block_bytes, blocks, .. } = size;
        let bytes = blocks * block_bytes;
        let request = tpacket_req3 {
            tp_block_size: block_bytes as u32,
            tp_block_nr: blocks as u32,
            tp_frame_size: FRAME_BYTES as u32,
            tp_frame_nr: (bytes / FRAME_BYTES) as u32,
            tp_retire_blk_tov: size.retire_ms,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        setsockopt(&socket, ReceiveRing, &request).about(format_args!("packet ring of {bytes} B"))?;
        let memory = map(&socket, bytes).about(format_args!("memory of a packet ring of {bytes} B"))?;
        let ring = Self { socket, memory, block_bytes, blocks, block: 0, read: 0, next_at: 0 };
        ring.attach(program)?;
        listen(&ring.socket, device).about("begin of a capture")?;
        Ok(ring)
    }

    /// It takes nothing more; what it has stays.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn close(&self) -> Result<(), Error> {
        self.attach(&filter::NOTHING)
    }

    /// The next frame; none: all have been read that are there. `of_open`: those of the block too that the kernel is
    /// not done with. It must not be at work on it.
    pub fn peek(&mut self, of_open: bool) -> Option<RingFrame<'_>> {
        loop {
            let is_ours = self.status().load(Ordering::Acquire) & libc::TP_STATUS_USER != 0;
            if !is_ours && !of_open {
                return None;
            }
            if self.read < self.word(COUNT_AT) {
                if self.read == 0 {
                    self.next_at = self.word(FIRST_AT) as usize;
                }
                return Some(self.frame());
            }
            if !is_ours {
                return None;
            }
            self.give_back();
        }
    }

    /// The frame that was peeked at has been read.
    pub fn advance(&mut self) {
        self.next_at += self.header().tp_next_offset as usize;
        self.read += 1;
    }

    /// Frames that had no room, since the last question.
    ///
    /// # Errors
    /// The kernel does not tell.
    pub fn dropped(&self) -> Result<u64, Error> {
        let statistics = getsockopt(&self.socket, Statistics).about("statistics of a packet ring")?;
        Ok(statistics.tp_drops.into())
    }

    fn attach(&self, program: &[sock_filter]) -> Result<(), Error> {
        // The kernel only reads it.
        let program = sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
        setsockopt(&self.socket, Filter, &program).about("filter of a capture")
    }

    /// The block is the kernel's again. It may be the one that it waits for, which it has not begun yet: that has no
    /// frames.
    fn give_back(&mut self) {
        self.atomic(COUNT_AT).store(0, Ordering::Relaxed);
        self.status().store(libc::TP_STATUS_KERNEL, Ordering::Release);
        (self.block, self.read) = ((self.block + 1) % self.blocks, 0);
    }

    fn status(&self) -> &AtomicU32 {
        self.atomic(STATUS_AT)
    }

    fn word(&self, at: usize) -> u32 {
        self.atomic(at).load(Ordering::Relaxed)
    }

    /// A word of the block's head, which is aligned.
    #[expect(unsafe_code, reason = "the kernel writes it, too")]
    fn atomic(&self, at: usize) -> &AtomicU32 {
        // SAFETY: it is within the block, which is within what is mapped for as long as the ring is there.
        unsafe { self.place(at).cast::<AtomicU32>().as_ref() }
    }

    #[expect(unsafe_code, reason = "it lies in memory that the kernel has filled")]
    fn header(&self) -> tpacket3_hdr {
        // SAFETY: the kernel has written a header there, and is done with it; it is aligned to 8 bytes.
        unsafe { self.place(self.next_at).cast::<tpacket3_hdr>().read() }
    }

    #[expect(unsafe_code, reason = "it lies in memory that the kernel has filled")]
    fn frame(&self) -> RingFrame<'_> {
        let header = self.header();
        let (begin, length) = (self.next_at + usize::from(header.tp_mac), header.tp_snaplen as usize);
        assert!(begin + length <= self.block_bytes, "a frame that is not within its block");
        // SAFETY: the kernel has written both, and does not touch them before the block is given back, for which
        // this ring must be borrowed mutably.
        let (device, captured) = unsafe {
            let device = self.place(self.next_at + DEVICE_AT).cast::<sockaddr_ll>().read();
            (device, std::slice::from_raw_parts(self.place(begin).as_ptr(), length))
        };
        RingFrame {
            time_ns: u64::from(header.tp_sec) * BILLION + u64::from(header.tp_nsec),
            wire_bytes: header.tp_len,
            captured,
            is_bare: device.sll_hatype == libc::ARPHRD_NONE,
            is_unsummed: header.tp_status & libc::TP_STATUS_CSUMNOTREADY != 0,
        }
    }

    #[expect(unsafe_code, reason = "pointers into memory that is shared with the kernel")]
    fn place(&self, at: usize) -> NonNull<u8> {
        assert!(at < self.block_bytes, "a place that is not within the block");
        // SAFETY: both the block and the place are within what is mapped.
        unsafe { self.memory.cast::<u8>().add(self.block * self.block_bytes + at) }
    }
}

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Ring {
    #[expect(unsafe_code, reason = "memory that was mapped by hand")]
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nothing borrows from it any more.
        unsafe { munmap(self.memory, self.blocks * self.block_bytes) }.unwrap_or_default();
    }
}

#[expect(unsafe_code, reason = "memory is shared with the kernel")]
fn map(socket: &OwnedFd, bytes: usize) -> Result<NonNull<c_void>, Errno> {
    let length = NonZeroUsize::new(bytes).ok_or(Errno::EINVAL)?;
    // SAFETY: where it lies is the kernel's to say; nothing of this process is replaced.
    unsafe { mmap(None, length, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_SHARED, socket, 0) }
}

/// Packets of all protocols come from now on.
#[expect(unsafe_code, reason = "no safe crate makes this address")]
fn listen(socket: &OwnedFd, device: Option<u32>) -> Result<(), Errno> {
    let address = sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: (libc::ETH_P_ALL as u16).to_be(),
        sll_ifindex: device.unwrap_or(0) as i32,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let length = size_of::<sockaddr_ll>() as u32;
    // SAFETY: it is the address of a packet socket, of this length.
    let address = unsafe { LinkAddr::from_raw(std::ptr::from_ref(&address).cast(), Some(length)) };
    bind(socket.as_raw_fd(), &address.ok_or(Errno::EINVAL)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Machine, Means, Network};
    use crate::{samples, skipped};
    use std::net::UdpSocket;

    const SMALL: Size = Size { block_bytes: 1 << 12, blocks: 3, retire_ms: 10_000 };
    const PAYLOAD_BYTES: u32 = 1_000;
    const FRAME_BYTES: u32 = 14 + 20 + 8 + PAYLOAD_BYTES;

    /// Reads all that there is, and gives the numbers that the packets have in their payload.
    fn numbers(ring: &mut Ring, of_open: bool) -> Vec<u32> {
        let mut numbers = Vec::new();
        let mut last_ns = 0;
        while let Some(frame) = ring.peek(of_open) {
            assert_eq!((frame.wire_bytes, frame.captured.len(), frame.is_bare), (FRAME_BYTES, 64, false));
            assert!(frame.time_ns >= last_ns);
            last_ns = frame.time_ns;
            numbers.push(u32::from_be_bytes(frame.captured[42..46].try_into().expect("four bytes")));
            ring.advance();
        }
        numbers
    }

    #[test]
    fn a_ring_that_was_full_goes_on_and_tells_what_it_lacks() {
        let run = samples::run(1);
        let network = match Means::find().and_then(|means| Network::build(&run, &[], 0, Machine::Shared, means)) {
            Ok(network) => network,
            Err(error) => return skipped::skip(&error),
        };
        let (capture, namespace) = network.taps(&run).into_iter().next().expect("a tap");
        let program = filter::of_devices(&capture.numbers, true, 64);
        let mut ring = namespace.within(|| Ring::open(SMALL, &program, None)).expect("a namespace").expect("a ring");
        let host = network.sender(0);
        let socket = namespace.within(|| UdpSocket::bind((host.address, 0))).expect("a namespace").expect("a socket");
        let mut sent = 0_u32;
        let mut send = |count: u32| {
            for number in sent..sent + count {
                let mut payload = [0; PAYLOAD_BYTES as usize];
                payload[..4].copy_from_slice(&number.to_be_bytes());
                socket.send_to(&payload, (network.receiver(0).address, 9)).expect("a route");
            }
            sent += count;
        };
        send(5);
        assert_eq!(numbers(&mut ring, false), [] as [u32; 0], "no block is full");
        assert_eq!(numbers(&mut ring, true), [0, 1, 2, 3, 4]);
        send(200);
        let mut taken = numbers(&mut ring, false);
        assert_eq!(taken[..5], [5, 6, 7, 8, 9]);
        taken.extend(numbers(&mut ring, true));
        let dropped = ring.dropped().expect("statistics");
        assert_eq!(taken.len() as u64 + dropped, 200);
        assert!(dropped > 100 && taken.is_sorted());
        // As long as somebody reads it has room, however often it goes round.
        for round in 0..20 {
            send(10);
            assert_eq!(numbers(&mut ring, true), (205 + 10 * round..215 + 10 * round).collect::<Vec<u32>>());
        }
        assert_eq!(ring.dropped(), Ok(0));
        ring.close().expect("a filter");
        send(3);
        assert!(ring.peek(true).is_none());
    }
}
