//! Taking in an ACK: scoreboard, RTT, recovery, algorithm, and then what may be sent (Linux 6.1 `tcp_ack`).

use super::ack_summary::AckSummary;
use super::ecn::{Brought, MarkCount};
use super::rate::{DeliveryRate, Sampling};
use super::recovery::{Progress, Resend, Transport};
use super::rtt::sample_us;
use super::scoreboard::Row;
use super::sender::{Output, SendReason, Sender};
use crate::net::{Ack, SackBlock};
use cc::{CongestionControl, RateSample, RecoveryState};
use std::hint::cold_path;
use units::{Span, Time, window_segments};

/// Send times of the segments that an ACK delivered for the first time and that were never retransmitted, µs.
#[derive(Clone, Copy, Debug, Default)]
struct SendTimes {
    first_us: Option<u64>,
    last_us: u64,
}

impl SendTimes {
    fn add(&mut self, row: &Row) {
        self.first_us = self.first_us.or(Some(row.first_sent_us));
        self.last_us = row.last.sent_us;
    }
}

/// What an ACK said, for the algorithm.
#[derive(Debug, Default)]
struct Taken {
    /// Without its rate.
    sample: RateSample,
    sampling: Sampling,
    /// Segments acknowledged cumulatively.
    acked: u32,
    /// `una` moved; segments were newly SACKed.
    advanced: bool,
    sacked: bool,
}

impl Sender {
    /// An ACK arrives.
    pub fn on_ack(&mut self, ack: &Ack, now: Time, out: &mut impl Output) {
        self.rtt_sample_us = None;
        if self.is_aborted() {
            return self.refuse(ack, now, out);
        }
        // Whoever waits for the instant of an ACK leaves before it, as on `linux`, where a packet's way through a host takes
        // time. Where nothing is late it is so whenever a window grows: ACKs come as far apart as bursts left.
        if self.pacing_timer.due() <= now {
            cold_path();
            self.on_pacing_timer(now, out);
        }
        self.counters.acks += 1;
        if self.recent.admits(ack.stamp_ms) {
            self.recent.set(ack.stamp_ms);
        } else if !self.admits_late(ack) {
            return;
        }
        if ack.syn {
            self.edge_bytes = self.edge_bytes.max(ack.window_edge_bytes);
            return self.on_handshake(ack, now, out);
        }
        let resend = self.take_in(ack, now);
        match resend {
            Resend::Nothing => {}
            Resend::Lost => self.resend_lost(now, out),
            Resend::New => {
                self.send_new(SendReason::Short, now, out);
                if self.board.next() <= self.recovery.high() {
                    self.recovery.frto = false;
                    self.resend_lost(now, out);
                }
            }
        }
        self.send_new(SendReason::Normal, now, out);
        self.free_send_buffer(now, out);
        self.probe_closed_window(ack.una == self.board.una(), now);
    }

    /// An ACK that its timestamp says is old is not one of another time if it changes nothing but what it SACKs, and is no older than a
    /// timeout (Linux 6.1 `tcp_disordered_ack`). (Others Linux answers, twice a second at most.)
    #[cold]
    fn admits_late(&self, ack: &Ack) -> bool {
        !self.recent.rejects(ack.stamp_ms)
            || ack.una == self.board.una()
                && ack.window_edge_bytes <= self.edge_bytes
                && i64::from(self.recent.lag_ms(ack.stamp_ms)) <= self.rtt.rto_ms().cast_signed() * 1_024 / 1_000
    }

