//! A recorded performance, frame by frame: the actor's motion that it plays, or the motions that it is recognised as.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Skeleton, difference};
use ugoki_base::tracking_loss::{Loss, LossTracker};
use ugoki_base::{Progress, report};
use ugoki_motion::retarget::Stance;

use super::{Frame, GapMask, Model, PerformError, RunConfig, Runner};

/// Joints of a clip and the frames in which their rotations are not known.
pub type Gaps<'a> = &'a [(usize, Range<usize>)];

/// What was done with one frame of a performance, with names instead of numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunFrame {
    /// Seconds from the performance's first frame.
    pub t: f64,
    /// The motion recognised.
    pub motion: String,
    /// The piece of it.
    pub piece: String,
    /// The estimated objective, metres.
    pub estimate: Option<f64>,
    /// The actor's frame that is shown.
    pub actor_frame: usize,
    /// How sure, 0 to 1.
    pub confidence: f32,
    /// Whether the performer does anything that was learned; if not, the performer is shown.
    pub known: bool,
    /// Rate at which the performer goes through the motion, as a multiple of the actor's.
    pub rate: f32,
}

impl RunFrame {
    /// A frame of the model, `t` seconds after the first.
    #[must_use]
    pub fn new(model: &Model, frame: &Frame, t: f64) -> Self {
        let motion = &model.motions[frame.motion];
        Self {
            t,
            motion: motion.name().to_owned(),
            piece: motion.pieces[frame.piece].name.clone(),
            estimate: frame.estimate,
            actor_frame: frame.actor_frame,
            confidence: frame.confidence,
            known: frame.known,
            rate: frame.rate,
        }
    }
}

/// What was done with a performance.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Performance {
    /// Every frame.
    pub frames: Vec<RunFrame>,
    /// Frames in which nothing of the body was seen.
    pub lost: usize,
    /// How many of them came before anything was seen; a file has the pose after them there too.
    pub lost_first: usize,
    /// Roles that the model knows and the performer's body lacks.
    pub missing: Vec<String>,
    /// Joints that were not seen for a while.
    pub losses: Vec<Loss>,
    /// Frames in which the performer was followed as in a mirror.
    pub mirrored: usize,
}

/// Plays the actor by a recorded performance. The result is on the skeleton of the model's actors.
///
/// # Errors
/// When the model has no motions or several skeletons, nothing of the performer is seen, or the caller stops.
pub fn perform_clip(
    model: &Model,
    input: &Clip,
    gaps: Gaps<'_>,
    config: RunConfig,
    progress: Progress<'_>,
) -> Result<(Clip, Performance), PerformError> {
    not_empty(input)?;
    let skeleton = actors_skeleton(model)?;
    let mut performance = Performance::default();
    let mut poses = Vec::with_capacity(input.motion_frames().len());
    let rest = Pose::rest(&skeleton);
    let (missing, losses) = run_clip(model, input, gaps, config, rest, progress, &mut |t, found, shown| {
        match found {
            Some(frame) => {
                if performance.frames.is_empty() {
                    // Frames before the first that is seen show its pose, so that the motion does not jump.
                    performance.lost_first = performance.lost;
                    poses.fill(shown.clone());
                }
                performance.mirrored += usize::from(frame.mirrored);
                performance.frames.push(RunFrame::new(model, &frame, t));
            }
            None => performance.lost += 1,
        }
        poses.push(shown.clone());
    })?;
    if performance.frames.is_empty() {
        return Err(PerformError::NothingSeen);
    }
    (performance.missing, performance.losses) = (missing, losses);
    let mut clip = Clip::from_poses(skeleton, input.fps(), &poses)?;
    clip.name = format!("{}-performed", input.name);
    Ok((clip, performance))
}

/// What one frame was recognised as.
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
    /// Whether the performer does anything that was learned ([`RunConfig::unknown`]); if not, the motion is only the nearest.
    pub known: bool,
}

