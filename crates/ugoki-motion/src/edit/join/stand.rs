//! Feet that their labels hold stand still, swings are bent between them, hips and knees follow.

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::log64;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::Feet;
use ugoki_feet::limb::{Knees, Leg, LegFrame, away_from_contact, bend_leg, calm, follow, smooth_above};

use super::Footing;
use crate::edit::{FootTrack, GroundFrame};

/// Which standing feet are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum FeetAt {
    /// All: every labelled heel and toe stands still.
    #[default]
    All,
    /// Those that stand at a seam; all others skate as they were captured, to the last bit.
    #[cfg_attr(feature = "options", value(alias = "seams"))]
    #[serde(alias = "seams")]
    Seam,
    /// None: the motion as it was blended.
    Free,
}

/// Share of a leg's length up to which it may be stretched; legs already straighter may stay so. As in planting.
const REACH: f64 = 0.985;
/// Time over which the hips come back to their own path beside what was held, seconds.
const BESIDE_S: f64 = 0.25;
/// Corrections smaller than this, metres or radians, are rounding and leave a frame's bits alone.
const NOTHING: f64 = 1e-6;
/// A held foot may miss its place by this, metres: a tenth of the promised millimetre.
const MISS_M: f64 = 1e-4;
/// Times that hips are lowered a little more for legs that do not reach.
const ROUNDS: usize = 6;
/// Half the time over which such a lowering comes and goes, seconds.
const LOWER_S: f64 = 0.08;
/// Time over which a held foot takes up its own velocity again, seconds; as planting's fade.
const EDGE_S: f64 = 0.15;
/// Time beside a contact within which its foot becomes free, seconds, and how much a free foot's leg counts.
const FREE_S: f64 = 0.1;
const FREE_WEIGHT: f64 = 0.02;
/// Frames between two reports of progress.
const REPORT_EVERY: usize = 256;

/// What holding feet did.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::edit) struct Stood {
    /// Frames that may differ from what was given, in order, without overlap.
    pub(in crate::edit) touched: Vec<Range<usize>>,
    /// Largest shift of the hips, metres.
    pub(in crate::edit) hips_m: f64,
}

