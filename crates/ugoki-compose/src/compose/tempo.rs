//! The beats of a timeline: a tempo, or times given one by one.
//!
//! ```text
//! given   |    |     |    |    |         times of the timeline
//! steady  |    |    |    |    |          as many beats, all alike: what searches count in
//! ```
//!
//! Clips last whole beats of one length. Where beats are given one by one and agree well enough, a search counts in
//! steady beats, and what it finds is put on the given ones.

use ugoki_base::math::median;

use super::Timeline;

/// The beats of a timeline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tempo {
    /// Beats that were given one by one, seconds, ascending.
    given: Vec<f64>,
    steady: Option<Steady>,
}

/// Beats that are all alike.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Steady {
    beat_s: f64,
    /// The first from 0 s on.
    first_s: f64,
}

/// Fraction of the median by which beat intervals may differ and still be a tempo: as much as the tempo of clips may
/// change between keys.
const AGREE: f64 = 0.05;

impl Timeline {
    /// Its beats.
    #[must_use]
    pub fn tempo(&self) -> Tempo {
        if let Some(bpm) = self.bpm.filter(|bpm| *bpm > 0.0) {
            return Tempo { given: Vec::new(), steady: Some(Steady { beat_s: 60.0 / bpm, first_s: 0.0 }) };
        }
        let given = self.beats.clone();
        let (Some([least, middle, most]), [first, .., last]) = (apart(&given), &given[..]) else {
            return Tempo { given, steady: None };
        };
        let agree = most <= middle * (1.0 + AGREE) && least >= middle * (1.0 - AGREE);
        // The mean, and not the median, so that the steady beats end with the given ones.
        let beat_s = (last - first) / (given.len() - 1) as f64;
        // Rounding does not make a beat at 0 s one of a whole beat later.
        let first_s = (first - (first / beat_s + 1e-9).floor() * beat_s).max(0.0);
        Tempo { steady: agree.then_some(Steady { beat_s, first_s }), given }
    }
}

/// How far beats are apart: least, median and most, seconds; `None` for fewer than two.
fn apart(given: &[f64]) -> Option<[f64; 3]> {
    let apart: Vec<f64> = given.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let least = apart.iter().copied().fold(f64::INFINITY, f64::min);
    Some([least, median(&apart)?, apart.iter().copied().fold(0.0, f64::max)])
}

impl Tempo {
    /// How long a beat is, seconds; `None` without beats, or where they are too uneven for clips to last whole ones.
    #[must_use]
    pub fn beat_s(&self) -> Option<f64> {
        self.steady.map(|steady| steady.beat_s)
    }

    /// Beats per minute, as [`Tempo::beat_s`].
    #[must_use]
    pub fn bpm(&self) -> Option<f64> {
        self.beat_s().map(|beat_s| 60.0 / beat_s)
    }

    /// The first beat, seconds; 0 without a tempo.
    #[must_use]
    pub fn first_s(&self) -> f64 {
        self.steady.map_or(0.0, |steady| steady.first_s)
    }

