//! Finding and closing a cycle in one call, with a report.

use std::ops::Range;

use serde::Serialize;
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, ContactCoverage, find_contacts};

use super::close::Closing;
use super::find::{Found, STRAIGHT_COST, choose, find_cycles};
use super::{Cycle, CycleConfig, CycleError, Looped, Pick};
use crate::edit::{FeetAt, SeamStep};

/// Slide of a foot at the seam that counts as much as a seam that begins to show, millimetres.
const SLIDE_MM: f64 = 40.0;

/// A stride or hop whose seam shows more than this is left for another cycle that closes without showing.
const SHOWS: f64 = 1.25;

/// What was found and closed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CycleReport {
    /// First moment of the cycle in the source, seconds.
    pub start_s: f64,
    /// The moment that is like it, seconds.
    pub end_s: f64,
    /// Length of the cycle, seconds.
    pub seconds: f64,
    /// Length of the cycle, frames.
    pub frames: usize,
    /// Repeats made.
    pub cycles: usize,
    /// Whether the cycle is one stride of a gait.
    pub is_stride: bool,
    /// How far the cycle's ends were apart, metres of pose and velocity together; not finite when that is not known.
    pub gap_m: f64,
    /// Step from the last frame to the first of the next repeat.
    pub seam: SeamStep,
    /// The same had the cycle only been cut out.
    pub cut: SeamStep,
    /// What changes from frame to frame in the source: 99 % of its steps stay under it.
    pub ordinary: SeamStep,
    /// Way from one repeat to the next, metres: x, y, z.
    pub travel_m: [f32; 3],
    /// Turn about the vertical from one repeat to the next, degrees.
    pub turn_deg: f32,
    /// Frames in which hips jumped away and back over standing feet, put between their neighbours.
    pub mended: usize,
    /// How many times more than the source ever does the cycle asks of the legs: of knees' speed or of room between them.
    pub strain: f64,
    /// How the contacts that are held compare with those that are found in the result.
    pub held: Option<ContactCoverage>,
}

/// Finds the cycle of a clip, or takes `frames` as one, and closes it. The result has contacts only where feet are held.
///
/// # Errors
/// When nothing in the motion comes back, the cycle cannot be closed, or the caller stops.
pub fn loop_clip(
    clip: &Clip,
    frames: Option<Range<usize>>,
    config: &CycleConfig,
    progress: Progress<'_>,
) -> Result<(Looped, CycleReport), CycleError> {
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let closing = Closing::new(clip, contacts.as_ref(), config.feet);
    let is_found = frames.is_none();
    let found = match frames {
        None => find_cycles(clip, contacts.as_ref(), config, &mut |part| progress(0.4 * part))?,
        Some(frames) => {
            // An added T-pose is no part of a motion.
            let start = frames.start.max(clip.motion_frames().start);
            vec![Found::from(Cycle::forced(clip, contacts.as_ref(), start..frames.end.max(start)))]
        }
    };
    let mut best = best_closed(found, &closing, config, &mut |part| progress(0.4 + 0.4 * part))?;
    if is_found && best.1.shows > SHOWS && best.0.is_stride && config.pick == Pick::Best {
        // Strides and hops that do not close well: any other cycle that does.
        let longest = CycleConfig { pick: Pick::Longest, ..*config };
        if let Ok(found) =
            find_cycles(clip, contacts.as_ref(), &longest, &mut |part| progress(0.8 + 0.1 * part))
        {
            let other = best_closed(found, &closing, config, &mut |part| progress(0.9 + 0.1 * part))?;
            // Nor does one that turns replace a straight one.
            let turns = other.1.offset.yaw != 0.0 && best.1.offset.yaw == 0.0;
            if other.1.shows <= 1.0 && !turns {
                best = other;
            }
        }
    }
    let (cycle, mut looped) = best;
    looped.contacts = looped.contacts.filter(|_| config.feet != FeetAt::Free);
    let fps = clip.fps();
    let second = |frame: usize| (frame + clip.first_row()) as f64 / fps;
    let start = clip.root().get(cycle.frames.start);
    let held = looped.contacts.as_ref();
    let report = CycleReport {
        start_s: second(cycle.frames.start),
        end_s: second(cycle.frames.end),
        seconds: looped.period as f64 / fps,
        frames: looped.period,
        cycles: config.cycles,
        is_stride: cycle.is_stride,
        gap_m: cycle.gap_m,
        seam: looped.seam,
        cut: looped.before,
        ordinary: looped.ordinary,
        travel_m: (looped.offset.point(start) - start).to_array(),
        turn_deg: looped.offset.yaw.to_degrees(),
        mended: looped.mended,
        strain: looped.strain,
        held: held.and_then(|contacts| ContactCoverage::measure(&looped.clip, &contacts.feet)),
    };
    Ok((looped, report))
}

