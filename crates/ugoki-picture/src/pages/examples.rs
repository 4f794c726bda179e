//! A page of examples and a gallery of motions: plain HTML with its style inside, no scripts, no network.

use std::fmt::Write as _;

use serde::Serialize;

const STYLE: &str = include_str!("examples.css");

/// One capability, shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Example {
    /// What it shows.
    pub title: String,
    /// One or two sentences.
    pub text: String,
    /// The commands that do the same.
    pub commands: Vec<String>,
    /// Files it made; pictures are shown, others linked.
    pub files: Vec<String>,
    /// What the program printed.
    pub output: String,
}

/// One motion of the gallery.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GalleryMotion {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub summary: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its length.
    pub seconds: f64,
    /// The motion file.
    pub file: String,
    /// The animation.
    pub picture: String,
}

/// The page of examples and of the motions of the sample actor.
#[must_use]
pub fn examples_html(examples: &[Example], motions: &[GalleryMotion]) -> String {
    let mut page = String::new();
    let count = motions.len();
    let examples: String = examples.iter().map(example).collect();
    let motions: String = motions.iter().map(card).collect();
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Ugoki demo</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>Ugoki <span lang=\"ja\">動き</span></h1>\n\
         <p>Captured human motion into new motion. Everything on this page was made by the program you just ran, \
         from the sample motions built into it.</p></header>\n\
         <main>\n{examples}<section><h2>The sample actor</h2>\n\
         <p>{count} motions authored in code: walking from published gait angles, gestures of least jerk.</p>\n\
         <div class=\"cards\">\n{motions}</div></section>\n</main>\n</body>\n</html>\n"
    );
    page
}

fn example(example: &Example) -> String {
    let mut text =
        format!("<section><h2>{}</h2>\n<p>{}</p>\n", escape(&example.title), escape(&example.text));
    if !example.commands.is_empty() {
        let commands = example.commands.iter().map(|line| format!("$ {}", escape(line)));
        let _ = writeln!(text, "<pre>{}</pre>", commands.collect::<Vec<_>>().join("\n"));
    }
    if !example.output.is_empty() {
        let _ = writeln!(text, "<pre class=\"said\">{}</pre>", escape(&example.output));
    }
    let (pictures, others): (Vec<&String>, Vec<&String>) = example
        .files
        .iter()
        .partition(|name| [".png", ".gif", ".svg"].iter().any(|ending| name.ends_with(ending)));
    for name in pictures {
        let name = escape(name);
        let _ = writeln!(
            text,
            "<figure><a href=\"{name}\"><img src=\"{name}\" alt=\"{name}\" loading=\"lazy\"></a></figure>"
        );
    }
    if !others.is_empty() {
        let links = others.iter().map(|name| format!("<a href=\"{0}\">{0}</a>", escape(name)));
        let _ = writeln!(text, "<p class=\"files\">{}</p>", links.collect::<Vec<_>>().join(" "));
    }
    text + "</section>\n"
}

fn card(motion: &GalleryMotion) -> String {
    let tags = motion.tags.iter().map(|tag| format!("<li>{}</li>", escape(tag))).collect::<String>();
    format!(
        "<article><img src=\"{picture}\" alt=\"{summary}\" loading=\"lazy\"><h3>{name}</h3><p>{summary}</p>\
         <ul>{tags}</ul><p class=\"files\">{seconds:.1} s <a href=\"{file}\">{file}</a></p></article>\n",
        picture = escape(&motion.picture),
        name = escape(&motion.name),
        summary = escape(&motion.summary),
        seconds = motion.seconds,
        file = escape(&motion.file),
    )
}

/// Text made safe for HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
