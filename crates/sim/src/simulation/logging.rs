//! What a log has of senders.

use super::{FlowId, Simulation};

impl Simulation<'_> {
    /// A sender's retransmission timer goes off.
    #[cold]
    pub(super) fn log_timer(&mut self, flow: FlowId) {
        self.network.log_sender(flow, self.senders[flow.index()].resend_cause(true), None);
    }

    /// A sender has acted. Those of sources' connections have no log.
    #[cold]
    pub(super) fn log_sender(&mut self, flow: FlowId) {
        if !self.sources.has_connection(flow) {
            let sender = &self.senders[flow.index()];
            self.network.log_sender(flow, sender.resend_cause(false), Some(sender.state(self.now())));
        }
    }
}
