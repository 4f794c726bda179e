//! A clip made ready to be walked with: feet held, steps found, everything per frame that the player needs.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Quat, Vec3, Vec4};
use ugoki_base::Progress;
use ugoki_base::bend_axes::bend_poles;
use ugoki_base::clip::{Clip, ClipError};
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::ground::headings;
use ugoki_base::math::quantile;
use ugoki_base::pose::{ModelPose, Pose};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_feet::contact::{ContactConfig, Contacts, Feet, find_contacts, find_feet};
use ugoki_feet::feet::{
    FeetSolution, FootShift, HipsConfig, PlantConfig, PlantReport, grip_around, plant_feet, standing_contacts,
};

use super::foot_source::FootSource;
use super::interpolate::Between;
use super::speed_limits::SpeedLimits;
use super::swing::Swing;
use super::toes::{ToeRange, toe_ranges};
use crate::edit::FootTrack;
use crate::edit::join::without_hip_glitches;
use crate::edit::walk::WalkError;

/// A moment at which a source may be left or entered: one foot stands flat.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cut {
    pub(crate) frame: usize,
    /// The foot that stands: 0 left, 1 right.
    pub(crate) foot: usize,
    /// The stance of each foot, or the last one before.
    pub(crate) stances: [Option<usize>; 2],
    /// Whether each foot stands.
    pub(crate) stands: [bool; 2],
    /// Tables of what is left of the other foot's swing.
    pub(super) late: Option<Swing>,
}

/// A foot comes to stand in a new place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Landing {
    pub(crate) frame: usize,
    /// 0 left, 1 right.
    pub(crate) foot: usize,
    /// Which stance of the foot begins.
    pub(crate) stance: usize,
}

/// A captured motion, built once, shared by any number of players.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub(crate) name: String,
    pub(crate) skeleton: Arc<Skeleton>,
    /// Frames per second of what is stored, at least [`MIN_FPS`].
    pub(crate) fps: f64,
    /// Rate of the clip it came from.
    pub(crate) clip_fps: f64,
    pub(crate) num_frames: usize,
    /// Local rotations, all joints of frame 0 first.
    rotations: Vec<Quat>,
    roots: Vec<Vec3>,
    moved: Vec<(usize, Vec<Vec3>)>,
    /// World place of the hips, metres, with the length of their path over the ground up to each frame, and their rotation.
    pub(super) hips: Vec<[Vec4; 2]>,
    /// World path of each hip joint, and each leg's length, metres.
    pub(crate) upper: [Vec<Vec3>; 2],
    pub(crate) leg_m: [f32; 2],
    /// Thigh and shin of each leg, metres.
    pub(super) bones: [[f32; 2]; 2],
    /// What a changed target may ask for.
    pub(super) limits: SpeedLimits,
    pub(super) toe_ranges: Vec<ToeRange>,
    pub(crate) feet: [FootSource; 2],
    pub(crate) cuts: Vec<Cut>,
    pub(crate) landings: Vec<Landing>,
    pub(crate) toes: Feet,
    /// What planting the source changed.
    pub(crate) planted: PlantReport,
    /// Where knees and elbows go when they bend, in the frames of thighs and upper arms.
    pub(crate) poles: [Option<Vec3>; 4],
    /// Heading of the body in each frame, radians.
    pub(crate) facing: Vec<f32>,
}

/// Slower captures are resampled to a multiple of their rate above this, per second: contacts need it.
pub(crate) const MIN_FPS: f64 = 60.0;

/// How far an ankle and a toe may be from where they stand and still be held there, metres for a leg of 0.85 m, and for how
/// long beyond their labels, seconds. Swept in docs/results/segments.md.
const SETTLE_M: [f32; 2] = [0.005, 0.007];
const SETTLE_S: f64 = 0.12;

/// Two stances at one place, to so many metres for a leg of 0.85 m and with no more than so many seconds between them, are one: without
/// this and the height of tiptoes, footfalls of 69_24 and 91_05 are 6 to 13 mm farther off.
const TWITCH_M: f32 = 0.02;
const TWITCH_S: f64 = 0.1;
/// Time over which a held foot takes up its own velocity again, seconds; as planting's fade.
const EDGE_S: f64 = 0.15;

