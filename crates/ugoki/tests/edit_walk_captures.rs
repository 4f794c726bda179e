//! Captured walks that step where they are told: what must hold on every one of them.

use std::ops::ControlFlow;
use std::path::PathBuf;

use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts, find_feet};
use ugoki::edit::walk::{Gait, Strides};
use ugoki::formats::{ReadOptions, read};
use ugoki::limb::standing_contacts;

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

/// Farthest over the ground that a toe found to stand is from where it stands in the middle of that, metres.
fn found_slip_m(clip: &Clip) -> f32 {
    let found = find_contacts(clip, &ContactConfig::default()).unwrap();
    let standing = standing_contacts(clip, &found).unwrap();
    let feet = find_feet(clip.skeleton()).unwrap();
    let mut worst = 0.0_f32;
    for (foot, contacts) in feet.feet.iter().zip(&standing.feet) {
        for range in &contacts.toe {
            let at = |frame: usize| foot.toe.position(&clip.model_pose(frame)).with_y(0.0);
            let middle = at((range.start + range.end) / 2);
            worst = range.clone().map(|frame| at(frame).distance(middle)).fold(worst, f32::max);
        }
    }
    worst
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
            // Whoever looks for contacts in the result finds feet that stand: 15 to 30 mm in the sources.
            let slip = found_slip_m(&walked.clip);
            assert!(slip < 5e-3, "{name}: toes found standing move by {slip} m");
        }
    }
}
