//! Random loss: each packet with data, and each ACK, of a flow whose handshake is over is lost with the same probability, or with
//! that of the state in which a channel is.

use super::packet::Packet;
use crate::engine::{Stream, stream};
use crate::index::FlowId;
use run::{GilbertElliott, LossAt};

/// What loses packets at a hop, on one side of its queue.
#[derive(Debug)]
pub struct RandomLoss {
    ppb: u32,
    at: LossAt,
    seed: u64,
    /// The hop's part of the names of random streams; empty: that of a path with one hop.
    scope: String,
    flows: Vec<FlowLoss>,
    /// In the place of independent loss.
    channel: Option<Channel>,
    /// At some time there is any.
    strikes: bool,
    lost: u64,
}

/// A channel that is now in the one state and now in the other; all flows pass it.
#[derive(Debug)]
struct Channel {
    model: GilbertElliott,
    is_bad: bool,
    stream: Stream,
}

impl Channel {
    /// Whether it loses the next packet: the state that this meets says so. Then that may change (Linux 6.1 `loss_gilb_ell`).
    fn loses(&mut self) -> bool {
        let GilbertElliott { to_bad_ppb, to_good_ppb, good_loss_ppb, bad_loss_ppb } = self.model;
        let (leaves, loss) = if self.is_bad { (to_good_ppb, bad_loss_ppb) } else { (to_bad_ppb, good_loss_ppb) };
        self.is_bad ^= self.stream.happens(leaves);
        self.stream.happens(loss)
    }
}

/// One flow's part in it.
#[derive(Debug)]
struct FlowLoss {
    stream: Stream,
    /// Its handshake is over.
    lossy: bool,
    /// Segments of its data.
    lost: u64,
}

impl RandomLoss {
    /// Loss with a probability of `ppb` parts per billion, of no flow yet.
    pub const fn new(ppb: u32, at: LossAt, seed: u64, scope: String) -> Self {
        Self { ppb, strikes: ppb > 0, at, seed, scope, flows: Vec::new(), channel: None, lost: 0 }
    }

    /// The same, with loss in bursts instead where there is such a channel.
    pub fn in_bursts(mut self, model: Option<GilbertElliott>) -> Self {
        let stream = |name: &str| stream(self.seed, &format!("{}{name}", self.scope));
        self.channel = model.map(|model| Channel { model, is_bad: false, stream: stream("bursts") });
        self.strikes |= self.channel.is_some();
        self
    }

    /// The same, of which the probability may [change](Self::set_ppb).
    pub fn that_changes(self) -> Self {
        Self { strikes: true, ..self }
    }

    /// From now on the probability is another one.
    pub fn set_ppb(&mut self, ppb: u32) {
        debug_assert!(self.strikes || ppb == 0, "flows have no streams");
        self.ppb = ppb;
    }

    /// Nothing is ever lost.
    pub const fn none() -> Self {
        Self::new(0, LossAt::Before, 0, String::new())
    }

    /// A flow, which is new or takes the place of one that is over; `name` names its random stream.
    pub fn open(&mut self, flow: FlowId, name: &str) {
        if !self.strikes {
            return;
        }
        let stream = stream(self.seed, &format!("loss/{}{name}", self.scope));
        let new = FlowLoss { stream, lossy: false, lost: 0 };
        if flow.index() == self.flows.len() {
            self.flows.push(new);
        } else {
            self.flows[flow.index()] = new;
        }
    }

    /// From now on it acts on the flow.
    pub fn begin(&mut self, flow: FlowId) {
        if let Some(flow) = self.flows.get_mut(flow.index()) {
            flow.lossy = true;
        }
    }

    /// Whether it takes this packet, which passes on the side `at` of the queue.
    #[inline]
    pub fn takes(&mut self, packet: &Packet, at: LossAt) -> bool {
        self.strikes && at == self.at && self.draw(packet)
    }

    #[inline(never)]
    fn draw(&mut self, packet: &Packet) -> bool {
        let flow = &mut self.flows[packet.flow.index()];
        let lost = flow.lossy
            && packet.kind.is_lossy()
            && match &mut self.channel {
                None => self.ppb > 0 && flow.stream.happens(self.ppb),
                Some(channel) => channel.loses(),
            };
        if lost {
            flow.lost += if packet.kind.is_ack() { 0 } else { packet.wire_segments() };
            self.lost += packet.wire_segments();
        }
        lost
    }

    /// Segments lost so far, an ACK being one.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Of them those lost on the side `at` of the queue.
    pub fn lost_at(&self, at: LossAt) -> u64 {
        if at == self.at { self.lost } else { 0 }
    }

