//! Feet of partitions in which hips and legs belong to different layers.

use std::path::Path;

use ugoki::clip::Clip;
use ugoki::compose::Timeline;
use ugoki::network::{Claim, Layer, Layers, Share};
use ugoki::skeleton::Role;

use super::measure::{Measured, measure};
use super::{Failure, Stock, each_found, save_clips};

/// One row for every partition: ten candidates of five seeds as the search finds them, before anything is struck. `out` keeps the first seed's motions.
pub(crate) fn table(stock: &Stock, timeline: &Timeline, out: Option<&Path>) -> Result<(), Failure> {
    println!(
        "| layers | candidates | most skate added, cm/s | over 1 | at seams | over 1 | most gliding added, m | longest glide, cm | over 5 cm | worst seam / own | worst in a blend | above 1.5 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, layers) in partitions() {
        let mut rows: Vec<(String, Measured)> = Vec::new();
        let mut motions: Vec<Clip> = Vec::new();
        each_found(stock, layers, timeline, &mut |found| {
            let origins = found.catalogue.origins();
            let row =
                measure(found.candidate, found.motion, origins, &stock.sources, &|clip| stock.own(clip));
            if motions.len() < 10 {
                let mut clip = found.motion.clip.clone();
                clip.name = format!("candidate-{:02}", motions.len() + 1);
                motions.push(clip);
            }
            rows.push((found.label.clone(), row));
            Ok(())
        })?;
        let most = |of: &dyn Fn(&Measured) -> f64| {
            let best = rows.iter().max_by(|a, b| of(&a.1).total_cmp(&of(&b.1)));
            best.map_or(String::new(), |(label, row)| {
                let who = label.split_once(", ").map_or("", |(_, who)| who);
                format!("{:.2} ({who})", of(row))
            })
        };
        let over = |of: &dyn Fn(&Measured) -> f64, bound: f64| {
            rows.iter().filter(|(_, row)| of(row) > bound).count()
        };
        let added = |[now, own]: [f64; 2]| now - own;
        let skate = |row: &Measured| 100.0 * added(row.feet.skate_m_s);
        let at_seams = |row: &Measured| 100.0 * added(row.feet.skate_at_seams_m_s);
        let glide = |row: &Measured| 100.0 * row.feet.worst_m;
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            rows.len(),
            most(&skate),
            over(&skate, 1.0),
            most(&at_seams),
            over(&at_seams, 1.0),
            most(&|row| added(row.feet.glide_m)),
            most(&glide),
            over(&glide, 5.0),
            most(&|row| row.seam),
            most(&|row| row.blend),
            over(&|row| row.seam.max(row.blend), ugoki::job::compose::ROUGH),
        );
        if let Some(folder) = out {
            save_clips(motions.iter(), &folder.join(name))?;
        }
    }
    Ok(())
}

/// Legs by themselves, hips by themselves, a leg each, thighs apart from feet; and head, arms, legs, whose feet stay with their hips.
fn partitions() -> Vec<(&'static str, Layers)> {
    use Role::{
        Hips, LeftFoot, LeftLowerLeg, LeftUpperArm, LeftUpperLeg, RightFoot, RightLowerLeg, RightUpperLeg,
    };
    let split = |parts: &[(&str, &[Role])], base: &str| {
        let layer = |(name, roles): &(&str, &[Role])| Layer {
            name: (*name).to_owned(),
            roles: roles.iter().map(|&role| Claim { role, share: Share::Whole }).collect(),
            joints: Vec::new(),
        };
        Layers::new(parts.iter().map(layer).collect(), base).expect("a partition")
    };
    let left = [LeftUpperLeg, LeftLowerLeg, LeftFoot];
    let right = [RightUpperLeg, RightLowerLeg, RightFoot];
    let legs = [left, right].concat();
    vec![
        ("head, arms, legs", Layers::head_arms_legs()),
        ("legs alone, hips in the base", split(&[("legs", &legs), ("body", &[])], "body")),
        ("hips alone, legs in the base", split(&[("arms", &[LeftUpperArm]), ("body", &[Hips])], "arms")),
        (
            "hips and legs apart from the base",
            split(&[("legs", &legs), ("hips", &[Hips]), ("rest", &[])], "rest"),
        ),
        ("one leg each", split(&[("left", &left), ("right", &right), ("rest", &[])], "rest")),
        (
            "thighs apart from feet",
            split(&[("thighs", &[LeftUpperLeg, RightUpperLeg]), ("rest", &[])], "rest"),
        ),
    ]
}
