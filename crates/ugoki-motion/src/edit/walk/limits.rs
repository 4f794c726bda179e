//! What a walk may ask of a body, and how steps that ask for too much are taken: slower, and wider.
//!
//! ```text
//! Effort of every step ─tune→ tempo and width of every step ─walk again→ … ─fault→ walked, or refused with the reason
//! ```

use super::Gait;
use super::effort::Effort;
use super::error::Strain;
use super::plan::Footstep;

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

/// One step as it was walked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Taken {
    pub(super) effort: Effort,
    /// Farthest that the hips sink under where the feet carry them, metres.
    pub(super) sunk_m: f32,
    /// How far from the other foot it goes over the ground, metres, and how long it takes from the footfall before, seconds.
    pub(super) length_m: f32,
    pub(super) seconds: f32,
}

/// What a body may be asked for: knees, feet and hips that go faster are slowed, legs that come nearer go round each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Radians, radians and metres per second.
    pub(super) bends: f32,
    pub(super) turns: f32,
    pub(super) bobs: f32,
    /// Metres.
    pub(super) nears: f32,
    leg_m: f32,
    scale: f32,
}

/// How much faster than the source's fastest knees may bend, feet turn and hips rise before a step is slowed: what eyes take for the same
/// person in more of a hurry.
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
/// Longest that a slowed step may take, seconds, and longest by its length, legs × seconds. Steps of the captured walks take up to 1.0 s,
/// and the longest for their length 0.67 legs × seconds (111_29, 0.68 legs in 0.98 s; docs/results/segments.md), of which a tenth more is let
/// pass: beyond, it is a walk in slow motion.
const LONGEST_S: f32 = 1.0;
const LONGEST_LEG_S: f32 = 0.75;
/// Most that a step goes wider, metres for a leg of 0.85 m.
const WIDEST_M: f32 = 0.16;

/// Farthest that hips may sink for a step, as a part of the leg, beyond what straight legs need that are opened for it, and the least that
/// is let pass: deeper, it is a walk on bent knees. More by half of a step's height.
const BENT_SUNK: f32 = 0.08;
const LEAST_SUNK: f32 = 0.15;
const SUNK_PER_RISE: f32 = 0.5;
/// Longest step for which hips sink, as a part of the leg; longer ones are refused.
const SUNK_STEP: f32 = 1.1;
/// Least distance from hip to ankle, as a share of the leg, unless the source folds its own farther: a knee bent by 145°, about as far
/// as knees bend.
const LEAST_LEG: f32 = 0.3;
/// Fastest that hips may rise or sink: this, m/s, as walkers' on stairs, or so many times what the source itself does.
const MOST_BOB_M_S: f32 = 0.9;
const MOST_BOB: f32 = 2.5;
/// How much faster for each metre of a step's height, 1/s: hips take it in a quarter of a second at their fastest.
const MOST_CLIMB_PER_S: f32 = 4.0;
/// Fastest that knees may bend: this, radians per second, as in a brisk walk, or so many times what the source itself does.
const MOST_BEND_S: f32 = 7.0;
const MOST_BEND: f32 = 1.3;
/// Farthest that a knee may bend the wrong way, radians, unless the source's own does: 5°, as captures' solvers leave straight legs.
const MOST_BACK: f32 = 0.087;
/// Nearest that legs may come to each other, metres between their middle lines for a leg of 0.85 m, unless the source's own do.
const LEAST_APART_M: f32 = 0.03;

// Speeds above these mark a corrupt source, which cannot serve as a reference: sprinters' knees reach 1200°/s,
// and jumpers' hips leave the ground at 4 m/s.
/// Knee speed that no body reaches, rad/s.
pub const BROKEN_BEND_S: f32 = 26.0;
/// Vertical speed of hips that no body reaches, m/s.
pub const BROKEN_BOB_M_S: f32 = 5.0;

