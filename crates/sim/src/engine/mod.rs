//! The order of events, the clock, and the random streams.

mod event_queue;
mod prefetch;
mod stream;
mod timers;
mod wheel;

pub use event_queue::{Event, EventQueue, Timer};
pub use prefetch::prefetch;
pub use stream::{Stream, stream, stream_seed};
pub use timers::Timers;
pub use wheel::{jiffies, on_wheel};
