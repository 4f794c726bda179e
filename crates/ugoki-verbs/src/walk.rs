//! `walk`: a captured walk whose feet land where they are told.

use std::fmt;
use std::str::FromStr;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::held::Held;
use super::{Arguments, Error, Reading, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, FootContacts, find_contacts};
use ugoki::edit::walk::{
    BROKEN_BEND_S, BROKEN_BOB_M_S, Footstep, Gait, MAX_STEPS, Strides, WalkError, Walked,
};
use ugoki::edit::{CycleConfig, close_cycle, made_cycle};
use ugoki::metric::foot_skate;
use ugoki::skeleton::Side;

/// Ask for a walk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion to take steps from, or a database with walks.
    pub input: String,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// The file with footsteps.
    #[serde(default)]
    pub steps: Option<String>,
    /// Length of each step along the way, metres; the source's own when absent.
    #[serde(default)]
    pub stride: Option<Stride>,
    /// How many steps; as many as the source has when absent.
    #[serde(default)]
    pub count: Option<usize>,
    /// Turn to the left over the whole walk, degrees.
    #[serde(default)]
    pub turn: Option<f64>,
    /// Whether impossible steps are moved to the nearest possible place.
    #[serde(default)]
    pub clamp: bool,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

/// One length of step, `0.6`, or from the first to the last, `0.7:0.3`; metres.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stride {
    /// Of the first step.
    pub first: f64,
    /// Of the last.
    pub last: f64,
}

impl FromStr for Stride {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| {
            let found = word.trim().parse::<f64>().ok().filter(|n| n.is_finite());
            let expected = "give metres such as 0.6, or 0.7:0.3 from first to last";
            match found {
                Some(metres) if metres >= 0.0 => Ok(metres),
                Some(metres) => Err(format!("a step cannot be {metres} m long; {expected}")),
                None => Err(format!("{word:?} is not a length of step; {expected}")),
            }
        };
        match text.split_once(':') {
            Some((first, last)) => Ok(Self { first: number(first)?, last: number(last)? }),
            None => number(text).map(|stride| Self { first: stride, last: stride }),
        }
    }
}

impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            return write!(f, "{}", self.first);
        }
        write!(f, "{}:{}", self.first, self.last)
    }
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        reading_arguments(&self.reading, Arguments::new("walk"))
            .option("output", Some(&self.output))
            .option("steps", self.steps.as_ref())
            .option("stride", self.stride)
            .option("count", self.count)
            .option("turn", self.turn)
            .flag("clamp", self.clamp)
            .file(&self.input)
            .finish()
    }
}

/// A foot by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Foot {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

impl From<Foot> for Side {
    fn from(foot: Foot) -> Self {
        match foot {
            Foot::Left => Self::Left,
            Foot::Right => Self::Right,
        }
    }
}

impl From<Side> for Foot {
    fn from(side: Side) -> Self {
        match side {
            Side::Left => Self::Left,
            Side::Right => Self::Right,
        }
    }
}

/// One step of a file of footsteps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepWord {
    /// `left` or `right`.
    pub foot: Foot,
    /// The planted ankle's ground point, metres.
    pub x: f32,
    /// The same, along the way.
    pub z: f32,
    /// Height of the ground there, metres.
    #[serde(default)]
    pub y: f32,
    /// Ankle to toe, degrees from +Z to the left.
    #[serde(default)]
    pub heading_deg: Option<f32>,
}

/// A file of footsteps, `{"steps": [{"foot": "left", "x": 0.1, "z": 0.55}]}`.
///
/// # Errors
/// Says which step, and which line, is not as expected.
pub fn read_steps(text: &str) -> Result<Vec<Footstep>, StepsError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File<Step> {
        steps: Vec<Step>,
    }
    // Editors of some systems begin a text with this mark.
    let text = text.trim_start_matches('\u{feff}');
    let expected = |error: serde_json::Error| StepsError {
        line: u32::try_from(error.line()).ok().filter(|&line| line > 0),
        message: format!(
            "{}; expected {{\"steps\": [{{\"foot\": \"left\", \"x\": 0.1, \"z\": 0.55}}]}}",
            plain(&error)
        ),
    };
    let file: File<serde_json::Value> = serde_json::from_str(text).map_err(expected)?;
    if file.steps.len() > MAX_STEPS {
        let message = WalkError::TooManySteps { steps: file.steps.len(), max: MAX_STEPS }.to_string();
        return Err(StepsError { line: None, message });
    }
    let step = |(at, value): (usize, serde_json::Value)| {
        let word: StepWord = serde_json::from_value(value).map_err(|error| StepsError {
            line: line_of_step(text, at),
            message: format!(
                "step {}: {}; expected a foot, left or right, with x and z in metres",
                at + 1,
                plain(&error)
            ),
        })?;
        Ok(Footstep {
            foot: word.foot.into(),
            place: Vec3::new(word.x, word.y, word.z),
            heading_deg: word.heading_deg,
        })
    };
    let steps: Result<Vec<Footstep>, StepsError> = file.steps.into_iter().enumerate().map(step).collect();
    // A field given twice is lost among values, but not in the text.
    if steps.is_ok() {
        serde_json::from_str::<File<StepWord>>(text).map_err(expected)?;
    }
    steps
}

