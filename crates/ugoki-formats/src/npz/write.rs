//! A clip as arrays.

use glam::{Quat, Vec3};
use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::{Progress, report};

use super::array::{flags, floats, integers, number, strings};
use super::zip::{MAX_BYTES, Zip};
use crate::save::{WriteError, WriteOptions, Written};
use crate::{Findings, Severity, axes, faces};

/// Writes `clip` as arrays for numpy.
///
/// # Errors
/// When the arrays would take 4 GiB or more, or the caller stops.
pub fn write(clip: &Clip, options: &WriteOptions, progress: Progress<'_>) -> Result<Written, WriteError> {
    let mut findings = Findings::default();
    let clip = &*faces::left_out(clip, &mut findings);
    let (frames, joints) = (clip.num_frames(), clip.num_joints());
    let moved = clip.translations().len();
    let largest = frames as u64 * (16 * joints as u64 + 12 * (moved as u64 + 1));
    if largest >= MAX_BYTES {
        return Err(WriteError::TooLarge { frames, joints });
    }
    let unit = options.unit_metres.unwrap_or(1.0);
    let up = options.up.unwrap_or(UpAxis::Y);
    let place = |p: Vec3| axes::to_file(p, up).to_array().map(|v| (f64::from(v) / unit) as f32);
    let turn = |q: Quat| {
        let q = axes::rotation_to_file(q, up);
        [q.w, q.x, q.y, q.z]
    };
    let skeleton = clip.skeleton();
    let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    let mut zip = Zip::default();
    let rotations = (0..frames).flat_map(|frame| (0..joints).map(move |joint| (joint, frame)));
    let quats = rotations.flat_map(|(joint, frame)| turn(clip.rotation(joint, frame)));
    zip.add("quat_wxyz.npy", &floats(&[frames, joints, 4], quats));
    report(progress, 0.7)?;
    zip.add("root.npy", &floats(&[frames, 3], clip.root().iter().flat_map(place)));
    let parents = skeleton.joints().iter().map(|joint| joint.parent.map_or(-1, |parent| parent as i32));
    zip.add("parents.npy", &integers(parents));
    let offsets = skeleton.joints().iter().flat_map(|joint| place(joint.offset));
    zip.add("offsets.npy", &floats(&[joints, 3], offsets));
    zip.add("names.npy", &strings(&names));
    let roles: Vec<&str> =
        skeleton.joints().iter().map(|joint| joint.role.map_or("", |role| role.name())).collect();
    zip.add("roles.npy", &strings(&roles));
    zip.add("fps.npy", &number(clip.fps()));
    zip.add("tpose_frame.npy", &flags(&[], std::iter::once(clip.tpose_frame)));
    if moved > 0 {
        let joints = clip.translations().iter().map(|translation| translation.joint as i32);
        zip.add("moved_joints.npy", &integers(joints));
        let places = (0..frames).flat_map(|frame| {
            clip.translations().iter().map(move |translation| translation.track.get(frame))
        });
        zip.add("moved.npy", &floats(&[frames, moved, 3], places.flat_map(place)));
    }
    if let Some(contacts) = &options.contacts {
        zip.add("contacts.npy", &contact_flags(contacts, frames));
    }
    if let Some(range) = &options.loop_frames {
        zip.add("loop.npy", &integers([range.start as i32, range.end as i32].into_iter()));
    }
    report(progress, 1.0)?;
    if zip.len() >= MAX_BYTES {
        return Err(WriteError::TooLarge { frames, joints });
    }
    report_losses(clip, &mut findings);
    Ok(Written { bytes: zip.finish(), findings: findings.finish() })
}

/// Left heel, left toe, right heel, right toe in every frame.
fn contact_flags([left, right]: &[FootContacts; 2], frames: usize) -> Vec<u8> {
    let points = [&left.heel, &left.toe, &right.heel, &right.toe];
    let mut table = vec![[false; 4]; frames];
    for (point, ranges) in points.into_iter().enumerate() {
        for range in ranges {
            for row in &mut table[range.start.min(frames)..range.end.min(frames)] {
                row[point] = true;
            }
        }
    }
    flags(&[frames, 4], table.into_iter().flatten())
}

/// What arrays have no room for.
pub(crate) fn report_losses(clip: &Clip, findings: &mut Findings) {
    if clip.skeleton().joints().iter().any(|joint| !joint.tips.is_empty()) {
        let message = "end sites have no place in this format";
        findings.note(Severity::Info, None, "tips-lost", message, "left out");
    }
}
