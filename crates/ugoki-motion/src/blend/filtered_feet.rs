//! Feet of a filtered motion: those that stand in the source stand still at their places, at their height.
//!
//! A filter moves the joints of a leg each on its own, so standing feet slide and sink.
//!
//! ```text
//! source ─contact→ stances with their places ─plan→ FootPlan ─track→ paths of the filtered feet through them ─solve→ hips and legs
//! ```

use std::fmt;
use std::ops::Range;

use glam::DVec3;
use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::{ContactConfig, Contacts, find_contacts, find_feet};
use ugoki_feet::feet::{FeetSolution, FootPath, FootPlan, HipsConfig, Stance, standing_contacts, track};

/// Feet that moved less than this are as they were, metres: rounding.
const UNCHANGED_M: f64 = 1e-5;

/// Factor of a capture's noise above which its feet are looked for in the filtered motion. Not swept: between clean captures (1) and the
/// sample walk with 2° of jitter.
const NOISY: f64 = 1.5;

/// What holding the feet of a filtered motion did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FilteredFeet {
    /// Stances of heels and toes that were held.
    pub stances: usize,
    /// Mean speed of standing heels and toes, mm/s: in the source, filtered, and held.
    pub slide_mm_s: [f64; 3],
    /// How much lower a standing heel or toe comes than in the source, mm: filtered, and held.
    pub sunk_mm: [f64; 2],
    /// The farthest that the hips were moved, mm.
    pub hips_mm: f64,
}

impl fmt::Display for FilteredFeet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stances, slide_mm_s: [source, filtered, held], hips_mm, .. } = self;
        write!(
            f,
            "feet       {stances} stances held; slide {held:.1} mm/s ({source:.1} in the source, {filtered:.1} without), hips moved by up to \
             {hips_mm:.0} mm"
        )
    }
}

/// Holds the feet of `changed` that stand in `source`, frame by frame; nothing where legs are not known, nothing stands, or no foot moved.
///
/// # Errors
/// When the caller stops.
///
/// # Panics
/// When the clips differ in skeleton or length.
pub fn hold_filtered_feet(
    source: &Clip,
    changed: &Clip,
    progress: Progress<'_>,
) -> Result<Option<(Clip, FilteredFeet)>, Cancelled> {
    assert!(source.skeleton() == changed.skeleton() && source.num_frames() == changed.num_frames());
    let motion = source.motion_frames();
    let inside =
        |clip: &Clip| clip.trimmed(motion.clone()).expect("the motion frames of a clip are a range of it");
    let captured = inside(source);
    let (Ok(feet), Ok(contacts)) =
        (find_feet(source.skeleton()), find_contacts(&captured, &ContactConfig::default()))
    else {
        return Ok(None);
    };
    report(progress, 0.2)?;
    let mut clip = inside(changed);
    // Noise hides where feet stand and how they face; the filter has removed it.
    let denoised = match contacts.noise > NOISY {
        true => find_contacts(&clip, &ContactConfig::default()).ok(),
        false => None,
    };
    let (reference, contacts) = denoised.map_or((&captured, contacts), |contacts| (&clip, contacts));
    let Ok(standing) = standing_contacts(reference, &contacts) else { return Ok(None) };
    let (source, was) = (FootPath::both(&captured, &feet), FootPath::both(reference, &feet));
    let plain = FootPath::both(&clip, &feet);
    let stances = [0, 1].map(|side| stances(&was[side], &standing.feet[side]));
    let num_stances: usize = stances.iter().map(Vec::len).sum();
    if num_stances == 0 || source.iter().zip(&plain).all(|(a, b)| same(a, b)) {
        return Ok(None);
    }
    let (fps, scale) = (clip.fps(), feet.scale());
    let shifts = [0, 1].map(|side| {
        let lowest = |heel: bool| was[side].point(heel).iter().fold(f64::INFINITY, |low, p| low.min(p.y));
        let floor = [lowest(true), lowest(false)];
        let mut plan = FootPlan::from_stances(&plain[side], &stances[side], Some(&was[side]), floor, scale);
        // Where a foot stands on heel and toe it faces as captured.
        for frame in standing.feet[side].flat().into_iter().flatten() {
            plan.facing[frame] = was[side].rotation[frame];
        }
        track(&plain[side], &plan, fps, scale)
    });
    report(progress, 0.4)?;
    let poses = clip.model_poses();
    let solution =
        FeetSolution::solve(&poses, &feet, shifts, vec![1.0; poses.len()], HipsConfig::default(), fps);
    solution.apply(&mut clip, &poses, &feet, &mut |part| progress(0.5 + 0.4 * part))?;
    let held = FootPath::both(&clip, &feet);
    let slide = |paths: &[FootPath; 2]| slide_mm_s(paths, &standing, fps);
    let found = FilteredFeet {
        stances: num_stances,
        slide_mm_s: [slide(&source), slide(&plain), slide(&held)],
        sunk_mm: [sunk_mm(&was, &plain, &standing), sunk_mm(&was, &held, &standing)],
        hips_mm: 1e3 * solution.hips_m(),
    };
    let mut result = changed.clone();
    for frame in 0..clip.num_frames() {
        result.set_pose(motion.start + frame, &clip.pose(frame));
    }
    result.align_signs();
    Ok(Some((result, found)))
}

