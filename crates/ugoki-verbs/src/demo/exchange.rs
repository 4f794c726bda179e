//! Examples of exchange: other bodies and other programs' formats.

use std::ops::ControlFlow;
use std::sync::Arc;

use ugoki::clip::Clip;
use ugoki::formats::{self, Format};
use ugoki::picture::View;
use ugoki::retarget::retarget_onto;
use ugoki::skeleton::{Role, Skeleton};

use super::examples::{push_bvh, push_picture};
use super::{Example, File};
use crate::Error;
use crate::convert::Convert;

/// Formats that the walk is written in, with what reads them.
const FORMATS: [(Format, &str); 6] = [
    (Format::Glb, "engines, Blender and browsers"),
    (Format::Vrma, "VRM avatars"),
    (Format::Vrm, "the mannequin as an avatar"),
    (Format::Npz, "numpy"),
    (Format::Csv, "spreadsheets"),
    (Format::Trc, "OpenSim"),
];

/// A child's proportions against the sample actor's: limbs of 0.62, trunk of 0.72, the head's joint of 0.9.
const CHILD: [(&[Role], f32); 3] = [
    (
        &[
            Role::LeftLowerLeg,
            Role::LeftFoot,
            Role::RightLowerLeg,
            Role::RightFoot,
            Role::LeftLowerArm,
            Role::LeftHand,
            Role::RightLowerArm,
            Role::RightHand,
            Role::LeftToes,
            Role::RightToes,
        ],
        0.62,
    ),
    (
        &[
            Role::Spine,
            Role::Chest,
            Role::UpperChest,
            Role::Neck,
            Role::LeftShoulder,
            Role::RightShoulder,
            Role::LeftUpperArm,
            Role::RightUpperArm,
            Role::LeftUpperLeg,
            Role::RightUpperLeg,
        ],
        0.72,
    ),
    (&[Role::Head], 0.9),
];

/// The walk on a body of other proportions.
pub(super) fn retargeting(files: &mut Vec<File>, walk: &Clip) -> Result<Example, Error> {
    let child = child(walk.skeleton());
    let mut standing = Clip::at_rest(child, walk.fps(), 1)?;
    standing.name = "child".to_owned();
    let moved = retarget_onto(walk, &standing, &mut |_| ControlFlow::Continue(()))?;
    let mut out = moved.clip;
    out.name = "walk-child".to_owned();
    push_bvh(files, "child.bvh", &standing);
    push_bvh(files, "walk-child.bvh", &out);
    push_picture(files, "walk-child.png", &out, 8, (1200, 0), View::ThreeQuarter)?;
    let feet = moved.report.feet.unwrap_or_default();
    Ok(Example {
        title: "Move a motion onto another body",
        text: "The walk on a child's proportions. Joints are matched by what they are, rest poses drop out, steps \
               shrink with the legs, and feet that stand in the source stand here."
            .to_owned(),
        commands: vec!["ugoki convert walk.bvh walk-child.bvh --retarget child.bvh".to_owned()],
        files: vec!["walk-child.png".to_owned(), "child.bvh".to_owned(), "walk-child.bvh".to_owned()],
        output: format!(
            "{} of {} contacts held, farthest slip {:.2} mm",
            feet.held, feet.contacts, feet.slip_mm
        ),
    })
}

fn child(skeleton: &Arc<Skeleton>) -> Arc<Skeleton> {
    let mut joints = skeleton.joints().to_vec();
    for joint in &mut joints {
        let factor = |(roles, factor): &(&[Role], f32)| {
            joint.role.filter(|role| roles.contains(role)).map(|_| *factor)
        };
        let factor = CHILD.iter().find_map(factor).unwrap_or(0.62);
        joint.offset *= factor;
        for tip in &mut joint.tips {
            // The head keeps most of its size.
            *tip *= if joint.role == Some(Role::Head) { 0.9 } else { factor };
        }
    }
    // The same tree with other lengths builds as the first did.
    Skeleton::build(joints).unwrap_or_else(|_| Arc::clone(skeleton))
}

/// The walk in the formats of other programs.
pub(super) fn exchanging(files: &mut Vec<File>, walk: &Clip) -> Result<Example, Error> {
    let mut output = String::new();
    let mut names = Vec::new();
    for (format, reader) in FORMATS {
        let name = format!("walk.{}", format.extension());
        let read = formats::read(
            &formats::bvh::write(walk, &formats::WriteOptions::default()).bytes,
            Some("bvh"),
            &formats::ReadOptions::default(),
        );
        let Ok(mut read) = read else { continue };
        read.clip.name.clone_from(&walk.name);
        read.clip.tags.clone_from(&walk.tags);
        let go_on = &mut |_| ControlFlow::Continue(());
        let (bytes, report) = Convert::default().convert(["walk.bvh", &name], format, read, None, go_on)?;
        output.push_str(&format!("{name}: {} kB, for {reader}\n", bytes.len().div_ceil(1000)));
        for finding in report.written {
            output.push_str(&format!("  {} [{}]\n", finding.message, finding.code));
        }
        files.push(File { name: name.clone(), bytes });
        names.push(name);
    }
    Ok(Example {
        title: "Go to other programs",
        text: "BVH, FBX, glTF, VRM, VRMA, AMC, C3D, TRC and DeepMimic are read; these are written, and what a format \
               cannot hold is said. GLB carries tags, contacts and the loop in its extras."
            .to_owned(),
        commands: names.iter().map(|name| format!("ugoki convert walk.bvh {name}")).collect(),
        files: names,
        output: output.trim_end().to_owned(),
    })
}
