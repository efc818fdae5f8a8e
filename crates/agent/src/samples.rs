//! Runs for tests.

use run::{Buffer, Controller, Flow, Host, LossAt, Measure, Path, Qdisc, Record, Run, SocketMemory, Workload};
use std::collections::BTreeMap;

/// `flows` bulk flows of Reno on 80 Mbit/s and 25 ms with a buffer of one BDP, for 10 s.
pub fn run(flows: usize) -> Run {
    let flow = |i: usize| Flow {
        name: format!("reno-{i}"),
        cc: Controller { algorithm: "reno".to_owned(), parameters: BTreeMap::new() },
        start_ns: 0,
        stop_ns: None,
        workload: Workload::Bulk,
        forward_delay_ns: 0,
        return_delay_ns: 25_000_000,
        access: None,
    };
    Run {
        seed: 1,
        duration_ns: 10_000_000_000,
        until_done: false,
        path: Path {
            rate_bps: 80_000_000,
            buffer: Buffer::Bytes(250_000),
            burst_bytes: 5_000,
            loss_ppb: 0,
            loss_at: LossAt::Before,
            mtu_bytes: 1_500,
            offload: false,
            changes: Vec::new(),
        },
        flows: (0..flows).map(flow).collect(),
        host: Host {
            socket_memory: SocketMemory::Max,
            receive_window_bytes: None,
            initial_window_segments: 10,
            qdisc: Qdisc::None,
            sack_compression: true,
        },
        measure: Measure {
            window_begin_ns: 0,
            window_end_ns: 10_000_000_000,
            sample_ns: 50_000_000,
            record: Record::Series,
        },
    }
}
