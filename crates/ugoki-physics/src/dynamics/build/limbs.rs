//! Links, joints and segments of mass, from the trunk out.

use glam::{DMat3, DQuat, DVec3};
use ugoki_base::skeleton::{Role, Side};

use super::anatomy;
use super::anthropometry::{self as table, Segment, box_inertia, segment_inertia};
use super::rest::{Rest, arm_roles, leg_roles};
use super::sole::{FootShape, foot_shape};
use crate::dynamics::body::{BodyError, Foot, JointKind, Limits, Link, MIN_LENGTH, Strength};
use crate::dynamics::config::BodyConfig;
use crate::dynamics::spatial::Inertia;

/// Where the one joint of the back should lie between mid-hip (0) and mid-shoulder (1): the middle of the lumbar
/// spine, which bends most. The trunk joint nearest to it is taken.
const BACK_FRACTION: f64 = 0.25;
/// Heads outside this range, as a fraction of stature, are hats or lack a crown.
const HEAD_RANGE: (f64, f64) = (0.10, 0.20);

/// A piece of mass on a link: its mass fraction and its inertia per kilogram about the link's origin.
pub(super) struct Part {
    pub(super) link: usize,
    pub(super) fraction: f64,
    pub(super) unit: Inertia,
}

/// A body under construction.
pub(super) struct Builder<'a> {
    pub(super) rest: &'a Rest<'a>,
    pub(super) config: &'a BodyConfig,
    pub(super) links: Vec<Link>,
    pub(super) parts: Vec<Part>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(rest: &'a Rest<'a>, config: &'a BodyConfig) -> Self {
        Self { rest, config, links: Vec::new(), parts: Vec::new() }
    }
}

