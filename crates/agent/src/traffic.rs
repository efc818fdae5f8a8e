//! Carries out a run: starts its flows, keeps them busy, ends them, and has a [`Recording`] keep what the kernel counts.
//!
//! One thread decides everything, and sleeps in one `epoll_wait`. Under User-Mode Linux the clock stands still while
//! anything computes, so that whatever is done at a wake-up is done at one instant; and a system call costs some tens of
//! microseconds of the host's time, so that user space must be woken seldom: large writes, readers that stay inside the
//! kernel, one alarm for all that is due, and one request a namespace for a sample of all flows.

mod connection;
mod connection_id;
mod datagrams;
mod dumps;
mod entry;
mod flow;
mod live;
mod pages;
mod poll;
mod process;
mod program;
mod program_sockets;
mod programs;
mod receiver;
mod recording;
mod sender;
mod ss;

use crate::capture::Captures;
use crate::clock::{Clock, instant, sleep};
use crate::failure::Failure;
use crate::lead::Lead;
use crate::network::{Network, late_facts};
use crate::part::TransferPorts;
use crate::schedule::Schedule;
use crate::sockets::{MAX_FLOWS, MOST_CONNECTIONS, TRANSFER_PORTS};
use connection::{Connection, Woken};
use connection_id::ConnectionId;
use datagrams::Datagrams;
use flow::{Flow, Phase, failed};
use nix::sys::signal::Signal;
use poll::{Poll, Wake};
use process::End;
use programs::Programs;
use receiver::{News, accept, sink};
use recording::Recording;
use run::{Changes, Mark, Measurement, Milestone, Run, Source, Workload};
use sender::{Payload, Sender};
use ss::Ss;
use std::net::SocketAddrV4;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use process::Surroundings;

const NANOS_PER_SEC: u64 = 1_000_000_000;
const NANOS_PER_MILLI: u64 = 1_000_000;
/// Clocks of different machines are known to each other better than this.
const LEAVING: Duration = Duration::from_millis(500);

/// Where what is written of a run goes while it runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files<'a> {
    /// The folder for captures, if there are to be any.
    pub captures: Option<&'a Path>,
    /// The file for a watcher.
    pub live: Option<&'a Path>,
}

/// Measures a run on a network that was built for it.
///
/// # Errors
/// A congestion control that the kernel lacks, a connection that fails, anything that the kernel refuses.
pub fn measure(
    run: &Run,
    controls: &[String],
    network: &mut Network,
    surroundings: &Surroundings,
    files: Files<'_>,
) -> Result<Measurement, Failure> {
    let mut traffic = Traffic::open(run, controls, network, surroundings, files)?;
    while !traffic.ended {
        traffic.act()?;
        traffic.sleep()?;
    }
    traffic.finish()
}

/// A run in progress.
struct Traffic<'a> {
    run: &'a Run,
    network: &'a mut Network,
    clock: Clock,
    poll: Poll,
    schedule: Schedule,
    flows: Vec<Flow>,
    recording: Recording<'a>,
    /// Those of the hops to come.
    changes: Changes<'a>,
    /// Finite workloads that are not complete.
    incomplete: usize,
    /// Connections that have called connect() and are not closed.
    open: usize,
    /// Where the search for the next transfer's port begins.
    next_port: u16,
    ended: bool,
    payload: Payload,
    sink: Vec<u8>,
    news: Arc<News>,
    /// What all flows' programs share; none: no flow has one.
    programs: Option<Programs<'a>>,
    ss: Option<Ss>,
    captures: Option<Captures>,
    /// Who leads this machine and others that do the run together, and the ports that these have agreed on; none: this one
    /// does all of it.
    lead: Option<&'a Lead>,
    transfers: Option<TransferPorts>,
}

