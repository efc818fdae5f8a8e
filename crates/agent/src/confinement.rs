//! Confines this process and all that comes of it, for good: it reads and executes what it could before, and changes
//! nothing outside of the folders that it is given. `docs/decisions/0032-a-guest-that-cannot-write.md` has the reasons.

use crate::failure::Failure;
use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope,
};
use libc::c_long;
use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set, set_capabilities,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The newest Landlock of whose rights it is known what they do here. An older one has fewer.
const NEWEST: ABI = ABI::V10;
/// With these root reads and executes what is not its own. Where it writes is for Landlock to say.
const READS: CapabilitySet = CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH);
/// System calls that change what Landlock does not look at: of files that can be opened for reading their mode, owner,
/// times and attributes; and what processes share that is no file. No kernel that is a process needs one of them.
const REFUSED: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    // Before its third version Landlock does not look at a file that is cut.
    libc::SYS_truncate,
    libc::SYS_openat2,
    // There is nobody to talk to, and no message box or memory of other processes to write to.
    libc::SYS_socket,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // How fast others run.
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
    // It does what it is asked past this filter.
    libc::SYS_io_uring_setup,
];
/// The same, of the oldest architecture only.
#[cfg(target_arch = "x86_64")]
const REFUSED_TOO: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_creat,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_TOO: &[c_long] = &[];
/// Newer than the headers that `libc` knows; the same number on every architecture.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;
/// `FS_IOC_SETFLAGS`, `FS_IOC_FSSETXATTR`, `FS_IOC_ENABLE_VERITY`: attributes again.
const REFUSED_CONTROLS: [u64; 3] = [0x4008_6602, 0x401c_5820, 0x4080_6685];

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// By Landlock's version of this number.
    Confined(i32),
    /// This machine's kernel has no Landlock, or no filters of system calls.
    NotConfined,
}

impl fmt::Display for Confinement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confined(version) => write!(formatter, "confined (Landlock ABI {version})"),
            Self::NotConfined => formatter.write_str("not confined"),
        }
    }
}

/// Confines this process; `folders` are those that it may write below. There must be no other thread.
///
/// # Errors
/// A folder is not there, or the kernel refuses what it has.
pub fn confine<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<Confinement, Failure> {
    bound_capabilities(READS)
        .and_then(|()| keep_capabilities(READS))
        .map_err(|errno| Failure::of("give up capabilities", errno))?;
    let version = restrict_files(folders)?;
    // As every kernel that has Landlock can, unless it was built without.
    let is_filtered = filter().and_then(|it| apply_filter(&it)).is_ok();
    Ok(version.filter(|_| is_filtered).map_or(Confinement::NotConfined, Confinement::Confined))
}

/// Landlock, as far as this kernel has it; none: it has none.
fn restrict_files<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<Option<i32>, Failure> {
    // Files and folders. Whatever else has a name, a link, a pipe, a device, leads somebody elsewhere.
    let files = AccessFs::MakeReg | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::RemoveFile;
    let folders_too = files | AccessFs::MakeDir | AccessFs::RemoveDir | AccessFs::Refer;
    let failed = |error: &dyn std::error::Error| Failure::of("confine this process", error);
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_write(NEWEST))
        .and_then(|it| it.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|it| it.scope(Scope::from_all(NEWEST)))
        .and_then(landlock::Ruleset::create)
        .map_err(|error| failed(&error))?;
    for folder in folders {
        let folder = PathFd::new(folder).map_err(|error| failed(&error))?;
        ruleset = ruleset.add_rule(PathBeneath::new(folder, folders_too)).map_err(|error| failed(&error))?;
    }
    let status = ruleset.restrict_self().map_err(|error| failed(&error))?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => None,
        (_, LandlockStatus::Available { effective_abi, kernel_abi }) => {
            Some(kernel_abi.unwrap_or(effective_abi as i32))
        }
        _ => None,
    })
}

/// Refuses the system calls that Landlock lets pass and that change something of others.
fn filter() -> Result<BpfProgram, seccompiler::Error> {
    let when = |argument, operator, value| {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
        SeccompRule::new(vec![condition])
    };
    let cuts = SeccompCmpOp::MaskedEq(libc::O_TRUNC as u64);
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().chain(REFUSED_TOO).map(|number| (*number, Vec::new())).collect();
    refused.insert(libc::SYS_openat, vec![when(2, cuts.clone(), libc::O_TRUNC as u64)?]);
    #[cfg(target_arch = "x86_64")]
    refused.insert(libc::SYS_open, vec![when(1, cuts, libc::O_TRUNC as u64)?]);
    // Its own limits are its own.
    refused.insert(libc::SYS_prlimit64, vec![when(0, SeccompCmpOp::Ne, 0)?]);
    let controls = REFUSED_CONTROLS.map(|control| when(1, SeccompCmpOp::Eq, control));
    refused.insert(libc::SYS_ioctl, controls.into_iter().collect::<Result<_, _>>()?);
    let refusal = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(refused, SeccompAction::Allow, refusal, std::env::consts::ARCH.try_into()?)?;
    Ok(filter.try_into()?)
}

/// Leaves to whatever this process executes no other capabilities than `retained`. It allocates nothing, as little as
/// [`keep_capabilities`] does.
///
/// # Errors
/// The kernel refuses, for a reason that there is not yet.
pub fn bound_capabilities(retained: CapabilitySet) -> Result<(), Errno> {
    for number in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        if !retained.contains(capability) {
            match remove_capability_from_bounding_set(capability) {
                Ok(()) => {}
                // This kernel has no more of them; or this process has none, and what it executes gets none.
                Err(Errno::INVAL | Errno::PERM) => break,
                Err(errno) => return Err(errno),
            }
        }
    }
    Ok(())
}

/// Gives up all of this process's capabilities but `retained`.
///
/// # Errors
/// The kernel refuses, for a reason that there is not yet.
pub fn keep_capabilities(retained: CapabilitySet) -> Result<(), Errno> {
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    let sets = CapabilitySets {
        effective: effective & retained,
        permitted: permitted & retained,
        inheritable: inheritable & retained,
    };
    set_capabilities(None, sets)
}
