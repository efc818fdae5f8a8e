//! Carries out a run: starts its flows, keeps them busy, and reads what the kernel counts.
//!
//! One thread decides everything, and sleeps in one `epoll_wait`. Under User-Mode Linux the clock stands still while
//! anything computes, so that whatever is done at a wake-up is done at one instant; and a system call costs some tens of
//! microseconds of the host's time, so that user space must be woken seldom: large writes, readers that stay inside the
//! kernel, one alarm for all that is due, and one request a namespace for a sample of all flows.

mod flow;
mod poll;
mod receiver;
mod sender;

use crate::clock::{Clock, instant};
use crate::failure::Failure;
use crate::namespace::Namespace;
use crate::network::Network;
use crate::record::{KernelRecorder, no_counters};
use crate::schedule::Schedule;
use crate::sockets::diag::{Diag, Record};
use crate::sockets::{MAX_FLOWS, RECEIVER_PORT, SENDER_PORT};
use flow::{Flow, Phase};
use poll::{Poll, Wake};
use receiver::{News, Receiver};
use run::{FlowCounters, Mark, Measurement, Milestone, QueueCounters, Run};
use sender::Payload;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use units::Span;

/// Measures a run on a network that was built for it.
///
/// # Errors
/// A congestion control that the kernel lacks, a connection that fails, anything that the kernel refuses.
pub fn measure(run: &Run, controls: &[String], network: &mut Network) -> Result<Measurement, Failure> {
    let mut traffic = Traffic::open(run, controls, network)?;
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
    /// One for each namespace that has an end of a flow.
    diags: Vec<Diag>,
    recorder: KernelRecorder,
    /// The instant of the last reading of all flows and of the queue, and the latter.
    read: Option<(u64, QueueCounters)>,
    /// Finite workloads that are not complete.
    incomplete: usize,
    ended: bool,
    payload: Payload,
    news: Arc<News>,
}

impl<'a> Traffic<'a> {
    /// Everything that a run needs, ready for its time 0.
    fn open(run: &'a Run, controls: &[String], network: &'a mut Network) -> Result<Self, Failure> {
        if run.flows.len() > MAX_FLOWS {
            return Err(Failure(format!("{} flows; there are ports for {MAX_FLOWS}", run.flows.len())));
        }
        if run.flows.len() != controls.len() {
            return Err(Failure("a job names one control a flow".to_owned()));
        }
        let flows = controls
            .iter()
            .enumerate()
            .map(|(i, control)| Flow::open(i, run, control, network))
            .collect::<Result<Vec<Flow>, Failure>>()?;
        let diags = open_diags(run, network)?;
        let traffic = Self {
            run,
            network,
            clock: Clock::begin()?,
            poll: Poll::new()?,
            schedule: Schedule::new(run),
            incomplete: flows.iter().filter(|flow| flow.source.total_bytes().is_some()).count(),
            flows,
            diags,
            recorder: KernelRecorder::new(run),
            read: None,
            ended: false,
            payload: Payload::default(),
            news: News::new()?,
        };
        traffic.poll.watch(&traffic.clock, Wake::Alarm)?;
        traffic.poll.watch(&*traffic.news, Wake::News)?;
        for (i, flow) in traffic.flows.iter().enumerate() {
            if let Some((_, Receiver::Listening(listener))) = &flow.ends {
                traffic.poll.watch(listener, Wake::Listener(i))?;
            }
        }
        Ok(traffic)
    }

