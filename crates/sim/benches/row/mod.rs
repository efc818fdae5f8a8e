//! A row of a bench: what an operation costs.

use std::time::Instant;

/// Short enough, a few ms, and so many that some of them are not interrupted by what else the machine does.
const ROUNDS: usize = 41;

/// Prints the least time of several rounds over the operations of each, which it gives.
#[expect(clippy::print_stdout, reason = "the table is what the bench is for")]
#[expect(clippy::disallowed_methods, reason = "a bench measures the wall clock")]
pub fn row(name: &str, operation: &str, mut round: impl FnMut() -> u64) {
    let rounds = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        let operations = round();
        begin.elapsed().as_nanos() as f64 / operations as f64
    });
    println!("{name:<54} {:>9.1} ns / {operation}", rounds.fold(f64::INFINITY, f64::min));
}
