//! Small geometry on paths with gaps: one entry per frame, `None` where unknown.

use glam::{DMat3, DQuat, DVec3};

use crate::math::median;

/// Positions over time.
pub(super) type Path = Vec<Option<DVec3>>;

/// Rotations over time, `world_from_part`.
pub(super) type Turns = Vec<Option<DQuat>>;

/// Frame by frame, where both are known.
pub(super) fn zip(a: &Path, b: &Path, f: impl Fn(DVec3, DVec3) -> DVec3) -> Path {
    a.iter().zip(b).map(|(a, b)| Some(f((*a)?, (*b)?))).collect()
}

/// Between two paths: 0 is `a`, 1 is `b`.
pub(super) fn between(a: &Path, b: &Path, fraction: f64) -> Path {
    zip(a, b, |a, b| a.lerp(b, fraction))
}

/// Median distance of two paths, metres.
pub(super) fn distance(a: &Path, b: &Path) -> Option<f64> {
    let all: Vec<f64> = a.iter().zip(b).filter_map(|(a, b)| Some((*a)?.distance((*b)?))).collect();
    median(&all)
}

/// Median of each coordinate.
pub(super) fn median_point(points: impl Iterator<Item = DVec3>) -> Option<DVec3> {
    let points: Vec<DVec3> = points.collect();
    let axis = |i: usize| median(&points.iter().map(|p| p[i]).collect::<Vec<f64>>());
    Some(DVec3::new(axis(0)?, axis(1)?, axis(2)?))
}

/// `v` without its part along unit `axis`, made unit; `None` when nothing is left.
pub(super) fn across(v: DVec3, axis: DVec3) -> Option<DVec3> {
    let rest = v - axis * v.dot(axis);
    (rest.length() > 1e-6 * v.length().max(1e-9)).then(|| rest.normalize())
}

/// The rotation that takes +X to `x` exactly and +Y as near to `y` as it can.
pub(super) fn frame_xy(x: DVec3, y: DVec3) -> Option<DQuat> {
    let x = x.try_normalize()?;
    let y = across(y, x)?;
    Some(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

/// The rotation that takes rest direction `d0` to `d` exactly and `a0` as near to `a` as it can.
pub(super) fn turn(d0: DVec3, a0: DVec3, d: DVec3, a: DVec3) -> Option<DQuat> {
    Some((frame_xy(d, a)? * frame_xy(d0, a0)?.conjugate()).normalize())
}

/// Turns `frames` about their own X by one angle, so that `up` lies across X and Z in the median: markers on skin
/// give a part's left exactly, but its pitch only up to where they were put.
pub(super) fn level(frames: &mut Turns, up: &[Option<DVec3>]) {
    let pitch = |(frame, up): (&Option<DQuat>, &Option<DVec3>)| {
        let v = (*frame)?.conjugate() * (*up)?;
        (v.y.hypot(v.z) > 1e-9).then(|| v.z.atan2(v.y))
    };
    let all: Vec<f64> = frames.iter().zip(up).filter_map(pitch).collect();
    let Some(angle) = median(&all) else { return };
    let correction = DQuat::from_rotation_x(angle);
    for frame in frames.iter_mut().flatten() {
        *frame = (*frame * correction).normalize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_takes_its_rest_axes_where_they_belong() {
        let q = turn(DVec3::NEG_Y, DVec3::X, DVec3::Z, DVec3::new(1.0, 0.0, 0.3)).unwrap();
        assert!((q * DVec3::NEG_Y - DVec3::Z).length() < 1e-12);
        assert!((q * DVec3::X - DVec3::X).length() < 1e-12);
        assert!(turn(DVec3::NEG_Y, DVec3::X, DVec3::Z, DVec3::Z).is_none());
    }

    #[test]
    fn a_constant_pitch_is_taken_out() {
        let mut frames: Turns = vec![Some(DQuat::from_rotation_x(0.3)); 3];
        level(&mut frames, &[Some(DVec3::Y); 3]);
        assert!((frames[1].unwrap() * DVec3::Y - DVec3::Y).length() < 1e-12);
    }
}
