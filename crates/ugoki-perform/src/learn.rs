//! Learning from one imitation, or several.

use std::fmt;
use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_base::{Progress, report};
use ugoki_motion::segment::{
    BodyPoints, Objective, Observer, Piece, SegmentConfig, SegmentMethod, Segmentation, segment,
};

use super::model::{LOOK_BACK_S, MOMENTS_HZ, SAMPLES, num_moments, strand};
use super::pair::piece_shift;
use super::regress::MIN_R2;
use super::{
    Model, ModelPiece, Motion, PairMethod, Pairing, Pattern, PerformError, RegressError, Selection, Strand,
    pair, retrieve, select,
};

/// Heads of the columns of [`PieceReport`]'s text form.
pub const PIECE_COLUMNS: &str =
    "piece              seconds        R²    adj.  cross  cm    frames  variables";

/// Imitations of a lesser correlation are also looked at in a mirror, which is believed when it gains as much as the
/// second.
const MIRROR_BELOW: f64 = 0.5;
const MIRROR_GAIN: f64 = 0.05;

/// An actor's motion and one imitation of it.
#[derive(Debug, Clone, Copy)]
pub struct Imitation<'a> {
    /// The correct motion.
    pub actor: &'a Clip,
    /// The performer imitating it; none is needed to follow.
    pub performer: Option<&'a Clip>,
}

/// When a joint of an imitation is not seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Unseen {
    /// Whose place is not known.
    pub role: Role,
    /// Seconds from the first frame of the motion.
    pub seconds: std::ops::Range<f64>,
}

/// How to learn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LearnConfig {
    /// How frames are paired.
    pub pair: PairMethod,
    /// How far a piece may be from the lag of the whole, seconds; only for [`PairMethod::Lag`].
    pub reach_s: f64,
    /// How the actor's motion is cut.
    pub segment: SegmentConfig,
}

impl Default for LearnConfig {
    fn default() -> Self {
        // An imitator of what is shown is rarely half a second off; compared with none in docs/results/perform.md.
        // Regressions are the paper's, and so are the pieces that they are of.
        let segment = SegmentConfig { method: SegmentMethod::Paper, ..SegmentConfig::default() };
        Self { pair: PairMethod::default(), reach_s: 0.5, segment }
    }
}

/// How well one piece was learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PieceReport {
    /// The motion it is of.
    pub motion: String,
    /// `right-arm-1`.
    pub piece: String,
    /// When it starts in the actor's clip, seconds.
    pub start_s: f64,
    /// When it ends.
    pub end_s: f64,
    /// The group that moves; none for a rest, which needs no regression.
    pub group: Option<String>,
    /// What is estimated.
    pub objective: Option<Objective>,
    /// The coordinates used, by name.
    pub variables: Vec<String>,
    /// One for each, in metres per metre.
    pub coefficients: Vec<f64>,
    /// Fraction of variance explained; none without a regression.
    pub r2: Option<f64>,
    /// The same corrected for the number of variables.
    pub adjusted_r2: Option<f64>,
    /// The same for blocks of time that were left out. At 0 or less there is no regression.
    pub cross_validated_r2: Option<f64>,
    /// Root mean square error of the objective, centimetres.
    pub residual_cm: Option<f64>,
    /// Mean distance in time between the frame shown and the frame meant, seconds.
    pub frame_error_s: Option<f64>,
    /// Best R² where there is no regression: of one coordinate when none passed, else of the one refused.
    pub best_r2: Option<f64>,
    /// Paired frames it was learned from.
    pub rows: usize,
    /// Time in the actor's clip, objective and estimate of every paired frame: seconds and metres.
    #[serde(skip)]
    pub curve: Vec<[f64; 3]>,
}

impl fmt::Display for PieceReport {
    /// A row of a table under [`PIECE_COLUMNS`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{} {}", self.motion, self.piece);
        write!(f, "{name:<24} {:>6.2}–{:<6.2}", self.start_s, self.end_s)?;
        match (self.r2, self.adjusted_r2, self.cross_validated_r2, self.residual_cm) {
            (Some(r2), Some(adjusted), Some(crossed), Some(cm)) => {
                let error = self.frame_error_s.unwrap_or(0.0);
                let names = self.variables.join(", ");
                write!(f, " {r2:.3} {adjusted:.3} {crossed:>6.3} {cm:>5.1} ±{error:.2} s  {names}")
            }
            _ if self.group.is_none() => write!(f, " rest"),
            _ if self.rows == 0 => write!(f, " no imitation; followed without"),
            _ => match self.best_r2 {
                Some(best) => {
                    write!(f, " no coordinate follows it (best R² {best:.2}")?;
                    if let Some(crossed) = self.cross_validated_r2 {
                        write!(f, ", {crossed:.2} on time left out")?;
                    }
                    write!(f, "); nearest pose is used")
                }
                None => write!(f, " too short to learn; nearest pose is used"),
            },
        }
    }
}