    /// The nearest beat; given beats go on as before them and after them where they are a tempo, and else what lies
    /// farther outside than half a beat stays where it is.
    #[must_use]
    pub fn nearest(&self, at: f64) -> f64 {
        if let Some(Steady { beat_s, first_s }) = self.steady {
            let beats = ((self.to_steady(at) - first_s) / beat_s).round().max(0.0);
            return self.from_steady(first_s + beats * beat_s);
        }
        let Some([_, middle, _]) = apart(&self.given) else { return at };
        let next = self.given.partition_point(|&beat| beat < at);
        let neighbours = self.given[next.saturating_sub(1)..(next + 1).min(self.given.len())].iter().copied();
        let nearest = neighbours.min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs()));
        let inside = next > 0 && next < self.given.len();
        nearest.filter(|beat| inside || (beat - at).abs() <= 0.5 * middle).unwrap_or(at)
    }

    /// A time of the timeline on the clock by which all beats are alike.
    #[must_use]
    pub fn to_steady(&self, at: f64) -> f64 {
        let (Some(Steady { beat_s, .. }), Some(first)) = (self.steady, self.given.first()) else { return at };
        match self.given.partition_point(|&beat| beat <= at) {
            0 => at,
            next if next == self.given.len() => at,
            next => {
                let (before, after) = (self.given[next - 1], self.given[next]);
                first + ((next - 1) as f64 + (at - before) / (after - before)) * beat_s
            }
        }
    }

    /// A time on the clock by which all beats are alike, on the timeline; the inverse of [`Tempo::to_steady`].
    #[must_use]
    pub fn from_steady(&self, steady: f64) -> f64 {
        let (Some(Steady { beat_s, .. }), Some(first)) = (self.steady, self.given.first()) else {
            return steady;
        };
        let beats = (steady - first) / beat_s;
        let next = beats.floor() as usize + 1;
        if beats < 0.0 || next >= self.given.len() {
            return steady;
        }
        let (before, after) = (self.given[next - 1], self.given[next]);
        before + (beats - (next - 1) as f64) * (after - before)
    }

    /// Whether beats were given that are not all alike, so that the two clocks differ.
    pub(super) fn bends(&self) -> bool {
        self.steady.is_some() && !self.given.is_empty()
    }

    /// What to tell where clips are not put on beats that were given.
    #[must_use]
    pub fn uneven(&self) -> Option<String> {
        if self.steady.is_some() {
            return None;
        }
        let [least, middle, most] = apart(&self.given)?;
        let off = 100.0 * (most / middle - 1.0).max(1.0 - least / middle);
        Some(format!(
            "the beats are {least:.2} s to {most:.2} s apart, up to {off:.0} % off their middle of {middle:.2} s: keys are put on them, clips are not, as that takes beats within {:.0} %",
            100.0 * AGREE
        ))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn from_beats(beats: Vec<f64>) -> Tempo {
        Timeline { beats, ..Timeline::default() }.tempo()
    }

    proptest! {
        #[test]
        fn the_clocks_undo_each_other_and_agree_on_every_beat(
            first in 0.0..3.0_f64, beat in 0.2..2.0_f64, off in prop::collection::vec(0.98..1.02_f64, 1..30),
            at in 0.0..60.0_f64,
        ) {
            let mut beats = vec![first];
            off.iter().for_each(|factor| beats.push(beats[beats.len() - 1] + factor * beat));
            let tempo = from_beats(beats.clone());
            prop_assert!((tempo.beat_s().unwrap() / beat - 1.0).abs() <= 0.02 + 1e-9);
            prop_assert!(tempo.first_s() >= 0.0 && tempo.first_s() < 1.03 * beat);
            // 1e-9 s: sums of seconds in f64.
            prop_assert!((tempo.from_steady(tempo.to_steady(at)) - at).abs() < 1e-9);
            for (i, &given) in beats.iter().enumerate() {
                prop_assert!((tempo.nearest(given) - given).abs() < 1e-9);
                prop_assert!((tempo.from_steady(beats[0] + i as f64 * tempo.beat_s().unwrap()) - given).abs() < 1e-9);
            }
            let nearest = tempo.nearest(at);
            let by_hand = beats.iter().copied().min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs())).unwrap();
            if at >= beats[0] && at <= beats[beats.len() - 1] {
                prop_assert!(((nearest - at).abs() - (by_hand - at).abs()).abs() < 1e-9, "{nearest} {by_hand}");
            } else if at > beats[0] {
                prop_assert!((nearest - at).abs() <= 0.5 * tempo.beat_s().unwrap() + 1e-9, "it goes on");
            }
        }
    }

    #[test]
    fn uneven_beats_are_no_tempo_and_say_by_how_much() {
        let tempo = from_beats(vec![0.0, 1.1, 1.9, 3.0, 4.05, 5.0, 6.0]);
        assert_eq!((tempo.bpm(), tempo.nearest(2.3), tempo.nearest(6.4)), (None, 1.9, 6.0));
        // Farther than half a beat from the last there is no beat to go to.
        assert_eq!(tempo.nearest(20.0), 20.0);
        let message = tempo.uneven().unwrap();
        assert!(message.contains("0.80 s to 1.10 s") && message.contains("22 %"), "{message}");
        assert!(from_beats(Vec::new()).uneven().is_none() && from_beats(vec![1.0, 2.0]).uneven().is_none());
    }
}
