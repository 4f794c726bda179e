//! Frames in which a foot jumps away and back: not to be chased.

use glam::DVec3;

use super::config::GLITCH_HALF_S;

/// Least jump, metres for a leg of 0.85 m, that counts; steady standing jitters by 1 to 2 mm.
const MIN_JUMP_M: f64 = 0.006;
/// A jump is farther from the window's median than this many times the median distance of the window's frames.
const TIMES_SPREAD: f64 = 4.0;

/// Whether each frame of a path jumps away from its neighbours.
pub fn glitches(path: &[DVec3], fps: f64, scale: f64) -> Vec<bool> {
    let half = ((GLITCH_HALF_S * fps).round() as usize).max(1);
    let mut column = Vec::with_capacity(2 * half + 1);
    (0..path.len())
        .map(|frame| {
            if frame < half || frame + half >= path.len() {
                return false;
            }
            let window = &path[frame - half..=frame + half];
            let mut middle_of = |value: &dyn Fn(&DVec3) -> f64| {
                column.clear();
                column.extend(window.iter().map(value));
                column.sort_unstable_by(f64::total_cmp);
                column[half]
            };
            let middle = DVec3::new(middle_of(&|p| p.x), middle_of(&|p| p.y), middle_of(&|p| p.z));
            let spread = middle_of(&|p| (*p - middle).length());
            (path[frame] - middle).length() > (MIN_JUMP_M * scale).max(TIMES_SPREAD * spread)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_of_one_or_two_frames_are_found_and_travel_is_not() {
        for fps in [60.0, 120.0] {
            let mut path: Vec<DVec3> =
                (0..60).map(|i| DVec3::X * (2.0 * f64::from(i) / fps) + DVec3::Y * 0.05).collect();
            assert!(glitches(&path, fps, 1.0).iter().all(|g| !g));
            path.iter_mut().for_each(|p| p.x *= 0.02);
            path[20].y += 0.02;
            let found = glitches(&path, fps, 1.0);
            assert_eq!((0..60).filter(|&f| found[f]).collect::<Vec<_>>(), [20]);
        }
    }
}
