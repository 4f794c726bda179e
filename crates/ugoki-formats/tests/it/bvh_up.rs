//! Which way is up is found for bodies that stand, and a body that lies does not turn the file over.

use std::sync::Arc;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::{Clip, UpAxis};
use ugoki_formats::bvh::{WriteOptions, read, write};
use ugoki_formats::{Read, ReadOptions};
use ugoki_sample as sample;

/// Standing and going motions of the built-in actor.
fn upright() -> Vec<Clip> {
    ["walk", "idle", "turn-left"].map(|name| sample::clip(name).expect("a sample motion")).into()
}

/// All of the clip turned about the origin and then shifted.
fn moved(clip: &Clip, turn: Quat, shift: Vec3) -> Clip {
    let mut clip = clip.clone();
    for frame in 0..clip.num_frames() {
        let p = turn * clip.root().get(frame) + shift;
        clip.root_mut().set(frame, p);
        let q = (turn * clip.rotation(0, frame)).normalize();
        clip.set_rotation(0, frame, q);
    }
    clip.align_signs();
    clip
}

fn reread(clip: &Clip, up: UpAxis) -> Read {
    let written = write(clip, &WriteOptions { up: Some(up), ..Default::default() });
    read(&written.bytes, &ReadOptions::default()).expect("our own file")
}

/// One resting pose lying on its back with the head towards `heading` (radians about Y from +Z), hips there.
fn lying(heading: f32, place: Vec3) -> Clip {
    let skeleton: Arc<_> = sample::clip("walk").expect("a walk").skeleton().clone();
    let clip = Clip::at_rest(skeleton, 30.0, 30).expect("a rate");
    let root = clip.root().get(0);
    let back = Quat::from_rotation_y(heading) * Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    moved(&clip, back, place - back * root)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_standing_body_is_found_up_in_either_axis(
        heading in -3.1..3.1_f32, x in -5.0..5.0_f32, z in -5.0..5.0_f32,
    ) {
        for clip in upright() {
            let clip = moved(&clip, Quat::from_rotation_y(heading), Vec3::new(x, 0.0, z));
            for up in [UpAxis::Y, UpAxis::Z] {
                prop_assert_eq!(reread(&clip, up).up, up, "{}", clip.name);
            }
        }
    }

    // Away from the plane y = 0 of the file: there standing and lying cannot be distinguished, and Y is kept.
    #[test]
    fn a_body_at_rest_along_y_that_stands_along_z_is_found(
        heading in -3.1..3.1_f32, x in -5.0..5.0_f32, z in 1.0..5.0_f32,
    ) {
        for clip in upright() {
            let clip = moved(&clip, Quat::from_rotation_y(heading), Vec3::new(x, 0.0, z));
            // Root channels hold the turn that converters put there; offsets stay along Y.
            let turn = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
            let found = reread(&moved(&clip, turn, Vec3::ZERO), UpAxis::Y);
            prop_assert_eq!(found.up, UpAxis::Z, "{}", clip.name);
            let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code).collect();
            prop_assert!(codes.contains(&"up-z") && codes.contains(&"up-disagrees"), "{:?}", codes);
        }
    }

    #[test]
    fn a_lying_body_leaves_the_file_as_it_is(
        heading in -3.1..3.1_f32, x in -5.0..5.0_f32, z in -5.0..5.0_f32, y in 0.08..0.15_f32,
    ) {
        let found = reread(&lying(heading, Vec3::new(x, y, z)), UpAxis::Y);
        prop_assert_eq!(found.up, UpAxis::Y);
    }

    // As far off that plane that its feet cannot stand on it.
    #[test]
    fn a_body_lying_in_a_file_with_z_up_leaves_it_so(
        heading in -3.1..3.1_f32, x in -5.0..5.0_f32, z in 2.0..5.0_f32, y in 0.08..0.15_f32,
    ) {
        let found = reread(&lying(heading, Vec3::new(x, y, z)), UpAxis::Z);
        prop_assert_eq!(found.up, UpAxis::Z);
    }
}
