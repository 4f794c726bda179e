//! The same work on every joint's rotations: one after the other, or several at once under the feature
//! `parallel`, with the same bits.

use crate::clip::RotationTracks;
use crate::math::align_sign;
use crate::{Cancelled, Progress, report};
use glam::Quat;

/// Joints worked on between two reports of progress.
const BATCH: usize = 8;

/// Calls `work` with every joint and its x, y, z, w, and gives the results in joint order.
pub fn for_each_joint<T: Send>(
    rotations: &mut RotationTracks,
    progress: Progress<'_>,
    work: impl Fn(usize, [&mut [f32]; 4]) -> T + Sync,
) -> Result<Vec<T>, Cancelled> {
    let (num_joints, num_frames) = (rotations.num_joints(), rotations.num_frames());
    let mut results = Vec::with_capacity(num_joints);
    if num_frames == 0 {
        return Ok(results);
    }
    let [x, y, z, w] = rotations.arrays_mut().map(|array| array.chunks_mut(num_frames));
    let mut joints: Vec<(usize, [&mut [f32]; 4])> =
        x.zip(y).zip(z).zip(w).map(|(((x, y), z), w)| [x, y, z, w]).enumerate().collect();
    while !joints.is_empty() {
        report(progress, results.len() as f32 / num_joints as f32)?;
        let batch: Vec<_> = joints.drain(..BATCH.min(joints.len())).collect();
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            results.par_extend(batch.into_par_iter().map(|(joint, track)| work(joint, track)));
        }
        #[cfg(not(feature = "parallel"))]
        results.extend(batch.into_iter().map(|(joint, track)| work(joint, track)));
    }
    Ok(results)
}

/// Calls `work` with every joint and its x, y, z, w, and gives the sum of the results. Does not allocate.
pub fn sum_over_joints(
    rotations: &mut RotationTracks,
    progress: Progress<'_>,
    work: impl Fn(usize, [&mut [f32]; 4]) -> usize + Sync,
) -> Result<usize, Cancelled> {
    let (num_joints, num_frames) = (rotations.num_joints(), rotations.num_frames());
    if num_frames == 0 {
        return Ok(0);
    }
    let mut total = 0;
    let [x, y, z, w] = rotations.arrays_mut().map(|array| array.chunks_mut(BATCH * num_frames));
    for (batch, (((x, y), z), w)) in x.zip(y).zip(z).zip(w).enumerate() {
        report(progress, (batch * BATCH) as f32 / num_joints as f32)?;
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            let [x, y, z, w] = [x, y, z, w].map(|array| array.par_chunks_mut(num_frames));
            let joints = x.zip(y).zip(z).zip(w).enumerate();
            total += joints
                .map(|(joint, (((x, y), z), w))| work(batch * BATCH + joint, [x, y, z, w]))
                .sum::<usize>();
        }
        #[cfg(not(feature = "parallel"))]
        {
            let [x, y, z, w] = [x, y, z, w].map(|array| array.chunks_mut(num_frames));
            let joints = x.zip(y).zip(z).zip(w).enumerate();
            total += joints
                .map(|(joint, (((x, y), z), w))| work(batch * BATCH + joint, [x, y, z, w]))
                .sum::<usize>();
        }
    }
    Ok(total)
}

/// Makes one joint's quaternions continuous in sign along the motion.
pub fn align_track_signs([x, y, z, w]: [&mut [f32]; 4]) {
    // Nearly every track is in order already; this loop vectorises (sign bits, not comparisons), the next cannot.
    let n = x.len();
    let mut signs = 0u32;
    for i in 1..n {
        let dot = x[i] * x[i - 1] + y[i] * y[i - 1] + z[i] * z[i - 1] + w[i] * w[i - 1];
        signs |= dot.to_bits();
    }
    if signs >> 31 == 0 {
        return;
    }
    for i in 1..n {
        let before = Quat::from_xyzw(x[i - 1], y[i - 1], z[i - 1], w[i - 1]);
        [x[i], y[i], z[i], w[i]] = align_sign(Quat::from_xyzw(x[i], y[i], z[i], w[i]), before).to_array();
    }
}