    fn take_in(&mut self, ack: &Ack, now: Time) -> Resend {
        // An ACK from before the last one says nothing (`tcp_ack`, `old_ack`).
        let has_news = self.ecn.is_on() && ack.una >= self.board.una() && self.has_marks(ack);
        let is_quiet = ack.block_count == 0
            && !has_news
            && self.recovery.state() == RecoveryState::Open
            && self.recovery.probe.high.is_none();
        let (in_flight, una_bytes) = (self.board.in_flight(), self.board.una_bytes());
        let mut taken = Taken::default();
        let resend = match self.board.acknowledge_plain(if is_quiet { ack.una } else { 0 }) {
            Some(row) => {
                taken.sample.prior_in_flight = in_flight;
                self.take_in_plain(ack, &row, self.board.una_bytes() - una_bytes, now, &mut taken);
                Resend::Nothing
            }
            None if ack.una < self.board.una() => return self.take_in_overtaken(ack, now),
            None => {
                let had_out = self.board.out() > 0;
                let resend = self.take_in_any(ack, has_news, now, &mut taken);
                if !had_out {
                    return resend;
                }
                resend
            }
        };
        self.rate.finish(&taken.sampling, now.as_micros(), self.rtt.min_us(), &mut taken.sample);
        if let (Some(flights), Some(seq)) = (&self.board.flights, DeliveryRate::newest(&taken.sampling)) {
            flights.complete(&mut taken.sample, seq, self.board.lost_total(), self.counters.delivered_ce);
        }
        self.adjust_window(&taken, now);
        resend
    }

    /// An ACK of a [plain row](super::scoreboard::Scoreboard::acknowledge_plain) of `bytes`, while all is in order: as
    /// [any other](Self::take_in_any) with what is known of it.
    #[inline(always)]
    fn take_in_plain(&mut self, ack: &Ack, row: &Row, bytes: u64, now: Time, taken: &mut Taken) {
        let now_us = now.as_micros();
        self.edge_bytes = self.edge_bytes.max(ack.window_edge_bytes);
        self.recovery.timeouts_in_row = 0;
        self.rate.delivered += row.len();
        self.recovery.rack.advance(row.last_seq(), &row.last, self.rtt.min_us(), now_us);
        self.rate.on_delivered(&row.last, row.last_seq(), &mut taken.sampling);
        let prior_delivered = DeliveryRate::prior_delivered(&taken.sampling);
        let maybe_delayed =
            row.len() == 1 && bytes < u64::from(self.mss_bytes) && prior_delivered == Some(self.rate.delivered - 1);
        // What is stamped with a departure to come was not sent yet (`tcp_stamp_us_delta`).
        let since = |sent_us: u64| sample_us(now_us.saturating_sub(sent_us));
        let newest_us = since(row.last.sent_us);
        self.rtt_sample_us = Some(newest_us);
        self.note_rtt(since(row.first_sent_us), newest_us, maybe_delayed, now);
        self.recovery.rack.adapt_window(prior_delivered, self.rate.delivered);
        if self.ecn.is_on() {
            self.mark_count.note(ack);
            self.count_marked(0);
        }
        self.set_timer(now);
        taken.sample.rtt_us = Some(newest_us);
        taken.sample.acked_sacked = window_segments(row.len());
        taken.sample.is_ack_delayed = maybe_delayed;
        taken.acked = window_segments(row.len());
        taken.advanced = true;
    }

    /// An ACK that a later one overtook. What it SACKs or declares needless is taken in, and may prove a loss or an undo due (Linux 6.1
    /// `tcp_ack`, `old_ack`). It is no sample of RTT or rate, the algorithm sees nothing of it, and what it SACKs is never counted as
    /// delivered.
    #[cold]
    fn take_in_overtaken(&mut self, ack: &Ack, now: Time) -> Resend {
        if ack.block_count == 0 {
            return Resend::Nothing;
        }
        let mut summary = AckSummary::new(ack, &self.board, self.rate.delivered, self.edge_bytes);
        summary.overtaken = true;
        let (mut sampling, mut times) = (Sampling::default(), SendTimes::default());
        self.take_in_sacks(ack, now.as_micros(), &mut sampling, &mut times, &mut summary);
        self.rate.delivered = summary.prior_delivered;
        self.recover(&mut summary, now)
    }

