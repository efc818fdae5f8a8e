//! [`Device`]: an end of a link.

use super::place::Place;

/// One end of a link. Its position in [`Plan::devices`] pairs it: 0 with 1, 2 with 3, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Where it is.
    pub place: Place,
    /// Its number, unique in the whole plan: the kernel looks for a number given to a new device in the namespace of
    /// the asking socket too.
    pub index: u32,
    /// Its name, unique in the whole plan.
    pub name: String,
    /// What it does with several segments at once.
    pub offloads: Offloads,
    /// The address of both ends of its link; none: it follows from the number.
    pub mac: Option<[u8; 6]>,
}

/// What a device does with several segments at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offloads {
    /// It lets super-packets pass whole (TSO and GSO); else it cuts them, below its queueing discipline.
    pub segmentation: bool,
    /// It merges what arrives together (GRO), unless the other end of its link lets super-packets pass.
    pub merging: bool,
}

/// Name of an `ifb` by its number.
pub fn ifb_name(index: u32) -> String {
    format!("ifb{index}")
}
