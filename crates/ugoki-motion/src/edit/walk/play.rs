//! A plan played: the player fed with its steps, frame by frame, until the last foot stands.

use std::ops::Range;
use std::sync::Arc;

use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Side;
use ugoki_base::{Progress, report};
use ugoki_feet::feet::config::REPORT_EVERY;

use super::effort::{Effort, Trace};
use super::gait::{Cycle, Start, side};
use super::limits::{Limits, StepTuning, Taken};
use super::plan::Footstep;
use super::walked::{Landed, Seen, Walked, labels, walked_steps};
use super::{Gait, WalkError};
use crate::edit::player::{Landing, Player, PlayerScratch, Repertoire, index};

/// What is to be played.
pub(super) struct Score<'a> {
    /// The steps by which it is judged.
    pub(super) plan: &'a [Footstep],
    /// Where feet are sent for that.
    pub(super) aims: &'a [Footstep],
    /// How each step is taken, and the swing after the last one.
    pub(super) tunings: &'a [StepTuning],
    /// The swing after the last step is cut where it goes beyond these.
    pub(super) limits: Option<&'a Limits>,
}

/// A walk, and what each step took.
pub(super) struct Played {
    pub(super) walked: Walked,
    pub(super) steps: Vec<Taken>,
    /// The effort of the swing after the last step, before it was cut.
    pub(super) after: Effort,
}

/// Frames that the last foot stands flat at least before a walk may end: where it stands then shows in more than one.
const STANDS_FRAMES: usize = 2;

