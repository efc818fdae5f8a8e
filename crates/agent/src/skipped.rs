//! Tests that cannot find out anything where they run: they pass, but not in silence.

use crate::console;
use crate::error::Error;

/// The variable of the environment that services of continuous integration set, GitHub's and GitLab's among them.
const CI: &str = "CI";

/// Tells that the calling test ends here, because the kernel refused. It does so on standard error itself: what a test
/// that passes gives to `eprintln` nobody sees.
///
/// # Panics
/// In continuous integration without root: there somebody counts on what the test would have found.
pub fn skip(error: &Error) {
    let is_refused = error.to_string().contains("EPERM");
    assert!(!is_refused || std::env::var_os(CI).is_none(), "this test needs root: {error}");
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    console::print_line(&format!("skipped {test}: it needs root and a kernel with veth and tbf: {error}"));
}
