//! Objects for loops: one pose per call.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ugoki::edit::{Footfall, GroundFrame, Player, PlayerScratch, Repertoire, Source};
use ugoki::perform::{Frame, Method, Mirror, Model, RunConfig, Runner};
use ugoki::pose::{ModelPose, Pose, forward_kinematics, forward_kinematics_into};
use ugoki::react::{Config, Control, Event, Simulation, Target, build_events};
use ugoki::skeleton::{Role, Side, Skeleton};
use ugoki_verbs::{Error, FileHost, Host as _};

use crate::arrays::{Numbers, Order, rows, shaped, unit_quaternions};
use crate::clip::PyClip;
use crate::error::verb_error;
use crate::watch::Watch;

/// One pose of a skeleton.
#[pyclass(frozen, name = "Pose", module = "ugoki")]
pub(crate) struct PyPose {
    skeleton: Arc<Skeleton>,
    pose: Pose,
}

#[pymethods]
impl PyPose {
    /// Position of joint 0 in the world, metres: (3,).
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_slice(py, &self.pose.root.to_array())
    }

    /// Rotation of each joint relative to its parent: (J, 4).
    #[pyo3(signature = (*, order))]
    fn rotations<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let order = Order::parse(order)?;
        let flat: Vec<f32> = self.pose.rotations.iter().flat_map(|q| order.numbers(*q)).collect();
        Ok(shaped(py, flat, [self.pose.rotations.len(), 4]))
    }

    /// World position of each joint, metres: (J, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        rows(py, &forward_kinematics(&self.skeleton, &self.pose).positions)
    }
}

fn side(word: &str) -> PyResult<Side> {
    match word {
        "left" => Ok(Side::Left),
        "right" => Ok(Side::Right),
        _ => Err(PyValueError::new_err(format!("side is {word:?}, expected \"left\" or \"right\""))),
    }
}

/// Plays clips: one pose per tick; segments and footfalls are asked for at any time.
#[pyclass(name = "Player", module = "ugoki")]
pub(crate) struct PyPlayer {
    player: Player,
    scratch: PlayerScratch,
    skeleton: Arc<Skeleton>,
    landed: [bool; 2],
}

#[pymethods]
impl PyPlayer {
    /// Cuts clips, all on one skeleton, into segments between their stances and starts with the first.
    ///
    /// `links` are further transitions: pairs of numbers of segments.
    #[new]
    #[pyo3(signature = (clips, *, links = Vec::new(), segment = 0))]
    fn new(
        py: Python<'_>,
        clips: Vec<Bound<'_, PyClip>>,
        links: Vec<(usize, usize)>,
        segment: usize,
    ) -> PyResult<Self> {
        let Some(first) = clips.first() else { return Err(PyTypeError::new_err("a player needs a clip")) };
        let skeleton = Arc::clone(first.get().clip().skeleton());
        let reads: Vec<_> = clips.iter().map(|clip| Arc::clone(&clip.get().read)).collect();
        let (built, watch) = py.detach(move || {
            let watch = Watch::new(None);
            let build = || {
                let sources =
                    reads.iter().map(|read| Source::build(&read.clip, &mut |part| watch.step(part)));
                let repertoire = Repertoire::build(sources.collect::<Result<_, _>>()?)?.linked(&links)?;
                let repertoire = Arc::new(repertoire);
                Ok((Player::new(Arc::clone(&repertoire), segment, GroundFrame::default())?, repertoire))
            };
            let built = build();
            (built, watch)
        });
        watch.finish(py, false)?;
        let (player, repertoire) =
            built.map_err(|error: ugoki::edit::WalkError| verb_error(py, &Error::from(error)))?;
        Ok(Self { scratch: PlayerScratch::new(&repertoire), player, skeleton, landed: [false; 2] })
    }

    /// Names of all segments.
    #[getter]
    fn segments(&self) -> Vec<String> {
        self.player.repertoire().segments().iter().map(|segment| segment.name.clone()).collect()
    }

    /// Number of the segment being played.
    #[getter]
    fn segment(&self) -> usize {
        self.player.segment()
    }

    /// Whether nothing follows the last segment.
    #[getter]
    fn finished(&self) -> bool {
        self.player.is_finished()
    }

    /// Whether the left and the right foot came to stand in the last tick.
    #[getter]
    fn landed(&self) -> (bool, bool) {
        (self.landed[0], self.landed[1])
    }

    /// Goes on by so many seconds and gives the pose then.
    fn tick(&mut self, seconds: f64) -> PyPose {
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        self.landed = self.player.tick(seconds, &mut self.scratch, &mut pose).landed;
        PyPose { skeleton: Arc::clone(&self.skeleton), pose }
    }

