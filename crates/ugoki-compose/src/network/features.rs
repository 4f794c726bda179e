//! How each clip starts and ends, laid out for eight-wide comparison.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::math::{align_sign, log};
use ugoki_base::skeleton::Role;
use ugoki_feet::feet::ClipFeet;

use super::flight::Flights;
use super::heading::{world_rotation, yaw};
use super::{Channel, Layers, NetworkError};

/// Nodes that are compared at a time.
pub(super) const LANES: usize = 8;

/// Numbers per channel: a quaternion and an angular velocity.
pub(super) const NUMBERS: usize = 7;

/// Weight of the place of a joint that was claimed by name, per unit squared: an expression that is fully on differs
/// from one that is off as much as a hip that is turned by one radian.
const PATH_WEIGHT: f64 = 1.0;

/// How starts and ends are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureConfig {
    /// c_p: cost of a mean squared difference of one rad².
    pub pose: f64,
    /// c_v: cost of a mean squared difference of angular velocity of one (rad/s)², in s².
    pub velocity: f64,
    /// Factors on [`role_weight`], by role.
    pub weights: BTreeMap<Role, f64>,
    /// Entry and exit may lie this far inside a clip, seconds; 0 keeps whole clips. Never more than a third of it.
    pub interior_s: f64,
    /// Places tried within `interior_s` at each end, the end itself among them.
    pub interior_places: usize,
}

impl Default for FeatureConfig {
    fn default() -> Self {
        Self {
            pose: 1.0,
            // (0.1 s)²: a jump of speed that is worked off evenly within 0.2 s leads astray by speed × 0.1 s.
            velocity: 0.01,
            weights: BTreeMap::new(),
            interior_s: 0.0,
            // Each pair is compared places² times; four places 0.1 s apart cover the third of a second of a usual fade.
            interior_places: 4,
        }
    }
}

/// Weight w of a joint: the square of the length that hangs from it as a fraction of the leg's (Winter, fig. 4.1
/// \[winter2009\]), so that equal costs are equal mean squared movements of the limbs' ends. Fingers, toes, eyes and
/// jaw weigh nothing: one skeleton has them and another has not, and a threshold is to mean the same on both.
#[must_use]
pub fn role_weight(role: Role) -> f64 {
    use Role::{
        Chest, Head, Hips, LeftFoot, LeftHand, LeftLowerArm, LeftLowerLeg, LeftShoulder, LeftUpperArm,
        LeftUpperLeg, Neck, RightFoot, RightHand, RightLowerArm, RightLowerLeg, RightShoulder, RightUpperArm,
        RightUpperLeg, Spine, UpperChest,
    };
    // Lengths as fractions of stature; leg 0.530, arm 0.440.
    let length: f64 = match role {
        Hips | Spine | Chest | UpperChest | LeftUpperLeg | RightUpperLeg => 0.530,
        LeftShoulder | RightShoulder | LeftUpperArm | RightUpperArm => 0.440,
        LeftLowerLeg | RightLowerLeg => 0.285,
        LeftLowerArm | RightLowerArm => 0.254,
        Neck | Head => 0.182,
        LeftFoot | RightFoot => 0.152,
        LeftHand | RightHand => 0.108,
        _ => 0.0,
    };
    (length / 0.530).powi(2)
}

/// Starts and ends of the clips of one layer.
///
/// Angular velocities are stored times the root of their weight, so that costs are sums of squares.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    pub(super) num_nodes: usize,
    /// Places at each end; 1 without interior entries.
    pub(super) places: usize,
    /// Weight of each channel's squared angle: c_p·w/J.
    pub(super) pose_weights: Vec<f32>,
    /// Starts: [block][place][channel × 7] of eight nodes each; missing nodes of the last block are copies of the last.
    pub(super) starts: Vec<[f32; LANES]>,
    /// Ends: [node][place][channel × 7].
    pub(super) ends: Vec<f32>,
    /// What is cut off a node for each place, seconds: [node][place], first at the start, then at the end.
    pub(super) trims: Vec<[f32; 2]>,
}

/// Frames at one end of a clip and their distance from that end.
struct Place {
    frame: usize,
    other: usize,
    trim_s: f32,
}

