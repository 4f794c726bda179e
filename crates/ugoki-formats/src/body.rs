//! A body before its unit and axes are known: sampled joints and extent.

use glam::Vec3;
use ugoki_base::skeleton::Skeleton;

use super::units::MAX_UNIT;
use super::{ReadError, ReadOptions};

/// Bytes of poses per byte of file that are allowed beyond [`FREE_BYTES`]: whole numbers of hinges with
/// one channel need 8, and rigs in which few joints have channels three times that.
const BYTES_PER_BYTE: usize = 32;

/// Bytes of poses that any file may need.
const FREE_BYTES: usize = 4 << 20;

/// Bytes that the poses of a text file of this many bytes may take.
pub(super) fn max_pose_bytes(file_bytes: usize) -> usize {
    file_bytes.saturating_mul(BYTES_PER_BYTE).max(FREE_BYTES)
}

/// Rates beyond this, frames per second, are implausible and would overflow later stages.
const MAX_FPS: f64 = 1e6;

/// Refuses units and rates that cannot be.
pub(super) fn check_options(options: &ReadOptions) -> Result<(), ReadError> {
    if let Some(found) = options.unit_metres
        && !(found > 0.0 && found < MAX_UNIT)
    {
        return Err(ReadError::Unit { found });
    }
    if let Some(found) = options.fps
        && !(found > 0.0 && found <= MAX_FPS)
    {
        return Err(ReadError::Malformed {
            line: None,
            message: format!("a rate of {found} frames per second is not possible, expected more than 0"),
            hint: "give frames per second, for example 120",
        });
    }
    Ok(())
}

/// Frames looked at to see which way is up.
const NUM_SAMPLES: usize = 9;

/// Number of joints above which no human is searched for: ten times the largest rig known.
pub(super) const MAX_BODY_JOINTS: usize = 2000;

/// Frames spread over the motion. An added T-pose in front is not the motion; with one frame there is no choice.
pub(super) fn sample_frames(num_frames: usize) -> Vec<usize> {
    let first = usize::from(num_frames > 1);
    let Some(span) = num_frames.checked_sub(1 + first) else { return Vec::new() };
    let mut frames: Vec<usize> = (0..NUM_SAMPLES).map(|i| first + span * i / (NUM_SAMPLES - 1)).collect();
    frames.dedup();
    frames
}

/// How far joints and end sites come from joint 0, file units.
pub(super) fn reach(file: &Skeleton, samples: &[Vec<Vec3>]) -> Option<f64> {
    let tips = file.joints().iter().flat_map(|joint| &joint.tips).map(|tip| tip.length());
    let joints = samples.iter().flat_map(|positions| positions.iter().map(|p| p.distance(positions[0])));
    joints.chain(tips).reduce(f32::max).map(f64::from)
}
