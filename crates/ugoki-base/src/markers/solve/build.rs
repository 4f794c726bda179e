//! Posing the skeleton: joint by joint from the hips, every joint in every frame.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::centres::{Arm, Centres, Leg, SIDES};
use super::frame::{Path, Turns, turn};
use super::place_joints::{CHEST_FRACTION, foot_frame, place, roles};
use crate::clip::{Clip, ClipError};
use crate::pose::Pose;
use crate::skeleton::{Role, Skeleton};

/// How much more the end of a limb counts than its middle joint where constant lengths cannot meet both: feet on
/// the ground and hands on things are what is looked at.
const END_WEIGHT: f64 = 4.0;

/// What came out.
pub(super) struct Built {
    pub clip: Clip,
    /// Joints held in some frames, and in how many.
    pub held: Vec<(Role, usize)>,
    /// Per joint and frame, whether markers show it and everything above it.
    pub shown: Vec<Vec<bool>>,
}

/// Builds skeleton and clip; `None` without a whole leg.
pub(super) fn build(centres: &Centres, fps: f64) -> Result<Option<Built>, ClipError> {
    let Some(skeleton) = place(centres) else { return Ok(None) };
    let mut poser = Poser::new(skeleton, centres);
    poser.trunk(centres);
    for (i, side) in SIDES.into_iter().enumerate() {
        if let Some(leg) = &centres.legs[i] {
            poser.leg(leg, side);
        }
        if let (Some(arm), Some(chest)) = (&centres.arms[i], &centres.chest) {
            poser.arm(arm, chest, side);
        }
    }
    let (held, shown) = (std::mem::take(&mut poser.held), std::mem::take(&mut poser.shown));
    Ok(Some(Built { clip: poser.clip(fps)?, held, shown }))
}

struct Poser {
    skeleton: Arc<Skeleton>,
    frames: usize,
    root: Vec<DVec3>,
    /// Per joint and frame.
    local: Vec<Vec<DQuat>>,
    world: Vec<Vec<DQuat>>,
    held: Vec<(Role, usize)>,
    shown: Vec<Vec<bool>>,
}

impl Poser {
    fn new(skeleton: Arc<Skeleton>, centres: &Centres) -> Self {
        let frames = centres.pelvis.centre.len();
        let all = vec![vec![DQuat::IDENTITY; frames]; skeleton.num_joints()];
        let root = hold_points(&centres.pelvis.centre);
        let shown = vec![centres.pelvis.centre.iter().map(Option::is_some).collect(); skeleton.num_joints()];
        let mut poser =
            Self { skeleton, frames, root, local: all.clone(), world: all, held: Vec::new(), shown };
        poser.turn(0, &centres.pelvis.turns);
        poser
    }

    /// Takes the world turning of a joint where known; else carries the local one over.
    fn turn(&mut self, joint: usize, wanted: &Turns) {
        let parent = self.skeleton.parent(joint);
        let parent_turn = |f: usize| parent.map_or(DQuat::IDENTITY, |parent| self.world[parent][f]);
        let mut local: Vec<Option<DQuat>> =
            (0..self.frames).map(|f| Some((parent_turn(f).conjugate() * wanted[f]?).normalize())).collect();
        let above: Vec<bool> = self.shown[parent.unwrap_or(joint)].clone();
        self.shown[joint] = above.iter().zip(&local).map(|(above, turn)| *above && turn.is_some()).collect();
        let missing = local.iter().filter(|turn| turn.is_none()).count();
        hold_turns(&mut local);
        if missing > 0
            && let Some(role) = self.skeleton.joint(joint).role
        {
            self.held.push((role, missing));
        }
        let local: Vec<DQuat> = local.into_iter().map(Option::unwrap_or_default).collect();
        self.world[joint] = (0..self.frames).map(|f| (parent_turn(f) * local[f]).normalize()).collect();
        self.local[joint] = local;
    }

    /// Leaves a joint as its parent: no marker shows it.
    fn rest(&mut self, joint: usize) {
        if let Some(parent) = self.skeleton.parent(joint) {
            self.world[joint] = self.world[parent].clone();
            self.shown[joint] = self.shown[parent].clone();
        }
    }

    fn find(&self, role: Role) -> Option<usize> {
        self.skeleton.find(role)
    }

    fn offset(&self, joint: usize) -> DVec3 {
        self.skeleton.joint(joint).offset.as_dvec3()
    }

