//! `perform run`

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::Read;
use ugoki::perform::{Frame, Loss, Model, RunConfig};
use ugoki::pose::Pose;
use ugoki::skeleton::Skeleton;

use super::{Recognition, not_empty, perform_clip, same_skeleton};
use crate::live::{MAX_BUFFER_MS, is_live};
use crate::losses::{nothing_seen, write_losses};
use crate::motion_verb::note_findings;
use crate::words::plural;
use crate::{Error, Host, NewMotion, Reading, Report, Verb};

/// Plays the actor's motion as the performer goes through it
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki perform run kata.ugoki --input me.bvh --output kata.bvh\n  \
                        ugoki perform run kata.ugoki --input vmc:39540 --output vmc:127.0.0.1:39539")]
pub struct Run {
    /// Model that `learn` wrote; moves.ugoki#kick for one motion of it
    pub model: String,

    /// Performance: a motion file, - for standard input, or vmc:PORT for a live stream; - with a live output performs each
    /// row of a BVH as it comes
    #[arg(long, value_name = "FILE|vmc:PORT")]
    pub input: String,

    /// Motion file to write, - for standard output, or vmc:HOST:PORT to send it live
    #[arg(short, long, value_name = "FILE|vmc:HOST:PORT")]
    pub output: String,

    /// Hold packets back for so long, to put those that arrive out of order into order; for live input
    #[arg(long = "buffer", value_name = "MILLISECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=MAX_BUFFER_MS))]
    pub buffer_ms: u32,

    /// How pieces are recognised.
    #[command(flatten)]
    #[serde(flatten)]
    pub recognition: Recognition,

    /// How to read the performance.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
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

impl Verb for Run {
    type Report = RunReport;

    const ACTIVITY: &'static str = "performing";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<RunReport, Error> {
        if self.buffer_ms > 0 && !is_live(&self.input) {
            host.note("--buffer is for live input; a file's frames are in order, and nothing is held back");
        }
        let config = self.recognition.config()?;
        match (self.input.as_str(), is_live(&self.output)) {
            (input, _) if is_live(input) => self.perform_stream(config, host, progress),
            ("-", true) => self.perform_rows(config, host, progress),
            (_, true) => self.send_performance(config, host, progress),
            (_, false) => {
                host.check_outputs(&[&self.input, &self.model], &[&self.output])?;
                host.check_format(&self.output)?;
                let (clip, read, report) = self.perform_file(config, host, progress)?;
                host.write_motion(&self.output, &NewMotion::new(&clip, &read))?;
                Ok(report)
            }
        }
    }
}

impl Run {
    /// Reads model and performance and plays the actor.
    pub(super) fn perform_file(
        &self,
        config: RunConfig,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<(Clip, Read, RunReport), Error> {
        let model = host.model(&self.model)?;
        let read = host.motion(&self.input, &self.reading)?;
        note_findings(host, &self.input, &read.findings);
        let (clip, report) =
            self.perform(&model, &read, config, progress).map_err(|error| error.in_file(&self.input))?;
        Ok((clip, read, report))
    }

    /// Plays the actor by a performance. The result is on the skeleton of the model's actors.
    fn perform(
        &self,
        model: &Model,
        read: &Read,
        config: RunConfig,
        progress: Progress<'_>,
    ) -> Result<(Clip, RunReport), Error> {
        not_empty(&read.clip)?;
        let skeleton = one_skeleton(model)?;
        let mut report = RunReport {
            input: self.input.clone(),
            output: self.output.clone(),
            frames: Vec::new(),
            lost: 0,
            lost_first: 0,
            missing: Vec::new(),
            losses: Vec::new(),
            mirrored: 0,
        };
        let mut poses = Vec::with_capacity(read.clip.motion_frames().len());
        let rest = Pose::rest(&skeleton);
        (report.missing, report.losses) =
            perform_clip(model, read, config, rest, progress, &mut |t, found, shown| {
                match found {
                    Some(frame) => {
                        if report.frames.is_empty() {
                            // Frames before the first that is seen show its pose, so that the motion does not jump.
                            report.lost_first = report.lost;
                            poses.fill(shown.clone());
                        }
                        report.mirrored += usize::from(frame.mirrored);
                        report.frames.push(RunFrame::new(model, &frame, t));
                    }
                    None => report.lost += 1,
                }
                poses.push(shown.clone());
            })?;
        if report.frames.is_empty() {
            return Err(nothing_seen());
        }
        let mut clip = Clip::from_poses(skeleton, read.clip.fps(), &poses)?;
        clip.name = format!("{}-performed", read.clip.name);
        Ok((clip, report))
    }
}

/// The skeleton that all actors share.
fn one_skeleton(model: &Model) -> Result<Arc<Skeleton>, Error> {
    let first = model.motions.first().ok_or_else(|| {
        Error::refused("the model has no motions").hint("learn some with `ugoki perform learn`")
    })?;
    model.motions.iter().try_for_each(|motion| same_skeleton(&first.clip, &motion.clip))?;
    Ok(first.clip.skeleton().clone())
}

impl Report for RunReport {}

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
            write!(f, "\nthe performer has no {}; continued without", self.missing.join(", "))?;
        }
        write_losses(f, &self.losses, "continued without")?;
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
