//! Closing: the ends of a cycle bent to each other, its feet held over the seam, repeated.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::pose::forward_kinematics;
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{Contacts, Feet, find_feet};

use super::repeat_offset::offset;
use super::stances::{middle, repeat_labels, stays_put, through};
use super::{Cycle, CycleConfig, CycleError, LEAST_FRAMES};
use crate::edit::join::{
    BETTER, BodyTrace, FootGap, Footing, Gap, Looks, Own, Part, SourceBody, Stands, WINDOWS, bend_end,
    bend_start, concatenated, labels, moved_pose, ordinary, sample, seam_step, stand, standing_at,
    standing_labels, steadied,
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
    stands: Stands,
    feet: Option<Feet>,
    ordinary: SeamStep,
    own: Option<Own>,
    sources: SourceBody,
    mended: usize,
}

impl<'a> Closing<'a> {
    pub(super) fn new(captured: &'a Clip, contacts: Option<&Contacts>, feet_at: FeetAt) -> Self {
        let feet = find_feet(captured.skeleton()).ok();
        let contacts =
            feet.as_ref().zip(contacts).map(|(feet, found)| standing_labels(captured, found, feet).0);
        let (clip, mended) = match (&feet, &contacts) {
            (Some(feet), Some(contacts)) if feet_at == FeetAt::All => steadied(captured, contacts, feet),
            _ => (Cow::Borrowed(captured), 0),
        };
        let stands = Stands::of(&clip, contacts.as_ref());
        let own = feet.as_ref().map(|feet| Own::of(&[captured], feet));
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
        let mut offset = if stays { GroundFrame::HERE } else { offset(clip, &self.stands, frames) };
        let before = seam_step(clip, frames.end, clip, frames.start, &offset);
        report(progress, 0.2)?;
        let ordinary = self.ordinary;
        let source = Source { closing: self, frames, offset };
        // A clip that was made as a loop is closed; what would come after its last frame is only guessed, and no reason to bend it.
        let made = frames.start == motion.start && frames.end + 1 >= motion.end && before.within(&ordinary);
        let blend_s = if made { 0.0 } else { config.blend_s };
        let mut best = source.closed(blend_s, config.feet, &mut |s| progress(0.2 + 0.4 * s))?;
        for factor in &WINDOWS[1..3] {
            if blend_s == 0.0 || best.shows <= 1.0 {
                break;
            }
            let again = source.closed(factor * blend_s, config.feet, &mut |s| progress(0.6 + 0.2 * s))?;
            if again.shows < BETTER * best.shows {
                best = again;
            }
        }
        // Nor is it changed for feet that do not truly stand: on a treadmill they go with the belt.
        if made && best.seam.over(&ordinary) > before.over(&ordinary).max(1.0) {
            best = source.untouched(before)?;
        }
        let Closed { mut cycle, found, seam, body, hips_m, strain, shows } = best;
        let contacts = self.contacts.as_ref();
        let mut contacts = contacts.zip(found).map(|(contacts, feet)| Contacts { feet, ..contacts.clone() });
        if config.drift == Drift::Remove && offset != GroundFrame::HERE {
            take_out(&mut cycle, &offset);
            offset = GroundFrame::HERE;
            contacts = None;
        }
        let mut repeated = repeat(&cycle, &offset, config.cycles);
        repeated.name.clone_from(&clip.name);
        repeated.tags.clone_from(&clip.tags);
        if let Some(contacts) = &mut contacts {
            contacts.feet = contacts.feet.each_ref().map(|foot| repeat_labels(foot, period, config.cycles));
        }
        report(progress, 1.0)?;
        let mended = self.mended;
        Ok(Looped {
            clip: repeated,
            contacts,
            period,
            offset,
            before,
            seam,
            ordinary,
            body,
            sources: self.sources,
            hips_m,
            mended,
            strain,
            shows,
        })
    }
}

/// A cycle of a clip and what takes one repeat to the next.
struct Source<'a> {
    closing: &'a Closing<'a>,
    frames: &'a Range<usize>,
    offset: GroundFrame,
}

/// One repeat whose end leads on to its start.
struct Closed {
    cycle: Clip,
    found: Option<[FootContacts; 2]>,
    seam: SeamStep,
    body: SeamBody,
    hips_m: f64,
    /// What the cycle asks of legs against the source.
    strain: f64,
    /// As [`Looped::shows`].
    shows: f64,
}

