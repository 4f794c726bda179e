//! Choice of a walk: the gait of a clip or of its loop, and the clips whose steps are most like a plan's.

use super::gait::largest;
use super::{Footstep, Gait, WalkError};
use crate::edit::{CycleConfig, close_cycle, made_cycle};
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, find_contacts};

/// Repeats of a clip that was made as a loop: two strides and their neighbours.
const UNROLLED: usize = 4;

/// Weight of a radian of turn per step against a metre of step length. A quarter turn over six steps counts as half a
/// metre, more than the steps of walks differ by: steps that are too short can be lengthened, but a straight walk does not
/// become a turn.
const TURN_COST_M: f32 = 2.0;

/// What a walk gains for each of its first eight steps, metres.
const STEP_GAIN_M: f32 = 0.01;

/// The gait of a clip. A clip with fewer than three steps that was made as a loop is repeated first.
///
/// # Errors
/// When the clip does not walk, or the caller stops.
pub fn build_gait(clip: &Clip, progress: Progress<'_>) -> Result<Gait, WalkError> {
    let found = Gait::build(clip, progress);
    match &found {
        Err(WalkError::NoGait { .. } | WalkError::OnTiptoe { .. }) => {}
        Ok(gait) if gait.num_steps() < 3 => {}
        _ => return found,
    }
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let Some(cycle) = made_cycle(clip, contacts.as_ref()) else { return found };
    let config = CycleConfig { cycles: UNROLLED, ..CycleConfig::default() };
    let unrolled = close_cycle(clip, contacts.as_ref(), &cycle.frames, &config, progress);
    match unrolled.map(|looped| Gait::build(&looped.clip, progress)) {
        Ok(Ok(gait)) => Ok(gait),
        _ => found,
    }
}

/// The steps of a plan in summary, for the choice among several walks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSummary {
    /// Mean length of a step, metres; any when absent.
    pub stride_m: Option<f32>,
    /// Turn to the left over all steps, radians.
    pub turn: f32,
    /// Number of steps; as many as the walk has when absent.
    pub count: Option<usize>,
    /// Largest rise from one step to the next, metres; negative when it falls.
    pub rise_m: f32,
}

impl StepSummary {
    /// The summary of a plan.
    #[must_use]
    pub fn from_plan(plan: &[Footstep]) -> Self {
        let pairs = plan.len().saturating_sub(1);
        let steps = || plan.windows(2).map(|pair| pair[1].place - pair[0].place);
        let length: f32 = steps().map(|step| step.with_y(0.0).length()).sum();
        let ends = plan.first().zip(plan.last());
        let turn = ends.and_then(|(first, last)| Some(last.heading_deg? - first.heading_deg?)).unwrap_or(0.0);
        Self {
            stride_m: (pairs > 0).then(|| length / pairs as f32),
            turn: turn.to_radians(),
            count: Some(pairs),
            rise_m: largest(steps().map(|step| step.y)),
        }
    }

    /// How far the steps of a gait are from these, metres; less is better.
    fn distance(&self, gait: &Gait) -> f32 {
        let stride = self.stride_m.map_or(0.0, |stride| (gait.stride_m() - stride).abs());
        let count = self.count.unwrap_or(gait.num_steps()).max(1);
        let turn = TURN_COST_M * (gait.turn() - self.turn / count as f32).abs();
        let rise = (gait.rise_m() - self.rise_m).abs();
        stride + turn + rise - STEP_GAIN_M * gait.num_steps().min(8) as f32
    }
}

/// The clips that walk, by number, those first whose steps are most like the summary in length, turn and rise.
///
/// # Errors
/// When none walks (the last clip's reason), or the caller stops.
pub fn rank_walks(
    clips: &[Clip],
    steps: &StepSummary,
    progress: Progress<'_>,
) -> Result<Vec<usize>, WalkError> {
    let mut order: Vec<(f32, usize)> = Vec::new();
    let mut why = WalkError::NoSource;
    for (at, clip) in clips.iter().enumerate() {
        let overall = |part: f32| (at as f32 + part) / clips.len() as f32;
        match build_gait(clip, &mut |part| progress(overall(part))) {
            Ok(gait) => order.push((steps.distance(&gait), at)),
            Err(error @ WalkError::Cancelled(_)) => return Err(error),
            Err(error) => why = error,
        }
    }
    if order.is_empty() {
        return Err(why);
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(order.into_iter().map(|(_, at)| at).collect())
}
