//! A segment of a clip edited by its handles: the entry point.
//!
//! ```text
//! requests ─keys→ HandlePath per handle (δ, γ, ε) ─places→ Bodies (relaxation, closed limbs) ─→ clip, report
//! ```
//!
//! Every request is met at its frame, the segment's start and everything before it stay as captured. After the segment, handles
//! return to their captured paths. A foot that stands keeps standing: its displacement changes only while it swings.

use std::ops::Range;

use glam::{DVec3, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, smoothstep};
use ugoki_base::skeleton::{Role, Side, Skeleton};
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{ContactConfig, find_contacts, find_feet};
use ugoki_feet::feet::{FeetSolution, FootShift, HipsConfig};

use super::body::{Bodies, larger};
use super::edit_report::{
    BodyReport, EditReport, HandleReport, MET_MM, SkeletonReport, TextureReport, TurnedJoint,
};
use super::handle_path::{After, HandlePath, Key, MIN_PIECE};
use super::join::{BodyTrace, SourceBody};
use super::request::{HandleRequest, Place};
use super::{Distribution, EditConfig, EditError};
use crate::reconstruct::Residual;

/// Least time in which a handle returns to its captured path, seconds: a quick reach.
const MIN_RETURN_S: f64 = 0.25;

/// Least time of a swing in which a foot is moved, seconds; where it has only just left, the swing before helps.
const MIN_SWING_S: f64 = 0.1;

/// Time in which the hips begin to follow feet that are moved, and end to, seconds: a third of a step.
const HIPS_FADE_S: f64 = 0.2;

/// A clip with an edited segment.
#[derive(Debug, Clone, PartialEq)]
pub struct EditedHandles {
    /// The whole clip.
    pub clip: Clip,
    /// What was asked and what became of it.
    pub report: EditReport,
}

/// The paths of one handle over the frames that change, as captured and by each distribution, before the body is rebuilt.
#[derive(Debug, Clone, PartialEq)]
pub struct HandlePaths {
    /// The joint's name.
    pub joint: String,
    /// Frames of the clip.
    pub frames: Range<usize>,
    /// As captured, metres.
    pub captured: Vec<Vec3>,
    /// One path per distribution, in the order of [`Distribution::ALL`].
    pub edited: [Vec<Vec3>; 4],
    /// Frames and places asked for.
    pub asked: Vec<(usize, Vec3)>,
}