    /// Does what is due.
    fn act(&mut self) -> Result<(), Failure> {
        let Some(now_ns) = self.clock.rang()? else { return Ok(()) };
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
            Milestone::Change(i) => self
                .network
                .change_rate(self.run.path.changes[i].rate_bps)
                .map_err(|error| Failure::of("change the bottleneck's rate", error)),
            Milestone::Write(flow) => self.write(flow, due_ns),
            Milestone::Start(flow) => self.start(flow, now_ns),
            Milestone::Arrival { flow, .. } => {
                Err(Failure(format!("flows[{flow}]: no source of short transfers here")))
            }
            Milestone::Stop(flow) => self.stop(flow, now_ns),
            Milestone::Sample => {
                self.schedule.add_next_sample(due_ns, now_ns);
                self.sample(now_ns)
            }
            Milestone::WindowBegin => self.mark(Mark::WindowBegin, now_ns),
            Milestone::WindowEnd => self.mark(Mark::WindowEnd, now_ns),
            Milestone::End => {
                self.ended = true;
                self.end(now_ns)
            }
        }
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
                    Wake::Sender(flow) => self.wake_sender(flow, is_error)?,
                    Wake::Listener(flow) => self.accept(flow)?,
                    Wake::News => self.hear()?,
                }
                if self.ended {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, index: usize, now_ns: u64) -> Result<(), Failure> {
        self.recorder.recorder.start(index, now_ns);
        self.flows[index].phase = Phase::Running;
        if let Some((sender, _)) = &self.flows[index].ends {
            sender.connect().map_err(|failure| self.failed(index, failure))?;
            // Only now: before, it would be told that nothing is connected.
            self.poll.watch(sender, Wake::Sender(index))?;
        }
        Ok(())
    }

    fn wake_sender(&mut self, index: usize, is_error: bool) -> Result<(), Failure> {
        let flow = &mut self.flows[index];
        let Some((sender, _)) = &mut flow.ends else { return Ok(()) };
        if is_error && let Some(failure) = sender.error() {
            return Err(self.failed(index, failure));
        }
        if flow.established_ns.is_some() {
            return sender.flush(&self.payload).map_err(|failure| self.failed(index, failure));
        }
        let now_ns = self.clock.now()?;
        self.flows[index].established_ns = Some(now_ns);
        self.write(index, now_ns)
    }

    /// The application of a flow does what is due.
    fn write(&mut self, index: usize, due_ns: u64) -> Result<(), Failure> {
        let flow = &mut self.flows[index];
        let (Some((sender, _)), Some(established_ns)) = (&mut flow.ends, flow.established_ns) else {
            return Ok(());
        };
        let act = flow.source.act(Span::from_nanos(due_ns - established_ns));
        if let Some(again) = act.again {
            self.schedule.add(established_ns + again.as_nanos(), Milestone::Write(index));
        }
        let closes = act.again.is_none() && flow.source.total_bytes().is_some();
        sender.write(act.bytes, closes, &self.payload).map_err(|failure| self.failed(index, failure))
    }

    fn accept(&mut self, index: usize) -> Result<(), Failure> {
        let flow = &mut self.flows[index];
        let Some((_, receiver)) = &mut flow.ends else { return Ok(()) };
        let accepted = receiver.accept(index, flow.reads, flow.source.total_bytes(), &self.news);
        accepted.map_err(|failure| self.failed(index, failure))
    }

    /// Readers have all that they wait for, or have failed. What a flow that was stopped says is no news.
    fn hear(&mut self) -> Result<(), Failure> {
        for (index, result) in self.news.take() {
            if self.flows[index].phase == Phase::Running && !self.ended {
                result.map_err(|failure| self.failed(index, failure))?;
                self.complete(index)?;
            }
        }
        Ok(())
    }

    fn complete(&mut self, index: usize) -> Result<(), Failure> {
        let now_ns = self.clock.now()?;
        self.recorder.recorder.complete(index, now_ns);
        self.read_flow(index)?;
        self.end_flow(index, now_ns)
    }

    /// Takes a flow's counters and aborts its connection. What lies in the send buffer is not sent any more: the
    /// simulator's flow sends nothing new either. Here it does not retransmit what is under way.
    fn stop(&mut self, index: usize, now_ns: u64) -> Result<(), Failure> {
        let flow = &self.flows[index];
        let (Phase::Running, Some((sender, _))) = (flow.phase, &flow.ends) else { return Ok(()) };
        sender.abort_on_close().map_err(|failure| self.failed(index, failure))?;
        self.read_all(now_ns)?;
        self.end_flow(index, now_ns)
    }

    /// The flow is over; its sockets are closed.
    fn end_flow(&mut self, index: usize, now_ns: u64) -> Result<(), Failure> {
        self.mark_flow(Mark::End, index, now_ns);
        let flow = &mut self.flows[index];
        flow.phase = Phase::Stopped;
        if let Some((_, receiver)) = flow.ends.take() {
            receiver.stop();
        }
        self.incomplete -= usize::from(flow.source.total_bytes().is_some());
        if self.run.until_done && self.incomplete == 0 && !self.ended {
            self.ended = true;
            self.end(now_ns)?;
        }
        Ok(())
    }

    fn sample(&mut self, now_ns: u64) -> Result<(), Failure> {
        let counters = self.read_all(now_ns)?;
        self.recorder.recorder.sample_queue(&counters);
        for (i, flow) in self.flows.iter().enumerate() {
            if flow.phase == Phase::Running {
                self.recorder.sample_flow(i, &flow.reading, flow.delivered_bytes(), now_ns);
            }
        }
        Ok(())
    }

    fn mark(&mut self, mark: Mark, now_ns: u64) -> Result<(), Failure> {
        let counters = self.read_all(now_ns)?;
        self.recorder.recorder.mark_queue(mark, counters);
        for i in 0..self.flows.len() {
            self.mark_flow(mark, i, now_ns);
        }
        Ok(())
    }

    fn mark_flow(&mut self, mark: Mark, index: usize, now_ns: u64) {
        let flow = &mut self.flows[index];
        let counters = match flow.phase {
            Phase::Waiting => no_counters(now_ns),
            Phase::Stopped => idle(flow.counters, now_ns),
            Phase::Running => {
                let established_ns = flow.established_ns.unwrap_or(now_ns);
                self.recorder.counters(&flow.reading, flow.delivered_bytes(), established_ns, now_ns)
            }
        };
        if mark == Mark::End {
            flow.counters = counters;
            self.recorder.keep_least_rtt(index, &flow.reading);
        }
        self.recorder.recorder.mark_flow(mark, index, counters);
    }

    /// The run ends now. One that is done before its window's end measures to its own end.
    fn end(&mut self, now_ns: u64) -> Result<(), Failure> {
        let counters = self.read_all(now_ns)?;
        self.recorder.recorder.mark_queue(Mark::End, counters);
        if now_ns <= self.run.measure.window_end_ns {
            self.mark(Mark::WindowEnd, now_ns)?;
        }
        for i in 0..self.flows.len() {
            if self.flows[i].phase != Phase::Stopped {
                self.mark_flow(Mark::End, i, now_ns);
            }
        }
        Ok(())
    }

    /// Reads what the kernel counts, once an instant.
    fn read_all(&mut self, now_ns: u64) -> Result<QueueCounters, Failure> {
        if let Some((at_ns, counters)) = self.read
            && at_ns == now_ns
        {
            return Ok(counters);
        }
        let counters = self.network.counters().map_err(|error| Failure::of("read the queue's counters", error))?;
        let counters = QueueCounters { at_ns: now_ns, ..counters };
        let flows = &mut self.flows;
        for diag in &mut self.diags {
            diag.dump(None, |record| file(flows, record))?;
        }
        self.read = Some((now_ns, counters));
        Ok(counters)
    }

    /// Reads what the kernel counts for one flow.
    fn read_flow(&mut self, index: usize) -> Result<(), Failure> {
        let flows = &mut self.flows;
        for diag in &mut self.diags {
            for first in [SENDER_PORT, RECEIVER_PORT] {
                diag.dump(Some(first + index as u16), |record| file(flows, record))?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Measurement, Failure> {
        let (ended_ns, _) = self.read.unwrap_or_default();
        let mut facts = self.network.facts();
        facts.extend(self.facts()?);
        Ok(self.recorder.recorder.finish(ended_ns, facts))
    }

    fn facts(&self) -> Result<BTreeMap<String, String>, Failure> {
        let system = nix::sys::utsname::uname().map_err(|errno| Failure::of("ask for the kernel's release", errno))?;
        let release = ("kernel.release".to_owned(), system.release().to_string_lossy().into_owned());
        let controls = self.flows.iter().enumerate().map(|(i, flow)| (format!("flows[{i}].cc"), flow.control.clone()));
        Ok(controls.chain([release]).collect())
    }

    fn failed(&self, index: usize, failure: Failure) -> Failure {
        Failure::of(format!("flows[{index}] ({})", self.run.flows[index].name), failure)
    }
}

/// Counters of a flow that has ended: since then it had nothing to send.
fn idle(counters: FlowCounters, now_ns: u64) -> FlowCounters {
    let app_limited_ns = counters.app_limited_ns + (now_ns - counters.at_ns);
    FlowCounters { at_ns: now_ns, app_limited_ns, ..counters }
}

/// Puts what the kernel tells of a socket where it belongs.
fn file(flows: &mut [Flow], record: Record) {
    let index = |port: u16, first: u16| port.checked_sub(first).map(usize::from).filter(|&i| i < flows.len());
    if let (Some(i), Some(other)) = (index(record.local_port, SENDER_PORT), index(record.remote_port, RECEIVER_PORT))
        && i == other
    {
        flows[i].reading.sender = record.info;
        flows[i].reading.control = record.control;
    } else if let Some(i) = index(record.local_port, RECEIVER_PORT) {
        flows[i].reading.receiver = record.info;
    }
}

/// One for each namespace; flows that share one share it.
fn open_diags(run: &Run, network: &Network) -> Result<Vec<Diag>, Failure> {
    let mut namespaces: Vec<&Rc<Namespace>> = Vec::new();
    for i in 0..run.flows.len() {
        for endpoint in [network.sender(i), network.receiver(i)] {
            if !namespaces.iter().any(|known| Rc::ptr_eq(known, &endpoint.namespace)) {
                namespaces.push(&endpoint.namespace);
            }
        }
    }
    namespaces
        .into_iter()
        .map(|namespace| namespace.within(Diag::open).map_err(|error| Failure(error.to_string()))?)
        .collect()
}
