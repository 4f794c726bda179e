//! A plan walked: the player fed with its steps, frame by frame.

use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;

use super::effort::{Effort, Limits, Manner, Trace};
use super::gait::{Cycle, Start};
use super::plan::Footstep;
use super::{Gait, StepFault, WalkError};
use crate::clip::Clip;
use crate::contact::FootContacts;
use crate::edit::player::{Footfall, Landing, Player, PlayerScratch, Repertoire, index};
use crate::pose::{ModelPose, Pose, forward_kinematics_into};
use crate::skeleton::Side;
use crate::{Progress, report};

/// A walk as planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Walked {
    /// The motion, starting above the origin facing +Z.
    pub clip: Clip,
    /// What became of each step.
    pub steps: Vec<WalkedStep>,
    /// Frames in which heels and toes stand: left, right.
    pub contacts: [FootContacts; 2],
    /// First frame of the source's motion that was used, seconds from its start.
    pub source_start_s: f64,
    /// How often the source's stride was repeated.
    pub laps: usize,
    /// Frames in which a segment of the source begins, after the first: in the middle of every flat stance, and where the
    /// stride begins again.
    pub seams: Vec<usize>,
    /// Farthest that the hips sink under where the feet carry them, metres, and the frame.
    pub sunk_m: (f32, usize),
    /// What it takes of the body.
    pub effort: Effort,
    /// The slowest that a step is taken against the pace that its length gives: slower where knees, feet or hips would be
    /// faster than the source's ever are.
    pub slowed: f32,
    /// Largest distance of a standing foot from its place, metres: what legs could not reach.
    pub residual_m: f32,
}

/// One step of a walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkedStep {
    /// The step as planned, after clamping.
    pub planned: Footstep,
    /// Where the foot stands in the middle of its flat phase: x and z, and its ankle's height against that of the same stance over the
    /// ground in the source, metres; its toe's, for a foot that is never flat.
    pub reached: Vec3,
    /// Ankle to toe there, degrees from +Z to the left.
    pub heading_deg: f32,
    /// When the foot lifted, seconds.
    pub start_s: f64,
    /// When it stood, seconds.
    pub end_s: f64,
    /// Farthest that its heel or toe moves from where it stands while its contact label is set, metres.
    pub slip_m: f32,
}

/// Farthest that hips may sink for a plan, as a share of the leg: deeper, a walk is a crouch; the captures' own steps up reach 0.1.
const MOST_SUNK: f32 = 0.3;
/// How often a plan is made easier where the hips sink too far, and the share of a step's length that is left each time.
const CLAMP_ROUNDS: usize = 60;
const CLAMP_SHARE: f32 = 0.92;
/// Least distance from hip to ankle, as a share of the leg, unless the source folds its own farther: a knee bent by 145°, about as far
/// as knees bend.
const LEAST_LEG: f32 = 0.3;
/// Fastest that hips may rise or sink: this, m/s, as walkers' on stairs, or so many times what the source itself does.
const MOST_BOB_M_S: f32 = 0.9;
const MOST_BOB: f32 = 2.5;
/// How much faster for each metre of a step's height, 1/s: hips take it in a quarter of a second at their fastest.
const CLIMB_PER_S: f32 = 4.0;
/// Fastest that knees may bend: this, radians per second, as in a brisk walk, or so many times what the source itself does.
const MOST_BEND_S: f32 = 7.0;
const MOST_BEND: f32 = 1.3;
/// Farthest that a knee may bend the wrong way, radians, unless the source's own does: 5°, as captures' solvers leave straight legs.
const MOST_BACK: f32 = 0.087;
/// Nearest that legs may come to each other, metres between their middle lines for a leg of 0.85 m, unless the source's own do.
const LEAST_APART_M: f32 = 0.03;
/// Times a plan is walked until its steps take no more than they should of the body.
const TUNE_ROUNDS: usize = 8;
/// Times a plan is walked until feet that are never flat stand on it, and how near, metres, that is.
const AIM_ROUNDS: usize = 4;
const AIM_M: f32 = 2e-4;
/// Frames between two reports of progress.
const REPORT_EVERY: usize = 64;

/// A step that was made.
struct Landed {
    frame: usize,
    /// Height of the ankle over the ground in the stance it stands in, metres.
    rest_m: f32,
    /// That of the toe, for a foot that is never flat: there the ankle rises and sinks while it stands.
    toe_rest_m: Option<f32>,
}

