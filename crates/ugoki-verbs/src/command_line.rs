//! Requests as JSON and as command lines. Both are derived from the argument definitions, so that an option, its
//! default and its checks are stated once.
//!
//! ```text
//! command line ─clap─► Request ─to_value─► {"verb": "plant", "input": …} ─from_value─► clap ─► Request
//! ```
//!
//! A JSON request is an object with one field per argument, named by the struct's field. Groups of options such as
//! [`crate::Reading`] are flat. `null` and absent mean the default.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, FromArgMatches, Subcommand};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value};

use crate::Request;
use crate::output::OUT;
use crate::request_error::RequestError;

/// Fields that choose the verb.
const TAGS: [&str; 2] = ["verb", "action"];

impl Request {
    /// The words after the program's name; they parse back to this request.
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        // Through text, so that an f32 keeps its short form.
        let text = serde_json::to_string(self).unwrap_or_default();
        let fields: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
        words(&fields, true).map(|(words, _)| words).unwrap_or_default()
    }

    /// The request that a JSON object describes.
    ///
    /// # Errors
    /// When a field is unknown, missing or cannot be used; the message names it.
    pub fn from_value(value: &Value) -> Result<Self, RequestError> {
        let Value::Object(fields) = value else {
            return Err(RequestError::new("a request is an object with the field \"verb\"".to_owned()));
        };
        let (words, command) = words(fields, false)?;
        Self::parse(words).map_err(|error| RequestError::new(field_refusal(&error, &command)))
    }

    /// The request of a command line; the words after the program's name.
    ///
    /// # Errors
    /// When the words are not a command.
    pub fn from_words(words: Vec<String>) -> Result<Self, RequestError> {
        Self::parse(words).map_err(|error| RequestError::new(refusal(error)))
    }

    fn parse(words: Vec<String>) -> Result<Self, clap::Error> {
        let command = Self::augment_subcommands(Command::new("ugoki").no_binary_name(true));
        let matches = command.disable_help_flag(true).try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }

    /// Name of the verb, such as `plant` or `db add`.
    #[must_use]
    pub fn name(&self) -> String {
        let fields = serde_json::to_value(self).unwrap_or_default();
        let tags: Vec<&str> = TAGS.iter().filter_map(|tag| fields.get(*tag)?.as_str()).collect();
        tags.join(" ")
    }
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// What the argument parser refuses, in one line. The command of the error has no help flag, else the text ends with it.
#[must_use]
pub fn refusal(mut error: clap::Error) -> String {
    let said = |kind: ContextKind| error.get(kind).map(ToString::to_string);
    let similar = |kind: ContextKind| {
        said(kind).map_or_else(String::new, |name| format!("; a similar one is '{name}'"))
    };
    match (error.kind(), said(ContextKind::InvalidArg), said(ContextKind::InvalidSubcommand)) {
        (ErrorKind::UnknownArgument, Some(name), _) => {
            format!("unexpected argument '{name}'{}", similar(ContextKind::SuggestedArg))
        }
        (ErrorKind::InvalidSubcommand, _, Some(name)) => {
            format!("there is no command '{name}'{}", similar(ContextKind::SuggestedSubcommand))
        }
        _ => {
            error.remove(ContextKind::Usage);
            let text = error.render().to_string();
            let lines = text.strip_prefix("error: ").unwrap_or(&text).lines().map(str::trim);
            lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
        }
    }
}

/// What the argument parser refuses, in the words of a JSON request.
fn field_refusal(error: &clap::Error, command: &Command) -> String {
    let field = |shown: &str| {
        let argument = command.get_arguments().find(|argument| argument.to_string() == shown)?;
        let id = argument.get_id().as_str();
        Some(format!("{:?}", if id == OUT { "output" } else { id }))
    };
    let fields = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(shown)) => field(shown).into_iter().collect(),
        Some(ContextValue::Strings(shown)) => shown.iter().filter_map(|shown| field(shown)).collect(),
        _ => Vec::new(),
    };
    let (invalid, prior) = (fields(ContextKind::InvalidArg), fields(ContextKind::PriorArg));
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).unwrap_or_default();
    match (error.kind(), invalid.as_slice(), prior.as_slice()) {
        (ErrorKind::ValueValidation, [field], _) => {
            let reason = error.source().map_or_else(String::new, |source| format!(": {source}"));
            format!("{field} cannot be {value:?}{reason}")
        }
        (ErrorKind::InvalidValue, [field], _) => format!("{field} cannot be {value:?}"),
        (ErrorKind::ArgumentConflict, [field, ..], [_, ..]) => {
            format!("{field} cannot be combined with {}", prior.join(" and "))
        }
        (ErrorKind::MissingRequiredArgument, [_, ..], _) => {
            format!("{} needs the field {}", command.get_name(), invalid.join(" and "))
        }
        _ => error.kind().to_string(),
    }
}

