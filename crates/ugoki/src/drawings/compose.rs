//! Networks, and performances as a page shows them.

use std::fmt::Write as _;

use ugoki_compose::compose::{Performance, Rendered};
use ugoki_compose::network::{Catalogue, NetworkSummary};
use ugoki_picture::{ClipLane, LaneClip, NetworkPanel, ShownPerformance, networks_svg};

/// The networks of these layers next to each other, as SVG.
#[must_use]
pub fn catalogue_svg(catalogue: &Catalogue, layers: &[usize], summary: &NetworkSummary) -> String {
    let panel = |&layer: &usize| {
        let network = &catalogue.networks()[layer];
        let title = catalogue.layers().layers()[layer].name.clone();
        let successors = |node| network.edges(node).map(|edge| (edge.to, edge.cost)).collect();
        NetworkPanel {
            successors: (0..network.num_nodes()).map(successors).collect(),
            threshold: network.threshold(),
            main: summary.layers[&title].in_largest.clone(),
            title,
        }
    };
    let names: Vec<&str> = catalogue.nodes().iter().map(|node| node.name.as_str()).collect();
    networks_svg(&layers.iter().map(panel).collect::<Vec<_>>(), &names)
}

/// A performance as a page shows it: its motion, its numbers in one line, and which clip plays when.
#[must_use]
pub fn shown_performance<'a>(
    file: &'a str,
    made: &'a Performance,
    motion: &'a Rendered,
) -> ShownPerformance<'a> {
    let lanes = made.clips.iter().map(|(name, clips)| {
        let clips = clips.iter().map(|clip| LaneClip {
            name: &clip.name,
            start_s: clip.start_s,
            end_s: clip.end_s,
            speed: clip.speed,
            held_s: clip.held_s,
            cost: clip.cost,
            key: clip.key,
        });
        ClipLane { name, clips: clips.collect() }
    });
    ShownPerformance { clip: &motion.clip, file, marks: marks(made), lanes: lanes.collect() }
}

fn marks(made: &Performance) -> String {
    let Performance { f, f1, f2, f3, tempo_change, .. } = made;
    let mut text = format!(
        "F {f:.3} · time {f1:.4} s² · transitions {f2:.4} · torso {f3:.4} rad² · speeds within {:.1} %",
        100.0 * tempo_change
    );
    for (name, value) in &made.extras {
        let _ = write!(text, " · {name} {value:.3}");
    }
    text
}
