//! Legs that pass each other with room in the source do so on the target.
//!
//! Limbs keep their directions, so a body with narrower hips stands narrower: by as much as its hips are narrower, feet that pass each
//! other closely would pass through each other. Then the target's feet are set wider by one width for the whole motion,
//! each leg turned outwards about its hip joint, as if the hips were as wide as the source's.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::lines_apart;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_feet::contact::{Feet, Foot};
use ugoki_feet::feet::turn_leg;

/// Room between the middle lines of two legs that is kept, metres for a leg of 0.85 m: a foot is 9 to 10 cm wide, and legs farther apart
/// are in nobody's way.
const ROOM_M: f32 = 0.08;
/// Least room lacking that is made up for, metres for a leg of 0.85 m: feet are soft.
const ENOUGH_M: f32 = 0.003;
/// Widths that are tried, as fractions of [`ROOM_M`]: steps of 4 mm.
const TRIES: u8 = 20;

/// One frame: the lines of both shins and feet, the way to the body's left, and the room that the source has.
struct Seen {
    legs: [[Vec3; 3]; 2],
    left: Vec3,
    room: f32,
}

/// Sets the feet of `raw` apart where they lack room that the source has, at its size; gives by how much, metres.
pub(super) fn set_apart(raw: &mut Clip, feet: &Feet, scaled: &Clip, source_feet: &Feet) -> f64 {
    let scale = feet.scale() as f32;
    let seen = seen(raw, feet, scaled, source_feet, ROOM_M * scale);
    let lacks = |wider: f32| seen.iter().map(|seen| seen.room - seen.apart(wider)).fold(0.0, f32::max);
    let plain = lacks(0.0);
    if plain <= ENOUGH_M * scale {
        return 0.0;
    }
    // The narrowest of those that lack least; crossed legs may lack more the wider they are.
    let mut best = (plain, 0.0);
    for share in 1..=TRIES {
        let wider = ROOM_M * scale * f32::from(share) / f32::from(TRIES);
        let lacking = lacks(wider).max(ENOUGH_M * scale);
        if lacking < best.0 - 1e-4 {
            best = (lacking, wider);
        }
    }
    let wider = best.1;
    if wider == 0.0 {
        return 0.0;
    }
    let skeleton = raw.skeleton().clone();
    let (mut pose, mut model) = (Pose::rest(&skeleton), ModelPose::default());
    for frame in raw.motion_frames() {
        raw.pose_into(frame, &mut pose);
        forward_kinematics_into(&skeleton, &pose, &mut model);
        let left = to_the_left(&model, feet);
        for (foot, side) in feet.feet.iter().zip([0.5, -0.5]) {
            let line = model.positions[foot.ankle] - model.positions[foot.upper];
            let wanted = line + left * (side * wider);
            if let (Some(from), Some(to)) = (line.try_normalize(), wanted.try_normalize()) {
                turn_leg(raw, frame, &model, foot, Quat::from_rotation_arc(from, to));
            }
        }
    }
    raw.align_signs();
    f64::from(wider)
}

impl Seen {
    /// How near the legs come when the feet are set apart by so much; knees go half as far as feet.
    fn apart(&self, wider: f32) -> f32 {
        let [left, right] = [(0, 0.5), (1, -0.5)].map(|(side, half): (usize, f32)| {
            let [knee, ankle, toe] = self.legs[side];
            let move_ = self.left * (half * wider);
            [knee + 0.5 * move_, ankle + move_, toe + move_]
        });
        apart(&left, &right)
    }
}

/// Nearest that shins and feet of two legs, each knee, ankle and toe, come to each other.
fn apart(left: &[Vec3; 3], right: &[Vec3; 3]) -> f32 {
    let lines = |leg: &[Vec3; 3]| [[leg[0], leg[1]], [leg[1], leg[2]]];
    let pairs = lines(left).into_iter().flat_map(|a| lines(right).into_iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| lines_apart(a, b)).fold(f32::INFINITY, f32::min)
}

fn leg(model: &ModelPose, foot: &Foot) -> [Vec3; 3] {
    [model.positions[foot.lower], model.positions[foot.ankle], foot.toe.position(model)]
}

