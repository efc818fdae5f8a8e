//! [`Hop`]: what packets pass one after another, and where those of each flow go on from there.

use super::line::Line;
use super::link::Link;
use super::nic::Nic;
use super::packet::Packet;
use crate::engine::Event;
use crate::index::{FlowId, HopId};
use run::Direction;

/// A part of the network that holds packets for a time.
#[derive(Debug)]
pub enum Hop {
    /// A queue before a line.
    Link(Link),
    /// The same as a sending host's own device, behind which its timing noise is.
    Device(Link),
    /// Constant delay.
    Delay(Line),
    /// A receiving host's NIC, and the delay before it.
    Nic(Nic),
}

/// Where packets go from a hop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Onward {
    /// Nowhere: at its end is the host that they are for.
    End,
    /// All to the same hop.
    To(HopId),
    /// By the run's flows: to a hop, or to the end.
    ByFlow(Vec<Option<HopId>>),
}

/// A hop in its place.
#[derive(Debug)]
pub struct Place {
    /// The hop.
    pub hop: Hop,
    /// Where its packets go.
    pub onward: Onward,
    /// Where it leads.
    pub direction: Direction,
    /// What it is to those who measure.
    pub role: Role,
    /// Segments that came to it and that left it, counted in debug builds only.
    pub passed: (u64, u64),
}

/// What a hop is to those who measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A line of hosts, or no link.
    Apart,
    /// A link of the path.
    Path,
    /// That which is the bottleneck of its direction.
    Bottleneck,
}

impl Place {
    /// A hop, from which packets go nowhere yet.
    pub const fn new(hop: Hop, direction: Direction, role: Role) -> Self {
        Self { hop, onward: Onward::End, direction, role, passed: (0, 0) }
    }

    /// Where a packet of a host goes from here.
    #[inline]
    pub fn onward(&self, host: FlowId) -> Option<HopId> {
        match &self.onward {
            Onward::End => None,
            Onward::To(hop) => Some(*hop),
            Onward::ByFlow(hops) => hops[host.index()],
        }
    }

    /// The event at which a packet leaves it.
    #[inline]
    pub const fn event(&self, own: HopId) -> Event {
        match (&self.hop, self.direction) {
            (Hop::Link(_) | Hop::Device(_), _) => Event::Departure(own),
            (Hop::Delay(_) | Hop::Nic(_), Direction::Down) => Event::Down(own),
            (Hop::Delay(_) | Hop::Nic(_), Direction::Up) => Event::Up(own),
        }
    }

    /// The packet behind `ahead` others.
    #[inline]
    pub fn peek(&self, ahead: usize) -> Option<&Packet> {
        match &self.hop {
            Hop::Link(link) | Hop::Device(link) => link.peek(ahead),
            Hop::Delay(line) => line.peek(ahead),
            Hop::Nic(_) => None,
        }
    }
}
