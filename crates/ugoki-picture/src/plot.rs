//! Line plots as SVG: speed curves, costs, errors.

use std::fmt::Write as _;

use super::svg::{escaped, hex, short};

/// One curve of a plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// What the legend says; empty leaves it out.
    pub name: String,
    /// Places (x, y) in order; a place that is not finite interrupts the line.
    pub points: Vec<[f64; 2]>,
    /// Whether the line is dashed.
    pub dashed: bool,
}

/// A vertical line over the whole plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlotMark {
    /// Where it stands.
    pub x: f64,
    /// What is written at its top; may be empty.
    pub label: String,
}

/// A titled line plot with axes, ticks and a legend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// Above the plot.
    pub title: String,
    /// Below the horizontal axis, with its unit: `time (s)`.
    pub x_label: String,
    /// Label of the vertical axis, with its unit: `speed (m/s)`.
    pub y_label: String,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
    /// Vertical lines: cut points, contacts.
    pub marks: Vec<PlotMark>,
    /// Pixels; 0 chooses 800.
    pub width: u32,
    /// Pixels; 0 chooses 360.
    pub height: u32,
}

/// Colours that stay apart in every common colour blindness, dark enough for lines (Okabe & Ito, reordered).
const COLOURS: [[u8; 3]; 7] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [170, 68, 153], [86, 180, 233], [176, 136, 0], [70, 74, 80]];

