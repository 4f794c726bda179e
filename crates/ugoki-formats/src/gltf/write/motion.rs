//! Channels of an animation, and what else is known about the motion.

use std::ops::Range;

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use ugoki_base::clip::{Clip, VectorTrack};

use super::super::document::{Animation, Channel, Sampler, Target};
use super::builder::Builder;
use super::face::Face;
use crate::WriteOptions;

impl Builder {
    /// The clip's tracks: the root's path, other paths, rotations of all joints that turn; then the faces'.
    pub(super) fn add_motion(&mut self, clip: &Clip, nodes: &[usize], faces: &[Face], extras: Value) {
        let times: Vec<f32> =
            (0..clip.num_frames()).map(|frame| (frame as f64 / clip.fps()) as f32).collect();
        let all = self.add_floats(&times, "SCALAR", 1, None, true);
        // A joint that stays turned needs one key.
        let once = self.add_floats(&[0.0], "SCALAR", 1, None, true);
        let name = (!clip.name.is_empty()).then(|| clip.name.clone());
        let mut animation = Animation { name, extras, ..Animation::default() };
        let mut add = |builder: &mut Self, node: usize, path: &str, values: &[f32], width: usize| {
            let frames = values.len() / width;
            let input = if frames == clip.num_frames() { all } else { once };
            let kind = if width == 4 { "VEC4" } else { "VEC3" };
            let output = builder.add_floats(values, kind, width, None, false);
            let interpolation = Some("LINEAR".to_owned());
            animation.samplers.push(Sampler { input, output, interpolation });
            let target = Target { node: Some(node), path: path.to_owned() };
            animation.channels.push(Channel { sampler: animation.samplers.len() - 1, target });
        };
        let path = |track: &VectorTrack| track.iter().flat_map(|v| Vec3::to_array(&v)).collect::<Vec<f32>>();
        add(self, nodes[0], "translation", &path(clip.root()), 3);
        for translation in clip.translations() {
            add(self, nodes[translation.joint], "translation", &path(&translation.track), 3);
        }
        for (joint, &node) in nodes.iter().enumerate() {
            let values = rotations(clip, joint);
            if joint == 0 || !values.is_empty() {
                add(self, node, "rotation", &values, 4);
            }
        }
        for face in faces {
            let places: Vec<f32> = face.weights.iter().flat_map(|&weight| [weight, 0.0, 0.0]).collect();
            add(self, face.node, "translation", &places, 3);
        }
        self.document.animations.push(animation);
    }
}

/// A joint's rotations in one hemisphere along the motion: every frame, one where it does not turn, none
/// where that one is the rest.
fn rotations(clip: &Clip, joint: usize) -> Vec<f32> {
    let first = clip.rotation(joint, 0);
    let still = (1..clip.num_frames()).all(|frame| clip.rotation(joint, frame) == first);
    if joint > 0 && still {
        let at_rest = first == Quat::IDENTITY || first == -Quat::IDENTITY;
        return if at_rest { Vec::new() } else { unit(first).to_array().to_vec() };
    }
    let mut before = first;
    let frames = (0..clip.num_frames()).flat_map(|frame| {
        before = ugoki_base::math::align_sign(clip.rotation(joint, frame), before);
        unit(before).to_array()
    });
    frames.collect()
}

/// Files hold unit quaternions; a clip's may be off by rounding.
fn unit(q: Quat) -> Quat {
    let exact = q.as_dquat().normalize().as_quat();
    // Normalising what is unit to rounding would only change its last digit.
    if q.is_normalized() && (q.length() - 1.0).abs() < 1e-6 {
        q
    } else if exact.is_finite() {
        exact
    } else {
        Quat::IDENTITY
    }
}

/// What glTF has no place for: rate, tags, contacts, loop; frames are counted from 0, ends are not included.
pub(super) fn extras(clip: &Clip, options: &WriteOptions) -> Value {
    let mut extras = json!({"fps": clip.fps(), "frames": clip.num_frames(), "tposeFrame": clip.tpose_frame});
    // All tags, for searches; and which of them are automatic, so that reading back can distinguish them.
    let automatic: Vec<&String> =
        options.automatic_tags.iter().filter(|tag| !clip.tags.contains(tag)).collect();
    if !(clip.tags.is_empty() && automatic.is_empty()) {
        extras["tags"] = json!(clip.tags.iter().chain(automatic.iter().copied()).collect::<Vec<_>>());
    }
    if !automatic.is_empty() {
        extras["automaticTags"] = json!(automatic);
    }
    let pair = |range: &Range<usize>| json!([range.start, range.end]);
    if let Some(contacts) = &options.contacts {
        let foot = |index: usize| {
            let feet = &contacts[index];
            json!({
                "heel": feet.heel.iter().map(pair).collect::<Vec<_>>(),
                "toe": feet.toe.iter().map(pair).collect::<Vec<_>>(),
            })
        };
        extras["contacts"] = json!({"left": foot(0), "right": foot(1)});
    }
    if let Some(range) = &options.loop_frames {
        extras["loop"] = pair(range);
    }
    extras
}
