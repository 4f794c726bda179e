//! A report as four plots, one above the other: error, margin, strain, corrections.

use ugoki::picture::{Curve, Plot, PlotMark, plot_svg};

use super::{Frame, Report};
use crate::Time;

/// Size of one plot, pixels.
const WIDTH: u32 = 900;
const HEIGHT: u32 = 260;
/// Joints whose strain is drawn: the most strained ones; more curves cannot be distinguished.
const JOINTS: usize = 5;

/// The report as SVG text.
pub(crate) fn plot(report: &Report) -> String {
    let curve = |name: &str, value: &dyn Fn(&Frame) -> f64| Curve {
        name: name.to_owned(),
        points: report.frames.iter().map(|frame| [frame.t, value(frame)]).collect(),
        dashed: false,
    };
    let mut marks: Vec<PlotMark> = Vec::new();
    let fps = match report.frames.as_slice() {
        [first, .., last] => (report.frames.len() - 1) as f64 / (last.t - first.t),
        _ => 1.0,
    };
    for push in &report.pushes {
        let x = match push.at {
            Time::Seconds(seconds) => seconds,
            Time::Frames(frame) => frame as f64 / fps,
        };
        marks.push(PlotMark { x, label: format!("push {}", push.role) });
    }
    if let Some(x) = report.fell_at_s {
        marks.push(PlotMark { x, label: "falls".to_owned() });
    }
    let mut peaks: Vec<(f64, &String)> = Vec::new();
    for (role, _) in report.frames.first().map(|frame| &frame.load).into_iter().flatten() {
        let loads = report.frames.iter().filter_map(|frame| frame.load.get(role));
        peaks.push((loads.copied().fold(0.0, f64::max), role));
    }
    peaks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let strains = peaks
        .iter()
        .take(JOINTS)
        .map(|(_, role)| curve(role, &|frame| 100.0 * frame.load.get(*role).copied().unwrap_or(f64::NAN)));
    let plots = [
        (
            format!("{} → {}", report.input, report.output),
            "off target (deg)",
            vec![curve("", &|frame| frame.tracking_error_deg)],
        ),
        (
            String::new(),
            "ZMP inside by (cm)",
            vec![curve("", &|frame| frame.margin_m.map_or(f64::NAN, |m| 100.0 * m))],
        ),
        (String::new(), "share of strength (%)", strains.collect()),
        (
            String::new(),
            "corrections (rad/s²)",
            vec![
                curve("arms", &|frame| frame.corrections.arms),
                curve("back", &|frame| frame.corrections.back),
                curve("lower body", &|frame| frame.corrections.lower),
            ],
        ),
    ];
    let count = plots.len() as u32;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{0}\" viewBox=\"0 0 {WIDTH} {0}\">\n",
        count * HEIGHT
    );
    for (i, (title, y_label, curves)) in plots.into_iter().enumerate() {
        let text = plot_svg(&Plot {
            title,
            x_label: "time (s)".to_owned(),
            y_label: y_label.to_owned(),
            curves,
            marks: marks.clone(),
            width: WIDTH,
            height: HEIGHT,
        });
        // A nested drawing at its place in the whole.
        out.push_str(&text.replacen("<svg ", &format!("<svg y=\"{}\" ", i as u32 * HEIGHT), 1));
    }
    out.push_str("</svg>\n");
    out
}
