//! Contacts are looked for once in every clip that goes into an operation.

use ugoki_base::clip::Clip;
use ugoki_base::no_progress;
use ugoki_feet::contact::{ContactConfig, contact_searches, find_contacts};
use ugoki_feet::feet::{PlantConfig, plant_feet};
use ugoki_motion::edit::{CycleConfig, SpliceConfig, close_cycle, find_cycle, splice};
use ugoki_sample as sample;

/// How often contacts are looked for while `work` runs.
fn searches(work: impl FnOnce()) -> usize {
    let before = contact_searches();
    work();
    contact_searches() - before
}

#[test]
fn splicing_looks_for_contacts_once_in_every_clip() {
    let clips = ["walk", "run", "walk-slow"].map(|name| sample::clip(name).unwrap());
    let all: Vec<&Clip> = clips.iter().collect();
    let count = searches(|| {
        splice(&all, &SpliceConfig::default(), &mut no_progress()).unwrap();
    });
    assert_eq!(count, 3);
}

#[test]
fn looping_and_planting_take_the_contacts_that_they_are_given() {
    let clip = sample::clip("walk").unwrap();
    let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
    let count = searches(|| {
        let config = CycleConfig::default();
        let cycle = find_cycle(&clip, Some(&contacts), &config, &mut no_progress()).unwrap();
        close_cycle(&clip, Some(&contacts), &cycle.frames, &config, &mut no_progress()).unwrap();
        plant_feet(&clip, &contacts, &PlantConfig::default(), &mut no_progress()).unwrap();
    });
    assert_eq!(count, 0);
}
