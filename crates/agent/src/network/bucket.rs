//! Token buckets, `tbf` and the class of an `htb`, as the kernel is asked for them, and what a packet costs there.

use super::device::Device;
use super::handle::{FIRST_CLASS, ROOT, header, saturated};
use netlink_bindings::tc::{self, TcHtbOpt, TcRatespec, TcSizespec, TcTbfQopt, Tcmsg};
use netlink_bindings::traits::Pusher;
use run::Buffer;

/// `TC_LINKLAYER_ETHERNET`.
const ETHERNET: u8 = 1;
/// Bits a second of a valve that is open, and its burst, bytes.
pub const OPEN_BPS: u64 = 1 << 43;
pub const OPEN_BYTES: u64 = 1 << 30;
/// What each frame costs that a shut `tbf` does not let leave, bytes.
const SHUT_BYTES: u32 = 65_534;
/// What a class of an `htb` may send before another has its turn, bytes: there is no other.
pub const TURN_BYTES: u32 = 65_536;
/// Steps a second of the clock in which the kernel counts an `htb`'s burst.
pub const STEPS_PER_S: u64 = 1_000_000_000 / 64;

/// The rate that a `tbf` has when it is asked for this one: it counts bytes a second.
pub const fn rate_in_bytes(rate_bps: u64) -> u64 {
    (rate_bps + 4) / 8
}

/// The table of sizes before a discipline's kind, in `tc`'s words; nothing where packets count as they are.
pub fn stab_text(extra_bytes: i32) -> String {
    if extra_bytes == 0 { String::new() } else { format!("stab overhead {extra_bytes} ") }
}

/// The one class of an `htb`: as deep for its rate as for the most that it may borrow, for there is nobody to borrow from.
pub fn encode_htb_class(bytes: &mut Vec<u8>, device: &Device, rate_bps: u64, burst_bytes: u64) {
    let rate = rate_in_bytes(rate_bps);
    let spec = || TcRatespec { linklayer: ETHERNET, rate: saturated(rate), ..Default::default() };
    let steps = saturated((burst_bytes * STEPS_PER_S).div_ceil(rate.max(1)));
    let parameters = TcHtbOpt {
        rate: spec(),
        ceil: spec(),
        buffer: steps,
        cbuffer: steps,
        quantum: TURN_BYTES,
        ..Default::default()
    };
    let _ = tc::OpNewtclassDo::encode_request(bytes, &header(device, FIRST_CLASS, ROOT))
        .nested_options_htb()
        .push_parms(parameters)
        .push_rate64(rate)
        .push_ceil64(rate);
}

/// Adds a table of sizes by which each packet counts more, or less (`qdisc_get_stab` and `__qdisc_calculate_pkt_len` in the
/// kernel's `sch_api.c`). A change of the discipline that does not repeat it takes it away.
pub fn encode_stab<Prev: Pusher>(request: tc::PushAttrs<Prev>, extra_bytes: i32) -> tc::PushAttrs<Prev> {
    if extra_bytes == 0 {
        return request;
    }
    request.nested_stab().push_base(TcSizespec { overhead: extra_bytes, ..Default::default() }).end_nested()
}

/// What a packet of a rate costs: its frame, and beyond that.
pub fn rate_spec(rate: u64, extra_bytes: i32) -> TcRatespec {
    // `cell_log` is of the table that nobody looks at, and not 0 (`qdisc_get_rtab` in `sch_api.c`).
    let overhead = u8::try_from(extra_bytes).unwrap_or_default();
    TcRatespec { cell_log: 1, linklayer: ETHERNET, overhead, rate: saturated(rate), ..Default::default() }
}

/// A `tbf` through which nothing leaves, and which looks again 10,000 times a second whether that is still so. Each frame costs as much
/// as one of the largest length (`mpu`), and a bucket that is said as a time, and not in bytes, holds half of that, though
/// frames of that half may wait (`tbf_change` in `sch_tbf.c`, `psched_l2t_ns`).
fn encode_shut(bytes: &mut Vec<u8>, header: &Tcmsg, limit: u64, extra_bytes: i32) {
    const RATE: u32 = SHUT_BYTES / 2 * 10_000;
    let mut rate = TcRatespec { linklayer: ETHERNET, rate: RATE, ..Default::default() };
    // The bindings have it 8 bits wide and two bytes before its place.
    let [low, high] = (SHUT_BYTES as u16).to_le_bytes();
    rate._pad_5 = [0, low, high];
    let steps = u64::from(SHUT_BYTES) / 2 * STEPS_PER_S / u64::from(RATE);
    let parameters = TcTbfQopt {
        rate,
        peakrate: TcRatespec { linklayer: ETHERNET, ..Default::default() },
        limit: saturated(limit),
        buffer: saturated(steps),
        ..Default::default()
    };
    let _ = encode_stab(tc::OpNewqdiscDo::encode_request(bytes, header), extra_bytes)
        .nested_options_tbf()
        .push_parms(parameters);
}

