//! Feet that their labels hold stand still, swings are bent between them, hips and knees follow.

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::{log64, smoothstep};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::Feet;
use ugoki_feet::feet::{FeetSolution, FootShift, HipsConfig, grip};

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

/// Time over which the hips come back to their own path next to what was held, seconds.
const BESIDE_S: f64 = 0.25;
/// Time over which a held foot takes up its own velocity again, seconds; as planting's fade.
const EDGE_S: f64 = 0.15;
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
    let mut fixes = [0, 1].map(|side| FootShift {
        shift: vec![DVec3::ZERO; num_frames],
        turn: vec![DVec3::ZERO; num_frames],
        grip: grip(&contacts[side], num_frames, clip.fps()),
        led: vec![1.0; num_frames],
    });
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
            for (i, frame) in slice.clone().enumerate() {
                let pose = &poses[frame];
                let now = pose.rotations[foot.ankle].as_dquat().normalize();
                let turn = held.rotation[i].as_dquat().normalize() * now.inverse();
                fixes[side].shift[frame] = (held.ankle[i] - pose.positions[foot.ankle]).as_dvec3();
                fixes[side].turn[frame] = log64(turn);
            }
            touched.push(slice);
        }
    }
    report(progress, 0.5)?;
    let beside = ((BESIDE_S * clip.fps()).round() as usize).max(1);
    let touched = joined(touched, beside, num_frames);
    let mut weight = vec![0.0; num_frames];
    for range in &touched {
        for frame in range.clone() {
            weight[frame] = fade(range, frame, num_frames, beside);
        }
    }
    let hips = HipsConfig { calm: true, exact: true, ..HipsConfig::default() };
    let solution = FeetSolution::solve(&poses, feet, fixes, weight, hips, clip.fps());
    solution.apply(clip, &poses, feet, &mut |part| progress(0.5 + 0.5 * part))?;
    Ok(Stood { touched, hips_m: solution.hips_m() })
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

/// 1 within a range, 0 at those of its ends that are not the clip's, and smoothly between over `beside` frames.
fn fade(range: &Range<usize>, frame: usize, num_frames: usize, beside: usize) -> f64 {
    let away = |open: bool, distance: usize| {
        if open { smoothstep(distance as f64 / beside as f64) } else { 1.0 }
    };
    away(range.start > 0, frame - range.start) * away(range.end < num_frames, range.end - 1 - frame)
}
