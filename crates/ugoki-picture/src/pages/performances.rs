//! The page with all performances side by side: one file with style and script inside, no network.

use serde::Serialize;

use ugoki_base::clip::Clip;

use super::figure::{FIGURE_SCRIPT, Figure, script_data};
use crate::svg::escaped;

const STYLE: &str = include_str!("performances.css");
const SCRIPT: &str = include_str!("performances.js");

/// Frames per second of the previews: enough to judge joins, little enough for twenty minutes of motion in a page.
const PREVIEW_FPS: f64 = 15.0;

/// Performances to choose from.
#[derive(Debug, Clone, PartialEq)]
pub struct PerformancePage<'a> {
    /// What they fill.
    pub title: &'a str,
    /// Where their clips come from.
    pub source: &'a str,
    /// How much they differ, as a ratio of their clips.
    pub diversity: f64,
    /// What the viewer should know.
    pub notes: &'a [String],
    /// All on one skeleton, best first.
    pub performances: Vec<ShownPerformance<'a>>,
}

/// One performance.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownPerformance<'a> {
    /// The motion.
    pub clip: &'a Clip,
    /// The file that the page links to.
    pub file: &'a str,
    /// Its numbers, in one line.
    pub marks: String,
    /// Its clips, layer by layer.
    pub lanes: Vec<ClipLane<'a>>,
}

/// The clips of one layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipLane<'a> {
    /// The layer.
    pub name: &'a str,
    /// In order.
    pub clips: Vec<LaneClip<'a>>,
}

/// One clip of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LaneClip<'a> {
    /// Its name.
    pub name: &'a str,
    /// When it starts, seconds.
    pub start_s: f64,
    /// When the next starts.
    pub end_s: f64,
    /// How fast it plays: 1.02 is 2 % faster than captured.
    pub speed: f64,
    /// How long it waits for the beat, seconds.
    pub held_s: f64,
    /// Cost of the transition into it.
    pub cost: f32,
    /// Whether it is a key motion.
    pub key: bool,
}

/// What the script draws.
#[derive(Serialize)]
struct Show<'a> {
    #[serde(flatten)]
    figure: Figure,
    performances: Vec<Performance<'a>>,
}

#[derive(Serialize)]
struct Performance<'a> {
    /// Positions, frame by frame and point by point, three 16-bit numbers each, little endian, in base64.
    frames: String,
    layers: &'a [ClipLane<'a>],
}

impl PerformancePage<'_> {
    /// The page; empty without performances.
    #[must_use]
    pub fn html(&self) -> String {
        html(self)
    }
}

fn html(page: &PerformancePage<'_>) -> String {
    let Some(first) = page.performances.first() else { return String::new() };
    let figure = Figure::new(first.clip, PREVIEW_FPS);
    let one = |one: &ShownPerformance<'_>| figure.frames(one.clip);
    let frames: Vec<String> = page.performances.iter().map(one).collect();
    let performances = frames.into_iter().zip(&page.performances);
    let performances = performances.map(|(frames, one)| Performance { frames, layers: &one.lanes }).collect();
    let show = Show { figure, performances };
    let data = script_data(&show);
    let cards: String = page.performances.iter().enumerate().map(|(number, one)| card(number, one)).collect();
    let notes: String = page.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{timeline}: {count} performances</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{timeline}</h1><p>{count} performances from {database}, best first; they differ in {diversity:.0} % of their clips. \
         Key motions are outlined.</p><ul>{notes}</ul>\n\
         <div class=\"controls\"><button id=\"play\" type=\"button\">Pause</button>\
         <input id=\"time\" type=\"range\" min=\"0\" max=\"1000\" value=\"0\" aria-label=\"Time\"><output id=\"clock\">0.0 s</output>\
         <label>View <select id=\"view\"><option value=\"0.6\">three-quarter</option><option value=\"0\">front</option>\
         <option value=\"1.571\">side</option></select></label></div></header>\n\
         <main>\n{cards}</main>\n<script id=\"show\" type=\"application/json\">{data}</script>\n<script>\n{FIGURE_SCRIPT}{SCRIPT}</script>\n</body>\n</html>\n",
        timeline = escaped(page.title),
        database = escaped(page.source),
        count = page.performances.len(),
        diversity = 100.0 * page.diversity,
    )
}

fn card(number: usize, performance: &ShownPerformance<'_>) -> String {
    let layers: Vec<&str> = performance.lanes.iter().map(|lane| lane.name).collect();
    let file = escaped(performance.file);
    format!(
        "<article><h2>{}</h2><canvas data-performance=\"{number}\" width=\"480\" height=\"420\"></canvas>\
         <canvas class=\"lanes\" data-lanes=\"{number}\" width=\"480\" height=\"{}\" title=\"{}\"></canvas>\
         <p class=\"marks\">{}</p><p><a href=\"{file}\" download>{file}</a></p></article>\n",
        number + 1,
        34 * layers.len().max(1),
        escaped(&layers.join(", ")),
        escaped(&performance.marks),
    )
}
