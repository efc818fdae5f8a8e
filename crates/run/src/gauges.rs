//! [`Gauges`]: what a flow is like at an instant, and [`SharedGauges`] of several connections.

/// A flow's gauges at an instant, beyond those that a summary keeps; one column of [`crate::FlowSeries`] each.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns have them")]
pub struct Gauges {
    pub bottleneck_bytes: u64,
    pub cwnd_segments: u32,
    pub ssthresh_segments: u32,
    pub inflight_segments: u32,
    pub min_rtt_us: u32,
    pub cc_min_rtt_us: u32,
    pub pacing_rate_bps: u64,
    pub delivery_rate_bps: u64,
    pub bandwidth_bps: u64,
    pub pacing_gain_256ths: u16,
    pub cwnd_gain_256ths: u16,
    pub bw_hi_bps: u64,
    pub bw_lo_bps: u64,
    pub inflight_hi_segments: u32,
    pub inflight_lo_segments: u32,
    pub alpha_ppm: u32,
    pub phase: u8,
}

impl Gauges {
    /// Nothing is known, or infinite: each as its column of [`crate::FlowSeries`] has it.
    pub const UNKNOWN: Self = Self {
        bottleneck_bytes: 0,
        cwnd_segments: 0,
        ssthresh_segments: u32::MAX,
        inflight_segments: 0,
        min_rtt_us: u32::MAX,
        cc_min_rtt_us: u32::MAX,
        pacing_rate_bps: u64::MAX,
        delivery_rate_bps: 0,
        bandwidth_bps: u64::MAX,
        pacing_gain_256ths: 0,
        cwnd_gain_256ths: 0,
        bw_hi_bps: u64::MAX,
        bw_lo_bps: u64::MAX,
        inflight_hi_segments: u32::MAX,
        inflight_lo_segments: u32::MAX,
        alpha_ppm: u32::MAX,
        phase: 0,
    };
}

/// The gauges of a source's open connections together, see [`crate::FlowMeasurement`].
#[derive(Clone, Copy, Debug)]
pub struct SharedGauges {
    gauges: Gauges,
    srtt_sum_us: u64,
    srtt_count: u64,
}

impl SharedGauges {
    /// Of no connection yet; its closed ones had these bytes leave the bottleneck.
    pub const fn new(bottleneck_bytes: u64) -> Self {
        let gauges = Gauges { bottleneck_bytes, ..Gauges::UNKNOWN };
        Self { gauges, srtt_sum_us: 0, srtt_count: 0 }
    }

    /// Adds those of an open connection; its smoothed RTT is 0 before the first sample.
    pub fn add(&mut self, srtt_us: u32, own: &Gauges) {
        self.srtt_sum_us += u64::from(srtt_us);
        self.srtt_count += u64::from(srtt_us > 0);
        let all = &mut self.gauges;
        all.bottleneck_bytes += own.bottleneck_bytes;
        all.cwnd_segments = all.cwnd_segments.saturating_add(own.cwnd_segments);
        all.inflight_segments = all.inflight_segments.saturating_add(own.inflight_segments);
        all.min_rtt_us = all.min_rtt_us.min(own.min_rtt_us);
        if own.pacing_rate_bps != u64::MAX {
            let paced_bps = if all.pacing_rate_bps == u64::MAX { 0 } else { all.pacing_rate_bps };
            all.pacing_rate_bps = paced_bps.saturating_add(own.pacing_rate_bps);
        }
        all.delivery_rate_bps = all.delivery_rate_bps.saturating_add(own.delivery_rate_bps);
    }

    /// The mean of those that have one; 0: none has.
    pub fn srtt_us(&self) -> u32 {
        self.srtt_sum_us.checked_div(self.srtt_count).map_or(0, |mean_us| mean_us as u32)
    }

    /// The others.
    pub const fn gauges(&self) -> Gauges {
        self.gauges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauges_of_connections_are_summed_but_for_round_trip_times() {
        let mut all = SharedGauges::new(1_000);
        assert_eq!((all.srtt_us(), all.gauges().pacing_rate_bps), (0, u64::MAX));
        let own = |cwnd_segments, min_rtt_us, pacing_rate_bps| Gauges {
            bottleneck_bytes: 50,
            cwnd_segments,
            min_rtt_us,
            pacing_rate_bps,
            ..SharedGauges::new(0).gauges()
        };
        all.add(0, &own(10, u32::MAX, u64::MAX));
        all.add(30_000, &own(5, 20_000, 70));
        all.add(40_001, &own(7, 30_000, 30));
        let gauges = all.gauges();
        assert_eq!((all.srtt_us(), gauges.min_rtt_us), (35_000, 20_000));
        assert_eq!((gauges.bottleneck_bytes, gauges.cwnd_segments, gauges.pacing_rate_bps), (1_150, 22, 100));
    }
}