/// Edits a segment of a clip: `frames`, the last of which is where requests without a time are met.
///
/// # Errors
/// When a handle is not there or is asked for twice at once, a request lies outside the segment, the segment or the
/// time between two requests is too short, or the caller stops.
pub fn edit_handles(
    clip: &Clip,
    frames: &Range<usize>,
    requests: &[HandleRequest],
    config: &EditConfig,
    progress: Progress<'_>,
) -> Result<EditedHandles, EditError> {
    let mut plan = Plan::build(clip, frames, requests)?;
    let mut paths = plan.paths(config.distribution)?;
    let skeleton = clip.skeleton();
    let joints: Vec<usize> = plan.handles.iter().map(|handle| handle.joint).collect();
    let mut bodies = Bodies::build(clip, &joints, config.rebuild)?;
    let gives_way = plan.keep_within_reach(clip, &paths, &mut bodies);
    if gives_way {
        paths = plan.paths(config.distribution)?;
    }
    let end = paths.iter().map(HandlePath::end).collect::<Option<Vec<_>>>();
    let end = end.map(|ends| ends.into_iter().max().unwrap_or(0));
    let changed = plan.frames.start + 1..end.map_or(plan.motion_end, |end| end.min(plan.motion_end));
    // Feet that cannot be met must not take the hips along.
    let hips = if gives_way { None } else { plan.hips_shift(clip, &paths, changed.clone()) };
    let mut rebuilt = joints.clone();
    if let Some((hips, _)) = &hips {
        rebuilt.push(*hips);
        bodies = Bodies::build(clip, &rebuilt, config.rebuild)?;
    }
    let mut out = clip.clone();
    let mut worst = Residual::default();
    let mut path_m = vec![0.0_f32; joints.len()];
    let mut places = Vec::with_capacity(joints.len());
    for frame in changed.clone() {
        report(progress, (frame - changed.start) as f32 / changed.len() as f32)?;
        let moved = |path: &HandlePath| path.at(frame).as_vec3();
        let shift = hips.as_ref().map_or(Vec3::ZERO, |(_, shifts)| shifts[frame - changed.start]);
        if shift == Vec3::ZERO && paths.iter().all(|path| moved(path) == Vec3::ZERO) {
            continue;
        }
        places.clear();
        let place = |(handle, path): (&PlannedHandle, &HandlePath)| (handle.path[frame] + moved(path), None);
        places.extend(plan.handles.iter().zip(&paths).map(place));
        if let Some((hips, _)) = &hips {
            let model = clip.model_pose(frame);
            places.push((model.positions[*hips] + shift, Some(model.rotations[*hips])));
        }
        let mut pose = clip.pose(frame);
        worst = larger(worst, bodies.rebuild(skeleton, &places, &mut pose));
        let reached = bodies.positions();
        for (at, &joint) in joints.iter().enumerate() {
            path_m[at] = path_m[at].max(reached[joint].distance(places[at].0));
        }
        out.set_pose(frame, &pose);
    }
    out.align_signs();
    let second = |frame: usize| (frame + clip.first_row()) as f64 / clip.fps();
    let motion_start = clip.motion_frames().start;
    let report = EditReport {
        start_s: second(plan.frames.start),
        end_s: second(plan.frames.end - 1),
        frames: plan.frames.len(),
        returned_s: end.map(second),
        handles: plan.report(clip, &out, requests, &path_m),
        skeleton: plan.fit(clip, &out, changed.clone(), worst),
        body: BodyReport::new(
            &BodyTrace::new(&out).within(changed.start - motion_start..changed.end + 1 - motion_start),
            &SourceBody::new(&[clip]),
        ),
        texture: texture(clip, &out, changed, &joints),
    };
    Ok(EditedHandles { clip: out, report })
}

/// The paths that the four distributions give the handles, next to the captured ones.
///
/// # Errors
/// As [`edit_handles`].
pub fn handle_paths(
    clip: &Clip,
    frames: &Range<usize>,
    requests: &[HandleRequest],
) -> Result<Vec<HandlePaths>, EditError> {
    let plan = Plan::build(clip, frames, requests)?;
    let all: Vec<Vec<HandlePath>> =
        Distribution::ALL.iter().map(|&how| plan.paths(how)).collect::<Result<_, _>>()?;
    let of_handle = |(at, handle): (usize, &PlannedHandle)| {
        let end = all[3][at].end().map_or(plan.motion_end, |end| (end + 1).min(plan.motion_end));
        let frames = plan.frames.start..end.max(plan.frames.end);
        let captured = handle.path[frames.clone()].to_vec();
        let edited = [0, 1, 2, 3].map(|how| {
            let path: &HandlePath = &all[how][at];
            frames.clone().map(|frame| handle.path[frame] + path.at(frame).as_vec3()).collect()
        });
        let joint = clip.skeleton().joint(handle.joint).name.clone();
        let asked = handle.asked.iter().map(|asked| (asked.frame, asked.place)).collect();
        HandlePaths { joint, frames, captured, edited, asked }
    };
    Ok(plan.handles.iter().enumerate().map(of_handle).collect())
}

/// One request at its frame.
struct Asked {
    /// Index of the request.
    request: usize,
    frame: usize,
    place: Vec3,
    /// The same, as far as it is in reach: where the path leads.
    goal: Vec3,
    /// Metres per frame.
    velocity: Option<Vec3>,
    is_dragged: bool,
}