    /// Asks for a segment, which is reached over the transitions there are.
    fn request(&mut self, py: Python<'_>, segment: usize) -> PyResult<()> {
        self.player.request(segment).map_err(|error| verb_error(py, &Error::from(error)))
    }

    /// Asks for the next footfall of a foot: its ankle over the ground, metres, and its heading, radians to the left of +Z.
    #[pyo3(signature = (side, x, z, *, ground = 0.0, heading = None))]
    fn put(
        &mut self,
        py: Python<'_>,
        side: &str,
        x: f32,
        z: f32,
        ground: f32,
        heading: Option<f32>,
    ) -> PyResult<()> {
        let target = Footfall { place: Vec3::new(x, ground, z), heading };
        let done = self.player.put(self::side(side)?, target).map(drop);
        done.map_err(|error| verb_error(py, &Error::from(error)))
    }
}

/// Follows a performer through motions that `perform.learn` learned: the performer's frames in, the actor's poses out.
#[pyclass(name = "Follower", module = "ugoki")]
pub(crate) struct PyFollower {
    model: Arc<Model>,
    runner: Runner,
    performer: Arc<Skeleton>,
    actor: Arc<Skeleton>,
    /// The performer's frame as given, and in the world.
    given: Pose,
    seen: ModelPose,
    shown: Pose,
    found: Option<Frame>,
}

#[pymethods]
impl PyFollower {
    /// `model` is a file that `perform.learn` wrote, `performer` any clip of the performer's body.
    #[new]
    #[pyo3(signature = (model, performer, *, fps = None, method = "follow", amount = 1.0, lookahead = None))]
    fn new(
        py: Python<'_>,
        model: &str,
        performer: &Bound<'_, PyClip>,
        fps: Option<f64>,
        method: &str,
        amount: f32,
        lookahead: Option<f32>,
    ) -> PyResult<Self> {
        let method = match method {
            "follow" => Method::Follow,
            "paper" => Method::Paper,
            "dp" => Method::Dp,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "method is {method:?}, expected follow, paper or dp"
                )));
            }
        };
        let usual = RunConfig::default();
        let lookahead_s = lookahead.unwrap_or(usual.lookahead_s);
        let config = RunConfig { method, amount, lookahead_s, mirror: Mirror::Auto, ..usual };
        let clip = performer.get().clip();
        let build = || {
            let (mut note, stopped) = (|_: &str| (), || false);
            let model = FileHost::new(&mut note, &stopped).model(model)?;
            let runner = Runner::build(&model, clip.skeleton(), fps.unwrap_or(clip.fps()), config)?;
            Ok((model, runner))
        };
        let (model, runner) = py.detach(build).map_err(|error: Error| verb_error(py, &error))?;
        let performer = Arc::clone(clip.skeleton());
        let actor = model
            .motions
            .first()
            .map_or_else(|| Arc::clone(&performer), |motion| Arc::clone(motion.clip.skeleton()));
        let (given, shown) = (Pose::rest(&performer), Pose::rest(&actor));
        Ok(Self { model, runner, performer, actor, given, seen: ModelPose::default(), shown, found: None })
    }

    /// One frame of the performer: rotations (J, 4) relative to parents and the position of joint 0. Gives the actor's pose;
    /// `None` when nothing of the body was seen.
    #[pyo3(signature = (rotations, root, *, order))]
    #[expect(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
    fn step(&mut self, rotations: Numbers<'_>, root: Numbers<'_>, order: &str) -> PyResult<Option<PyPose>> {
        let joints = self.performer.num_joints();
        let (_, quats) = unit_quaternions("rotations", &rotations, &[Some(joints)], Order::parse(order)?)?;
        let root = crate::arrays::numbers("root", &root, &[Some(3)])?;
        self.given.rotations = quats;
        self.given.root = Vec3::new(root[0], root[1], root[2]);
        Ok(self.follow())
    }

    /// One frame of a clip of the performer.
    fn step_clip(&mut self, clip: &Bound<'_, PyClip>, frame: usize) -> PyResult<Option<PyPose>> {
        let clip = clip.get().clip();
        if **clip.skeleton() != *self.performer || frame >= clip.num_frames() {
            return Err(PyValueError::new_err("the clip is of another body, or has no such frame"));
        }
        clip.pose_into(frame, &mut self.given);
        Ok(self.follow())
    }

    /// What the last frame was recognised as.
    #[getter]
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(frame) = &self.found else { return Ok(None) };
        let out = PyDict::new(py);
        let motion = &self.model.motions[frame.motion];
        out.set_item("motion", motion.name())?;
        out.set_item("actor_frame", frame.actor_frame)?;
        out.set_item("confidence", frame.confidence)?;
        out.set_item("known", frame.known)?;
        out.set_item("mirrored", frame.mirrored)?;
        out.set_item("rate", frame.rate)?;
        Ok(Some(out))
    }
}

