//! [`CapturePoint`]: where the packets of a run can be captured.

use serde::{Deserialize, Serialize};

/// A place of the path where packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapturePoint {
    /// The hosts that send data: what leaves them for the path, and the ACKs that reach them.
    Senders,
    /// The bottleneck of a direction: what leaves it.
    Bottleneck,
    /// The hosts that data is for: what reaches them, and the ACKs that they send.
    Receivers,
}

impl CapturePoint {
    /// All of them, in the order in which data meets them.
    pub const ALL: [Self; 3] = [Self::Senders, Self::Bottleneck, Self::Receivers];

    /// Its name, in files and of interfaces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Senders => "senders",
            Self::Bottleneck => "bottleneck",
            Self::Receivers => "receivers",
        }
    }
}

/// Some of them; by default all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<CapturePoint>", into = "Vec<CapturePoint>")]
pub struct CapturePoints([bool; CapturePoint::ALL.len()]);

impl CapturePoints {
    /// None of them.
    pub const NONE: Self = Self([false; CapturePoint::ALL.len()]);

    /// Whether this is one of them.
    pub const fn has(self, point: CapturePoint) -> bool {
        self.0[point as usize]
    }
}

impl Default for CapturePoints {
    fn default() -> Self {
        Self([true; CapturePoint::ALL.len()])
    }
}

impl From<Vec<CapturePoint>> for CapturePoints {
    fn from(points: Vec<CapturePoint>) -> Self {
        Self(CapturePoint::ALL.map(|point| points.contains(&point)))
    }
}

impl From<CapturePoints> for Vec<CapturePoint> {
    fn from(points: CapturePoints) -> Self {
        CapturePoint::ALL.into_iter().filter(|point| points.has(*point)).collect()
    }
}
