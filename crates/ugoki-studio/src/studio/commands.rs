//! The command lines that do what a document does.

use std::path::Path;

use ugoki_verbs::convert::{self, Output};
use ugoki_verbs::{Request, compose, perform, render};

use super::protocol::{BEFORE, Document};

/// One line per step, and one for the file at the end when no step writes it; files that steps name are made first.
pub(super) fn commands(document: &Document, database: &Path, output: &str) -> Vec<String> {
    let Some(clip) = &document.clip else { return Vec::new() };
    let database = database.to_string_lossy();
    let of_clip = |name: &str| format!("{database}#{name}");
    let mut lines = Vec::new();
    for (name, text) in &document.files {
        if document.steps.iter().any(|step| names(step).contains(&name)) {
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
        if let Request::Perform(perform::Request::Learn(learn)) = step {
            let model = learn.output.clone();
            lines.push(line(&placed(step, |name| place(name, &input), &model)));
            continue;
        }
        // Composing makes a folder of motions, of which one goes on.
        if let Request::Compose(compose) = step {
            let folder = format!("step-{}", at + 1);
            let request = Request::Compose(compose::Request {
                database: database.clone().into_owned(),
                output: folder.clone(),
                no_page: true,
                ..compose.clone()
            });
            lines.push(line(&request));
            input = format!("{folder}/candidate-{:02}.{}", document.pick + 1, compose.format);
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
        lines.push(line(&Request::Render(render::Request {
            input,
            output: output.to_owned(),
            frames: None,
            size: None,
            view: render_view(),
            forces: None,
            target: None,
            trim: None,
            reading: ugoki_verbs::Reading::default(),
        })));
    } else if document.steps.is_empty() {
        lines.push(convert(&input, output));
    }
    lines
}

fn convert(input: &str, output: &str) -> String {
    line(&Request::Convert(convert::Request {
        inputs: vec![input.to_owned()],
        output: Output::File(output.to_owned()),
        reading: ugoki_verbs::Reading::default(),
        change: convert::Change::default(),
        to: None,
    }))
}

fn render_view() -> ugoki::picture::View {
    ugoki::picture::View::default()
}

/// Whether a file of this name is a picture and no motion.
pub(super) fn is_picture(name: &str) -> bool {
    render::Picture::from_name(name).is_some()
}

/// Files that a step names.
fn names(step: &Request) -> Vec<&String> {
    match step {
        Request::Walk(job) => job.steps.iter().collect(),
        Request::Compose(job) => vec![&job.timeline],
        Request::React(job) => job.throw.iter().chain(&job.body).collect(),
        _ => Vec::new(),
    }
}

/// The request with other names of inputs and output.
fn placed(request: &Request, input: impl Fn(&str) -> String, output: &str) -> Request {
    let mut request = request.clone();
    let one = |name: &mut String, out: &mut String| {
        *name = input(name);
        output.clone_into(out);
    };
    match &mut request {
        Request::Filter(job) => one(&mut job.input, &mut job.output),
        Request::Equalize(job) => one(&mut job.input, &mut job.output),
        Request::Plant(job) => one(&mut job.input, &mut job.output),
        Request::Loop(job) => one(&mut job.input, &mut job.output),
        Request::Walk(job) => one(&mut job.input, &mut job.output),
        Request::React(job) => one(&mut job.input, &mut job.output),
        Request::Perform(perform::Request::Run(job)) => one(&mut job.input, &mut job.output),
        Request::Perform(perform::Request::Learn(job)) => {
            job.inputs.iter_mut().for_each(|name| *name = input(name));
            output.clone_into(&mut job.output);
        }
        Request::Blend(job) => {
            job.inputs.iter_mut().for_each(|name| *name = input(name));
            output.clone_into(&mut job.output);
        }
        Request::Splice(job) => {
            job.inputs.iter_mut().for_each(|name| *name = input(name));
            output.clone_into(&mut job.output);
        }
        _ => {}
    }
    request
}

fn line(request: &Request) -> String {
    let words: Vec<String> = request.command_line().iter().map(|word| quoted(word)).collect();
    format!("ugoki {}", words.join(" "))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    // A # begins a comment only where a word begins.
    if !word.is_empty() && !word.starts_with('#') && word.chars().all(|c| plain(c) || c == '#') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_verbs::{Reading, filter};

    fn clean() -> Document {
        let step = filter::Request {
            input: BEFORE.to_owned(),
            output: String::new(),
            kernel: Some("gauss:2.5".parse().unwrap()),
            config: Default::default(),
            despike: true,
            reading: Reading::default(),
        };
        Document { clip: Some("walk".to_owned()), steps: vec![Request::Filter(step)], ..Document::default() }
    }

    #[test]
    fn steps_follow_each_other_and_the_last_writes_the_file() {
        let mut document = clean();
        let path = Path::new("my moves.ugoki");
        assert_eq!(
            commands(&document, path, "out.glb"),
            ["ugoki filter --kernel=gauss:2.5 --despike 'my moves.ugoki#walk' out.glb"]
        );
        document.steps.push(document.steps[0].clone());
        let lines = commands(&document, path, "out.gif");
        assert_eq!(lines.len(), 3);
        assert!(lines[1].ends_with("step-1.bvh step-2.bvh"), "{lines:?}");
        assert_eq!(lines[2], "ugoki render step-2.bvh out.gif");
    }

    #[test]
    fn a_clip_alone_is_converted() {
        let document = Document { clip: Some("it's".to_owned()), ..Document::default() };
        let lines = commands(&document, Path::new("m.ugoki"), "a.bvh");
        assert_eq!(lines, [r"ugoki convert 'm.ugoki#it'\''s' a.bvh"]);
        assert!(commands(&Document::default(), Path::new("m.ugoki"), "a.bvh").is_empty());
    }
}
