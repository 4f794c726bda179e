//! What a network knows of a clip besides its ends: length, torso over time, travel.

use std::ops::Range;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{log, swing_twist};
use ugoki_base::skeleton::{Role, Skeleton};

use super::heading::{world_rotation, yaw};
use super::{Climb, Cut, Ground, LimbSpeeds, NetworkError, Pace, eased};

/// Numbers of one torso row: swing (two) and twist (one) of abdomen and chest, radians; two lanes are padding.
pub const TORSO_LANES: usize = 8;

/// Bend and twist of abdomen and chest over a clip, frame by frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Torso {
    /// Rows per second.
    pub rate_hz: f64,
    /// [abdomen swing, swing, twist, chest swing, swing, twist, 0, 0] of every frame, radians.
    pub rows: Vec<[f32; TORSO_LANES]>,
}

impl Torso {
    /// Steps of an angle per radian: 0.007 degrees each, which is far below what f3 notices.
    const PER_RAD: f32 = 8192.0;

    /// An angle in steps.
    pub(super) fn steps(rad: f32) -> i32 {
        (rad * Self::PER_RAD).round() as i32
    }

    /// The angle of so many steps, radians.
    pub(super) fn angle(steps: i32) -> f32 {
        steps as f32 / Self::PER_RAD
    }

    /// Whether so many steps are an angle: at most a turn.
    pub(super) fn is_angle(steps: i32) -> bool {
        Self::angle(steps.saturating_abs()) <= std::f32::consts::TAU
    }
}

/// A clip, or a segment of one, as a node of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The clip's name.
    pub name: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it is a whole clip, and not a movement out of one; tags of the timeline mean whole ones.
    pub whole: bool,
    /// How long it lasts, more than 0.
    pub seconds: f64,
    /// How its frames fill that time.
    pub pace: Pace,
    /// Its torso.
    pub torso: Torso,
    /// Where the hips end over the ground, seen from where they start: metres to the left and ahead.
    pub travel: [f32; 2],
    /// How far the hips turn about the vertical from start to end, radians to the left, within ±π.
    pub turn_rad: f32,
    /// How fast the ends of the arms and of the legs move as captured, seen from the hips, in the mean: m/s.
    pub speeds_m_s: [f32; 2],
    /// How the ground under it rises and falls: a step up, stairs up and down again.
    pub climb: Climb,
}

/// Where a node's motion is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The clip, as numbered by the caller.
    pub clip: usize,
    /// Its frames.
    pub frames: Range<usize>,
}

impl Node {
    /// How long its frames lasted when they were captured, seconds.
    #[must_use]
    pub fn captured_s(&self) -> f64 {
        (self.seconds - self.pace.held_s) * self.pace.speed
    }

    /// The node that a cut of a clip makes.
    ///
    /// # Errors
    /// As [`Node::from_clip`].
    pub fn from_cut(
        clip: &Clip,
        ground: &Ground,
        limbs: &LimbSpeeds,
        cut: &Cut,
    ) -> Result<Self, NetworkError> {
        let mut node = Self::from_clip(clip, ground, cut.frames.clone())?;
        node.speeds_m_s = limbs.mean(cut.frames.clone());
        node.name.clone_from(&cut.name);
        node.whole = cut.whole;
        if cut.pace.held_s > 0.0 {
            let (whole, ease) = (cut.frames.len() as f64, cut.pace.ease_s() * clip.fps());
            let rows = (cut.seconds * clip.fps()).round().max(1.0) as usize;
            let row = |at: usize| {
                node.torso.rows[(eased(at as f64, whole, ease) as usize).min(cut.frames.len() - 1)]
            };
            node.torso.rows = (0..rows).map(row).collect();
        }
        node.torso.rate_hz = node.torso.rows.len() as f64 / cut.seconds;
        (node.seconds, node.pace) = (cut.seconds, cut.pace);
        Ok(node)
    }

