//! Plots of what was learned.

use ugoki_perform::PieceReport;
use ugoki_picture::{Curve, Plot, plot_svg};

/// Objectives as measured and as estimated, one interval per piece of the motions; as SVG.
#[must_use]
pub fn learning_svg(title: &str, motions: &[String], pieces: &[PieceReport]) -> String {
    let mut curves: Vec<Curve> = Vec::new();
    for motion in motions {
        let pieces = || pieces.iter().filter(|piece| piece.motion == *motion);
        let curve = |name: String, column: usize, dashed: bool| {
            // NaN lifts the pen between pieces.
            let points = pieces().flat_map(|piece| {
                piece.curve.iter().map(move |p| [p[0], p[column]]).chain([[f64::NAN, f64::NAN]])
            });
            Curve { name, points: points.collect(), dashed }
        };
        curves.push(curve(motion.clone(), 1, false));
        curves.push(curve(format!("{motion}, estimated"), 2, true));
    }
    plot_svg(&Plot {
        title: title.to_owned(),
        x_label: "time in the actor's motion (s)".to_owned(),
        y_label: "way in the piece (m)".to_owned(),
        curves,
        width: 1200,
        height: 420,
        ..Plot::default()
    })
}