/// Stances at the mean places of the captured foot.
fn stances(path: &FootPath, standing: &FootContacts) -> Vec<Stance> {
    let of = |heel: bool, list: &[Range<usize>]| -> Vec<Stance> {
        let place = |frames: &Range<usize>| {
            let points = &path.point(heel)[frames.clone()];
            points.iter().sum::<DVec3>() / points.len() as f64
        };
        let list = list.iter().filter(|frames| !frames.is_empty());
        list.map(|frames| Stance { heel, frames: frames.clone(), anchor: place(frames) }).collect()
    };
    let mut list = of(true, &standing.heel);
    list.extend(of(false, &standing.toe));
    list
}

fn same(a: &FootPath, b: &FootPath) -> bool {
    let near = |p: &[DVec3], q: &[DVec3]| p.iter().zip(q).all(|(p, q)| p.distance(*q) < UNCHANGED_M);
    near(&a.ankle, &b.ankle) && near(&a.toe, &b.toe)
}

/// Calls `visit` with side, heel and frames of every stance.
fn each_stance(standing: &Contacts, mut visit: impl FnMut(usize, bool, &Range<usize>)) {
    for (side, foot) in standing.feet.iter().enumerate() {
        foot.heel.iter().for_each(|frames| visit(side, true, frames));
        foot.toe.iter().for_each(|frames| visit(side, false, frames));
    }
}

/// Mean speed of standing points over the ground.
fn slide_mm_s(paths: &[FootPath; 2], standing: &Contacts, fps: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    each_stance(standing, |side, heel, frames| {
        for pair in paths[side].point(heel)[frames.clone()].windows(2) {
            sum += 1e3 * fps * (pair[1] - pair[0]).with_y(0.0).length();
            count += 1;
        }
    });
    sum / f64::from(count.max(1))
}

/// How much lower a standing point comes than in the source.
fn sunk_mm(was: &[FootPath; 2], now: &[FootPath; 2], standing: &Contacts) -> f64 {
    let mut worst = 0.0_f64;
    each_stance(standing, |side, heel, frames| {
        let lowest = |paths: &[FootPath; 2]| {
            paths[side].point(heel)[frames.clone()].iter().fold(f64::INFINITY, |low, p| low.min(p.y))
        };
        worst = worst.max(1e3 * (lowest(was) - lowest(now)));
    });
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::no_progress;
    use ugoki_base::signal::{FilterConfig, Kernel, filter};
    use ugoki_testing::walker::Walk;

    fn filtered(clip: &Clip, kernel: &str) -> Clip {
        let kernel = Kernel::build(&kernel.parse().unwrap()).unwrap();
        filter(clip, &kernel, FilterConfig::default(), &mut no_progress()).unwrap().clip
    }

    #[test]
    fn feet_of_a_smoothed_walk_stand_where_they_stood() {
        let clip = Walk::default().clip(60.0);
        for kernel in ["gauss:4", "box:51"] {
            let smooth = filtered(&clip, kernel);
            let (_, found) = hold_filtered_feet(&clip, &smooth, &mut no_progress()).unwrap().unwrap();
            let [source, plain, held] = found.slide_mm_s;
            assert!(plain > 2.0 * source + 10.0, "{kernel}: {found:?}");
            // A millimetre per second: the stiffness with which feet are held.
            assert!(held < source + 1.0, "{kernel}: {found:?}");
            // A foot that stands on heel or toe alone keeps the tilt that the filter gave it.
            assert!(found.sunk_mm[1] < 1.0 + 0.1 * found.sunk_mm[0], "{kernel}: {found:?}");
        }
    }

    #[test]
    fn a_motion_that_no_filter_changed_keeps_its_bits() {
        let clip = Walk::default().clip(60.0);
        assert_eq!(hold_filtered_feet(&clip, &clip, &mut no_progress()).unwrap(), None);
    }
}
