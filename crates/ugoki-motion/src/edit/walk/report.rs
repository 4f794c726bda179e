//! What became of a planned walk.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use ugoki_base::skeleton::Side;
use ugoki_feet::contact::ContactCoverage;

use super::{BROKEN_BEND_S, BROKEN_BOB_M_S, Footstep, Gait, Walked, WalkedStep};

/// Footfalls farther from the plan than this are reported, mm: the promised accuracy.
const REPORTED_MISS_MM: f32 = 1.0;
/// Steps slower than this are reported: a tenth begins to show.
const REPORTED_PACE: f32 = 0.9;
/// Hips that sink farther than this are reported, metres: it begins to show.
const REPORTED_SINK_M: f32 = 0.1;

/// Toes kept back by more than this are reported, degrees.
const REPORTED_TOES_DEG: f32 = 1.0;

/// What became of a planned walk.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct WalkReport {
    /// The clip whose steps were used.
    pub source: String,
    /// Where the other foot stands when the first step begins: what a plan starts from.
    pub stands: Footstep,
    /// Every step.
    pub steps: Vec<WalkedStep>,
    /// Frames of the walk.
    pub frames: usize,
    /// Length, seconds.
    pub seconds: f64,
    /// First moment of the source that was used, seconds.
    pub source_start_s: f64,
    /// How often the source's stride was repeated.
    pub laps: usize,
    /// Steps that were moved to be possible, counted from 1.
    pub clamped: Vec<usize>,
    /// Largest distance of a footfall from its plan, mm.
    pub missed_mm: f32,
    /// Farthest that the hips sink for the steps, metres.
    pub hips_sink_m: f32,
    /// The slowest that a step is taken against the pace that its length gives, so that knees, feet and hips stay as fast as the
    /// source's; 1 when none is.
    pub slowed: f32,
    /// The longest that a step takes, from the footfall before, seconds.
    pub slowest_step_s: f64,
    /// Farthest that toes would have been bent beyond the source's range and 10°, degrees; they are kept within it.
    pub toes_clamped_deg: f32,
    /// Where the source moves as no body does, and the walk with it.
    pub broken: Option<BrokenSource>,
    /// Mean speed of standing feet in the source, mm/s.
    pub source_skate_mm_s: f64,
    /// How the contacts that are held compare with those that are found in the result.
    pub held: Option<ContactCoverage>,
}

/// A source that is broken: knees or hips faster than any body's.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct BrokenSource {
    /// When in the source, seconds from its start.
    pub source_s: f64,
    /// When in the walk, seconds.
    pub at_s: f64,
    /// Fastest bending of a knee in the walk, degrees per second.
    pub knee_deg_s: f32,
    /// Fastest rise or sinking of the hips in the walk, metres per second.
    pub hips_m_s: f32,
}

impl Serialize for WalkedStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut step = serializer.serialize_struct("WalkedStep", 7)?;
        step.serialize_field("foot", &self.planned.foot)?;
        step.serialize_field("planned", &self.planned.place)?;
        step.serialize_field("reached", &self.reached)?;
        step.serialize_field("heading_deg", &self.heading_deg)?;
        step.serialize_field("start_s", &self.start_s)?;
        step.serialize_field("end_s", &self.end_s)?;
        step.serialize_field("slip_mm", &(1e3 * self.slip_m))?;
        step.end()
    }
}

impl Gait {
    /// Reports on a walk of this gait: `plan` as it was asked for, `source` the name of the clip and `skate_m_s` the mean speed of its
    /// standing feet.
    #[must_use]
    pub fn report(&self, plan: &[Footstep], walked: &Walked, source: &str, skate_m_s: f64) -> WalkReport {
        let missed = walked.steps.iter().map(|step| step.missed().length());
        let pairs = plan.iter().zip(&walked.steps).enumerate();
        let waits = walked.steps.windows(2).map(|pair| pair[1].end_s - pair[0].end_s);
        WalkReport {
            source: source.to_owned(),
            stands: self.stands_first(plan.first().map_or(self.first_foot(), |step| step.foot)),
            steps: walked.steps.clone(),
            frames: walked.clip.num_frames(),
            seconds: walked.clip.seconds(),
            source_start_s: walked.source_start_s,
            laps: walked.laps,
            // What is possible keeps its bits.
            clamped: pairs
                .filter(|(_, (asked, step))| **asked != step.planned)
                .map(|(at, _)| at + 1)
                .collect(),
            missed_mm: 1e3 * missed.fold(0.0, f32::max),
            hips_sink_m: walked.lowering_m,
            slowed: walked.slowed,
            slowest_step_s: waits.fold(0.0, f64::max),
            toes_clamped_deg: walked.toes_clamped_deg,
            broken: self.broken_source(walked),
            source_skate_mm_s: 1e3 * skate_m_s,
            held: ContactCoverage::measure(&walked.clip, &walked.contacts),
        }
    }

    /// Where the source moves as no body does, if that shows in the walk.
    #[must_use]
    pub fn broken_source(&self, walked: &Walked) -> Option<BrokenSource> {
        let (own, taken) = (self.captured(), &walked.effort);
        let bends = taken.bends.0 > BROKEN_BEND_S;
        if !bends && taken.bobs.0 <= BROKEN_BOB_M_S {
            return None;
        }
        let fps = walked.clip.fps();
        let [frame, source] = if bends { [taken.bends.1, own.bends.1] } else { [taken.bobs.1, own.bobs.1] };
        Some(BrokenSource {
            source_s: source as f64 / fps,
            at_s: frame as f64 / fps,
            knee_deg_s: taken.bends.0.to_degrees(),
            hips_m_s: taken.bobs.0,
        })
    }
}

impl WalkReport {
    /// What is worth knowing of the walk, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let slip = self.steps.iter().map(|step| 1e3 * step.slip_m).fold(0.0, f32::max);
        let mut notes = vec![format!(
            "footfalls within {:.2} mm of the plan, feet slip at most {slip:.2} mm (the source skates {:.0} mm/s)",
            self.missed_mm, self.source_skate_mm_s
        )];
        notes.extend(self.held.map(|held| held.to_string()));
        let foot = if self.stands.foot == Side::Left { "left" } else { "right" };
        let place = self.stands.place;
        notes.push(format!(
            "the {foot} foot stands at x {:.2}, z {:.2} when the first step begins",
            place.x, place.z
        ));
        if self.hips_sink_m > REPORTED_SINK_M {
            notes.push(format!("hips sink by up to {:.2} m for these steps", self.hips_sink_m));
        }
        if self.slowed < REPORTED_PACE {
            notes.push(format!(
                "steps take up to {:.2} s, {:.0} % of their pace, to move as the source does",
                self.slowest_step_s,
                100.0 * self.slowed
            ));
        }
        if self.toes_clamped_deg > REPORTED_TOES_DEG {
            notes.push(format!(
                "toes kept from bending {:.0}° beyond the source's range",
                self.toes_clamped_deg
            ));
        }
        if self.laps > 0 {
            notes.push(format!("the source's best stride is repeated {} times", self.laps));
        }
        if !self.clamped.is_empty() {
            let steps: Vec<String> = self.clamped.iter().map(ToString::to_string).collect();
            notes.push(format!("moved to be possible: step {}", steps.join(", ")));
        }
        notes
    }

    /// Steps that stand farther than a millimetre from their plan, counted from 1, and how far, mm.
    pub fn missed_steps(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let steps = self.steps.iter().enumerate().map(|(at, step)| (at + 1, 1e3 * step.missed().length()));
        steps.filter(|(_, missed_mm)| *missed_mm > REPORTED_MISS_MM)
    }
}
