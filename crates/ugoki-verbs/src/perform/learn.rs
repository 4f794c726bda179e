//! `perform learn`

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::filter::plural;
use crate::losses::{Loss, lines, told, unseen};
use crate::{Arguments, Error, Reading, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::Gap;
use ugoki::perform::{self, Imitation, LearnConfig, Model, PairMethod, PieceReport};
use ugoki::picture::{Curve, Plot, plot_svg};

/// Correlations below which an imitation is doubted aloud: by less than the one it is hardly the same motion, by less than the
/// other its timing is too doubtful to follow by ([`perform::PAIRED`]). Neither is a reason to refuse: three people's teapot
/// rhymes have down to 0.16 with each other, as have different motions (docs/results/perform.md).
const STRANGE: f64 = 0.25;

/// What is done about frames in which not all of an imitation is seen.
const LEFT_OUT: &str = "those frames left out";

/// Ask for a model learned from imitations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learn {
    /// Actor and performer files in turn: A1 P1 A2 P2 …
    pub inputs: Vec<String>,
    /// The model to write, or to add to: a database.
    pub output: String,
    /// How frames are paired.
    #[serde(default)]
    pub pair: PairMethod,
    /// File for measured and estimated objectives as SVG.
    #[serde(default)]
    pub plot: Option<String>,
    /// How to read the files.
    #[serde(default)]
    pub reading: Reading,
}

impl Learn {
    pub(super) fn command_line(&self) -> Vec<String> {
        let arguments = reading_arguments(&self.reading, Arguments::new("perform").word("learn"))
            .option("output", Some(&self.output))
            .option("pair", (self.pair == PairMethod::Dtw).then_some("dtw"))
            .option("plot", self.plot.as_ref());
        self.inputs.iter().fold(arguments, |arguments, file| arguments.file(file)).finish()
    }
}

/// What was learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnReport {
    /// The model as named.
    pub output: String,
    /// Names of the motions.
    pub motions: Vec<String>,
    /// Every piece of every motion.
    pub pieces: Vec<PieceReport>,
    /// How imitations were paired.
    pub pairings: Vec<perform::PairReport>,
    /// Imitations of which joints are not seen for a while: nothing was learned from those frames.
    pub losses: Vec<FileLosses>,
}

/// What is not seen of one imitation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileLosses {
    /// The imitation as named.
    pub file: String,
    /// Its joints and times.
    pub losses: Vec<Loss>,
}

/// Learns from pairs of actor and performer; `gaps` are where joints of each have no numbers, none where it is shorter.
///
/// # Errors
/// When the clips are not in pairs, actors have different skeletons or gaps, bodies are unknown, nothing can be learned, or the caller
/// stops.
pub fn learn(
    request: &Learn,
    clips: &[&Clip],
    gaps: &[&[Gap]],
    progress: Progress<'_>,
) -> Result<(Model, LearnReport), Error> {
    request.plot.as_deref().map_or(Ok(()), crate::check_plot_name)?;
    if !clips.len().is_multiple_of(2) || clips.is_empty() {
        let message = format!(
            "{} motions are given; give an imitation after every actor's motion: A1 P1 A2 P2 …",
            clips.len()
        );
        return Err(Error::Perform(message));
    }
    let actors: Vec<&Clip> = clips.chunks_exact(2).map(|pair| pair[0]).collect();
    for actor in &actors[1..] {
        super::same_skeleton(actors[0], actor)?;
    }
    let imitations: Vec<Imitation<'_>> =
        clips.chunks_exact(2).map(|pair| Imitation { actor: pair[0], performer: pair[1] }).collect();
    let config = LearnConfig { pair: request.pair, ..LearnConfig::default() };
    let (mut lost, mut losses) = (Vec::new(), Vec::new());
    for (number, clip) in clips.iter().enumerate() {
        let unseen = unseen(clip, gaps.get(number).copied().unwrap_or_default());
        let (told, file) = (told(&unseen, clip), request.inputs.get(number).cloned().unwrap_or_default());
        if number % 2 == 1 {
            lost.push(unseen);
            losses.extend((!told.is_empty()).then_some(FileLosses { file, losses: told }));
        } else if let Some(first) = lines(&told, "which was to be shown").first() {
            // What is shown to an audience is not made up.
            return Err(Error::Perform(format!(
                "{file}: {first}; learn from an actor's motion that is whole"
            )));
        }
    }
    let (model, found) = perform::learn_seen(&imitations, &lost, &config, progress).map_err(|error| {
        let lost: Vec<String> = losses
            .iter()
            .flat_map(|FileLosses { file, losses }| {
                lines(losses, LEFT_OUT).into_iter().map(move |l| (file, l))
            })
            .map(|(file, line)| format!("; {file}: {line}"))
            .collect();
        match Error::from(error) {
            Error::Perform(message) if !lost.is_empty() => Error::Perform(message + &lost.concat()),
            error => error,
        }
    })?;
    let report = LearnReport {
        output: request.output.clone(),
        motions: model.motions.iter().map(|motion| motion.name().to_owned()).collect(),
        pieces: found.pieces,
        pairings: found.pairings,
        losses,
    };
    Ok((model, report))
}

