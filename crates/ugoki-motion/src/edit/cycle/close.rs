//! Closing: the ends of a cycle bent to each other, its feet held over the seam, repeated.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{Contacts, Feet, find_feet};

use super::repeat_offset::offset;
use super::stances::{labels_of, repeat_labels, stays_put};
use super::{Cycle, CycleConfig, CycleError, LEAST_FRAMES};
use crate::edit::join::{
    BETTER, BodyFeatures, BodyTrace, FootPlans, Footholds, LegLimits, Part, SourceBody, WINDOWS, blended,
    concatenated, moved_pose, ordinary, seam_step, standing_labels, without_hip_glitches,
};
use crate::edit::{FeetAt, GroundFrame, SeamBody, SeamStep};

/// What becomes of the travel of a cycle over the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    /// Every repeat begins where the one before ended: a walk walks on.
    #[default]
    Keep,
    /// The mean travel is taken out: the motion stays in place, as on a treadmill.
    Remove,
}

/// Frames to either side of a seam whose steps are its own doing; fewer than the shortest cycle has.
const NEAR_FRAMES: usize = 2;
/// How far from the ends of a motion they are no longer felt, seconds: displacements of a foot that rests without a label die away by e in 1.2 s, and so
/// to 0.01 mm of 10 cm in this.
const FELT_S: f64 = 12.0;
/// Frames that a repeated cycle may have; as for resampled clips.
const MAX_FRAMES: usize = 10_000_000;

/// A closed cycle, repeated as often as was wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Looped {
    /// The result without an added T-pose.
    pub clip: Clip,
    /// Its contacts; `None` without legs, or when the travel was taken out and feet move.
    pub contacts: Option<Contacts>,
    /// Frames of one repeat.
    pub period: usize,
    /// What takes one repeat to the next.
    pub offset: GroundFrame,
    /// The step from the last frame to the first had the cycle only been cut out.
    pub before: SeamStep,
    /// The step from the last frame to the first of the next repeat.
    pub seam: SeamStep,
    /// What changes from frame to frame in the source: 99 % of its steps stay under it.
    pub ordinary: SeamStep,
    /// What the seam demands of the body; nothing without legs.
    pub body: SeamBody,
    /// What the body does in the source.
    pub sources: SourceBody,
    /// Largest shift of the hips for feet that stand, metres.
    pub hips_m: f64,
    /// Frames in which the source's hips jumped away and back over standing feet, put between their neighbours.
    pub mended: usize,
    /// How many times more than the source ever does the cycle asks of the legs, of knees' speed or of room between them; up to 1 it
    /// does not show.
    pub strain: f64,
    /// How much the seam shows, as the largest ratio of its step, of what it asks of the legs and of the hips' acceleration to what the source does; up
    /// to 1 it does not.
    pub shows: f64,
}

impl Looped {
    /// How many times as large as ordinary the seam is, in the respect in which it is largest.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.seam.over(&self.ordinary)
    }
}

/// Closes a cycle of `clip` and repeats it. `contacts` are those of the clip, where it has legs.
///
/// A seam that stays larger than what is ordinary in the clip, at which knees snap or legs meet, or at which the hips accelerate beyond what
/// the clip does, is spread longer, and the best try is given.
///
/// # Errors
/// When the cycle is not in the clip, too many repeats are asked for, or the caller stops.
pub fn close_cycle(
    clip: &Clip,
    contacts: Option<&Contacts>,
    frames: &Range<usize>,
    config: &CycleConfig,
    progress: Progress<'_>,
) -> Result<Looped, CycleError> {
    Closing::new(clip, contacts, config.feet).close(frames, config, progress)
}

/// What closing any cycle of a clip needs, built once.
pub(super) struct Closing<'a> {
    clip: Cow<'a, Clip>,
    contacts: Option<Contacts>,
    stands: Footholds,
    feet: Option<Feet>,
    ordinary: SeamStep,
    own: Option<LegLimits>,
    sources: SourceBody,
    mended: usize,
}

