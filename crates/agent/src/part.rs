//! [`Part`]: what one machine does of a run that several do together.
//!
//! Each has a job of its own, with the same run. Whoever leads them starts all of them, waits until the folder of each has
//! [`READY`], and then leaves in each what its own clock reads at the run's time 0: so no machine begins before another has set
//! up, however long that takes. Nothing is said between machines while the run lasts.

use crate::failure::Failure;
use crate::network::{self, Capture};
use crate::sockets::TRANSFER_PORTS;
use run::{CapturePoint, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// In the job's folder, an empty file: all is set up.
pub const READY: &str = "ready";
/// Time 0 in nanoseconds of this machine's CLOCK_MONOTONIC, in decimal digits.
pub const GO: &str = "go";
/// An empty file: all finite workloads that begin or end here are complete.
pub const COMPLETE: &str = "complete";
/// An empty file: the run is over everywhere.
pub const FINISH: &str = "finish";
/// So long a machine that is ready waits for the others.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(10);

/// What this machine does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The addresses of each flow's sender and receiver, on whichever machines.
    pub flows: Vec<Ends>,
    /// Senders' ports are so many on from where they usually begin, and begin again at the end: a machine keeps a port for a
    /// minute after its connection has ended (`TIME_WAIT`).
    pub ports_on: u16,
    /// The interface by which the run's packets come and go.
    pub interface: String,
    /// It has the run's path, through which it leads the run's packets; none: they pass nothing of ours here.
    #[serde(default)]
    pub passage: Option<Passage>,
}

impl Part {
    /// Where frames are captured on this machine beside its path: at the senders and the receivers that it is. `interface`: the
    /// number of its own; `ends`: those of the devices by which packets enter its path and leave it.
    pub fn captures(&self, run: &Run, interface: u32, ends: Option<[u32; 2]>) -> Vec<Capture> {
        let capture = |point, device, hosts| Capture {
            point,
            numbers: vec![device],
            is_of_all: false,
            is_outgoing: false,
            hosts,
        };
        let pairs = |here: fn(&Ends) -> bool| {
            let mut pairs: Vec<_> =
                self.flows.iter().filter(|it| here(it)).map(|it| (it.sender, it.receiver)).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs
        };
        let reversed = |pairs: &[(Ipv4Addr, Ipv4Addr)]| pairs.iter().map(|(from, to)| (*to, *from)).collect::<Vec<_>>();
        let mut captures = Vec::new();
        for (point, there) in
            [(CapturePoint::Senders, pairs(|it| it.begins_here)), (CapturePoint::Receivers, pairs(|it| it.ends_here))]
        {
            if there.is_empty() || !run.measure.capture_at.has(point) {
                continue;
            }
            let (back, both) = (reversed(&there), [reversed(&there), there.clone()].concat());
            match (point, self.passage, ends) {
                // What it sends enters its own path first, and what comes back does not pass it.
                (CapturePoint::Senders, Some(Passage::Sender), Some([enters, _])) => {
                    captures.extend([capture(point, enters, there), capture(point, interface, back)]);
                }
                (CapturePoint::Receivers, Some(Passage::Receiver), Some([_, leaves])) => {
                    captures.push(capture(point, leaves, both));
                }
                _ => captures.push(capture(point, interface, both)),
            }
        }
        captures
    }
}

/// Where a flow begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ends {
    /// Its sender's address.
    pub sender: Ipv4Addr,
    /// That is this machine's.
    pub begins_here: bool,
    /// Its receiver's address.
    pub receiver: Ipv4Addr,
    /// That is this machine's.
    pub ends_here: bool,
}

/// Where packets are taken to lead them through a path of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passage {
    /// Those that this machine forwards, both ways.
    Router,
    /// Those that it sends: it is the sender.
    Sender,
    /// Those that come in, and those that it answers with: it is the receiver.
    Receiver,
}

/// The folder through which this machine's part is led.
#[derive(Clone, Debug)]
pub struct Lead(PathBuf);

impl Lead {
    /// That of a job.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Says that all is set up, and waits for time 0 on CLOCK_MONOTONIC.
    ///
    /// # Errors
    /// Nobody says it, or it is over already.
    pub fn zero_ns(&self) -> Result<u64, Failure> {
        fs::write(self.0.join(READY), "").map_err(|error| Failure::of("say that all is set up", error))?;
        for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
            if let Some(zero_ns) = fs::read_to_string(self.0.join(GO)).ok().and_then(|text| text.trim().parse().ok()) {
                let now_ns = crate::clock::monotonic_ns()?;
                let late = |ns: u64| Failure(format!("the run's time 0 came {} ms too late", ns / 1_000_000));
                return now_ns.checked_sub(zero_ns).map_or(Ok(zero_ns), |ns| Err(late(ns)));
            }
            network::sleep(LOOK).map_err(|error| Failure(error.to_string()))?;
        }
        Err(Failure(format!("all is set up, and nobody has said when to begin within {} s", PATIENCE.as_secs())))
    }

    /// Says that all finite workloads of this machine are complete.
    ///
    /// # Errors
    /// It cannot be said.
    pub fn complete(&self) -> Result<(), Failure> {
        fs::write(self.0.join(COMPLETE), "").map_err(|error| Failure::of("say that all is complete", error))
    }

    /// The run is over everywhere.
    pub fn is_to_finish(&self) -> bool {
        self.0.join(FINISH).exists()
    }
}

