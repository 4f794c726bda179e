//! A moving stick figure on a page: its points, and their positions as text.

use glam::Vec3;
use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Side, Skeleton};

/// Draws figures on canvases.
pub(super) const FIGURE_SCRIPT: &str = include_str!("figure.js");

/// Steps of positions, metres: half a centimetre covers 160 m in 16 bits.
const STEP_M: f32 = 0.005;

/// What the script needs to draw clips on one skeleton.
#[derive(Serialize)]
pub(super) struct Figure {
    fps: f64,
    step_m: f32,
    seconds: f64,
    /// For each point its parent, −1 for none.
    parents: Vec<i32>,
    /// For each point 0 for the trunk, 1 for the left, 2 for the right.
    sides: Vec<u8>,
    hips: usize,
    head: Option<usize>,
    /// The joints that are shown.
    #[serde(skip)]
    points: Vec<usize>,
}

impl Figure {
    /// The figure of a clip's skeleton, shown at this rate.
    pub(super) fn new(clip: &Clip, fps: f64) -> Self {
        let skeleton = clip.skeleton();
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
        Self {
            fps,
            step_m: STEP_M,
            seconds: clip.seconds(),
            parents: points.iter().map(parent).collect(),
            sides: points.iter().map(side).collect(),
            hips: skeleton.find(Role::Hips).and_then(place).unwrap_or(0),
            head: skeleton.find(Role::Head).and_then(place),
            points,
        }
    }

    /// Positions of the shown frames of a clip: three 16-bit numbers for each point, little endian, in base64.
    pub(super) fn frames(&self, clip: &Clip) -> String {
        let count = (clip.seconds() * self.fps).ceil().max(1.0) as usize;
        let mut bytes = Vec::with_capacity(count * self.points.len() * 6);
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        for i in 0..count {
            let frame = ((i as f64 / self.fps * clip.fps()).round() as usize).min(clip.num_frames() - 1);
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(clip.skeleton(), &pose, &mut model);
            for &joint in &self.points {
                for v in model.positions[joint].to_array() {
                    let steps = (v / STEP_M).round().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16;
                    bytes.extend(steps.to_le_bytes());
                }
            }
        }
        base64(&bytes)
    }
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

/// The text of data inside a script: `<` could end it early.
pub(super) fn script_data(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_default().replace('<', "\\u003c")
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
