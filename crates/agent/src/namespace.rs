//! [`Namespace`]: a network namespace without a name, which lives as long as a descriptor or a device of it does.

use crate::error::{Error, Subject};
use nix::sched::{CloneFlags, setns, unshare};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A network namespace. It vanishes with its last descriptor and its last socket.
#[derive(Debug)]
pub struct Namespace {
    descriptor: OwnedFd,
    /// It is the one that this process has been in from the beginning: to work there takes no right.
    is_home: bool,
}

/// The way back: the calling thread returns to this namespace, also when the work in the other one panics.
struct Home(Option<OwnedFd>);

impl Namespace {
    /// A new, empty namespace. The calling thread stays where it is.
    pub fn create() -> Result<Self, Error> {
        let home = Home(Some(current()?));
        unshare(CloneFlags::CLONE_NEWNET).about("network namespace")?;
        let descriptor = current()?;
        home.enter()?;
        Ok(Self { descriptor, is_home: false })
    }

    /// The calling thread's, which no thread of this process leaves but for others' sake.
    pub fn current() -> Result<Self, Error> {
        current().map(|descriptor| Self { descriptor, is_home: true })
    }

    /// One that `ip netns add` has given a name.
    pub fn named(name: &str) -> Result<Self, Error> {
        let path = format!("/run/netns/{name}");
        File::open(&path).map(|file| Self { descriptor: file.into(), is_home: false }).about(&path)
    }

    /// Does `work` in this namespace; sockets made there belong to it for good.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> Result<T, Error> {
        if self.is_home {
            return Ok(work());
        }
        let home = Home(Some(current()?));
        setns(&self.descriptor, CloneFlags::CLONE_NEWNET).about("network namespace")?;
        let result = work();
        home.enter()?;
        Ok(result)
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl Home {
    fn enter(mut self) -> Result<(), Error> {
        let descriptor = self.0.take().expect("taken only here");
        setns(descriptor, CloneFlags::CLONE_NEWNET).about("way back to the first network namespace")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(descriptor) = self.0.take() {
            // Only while unwinding or after another error: nothing better can be done about a second one.
            let _ = setns(descriptor, CloneFlags::CLONE_NEWNET);
        }
    }
}

/// The calling thread's namespace: `/proc/self` would be the first thread's.
fn current() -> Result<OwnedFd, Error> {
    const PATH: &str = "/proc/thread-self/ns/net";
    File::open(PATH).map(OwnedFd::from).about(PATH)
}
