//! Properties of the network: costs by an independent sum, invariance, thresholds, growth, the index, components,
//! bytes.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use glam::{DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between64, log64, swing_twist};
use ugoki_base::skeleton::{Joint, Role, Skeleton};
use ugoki_sample as sample;

use super::*;

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn clips() -> &'static [Clip] {
    static CLIPS: OnceLock<Vec<Clip>> = OnceLock::new();
    CLIPS.get_or_init(sample::clips)
}

/// Random intervals of the sample motions.
fn segments(count: usize, seed: u64) -> Vec<(&'static Clip, Range<usize>)> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let clip = &clips()[random.index(clips().len())];
            let len = 10 + random.index(50);
            let start = random.index(clip.num_frames() - len);
            (clip, start..start + len)
        })
        .collect()
}

fn features(nodes: &[(&Clip, Range<usize>)], layers: &Layers, layer: usize) -> Features {
    Features::build(nodes, layers, layer, &FeatureConfig::default()).unwrap()
}

fn network(features: &Features, threshold: f64, method: Method) -> Network {
    let config = NetworkConfig { threshold, most: None, method };
    build_network(features, &config, &mut go).unwrap()
}

/// The formula of the method's page, joint by joint in f64, with headings taken off by Euler's y angle.
fn plain_cost(m: (&Clip, &Range<usize>), n: (&Clip, &Range<usize>), channels: &[Channel]) -> f64 {
    let hips = m.0.skeleton().find(Role::Hips).unwrap();
    let at = |clip: &Clip, channel: &Channel, frame: usize| -> DQuat {
        let q = clip.rotation(channel.joint, frame);
        let part = match channel.part {
            RotationPart::Whole => q,
            RotationPart::Swing => swing_twist(q, channel.axis).0,
            RotationPart::Twist => swing_twist(q, channel.axis).1,
        };
        part.as_dquat()
    };
    let mut sum = 0.0;
    for channel in channels {
        let (e, s) = (m.1.end - 1, n.1.start);
        let (end, before) = (at(m.0, channel, e), at(m.0, channel, e - 1));
        let (start, next) = (at(n.0, channel, s), at(n.0, channel, s + 1));
        let velocity = |from: DQuat, to: DQuat, frame: DQuat, fps: f64| -> DVec3 {
            // In the axes of the frame itself.
            let world = log64(to * from.conjugate()) * fps;
            frame.conjugate() * world
        };
        let v_end = velocity(before, end, end, m.0.fps());
        let v_start = velocity(start, next, start, n.0.fps());
        let level = |q: DQuat| DQuat::from_rotation_y(-2.0 * q.y.atan2(q.w)) * q;
        let angle = if channel.joint == hips {
            angle_between64(level(end), level(start))
        } else {
            angle_between64(end, start)
        };
        sum += channel.weight * (angle * angle + 0.01 * (v_end - v_start).length_squared());
    }
    sum / channels.iter().filter(|channel| channel.weight > 0.0).count() as f64
}

#[test]
fn costs_are_the_formula_summed_joint_by_joint() {
    let nodes = segments(40, 1);
    for layers in [Layers::full(), Layers::upper_lower(), Layers::head_arms_legs()] {
        for layer in 0..layers.layers().len() {
            let features = features(&nodes, &layers, layer);
            let channels = layers.channels(layer, nodes[0].0.skeleton()).unwrap();
            for i in 0..40 {
                let j = (i * 7 + 3) % 40;
                let plain = plain_cost((nodes[i].0, &nodes[i].1), (nodes[j].0, &nodes[j].1), &channels);
                let cost = f64::from(features.cost(i, j));
                // f32 dot products near 1 carry 1e-7, eightfold in θ².
                assert!((cost - plain).abs() < 2e-6 + 2e-5 * plain, "{i} → {j}: {cost}, expected {plain}");
            }
        }
    }
}

/// The clip on a skeleton with more joints, which stand still at their rest: `grown` adds what hangs from hands, feet
/// and head.
fn grown(clip: &Clip, roles: bool) -> Clip {
    let mut joints = clip.skeleton().joints().to_vec();
    let more = [
        (Role::LeftHand, Role::LeftIndexProximal),
        (Role::LeftHand, Role::LeftThumbProximal),
        (Role::RightHand, Role::RightLittleDistal),
        (Role::Head, Role::Jaw),
        (Role::Head, Role::LeftEye),
    ];
    for (number, (parent, role)) in more.into_iter().enumerate() {
        let mut joint = Joint::new(format!("more{number}"), clip.skeleton().find(parent), Vec3::X * 0.05);
        joint.role = roles.then_some(role);
        joints.push(joint);
    }
    let mut out = Clip::at_rest(Skeleton::build(joints).unwrap(), clip.fps(), clip.num_frames()).unwrap();
    for frame in 0..clip.num_frames() {
        out.root_mut().set(frame, clip.root().get(frame));
        for joint in 0..clip.num_joints() {
            out.set_rotation(joint, frame, clip.rotation(joint, frame));
        }
    }
    out
}

