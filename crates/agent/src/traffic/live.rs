//! [`Live`]: what a run's flows do, as lines of JSON that somebody reads while the run goes on.

use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// No two lines are of the same of these times: a person sees no more than five a second.
const LEAST_INTERVAL_NS: u64 = 200_000_000;
/// And for each flow: a line of many flows takes time that is the run's.
const INTERVAL_NS_PER_FLOW: u64 = 1_000_000;

/// One flow at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LiveFlow {
    /// Payload delivered in order; 0 where nobody here sees the receiver.
    pub delivered_bytes: u64,
    /// Payload acknowledged to the sender. The kernel counts SYN and FIN, a byte each.
    pub acked_bytes: u64,
    /// Segments sent again.
    pub retransmitted_segments: u64,
    /// Smoothed round-trip time, of several connections the mean; 0: none yet.
    pub srtt_us: u32,
    /// Congestion window, of several connections the sum.
    pub cwnd_segments: u32,
    /// It has started and is not over.
    pub running: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    at_ns: u64,
    flows: &'a [LiveFlow],
}

/// The file that gets the lines, at most five a second.
#[derive(Debug)]
pub struct Live {
    /// None: it could not be written, which ends the lines and not the run.
    file: Option<File>,
    interval_ns: u64,
    /// When the next line is due.
    next_ns: u64,
}

impl Live {
    /// Of a run with so many flows. Lines are added to the file, which their reader may empty.
    pub fn open(path: &Path, flows: usize) -> Self {
        let file = OpenOptions::new().append(true).create(true).open(path).ok();
        Self { file, interval_ns: LEAST_INTERVAL_NS.max(flows as u64 * INTERVAL_NS_PER_FLOW), next_ns: 0 }
    }

    /// Whether a line is to be written now.
    pub const fn is_due(&self, now_ns: u64) -> bool {
        self.file.is_some() && now_ns >= self.next_ns
    }

    /// Writes a line, all of it at once.
    pub fn write(&mut self, at_ns: u64, flows: &[LiveFlow]) {
        self.next_ns = (at_ns / self.interval_ns + 1) * self.interval_ns;
        let written = serde_json::to_vec(&Line { at_ns, flows }).map_err(std::io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.file.as_ref().map_or(Ok(line.len()), |mut file| file.write(&line)).map(|bytes| bytes == line.len())
        });
        if !written.unwrap_or(false) {
            self.file = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: LiveFlow = LiveFlow {
        delivered_bytes: 1_000,
        acked_bytes: 900,
        retransmitted_segments: 3,
        srtt_us: 25_000,
        cwnd_segments: 10,
        running: true,
    };

    /// What a run has left that is sampled every 50 ms for a second.
    fn written(flows: usize) -> Vec<serde_json::Value> {
        let path = std::env::temp_dir().join(format!("dumbbell-live-{}-{flows}", std::process::id()));
        let mut live = Live::open(&path, flows);
        for at_ns in (50_000_000..=1_000_000_000).step_by(50_000_000) {
            if live.is_due(at_ns) {
                live.write(at_ns, &vec![FLOW; flows]);
            }
        }
        let text = std::fs::read_to_string(&path).expect("the lines");
        std::fs::remove_file(&path).expect("a file");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn there_are_at_most_five_lines_a_second() {
        let lines = written(1);
        let at_ms: Vec<u64> = lines.iter().map(|line| line["at_ns"].as_u64().expect("a time") / 1_000_000).collect();
        assert_eq!(at_ms, [50, 200, 400, 600, 800, 1000]);
        let flow = serde_json::json!({
            "delivered_bytes": 1_000, "acked_bytes": 900, "retransmitted_segments": 3, "srtt_us": 25_000,
            "cwnd_segments": 10, "running": true,
        });
        assert_eq!(lines[0]["flows"], serde_json::json!([flow]));
    }

    #[test]
    fn many_flows_have_fewer_lines() {
        assert_eq!(written(500).len(), 3);
    }

    #[test]
    fn a_full_disk_ends_the_lines_and_no_more() {
        let mut live = Live::open(Path::new("/dev/full"), 1);
        assert!(live.is_due(0));
        live.write(0, &[FLOW]);
        assert!(!live.is_due(u64::MAX));
        assert!(!Live::open(Path::new("/no/such/folder"), 1).is_due(0));
    }
}
