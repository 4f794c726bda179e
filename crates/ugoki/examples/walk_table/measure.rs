//! What is measured of a walk, from its poses alone.

use std::ops::Range;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, Contacts, Foot, find_contacts, find_feet};
use ugoki::edit::walk::{Walked, legs_apart_m};
use ugoki::feet::standing_contacts;
use ugoki::math::quantile;
use ugoki::pose::ModelPose;
use ugoki::skeleton::{Role, Side};

/// A figure and where it was found.
#[derive(Clone, Default)]
pub(crate) struct Worst {
    pub(crate) value: f64,
    pub(crate) place: String,
}

impl Worst {
    pub(crate) fn raise(&mut self, value: f64, place: impl FnOnce() -> String) {
        if value > self.value {
            *self = Self { value, place: place() };
        }
    }
}

pub(crate) fn poses(clip: &Clip) -> Vec<ModelPose> {
    clip.motion_frames().map(|frame| clip.model_pose(frame)).collect()
}

/// In every frame the largest second difference of a joint's path, m/s², and which joint's; zero in the first and last.
pub(crate) fn accelerations(clip: &Clip, poses: &[ModelPose]) -> Vec<(f64, usize)> {
    let rate = clip.fps().powi(2);
    let mut all = vec![(0.0, 0); poses.len()];
    for (frame, three) in poses.windows(3).enumerate() {
        let [a, b, c] = [0, 1, 2].map(|i: usize| &three[i].positions);
        let size = |j: usize| f64::from((a[j] - 2.0 * b[j] + c[j]).length()) * rate;
        let most = (0..b.len()).map(|j| (size(j), j)).fold((0.0, 0), |x, y| if y.0 > x.0 { y } else { x });
        all[frame + 1] = most;
    }
    all
}

/// The largest of the accelerations over `limit` in some frames.
pub(crate) fn over(
    clip: &Clip,
    all: &[(f64, usize)],
    limit: f64,
    frames: impl Iterator<Item = usize>,
) -> Worst {
    let mut worst = Worst::default();
    for frame in frames.filter(|&frame| frame < all.len()) {
        let (value, joint) = all[frame];
        worst.raise(value / limit, || {
            format!("{} at {:.2} s", clip.skeleton().joint(joint).name, frame as f64 / clip.fps())
        });
    }
    worst
}

fn legs(clip: &Clip) -> Option<[[usize; 3]; 2]> {
    let find = |role| clip.skeleton().find(role);
    Some([
        [find(Role::LeftUpperLeg)?, find(Role::LeftLowerLeg)?, find(Role::LeftFoot)?],
        [find(Role::RightUpperLeg)?, find(Role::RightLowerLeg)?, find(Role::RightFoot)?],
    ])
}

/// Bend of both knees in every frame, degrees, negative when bent the wrong way.
pub(crate) fn knees(clip: &Clip, poses: &[ModelPose]) -> Vec<[f64; 2]> {
    let Some(legs) = legs(clip) else { return Vec::new() };
    poses
        .iter()
        .map(|pose| {
            legs.map(|[hip, knee, ankle]| {
                let thigh = pose.positions[knee] - pose.positions[hip];
                let shin = pose.positions[ankle] - pose.positions[knee];
                let way = (pose.rotations[hip].inverse() * thigh.cross(shin)).x;
                f64::from(thigh.angle_between(shin).to_degrees() * way.signum())
            })
        })
        .collect()
}

/// Fastest that a knee bends or straightens, degrees per second.
pub(crate) fn knee_rate(clip: &Clip, bends: &[[f64; 2]]) -> Worst {
    let mut worst = Worst::default();
    for (frame, pair) in bends.windows(2).enumerate() {
        for (side, name) in ["left", "right"].into_iter().enumerate() {
            let rate = (pair[1][side] - pair[0][side]).abs() * clip.fps();
            worst.raise(rate, || format!("{name} knee at {:.2} s", frame as f64 / clip.fps()));
        }
    }
    worst
}

