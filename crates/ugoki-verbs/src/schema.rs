//! JSON schemas and TypeScript types of requests.
//!
//! Types and descriptions come from the verbs' structs; what is required and what the defaults are, from their arguments.

use std::fmt::Write as _;

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
        && command.get_arguments().any(|other| other.get_id() == crate::command_line::OUT);
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

/// TypeScript types of all requests, for the studio's page.
#[must_use]
pub fn typescript() -> String {
    let mut out = String::from(
        "// Generated from the verbs of crates/ugoki-verbs; do not edit.\n\
         // UGOKI_WRITE=1 cargo test -p ugoki-verbs --test it typescript\n",
    );
    let mut names = Vec::new();
    for verb in verb_names() {
        let words: Vec<&str> = verb.split(' ').collect();
        let Some(schema) = request_schema(&words) else { continue };
        let name: String = words.iter().map(|word| capitalised(word)).collect();
        let about = schema["description"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
        let _ = write!(out, "\n/** {about}. */\nexport interface {name} {{\n");
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (field, of) in schema["properties"].as_object().into_iter().flatten() {
            let text = of["description"].as_str().unwrap_or_default().replace('\n', " ");
            if !text.is_empty() {
                let _ = writeln!(out, "  /** {text} */");
            }
            let optional = if required.iter().any(|name| name == field) { "" } else { "?" };
            let _ = writeln!(out, "  {field}{optional}: {};", type_of(of, &schema));
        }
        out += "}\n";
        names.push(name);
    }
    let _ = write!(
        out,
        "\n/** A request for any verb. */\nexport type AnyRequest =\n  | {};\n",
        names.join("\n  | ")
    );
    out
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The TypeScript type of a schema.
fn type_of(schema: &Value, root: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return type_of(&root["$defs"][name], root);
    }
    let union = |types: Vec<String>| {
        let mut unique: Vec<String> = Vec::new();
        types.into_iter().for_each(|one| {
            if !unique.contains(&one) {
                unique.push(one);
            }
        });
        unique.join(" | ")
    };
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return union(values.iter().map(Value::to_string).collect());
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            return union(choices.iter().map(|choice| type_of(choice, root)).collect());
        }
    }
    if let Some(kinds) = schema["type"].as_array() {
        let one = |kind: &Value| {
            let mut single = schema.clone();
            single["type"] = kind.clone();
            type_of(&single, root)
        };
        return union(kinds.iter().map(one).collect());
    }
    match schema["type"].as_str() {
        Some("string") => "string".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("boolean") => "boolean".to_owned(),
        Some("null") => "null".to_owned(),
        Some("array") => {
            let each = type_of(&schema["items"], root);
            if each.contains(" | ") { format!("({each})[]") } else { format!("{each}[]") }
        }
        _ => "unknown".to_owned(),
    }
}
