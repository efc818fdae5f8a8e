//! Reads a resolved run as JSON on standard input and prints its measurement as JSON: the engine without Python.

use std::io::{Error, stdin, stdout};

fn main() -> Result<(), Error> {
    let run: run::Run = serde_json::from_reader(stdin().lock())?;
    let measurement = sim::measure(&run).map_err(|problems| Error::other(format!("{problems:?}")))?;
    serde_json::to_writer(stdout().lock(), &measurement)?;
    Ok(())
}
