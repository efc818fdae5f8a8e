//! What the packets of a capture say about its TCP connections.
//!
//! [`analyze`] reads a capture as a stream, in memory that does not grow with it, and gives a [`Sink`] rows of packets,
//! bins of time, retransmissions that were needless, and a [`summary::ConnectionSummary`] of each connection. Columns
//! that are named as Wireshark's `tcp.analysis` fields have the same values ([`Marks`]); what Wireshark does not tell
//! apart stands beside them ([`Class`]).

mod ack_samples;
mod algorithm;
mod analysis;
mod capture_file;
mod connection;
mod direction;
mod estimate;
pub mod file;
pub mod header;
mod output;
pub mod pair;
mod path;
mod qlog;
mod quantile;
mod run_files;
mod sink;
pub mod summary;

pub use ack_samples::{FlowAcks, ack_samples};
pub use analysis::{Analysis, FrameCounts, Options, Report, analyze};
pub use capture_file::{CaptureFile, SUFFIX};
pub use direction::Marks;
pub use estimate::{Algorithm, AlgorithmEstimate, AlgorithmEvidence, Estimate, FlowEstimate, PathEstimate};
pub use qlog::QlogFiles;
pub use quantile::Distribution;
pub use run_files::{RunFiles, RunPackets};
pub use sink::{BinCounts, BinRow, Class, PacketRow, Proof, Side, Sink, Spurious};