    /// Where a joint is by the turnings above it.
    fn position(&self, joint: usize, frame: usize) -> DVec3 {
        match self.skeleton.parent(joint) {
            None => self.root[frame],
            Some(parent) => self.position(parent, frame) + self.world[parent][frame] * self.offset(joint),
        }
    }

    fn positions(&self, joint: usize) -> Vec<DVec3> {
        (0..self.frames).map(|f| self.position(joint, f)).collect()
    }

    fn trunk(&mut self, centres: &Centres) {
        let (Some(top), Some(spine), Some(chest), Some(neck)) =
            (&centres.top, self.find(Role::Spine), self.find(Role::Chest), self.find(Role::Neck))
        else {
            return;
        };
        let start = self.positions(spine);
        let hips_left = |poser: &Self, f: usize| poser.world[0][f] * DVec3::X;
        let chest_vector = self.offset(neck);
        let wanted: Turns = (0..self.frames)
            .map(|f| {
                let (from, left) = match &centres.chest {
                    Some(turns) => (turns[f]? * chest_vector, turns[f]? * DVec3::X),
                    None => ((top[f]? - start[f]) * CHEST_FRACTION, DVec3::ZERO),
                };
                turn(DVec3::Y, DVec3::X, top[f]? - from - start[f], hips_left(self, f) + left)
            })
            .collect();
        self.turn(spine, &wanted);
        match &centres.chest {
            Some(turns) => self.turn(chest, turns),
            None => self.rest(chest),
        }
        let (Some(head), Some(found)) = (self.find(Role::Head), &centres.head) else {
            self.rest(neck);
            return;
        };
        let base = self.positions(neck);
        let wanted: Turns = (0..self.frames)
            .map(|f| {
                let left = self.world[chest][f] * DVec3::X;
                let left = match &found.turns {
                    Some(turns) => left + turns[f]? * DVec3::X,
                    None => left,
                };
                turn(DVec3::Y, DVec3::X, found.centre[f]? - base[f], left)
            })
            .collect();
        self.turn(neck, &wanted);
        match &found.turns {
            Some(turns) => self.turn(head, turns),
            None => self.rest(head),
        }
    }

    fn leg(&mut self, leg: &Leg, side: crate::skeleton::Side) {
        let names = roles(side);
        let (Some(upper), Some(lower), Some(foot)) =
            (self.find(names.upper_leg), self.find(names.lower_leg), self.find(names.foot))
        else {
            return;
        };
        let way = |poser: &Self| poser.chain(upper, [lower, foot], &leg.knee, &leg.ankle);
        let directions = way(self);
        let wanted = |which: usize| -> Turns {
            (0..self.frames)
                .map(|f| turn(DVec3::NEG_Y, DVec3::X, directions[f][which]?, leg.axis[f]?))
                .collect()
        };
        let (thigh, shank) = (wanted(0), wanted(1));
        self.turn(upper, &thigh);
        self.turn(lower, &shank);
        let seat_of_ball = self.skeleton.find(names.toes).map(|toes| self.offset(toes));
        let (Some(ball), Some(seat)) = (&leg.ball, seat_of_ball) else {
            self.rest(foot);
            return;
        };
        let wanted: Turns = (0..self.frames)
            .map(|f| match &leg.heel {
                Some(heel) => foot_frame(heel[f]?, ball[f]?, leg.knee[f]?),
                None => turn(seat, DVec3::X, ball[f]? - leg.ankle[f]?, leg.axis[f]?),
            })
            .collect();
        self.turn(foot, &wanted);
        if let Some(toes) = self.find(names.toes) {
            self.rest(toes);
        }
    }

