//! Captured walks that step where they are told: what must hold on every one of them.

use std::ops::ControlFlow;
use std::path::PathBuf;

use ugoki::clip::Clip;
use ugoki::edit::walk::{Gait, Strides};
use ugoki::formats::{ReadOptions, read};

/// Walks over level ground, of three subjects.
const WALKS: [&str; 5] = ["02_01", "16_15", "16_21", "35_05", "35_32"];

fn captures() -> Option<Vec<Clip>> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set ({} checks)", WALKS.len());
        return None;
    };
    let load = |name: &&str| {
        let bytes = std::fs::read(folder.join("cmu/locomotion").join(format!("{name}.bvh"))).unwrap();
        read(&bytes, Some("bvh"), &ReadOptions::default()).unwrap().clip
    };
    Some(WALKS.iter().map(load).collect())
}

#[test]
fn captured_walks_step_where_they_are_told() {
    let go = &mut |_: f32| ControlFlow::Continue(());
    for (clip, name) in captures().unwrap_or_default().iter().zip(WALKS) {
        let gait = Gait::build(clip, go).unwrap();
        let mut plans = vec![gait.own_plan()];
        for (stride_m, turn_deg) in [([0.7, 0.3], 0.0), ([0.6; 2], 90.0), ([0.85; 2], 0.0)] {
            plans.push(gait.plan(&Strides { stride_m, count: 6, turn_deg }).unwrap());
        }
        for plan in plans {
            let walked = gait.walk(&plan, false, go).unwrap();
            for step in &walked.steps {
                assert!(step.reached.distance(step.planned.place) < 1e-3, "{name}: {step:?}");
                assert!(step.slip_m < 1e-3, "{name}: {step:?}");
            }
            assert!(walked.residual_m < 1e-3, "{name}: {} m", walked.residual_m);
        }
    }
}
