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

/// Runs of frames with a label, from one label for each frame.
#[must_use]
pub fn runs(labels: impl IntoIterator<Item = bool>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (frame, _) in labels.into_iter().enumerate().filter(|(_, label)| *label) {
        match runs.last_mut() {
            Some(last) if last.end == frame => last.end += 1,
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
    fn runs_are_where_labels_are_set() {
        let labels =
            |frames: [Range<usize>; 3]| (0..9).map(move |i| frames.iter().any(|range| range.contains(&i)));
        assert_eq!(runs(labels([0..1, 3..6, 8..9])), [0..1, 3..6, 8..9]);
        assert!(runs([]).is_empty() && runs([false; 3]).is_empty());
    }
}