impl Source {
    /// Plants the feet of a clip, finds its stances and swings and builds their tables.
    ///
    /// # Errors
    /// When hips or legs are not known, there are fewer than four frames, or the caller stops.
    pub fn build(clip: &Clip, progress: Progress<'_>) -> Result<Self, WalkError> {
        let motion = clip.motion_frames();
        if motion.len() < 4 {
            return Err(WalkError::TooShort { frames: motion.len() });
        }
        let mut clip = clip.trimmed(motion).map_err(of_clip)?;
        clip.tpose_frame = false;
        clip.set_source(None);
        let (name, clip_fps) = (clip.name.clone(), clip.fps());
        if clip_fps < MIN_FPS {
            clip = clip.resampled(clip_fps * (MIN_FPS / clip_fps).ceil()).map_err(of_clip)?;
        }
        let feet = find_feet(clip.skeleton())?;
        let hips = clip.skeleton().find(Role::Hips).ok_or(WalkError::NoHips)?;
        let contacts = find_contacts(&clip, &ContactConfig::default())?;
        // Held feet would leave a jump of the hips to the knees.
        let clip = without_hip_glitches(&clip, &contacts, &feet).0.into_owned();
        let config = PlantConfig { level: false, hips_stiffness: 1.0, calm: true, ..PlantConfig::default() };
        let planted = plant_feet(&clip, &contacts, &config, progress)?;
        let labels = held_labels(&clip, &contacts, &planted.report)?;
        let clip = planted.clip;
        let poses = clip.model_poses();
        if poses.iter().any(|pose| !pose.positions.iter().all(|p| p.is_finite())) {
            return Err(WalkError::NotFinite);
        }
        let scale = feet.scale() as f32;
        let fade = ((EDGE_S * clip.fps()).round() as usize).max(1);
        // Feet held still where they stand, for longer than planting does, and how the hips go along.
        let hold = |side: usize| {
            let track = foot_track(&poses, &feet, side);
            let labels = settled(&labels[side], &track, scale, clip.fps());
            FootSource::build(&track, &labels, scale, fade)
        };
        let feet_sources = [hold(0)?, hold(1)?];
        let shifts = hip_shifts(&poses, &feet, &feet_sources, clip.fps());
        let path = |joint: usize| -> Vec<Vec3> {
            poses.iter().zip(&shifts).map(|(pose, shift)| pose.positions[joint] + *shift).collect()
        };
        let hips_path = path(hips);
        let mut hips_turn: Vec<Quat> = poses.iter().map(|pose| pose.rotations[hips]).collect();
        align(&mut hips_turn);
        let mut arc = 0.0;
        let hips_rows = (0..poses.len())
            .map(|frame| {
                let step = (hips_path[frame] - hips_path[frame.saturating_sub(1)]).with_y(0.0);
                arc += step.as_dvec3().length();
                [hips_path[frame].extend(arc as f32), hips_turn[frame].into()]
            })
            .collect();
        let bones = [0, 1].map(|side: usize| {
            let [a, b, c] = [feet.feet[side].upper, feet.feet[side].lower, feet.feet[side].ankle];
            let first = &poses[0].positions;
            [first[a].distance(first[b]), first[b].distance(first[c])]
        });
        let speeds: Vec<f64> = feet_sources.iter().flat_map(|foot| foot.speeds(clip.fps())).collect();
        let mut source = Self {
            name,
            poles: bend_poles(&clip),
            skeleton: clip.skeleton().clone(),
            fps: clip.fps(),
            clip_fps,
            num_frames: clip.num_frames(),
            rotations: (0..clip.num_frames())
                .flat_map(|frame| (0..clip.num_joints()).map(move |joint| (joint, frame)))
                .map(|(joint, frame)| clip.rotation(joint, frame))
                .collect(),
            roots: (0..clip.num_frames()).map(|frame| clip.root().get(frame) + shifts[frame]).collect(),
            moved: (clip.translations().iter())
                .map(|t| (t.joint, (0..clip.num_frames()).map(|frame| t.track.get(frame)).collect()))
                .collect(),
            hips: hips_rows,
            upper: [path(feet.feet[0].upper), path(feet.feet[1].upper)],
            leg_m: bones.map(|[thigh, shin]| thigh + shin),
            bones,
            limits: SpeedLimits::new(quantile(&speeds, 0.99).unwrap_or(0.0) as f32),
            toe_ranges: toe_ranges(&clip, &feet),
            landings: landings(&feet_sources),
            feet: feet_sources,
            cuts: Vec::new(),
            toes: feet,
            planted: planted.report,
            facing: headings(clip.skeleton(), &poses).into_iter().map(|angle| angle as f32).collect(),
        };
        source.cuts = cuts(&source)?;
        Ok(source)
    }

