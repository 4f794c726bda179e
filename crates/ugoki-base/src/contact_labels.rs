//! Foot contact labels: when the heel and the toe of each foot stand on the ground.

use std::ops::Range;

use glam::Vec3;

use crate::skeleton::Side;

/// When one foot stands on the ground; frames of the clip, each list in order and without overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FootContacts {
    /// The heel (judged by the ankle) stands.
    pub heel: Vec<Range<usize>>,
    /// The toe stands.
    pub toe: Vec<Range<usize>>,
}

/// Where a foot stood on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct FootMark {
    /// The frames during which it stood.
    pub frames: Range<usize>,
    /// The ankle's place; its height is not used, metres.
    pub position: Vec3,
    /// Height of the ground there, metres.
    pub height: f32,
    /// From the ankle to the toes; only its direction in the ground plane is used.
    pub heading: Vec3,
    /// Which foot.
    pub side: Side,
}

impl FootContacts {
    /// Heel and toe both stand.
    #[must_use]
    pub fn flat(&self) -> Vec<Range<usize>> {
        let mut flat = Vec::new();
        for heel in &self.heel {
            for toe in &self.toe {
                let both = heel.start.max(toe.start)..heel.end.min(toe.end);
                if !both.is_empty() {
                    flat.push(both);
                }
            }
        }
        flat
    }

    /// Heel or toe stands; touching intervals are joined.
    #[must_use]
    pub fn any(&self) -> Vec<Range<usize>> {
        let mut all: Vec<_> = self.heel.iter().chain(&self.toe).cloned().collect();
        all.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in all {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }

    /// Whether heel or toe stands at `frame`.
    #[must_use]
    pub fn touches(&self, frame: usize) -> bool {
        self.heel.iter().chain(&self.toe).any(|range| range.contains(&frame))
    }
}

/// Runs of the frames for which something holds.
#[must_use]
pub fn runs(frames: Range<usize>, holds: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for frame in frames.filter(|&frame| holds(frame)) {
        match runs.last_mut() {
            Some(run) if run.end == frame => run.end += 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_is_both_and_any_is_either() {
        let foot = FootContacts { heel: vec![2..6, 20..25], toe: vec![4..10, 12..14] };
        assert_eq!((foot.flat().len(), foot.flat()[0].clone()), (1, 4..6));
        assert_eq!(foot.any(), [2..10, 12..14, 20..25]);
        assert!(foot.touches(9) && !foot.touches(10));
    }

    #[test]
    fn runs_are_whole_and_in_order() {
        assert_eq!(runs(2..9, |frame| frame != 4 && frame != 5), [2..4, 6..9]);
        assert!(runs(0..0, |_| true).is_empty() && runs(0..5, |_| false).is_empty());
    }
}
