//! A stream as it was before gzip or zstd compressed it.

use std::io::{self, Cursor, ErrorKind, Read};

/// Decompresses what begins as gzip or zstd does, and gives anything else as it is. The name says which.
pub fn decompressed(mut read: impl Read + Send + 'static) -> io::Result<(Box<dyn Read + Send>, Option<&'static str>)> {
    let mut head = [0; 4];
    let mut count = 0;
    while count < head.len() {
        match read.read(&mut head[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let stream = Cursor::new(head).take(count as u64).chain(read);
    Ok(match head {
        // RFC 1952 section 2.3.1; several members in a row are one stream (section 2.2).
        [0x1f, 0x8b, ..] => (Box::new(flate2::read::MultiGzDecoder::new(stream)), Some("gzip")),
        // RFC 8878 section 3.1.1; the decoder refuses windows over 128 MiB.
        [0x28, 0xb5, 0x2f, 0xfd] => (Box::new(zstd::stream::read::Decoder::new(stream)?), Some("zstd")),
        _ => (Box::new(stream), None),
    })
}