struct PlannedHandle {
    joint: usize,
    /// Its captured world path over the whole clip.
    path: Vec<Vec3>,
    asked: Vec<Asked>,
    keys: Vec<Key>,
    after: After,
}

/// All requests by handle, with the keys that meet them.
struct Plan {
    frames: Range<usize>,
    motion_end: usize,
    handles: Vec<PlannedHandle>,
    stances: Stances,
}

impl Plan {
    fn build(clip: &Clip, frames: &Range<usize>, requests: &[HandleRequest]) -> Result<Self, EditError> {
        let motion = clip.motion_frames();
        // An added T-pose is no part of a motion.
        let frames = frames.start.max(motion.start)..frames.end.min(motion.end);
        if frames.len() < 3 {
            return Err(EditError::TooShort { samples: frames.len() });
        }
        if requests.is_empty() {
            return Err(EditError::NoRequest);
        }
        let mut handles: Vec<PlannedHandle> = Vec::new();
        for (at, request) in requests.iter().enumerate() {
            let joint = request.handle.find(clip.skeleton())?;
            let found = handles.iter().position(|handle| handle.joint == joint);
            let handle = found.unwrap_or_else(|| {
                let path = clip.joint_path(joint);
                handles.push(PlannedHandle {
                    joint,
                    path,
                    asked: Vec::new(),
                    keys: Vec::new(),
                    after: After::Keep,
                });
                handles.len() - 1
            });
            let asked = Asked::build(clip, &frames, at, request, &handles[handle].path)?;
            if handles[handle].asked.iter().any(|other| other.frame == asked.frame) {
                return Err(EditError::Twice { name: request.handle.to_string() });
            }
            handles[handle].asked.push(asked);
        }
        for handle in &mut handles {
            if let Some(frame) = handle.path.iter().position(|place| !place.is_finite()) {
                return Err(EditError::NotFinite { sample: frame });
            }
            handle.asked.sort_by_key(|asked| asked.frame);
        }
        let mut plan = Self { frames, motion_end: motion.end, handles, stances: Stances::find(clip) };
        plan.place_keys(clip);
        Ok(plan)
    }

    fn place_keys(&mut self, clip: &Clip) {
        for handle in &mut self.handles {
            let stances = self.stances.of(clip.skeleton(), handle.joint);
            handle.place_keys(&self.frames, self.motion_end, stances, clip.fps());
        }
    }

    /// Leads the paths of handles that cannot be met to the nearest place in reach, so that they do not stop long before the request, and
    /// lets these handles give way in all frames, so that the body does not change between holding and giving way; whether there are any.
    fn keep_within_reach(&mut self, clip: &Clip, paths: &[HandlePath], bodies: &mut Bodies) -> bool {
        let mut goals: Vec<(usize, usize, Vec3)> = Vec::new();
        for (at, handle) in self.handles.iter().enumerate() {
            for (number, asked) in handle.asked.iter().enumerate() {
                let place = |(handle, path): (&PlannedHandle, &HandlePath)| {
                    (handle.path[asked.frame] + path.at(asked.frame).as_vec3(), None)
                };
                let places: Vec<_> = self.handles.iter().zip(paths).map(place).collect();
                bodies.rebuild(clip.skeleton(), &places, &mut clip.pose(asked.frame));
                let reached = bodies.positions()[handle.joint];
                if 1e3 * reached.distance(asked.place) > MET_MM {
                    goals.push((at, number, asked.place + bodies.let_give_way(at)));
                }
            }
        }
        for (at, number, goal) in &goals {
            self.handles[*at].asked[*number].goal = *goal;
        }
        if !goals.is_empty() {
            self.place_keys(clip);
        }
        !goals.is_empty()
    }

