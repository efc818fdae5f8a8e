//! What a line does to packets one by one ([`Impairments`]): to the kernel's `netem` as a request, to `tc` as a text; and the draws of
//! a relay, which are `netem`'s.

use super::handle::UNLIMITED_PACKETS;
use super::loss::{probability, threshold};
use netlink_bindings::tc::{self, TcNetemCorr, TcNetemCorrupt, TcNetemQopt, TcNetemReorder, Tcmsg};
use run::{Distribution, Impairments, Reorder};
use std::sync::OnceLock;

/// Entries of a table of a distribution.
const TABLE_SIZE: u16 = 4_096;
/// What a standard deviation is in it (`NETEM_DIST_SCALE` in `sch_netem.c`).
const TABLE_SCALE: i64 = 8_192;
/// Headers of a full segment: of a super-packet that was cut, only these are in the linear part of the frame, and a damaged bit is one
/// of them (`netem_enqueue`).
const HEADER_BYTES: u64 = 66;
/// The address of the frame's sender, which nobody looks at.
const UNREAD_BYTES: u64 = 6;
const BILLION: u32 = 1_000_000_000;

/// The damaged share that `netem` needs, in parts per billion, that receivers discard this one of packets with data: where the bit is
/// one of the sender's Ethernet address nothing is harmed.
fn damaged_ppb(discarded_ppb: u32) -> u32 {
    let ppb = u64::from(discarded_ppb) * HEADER_BYTES / (HEADER_BYTES - UNREAD_BYTES);
    u32::try_from(ppb).unwrap_or(BILLION).min(BILLION)
}

/// The request for a `netem`.
pub fn encode(bytes: &mut Vec<u8>, header: &Tcmsg, impairments: &Impairments, seed: u64) {
    let Impairments { duplicate_ppb, corrupt_ppb, reorder, .. } = *impairments;
    // With a gap of 1 each packet is drawn for, and those that are drawn wait for nothing.
    let gap = u32::from(matches!(reorder, Some(Reorder::Late { .. })));
    let options =
        TcNetemQopt { limit: UNLIMITED_PACKETS, gap, duplicate: threshold(duplicate_ppb), ..Default::default() };
    let mut request =
        tc::OpNewqdiscDo::encode_request(bytes, header).nested_options_netem(&options).push_prng_seed(seed);
    if corrupt_ppb > 0 {
        let probability = threshold(damaged_ppb(corrupt_ppb));
        request = request.push_corrupt(TcNetemCorrupt { probability, correlation: 0 });
    }
    let _ = match reorder {
        None => request,
        Some(Reorder::Late { share_ppb, by_ns }) => {
            let in_time = TcNetemReorder { probability: threshold(BILLION - share_ppb.min(BILLION)), correlation: 0 };
            request.push_latency64(by_ns as i64).push_reorder(in_time)
        }
        Some(Reorder::Spread { delay_ns, spread_ns, distribution, correlation_ppb }) => {
            request = request.push_latency64(delay_ns as i64).push_jitter64(spread_ns as i64);
            if correlation_ppb > 0 {
                request =
                    request.push_corr(TcNetemCorr { delay_corr: probability(correlation_ppb), ..Default::default() });
            }
            match distribution {
                Distribution::Uniform => request,
                Distribution::Normal => {
                    let table: Vec<u8> = normal_table().iter().flat_map(|entry| entry.to_ne_bytes()).collect();
                    request.push_delay_dist(&table)
                }
            }
        }
    };
}

/// The same as `tc` would be told.
pub fn text(impairments: &Impairments) -> String {
    let percent = |ppb: u32| f64::from(ppb) / 1e7;
    let Impairments { duplicate_ppb, corrupt_ppb, reorder, .. } = *impairments;
    let mut text = format!("netem limit {UNLIMITED_PACKETS}");
    text += &match reorder {
        None => String::new(),
        Some(Reorder::Late { share_ppb, by_ns }) => {
            format!(" delay {by_ns}ns reorder {}% gap 1", percent(BILLION - share_ppb.min(BILLION)))
        }
        Some(Reorder::Spread { delay_ns, spread_ns, distribution, correlation_ppb }) => {
            let correlation =
                if correlation_ppb > 0 { format!(" {}%", percent(correlation_ppb)) } else { String::new() };
            let distribution = match distribution {
                Distribution::Uniform => "",
                Distribution::Normal => " distribution normal",
            };
            format!(" delay {delay_ns}ns {spread_ns}ns{correlation}{distribution}")
        }
    };
    if duplicate_ppb > 0 {
        text += &format!(" duplicate {}%", percent(duplicate_ppb));
    }
    if corrupt_ppb > 0 {
        text += &format!(" corrupt {}%", percent(damaged_ppb(corrupt_ppb)));
    }
    text
}

/// The delay that a packet has, by a number of 32 bits (`tabledist` in `sch_netem.c`).
pub fn spread_ns(delay_ns: u64, spread_ns: u64, distribution: Distribution, drawn: u32) -> u64 {
    let (mean, spread) = (delay_ns as i64, spread_ns as i64);
    if spread == 0 {
        return delay_ns;
    }
    let delay = match distribution {
        Distribution::Uniform => i64::from(drawn) % (2 * spread) + mean - spread,
        Distribution::Normal => {
            let entry = i64::from(normal_table()[usize::from((drawn % u32::from(TABLE_SIZE)) as u16)]);
            (spread * entry).div_euclid(TABLE_SCALE) + mean
        }
    };
    delay.max(0) as u64
}

