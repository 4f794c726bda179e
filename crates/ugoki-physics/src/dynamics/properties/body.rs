//! Tests of ranges and strengths, and of bodies built from good, poor and unusable skeletons.

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::math::Random;
use ugoki_base::skeleton::{Joint, Role, Skeleton};

use super::{body, random_state, random_vec};
use crate::dynamics::person::person;
use crate::dynamics::*;

#[test]
fn joints_brought_back_by_their_excess_are_in_range() {
    let body = body();
    let mut random = Random::new(21);
    let mut excess = vec![0.0; body.num_dofs()];
    let mut beyond = 0;
    for _ in 0..200 {
        let mut state = random_state(&body, &mut random);
        excess_into(&body, &state, &mut excess);
        beyond += excess.iter().filter(|e| **e != 0.0).count();
        assert!(excess[..6].iter().all(|e| *e == 0.0), "the root has no range");
        move_by(&body, &mut state.q, &excess, -1.0);
        excess_into(&body, &state, &mut excess);
        assert!(excess.iter().all(|e| e.abs() < 1e-9), "{excess:?}");
    }
    assert!(beyond > 1000, "random poses leave human ranges often");
}

#[test]
fn everyday_poses_are_in_range_and_impossible_ones_are_not() {
    let body = body();
    let mut excess = vec![0.0; body.num_dofs()];
    let mut beyond = |pose: &[(Role, DVec3)]| {
        let mut state = BodyState::rest(&body);
        for &(role, turn) in pose {
            state.set_rotation(&body, body.find(role).unwrap(), ugoki_base::math::exp64(turn));
        }
        excess_into(&body, &state, &mut excess);
        excess.iter().fold(0.0, |m: f64, e| m.max(e.abs())).to_degrees()
    };
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let half = std::f64::consts::FRAC_PI_2;
    // T-pose, arms hanging, arms overhead, arms forward, on a 1.7 m T-pose skeleton.
    assert_eq!(beyond(&[]), 0.0);
    assert_eq!(beyond(&[(Role::LeftUpperArm, -z * half), (Role::RightUpperArm, z * half)]), 0.0);
    assert_eq!(beyond(&[(Role::LeftUpperArm, z * half * 0.9), (Role::RightUpperArm, -z * half * 0.9)]), 0.0);
    assert_eq!(beyond(&[(Role::LeftUpperArm, -y * half), (Role::RightUpperArm, y * half)]), 0.0);
    // A deep squat: hips 110°, knees 130°, ankles 20°, back 40° forward.
    let squat = [
        (Role::LeftUpperLeg, -x * 110f64.to_radians()),
        (Role::LeftLowerLeg, x * 130f64.to_radians()),
        (Role::LeftFoot, -x * 19f64.to_radians()),
        (Role::Spine, x * 40f64.to_radians()),
    ];
    assert_eq!(beyond(&squat), 0.0);
    // A knee bent forward by 40°, an elbow bent back by 30°, a head turned by 100°, a leg raised backward by 60°.
    // The person's knees are bent by 4.1° in rest, so 40° back from there is 36° of overextension, 26° too much.
    assert!((beyond(&[(Role::LeftLowerLeg, -x * 40f64.to_radians())]) - 25.9).abs() < 0.1);
    assert!((beyond(&[(Role::LeftLowerArm, y * 30f64.to_radians())]) - 30.0).abs() < 1e-6);
    assert!((beyond(&[(Role::Neck, y * 100f64.to_radians())]) - 40.0).abs() < 1e-6);
    assert!((beyond(&[(Role::LeftUpperLeg, x * 60f64.to_radians())]) - 30.0).abs() < 3.0);
}

