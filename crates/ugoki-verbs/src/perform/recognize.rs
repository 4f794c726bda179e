//! `perform recognize`

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::filter::plural;
use crate::losses::{Loss, Losses, Unread, write_losses};
use crate::{Arguments, Error, Reading, reading_arguments};
use ugoki::clip::Clip;
use ugoki::formats::Gap;
use ugoki::perform::{Model, RunConfig, Runner};
use ugoki::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki::{Progress, report};

/// Ask which motion a performance is, frame by frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recognize {
    /// The model.
    pub model: String,
    /// The performance.
    pub input: String,
    /// How pieces are recognised.
    #[serde(flatten)]
    pub recognition: RunConfig,
    /// How to read the performance.
    #[serde(default)]
    pub reading: Reading,
}

impl Recognize {
    pub(super) fn command_line(&self) -> Vec<String> {
        let arguments = reading_arguments(&self.reading, Arguments::new("perform").word("recognize"))
            .option("input", Some(&self.input));
        super::recognition(arguments, &self.recognition).file(&self.model).finish()
    }
}

/// What one frame was taken for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecognizedFrame {
    /// Seconds from the performance's first frame.
    pub t: f64,
    /// The motion that is nearest.
    pub motion: String,
    /// The piece of it.
    pub piece: String,
    /// How much nearer than the next best, 0 to 1.
    pub margin: f32,
    /// Whether the performer does anything that was learned (`--unknown`); if not, the motion is only the nearest.
    pub known: bool,
}

impl RecognizedFrame {
    /// The motion, where it is one that was learned.
    fn told(&self) -> Option<&str> {
        self.known.then_some(self.motion.as_str())
    }
}

/// Where another motion begins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Switch {
    /// Seconds from the performance's first frame.
    pub t: f64,
    /// The motion before; none where it was nothing that was learned.
    pub from: Option<String>,
    /// The motion from here on; none where it is nothing that was learned.
    pub to: Option<String>,
}

/// Which motions a performance is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecognizeReport {
    /// The performance as named.
    pub input: String,
    /// Every frame in which something of the body was seen.
    pub frames: Vec<RecognizedFrame>,
    /// Changes of motion.
    pub switches: Vec<Switch>,
    /// Joints that were not seen for a while.
    pub losses: Vec<Loss>,
}

/// Recognises every frame, as [`super::run`] does when it plays the actor; `gaps` as there.
///
/// # Errors
/// When the performer's hips are not known, it has none of the model's joints or they are never seen, or the caller stops.
pub fn recognize(
    request: &Recognize,
    model: &Model,
    input: &Clip,
    gaps: &[Gap],
    progress: Progress<'_>,
) -> Result<RecognizeReport, Error> {
    super::not_empty(input)?;
    super::check(&request.recognition)?;
    let mut runner = Runner::build(model, input.skeleton(), input.fps(), request.recognition)?;
    let (frames, switches, losses) = (Vec::new(), Vec::new(), Vec::new());
    let mut told = RecognizeReport { input: request.input.clone(), frames, switches, losses };
    let (unread, mut losses) = (Unread::new(gaps, input.num_frames()), Losses::default());
    let frames = input.motion_frames();
    let (mut pose, mut body) = (Pose::rest(input.skeleton()), ModelPose::default());
    let mut shown = pose.clone();
    for (done, frame) in frames.clone().enumerate() {
        if done % 256 == 0 {
            report(progress, done as f32 / frames.len() as f32)?;
        }
        input.pose_into(frame, &mut pose);
        unread.mark(frame, &mut pose);
        forward_kinematics_into(input.skeleton(), &pose, &mut body);
        let t = done as f64 / input.fps();
        let found = runner.step(model, input.skeleton(), &body, &mut shown);
        losses.take(t, runner.lost());
        let Some(found) = found else { continue };
        let motion = &model.motions[found.motion];
        let now = RecognizedFrame {
            t,
            motion: motion.name().to_owned(),
            piece: motion.pieces[found.piece].name.clone(),
            margin: found.margin,
            known: found.known,
        };
        if let Some(before) = told.frames.last().filter(|before| before.told() != now.told()) {
            let name = |motion: Option<&str>| motion.map(str::to_owned);
            told.switches.push(Switch { t, from: name(before.told()), to: name(now.told()) });
        }
        told.frames.push(now);
    }
    if told.frames.is_empty() {
        return Err(super::nothing_seen());
    }
    told.losses = losses.finish();
    Ok(told)
}

impl fmt::Display for RecognizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.frames.first() else {
            return write!(f, "{}: nothing of the body was seen", self.input);
        };
        let count = self.frames.len();
        write!(f, "{}: {count} {}", self.input, plural(count, "frame"))?;
        let name = |motion: Option<&str>| motion.unwrap_or("nothing that was learned").to_owned();
        write!(f, "\n  {:>7.2} s  {}", first.t, name(first.told()))?;
        for switch in &self.switches {
            write!(f, "\n  {:>7.2} s  {}", switch.t, name(switch.to.as_deref()))?;
        }
        write_losses(f, &self.losses, "done without")
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use ugoki::perform::{Imitation, LearnConfig, learn};
    use ugoki::sample;

    fn model() -> (Vec<Clip>, Model) {
        let clips = ["front-kick", "bow", "punch"].map(|name| sample::clip(name).unwrap()).to_vec();
        let pairs: Vec<Imitation<'_>> =
            clips.iter().map(|clip| Imitation { actor: clip, performer: clip }).collect();
        let go_on = &mut |_| ControlFlow::Continue(());
        let (model, _) = learn(&pairs, &LearnConfig::default(), go_on).unwrap();
        (clips, model)
    }

    fn asked(recognition: RunConfig, model: &Model, input: &Clip) -> RecognizeReport {
        let (none, reading) = (String::new(), crate::Reading::default());
        let request = Recognize { model: none.clone(), input: none, recognition, reading };
        recognize(&request, model, input, &[], &mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn what_is_recognised_is_what_is_run_whatever_the_performer_s_bones() {
        let (clips, model) = model();
        // Limbs by a fifth longer than the actor's.
        let old = clips[1].skeleton();
        let joints = (0..old.num_joints()).map(|j| {
            let mut joint = old.joint(j).clone();
            let limb = joint.role.is_some_and(|role| role.name().contains("Lower"));
            joint.offset *= if limb { 1.2 } else { 1.0 };
            joint
        });
        let skeleton = ugoki::skeleton::Skeleton::build(joints.collect()).unwrap();
        let poses: Vec<Pose> = clips[1].motion_frames().map(|frame| clips[1].pose(frame)).collect();
        let input = Clip::from_poses(skeleton, clips[1].fps(), &poses).unwrap();
        let told = asked(RunConfig::default(), &model, &input);
        assert_eq!(told.frames.len(), input.num_frames());
        let bow = told.frames.iter().filter(|frame| frame.known && frame.motion == clips[1].name).count();
        assert!(10 * bow > 9 * told.frames.len(), "{bow} of {}", told.frames.len());
    }

    #[test]
    fn what_was_not_learned_is_named_by_its_share() {
        let (_, model) = model();
        let squat = sample::clip("squat").unwrap();
        let unknown = |unknown: f32| {
            let told = asked(RunConfig { unknown, ..RunConfig::default() }, &model, &squat);
            let count = told.frames.iter().filter(|frame| !frame.known).count();
            assert_eq!(count > 0, told.switches.iter().any(|switch| switch.to.is_none()), "{told}");
            count
        };
        let counts = [0.3, 0.6, 1.0].map(unknown);
        assert!(counts[0] > counts[1] && counts[2] == 0, "{counts:?}");
    }
}
