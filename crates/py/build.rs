//! Computes the simulator's identity: a hash of everything that decides its bytes.

use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// What decides a measurement's bytes: the model's sources and the versions of what they use.
const SOURCES: [&str; 5] = ["crates/units", "crates/run", "crates/cc", "crates/sim", "Cargo.lock"];

fn main() -> io::Result<()> {
    let root = Path::new("../.."); // cargo runs this in the package's folder
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
        collect(&root.join(source), &mut files)?;
    }
    println!("cargo::rustc-env=DUMBBELL_IDENTITY={}", identity(root, &mut files)?);
    Ok(())
}

/// Every file below `path`, or `path` itself.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

/// Hash of names and contents in the order of names; lengths separate them.
fn identity(root: &Path, files: &mut [PathBuf]) -> io::Result<String> {
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let name = file.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        for part in [name.as_bytes(), &fs::read(&*file)?] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
