//! `walk`: a captured walk whose feet land on given places.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use glam::Vec3;
use schemars::JsonSchema;
use serde::Serialize;
use ugoki::clip::Clip;
use ugoki::contact::ContactConfig;
use ugoki::edit::walk::{
    BrokenSource, Footstep, Gait, MAX_STEPS, StepSummary, Strides, WalkError, WalkReport, build_gait,
    rank_walks,
};
use ugoki::formats::{PlannedStep, Read, read_footsteps};
use ugoki::metric::foot_skate;

use crate::error::InFile as _;
use crate::motion_verb::{Job, Made, MotionReport, MotionVerb, Written};
use crate::text_form::text_form;
use crate::words::quoted;
use crate::{Error, Host, NewMotion, Output, Reading};

/// Tags of clips whose steps may be taken: those that importing sets, and those that users give.
const TAGS: [&str; 8] = ["walk", "turn", "step", "stairs", "turn-left", "turn-right", "up", "down"];

/// Clips of each tag that are considered at most.
const MOST_TAGGED: usize = 64;

/// Puts every footfall of a captured walk where you want it
///
/// Footsteps are metres in the world in which the motion starts above the origin facing +Z; the planted ankle's ground point goes to
/// (x, z) on ground of height y. With --stride, --count or --turn the way is straight, or turns evenly; with nothing the source's own
/// footfalls are walked.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki walk walk.bvh --stride 0.5 --count 8 --turn 90 -o turn.bvh\n  \
                        ugoki walk walk.bvh --stride 0.7:0.3 --count 8 -o shrinking.bvh\n  \
                        ugoki walk moves.ugoki --steps steps.json -o out.bvh\n  \
                        steps.json: {\"steps\": [{\"foot\": \"left\", \"x\": 0.10, \"z\": 0.55, \"y\": 0.0, \"heading_deg\": 0}]}")]
pub struct Walk {
    /// Motion file or database clip that walks, or a folder, or a database: then its walk with the nearest steps
    #[arg(value_name = "SOURCE")]
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// File with footsteps
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["stride", "count", "turn"])]
    pub steps: Option<String>,

    /// Distance between successive footfalls, metres, or from the first to the last as 0.7:0.3 [default: the source's]
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    pub stride: Option<Stride>,

    /// How many steps [default: as many as the source has]
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,

    /// Turn to the left over the whole walk, degrees; to the right when negative
    #[arg(long, value_name = "DEG", allow_hyphen_values = true, value_parser = degrees)]
    pub turn: Option<f64>,

    /// Move impossible steps to the nearest possible place instead of refusing them
    #[arg(long)]
    pub clamp: bool,

    /// How to read the source.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

fn degrees(word: &str) -> Result<f64, String> {
    let found = word.parse::<f64>().ok().filter(|degrees| degrees.is_finite());
    found.ok_or_else(|| format!("{word:?} is not a turn; give degrees such as 90, or -90 to the right"))
}

/// One length of step, `0.6`, or from the first to the last, `0.7:0.3`; metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stride {
    /// Of the first step.
    pub first: f64,
    /// Of the last.
    pub last: f64,
}