impl<'a> Traffic<'a> {
    /// Everything that a run needs, ready for its time 0.
    fn open(
        run: &'a Run,
        controls: &[String],
        network: &'a mut Network,
        surroundings: &'a Surroundings,
        files: Files<'_>,
    ) -> Result<Self, Failure> {
        if run.flows.len() > MAX_FLOWS {
            return Err(Failure(format!("{} flows; there are ports for {MAX_FLOWS}", run.flows.len())));
        }
        if run.flows.len() != controls.len() {
            return Err(Failure("a job names one control a flow".to_owned()));
        }
        let mut flows = controls
            .iter()
            .enumerate()
            .map(|(i, control)| Flow::open(i, run, control, network))
            .collect::<Result<Vec<Flow>, Failure>>()?;
        let lead = surroundings.lead.as_ref();
        let recording = Recording::open(run, network, files.live)?;
        let programs = Programs::open(run, network, surroundings, &mut flows)?;
        let mut captures = files.captures.map(|folder| Captures::open(run, network, folder)).transpose()?.flatten();
        let clock = Clock::begin(lead.map(Lead::zero_ns).transpose()?, run.path.memory_ns())?;
        captures.iter_mut().try_for_each(|captures| captures.begin(&clock))?;
        let ss = Ss::begin(run, network, surroundings, clock.zero_ns())?;
        let ports_on = network.ports_on();
        let incomplete = (0..flows.len()).filter(|index| flows[*index].is_finite && network.has(*index)).count();
        let mut traffic = Self {
            run,
            network,
            clock,
            poll: Poll::new()?,
            schedule: Schedule::new(run),
            changes: Changes::of(run),
            incomplete,
            open: 0,
            next_port: *TRANSFER_PORTS.start(),
            flows,
            recording,
            ended: false,
            payload: Payload::default(),
            sink: sink(),
            news: News::new()?,
            programs,
            ss,
            captures,
            lead,
            transfers: ports_on.map(|on| TransferPorts::new(run, on)),
        };
        traffic.poll.watch(&traffic.clock, Wake::Alarm)?;
        traffic.poll.watch(&*traffic.news, Wake::News)?;
        for ring in traffic.captures.iter().flat_map(Captures::rings) {
            traffic.poll.watch(ring, Wake::Capture)?;
        }
        if let Some(programs) = &traffic.programs {
            traffic.poll.watch(programs, Wake::Ending)?;
        }
        for (i, flow) in traffic.flows.iter().enumerate() {
            if let Some(listener) = &flow.listener {
                traffic.poll.watch(listener, Wake::Listener(i))?;
            }
            for socket in flow.datagrams.iter().flat_map(Datagrams::sockets) {
                traffic.poll.watch(socket, Wake::Datagram(i))?;
            }
        }
        // A sender on another machine may be ahead by what the clocks differ.
        for index in (0..run.flows.len()).filter(|index| traffic.network.only_ends_here(*index)) {
            traffic.recording.start(index, 0);
            traffic.flows[index].phase = Phase::Running;
        }
        if traffic.incomplete == 0 {
            traffic.lead.map_or(Ok(()), Lead::complete)?;
        }
        Ok(traffic)
    }

    /// Does what is due.
    fn act(&mut self) -> Result<(), Failure> {
        let Some(now_ns) = self.clock.rang()? else { return Ok(()) };
        if !self.clock.jumps() {
            self.recording.watch(self.network)?;
        }
        while let Some((due_ns, milestone)) = self.schedule.take_due(now_ns) {
            self.handle(milestone, due_ns, instant(due_ns, now_ns))?;
            if self.ended {
                break;
            }
        }
        Ok(())
    }

    fn handle(&mut self, milestone: Milestone, due_ns: u64, now_ns: u64) -> Result<(), Failure> {
        match milestone {
            Milestone::Change => self.change(),
            Milestone::Write(flow) if self.flows[flow].datagrams.is_some() => self.send_datagrams(flow, now_ns),
            Milestone::Write(flow) if self.flows[flow].program.is_some() => self.look_at_program(flow, now_ns),
            Milestone::Write(flow) => self.write(ConnectionId { flow, port: self.network.sender_port(flow) }, due_ns),
            Milestone::Start(flow) => self.start(flow, now_ns),
            Milestone::Arrival { flow, .. } if self.flows[flow].pages.is_some() => self.begin_page(flow),
            Milestone::Arrival { flow, index } => self.arrive(flow, index, now_ns),
            Milestone::Stop(flow) => self.stop(flow, now_ns),
            Milestone::Sample => {
                self.schedule.add_next_sample(due_ns, now_ns);
                self.recording.sample(self.network, &mut self.flows, now_ns)?;
                self.captures.iter_mut().try_for_each(Captures::drain)?;
                if self.lead.is_some_and(Lead::is_to_finish) { self.end(now_ns) } else { Ok(()) }
            }
            Milestone::WindowBegin => self.recording.mark(Mark::WindowBegin, self.network, &mut self.flows, now_ns),
            Milestone::WindowEnd => self.recording.mark(Mark::WindowEnd, self.network, &mut self.flows, now_ns),
            Milestone::End => self.end(now_ns),
        }
    }

