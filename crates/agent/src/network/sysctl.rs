//! Kernel settings of the hosts and routers, through `/proc/sys`. Those of `net/` are the calling thread's
//! namespace's, except the few that belong to the whole kernel.

use super::plan::Place;
use crate::error::{Error, Subject};
use crate::sockets::MOST_CONNECTIONS;
use run::{Direction, Ecn, Flow, Hop, QueueDiscipline, Run, SocketMemory};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

/// Where the kernel shows its settings.
const ROOT: &str = "/proc/sys/";
/// No socket buffer is larger: the kernel's own limit.
const LARGEST_BYTES: u64 = i32::MAX as u64;
/// Linux's defaults on a machine with memory enough; else they depend on it (`tcp_init` in `tcp.c`).
const RECEIVE_BYTES: [u64; 3] = [4_096, 131_072, 6_291_456];
/// The same for sending.
const SEND_BYTES: [u64; 3] = [4_096, 16_384, 4_194_304];
/// A receive buffer to begin with that outruns slow start.
const AMPLE_BYTES: u64 = 4_000_000;
/// What all flows' first send buffers may hold together: applications fill them at once.
const FIRST_WRITES_BYTES: u64 = 64_000_000;
/// Connections at the beginning, or the end, of their lives at once: more than can be open.
const HANDSHAKES: usize = 65_536;
/// How connections of a namespace negotiate ECN.
const ECN: &str = "net/ipv4/tcp_ecn";
/// Whether sockets choose another hash where they suspect their path (Linux 5.17 and later).
const REHASH: &str = "net/core/txrehash";
/// Any setting is shorter.
const TEXT_BYTES: usize = 256;

