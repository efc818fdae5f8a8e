//! [`RunFiles`]: the captures of a simulated run, a file at each place, and its packets with all their headers.
//!
//! Ethernet, IPv4 and TCP with timestamps, as Linux sends it. Payload is zeros. A flow has a sender and a receiver of its
//! own, a connection a port of its own.

use crate::capture_file::CaptureFile;
use run::{CapturePoint, FRAME_HEADERS_BYTES, Frame, Run, SocketMemory, flag};
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

const ETHERNET_BYTES: usize = 14;
const IP_BYTES: usize = 20;
const TCP_BYTES: usize = 20;
const IPV4: u16 = 0x0800;
const TCP: u8 = 6;
const DO_NOT_FRAGMENT: u16 = 0x4000;
const HOPS: u8 = 64;

const SENDERS: u32 = 0x0A00_0000; // 10.0.0.0/9
const RECEIVERS: u32 = 0x0A80_0000; // 10.128.0.0/9
const RECEIVERS_PORT: u16 = 5001;
const FIRST_PORT: u32 = 32_768;
const PORTS: u32 = 28_232;

/// Linux begins a receive buffer that may grow to 6 MB with a window of 64 kB, and scales by this.
const DEFAULT_MEMORY_BYTES: u64 = 6_291_456;
const MOST_SCALE: u8 = 14;

/// The files that are being written.
pub struct RunFiles {
    /// None where nothing is captured.
    files: [Option<CaptureFile>; CapturePoint::ALL.len()],
    headers: RunPackets,
    packet: Vec<u8>,
}

impl RunFiles {
    /// Begins those of a run in a folder that is there: `senders.pcapng.zst` and others.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn create(folder: &Path, run: &Run) -> io::Result<Self> {
        let snap_bytes = run.measure.snap_bytes.unwrap_or(u32::MAX);
        let [senders, bottleneck, receivers] = CapturePoint::ALL.map(|point| {
            run.measure.capture_at.has(point).then(|| CaptureFile::create(folder, point, snap_bytes)).transpose()
        });
        Ok(Self { files: [senders?, bottleneck?, receivers?], headers: RunPackets::new(run), packet: Vec::new() })
    }

    /// From which address each flow of a run sends, as a fact of the run by the name that every engine gives it.
    pub fn senders(run: &Run) -> impl Iterator<Item = (String, String)> + use<> {
        (0..run.flows.len() as u32)
            .map(|flow| (format!("flows[{flow}].sender"), Ipv4Addr::from(SENDERS + flow + 1).to_string()))
    }

    /// Writes a frame into the file of its place, if there is one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        let Some(file) = &mut self.files[frame.point as usize] else { return Ok(()) };
        self.packet.clear();
        self.headers.write(frame, &mut self.packet);
        let wire_bytes = self.packet.len() as u32 + frame.payload_bytes;
        let room = (file.snap_bytes() as usize).min(wire_bytes as usize);
        if self.packet.len() < room {
            self.packet.resize(room, 0);
        }
        file.frame(frame.at_ns, wire_bytes, &self.packet)
    }

    /// Ends the files, and gives their names.
    ///
    /// # Errors
    /// One cannot be written.
    pub fn finish(self) -> io::Result<Vec<PathBuf>> {
        self.files.into_iter().flatten().map(CaptureFile::finish).collect()
    }
}

/// The shift of windows (RFC 7323 section 2) that has room for the largest one.
fn scale(run: &Run) -> u8 {
    let memory = match run.host.socket_memory {
        SocketMemory::Max => u64::MAX,
        SocketMemory::Default => DEFAULT_MEMORY_BYTES,
        SocketMemory::Bytes(bytes) => bytes,
    };
    let most = memory.min(run.host.receive_window_bytes.unwrap_or(u64::MAX));
    (0..MOST_SCALE).find(|scale| most >> scale <= u64::from(u16::MAX)).unwrap_or(MOST_SCALE)
}

/// Writes the headers of a run's packets.
pub struct RunPackets {
    mss: u16,
    scale: u8,
}

impl RunPackets {
    /// Those of a run.
    #[must_use]
    pub fn new(run: &Run) -> Self {
        // Timestamps are not counted (RFC 6691).
        Self { mss: u16::try_from(run.path.mss_bytes() + 12).unwrap_or(u16::MAX), scale: scale(run) }
    }

