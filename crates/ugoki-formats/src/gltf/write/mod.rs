//! A clip to glTF, GLB, VRM or VRMA.
//!
//! ```text
//! GLB, glTF: joints as nodes ─ mesh: the mannequin, skinned ─ motion: channels and extras
//! VRM:       the T-pose of the skeleton ─ the mannequin ─ avatar: humanoid map and meta
//! VRMA:      the T-pose of the roles ─ motion relative to it ─ humanoid map, map of expressions
//! ```

mod builder;
mod face;
mod mesh;
mod motion;
mod roles;
mod t_pose;

use std::sync::Arc;

use serde_json::{Value, json};

use super::document::{HumanBone, Humanoid};
use super::{base64, container, expressions};
use crate::{Findings, Format, Severity, WriteError, WriteOptions, Written, counted};
use builder::Builder;
pub use roles::{VrmaBody, vrma_body};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_base::{Progress, report};

/// Writes `clip` as GLB, glTF (buffers inside), VRM 1.0 or VRMA 1.0.
///
/// # Errors
/// When VRM or VRMA is wanted and the skeleton lacks roles, or the caller stops.
pub fn write(
    clip: &Clip,
    format: Format,
    options: &WriteOptions,
    progress: Progress<'_>,
) -> Result<Written, WriteError> {
    report(progress, 0.0)?;
    let mut findings = Findings::default();
    if options.unit_metres.is_some_and(|unit| unit != 1.0)
        || options.up.is_some_and(|up| up != Default::default())
    {
        let message = "glTF is always in metres with Y up";
        findings.note(Severity::Warning, None, "fixed-axes", message, "written so");
    }
    let bytes = match format {
        Format::Vrm => avatar(clip, &mut findings)?,
        Format::Vrma => animation(clip, options, &mut findings, progress)?,
        _ => {
            let (json, bin) = model(clip, options, progress)?;
            if format == Format::Gltf { inline(json, &bin) } else { container::pack(bytes_of(&json), bin) }
        }
    };
    report(progress, 1.0)?;
    Ok(Written { bytes, findings: findings.finish() })
}

/// The skeleton as it is, the mannequin on it, and the motion.
fn model(
    clip: &Clip,
    options: &WriteOptions,
    progress: Progress<'_>,
) -> Result<(Value, Vec<u8>), WriteError> {
    let body = &*clip.without_expressions();
    let mut builder = Builder::new();
    let nodes = builder.add_skeleton(body.skeleton());
    builder.add_mannequin(body.skeleton(), &nodes);
    let faces = builder.add_faces(clip, true, |_| true);
    report(progress, 0.2)?;
    if clip.num_frames() > 0 {
        builder.add_motion(body, &nodes, &faces, motion::extras(clip, options));
    }
    Ok(builder.finish())
}

/// The mannequin in T-pose as a VRM 1.0 avatar.
fn avatar(clip: &Clip, findings: &mut Findings) -> Result<Vec<u8>, WriteError> {
    roles::check(clip.skeleton(), Format::Vrm)?;
    let clip = &*clip.without_expressions();
    let skeleton = t_pose::from_clip(clip).skeleton;
    if clip.num_frames() > 1 {
        let message = "a VRM file is an avatar without motion";
        findings.note(Severity::Warning, None, "motion-left-out", message, "write .vrma for the motion");
    }
    let mut builder = Builder::new();
    let nodes = builder.add_skeleton(&skeleton);
    builder.add_mannequin(&skeleton, &nodes);
    let name = if clip.name.is_empty() { "mannequin" } else { &clip.name };
    let extension = json!({
        "specVersion": "1.0",
        "meta": {
            "name": name,
            "version": "1",
            "authors": ["Ugoki"],
            "licenseUrl": "https://vrm.dev/licenses/1.0/",
            "avatarPermission": "everyone",
            "allowExcessivelyViolentUsage": true,
            "allowExcessivelySexualUsage": false,
            "commercialUsage": "corporation",
            "allowPoliticalOrReligiousUsage": true,
            "allowAntisocialOrHateUsage": false,
            "creditNotation": "unnecessary",
            "allowRedistribution": true,
            "modification": "allowModificationRedistribution",
        },
        "humanoid": humanoid(&skeleton, &nodes, |_| true),
    });
    builder.add_extension("VRMC_vrm", extension);
    let (json, bin) = builder.finish();
    Ok(container::pack(bytes_of(&json), bin))
}

/// The motion of the roles relative to a T-pose as VRMA 1.0.
fn animation(
    clip: &Clip,
    options: &WriteOptions,
    findings: &mut Findings,
    progress: Progress<'_>,
) -> Result<Vec<u8>, WriteError> {
    roles::check(clip.skeleton(), Format::Vrma)?;
    let reduced = roles::reduce(&clip.without_expressions(), findings)?;
    report(progress, 0.5)?;
    let mut builder = Builder::new();
    let nodes = builder.add_skeleton(reduced.skeleton());
    let mut extension = json!({
        "specVersion": "1.0",
        "humanoid": humanoid(reduced.skeleton(), &nodes, |role| !roles::is_eye(role)),
    });
    let faces = builder.add_faces(clip, false, |name| !expressions::is_gaze(name));
    if !faces.is_empty() {
        extension["expressions"] = expressions::map(faces.iter().map(|face| (face.name.as_str(), face.node)));
    }
    let looks = clip.skeleton().expressions().count() - faces.len();
    if looks > 0 {
        let message = format!("{} the gaze's", counted(looks, "expression is", "expressions are"));
        findings.note(
            Severity::Warning,
            None,
            "gaze-left-out",
            message,
            "left out: VRMA turns eyes by its look-at",
        );
    }
    builder.add_extension("VRMC_vrm_animation", extension);
    if reduced.num_frames() > 0 {
        builder.add_motion(&reduced, &nodes, &faces, motion::extras(clip, options));
    }
    let (json, bin) = builder.finish();
    Ok(container::pack(bytes_of(&json), bin))
}

/// The humanoid map: name of the role, node of the joint.
fn humanoid(skeleton: &Arc<Skeleton>, nodes: &[usize], wanted: impl Fn(Role) -> bool) -> Value {
    let bones = roles::named(skeleton).into_iter().filter(|&(role, _)| wanted(role));
    let human_bones =
        bones.map(|(role, joint)| (role.name().to_owned(), HumanBone { node: nodes[joint] })).collect();
    json!(Humanoid { human_bones })
}

fn bytes_of(json: &Value) -> Vec<u8> {
    json.to_string().into_bytes()
}

/// glTF as text with its buffer inside.
fn inline(mut json: Value, bin: &[u8]) -> Vec<u8> {
    if let Some(buffer) = json.pointer_mut("/buffers/0").and_then(Value::as_object_mut) {
        let uri = format!("data:application/octet-stream;base64,{}", base64::encode(bin));
        buffer.insert("uri".to_owned(), Value::String(uri));
    }
    let mut bytes = serde_json::to_vec_pretty(&json).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