/// Fastest that the hips rise or sink, metres per second.
pub(crate) fn bobbing(clip: &Clip, poses: &[ModelPose]) -> Worst {
    let hips = clip.skeleton().find(Role::Hips).unwrap_or(0);
    let mut worst = Worst::default();
    for (frame, pair) in poses.windows(2).enumerate() {
        let way = pair[1].positions[hips].y - pair[0].positions[hips].y;
        let speed = f64::from(way).abs() * clip.fps();
        worst.raise(speed, || format!("hips at {:.2} s", frame as f64 / clip.fps()));
    }
    worst
}

/// Nearest that shins and feet of the two legs come to each other, as lines from joint to joint, mm; none without legs.
pub(crate) fn legs_apart(clip: &Clip, poses: &[ModelPose]) -> (f64, String) {
    let Ok(feet) = find_feet(clip.skeleton()) else { return (f64::NAN, String::new()) };
    let mut least = (f64::INFINITY, String::new());
    for (frame, pose) in poses.iter().enumerate() {
        let apart = f64::from(1e3 * legs_apart_m(&feet, pose));
        if apart < least.0 {
            least = (apart, format!("legs at {:.2} s", frame as f64 / clip.fps()));
        }
    }
    least
}

/// Hips over the lower ankle, as fractions of the leg.
pub(crate) fn pelvis(clip: &Clip, poses: &[ModelPose]) -> Vec<f64> {
    let Ok(feet) = find_feet(clip.skeleton()) else { return Vec::new() };
    let hips = clip.skeleton().find(Role::Hips).unwrap_or(0);
    let low = |pose: &ModelPose| {
        feet.feet.iter().map(|foot| pose.positions[foot.ankle].y).fold(f32::INFINITY, f32::min)
    };
    poses.iter().map(|pose| f64::from(pose.positions[hips].y - low(pose)) / feet.leg_m).collect()
}

fn points(clip: &Clip, poses: &[ModelPose]) -> Vec<(&'static str, Vec<Vec3>)> {
    let Ok(feet) = find_feet(clip.skeleton()) else { return Vec::new() };
    let ankle = |foot: &Foot| poses.iter().map(|pose| pose.positions[foot.ankle]).collect();
    let toe = |foot: &Foot| poses.iter().map(|pose| foot.toe.position(pose)).collect();
    let [left, right] = &feet.feet;
    vec![
        ("left heel", ankle(left)),
        ("left toe", toe(left)),
        ("right heel", ankle(right)),
        ("right toe", toe(right)),
    ]
}

/// Farthest that a point moves from the middle of a contact found by the library's detector, mm: toes, and ankles while heel and
/// toe both stand. A heel that stands alone is rolled over, and its ankle moves.
pub(crate) fn found_slip(clip: &Clip, poses: &[ModelPose]) -> Option<Worst> {
    let found = find_contacts(clip, &ContactConfig::default()).ok()?;
    let standing: Contacts = standing_contacts(clip, &found).ok()?;
    let first = clip.motion_frames().start;
    let feet = &standing.feet;
    let flat = [feet[0].flat(), feet[1].flat()];
    let ranges = [&flat[0], &feet[0].toe, &flat[1], &feet[1].toe];
    let mut worst = Worst::default();
    for ((name, path), ranges) in points(clip, poses).iter().zip(ranges) {
        for range in ranges {
            let range = range.start.max(first) - first..range.end - first;
            stray(clip, name, path, &range, &mut worst);
        }
    }
    Some(worst)
}

/// Speed under which the outside detector takes a point for standing, m/s.
const SLOW_M_S: f32 = 0.15;
/// How far over its lowest place within half a second to either side it may be, metres.
const LOW_M: f32 = 0.03;
/// How long it must be both, seconds.
const LASTS_S: f64 = 0.1;

