//! Labelled points over time, with gaps: what optical capture gives before a skeleton exists.

use std::ops::Range;

use glam::Vec3;

/// Labelled points at a fixed rate, metres, Y up.
#[derive(Debug, Clone, PartialEq)]
pub struct Markers {
    /// The file's stem or the user's name for it.
    pub name: String,
    labels: Vec<String>,
    fps: f64,
    num_frames: usize,
    /// Marker after marker, each with all its frames; not a number where the marker was not seen.
    points: Vec<Vec3>,
}

/// Why points do not make a marker clip.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MarkersError {
    /// The rate must be a positive finite number.
    #[error("a rate of {fps} frames per second is not possible, expected more than 0")]
    Rate {
        /// The rate given.
        fps: f64,
    },
    /// One point per marker and frame is needed.
    #[error("{found} points for {markers} markers, which is not the same number of frames for each")]
    Count {
        /// Points given.
        found: usize,
        /// Labels given.
        markers: usize,
    },
}

impl Markers {
    /// Points marker after marker, each with all its frames; `Vec3::NAN` where a marker was not seen.
    ///
    /// # Errors
    /// When the rate or the number of points is impossible.
    pub fn new(labels: Vec<String>, fps: f64, points: Vec<Vec3>) -> Result<Self, MarkersError> {
        if !(fps.is_finite() && fps > 0.0) {
            return Err(MarkersError::Rate { fps });
        }
        let num_frames = points.len().checked_div(labels.len()).unwrap_or(0);
        if num_frames * labels.len() != points.len() {
            return Err(MarkersError::Count { found: points.len(), markers: labels.len() });
        }
        Ok(Self { name: String::new(), labels, fps, num_frames, points })
    }

    /// The markers' names in file order.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Frames per second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// How many frames there are.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Position of `marker` at `frame`; `None` where it was not seen.
    #[must_use]
    pub fn get(&self, marker: usize, frame: usize) -> Option<Vec3> {
        Some(self.track(marker)[frame]).filter(|p| p.is_finite())
    }

    /// All positions of `marker`; not a number where it was not seen.
    #[must_use]
    pub fn track(&self, marker: usize) -> &[Vec3] {
        &self.points[marker * self.num_frames..(marker + 1) * self.num_frames]
    }

    /// The same markers and rate with other positions, as many as before.
    ///
    /// # Panics
    /// If the number of points differs.
    #[must_use]
    pub fn with_points(&self, points: Vec<Vec3>) -> Self {
        assert_eq!(points.len(), self.points.len(), "as many points as before");
        Self { points, ..self.clone() }
    }

    /// The intervals in which `marker` was not seen.
    #[must_use]
    pub fn gaps(&self, marker: usize) -> Vec<Range<usize>> {
        let mut gaps: Vec<Range<usize>> = Vec::new();
        for (frame, p) in self.track(marker).iter().enumerate() {
            match gaps.last_mut() {
                _ if p.is_finite() => {}
                Some(gap) if gap.end == frame => gap.end += 1,
                _ => gaps.push(frame..frame + 1),
            }
        }
        gaps
    }

    /// At another rate, linear between frames; a time next to a gap stays a gap.
    ///
    /// # Errors
    /// When `fps` is not a positive finite number.
    pub fn resampled(&self, fps: f64) -> Result<Self, MarkersError> {
        if !(fps.is_finite() && fps > 0.0) {
            return Err(MarkersError::Rate { fps });
        }
        let ratio = self.fps / fps;
        let num_frames = match self.num_frames {
            0 => 0,
            n => ((n - 1) as f64 / ratio + 1e-6).floor() as usize + 1,
        };
        let points = (0..self.labels.len())
            .flat_map(|marker| {
                let track = self.track(marker);
                (0..num_frames).map(move |frame| {
                    let time = frame as f64 * ratio;
                    let nearest = time.round();
                    if (time - nearest).abs() < 1e-6 {
                        return track[nearest as usize];
                    }
                    let from = time.floor() as usize;
                    track[from].lerp(track[from + 1], time.fract() as f32)
                })
            })
            .collect();
        Ok(Self { points, num_frames, fps, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(track: &[f32]) -> Markers {
        let points = track.iter().map(|&x| Vec3::splat(x)).collect();
        Markers::new(vec!["LASI".into()], 60.0, points).unwrap()
    }

    #[test]
    fn gaps_are_listed_and_survive_resampling() {
        let markers = one(&[0.0, f32::NAN, f32::NAN, 3.0, 4.0, f32::NAN]);
        assert_eq!(markers.gaps(0), [1..3, 5..6]);
        assert_eq!(markers.get(0, 1), None);
        let double = markers.resampled(120.0).unwrap();
        assert_eq!(double.get(0, 7), Some(Vec3::splat(3.5)));
        assert_eq!(double.gaps(0), [1..6, 9..11]);
    }

    #[test]
    fn points_that_do_not_fill_every_frame_are_refused() {
        let labels = vec!["a".into(), "b".into()];
        assert!(Markers::new(labels, 60.0, vec![Vec3::ZERO; 3]).is_err());
    }
}
