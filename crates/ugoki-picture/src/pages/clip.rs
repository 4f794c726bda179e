//! One moving figure for a notebook: a page within a page, with style and script inside.

use serde::Serialize;
use ugoki_base::clip::Clip;

use super::figure::{FIGURE_SCRIPT, Figure, script_data};
use crate::svg::escaped;

const SCRIPT: &str = include_str!("clip.js");

/// Frames per second at most.
const FPS: f64 = 30.0;
/// Frames at most; longer clips are shown at a lower rate. With 22 joints these take half a megabyte.
const MOST_FRAMES: f64 = 3000.0;

#[derive(Serialize)]
struct Show {
    #[serde(flatten)]
    figure: Figure,
    performances: [Motion; 1],
}

#[derive(Serialize)]
struct Motion {
    frames: String,
}

/// A moving figure as an element of a page, which loads nothing from elsewhere; dragging turns it. Only its title where the clip has
/// no frames.
#[must_use]
pub fn clip_frame_html(clip: &Clip) -> String {
    let (name, frames, seconds) = (escaped(&clip.name), clip.num_frames(), clip.seconds());
    let title = format!("{name}: {frames} frames, {seconds:.2} s, {} joints", clip.num_joints());
    if frames == 0 {
        return format!("<p>{title}</p>");
    }
    let figure = Figure::new(clip, clip.fps().min(FPS).min(MOST_FRAMES / seconds));
    let motion = Motion { frames: figure.frames(clip) };
    let data = script_data(&Show { figure, performances: [motion] });
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><style>body{{margin:0;font:13px system-ui,sans-serif}}\
         canvas{{display:block;touch-action:none;cursor:grab}}</style>\
         <canvas width=\"480\" height=\"360\"></canvas><button type=\"button\">Pause</button>\
         <input type=\"range\" min=\"0\" max=\"1000\" value=\"0\" aria-label=\"Time\"> {title}\
         <script id=\"show\" type=\"application/json\">{data}</script><script>{FIGURE_SCRIPT}{SCRIPT}</script>"
    );
    format!(
        "<iframe title=\"{title}\" width=\"490\" height=\"400\" style=\"border:0\" sandbox=\"allow-scripts\" \
         srcdoc=\"{}\"></iframe>",
        page.replace('&', "&amp;").replace('"', "&quot;")
    )
}
