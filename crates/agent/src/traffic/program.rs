//! [`Program`]: a flow whose sender and receiver are programs of the user's own. Whatever connections they make between
//! the flow's two addresses are the flow's, closed ones included.

pub use super::process::Surroundings;
use super::process::{End, Endings, Process};
use super::program_sockets::{ProgramSockets, Socket};
use crate::clock::{monotonic_ns, sleep};
use crate::failure::Failure;
use crate::namespace::Namespace;
use crate::network::{Endpoint, Network};
use crate::record::{KernelRecorder, Reading};
use crate::sockets::diag::Record;
use crate::sockets::tcp_info::TcpInfo;
use nix::sys::signal::Signal;
use run::{FlowCounters, Places, Run, User, Workload};
use std::fs;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

/// Time between two looks for a port on which a server listens, and in all.
const LOOK: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(10);
/// Where the kernel shows the sockets of the calling thread's namespace, and in which state one waits for peers.
const TABLES: [(&str, &str); 4] = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];
const NANOS_PER_MICRO: u64 = 1_000;

/// A flow's programs, and what the kernel tells of their connections.
#[derive(Debug)]
pub struct Program {
    flow: usize,
    command: Vec<String>,
    user: User,
    sender: Endpoint,
    receiver: Endpoint,
    client: Option<Process>,
    server: Option<Process>,
    began_ns: u64,
    /// Its sockets at the sender.
    senders: ProgramSockets,
    /// And at the receiver.
    receivers: ProgramSockets,
    /// Its command has ended well.
    is_done: bool,
    /// Its connections are those with this port at one end; none: all between its two hosts.
    only_port: Option<u16>,
    /// Its sender is another machine's, and what that has sent is not known.
    only_receives: bool,
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
        let Workload::Command { command, server, user } = &run.flows[index].workload else { return Ok(None) };
        let (sender, receiver) = (network.sender(index).clone(), network.receiver(index).clone());
        let places = network.places(run, index);
        let server_arguments = places.fill(server).map_err(Failure)?;
        let mut program = Self {
            flow: index,
            command: places.fill(command).map_err(Failure)?,
            user: *user,
            sender,
            receiver,
            client: None,
            server: None,
            began_ns: 0,
            senders: ProgramSockets::default(),
            receivers: ProgramSockets::default(),
            is_done: false,
            only_port: (!network.is_on_one_machine()).then_some(places.port),
            only_receives: network.only_ends_here(index),
        };
        if !server_arguments.is_empty() && network.ends_here(index) {
            let namespace = &program.receiver.namespace;
            let other = Places { port: places.port ^ 1, ..places.clone() };
            let uses_port = other.fill(server).map_err(Failure)? != server_arguments;
            let who = (index, End::Server, *user);
            let started = Process::start(who, server_arguments, namespace, surroundings, 0, endings)?;
            let awaited =
                if uses_port { await_server(&started, index, namespace, places.port, endings)? } else { None };
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
        let (who, argv) = ((self.flow, End::Client, self.user), self.command.clone());
        self.client = Some(Process::start(who, argv, &self.sender.namespace, surroundings, now_ns, endings)?);
        Ok(())
    }

    /// One of its processes has ended.
    ///
    /// # Errors
    /// It has failed.
    pub fn end(&mut self, end: End, now_ns: u64, status: ExitStatus) -> Result<(), Failure> {
        let process = match end {
            End::Client => &mut self.client,
            End::Server => &mut self.server,
        };
        process.as_mut().map_or(Ok(()), |process| process.end(now_ns, status))?;
        self.is_done |= end == End::Client;
        Ok(())
    }

    /// Whether its command has ended well, and all that it had written has come, or will come no more. A program need not
    /// wait for that: what it leaves in its sockets the kernel still sends.
    pub fn is_complete(&self) -> bool {
        let waits = |it: &TcpInfo| it.unacked > 0 || it.notsent_bytes > 0;
        let Reading { sender, receiver, .. } = self.sum();
        let unsent = self.senders.live().any(|it| it.info.notsent_bytes > 0);
        let has_come = !unsent && receiver.bytes_received >= sender.bytes_sent - sender.bytes_retrans;
        // One dump is now, in which what is there misses none but this one.
        let is_current = self.senders.are_current() && self.receivers.are_current();
        self.is_done && is_current && (has_come || !self.senders.live().any(|it| waits(&it.info)))
    }

