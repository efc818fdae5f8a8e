//! TCP as Linux does it: sender, receiver, and the mechanisms between them, one file each.

mod acknowledge;
mod burst;
mod limits;
mod minimum;
mod rack;
mod rate;
mod receiver;
mod recovery;
mod rtt;
mod sack;
mod scoreboard;
mod sender;
mod serial;
mod timeout;
mod timer;
mod transmit;
mod undo;
mod usage;
mod window;

#[cfg(test)]
mod script;

pub use receiver::{Receiver, ReceiverConfig};
pub use sender::{Algorithm, Output, Sender, SenderConfig};
