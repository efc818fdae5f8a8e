//! [`Recording`]: what is recorded of a run while its flows run.

use super::connection::Connection;
use super::datagrams::Datagrams;
use super::dumps::Dumps;
use super::flow::{Flow, Phase, failed};
use super::live::{Live, LiveFlow};
use super::program::Program;
use crate::failure::Failure;
use crate::network::Network;
use crate::record::{KernelRecorder, Reading, carrying, no_counters};
use crate::sockets;
use crate::sockets::tcp_info::EcnUse;
use crate::watch::Watch;
use run::{Ecn, FlowCounters, Mark, Measurement, QueueCounters, Run, SsSample};
use std::collections::BTreeMap;
use std::path::Path;

const NANOS_PER_MICRO: u64 = 1_000;

/// What the kernel has counted of a run's flows and its queue.
#[derive(Debug)]
pub struct Recording<'a> {
    run: &'a Run,
    dumps: Dumps,
    recorder: KernelRecorder,
    /// The instant of the last reading of all flows and of the hops' queues, and the latter.
    read: Option<(u64, Vec<QueueCounters>)>,
    /// What else the machine does, from time 0 to the run's end; none in virtual time.
    watch: Option<Watch>,
    watched: BTreeMap<String, String>,
    /// What the interface to other machines had received and sent then.
    interface_bytes: Option<[u64; 2]>,
    live: Option<Live>,
}