/// Why a file of footsteps is none, and the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StepsError {
    /// Counted from 1, where it is known.
    pub line: Option<u32>,
    /// What was found; what was expected.
    pub message: String,
}

/// A parser's complaint in the words of the file, not of the program.
fn plain(error: &serde_json::Error) -> String {
    (error.to_string())
        .replace("struct File with 1 element", "an object with the field `steps`")
        .replace("struct StepWord with 5 elements", "an object with the fields of a step")
        .replace("struct File", "an object with the field `steps`")
        .replace("struct StepWord", "an object with the fields of a step")
        .replace("expected f32", "expected a number")
}

/// The line on which a step of a well-formed file begins, counted from 1.
fn line_of_step(text: &str, step: usize) -> Option<u32> {
    // Steps are the objects two levels deep: within the document's own braces and the list's brackets.
    let (mut depth, mut seen, mut in_text, mut escaped) = (0_usize, 0, false, false);
    let mut line = 1;
    for byte in text.bytes() {
        match byte {
            b'\n' => line += 1,
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth == 3 && seen == step {
                    return Some(line);
                }
                seen += usize::from(depth == 3);
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepReport {
    /// The foot that stepped.
    pub foot: Foot,
    /// Where it was to stand, x, y, z, metres; after clamping.
    pub planned: [f32; 3],
    /// Where it stands in the middle of its flat phase.
    pub reached: [f32; 3],
    /// Ankle to toe there, degrees from +Z to the left.
    pub heading_deg: f32,
    /// When it left the ground, seconds.
    pub start_s: f64,
    /// When it stood again, seconds.
    pub end_s: f64,
    /// Farthest that its heel or toe moves while it stands, mm.
    pub slip_mm: f32,
}

/// Where a foot stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StandReport {
    /// The foot.
    pub foot: Foot,
    /// Its ankle's ground point, x, y, z, metres.
    pub place: [f32; 3],
    /// Ankle to toe there, degrees from +Z to the left.
    pub heading_deg: Option<f32>,
}

/// What walking did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// The clip whose steps were used.
    pub source: String,
    /// Where the other foot stands when the first step begins: what a plan starts from.
    pub stands: StandReport,
    /// Every step.
    pub steps: Vec<StepReport>,
    /// Frames written.
    pub frames: usize,
    /// Length, seconds.
    pub seconds: f64,
    /// First moment of the source that was used, seconds.
    pub source_start_s: f64,
    /// How often the source's stride was repeated.
    pub laps: usize,
    /// Steps that were moved to be possible, counted from 1.
    pub clamped: Vec<usize>,
    /// Largest distance of a footfall from its plan, mm.
    pub missed_mm: f32,
    /// Farthest that the hips sink for the steps, metres.
    pub hips_sink_m: f32,
    /// The slowest that a step is taken against the pace that its length gives, so that knees, feet and hips stay as fast as the
    /// source's; 1 when none is.
    pub slowed: f32,
    /// The longest that a step takes, from the footfall before, seconds.
    pub slowest_step_s: f64,
    /// Where the source moves as no body does, and the walk with it.
    pub broken: Option<Broken>,
    /// Mean speed of standing feet in the source, mm/s.
    pub source_skate_mm_s: f64,
    /// How the contacts that are held compare with those that `convert` finds in the result.
    pub held: Option<Held>,
}

/// A source that is broken: knees or hips faster than any body's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Broken {
    /// When in the source, seconds from its start.
    pub source_s: f64,
    /// When in the walk, seconds.
    pub at_s: f64,
    /// Fastest bending of a knee in the walk, degrees per second.
    pub knee_deg_s: f32,
    /// Fastest rise or sinking of the hips in the walk, metres per second.
    pub hips_m_s: f32,
}