    fn arm(&mut self, arm: &Arm, chest: &Turns, side: crate::skeleton::Side) {
        let names = roles(side);
        let Some(shoulder) = self.find(names.shoulder) else { return };
        let out = DVec3::X * names.sign;
        let start = self.positions(shoulder);
        let wanted: Turns = (0..self.frames)
            .map(|f| {
                let local = chest[f]?.conjugate() * (arm.shoulder[f]? - start[f]).try_normalize()?;
                Some(chest[f]? * DQuat::from_rotation_arc(out, local))
            })
            .collect();
        self.turn(shoulder, &wanted);
        let (Some(upper), Some(lower), Some(elbow)) =
            (self.find(names.upper_arm), self.find(names.lower_arm), &arm.elbow)
        else {
            return;
        };
        // An arm that bends forward has its axis down on the left and up on the right.
        let hinge = DVec3::NEG_Y * names.sign;
        let (Some(hand), Some(wrist)) = (self.find(names.hand), &arm.wrist) else {
            let start = self.positions(upper);
            let wanted: Turns =
                (0..self.frames).map(|f| turn(out, hinge, elbow[f]? - start[f], arm.axis[f]?)).collect();
            self.turn(upper, &wanted);
            self.rest(lower);
            return;
        };
        let directions = self.chain(upper, [lower, hand], elbow, wrist);
        let wanted: Turns =
            (0..self.frames).map(|f| turn(out, hinge, directions[f][0]?, arm.axis[f]?)).collect();
        self.turn(upper, &wanted);
        let twist = |d: DVec3, f: usize| match arm.thumb[f] {
            Some(thumb) => turn(out, DVec3::Z, d, thumb),
            None => turn(out, hinge, d, arm.axis[f]?),
        };
        let wanted: Turns = (0..self.frames).map(|f| twist(directions[f][1]?, f)).collect();
        self.turn(lower, &wanted);
        let Some(knuckle) = &arm.hand else {
            self.rest(hand);
            return;
        };
        let wanted: Turns = (0..self.frames)
            .map(|f| {
                let d = knuckle[f]? - wrist[f]?;
                let thumb = arm.thumb[f].unwrap_or(self.world[lower][f] * DVec3::Z);
                turn(out, DVec3::Z, d, thumb)
            })
            .collect();
        self.turn(hand, &wanted);
    }

    /// Directions of the two bones below `upper` whose constant lengths come nearest to the seen middle and end.
    fn chain(
        &self,
        upper: usize,
        [lower, end]: [usize; 2],
        middle: &Path,
        tip: &Path,
    ) -> Vec<[Option<DVec3>; 2]> {
        let (a, b) = (self.offset(lower).length(), self.offset(end).length());
        (0..self.frames)
            .map(|f| {
                let start = self.position(upper, f);
                let Some(middle) = middle[f] else { return [None, None] };
                let mut first = middle - start;
                let Some(tip) = tip[f] else { return [first.try_normalize(), None] };
                let mut second = tip - middle;
                // Each in turn given the other; the error falls by END_WEIGHT in each round.
                for _ in 0..8 {
                    let (Some(one), Some(two)) = (first.try_normalize(), second.try_normalize()) else {
                        return [None, None];
                    };
                    second = tip - (start + one * a);
                    let two = second.try_normalize().unwrap_or(two);
                    first = (middle + (tip - two * b) * END_WEIGHT) / (1.0 + END_WEIGHT) - start;
                }
                let one = first.try_normalize();
                [one, one.and_then(|one| (tip - (start + one * a)).try_normalize())]
            })
            .collect()
    }

    fn clip(self, fps: f64) -> Result<Clip, ClipError> {
        let poses: Vec<Pose> = (0..self.frames)
            .map(|f| Pose {
                root: self.root[f].as_vec3(),
                rotations: self.local.iter().map(|track| track[f].as_quat().normalize()).collect(),
                translations: Vec::new(),
            })
            .collect();
        Clip::from_poses(self.skeleton, fps, &poses)
    }
}

/// Carries rotations over gaps: the short way between the ends, held before the first and after the last.
fn hold_turns(turns: &mut [Option<DQuat>]) {
    carry(turns, |a, b, t| {
        let b = if a.dot(b) < 0.0 { -b } else { b };
        a.slerp(b, t)
    });
}

/// Carries positions over gaps in the same way.
fn hold_points(path: &Path) -> Vec<DVec3> {
    let mut path = path.clone();
    carry(&mut path, DVec3::lerp);
    path.into_iter().map(Option::unwrap_or_default).collect()
}

fn carry<T: Copy>(values: &mut [Option<T>], mix: impl Fn(T, T, f64) -> T) {
    let known: Vec<usize> = (0..values.len()).filter(|&f| values[f].is_some()).collect();
    let (Some(&first), Some(&last)) = (known.first(), known.last()) else { return };
    for f in 0..values.len() {
        if values[f].is_some() {
            continue;
        }
        let after = known.partition_point(|&k| k < f);
        values[f] = if f < first {
            values[first]
        } else if f > last {
            values[last]
        } else {
            let (from, to) = (known[after - 1], known[after]);
            match (values[from], values[to]) {
                (Some(a), Some(b)) => Some(mix(a, b, (f - from) as f64 / (to - from) as f64)),
                _ => None,
            }
        };
    }
}