impl<'a> Closing<'a> {
    pub(super) fn new(captured: &'a Clip, contacts: Option<&Contacts>, feet_at: FeetAt) -> Self {
        let feet = find_feet(captured.skeleton()).ok();
        let contacts =
            feet.as_ref().zip(contacts).map(|(feet, found)| standing_labels(captured, found, feet).0);
        let (clip, mended) = match (&feet, &contacts) {
            (Some(feet), Some(contacts)) if feet_at == FeetAt::All => {
                without_hip_glitches(captured, contacts, feet)
            }
            _ => (Cow::Borrowed(captured), 0),
        };
        let stands = Footholds::of(&clip, contacts.as_ref());
        let own = feet.as_ref().map(|feet| LegLimits::of(&[captured], feet));
        let (ordinary, sources) = (ordinary(&clip), SourceBody::new(&[captured]));
        Self { clip, contacts, stands, feet, ordinary, own, sources, mended }
    }

    /// As [`close_cycle`].
    pub(super) fn close(
        &self,
        frames: &Range<usize>,
        config: &CycleConfig,
        progress: Progress<'_>,
    ) -> Result<Looped, CycleError> {
        let clip = &*self.clip;
        let motion = clip.motion_frames();
        if frames.start < motion.start || frames.end > motion.end || frames.len() < LEAST_FRAMES {
            return Err(CycleError::Range { range: frames.clone(), motion, least: LEAST_FRAMES });
        }
        if !(config.blend_s.is_finite() && config.blend_s >= 0.0) {
            return Err(CycleError::Seconds { seconds: config.blend_s });
        }
        let period = frames.len();
        let most = MAX_FRAMES / period;
        if config.cycles == 0 || config.cycles > most {
            return Err(CycleError::Cycles { cycles: config.cycles, frames: period, most });
        }
        let stays =
            self.feet.as_ref().is_some_and(|feet| stays_put(clip, self.contacts.as_ref(), frames, feet));
        let offset = if stays { GroundFrame::HERE } else { offset(clip, &self.stands, frames) };
        let before = seam_step(clip, frames.end, clip, frames.start, &offset);
        report(progress, 0.2)?;
        let ordinary = self.ordinary;
        // A clip that was made as a loop is closed; what would come after its last frame is only guessed, and no reason to bend it.
        let made = frames.start == motion.start && frames.end + 1 >= motion.end && before.within(&ordinary);
        let blend_s = if made { 0.0 } else { config.blend_s };
        let mut cut = clip.trimmed(frames.clone())?;
        cut.tpose_frame = false;
        cut.set_source(None);
        let untouched = Looped {
            clip: cut,
            contacts: None,
            period,
            offset,
            before,
            seam: before,
            ordinary,
            body: SeamBody::default(),
            sources: self.sources,
            hips_m: 0.0,
            mended: self.mended,
            strain: 0.0,
            shows: before.over(&ordinary),
        };
        let mut closed = |factor: f64, part: f32| {
            let inner = &mut |done: f32| progress(0.2 + 0.2 * (part + done));
            self.closed(&untouched, frames, factor * blend_s, config.feet, inner)
        };
        let mut best = closed(1.0, 0.0)?;
        for (part, factor) in WINDOWS.into_iter().enumerate().take(3).skip(1) {
            if blend_s == 0.0 || best.shows <= 1.0 {
                break;
            }
            let again = closed(factor, part as f32)?;
            if again.shows < BETTER * best.shows {
                best = again;
            }
        }
        // Nor is it changed for feet that do not truly stand: on a treadmill they go with the belt.
        if made && best.seam.over(&ordinary) > before.over(&ordinary).max(1.0) {
            best = untouched;
        }
        if config.drift == Drift::Remove && offset != GroundFrame::HERE {
            take_out(&mut best.clip, &offset);
            best.offset = GroundFrame::HERE;
            best.contacts = None;
        }
        let mut place = GroundFrame::HERE;
        let repeats = (0..config.cycles).map(|_| {
            let repeat = best.clip.carried(&place);
            place = best.offset.after(&place);
            repeat
        });
        let mut repeated = concatenated(&repeats.collect::<Vec<_>>());
        repeated.name.clone_from(&clip.name);
        repeated.tags.clone_from(&clip.tags);
        best.clip = repeated;
        if let Some(contacts) = &mut best.contacts {
            contacts.feet = contacts.feet.each_ref().map(|foot| repeat_labels(foot, period, config.cycles));
        }
        report(progress, 1.0)?;
        Ok(best)
    }

