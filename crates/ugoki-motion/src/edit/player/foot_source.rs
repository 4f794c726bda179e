//! One foot of a source: where it stands, and how its swings may be bent.

use std::ops::Range;

use glam::{Quat, Vec3, Vec3A, Vec4};
use ugoki_base::contact_labels::{FootContacts, runs};
use ugoki_base::math::{angle_between, median};
use ugoki_feet::feet::config::STEP_M;

use super::interpolate::{Between, ease};
use super::swing::Swing;
use crate::edit::{EditError, FootTrack, GroundFrame};

/// One stance of the source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stance {
    pub(crate) frames: Range<usize>,
    /// Middle of its flat phase, or of its toe contact where there is none.
    pub(crate) middle: usize,
    /// Whether heel and toe ever stand together.
    pub(crate) flat: bool,
    /// The ankle at the middle, metres.
    pub(crate) ankle: Vec3,
    /// Ankle to toe at the middle, radians from +Z to the left.
    pub(crate) heading: f32,
    /// Height of the ground against where the foot stands first, metres.
    pub(crate) level: f32,
}

/// A foot over all frames, held still where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FootSource {
    pub(super) track: FootTrack,
    /// Ankle, how far the foot may roll over its toe (0 to 1), and rotation of each frame, for [`FootSource::at_frames`].
    rows: Vec<[Vec4; 2]>,
    /// Whether the heel and the toe stand.
    pub(super) holds: Vec<[bool; 2]>,
    pub(crate) stances: Vec<Stance>,
    /// Swing `i` goes from stance `i` to stance `i + 1`.
    pub(super) swings: Vec<Swing>,
    /// Height of the ankle joint when the foot stands, metres.
    pub(crate) standing_m: f32,
    /// Ankles higher than this over the standing height are on tiptoe, metres.
    pub(super) tiptoe_m: f32,
}

/// Height of the ankle from which on a foot that is never flat stands on tiptoe, metres for a leg of 0.85 m.
const TIPTOE_M: f32 = 0.02;

impl FootSource {
    pub(super) fn build(
        track: &FootTrack,
        contacts: &FootContacts,
        scale: f32,
        fade: usize,
    ) -> Result<Self, EditError> {
        let ranges = track.stances(contacts);
        let track = track.held_between(contacts, &vec![GroundFrame::HERE; ranges.len()], fade);
        let frames = track.ankle.len();
        let stands = |list: &[Range<usize>], frame: usize| list.iter().any(|range| range.contains(&frame));
        let holds: Vec<[bool; 2]> =
            (0..frames).map(|f| [stands(&contacts.heel, f), stands(&contacts.toe, f)]).collect();
        let mut stances: Vec<Stance> =
            ranges.into_iter().map(|range| stance(&track, &holds, range)).collect();
        // Flat stances tell how high an ankle stands; feet on tiptoe only where there is nothing else.
        let flat = stances.iter().any(|stance| stance.flat);
        let standing = || stances.iter().filter(|stance| stance.flat == flat);
        let first = standing().next().map_or(0.0, |stance| stance.ankle.y);
        let near: Vec<f64> = standing()
            .map(|stance| f64::from(stance.ankle.y))
            .filter(|y| (y - f64::from(first)).abs() < STEP_M * f64::from(scale))
            .collect();
        let standing_m = median(&near).unwrap_or(0.0) as f32;
        for stance in &mut stances {
            let level = stance.ankle.y - standing_m;
            stance.level = if f64::from(level.abs()) < STEP_M * f64::from(scale) { 0.0 } else { level };
        }
        let swings = stances
            .windows(2)
            .map(|pair| swing(&track, pair[0].frames.end - 1, pair[1].frames.start))
            .collect::<Result<_, _>>()?;
        let rolls = rolls(&stances, &holds, fade);
        let rows = (track.ankle.iter().zip(&track.rotation).zip(rolls))
            .map(|((ankle, &rotation), roll)| [ankle.extend(roll), rotation.into()])
            .collect();
        Ok(Self { track, rows, holds, stances, swings, standing_m, tiptoe_m: TIPTOE_M * scale })
    }

    /// Ankle and its rotation at `time`, in frames; what holds is exactly still between frames too.
    pub(super) fn at(&self, time: f64) -> (Vec3, Quat) {
        let (ankle, rotation) = self.at_frames(&Between::new(time, self.track.ankle.len()));
        (ankle.into(), rotation)
    }

    /// The same for the four frames about a time.
    #[inline]
    pub(super) fn at_frames(&self, between: &Between) -> (Vec3A, Quat) {
        let [_, from, to, _] = between.frames;
        let (a, b) = (self.holds[from], self.holds[to]);
        let (heel, toe) = (a[0] && b[0], a[1] && b[1]);
        let [ankle, rotation] = self.rows[from];
        if between.exact || (heel && toe) {
            return (Vec3A::from_vec4(ankle), Quat::from_vec4(rotation));
        }
        let [path, turn] = between.pair(&self.rows);
        let turn = Quat::from_vec4(turn).normalize();
        let stays = Vec3A::from_vec4(ankle);
        if heel {
            return (stays, turn);
        }
        if toe {
            let lever = Vec3A::from(self.track.toe);
            return (stays + Quat::from_vec4(rotation) * lever - turn * lever, turn);
        }
        (Vec3A::from_vec4(path), turn)
    }

