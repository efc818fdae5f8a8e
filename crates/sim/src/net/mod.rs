//! The network: hosts, links with a queue, a shaper and random loss, and lines of constant delay.

mod ack;
mod deliveries;
mod fair_queue;
mod hop;
mod host;
mod jitter;
mod layout;
mod line;
mod link;
mod loss;
mod medium;
mod network;
mod nic;
mod overtaking;
mod packet;
mod queue;
mod shaper;
mod slots;
mod spread;
mod tap;
mod waiting;

pub use ack::{Ack, MAX_SACK_BLOCKS, NO_OPTION, SackBlock};
pub use network::Network;
pub use packet::{Ecn, Marks, Packet, PacketKind, ReportId};
#[cfg(test)]
pub use queue::{DropAt, Queue, RandomDrop};
pub use waiting::Waiting;
