//! TCP as Linux does it: sender, receiver, and the mechanisms between them, one file each.

mod ack_delay;
mod ack_summary;
mod acknowledge;
mod burst;
mod control;
mod cwnd_validation;
mod ecn;
mod flights;
mod limits;
mod rack;
mod rate;
mod receiver;
mod recovery;
mod request;
mod retransmission;
mod ring;
mod rtt;
mod sack;
mod scoreboard;
mod segment;
mod send_buffer;
mod sender;
mod state;
mod timeout;
mod timer;
mod timestamps;
mod transmit;
pub mod truesize;
mod undo;
mod window;
mod write_queue;
mod writes;

#[cfg(test)]
mod script;

pub use ecn::EcnMode;
pub use receiver::{Receiver, ReceiverConfig};
pub use request::Requester;
pub use sender::{Algorithm, HandedOver, Output, Sender, SenderConfig};
