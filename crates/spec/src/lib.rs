//! The spec: text in, resolved runs out; with everything that is wrong with it at once.
//!
//! It knows no file system, no Python and no page, all of which call it: [`parse`] or words of one's own, then
//! [`Experiment::load`], then [`Experiment::point`] and [`Point::resolve`]. Every key is data in `keys`.

mod amount;
mod catalogue;
mod chance;
mod change;
mod control;
mod derived;
mod description;
mod expectation;
mod experiment;
mod file;
mod impairment;
mod inspection;
mod key;
mod keys;
mod link;
mod literal;
mod names;
mod network;
mod number;
mod place;
mod placeholder;
mod point;
mod problem;
mod qdisc;
mod quantity;
mod reader;
mod resolve;
mod rules;
mod run_id;
mod schema;
mod source;
mod sweep;
mod tree;
mod wish;
mod word;
mod writer;

pub use amount::{Rooms, amounts, rooms};
pub use control::{Choice, LINUX, Registry, VARIANTS, choose};
pub use description::{Description, descriptions};
pub use expectation::Expectation;
pub use experiment::{Experiment, Seeds};
pub use file::Files;
pub use link::{Link, LinkKey, completed, links};
pub use placeholder::NAMES as PLACEHOLDERS;
pub use point::Point;
pub use problem::{Problem, Refusal, suggestion, visible};
pub use qdisc::disciplines;
pub use quantity::{KINDS, Kind as QuantityKind, Quantity, magnitude, number_and_unit};
pub use resolve::{Resolved, rtt_offset_ns, start_jitter_ns};
pub use run_id::run_id;
pub use schema::schema;
pub use source::{assignment, is_path, parse, set};
pub use sweep::{Axis, MOST_POINTS};
pub use wish::instead_of;
pub use word::{Fields, Word};
pub use writer::toml;