/// Which short transfer has which port, as all machines reckon it: they follow one another in the order in which they
/// arrive, and begin again when ports end.
#[derive(Debug)]
pub struct TransferPorts {
    /// Flow and index of each, in that order.
    order: Vec<(usize, usize)>,
    /// Where each of a flow's is in that order.
    place: Vec<Vec<usize>>,
    /// Where they begin.
    on: usize,
    /// So many have come in by each port.
    accepted: BTreeMap<u16, usize>,
}

impl TransferPorts {
    /// Those of a run.
    pub fn new(run: &Run, ports_on: u16) -> Self {
        let arrivals = |flow: usize| {
            let source = &run.flows[flow];
            source.arrivals().iter().enumerate().map(move |(index, it)| (source.start_ns + it.at_ns, flow, index))
        };
        let mut all: Vec<(u64, usize, usize)> = (0..run.flows.len()).flat_map(arrivals).collect();
        all.sort_unstable();
        let order: Vec<(usize, usize)> = all.into_iter().map(|(_, flow, index)| (flow, index)).collect();
        let mut place: Vec<Vec<usize>> = run.flows.iter().map(|flow| vec![0; flow.arrivals().len()]).collect();
        order.iter().enumerate().for_each(|(at, (flow, index))| place[*flow][*index] = at);
        Self { order, place, on: usize::from(ports_on) % TRANSFER_PORTS.len(), accepted: BTreeMap::new() }
    }

    /// The port of a flow's transfer.
    pub fn port(&self, flow: usize, index: usize) -> u16 {
        TRANSFER_PORTS.start() + ((self.place[flow][index] + self.on) % TRANSFER_PORTS.len()) as u16
    }

    /// Which transfer of a flow has come in by this port; none: it is no transfer's.
    pub fn accept(&mut self, flow: usize, port: u16) -> Option<usize> {
        let ports = TRANSFER_PORTS.len();
        let offset = (usize::from(port.checked_sub(*TRANSFER_PORTS.start())?) + ports - self.on) % ports;
        let turn = self.accepted.entry(port).or_default();
        let (of, index) = *self.order.get(offset + *turn * ports)?;
        (of == flow).then(|| {
            *turn += 1;
            index
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use run::{Arrival, Workload};

    #[test]
    fn both_machines_reckon_the_same_ports() {
        let mut run = samples::run(2);
        let arrivals = |times: &[u64]| Workload::Arrivals {
            arrivals: times.iter().map(|at_ns| Arrival { at_ns: *at_ns, bytes: 10 }).collect(),
        };
        run.flows[0].workload = arrivals(&[5, 30]);
        run.flows[1].workload = arrivals(&[5, 10]);
        run.flows[1].start_ns = run.flows[0].start_ns;
        let mut ports = TransferPorts::new(&run, *TRANSFER_PORTS.end() - *TRANSFER_PORTS.start());
        let first = *TRANSFER_PORTS.start();
        let all = [(0, 0), (1, 0), (1, 1), (0, 1)];
        assert_eq!(
            all.map(|(flow, index)| ports.port(flow, index) - first),
            [TRANSFER_PORTS.len() as u16 - 1, 0, 1, 2]
        );
        for (flow, index) in all {
            let port = ports.port(flow, index);
            assert_eq!(ports.accept(1 - flow, port), None, "another flow's");
            assert_eq!(ports.accept(flow, port), Some(index));
            assert_eq!(ports.accept(flow, port), None, "once");
        }
        assert_eq!(ports.accept(0, 80), None);
    }

    #[test]
    fn time_0_is_what_the_lead_says_unless_it_is_over() {
        let folder = std::env::temp_dir().join(format!("lead-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let lead = Lead::new(&folder);
        fs::write(folder.join(GO), "17\n").expect("written");
        assert!(lead.zero_ns().expect_err("over").0.contains("too late"));
        assert!(folder.join(READY).exists() && !lead.is_to_finish());
        fs::write(folder.join(GO), (u64::MAX - 1).to_string()).expect("written");
        assert_eq!(lead.zero_ns(), Ok(u64::MAX - 1));
        fs::write(folder.join(FINISH), "").expect("written");
        assert!(lead.is_to_finish());
        fs::remove_dir_all(folder).expect("removed");
    }
}
