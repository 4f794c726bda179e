//! Results do not depend on how a rig is drawn: local axes, roll and rest pose.

use std::collections::BTreeMap;

use ugoki_base::clip::Clip;
use ugoki_base::no_progress;
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_feet::feet::{PlantConfig, plant_feet};
use ugoki_motion::blend::{BlendConfig, blend};
use ugoki_motion::edit::walk::{Gait, Strides};
use ugoki_motion::edit::{CycleConfig, SpliceConfig, close_cycle, find_cycle, splice};
use ugoki_motion::retarget::{RetargetConfig, retarget_onto};
use ugoki_sample as sample;
use ugoki_testing::captures;
use ugoki_testing::rigs::{Rig, farthest_m, on_rig};

/// Largest difference of a joint's place, metres: f32 through forward kinematics and another order of products.
const SAME_M: f32 = 1e-4;
/// Walking searches for the pace of every step, so rounding may choose a neighbouring one: what two neighbours differ by, metres.
const WALK_M: f32 = 0.01;
/// Blends of captures may differ by this much, metres: time warping chooses among paths that are equally good to rounding.
const BLEND_M: f32 = 5e-4;
/// Without a T-pose frame a source shows how it stands by its rest pose, or by a frame that stands where the rest pose is no body: how
/// far these two stances differ on the sample actor, metres.
const STANCE_M: f32 = 0.025;

type Operation = fn(&Clip, &Clip) -> Clip;

fn plant(clip: &Clip, _: &Clip) -> Clip {
    let contacts = find_contacts(clip, &ContactConfig::default()).unwrap();
    plant_feet(clip, &contacts, &PlantConfig::default(), &mut no_progress()).unwrap().clip
}

fn walk(clip: &Clip, _: &Clip) -> Clip {
    let gait = Gait::build(clip, &mut no_progress()).unwrap();
    let plan = gait.plan(&Strides { stride_m: [0.5, 0.7], count: 6, turn_deg: 60.0 }).unwrap();
    gait.walk(&plan, true, &mut no_progress()).unwrap().clip
}

fn close(clip: &Clip, _: &Clip) -> Clip {
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let config = CycleConfig::default();
    let cycle = find_cycle(clip, contacts.as_ref(), &config, &mut no_progress()).unwrap();
    close_cycle(clip, contacts.as_ref(), &cycle.frames, &config, &mut no_progress()).unwrap().clip
}

fn join(clip: &Clip, other: &Clip) -> Clip {
    splice(&[clip, other], &SpliceConfig::default(), &mut no_progress()).unwrap().clip
}

fn mix(clip: &Clip, other: &Clip) -> Clip {
    blend(&[clip, other], &BlendConfig::new(&[1.0, 1.0]), &mut no_progress()).unwrap().clip
}

/// Onto the sample skeleton as it is drawn, whatever the source's rig.
fn retarget(clip: &Clip, _: &Clip) -> Clip {
    retarget_onto(clip, &sample::clip("idle").unwrap(), &RetargetConfig::default(), &mut no_progress())
        .unwrap()
        .clip
}

/// Farthest that a result on another rig is from the result on the clip's own, metres, by operation and rig.
fn differences(clip: &Clip, other: &Clip) -> BTreeMap<(&'static str, String), f32> {
    let operations: [(&str, Operation); 6] = [
        ("plant", plant),
        ("walk", walk),
        ("loop", close),
        ("splice", join),
        ("blend", mix),
        ("retarget", retarget),
    ];
    let mut found = BTreeMap::new();
    for (name, operation) in operations {
        let expected = operation(clip, other);
        for rig in Rig::ALL {
            let result = operation(&on_rig(clip, rig), &on_rig(other, rig));
            let same = result.num_frames() == expected.num_frames();
            let apart = if same { farthest_m(&result, &expected) } else { f32::INFINITY };
            found.insert((name, format!("{rig:?}")), apart);
        }
    }
    found
}

#[test]
fn sample_motions_give_the_same_results_on_every_rig() {
    let found = differences(&sample::clip("walk").unwrap(), &sample::clip("turn-left").unwrap());
    let most = |name: &str| match name {
        "walk" => WALK_M,
        "retarget" => STANCE_M,
        _ => SAME_M,
    };
    let wrong: Vec<_> = found.iter().filter(|((name, _), apart)| **apart > most(name)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn captures_give_the_same_results_on_every_rig() {
    let Some(folder) = captures::folder(2) else { return };
    for [name, other] in [["35_05", "16_21"], ["16_15", "69_17"]] {
        let [clip, other] =
            [name, other].map(|name| captures::capture(&folder, &format!("cmu/locomotion/{name}.bvh")));
        let found = differences(
            &clip,
            &retarget_onto(&other, &clip, &RetargetConfig::default(), &mut no_progress()).unwrap().clip,
        );
        let most = |name: &str| match name {
            "walk" => WALK_M,
            "blend" => BLEND_M,
            _ => SAME_M,
        };
        let wrong: Vec<_> = found.iter().filter(|((name, _), apart)| **apart > most(name)).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
}
