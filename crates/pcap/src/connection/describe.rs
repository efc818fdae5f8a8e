//! A connection's summary.

use super::Connection;
use crate::algorithm::estimate;
use crate::direction::{Direction, Offer};
use crate::header::{AE, CWR, ECE, Endpoint};
use crate::path::Path;
use crate::sink::Side;
use crate::summary::{
    CapturePoint, ConnectionSummary, DirectionSummary, EcnNegotiation, Ended, EndpointName, Handshake,
};

/// Two ends nearer than this cannot be told apart: a host's own delays are as long.
const LEAST_PATH_NS: i64 = 100_000;
/// A capture is near an end to which less than this part of the path leads: one in so many.
pub(super) const NEAR: i64 = 10;

impl Connection {
    /// What is known of it.
    pub fn summary(&self, ended: Ended, paths: &[Path; 2]) -> ConnectionSummary {
        let capture_point = self.capture_point();
        let name = |end: Endpoint| EndpointName { address: end.address(), port: end.port() };
        let describe = |side: Side| {
            let mut summary = self.directions[side.index()].summary();
            let receiver = if side == Side::Client { CapturePoint::Server } else { CapturePoint::Client };
            if capture_point == receiver {
                summary.limits = None;
            }
            let near = capture_point == if side == Side::Client { CapturePoint::Client } else { CapturePoint::Server };
            let direction = &self.directions[side.index()];
            let segment = self.segment_bytes(side).unwrap_or(direction.largest_payload);
            summary.algorithm = (summary.data_packets > 0).then(|| estimate(&direction.rounds, segment, near));
            summary.flow = self.flow_estimate(side, ended, near, &paths[side.index()]);
            summary
        };
        ConnectionSummary {
            connection: self.id,
            client: name(self.client),
            server: name(self.server),
            first_frame: self.first_frame,
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            midstream: self.midstream,
            ended: self.ended.unwrap_or(ended),
            capture_point,
            handshake: self.handshake(),
            ecn: self.ecn(),
            directions: [describe(Side::Client), describe(Side::Server)],
        }
    }

    fn handshake(&self) -> Handshake {
        let opening = &self.opening;
        let between = |from: Option<i64>, to: Option<i64>| from.zip(to).map(|(from, to)| to.saturating_sub(from));
        Handshake {
            rtt_ns: between(opening.syn_ns, opening.ack_ns),
            server_part_ns: between(opening.syn_ns, opening.syn_ack_ns).filter(|_| opening.syns == 1),
            client_part_ns: between(opening.syn_ack_ns, opening.ack_ns).filter(|_| opening.syn_acks == 1),
        }
    }

    /// By the two parts of the handshake; where they are missing or short, by the median delays of ACKs and echoes: a
    /// queue that the connection fills makes one of them long.
    fn capture_point(&self) -> CapturePoint {
        let handshake = self.handshake();
        let parts = handshake.server_part_ns.zip(handshake.client_part_ns);
        let parts =
            parts.filter(|(one, other)| *one >= 0 && *other >= 0 && one.saturating_add(*other) >= LEAST_PATH_NS);
        let echoes = || {
            // What answers the client's packets has gone to the server and back. Timestamps are coarse, ACKs are not.
            let [server_part, client_part] = [&self.directions[0].rtt, &self.directions[1].rtt]
                .map(|rtt| [rtt.echo.median(), rtt.by_ack.median()].into_iter().flatten().min());
            server_part.zip(client_part).map(|(one, other)| (one as i64, other as i64))
        };
        let Some((server_part, client_part)) = parts.or_else(echoes) else { return CapturePoint::Unknown };
        let path = server_part.saturating_add(client_part);
        if path < LEAST_PATH_NS {
            CapturePoint::Unknown
        } else if client_part < path / NEAR {
            CapturePoint::Client
        } else if server_part < path / NEAR {
            CapturePoint::Server
        } else {
            CapturePoint::Middle
        }
    }

    fn ecn(&self) -> EcnNegotiation {
        let [client, server] = [&self.directions[0].offer, &self.directions[1].offer];
        if !client.seen || !server.seen {
            return EcnNegotiation::Unknown;
        }
        let of = |offer: &Offer| offer.ecn_flags & (AE | CWR | ECE);
        match (of(client), of(server)) {
            // RFC 9768 section 3.1.2: the SYN has all three, and the SYN-ACK says by two of them how it came in.
            (request, answer) if request == AE | CWR | ECE && (answer & AE != 0 || answer == CWR) => {
                EcnNegotiation::Accurate
            }
            (request, ECE) if request & (CWR | ECE) == CWR | ECE => EcnNegotiation::Classic,
            (request, _) if request & (CWR | ECE) == CWR | ECE => EcnNegotiation::Declined,
            _ => EcnNegotiation::NotOffered,
        }
    }
}

impl Direction {
    fn summary(&self) -> DirectionSummary {
        DirectionSummary {
            counts: self.counts.clone(),
            mss: self.offer.mss,
            window_scale: self.offer.window_scale,
            sack_permitted: self.offer.sack_permitted,
            timestamps: self.offer.timestamps,
            ack_rtt: self.rtt.by_ack.distribution(),
            timestamp_rtt: self.rtt.by_timestamp.distribution(),
            retransmissions: self.recovery.counts,
            segments_given_up: self.outstanding.given_up(),
            window: self.window.summary,
            limits: (self.counts.data_packets > 0).then(|| self.limit.limits()),
            algorithm: None,
            flow: None,
        }
    }
}
