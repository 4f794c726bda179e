//! Building a [`Body`] from a skeleton's rest pose and roles.
//!
//! Every joint of the body is one the skeleton can show: where a role is missing (toes, chest, neck, an arm), the part
//! beyond is welded to the part before it and its mass stays. Hips and two whole legs are required.

use glam::{DMat3, DQuat, DVec3};

use super::anatomy;
use super::anthropometry::{self as table, Proportions, Segment, box_inertia, segment_inertia};
use super::body::{BallRange, Body, BodyError, Foot, JointKind, Limits, Link, MIN_LENGTH, Strength};
use super::config::{BodyConfig, LinkOverride};
use super::joints::{SHOULDER_CENTRE_DEG, ball_row, hinge_row};
use super::sole::{FootShape, foot_shape};
use super::spatial::{Inertia, Sym3};
use crate::math::exp64;
use crate::skeleton::{Role, Side, Skeleton};

/// Thigh and shank together, share of stature [winter2009, fig. 4.1].
const LEG_SHARE: f64 = 0.245 + 0.246;
/// Where the one joint of the back should lie between mid-hip (0) and mid-shoulder (1): the middle of the lumbar
/// spine, which bends most. The trunk joint nearest to it is taken.
const BACK_SHARE: f64 = 0.25;
/// Heads longer or shorter than these shares of stature are hats or missing crowns.
const HEAD_RANGE: (f64, f64) = (0.10, 0.20);
/// Mean density of the body for the capsules' radii, kg/m³ [winter2009, §4.1.1].
const DENSITY: f64 = 1050.0;

impl Body {
    /// The body of `skeleton`.
    ///
    /// # Errors
    /// Names the roles that are missing or out of order, limbs without length and impossible settings.
    pub fn build(skeleton: &Skeleton, config: &BodyConfig) -> Result<Self, BodyError> {
        let rest = Rest::new(skeleton, config)?;
        let mut builder = Builder { rest: &rest, config, links: Vec::new(), parts: Vec::new() };
        builder.trunk();
        builder.arm(Side::Left)?;
        builder.arm(Side::Right)?;
        let left = builder.leg(Side::Left)?;
        let right = builder.leg(Side::Right)?;
        builder.finish([left, right])
    }
}

/// The rest pose with its roles, checked.
struct Rest<'a> {
    skeleton: &'a Skeleton,
    positions: Vec<DVec3>,
    stature: f64,
    proportions: Proportions,
}

/// Roles of one side's limbs.
fn leg_roles(side: Side) -> [Role; 4] {
    match side {
        Side::Left => [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes],
        Side::Right => [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes],
    }
}

