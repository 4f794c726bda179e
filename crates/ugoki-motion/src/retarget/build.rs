//! The map from one skeleton to another, built once.

use std::sync::Arc;

use glam::{DQuat, DVec3, Quat, Vec3};
use ugoki_base::math::angle_between64;
use ugoki_base::skeleton::{Role, Side, Skeleton};
use ugoki_feet::contact::{Floor, find_feet};

use super::foot::{heights, rise};
use super::frames::{fingers, role_frames};
use super::limbs::{LIMBS, feet};
use super::stance::Stance;
use super::trunk::Trunk;
use super::{Bridge, Evidence, MappedJoint, Mapping, RetargetError, Whose};

/// Most that a foot seen flat corrects its stance, radians: 30°. More is a foot that never stands flat, as a dancer's on tiptoe.
pub(super) const MAX_RISE: f64 = 0.52;

/// How a joint of the target gets its rotation in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rule {
    /// As in the stance, relative to its parent.
    Rest(Quat),
    /// `world = world of the source joint · turn`.
    Copy { from: usize, turn: Quat },
    /// As `Copy`, but the `axis` in the source joint's frame is first turned the shortest way to the line from one joint
    /// to another: joints between may bend the limb, or the legs hang from another joint than the hips.
    Aim { from: usize, line: [usize; 2], axis: Vec3, turn: Quat },
    /// Between two source joints: `world = slerp(world a · turn_a, world b · turn_b, share)`.
    Mix { from: [usize; 2], turns: [Quat; 2], share: f32 },
}

/// Where the ground is in the motion and how high ankles stand over it, metres at the target's size.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ground {
    /// Floor of the source, scaled to the target's legs; it becomes y = 0.
    pub floor: Floor,
    /// Height of the source's ankles over the floor when flat, scaled to the target's legs.
    pub source_ankle_m: f64,
    /// Height of the target's ankles over the floor when flat.
    pub target_ankle_m: f64,
}

/// A map from poses of one skeleton to poses of another; never changes after building.
#[derive(Debug, Clone)]
pub struct Retarget {
    pub(super) source: Arc<Skeleton>,
    pub(super) target: Arc<Skeleton>,
    pub(super) rules: Vec<Rule>,
    /// Legs of the target over legs of the source.
    pub(super) scale: f64,
    pub(super) ground: Ground,
    /// How high a toe point of the target stands over the ground, metres.
    pub(super) toe_m: f64,
    /// Upper legs of the source.
    pub(super) source_legs: [usize; 2],
    /// Upper legs of the target.
    pub(super) target_legs: [usize; 2],
    /// Hips of the target.
    pub(super) target_hips: usize,
    /// From the target's hips to the middle of its hip joints, in the hips' frame, metres.
    pub(super) centre: Vec3,
    /// From the target's joint 0 to its hips, metres: constant, since joints above the hips stay at rest.
    pub(super) above: Vec3,
    /// Whether both bodies are of one rig, so that rotations are copied.
    pub(super) same_rig: bool,
    /// How steeply the target's ankles stand over the toes in flat feet, radians: left, right.
    pub(super) flat_rises: [Option<f64>; 2],
    /// For each source joint that may leave its offset, where that goes.
    pub(super) moved: Vec<Option<Moved>>,
    /// Expressions of the source and of the target that are the same.
    pub(super) faces: Vec<(usize, usize)>,
    /// Of the source's left and right foot: how steeply the ankle stands over the toe in the stance, radians, and the
    /// sole's left in the foot's frame.
    soles: [Option<(f64, Vec3)>; 2],
    /// `joint_from_sole` of the source's left and right toes.
    toes: [Option<Quat>; 2],
    mapping: Mapping,
}

impl Retarget {
    /// The skeleton that poses come from.
    #[must_use]
    pub fn source(&self) -> &Arc<Skeleton> {
        &self.source
    }

    /// The skeleton that poses go to.
    #[must_use]
    pub fn target(&self) -> &Arc<Skeleton> {
        &self.target
    }

    /// Which joint goes where.
    #[must_use]
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Legs of the target over legs of the source.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The ground that poses are put on: y = 0 of the source until told otherwise.
    #[must_use]
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The same map over another ground.
    #[must_use]
    pub fn with_ground(mut self, ground: Ground) -> Self {
        self.ground = ground;
        self
    }

