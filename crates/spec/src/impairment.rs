//! What a hop says of losses in bursts, copies, damage and order: [`Impairments`].

use crate::network::Hop;
use crate::tree::{Node, Unknown, View};
use run::{Distribution, GilbertElliott, Impairments, Police, Reorder};

const PPB: f64 = 1e9;

/// The probability of independent loss; 0 where losses come in bursts.
///
/// # Errors
/// When the word has a problem.
pub fn loss_ppb(hop: &Hop<'_>) -> Result<u32, Unknown> {
    Ok(match hop.keys.get("loss")? {
        Some(Node::Quantity(share)) => share.count() as u32,
        _ => 0,
    })
}

/// The channel of a hop that loses in bursts, as its table has it.
///
/// # Errors
/// When the word has a problem.
pub fn channel<'a>(hop: &Hop<'a>) -> Result<Option<View<'a>>, Unknown> {
    match hop.keys.get("loss")? {
        Some(Node::Table(_)) => hop.keys.table("loss")?.table("gilbert_elliott").map(Some),
        _ => Ok(None),
    }
}

/// A hop loses packets at random.
///
/// # Errors
/// When the word has a problem.
pub fn loses(hop: &Hop<'_>) -> Result<bool, Unknown> {
    Ok(loss_ppb(hop)? > 0 || channel(hop)?.is_some())
}

/// From its losses: the mean burst is 1/r, and of all packets p/(p + r) meet the bad state.
fn gilbert_elliott(channel: &View<'_>) -> Result<GilbertElliott, Unknown> {
    let share = |key| Ok(channel.count(key)? as u32);
    let passes = |key| Ok::<u32, Unknown>(1_000_000_000 - share(key)?);
    let (to_bad_ppb, to_good_ppb) = if let Some(loss) = channel.count_if("loss")? {
        let (loss, to_good) = (loss as f64 / PPB, 1.0 / channel.number("burst")?);
        (((PPB * loss * to_good / (1.0 - loss)).round() as u32).max(1), (PPB * to_good).round() as u32)
    } else {
        (share("p")?, share("r")?)
    };
    Ok(GilbertElliott { to_bad_ppb, to_good_ppb, good_loss_ppb: passes("k")?, bad_loss_ppb: passes("h")? })
}

fn reorder(hop: &Hop<'_>) -> Result<Option<Reorder>, Unknown> {
    let Some(Node::Table(_)) = hop.keys.get("reorder")? else { return Ok(None) };
    let table = hop.keys.table("reorder")?;
    if table.table.node("share").is_some() {
        return Ok(Some(Reorder::Late { share_ppb: table.count("share")? as u32, by_ns: table.count("by")? }));
    }
    let spread_ns = table.count("spread")?;
    Ok(Some(Reorder::Spread {
        delay_ns: table.count_if("delay")?.unwrap_or(spread_ns),
        spread_ns,
        distribution: if table.text("distribution")? == "normal" {
            Distribution::Normal
        } else {
            Distribution::Uniform
        },
        correlation_ppb: table.count("correlation")? as u32,
    }))
}

/// Those of a hop.
///
/// # Errors
/// When a word has a problem.
pub fn impairments(hop: &Hop<'_>) -> Result<Impairments, Unknown> {
    let share = |key| Ok(hop.keys.count(key)? as u32);
    Ok(Impairments {
        burst_loss: channel(hop)?.as_ref().map(gilbert_elliott).transpose()?,
        duplicate_ppb: share("duplicate")?,
        corrupt_ppb: share("corrupt")?,
        reorder: reorder(hop)?,
        aggregation_ns: hop.keys.count("aggregation")?,
        thins_acks: hop.keys.flag("ack_filter")?,
    })
}

/// What a policer has beyond rate and burst.
///
/// # Errors
/// When a word has a problem.
pub fn police(hop: &Hop<'_>) -> Result<Police, Unknown> {
    Ok(Police { peak_bps: hop.keys.count_if("peak")?, marks: hop.keys.text("exceed")? == "mark" })
}

/// A hop is a policer, which has no queue.
///
/// # Errors
/// When the word has a problem.
pub fn is_policer(hop: &Hop<'_>) -> Result<bool, Unknown> {
    Ok(hop.keys.text("shaper")? == "police")
}