impl fmt::Display for PairReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lag, when) = (self.lag_s.abs(), if self.lag_s < 0.0 { "earlier" } else { "later" });
        let mirrored = if self.mirrored { " as in a mirror" } else { "" };
        let Self { motion, performer, correlation, .. } = self;
        write!(f, "{motion} ← {performer}: {lag:.2} s {when}, correlation {correlation:.2}{mirrored}")
    }
}

/// How well everything was learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnReport {
    /// Every piece of every motion.
    pub pieces: Vec<PieceReport>,
    /// Per imitation: how much later it is than the actor, seconds, and the correlation.
    pub pairings: Vec<PairReport>,
}

/// How an imitation was paired with its actor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairReport {
    /// The actor's motion.
    pub motion: String,
    /// The imitation.
    pub performer: String,
    /// How much later it is, seconds.
    pub lag_s: f64,
    /// How alike the two are, −1 to 1.
    pub correlation: f64,
    /// Whether it is the imitation's mirror image that is alike: done with the other hand or foot.
    pub mirrored: bool,
}

/// Cuts every actor's motion and regresses each piece on its imitations. Imitations of one actor's clip, by name, are
/// pooled.
///
/// # Errors
/// When bodies are unknown, a motion cannot be cut, nothing of a motion can be learned, or the caller stops.
pub fn learn(
    imitations: &[Imitation<'_>],
    config: &LearnConfig,
    progress: Progress<'_>,
) -> Result<(Model, LearnReport), PerformError> {
    learn_seen(imitations, &[], config, progress)
}

/// The same where joints of the imitations are not seen all the time, `unseen` for each in order: nothing is learned
/// from a frame in which one of the model's is not.
///
/// # Errors
/// As for [`learn`], and when an imitation has no frame in which all are seen.
pub fn learn_seen(
    imitations: &[Imitation<'_>],
    unseen: &[Vec<Unseen>],
    config: &LearnConfig,
    progress: Progress<'_>,
) -> Result<(Model, LearnReport), PerformError> {
    if imitations.is_empty() {
        return Err(PerformError::Nothing);
    }
    let roles = common_roles(imitations)?;
    let mut names: Vec<&str> = Vec::new();
    for imitation in imitations {
        if !names.contains(&imitation.actor.name.as_str()) {
            names.push(&imitation.actor.name);
        }
    }
    let mut model = Model { roles, motions: Vec::new() };
    let mut result = LearnReport { pieces: Vec::new(), pairings: Vec::new() };
    for (done, name) in names.iter().enumerate() {
        let fraction = |s: f32| (done as f32 + s) / names.len() as f32;
        let all = imitations.iter().enumerate().filter(|(_, i)| i.actor.name == *name);
        let own: Vec<(Imitation<'_>, &[Unseen])> =
            all.map(|(at, i)| (*i, unseen.get(at).map_or(&[][..], Vec::as_slice))).collect();
        let motion = learn_motion(&model, &own, config, &mut result, &mut |s| progress(fraction(s)))?;
        model.motions.push(motion);
    }
    report(progress, 1.0)?;
    Ok((model, result))
}

/// Roles that every actor and performer has.
fn common_roles(imitations: &[Imitation<'_>]) -> Result<Vec<Role>, PerformError> {
    let mut roles: Option<Vec<Role>> = None;
    for clip in imitations.iter().flat_map(|i| [Some(i.actor), i.performer]).flatten() {
        let observer = Observer::build(clip.skeleton())
            .map_err(|error| PerformError::Body { clip: clip.name.clone(), reason: error.to_string() })?;
        let own: Vec<Role> = observer.roles().collect();
        roles = Some(match roles {
            None => own,
            Some(roles) => roles.into_iter().filter(|role| own.contains(role)).collect(),
        });
    }
    Ok(roles.unwrap_or_default())
}

/// The points of these roles, in leg lengths, in the model's order.
fn watch(clip: &Clip, roles: &[Role]) -> Result<(BodyPoints, f64), PerformError> {
    let observer = Observer::build(clip.skeleton())?.on_usual_bones(clip.skeleton()).only(roles);
    let leg = f64::from(observer.leg_metres());
    Ok((BodyPoints::watch(&observer, clip).scaled(1.0 / observer.leg_metres()), leg))
}

/// An imitation's points at the actor's rate and how they pair up.
struct Paired {
    points: BodyPoints,
    /// The points in a mirror, when those were paired with the actor's.
    mirror: Option<BodyPoints>,
    pairing: Pairing,
    /// Frames in which a point is not seen.
    lost: Vec<bool>,
}

/// Makes points that are not seen not finite; gives the frames in which any is not. `side` says which role stands for
/// one.
fn forget(
    points: &mut BodyPoints,
    roles: &[Role],
    unseen: &[Unseen],
    fps: f64,
    side: &dyn Fn(Role) -> Role,
) -> Vec<bool> {
    let mut lost = vec![false; points.num_frames()];
    for one in unseen {
        let Some(point) = roles.iter().position(|role| *role == side(one.role)) else { continue };
        // A frame between one that is seen and one that is not is half made up.
        let from = (one.seconds.start * fps).floor() as usize;
        let to = ((one.seconds.end * fps).ceil() as usize).min(lost.len());
        let frames = from.min(to)..to;
        lost[frames.clone()].fill(true);
        frames.for_each(|frame| points.frame_mut(frame)[point] = Vec3::NAN);
    }
    lost
}

impl Paired {
    /// Whether everything is seen between two times, frames.
    fn is_seen(&self, from: f64, to: f64) -> bool {
        let last = self.lost.len().saturating_sub(1);
        // A time between frames, and even one on a frame, is looked up with the frame after it.
        let frames = (from.max(0.0) as usize).min(last)..=(to.max(0.0) as usize + 1).min(last);
        !self.lost.get(frames).is_some_and(|lost| lost.contains(&true))
    }

    /// The points at a time between frames.
    fn at(&self, time: f64, out: &mut Vec<Vec3>) {
        let low = (time as usize).min(self.points.num_frames() - 1);
        let high = (low + 1).min(self.points.num_frames() - 1);
        let t = (time - low as f64).clamp(0.0, 1.0) as f32;
        out.clear();
        out.extend(self.points.frame(low).iter().zip(self.points.frame(high)).map(|(a, b)| a.lerp(*b, t)));
    }
}

fn learn_motion(
    model: &Model,
    own: &[(Imitation<'_>, &[Unseen])],
    config: &LearnConfig,
    result: &mut LearnReport,
    progress: Progress<'_>,
) -> Result<Motion, PerformError> {
    let actor = own[0].0.actor;
    let cuts =
        segment(actor, &config.segment, &mut |s| progress(0.4 * s)).map_err(
            |error| match PerformError::from(error) {
                PerformError::Segment(error) => {
                    PerformError::Body { clip: actor.name.clone(), reason: error.to_string() }
                }
                error => error,
            },
        )?;
    let (actor_points, mut leg_metres) = watch(actor, &model.roles)?;
    let mut paired = Vec::new();
    for (imitation, unseen) in own {
        report(progress, 0.4)?;
        let Some(performer) = imitation.performer else { continue };
        let unfit = |reason: String| PerformError::Unfit {
            actor: actor.name.clone(),
            performer: performer.name.clone(),
            reason,
        };
        let name = performer.name.clone();
        let performer = performer.resampled(actor.fps()).map_err(|e| unfit(e.to_string()))?;
        let (mut points, leg) = watch(&performer, &model.roles)?;
        let lost = forget(&mut points, &model.roles, unseen, actor.fps(), &|role| role);
        if !lost.is_empty() && lost.iter().all(|lost| *lost) {
            return Err(unfit("in no frame all joints are seen that the model is of".to_owned()));
        }
        leg_metres = leg;
        let mut step = |s: f32| progress(0.4 + 0.5 * s);
        let failed =
            |reason: Option<String>| reason.map_or(PerformError::Cancelled(ugoki_base::Cancelled), unfit);
        let mut pairing =
            pair([actor, &performer], [&actor_points, &points], config.pair, &mut step).map_err(failed)?;
        let mut mirror = None;
        report(&mut step, 1.0)?;
        if pairing.correlation < MIRROR_BELOW {
            let other = performer.mirrored();
            let mut seen = watch(&other, &model.roles)?.0;
            forget(&mut seen, &model.roles, unseen, actor.fps(), &Role::mirrored);
            match pair([actor, &other], [&actor_points, &seen], config.pair, &mut step) {
                Ok(found) if found.correlation > pairing.correlation + MIRROR_GAIN => {
                    pairing = found;
                    mirror = Some(seen);
                }
                Err(None) => return Err(failed(None)),
                // A mirror image that cannot be paired is none.
                Ok(_) | Err(Some(_)) => {}
            }
        }
        result.pairings.push(PairReport {
            motion: actor.name.clone(),
            performer: name,
            lag_s: pairing.lag_s,
            correlation: pairing.correlation,
            mirrored: mirror.is_some(),
        });
        paired.push(Paired { points, mirror, pairing, lost });
    }
    report(progress, 0.9)?;
    let reach = (config.reach_s.clamp(0.0, 10.0) * actor.fps()) as isize;
    let lesson =
        Lesson { model, actor, cuts: &cuts, paired: &paired, actor_points: &actor_points, leg_metres, reach };
    let mut pieces = Vec::new();
    let mut best = 0.0_f64;
    for (done, piece) in cuts.pieces.iter().enumerate() {
        report(progress, 0.9 + 0.1 * done as f32 / cuts.pieces.len() as f32)?;
        let (learned, found) = learn_piece(&lesson, piece);
        best = best.max(found.best_r2.unwrap_or(0.0)).max(found.r2.unwrap_or(0.0));
        result.pieces.push(found);
        pieces.push(learned);
    }
    if !paired.is_empty() && pieces.iter().all(|piece: &ModelPiece| piece.regression.is_none()) {
        return Err(PerformError::Unlearnable { actor: actor.name.clone(), best_r2: best, needed: MIN_R2 });
    }
    let strands = paired.iter().filter(|one| one.pairing.correlation >= PAIRED);
    let strands = strands.map(|one| imitated(&lesson, one)).collect();
    Ok(Motion { clip: Arc::new(actor.clone()), pieces, leg_metres, strands })
}

/// An imitation in the actor's time.
fn imitated(lesson: &Lesson<'_>, one: &Paired) -> Strand {
    let mut times = vec![None; lesson.actor_points.num_frames()];
    for piece in &lesson.cuts.pieces {
        let own = piece.start - lesson.cuts.first..piece.end - lesson.cuts.first;
        times[own].copy_from_slice(&lesson.times(one, piece));
    }
    let (fps, last) = (lesson.actor.fps(), times.len() - 1);
    let moments = (0..num_moments(lesson.actor)).map(|moment| {
        let at = moment as f64 * fps / MOMENTS_HZ;
        let low = (at as usize).min(last);
        // Between two frames, unless the pairing leaps there.
        match (times[low], times[(low + 1).min(last)]) {
            (Some(a), Some(b)) if (b - a).abs() <= 2.0 => Some(a + (b - a) * (at - low as f64)),
            (a, _) => a,
        }
    });
    // Where velocities would be of what is not seen there is no moment either.
    let back = LOOK_BACK_S * fps;
    let seen = moments.map(|time| time.filter(|time| one.is_seen(time - back, time.max(back))));
    strand(&one.points, seen, back, fps)
}

/// Correlation from which an imitation's frames are trusted to be the actor's moments, in addition to the actor's own:
/// different people's rhymes and different motions stay below it (docs/results/perform.md).
pub const PAIRED: f64 = 0.5;

/// What all pieces of a motion are learned from.
struct Lesson<'a> {
    model: &'a Model,
    actor: &'a Clip,
    cuts: &'a Segmentation,
    paired: &'a [Paired],
    actor_points: &'a BodyPoints,
    leg_metres: f64,
    /// How far a piece may be from the lag of the whole, frames.
    reach: isize,
}

impl Lesson<'_> {
    /// The imitation's time for every frame of a piece; none where it has nothing.
    fn times(&self, one: &Paired, piece: &Piece) -> Vec<Option<f64>> {
        let frames = piece.start - self.cuts.first..piece.end - self.cuts.first;
        // A rest has no moment to be placed by.
        let shift = match one.pairing.lag.filter(|_| piece.group.is_some()) {
            Some(lag) => {
                let seen = one.mirror.as_ref().unwrap_or(&one.points);
                piece_shift([self.actor_points, seen], frames.clone(), lag, self.reach, self.actor.fps())
            }
            None => 0,
        };
        let last = (one.points.num_frames() - 1) as f64;
        let time = |frame: usize| match one.pairing.lag {
            Some(lag) => Some((frame as isize + lag + shift) as f64),
            None => one.pairing.times[frame],
        };
        frames.map(|frame| time(frame).filter(|time| (0.0..=last).contains(time))).collect()
    }
}

fn learn_piece(lesson: &Lesson<'_>, piece: &Piece) -> (ModelPiece, PieceReport) {
    let Lesson { model, actor, cuts, paired, actor_points, leg_metres, .. } = *lesson;
    let index = cuts.index(piece);
    let first = piece.start - cuts.first;
    let (mut rows, mut y, mut frames) = (Vec::<Vec<f64>>::new(), Vec::new(), Vec::new());
    let mut patterns = Vec::new();
    let mut points = Vec::new();
    for one in paired {
        let mut times = Vec::new();
        for ((i, &objective), time) in index.iter().enumerate().zip(lesson.times(one, piece)) {
            let Some(time) = time else { continue };
            times.push(time);
            if !one.is_seen(time, time) {
                continue;
            }
            one.at(time, &mut points);
            // In metres of the imitator, so that the variance gate has its unit.
            let coordinates = points.iter().flat_map(Vec3::to_array);
            rows.push(coordinates.map(|v| f64::from(v) * leg_metres).collect());
            y.push(f64::from(objective));
            frames.push(i);
        }
        if times.len() >= 2 {
            let (a, b) = (times[0], times[times.len() - 1]);
            // Part of a piece is no pattern of it.
            if one.is_seen(a, b) {
                patterns.push(pattern(one, a, b, actor.fps()));
            }
        }
    }
    if patterns.is_empty() {
        let pairing = Pairing { times: Vec::new(), lag: Some(0), lag_s: 0.0, correlation: 1.0 };
        let itself = Paired { points: actor_points.clone(), mirror: None, pairing, lost: Vec::new() };
        let last = first + index.len() - 1;
        patterns.push(pattern(&itself, first as f64, last as f64, actor.fps()));
    }
    let found = piece.group.filter(|_| !paired.is_empty()).map(|_| select(&rows, &y));
    let at = |frame: usize| frame as f64 / actor.fps();
    let group = piece.group.map(|group| cuts.groups[group].name.clone());
    let mut report = PieceReport {
        motion: actor.name.clone(),
        piece: piece.name.clone(),
        start_s: at(piece.start),
        end_s: at(piece.end),
        group: group.clone(),
        objective: piece.group.map(|_| piece.objective),
        variables: Vec::new(),
        coefficients: Vec::new(),
        r2: None,
        adjusted_r2: None,
        cross_validated_r2: None,
        residual_cm: None,
        frame_error_s: None,
        best_r2: None,
        rows: rows.len(),
        curve: Vec::new(),
    };
    let regression = match found {
        // Worse than no regression on time left out: explained by accident.
        Some(Ok(selection)) if selection.cross_validated_r2 <= 0.0 => {
            report.best_r2 = Some(selection.r2);
            report.cross_validated_r2 = Some(selection.cross_validated_r2);
            None
        }
        Some(Ok(selection)) => {
            fill_report(&mut report, model, &selection);
            let wanted = |row: &Vec<f64>| selection.regression.estimate(|column| row[column]);
            let times = frames.iter().map(|i| at(piece.start + i));
            report.curve = times.zip(&rows).zip(&y).map(|((t, row), &y)| [t, y, wanted(row)]).collect();
            let shown = report.curve.iter().map(|point| retrieve(&index, point[2], None));
            let errors: usize = shown.zip(&frames).map(|(shown, &meant)| shown.abs_diff(meant)).sum();
            report.frame_error_s = Some(errors as f64 / rows.len() as f64 / actor.fps());
            Some(selection.regression)
        }
        Some(Err(RegressError::NonePasses { best_r2 })) => {
            report.best_r2 = Some(best_r2);
            None
        }
        Some(Err(RegressError::Degenerate)) | None => None,
    };
    let learned = ModelPiece {
        name: piece.name.clone(),
        start: piece.start,
        end: piece.end,
        group,
        objective: piece.objective,
        index,
        regression,
        patterns,
    };
    (learned, report)
}

fn fill_report(report: &mut PieceReport, model: &Model, selection: &Selection) {
    report.variables = selection.regression.columns.iter().map(|&c| model.variable_name(c)).collect();
    report.coefficients.clone_from(&selection.regression.coefficients);
    report.r2 = Some(selection.r2);
    report.adjusted_r2 = Some(selection.adjusted_r2);
    report.cross_validated_r2 = Some(selection.cross_validated_r2);
    report.residual_cm = Some(100.0 * selection.residual);
}

/// Samples spread evenly over a time interval.
fn pattern(one: &Paired, from: f64, to: f64, fps: f64) -> Pattern {
    let mut points = Vec::with_capacity(SAMPLES * one.points.num_points());
    let mut frame = Vec::new();
    for sample in 0..SAMPLES {
        one.at(from + (to - from) * sample as f64 / (SAMPLES - 1) as f64, &mut frame);
        points.extend_from_slice(&frame);
    }
    Pattern { seconds: (to - from) / fps, points }
}
