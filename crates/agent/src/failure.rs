//! [`Failure`]: why a job could not be carried out, in words for whoever reads the outcome.

use std::fmt::Display;

/// What was attempted and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

impl Failure {
    /// The failure of `attempt`, e.g. "bind 10.0.0.1:30000", for a `reason`.
    pub fn of(attempt: impl Display, reason: impl Display) -> Self {
        Self(format!("{attempt}: {reason}"))
    }
}
