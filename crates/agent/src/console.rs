//! What the agent tells its console, which is its standard error.

use std::io::Write;

/// Tells a line, in one write: `eprintln` writes each piece of its format by itself, and who is killed between two of
/// them leaves half a line. If the console cannot be written nobody can be told.
pub fn print_line(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap_or_default();
}
