//! Bytes to a clip with its findings.

use glam::{DAffine3, DVec3};
use ugoki_base::clip::UpAxis;
use ugoki_base::skeleton::body_height;

use super::load::load;
use super::sample::{Span, sample, span};
use crate::body::check_options;
use crate::motion_findings::{
    mark_t_pose, report_few_frames, report_floor, report_glitches, report_hands, report_rest,
};
use crate::scene::build_clip;
use crate::{Findings, Format, Marks, Read, ReadError, ReadOptions, Severity, counted, takes, units};

/// How many times larger or smaller than usual a body may be in the unit the file states: puppets and giants.
const UNIT_SLACK: f64 = 3.0;

/// Reads one take of an FBX file.
///
/// # Errors
/// When the file is broken, has no joints, no such take, or asks for more memory than its size allows.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Read, ReadError> {
    check_options(options)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    let mut findings = Findings::default();
    let file = load(bytes)?;
    report_warnings(&file, &mut findings);
    let names: Vec<String> =
        (&file.anim_stacks).into_iter().map(|stack| stack.element.name.to_string()).collect();
    let take = takes::choose(&names, options.take.as_deref())?;
    let anim: &ufbx::Anim = match (&file.anim_stacks).into_iter().nth(take) {
        Some(stack) => &stack.anim,
        None => &file.anim,
    };
    if options.take.is_none() {
        takes::tell(&names, &mut findings);
    }
    let span: Span = span(&file, anim, options.fps, &mut findings)?;
    let mut scene = sample(&file, anim, span, bytes.len())?;
    if scene.tracks.is_empty() {
        let message = "nothing moves in this file";
        findings.note(Severity::Warning, None, "no-motion", message, "one frame in the rest pose");
        scene.num_frames = 1;
    }
    let stated = file.settings.original_unit_meters;
    let stated = if stated.is_finite() && stated > 0.0 { stated } else { 0.01 };
    // First in the unit the file states, to see how large the body is in it.
    let mut quiet = Findings::default();
    let first = build_clip(&scene, &mut quiet)?;
    let height = body_height(first.clip.skeleton()).map(|height| f64::from(height) / stated);
    let (unit_metres, unit_name) =
        units::choose_stated(options.unit_metres, Some(stated), height, None, UNIT_SLACK, &mut findings);
    let clip = if (unit_metres / stated - 1.0).abs() > 1e-9 {
        scene.world_from_file = DAffine3::from_scale(DVec3::splat(unit_metres / stated));
        build_clip(&scene, &mut findings)?.clip
    } else {
        findings.extend(quiet);
        first.clip
    };
    let mut clip = clip;
    clip.name = names.get(take).cloned().unwrap_or_default();
    // The settings proper tell the axes after turning; the file's own number is 0, 1, 2 for X, Y, Z.
    let axis = file.settings.props.find_prop("UpAxis").map(|property| property.value_int);
    let up = if axis == Some(2) { UpAxis::Z } else { UpAxis::Y };
    if up == UpAxis::Z {
        findings.note(Severity::Info, None, "up-z", "the file states that Z is up", "turned so that Y is up");
    }
    let height_metres = height.map(|height| height * unit_metres);
    report(&mut clip, height_metres, &mut findings);
    Ok(Read {
        frame_time: 1.0 / clip.fps(),
        clip,
        format: Format::Fbx,
        findings: findings.finish(),
        unit_metres,
        unit_name,
        height_metres,
        up,
        takes: names,
        markers: None,
        marks: Marks::default(),
    })
}

/// What the loader noticed, each kind once.
fn report_warnings(file: &ufbx::Scene, findings: &mut Findings) {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for warning in &file.metadata.warnings {
        let text = warning.description.trim();
        match kinds.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += warning.count.max(1),
            None => kinds.push((text, warning.count.max(1))),
        }
    }
    for (text, count) in kinds {
        let message = format!("{text}, {}", counted(count, "time", "times"));
        findings.note(Severity::Info, None, "fbx-warning", message, "repaired by the loader");
    }
}

fn report(clip: &mut ugoki_base::clip::Clip, height_metres: Option<f64>, findings: &mut Findings) {
    let no_line = |_: usize| None;
    mark_t_pose(clip, None, None, findings);
    report_few_frames(clip, &no_line, findings);
    report_glitches(clip, &no_line, findings);
    match height_metres {
        Some(height) => {
            report_rest(clip.skeleton(), findings);
            report_hands(clip, findings);
            report_floor(clip, height as f32, "kept as written", findings);
        }
        None => {
            let message = "no human body: hips and legs were not recognised";
            findings.note(Severity::Warning, None, "not-humanoid", message, "joints without roles");
        }
    }
}