    #[inline(never)]
    fn take_in_any(&mut self, ack: &Ack, has_marks: bool, now: Time, taken: &mut Taken) -> Resend {
        let now_us = now.as_micros();
        let mut summary = AckSummary::new(ack, &self.board, self.rate.delivered, self.edge_bytes);
        summary.echoes = has_marks;
        self.edge_bytes = self.edge_bytes.max(ack.window_edge_bytes);
        if summary.advanced {
            self.recovery.timeouts_in_row = 0;
        }
        let mut sacked = SendTimes::default();
        if ack.block_count > 0 {
            self.take_in_sacks(ack, now_us, &mut taken.sampling, &mut sacked, &mut summary);
        }
        if !summary.had_out {
            self.note_delivery(ack, &mut summary);
            let resend = if summary.duplicate { self.recover(&mut summary, now) } else { Resend::Nothing };
            self.process_probe(&mut summary, now);
            return resend;
        }
        let mut acked = SendTimes::default();
        let reordered = self.take_in_advance(ack, now_us, &mut taken.sampling, &mut acked, &mut summary);
        let acked_segments = window_segments(self.board.una() - summary.prior_una);
        summary.maybe_delayed = acked_segments == 1
            && summary.prior_sacked == 0
            && acked.first_us.is_some()
            && self.board.una_bytes() - summary.prior_una_bytes < u64::from(self.mss_bytes)
            && DeliveryRate::prior_delivered(&taken.sampling) == Some(self.rate.delivered - 1)
            && !summary.sacked
            && !summary.duplicate;
        let rtt_us = self.sample_rtt(acked, sacked, now, &mut summary);
        if let Some(seq) = reordered
            && seq < summary.prior_fack
        {
            self.recovery.rack.note_reordering(seq, self.board.fack());
        }
        self.recovery.rack.adapt_window(DeliveryRate::prior_delivered(&taken.sampling), self.rate.delivered);
        self.note_delivery(ack, &mut summary);
        self.process_probe(&mut summary, now);
        let quiet = summary.is_plain() && self.recovery.state() == RecoveryState::Open;
        let resend = if quiet { Resend::Nothing } else { self.recover(&mut summary, now) };
        if summary.set_timer {
            self.set_timer(now);
        }
        taken.sample.rtt_us = rtt_us;
        taken.sample.losses = window_segments(self.board.lost_total() - summary.prior_lost_total);
        taken.sample.acked_sacked = window_segments(self.rate.delivered - summary.prior_delivered);
        taken.sample.prior_in_flight = summary.prior_in_flight;
        taken.sample.is_ack_delayed = summary.maybe_delayed;
        taken.sample.is_ece = summary.echoes;
        taken.sample.acks_probe = summary.acks_probe;
        taken.acked = acked_segments;
        taken.advanced = summary.advanced;
        taken.sacked = summary.sacked;
        resend
    }

    /// An ACK may tell of marks: it has ECE, or its count is not what it was.
    fn has_marks(&mut self, ack: &Ack) -> bool {
        if self.ecn.is_accurate() {
            self.mark_count.see(ack.marks);
            !MarkCount::is_quiet(ack, ack.una - self.board.una(), self.counters.delivered_ce)
        } else {
            ack.marks.echoes()
        }
    }

    /// What an ACK delivered was marked, if it has ECE (Linux 6.1 `tcp_count_delivered`), or so much as it counts, which is
    /// as good an echo (Linux 7.3 `tcp_accecn_process`).
    fn note_delivery(&mut self, ack: &Ack, summary: &mut AckSummary) {
        if !self.ecn.is_on() {
            return;
        }
        let delivered = self.rate.delivered - summary.prior_delivered;
        let mut marked = if summary.echoes { delivered } else { 0 };
        if self.ecn.is_accurate() && ack.una >= summary.prior_una {
            let has_progress = summary.advanced || summary.sacked;
            let brought = Brought { delivered, has_progress, mss_bytes: self.mss_bytes };
            marked = self.mark_count.newly_marked(ack, self.counters.delivered_ce, brought);
            summary.echoes = marked > 0;
        }
        self.count_marked(marked);
    }

    /// So many more of the segments that were delivered were marked (Linux 6.1 `tcp_in_ack_event`).
    #[inline(never)]
    fn count_marked(&mut self, marked: u64) {
        self.counters.delivered_ce += marked;
        let delivery = cc::Delivery {
            una: self.board.una(),
            next: self.board.next(),
            delivered: self.rate.delivered,
            delivered_ce: self.counters.delivered_ce,
        };
        self.control.cc.on_delivery(&delivery);
    }

    fn process_probe(&mut self, summary: &mut AckSummary, now: Time) {
        self.recovery.process_probe(summary, &self.board, &mut self.control, (now, self.rate.delivered));
    }

