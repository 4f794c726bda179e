//! Hands: a forearm carries its hand stiffly, as the target holds it, and these are the places at which it meets the world.

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;

use crate::dynamics::Body;

/// Radius of a finger and of the hand as a capsule from the wrist to the longest finger's tip, m.
pub(super) const FINGER_M: f64 = 0.012;
pub(super) const HAND_M: f64 = 0.03;
/// Joints nearer to the wrist than this are the wrist; fingers nearer to the hand's line than this are met with it, m.
const WRIST_M: f64 = 0.02;

/// A place on a hand, which moves against the forearm as the target's fingers do.
#[derive(Debug, Clone)]
pub(super) struct Tip {
    pub(super) link: usize,
    /// The farthest one, not one to the side.
    pub(super) longest: bool,
    /// In the forearm's frame, one per frame of motion, m.
    points: Vec<DVec3>,
}

impl Tip {
    /// Where it is at a step.
    pub(super) fn at(&self, step: usize, substeps: usize) -> DVec3 {
        let (frame, part) = (step / substeps, (step % substeps) as f64 / substeps as f64);
        let here = self.points.get(frame).or(self.points.last()).copied().unwrap_or_default();
        self.points.get(frame + 1).map_or(here, |next| here.lerp(*next, part))
    }
}

/// A joint, or one of its end sites: from the joint, in its frame, m.
#[derive(Debug, Clone, Copy)]
struct Part {
    joint: usize,
    end: Vec3,
}

/// The joint or end site farthest from each wrist, and those that stand out farthest to either side of the line to it.
///
/// `beyond` is `link_from_joint` of each link's own joint, a row per frame.
pub(super) fn tips(body: &Body, clip: &Clip, beyond: &[DQuat]) -> Vec<Tip> {
    let mut out = Vec::new();
    for role in [Role::LeftLowerArm, Role::RightLowerArm] {
        let Some(link) = body.find(role) else { continue };
        let wrist = body.link(link).end;
        // Joints of the hand and its fingers, and their end sites: many skeletons have no joint at a finger's tip.
        let carried: Vec<(Part, DVec3)> = (0..clip.num_joints())
            .filter(|&joint| body.place_of_joint(joint).0 == link)
            .flat_map(|joint| {
                let ends = clip.skeleton().joint(joint).tips.iter().copied();
                std::iter::once(Vec3::ZERO).chain(ends).map(move |end| Part { joint, end })
            })
            .map(|part| (part, body.place_of_joint(part.joint).1 + part.end.as_dvec3()))
            .filter(|(_, at)| at.distance(wrist) > WRIST_M && at.length() > wrist.length())
            .map(|(part, at)| (part, at - wrist))
            .collect();
        let farthest = |along: &dyn Fn(DVec3) -> f64| {
            carried.iter().copied().max_by(|a, b| along(a.1).total_cmp(&along(b.1)))
        };
        let Some((longest, way)) = farthest(&|at| at.length()) else { continue };
        let along = way.normalize_or_zero();
        let aside = |at: DVec3| at - along * at.dot(along);
        let mut parts = vec![longest];
        if let Some((first, at)) =
            farthest(&|at| aside(at).length()).filter(|(_, at)| aside(*at).length() > WRIST_M)
        {
            parts.push(first);
            let to = aside(at).normalize_or_zero();
            parts.extend(
                farthest(&|at| -at.dot(to)).filter(|(_, at)| -at.dot(to) > WRIST_M).map(|found| found.0),
            );
        }
        let (origin, own) = (body.link(link).origin_joint, body.link(link).frame_joint);
        let mut points = vec![Vec::with_capacity(clip.motion_frames().len()); parts.len()];
        for (row, frame) in clip.motion_frames().enumerate() {
            let pose = clip.model_pose(frame);
            let turn = beyond[row * body.links().len() + link] * pose.rotations[own].as_dquat().conjugate();
            for (points, part) in points.iter_mut().zip(&parts) {
                let at = pose.positions[part.joint] + pose.rotations[part.joint] * part.end;
                points.push(turn * (at - pose.positions[origin]).as_dvec3());
            }
        }
        out.extend(points.into_iter().enumerate().map(|(k, points)| Tip { link, longest: k == 0, points }));
    }
    out
}
