//! `Clip`: a motion in memory, and its numbers as arrays.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayLike2};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySlice, PyTuple, PyType};
use ugoki::clip::{Clip, RotationTracks, VectorTrack};
use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::formats::{Marks, Read};
use ugoki::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki::prelude::FootContacts;
use ugoki::skeleton::{Joint, Role, Skeleton, assign_roles};
use ugoki_verbs::Error;

use crate::arrays::{Numbers, Order, quaternions, rows, shaped, unit_quaternions, vectors, view};
use crate::error::{refused, verb_error};

/// A motion: poses at a fixed rate on one skeleton. It never changes; verbs and methods give new clips.
#[pyclass(frozen, name = "Clip", module = "ugoki", weakref)]
pub(crate) struct PyClip {
    pub(crate) read: Arc<Read>,
    /// What the verb that made it reports.
    report: OnceLock<Py<PyAny>>,
}

impl PyClip {
    pub(crate) fn new(read: Arc<Read>) -> Self {
        Self { read, report: OnceLock::new() }
    }

    pub(crate) fn clip(&self) -> &Clip {
        &self.read.clip
    }

    /// The same file with another motion.
    fn with(&self, clip: Clip, marks: Marks) -> Self {
        let like = &self.read;
        let read = Read {
            format: like.format,
            unit_metres: like.unit_metres,
            unit_name: like.unit_name.clone(),
            up: like.up,
            ..Read::from_clip(clip, marks)
        };
        Self::new(Arc::new(read))
    }

    /// World poses of all frames.
    fn each_pose(&self, mut see: impl FnMut(&ModelPose)) {
        let clip = self.clip();
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        for frame in 0..clip.num_frames() {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(clip.skeleton(), &pose, &mut model);
            see(&model);
        }
    }
}

/// Left heel, left toe, right heel, right toe in every frame.
fn contact_flags(feet: &[FootContacts; 2], frames: usize) -> Vec<bool> {
    let points = [&feet[0].heel, &feet[0].toe, &feet[1].heel, &feet[1].toe];
    let mut flags = vec![false; 4 * frames];
    for (point, ranges) in points.into_iter().enumerate() {
        for frame in ranges.iter().cloned().flatten().filter(|frame| *frame < frames) {
            flags[4 * frame + point] = true;
        }
    }
    flags
}

/// The intervals of such flags.
fn contact_ranges(flags: &PyArrayLike2<'_, bool>, frames: usize) -> PyResult<[FootContacts; 2]> {
    let flags = flags.as_array();
    if flags.shape() != [frames, 4] {
        return Err(PyValueError::new_err(format!(
            "contacts has the shape {:?}, expected ({frames}, 4)",
            flags.shape()
        )));
    }
    let of = |point: usize| ugoki::contact::runs(0..frames, |frame| flags[[frame, point]]);
    Ok([FootContacts { heel: of(0), toe: of(1) }, FootContacts { heel: of(2), toe: of(3) }])
}

