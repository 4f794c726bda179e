//! The pieces put one after another by their plans: placed, bent to each other, concatenated, feet held.

use ugoki_base::{Progress, report};
use ugoki_feet::contact::Contacts;

use super::piece::{Piece, Prepared, best_cut, meeting};
use super::{
    FeetAt, FootPlans, Part, Seam, SeamBody, SeamStep, SourceBody, SpliceError, Spliced, SplicedClip,
    blended, ordinary, seam_step,
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
        let parts: Vec<Part<'_>> = pieces
            .iter()
            .map(|piece| Part {
                clip: &piece.clip,
                placement: piece.placement,
                contacts: piece.contacts.as_ref(),
                frames: piece.used.clone(),
            })
            .collect();
        let fps = pieces[0].clip.fps();
        // A clip between two seams lends at most half of itself to each.
        let room = |seam: usize, index: usize| {
            let half = (0.5 * plans[seam].blend_s * fps).round() as usize;
            let len = pieces[index].used.len();
            let inner = index > 0 && index + 1 < pieces.len();
            half.min(if inner { len.saturating_sub(1) / 2 } else { len - 1 })
        };
        let rooms: Vec<[usize; 2]> =
            (0..plans.len()).map(|seam| [room(seam, seam), room(seam, seam + 1)]).collect();
        let mut clip = blended(&parts, &rooms);
        let mut starts = vec![0];
        pieces.iter().for_each(|piece| starts.push(starts[starts.len() - 1] + piece.used.len()));
        let windows: Vec<_> = rooms
            .iter()
            .zip(&starts[1..])
            .map(|([before, after], seam)| seam - before..seam + after + 1)
            .collect();
        report(progress, 0.4)?;

        let (mut edited, mut hips_m, mut contacts) = (windows.clone(), 0.0, None);
        if let Some(feet) = &self.feet {
            let plans = FootPlans::new(&parts, feet).with_corrective_steps();
            let held = plans.hold(&mut clip, 0, feet_at, &windows, &mut |part| progress(0.4 + 0.6 * part))?;
            edited.extend(held.touched);
            hips_m = held.hips_m;
            // The floor is the first clip's; the others were put onto it.
            let first = pieces.iter().find_map(|piece| piece.contacts.as_ref());
            contacts = first.map(|first| Contacts { feet: plans.labels, ..first.clone() });
        }
        edited.sort_by_key(|range| range.start);
        let seams = parts.windows(2).zip(&starts[1..]).map(|(pair, &frame)| {
            let (a, b) = (&pair[0], &pair[1]);
            let there = a.placement.inverse().after(&b.placement);
            Seam {
                frame,
                at_s: frame as f64 / fps,
                before: seam_step(a.clip, a.frames.end, b.clip, b.frames.start, &there),
                after: seam_step(&clip, frame, &clip, frame, &GroundFrame::HERE),
                body: SeamBody::default(),
                strain: 0.0,
            }
        });
        let ordinary =
            pieces.iter().map(|piece| ordinary(&piece.clip)).fold(SeamStep::default(), |a, b| a.max(&b));
        Ok(Spliced {
            seams: seams.collect(),
            clips: pieces.iter().zip(&starts).map(|(piece, &start)| piece.result(start)).collect(),
            clip,
            contacts,
            ordinary,
            sources: SourceBody::default(),
            edited,
            hips_m,
            slides: pieces.iter().map(|piece| piece.slides).sum(),
            mended: pieces.iter().map(|piece| piece.mended).sum(),
            strain: 0.0,
        })
    }
}

impl Piece {
    /// What became of it in a result in which it begins at frame `start`.
    fn result(&self, start: usize) -> SplicedClip {
        let (fps, motion) = (self.clip.fps(), self.clip.motion_frames());
        let cut = match self.inserted {
            Some(_) => [0, 0],
            None => [self.used.start - motion.start, motion.end - self.used.end],
        };
        let moments = |from_s: f64| [self.used.start, self.used.end].map(|frame| from_s + frame as f64 / fps);
        SplicedClip {
            name: self.clip.name.clone(),
            start,
            frames: self.used.len(),
            trimmed_s: cut.map(|frames| frames as f64 / fps),
            placement: self.placement,
            source: self.used.clone(),
            turn_deg: self.placement.yaw.to_degrees(),
            shift_m: self.placement.shift.to_array(),
            resampled: self.resampled,
            inserted: self.inserted.map(moments),
        }
    }
}
