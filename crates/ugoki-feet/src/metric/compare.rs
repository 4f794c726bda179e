//! Two clips side by side.

use std::fmt;

use glam::{DQuat, DVec3, Quat};
use serde::{Deserialize, Serialize};
use ugoki_base::clip::{Clip, ClipError};
use ugoki_base::math::{align_sign, angle_between};
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_base::{Cancelled, Progress, report};

use super::{foot_skate, mean_jerk, npss};
use crate::contact::ContactConfig;

/// Why two clips cannot be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// They have neither a role nor a name in common.
    #[error("the skeletons have no joint in common, neither by role nor by name")]
    NoCommonJoints,
    /// At least one has no motion.
    #[error("the clips have no frames of motion in common")]
    NoCommonTime,
    /// The statistics are of other joints.
    #[error("statistics of {found} coordinates, expected {expected}: x, y, z of each compared joint")]
    StatsLength {
        /// Coordinates given.
        found: usize,
        /// Coordinates compared.
        expected: usize,
    },
    /// A standard deviation that nothing can be divided by.
    #[error("coordinate {coordinate} has the standard deviation {std}, expected more than 0")]
    StatsDeviation {
        /// Its index.
        coordinate: usize,
        /// The value given.
        std: f64,
    },
    /// The second clip cannot be brought to the first one's rate.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Mean and standard deviation of the global joint positions of a data set: x, y, z of each compared joint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Means, metres.
    pub mean: Vec<f64>,
    /// Standard deviations, metres, all above 0.
    pub std: Vec<f64>,
}

/// Joint angle error, degrees.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct AngleError {
    /// Over all joints and frames.
    pub mean: f64,
    /// Worst joint and frame.
    pub max: f64,
}

/// What two clips have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Length of the common time, seconds.
    pub seconds: f64,
    /// The common joints: by role, or by name where there are no roles.
    pub joints: Vec<String>,
}

/// What two clips have in common and how far apart they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What was compared.
    pub compared: Compared,
    /// Rotation of each joint relative to the next compared joint above it.
    pub angle_deg: AngleError,
    /// Mean over frames of the 2-norm of all global positions' difference, metres; with statistics in deviations.
    pub l2p: f64,
    /// Mean over frames of the 2-norm of all global quaternions' difference, signs aligned.
    pub l2q: f64,
    /// On the global quaternions; A is the reference.
    pub npss: f64,
    /// Mean jerk of A and of B at A's rate, m/s³.
    pub jerk: [f64; 2],
    /// Mean speed of standing feet in A and B, m/s; `None` without known legs.
    pub foot_skate_m_s: [Option<f64>; 2],
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skate = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |v| format!("{v:.4}"));
        writeln!(f, "compared    {} joints over {:.3} s", self.compared.joints.len(), self.compared.seconds)?;
        writeln!(f, "angle       mean {:.4}°, worst {:.4}°", self.angle_deg.mean, self.angle_deg.max)?;
        writeln!(f, "L2P         {:.6}", self.l2p)?;
        writeln!(f, "L2Q         {:.6}", self.l2q)?;
        writeln!(f, "NPSS        {:.6}", self.npss)?;
        writeln!(f, "jerk        {:.1} and {:.1} m/s³", self.jerk[0], self.jerk[1])?;
        let [a, b] = self.foot_skate_m_s.map(skate);
        write!(f, "foot skate  {a} and {b} m/s")
    }
}

