//! Quaternions and vectors to numpy arrays and back.

use glam::{Quat, Vec3};
use numpy::ndarray::{Array, ArrayD, ArrayView2, Axis, IntoDimension, ShapeBuilder as _};
use numpy::{AllowTypeChange, Element, PyArray, PyArray2, PyArray3, PyArrayLikeDyn, PyArrayMethods as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Where the real part of a quaternion is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Wxyz,
    Xyzw,
}

impl Order {
    /// # Errors
    /// When the word is none of the two.
    pub(crate) fn parse(word: &str) -> PyResult<Self> {
        match word {
            "wxyz" => Ok(Self::Wxyz),
            "xyzw" => Ok(Self::Xyzw),
            _ => Err(PyValueError::new_err(format!("order is {word:?}, expected \"wxyz\" or \"xyzw\""))),
        }
    }

    pub(crate) fn numbers(self, q: Quat) -> [f32; 4] {
        match self {
            Self::Wxyz => [q.w, q.x, q.y, q.z],
            Self::Xyzw => q.to_array(),
        }
    }

    pub(crate) fn quat(self, [a, b, c, d]: [f32; 4]) -> Quat {
        match self {
            Self::Wxyz => Quat::from_xyzw(b, c, d, a),
            Self::Xyzw => Quat::from_xyzw(a, b, c, d),
        }
    }
}

/// Rows of three numbers.
pub(crate) fn rows<'py>(py: Python<'py>, places: &[Vec3]) -> Bound<'py, PyArray2<f32>> {
    let flat: Vec<f32> = places.iter().flat_map(glam::Vec3::to_array).collect();
    shaped(py, flat, [places.len(), 3])
}

/// Numbers in C order as an array of this shape, which holds as many.
pub(crate) fn shaped<'py, T, S>(py: Python<'py>, flat: Vec<T>, shape: S) -> Bound<'py, PyArray<T, S::Dim>>
where
    T: Element + Default,
    S: IntoDimension + Clone,
{
    let array = Array::from_shape_vec(shape.clone().into_dimension(), flat);
    PyArray::from_owned_array(py, array.unwrap_or_else(|_| Array::default(shape.into_dimension())))
}

/// Frames by joints by four numbers.
pub(crate) fn quaternions<'py>(
    py: Python<'py>,
    [frames, joints]: [usize; 2],
    order: Order,
    rotation: impl Fn(usize, usize) -> Quat,
) -> Bound<'py, PyArray3<f32>> {
    let mut flat = vec![0.0; frames * joints * 4];
    for (at, out) in flat.chunks_exact_mut(4).enumerate() {
        out.copy_from_slice(&order.numbers(rotation(at / joints, at % joints)));
    }
    shaped(py, flat, [frames, joints, 4])
}

/// What users give as numbers: an array, or anything that numpy makes one of.
pub(crate) type Numbers<'py> = PyArrayLikeDyn<'py, f32, AllowTypeChange>;

/// The numbers of an argument of this shape; `None` is any length.
pub(crate) fn numbers(name: &str, given: &Numbers<'_>, shape: &[Option<usize>]) -> PyResult<ArrayD<f32>> {
    let array = given.as_array();
    let fits = array.ndim() == shape.len()
        && array
            .shape()
            .iter()
            .zip(shape)
            .all(|(found, wanted)| wanted.is_none_or(|wanted| wanted == *found));
    if !fits {
        let sides = shape.iter().map(|side| side.map_or("any".to_owned(), |side| side.to_string()));
        let wanted = sides.collect::<Vec<_>>().join(", ");
        return Err(PyValueError::new_err(format!(
            "{name} has the shape {:?}, expected ({wanted})",
            array.shape()
        )));
    }
    if let Some(at) = array.iter().position(|value| !value.is_finite()) {
        return Err(PyValueError::new_err(format!("element {at} of {name} is not a finite number")));
    }
    Ok(array.to_owned())
}

/// Rows of three numbers.
pub(crate) fn vectors(name: &str, given: &Numbers<'_>, rows: Option<usize>) -> PyResult<Vec<Vec3>> {
    let array = numbers(name, given, &[rows, Some(3)])?;
    Ok(array.axis_iter(Axis(0)).map(|row| Vec3::new(row[0], row[1], row[2])).collect())
}

/// Unit quaternions, the last axis of an array of `shape` and four.
pub(crate) fn unit_quaternions(
    name: &str,
    given: &Numbers<'_>,
    shape: &[Option<usize>],
    order: Order,
) -> PyResult<(Vec<usize>, Vec<Quat>)> {
    let wanted: Vec<Option<usize>> = shape.iter().copied().chain([Some(4)]).collect();
    let array = numbers(name, given, &wanted)?;
    let sides = array.shape()[..shape.len()].to_vec();
    let flat: Vec<f32> = array.iter().copied().collect();
    let mut all = Vec::with_capacity(flat.len() / 4);
    for (at, four) in flat.chunks_exact(4).enumerate() {
        let q = order.quat([four[0], four[1], four[2], four[3]]);
        // Numbers that are unit already keep their bits.
        let length = q.length();
        match length {
            _ if (length - 1.0).abs() < 1e-5 => all.push(q),
            _ if length > 1e-6 => all.push(q / length),
            _ => return Err(PyValueError::new_err(format!("quaternion {at} of {name} has no length"))),
        }
    }
    Ok((sides, all))
}

/// A view of `numbers`, frames by joints, of memory that `owner` keeps and never changes.
pub(crate) fn view<'py>(
    numbers: &[f32],
    [joints, frames]: [usize; 2],
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let layout = (frames, joints).strides((1, frames.max(1)));
    let view =
        ArrayView2::from_shape(layout, numbers).map_err(|error| PyValueError::new_err(error.to_string()))?;
    // SAFETY: the numbers are those of a clip that `owner` holds for as long as it lives; a clip that Python sees never
    // changes, and the array becomes the base's dependant. Python cannot write either: the array is made read-only.
    #[expect(unsafe_code, reason = "the one array whose memory is the library's")]
    let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
    array.readwrite().make_nonwriteable();
    Ok(array)
}
