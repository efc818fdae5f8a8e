//! Captures made by hand, and what the crate says of them.

mod connections;
mod data;
mod ecn_and_windows;
mod files;
mod headers;
mod pair;
mod rtt;
mod support;
mod wireshark;