#[pymethods]
impl PyClip {
    /// Makes a clip of arrays: metres, +Y up, facing +Z; rotations are relative to parents.
    #[classmethod]
    #[pyo3(signature = (rotations, root, parents, offsets, fps, *, order, names = None, roles = None, contacts = None, name = "clip", tags = Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "one for each array")]
    #[expect(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
    fn from_arrays(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        rotations: Numbers<'_>,
        root: Numbers<'_>,
        parents: Vec<Option<i64>>,
        offsets: Numbers<'_>,
        fps: f64,
        order: &str,
        names: Option<Vec<String>>,
        roles: Option<Vec<Option<String>>>,
        contacts: Option<PyArrayLike2<'_, bool>>,
        name: &str,
        tags: Vec<String>,
    ) -> PyResult<Self> {
        let count = parents.len();
        let check = |what: &str, found: Option<usize>| match found {
            Some(found) if found != count => {
                Err(PyValueError::new_err(format!("{what} has {found} entries, expected {count}")))
            }
            _ => Ok(()),
        };
        check("names", names.as_ref().map(Vec::len))?;
        check("roles", roles.as_ref().map(Vec::len))?;
        let offsets = vectors("offsets", &offsets, Some(count))?;
        let mut joints = Vec::with_capacity(count);
        for (at, (parent, offset)) in parents.iter().zip(&offsets).enumerate() {
            let parent = parent.filter(|parent| *parent >= 0).map(|parent| parent as usize);
            let name = names.as_ref().map_or_else(|| format!("joint{at}"), |names| names[at].clone());
            joints.push(Joint::new(name, parent, *offset));
        }
        match &roles {
            Some(roles) => {
                for (joint, word) in joints.iter_mut().zip(roles) {
                    let word = word.as_deref().filter(|word| !word.is_empty());
                    joint.role = word
                        .map(|word| {
                            let role = Role::from_name(word);
                            role.ok_or_else(|| PyValueError::new_err(format!("there is no role {word:?}")))
                        })
                        .transpose()?;
                }
            }
            None => drop(assign_roles(&mut joints)),
        }
        let skeleton = Skeleton::build(joints).map_err(|error| refused(py, error.to_string(), None))?;
        let order = Order::parse(order)?;
        let (sides, quats) = unit_quaternions("rotations", &rotations, &[None, Some(count)], order)?;
        let frames = sides[0];
        let root: VectorTrack = vectors("root", &root, Some(frames))?.into_iter().collect();
        let mut tracks = RotationTracks::identity(count, frames);
        for (at, q) in quats.into_iter().enumerate() {
            tracks.set(at % count, at / count, q);
        }
        let mut clip = Clip::from_tracks(skeleton, fps, root, tracks, Vec::new())
            .map_err(|error| refused(py, error.to_string(), None))?;
        clip.align_signs();
        (clip.name, clip.tags) = (name.to_owned(), tags);
        let contacts = contacts.map(|flags| contact_ranges(&flags, frames)).transpose()?;
        let marks = Marks { contacts, ..Marks::default() };
        Ok(Self::new(Arc::new(Read::from_clip(clip, marks))))
    }