impl Broken {
    fn of(gait: &Gait, walked: &Walked) -> Option<Self> {
        let (own, taken) = (gait.captured(), &walked.effort);
        let bends = taken.bends.0 > BROKEN_BEND_S;
        if !bends && taken.bobs.0 <= BROKEN_BOB_M_S {
            return None;
        }
        let fps = walked.clip.fps();
        let [frame, source] = if bends { [taken.bends.1, own.bends.1] } else { [taken.bobs.1, own.bobs.1] };
        Some(Self {
            source_s: source as f64 / fps,
            at_s: frame as f64 / fps,
            knee_deg_s: taken.bends.0.to_degrees(),
            hips_m_s: taken.bobs.0,
        })
    }
}

/// A walk, where its feet stand, and what became of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The motion.
    pub clip: Clip,
    /// Frames in which heels and toes stand: left, right.
    pub contacts: [FootContacts; 2],
    /// What walking did.
    pub report: Report,
}

/// A walk made ready: whoever walks it again and again, as while a footprint is dragged, builds it once.
#[derive(Debug)]
pub struct Ready {
    gait: Gait,
    /// Mean speed of standing feet, m/s.
    skate: f64,
    name: String,
}

/// Makes a walk ready.
///
/// # Errors
/// When the clip does not walk, or the caller stops.
pub fn ready(clip: &Clip, progress: Progress<'_>) -> Result<Ready, Error> {
    let gait = gait(clip, progress)?;
    let skate = foot_skate(clip, &ContactConfig::default()).unwrap_or(0.0);
    Ok(Ready { gait, skate, name: clip.name.clone() })
}

/// Walks the plan, or one made of the strides asked for.
///
/// # Errors
/// When the clip does not walk, a step is impossible, or the caller stops.
pub fn run(
    request: &Request,
    clip: &Clip,
    plan: Option<&[Footstep]>,
    progress: Progress<'_>,
) -> Result<Done, Error> {
    let ready = ready(clip, &mut |share| progress(0.4 * share))?;
    run_ready(request, &ready, plan, &mut |share| progress(0.4 + 0.6 * share))
}

/// As [`run`], with a walk made ready.
///
/// # Errors
/// When a step is impossible, or the caller stops.
pub fn run_ready(
    request: &Request,
    ready: &Ready,
    plan: Option<&[Footstep]>,
    progress: Progress<'_>,
) -> Result<Done, Error> {
    let gait = &ready.gait;
    let plan = match plan {
        Some(plan) => plan.to_vec(),
        // Nothing asked for: the source's own footfalls.
        None if request.stride.is_none() && request.count.is_none() && request.turn.is_none() => {
            gait.own_plan()
        }
        None => gait.plan(&strides(request, gait))?,
    };
    let walked = gait.walk(&plan, request.clamp, progress)?;
    let stands = gait.stands_first(plan.first().map_or(gait.first_foot(), |step| step.foot));
    let report = report(request, ready, &plan, &walked, stands);
    Ok(Done { clip: walked.clip, contacts: walked.contacts, report })
}

/// Repeats of a clip that was made as a loop, for its walk to be found: two strides and their neighbours.
const UNROLLED: usize = 4;

/// The walk of a clip, or of one that was made as a loop, repeated.
fn gait(clip: &Clip, progress: Progress<'_>) -> Result<Gait, WalkError> {
    let found = Gait::build(clip, progress);
    let few = match &found {
        Err(WalkError::NoGait { .. } | WalkError::OnTiptoe { .. }) => true,
        Ok(gait) => gait.num_steps() < 3,
        Err(_) => false,
    };
    if !few {
        return found;
    }
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let Some(cycle) = made_cycle(clip, contacts.as_ref()) else { return found };
    let config = CycleConfig { cycles: UNROLLED, ..CycleConfig::default() };
    let unrolled = close_cycle(clip, contacts.as_ref(), &cycle.frames, &config, progress);
    match unrolled.map(|looped| Gait::build(&looped.clip, progress)) {
        Ok(Ok(gait)) => Ok(gait),
        _ => found,
    }
}

fn strides(request: &Request, gait: &Gait) -> Strides {
    let own = f64::from(gait.stride_m());
    let stride = request.stride.unwrap_or(Stride { first: own, last: own });
    Strides {
        stride_m: [stride.first as f32, stride.last as f32],
        count: request.count.unwrap_or(gait.num_steps()),
        turn_deg: request.turn.unwrap_or(0.0) as f32,
    }
}

