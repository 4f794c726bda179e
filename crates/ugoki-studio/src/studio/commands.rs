//! The command lines that do what a document does.

use std::path::Path;

use serde_json::Value;
use ugoki::picture::Picture;
use ugoki_verbs::convert::Convert;
use ugoki_verbs::render::Render;
use ugoki_verbs::{Output, Request, compose, extension, perform, quoted};

use super::protocol::{BEFORE, Document};

/// The command lines that do to a database what a document does: one line per step, and one for the file at the end when no step
/// writes it; files that steps name are made first.
#[must_use]
pub fn commands(document: &Document, database: &Path, output: &str) -> Vec<String> {
    let Some(clip) = &document.clip else { return Vec::new() };
    let database = database.to_string_lossy();
    let of_clip = |name: &str| format!("{database}#{name}");
    let mut lines = Vec::new();
    for (name, text) in &document.files {
        if document.steps.iter().any(|step| names_file(step, name)) {
            lines.push(format!("printf '%s' {} > {}", quoted(text), quoted(name)));
        }
    }
    let place = |name: &str, before: &str| match name.strip_prefix('#') {
        Some(clip) => of_clip(clip),
        None if name == BEFORE => before.to_owned(),
        None => name.to_owned(),
    };
    let is_motion = !is_picture(output);
    let mut input = of_clip(clip);
    for (at, step) in document.steps.iter().enumerate() {
        let last = at + 1 == document.steps.len() && is_motion;
        // Learning makes no motion: what is before it goes on.
        if let Request::Perform(perform::Perform::Learn(learn)) = step {
            let model = learn.output.clone();
            lines.push(line(&placed(step, |name| place(name, &input), &model)));
            continue;
        }
        // Composing makes a folder of motions, of which one goes on.
        if let Request::Compose(compose) = step {
            let folder = format!("step-{}", at + 1);
            let request = Request::Compose(compose::Compose {
                database: database.clone().into_owned(),
                output: folder.clone(),
                no_page: true,
                ..compose.clone()
            });
            lines.push(line(&request));
            input = format!("{folder}/candidate-{:02}.{}", document.pick + 1, compose.ending());
            if last {
                lines.push(convert(&input, output));
            }
            continue;
        }
        let made = if last { output.to_owned() } else { format!("step-{}.bvh", at + 1) };
        lines.push(line(&placed(step, |name| place(name, &input), &made)));
        input = made;
    }
    if !is_motion {
        lines.push(line(&Request::Render(Render {
            input,
            output: Output::from(output),
            ..Render::default()
        })));
    } else if document.steps.is_empty() {
        lines.push(convert(&input, output));
    }
    lines
}

/// Whether a request names a file of the document, as a word or as the value of an option.
pub(super) fn names_file(request: &Request, name: &str) -> bool {
    let is_named =
        |word: &String| word.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('='));
    request.command_line().iter().any(is_named)
}

fn convert(input: &str, output: &str) -> String {
    line(&Request::Convert(Convert {
        inputs: vec![input.to_owned(), output.to_owned()],
        ..Convert::default()
    }))
}

/// Whether a file of this name is a picture and no motion.
pub(super) fn is_picture(name: &str) -> bool {
    extension(name).is_some_and(|ending| Picture::from_ending(&ending).is_some())
}

/// The request with other names of inputs and output.
fn placed(step: &Request, input: impl Fn(&str) -> String, output: &str) -> Request {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(step) else { return step.clone() };
    let rename = |name: &mut Value| {
        if let Some(text) = name.as_str() {
            *name = Value::from(input(text));
        }
    };
    fields.get_mut("input").into_iter().for_each(rename);
    fields.get_mut("inputs").and_then(Value::as_array_mut).into_iter().flatten().for_each(rename);
    fields.insert("output".to_owned(), Value::from(output));
    Request::from_value(&Value::Object(fields)).unwrap_or_else(|_| step.clone())
}

fn line(request: &Request) -> String {
    let words: Vec<String> = request.command_line().iter().map(|word| quoted(word)).collect();
    format!("ugoki {}", words.join(" "))
}
