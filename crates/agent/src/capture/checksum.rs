//! TCP's checksum of a frame that was captured whole before a device had made it.

const ETHERNET_BYTES: usize = 14;
const IPV6_BYTES: usize = 40;
const CHECKSUM_AT: usize = 16;
const TCP: u32 = 6;

/// Completes it in a frame of Ethernet, IP and TCP. What is no such frame, or not whole, stays.
pub fn complete(frame: &mut [u8]) {
    let Some((tcp_at, end, addresses)) = parts(frame) else { return };
    let pseudo = sum(&frame[addresses]) + TCP + (end - tcp_at) as u32;
    let tcp = &mut frame[tcp_at..end];
    tcp[CHECKSUM_AT..CHECKSUM_AT + 2].fill(0);
    let mut total = pseudo + sum(tcp);
    while total > 0xFFFF {
        total = (total & 0xFFFF) + (total >> 16);
    }
    tcp[CHECKSUM_AT..CHECKSUM_AT + 2].copy_from_slice(&(!(total as u16)).to_be_bytes());
}

/// Where TCP begins and ends, and where IP has its addresses.
fn parts(frame: &[u8]) -> Option<(usize, usize, std::ops::Range<usize>)> {
    let ip = frame.get(ETHERNET_BYTES..)?;
    let number = |at: usize| Some(usize::from(u16::from_be_bytes([*ip.get(at)?, *ip.get(at + 1)?])));
    let (header_bytes, length, addresses) = match ip.first()? >> 4 {
        4 => (4 * usize::from(ip[0] & 15), number(2)?, 12..20),
        6 => (IPV6_BYTES, IPV6_BYTES + number(4)?, 8..40),
        _ => return None,
    };
    let is_complete = length <= ip.len() && header_bytes + CHECKSUM_AT + 2 <= length && addresses.end <= header_bytes;
    let addresses = ETHERNET_BYTES + addresses.start..ETHERNET_BYTES + addresses.end;
    is_complete.then_some((ETHERNET_BYTES + header_bytes, ETHERNET_BYTES + length, addresses))
}

/// That of RFC 1071, not folded yet: 64 kB of it do not overflow.
fn sum(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A SYN as Linux sends it on loopback (tcpdump -i lo, of `nc 127.0.0.1 9`), with its checksum complete.
    const SYN: [u8; 74] = [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0x45, 0, 0, 0x3c, 0x1c, 0x46, 0x40, 0, 0x40, 6, 0x20, 0x74, 127, 0,
        0, 1, 127, 0, 0, 1, 0xb0, 0x0c, 0, 9, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0, 0xa0, 2, 0xff, 0xd7, 0, 0, 0, 0, 2,
        4, 0xff, 0xd7, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7,
    ];

    /// As a receiver checks it: with its checksum the sum is all ones.
    fn is_right(frame: &[u8]) -> bool {
        let (tcp_at, end, addresses) = parts(frame).expect("TCP");
        let mut total = sum(&frame[addresses]) + TCP + (end - tcp_at) as u32 + sum(&frame[tcp_at..end]);
        while total > 0xFFFF {
            total = (total & 0xFFFF) + (total >> 16);
        }
        total == 0xFFFF
    }

    #[test]
    fn a_checksum_is_completed_whatever_the_kernel_had_put_there() {
        let mut frame = SYN.to_vec();
        assert!(!is_right(&frame));
        frame[50..52].copy_from_slice(&[0xfe, 0x30]); // the pseudo header's
        // What Ethernet pads is no part of it.
        frame.extend([7; 6]);
        complete(&mut frame);
        assert!(is_right(&frame));
        let mut six = [&[0; 12][..], &[0x86, 0xdd, 0x60, 0, 0, 0, 0, 21, 6, 64]].concat();
        six.extend([9; 32]);
        six.extend([5; 21]);
        complete(&mut six);
        assert!(is_right(&six));
    }

    #[test]
    fn what_is_cut_stays() {
        let mut frame = SYN[..60].to_vec();
        complete(&mut frame);
        assert_eq!(frame, SYN[..60]);
        complete(&mut []);
        complete(&mut [0x45; 20]);
    }
}