/// What was seen of one foot in one frame.
struct Seen {
    ankle: Vec3,
    toe: Vec3,
    stands: [bool; 2],
}

impl Gait {
    /// Walks a plan; see [`Gait::check`] for what is refused, or changed with `clamp`.
    ///
    /// # Errors
    /// When the plan is empty or impossible, the source too short for it, or the caller stops.
    pub fn walk(&self, plan: &[Footstep], clamp: bool, progress: Progress<'_>) -> Result<Walked, WalkError> {
        let mut plan = self.check(plan, clamp)?;
        // What was captured is possible.
        if plan == self.own_plan() {
            return self.walk_tuned(&plan, progress);
        }
        let most = MOST_SUNK * self.leg_m();
        let mut lurching = None;
        for _ in 0..CLAMP_ROUNDS {
            let walked = self.walk_tuned(&plan, progress)?;
            let during = |frame: usize| {
                let ends = |step: &WalkedStep| step.end_s * walked.clip.fps() >= frame as f64;
                walked.steps.iter().position(ends).unwrap_or(plan.len() - 1)
            };
            let Effort { bobs, folds, bends, nears, least: back, .. } = walked.effort;
            let (least, fastest) = (self.own_effort.folds.0, self.own_effort.bobs.0);
            let bend = MOST_BEND_S.max(MOST_BEND * self.own_effort.bends.0);
            let near = (LEAST_APART_M * self.source().scale()).min(self.own_effort.nears.0);
            let bob = MOST_BOB_M_S.max(MOST_BOB * fastest) + CLIMB_PER_S * self.largest_rise(&plan);
            let (at, fault) = if walked.sunk_m.0 > most {
                (walked.sunk_m.1, StepFault::Sinks { metres: walked.sunk_m.0, max: most })
            } else if folds.0 < LEAST_LEG.min(least) {
                let bend = |share: f32| 180.0 - 2.0 * share.clamp(-1.0, 1.0).asin().to_degrees();
                (folds.1, StepFault::Folds { degrees: bend(folds.0), max: bend(LEAST_LEG.min(least)) })
            } else if bobs.0 > bob {
                (bobs.1, StepFault::Lurches { metres_s: bobs.0, max: bob })
            } else if back.0 < (-MOST_BACK).min(self.own_effort.least.0) {
                (back.1, StepFault::BendsBack { degrees: -back.0.to_degrees() })
            } else if bends.0 > bend {
                (bends.1, StepFault::Kicks { degrees_s: bends.0.to_degrees(), max: bend.to_degrees() })
            } else if nears.0 < near {
                (nears.1, StepFault::Touches { metres: nears.0, min: near })
            } else {
                return Ok(walked);
            };
            let at = during(at);
            if !clamp || at == 0 {
                return Err(WalkError::Step { step: at + 1, foot: plan[at].foot, fault });
            }
            // Nearer to the other foot, and what follows nearer to that; hips lurch between two steps.
            let lurches = !matches!(fault, StepFault::Sinks { .. } | StepFault::Folds { .. });
            for at in at..=(at + usize::from(lurches)).min(plan.len() - 1) {
                plan[at].place = plan[at - 1].place.lerp(plan[at].place, CLAMP_SHARE);
            }
            plan = self.check(&plan, true)?;
            // It can be walked, if not well.
            lurching = lurches.then_some(walked);
        }
        lurching.ok_or(WalkError::Clamp { rounds: CLAMP_ROUNDS })
    }

    /// Walks a plan, and again with slower and wider steps where they take too much of the body.
    fn walk_tuned(&self, plan: &[Footstep], progress: Progress<'_>) -> Result<Walked, WalkError> {
        let scale = self.source().scale();
        let limits = Limits::of(&self.own_effort, self.largest_rise(plan), scale);
        let mut manners = vec![Manner::PLAIN; plan.len()];
        for _ in 1..TUNE_ROUNDS {
            let (mut walked, steps) = self.walk_nearer(plan, &manners, progress)?;
            walked.slowed = slowest(&manners);
            if !limits.tune(&steps, &mut manners, scale) {
                return Ok(walked);
            }
        }
        let (mut walked, _) = self.walk_nearer(plan, &manners, progress)?;
        walked.slowed = slowest(&manners);
        Ok(walked)
    }

