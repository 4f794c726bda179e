//! `perform recognize`

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::formats::Read;
use ugoki::perform::{Loss, Model, RunConfig};
use ugoki::pose::Pose;

use super::{Recognition, not_empty, perform_clip};
use crate::losses::{nothing_seen, write_losses};
use crate::motion_verb::note_findings;
use crate::words::plural;
use crate::{Error, Host, Reading, Report, Stream, Verb};

/// Says which motion a performance is, frame by frame
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki perform recognize moves.ugoki --input take.bvh --method sum")]
pub struct Recognize {
    /// Model that `learn` wrote; moves.ugoki#kick for one motion of it
    pub model: String,

    /// Performance: a motion file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: String,

    /// How pieces are recognised.
    #[command(flatten)]
    #[serde(flatten)]
    pub recognition: Recognition,

    /// How to read the performance.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
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
    /// Whether the performer does anything that was learned (`--unknown`); if not, the motion is only the nearest.
    pub known: bool,
}

impl RecognizedFrame {
    /// The motion, where it is one that was learned.
    fn known_motion(&self) -> Option<&str> {
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

impl Verb for Recognize {
    type Report = RecognizeReport;

    const ACTIVITY: &'static str = "recognising";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<RecognizeReport, Error> {
        let model = host.model(&self.model)?;
        let read = host.motion(&self.input, &self.reading)?;
        note_findings(host, &self.input, &read.findings);
        not_empty(&read.clip)
            .and_then(|()| self.recognition.config())
            .and_then(|config| self.recognize(&model, &read, config, progress))
            .map_err(|error| error.in_file(&self.input))
    }
}

impl Recognize {
    /// Recognises every frame as `run` does when it plays the actor.
    fn recognize(
        &self,
        model: &Model,
        read: &Read,
        config: RunConfig,
        progress: Progress<'_>,
    ) -> Result<RecognizeReport, Error> {
        let (mut frames, mut switches) = (Vec::<RecognizedFrame>::new(), Vec::new());
        let shown = Pose::rest(read.clip.skeleton());
        let (_, losses) = perform_clip(model, read, config, shown, progress, &mut |t, found, _| {
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
        if frames.is_empty() {
            return Err(nothing_seen());
        }
        Ok(RecognizeReport { input: self.input.clone(), frames, switches, losses })
    }
}

impl Report for RecognizeReport {
    const STREAM: Stream = Stream::Result;
}

impl fmt::Display for RecognizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.frames.first() else {
            return write!(f, "{}: nothing of the body was seen", self.input);
        };
        let count = self.frames.len();
        write!(f, "{}: {count} {}", self.input, plural(count, "frame"))?;
        let name = |motion: Option<&str>| motion.unwrap_or("nothing that was learned").to_owned();
        write!(f, "\n  {:>7.2} s  {}", first.t, name(first.known_motion()))?;
        for switch in &self.switches {
            write!(f, "\n  {:>7.2} s  {}", switch.t, name(switch.to.as_deref()))?;
        }
        write_losses(f, &self.losses, "continued without")
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use clap::{Args as _, Command, FromArgMatches as _};
    use ugoki::clip::Clip;
    use ugoki::formats::Marks;
    use ugoki::perform::{Imitation, LearnConfig, learn};
    use ugoki::sample;

    use super::*;

    fn model() -> (Vec<Clip>, Model) {
        let clips = ["front-kick", "bow", "punch"].map(|name| sample::clip(name).unwrap()).to_vec();
        let pairs: Vec<Imitation<'_>> =
            clips.iter().map(|clip| Imitation { actor: clip, performer: clip }).collect();
        let go_on = &mut |_| ControlFlow::Continue(());
        let (model, _) = learn(&pairs, &LearnConfig::default(), go_on).unwrap();
        (clips, model)
    }

    fn recognized(unknown: f32, model: &Model, input: &Clip) -> RecognizeReport {
        let unknown = format!("--unknown={unknown}");
        let words = ["recognize", "m.ugoki", "--input=take.bvh", &unknown];
        let matches = Recognize::augment_args(Command::new("recognize")).get_matches_from(words);
        let request = Recognize::from_arg_matches(&matches).unwrap();
        let read = crate::read_of_clip(input.clone(), Marks::default());
        let config = request.recognition.config().unwrap();
        request.recognize(model, &read, config, &mut |_| ControlFlow::Continue(())).unwrap()
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
        let skeleton = ugoki::skeleton::Skeleton::build(joints.collect()).unwrap();
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
        let squat = sample::clip("squat").unwrap();
        let counts = [0.3, 0.6, 1.0].map(|unknown| {
            let report = recognized(unknown, &model, &squat);
            let count = report.frames.iter().filter(|frame| !frame.known).count();
            assert_eq!(count > 0, report.switches.iter().any(|switch| switch.to.is_none()), "{report}");
            count
        });
        assert!(counts[0] > counts[1] && counts[2] == 0, "{counts:?}");
    }
}