#[test]
fn left_and_right_mirror() {
    let body = body();
    let flip = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
    for link in body.links() {
        let other = body.link(body.find(link.role.mirrored()).unwrap());
        assert!((flip(link.inertia.com()) - other.inertia.com()).length() < 1e-6, "{}", link.role);
        assert!((link.inertia.mass - other.inertia.mass).abs() < 1e-12);
        assert!((link.strength.positive - other.strength.positive).length() < 1e-12);
        match (&link.limits, &other.limits) {
            (Limits::Ball(a), Limits::Ball(b)) if link.role.side().is_some() => {
                assert!((a.low - b.low).length() + (a.high - b.high).length() < 1e-6);
                // Mirrored rotations have mirrored angles: equal flexion, abduction and internal rotation.
                let q = DQuat::from_xyzw(0.3, -0.2, 0.25, 0.9).normalize();
                let mirrored = DQuat::from_xyzw(q.x, -q.y, -q.z, q.w);
                assert!((a.angles(q) - b.angles(mirrored)).length() < 1e-5, "{}", link.role);
            }
            (Limits::Hinge { low, high }, Limits::Hinge { low: l, high: h }) => {
                assert!((low - l).abs() + (high - h).abs() < 1e-6, "{}", link.role);
            }
            _ => {}
        }
    }
}

#[test]
fn strength_clamps_keep_direction_and_reach_exactly_full_load() {
    let body = body();
    let mut random = Random::new(22);
    let mut loads = vec![0.0; body.links().len()];
    for _ in 0..100 {
        let tau = random_vec(body.num_dofs(), 150.0, &mut random);
        let mut clamped = tau.clone();
        clamp_to_strength(&body, &mut clamped);
        load_into(&body, &clamped, &mut loads);
        for (link, load_after) in body.links().iter().zip(&loads) {
            let before = load(link, &tau);
            assert!((load_after - before.min(1.0)).abs() < 1e-12, "{}", link.role);
        }
        assert_eq!(clamped[..6], tau[..6]);
    }
    // Which way matters: a knee extends with 0.163 and flexes with 0.087 of weight times stature.
    let knee = body.link(body.find(Role::LeftLowerLeg).unwrap());
    let unit = 65.0 * STANDARD_GRAVITY * body.stature();
    assert!((knee.strength.negative.x / unit - 0.163).abs() < 1e-12);
    assert!((knee.strength.positive.x / unit - 0.087).abs() < 1e-12);
}

#[test]
fn a_whole_skeleton_has_36_degrees_of_freedom_and_its_mass() {
    let body = body();
    assert_eq!((body.num_dofs(), body.num_coordinates(), body.links().len()), (36, 45, 15));
    assert!((body.mass() - 65.0).abs() < 1e-12);
    assert!((body.stature() - 1.70).abs() < 0.05, "{}", body.stature());
    // Upright the centre of mass is at 55–57 % of stature (arms in T raise it by 2 %).
    let mut k = Kinematics::new(&body);
    kinematics_into(&body, &BodyState::rest(&body), &mut k);
    let height = centroid(&body, &k).com.y / 1.70;
    assert!((0.54..0.60).contains(&height), "{height}");
    // The soles are on the floor under the feet, about 25 cm long.
    let polygon = SupportPolygon::from_soles(&body, &k, &[body.feet()[0].foot, body.feet()[0].toes.unwrap()]);
    let depth = |pick: fn(f64, f64) -> f64| polygon.corners().iter().map(|p| p.y).fold(0.0, pick);
    assert!((0.22..0.30).contains(&(depth(f64::max) - depth(f64::min))), "{:?}", polygon.corners());
    for foot in body.feet() {
        for &p in &body.link(foot.foot).sole {
            assert!(k.link(foot.foot).point(p).y.abs() < 0.02);
        }
    }
}

/// The person without the joints of `missing`, their children hung on their parents.
fn without(missing: &[Role]) -> std::sync::Arc<Skeleton> {
    let whole = person();
    let mut map: Vec<Option<usize>> = Vec::new();
    let mut joints: Vec<Joint> = Vec::new();
    let rest = whole.rest_positions();
    for (i, joint) in whole.joints().iter().enumerate() {
        if joint.role.is_some_and(|role| missing.contains(&role)) {
            map.push(None);
            continue;
        }
        let mut parent = joint.parent;
        while let Some(p) = parent {
            if map[p].is_some() {
                break;
            }
            parent = whole.parent(p);
        }
        let base = parent.map_or(Vec3::ZERO, |p| rest[p]);
        let kept = parent.and_then(|p| map[p]);
        joints.push(Joint { parent: kept, offset: rest[i] - base, ..joint.clone() });
        map.push(Some(joints.len() - 1));
    }
    Skeleton::build(joints).unwrap()
}

