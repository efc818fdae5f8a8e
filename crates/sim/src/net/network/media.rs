//! What is behind the lines of links: packets that come twice, damaged, late, or in lumps.

use super::Network;
use crate::index::HopId;
use crate::net::hop::Hop;
use crate::net::medium::{Begun, Medium};
use crate::net::packet::Packet;
use units::Span;

impl Network {
    fn medium(&mut self, id: HopId) -> &mut Medium {
        match &mut self.places[id.index()].hop {
            Hop::Medium(medium) => medium,
            _ => unreachable!("a medium"),
        }
    }

    /// From now on packets of a link of the path take so much longer, beyond all other delays: of these, and then those of the
    /// way back, the one at this place. It is one of which some change or trace has a delay.
    pub(super) fn change_delay(&mut self, link: usize, delay: Span) {
        let medium = self.media[link];
        debug_assert!(medium.is_some(), "a link whose delay changes has a medium");
        if let Some(id) = medium {
            self.medium(id).change_delay(delay);
        }
    }

    /// A packet goes to a hop, and on past media that let it through. False where none is left: it is at the host that it is for.
    #[inline(never)]
    pub(super) fn pass_on_by_media(&mut self, mut id: HopId, packet: &Packet) -> bool {
        loop {
            let now = self.events.now();
            let place = &mut self.places[id.index()];
            match &mut place.hop {
                Hop::Medium(medium) => {
                    if medium.checks() && packet.marks.is_damaged() {
                        self.note_end(packet);
                        return true;
                    }
                    if medium.duplicates() {
                        self.enter_twice(id, packet);
                        return true;
                    }
                    if medium.damages() {
                        self.enter_damaged(id, *packet);
                        return true;
                    }
                    if let Begun::Waits(next) = medium.begin(now, packet) {
                        if let Some(next) = next {
                            self.events.schedule(next, place.event(id));
                        }
                        return true;
                    }
                }
                _ => {
                    self.reach(id, packet);
                    return true;
                }
            }
            let Some(next) = self.onward(id, packet) else { break };
            id = next;
        }
        self.note_arrival(packet);
        false
    }

    /// A packet reaches a medium, and waits there though nothing may delay it.
    pub(super) fn reach_medium(&mut self, id: HopId, packet: &Packet) {
        if self.medium(id).duplicates() { self.enter_twice(id, packet) } else { self.enter_medium(id, packet) }
    }

    fn enter_medium(&mut self, id: HopId, packet: &Packet) {
        if self.medium(id).damages() { self.enter_damaged(id, *packet) } else { self.set_out(id, packet) }
    }

    #[inline(never)]
    fn enter_twice(&mut self, id: HopId, packet: &Packet) {
        let copy = self.reports.copy(packet);
        if cfg!(debug_assertions) {
            self.account.sent += copy.wire_segments();
        }
        self.note_another(&copy);
        self.enter_medium(id, &copy);
        self.enter_medium(id, packet);
    }

    /// One packet more is under way.
    fn note_another(&mut self, packet: &Packet) {
        if self.notes_each {
            self.ports[packet.flow.index()].under_way += 1;
        }
    }

    /// Of a super-packet the first segment is damaged, and those behind it come as others do (`netem_segment`).
    #[inline(never)]
    fn enter_damaged(&mut self, id: HopId, mut packet: Packet) {
        let mut rest = packet.split(self.mss_bytes);
        packet.marks = packet.marks.damaged();
        if !packet.kind.is_ack() {
            self.ports[packet.flow.index()].damaged += 1;
        }
        self.set_out(id, &packet);
        while let Some(mut segment) = rest {
            rest = segment.split(self.mss_bytes);
            self.note_another(&segment);
            self.reach_medium(id, &segment);
        }
    }

    #[inline]
    fn set_out(&mut self, id: HopId, packet: &Packet) {
        let now = self.events.now();
        if let Some(next) = self.medium(id).push(now, packet) {
            self.events.schedule(next, self.places[id.index()].event(id));
        }
    }

    /// A medium hands over what is due. What is at the host that it is for is put into `out`.
    pub(super) fn leave_medium(&mut self, id: HopId, out: &mut Vec<Packet>) {
        let now = self.events.now();
        if let Some(next) = self.medium(id).hand_over(now, out) {
            self.events.schedule(next, self.places[id.index()].event(id));
        }
        out.retain(|packet| !self.pass_on(id, packet));
    }
}
