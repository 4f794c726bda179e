//! The sample actor's feet are exact and its contacts planned: detection and planting against the truth.

use ugoki_base::no_progress;

use ugoki_base::math::median;
use ugoki_base::skeleton::Side;
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_feet::feet::{PlantConfig, plant_feet};
use ugoki_sample::{Part, contacts, motions};

#[test]
fn planned_toe_contacts_are_found() {
    let (mut both, mut said, mut planned) = (0, 0, 0);
    for motion in motions() {
        let clip = motion.clip();
        let found = find_contacts(&clip, &ContactConfig::default()).unwrap();
        for (side, foot) in [Side::Left, Side::Right].into_iter().zip(&found.feet) {
            let truth: Vec<_> = contacts(motion.name)
                .unwrap()
                .into_iter()
                .filter(|c| c.side == side && c.part == Part::Toe)
                .collect();
            for frame in 0..clip.num_frames() {
                let stands = truth.iter().any(|c| c.frames().contains(&frame));
                let says = foot.toe.iter().any(|range| range.contains(&frame));
                both += u32::from(stands && says);
                said += u32::from(says);
                planned += u32::from(stands);
            }
        }
    }
    let (precision, recall) = (f64::from(both) / f64::from(said), f64::from(both) / f64::from(planned));
    // Gentle landings count as contact for 50 ms before they are planned.
    assert!(precision > 0.94 && recall > 0.98, "precision {precision}, recall {recall}");
}

#[test]
fn planting_hardly_changes_exact_feet() {
    let mut knees = Vec::new();
    for motion in motions() {
        let clip = motion.clip();
        let found = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let go = &mut no_progress();
        let report = plant_feet(&clip, &found, &PlantConfig::default(), go).unwrap().report;
        assert!(report.left_alone.is_empty() && report.glitch_frames == 0, "{}: {report:?}", motion.name);
        // The slow rise of a heel (throw, sway) is held for some frames too long.
        assert!(report.knee_change_deg < 10.0, "{}: {report:?}", motion.name);
        knees.push(report.knee_change_deg);
    }
    let middle = median(&knees).unwrap();
    assert!(middle < 0.5, "median knee change {middle}°");
}