impl<'a> Recording<'a> {
    /// Nothing recorded yet. `live`: the file for a watcher.
    ///
    /// # Errors
    /// The kernel does not tell of sockets.
    pub fn open(run: &'a Run, network: &Network, live: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self {
            run,
            dumps: Dumps::open(run, network)?,
            recorder: KernelRecorder::new(run),
            read: None,
            watch: None,
            watched: BTreeMap::new(),
            interface_bytes: None,
            live: live.map(|path| Live::open(path, run.flows.len())),
        })
    }

    /// Watches the machine from now on, if it is not watched already.
    ///
    /// # Errors
    /// The machine does not tell.
    pub fn watch(&mut self, network: &Network) -> Result<(), Failure> {
        if self.watch.is_none() {
            self.interface_bytes = interface_bytes(network)?;
            self.watch = Some(Watch::begin().map_err(|error| Failure::of("watch the machine", error))?);
        }
        Ok(())
    }

    /// A flow starts.
    pub fn start(&mut self, flow: usize, now_ns: u64) {
        self.recorder.recorder.start(flow, now_ns);
    }

    /// A flow of datagrams starts, whose gauges count these phases.
    pub fn start_datagrams(&mut self, flow: usize, phases: &[&str]) {
        self.recorder.recorder.set_phases(flow, phases);
    }

    /// A transfer of a source arrives.
    pub fn start_transfer(&mut self, flow: usize, transfer: usize, now_ns: u64) {
        self.recorder.recorder.start_transfer(flow, transfer, now_ns);
    }

    /// Everything has been delivered on a transfer's connection.
    pub fn complete_transfer(&mut self, flow: usize, transfer: usize, connection: &Connection, now_ns: u64) {
        self.recorder.recorder.complete_transfer(flow, transfer, now_ns);
        self.count_transfer(flow, transfer, connection);
    }

    /// A transfer's connection has sent what it has.
    pub fn count_transfer(&mut self, flow: usize, transfer: usize, connection: &Connection) {
        self.recorder.count_transfer(flow, transfer, &connection.reading);
    }

    /// The kernel has given a connection up.
    pub fn give_up(&mut self, flow: usize, now_ns: u64) {
        self.recorder.recorder.give_up(flow, now_ns);
    }

    /// Everything has been delivered of a flow.
    pub fn complete(&mut self, flow: usize, now_ns: u64) {
        self.recorder.recorder.complete(flow, now_ns);
    }

    /// A ping was answered.
    pub fn pong(&mut self, flow: usize, now_ns: u64, rtt_ns: u64) {
        self.recorder.recorder.keep_least_rtt(flow, rtt_ns);
        self.recorder.recorder.keep_ack(flow, now_ns, rtt_ns);
    }

    /// A connection of a source is about to be closed: what it has counted stays.
    pub fn close(&mut self, index: usize, flow: &mut Flow, port: u16, now_ns: u64) {
        if let Some(connection) = flow.connections.get(&port) {
            self.recorder.keep_least_rtt(index, &connection.reading);
            flow.closed.add(&connection.counters(&self.recorder, index, now_ns));
            flow.closed_acked_bytes += connection.reading.sender.bytes_acked;
            let reading = connection.reading;
            flow.end_ecn(&reading);
        }
    }

    /// Keeps the gauges of all that run.
    ///
    /// # Errors
    /// The kernel refuses to tell, or a program has written too much.
    pub fn sample(&mut self, network: &mut Network, flows: &mut [Flow], now_ns: u64) -> Result<(), Failure> {
        for (hop, counters) in self.read(network, flows, now_ns)?.iter().enumerate() {
            self.recorder.recorder.sample_queue(hop, counters);
        }
        for (i, flow) in flows.iter().enumerate() {
            flow.program.iter().try_for_each(Program::check_written).map_err(failed(self.run, i, None))?;
        }
        for (i, flow) in flows.iter().enumerate() {
            if flow.phase == Phase::Running {
                if let Some(datagrams) = &flow.datagrams {
                    let counters = self.datagram_counters(i, datagrams, now_ns);
                    let rtt_us = datagrams.log().last_rtt_ns() / NANOS_PER_MICRO;
                    let rtt_us = u32::try_from(rtt_us).unwrap_or(u32::MAX);
                    let delivered_bytes = counters.delivered_bytes;
                    let gauges = || datagrams.log().gauges(counters.bottleneck_bytes);
                    self.recorder.recorder.sample_flow(i, now_ns, rtt_us, delivered_bytes, gauges);
                    continue;
                }
                if let Some(program) = &flow.program {
                    let counters = program.counters(&self.recorder, now_ns);
                    let open: Vec<Reading> = program.open_connections().collect();
                    self.recorder.sample_program(i, &open, &counters, now_ns);
                    continue;
                }
                let mut open = flow.connections.values().map(|it| (it.reading, it.delivered_bytes()));
                if flow.is_source {
                    self.recorder.sample_source(i, open, &flow.closed, now_ns);
                } else if let Some((reading, delivered_bytes)) = open.next() {
                    self.recorder.sample_flow(i, &reading, delivered_bytes, now_ns);
                }
            }
        }
        if self.live.as_ref().is_some_and(|live| live.is_due(now_ns)) {
            let readings: Vec<LiveFlow> =
                flows.iter().enumerate().map(|(i, flow)| self.live_flow(i, flow, now_ns)).collect();
            self.live.iter_mut().for_each(|live| live.write(now_ns, &readings));
        }
        Ok(())
    }

    /// What is known of a flow that was just sampled.
    fn live_flow(&self, index: usize, flow: &Flow, now_ns: u64) -> LiveFlow {
        let counters = self.counters(index, flow, now_ns);
        let running = flow.phase == Phase::Running;
        let cwnd_segments = match &flow.program {
            _ if !running => 0,
            Some(program) => {
                let open: Vec<Reading> = program.open_connections().collect();
                carrying(&open).map(|it| it.sender.snd_cwnd).sum()
            }
            None => flow.connections.values().map(|it| it.reading.sender.snd_cwnd).sum(),
        };
        let sampled_us = self.recorder.recorder.flow(index).series.srtt_us.last();
        LiveFlow {
            delivered_bytes: counters.delivered_bytes,
            acked_bytes: flow.acked_bytes(),
            retransmitted_segments: counters.segments_retransmitted,
            srtt_us: sampled_us.copied().filter(|_| running).unwrap_or(0),
            cwnd_segments,
            running,
        }
    }

    /// Keeps the counters of all flows and of the queues.
    ///
    /// # Errors
    /// The kernel refuses to tell.
    pub fn mark(&mut self, mark: Mark, network: &mut Network, flows: &mut [Flow], now_ns: u64) -> Result<(), Failure> {
        self.mark_queues(mark, network, flows, now_ns)?;
        for (i, flow) in flows.iter_mut().enumerate() {
            self.mark_flow(mark, i, flow, now_ns);
        }
        Ok(())
    }

    fn mark_queues(
        &mut self,
        mark: Mark,
        network: &mut Network,
        flows: &mut [Flow],
        now_ns: u64,
    ) -> Result<(), Failure> {
        for (hop, counters) in self.read(network, flows, now_ns)?.into_iter().enumerate() {
            self.recorder.recorder.mark_queue(mark, hop, counters);
        }
        Ok(())
    }

    /// What a flow has counted so far.
    fn counters(&self, index: usize, flow: &Flow, now_ns: u64) -> FlowCounters {
        match flow.phase {
            Phase::Waiting => no_counters(now_ns),
            // A source's connections are over, and none of them is idle.
            Phase::Stopped if flow.is_source || flow.program.is_some() || flow.datagrams.is_some() => {
                FlowCounters { at_ns: now_ns, ..flow.counters }
            }
            Phase::Stopped => idle(flow.counters, now_ns),
            Phase::Running => {
                if let Some(datagrams) = &flow.datagrams {
                    return self.datagram_counters(index, datagrams, now_ns);
                }
                let closed = flow.program.as_ref().map(|program| program.counters(&self.recorder, now_ns));
                let mut counters = FlowCounters { at_ns: now_ns, ..closed.unwrap_or(flow.closed) };
                flow.connections.values().for_each(|it| counters.add(&it.counters(&self.recorder, index, now_ns)));
                counters
            }
        }
    }

    /// What datagrams have counted so far.
    fn datagram_counters(&self, index: usize, datagrams: &Datagrams, now_ns: u64) -> FlowCounters {
        let bottleneck_bytes = self.recorder.datagram_bytes(index, datagrams.arrived());
        datagrams.log().counters(FlowCounters { bottleneck_bytes, ..no_counters(now_ns) })
    }

    /// Keeps a flow's counters.
    pub fn mark_flow(&mut self, mark: Mark, index: usize, flow: &mut Flow, now_ns: u64) {
        let counters = self.counters(index, flow, now_ns);
        if mark == Mark::End {
            flow.counters = counters;
            if let Some(program) = &flow.program {
                program.keep_least_rtt(&mut self.recorder);
            }
            let program = flow.program.as_ref().map(Program::sum);
            let open: Vec<Reading> = flow.connections.values().map(|it| it.reading).chain(program).collect();
            open.iter().for_each(|reading| flow.end_ecn(reading));
            for connection in flow.connections.values() {
                self.recorder.keep_least_rtt(index, &connection.reading);
                if let Some(transfer) = connection.arrival.filter(|_| !connection.is_complete) {
                    self.recorder.count_transfer(index, transfer, &connection.reading);
                }
            }
        }
        self.recorder.recorder.mark_flow(mark, index, counters);
    }

    /// The run ends now. One that is done before its window's end measures to its own end.
    ///
    /// # Errors
    /// The kernel or the machine refuses to tell.
    pub fn end(&mut self, network: &mut Network, flows: &mut [Flow], now_ns: u64) -> Result<(), Failure> {
        if let Some(watch) = &self.watch {
            self.watched = watch.facts().map_err(|error| Failure::of("watch the machine", error))?;
            if let (Some(then), Some(now)) = (self.interface_bytes, interface_bytes(network)?) {
                let passed = ["received", "sent"].into_iter().zip(then).zip(now);
                self.watched.extend(passed.map(|((way, then), now)| {
                    (format!("live.interface_{way}_bytes"), now.saturating_sub(then).to_string())
                }));
            }
        }
        self.mark_queues(Mark::End, network, flows, now_ns)?;
        if now_ns <= self.run.measure.window_end_ns {
            self.mark(Mark::WindowEnd, network, flows, now_ns)?;
        }
        for (i, flow) in flows.iter_mut().enumerate() {
            if flow.phase != Phase::Stopped {
                self.mark_flow(Mark::End, i, flow, now_ns);
            }
        }
        Ok(())
    }

    /// The instant of the last reading: at the end the run's.
    pub fn read_ns(&self) -> u64 {
        self.read.as_ref().map_or(0, |(at_ns, _)| *at_ns)
    }

    /// Reads what the kernel counts, once an instant.
    ///
    /// # Errors
    /// The kernel refuses to tell.
    pub fn read(
        &mut self,
        network: &mut Network,
        flows: &mut [Flow],
        now_ns: u64,
    ) -> Result<Vec<QueueCounters>, Failure> {
        if let Some((at_ns, counters)) = &self.read
            && *at_ns == now_ns
        {
            return Ok(counters.clone());
        }
        let mut counters = network.counters().map_err(|error| Failure::of("read the queues' counters", error))?;
        counters.iter_mut().for_each(|queue| queue.at_ns = now_ns);
        self.dumps.read(flows)?;
        flows.iter_mut().filter_map(|flow| flow.program.as_mut()).for_each(Program::sweep);
        self.read = Some((now_ns, counters.clone()));
        Ok(counters)
    }

    /// The measurement of a run that has ended, with what its programs said, what `ss` has seen, and these facts beside
    /// its own.
    ///
    /// # Errors
    /// The kernel does not tell its release.
    pub fn finish(
        mut self,
        flows: &[Flow],
        said: impl IntoIterator<Item = (usize, run::Program)>,
        ss: Vec<SsSample>,
        mut facts: BTreeMap<String, String>,
    ) -> Result<Measurement, Failure> {
        let ended_ns = self.read_ns();
        for (flow, program) in said {
            self.recorder.recorder.set_program(flow, program);
        }
        for (i, datagrams) in flows.iter().enumerate().filter_map(|(i, flow)| Some((i, flow.datagrams.as_ref()?))) {
            self.recorder.recorder.set_datagrams(i, datagrams.log());
        }
        for (i, pages) in flows.iter().enumerate().filter_map(|(i, flow)| Some((i, flow.pages.as_ref()?))) {
            self.recorder.recorder.set_pages(i, pages);
        }
        let system = nix::sys::utsname::uname().map_err(|errno| Failure::of("ask for the kernel's release", errno))?;
        facts.insert("kernel.release".to_owned(), system.release().to_string_lossy().into_owned());
        let connected = flows.iter().enumerate().filter(|(_, flow)| flow.datagrams.is_none());
        facts.extend(connected.map(|(i, flow)| (format!("flows[{i}].cc"), flow.control.clone())));
        let version = |i| Some((format!("flows[{i}].cc_version"), self.recorder.bbr_version(i)?.to_string()));
        facts.extend((0..flows.len()).filter_map(version));
        facts.extend(flows.iter().enumerate().flat_map(|(i, flow)| ecn_facts(i, self.run.flows[i].ecn, flow)));
        facts.extend(self.watched);
        Ok(Measurement { ss, ..self.recorder.recorder.finish(ended_ns, facts) })
    }
}

