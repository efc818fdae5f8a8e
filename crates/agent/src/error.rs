//! [`Error`]: what could not be built, and why.

use nix::errno::Errno;
use std::fmt::Display;

/// A part of the network that the kernel refused, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject}: {reason}")]
pub struct Error {
    subject: String,
    reason: String,
}

impl Error {
    /// `subject` is what was being built or asked, e.g. `veth sender0`.
    pub fn new(subject: impl Display, reason: impl Display) -> Self {
        Self { subject: subject.to_string(), reason: reason.to_string() }
    }

    /// The kernel's error number by its name, with the sentence that came with it, if one did.
    pub fn refused(subject: impl Display, errno: Errno, message: Option<&str>) -> Self {
        Self::new(subject, message.map_or_else(|| format!("{errno:?}"), |message| format!("{errno:?} ({message})")))
    }
}

/// Names the subject of a system call's failure.
pub trait Subject<T> {
    /// The same result, with `subject` in its error.
    fn about(self, subject: impl Display) -> Result<T, Error>;
}

impl<T> Subject<T> for Result<T, Errno> {
    fn about(self, subject: impl Display) -> Result<T, Error> {
        self.map_err(|errno| Error::refused(subject, errno, None))
    }
}

impl<T> Subject<T> for std::io::Result<T> {
    fn about(self, subject: impl Display) -> Result<T, Error> {
        self.map_err(|error| match error.raw_os_error() {
            Some(number) => Error::refused(subject, Errno::from_raw(number), None),
            None => Error::new(subject, error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_subject_and_the_errno() {
        let error = Error::refused("veth near0", Errno::EOPNOTSUPP, None);
        assert_eq!(error.to_string(), "veth near0: EOPNOTSUPP");
        let error = Error::refused("tbf on near1", Errno::ENOENT, Some("Specified qdisc kind is unknown"));
        assert_eq!(error.to_string(), "tbf on near1: ENOENT (Specified qdisc kind is unknown)");
    }
}
