//! From sequences to motion: each layer's clips spliced at their times, the layers merged into poses, feet held.
//!
//! ```text
//! Sequence ─runs─► pieces sampled at the timeline's frames ─splice─► one clip per layer ─merge─► Clip
//! ```
//!
//! Hips, legs and the way over the ground are the base layer's, so its splice holds the feet; the other layers bring turns of their
//! joints only. Items that follow each other in their clip as they do in the sequence are one run: nothing is joined there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::merge::merge;
use super::{Candidate, Item, Played, Sequence, Source};
use crate::clip::Clip;
use crate::contact::{ContactConfig, Contacts, find_contacts};
use crate::edit::{FeetAt, SpliceConfig, SpliceError, splice_labelled};
use crate::limb::{PlantConfig, plant_feet};
use crate::network::{LayerError, Layers, Origin, Share};
use crate::skeleton::{Role, Skeleton};
use crate::{Cancelled, Progress, report};

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
    /// Acceleration of every joint in every frame, joint after joint, as captured in the clip of the layer that brings it, m/s²; 0 at seams. Of joints
    /// that layers share, the larger.
    pub own_m_s2: Vec<f32>,
    /// What plays in the base layer in every frame.
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
    #[error("a motion of {frames:.0} frames cannot be made; expected 1 to {most}")]
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
const MOST_FRAMES: usize = 1 << 20;

/// Source frames by which a clip may miss where the one before it left and still simply go on: a tenth of a frame is no seam.
const GOES_ON: f64 = 0.1;

/// The clips that a candidate needs, as numbered by `origins`.
#[must_use]
pub fn clips_of(candidate: &Candidate, origins: &[Origin]) -> BTreeSet<usize> {
    let items = candidate.layers.iter().flat_map(|layer| &layer.items);
    items.filter_map(|item| origins.get(item.node)).map(|origin| origin.clip).collect()
}

/// Makes the motion of a candidate, `seconds` long. `origins` tells where the nodes' frames are, `sources` holds those that are needed; all are on one
/// skeleton, and the result has their rate.
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
    let fps = source(first, origins, sources).ok_or(missing(first.node))?.1.clip.fps();
    let frames = (seconds * fps).round();
    if !(frames >= 1.0 && frames <= MOST_FRAMES as f64) {
        return Err(RenderError::Length { frames, most: MOST_FRAMES });
    }
    let count = candidate.layers.len() as f32;
    let mut parts = Vec::with_capacity(candidate.layers.len());
    let mut seams = Vec::new();
    let mut own_m_s2 = Vec::new();
    let mut played = Vec::new();
    for (place, sequence) in candidate.layers.iter().enumerate() {
        let runs = runs(sequence, origins, sources, fps, frames as usize)?;
        let joints = runs[0].clip.num_joints();
        own_m_s2.resize(frames as usize * joints, 0.0_f32);
        let brings = brought(place, layers, runs[0].clip.skeleton())?;
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
        let feet = if place == layers.base() { config.feet } else { FeetAt::Seams };
        let joined = SpliceConfig { blend_s: config.blend_s, trim_s: 0.0, feet };
        let share = |part: f32| 0.9 * (place as f32 + part) / count;
        let stands = |run: &Run| sources[&run.source].steps.as_ref().map(|steps| steps.at(&run.times));
        let labels: Vec<Option<Contacts>> = runs.iter().map(stands).collect();
        let part = splice_labelled(&pieces, &labels, &joined, &mut |part| progress(share(part)))?;
        if place == layers.base() {
            for (number, (run, put)) in runs.iter().zip(&part.clips).enumerate() {
                let at =
                    |&frame: &f64| Played { clip: run.source, frame, rise_m: put.shift_m[1], run: number };
                played.extend(run.times.iter().map(at));
            }
        }
        parts.push(part);
    }
    let base = parts.swap_remove(layers.base());
    // `swap_remove` put the last layer in the base's place; say which is which.
    let mut others: Vec<usize> = (0..candidate.layers.len()).collect();
    others.swap_remove(layers.base());
    let (mut clip, hips_m) = (base.clip, base.hips_m);
    let mut contacts = base.contacts;
    let skeleton = clip.skeleton().clone();
    let mut legs_changed = false;
    for (layer, part) in others.into_iter().zip(&parts) {
        let channels = layers.channels(layer, &skeleton)?;
        legs_changed |= channels.iter().any(|channel| moves_feet(&skeleton, channel.joint));
        merge(&mut clip, &part.clip, &channels);
        report(progress, 0.95)?;
    }
    clip.align_signs();
    if legs_changed && let Some(found) = contacts.take() {
        // Legs from elsewhere stand elsewhere: what the base's labels held is to be held again.
        let again = find_contacts(&clip, &ContactConfig::default()).unwrap_or(found);
        let held =
            plant_feet(&clip, &again, &PlantConfig { level: false, ..PlantConfig::default() }, progress);
        match held {
            Ok(planted) => clip = planted.clip,
            Err(crate::limb::PlantError::Cancelled(stop)) => return Err(stop.into()),
            Err(crate::limb::PlantError::Contact(_)) => {}
        }
        contacts = Some(again);
    }
    clip.tags.clear();
    seams.sort_by(|a, b| a.frame.cmp(&b.frame).then(a.layer.cmp(&b.layer)));
    Ok(Rendered { clip, contacts, seams, hips_m, own_m_s2, played })
}

