//! What a walk may demand of a body, and how steps that demand too much are taken: slower, and wider.
//!
//! ```text
//! Effort of every step ─tune→ tempo and width of every step ─walk again→ … ─strained→ walked, or refused with the reason
//! ```

use super::Gait;
use super::effort::Effort;
use super::error::{Excess, Strain};
use super::plan::Footstep;
use crate::edit::player::MOST_AROUND_M;

/// How a step is taken beyond what source and plan say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StepTuning {
    /// How fast, against the pace that its length gives.
    pub(super) tempo: f32,
    /// How much farther it goes round the other leg, metres.
    pub(super) wider_m: f32,
}

impl StepTuning {
    pub(super) const PLAIN: Self = Self { tempo: 1.0, wider_m: 0.0 };
}

/// One step as it was walked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Taken {
    pub(super) effort: Effort,
    /// Farthest that the hips sink under where the feet carry them, metres.
    pub(super) lowering_m: f32,
    /// How far from the other foot it goes over the ground, metres, and how long it takes from the footfall before, seconds.
    pub(super) length_m: f32,
    pub(super) seconds: f32,
}

/// Efforts beyond which steps are tuned: knees, feet and hips that go faster are slowed, legs that come nearer go round each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Of knees and feet, radians per second, and of hips, metres per second.
    speeds: [f32; 3],
    /// Metres.
    pub(super) nears: f32,
    leg_m: f32,
    scale: f32,
}

/// Speeds up to which knees, rad/s, feet, rad/s, and hips in height, m/s, are never slowed, as any walk has them; how many times as fast as
/// the source's fastest they may be, what eyes take for the same person in more of a hurry; and how much more for each metre of the plan's
/// highest step, 1/s.
const SLOWED: [[f32; 3]; 3] = [[5.0, 1.25, 0.0], [8.0, 1.3, 0.0], [0.35, 1.9, 3.0]];
/// The same beyond which a plan is refused, of knees, 600°/s as in a slow run, and of hips, as walkers' on stairs: they take a step's height in
/// a quarter of a second at their fastest.
const REFUSED: [[f32; 3]; 2] = [[10.5, 1.3, 0.0], [0.9, 2.5, 4.0]];
/// Legs nearer than this pass through each other to the eye, half of two ankles' widths, and are refused when nearer than this, unless
/// the source's own are, metres between their middle lines for a leg of 0.85 m.
const NEAR_M: [f32; 2] = [0.06, 0.03];
/// Least of its pace that a step is slowed to.
const SLOWEST: f32 = 0.5;
/// Least factor by which a step is slowed at a time.
const AT_A_TIME: f32 = 0.75;
/// Longest that a slowed step may take, seconds, and longest by its length, legs × seconds. Steps of the captured walks take up to 1.0 s,
/// and the longest for their length 0.67 legs × seconds (111_29, 0.68 legs in 0.98 s; docs/results/segments.md), of which a tenth more is let
/// pass: beyond, it is a walk in slow motion.
const LONGEST_STEP: [f32; 2] = [1.0, 0.75];
/// Farthest that hips may sink for a step, as a part of the leg: by so much beyond what straight legs need that are opened for it, or
/// by so much for any step; deeper, it is a walk on bent knees.
const SUNK: [f32; 2] = [0.14, 0.15];
/// How much farther for each metre of the plan's highest step, metres.
const SUNK_PER_RISE: f32 = 0.5;
/// Longest step for which hips sink, as a part of the leg; longer ones are refused.
const SUNK_STEP: f32 = 1.1;
/// Least distance from hip to ankle, as a part of the leg, unless the source folds its own farther: a knee bent by 145°, about as far
/// as knees bend.
const LEAST_LEG: f32 = 0.3;
/// Farthest that a knee may bend the wrong way, radians, unless the source's own does: 5°, as captures' solvers leave straight legs.
const MOST_BACK: f32 = 0.087;

// Speeds above these mark a corrupt source, which cannot serve as a reference: sprinters' knees reach 1200°/s,
// and jumpers' hips leave the ground at 4 m/s.
/// Knee speed that no body reaches, rad/s.
pub const BROKEN_BEND_S: f32 = 26.0;
/// Vertical speed of hips that no body reaches, m/s.
pub const BROKEN_BOB_M_S: f32 = 5.0;

