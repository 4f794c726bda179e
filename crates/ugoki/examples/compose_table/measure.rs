//! What is measured of a rendered candidate, beside what the clips themselves do.

use std::collections::BTreeSet;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::compose::{Candidate, Rendered, accelerations};
use ugoki::contact::ContactConfig;
use ugoki::math::{angle_between, quantile};
use ugoki::metric::foot_skate;
use ugoki::network::{Layers, Origin};
use ugoki::skeleton::Role;

/// Frames on either side of a seam that belong to it.
const BESIDE: usize = 2;

/// One candidate in numbers.
pub(crate) struct Measured {
    /// Largest joint acceleration at a seam over the clips' 99th percentile.
    pub(crate) seam: f64,
    /// When and on which layer that is.
    pub(crate) worst: String,
    /// The 99th percentile of the clips' own, m/s².
    pub(crate) ordinary: f64,
    /// Largest anywhere, over the same.
    pub(crate) anywhere: f64,
    /// Foot skate of the motion and of its base layer's clips, m/s.
    pub(crate) skate: [f64; 2],
    /// Largest miss of a key, seconds.
    pub(crate) key_s: f64,
}

/// The joint that accelerates most at a frame, m/s².
pub(crate) fn fastest(clip: &Clip, frame: usize) -> (f64, String) {
    let [a, b, c] = [frame - 1, frame, frame + 1].map(|frame| clip.model_pose(frame).positions);
    let change = |joint: usize| f64::from((c[joint] - 2.0 * b[joint] + a[joint]).length());
    let joint = (0..a.len()).max_by(|&i, &j| change(i).total_cmp(&change(j))).unwrap_or(0);
    (change(joint) * clip.fps().powi(2), clip.skeleton().joint(joint).name.clone())
}

/// What is measured once per clip.
pub(crate) struct Own {
    pub(crate) accelerations: Vec<f64>,
    pub(crate) skate: f64,
}

impl Own {
    pub(crate) fn of(clip: &Clip) -> Self {
        let skate = foot_skate(clip, &ContactConfig::default()).unwrap_or(0.0);
        Self { accelerations: accelerations(clip), skate }
    }
}

pub(crate) fn measure(
    candidate: &Candidate,
    rendered: &Rendered,
    layers: &Layers,
    origins: &[Origin],
    own: &dyn Fn(usize) -> std::rc::Rc<Own>,
) -> Measured {
    let items = candidate.layers.iter().flat_map(|layer| &layer.items);
    let used: BTreeSet<usize> = items.map(|item| origins[item.node].clip).collect();
    let all: Vec<f64> = used.iter().flat_map(|&clip| own(clip).accelerations.clone()).collect();
    let ordinary = quantile(&all, 0.99).unwrap_or(f64::NAN);
    let now = accelerations(&rendered.clip);
    let mut seam = (0.0, String::new());
    for at in &rendered.seams {
        let to = (at.frame + BESIDE + 1).min(now.len() - 1);
        let beside = at.frame.saturating_sub(BESIDE).max(1)..to;
        let Some(frame) = beside.max_by(|&i, &j| now[i].total_cmp(&now[j])) else { continue };
        if now[frame] > seam.0 {
            let (most, joint) = fastest(&rendered.clip, frame);
            seam = (now[frame], format!("{} {:.2} s, {joint} {most:.0} m/s²", at.layer, at.at_s));
        }
    }
    let base = &candidate.layers[layers.base()].items;
    let (mut sum, mut seconds) = (0.0, 0.0);
    for item in base {
        sum += own(origins[item.node].clip).skate * (item.end_s - item.start_s);
        seconds += item.end_s - item.start_s;
    }
    let key_s = candidate.layers.iter().flat_map(|layer| {
        layer.items.iter().filter_map(|item| {
            let key = candidate.keys.iter().find(|k| Some(k.key) == item.key && k.layer == layer.layer)?;
            Some((item.start_s - item.enter_s / item.speed - key.wanted_s).abs())
        })
    });
    Measured {
        seam: seam.0 / ordinary,
        worst: seam.1,
        ordinary,
        anywhere: now.iter().copied().fold(0.0, f64::max) / ordinary,
        skate: [
            foot_skate(&rendered.clip, &ContactConfig::default()).unwrap_or(f64::NAN),
            sum / f64::max(seconds, 1e-9),
        ],
        key_s: key_s.fold(0.0, f64::max),
    }
}

/// Root mean square speed with which the chest's upward axis turns in the world, rad/s.
pub(crate) fn tilt_speed(clip: &Clip) -> f64 {
    let Some(chest) = chest(clip) else { return f64::NAN };
    let ups: Vec<Vec3> =
        clip.motion_frames().map(|f| clip.model_pose(f).rotations[chest] * Vec3::Y).collect();
    let squares = ups.windows(2).map(|pair| {
        let turn = f64::from(pair[0].angle_between(pair[1])) * clip.fps();
        turn * turn
    });
    (squares.sum::<f64>() / ups.len().max(2) as f64).sqrt()
}

/// Mean squared difference between how the chest stands in the world, heading aside, in the motion and as the upper clips were captured:
/// what the torso's naturalness looks like from outside, rad².
pub(crate) fn chest_in_world(made: &Clip, upper: &Clip) -> f64 {
    let Some(chest) = chest(made) else { return f64::NAN };
    let level = |clip: &Clip, frame: usize| {
        let q = clip.model_pose(frame).rotations[chest];
        let up = q * Vec3::Y;
        glam::Quat::from_rotation_arc(Vec3::Y, up.normalize())
    };
    // Tilts as seen from the hips' heading, so that facing does not count.
    let heading = |clip: &Clip, frame: usize| {
        let hips = clip.skeleton().find(Role::Hips).unwrap_or(0);
        let forward = clip.model_pose(frame).rotations[hips] * Vec3::Z;
        glam::Quat::from_rotation_y(forward.x.atan2(forward.z))
    };
    let frames = made.num_frames().min(upper.num_frames());
    let sum: f64 = (0..frames)
        .map(|frame| {
            let seen = |clip: &Clip| {
                let turn = heading(clip, frame);
                turn.conjugate() * level(clip, frame) * turn
            };
            f64::from(angle_between(seen(made), seen(upper))).powi(2)
        })
        .sum();
    sum / frames.max(1) as f64
}

fn chest(clip: &Clip) -> Option<usize> {
    [Role::UpperChest, Role::Chest, Role::Spine].iter().find_map(|&role| clip.skeleton().find(role))
}
