//! Types of the fields of a JSON request, checked against the schema of its verb.

use serde_json::{Map, Value};

use crate::request_error::RequestError;

/// Refuses missing and mistyped fields by name. Absent and `null` mean the default.
pub(crate) fn check(verb: &str, fields: &Map<String, Value>, schema: &Value) -> Result<(), RequestError> {
    let is_given = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(name) = required.into_iter().find(|name| !is_given(name)) {
        return Err(RequestError::new(format!("{verb} needs the field {name:?}")));
    }
    for (name, value) in fields.iter().filter(|(name, _)| is_given(name)) {
        let field = &schema["properties"][name.as_str()];
        if !accepts(value, field, schema) {
            let expected = expected(field, schema);
            return Err(RequestError::new(format!("{name:?} is {value}, expected {expected}")));
        }
    }
    Ok(())
}

/// The schema itself, or the definition that it refers to.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    name.map_or(schema, |name| &root["$defs"][name])
}

/// The schemas of which one must fit.
fn choices(schema: &Value) -> Option<&Vec<Value>> {
    ["anyOf", "oneOf"].into_iter().find_map(|key| schema[key].as_array())
}

/// The names of the types that a schema allows; none means any.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

fn accepts(value: &Value, schema: &Value, root: &Value) -> bool {
    let schema = resolved(schema, root);
    if let Some(choices) = choices(schema) {
        return choices.iter().any(|choice| accepts(value, choice, root));
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.contains(value);
    }
    if let Some(only) = schema.get("const") {
        return only == value;
    }
    let types = types(schema);
    types.is_empty()
        || types.iter().any(|name| match (*name, value) {
            ("null", Value::Null) | ("boolean", Value::Bool(_)) => true,
            ("string", Value::String(_)) | ("number", Value::Number(_)) | ("object", Value::Object(_)) => {
                true
            }
            ("integer", Value::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
            ("array", Value::Array(items)) => items.iter().all(|item| accepts(item, &schema["items"], root)),
            _ => false,
        })
}

/// What a field takes, in words.
fn expected(schema: &Value, root: &Value) -> String {
    let schema = resolved(schema, root);
    let words: Vec<String> = match (choices(schema), schema["enum"].as_array(), schema.get("const")) {
        (Some(choices), ..) => choices.iter().map(|choice| expected(choice, root)).collect(),
        (_, Some(values), _) => values.iter().map(ToString::to_string).collect(),
        (_, _, Some(only)) => vec![only.to_string()],
        _ => types(schema).into_iter().filter_map(|name| type_words(name, schema, root)).collect(),
    };
    words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" or ")
}

fn type_words(name: &str, schema: &Value, root: &Value) -> Option<String> {
    Some(match name {
        "null" => return None,
        "boolean" => "true or false".to_owned(),
        "string" => "text".to_owned(),
        "integer" => "a whole number".to_owned(),
        "array" => format!("a list of {}", expected(&schema["items"], root)),
        other => format!("a {other}"),
    })
}
