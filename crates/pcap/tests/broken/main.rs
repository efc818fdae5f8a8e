//! Broken captures: whatever a stream says, the crate answers, in little memory and time.
//!
//! `DUMBBELL_FUZZ_CAPTURES` says how many, `DUMBBELL_FUZZ_SEED` with which seed; what fails is printed with both.
//! `DUMBBELL_FUZZ_FOLDER` names a folder whose files up to 100 kB are broken, too.

#[path = "../captures/support.rs"]
#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod support;

use crate::support::{
    ACK, CWR, Captured, ECE, Everything, FIN, MSS, Packet, RST, SYN, ack, data, ethernet, handshake, packet, pcap_file,
    pcapng_file, segments,
};
use pcap::{Options, Report, analyze};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

const FEW: u64 = 100_000;
/// The last captures.
const COMPRESSED: usize = 2;

/// Of the crate and of all tests that run beside this one, without what zstd's own library allocates.
const MOST_BYTES: usize = 200_000_000;

/// Counts what is allocated.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is handed on to the system's allocator; the counts stand beside it.
#[expect(unsafe_code, reason = "an allocator is a set of unsafe functions")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let allocated = ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(allocated, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Connections that have a bit of everything.
fn captures() -> Vec<Vec<u8>> {
    let mut packets = handshake(0, 5_000, true);
    packets.extend(segments(6_000, 10, 0, 10));
    packets.push(ack(11_000, 1 + MSS));
    packets.extend((3..8).map(|count| ack(11_000 + count, 1 + MSS).sack(&[(1 + 2 * MSS, 1 + count as u32 * MSS)])));
    packets.push(data(12_000, 1 + MSS, MSS).stamps(7, 1));
    packets.push(ack(17_000, 1 + 10 * MSS).sack(&[(1 + MSS, 1 + 2 * MSS)]).stamps(2, 7));
    packets.extend(segments(18_000, 10, 12, 3));
    packets.extend(segments(18_100, 10, 10, 2));
    packets.push(Packet { ecn: 3, ..data(400_000, 1 + 14 * MSS, MSS) });
    packets.push(ack(500_000, 1 + 15 * MSS).window(0).flags(ACK | ECE));
    packets.push(data(700_000, 1 + 15 * MSS, 1).flags(ACK | CWR));
    packets.push(data(800_000, 1 + 15 * MSS, 0).flags(ACK | FIN));
    packets.push(packet(900_000, false).flags(RST));
    let port = |client_port, client_isn| {
        handshake(1_000_000, 900, false).into_iter().map(move |each| Packet { client_port, client_isn, ..each })
    };
    packets.extend(port(40_000, 77).chain(port(40_001, u32::MAX)));
    packets.push(packet(1_100_000, false).flags(SYN));
    let full = ethernet(&packets, 2_000);
    let snapped = ethernet(&packets, 64);
    let raw: Vec<_> = packets
        .iter()
        .map(|packet| Captured { ns: packet.ns(), bytes: packet.ip(), wire: packet.ip().len() as u32 })
        .collect();
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let plain = vec![
        pcap_file(1, &snapped),
        pcap_file(1, &full[..20]),
        pcapng_file(1, &snapped),
        pcap_file(101, &raw[10..30]),
        pcapng_file(229, &raw[..10]),
    ];
    let compressed: [_; COMPRESSED] = [gzip(&plain[0]), zstd::encode_all(&plain[2][..], 1).unwrap()];
    plain.into_iter().chain(compressed).collect()
}

/// Files of a folder, if one is named.
fn others() -> Vec<Vec<u8>> {
    let Some(folder) = std::env::var_os("DUMBBELL_FUZZ_FOLDER") else { return Vec::new() };
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter_map(|path| std::fs::read(path).ok());
    files.filter(|bytes| (1..100_000).contains(&bytes.len())).collect()
}

fn below(random: &mut Xoshiro256PlusPlus, limit: usize) -> usize {
    (random.next_u64() % limit as u64) as usize
}

/// Bytes changed, taken out, repeated or swapped; most changes are few, so that most of the file is sound.
fn broken(random: &mut Xoshiro256PlusPlus, captures: &[Vec<u8>]) -> Vec<u8> {
    // What is wrong with a compressed stream the decoders find, which takes them long.
    let kinds = if random.next_u32().is_multiple_of(16) { captures.len() } else { captures.len() - COMPRESSED };
    let mut bytes = captures[below(random, kinds)].clone();
    for _ in 0..=below(random, 8) {
        if bytes.is_empty() {
            break;
        }
        let place = below(random, bytes.len());
        let length = below(random, 64.min(bytes.len() - place) + 1);
        match random.next_u32() % 8 {
            0 => bytes[place] = [0, 1, 0x7f, 0x80, 0xff][below(random, 5)],
            1 => bytes.truncate(place),
            2 => drop(bytes.drain(place..place + length)),
            3 => {
                let part = bytes[place..place + length].to_vec();
                let at = below(random, bytes.len() + 1);
                bytes.splice(at..at, part);
            }
            4 => {
                let other = &captures[below(random, captures.len())];
                let at = below(random, other.len());
                bytes.splice(place..place + length, other[at..(at + length).min(other.len())].iter().copied());
            }
            5 => bytes[place..place + length].iter_mut().for_each(|byte| *byte = random.next_u32() as u8),
            _ => bytes[place] ^= 1 << (random.next_u32() % 8),
        }
    }
    bytes
}

/// What must hold whatever the capture is.
fn check(report: &Report, all: &Everything) {
    assert_eq!(all.rows.len() as u64, report.frames.tcp);
    assert_eq!(all.connections.len() as u64, report.connections);
    let packets: u64 = all.connections.iter().flat_map(|each| &each.directions).map(|each| each.packets).sum();
    assert_eq!(packets, report.frames.tcp);
    let binned: u64 = all.bins.iter().map(|row| row.counts.packets).sum();
    assert_eq!(binned, packets);
    let of_bins: u64 = all.bins.iter().map(|row| row.counts.acked_bytes).sum();
    let acked: u64 = all.connections.iter().flat_map(|each| &each.directions).map(|each| each.acked_bytes).sum();
    assert_eq!(of_bins, acked);
}

#[test]
fn broken_captures_do_no_harm() {
    let (count, seed) = (number("DUMBBELL_FUZZ_CAPTURES", FEW), number("DUMBBELL_FUZZ_SEED", 1));
    let captures = captures();
    for each in &captures {
        let mut all = Everything::default();
        let report = analyze(Cursor::new(each.clone()), Options::default(), &mut all).unwrap();
        assert!(report.frames.tcp >= 10 && report.damage.is_none() && report.cut.is_none());
        check(&report, &all);
    }
    let captures = [others(), captures].concat();
    let options = Options { most_connections: 4, most_outstanding: 6, ..Options::default() };
    let mut analysed = 0;
    for index in 0..count {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let bytes = broken(&mut random, &captures);
        let file = bytes.clone();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut all = Everything::default();
            match analyze(Cursor::new(file), options, &mut all) {
                Ok(report) => {
                    check(&report, &all);
                    report.frames.tcp
                }
                Err(error) => {
                    assert!(!error.to_string().contains('\n'));
                    0
                }
            }
        }));
        match outcome {
            Ok(packets) => analysed += packets,
            Err(_) => panic!("capture {index} of seed {seed} fails: {bytes:?}"),
        }
    }
    assert!(PEAK.load(Ordering::Relaxed) < MOST_BYTES, "{} bytes", PEAK.load(Ordering::Relaxed));
    assert!(analysed > count / 2, "hardly any packet was analysed: {analysed}");
}
