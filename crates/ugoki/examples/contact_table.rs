//! The table of `docs/results/contact.md`: what the contacts of every capture look like.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example contact_table [seen|unseen|NAME]`; without the variable
//! it says so and ends.

mod captures;

use std::ops::Range;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, find_contacts, find_feet};
use ugoki::math::{median, quantile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(captures) = captures::wanted()? else { return Ok(()) };
    println!(
        "| capture | set | s | slip mm med | p95 | height mm p95 | toe contacts | med s | shortest s | \
         standing % | flight % | alternating % | floor tilt mm/m |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for capture in captures {
        let set = if capture.unseen { "unseen" } else { "seen" };
        let row = capture.load().map_or_else(|error| format!("| {error} |"), |clip| row(&clip));
        println!("| {} | {set} {row}", capture.name);
    }
    Ok(())
}

fn row(clip: &Clip) -> String {
    let (contacts, feet) = match (find_contacts(clip, &ContactConfig::default()), find_feet(clip.skeleton()))
    {
        (Ok(contacts), Ok(feet)) => (contacts, feet),
        (Err(error), _) | (_, Err(error)) => return format!("| {error} |"),
    };
    let fps = clip.fps();
    let poses = clip.model_poses();
    let (mut slips, mut spreads, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    let mut landings: Vec<(usize, usize)> = Vec::new();
    for (side, foot) in feet.feet.iter().enumerate() {
        let heel: Vec<Vec3> = poses.iter().map(|pose| pose.positions[foot.ankle]).collect();
        let toe: Vec<Vec3> = poses.iter().map(|pose| foot.toe.position(pose)).collect();
        for (path, ranges) in [(&heel, &contacts.feet[side].heel), (&toe, &contacts.feet[side].toe)] {
            for range in ranges {
                let points = &path[range.clone()];
                let mid = points.iter().sum::<Vec3>() / points.len() as f32;
                slips.extend(points.iter().map(|p| 1e3 * f64::from((*p - mid).with_y(0.0).length())));
                spreads.extend(points.iter().map(|p| 1e3 * f64::from((p.y - mid.y).abs())));
            }
        }
        let ranges: &[Range<usize>] = &contacts.feet[side].toe;
        lengths.extend(ranges.iter().map(|range| range.len() as f64 / fps));
        landings.extend(ranges.iter().map(|range| (range.start, side)));
    }
    landings.sort_unstable();
    let changes = landings.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    let fraction = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let motion = clip.motion_frames();
    let standing = motion.clone().filter(|&f| contacts.feet.iter().any(|foot| foot.touches(f))).count();
    let [b, c] = contacts.floor.slope;
    format!(
        "| {:.1} | {:.1} | {:.1} | {:.1} | {} | {:.2} | {:.2} | {:.1} | {:.1} | {:.0} | {:.0} |",
        motion.len() as f64 / fps,
        median(&slips).unwrap_or(f64::NAN),
        quantile(&slips, 0.95).unwrap_or(f64::NAN),
        quantile(&spreads, 0.95).unwrap_or(f64::NAN),
        lengths.len(),
        median(&lengths).unwrap_or(f64::NAN),
        quantile(&lengths, 0.0).unwrap_or(f64::NAN),
        fraction(standing, motion.len()),
        100.0 - fraction(standing, motion.len()),
        fraction(changes, landings.len().saturating_sub(1)),
        1e3 * b.hypot(c),
    )
}
