//! `segment`: cuts a long take into simple movements.

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::Gap;
use ugoki::perform::{Loss, PerformError, loss_lines, losses, unseen};
use ugoki::picture::segmentation_svg;
use ugoki::segment::{GivenGroup, Observer, SegmentConfig, SegmentMethod, Segmentation, TimedPiece, segment};
use ugoki::skeleton::Role;

use crate::error::InFile as _;
use crate::host::stem;
use crate::losses::joint_gaps;
use crate::motion_verb::{Job, OneOrMany, each, unique_names, would_be_replaced};
use crate::plots::check_plot_name;
use crate::text_form::as_texts;
use crate::words::plural;
use crate::{Error, Host, NewMotion, Outcome, Reading, Stream, Verb};

/// Cuts a long take into rests and simple movements
///
/// Exit code 1 when nothing moves.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  ugoki segment take.bvh -o pieces/\n  ugoki segment take.bvh --plot bells.svg --method paper --rest 0.3"
)]
pub struct Segment {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Folder to write one clip per piece into; made if missing
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<String>,

    /// Draw a plot: speeds, bells and cuts
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<String>,

    /// How to cut: rests and turns, or the bells of speed of the paper
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = usual().method)]
    pub method: SegmentMethod,

    /// Movements are cut where the speed falls to this ratio of its peaks before and after
    #[arg(long, value_name = "RATIO", default_value_t = usual().turn, allow_negative_numbers = true)]
    pub dip: f64,

    /// Shorter stillness is no rest, seconds
    #[arg(long = "pause", value_name = "SECONDS", default_value_t = usual().pause_s, allow_negative_numbers = true)]
    pub pause_s: f64,

    /// What moves no faster than this is still, metres per second
    #[arg(long = "quiet", value_name = "M/S", default_value_t = usual().quiet_m_s, allow_negative_numbers = true)]
    pub quiet_m_s: f64,

    /// With --method paper, a bell begins and ends below this ratio of its greatest speed
    #[arg(long, default_value_t = usual().rest, allow_negative_numbers = true)]
    pub rest: f64,

    /// With --method paper, shorter bells are dropped if they are also slower than --peak, seconds
    #[arg(long = "duration", value_name = "SECONDS", default_value_t = usual().duration_s, allow_negative_numbers = true)]
    pub duration_s: f64,

    /// See --duration, metres per second
    #[arg(long = "peak", value_name = "M/S", default_value_t = usual().peak_m_s, allow_negative_numbers = true)]
    pub peak_m_s: f64,

    /// With --method paper, longer bells are dropped, seconds
    #[arg(long = "max", value_name = "SECONDS", allow_negative_numbers = true)]
    pub longest_s: Option<f64>,

    /// Cuts nearer to each other than this become one, seconds
    #[arg(long = "merge", value_name = "SECONDS", default_value_t = usual().merge_s, allow_negative_numbers = true)]
    pub merge_s: f64,

    /// Width over which positions are smoothed, seconds
    #[arg(long = "smooth", value_name = "SECONDS", default_value_t = usual().smooth_s, allow_negative_numbers = true)]
    pub smooth_s: f64,

    /// A rigid group whose speed is looked at, instead of those by role: bat=rightHand,rightLowerArm; may be given several
    /// times
    #[arg(long = "group", value_name = "NAME=ROLE,…")]
    #[serde(serialize_with = "as_texts")]
    #[schemars(with = "Vec<String>")]
    pub groups: Vec<GivenGroup>,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

fn usual() -> SegmentConfig {
    SegmentConfig::default()
}

/// One piece of a take, and the file that was written, if any.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Piece {
    /// When it is and what moves.
    #[serde(flatten)]
    pub timed: TimedPiece,
    /// The file.
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
    /// Joints whose tracking was lost for a while; they are assumed to stand still.
    pub losses: Vec<Loss>,
}

/// How one take, or every take of a folder, was cut.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Reports(pub OneOrMany<Report>);

impl Verb for Segment {
    type Report = Reports;

    const ACTIVITY: &'static str = "cutting";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Reports, Error> {
        let input = &self.input;
        check_plot_name(self.plot.as_deref())?;
        if !host.is_folder(input) {
            let plots: Vec<&str> = self.plot.as_deref().into_iter().collect();
            host.check_outputs(&[input], &plots)?;
            host.check_folders(&plots)?;
            return self.one(input, None, &[], host, progress).map(|report| Reports(OneOrMany::One(report)));
        }
        if self.plot.is_some() {
            return Err(Error::option("--plot", "draws one take").hint("name its file, not a folder"));
        }
        let names = host.expand(std::slice::from_ref(input), self.output.as_deref())?;
        host.check_outputs(&names.iter().map(String::as_str).collect::<Vec<_>>(), &[])?;
        let names: Vec<[String; 2]> = unique_names(names, |_| "bvh").collect();
        let one = |job: Job<'_>| {
            let next = 1 + names.iter().position(|[input, _]| input == job.input).unwrap_or(names.len() - 1);
            self.one(job.input, Some(stem(job.output)), &names[next..], job.host, job.progress)
        };
        each(&names, host, progress, one).map(Reports)
    }
}

