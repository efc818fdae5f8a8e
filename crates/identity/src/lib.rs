//! The simulator's identity: a hash of what decides the bytes of a measurement, and of nothing else.
//!
//! That is the code of the model's crates as the compiler reads it, without comments and tests, and the locked versions
//! of the packages that they use. What cannot be seen so is an error: an identity that misses something has old runs
//! answer for a new model.

mod code;
mod packages;

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

/// The crates that decide a measurement's bytes.
const MODEL: [&str; 4] = ["units", "run", "cc", "sim"];

/// Why there is no identity.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

/// The files and folders, below the workspace's root, that [`identity`] reads.
pub fn sources() -> impl Iterator<Item = String> {
    let parts = MODEL.iter().flat_map(|name| [format!("crates/{name}/src"), format!("crates/{name}/Cargo.toml")]);
    parts.chain(["Cargo.toml".to_owned(), "Cargo.lock".to_owned()])
}

/// The identity of the simulator in the workspace at `root`, in hexadecimal digits.
///
/// # Errors
///
/// A source or a manifest cannot be read, or has something that the identity cannot see.
pub fn identity(root: &Path) -> Result<String, Error> {
    let mut parts = Parts(Sha256::new());
    for name in MODEL {
        code::add(root, name, &mut parts)?;
    }
    packages::add(root, &mut parts)?;
    Ok(parts.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What is hashed, one text after the other; lengths separate them.
struct Parts(Sha256);

impl Parts {
    fn add(&mut self, part: &str) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error(format!("{}: {error}", path.display())))
}
