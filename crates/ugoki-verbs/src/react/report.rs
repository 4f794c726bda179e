//! The report of `react`.

use std::fmt;

use serde::Serialize;
use ugoki::picture::{Curve, Plot, PlotMark, stacked_plots_svg};
use ugoki::react::{CarriedLoad, NamedFrame, ReactionReport, TimedPush};

use super::Control;
use crate::motion_verb::MotionReport;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What was done against loads and blows.
    pub control: Control,
    /// What was carried.
    pub loads: Vec<CarriedLoad>,
    /// What hit.
    pub pushes: Vec<TimedPush>,
    /// What was taken otherwise than it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Text of the body's file, when one was asked for; no part of the document.
    #[serde(skip)]
    pub body: Option<String>,
    /// What the body did, frame by frame.
    #[serde(flatten)]
    pub reaction: ReactionReport,
}

impl MotionReport for Report {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{input} → {output}\n{}", self.reaction)
    }
}

/// Size of one plot, pixels.
const WIDTH: u32 = 900;
const HEIGHT: u32 = 260;
/// Joints whose strain is drawn: the most strained ones; more curves cannot be distinguished.
const JOINTS: usize = 5;

impl Report {
    /// Error, margin, strain and corrections as SVG, one plot above the other.
    pub(super) fn plot(&self, title: String) -> String {
        let frames = &self.reaction.frames;
        let curve = |name: &str, value: &dyn Fn(&NamedFrame) -> f64| Curve {
            name: name.to_owned(),
            points: frames.iter().map(|frame| [frame.t, value(frame)]).collect(),
            dashed: false,
        };
        let fps = match frames.as_slice() {
            [first, .., last] => (frames.len() - 1) as f64 / (last.t - first.t),
            _ => 1.0,
        };
        let pushes = self.pushes.iter();
        let pushes = pushes.map(|push| (push.at.seconds(fps), format!("push {}", push.role)));
        let fall = self.reaction.fell_at_s.map(|x| (x, "falls".to_owned()));
        let marks: Vec<PlotMark> = pushes.chain(fall).map(|(x, label)| PlotMark { x, label }).collect();
        let strain =
            |role: &&str| curve(role, &|frame| 100.0 * frame.load.get(*role).copied().unwrap_or(f64::NAN));
        let strains = self.reaction.most_strained().iter().take(JOINTS).map(strain).collect();
        let plots = [
            ("off target (deg)", vec![curve("", &|frame| frame.tracking_error_deg)]),
            ("ZMP inside by (cm)", vec![curve("", &|frame| frame.margin_m.map_or(f64::NAN, |m| 100.0 * m))]),
            ("load, part of strength (%)", strains),
            (
                "corrections (rad/s²)",
                vec![
                    curve("arms", &|frame| frame.corrections.arms),
                    curve("back", &|frame| frame.corrections.back),
                    curve("lower body", &|frame| frame.corrections.lower),
                ],
            ),
        ];
        let titles = [title].into_iter().chain(std::iter::repeat(String::new()));
        let plots = plots.into_iter().zip(titles).map(|((y_label, curves), title)| Plot {
            title,
            x_label: "time (s)".to_owned(),
            y_label: y_label.to_owned(),
            curves,
            marks: marks.clone(),
            width: WIDTH,
            height: HEIGHT,
        });
        stacked_plots_svg(&plots.collect::<Vec<_>>())
    }
}