/// The command line of a JSON request, and the command that it is for. `short` leaves out what is the default.
fn words(fields: &Map<String, Value>, short: bool) -> Result<(Vec<String>, Command), RequestError> {
    let mut command = Request::augment_subcommands(Command::new("ugoki"));
    let mut words = Vec::new();
    let mut tags = Vec::new();
    for tag in TAGS {
        if !command.has_subcommands() {
            break;
        }
        let known = || {
            let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            format!("expected one of {}", names.join(", "))
        };
        let name = fields.get(tag).and_then(Value::as_str);
        let name =
            name.ok_or_else(|| RequestError::new(format!("the field {tag:?} is missing; {}", known())))?;
        let found = command.find_subcommand(name);
        let found =
            found.ok_or_else(|| RequestError::new(format!("there is no {tag} {name:?}; {}", known())))?;
        words.push(name.to_owned());
        tags.push(tag);
        command = found.clone();
    }
    command.build();
    let is_argument = |name: &String| {
        command.get_arguments().any(|argument| {
            // The second name of the output and the help flag are the command line's own.
            argument.get_id() == name.as_str() && !["OUT", "help"].contains(&name.as_str())
        })
    };
    if let Some(name) = fields.keys().find(|name| !tags.contains(&name.as_str()) && !is_argument(name)) {
        return Err(RequestError::new(format!("{} has no field {name:?}", words.join(" "))));
    }
    if !short {
        let verb: Vec<&str> = words.iter().map(String::as_str).collect();
        let schema = crate::request_schema(&verb).unwrap_or_default();
        crate::field_types::check(&words.join(" "), fields, &schema)?;
    }
    let has_positional_output = command.get_arguments().any(|argument| argument.get_id() == OUT);
    let mut files = Vec::new();
    for argument in command.get_arguments() {
        let field = match argument.get_id().as_str() {
            OUT => "output",
            "output" if has_positional_output => continue,
            id => id,
        };
        let Some(value) = fields.get(field).filter(|value| !value.is_null()) else { continue };
        let values = texts(value, argument);
        if short && is_default(&values, argument) {
            continue;
        }
        match (argument.get_long(), argument.get_action()) {
            (None, _) => files.extend(values),
            (Some(long), ArgAction::SetTrue) => {
                words.extend((*value == Value::Bool(true)).then(|| format!("--{long}")));
            }
            // One word, so that a value may begin with a minus.
            (Some(long), _) => words.extend(values.iter().map(|value| format!("--{long}={value}"))),
        }
    }
    if files.iter().any(|name| name.starts_with('-') && name != "-") {
        words.push("--".to_owned());
    }
    words.extend(files);
    Ok((words, command))
}

/// The words of a value: several for a list, unless the argument joins them.
fn texts(value: &Value, argument: &Arg) -> Vec<String> {
    match (value, argument.get_value_delimiter()) {
        (Value::Null, _) => Vec::new(),
        (Value::String(text), _) => vec![text.clone()],
        (Value::Number(number), _) => vec![shortest(number)],
        (Value::Array(values), Some(delimiter)) if !values.is_empty() => {
            let words: Vec<String> = values.iter().flat_map(|value| texts(value, argument)).collect();
            vec![words.join(&delimiter.to_string())]
        }
        (Value::Array(values), _) => values.iter().flat_map(|value| texts(value, argument)).collect(),
        (other, _) => vec![other.to_string()],
    }
}

/// `6` for 6.0.
fn shortest(number: &serde_json::Number) -> String {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (None, None, Some(value)) => value.to_string(),
        _ => number.to_string(),
    }
}

fn is_default(values: &[String], argument: &Arg) -> bool {
    let defaults = argument.get_default_values();
    let same = |value: &String, default: &std::ffi::OsStr| {
        let default = default.to_string_lossy();
        *value == default || value.parse::<f64>().is_ok_and(|value| default.parse() == Ok(value))
    };
    !defaults.is_empty()
        && defaults.len() == values.len()
        && values.iter().zip(defaults).all(|(value, default)| same(value, default))
}
