//! A real path between two hosts, measured from both ends: small UDP packets that the receiver sends back, stamped by the
//! kernels, and where the path may be loaded one TCP flow that fills it.
//!
//! Both agents live as long as the controller's connection to them, and so does all that they do here. What is concluded from
//! the samples is not theirs.

mod echo;
mod load;
mod reflector;
mod survey;

pub use reflector::{Ports, Reflect};
pub use survey::{PathSamples, Survey};

use crate::failure::Failure;
use nix::sys::socket::{setsockopt, sockopt};
use std::os::fd::AsFd;

/// Time between two samples, and between two echoes beside a flow.
const STEP_NS: u64 = 10_000_000;
/// Room of a socket's buffer, as the flow may need it; only who is root has it.
const BUFFER_BYTES: usize = 1 << 26;

/// Who proves to know it takes part: nobody else is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Token(u64);

impl Token {
    const BYTES: usize = 8;

    const fn bytes(self) -> [u8; Self::BYTES] {
        self.0.to_le_bytes()
    }
}

/// A sample of a receiver's: how much has come of the flow, on its CLOCK_REALTIME.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Arrived {
    /// When it was so.
    at_ns: u64,
    /// Segments with data, those that came twice counted twice (`tcpi_data_segs_in`).
    segments: u64,
    /// Bytes in order.
    bytes: u64,
}

impl Arrived {
    /// As it crosses the path.
    const BYTES: usize = 24;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (place, number) in bytes.chunks_exact_mut(8).zip([self.at_ns, self.segments, self.bytes]) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut numbers = numbers(bytes);
        let mut next = || numbers.next().unwrap_or(0);
        Self { at_ns: next(), segments: next(), bytes: next() }
    }
}

/// The numbers of 8 bytes that a message is made of.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(8).filter_map(|chunk| chunk.try_into().ok().map(u64::from_le_bytes))
}

/// Lets a flow have as much under way as `BUFFER_BYTES`, where this process may; else the kernel's limits hold, and the flow says
/// so by what limits it.
fn enlarge(socket: impl AsFd) {
    setsockopt(&socket, sockopt::RcvBufForce, &BUFFER_BYTES).unwrap_or_default();
    setsockopt(&socket, sockopt::SndBufForce, &BUFFER_BYTES).unwrap_or_default();
}

/// The failure of something that is done with a path.
fn failed(attempt: &'static str) -> impl Fn(nix::errno::Errno) -> Failure {
    move |errno| Failure::of(attempt, errno)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    /// What a survey of the loopback says.
    fn surveyed(load_ms: Option<u32>, reflector_token: u64) -> Result<PathSamples, Failure> {
        let address = Ipv4Addr::LOCALHOST;
        let ports = Reflect { address, token: Token(reflector_token), seconds: 5 }.begin().unwrap();
        Survey { address, to: address, ports, token: Token(7), load_ms, most_bytes: 1 << 24 }.measure()
    }

    #[test]
    fn echoes_come_back_with_stamps_in_order() {
        let samples = surveyed(None, 7).unwrap();
        assert!(samples.load.is_none() && samples.idle.echoes.len() as u32 == samples.idle.sent);
        for echo in &samples.idle.echoes {
            let stamps = [echo.sent_ns, echo.there_ns, echo.left_ns, echo.back_ns];
            assert!(stamps.is_sorted() && stamps[3] - stamps[0] < 1_000_000_000, "{echo:?}");
        }
    }

    #[test]
    fn who_does_not_know_the_token_gets_no_answer() {
        let samples = surveyed(None, 8).unwrap();
        assert_eq!(samples.idle.echoes, []);
        let failure = surveyed(Some(100), 8).unwrap_err();
        assert!(failure.0.contains("echo"), "{failure}");
    }

    #[test]
    fn a_flow_ends_with_its_bytes_or_its_time() {
        let samples = surveyed(Some(2_000), 7).unwrap();
        let load = samples.load.unwrap();
        let last = *load.arrived.last().unwrap();
        assert_eq!((load.sent_bytes, last.bytes), (1 << 24, (1 << 24) + Token::BYTES as u64));
        assert!(last.segments > 0 && load.mss_bytes > 1_000 && load.took_ns < 1_000_000_000);
        let refused = surveyed(Some(20_000), 7).unwrap_err();
        assert!(refused.0.contains("10000"), "{refused}");
    }

    #[test]
    fn a_sample_crosses_the_path_as_it_is() {
        let sample = Arrived { at_ns: u64::MAX, segments: 3, bytes: 1 << 40 };
        assert_eq!(Arrived::from_bytes(&sample.to_bytes()), sample);
    }
}