/// Holds the labelled feet of `clip`, whose own paths are `footing`; of [`FeetAt::Seam`] only stances that share a frame with `windows`.
pub(in crate::edit) fn stand(
    clip: &mut Clip,
    footing: &Footing,
    contacts: &[FootContacts; 2],
    feet: &Feet,
    which: FeetAt,
    windows: &[Range<usize>],
    progress: Progress<'_>,
) -> Result<Stood, Cancelled> {
    if which == FeetAt::Free {
        return Ok(Stood::default());
    }
    let num_frames = clip.num_frames();
    let poses = {
        let mut poses = Vec::with_capacity(num_frames);
        let mut pose = Pose { root: glam::Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        for frame in 0..num_frames {
            if frame % REPORT_EVERY == 0 {
                report(progress, 0.3 * frame as f32 / num_frames as f32)?;
            }
            clip.pose_into(frame, &mut pose);
            let mut model = ModelPose::default();
            forward_kinematics_into(clip.skeleton(), &pose, &mut model);
            poses.push(model);
        }
        poses
    };
    let mut fixes = [0, 1].map(|_| vec![[DVec3::ZERO; 2]; num_frames]);
    let mut touched = Vec::new();
    for side in 0..2 {
        let (track, foot) = (&footing.0[side], &feet.feet[side]);
        for slice in slices(&track.stances(&contacts[side]), which, windows, num_frames) {
            let labels = cut(&contacts[side], &slice);
            let part = FootTrack {
                ankle: track.ankle[slice.clone()].to_vec(),
                rotation: track.rotation[slice.clone()].to_vec(),
                toe: track.toe,
            };
            let stances = part.stances(&labels).len();
            let fade = ((EDGE_S * clip.fps()).round() as usize).max(1);
            let held = part.held(&labels, &vec![GroundFrame::HERE; stances], fade);
            for (i, fix) in fixes[side][slice.clone()].iter_mut().enumerate() {
                let pose = &poses[slice.start + i];
                let now = pose.rotations[foot.ankle].as_dquat().normalize();
                let turn = held.rotation[i].as_dquat().normalize() * now.inverse();
                *fix = [(held.ankle[i] - pose.positions[foot.ankle]).as_dvec3(), log64(turn)];
                for part in fix.iter_mut().filter(|part| part.length() < NOTHING) {
                    *part = DVec3::ZERO;
                }
            }
            touched.push(slice);
        }
    }
    report(progress, 0.5)?;
    let beside = ((BESIDE_S * clip.fps()).round() as usize).max(1);
    let touched = joined(touched, beside, num_frames);
    let shifts: Vec<Vec<DVec3>> = touched
        .iter()
        .map(|range| hips(&poses, feet, &mut fixes, contacts, range.clone(), clip.fps(), beside))
        .collect();
    let fixed = |side: usize, frame: usize| fixes[side][frame].iter().any(|fix| *fix != DVec3::ZERO);
    let moves = |shift: &DVec3| shift.length() > NOTHING;
    let hips_move = shifts.iter().flatten().any(moves);
    let changed =
        [0, 1].map(|side| hips_move || touched.iter().cloned().flatten().any(|frame| fixed(side, frame)));
    let mut knees = Knees::of(clip, touched.iter().flat_map(|range| &poses[range.clone()]), feet, changed);
    let poles = knees.poles();
    let mut hips_m = 0.0_f64;
    for (range, hips) in touched.iter().zip(&shifts) {
        for (frame, &shift) in range.clone().zip(hips) {
            if frame % REPORT_EVERY == 0 {
                report(progress, 0.5 + 0.5 * frame as f32 / num_frames as f32)?;
            }
            hips_m = hips_m.max(shift.length());
            let pose = knees.face(clip, frame, &poses[frame], fade(range, frame, num_frames, beside) as f32);
            if moves(&shift) {
                let root = clip.root().get(frame).as_dvec3() + shift;
                clip.root_mut().set(frame, root.as_vec3());
            }
            for ((side, foot), pole) in feet.feet.iter().enumerate().zip(poles) {
                let [ankle, turn] = fixes[side][frame];
                if moves(&shift) || fixed(side, frame) {
                    bend_leg(clip, frame, pose, foot, turn, ankle, shift, REACH, pole);
                }
            }
        }
    }
    clip.align_signs();
    Ok(Stood { touched, hips_m })
}

/// The stretches of a track in which stances are held: everything, or from the stance before those at seams to the one after.
fn slices(
    stances: &[Range<usize>],
    which: FeetAt,
    windows: &[Range<usize>],
    num_frames: usize,
) -> Vec<Range<usize>> {
    if which == FeetAt::All {
        // One stretch over everything, or none.
        return std::iter::once(0..num_frames).filter(|_| !stances.is_empty()).collect();
    }
    let at_seam = |stance: &Range<usize>| {
        windows.iter().any(|window| window.start < stance.end && stance.start < window.end)
    };
    let mut slices: Vec<Range<usize>> = Vec::new();
    let mut before = 0;
    let mut open: Option<usize> = None;
    for stance in stances {
        if at_seam(stance) {
            open.get_or_insert(before);
        } else {
            if let Some(start) = open.take() {
                slices.push(start..stance.start);
            }
            before = stance.end;
        }
    }
    if let Some(start) = open {
        slices.push(start..num_frames);
    }
    slices
}

fn cut(contacts: &FootContacts, slice: &Range<usize>) -> FootContacts {
    let part = |list: &[Range<usize>]| {
        list.iter()
            .map(|range| range.start.max(slice.start)..range.end.min(slice.end))
            .filter(|range| !range.is_empty())
            .map(|range| range.start - slice.start..range.end - slice.start)
            .collect()
    };
    FootContacts { heel: part(&contacts.heel), toe: part(&contacts.toe) }
}

/// Ranges widened by `beside` frames and joined where they meet.
fn joined(mut ranges: Vec<Range<usize>>, beside: usize, num_frames: usize) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let wide = range.start.saturating_sub(beside)..(range.end + beside).min(num_frames);
        match out.last_mut() {
            Some(last) if wide.start <= last.end => last.end = last.end.max(wide.end),
            _ => out.push(wide),
        }
    }
    out
}

