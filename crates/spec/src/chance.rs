//! What of a spec is drawn by chance before a run: when short transfers arrive and how large they are, within what a flow
//! starts later, and its path is longer.
//!
//! What is drawn follows from the seed and a name, and is the same on every platform: bytes of SHA-2 and SHAKE, and
//! `libm`'s logarithms and powers, since those of C libraries and browsers differ in their last bit.

mod arrivals;
mod stream;

pub(crate) use arrivals::{Arrivals, SizesOf};
pub(crate) use stream::below;
