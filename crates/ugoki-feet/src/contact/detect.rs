//! Heel and toe contacts by speed, support and height, with hysteresis.

use std::cell::Cell;
use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::quantile;

use super::error::ContactError;
use super::feet::find_feet;
use super::floor::{Floor, Support, estimate_floor};
use super::intervals::{Bounds, Contact, PointTrack, grow};
use super::paths::{FREE_FALL_G, GRAVITY, LEAVES_M, Paths, SOLE_M, speeds};

/// Thresholds for an adult with legs of 0.85 m; lengths and speeds scale with the leg.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContactConfig {
    /// A contact begins to be believed under this speed, m/s.
    pub on_m_s: f64,
    /// A believed contact lasts while slower than this, m/s.
    pub off_m_s: f64,
    /// A heel begins to be believed under this fraction of the toe's speed.
    pub heel_fraction: f64,
    /// A believed contact lasts while its point is within this of where it was last slow, metres.
    pub slip_m: f64,
    /// A contact's toe stays within this of its height, metres.
    pub toe_band_m: f64,
    /// A contact's heel stays within this of its height, metres.
    pub heel_band_m: f64,
    /// A point bears the body when nothing of the body is lower by more than this, metres.
    pub support_m: f64,
    /// Shorter contacts are dropped, seconds.
    pub min_s: f64,
    /// Shorter gaps at one height are closed, seconds.
    pub max_gap_s: f64,
}

impl Default for ContactConfig {
    fn default() -> Self {
        Self {
            on_m_s: 0.3,
            off_m_s: 0.5,
            heel_fraction: 1.0,
            slip_m: 0.02,
            toe_band_m: 0.02,
            heel_band_m: 0.01,
            support_m: 0.035,
            min_s: 0.06,
            max_gap_s: 0.05,
        }
    }
}

impl ContactConfig {
    /// Thresholds for a capture with this factor of noise: noisy feet stand at higher speeds, less level and with longer gaps.
    fn widened(&self, noise: f64) -> Self {
        Self {
            on_m_s: self.on_m_s * noise,
            off_m_s: self.off_m_s * noise,
            slip_m: self.slip_m * noise,
            toe_band_m: self.toe_band_m * noise,
            heel_band_m: self.heel_band_m * noise,
            support_m: self.support_m * noise,
            min_s: self.min_s * noise,
            max_gap_s: self.max_gap_s * noise,
            heel_fraction: self.heel_fraction,
        }
    }
}

/// A lasting contact may be this fraction of the hips' speed over the ground.
const OFF_SHARE: f64 = 0.25;
/// Most that the bound of a lasting contact grows with the hips' speed, as a factor.
const OFF_LIMIT: f64 = 1.5;
/// A heel higher than this over the sole of its toes is up, metres: feet on tiptoe may stand as still as flat ones.
const HEEL_UP_M: f64 = 0.025;
/// A foot whose ankle stands this near its flat height is flat, metres.
const FLAT_M: f64 = 0.01;
/// Fraction of flat-foot frames whose ankle stands lower over the toe than the height taken as flat.
const FLAT_QUANTILE: f64 = 0.3;
/// Fraction of the frames, those with the toe lowest, that show a flat foot where none rests: half the time that a runner's foot is down
/// \[winter2009\].
const LOWEST_QUANTILE: f64 = 0.15;
/// Heights of a flat foot's ankle over its toe point, metres, outside which a measurement is not believed.
const FLAT_RANGE_M: [f64; 2] = [-0.01, 0.13];

/// The floor and what stands on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts {
    /// The floor under the contacts.
    pub floor: Floor,
    /// Left foot, right foot.
    pub feet: [FootContacts; 2],
    /// Height of each foot's ankle over its toe point when the foot is flat, metres.
    pub flat_m: [f64; 2],
    /// Factor by which thresholds were widened for a noisy capture; 1 for a clean one.
    pub noise: f64,
}

impl Contacts {
    /// The same floor with given labels, such as those of a motion generator, in place of the contacts that were found; frames outside
    /// `motion` are left out.
    #[must_use]
    pub fn with_labels(self, labels: &[FootContacts; 2], motion: &Range<usize>) -> Self {
        let inside = |ranges: &[Range<usize>]| {
            let cut = |range: &Range<usize>| range.start.max(motion.start)..range.end.min(motion.end);
            ranges.iter().map(cut).filter(|range| !range.is_empty()).collect()
        };
        let foot = |foot: &FootContacts| FootContacts { heel: inside(&foot.heel), toe: inside(&foot.toe) };
        Self { feet: [foot(&labels[0]), foot(&labels[1])], ..self }
    }
}