    /// Which way the source's toes point when turned so, as they would in a stance; `None` without toes.
    pub(super) fn toes_front(&self, side: Side, world: Quat) -> Option<Vec3> {
        Some(world * self.toes[usize::from(side == Side::Right)]? * Vec3::Z)
    }

    /// The same map for a source whose toes are seen to point up by so much while the foot is flat, radians.
    pub(super) fn with_toes(mut self, side: Side, seen: f64) -> Self {
        let joint_from_sole = self.toes[usize::from(side == Side::Right)].filter(|_| !self.same_rig);
        let Some(joint_from_sole) = joint_from_sole else { return self };
        if let Some(to) = self.target.find(feet(side).1)
            && let Rule::Copy { turn, .. } = &mut self.rules[to]
        {
            // frame_source · Rx(seen) · frame_target⁻¹: about the sole's left a positive angle turns the front down.
            let down = seen.clamp(-MAX_RISE, MAX_RISE) as f32;
            *turn = (Quat::from_axis_angle(joint_from_sole * Vec3::X, down) * *turn).normalize();
        }
        self
    }

    /// Whether a foot of the source that is seen to rise by so much from toe to ankle, radians, can be flat: heels do not stand
    /// on tiptoe, but bad data may lift toes by any angle.
    pub(super) fn may_be_flat(&self, side: Side, seen: f64) -> bool {
        let sole = self.soles[usize::from(side == Side::Right)];
        self.same_rig || sole.is_some_and(|(stance, _)| seen - stance <= MAX_RISE)
    }

    /// The same map for a source whose flat foot is seen to rise by so much from toe to ankle, radians.
    pub(super) fn with_rise(mut self, side: Side, seen: f64) -> Self {
        let sole = self.soles[usize::from(side == Side::Right)].filter(|_| !self.same_rig);
        let Some((stance, left)) = sole else { return self };
        let more = (stance - seen).clamp(-MAX_RISE, MAX_RISE);
        if let Some(to) = self.target.find(feet(side).0)
            && let Rule::Copy { turn, .. } = &mut self.rules[to]
        {
            // frame_source · Rx(more) · frame_target⁻¹, with frame_source · X = left.
            *turn = (Quat::from_axis_angle(left, more as f32) * *turn).normalize();
        }
        self
    }
}

/// Builds the map between two skeletons whose stances are known.
///
/// # Errors
/// When the legs of one have no length.
pub fn build_retarget(source: &Stance, target: &Stance) -> Result<Retarget, RetargetError> {
    let leg = |stance: &Stance, whose: Whose| {
        find_feet(&stance.skeleton).map(|feet| feet.leg_m).map_err(|_| RetargetError::NoLength { whose })
    };
    let (source_leg, target_leg) = (leg(source, Whose::Source)?, leg(target, Whose::Target)?);
    let scale = target_leg / source_leg;
    if !(scale.is_finite() && scale > 0.0) {
        return Err(RetargetError::NoLength { whose: Whose::Source });
    }
    let same_rig = is_same_rig(&source.skeleton, &target.skeleton);
    let matched = Matched::new(source, target, scale, same_rig);
    let (_, source_ankle) = heights(source, source_leg);
    let (toe_m, target_ankle_m) = heights(target, target_leg);
    let ground = Ground { floor: Floor::default(), source_ankle_m: scale * source_ankle, target_ankle_m };
    let legs = |stance: &Stance| {
        [Role::LeftUpperLeg, Role::RightUpperLeg].map(|role| stance.skeleton.find(role).unwrap_or(0))
    };
    let target_hips = target.skeleton.find(Role::Hips).unwrap_or(0);
    let middle = legs(target).map(|leg| target.positions[leg]).iter().sum::<DVec3>() * 0.5;
    let centre = target.rotations[target_hips].conjugate() * (middle - target.positions[target_hips]);
    let sole = |side: Side| {
        let joint_from_sole = matched.source_frames[feet(side).0.index()]?;
        Some((rise(source, side)?, (joint_from_sole * DVec3::X).as_vec3()))
    };
    Ok(Retarget {
        source: Arc::clone(&source.skeleton),
        target: Arc::clone(&target.skeleton),
        moved: moved(source, target, &matched.rules, scale, source_leg),
        faces: faces(&source.skeleton, &target.skeleton),
        scale,
        ground,
        toe_m,
        source_legs: legs(source),
        target_legs: legs(target),
        target_hips,
        centre: centre.as_vec3(),
        above: (target.positions[target_hips] - target.positions[0]).as_vec3(),
        same_rig,
        flat_rises: [Side::Left, Side::Right].map(|side| rise(target, side)),
        soles: [sole(Side::Left), sole(Side::Right)],
        toes: [Side::Left, Side::Right]
            .map(|side| Some(matched.source_frames[feet(side).1.index()]?.as_quat())),
        rules: matched.rules,
        mapping: matched.mapping,
    })
}