impl Limits {
    /// For a source that was seen to take `own`, with legs this long, and a plan with steps this high.
    pub(super) fn of(own: &Effort, rise_m: f32, leg_m: f32, scale: f32) -> Self {
        let eased = |what: usize, own: f32| EASED[what] * own.max(EVER[what] / EASED[what]);
        Self {
            bends: eased(0, own.bends.0.min(BROKEN_BEND_S)),
            turns: eased(1, own.turns.0),
            bobs: eased(2, own.bobs.0.min(BROKEN_BOB_M_S)) + CLIMB_PER_S * rise_m,
            nears: (NEAR_M * scale).min(own.nears.0),
            leg_m,
            scale,
        }
    }

    /// Makes every step slower or wider that takes too much; says whether anything changed.
    pub(super) fn tune(&self, steps: &[Taken], manners: &mut [Manner]) -> bool {
        let mut changed = false;
        for (at, Taken { effort, .. }) in steps.iter().enumerate() {
            let over = self.over(effort);
            if over > 1.0 {
                let slower = (1.0 / over).max(AT_A_TIME);
                // A pace is reached in half a step: the steps beside it go along.
                for (beside, share) in [(at.wrapping_sub(1), 0.5), (at, 1.0), (at + 1, 0.5)] {
                    let (Some(manner), Some(step)) = (manners.get_mut(beside), steps.get(beside)) else {
                        continue;
                    };
                    let tempo = (manner.tempo * slower.powf(share)).max(self.least_tempo(step, manner.tempo));
                    changed |= tempo < manner.tempo;
                    manner.tempo = tempo.min(manner.tempo);
                }
            }
            changed |= self.widen(effort, &mut manners[at]);
        }
        changed
    }

    /// How many times too fast knees, feet or hips are.
    pub(super) fn over(&self, effort: &Effort) -> f32 {
        let over = [effort.bends.0 / self.bends, effort.turns.0 / self.turns, effort.bobs.0 / self.bobs];
        over.into_iter().fold(0.0, f32::max)
    }

    /// The least tempo with which a step does not take too long, for one that was taken with `tempo`.
    fn least_tempo(&self, step: &Taken, tempo: f32) -> f32 {
        let longest = LONGEST_S.min(LONGEST_LEG_S * self.leg_m / step.length_m.max(1e-3));
        (step.seconds * tempo / longest).clamp(SLOWEST, 1.0)
    }

    /// Leads a step wider whose legs come too near; says whether that changed anything.
    pub(super) fn widen(&self, effort: &Effort, manner: &mut Manner) -> bool {
        let lacks = self.nears - effort.nears.0;
        if lacks <= 0.0 {
            return false;
        }
        // The bow is widest in the middle of the swing; legs may meet where it is half of that.
        let wider = (manner.wider_m + 2.0 * lacks).min(WIDEST_M * self.scale);
        let changed = wider > manner.wider_m;
        manner.wider_m = wider.max(manner.wider_m);
        changed
    }
}

impl Gait {
    /// The largest step up or down of a plan, metres.
    pub(super) fn largest_rise(&self, plan: &[Footstep]) -> f32 {
        let first = plan.first().map(|step| self.stands_first(step.foot));
        let heights: Vec<f32> = first.iter().chain(plan).map(|step| step.place.y).collect();
        heights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
    }

    /// Farthest that hips may sink for a step this long in a plan with steps this high, metres.
    pub(super) fn most_sunk(&self, length_m: f32, rise_m: f32) -> f32 {
        let half = 0.5 * (length_m / self.leg_m()).min(SUNK_STEP);
        let opened = 1.0 - (1.0 - half * half).sqrt();
        (opened + BENT_SUNK).max(LEAST_SUNK) * self.leg_m() + SUNK_PER_RISE * rise_m
    }

