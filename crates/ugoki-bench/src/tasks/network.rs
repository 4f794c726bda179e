//! Building motion networks: every pair in blocks, the index, and a few clips more.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::math::{Random, exp};
use ugoki::network::{
    FeatureConfig, Features, Layers, Method, NetworkConfig, build_network, reach, update_network,
};
use ugoki::skeleton::{Joint, Skeleton};

use super::{compose, quiet, segments, sound};
use crate::clock::Bench;
use crate::data::JOINTS;

const THRESHOLD: f64 = 0.05;
/// Postures that clips begin and end near, so that some pairs are close.
const POSTURES: usize = 40;

pub(crate) fn measure(bench: &mut Bench) {
    let mut joints = vec![Joint::new("root", None, Vec3::Y)];
    joints.extend((1..JOINTS).map(|j| Joint::new(format!("j{j}"), Some(j - 1), Vec3::Y * 0.1)));
    let skeleton = Skeleton::build(joints).expect("a chain");
    for &count in bench.sizes(&[100, 300, 1000, 3000]) {
        let mut random = Random::new(1);
        let postures: Vec<Vec<Quat>> =
            (0..POSTURES).map(|_| (0..JOINTS).map(|_| turn(&mut random, 0.4)).collect()).collect();
        let clips: Vec<Clip> = (0..count).map(|_| clip(&skeleton, &postures, &mut random)).collect();
        let nodes: Vec<(&Clip, Range<usize>)> =
            clips.iter().map(|clip| (clip, 0..clip.num_frames())).collect();
        let layers = Layers::full();
        let build = |nodes| Features::build(nodes, &layers, 0, &FeatureConfig::default()).expect("features");
        let features = build(&nodes);
        for (task, method) in [("network.brute", Method::Brute), ("network.index", Method::Index)] {
            let config = NetworkConfig { threshold: THRESHOLD, most: None, method };
            bench.measure(task, count, 1.0, || {
                sound(build_network(&features, &config, &mut quiet));
            });
        }
        let config = NetworkConfig { threshold: THRESHOLD, most: None, method: Method::Brute };
        let old = build_network(&build(&nodes[..count - 10]), &config, &mut quiet).expect("a network");
        bench.measure("network.extend", count, 1.0, || {
            let kept: Vec<usize> = (0..count - 10).collect();
            sound(update_network(&old, &kept, &features, &mut quiet));
        });
    }
    for &count in bench.sizes(&compose::SIZES) {
        let network = compose::one_layer(count);
        bench.measure("network.reach", count, 1.0, || drop(black_box(reach(&network, None))));
    }
    segments::measure(bench);
}

fn turn(random: &mut Random, size: f64) -> Quat {
    exp(Vec3::new(random.normal() as f32, random.normal() as f32, random.normal() as f32) * size as f32)
}

/// From one posture to another, with noise.
fn clip(skeleton: &Arc<Skeleton>, postures: &[Vec<Quat>], random: &mut Random) -> Clip {
    let mut clip = Clip::at_rest(skeleton.clone(), 60.0, 4).expect("a rate");
    let ends = [random.index(postures.len()), random.index(postures.len())];
    let [first, last] = ends.map(|end| &postures[end]);
    for (joint, (a, b)) in first.iter().zip(last).enumerate() {
        let noise = [turn(random, 0.1), turn(random, 0.1)];
        let step = [turn(random, 0.01), turn(random, 0.01)];
        for frame in 0..4 {
            let end = frame / 2;
            let q = [*a, *b][end] * noise[end];
            clip.set_rotation(joint, frame, if frame % 2 == 0 { q } else { q * step[end] });
        }
    }
    clip
}