    /// The ACK's part in recovery.
    fn recover(&mut self, summary: &mut AckSummary, now: Time) -> Resend {
        let mut transport = Transport {
            can_send_new: self.can_send_new(),
            board: &mut self.board,
            control: &mut self.control,
            rtt: &self.rtt,
            delivered: self.rate.delivered,
            now,
        };
        let resend = self.recovery.process(summary, &mut transport);
        if let Some(wait_us) = summary.reordering_wait_us {
            self.wait_for_reordering(wait_us, now);
        }
        resend
    }

    /// Takes in SACK blocks (RFC 2018) and D-SACKs (RFC 2883).
    fn take_in_sacks(
        &mut self,
        ack: &Ack,
        now_us: u64,
        sampling: &mut Sampling,
        times: &mut SendTimes,
        summary: &mut AckSummary,
    ) {
        let (mut duplicates, mut reordered) = (0, None);
        let mut all_blocks = ack.sack_blocks();
        let (reported, blocks) = all_blocks[..usize::from(ack.block_count)].split_at_mut(usize::from(ack.duplicate));
        if let [duplicate] = *reported {
            (duplicates, reordered) = self.take_in_duplicate(duplicate, summary);
        }
        // In the order of sending (`tcp_sacktag_write_queue`): one ACK may tell of several blocks at once, the newest
        // first, and those below it are no sign of reordering.
        blocks.sort_unstable_by_key(|block| block.start);
        for &block in blocks.iter() {
            let mut from = self.board.first_news(block);
            while let Some(row) = self.board.sack(from, block.end) {
                from = row.end;
                self.recovery.rack.advance(row.last_seq(), &row.last, self.rtt.min_us(), now_us);
                if !row.last.was_retransmitted() {
                    if row.is_late {
                        reordered = Some(reordered.map_or(row.first, |least: u64| least.min(row.first)));
                    }
                    summary.original_delivered |= row.first < self.recovery.high();
                    times.add(&row);
                }
                self.rate.delivered += row.len();
                self.rate.on_delivered(&row.last, row.last_seq(), sampling);
                summary.sacked = true;
            }
        }
        self.board.remember(blocks);
        self.rate.delivered += u64::from(duplicates);
        if let Some(seq) = reordered
            && (self.recovery.state() != RecoveryState::Loss || self.recovery.undo.is_possible())
        {
            self.recovery.rack.note_reordering(seq, self.board.fack());
        }
    }

    /// Takes in a D-SACK. Gives how many segments were retransmitted in vain, and the lowest of those that are SACKed.
    #[cold]
    fn take_in_duplicate(&mut self, block: SackBlock, summary: &mut AckSummary) -> (u32, Option<u64>) {
        let retransmitted = self.counters.segments_retransmitted;
        let duplicates = self.recovery.on_duplicate(block, retransmitted, summary);
        let mut reordered = None;
        if duplicates == 0 {
            return (0, None);
        }
        for seq in block.start.max(self.board.una())..block.end.min(self.board.next()) {
            if self.recovery.on_duplicate_in_window(seq, &mut self.board) {
                reordered = Some(reordered.map_or(seq, |least: u64| least.min(seq)));
            }
        }
        (duplicates, reordered)
    }

    /// Takes in the cumulative acknowledgement. Gives the lowest segment that was neither SACKed nor retransmitted.
    #[inline]
    fn take_in_advance(
        &mut self,
        ack: &Ack,
        now_us: u64,
        sampling: &mut Sampling,
        times: &mut SendTimes,
        summary: &mut AckSummary,
    ) -> Option<u64> {
        let mut reordered = None;
        let (echo_ms, high) = (ack.echo_ms, self.recovery.high());
        while self.board.una() < ack.una {
            let row = self.board.acknowledge(ack.una);
            summary.retransmitted_acked |= row.last.was_retransmitted();
            if row.last.is_sacked() {
                continue;
            }
            if !row.last.was_retransmitted() {
                times.add(&row);
                reordered = reordered.or(Some(row.first));
                summary.original_delivered |= row.first < high;
            }
            self.rate.delivered += row.len();
            let spurious = row.last.was_retransmitted() && u64::from(echo_ms) < row.last.sent_us / 1_000;
            if !spurious {
                self.recovery.rack.advance(row.last_seq(), &row.last, self.rtt.min_us(), now_us);
            }
            self.rate.on_delivered(&row.last, row.last_seq(), sampling);
        }
        summary.set_timer = summary.advanced;
        reordered
    }

