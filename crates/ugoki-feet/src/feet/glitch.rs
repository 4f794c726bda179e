//! Frames in which a foot jumps away and back: not to be chased.

use glam::DVec3;

use super::config::{GLITCH_HALF_S, UNREST_M};

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
            (path[frame] - middle).length() > (UNREST_M * scale).max(TIMES_SPREAD * spread)
        })
        .collect()
}

/// Hips that a jump accelerates by more are no body's, m/s²: six times gravity; landings of jumps reach four.
const JUMP_M_S2: f64 = 60.0;

/// Whether a path of the hips, which travels, jumps away from the cubic through its neighbours in time.
pub(super) fn jumps(path: &[DVec3], fps: f64, scale: f64) -> Vec<bool> {
    let off =
        |f: usize| path[f].distance((4.0 * (path[f - 1] + path[f + 1]) - path[f - 2] - path[f + 2]) / 6.0);
    let least = (UNREST_M * scale).max(0.5 * JUMP_M_S2 * scale / (fps * fps));
    let inside = 3..path.len().saturating_sub(3);
    let jumps = |f: usize| off(f) > least && off(f) >= off(f - 1).max(off(f + 1));
    (0..path.len()).map(|f| inside.contains(&f) && jumps(f)).collect()
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

    #[test]
    fn a_body_that_jumps_for_a_frame_is_found_and_one_that_walks_or_lands_is_not() {
        for fps in [30.0, 120.0] {
            // Hips of a walk: 1.4 m/s, up and down by 2 cm twice a second; from frame 40 on they fall and land with 4 g.
            let at = |f: f64| {
                DVec3::new(0.0, 0.9 + 0.02 * (4.0 * std::f64::consts::PI * f / fps).sin(), 1.4 * f / fps)
            };
            let mut path: Vec<DVec3> = (0..80).map(|f| at(f64::from(f))).collect();
            for (i, point) in path.iter_mut().enumerate().skip(40) {
                let t = (i - 40) as f64 / fps;
                point.y += 0.5 * 4.0 * 9.8 * t * t;
            }
            assert!(jumps(&path, fps, 1.0).iter().all(|jump| !jump), "{fps}");
            path[20].z += 0.05;
            let found = jumps(&path, fps, 1.0);
            assert_eq!((0..80).filter(|&f| found[f]).collect::<Vec<_>>(), [20], "{fps}");
        }
    }
}
