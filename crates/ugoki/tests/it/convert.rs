//! Properties of conversion.

use ugoki::no_progress;

use crate::retarget_support::{joints_apart, with_lengths, with_rest};
use glam::Quat;
use ugoki::clip::{Clip, ClipChange, UpAxis};
use ugoki::contact::FootContacts;
use ugoki::convert::{Conversion, convert};
use ugoki::formats::{Format, Read, ReadOptions, Tpose, WriteOptions, bvh, read};
use ugoki::retarget::{RetargetConfig, retarget_onto};
use ugoki::sample;
use ugoki::skeleton::Role;

fn opened(bytes: &[u8]) -> Read {
    read(bytes, Some("bvh"), &ReadOptions::default()).unwrap()
}

fn written(clip: &Clip, options: &WriteOptions) -> Vec<u8> {
    bvh::write(clip, options).bytes
}

fn converted(tpose: Tpose, change: &ClipChange, read: Read, target: Option<&Read>) -> Vec<u8> {
    let to = Conversion { target, tpose, change: change.clone(), ..Conversion::default() };
    convert(read, Format::Bvh, &to, &mut no_progress()).unwrap().bytes
}

/// A walk on a body whose rest pose bows its head, with a T-pose in front that holds it straight.
fn bowed_walk() -> Clip {
    let walk = sample::clip("walk").unwrap();
    let bow = Quat::from_rotation_x(0.4);
    let (skeleton, world) = with_rest(&sample::skeleton(), &[(Role::Neck, bow)]);
    let mut clip = Clip::at_rest(skeleton.clone(), walk.fps(), 1 + walk.num_frames()).unwrap();
    for frame in 0..=walk.num_frames() {
        let mut pose = match frame {
            0 => ugoki::pose::Pose::rest(&sample::skeleton()),
            _ => walk.pose(frame - 1),
        };
        for (joint, rest) in skeleton.joints().iter().enumerate() {
            let above = rest.parent.map_or(Quat::IDENTITY, |parent| world[parent]);
            pose.rotations[joint] = above * pose.rotations[joint] * world[joint].conjugate();
        }
        clip.set_pose(frame, &pose);
    }
    clip.align_signs();
    clip.tpose_frame = true;
    clip
}

/// Symptom: `--tpose drop --retarget` was off by what rest pose and T-pose differ by. Cause: the T-pose was dropped before
/// the stance was taken from it.
#[test]
fn a_dropped_t_pose_still_gives_the_stance() {
    // Another name of the head makes it another rig: bodies of one rig need no stance.
    let text = String::from_utf8(written(&bowed_walk(), &WriteOptions::default())).unwrap();
    let renamed = text.replace("JOINT head", "JOINT Head");
    assert_ne!(text, renamed);
    let mut read = opened(renamed.as_bytes());
    read.clip.tpose_frame = true;
    let target = &opened(&written(&sample::clip("idle").unwrap(), &WriteOptions::default()));
    let (still, target) = (ClipChange::default(), Some(target));
    let keep = opened(&converted(Tpose::Keep, &still, read.clone(), target)).clip;
    let drop = opened(&converted(Tpose::Drop, &still, read.clone(), target)).clip;
    let frames = keep.num_frames();
    assert_eq!(drop.num_frames(), frames - 1);
    let kept = keep.trimmed(1..frames).unwrap();
    // Written with six decimals of a degree and a centimetre.
    assert!(joints_apart(&kept, &drop) < 1e-4, "{}", joints_apart(&kept, &drop));
    // And the head is where the sample actor holds it, not bowed.
    let (walk, head) = (sample::clip("walk").unwrap(), sample::skeleton().find(Role::Head).unwrap());
    let apart =
        ugoki::math::angle_between(walk.model_pose(40).rotations[head], drop.model_pose(40).rotations[head]);
    assert!(apart.to_degrees() < 0.1, "{}°", apart.to_degrees());
    // The fault would show: without the T-pose the rest pose is taken for the stance.
    let mut blind = read;
    blind.clip = blind.clip.trimmed(1..frames).unwrap();
    let blind = opened(&converted(Tpose::Keep, &still, blind, target)).clip;
    let apart =
        ugoki::math::angle_between(walk.model_pose(40).rotations[head], blind.model_pose(40).rotations[head]);
    assert!(apart.to_degrees() > 10.0);
}