fn arm_roles(side: Side) -> [Role; 3] {
    match side {
        Side::Left => [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        Side::Right => [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
    }
}

impl<'a> Rest<'a> {
    fn new(skeleton: &'a Skeleton, config: &BodyConfig) -> Result<Self, BodyError> {
        let [left, right] = [Side::Left, Side::Right].map(leg_roles);
        let needed =
            [Role::Hips].into_iter().chain(left[..3].iter().copied()).chain(right[..3].iter().copied());
        let roles: Vec<Role> = needed.filter(|&role| skeleton.find(role).is_none()).collect();
        if !roles.is_empty() {
            return Err(BodyError::Missing { roles });
        }
        let positions: Vec<DVec3> = skeleton.rest_positions().iter().map(|p| p.as_dvec3()).collect();
        let mut rest = Self { skeleton, positions, stature: 0.0, proportions: config.proportions };
        let mut legs = 0.0;
        for roles in [left, right] {
            rest.below(roles[0], Role::Hips)?;
            for pair in roles[..3].windows(2) {
                rest.below(pair[1], pair[0])?;
                legs += 0.5 * rest.length(pair[0], pair[1])?;
            }
        }
        rest.stature = config.stature_m.unwrap_or(legs / LEG_SHARE);
        if !(rest.stature > 0.0 && rest.stature.is_finite()) {
            return Err(BodyError::Impossible { role: Role::Hips, what: "the stature" });
        }
        if !(config.mass_kg > 0.0 && config.mass_kg.is_finite()) {
            return Err(BodyError::Mass { what: "the body".into(), mass_kg: config.mass_kg });
        }
        if !(config.gravity_m_s2.is_finite() && config.strength >= 0.0 && config.strength.is_finite()) {
            return Err(BodyError::Impossible { role: Role::Hips, what: "the gravity or strength" });
        }
        Ok(rest)
    }

    fn find(&self, role: Role) -> Option<usize> {
        self.skeleton.find(role)
    }

    fn at(&self, role: Role) -> Option<DVec3> {
        self.find(role).map(|joint| self.positions[joint])
    }

    fn below(&self, role: Role, above: Role) -> Result<(), BodyError> {
        match (self.find(role), self.find(above)) {
            (Some(joint), Some(ancestor))
                if joint != ancestor && !self.skeleton.is_below(joint, ancestor) =>
            {
                Err(BodyError::NotBelow { role, above })
            }
            _ => Ok(()),
        }
    }

    fn length(&self, from: Role, to: Role) -> Result<f64, BodyError> {
        let metres = match (self.at(from), self.at(to)) {
            (Some(a), Some(b)) => a.distance(b),
            _ => 0.0,
        };
        if metres < MIN_LENGTH { Err(BodyError::Short { role: from, metres }) } else { Ok(metres) }
    }

    /// The end site of `joint` farthest from it, or a role-less child that ends the limb; rest position.
    fn tip(&self, joint: usize) -> Option<DVec3> {
        let at = self.positions[joint];
        let tips = self.skeleton.joint(joint).tips.iter().map(|tip| at + tip.as_dvec3());
        let ends =
            self.skeleton.children(joint).iter().filter(|&&child| self.skeleton.joint(child).role.is_none());
        let ends = ends.map(|&child| self.positions[child]);
        tips.chain(ends)
            .max_by(|a, b| a.distance(at).total_cmp(&b.distance(at)))
            .filter(|p| p.distance(at) > 0.0)
    }
}

/// A piece of mass on a link: its share and its inertia per kilogram about the link's origin.
struct Part {
    link: usize,
    share: f64,
    unit: Inertia,
}

struct Builder<'a> {
    rest: &'a Rest<'a>,
    config: &'a BodyConfig,
    links: Vec<Link>,
    parts: Vec<Part>,
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

    fn origin(&self, link: usize) -> DVec3 {
        self.rest.positions[self.links[link].origin_joint]
    }

    /// A straight segment of the table on `link`, endpoints in rest positions.
    fn segment(&mut self, link: usize, segment: Segment, start: DVec3, end: DVec3) {
        let share = self.rest.proportions.share(segment);
        let origin = self.origin(link);
        let unit = segment_inertia(&share, 1.0, start - origin, end - origin, DVec3::X);
        self.parts.push(Part { link, share: share.mass, unit });
    }

    /// Pelvis, torso and head.
    fn trunk(&mut self) {
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
        let off = |joint: usize| ((rest.positions[joint] - low).dot(along) - BACK_SHARE).abs();
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
        self.links[pelvis].end = low.lerp(high, BACK_SHARE) - rest.positions[hips];
        // The table's trunk from mid-hip upward, stretched to this trunk.
        let scale = (high - low) / rest.proportions.trunk_length();
        let mut from = low;
        for (segment, link) in
            [(Segment::LowerTrunk, pelvis), (Segment::MiddleTrunk, torso), (Segment::UpperTrunk, torso)]
        {
            let to = from + scale * rest.proportions.share(segment).length;
            self.segment(link, segment, to, from);
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
                let share = tip.distance(base) / rest.stature;
                (HEAD_RANGE.0..HEAD_RANGE.1).contains(&share)
            })
            .unwrap_or_else(|| {
                let up = skull.map_or(DVec3::ZERO, |joint| rest.positions[joint] - base);
                base + up.normalize_or(DVec3::Y) * usual
            });
        let link = match (neck, skull) {
            (Some(neck), Some(skull)) if rest.skeleton.is_below(neck, self.links[torso].origin_joint) => {
                let head = self.link(Role::Neck, Some(torso), JointKind::Ball, neck, skull);
                self.ball(head, DQuat::IDENTITY, anatomy::spine_axes());
                self.links[head].end = crown - base;
                head
            }
            _ => torso,
        };
        self.segment(link, Segment::Head, crown, base);
    }

    /// Upper arm and forearm with the hand; what the skeleton lacks is welded on in its usual length.
    fn arm(&mut self, side: Side) -> Result<(), BodyError> {
        let rest = self.rest;
        let [upper, lower, hand] = arm_roles(side);
        let Some(shoulder) = rest.find(upper) else { return Ok(()) };
        let torso =
            self.links.iter().rposition(|link| matches!(link.role, Role::Hips | Role::Spine)).unwrap_or(0);
        rest.below(upper, self.links[torso].role)?;
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
        self.segment(arm, Segment::UpperArm, start, elbow_at);
        let forearm = match elbow {
            Some(joint) => {
                let forearm = self.link(lower, Some(arm), JointKind::Hinge, joint, joint);
                self.links[forearm].end = wrist_at - elbow_at;
                let hinge = anatomy::elbow(elbow_at - start, wrist_at - elbow_at);
                self.hinge(forearm, hinge.axis, hinge.rest);
                forearm
            }
            None => arm,
        };
        self.segment(forearm, Segment::Forearm, elbow_at, wrist_at);
        let reach = (wrist_at - elbow_at).normalize() * usual(Segment::Hand);
        self.segment(forearm, Segment::Hand, wrist_at, wrist_at + reach);
        Ok(())
    }

    /// Thigh, shank, foot and, where there are any, toes.
    fn leg(&mut self, side: Side) -> Result<Foot, BodyError> {
        let rest = self.rest;
        let [upper, lower, foot, toes] = leg_roles(side);
        let joint = |role: Role| rest.find(role).ok_or(BodyError::Missing { roles: vec![role] });
        let (hip, knee, ankle) = (joint(upper)?, joint(lower)?, joint(foot)?);
        let [hip_at, knee_at, ankle_at] = [hip, knee, ankle].map(|joint| rest.positions[joint]);
        let thigh = self.link(upper, Some(0), JointKind::Ball, hip, hip);
        self.links[thigh].end = knee_at - hip_at;
        let neutral = DQuat::from_rotation_arc((knee_at - hip_at).normalize(), DVec3::NEG_Y);
        self.ball(thigh, neutral, anatomy::limb_axes(side, &DMat3::IDENTITY));
        self.segment(thigh, Segment::Thigh, hip_at, knee_at);

        let shank = self.link(lower, Some(thigh), JointKind::Hinge, knee, knee);
        self.links[shank].end = ankle_at - knee_at;
        let hinge = anatomy::knee(knee_at - hip_at, ankle_at - knee_at);
        self.hinge(shank, hinge.axis, hinge.rest);
        self.segment(shank, Segment::Shank, knee_at, ankle_at);

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
        let share = self.rest.proportions.share(Segment::Foot);
        let (origin, [heel_side, ball_side, tip_side]) = (self.origin(foot), shape.corners);
        let centre = shape.heel.lerp(shape.tip, share.com) + shape.basis.y_axis * (0.5 * shape.height);
        let Some(toes) = toes else {
            let raised = shape.basis.y_axis * (0.5 * shape.height);
            self.segment(foot, Segment::Foot, shape.heel + raised, shape.tip + raised);
            self.links[foot].sole =
                [heel_side, ball_side, tip_side].concat().iter().map(|&p| p - origin).collect();
            return;
        };
        let size = |length: f64, breadth: f64, height: f64| DVec3::new(breadth, height, length);
        let breadth = self.rest.stature * table::FOOT_BREADTH;
        let thin = self.rest.stature * table::TOE_HEIGHT;
        let (rear_share, toes_share) =
            (share.mass * (1.0 - table::TOES_SHARE), share.mass * table::TOES_SHARE);
        let toes_origin = self.origin(toes);
        let toes_centre = shape.ball.lerp(shape.tip, 0.5) + shape.basis.y_axis * (0.5 * thin);
        let length = shape.ball.distance(shape.tip).max(MIN_LENGTH);
        let unit = box_inertia(1.0, toes_centre - toes_origin, size(length, breadth, thin), &shape.basis);
        self.parts.push(Part { link: toes, share: toes_share, unit });
        // The rear part's centre makes up for the toes', so that foot and toes together have the table's.
        let rear_centre = (centre - toes_centre * table::TOES_SHARE) / (1.0 - table::TOES_SHARE);
        let length = shape.heel.distance(shape.ball).max(MIN_LENGTH);
        let unit = box_inertia(1.0, rear_centre - origin, size(length, breadth, shape.height), &shape.basis);
        self.parts.push(Part { link: foot, share: rear_share, unit });
        self.links[foot].sole = [heel_side, ball_side].concat().iter().map(|&p| p - origin).collect();
        self.links[toes].sole = [ball_side, tip_side].concat().iter().map(|&p| p - toes_origin).collect();
    }

    fn overrides(&self, link: usize) -> Option<&LinkOverride> {
        self.config.links.get(&self.links[link].role)
    }

    fn strength_factor(&self, link: usize) -> f64 {
        self.config.strength * self.overrides(link).and_then(|o| o.strength).unwrap_or(1.0)
    }

    /// Range and strength of a ball joint; `neutral` takes the rest to the anatomical neutral pose, in which `axes` are
    /// the anatomical axes in the parent's frame.
    fn ball(&mut self, link: usize, neutral: DQuat, axes: DMat3) {
        let role = self.links[link].role;
        let Some(row) = ball_row(role) else { return };
        let (mass, stature, factor) = (self.config.mass_kg, self.rest.stature, self.strength_factor(link));
        let degrees = self.overrides(link).and_then(|o| o.limits_deg).unwrap_or(row.map(|way| way.degrees));
        let torque =
            |k: usize| DVec3::from_array(row.map(|w| factor * w.torque[k].newton_metres(mass, stature)));
        let centre = match role {
            Role::LeftUpperArm | Role::RightUpperArm => {
                DVec3::new(SHOULDER_CENTRE_DEG[0].to_radians(), SHOULDER_CENTRE_DEG[1].to_radians(), 0.0)
            }
            _ => DVec3::ZERO,
        };
        let end = |k: usize| DVec3::from_array(degrees.map(|way| way[k].to_radians())) - centre;
        let swing = exp64(axes * centre);
        self.links[link].limits = Limits::Ball(BallRange {
            centre: (swing * neutral).normalize(),
            axes: DMat3::from_quat(swing) * axes,
            low: end(0),
            high: end(1),
        });
        self.links[link].strength = Strength {
            anatomical_from_link: axes.transpose() * DMat3::from_quat(neutral),
            negative: torque(0),
            positive: torque(1),
        };
    }

    /// Axis, range and strength of a hinge that is flexed by `rest` in the rest pose.
    fn hinge(&mut self, link: usize, axis: DVec3, rest: f64) {
        let Some(row) = hinge_row(self.links[link].role) else { return };
        let axis = self
            .overrides(link)
            .and_then(|o| o.axis)
            .map_or(axis, |a| DVec3::from_array(a).normalize_or(axis));
        let (mass, stature, factor) = (self.config.mass_kg, self.rest.stature, self.strength_factor(link));
        let degrees = self.overrides(link).and_then(|o| o.limits_deg).map_or(row.degrees, |all| all[0]);
        let [low, high] = degrees.map(|d| d.to_radians() - rest);
        let [negative, positive] = row.torque.map(|t| DVec3::X * (factor * t.newton_metres(mass, stature)));
        let link = &mut self.links[link];
        link.axis = axis;
        link.limits = Limits::Hinge { low, high };
        link.strength.negative = negative;
        link.strength.positive = positive;
    }

    /// Spreads the mass, applies the overrides and numbers everything.
    fn finish(mut self, feet: [Foot; 2]) -> Result<Body, BodyError> {
        let config = self.config;
        if let Some((&role, _)) =
            config.links.iter().find(|(role, _)| self.links.iter().all(|l| l.role != **role))
        {
            return Err(BodyError::Nowhere { role });
        }
        let given: Vec<Option<f64>> =
            (0..self.links.len()).map(|link| self.overrides(link).and_then(|o| o.mass_kg)).collect();
        for (link, mass) in self.links.iter().zip(&given) {
            if let Some(mass_kg) = *mass
                && !(mass_kg > 0.0 && mass_kg.is_finite())
            {
                return Err(BodyError::Mass { what: link.role.to_string(), mass_kg });
            }
        }
        let shares: Vec<f64> = (0..self.links.len())
            .map(|link| self.parts.iter().filter(|p| p.link == link).map(|p| p.share).sum())
            .collect();
        let fixed: f64 = given.iter().flatten().sum();
        let free: f64 = shares.iter().zip(&given).filter(|(_, g)| g.is_none()).map(|(s, _)| s).sum();
        if free > 0.0 && fixed >= config.mass_kg {
            return Err(BodyError::LinkMasses { sum_kg: fixed, mass_kg: config.mass_kg });
        }
        let scale = if free > 0.0 { (config.mass_kg - fixed) / free } else { 0.0 };
        for part in &self.parts {
            let k = given[part.link].map_or(scale, |mass| mass / shares[part.link]) * part.share;
            let unit = &part.unit;
            let j = unit.j;
            let j =
                Sym3 { xx: k * j.xx, yy: k * j.yy, zz: k * j.zz, xy: k * j.xy, xz: k * j.xz, yz: k * j.yz };
            self.links[part.link].inertia += Inertia { mass: k, h: unit.h * k, j };
        }
        for index in 0..self.links.len() {
            let o = self.overrides(index).cloned().unwrap_or_default();
            apply(&mut self.links[index], &o)?;
        }
        let body = self.number(feet);
        body.with_loads(self.rest.skeleton, &config.loads)
    }

    fn number(&self, feet: [Foot; 2]) -> Body {
        let links = self.links.clone();
        let num_dofs = links.iter().map(Link::num_dofs).sum();
        let num_coordinates = links.iter().map(Link::num_coordinates).sum();
        let mut dof_parents = Vec::with_capacity(num_dofs);
        for link in &links {
            let above = link.parent.map_or(0, |p| links[p].dof + links[p].num_dofs() - 1);
            dof_parents.extend(
                (link.dof..link.dof + link.num_dofs()).map(|d| if d == link.dof { above } else { d - 1 }),
            );
        }
        let skeleton = self.rest.skeleton;
        let mut joint_links: Vec<usize> = Vec::with_capacity(skeleton.num_joints());
        for joint in 0..skeleton.num_joints() {
            let own = links.iter().position(|link| link.origin_joint == joint);
            let link = own.unwrap_or_else(|| skeleton.parent(joint).map_or(0, |parent| joint_links[parent]));
            joint_links.push(link);
        }
        let places = joint_links.iter().zip(&self.rest.positions);
        let joint_places = places.map(|(&link, &at)| (link, at - self.origin(link))).collect();
        let gravity = DVec3::NEG_Y * self.config.gravity_m_s2;
        let stature = self.rest.stature;
        Body { links, feet, num_coordinates, num_dofs, stature, gravity, dof_parents, joint_places }
    }
}

