//! What a walk shows: nodes are frames of clips, and pieces of one clip in their order are one run of it.
//!
//! Two walks differ as much as their runs do. Counting nodes instead would call a clip and its own pieces, one after
//! another, different, and two rests of one clip as different as two clips.

use serde::Serialize;

use crate::network::Origin;

/// Frames of one clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Run {
    /// The clip, as numbered by the caller.
    pub clip: u32,
    /// First frame.
    pub start: u32,
    /// One past the last frame.
    pub end: u32,
}

impl Run {
    /// What a node shows; one without an origin is a clip of its own.
    #[must_use]
    pub fn new(origins: &[Origin], node: usize) -> Self {
        match origins.get(node) {
            Some(Origin { clip, frames }) => {
                Self { clip: *clip as u32, start: frames.start as u32, end: frames.end as u32 }
            }
            None => Self { clip: node as u32, start: 0, end: 1 },
        }
    }

    /// Whether `next` straight after this shows the same clip again, from a frame that was there already.
    #[must_use]
    pub fn is_repeated_by(self, next: Self) -> bool {
        self.clip == next.clip && next.start < self.end
    }

    /// Whether more than half of the shorter one's frames are the other's too.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        let shared = self.end.min(other.end).saturating_sub(self.start.max(other.start));
        let shorter = (self.end - self.start).min(other.end - other.start);
        self.clip == other.clip && 2 * shared > shorter
    }

    /// 0 where both show the same, 1 for other frames of one clip, 2 for different clips.
    fn unlike(&self, other: &Self) -> u32 {
        match self.clip == other.clip {
            false => 2,
            true => u32::from(!self.is_like(*other)),
        }
    }
}

/// What a walk shows, pieces of a clip in their order as one.
pub(super) fn runs(nodes: impl Iterator<Item = Run>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::with_capacity(nodes.size_hint().0);
    for next in nodes {
        match runs.last_mut() {
            Some(last) if last.clip == next.clip && next.start >= last.end => last.end = next.end,
            _ => runs.push(next),
        }
    }
    runs
}

/// Fraction of genes to change, add or take away to make one walk of another: Levenshtein's distance over the longer
/// length.
#[must_use]
pub fn edit_distance(a: &[u32], b: &[u32]) -> f64 {
    let longer = a.len().max(b.len()).max(1) as f64;
    f64::from(levenshtein(a, b, |x, y| 2 * u32::from(x != y), u32::MAX)) / (2.0 * longer)
}

/// The same of what is shown, mean over layers.
pub(super) fn distance(a: &[Vec<Run>], b: &[Vec<Run>]) -> f64 {
    let layers = a.iter().zip(b).map(|(a, b)| {
        f64::from(levenshtein(a, b, Run::unlike, u32::MAX)) / (2 * a.len().max(b.len()).max(1)) as f64
    });
    layers.sum::<f64>() / a.len().max(1) as f64
}

/// Whether the distance is at least `least`; most pairs need but a few rows of the sum.
pub(super) fn far(a: &[Vec<Run>], b: &[Vec<Run>], least: f64) -> bool {
    let layers = a.len().max(1) as f64;
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        if sum / layers >= least {
            return true;
        }
        let whole = (2 * a.len().max(b.len()).max(1)) as f64;
        // One more than needed, so that rounding does not decide.
        let enough = ((least * layers - sum) * whole).ceil() as u32 + 1;
        sum += f64::from(levenshtein(a, b, Run::unlike, enough)) / whole;
    }
    sum / layers >= least
}

/// Twice the number of changes; from `enough` on only that it is at least so much.
fn levenshtein<T>(a: &[T], b: &[T], unlike: impl Fn(&T, &T) -> u32, enough: u32) -> u32 {
    let mut row: Vec<u32> = (0..=b.len() as u32).map(|j| 2 * j).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = 2 * (i as u32 + 1);
        let mut least = row[0];
        for (j, y) in b.iter().enumerate() {
            let change = corner + unlike(x, y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 2).min(row[j] + 2);
            least = least.min(row[j + 1]);
        }
        // No way through the table gets cheaper on its way down.
        if least >= enough {
            return least;
        }
    }
    row[b.len()]
}
