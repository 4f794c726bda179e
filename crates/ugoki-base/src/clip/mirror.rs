//! The mirror image of a motion, on the same skeleton.

use glam::{Quat, Vec3};

use super::{Clip, Translation, VectorTrack};
use crate::skeleton::{Skeleton, mirror_axis, mirror_map, mirror_vector};

impl Clip {
    /// The motion seen in a mirror that stands in the body's middle plane: left does what right did.
    ///
    /// The mirror is the world plane through the origin across [`mirror_axis`] (x = 0 for rest poses that face
    /// ±Z). Each joint takes over its [`mirror_map`] partner's motion; the skeleton stays. Only signs and
    /// places of numbers change, so the mirror of the mirror is the clip, bit for bit. On a skeleton whose sides
    /// are mirror images the joints' positions are too; this includes rigs whose one side has its axes
    /// half a turn around. Where the sides differ (people do, by a few millimetres) each side keeps its own
    /// lengths and rest directions, so hands and feet may stand off by that difference. Tags `left` and `right`
    /// change places; the source's own numbers are dropped. Joints that move along (translations) take over
    /// their partners' paths whole, expressions their weights.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let axis = mirror_axis(&self.skeleton);
        let partner = mirror_map(&self.skeleton);
        let turns = frame_turns(&self.skeleton, &partner, axis);
        let mut clip = self.clone();
        clip.set_source(None);
        for tag in &mut clip.tags {
            match tag.as_str() {
                "left" => *tag = "right".into(),
                "right" => *tag = "left".into(),
                _ => {}
            }
        }
        clip.root = self.root.iter().map(|p| mirror_vector(p, axis)).collect();
        for joint in 0..self.num_joints() {
            let above = turn_above(&self.skeleton, &partner, &turns, joint);
            let from = self.rotations.track(partner[joint]);
            for frame in 0..self.num_frames() {
                let seen = mirror_rotation(from.get(frame), axis);
                clip.rotations.set(
                    joint,
                    frame,
                    turned(turned_before(above.conjugate(), seen), turns[joint]),
                );
            }
        }
        clip.translations = self
            .translations
            .iter()
            .map(|translation| {
                let joint = partner[translation.joint];
                if self.skeleton.joint(joint).is_expression {
                    return Translation { joint, track: translation.track.clone() };
                }
                let above = turn_above(&self.skeleton, &partner, &turns, joint);
                let back = |p: Vec3| half_turn(above, mirror_vector(p, axis));
                Translation { joint, track: translation.track.iter().map(back).collect::<VectorTrack>() }
            })
            .collect();
        clip.translations.sort_by_key(|translation| translation.joint);
        clip
    }
}

/// `q` seen in a mirror across `axis` (X or Z): the axis of rotation is mirrored and its sense turned.
fn mirror_rotation(q: Quat, axis: Vec3) -> Quat {
    if axis == Vec3::Z {
        Quat::from_xyzw(-q.x, -q.y, q.z, q.w)
    } else {
        Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
    }
}

/// How a joint's own axes are turned against the mirror image of its partner's: none, or half a turn about
/// an axis of its own.
///
/// Rigs that are mirrored "by behaviour" have offsets on one side that are the negatives of the other's: a
/// half turn away from the mirror image; and a head whose own X runs up its bone is half a turn away from its
/// own image. Of the four turns the one is taken that brings the offsets below the joint onto the mirrored
/// offsets below its partner. Half turns only swap and negate the numbers of a quaternion, which keeps
/// mirroring exact.
fn frame_turns(skeleton: &Skeleton, partner: &[usize], axis: Vec3) -> Vec<Quat> {
    let half_turns = [
        Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
    ];
    let below = products_below(skeleton, partner, axis);
    let mut turns = vec![Quat::IDENTITY; skeleton.num_joints()];
    for joint in 0..skeleton.num_joints() {
        let other = partner[joint];
        if other < joint {
            // So that the two undo each other: mirror(turn of the other) · turn = identity.
            turns[joint] = mirror_rotation(turns[other], axis).conjugate();
            continue;
        }
        // A joint that is its own partner undoes itself only by turns across the mirror's axis.
        let allowed = |turn: &Quat| other != joint || turn.xyz().dot(axis) == 0.0;
        let inherited =
            skeleton.parent(joint).map(|parent| turns[parent]).filter(allowed).unwrap_or(Quat::IDENTITY);
        let (near, all, size) = below[joint];
        if size <= 0.0 {
            // Nothing below determines the axes; they follow the parent's.
            turns[joint] = inherited;
            continue;
        }
        let fit = |turn: Quat| half_turn(turn, near).element_sum();
        // A bone along an axis fits two turns; the rest of the limb decides which.
        let weight = 0.01 * size / all.abs().element_sum().max(f32::MIN_POSITIVE);
        let fit_all = |turn: Quat| fit(turn) + weight * half_turn(turn, all).element_sum();
        let candidates = half_turns.into_iter().filter(allowed);
        let best = candidates.max_by(|a, b| fit_all(*a).total_cmp(&fit_all(*b))).unwrap_or(Quat::IDENTITY);
        // Half the offsets' size: only a clear gain is a turned rig, not a person's asymmetry.
        if fit(best) > fit(Quat::IDENTITY) + 0.5 * size {
            turns[joint] = best;
        }
    }
    turns
}

