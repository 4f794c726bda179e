//! Takes of one script by several people, and how well one person's take drives another's.

mod measure;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ugoki::clip::Clip;
use ugoki::formats::{ReadOptions, read};
use ugoki::perform::{
    Frame, Imitation, LearnConfig, LearnReport, Model, PairMethod, PerformError, RunConfig, Runner, learn,
    pair,
};
use ugoki::pose::Pose;
use ugoki::segment::{BodyPoints, Observer};
use ugoki::skeleton::{Joint, Role, Skeleton};

pub(crate) use measure::{Repetitions, acceleration};

pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A frame is right when it is this near to where dynamic time warping has it, seconds: what eyes take for together.
pub(crate) const RIGHT_S: f64 = 0.1;

/// Scripts by which constants were chosen; no person of theirs is in the others.
pub(crate) const CHOSEN_BY: [&str; 4] = ["boxing", "drums", "golf", "dance"];
/// Takes are aligned in a mirror when intervals of theirs are this much nearer in it: boxers, drummers and dancers are
/// as near either way, rhymes done with the other hand at 0.85 and less.
const MIRROR_GAIN: f64 = 0.9;

/// Scripts and their takes; the number before the underscore is the person.
pub(crate) const SCRIPTS: [(&str, &[&str]); 8] = [
    ("teapot", &["gesture/24_01", "gesture/26_04", "gesture/29_08"]),
    ("kick", &["sport/10_01", "sport/10_02", "sport/10_03", "sport/10_05", "sport/11_01"]),
    ("boxing", &["sport/79_08", "sport/80_10"]),
    ("drums", &["gesture/79_18", "gesture/80_13"]),
    ("squats", &["physics/22_14", "physics/23_14"]),
    ("golf", &["sport/64_01", "sport/64_03", "sport/64_05", "sport/64_07"]),
    ("pitch", &["sport/124_01", "sport/124_02"]),
    ("dance", &["gesture/49_14", "gesture/49_17"]),
];