/// The frames of a walk.
#[derive(Default)]
struct Frames {
    poses: Vec<Pose>,
    seen: [Vec<Seen>; 2],
    /// How far the hips sink, metres.
    lowering_m: Vec<f32>,
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
        let count = frames.poses.len();
        let stands = frames.stands_from(plan[plan.len() - 1].foot);
        let first = self.stands_first(plan[0].foot);
        let mut from = 0;
        let steps: Vec<Taken> = (frames.landed.iter().enumerate())
            .map(|(at, landed)| {
                let before = if at == 0 { &first } else { &plan[at - 1] };
                let to = landed.frame + 1;
                // Coming to stand belongs to the last step.
                let until = if at + 1 == frames.landed.len() { stands.max(to) } else { to }.min(count);
                let taken = Taken {
                    effort: trace.effort(from..until, fps),
                    lowering_m: frames.lowering_m(from..until),
                    length_m: (plan[at].place - before.place).with_y(0.0).length(),
                    seconds: (to - from) as f32 / fps as f32,
                };
                from = to;
                taken
            })
            .collect();
        let after = trace.effort(stands..count, fps);
        if let Some(limits) = score.limits {
            let longest = steps.iter().map(|step| step.length_m).fold(0.0, f32::max);
            let most = self.most_lowering(longest, self.largest_rise(plan));
            let bad = |frame: usize| {
                let effort = trace.effort(frame..frame + 1, fps);
                limits.over(&effort) > 1.0 || effort.nears.0 < limits.nears || frames.lowering_m[frame] > most
            };
            if let Some(end) = (stands..count).find(|&frame| bad(frame)) {
                frames.cut(end);
                trace.cut(end);
            }
        }
        let mut clip =
            Clip::from_poses(source.skeleton.clone(), fps, &frames.poses).map_err(WalkError::Clip)?;
        clip.name = format!("{}-walk", source.name);
        let walked = Walked {
            clip,
            steps: walked_steps(plan, &frames.landed, &frames.seen, fps),
            contacts: frames.seen.each_ref().map(|seen| labels(seen)),
            source_start_s: start.frame as f64 / source.fps,
            laps: frames.laps,
            lowering_m: frames.lowering_m(0..frames.lowering_m.len()),
            seams: frames.seams,
            effort: trace.whole(fps),
            slowed: 1.0,
            residual_m: frames.residual_m,
            toes_clamped_deg: frames.toes_clamped.to_degrees(),
        };
        Ok(Played { walked, steps, after })
    }

    /// Plays until the last foot stands.
    fn frames(
        &self,
        score: &Score<'_>,
        start: &Start,
        trace: &mut Trace<'_>,
        progress: Progress<'_>,
    ) -> Result<Frames, WalkError> {
        let &Score { plan, aims, tunings, .. } = score;
        let source = self.source();
        let mut player = self.player(plan[0].foot);
        let mut scratch = PlayerScratch::new(&self.repertoire);
        let (mut pose, mut model) = (Pose::rest(&source.skeleton), ModelPose::default());
        let mut frames = Frames::default();
        let aim = |player: &mut Player, at: usize| {
            if let Some(step) = aims.get(at) {
                player.plan_step(step.foot, step.footfall(), tunings[at].wider_m);
            }
        };
        aim(&mut player, 0);
        // Landings before the first step of the plan.
        let mut earlier = self.landings_before(start).count();
        if earlier == 0 {
            aim(&mut player, 1);
        }
        player.set_tempo(tunings[0].tempo);
        let mut finished = false;
        loop {
            let residual = player.pose_into(&mut scratch, &mut pose);
            frames.residual_m = frames.residual_m.max(residual.held_m);
            frames.lowering_m.push(scratch.lowering_m);
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
            self.choose_segment(&mut player, plan.len() - made);
            let (time, segment) = (player.time(), player.segment());
            let feet = player.advance(1.0 / source.clip_fps);
            let back = player.time() < time;
            frames.laps += usize::from(back);
            if player.segment() != segment || back {
                frames.seams.push(frames.poses.len());
            }
            for _ in feet.iter().filter(|&&landed| landed) {
                if earlier > 0 {
                    earlier -= 1;
                } else if let Some(step) = plan.get(frames.landed.len()) {
                    let (toe, rest_m) = player.rest(step.foot);
                    frames.landed.push(Landed { frame: frames.poses.len(), toe, rest_m });
                }
                let made = frames.landed.len();
                if earlier == 0 {
                    aim(&mut player, made + 1);
                }
                player.set_tempo(tunings.get(made).map_or(1.0, |tuning| tuning.tempo));
            }
            finished = player.is_finished();
        }
    }

    /// A player at the start of a walk whose first step is of `foot`. A foot that is about to land then lands where the
    /// source has it; its own step comes after that.
    #[must_use]
    pub fn player(&self, foot: Side) -> Player {
        let start = self.start(foot);
        let shared = self.repertoire.clone();
        let mut player = Player::at_frame(shared, start.segment, start.frame as f64, start.place);
        for landing in self.landings_before(&start) {
            let step = self.own_step(landing.foot, landing.stance, &start.place);
            player.plan_step(step.foot, step.footfall(), 0.0);
        }
        player
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

    /// At the end of the stride that repeats: again, while more steps are to come than follow in the source.
    fn choose_segment(&self, player: &mut Player, to_come: usize) {
        let Some(Cycle { leave, enter, tail }) = self.cycle else { return };
        if player.segment() != leave {
            return;
        }
        let end = self.repertoire.segments()[leave].to;
        let ahead = |step: &&Landing| step.frame as f64 > player.time() && step.frame <= end;
        if to_come.saturating_sub(self.steps.iter().filter(ahead).count()) > tail {
            // The transition is there: it was linked when the gait was built.
            let _ = player.request(enter);
        } else {
            player.clear_request();
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
            source.feet.iter().all(|foot| foot.stances.last().is_some_and(|s| s.frames.end as f64 > last));
        if stops && source.landings.iter().all(|landing| landing.frame as f64 <= player.time()) {
            return player.time() >= last;
        }
        let feet = &source.feet[index(plan[plan.len() - 1].foot)];
        // A foot that is not flat moves while it stands: its whole stance shows where it does.
        feet.stance_before(player.time()).map(|stance| &feet.stances[stance]).is_none_or(|stance| {
            let until = if stance.flat { stance.middle } else { stance.frames.end - 1 };
            player.time() >= until as f64
        })
    }
}

impl Frames {
    /// The frame from which on a walk may end: its last foot has stood flat for a moment. One that never does is seen to its end.
    fn stands_from(&self, foot: Side) -> usize {
        let seen = &self.seen[index(foot)];
        let landed = self.landed.last().map_or(seen.len(), |landed| landed.frame);
        let flat = (landed..seen.len()).find(|&frame| seen[frame].stands == [true; 2]);
        flat.map_or(seen.len(), |frame| (frame + STANDS_FRAMES).min(seen.len()))
    }

    /// Farthest that the hips sink in some frames, metres.
    fn lowering_m(&self, frames: Range<usize>) -> f32 {
        self.lowering_m[frames].iter().copied().fold(0.0, f32::max)
    }

    /// Ends before a frame.
    fn cut(&mut self, frame: usize) {
        self.poses.truncate(frame);
        self.lowering_m.truncate(frame);
        self.seen.iter_mut().for_each(|seen| seen.truncate(frame));
        self.seams.retain(|&seam| seam < frame);
    }
}
