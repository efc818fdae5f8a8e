//! Formats, byte orders, clocks and compression; files that are cut or damaged.

use crate::support::{
    Captured, Everything, MSS, ack, block, enhanced, ethernet, handshake, interface, pcap_file, pcapng_file, read,
    section, segments,
};
use pcap::file::{FileError, Reader};
use pcap::{Options, analyze};
use std::io::{Cursor, Read, Write};

fn frames() -> Vec<Captured> {
    let mut packets = handshake(0, 500, true);
    packets.extend(segments(600, 7, 0, 5));
    packets.push(ack(1200, 1 + 5 * MSS));
    ethernet(&packets, 96)
}

fn read_frames(read: impl Read + Send + 'static) -> (Vec<Captured>, Reader) {
    let mut reader = Reader::new(read).unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        assert_eq!(frame.number, frames.len() as u64 + 1);
        frames.push(Captured { ns: frame.time_ns, bytes: frame.captured.to_vec(), wire: frame.wire_bytes });
    }
    (frames, reader)
}

/// Gives one byte at a time, as a slow pipe may.
struct Drops(Cursor<Vec<u8>>);

impl Read for Drops {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let one = buffer.len().min(1);
        self.0.read(&mut buffer[..one])
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_format_or_compression_changes_no_frame() {
    let frames = frames();
    let (classic, sections) = (pcap_file(1, &frames), pcapng_file(1, &frames));
    for file in [&classic, &sections] {
        assert_eq!(read_frames(Cursor::new(file.clone())).0, frames);
        assert_eq!(read_frames(Drops(Cursor::new(file.clone()))).0, frames);
        let (gzipped, reader) = read_frames(Cursor::new(gzip(file)));
        assert_eq!((gzipped, reader.compression()), (frames.clone(), Some("gzip")));
        let (zstd, reader) = read_frames(Cursor::new(zstd::encode_all(&file[..], 3).unwrap()));
        assert_eq!((zstd, reader.compression()), (frames.clone(), Some("zstd")));
        // Several members are one stream.
        let (first, second) = file.split_at(100);
        assert_eq!(read_frames(Cursor::new([gzip(first), gzip(second)].concat())).0, frames);
    }
    assert_eq!(Reader::new(Cursor::new(classic)).unwrap().format(), "pcap");
    assert_eq!(Reader::new(Cursor::new(sections)).unwrap().format(), "pcapng");
}

#[test]
fn pcap_has_two_byte_orders_and_two_clocks() {
    for (magic, tick) in [(0xa1b2_c3d4_u32, 1000), (0xa1b2_3c4d, 1)] {
        for big in [false, true] {
            let word = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
            let half = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
            let mut file = word(magic).to_vec();
            file.extend([half(2), half(4)].concat());
            for value in [0, 0, 65_535, 101, 7, 123_456, 3, 1500] {
                file.extend(word(value));
            }
            file.extend([1, 2, 3]);
            let expected = Captured { ns: 7_000_000_000 + 123_456 * tick, bytes: vec![1, 2, 3], wire: 1500 };
            assert_eq!(read_frames(Cursor::new(file)).0, [expected]);
        }
    }
}

#[test]
fn pcapng_clocks_have_a_resolution_and_an_offset() {
    let frame = &frames()[0];
    let cases: [(&[u8], u64, i64); 5] = [
        (&[], 5_000_007, 5_000_007_000),
        (&[9, 0, 1, 0, 9, 0, 0, 0], 5_000_007, 5_000_007),
        (&[9, 0, 1, 0, 0, 0, 0, 0], 3, 3_000_000_000),
        // 2^10 ticks a second, ten seconds later.
        (&[9, 0, 1, 0, 0x8a, 0, 0, 0, 14, 0, 8, 0, 10, 0, 0, 0, 0, 0, 0, 0], 1536, 11_500_000_000),
        (&[2, 0, 3, 0, b'e', b't', b'h', 0, 9, 0, 1, 0, 12, 0, 0, 0], 1_234_567, 1_234),
    ];
    for (options, ticks, ns) in cases {
        let file = [section(), interface(1, options), enhanced(0, ticks, frame)].concat();
        assert_eq!(read_frames(Cursor::new(file)).0, [Captured { ns, ..frame.clone() }]);
    }
}

#[test]
fn pcapng_has_sections_interfaces_and_packets_of_three_kinds() {
    let frame = &frames()[0];
    let mut old = vec![1, 0, 0, 0];
    for word in [0, 9, frame.bytes.len() as u32, frame.wire] {
        old.extend(word.to_le_bytes());
    }
    old.extend(&frame.bytes);
    let simple = [&frame.wire.to_le_bytes()[..], &frame.bytes].concat();
    let file = [
        section(),
        interface(101, &[]),
        interface(1, &[]),
        enhanced(1, 8, frame),
        block(2, &old),
        block(0xbad, &[1; 40]),
        section(),
        interface(1, &[]),
        block(3, &simple),
    ]
    .concat();
    let mut reader = Reader::new(Cursor::new(file)).unwrap();
    for (interface, ns) in [(1, 8_000), (1, 9_000), (2, 9_000)] {
        let read = reader.next_frame().unwrap().unwrap();
        assert_eq!((read.interface, read.time_ns, read.link_type), (interface, ns, 1));
        assert_eq!((read.captured, read.wire_bytes), (&frame.bytes[..], frame.wire));
    }
    assert_eq!(reader.next_frame().unwrap(), None);
    assert_eq!(reader.untimed_frames(), 1);
}

#[test]
fn a_file_cut_anywhere_gives_all_complete_frames_and_one_note() {
    let frames = frames();
    for file in [pcap_file(1, &frames), pcapng_file(1, &frames)] {
        let mut complete = 0;
        for length in 4..file.len() {
            let (read, reader) = read_frames(Cursor::new(file[..length].to_vec()));
            assert_eq!(read, frames[..read.len()]);
            assert!(read.len() >= complete, "{length}");
            complete = read.len();
            if let Some(cut) = reader.cut() {
                assert_eq!(cut.offset_bytes + cut.present_bytes, length as u64);
                assert!(cut.expected_bytes.is_some_and(|expected| expected > cut.present_bytes), "{cut}");
            }
        }
        assert_eq!(complete, frames.len() - 1);
        let (_, reader) = read_frames(Cursor::new(file[..file.len() - 1].to_vec()));
        let note = reader.cut().unwrap().to_string();
        assert!(note.starts_with("the capture ends inside a ") && note.contains(" at byte "), "{note}");
    }
}

#[test]
fn a_compressed_file_that_is_cut_gives_what_it_has() {
    let frames: Vec<_> = (0..200).flat_map(|_| frames()).collect();
    let file = pcap_file(1, &frames);
    for compressed in [gzip(&file), zstd::encode_all(&file[..], 1).unwrap()] {
        let (read, reader) = read_frames(Cursor::new(compressed[..compressed.len() - 9].to_vec()));
        assert_eq!(read, frames[..read.len()]);
        assert!(reader.cut().is_some_and(|cut| cut.compressed), "{:?}", reader.cut());
    }
}

fn refusal(file: &[u8]) -> FileError {
    analyze(Cursor::new(file.to_vec()), Options::default(), &mut Everything::default()).unwrap_err()
}

#[test]
fn what_is_no_capture_is_refused_with_one_line() {
    assert!(matches!(refusal(b""), FileError::Empty));
    assert_eq!(
        refusal(b"<html>").to_string(),
        "no capture: the stream begins with the bytes 3c 68 74 6d; a pcap file begins with d4 c3 b2 a1 (or its like), \
         a pcapng file with 0a 0d 0d 0a"
    );
    assert!(matches!(refusal(&gzip(b"text")), FileError::Unknown { .. }));
    let mut large = pcap_file(1, &[]);
    large.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0, 0x7f]);
    assert_eq!(
        refusal(&large).to_string(),
        "the capture is damaged at byte 24: a record of 2130706432 bytes; the limit is 16777216"
    );
    let unknown = [section(), enhanced(0, 0, &frames()[0])].concat();
    assert!(refusal(&unknown).to_string().contains("interface 0, which the section does not describe"));
}

#[test]
fn a_file_that_is_damaged_further_on_gives_what_came_before() {
    let frames = frames();
    let mut file = pcapng_file(1, &frames);
    let length = file.len();
    file[length - 2] ^= 1;
    let (report, all) = read(file);
    assert_eq!(report.frames.frames, frames.len() as u64 - 1);
    assert_eq!(all.connections.len(), 1);
    let damage = report.damage.unwrap();
    assert!(damage.starts_with("the capture is damaged at byte ") && damage.contains("whose end says"), "{damage}");
}