#[test]
fn missing_parts_are_bridged_and_keep_their_mass() {
    use Role::{
        Chest, Head, LeftHand, LeftLowerArm, LeftToes, LeftUpperArm, Neck, RightToes, Spine, UpperChest,
    };
    for (missing, dofs) in [
        (vec![LeftToes, RightToes], 34),
        (vec![Spine], 36),
        (vec![Chest, UpperChest], 36),
        (vec![Spine, Chest, UpperChest], 33),
        (vec![Neck], 36),
        (vec![Neck, Head], 33),
        (vec![LeftHand], 36),
        (vec![LeftLowerArm, LeftHand], 35),
        (vec![LeftUpperArm, LeftLowerArm, LeftHand], 32),
    ] {
        let body = Body::build(&without(&missing), &BodyConfig::default()).unwrap();
        assert_eq!(body.num_dofs(), dofs, "without {missing:?}");
        assert!((body.mass() - 65.0).abs() < 1e-9);
        let (mut h, mut factors) = (MassMatrix::new(&body), Factors::new(&body));
        crba_into(&body, &BodyState::rest(&body), &mut Workspace::new(&body), &mut h);
        factors.factor(&h);
        assert!(factors.is_positive(), "without {missing:?}");
        for foot in body.feet() {
            let sole = body.link(foot.foot).sole.len() + foot.toes.map_or(0, |t| body.link(t).sole.len());
            assert!(sole >= 6);
        }
    }
}

#[test]
fn hopeless_skeletons_are_refused_by_name() {
    let error =
        Body::build(&without(&[Role::LeftLowerLeg, Role::LeftFoot]), &BodyConfig::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the skeleton has no leftLowerLeg, leftFoot, a body needs hips and two whole legs"
    );
    let tiny = person().scaled(0.001);
    let error = Body::build(&tiny, &BodyConfig::default()).unwrap_err();
    assert!(error.to_string().contains("expected at least"), "{error}");
    for mass_kg in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Body::build(&person(), &BodyConfig { mass_kg, ..BodyConfig::default() }).is_err());
    }
    let load = Load { role: Role::Jaw, mass_kg: 1.0, offset_m: [0.0; 3], radius_m: 0.0 };
    let error =
        Body::build(&person(), &BodyConfig { loads: vec![load], ..BodyConfig::default() }).unwrap_err();
    assert_eq!(error, BodyError::Nowhere { role: Role::Jaw });
}

#[test]
fn overrides_and_loads_do_what_they_say() {
    let mut config = BodyConfig::default();
    let heavy = LinkOverride {
        mass_kg: Some(10.0),
        strength: Some(2.0),
        limits_deg: Some([[0.0, 90.0]; 3]),
        ..LinkOverride::default()
    };
    config.links.insert(Role::LeftLowerLeg, heavy);
    config.loads.push(Load { role: Role::Chest, mass_kg: 8.0, offset_m: [0.0, 0.0, -0.2], radius_m: 0.15 });
    let (plain, body) = (super::body(), Body::build(&person(), &config).unwrap());
    assert!((body.mass() - 73.0).abs() < 1e-9);
    let (knee, torso) = (body.find(Role::LeftLowerLeg).unwrap(), body.find(Role::Spine).unwrap());
    assert!((body.link(knee).inertia.mass - 10.0).abs() < 1e-12);
    assert!((body.link(knee).inertia.com() - plain.link(knee).inertia.com()).length() < 1e-12);
    assert!((body.link(knee).strength.positive.x / plain.link(knee).strength.positive.x - 2.0).abs() < 1e-9);
    // The load sits 20 cm behind the chest joint: it shifts the torso's centre in proportion to its mass.
    let (link, chest) = body.place_of_joint(2);
    assert_eq!(link, torso);
    let (i, j) = (&body.link(torso).inertia, &plain.link(torso).inertia);
    let bare = i.mass - 8.0;
    let expected = (j.com() * bare + (chest - DVec3::Z * 0.2) * 8.0) / i.mass;
    assert!((i.com() - expected).length() < 1e-9);
    // All mass given away leaves nothing for the rest.
    config.links.get_mut(&Role::LeftLowerLeg).unwrap().mass_kg = Some(65.0);
    assert!(matches!(Body::build(&person(), &config), Err(BodyError::LinkMasses { .. })));
}