impl RecognizedFrame {
    /// The motion, where it is one that was learned.
    #[must_use]
    pub fn known_motion(&self) -> Option<&str> {
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
pub struct RecognizedClip {
    /// Every frame in which something of the body was seen.
    pub frames: Vec<RecognizedFrame>,
    /// Changes of motion.
    pub switches: Vec<Switch>,
    /// Joints that were not seen for a while.
    pub losses: Vec<Loss>,
}

/// Recognises every frame of a recorded performance, as [`perform_clip`] does when it plays the actor.
///
/// # Errors
/// When nothing of the performer is seen, or the caller stops.
pub fn recognize_clip(
    model: &Model,
    input: &Clip,
    gaps: Gaps<'_>,
    config: RunConfig,
    progress: Progress<'_>,
) -> Result<RecognizedClip, PerformError> {
    not_empty(input)?;
    let (mut frames, mut switches) = (Vec::<RecognizedFrame>::new(), Vec::new());
    let shown = Pose::rest(input.skeleton());
    let (_, losses) = run_clip(model, input, gaps, config, shown, progress, &mut |t, found, _| {
        let Some(found) = found else { return };
        let motion = &model.motions[found.motion];
        let now = RecognizedFrame {
            t,
            motion: motion.name().to_owned(),
            piece: motion.pieces[found.piece].name.clone(),
            margin: found.margin,
            known: found.known,
        };
        if let Some(before) = frames.last().filter(|before| before.known_motion() != now.known_motion()) {
            let name = |frame: &RecognizedFrame| frame.known_motion().map(str::to_owned);
            switches.push(Switch { t, from: name(before), to: name(&now) });
        }
        frames.push(now);
    })?;
    match frames.is_empty() {
        true => Err(PerformError::NothingSeen),
        false => Ok(RecognizedClip { frames, switches, losses }),
    }
}

/// Refuses two actors of one model with different skeletons: what is shown may change from one to the other.
///
/// # Errors
/// [`PerformError::Skeletons`] with the difference.
pub fn check_same_skeleton(first: &Clip, second: &Clip) -> Result<(), PerformError> {
    match difference(first.skeleton(), second.skeleton()) {
        None => Ok(()),
        Some(difference) => Err(PerformError::Skeletons {
            first: first.name.clone(),
            second: second.name.clone(),
            difference,
        }),
    }
}

fn not_empty(input: &Clip) -> Result<(), PerformError> {
    if input.motion_frames().is_empty() { Err(PerformError::NoFrames) } else { Ok(()) }
}

/// The skeleton that all actors have.
fn actors_skeleton(model: &Model) -> Result<Arc<Skeleton>, PerformError> {
    let first = model.motions.first().ok_or(PerformError::NoMotions)?;
    model.motions.iter().try_for_each(|motion| check_same_skeleton(&first.clip, &motion.clip))?;
    Ok(first.clip.skeleton().clone())
}

/// Runs every frame of a performance through the model. `each` takes the time, what was recognised and the actor's pose,
/// which starts as `shown`. Returns the roles that the performer lacks, and joints whose tracking was lost.
fn run_clip(
    model: &Model,
    input: &Clip,
    gaps: Gaps<'_>,
    config: RunConfig,
    mut shown: Pose,
    progress: Progress<'_>,
    each: &mut dyn FnMut(f64, Option<Frame>, &Pose),
) -> Result<(Vec<String>, Vec<Loss>), PerformError> {
    let mut runner = Runner::build(model, input.skeleton(), input.fps(), config)?;
    if let Ok(stance) = Stance::from_clip(input) {
        runner.set_stance(&stance);
    }
    let missing = runner.missing().iter().map(|role| role.name().to_owned()).collect();
    let mask = GapMask::new(gaps, input.num_frames());
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
    use ugoki_base::no_progress;

    use super::*;
    use crate::{Imitation, LearnConfig, learn};

    fn model() -> (Vec<Clip>, Model) {
        let clips = ["front-kick", "bow", "punch"].map(|name| ugoki_sample::clip(name).unwrap()).to_vec();
        let pairs: Vec<Imitation<'_>> =
            clips.iter().map(|clip| Imitation { actor: clip, performer: Some(clip) }).collect();
        let (model, _) = learn(&pairs, &LearnConfig::default(), &mut no_progress()).unwrap();
        (clips, model)
    }

    fn recognized(unknown: f32, model: &Model, input: &Clip) -> RecognizedClip {
        let config = RunConfig { unknown, ..RunConfig::default() };
        recognize_clip(model, input, &[], config, &mut no_progress()).unwrap()
    }

    #[test]
    fn frames_are_recognised_as_run_does_for_other_bone_lengths() {
        let (clips, model) = model();
        // Limbs by a fifth longer than the actor's.
        let old = clips[1].skeleton();
        let joints = (0..old.num_joints()).map(|j| {
            let mut joint = old.joint(j).clone();
            let limb = joint.role.is_some_and(|role| role.name().contains("Lower"));
            joint.offset *= if limb { 1.2 } else { 1.0 };
            joint
        });
        let skeleton = Skeleton::build(joints.collect()).unwrap();
        let poses: Vec<Pose> = clips[1].motion_frames().map(|frame| clips[1].pose(frame)).collect();
        let input = Clip::from_poses(skeleton, clips[1].fps(), &poses).unwrap();
        let report = recognized(RunConfig::default().unknown, &model, &input);
        assert_eq!(report.frames.len(), input.num_frames());
        let bow = report.frames.iter().filter(|frame| frame.known_motion() == Some(&clips[1].name)).count();
        assert!(10 * bow > 9 * report.frames.len(), "{bow} of {}", report.frames.len());
    }

    #[test]
    fn motions_that_were_not_learned_are_unknown_up_to_a_ratio() {
        let (_, model) = model();
        let squat = ugoki_sample::clip("squat").unwrap();
        let counts = [0.3, 0.6, 1.0].map(|unknown| {
            let report = recognized(unknown, &model, &squat);
            let count = report.frames.iter().filter(|frame| !frame.known).count();
            assert_eq!(count > 0, report.switches.iter().any(|switch| switch.to.is_none()), "{report:?}");
            count
        });
        assert!(counts[0] > counts[1] && counts[2] == 0, "{counts:?}");
    }
}
