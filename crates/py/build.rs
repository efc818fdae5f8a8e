//! Computes the simulator's identity: a hash of everything that decides its bytes.

use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The crates that decide a measurement's bytes; `Cargo.lock` has the versions of what they use.
const MODEL: [&str; 4] = ["units", "run", "cc", "sim"];

fn main() -> io::Result<()> {
    let root = Path::new("../.."); // cargo runs this in the package's folder
    let mut files = Vec::new();
    let parts = MODEL.iter().flat_map(|name| [format!("crates/{name}/src"), format!("crates/{name}/Cargo.toml")]);
    for part in parts.chain(["Cargo.lock".to_owned()]) {
        println!("cargo::rerun-if-changed={}", root.join(&part).display());
        collect(&root.join(part), &mut files)?;
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
