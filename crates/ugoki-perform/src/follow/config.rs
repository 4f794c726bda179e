//! Parameters of the filter, estimated on the tuning half (docs/results/perform.md).

use crate::amplitude::Base;

/// Rates at which a performer may go through the actor's motion, as multiples of the actor's.
pub(super) const RATES: [f32; NUM_RATES] = [0.0, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83];
pub(super) const NUM_RATES: usize = 8;

/// Parameters of transitions and likelihoods. One set for every motion.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterConfig {
    /// Seconds by which velocities are multiplied before they are compared with positions.
    pub velocity_s: f32,
    /// Distance at which the likelihood falls to 1/e.
    pub scale: f32,
    /// Weight of the places of hands, feet and head, against 1 of a bone's direction.
    pub ends: f32,
    /// Probability per tick of another rate next to this one.
    pub near_rate: f32,
    /// Probability per tick of any other rate.
    pub any_rate: f32,
    /// Probability per tick that a performer pauses.
    pub pause: f32,
    /// Probability per tick that a pause ends.
    pub resume: f32,
    /// Probability per tick of another size.
    pub resize: f32,
    /// Probability per tick of a jump to another frame of the motion.
    pub jump: f32,
    /// Probability per tick of another motion.
    pub switch: f32,
    /// Power with which the likelihood of a motion falls with the distance to its nearest frame.
    pub identity_power: f32,
    /// Distance that is added to it: that of what was learned itself, through noise.
    pub identity_noise: f32,
    /// Probability per tick that a performer at the end of a motion begins another.
    pub leave: f32,
    /// Part of jumps that go to a motion's first 0.3 s.
    pub begin: f32,
    /// Probability before the first frame that the performer does something that was not learned.
    pub unknown_at_first: f32,
    /// Probability per tick that the performer begins, or ends, something that was not learned.
    pub unknown: [f32; 2],
    /// Distance that is expected of what was not learned: a constant, and a part of its velocity.
    pub unknown_distance: [f32; 2],
    /// Exponent of likelihoods where the two are compared: frames that follow each other are no independent evidence.
    pub unknown_weight: f32,
    /// Another place is shown when it is this many times as probable as the one shown.
    pub odds: f32,
    /// Sizes at which motions are done, and about which pose; the whole one is always there.
    pub sizes: Vec<(f32, Base)>,
    /// Prior probability of the whole size.
    pub whole: f32,
}

impl Default for FilterConfig {
    fn default() -> Self {
        Self {
            velocity_s: 0.3,
            scale: 0.1,
            ends: 0.1,
            near_rate: 0.1,
            any_rate: 0.01,
            pause: 0.01,
            resume: 0.1,
            resize: 0.01,
            jump: 0.001,
            switch: 0.03,
            identity_power: 3.0,
            identity_noise: 0.1,
            leave: 0.3,
            begin: 0.5,
            unknown_at_first: 0.2,
            unknown: [0.001, 0.005],
            unknown_distance: [0.15, 0.77],
            unknown_weight: 0.4,
            odds: 4.0,
            sizes: vec![
                (0.75, Base::First),
                (0.55, Base::First),
                (0.4, Base::First),
                (0.75, Base::Mean),
                (0.55, Base::Mean),
                (0.4, Base::Mean),
            ],
            whole: 0.5,
        }
    }
}

impl FilterConfig {
    /// Transition probabilities between rates, row by row.
    pub(super) fn rate_transitions(&self) -> [[f32; NUM_RATES]; NUM_RATES] {
        let prior = self.rate_prior();
        let moving: f32 = prior[1..].iter().sum();
        std::array::from_fn(|from| {
            let mut row = [0.0; NUM_RATES];
            if from == 0 {
                for to in 1..NUM_RATES {
                    row[to] = self.resume * prior[to] / moving;
                }
                row[0] = 1.0 - self.resume;
                return row;
            }
            for to in 1..NUM_RATES {
                row[to] = self.any_rate * prior[to] / moving;
            }
            for near in [from - 1, from + 1] {
                if (1..NUM_RATES).contains(&near) {
                    row[near] += 0.5 * self.near_rate;
                }
            }
            row[0] = self.pause;
            row[from] += 1.0 - row.iter().sum::<f32>();
            row
        })
    }

    /// Prior probabilities of rates: log-normal about the actor's.
    pub(super) fn rate_prior(&self) -> [f32; NUM_RATES] {
        let mut prior: [f32; NUM_RATES] = std::array::from_fn(|i| match RATES[i] {
            0.0 => 0.05,
            rate => (-0.5 * (rate.ln() / 0.5).powi(2)).exp(),
        });
        let moving: f32 = prior[1..].iter().sum();
        prior[1..].iter_mut().for_each(|p| *p *= 0.95 / moving);
        prior
    }
}