    /// Of them those of a flow's data.
    pub fn lost_of(&self, flow: FlowId) -> u64 {
        self.flows.get(flow.index()).map_or(0, |flow| flow.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::PacketKind;

    const COUNT: usize = 1_000_000;

    /// Which of so many packets of two flows, in turns, a channel loses.
    fn losses(model: GilbertElliott) -> Vec<bool> {
        let mut loss = RandomLoss::new(0, LossAt::After, 11, String::new()).in_bursts(Some(model));
        for (flow, name) in FlowId::first(2).zip(["a", "b"]) {
            loss.open(flow, name);
            loss.begin(flow);
        }
        let mut takes = |flow| {
            let packet = Packet { flow: FlowId::new(flow), segments: 1, kind: PacketKind::Data, ..Packet::default() };
            assert!(!loss.takes(&packet, LossAt::Before), "on the other side");
            loss.takes(&packet, LossAt::After)
        };
        let lost: Vec<bool> = (0..COUNT).map(|place| takes(place % 2)).collect();
        let count = lost.iter().filter(|lost| **lost).count() as u64;
        assert_eq!((loss.lost(), loss.lost_of(FlowId::new(0)) + loss.lost_of(FlowId::new(1))), (count, count));
        lost
    }

    /// Share lost in the long run p/(p + r) of the bad state's loss and r/(p + r) of the good one's. A burst has, where all is
    /// lost in the one state and nothing in the other, 1/r packets on average; in general as many as there are losses for each one
    /// that a packet follows which passes.
    #[test]
    fn a_channel_loses_as_much_and_in_such_bursts_as_its_states_say() {
        // In thousandths.
        for [to_bad, to_good, good, bad] in
            [[10, 200, 0, 1_000], [1, 50, 0, 1_000], [20, 100, 5, 600], [300, 900, 0, 1_000]]
        {
            let [to_bad_ppb, to_good_ppb, good_loss_ppb, bad_loss_ppb] =
                [to_bad, to_good, good, bad].map(|thousandths: u32| thousandths * 1_000_000);
            let model = GilbertElliott { to_bad_ppb, to_good_ppb, good_loss_ppb, bad_loss_ppb };
            let [p, r, good, bad] = [to_bad, to_good, good, bad].map(|thousandths| f64::from(thousandths) / 1e3);
            let lost = losses(model);
            let (in_bad, n) = (p / (p + r), COUNT as f64);
            let share = lost.iter().filter(|lost| **lost).count() as f64 / n;
            let expected = model.loss();
            // States are correlated by 1 - p - r from packet to packet.
            let memory = 1.0 - p - r;
            let between = (bad - good).powi(2) * in_bad * (1.0 - in_bad) * memory / (1.0 - memory);
            let error = ((expected * (1.0 - expected) + 2.0 * between) / n).sqrt();
            assert!((share - expected).abs() < 5.0 * error, "{share} instead of {expected} ± {error}");

            let bursts: Vec<f64> =
                lost.split(|lost| !lost).map(|burst| burst.len() as f64).filter(|len| *len > 0.0).collect();
            let passes_next = [r * (1.0 - good) + (1.0 - r) * (1.0 - bad), (1.0 - p) * (1.0 - good) + p * (1.0 - bad)];
            let ends = in_bad * bad * passes_next[0] + (1.0 - in_bad) * good * passes_next[1];
            let (mean, count) = (expected / ends, bursts.len() as f64);
            if (good, bad) == (0.0, 1.0) {
                assert!((mean * r - 1.0).abs() < 1e-9, "1/r: {mean}");
            }
            let measured = bursts.iter().sum::<f64>() / count;
            let spread = (bursts.iter().map(|burst| (burst - measured).powi(2)).sum::<f64>() / count).sqrt();
            assert!((measured - mean).abs() < 5.0 * spread / count.sqrt(), "{measured} instead of {mean}");
        }
    }

    #[test]
    fn a_channel_does_not_step_for_what_is_never_lost() {
        let model = GilbertElliott {
            to_bad_ppb: 500_000_000,
            to_good_ppb: 500_000_000,
            good_loss_ppb: 0,
            bad_loss_ppb: 1_000_000_000,
        };
        let run = |others: bool| {
            let mut loss = RandomLoss::new(0, LossAt::Before, 3, String::new()).in_bursts(Some(model));
            loss.open(FlowId::new(0), "a");
            let packet = |kind| Packet { segments: 1, kind, ..Packet::default() };
            assert!(!(0..100).any(|_| loss.takes(&packet(PacketKind::Data), LossAt::Before)), "before the handshake");
            loss.begin(FlowId::new(0));
            let mut takes = |kind| loss.takes(&packet(kind), LossAt::Before);
            (0..100).map(|_| (!others || !takes(PacketKind::Bare)) && takes(PacketKind::Data)).collect::<Vec<_>>()
        };
        assert_eq!(run(true), run(false));
    }
}
