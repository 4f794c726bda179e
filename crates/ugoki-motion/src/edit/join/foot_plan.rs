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
use ugoki_base::math::{exp64, log64, mean64, smoothstep};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::{Feet, Foot};
use ugoki_feet::feet::{FeetSolution, FootPath, FootPlan, FootShift, HipsConfig, PathSeam, Stance, track};

use super::Part;
use super::labels::{joined_labels, through};

/// Feet nearer than this are in one place, metres for a leg of 0.85 m: held, they give way by no more.
pub(super) const SAME_M: f64 = 0.02;
/// No swing of any gait is shorter, seconds: a foot that is off the ground for less only seems to be, and one that stands this near to a seam
/// stands there.
pub(super) const SWING_S: f64 = 0.15;
/// Time for a step of a metre, seconds; others take the square root of their length, so that all accelerate alike: by 6.3 m/s² at most.
/// Below what seams may show, and a side step of 0.15 m takes 0.39 s.
const STEP_S: f64 = 1.0;
/// No step takes less or more, seconds: a quick side step, and a slow walk's swing.
const STEP_RANGE_S: [f64; 2] = [0.3, 0.7];
/// A step's lift accelerates by this, m/s²: a little more than its way over the ground does.
const LIFT_M_S2: f64 = 8.0;
/// Highest lift of a step, metres for a leg of 0.85 m: that of a walk's ankle.
const LIFT_M: f64 = 0.09;
/// How much harder than in a seam's window a foot is drawn to where its clip has it beyond, as a factor: a swing is there within 0.3 s.
const RETURN_PULL: f64 = 3.0;
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
    paths: [Paths; 2],
    swings: [Vec<Swing>; 2],
}

/// One foot over joined clips.
struct Paths {
    /// As the clips have it in their places.
    source: FootPath,
    /// Led on over the seams: from each on, the foot of the clip after it begins where that of the clip before was.
    led: FootPath,
    /// How far apart the clips have it at each seam, metres.
    miss_m: Vec<f64>,
    /// By how much its velocity jumps there.
    seams: Vec<PathSeam>,
}

/// A swing in which a foot goes farther than its clips have it go.
struct Swing {
    frames: Range<usize>,
    /// How much farther, metres.
    way_m: f64,
    /// How high it is lifted at least, metres.
    lift_m: f64,
}

