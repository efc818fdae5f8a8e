//! [`Hello`]: which agent this is, and where it runs.

use crate::failure::Failure;
use nix::sys::utsname::uname;
use rustix::process::geteuid;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The file that this process is executed from, whatever its name is by now.
const EXECUTABLE: &str = "/proc/self/exe";

#[derive(Debug, Serialize)]
pub struct Hello {
    version: &'static str,
    /// Of this program's bytes, hexadecimal.
    sha256: String,
    architecture: &'static str,
    /// The kernel's release, as "6.1.0-13-amd64".
    kernel: String,
    uid: u32,
    /// Cores that this process may use.
    cores: usize,
}

impl Hello {
    /// # Errors
    /// There is no `/proc`, or the kernel has no name.
    pub fn new() -> Result<Self, Failure> {
        let bytes = std::fs::read(EXECUTABLE).map_err(|error| Failure::of(format!("read {EXECUTABLE}"), error))?;
        let kernel = uname().map_err(|errno| Failure::of("name the kernel", errno))?;
        let cores = std::thread::available_parallelism().map_err(|error| Failure::of("count cores", error))?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            sha256: Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
            architecture: std::env::consts::ARCH,
            kernel: kernel.release().to_string_lossy().into_owned(),
            uid: geteuid().as_raw(),
            cores: cores.get(),
        })
    }
}
