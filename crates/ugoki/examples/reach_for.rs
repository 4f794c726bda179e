//! A captured movement bent by its handles: the wave ends with the hand on a button, the head bowed.
//!
//! `cargo run -p ugoki --example reach_for`

use ugoki::no_progress;

use glam::Vec3;
use ugoki::edit::{EditBasis, EditConfig, EndTarget, edit_segment};
use ugoki::sample;
use ugoki::skeleton::Role;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clip = sample::clip("wave").ok_or("no sample motion")?;
    let frames = 0..clip.num_frames() / 2;
    // Built once, kept in a database as bytes.
    let basis = EditBasis::build(&clip, frames.clone(), &[])?;
    let basis = EditBasis::from_bytes(&basis.to_bytes())?;
    let names: Vec<&str> = basis.handles().iter().map(|handle| handle.name.as_str()).collect();
    println!("{} frames, handles {}", frames.len(), names.join(", "));
    let end = clip.model_pose(frames.end - 1);
    let target = |role: Role, by: Vec3| -> Option<EndTarget> {
        let joint = clip.skeleton().find(role)?;
        let position = end.positions[joint] + by;
        Some(EndTarget { handle: basis.find(joint)?, position, rotation: None, velocity: None })
    };
    let targets: Vec<EndTarget> = [
        target(Role::RightHand, Vec3::new(0.05, -0.10, 0.05)),
        target(Role::Head, Vec3::new(0.0, -0.02, 0.05)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let edited = edit_segment(&clip, &basis, &targets, &EditConfig::default(), &mut no_progress())?;
    let reached = edited.clip.model_pose(frames.len() - 1);
    for target in &targets {
        let handle = &basis.handles()[target.handle];
        let off = reached.positions[handle.joint].distance(target.position);
        println!("{}: {:.3} mm off", handle.name, 1e3 * off);
        assert!(off < 1e-3, "a handle within reach is met");
    }
    Ok(())
}
