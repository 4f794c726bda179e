//! Roles from shape on bodies built to order, and measures of the same bodies.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::skeleton::{
    Joint, Role, RoleSource, Skeleton, assign_roles, assign_roles_in_pose, body_height, facing, is_t_pose,
    leg_length, mirror_axis, mirror_map, up_direction,
};

/// What a body is built from.
#[derive(Debug, Clone)]
struct Build {
    /// Metres: thigh, shin, trunk, neck, upper arm, forearm, half shoulders, half hips.
    lengths: [f32; 8],
    num_back: usize,
    /// Angle of the arms below the horizontal, degrees: 0 for a T-pose, 45 for an A-pose, 85 hanging.
    arms_down: f32,
    fingers: bool,
    toes: bool,
    clavicles: bool,
    /// Zero-length joints before the hips' legs, and twist joints half-way along the bones.
    helpers: bool,
    head_end: bool,
    /// Turn of the whole body about the vertical.
    turn: f32,
    right_first: bool,
}

fn build() -> impl Strategy<Value = Build> {
    // Stature fractions of Winter (2009) for 1.5 to 2 m, each bone varied by a tenth.
    let vary = || prop::array::uniform8(0.9..1.1_f32);
    let flags = prop::array::uniform6(any::<bool>());
    (vary(), 1.5..2.0_f32, 1..5usize, 0.0..85.0_f32, flags, 0.0..std::f32::consts::TAU).prop_map(
        |(
            vary,
            stature,
            num_back,
            arms_down,
            [fingers, toes, clavicles, helpers, head_end, right_first],
            turn,
        )| {
            let fractions = [0.245, 0.246, 0.29, 0.06, 0.186, 0.146, 0.11, 0.055];
            let lengths = std::array::from_fn(|i| fractions[i] * stature * vary[i]);
            Build {
                lengths,
                num_back,
                arms_down,
                fingers,
                toes,
                clavicles,
                helpers,
                head_end,
                turn,
                right_first,
            }
        },
    )
}

/// Nameless joints and the core roles they must get.
#[derive(Default)]
struct Body {
    joints: Vec<Joint>,
    roles: Vec<Option<Role>>,
    turn: Quat,
    helpers: bool,
}

impl Body {
    fn add(&mut self, parent: usize, offset: Vec3, role: Option<Role>) -> usize {
        let parent = (!self.joints.is_empty()).then_some(parent);
        self.joints.push(Joint::new("", parent, self.turn * offset));
        self.roles.push(role);
        self.joints.len() - 1
    }

    /// A joint at the end of a bone, with a twist joint half-way where the body has helpers.
    fn bone(&mut self, parent: usize, way: Vec3, role: Option<Role>) -> usize {
        if !self.helpers {
            return self.add(parent, way, role);
        }
        let half = self.add(parent, way * 0.5, None);
        self.add(half, way * 0.5, role)
    }
}

fn body(build: &Build) -> Body {
    let [thigh, shin, trunk, neck, upper_arm, forearm, shoulder, hip] = build.lengths;
    let mut body =
        Body { turn: Quat::from_rotation_y(build.turn), helpers: build.helpers, ..Body::default() };
    let hips = body.add(0, Vec3::Y * (thigh + shin), Some(Role::Hips));
    let mut chest = hips;
    for _ in 0..build.num_back {
        chest = body.add(chest, Vec3::Y * trunk * 0.9 / build.num_back as f32, None);
    }
    let neck_base = body.add(chest, Vec3::Y * trunk * 0.1, None);
    let head = body.add(neck_base, Vec3::Y * neck, Some(Role::Head));
    if build.head_end {
        body.add(head, Vec3::Y * 0.2, None);
    }
    for x in if build.right_first { [-1.0, 1.0] } else { [1.0, -1.0] } {
        let own = |role: Role| Some(if x > 0.0 { role } else { role.mirrored() });
        let hip_base = if build.helpers { body.add(hips, Vec3::ZERO, None) } else { hips };
        let upper_leg = body.add(hip_base, Vec3::new(hip * x, -0.03, 0.0), own(Role::LeftUpperLeg));
        let lower_leg = body.bone(upper_leg, Vec3::Y * -thigh, own(Role::LeftLowerLeg));
        let foot = body.bone(lower_leg, Vec3::Y * -shin, own(Role::LeftFoot));
        if build.toes {
            body.add(foot, Vec3::new(0.0, -0.07, 0.14), None);
        } else {
            body.joints[foot].tips.push(body.turn * Vec3::new(0.0, -0.08, 0.2));
        }
        let down = build.arms_down.to_radians();
        let along = Vec3::new(down.cos() * x, -down.sin(), 0.0);
        let mut base = (chest, 0.0);
        if build.clavicles {
            base = (body.add(chest, Vec3::new(0.03 * x, trunk * 0.08, 0.0), None), 0.03);
        }
        let rise = if build.clavicles { 0.0 } else { trunk * 0.08 };
        let arm = body.add(base.0, Vec3::new((shoulder - base.1) * x, rise, 0.0), own(Role::LeftUpperArm));
        let elbow = body.bone(arm, along * upper_arm, own(Role::LeftLowerArm));
        let hand = body.bone(elbow, along * forearm, own(Role::LeftHand));
        if build.fingers {
            for z in [-0.03, 0.0, 0.03] {
                let first = body.add(hand, along * 0.09 + Vec3::Z * z, None);
                let second = body.add(first, along * 0.04, None);
                body.add(second, along * 0.03, None);
            }
        }
    }
    body
}

