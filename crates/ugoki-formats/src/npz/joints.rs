//! One array of joint positions, as HumanML3D has them in `new_joints`: read as markers.

use glam::DVec3;

use super::archive::{Array, malformed};
use super::smpl;
use crate::points::{Raw, ReadMarkers};
use crate::{Findings, Format, ReadError, ReadOptions, Severity};

/// Rate of HumanML3D, frames per second.
const HUMANML3D_FPS: f64 = 20.0;

/// Whether the bytes are one array of numpy.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x93NUMPY")
}

/// The joint positions as markers, named by what they are on a human.
pub(crate) fn read_markers(bytes: &[u8], options: &ReadOptions) -> Result<ReadMarkers, ReadError> {
    let array = Array::parse("joints", bytes.into())?;
    let &[frames, count @ 22, 3] = array.shape.as_slice() else {
        let hint = if array.shape.get(1) == Some(&263) {
            "; these are features: give the file of new_joints"
        } else {
            ""
        };
        return Err(malformed(format!(
            "one array of the shape {:?}, expected (frames, 22, 3): positions of the joints of SMPL{hint}",
            array.shape
        )));
    };
    let numbers = array.numbers()?;
    let place = |frame: usize, joint: usize| DVec3::from_slice(&numbers[3 * (frame * count + joint)..]);
    let joints = smpl::joints(count);
    let label = |joint: &ugoki_base::skeleton::Joint| {
        joint.role.map_or_else(
            || joint.name.clone(),
            |role| {
                let name = role.name();
                name[..1].to_uppercase() + &name[1..]
            },
        )
    };
    let mut findings = Findings::default();
    let fps = options.fps.unwrap_or_else(|| {
        let message = "the array does not state its rate";
        let assumed =
            format!("{HUMANML3D_FPS} frames per second, as HumanML3D; give the rate if it is another");
        findings.note(Severity::Warning, None, "rate-missing", message, assumed);
        HUMANML3D_FPS
    });
    let raw = Raw {
        format: Format::Npz,
        labels: joints.iter().map(label).collect(),
        fps,
        tracks: (0..count).map(|joint| (0..frames).map(|frame| place(frame, joint)).collect()).collect(),
        unit: Some((1.0, "m")),
        up: None,
        usual_up: ugoki_base::clip::UpAxis::Y,
    };
    raw.finish(options, findings)
}
