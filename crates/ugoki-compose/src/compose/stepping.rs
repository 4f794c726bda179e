//! Merges layers on the ground: the stepping layer brings feet and travel, the owner of the hips their tilt.
//!
//! The feet's places in the world are those of the stepping layer's own splice, which holds them where they stand.
//! Under hips of another layer the same turns of the legs would put them elsewhere, so there the legs are solved again.
//! Hips of another layer keep what they do, turned to head where the stepping layer heads, and the joints of the legs
//! hang from where it has them.

use glam::{DVec4, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::swing_twist;
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{Contacts, Feet, find_feet};
use ugoki_feet::feet::put_legs_under;
use ugoki_motion::edit::Spliced;

use super::merge::{merge, slow_kernel, whole};
use crate::network::{Claim, LayerError, Layers, RotationPart};

/// Which layer brings what of the body's way over the ground, as places.
pub(super) struct Stepping {
    /// Feet, legs, path and heading.
    pub(super) layer: usize,
    /// The hips' tilt.
    hips: usize,
    /// What is fast of hips and torso: the layer whose spine takes back what its pelvis does.
    fast: usize,
    feet: Option<Feet>,
    /// Joints of the legs.
    legs: Vec<bool>,
}

impl Stepping {
    pub(super) fn new(layers: &Layers, skeleton: &Skeleton) -> Self {
        let base = layers.base();
        let mut legs = vec![false; skeleton.num_joints()];
        let Ok(feet) = find_feet(skeleton) else {
            return Self { layer: base, hips: base, fast: base, feet: None, legs };
        };
        let owner = |role: Role, part: RotationPart| layers.owner(Claim { role, part });
        let layer = layers.stepping();
        let hips = owner(Role::Hips, RotationPart::Whole);
        let fast = if hips == layer { layer } else { owner(Role::Spine, RotationPart::Swing) };
        for (foot, role) in feet.feet.iter().zip([Role::LeftFoot, Role::RightFoot]) {
            // Toes go with whom they belong to, unless their foot is not shown.
            let own = owner(role, RotationPart::Whole) == layer;
            let below = |joint: usize| own && joint != foot.ankle && skeleton.is_below(joint, foot.ankle);
            for (joint, leg) in legs.iter_mut().enumerate() {
                *leg |= skeleton.is_below(joint, foot.upper) && !below(joint);
            }
        }
        Self { layer, hips, fast, feet: Some(feet), legs }
    }

    /// Which joints a layer brings, whole or in part; what no other layer has whole is the base's.
    pub(super) fn brought(
        &self,
        place: usize,
        layers: &Layers,
        skeleton: &Skeleton,
    ) -> Result<Vec<bool>, LayerError> {
        let mut brings = vec![place == layers.base(); skeleton.num_joints()];
        for layer in (0..layers.layers().len()).filter(|&layer| layer != layers.base()) {
            for channel in layers.channels(layer, skeleton)? {
                if layer == place {
                    brings[channel.joint] = true;
                } else if channel.part == RotationPart::Whole {
                    brings[channel.joint] = false;
                }
            }
        }
        for (brings, _) in brings.iter_mut().zip(&self.legs).filter(|(_, leg)| **leg) {
            *brings = place == self.layer;
        }
        if self.feet.is_some() {
            brings[hips_of(skeleton)] |= place == self.layer;
        }
        Ok(brings)
    }

    /// The layers' motions as one, and the largest shift of its hips, metres.
    pub(super) fn put_together(
        &self,
        parts: &[Spliced],
        layers: &Layers,
        progress: Progress<'_>,
    ) -> Result<(Clip, f64), super::RenderError> {
        let mut clip = parts[layers.base()].clip.clone();
        let skeleton = clip.skeleton().clone();
        let hips = self.feet.map(|_| hips_of(&skeleton));
        for (layer, part) in parts.iter().enumerate().filter(|&(layer, _)| layer != layers.base()) {
            let mut channels = layers.channels(layer, &skeleton)?;
            // Legs and hips are seen to below.
            channels.retain(|channel| !self.legs[channel.joint] && Some(channel.joint) != hips);
            merge(&mut clip, &part.clip, &parts[self.fast].clip, &channels);
            report(progress, 0.0)?;
        }
        let stepping = &parts[self.layer];
        let mut hips_m = stepping.hips_m;
        if let (Some(feet), Some(hips)) = (&self.feet, hips) {
            if self.layer != layers.base() || self.hips != self.layer {
                self.put_hips(&mut clip, parts, hips, feet);
                for joint in (0..skeleton.num_joints()).filter(|&joint| self.legs[joint]) {
                    whole(&mut clip, &stepping.clip, joint);
                }
            }
            if self.hips != self.layer {
                let stands = stepping.contacts.as_ref().map(|contacts: &Contacts| &contacts.feet);
                let none = Default::default();
                let moved =
                    put_legs_under(&mut clip, &stepping.clip, feet, stands.unwrap_or(&none), progress)?;
                hips_m = hips_m.max(moved);
            }
        }
        clip.align_signs();
        Ok((clip, hips_m))
    }

    /// Puts the hips over the stepping layer's way: what hangs above them and their path are its, and the middle
    /// between the hip joints is where it has it, so that legs change least.
    fn put_hips(&self, clip: &mut Clip, parts: &[Spliced], hips: usize, feet: &Feet) {
        let walker = &parts[self.layer].clip;
        let skeleton = clip.skeleton().clone();
        for joint in (0..skeleton.num_joints()).filter(|&joint| skeleton.is_below(hips, joint)) {
            whole(clip, walker, joint);
        }
        for frame in 0..clip.num_frames().min(walker.num_frames()) {
            clip.root_mut().set(frame, walker.root().get(frame));
        }
        if self.hips == self.layer {
            return;
        }
        let turns = self.hips_turns(parts, hips);
        for (frame, turn) in turns.into_iter().enumerate() {
            let above = skeleton
                .parent(hips)
                .map_or(Quat::IDENTITY, |parent| walker.model_pose(frame).rotations[parent]);
            clip.set_rotation(hips, frame, (above.conjugate() * turn).normalize());
            let between = |of: &Clip| feet.between_hips(&of.model_pose(frame));
            let root = clip.root().get(frame).as_dvec3() + between(walker) - between(clip);
            clip.root_mut().set(frame, root.as_vec3());
        }
    }

    /// How the hips are turned in the world in every frame: as their owner has them, with what is fast from the layer
    /// that has the spine, turned about the vertical to head as the stepping layer's.
    fn hips_turns(&self, parts: &[Spliced], hips: usize) -> Vec<Quat> {
        let track = |layer: usize| -> Vec<Quat> {
            let clip = &parts[layer].clip;
            (0..clip.num_frames()).map(|frame| clip.model_pose(frame).rotations[hips]).collect()
        };
        let fps = parts[self.layer].clip.fps();
        let (heads, mut own) = (track(self.layer), track(self.hips));
        if self.fast != self.hips {
            let other = track(self.fast);
            let slow = slow_turns(&own, fps).into_iter().zip(slow_turns(&other, fps));
            own = slow.zip(&other).map(|((own, other), q)| own * other.conjugate() * *q).collect();
        }
        // Between one pelvis and the other the turn about the vertical is known however far both bend.
        let turns: Vec<Quat> =
            heads.iter().zip(&own).map(|(w, q)| swing_twist(*w * q.conjugate(), Vec3::Y).1).collect();
        slow_turns(&turns, fps).into_iter().zip(own).map(|(turn, q)| turn * q).collect()
    }
}

/// The joint that layers take for the hips.
fn hips_of(skeleton: &Skeleton) -> usize {
    skeleton.find(Role::Hips).unwrap_or(0)
}

/// What is slow of a track of turns, as `merge` parts it: weighted means of quaternions on one side.
fn slow_turns(track: &[Quat], fps: f64) -> Vec<Quat> {
    let Some(kernel) = slow_kernel(fps) else { return track.to_vec() };
    let (reach, last) = (kernel.reach() as isize, track.len() as isize - 1);
    let mean = |frame: isize| {
        let middle = DVec4::from(track[frame as usize].as_dquat());
        let around = (frame - reach..=frame + reach).zip(kernel.taps()).map(|(at, &tap)| {
            let q = DVec4::from(track[at.clamp(0, last) as usize].as_dquat());
            if q.dot(middle) < 0.0 { -tap * q } else { tap * q }
        });
        glam::DQuat::from_vec4(around.sum::<DVec4>().normalize_or(middle)).as_quat()
    };
    (0..=last).map(mean).collect()
}