    /// One repeat of an `untouched` cycle with its ends bent to each other over `blend_s` seconds and its feet held.
    fn closed(
        &self,
        untouched: &Looped,
        frames: &Range<usize>,
        blend_s: f64,
        which: FeetAt,
        progress: Progress<'_>,
    ) -> Result<Looped, CycleError> {
        let (clip, contacts, offset) = (&*self.clip, self.contacts.as_ref(), &untouched.offset);
        let period = frames.len();
        let half = ((0.5 * blend_s * clip.fps()).round() as usize).min((period - 1) / 2);
        // The cycle between so many others that their ends are not felt.
        let each_side = ((FELT_S * clip.fps() / period as f64).ceil() as usize).max(1);
        let mut places = std::collections::VecDeque::from([GroundFrame::HERE]);
        for _ in 0..each_side {
            places.push_front(offset.inverse().after(&places[0]));
            places.push_back(offset.after(&places[places.len() - 1]));
        }
        let part = |&placement| Part { clip, placement, contacts, frames: frames.clone() };
        let parts: Vec<Part<'_>> = places.iter().map(part).collect();
        let middle = each_side * period..(each_side + 1) * period;
        let mut three = blended(&parts[each_side - 1..each_side + 2], &[[half; 2]; 2]);
        let mut cycle = three.trimmed(period..2 * period)?;
        three = concatenated(&[-1, 0, 1].map(|k| cycle.carried(&places[each_side.wrapping_add_signed(k)])));
        let mut done = untouched.clone();
        done.shows = 0.0;
        if let (Some(feet), Some(own)) = (&self.feet, &self.own) {
            let plans = FootPlans::new(&parts, feet).repeating();
            let window = |seam: usize| seam.saturating_sub(half)..(seam + half + 1).min(parts.len() * period);
            let windows: Vec<Range<usize>> = (0..=parts.len()).map(|k| window(k * period)).collect();
            done.hips_m = plans.hold(&mut three, middle.start - period, which, &windows, progress)?.hips_m;
            cycle = three.trimmed(period..2 * period)?;
            // The seam is looked at from both sides: the cycle begins a second time in the last third.
            let about = LegLimits::about(2 * period, half, clip.fps());
            let about = about.start.max(period)..about.end.min(3 * period);
            let strains = own.strains(&three, feet, &[about, period..2 * period + 1]);
            done.strain = strains[1];
            done.body = BodyTrace::new(&three).at(2 * period);
            done.shows = strains[0].max(done.body.ratio(&self.sources));
            let labels = labels_of(&middle, &plans.labels);
            done.contacts = contacts.map(|contacts| Contacts { feet: labels, ..contacts.clone() });
        }
        done.seam = seam_step(&cycle, period, &cycle, 0, offset);
        // What holding feet does shows a frame or two next to the seam.
        let two = concatenated(&[cycle.clone(), cycle.carried(offset)]);
        let near = (period - NEAR_FRAMES..=period + NEAR_FRAMES)
            .map(|at| seam_step(&two, at, &two, at, &GroundFrame::HERE).over(&self.ordinary));
        done.shows = near.fold(done.shows, f64::max);
        done.clip = cycle;
        Ok(done)
    }
}

impl Cycle {
    /// The cycle of these frames, whatever its gap.
    #[must_use]
    pub fn forced(clip: &Clip, contacts: Option<&Contacts>, frames: Range<usize>) -> Self {
        let motion = clip.motion_frames();
        let (start, end) = (frames.start.max(motion.start), frames.end.min(motion.end.saturating_sub(1)));
        let gap_m = if start < end {
            let features = BodyFeatures::of(clip, &Footholds::of(clip, contacts), start..end + 1);
            features.gap(end, &features, start)
        } else {
            f64::NAN
        };
        Self { frames, gap_m, is_stride: false }
    }
}

/// Takes a cycle's travel out of it, evenly over time.
fn take_out(cycle: &mut Clip, offset: &GroundFrame) {
    let period = cycle.num_frames() as f32;
    // The body turns about where it starts; its way there is undone share by share.
    let about = cycle.root().get(0);
    let travel = offset.point(about) - about;
    let whole = cycle.clone();
    for frame in 0..cycle.num_frames() {
        let share = frame as f32 / period;
        let back = GroundFrame::carrying(about + travel * share, about, -offset.yaw * share);
        let pose = moved_pose(cycle.skeleton(), &whole.pose(frame), &back);
        cycle.set_pose(frame, &pose);
    }
    cycle.align_signs();
}
