//! TypeScript types of requests, generated from their JSON schemas for the studio's page.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;
use ugoki_verbs::{request_schema, verb_names};

/// TypeScript types of all requests.
fn typescript() -> String {
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

#[test]
fn typescript_types_are_those_of_the_verbs() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/verbs.ts");
    let wanted = typescript();
    if std::env::var_os("UGOKI_WRITE").is_some() {
        fs::write(&place, &wanted).unwrap();
    }
    let found = fs::read_to_string(&place).unwrap_or_default();
    assert!(
        found == wanted,
        "web/src/verbs.ts is out of date; run `UGOKI_WRITE=1 cargo test -p ugoki-verbs --test it typescript`"
    );
}
