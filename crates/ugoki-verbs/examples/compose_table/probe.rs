//! Where a rough seam comes from: the joint, the clips, and how rough the same moment is with less done to it.

use ugoki::clip::Clip;
use ugoki::compose::{
    Candidate, ROUGH, RenderConfig, Rendered, Timeline, accelerations, look_at_seams, render,
};
use ugoki::edit::FeetAt;
use ugoki::network::{Catalogue, Layers};

use super::measure::{fastest, measure};
use super::{Failure, Found, Stock, each_found, go};

/// Frames on either side of a seam that belong to it.
const BESIDE: usize = 2;

/// The rough seams of every candidate on two layers.
pub(crate) fn seams(stock: &Stock, timeline: &Timeline) -> Result<(), Failure> {
    each_found(stock, Layers::upper_lower(), timeline, &mut |found| {
        let Found { catalogue, candidate, motion, label } = found;
        let row = measure(candidate, motion, catalogue.origins(), &stock.sources, &|clip| stock.own(clip));
        let [skate, own] = row.feet.skate_m_s.map(|m_s| 100.0 * m_s);
        println!("{label}: {:.2}, in a blend {:.2}; skate {skate:.2} of {own:.2} cm/s", row.seam, row.blend);
        probe(stock, catalogue, candidate, motion, row.ordinary, label)
    })
}

/// Prints a row for every seam at which some joint accelerates more than [`ROUGH`] times `ordinary`, m/s².
fn probe(
    stock: &Stock,
    catalogue: &Catalogue,
    candidate: &Candidate,
    motion: &Rendered,
    ordinary: f64,
    label: &str,
) -> Result<(), Failure> {
    let now = accelerations(&motion.clip);
    let peak = |values: &[f64], frame: usize| {
        let to = (frame + BESIDE + 1).min(values.len() - 1);
        (frame.saturating_sub(BESIDE).max(1)..to)
            .max_by(|&i, &j| values[i].total_cmp(&values[j]))
            .unwrap_or(1)
    };
    let spread = (0.5 * RenderConfig::default().blend_s * motion.clip.fps()).round() as usize;
    let looks = look_at_seams(motion, ordinary, spread);
    let rough: Vec<_> = motion.seams.iter().zip(looks).filter(|(_, look)| look.worst() > ROUGH).collect();
    if rough.is_empty() {
        return Ok(());
    }
    let seconds = motion.clip.num_frames() as f64 / motion.clip.fps();
    let alone = |layer: usize, feet: FeetAt| -> Result<Clip, Failure> {
        let mut alone = candidate.clone();
        alone.layers = vec![candidate.layers[layer].clone()];
        alone.layers[0].layer = "full".to_owned();
        let settings = RenderConfig { feet, ..RenderConfig::default() };
        Ok(render(&alone, &Layers::full(), catalogue.origins(), &stock.sources, seconds, &settings, &mut go)?
            .clip)
    };
    let mut parts: Vec<(String, Vec<f64>)> = Vec::new();
    for (layer, sequence) in candidate.layers.iter().enumerate() {
        for (word, feet) in [("feet held", FeetAt::All), ("feet at seams", FeetAt::Seam)] {
            parts.push((format!("{} alone, {word}", sequence.layer), accelerations(&alone(layer, feet)?)));
        }
    }
    for (seam, look) in rough {
        let frame = if look.blend > ROUGH { look.at.0 } else { peak(&now, seam.frame) };
        let (most, joint) = fastest(&motion.clip, frame);
        let node = |n: usize| &catalogue.nodes()[n].name;
        println!(
            "{label} {} {:.2} s ({:+}) {} → {}: {joint} {most:.0} m/s² = {:.2}; beside {:.2}, in the blend {:.2}",
            seam.layer,
            seam.at_s,
            frame as isize - seam.frame as isize,
            node(seam.from),
            node(seam.to),
            most / ordinary,
            look.at_seam,
            look.blend,
        );
        for (name, values) in &parts {
            print!("    {name} {:.2};", values[peak(values, frame)] / ordinary);
        }
        let about: Vec<String> = (frame.saturating_sub(6)..(frame + 7).min(now.len()))
            .map(|f| format!("{:.1}", now[f] / ordinary))
            .collect();
        println!("\n    around {}", about.join(" "));
    }
    Ok(())
}
