//! Named arrays, and a motion in file units and axes made of them.

use glam::{DMat3, DQuat, DVec3, Vec3};
use ugoki_base::skeleton::{Joint, Role};

use super::archive::{Array, malformed};
use crate::ReadError;

/// Numbers beyond this are no places.
const MAX_VALUE: f64 = 1e9;

/// Arrays by name.
pub(super) struct Arrays<'a>(pub(super) Vec<Array<'a>>);

impl Arrays<'_> {
    pub(super) fn get(&self, name: &str) -> Option<&Array<'_>> {
        self.0.iter().find(|array| array.name == name)
    }

    /// An array that must be there, with this shape; sides of 0 may be any.
    pub(super) fn shaped(&self, name: &str, wanted: &[usize]) -> Result<&Array<'_>, ReadError> {
        let array = self.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|array| array.name.as_str()).take(20).collect();
            malformed(format!("no array {name:?} among {}", names.join(", ")))
        })?;
        let fits = array.shape.len() == wanted.len()
            && array.shape.iter().zip(wanted).all(|(found, wanted)| found == wanted || *wanted == 0);
        if fits {
            return Ok(array);
        }
        let sides = |shape: &[usize]| {
            let side = |side: &usize| if *side == 0 { "any".to_owned() } else { side.to_string() };
            shape.iter().map(side).collect::<Vec<_>>().join(", ")
        };
        let (found, wanted) = (sides(&array.shape), sides(wanted));
        Err(malformed(format!("the array {name:?} has the shape ({found}), expected ({wanted})")))
    }

    /// The single number of an array.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)?.numbers().ok()?.as_slice() {
            [number] => Some(*number),
            _ => None,
        }
    }

    /// Finite numbers of an array that is there.
    pub(super) fn numbers(&self, name: &str, wanted: &[usize]) -> Result<Vec<f64>, ReadError> {
        let numbers = self.shaped(name, wanted)?.numbers()?;
        match numbers.iter().position(|value| value.is_nan() || value.abs() > MAX_VALUE) {
            Some(at) => Err(malformed(format!(
                "element {at} of the array {name:?} is {}, expected a number below 1e9",
                numbers[at]
            ))),
            None => Ok(numbers),
        }
    }
}

/// A motion in file units and axes.
pub(super) struct ArrayMotion {
    pub(super) joints: Vec<Joint>,
    pub(super) num_frames: usize,
    pub(super) root: Vec<DVec3>,
    /// Rotations relative to parents, frame by frame.
    pub(super) local: Vec<DQuat>,
    /// Joints other than joint 0 that leave their offset.
    pub(super) moved: Vec<(usize, Vec<DVec3>)>,
}

impl ArrayMotion {
    /// World positions of a frame.
    pub(super) fn positions(&self, frame: usize) -> Vec<Vec3> {
        let mut world: Vec<(DVec3, DQuat)> = Vec::with_capacity(self.joints.len());
        for (joint, node) in self.joints.iter().enumerate() {
            let turn = self.local[frame * self.joints.len() + joint];
            let moved = self.moved.iter().find(|(moved, _)| *moved == joint).map(|(_, places)| places[frame]);
            let offset = moved.unwrap_or_else(|| node.offset.as_dvec3());
            world.push(match node.parent {
                Some(parent) => (world[parent].0 + world[parent].1 * offset, world[parent].1 * turn),
                None => (if joint == 0 { self.root[frame] } else { offset }, turn),
            });
        }
        world.iter().map(|(place, _)| place.as_vec3()).collect()
    }
}

/// Joints from `names`, `parents` and, where there are any, `roles`.
pub(super) fn skeleton(
    arrays: &Arrays<'_>,
    count: usize,
    offsets: &[DVec3],
) -> Result<Vec<Joint>, ReadError> {
    let names = arrays.shaped("names", &[count])?.words()?;
    let parents = arrays.numbers("parents", &[count])?;
    let roles = arrays.get("roles").and_then(|roles| roles.words().ok()).unwrap_or_default();
    let mut joints: Vec<Joint> = Vec::with_capacity(count);
    for (at, name) in names.into_iter().enumerate() {
        let parent = parents[at];
        if parent >= at as f64 {
            return Err(malformed(format!(
                "joint {at} has the parent {parent}, expected an earlier joint or -1"
            )));
        }
        let parent = (parent >= 0.0).then_some(parent as usize);
        let mut joint = Joint::new(name, parent, offsets[at].as_vec3());
        let role = roles.get(at).and_then(|role| Role::from_name(role));
        joint.role = role.filter(|role| joints.iter().all(|other| other.role != Some(*role)));
        joints.push(joint);
    }
    Ok(joints)
}

pub(super) fn vectors(numbers: &[f64]) -> Vec<DVec3> {
    numbers.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// A unit quaternion; none where it has no length.
pub(super) fn unit(q: DQuat) -> DQuat {
    if q.length() > 1e-6 { q.normalize() } else { DQuat::IDENTITY }
}

/// The rotation of a row-major matrix.
pub(super) fn rotation(matrix: &[f64]) -> DQuat {
    let rows = DMat3::from_cols_slice(matrix);
    unit(DQuat::from_mat3(&rows.transpose()))
}
