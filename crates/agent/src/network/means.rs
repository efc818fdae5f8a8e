//! How [`Means`] are found: by trying.

use super::device::Offloads;
use super::machine::Means;
use super::managed::ManagedQueue;
use super::plan::{Device, Discipline, Place};
use super::{discipline, link, sysctl};
use crate::error::{Error, Subject};
use crate::namespace::Namespace;
use crate::netlink::{Batch, CREATE, EXCLUSIVE, Socket};
use nix::sched::{CloneFlags, unshare};
use run::{Buffer, Codel, DualPi2, FqCodel, Pie, QueueDiscipline, Red, ShaperKind};

/// The device that is there in every namespace.
const LOOPBACK: &str = "lo";
/// Number of a device that is made to see whether it can be.
const IFB: u32 = 100;
/// Its largest packet.
const MTU_BYTES: u32 = 1_500;
const MS: u64 = 1_000_000;

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
            Discipline::Bucket {
                kind,
                rate_bps: 8_000_000,
                burst_bytes,
                room,
                managed: None,
                extra_bytes: 0,
                has_valve: false,
            }
        };
        let manages = |discipline| {
            let managed = Some(ManagedQueue { discipline, frame_bytes: u64::from(MTU_BYTES) });
            let (kind, burst_bytes, room) = (ShaperKind::Tbf, 5_000, Buffer::Packets(100_000));
            has(Discipline::Bucket {
                kind,
                rate_bps: 8_000_000,
                burst_bytes,
                room,
                managed,
                extra_bytes: 0,
                has_valve: false,
            })
        };
        let codel = Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: false, ce_threshold_ns: None };
        let fq_codel = FqCodel { codel, flows: 1_024, quantum_bytes: MTU_BYTES, ce_threshold_selector: None };
        let pie = Pie { target_ns: 15 * MS, tupdate_ns: 15 * MS, alpha: 2, beta: 20, ecn: false };
        let red = Red { min_bytes: 10_000, max_bytes: 30_000, probability_ppb: 20_000_000, ecn: false };
        let (target_ns, tupdate_ns) = (15 * MS, 16 * MS);
        let dualpi2 = DualPi2 { target_ns, tupdate_ns, alpha: 41, beta: 819, coupling: 2, step_ns: MS };
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
            codel: manages(QueueDiscipline::Codel(codel))?,
            fq_codel: manages(QueueDiscipline::FqCodel(fq_codel))?,
            pie: manages(QueueDiscipline::Pie(pie))?,
            red: manages(QueueDiscipline::Red(red))?,
            dualpi2: manages(QueueDiscipline::Dualpi2(dualpi2))?,
            cake: manages(QueueDiscipline::Cake)?,
            police: has(Discipline::Police {
                rate_bps: 8_000_000,
                burst_bytes: 5_000,
                peak_bps: None,
                mtu_bytes: MTU_BYTES,
                extra_bytes: 0,
            })?,
            accurate_ecn: Namespace::create()?.within(sysctl::has_accurate_ecn)?,
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
