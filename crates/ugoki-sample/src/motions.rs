//! The list of sample motions, and making them.

use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;

use super::body::skeleton;
use super::gesture::Gesture;
use super::locomotion::{self, Locomotion};
use super::take::{Contact, FPS, poses};
use super::{gestures, sport};

/// How a motion is made.
#[derive(Debug, Clone, Copy)]
enum Maker {
    Locomotion(fn() -> Locomotion),
    Gesture(fn() -> (Gesture, f64)),
}

/// One sample motion: what it is called and what it shows.
#[derive(Debug, Clone, Copy)]
pub struct SampleMotion {
    /// Its name, lower case with hyphens: `hand-on-heart`.
    pub name: &'static str,
    /// Words to find it by; `loop` marks motions whose end leads into their beginning.
    pub tags: &'static [&'static str],
    /// One sentence.
    pub summary: &'static str,
    maker: Maker,
}

macro_rules! motion {
    ($name:literal, $kind:ident $maker:path, [$($tag:literal),*], $summary:literal) => {
        SampleMotion { name: $name, tags: &[$($tag),*], summary: $summary, maker: Maker::$kind($maker) }
    };
}

/// Every sample motion, in a fixed order.
#[rustfmt::skip]
static MOTIONS: &[SampleMotion] = &[
    motion!("idle", Gesture gestures::idle, ["idle", "stand", "loop"], "Stands at ease, breathes, shifts its weight."),
    motion!("walk", Locomotion locomotion::walk, ["walk", "locomotion", "loop"], "Walks straight ahead at 1.30 m/s, four cycles."),
    motion!("walk-slow", Locomotion locomotion::walk_slow, ["walk", "slow", "locomotion", "loop"], "Strolls straight ahead at 0.86 m/s, four cycles."),
    motion!("walk-fast", Locomotion locomotion::walk_fast, ["walk", "fast", "locomotion", "loop"], "Hurries straight ahead at 1.75 m/s, four cycles."),
    motion!("walk-in-place", Locomotion locomotion::walk_in_place, ["walk", "in-place", "loop"], "Walks on the spot, four cycles."),
    motion!("run", Locomotion locomotion::run, ["run", "locomotion", "loop"], "Runs straight ahead at 2.9 m/s with a flight phase, six cycles."),
    motion!("start", Locomotion locomotion::start, ["walk", "start", "transition"], "From standing into the walk."),
    motion!("stop", Locomotion locomotion::stop, ["walk", "stop", "transition"], "From the walk to standing."),
    motion!("turn-left", Locomotion locomotion::turn_left, ["walk", "turn", "left"], "Turns a quarter to the left while walking."),
    motion!("turn-right", Locomotion locomotion::turn_right, ["walk", "turn", "right"], "Turns a quarter to the right while walking."),
    motion!("step-up", Locomotion locomotion::step_up, ["step", "up"], "Steps up 17 cm, left foot first."),
    motion!("step-down", Locomotion locomotion::step_down, ["step", "down"], "Steps down 17 cm, left foot first."),
    motion!("side-step", Locomotion locomotion::side_step, ["step", "side", "left"], "Two steps to the left."),
    motion!("squat", Gesture gestures::squat, ["exercise", "squat"], "Squats deep and rises."),
    motion!("reach-up", Gesture gestures::reach_up, ["reach", "up", "right"], "Reaches up high on tiptoe with the right hand."),
    motion!("reach-back-down", Gesture gestures::reach_back_down, ["reach", "back", "down", "right"], "Turns round and reaches back and down with the right hand."),
    motion!("throw", Gesture sport::throw, ["sport", "throw", "pitch", "right"], "Pitches a ball with the right hand."),
    motion!("front-kick", Gesture sport::front_kick, ["martial", "kick", "right"], "Kicks to the front with the right foot."),
    motion!("side-kick", Gesture sport::side_kick, ["martial", "kick", "right"], "Kicks to the right side."),
    motion!("punch", Gesture sport::punch, ["martial", "punch", "right"], "Punches straight with the right fist."),
    motion!("knife-hand", Gesture sport::knife_hand, ["martial", "strike", "right"], "Strikes outward with the edge of the right hand."),
    motion!("wave", Gesture gestures::wave, ["gesture", "greet", "wave", "right"], "Waves with the right hand."),
    motion!("hand-on-heart", Gesture gestures::hand_on_heart, ["gesture", "heart", "right"], "Lays the right hand on the heart."),
    motion!("point-at-you", Gesture gestures::point_at_you, ["gesture", "point", "you", "right"], "Points straight ahead with the right hand."),
    motion!("open-arms", Gesture gestures::open_arms, ["gesture", "welcome", "both"], "Opens both arms wide."),
    motion!("clap", Gesture gestures::clap, ["gesture", "clap", "both"], "Claps six times."),
    motion!("bow", Gesture gestures::bow, ["gesture", "greet", "bow"], "Bows from the hips."),
    motion!("sway", Gesture gestures::sway, ["dance", "sway"], "Rocks from foot to foot."),
    motion!("nod", Gesture gestures::nod, ["gesture", "yes", "nod"], "Nods three times."),
];

/// Every sample motion, in a fixed order.
#[must_use]
pub fn motions() -> &'static [SampleMotion] {
    MOTIONS
}

/// The sample motion of this name as a clip; `None` for a name that is not in [`motions`].
#[must_use]
pub fn clip(name: &str) -> Option<Clip> {
    MOTIONS.iter().find(|motion| motion.name == name).map(SampleMotion::clip)
}

/// All sample motions as clips, in the order of [`motions`].
#[must_use]
pub fn clips() -> Vec<Clip> {
    MOTIONS.iter().map(SampleMotion::clip).collect()
}

/// The planned contacts of the motion of this name, by time; `None` for a name that is not in [`motions`].
#[must_use]
pub fn contacts(name: &str) -> Option<Vec<Contact>> {
    MOTIONS.iter().find(|motion| motion.name == name).map(|motion| motion.make().1)
}

impl SampleMotion {
    /// The motion as a clip at [`FPS`].
    #[must_use]
    pub fn clip(&self) -> Clip {
        match Clip::from_poses(skeleton(), FPS, &self.make().0) {
            Ok(mut clip) => {
                self.name.clone_into(&mut clip.name);
                clip.tags = self.tags.iter().map(|&tag| tag.to_owned()).collect();
                clip
            }
            // The rate is a constant above 0.
            Err(error) => unreachable!("{error}"),
        }
    }

    fn make(&self) -> (Vec<Pose>, Vec<Contact>) {
        let (moments, contacts) = match self.maker {
            Maker::Locomotion(make) => make(),
            Maker::Gesture(make) => {
                let (gesture, settle_s) = make();
                gesture.perform(settle_s)
            }
        };
        (poses(&moments), contacts)
    }
}