#[test]
fn fingers_that_stand_still_change_no_edge() {
    let few = segments(60, 9);
    for roles in [true, false] {
        let clips: Vec<Clip> = few.iter().map(|(clip, _)| grown(clip, roles)).collect();
        let more: Vec<(&Clip, Range<usize>)> =
            clips.iter().zip(&few).map(|(c, n)| (c, n.1.clone())).collect();
        for layers in [Layers::full(), Layers::upper_lower(), Layers::head_arms_legs()] {
            for layer in 0..layers.layers().len() {
                let (with, without) = (features(&more, &layers, layer), features(&few, &layers, layer));
                let networks = [with, without].map(|features| network(&features, 0.05, Method::Brute));
                assert!(networks[1].num_edges() > 100);
                assert_eq!(networks[0], networks[1], "layer {layer}, roles {roles}");
            }
        }
    }
}

#[test]
fn a_layer_of_fingers_alone_goes_by_its_fingers() {
    let clip = grown(&clips()[0], true);
    let mut moved = clip.clone();
    let finger = clip.skeleton().find(Role::LeftIndexProximal).unwrap();
    (0..clip.num_frames()).for_each(|frame| moved.set_rotation(finger, frame, Quat::from_rotation_z(1.0)));
    let claim = Claim { role: Role::LeftIndexProximal, part: RotationPart::Whole };
    let of = |name: &str, roles| Layer { name: name.to_owned(), roles, joints: Vec::new() };
    let layers = Layers::new(vec![of("finger", vec![claim]), of("rest", Vec::new())], "rest").unwrap();
    let features = features(&[(&clip, 0..20), (&moved, 20..40)], &layers, 0);
    assert!(features.cost(0, 1) > 0.001 && features.cost(0, 0) < 1e-6);
}

#[test]
fn moving_and_turning_clips_on_the_ground_changes_no_cost() {
    let nodes = segments(24, 2);
    let turned: Vec<Clip> = nodes
        .iter()
        .enumerate()
        .map(|(i, (clip, range))| {
            let mut clip = clip.trimmed(range.clone()).unwrap();
            let turn = Quat::from_rotation_y(0.7 * i as f32 - 5.0);
            for frame in 0..clip.num_frames() {
                let (q, p) = (clip.rotation(0, frame), clip.root().get(frame));
                clip.set_rotation(0, frame, turn * q);
                clip.root_mut().set(frame, turn * p + Vec3::new(i as f32, 0.0, -2.0));
            }
            clip
        })
        .collect();
    let moved: Vec<(&Clip, Range<usize>)> = turned.iter().map(|clip| (clip, 0..clip.num_frames())).collect();
    let layers = Layers::upper_lower();
    for layer in 0..2 {
        let (a, b) = (features(&nodes, &layers, layer), features(&moved, &layers, layer));
        for i in 0..nodes.len() {
            for j in 0..nodes.len() {
                // Turning by f32 quaternions adds 1e-6 rad.
                assert!((a.cost(i, j) - b.cost(i, j)).abs() < 2e-5 * (1.0 + a.cost(i, j)), "{i} → {j}");
            }
        }
    }
}

#[test]
fn played_backwards_the_way_back_costs_the_same() {
    let nodes = segments(16, 3);
    let back: Vec<Clip> =
        nodes.iter().map(|(clip, range)| clip.trimmed(range.clone()).unwrap().reversed()).collect();
    let back: Vec<(&Clip, Range<usize>)> = back.iter().map(|clip| (clip, 0..clip.num_frames())).collect();
    let layers = Layers::full();
    let (a, b) = (features(&nodes, &layers, 0), features(&back, &layers, 0));
    for i in 0..16 {
        for j in 0..16 {
            let (there, again) = (a.cost(i, j), b.cost(j, i));
            assert!((there - again).abs() < 1e-5 * (1.0 + there), "{i} → {j}: {there} and {again}");
        }
    }
}

