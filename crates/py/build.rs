//! Makes the simulator's identity a constant of the crate.

use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../.."); // cargo runs this in the package's folder
    for source in identity::sources() {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    println!("cargo::rustc-env=DUMBBELL_IDENTITY={}", identity::identity(root)?);
    Ok(())
}
