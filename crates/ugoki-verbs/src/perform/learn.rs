//! `perform learn`

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::Read;
use ugoki::perform::{
    Imitation, LearnConfig, Loss, Model, PAIRED, PIECE_COLUMNS, PairMethod, PairReport, PieceReport,
    check_same_skeleton, learn_seen, loss_lines, losses, unseen,
};
use ugoki::picture::learning_svg;

use crate::error::InFile as _;
use crate::losses::joint_gaps;
use crate::plots::check_plot_name;
use crate::words::plural;
use crate::{Error, Host, Reading, Report, Stream, Verb};

/// Correlation below which an imitation is hardly the same motion. It is only a warning: teapot rhymes of three people
/// correlate by down to 0.16, as different motions do (docs/results/perform.md). Below [`PAIRED`] the timing is too
/// uncertain to follow.
const HARDLY_ALIKE: f64 = 0.25;

/// What happens to frames in which an imitation is not seen completely.
const LEFT_OUT: &str = "those frames left out";

/// Makes a model of actors' motions, and of imitations of them if there are any
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki perform learn kick.bvh bow.bvh --alone -o moves.ugoki\n  \
                  ugoki perform learn kick.bvh my-kick.bvh bow.bvh my-bow.bvh -o moves.ugoki")]
pub struct Learn {
    /// An actor's motion, an imitation of it, the next actor's motion, …; imitations of one motion are pooled. With --alone
    /// actors' motions only
    #[arg(required = true, value_name = "A1 P1 A2 P2 …")]
    pub inputs: Vec<String>,

    /// Learn without imitations: performers are followed without; `--method paper` needs them
    #[arg(long)]
    pub alone: bool,

    /// Model to write: a database; one that exists is added to
    #[arg(short, long, value_name = "MODEL")]
    pub output: String,

    /// The imitation follows the actor with one lag, or takes its own time
    #[arg(long, value_enum, default_value = "lag")]
    pub pair: PairMethod,

    /// Draw a plot: the measured and the estimated objective
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<String>,

    /// How to read the inputs.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    /// The model as named.
    pub output: String,
    /// Names of the motions.
    pub motions: Vec<String>,
    /// Every piece of every motion.
    pub pieces: Vec<PieceReport>,
    /// How imitations were paired.
    pub pairings: Vec<PairReport>,
    /// Imitations in which joints are not seen for a while: nothing was learned from those frames.
    pub losses: Vec<FileLosses>,
}

/// Tracking losses of one imitation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileLosses {
    /// The imitation as named.
    pub file: String,
    /// Its joints and times.
    pub losses: Vec<Loss>,
}

impl FileLosses {
    fn lines(&self) -> impl Iterator<Item = String> {
        loss_lines(&self.losses, LEFT_OUT).into_iter().map(|line| format!("{}: {line}", self.file))
    }
}

impl Verb for Learn {
    type Report = Learned;

    const ACTIVITY: &'static str = "learning";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Learned, Error> {
        // A database that a motion is taken from may also receive the model: it is added to.
        let is_file = |name: &&str| host.clip_reference(name).is_none();
        let files: Vec<&str> = self.inputs.iter().map(String::as_str).filter(is_file).collect();
        host.check_outputs(&files, &[&self.output])?;
        let inputs: Vec<&str> = self.inputs.iter().chain([&self.output]).map(String::as_str).collect();
        host.check_outputs(&inputs, &self.plot.as_deref().into_iter().collect::<Vec<_>>())?;
        let mut reads = Vec::with_capacity(self.inputs.len());
        for name in &self.inputs {
            ugoki::report(progress, 0.0)?;
            reads.push(host.motion(name, &self.reading)?);
        }
        let known = host.actors(&self.output)?;
        for actor in reads.iter().step_by(self.stride()) {
            known
                .iter()
                .try_for_each(|known| check_same_skeleton(known, &actor.clip))
                .in_file(&self.output)?;
        }
        let (model, mut report) = self.learn(&reads, progress)?;
        let names = host.write_model(&self.output, model)?;
        // Names may have been made unique.
        for piece in &mut report.pieces {
            if let Some(at) = report.motions.iter().position(|motion| *motion == piece.motion) {
                piece.motion.clone_from(&names[at]);
            }
        }
        report.motions = names;
        if let Some(file) = &self.plot {
            host.write(file, learning_svg(&report.output, &report.motions, &report.pieces).as_bytes())?;
        }
        Ok(report)
    }
}

