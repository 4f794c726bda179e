//! What both feet do over joined clips: stances with anchors carried over the seams, corrective steps, and holding them with the kernel.
//!
//! ```text
//! labels of the clips ─seams→ stances with anchors ─corrective steps→ FootPlan ─track→ shifts of the feet ─FeetSolution→ hips and legs
//! ```
//!
//! A foot that stands on both sides of a seam keeps one place if its places are near each other. Otherwise it takes a corrective step: its
//! stances give way, and it goes from the one to the other in a bell. One that swings anyhow lands where the next clip has it.

use std::ops::Range;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::{exp64, log64, mean64, minimum_jerk, smoothstep};
use ugoki_base::pose::ModelPose;
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::Feet;
use ugoki_feet::feet::{
    FeetSolution, FootPath, FootPlan, FootShift, HipsConfig, Stance, smooth_above, track,
};

use super::labels::{Part, joined_labels};

/// Feet nearer than this are in one place, metres for a leg of 0.85 m: held, they give way by no more.
pub(super) const SAME_M: f64 = 0.02;
/// No swing of any gait is shorter, seconds: a foot that is off the ground for less only seems to be, and one that stands this near to a seam
/// stands there.
pub(super) const SWING_S: f64 = 0.15;
/// Time for a step of a metre, seconds; others take the square root of their length, so that all accelerate alike: by 5.8 m/s² at most, as
/// paths of least jerk do. Below what seams may show, and a side step of 0.15 m takes 0.39 s.
const STEP_S: f64 = 1.0;
/// No step takes less or more, seconds: a quick side step, and a slow walk's swing.
const STEP_RANGE_S: [f64; 2] = [0.3, 0.7];
/// How high a foot is lifted, metres for a leg of 0.85 m: for the shortest step, for each metre of its length, and at most.
const LIFT_M: [f64; 3] = [0.04, 0.15, 0.09];
/// A swing that goes farther than captured clears the ground by this part of the way to its nearer end: as toes of walks do.
const CLEAR: f64 = 0.35;
/// Part of a step's time at either end in which the foot goes straight up or down.
const UP: f64 = 0.15;
/// Time over which the hips come back to their own path next to what was held, seconds: what legs do there is the seam's doing.
pub(super) const RETURN_S: f64 = 0.25;

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

/// What holding feet did.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::edit) struct Held {
    /// Frames that may differ from what was given, in order, without overlap.
    pub(in crate::edit) touched: Vec<Range<usize>>,
    /// Largest shift of the hips, metres.
    pub(in crate::edit) hips_m: f64,
}

/// What both feet do over joined clips.
pub(in crate::edit) struct FootPlans<'a> {
    feet: &'a Feet,
    fps: f64,
    /// First frames of the clips after the first.
    seams: Vec<usize>,
    /// When heels and toes stand.
    pub(in crate::edit) labels: [FootContacts; 2],
    /// The feet as the clips have them in their places.
    source: [FootPath; 2],
    /// Frames of corrective steps.
    steps: [Vec<Range<usize>>; 2],
    /// Frames of swings that go farther than captured, and by how much, metres.
    swings: [Vec<(Range<usize>, f64)>; 2],
}

