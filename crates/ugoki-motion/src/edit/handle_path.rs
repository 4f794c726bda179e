//! The displacement of one handle over a clip: keys that must be met, pieces between them, and the way back afterwards.
//!
//! A request inside a segment cuts the segment there, as the paper has it \[kawachi2003, section 3.1\]. Each piece is bent to its own
//! end; where the distribution meets velocities, a piece begins with the velocity that the one before it ends with.

use glam::{DVec3, Vec3};

use super::{Bend, Coefficients, Distribution, EditError, Ends, Span, SpanBend};

/// Least number of samples from one key to the next: both ends of a piece have a position and a velocity.
pub(super) const MIN_PIECE: usize = 3;

/// How a handle must be displaced at a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    /// Frame of the clip.
    pub(super) frame: usize,
    /// Displacement there, metres.
    pub(super) by: DVec3,
    /// By how much the velocity changes there, metres per frame; what follows decides when absent.
    pub(super) velocity: Option<DVec3>,
}

/// What happens after the last key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// The handle keeps its displacement.
    Keep,
    /// It is on its captured path again from this frame on.
    Return(usize),
}

/// The displacement of a handle in every frame of a clip.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HandlePath {
    start: usize,
    pieces: Vec<Piece>,
    /// Displacement after the last piece.
    last: DVec3,
}

/// A piece ends at frame `end`.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    end: usize,
    how: How,
}

#[derive(Debug, Clone, PartialEq)]
enum How {
    /// Displaced by the same everywhere.
    Hold(DVec3),
    /// From a displacement and its change per sample, bent from frame `from` on.
    Bent { from: usize, start: DVec3, slope: DVec3, coefficients: Coefficients, bend: Box<Bend> },
    /// Bent at both ends; sample 0 is frame `from`.
    Between { from: usize, span: Span, bend: Box<SpanBend> },
}

impl Piece {
    fn at(&self, frame: usize) -> DVec3 {
        match &self.how {
            How::Hold(by) => *by,
            How::Bent { from, start, slope, coefficients, bend } => {
                let i = frame - from;
                *start + i as f64 * *slope + bend.at(coefficients, i)
            }
            How::Between { from, span, bend } => span.at(bend, frame - from),
        }
    }
}

impl HandlePath {
    /// For a joint's captured `path` over the whole clip; nothing moves up to frame `start`. Keys are in order.
    ///
    /// # Errors
    /// When two keys are too near each other or the path is not finite.
    pub(super) fn build(
        path: &[Vec3],
        start: usize,
        keys: &[Key],
        after: After,
        distribution: Distribution,
    ) -> Result<Self, EditError> {
        let speeds: Vec<f64> = speeds(path);
        let mut pieces: Vec<Piece> = Vec::new();
        // Frame, displacement there, displacement one frame later.
        let (mut from, mut by, mut next) = (start, DVec3::ZERO, DVec3::ZERO);
        for (at, key) in keys.iter().enumerate() {
            let is_still = by == next && key.by == by && key.velocity == Some(DVec3::ZERO);
            if is_still {
                pieces.push(Piece { end: key.frame, how: How::Hold(by) });
                from = key.frame;
                continue;
            }
            // The first piece has nothing to continue: two samples are enough.
            let least = if pieces.is_empty() { 2 } else { MIN_PIECE };
            if key.frame < from + least {
                return Err(EditError::TooShort { samples: key.frame.saturating_sub(from) + 1 });
            }
            let coefficients = Coefficients::build(&speeds[from..=key.frame])?;
            let n = key.frame - from;
            let velocity = match (key.velocity, keys.get(at + 1)) {
                (Some(velocity), _) => velocity,
                // The first stage of the piece that follows gives its start this velocity.
                (None, Some(following)) if distribution == Distribution::TwoStage => {
                    let ahead = Coefficients::build(&speeds[key.frame..=following.frame])?;
                    ahead.delta(1) * (following.by - key.by)
                }
                _ => DVec3::ZERO,
            };
            let how = match distribution {
                Distribution::TwoStage if !pieces.is_empty() => {
                    let ends = Ends { before: by, start: next, end: key.by, after: key.by + velocity };
                    let span = Span::build(&speeds[from..=key.frame])?;
                    let bend = Box::new(span.bend(&ends));
                    How::Between { from: from + 1, span, bend }
                }
                Distribution::OneStage => {
                    let slope = next - by;
                    let bend = Bend::new(
                        &coefficients,
                        key.by - by - n as f64 * slope,
                        velocity - slope,
                        distribution,
                    );
                    How::Bent { from, start: by, slope, coefficients, bend: Box::new(bend) }
                }
                _ => {
                    let bend = Bend::new(&coefficients, key.by - by, velocity, distribution);
                    How::Bent { from, start: by, slope: DVec3::ZERO, coefficients, bend: Box::new(bend) }
                }
            };
            next = match &how {
                How::Bent { start, slope, coefficients, bend, .. } => {
                    *start + (n + 1) as f64 * *slope + bend.at(coefficients, n + 1)
                }
                _ => key.by + velocity,
            };
            pieces.push(Piece { end: key.frame, how });
            (from, by) = (key.frame, key.by);
        }
        let last = match after {
            After::Keep => by,
            After::Return(end) => {
                if end < from + MIN_PIECE || end >= path.len() {
                    return Err(EditError::TooShort { samples: end.saturating_sub(from) + 1 });
                }
                let span = Span::build(&speeds[from..=end])?;
                let bend = Box::new(span.bend(&Ends { before: by, start: next, ..Ends::default() }));
                pieces.push(Piece { end, how: How::Between { from: from + 1, span, bend } });
                DVec3::ZERO
            }
        };
        Ok(Self { start, pieces, last })
    }