impl Features {
    /// Looks at both ends of frames `range` of each clip. All clips are on one skeleton.
    ///
    /// # Errors
    /// Names the clip that has no frames, another skeleton or invalid numbers; or the setting that cannot be used.
    pub fn build(
        clips: &[(&Clip, Range<usize>)],
        layers: &Layers,
        layer: usize,
        config: &FeatureConfig,
    ) -> Result<Self, NetworkError> {
        Self::build_with(clips, &[], None, layers, layer, config)
    }

    /// The same where the clips of which `still` is true come to rest at their ends: velocities there are 0. `flights` are those of each
    /// clip, where they are known.
    pub(crate) fn build_with(
        clips: &[(&Clip, Range<usize>)],
        still: &[bool],
        flights: Option<&[&Flights]>,
        layers: &Layers,
        layer: usize,
        config: &FeatureConfig,
    ) -> Result<Self, NetworkError> {
        config.check()?;
        let Some((first, _)) = clips.first() else { return Err(NetworkError::Empty) };
        let skeleton = first.skeleton();
        let mut channels = layers.channels(layer, skeleton)?;
        for channel in &mut channels {
            let factor = skeleton.joint(channel.joint).role.and_then(|role| config.weights.get(&role));
            channel.weight *= factor.copied().unwrap_or(1.0);
        }
        // Joints that cost nothing are not compared and do not count in J, or a skeleton with fingers would have
        // cheaper transitions.
        channels.retain(|channel| channel.weight > 0.0);
        let num_joints = channels.len().max(1) as f64;
        // The heaviest first, so that what is too far is noticed early.
        channels.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.joint.cmp(&b.joint)));
        let hips = skeleton.find(Role::Hips).unwrap_or(0);
        let places = if config.interior_s > 0.0 { config.interior_places } else { 1 };
        let mut pose_weights: Vec<f32> =
            channels.iter().map(|channel| (config.pose * channel.weight / num_joints) as f32).collect();
        // Places and their speeds stand where others have velocities, with turns that never differ.
        let paths: Vec<usize> = channels.iter().filter(|channel| channel.path).map(|c| c.joint).collect();
        pose_weights.extend(vec![0.0; 2 * paths.len()]);
        let path_roots = [config.pose, config.velocity].map(|c| (c * PATH_WEIGHT / num_joints).sqrt() as f32);
        let numbers = pose_weights.len() * NUMBERS;
        let mut out = Self {
            num_nodes: 0,
            places,
            pose_weights,
            starts: Vec::new(),
            ends: Vec::new(),
            trims: Vec::new(),
        };
        let mut starts = Vec::new();
        // The clip that was looked at last and its flights; pieces of one clip follow each other.
        let mut looked: Option<(&Clip, Flights)> = None;
        for (number, (clip, range)) in clips.iter().enumerate() {
            if range.is_empty() || range.end > clip.num_frames() {
                return Err(NetworkError::NoFrames { name: clip.name.clone() });
            }
            if clip.skeleton().as_ref() != skeleton.as_ref() {
                return Err(NetworkError::Skeleton { name: clip.name.clone() });
            }
            let roots: Vec<f64> =
                channels.iter().map(|c| (config.velocity * c.weight / num_joints).sqrt()).collect();
            let most_s = (range.len() as f64 / clip.fps() / 3.0).min(config.interior_s);
            if places > 1
                && flights.is_none()
                && looked.as_ref().is_none_or(|(last, _)| !std::ptr::eq(*last, *clip))
            {
                looked = Some((clip, Flights::new(ClipFeet::find(clip).ok().as_ref(), clip)));
            }
            let known = flights.map(|flights| flights[number]).or(looked.as_ref().map(|(_, found)| found));
            let in_flight = |frame: usize| known.is_some_and(|flights| flights.at(frame).is_some());
            for place in 0..places {
                let fraction = if places > 1 { place as f64 / (places - 1) as f64 } else { 0.0 };
                let frames = (most_s * fraction * clip.fps()).round() as usize;
                let last = range.end - 1;
                // Clips are not entered or left in flight: a place there moves back towards the end.
                let on_ground = |at: &dyn Fn(usize) -> usize| {
                    (0..=frames).rev().find(|&inside| inside == 0 || !in_flight(at(inside))).unwrap_or(0)
                };
                let (entry, exit) = (on_ground(&|i| range.start + i), on_ground(&|i| last - i));
                let (enter, leave) = (range.start + entry, last - exit);
                let trim_s = |frames: usize| (frames as f64 / clip.fps()) as f32;
                let start = Place { frame: enter, other: (enter + 1).min(last), trim_s: trim_s(entry) };
                let rests = place == 0 && still.get(number).is_some_and(|&still| still);
                let before = if rests { leave } else { leave.saturating_sub(1).max(range.start) };
                let end = Place { frame: leave, other: before, trim_s: trim_s(exit) };
                watch(clip, hips, &channels, &roots, &start, 1.0, &mut starts);
                watch_paths(clip, &paths, path_roots, &start, 1.0, &mut starts);
                watch(clip, hips, &channels, &roots, &end, -1.0, &mut out.ends);
                watch_paths(clip, &paths, path_roots, &end, -1.0, &mut out.ends);
                out.trims.push([start.trim_s, end.trim_s]);
            }
            let stride = places * numbers;
            let news = starts[starts.len() - stride..].iter().chain(&out.ends[out.ends.len() - stride..]);
            if news.into_iter().any(|v| !v.is_finite()) {
                return Err(NetworkError::NotFinite { name: clip.name.clone() });
            }
        }
        out.num_nodes = clips.len();
        out.starts = blocks(&starts, clips.len());
        Ok(out)
    }

    pub(super) fn from_parts(
        num_nodes: usize,
        places: usize,
        pose_weights: Vec<f32>,
        starts: &[f32],
        ends: Vec<f32>,
        trims: Vec<[f32; 2]>,
    ) -> Self {
        Self { num_nodes, places, pose_weights, starts: blocks(starts, num_nodes), ends, trims }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn num_nodes(&self) -> usize {
        self.num_nodes
    }

    /// Joints, or parts of joint rotations, that are compared.
    #[must_use]
    pub fn num_channels(&self) -> usize {
        self.pose_weights.len()
    }

    /// Numbers of one place of one node.
    pub(super) fn stride(&self) -> usize {
        self.num_channels() * NUMBERS
    }

    /// One node's end, at one place.
    pub(super) fn end(&self, node: usize, place: usize) -> &[f32] {
        let stride = self.stride();
        let at = (node * self.places + place) * stride;
        &self.ends[at..at + stride]
    }

    /// Eight nodes' starts, at one place.
    pub(super) fn block(&self, block: usize, place: usize) -> &[[f32; LANES]] {
        let stride = self.stride();
        let at = (block * self.places + place) * stride;
        &self.starts[at..at + stride]
    }

    /// One node's start, at one place, number by number.
    pub(super) fn start(&self, node: usize, place: usize) -> impl Iterator<Item = f32> + '_ {
        self.block(node / LANES, place).iter().map(move |row| row[node % LANES])
    }

    /// These nodes and then those of `more`.
    ///
    /// # Errors
    /// When the two come from different layers, skeletons or settings.
    pub fn appended(&self, more: &Self) -> Result<Self, NetworkError> {
        Self::gathered(&[self, more])
    }

    /// All nodes of all parts, one after another.
    ///
    /// # Errors
    /// When there are none, or they come from different layers, skeletons or settings.
    pub fn joined(parts: &[Self]) -> Result<Self, NetworkError> {
        Self::gathered(&parts.iter().collect::<Vec<_>>())
    }

    fn gathered(parts: &[&Self]) -> Result<Self, NetworkError> {
        let Some(first) = parts.first() else { return Err(NetworkError::Empty) };
        if parts.iter().any(|part| part.places != first.places || part.pose_weights != first.pose_weights) {
            return Err(NetworkError::Unfit {
                what: "the new clips were looked at by other settings or another layer; rebuild the network"
                    .to_owned(),
            });
        }
        let (mut starts, mut ends, mut trims) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            (0..part.num_nodes).for_each(|node| part.starts_of(node, &mut starts));
            ends.extend_from_slice(&part.ends);
            trims.extend_from_slice(&part.trims);
        }
        let num_nodes = parts.iter().map(|part| part.num_nodes).sum();
        Ok(Self::from_parts(num_nodes, first.places, first.pose_weights.clone(), &starts, ends, trims))
    }

    /// Ends as starts and starts as ends: an edge that leaves a node here enters it there, at the same cost.
    pub(super) fn reversed(&self) -> Self {
        let mut ends = Vec::with_capacity(self.ends.len());
        (0..self.num_nodes).for_each(|node| self.starts_of(node, &mut ends));
        let trims = self.trims.iter().map(|&[entry, exit]| [exit, entry]).collect();
        Self::from_parts(self.num_nodes, self.places, self.pose_weights.clone(), &self.ends, ends, trims)
    }

    /// Only these nodes, in this order.
    pub(super) fn only(&self, nodes: &[usize]) -> Self {
        let (mut starts, mut ends, mut trims) = (Vec::new(), Vec::new(), Vec::new());
        let row = self.places * self.stride();
        for &node in nodes {
            self.starts_of(node, &mut starts);
            ends.extend_from_slice(&self.ends[node * row..(node + 1) * row]);
            trims.extend_from_slice(&self.trims[node * self.places..(node + 1) * self.places]);
        }
        Self::from_parts(nodes.len(), self.places, self.pose_weights.clone(), &starts, ends, trims)
    }

    fn starts_of(&self, node: usize, out: &mut Vec<f32>) {
        (0..self.places).for_each(|place| out.extend(self.start(node, place)));
    }
}

