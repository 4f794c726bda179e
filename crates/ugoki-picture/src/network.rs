//! A network as a drawing: nodes that follow each other cheaply lie near each other.

use std::fmt::Write as _;

use ugoki_base::math::Random;

use super::svg::escaped;

/// One network to draw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetworkPanel {
    /// What it is called.
    pub title: String,
    /// For every node, those that may follow it and what the transition costs.
    pub successors: Vec<Vec<(u32, f32)>>,
    /// The cost from which on there is no transition.
    pub threshold: f32,
    /// Whether a node is in the largest component.
    pub main: Vec<bool>,
}

/// Nodes drawn at most; of more, every so many-th.
const MOST: usize = 300;
/// Edges drawn for each node, the cheapest.
const EDGES: usize = 4;
/// Nodes up to which each has its name.
const NAMED: usize = 60;
/// Rounds of the layout; it has settled after some hundred.
const ROUNDS: usize = 250;
/// Side of a panel and room above it, pixels.
const SIDE: f64 = 720.0;
const HEAD: f64 = 48.0;
/// Room at the border of a panel, pixels.
const EDGE: f64 = 60.0;

/// Networks next to each other over the same nodes, as SVG text.
#[must_use]
pub fn networks_svg(panels: &[NetworkPanel], names: &[&str]) -> String {
    let width = SIDE * panels.len().max(1) as f64;
    let height = SIDE + HEAD;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfa\"/>\n"
    );
    for (place, panel) in panels.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate({} 0)\">", SIDE * place as f64);
        draw(panel, names, &mut out);
        out.push_str("</g>\n");
    }
    out + "</svg>\n"
}

fn draw(panel: &NetworkPanel, names: &[&str], out: &mut String) {
    let all = panel.successors.len();
    let step = all.div_ceil(MOST);
    let shown: Vec<usize> = (0..all).step_by(step).collect();
    let mut number = vec![None; all];
    shown.iter().enumerate().for_each(|(i, &v)| number[v] = Some(i));
    let mut edges: Vec<(usize, usize, f64)> = Vec::new();
    for (i, &v) in shown.iter().enumerate() {
        let successors = panel.successors[v].iter();
        let mut row: Vec<(f32, usize)> =
            successors.filter_map(|&(to, cost)| Some((cost, number[to as usize]?))).collect();
        row.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let near = row.into_iter().filter(|&(_, to)| to != i).take(EDGES);
        edges.extend(near.map(|(cost, to)| (i, to, f64::from(cost / panel.threshold))));
    }
    let of = if step > 1 { format!(" ({} of {all} nodes drawn)", shown.len()) } else { String::new() };
    let _ = writeln!(
        out,
        "<text x=\"24\" y=\"32\" font-size=\"18\" fill=\"#23262b\">{}: {all} nodes, {} transitions{of}</text>",
        escaped(&panel.title),
        panel.successors.iter().map(Vec::len).sum::<usize>()
    );
    let places = layout(shown.len(), &edges);
    for &(a, b, cost) in &edges {
        let ([x1, y1], [x2, y2]) = (places[a], places[b]);
        let _ = writeln!(
            out,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#6b7280\" stroke-opacity=\"{:.2}\"/>",
            0.55 - 0.45 * cost.clamp(0.0, 1.0)
        );
    }
    for (i, &v) in shown.iter().enumerate() {
        let [x, y] = places[i];
        let colour = if panel.main[v] { "#0072b2" } else { "#d55e00" };
        let name = escaped(names.get(v).copied().unwrap_or_default());
        // Whole clips are larger than their movements.
        let radius = if name.contains('/') { 3 } else { 5 };
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"><title>{name}</title></circle>"
        );
        if shown.len() <= NAMED || radius == 5 && shown.len() <= 4 * NAMED {
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\" fill=\"#23262b\">{name}</text>",
                x + 7.0,
                y + 3.5
            );
        }
    }
}

/// Places after Fruchterman and Reingold: edges pull, all nodes push, and the largest step shrinks round by round.
fn layout(count: usize, edges: &[(usize, usize, f64)]) -> Vec<[f64; 2]> {
    let mut random = Random::new(0);
    let mut at: Vec<[f64; 2]> = (0..count).map(|_| [random.uniform(), random.uniform()]).collect();
    let ideal = 1.0 / (count.max(1) as f64).sqrt();
    for round in 0..ROUNDS {
        let mut force = vec![[0.0; 2]; count];
        for i in 0..count {
            for j in 0..i {
                let d = [at[i][0] - at[j][0], at[i][1] - at[j][1]];
                let push = ideal * ideal / (d[0] * d[0] + d[1] * d[1]).max(1e-9);
                for k in 0..2 {
                    force[i][k] += d[k] * push;
                    force[j][k] -= d[k] * push;
                }
            }
            // Parts that nothing joins do not fly away.
            (0..2).for_each(|k| force[i][k] += 0.6 * ideal.sqrt() * (0.5 - at[i][k]));
        }
        for &(a, b, cost) in edges {
            let d = [at[b][0] - at[a][0], at[b][1] - at[a][1]];
            let pull = d[0].hypot(d[1]) / ideal * (1.0 - 0.7 * cost.clamp(0.0, 1.0));
            for k in 0..2 {
                force[a][k] += d[k] * pull;
                force[b][k] -= d[k] * pull;
            }
        }
        let most = 0.1 * (1.0 - round as f64 / ROUNDS as f64);
        for (p, f) in at.iter_mut().zip(&force) {
            let length = f[0].hypot(f[1]).max(1e-12);
            (0..2).for_each(|k| p[k] += f[k] / length * length.min(most));
        }
    }
    let bounds = |k: usize| {
        let values = at.iter().map(move |p| p[k]);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
    };
    let (bx, by) = (bounds(0), bounds(1));
    let fit = |v: f64, (low, high): (f64, f64), from: f64| {
        from + EDGE + (v - low) / (high - low).max(1e-9) * (SIDE - 2.0 * EDGE)
    };
    at.iter().map(|p| [fit(p[0], bx, 0.0), fit(p[1], by, HEAD - 0.5 * EDGE)]).collect()
}
