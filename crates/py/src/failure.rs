//! One Python exception, `dumbbell.errors.EngineFailure`, for whatever goes wrong in Rust.

use pyo3::{PyErr, PyResult, Python};
use run::Problem;
use std::{
    cell::RefCell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

mod python {
    pyo3::import_exception!(dumbbell.errors, EngineFailure);
}

thread_local! {
    /// What the panic hook heard last on this thread.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `work` without the interpreter's lock; a panic becomes an exception that says where and why.
pub(crate) fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    static HOOK: Once = Once::new();
    // The hook is this library's own: it replaces the words on standard error by those of the exception.
    HOOK.call_once(|| panic::set_hook(Box::new(|info| LAST_PANIC.set(info.to_string()))));
    py.detach(|| panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST_PANIC.take())).map_err(error)
}

/// The exception with these words.
pub(crate) fn error(message: String) -> PyErr {
    python::EngineFailure::new_err(message)
}

/// The exception of a run that was given although it has problems.
pub(crate) fn refused(problems: &[Problem]) -> PyErr {
    error(problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))
}
