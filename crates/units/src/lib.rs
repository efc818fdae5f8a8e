//! Instants, spans, sizes and rates as integers in base units: nanoseconds, bytes, bits per second.
//!
//! An instant and a span are different types, so that they cannot be mixed up, and nothing here rounds in
//! secret: where a division leaves a remainder, the caller is given it or names the direction of rounding.

mod conversion;
mod extremum;
mod product;
mod rate;
mod size;
mod time;

pub use conversion::{burst_bytes, list_place, low_bits, millionths, ring_slot, window_segments};
pub use extremum::WindowedExtremum;
pub use product::saturating_product;
pub use rate::{ExactSpan, Rate};
pub use size::{Bytes, Segments};
pub use time::{Span, Time};
