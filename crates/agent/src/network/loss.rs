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
use netlink_bindings::tc::{self, TcNetemGemodel, TcNetemQopt, TcPrioQopt, TcU32Key, TcU32Sel, Tcmsg};
use netlink_bindings::traits::Pusher;
use netlink_bindings::utils::push_header;
use run::GilbertElliott;

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

/// Loss in bursts as `tc` would be told: p, r, 1 - h and 1 - k.
pub fn bursts_text(channel: GilbertElliott) -> String {
    let GilbertElliott { to_bad_ppb, to_good_ppb, good_loss_ppb, bad_loss_ppb } = channel;
    let [p, r, bad, good] = [to_bad_ppb, to_good_ppb, bad_loss_ppb, good_loss_ppb].map(|ppb| f64::from(ppb) / 1e7);
    format!("loss gemodel {p}% {r}% {bad}% {good}%")
}

/// Which packets are lost.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// Each with this probability, in parts per billion.
    Independent(u32),
    /// In bursts.
    Bursts(GilbertElliott),
}

/// Adds the requests for it at a device. `spared`: what is led past.
pub fn push(batch: &mut Batch, device: &Device, law: Law, spared: &[Match], seed: u64) {
    let subject = |kind: &str| format!("{kind} on {}", device.name);
    batch.push(NEW_QDISC, CREATE | REPLACE, subject("prio"), |bytes| {
        let options = TcPrioQopt { bands: 2, priomap: [1; 16] };
        let _ = tc::OpNewqdiscDo::encode_request(bytes, &header(device, ROOT, DEVICE)).nested_options_prio(&options);
    });
    batch.push(NEW_QDISC, CREATE | REPLACE, subject("netem"), |bytes| encode(bytes, device, law, Some(seed)));
    batch.push(NEW_FILTER, CREATE, subject("u32 filter"), |bytes| encode_way_past(bytes, device, spared));
}

/// Adds the request for another loss at a device that has one. What is drawn from goes on as it was.
pub fn push_change(batch: &mut Batch, device: &Device, loss_ppb: u32) {
    batch.push(NEW_QDISC, 0, format!("loss of netem on {}", device.name), |bytes| {
        encode(bytes, device, Law::Independent(loss_ppb), None);
    });
}

fn encode(bytes: &mut Vec<u8>, device: &Device, law: Law, seed: Option<u64>) {
    let loss = match law {
        Law::Independent(ppb) => threshold(ppb),
        Law::Bursts(_) => 0,
    };
    let options = TcNetemQopt { limit: UNLIMITED_PACKETS, loss, ..Default::default() };
    let mut request =
        tc::OpNewqdiscDo::encode_request(bytes, &header(device, CHILD, SECOND_CLASS)).nested_options_netem(&options);
    if let Law::Bursts(channel) = law {
        let GilbertElliott { to_bad_ppb, to_good_ppb, good_loss_ppb, bad_loss_ppb } = channel;
        // `loss_gilb_ell` has a packet lost in the bad state when a number is more than h, and all else when one is less.
        let model = TcNetemGemodel {
            p: probability(to_bad_ppb),
            r: probability(to_good_ppb),
            h: u32::MAX - probability(bad_loss_ppb),
            k1: probability(good_loss_ppb),
        };
        request = request.nested_loss().push_ge(model).end_nested();
    }
    let _ = match seed {
        Some(seed) => request.push_prng_seed(seed),
        None => request,
    };
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

/// The number than which a random one of 32 bits must be less: off by at most 0.12 parts per billion, and 1 by 0.24.
pub fn probability(ppb: u32) -> u32 {
    u32::try_from(((u64::from(ppb) << 33) / BILLION).div_ceil(2)).unwrap_or(u32::MAX)
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
            let given = f64::from(probability(ppb)) / 4_294_967_296.0;
            assert!((given - f64::from(ppb) / 1e9).abs() < 2.4e-10, "{ppb}: {given}");
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
