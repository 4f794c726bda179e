//! The pieces put one after another by their plans: placed, bent to each other, concatenated, feet held.

use std::ops::Range;

use ugoki_base::clip::{Clip, RotationTracks, Translation, VectorTrack};
use ugoki_base::pose::{Pose, forward_kinematics};
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{Contacts, Feet};

use super::piece::{Piece, Prepared, best_cut, meeting};
use super::{
    Crossing, FeetAt, FootGap, Footing, Gap, Part, Seam, SeamBody, SeamStep, SourceBody, SpliceError,
    Spliced, SplicedClip, bend_end, bend_start, labels, ordinary, sample, seam_step, stand, standing_at,
    step_over,
};
use crate::edit::GroundFrame;

/// How one seam is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SeamPlan {
    /// How long it is spread, seconds.
    pub(super) blend_s: f64,
    /// Frames to cut off each side; `None` where the clips meet best.
    pub(super) cut: Option<[usize; 2]>,
    /// Lays hips on hips even where the same feet stand; the feet then step.
    pub(super) by_hips: bool,
}

impl Prepared {
    /// The clips joined, every seam by its plan; at most `trim_s` seconds are cut off where a plan names no cut.
    pub(super) fn splice(
        &self,
        plans: &[SeamPlan],
        trim_s: f64,
        feet_at: FeetAt,
        progress: Progress<'_>,
    ) -> Result<Spliced, SpliceError> {
        let mut pieces = self.pieces.clone();
        for (index, plan) in plans.iter().enumerate() {
            report(progress, 0.3 * index as f32 / plans.len() as f32)?;
            let (before, after) = pieces.split_at_mut(index + 1);
            let (a, b) = (&mut before[index], &mut after[0]);
            let [end, start] = plan.cut.unwrap_or_else(|| best_cut(a, b, trim_s));
            a.used.end -= end;
            b.used.start += start;
            b.placement = a.placement.after(&meeting(a, b, plan.by_hips));
        }
        let joined = join(&mut pieces, self.feet.as_ref(), plans);
        report(progress, 0.4)?;
        let mut done = finish(joined, &pieces, self.feet, feet_at, &mut |part| progress(0.4 + 0.6 * part))?;
        (done.slides, done.mended) = (self.slides, self.mended);
        Ok(done)
    }
}

/// The pieces in their places, bent to each other and put one after the other.
struct Joined {
    clip: Clip,
    starts: Vec<usize>,
    before: Vec<SeamStep>,
    windows: Vec<Range<usize>>,
    /// The paths of the feet, where there are feet, bent and as they were.
    footing: Option<[Footing; 2]>,
    crossings: Vec<Crossing>,
}

/// Puts the pieces in their places and bends them to each other, each seam by its plan.
fn join(pieces: &mut [Piece], feet: Option<&Feet>, plans: &[SeamPlan]) -> Joined {
    let fps = pieces[0].clip.fps();
    let mut starts = Vec::with_capacity(pieces.len());
    let mut total = 0;
    for piece in pieces.iter_mut() {
        piece.clip.carry(&piece.placement);
        starts.push(total);
        total += piece.used.len();
    }
    // A clip between two seams lends at most half of itself to each.
    let room = |seam: usize, index: usize| {
        let half = (0.5 * plans[seam].blend_s * fps).round() as usize;
        let len = pieces[index].used.len();
        let inner = index > 0 && index + 1 < pieces.len();
        half.min(if inner { len.saturating_sub(1) / 2 } else { len - 1 })
    };
    let mut before = Vec::new();
    let mut windows = Vec::new();
    let mut bends: Vec<[Option<(Gap, usize)>; 2]> = pieces.iter().map(|_| [None, None]).collect();
    let mut steps: Vec<Footing> = match feet {
        Some(feet) => pieces.iter().map(|p| Footing::of(&p.clip, p.used.clone(), feet)).collect(),
        None => Vec::new(),
    };
    let plain = feet.map(|_| Footing::joined(&steps));
    let mut crossings = Vec::new();
    for index in 1..pieces.len() {
        let (a, b) = (&pieces[index - 1], &pieces[index]);
        let (n, start) = (a.used.end - 1, b.used.start);
        before.push(seam_step(&a.clip, n + 1, &b.clip, start, &GroundFrame::HERE));
        let end = [0, 1].map(|k| sample(&a.clip, n as isize + k));
        let begin = [-1, 0].map(|k| sample(&b.clip, start as isize + k));
        let rest = |joint: usize| a.clip.skeleton().joint(joint).offset;
        if let Some(feet) = feet {
            let skeleton = a.clip.skeleton();
            let models = |poses: &[Pose; 2]| [0, 1].map(|k| forward_kinematics(skeleton, &poses[k]));
            let (last, first) = (models(&end), models(&begin));
            crossings.push(Crossing::between(&last, &first, feet, starts[index]));
            let stands = standing_at(&a.stands, n, &b.stands, start, fps);
            let swapped = stands.map(|[here, there]| [there, here]);
            steps[index - 1]
                .bend_end(&FootGap::both(&last, &first, feet, stands), room(index - 1, index - 1));
            steps[index].bend_start(&FootGap::both(&first, &last, feet, swapped), room(index - 1, index));
        }
        bends[index - 1][1] = Some((Gap::between(&end, &begin, rest), room(index - 1, index - 1)));
        bends[index][0] = Some((Gap::between(&begin, &end, rest), room(index - 1, index)));
        windows.push(starts[index] - room(index - 1, index - 1)..starts[index] + room(index - 1, index) + 1);
    }
    let mut bent: Vec<Clip> = Vec::with_capacity(pieces.len());
    for (piece, [start, end]) in pieces.iter().zip(bends) {
        // The frames that are used; what lies beyond has told its velocity.
        let mut part = trimmed(&piece.clip, piece.used.clone());
        if let Some((gap, window)) = start {
            bend_start(&mut part, &gap, window);
        }
        if let Some((gap, window)) = end {
            bend_end(&mut part, &gap, window);
        }
        bent.push(part);
    }
    let footing = plain.map(|plain| [Footing::joined(&steps), plain]);
    Joined { clip: concatenated(&bent), starts, before, windows, footing, crossings }
}