/// Bones of limbs of one rig point the same way at rest within this, as a cosine: 10°. Those of CMU's subjects differ by 0.4°.
const SAME_LIMB: f64 = 0.985;
/// Other bones within this: 60°. CMU draws each subject's own feet, hips and shoulders, which differ by up to 45°.
const SAME_BONE: f64 = 0.5;

/// Whether two skeletons are one rig in two sizes: the same joints under the same parents with the same axes. Then equal rotations are
/// equal poses, whatever the rest pose looks like.
fn is_same_rig(source: &Skeleton, target: &Skeleton) -> bool {
    let limbs: Vec<usize> =
        LIMBS.iter().flat_map(|limb| &limb[1..]).filter_map(|&role| target.find(role)).collect();
    let same = |joint: usize| {
        let (a, b) = (source.joint(joint), target.joint(joint));
        let least = if limbs.contains(&joint) { SAME_LIMB } else { SAME_BONE };
        let directions = a.offset.as_dvec3().try_normalize().zip(b.offset.as_dvec3().try_normalize());
        a.name == b.name
            && a.role == b.role
            && source.parent(joint) == target.parent(joint)
            && (joint == 0 || directions.is_none_or(|(a, b)| a.dot(b) > least))
    };
    source.num_joints() == target.num_joints() && (0..target.num_joints()).all(same)
}

/// Direction of the only bone, or end site, that a joint moves, in its frame; `None` where there are several.
fn bone(skeleton: &Skeleton, joint: usize) -> Option<DVec3> {
    let children = (0..skeleton.num_joints()).filter(|&child| skeleton.parent(child) == Some(joint));
    let offsets = children.map(|child| skeleton.joint(child).offset);
    let mut ends =
        offsets.chain(skeleton.joint(joint).tips.iter().copied()).filter(|end| end.length() > 1e-4);
    let only = ends.next().filter(|_| ends.next().is_none())?;
    only.as_dvec3().try_normalize()
}

/// Expressions that both have, by name: their weights are the same on any body.
fn faces(source: &Skeleton, target: &Skeleton) -> Vec<(usize, usize)> {
    let both = |from: usize| Some((from, target.find_expression(&source.joint(from).name)?));
    source.expressions().filter_map(both).collect()
}

/// Where a joint that leaves its offset goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    /// The target joint.
    pub(super) to: usize,
    /// The source's usual place in its parent's frame, metres.
    pub(super) usual: Vec3,
    /// The target's, metres.
    pub(super) offset: Vec3,
    /// Lengths of the target over lengths of the source.
    pub(super) scale: f32,
}

/// Bones shorter than this share of a leg have no length to compare.
const SHORT_SHARE: f64 = 0.01;

/// Where joints that leave their offsets go: as far as their bone is longer or shorter on the target.
fn moved(source: &Stance, target: &Stance, rules: &[Rule], scale: f64, leg_m: f64) -> Vec<Option<Moved>> {
    // Legs that hang from another joint than the hips move with the pelvis, which is aimed along them: not once more.
    let hips = target.skeleton.find(Role::Hips);
    let aimed = hips.is_some_and(|hips| matches!(rules[hips], Rule::Aim { .. }));
    let carried = |role: Role| aimed && matches!(role, Role::LeftUpperLeg | Role::RightUpperLeg);
    let one = |joint: usize| {
        let parent = source.skeleton.parent(joint)?;
        let role = source.skeleton.joint(joint).role.filter(|&role| role != Role::Hips && !carried(role))?;
        let to = target.skeleton.find(role).filter(|&to| to != 0)?;
        let away = source.positions[joint] - source.positions[parent];
        let place = source.rotations[parent].conjugate() * away;
        let copied = matches!(rules[to], Rule::Copy { from, .. } | Rule::Aim { from, .. } if from == joint);
        let offset = target.skeleton.joint(to).offset;
        let long = place.length() > SHORT_SHARE * leg_m;
        let scale = if long { f64::from(offset.length()) / place.length() } else { scale };
        copied.then(|| Moved { to, usual: place.as_vec3(), offset, scale: scale as f32 })
    };
    (0..source.skeleton.num_joints()).map(one).collect()
}

