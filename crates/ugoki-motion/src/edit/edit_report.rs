//! What an edit reports: handles, skeleton and texture, the three parts of a segment in the paper.

use std::fmt;

use serde::Serialize;

use super::join::{SeamBody, SourceBody};

/// Distance from what was asked up to which a handle counts as met, millimetres: ten times what relaxation is aimed to.
pub(super) const MET_MM: f32 = 0.1;

/// Distance from its path from which on a handle that is met is reported, millimetres: what shows in a body at rest.
const PATH_MM: f32 = 10.0;

/// What was asked and what became of it: handles, skeleton and texture, the three parts of a segment in the paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EditReport {
    /// First frame of the segment, seconds.
    pub start_s: f64,
    /// Last frame of the segment, seconds.
    pub end_s: f64,
    /// Frames of the segment.
    pub frames: usize,
    /// When every handle is back on its captured path, seconds; absent when one is not before the clip ends.
    pub returned_s: Option<f64>,
    /// One entry per request.
    pub handles: Vec<HandleReport>,
    /// How well the body fits its bones and its handles.
    pub skeleton: SkeletonReport,
    /// What the whole body does in the frames that change, next to the source.
    pub body: BodyReport,
    /// What became of everything that is not a handle.
    pub texture: TextureReport,
}

/// One request and what was reached; measured on the result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HandleReport {
    /// The joint's name.
    pub joint: String,
    /// When, seconds.
    pub at_s: f64,
    /// Where the joint was captured then, metres.
    pub captured_m: [f32; 3],
    /// Where it must be, metres.
    pub asked_m: [f32; 3],
    /// Where it is, metres.
    pub reached_m: [f32; 3],
    /// Distance between the two, millimetres.
    pub off_mm: f32,
    /// Velocity asked for, metres per second.
    pub velocity_asked_m_s: Option<[f32; 3]>,
    /// Velocity there, metres per second: to the next frame, or from the one before at the clip's end.
    pub velocity_reached_m_s: [f32; 3],
    /// Greatest distance from the edited path on the way, millimetres: what rebuilding could not follow.
    pub path_mm: f32,
    /// Whether the foot stands during the whole piece and is dragged over the ground.
    pub is_dragged: bool,
}

impl HandleReport {
    /// Whether the joint is where it was asked to be.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.off_mm <= MET_MM
    }
}

/// How well the rebuilt body fits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SkeletonReport {
    /// Greatest difference of a bone's length from the captured frame's, millimetres.
    pub bone_mm: f32,
    /// Greatest distance of a handle or a standing foot from its place, millimetres.
    pub residual_mm: f32,
    /// Greatest error of a distance between joints that relaxation left to the joints' turning, millimetres.
    pub relaxation_mm: f32,
    /// Greatest way of a foot that is not a handle from its captured path, millimetres.
    pub feet_mm: f32,
    /// Greatest way of the hips from their captured path, millimetres.
    pub hips_mm: f32,
}

/// What the whole body does in the frames that change, next to the 99th percentiles of the source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BodyReport {
    /// Largest acceleration of the hips, m/s².
    pub hips_m_s2: f64,
    /// The same of the source.
    pub source_hips_m_s2: f64,
    /// Largest angular speed of a joint against its parent, degrees per second.
    pub joint_speed_deg_s: f64,
    /// The same of the source.
    pub source_joint_speed_deg_s: f64,
    /// Whether that is more than a body does: hips over 8 m/s² and 1.5 times the source's, joints over 400°/s and twice the source's.
    pub is_implausible: bool,
}

impl BodyReport {
    pub(super) fn new(made: &SeamBody, source: &SourceBody) -> Self {
        Self {
            hips_m_s2: made.hips_m_s2,
            source_hips_m_s2: source.hips_m_s2,
            joint_speed_deg_s: made.joint_speed_deg_s,
            source_joint_speed_deg_s: source.joint_speed_deg_s,
            is_implausible: made.ratio(source) > 1.0,
        }
    }
}

/// How far joints that are not handles turned from the source, in the frames that changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextureReport {
    /// Mean over joints and frames, degrees.
    pub mean_deg: f64,
    /// Most, degrees.
    pub max_deg: f64,
    /// The joints that turned most, at most five, by more than 0.01°.
    pub joints: Vec<TurnedJoint>,
}

/// How far a joint turned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnedJoint {
    /// The joint's name.
    pub joint: String,
    /// Most, degrees.
    pub max_deg: f64,
}

impl fmt::Display for EditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  handles")?;
        for handle in &self.handles {
            write_handle(f, handle)?;
        }
        let s = &self.skeleton;
        write!(
            f,
            "\n  skeleton\n    bones {:.3} mm, handles and standing feet {:.2} mm off, relaxation {:.2} mm\n    \
             hips moved {:.1} mm, other feet {:.2} mm",
            s.bone_mm, s.residual_mm, s.relaxation_mm, s.hips_mm, s.feet_mm
        )?;
        let b = &self.body;
        write!(
            f,
            "\n  body\n    hips accelerate by {:.1} m/s² (source {:.1}), joints turn by {:.0}°/s (source {:.0})",
            b.hips_m_s2, b.source_hips_m_s2, b.joint_speed_deg_s, b.source_joint_speed_deg_s
        )?;
        if b.is_implausible {
            write!(
                f,
                "\n    warning: faster than a body moves; ask for less, or give the segment more time"
            )?;
        }
        let t = &self.texture;
        write!(
            f,
            "\n  texture\n    joints turned by {:.2}° on average, {:.1}° at most",
            t.mean_deg, t.max_deg
        )?;
        if !t.joints.is_empty() {
            let joints = t.joints.iter().map(|joint| format!("{} {:.1}°", joint.joint, joint.max_deg));
            write!(f, "\n    {}", joints.collect::<Vec<_>>().join(", "))?;
        }
        match self.returned_s {
            Some(second) => write!(f, "\n  as captured again from {second:.3} s"),
            None => write!(f, "\n  displaced to the end of the motion"),
        }
    }
}

/// A distance in millimetres, or in metres from one on.
fn distance(mm: f32) -> String {
    if mm < 1000.0 { format!("{mm:.2} mm") } else { format!("{:.2} m", 1e-3 * mm) }
}

fn write_handle(f: &mut fmt::Formatter<'_>, handle: &HandleReport) -> fmt::Result {
    let vector = |[x, y, z]: [f32; 3]| format!("{x:.3}, {y:.3}, {z:.3}");
    write!(
        f,
        "\n    {} at {:.3} s: asked {}; reached {} ({} off)",
        handle.joint,
        handle.at_s,
        vector(handle.asked_m),
        vector(handle.reached_m),
        distance(handle.off_mm)
    )?;
    let asked = handle.velocity_asked_m_s.map_or_else(String::new, |v| format!("asked {} m/s; ", vector(v)));
    write!(f, "\n      velocity {asked}reached {} m/s", vector(handle.velocity_reached_m_s))?;
    if !handle.is_met() {
        write!(f, "\n      warning: out of reach")?;
    } else if handle.path_mm > PATH_MM {
        write!(f, "\n      warning: its path is out of reach, by {} at most", distance(handle.path_mm))?;
    }
    if handle.is_dragged {
        write!(
            f,
            "\n      warning: the foot stands in the whole segment and is dragged; begin with the swing before"
        )?;
    }
    Ok(())
}