    /// The first step that asks for too much, however it is taken, and of what.
    pub(super) fn strained(&self, plan: &[Footstep], steps: &[Taken]) -> Option<(usize, Strain)> {
        let own = &self.own_effort;
        let rise = self.largest_rise(plan);
        let folds = LEAST_LEG.min(own.folds.0);
        let bobs = MOST_BOB_M_S.max(MOST_BOB * own.bobs.0.max(self.held_bobs).min(BROKEN_BOB_M_S))
            + MOST_CLIMB_PER_S * rise;
        let bends = MOST_BEND_S.max(MOST_BEND * own.bends.0.min(BROKEN_BEND_S));
        let nears = (LEAST_APART_M * self.source().scale()).min(own.nears.0);
        let bend = |share: f32| 180.0 - 2.0 * share.clamp(-1.0, 1.0).asin().to_degrees();
        let strain = |Taken { effort, sunk_m, length_m, .. }: &Taken| {
            let sunk = self.most_sunk(*length_m, rise);
            if *sunk_m > sunk {
                Some(Strain::Sinks { metres: *sunk_m, max: sunk })
            } else if effort.folds.0 < folds {
                Some(Strain::Folds { degrees: bend(effort.folds.0), max: bend(folds) })
            } else if effort.bobs.0 > bobs {
                Some(Strain::Lurches { metres_s: effort.bobs.0, max: bobs })
            } else if effort.least.0 < (-MOST_BACK).min(own.least.0) {
                Some(Strain::BendsBack { degrees: -effort.least.0.to_degrees() })
            } else if effort.bends.0 > bends {
                Some(Strain::Kicks {
                    times: effort.bends.0 / own.bends.0.clamp(MOST_BEND_S / MOST_BEND, BROKEN_BEND_S),
                })
            } else if effort.nears.0 < nears {
                Some(Strain::Touches { metres: effort.nears.0, min: nears })
            } else {
                None
            }
        };
        steps.iter().enumerate().find_map(|(at, step)| Some((at, strain(step)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(effort: Effort) -> Taken {
        Taken { effort, sunk_m: 0.0, length_m: 0.6, seconds: 0.6 }
    }

    #[test]
    fn only_steps_that_take_too_much_are_slowed_and_those_beside_them_less() {
        let own =
            Effort { bends: (6.0, 0), turns: (9.0, 0), bobs: (0.4, 0), nears: (0.1, 0), ..Effort::NONE };
        let limits = Limits::of(&own, 0.0, 0.85, 1.0);
        let mut steps = vec![taken(own); 7];
        let mut manners = vec![Manner::PLAIN; 7];
        assert!(!limits.tune(&steps, &mut manners));
        steps[3].effort.bends.0 = 8.0;
        steps[5].effort.nears.0 = 0.02;
        assert!(limits.tune(&steps, &mut manners));
        let tempos: Vec<f32> = manners.iter().map(|manner| manner.tempo).collect();
        assert!(tempos[3] < tempos[2] && tempos[2] == tempos[4] && tempos[2] < 1.0, "{tempos:?}");
        assert!(tempos[0] == 1.0 && tempos[1] == 1.0 && tempos[5] == 1.0);
        assert!(manners[5].wider_m > 0.0 && manners[3].wider_m == 0.0);
        for _ in 0..20 {
            limits.tune(&steps, &mut manners);
        }
        assert!(manners[3].tempo >= SLOWEST && manners[5].wider_m <= WIDEST_M, "it ends");
    }

    #[test]
    fn a_step_is_not_slowed_past_what_walkers_take_for_its_length() {
        let own =
            Effort { bends: (6.0, 0), turns: (9.0, 0), bobs: (0.4, 0), nears: (0.1, 0), ..Effort::NONE };
        let limits = Limits::of(&own, 0.0, 0.85, 1.0);
        for length_m in [0.2, 0.5, 0.9_f32] {
            let mut manners = [Manner::PLAIN];
            for _ in 0..20 {
                let seconds = 0.55 / manners[0].tempo;
                let effort = Effort { bends: (30.0, 0), ..own };
                limits.tune(&[Taken { effort, sunk_m: 0.0, length_m, seconds }], &mut manners);
            }
            let seconds = 0.55 / manners[0].tempo;
            assert!(
                seconds <= LONGEST_S + 1e-4 && seconds * length_m <= LONGEST_LEG_S * 0.85 + 1e-4,
                "{length_m}: {seconds}"
            );
        }
        // One that is slow by itself is as slow as it is.
        let mut manners = [Manner::PLAIN];
        let effort = Effort { bends: (30.0, 0), ..own };
        assert!(!limits.tune(&[Taken { effort, sunk_m: 0.0, length_m: 0.8, seconds: 1.4 }], &mut manners));
    }
}
