//! Clips from files, bytes and the blobs of databases.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::Value;
use ugoki::formats::{Marks, Read};
use ugoki_verbs::{Error, FileHost, Host as _, Reading};

use crate::clip::PyClip;
use crate::error::verb_error;
use crate::run::fields;
use crate::watch::Watch;

/// Reads a motion file, or its bytes; `options` are those that every verb has for reading. Also returns what the user should
/// know.
#[pyfunction]
#[pyo3(signature = (source, format, options))]
pub(crate) fn read(
    source: &Bound<'_, PyAny>,
    format: Option<&str>,
    options: &Bound<'_, PyDict>,
) -> PyResult<(PyClip, Vec<String>)> {
    let py = source.py();
    let given = Value::Object(fields(options, &mut Vec::new())?);
    let reading: Reading =
        serde_json::from_value(given).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let mut notes = Vec::new();
    let watch = Watch::new(None);
    let (found, watch) = if let Ok(bytes) = source.cast::<PyBytes>() {
        let bytes = bytes.as_bytes();
        py.detach(move || {
            let found = ugoki::formats::read(bytes, format, &reading.options()).map(|mut read| {
                reading.apply_to(&mut read);
                read
            });
            (found.map_err(Error::from), watch)
        })
    } else {
        let path =
            source.call_method0("__fspath__").unwrap_or_else(|_| source.clone()).extract::<String>()?;
        let notes = &mut notes;
        py.detach(move || {
            let stopped = || watch.stopped();
            let mut note = |text: &str| notes.push(text.to_owned());
            let mut host = FileHost::new(&mut note, &stopped);
            let found = host.motion(&path, &reading);
            host.end_run();
            drop(host);
            (found, watch)
        })
    };
    watch.finish(py, false)?;
    let read = found.map_err(|error| verb_error(py, &error))?;
    Ok((PyClip::new(Arc::new(read)), notes))
}

/// The clip of a source blob, as databases and archives keep it.
#[pyfunction]
pub(crate) fn unfold(py: Python<'_>, data: &[u8]) -> PyResult<PyClip> {
    let clip = py.detach(|| ugoki_db::unfold(data)).map_err(|error| verb_error(py, &Error::from(error)))?;
    Ok(PyClip::new(Arc::new(Read::from_clip(clip, Marks::default()))))
}
