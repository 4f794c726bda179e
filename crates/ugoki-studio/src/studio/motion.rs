//! What a page draws of a clip: joints, the way of the hips, where feet stand; poses and curves on demand.

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, Contacts, Feet, find_contacts, find_feet};
use ugoki::math::log;
use ugoki::pose::{ModelPose, forward_kinematics_into};
use ugoki::segment::{SegmentConfig, segment};
use ugoki::skeleton::{Role, Skeleton};
use ugoki::{Cancelled, Progress};

use super::protocol::{Answer, Bell, Footprint, JOINT_FLOATS, Joint, MOST_POSES, Motion, Poses, Speed};

/// Points of the way of the hips that are sent.
const MOST_PATH: usize = 400;
/// Values of a curve that are sent: more than a screen is wide.
const MOST_VALUES: usize = 2000;
/// Curves of speed that stay apart.
const MOST_GROUPS: usize = 6;

/// A body of which poses come by themselves: joints alone.
pub(super) fn body(skeleton: &Skeleton, stream: u32, name: &str, fps: f32) -> Motion {
    let joints = (skeleton.joints().iter().zip(skeleton.rest_positions()))
        .map(|(joint, rest)| Joint {
            name: joint.name.clone(),
            parent: joint.parent.map(|parent| parent as u32),
            role: joint.role.map(|role| role.name().to_owned()),
            tips: joint.tips.iter().map(Vec3::to_array).collect(),
            rest: rest.to_array(),
        })
        .collect();
    Motion {
        stream,
        name: name.to_owned(),
        fps,
        frames: 0,
        joints,
        path: Vec::new(),
        floor: 0.0,
        footprints: Vec::new(),
    }
}

/// The motion of a clip without its poses.
pub(super) fn motion(clip: &Clip, stream: u32) -> Motion {
    let hips = clip.skeleton().find(Role::Hips).unwrap_or(0);
    let way = clip.joint_path(hips);
    let stride = way.len().div_ceil(MOST_PATH).max(1);
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let footprints = contacts.as_ref().map_or_else(Vec::new, |contacts| footprints(clip, contacts));
    Motion {
        frames: clip.num_frames() as u32,
        path: way[clip.motion_frames()].iter().step_by(stride).map(Vec3::to_array).collect(),
        floor: contacts.map_or(0.0, |contacts| contacts.floor.height as f32),
        footprints,
        ..body(clip.skeleton(), stream, &clip.name, clip.fps() as f32)
    }
}

/// Where feet stand, each judged in the middle of its contact.
fn footprints(clip: &Clip, contacts: &Contacts) -> Vec<Footprint> {
    let Ok(Feet { feet, .. }) = find_feet(clip.skeleton()) else { return Vec::new() };
    let mut prints = Vec::new();
    for (side, (foot, contact)) in feet.iter().zip(&contacts.feet).enumerate() {
        for frames in contact.any() {
            let pose = clip.model_pose((frames.start + frames.end) / 2);
            let (ankle, toe) = (pose.positions[foot.ankle], foot.toe.position(&pose));
            let along = (toe - ankle).with_y(0.0);
            let sole =
                toe.y.min(ankle.y - contacts.flat_m[side] as f32) - contacts.floor.toe_clearance_m as f32;
            prints.push(Footprint {
                left: side == 0,
                start: frames.start as u32,
                end: frames.end as u32,
                at: [ankle.x, sole.max(contacts.floor.height as f32), ankle.z],
                heading_deg: along.x.atan2(along.z).to_degrees(),
                length: along.length(),
            });
        }
    }
    prints.sort_by_key(|print| print.start);
    prints
}

/// Some poses of a clip; fewer at its end, none outside.
pub(super) fn poses(clip: &Clip, stream: u32, from: u32, count: u32) -> Option<Poses> {
    let joints = u16::try_from(clip.num_joints()).ok()?;
    let first = from as usize;
    let end = first.checked_add(count.min(MOST_POSES) as usize)?.min(clip.num_frames());
    if first >= end {
        return None;
    }
    let mut values = Vec::with_capacity((end - first) * usize::from(joints) * JOINT_FLOATS);
    let (mut pose, mut body) = (clip.pose(first), ModelPose::default());
    for frame in first..end {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut body);
        put(&body, &mut values);
    }
    Some(Poses { stream, first: from, joints, values })
}

/// One pose of a body that moves now.
pub(super) fn model_poses(body: &ModelPose, stream: u32, frame: u32) -> Poses {
    let mut values = Vec::with_capacity(body.positions.len() * JOINT_FLOATS);
    put(body, &mut values);
    let joints = u16::try_from(body.positions.len()).unwrap_or(u16::MAX);
    Poses { stream, first: frame, joints, values }
}

fn put(body: &ModelPose, values: &mut Vec<f32>) {
    for (place, turn) in body.positions.iter().zip(&body.rotations) {
        values.extend(place.to_array());
        values.extend(turn.to_array());
    }
}