impl Learn {
    /// Inputs per actor's motion.
    fn stride(&self) -> usize {
        if self.alone { 1 } else { 2 }
    }

    /// Learns from actors and imitations in turn.
    fn learn(&self, reads: &[Read], progress: Progress<'_>) -> Result<(Model, Learned), Error> {
        check_plot_name(self.plot.as_deref())?;
        let stride = self.stride();
        if !reads.len().is_multiple_of(stride) || reads.is_empty() {
            return Err(Error::refused(format!("{} motions are given", reads.len()))
                .hint("give an imitation after every actor's motion: A1 P1 A2 P2 …, or use --alone"));
        }
        let clips: Vec<&Clip> = reads.iter().map(|read| &read.clip).collect();
        clips.iter().step_by(stride).skip(1).try_for_each(|actor| check_same_skeleton(clips[0], actor))?;
        let imitations: Vec<Imitation<'_>> = clips
            .chunks(stride)
            .map(|pair| Imitation { actor: pair[0], performer: pair.get(1).copied() })
            .collect();
        let config = LearnConfig { pair: self.pair, ..LearnConfig::default() };
        let (mut lost, mut in_files) = (Vec::new(), Vec::new());
        for (number, (read, file)) in reads.iter().zip(&self.inputs).enumerate() {
            let unseen = unseen(&read.clip, &joint_gaps(&read.marks.gaps));
            let losses = losses(&unseen, &read.clip);
            if number % stride == 1 {
                lost.push(unseen);
                in_files.extend((!losses.is_empty()).then(|| FileLosses { file: file.clone(), losses }));
            } else if let Some(first) = loss_lines(&losses, "which was to be shown").first() {
                // An audience must not see a motion that is partly made up.
                return Err(Error::refused(first)
                    .hint("learn from an actor's motion that is complete")
                    .in_file(file));
            }
        }
        let (model, found) = learn_seen(&imitations, &lost, &config, progress).map_err(|error| {
            let lost = in_files.iter().flat_map(FileLosses::lines);
            match Error::from(error) {
                error if in_files.is_empty() || matches!(error, Error::Cancelled) => error,
                error => {
                    let hints: Vec<String> = error.advice().into_iter().chain(lost).collect();
                    Error::refused(error.to_string()).hint(hints.join("; "))
                }
            }
        })?;
        let report = Learned {
            output: self.output.clone(),
            motions: model.motions.iter().map(|motion| motion.name().to_owned()).collect(),
            pieces: found.pieces,
            pairings: found.pairings,
            losses: in_files,
        };
        Ok((model, report))
    }
}

impl Report for Learned {
    const STREAM: Stream = Stream::Result;
}

impl fmt::Display for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for pairing in &self.pairings {
            writeln!(f, "{pairing}")?;
            if pairing.correlation < HARDLY_ALIKE {
                writeln!(
                    f,
                    "  hardly alike: is it an imitation of this motion? what follows may be accident"
                )?;
            } else if pairing.correlation < PAIRED {
                writeln!(
                    f,
                    "  doubtful: below {PAIRED:.1} the imitation is not compared with, only its regressions are used; imitate again in the \
                     actor's time, or try --pair dtw"
                )?;
            }
        }
        self.losses.iter().flat_map(FileLosses::lines).try_for_each(|line| writeln!(f, "{line}"))?;
        writeln!(f, "{PIECE_COLUMNS}")?;
        self.pieces.iter().try_for_each(|piece| writeln!(f, "{piece}"))?;
        let count = self.motions.len();
        write!(f, "{count} {} → {}", plural(count, "motion"), self.output)
    }
}
