//! What of a spec is drawn by chance before a run: when short transfers arrive and how large they are, within what a flow
//! starts later, and its path is longer.
//!
//! One truth for the package and for the page in a browser, both of which ask with a [`Request`]. What is drawn follows from
//! the seed and a name, and is the same on every platform: bytes of SHA-2 and SHAKE, and `libm`'s logarithms and powers,
//! since those of C libraries and browsers differ in their last bit.

mod arrivals;
mod normal;
mod sizes;
mod stream;

pub use arrivals::{Arrivals, Endless, LARGEST_BYTES, SizesOf};
pub use sizes::{Least, Middle, Sizes};
pub use stream::Below;

use serde::{Deserialize, Serialize};
use sizes::Distribution;

/// What may be asked.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// A whole number below a bound.
    Below(Below),
    /// The mean of a distribution, in bytes.
    MeanBytes(Sizes),
    /// Sizes alone.
    Sizes(SizesOf),
    /// Transfers by chance: when each arrives, and its bytes.
    Arrivals(Arrivals),
}

/// What is given.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To [`Request::Below`].
    Below(u64),
    /// To [`Request::MeanBytes`]; without a mean, null.
    MeanBytes(Option<f64>),
    /// To [`Request::Sizes`].
    Sizes(Vec<u64>),
    /// To [`Request::Arrivals`]: ns after the flow's start, bytes.
    Arrivals(Vec<(u64, u64)>),
}

impl Request {
    /// Draws.
    ///
    /// # Errors
    /// When it would not end.
    pub fn answer(self) -> Result<Answer, Endless> {
        Ok(match self {
            Self::Below(below) => Answer::Below(below.drawn()),
            Self::MeanBytes(sizes) => {
                Answer::MeanBytes(Some(Distribution::from(sizes).mean_bytes()).filter(|mean| mean.is_finite()))
            }
            Self::Sizes(sizes) => Answer::Sizes(sizes.drawn()),
            Self::Arrivals(arrivals) => Answer::Arrivals(arrivals.drawn()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(request: &str) -> String {
        let request: Request = serde_json::from_str(request).expect("a request");
        serde_json::to_string(&request.answer().expect("an answer")).expect("json")
    }

    #[test]
    fn a_request_is_words_of_a_spec_in_base_units() {
        let below = r#"{"below":{"what":"start_jitter","seed":1,"name":"bbr","below":100000000}}"#;
        assert_eq!(answered(below), "42586879");
        assert_eq!(answered(r#"{"mean_bytes":{"fixed":1000}}"#), "1000.0");
        assert_eq!(answered(r#"{"mean_bytes":{"pareto":{"minimum":1000,"shape":0.9}}}"#), "null");
        let sizes = r#"{"sizes":{"seed":1,"name":"web","sizes":{"fixed":7},"count":2}}"#;
        assert_eq!(answered(sizes), "[7,7]");
        let arrivals = r#"{"arrivals":{"seed":1,"name":"web","per_s":50.0,"count":2,
            "sizes":{"lognormal":{"mean":100000,"sigma":1.5}}}}"#;
        assert_eq!(answered(arrivals), "[[20270991,24923],[28579360,8740]]");
    }

    #[test]
    fn arrivals_need_an_end() {
        let request = r#"{"arrivals":{"seed":1,"name":"web","per_s":50,"sizes":{"fixed":1}}}"#;
        let request: Request = serde_json::from_str(request).expect("a request");
        assert!(request.answer().is_err());
    }
}