    /// A hop changes, and the next change is a milestone.
    fn change(&mut self) -> Result<(), Failure> {
        let Some((direction, hop, change)) = self.changes.next() else { return Ok(()) };
        if let Some(at_ns) = self.changes.next_ns() {
            self.schedule.add(at_ns, Milestone::Change);
        }
        let changed = self.network.change(direction, hop, change);
        changed.map_err(|error| Failure::of("change a hop", error))
    }

    fn end(&mut self, now_ns: u64) -> Result<(), Failure> {
        self.ended = true;
        self.recording.end(self.network, &mut self.flows, now_ns)
    }

    /// Sleeps until something happens, and lets the flows concerned go on. The alarm is always set, if only for the
    /// run's end: a clock that jumps from event to event would stand still for ever without one.
    fn sleep(&mut self) -> Result<(), Failure> {
        if self.ended {
            return Ok(());
        }
        let mut alarm = false;
        while !alarm {
            if let Some(at_ns) = self.schedule.next_ns() {
                self.clock.arm(at_ns)?;
            }
            for (wake, is_error) in self.poll.sleep()? {
                match wake {
                    Wake::Alarm => alarm = true,
                    Wake::Sender(id) => self.wake_sender(id, is_error)?,
                    Wake::Receiver(id) if self.flows[id.flow].pages.is_some() => self.take_answer(id)?,
                    Wake::Receiver(id) => self.take(id)?,
                    Wake::Listener(flow) => self.accept(flow)?,
                    Wake::News => self.hear()?,
                    Wake::Ending => self.end_programs()?,
                    Wake::Datagram(flow) => self.take_datagrams(flow)?,
                    Wake::Capture => self.captures.iter_mut().try_for_each(Captures::drain)?,
                }
                if self.ended {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, index: usize, now_ns: u64) -> Result<(), Failure> {
        if !self.network.begins_here(index) {
            return Ok(());
        }
        self.recording.start(index, now_ns);
        let flow = &mut self.flows[index];
        flow.phase = Phase::Running;
        if let (Some(program), Some(programs)) = (&mut flow.program, &self.programs) {
            return programs.start(program, now_ns).map_err(failed(self.run, index, None));
        }
        if let Some(datagrams) = &flow.datagrams {
            self.recording.start_datagrams(index, datagrams.log().phases());
            return self.send_datagrams(index, now_ns);
        }
        if flow.pages.is_some() {
            return self.start_client(index);
        }
        // That of a flow which is one connection; a source has none yet.
        let port = flow.connections.keys().next().copied();
        port.map_or(Ok(()), |port| self.connect(ConnectionId { flow: index, port }))
    }

    /// The next datagrams of a flow are due.
    fn send_datagrams(&mut self, index: usize, now_ns: u64) -> Result<(), Failure> {
        let flow = &mut self.flows[index];
        if let Some(datagrams) = flow.datagrams.as_mut().filter(|_| flow.phase == Phase::Running)
            && let Some(next_ns) = datagrams.send(now_ns).map_err(failed(self.run, index, None))?
        {
            self.schedule.add(next_ns, Milestone::Write(index));
        }
        Ok(())
    }

    /// Datagrams have come to a flow's receiver, or back.
    fn take_datagrams(&mut self, index: usize) -> Result<(), Failure> {
        let now_ns = self.clock.now()?;
        let Self { flows, recording, run, .. } = self;
        let Some(datagrams) = &mut flows[index].datagrams else { return Ok(()) };
        datagrams.take(now_ns, |rtt_ns| recording.pong(index, now_ns, rtt_ns)).map_err(failed(run, index, None))
    }

    /// A transfer of a source arrives.
    fn arrive(&mut self, index: usize, transfer: usize, now_ns: u64) -> Result<(), Failure> {
        let flow = &mut self.flows[index];
        if flow.phase != Phase::Running || !self.network.begins_here(index) {
            return Ok(());
        }
        if let Some((at_ns, next)) = run::arrival(self.run, index, transfer + 1) {
            self.schedule.add(at_ns, next);
        }
        self.recording.start_transfer(index, transfer, now_ns);
        if self.open == MOST_CONNECTIONS {
            return Err(self.crowded(index, transfer, now_ns));
        }
        let bytes = self.run.flows[index].arrivals()[transfer].bytes;
        let source = Source::new(&Workload::Transfer { bytes });
        let host = self.network.sender(index);
        let opened = if let Some(transfers) = &self.transfers {
            let port = transfers.port(index, transfer);
            Connection::open(source, Some(transfer), host, [port], flow.remote, &flow.control)
        } else {
            let ports = (self.next_port..=*TRANSFER_PORTS.end()).chain(*TRANSFER_PORTS.start()..self.next_port);
            Connection::open(source, Some(transfer), host, ports, flow.remote, &flow.control)
        };
        let connection = opened.map_err(failed(self.run, index, Some(transfer)))?;
        let port = connection.port;
        self.next_port = port.checked_add(1).unwrap_or(*TRANSFER_PORTS.start());
        self.flows[index].connections.insert(port, connection);
        self.connect(ConnectionId { flow: index, port })
    }

    fn connect(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let Some(connection) = self.flows[id.flow].connections.get(&id.port) else { return Ok(()) };
        self.open += 1;
        let Some(sender) = connection.sender() else { return Ok(()) };
        let connected = self.network.connect(self.run, id.flow, || sender.connect());
        let connected = connected.unwrap_or_else(|error| Err(Failure(error.to_string())));
        connected.map_err(failed(self.run, id.flow, connection.arrival))?;
        // Only now: before, it would be told that nothing is connected.
        if self.flows[id.flow].pages.is_some() {
            return self.poll.watch_both(sender, Wake::Sender(id));
        }
        self.poll.watch(sender, Wake::Sender(id))
    }

    fn wake_sender(&mut self, id: ConnectionId, is_error: bool) -> Result<(), Failure> {
        let Some(connection) = self.flows[id.flow].connections.get_mut(&id.port) else { return Ok(()) };
        if connection.is_complete {
            connection.read()?;
            return self.close_acknowledged(id);
        }
        let failed = failed(self.run, id.flow, connection.arrival);
        match connection.wake(is_error, &self.payload).map_err(failed)? {
            Woken::Nothing if self.network.ends_here(id.flow) => return self.serve(id),
            Woken::Nothing => {}
            Woken::Established => {
                let now_ns = self.clock.now()?;
                connection.establish(now_ns);
                self.write(id, now_ns)?;
                return self.serve(id);
            }
            Woken::GivenUp => return self.give_up(id),
        }
        // A receiver on another machine closes when it has all.
        connection.read()?;
        if connection.is_closed_by_peer() { self.complete(id) } else { Ok(()) }
    }

    /// The kernel has given a connection up: its application stops.
    fn give_up(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let now_ns = self.clock.now()?;
        self.recording.read(self.network, &mut self.flows, now_ns)?;
        self.recording.give_up(id.flow, now_ns);
        let flow = &mut self.flows[id.flow];
        let Some(connection) = flow.connections.get_mut(&id.port) else { return Ok(()) };
        if let Some(transfer) = connection.arrival {
            self.recording.count_transfer(id.flow, transfer, connection);
            self.recording.close(id.flow, flow, id.port, now_ns);
            flow.connections.remove(&id.port).into_iter().for_each(Connection::close);
            self.open -= 1;
            flow.incomplete -= 1;
            if flow.incomplete > 0 {
                return Ok(());
            }
        }
        self.end_flow(id.flow, now_ns, Connection::close)
    }

    /// The application of a connection does what is due.
    fn write(&mut self, id: ConnectionId, due_ns: u64) -> Result<(), Failure> {
        let Some(connection) = self.flows[id.flow].connections.get_mut(&id.port) else { return Ok(()) };
        let failed = failed(self.run, id.flow, connection.arrival);
        if let Some(again_ns) = connection.act(due_ns, &self.payload).map_err(failed)? {
            self.schedule.add(again_ns, Milestone::Write(id.flow));
        }
        Ok(())
    }

    /// Takes the connection of a flow, and closes the listener; or all that have come to a source.
    fn accept(&mut self, index: usize) -> Result<(), Failure> {
        let failed = failed(self.run, index, None);
        let flow = &mut self.flows[index];
        while let Some(listener) = &flow.listener {
            let Some((stream, peer)) = accept(listener).map_err(&failed)? else { break };
            let (port, is_remote) = (peer.port(), !self.network.begins_here(index));
            let sender = SocketAddrV4::new(self.network.sender(index).address, self.network.sender_port(index));
            if is_remote && !flow.admit(self.run, index, peer, sender, self.transfers.as_mut()) {
                continue; // a stranger
            }
            if !flow.is_source {
                flow.listener = None;
            }
            if flow.pages.is_some() {
                self.accept_client(ConnectionId { flow: index, port }, stream)?;
                return self.accept(index);
            }
            if let Some(connection) = flow.connections.get_mut(&port) {
                let id = ConnectionId { flow: index, port };
                let receiver = connection.receive(id, stream, flow.reads, flow.window_bytes, &self.news);
                if let Some(receiver) = receiver.map_err(&failed)? {
                    self.poll.watch(receiver, Wake::Receiver(id))?;
                }
            }
        }
        Ok(())
    }

    /// A short transfer has delivered something.
    fn take(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let Some(connection) = self.flows[id.flow].connections.get_mut(&id.port) else { return Ok(()) };
        let failed = failed(self.run, id.flow, connection.arrival);
        match connection.take(&mut self.sink) {
            Ok(true) => self.complete(id),
            Ok(false) => Ok(()),
            // Why it has ended its sender's machine says.
            Err(_) if !self.network.begins_here(id.flow) => Ok(()),
            Err(failure) => Err(failed(failure)),
        }
    }

    /// Readers have all that they wait for, or have failed. What one says whose flow was stopped is no news.
    fn hear(&mut self) -> Result<(), Failure> {
        for (id, result) in self.news.take() {
            if self.flows[id.flow].phase == Phase::Running && !self.ended {
                match result {
                    Ok(()) => self.complete(id)?,
                    Err(_) if !self.network.begins_here(id.flow) => {}
                    Err(failure) => return Err(failed(self.run, id.flow, None)(failure)),
                }
            }
        }
        Ok(())
    }

    /// Everything has been delivered on a connection.
    fn complete(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let index = id.flow;
        let Some(connection) = self.flows[index].connections.get_mut(&id.port) else { return Ok(()) };
        let now_ns = self.clock.now()?;
        connection.read()?;
        if let Some(transfer) = connection.arrival {
            self.recording.complete_transfer(index, transfer, connection, now_ns);
            connection.complete();
            self.flows[index].incomplete -= 1;
            if self.flows[index].incomplete > 0 {
                return self.close_acknowledged(id);
            }
        }
        self.recording.complete(index, now_ns);
        self.end_flow(index, now_ns, Connection::close)
    }

    /// Closes the connection of a complete transfer, once its sender knows that it is.
    fn close_acknowledged(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let flow = &mut self.flows[id.flow];
        let Some(connection) = flow.connections.get(&id.port) else { return Ok(()) };
        if connection.reading.sender.unacked == 0 {
            self.recording.close(id.flow, flow, id.port, self.clock.now()?);
            flow.connections.remove(&id.port).into_iter().for_each(Connection::close);
            self.open -= 1;
        }
        Ok(())
    }

    /// Takes a flow's counters and aborts its connections: what lies in the send buffers is not sent any more, nor sent
    /// again. What is under way still arrives, and a reset behind it.
    fn stop(&mut self, index: usize, now_ns: u64) -> Result<(), Failure> {
        let flow = &self.flows[index];
        if flow.phase != Phase::Running {
            return Ok(());
        }
        for connection in flow.connections.values() {
            let aborted = connection.sender().map_or(Ok(()), Sender::abort_on_close);
            aborted.map_err(failed(self.run, index, connection.arrival))?;
        }
        self.recording.read(self.network, &mut self.flows, now_ns)?;
        self.end_flow(index, now_ns, Connection::abort)?;
        if let Some(program) = &mut self.flows[index].program {
            // What lies in its send buffers is not sent any more either, whatever it makes of the signal.
            self.network.cut(index).map_err(|error| Failure::of("cut a flow off", error))?;
            program.signal(Signal::SIGTERM, End::Server);
        }
        Ok(())
    }

    /// The flow is over; `end` closes its sockets.
    fn end_flow(&mut self, index: usize, now_ns: u64, end: fn(Connection)) -> Result<(), Failure> {
        let flow = &mut self.flows[index];
        self.recording.mark_flow(Mark::End, index, flow, now_ns);
        flow.phase = Phase::Stopped;
        flow.listener = None;
        self.open -= flow.connections.len();
        flow.closed_acked_bytes = flow.acked_bytes();
        std::mem::take(&mut flow.connections).into_values().for_each(end);
        self.incomplete -= usize::from(flow.is_finite && self.network.has(index));
        if self.run.until_done && self.incomplete == 0 && !self.ended {
            // Flows of other machines may go on, and those of this one beside them.
            return self.lead.map_or_else(|| self.end(now_ns), Lead::complete);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Measurement, Failure> {
        if !self.network.is_on_one_machine() {
            self.leave()?;
        }
        let ended_ns = self.recording.read_ns();
        self.captures.iter_mut().try_for_each(|captures| captures.end(ended_ns))?;
        let said = self.programs.as_ref().map(|programs| programs.finish(&mut self.flows)).transpose()?;
        let mut facts = self.network.facts();
        if self.clock.late().count > 0 {
            facts.extend(late_facts("live.alarms", self.clock.late()));
        }
        facts.extend(
            self.network.relay_facts().map_err(|error| Failure::of("ask the relay what it has counted", error))?,
        );
        let ss = self.ss.as_ref().map(Ss::seen).transpose()?.unwrap_or_default();
        if self.ss.is_some() || self.captures.is_some() {
            let own = |index: usize| !self.run.flows[index].is_program();
            facts.extend((0..self.run.flows.len()).map(|index| {
                let port = if own(index) { format!(":{}", self.network.sender_port(index)) } else { String::new() };
                (format!("flows[{index}].sender"), format!("{}{port}", self.network.sender(index).address))
            }));
        }
        facts.extend(self.captures.map(Captures::facts).transpose()?.unwrap_or_default());
        self.recording.finish(&self.flows, said.unwrap_or_default(), ss, facts)
    }

    /// Lets go of connections on a machine that goes on: the receivers first wait for what the senders' clocks may be behind,
    /// and senders leave nothing in their send buffers.
    fn leave(&mut self) -> Result<(), Failure> {
        if (0..self.flows.len()).any(|index| self.network.only_ends_here(index)) {
            sleep(LEAVING).map_err(|error| Failure(error.to_string()))?;
        }
        for connection in self.flows.iter_mut().flat_map(|flow| std::mem::take(&mut flow.connections).into_values()) {
            connection.sender().map_or(Ok(()), Sender::abort_on_close)?;
            connection.close();
        }
        Ok(())
    }

    fn crowded(&self, index: usize, transfer: usize, now_ns: u64) -> Failure {
        let (seconds, ms) = (now_ns / NANOS_PER_SEC, now_ns % NANOS_PER_SEC / NANOS_PER_MILLI);
        failed(self.run, index, Some(transfer))(Failure(format!(
            "arrives at {seconds}.{ms:03} s, when {MOST_CONNECTIONS} connections of all flows are open already: this \
             engine has no more at once, and transfers come faster than they end"
        )))
    }
}