text_form! {
    Stride => "Stride", "Length of a step in metres, 0.6, or from the first to the last, 0.7:0.3.";
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

/// The steps of a file of footsteps.
fn read_steps(name: &str, text: &str) -> Result<Vec<Footstep>, Error> {
    let steps = read_footsteps(text, MAX_STEPS).in_file(name)?;
    let step = |step: PlannedStep| Footstep {
        foot: step.foot,
        place: Vec3::new(step.x, step.y, step.z),
        heading_deg: step.heading_deg,
    };
    Ok(steps.into_iter().map(step).collect())
}

/// A gait that was prepared, so that walking it again with another plan is quick.
#[derive(Debug)]
struct Prepared {
    gait: Gait,
    /// Mean speed of standing feet, m/s.
    skate: f64,
    name: String,
}

impl MotionVerb for Walk {
    type Report = WalkReport;

    const ACTIVITY: &'static str = "walking";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn side_files(&self) -> (Vec<&str>, Vec<&str>) {
        (self.steps.iter().map(String::as_str).collect(), Vec::new())
    }

    fn one(&self, mut job: Job<'_>) -> Result<Written<WalkReport>, Error> {
        let job = &mut job;
        let made = match job.host.clip_reference(job.input) {
            Some((database, "")) => self.walk_database(database, job),
            _ => {
                job.host.motion(job.input, &self.reading).and_then(|read| Ok((self.make(&read, job)?, read)))
            }
        };
        let (made, read) = made.map_err(|error| self.blame(error, job.input))?;
        let contacts = made.contacts;
        job.host.write_motion(job.output, &NewMotion { contacts, ..NewMotion::new(&made.clip, &read) })?;
        Ok(Written::new(job, made.report))
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<WalkReport>, Error> {
        let plan = self.plan(job.host)?;
        self.walk(&read.clip, plan.as_deref(), job)
    }
}

impl Walk {
    fn plan(&self, host: &mut dyn Host) -> Result<Option<Vec<Footstep>>, Error> {
        let Some(name) = &self.steps else { return Ok(None) };
        read_steps(name, &host.text(name, "footsteps as JSON")?).map(Some)
    }

    /// Walks the plan, or one made from the strides asked for.
    fn walk(
        &self,
        clip: &Clip,
        plan: Option<&[Footstep]>,
        job: &mut Job<'_>,
    ) -> Result<Made<WalkReport>, Error> {
        let prepared = self.prepared(clip, job)?;
        let gait = &prepared.gait;
        let plan = match plan {
            Some(plan) => plan.to_vec(),
            // Without any option: the source's own footfalls.
            None if self.stride.is_none() && self.count.is_none() && self.turn.is_none() => gait.own_plan(),
            None => gait.plan(&self.strides(gait))?,
        };
        let walked = gait.walk(&plan, self.clamp, &mut |part| (job.progress)(0.4 + 0.6 * part))?;
        let report = gait.report(&plan, &walked, &prepared.name, prepared.skate);
        Ok(Made { contacts: Some(walked.contacts), ..Made::new(walked.clip, report) })
    }

    /// The gait of a clip, prepared now or in an earlier run.
    fn prepared(&self, clip: &Clip, job: &mut Job<'_>) -> Result<Arc<Prepared>, Error> {
        let reading = serde_json::to_string(&self.reading).unwrap_or_default();
        let key = format!("walk {} {} {reading}", job.input, clip.name);
        if let Some(kept) = job.host.cached(&key).and_then(|kept| kept.downcast().ok()) {
            return Ok(kept);
        }
        let gait = build_gait(clip, &mut |part| (job.progress)(0.4 * part))?;
        let skate = foot_skate(clip, &ContactConfig::default()).unwrap_or(0.0);
        let prepared = Arc::new(Prepared { gait, skate, name: clip.name.clone() });
        job.host.cache(&key, prepared.clone());
        Ok(prepared)
    }

    /// Walks with the clip of a database whose steps are most like the plan's and with which it can be walked.
    fn walk_database(&self, database: &str, job: &mut Job<'_>) -> Result<(Made<WalkReport>, Read), Error> {
        let plan = self.plan(job.host)?;
        let clips = job.host.database(database)?.tagged_clips(&TAGS, MOST_TAGGED).in_file(database)?;
        if clips.is_empty() {
            return Err(Error::refused("has no clip with the tag \"walk\"")
                .hint(format!(
                    "tag one with `ugoki db tag {} NAME --add walk`, or name a clip as {database}#NAME",
                    quoted(database)
                ))
                .in_file(database));
        }
        let order =
            rank_walks(&clips, &self.summary(plan.as_deref()), &mut |part| (job.progress)(0.5 * part))?;
        let mut first = None;
        for at in order {
            let read = job.host.motion(&format!("{database}#{}", clips[at].name), &self.reading)?;
            let progress = &mut |part: f32| (job.progress)(0.5 + 0.5 * part);
            let mut job = Job { host: job.host, progress, ..*job };
            match self.walk(&read.clip, plan.as_deref(), &mut job) {
                Ok(made) => return Ok((made, read)),
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                // The error of the best match is reported.
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or(Error::Walk(WalkError::NoSource)))
    }

    /// The error with the file to blame: the footsteps, or the source.
    fn blame(&self, error: Error, input: &str) -> Error {
        match (&error, &self.steps) {
            (
                Error::Walk(WalkError::Step { .. } | WalkError::EmptyPlan | WalkError::TooManySteps { .. }),
                Some(steps),
            ) => error.in_file(steps),
            _ => error.in_file(input),
        }
    }

    fn strides(&self, gait: &Gait) -> Strides {
        let own = f64::from(gait.stride_m());
        let stride = self.stride.unwrap_or(Stride { first: own, last: own });
        Strides {
            stride_m: [stride.first as f32, stride.last as f32],
            count: self.count.unwrap_or(gait.num_steps()),
            turn_deg: self.turn.unwrap_or(0.0) as f32,
        }
    }

    fn summary(&self, plan: Option<&[Footstep]>) -> StepSummary {
        plan.map_or_else(
            || StepSummary {
                stride_m: self.stride.map(|stride| (0.5 * (stride.first + stride.last)) as f32),
                turn: self.turn.unwrap_or(0.0).to_radians() as f32,
                count: self.count,
                rise_m: 0.0,
            },
            StepSummary::from_plan,
        )
    }
}

impl MotionReport for WalkReport {
    fn text(&self, [input, output]: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{input} → {output}: {} steps in {:.2} s", self.steps.len(), self.seconds)?;
        if !input.ends_with(&self.source) {
            write!(f, ", from {:?}", self.source)?;
        }
        self.notes().iter().try_for_each(|note| write!(f, "\n  {note}"))?;
        for (step, off) in self.missed_steps() {
            write!(f, "\n{output}: step {step} stands {off:.1} mm off its plan")?;
        }
        if let Some(BrokenSource { source_s, at_s, knee_deg_s, hips_m_s }) = &self.broken {
            write!(
                f,
                "\n{output}: {} is broken at {source_s:.2} s, and so is the walk at {at_s:.2} s: a knee bends at {knee_deg_s:.0}°/s, hips rise or sink at {hips_m_s:.1} m/s; clean it with `ugoki filter --despike` or take another walk",
                self.source
            )?;
        }
        Ok(())
    }
}
