//! What is measured of a rendered candidate, beside what the clips themselves do.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::compose::{Candidate, Footwork, RenderConfig, Rendered, Source, footwork, look_at_seams};
use ugoki::math::{angle_between, quantile};
use ugoki::network::Origin;
use ugoki::skeleton::Role;

/// One candidate in numbers.
pub(crate) struct Measured {
    /// Largest joint acceleration within two frames of a seam over the clips' 99th percentile.
    pub(crate) seam: f64,
    /// The same within the blend, over the percentile or what the clip does just then.
    pub(crate) blend: f64,
    /// When that is, and which joint.
    pub(crate) worst: String,
    /// The 99th percentile of the clips' own, m/s².
    pub(crate) ordinary: f64,
    /// What feet do beside the stepping layer's clips.
    pub(crate) feet: Footwork,
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

pub(crate) fn measure(
    candidate: &Candidate,
    rendered: &Rendered,
    origins: &[Origin],
    sources: &BTreeMap<usize, Source>,
    own: &dyn Fn(usize) -> Rc<Vec<f64>>,
) -> Measured {
    let items = candidate.layers.iter().flat_map(|layer| &layer.items);
    let used: BTreeSet<usize> = items.map(|item| origins[item.node].clip).collect();
    let all: Vec<f64> = used.iter().flat_map(|&clip| own(clip).to_vec()).collect();
    let ordinary = quantile(&all, 0.99).unwrap_or(f64::NAN);
    let spread = (0.5 * RenderConfig::default().blend_s * rendered.clip.fps()).round() as usize;
    let looks = look_at_seams(rendered, ordinary, spread);
    let rough = looks.iter().zip(&rendered.seams).max_by(|a, b| a.0.worst().total_cmp(&b.0.worst()));
    let worst = rough.map_or(String::new(), |(look, seam)| {
        let (frame, joint) = look.at;
        let name = &rendered.clip.skeleton().joint(joint).name;
        let off = (frame as f64 - seam.frame as f64) / rendered.clip.fps();
        format!("{} {:.2} s {off:+.2}, {name}", seam.layer, seam.at_s)
    });
    let key_s = candidate.layers.iter().flat_map(|layer| {
        layer.items.iter().filter_map(|item| {
            let key = candidate.keys.iter().find(|k| Some(k.key) == item.key && k.layer == layer.layer)?;
            Some((item.start_s - item.enter_s / item.speed - key.at_s).abs())
        })
    });
    Measured {
        seam: looks.iter().map(|look| look.at_seam).fold(0.0, f64::max),
        blend: looks.iter().map(|look| look.blend).fold(0.0, f64::max),
        worst,
        ordinary,
        feet: footwork(rendered, sources, spread).unwrap_or_default(),
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
