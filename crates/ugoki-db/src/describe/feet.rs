//! Steps and flights from the contacts of the feet: how many there are, and which flights are jumps.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::Role;
use ugoki_feet::contact::Contacts;

use super::centre::Centre;

/// A foot set down this far from where it stood before has made a step, metres.
const STEP_M: f64 = 0.12;
/// Feet off the ground for less than this are no flight: contacts are known to about two frames, seconds.
const FLIGHT_S: f64 = 0.08;
/// Both feet leave or reach the ground within this for a jump with both, seconds.
const TOGETHER_S: f64 = 0.12;
/// A flight this long is a jump whichever foot begins it: runners fly 0.1 to 0.2 s, seconds.
const LONG_S: f64 = 0.28;

/// Fraction of a thrown body's rise that a flight must have: contacts end late and begin early, so a flight is longer
/// than what is found, and the parts' masses are those of an average adult.
const BALLISTIC_FRACTION: f64 = 0.4;
/// Standard gravity, m/s².
const GRAVITY: f64 = 9.80665;

/// What the feet do.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Feet {
    /// Times that a foot was set down at another place.
    pub(super) steps: usize,
    /// Frames in which no foot stands, between two contacts.
    pub(super) flights: Vec<Range<usize>>,
    /// Flights that are jumps.
    pub(super) jumps: Vec<Range<usize>>,
}

impl Feet {
    /// `poses` are `scale` times smaller than the clip and its contacts.
    pub(super) fn measure(clip: &Clip, poses: &[ModelPose], contacts: &Contacts, scale: f64) -> Self {
        let standing = [contacts.feet[0].any(), contacts.feet[1].any()];
        let joints = [Role::LeftFoot, Role::RightFoot].map(|role| clip.skeleton().find(role));
        let mut steps = 0;
        for (intervals, joint) in standing.iter().zip(joints) {
            let Some(joint) = joint else { continue };
            for pair in intervals.windows(2) {
                let (a, b) = (middle(&pair[0]), middle(&pair[1]));
                let (Some(a), Some(b)) = (poses.get(a), poses.get(b)) else { continue };
                let way = b.positions[joint] - a.positions[joint];
                steps += usize::from(f64::from(way.x.hypot(way.z)) > STEP_M);
            }
        }
        let mut flights = flights(&standing, poses.len(), clip.fps());
        if let Some(centre) = Centre::new(clip.skeleton()) {
            let flies = |flight: &Range<usize>| is_ballistic(flight, poses, &centre, clip.fps());
            let air = Air::new(clip, contacts, scale);
            flights =
                flights
                    .into_iter()
                    // Contacts that were missed before or after make a flight too long: what is surely in the air
                    // remains.
                    .flat_map(|flight| {
                        if flies(&flight) { vec![flight] } else { air.within(&flight, poses, clip.fps()) }
                    })
                    .filter(flies)
                    .collect();
        }
        let jumps = flights.iter().filter(|flight| is_jump(flight, &standing, clip.fps())).cloned().collect();
        Self { steps, flights, jumps }
    }
}

/// Feet this high over where they stand are in the air, metres: more than a heel that is lifted on tiptoe.
const CLEAR_M: f64 = 0.12;
/// A hand this near to the ground may bear the body, metres: a wrist over a flat hand is at 0.05 to 0.1.
const HAND_M: f64 = 0.15;

/// What it takes to tell by height alone that nothing touches the ground.
struct Air<'a> {
    contacts: &'a Contacts,
    scale: f64,
    /// Ankles and toes.
    feet: Vec<usize>,
    hands: Vec<usize>,
}

impl<'a> Air<'a> {
    fn new(clip: &Clip, contacts: &'a Contacts, scale: f64) -> Self {
        let find = |roles: &[Role]| roles.iter().filter_map(|&role| clip.skeleton().find(role)).collect();
        Self {
            contacts,
            scale,
            feet: find(&[Role::LeftFoot, Role::LeftToes, Role::RightFoot, Role::RightToes]),
            hands: find(&[Role::LeftHand, Role::RightHand]),
        }
    }

    /// Intervals of `flight`, long enough to be flights, in which both feet are clear of the ground and hands do not
    /// bear.
    fn within(&self, flight: &Range<usize>, poses: &[ModelPose], fps: f64) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        // The frames next to a flight are on the ground.
        let end = flight.end.min(poses.len().saturating_sub(1));
        for (frame, pose) in poses.iter().enumerate().take(end).skip(flight.start.max(1)) {
            let height = |joint: usize| {
                let p = pose.positions[joint].as_dvec3() * self.scale;
                (p.y - self.contacts.floor.height_at(p.x, p.z)) / self.scale
            };
            let clear = self.feet.iter().all(|&joint| height(joint) > CLEAR_M)
                && self.hands.iter().all(|&joint| height(joint) > HAND_M);
            match found.last_mut() {
                _ if !clear => {}
                Some(last) if last.end == frame => last.end += 1,
                _ => found.push(frame..frame + 1),
            }
        }
        found.retain(|range| range.len() as f64 >= FLIGHT_S * fps);
        found
    }
}

fn middle(range: &Range<usize>) -> usize {
    range.start + range.len() / 2
}

/// Intervals without any contact that have contacts before and after.
fn flights(standing: &[Vec<Range<usize>>; 2], num_frames: usize, fps: f64) -> Vec<Range<usize>> {
    let mut on = vec![false; num_frames];
    for range in standing.iter().flatten() {
        on[range.start.min(num_frames)..range.end.min(num_frames)].fill(true);
    }
    let mut found = Vec::new();
    let mut landed = None;
    for (frame, _) in on.iter().enumerate().filter(|(_, on)| **on) {
        if let Some(before) = landed.replace(frame)
            && (frame - before - 1) as f64 >= FLIGHT_S * fps
        {
            found.push(before + 1..frame);
        }
    }
    found
}

/// Whether the body flies as what is thrown does: over a time T its centre rises above the line between its ends by g
/// T²/8.
///
/// The centre and not the hips: in a somersault the hips go round it. Feet that the contacts missed (on tiptoe, on a
/// tilted floor) do not make a flight of a walk or a squat.
fn is_ballistic(flight: &Range<usize>, poses: &[ModelPose], centre: &Centre, fps: f64) -> bool {
    let (first, last) = (flight.start - 1, flight.end.min(poses.len() - 1));
    let height = |frame: usize| centre.height(&poses[frame]);
    let seconds = (last - first) as f64 / fps;
    let middle = (first + last) / 2;
    let rise = height(middle) - 0.5 * (height(first) + height(last));
    rise >= BALLISTIC_FRACTION * GRAVITY * seconds * seconds / 8.0
}

/// Whether a flight begins and ends with both feet, or is too long for a runner.
fn is_jump(flight: &Range<usize>, standing: &[Vec<Range<usize>>; 2], fps: f64) -> bool {
    if flight.len() as f64 >= LONG_S * fps {
        return true;
    }
    let near = |a: usize, b: usize| a.abs_diff(b) as f64 <= TOGETHER_S * fps;
    let leaves = standing.iter().all(|foot| foot.iter().any(|on| near(on.end, flight.start)));
    let lands = standing.iter().all(|foot| foot.iter().any(|on| near(on.start, flight.end)));
    leaves && lands
}