/// What the steps of a plan are like on the whole: for the choice of a walk among several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// Mean length of a step, metres, if it matters.
    pub stride_m: Option<f32>,
    /// Turn to the left over all steps, radians.
    pub turn: f32,
    /// How many steps; as many as a source has when absent.
    pub count: Option<usize>,
    /// Largest rise from one step to the next, metres; negative when it falls.
    pub rise_m: f32,
}

/// What a request wants of its steps.
#[must_use]
pub fn wanted(request: &Request, plan: Option<&[Footstep]>) -> Wanted {
    let mean = |sum: f32, count: usize| sum / count.max(1) as f32;
    if let Some(plan) = plan {
        let pairs = plan.len().saturating_sub(1);
        let way: f32 = plan.windows(2).map(|pair| (pair[1].place - pair[0].place).with_y(0.0).length()).sum();
        let ends = plan.first().zip(plan.last());
        let turn = ends.and_then(|(first, last)| Some(last.heading_deg? - first.heading_deg?)).unwrap_or(0.0);
        let rises = plan.windows(2).map(|pair| pair[1].place.y - pair[0].place.y);
        let rise_m = rises.fold(0.0, |most: f32, rise| if rise.abs() > most.abs() { rise } else { most });
        let stride_m = (pairs > 0).then(|| mean(way, pairs));
        return Wanted { stride_m, turn: turn.to_radians(), count: Some(pairs), rise_m };
    }
    Wanted {
        stride_m: request.stride.map(|stride| (0.5 * (stride.first + stride.last)) as f32),
        turn: request.turn.unwrap_or(0.0).to_radians() as f32,
        count: request.count,
        rise_m: 0.0,
    }
}

/// What a radian of turn from step to step counts against a metre of step in the choice of a walk: a quarter turn over six steps counts
/// as half a metre, more than steps of walks differ by. Steps that are too short are lengthened, a turn never becomes a straight walk.
const TURN_COST_M: f32 = 2.0;
/// What a walk with fewer steps than wanted costs for each, metres.
const STEP_COST_M: f32 = 0.01;

