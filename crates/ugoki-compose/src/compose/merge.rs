//! Merges layers: each brings its part of every joint's rotation.
//!
//! Torso joints are shared, swing from one layer and twist from another. The pelvis of a capture trembles, and for a
//! frame or two it may jump where a marker was mistaken; the spine above it was captured with it and takes that back
//! before it reaches the shoulders. A part from another clip takes back what another pelvis did, and both would swing
//! the arms. So the owner brings the slow component of a part; the fast component goes with the hips.

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::{exp, log, swing_twist};
use ugoki_base::signal::{Kernel, KernelShape};

use crate::network::{Channel, RotationPart};

/// Deviation of the Gaussian that parts slow from fast, seconds: half of a movement of 6 Hz passes it, and people
/// hardly move faster. Swept in docs/results/compose.md.
const SLOW_S: f64 = 0.03;

/// Puts a layer's part of every joint onto the motion of the base layer and those before; `fast` has the hips' fast
/// part.
pub(super) fn merge(clip: &mut Clip, layer: &Clip, fast: &Clip, channels: &[Channel]) {
    for channel in channels {
        match channel.part {
            RotationPart::Whole => whole(clip, layer, channel.joint),
            RotationPart::Swing | RotationPart::Twist => merge_part(clip, layer, fast, channel),
        }
    }
}

/// Gives a joint the turns of another motion, and its path where it has one.
pub(super) fn whole(clip: &mut Clip, layer: &Clip, joint: usize) {
    let frames = clip.num_frames().min(layer.num_frames());
    for frame in 0..frames {
        clip.set_rotation(joint, frame, layer.rotation(joint, frame));
    }
    let moves = |of: &Clip| of.translations().iter().any(|path| path.joint == joint);
    if joint > 0 && (moves(clip) || moves(layer)) {
        for frame in 0..frames {
            let mut pose = clip.pose(frame);
            pose.translations.retain(|&(other, _)| other != joint);
            pose.translations.push((joint, layer.local_position(joint, frame)));
            pose.translations.sort_by_key(|&(joint, _)| joint);
            clip.set_pose(frame, &pose);
        }
    }
}

fn merge_part(clip: &mut Clip, layer: &Clip, fast: &Clip, channel: &Channel) {
    let frames = clip.num_frames().min(layer.num_frames()).min(fast.num_frames());
    let Channel { joint, axis, .. } = *channel;
    let swings = channel.part == RotationPart::Swing;
    // Torsos bend and twist far less than half a turn: their rotation vectors are smooth.
    let track = |of: &Clip| -> Vec<Vec3> {
        let part = |frame: usize| {
            let (swing, twist) = swing_twist(of.rotation(joint, frame), axis);
            log(if swings { swing } else { twist })
        };
        (0..frames).map(part).collect()
    };
    let (fast, other) = (track(fast), track(layer));
    let (fast_slow, other_slow) = (slow(&fast, clip.fps()), slow(&other, clip.fps()));
    for frame in 0..frames {
        let part = exp(other_slow[frame] + fast[frame] - fast_slow[frame]);
        let (swing, twist) = swing_twist(clip.rotation(joint, frame), axis);
        let q = if swings { part * twist } else { swing * part };
        clip.set_rotation(joint, frame, q.normalize());
    }
}

/// What is slow of a track; beyond its ends it stays.
fn slow(track: &[Vec3], fps: f64) -> Vec<Vec3> {
    let Some(kernel) = slow_kernel(fps) else { return track.to_vec() };
    let (reach, last) = (kernel.reach() as isize, track.len() as isize - 1);
    let mean = |frame: isize| {
        let around = (frame - reach..=frame + reach).map(|at| track[at.clamp(0, last) as usize].as_dvec3());
        around.zip(kernel.taps()).map(|(v, &tap)| tap * v).sum::<glam::DVec3>().as_vec3()
    };
    (0..=last).map(mean).collect()
}

/// Weights of the frames about one whose mean is what is slow; `None` where frames are too far apart to tell.
pub(super) fn slow_kernel(fps: f64) -> Option<Kernel> {
    Kernel::build(&KernelShape::Gauss(SLOW_S * fps)).ok()
}