impl Builder<'_> {
    /// Adds a link; its place in `q` and `qd` follows from the links before it.
    fn link(
        &mut self,
        role: Role,
        parent: Option<usize>,
        joint: JointKind,
        origin: usize,
        frame: usize,
    ) -> usize {
        let positions = &self.rest.positions;
        let (coordinate, dof) = self
            .links
            .last()
            .map_or((0, 0), |last| (last.coordinate + last.num_coordinates(), last.dof + last.num_dofs()));
        let base = parent.map_or(DVec3::ZERO, |parent| positions[self.links[parent].origin_joint]);
        self.links.push(Link {
            role,
            parent,
            joint,
            offset: positions[origin] - base,
            axis: DVec3::ZERO,
            coordinate,
            dof,
            inertia: Inertia::ZERO,
            origin_joint: origin,
            frame_joint: frame,
            end: DVec3::ZERO,
            radius: 0.0,
            sole: Vec::new(),
            limits: Limits::Free,
            strength: Strength {
                anatomical_from_link: DMat3::IDENTITY,
                negative: DVec3::ZERO,
                positive: DVec3::ZERO,
            },
        });
        self.links.len() - 1
    }

    /// The link that carries the parent of skeleton joint `joint`; `None` outside the tree of the hips.
    fn carrier(&self, joint: usize) -> Option<usize> {
        let mut at = self.rest.skeleton.parent(joint);
        while let Some(ancestor) = at {
            if let Some(link) = self.links.iter().position(|link| link.origin_joint == ancestor) {
                return Some(link);
            }
            at = self.rest.skeleton.parent(ancestor);
        }
        None
    }

    pub(super) fn origin(&self, link: usize) -> DVec3 {
        self.rest.positions[self.links[link].origin_joint]
    }

    /// A straight segment of the table on `link`, endpoints in rest positions, left–right axis `across`.
    fn segment(&mut self, link: usize, segment: Segment, start: DVec3, end: DVec3, across: DVec3) {
        let ratios = self.rest.proportions.ratios(segment);
        let origin = self.origin(link);
        let unit = segment_inertia(&ratios, 1.0, start - origin, end - origin, across);
        self.parts.push(Part { link, fraction: ratios.mass, unit });
    }

    /// Pelvis, torso and head.
    pub(super) fn trunk(&mut self) {
        let rest = self.rest;
        let hips = rest.find(Role::Hips).unwrap_or(0);
        let pelvis = self.link(Role::Hips, None, JointKind::Free, hips, hips);
        let middle = |left: Role, right: Role| Some(0.5 * (rest.at(left)? + rest.at(right)?));
        let low = middle(Role::LeftUpperLeg, Role::RightUpperLeg).unwrap_or(rest.positions[hips]);
        let neck = rest.find(Role::Neck).or_else(|| rest.find(Role::Head));
        let usual = rest.proportions.trunk_length() / 1.738 * rest.stature;
        let high = middle(Role::LeftUpperArm, Role::RightUpperArm)
            .or_else(|| neck.map(|joint| rest.positions[joint]))
            .filter(|high| high.distance(low) > 0.3 * usual)
            .unwrap_or(low + DVec3::Y * usual);
        let spine: Vec<usize> = [Role::Spine, Role::Chest, Role::UpperChest]
            .into_iter()
            .filter_map(|role| rest.find(role))
            .filter(|&joint| joint != hips && rest.skeleton.is_below(joint, hips))
            .collect();
        let along = (high - low) / (high - low).length_squared();
        let off = |joint: usize| ((rest.positions[joint] - low).dot(along) - BACK_FRACTION).abs();
        let back = spine.iter().copied().min_by(|&a, &b| off(a).total_cmp(&off(b)));
        let torso = match (back, spine.last()) {
            (Some(back), Some(&top)) => {
                let top = if rest.skeleton.is_below(top, back) { top } else { back };
                let torso = self.link(Role::Spine, Some(pelvis), JointKind::Ball, back, top);
                self.ball(torso, DQuat::IDENTITY, anatomy::spine_axes());
                self.links[torso].end = high - rest.positions[back];
                torso
            }
            _ => pelvis,
        };
        self.links[pelvis].end = low.lerp(high, BACK_FRACTION) - rest.positions[hips];
        // The table's trunk from mid-hip upward, stretched to this trunk.
        let scale = (high - low) / rest.proportions.trunk_length();
        let mut from = low;
        for (segment, link) in
            [(Segment::LowerTrunk, pelvis), (Segment::MiddleTrunk, torso), (Segment::UpperTrunk, torso)]
        {
            let to = from + scale * rest.proportions.ratios(segment).length;
            self.segment(link, segment, to, from, DVec3::X);
            from = to;
        }
        self.head(torso, neck, high);
    }

    /// The head on the torso; welded where the skeleton has no joint for it.
    fn head(&mut self, torso: usize, neck: Option<usize>, shoulders: DVec3) {
        let rest = self.rest;
        let skull = rest.find(Role::Head).or(neck);
        let usual = rest.proportions.length(Segment::Head, rest.stature);
        let base = neck.map_or(shoulders, |joint| rest.positions[joint]);
        let crown = skull
            .and_then(|joint| rest.tip(joint))
            .filter(|tip| {
                let length = tip.distance(base) / rest.stature;
                (HEAD_RANGE.0..HEAD_RANGE.1).contains(&length)
            })
            .unwrap_or_else(|| {
                let up = skull.map_or(DVec3::ZERO, |joint| rest.positions[joint] - base);
                base + up.normalize_or(DVec3::Y) * usual
            });
        let link = match (neck.and_then(|neck| self.carrier(neck)), neck, skull) {
            (Some(carrier), Some(neck), Some(skull)) => {
                let head = self.link(Role::Neck, Some(carrier), JointKind::Ball, neck, skull);
                self.ball(head, DQuat::IDENTITY, anatomy::spine_axes());
                self.links[head].end = crown - base;
                head
            }
            _ => torso,
        };
        self.segment(link, Segment::Head, crown, base, DVec3::X);
    }

    /// Upper arm and forearm with the hand; what the skeleton lacks is welded on in its usual length.
    pub(super) fn arm(&mut self, side: Side) -> Result<(), BodyError> {
        let rest = self.rest;
        let [upper, lower, hand] = arm_roles(side);
        let Some(shoulder) = rest.find(upper) else { return Ok(()) };
        let torso = self.carrier(shoulder).ok_or(BodyError::NotBelow { role: upper, above: Role::Hips })?;
        rest.below(lower, upper)?;
        rest.below(hand, lower)?;
        let out = if side == Side::Left { DVec3::X } else { DVec3::NEG_X };
        let usual = |segment: Segment| rest.proportions.length(segment, rest.stature);
        let start = rest.positions[shoulder];
        let elbow = rest.find(lower);
        let elbow_at = match elbow {
            Some(joint) => rest.length(upper, lower).map(|_| rest.positions[joint])?,
            None => start + out * usual(Segment::UpperArm),
        };
        let along = (elbow_at - start).normalize();
        let wrist_at = match (elbow, rest.find(hand)) {
            (Some(_), Some(wrist)) => rest.length(lower, hand).map(|_| rest.positions[wrist])?,
            _ => elbow_at + along * usual(Segment::Forearm),
        };
        let arm = self.link(upper, Some(torso), JointKind::Ball, shoulder, shoulder);
        self.links[arm].end = elbow_at - start;
        let neutral = DQuat::from_rotation_arc(along, DVec3::NEG_Y);
        self.ball(arm, neutral, anatomy::limb_axes(side, &DMat3::IDENTITY));
        let hinge = anatomy::elbow(elbow_at - start, wrist_at - elbow_at);
        self.segment(arm, Segment::UpperArm, start, elbow_at, hinge.axis);
        let forearm = match elbow {
            Some(joint) => {
                let forearm = self.link(lower, Some(arm), JointKind::Hinge, joint, joint);
                self.links[forearm].end = wrist_at - elbow_at;
                self.hinge(forearm, hinge.axis, hinge.rest);
                forearm
            }
            None => arm,
        };
        self.segment(forearm, Segment::Forearm, elbow_at, wrist_at, hinge.axis);
        let reach = (wrist_at - elbow_at).normalize() * usual(Segment::Hand);
        self.segment(forearm, Segment::Hand, wrist_at, wrist_at + reach, hinge.axis);
        Ok(())
    }

    /// Thigh, shank, foot and, where there are any, toes.
    pub(super) fn leg(&mut self, side: Side) -> Result<Foot, BodyError> {
        let rest = self.rest;
        let [upper, lower, foot, toes] = leg_roles(side);
        let joint = |role: Role| rest.find(role).ok_or(BodyError::Missing { roles: vec![role] });
        let (hip, knee, ankle) = (joint(upper)?, joint(lower)?, joint(foot)?);
        let [hip_at, knee_at, ankle_at] = [hip, knee, ankle].map(|joint| rest.positions[joint]);
        let pelvis = self.carrier(hip).unwrap_or(0);
        let thigh = self.link(upper, Some(pelvis), JointKind::Ball, hip, hip);
        self.links[thigh].end = knee_at - hip_at;
        let neutral = DQuat::from_rotation_arc((knee_at - hip_at).normalize(), DVec3::NEG_Y);
        self.ball(thigh, neutral, anatomy::limb_axes(side, &DMat3::IDENTITY));
        self.segment(thigh, Segment::Thigh, hip_at, knee_at, DVec3::X);

        let shank = self.link(lower, Some(thigh), JointKind::Hinge, knee, knee);
        self.links[shank].end = ankle_at - knee_at;
        let hinge = anatomy::knee(knee_at - hip_at, ankle_at - knee_at);
        self.hinge(shank, hinge.axis, hinge.rest);
        self.segment(shank, Segment::Shank, knee_at, ankle_at, DVec3::X);

        rest.below(toes, foot)?;
        let toes_joint =
            rest.find(toes).filter(|&joint| rest.positions[joint].distance(ankle_at) > MIN_LENGTH);
        let shape = foot_shape(
            anatomy::level_leg(hip_at, ankle_at),
            ankle_at,
            toes_joint.map(|joint| rest.positions[joint]),
            toes_joint.map_or_else(|| rest.tip(ankle), |joint| rest.tip(joint)),
            rest.proportions.length(Segment::Foot, rest.stature),
            rest.stature,
        );
        let link = self.link(foot, Some(shank), JointKind::Ball, ankle, ankle);
        self.links[link].end = shape.ball - ankle_at;
        self.ball(link, DQuat::IDENTITY, anatomy::limb_axes(side, &shape.basis));
        let toes = toes_joint.map(|joint| {
            let toes = self.link(toes, Some(link), JointKind::Hinge, joint, joint);
            self.links[toes].end = shape.tip - rest.positions[joint];
            // Toes upward is positive: about the axis to the body's right.
            self.hinge(toes, -shape.basis.x_axis, 0.0);
            toes
        });
        self.foot_mass(link, toes, &shape);
        Ok(Foot { side, foot: link, toes })
    }

    /// The foot's mass on foot and toes, its centre where the table has it; and the soles.
    fn foot_mass(&mut self, foot: usize, toes: Option<usize>, shape: &FootShape) {
        let ratios = self.rest.proportions.ratios(Segment::Foot);
        let (origin, [heel_side, ball_side, tip_side]) = (self.origin(foot), shape.corners);
        let centre = shape.heel.lerp(shape.tip, ratios.com) + shape.basis.y_axis * (0.5 * shape.height);
        let Some(toes) = toes else {
            let raised = shape.basis.y_axis * (0.5 * shape.height);
            self.segment(foot, Segment::Foot, shape.heel + raised, shape.tip + raised, DVec3::X);
            self.links[foot].sole =
                [heel_side, ball_side, tip_side].concat().iter().map(|&p| p - origin).collect();
            return;
        };
        let size = |length: f64, breadth: f64, height: f64| DVec3::new(breadth, height, length);
        let breadth = self.rest.stature * table::FOOT_BREADTH;
        let thin = self.rest.stature * table::TOE_HEIGHT;
        let (rear_fraction, toes_fraction) =
            (ratios.mass * (1.0 - table::TOES_FRACTION), ratios.mass * table::TOES_FRACTION);
        let toes_origin = self.origin(toes);
        let toes_centre = shape.ball.lerp(shape.tip, 0.5) + shape.basis.y_axis * (0.5 * thin);
        let length = shape.ball.distance(shape.tip).max(MIN_LENGTH);
        let unit = box_inertia(1.0, toes_centre - toes_origin, size(length, breadth, thin), &shape.basis);
        self.parts.push(Part { link: toes, fraction: toes_fraction, unit });
        // The rear part's centre makes up for the toes', so that foot and toes together have the table's.
        let rear_centre = (centre - toes_centre * table::TOES_FRACTION) / (1.0 - table::TOES_FRACTION);
        let length = shape.heel.distance(shape.ball).max(MIN_LENGTH);
        let unit = box_inertia(1.0, rear_centre - origin, size(length, breadth, shape.height), &shape.basis);
        self.parts.push(Part { link: foot, fraction: rear_fraction, unit });
        self.links[foot].sole = [heel_side, ball_side].concat().iter().map(|&p| p - origin).collect();
        self.links[toes].sole = [ball_side, tip_side].concat().iter().map(|&p| p - toes_origin).collect();
    }
}
