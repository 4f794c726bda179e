//! Errors as `ugoki.Error`, with hint, file and line.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use ugoki_verbs::{Error, Problem};

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A Python exception with what went wrong, where, and what to do.
pub(crate) fn raised(py: Python<'_>, problem: &Problem) -> PyErr {
    let arguments = (&problem.message, &problem.hint, &problem.file, problem.line);
    let made = CLASS.import(py, "ugoki._errors", "Error").and_then(|class| class.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The same for an error of a verb.
pub(crate) fn verb_error(py: Python<'_>, error: &Error) -> PyErr {
    raised(py, &error.problem())
}

/// The same for something that no file is to blame for.
pub(crate) fn refused(py: Python<'_>, message: impl Into<String>, hint: Option<&str>) -> PyErr {
    let hint = hint.map(ToOwned::to_owned);
    raised(py, &Problem { file: None, line: None, message: message.into(), hint })
}
