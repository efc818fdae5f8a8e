//! [`Connection`]: one TCP connection of a flow, both ends of it.

use super::connection_id::ConnectionId;
use super::receiver::{News, Reads, Receiver, Taker};
use super::sender::{Payload, Sender};
use crate::failure::Failure;
use crate::network::Endpoint;
use crate::record::{KernelRecorder, Reading};
use crate::sockets;
use run::{FlowCounters, Source};
use std::net::{SocketAddrV4, TcpStream};
use std::sync::Arc;
use units::Span;

/// A connection and where it stands. It is closed when it is dropped.
#[derive(Debug)]
pub struct Connection {
    /// Its sender's port.
    pub port: u16,
    /// Which of its source's transfers it carries; none: it is all of its flow.
    pub arrival: Option<usize>,
    /// Its transfer is delivered, and its receiver closed; it stays until its sender knows.
    pub is_complete: bool,
    /// What it writes.
    source: Source,
    /// When its handshake was done.
    established_ns: Option<u64>,
    /// What the kernel last told of it.
    pub reading: Reading,
    /// None: it is another machine's.
    sender: Option<Sender>,
    /// None until it has been accepted.
    receiver: Option<Receiver>,
    /// What a client has requested on it and not got.
    requested: Option<Requested>,
}

/// A request and its answer.
#[derive(Clone, Copy, Debug)]
struct Requested {
    /// Of the request, what the server has not read.
    unread_bytes: u32,
    /// Of the object.
    object_bytes: u64,
}

/// What there is to know when a sender's socket wakes the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Nothing beyond that there is room.
    Nothing,
    /// Its handshake is done, and its application can begin.
    Established,
    /// The kernel has given it up.
    GivenUp,
}

impl Connection {
    /// Makes the sending socket, bound to the first of the host's `ports` that is free; it has not connected yet.
    ///
    /// # Errors
    /// The address is not there, no port is free, or the kernel lacks the congestion control.
    pub fn open(
        source: Source,
        arrival: Option<usize>,
        host: &Endpoint,
        ports: impl IntoIterator<Item = u16>,
        remote: SocketAddrV4,
        control: &str,
    ) -> Result<Self, Failure> {
        let socket = host.namespace.within(|| sockets::sender(host.address, ports, control));
        let (socket, port) = socket.map_err(|error| Failure(error.to_string()))??;
        Ok(Self { sender: Some(Sender::new(socket, remote)), ..Self::incoming(source, arrival, port) })
    }

    /// One that has come in from a sender on another machine, at this port.
    pub fn incoming(source: Source, arrival: Option<usize>, port: u16) -> Self {
        Self {
            port,
            arrival,
            is_complete: false,
            source,
            established_ns: None,
            reading: Reading::default(),
            sender: None,
            receiver: None,
            requested: None,
        }
    }

    /// Its sending end; none: it is another machine's.
    pub const fn sender(&self) -> Option<&Sender> {
        self.sender.as_ref()
    }

    /// Whether the other end, on another machine, has closed after it had all.
    pub fn is_closed_by_peer(&self) -> bool {
        self.sender.is_some() && self.source.total_bytes().is_some() && self.reading.sender.has_ended()
    }

    /// Payload delivered in order. The kernel counts a FIN as one byte more (`tcp_rcv_nxt_update`).
    pub fn delivered_bytes(&self) -> u64 {
        let received = self.reading.receiver.bytes_received;
        self.source.total_bytes().map_or(received, |total| received.min(total))
    }

    /// Its counters, as one of a flow, from what the kernel last gave.
    pub fn counters(&self, recorder: &KernelRecorder, flow: usize, now_ns: u64) -> FlowCounters {
        let established_ns = self.established_ns.unwrap_or(now_ns);
        recorder.counters(flow, &self.reading, self.delivered_bytes(), established_ns, now_ns)
    }

    /// There is room to write, or an error.
    ///
    /// # Errors
    /// It has failed.
    pub fn wake(&mut self, is_error: bool, payload: &Payload) -> Result<Woken, Failure> {
        let Some(sender) = &mut self.sender else { return Ok(Woken::Nothing) };
        if is_error && sender.is_given_up()? {
            return Ok(Woken::GivenUp);
        }
        if self.established_ns.is_none() {
            return Ok(Woken::Established);
        }
        sender.flush(payload)?;
        Ok(Woken::Nothing)
    }