pub(crate) fn go_on(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A capture without its added T-pose.
pub(crate) struct Take {
    pub(crate) name: String,
    pub(crate) clip: Clip,
}

impl Take {
    pub(crate) fn load(folder: &Path, path: &str) -> Outcome<Self> {
        let bytes = std::fs::read(folder.join("cmu").join(path).with_extension("bvh"))?;
        let mut clip = read(&bytes, Some("bvh"), &ReadOptions::default())?.clip;
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        clip.name.clone_from(&name);
        Ok(Self { name, clip })
    }

    pub(crate) fn person(&self) -> &str {
        self.name.split('_').next().unwrap_or("")
    }
}

/// One script's takes and how they align.
pub(crate) struct Script {
    pub(crate) name: &'static str,
    pub(crate) takes: Vec<Take>,
    /// For takes (a, x): the frame of x, if any, for every motion frame of a, by dynamic time warping; in a mirror
    /// where that is nearer.
    aligned: BTreeMap<(usize, usize), Vec<Option<usize>>>,
    /// Whether it is in a mirror, and the distance in one as a fraction of that without.
    pub(crate) mirrored: BTreeMap<(usize, usize), (bool, f64)>,
    repetitions: BTreeMap<(usize, usize), Repetitions>,
    accelerations: Vec<f64>,
}

/// Numbers of takes: the actor, the imitator for learning, and the performer.
pub(crate) type Triple = (usize, usize, usize);

impl Script {
    pub(crate) fn load(folder: &Path, name: &'static str, paths: &[&str]) -> Outcome<Self> {
        let takes = paths.iter().map(|path| Take::load(folder, path)).collect::<Outcome<Vec<_>>>()?;
        let (mut aligned, mut mirrored) = (BTreeMap::new(), BTreeMap::new());
        let mut repetitions = BTreeMap::new();
        for a in 0..takes.len() {
            for x in (0..takes.len()).filter(|&x| x != a) {
                let actor = &takes[a].clip;
                let warp = |other: &Clip| -> Outcome<_> {
                    let points = [watched(actor)?, watched(other)?];
                    Ok(pair([actor, other], [&points[0], &points[1]], PairMethod::Dtw, &mut go_on)
                        .map_err(Option::unwrap_or_default)?)
                };
                let (plain, other) = (takes[x].clip.clone(), takes[x].clip.mirrored());
                let (same, seen) = (Repetitions::find(actor, &plain)?, Repetitions::find(actor, &other)?);
                let ratio = seen.distance() / same.distance();
                let mirror = ratio < MIRROR_GAIN;
                let found = warp(if mirror { &other } else { &plain })?;
                let whole = |time: Option<f64>| time.map(|t| t.round() as usize);
                aligned.insert((a, x), found.times.into_iter().map(whole).collect());
                mirrored.insert((a, x), (mirror, ratio));
                repetitions.insert((a, x), if mirror { seen } else { same });
            }
        }
        let accelerations = takes.iter().map(|take| acceleration(&take.clip)).collect();
        Ok(Self { name, takes, aligned, mirrored, repetitions, accelerations })
    }

    /// All ways to cast three different takes; with two, the actor is his own imitator.
    pub(crate) fn casts(&self) -> Vec<Triple> {
        let n = self.takes.len();
        let all = (0..n).flat_map(|a| (0..n).flat_map(move |t| (0..n).map(move |x| (a, t, x))));
        all.filter(|&(a, t, x)| x != a && x != t && (a != t || n == 2)).collect()
    }

    /// Whether the performer is known from learning.
    pub(crate) fn seen(&self, (a, t, x): Triple) -> bool {
        [a, t].iter().any(|&known| self.takes[known].person() == self.takes[x].person())
    }

    pub(crate) fn label(&self, (a, t, x): Triple) -> String {
        format!("{} ← {}, {}", self.takes[a].name, self.takes[t].name, self.takes[x].name)
    }

    /// Learns from the actor and an imitation and runs the performance; `body` changes imitator and performer alike.
    pub(crate) fn try_cast(
        &self,
        cast: Triple,
        learning: &LearnConfig,
        running: RunConfig,
        body: &dyn Fn(&Clip) -> Outcome<Clip>,
    ) -> Outcome<Result<Score, PerformError>> {
        let (a, t, x) = cast;
        let actor = &self.takes[a].clip;
        let (imitation, performance) = (body(&self.takes[t].clip)?, body(&self.takes[x].clip)?);
        let pairs = [Imitation { actor, performer: Some(&imitation) }];
        let (model, report) = match learn(&pairs, learning, &mut go_on) {
            Ok(learned) => learned,
            Err(error) => return Ok(Err(error)),
        };
        let (frames, shown) = run(&model, &performance, running)?;
        let frames: Vec<usize> = frames.into_iter().map(|frame| frame.actor_frame).collect();
        let mut score = self.score(&model, &report, cast, &frames)?;
        score.jerks.push(acceleration(&shown) / self.accelerations[a]);
        Ok(Ok(score))
    }

    /// The frames shown against those that dynamic time warping gives, in pieces that move.
    fn score(
        &self,
        model: &Model,
        report: &LearnReport,
        (a, _, x): Triple,
        shown: &[usize],
    ) -> Outcome<Score> {
        let actor = &self.takes[a].clip;
        let first = actor.motion_frames().start;
        let points = watched(actor)?;
        let mut score = Score::default();
        for piece in model.motions[0].pieces.iter().filter(|piece| piece.group.is_some()) {
            for frame in piece.start..piece.end {
                let Some(at) = self.aligned[&(a, x)].get(frame - first).copied().flatten() else { continue };
                let Some(&shown) = shown.get(at) else { continue };
                score.errors_s.push(frame.abs_diff(shown) as f64 / actor.fps());
                let (p, q) = (points.frame(frame - first), points.frame(shown - first));
                let apart = p.iter().zip(q).map(|(p, q)| f64::from(p.distance(*q))).sum::<f64>();
                score.poses.push(apart / p.len() as f64);
            }
        }
        score.any = self.repetitions[&(a, x)].judge(actor, &self.takes[x].clip, shown);
        let moving = report.pieces.iter().filter(|piece| piece.group.is_some());
        score.pieces = moving.clone().count();
        let learned = moving.filter(|piece| piece.r2.is_some());
        score.r2 = learned.clone().filter_map(|piece| piece.r2).collect();
        score.crossed = learned.clone().filter_map(|piece| piece.cross_validated_r2).collect();
        score.variables = learned.map(|piece| piece.variables.len() as f64).collect();
        score.correlation = report.pairings.iter().map(|pair| pair.correlation).fold(1.0, f64::min);
        Ok(score)
    }
}

/// How well performances went.
pub(crate) struct Score {
    pub(crate) pieces: usize,
    /// Least correlation of an imitation.
    pub(crate) correlation: f64,
    pub(crate) r2: Vec<f64>,
    pub(crate) crossed: Vec<f64>,
    pub(crate) variables: Vec<f64>,
    /// Time between frame shown and frame wanted.
    pub(crate) errors_s: Vec<f64>,
    /// Mean distance of their points, leg lengths.
    pub(crate) poses: Vec<f64>,
    /// Moving moments right when any repetition counts, all of them, and what chance would give.
    pub(crate) any: (usize, usize, f64),
    /// Per cast, 99th percentile of the acceleration shown as a multiple of the actor's.
    pub(crate) jerks: Vec<f64>,
}

impl Default for Score {
    fn default() -> Self {
        let (r2, crossed, variables) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            pieces: 0,
            correlation: 1.0,
            r2,
            crossed,
            variables,
            errors_s: Vec::new(),
            poses: Vec::new(),
            any: (0, 0, 0.0),
            jerks: Vec::new(),
        }
    }
}

