//! The receiver's window: what it announces, and how its buffer grows with the data it reads (dynamic right-sizing;
//! Linux 6.1 `tcp_rcv_space_adjust`, `tcp_grow_window`, `__tcp_select_window`).
//!
//! Half of the buffer is announced (`tcp_adv_win_scale` = 1): the rest pays for the kernel's overhead.

use super::truesize::{self, HEADROOM_BYTES, OVERHEAD_BYTES};
use run::{Host, SocketMemory};
use std::hint::cold_path;

/// `tcp_rmem[1]`: the buffer that a connection begins with.
const INITIAL_BUFFER_BYTES: u64 = 131_072;
/// The same when memory shall never be the limit: with the default, slow start waits for the window now and then.
const INITIAL_UNLIMITED_BYTES: u64 = 4_000_000;
/// `tcp_rmem[2]` by default.
const DEFAULT_LIMIT_BYTES: u64 = 6 << 20;
/// `tcp_rmem[2]` when memory shall never be the limit.
const UNLIMITED_BYTES: u64 = (1 << 31) - 1;
/// `rmem_max` by default: the window's scale allows for it, whatever `tcp_rmem` says (`tcp_select_initial_window`).
const SOCKET_LIMIT_BYTES: u64 = 212_992;
/// A window fits 16 bits, before it is scaled; that of a SYN is not scaled (RFC 7323 section 2.2).
const UNSCALED_BYTES: u64 = 65_535;

/// What the first round trip is expected to bring, in segments (`TCP_INIT_CWND`), if the window has room for them.
const INITIAL_SEGMENTS: u64 = 10;

/// What the timestamps take of each segment: the MSS that hosts announce (`advmss`) does not allow for them.
pub const TIMESTAMP_BYTES: u64 = 12;

/// Buffer that makes a window of one announced MSS, as Linux 6.1 `tcp_rcv_space_adjust` searches it: with the
/// largest headers and `SKB_TRUESIZE`, in steps of 128 bytes until half of it is enough.
const fn buffer_per_segment(announced_mss_bytes: u64) -> u64 {
    const STEP_BYTES: u64 = 128;
    let least = announced_mss_bytes + HEADROOM_BYTES + OVERHEAD_BYTES;
    least + (2 * announced_mss_bytes).saturating_sub(least).div_ceil(STEP_BYTES) * STEP_BYTES
}

/// The receive buffer of one connection.
#[derive(Clone, Debug)]
pub struct ReceiveWindow {
    mss_bytes: u64,
    /// What a full segment takes of the buffer.
    segment_bytes: u64,
    limit_bytes: u64,
    buffer_bytes: u64,
    /// `window_clamp`: the largest window that the buffer allows, or the spec's where that is less.
    clamp_bytes: u64,
    /// `rcv_ssthresh`: the window grows to the clamp as segments arrive.
    threshold_bytes: u64,
    /// Windows are announced in units of 2^scale bytes.
    scale: u32,
    /// What an ACK may announce while the buffer is empty.
    empty_bytes: u64,
    edge_bytes: u64,
    /// Bytes read in the last round trip, and where and when this one began.
    space_bytes: u64,
    round_start_bytes: u64,
    round_start_us: u64,
    /// Eight times the receiver's estimate of the RTT, µs; 0 before the first.
    rtt_us8: u64,
    last_echo_ms: u32,
}

