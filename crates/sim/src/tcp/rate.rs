//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation-02; Linux 6.1 `tcp_rate.c`).
//!
//! Every segment remembers, when it is sent, how much had been delivered and when; its acknowledgement then gives
//! a rate over the longer of the time it took to send that data and the time it took to be acknowledged.

use super::segment::Segment;
use crate::serial::at_most;
use cc::RateSample;
use units::low_bits;

/// The connection's account of deliveries.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRate {
    /// Segments delivered so far.
    pub delivered: u64,
    /// When the last delivery was counted, µs.
    pub delivered_at_us: u64,
    /// Send time of the segment acknowledged last, µs: where the next send phase begins.
    first_sent_us: u64,
    /// `delivered` at which the present bubble of the application has left the network; 0: no bubble.
    app_limited_until: u64,
    /// The last sample worth showing: segments and µs.
    shown: (u32, u32),
}

/// The sample in the making while an ACK is taken in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling {
    prior: Option<Prior>,
}

/// What the newest segment acknowledged remembers of the time it was sent.
#[derive(Clone, Copy, Debug)]
struct Prior {
    seq: u64,
    sent_us: u64,
    delivered: u64,
    since_delivery_us: u32,
    app_limited: bool,
    send_phase_us: u32,
}

impl DeliveryRate {
    /// Stamps a segment that is being sent. `nothing_out`: no other segment is unacknowledged.
    #[inline]
    pub fn on_sent(&mut self, segment: &mut Segment, sent_us: u64, nothing_out: bool) {
        if nothing_out {
            self.first_sent_us = sent_us;
            self.delivered_at_us = sent_us;
        }
        segment.sent_us = sent_us;
        // Longer than an hour is as long as an hour: no interval counts further.
        segment.send_phase_us = u32::try_from(sent_us.saturating_sub(self.first_sent_us)).unwrap_or(u32::MAX);
        segment.since_delivery_us = u32::try_from(sent_us - self.delivered_at_us).unwrap_or(u32::MAX);
        segment.delivered = low_bits(self.delivered);
        segment.set_app_limited(self.app_limited_until != 0);
    }

    /// A segment was acknowledged or SACKed for the first time; the one sent last decides the sample.
    #[inline]
    pub fn on_delivered(&mut self, segment: &Segment, seq: u64, sampling: &mut Sampling) {
        if sampling.prior.is_some_and(|prior| (segment.sent_us, seq) <= (prior.sent_us, prior.seq)) {
            return;
        }
        sampling.prior = Some(Prior {
            seq,
            sent_us: segment.sent_us,
            delivered: at_most(segment.delivered, self.delivered),
            since_delivery_us: segment.since_delivery_us,
            app_limited: segment.is_app_limited(),
            send_phase_us: segment.send_phase_us,
        });
        self.first_sent_us = segment.sent_us;
    }

    /// The finished sample of an ACK that delivered `acked_sacked` segments and found `losses` lost.
    pub fn finish(&mut self, sampling: &Sampling, now_us: u64, min_rtt_us: u32, sample: &mut RateSample) {
        if self.app_limited_until != 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        if sample.acked_sacked > 0 {
            self.delivered_at_us = now_us;
        }
        let Some(prior) = sampling.prior else { return };
        sample.has_prior = true;
        sample.prior_delivered = prior.delivered;
        sample.is_app_limited = prior.app_limited;
        sample.delivered = u32::try_from(self.delivered - prior.delivered).ok();
        // A retransmission that waits for its departure may be acknowledged by what it repeats.
        let ack_phase_us = (now_us + u64::from(prior.since_delivery_us)).saturating_sub(prior.sent_us);
        let interval_us = u32::try_from(ack_phase_us).unwrap_or(u32::MAX).max(prior.send_phase_us);
        if interval_us < min_rtt_us {
            // Faster than any round trip: the sample of a segment that was retransmitted in vain.
            return;
        }
        sample.interval_us = interval_us;
        let delivered = sample.delivered.unwrap_or(0);
        let (shown, shown_us) = self.shown;
        if !prior.app_limited || u64::from(delivered) * u64::from(shown_us) >= u64::from(shown) * u64::from(interval_us)
        {
            self.shown = (delivered, interval_us);
        }
    }

    /// The application has nothing to send and the window is not full: until what is in flight has been delivered,
    /// samples tell about the application.
    pub fn on_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + u64::from(in_flight)).max(1);
    }

    /// Whether a bubble of the application is still in the network.
    pub const fn is_app_limited(&self) -> bool {
        self.app_limited_until != 0
    }

    /// The newest segment of this ACK, if one was delivered.
    pub fn newest(sampling: &Sampling) -> Option<u64> {
        sampling.prior.map(|prior| prior.seq)
    }

    /// `delivered` when the newest segment of this ACK was sent, if one was delivered.
    pub fn prior_delivered(sampling: &Sampling) -> Option<u64> {
        sampling.prior.map(|prior| prior.delivered)
    }

    /// The last sample, bit/s; 0 before the first.
    pub fn shown_bps(&self, mss_bytes: u32) -> u64 {
        let (segments, micros) = self.shown;
        (u64::from(segments) * u64::from(mss_bytes) * 8_000_000).checked_div(u64::from(micros)).unwrap_or(0)
    }
}