impl<'a> FootPlans<'a> {
    /// Of clips in their places, one after another.
    pub(in crate::edit) fn new(parts: &[Part<'_>], feet: &'a Feet) -> Self {
        let fps = parts[0].clip.fps();
        let frames = |part: &Part<'_>| part.frames.clone().map(|frame| part.clip.model_pose(frame)).collect();
        let poses: Vec<ModelPose> = parts.iter().flat_map(|part| -> Vec<_> { frames(part) }).collect();
        let source = feet.feet.each_ref().map(|foot| FootPath::build(&poses, foot, fps, feet.scale()));
        let mut end = 0;
        let ends = parts.iter().map(|part| {
            end += part.frames.len();
            end
        });
        let mut seams: Vec<usize> = ends.collect();
        seams.pop();
        let near = ((SWING_S * fps).round() as usize).max(1);
        let labels = joined_labels(parts, &source, near, feet.scale());
        Self { feet, fps, seams, labels, source, steps: Default::default(), swings: Default::default() }
    }

    /// Lets feet that two clips have in different places step from the one to the other.
    pub(in crate::edit) fn with_corrective_steps(mut self) -> Self {
        for seam in self.seams.clone() {
            let free = [0, 1].map(|side| self.missing_step(side, seam));
            let both = free.iter().all(Option::is_some);
            for (side, free) in free.into_iter().enumerate() {
                let Some(free) = free else { continue };
                // One foot after the other: the body has to stand on one.
                let other = &self.labels[1 - side];
                let in_air = |free: &Range<usize>| free.clone().filter(|&f| !other.touches(f)).count();
                let times = if both { &[[1.0, 0.0][side]][..] } else { &[0.5, 0.0, 1.0] };
                let timed = times.iter().map(|&early| self.room_for(side, &free, early));
                let Some(free) = timed.min_by_key(in_air) else { continue };
                give_way(&mut self.labels[side], &free);
                self.steps[side].push(free);
            }
        }
        self
    }

    /// The middle of a foot as the clips have it.
    fn middle(&self, side: usize, frame: usize) -> DVec3 {
        0.5 * (self.source[side].ankle[frame] + self.source[side].toe[frame])
    }

    /// The frames between two stances at a seam in which no captured swing brings the foot from one to the other. Swings that bring it there are noted.
    fn missing_step(&mut self, side: usize, seam: usize) -> Option<Range<usize>> {
        let stances = self.labels[side].any();
        let first = stances.iter().rposition(|stance| stance.start < seam)?;
        let last = stances.iter().position(|stance| stance.end > seam)?;
        let end = self.source[side].num_frames() - 1;
        let at = |frame: usize| self.middle(side, frame.min(end));
        let pace = at(seam - 1) - at(seam.saturating_sub(2)) + at(seam + 1) - at(seam);
        let miss_m = (at(seam) - at(seam - 1) - 0.5 * pace).length();
        if miss_m < SAME_M * self.feet.scale() {
            return None;
        }
        if first == last {
            // Held in one place, the foot goes the missing way in the swings next to this stance.
            let next_to = stances[first.saturating_sub(1)..].windows(2).take(1 + first.min(1));
            self.swings[side].extend(next_to.map(|pair| (pair[0].end..pair[1].start, miss_m)));
            return None;
        }
        let free = stances[first].end..stances[last].start;
        let (from, to) = (at(free.start - 1), at(free.end));
        // A foot that is lifted as high as a step of that length would lift it, in a kick or a jump, needs no other step.
        let rises = free.clone().map(|frame| at(frame).y - from.y.max(to.y)).fold(0.0, f64::max);
        let goes = miss_m < 0.5 * over_ground(to - from) || rises >= self.lift_m(miss_m);
        if goes && free.len() as f64 > SWING_S * self.fps {
            self.swings[side].push((free, miss_m));
            return None;
        }
        Some(free)
    }

    /// How high a step of some length lifts the foot, metres.
    fn lift_m(&self, way_m: f64) -> f64 {
        let ([least, per_metre, most], scale) = (LIFT_M, self.feet.scale());
        (least * scale + per_metre * way_m).min(most * scale)
    }

    /// The frames of a step if the stances next to it give way until there is time for it; `early` is the part of that before it.
    fn room_for(&self, side: usize, free: &Range<usize>, early: f64) -> Range<usize> {
        let way = over_ground(self.middle(side, free.end) - self.middle(side, free.start - 1));
        let [least, most] = STEP_RANGE_S;
        let wanted = (STEP_S * (way / self.feet.scale()).sqrt()).clamp(least, most) * self.fps;
        let lacks = (wanted.ceil() as usize).saturating_sub(free.len());
        let stances = self.labels[side].any();
        // A stance keeps two frames.
        let room = |is_next: &dyn Fn(&Range<usize>) -> bool| {
            stances.iter().find(|stance| is_next(stance)).map_or(0, |stance| stance.len().saturating_sub(2))
        };
        let (room_before, room_after) = (room(&|s| s.end == free.start), room(&|s| s.start == free.end));
        let before = ((early * lacks as f64).round() as usize).min(room_before);
        let after = (lacks - before).min(room_after);
        let before = (lacks - after).min(room_before);
        free.start - before..free.end + after
    }

    /// Replaces a foot's path over a corrective step: straight over the ground between where it was bent to, lifted in a bell.
    fn step(&self, side: usize, free: &Range<usize>, path: &mut FootPath) {
        let (from, to) = (free.start - 1, free.end);
        let lift = self.lift_m(over_ground(self.middle(side, to) - self.middle(side, from)));
        let (ankles, turns) = ([from, to].map(|at| path.ankle[at]), [from, to].map(|at| path.rotation[at]));
        let arm = turns[0].conjugate() * (path.toe[from] - path.ankle[from]);
        for frame in free.clone() {
            let u = (frame - from) as f64 / (to - from) as f64;
            let along = minimum_jerk((u - UP) / (1.0 - 2.0 * UP));
            let up = DVec3::Y * lift * (std::f64::consts::PI * u).sin().powi(2);
            path.ankle[frame] = ankles[0].lerp(ankles[1], along) + up;
            path.rotation[frame] = turns[0].slerp(turns[1], along);
            path.toe[frame] = path.ankle[frame] + path.rotation[frame] * arm;
        }
    }

    /// Raises a swing where the way that it lacks would drag it along the ground: an even part of the way to its nearer end over the ground, up to the
    /// shortest step's height.
    fn raise(&self, free: &Range<usize>, miss_m: f64, path: &mut FootPath) {
        let most = LIFT_M[0] * self.feet.scale();
        let middle = |frame: usize| 0.5 * (path.ankle[frame] + path.toe[frame]);
        let (a, b) = (middle(free.start - 1), middle(free.end));
        let needed = free.clone().map(|frame| {
            let here = middle(frame);
            let [from, to] = [over_ground(here - a), over_ground(here - b)];
            let ground = a.y + from / (from + to).max(1e-9) * (b.y - a.y);
            let clear = (miss_m / most).min(1.0) * (CLEAR * from.min(to)).min(most);
            (clear - (here.y - ground)).max(0.0)
        });
        let needed: Vec<f64> = needed.collect();
        let half = ((0.5 * SWING_S * self.fps).round() as usize).max(1);
        for (frame, up) in free.clone().zip(smooth_above(&needed, half)) {
            let inside = (frame + 1 - free.start).min(free.end - frame) as f64 / half as f64;
            for point in [&mut path.ankle[frame], &mut path.toe[frame]] {
                point.y += up * minimum_jerk(inside);
            }
        }
    }

    /// Holds the feet of `clip`, the joined clips bent to each other; of [`FeetAt::Seam`] only stances that share a frame with `windows`.
    pub(in crate::edit) fn hold(
        &self,
        clip: &mut Clip,
        which: FeetAt,
        windows: &[Range<usize>],
        progress: Progress<'_>,
    ) -> Result<Held, Cancelled> {
        let num_frames = clip.num_frames();
        let stances = self.labels.each_ref().map(FootContacts::any);
        if which == FeetAt::Free || stances.iter().all(Vec::is_empty) {
            return Ok(Held::default());
        }
        let at_seam = |stance: &Range<usize>| {
            windows.iter().any(|window| window.start < stance.end && stance.start < window.end)
        };
        let is_held = |stance: &Range<usize>| which == FeetAt::All || at_seam(stance);
        let poses = clip.model_poses();
        let mut may_move = vec![false; num_frames];
        let shifts = [0, 1].map(|side| {
            let (held, left): (Vec<_>, Vec<_>) = stances[side].iter().cloned().partition(is_held);
            // From the stance before that is left alone to the one after.
            let edges = left.iter().flat_map(|stance| [stance.start, stance.end]);
            let edges: Vec<usize> = std::iter::once(0).chain(edges).chain([num_frames]).collect();
            for pair in edges.chunks(2).map(|pair| pair[0]..pair[1]) {
                if held.iter().any(|stance| pair.contains(&stance.start)) {
                    may_move[pair].fill(true);
                }
            }
            self.shift(side, &poses, &held, &left)
        });
        report(progress, 0.5)?;
        let margin = ((RETURN_S * self.fps).round() as usize).max(1);
        let touched = runs(&may_move, margin);
        let mut weight = vec![0.0; num_frames];
        for range in &touched {
            let fade = |open: bool, frames: usize| {
                if open { smoothstep(frames as f64 / margin as f64) } else { 1.0 }
            };
            for frame in range.clone() {
                weight[frame] = fade(range.start > 0, frame - range.start)
                    * fade(range.end < num_frames, range.end - 1 - frame);
            }
        }
        let hips = HipsConfig { calm: true, exact: true, ..HipsConfig::default() };
        let solution = FeetSolution::solve(&poses, self.feet, shifts, weight, hips, self.fps);
        solution.apply(clip, &poses, self.feet, &mut |part| progress(0.5 + 0.5 * part))?;
        Ok(Held { touched, hips_m: solution.hips_m() })
    }

    /// What brings one foot of the bent clips to its stances. Those that are `left` stay where they are.
    fn shift(
        &self,
        side: usize,
        poses: &[ModelPose],
        held: &[Range<usize>],
        left: &[Range<usize>],
    ) -> FootShift {
        let scale = self.feet.scale();
        let bent = FootPath::build(poses, &self.feet.feet[side], self.fps, scale);
        let mut path = bent.clone();
        path.glitch.fill(false);
        self.swings[side].iter().for_each(|(free, miss_m)| self.raise(free, *miss_m, &mut path));
        self.steps[side].iter().for_each(|free| self.step(side, free, &mut path));
        let anchors: Vec<Stance> = held.iter().flat_map(|stance| self.anchors(side, stance)).collect();
        let mut plan = FootPlan::from_stances(&path, &anchors, None, [f64::NEG_INFINITY; 2], scale);
        for (frame, heel) in left.iter().cloned().flatten().flat_map(|frame| [(frame, true), (frame, false)])
        {
            let (point, path) = (&mut plan.points[usize::from(!heel)], path.point(heel));
            (point.firm[frame], point.places[frame]) = (1.0, Some(path[frame]));
            if frame + 1 < path.len() {
                point.steps[frame] = path[frame + 1] - path[frame];
            }
        }
        for stance in held {
            if let Some((facing, _)) = self.flat(side, stance) {
                plan.facing[stance.clone()].fill(facing);
            }
        }
        let mut shift = track(&path, &plan, self.fps, scale);
        for frame in 0..path.num_frames() {
            shift.shift[frame] += path.ankle[frame] - bent.ankle[frame];
            let turned = exp64(shift.turn[frame]) * path.rotation[frame];
            shift.turn[frame] = log64(turned * bent.rotation[frame].conjugate());
        }
        shift
    }

    /// How the foot stands in the longest time in which it is flat in a stance: its direction, and the places of heel and toe with its middle in its mean
    /// place, so that both share the error.
    fn flat(&self, side: usize, stance: &Range<usize>) -> Option<(DQuat, [DVec3; 2])> {
        let path = &self.source[side];
        let flat = self.labels[side].flat().into_iter();
        let flat = flat.filter(|range| stance.contains(&range.start)).max_by_key(Range::len)?;
        let middle = flat.clone().map(|frame| self.middle(side, frame)).sum::<DVec3>() / flat.len() as f64;
        let own = &path.rotation[flat.clone()];
        let facing = mean64(own, &vec![1.0; own.len()]).unwrap_or(own[own.len() / 2]);
        let arm = own[0].conjugate() * (path.toe[flat.start] - path.ankle[flat.start]);
        let half = 0.5 * (facing * arm);
        Some((facing, [middle - half, middle + half]))
    }

    /// Where heel and toe stand in a stance.
    fn anchors(&self, side: usize, stance: &Range<usize>) -> Vec<Stance> {
        let (path, labels, flat) = (&self.source[side], &self.labels[side], self.flat(side, stance));
        let lists = [(true, &labels.heel), (false, &labels.toe)];
        let all = lists.into_iter().flat_map(|(heel, list)| list.iter().map(move |frames| (heel, frames)));
        all.filter(|(_, frames)| stance.contains(&frames.start))
            .map(|(heel, frames)| {
                let points = &path.point(heel)[frames.clone()];
                let mean = points.iter().sum::<DVec3>() / points.len() as f64;
                let anchor = flat.map_or(mean, |(_, places)| places[usize::from(!heel)]);
                Stance { heel, frames: frames.clone(), anchor }
            })
            .collect()
    }
}

/// Lets labels end where a step begins and begin where it ends.
fn give_way(labels: &mut FootContacts, free: &Range<usize>) {
    for list in [&mut labels.heel, &mut labels.toe] {
        for range in list.iter_mut() {
            if range.start < free.start && range.end > free.start {
                range.end = free.start;
            } else if range.start >= free.start && range.start < free.end {
                range.start = range.end.min(free.end);
            }
        }
        list.retain(|range| !range.is_empty());
    }
}

/// Runs of set frames, widened by `margin` frames and joined where they meet.
fn runs(set: &[bool], margin: usize) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for frame in (0..set.len()).filter(|&frame| set[frame]) {
        let wide = frame.saturating_sub(margin)..(frame + 1 + margin).min(set.len());
        match out.last_mut() {
            Some(last) if wide.start <= last.end => last.end = wide.end,
            _ => out.push(wide),
        }
    }
    out
}

fn over_ground(v: DVec3) -> f64 {
    v.with_y(0.0).length()
}