impl ReceiveWindow {
    /// A connection's window at its beginning.
    pub fn new(host: &Host, mss_bytes: u32) -> Self {
        let mss = u64::from(mss_bytes);
        let limit = match host.socket_memory {
            SocketMemory::Max => UNLIMITED_BYTES,
            SocketMemory::Default => DEFAULT_LIMIT_BYTES,
            SocketMemory::Bytes(bytes) => bytes.max(2 * mss),
        };
        let fixed = host.receive_window_bytes.unwrap_or(u64::MAX);
        let initial = match host.socket_memory {
            // A buffer that grew would take the window along: with a fixed one it begins as large as it may get.
            _ if host.receive_window_bytes.is_some() => limit,
            SocketMemory::Max => INITIAL_UNLIMITED_BYTES,
            SocketMemory::Default | SocketMemory::Bytes(_) => INITIAL_BUFFER_BYTES,
        };
        let buffer = initial.min(limit).max(4 * mss);
        let full = buffer / 2;
        // `tcp_select_initial_window`: whole segments, and what a SYN can say; the scale is for the largest window.
        let first = (full.min(fixed) / mss * mss).min(UNSCALED_BYTES).max(mss);
        let scale = limit.max(SOCKET_LIMIT_BYTES).min(fixed).max(1).ilog2().saturating_sub(15).min(14);
        // `tcp_init_buffer_space` keeps one segment or 1/2^31 of the window in reserve.
        let announced = mss + TIMESTAMP_BYTES;
        let clamp = full.saturating_sub(announced).max(2 * announced).min(fixed);
        let mut window = Self {
            mss_bytes: mss,
            segment_bytes: truesize::segment(mss),
            limit_bytes: limit,
            buffer_bytes: buffer,
            clamp_bytes: clamp,
            threshold_bytes: first.min(clamp),
            scale,
            empty_bytes: 0,
            edge_bytes: first,
            space_bytes: first.min(clamp).min(INITIAL_SEGMENTS * announced),
            round_start_bytes: 0,
            round_start_us: 0,
            rtt_us8: 0,
            last_echo_ms: 0,
        };
        window.note_size();
        window
    }

    /// Buffer or threshold have changed.
    fn note_size(&mut self) {
        self.empty_bytes = self.select(0).0;
    }

    /// The connection is established: its first round trip begins (`tcp_init_buffer_space`).
    pub const fn begin(&mut self, now_us: u64) {
        self.round_start_us = now_us;
    }

    const fn announced_mss_bytes(&self) -> u64 {
        self.mss_bytes + TIMESTAMP_BYTES
    }

    /// Right edge of the window, announced with every ACK: payload bytes.
    pub const fn edge_bytes(&self) -> u64 {
        self.edge_bytes
    }

    /// Eight times the receiver's RTT estimate, µs; 0 before the first.
    pub const fn rtt_us8(&self) -> u64 {
        self.rtt_us8
    }

    /// An RTT sample from a timestamp echo, in ms as the clock of timestamps is.
    #[inline]
    pub fn sample_rtt(&mut self, echo_ms: u32, now_ms: u32) {
        if echo_ms == self.last_echo_ms {
            return;
        }
        self.last_echo_ms = echo_ms;
        let sample_us = u64::from(now_ms.wrapping_sub(echo_ms).max(1)) * 1_000;
        self.rtt_us8 = if self.rtt_us8 == 0 || sample_us * 8 < self.rtt_us8 {
            sample_us * 8
        } else {
            self.rtt_us8 - (self.rtt_us8 >> 3) + sample_us
        };
    }

    /// What the buffer has room for beside `buffered` segments (Linux 6.1 `tcp_space`).
    fn free_bytes(&self, buffered: u32) -> u64 {
        let used = u64::from(buffered) * self.segment_bytes;
        self.buffer_bytes.saturating_sub(used) / 2
    }

    /// Data arrived in one buffer: a segment, or `segments` that were merged. With it the socket holds `buffered`
    /// segments: the window may grow towards its clamp, as far as there is room now. True when it did, and then the
    /// sender is told at once.
    #[inline]
    pub fn grow(&mut self, payload_bytes: u64, segments: u16, buffered: u32) -> bool {
        if self.threshold_bytes >= self.clamp_bytes || payload_bytes < 128 {
            return false;
        }
        let most = self.clamp_bytes.min(self.free_bytes(buffered));
        let room = most.saturating_sub(self.threshold_bytes);
        room > 0 && self.grow_by(room, payload_bytes, u64::from(segments))
    }