/// Centre, inertia and radius of a finished link.
fn apply(link: &mut Link, o: &LinkOverride) -> Result<(), BodyError> {
    let impossible = |what| Err(BodyError::Impossible { role: link.role, what });
    let com = o.com_m.map_or(link.inertia.com(), DVec3::from_array);
    let j = o.inertia_kg_m2.map_or(link.inertia.j_com(), |[xx, yy, zz, xy, xz, yz]| Sym3 {
        xx,
        yy,
        zz,
        xy,
        xz,
        yz,
    });
    let positive = j.xx > 0.0
        && j.xx * j.yy - j.xy * j.xy > 0.0
        && j.to_mat3().determinant() > 0.0
        && j.to_mat3().is_finite();
    if !positive {
        return impossible("the rotational inertia");
    }
    if !com.is_finite() {
        return impossible("the centre of mass");
    }
    if !o.strength.is_none_or(|s| s >= 0.0 && s.is_finite()) {
        return impossible("the strength");
    }
    let range = match &link.limits {
        Limits::Free => true,
        Limits::Hinge { low, high } => low <= high && low.is_finite() && high.is_finite(),
        Limits::Ball(range) => {
            range.low.cmple(DVec3::ZERO).all()
                && range.high.cmpge(DVec3::ZERO).all()
                && range.low.is_finite()
                && range.high.is_finite()
        }
    };
    if !range {
        return impossible("the range");
    }
    if o.com_m.is_some() || o.inertia_kg_m2.is_some() {
        link.inertia = Inertia::new(link.inertia.mass, com, j);
    }
    let length = link.end.length().max(MIN_LENGTH);
    link.radius = (link.inertia.mass / (DENSITY * std::f64::consts::PI * length)).sqrt();
    Ok(())
}