    /// The hips and their shift in the frames that change, so that legs whose feet are moved change least; `None` when a handle is no foot.
    fn hips_shift(
        &self,
        clip: &Clip,
        paths: &[HandlePath],
        changed: Range<usize>,
    ) -> Option<(usize, Vec<Vec3>)> {
        let feet = find_feet(clip.skeleton()).ok()?;
        let hips = clip.skeleton().find(Role::Hips)?;
        let side = |handle: &PlannedHandle| {
            let is = |foot: usize| handle.joint == foot || clip.skeleton().is_below(handle.joint, foot);
            feet.feet.iter().position(|foot| is(foot.ankle))
        };
        let sides: Vec<usize> = self.handles.iter().map(side).collect::<Option<_>>()?;
        let num_frames = changed.len();
        let still = FootShift {
            shift: vec![DVec3::ZERO; num_frames],
            turn: vec![DVec3::ZERO; num_frames],
            grip: vec![1.0; num_frames],
            led: vec![1.0; num_frames],
        };
        let mut shifts = [still.clone(), still];
        for (path, side) in paths.iter().zip(sides) {
            shifts[side].shift = changed.clone().map(|frame| path.at(frame)).collect();
        }
        let fade = HIPS_FADE_S * clip.fps();
        let returns = changed.end < self.motion_end;
        let weight = |at: usize| {
            let leaves = if returns { smoothstep((num_frames - at) as f64 / fade) } else { 1.0 };
            smoothstep((at + 1) as f64 / fade) * leaves
        };
        let weights = (0..num_frames).map(weight).collect();
        let poses: Vec<_> = changed.map(|frame| clip.model_pose(frame)).collect();
        let config = HipsConfig { exact: true, ..HipsConfig::default() };
        let solution = FeetSolution::solve(&poses, &feet, shifts, weights, config, clip.fps());
        Some((hips, solution.hips.iter().map(|shift| shift.as_vec3()).collect()))
    }

    fn paths(&self, distribution: Distribution) -> Result<Vec<HandlePath>, EditError> {
        let build = |handle: &PlannedHandle| {
            HandlePath::build(&handle.path, self.frames.start, &handle.keys, handle.after, distribution)
        };
        self.handles.iter().map(build).collect()
    }

    fn report(
        &self,
        clip: &Clip,
        out: &Clip,
        requests: &[HandleRequest],
        path_m: &[f32],
    ) -> Vec<HandleReport> {
        let mut found: Vec<(usize, HandleReport)> = Vec::with_capacity(requests.len());
        for (handle, path_m) in self.handles.iter().zip(path_m) {
            let reached = out.joint_path(handle.joint);
            for asked in &handle.asked {
                let last = asked.frame + 1 >= self.motion_end;
                let step = if last { asked.frame - 1 } else { asked.frame };
                let velocity = (reached[step + 1] - reached[step]) * clip.fps() as f32;
                let report = HandleReport {
                    joint: clip.skeleton().joint(handle.joint).name.clone(),
                    at_s: (asked.frame + clip.first_row()) as f64 / clip.fps(),
                    captured_m: handle.path[asked.frame].to_array(),
                    asked_m: asked.place.to_array(),
                    reached_m: reached[asked.frame].to_array(),
                    off_mm: 1e3 * reached[asked.frame].distance(asked.place),
                    velocity_asked_m_s: requests[asked.request].velocity_m_s.map(|v| v.to_array()),
                    velocity_reached_m_s: velocity.to_array(),
                    path_mm: 1e3 * path_m,
                    is_dragged: asked.is_dragged,
                };
                found.push((asked.request, report));
            }
        }
        found.sort_by_key(|(request, _)| *request);
        found.into_iter().map(|(_, report)| report).collect()
    }

