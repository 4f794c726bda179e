//! How clips are blended, what can be wrong with them, and what blending did.

use serde::{Deserialize, Serialize};
use ugoki_base::Cancelled;
use ugoki_base::clip::ClipError;
use ugoki_base::signal::{AmbiguousJoint, WeightCurve, WeightError};

use super::align::{AlignError, AlignReport};

/// Joints that notes list, and times of each.
const SHOWN_JOINTS: usize = 6;
const SHOWN_TIMES: usize = 3;

/// Whether moments are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum TimeAlign {
    /// By dynamic time warping over poses; the result lasts as long as the weighted mean.
    #[default]
    Time,
    /// Frame by frame; the result ends with the shortest clip.
    None,
}

/// How rotations are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlendMethod {
    /// Intrinsic mean.
    #[default]
    Exact,
    /// Normalised weighted sum, signs corrected: faster, usually within a degree.
    Qlerp,
}

/// How to blend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlendConfig {
    /// One curve per clip. Brought to sum 1 at every frame; may be negative.
    pub weights: Vec<WeightCurve>,
    /// Whether moments are matched first.
    pub align: TimeAlign,
    /// Whether every frame of the clips is turned and shifted on the ground to where the blend is: it starts where,
    /// and facing as, the weighted mean of them does, and goes on as they do on the mean.
    pub ground: bool,
    /// Whether a foot that all clips of weight plant stays where it is in the result.
    pub keep_contacts: bool,
    /// How rotations are combined.
    pub method: BlendMethod,
}

impl BlendConfig {
    /// Constant weights, everything else as users want it: time and ground aligned, contacts kept, exact.
    #[must_use]
    pub fn new(weights: &[f64]) -> Self {
        let weights = weights.iter().map(|&weight| WeightCurve::constant(weight)).collect();
        let (align, method) = (TimeAlign::Time, BlendMethod::Exact);
        Self { weights, align, ground: true, keep_contacts: true, method }
    }

    /// Constant weights and nothing but the mean of frame and frame: the article's blending.
    #[must_use]
    pub fn plain(weights: &[f64]) -> Self {
        Self { align: TimeAlign::None, ground: false, keep_contacts: false, ..Self::new(weights) }
    }
}

