//! The points themselves.

use glam::DVec3;

use super::layout::Layout;
use super::processor::Data;

/// Positions of one point in all frames, file units and axes; not a number where it was not seen.
pub(super) struct Track {
    pub points: Vec<DVec3>,
    /// Frames in which it stands exactly at 0, 0, 0 although the file calls it seen.
    pub zeros: usize,
}

/// Reads point number `index` in all frames.
pub(super) fn track(data: Data<'_>, layout: &Layout, index: usize) -> Track {
    let mut track = Track { points: Vec::with_capacity(layout.frames), zeros: 0 };
    for frame in 0..layout.frames {
        let at = layout.start + frame * layout.stride + index * if layout.real { 16 } else { 8 };
        let point = if layout.real { real(data, at) } else { integer(data, at, layout.scale) };
        let point = point.filter(|p| p.is_finite());
        // Nothing that is measured comes out at exactly 0 three times: it stands for a gap.
        let is_zero = point == Some(DVec3::ZERO);
        track.zeros += usize::from(is_zero);
        track.points.push(point.filter(|_| !is_zero).unwrap_or(DVec3::NAN));
    }
    track
}

/// Three reals and a fourth whose sign says whether the point was seen.
fn real(data: Data<'_>, at: usize) -> Option<DVec3> {
    let [x, y, z, seen] = [data.f32(at)?, data.f32(at + 4)?, data.f32(at + 8)?, data.f32(at + 12)?];
    // Not a number or negative: no residual, so no point.
    (seen >= 0.0).then(|| DVec3::new(f64::from(x), f64::from(y), f64::from(z)))
}

/// Three integers and a fourth: residual and cameras, negative where the point was not seen.
fn integer(data: Data<'_>, at: usize, scale: f64) -> Option<DVec3> {
    let [x, y, z, seen] = [data.i16(at)?, data.i16(at + 2)?, data.i16(at + 4)?, data.i16(at + 6)?];
    // In single precision, as the programs that write the real form of a file compute it.
    let scaled = |v: i16| f64::from(f32::from(v) * scale as f32);
    (seen >= 0).then(|| DVec3::new(scaled(x), scaled(y), scaled(z)))
}
