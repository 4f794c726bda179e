//! Where a rough seam comes from: the joint, the clips, and how rough the same moment is with less done to it.

use ugoki::clip::Clip;
use ugoki::compose::{Candidate, RenderConfig, Rendered, accelerations, render};
use ugoki::edit::FeetAt;
use ugoki::network::{Catalogue, Layers};

use super::measure::fastest;
use super::{Failure, Stock, go};

/// Frames on either side of a seam that belong to it.
const BESIDE: usize = 2;

/// Prints a row for every seam at which some joint accelerates more than `bound` times `ordinary`, m/s².
pub(crate) fn probe(
    stock: &Stock,
    catalogue: &Catalogue,
    candidate: &Candidate,
    motion: &Rendered,
    ordinary: f64,
    bound: f64,
    label: &str,
) -> Result<(), Failure> {
    let now = accelerations(&motion.clip);
    let peak = |values: &[f64], frame: usize| {
        let to = (frame + BESIDE + 1).min(values.len() - 1);
        (frame.saturating_sub(BESIDE).max(1)..to)
            .max_by(|&i, &j| values[i].total_cmp(&values[j]))
            .unwrap_or(1)
    };
    let rough: Vec<_> = motion.seams.iter().filter(|s| now[peak(&now, s.frame)] > bound * ordinary).collect();
    if rough.is_empty() {
        return Ok(());
    }
    let seconds = motion.clip.num_frames() as f64 / motion.clip.fps();
    let alone = |layer: usize, feet: FeetAt| -> Result<Clip, Failure> {
        let mut alone = candidate.clone();
        alone.layers = vec![candidate.layers[layer].clone()];
        alone.layers[0].layer = "full".to_owned();
        let settings = RenderConfig { feet, ..RenderConfig::default() };
        Ok(render(&alone, &Layers::full(), catalogue.origins(), &stock.clips, seconds, &settings, &mut go)?
            .clip)
    };
    let mut parts: Vec<(String, Vec<f64>)> = Vec::new();
    for (layer, sequence) in candidate.layers.iter().enumerate() {
        for (word, feet) in [("feet held", FeetAt::All), ("feet at seams", FeetAt::Seams)] {
            parts.push((format!("{} alone, {word}", sequence.layer), accelerations(&alone(layer, feet)?)));
        }
    }
    for seam in rough {
        let frame = peak(&now, seam.frame);
        let (most, joint) = fastest(&motion.clip, frame);
        let node = |n: usize| &catalogue.nodes()[n].name;
        println!(
            "{label} {} {:.2} s ({:+}) {} → {}: {joint} {most:.0} m/s² = {:.2}; clips' own there {:.2}",
            seam.layer,
            seam.at_s,
            frame as isize - seam.frame as isize,
            node(seam.from),
            node(seam.to),
            most / ordinary,
            motion.own_m_s2[peak(&motion.own_m_s2, seam.frame)] / ordinary,
        );
        for (name, values) in &parts {
            print!("    {name} {:.2};", values[peak(values, seam.frame)] / ordinary);
        }
        let about: Vec<String> = (frame.saturating_sub(6)..(frame + 7).min(now.len()))
            .map(|f| format!("{:.1}", now[f] / ordinary))
            .collect();
        println!("\n    around {}", about.join(" "));
    }
    Ok(())
}