/// The same by a detector that knows nothing of the library's: a heel or toe that is low and slow.
pub(crate) fn slow_slip(clip: &Clip, poses: &[ModelPose]) -> Worst {
    let mut worst = Worst::default();
    let around = (0.5 * clip.fps()) as usize;
    for (name, path) in points(clip, poses) {
        let speed = |f: usize| {
            let (a, b) = (f.saturating_sub(1), (f + 1).min(path.len() - 1));
            path[b].distance(path[a]) * clip.fps() as f32 / (b - a).max(1) as f32
        };
        let low = |f: usize| {
            let near = &path[f.saturating_sub(around)..(f + around).min(path.len())];
            path[f].y - near.iter().map(|p| p.y).fold(f32::INFINITY, f32::min) < LOW_M
        };
        let mut from = None;
        for f in 0..=path.len() {
            let on = f < path.len() && speed(f) < SLOW_M_S && low(f);
            match (on, from) {
                (true, None) => from = Some(f),
                (false, Some(start)) => {
                    from = None;
                    if (f - start) as f64 >= LASTS_S * clip.fps() {
                        stray(clip, name, &path, &(start..f), &mut worst);
                    }
                }
                _ => {}
            }
        }
    }
    worst
}

/// Farthest over the ground from the median place of a range, mm.
fn stray(clip: &Clip, name: &str, path: &[Vec3], range: &Range<usize>, worst: &mut Worst) {
    let middle = |axis: usize| {
        let values: Vec<f64> = path[range.clone()].iter().map(|p| f64::from(p[axis])).collect();
        quantile(&values, 0.5).unwrap_or(0.0) as f32
    };
    let place = Vec3::new(middle(0), 0.0, middle(2));
    for frame in range.clone() {
        let away = f64::from(1e3 * (path[frame].with_y(0.0) - place).length());
        worst.raise(away, || {
            let at = |frame: usize| frame as f64 / clip.fps();
            format!("{name} {:.2}–{:.2} s at {:.2}", at(range.start), at(range.end), at(frame))
        });
    }
}

/// Least height of a swinging toe over the ground under it while it passes the other foot, against its height when it
/// stands, mm. Where the ground changes, its edge lies midway between the footfalls on either side.
pub(crate) fn clearance_mm(walked: &Walked, after: &[ModelPose]) -> f64 {
    let out = &walked.clip;
    let Ok(feet) = find_feet(out.skeleton()) else { return f64::NAN };
    let mut least = f64::INFINITY;
    for three in walked.steps.windows(3) {
        let (was, other, step) = (three[0].planned, three[1].planned, three[2].planned);
        let side = usize::from(step.foot == Side::Right);
        let foot = &feet.feet[side];
        let frame = |s: f64| ((s * out.fps()).round() as usize).min(after.len() - 1);
        let (from, to) = (frame(three[2].start_s), frame(three[2].end_s));
        let toe = |f: usize| foot.toe.position(&after[f]);
        let stood =
            walked.contacts[side].toe.iter().map(|r| (r.start + r.end) / 2).filter(|&f| f <= from).max();
        let Some(stood) = stood else { continue };
        let rest = toe(stood).y - was.place.y;
        let (a, b) = (was.place.with_y(0.0), step.place.with_y(0.0));
        let way = (b - a).normalize_or_zero();
        let along = |p: Vec3| (p - a).dot(way);
        let edge = |x: Vec3, y: Vec3| 0.5 * (along(x) + along(y));
        // The ground under a point of the way, by the three footfalls.
        let ground = |at: f32| {
            if at < edge(was.place, other.place) {
                was.place.y
            } else if at < edge(other.place, step.place) {
                other.place.y
            } else {
                step.place.y
            }
        };
        let length = (b - a).length().max(1e-3);
        for (f, pose) in after.iter().enumerate().take(to).skip(from) {
            let fraction = along(pose.positions[foot.ankle]) / length;
            if (0.35..0.65).contains(&fraction) {
                least = least.min(f64::from(1e3 * (toe(f).y - rest - ground(along(toe(f))))));
            }
        }
    }
    least
}
