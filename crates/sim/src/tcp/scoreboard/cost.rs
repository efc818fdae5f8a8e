//! What the scoreboard costs by itself: `cargo test --release -p sim scoreboard::cost -- --ignored --nocapture` prints one
//! plain table.

use super::Scoreboard;
use crate::net::SackBlock;
use std::hint::black_box;

/// Segments sent in each row.
const SEGMENTS: u64 = 4_000_000;
/// Segments in flight.
const WINDOW: u64 = 200;

/// What is repeated.
type Round = fn(&mut Scoreboard);

/// Fills the window with bursts of two.
fn fill(board: &mut Scoreboard) {
    while u64::from(board.out()) < WINDOW {
        for _ in 0..2 {
            let next = board.next();
            board.append((next + 1) * 1_448).sent_us = next;
        }
        board.end_buffer();
    }
}

/// ACKs of two segments each, in order.
fn in_order(board: &mut Scoreboard) {
    fill(board);
    black_box(board.acknowledge_plain(board.una() + 2));
}

/// Of each window the first segment is missing: the others are SACKed by `step`, it is sent again, and all is acknowledged.
fn behind_a_hole(board: &mut Scoreboard, step: u64) {
    fill(board);
    let hole = board.una();
    let mut block = SackBlock { start: hole + 1, end: hole + 1 };
    while block.end < hole + WINDOW {
        block.end = (block.end + step).min(hole + WINDOW);
        let mut from = board.first_news(block);
        while let Some(row) = black_box(board.sack(from, block.end)) {
            from = row.end;
        }
        board.remember(&[block]);
    }
    board.mark_lost(hole);
    while let Some(seq) = board.first_waiting() {
        board.retransmit(seq, board.next(), true);
    }
    while board.out() > 0 {
        black_box(board.acknowledge(hole + WINDOW));
    }
    board.detect_losses(|_, _| super::Verdict::Keep);
}

#[test]
#[ignore = "it measures time"]
#[expect(clippy::print_stdout, reason = "the table is what it is for")]
#[expect(clippy::disallowed_methods, reason = "a bench measures the wall clock")]
fn table() {
    let rows: [(&str, Round); 4] = [
        ("acknowledged by two in order", in_order),
        ("SACKed one by one behind a hole", |board| behind_a_hole(board, 1)),
        ("SACKed by two behind a hole", |board| behind_a_hole(board, 2)),
        ("SACKed by 44 behind a hole", |board| behind_a_hole(board, 44)),
    ];
    println!("{:<34} {:>11}", "segments", "ns/segment");
    for (name, round) in rows {
        let mut nanos: Vec<f64> = (0..5)
            .map(|_| {
                let mut board = Scoreboard::new();
                let start = std::time::Instant::now();
                while board.next() < SEGMENTS {
                    round(&mut board);
                }
                start.elapsed().as_secs_f64() * 1e9 / board.next() as f64
            })
            .collect();
        nanos.sort_by(f64::total_cmp);
        println!("{name:<34} {:>11.2}", nanos[2]);
    }
}
