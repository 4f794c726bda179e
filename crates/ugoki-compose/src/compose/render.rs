//! From sequences to motion: each layer's clips spliced at their times, the layers merged into poses, feet held.
//!
//! ```text
//! Sequence ─runs─► pieces sampled at the timeline's frames ─splice─► one clip per layer ─merge─► Clip
//! ```
//!
//! Legs and the way over the ground are the stepping layer's, so its splice holds the feet; the other layers bring
//! turns of their joints only. Items that follow each other in their clip as they do in the sequence are one run:
//! nothing is joined there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::{Cancelled, Progress};
use ugoki_feet::contact::Contacts;
use ugoki_motion::edit::{FeetAt, Labels, SpliceConfig, SpliceError, splice_labelled};

use super::runs::{Run, runs, source};
use super::stepping::Stepping;
use super::{Candidate, Played, Source};
use crate::network::{LayerError, Layers, Origin};

/// How candidates become motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderConfig {
    /// How long each seam is spread, seconds: half before it, half after.
    pub blend_s: f64,
    /// Which standing feet are held.
    pub feet: FeetAt,
}

impl Default for RenderConfig {
    fn default() -> Self {
        let usual = SpliceConfig::default();
        Self { blend_s: usual.blend_s, feet: usual.feet }
    }
}

/// Where two clips meet on one layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerSeam {
    /// The layer's name.
    pub layer: String,
    /// When, seconds.
    pub at_s: f64,
    /// First frame after it.
    pub frame: usize,
    /// Node before.
    pub from: usize,
    /// Node after.
    pub to: usize,
}

/// A candidate as motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The motion on the clips' skeleton.
    pub clip: Clip,
    /// Feet that stand; `None` without legs.
    pub contacts: Option<Contacts>,
    /// Every seam of every layer; none where a clip simply goes on.
    pub seams: Vec<LayerSeam>,
    /// Largest shift of the hips for feet that stand, metres.
    pub hips_m: f64,
    /// Acceleration of every joint in every frame, joint after joint, as captured in the clip of the layer that brings
    /// it, m/s²; 0 at seams. Of joints common to several layers, the larger.
    pub own_m_s2: Vec<f32>,
    /// What plays in the stepping layer in every frame.
    pub played: Vec<Played>,
}