/// Objectives as measured and as estimated, one stretch per piece.
#[must_use]
pub fn plot(report: &LearnReport) -> String {
    let mut curves: Vec<Curve> = Vec::new();
    for motion in &report.motions {
        let pieces = || report.pieces.iter().filter(|piece| piece.motion == *motion);
        let curve = |name: String, column: usize, dashed: bool| {
            // A point that is no number lifts the pen between pieces.
            let points = pieces().flat_map(|piece| {
                piece.curve.iter().map(move |p| [p[0], p[column]]).chain([[f64::NAN, f64::NAN]])
            });
            Curve { name, points: points.collect(), dashed }
        };
        curves.push(curve(motion.clone(), 1, false));
        curves.push(curve(format!("{motion}, estimated"), 2, true));
    }
    plot_svg(&Plot {
        title: report.output.clone(),
        x_label: "time in the actor's motion (s)".to_owned(),
        y_label: "way in the piece (m)".to_owned(),
        curves,
        width: 1200,
        height: 420,
        ..Plot::default()
    })
}

impl fmt::Display for LearnReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for pairing in &self.pairings {
            writeln!(
                f,
                "{} ← {}: {:.2} s {}, correlation {:.2}{}",
                pairing.motion,
                pairing.performer,
                pairing.lag_s.abs(),
                if pairing.lag_s < 0.0 { "earlier" } else { "later" },
                pairing.correlation,
                if pairing.mirrored { " as in a mirror" } else { "" }
            )?;
            if pairing.correlation < STRANGE {
                writeln!(
                    f,
                    "  hardly alike: is it an imitation of this motion? what follows may be accident"
                )?;
            } else if pairing.correlation < perform::PAIRED {
                writeln!(
                    f,
                    "  doubtful: below {:.1} the imitation is not followed, only its regressions are used; imitate again in the \
                     actor's time, or try --pair dtw",
                    perform::PAIRED
                )?;
            }
        }
        for FileLosses { file, losses } in &self.losses {
            for line in lines(losses, LEFT_OUT) {
                writeln!(f, "{file}: {line}")?;
            }
        }
        writeln!(f, "piece              seconds        R²    adj.  cross  cm    frames  variables")?;
        for piece in &self.pieces {
            let name = format!("{} {}", piece.motion, piece.piece);
            write!(f, "{name:<24} {:>6.2}–{:<6.2}", piece.start_s, piece.end_s)?;
            match (piece.r2, piece.adjusted_r2, piece.cross_validated_r2, piece.residual_cm) {
                (Some(r2), Some(adjusted), Some(crossed), Some(cm)) => {
                    let error = piece.frame_error_s.unwrap_or(0.0);
                    let names = piece.variables.join(", ");
                    writeln!(f, " {r2:.3} {adjusted:.3} {crossed:>6.3} {cm:>5.1} ±{error:.2} s  {names}")?;
                }
                _ if piece.group.is_none() => writeln!(f, " rest")?,
                _ => match piece.best_r2 {
                    Some(best) => {
                        write!(f, " no coordinate follows it (best R² {best:.2}")?;
                        if let Some(crossed) = piece.cross_validated_r2 {
                            write!(f, ", {crossed:.2} on time left out")?;
                        }
                        writeln!(f, "); nearest pose is used")?;
                    }
                    None => writeln!(f, " too short to learn; nearest pose is used")?,
                },
            }
        }
        let count = self.motions.len();
        write!(f, "{count} {} → {}", plural(count, "motion"), self.output)
    }
}