    /// Whether its command has ended well.
    pub const fn is_done(&self) -> bool {
        self.is_done
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
    pub fn file(&mut self, record: &Record, is_last: bool) -> bool {
        let (here, there) = (record.local, record.remote);
        if self.only_port.is_some_and(|port| ![record.local_port, record.remote_port].contains(&port)) {
            return false;
        }
        let sockets = if (here, there) == (self.sender.address, self.receiver.address) {
            &mut self.senders
        } else if (here, there) == (self.receiver.address, self.sender.address) {
            &mut self.receivers
        } else {
            return false;
        };
        sockets.file(record, is_last);
        true
    }

    /// All that is open was told.
    pub fn sweep(&mut self) {
        self.senders.sweep();
        self.receivers.sweep();
    }

    /// The gauges of its open connections.
    pub fn open_connections(&self) -> impl Iterator<Item = Reading> {
        let reading = |it: &Socket| Reading { sender: it.info, control: it.control, ..Reading::default() };
        self.senders.live().map(reading)
    }

    /// What all of its connections have counted. Nothing to send had the program whenever no connection had.
    pub fn counters(&self, recorder: &KernelRecorder, now_ns: u64) -> FlowCounters {
        let sum = self.sum();
        // A FIN counts as a byte that was received (`tcp_rcv_nxt_update`), and not as one that was sent.
        let sent_bytes = sum.sender.bytes_sent - sum.sender.bytes_retrans;
        let received_bytes = sum.receiver.bytes_received;
        let delivered_bytes = if self.only_receives { received_bytes } else { received_bytes.min(sent_bytes) };
        let busy_ns = sum.sender.busy_us * NANOS_PER_MICRO;
        FlowCounters {
            app_limited_ns: now_ns.saturating_sub(self.began_ns).saturating_sub(busy_ns),
            ..recorder.counters(self.flow, &sum, delivered_bytes, now_ns, now_ns)
        }
    }

    /// Payload that was acknowledged on all of its connections.
    pub fn acked_bytes(&self) -> u64 {
        self.sum().sender.bytes_acked
    }

    /// Keeps the least round-trip time of its connections.
    pub fn keep_least_rtt(&self, recorder: &mut KernelRecorder) {
        recorder.keep_least_rtt(self.flow, &self.sum());
    }

    /// What the kernel tells of all of its connections.
    pub fn sum(&self) -> Reading {
        Reading { sender: self.senders.counted(), receiver: self.receivers.counted(), ..Reading::default() }
    }
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
    let (until_ns, mut ending) = (monotonic_ns()? + PATIENCE.as_nanos() as u64, None);
    while monotonic_ns()? < until_ns {
        ending = ending.or_else(|| endings.take_of(flow));
        // One that ends well may have left another behind, which listens.
        let is_failed = ending.is_some_and(|(_, status): (End, ExitStatus)| !status.success());
        if is_failed || namespace.within(|| listens(port)).map_err(failed)? {
            return Ok(ending);
        }
        sleep(LOOK).map_err(failed)?;
    }
    let (name, waited) = (server.name(), PATIENCE.as_secs());
    Err(Failure(format!("{name} does not listen on port {port}, which is {{port}}, after {waited} s")))
}

/// Whether a socket of the calling thread's namespace waits for peers on a port. In `/proc/net/tcp` the second word of
/// a line is its address and port in hexadecimal digits, the fourth its state.
fn listens(port: u16) -> bool {
    let suffix = format!(":{port:04X}");
    TABLES.iter().any(|(table, state)| {
        let text = fs::read_to_string(format!("/proc/thread-self/net/{table}")).unwrap_or_default();
        text.lines().skip(1).any(|line| {
            let mut fields = line.split_ascii_whitespace().skip(1);
            fields.next().is_some_and(|address| address.ends_with(&suffix)) && fields.nth(1) == Some(state)
        })
    })
}