    #[inline(never)]
    fn grow_by(&mut self, room: u64, payload_bytes: u64, segments: u64) -> bool {
        let growth = self.growth(payload_bytes, segments);
        self.threshold_bytes += room.min(growth);
        self.note_size();
        growth > 0
    }

    /// By how much data lets the window grow: what fills less than half of its buffers, whose costs add up when they are
    /// merged, does so only as long as the window is small. The poorer the use, the smaller: each halving of half the
    /// cost until the data is worth it halves the window up to which it may grow (`tcp_grow_window`).
    fn growth(&self, payload_bytes: u64, segments: u64) -> u64 {
        let half_cost = segments * truesize::segment(payload_bytes / segments) / 2;
        if half_cost <= payload_bytes {
            return 2 * self.announced_mss_bytes().max(payload_bytes);
        }
        let halvings = (1..).find(|shift| half_cost >> shift <= payload_bytes).unwrap_or(u64::BITS);
        let is_small = self.threshold_bytes <= (self.limit_bytes / 4) >> (halvings - 1);
        if is_small { 2 * self.mss_bytes.max(payload_bytes) } else { 0 }
    }

    /// The application has read everything up to `read_bytes`: once a round trip the buffer is sized to twice what
    /// was read in it, and more when that is growing.
    #[inline]
    pub fn adjust(&mut self, read_bytes: u64, now_us: u64) {
        if self.rtt_us8 == 0 || now_us - self.round_start_us < self.rtt_us8 >> 3 {
            return;
        }
        self.end_round(read_bytes, now_us);
    }

    #[inline(never)]
    fn end_round(&mut self, read_bytes: u64, now_us: u64) {
        let copied = read_bytes - self.round_start_bytes;
        if copied > self.space_bytes {
            let mss = self.announced_mss_bytes();
            let window = 2 * copied + 16 * mss;
            let growth = u128::from(window) * u128::from(copied - self.space_bytes) / u128::from(self.space_bytes);
            let wanted = u64::try_from(u128::from(window) + 2 * growth).unwrap_or(u64::MAX / 8);
            let buffer = (wanted / mss).saturating_mul(buffer_per_segment(mss)).min(self.limit_bytes);
            if buffer > self.buffer_bytes {
                self.buffer_bytes = buffer;
                self.clamp_bytes = buffer / 2;
                self.note_size();
            }
            self.space_bytes = copied;
        }
        self.round_start_bytes = read_bytes;
        self.round_start_us = now_us;
    }

    /// Moves the right edge for an ACK of `received_bytes`, with `waiting` segments out of order. It never moves back, and
    /// where it would it moves on: each ACK announces what is left of the window, rounded up (Linux 6.1
    /// `tcp_select_window`). True when there is room for less than half of the largest window: then ACKs are not hurried
    /// any more.
    #[inline]
    pub fn announce(&mut self, received_bytes: u64, waiting: u32) -> bool {
        let (mut window, tight) = if waiting == 0 { (self.empty_bytes, false) } else { self.select(waiting) };
        debug_assert_eq!((window, tight), self.select(waiting));
        let left = self.left_bytes(received_bytes);
        if window < left {
            cold_path();
            window = left.next_multiple_of(1 << self.scale);
        }
        self.edge_bytes = received_bytes + window;
        tight
    }

    /// What of the window is left beyond `received_bytes` (`tcp_receive_window`).
    #[inline]
    pub const fn left_bytes(&self, received_bytes: u64) -> u64 {
        self.edge_bytes.saturating_sub(received_bytes)
    }

    /// True when with `buffered` segments in the buffer less can be announced than with the last ACK, of `acked_bytes`.
    pub fn would_shrink(&self, acked_bytes: u64, buffered: u32) -> bool {
        self.select(buffered).0 < self.left_bytes(acked_bytes)
    }

