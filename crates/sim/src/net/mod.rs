//! The network: one bottleneck with its queue, lines of constant delay, random loss.

mod line;
mod link;
mod network;
mod nic;
mod packet;

pub use network::{Departed, Network};
pub use packet::{Ack, MAX_SACK_BLOCKS, Packet, PacketKind, SackBlock};