    /// The clip of the bytes that `to_bytes` gives.
    #[classmethod]
    #[pyo3(signature = (data, contacts = None, loop_frames = None))]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        data: &[u8],
        contacts: Option<PyArrayLike2<'_, bool>>,
        loop_frames: Option<(usize, usize)>,
    ) -> PyResult<Self> {
        let clip = Clip::from_bytes(data).map_err(|error| refused(py, error.to_string(), None))?;
        let contacts = contacts.map(|flags| contact_ranges(&flags, clip.num_frames())).transpose()?;
        let marks = Marks { contacts, loop_frames: loop_frames.map(|(from, to)| from..to), gaps: Vec::new() };
        Ok(Self::new(Arc::new(Read::from_clip(clip, marks))))
    }

    /// The clip without loss, compact: name, tags, skeleton, every track to the bit.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.clip().to_bytes());
        PyBytes::new(py, &bytes)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Self>();
        let marks = &self.read.marks;
        let contacts = marks.contacts.as_ref().map(|feet| {
            shaped(py, contact_flags(feet, self.clip().num_frames()), [self.clip().num_frames(), 4])
        });
        let loops = marks.loop_frames.as_ref().map(|range| (range.start, range.end));
        let arguments = (self.to_bytes(py), contacts, loops).into_pyobject(py)?;
        Ok((class.getattr("from_bytes")?, arguments))
    }

    /// The file's stem, or the name given.
    #[getter]
    fn name(&self) -> &str {
        &self.clip().name
    }

    /// Free words.
    #[getter]
    fn tags(&self) -> Vec<String> {
        self.clip().tags.clone()
    }

    /// Frames per second.
    #[getter]
    fn fps(&self) -> f64 {
        self.clip().fps()
    }

    /// Length, each frame lasting one period.
    #[getter]
    fn seconds(&self) -> f64 {
        self.clip().seconds()
    }

    #[getter]
    fn num_frames(&self) -> usize {
        self.clip().num_frames()
    }

    #[getter]
    fn num_joints(&self) -> usize {
        self.clip().num_joints()
    }

    fn __len__(&self) -> usize {
        self.clip().num_frames()
    }

    /// Whether frame 0 is an added T-pose and not part of the motion.
    #[getter]
    fn tpose_frame(&self) -> bool {
        self.clip().tpose_frame
    }

    /// First frame of the loop and the one after its last, where the file marks one.
    #[getter]
    fn loop_frames(&self) -> Option<(usize, usize)> {
        self.read.marks.loop_frames.as_ref().map(|range| (range.start, range.end))
    }

    /// Names of the joints.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.clip().skeleton().joints().iter().map(|joint| joint.name.as_str()).collect()
    }

    /// What each joint is on a human, by VRM's names; `None` where unknown.
    #[getter]
    fn roles(&self) -> Vec<Option<&'static str>> {
        self.clip().skeleton().joints().iter().map(|joint| joint.role.map(Role::name)).collect()
    }

    /// Index of each joint's parent, −1 for a root: (J,) int32.
    #[getter]
    fn parents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        let joints = self.clip().skeleton().joints().iter();
        PyArray1::from_iter(py, joints.map(|joint| joint.parent.map_or(-1, |parent| parent as i32)))
    }

    /// Rest position of each joint in its parent's frame, metres: (J, 3).
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        let joints = self.clip().skeleton().joints().iter();
        rows(py, &joints.map(|joint| joint.offset).collect::<Vec<_>>())
    }

    /// Position of joint 0 in the world, metres: (T, 3).
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        rows(py, &self.clip().root().iter().collect::<Vec<_>>())
    }

    /// Rotation of each joint relative to its parent: (T, J, 4), unit quaternions.
    #[pyo3(signature = (*, order))]
    fn rotations<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let order = Order::parse(order)?;
        let clip = self.clip();
        let sides = [clip.num_frames(), clip.num_joints()];
        Ok(quaternions(py, sides, order, |frame, joint| clip.rotation(joint, frame)))
    }

    /// The parts w, x, y, z of all rotations, each (T, J), without copying: read-only views of the clip's own memory.
    #[getter]
    fn rotation_parts(slf: Bound<'_, Self>) -> PyResult<[Bound<'_, PyArray2<f32>>; 4]> {
        let clip = slf.get().clip();
        let sides = [clip.num_joints(), clip.num_frames()];
        let [x, y, z, w] = clip.rotations().arrays();
        let part = |numbers| view(numbers, sides, slf.clone().into_any());
        Ok([part(w)?, part(x)?, part(y)?, part(z)?])
    }

    /// World position of each joint, metres: (T, J, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<f32>> {
        let sides = [self.num_frames(), self.num_joints(), 3];
        let flat = py.detach(|| {
            let mut flat = Vec::with_capacity(sides.iter().product());
            self.each_pose(|model| flat.extend(model.positions.iter().flat_map(glam::Vec3::to_array)));
            flat
        });
        shaped(py, flat, sides)
    }

    /// Rotation of each joint in the world: (T, J, 4), unit quaternions.
    #[pyo3(signature = (*, order))]
    fn global_rotations<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let order = Order::parse(order)?;
        let sides = [self.num_frames(), self.num_joints(), 4];
        let flat = py.detach(|| {
            let mut flat = Vec::with_capacity(sides.iter().product());
            self.each_pose(|model| flat.extend(model.rotations.iter().flat_map(|q| order.numbers(*q))));
            flat
        });
        Ok(shaped(py, flat, sides))
    }

    /// Joints other than joint 0 that leave their rest offset: their positions in their parents' frames, (T, 3) each.
    #[getter]
    fn translations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for moved in self.clip().translations() {
            all.set_item(moved.joint, rows(py, &moved.track.iter().collect::<Vec<_>>()))?;
        }
        Ok(all)
    }

    /// Whether left heel, left toe, right heel and right toe stand: (T, 4) bool. As the file marks them, else as found.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let frames = self.num_frames();
        let flags = match &self.read.marks.contacts {
            Some(feet) => contact_flags(feet, frames),
            None => {
                let found = py.detach(|| find_contacts(self.clip(), &ContactConfig::default()));
                let found = found.map_err(|error| verb_error(py, &Error::from(error)))?;
                contact_flags(&found.feet, frames)
            }
        };
        Ok(shaped(py, flags, [frames, 4]))
    }

    /// Labels and positions of the markers that the motion was solved from, metres: (T, M, 3), not a number where unseen.
    #[getter]
    fn markers<'py>(&self, py: Python<'py>) -> Option<(Vec<String>, Bound<'py, PyArray3<f32>>)> {
        let markers = self.read.markers.as_ref()?;
        let labels: Vec<String> = markers.labels().to_vec();
        let sides = [markers.num_frames(), labels.len(), 3];
        let mut flat = Vec::with_capacity(sides.iter().product());
        for frame in 0..sides[0] {
            for label in 0..sides[1] {
                flat.extend(markers.get(label, frame).unwrap_or(Vec3::NAN).to_array());
            }
        }
        Some((labels, shaped(py, flat, sides)))
    }

    /// What reading found in the file: severity, line, code, message.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = serde_json::to_string(&self.read.findings).unwrap_or_else(|_| "[]".to_owned());
        py.import("json")?.call_method1("loads", (text,))
    }

    /// Metres per unit of the file that it was read from.
    #[getter]
    fn unit_metres(&self) -> f64 {
        self.read.unit_metres
    }

    /// What the verb that made the clip reports; `None` for a clip that was read.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.report.get().map(|report| report.bind(py).clone())
    }

    #[pyo3(name = "_set_report")]
    fn set_report(&self, report: Py<PyAny>) {
        let _ = self.report.set(report);
    }

    /// The same motion with other numbers; what is not given stays.
    #[pyo3(signature = (*, rotations = None, order = None, root = None, name = None, tags = None))]
    #[expect(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
    fn replace(
        &self,
        rotations: Option<Numbers<'_>>,
        order: Option<&str>,
        root: Option<Numbers<'_>>,
        name: Option<String>,
        tags: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let mut clip = self.clip().clone();
        let (frames, joints) = (clip.num_frames(), clip.num_joints());
        if rotations.is_some() || root.is_some() {
            // The numbers of the file are those of another motion now.
            clip.set_source(None);
        }
        if let Some(rotations) = &rotations {
            let order = order
                .ok_or_else(|| PyTypeError::new_err("rotations need order=\"wxyz\" or order=\"xyzw\""))?;
            let order = Order::parse(order)?;
            let (_, quats) = unit_quaternions("rotations", rotations, &[Some(frames), Some(joints)], order)?;
            for (at, q) in quats.into_iter().enumerate() {
                clip.set_rotation(at % joints, at / joints, q);
            }
            clip.align_signs();
        }
        if let Some(root) = &root {
            *clip.root_mut() = vectors("root", root, Some(frames))?.into_iter().collect();
        }
        clip.name = name.unwrap_or(clip.name);
        clip.tags = tags.unwrap_or(clip.tags);
        Ok(self.with(clip, self.read.marks.clone()))
    }

    /// The frames of a slice without a step: `clip[30:90]`.
    fn __getitem__(&self, slice: &Bound<'_, PySlice>) -> PyResult<Self> {
        let found = slice.indices(self.num_frames() as isize)?;
        if found.step != 1 {
            return Err(PyIndexError::new_err(
                "a clip is cut without a step; convert(clip, fps=…) changes its rate",
            ));
        }
        let range = found.start as usize..(found.start.max(found.stop)) as usize;
        let clip =
            self.clip().trimmed(range.clone()).map_err(|error| PyIndexError::new_err(error.to_string()))?;
        let within = |one: &Range<usize>| {
            let (from, to) = (one.start.max(range.start), one.end.min(range.end));
            (from < to).then(|| from - range.start..to - range.start)
        };
        let cut = |ranges: &Vec<Range<usize>>| ranges.iter().filter_map(within).collect();
        let contacts = self.read.marks.contacts.as_ref();
        let marks = Marks {
            contacts: contacts.map(|feet| {
                [0, 1].map(|side: usize| FootContacts {
                    heel: cut(&feet[side].heel),
                    toe: cut(&feet[side].toe),
                })
            }),
            loop_frames: None,
            gaps: Vec::new(),
        };
        Ok(self.with(clip, marks))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().clip() == self.clip())
    }

    fn __hash__(&self) -> u64 {
        let clip = self.clip();
        clip.num_frames() as u64 ^ (clip.num_joints() as u64) << 40 ^ clip.fps().to_bits()
    }

    /// Writes the motion in the format of the name's ending, as `convert` does; `options` are those of `convert`.
    #[pyo3(signature = (path, **options))]
    fn save<'py>(
        slf: Bound<'py, Self>,
        path: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let convert = slf.py().import("ugoki._verbs")?.getattr("convert")?;
        let options = options.map_or_else(|| Ok(PyDict::new(slf.py())), pyo3::types::PyDictMethods::copy)?;
        options.set_item("output", path)?;
        convert.call((slf.clone(),), Some(&options))
    }

    fn __repr__(&self) -> String {
        let clip = self.clip();
        let seconds = clip.seconds();
        let (frames, joints, fps) = (clip.num_frames(), clip.num_joints(), clip.fps());
        format!("<ugoki.Clip {:?}: {frames} frames at {fps} fps, {seconds:.2} s, {joints} joints>", clip.name)
    }

    /// The moving figure, as a page within the notebook.
    fn _repr_html_(&self, py: Python<'_>) -> String {
        py.detach(|| ugoki::picture::clip_frame_html(self.clip()))
    }
}