/// Node after node into blocks of eight nodes, number by number.
fn blocks(starts: &[f32], num_nodes: usize) -> Vec<[f32; LANES]> {
    let stride = starts.len().checked_div(num_nodes).unwrap_or(0);
    let mut out = Vec::with_capacity(num_nodes.div_ceil(LANES) * stride);
    for block in 0..num_nodes.div_ceil(LANES) {
        for number in 0..stride {
            out.push(std::array::from_fn(|lane| {
                starts[(block * LANES + lane).min(num_nodes - 1) * stride + number]
            }));
        }
    }
    out
}

/// Rotations and weighted angular velocities of one place; `sign` is −1 where `other` is the frame before.
fn watch(
    clip: &Clip,
    hips: usize,
    channels: &[Channel],
    roots: &[f64],
    place: &Place,
    sign: f32,
    out: &mut Vec<f32>,
) {
    for (channel, root) in channels.iter().zip(roots) {
        // The hips as they stand in the world, less their heading; both ends are then free of ground moves.
        let local = |frame| {
            let q = clip.rotation(channel.joint, frame);
            channel.extract(if channel.joint == hips { world_rotation(clip, hips, frame) } else { q })
        };
        let (q, other) = (local(place.frame), local(place.other));
        let turn: Vec3 = log(q.conjugate() * align_sign(other, q));
        let velocity = turn * (sign * (clip.fps() * root) as f32);
        let q: Quat = if channel.joint == hips { yaw(q).conjugate() * q } else { q };
        out.extend([q.x, q.y, q.z, q.w, velocity.x, velocity.y, velocity.z]);
    }
}

