//! [`Place`]: a namespace of the path.

/// A namespace of the path, in the order in which data passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// All sending hosts, at whichever end of the path.
    Sender,
    /// The hop behind a sender whose own device has a queue: its timing noise.
    Lane,
    /// The routers behind the senders.
    Access,
    /// The hop before the bottleneck: random loss there, and with offloads the count of segments offered.
    Gate,
    /// The router before the bottleneck: its queue is the one that matters.
    Near,
    /// The hop after the bottleneck that loses packets; in facts and device names, "thinner".
    LossHop,
    /// The router behind which packets come twice, damaged, or out of order.
    Wire,
    /// The router behind which a delay changes in time, or packets are handed over in lumps.
    Lag,
    /// The router with the forward delays, and with what the receivers' NICs hold back.
    Far,
    /// Where there are several queues, a router of one of the path: its place there, from 0.
    Down(usize, Router),
    /// The same of the way back.
    Up(usize, Router),
    /// All receiving hosts.
    Receiver,
    /// The machine itself, through which packets come and go whose hosts are other machines.
    Machine,
}

/// What a router does for its hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Router {
    /// As [`Place::Gate`].
    Gate,
    /// Its queue and its line.
    Near,
    /// As [`Place::LossHop`].
    LossHop,
    /// As [`Place::Wire`].
    Wire,
    /// As [`Place::Lag`].
    Lag,
    /// Delays behind it: its own to the next hop, or those that are left over to the hosts.
    Far,
}

impl Place {
    /// Its name, in errors and facts. Hops are counted from 1 there.
    pub fn name(self) -> String {
        let of_hop = |side: &str, hop: usize, router: Router| format!("{side}{}{}", router.name(), hop + 1);
        match self {
            Self::Sender => "sender".to_owned(),
            Self::Lane => "lane".to_owned(),
            Self::Access => "access".to_owned(),
            Self::Gate => "gate".to_owned(),
            Self::Near => "near".to_owned(),
            Self::LossHop => "thinner".to_owned(),
            Self::Wire => "wire".to_owned(),
            Self::Lag => "lag".to_owned(),
            Self::Far => "far".to_owned(),
            Self::Down(hop, router) => of_hop("", hop, router),
            Self::Up(hop, router) => of_hop("up", hop, router),
            Self::Receiver => "receiver".to_owned(),
            Self::Machine => "machine".to_owned(),
        }
    }

    /// Name of its device with this number.
    pub fn device_name(self, index: u32) -> String {
        let separator = if matches!(self, Self::Down(..) | Self::Up(..)) { "-" } else { "" };
        format!("{}{separator}{index}", self.name())
    }

    /// Whether it forwards packets.
    pub const fn is_router(self) -> bool {
        !matches!(self, Self::Sender | Self::Receiver | Self::Machine)
    }
}

impl Router {
    /// In the order in which packets meet them.
    pub const ALL: [Self; 6] = [Self::Gate, Self::Near, Self::LossHop, Self::Wire, Self::Lag, Self::Far];

    /// One of a path's only queue.
    pub const fn alone(self) -> Place {
        match self {
            Self::Gate => Place::Gate,
            Self::Near => Place::Near,
            Self::LossHop => Place::LossHop,
            Self::Wire => Place::Wire,
            Self::Lag => Place::Lag,
            Self::Far => Place::Far,
        }
    }

    /// Short, that a device's name has room for its numbers.
    const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Near => "near",
            Self::LossHop => "thin",
            Self::Wire => "wire",
            Self::Lag => "lag",
            Self::Far => "far",
        }
    }
}