/// Over the ground to the body's left, shorter the more the line of its hip joints stands up.
fn to_the_left(model: &ModelPose, feet: &Feet) -> Vec3 {
    let [left, right] = feet.feet.each_ref().map(|foot| model.positions[foot.upper]);
    (left - right).normalize_or_zero().with_y(0.0)
}

fn seen(raw: &Clip, feet: &Feet, scaled: &Clip, source_feet: &Feet, room: f32) -> Vec<Seen> {
    let (mut pose, mut model) = (Pose::rest(raw.skeleton()), ModelPose::default());
    let (mut source_pose, mut source) = (Pose::rest(scaled.skeleton()), ModelPose::default());
    raw.motion_frames()
        .map(|frame| {
            raw.pose_into(frame, &mut pose);
            forward_kinematics_into(raw.skeleton(), &pose, &mut model);
            scaled.pose_into(frame, &mut source_pose);
            forward_kinematics_into(scaled.skeleton(), &source_pose, &mut source);
            let own = source_feet.feet.each_ref().map(|foot| leg(&source, foot));
            Seen {
                legs: feet.feet.each_ref().map(|foot| leg(&model, foot)),
                left: to_the_left(&model, feet),
                room: apart(&own[0], &own[1]).min(room),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::math::angle_between;
    use ugoki_base::skeleton::Skeleton;
    use ugoki_feet::contact::find_feet;
    use ugoki_testing::walker::{Walk, skeleton_joints};

    /// The walker on hips so wide, feet straight under their joints.
    fn walker(width_m: f32) -> Clip {
        let clip = Walk::default().clip(60.0);
        let mut joints = skeleton_joints();
        for joint in joints.iter_mut().filter(|joint| joint.name.ends_with("Up")) {
            joint.offset.x = 0.5 * width_m * joint.offset.x.signum();
        }
        let poses: Vec<Pose> = (0..clip.num_frames()).map(|frame| clip.pose(frame)).collect();
        Clip::from_poses(Skeleton::build(joints).unwrap(), 60.0, &poses).unwrap()
    }

    /// Nearest that legs come in the whole motion, metres.
    fn nearest(clip: &Clip) -> f32 {
        let feet = find_feet(clip.skeleton()).unwrap();
        let in_frame = |frame: usize| {
            let model = clip.model_pose(frame);
            let [left, right] = feet.feet.each_ref().map(|foot| leg(&model, foot));
            apart(&left, &right)
        };
        clip.motion_frames().map(in_frame).fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn feet_on_narrower_hips_keep_the_room_of_the_source() {
        let (source, narrow) = (walker(0.075), walker(0.05));
        let feet = find_feet(narrow.skeleton()).unwrap();
        let source_feet = find_feet(source.skeleton()).unwrap();
        assert!(nearest(&source) > 0.07 && nearest(&narrow) < 0.055);
        let mut raw = narrow.clone();
        let wider = set_apart(&mut raw, &feet, &source, &source_feet);
        // 25 mm at the knees, which go half as far as the feet, less what is soft.
        assert!((0.036..0.056).contains(&wider), "{wider}");
        assert!(nearest(&raw) > nearest(&source) - 0.005, "{} of {}", nearest(&raw), nearest(&source));
        for frame in 0..raw.num_frames() {
            let (a, b) = (narrow.model_pose(frame), raw.model_pose(frame));
            for foot in &feet.feet {
                assert!(angle_between(a.rotations[foot.ankle], b.rotations[foot.ankle]) < 1e-3);
                let knee = |pose: &ModelPose| pose.positions[foot.upper].distance(pose.positions[foot.ankle]);
                assert!((knee(&a) - knee(&b)).abs() < 1e-5, "knees stay as they are");
            }
        }
    }

    #[test]
    fn feet_with_room_enough_are_left_alone() {
        let (source, other) = (walker(0.16), walker(0.12));
        let feet = [&other, &source].map(|clip| find_feet(clip.skeleton()).unwrap());
        let mut raw = other.clone();
        assert!(set_apart(&mut raw, &feet[0], &source, &feet[1]) == 0.0 && raw == other);
    }
}
