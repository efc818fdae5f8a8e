//! What a run says of each connection's two ends.

use crate::engine::stream_seed;
use crate::tcp::{Algorithm, EcnMode, ReceiverConfig, SenderConfig};
use run::{AlgorithmChoice, Ecn, Flow, Qdisc, Run, SocketMemory, Workload};

pub(super) fn receiver_config(run: &Run, flow: &Flow) -> ReceiverConfig {
    let low_water_bytes = low_water_bytes(run, flow);
    ReceiverConfig { host: run.host, mss_bytes: run.path.mss_bytes(), ecn: ecn_mode(flow), low_water_bytes }
}

/// An algorithm that needs ECN is the receiving host's, too: Linux echoes each mark, and takes an offer of ECN that is ECT itself,
/// only there (`tcp_ca_needs_ecn`).
fn ecn_mode(flow: &Flow) -> EcnMode {
    let algorithm = flow.cc.as_ref().and_then(|cc| cc::algorithm(&cc.algorithm));
    if algorithm.is_some_and(|algorithm| algorithm.needs_accurate_ecn) {
        return EcnMode::Scalable;
    }
    // As that of a route with `ecn_low` is: "BBR version 3" has each mark echoed there (`bbr_precise_ece_ack`).
    let is_low = flow.cc.as_ref().is_some_and(|cc| cc.parameters.get("ecn_low") == Some(&1.0));
    if is_low && flow.ecn == Ecn::Classic {
        return EcnMode::Exact;
    }
    match (flow.ecn, algorithm.is_some_and(|algorithm| algorithm.needs_ecn)) {
        (Ecn::Accurate, true) => EcnMode::AccurateExact,
        (Ecn::Accurate, false) => EcnMode::Accurate,
        (_, true) => EcnMode::Exact,
        (Ecn::Classic, false) => EcnMode::Classic,
        (Ecn::Off, false) => EcnMode::Off,
    }
}

/// How much a flow's reader waits for, as on the engine `linux`: where neither memory nor the moment of writing matters,
/// 64 kB.
const fn low_water_bytes(run: &Run, flow: &Flow) -> u64 {
    match (&flow.workload, run.host.socket_memory) {
        (Workload::Bulk | Workload::Transfer { .. } | Workload::Arrivals { .. }, SocketMemory::Max) => 1 << 16,
        _ => 1,
    }
}

/// The send buffer that each connection begins with where memory never is the limit, as on the engine `linux`: all of
/// them together are filled at once.
pub(super) fn first_buffer_bytes(run: &Run) -> u64 {
    const TOGETHER_BYTES: u64 = 64_000_000;
    const LEAST_BYTES: u64 = 16_384;
    const MOST_BYTES: u64 = 4_000_000;
    /// Of the transfers that arrive for one flow, so many are open at once.
    const MOST_CONNECTIONS: usize = 1_000;
    let connections: usize = run.flows.iter().map(|flow| flow.connections().clamp(1, MOST_CONNECTIONS)).sum();
    (TOGETHER_BYTES / connections.max(1) as u64).clamp(LEAST_BYTES, MOST_BYTES)
}

/// That of a sender which never connects, as the flow has no connection.
fn idle() -> AlgorithmChoice {
    AlgorithmChoice { algorithm: "reno".to_owned(), parameters: Default::default() }
}

/// `name` names the random stream of its algorithm.
pub(super) fn sender_config(run: &Run, flow: &Flow, name: &str, first_buffer_bytes: u64) -> SenderConfig {
    let cc = flow.cc.clone().unwrap_or_else(idle);
    SenderConfig {
        mss_bytes: run.path.mss_bytes(),
        initial_window: run.host.initial_window_segments,
        behind_fair_queue: run.host.qdisc == Qdisc::Fq,
        socket_memory: run.host.socket_memory,
        first_buffer_bytes,
        offload: run.path.offload,
        ecn: ecn_mode(flow),
        algorithm: Algorithm {
            name: cc.algorithm,
            parameters: cc.parameters,
            seed: stream_seed(run.seed, &format!("cc/{name}")),
        },
    }
}