#[test]
fn consecutive_segments_cost_next_to_nothing() {
    let walk = clips().iter().find(|clip| clip.name == "walk").unwrap();
    let half = walk.num_frames() / 2;
    // Both ends have the same frame; only the one-sided velocities differ, by an acceleration over one frame.
    let nodes = [(walk, 0..half + 1), (walk, half..walk.num_frames())];
    let features = features(&nodes, &Layers::full(), 0);
    assert!(features.cost(0, 1) < 2e-3, "{}", features.cost(0, 1));
}

#[test]
fn a_higher_threshold_only_adds_edges() {
    let nodes = segments(120, 4);
    let features = features(&nodes, &Layers::full(), 0);
    let (low, high) = (network(&features, 0.02, Method::Brute), network(&features, 0.08, Method::Brute));
    assert!(low.num_edges() > 0 && low.num_edges() < high.num_edges());
    for m in 0..nodes.len() {
        let kept: Vec<Edge> = high.edges(m).filter(|edge| edge.cost < 0.02).collect();
        assert_eq!(kept, low.edges(m).collect::<Vec<Edge>>());
    }
}

/// Features of some of these nodes.
fn part(all: &Features, nodes: &[usize]) -> Features {
    all.only(nodes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_network_whose_nodes_come_and_go_equals_one_built_at_once(
        seed in 0_u64..1000, most in prop::option::of(1_u32..12), leave in 0.0..1.0_f64, come in 0.0..1.0_f64,
    ) {
        let all = features(&segments(140, seed), &Layers::upper_lower(), (seed % 2) as usize);
        let mut random = Random::new(seed);
        // First the nodes that were there; what stays of them, and what comes, in their order.
        let old: Vec<usize> = (0..140).filter(|_| random.uniform() > come).collect();
        let kept: Vec<usize> = (0..old.len()).filter(|_| random.uniform() > leave).collect();
        let fresh = (0..140).filter(|node| !old.contains(node));
        let new: Vec<usize> = kept.iter().map(|&place| old[place]).chain(fresh).collect();
        prop_assume!(!old.is_empty() && !new.is_empty());
        let config = NetworkConfig { threshold: 0.2, most, method: Method::Brute };
        let before = build_network(&part(&all, &old), &config, &mut go).unwrap();
        let after = update_network(&before, &kept, &part(&all, &new), &mut go).unwrap();
        prop_assert!(after == build_network(&part(&all, &new), &config, &mut go).unwrap());
    }
}

#[test]
fn every_edge_kept_is_among_the_cheapest_that_leave_or_enter() {
    let features = features(&segments(90, 12), &Layers::full(), 0);
    let most = 4;
    let config = NetworkConfig { threshold: 1.0, most: Some(most), method: Method::Brute };
    let network = build_network(&features, &config, &mut go).unwrap();
    let order = |a: (f32, usize), b: (f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let place = |costs: Vec<f32>, of: usize| {
        let own = (costs[of], of);
        costs.iter().enumerate().filter(|&(other, &cost)| order((cost, other), own).is_lt()).count()
    };
    for m in 0..90 {
        for n in 0..90 {
            let leaves = place((0..90).map(|other| features.cost(m, other)).collect(), n);
            let enters = place((0..90).map(|other| features.cost(other, n)).collect(), m);
            let among = features.cost(m, n) < 1.0 && leaves.min(enters) < most as usize;
            assert_eq!(network.edge(m, n).is_some(), among, "{m} to {n}: {leaves} and {enters}");
        }
    }
}

#[test]
fn the_index_finds_what_brute_force_finds_bit_by_bit() {
    let nodes = segments(1500, 6);
    for (layers, layer) in [(Layers::full(), 0), (Layers::upper_lower(), 0), (Layers::upper_lower(), 1)] {
        let features = features(&nodes, &layers, layer);
        for (threshold, most) in [(0.03, None), (0.03, Some(12)), (1.0, Some(20))] {
            let build = |method| {
                let config = NetworkConfig { threshold, most, method };
                build_network(&features, &config, &mut go).unwrap()
            };
            assert!(build(Method::Brute) == build(Method::Index), "layer {layer}, most {most:?}");
        }
    }
}

#[test]
fn places_inside_clips_never_cost_more_and_leave_a_third_of_each_clip() {
    let nodes = segments(40, 7);
    let config = FeatureConfig { interior_s: 0.3, ..FeatureConfig::default() };
    let layers = Layers::full();
    let inside = Features::build(&nodes, &layers, 0, &config).unwrap();
    let whole = features(&nodes, &layers, 0);
    for i in 0..40 {
        for j in 0..40 {
            assert!(inside.cost(i, j) <= whole.cost(i, j));
        }
    }
    let network = network(&inside, 0.05, Method::Auto);
    assert!(network.is_interior());
    for m in 0..40 {
        for edge in network.edges(m) {
            let seconds = |node: usize| nodes[node].1.len() as f32 / nodes[node].0.fps() as f32;
            // Rounded to frames.
            assert!(edge.exit_s <= 0.31 && edge.exit_s <= seconds(m) / 3.0 + 0.01);
            assert!(edge.entry_s <= 0.31 && edge.entry_s <= seconds(edge.to as usize) / 3.0 + 0.01);
        }
    }
    assert_eq!(Network::from_bytes(&network.to_bytes()), Ok(network));
}

#[test]
fn clips_without_frames_and_odd_settings_are_refused_by_name() {
    let clip = &clips()[0];
    let layers = Layers::full();
    let error = Features::build(&[(clip, 5..5)], &layers, 0, &FeatureConfig::default()).unwrap_err();
    assert!(error.to_string().contains(&clip.name), "{error}");
    assert!(Node::from_clip(clip, &Ground::default(), 3..3).is_err());
    assert!(Features::build(&[], &layers, 0, &FeatureConfig::default()).is_err());
    let config = FeatureConfig { velocity: f64::NAN, ..FeatureConfig::default() };
    assert!(Features::build(&[(clip, 0..5)], &layers, 0, &config).is_err());
    // One frame has a pose and no speed.
    let single = Features::build(&[(clip, 0..1)], &layers, 0, &FeatureConfig::default()).unwrap();
    assert!(single.cost(0, 0) < 1e-5);
    let stop = build_network(&single, &NetworkConfig::default(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(stop, Err(NetworkError::Cancelled(_))));
    let zero = NetworkConfig { threshold: 0.0, ..NetworkConfig::default() };
    assert!(build_network(&single, &zero, &mut go).is_err());
}

#[test]
fn layers_partition_every_rotation() {
    for layers in [Layers::full(), Layers::upper_lower(), Layers::head_arms_legs()] {
        for &role in Role::ALL {
            let claims: Vec<RotationPart> = layers
                .layers()
                .iter()
                .flat_map(|l| &l.roles)
                .filter(|c| c.role == role)
                .map(|c| c.part)
                .collect();
            assert!(
                claims == [RotationPart::Whole] || {
                    claims.len() == 2
                        && claims.contains(&RotationPart::Swing)
                        && claims.contains(&RotationPart::Twist)
                },
                "{role}"
            );
        }
        let json = serde_json::to_string(&layers).unwrap();
        assert_eq!(serde_json::from_str::<Layers>(&json).unwrap(), layers);
    }
    let claim = |text: &str| text.parse::<Claim>().unwrap();
    let layer = |name: &str, roles: &[&str]| Layer {
        name: name.to_owned(),
        roles: roles.iter().map(|r| claim(r)).collect(),
        joints: Vec::new(),
    };
    let twice = Layers::new(vec![layer("a", &["spine"]), layer("b", &["spine.twist"])], "a");
    assert!(matches!(twice, Err(LayerError::Overlap { .. })), "{twice:?}");
    assert!(matches!(Layers::new(vec![layer("a", &["leftHand.twist"])], "a"), Err(LayerError::Split { .. })));
    assert!(matches!(Layers::new(vec![layer("a", &[])], "b"), Err(LayerError::Base { .. })));
    assert!(matches!(Layers::new(vec![], "b"), Err(LayerError::None)));
}

fn graph() -> impl Strategy<Value = (usize, Vec<(u32, u32, f32)>)> {
    (1_usize..12).prop_flat_map(|n| {
        let node = 0..n as u32;
        (Just(n), prop::collection::vec((node.clone(), node, 0.0..1.0_f32), 0..30))
    })
}

proptest! {
    #[test]
    fn components_are_the_nodes_that_reach_each_other((n, edges) in graph()) {
        let network = Network::from_edges(n, &edges, 2.0).unwrap();
        let found = reach(&network, None);
        let mut way = vec![vec![false; n]; n];
        (0..n).for_each(|v| way[v][v] = true);
        edges.iter().for_each(|e| way[e.0 as usize][e.1 as usize] = true);
        for k in 0..n {
            let through = way[k].clone();
            for from in way.iter_mut().filter(|from| from[k]) {
                from.iter_mut().zip(&through).for_each(|(way, on)| *way |= on);
            }
        }
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            prop_assert_eq!(found.component[i] == found.component[j], way[i][j] && way[j][i]);
        }
        let main: Vec<usize> = (0..n).filter(|&v| found.component[v] == found.main).collect();
        for stray in &found.strays {
            prop_assert_eq!(stray.entered, main.iter().any(|&v| way[v][stray.node]));
            prop_assert_eq!(stray.left, main.iter().any(|&v| way[stray.node][v]));
        }
        prop_assert_eq!(main.len() + found.strays.len(), n);
        prop_assert_eq!(Network::from_bytes(&network.to_bytes()), Ok(network));
    }

    #[test]
    fn damaged_bytes_are_refused_or_read_as_they_are(at in 0_usize..2000, byte in any::<u8>(), cut in 0_usize..2000) {
        let network = Network::from_edges(6, &[(0, 1, 0.1), (1, 2, 0.2), (2, 0, 0.3), (3, 3, 0.4)], 1.0).unwrap();
        let nodes = segments(3, 8);
        let features = features(&nodes, &Layers::upper_lower(), 0);
        for whole in [network.to_bytes(), features.to_bytes()] {
            prop_assert!(Network::from_bytes(&whole[..cut % whole.len()]).is_err());
            prop_assert!(Features::from_bytes(&whole[..cut % whole.len()]).is_err());
            let mut bytes = whole.clone();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(read) = Network::from_bytes(&bytes) {
                prop_assert_eq!(read.to_bytes(), bytes.clone());
            }
            if let Ok(read) = Features::from_bytes(&bytes) {
                prop_assert_eq!(read.to_bytes(), bytes);
            }
        }
    }
}

#[test]
fn features_survive_their_bytes() {
    let features = features(&segments(13, 9), &Layers::upper_lower(), 1);
    assert_eq!(Features::from_bytes(&features.to_bytes()), Ok(features));
}

#[test]
fn the_least_threshold_is_where_the_first_walk_appears() {
    let nodes = segments(30, 10);
    let features = features(&nodes, &Layers::full(), 0);
    for (from, to) in [(0_u32, 1_u32), (5, 20), (29, 3)] {
        let needed = least_threshold(&features, &[from], &[to]).unwrap();
        let joined = |threshold: f32| {
            let network = network(&features, f64::from(threshold), Method::Brute);
            let mut seen = [false; 30];
            let mut open = vec![from];
            while let Some(v) = open.pop() {
                for &w in network.successors(v as usize) {
                    if !std::mem::replace(&mut seen[w as usize], true) {
                        open.push(w);
                    }
                }
            }
            seen[to as usize]
        };
        assert!(!joined(needed) && joined(needed.next_up()), "{needed}");
    }
}

#[test]
fn strays_are_named_with_the_bridge_that_would_join_them() {
    let nodes = segments(60, 11);
    let features = features(&nodes, &Layers::full(), 0);
    let network = network(&features, 0.01, Method::Brute);
    let found = reach(&network, Some(&features));
    assert!(!found.strays.is_empty());
    for stray in &found.strays {
        assert_eq!(stray.way_in.is_some(), !stray.entered);
        assert_eq!(stray.way_out.is_some(), !stray.left);
        for bridge in [stray.way_in, stray.way_out].into_iter().flatten() {
            assert!(bridge.cost >= 0.01 && bridge.cost == features.cost(bridge.from, bridge.to));
        }
    }
}

/// Whatever the tempo, every node lasts whole beats, and whole clips keep all their frames.
#[test]
fn nodes_on_the_beat_last_whole_beats_and_no_clip_is_cut() {
    for bpm in [40.0, 60.0, 90.0, 97.3, 120.0, 140.0, 180.0] {
        let (beat_s, config) = (60.0 / bpm, CutConfig { bpm: Some(bpm), ..CutConfig::default() });
        for name in ["idle", "nod", "bow", "hand-on-heart", "point-at-you", "walk", "start"] {
            let clip = ugoki_sample::clip(name).unwrap();
            let cuts = cut_clip(&clip, &config, &mut go).unwrap();
            assert_eq!(cuts[0].frames, clip.motion_frames(), "{name} at {bpm}");
            for cut in &cuts {
                let beats = cut.seconds / beat_s;
                assert!((beats - beats.round()).abs() < 1e-9, "{} lasts {beats} beats", cut.name);
                let captured_s = cut.frames.len() as f64 / clip.fps();
                assert!((captured_s / cut.pace.speed + cut.pace.held_s - cut.seconds).abs() < 1e-9);
                let most = if cut.whole { config.whole_tempo_change } else { config.tempo_change };
                assert!((cut.pace.speed - 1.0).abs() <= most + 1e-8, "{} at {}", cut.name, cut.pace.speed);
                assert!(cut.whole || cut.pace.held_s == 0.0, "{} is a piece and waits", cut.name);
            }
        }
    }
}