impl Source<'_> {
    /// The cycle as it is, without contacts.
    fn untouched(&self, seam: SeamStep) -> Result<Closed, CycleError> {
        let mut cycle = self.closing.clip.trimmed(self.frames.clone())?;
        cycle.tpose_frame = false;
        cycle.set_source(None);
        let (body, shows) = (SeamBody::default(), seam.over(&self.closing.ordinary));
        Ok(Closed { cycle, found: None, seam, body, hips_m: 0.0, strain: 0.0, shows })
    }

    /// Bends the ends to each other over `blend_s` seconds and holds the feet.
    fn closed(&self, blend_s: f64, which: FeetAt, progress: Progress<'_>) -> Result<Closed, CycleError> {
        let Self { closing, frames, offset } = self;
        let Closing { clip, contacts, stands, feet, own, sources, .. } = closing;
        let contacts = contacts.as_ref();
        let period = frames.len();
        let half = ((0.5 * blend_s * clip.fps()).round() as usize).min((period - 1) / 2);
        let mut cycle = bent(clip, frames, offset, half)?;
        let (mut hips_m, mut strain, mut shows) = (0.0, 0.0, 0.0_f64);
        let (mut found, mut body) = (None, SeamBody::default());
        if let Some(feet) = feet {
            let parts = [-1, 0, 1].map(|k| clip.carried(&power(offset, k)));
            let tiles = [-1, 0, 1].map(|k| cycle.carried(&power(offset, k)));
            let parts = parts.each_ref().map(|part| Part { clip: part, contacts, frames: (*frames).clone() });
            let three = labels(&parts, feet).map(|foot| through(foot, period));
            let windows: Vec<Range<usize>> = (0..=3)
                .map(|k| (k * period).saturating_sub(half)..(k * period + half + 1).min(3 * period))
                .collect();
            let mut tiled = concatenated(&tiles);
            let steps = footing(clip, stands, frames, offset, half, feet);
            let footing = Footing::joined(&[-1, 0, 1].map(|k| steps.moved(&power(offset, k))));
            hips_m = stand(&mut tiled, &footing, &three, feet, which, &windows, progress)?.hips_m;
            cycle = tiled.trimmed(period..2 * period)?;
            if let Some(own) = own {
                // The seam is looked at from both sides: the cycle begins a second time in the last third.
                let about = Own::about(2 * period, half, clip.fps());
                let about = about.start.max(period)..about.end.min(3 * period);
                let strains = own.strains(&tiled, feet, &[about, period..2 * period + 1]);
                (shows, strain) = (strains[0], strains[1]);
            }
            body = BodyTrace::new(&tiled).at(2 * period);
            shows = shows.max(body.ratio(sources));
            found = Some(middle(&three, period));
        }
        let seam = seam_step(&cycle, period, &cycle, 0, offset);
        // What holding feet does shows a frame or two beside the seam.
        let two = concatenated(&[cycle.clone(), cycle.carried(offset)]);
        let near = (period - NEAR_FRAMES..=period + NEAR_FRAMES)
            .map(|at| seam_step(&two, at, &two, at, &GroundFrame::HERE).over(&closing.ordinary));
        let shows = near.fold(shows, f64::max);
        Ok(Closed { cycle, found, seam, body, hips_m, strain, shows })
    }
}

impl Cycle {
    /// The cycle of these frames, whatever its gap.
    #[must_use]
    pub fn forced(clip: &Clip, contacts: Option<&Contacts>, frames: Range<usize>) -> Self {
        let motion = clip.motion_frames();
        let (start, end) = (frames.start.max(motion.start), frames.end.min(motion.end.saturating_sub(1)));
        let gap_m = if start < end {
            let looks = Looks::of(clip, &Stands::of(clip, contacts), start..end + 1);
            looks.gap(end, &looks, start)
        } else {
            f64::NAN
        };
        Self { frames, gap_m, is_stride: false }
    }
}

/// The cycle with its ends bent to each other.
fn bent(clip: &Clip, frames: &Range<usize>, offset: &GroundFrame, half: usize) -> Result<Clip, CycleError> {
    let skeleton = clip.skeleton();
    let (start, end) = (frames.start as isize, frames.end as isize);
    let last = [end - 1, end].map(|at| sample(clip, at));
    let first = [start - 1, start].map(|at| moved_pose(skeleton, &sample(clip, at), offset));
    let rest = |joint: usize| skeleton.joint(joint).offset;
    let mut cycle = clip.trimmed(frames.clone())?;
    cycle.tpose_frame = false;
    cycle.set_source(None);
    bend_end(&mut cycle, &Gap::between(&last, &first, rest), half);
    bend_start(&mut cycle, &Gap::between(&first, &last, rest).seen_before(offset), half);
    cycle.align_signs();
    Ok(cycle)
}

/// The paths of the feet over the cycle, their ends bent to each other.
fn footing(
    clip: &Clip,
    stands: &Stands,
    frames: &Range<usize>,
    offset: &GroundFrame,
    half: usize,
    feet: &Feet,
) -> Footing {
    let skeleton = clip.skeleton();
    let (start, end) = (frames.start as isize, frames.end as isize);
    let last = [end - 1, end].map(|at| forward_kinematics(skeleton, &sample(clip, at)));
    let first = [start - 1, start]
        .map(|at| forward_kinematics(skeleton, &moved_pose(skeleton, &sample(clip, at), offset)));
    let mut footing = Footing::of(clip, frames.clone(), feet);
    let standing = standing_at(stands, frames.end - 1, stands, frames.start, clip.fps());
    let swapped = standing.map(|[here, there]| [there, here]);
    footing.bend_end(&FootGap::both(&last, &first, feet, standing), half);
    let back = FootGap::both(&first, &last, feet, swapped).map(|gap| gap.seen_before(offset));
    footing.bend_start(&back, half);
    footing
}

/// A move repeated `k` times, or undone.
fn power(offset: &GroundFrame, k: isize) -> GroundFrame {
    let step = if k < 0 {
        let back = glam::Quat::from_rotation_y(-offset.yaw);
        GroundFrame { yaw: -offset.yaw, shift: -(back * offset.shift) }
    } else {
        *offset
    };
    (0..k.unsigned_abs()).fold(GroundFrame::HERE, |so_far, _| step.after(&so_far))
}

fn repeat(cycle: &Clip, offset: &GroundFrame, cycles: usize) -> Clip {
    let mut place = GroundFrame::HERE;
    let mut all = Vec::with_capacity(cycles);
    for _ in 0..cycles {
        all.push(cycle.carried(&place));
        place = offset.after(&place);
    }
    concatenated(&all)
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
