//! The changes of a hop in time: a ramp becomes steps, and what comes again becomes many.

use crate::derived::{Line, buffer_limit};
use crate::impairment::loss_ppb;
use crate::network::{Hop, Network};
use crate::qdisc;
use crate::tree::{Unknown, View};
use run::Change;

/// The least time between two steps of a ramp.
const STEP_NS: u64 = 10_000_000;
/// Of a ramp.
const MOST_STEPS: u64 = 1_000;
/// Of a hop, each step of a ramp being one. A trace may have more.
pub const MOST_CHANGES: u64 = 100_000;

/// One that a spec writes, each time that it comes.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence<'a> {
    /// Its keys.
    pub keys: View<'a>,
    /// Its place in the list.
    pub place: usize,
    /// When it begins.
    pub at_ns: u64,
    /// How long it takes.
    pub over_ns: u64,
}

/// What a hop is at an instant, as far as it changes.
#[derive(Clone, Copy, Debug)]
struct State {
    rate_bps: u64,
    /// In addition to the least.
    delay_ns: u64,
    loss_ppb: u64,
}

/// Each change of a hop before the run's end, each time that it comes, in order of time; of one instant as written. None where there
/// are more than [`MOST_CHANGES`].
///
/// # Errors
/// When a word has a problem.
pub fn occurrences<'a>(hop: &Hop<'a>, end_ns: u64) -> Result<Option<Vec<Occurrence<'a>>>, Unknown> {
    let (mut all, mut steps) = (Vec::new(), 0);
    for (place, keys) in hop.keys.tables("change")?.into_iter().enumerate() {
        let (first_ns, over_ns) = (keys.count("at")?, keys.count_if("over")?.unwrap_or(0));
        let every_ns = keys.count_if("every")?.unwrap_or(u64::MAX);
        let mut at_ns = first_ns;
        while at_ns < end_ns {
            all.push(Occurrence { keys, place, at_ns, over_ns });
            steps += steps_of(over_ns);
            if steps > MOST_CHANGES {
                return Ok(None);
            }
            at_ns = at_ns.saturating_add(every_ns);
        }
    }
    all.sort_by_key(|occurrence| occurrence.at_ns);
    Ok(Some(all))
}

/// The changes of a hop, as an engine takes them: delays in addition to the least one.
///
/// # Errors
/// When a word has a problem.
pub fn changes(network: &Network<'_>, hop: &Hop<'_>, line: Line, end_ns: u64) -> Result<Vec<Change>, Unknown> {
    let mut changes = Vec::new();
    let added_ns = hop.delay_ns()? - hop.least_delay_ns()?;
    let mut state = State { rate_bps: line.rate_bps, delay_ns: added_ns, loss_ppb: loss_ppb(hop)?.into() };
    if added_ns > 0 {
        changes.push(Change { delay_ns: Some(added_ns), ..Change::at(0) });
    }
    for occurrence in occurrences(hop, end_ns)?.ok_or(Unknown)? {
        let Occurrence { keys, at_ns, over_ns, .. } = occurrence;
        let (rate_bps, loss_ppb) = (keys.count_if("rate")?, keys.count_if("loss")?);
        let delay_ns = hop.added_delay_ns(&keys)?;
        let buffer = keys.quantity_if("buffer")?;
        let counts_packets = qdisc::Written::of(hop)?.counts_packets() || network.counts_packets()?;
        let buffer = buffer.map(|size| buffer_limit(size, counts_packets, network, line)).transpose()?;
        let to = State {
            rate_bps: rate_bps.unwrap_or(state.rate_bps),
            delay_ns: delay_ns.unwrap_or(state.delay_ns),
            loss_ppb: loss_ppb.unwrap_or(state.loss_ppb),
        };
        let steps = steps_of(over_ns);
        let first = if over_ns == 0 { steps } else { 1 };
        if over_ns > 0 && buffer.is_some() {
            changes.push(Change { buffer, ..Change::at(at_ns) });
        }
        for step in first..=steps {
            let between = |before: u64, after: u64| between(before, after, step, steps);
            let moment_ns = at_ns + between(0, over_ns);
            if moment_ns >= end_ns {
                break;
            }
            changes.push(Change {
                at_ns: moment_ns,
                rate_bps: rate_bps.map(|_| between(state.rate_bps, to.rate_bps)),
                delay_ns: delay_ns.map(|_| between(state.delay_ns, to.delay_ns)),
                loss_ppb: loss_ppb.map(|_| between(state.loss_ppb, to.loss_ppb) as u32),
                buffer: if over_ns == 0 { buffer } else { None },
            });
        }
        state = to;
    }
    Ok(changes)
}

/// Of a ramp that takes so long.
fn steps_of(over_ns: u64) -> u64 {
    over_ns.div_ceil(STEP_NS).clamp(1, MOST_STEPS)
}

/// So many steps of all on the way from one value to another.
fn between(before: u64, after: u64, step: u64, steps: u64) -> u64 {
    let (before, after, step, steps) = (i128::from(before), i128::from(after), i128::from(step), i128::from(steps));
    u64::try_from(before + (after - before) * step / steps).unwrap_or(u64::MAX)
}
