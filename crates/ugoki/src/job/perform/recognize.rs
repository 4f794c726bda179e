//! `perform recognize`

use std::fmt;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::clip::Clip;
use crate::job::filter::plural;
use crate::job::{Arguments, Error, Reading};
use crate::perform::{Model, Recognizer, RunConfig};
use crate::segment::{BodyPoints, Observer};
use crate::{Progress, report};

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
        let arguments = self
            .reading
            .arguments(Arguments::new("perform").word("recognize"))
            .option("input", Some(&self.input));
        super::recognition(arguments, &self.recognition).file(&self.model).finish()
    }
}

/// What one frame was taken for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecognizedFrame {
    /// Seconds from the performance's first frame.
    pub t: f64,
    /// The motion.
    pub motion: String,
    /// The piece of it.
    pub piece: String,
    /// How much nearer than the next best, 0 to 1.
    pub margin: f32,
}

/// Where another motion begins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Switch {
    /// Seconds from the performance's first frame.
    pub t: f64,
    /// The motion before.
    pub from: String,
    /// The motion from here on.
    pub to: String,
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
}

/// Recognises every frame.
///
/// # Errors
/// When the performer's hips are not known, or the caller stops.
pub fn recognize(
    request: &Recognize,
    model: &Model,
    input: &Clip,
    progress: Progress<'_>,
) -> Result<RecognizeReport, Error> {
    super::not_empty(input)?;
    super::check(&request.recognition)?;
    let observer = Observer::build(input.skeleton()).map_err(crate::perform::PerformError::from)?;
    let observer = observer.on_usual_bones(input.skeleton());
    let own: Vec<_> = observer.roles().collect();
    let sources: Vec<Option<usize>> =
        model.roles.iter().map(|role| own.iter().position(|other| other == role)).collect();
    let points = BodyPoints::watch(&observer, input).scaled(1.0 / observer.leg_metres());
    let mut recognizer = Recognizer::build(model, request.recognition);
    recognizer.prepare(input.fps());
    let mut told = RecognizeReport { input: request.input.clone(), frames: Vec::new(), switches: Vec::new() };
    let mut row = vec![Vec3::NAN; sources.len()];
    for frame in 0..points.num_frames() {
        if frame % 256 == 0 {
            report(progress, frame as f32 / points.num_frames() as f32)?;
        }
        for (place, source) in row.iter_mut().zip(&sources) {
            *place = source.map_or(Vec3::NAN, |source| points.frame(frame)[source]);
        }
        let Some(found) = recognizer.step(&row, 1.0 / input.fps()) else { continue };
        let motion = &model.motions[found.motion];
        let t = frame as f64 / input.fps();
        if let Some(before) = told.frames.last().filter(|before| before.motion != motion.name()) {
            let switch = Switch { t, from: before.motion.clone(), to: motion.name().to_owned() };
            told.switches.push(switch);
        }
        told.frames.push(RecognizedFrame {
            t,
            motion: motion.name().to_owned(),
            piece: motion.pieces[found.piece].name.clone(),
            margin: found.margin,
        });
    }
    Ok(told)
}

impl fmt::Display for RecognizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.frames.first() else {
            return write!(f, "{}: nothing of the body was seen", self.input);
        };
        let count = self.frames.len();
        write!(f, "{}: {count} {}", self.input, plural(count, "frame"))?;
        write!(f, "\n  {:>7.2} s  {}", first.t, first.motion)?;
        for switch in &self.switches {
            write!(f, "\n  {:>7.2} s  {}", switch.t, switch.to)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::perform::{Imitation, LearnConfig, Mirror, RunConfig, Runner, learn};
    use crate::pose::Pose;
    use crate::sample;

    #[test]
    fn what_is_recognised_is_what_is_run_whatever_the_performer_s_bones() {
        let go_on = &mut |_| ControlFlow::Continue(());
        let clips = ["front-kick", "bow", "punch"].map(|name| sample::clip(name).unwrap());
        let pairs: Vec<Imitation<'_>> =
            clips.iter().map(|clip| Imitation { actor: clip, performer: clip }).collect();
        let (model, _) = learn(&pairs, &LearnConfig::default(), go_on).unwrap();
        // Limbs by a fifth longer than the actor's.
        let old = clips[1].skeleton();
        let joints = (0..old.num_joints()).map(|j| {
            let mut joint = old.joint(j).clone();
            let limb = joint.role.is_some_and(|role| role.name().contains("Lower"));
            joint.offset *= if limb { 1.2 } else { 1.0 };
            joint
        });
        let skeleton = crate::skeleton::Skeleton::build(joints.collect()).unwrap();
        let poses: Vec<Pose> = clips[1].motion_frames().map(|frame| clips[1].pose(frame)).collect();
        let input = Clip::from_poses(skeleton, clips[1].fps(), &poses).unwrap();
        let recognition = RunConfig { mirror: Mirror::No, ..RunConfig::default() };
        let request = Recognize {
            model: String::new(),
            input: String::new(),
            recognition,
            reading: crate::job::Reading::default(),
        };
        let told = recognize(&request, &model, &input, go_on).unwrap();
        let mut runner = Runner::build(&model, input.skeleton(), input.fps(), recognition).unwrap();
        let mut pose = clips[0].pose(0);
        for (frame, told) in told.frames.iter().enumerate() {
            let body = input.model_pose(frame);
            let run = runner.step(&model, input.skeleton(), &body, &mut pose).unwrap();
            assert_eq!(model.motions[run.motion].name(), told.motion, "frame {frame}");
        }
        assert_eq!(told.frames.len(), input.num_frames());
    }
}