/// Which joints a layer brings, whole or in part; what no other layer has whole is the base's.
fn brought(place: usize, layers: &Layers, skeleton: &Skeleton) -> Result<Vec<bool>, LayerError> {
    let mut brings = vec![place == layers.base(); skeleton.num_joints()];
    for layer in (0..layers.layers().len()).filter(|&layer| layer != layers.base()) {
        for channel in layers.channels(layer, skeleton)? {
            if layer == place {
                brings[channel.joint] = true;
            } else if channel.share == Share::Whole {
                brings[channel.joint] = false;
            }
        }
    }
    Ok(brings)
}

/// Acceleration of every joint in every frame of a clip's motion, from three frames; 0 in the first and last, m/s². Joint after joint.
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

fn source<'a>(
    item: &Item,
    origins: &'a [Origin],
    sources: &'a BTreeMap<usize, Source>,
) -> Option<(&'a Origin, &'a Source)> {
    let origin = origins.get(item.node)?;
    sources.get(&origin.clip).map(|source| (origin, source))
}

/// A part of a layer without seams.
struct Run {
    clip: Clip,
    /// The clip it is sampled from, and where, in frames of that.
    source: usize,
    times: Vec<f64>,
    /// Its first frame in the result.
    start: usize,
    first: usize,
    last: usize,
}

/// Samples a layer's clips at the frames of the result. The first is held before its time where an opening was left, the last
/// after its own.
fn runs(
    sequence: &Sequence,
    origins: &[Origin],
    sources: &BTreeMap<usize, Source>,
    fps: f64,
    frames: usize,
) -> Result<Vec<Run>, RenderError> {
    let mut runs: Vec<Run> = Vec::new();
    // Of the run that is being gathered: clip, times in its frames, first node, first frame.
    let mut open: Option<(usize, Vec<f64>, usize, usize)> = None;
    let mut last = 0;
    let close = |open: &mut Option<(usize, Vec<f64>, usize, usize)>, last: usize, runs: &mut Vec<Run>| {
        if let Some((clip, times, first, start)) = open.take() {
            let mut piece = sources[&clip].clip.at_frames(&times, fps);
            piece.tpose_frame = false;
            runs.push(Run { clip: piece, source: clip, times, start, first, last });
        }
    };
    let count = sequence.items.len();
    for (i, item) in sequence.items.iter().enumerate() {
        let (origin, from_clip) =
            source(item, origins, sources).ok_or(RenderError::Missing { node: item.node })?;
        let at = |seconds: f64| ((seconds * fps).round().max(0.0) as usize).min(frames);
        let from = if i == 0 { 0 } else { at(item.start_s) };
        let to = if i + 1 == count { frames } else { at(sequence.items[i + 1].start_s) };
        if from >= to {
            continue;
        }
        // Seconds of the node to frames of its clip; on the beat a node lasts a little more or less than its frames.
        let rate = origin.frames.len() as f64 / (item.whole_s.max(f64::MIN_POSITIVE));
        let frame_at = |t: f64| {
            let own = (item.enter_s + (t - item.start_s) * item.speed) * rate;
            origin.frames.start as f64 + own.clamp(0.0, origin.frames.len() as f64)
        };
        let motion = from_clip.clip.motion_frames();
        let times = (from..to)
            .map(|frame| frame_at(frame as f64 / fps).clamp(motion.start as f64, (motion.end - 1) as f64));
        let goes_on = open.as_ref().is_some_and(|(other, so_far, ..)| {
            let step = item.speed * rate / fps;
            let next = so_far.last().map_or(f64::NAN, |t| t + step);
            *other == origin.clip && (frame_at(from as f64 / fps) - next).abs() < GOES_ON * step.max(1.0)
        });
        if !goes_on {
            close(&mut open, last, &mut runs);
            open = Some((origin.clip, Vec::new(), item.node, from));
        }
        if let Some((_, so_far, ..)) = &mut open {
            so_far.extend(times);
        }
        last = item.node;
    }
    close(&mut open, last, &mut runs);
    if runs.is_empty() {
        return Err(RenderError::Length { frames: 0.0, most: MOST_FRAMES });
    }
    Ok(runs)
}

/// Whether turning a joint moves a foot.
fn moves_feet(skeleton: &Skeleton, joint: usize) -> bool {
    [Role::LeftFoot, Role::RightFoot, Role::LeftToes, Role::RightToes]
        .iter()
        .filter_map(|&role| skeleton.find(role))
        .any(|foot| skeleton.is_below(foot, joint))
}
