//! Numbers in the byte order of the machine that captured.

/// Which byte comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The most significant one.
    Big,
    /// The least significant one.
    Little,
}

impl Order {
    #[inline]
    pub fn u16(self, bytes: &[u8]) -> u16 {
        match self {
            Self::Big => u16::from_be_bytes(array(bytes)),
            Self::Little => u16::from_le_bytes(array(bytes)),
        }
    }

    #[inline]
    pub fn u32(self, bytes: &[u8]) -> u32 {
        match self {
            Self::Big => u32::from_be_bytes(array(bytes)),
            Self::Little => u32::from_le_bytes(array(bytes)),
        }
    }

    #[inline]
    pub fn i64(self, bytes: &[u8]) -> i64 {
        match self {
            Self::Big => i64::from_be_bytes(array(bytes)),
            Self::Little => i64::from_le_bytes(array(bytes)),
        }
    }
}

/// The first bytes; the caller has made sure that they are there.
#[inline]
pub fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}
