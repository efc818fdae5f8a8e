//! The order of events, the clock, and the random streams.

mod agenda;
mod stream;

pub use agenda::{Agenda, Event, Timer};
pub use stream::{Stream, stream, stream_seed};
