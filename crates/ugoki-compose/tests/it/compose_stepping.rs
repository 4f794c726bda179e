//! Properties of partitions in which hips or legs lie outside the base layer: feet stand where the layer that brings
//! them has them.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, swing_twist};
use ugoki_base::skeleton::Role;
use ugoki_compose::compose::{Rendered, footwork};
use ugoki_compose::network::{Claim, Layer, Layers, RotationPart};

use crate::compose_support::{Stage, sources};

/// Half a blend at the sample actor's rate.
const SPREAD: usize = 18;

const LEGS: [Role; 6] = [
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

fn split(parts: &[(&str, &[Role])], base: &str) -> Layers {
    let layer = |(name, roles): &(&str, &[Role])| Layer {
        name: (*name).to_owned(),
        roles: roles.iter().map(|&role| Claim { role, part: RotationPart::Whole }).collect(),
        joints: Vec::new(),
    };
    Layers::new(parts.iter().map(layer).collect(), base).expect("a partition")
}

fn legs_alone() -> Layers {
    split(&[("legs", &LEGS), ("body", &[])], "body")
}

fn hips_alone() -> Layers {
    split(&[("hips", &[Role::Hips]), ("rest", &[])], "rest")
}

/// The motion of one layer's nodes by themselves.
fn alone(stage: &Stage, nodes: &[usize]) -> Rendered {
    stage.render(&Layers::full(), vec![stage.sequence("full", nodes)])
}

fn places(clip: &Clip, role: Role) -> Vec<Vec3> {
    let joint = clip.skeleton().find(role).expect("a joint");
    clip.joint_path(joint)
}

fn turn(clip: &Clip, role: Role, frame: usize) -> Quat {
    clip.model_pose(frame).rotations[clip.skeleton().find(role).expect("a joint")]
}

/// Legs of a walk under the hips of other clips, and hips of other clips over the legs of a walk.
#[test]
fn feet_that_stand_in_the_walk_stand_under_whatever_hips() {
    for body in ["bow", "sway", "side-step", "squat", "throw"] {
        let stage = Stage::new(&["walk", body]);
        let walk = alone(&stage, &[0]);
        let stands = &walk.contacts.as_ref().expect("legs").feet;
        let legs =
            stage.render(&legs_alone(), vec![stage.sequence("legs", &[0]), stage.sequence("body", &[1])]);
        let hips =
            stage.render(&hips_alone(), vec![stage.sequence("hips", &[1]), stage.sequence("rest", &[0])]);
        for made in [&legs, &hips] {
            let frames = made.clip.num_frames().min(walk.clip.num_frames());
            for (side, roles) in
                [[Role::LeftFoot, Role::LeftToes], [Role::RightFoot, Role::RightToes]].into_iter().enumerate()
            {
                for role in roles {
                    let (now, own) = (places(&made.clip, role), places(&walk.clip, role));
                    for frame in 0..frames {
                        let off = now[frame].distance(own[frame]);
                        // A millimetre where they stand; in the air a leg may stay a little short of full extension.
                        let most = if stands[side].touches(frame) { 1e-3 } else { 0.03 };
                        assert!(off < most, "{body}, {role} frame {frame}: {off} m");
                    }
                }
                let foot = roles[0];
                let off =
                    (0..frames).map(|f| angle_between(turn(&made.clip, foot, f), turn(&walk.clip, foot, f)));
                assert!(off.fold(0.0, f32::max) < 0.005, "{body}: {foot} is turned");
            }
        }
    }
}

/// Hips keep what they do in their clip, but for the heading.
#[test]
fn hips_tilt_as_their_owner_has_them_and_head_where_the_feet_go() {
    let stage = Stage::new(&["walk", "bow"]);
    let (walk, bow) = (alone(&stage, &[0]).clip, alone(&stage, &[1]).clip);
    let made =
        stage.render(&legs_alone(), vec![stage.sequence("legs", &[0]), stage.sequence("body", &[1])]).clip;
    let frames = made.num_frames().min(walk.num_frames()).min(bow.num_frames());
    let mut most = 0.0_f32;
    for frame in 0..frames {
        let [now, legs, body] = [&made, &walk, &bow].map(|clip| turn(clip, Role::Hips, frame));
        let between = now * body.conjugate();
        let tilt = swing_twist(between, Vec3::Y).0;
        assert!(angle_between(tilt, Quat::IDENTITY) < 1e-3, "frame {frame}: not the bow's tilt");
        let heads = swing_twist(now * legs.conjugate(), Vec3::Y).1;
        // What is fast of the heading goes with the hips: under 2°.
        assert!(angle_between(heads, Quat::IDENTITY) < 0.035, "frame {frame}: heads elsewhere");
        most = most.max(angle_between(tilt * now, legs));
    }
    assert!(most > 0.2, "the bow bends the hips of the walk: {most} rad");
    // Everything above goes with its owner to the bit.
    let spine = made.skeleton().find(Role::Spine).expect("a spine");
    assert!((0..frames).all(|f| angle_between(made.rotation(spine, f), bow.rotation(spine, f)) < 1e-3));
}

#[test]
fn any_partition_of_one_sequence_is_the_whole_body_again() {
    let stage = Stage::new(&["walk", "side-step", "wave"]);
    let nodes = [0, 1, 2];
    let whole = alone(&stage, &nodes);
    let partitions = [
        legs_alone(),
        hips_alone(),
        split(&[("left", &LEGS[..3]), ("right", &LEGS[3..]), ("rest", &[])], "rest"),
        split(
            &[("feet", &[Role::LeftFoot, Role::RightFoot]), ("hips", &[Role::Hips]), ("rest", &[])],
            "rest",
        ),
    ];
    for layers in partitions {
        let sequences = layers.layers().iter().map(|layer| stage.sequence(&layer.name, &nodes)).collect();
        let made = stage.render(&layers, sequences);
        for frame in 0..whole.clip.num_frames() {
            let (now, own) = (made.clip.model_pose(frame), whole.clip.model_pose(frame));
            for (joint, (p, q)) in now.positions.iter().zip(&own.positions).enumerate() {
                // Layers that do not step hold their feet at seams only, which turns nothing above them; legs solved
                // again agree within a millimetre or two.
                let name = &whole.clip.skeleton().joint(joint).name;
                assert!(p.distance(*q) < 3e-3, "{name} frame {frame}: {} m", p.distance(*q));
            }
        }
        assert_eq!(made.contacts, whole.contacts);
    }
}

/// Where hips and legs are the base's, they are its splice to the bit.
#[test]
fn a_base_with_hips_and_legs_keeps_its_bits() {
    let stage = Stage::new(&["walk", "bow", "wave"]);
    let whole = alone(&stage, &[0, 1]).clip;
    for layers in [Layers::upper_lower(), Layers::head_arms_legs()] {
        let base = layers.base();
        let sequence = |(place, layer): (usize, &Layer)| {
            stage.sequence(&layer.name, if place == base { &[0, 1] } else { &[2, 2] })
        };
        let made = stage.render(&layers, layers.layers().iter().enumerate().map(sequence).collect()).clip;
        let mut joints: Vec<usize> = LEGS.iter().filter_map(|&role| made.skeleton().find(role)).collect();
        joints.extend(made.skeleton().find(Role::Hips));
        for frame in 0..whole.num_frames() {
            assert_eq!(made.root().get(frame), whole.root().get(frame));
            for &joint in &joints {
                assert_eq!(made.rotation(joint, frame), whole.rotation(joint, frame), "frame {frame}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Hips and every joint of the legs in any of three layers, any of them the base, each layer another clip: feet do
    /// not glide.
    #[test]
    fn feet_do_not_glide_whatever_the_partition(owners in prop::array::uniform7(0usize..3), base in 0usize..3, shift in 0usize..4) {
        let names = ["a", "b", "c"];
        let roles: Vec<Role> = LEGS.iter().copied().chain([Role::Hips]).collect();
        let owned: Vec<Vec<Role>> = (0..3)
            .map(|layer| roles.iter().zip(owners).filter(|(_, owner)| *owner == layer).map(|(role, _)| *role).collect())
            .collect();
        // Every layer has some joint besides.
        let more = [Role::Head, Role::LeftUpperArm, Role::RightUpperArm];
        let parts: Vec<(&str, Vec<Role>)> =
            (0..3).map(|layer| (names[layer], owned[layer].iter().copied().chain([more[layer]]).collect())).collect();
        let parts: Vec<(&str, &[Role])> = parts.iter().map(|(name, roles)| (*name, &roles[..])).collect();
        let layers = split(&parts, names[base]);
        let clips = ["walk", "sway", "bow", "side-step"];
        let stage = Stage::new(&clips);
        let sequences = (0..3).map(|layer| stage.sequence(names[layer], &[(layer + shift) % 4, (layer + shift + 1) % 4])).collect();
        let made = stage.render(&layers, sequences);
        let feet = footwork(&made, &sources(&stage.clips), SPREAD).expect("feet");
        prop_assert!(feet.skate_m_s[0] <= feet.skate_m_s[1] + 0.01, "{feet:?}");
        prop_assert!(feet.worst_m < 0.05, "{feet:?}");
    }
}
