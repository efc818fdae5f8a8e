//! [`ConnectionId`]: the name of a connection, in wake-ups and in what readers tell.

/// Which connection: no two that are open have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionId {
    /// Index of its flow, which its receiver's port tells.
    pub flow: usize,
    /// Its sender's port.
    pub port: u16,
}

impl ConnectionId {
    /// As a number of at most 61 bits.
    pub const fn number(self) -> u64 {
        (self.flow as u64) << u16::BITS | self.port as u64
    }

    /// Whose number that is.
    pub const fn of_number(number: u64) -> Self {
        Self { flow: (number >> u16::BITS) as usize, port: number as u16 }
    }
}