/// Adds a `tbf` before a queue of so much room; at a rate of 0 it is shut.
pub fn encode_tbf(
    bytes: &mut Vec<u8>,
    header: &Tcmsg,
    rate_bps: u64,
    burst_bytes: u64,
    room: Buffer,
    extra_bytes: i32,
) {
    let (Buffer::Bytes(limit) | Buffer::Packets(limit)) = room;
    let rate = rate_in_bytes(rate_bps);
    if rate == 0 {
        return encode_shut(bytes, header, limit, extra_bytes);
    }
    let parameters = TcTbfQopt {
        rate: TcRatespec { linklayer: ETHERNET, rate: saturated(rate), ..Default::default() },
        peakrate: TcRatespec { linklayer: ETHERNET, ..Default::default() },
        limit: saturated(limit),
        ..Default::default()
    };
    let _ = encode_stab(tc::OpNewqdiscDo::encode_request(bytes, header), extra_bytes)
        .nested_options_tbf()
        .push_parms(parameters)
        .push_rate64(rate)
        .push_burst(saturated(burst_bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::handle::DEVICE;

    #[test]
    fn a_rate_is_the_nearest_in_bytes() {
        assert_eq!(rate_in_bytes(80_000_000), 10_000_000);
        assert_eq!((rate_in_bytes(11), rate_in_bytes(12)), (1, 2));
    }

    /// 1600 bytes at 10 Mbit/s are 1.28 ms.
    #[test]
    fn the_burst_of_a_class_is_encoded_as_a_time() {
        let mut bytes = Vec::new();
        let place = crate::network::place::Place::Near;
        let device = Device { place, index: 107, name: "near107".to_owned(), offloads: Default::default(), mac: None };
        encode_htb_class(&mut bytes, &device, 10_000_000, 1_600);
        let (read, attributes) = tc::OpNewtclassDo::decode_request(&bytes);
        assert_eq!((read.ifindex, read.handle, read.parent), (107, 0x1_0001, 0x1_0000));
        let Ok(tc::OptionsMsg::Htb(options)) = attributes.get_options() else { panic!("no htb") };
        let parameters = options.get_parms().expect("parameters");
        assert_eq!((parameters.buffer, parameters.cbuffer, parameters.rate.rate), (20_000, 20_000, 1_250_000));
    }

    #[test]
    fn a_bucket_is_encoded_in_bytes() {
        let mut bytes = Vec::new();
        let place = crate::network::place::Place::Near;
        let device = Device { place, index: 107, name: "near107".to_owned(), offloads: Default::default(), mac: None };
        let header = header(&device, ROOT, DEVICE);
        encode_tbf(&mut bytes, &header, 40_000_000_000, 5_000, Buffer::Bytes(125_000), 24);
        let (read, attributes) = tc::OpNewqdiscDo::decode_request(&bytes);
        assert_eq!((read.ifindex, read.parent), (107, u32::MAX));
        let Ok(tc::OptionsMsg::Tbf(options)) = attributes.get_options() else { panic!("no tbf") };
        let parameters = options.get_parms().expect("parameters");
        assert_eq!((parameters.limit, parameters.rate.linklayer, parameters.rate.rate), (125_000, 1, u32::MAX));
        assert_eq!((options.get_rate64(), options.get_burst()), (Ok(5_000_000_000), Ok(5_000)));
        let sizes = attributes.get_stab().expect("a table of sizes").get_base().expect("its base");
        assert_eq!((sizes.overhead, sizes.tsize), (24, 0));
    }

    /// Frames of up to half of what one costs may wait, and the bucket never holds as much as one costs.
    #[test]
    fn a_bucket_without_a_rate_is_shut() {
        let mut bytes = Vec::new();
        encode_tbf(&mut bytes, &Tcmsg::default(), 0, 5_000, Buffer::Bytes(125_000), 0);
        let (_, attributes) = tc::OpNewqdiscDo::decode_request(&bytes);
        let Ok(tc::OptionsMsg::Tbf(options)) = attributes.get_options() else { panic!("no tbf") };
        assert!(options.get_burst().is_err(), "it is said as a time");
        let parameters = options.get_parms().expect("parameters");
        let spec = parameters.rate.as_slice();
        let costs = u64::from(u16::from_ne_bytes([spec[6], spec[7]])); // `mpu` of `struct tc_ratespec`
        let holds = u64::from(parameters.buffer) * 64 * u64::from(parameters.rate.rate) / 1_000_000_000;
        assert_eq!((costs, parameters.limit), (65_534, 125_000));
        assert!((32_000..=costs / 2).contains(&holds), "{holds}");
    }
}
