//! [`ProgramSockets`]: the sockets that a program has at one end, each counted once, however late the kernel tells its end.

use crate::sockets::diag::Record;
use crate::sockets::tcp_info::{ControlInfo, TcpInfo};
use std::collections::BTreeMap;

/// Dumps without a socket until nothing more is to be told of it: they are two milliseconds apart at least.
const MOST_MISSING: u32 = 10;

/// Those of a program at one end.
#[derive(Debug, Default)]
pub struct ProgramSockets {
    /// By the kernel's cookie: those whose last counts have not come.
    open: BTreeMap<u64, Socket>,
    /// The last counts of the others.
    closed: TcpInfo,
}

/// A socket whose last counts have not come.
#[derive(Clone, Copy, Debug)]
pub struct Socket {
    /// What it had counted when it was there last.
    pub info: TcpInfo,
    /// And its congestion control.
    pub control: ControlInfo,
    /// So many dumps in a row have not had it.
    missing: u32,
}

impl ProgramSockets {
    /// What the kernel tells of a socket. `is_last`: it is closed.
    pub fn file(&mut self, record: &Record, is_last: bool) {
        let Record { cookie, info, control, .. } = *record;
        if is_last {
            self.open.remove(&cookie);
            self.closed.add(&info);
        } else {
            self.open.insert(cookie, Socket { info, control, missing: 0 });
        }
    }

    /// All that is open was told. What was not is closed, and the kernel tells what it had counted a moment later, unless it
    /// was closed by a reset of its own: then that is forgotten (`tcp_disconnect`), and what was told last counts.
    pub fn sweep(&mut self) {
        for socket in self.open.values_mut() {
            socket.missing = socket.missing.saturating_add(1);
        }
    }

    /// Those that are open, or whose last counts are still to come.
    pub fn live(&self) -> impl Iterator<Item = &Socket> {
        self.open.values().filter(|it| it.missing <= MOST_MISSING)
    }

    /// Whether all that are live were in the last dump, or it is now.
    pub fn are_current(&self) -> bool {
        self.live().all(|it| it.missing <= 1)
    }

    /// What all of them have counted.
    pub fn counted(&self) -> TcpInfo {
        let mut sum = self.closed;
        self.open.values().for_each(|socket| sum.add(&socket.info));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn record(cookie: u64, bytes_sent: u64) -> Record {
        let [local, remote] = [Ipv4Addr::LOCALHOST; 2];
        let info = TcpInfo { bytes_sent, ..TcpInfo::default() };
        Record { local, remote, local_port: 1, remote_port: 2, cookie, info, control: ControlInfo::default() }
    }

    #[test]
    fn a_socket_counts_once_whether_its_end_comes_soon_late_or_never() {
        let mut sockets = ProgramSockets::default();
        for cookie in 1..=3 {
            sockets.file(&record(cookie, 10), false);
        }
        assert_eq!((sockets.counted().bytes_sent, sockets.live().count()), (30, 3));
        sockets.file(&record(1, 11), true);
        sockets.sweep();
        assert!(sockets.are_current());
        sockets.sweep();
        assert!(!sockets.are_current(), "two are missing");
        for _ in 0..MOST_MISSING {
            sockets.sweep();
        }
        assert!(sockets.are_current(), "and are closed");
        assert_eq!((sockets.counted().bytes_sent, sockets.live().count()), (31, 0));
        sockets.file(&record(2, 12), true);
        assert_eq!(sockets.counted().bytes_sent, 33, "late, in place of what was told before");
    }
}
