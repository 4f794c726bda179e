//! The stance of a clip: an added T-pose, the rest pose, or what the motion shows.

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between64;
use ugoki_base::skeleton::Role;

use super::frames::role_frames;
use super::limbs::LIMBS;
use super::stance::{Evidence, Stance, body_frame, needed, snapped, standing};
use super::{RetargetError, Whose};

/// Axes turned by more than this against what the motion shows are not drawn as they move, radians: 60°. Those of the captures are within
/// 35°.
const SAME_TURN: f64 = 1.05;

impl Stance {
    /// The stance that a clip shows: its added T-pose, else the rest pose or the T-pose that is known to belong to it if hips and legs move
    /// as drawn there, else its most upright frame.
    ///
    /// # Errors
    /// When hips or legs are not known, or no frame stands.
    pub fn from_clip(clip: &Clip) -> Result<Self, RetargetError> {
        Self::clip(clip, Whose::Source)
    }

    /// [`Stance::from_clip`], with errors that say which body they are about.
    ///
    /// # Errors
    /// When hips or legs are not known, or no frame stands.
    pub fn clip(clip: &Clip, whose: Whose) -> Result<Self, RetargetError> {
        let skeleton = clip.skeleton();
        needed(skeleton, whose)?;
        if clip.tpose_frame && clip.num_frames() > 0 {
            let model = clip.model_pose(0);
            if let Some((up, left)) = standing(skeleton, &model.positions)
                && let Some(body) = body_frame(snapped(up), snapped(left))
            {
                return Ok(Self::new(skeleton, Evidence::TPoseFrame, &clip.pose(0), &model, body));
            }
        }
        match (Self::rest(skeleton, whose), Self::most_upright(clip, whose)) {
            (Ok(drawn), Ok(seen)) => Ok(if drawn.is_moved_as(&seen) { drawn } else { seen }),
            (Ok(stance), _) | (_, Ok(stance)) => Ok(stance),
            (_, Err(error)) => Err(error),
        }
    }

    /// Whether hips and knees turn about the axes that a motion shows. Joints whose own axes are rolled at rest may draw a body whose
    /// rotations mean something else. True where the motion shows too little.
    fn is_moved_as(&self, seen: &Self) -> bool {
        let drawn = role_frames(self);
        let Some((drawn_hips, hips)) = drawn[Role::Hips.index()].zip(seen.hips) else { return true };
        let mut knees = LIMBS
            .iter()
            .zip(&seen.hinges)
            .skip(2)
            .filter_map(|(limb, hinge)| Some((drawn[limb[0].index()]? * DVec3::Y, (*hinge)?)));
        angle_between64(drawn_hips, hips) < SAME_TURN
            && knees.all(|(drawn, seen)| drawn.angle_between(seen) < SAME_TURN)
    }
}