impl Paths {
    /// Of a foot that moves along `source`.
    fn new(parts: &[Part<'_>], source: FootPath, foot: &Foot) -> Self {
        let (mut led, mut miss_m, mut seams) = (source.clone(), Vec::new(), Vec::new());
        let (mut shift, mut turn, mut seam) = (DVec3::ZERO, DQuat::IDENTITY, 0);
        for pair in parts.windows(2) {
            seam += pair[0].frames.len();
            // The two samples of each clip at the times of its last frame and of the other's first.
            let at = |part: &Part<'_>, frame: usize| [-1, 0].map(|k| part.model(frame as isize + k));
            let (here, there) = (at(&pair[0], pair[0].frames.end), at(&pair[1], pair[1].frames.start));
            let apart = |point: &dyn Fn(&ModelPose) -> DVec3| {
                0.5 * (point(&there[0]) - point(&here[0]) + point(&there[1]) - point(&here[1]))
            };
            let ankle = |pose: &ModelPose| pose.positions[foot.ankle].as_dvec3();
            miss_m.push(apart(&|pose| 0.5 * (ankle(pose) + foot.toe.position(pose).as_dvec3())).length());
            shift -= apart(&ankle);
            let turned = |from: &ModelPose, to: &ModelPose| {
                let [to, from] = [to, from].map(|pose| pose.rotations[foot.ankle].as_dquat().normalize());
                log64(to * from.conjugate())
            };
            let before = turn * turned(&here[0], &here[1]);
            let apart = turned(&here[0], &there[0]) + turned(&here[1], &there[1]);
            turn *= exp64(0.5 * apart).conjugate();
            seams.push(PathSeam {
                frame: seam,
                glide: ankle(&there[1]) - ankle(&there[0]) - (ankle(&here[1]) - ankle(&here[0])),
                turn: turn * turned(&there[0], &there[1]) - before,
            });
            for frame in seam..source.num_frames() {
                led.ankle[frame] = source.ankle[frame] + shift;
                led.rotation[frame] = turn * source.rotation[frame];
                led.toe[frame] = led.ankle[frame] + turn * (source.toe[frame] - source.ankle[frame]);
            }
        }
        Self { source, led, miss_m, seams }
    }

    /// The middle of the foot as the clips have it.
    fn middle(&self, frame: usize) -> DVec3 {
        0.5 * (self.source.ankle[frame] + self.source.toe[frame])
    }

    /// Way over the ground between two frames, metres.
    fn way_m(&self, from: usize, to: usize) -> f64 {
        (self.middle(to) - self.middle(from)).with_y(0.0).length()
    }
}

impl<'a> FootPlans<'a> {
    /// Of clips in their places, one after another.
    pub(in crate::edit) fn new(parts: &[Part<'_>], feet: &'a Feet) -> Self {
        let (fps, scale) = (parts[0].clip.fps(), feet.scale());
        let (mut pose, mut model) = (Pose::rest(parts[0].clip.skeleton()), ModelPose::default());
        let mut sources = [FootPath::default(), FootPath::default()];
        for part in parts {
            for frame in part.frames.clone() {
                part.clip.pose_into(frame, &mut pose);
                forward_kinematics_into(part.clip.skeleton(), &pose, &mut model);
                for (source, foot) in sources.iter_mut().zip(&feet.feet) {
                    source.ankle.push(part.placement.point(model.positions[foot.ankle]).as_dvec3());
                    source.toe.push(part.placement.point(foot.toe.position(&model)).as_dvec3());
                    let rotation = part.placement.rotation(model.rotations[foot.ankle]);
                    source.rotation.push(rotation.as_dquat().normalize());
                    // Labels hold a foot that jumps, too.
                    source.glitch.push(false);
                }
            }
        }
        let [left, right] = sources;
        let paths = [Paths::new(parts, left, &feet.feet[0]), Paths::new(parts, right, &feet.feet[1])];
        let mut end = 0;
        let ends = parts.iter().map(|part| {
            end += part.frames.len();
            end
        });
        let mut seams: Vec<usize> = ends.collect();
        seams.pop();
        let near = ((SWING_S * fps).round() as usize).max(1);
        let labels = joined_labels(parts, paths.each_ref().map(|paths| &paths.source), near, scale);
        Self { feet, fps, seams, labels, paths, swings: Default::default() }
    }

    /// Of an odd number of repeats of a cycle.
    pub(in crate::edit) fn repeating(mut self) -> Self {
        let (period, repeats) = (self.seams[0], self.seams.len() + 1);
        self.labels = self.labels.map(|foot| through(foot, period, repeats));
        self
    }

    /// Lets feet that two clips have in different places step from the one to the other.
    pub(in crate::edit) fn with_corrective_steps(mut self) -> Self {
        for index in 0..self.seams.len() {
            let free = [0, 1].map(|side| self.missing_step(side, index));
            let both = free.iter().all(Option::is_some);
            for (side, free) in free.into_iter().enumerate() {
                let Some(free) = free else { continue };
                // One foot after the other: the body has to stand on one.
                let other = &self.labels[1 - side];
                let in_air = |free: &Range<usize>| free.clone().filter(|&f| !other.touches(f)).count();
                let times = if both { &[[1.0, 0.0][side]][..] } else { &[0.5, 0.0, 1.0] };
                let timed = times.iter().map(|&early| self.room_for(side, &free, early));
                let Some(frames) = timed.min_by_key(in_air) else { continue };
                give_way(&mut self.labels[side], &frames);
                let way_m = self.paths[side].way_m(frames.start - 1, frames.end);
                let lift_m = self.lift_m(frames.len());
                self.swings[side].push(Swing { frames, way_m, lift_m });
            }
        }
        self
    }

    /// The frames between two stances at a seam in which no captured swing brings the foot from one to the other. Swings that bring it there are noted.
    fn missing_step(&mut self, side: usize, index: usize) -> Option<Range<usize>> {
        let (seam, paths) = (self.seams[index], &self.paths[side]);
        let stances = self.labels[side].any();
        let first = stances.iter().rposition(|stance| stance.start < seam)?;
        let last = stances.iter().position(|stance| stance.end > seam)?;
        let miss_m = paths.miss_m[index];
        if miss_m < SAME_M * self.feet.scale() {
            return None;
        }
        let farther = |frames: Range<usize>| Swing {
            lift_m: self.lift_m(frames.len().min(self.step_frames(miss_m))),
            way_m: miss_m,
            frames,
        };
        if first == last {
            // Held in one place, the foot goes the missing way in the swings next to this stance.
            let next_to = stances[first.saturating_sub(1)..].windows(2).take(1 + first.min(1));
            let swings: Vec<Swing> = next_to.map(|pair| farther(pair[0].end..pair[1].start)).collect();
            self.swings[side].extend(swings);
            return None;
        }
        let free = stances[first].end..stances[last].start;
        let (from, to) = (free.start - 1, free.end);
        // A foot that is lifted as high as a step of that length would lift it, in a kick or a jump, needs no other step.
        let ground = paths.middle(from).y.max(paths.middle(to).y);
        let rises = free.clone().map(|frame| paths.middle(frame).y - ground).fold(0.0, f64::max);
        let goes = miss_m < 0.5 * paths.way_m(from, to) || rises >= self.lift_m(self.step_frames(miss_m));
        if goes && free.len() as f64 > SWING_S * self.fps {
            let swing = farther(free);
            self.swings[side].push(swing);
            return None;
        }
        // No foot comes down for less than a swing takes, only to step on.
        let short = |at: usize| stances[at].len() as f64 <= SWING_S * self.fps;
        let start = if first > 0 && short(first) { stances[first - 1].end } else { free.start };
        let end = if last + 1 < stances.len() && short(last) { stances[last + 1].start } else { free.end };
        Some(start..end)
    }

    /// How many frames a step of some length takes.
    fn step_frames(&self, way_m: f64) -> usize {
        let [least, most] = STEP_RANGE_S;
        let seconds = (STEP_S * (way_m / self.feet.scale()).sqrt()).clamp(least, most);
        (seconds * self.fps).ceil() as usize
    }

    /// How high a step of some frames lifts the foot, metres: h sin² πu over T seconds accelerates by 2π² h/T².
    fn lift_m(&self, frames: usize) -> f64 {
        let part = (frames + 1) as f64 / (self.fps * std::f64::consts::PI);
        (0.5 * LIFT_M_S2 * part * part).min(LIFT_M) * self.feet.scale()
    }

    /// The frames of a step if the stances next to it give way until there is time for it; `early` is the part of that before it.
    fn room_for(&self, side: usize, free: &Range<usize>, early: f64) -> Range<usize> {
        let way_m = self.paths[side].way_m(free.start - 1, free.end);
        let lacks = self.step_frames(way_m).saturating_sub(free.len());
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

    /// Holds the feet of `clip`, the joined clips from frame `first` on bent to each other; of [`FeetAt::Seam`] only stances that share a frame with
    /// `windows`.
    pub(in crate::edit) fn hold(
        &self,
        clip: &mut Clip,
        first: usize,
        which: FeetAt,
        windows: &[Range<usize>],
        progress: Progress<'_>,
    ) -> Result<Held, Cancelled> {
        let num_frames = self.paths[0].source.num_frames();
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
            self.shift(side, first, &poses, [&held, &left], windows)
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
        let weight = weight[first..first + poses.len()].to_vec();
        let solution = FeetSolution::solve(&poses, self.feet, shifts, weight, hips, self.fps);
        solution.apply(clip, &poses, self.feet, &mut |part| progress(0.5 + 0.5 * part))?;
        Ok(Held { touched, hips_m: solution.hips_m() })
    }

    /// What brings one foot of the bent clips to its stances. Those that are `left` stay where they are.
    fn shift(
        &self,
        side: usize,
        first: usize,
        poses: &[ModelPose],
        [held, left]: [&[Range<usize>]; 2],
        windows: &[Range<usize>],
    ) -> FootShift {
        let scale = self.feet.scale();
        let Paths { source, led, seams, .. } = &self.paths[side];
        let standing: Vec<_> = held.iter().map(|stance| self.standing(side, stance)).collect();
        let anchors: Vec<Stance> = standing.iter().flat_map(|standing| standing.1.clone()).collect();
        let mut plan = FootPlan::from_stances(led, &anchors, None, [f64::NEG_INFINITY; 2], scale);
        plan.seams.clone_from(seams);
        plan.facing.clone_from(&source.rotation);
        // Between two stances these tell where the foot goes.
        let stances = self.labels[side].any();
        let led_by =
            stances.first().map_or(0, |first| first.end)..stances.last().map_or(0, |last| last.start);
        plan.pull.fill(RETURN_PULL);
        for frame in windows.iter().cloned().flatten() {
            plan.pull[frame] = if led_by.contains(&frame) { 0.0 } else { 1.0 };
        }
        plan.drawn = source.ankle.iter().zip(&led.ankle).map(|(own, led)| *own - *led).collect();
        for (frame, heel) in left.iter().cloned().flatten().flat_map(|frame| [(frame, true), (frame, false)])
        {
            let (point, path) = (&mut plan.points[usize::from(!heel)], source.point(heel));
            (point.firm[frame], point.places[frame]) = (1.0, Some(path[frame]));
            if frame + 1 < path.len() {
                point.steps[frame] = path[frame + 1] - path[frame];
            }
        }
        for flat in self.labels[side].flat() {
            let stance = held.iter().position(|stance| stance.contains(&flat.start));
            if let Some(facing) = stance.and_then(|at| standing[at].0) {
                plan.facing[flat].fill(facing);
            }
        }
        self.swings[side].iter().for_each(|swing| self.lead(side, swing, &mut plan));
        let found = track(led, &plan, self.fps, scale);
        let ankle = self.feet.feet[side].ankle;
        let shown = first..first + poses.len();
        let shift = shown
            .clone()
            .zip(poses)
            .map(|(frame, pose)| found.shift[frame] + led.ankle[frame] - pose.positions[ankle].as_dvec3());
        let turn = shown.clone().zip(poses).map(|(frame, pose)| {
            let bent = pose.rotations[ankle].as_dquat().normalize();
            log64(exp64(found.turn[frame]) * led.rotation[frame] * bent.conjugate())
        });
        FootShift {
            shift: shift.collect(),
            turn: turn.collect(),
            grip: found.grip[shown.clone()].to_vec(),
            led: found.led[shown].to_vec(),
        }
    }

    /// Lets the plan go what its path lacks of a swing's way, in one smooth push, and lifts the foot meanwhile.
    fn lead(&self, side: usize, swing: &Swing, plan: &mut FootPlan) {
        let Paths { source, led, .. } = &self.paths[side];
        let (from, to, len) = (swing.frames.start - 1, swing.frames.end, swing.frames.len() as f64);
        let own: f64 = (from..to).map(|frame| led.ankle[frame].distance(led.ankle[frame + 1])).sum();
        let lacks = (swing.way_m - own).max(0.0);
        // Where heel and toe stand before and after, as low as they do.
        let low = |points: &[DVec3], frame: usize| {
            let stance = self.labels[side].any().into_iter().find(|stance| stance.contains(&frame));
            let heights = stance.unwrap_or(frame..frame + 1).map(|frame| points[frame].y);
            heights.fold(f64::INFINITY, f64::min)
        };
        let lows = [true, false].map(|heel| [from, to].map(|frame| low(source.point(heel), frame)));
        for frame in swing.frames.clone() {
            let u = (frame - from) as f64 / (to - from) as f64;
            let bell = (std::f64::consts::PI * u).sin().powi(2);
            plan.pull[frame] = 0.0;
            // sin² has the mean ½.
            plan.pace[frame] += 2.0 * bell * lacks / len * self.fps;
            for (point, [before, after]) in plan.points.iter_mut().zip(lows) {
                point.floor[frame] =
                    point.floor[frame].max(before + u * (after - before) + swing.lift_m * bell);
            }
        }
    }

    /// How a foot stands in a stance: its direction where it is flat, and the places of heel and toe. In the longest time in which it is flat its middle is in
    /// its mean place, so that heel and toe share the error.
    fn standing(&self, side: usize, stance: &Range<usize>) -> (Option<DQuat>, Vec<Stance>) {
        let (paths, path, labels) = (&self.paths[side], &self.paths[side].source, &self.labels[side]);
        let flat =
            labels.flat().into_iter().filter(|range| stance.contains(&range.start)).max_by_key(Range::len);
        let flat = flat.map(|flat| {
            let middle = flat.clone().map(|frame| paths.middle(frame)).sum::<DVec3>() / flat.len() as f64;
            let own = &path.rotation[flat.clone()];
            let facing = mean64(own, &vec![1.0; own.len()]).unwrap_or(own[own.len() / 2]);
            let arm = own[0].conjugate() * (path.toe[flat.start] - path.ankle[flat.start]);
            let half = 0.5 * (facing * arm);
            (facing, [middle - half, middle + half])
        });
        let lists = [(true, &labels.heel), (false, &labels.toe)];
        let all = lists.into_iter().flat_map(|(heel, list)| list.iter().map(move |frames| (heel, frames)));
        let inside = all.filter(|(_, frames)| stance.contains(&frames.start));
        let places = inside.map(|(heel, frames)| {
            let points = &path.point(heel)[frames.clone()];
            let mean = points.iter().sum::<DVec3>() / points.len() as f64;
            let anchor = flat.map_or(mean, |(_, places)| places[usize::from(!heel)]);
            Stance { heel, frames: frames.clone(), anchor }
        });
        (flat.map(|flat| flat.0), places.collect())
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