/// Why a candidate cannot be shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// The caller did not bring a clip that a node is cut from.
    #[error("the clip of node {node} is not at hand")]
    Missing {
        /// The node.
        node: usize,
    },
    /// A candidate without clips, or longer than can be kept.
    #[error("a motion of {frames:.0} frames cannot be made, expected 1 to {most}")]
    Length {
        /// Frames asked for.
        frames: f64,
        /// The bound.
        most: usize,
    },
    /// The layers do not fit the skeleton.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// Clips cannot be joined.
    #[error(transparent)]
    Splice(SpliceError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<SpliceError> for RenderError {
    fn from(error: SpliceError) -> Self {
        match error {
            SpliceError::Cancelled(stop) => Self::Cancelled(stop),
            error => Self::Splice(error),
        }
    }
}

/// Frames of a rendered motion at most: five hours at 60 per second.
pub(super) const MOST_FRAMES: usize = 1 << 20;

/// The clips that a candidate needs, as numbered by `origins`.
#[must_use]
pub fn clips_of(candidate: &Candidate, origins: &[Origin]) -> BTreeSet<usize> {
    let items = candidate.layers.iter().flat_map(|layer| &layer.items);
    items.filter_map(|item| origins.get(item.node)).map(|origin| origin.clip).collect()
}

/// Makes the motion of a candidate, `seconds` long. `origins` gives the frames of the nodes, `sources` holds those that
/// are needed; all are on one skeleton, and the result has their rate.
///
/// # Errors
/// When a clip is missing, the layers do not fit the skeleton, clips cannot be joined, or the caller stops.
pub fn render(
    candidate: &Candidate,
    layers: &Layers,
    origins: &[Origin],
    sources: &BTreeMap<usize, Source>,
    seconds: f64,
    config: &RenderConfig,
    progress: Progress<'_>,
) -> Result<Rendered, RenderError> {
    let missing = |node: usize| RenderError::Missing { node };
    let first = candidate.layers.first().and_then(|layer| layer.items.first());
    let first = first.ok_or(RenderError::Length { frames: 0.0, most: MOST_FRAMES })?;
    let first = &source(first, origins, sources).ok_or(missing(first.node))?.1.clip;
    let fps = first.fps();
    let frames = (seconds * fps).round();
    if !(frames >= 1.0 && frames <= MOST_FRAMES as f64) {
        return Err(RenderError::Length { frames, most: MOST_FRAMES });
    }
    let stepping = Stepping::new(layers, first.skeleton());
    let count = candidate.layers.len() as f32;
    let mut parts = Vec::with_capacity(candidate.layers.len());
    let mut seams = Vec::new();
    let mut own_m_s2 = Vec::new();
    let mut played = Vec::new();
    for (place, sequence) in candidate.layers.iter().enumerate() {
        let runs = runs(sequence, origins, sources, fps, frames as usize)?;
        let joints = runs[0].clip.num_joints();
        own_m_s2.resize(frames as usize * joints, 0.0_f32);
        let brings = stepping.brought(place, layers, runs[0].clip.skeleton())?;
        for run in &runs {
            for (i, a) in joint_accelerations(&run.clip).into_iter().enumerate() {
                let own = &mut own_m_s2[run.start * joints + i];
                *own = own.max(if brings[i % joints] { a } else { 0.0 });
            }
        }
        for pair in runs.windows(2) {
            let (at, from, to) = (pair[1].start, pair[0].last, pair[1].first);
            let layer = sequence.layer.clone();
            seams.push(LayerSeam { layer, at_s: at as f64 / fps, frame: at, from, to });
        }
        let pieces: Vec<&Clip> = runs.iter().map(|run| &run.clip).collect();
        // The clips were chosen to meet end to start; nothing is cut off, or keys would come early.
        let feet = if place == stepping.layer { config.feet } else { FeetAt::Seam };
        let joined = SpliceConfig { blend_s: config.blend_s, trim_s: 0.0, feet };
        let done = |part: f32| 0.9 * (place as f32 + part) / count;
        let stands = |run: &Run| sources[&run.source].steps.as_ref().map(|steps| steps.at(&run.times));
        let labels: Vec<Option<Labels>> = runs.iter().map(stands).collect();
        let part = splice_labelled(&pieces, &labels, &joined, &mut |part| progress(done(part)))?;
        if place == stepping.layer {
            for (number, (run, put)) in runs.iter().zip(&part.clips).enumerate() {
                let at =
                    |&frame: &f64| Played { clip: run.source, frame, rise_m: put.shift_m[1], run: number };
                played.extend(run.times.iter().map(at));
            }
        }
        parts.push(part);
    }
    let (mut clip, hips_m) = stepping.put_together(&parts, layers, &mut |part| progress(0.9 + 0.1 * part))?;
    let contacts = parts.swap_remove(stepping.layer).contacts;
    clip.tags.clear();
    seams.sort_by(|a, b| a.frame.cmp(&b.frame).then(a.layer.cmp(&b.layer)));
    Ok(Rendered { clip, contacts, seams, hips_m, own_m_s2, played })
}

/// Acceleration of every joint in every frame of a clip's motion, from three frames; 0 in the first and last, m/s².
/// Joint after joint.
#[must_use]
pub fn joint_accelerations(clip: &Clip) -> Vec<f32> {
    let motion = clip.motion_frames();
    let square = (clip.fps() * clip.fps()) as f32;
    let joints = clip.num_joints();
    let mut out = vec![0.0; motion.len() * joints];
    // Places of the two frames before.
    let mut before: [Vec<glam::Vec3>; 2] = [Vec::new(), Vec::new()];
    for (i, frame) in motion.enumerate() {
        let now = clip.model_pose(frame).positions;
        if i >= 2 {
            let places = before[0].iter().zip(&before[1]).zip(&now);
            for (out, ((&a, &b), &c)) in out[(i - 1) * joints..].iter_mut().zip(places) {
                *out = (c - 2.0 * b + a).length() * square;
            }
            // Expressions of a layer of their own are not where that layer's head would be.
            clip.skeleton().expressions().for_each(|joint| out[(i - 1) * joints + joint] = 0.0);
        }
        before.swap(0, 1);
        before[1] = now;
    }
    out
}

/// Largest acceleration of any joint in every frame of a clip's motion, m/s².
#[must_use]
pub fn accelerations(clip: &Clip) -> Vec<f64> {
    let all = joint_accelerations(clip);
    let largest = |frame: &[f32]| f64::from(frame.iter().copied().fold(0.0, f32::max));
    all.chunks(clip.num_joints()).map(largest).collect()
}