/// The plot as SVG text. A plot without finite points shows its empty axes.
#[must_use]
pub fn plot_svg(plot: &Plot) -> String {
    let width = if plot.width == 0 { 800.0 } else { plot.width as f32 };
    let height = if plot.height == 0 { 360.0 } else { plot.height as f32 };
    let legend = plot.curves.iter().any(|curve| !curve.name.is_empty());
    let top = 16.0 + if plot.title.is_empty() { 0.0 } else { 24.0 } + if legend { 20.0 } else { 0.0 };
    let frame = Frame {
        left: 64.0,
        right: (width - 18.0).max(72.0),
        top,
        bottom: (height - 46.0).max(top + 8.0),
        x: range(plot, 0, false),
        y: range(plot, 1, true),
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfa\"/>\n",
        escaped(if plot.title.is_empty() { "plot" } else { &plot.title })
    );
    if !plot.title.is_empty() {
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"26\" font-size=\"16\" font-weight=\"bold\" fill=\"#262a30\">{}</text>",
            frame.left,
            escaped(&plot.title)
        );
    }
    frame.write_axes(plot, &mut out);
    frame.write_marks(plot, &mut out);
    for (i, curve) in plot.curves.iter().enumerate() {
        frame.write_curve(curve, COLOURS[i % COLOURS.len()], &mut out);
    }
    if legend {
        write_legend(plot, frame.left, frame.top - 10.0, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

/// Plots one above the other, all as wide as the first, as one SVG text.
#[must_use]
pub fn stacked_plots_svg(plots: &[Plot]) -> String {
    let width = plots.first().map_or(0, |plot| plot.width);
    let height: u32 = plots.iter().map(|plot| plot.height).sum();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
    );
    let mut y = 0;
    for plot in plots {
        // A nested drawing at its place in the whole.
        out.push_str(&plot_svg(plot).replacen("<svg ", &format!("<svg y=\"{y}\" "), 1));
        y += plot.height;
    }
    out + "</svg>\n"
}

/// The plotting rectangle in pixels and what it shows.
struct Frame {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    x: [f64; 2],
    y: [f64; 2],
}

impl Frame {
    fn at(&self, x: f64, y: f64) -> [f32; 2] {
        let fraction = |v: f64, [low, high]: [f64; 2]| ((v - low) / (high - low)) as f32;
        [
            self.left + (self.right - self.left) * fraction(x, self.x),
            self.bottom + (self.top - self.bottom) * fraction(y, self.y),
        ]
    }

    fn write_axes(&self, plot: &Plot, out: &mut String) {
        let Self { left, right, top, bottom, .. } = *self;
        // One label per 80 pixels across, per 44 pixels upwards.
        let (xs, ys) = (ticks(self.x, (right - left) / 80.0), ticks(self.y, (bottom - top) / 44.0));
        out.push_str("<g stroke=\"#78808a\" stroke-opacity=\".25\">\n");
        for tick in &ys.values {
            let y = short(self.at(self.x[0], *tick)[1], 1);
            let _ = writeln!(out, "<path d=\"M{left} {y}H{right}\"/>");
        }
        out.push_str("</g>\n<g fill=\"#707680\">\n");
        for tick in &ys.values {
            let y = short(self.at(self.x[0], *tick)[1] + 4.0, 1);
            let text = ys.text(*tick);
            let _ = writeln!(out, "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{text}</text>", left - 8.0);
        }
        for tick in &xs.values {
            let x = short(self.at(*tick, self.y[0])[0], 1);
            let text = xs.text(*tick);
            let _ = writeln!(out, "<path d=\"M{x} {bottom}v5\" stroke=\"#707680\"/>");
            let _ =
                writeln!(out, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{text}</text>", bottom + 19.0);
        }
        let (middle, centre) = (short((left + right) * 0.5, 1), short((top + bottom) * 0.5, 1));
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 38.0,
            escaped(&plot.x_label)
        );
        let _ = writeln!(
            out,
            "<text transform=\"translate(16 {centre}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escaped(&plot.y_label)
        );
        let _ = writeln!(
            out,
            "</g>\n<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#50565e\"/>"
        );
    }

    fn write_marks(&self, plot: &Plot, out: &mut String) {
        for mark in plot.marks.iter().filter(|mark| usable(mark.x)) {
            let x = self.at(mark.x, self.y[0])[0];
            let (line, label) = (short(x, 1), short(x + 4.0, 1));
            let _ = writeln!(
                out,
                "<path d=\"M{line} {}V{}\" stroke=\"#262a30\" stroke-opacity=\".55\" stroke-dasharray=\"4 3\"/>",
                self.top, self.bottom
            );
            if !mark.label.is_empty() {
                let _ = writeln!(
                    out,
                    "<text x=\"{label}\" y=\"{}\" font-size=\"11\" fill=\"#262a30\">{}</text>",
                    self.top + 10.0,
                    escaped(&mark.label)
                );
            }
        }
    }

    fn write_curve(&self, curve: &Curve, colour: [u8; 3], out: &mut String) {
        let mut data = String::new();
        let mut pen_down = false;
        for &[x, y] in &curve.points {
            if !(usable(x) && usable(y)) {
                pen_down = false;
                continue;
            }
            let [px, py] = self.at(x, y);
            let _ = write!(data, "{}{} {}", if pen_down { 'L' } else { 'M' }, short(px, 1), short(py, 1));
            pen_down = true;
        }
        if !data.is_empty() {
            let _ = writeln!(
                out,
                "<path d=\"{data}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\" \
                 stroke-linecap=\"round\"{}/>",
                hex(colour),
                if curve.dashed { " stroke-dasharray=\"6 4\"" } else { "" }
            );
        }
    }
}

fn write_legend(plot: &Plot, left: f32, y: f32, out: &mut String) {
    let mut x = left;
    for (i, curve) in plot.curves.iter().enumerate().filter(|(_, curve)| !curve.name.is_empty()) {
        let colour = hex(COLOURS[i % COLOURS.len()]);
        let dash = if curve.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let (line, at) = (short(y - 4.0, 1), short(x, 1));
        let _ = writeln!(out, "<path d=\"M{at} {line}h22\" stroke=\"{colour}\" stroke-width=\"2.4\"{dash}/>");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{y}\" fill=\"#262a30\">{}</text>",
            short(x + 28.0, 1),
            escaped(&curve.name)
        );
        // Letters of a 12-pixel sans font are about 6.5 pixels wide.
        x += 28.0 + 6.5 * curve.name.chars().count() as f32 + 20.0;
    }
}

/// Beyond this size the difference of two values may not be finite; such values are treated as gaps.
fn usable(v: f64) -> bool {
    v.abs() < 1e150
}

/// What an axis shows: all finite values; vertical axes get some air and keep zero when it is near.
fn range(plot: &Plot, axis: usize, air: bool) -> [f64; 2] {
    let points = plot.curves.iter().flat_map(|curve| &curve.points);
    let marks = plot.marks.iter().map(|mark| mark.x).filter(|_| axis == 0);
    let values = points.filter(|p| p.iter().all(|v| usable(*v))).map(|p| p[axis]).chain(marks);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for v in values.filter(|v| usable(*v)) {
        low = low.min(v);
        high = high.max(v);
    }
    if low > high {
        return [0.0, 1.0];
    }
    if air {
        if low > 0.0 && low < 0.5 * high {
            low = 0.0;
        }
        let margin = 0.06 * (high - low);
        high += margin;
        low -= if low == 0.0 { 0.0 } else { margin };
    }
    // A constant curve lies in the middle of a range of its own size.
    let least = low.abs().max(high.abs()) * 1e-9;
    if high - low <= least {
        [low - 0.5 * (1.0 + low.abs()), high + 0.5 * (1.0 + high.abs())]
    } else {
        [low, high]
    }
}

