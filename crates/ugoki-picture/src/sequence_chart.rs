//! A chart of performances, as in figure 9 of the paper \[tanaka2003\]: one row for each layer of each performance, one box for each
//! clip, as long as it lasts; key motions are white.

use std::fmt::Write as _;

use crate::ClipLane;
use crate::svg::escaped;

/// Width of the time axis and of the column with names, pixels.
const WIDTH: f64 = 1200.0;
const NAMES: f64 = 150.0;
/// Height of a row, and the room between performances.
const ROW: f64 = 20.0;
const ROOM: f64 = 8.0;
/// Pixels of a letter of a clip's name.
const LETTER: f64 = 5.2;
/// Fills of clips; each clip keeps its fill in all rows.
const FILLS: [&str; 8] =
    ["#b9c7d6", "#d6c4b9", "#c3d6b9", "#d6b9cf", "#b9d6d2", "#d6d3b9", "#c6b9d6", "#c9ccd0"];

/// Draws performances of `seconds`, each with its title and its layers.
#[must_use]
pub fn sequences_svg(performances: &[(String, Vec<ClipLane<'_>>)], seconds: f64) -> String {
    let rows: usize = performances.iter().map(|(_, lanes)| lanes.len()).sum();
    let height = rows as f64 * ROW + performances.len() as f64 * ROOM + 2.0 * ROOM;
    let all = NAMES + WIDTH + 2.0 * ROOM;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"{height}\" viewBox=\"0 0 {all} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfa\"/>\n"
    );
    let scale = WIDTH / seconds.max(1e-3);
    let mut y = ROOM;
    for (title, lanes) in performances {
        for lane in lanes {
            // Writing to a text cannot fail.
            let _ = writeln!(
                out,
                "<text x=\"{ROOM}\" y=\"{:.1}\" fill=\"#23262b\">{} {}</text>",
                y + 0.7 * ROW,
                escaped(title),
                escaped(lane.name)
            );
            for clip in &lane.clips {
                let (x, width) = (NAMES + clip.start_s * scale, (clip.end_s - clip.start_s).max(0.0) * scale);
                let fill = if clip.key { "#ffffff" } else { fill(clip.name) };
                let weight = if clip.key { 1.5 } else { 0.5 };
                let letters = ((width - 4.0) / LETTER).max(0.0) as usize;
                let name: String = clip.name.chars().take(letters).collect();
                let _ = writeln!(
                    out,
                    "<g><title>{full} {start:.2} s to {end:.2} s</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{row:.1}\" fill=\"{fill}\" stroke=\"#23262b\" stroke-width=\"{weight}\"/><text x=\"{text:.1}\" y=\"{base:.1}\" fill=\"#23262b\">{name}</text></g>",
                    full = escaped(clip.name),
                    start = clip.start_s,
                    end = clip.end_s,
                    row = ROW - 2.0,
                    text = x + 2.0,
                    base = y + 0.65 * ROW,
                    name = escaped(&name)
                );
            }
            y += ROW;
        }
        y += ROOM;
    }
    out + "</svg>\n"
}

/// The fill of a clip; movements of one clip have the same.
fn fill(name: &str) -> &'static str {
    let clip = name.split('/').next().unwrap_or(name);
    let sum = clip.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    FILLS[sum % FILLS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LaneClip;

    #[test]
    fn rows_are_layers_and_key_motions_are_white() {
        let clip = |name, start_s, end_s, key| LaneClip {
            name,
            start_s,
            end_s,
            speed: 1.0,
            held_s: 0.0,
            cost: 0.0,
            key,
        };
        let lane = |name| ClipLane {
            name,
            clips: vec![clip("bow", 0.0, 2.0, true), clip("a<b/1", 2.0, 3.0, false)],
        };
        let svg = sequences_svg(&[("1".to_owned(), vec![lane("upper"), lane("lower")])], 3.0);
        assert_eq!(svg.matches("fill=\"#ffffff\"").count(), 2);
        assert_eq!(svg.matches("<rect x=").count(), 4);
        assert!(svg.contains("a&lt;b/1 2.00 s to 3.00 s") && !svg.contains("a<b"));
        // Twice as long is twice as wide.
        assert!(svg.contains("width=\"800.0\"") && svg.contains("width=\"400.0\""));
    }
}