    fn fit(&self, clip: &Clip, out: &Clip, changed: Range<usize>, worst: Residual) -> SkeletonReport {
        let skeleton = clip.skeleton();
        let find = |role: Role| skeleton.find(role);
        let is_handle = |joint: usize| {
            self.handles.iter().any(|handle| handle.joint == joint || skeleton.is_below(handle.joint, joint))
        };
        let feet: Vec<usize> = [Role::LeftFoot, Role::RightFoot]
            .into_iter()
            .filter_map(find)
            .filter(|&foot| !is_handle(foot))
            .collect();
        let hips = find(Role::Hips).unwrap_or(0);
        let (mut bone_m, mut feet_m, mut hips_m) = (0.0_f32, 0.0_f32, 0.0_f32);
        for frame in changed {
            let (was, is) = (clip.model_pose(frame), out.model_pose(frame));
            let moved = |joint: usize| was.positions[joint].distance(is.positions[joint]);
            for joint in 0..skeleton.num_joints() {
                let Some(parent) = skeleton.parent(joint) else { continue };
                let [before, after] =
                    [&was, &is].map(|pose| pose.positions[joint].distance(pose.positions[parent]));
                bone_m = bone_m.max((after - before).abs());
            }
            feet_m = feet.iter().map(|&foot| moved(foot)).fold(feet_m, f32::max);
            hips_m = hips_m.max(moved(hips));
        }
        SkeletonReport {
            bone_mm: 1e3 * bone_m,
            residual_mm: 1e3 * worst.held_m,
            relaxation_mm: 1e3 * worst.links_m,
            feet_mm: 1e3 * feet_m,
            hips_mm: 1e3 * hips_m,
        }
    }
}

impl Asked {
    fn build(
        clip: &Clip,
        frames: &Range<usize>,
        at: usize,
        request: &HandleRequest,
        path: &[Vec3],
    ) -> Result<Self, EditError> {
        let last = frames.end - 1;
        let frame = request.at.map_or(last, |time| time.frame(clip.fps()).saturating_sub(clip.first_row()));
        if frame < frames.start + 2 || frame > last {
            let second = |frame: usize| (frame + clip.first_row()) as f64 / clip.fps();
            return Err(EditError::Moment {
                at_s: request.at.map_or_else(|| second(frame), |time| time.seconds(clip.fps())),
                start_s: second(frames.start),
                end_s: second(last),
            });
        }
        let place = match request.place {
            Place::World(place) => place,
            Place::Offset(by) => path[frame] + by,
        };
        let velocity = request.velocity_m_s.map(|velocity| velocity / clip.fps() as f32);
        if !place.is_finite() || velocity.is_some_and(|velocity| !velocity.is_finite()) {
            return Err(EditError::NotFinite { sample: frame });
        }
        Ok(Self { request: at, frame, place, goal: place, velocity, is_dragged: false })
    }
}

impl PlannedHandle {
    /// Keys from requests; displacements of a foot change only between its `stances`.
    fn place_keys(&mut self, frames: &Range<usize>, motion_end: usize, stances: &[Range<usize>], fps: f64) {
        self.keys.clear();
        let still = |frame: usize, by: DVec3| Key { frame, by, velocity: Some(DVec3::ZERO) };
        let standing = |frame: usize| stances.iter().find(|stance| stance.contains(&frame));
        let mut from = frames.start;
        let mut by = DVec3::ZERO;
        for asked in &mut self.asked {
            let captured = self.path[asked.frame];
            let target = (asked.goal - captured).as_dvec3();
            let ahead = self.path.get(asked.frame + 1).copied();
            let ahead = ahead.filter(|_| asked.frame + 1 < motion_end);
            let own = ahead.map_or(captured - self.path[asked.frame - 1], |next| next - captured);
            let velocity = asked.velocity.map(|velocity| (velocity - own).as_dvec3());
            // Where the displacement must be complete: at touchdown, if the foot stands when it is asked for.
            let stance = standing(asked.frame).filter(|_| velocity.is_none());
            let landing = stance.map_or(asked.frame, |stance| stance.start);
            if landing < from + MIN_PIECE {
                asked.is_dragged = stance.is_some();
                self.keys.push(Key { frame: asked.frame, by: target, velocity });
                (from, by) = (asked.frame, target);
                continue;
            }
            // It begins when the foot leaves its last place before that.
            let swing = ((MIN_SWING_S * fps).ceil() as usize).max(MIN_PIECE);
            let leaves = stances.iter().map(|stance| stance.end - 1);
            let leaves = leaves.filter(|&end| end > from && end + swing <= landing);
            if let Some(leaves) = leaves.max() {
                self.keys.push(still(leaves, by));
            }
            match stance {
                Some(stance) => {
                    self.keys.push(still(landing, target));
                    from = (stance.end - 1).clamp(asked.frame, motion_end - 1);
                    if from > landing {
                        self.keys.push(still(from, target));
                    }
                }
                None => {
                    self.keys.push(Key { frame: asked.frame, by: target, velocity });
                    from = asked.frame;
                }
            }
            by = target;
        }
        self.after = self.way_back(from, frames, motion_end, stances, fps);
    }