/// Round values within a range.
struct Ticks {
    values: Vec<f64>,
    step: f64,
}

impl Ticks {
    /// As many decimals as the step needs.
    fn text(&self, v: f64) -> String {
        if self.step >= 1e-6 && v.abs() < 1e7 {
            let digits = (-self.step.log10().floor()).max(0.0) as usize;
            let text = format!("{v:.digits$}");
            if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) {
                "0".to_owned()
            } else {
                text
            }
        } else {
            format!("{v:.2e}")
        }
    }
}

/// About `wanted` multiples of 1, 2 or 5 times a power of ten.
fn ticks([low, high]: [f64; 2], wanted: f32) -> Ticks {
    let rough = (high - low) / f64::from(wanted.clamp(2.0, 40.0));
    let power = 10_f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= rough).unwrap_or(10.0);
    let first = (low / step - 1e-9).ceil();
    let count = (high / step + 1e-9).floor() - first;
    let values = (0..=count.clamp(0.0, 100.0) as usize).map(|i| (first + i as f64) * step).collect();
    Ticks { values, step }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::well_formed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ticks_are_round_in_range_and_about_as_many_as_wanted(
            low in -1e6..1e6_f64, size in 1e-3..1e6_f64, wanted in 2.0..12.0_f32,
        ) {
            let ticks = ticks([low, low + size], wanted);
            prop_assert!(ticks.values.len() as f32 <= wanted + 1.0 && ticks.values.len() as f32 >= wanted / 2.6 - 1.0);
            for v in &ticks.values {
                prop_assert!(*v >= low - 1e-6 * size && *v <= low + size * (1.0 + 1e-6));
            }
            let mantissa = ticks.step / 10_f64.powf((ticks.step.log10() + 1e-9).floor());
            prop_assert!([1.0, 2.0, 5.0].iter().any(|m| (mantissa - m).abs() < 1e-6));
        }

        #[test]
        fn any_numbers_and_words_give_a_well_formed_plot(
            points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..20), title in "\\PC*", mark in any::<f64>(),
        ) {
            let curve = Curve {
                name: title.clone(),
                points: points.into_iter().map(|(x, y)| [x, y]).collect(),
                dashed: true,
            };
            let marks = vec![PlotMark { x: mark, label: title.clone() }];
            let plot = Plot { title, curves: vec![curve], marks, ..Plot::default() };
            let svg = plot_svg(&plot);
            prop_assert!(well_formed(&svg).is_ok(), "{:?}", well_formed(&svg));
            prop_assert!(!svg.contains("NaN") && !svg.contains("\"inf"));
        }
    }

    #[test]
    fn curves_reach_the_edges_and_break_at_gaps() {
        let points = vec![[0.0, 0.0], [1.0, 2.0], [f64::NAN, 0.0], [3.0, 1.0], [4.0, 2.0]];
        let plot = Plot { curves: vec![Curve { points, ..Curve::default() }], ..Plot::default() };
        let svg = plot_svg(&plot);
        let data = svg.split("<path d=\"").find(|p| p.contains("stroke-width=\"1.8\"")).unwrap();
        let data = data.split('"').next().unwrap();
        assert_eq!(data.matches('M').count(), 2, "{data}");
        assert!(data.starts_with("M64 "), "the first point is at the left edge: {data}");
        assert!(data.contains("L782 "), "the last point is at the right edge: {data}");
    }

    #[test]
    fn constant_and_empty_curves_have_a_range() {
        for points in [vec![], vec![[1.0, 5.0]], vec![[0.0, -3.0], [1.0, -3.0]]] {
            let plot = Plot { curves: vec![Curve { points, ..Curve::default() }], ..Plot::default() };
            for axis in 0..2 {
                let [low, high] = range(&plot, axis, axis == 1);
                assert!(high > low);
            }
        }
    }
}
