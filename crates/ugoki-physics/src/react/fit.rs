//! The body's coordinates for every frame of a clip.
//!
//! A link takes the rotation of its skeleton joint; a hinge keeps the part about its axis. What a hinge leaves out would
//! move the foot or hand beyond it, so the ball joint above turns by the smallest rotation that points the limb at the
//! clip's ankle or wrist again, and the ankle turns the foot back to the clip's. What is left of each link's rotation is kept
//! (`beyond`) and put back when a pose is written, so that forearms keep their pronation.

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between64;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Role;

use super::report::FitReport;
use crate::dynamics::{Body, BodyState, JointKind, Kinematics, kinematics_into};

/// A fitted clip.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    /// Coordinates, a row per frame of motion.
    pub(super) q: Vec<f64>,
    /// `link_from_joint` of each link's own skeleton joint, a row per frame.
    pub(super) beyond: Vec<DQuat>,
    pub(super) report: FitReport,
}

/// A ball joint, the hinge below it, and the skeleton joint at the limb's end.
struct Limb {
    upper: usize,
    lower: usize,
    end_joint: usize,
    end_in_lower: DVec3,
    /// The foot, which keeps the clip's rotation; hands are part of the forearm.
    foot: Option<usize>,
}

fn limbs(body: &Body, clip: &Clip) -> Vec<Limb> {
    let rows = [
        (Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot),
        (Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot),
        (Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand),
        (Role::RightUpperArm, Role::RightLowerArm, Role::RightHand),
    ];
    let found = rows.into_iter().filter_map(|(upper, lower, end)| {
        let (upper, lower) = (body.find(upper)?, body.find(lower)?);
        let end_joint = clip.skeleton().find(end)?;
        let foot = body.find(end);
        let (carrier, place) = body.place_of_joint(end_joint);
        let end_in_lower = match foot {
            Some(foot) => body.link(foot).offset,
            None if carrier == lower => place,
            None => return None,
        };
        (body.link(lower).joint == JointKind::Hinge && body.link(upper).joint == JointKind::Ball)
            .then_some(Limb { upper, lower, end_joint, end_in_lower, foot })
    });
    found.collect()
}

/// Fits every frame of motion.
pub(super) fn fit(body: &Body, clip: &Clip) -> Fit {
    let limbs = limbs(body, clip);
    let frames = clip.motion_frames();
    let links = body.links().len();
    let mut state = BodyState::rest(body);
    let mut kinematics = Kinematics::new(body);
    let (mut pose, mut model) = (Pose::rest(clip.skeleton()), ModelPose::default());
    let mut q = Vec::with_capacity(frames.len() * body.num_coordinates());
    let mut beyond = Vec::with_capacity(frames.len() * links);
    let (mut report, mut square, mut worst) = (FitReport::default(), 0.0, (0.0, 0));
    for frame in frames.clone() {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut model);
        state.set_pose(body, &model);
        kinematics_into(body, &state, &mut kinematics);
        for limb in &limbs {
            aim(body, &model, limb, &kinematics, &mut state);
        }
        kinematics_into(body, &state, &mut kinematics);
        for (index, link) in body.links().iter().enumerate() {
            let joint = model.rotations[link.frame_joint].as_dquat();
            let here = kinematics.link(index).rotation;
            beyond.push((here.conjugate() * joint).normalize());
            let angle = angle_between64(here, joint);
            square += angle * angle;
            if angle > worst.0 {
                worst = (angle, index);
            }
        }
        for foot in body.feet() {
            let there = model.positions[body.link(foot.foot).origin_joint].as_dvec3();
            report.ankle_m = report.ankle_m.max(kinematics.link(foot.foot).position.distance(there));
        }
        q.extend_from_slice(&state.q);
    }
    report.rms_deg = (square / (frames.len() * links).max(1) as f64).sqrt().to_degrees();
    report.worst_deg = worst.0.to_degrees();
    report.worst_link = body.link(worst.1).role.to_string();
    align_signs(body, &mut q);
    Fit { q, beyond, report }
}

/// Turns the limb's upper link so that its end lies in the clip's direction, and the foot as the clip has it.
fn aim(body: &Body, model: &ModelPose, limb: &Limb, kinematics: &Kinematics, state: &mut BodyState) {
    let upper = body.link(limb.upper);
    let (above, here) = (kinematics.link(upper.parent.unwrap_or(0)), kinematics.link(limb.upper));
    let hinge = state.rotation(body, limb.lower);
    let reach = body.link(limb.lower).offset + hinge * limb.end_in_lower;
    // From the clip's own shoulder or hip: arms hang on shoulder blades that the body does not have.
    let start = model.positions[upper.origin_joint].as_dvec3();
    let wanted = model.positions[limb.end_joint].as_dvec3() - start;
    let (Some(from), Some(to)) = ((here.rotation * reach).try_normalize(), wanted.try_normalize()) else {
        return;
    };
    let turned = (DQuat::from_rotation_arc(from, to) * here.rotation).normalize();
    state.set_rotation(body, limb.upper, above.rotation.conjugate() * turned);
    if let Some(foot) = limb.foot {
        let joint = model.rotations[body.link(foot).frame_joint].as_dquat();
        state.set_rotation(body, foot, (turned * hinge).conjugate() * joint);
    }
}

/// Quaternions of neighbouring rows in one hemisphere, hinges without jumps of a turn.
fn align_signs(body: &Body, q: &mut [f64]) {
    let n = body.num_coordinates();
    for row in 1..q.len() / n {
        let (before, here) = q[(row - 1) * n..(row + 1) * n].split_at_mut(n);
        for link in body.links() {
            let c = link.coordinate;
            match link.joint {
                JointKind::Hinge => {
                    let turns = ((here[c] - before[c]) / std::f64::consts::TAU).round();
                    here[c] -= turns * std::f64::consts::TAU;
                }
                _ => {
                    let at = if link.joint == JointKind::Free { c + 3 } else { c };
                    let dot: f64 = (at..at + 4).map(|k| here[k] * before[k]).sum();
                    if dot < 0.0 {
                        here[at..at + 4].iter_mut().for_each(|v| *v = -*v);
                    }
                }
            }
        }
    }
}
