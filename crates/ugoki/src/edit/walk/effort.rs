//! What a walk takes of a body, step by step: how fast knees bend and feet turn, how fast hips rise and sink, how near legs pass.
//!
//! The same is measured of the source as it was captured. Steps that ask for more than it ever does are taken more slowly and wider
//! (`tune`), and a plan is refused when that does not help.

use glam::{Quat, Vec3};

use crate::contact::Feet;
use crate::pose::ModelPose;

/// What a walk takes of a body: the most of each, and the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Fastest rise or sinking of the hips, metres per second.
    pub bobs: (f32, usize),
    /// Nearest that an ankle comes to its hip joint, as a share of the leg.
    pub folds: (f32, usize),
    /// Fastest bending of a knee, radians per second.
    pub bends: (f32, usize),
    /// Fastest turning of a foot, radians per second.
    pub turns: (f32, usize),
    /// Nearest that shins and feet of the two legs come to each other, metres between their middle lines.
    pub nears: (f32, usize),
    /// Least bend of a knee, radians; negative when it bends the wrong way.
    pub least: (f32, usize),
}

impl Effort {
    pub(in crate::edit) const NONE: Self = Self {
        bobs: (0.0, 0),
        folds: (1.0, 0),
        bends: (0.0, 0),
        turns: (0.0, 0),
        nears: (f32::INFINITY, 0),
        least: (f32::INFINITY, 0),
    };

    /// The most of both.
    pub(in crate::edit) fn or(self, other: Self) -> Self {
        let most = |a: (f32, usize), b: (f32, usize)| if b.0 > a.0 { b } else { a };
        let least = |a: (f32, usize), b: (f32, usize)| if b.0 < a.0 { b } else { a };
        Self {
            bobs: most(self.bobs, other.bobs),
            folds: least(self.folds, other.folds),
            bends: most(self.bends, other.bends),
            turns: most(self.turns, other.turns),
            nears: least(self.nears, other.nears),
            least: least(self.least, other.least),
        }
    }
}

/// What is seen of a body in one frame.
struct Seen {
    height: f32,
    /// Bends of the knees, radians about axes in their thighs' frames, and distances from hip joints to ankles, metres.
    bends: [Vec3; 2],
    lengths: [f32; 2],
    turns: [Quat; 2],
    nears: f32,
}

/// A body frame by frame.
pub(in crate::edit) struct Trace<'a> {
    feet: &'a Feet,
    hips: usize,
    leg_m: [f32; 2],
    /// The way that knees bend, in their thighs' frames; by what is seen itself when absent.
    axes: Option<[Vec3; 2]>,
    seen: Vec<Seen>,
}

impl<'a> Trace<'a> {
    pub(in crate::edit) fn new(
        feet: &'a Feet,
        hips: usize,
        leg_m: [f32; 2],
        axes: Option<[Vec3; 2]>,
    ) -> Self {
        Self { feet, hips, leg_m, axes, seen: Vec::new() }
    }

    /// The way that the knees bend on the whole, in their thighs' frames.
    pub(in crate::edit) fn axes(&self) -> [Vec3; 2] {
        let own = || [0, 1].map(|side: usize| self.seen.iter().map(|seen| seen.bends[side]).sum::<Vec3>());
        self.axes.unwrap_or_else(own).map(Vec3::normalize_or_zero)
    }

    /// Looks at one pose more.
    pub(in crate::edit) fn see(&mut self, model: &ModelPose) {
        let at = |joint: usize| model.positions[joint];
        let legs = self.feet.feet.each_ref();
        let lines =
            legs.map(|foot| [[at(foot.lower), at(foot.ankle)], [at(foot.ankle), foot.toe.position(model)]]);
        let pairs = lines[0].iter().flat_map(|a| lines[1].iter().map(move |b| (a, b)));
        self.seen.push(Seen {
            height: at(self.hips).y,
            bends: legs.map(|foot| {
                let (thigh, shin) = (at(foot.lower) - at(foot.upper), at(foot.ankle) - at(foot.lower));
                let axis = thigh.cross(shin).normalize_or_zero();
                model.rotations[foot.upper].inverse() * axis * thigh.angle_between(shin)
            }),
            lengths: legs.map(|foot| at(foot.upper).distance(at(foot.ankle))),
            turns: legs.map(|foot| model.rotations[foot.ankle]),
            nears: pairs.map(|(a, b)| lines_apart(*a, *b)).fold(f32::INFINITY, f32::min),
        });
    }

