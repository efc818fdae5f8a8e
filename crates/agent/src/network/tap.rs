//! [`Tap`]: a namespace of the path in which frames are captured, and which of its frames.
//!
//! Frames are captured where they leave a device or come to it, below its queueing discipline: what waits there has not
//! left yet, and what was dropped there never does.

use super::plan::{Place, Plan};
use super::{Capture, row};
use crate::part::{Ends, Part, Passage};
use run::{CapturePoint, Direction, Run};
use std::net::Ipv4Addr;

/// Where frames are captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tap {
    /// Whose file they go into.
    pub point: CapturePoint,
    /// The namespace.
    pub place: Place,
    /// Positions of its devices whose frames they are.
    pub devices: Vec<usize>,
    /// These are all that it has.
    pub is_of_all: bool,
    /// Only what leaves by them.
    pub is_outgoing: bool,
}

impl Tap {
    /// Those of a plan, by their points.
    ///
    /// A sender with a lane is captured there: its own device still has super-packets, and what holds them up in the lane is the
    /// host's timing. A receiver whose ingress is the bottleneck gets what has left the `ifb`, which comes in a second
    /// time without being seen a second time (`skb_skip_tc_classify` in the kernel's `__netif_receive_skb_core`).
    pub fn of(plan: &Plan, run: &Run) -> Vec<Self> {
        let tap = |point, place: Place, is_outgoing, wanted: &dyn Fn(usize) -> bool| {
            let here = |device: &usize| plan.devices[*device].place == place;
            let (devices, others): (Vec<usize>, Vec<usize>) =
                (0..plan.devices.len()).filter(here).partition(|device| wanted(*device));
            Self { point, place, devices, is_of_all: others.is_empty(), is_outgoing }
        };
        let leads_to = |device: usize, place: Place| plan.devices[device ^ 1].place == place;
        let mut taps = vec![
            tap(CapturePoint::Senders, Place::Sender, false, &|device| !leads_to(device, Place::Lane)),
            tap(CapturePoint::Senders, Place::Lane, false, &|device| !leads_to(device, Place::Sender)),
        ];
        let bottlenecks = Direction::BOTH.into_iter().filter_map(|direction| {
            let hop = run.path.bottleneck(direction)?;
            Some(plan.hops[row::position(&run.path, direction, hop)].queue)
        });
        taps.extend(
            bottlenecks
                .map(|queue| tap(CapturePoint::Bottleneck, plan.devices[queue].place, true, &|device| device == queue)),
        );
        taps.push(tap(CapturePoint::Receivers, Place::Receiver, plan.ifb.is_some(), &|_| true));
        taps.retain(|tap| !tap.devices.is_empty() && run.measure.capture_at.has(tap.point));
        taps
    }

    /// In words.
    pub fn text(&self, plan: &Plan, snap_bytes: u32) -> String {
        let what = if self.is_outgoing { "what leaves by" } else { "what passes" };
        let name = |device: &usize| plan.devices[*device].name.as_str();
        let devices = self.devices.iter().map(name).collect::<Vec<&str>>().join(", ");
        format!("capture of {snap_bytes} B of each frame at the {}: {what} {devices}", self.point.name())
    }

    /// What does the same, a command for each device, each into a file of its own.
    pub fn commands(&self, plan: &Plan, snap_bytes: u32) -> Vec<Vec<String>> {
        let direction = if self.is_outgoing { "out" } else { "inout" };
        let command = |device: &usize| {
            let name = &plan.devices[*device].name;
            let file = format!("{}-{name}.pcap", self.point.name());
            let snap = snap_bytes.to_string();
            let command = ["tcpdump", "-i", name, "-Q", direction, "-s", &snap, "--nano", "-w", &file];
            command.map(str::to_owned).to_vec()
        };
        self.devices.iter().map(command).collect()
    }
}

