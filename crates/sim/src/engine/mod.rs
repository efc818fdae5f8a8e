//! The order of events, the clock, and the random streams.

mod agenda;
mod prefetch;
mod stream;
mod timers;

pub use agenda::{Agenda, Event, Timer};
pub use prefetch::prefetch;
pub use stream::{Stream, stream, stream_seed};
pub use timers::Timers;
