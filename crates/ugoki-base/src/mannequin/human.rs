//! The parts of a human body, where the roles are known. Radii are fractions of the stature, read off a
//! lightly built adult (Drillis & Contini's segment lengths, limb girths of 0.10 to 0.32 statures).

use glam::Vec3;

use super::part::{Flat, Part, Place, side_of};
use crate::skeleton::{Role, Side, Skeleton};

/// The parts that roles give, and which joints they draw already.
pub(super) fn human_parts(skeleton: &Skeleton, stature: f32) -> (Vec<Part>, Vec<bool>) {
    let num_joints = skeleton.num_joints();
    let rest = skeleton.rest_positions();
    let mut plan = Plan { skeleton, stature, rest, parts: Vec::new(), covered: vec![false; num_joints] };
    plan.torso();
    plan.head();
    for side in [Side::Left, Side::Right] {
        plan.arm(side);
        plan.leg(side);
    }
    (plan.parts, plan.covered)
}

struct Plan<'a> {
    skeleton: &'a Skeleton,
    stature: f32,
    rest: Vec<Vec3>,
    parts: Vec<Part>,
    covered: Vec<bool>,
}

impl Plan<'_> {
    fn find(&self, role: Role) -> Option<usize> {
        self.skeleton.find(role)
    }

    /// The joint of a role given by its left name.
    fn on(&self, side: Side, left: Role) -> Option<usize> {
        self.find(if side == Side::Left { left } else { left.mirrored() })
    }

    fn add(&mut self, a: Place, b: Place, ra: f32, rb: f32, flat: Flat, side: Option<Side>) {
        self.parts.push(Part { a, b, ra, rb, flat, side });
    }

    /// Marks the joints from `joint` up to, without, `ancestor` as drawn.
    fn cover(&mut self, joint: usize, ancestor: usize) {
        let mut at = joint;
        while at != ancestor {
            self.covered[at] = true;
            match self.skeleton.parent(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
    }

    /// The farthest descendant or tip of `joint` in rest, relative to it, metres.
    fn reach(&self, joint: usize) -> Option<Vec3> {
        let mut farthest: Option<Vec3> = None;
        for (j, info) in self.skeleton.joints().iter().enumerate().skip(joint) {
            if !self.skeleton.is_below(j, joint) {
                continue;
            }
            let own = (j != joint).then_some(Vec3::ZERO);
            for place in own.into_iter().chain(info.tips.iter().copied()) {
                let v = self.rest[j] + place - self.rest[joint];
                if farthest.is_none_or(|f| v.length() > f.length()) {
                    farthest = Some(v);
                }
            }
        }
        farthest.filter(|v| v.length() > 0.01 * self.stature)
    }

    /// Pelvis, belly, ribs, shoulders and neck: needs the tops of both arms and both legs.
    fn torso(&mut self) {
        let (Some(la), Some(ra)) = (self.find(Role::LeftUpperArm), self.find(Role::RightUpperArm)) else {
            return;
        };
        let (Some(ll), Some(rl)) = (self.find(Role::LeftUpperLeg), self.find(Role::RightUpperLeg)) else {
            return;
        };
        let depth = |thickness| Flat::Depth { from: ra, to: la, thickness };
        let hip_depth = Flat::Depth { from: ra, to: la, thickness: 0.80 };
        let pelvis = Place::between(ll, rl, 0.5);
        let shoulders = Place::between(la, ra, 0.5);
        // The waist: a joint of the back well between pelvis and shoulders, so that the back can bend.
        let bottom = (self.rest[ll] + self.rest[rl]) * 0.5;
        let top = (self.rest[la] + self.rest[ra]) * 0.5;
        let along = |j: usize| (self.rest[j] - bottom).dot(top - bottom) / (top - bottom).length_squared();
        let waist = [Role::Spine, Role::Chest, Role::UpperChest]
            .into_iter()
            .filter_map(|role| self.find(role))
            .min_by(|&i, &j| (along(i) - 0.45).abs().total_cmp(&(along(j) - 0.45).abs()))
            .filter(|&j| (0.25..0.75).contains(&along(j)));
        let part_side = None;
        self.add(
            Place::between(ll, rl, 0.12),
            Place::between(rl, ll, 0.12),
            0.060,
            0.060,
            Flat::Round,
            part_side,
        );
        match waist {
            Some(waist) => {
                self.add(pelvis, Place::at(waist), 0.076, 0.068, hip_depth, part_side);
                self.add(Place::at(waist), shoulders, 0.072, 0.082, depth(0.70), part_side);
            }
            None => self.add(pelvis, shoulders, 0.074, 0.084, depth(0.72), part_side),
        }
        for (near, far) in [(la, ra), (ra, la)] {
            self.add(Place::between(near, far, 0.42), Place::at(near), 0.046, 0.031, Flat::Round, part_side);
        }
        for joint in [la, ra, ll, rl] {
            self.cover(joint, 0);
        }
        if let Some(head) = self.find(Role::Head) {
            self.add(shoulders, Place::at(head), 0.034, 0.028, Flat::Round, part_side);
            self.cover(head, 0);
            // The slope from the neck to the shoulders; without it they look like a coat hanger.
            if let Some(neck) = self.find(Role::Neck) {
                for (near, far) in [(la, ra), (ra, la)] {
                    let from = Place::between(neck, head, 0.50);
                    self.add(from, Place::between(near, far, 0.12), 0.026, 0.034, Flat::Round, part_side);
                }
            }
        }
    }

    /// Where the body faces at rest, if it stands: some rigs are drawn facing −Z.
    fn ahead(&self) -> Option<Vec3> {
        let rest = self.skeleton.rest_positions();
        let at = |role: Role| Some(rest[self.find(role)?]);
        let across = at(Role::LeftUpperLeg)? - at(Role::RightUpperLeg)?;
        let down = at(Role::LeftFoot)? - at(Role::LeftUpperLeg)?;
        let stands = down.normalize_or_zero().y < -0.7 && across.normalize_or_zero().y.abs() < 0.3;
        stands.then(|| across.cross(Vec3::Y).try_normalize()).flatten()
    }

    /// An egg with a small chin and a nose, so that one sees where it looks.
    fn head(&mut self) {
        let Some(head) = self.find(Role::Head) else { return };
        let up = self
            .skeleton
            .joint(head)
            .tips
            .first()
            .copied()
            .or_else(|| self.reach(head))
            .filter(|v| v.normalize_or_zero().y > 0.7)
            .map_or(Vec3::Y, Vec3::normalize);
        let ahead = self.ahead().unwrap_or(Vec3::Z);
        let forward = (ahead - up * ahead.dot(up)).normalize_or(Vec3::Z);
        let h = self.stature;
        let place = |high: f32, ahead: f32| Place::off(head, (up * high + forward * ahead) * h);
        let flat =
            Flat::Local { joint: head, axis: up.cross(forward).normalize_or(Vec3::X), thickness: 0.84 };
        self.add(place(0.024, 0.015), place(0.070, 0.004), 0.044, 0.055, flat, None);
        self.add(place(0.062, 0.050), place(0.047, 0.060), 0.007, 0.011, Flat::Round, None);
        for joint in 0..self.skeleton.num_joints() {
            if joint != head && self.skeleton.is_below(joint, head) {
                self.covered[joint] = true;
            }
        }
        self.covered[head] |=
            self.skeleton.parent(head).is_some_and(|p| self.skeleton.joint(p).role.is_some());
    }

    fn limb(&mut self, from: usize, to: usize, ra: f32, rb: f32) {
        let part_side = side_of(self.skeleton, from);
        self.add(Place::at(from), Place::at(to), ra, rb, Flat::Round, part_side);
        self.cover(to, from);
    }

    fn arm(&mut self, side: Side) {
        let upper = self.on(side, Role::LeftUpperArm);
        let lower = self.on(side, Role::LeftLowerArm);
        let Some(hand) = self.on(side, Role::LeftHand) else {
            if let (Some(upper), Some(lower)) = (upper, lower) {
                self.limb(upper, lower, 0.033, 0.024);
            }
            return;
        };
        if let (Some(upper), Some(lower)) = (upper, lower) {
            self.limb(upper, lower, 0.033, 0.024);
            self.limb(lower, hand, 0.026, 0.016);
        }
        let part_side = side_of(self.skeleton, hand);
        let (index, little) =
            (self.on(side, Role::LeftIndexProximal), self.on(side, Role::LeftLittleProximal));
        if let (Some(index), Some(little)) = (index, little) {
            // A palm to the knuckles; the fingers are thin capsules of their own.
            let flat = Flat::Depth { from: index, to: little, thickness: 0.5 };
            self.add(Place::at(hand), Place::between(index, little, 0.45), 0.018, 0.025, flat, part_side);
            for joint in [index, little] {
                self.cover(joint, hand);
            }
            return;
        }
        // Without fingers a mitten in the direction of whatever hangs on the hand, at most as long as a hand.
        let direction = self.reach(hand).unwrap_or(self.skeleton.joint(hand).offset);
        let length = direction.length().clamp(0.06 * self.stature, 0.085 * self.stature);
        let end = direction.normalize_or_zero() * length;
        self.add(Place::at(hand), Place::off(hand, end * 0.55), 0.017, 0.023, Flat::Round, part_side);
        self.add(Place::off(hand, end * 0.55), Place::off(hand, end), 0.022, 0.014, Flat::Round, part_side);
        if self.reach(hand).is_none_or(|reach| reach.length() < 0.15 * self.stature) {
            for joint in 0..self.skeleton.num_joints() {
                let below = self.skeleton.is_below(joint, hand) && joint != hand;
                let thumb = self.skeleton.joint(joint).name.to_ascii_lowercase().contains("thumb");
                if below && !thumb {
                    self.covered[joint] = true;
                }
            }
        }
    }

    fn leg(&mut self, side: Side) {
        let upper = self.on(side, Role::LeftUpperLeg);
        let lower = self.on(side, Role::LeftLowerLeg);
        if let (Some(upper), Some(lower)) = (upper, lower) {
            self.limb(upper, lower, 0.053, 0.035);
        }
        let Some(foot) = self.on(side, Role::LeftFoot) else { return };
        if let Some(lower) = lower {
            self.limb(lower, foot, 0.036, 0.021);
        }
        let part_side = side_of(self.skeleton, foot);
        let toes = self.on(side, Role::LeftToes);
        let Some(reach) = toes.map(|t| self.rest[t] - self.rest[foot]).or_else(|| self.reach(foot)) else {
            return;
        };
        let ball = toes.map_or(Place::off(foot, reach * 0.7), Place::at);
        self.add(Place::at(foot), ball, 0.022, 0.017, Flat::Round, part_side);
        // In rest the foot stands on the ground, so the heel lies behind and below the ankle at the
        // ball's height; a foot that points down at rest does not show its heel.
        let ahead = Vec3::new(reach.x, 0.0, reach.z);
        if ahead.length() > 0.4 * reach.length() {
            let heel = ahead.normalize() * (-0.022 * self.stature) + Vec3::Y * (0.8 * reach.y.min(0.0));
            self.add(Place::at(foot), Place::off(foot, heel), 0.022, 0.019, Flat::Round, part_side);
            self.add(Place::off(foot, heel), ball, 0.018, 0.018, Flat::Round, part_side);
            // Between instep and sole, so that a high ankle leaves no hole.
            self.add(Place::off(foot, heel * 0.5), ball, 0.021, 0.017, Flat::Round, part_side);
        }
        match toes {
            Some(toes) => {
                let end = self.reach(toes).unwrap_or(reach.normalize_or_zero() * 0.045 * self.stature);
                let end = end.clamp_length_max(0.06 * self.stature);
                self.add(Place::at(toes), Place::off(toes, end), 0.018, 0.012, Flat::Round, part_side);
                self.cover(toes, foot);
            }
            None => self.add(ball, Place::off(foot, reach), 0.018, 0.012, Flat::Round, part_side),
        }
        for joint in 0..self.skeleton.num_joints() {
            if joint != foot && self.skeleton.is_below(joint, foot) {
                self.covered[joint] = true;
            }
        }
    }
}