/// Closes all these cycles and takes the best, judged by what came of it; a straight one if it closes nearly as well, or if only those are
/// wanted.
fn best_closed(
    found: Vec<Found>,
    closing: &Closing<'_>,
    config: &CycleConfig,
    progress: Progress<'_>,
) -> Result<(Cycle, Looped), CycleError> {
    let mut closed = Vec::with_capacity(found.len());
    let count = found.len() as f32;
    for (index, found) in found.into_iter().enumerate() {
        let part = |part: f32| (index as f32 + part) / count;
        let looped = closing.close(&found.cycle.frames, config, &mut |done| progress(part(done)))?;
        closed.push((found, looped));
    }
    let score = |(found, looped): &(Found, Looped)| {
        let body = looped.body.ratio(&looped.sources) + looped.body.slide_mm / SLIDE_MM;
        looped.shows + body + found.cost / config.gate_m
    };
    let least = closed.iter().map(|closed| closed.0.cost).fold(f64::INFINITY, f64::min);
    let nearly = |straight: &(Found, Looped), best: &(Found, Looped)| {
        // By the ends alone, or by what came of them.
        (straight.0.cost <= STRAIGHT_COST * least && straight.1.shows <= SHOWS)
            || straight.1.shows <= (STRAIGHT_COST * best.1.shows).max(1.0)
    };
    let chosen = choose(&closed, config.straight, |closed| closed.0.is_straight, score, nearly);
    let chosen = chosen.ok_or(CycleError::Still)?;
    let (found, looped) = closed.swap_remove(chosen);
    Ok((found.cycle, looped))
}

impl CycleReport {
    /// The seam compared with a plain cut and with ordinary steps, as a table.
    #[must_use]
    pub fn table(&self) -> String {
        let (s, c, o) = (&self.seam, &self.cut, &self.ordinary);
        let mut table =
            format!("  {:<24} {:>10} {:>10} {:>10}", "over the seam", "cut", "closed", "ordinary");
        for (name, cut, closed, usual) in [
            ("step, mm", c.position_mm, s.position_mm, o.position_mm),
            ("velocity change, mm/s", c.velocity_mm_s, s.velocity_mm_s, o.velocity_mm_s),
            ("joint turn, °", c.rotation_deg, s.rotation_deg, o.rotation_deg),
        ] {
            table += &format!("\n  {name:<24} {cut:>10.2} {closed:>10.2} {usual:>10.2}");
        }
        table
    }

    /// How far every repeat goes on from the one before, in a few words.
    #[must_use]
    pub fn travel_note(&self) -> String {
        let [x, y, z] = self.travel_m;
        if self.travel_m == [0.0; 3] && self.turn_deg == 0.0 {
            return "every repeat stays in its place".to_owned();
        }
        let mut note = format!("every repeat goes on by {:.2} m", x.hypot(z));
        if y != 0.0 {
            note += &format!(", {:.2} m {}", y.abs(), if y > 0.0 { "up" } else { "down" });
        }
        if self.turn_deg != 0.0 {
            note += &format!(", turned {:.1}°", self.turn_deg);
        }
        note
    }
}
