//! The page with all performances side by side: one file with style and script inside, no network.

use serde::Serialize;

use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Side, Skeleton};

use crate::svg::escaped;

const STYLE: &str = include_str!("performances.css");
const SCRIPT: &str = include_str!("performances.js");

/// Frames per second of the previews: enough to judge joins, little enough for twenty minutes of motion in a page.
const PREVIEW_FPS: f64 = 15.0;
/// Steps of a preview's positions, metres: half a centimetre covers 160 m in 16 bits.
const STEP_M: f32 = 0.005;

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
    fps: f64,
    step_m: f32,
    seconds: f64,
    /// For each point its parent, −1 for none.
    parents: Vec<i32>,
    /// For each point 0 for the trunk, 1 for the left, 2 for the right.
    sides: Vec<u8>,
    hips: usize,
    head: Option<usize>,
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
    let skeleton = first.clip.skeleton();
    let points = shown(skeleton);
    let place = |joint: usize| points.iter().position(|&shown| shown == joint);
    let parent = |&joint: &usize| {
        let mut at = skeleton.parent(joint);
        while let Some(up) = at {
            if let Some(place) = place(up) {
                return i32::try_from(place).unwrap_or(-1);
            }
            at = skeleton.parent(up);
        }
        -1
    };
    let side = |&joint: &usize| match skeleton.joint(joint).role.and_then(Role::side) {
        Some(Side::Left) => 1,
        Some(Side::Right) => 2,
        None => 0,
    };
    let show = Show {
        fps: PREVIEW_FPS,
        step_m: STEP_M,
        seconds: first.clip.seconds(),
        parents: points.iter().map(parent).collect(),
        sides: points.iter().map(side).collect(),
        hips: skeleton.find(Role::Hips).and_then(place).unwrap_or(0),
        head: skeleton.find(Role::Head).and_then(place),
        performances: (page.performances.iter())
            .map(|one| Performance { frames: frames(one.clip, &points), layers: &one.lanes })
            .collect(),
    };
    // `<` inside a script could end it early.
    let data = serde_json::to_string(&show).unwrap_or_default().replace('<', "\\u003c");
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
         <main>\n{cards}</main>\n<script id=\"show\" type=\"application/json\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
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

/// The joints that make a figure: those with a role but fingers, eyes and jaw, or all where few are known.
fn shown(skeleton: &Skeleton) -> Vec<usize> {
    let fine = |role: Role| {
        let name = role.name();
        ["Thumb", "Index", "Middle", "Ring", "Little", "Eye", "jaw"].iter().any(|part| name.contains(part))
    };
    let known: Vec<usize> = (0..skeleton.num_joints())
        .filter(|&joint| skeleton.joint(joint).role.is_some_and(|role| !fine(role)))
        .collect();
    if known.len() >= 8 { known } else { (0..skeleton.num_joints()).collect() }
}

/// Positions of the preview's frames in base64.
fn frames(clip: &Clip, points: &[usize]) -> String {
    let count = (clip.seconds() * PREVIEW_FPS).ceil().max(1.0) as usize;
    let mut bytes = Vec::with_capacity(count * points.len() * 6);
    let mut pose = Pose { root: glam::Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
    let mut model = ModelPose::default();
    for i in 0..count {
        let frame = ((i as f64 / PREVIEW_FPS * clip.fps()).round() as usize).min(clip.num_frames() - 1);
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut model);
        for &joint in points {
            for v in model.positions[joint].to_array() {
                let steps = (v / STEP_M).round().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16;
                bytes.extend(steps.to_le_bytes());
            }
        }
    }
    base64(&bytes)
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
