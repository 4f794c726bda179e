//! `segment`: cuts a long take into simple movements.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::losses::{Loss, told, unseen};
use super::{Arguments, Error, Reading, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::Gap;
use ugoki::picture::{Curve, Plot, PlotMark, plot_svg};
use ugoki::segment::{Objective, Observer, SegmentConfig, Segmentation, segment};
use ugoki::skeleton::Role;

/// Ask for a take to be cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub input: String,
    /// Folder for one clip per piece.
    #[serde(default)]
    pub output: Option<String>,
    /// File for the speeds, bells and cuts as SVG.
    #[serde(default)]
    pub plot: Option<String>,
    /// What counts as a movement.
    #[serde(default)]
    pub config: SegmentConfig,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let usual = SegmentConfig::default();
        let other = |value: f64, usual: f64| (value != usual).then_some(value);
        let arguments = reading_arguments(&self.reading, Arguments::new("segment"));
        let groups = self.config.groups.iter();
        groups
            .fold(arguments, |arguments, group| arguments.option("group", Some(group)))
            .option("output", self.output.as_ref())
            .option("plot", self.plot.as_ref())
            .option("rest", other(self.config.rest, usual.rest))
            .option("duration", other(self.config.duration_s, usual.duration_s))
            .option("pause", other(self.config.pause_s, usual.pause_s))
            .option("peak", other(self.config.peak_m_s, usual.peak_m_s))
            .option("quiet", other(self.config.quiet_m_s, usual.quiet_m_s))
            .option("max", self.config.longest_s)
            .option("merge", other(self.config.merge_s, usual.merge_s))
            .option("smooth", other(self.config.smooth_s, usual.smooth_s))
            .file(&self.input)
            .finish()
    }
}

/// One piece of a take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Piece {
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
    /// What tells where in the piece one is; none for a rest.
    pub objective: Option<Objective>,
    /// The file that was written, if any.
    pub file: Option<String>,
}

/// How a take was cut.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// Length of the motion, seconds.
    pub seconds: f64,
    /// Where pieces meet, seconds.
    pub cuts_s: Vec<f64>,
    /// The pieces in order.
    pub pieces: Vec<Piece>,
    /// Joints of which there are no numbers for a while; they were taken to stand still.
    pub losses: Vec<Loss>,
}

/// What cutting gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Segmented {
    /// The pieces as clips, in the report's order.
    pub clips: Vec<Clip>,
    /// The speeds, bells and cuts, when a plot was asked for.
    pub plot: Option<String>,
    /// What was found.
    pub report: Report,
}

/// Cuts the motion; `gaps` are where its joints have no numbers.
///
/// # Errors
/// When a setting or the plot's ending is not usable, the body is unknown or never seen, the motion too short, or the caller stops.
pub fn run(request: &Request, clip: &Clip, gaps: &[Gap], progress: Progress<'_>) -> Result<Segmented, Error> {
    request.plot.as_deref().map_or(Ok(()), super::check_plot_name)?;
    let seconds = clip.motion_frames().len() as f64 / clip.fps();
    let unseen = unseen(clip, gaps);
    let never = |role: Role| unseen.iter().any(|one| one.role == role && one.seconds == (0.0..seconds));
    if seconds > 0.0 && Observer::build(clip.skeleton())?.roles().all(never) {
        return Err(Error::Perform(super::NOTHING_SEEN.to_owned()));
    }
    let found = segment(clip, &request.config, progress)?;
    let at = |frame: usize| frame as f64 / clip.fps();
    let pieces: Vec<Piece> = found
        .pieces
        .iter()
        .map(|piece| Piece {
            name: piece.name.clone(),
            start_s: at(piece.start),
            peak_s: at(piece.peak),
            end_s: at(piece.end),
            group: piece.group.map(|group| found.groups[group].name.clone()),
            peak_m_s: piece.peak_m_s,
            objective: piece.group.map(|_| piece.objective),
            file: None,
        })
        .collect();
    let mut clips = Vec::with_capacity(pieces.len());
    for piece in &found.pieces {
        let mut part = clip.trimmed(piece.start..piece.end)?;
        part.name = format!("{}-{}", clip.name, piece.name);
        clips.push(part);
    }
    let plot = request.plot.is_some().then(|| draw(&request.input, clip, &found));
    let report = Report {
        input: request.input.clone(),
        seconds,
        cuts_s: found.cuts().into_iter().map(at).collect(),
        pieces,
        losses: told(&unseen, clip),
    };
    Ok(Segmented { clips, plot, report })
}

/// Most curves that stay apart in one plot.
const CURVES: usize = 6;

/// Speeds of the fastest groups, the bells that were chosen as dashed outlines, and the cuts.
fn draw(title: &str, clip: &Clip, found: &Segmentation) -> String {
    let first = clip.motion_frames().start;
    let at = |frame: usize| (frame + first) as f64 / clip.fps();
    let fastest = |group: usize| found.speeds[group].iter().copied().fold(0.0, f64::max);
    let chosen = |group: usize| found.pieces.iter().any(|piece| piece.group == Some(group));
    let mut shown: Vec<usize> = (0..found.groups.len()).collect();
    // Groups that own a piece come first, then the fastest.
    shown.sort_by(|&a, &b| chosen(b).cmp(&chosen(a)).then(fastest(b).total_cmp(&fastest(a))));
    shown.truncate(CURVES);
    let mut curves: Vec<Curve> = shown
        .iter()
        .map(|&group| Curve {
            name: found.groups[group].name.clone(),
            points: found.speeds[group].iter().enumerate().map(|(i, &v)| [at(i), v]).collect(),
            dashed: false,
        })
        .collect();
    let outline = found.pieces.iter().filter(|piece| piece.group.is_some()).flat_map(|piece| {
        let [s, m, e] = [piece.start, piece.peak, piece.end].map(|frame| frame as f64 / clip.fps());
        [[s, 0.0], [m, piece.peak_m_s], [e, 0.0], [f64::NAN, f64::NAN]]
    });
    curves.push(Curve { name: "bells".to_owned(), points: outline.collect(), dashed: true });
    let marks = found
        .pieces
        .iter()
        .map(|piece| PlotMark { x: piece.start as f64 / clip.fps(), label: piece.name.clone() });
    plot_svg(&Plot {
        title: title.to_owned(),
        x_label: "time (s)".to_owned(),
        y_label: "speed (m/s)".to_owned(),
        curves,
        marks: marks.collect(),
        width: 1200,
        height: 420,
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.pieces.len();
        write!(
            f,
            "{}: {count} {} in {:.2} s",
            self.input,
            super::filter::plural(count, "piece"),
            self.seconds
        )?;
        for piece in &self.pieces {
            write!(f, "\n  {:<16} {:>7.2} – {:>7.2} s", piece.name, piece.start_s, piece.end_s)?;
            if let Some(group) = &piece.group {
                write!(f, "  {group} {:.2} m/s at {:.2} s", piece.peak_m_s, piece.peak_s)?;
            }
            if let Some(file) = &piece.file {
                write!(f, "  {file}")?;
            }
        }
        Ok(())
    }
}
