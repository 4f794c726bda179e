//! A plan played: the player fed with its steps, frame by frame, until the last foot stands.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Side;
use ugoki_base::{Progress, report};

use super::effort::Trace;
use super::gait::{Cycle, Start, side};
use super::judge::{Landed, Seen, judge, labels};
use super::limits::{Limits, Manner, Taken};
use super::plan::Footstep;
use super::walked::Walked;
use super::{Gait, WalkError};
use crate::edit::player::{Footfall, Landing, Player, PlayerScratch, Repertoire, index};

/// What is to be played.
pub(super) struct Score<'a> {
    /// The steps by which it is judged.
    pub(super) plan: &'a [Footstep],
    /// Where feet are sent for that; one more, where the swing after the last step goes.
    pub(super) aims: &'a [Footstep],
    /// How each step is taken, and the swing after the last one.
    pub(super) manners: &'a [Manner],
    /// The swing after the last step is cut where it goes beyond these.
    pub(super) limits: Option<&'a Limits>,
}

/// A walk, and what each step took.
pub(super) struct Played {
    pub(super) walked: Walked,
    pub(super) steps: Vec<Taken>,
    /// The same of the swing after the last step, before it was cut.
    pub(super) after: Taken,
}

/// Frames between two reports of progress.
const REPORT_EVERY: usize = 64;
/// Frames that the last foot stands flat at least before a walk may end: where it stands is then told from more than one.
const STANDS_FRAMES: usize = 2;

/// The frames of a walk.
struct Frames {
    poses: Vec<Pose>,
    seen: [Vec<Seen>; 2],
    /// How far the hips sink, metres.
    sunk_m: Vec<f32>,
    landed: Vec<Landed>,
    seams: Vec<usize>,
    laps: usize,
    residual_m: f32,
    /// Farthest that toes were kept back, radians.
    toes_clamped: f32,
}

impl Gait {
    /// Plays a plan.
    pub(super) fn play(&self, score: &Score<'_>, progress: Progress<'_>) -> Result<Played, WalkError> {
        let plan = score.plan;
        let start = self.start(plan[0].foot);
        let there = self.steps.len() - start.step;
        if plan.len() > there && self.cycle.is_none() {
            return Err(WalkError::NoCycle { steps: there });
        }
        let source = self.source();
        let fps = source.clip_fps;
        let mut trace = Trace::new(&source.toes, self.repertoire.hips(), source.leg_m, Some(self.knees));
        let mut frames = self.frames(score, &start, &mut trace, progress)?;
        let ends: Vec<usize> = frames.landed.iter().map(|landed| landed.frame).collect();
        let count = frames.poses.len();
        let stands = Self::stands_from(&frames, plan[plan.len() - 1].foot);
        let sunk =
            |from: usize, to: usize| frames.sunk_m[from.min(to)..to].iter().copied().fold(0.0, f32::max);
        let taken = |from: usize, to: usize| Taken {
            effort: trace.effort(from..to, fps),
            sunk_m: sunk(from, to),
            length_m: 0.0,
            seconds: (to - from.min(to)) as f32 / fps as f32,
        };
        let steps: Vec<Taken> = (0..ends.len())
            .map(|at| {
                let (from, to) = (if at == 0 { 0 } else { ends[at - 1] + 1 }, ends[at] + 1);
                let before = if at == 0 { self.stands_first(plan[0].foot).place } else { plan[at - 1].place };
                // Coming to stand belongs to the last step.
                let until = if at + 1 == ends.len() { stands.max(to) } else { to };
                Taken {
                    length_m: (plan[at].place - before).with_y(0.0).length(),
                    seconds: (to - from) as f32 / fps as f32,
                    ..taken(from, until.min(count))
                }
            })
            .collect();
        let after = taken(stands.min(count), count);
        if let Some(limits) = score.limits {
            let longest = steps.iter().map(|step| step.length_m).fold(0.0, f32::max);
            let most = self.most_sunk(longest, self.largest_rise(plan));
            let bad = |frame: usize| {
                let effort = trace.effort(frame..frame + 1, fps);
                limits.over(&effort) > 1.0 || effort.nears.0 < limits.nears || frames.sunk_m[frame] > most
            };
            if let Some(end) = (stands..count).find(|&frame| bad(frame)) {
                frames.cut(end);
                trace.cut(end);
            }
        }
        let mut clip =
            Clip::from_poses(source.skeleton.clone(), fps, &frames.poses).map_err(WalkError::Clip)?;
        clip.name = format!("{}-walk", source.name);
        let sunk_m = (frames.sunk_m.iter().copied().enumerate()).fold(
            (0.0, 0),
            |most: (f32, usize), (frame, sunk)| if sunk > most.0 { (sunk, frame) } else { most },
        );
        let walked = Walked {
            clip,
            steps: judge(plan, &frames.landed, &frames.seen, fps),
            contacts: [0, 1].map(|foot: usize| labels(&frames.seen[foot])),
            source_start_s: start.frame as f64 / source.fps,
            laps: frames.laps,
            seams: frames.seams,
            sunk_m,
            effort: trace.whole(fps),
            slowed: 1.0,
            residual_m: frames.residual_m,
            toes_clamped_deg: frames.toes_clamped.to_degrees(),
        };
        Ok(Played { walked, steps, after })
    }