    /// When the handle is back on its captured path: as long after the segment as the segment took, a foot while it swings.
    fn way_back(
        &mut self,
        from: usize,
        frames: &Range<usize>,
        motion_end: usize,
        stances: &[Range<usize>],
        fps: f64,
    ) -> After {
        let last = motion_end - 1;
        let usual = frames.len().max((MIN_RETURN_S * fps).ceil() as usize).max(MIN_PIECE);
        let end = match stances.iter().find(|stance| stance.start > from) {
            // It lands before it can be back: it returns in the swing after that.
            Some(next) if next.start < from + MIN_PIECE => {
                let by = self.keys.last().map_or(DVec3::ZERO, |key| key.by);
                let leaves = (next.end - 1).min(last);
                self.keys.push(Key { frame: leaves, by, velocity: Some(DVec3::ZERO) });
                return self.way_back(leaves, frames, motion_end, stances, fps);
            }
            Some(next) => next.start,
            None => (from + usual).min(last),
        };
        if end >= from + MIN_PIECE && end <= last { After::Return(end) } else { After::Keep }
    }
}

/// When each foot stands.
struct Stances([Vec<Range<usize>>; 2]);

impl Stances {
    /// Empty for bodies without feet.
    fn find(clip: &Clip) -> Self {
        let found = find_contacts(clip, &ContactConfig::default());
        Self(found.map_or_else(|_| Default::default(), |contacts| contacts.feet.map(|foot| foot.any())))
    }

    /// Those of the foot that a joint belongs to; none for other joints.
    fn of(&self, skeleton: &Skeleton, joint: usize) -> &[Range<usize>] {
        for (role, side) in [(Role::LeftFoot, Side::Left), (Role::RightFoot, Side::Right)] {
            let Some(foot) = skeleton.find(role) else { continue };
            if joint == foot || skeleton.is_below(joint, foot) {
                return &self.0[usize::from(side == Side::Right)];
            }
        }
        &[]
    }
}

/// Turns of joints that are not handles, relative to their parents.
fn texture(clip: &Clip, out: &Clip, changed: Range<usize>, handles: &[usize]) -> TextureReport {
    let skeleton = clip.skeleton();
    let (mut sum, mut count) = (0.0, 0_usize);
    let mut joints: Vec<(usize, f64)> = Vec::new();
    for joint in (0..skeleton.num_joints()).filter(|joint| !handles.contains(joint)) {
        let mut most = 0.0_f64;
        for frame in changed.clone() {
            let turned = angle_between(clip.rotation(joint, frame), out.rotation(joint, frame));
            let turned = f64::from(turned).to_degrees();
            sum += turned;
            count += 1;
            most = most.max(turned);
        }
        joints.push((joint, most));
    }
    joints.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let max_deg = joints.first().map_or(0.0, |(_, most)| *most);
    let joints = joints.into_iter().take(5).filter(|(_, most)| *most > 0.01);
    TextureReport {
        mean_deg: if count == 0 { 0.0 } else { sum / count as f64 },
        max_deg,
        joints: joints
            .map(|(joint, max_deg)| TurnedJoint { joint: skeleton.joint(joint).name.clone(), max_deg })
            .collect(),
    }
}
