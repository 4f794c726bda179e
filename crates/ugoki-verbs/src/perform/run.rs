//! `perform run`

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::filter::plural;
use crate::losses::{Loss, Losses, Unread, write_losses};
use crate::{Arguments, Error, Reading, reading_arguments};
use ugoki::clip::Clip;
use ugoki::formats::Gap;
use ugoki::perform::{Frame, Model, RunConfig, Runner};
use ugoki::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki::{Progress, report};

/// Ask for the actor's motion at the performer's pace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The model.
    pub model: String,
    /// The performance.
    pub input: String,
    /// The file to write.
    pub output: String,
    /// How pieces are recognised.
    #[serde(flatten)]
    pub recognition: RunConfig,
    /// Milliseconds by which a live performance is held back, so that packets in disorder are put in order.
    #[serde(default)]
    pub buffer_ms: u32,
    /// How to read the performance.
    #[serde(default)]
    pub reading: Reading,
}

impl Run {
    pub(super) fn command_line(&self) -> Vec<String> {
        let arguments = reading_arguments(&self.reading, Arguments::new("perform").word("run"))
            .option("input", Some(&self.input))
            .option("output", Some(&self.output))
            .option("buffer", (self.buffer_ms > 0).then_some(self.buffer_ms));
        super::recognition(arguments, &self.recognition).file(&self.model).finish()
    }
}

/// What was done with one frame of the performance.
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
    /// Whether the performer does anything that was learned; if not, the last pose is held.
    pub known: bool,
}

impl RunFrame {
    /// What `frame` of the model says, `t` seconds after the first.
    #[must_use]
    pub fn of(model: &Model, frame: &Frame, t: f64) -> Self {
        let motion = &model.motions[frame.motion];
        Self {
            t,
            motion: motion.name().to_owned(),
            piece: motion.pieces[frame.piece].name.clone(),
            estimate: frame.estimate,
            actor_frame: frame.actor_frame,
            confidence: frame.confidence,
            known: frame.known,
        }
    }
}

/// What was done with a performance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// The performance as named.
    pub input: String,
    /// The output as named.
    pub output: String,
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

/// Plays the actor by a performance. The result is on the skeleton of the model's first actor. `gaps` are where the
/// performance's joints have no numbers: they are left out there.
///
/// # Errors
/// When the model has no motions, actors on several skeletons, or the performer has none of its joints or they are never seen; or
/// the caller stops.
pub fn run(
    request: &Run,
    model: &Model,
    input: &Clip,
    gaps: &[Gap],
    progress: Progress<'_>,
) -> Result<(Clip, RunReport), Error> {
    super::not_empty(input)?;
    super::check(&request.recognition)?;
    let skeleton = one_skeleton(model)?;
    let mut runner = Runner::build(model, input.skeleton(), input.fps(), request.recognition)?;
    let mut told = RunReport {
        input: request.input.clone(),
        output: request.output.clone(),
        frames: Vec::new(),
        lost: 0,
        lost_first: 0,
        missing: runner.missing().iter().map(|role| role.name().to_owned()).collect(),
        losses: Vec::new(),
        mirrored: 0,
    };
    let (unread, mut losses) = (Unread::new(gaps, input.num_frames()), Losses::default());
    let frames = input.motion_frames();
    let mut poses = Vec::with_capacity(frames.len());
    let mut shown = Pose::rest(&skeleton);
    let (mut pose, mut body) = (Pose::rest(input.skeleton()), ModelPose::default());
    for (done, frame) in frames.clone().enumerate() {
        if done % 256 == 0 {
            report(progress, done as f32 / frames.len() as f32)?;
        }
        input.pose_into(frame, &mut pose);
        unread.mark(frame, &mut pose);
        forward_kinematics_into(input.skeleton(), &pose, &mut body);
        let t = done as f64 / input.fps();
        match runner.step(model, input.skeleton(), &body, &mut shown) {
            Some(frame) => {
                if told.frames.is_empty() {
                    // What came before the body was seen is not known; it is not made to leap.
                    told.lost_first = told.lost;
                    poses.fill(shown.clone());
                }
                told.mirrored += usize::from(frame.mirrored);
                told.frames.push(RunFrame::of(model, &frame, t));
            }
            None => told.lost += 1,
        }
        losses.take(t, runner.lost());
        poses.push(shown.clone());
    }
    if told.frames.is_empty() {
        return Err(super::nothing_seen());
    }
    told.losses = losses.finish();
    let mut clip = Clip::from_poses(skeleton, input.fps(), &poses)?;
    clip.name = format!("{}-performed", input.name);
    Ok((clip, told))
}

/// The skeleton that all actors share.
fn one_skeleton(model: &Model) -> Result<std::sync::Arc<ugoki::skeleton::Skeleton>, Error> {
    let first = model.motions.first().ok_or_else(|| {
        Error::Perform("the model has no motions; learn some with `ugoki perform learn`".to_owned())
    })?;
    for motion in &model.motions {
        super::same_skeleton(&first.clip, &motion.clip)?;
    }
    Ok(first.clip.skeleton().clone())
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = |count: usize| format!("{count} {}", plural(count, "frame"));
        write!(f, "{} → {}: {}", self.input, self.output, frames(self.frames.len() + self.lost))?;
        let mut before: Option<(&str, &str, bool)> = None;
        for frame in &self.frames {
            let now = (frame.motion.as_str(), frame.piece.as_str(), frame.known);
            match before {
                Some(before) if before == now || !(before.2 || now.2) => continue,
                _ if now.2 => {
                    write!(
                        f,
                        "\n  {:>7.2} s  {} {}, actor's frame {}",
                        frame.t, now.0, now.1, frame.actor_frame
                    )?;
                }
                _ => write!(f, "\n  {:>7.2} s  nothing that was learned; the pose is held", frame.t)?,
            }
            before = Some(now);
        }
        if !self.missing.is_empty() {
            write!(f, "\nthe performer has no {}; done without", self.missing.join(", "))?;
        }
        write_losses(f, &self.losses, "done without")?;
        if self.mirrored > 0 {
            write!(f, "\nfollowed as in a mirror in {}: the other hand or foot", frames(self.mirrored))?;
        }
        if self.lost_first > 0 {
            write!(f, "\nnothing of the body was seen in the first {}", frames(self.lost_first))?;
            write!(f, "; what is shown begins with the pose after them")?;
        }
        if self.lost > self.lost_first {
            let held = frames(self.lost - self.lost_first);
            write!(f, "\nnothing of the body was seen in {held}; the last pose was held")?;
        }
        Ok(())
    }
}