    /// How much of [`MOST_ROLL`](ugoki_feet::feet::MOST_ROLL) the foot may roll over its toe, 0 to 1.
    #[inline]
    pub(super) fn roll_at(&self, between: &Between) -> f32 {
        let [_, from, to, _] = between.frames;
        let [_, _, c, d] = between.weights;
        let (a, b) = (self.rows[from][0].w, self.rows[to][0].w);
        a + (b - a) * (c + d).clamp(0.0, 1.0)
    }

    /// Speeds of the ankle from frame to frame, m/s.
    pub(super) fn speeds(&self, fps: f64) -> impl Iterator<Item = f64> + '_ {
        self.track.ankle.windows(2).map(move |pair| f64::from(pair[0].distance(pair[1])) * fps)
    }

    /// The stance that `time` is in or after.
    pub(crate) fn stance_before(&self, time: f64) -> Option<usize> {
        let after = self.stances.partition_point(|stance| stance.frames.start as f64 <= time);
        after.checked_sub(1)
    }

    /// Whether the foot stands at `time` in stance `i`.
    pub(super) fn stands(&self, i: usize, time: f64) -> bool {
        let frames = &self.stances[i].frames;
        time >= frames.start as f64 && time <= (frames.end - 1) as f64
    }

    /// Tables of the part of a swing from `frame` on, which lies in it, to the stance `to`.
    pub(super) fn late_swing(&self, frame: usize, to: usize) -> Result<Swing, EditError> {
        swing(&self.track, frame, self.stances[to].frames.start)
    }
}

/// In every frame how far a foot may roll over its toe, 0 to 1: from where its heel leaves the ground while the toe stands, over half of the
/// `fade`, and back over all of it after the foot lifts.
fn rolls(stances: &[Stance], holds: &[[bool; 2]], fade: usize) -> Vec<f32> {
    let ramp = (0.5 * fade as f32).max(1.0);
    let mut rolls = vec![0.0_f32; holds.len()];
    for (at, stance) in stances.iter().enumerate().filter(|(_, stance)| stance.flat) {
        let frames = stance.frames.clone();
        let Some(heel) = frames.clone().rev().find(|&frame| holds[frame][0]) else { continue };
        for (at, roll) in rolls[heel..frames.end].iter_mut().enumerate() {
            *roll = ease(at as f32 / ramp);
        }
        let last = rolls[frames.end - 1];
        let until = stances.get(at + 1).map_or(holds.len(), |next| next.frames.start);
        for (at, roll) in rolls[frames.end..until.max(frames.end)].iter_mut().enumerate() {
            *roll = last * (1.0 - ease((at + 1) as f32 / (2.0 * ramp)));
        }
    }
    rolls
}

/// Middle of the longest part of a stance in which heel and toe stand, or of the longest in which the toe does, or of all; and whether it
/// is flat there.
pub(crate) fn middle_of_stance(stands: impl Fn(usize) -> [bool; 2], frames: Range<usize>) -> (usize, bool) {
    let middle = |which: &dyn Fn([bool; 2]) -> bool| {
        let runs = runs(frames.clone(), |frame| which(stands(frame)));
        runs.into_iter().rev().max_by_key(Range::len).map(|run| (run.start + run.end - 1) / 2)
    };
    let flat = middle(&|points| points == [true; 2]);
    let shown = flat.or_else(|| middle(&|points| points[1])).or_else(|| middle(&|_| true));
    (shown.unwrap_or(frames.start), flat.is_some())
}

fn stance(track: &FootTrack, holds: &[[bool; 2]], frames: Range<usize>) -> Stance {
    let (middle, flat) = middle_of_stance(|frame| holds[frame], frames.clone());
    let ahead = track.rotation[middle] * track.toe;
    Stance { middle, flat, ankle: track.ankle[middle], heading: ahead.x.atan2(ahead.z), level: 0.0, frames }
}

fn swing(track: &FootTrack, start: usize, end: usize) -> Result<Swing, EditError> {
    let last = track.ankle.len() - 1;
    // Frames −1 to n + 1 of the swing.
    let frames: Vec<usize> = (start..=end.max(start) + 2).map(|i| i.saturating_sub(1).min(last)).collect();
    let speeds = |step: &dyn Fn(usize, usize) -> f32| -> Vec<f64> {
        frames.windows(2).map(|pair| f64::from(step(pair[0], pair[1]))).collect()
    };
    let path = speeds(&|a, b| track.ankle[a].distance(track.ankle[b]));
    let turn = speeds(&|a, b| angle_between(track.rotation[a], track.rotation[b]));
    Swing::build(start, [path, turn])
}
