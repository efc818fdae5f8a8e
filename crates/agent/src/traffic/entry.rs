//! [`Entry`]: what a child does between its birth and its program: it goes where that runs, and becomes who that is.

use crate::confinement::{bound_capabilities, keep_capabilities};
use crate::job::Caller;
use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
use rustix::process::{chdir, chroot};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, set_capabilities_secure_bits, set_no_new_privs, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// All of it is made before: nothing may be allocated on the way.
#[derive(Clone, Debug)]
pub struct Entry {
    root: Option<CString>,
    start_in: CString,
    becomes: Option<(Uid, Gid, Vec<Gid>)>,
    is_powerless: bool,
}

impl Entry {
    /// Into a folder below a root; none: the root stays.
    pub fn new(root: Option<&Path>, start_in: &Path) -> Self {
        Self { root: root.map(terminated), start_in: terminated(start_in), becomes: None, is_powerless: false }
    }

    /// As another user.
    pub fn becoming(self, caller: &Caller) -> Self {
        let groups = caller.groups.iter().map(|group| Gid::from_raw(*group)).collect();
        Self { becomes: Some((Uid::from_raw(caller.uid), Gid::from_raw(caller.gid), groups)), ..self }
    }

    /// Without capabilities, and without a way to any: being root, or a program that would make it root, gives none.
    pub fn without_powers(self) -> Self {
        Self { is_powerless: true, ..self }
    }

    /// Has a command do so first.
    #[expect(unsafe_code, reason = "std has no stable way to change a child's root, groups and capabilities")]
    pub fn before(self, command: &mut Command) {
        // SAFETY: between fork and exec it makes system calls, and takes no lock and no memory.
        unsafe {
            command.pre_exec(move || Ok(self.enter()?));
        }
    }

    fn enter(&self) -> Result<(), Errno> {
        if let Some(root) = &self.root {
            chroot(root.as_c_str())?;
        }
        if self.is_powerless {
            let nothing = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
            set_capabilities_secure_bits(nothing)?;
            bound_capabilities(CapabilitySet::empty())?;
        }
        if let Some((uid, gid, groups)) = &self.becomes {
            set_thread_groups(groups)?;
            set_thread_res_gid(*gid, *gid, *gid)?;
            set_thread_res_uid(*uid, *uid, *uid)?;
        }
        if self.is_powerless {
            keep_capabilities(CapabilitySet::empty())?;
            set_no_new_privs(true)?;
        }
        chdir(self.start_in.as_c_str())
    }
}

/// A path as system calls take it. There is none with a NUL in it that anyone could be in.
fn terminated(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}