    /// Describes frames `range` of a clip with its ground; speeds are left at 0.
    ///
    /// # Errors
    /// When there are no such frames or their numbers are not finite.
    pub fn from_clip(clip: &Clip, ground: &Ground, range: Range<usize>) -> Result<Self, NetworkError> {
        let name = || clip.name.clone();
        if range.is_empty() || range.end > clip.num_frames() {
            return Err(NetworkError::NoFrames { name: name() });
        }
        let skeleton = clip.skeleton();
        let parts = TorsoParts::new(skeleton);
        let rows: Vec<[f32; TORSO_LANES]> = range.clone().map(|frame| parts.row(clip, frame)).collect();
        if rows.iter().flatten().any(|v| !v.is_finite()) {
            return Err(NetworkError::NotFinite { name: name() });
        }
        let hips = skeleton.find(Role::Hips).unwrap_or(0);
        let (first, last) = (range.start, range.end - 1);
        let heading = |frame| yaw(world_rotation(clip, hips, frame));
        let place = |frame: usize| clip.model_pose(frame).positions[hips];
        let (start, end) = (heading(first), heading(last));
        let way = start.conjugate() * (place(last) - place(first));
        let turn = log(start.conjugate() * end).y;
        let climb = ground.climb(range.clone());
        if !(way.is_finite() && turn.is_finite() && climb.is_finite()) {
            return Err(NetworkError::NotFinite { name: name() });
        }
        Ok(Self {
            name: name(),
            tags: clip.tags.clone(),
            whole: true,
            seconds: range.len() as f64 / clip.fps(),
            pace: Pace::default(),
            torso: Torso { rate_hz: clip.fps(), rows },
            travel: [way.x, way.z],
            turn_rad: turn,
            speeds_m_s: [0.0; 2],
            climb,
        })
    }
}

/// The joints of the torso: the abdomen is the spine, the chest everything from there to the neck.
struct TorsoParts {
    abdomen: Option<(usize, Vec3)>,
    chest: Vec<usize>,
    chest_axis: Vec3,
}

impl TorsoParts {
    fn new(skeleton: &Skeleton) -> Self {
        let rest = skeleton.rest_positions();
        let top = skeleton.find(Role::Neck).or_else(|| skeleton.find(Role::Head));
        let axis = |joint: usize| top.map_or(Vec3::Y, |top| (rest[top] - rest[joint]).normalize_or(Vec3::Y));
        let abdomen = skeleton.find(Role::Spine);
        let chest: Vec<usize> =
            [Role::Chest, Role::UpperChest].iter().filter_map(|&role| skeleton.find(role)).collect();
        let chest_axis = chest.first().map_or(Vec3::Y, |&joint| axis(joint));
        Self { abdomen: abdomen.map(|joint| (joint, axis(joint))), chest, chest_axis }
    }

    fn row(&self, clip: &Clip, frame: usize) -> [f32; TORSO_LANES] {
        let mut row = [0.0; TORSO_LANES];
        if let Some((joint, axis)) = self.abdomen {
            row[..3].copy_from_slice(&bend_and_twist(clip.rotation(joint, frame), axis));
        }
        let chest = self.chest.iter().fold(Quat::IDENTITY, |q, &joint| q * clip.rotation(joint, frame));
        row[3..6].copy_from_slice(&bend_and_twist(chest, self.chest_axis));
        // As it is stored, so that a catalogue that is read equals the one that was built.
        row.map(|v| if v.is_finite() { Torso::angle(Torso::steps(v)) } else { v })
    }
}

/// Rotation vector of the swing in the plane across `axis`, and the angle of the twist.
fn bend_and_twist(q: Quat, axis: Vec3) -> [f32; 3] {
    let (swing, twist) = swing_twist(q, axis);
    let bend = log(swing);
    let (across, other) = axis.any_orthonormal_pair();
    [bend.dot(across), bend.dot(other), log(twist).dot(axis)]
}
