//! JSON schemas of requests.
//!
//! Types and descriptions come from the verbs' structs; what is required and what the defaults are, from their arguments.

use clap::{Arg, ArgAction, Command, Subcommand as _};
use serde_json::{Map, Value, json};

use crate::Request;
use crate::verb::AnyVerb as _;

/// The verbs with those of groups, such as `plant` and `db add`.
#[must_use]
pub fn verb_names() -> Vec<String> {
    let command = Request::augment_subcommands(Command::new("ugoki"));
    let mut names = Vec::new();
    for verb in command.get_subcommands() {
        let actions: Vec<&str> = verb.get_subcommands().map(Command::get_name).collect();
        match actions.is_empty() {
            true => names.push(verb.get_name().to_owned()),
            false => names.extend(actions.iter().map(|action| format!("{} {action}", verb.get_name()))),
        }
    }
    names
}

/// The JSON schema of a verb's request; `None` when there is no such verb.
#[must_use]
pub fn request_schema(words: &[&str]) -> Option<Value> {
    let mut schema = Request::schema(words)?.to_value();
    let mut command = Request::augment_subcommands(Command::new("ugoki"));
    for word in words {
        command = command.find_subcommand(word)?.clone();
    }
    command.build();
    let object = schema.as_object_mut()?;
    let own = object.remove("properties").and_then(|fields| fields.as_object().cloned()).unwrap_or_default();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (tag, word) in ["verb", "action"].iter().zip(words) {
        properties.insert((*tag).to_owned(), json!({ "const": word }));
        required.push(Value::from(*tag));
    }
    for (name, mut field) in own {
        let argument = command.get_arguments().find(|argument| argument.get_id() == name.as_str());
        if let (Some(argument), Some(field)) = (argument, field.as_object_mut()) {
            if is_required(argument, &command) {
                required.push(Value::from(name.clone()));
            } else if let Some(default) = default_of(argument, field) {
                field.insert("default".to_owned(), default);
            }
            // Groups of options are flat, so their help is on the argument.
            if let Some(help) = argument.get_help() {
                field.insert("description".to_owned(), Value::from(help.to_string()));
            }
        }
        properties.insert(name, field);
    }
    object.insert("properties".to_owned(), Value::Object(properties));
    object.insert("required".to_owned(), Value::Array(required));
    object.insert("additionalProperties".to_owned(), Value::from(false));
    object.insert("title".to_owned(), Value::from(words.join(" ")));
    Some(schema)
}

fn is_required(argument: &Arg, command: &Command) -> bool {
    // The positional form of --output is required unless the option is given.
    let is_output = argument.get_id() == "output"
        && command.get_arguments().any(|other| other.get_id() == crate::output::OUT);
    argument.is_required_set() || is_output
}

fn default_of(argument: &Arg, field: &Map<String, Value>) -> Option<Value> {
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        return Some(Value::from(false));
    }
    let text = argument.get_default_values().first()?.to_string_lossy().into_owned();
    let is_number = matches!(field.get("type").and_then(Value::as_str), Some("number" | "integer"));
    match is_number {
        true => serde_json::from_str(&text).ok(),
        false => Some(Value::from(text)),
    }
}