/// A strain with the figure found and its limit.
type Check = (fn(Excess) -> Strain, f32, f32);

/// The limit of an effort whose source reaches `own`, in a plan with steps this high.
fn limit([always, times, per_rise]: [f32; 3], own: f32, rise_m: f32) -> f32 {
    always.max(times * own) + per_rise * rise_m
}

impl Limits {
    /// For a source that was seen to take `own`, with legs this long, and a plan with steps this high.
    pub(super) fn new(own: &Effort, rise_m: f32, leg_m: f32, scale: f32) -> Self {
        let own_speeds = [own.bends.0.min(BROKEN_BEND_S), own.turns.0, own.bobs.0.min(BROKEN_BOB_M_S)];
        Self {
            speeds: [0, 1, 2].map(|i: usize| limit(SLOWED[i], own_speeds[i], rise_m)),
            nears: (NEAR_M[0] * scale).min(own.nears.0),
            leg_m,
            scale,
        }
    }

    /// Makes every step slower or wider that takes too much; says whether anything changed.
    pub(super) fn tune(&self, steps: &[Taken], tunings: &mut [StepTuning]) -> bool {
        let mut changed = false;
        for (at, Taken { effort, .. }) in steps.iter().enumerate() {
            let over = self.over(effort);
            if over > 1.0 {
                let slower = (1.0 / over).max(AT_A_TIME);
                // A pace is reached in half a step: the adjacent steps go along.
                for (near, part) in [(at.wrapping_sub(1), 0.5), (at, 1.0), (at + 1, 0.5)] {
                    let (Some(tuning), Some(step)) = (tunings.get_mut(near), steps.get(near)) else {
                        continue;
                    };
                    let tempo = (tuning.tempo * slower.powf(part)).max(self.least_tempo(step, tuning.tempo));
                    changed |= tempo < tuning.tempo;
                    tuning.tempo = tempo.min(tuning.tempo);
                }
            }
            changed |= self.widen(effort, &mut tunings[at]);
        }
        changed
    }

    /// How many times too fast knees, feet or hips are.
    pub(super) fn over(&self, effort: &Effort) -> f32 {
        let speeds = [effort.bends.0, effort.turns.0, effort.bobs.0];
        speeds.iter().zip(&self.speeds).map(|(speed, most)| speed / most).fold(0.0, f32::max)
    }

    /// The least tempo with which a step does not take too long, for one that was taken with `tempo`.
    fn least_tempo(&self, step: &Taken, tempo: f32) -> f32 {
        let longest = LONGEST_STEP[0].min(LONGEST_STEP[1] * self.leg_m / step.length_m.max(1e-3));
        (step.seconds * tempo / longest).clamp(SLOWEST, 1.0)
    }

    /// Leads a step wider whose legs come too near; says whether that changed anything.
    pub(super) fn widen(&self, effort: &Effort, tuning: &mut StepTuning) -> bool {
        let lacks = (self.nears - effort.nears.0).max(0.0);
        // The bow is widest in the middle of the swing; legs may meet where it is half of that.
        let wider = (tuning.wider_m + 2.0 * lacks).min(MOST_AROUND_M * self.scale);
        let changed = wider > tuning.wider_m;
        tuning.wider_m = wider.max(tuning.wider_m);
        changed
    }
}

impl Gait {
    /// The largest step up or down of a plan, metres.
    pub(super) fn largest_rise(&self, plan: &[Footstep]) -> f32 {
        let before = self.standing(plan);
        let rise = |(step, stands): (&Footstep, _)| self.stride(step, stands).rise.abs();
        plan.iter().zip(&before).map(rise).fold(0.0, f32::max)
    }

    /// Farthest that hips may sink for a step this long in a plan with steps this high, metres.
    pub(super) fn most_lowering(&self, length_m: f32, rise_m: f32) -> f32 {
        let half = 0.5 * (length_m / self.leg_m()).min(SUNK_STEP);
        let opened = 1.0 - (1.0 - half * half).sqrt();
        (opened + SUNK[0]).max(SUNK[1]) * self.leg_m() + SUNK_PER_RISE * rise_m
    }

