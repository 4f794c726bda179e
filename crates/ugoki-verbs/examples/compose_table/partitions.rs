//! Feet of partitions in which hips and legs belong to different layers.

use std::path::Path;

use ugoki::compose::{ROUGH, Rendered, Timeline};
use ugoki::network::{CatalogueConfig, Claim, Layer, Layers, RotationPart};
use ugoki::skeleton::Role;

use super::measure::{Measured, measure};
use super::{Failure, Found, Stock, draw, each_found, given, measured, save_clips};

/// Two rows for every partition, ten candidates of five seeds: as the search finds them, before anything is struck, and as the verb gives them.
/// `out` keeps the first seed's motions.
pub(crate) fn table(stock: &Stock, timeline: &Timeline, out: Option<&Path>) -> Result<(), Failure> {
    println!(
        "| layers | | candidates | most skate added, cm/s | over 1 | at seams | over 1 | longest glide, cm | over 5 cm | most beyond the stepping layer alone, cm | worst seam / own | worst in a blend | above 1.5 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, layers) in partitions() {
        let mut found: Vec<Measured> = Vec::new();
        let mut beyond = 0.0_f64;
        each_found(stock, layers.clone(), timeline, &mut |made| {
            let row = measured_of(stock, made);
            let alone = stepping_alone(stock, made)?;
            let own = measured_of(stock, &Found { motion: &alone, ..made.clone() });
            beyond = beyond.max(row.feet.worst_m - own.feet.worst_m);
            found.push(row);
            Ok(())
        })?;
        print_row(name, "found", &found, Some(beyond));
        let catalogue = stock.catalogue(&CatalogueConfig::new(layers))?;
        let all = given(stock, &catalogue, timeline, 10)?;
        let rows: Vec<Measured> = all
            .iter()
            .flat_map(|made| measured(stock, &catalogue, &made.composition, &made.motions))
            .collect();
        print_row(name, "given", &rows, None);
        if let Some(folder) = out {
            save_clips(all[0].motions.iter().map(|motion| &motion.clip), &folder.join(name))?;
        }
    }
    Ok(())
}

fn measured_of(stock: &Stock, found: &Found<'_>) -> Measured {
    let own = |clip| stock.own(clip);
    measure(found.candidate, found.motion, found.catalogue.origins(), &stock.sources, &own)
}

/// What the clips of the stepping layer come to by themselves.
fn stepping_alone(stock: &Stock, found: &Found<'_>) -> Result<Rendered, Failure> {
    let mut alone = found.candidate.clone();
    alone.layers = vec![found.candidate.layers[found.catalogue.layers().stepping()].clone()];
    alone.layers[0].layer = "full".to_owned();
    let seconds = found.motion.clip.seconds();
    draw(stock, found.catalogue, &Layers::full(), &alone, seconds)
}

fn print_row(name: &str, what: &str, rows: &[Measured], beyond_m: Option<f64>) {
    let most = |of: &dyn Fn(&Measured) -> f64| rows.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    let over = |of: &dyn Fn(&Measured) -> f64, bound: f64| rows.iter().filter(|row| of(row) > bound).count();
    let added = |[now, own]: [f64; 2]| 100.0 * (now - own);
    let skate = |row: &Measured| added(row.feet.skate_m_s);
    let at_seams = |row: &Measured| added(row.feet.skate_at_seams_m_s);
    let glide = |row: &Measured| 100.0 * row.feet.worst_m;
    println!(
        "| {name} | {what} | {} | {:.2} | {} | {:.2} | {} | {:.1} | {} | {} | {:.2} | {:.2} | {} |",
        rows.len(),
        most(&skate),
        over(&skate, 1.0),
        most(&at_seams),
        over(&at_seams, 1.0),
        most(&glide),
        over(&glide, 5.0),
        beyond_m.map_or(String::new(), |way| format!("{:.1}", 100.0 * way)),
        most(&|row| row.seam),
        most(&|row| row.blend),
        over(&|row| row.seam.max(row.blend), ROUGH),
    );
}

/// Legs by themselves, hips by themselves, a leg each, thighs apart from feet; and head, arms, legs, whose feet stay with their hips.
fn partitions() -> Vec<(&'static str, Layers)> {
    use Role::{
        Hips, LeftFoot, LeftLowerLeg, LeftUpperArm, LeftUpperLeg, RightFoot, RightLowerLeg, RightUpperLeg,
    };
    let split = |parts: &[(&str, &[Role])], base: &str| {
        let layer = |(name, roles): &(&str, &[Role])| Layer {
            name: (*name).to_owned(),
            roles: roles.iter().map(|&role| Claim { role, part: RotationPart::Whole }).collect(),
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
