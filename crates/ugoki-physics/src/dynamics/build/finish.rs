//! Ranges and strengths of the joints, the body's mass on its links, overrides and numbering.

use glam::{DMat3, DQuat, DVec3};
use ugoki_base::math::exp64;

use super::joints::{ball_row, centre_deg, hinge_row};
use super::limbs::Builder;
use crate::dynamics::body::{BallRange, Body, BodyError, Foot, Limits, Link, MIN_LENGTH, Strength};
use crate::dynamics::config::LinkOverride;
use crate::dynamics::spatial::{Inertia, Sym3};

/// Mean density of the body for the capsules' radii, kg/m³ \[winter2009, §4.1.1\].
const DENSITY: f64 = 1050.0;

impl Builder<'_> {
    fn overrides(&self, link: usize) -> Option<&LinkOverride> {
        self.config.links.get(&self.links[link].role)
    }

    fn strength_factor(&self, link: usize) -> f64 {
        self.config.strength * self.overrides(link).and_then(|o| o.strength).unwrap_or(1.0)
    }

    /// Range and strength of a ball joint; `neutral` takes the rest to the anatomical neutral pose, in which `axes` are
    /// the anatomical axes in the parent's frame.
    pub(super) fn ball(&mut self, link: usize, neutral: DQuat, axes: DMat3) {
        let role = self.links[link].role;
        let Some(row) = ball_row(role) else { return };
        let (mass, stature, factor) = (self.config.mass_kg, self.rest.stature, self.strength_factor(link));
        let degrees = self.overrides(link).and_then(|o| o.limits_deg).unwrap_or(row.map(|way| way.degrees));
        let torque =
            |k: usize| DVec3::from_array(row.map(|w| factor * w.torque[k].newton_metres(mass, stature)));
        let [flexion, abduction] = centre_deg(role);
        let centre = DVec3::new(flexion.to_radians(), abduction.to_radians(), 0.0);
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
    pub(super) fn hinge(&mut self, link: usize, axis: DVec3, rest: f64) {
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
    pub(super) fn finish(mut self, feet: [Foot; 2]) -> Result<Body, BodyError> {
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
        let fractions: Vec<f64> = (0..self.links.len())
            .map(|link| self.parts.iter().filter(|p| p.link == link).map(|p| p.fraction).sum())
            .collect();
        let fixed: f64 = given.iter().flatten().sum();
        let free: f64 = fractions.iter().zip(&given).filter(|(_, g)| g.is_none()).map(|(s, _)| s).sum();
        if free > 0.0 && fixed >= config.mass_kg {
            return Err(BodyError::LinkMasses { sum_kg: fixed, mass_kg: config.mass_kg });
        }
        let scale = if free > 0.0 { (config.mass_kg - fixed) / free } else { 0.0 };
        for part in &self.parts {
            let k = given[part.link].map_or(scale, |mass| mass / fractions[part.link]) * part.fraction;
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
    if o.axis.is_some_and(|axis| DVec3::from_array(axis).try_normalize().is_none()) {
        return impossible("the axis");
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