/// The text of a BVH file up to its motion.
fn hierarchy(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.split("MOTION").next().unwrap().to_owned()
}

#[test]
fn a_retargeted_file_has_unit_axes_and_channels_of_the_target() {
    let other = with_lengths(&sample::skeleton(), &[(Role::LeftLowerLeg, 1.2), (Role::Spine, 0.8)]);
    let rig = Clip::at_rest(other, 30.0, 2).unwrap();
    let walk = opened(&written(&sample::clip("walk").unwrap(), &WriteOptions::default()));
    for (unit_metres, up, order) in [
        (1.0, UpAxis::Y, "Xrotation Yrotation Zrotation"),
        (0.0254, UpAxis::Z, "Zrotation Xrotation Yrotation"),
        (0.01, UpAxis::Z, "Yrotation Xrotation Zrotation"),
    ] {
        let options =
            WriteOptions { unit_metres: Some(unit_metres), up: Some(up), ..WriteOptions::default() };
        let text = String::from_utf8(written(&rig, &options)).unwrap();
        let text = text.replace("Zrotation Yrotation Xrotation", order);
        let options = ReadOptions { unit_metres: Some(unit_metres), up: Some(up), ..ReadOptions::default() };
        let target = read(text.as_bytes(), Some("bvh"), &options).unwrap();
        for change in
            [ClipChange::default(), ClipChange { fps: Some(40.0), mirror: true, ..ClipChange::default() }]
        {
            let bytes = converted(Tpose::Keep, &change, walk.clone(), Some(&target));
            assert_eq!(hierarchy(&bytes), hierarchy(text.as_bytes()), "{change:?}");
            let back = read(&bytes, Some("bvh"), &options).unwrap();
            // The motion itself: the walk on that body, whatever it was written in.
            let go = &mut no_progress();
            let moved = retarget_onto(&walk.clip, &target.clip, &RetargetConfig::default(), go).unwrap().clip;
            let moved = change.apply(&moved, go).unwrap();
            assert!((back.clip.fps() - moved.fps()).abs() < 1e-6);
            let apart = joints_apart(&back.clip, &moved);
            assert!(apart < 1e-4, "{apart} m");
        }
    }
}

#[test]
fn a_changed_file_keeps_its_channels() {
    let text = String::from_utf8(written(&sample::clip("walk").unwrap(), &WriteOptions::default())).unwrap();
    let text = text.replace("Zrotation Yrotation Xrotation", "Yrotation Xrotation Zrotation");
    let source = opened(text.as_bytes());
    let go = &mut no_progress();
    let change = ClipChange { fps: Some(24.0), mirror: true, ..ClipChange::default() };
    let wanted = change.apply(&source.clip, go).unwrap();
    let bytes = converted(Tpose::Keep, &change, source, None);
    assert_eq!(hierarchy(&bytes), hierarchy(text.as_bytes()));
    assert!(joints_apart(&opened(&bytes).clip, &wanted) < 1e-4);
}

#[test]
fn contacts_of_a_file_stay_until_something_moves() {
    let walk = sample::clip("walk").unwrap();
    let mut source = opened(&written(&walk, &WriteOptions::default()));
    // Labels that detection would not find.
    let label = FootContacts { heel: vec![3..7], toe: vec![5..9] };
    source.marks.contacts = Some([label.clone(), label.clone()]);
    for (mirror, kept) in [(false, true), (true, false)] {
        let change = ClipChange { mirror, ..ClipChange::default() };
        let to = Conversion { change, ..Conversion::default() };
        let glb = convert(source.clone(), Format::Glb, &to, &mut no_progress()).unwrap().bytes;
        let back = read(&glb, Some("glb"), &ReadOptions::default()).unwrap();
        let [left, right] = back.marks.contacts.expect("contacts in the file");
        assert_eq!(left == label && right == label, kept, "mirror: {mirror}");
    }
}