/// Where frames are captured on this machine beside its path: at the senders and the receivers that it is. `interface`: the
/// number of its own; `ends`: those of the devices by which packets enter its path and leave it.
pub fn of_part(part: &Part, run: &Run, interface: u32, ends: Option<[u32; 2]>) -> Vec<Capture> {
    let capture =
        |point, device, hosts| Capture { point, numbers: vec![device], is_of_all: false, is_outgoing: false, hosts };
    let pairs = |here: fn(&Ends) -> bool| {
        let mut pairs: Vec<_> = part.flows.iter().filter(|it| here(it)).map(|it| (it.sender, it.receiver)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    let reversed = |pairs: &[(Ipv4Addr, Ipv4Addr)]| pairs.iter().map(|(from, to)| (*to, *from)).collect::<Vec<_>>();
    let mut captures = Vec::new();
    for (point, there) in
        [(CapturePoint::Senders, pairs(|it| it.begins_here)), (CapturePoint::Receivers, pairs(|it| it.ends_here))]
    {
        if there.is_empty() || !run.measure.capture_at.has(point) {
            continue;
        }
        let (back, both) = (reversed(&there), [reversed(&there), there.clone()].concat());
        match (point, part.passage, ends) {
            // What it sends enters its own path first, and what comes back does not pass it.
            (CapturePoint::Senders, Some(Passage::Sender), Some([enters, _])) => {
                captures.extend([capture(point, enters, there), capture(point, interface, back)]);
            }
            (CapturePoint::Receivers, Some(Passage::Receiver), Some([_, leaves])) => {
                captures.push(capture(point, leaves, both));
            }
            _ => captures.push(capture(point, interface, both)),
        }
    }
    captures
}

#[cfg(test)]
mod tests {
    use super::super::tests::{POOR, place_of};
    use super::*;
    use crate::samples;
    use run::{Access, AccessKind, Buffer, Hop, Qdisc, ShaperAt};

    /// Of each tap its point, the places that its devices lead to, and what else it says.
    fn shown(plan: &Plan, run: &Run) -> Vec<(&'static str, Place, Vec<Place>, bool, bool)> {
        let taps = Tap::of(plan, run).into_iter();
        taps.map(|tap| {
            let leads_to = tap.devices.iter().map(|device| place_of(plan, device ^ 1)).collect();
            (tap.point.name(), tap.place, leads_to, tap.is_of_all, tap.is_outgoing)
        })
        .collect()
    }

    #[test]
    fn a_plain_path_is_captured_at_three_devices() {
        let run = samples::run(4);
        let plan = Plan::new(&run, 0);
        let expected = [
            ("senders", Place::Sender, vec![Place::Near], true, false),
            ("bottleneck", Place::Near, vec![Place::Receiver], false, true),
            ("receivers", Place::Receiver, vec![Place::Near], true, false),
        ];
        assert_eq!(shown(&plan, &run), expected);
        let queue = Tap::of(&plan, &run)[1].devices[0];
        assert_eq!(queue, plan.hops[0].queue);
    }

    #[test]
    fn what_a_relay_brings_back_to_the_senders_is_captured_there() {
        let run = samples::run(1);
        let plan = Plan::new(&run, 0).relayed(POOR);
        assert_eq!(shown(&plan, &run)[0], ("senders", Place::Sender, vec![Place::Near; 2], true, false));
    }

    #[test]
    fn senders_with_a_lane_are_captured_behind_it() {
        let mut run = samples::run(2);
        run.path.jitter_ns = Some(50_000);
        run.flows[1].access =
            Some(Access { rate_bps: 8_000_000, buffer: Buffer::Bytes(100_000), kind: AccessKind::Device });
        for plan in [Plan::new(&run, 0), Plan::new(&run, 0).relayed(POOR)] {
            let shown = shown(&plan, &run);
            let [senders, lane] = &shown[..2] else { panic!("{shown:?}") };
            assert_eq!((senders.1, lane.1), (Place::Sender, Place::Lane));
            assert!(senders.2.iter().all(|place| *place == Place::Near) && !senders.3, "{shown:?}");
            assert!(lane.2.iter().all(|place| *place == Place::Near) && !lane.3, "{shown:?}");
        }
        run.host.qdisc = Qdisc::Fq;
        run.flows[1].access = None;
        let plan = Plan::new(&run, 0);
        assert_eq!(shown(&plan, &run)[0].1, Place::Lane, "no sender's own device has single frames");
    }

    #[test]
    fn receivers_behind_their_bottleneck_get_what_has_left_it() {
        let mut run = samples::run(1);
        run.path.shaper_at = ShaperAt::Receiver;
        let plan = Plan::new(&run, 0).shaped_at_receivers(&run);
        let taps = Tap::of(&plan, &run);
        assert_eq!((taps[1].devices.as_slice(), taps[1].is_outgoing), ([plan.ifb.expect("an ifb")].as_slice(), true));
        assert!(taps[2].is_outgoing && taps[2].is_of_all);
    }

    #[test]
    fn each_direction_has_its_bottleneck() {
        let mut run = samples::run(1);
        let hop = |rate_bps| Hop { rate_bps, ..run.path.hops(Direction::Down)[0].clone() };
        run.path.back = vec![hop(80_000_000), hop(8_000_000)];
        let plan = Plan::new(&run, 0);
        let queues: Vec<usize> = Tap::of(&plan, &run)
            .iter()
            .filter(|tap| tap.point == CapturePoint::Bottleneck)
            .map(|tap| tap.devices[0])
            .collect();
        assert_eq!(queues, [plan.hops[0].queue, plan.hops[2].queue]);
    }
}