impl Score {
    /// Fraction of frames that are right, percent.
    pub(crate) fn right(&self) -> f64 {
        let right = self.errors_s.iter().filter(|&&error| error <= RIGHT_S).count();
        100.0 * right as f64 / self.errors_s.len().max(1) as f64
    }

    /// The same when any repetition counts, of moments that move, and by chance.
    pub(crate) fn any(&self) -> (f64, f64) {
        let all = self.any.1.max(1) as f64;
        (100.0 * self.any.0 as f64 / all, 100.0 * self.any.2 / all)
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.any = (self.any.0 + other.any.0, self.any.1 + other.any.1, self.any.2 + other.any.2);
        self.jerks.extend(other.jerks);
        self.pieces += other.pieces;
        self.correlation = self.correlation.min(other.correlation);
        self.r2.extend(other.r2);
        self.crossed.extend(other.crossed);
        self.variables.extend(other.variables);
        self.errors_s.extend(other.errors_s);
        self.poses.extend(other.poses);
    }
}

/// A body's points in leg lengths, as the yardsticks see them.
pub(crate) fn watched(clip: &Clip) -> Outcome<BodyPoints> {
    let observer = Observer::build(clip.skeleton())?;
    Ok(BodyPoints::watch(&observer, clip).scaled(1.0 / observer.leg_metres()))
}

/// A body's points as a model has them.
pub(crate) fn as_modelled(clip: &Clip) -> Outcome<BodyPoints> {
    let observer = Observer::build(clip.skeleton())?.on_usual_bones(clip.skeleton());
    Ok(BodyPoints::watch(&observer, clip).scaled(1.0 / observer.leg_metres()))
}

/// What was done with every frame of a performance, and what was shown.
pub(crate) fn run(model: &Model, input: &Clip, config: RunConfig) -> Outcome<(Vec<Frame>, Clip)> {
    let mut runner = Runner::build(model, input.skeleton(), input.fps(), config)?;
    let actor = &model.motions[0].clip;
    let mut pose = actor.pose(actor.motion_frames().start);
    let (mut frames, mut poses) = (Vec::new(), Vec::new());
    for frame in input.motion_frames() {
        let body = input.model_pose(frame);
        let found =
            runner.step(model, input.skeleton(), &body, &mut pose).ok_or("a capture lost its body")?;
        frames.push(found);
        poses.push(pose.clone());
    }
    let shown = Clip::from_poses(actor.skeleton().clone(), input.fps(), &poses)?;
    Ok((frames, shown))
}

/// The same rotations on other bones: arms and legs longer or shorter.
pub(crate) fn on_bones(clip: &Clip, arms: f32, legs: f32) -> Outcome<Clip> {
    let old = clip.skeleton();
    let factor = |joint: usize| {
        let mut at = Some(joint);
        while let Some(j) = at {
            match old.joint(j).role {
                // A limb's bones lie below its first joint.
                Some(Role::LeftUpperArm | Role::RightUpperArm) if j != joint => return arms,
                Some(Role::LeftUpperLeg | Role::RightUpperLeg) if j != joint => return legs,
                _ => at = old.parent(j),
            }
        }
        1.0
    };
    let longer =
        |j: usize| -> Joint { Joint { offset: old.joint(j).offset * factor(j), ..old.joint(j).clone() } };
    let skeleton: Arc<Skeleton> = Skeleton::build((0..old.num_joints()).map(longer).collect())?;
    let poses: Vec<Pose> = clip.motion_frames().map(|frame| clip.pose(frame)).collect();
    let mut moved = Clip::from_poses(skeleton, clip.fps(), &poses)?;
    moved.name.clone_from(&clip.name);
    Ok(moved)
}