    /// Walks a plan, and again where a foot that is never flat, and so moves while it stands, was not where it belongs in the middle of
    /// its contact: when that is depends on how fast it is played.
    fn walk_nearer(
        &self,
        plan: &[Footstep],
        manners: &[Manner],
        progress: Progress<'_>,
    ) -> Result<(Walked, Vec<Effort>), WalkError> {
        let mut aims = plan.to_vec();
        for _ in 1..AIM_ROUNDS {
            let done = self.walk_checked(plan, &aims, manners, progress)?;
            let off = |step: &WalkedStep| step.reached - step.planned.place;
            if done.0.steps.iter().all(|step| off(step).length() < AIM_M) {
                return Ok(done);
            }
            for (aim, step) in aims.iter_mut().zip(&done.0.steps) {
                aim.place -= off(step);
            }
        }
        self.walk_checked(plan, &aims, manners, progress)
    }

    /// The largest step up or down of a plan, metres.
    fn largest_rise(&self, plan: &[Footstep]) -> f32 {
        let first = plan.first().map(|step| self.stands_first(step.foot));
        let heights: Vec<f32> = first.iter().chain(plan).map(|step| step.place.y).collect();
        heights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
    }

    /// Walks to `aims`; what becomes of the steps is judged by the plan.
    fn walk_checked(
        &self,
        plan: &[Footstep],
        aims: &[Footstep],
        manners: &[Manner],
        progress: Progress<'_>,
    ) -> Result<(Walked, Vec<Effort>), WalkError> {
        let start = self.start(plan[0].foot);
        let there = self.steps.len() - start.step;
        if plan.len() > there && self.cycle.is_none() {
            return Err(WalkError::NoCycle { steps: there });
        }
        let source = self.source();
        let mut player = self.player(plan[0].foot)?;
        let mut scratch = PlayerScratch::new(&self.repertoire);
        let mut pose = Pose::rest(&source.skeleton);
        let mut model = ModelPose::default();
        let mut poses = Vec::new();
        let mut seen: [Vec<Seen>; 2] = [Vec::new(), Vec::new()];
        let mut landed: Vec<Landed> = Vec::with_capacity(plan.len());
        let mut residual_m = 0.0_f32;
        let mut sunk_m = (0.0_f32, 0);
        let (mut laps, mut seams) = (0, Vec::new());
        let mut trace = Trace::new(&source.toes, self.repertoire.hips(), source.leg_m, Some(self.knees));
        player.go_round(aims[0].foot, manners[0].wider_m);
        player.put(aims[0].foot, aims[0].footfall())?;
        let mut landing = self.landings_before(&start).count();
        if let Some(step) = aims.get(1).filter(|_| landing == 0) {
            player.go_round(step.foot, manners[1].wider_m);
            player.put(step.foot, step.footfall())?;
        }
        player.take_time(manners[0].tempo);
        let tick_s = 1.0 / source.clip_fps;
        let mut finished = false;
        loop {
            let residual = player.pose_into(&mut scratch, &mut pose);
            residual_m = residual_m.max(residual.held_m);
            if scratch.sunk_m > sunk_m.0 {
                sunk_m = (scratch.sunk_m, poses.len());
            }
            forward_kinematics_into(&source.skeleton, &pose, &mut model);
            trace.see(&model);
            for (foot, seen) in seen.iter_mut().enumerate() {
                let joints = &source.toes.feet[foot];
                let side = super::gait::side(foot);
                seen.push(Seen {
                    ankle: model.positions[joints.ankle],
                    toe: joints.toe.position(&model),
                    stands: player.contacts(side),
                });
            }
            poses.push(pose.clone());
            if finished || self.is_over(plan, landed.len(), &player) {
                break;
            }
            if poses.len() % REPORT_EVERY == 0 {
                report(progress, landed.len() as f32 / plan.len() as f32)?;
            }
            self.choose(&mut player, plan.len() - landed.len());
            let before = (player.time(), player.segment());
            let feet = player.advance(tick_s);
            laps += usize::from(player.time() < before.0);
            if player.segment() != before.1 || player.time() < before.0 {
                seams.push(poses.len());
            }
            for _ in feet.iter().filter(|&&landed| landed) {
                if landing > 0 {
                    landing -= 1;
                } else if let Some(step) = plan.get(landed.len()) {
                    let (rest_m, toe_rest_m) = (player.rest_m(step.foot), player.toe_rest_m(step.foot));
                    landed.push(Landed { frame: poses.len(), rest_m, toe_rest_m });
                }
                if let Some(step) = aims.get(landed.len() + 1).filter(|_| landing == 0) {
                    player.go_round(step.foot, manners[landed.len() + 1].wider_m);
                    player.put(step.foot, step.footfall())?;
                }
                player.take_time(manners.get(landed.len()).map_or(1.0, |manner| manner.tempo));
            }
            finished = player.is_finished();
        }
        let mut clip =
            Clip::from_poses(source.skeleton.clone(), source.clip_fps, &poses).map_err(WalkError::Clip)?;
        clip.name = format!("{}-walk", source.name);
        let steps = judge(plan, &landed, &seen, source.clip_fps);
        let ends: Vec<usize> = landed.iter().map(|landed| landed.frame).collect();
        let part = |at: usize| {
            let from = if at == 0 { 0 } else { ends[at - 1] + 1 };
            // What comes after the last step is its own.
            let to = if at + 1 == ends.len() { poses.len() } else { ends[at] + 1 };
            trace.effort(from..to, source.clip_fps)
        };
        let efforts = (0..ends.len()).map(part).collect();
        let walked = Walked {
            clip,
            steps,
            contacts: [0, 1].map(|foot| labels(&seen[foot])),
            source_start_s: start.frame as f64 / source.fps,
            laps,
            seams,
            sunk_m,
            effort: trace.whole(source.clip_fps),
            slowed: 1.0,
            residual_m,
        };
        Ok((walked, efforts))
    }