thread_local! {
    static SEARCHES: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has looked for contacts: tests show with it that operations look once for each clip.
#[doc(hidden)]
#[must_use]
pub fn contact_searches() -> usize {
    SEARCHES.get()
}

/// Finds the floor and each foot's heel and toe contacts; an added T-pose frame is never part of one.
///
/// # Errors
/// When the skeleton's legs are not known by role or have no length, or the clip has no motion.
pub fn find_contacts(clip: &Clip, config: &ContactConfig) -> Result<Contacts, ContactError> {
    SEARCHES.set(SEARCHES.get() + 1);
    let feet = find_feet(clip.skeleton())?;
    let motion = clip.motion_frames();
    if motion.is_empty() {
        return Err(ContactError::NoFrames);
    }
    let scale = feet.scale();
    let fps = clip.fps();
    let paths = Paths::new(clip, &feet);
    let falls: Vec<bool> = paths.rise.iter().map(|&a| a < -FREE_FALL_G * GRAVITY * scale).collect();
    let noise = paths.noise(config.support_m * scale, fps, scale);
    let config = &config.widened(noise);
    let support_m = config.support_m * scale;
    // A quick foot rolls over its ball faster: the bound grows with the body's own speed, within limits.
    let off_m_s: Vec<f64> = (paths.travel.iter())
        .map(|v| (OFF_SHARE * v).clamp(config.off_m_s * scale, OFF_LIMIT * config.off_m_s * scale))
        .collect();
    let frames_in = |seconds: f64| (seconds * fps).round() as usize;
    let bounds = |band_m: f64| Bounds {
        band_m: band_m * scale,
        slip_m: config.slip_m * scale,
        min_bearing: frames_in(0.5 * config.min_s / noise).max(1),
        min_frames: frames_in(config.min_s).max(2),
        max_gap: frames_in(config.max_gap_s).max(1),
    };
    let mut found: [FootContacts; 2] = Default::default();
    let mut flat_m = [0.0; 2];
    let mut supports = Vec::new();
    for side in 0..2 {
        let (ankle, toe) = (&paths.ankle[side], &paths.toe[side]);
        let (ankle_speeds, toe_speeds) = (speeds(ankle, fps), speeds(toe, fps));
        let slow = |speeds: &[f64], frame: usize, fraction: f64| {
            speeds[frame] < fraction * config.on_m_s * scale && !falls[frame]
        };
        let mut toe_bears: Vec<bool> = (0..toe.len())
            .map(|frame| slow(&toe_speeds, frame, 1.0) && toe[frame].y - paths.lowest[frame] <= support_m)
            .collect();
        let still = |frame: usize| toe_bears[frame] && ankle_speeds[frame] < 0.5 * config.on_m_s * scale;
        flat_m[side] = flat_height(ankle, toe, still)
            .unwrap_or_else(|| lowest_flat_height(ankle, toe))
            .clamp(FLAT_RANGE_M[0] * scale, FLAT_RANGE_M[1] * scale);
        // The heel itself strikes before the ankle rests and rises before the ankle does.
        let tolerance = FLAT_M * noise * scale;
        let heel = paths.heel(side, flat_m[side], scale, fps, |frame| {
            still(frame) && (ankle[frame].y - toe[frame].y - flat_m[side]).abs() <= tolerance
        });
        let heel_speeds = speeds(&heel, fps);
        // A heel bears with the foot not on tiptoe and its ankle among the lowest; ankles are captured far
        // better than toes, so a toe under a bearing ankle bears too.
        let heel_bears: Vec<bool> = (0..ankle.len())
            .map(|frame| {
                let over_toe = ankle[frame].y - toe[frame].y - flat_m[side];
                let low = ankle[frame].y - paths.lowest_ankle[frame] <= support_m
                    || ankle[frame].y - flat_m[side] - paths.lowest[frame] <= support_m;
                let heel_up = heel[frame].y - toe[frame].y + SOLE_M * scale;
                let bears = slow(&heel_speeds, frame, config.heel_fraction)
                    && over_toe <= support_m
                    && heel_up <= HEEL_UP_M * noise * scale
                    && low;
                toe_bears[frame] |=
                    bears && slow(&toe_speeds, frame, 1.0) && over_toe >= -LEAVES_M * noise * scale;
                bears
            })
            .collect();
        let contacts = |path: &[DVec3], speeds: &[f64], bears: &[bool], band_m: f64| {
            let heights: Vec<f64> = path.iter().map(|p| p.y).collect();
            let track = PointTrack { path, heights: &heights, speeds, off_m_s: &off_m_s, bears };
            grow(&track, &bounds(band_m))
        };
        let toes = contacts(toe, &toe_speeds, &toe_bears, config.toe_band_m);
        let heels = contacts(&heel, &heel_speeds, &heel_bears, config.heel_band_m);
        supports.extend(toes.iter().map(|contact| support(contact, toe, side, fps)));
        let in_clip = |contacts: Vec<Contact>| {
            contacts.into_iter().map(|c| c.frames.start + motion.start..c.frames.end + motion.start).collect()
        };
        found[side] = FootContacts { heel: in_clip(heels), toe: in_clip(toes) };
    }
    let lowest_toe: Vec<f64> = paths.toe[0].iter().zip(&paths.toe[1]).map(|(l, r)| l.y.min(r.y)).collect();
    let fallback = quantile(&lowest_toe, 0.05).unwrap_or(0.0);
    let floor = estimate_floor(&supports, fallback, feet.leg_m, noise);
    Ok(Contacts { floor, feet: found, flat_m, noise })
}

/// Ankle over toe in the frames that `flat` picks, if there are any.
fn flat_height(ankle: &[DVec3], toe: &[DVec3], flat: impl Fn(usize) -> bool) -> Option<f64> {
    let heights: Vec<f64> =
        (0..toe.len()).filter(|&frame| flat(frame)).map(|frame| ankle[frame].y - toe[frame].y).collect();
    quantile(&heights, FLAT_QUANTILE)
}

/// Ankle over toe while the toe is lowest, for motions in which no foot rests.
fn lowest_flat_height(ankle: &[DVec3], toe: &[DVec3]) -> f64 {
    let heights: Vec<f64> = toe.iter().map(|p| p.y).collect();
    let low = quantile(&heights, LOWEST_QUANTILE).unwrap_or(0.0);
    flat_height(ankle, toe, |frame| toe[frame].y <= low).unwrap_or(0.0)
}

/// Where and how long a contact stood.
fn support(contact: &Contact, path: &[DVec3], foot: usize, fps: f64) -> Support {
    let points = &path[contact.frames.clone()];
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let point = DVec3::new(mean.x, contact.height, mean.z);
    Support { point, seconds: points.len() as f64 / fps, foot }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use proptest::prelude::*;
    use ugoki_base::skeleton::{Joint, Skeleton};
    use ugoki_testing::walker::{Walk, mirrored, moved};

    fn contacts(clip: &Clip) -> Contacts {
        find_contacts(clip, &ContactConfig::default()).unwrap()
    }

    /// Largest difference of starts and ends, seconds; infinite when the numbers of intervals differ.
    fn apart(a: &[Range<usize>], fps_a: f64, b: &[Range<usize>], fps_b: f64) -> f64 {
        if a.len() != b.len() {
            return f64::INFINITY;
        }
        a.iter().zip(b).fold(0.0, |worst: f64, (x, y)| {
            let start = x.start as f64 / fps_a - y.start as f64 / fps_b;
            let end = x.end as f64 / fps_a - y.end as f64 / fps_b;
            worst.max(start.abs()).max(end.abs())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn stances_of_a_known_walk_are_found(speed in 0.8..1.4_f64, fps in prop::sample::select(vec![24.0, 30.0, 60.0, 120.0, 240.0])) {
            let walk = Walk { speed_m_s: speed, ..Walk::default() };
            let found = contacts(&walk.clip(fps));
            for side in 0..2 {
                let truth = walk.stances(side, fps);
                // The foot leaves and lands gently (minimum jerk): 60 ms of it are slower than the threshold.
                prop_assert!(apart(&found.feet[side].toe, fps, &truth, fps) < 0.075 + 1.5 / fps, "{:?} against {truth:?}", found.feet[side].toe);
            }
            prop_assert!(found.floor.slope == [0.0; 2] && found.floor.height_at(1.0, 2.0) == 0.0);
        }

        #[test]
        fn rate_does_not_matter(fps in 24.0..240.0_f64) {
            let clip = Walk::default().clip(120.0);
            let (a, b) = (contacts(&clip), contacts(&clip.resampled(fps).unwrap()));
            for side in 0..2 {
                for (x, y) in [(&a.feet[side].toe, &b.feet[side].toe), (&a.feet[side].heel, &b.feet[side].heel)] {
                    prop_assert!(apart(x, 120.0, y, fps) <= 2.0 / fps.min(120.0), "{x:?} {y:?}");
                }
            }
        }

        #[test]
        fn place_and_heading_do_not_matter(x in -50.0..50.0_f32, z in -50.0..50.0_f32, yaw in -3.1..3.1_f32) {
            let clip = Walk::default().clip(60.0);
            prop_assert_eq!(contacts(&clip).feet, contacts(&moved(&clip, Vec3::new(x, 0.0, z), yaw)).feet);
        }

        #[test]
        fn size_does_not_matter(factor in 0.01..100.0_f32) {
            let clip = Walk::default().clip(60.0);
            let (a, b) = (contacts(&clip), contacts(&clip.scaled(factor)));
            for side in 0..2 {
                prop_assert!(apart(&a.feet[side].toe, 60.0, &b.feet[side].toe, 60.0) <= 1.01 / 60.0);
            }
        }
    }

    #[test]
    fn the_mirror_image_has_the_contacts_of_the_other_side() {
        let clip = Walk::default().clip(60.0);
        let (a, b) = (contacts(&clip), contacts(&mirrored(&clip)));
        assert_eq!(a.feet[0], b.feet[1]);
        assert_eq!(a.feet[1], b.feet[0]);
    }

    #[test]
    fn an_added_tpose_is_ignored_and_shifts_nothing_else() {
        let clip = Walk::default().clip(60.0);
        let mut order: Vec<_> = (0..clip.num_frames()).map(|f| clip.pose(f)).collect();
        order.insert(0, ugoki_base::pose::Pose::rest(clip.skeleton()));
        let mut with = Clip::from_poses(clip.skeleton().clone(), 60.0, &order).unwrap();
        with.tpose_frame = true;
        let shifted =
            |ranges: &[Range<usize>]| -> Vec<_> { ranges.iter().map(|r| r.start + 1..r.end + 1).collect() };
        let (a, b) = (contacts(&clip), contacts(&with));
        for side in 0..2 {
            assert_eq!(shifted(&a.feet[side].toe), b.feet[side].toe);
            assert_eq!(shifted(&a.feet[side].heel), b.feet[side].heel);
        }
    }

    #[test]
    fn a_foot_held_in_the_air_does_not_stand_and_a_foot_on_a_step_does() {
        let walk = Walk { speed_m_s: 0.0, lift_left_m: 0.10, ..Walk::default() };
        let found = contacts(&walk.clip(60.0));
        assert!(found.feet[0].any().is_empty(), "{:?}", found.feet[0]);
        assert_eq!(found.feet[1].toe.len(), 1);
        let stairs = Walk { rise_m: 0.15, speed_m_s: 0.7, ..Walk::default() };
        let found = contacts(&stairs.clip(60.0));
        for side in 0..2 {
            let truth = stairs.stances(side, 60.0);
            // The last stance never carries the body alone: the other foot ends one step lower.
            let carried = truth.len() - usize::from(side == 1);
            assert_eq!(found.feet[side].toe.len(), carried, "{:?} {truth:?}", found.feet[side].toe);
        }
        assert_eq!(found.floor.slope, [0.0; 2], "stairs are not a tilted floor");
    }

    #[test]
    fn nothing_stands_in_flight() {
        let clip = Walk { speed_m_s: 0.0, jump_s: 0.5, ..Walk::default() }.clip(120.0);
        let found = contacts(&clip);
        // The jump is ballistic from 1.0 s to 1.5 s; gentle frames at its ends count as standing.
        let flight = (130..170).filter(|&f| found.feet.iter().any(|foot| foot.touches(f))).count();
        assert_eq!(flight, 0);
        assert!(found.feet[0].touches(60) && found.feet[0].touches(230));
    }

    #[test]
    fn bodies_without_feet_or_frames_are_refused() {
        let lone = Skeleton::build(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap();
        let clip = Clip::at_rest(lone, 30.0, 10).unwrap();
        assert!(matches!(find_contacts(&clip, &ContactConfig::default()), Err(ContactError::NoJoint { .. })));
        let none = Clip::at_rest(Walk::default().clip(30.0).skeleton().clone(), 30.0, 0).unwrap();
        assert_eq!(find_contacts(&none, &ContactConfig::default()), Err(ContactError::NoFrames));
        let one = Clip::at_rest(none.skeleton().clone(), 30.0, 1).unwrap();
        assert!(find_contacts(&one, &ContactConfig::default()).is_ok());
    }
}
