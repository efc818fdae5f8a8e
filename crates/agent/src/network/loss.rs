//! Random loss, and what is spared of it.
//!
//! It is `netem`'s, below a `prio` that leads everything of less than 64 bytes past it: the segments of a
//! handshake (SYN 60 bytes, ACK 52) and of a close are never lost, and neither is the last segment of a write with
//! less than 12 bytes of payload. UDP is treated alike, so that packet trains see the same loss. Where ACKs are to be lost
//! too, the way past it is for segments with SYN: a handshake's third one, which is an ACK, may be lost.

use super::device::Device;
use super::handle::{
    CHILD, DEVICE, FIRST_CLASS, NEW_FILTER, NEW_QDISC, ROOT, SECOND_CLASS, TERMINAL, UNLIMITED_PACKETS, header,
    ip_filter,
};
use crate::netlink::{Batch, CREATE, REPLACE};
use netlink_bindings::tc::{self, TcNetemQopt, TcPrioQopt, TcU32Key, TcU32Sel, Tcmsg};
use netlink_bindings::traits::Pusher;
use netlink_bindings::utils::push_header;

/// The upper half of an IPv4 packet's first word is version and type of service, the lower its length: none of
/// these bits is set in a packet of less than 64 bytes.
pub const SHORT: [Match; 1] = [Match { mask: 0x0000_ffc0, value: 0, at: 0 }];
/// The protocol is TCP, and behind an IPv4 header without options there are flags with SYN among them.
pub const OPENING: [Match; 2] =
    [Match { mask: 0x00ff_0000, value: 0x0006_0000, at: 8 }, Match { mask: 0x0002_0000, value: 0x0002_0000, at: 32 }];
/// Where the addresses are in a packet of IPv4.
pub const SOURCE_AT: i32 = 12;
pub const TARGET_AT: i32 = 16;
/// `TCA_U32_SEL`.
const SELECTOR: u16 = 5;
/// 10^9: what parts per billion are parts of.
const BILLION: u64 = 1_000_000_000;

/// Bits of the word of a packet that is so many bytes from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// These bits.
    pub mask: u32,
    /// What they are.
    pub value: u32,
    /// Where.
    pub at: i32,
}

/// Adds the requests for it at a device. `spared`: what is led past.
pub fn push(batch: &mut Batch, device: &Device, loss_ppb: u32, spared: &[Match], seed: u64) {
    let subject = |kind: &str| format!("{kind} on {}", device.name);
    batch.push(NEW_QDISC, CREATE | REPLACE, subject("prio"), |bytes| {
        let options = TcPrioQopt { bands: 2, priomap: [1; 16] };
        let _ = tc::OpNewqdiscDo::encode_request(bytes, &header(device, ROOT, DEVICE)).nested_options_prio(&options);
    });
    batch.push(NEW_QDISC, CREATE | REPLACE, subject("netem"), |bytes| {
        let options = TcNetemQopt { limit: UNLIMITED_PACKETS, loss: threshold(loss_ppb), ..Default::default() };
        let _ = tc::OpNewqdiscDo::encode_request(bytes, &header(device, CHILD, SECOND_CLASS))
            .nested_options_netem(&options)
            .push_prng_seed(seed);
    });
    batch.push(NEW_FILTER, CREATE, subject("u32 filter"), |bytes| encode_way_past(bytes, device, spared));
}

/// The filter that leads past the loss what has all of these bits.
fn encode_way_past(bytes: &mut Vec<u8>, device: &Device, spared: &[Match]) {
    let mut filter =
        tc::OpNewtfilterDo::encode_request(bytes, &Tcmsg { info: ip_filter(1), ..header(device, 0, ROOT) })
            .nested_options_u32()
            .push_classid(FIRST_CLASS);
    encode_selector(filter.as_vec_mut(), spared);
}

/// What a `u32` filter looks for: all of these bits.
pub fn encode_selector(bytes: &mut Vec<u8>, matches: &[Match]) {
    let key = |it: &Match| TcU32Key { _mask_be: it.mask.to_be(), _val_be: it.value.to_be(), off: it.at, offmask: 0 };
    let keys: Vec<TcU32Key> = matches.iter().map(key).collect();
    let selector = TcU32Sel { flags: TERMINAL, nkeys: keys.len() as u8, keys: keys[0].clone(), ..Default::default() };
    // The bindings' selector has one key; more follow it.
    push_header(bytes, SELECTOR, (selector.as_slice().len() + (keys.len() - 1) * TcU32Key::len()) as u16);
    bytes.extend(selector.as_slice());
    keys[1..].iter().for_each(|key| bytes.extend(key.as_slice()));
}

/// The number which a random one of 32 bits must not exceed (`loss_event` and `netem_enqueue` in `sch_netem.c`): the
/// probability is one more in 2^32, so off by at most 0.12 parts per billion.
pub fn threshold(ppb: u32) -> u32 {
    let exact = (u64::from(ppb) << 32) / (BILLION / 2);
    u32::try_from(exact.div_ceil(2).saturating_sub(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_bindings::utils::find_attr;

    #[test]
    fn a_probability_is_off_by_less_than_a_billionth() {
        for ppb in [1, 2, 1_000, 1_000_000, 10_000_000, 123_456_789, 500_000_000, 999_999_999, 1_000_000_000] {
            let given = (f64::from(threshold(ppb)) + 1.0) / 4_294_967_296.0;
            assert!((given - f64::from(ppb) / 1e9).abs() < 1.3e-10, "{ppb}: {given}");
        }
    }

    #[test]
    fn a_filter_has_all_keys() {
        let place = super::super::place::Place::Near;
        let device = Device { place, index: 107, name: "near107".to_owned(), offloads: Default::default(), mac: None };
        for (spared, keys) in [(&SHORT[..], 1), (&OPENING[..], 2)] {
            let mut bytes = Vec::new();
            encode_way_past(&mut bytes, &device, spared);
            let (_, attributes) = tc::OpNewtfilterDo::decode_request(&bytes);
            let Ok(tc::OptionsMsg::U32(options)) = attributes.get_options() else { panic!("no u32") };
            assert_eq!(options.get_classid(), Ok(FIRST_CLASS));
            let selector = find_attr(options.get_buf(), SELECTOR).expect("a selector");
            assert_eq!((selector.len(), selector[2]), (16 + 16 * keys, keys as u8));
            let last = &selector[16 * keys..];
            let Match { mask, value, at } = spared[keys - 1];
            assert_eq!((&last[..4], &last[4..8]), (&mask.to_be_bytes()[..], &value.to_be_bytes()[..]));
            assert_eq!(last[8..12], at.to_ne_bytes());
        }
    }
}
