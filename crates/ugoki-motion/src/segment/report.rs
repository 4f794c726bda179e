//! A segmentation in seconds, as clips, and as curves of a plot.

use serde::Serialize;
use ugoki_base::clip::{Clip, ClipError};

use super::{Objective, Segmentation};

/// One piece of a take, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimedPiece {
    /// Suggested name: `right-arm-1`.
    pub name: String,
    /// When it starts, seconds from the clip's frame 0.
    pub start_s: f64,
    /// When its group is fastest.
    pub peak_s: f64,
    /// When it ends and the next starts.
    pub end_s: f64,
    /// The group that moves; none for a rest.
    pub group: Option<String>,
    /// Its greatest speed, metres per second.
    pub peak_m_s: f64,
    /// The quantity that shows the phase within the piece; none for a rest.
    pub objective: Option<Objective>,
}

impl Segmentation {
    /// The pieces of a take at `fps` frames per second.
    #[must_use]
    pub fn timed_pieces(&self, fps: f64) -> Vec<TimedPiece> {
        let at = |frame: usize| frame as f64 / fps;
        let timed = self.pieces.iter().map(|piece| TimedPiece {
            name: piece.name.clone(),
            start_s: at(piece.start),
            peak_s: at(piece.peak),
            end_s: at(piece.end),
            group: piece.group.map(|group| self.groups[group].name.clone()),
            peak_m_s: piece.peak_m_s,
            objective: piece.group.map(|_| piece.objective),
        });
        timed.collect()
    }

    /// The pieces of `clip`, which was cut, as clips of their own, named after it.
    ///
    /// # Errors
    /// When it is another clip than the one that was cut.
    pub fn clips(&self, clip: &Clip) -> Result<Vec<Clip>, ClipError> {
        let part = |piece: &super::Piece| {
            let mut part = clip.trimmed(piece.start..piece.end)?;
            part.name = format!("{}-{}", clip.name, piece.name);
            Ok(part)
        };
        self.pieces.iter().map(part).collect()
    }

    /// Names of groups and their speeds over time, seconds and metres per second, for a plot of at most `most` curves: groups that
    /// own a piece come first, then the fastest.
    #[must_use]
    pub fn speed_curves(&self, fps: f64, most: usize) -> Vec<(String, Vec<[f64; 2]>)> {
        let fastest = |group: usize| self.speeds[group].iter().copied().fold(0.0, f64::max);
        let chosen = |group: usize| self.pieces.iter().any(|piece| piece.group == Some(group));
        let mut shown: Vec<usize> = (0..self.groups.len()).collect();
        shown.sort_by(|&a, &b| chosen(b).cmp(&chosen(a)).then(fastest(b).total_cmp(&fastest(a))));
        shown.truncate(most);
        let at = |frame: usize| (frame + self.first) as f64 / fps;
        let points = |group: usize| self.speeds[group].iter().enumerate().map(|(i, &v)| [at(i), v]).collect();
        shown.into_iter().map(|group| (self.groups[group].name.clone(), points(group))).collect()
    }

    /// The bells that were chosen as a line over time: start, peak and end of each, and a place that is not finite between two.
    #[must_use]
    pub fn bell_outline(&self, fps: f64) -> Vec<[f64; 2]> {
        let moving = self.pieces.iter().filter(|piece| piece.group.is_some());
        let outline = moving.flat_map(|piece| {
            let [s, m, e] = [piece.start, piece.peak, piece.end].map(|frame| frame as f64 / fps);
            [[s, 0.0], [m, piece.peak_m_s], [e, 0.0], [f64::NAN, f64::NAN]]
        });
        outline.collect()
    }
}
