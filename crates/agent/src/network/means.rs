//! How [`Means`] are found: by trying.

use super::discipline;
use super::machine::Means;
use super::plan::{Device, Discipline, Offloads, Place};
use crate::error::{Error, Subject};
use crate::namespace::Namespace;
use crate::netlink::{Batch, Socket};
use nix::sched::{CloneFlags, unshare};
use run::Buffer;

/// The device that is there in every namespace.
const LOOPBACK: &str = "lo";

impl Means {
    /// Tries each in a namespace of its own.
    ///
    /// # Errors
    /// Whoever asks may make no namespace.
    pub fn find() -> Result<Self, Error> {
        let has = |tried: Discipline| -> Result<bool, Error> {
            let namespace = Namespace::create()?;
            let mut socket = namespace.within(Socket::open)??;
            let mut batch = Batch::default();
            let device = Device {
                place: Place::Near,
                index: super::link::LOOPBACK,
                name: LOOPBACK.to_owned(),
                offloads: Offloads::default(),
            };
            discipline::push(&mut batch, &device, &tried, 0);
            // The kernel says why in many ways: a module that is not there, an attribute that it does not know.
            Ok(socket.execute(batch).is_ok())
        };
        Ok(Self {
            tbf: has(Discipline::Bucket { rate_bps: 8_000_000, burst_bytes: 5_000, room: Buffer::Bytes(10_000) })?,
            netem: has(Discipline::Jitter { jitter_ns: 1_000 })?,
            loss: has(Discipline::Loss { loss_ppb: 1 })?,
            fq: has(Discipline::Fair)?,
        })
    }

    /// The same for whoever may only make namespaces of their own; where that is not allowed, what most kernels have.
    /// This process is in other namespaces afterwards.
    pub fn find_unprivileged() -> Self {
        Self::find()
            .or_else(|_| unshare(CloneFlags::CLONE_NEWUSER).about("user namespace").and_then(|()| Self::find()))
            .unwrap_or(Self::WHOLE)
    }
}
