//! [`Program`]: a flow whose sender and receiver are programs of the user's own. Whatever connections they make between
//! the flow's two addresses are the flow's, closed ones included.

pub use super::process::Surroundings;
use super::process::{End, Endings, Process};
use crate::failure::Failure;
use crate::namespace::Namespace;
use crate::network::{Endpoint, Network, sleep};
use crate::record::{KernelRecorder, Reading, no_counters};
use crate::sockets::diag::Record;
use nix::sys::signal::Signal;
use run::{FlowCounters, Run, Workload};
use std::collections::BTreeMap;
use std::fs;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

/// Time between two looks for a port on which a server listens, and looks in all: 10 s.
const LOOK: Duration = Duration::from_millis(10);
const LOOKS: u32 = 1_000;
/// Where the kernel shows the sockets of the calling thread's namespace, and in which state one waits for peers.
const TABLES: [(&str, &str); 4] = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];
const NANOS_PER_MICRO: u64 = 1_000;

/// A flow's programs, and what the kernel tells of their connections.
#[derive(Debug)]
pub struct Program {
    flow: usize,
    command: Vec<String>,
    sender: Endpoint,
    receiver: Endpoint,
    client: Option<Process>,
    server: Option<Process>,
    began_ns: u64,
    /// By the ports at both ends, the sender's first.
    connections: BTreeMap<(u16, u16), Kept>,
    /// What those had counted whose ports were used again.
    former: FlowCounters,
}

#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    reading: Reading,
    /// Its sender is closed.
    is_closed: bool,
}

impl Program {
    /// A flow's program with its server at work; none: the flow is none.
    ///
    /// # Errors
    /// The server cannot be started, or does not listen where it was told to.
    pub fn open(
        index: usize,
        run: &Run,
        network: &Network,
        surroundings: &Surroundings,
        endings: &Arc<Endings>,
    ) -> Result<Option<Self>, Failure> {
        let Workload::Command { command, server } = &run.flows[index].workload else { return Ok(None) };
        let (sender, receiver) = (network.sender(index).clone(), network.receiver(index).clone());
        let places = network.places(run, index);
        let server_words = places.fill(server).map_err(Failure)?;
        let mut program = Self {
            flow: index,
            command: places.fill(command).map_err(Failure)?,
            sender,
            receiver,
            client: None,
            server: None,
            began_ns: 0,
            connections: BTreeMap::new(),
            former: no_counters(0),
        };
        if !server_words.is_empty() {
            let namespace = &program.receiver.namespace;
            let who = (index, End::Server);
            let started = Process::start(who, server_words, namespace, surroundings, 0, endings)?;
            let is_told = server.iter().any(|word| word.contains("{port}"));
            let awaited = if is_told { await_server(&started, index, namespace, places.port, endings)? } else { None };
            program.server = Some(started);
            if let Some((end, status)) = awaited {
                program.end(end, 0, status)?;
            }
        }
        Ok(Some(program))
    }

