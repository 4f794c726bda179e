//! Symptom: `blend` of CMU 16_15 and 16_27 at weights 0.1, 0.9 panicked in the leg solve with a time that was no number.
//! Cause: an unmatched end of 2e-16 s was taken for an end of its own, which put two knots on one moment.

use ugoki_base::no_progress;
use ugoki_motion::blend::{BlendConfig, blend};
use ugoki_testing::captures::{capture, folder};

#[test]
fn uneven_weights_give_finite_poses() {
    let Some(folder) = folder(4) else { return };
    let clips = ["16_15", "16_27"].map(|name| capture(&folder, &format!("cmu/locomotion/{name}.bvh")));
    for weights in [[0.1, 0.9], [0.19, 0.81], [0.05, 0.95], [0.9, 0.1]] {
        let config = BlendConfig::new(&weights);
        let blended = blend(&[&clips[0], &clips[1]], &config, &mut no_progress())
            .unwrap_or_else(|error| panic!("{weights:?}: {error}"));
        for frame in 0..blended.clip.num_frames() {
            let pose = blended.clip.pose(frame);
            assert!(
                pose.root.is_finite() && pose.rotations.iter().all(|q| q.is_finite()),
                "{weights:?} {frame}"
            );
        }
    }
}