    /// The clip's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Rate of the clip that it came from, frames per second.
    #[must_use]
    pub fn clip_fps(&self) -> f64 {
        self.clip_fps
    }

    /// Frames per second of the stored motion.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Body size relative to an adult with legs of 0.85 m.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.toes.scale() as f32
    }

    /// Fastest that a changed target may make feet and knees.
    #[must_use]
    pub fn speed_limits(&self) -> SpeedLimits {
        self.limits
    }

    /// Where the hips are at `time`, in frames.
    pub(crate) fn hips_at(&self, time: f64) -> Vec3 {
        Between::new(time, self.num_frames).pair(&self.hips)[0].truncate()
    }

    /// Local rotation of a joint between frames.
    pub(super) fn rotation(&self, joint: usize, between: &Between) -> Quat {
        let joints = self.skeleton.num_joints();
        between.rotation(|frame| self.rotations[frame * joints + joint])
    }

    /// The pose at `time`, in frames.
    pub(super) fn pose_into(&self, between: &Between, pose: &mut Pose) {
        pose.root = between.vector(&self.roots);
        pose.rotations.clear();
        pose.rotations.extend((0..self.skeleton.num_joints()).map(|joint| self.rotation(joint, between)));
        pose.translations.clear();
        pose.translations.extend(self.moved.iter().map(|(joint, track)| (*joint, between.vector(track))));
    }

    /// A pose with room for every joint that moves.
    pub(super) fn room(&self) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        pose.translations.reserve(self.moved.len());
        pose
    }
}

fn of_clip(error: ClipError) -> WalkError {
    match error {
        ClipError::Cancelled(cancelled) => WalkError::Cancelled(cancelled),
        error => WalkError::Clip(error),
    }
}

/// The frames in which planting holds heels and toes: those that truly stand, without those let go.
fn held_labels(
    clip: &Clip,
    contacts: &Contacts,
    report: &PlantReport,
) -> Result<[FootContacts; 2], WalkError> {
    let mut labels = standing_contacts(clip, contacts)?.feet;
    for left in &report.left_alone {
        let foot = &mut labels[left.foot];
        let list = if left.heel { &mut foot.heel } else { &mut foot.toe };
        list.retain(|range| range.end <= left.start || range.start >= left.end);
    }
    Ok(labels)
}

/// Labels that last while their points are still, or again, within a hair of where they stand. A heel or toe leaves its place and
/// comes to it so slowly at first that anyone would call it standing, and slower still when steps get shorter.
fn settled(labels: &FootContacts, track: &FootTrack, scale: f32, fps: f64) -> FootContacts {
    let [most, twitch] = [SETTLE_S, TWITCH_S].map(|seconds| (seconds * fps).round() as usize);
    let grown = |list: &[Range<usize>], near: f32, at: &dyn Fn(usize) -> Vec3| {
        let mut grown: Vec<Range<usize>> = Vec::with_capacity(list.len());
        for (i, range) in list.iter().enumerate() {
            let mean = |range: &Range<usize>| range.clone().map(at).sum::<Vec3>() / range.len().max(1) as f32;
            let place = mean(range);
            let stays = |frame: &usize| at(*frame).distance(place) <= near * scale;
            let first = grown.last().map_or(0, |last| last.end).max(range.start.saturating_sub(most));
            let last = list.get(i + 1).map_or(track.ankle.len(), |next| next.start).min(range.end + most);
            let before = (first..range.start).rev().take_while(stays).count();
            let after = (range.end..last).take_while(stays).count();
            let (start, end) = (range.start - before, range.end + after);
            match grown.last_mut() {
                // A foot that twitches for a moment and stands where it stood has not left.
                Some(last)
                    if start.saturating_sub(last.end) <= twitch
                        && mean(last).distance(place) <= TWITCH_M * scale =>
                {
                    last.end = end;
                }
                _ => grown.push(start..end),
            }
        }
        grown
    };
    FootContacts {
        heel: grown(&labels.heel, SETTLE_M[0], &|frame| track.ankle[frame]),
        toe: grown(&labels.toe, SETTLE_M[1], &|frame| track.ankle[frame] + track.rotation[frame] * track.toe),
    }
}

