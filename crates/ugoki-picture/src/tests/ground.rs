//! What holds for steps on the ground, for the page's use of its space, and for helpers on the trunk.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::{Joint, Role, Side, Skeleton};

use super::super::FootMark;
use super::super::config::PictureConfig;
use super::super::drawing::Item;
use super::super::platform::ground_under;
use super::super::sheet::layout;
use super::super::stage::Stage;
use super::{footprint, go_on, person, walk};

fn on_level(mark: FootMark, height: f32) -> FootMark {
    FootMark { height, ..mark }
}

#[test]
fn feet_on_one_level_stand_on_one_step_and_low_ground_is_the_floor() {
    let clip = walk(12);
    let marks = vec![
        on_level(footprint(Side::Left, 0.0), 0.0),
        on_level(footprint(Side::Right, 0.1), 0.03),
        on_level(footprint(Side::Left, 0.6), 0.17),
        on_level(footprint(Side::Right, 0.6), 0.18),
        on_level(footprint(Side::Left, 1.1), 0.34),
        on_level(footprint(Side::Left, 1.5), f32::NAN),
    ];
    let config = PictureConfig { marks, ..PictureConfig::default() };
    let stage = Stage::build(&clip, &config).unwrap();
    let heights: Vec<f32> = stage.platforms.iter().map(|p| p.height * stage.size).collect();
    assert_eq!(heights.len(), 2, "{heights:?}");
    assert!((heights[0] - 0.18).abs() < 1e-4 && (heights[1] - 0.34).abs() < 1e-4, "{heights:?}");
    let under =
        |x: f32, y: f32, z: f32| ground_under(&stage.platforms, stage.unit(Vec3::new(x, y, z))) * stage.size;
    assert!((under(0.0, 0.3, 0.62) - 0.18).abs() < 1e-4, "between the two feet");
    assert_eq!(under(0.0, 0.3, 0.0), 0.0);
    assert_eq!(under(0.0, 0.02, 0.62), 0.0, "what is under the step stands on the floor");
    let items = layout(&clip, &config, &mut go_on()).unwrap().items;
    let flat = PictureConfig {
        marks: config.marks.iter().map(|m| on_level(m.clone(), 0.0)).collect(),
        ..config.clone()
    };
    let fills = |items: &[Item]| items.iter().filter(|item| matches!(item, Item::Fill { .. })).count();
    assert!(fills(&items) > fills(&layout(&clip, &flat, &mut go_on()).unwrap().items));
}

#[test]
fn towers_and_ribbons_are_filled_when_the_number_of_poses_is_free() {
    let clip = walk(60);
    let filled = |width: u32, height: u32, frames: Option<usize>| {
        let config = PictureConfig { width, height, frames, ..PictureConfig::default() };
        let items = layout(&clip, &config, &mut go_on()).unwrap().items;
        let area = |item: &Item| match item {
            Item::Body { camera, .. } => camera.focal * camera.focal,
            _ => 0.0,
        };
        items.iter().map(area).sum::<f32>()
    };
    for (width, height) in [(200, 1500), (2000, 150), (700, 700)] {
        let (free, usual) = (filled(width, height, None), filled(width, height, Some(8)));
        assert!(free >= usual, "{width} × {height}: {free} {usual}");
    }
    assert!(filled(2000, 150, None) > 1.4 * filled(2000, 150, Some(8)));
}

#[test]
fn rows_of_lying_bodies_are_lower() {
    let standing = Clip::at_rest(person(false), 30.0, 40).unwrap();
    let mut falling = standing.clone();
    for frame in 20..40 {
        falling.set_rotation(0, frame, Quat::from_rotation_x(1.5));
        falling.root_mut().set(frame, Vec3::Y * 0.15);
    }
    // Wide arms: two rows of four.
    let config = PictureConfig { width: 800, ..PictureConfig::default() };
    let height = |clip: &Clip| layout(clip, &config, &mut go_on()).unwrap().height;
    assert!(height(&falling) < height(&standing) * 9 / 10, "{} {}", height(&falling), height(&standing));
}

#[test]
fn short_helpers_on_the_trunk_are_not_drawn_and_tails_are() {
    let config = PictureConfig::default();
    let solids = |reach: f32, parent: Role| {
        let plain = person(false);
        let mut joints: Vec<Joint> = plain.joints().to_vec();
        let parent = plain.find(parent).unwrap();
        let mut helper = Joint::new("helper", Some(parent), Vec3::new(0.05, 0.05, 0.6 * reach));
        helper.tips.push(Vec3::Z * (0.4 * reach));
        joints.push(helper);
        let clip = Clip::at_rest(Skeleton::build(joints).unwrap(), 30.0, 1).unwrap();
        Stage::build(&clip, &config).unwrap().solids(0).len()
    };
    let plain =
        Stage::build(&Clip::at_rest(person(false), 30.0, 1).unwrap(), &config).unwrap().solids(0).len();
    assert_eq!(solids(0.10, Role::Chest), plain);
    assert_eq!(solids(0.60, Role::Chest), plain + 2);
    assert_eq!(solids(0.10, Role::LeftLowerArm), plain + 2, "helpers on limbs are drawn");
}