    /// RTT samples (RFC 6298 section 3 with Karn's rule; a timestamp's echo when nothing else tells). Gives the
    /// algorithm's sample: that of the newest segment, µs.
    fn sample_rtt(&mut self, acked: SendTimes, sacked: SendTimes, now: Time, summary: &mut AckSummary) -> Option<u32> {
        let now_us = now.as_micros();
        // What is stamped with a departure to come was not sent yet (`tcp_stamp_us_delta`).
        let since = |sent_us: u64| sample_us(now_us.saturating_sub(sent_us));
        let (mut smoothed, mut newest) = (None, None);
        if let Some(first_us) = acked.first_us
            && !summary.retransmitted_acked
        {
            smoothed = Some(since(first_us));
            newest = Some(since(acked.last_us));
        }
        let sack_rtt = sacked.first_us.map(since);
        if sacked.first_us.is_some() {
            newest = Some(since(sacked.last_us));
        }
        smoothed = smoothed.or(sack_rtt);
        if smoothed.is_none() && summary.advanced {
            let ticks = now.stamp_ms().wrapping_sub(summary.echo_ms).max(1);
            smoothed = Some(sample_us(u64::from(ticks) * 1_000));
            newest = smoothed;
        }
        let sample_us = smoothed?;
        let newest_us = newest.unwrap_or(sample_us);
        self.rtt_sample_us = newest;
        self.note_rtt(sample_us, newest_us, summary.maybe_delayed, now);
        if let Some(sack_rtt) = sack_rtt
            && !summary.advanced
        {
            // SACKed data that was sent before the head was, the last time: the timeout begins anew.
            summary.set_timer = sack_rtt > since(self.board.segment(self.board.una()).sent_us);
        }
        newest
    }

    /// Samples of the average and of the minimum.
    #[inline(always)]
    fn note_rtt(&mut self, rtt_us: u32, newest_us: u32, maybe_delayed: bool, now: Time) {
        // A lone segment's delayed ACK says nothing about the path's minimum.
        if !(maybe_delayed && newest_us > self.rtt.min_us()) {
            self.rtt.update_minimum(now.as_millis(), newest_us);
        }
        self.rtt.update(rtt_us, self.board.una(), self.board.next());
        self.rtt_least_us = Some(self.rtt_least_us.map_or(newest_us, |least| least.min(newest_us)));
    }

    /// The window's change: by the algorithm, or by the reduction under way (Linux 6.1 `tcp_cong_control`).
    #[inline(always)]
    fn adjust_window(&mut self, taken: &Taken, now: Time) {
        let &Taken { ref sample, acked, advanced, sacked, .. } = taken;
        let reducing = self.recovery.is_reducing();
        let progress = advanced || (sacked && self.recovery.rack.reorders_much());
        let event = cc::Ack {
            now,
            state: self.recovery.state(),
            una: self.board.una(),
            next: self.board.next(),
            acked,
            acked_sacked: sample.acked_sacked,
            rtt_us: sample.rtt_us,
            srtt_us: self.rtt.srtt_us(),
            min_rtt_us: self.rtt.min_us(),
            rate: *sample,
            delivered: self.rate.delivered,
            delivered_at: Time::ZERO + Span::from_micros(self.rate.delivered_at_us),
            lost: self.board.lost_total(),
            in_flight: self.board.in_flight(),
            cwnd_limited: self.validation.is_cwnd_limited(&self.control.window),
            may_grow: progress && !reducing,
            app_limited: self.rate.is_app_limited(),
            next_departure: self.pacing.next(),
            pacing_rate: self.pacing.rate(),
            paced: self.pacing.is_active(),
        };
        if reducing && !self.control.cc.owns_window() {
            let progress = Progress {
                in_flight: event.in_flight,
                delivered: sample.acked_sacked,
                newly_lost: sample.losses,
                advanced,
            };
            self.recovery.reduce_window(&mut self.control.window, progress);
        }
        self.control.cc.on_ack(&event, &mut self.control.window);
        if event.may_grow {
            self.validation.renew(now);
        }
        if self.control.cc.limits_flight() {
            self.rate.on_app_limited(self.board.in_flight());
        }
        self.update_pacing_rate();
    }
}