    /// A player at the start of a walk whose first step is of `foot`. A foot that is about to land then lands where the
    /// source has it; its own step comes after that.
    ///
    /// # Errors
    /// Never for a gait that was built.
    pub fn player(&self, foot: Side) -> Result<Player, WalkError> {
        let start = self.start(foot);
        let shared = self.repertoire.clone();
        let mut player = Player::at_frame(shared, start.segment, start.frame as f64, start.place);
        for landing in self.landings_before(&start) {
            player.put(super::gait::side(landing.foot), self.own_footfall(landing, &start))?;
        }
        Ok(player)
    }

    /// The same on a repertoire that repeats its best stride without end.
    ///
    /// # Errors
    /// When no stride repeats.
    pub fn endless_player(&self, foot: Side) -> Result<Player, WalkError> {
        let Some(Cycle { leave, enter, .. }) = self.cycle else {
            return Err(WalkError::NoCycle { steps: self.steps.len() });
        };
        let endless = Repertoire::clone(&self.repertoire).followed(leave, enter)?;
        let start = self.start(foot);
        Ok(Player::at_frame(Arc::new(endless), start.segment, start.frame as f64, start.place))
    }

    /// Landings after the start and before the first step.
    fn landings_before(&self, start: &Start) -> impl Iterator<Item = &Landing> {
        let (from, to) = (start.frame, self.steps[start.step].frame);
        self.source().landings.iter().filter(move |landing| landing.frame > from && landing.frame < to)
    }

    /// Where the source has a footfall.
    fn own_footfall(&self, landing: &Landing, start: &Start) -> Footfall {
        let feet = &self.source().feet[landing.foot];
        let stance = &feet.stances[landing.stance];
        let place = start.place.point(stance.ankle) - Vec3::Y * feet.rest_m(stance);
        Footfall { place, heading: Some(stance.heading + start.place.yaw) }
    }

    /// At the end of the stride that repeats: again, while more steps are to come than follow in the source.
    fn choose(&self, player: &mut Player, to_come: usize) {
        let Some(Cycle { leave, enter, tail }) = self.cycle else { return };
        if player.segment() != leave {
            return;
        }
        let segment = &self.repertoire.segments()[leave];
        let before = (self.steps.iter())
            .filter(|step| step.frame as f64 > player.time() && step.frame <= segment.to)
            .count();
        if to_come.saturating_sub(before) > tail {
            // The transition is there: it was linked when the gait was built.
            let _ = player.request(enter);
        } else {
            player.go_on();
        }
    }