    /// The frame from which on a walk may end: its last foot has stood flat for a moment. One that never does is seen to its end.
    fn stands_from(frames: &Frames, foot: Side) -> usize {
        let seen = &frames.seen[index(foot)];
        let Some(landed) = frames.landed.last() else { return seen.len() };
        let flat = (landed.frame..seen.len()).find(|&frame| seen[frame].stands == [true; 2]);
        flat.map_or(seen.len(), |frame| (frame + STANDS_FRAMES).min(seen.len()))
    }

    /// Plays until the last foot stands.
    fn frames(
        &self,
        score: &Score<'_>,
        start: &Start,
        trace: &mut Trace<'_>,
        progress: Progress<'_>,
    ) -> Result<Frames, WalkError> {
        let &Score { plan, aims, manners, .. } = score;
        let source = self.source();
        let mut player = self.player(plan[0].foot)?;
        let mut scratch = PlayerScratch::new(&self.repertoire);
        let mut pose = Pose::rest(&source.skeleton);
        let mut model = ModelPose::default();
        let mut frames = Frames {
            poses: Vec::new(),
            seen: [Vec::new(), Vec::new()],
            sunk_m: Vec::new(),
            landed: Vec::with_capacity(plan.len()),
            seams: Vec::new(),
            laps: 0,
            residual_m: 0.0,
            toes_clamped: 0.0,
        };
        let aim = |player: &mut Player, at: usize| -> Result<(), WalkError> {
            let Some(step) = aims.get(at) else { return Ok(()) };
            player.go_round(step.foot, manners[at].wider_m);
            player.put_exactly(step.foot, step.footfall())
        };
        aim(&mut player, 0)?;
        let mut landing = self.landings_before(start).count();
        if landing == 0 {
            aim(&mut player, 1)?;
        }
        player.take_time(manners[0].tempo);
        let mut finished = false;
        loop {
            let residual = player.pose_into(&mut scratch, &mut pose);
            frames.residual_m = frames.residual_m.max(residual.held_m);
            frames.sunk_m.push(scratch.sunk_m);
            frames.toes_clamped = frames.toes_clamped.max(scratch.toes_clamped);
            forward_kinematics_into(&source.skeleton, &pose, &mut model);
            trace.see(&model);
            for (foot, seen) in frames.seen.iter_mut().enumerate() {
                let joints = &source.toes.feet[foot];
                seen.push(Seen {
                    ankle: model.positions[joints.ankle],
                    toe: joints.toe.position(&model),
                    stands: player.contacts(side(foot)),
                });
            }
            frames.poses.push(pose.clone());
            let made = frames.landed.len();
            if finished || self.is_over(plan, made, &player) {
                return Ok(frames);
            }
            if frames.poses.len().is_multiple_of(REPORT_EVERY) {
                report(progress, made as f32 / plan.len() as f32)?;
            }
            self.choose(&mut player, plan.len() - made);
            let before = (player.time(), player.segment());
            let feet = player.advance(1.0 / source.clip_fps);
            frames.laps += usize::from(player.time() < before.0);
            if player.segment() != before.1 || player.time() < before.0 {
                frames.seams.push(frames.poses.len());
            }
            for _ in feet.iter().filter(|&&landed| landed) {
                if landing > 0 {
                    landing -= 1;
                } else if let Some(step) = plan.get(frames.landed.len()) {
                    let (rest_m, toe_rest_m) = (player.rest_m(step.foot), player.toe_rest_m(step.foot));
                    frames.landed.push(Landed { frame: frames.poses.len(), rest_m, toe_rest_m });
                }
                let made = frames.landed.len();
                if landing == 0 {
                    aim(&mut player, made + 1)?;
                }
                player.take_time(manners.get(made).map_or(1.0, |manner| manner.tempo));
            }
            finished = player.is_finished();
        }
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
            player.put_exactly(side(landing.foot), self.own_footfall(landing, &start))?;
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

impl Frames {
    /// Ends before a frame.
    fn cut(&mut self, frame: usize) {
        self.poses.truncate(frame);
        self.sunk_m.truncate(frame);
        self.seen.iter_mut().for_each(|seen| seen.truncate(frame));
        self.seams.retain(|&seam| seam < frame);
    }
}
