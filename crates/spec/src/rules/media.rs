//! The rules of media.

use super::Problems;
use crate::derived::end_ns;
use crate::point::Point;
use crate::problem::Problem;
use crate::quantity::RATE;
use crate::tree::{Unknown, View};

const BITS_PER_BYTE: u128 = 8;
const NS_PER_S: u128 = 1_000_000_000;
/// Of a packet that is full; what is over of a frame has one of its own.
const PAYLOAD_BYTES: u128 = 1_200;

/// How many packets such a source sends at most, about.
pub(super) fn packets(
    point: &Point<'_>,
    video: &View<'_>,
    path: &str,
    problems: Problems<'_>,
) -> Result<u128, Unknown> {
    let (least_bps, most_bps) = (video.count("least")?, video.count("most")?);
    if least_bps > most_bps {
        let message = format!("more than most, {}", RATE.show(&most_bps.into()));
        problems.push(Problem::new(
            format!("{path}.least"),
            message,
            format!("write most = \"{}\" or more", RATE.show(&least_bps.into())),
        ));
    }
    let a_second = u128::from(most_bps) / (BITS_PER_BYTE * PAYLOAD_BYTES) + u128::from(video.integer("frames")?);
    Ok(a_second * u128::from(end_ns(point)?) / NS_PER_S)
}