/// Compares `b` with `a`: B is resampled to A's rate, both without an added T-pose; time common to both, joints
/// common to both. With `stats` positions are normalised as in LAFAN1's benchmark.
///
/// # Errors
/// When nothing is common, the statistics do not fit, or the caller asks to stop.
pub fn compare(
    a: &Clip,
    b: &Clip,
    stats: Option<&Stats>,
    progress: Progress<'_>,
) -> Result<Comparison, CompareError> {
    let pairs = common_joints(a.skeleton(), b.skeleton());
    if pairs.is_empty() {
        return Err(CompareError::NoCommonJoints);
    }
    check(stats, 3 * pairs.len())?;
    let motion = |clip: &Clip| -> Result<Clip, CompareError> {
        if clip.motion_frames().is_empty() {
            return Err(CompareError::NoCommonTime);
        }
        Ok(clip.trimmed(clip.motion_frames())?)
    };
    let (a, b) = (motion(a)?, motion(b)?.resampled(a.fps())?);
    let num_frames = a.num_frames().min(b.num_frames());
    let (a, b) = (a.trimmed(0..num_frames)?, b.trimmed(0..num_frames)?);
    report(progress, 0.1)?;
    let (poses_a, poses_b) = (a.model_poses(), b.model_poses());
    report(progress, 0.3)?;
    let parents = compared_parents(a.skeleton(), &pairs);
    let mut angle_deg = AngleError::default();
    let (mut l2p, mut l2q) = (0.0, 0.0);
    for (pose_a, pose_b) in poses_a.iter().zip(&poses_b) {
        let (mut positions, mut quaternions) = (0.0, 0.0);
        for (i, &(ja, jb)) in pairs.iter().enumerate() {
            let offset = (pose_a.positions[ja] - pose_b.positions[jb]).as_dvec3();
            positions += scaled(offset, stats, i).length_squared();
            let (qa, qb) = (pose_a.rotations[ja], pose_b.rotations[jb]);
            let apart = qa.as_dquat() - align_sign(qb, qa).as_dquat();
            quaternions += apart.length_squared();
            let relative = |pose: &ModelPose, joint: usize, parent: Option<usize>| match parent {
                Some(parent) => pose.rotations[parent].conjugate() * pose.rotations[joint],
                None => pose.rotations[joint],
            };
            let ra = relative(pose_a, ja, parents[i].map(|p| pairs[p].0));
            let rb = relative(pose_b, jb, parents[i].map(|p| pairs[p].1));
            let angle = f64::from(angle_between(ra, rb)).to_degrees();
            angle_deg.mean += angle;
            angle_deg.max = angle_deg.max.max(angle);
        }
        l2p += positions.sqrt();
        l2q += quaternions.sqrt();
    }
    angle_deg.mean /= (num_frames * pairs.len()) as f64;
    report(progress, 0.5)?;
    let curves_a = quaternion_curves(&poses_a, pairs.iter().map(|p| p.0), None);
    let curves_b = quaternion_curves(&poses_b, pairs.iter().map(|p| p.1), Some(&curves_a));
    let npss = npss(&curves_a, &curves_b).unwrap_or(0.0);
    report(progress, 0.8)?;
    let skate = |clip: &Clip| foot_skate(clip, &ContactConfig::default()).ok();
    Ok(Comparison {
        compared: Compared {
            seconds: num_frames as f64 / a.fps(),
            joints: pairs.iter().map(|&(ja, _)| joint_name(a.skeleton(), ja)).collect(),
        },
        angle_deg,
        l2p: l2p / num_frames as f64,
        l2q: l2q / num_frames as f64,
        npss,
        jerk: [mean_jerk(&a), mean_jerk(&b)],
        foot_skate_m_s: [skate(&a), skate(&b)],
    })
}

fn check(stats: Option<&Stats>, expected: usize) -> Result<(), CompareError> {
    let Some(stats) = stats else { return Ok(()) };
    for found in [stats.mean.len(), stats.std.len()] {
        if found != expected {
            return Err(CompareError::StatsLength { found, expected });
        }
    }
    match stats.std.iter().position(|&std| !(std > 0.0 && std.is_finite())) {
        Some(coordinate) => Err(CompareError::StatsDeviation { coordinate, std: stats.std[coordinate] }),
        None => Ok(()),
    }
}

/// (a − mean)/std − (b − mean)/std: the mean falls out of a difference.
fn scaled(offset: DVec3, stats: Option<&Stats>, joint: usize) -> DVec3 {
    match stats {
        Some(stats) => offset / DVec3::from_slice(&stats.std[3 * joint..3 * joint + 3]),
        None => offset,
    }
}