/// Places and speeds of joints that were claimed by name, each as a channel without a turn.
fn watch_paths(clip: &Clip, joints: &[usize], roots: [f32; 2], place: &Place, sign: f32, out: &mut Vec<f32>) {
    for &joint in joints {
        let here = clip.local_position(joint, place.frame);
        let speed = (clip.local_position(joint, place.other) - here) * (sign * clip.fps() as f32);
        for v in [here * roots[0], speed * roots[1]] {
            out.extend([0.0, 0.0, 0.0, 1.0, v.x, v.y, v.z]);
        }
    }
}

impl FeatureConfig {
    fn check(&self) -> Result<(), NetworkError> {
        let within = |name, value: f64, high: f64, expected| {
            if value >= 0.0 && value <= high {
                Ok(())
            } else {
                Err(NetworkError::Config { name, value, expected })
            }
        };
        within("pose", self.pose, 1e6, "a cost per rad², 0 or more")?;
        within("velocity", self.velocity, 1e6, "a cost per (rad/s)², 0 or more")?;
        within("interior_s", self.interior_s, 60.0, "seconds from 0 to 60")?;
        let places = self.interior_places as f64;
        if !(2..=16).contains(&self.interior_places) {
            let expected = "2 to 16 places";
            return Err(NetworkError::Config { name: "interior_places", value: places, expected });
        }
        self.weights.values().try_for_each(|&w| within("weights", w, 1e6, "factors of 0 or more"))
    }
}
