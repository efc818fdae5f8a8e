//! What the kernel tells of a TCP socket: `struct tcp_info` (include/uapi/linux/tcp.h), and what a congestion control
//! tells of itself (`union tcp_cc_info`, include/uapi/linux/inet_diag.h).

/// The fields of `struct tcp_info` that a measurement is made from, in the kernel's units. The structure only ever
/// grows: one shorter than this code knows leaves the rest at its default, and a longer one is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpInfo {
    /// Its state, as include/net/tcp_states.h numbers them.
    pub state: u8,
    /// Segments sent and not yet acknowledged.
    pub unacked: u32,
    /// Of these, selectively acknowledged.
    pub sacked: u32,
    /// Of these, marked lost.
    pub lost: u32,
    /// Of these, retransmitted and still out.
    pub retrans: u32,
    /// Smoothed RTT, µs.
    pub rtt_us: u32,
    /// Slow-start threshold, segments; from 0x7fffffff on infinite.
    pub snd_ssthresh: u32,
    /// Congestion window, segments.
    pub snd_cwnd: u32,
    /// Segments retransmitted, each of a super-packet counted.
    pub total_retrans: u32,
    /// Pacing rate, bytes a second; `u64::MAX` without.
    pub pacing_rate: u64,
    /// Payload acknowledged, SYN and FIN a byte each (`tcp_snd_una_update`).
    pub bytes_acked: u64,
    /// Advance of the next expected byte; a FIN counts as one.
    pub bytes_received: u64,
    /// Segments received.
    pub segs_in: u32,
    /// Payload that is written and not yet sent.
    pub notsent_bytes: u32,
    /// Windowed minimum of the RTT, µs; `u32::MAX` before the first sample.
    pub min_rtt_us: u32,
    /// Segments with data received, duplicates included.
    pub data_segs_in: u32,
    /// Segments with data sent, retransmissions included.
    pub data_segs_out: u32,
    /// The last delivery-rate sample, bytes a second.
    pub delivery_rate: u64,
    /// Time with data to send or unacknowledged, µs.
    pub busy_us: u64,
    /// Of this, held back by the receiver's window, µs.
    pub rwnd_limited_us: u64,
    /// Of this, held back by the send buffer, µs.
    pub sndbuf_limited_us: u64,
    /// Segments whose ACK had ECE.
    pub delivered_ce: u32,
    /// Payload sent, retransmissions included.
    pub bytes_sent: u64,
    /// Of this, retransmissions. Only a dump of all sockets tells it.
    pub bytes_retrans: u64,
    /// What became of ECN.
    pub ecn: EcnUse,
}

/// What connections have made of ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnUse {
    /// Those whose handshake is done.
    pub connections: u32,
    /// Of these, those that use it.
    pub negotiated: u32,
    /// Of these, those whose ECN is accurate.
    pub accurate: u32,
    /// Of these, those to which a packet has come that was ECT.
    pub received_ect: u32,
}

/// What a congestion control tells of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlInfo {
    /// Nothing.
    #[default]
    Silent,
    /// `struct tcp_bbr_info`: BBR, or a variant of it.
    Bbr {
        /// Bandwidth estimate, bytes a second.
        bandwidth: u64,
        /// Windowed minimum RTT, µs.
        min_rtt_us: u32,
        /// Gain on the bandwidth for the pacing rate, in 1/256.
        pacing_gain: u32,
        /// Gain on the BDP for the window, in 1/256.
        cwnd_gain: u32,
        /// What only a later version than the first tells.
        bounds: Option<BbrBounds>,
    },
    /// `struct tcpvegas_info`: Vegas, or one of its kind.
    Vegas {
        /// Minimum RTT, µs; 0x7fffffff before the first.
        min_rtt_us: u32,
    },
    /// `struct tcp_dctcp_info`: DCTCP.
    Dctcp {
        /// Mean share of marked packets, in 1/1024; none: without ECN, where it is Reno.
        alpha: Option<u32>,
    },
}