#[test]
fn a_configuration_reads_back_from_json() {
    let text = r#"{"mass_kg": 80, "links": {"leftFoot": {"strength": 0.5}},
        "loads": [{"role": "chest", "mass_kg": 5, "offset_m": [0, 0, -0.2]}]}"#;
    let config: BodyConfig = serde_json::from_str(text).unwrap();
    assert_eq!((config.mass_kg, config.loads.len(), config.gravity_m_s2), (80.0, 1, STANDARD_GRAVITY));
    let again: BodyConfig = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
    assert_eq!(again, config);
    assert!(serde_json::from_str::<BodyConfig>(r#"{"wieght": 3}"#).is_err());
}

#[test]
fn exports_name_every_link_and_keep_every_digit() {
    let body = body();
    let (mjcf, urdf) = (mjcf(&body), urdf(&body));
    for link in body.links() {
        assert!(mjcf.contains(&format!("<body name=\"{}\"", link.role)), "{}", link.role);
        assert!(urdf.contains(&format!("<link name=\"{}\">", link.role)));
        assert!(mjcf.contains(&format!("mass=\"{}\"", link.inertia.mass)));
    }
    assert_eq!(mjcf.matches("type=\"ball\"").count(), 8);
    assert_eq!(mjcf.matches("type=\"hinge\"").count(), 6);
    // Eight balls as three revolutes each, and six hinges.
    assert_eq!(urdf.matches("<joint ").count(), 30);
}

mod any_skeleton {
    use super::*;
    use proptest::prelude::*;

    /// A random tree with random roles and offsets, many of them zero.
    fn skeleton() -> impl Strategy<Value = std::sync::Arc<Skeleton>> {
        let body: Vec<Role> = Role::ALL.iter().copied().filter(|r| !r.name().contains("al")).collect();
        let offset = prop_oneof![
            3 => prop::array::uniform3(-0.5..0.5_f32),
            1 => Just([0.0; 3]),
            1 => prop::array::uniform3(-1e6..1e6_f32),
            1 => Just([0.0, -0.4, 0.0]),
        ];
        let joint = (offset, 0.0..1.0_f64, any::<bool>());
        (prop::collection::vec(joint, 1..40), Just(body).prop_shuffle()).prop_map(|(all, roles)| {
            let mut joints: Vec<Joint> = Vec::new();
            for (i, (offset, parent, tip)) in all.into_iter().enumerate() {
                let parent = (i > 0).then_some((parent * i as f64) as usize);
                let mut joint = Joint::new(format!("joint {i}"), parent, Vec3::from_array(offset));
                joint.role = roles.get(i).copied();
                joint.tips.extend(tip.then_some(Vec3::from_array(offset)));
                joints.push(joint);
            }
            Skeleton::build(joints).unwrap()
        })
    }

    /// The person with joints moved about.
    fn bent_person() -> impl Strategy<Value = std::sync::Arc<Skeleton>> {
        prop::collection::vec((0..22usize, prop::array::uniform3(-0.6..0.6_f32)), 0..6).prop_map(|moves| {
            let mut joints = person().joints().to_vec();
            for (joint, to) in moves {
                joints[joint].offset = Vec3::from_array(to);
            }
            Skeleton::build(joints).unwrap()
        })
    }

    proptest! {
        #[test]
        fn no_skeleton_panics_and_what_is_built_can_be_moved(skeleton in prop_oneof![skeleton(), bent_person()]) {
            match Body::build(&skeleton, &BodyConfig::default()) {
                Err(error) => prop_assert!(!error.to_string().is_empty()),
                Ok(body) => {
                    prop_assert!((body.mass() - 65.0).abs() < 1e-9);
                    let (mut h, mut factors) = (MassMatrix::new(&body), Factors::new(&body));
                    crba_into(&body, &BodyState::rest(&body), &mut Workspace::new(&body), &mut h);
                    factors.factor(&h);
                    prop_assert!(factors.is_positive());
                    prop_assert!(body.links().iter().all(|l| l.axis.is_finite() && l.end.is_finite()));
                    prop_assert!(body.links().iter().flat_map(|l| &l.sole).all(|p| p.is_finite()));
                    prop_assert!(!mjcf(&body).contains("NaN") && !urdf(&body).contains("NaN"));
                }
            }
        }
    }
}
