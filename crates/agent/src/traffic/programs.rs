//! [`Programs`]: what the programs of all flows share, and what the kernel tells of their sockets.

use super::flow::{Flow, Phase};
use super::process::{End, Endings, Surroundings};
use super::program::Program;
use crate::failure::Failure;
use crate::network::{Network, sleep};
use crate::record::KernelRecorder;
use crate::sockets::diag::{Closed, Diag, Record};
use nix::sys::signal::Signal;
use run::Run;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

/// So long a program may take to end when it is told to; then it is killed.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// The programs of a run.
#[derive(Debug)]
pub struct Programs<'a> {
    surroundings: &'a Surroundings,
    endings: Arc<Endings>,
    /// One for each namespace that has an end of a program's flow.
    diags: Vec<Diag>,
    closed: Vec<Closed>,
}

impl<'a> Programs<'a> {
    /// Starts the servers of all flows that have programs; none: no flow has.
    ///
    /// # Errors
    /// A server does not start, or the kernel does not tell of its sockets.
    pub fn open(
        run: &Run,
        network: &Network,
        surroundings: &'a Surroundings,
        flows: &mut [Flow],
    ) -> Result<Option<Self>, Failure> {
        let with: Vec<usize> = (0..flows.len()).filter(|index| run.flows[*index].is_program()).collect();
        if with.is_empty() {
            return Ok(None);
        }
        let mut programs = Self { surroundings, endings: Endings::new()?, diags: Vec::new(), closed: Vec::new() };
        for namespace in network.ends(with.iter().copied()) {
            let opened = namespace.within(|| Ok((Diag::open()?, Closed::open()?)));
            let (diag, closed) = opened.map_err(|error| Failure(error.to_string()))??;
            programs.diags.push(diag);
            programs.closed.push(closed);
        }
        for index in with {
            let failed = |failure| Failure::of(format!("flows[{index}] ({})", run.flows[index].name), failure);
            let opened = Program::open(index, run, network, surroundings, &programs.endings);
            flows[index].program = opened.map_err(failed)?;
        }
        Ok(Some(programs))
    }

    /// A flow starts.
    ///
    /// # Errors
    /// Its command cannot be started.
    pub fn start(&self, program: &mut Program, now_ns: u64) -> Result<(), Failure> {
        program.start(self.surroundings, &self.endings, now_ns)
    }

    /// Those that have ended, each with its flow.
    pub fn endings(&self) -> Vec<(usize, End, ExitStatus)> {
        self.endings.take()
    }

    /// Reads what the kernel tells of sockets that are closed, and of those that carry IPv4 though they are of IPv6.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn read(&mut self, flows: &mut [Flow]) -> Result<(), Failure> {
        for closed in &self.closed {
            closed.take(|record| {
                file(flows, &record, true);
            })?;
        }
        for diag in &mut self.diags {
            diag.dump(true, |record| {
                file(flows, &record, false);
            })?;
        }
        Ok(())
    }

    /// Ends all that still run, and notes what they said.
    ///
    /// # Errors
    /// One has written too much.
    pub fn finish(&self, flows: &mut [Flow], recorder: &mut KernelRecorder) -> Result<(), Failure> {
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            flows.iter_mut().filter_map(|flow| flow.program.as_mut()).for_each(|it| it.signal(signal, End::Server));
            for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
                for (index, end, status) in self.endings() {
                    // Whatever it makes of its peer's end is no news any more.
                    let program = flows[index].program.as_mut();
                    program.map(|program| program.end(end, 0, status)).transpose().unwrap_or_default();
                }
                let programs = || flows.iter().filter_map(|flow| flow.program.as_ref());
                programs().try_for_each(Program::check_written)?;
                if programs().all(Program::is_over) {
                    break;
                }
                sleep(LOOK).map_err(|error| Failure(error.to_string()))?;
            }
        }
        for (index, flow) in flows.iter_mut().enumerate() {
            if let Some(program) = flow.program.take() {
                recorder.recorder.set_program(index, program.said());
            }
        }
        Ok(())
    }
}

impl AsFd for Programs<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.endings.as_fd()
    }
}

/// Puts what the kernel tells of a socket where it belongs, if it is one of a program that runs.
pub fn file(flows: &mut [Flow], record: &Record, is_last: bool) -> bool {
    if record.local == Ipv4Addr::UNSPECIFIED {
        return false;
    }
    let running = flows.iter_mut().filter(|flow| flow.phase == Phase::Running);
    running.filter_map(|flow| flow.program.as_mut()).any(|program| program.file(record, is_last))
}
