//! The native part of the Python package `ugoki`.
//!
//! ```text
//! keyword arguments ─run→ Request ─run_any(PythonHost)→ report, clips ─→ dict, Clip
//! Clip ─→ numpy arrays        Player, Follower, Simulation: one pose per call
//! ```
//!
//! There is no logic here: verbs come from `ugoki-verbs`, everything else from `ugoki`. The functions that users call are
//! generated from the verbs (`python/ugoki/_verbs.py`).

#![allow(clippy::needless_pass_by_value, reason = "arguments of Python functions are owned")]

mod arrays;
mod clip;
mod error;
mod host;
mod read;
mod run;
mod stream;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _ugoki {
    #[pymodule_export]
    use super::clip::PyClip;
    #[pymodule_export]
    use super::read::{read, unfold};
    #[pymodule_export]
    use super::run::{Ran, run};
    #[pymodule_export]
    use super::stream::{PyFollower, PyPlayer, PyPose, PySimulation};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Threads that work may use at once, in the whole process.
    #[pyfunction]
    fn limit_threads(threads: usize) {
        ugoki::threads::limit(threads);
    }
}
