//! Which frames a ring takes, and how much of each: a program of classic BPF (Linux `Documentation/networking/filter.rst`).
//!
//! There is nothing but what a run's hosts send: no ARP, and no IPv6 that would look for routers. Each step of a program costs
//! each frame, on a kernel without a compiler of them.

use crate::network::{SOURCE_AT, TARGET_AT};
use libc::{
    BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, SKF_AD_HATYPE, SKF_AD_IFINDEX, SKF_AD_OFF,
    SKF_AD_PKTTYPE, SKF_NET_OFF, sock_filter,
};
use std::net::Ipv4Addr;

/// Takes nothing.
pub const NOTHING: [sock_filter; 1] = [returns(0)];

/// Takes so much of each frame, or of those only that leave.
pub fn of_device(is_outgoing: bool, snap_bytes: u32) -> Vec<sock_filter> {
    let mut program = Vec::new();
    if is_outgoing {
        program.extend([loads(SKF_AD_OFF + SKF_AD_PKTTYPE), equals(libc::PACKET_OUTGOING.into(), 1, 0), returns(0)]);
    }
    program.push(returns(snap_bytes));
    program
}

/// The same of all devices but that of loopback, or of those with these numbers only, if any are named.
pub fn of_devices(numbers: &[u32], is_outgoing: bool, snap_bytes: u32) -> Vec<sock_filter> {
    let mut program = vec![loads(SKF_AD_OFF + SKF_AD_HATYPE), equals(libc::ARPHRD_LOOPBACK.into(), 0, 1), returns(0)];
    if !numbers.is_empty() {
        program.push(loads(SKF_AD_OFF + SKF_AD_IFINDEX));
        // A jump on a condition reaches 255 steps only.
        for (position, number) in numbers.iter().enumerate() {
            let behind = 2 * (numbers.len() - position - 1) + 1;
            program.extend([equals(*number, 0, 1), jumps(behind as u32)]);
        }
        program.push(returns(0));
    }
    program.extend(of_device(is_outgoing, snap_bytes));
    program
}

/// The same of a device, of what goes from the first to the second address of one of these pairs only.
pub fn of_hosts(pairs: &[(Ipv4Addr, Ipv4Addr)], is_outgoing: bool, snap_bytes: u32) -> Vec<sock_filter> {
    let mut program = Vec::new();
    for (position, (from, to)) in pairs.iter().enumerate() {
        // To what is behind the last pair and its refusal.
        let behind = 5 * (pairs.len() - position - 1) + 1;
        program.extend([loads(SKF_NET_OFF + SOURCE_AT), equals(from.to_bits(), 0, 3)]);
        program.extend([loads(SKF_NET_OFF + TARGET_AT), equals(to.to_bits(), 0, 1), jumps(behind as u32)]);
    }
    program.push(returns(0));
    program.extend(of_device(is_outgoing, snap_bytes));
    program
}

const fn loads(at: i32) -> sock_filter {
    sock_filter { code: (BPF_LD | BPF_W | BPF_ABS) as u16, jt: 0, jf: 0, k: at as u32 }
}

/// Goes so many steps further than the next one, by whether it is the same.
const fn equals(value: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: (BPF_JMP | BPF_JEQ | BPF_K) as u16, jt, jf, k: value }
}

const fn jumps(steps: u32) -> sock_filter {
    sock_filter { code: (BPF_JMP | libc::BPF_JA | BPF_K) as u16, jt: 0, jf: 0, k: steps }
}

const fn returns(bytes: u32) -> sock_filter {
    sock_filter { code: (BPF_RET | BPF_K) as u16, jt: 0, jf: 0, k: bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel knows of a frame.
    #[derive(Clone, Copy)]
    struct Seen {
        kind: u16,
        is_outgoing: bool,
        device: u32,
        from: Ipv4Addr,
        to: Ipv4Addr,
    }

    const HERE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
    const THERE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 2);
    const DATA: Seen = Seen { kind: libc::ARPHRD_ETHER, is_outgoing: true, device: 100, from: HERE, to: THERE };

    /// As the kernel carries a program out.
    fn taken(program: &[sock_filter], seen: Seen) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let step = program[at];
            at += 1;
            match u32::from(step.code) & 7 {
                libc::BPF_LD => {
                    let network = step.k as i32 - SKF_NET_OFF;
                    value = match step.k as i32 - SKF_AD_OFF {
                        _ if network == SOURCE_AT => seen.from.to_bits(),
                        _ if network == TARGET_AT => seen.to.to_bits(),
                        SKF_AD_HATYPE => seen.kind.into(),
                        SKF_AD_PKTTYPE => u32::from(seen.is_outgoing) * 4,
                        SKF_AD_IFINDEX => seen.device,
                        k => panic!("it looks at {k}"),
                    }
                }
                libc::BPF_JMP if u32::from(step.code) & 0xf0 == libc::BPF_JA => at += step.k as usize,
                libc::BPF_JMP => at += usize::from(if value == step.k { step.jt } else { step.jf }),
                _ => return step.k,
            }
        }
    }

    #[test]
    fn of_a_device_all_is_taken_or_what_leaves() {
        let comes = Seen { is_outgoing: false, ..DATA };
        let takes = |program: &[sock_filter]| [taken(program, DATA), taken(program, comes)];
        assert_eq!(takes(&of_device(false, 96)), [96, 96]);
        assert_eq!(takes(&of_device(true, 96)), [96, 0]);
        assert_eq!(takes(&NOTHING), [0, 0]);
    }

    #[test]
    fn loopback_is_never_taken() {
        let program = of_devices(&[], false, 96);
        assert_eq!(taken(&program, Seen { kind: libc::ARPHRD_NONE, ..DATA }), 96);
        assert_eq!(taken(&program, Seen { kind: libc::ARPHRD_LOOPBACK, ..DATA }), 0);
    }

    #[test]
    fn of_some_hosts_is_taken_what_goes_between_them() {
        let back = Seen { from: THERE, to: HERE, ..DATA };
        let other = Seen { to: Ipv4Addr::new(192, 0, 2, 3), ..DATA };
        let both = of_hosts(&[(HERE, THERE), (THERE, HERE)], false, 96);
        assert_eq!([DATA, back, other].map(|seen| taken(&both, seen)), [96, 96, 0]);
        let there = of_hosts(&[(HERE, THERE)], true, 96);
        assert_eq!([DATA, back, other].map(|seen| taken(&there, seen)), [96, 0, 0]);
        assert_eq!(taken(&there, Seen { is_outgoing: false, ..DATA }), 0);
    }

    #[test]
    fn of_many_devices_some_are_taken() {
        let numbers: Vec<u32> = (100..1_100).step_by(2).collect();
        let program = of_devices(&numbers, true, 64);
        assert!(program.len() <= 4_096, "BPF_MAXINSNS");
        for device in [100, 500, 1_098] {
            assert_eq!(taken(&program, Seen { device, ..DATA }), 64);
            assert_eq!(taken(&program, Seen { device, is_outgoing: false, ..DATA }), 0);
            assert_eq!(taken(&program, Seen { device: device + 1, ..DATA }), 0);
        }
    }
}
