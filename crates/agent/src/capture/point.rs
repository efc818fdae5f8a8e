//! [`PointFile`]: the capture at one point of the path, from its rings into its file.

use super::checksum;
use super::ring::Ring;
use crate::failure::Failure;
use pcap::CaptureFile;
use run::CapturePoint;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// In front of what comes from a device without: no addresses.
const ADDRESSES: [u8; 12] = [0; 12];
const ETHERNET_BYTES: usize = 14;
const IPV6: u8 = 6;

/// The rings of a point, and the file into which they go.
#[derive(Debug)]
pub struct PointFile {
    /// Which.
    pub point: CapturePoint,
    /// The run's time 0 on CLOCK_REALTIME: the file has times since then.
    pub zero_ns: u64,
    /// The run's end, on the same: what passes later is none of its frames.
    pub end_ns: u64,
    rings: Vec<Ring>,
    file: CaptureFile,
    frames: u64,
    bytes: Vec<u8>,
}

impl PointFile {
    /// Begins it in a folder that is there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(folder: &Path, point: CapturePoint, rings: Vec<Ring>, snap_bytes: u32) -> Result<Self, Failure> {
        let file = CaptureFile::create(folder, point, snap_bytes).map_err(|error| failed(point, &error))?;
        Ok(Self { point, zero_ns: 0, end_ns: u64::MAX, rings, file, frames: 0, bytes: Vec::new() })
    }

    /// Where there is something to read.
    pub fn rings(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.rings.iter().map(Ring::as_fd)
    }

    /// Writes all frames up to an instant on CLOCK_REALTIME, in order of time. `of_open`: as of [`Ring::peek`].
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn drain(&mut self, of_open: bool, until_ns: u64) -> Result<(), Failure> {
        let Self { point, zero_ns, end_ns, rings, file, frames, bytes } = self;
        loop {
            let next = |(place, ring): (usize, &mut Ring)| Some((ring.peek(of_open)?.time_ns, place));
            let first = rings.iter_mut().enumerate().filter_map(next).min().filter(|(time_ns, _)| *time_ns <= until_ns);
            let Some((time_ns, place)) = first else { return Ok(()) };
            let ring = &mut rings[place];
            if let Some(frame) = ring.peek(of_open)
                && (*zero_ns..=*end_ns).contains(&time_ns)
            {
                let is_complete = frame.captured.len() == frame.wire_bytes as usize;
                let (mut captured, mut wire_bytes) = (frame.captured, frame.wire_bytes);
                if frame.is_bare || frame.is_unsummed && is_complete {
                    bytes.clear();
                    if frame.is_bare {
                        bytes.extend(ADDRESSES);
                        let is_ipv6 = captured.first().is_some_and(|byte| byte >> 4 == IPV6);
                        let kind = if is_ipv6 { libc::ETH_P_IPV6 } else { libc::ETH_P_IP };
                        bytes.extend((kind as u16).to_be_bytes());
                        wire_bytes += ETHERNET_BYTES as u32;
                    }
                    bytes.extend(captured);
                    if frame.is_unsummed && is_complete {
                        checksum::complete(bytes);
                    }
                    captured = bytes;
                }
                file.frame(time_ns - *zero_ns, wire_bytes, captured).map_err(|error| failed(*point, &error))?;
                *frames += 1;
            }
            ring.advance();
        }
    }

    /// Nothing more is captured.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn close(&self) -> Result<(), Failure> {
        self.rings.iter().try_for_each(Ring::close).map_err(|error| Failure(error.to_string()))
    }

    /// Ends the file. Gives how many frames it has, and how many it lacks because a ring had no room for them.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<(u64, u64), Failure> {
        let dropped = self.rings.iter().map(Ring::dropped).sum::<Result<u64, _>>();
        let dropped = dropped.map_err(|error| Failure(error.to_string()))?;
        self.file.finish().map_err(|error| failed(self.point, &error))?;
        Ok((self.frames, dropped))
    }
}

fn failed(point: CapturePoint, error: &std::io::Error) -> Failure {
    Failure::of(format!("write the capture at the {}", point.name()), error)
}