    /// Displacement at a frame, metres.
    pub(super) fn at(&self, frame: usize) -> DVec3 {
        if frame <= self.start {
            return DVec3::ZERO;
        }
        let at = self.pieces.partition_point(|piece| piece.end < frame);
        self.pieces.get(at).map_or(self.last, |piece| piece.at(frame))
    }

    /// The last frame that is displaced, or the last but one of the clip where the displacement is kept.
    pub(super) fn end(&self) -> Option<usize> {
        (self.last == DVec3::ZERO).then(|| self.pieces.last().map_or(self.start, |piece| piece.end))
    }
}

/// |v| of every frame, the last one repeated.
fn speeds(path: &[Vec3]) -> Vec<f64> {
    let mut speeds: Vec<f64> = path.windows(2).map(|x| (x[1] - x[0]).as_dvec3().length()).collect();
    speeds.push(speeds.last().copied().unwrap_or(0.0));
    speeds
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
    }

    fn path() -> impl Strategy<Value = Vec<Vec3>> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3::from_array), 60)
    }

    proptest! {
        #[test]
        fn keys_are_met_and_pieces_go_on_in_place_and_velocity(
            path in path(), a in vector(0.5), b in vector(0.5), va in prop::option::of(vector(0.1)), vb in vector(0.1), which in 0..4_usize,
        ) {
            let how = Distribution::ALL[which];
            let keys = [Key { frame: 25, by: a, velocity: va }, Key { frame: 40, by: b, velocity: Some(vb) }];
            let found = HandlePath::build(&path, 10, &keys, After::Return(55), how).unwrap();
            prop_assert!((0..=10).all(|frame| found.at(frame) == DVec3::ZERO));
            prop_assert!((55..60).all(|frame| found.at(frame).length() < 1e-9));
            prop_assert!(found.at(25).distance(a) < 1e-9 && found.at(40).distance(b) < 1e-9);
            if how.meets_velocity() {
                prop_assert!((found.at(41) - found.at(40)).distance(vb) < 1e-8);
                if let Some(va) = va {
                    prop_assert!((found.at(26) - found.at(25)).distance(va) < 1e-8);
                }
            }
        }

        #[test]
        fn a_split_that_asks_for_what_is_there_changes_nothing(path in path(), d in vector(0.5), dv in vector(0.1)) {
            for how in [Distribution::OneStage, Distribution::TwoStage] {
                let end = Key { frame: 40, by: d, velocity: Some(dv) };
                let whole = HandlePath::build(&path, 10, &[end], After::Keep, how).unwrap();
                let middle = Key { frame: 24, by: whole.at(24), velocity: Some(whole.at(25) - whole.at(24)) };
                let split = HandlePath::build(&path, 10, &[middle, end], After::Keep, how).unwrap();
                prop_assert!(split.at(24).distance(whole.at(24)) < 1e-9);
                prop_assert!((split.at(25) - split.at(24)).distance(whole.at(25) - whole.at(24)) < 1e-8);
                prop_assert!(split.at(40).distance(whole.at(40)) < 1e-9);
            }
        }
    }

    #[test]
    fn keys_too_near_each_other_are_refused() {
        let path: Vec<Vec3> = (0..20).map(|i| Vec3::X * i as f32).collect();
        let key = |frame| Key { frame, by: DVec3::X, velocity: None };
        for (keys, after) in [
            (vec![key(3)], After::Keep),
            (vec![key(8), key(10)], After::Keep),
            (vec![key(8)], After::Return(10)),
            (vec![key(8)], After::Return(20)),
        ] {
            let built = HandlePath::build(&path, 2, &keys, after, Distribution::TwoStage);
            assert!(matches!(built, Err(EditError::TooShort { .. })), "{keys:?}");
        }
    }
}
