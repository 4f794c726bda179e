//! What a walk demands of a body, step by step: how fast knees bend and feet turn, how fast hips rise and sink, how near legs pass.
//!
//! The same is measured of the source as it was captured; `limits` says what it may demand.

use glam::{Quat, Vec3};
use ugoki_base::math::lines_apart;
use ugoki_base::pose::ModelPose;
use ugoki_feet::contact::Feet;

/// What a walk demands of a body: the most of each, and the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Fastest rise or sinking of the hips, metres per second.
    pub bobs: (f32, usize),
    /// Nearest that an ankle comes to its hip joint, as a part of the leg.
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
    /// Axes about which knees bend, in their thighs' frames; by what is seen itself when absent.
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

    /// Axes about which the knees bend on the whole, in their thighs' frames.
    pub(in crate::edit) fn axes(&self) -> [Vec3; 2] {
        let own = || [0, 1].map(|side: usize| self.seen.iter().map(|seen| seen.bends[side]).sum::<Vec3>());
        self.axes.unwrap_or_else(own).map(Vec3::normalize_or_zero)
    }

    /// Looks at one pose more.
    pub(in crate::edit) fn see(&mut self, model: &ModelPose) {
        let at = |joint: usize| model.positions[joint];
        let legs = self.feet.feet.each_ref();
        self.seen.push(Seen {
            height: at(self.hips).y,
            bends: legs.map(|foot| {
                let (thigh, shin) = (at(foot.lower) - at(foot.upper), at(foot.ankle) - at(foot.lower));
                let axis = thigh.cross(shin).normalize_or_zero();
                model.rotations[foot.upper].inverse() * axis * thigh.angle_between(shin)
            }),
            lengths: legs.map(|foot| at(foot.upper).distance(at(foot.ankle))),
            turns: legs.map(|foot| model.rotations[foot.ankle]),
            nears: legs_apart_m(self.feet, model),
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

    /// Forgets what was seen from a frame on.
    pub(in crate::edit) fn cut(&mut self, frame: usize) {
        self.seen.truncate(frame);
    }

    /// The most of each in the whole motion.
    pub(in crate::edit) fn whole(&self, fps: f64) -> Effort {
        self.effort(0..self.seen.len(), fps)
    }
}

/// Nearest that shins and feet of the two legs come to each other in a pose, metres between the lines from knee to ankle and from ankle to
/// toe.
#[must_use]
pub fn legs_apart_m(feet: &Feet, model: &ModelPose) -> f32 {
    let lines = feet.feet.each_ref().map(|foot| {
        let (knee, ankle) = (model.positions[foot.lower], model.positions[foot.ankle]);
        [[knee, ankle], [ankle, foot.toe.position(model)]]
    });
    let pairs = lines[0].iter().flat_map(|a| lines[1].iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| lines_apart(*a, *b)).fold(f32::INFINITY, f32::min)
}
