//! The order of events and the clock.

mod event_queue;
mod prefetch;
mod timers;
mod wheel;

pub use event_queue::{Event, EventQueue, Timer};
pub use prefetch::prefetch;
pub use run::{Stream, stream, stream_seed};
pub use timers::Timers;
pub use wheel::{jiffies, on_wheel};