    /// Whether all steps are made and the last foot stands in the middle of its stance; a source that comes to stand is
    /// played to its end.
    fn is_over(&self, plan: &[Footstep], made: usize, player: &Player) -> bool {
        if made < plan.len() {
            return false;
        }
        let source = self.source();
        let last = (source.num_frames - 1) as f64;
        let stops =
            (source.feet.iter()).all(|foot| foot.stances.last().is_some_and(|s| s.frames.end as f64 > last));
        if stops && !source.landings.iter().any(|landing| landing.frame as f64 > player.time()) {
            return player.time() >= last;
        }
        let foot = plan[plan.len() - 1].foot;
        let feet = &source.feet[index(foot)];
        let stance = feet.stance_before(player.time());
        // A foot that is not flat moves while it stands: its whole stance tells where it does.
        stance.map(|stance| &feet.stances[stance]).is_none_or(|stance| {
            let until = if stance.flat { stance.middle } else { stance.frames.end - 1 };
            player.time() >= until as f64
        })
    }
}

fn slowest(manners: &[Manner]) -> f32 {
    manners.iter().map(|manner| manner.tempo).fold(1.0, f32::min)
}

/// What became of every step.
fn judge(plan: &[Footstep], landed: &[Landed], seen: &[Vec<Seen>; 2], fps: f64) -> Vec<WalkedStep> {
    plan.iter()
        .zip(landed)
        .map(|(&planned, landed)| {
            let (foot, land) = (index(planned.foot), landed.frame);
            let seen = &seen[foot];
            let any = |frame: usize| seen[frame].stands[0] || seen[frame].stands[1];
            let mut end = land;
            while end < seen.len() && (any(end) || end < land + 2) {
                end += 1;
            }
            let mut lift = land.min(seen.len() - 1);
            while lift > 0 && !any(lift - 1) {
                lift -= 1;
            }
            let stands = land.min(seen.len() - 1)..end;
            let middle = middle_of(seen, &stands);
            let at = &seen[middle];
            let ahead = at.toe - at.ankle;
            WalkedStep {
                planned,
                reached: at
                    .ankle
                    .with_y(landed.toe_rest_m.map_or(at.ankle.y - landed.rest_m, |rest| at.toe.y - rest)),
                heading_deg: ahead.x.atan2(ahead.z).to_degrees(),
                start_s: lift as f64 / fps,
                end_s: land as f64 / fps,
                slip_m: slip(seen, &stands),
            }
        })
        .collect()
}

/// The middle of the flat phase within a stance, or of the toe's contact, or of the whole.
fn middle_of(seen: &[Seen], stands: &Range<usize>) -> usize {
    let run = |which: &dyn Fn(&Seen) -> bool| {
        let mut best: Option<Range<usize>> = None;
        let mut from = stands.start;
        let ends = stands.clone().filter(|&frame| !which(&seen[frame])).chain([stands.end]);
        for end in ends {
            if end > from && best.as_ref().is_none_or(|best| end - from > best.len()) {
                best = Some(from..end);
            }
            from = end + 1;
        }
        best.map(|run| (run.start + run.end - 1) / 2)
    };
    let whole = (stands.start + stands.end.max(stands.start + 1) - 1) / 2;
    run(&|seen| seen.stands == [true; 2]).or_else(|| run(&|seen| seen.stands[1])).unwrap_or(whole)
}

/// Farthest that a labelled point is from where it stood first in the stance.
fn slip(seen: &[Seen], stands: &Range<usize>) -> f32 {
    let mut worst = 0.0_f32;
    for point in 0..2 {
        let place = |frame: usize| if point == 0 { seen[frame].ankle } else { seen[frame].toe };
        let mut first = None;
        for frame in stands.clone() {
            if !seen[frame].stands[point] {
                first = None;
                continue;
            }
            let from = *first.get_or_insert(place(frame));
            worst = worst.max(place(frame).distance(from));
        }
    }
    worst
}

fn labels(seen: &[Seen]) -> FootContacts {
    let ranges = |point: usize| {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (frame, seen) in seen.iter().enumerate().filter(|(_, seen)| seen.stands[point]) {
            let _ = seen;
            match ranges.last_mut() {
                Some(last) if last.end == frame => last.end += 1,
                _ => ranges.push(frame..frame + 1),
            }
        }
        ranges
    };
    FootContacts { heel: ranges(0), toe: ranges(1) }
}

/// The other foot.
#[must_use]
pub fn other(foot: Side) -> Side {
    super::gait::side(1 - index(foot))
}