impl Segment {
    /// Reads a take, cuts it and writes the pieces, named after the take or as `name` says. Takes that come `later` are not replaced.
    fn one(
        &self,
        input: &str,
        name: Option<String>,
        later: &[[String; 2]],
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Report, Error> {
        let mut read = host.motion(input, &self.reading)?;
        if let Some(name) = name {
            read.clip.name = name;
        }
        let clip = &read.clip;
        let (found, losses) = self.cut(clip, &read.marks.gaps, progress).in_file(input)?;
        for line in loss_lines(&losses, "taken to stand still") {
            host.note(&format!("{input}: {line}"));
        }
        let pieces = found.timed_pieces(clip.fps()).into_iter();
        let mut report = Report {
            input: input.to_owned(),
            seconds: clip.motion_frames().len() as f64 / clip.fps(),
            cuts_s: found.cuts().into_iter().map(|frame| frame as f64 / clip.fps()).collect(),
            pieces: pieces.map(|timed| Piece { timed, file: None }).collect(),
            losses,
        };
        if let Some(folder) = &self.output {
            host.create_folder(folder)?;
            // In the format of the take where that is written.
            let ending = if read.format.is_written() { read.format.extension() } else { "bvh" };
            let parts = found.clips(clip)?;
            let file = |part: &Clip| Path::new(folder).join(format!("{}.{ending}", part.name));
            let files: Vec<String> =
                parts.iter().map(|part| file(part).to_string_lossy().into_owned()).collect();
            host.check_outputs(&[], &files.iter().map(String::as_str).collect::<Vec<_>>())?;
            for file in &files {
                let unread = later.iter().map(|[take, _]| [take.clone(), String::new()]);
                let order: Vec<[String; 2]> =
                    std::iter::once([input.to_owned(), file.clone()]).chain(unread).collect();
                if host.first_replaced(&order).is_some() {
                    return Err(would_be_replaced(file));
                }
            }
            for ((part, piece), file) in parts.iter().zip(&mut report.pieces).zip(files) {
                host.write_motion(&file, &NewMotion::new(part, &read))?;
                piece.file = Some(file);
            }
        }
        if let Some(file) = &self.plot {
            host.write(file, segmentation_svg(input, clip.fps(), &found).as_bytes())?;
        }
        Ok(report)
    }

    fn config(&self) -> SegmentConfig {
        SegmentConfig {
            method: self.method,
            turn: self.dip,
            rest: self.rest,
            duration_s: self.duration_s,
            pause_s: self.pause_s,
            peak_m_s: self.peak_m_s,
            quiet_m_s: self.quiet_m_s,
            longest_s: self.longest_s,
            merge_s: self.merge_s,
            smooth_s: self.smooth_s,
            groups: self.groups.clone(),
        }
    }

    /// Cuts a take; in `gaps` the rotations of its joints are not known. Also returns joints that are not seen for a while.
    fn cut(
        &self,
        clip: &Clip,
        gaps: &[Gap],
        progress: Progress<'_>,
    ) -> Result<(Segmentation, Vec<Loss>), Error> {
        let seconds = clip.motion_frames().len() as f64 / clip.fps();
        let unseen = unseen(clip, &joint_gaps(gaps));
        let never = |role: Role| unseen.iter().any(|one| one.role == role && one.seconds == (0.0..seconds));
        if seconds > 0.0 && Observer::build(clip.skeleton())?.roles().all(never) {
            return Err(PerformError::NothingSeen.into());
        }
        Ok((segment(clip, &self.config(), progress)?, losses(&unseen, clip)))
    }
}

impl crate::Report for Reports {
    const STREAM: Stream = Stream::Result;

    fn outcome(&self) -> Outcome {
        let moves = |report: &Report| report.pieces.iter().any(|piece| piece.timed.group.is_some());
        match &self.0 {
            OneOrMany::Many { errors, .. } if !errors.is_empty() => Outcome::Failed,
            OneOrMany::Many { files, .. } if files.iter().any(moves) => Outcome::Done,
            OneOrMany::One(report) if moves(report) => Outcome::Done,
            _ => Outcome::NothingFound,
        }
    }
}

impl fmt::Display for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.pieces.len();
        write!(f, "{}: {count} {} in {:.2} s", self.input, plural(count, "piece"), self.seconds)?;
        for Piece { timed: piece, file } in &self.pieces {
            write!(f, "\n  {:<16} {:>7.2} – {:>7.2} s", piece.name, piece.start_s, piece.end_s)?;
            if let Some(group) = &piece.group {
                write!(f, "  {group} {:.2} m/s at {:.2} s", piece.peak_m_s, piece.peak_s)?;
            }
            if let Some(file) = file {
                write!(f, "  {file}")?;
            }
        }
        Ok(())
    }
}
