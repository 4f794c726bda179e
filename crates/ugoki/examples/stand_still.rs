//! When feet stand, how far they slip, and how planting stops that.

use ugoki::contact::{ContactConfig, find_contacts};
use ugoki::feet::{PlantConfig, plant_feet};
use ugoki::metric::compare;
use ugoki::sample;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A walk that travels 8 % too far for its steps, as a careless retarget leaves it.
    let mut skating = sample::clip("walk").ok_or("the sample actor walks")?;
    for frame in 0..skating.num_frames() {
        let mut place = skating.root().get(frame);
        place.z *= 1.08;
        skating.root_mut().set(frame, place);
    }

    let contacts = find_contacts(&skating, &ContactConfig::default())?;
    for (side, foot) in ["left", "right"].iter().zip(&contacts.feet) {
        println!("{side:>5} foot stands in frames {:?}", foot.any());
    }

    // Long work asks its caller whether to go on; this caller always does.
    let mut go_on = ugoki::no_progress();
    let planted = plant_feet(&skating, &contacts, &PlantConfig::default(), &mut go_on)?;
    let (before, after) = (planted.report.skate_before, planted.report.skate_after);
    println!("feet slip {:.1} mm/s before and {:.1} mm/s after", before.mean_mm_s, after.mean_mm_s);
    assert!(after.mean_mm_s < before.mean_mm_s);

    let difference = compare(&skating, &planted.clip, None, &mut go_on)?;
    println!("joints turned by {:.1}° on average for that", difference.angle_deg.mean);
    Ok(())
}
