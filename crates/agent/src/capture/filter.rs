//! Which frames a ring takes, and how much of each: a program of classic BPF (Linux `Documentation/networking/filter.rst`).

use libc::{
    BPF_ABS, BPF_B, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, SKF_AD_HATYPE, SKF_AD_IFINDEX, SKF_AD_OFF,
    SKF_AD_PKTTYPE, SKF_AD_PROTOCOL, SKF_NET_OFF, sock_filter,
};

/// Where IPv4 and IPv6 have the number of what they carry, from the beginning of their header.
const PROTOCOL_AT: [(u32, i32); 2] = [(libc::ETH_P_IP as u32, 9), (libc::ETH_P_IPV6 as u32, 6)];
const TCP: u32 = 6;

/// Takes nothing.
pub const NOTHING: [sock_filter; 1] = [returns(0)];

/// Takes so much of the frames that have TCP, but for those of the loopback device. `devices`: only those of the devices with
/// these numbers, if any are named. Headers before IP are none of its business: a device may have none.
pub fn tcp(devices: &[u32], is_outgoing: bool, snap_bytes: u32) -> Vec<sock_filter> {
    let reject = returns(0);
    let mut program =
        vec![loads(BPF_W, SKF_AD_OFF + SKF_AD_HATYPE), equals(libc::ARPHRD_LOOPBACK.into(), 0, 1), reject];
    if is_outgoing {
        program.extend([loads(BPF_W, SKF_AD_OFF + SKF_AD_PKTTYPE), equals(libc::PACKET_OUTGOING.into(), 1, 0), reject]);
    }
    let mut accept = Vec::new();
    for (protocol, at) in PROTOCOL_AT {
        accept.extend([
            loads(BPF_W, SKF_AD_OFF + SKF_AD_PROTOCOL),
            equals(protocol, 0, 3),
            loads(BPF_B, SKF_NET_OFF + at),
            equals(TCP, 0, 1),
            returns(snap_bytes),
        ]);
    }
    accept.push(reject);
    if devices.is_empty() {
        program.extend(accept);
        return program;
    }
    // A jump on a condition reaches 255 steps only.
    program.push(loads(BPF_W, SKF_AD_OFF + SKF_AD_IFINDEX));
    for (number, device) in devices.iter().enumerate() {
        let behind = 2 * (devices.len() - number - 1) + 1;
        program.extend([equals(*device, 0, 1), jumps(behind as u32)]);
    }
    program.push(reject);
    program.extend(accept);
    program
}

const fn loads(size: u32, at: i32) -> sock_filter {
    sock_filter { code: (BPF_LD | size | BPF_ABS) as u16, jt: 0, jf: 0, k: at as u32 }
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
        protocol: i32,
        carries: u8,
    }

    const DATA: Seen =
        Seen { kind: libc::ARPHRD_ETHER, is_outgoing: true, device: 100, protocol: libc::ETH_P_IP, carries: 6 };

    /// As the kernel carries a program out.
    fn taken(program: &[sock_filter], seen: Seen) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let step = program[at];
            at += 1;
            match u32::from(step.code) & 7 {
                libc::BPF_LD => {
                    value = match step.k as i32 {
                        k if k == SKF_AD_OFF + SKF_AD_HATYPE => seen.kind.into(),
                        k if k == SKF_AD_OFF + SKF_AD_PKTTYPE => u32::from(seen.is_outgoing) * 4,
                        k if k == SKF_AD_OFF + SKF_AD_IFINDEX => seen.device,
                        k if k == SKF_AD_OFF + SKF_AD_PROTOCOL => seen.protocol as u32,
                        k if k == SKF_NET_OFF + if seen.protocol == libc::ETH_P_IP { 9 } else { 6 } => {
                            seen.carries.into()
                        }
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
    fn tcp_is_taken_and_nothing_else() {
        let program = tcp(&[], false, 96);
        assert_eq!(taken(&program, DATA), 96);
        assert_eq!(taken(&program, Seen { is_outgoing: false, kind: libc::ARPHRD_NONE, ..DATA }), 96);
        assert_eq!(taken(&program, Seen { protocol: libc::ETH_P_IPV6, ..DATA }), 96);
        for other in [
            Seen { carries: 17, ..DATA },
            Seen { carries: 58, protocol: libc::ETH_P_IPV6, ..DATA },
            Seen { protocol: libc::ETH_P_ARP, ..DATA },
            Seen { kind: libc::ARPHRD_LOOPBACK, ..DATA },
        ] {
            assert_eq!(taken(&program, other), 0);
        }
        assert_eq!(taken(&NOTHING, DATA), 0);
    }

    #[test]
    fn of_many_devices_some_are_taken() {
        let devices: Vec<u32> = (100..1_100).step_by(2).collect();
        let program = tcp(&devices, true, 64);
        assert!(program.len() <= 4_096, "BPF_MAXINSNS");
        for device in [100, 500, 1_098] {
            assert_eq!(taken(&program, Seen { device, ..DATA }), 64);
            assert_eq!(taken(&program, Seen { device, is_outgoing: false, ..DATA }), 0);
            assert_eq!(taken(&program, Seen { device: device + 1, ..DATA }), 0);
        }
    }
}