    /// The first step that demands too much, however it is taken, and of what.
    pub(super) fn strained(&self, plan: &[Footstep], steps: &[Taken]) -> Option<(usize, Strain)> {
        let own = &self.own_effort;
        let rise = self.largest_rise(plan);
        let bends = limit(REFUSED[0], own.bends.0.min(BROKEN_BEND_S), rise);
        let bobs = limit(REFUSED[1], own.bobs.0.min(BROKEN_BOB_M_S), rise);
        let nears = (NEAR_M[1] * self.source().scale()).min(own.nears.0);
        let fold = |part: f32| 180.0 - 2.0 * part.clamp(-1.0, 1.0).asin().to_degrees();
        let strain = |Taken { effort, lowering_m, length_m, .. }: &Taken| {
            let times = REFUSED[0][1];
            let checks: [Check; 5] = [
                (Strain::Sinks, *lowering_m, self.most_lowering(*length_m, rise)),
                (Strain::Folds, fold(effort.folds.0), fold(LEAST_LEG.min(own.folds.0))),
                (Strain::Lurches, effort.bobs.0, bobs),
                (Strain::BendsBack, -effort.least.0.to_degrees(), MOST_BACK.max(-own.least.0).to_degrees()),
                (Strain::Kicks, effort.bends.0 / bends * times, times),
            ];
            let excess = checks.into_iter().find(|(_, found, max)| found > max);
            let touches = (effort.nears.0 < nears)
                .then_some(Strain::Touches(Excess { found: effort.nears.0, max: nears }));
            excess.map(|(strain, found, max)| strain(Excess { found, max })).or(touches)
        };
        steps.iter().enumerate().find_map(|(at, step)| Some((at, strain(step)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(effort: Effort) -> Taken {
        Taken { effort, lowering_m: 0.0, length_m: 0.6, seconds: 0.6 }
    }

    #[test]
    fn only_steps_that_take_too_much_are_slowed_and_adjacent_ones_less() {
        let own =
            Effort { bends: (6.0, 0), turns: (9.0, 0), bobs: (0.4, 0), nears: (0.1, 0), ..Effort::NONE };
        let limits = Limits::new(&own, 0.0, 0.85, 1.0);
        let mut steps = vec![taken(own); 7];
        let mut tunings = vec![StepTuning::PLAIN; 7];
        assert!(!limits.tune(&steps, &mut tunings));
        steps[3].effort.bends.0 = 8.0;
        steps[5].effort.nears.0 = 0.02;
        assert!(limits.tune(&steps, &mut tunings));
        let tempos: Vec<f32> = tunings.iter().map(|tuning| tuning.tempo).collect();
        assert!(tempos[3] < tempos[2] && tempos[2] == tempos[4] && tempos[2] < 1.0, "{tempos:?}");
        assert!(tempos[0] == 1.0 && tempos[1] == 1.0 && tempos[5] == 1.0);
        assert!(tunings[5].wider_m > 0.0 && tunings[3].wider_m == 0.0);
        for _ in 0..20 {
            limits.tune(&steps, &mut tunings);
        }
        assert!(tunings[3].tempo >= SLOWEST && tunings[5].wider_m <= MOST_AROUND_M, "it ends");
    }

    #[test]
    fn a_step_is_not_slowed_past_what_walkers_take_for_its_length() {
        let own =
            Effort { bends: (6.0, 0), turns: (9.0, 0), bobs: (0.4, 0), nears: (0.1, 0), ..Effort::NONE };
        let limits = Limits::new(&own, 0.0, 0.85, 1.0);
        for length_m in [0.2, 0.5, 0.9_f32] {
            let mut tunings = [StepTuning::PLAIN];
            for _ in 0..20 {
                let seconds = 0.55 / tunings[0].tempo;
                let effort = Effort { bends: (30.0, 0), ..own };
                limits.tune(&[Taken { effort, lowering_m: 0.0, length_m, seconds }], &mut tunings);
            }
            let seconds = 0.55 / tunings[0].tempo;
            assert!(
                seconds <= LONGEST_STEP[0] + 1e-4 && seconds * length_m <= LONGEST_STEP[1] * 0.85 + 1e-4,
                "{length_m}: {seconds}"
            );
        }
        // One that is slow by itself is as slow as it is.
        let mut tunings = [StepTuning::PLAIN];
        let effort = Effort { bends: (30.0, 0), ..own };
        assert!(
            !limits.tune(&[Taken { effort, lowering_m: 0.0, length_m: 0.8, seconds: 1.4 }], &mut tunings)
        );
    }
}
