//! The packets of a run of the simulator, analysed without a file: for the tests of estimates, and their evaluation.

use pcap::file::Frame;
use pcap::summary::ConnectionSummary;
use pcap::{Analysis, Options, Report, RunPackets, Sink};
use run::{CapturePoint, Run, Seen};

const ETHERNET: u32 = 1;

#[derive(Default)]
struct Connections(Vec<ConnectionSummary>);

impl Sink for Connections {
    fn connection(&mut self, summary: ConnectionSummary) {
        self.0.push(summary);
    }
}

/// The same run, captured.
fn captured(run: &Run) -> Run {
    let mut run = run.clone();
    run.measure.snap_bytes = Some(96);
    run
}

/// What is concluded from the packets that pass a place from a time on: connections in the order of flows.
pub fn analysed_from(run: &Run, place: CapturePoint, from_ns: u64) -> (Vec<ConnectionSummary>, Report) {
    let mut sink = Connections::default();
    let mut analysis = Analysis::new(Options::default(), &mut sink);
    let packets = RunPackets::new(run);
    let (mut bytes, mut number) = (Vec::new(), 0);
    let measured = sim::capture(&captured(run), &mut |frames| {
        for seen in frames {
            let Seen::Passed(frame) = seen else { continue };
            if !(frame.point == place && frame.at_ns >= from_ns) {
                continue;
            }
            bytes.clear();
            packets.write(&frame, &mut bytes);
            number += 1;
            analysis.frame(&Frame {
                number,
                time_ns: frame.at_ns.cast_signed(),
                interface: 0,
                link_type: ETHERNET,
                captured: &bytes,
                wire_bytes: bytes.len() as u32 + frame.payload_bytes,
            });
        }
        true
    });
    assert!(measured.is_ok(), "{measured:?}");
    let report = analysis.finish();
    sink.0.sort_by_key(|connection| connection.client.address);
    (sink.0, report)
}