    /// The application has read everything up to `read_bytes`, and twice as much as is left of the window can be
    /// announced now: the sender is told at once (Linux 6.1 `__tcp_cleanup_rbuf`). Only a window of two segments is
    /// ever so narrow.
    #[inline]
    pub fn has_doubled(&self, read_bytes: u64) -> bool {
        let left = self.left_bytes(read_bytes);
        2 * left <= self.clamp_bytes && self.empty_bytes >= (2 * left).max(1)
    }

    /// What an ACK may announce, and whether there is room for less than half of the largest window
    /// (`__tcp_select_window`).
    fn select(&self, waiting: u32) -> (u64, bool) {
        let unit = (1 << self.scale) - 1;
        let mut free = self.free_bytes(waiting);
        let full = self.clamp_bytes.min(self.buffer_bytes / 2);
        let tight = free < full / 2;
        if tight {
            free &= !unit;
        }
        let segment = self.mss_bytes.min(full);
        if tight && (free < self.buffer_bytes / 32 || free < segment) {
            return (0, tight);
        }
        let window = free.min(self.threshold_bytes);
        // A window that is not scaled is told in whole segments.
        let announced = if self.scale == 0 {
            cold_path();
            window / segment * segment
        } else {
            (window + unit) & !unit
        };
        (announced.min(UNSCALED_BYTES << self.scale), tight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::Qdisc;

    fn host(socket_memory: SocketMemory, receive_window_bytes: Option<u64>) -> Host {
        Host {
            socket_memory,
            receive_window_bytes,
            initial_window_segments: 10,
            qdisc: Qdisc::None,
            sack_compression: true,
            gro: false,
            ack_aggregation_ns: 0,
        }
    }

    /// Reads `rate` bytes a round for some rounds of 100 ms, doubling up to `rate`.
    fn stream(window: &mut ReceiveWindow, rate: u64, rounds: u64) {
        let mut read = 0;
        let mut speed = 14_480;
        for round in 1..=rounds {
            window.sample_rtt(
                u32::try_from(round).expect("small") * 100,
                u32::try_from(round).expect("small") * 100 + 100,
            );
            let room = window.edge_bytes().saturating_sub(read);
            for _ in 0..speed.min(room) / 1448 {
                window.grow(1448, 1, 1);
            }
            read += speed.min(room);
            window.adjust(read, round * 100_000);
            window.announce(read, 0);
            speed = (speed * 2).min(rate);
        }
    }

    #[test]
    fn the_window_follows_a_sender_that_doubles_and_never_limits_it() {
        let mut window = ReceiveWindow::new(&host(SocketMemory::Max, None), 1448);
        stream(&mut window, 10_000_000, 14);
        assert!(window.clamp_bytes >= 2 * 10_000_000, "{window:?}");
    }

    #[test]
    fn default_memory_announces_half_of_six_megabytes() {
        let mut window = ReceiveWindow::new(&host(SocketMemory::Default, None), 1448);
        stream(&mut window, 10_000_000, 30);
        assert_eq!(window.clamp_bytes, 3 << 20);
    }

    /// Half of the buffer less one announced MSS, 33,542 bytes, is told as a multiple of 2^2.
    #[test]
    fn a_small_buffer_announces_in_units_of_four_bytes() {
        let mut window = ReceiveWindow::new(&host(SocketMemory::Bytes(70_004), None), 1448);
        window.announce(100_000, 0);
        assert_eq!(window.edge_bytes() - 100_000, 33_544);
    }

    /// Linux 6.1 `__tcp_grow_window`: a segment of 524 bytes costs 2,304 and would need the window to be at most an
    /// eighth of the largest buffer to let it grow.
    #[test]
    fn segments_that_cost_more_than_twice_their_payload_grow_a_small_window_only() {
        let mut window = ReceiveWindow::new(&host(SocketMemory::Default, Some(2_000_000)), 524);
        while window.grow(524, 1, 1) {}
        let eighth = (6 << 20) / 8;
        assert!((eighth + 1..=eighth + 1_048).contains(&window.threshold_bytes), "{window:?}");
        let mut window = ReceiveWindow::new(&host(SocketMemory::Default, Some(2_000_000)), 1448);
        while window.grow(1448, 1, 1) {}
        assert_eq!(window.threshold_bytes, 2_000_000);
    }

    /// What comes right behind the handshake belongs to the first round trip, whenever that begins.
    #[test]
    fn the_first_round_trip_begins_with_the_connection() {
        for begun_us in [0, 7_000_000] {
            let mut window = ReceiveWindow::new(&host(SocketMemory::Default, None), 1448);
            window.begin(begun_us);
            window.sample_rtt(1, 101);
            window.adjust(5 * 1448, begun_us + 50);
            window.adjust(20 * 1448, begun_us + 100_000);
            assert_eq!(window.space_bytes, 20 * 1448, "{begun_us}");
        }
    }

    /// Of 2,304 bytes for each: 11 or 45 segments in one piece would round up to twice their payload and more.
    #[test]
    fn what_was_merged_costs_what_its_segments_cost() {
        for segments in [11, 45] {
            let mut window = ReceiveWindow::new(&host(SocketMemory::Default, Some(3_000_000)), 1448);
            while window.grow(u64::from(segments) * 1448, segments, 1) {}
            assert_eq!(window.threshold_bytes, 3_000_000, "{segments}");
        }
    }

    /// The largest window that is announced after many segments, with a fixed one of `bytes`.
    fn announced(bytes: u64) -> u64 {
        let mut window = ReceiveWindow::new(&host(SocketMemory::Max, Some(bytes)), 1448);
        (0..10_000).for_each(|_| _ = window.grow(1448, 1, 1));
        window.announce(1_000_000, 0);
        window.edge_bytes() - 1_000_000
    }

    /// Linux 6.1 `tcp_select_initial_window`, `__tcp_select_window`: 3,145,001 bytes are told as a multiple of 2^6, and
    /// what fits 16 bits is not scaled and told in segments.
    #[test]
    fn the_scale_is_for_the_fixed_window() {
        assert_eq!(announced(3_145_001), 3_145_024);
        assert_eq!(announced(65_536), 65_536);
        assert_eq!(announced(131_071), 131_070);
        assert_eq!(announced(65_535), 45 * 1448);
    }

    /// A window of 175 x 16,384 bytes stays one while data in order comes by single segments and the buffer fills behind a
    /// hole (Linux 6.1.192 in virtual time, `host.ack_aggregation`); one ACK of more than a unit lets it shrink.
    #[test]
    fn what_is_left_of_a_window_is_announced_rounded_up() {
        let mut window = ReceiveWindow::new(&host(SocketMemory::Max, None), 1448);
        stream(&mut window, 3_000_000, 14);
        let unit = 1 << 14;
        window.announce(10_000_000, 0);
        let announced = window.left_bytes(10_000_000);
        let buffered = u32::try_from(window.buffer_bytes / 4_000).expect("few");
        assert!(announced.is_multiple_of(unit) && window.would_shrink(10_000_000, buffered), "{window:?}");
        for segment in 1..=30 {
            window.announce(10_000_000 + segment * 1448, buffered);
            assert_eq!(window.left_bytes(10_000_000 + segment * 1448), announced);
        }
        window.announce(10_000_000 + 30 * 1448 + 2 * unit, buffered);
        assert_eq!(window.left_bytes(10_000_000 + 30 * 1448 + 2 * unit), announced - 2 * unit);
    }

    #[test]
    fn a_fixed_window_is_a_limit_and_the_edge_never_moves_back() {
        let mut window = ReceiveWindow::new(&host(SocketMemory::Max, Some(100_000)), 1448);
        stream(&mut window, 10_000_000, 30);
        let edge = window.edge_bytes();
        window.announce(edge - 100_000, 1_000_000);
        assert_eq!(window.edge_bytes(), edge);
        window.announce(edge, 0);
        assert_eq!(window.edge_bytes(), edge + 100_000);
    }
}