/// For each joint, of the offsets below it and the mirrored ones below its partner: the products axis by axis,
/// summed over its children and end sites; the same over all its descendants; and the size of the first.
fn products_below(skeleton: &Skeleton, partner: &[usize], axis: Vec3) -> Vec<(Vec3, Vec3, f32)> {
    let mut below = vec![(Vec3::ZERO, Vec3::ZERO, 0.0); skeleton.num_joints()];
    for joint in (0..skeleton.num_joints()).rev() {
        let other = partner[joint];
        let tips = skeleton.joint(joint).tips.iter().zip(&skeleton.joint(other).tips);
        let children = skeleton.children(joint).iter().filter_map(|&child| {
            let opposite = partner[child];
            (skeleton.parent(opposite) == Some(other))
                .then(|| (&skeleton.joint(child).offset, &skeleton.joint(opposite).offset))
        });
        let (mut near, mut size) = (Vec3::ZERO, 0.0);
        for (own, its) in tips.chain(children) {
            near += *own * mirror_vector(*its, axis);
            size += own.length() * its.length();
        }
        let deeper: Vec3 = skeleton.children(joint).iter().map(|&child| below[child].1).sum();
        below[joint] = (near, near + deeper, size);
    }
    below
}

/// The turn of the parent's axes; none where the parents of two partners are not partners themselves.
fn turn_above(skeleton: &Skeleton, partner: &[usize], turns: &[Quat], joint: usize) -> Quat {
    match (skeleton.parent(joint), skeleton.parent(partner[joint])) {
        (Some(parent), Some(other)) if partner[parent] == other => turns[parent],
        _ => Quat::IDENTITY,
    }
}

/// `v` turned by the identity or a half turn about a coordinate axis: signs change and nothing else.
fn half_turn(turn: Quat, v: Vec3) -> Vec3 {
    if turn.w != 0.0 {
        v
    } else if turn.x != 0.0 {
        Vec3::new(v.x, -v.y, -v.z)
    } else if turn.y != 0.0 {
        Vec3::new(-v.x, v.y, -v.z)
    } else {
        Vec3::new(-v.x, -v.y, v.z)
    }
}

/// `q · turn` for the identity or a half turn: numbers swap places and signs and nothing else.
fn turned(q: Quat, turn: Quat) -> Quat {
    let s = turn.x + turn.y + turn.z;
    if turn.w != 0.0 {
        if turn.w < 0.0 { -q } else { q }
    } else if turn.x != 0.0 {
        Quat::from_xyzw(s * q.w, s * q.z, -s * q.y, -s * q.x)
    } else if turn.y != 0.0 {
        Quat::from_xyzw(-s * q.z, s * q.w, s * q.x, -s * q.y)
    } else {
        Quat::from_xyzw(s * q.y, -s * q.x, s * q.w, -s * q.z)
    }
}