    /// The most of each over some frames.
    pub(in crate::edit) fn effort(&self, frames: std::ops::Range<usize>, fps: f64) -> Effort {
        let fps = fps as f32;
        let axes = self.axes();
        let bend = |seen: &Seen, side: usize| {
            let bend: Vec3 = seen.bends[side];
            bend.length() * if bend.dot(axes[side]) < 0.0 { -1.0 } else { 1.0 }
        };
        let mut effort = Effort::NONE;
        for frame in frames.start..frames.end.min(self.seen.len()) {
            let now = &self.seen[frame];
            let before = &self.seen[frame.saturating_sub(1)];
            for side in 0..2 {
                effort = effort.or(Effort {
                    bobs: ((now.height - before.height).abs() * fps, frame),
                    folds: (now.lengths[side] / self.leg_m[side].max(1e-6), frame),
                    bends: ((bend(now, side) - bend(before, side)).abs() * fps, frame),
                    turns: (now.turns[side].angle_between(before.turns[side]) * fps, frame),
                    nears: (now.nears, frame),
                    least: (bend(now, side), frame),
                });
            }
        }
        effort
    }

    /// The most of each in the whole motion.
    pub(in crate::edit) fn whole(&self, fps: f64) -> Effort {
        self.effort(0..self.seen.len(), fps)
    }
}

/// Distance of two lines of finite length: the nearest points of both, found by going to and fro, which comes to the nearest because both
/// are convex; a dozen times is within a tenth of a millimetre for shins and feet.
fn lines_apart([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> f32 {
    let nearest = |from: Vec3, to: Vec3, p: Vec3| {
        let way = to - from;
        from + way * ((p - from).dot(way) / way.length_squared().max(1e-9)).clamp(0.0, 1.0)
    };
    let mut on = 0.5 * (a + b);
    let mut other = nearest(c, d, on);
    for _ in 0..12 {
        on = nearest(a, b, other);
        other = nearest(c, d, on);
    }
    on.distance(other)
}

/// How a step is taken beyond what source and plan say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Manner {
    /// How fast, against the pace that its length gives.
    pub(super) tempo: f32,
    /// How much farther it goes round the other leg, metres.
    pub(super) wider_m: f32,
}

impl Manner {
    pub(super) const PLAIN: Self = Self { tempo: 1.0, wider_m: 0.0 };
}

/// What a body may be asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Knees, feet and hips that go faster are slowed: radians, radians and metres per second.
    pub(super) bends: f32,
    pub(super) turns: f32,
    pub(super) bobs: f32,
    /// Legs that come nearer go round each other, metres.
    pub(super) nears: f32,
}

/// How much faster than the source's fastest knees may bend, feet turn and hips rise before a step is slowed: what eyes take for the same
/// person in more of a hurry. Reviewers count knees over 1.3 and hips over 2.
const EASED: [f32; 3] = [1.25, 1.3, 1.9];
/// What is never slowed: knees at 5 rad/s, feet at 8 rad/s, hips at 0.35 m/s, as any walk has them.
const EVER: [f32; 3] = [5.0, 8.0, 0.35];
/// How much faster hips may rise for each metre of a step's height, 1/s.
const CLIMB_PER_S: f32 = 3.0;
/// Legs nearer than this pass through each other to the eye, metres for a leg of 0.85 m; half of two ankles' widths.
const NEAR_M: f32 = 0.06;
/// Least of its pace that a step is slowed to, and most that it is slowed at a time.
const SLOWEST: f32 = 0.5;
const AT_A_TIME: f32 = 0.75;
/// Most that a step goes wider, metres for a leg of 0.85 m.
const WIDEST_M: f32 = 0.16;

