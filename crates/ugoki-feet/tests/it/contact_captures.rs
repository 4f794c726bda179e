//! Contacts, planting and comparing on real captures; skipped, and said so, without `UGOKI_CAPTURES`.

use std::ops::Range;
use std::path::PathBuf;
use ugoki_base::no_progress;

use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, Contacts, find_contacts};
use ugoki_feet::feet::{PlantConfig, plant_feet};
use ugoki_feet::metric::compare;
use ugoki_formats::{ReadOptions, read};

/// Walks at 1 to 1.7 m/s, forward and turning.
const WALKS: [&str; 12] = [
    "02_01", "08_02", "16_13", "16_15", "16_17", "16_19", "16_21", "35_05", "35_10", "35_32", "69_53",
    "69_59",
];
/// Jogs and runs.
const RUNS: [&str; 3] = ["16_36", "16_55", "35_25"];

fn capture(set: &str, name: &str) -> Option<Clip> {
    let folder = PathBuf::from(std::env::var_os("UGOKI_CAPTURES")?);
    let file = folder.join("cmu").join(set).join(name).with_extension("bvh");
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Some(read(&bytes, Some("bvh"), &ReadOptions::default()).unwrap().clip)
}

fn skipped(checks: usize) {
    println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
}

fn contacts(clip: &Clip) -> Contacts {
    find_contacts(clip, &ContactConfig::default()).unwrap()
}

/// Fraction of the motion in which a foot stands.
fn standing(clip: &Clip) -> f64 {
    let found = contacts(clip);
    let motion = clip.motion_frames();
    let frames = motion.clone().filter(|&f| found.feet.iter().any(|foot| foot.touches(f))).count();
    frames as f64 / motion.len() as f64
}

#[test]
fn walks_always_stand_on_a_foot_and_change_feet() {
    for name in WALKS {
        let Some(clip) = capture("locomotion", name) else { return skipped(WALKS.len()) };
        assert!(standing(&clip) > 0.93, "{name}: {}", standing(&clip));
        let found = contacts(&clip);
        let mut landings: Vec<(usize, usize)> =
            (0..2).flat_map(|side| found.feet[side].toe.iter().map(move |r| (r.start, side))).collect();
        landings.sort_unstable();
        assert!(landings.windows(2).all(|pair| pair[0].1 != pair[1].1), "{name}: {landings:?}");
    }
}

#[test]
fn runs_and_jumps_fly() {
    let jumps = [("physics", "16_01"), ("physics", "13_39")];
    for (set, name) in RUNS.map(|name| ("locomotion", name)).into_iter().chain(jumps) {
        let Some(clip) = capture(set, name) else { return skipped(5) };
        let fraction = standing(&clip);
        assert!((0.3..0.95).contains(&fraction), "{name} stands {fraction}");
    }
}

#[test]
fn lower_rates_give_the_same_contacts() {
    let apart = |a: &[Range<usize>], b: &[Range<usize>], ratio: f64| -> f64 {
        if a.len() != b.len() {
            return f64::INFINITY;
        }
        a.iter().zip(b).fold(0.0, |worst: f64, (x, y)| {
            // Frame 1 is the motion's first at every rate; the added T-pose takes frame 0.
            let off = |x: usize, y: usize| ((x as f64 - 1.0) / ratio - (y as f64 - 1.0)).abs();
            worst.max(off(x.start, y.start)).max(off(x.end, y.end))
        })
    };
    let (mut same, mut all) = (0, 0);
    for name in WALKS {
        let Some(clip) = capture("locomotion", name) else { return skipped(WALKS.len() * 8) };
        let fine = contacts(&clip);
        for fps in [60.0, 30.0] {
            let coarse = contacts(&clip.resampled(fps).unwrap());
            for side in 0..2 {
                for (x, y) in [
                    (&fine.feet[side].toe, &coarse.feet[side].toe),
                    (&fine.feet[side].heel, &coarse.feet[side].heel),
                ] {
                    all += 1;
                    // Two frames of the lower rate, and half of one for rounding.
                    same += usize::from(apart(x, y, clip.fps() / fps) <= 2.5);
                }
            }
        }
    }
    println!("{same} of {all} lists of contacts are the same at 60 and 30 Hz");
    assert!(10 * same >= 9 * all, "{same} of {all}");
}

#[test]
fn planted_walks_do_not_skate_and_compare_finds_only_what_changed() {
    for name in WALKS {
        let Some(clip) = capture("locomotion", name) else { return skipped(WALKS.len()) };
        let go = &mut no_progress();
        let planted = plant_feet(&clip, &contacts(&clip), &PlantConfig::default(), go).unwrap();
        let r = &planted.report;
        assert!(r.skate_before.mean_mm_s > 10.0 && r.skate_after.mean_mm_s < 2.0, "{name}: {r:?}");
        // Swings keep what stances are displaced by: 12.8° in 16_19.
        assert!(
            r.knee_change_deg < 14.0 && r.hip_shift_mm < 35.0 && r.penetration_after_mm < 5.0,
            "{name}: {r:?}"
        );
        let same = compare(&clip, &clip, None, go).unwrap();
        assert_eq!((same.l2p, same.l2q, same.npss, same.angle_deg.max), (0.0, 0.0, 0.0, 0.0), "{name}");
        let changed = compare(&clip, &planted.clip, None, go).unwrap();
        assert!(
            changed.l2p > 0.0 && changed.foot_skate_m_s[1] < changed.foot_skate_m_s[0],
            "{name}: {changed:?}"
        );
    }
}