/// Lets hips and free feet give way to jitter that was taken out of the held ones; `free` is 0 where a foot is held.
#[expect(clippy::too_many_arguments, reason = "what is known of a range of frames")]
fn calm_hips(
    poses: &[ModelPose],
    feet: &Feet,
    fixes: &mut [Vec<[DVec3; 2]>; 2],
    hips: &mut [DVec3],
    free: &[Vec<f64>; 2],
    range: &Range<usize>,
    fps: f64,
    beside: usize,
) {
    if hips.iter().all(|shift| *shift == DVec3::ZERO) {
        return;
    }
    let leg = |frame: usize, side: usize| {
        let leg = Leg::new(&poses[frame], &feet.feet[side], REACH).frame(fixes[side][frame][0]);
        LegFrame { weight: (1.0 - free[side][frame]).max(FREE_WEIGHT), ..leg }
    };
    let legs: Vec<[LegFrame; 2]> = range.clone().map(|frame| [leg(frame, 0), leg(frame, 1)]).collect();
    let path: Vec<DVec3> = poses[range.clone()].iter().map(|pose| feet.between_hips(pose)).collect();
    let calmed = calm(&legs, hips, &path, fps, feet.scale());
    for ((frame, shift), calmed) in range.clone().zip(hips).zip(calmed) {
        let calmed = calmed * fade(range, frame, poses.len(), beside);
        *shift += calmed;
        for (fixes, free) in fixes.iter_mut().zip(free) {
            fixes[frame][0] += calmed * free[frame];
        }
    }
}

/// 1 within a range, 0 at those of its ends that are not the clip's, and smoothly between over `beside` frames.
fn fade(range: &Range<usize>, frame: usize, num_frames: usize, beside: usize) -> f64 {
    let away = |open: bool, distance: usize| {
        let t = if open { (distance as f64 / beside as f64).min(1.0) } else { 1.0 };
        t * t * (3.0 - 2.0 * t)
    };
    away(range.start > 0, frame - range.start) * away(range.end < num_frames, range.end - 1 - frame)
}

/// Shift of the hips in the frames of `range`, gone at its ends unless they are the clip's.
fn hips(
    poses: &[ModelPose],
    feet: &Feet,
    fixes: &mut [Vec<[DVec3; 2]>; 2],
    contacts: &[FootContacts; 2],
    range: Range<usize>,
    fps: f64,
    beside: usize,
) -> Vec<DVec3> {
    let leg = |frame: usize, side: usize| Leg::new(&poses[frame], &feet.feet[side], REACH);
    let frames: Vec<[LegFrame; 2]> =
        range.clone().map(|frame| [0, 1].map(|side| leg(frame, side).frame(fixes[side][frame][0]))).collect();
    let fade = |frame: usize| fade(&range, frame, poses.len(), beside);
    let mut hips = follow(&frames, fps, feet.scale());
    for (frame, shift) in range.clone().zip(&mut hips) {
        *shift *= fade(frame);
    }
    let free = ((FREE_S * fps).round() as usize).max(1);
    let free = contacts.each_ref().map(|contacts| away_from_contact(contacts, poses.len(), free));
    calm_hips(poses, feet, fixes, &mut hips, &free, &range, fps, beside);
    let half = ((LOWER_S * fps).round() as usize).max(1);
    for _ in 0..ROUNDS {
        let needed: Vec<f64> = range
            .clone()
            .zip(&hips)
            .map(|(frame, &shift)| {
                let miss = |side: usize| {
                    if !contacts[side].touches(frame) {
                        return 0.0;
                    }
                    leg(frame, side).cost(shift, fixes[side][frame][0]).1
                };
                let worst = miss(0).max(miss(1));
                if worst > MISS_M { worst } else { 0.0 }
            })
            .collect();
        if needed.iter().all(|&n| n == 0.0) {
            break;
        }
        for ((frame, shift), lower) in range.clone().zip(&mut hips).zip(smooth_above(&needed, half)) {
            shift.y -= lower * fade(frame);
        }
    }
    hips
}
