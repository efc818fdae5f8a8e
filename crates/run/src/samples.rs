//! Runs for tests and benches: templates, of which each changes only the fields that matter to it.

use crate::{
    AlgorithmChoice, Buffer, CapturePoints, Direction, Ecn, Flow, Hop, Host, Impairments, LossAt, Measure, Path,
    Police, Qdisc, QueueDiscipline, Record, Route, Run, ShaperAt, ShaperKind, Sizes, SocketMemory, Spacing, Think,
    Workload,
};

/// A full frame at an MTU of 1500 bytes.
pub const FRAME_BYTES: u64 = 1_514;

/// One bulk flow of the algorithm `cc` for so many seconds over a plain line, all of the delay on the return side.
/// Every gauge is kept every 10 ms; the window is the whole run.
pub fn one_flow(cc: &str, rate_bps: u64, rtt_ns: u64, buffer_bytes: u64, seconds: u64) -> Run {
    let duration_ns = seconds * 1_000_000_000;
    Run {
        seed: 1,
        duration_ns,
        until_done: false,
        path: Path {
            rate_bps,
            buffer: Buffer::Bytes(buffer_bytes),
            qdisc: QueueDiscipline::Fifo,
            overhead_bytes: crate::ETHERNET_HEADER_BYTES,
            burst_bytes: FRAME_BYTES,
            shaper: ShaperKind::Tbf,
            shaper_at: ShaperAt::Router,
            jitter_ns: Some(0),
            loss_ppb: 0,
            loss_at: LossAt::Before,
            mtu_bytes: 1_500,
            offload: false,
            police: Police::default(),
            impairments: Impairments::default(),
            trace: None,
            changes: Vec::new(),
            hops: Vec::new(),
            bottleneck: 0,
            back: Vec::new(),
        },
        flows: vec![flow(cc, cc, rtt_ns)],
        host: Host {
            socket_memory: SocketMemory::Max,
            receive_window_bytes: None,
            initial_window_segments: 10,
            qdisc: Qdisc::None,
            sack_compression: true,
            gro: false,
            ack_aggregation_ns: 0,
        },
        measure: Measure {
            window_begin_ns: 0,
            window_end_ns: duration_ns,
            sample_ns: 10_000_000,
            record: Record::Series,
            snap_bytes: None,
            capture_at: CapturePoints::default(),
            qlog: false,
            ss_ns: None,
        },
    }
}

/// A plain line with no delay behind it.
pub fn hop(name: &str, rate_bps: u64, buffer_bytes: u64) -> Hop {
    Hop {
        name: name.to_owned(),
        rate_bps,
        buffer: Buffer::Bytes(buffer_bytes),
        qdisc: QueueDiscipline::Fifo,
        delay_ns: 0,
        overhead_bytes: crate::ETHERNET_HEADER_BYTES,
        burst_bytes: FRAME_BYTES,
        shaper: ShaperKind::Tbf,
        loss_ppb: 0,
        loss_at: LossAt::Before,
        police: Police::default(),
        impairments: Impairments::default(),
        changes: Vec::new(),
        trace: None,
    }
}

/// So many bulk flows of one algorithm, `cubic-0` and so on.
pub fn flows(count: usize, cc: &str, rtt_ns: u64) -> Vec<Flow> {
    (0..count).map(|index| flow(&format!("{cc}-{index}"), cc, rtt_ns)).collect()
}

/// Pings from the beginning to the end of the run, each of 64 bytes, so many nanoseconds apart.
pub fn pings(name: &str, every_ns: u64, rtt_ns: u64) -> Flow {
    Flow { cc: None, workload: Workload::Ping { every_ns, bytes: 64 }, ..flow(name, "", rtt_ns) }
}

/// Datagrams of 1200 bytes at even intervals from the beginning to the end of the run, at a rate of payload.
pub fn datagrams(name: &str, rate_bps: u64, rtt_ns: u64) -> Flow {
    let workload = Workload::Datagrams { rate_bps, bytes: 1_200, spacing: Spacing::Even, on_ns: 0, off_ns: 0 };
    Flow { cc: None, workload, ..flow(name, "", rtt_ns) }
}

/// A client of so many connections, whose pages are ten objects of 20 kB each with a second between, requested by 400 bytes.
pub fn pages(name: &str, cc: &str, connections: u32, rtt_ns: u64) -> Flow {
    let (sizes, think) = (Sizes::Fixed(20_000), Think::Fixed(1_000_000_000));
    let workload = Workload::Pages { connections, objects: 10, sizes, request_bytes: 400, think };
    Flow { workload, ..flow(name, cc, rtt_ns) }
}

/// Media from 150 kbit/s to 1.5 Mbit/s from the beginning to the end of the run, with 30 frames a second, each due in 150 ms.
pub fn media(name: &str, rtt_ns: u64) -> Flow {
    let workload = Workload::Media { least_bps: 150_000, most_bps: 1_500_000, frames: 30, deadline_ns: 150_000_000 };
    Flow { cc: None, workload, ..flow(name, "", rtt_ns) }
}

/// A bulk flow from the beginning to the end of the run.
pub fn flow(name: &str, cc: &str, rtt_ns: u64) -> Flow {
    Flow {
        name: name.to_owned(),
        cc: Some(AlgorithmChoice { algorithm: cc.to_owned(), parameters: Default::default() }),
        start_ns: 0,
        stop_ns: None,
        workload: Workload::Bulk,
        forward_delay_ns: 0,
        return_delay_ns: rtt_ns,
        access: None,
        direction: Direction::Down,
        route: Route::default(),
        ecn: Ecn::Off,
    }
}
