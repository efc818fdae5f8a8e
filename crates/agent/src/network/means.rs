//! How [`Means`] are found: by trying.

use super::device::Offloads;
use super::machine::Means;
use super::plan::{Device, Discipline, Place};
use super::{discipline, link};
use crate::error::{Error, Subject};
use crate::namespace::Namespace;
use crate::netlink::{Batch, CREATE, EXCLUSIVE, Socket};
use nix::sched::{CloneFlags, unshare};
use run::{Buffer, ShaperKind};

/// The device that is there in every namespace.
const LOOPBACK: &str = "lo";
/// Number of a device that is made to see whether it can be.
const IFB: u32 = 100;
/// Its largest packet.
const MTU_BYTES: u32 = 1_500;

impl Means {
    /// Tries each in a namespace of its own.
    ///
    /// # Errors
    /// Whoever asks may make no namespace.
    pub fn find() -> Result<Self, Error> {
        let device = |index: u32, name: &str| {
            let (place, offloads) = (Place::Near, Offloads::default());
            Device { place, index, name: name.to_owned(), offloads, mac: None }
        };
        let loopback = device(link::LOOPBACK, LOOPBACK);
        let is_done = |batch: Batch| -> Result<bool, Error> {
            let namespace = Namespace::create()?;
            let mut socket = namespace.within(Socket::open)??;
            // The kernel says why in many ways: a module that is not there, an attribute that it does not know.
            Ok(socket.execute(batch).is_ok())
        };
        let has = |tried: Discipline| {
            let mut batch = Batch::default();
            discipline::push(&mut batch, &loopback, &tried, 0);
            is_done(batch)
        };
        let bucket = |kind| {
            let (burst_bytes, room) = (5_000, Buffer::Bytes(10_000));
            Discipline::Bucket { kind, rate_bps: 8_000_000, burst_bytes, room, extra_bytes: 0 }
        };
        let ifb = device(IFB, &super::device::ifb_name(IFB));
        let mut redirected = Batch::default();
        redirected.push(link::NEW_LINK, CREATE | EXCLUSIVE, "ifb", |bytes| link::encode_ifb(bytes, &ifb, MTU_BYTES));
        discipline::push(&mut redirected, &loopback, &Discipline::Redirect { to: IFB }, 0);
        Ok(Self {
            tbf: has(bucket(ShaperKind::Tbf))?,
            htb: has(bucket(ShaperKind::Htb))?,
            ifb: is_done(redirected)?,
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
            .unwrap_or(Self::ALL)
    }
}