    /// Appends the headers of a frame: of Ethernet, IPv4 and TCP.
    pub fn write(&self, frame: &Frame, out: &mut Vec<u8>) {
        let (mut source, mut target) = ([SENDERS, RECEIVERS]).map(|network| network + frame.flow + 1).into();
        let own_port = (FIRST_PORT + frame.connection % PORTS) as u16;
        let (mut from, mut to) = (own_port, RECEIVERS_PORT);
        if frame.to_sender {
            (source, target, from, to) = (target, source, to, from);
        }
        let options = self.options(frame);
        let tcp_bytes = TCP_BYTES + options.len();
        let begin = out.len();
        out.extend(mac(target));
        out.extend(mac(source));
        out.extend(IPV4.to_be_bytes());
        out.extend([0x45, frame.ecn]);
        out.extend(((IP_BYTES + tcp_bytes) as u32 + frame.payload_bytes).to_be_bytes().into_iter().skip(2));
        out.extend([0, 0]); // no identification: it is never cut (RFC 6864)
        out.extend(DO_NOT_FRAGMENT.to_be_bytes());
        out.extend([HOPS, TCP, 0, 0]);
        let addresses = out.len();
        out.extend(source.to_be_bytes());
        out.extend(target.to_be_bytes());
        let ip = begin + ETHERNET_BYTES;
        let checksum = folded(sum(&out[ip..]));
        out[ip + 10..ip + 12].copy_from_slice(&checksum.to_be_bytes());
        let tcp = out.len();
        out.extend(from.to_be_bytes());
        out.extend(to.to_be_bytes());
        out.extend((frame.seq as u32).to_be_bytes());
        out.extend((frame.ack as u32).to_be_bytes());
        let [high, low] = frame.flags.to_be_bytes();
        out.extend([(tcp_bytes as u8 / 4) << 4 | high, low]);
        out.extend(self.window(frame).to_be_bytes());
        out.extend([0; 4]);
        out.extend(options);
        // The pseudo header (RFC 9293 section 3.1); a payload of zeros adds nothing.
        let pseudo = sum(&out[addresses..tcp]) + u32::from(TCP) + tcp_bytes as u32 + frame.payload_bytes;
        let checksum = folded(pseudo + sum(&out[tcp..]));
        out[tcp + 16..tcp + 18].copy_from_slice(&checksum.to_be_bytes());
    }

    /// A window that is open stays so (Linux 6.1 `__tcp_select_window` rounds up); a SYN's is not scaled.
    fn window(&self, frame: &Frame) -> u16 {
        let scale = if frame.flags & flag::SYN == 0 { self.scale } else { 0 };
        u16::try_from(frame.window_bytes.div_ceil(1 << scale)).unwrap_or(u16::MAX)
    }

    fn options(&self, frame: &Frame) -> Vec<u8> {
        const NOTHING: u8 = 1;
        let mut options = Vec::with_capacity(40);
        let [value, echo] = frame.stamps_ms.map(u32::to_be_bytes);
        if frame.flags & flag::SYN != 0 {
            options.extend([2, 4]);
            options.extend(self.mss.to_be_bytes());
            options.extend([4, 2, 8, 10]);
            options.extend(value.into_iter().chain(echo));
            options.extend([NOTHING, 3, 3, self.scale]);
            return options;
        }
        options.extend([NOTHING, NOTHING, 8, 10]);
        options.extend(value.into_iter().chain(echo));
        if frame.block_count > 0 {
            options.extend([NOTHING, NOTHING, 5, 2 + 8 * frame.block_count]);
            let ends = frame.blocks.iter().take(frame.block_count.into()).flatten();
            options.extend(ends.flat_map(|end| (*end as u32).to_be_bytes()));
        }
        options
    }
}

/// A locally administered address that says whose it is.
fn mac(address: u32) -> [u8; 6] {
    let [a, b, c, d] = address.to_be_bytes();
    [2, 0, a, b, c, d]
}

/// The sum of RFC 1071, not folded yet.
fn sum(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum()
}

fn folded(mut sum: u32) -> u16 {
    while sum > u32::from(u16::MAX) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

const _: () = assert!(ETHERNET_BYTES + IP_BYTES + TCP_BYTES + 12 == FRAME_HEADERS_BYTES as usize);