impl Limits {
    /// For a source that was seen to take `own`, and a plan with steps this high.
    pub(super) fn of(own: &Effort, rise_m: f32, scale: f32) -> Self {
        let eased = |what: usize, own: f32| EASED[what] * own.max(EVER[what] / EASED[what]);
        Self {
            bends: eased(0, own.bends.0),
            turns: eased(1, own.turns.0),
            bobs: eased(2, own.bobs.0) + CLIMB_PER_S * rise_m,
            nears: (NEAR_M * scale).min(own.nears.0),
        }
    }

    /// Makes every step slower or wider that takes too much; says whether anything changed.
    pub(super) fn tune(&self, steps: &[Effort], manners: &mut [Manner], scale: f32) -> bool {
        let mut changed = false;
        for (at, effort) in steps.iter().enumerate() {
            let over = [effort.bends.0 / self.bends, effort.turns.0 / self.turns, effort.bobs.0 / self.bobs];
            let over = over.into_iter().fold(0.0, f32::max);
            if over > 1.0 {
                let slower = (1.0 / over).max(AT_A_TIME);
                // A pace is reached in half a step: the steps beside it go along.
                for (beside, share) in [(at.wrapping_sub(1), 0.5), (at, 1.0), (at + 1, 0.5)] {
                    let Some(manner) = manners.get_mut(beside) else { continue };
                    let tempo = (manner.tempo * slower.powf(share)).max(SLOWEST);
                    changed |= tempo < manner.tempo;
                    manner.tempo = tempo;
                }
            }
            let lacks = self.nears - effort.nears.0;
            if lacks > 0.0 {
                let manner = &mut manners[at];
                // The bow is widest in the middle of the swing; legs may meet where it is half of that.
                let wider = (manner.wider_m + 2.0 * lacks).min(WIDEST_M * scale);
                changed |= wider > manner.wider_m;
                manner.wider_m = wider;
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_lines_touch_and_parallel_ones_keep_their_distance() {
        let cross = lines_apart([Vec3::NEG_X, Vec3::X], [Vec3::NEG_Z, Vec3::Z]);
        assert!(cross < 1e-3, "{cross}");
        let beside = lines_apart([Vec3::ZERO, Vec3::Y], [Vec3::X * 0.1, Vec3::new(0.1, 1.0, 0.0)]);
        assert!((beside - 0.1).abs() < 1e-6, "{beside}");
        let apart = lines_apart([Vec3::ZERO, Vec3::Y], [Vec3::Y * 3.0, Vec3::Y * 4.0]);
        assert!((apart - 2.0).abs() < 1e-5, "{apart}");
    }

    #[test]
    fn only_steps_that_take_too_much_are_slowed_and_those_beside_them_less() {
        let own =
            Effort { bends: (6.0, 0), turns: (9.0, 0), bobs: (0.4, 0), nears: (0.1, 0), ..Effort::NONE };
        let limits = Limits::of(&own, 0.0, 1.0);
        let mut steps = vec![own; 7];
        let mut manners = vec![Manner::PLAIN; 7];
        assert!(!limits.tune(&steps, &mut manners, 1.0));
        steps[3].bends.0 = 8.0;
        steps[5].nears.0 = 0.02;
        assert!(limits.tune(&steps, &mut manners, 1.0));
        let tempos: Vec<f32> = manners.iter().map(|manner| manner.tempo).collect();
        assert!(tempos[3] < tempos[2] && tempos[2] == tempos[4] && tempos[2] < 1.0, "{tempos:?}");
        assert!(tempos[0] == 1.0 && tempos[1] == 1.0 && tempos[5] == 1.0);
        assert!(manners[5].wider_m > 0.0 && manners[3].wider_m == 0.0);
        for _ in 0..20 {
            limits.tune(&steps, &mut manners, 1.0);
        }
        assert!(manners[3].tempo >= SLOWEST && manners[5].wider_m <= WIDEST_M, "it ends");
    }
}
