//! The markers of one person, by landmark.

use glam::DVec3;

use super::frame::{Path, median_point};
use super::kabsch::{Rigid, fit};
use crate::markers::landmark::{Landmark, Part, Place};
use crate::markers::points::Markers;
use crate::markers::resolve::Resolved;
use crate::skeleton::Side;

/// One marker.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub landmark: Landmark,
    pub path: Path,
}

/// All of them.
#[derive(Debug, Clone)]
pub(super) struct Cloud {
    pub frames: usize,
    pub tracks: Vec<Track>,
}

impl Cloud {
    /// In the order of landmarks, so that the order of the file does not matter.
    pub(super) fn new(markers: &Markers, found: &Resolved) -> Self {
        let frames = markers.num_frames();
        let path =
            |marker: usize| (0..frames).map(|f| markers.get(marker, f).map(glam::Vec3::as_dvec3)).collect();
        let mut order: Vec<(usize, Landmark)> = found.landmarks.clone();
        order
            .sort_by(|(a, x), (b, y)| x.cmp(y).then_with(|| markers.labels()[*a].cmp(&markers.labels()[*b])));
        let tracks = order.iter().map(|&(marker, landmark)| Track { landmark, path: path(marker) }).collect();
        Self { frames, tracks }
    }

    /// The marker at a place that is seen at least once.
    pub(super) fn get(&self, place: Place, side: Option<Side>) -> Option<&Path> {
        let found = self.tracks.iter().find(|track| track.landmark == Landmark { place, side });
        found.map(|track| &track.path).filter(|path| path.iter().any(Option::is_some))
    }

    /// All markers of a part.
    pub(super) fn part(&self, part: Part, side: Option<Side>) -> Vec<&Path> {
        self.tracks
            .iter()
            .filter(|track| {
                track.landmark.place.part() == part && (side.is_none() || track.landmark.side == side)
            })
            .map(|track| &track.path)
            .collect()
    }
}

/// Follows a rigid group of markers: `frames` say where the part is in some frames (origin and turning); in every
/// frame with three markers in sight it is found by them.
pub(super) fn follow(group: &[&Path], frames: &[Option<Rigid>]) -> Vec<Option<Rigid>> {
    // Where each marker sits on the part.
    let seats: Vec<Option<DVec3>> = group
        .iter()
        .map(|path| {
            let local = path.iter().zip(frames).filter_map(|(p, frame)| {
                let (p, frame) = ((*p)?, (*frame)?);
                Some(frame.rotation.conjugate() * (p - frame.translation))
            });
            median_point(local)
        })
        .collect();
    (0..frames.len())
        .map(|f| {
            let pairs: Vec<(DVec3, DVec3)> =
                group.iter().zip(&seats).filter_map(|(path, seat)| Some(((*seat)?, path[f]?))).collect();
            fit(&pairs).or(frames[f])
        })
        .collect()
}
