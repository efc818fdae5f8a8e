//! The network: one bottleneck with its queue, lines of constant delay, random loss.

mod fair_queue;
mod line;
mod link;
mod network;
mod packet;

pub use network::{Departed, Network};
pub use packet::{Ack, MAX_SACK_BLOCKS, Packet, PacketKind, SackBlock, buffer_bytes};