/// The core roles, which the shape must find.
fn core(roles: &[Option<Role>]) -> Vec<(usize, Role)> {
    roles.iter().enumerate().filter_map(|(joint, role)| Some((joint, (*role)?))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nameless_bodies_of_all_builds_get_their_roles(build in build()) {
        let Body { mut joints, roles, .. } = body(&build);
        prop_assert_eq!(assign_roles(&mut joints), RoleSource::Shape);
        for (joint, role) in core(&roles) {
            prop_assert_eq!(joints[joint].role, Some(role), "joint {}", joint);
        }
        // A skeleton is built: no role twice.
        let skeleton = Skeleton::build(joints).unwrap();
        let rest = skeleton.rest_positions();
        prop_assert!(up_direction(&skeleton, &rest).unwrap().y > 0.999);
        let ahead = Quat::from_rotation_y(build.turn) * Vec3::Z;
        prop_assert!(facing(&skeleton, &rest).unwrap().dot(ahead) > 0.999);
        // 15 and 35 degrees, not 25: the clavicle's height tilts nothing, but stay off the edge.
        if build.arms_down < 15.0 || build.arms_down > 35.0 {
            // Only a trunk along an axis counts, and it is; the turn about it does not matter.
            prop_assert_eq!(is_t_pose(&skeleton, &rest), build.arms_down < 15.0);
        }
        let map = mirror_map(&skeleton);
        for (joint, role) in core(&roles) {
            prop_assert_eq!(skeleton.joint(map[joint]).role, Some(role.mirrored()));
            prop_assert_eq!(map[map[joint]], joint);
        }
    }

    #[test]
    fn roles_follow_the_body_whatever_its_size_and_pose(build in build(), scale in 0.01..100.0_f32) {
        let Body { mut joints, .. } = body(&build);
        assign_roles(&mut joints);
        let skeleton = Skeleton::build(joints.clone()).unwrap();
        let mut scaled: Vec<Joint> = skeleton.scaled(scale).joints().to_vec();
        assign_roles(&mut scaled);
        for (a, b) in joints.iter().zip(&scaled) {
            prop_assert_eq!(a.role, b.role);
        }
        let (one, other) = (body_height(&skeleton).unwrap(), body_height(&skeleton.scaled(scale)).unwrap());
        prop_assert!((other / one / scale - 1.0).abs() < 1e-4);
        // Lying on the side: the same body in other axes, as in a file with another axis up.
        let tipped: Vec<Vec3> = skeleton
            .rest_positions()
            .iter()
            .map(|p| Quat::from_rotation_x(std::f32::consts::FRAC_PI_2) * *p)
            .collect();
        let mut lying = joints.clone();
        let source = assign_roles_in_pose(&mut lying, &tipped);
        // End sites do not show in a pose, so a foot without a toe joint cannot tell forward.
        if build.toes {
            prop_assert_eq!(source, RoleSource::Shape);
            for (a, b) in joints.iter().zip(&lying) {
                prop_assert_eq!(a.role, b.role);
            }
        } else {
            prop_assert_eq!(source, RoleSource::None);
        }
    }

    #[test]
    fn stature_is_measured_within_a_tenth(build in build()) {
        let Body { mut joints, .. } = body(&build);
        assign_roles(&mut joints);
        let skeleton = Skeleton::build(joints).unwrap();
        let [thigh, shin, trunk, neck, ..] = build.lengths;
        prop_assert!((leg_length(&skeleton).unwrap() - thigh - shin).abs() < 1e-4);
        // Ankles 0.039 and crown 0.12 of stature beyond the joints [winter2009].
        let stature = (thigh + shin + 0.03 + trunk + neck) / (1.0 - 0.159);
        let measured = body_height(&skeleton).unwrap();
        prop_assert!((measured / stature - 1.0).abs() < 0.1, "{} for {}", measured, stature);
    }

    #[test]
    fn any_tree_is_read_without_harm(
        shape in prop::collection::vec((0..1000usize, prop::array::uniform3(-1.0..1.0_f32), 0..12usize), 1..60),
    ) {
        let words = ["", "Left", "R", "arm", "UpLeg", "head", "hips", "Spine", "hand", "foot", "tail", "knee"];
        let mut joints: Vec<Joint> = shape
            .iter()
            .enumerate()
            .map(|(i, (parent, offset, word))| {
                let name = format!("{}{}", words[*word], words[(parent + i) % words.len()]);
                Joint::new(name, (i > 0).then(|| parent % i), Vec3::from_array(*offset))
            })
            .collect();
        assign_roles(&mut joints);
        // No role twice, and limbs hang together.
        let skeleton = Skeleton::build(joints).unwrap();
        let chains = [
            [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
            [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
            [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot],
            [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot],
        ];
        for chain in chains {
            for pair in chain.windows(2) {
                if let (Some(above), Some(below)) = (skeleton.find(pair[0]), skeleton.find(pair[1])) {
                    prop_assert!(above != below && skeleton.is_below(below, above), "{:?}", pair);
                }
            }
        }
        let map = mirror_map(&skeleton);
        prop_assert!(map.iter().enumerate().all(|(joint, &partner)| map[partner] == joint));
        let rest = skeleton.rest_positions();
        let _ = (body_height(&skeleton), facing(&skeleton, &rest), is_t_pose(&skeleton, &rest), mirror_axis(&skeleton));
    }
}

/// A four-legged animal: the trunk lies, the limbs hang.
fn beast(names: bool) -> Vec<Joint> {
    let name = |name: &str| if names { name.to_owned() } else { String::new() };
    let mut joints = vec![Joint::new(name("b_Hip"), None, Vec3::Y * 0.6)];
    joints.push(Joint::new(name("b_Spine"), Some(0), Vec3::Z * 0.5));
    joints.push(Joint::new(name("b_Neck"), Some(1), Vec3::new(0.0, 0.1, 0.15)));
    joints.push(Joint::new(name("b_Head"), Some(2), Vec3::new(0.0, 0.05, 0.1)));
    joints.push(Joint::new(name("b_Tail01"), Some(0), Vec3::Z * -0.3));
    for (side, x) in [("Left", 0.1), ("Right", -0.1)] {
        for (parent, parts) in [(1, ["UpperArm", "ForeArm", "Hand"]), (0, ["Leg01", "Leg02", "Foot01"])] {
            let mut at = parent;
            for (part, offset) in parts.into_iter().zip([Vec3::X * x, Vec3::Y * -0.3, Vec3::Y * -0.3]) {
                joints.push(Joint::new(name(&format!("b_{side}{part}")), Some(at), offset));
                at = joints.len() - 1;
            }
        }
    }
    joints
}

#[test]
fn animals_get_no_human_roles_even_with_human_names() {
    for names in [false, true] {
        assert_eq!(assign_roles(&mut beast(names)), RoleSource::None, "names: {names}");
    }
    // The same names on a body that stands upright are a person with a tail.
    let mut joints = beast(true);
    joints[1].offset = Vec3::Y * 0.5;
    assert_eq!(assign_roles(&mut joints), RoleSource::Names);
}

#[test]
fn shape_completes_what_names_leave_open() {
    let build = Build {
        lengths: [0.42, 0.42, 0.5, 0.1, 0.3, 0.26, 0.19, 0.1],
        num_back: 2,
        arms_down: 0.0,
        fingers: true,
        toes: true,
        clavicles: true,
        helpers: false,
        head_end: false,
        turn: 0.0,
        right_first: false,
    };
    let Body { mut joints, roles, .. } = body(&build);
    let joint = |role: Role| roles.iter().position(|r| *r == Some(role)).unwrap();
    joints[joint(Role::Hips)].name = "Hips".into();
    joints[joint(Role::Head)].name = "Head".into();
    assert_eq!(assign_roles(&mut joints), RoleSource::Mixed);
    assert!(core(&roles).iter().all(|(joint, role)| joints[*joint].role == Some(*role)));
    // Where a name contradicts the shape, the shape keeps silent.
    joints[joint(Role::Head)].name = "b".into();
    joints[joint(Role::LeftHand)].name = "Head".into();
    assert_eq!(assign_roles(&mut joints), RoleSource::Names);
    assert!(joints.iter().all(|joint| joint.role != Some(Role::LeftUpperArm)));
}
