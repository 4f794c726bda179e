//! Plots of handles: the path of each from the side, and its speed.

use glam::Vec3;

use crate::plot::{Curve, Plot, PlotMark, stacked_plots_svg};

/// Paths of one handle over a segment. The first is drawn dashed: what the others are compared with.
#[derive(Debug, Clone)]
pub struct HandlePlot<'a> {
    /// The joint's name.
    pub joint: &'a str,
    /// Names and paths, metres.
    pub paths: Vec<(&'a str, &'a [Vec3])>,
    /// Frames of the paths and places asked for.
    pub asked: Vec<(usize, Vec3)>,
    /// Time of the first frame, seconds.
    pub start_s: f64,
    /// Frames per second.
    pub fps: f64,
}

/// For each handle its paths from the side, and its speeds.
#[must_use]
pub fn handle_plots_svg(handles: &[HandlePlot<'_>]) -> String {
    let plots: Vec<Plot> = handles.iter().flat_map(|handle| [side_view(handle), speeds(handle)]).collect();
    stacked_plots_svg(&plots)
}

/// Height over the way along the ground on which the paths are longest.
fn side_view(handle: &HandlePlot<'_>) -> Plot {
    let along = main_direction(handle.paths.iter().flat_map(|(_, path)| *path));
    let point = |place: &Vec3| [f64::from(place.dot(along)), f64::from(place.y)];
    let mut drawn: Vec<Curve> = handle
        .paths
        .iter()
        .enumerate()
        .map(|(i, (name, path))| Curve {
            name: (*name).to_owned(),
            points: path.iter().map(point).collect(),
            dashed: i == 0,
        })
        .collect();
    // A cross at every place asked for.
    let places: Vec<[f64; 2]> = handle.asked.iter().map(|(_, place)| point(place)).collect();
    let size = |axis: usize| {
        let values = || drawn.iter().flat_map(|curve| curve.points.iter().map(move |point| point[axis]));
        0.012 * (values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)).max(1e-3)
    };
    let (w, h) = (0.4 * size(0), size(1));
    let cross = places
        .iter()
        .flat_map(|&[x, y]| [[x - w, y], [x + w, y], [f64::NAN; 2], [x, y - h], [x, y + h], [f64::NAN; 2]]);
    let cross = cross.collect();
    drawn.push(Curve { name: "asked".to_owned(), points: cross, dashed: false });
    Plot {
        title: format!("{}: path", handle.joint),
        x_label: "along the ground (m)".to_owned(),
        y_label: "height (m)".to_owned(),
        curves: drawn,
        marks: Vec::new(),
        width: 900,
        height: 420,
    }
}

fn speeds(handle: &HandlePlot<'_>) -> Plot {
    let second = |frame: usize| handle.start_s + frame as f64 / handle.fps;
    let speed = |path: &[Vec3]| -> Vec<[f64; 2]> {
        let steps = path.windows(2).map(|pair| f64::from(pair[0].distance(pair[1])) * handle.fps);
        steps.enumerate().map(|(i, speed)| [second(i), speed]).collect()
    };
    let marks =
        handle.asked.iter().map(|(frame, _)| PlotMark { x: second(*frame), label: "asked".to_owned() });
    Plot {
        title: format!("{}: speed", handle.joint),
        x_label: "time (s)".to_owned(),
        y_label: "speed (m/s)".to_owned(),
        curves: handle
            .paths
            .iter()
            .enumerate()
            .map(|(i, (name, path))| Curve { name: (*name).to_owned(), points: speed(path), dashed: i == 0 })
            .collect(),
        marks: marks.collect(),
        width: 900,
        height: 320,
    }
}

/// The horizontal direction in which points are spread most.
fn main_direction<'a>(points: impl Iterator<Item = &'a Vec3> + Clone) -> Vec3 {
    let count = points.clone().count().max(1) as f32;
    let mean = points.clone().sum::<Vec3>() / count;
    let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
    for point in points {
        let off = *point - mean;
        xx += off.x * off.x;
        xz += off.x * off.z;
        zz += off.z * off.z;
    }
    let angle = 0.5 * (2.0 * xz).atan2(xx - zz);
    let along = Vec3::new(angle.cos(), 0.0, angle.sin());
    // Ahead is to the right, where bodies begin facing +Z.
    if along.z + 0.5 * along.x < 0.0 { -along } else { along }
}
