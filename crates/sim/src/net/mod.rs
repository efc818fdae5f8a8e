//! The network: hosts, hops with a queue, a shaper and random loss, and lines of constant delay.

mod fair_queue;
mod hop;
mod host;
mod jitter;
mod line;
mod loss;
mod network;
mod nic;
mod packet;
mod queue;
mod shaper;
mod waiting;

pub use network::{Departed, Network};
pub use packet::{Ack, Ecn, MAX_SACK_BLOCKS, Marks, Packet, PacketKind, SackBlock};
pub use waiting::Waiting;
