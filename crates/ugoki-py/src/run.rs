//! Runs a verb: keyword arguments → request → report and results.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Value};
use ugoki::formats::{Problem, Read};
use ugoki_verbs::{AnyVerb as _, Budget, Error, FileHost, Outcome, Request};

use crate::clip::PyClip;
use crate::error::{raised, verb_error};
use crate::host::{Made, PythonHost, given_name};
use crate::watch::Watch;

/// Requests that were made before: a loop asks for the same thing again.
static REQUESTS: LazyLock<Mutex<HashMap<String, Request>>> = LazyLock::new(Mutex::default);

/// Requests that are kept at most.
const MOST_REQUESTS: usize = 256;

/// A keyword argument as JSON. A clip becomes its name in this call.
fn value_of(value: &Bound<'_, PyAny>, given: &mut Vec<(String, Arc<Read>)>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::from(text.to_cow()?.into_owned()));
    }
    if let Ok(clip) = value.cast::<PyClip>() {
        let read = &clip.get().read;
        let name = given_name(given.len(), &read.clip.name);
        given.push((name.clone(), Arc::clone(read)));
        return Ok(Value::from(name));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::from(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Value::from(value.extract::<i64>()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::from(value.extract::<f64>()?));
    }
    let py = value.py();
    if value.hasattr(intern!(py, "__fspath__"))? {
        let path = value.call_method0(intern!(py, "__fspath__"))?;
        return Ok(Value::from(path.extract::<String>()?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| value_of(&item?, given));
        return items.collect::<PyResult<Vec<Value>>>().map(Value::from);
    }
    // Scalars of numpy: whole numbers first.
    if let Ok(whole) = value.call_method0(intern!(py, "__index__")) {
        return Ok(Value::from(whole.extract::<i64>()?));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Value::from(number));
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "expected a clip, a path, text, a number or a list of them, found {kind}"
    )))
}

/// The keyword arguments that are given.
pub(crate) fn fields(
    arguments: &Bound<'_, PyDict>,
    given: &mut Vec<(String, Arc<Read>)>,
) -> PyResult<Map<String, Value>> {
    let mut document = Map::new();
    for (name, value) in arguments {
        let value = value_of(&value, given)?;
        if !value.is_null() {
            document.insert(name.extract()?, value);
        }
    }
    Ok(document)
}

/// What a run gave.
#[pyclass(frozen, module = "ugoki._ugoki")]
pub(crate) struct Ran {
    /// The report as JSON, to the byte what the command line prints with `--json`.
    #[pyo3(get)]
    json: String,
    /// The report as text.
    #[pyo3(get)]
    text: String,
    /// "done", "nothing-found" or "failed".
    #[pyo3(get)]
    outcome: &'static str,
    /// What the user should know.
    #[pyo3(get)]
    notes: Vec<String>,
    /// Results that were kept in memory: name, and clip or bytes.
    #[pyo3(get)]
    made: Vec<(String, Py<PyAny>)>,
}

/// What happened without the interpreter lock.
struct Finished {
    json: String,
    text: String,
    outcome: Outcome,
    notes: Vec<String>,
    made: Vec<(String, Made)>,
}

/// Runs a verb; `fields` are those of its request.
#[pyfunction]
#[pyo3(signature = (fields, *, memory = None, overwrite = false, progress = None))]
pub(crate) fn run(
    py: Python<'_>,
    fields: &Bound<'_, PyDict>,
    memory: Option<u64>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let mut given = Vec::new();
    let document = self::fields(fields, &mut given)?;
    let request = request(&document).map_err(|problem| raised(py, &problem))?;
    let budget =
        Budget { memory_bytes: memory.unwrap_or(Budget::default().memory_bytes), ..Budget::default() };
    let (finished, watch) = py.detach(move || {
        let watch = Watch::new(progress);
        let finished = work(&request, &given, budget, overwrite, &watch);
        (finished, watch)
    });
    let done = finished.is_ok();
    watch.finish(py, done)?;
    let Finished { json, text, outcome, notes, made } = finished.map_err(|error| verb_error(py, &error))?;
    let made = made.into_iter().map(|(name, made)| {
        let made = match made {
            Made::Clip(read) => Py::new(py, PyClip::new(Arc::new(*read)))?.into_any(),
            Made::Bytes(bytes) => PyBytes::new(py, &bytes).unbind().into_any(),
        };
        Ok((name, made))
    });
    let outcome = match outcome {
        Outcome::Done => "done",
        Outcome::NothingFound => "nothing-found",
        Outcome::Failed => "failed",
    };
    Ok(Ran { json, text, outcome, notes, made: made.collect::<PyResult<_>>()? })
}

fn work(
    request: &Request,
    given: &[(String, Arc<Read>)],
    budget: Budget,
    overwrite: bool,
    watch: &Watch,
) -> Result<Finished, Error> {
    let mut notes = Vec::new();
    let stopped = || watch.stopped();
    let mut note = |text: &str| notes.push(text.to_owned());
    let mut files = FileHost::new(&mut note, &stopped);
    (files.budget, files.overwrite) = (budget, overwrite);
    let mut host = PythonHost::new(files, given);
    let report = request.run_any(&mut host, &mut |part| watch.step(part))?;
    let made = std::mem::take(&mut host.made);
    drop(host);
    Ok(Finished { json: report.json()?, text: report.text(), outcome: report.outcome(), notes, made })
}

/// The request of a JSON document, from the store where it was made before.
fn request(document: &Map<String, Value>) -> Result<Request, Problem> {
    let refused = |message: String| Problem { file: None, line: None, message, hint: None };
    let key = serde_json::to_string(document).map_err(|error| refused(error.to_string()))?;
    let mut known = REQUESTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(request) = known.get(&key) {
        return Ok(request.clone());
    }
    let request = Request::from_value(&Value::Object(document.clone()))
        .map_err(|error| Error::from(error).problem())?;
    if known.len() >= MOST_REQUESTS {
        known.clear();
    }
    known.insert(key, request.clone());
    Ok(request)
}