/// What the `struct tcp_bbr_info` of version 3 has after that of version 1: its state and its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BbrBounds {
    /// `BBR_VERSION`.
    pub version: u8,
    /// `enum tcp_bbr_phase`, from 1 for STARTUP.
    pub phase: u8,
    /// The most that was delivered lately (`bbr_max_bw`), bytes a second.
    pub bw_hi: u64,
    /// Short-term bound on the bandwidth, bytes a second; `u64::MAX` without.
    pub bw_lo: u64,
    /// Short-term bound on what is in flight, segments; `u32::MAX` without.
    pub inflight_lo: u32,
    /// Long-term bound on what is in flight, segments; `u32::MAX` without.
    pub inflight_hi: u32,
    /// The most that ACKs have brought beyond what the bandwidth explains, segments.
    pub extra_acked: u32,
}

/// `TCPI_OPT_ECN`.
const NEGOTIATED: u8 = 8;
/// `TCPI_OPT_ECN_SEEN`.
const RECEIVED_ECT: u8 = 16;
/// `TCPI_ECN_MODE_ACCECN`, and the bits that are the mode.
const ACCURATE: u8 = 2;
const MODE: u8 = 3;

impl EcnUse {
    /// That of one socket with these `tcpi_options` and the byte of its mode. Before the handshake is done they say what it offers
    /// (`tcp_ecn_send_syn`).
    fn of(options: u8, mode: u8, is_established: bool) -> Self {
        let count = |is_so: bool| u32::from(is_established && is_so);
        Self {
            connections: count(true),
            negotiated: count(options & NEGOTIATED != 0),
            accurate: count(mode & MODE == ACCURATE),
            received_ect: count(options & RECEIVED_ECT != 0),
        }
    }

    /// Adds that of others.
    pub const fn add(&mut self, other: Self) {
        self.connections += other.connections;
        self.negotiated += other.negotiated;
        self.accurate += other.accurate;
        self.received_ect += other.received_ect;
    }
}

impl Default for TcpInfo {
    fn default() -> Self {
        Self::parse(&[])
    }
}

impl TcpInfo {
    /// Reads a `struct tcp_info`.
    pub fn parse(bytes: &[u8]) -> Self {
        let [bytes_acked, bytes_received] = [120, 128].map(|at| u64_at(bytes, at).unwrap_or(0));
        let [options, mode] = [5, 276].map(|at| bytes.get(at).copied().unwrap_or(0));
        Self {
            state: bytes.first().copied().unwrap_or(0),
            unacked: u32_at(bytes, 24).unwrap_or(0),
            sacked: u32_at(bytes, 28).unwrap_or(0),
            lost: u32_at(bytes, 32).unwrap_or(0),
            retrans: u32_at(bytes, 36).unwrap_or(0),
            rtt_us: u32_at(bytes, 68).unwrap_or(0),
            snd_ssthresh: u32_at(bytes, 76).unwrap_or(u32::MAX),
            snd_cwnd: u32_at(bytes, 80).unwrap_or(0),
            total_retrans: u32_at(bytes, 100).unwrap_or(0),
            pacing_rate: u64_at(bytes, 104).unwrap_or(u64::MAX),
            bytes_acked,
            bytes_received,
            segs_in: u32_at(bytes, 140).unwrap_or(0),
            notsent_bytes: u32_at(bytes, 144).unwrap_or(0),
            min_rtt_us: u32_at(bytes, 148).unwrap_or(u32::MAX),
            data_segs_in: u32_at(bytes, 152).unwrap_or(0),
            data_segs_out: u32_at(bytes, 156).unwrap_or(0),
            delivery_rate: u64_at(bytes, 160).unwrap_or(0),
            busy_us: u64_at(bytes, 168).unwrap_or(0),
            rwnd_limited_us: u64_at(bytes, 176).unwrap_or(0),
            sndbuf_limited_us: u64_at(bytes, 184).unwrap_or(0),
            delivered_ce: u32_at(bytes, 196).unwrap_or(0),
            bytes_sent: u64_at(bytes, 200).unwrap_or(0),
            bytes_retrans: u64_at(bytes, 208).unwrap_or(0),
            // A sender's SYN counts as a byte, and so does a receiver's.
            ecn: EcnUse::of(options, mode, bytes_acked > 0 || bytes_received > 0),
        }
    }

