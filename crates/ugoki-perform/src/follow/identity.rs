//! Which motion it is: a hidden Markov model over motions alone, which remembers longer than the filter of frames does.
//!
//! People that do one motion in their own way are far from the actor in every frame, and in no order that the actor has. What
//! they are near to more often than by chance is seen from the nearest frame of every motion, over seconds. The likelihood falls
//! with a power of the distance: among distances that are all large it changes slowly, and one that is small decides at once.

use super::config::FilterConfig;

/// Time over which the evidence of a performer using the other hand adds up, seconds.
const HAND_S: f32 = 4.0;
/// Evidence, natural logarithm of the odds, from which the other hand is taken.
const HAND_ODDS: f32 = 10.0;

/// Probabilities of motions, and with which hand the performer does each.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) probabilities: Vec<f32>,
    /// For every motion 1 where the performer's mirror image does it.
    pub(super) hands: Vec<usize>,
    /// Evidence for the mirror image.
    mirrored: Vec<f32>,
}

impl Identity {
    pub(super) fn new(motions: usize) -> Self {
        let probabilities = vec![1.0 / motions.max(1) as f32; motions];
        Self { probabilities, hands: vec![0; motions], mirrored: vec![0.0; motions] }
    }

    /// Takes distances to the nearest frame of every motion, of the performer and of the mirror image, infinite where one is not
    /// looked at. `switch` is the probability of a change since the frame before, `seconds` ago.
    pub(super) fn update(
        &mut self,
        distances: [&[f32]; 2],
        switch: f32,
        seconds: f32,
        config: &FilterConfig,
    ) {
        let each = switch / self.probabilities.len().max(1) as f32;
        let score = |d: f32| config.identity_power * (d + config.identity_noise).ln();
        let both = || distances[0].iter().zip(distances[1]);
        let fit = |own: f32, other: f32| match own.min(other) {
            d if d.is_finite() => score(d),
            _ => f32::MAX,
        };
        let fits = || both().map(|(&own, &other)| fit(own, other));
        // About the likeliest, so that not all become 0.
        let least = fits().fold(f32::MAX, f32::min);
        let mut sum = 0.0;
        for (p, fit) in self.probabilities.iter_mut().zip(fits()) {
            *p = ((1.0 - switch) * *p + each) * (least - fit).exp();
            sum += *p;
        }
        self.probabilities.iter_mut().for_each(|p| *p /= sum);
        let kept = (-seconds / HAND_S).exp();
        for ((evidence, hand), (&own, &other)) in self.mirrored.iter_mut().zip(&mut self.hands).zip(both()) {
            match (own.is_finite(), other.is_finite()) {
                (true, true) => {
                    *evidence = kept * *evidence + score(own) - score(other);
                    if evidence.abs() > HAND_ODDS {
                        *hand = usize::from(*evidence > 0.0);
                    }
                }
                (true, false) => *hand = 0,
                (false, true) => *hand = 1,
                (false, false) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: [f32; 3] = [f32::INFINITY; 3];

    fn update(identity: &mut Identity, own: &[f32], other: &[f32]) {
        let config = FilterConfig::default();
        identity.update([own, other], config.switch, 1.0 / 30.0, &config);
        let sum: f32 = identity.probabilities.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5);
    }

    #[test]
    fn what_is_near_decides_at_once_and_what_is_far_slowly() {
        let frames_until = |before: [f32; 3], after: [f32; 3]| {
            let mut identity = Identity::new(3);
            (0..300).for_each(|_| update(&mut identity, &before, &NOTHING));
            assert!(identity.probabilities[0] > 0.9);
            let mut frames = 0;
            while identity.probabilities[1] < 0.5 {
                update(&mut identity, &after, &NOTHING);
                frames += 1;
            }
            frames
        };
        // A performer that does just what was learned, and one that does it much otherwise.
        assert!(frames_until([0.02, 0.6, 0.6], [0.6, 0.02, 0.6]) <= 3);
        assert!(frames_until([0.5, 0.6, 0.6], [0.6, 0.5, 0.6]) > 4);
    }

    #[test]
    fn what_is_not_seen_changes_nothing_for_good() {
        let mut identity = Identity::new(3);
        (0..60).for_each(|_| update(&mut identity, &[0.1, 0.6, 0.6], &NOTHING));
        let before = identity.probabilities.clone();
        (0..3).for_each(|_| update(&mut identity, &NOTHING, &NOTHING));
        assert!(identity.probabilities[0] > 0.8, "{before:?} {:?}", identity.probabilities);
    }

    #[test]
    fn either_hand_counts_and_every_motion_has_its_own() {
        let mut identity = Identity::new(3);
        for _ in 0..60 {
            update(&mut identity, &[0.6, 0.3, 0.6], &[0.1, 0.3, 0.6]);
        }
        assert!(identity.probabilities[0] > 0.9);
        assert_eq!(identity.hands, [1, 0, 0]);
        for _ in 0..60 {
            update(&mut identity, &[0.1, 0.3, 0.6], &[0.6, 0.3, 0.6]);
        }
        assert_eq!(identity.hands, [0, 0, 0]);
    }
}