/// Why clips cannot be blended.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BlendError {
    /// Nothing to mix.
    #[error("found {clips} {}, a blend needs at least 2", if *clips == 1 { "clip" } else { "clips" })]
    TooFew {
        /// Clips given.
        clips: usize,
    },
    /// More than are mixed at once.
    #[error("found {clips} clips, a blend takes at most {most}")]
    TooMany {
        /// Clips given.
        clips: usize,
        /// Most that are taken.
        most: usize,
    },
    /// One weight per clip.
    #[error("found {weights} weights for {clips} clips")]
    WeightCount {
        /// Weights given.
        weights: usize,
        /// Clips given.
        clips: usize,
    },
    /// A curve is not one.
    #[error("weights of clip {} ({name:?}): {source}", clip + 1)]
    Weight {
        /// Which clip, from 0.
        clip: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        source: WeightError,
    },
    /// The weights cancel.
    #[error("the weights sum to {sum:.3} at {time_s:.2} s, too near 0 to be brought to sum 1")]
    ZeroSum {
        /// Σ of the weights.
        sum: f64,
        /// When, seconds of the result.
        time_s: f64,
    },
    /// Negative weights stretch time.
    #[error("with these weights the blend would last {frames} frames, more than {most}")]
    TooLong {
        /// Frames of the result.
        frames: usize,
        /// The most that makes sense for these clips.
        most: usize,
    },
    /// Joints must correspond.
    #[error("clip {} ({name:?}) has another skeleton than the first: {difference}", clip + 1)]
    Skeleton {
        /// Which clip, from 0.
        clip: usize,
        /// Its name.
        name: String,
        /// The joints that differ.
        difference: String,
    },
    /// A clip without motion.
    #[error("clip {} ({name:?}) has no frames of motion", clip + 1)]
    Empty {
        /// Which clip, from 0.
        clip: usize,
        /// Its name.
        name: String,
    },
    /// Times cannot be matched.
    #[error("clip {} ({name:?}): {source}", clip + 1)]
    Align {
        /// Which clip, from 0.
        clip: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        source: AlignError,
    },
    /// Of three clips and more, two match different parts of the one they are aligned to, whichever that is.
    #[error(
        "clip {} ({name:?}) corresponds to {:.2}–{:.2} s of {reference:?} and {other:?} to {:.2}–{:.2} s: all have no part in common",
        clip + 1, matched_s[0], matched_s[1], other_s[0], other_s[1]
    )]
    NothingInCommon {
        /// One of the two clips that match different parts, from 0.
        clip: usize,
        /// Its name.
        name: String,
        /// The name of the other one.
        other: String,
        /// The name of the clip that they are aligned to.
        reference: String,
        /// What of the reference the clip corresponds to, seconds.
        matched_s: [f64; 2],
        /// What of it the other one corresponds to, seconds.
        other_s: [f64; 2],
    },
    /// The rate of a clip cannot be changed.
    #[error("clip {} ({name:?}): {source}", clip + 1)]
    Rate {
        /// Which clip, from 0.
        clip: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        source: ClipError,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl BlendError {
    /// The clip to blame, from 0, if one is.
    #[must_use]
    pub fn clip(&self) -> Option<usize> {
        match self {
            Self::Skeleton { clip, .. }
            | Self::Empty { clip, .. }
            | Self::Align { clip, .. }
            | Self::NothingInCommon { clip, .. }
            | Self::Rate { clip, .. } => Some(*clip),
            _ => None,
        }
    }
}

/// What blending did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlendReport {
    /// Frames of the result.
    pub frames: usize,
    /// Each clip's part in it, in the order given.
    pub clips: Vec<BlendedClip>,
    /// Joint-frames whose exact mean did not settle, for which one step from the heaviest clip was taken.
    pub fallbacks: usize,
    /// Joints and times at which two clips of weight are more than 120° apart: several means compete, and the blend moves from
    /// one to another at the clips' own speed.
    pub far_apart: Vec<AmbiguousJoint>,
    /// Feet held still where all clips plant them.
    pub contacts: Vec<KeptContact>,
    /// Farthest that the hips were shifted to let the legs reach, metres.
    pub hips_correction_m: f64,
}

/// One clip's part in a blend.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlendedClip {
    /// Its name.
    pub name: String,
    /// Whether it takes part; a clip whose weight is 0 at all times does not.
    pub takes_part: bool,
    /// Whether it was brought to the first clip's rate.
    pub resampled: bool,
    /// How it fits the clip that all are aligned to, the first of two; none for that clip and without time alignment.
    pub aligned: Option<AlignReport>,
    /// What of its start and of its end has no part in the result, seconds.
    pub left_out_s: [f64; 2],
    /// Turn about the vertical its first frame got, degrees.
    pub turn_deg: f64,
    /// Shift along the ground the hips of its first frame got, metres.
    pub shift_m: f64,
}

/// A foot that stays where it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeptContact {
    /// The joint held.
    pub joint: String,
    /// First frame of the result.
    pub start: usize,
    /// Frame after the last.
    pub end: usize,
    /// How far it would have slid, metres.
    pub slide_before_m: f32,
    /// How far it slides, metres.
    pub slide_after_m: f32,
    /// Whether it slides no more than 5 mm.
    pub held: bool,
    /// Why it slides more.
    pub reason: Option<SlideReason>,
}

/// Why a planted foot slides in a blend all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SlideReason {
    /// The leg does not reach to where the foot should stand.
    Reach,
    /// The captured foot itself slides, and the clips are one or one of them has all the weight.
    Captured,
    /// The foot bends between heel and toe while both should stand.
    Foot,
}