/// The clips that walk, those first whose steps are most like the wanted ones in length, turn and rise; those that do not walk are
/// left out.
///
/// # Errors
/// When none walks (the last clip's reason), or the caller stops.
pub fn nearest(clips: &[Clip], wanted: &Wanted, progress: Progress<'_>) -> Result<Vec<usize>, Error> {
    let mut order: Vec<(f32, usize)> = Vec::new();
    let mut why = WalkError::NoSource;
    for (at, clip) in clips.iter().enumerate() {
        let share = |part: f32| (at as f32 + part) / clips.len() as f32;
        match gait(clip, &mut |part| progress(share(part))) {
            Ok(gait) => {
                let stride = wanted.stride_m.map_or(0.0, |stride| (gait.stride_m() - stride).abs());
                let count = wanted.count.unwrap_or(gait.num_steps()).max(1);
                let turn = TURN_COST_M * (gait.turn() - wanted.turn / count as f32).abs();
                let rise = (gait.rise_m() - wanted.rise_m).abs();
                order.push((stride + turn + rise - STEP_COST_M * gait.num_steps().min(8) as f32, at));
            }
            Err(WalkError::Cancelled(_)) => return Err(Error::Cancelled),
            Err(error) => why = error,
        }
    }
    if order.is_empty() {
        return Err(Error::Walk(why));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(order.into_iter().map(|(_, at)| at).collect())
}

fn report(request: &Request, ready: &Ready, plan: &[Footstep], walked: &Walked, stands: Footstep) -> Report {
    let steps: Vec<StepReport> = (walked.steps.iter())
        .map(|step| StepReport {
            foot: step.planned.foot.into(),
            planned: step.planned.place.to_array(),
            reached: step.reached.to_array(),
            heading_deg: step.heading_deg,
            start_s: step.start_s,
            end_s: step.end_s,
            slip_mm: 1e3 * step.slip_m,
        })
        .collect();
    let missed =
        (walked.steps.iter()).map(|step| step.reached.distance(step.planned.place)).fold(0.0, f32::max);
    let changed = |(asked, step): (&Footstep, &ugoki::edit::walk::WalkedStep)| {
        let turn = asked.heading_deg.zip(step.planned.heading_deg).map_or(0.0, |(a, b)| (a - b).abs());
        asked.place.distance(step.planned.place) > SAME_PLACE_M || turn > SAME_HEADING_DEG
    };
    Report {
        input: request.input.clone(),
        output: request.output.clone(),
        source: ready.name.clone(),
        clamped: (plan.iter().zip(&walked.steps).enumerate())
            .filter(|(_, pair)| changed(*pair))
            .map(|(at, _)| at + 1)
            .collect(),
        stands: StandReport {
            foot: stands.foot.into(),
            place: stands.place.to_array(),
            heading_deg: stands.heading_deg,
        },
        steps,
        frames: walked.clip.num_frames(),
        seconds: walked.clip.seconds(),
        source_start_s: walked.source_start_s,
        laps: walked.laps,
        missed_mm: 1e3 * missed,
        hips_sink_m: walked.sunk_m.0,
        slowed: walked.slowed,
        slowest_step_s: (walked.steps.windows(2))
            .map(|pair| pair[1].end_s - pair[0].end_s)
            .fold(0.0, f64::max),
        broken: Broken::of(&ready.gait, walked),
        source_skate_mm_s: 1e3 * ready.skate,
        held: Held::of(&walked.clip, &walked.contacts),
    }
}

/// Steps nearer than this to what was asked for were not moved: f32 at a kilometre, metres and degrees.
const SAME_PLACE_M: f32 = 1e-4;
const SAME_HEADING_DEG: f32 = 1e-2;
/// Footfalls farther from the plan than this are told of, mm: what is promised.
const MISS_TOLD_MM: f32 = 1.0;
/// Steps slower than this are told of: a tenth begins to show.
const SLOWED_TOLD: f32 = 0.9;
/// Hips that sink farther than this are told of, metres: it begins to show.
const SINK_TOLD_M: f32 = 0.1;

impl Report {
    /// What the user should know before using the result.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let off = |step: &StepReport| {
            let by: f32 = (0..3).map(|axis| (step.reached[axis] - step.planned[axis]).powi(2)).sum();
            1e3 * by.sqrt()
        };
        for (at, step) in self.steps.iter().enumerate().filter(|(_, step)| off(step) > MISS_TOLD_MM) {
            warnings.push(format!("step {} stands {:.1} mm off its plan", at + 1, off(step)));
        }
        if let Some(Broken { source_s, at_s, knee_deg_s, hips_m_s }) = &self.broken {
            warnings.push(format!(
                "{} is broken at {source_s:.2} s, and so is the walk at {at_s:.2} s: a knee bends at {knee_deg_s:.0}°/s, hips rise or sink at {hips_m_s:.1} m/s; clean it with `ugoki filter --despike` or take another walk",
                self.source
            ));
        }
        warnings
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (steps, seconds) = (self.steps.len(), self.seconds);
        write!(f, "{} → {}: {steps} steps in {seconds:.2} s", self.input, self.output)?;
        if !self.input.ends_with(&self.source) {
            write!(f, ", from {:?}", self.source)?;
        }
        let slip = self.steps.iter().map(|step| step.slip_mm).fold(0.0, f32::max);
        write!(
            f,
            "\n  footfalls within {:.2} mm of the plan, feet slip at most {slip:.2} mm",
            self.missed_mm
        )?;
        write!(f, " (the source skates {:.0} mm/s)", self.source_skate_mm_s)?;
        if let Some(held) = &self.held {
            write!(f, "\n  {held}")?;
        }
        let [x, _, z] = self.stands.place;
        let other = if self.stands.foot == Foot::Left { "left" } else { "right" };
        write!(f, "\n  the {other} foot stands at x {x:.2}, z {z:.2} when the first step begins")?;
        if self.hips_sink_m > SINK_TOLD_M {
            write!(f, "\n  hips sink by up to {:.2} m for these steps", self.hips_sink_m)?;
        }
        if self.slowed < SLOWED_TOLD {
            write!(
                f,
                "\n  steps take up to {:.2} s, {:.0} % of their pace, to move as the source does",
                self.slowest_step_s,
                100.0 * self.slowed
            )?;
        }
        if self.laps > 0 {
            write!(f, "\n  the source's best stride is repeated {} times", self.laps)?;
        }
        if !self.clamped.is_empty() {
            let steps: Vec<String> = self.clamped.iter().map(ToString::to_string).collect();
            write!(f, "\n  moved to be possible: step {}", steps.join(", "))?;
        }
        Ok(())
    }
}
