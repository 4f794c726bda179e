//! Progress and Ctrl-C while the library works without the interpreter lock.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often Python is asked: often enough for a person, seldom enough to cost nothing.
const EVERY: Duration = Duration::from_millis(50);

/// Asks Python now and then whether to go on.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    asked: Cell<Instant>,
    /// Why work is to stop.
    stop: RefCell<Option<PyErr>>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, asked: Cell::new(Instant::now()), stop: RefCell::new(None) }
    }

    /// What long work calls; `part` is not a number where the end is not known.
    pub(crate) fn step(&self, part: f32) -> ControlFlow<()> {
        if self.stop.borrow().is_none() && self.asked.get().elapsed() >= EVERY {
            self.asked.set(Instant::now());
            self.ask(part);
        }
        if self.stop.borrow().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether to stop, where there is no progress to report.
    pub(crate) fn stopped(&self) -> bool {
        if self.stop.borrow().is_none() && self.asked.get().elapsed() >= EVERY {
            self.asked.set(Instant::now());
            Python::attach(|py| self.keep(py.check_signals()));
        }
        self.stop.borrow().is_some()
    }

    /// Calls back once more at the end, then raises what stopped the work, if anything did.
    pub(crate) fn finish(self, py: Python<'_>, done: bool) -> PyResult<()> {
        let stop = self.stop.into_inner();
        if let Some(progress) = self.progress.as_ref().filter(|_| done && stop.is_none()) {
            progress.call1(py, (1.0,))?;
        }
        stop.map_or(Ok(()), Err)
    }

    fn ask(&self, part: f32) {
        Python::attach(|py| {
            self.keep(py.check_signals());
            if let Some(progress) = self.progress.as_ref().filter(|_| self.stop.borrow().is_none()) {
                self.keep(progress.call1(py, (part,)).map(drop));
            }
        });
    }

    fn keep(&self, result: PyResult<()>) {
        if let Err(error) = result {
            *self.stop.borrow_mut() = Some(error);
        }
    }
}