impl BlendedClip {
    /// Its part in the blend, in a few words.
    #[must_use]
    pub fn note(&self) -> String {
        if !self.takes_part {
            return "takes no part: its weight is 0".to_owned();
        }
        let mut note = format!("turned {:.1}°, moved {:.2} m", self.turn_deg, self.shift_m);
        if self.resampled {
            note += ", brought to the first one's rate";
        }
        // Less than half a frame at any usual rate is rounding of the length.
        for (seconds, end) in self.left_out_s.iter().zip(["start", "end"]).filter(|(s, _)| **s > 0.005) {
            note += &format!(", {seconds:.2} s at the {end} left out");
        }
        // Beyond the slopes of time alignment one clip was stretched as a whole.
        if let Some(aligned) = self.aligned.filter(|a| a.slowest < 0.45 || a.fastest > 2.2) {
            let (slow, fast) = (aligned.slowest, aligned.fastest);
            let (times, way) = if slow < 0.45 { (1.0 / slow, "slower") } else { (fast, "faster") };
            note += &format!(", played {times:.1} times {way} as a whole to fit the first: look at it");
        }
        if let Some(aligned) = self.aligned {
            let AlignReport { distance_m, worst_s: [at, own], worst_distance_m, .. } = aligned;
            let cm = |metres: f32| 100.0 * metres;
            if let Some(mirrored) = aligned.mirrored_distance_m {
                note += &format!(
                    ", its mirror image matches better ({:.0} cm apart on the mean, {:.0} as it is): mirror it first",
                    cm(mirrored),
                    cm(distance_m)
                );
            } else if !aligned.matches {
                note += &format!(
                    ", does not match ({:.0} cm apart on the mean, {:.0} where its {own:.1} s meets {at:.1} s): look at it",
                    cm(distance_m),
                    cm(worst_distance_m)
                );
            }
        }
        note
    }
}

impl BlendReport {
    /// What is worth knowing of feet and joints, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let held = &self.contacts;
        let mut notes = Vec::new();
        if !held.is_empty() {
            let worst = held.iter().map(|contact| contact.slide_after_m).fold(0.0, f32::max);
            notes.push(format!(
                "feet stand in {} contacts, sliding at most {:.1} mm; hips shifted by up to {:.0} mm for that",
                held.len(),
                1e3 * worst,
                1e3 * self.hips_correction_m
            ));
        }
        for contact in held.iter().filter(|contact| !contact.held) {
            let why = match contact.reason {
                Some(SlideReason::Reach) => "the leg does not reach",
                Some(SlideReason::Captured) => "as in the motion captured",
                Some(SlideReason::Foot) | None => "the foot bends between heel and toe",
            };
            let KeptContact { joint, start, end, slide_after_m, .. } = contact;
            let (slide, last) = (1e3 * slide_after_m, end - 1);
            notes.push(format!("{joint} slides {slide:.1} mm in frames {start} to {last}: {why}"));
        }
        notes.extend(self.far_apart.iter().take(SHOWN_JOINTS).map(|joint| {
            let times: Vec<String> = joint
                .times_s
                .iter()
                .take(SHOWN_TIMES)
                .map(|[from, to]| format!("{from:.2}–{to:.2} s"))
                .collect();
            let more = match joint.times_s.len().saturating_sub(SHOWN_TIMES) {
                0 => String::new(),
                more => format!(" and {more} more times"),
            };
            format!(
                "{}: the motions are more than 120° apart at {}{more}; look at it",
                joint.joint,
                times.join(", ")
            )
        }));
        if let Some(more @ 1..) = self.far_apart.len().checked_sub(SHOWN_JOINTS) {
            notes.push(format!("in {more} more joints the motions are more than 120° apart at times"));
        }
        notes
    }
}