/// The one finger of the source that stands for all but the thumb, when `role` is the base of one that it lacks.
fn one_finger(source: &Stance, role: Role) -> Option<Role> {
    [Side::Left, Side::Right].into_iter().find_map(|side| {
        let bases: Vec<Role> = fingers(side)[..4].iter().map(|finger| finger[0]).collect();
        let known: Vec<Role> =
            bases.iter().copied().filter(|&base| source.skeleton.find(base).is_some()).collect();
        let [one] = known[..] else { return None };
        bases.contains(&role).then_some(one)
    })
}

/// Rules and their report in the making.
struct Matched {
    rules: Vec<Rule>,
    mapping: Mapping,
    source_frames: [Option<DQuat>; Role::COUNT],
}

impl Matched {
    fn new(source: &Stance, target: &Stance, scale: f64, same_rig: bool) -> Self {
        let (source_frames, target_frames) = (role_frames(source), role_frames(target));
        let mut matched = Self {
            rules: target.local.iter().map(|q| Rule::Rest(q.as_quat())).collect(),
            mapping: Mapping {
                source_stance: source.evidence,
                target_stance: target.evidence,
                scale,
                mapped: Vec::new(),
                bridged: Vec::new(),
                composed: Vec::new(),
                at_rest: Vec::new(),
            },
            source_frames,
        };
        if same_rig {
            for joint in 0..target.skeleton.num_joints() {
                let turn = match (bone(&source.skeleton, joint), bone(&target.skeleton, joint)) {
                    (Some(from), Some(to)) => DQuat::from_rotation_arc(to, from),
                    _ => DQuat::IDENTITY,
                };
                matched.copy(source, target, (joint, turn), (joint, DQuat::IDENTITY));
            }
            return matched;
        }
        let (back, target_back) = (Trunk::new(source), Trunk::new(target));
        matched.trunk(source, target, &back, &target_back);
        for (joint, told) in target.skeleton.joints().iter().enumerate() {
            let Some(role) = told.role.filter(|_| !target_back.joints.contains(&joint)) else { continue };
            let Some(to) = target_frames[role.index()] else { continue };
            match (source.skeleton.find(role), source_frames[role.index()]) {
                (Some(from), Some(frame)) if !back.joints.contains(&from) => {
                    matched.copy(source, target, (from, frame), (joint, to));
                }
                _ if one_finger(source, role).is_some() => {
                    if let Some((from, frame)) = one_finger(source, role).and_then(|finger| {
                        Some((source.skeleton.find(finger)?, source_frames[finger.index()]?))
                    }) {
                        matched.copy(source, target, (from, frame), (joint, to));
                    }
                }
                _ if role == Role::Neck => {
                    // Half of the way from the back to the head.
                    let top = back.joints.last().copied().or_else(|| source.skeleton.find(Role::Hips));
                    if let (Some(top), Some(head)) = (top, source.skeleton.find(Role::Head)) {
                        matched.mix(source, target, [top, head], 0.5, joint);
                    }
                }
                _ => {}
            }
        }
        matched.aim(source, target);
        matched.mapping.mapped.sort_by_key(|joint| target.skeleton.find_name(&joint.target));
        matched.finish(source, target, &back);
        matched
    }

    /// Back joints: one to one where their numbers agree, else by their share of the back's length.
    fn trunk(&mut self, source: &Stance, target: &Stance, back: &Trunk, target_back: &Trunk) {
        let whole = |stance: &Stance, joint: usize| {
            (joint, (stance.rotations[joint].conjugate() * stance.body).normalize())
        };
        if back.joints.len() == target_back.joints.len() {
            for (&from, &to) in back.joints.iter().zip(&target_back.joints) {
                self.copy(source, target, whole(source, from), whole(target, to));
            }
            return;
        }
        let Some(hips) = source.skeleton.find(Role::Hips).filter(|_| !back.joints.is_empty()) else { return };
        let knot = |i: usize| if i == 0 { hips } else { back.joints[i - 1] };
        for (&joint, &share) in target_back.joints.iter().zip(&target_back.shares) {
            let (a, b, t) = back.knots(share);
            if t >= 1.0 || a == b {
                self.copy(source, target, whole(source, knot(b)), whole(target, joint));
            } else {
                self.mix(source, target, [knot(a), knot(b)], t, joint);
            }
        }
    }