fn foot_track(poses: &[ModelPose], feet: &Feet, side: usize) -> FootTrack {
    let foot = &feet.feet[side];
    let toe = |pose: &ModelPose| {
        pose.rotations[foot.ankle].inverse() * (foot.toe.position(pose) - pose.positions[foot.ankle])
    };
    let mut rotation: Vec<Quat> = poses.iter().map(|pose| pose.rotations[foot.ankle]).collect();
    align(&mut rotation);
    FootTrack {
        ankle: poses.iter().map(|pose| pose.positions[foot.ankle]).collect(),
        rotation,
        toe: poses.iter().map(toe).sum::<Vec3>() / poses.len() as f32,
    }
}

/// How the hips go along with feet that are held exactly: near a straight knee some millimetres are ten degrees.
fn hip_shifts(poses: &[ModelPose], feet: &Feet, held: &[FootSource; 2], fps: f64) -> Vec<Vec3> {
    let shifts = [0, 1].map(|side: usize| {
        let (foot, held) = (&feet.feet[side], &held[side]);
        let stands: Vec<f64> =
            held.holds.iter().map(|holds| f64::from(u8::from(*holds != [false; 2]))).collect();
        FootShift {
            shift: (poses.iter().zip(&held.track.ankle))
                .map(|(pose, ankle)| (*ankle - pose.positions[foot.ankle]).as_dvec3())
                .collect(),
            turn: vec![DVec3::ZERO; poses.len()],
            grip: grip_around(&stands, fps),
            led: vec![1.0; poses.len()],
        }
    });
    let config = HipsConfig { calm: true, ..HipsConfig::default() };
    let solution = FeetSolution::solve(poses, feet, shifts, vec![1.0; poses.len()], config, fps);
    solution.hips.into_iter().map(DVec3::as_vec3).collect()
}

fn align(rotations: &mut [Quat]) {
    for i in 1..rotations.len() {
        rotations[i] = ugoki_base::math::align_sign(rotations[i], rotations[i - 1]);
    }
}

fn landings(feet: &[FootSource; 2]) -> Vec<Landing> {
    let mut all: Vec<Landing> = (0..2)
        .flat_map(|foot| {
            let stances = feet[foot].stances.iter().enumerate();
            stances.filter(|(_, stance)| stance.frames.start > 0).map(move |(index, stance)| Landing {
                frame: stance.frames.start,
                foot,
                stance: index,
            })
        })
        .collect();
    all.sort_by_key(|landing| (landing.frame, landing.foot));
    all
}

/// The middles of flat phases, in order.
fn cuts(source: &Source) -> Result<Vec<Cut>, WalkError> {
    let mut cuts = Vec::new();
    for foot in 0..2 {
        for stance in source.feet[foot].stances.iter().filter(|stance| stance.flat) {
            let time = stance.middle as f64;
            let stances = [0, 1].map(|side| source.feet[side].stance_before(time));
            let stands =
                [0, 1].map(|side| stances[side].is_some_and(|i: usize| source.feet[side].stands(i, time)));
            let other = 1 - foot;
            let next = stances[other].map_or(0, |i| i + 1);
            let late = if stands[other] || next >= source.feet[other].stances.len() {
                None
            } else {
                Some(source.feet[other].late_swing(stance.middle, next)?)
            };
            cuts.push(Cut { frame: stance.middle, foot, stances, stands, late });
        }
    }
    cuts.sort_by_key(|cut| (cut.frame, cut.foot));
    Ok(cuts)
}