    /// Its handshake is done.
    pub const fn establish(&mut self, now_ns: u64) {
        self.established_ns = Some(now_ns);
    }

    /// The application does what is due, if the handshake is done. Tells when it is to act again.
    ///
    /// # Errors
    /// It has failed.
    pub fn act(&mut self, due_ns: u64, payload: &Payload) -> Result<Option<u64>, Failure> {
        let (Some(established_ns), Some(sender)) = (self.established_ns, &mut self.sender) else { return Ok(None) };
        let act = self.source.act(Span::from_nanos(due_ns - established_ns));
        let closes = act.again.is_none() && self.source.total_bytes().is_some();
        sender.write(act.bytes, closes, payload)?;
        Ok(act.again.map(|again| established_ns + again.as_nanos()))
    }

    /// It has been accepted: a reader begins, or, of a short transfer, its taking. Gives that to be watched.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn receive(
        &mut self,
        id: ConnectionId,
        stream: TcpStream,
        reads: Reads,
        window_bytes: Option<u32>,
        news: &Arc<News>,
    ) -> Result<Option<&Receiver>, Failure> {
        let total_bytes = self.source.total_bytes();
        if let (Some(_), Some(bytes)) = (self.arrival, total_bytes) {
            return Ok(Some(self.receiver.insert(Receiver::Taker(Taker::new(stream, reads, bytes)?))));
        }
        self.receiver = Some(Receiver::reader(id, stream, reads, window_bytes, total_bytes, news)?);
        Ok(None)
    }

    /// Takes what has been delivered. True: that was everything.
    ///
    /// # Errors
    /// It has failed.
    pub fn take(&mut self, sink: &mut [u8]) -> Result<bool, Failure> {
        if let Some(Receiver::Taker(taker)) = &mut self.receiver { taker.take(sink) } else { Ok(false) }
    }

    /// It has been accepted, and its client takes what it requests. Gives what is to be watched.
    ///
    /// # Errors
    /// It is no socket.
    pub fn receive_answers(&mut self, stream: TcpStream, reads: Reads) -> Result<&Receiver, Failure> {
        Ok(self.receiver.insert(Receiver::Taker(Taker::new(stream, reads, 0)?)))
    }

    /// It is a client's that can request an object.
    pub const fn is_free(&self) -> bool {
        self.receiver.is_some() && self.requested.is_none()
    }

    /// Its client requests an object of so many bytes.
    ///
    /// # Errors
    /// It has failed.
    pub fn request(&mut self, request_bytes: u32, object_bytes: u64, payload: &Payload) -> Result<(), Failure> {
        if let Some(Receiver::Taker(taker)) = &mut self.receiver {
            self.requested = Some(Requested { unread_bytes: request_bytes, object_bytes });
            taker.request(request_bytes, object_bytes, payload)?;
        }
        Ok(())
    }

    /// Its server takes what has come of a request, and when that is all, writes the object.
    ///
    /// # Errors
    /// It has failed.
    pub fn serve(&mut self, sink: &mut [u8], payload: &Payload) -> Result<(), Failure> {
        let (Some(requested), Some(sender)) = (&mut self.requested, &mut self.sender) else { return Ok(()) };
        if requested.unread_bytes > 0 {
            requested.unread_bytes -= sender.read(requested.unread_bytes, sink)?;
            if requested.unread_bytes == 0 {
                sender.write(requested.object_bytes, false, payload)?;
            }
        }
        Ok(())
    }

    /// Its client has got what it requested.
    pub const fn finish_answer(&mut self) {
        self.requested = None;
    }

    /// Everything is delivered: the receiver closes.
    pub fn complete(&mut self) {
        self.is_complete = true;
        self.receiver.take().into_iter().for_each(Receiver::stop);
    }

    /// Asks the kernel for what it counts at both ends.
    ///
    /// # Errors
    /// They are no TCP sockets.
    pub fn read(&mut self) -> Result<(), Failure> {
        if let Some(sender) = &self.sender {
            self.reading.sender = sockets::info(sender)?;
        }
        if let Some(receiver) = &self.receiver {
            self.reading.receiver = sockets::info(receiver)?;
        }
        Ok(())
    }

    /// Closes the sender's end. A reader goes on until the other side's reset comes.
    pub fn abort(self) {}

    /// Closes both ends, and lets the reader go.
    pub fn close(self) {
        if let Some(receiver) = self.receiver {
            receiver.stop();
        }
    }
}