/// The frames `used` of a clip, without an added T-pose and without the file's own numbers.
fn trimmed(clip: &Clip, used: Range<usize>) -> Clip {
    match clip.trimmed(used) {
        Ok(mut part) => {
            part.tpose_frame = false;
            part.set_source(None);
            part
        }
        Err(error) => unreachable!("pieces keep at least one frame: {error}"),
    }
}

/// Clips of one skeleton and rate, one after another.
pub(in crate::edit) fn concatenated(clips: &[Clip]) -> Clip {
    let first = &clips[0];
    let frames: usize = clips.iter().map(Clip::num_frames).sum();
    let mut joints: Vec<usize> =
        clips.iter().flat_map(|clip| clip.translations().iter().map(|t| t.joint)).collect();
    joints.sort_unstable();
    joints.dedup();
    let path = |joint: usize| -> VectorTrack {
        clips
            .iter()
            .flat_map(|clip| (0..clip.num_frames()).map(move |f| clip.local_position(joint, f)))
            .collect()
    };
    let mut rotations = RotationTracks::identity(first.num_joints(), frames);
    for joint in 0..first.num_joints() {
        let all = clips.iter().flat_map(|clip| (0..clip.num_frames()).map(move |f| clip.rotation(joint, f)));
        for (frame, q) in all.enumerate() {
            rotations.set(joint, frame, q);
        }
    }
    let translations = joints.iter().map(|&joint| Translation { joint, track: path(joint) }).collect();
    match Clip::from_tracks(first.skeleton().clone(), first.fps(), path(0), rotations, translations) {
        Ok(mut clip) => {
            clip.name.clone_from(&first.name);
            clip.tags.clone_from(&first.tags);
            clip.align_signs();
            clip
        }
        Err(error) => unreachable!("the first clip's own rate: {error}"),
    }
}

/// Holds the feet of joined clips and measures the result.
fn finish(
    joined: Joined,
    pieces: &[Piece],
    feet: Option<Feet>,
    feet_at: FeetAt,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    let Joined { mut clip, starts, before, windows, footing, crossings } = joined;
    let mut edited = windows.clone();
    let mut hips_m = 0.0;
    let mut contacts = None;
    if let (Some(feet), Some([mut footing, plain])) = (feet, footing) {
        let parts: Vec<Part<'_>> = pieces
            .iter()
            .map(|piece| Part {
                clip: &piece.clip,
                contacts: piece.contacts.as_ref(),
                frames: piece.used.clone(),
            })
            .collect();
        let mut found = labels(&parts, &feet);
        step_over(&mut footing, &plain, &mut found, &crossings, &windows, clip.fps(), feet.scale());
        let stood = stand(&mut clip, &footing, &found, &feet, feet_at, &windows, progress)?;
        edited.extend(stood.touched);
        hips_m = stood.hips_m;
        // The floor is the first clip's; the others were put onto it.
        contacts = pieces
            .iter()
            .find_map(|piece| piece.contacts.as_ref())
            .map(|first| Contacts { feet: found, ..first.clone() });
    }
    let ordinary =
        pieces.iter().map(|piece| ordinary(&piece.clip)).fold(SeamStep::default(), |a, b| SeamStep {
            position_mm: a.position_mm.max(b.position_mm),
            velocity_mm_s: a.velocity_mm_s.max(b.velocity_mm_s),
            rotation_deg: a.rotation_deg.max(b.rotation_deg),
        });
    let fps = clip.fps();
    let seams = before
        .into_iter()
        .zip(&starts[1..])
        .map(|(before, &frame)| Seam {
            frame,
            at_s: frame as f64 / fps,
            before,
            after: seam_step(&clip, frame, &clip, frame, &GroundFrame::HERE),
            body: SeamBody::default(),
            strain: 0.0,
        })
        .collect();
    let clips = pieces
        .iter()
        .zip(&starts)
        .map(|(piece, &start)| {
            let motion = piece.clip.motion_frames();
            let cut = match piece.inserted {
                Some(_) => [0, 0],
                None => [piece.used.start - motion.start, motion.end - piece.used.end],
            };
            let moment =
                |from_s: f64| [piece.used.start, piece.used.end].map(|frame| from_s + frame as f64 / fps);
            SplicedClip {
                name: piece.clip.name.clone(),
                start,
                frames: piece.used.len(),
                trimmed_s: cut.map(|frames| frames as f64 / fps),
                placement: piece.placement,
                source: piece.used.clone(),
                turn_deg: piece.placement.yaw.to_degrees(),
                shift_m: piece.placement.shift.to_array(),
                resampled: piece.resampled,
                inserted: piece.inserted.map(moment),
            }
        })
        .collect();
    edited.sort_by_key(|range| range.start);
    Ok(Spliced {
        clip,
        contacts,
        clips,
        seams,
        ordinary,
        sources: SourceBody::default(),
        edited,
        hips_m,
        slides: 0,
        mended: 0,
        strain: 0.0,
    })
}