impl PyFollower {
    fn follow(&mut self) -> Option<PyPose> {
        forward_kinematics_into(&self.performer, &self.given, &mut self.seen);
        self.found = self.runner.step(&self.model, &self.performer, &self.seen, &mut self.shown);
        self.found.map(|_| PyPose { skeleton: Arc::clone(&self.actor), pose: self.shown.clone() })
    }
}

/// A body of limited strength that follows a clip, frame by frame: loads from the start, pushes at any time.
#[pyclass(name = "Simulation", module = "ugoki")]
pub(crate) struct PySimulation {
    simulation: Simulation,
    target: Arc<Target>,
}

#[pymethods]
impl PySimulation {
    /// `loads` are as those of `react`, such as "8@chest".
    #[new]
    #[pyo3(signature = (clip, *, loads = Vec::new(), mass = None, control = "on"))]
    fn new(
        py: Python<'_>,
        clip: &Bound<'_, PyClip>,
        loads: Vec<String>,
        mass: Option<f64>,
        control: &str,
    ) -> PyResult<Self> {
        let parse =
            |text: &String| text.parse().map_err(|error: ugoki::react::DisturbanceError| error.to_string());
        let loads =
            loads.iter().map(parse).collect::<Result<Vec<_>, String>>().map_err(PyValueError::new_err)?;
        let control = match control {
            "on" => Control::On,
            "off" => Control::Off,
            "paper" => Control::Paper,
            other => {
                let text = format!("control is {other:?}, expected \"on\", \"off\" or \"paper\"");
                return Err(PyValueError::new_err(text));
            }
        };
        let mut config = Config { control, ..Config::default() };
        config.body.mass_kg = mass.unwrap_or(config.body.mass_kg);
        let read = Arc::clone(&clip.get().read);
        let (built, watch) = py.detach(move || {
            let watch = Watch::new(None);
            let build = || {
                let events = build_events(&read.clip, &config.body, &loads, &[])
                    .map_err(|error| Error::refused(error.to_string()))?;
                let mut all = config.body.loads.clone();
                all.extend(events.events.iter().filter_map(|event| match event {
                    Event::Load(load) => Some(*load),
                    Event::Push(_) => None,
                }));
                let target = Arc::new(Target::build(&read.clip, &config, &mut |part| watch.step(part))?);
                let mut simulation = Simulation::new(Arc::clone(&target), &config, &all)?;
                simulation.prepare(&mut |part| watch.step(part)).map_err(|_| Error::Cancelled)?;
                Ok((simulation, target))
            };
            let built = build();
            (built, watch)
        });
        watch.finish(py, false)?;
        let (simulation, target) = built.map_err(|error: Error| verb_error(py, &error))?;
        Ok(Self { simulation, target })
    }

    /// Seconds from the clip's first frame.
    #[getter]
    fn time(&self) -> f64 {
        self.simulation.time_s()
    }

    /// Whether the clip is at its end.
    #[getter]
    fn done(&self) -> bool {
        self.simulation.is_done()
    }

    /// When balance was lost, seconds; `None` while it is kept.
    #[getter]
    fn fell_at(&self) -> Option<f64> {
        self.simulation.fell_at_s()
    }

    /// The pose now.
    #[getter]
    fn pose(&self) -> PyPose {
        let skeleton = Arc::clone(self.target.clip().skeleton());
        let mut pose = Pose::rest(&skeleton);
        self.simulation.pose_into(&mut pose);
        PyPose { skeleton, pose }
    }

    /// Hits the joint of a role, such as "leftUpperArm", with an impulse in world axes, N·s; it acts in the next frame.
    fn push(&mut self, role: &str, impulse: (f64, f64, f64)) -> PyResult<()> {
        let joint = Role::from_name(role).and_then(|role| self.target.clip().skeleton().find(role));
        let joint = joint.ok_or_else(|| PyValueError::new_err(format!("the skeleton has no {role:?}")))?;
        let (link, at) = self.target.body().place_of_joint(joint);
        self.simulation.apply_impulse(link, at, DVec3::new(impulse.0, impulse.1, impulse.2));
        Ok(())
    }

    /// Goes on by one frame of the clip and gives the pose then.
    fn step(&mut self, py: Python<'_>) -> PyResult<PyPose> {
        let watch = Watch::new(None);
        let (simulation, substeps) = (&mut self.simulation, self.target.substeps());
        let (done, watch) = py.detach(move || {
            let mut step = || {
                for _ in 0..substeps {
                    simulation.foresee(&mut |part| watch.step(part))?;
                    simulation.step(None);
                }
                Ok(())
            };
            let done: Result<(), ugoki::Cancelled> = step();
            (done, watch)
        });
        watch.finish(py, false)?;
        done.map_err(|_| verb_error(py, &Error::Cancelled))?;
        Ok(self.pose())
    }
}
