//! A thousand characters that walk and change their minds, on one core: what fraction of it do they take at 60 Hz?
//!
//! `cargo run --release -p ugoki --example players`

use std::error::Error;
use std::time::Instant;
use ugoki::no_progress;

use glam::Vec3;
use ugoki::edit::walk::Gait;
use ugoki::edit::{Footfall, PlayerScratch};
use ugoki::math::Random;
use ugoki::pose::Pose;
use ugoki::sample;
use ugoki::skeleton::Side;

/// Characters, and frames of each at 60 Hz.
const CROWD: usize = 1000;
const FRAMES: usize = 600;

fn main() -> Result<(), Box<dyn Error>> {
    let clip = sample::clip("walk").ok_or("the sample actor walks")?;
    let gait = Gait::build(&clip, &mut no_progress())?;
    let first = gait.endless_player(gait.first_foot())?;
    // What they play is shared; each has a state of its own, and one thread needs one scratch.
    let mut scratch = PlayerScratch::new(first.repertoire());
    let mut pose = Pose::rest(clip.skeleton());
    let mut crowd = vec![first; CROWD];
    let mut random = Random::new(0);
    for player in &mut crowd {
        player.tick(random.range(0.0, 1.0), &mut scratch, &mut pose);
    }
    let (mut steps, mut changes, mut worst_m) = (0, 0, 0.0_f32);
    let began = Instant::now();
    for _ in 0..FRAMES {
        for player in &mut crowd {
            // One in a hundred gets a new target for a foot, in the middle of its step or not.
            if random.uniform() < 0.01 {
                let side = if random.uniform() < 0.5 { Side::Left } else { Side::Right };
                let at = player.footfall(side);
                let by = Vec3::new(random.range(-0.03, 0.03) as f32, 0.0, random.range(-0.1, 0.1) as f32);
                // A foot about to land refuses; its next step can be changed.
                changes += usize::from(player.put(side, Footfall { place: at.place + by, ..at }).is_ok());
            }
            let tick = player.tick(1.0 / 60.0, &mut scratch, &mut pose);
            steps += tick.landed.iter().filter(|landed| **landed).count();
            worst_m = worst_m.max(tick.residual.held_m);
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    let fraction = 100.0 * seconds / (FRAMES as f64 / 60.0);
    println!("{CROWD} players, {FRAMES} frames each: {steps} steps, {changes} changed targets");
    println!(
        "{:.2} µs a pose, {fraction:.1} % of one core at 60 Hz",
        1e6 * seconds / (CROWD * FRAMES) as f64
    );
    println!("standing feet off their places by at most {:.3} mm", 1e3 * worst_m);
    Ok(())
}
