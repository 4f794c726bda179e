//! What became of the joints and of the feet.

use serde::{Deserialize, Serialize};
use ugoki_base::skeleton::Role;

use super::Evidence;

/// What is said when a stance is a guess.
const GUESSED: &str = "the rest pose is no standing body and no T-pose is in front: how the body stands was guessed from \
                       its motion; look at pelvis, head and feet, or use a file with a T-pose [stance-guessed]";

/// A joint that takes over another's motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MappedJoint {
    /// What both are; `None` for back joints without a role.
    pub role: Option<Role>,
    /// Name in the source.
    pub source: String,
    /// Name in the target.
    pub target: String,
    /// How far the two rest poses differ here, degrees; removed.
    pub rest_difference_deg: f32,
}

/// A joint of the target that the source lacks and that gets a share of its neighbours' turning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bridge {
    /// Name in the target.
    pub target: String,
    /// Source joint below it on the way.
    pub from: String,
    /// Source joint above it on the way.
    pub to: String,
    /// Share of the way.
    pub share: f64,
}

/// How two skeletons were matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mapping {
    /// What told how the source stands.
    pub source_stance: Evidence,
    /// What told how the target stands.
    pub target_stance: Evidence,
    /// Legs of the target over legs of the source: all travel is multiplied by it.
    pub scale: f64,
    /// Joints that take over a joint's motion, in the target's order.
    pub mapped: Vec<MappedJoint>,
    /// Joints that get a share of their neighbours' turning.
    pub bridged: Vec<Bridge>,
    /// Source joints with a role that the target lacks; what they turn is carried on by the joints below them.
    pub composed: Vec<String>,
    /// Target joints that the source says nothing about.
    pub at_rest: Vec<String>,
}

/// A foot that stands farther than this off the floor is spoken of, mm: a toe joint is 18 mm over the sole, so that less is
/// a foot half sunk or a gap of a finger's width.
const OFF_FLOOR_MM: f64 = 15.0;

/// How high a foot stands on the target, in the median over the frames in which it stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StandsAt {
    /// How long it stands, heel and toe where there is 0.1 s of that, seconds.
    pub seconds: f64,
    /// How much higher the toe point is than it stands on the floor, or as high as the source's where that is nearer, mm.
    pub toe_off_mm: f64,
    /// The same of the ankle over its height in a flat foot, mm; `None` where heel and toe never stand together.
    pub ankle_off_mm: Option<f64>,
}

impl StandsAt {
    /// The one of toe and ankle that is farther off, if it is by more than a foot may be, mm.
    #[must_use]
    pub fn off_floor_mm(&self) -> Option<f64> {
        let ankle = self.ankle_off_mm.unwrap_or(0.0);
        let worst = if ankle.abs() > self.toe_off_mm.abs() { ankle } else { self.toe_off_mm };
        (worst.abs() > OFF_FLOOR_MM).then_some(worst)
    }
}

/// How the feet stand on the target.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Held {
    /// Heel and toe contacts of the source in which the foot stands.
    pub contacts: usize,
    /// Of these, those held on the target; the others slide on purpose or are out of reach.
    pub held: usize,
    /// Farthest that a held point strays from its mean place over the ground, mm.
    pub slip_mm: f64,
    /// The same points in the source, scaled to the target's legs, mm.
    pub source_slip_mm: f64,
    /// Farthest over the ground between two successive holds of a point that stays down between them, mm: the foot is
    /// shuffled or slides there.
    pub between_mm: f64,
    /// How far the source moves there, scaled to the target's legs, mm.
    pub source_between_mm: f64,
    /// Most that such a move is longer than the source's, mm.
    pub between_added_mm: f64,
    /// Most that a point moves farther than the source's just before or after it is held, while the source's is still
    /// down, mm: a hold that undoes much skate of the source gives it back there.
    pub beside_mm: f64,
    /// Frames of held contacts in which the foot is on its way from or to another place: two stances of a foot that
    /// follow each other too closely give up their ends. They do not count as slip.
    pub released_frames: usize,
    /// Frames of all contacts that are held, those released included.
    pub held_frames: usize,
    /// Contacts let go because the leg could not reach or its knee would bend too far.
    pub out_of_reach: usize,
    /// Farthest that a held ankle stays from its place, mm: where the leg is too short.
    pub shortfall_mm: f64,
    /// Deepest that a toe point goes below its standing height, mm.
    pub under_floor_mm: f64,
    /// Farthest that the hips moved for the feet, mm.
    pub hip_shift_mm: f64,
    /// Largest change of a knee for the feet, degrees.
    pub knee_change_deg: f64,
    /// How much farther apart the feet were set because legs would have passed nearer to each other than in the source, mm.
    pub wider_mm: f64,
    /// How high left and right foot stand; `None` for a foot that never does.
    pub stands_at: [Option<StandsAt>; 2],
}

/// Ways of feet longer than this are reported, mm: they begin to show.
const REPORTED_MM: f64 = 10.0;

/// What retargeting did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetargetReport {
    /// Whether source and target are the same skeleton and the clip was returned as it is.
    pub unchanged: bool,
    /// Which joint went where.
    pub mapping: Mapping,
    /// Height of the source's floor that became 0, metres of the source.
    pub floor_m: f64,
    /// Frames in which the source shows nothing but zeros: they have the pose of the frame beside them.
    pub dropout_frames: usize,
    /// The feet; `None` when they were not held.
    pub feet: Option<Held>,
}

impl RetargetReport {
    /// What the user should look at, in one sentence.
    #[must_use]
    pub fn warning(&self) -> Option<&'static str> {
        let guessed =
            [self.mapping.source_stance, self.mapping.target_stance].contains(&Evidence::StandingFrame);
        (guessed && !self.unchanged).then_some(GUESSED)
    }

    /// Contacts held on the new skeleton, in a few words.
    #[must_use]
    pub fn summary(&self) -> String {
        let Some(feet) = self.feet.filter(|feet| feet.contacts > 0 && !self.unchanged) else {
            let text = if self.unchanged { "on that skeleton already" } else { "on another skeleton" };
            return text.to_owned();
        };
        let mut summary =
            format!("{} of {} contacts held, slip {:.1} mm", feet.held, feet.contacts, feet.slip_mm);
        if feet.released_frames > 0 {
            summary += &format!(", {} frames between two stances released", feet.released_frames);
        }
        if feet.between_mm > REPORTED_MM {
            summary += &format!(
                ", a foot that stays down moves {:.0} mm between two of them (the source {:.0} mm)",
                feet.between_mm, feet.source_between_mm
            );
        }
        if feet.beside_mm > REPORTED_MM {
            let moved = feet.beside_mm;
            summary += &format!(", a low foot moves {moved:.0} mm more than the source next to a hold");
        }
        summary
    }

    /// Everything that the user should look at, a sentence each: [`RetargetReport::warning`], feet that stand off the floor,
    /// frames without a capture.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.warning().map(str::to_owned).into_iter().collect();
        let stands = self.feet.map(|feet| feet.stands_at).unwrap_or_default();
        for (side, stands) in ["left", "right"].iter().zip(stands) {
            if let Some(off) = stands.and_then(|stands| stands.off_floor_mm()) {
                let (mm, where_) = (off.abs(), if off > 0.0 { "over" } else { "under" });
                notes.push(format!(
                    "the {side} foot stands {mm:.0} mm {where_} the floor; look at it, or plant its feet [off-floor]"
                ));
            }
        }
        if self.dropout_frames > 0 {
            notes.push(format!(
                "{} frames of zeros have the pose of the frame beside them [dropout]",
                self.dropout_frames
            ));
        }
        notes
    }
}
