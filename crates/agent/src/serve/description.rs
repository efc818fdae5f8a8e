//! [`Description`]: what a machine has that a run may need.

use super::interfaces::{Interface, interfaces};
use crate::failure::Failure;
use crate::network::Means;
use nix::sys::utsname::uname;
use rustix::process::geteuid;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Programs that runs call, or people who look at a host.
const TOOLS: [&str; 7] = ["ip", "tc", "ss", "ethtool", "iperf3", "ffmpeg", "nc"];
/// Where Debian has programs of the system, which are not in the `PATH` that its `sshd` gives to users.
const SYSTEM_FOLDERS: [&str; 2] = ["/usr/sbin", "/sbin"];
/// Congestion controls that the kernel has now.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
/// Those that everyone may choose, and that of connections which choose none.
const ALLOWED: &str = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";
const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
/// How the module of a congestion control begins; `tcp_diag` is none.
const MODULE: &str = "tcp_";
const NO_CONTROL: &str = "diag";
/// Folders below a module's at most: `kernel/net/ipv4`, where Linux has its own.
const MODULE_DEPTH: usize = 3;
/// Mean number of processes that run or wait for a disk, over a minute, and more.
const LOAD: &str = "/proc/loadavg";

#[derive(Debug, Serialize)]
pub struct Description {
    /// Congestion controls that the kernel has now; for a user who is not root, those that everyone may choose.
    available: BTreeSet<String>,
    /// That of connections which ask for none.
    default: String,
    /// Those that it has a module of.
    loadable: BTreeSet<String>,
    /// Where each tool is; none: it is nowhere.
    tools: BTreeMap<&'static str, Option<String>>,
    interfaces: Vec<Interface>,
    /// What the kernel can do to packets; none: nobody asked, or whoever runs this may not try.
    means: Option<Means>,
    /// Mean number of processes that run or wait for a disk, over a minute.
    load: f64,
}

impl Description {
    /// # Errors
    /// The kernel does not say what network there is.
    pub fn new(with_means: bool) -> Result<Self, Failure> {
        let read = |path: &str| fs::read_to_string(path).map_err(|error| Failure::of(format!("read {path}"), error));
        let is_root = geteuid().is_root();
        let load = read(LOAD)?.split(' ').next().and_then(|number| number.parse().ok());
        Ok(Self {
            available: read(if is_root { AVAILABLE } else { ALLOWED })?.split_whitespace().map(str::to_owned).collect(),
            default: read(DEFAULT)?.trim().to_owned(),
            // Only root has the kernel load one.
            loadable: if is_root { loadable()? } else { BTreeSet::new() },
            tools: tools(),
            interfaces: interfaces().map_err(|error| Failure::of("list interfaces", error))?,
            means: if with_means { Means::find().ok() } else { None },
            load: load.ok_or_else(|| Failure(format!("{LOAD} has no number")))?,
        })
    }
}

/// Congestion controls that the running kernel has a module of, compressed or not.
fn loadable() -> Result<BTreeSet<String>, Failure> {
    let kernel = uname().map_err(|errno| Failure::of("name the kernel", errno))?;
    let mut modules = BTreeSet::new();
    collect_modules(&Path::new("/lib/modules").join(kernel.release()), MODULE_DEPTH, &mut modules);
    Ok(modules)
}

/// Those of a folder, and of the ones below it. One that cannot be read has none.
fn collect_modules(folder: &Path, depth: usize, modules: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let control = name.to_str().and_then(|name| name.strip_prefix(MODULE)?.split_once(".ko"));
        match control {
            Some((control, _)) if control != NO_CONTROL => {
                modules.insert(control.to_owned());
            }
            _ if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) => {
                collect_modules(&entry.path(), depth - 1, modules);
            }
            _ => {}
        }
    }
}

/// Where each tool is, by `PATH` and then in the system's folders.
fn tools() -> BTreeMap<&'static str, Option<String>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    folders.extend(SYSTEM_FOLDERS.map(PathBuf::from));
    let place = |tool: &str| folders.iter().map(|folder| folder.join(tool)).find(|file| is_program(file));
    TOOLS.map(|tool| (tool, place(tool).map(|file| file.to_string_lossy().into_owned()))).into()
}

fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_those_of_congestion_controls() {
        let folder = std::env::temp_dir().join(format!("dumbbell-modules-{}", std::process::id()));
        let deep = folder.join("kernel/net/ipv4");
        fs::create_dir_all(deep.join("too/deep")).expect("there is room");
        for file in ["tcp_bbr.ko", "tcp_vegas.ko.xz", "tcp_diag.ko", "xtcp_no.ko", "tcp_notes.txt", "too/tcp_far.ko"] {
            fs::write(deep.join(file), "").expect("there is room");
        }
        let mut modules = BTreeSet::new();
        collect_modules(&folder, MODULE_DEPTH, &mut modules);
        fs::remove_dir_all(&folder).expect("it is there");
        assert_eq!(modules, ["bbr", "vegas"].map(str::to_owned).into());
    }
}
