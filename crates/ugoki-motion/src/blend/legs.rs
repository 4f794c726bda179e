//! Legs bent to where their feet are led, and hips that follow them smoothly.

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::Feet;
use ugoki_feet::limb::{Knees, Leg, LegFrame, bend_leg, follow};

use super::guide::FootFix;

/// Share of a leg's length up to which it may be stretched; legs already straighter may stay so. As in planting.
const REACH: f64 = 0.985;
/// Corrections smaller than this, metres or radians, are rounding and leave a frame's bits alone.
const NOTHING: f64 = 2e-6;
/// Farthest that hips follow standing feet, metres for a leg of 0.85 m: more than walks, turns and kicks need (a tenth of
/// that and a few centimetres), less than a step. Approached smoothly; what is missing the legs have to bend.
const HIPS_MOST_M: f64 = 0.12;
/// Deviation of the Gaussian that the hips' shift passes, seconds: a foot's grip comes and goes within a fifth of a second,
/// and the hips must not jump from one foot's wish to the other's.
const HIPS_SMOOTH_S: f64 = 0.08;
/// Frames between two reports of progress.
const REPORT_EVERY: usize = 256;

/// Shifts the hips after the feet and bends the legs; gives the hips' largest shift, metres.
pub(super) fn bend_legs(
    clip: &mut Clip,
    feet: &Feet,
    fixes: &[FootFix; 2],
    progress: Progress<'_>,
) -> Result<f64, Cancelled> {
    let poses = clip.model_poses();
    let small = |v: DVec3| if v.length() < NOTHING { DVec3::ZERO } else { v };
    let leg = |frame: usize, side: usize| -> LegFrame {
        let frame_of =
            Leg::new(&poses[frame], &feet.feet[side], REACH).frame(small(fixes[side].shift[frame]));
        LegFrame { weight: fixes[side].grip[frame], ..frame_of }
    };
    let legs: Vec<[LegFrame; 2]> = (0..poses.len()).map(|frame| [leg(frame, 0), leg(frame, 1)]).collect();
    let most = HIPS_MOST_M * feet.scale();
    let hips: Vec<DVec3> = follow(&legs, clip.fps(), feet.scale())
        .into_iter()
        .map(|shift| shift.normalize_or_zero() * (most * (shift.length() / most).tanh()))
        .collect();
    let hips = smoothed(&hips, HIPS_SMOOTH_S * clip.fps());
    let changed = [0, 1].map(|side: usize| {
        let fixed =
            |frame: usize| [fixes[side].shift[frame], fixes[side].turn[frame]].map(small) != [DVec3::ZERO; 2];
        (0..poses.len()).any(|frame| hips[frame].length() > NOTHING || fixed(frame))
    });
    let mut knees = Knees::of(clip, &poses, feet, changed);
    let poles = knees.poles();
    for (frame, &shift) in hips.iter().enumerate() {
        if frame % REPORT_EVERY == 0 {
            report(progress, 0.6 + 0.4 * frame as f32 / poses.len() as f32)?;
        }
        let pose = knees.face(clip, frame, &poses[frame], 1.0);
        let moves = shift.length() > NOTHING;
        if moves {
            let root = clip.root().get(frame).as_dvec3() + shift;
            clip.root_mut().set(frame, root.as_vec3());
        }
        for ((foot, fix), pole) in feet.feet.iter().zip(fixes).zip(poles) {
            // A swinging foot goes along the ground with the hips.
            let along = if moves { shift.with_y(0.0) * (1.0 - fix.grip[frame]) } else { DVec3::ZERO };
            let (turn, ankle) = (small(fix.turn[frame]), small(fix.shift[frame]) + along);
            if moves || turn != DVec3::ZERO || ankle != DVec3::ZERO {
                bend_leg(clip, frame, pose, foot, turn, ankle, shift, REACH, pole);
            }
        }
    }
    clip.align_signs();
    Ok(hips.iter().fold(0.0, |worst: f64, shift| worst.max(shift.length())))
}

/// A path through a Gaussian of deviation `sigma` frames; beyond its ends it stays.
pub(super) fn smoothed(path: &[DVec3], sigma: f64) -> Vec<DVec3> {
    let reach = (3.0 * sigma).ceil() as isize;
    if reach == 0 {
        return path.to_vec();
    }
    let last = path.len() as isize - 1;
    (0..=last)
        .map(|i| {
            let (mut sum, mut total) = (DVec3::ZERO, 0.0);
            for k in -reach..=reach {
                let h = (-0.5 * (k as f64 / sigma).powi(2)).exp();
                sum += path[(i + k).clamp(0, last) as usize] * h;
                total += h;
            }
            sum / total
        })
        .collect()
}