    /// The flow starts.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn start(&mut self, surroundings: &Surroundings, endings: &Arc<Endings>, now_ns: u64) -> Result<(), Failure> {
        self.began_ns = now_ns;
        let (who, argv) = ((self.flow, End::Client), self.command.clone());
        self.client = Some(Process::start(who, argv, &self.sender.namespace, surroundings, now_ns, endings)?);
        Ok(())
    }

    /// One of its processes has ended. True: the flow is complete.
    ///
    /// # Errors
    /// It has failed.
    pub fn end(&mut self, end: End, now_ns: u64, status: ExitStatus) -> Result<bool, Failure> {
        let process = match end {
            End::Client => &mut self.client,
            End::Server => &mut self.server,
        };
        process.as_mut().map_or(Ok(()), |process| process.end(now_ns, status))?;
        Ok(end == End::Client)
    }

    /// What still runs at the sender is told to end, or all that runs is.
    pub fn signal(&mut self, signal: Signal, end: End) {
        let server = self.server.as_mut().filter(|_| end == End::Server);
        self.client.iter_mut().chain(server).for_each(|process| process.signal(signal));
    }

    /// Whether what its processes have written so far can be kept.
    ///
    /// # Errors
    /// It is too much.
    pub fn check_written(&self) -> Result<(), Failure> {
        self.client.iter().chain(&self.server).try_for_each(Process::check_written)
    }

    /// Whether nothing of it runs any more.
    pub fn is_over(&self) -> bool {
        self.client.iter().chain(&self.server).all(Process::is_over)
    }

    /// What its processes said.
    pub fn said(self) -> run::Program {
        let client = self.client.map(Process::said).unwrap_or_default();
        run::Program { client, server: self.server.map(Process::said) }
    }

    /// What the kernel tells of a socket, if it is one of these. `is_last`: it is closed.
    pub fn file(&mut self, recorder: &KernelRecorder, record: &Record, is_last: bool) -> bool {
        let (here, there) = (record.local, record.remote);
        if (here, there) == (self.sender.address, self.receiver.address) {
            let ports = (record.local_port, record.remote_port);
            if let Some(former) = self.connections.get(&ports).filter(|it| it.is_closed && !is_last) {
                // The same ports once more.
                self.former.add(&counters(recorder, &former.reading, 0));
                self.connections.remove(&ports);
            }
            let kept = self.connections.entry(ports).or_default();
            (kept.reading.sender, kept.is_closed) = (record.info, is_last);
            if !is_last {
                kept.reading.control = record.control;
            }
            true
        } else if (here, there) == (self.receiver.address, self.sender.address) {
            self.connections.entry((record.remote_port, record.local_port)).or_default().reading.receiver = record.info;
            true
        } else {
            false
        }
    }

    /// Its open connections, each with what it has delivered.
    pub fn open_connections(&self) -> impl Iterator<Item = (Reading, u64)> {
        self.connections.values().filter(|it| !it.is_closed).map(|it| (it.reading, it.reading.receiver.bytes_received))
    }

    /// What its closed connections have counted.
    pub fn closed(&self, recorder: &KernelRecorder, now_ns: u64) -> FlowCounters {
        self.sum(recorder, now_ns, self.connections.values().filter(|it| it.is_closed))
    }

    /// What all have. Nothing to send had the program whenever no connection had.
    pub fn counters(&self, recorder: &KernelRecorder, now_ns: u64) -> FlowCounters {
        let sum = self.sum(recorder, now_ns, self.connections.values());
        let busy_ns: u64 = self.connections.values().map(|it| it.reading.sender.busy_us * NANOS_PER_MICRO).sum();
        FlowCounters { app_limited_ns: now_ns.saturating_sub(self.began_ns).saturating_sub(busy_ns), ..sum }
    }

    /// Keeps the least round-trip time of its connections.
    pub fn keep_least_rtt(&self, recorder: &mut KernelRecorder) {
        self.connections.values().for_each(|it| recorder.keep_least_rtt(self.flow, &it.reading));
    }

    fn sum<'a>(
        &self,
        recorder: &KernelRecorder,
        now_ns: u64,
        connections: impl Iterator<Item = &'a Kept>,
    ) -> FlowCounters {
        let mut sum = FlowCounters { at_ns: now_ns, ..self.former };
        connections.for_each(|it| sum.add(&counters(recorder, &it.reading, now_ns)));
        sum
    }
}

/// A connection's counters, but for when it had nothing to send.
fn counters(recorder: &KernelRecorder, reading: &Reading, now_ns: u64) -> FlowCounters {
    recorder.counters(reading, reading.receiver.bytes_received, now_ns, now_ns)
}

/// Waits until a server listens on its port. Gives its end, if that comes first.
fn await_server(
    server: &Process,
    flow: usize,
    namespace: &Namespace,
    port: u16,
    endings: &Endings,
) -> Result<Option<(End, ExitStatus)>, Failure> {
    let failed = |error: crate::error::Error| Failure(error.to_string());
    for _ in 0..LOOKS {
        let ending = endings.take_of(flow);
        if ending.is_some() || namespace.within(|| listens(port)).map_err(failed)? {
            return Ok(ending);
        }
        sleep(LOOK).map_err(failed)?;
    }
    let (name, waited) = (server.name(), (LOOK * LOOKS).as_secs());
    Err(Failure(format!("{name} does not listen on port {port}, which is {{port}}, after {waited} s")))
}

/// Whether a socket of the calling thread's namespace waits for peers on a port. In `/proc/net/tcp` the second word of
/// a line is its address and port in hexadecimal digits, the fourth its state.
fn listens(port: u16) -> bool {
    let suffix = format!(":{port:04X}");
    TABLES.iter().any(|(table, state)| {
        let text = fs::read_to_string(format!("/proc/thread-self/net/{table}")).unwrap_or_default();
        text.lines().skip(1).any(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            words.next().is_some_and(|address| address.ends_with(&suffix)) && words.nth(1) == Some(state)
        })
    })
}
