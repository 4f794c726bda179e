//! What is measured of a joined motion, from its poses alone.

use std::ops::Range;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{Contacts, find_feet};
use ugoki::math::quantile;
use ugoki::pose::ModelPose;
use ugoki::skeleton::{Role, Skeleton};

/// A hinge bent this much more the wrong way than its source ever does has flipped, degrees.
const FLIP_DEG: f64 = 10.0;

/// What is measured of one source.
pub(crate) struct Source {
    /// 99th percentile over frames of the largest joint acceleration, m/s².
    accel: f64,
    /// Farthest that a labelled point strays from its mean, mm.
    skate_mm: f64,
    /// The farthest back that each hinge goes, degrees; negative is the wrong way.
    hinges: [f64; 4],
    /// Lowest toe, metres over the lowest standing one.
    lowest: f64,
}

/// What is measured of a result.
pub(crate) struct Judged {
    pub(crate) contact_mm: f64,
    pub(crate) source_mm: f64,
    /// Largest acceleration within two frames of the seam over the sources' 99th percentile.
    pub(crate) seam_accel: f64,
    /// The same over the whole window.
    pub(crate) window_accel: f64,
    /// How much farther the wrong way a hinge goes than in its source, degrees.
    pub(crate) hinge_deg: f64,
    pub(crate) under_mm: f64,
}

impl Judged {
    pub(crate) fn flips(&self) -> bool {
        self.hinge_deg > FLIP_DEG
    }

    pub(crate) fn cells(&self) -> String {
        format!(
            "{:.2} | {:.0} | {:.2} | {:.2} | {:.1}",
            self.contact_mm, self.source_mm, self.seam_accel, self.window_accel, self.hinge_deg
        )
    }
}

impl Source {
    pub(crate) fn of(clip: &Clip, contacts: Option<&Contacts>) -> Self {
        let motion = clip.motion_frames();
        let poses: Vec<ModelPose> = motion.clone().map(|f| clip.model_pose(f)).collect();
        let accel = quantile(&accelerations(&poses, clip.fps()), 0.99).unwrap_or(0.0);
        let hinges = hinges(clip.skeleton(), &poses).map(|angles| least(&angles));
        let all: Vec<ModelPose> = clip.model_poses();
        Self {
            accel,
            skate_mm: contacts.map_or(0.0, |contacts| skate_mm(clip, &all, contacts)),
            hinges,
            lowest: lowest(clip, &poses),
        }
    }
}

pub(crate) fn judge(
    clip: &Clip,
    contacts: Option<&Contacts>,
    seams: &[usize],
    windows: &[Range<usize>],
    sources: &[&Source],
) -> Judged {
    let poses = clip.model_poses();
    // Element i belongs to frame i + 1.
    let accel = accelerations(&poses, clip.fps());
    let usual = sources.iter().map(|s| s.accel).fold(0.0, f64::max);
    let largest = |range: Range<usize>| {
        range.filter_map(|f| accel.get(f.checked_sub(1)?)).copied().fold(0.0, f64::max) / usual
    };
    let back = hinges(clip.skeleton(), &poses);
    let hinge_deg = (0..4)
        .map(|k| {
            let own = sources.iter().map(|s| s.hinges[k]).fold(f64::INFINITY, f64::min).min(0.0);
            let here = windows.iter().flat_map(|w| back[k].get(w.clone()).unwrap_or(&[])).copied();
            (own - here.fold(f64::INFINITY, f64::min)).max(0.0)
        })
        .fold(0.0, f64::max);
    let low = sources.iter().map(|s| s.lowest).fold(f64::INFINITY, f64::min);
    Judged {
        contact_mm: contacts.map_or(0.0, |contacts| skate_mm(clip, &poses, contacts)),
        source_mm: sources.iter().map(|s| s.skate_mm).fold(0.0, f64::max),
        seam_accel: seams.iter().map(|&s| largest(s.saturating_sub(2)..s + 2)).fold(0.0, f64::max),
        window_accel: windows.iter().map(|w| largest(w.clone())).fold(0.0, f64::max),
        hinge_deg,
        under_mm: 1e3 * (low - lowest(clip, &poses)).max(0.0),
    }
}

/// Largest acceleration of any joint in every frame but the first and last, m/s².
fn accelerations(poses: &[ModelPose], fps: f64) -> Vec<f64> {
    poses
        .windows(3)
        .map(|p| {
            let joints = 0..p[0].positions.len();
            let second =
                |j: usize| (p[2].positions[j] - 2.0 * p[1].positions[j] + p[0].positions[j]).length();
            f64::from(joints.map(second).fold(0.0, f32::max)) * fps * fps
        })
        .collect()
}

/// Farthest of a labelled heel or toe from the mean of its label, mm.
fn skate_mm(clip: &Clip, poses: &[ModelPose], contacts: &Contacts) -> f64 {
    let Ok(feet) = find_feet(clip.skeleton()) else { return 0.0 };
    let mut worst = 0.0_f32;
    for (foot, labels) in feet.feet.iter().zip(&contacts.feet) {
        let mut check = |list: &[Range<usize>], point: &dyn Fn(&ModelPose) -> Vec3| {
            for range in list {
                let places: Vec<Vec3> = poses[range.clone()].iter().map(point).collect();
                let mean = places.iter().sum::<Vec3>() / places.len() as f32;
                worst = places.iter().map(|p| p.distance(mean)).fold(worst, f32::max);
            }
        };
        check(&labels.heel, &|pose| pose.positions[foot.ankle]);
        check(&labels.toe, &|pose| foot.toe.position(pose));
    }
    f64::from(1e3 * worst)
}

/// Signed bends of knees and elbows, degrees, frame by frame: positive the way the hinge bends on the whole.
fn hinges(skeleton: &Skeleton, poses: &[ModelPose]) -> [Vec<f64>; 4] {
    [
        [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot],
        [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot],
        [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
    ]
    .map(|roles| {
        let joints: Vec<usize> = roles.iter().filter_map(|&role| skeleton.find(role)).collect();
        let [upper, middle, end] = joints[..] else { return Vec::new() };
        let axes: Vec<Vec3> = poses
            .iter()
            .map(|p| {
                let (a, b) =
                    (p.positions[middle] - p.positions[upper], p.positions[end] - p.positions[middle]);
                p.rotations[upper].inverse() * a.normalize().cross(b.normalize())
            })
            .collect();
        let mean = axes.iter().sum::<Vec3>().normalize_or_zero();
        poses
            .iter()
            .zip(&axes)
            .map(|(p, axis)| {
                let (a, b) =
                    (p.positions[middle] - p.positions[upper], p.positions[end] - p.positions[middle]);
                let angle = f64::from(a.angle_between(b)).to_degrees();
                if axis.dot(mean) < 0.0 { -angle } else { angle }
            })
            .collect()
    })
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Lowest toe point, metres.
fn lowest(clip: &Clip, poses: &[ModelPose]) -> f64 {
    let Ok(feet) = find_feet(clip.skeleton()) else { return 0.0 };
    let toes = poses.iter().flat_map(|pose| feet.feet.map(|foot| f64::from(foot.toe.position(pose).y)));
    toes.fold(f64::INFINITY, f64::min)
}
