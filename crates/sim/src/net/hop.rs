//! [`Hop`]: what packets pass one after another, and where those of each flow go on from there.

use super::line::Line;
use super::link::Link;
use super::medium::Medium;
use super::nic::Nic;
use super::packet::Packet;
use crate::engine::Event;
use crate::index::HopId;
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
    /// What a link's line does to packets beyond taking its time.
    Medium(Medium),
}

/// A hop in its place.
#[derive(Debug)]
pub struct Place {
    /// The hop.
    pub hop: Hop,
    /// Where its packets go: to a hop, or to its end, where the host is that they are for.
    pub onward: Option<HopId>,
    /// The same by the run's flows, where it differs between those that pass it; else empty.
    pub onward_by_flow: Vec<Option<HopId>>,
    /// Where it leads.
    pub direction: Direction,
    /// What it is to those who measure.
    pub role: Role,
    /// All data reaches it straight from its hosts, and nothing else does.
    pub is_sole_entry: bool,
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
    /// It is the bottleneck of the path, not of the way back.
    pub const fn is_watched(&self) -> bool {
        matches!((self.role, self.direction), (Role::Bottleneck, Direction::Down))
    }

    /// A hop, at whose end is a host.
    pub const fn new(hop: Hop, direction: Direction, role: Role) -> Self {
        Self { hop, onward: None, onward_by_flow: Vec::new(), direction, role, is_sole_entry: false, passed: (0, 0) }
    }

    /// The event at which a packet leaves it.
    pub const fn event(&self, own: HopId) -> Event {
        match (&self.hop, self.direction) {
            (Hop::Link(_), _) => Event::Departure(own),
            (Hop::Device(_), _) => Event::OutOfHost(own),
            (Hop::Delay(_) | Hop::Nic(_) | Hop::Medium(_), Direction::Down) => Event::Down(own),
            (Hop::Delay(_) | Hop::Nic(_) | Hop::Medium(_), Direction::Up) => Event::Up(own),
        }
    }

    /// The packet behind `ahead` others.
    #[inline]
    pub fn peek(&self, ahead: usize) -> Option<&Packet> {
        match &self.hop {
            Hop::Link(link) | Hop::Device(link) => link.peek(ahead),
            Hop::Delay(line) => line.peek(ahead),
            Hop::Nic(_) | Hop::Medium(_) => None,
        }
    }
}
