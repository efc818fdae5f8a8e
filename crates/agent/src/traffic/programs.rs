//! [`Programs`]: what the programs of all flows share, and when one is done.

use super::Traffic;
use super::connection::Connection;
use super::flow::{Flow, Phase, failed};
use super::process::{End, Endings, Surroundings};
use super::program::Program;
use crate::clock::sleep;
use crate::failure::Failure;
use crate::network::Network;
use nix::sys::signal::Signal;
use run::{Milestone, Run};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

/// So long a program may take to end when it is told to; then it is killed.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two looks whether all has come that a program had written.
const DRAIN_LOOK_NS: u64 = 2_000_000;
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// The programs of a run.
#[derive(Debug)]
pub struct Programs<'a> {
    surroundings: &'a Surroundings,
    endings: Arc<Endings>,
}

impl<'a> Programs<'a> {
    /// Starts the servers of all flows that have programs; none: no flow has.
    ///
    /// # Errors
    /// A server does not start.
    pub fn open(
        run: &Run,
        network: &Network,
        surroundings: &'a Surroundings,
        flows: &mut [Flow],
    ) -> Result<Option<Self>, Failure> {
        let with: Vec<usize> =
            (0..flows.len()).filter(|index| run.flows[*index].is_program() && network.has(*index)).collect();
        if with.is_empty() {
            return Ok(None);
        }
        let programs = Self { surroundings, endings: Endings::new()? };
        for index in with {
            let opened = Program::open(index, run, network, surroundings, &programs.endings);
            flows[index].program = opened.map_err(failed(run, index, None))?;
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

    /// Ends all that still run, and gives what those of each flow said.
    ///
    /// # Errors
    /// One has written too much.
    pub fn finish(&self, flows: &mut [Flow]) -> Result<Vec<(usize, run::Program)>, Failure> {
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
        let taken = flows.iter_mut().enumerate().filter_map(|(index, flow)| Some((index, flow.program.take()?)));
        Ok(taken.map(|(index, program)| (index, program.said())).collect())
    }
}

impl AsFd for Programs<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.endings.as_fd()
    }
}

impl Traffic<'_> {
    /// Programs have ended.
    pub(super) fn end_programs(&mut self) -> Result<(), Failure> {
        let endings = self.programs.as_ref().map(Programs::endings).unwrap_or_default();
        for (index, end, status) in endings {
            let now_ns = self.clock.now()?;
            let flow = &mut self.flows[index];
            let Some(program) = &mut flow.program else { continue };
            let ended = program.end(end, now_ns, status);
            // How a server takes it that its flow is over is no failure.
            if flow.phase != Phase::Stopped {
                ended.map_err(failed(self.run, index, None))?;
            }
            self.look_at_program(index, now_ns)?;
        }
        Ok(())
    }

    /// A flow whose command has ended is complete when all has come that it had written.
    pub(super) fn look_at_program(&mut self, index: usize, now_ns: u64) -> Result<(), Failure> {
        let is_done = |flow: &Flow| flow.phase == Phase::Running && flow.program.as_ref().is_some_and(Program::is_done);
        if self.ended || !is_done(&self.flows[index]) {
            return Ok(());
        }
        self.recording.read(self.network, &mut self.flows, now_ns)?;
        if self.flows[index].program.as_ref().is_some_and(Program::is_complete) {
            self.recording.complete(index, now_ns);
            return self.end_flow(index, now_ns, Connection::close);
        }
        self.schedule.add(now_ns + DRAIN_LOOK_NS, Milestone::Write(index));
        Ok(())
    }
}
