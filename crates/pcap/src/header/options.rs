//! TCP's options.

use super::u32_of;

/// A range that the receiver has out of order, or twice (RFC 2018, 2883).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// Its first sequence number.
    pub start: u32,
    /// The one behind its last.
    pub end: u32,
}

/// The options of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The maximum segment size, bytes.
    pub mss: Option<u16>,
    /// The window's shift (RFC 7323 section 2).
    pub window_scale: Option<u8>,
    /// Whether selective acknowledgements are allowed.
    pub sack_permitted: bool,
    /// TSval and TSecr (RFC 7323 section 3).
    pub timestamps: Option<(u32, u32)>,
    /// How many options of other kinds there are.
    pub others: u8,
    /// Whether an option's length is impossible.
    pub malformed: bool,
    /// Whether the capture lacks some of the bytes.
    pub cut: bool,
    sack: [SackBlock; 4],
    sack_count: u8,
}

impl Options {
    /// Of the bytes captured of `total` bytes.
    #[inline]
    pub(super) fn of(bytes: &[u8], total: usize) -> Self {
        let mut options = Self { cut: bytes.len() < total, ..Self::default() };
        // What nearly all segments of a connection have (RFC 7323 appendix A).
        if bytes.len() == 12 && bytes[..4] == [1, 1, 8, 10] {
            options.timestamps = Some((u32_of(bytes, 4), u32_of(bytes, 8)));
        } else {
            options.read(bytes);
        }
        options
    }

    fn read(&mut self, mut bytes: &[u8]) {
        loop {
            let value = match *bytes {
                [] | [0, ..] => return,
                [1, ref rest @ ..] => {
                    bytes = rest;
                    continue;
                }
                // The length is not captured, or wrong.
                [_] => return self.malformed |= !self.cut,
                [_, 0 | 1, ..] => return self.malformed = true,
                [_, length, ..] => match bytes.get(2..usize::from(length)) {
                    Some(value) => value,
                    None => return self.malformed |= !self.cut,
                },
            };
            match (bytes[0], value.len()) {
                (2, 2) => self.mss = Some(u16::from_be_bytes([value[0], value[1]])),
                // RFC 7323 section 2.3: more than 14 is to be taken as 14.
                (3, 1) => self.window_scale = Some(value[0].min(14)),
                (4, 0) => self.sack_permitted = true,
                (5, length) if length % 8 == 0 => self.read_sack(value),
                (8, 8) => self.timestamps = Some((u32_of(value, 0), u32_of(value, 4))),
                (2..=5 | 8, _) => self.malformed = true,
                _ => self.others = self.others.saturating_add(1),
            }
            bytes = &bytes[2 + value.len()..];
        }
    }

    fn read_sack(&mut self, value: &[u8]) {
        self.sack_count = 0;
        for (block, bytes) in self.sack.iter_mut().zip(value.chunks_exact(8)) {
            *block = SackBlock { start: u32_of(bytes, 0), end: u32_of(bytes, 4) };
            self.sack_count += 1;
        }
    }

    /// The selective acknowledgements.
    #[inline]
    pub fn sack(&self) -> &[SackBlock] {
        &self.sack[..usize::from(self.sack_count)]
    }
}
