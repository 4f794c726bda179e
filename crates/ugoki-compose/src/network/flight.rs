//! Flight phases. A transition in flight would need a change of momentum, so clips are not cut, entered or left there.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_feet::feet::ClipFeet;

use super::Ground;

/// Toes are at least this high above the ground in a flight, metres for a leg of 0.85 m: more than a foot that swings
/// in a walk while a label of the other is missing.
const HIGH_M: f64 = 0.06;

/// A flight lasts no longer than this, seconds: a jump one metre high takes 0.9 s. Longer times without contacts are
/// handstands, rolls, or labels that failed.
const LONGEST_S: f64 = 1.2;

/// Frames of a clip in which neither foot touches the ground and both are high.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Flights(Vec<Range<usize>>);

impl Flights {
    /// Those of a clip with these feet; none where they are not known.
    pub(crate) fn new(feet: Option<&ClipFeet>, clip: &Clip) -> Self {
        let Some(feet) = feet else { return Self::default() };
        let motion = clip.motion_frames();
        let ground = Ground::of(feet);
        let touches = |frame: usize| feet.contacts.feet.iter().any(|foot| foot.touches(frame));
        let is_high = |frame: usize| {
            let lowest = feet.paths.iter().map(|path| path.toe[frame].y).fold(f64::INFINITY, f64::min);
            let level = ground.heights().get(frame).map_or(f64::INFINITY, |&height| f64::from(height));
            lowest - level > HIGH_M * feet.legs.scale()
        };
        let longest = (LONGEST_S * clip.fps()).round() as usize;
        let mut flights = Vec::new();
        let mut start = motion.start;
        for frame in motion.clone().chain([motion.end]) {
            if frame == motion.end || touches(frame) {
                if start < frame && frame - start <= longest && (start..frame).any(is_high) {
                    flights.push(start..frame);
                }
                start = frame + 1;
            }
        }
        Self(flights)
    }

    /// The flight that a frame is in.
    pub(crate) fn at(&self, frame: usize) -> Option<&Range<usize>> {
        self.0.iter().find(|flight| flight.contains(&frame))
    }

    /// Whether a clip may be cut before this frame: it is no flight, or the first frame of one.
    pub(super) fn may_cut(&self, frame: usize) -> bool {
        self.at(frame).is_none_or(|flight| flight.start == frame)
    }

    /// Moves cuts between neighbouring pieces to take-off or landing, whichever is nearer and leaves both pieces at
    /// least `shortest` frames; where neither does, both become one, named after the longer.
    pub(super) fn leave_whole(&self, pieces: &mut Vec<(String, Range<usize>)>, shortest: usize) {
        let mut at = 1;
        while at < pieces.len() {
            let cut = pieces[at].1.start;
            let Some(flight) = self.at(cut).filter(|_| !self.may_cut(cut)) else {
                at += 1;
                continue;
            };
            let fits =
                |to: &usize| *to >= pieces[at - 1].1.start + shortest && *to + shortest <= pieces[at].1.end;
            match [flight.start, flight.end].into_iter().filter(fits).min_by_key(|to| to.abs_diff(cut)) {
                Some(to) => {
                    (pieces[at - 1].1.end, pieces[at].1.start) = (to, to);
                    at += 1;
                }
                None => {
                    let (name, frames) = pieces.remove(at);
                    let before = &mut pieces[at - 1];
                    if frames.len() > before.1.len() {
                        before.0 = name;
                    }
                    before.1.end = frames.end;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_leave_flights_whole_and_lose_no_frame() {
        let jump = 20..40;
        let flights = Flights(vec![jump]);
        let piece = |name: &str, frames: Range<usize>| (name.to_owned(), frames);
        for cut in 1..100 {
            let mut pieces = vec![piece("a", 0..cut), piece("b", cut..100)];
            flights.leave_whole(&mut pieces, 10);
            let ends: Vec<usize> = pieces.iter().map(|piece| piece.1.end).collect();
            assert!(pieces[0].1.start == 0 && ends.last() == Some(&100));
            assert!(pieces.windows(2).all(|p| p[0].1.end == p[1].1.start && flights.may_cut(p[1].1.start)));
        }
        // Too little is left on either side: one piece.
        let mut pieces = vec![piece("a", 15..30), piece("b", 30..45)];
        flights.leave_whole(&mut pieces, 10);
        assert_eq!(pieces, [piece("a", 15..45)]);
    }
}