/// The next of numbers that depend on those before (`get_crandom` in `sch_netem.c`).
pub fn correlated(last: u32, drawn: u32, correlation_ppb: u32) -> u32 {
    if correlation_ppb == 0 {
        return drawn;
    }
    let weight = u64::from(probability(correlation_ppb)) + 1;
    ((u128::from(drawn) * u128::from((1_u64 << 32) - weight) + u128::from(last) * u128::from(weight)) >> 32) as u32
}

/// Quantiles of the normal distribution, in the middle of parts of equal probability.
fn normal_table() -> &'static [i16] {
    static TABLE: OnceLock<Vec<i16>> = OnceLock::new();
    TABLE.get_or_init(|| {
        // The upper half: how far the integral of the density has to go, by steps of which each is a trapezium.
        const STEP: f64 = 1e-4;
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let (mut x, mut integral) = (0.0, 0.0);
        let half = TABLE_SIZE / 2;
        let upper: Vec<i16> = (0..half)
            .map(|place| {
                let probability = (f64::from(place) + 0.5) / f64::from(TABLE_SIZE);
                let mut part = (density(x) + density(x + STEP)) / 2.0 * STEP;
                while integral + part < probability {
                    (x, integral) = (x + STEP, integral + part);
                    part = (density(x) + density(x + STEP)) / 2.0 * STEP;
                }
                let quantile = x + (probability - integral) / part * STEP;
                (quantile * TABLE_SCALE as f64).round() as i16
            })
            .collect();
        upper.iter().rev().map(|entry| -entry).chain(upper.iter().copied()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_bindings::tc::OptionsMsg;

    #[test]
    fn the_table_is_that_of_a_standard_normal_distribution() {
        let table = normal_table();
        assert_eq!(table.len(), usize::from(TABLE_SIZE));
        assert!(table.is_sorted());
        // Quantiles at 0.84134, 0.97725 and 0.99865: one, two and three standard deviations.
        for (place, expected) in [(3_446, 1.0), (4_003, 2.0), (4_090, 3.0)] {
            let quantile = f64::from(table[place]) / TABLE_SCALE as f64;
            assert!((quantile - expected).abs() < 0.02, "{place}: {quantile}");
        }
        let mean_square = table.iter().map(|entry| f64::from(*entry).powi(2)).sum::<f64>() / f64::from(TABLE_SIZE);
        assert!((mean_square.sqrt() / TABLE_SCALE as f64 - 1.0).abs() < 0.001);
    }

    #[test]
    fn delays_have_their_mean_and_their_spread() {
        let all =
            |distribution| (0..=u32::MAX).step_by(65_521).map(move |drawn| spread_ns(5_000, 600, distribution, drawn));
        let mean = |delays: &[u64]| delays.iter().sum::<u64>() as f64 / delays.len() as f64;
        let uniform: Vec<u64> = all(Distribution::Uniform).collect();
        assert_eq!((uniform.iter().min(), uniform.iter().max()), (Some(&4_400), Some(&5_599)));
        let normal: Vec<u64> = all(Distribution::Normal).collect();
        let deviation =
            normal.iter().map(|it| (*it as f64 - 5_000.0).powi(2)).sum::<f64>().sqrt() / (normal.len() as f64).sqrt();
        assert!((mean(&uniform) - 5_000.0).abs() < 5.0 && (mean(&normal) - 5_000.0).abs() < 5.0);
        assert!((deviation - 600.0).abs() < 5.0, "{deviation}");
        assert_eq!(spread_ns(10, 100, Distribution::Uniform, 0), 0, "none is less than 0");
    }

    #[test]
    fn what_a_line_does_is_one_netem() {
        let reorder = Some(Reorder::Late { share_ppb: 10_000_000, by_ns: 3_000_000 });
        let impairments =
            Impairments { duplicate_ppb: 500_000_000, corrupt_ppb: 100_000_000, reorder, ..Impairments::default() };
        let mut bytes = Vec::new();
        encode(&mut bytes, &Tcmsg::default(), &impairments, 7);
        let (_, attributes) = tc::OpNewqdiscDo::decode_request(&bytes);
        let Ok(OptionsMsg::Netem(options, attributes)) = attributes.get_options() else { panic!("no netem") };
        assert_eq!((options.gap, options.duplicate), (1, (1 << 31) - 1));
        assert_eq!(attributes.get_latency64(), Ok(3_000_000));
        let in_time = f64::from(attributes.get_reorder().expect("a share").probability) / 4_294_967_296.0;
        let damaged = f64::from(attributes.get_corrupt().expect("a share").probability) / 4_294_967_296.0;
        assert!((in_time - 0.99).abs() < 1e-9 && (damaged - 0.11).abs() < 1e-9);
        let delays = " delay 3000000ns reorder 99% gap 1 duplicate 50% corrupt 11%";
        assert_eq!(text(&impairments), format!("netem limit 1000000000{delays}"));
        let (distribution, correlation_ppb) = (Distribution::Normal, 250_000_000);
        let reorder = Some(Reorder::Spread { delay_ns: 5, spread_ns: 2, distribution, correlation_ppb });
        let spread = Impairments { reorder, ..Impairments::default() };
        assert!(text(&spread).ends_with(" delay 5ns 2ns 25% distribution normal"));
        let mut bytes = Vec::new();
        encode(&mut bytes, &Tcmsg::default(), &spread, 7);
        let (_, attributes) = tc::OpNewqdiscDo::decode_request(&bytes);
        let Ok(OptionsMsg::Netem(options, attributes)) = attributes.get_options() else { panic!("no netem") };
        assert_eq!((options.gap, attributes.get_corr().expect("a correlation").delay_corr), (0, 1 << 30));
        assert_eq!(attributes.get_delay_dist().expect("a table").len(), 2 * usize::from(TABLE_SIZE));
    }
}