    fn copy(
        &mut self,
        source: &Stance,
        target: &Stance,
        (from, from_frame): (usize, DQuat),
        (to, to_frame): (usize, DQuat),
    ) {
        let turn = (from_frame * to_frame.conjugate()).normalize();
        self.rules[to] = Rule::Copy { from, turn: turn.as_quat() };
        self.mapping.mapped.push(MappedJoint {
            role: target.skeleton.joint(to).role,
            source: source.skeleton.joint(from).name.clone(),
            target: target.skeleton.joint(to).name.clone(),
            rest_difference_deg: angle_between64(turn, DQuat::IDENTITY).to_degrees() as f32,
        });
    }

    fn mix(&mut self, source: &Stance, target: &Stance, from: [usize; 2], share: f64, to: usize) {
        let of = |stance: &Stance, joint: usize| stance.rotations[joint].conjugate() * stance.body;
        let back = of(target, to).conjugate();
        let turns = from.map(|joint| (of(source, joint) * back).normalize().as_quat());
        self.rules[to] = Rule::Mix { from, turns, share: share as f32 };
        let name = |joint: usize| source.skeleton.joint(joint).name.clone();
        self.mapping.bridged.push(Bridge {
            target: target.skeleton.joint(to).name.clone(),
            from: name(from[0]),
            to: name(from[1]),
            share,
        });
    }

    /// Aims limbs that have joints of their own between the source's upper, lower and end joint.
    fn aim(&mut self, source: &Stance, target: &Stance) {
        for [upper, lower, end] in LIMBS {
            for (role, next) in [(upper, lower), (lower, end)] {
                let found = (target.skeleton.find(role), source.skeleton.find(next));
                let (Some(joint), Some(to)) = found else { continue };
                if let Rule::Copy { from, turn } = self.rules[joint]
                    && source.skeleton.parent(to) != Some(from)
                    && let Some(along) = (source.positions[to] - source.positions[from]).try_normalize()
                {
                    let axis = (source.rotations[from].conjugate() * along).as_vec3();
                    self.rules[joint] = Rule::Aim { from, line: [from, to], axis, turn };
                }
            }
        }
        self.aim_hips(source, target);
    }

    /// Lays the pelvis along the hip joints where both hang from one other joint, as 3ds Max's from the spine.
    fn aim_hips(&mut self, source: &Stance, target: &Stance) {
        let legs = [Role::RightUpperLeg, Role::LeftUpperLeg].map(|role| source.skeleton.find(role));
        let (Some(hips), [Some(right), Some(left)]) = (target.skeleton.find(Role::Hips), legs) else {
            return;
        };
        let parents = [right, left].map(|leg| source.skeleton.parent(leg));
        if let Rule::Copy { from, turn } = self.rules[hips]
            && parents[0] == parents[1]
            && parents[0] != Some(from)
        {
            // What is drawn is straight; of a guessed stance only the average is known.
            let across = match source.evidence {
                Evidence::StandingFrame => source.body * DVec3::X,
                _ => source.positions[left] - source.positions[right],
            };
            if let Some(across) = across.try_normalize() {
                let axis = (source.rotations[from].conjugate() * across).as_vec3();
                self.rules[hips] = Rule::Aim { from, line: [right, left], axis, turn };
            }
        }
    }

    /// Names what is left on either side.
    fn finish(&mut self, source: &Stance, target: &Stance, back: &Trunk) {
        let used = |joint: usize| {
            self.rules.iter().any(|rule| match rule {
                Rule::Copy { from, .. } | Rule::Aim { from, .. } => *from == joint,
                Rule::Mix { from, .. } => from.contains(&joint),
                Rule::Rest(_) => false,
            })
        };
        for (joint, told) in source.skeleton.joints().iter().enumerate() {
            if (told.role.is_some() || back.joints.contains(&joint)) && !used(joint) {
                self.mapping.composed.push(told.name.clone());
            }
        }
        for (joint, rule) in target.skeleton.joints().iter().zip(&self.rules) {
            if matches!(rule, Rule::Rest(_)) && !joint.is_expression {
                self.mapping.at_rest.push(joint.name.clone());
            }
        }
    }
}