/// How many connections have negotiated the ECN that their flow has, as their senders have it, and to how many receivers ECT has come. Of a flow that was to
/// have none only where some have.
fn ecn_facts(index: usize, ecn: Ecn, flow: &Flow) -> impl Iterator<Item = (String, String)> {
    let [senders, receivers] = flow.ecn;
    let negotiated = if ecn == Ecn::Accurate { senders.accurate } else { senders.negotiated - senders.accurate };
    let is_of_note =
        ecn != Ecn::Off || sockets::control_of_both_ends(&flow.control).is_some() || senders.negotiated > 0;
    let counts = [("ecn", negotiated, senders), ("ect", receivers.received_ect, receivers)];
    let fact = move |(name, count, all): (&str, u32, EcnUse)| {
        (all.connections > 0).then(|| (format!("flows[{index}].{name}"), format!("{count} of {}", all.connections)))
    };
    counts.into_iter().filter(move |_| is_of_note).filter_map(fact)
}

fn interface_bytes(network: &Network) -> Result<Option<[u64; 2]>, Failure> {
    network.interface_bytes().map_err(|error| Failure::of("watch the interface", error))
}

/// Counters of a flow that has ended: since then it had nothing to send.
fn idle(counters: FlowCounters, now_ns: u64) -> FlowCounters {
    let app_limited_ns = counters.app_limited_ns + (now_ns - counters.at_ns);
    FlowCounters { at_ns: now_ns, app_limited_ns, ..counters }
}