/// Common roles in the order of [`Role::ALL`]; without any, joints of equal names in A's order.
fn common_joints(a: &Skeleton, b: &Skeleton) -> Vec<(usize, usize)> {
    let roles: Vec<_> = Role::ALL.iter().filter_map(|&role| Some((a.find(role)?, b.find(role)?))).collect();
    if !roles.is_empty() {
        return roles;
    }
    let first = |s: &Skeleton, name: &str, joint: usize| s.find_name(name) == Some(joint);
    (0..a.num_joints())
        .filter_map(|joint| {
            let name = &a.joint(joint).name;
            Some((joint, b.find_name(name)?)).filter(|_| first(a, name, joint))
        })
        .collect()
}

fn joint_name(skeleton: &Skeleton, joint: usize) -> String {
    let joint = skeleton.joint(joint);
    joint.role.map_or_else(|| joint.name.clone(), |role| role.name().to_string())
}

/// For each pair the nearest pair above it in A.
fn compared_parents(a: &Skeleton, pairs: &[(usize, usize)]) -> Vec<Option<usize>> {
    pairs
        .iter()
        .map(|&(joint, _)| {
            let mut above = a.parent(joint);
            while let Some(ancestor) = above {
                if let Some(pair) = pairs.iter().position(|&(j, _)| j == ancestor) {
                    return Some(pair);
                }
                above = a.parent(ancestor);
            }
            None
        })
        .collect()
}

