//! Plots of cuts and of edited segments.

use ugoki_motion::edit::{Distribution, HandlePaths};
use ugoki_motion::segment::Segmentation;
use ugoki_picture::{Curve, HandlePlot, Plot, PlotMark, plot_svg};

use ugoki_base::clip::Clip;

/// Most curves that a plot of speeds can distinguish.
const CURVES: usize = 6;

/// Speeds of the fastest groups, the bells that were chosen as dashed outlines, and the cuts; as SVG.
#[must_use]
pub fn segmentation_svg(title: &str, fps: f64, found: &Segmentation) -> String {
    let speeds = found.speed_curves(fps, CURVES).into_iter();
    let curves = speeds.map(|(name, points)| Curve { name, points, dashed: false });
    let bells = Curve { name: "bells".to_owned(), points: found.bell_outline(fps), dashed: true };
    let marks = found.pieces.iter();
    let marks = marks.map(|piece| PlotMark { x: piece.start as f64 / fps, label: piece.name.clone() });
    plot_svg(&Plot {
        title: title.to_owned(),
        x_label: "time (s)".to_owned(),
        y_label: "speed (m/s)".to_owned(),
        curves: curves.chain([bells]).collect(),
        marks: marks.collect(),
        width: 1200,
        height: 420,
    })
}

/// Paths of one handle: as captured, then by distribution.
#[must_use]
pub fn handle_plot<'a>(paths: &'a HandlePaths, clip: &Clip) -> HandlePlot<'a> {
    let names = Distribution::ALL.iter().map(|how| how.name());
    let edited = names.zip(paths.edited.iter().map(Vec::as_slice));
    HandlePlot {
        joint: &paths.joint,
        paths: std::iter::once(("captured", paths.captured.as_slice())).chain(edited).collect(),
        asked: paths.asked.iter().map(|(frame, place)| (frame - paths.frames.start, *place)).collect(),
        start_s: (paths.frames.start + clip.first_row()) as f64 / clip.fps(),
        fps: clip.fps(),
    }
}