/// `turn · q`, as [`turned`] by the conjugates.
fn turned_before(turn: Quat, q: Quat) -> Quat {
    turned(q.conjugate(), turn.conjugate()).conjugate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::{Pose, forward_kinematics};
    use crate::skeleton::{Joint, assign_roles};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// A body whose right side is the left one mirrored; `flipped` turns the right side's axes by half a turn.
    fn body(axis: Vec3, flipped: bool) -> Arc<Skeleton> {
        let left = [
            ("UpLeg", 0, Vec3::new(0.1, -0.05, 0.0)),
            ("Leg", 1, Vec3::new(0.01, -0.4, 0.02)),
            ("Foot", 2, Vec3::new(0.0, -0.4, -0.03)),
            ("Shoulder", 10, Vec3::new(0.05, 0.2, 0.01)),
            ("Arm", 4, Vec3::new(0.12, 0.01, 0.0)),
            ("ForeArm", 5, Vec3::new(0.28, 0.0, 0.02)),
            ("Hand", 6, Vec3::new(0.25, 0.0, 0.0)),
        ];
        // Front and side change places where the body faces X.
        let put = |v: Vec3| if axis == Vec3::Z { Vec3::new(-v.z, v.y, v.x) } else { v };
        let mut joints = vec![Joint::new("Hips", None, Vec3::Y)];
        let mut spine = Joint::new("Spine", Some(0), put(Vec3::new(0.0, 0.3, -0.02)));
        spine.tips.push(put(Vec3::new(0.0, 0.2, 0.0)));
        joints.push(spine);
        // A neck whose side axis runs up its bone, as rigs with axes along their bones have it.
        joints.push(Joint::new("Neck", Some(1), put(Vec3::Y * 0.25)));
        joints.push(Joint::new("Head", Some(2), axis * 0.1));
        joints.push(Joint::new("HeadEnd", Some(3), axis * 0.2));
        for side in ["Left", "Right"] {
            let base = joints.len();
            for (name, parent, offset) in left {
                let on_trunk = matches!(parent, 0 | 10);
                let offset = if side == "Left" { put(offset) } else { mirror_vector(put(offset), axis) };
                // Behind a joint whose axes are half a turn around, offsets are too.
                let offset = if flipped && side == "Right" && !on_trunk {
                    Quat::from_axis_angle(Vec3::X + Vec3::Z - axis, std::f32::consts::PI) * offset
                } else {
                    offset
                };
                let parent = match parent {
                    0 => 0,
                    10 => 1,
                    parent => base + parent - 1,
                };
                joints.push(Joint::new(format!("{side}{name}"), Some(parent), offset));
            }
        }
        assign_roles(&mut joints);
        Skeleton::build(joints).unwrap()
    }

    fn clip(skeleton: &Arc<Skeleton>, numbers: &[f32]) -> Clip {
        let mut numbers = numbers.iter().copied().cycle();
        let mut next = || numbers.next().unwrap_or(0.0);
        let poses: Vec<Pose> = (0..3)
            .map(|_| {
                let mut pose = Pose::rest(skeleton);
                pose.root = Vec3::new(next(), next(), next());
                for q in &mut pose.rotations {
                    *q = Quat::from_xyzw(next(), next(), next(), 1.5).normalize();
                }
                pose.translations.push((4, Vec3::new(next(), next(), next())));
                pose
            })
            .collect();
        Clip::from_poses(skeleton.clone(), 30.0, &poses).unwrap()
    }

    fn bits(clip: &Clip) -> Vec<u32> {
        let vectors = |track: &VectorTrack| [track.x.clone(), track.y.clone(), track.z.clone()].concat();
        let mut all = clip.rotations().arrays().concat();
        all.extend(vectors(clip.root()));
        all.extend(clip.translations().iter().flat_map(|t| vectors(&t.track)));
        all.into_iter().map(f32::to_bits).collect()
    }

    proptest! {
        #[test]
        fn the_mirror_of_the_mirror_is_the_clip(
            numbers in prop::collection::vec(-1.0..1.0_f32, 211), z in any::<bool>(), flipped in any::<bool>(),
        ) {
            let mut clip = clip(&body(if z { Vec3::Z } else { Vec3::X }, flipped), &numbers);
            clip.tags = vec!["left".into(), "walk".into()];
            let back = clip.mirrored().mirrored();
            prop_assert_eq!(bits(&clip), bits(&back));
            prop_assert_eq!(clip, back);
        }

        #[test]
        fn joints_stand_where_the_mirror_shows_their_partners(
            numbers in prop::collection::vec(-1.0..1.0_f32, 211), z in any::<bool>(), flipped in any::<bool>(),
        ) {
            let axis = if z { Vec3::Z } else { Vec3::X };
            let skeleton = body(axis, flipped);
            let clip = clip(&skeleton, &numbers);
            let (partner, mirrored) = (mirror_map(&skeleton), clip.mirrored());
            prop_assert_eq!(mirror_axis(&skeleton), axis);
            for frame in 0..clip.num_frames() {
                let was = forward_kinematics(&skeleton, &clip.pose(frame));
                let is = forward_kinematics(&skeleton, &mirrored.pose(frame));
                for (joint, &other) in partner.iter().enumerate() {
                    let seen = mirror_vector(was.positions[other], axis);
                    // 1e-5 m: the half turn's offsets come from a rounded cosine.
                    prop_assert!((is.positions[joint] - seen).length() < 1e-5, "{}", skeleton.joint(joint).name);
                }
            }
        }
    }

    #[test]
    fn left_becomes_right_in_tags() {
        let mut clip = clip(&body(Vec3::X, false), &[0.5]);
        clip.tags = vec!["left".into(), "turn".into()];
        assert_eq!(clip.mirrored().tags, ["right", "turn"]);
    }
}
