//! `perform`: an expert's motion driven by a performer's.
//!
//! `learn` pairs actors' motions with imitations, `run` plays the actor by a performance, `recognize` only says which
//! motion it is.

mod learn;
mod live;
mod proxy;
mod recognize;
mod rows;
mod run;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::clip::Clip;
use ugoki::formats::Read;
use ugoki::perform::{Frame, GapMask, Loss, LossTracker, Method, Mirror, Model, RunConfig, Runner};
use ugoki::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki::skeleton::difference;
use ugoki::{Progress, report};

use crate::Error;
use crate::losses::joint_gaps;

pub use learn::{FileLosses, Learn, Learned};
pub use proxy::{Proxy, ProxyError};
pub use recognize::{Recognize, RecognizeReport, RecognizedFrame, Switch};
pub use run::{Run, RunFrame, RunReport};

crate::verb::verbs! {
    /// Lets a rough performance drive an expert's motion
    #[command(after_help = "Examples:\n  ugoki perform learn expert.bvh me.bvh -o kata.ugoki\n  \
                            ugoki perform run kata.ugoki --input me-again.bvh --output kata.bvh")]
    #[serde(tag = "action", rename_all = "kebab-case")]
    Perform {
        Learn(Learn),
        Run(Run),
        Recognize(Recognize),
    }
}

/// How pieces are recognised.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[group(skip)]
pub struct Recognition {
    /// follow: motions by the nearest sample, the place in one from frame to frame; sum: all samples of a pattern; nearest:
    /// one sample; window: the last tenth of a second; dp: dynamic programming
    #[arg(long, value_enum, default_value = "follow")]
    pub method: Method,

    /// Frames that must agree on another piece before it is taken
    #[arg(long, value_name = "FRAMES", default_value_t = 0)]
    pub hysteresis: usize,

    /// How much nearer a piece must be to come out of the motion's order: leg lengths per point; 0 for any order. `follow`
    /// has its own order
    #[arg(long, value_name = "LEGS", default_value_t = RunConfig::default().order, allow_negative_numbers = true)]
    pub order: f32,

    /// Distance from the imitation, leg lengths per point, at which its regression has half its weight
    #[arg(long, value_name = "LEGS", default_value_t = RunConfig::default().trust, allow_negative_numbers = true)]
    pub trust: f32,

    /// Ratio of the performer's movement, 0 to 1, that may be like nothing learned before the last pose is held; 1 for never.
    /// `follow` only
    #[arg(long, value_name = "RATIO", default_value_t = RunConfig::default().unknown, allow_negative_numbers = true)]
    pub unknown: f32,

    /// Whether the performer uses the other hand and foot than the actor; auto finds out while following
    #[arg(long, value_enum, default_value = "auto", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub mirror: Mirror,
}

impl Recognition {
    /// The library's settings.
    ///
    /// # Errors
    /// When one is not usable.
    fn config(&self) -> Result<RunConfig, Error> {
        let Self { method, hysteresis, order, trust, unknown, mirror } = *self;
        for (option, value) in [("--order", order), ("--trust", trust)] {
            if value.is_nan() || value < 0.0 {
                return Err(Error::option(option, format!("{value} is not a distance"))
                    .hint("use leg lengths per point, 0 or more"));
            }
        }
        if !(0.0..=1.0).contains(&unknown) {
            return Err(Error::option("--unknown", format!("{unknown} is not a ratio"))
                .hint("use 0 to 1, 1 to hold nothing"));
        }
        Ok(RunConfig { method, hysteresis, order, trust, unknown, mirror })
    }
}

/// Refuses a performance without frames.
fn not_empty(input: &Clip) -> Result<(), Error> {
    match input.motion_frames().is_empty() {
        true => Err(Error::refused("the performance has no frames").hint("record it again")),
        false => Ok(()),
    }
}

/// Refuses two actors of one model with different skeletons: the output may change from one to the other.
fn same_skeleton(first: &Clip, second: &Clip) -> Result<(), Error> {
    match difference(first.skeleton(), second.skeleton()) {
        None => Ok(()),
        Some(found) => Err(Error::refused(format!(
            "the actors of {:?} and {:?} have different skeletons ({found})",
            first.name, second.name
        ))
        .hint(
            "bring the second onto the first's with `ugoki convert SECOND NEW --retarget FIRST` and learn from NEW",
        )),
    }
}

/// Runs every frame of a performance through the model. `each` takes the time, what was recognised and the actor's pose,
/// which starts as `shown`. Returns the roles that the performer lacks, and joints whose tracking was lost.
fn perform_clip(
    model: &Model,
    read: &Read,
    config: RunConfig,
    mut shown: Pose,
    progress: Progress<'_>,
    each: &mut dyn FnMut(f64, Option<Frame>, &Pose),
) -> Result<(Vec<String>, Vec<Loss>), Error> {
    let input = &read.clip;
    let mut runner = Runner::build(model, input.skeleton(), input.fps(), config)?;
    let missing = runner.missing().iter().map(|role| role.name().to_owned()).collect();
    let mask = GapMask::new(&joint_gaps(&read.marks.gaps), input.num_frames());
    let mut losses = LossTracker::default();
    let frames = input.motion_frames();
    let (mut pose, mut body) = (Pose::rest(input.skeleton()), ModelPose::default());
    for (done, frame) in frames.clone().enumerate() {
        if done % 256 == 0 {
            report(progress, done as f32 / frames.len() as f32)?;
        }
        input.pose_into(frame, &mut pose);
        mask.apply(frame, &mut pose);
        forward_kinematics_into(input.skeleton(), &pose, &mut body);
        let t = done as f64 / input.fps();
        let found = runner.step(model, input.skeleton(), &body, &mut shown);
        losses.update(t, runner.lost());
        each(t, found, &shown);
    }
    Ok((missing, losses.finish()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Request;

    #[test]
    fn requests_are_command_lines_and_back() {
        let run = json!({"verb": "perform", "action": "run", "model": "m.ugoki", "input": "vmc:39540",
            "output": "out.bvh", "buffer_ms": 40, "trust": 0.1, "mirror": "yes", "method": "dp"});
        let learn = json!({"verb": "perform", "action": "learn", "inputs": ["a.bvh", "b.bvh"],
            "output": "m.ugoki", "pair": "dtw"});
        let record = json!({"verb": "record", "input": "vmc:39540", "output": "a.bvh", "silence": 2.5});
        let stream = json!({"verb": "stream", "input": "-", "output": "vmc:39540", "repeat": true});
        for (request, line) in [
            (
                run,
                "perform run --input=vmc:39540 --output=out.bvh --buffer=40 --method=dp --trust=0.1 --mirror=yes m.ugoki",
            ),
            (learn, "perform learn --output=m.ugoki --pair=dtw a.bvh b.bvh"),
            (record, "record --input=vmc:39540 --output=a.bvh --silence=2.5"),
            (stream, "stream --output=vmc:39540 --loop -"),
        ] {
            let request = Request::from_value(&request).unwrap();
            assert_eq!(request.command_line().join(" "), line);
            let value = serde_json::to_value(&request).unwrap();
            assert_eq!(Request::from_value(&value), Ok(request));
        }
    }
}