    /// Adds what another socket has counted. Of gauges the least RTT is kept; the others mean nothing in a sum.
    pub fn add(&mut self, other: &Self) {
        self.total_retrans += other.total_retrans;
        self.bytes_acked += other.bytes_acked;
        self.bytes_received += other.bytes_received;
        self.segs_in += other.segs_in;
        self.min_rtt_us = self.min_rtt_us.min(other.min_rtt_us);
        self.data_segs_in += other.data_segs_in;
        self.data_segs_out += other.data_segs_out;
        self.busy_us += other.busy_us;
        self.rwnd_limited_us += other.rwnd_limited_us;
        self.sndbuf_limited_us += other.sndbuf_limited_us;
        self.bytes_sent += other.bytes_sent;
        self.bytes_retrans += other.bytes_retrans;
        self.delivered_ce += other.delivered_ce;
        self.ecn.add(other.ecn);
    }

    /// Both ends are closed, and all that was sent has come: `TIME_WAIT`, or what is left of it (`TCP_CLOSE`).
    pub const fn has_ended(&self) -> bool {
        matches!(self.state, 6 | 7)
    }

    /// Segments in flight as the sender counts them: `tcp_packets_in_flight`.
    pub const fn in_flight(&self) -> u32 {
        (self.unacked + self.retrans).saturating_sub(self.sacked + self.lost)
    }
}

impl ControlInfo {
    /// Reads a `struct tcp_bbr_info`.
    pub fn parse_bbr(bytes: &[u8]) -> Option<Self> {
        Some(Self::Bbr {
            bandwidth: halves_at(bytes, 0)?,
            min_rtt_us: u32_at(bytes, 8)?,
            pacing_gain: u32_at(bytes, 12)?,
            cwnd_gain: u32_at(bytes, 16)?,
            bounds: BbrBounds::parse(bytes),
        })
    }

    /// The version of BBR that tells it; none: it is no BBR.
    pub const fn bbr_version(&self) -> Option<u8> {
        match self {
            Self::Bbr { bounds: Some(bounds), .. } => Some(bounds.version),
            Self::Bbr { bounds: None, .. } => Some(1),
            Self::Silent | Self::Vegas { .. } | Self::Dctcp { .. } => None,
        }
    }

    /// Reads a `struct tcpvegas_info`.
    pub fn parse_vegas(bytes: &[u8]) -> Option<Self> {
        Some(Self::Vegas { min_rtt_us: u32_at(bytes, 12)? })
    }

    /// Reads a `struct tcp_dctcp_info`.
    pub fn parse_dctcp(bytes: &[u8]) -> Option<Self> {
        let is_enabled = u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?) != 0;
        let alpha = u32_at(bytes, 4)?;
        Some(Self::Dctcp { alpha: is_enabled.then_some(alpha) })
    }
}

impl BbrBounds {
    /// What a `struct tcp_bbr_info` has of it. Version 1 fills nothing of it, also where the structure has room for it.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let [phase, version] = [37, 39].map(|at| bytes.get(at).copied());
        Some(Self {
            version: version.filter(|&version| version != 0)?,
            phase: phase?,
            bw_hi: halves_at(bytes, 20)?,
            bw_lo: halves_at(bytes, 28)?,
            inflight_lo: u32_at(bytes, 40)?,
            inflight_hi: u32_at(bytes, 44)?,
            extra_acked: u32_at(bytes, 48)?,
        })
    }
}

/// A number in two halves, the lower one first.
fn halves_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from(u32_at(bytes, offset + 4)?) << 32 | u64::from(u32_at(bytes, offset)?))
}