/// x, y, z, w of each joint over time, continuous in sign; beginning in the hemisphere of `like`, else of w ≥ 0.
fn quaternion_curves(
    poses: &[ModelPose],
    joints: impl Iterator<Item = usize>,
    like: Option<&[Vec<f64>]>,
) -> Vec<Vec<f64>> {
    let mut curves = Vec::new();
    for (i, joint) in joints.enumerate() {
        let mut before = like.map_or(Quat::IDENTITY, |like| {
            let first: [f64; 4] = std::array::from_fn(|k| like[4 * i + k][0]);
            DQuat::from_array(first).as_quat()
        });
        let mut four: [Vec<f64>; 4] = Default::default();
        for pose in poses {
            before = align_sign(pose.rotations[joint], before);
            for (curve, value) in four.iter_mut().zip(before.to_array()) {
                curve.push(f64::from(value));
            }
        }
        curves.extend(four);
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use std::ops::ControlFlow;
    use ugoki_base::no_progress;
    use ugoki_base::skeleton::Joint;
    use ugoki_testing::walker::{Walk, mirrored, moved};

    fn against(a: &Clip, b: &Clip) -> Comparison {
        compare(a, b, None, &mut no_progress()).unwrap()
    }

    #[test]
    fn a_clip_against_itself_is_exactly_zero() {
        let clip = Walk::default().clip(60.0);
        for same in [clip.clone(), mirrored(&mirrored(&clip))] {
            let c = against(&clip, &same);
            assert_eq!((c.angle_deg, c.l2p, c.l2q, c.npss), (AngleError::default(), 0.0, 0.0, 0.0));
            assert_eq!(c.jerk[0], c.jerk[1]);
            assert_eq!(c.foot_skate_m_s[0], c.foot_skate_m_s[1]);
            assert_eq!(c.compared.joints.len(), 11);
            assert!((c.compared.seconds - clip.seconds()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_shift_is_its_length_times_the_root_of_the_joints_and_turns_no_joint() {
        let clip = Walk::default().clip(30.0);
        let c = against(&clip, &moved(&clip, Vec3::new(0.3, 0.0, 0.4), 0.0));
        assert!((c.l2p - 0.5 * 11f64.sqrt()).abs() < 1e-5, "{}", c.l2p);
        assert!(c.angle_deg.max < 1e-4 && c.l2q < 1e-6 && c.npss < 1e-9);
        let stats = Stats { mean: vec![1.0; 33], std: vec![0.5; 33] };
        let normalised =
            compare(&clip, &moved(&clip, Vec3::X, 0.0), Some(&stats), &mut no_progress()).unwrap();
        assert!((normalised.l2p - 2.0 * 11f64.sqrt()).abs() < 1e-4);
    }

    #[test]
    fn a_turn_of_the_root_is_one_joint_angle_and_all_global_quaternions() {
        let clip = Walk::default().clip(30.0);
        let c = against(&clip, &moved(&clip, Vec3::ZERO, 1.0));
        assert!((c.angle_deg.max - 1f64.to_degrees()).abs() < 1e-3);
        assert!((c.angle_deg.mean - 1f64.to_degrees() / 11.0).abs() < 1e-3);
        // |p − q| of unit quaternions an angle θ apart is 2·sin(θ/4).
        assert!((c.l2q - 11f64.sqrt() * 2.0 * 0.25f64.sin()).abs() < 1e-5);
    }

    #[test]
    fn distances_are_symmetric_and_the_rate_is_a_s() {
        let (a, b) = (Walk::default().clip(60.0), Walk { speed_m_s: 1.0, ..Walk::default() }.clip(60.0));
        let (x, y) = (against(&a, &b), against(&b, &a));
        assert!((x.l2p - y.l2p).abs() < 1e-12 && (x.l2q - y.l2q).abs() < 1e-12 && x.angle_deg == y.angle_deg);
        assert_eq!(x.jerk, [y.jerk[1], y.jerk[0]]);
        let c = against(&a, &Walk::default().clip(120.0));
        // The same motion sampled twice as often is the same at A's frames, but for f32 in building the poses.
        assert!(c.l2p < 1e-4 && c.angle_deg.max < 0.01, "{c:?}");
    }

    #[test]
    fn names_serve_where_roles_are_missing_and_strangers_are_refused() {
        let skeleton = |names: [&str; 2]| {
            let joints = vec![Joint::new(names[0], None, Vec3::ZERO), Joint::new(names[1], Some(0), Vec3::Y)];
            Clip::at_rest(Skeleton::build(joints).unwrap(), 30.0, 5).unwrap()
        };
        let c = against(&skeleton(["a", "b"]), &skeleton(["b", "c"]));
        assert_eq!(c.compared.joints, ["b"]);
        assert_eq!(c.foot_skate_m_s, [None, None]);
        let go = &mut no_progress();
        let (a, d) = (skeleton(["a", "b"]), skeleton(["c", "d"]));
        assert_eq!(compare(&a, &d, None, go), Err(CompareError::NoCommonJoints));
        let empty = Clip::at_rest(a.skeleton().clone(), 30.0, 0).unwrap();
        assert_eq!(compare(&a, &empty, None, go), Err(CompareError::NoCommonTime));
        let short = Stats { mean: vec![0.0; 3], std: vec![1.0; 3] };
        assert!(matches!(
            compare(&a, &a, Some(&short), go),
            Err(CompareError::StatsLength { found: 3, expected: 6 })
        ));
        let zero = Stats { mean: vec![0.0; 6], std: vec![0.0; 6] };
        assert!(matches!(
            compare(&a, &a, Some(&zero), go),
            Err(CompareError::StatsDeviation { coordinate: 0, .. })
        ));
        let stopped = compare(&a, &a, None, &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped, Err(CompareError::Cancelled(Cancelled)));
    }

    #[test]
    fn an_added_tpose_in_either_clip_is_ignored() {
        let clip = Walk::default().clip(60.0);
        let mut poses: Vec<_> = (0..clip.num_frames()).map(|f| clip.pose(f)).collect();
        poses.insert(0, ugoki_base::pose::Pose::rest(clip.skeleton()));
        let mut with = Clip::from_poses(clip.skeleton().clone(), 60.0, &poses).unwrap();
        with.tpose_frame = true;
        for c in [against(&clip, &with), against(&with, &clip)] {
            assert_eq!((c.l2p, c.l2q, c.npss, c.angle_deg.max), (0.0, 0.0, 0.0, 0.0));
        }
    }
}
