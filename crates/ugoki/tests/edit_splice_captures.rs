//! Captures joined across subjects; skipped, and said so, without `UGOKI_CAPTURES`.

mod join_support;

use std::ops::ControlFlow;
use std::path::PathBuf;

use join_support::{finite, legs_as_captured, slip_mm, stretch};
use ugoki::clip::Clip;
use ugoki::edit::SpliceConfig;
use ugoki::formats::{ReadOptions, read};
use ugoki::job::Reading;
use ugoki::job::splice::{Request, run};

/// A walk, a step down by another subject and a walk again, as the issue asks, and pairs whose legs once met or whose knees snapped at
/// the seam.
const CHAINS: [&[&str]; 5] = [
    &["16_15", "83_08", "16_15"],
    &["36_01", "83_08"],
    &["36_01", "83_25"],
    &["69_24", "83_08"],
    &["35_25", "16_15"],
];

fn clips(names: &[&str]) -> Option<Vec<Clip>> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from)?;
    let load = |name: &&str| {
        let file = folder.join("cmu/locomotion").join(format!("{name}.bvh"));
        let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut clip = read(&bytes, Some("bvh"), &ReadOptions::default()).unwrap().clip;
        clip.name = (*name).to_owned();
        clip
    };
    Some(names.iter().map(load).collect())
}

#[test]
fn captures_of_two_subjects_become_one_motion() {
    for names in CHAINS {
        let Some(clips) = clips(names) else {
            println!("skipped: UGOKI_CAPTURES is not set ({} checks)", CHAINS.len());
            return;
        };
        let request = Request {
            inputs: names.iter().map(|name| (*name).to_owned()).collect(),
            output: "out.bvh".to_owned(),
            config: SpliceConfig::default(),
            strict: false,
            reading: Reading::default(),
        };
        let lent: Vec<&Clip> = clips.iter().collect();
        let done = run(&request, &lent, &mut |_| ControlFlow::Continue(())).unwrap();
        let chain = names.join(" → ");
        assert_eq!(done.report.seams.len(), names.len() - 1, "{chain}");
        assert!(finite(&done.clip) && stretch(&done.clip) < 1e-5, "{chain}");
        for seam in &done.report.seams {
            assert!(seam.after.within(&done.report.ordinary), "{chain}: {seam:?} {:?}", done.report.ordinary);
        }
        let slip = slip_mm(&done.clip, done.contacts.as_ref().expect("they have legs"));
        assert!(slip < 1.0, "{chain}: {slip} mm");
        // Knees bend and legs pass as in the captures, on the bodies that were captured.
        legs_as_captured(&chain, &done.clip, &lent);
        assert!(done.report.strain <= 1.0, "{chain}: {}", done.report.strain);
    }
}