/// A number in the machine's byte order, if the bytes reach that far.
pub(super) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(offset..offset + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(offset..offset + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_where_the_kernel_puts_it() {
        // Each aligned word of the structure holds its own offset.
        let bytes: Vec<u8> = (0..232_u32).step_by(4).flat_map(u32::to_ne_bytes).collect();
        let wide = |offset: u64| (offset + 4) << 32 | offset;
        let info = TcpInfo::parse(&bytes);
        assert_eq!((info.unacked, info.sacked, info.lost, info.retrans), (24, 28, 32, 36));
        assert_eq!((info.rtt_us, info.snd_ssthresh, info.snd_cwnd), (68, 76, 80));
        assert_eq!((info.total_retrans, info.segs_in, info.min_rtt_us), (100, 140, 148));
        assert_eq!((info.data_segs_in, info.data_segs_out), (152, 156));
        assert_eq!((info.pacing_rate, info.bytes_received, info.delivery_rate), (wide(104), wide(128), wide(160)));
        assert_eq!((info.busy_us, info.rwnd_limited_us, info.sndbuf_limited_us), (wide(168), wide(176), wide(184)));
        assert_eq!((info.bytes_sent, info.bytes_acked, info.in_flight()), (wide(200), wide(120), 0));
        assert_eq!(info.delivered_ce, 196);
    }

    #[test]
    fn ecn_is_negotiated_once_the_handshake_is_done() {
        let ecn = |options: u8, acked: u8| {
            let mut bytes = [0; 232];
            (bytes[5], bytes[120]) = (options, acked);
            TcpInfo::parse(&bytes).ecn
        };
        assert_eq!(ecn(NEGOTIATED, 0), EcnUse::default(), "so far it is an offer");
        assert_eq!(ecn(7, 1), EcnUse { connections: 1, ..EcnUse::default() });
        let mut sum = TcpInfo { ecn: ecn(NEGOTIATED | RECEIVED_ECT, 1), ..TcpInfo::default() };
        sum.add(&TcpInfo { ecn: ecn(NEGOTIATED, 1), delivered_ce: 3, ..TcpInfo::default() });
        let two = EcnUse { connections: 2, negotiated: 2, accurate: 0, received_ect: 1 };
        assert_eq!((sum.ecn, sum.delivered_ce), (two, 3));
        let mut bytes = [0; 280];
        (bytes[5], bytes[120], bytes[276]) = (NEGOTIATED, 1, 0b0110);
        assert_eq!(TcpInfo::parse(&bytes).ecn.accurate, 1, "whatever stands in the bits beside");
    }

    #[test]
    fn an_older_kernel_tells_less() {
        let info = TcpInfo::parse(&[1; 104]);
        assert_eq!((info.total_retrans, info.min_rtt_us, info.pacing_rate), (0x0101_0101, u32::MAX, u64::MAX));
    }

    #[test]
    fn the_bandwidth_has_64_bits() {
        let bytes: Vec<u8> = [7_u32, 1, 25_000, 320, 512].into_iter().flat_map(u32::to_ne_bytes).collect();
        let bandwidth = (1 << 32) + 7;
        let expected =
            ControlInfo::Bbr { bandwidth, min_rtt_us: 25_000, pacing_gain: 320, cwnd_gain: 512, bounds: None };
        assert_eq!(ControlInfo::parse_bbr(&bytes), Some(expected));
        assert_eq!(ControlInfo::parse_bbr(&bytes[..16]), None);
        assert_eq!(expected.bbr_version(), Some(1));
    }

    #[test]
    fn dctcp_without_ecn_is_reno() {
        let info = |enabled: u16| {
            let bytes = [&enabled.to_ne_bytes()[..], &[0; 2], &512_u32.to_ne_bytes(), &[0; 8]].concat();
            ControlInfo::parse_dctcp(&bytes)
        };
        assert_eq!(info(1), Some(ControlInfo::Dctcp { alpha: Some(512) }));
        assert_eq!(info(0), Some(ControlInfo::Dctcp { alpha: None }));
        assert_eq!(ControlInfo::parse_dctcp(&[1, 0, 0, 0]), None);
    }

    #[test]
    fn version_3_tells_its_bounds_after_what_version_1_tells() {
        let mut bytes: Vec<u8> = (0..52_u32).step_by(4).flat_map(u32::to_ne_bytes).collect();
        bytes[36..40].copy_from_slice(&[2, 6, 0, 3]);
        let Some(ControlInfo::Bbr { cwnd_gain, bounds, .. }) = ControlInfo::parse_bbr(&bytes) else {
            panic!("it is BBR's");
        };
        let expected = BbrBounds {
            version: 3,
            phase: 6,
            bw_hi: 24 << 32 | 20,
            bw_lo: 32 << 32 | 28,
            inflight_lo: 40,
            inflight_hi: 44,
            extra_acked: 48,
        };
        assert_eq!((cwnd_gain, bounds), (16, Some(expected)));
        assert_eq!(ControlInfo::parse_bbr(&bytes).unwrap().bbr_version(), Some(3));
        let version = |bytes: &[u8]| ControlInfo::parse_bbr(bytes).unwrap().bbr_version();
        assert_eq!(version(&bytes[..48]), Some(1), "the structure ends within them");
        bytes[20..].fill(0);
        assert_eq!(version(&bytes), Some(1), "version 1 in a tree of version 3 leaves zeros");
    }
}