/// A setting: its name and its value.
pub type Setting = (&'static str, String);

/// Settings of a namespace, to be made before it has devices. `shares_kernel`: somebody else has set up the kernel, and
/// new namespaces take over what they set.
pub fn of_namespace(place: Place, forwards: bool, run: &Run, has_ipv6: bool, shares_kernel: bool) -> Vec<Setting> {
    let mut settings = Vec::new();
    if shares_kernel {
        // What a relay carries comes back by another device than it left by.
        settings.push(("net/ipv4/conf/all/rp_filter", "0".to_owned()));
        settings.push(("net/ipv4/conf/default/rp_filter", "0".to_owned()));
    }
    if has_ipv6 {
        // Its router solicitations and reports would be in the queue's counters.
        settings.push(("net/ipv6/conf/all/disable_ipv6", "1".to_owned()));
        settings.push(("net/ipv6/conf/default/disable_ipv6", "1".to_owned()));
    }
    if forwards {
        settings.push(("net/ipv4/ip_forward", "1".to_owned()));
        return settings;
    }
    let (mut receive, send) = socket_memory(run);
    if run.host.receive_window_bytes.is_some() {
        // It begins as large as it may get: nothing lets it grow.
        receive[1] = receive[2];
    }
    settings.push(("net/ipv4/tcp_rmem", triple(receive)));
    settings.push(("net/ipv4/tcp_wmem", triple(send)));
    // A connection offers ECN where its flow's route says so, and every offer is answered.
    settings.push(ecn_settings(run)[0].clone());
    // Flows start alike: nothing is learned from those before.
    settings.push(("net/ipv4/tcp_no_metrics_save", "1".to_owned()));
    if hashes_flows(run) && is_there(REHASH) {
        // After a timeout a sender marks its packets with another hash (`tcp_write_timeout`). Routers see addresses and ports and
        // not that, but here the mark goes with a packet from namespace to namespace, and its flow would be in another queue.
        settings.push((REHASH, "0".to_owned()));
    }
    if has_transfers(run) {
        // Nothing lingers in TIME_WAIT, a minute for each transfer, where its port would be in use and each dump of the
        // sockets would come across it.
        settings.push(("net/ipv4/tcp_max_tw_buckets", "0".to_owned()));
        // Handshakes at once: the default follows from the size of the table of connections, which is kept small.
        settings.push(("net/ipv4/tcp_max_syn_backlog", HANDSHAKES.to_string()));
    }
    if place == Place::Receiver && run.host.receive_window_bytes.is_some() {
        // A receive buffer that the kernel lets grow takes the limit of the window along (`tcp_rcv_space_adjust`).
        settings.push(("net/ipv4/tcp_moderate_rcvbuf", "0".to_owned()));
    }
    if place == Place::Receiver && !run.host.sack_compression {
        settings.push(("net/ipv4/tcp_comp_sack_nr", "0".to_owned()));
    }
    settings
}

/// Connections of a host's namespace answer each offer of ECN and make none themselves; and for the moment of one that is to offer
/// accurate ECN, which no route does (Linux 7.0 `tcp_ecn_send_syn`), they all do.
pub fn ecn_settings(run: &Run) -> [Setting; 2] {
    let knows_accurate = run.flows.iter().any(|flow| flow.ecn == Ecn::Accurate);
    [if knows_accurate { "5" } else { "2" }, "3"].map(|value| (ECN, value.to_owned()))
}

/// Whether the kernel knows accurate ECN: it refuses the setting else. The calling thread's namespace keeps it.
pub fn has_accurate_ecn() -> bool {
    apply(&(ECN, "3".to_owned())).is_ok()
}

/// Settings of the whole kernel: made only in a kernel of our own, elsewhere only noted.
pub fn of_kernel(run: &Run) -> Vec<Setting> {
    let mut settings = vec![
        // Pages that all TCP sockets may hold; the default is a tenth of the memory.
        ("net/ipv4/tcp_mem", triple([LARGEST_BYTES; 3])),
        // Packets that wait for a device's softirq; a sender's burst of more than the default 1000 would be lost
        // there, between two devices, where nobody counts.
        ("net/core/netdev_max_backlog", "10000000".to_owned()),
    ];
    if has_transfers(run) {
        // Connections that are closed and whose last ACK is on its way: of more than these TCP resets one.
        settings.push(("net/ipv4/tcp_max_orphans", HANDSHAKES.to_string()));
    }
    settings
}

/// Some flow is a source of short transfers.
fn has_transfers(run: &Run) -> bool {
    run.flows.iter().any(Flow::is_source)
}

/// Some queue of the path is several, by the flows' hashes.
fn hashes_flows(run: &Run) -> bool {
    let by_hash =
        |hop: &Hop| matches!(hop.qdisc, QueueDiscipline::Fq(_) | QueueDiscipline::FqCodel(_) | QueueDiscipline::Cake);
    [Direction::Down, Direction::Up].into_iter().any(|direction| run.path.hops(direction).iter().any(by_hash))
}

/// Makes a setting and gives it back as the kernel has it then.
pub fn apply((name, value): &Setting) -> Result<String, Error> {
    let mut file = File::options().read(true).write(true).open(format!("{ROOT}{name}")).about(name)?;
    file.write_all(value.as_bytes()).about(format_args!("{name} = {value}"))?;
    read(&file).about(name)
}

/// A setting as the kernel has it.
pub fn look(name: &str) -> Result<String, Error> {
    read(&File::open(format!("{ROOT}{name}")).about(name)?).about(name)
}

/// Whether this kernel speaks IPv6.
pub fn has_ipv6() -> bool {
    is_there("net/ipv6")
}

fn is_there(name: &str) -> bool {
    std::path::Path::new(ROOT).join(name).exists()
}

fn read(file: &File) -> std::io::Result<String> {
    let mut text = [0; TEXT_BYTES];
    let length = file.read_at(&mut text, 0)?;
    Ok(String::from_utf8_lossy(&text[..length]).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Least, first and largest buffers for receiving and for sending.
fn socket_memory(run: &Run) -> ([u64; 3], [u64; 3]) {
    match run.host.socket_memory {
        SocketMemory::Default => (RECEIVE_BYTES, SEND_BYTES),
        SocketMemory::Bytes(bytes) => {
            let most = bytes.min(LARGEST_BYTES);
            (limited(RECEIVE_BYTES, most), limited(SEND_BYTES, most))
        }
        SocketMemory::Max => {
            let connections = run.flows.iter().map(|flow| flow.connections().clamp(1, MOST_CONNECTIONS));
            let share = FIRST_WRITES_BYTES / connections.sum::<usize>().max(1) as u64;
            let first = share.clamp(SEND_BYTES[1], AMPLE_BYTES);
            ([RECEIVE_BYTES[0], AMPLE_BYTES, LARGEST_BYTES], [SEND_BYTES[0], first, LARGEST_BYTES])
        }
    }
}

/// The defaults, with another largest.
fn limited(usual: [u64; 3], most: u64) -> [u64; 3] {
    [usual[0].min(most), usual[1].min(most), most]
}

fn triple([least, first, largest]: [u64; 3]) -> String {
    format!("{least} {first} {largest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_limited_window_stays_as_it_is() {
        let mut run = samples::run(1);
        (run.host.receive_window_bytes, run.host.socket_memory) = (Some(100_000), SocketMemory::Default);
        let settings = of_namespace(Place::Receiver, false, &run, false, false);
        let of = |name: &str| settings.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        assert_eq!(of("net/ipv4/tcp_rmem"), Some("4096 6291456 6291456"));
        assert_eq!(of("net/ipv4/tcp_moderate_rcvbuf"), Some("0"));
        run.host.receive_window_bytes = None;
        let names: Vec<&str> =
            of_namespace(Place::Receiver, false, &run, false, false).iter().map(|(name, _)| *name).collect();
        assert!(!names.contains(&"net/ipv4/tcp_moderate_rcvbuf"));
    }
}
