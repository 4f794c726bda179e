//! Networks, and performances as a page shows them.

use std::fmt::Write as _;

use ugoki_compose::compose::{Performance, PerformanceClip, Rendered};
use ugoki_compose::network::{Catalogue, NetworkSummary};
use ugoki_picture::{ClipLane, LaneClip, NetworkPanel, ShownPerformance, networks_svg, sequences_svg};

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
    ShownPerformance { clip: &motion.clip, file, marks: marks(made), lanes: lanes(made) }
}

/// A chart of performances: a row for each of their layers, key motions white.
#[must_use]
pub fn performances_svg(performances: &[&Performance]) -> String {
    let rows: Vec<(String, Vec<ClipLane<'_>>)> = (performances.iter().enumerate())
        .map(|(index, made)| ((index + 1).to_string(), lanes(made)))
        .collect();
    sequences_svg(&rows, performances.iter().map(|made| made.seconds).fold(0.0, f64::max))
}

/// The same as a table in CSV.
#[must_use]
pub fn performances_csv(performances: &[&Performance]) -> String {
    let mut text = "candidate,layer,clip,start_s,end_s,cost,key\n".to_owned();
    for (index, made) in performances.iter().enumerate() {
        for (layer, clips) in &made.clips {
            for clip in clips {
                let PerformanceClip { name, start_s, end_s, cost, key, .. } = clip;
                let [layer, name] = [layer, name].map(|text| csv_field(text));
                // Writing to a text cannot fail.
                let _ = writeln!(text, "{},{layer},{name},{start_s},{end_s},{cost},{key}", index + 1);
            }
        }
    }
    text
}

/// The clips of each layer.
fn lanes(made: &Performance) -> Vec<ClipLane<'_>> {
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
    lanes.collect()
}

fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
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