/// One joint's rotation vectors, degrees, every `stride` frames.
pub(super) fn curves(clip: &Clip, joint: usize, stride: usize) -> Option<[Vec<f32>; 3]> {
    if joint >= clip.num_joints() {
        return None;
    }
    let mut out = [const { Vec::new() }; 3];
    for frame in (0..clip.num_frames()).step_by(stride.max(1)) {
        for (axis, value) in out.iter_mut().zip(log(clip.rotation(joint, frame)).to_array()) {
            axis.push((value.to_degrees() * 100.0).round() / 100.0);
        }
    }
    Some(out)
}

/// Frames from one value of a curve to the next.
pub(super) fn stride(clip: &Clip) -> usize {
    clip.num_frames().div_ceil(MOST_VALUES).max(1)
}

/// Speeds of the fastest groups, and the simple movements among them.
pub(super) fn speeds(clip: &Clip, stream: u32, progress: Progress<'_>) -> Result<Answer, Cancelled> {
    let stride = stride(clip);
    let found = match segment(clip, &SegmentConfig::default(), progress) {
        Ok(found) => found,
        Err(ugoki::segment::SegmentError::Cancelled(cancelled)) => return Err(cancelled),
        // What is no human body has no groups.
        Err(_) => {
            return Ok(Answer::Speeds { stream, stride: 1, first: 0, groups: Vec::new(), bells: Vec::new() });
        }
    };
    let fastest = |group: usize| found.speeds[group].iter().copied().fold(0.0, f64::max);
    let cuts = |group: usize| found.pieces.iter().any(|piece| piece.group == Some(group));
    let mut shown: Vec<usize> = (0..found.groups.len()).collect();
    shown.sort_by(|&a, &b| cuts(b).cmp(&cuts(a)).then(fastest(b).total_cmp(&fastest(a))));
    shown.truncate(MOST_GROUPS);
    let group = |&group: &usize| Speed {
        name: found.groups[group].name.clone(),
        values: found.speeds[group].iter().step_by(stride).map(|&v| (v * 1e4).round() as f32 / 1e4).collect(),
    };
    let bells = (found.pieces.iter())
        .filter_map(|piece| {
            Some(Bell {
                group: found.groups[piece.group?].name.clone(),
                start: piece.start as u32,
                peak: piece.peak as u32,
                end: piece.end as u32,
                peak_m_s: piece.peak_m_s as f32,
            })
        })
        .collect();
    Ok(Answer::Speeds {
        stream,
        stride: stride as u32,
        first: found.first as u32,
        groups: shown.iter().map(group).collect(),
        bells,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_are_those_of_the_library() {
        let clip = ugoki::sample::clip("walk").unwrap();
        let sent = poses(&clip, 7, 10, 3).unwrap();
        let back = Poses::from_bytes(&sent.to_bytes()).unwrap();
        assert_eq!(back, sent);
        assert_eq!((back.stream, back.first, back.count()), (7, 10, 3));
        let body = clip.model_pose(11);
        let at = clip.num_joints() * JOINT_FLOATS;
        for joint in 0..clip.num_joints() {
            let values = &back.values[at + joint * JOINT_FLOATS..][..JOINT_FLOATS];
            assert_eq!(values[..3], body.positions[joint].to_array());
            assert_eq!(values[3..], body.rotations[joint].to_array());
        }
        assert!(poses(&clip, 7, clip.num_frames() as u32, 1).is_none());
        assert_eq!(poses(&clip, 7, clip.num_frames() as u32 - 1, u32::MAX).unwrap().count(), 1);
    }

    #[test]
    fn bytes_that_are_no_poses_are_refused() {
        let good = poses(&ugoki::sample::clip("nod").unwrap(), 1, 0, 1).unwrap().to_bytes();
        for end in [0, 3, 15, good.len() - 1] {
            assert!(Poses::from_bytes(&good[..end]).is_none());
        }
        let mut huge = good;
        huge[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(Poses::from_bytes(&huge).is_none());
    }

    #[test]
    fn feet_of_a_walk_alternate_on_the_floor() {
        let clip = ugoki::sample::clip("walk").unwrap();
        let shown = motion(&clip, 1);
        assert!(shown.footprints.len() >= 4);
        // Those at the ends of the clip are cut, so that their order says nothing.
        let whole: Vec<_> =
            shown.footprints.iter().filter(|print| print.start > 0 && print.end < shown.frames).collect();
        for pair in whole.windows(2) {
            assert_ne!(pair[0].left, pair[1].left, "{pair:?}");
        }
        for print in &shown.footprints {
            assert!((print.at[1] - shown.floor).abs() < 0.02, "{print:?}");
            assert!(print.heading_deg.abs() < 30.0, "{print:?}");
        }
        assert!(shown.path.len() > 10 && shown.path.len() <= MOST_PATH);
    }
}
