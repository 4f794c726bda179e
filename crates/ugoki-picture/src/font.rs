//! A small stroke font for labels: printable ASCII and a few signs, drawn in code.
//!
//! A glyph is a width and strokes on a grid. A point is a digit (x) and a letter (height): `d` is the
//! baseline, `j` the height of small letters, `m` that of capitals, `a` the lowest descender. A stroke is a
//! run of points: straight, smooth (`~`) or smooth and closed (`@`); a single point is a dot. Characters
//! without a glyph are drawn as a box.

use glam::Vec2;

/// Heights of capitals on the grid.
const CAPITAL: f32 = 9.0;

/// Space after each glyph, grid units.
const GAP: f32 = 2.3;

/// Side of the square that the pen draws for a dot, grid units; the pen is 1.1 units wide.
const DOT: f32 = 0.8;

/// Thinnest pen, pixels: a thinner one only greys the paper.
const THINNEST: f32 = 1.0;

/// Height of capitals below which labels are hard to read, pixels.
pub(super) const READABLE: f32 = 7.8;

/// Width and strokes of the glyphs from space to tilde.
const GLYPHS: [(f32, &str); 95] = [
    (2.0, ""),
    (0.0, "0m0g 0d"),
    (3.0, "0m0j 3m3j"),
    (6.0, "1d2m 4d5m 0j6j 0g6g"),
    (6.0, "~6k5l3m1l0j1i5h6f5e3d1e0f 3n3c"),
    (7.0, "7m0d @2m0k2i4k @5h3f5d7f"),
    (7.0, "~7d5f2j1k2m3m4l4k3j1h0f2d4d6f7h"),
    (0.0, "0m0j"),
    (2.0, "~2n0k0e2b"),
    (2.0, "~0n2k2e0b"),
    (4.0, "2l2f 0k4g 4k0g"),
    (6.0, "3j3d 0g6g"),
    (1.0, "1e0b"),
    (4.0, "0g4g"),
    (0.0, "0d"),
    (5.0, "0c5n"),
    (6.0, "@3m1l0i0g1e3d5e6g6i5l"),
    (3.0, "0k2m2d"),
    (6.0, "~0k1l3m5l6j5h0d 0d6d"),
    (6.0, "~0l3m5l5j3i2i ~2i4i6g6f5e3d0e"),
    (6.0, "4d4m0f6f"),
    (6.0, "5m1m0i ~0i1j3j5i6g5e3d1d0e"),
    (6.0, "~5l3m1l0i0g1e3d5e6g5i3j1i0g"),
    (6.0, "0m6m2d"),
    (6.0, "@3m1l1j3i5j5l @3i1h0f1e3d5e6f5h"),
    (6.0, "~1e3d5e6h6j5l3m1l0j1h3g5h6j"),
    (0.0, "0i 0d"),
    (1.0, "1i 1e0b"),
    (5.0, "5j0g5d"),
    (5.0, "0i5i 0f5f"),
    (5.0, "0j5g0d"),
    (5.0, "~0k1l2m3m5l5j3h2f 2d"),
    (9.0, "@5j3i3g5f6h ~6j6g7f9h8l5m1k0h1e5c8d"),
    (6.0, "0d3m6d 1g5g"),
    (6.0, "3i0i0d3d 0i0m3m ~3m5l5j3i ~3i6h6e3d"),
    (6.0, "~6k5l3m1l0i0g1e3d5e6f"),
    (6.0, "3d0d0m3m ~3m5l6i6g5e3d"),
    (5.0, "5m0m0d5d 0i4i"),
    (5.0, "5m0m0d 0i4i"),
    (6.0, "~6k5l3m1l0i0g1e3d5e6g 6g6h3h"),
    (6.0, "0d0m 6d6m 0i6i"),
    (0.0, "0d0m"),
    (4.0, "4m4g ~4g4f2d0f"),
    (6.0, "0d0m 6m0g 2i6d"),
    (5.0, "0m0d5d"),
    (8.0, "0d0m4f8m8d"),
    (6.0, "0d0m6d6m"),
    (7.0, "@3m1l0i0g1e3d4d6e7g7i6l4m"),
    (6.0, "0d0m3m ~3m5l6k5i3h 3h0h"),
    (7.0, "@3m1l0i0g1e3d4d6e7g7i6l4m 4f7c"),
    (6.0, "0d0m3m ~3m5l6k5i3h 3h0h 3h6d"),
    (6.0, "~6k5l3m1l0j1i5h6f5e3d1e0f"),
    (6.0, "0m6m 3m3d"),
    (6.0, "0m0g ~0g1e3d5e6g 6g6m"),
    (6.0, "0m3d6m"),
    (8.0, "0m2d4k6d8m"),
    (6.0, "0m6d 6m0d"),
    (6.0, "0m3h6m 3h3d"),
    (6.0, "0m6m0d6d"),
    (2.0, "2n0n0b2b"),
    (5.0, "0n5c"),
    (2.0, "0n2n2b0b"),
    (4.0, "0k2m4k"),
    (6.0, "0c6c"),
    (2.0, "0m2k"),
    (5.0, "@2j0h0f2d3d5f5h3j 5j5d"),
    (5.0, "@2j0h0f2d3d5f5h3j 0m0d"),
    (5.0, "~5i3j2j0h0f2d3d5e"),
    (5.0, "@2j0h0f2d3d5f5h3j 5m5d"),
    (5.0, "0g5g ~5g5h3j2j0h0f2d3d5e"),
    (3.0, "~4m2m1k1j 1j1d 0j3j"),
    (5.0, "@2j0h0f2d3d5f5h3j 5j5d ~5d5c3a2a0b"),
    (5.0, "0m0d ~0g2j4j5h 5h5d"),
    (0.0, "0j0d 0l"),
    (2.0, "2j2c ~2c1a0a 2l"),
    (4.0, "0m0d 4j0f 1g4d"),
    (0.0, "0m0d"),
    (8.0, "0j0d ~0g2j3j4h 4h4d ~4g6j7j8h 8h8d"),
    (5.0, "0j0d ~0g2j4j5h 5h5d"),
    (5.0, "@2j0h0f2d3d5f5h3j"),
    (5.0, "@2j0h0f2d3d5f5h3j 0j0a"),
    (5.0, "@2j0h0f2d3d5f5h3j 5j5a"),
    (3.0, "0j0d ~0g1i3j"),
    (4.0, "~4i2j0i1g3g4e2d0e"),
    (3.0, "1m1f ~1f2d3d 0j3j"),
    (5.0, "5j5d 0j0f ~0f1d3d5g"),
    (4.0, "0j2d4j"),
    (6.0, "0j1d3j5d6j"),
    (4.0, "0j4d 4j0d"),
    (4.0, "0j2d 4j1a"),
    (4.0, "0j4j0d4d"),
    (3.0, "~3n1m1j0h ~0h1f1c3b"),
    (0.0, "0n0b"),
    (3.0, "~0n2m2j3h ~3h2f2c0b"),
    (6.0, "~0g2h4g6h"),
];

fn glyph(c: char) -> (f32, &'static str) {
    match c {
        ' '..='~' => GLYPHS[c as usize - 32],
        '·' => (0.0, "0g"),
        '×' => (4.0, "0i4e 4i0e"),
        '–' | '—' | '−' => (6.0, "0g6g"),
        '°' => (2.0, "@1m0l1k2l"),
        '…' => (6.0, "0d 3d 6d"),
        _ => (5.0, "0d0m5m5d0d"),
    }
}

/// Width of a line of text whose capitals are `size` pixels high.
pub(super) fn width(text: &str, size: f32) -> f32 {
    let units: f32 = text.chars().map(|c| glyph(c).0 + GAP).sum();
    (units - GAP).max(0.0) * size / CAPITAL
}

/// Width of the pen, pixels.
pub(super) fn pen(size: f32, bold: bool) -> f32 {
    (size * if bold { 0.168 } else { 0.125 }).max(THINNEST)
}

/// `text`, or as much of it as fits into `room` pixels, ended by dots.
pub(super) fn fitted(text: &str, size: f32, room: f32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut short: Vec<char> = text.chars().collect();
    while short.pop().is_some() {
        let candidate: String = short.iter().chain(std::iter::once(&'…')).collect();
        if width(&candidate, size) <= room {
            return candidate;
        }
    }
    String::new()
}

/// The lines that write `text` with its baseline at `at`, pixels.
pub(super) fn strokes(text: &str, at: Vec2, size: f32) -> Vec<Vec<Vec2>> {
    let scale = size / CAPITAL;
    let mut lines = Vec::new();
    let mut x = at.x;
    for c in text.chars() {
        let (advance, code) = glyph(c);
        for stroke in code.split(' ').filter(|s| !s.is_empty()) {
            let line = points(stroke);
            lines.push(line.into_iter().map(|p| Vec2::new(x + p.x * scale, at.y - p.y * scale)).collect());
        }
        x += (advance + GAP) * scale;
    }
    lines
}

/// The points of one stroke on the grid, y upwards.
fn points(stroke: &str) -> Vec<Vec2> {
    let body = stroke.trim_start_matches(['~', '@']).as_bytes();
    let knots: Vec<Vec2> = body
        .chunks_exact(2)
        .map(|pair| Vec2::new(f32::from(pair[0]) - f32::from(b'0'), f32::from(pair[1]) - f32::from(b'd')))
        .collect();
    match stroke.as_bytes()[0] {
        b'~' => smooth(&knots, false),
        b'@' => smooth(&knots, true),
        // A dot is a small square under the pen: with the pen's round ends it is nearly twice as wide as a line,
        // so that decimal points stay visible in small text.
        _ if knots.len() == 1 => {
            let corner = |x: f32, y: f32| knots[0] + Vec2::new(x, y) * DOT;
            vec![corner(-0.5, 0.0), corner(0.5, 0.0), corner(0.5, 1.0), corner(-0.5, 1.0), corner(-0.5, 0.0)]
        }
        _ => knots,
    }
}

/// Catmull-Rom curve through the knots.
fn smooth(knots: &[Vec2], closed: bool) -> Vec<Vec2> {
    /// Pieces between two knots.
    const PIECES: usize = 6;
    let n = knots.len() as isize;
    let knot = |i: isize| {
        let i = if closed { i.rem_euclid(n) } else { i.clamp(0, n - 1) };
        knots[i as usize]
    };
    let spans = if closed { n } else { n - 1 };
    let mut line = vec![knots[0]];
    for i in 0..spans {
        let (a, b, c, d) = (knot(i - 1), knot(i), knot(i + 1), knot(i + 2));
        for piece in 1..=PIECES {
            let t = piece as f32 / PIECES as f32;
            let (m, n) = ((c - a) * 0.5, (d - b) * 0.5);
            let (t2, t3) = (t * t, t * t * t);
            line.push(
                b * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + m * (t3 - 2.0 * t2 + t)
                    + c * (3.0 * t2 - 2.0 * t3)
                    + n * (t3 - t2),
            );
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_stays_in_its_box_and_no_two_are_alike() {
        for c in ' '..='~' {
            let (advance, code) = glyph(c);
            assert!(c == ' ' || !code.is_empty(), "{c:?}");
            for line in strokes(&c.to_string(), Vec2::ZERO, CAPITAL) {
                for p in line {
                    // A smooth stroke may swing half a grid unit past its knots; f reaches one over its width.
                    assert!(p.x > -0.6 && p.x < advance + 1.1, "{c:?} {p}");
                    assert!(p.y < 3.6 && p.y > -10.6, "{c:?} {p}");
                }
            }
            for other in ' '..c {
                let same = glyph(other).1 == code && !matches!((other, c), ('I', 'l'));
                assert!(!same, "{other:?} {c:?}");
            }
        }
    }

    #[test]
    fn dots_are_wider_than_lines() {
        let [dot] = &strokes(".", Vec2::ZERO, CAPITAL)[..] else { panic!("one stroke") };
        let wide = dot.iter().map(|p| p.x).fold(f32::MIN, f32::max)
            - dot.iter().map(|p| p.x).fold(f32::MAX, f32::min);
        assert!(wide + pen(CAPITAL, false) > 1.6 * pen(CAPITAL, false), "{wide}");
    }

    #[test]
    fn text_that_does_not_fit_ends_in_dots() {
        let text = "a rather long name of a clip";
        let short = fitted(text, 10.0, 90.0);
        assert!(short.ends_with('…') && width(&short, 10.0) <= 90.0, "{short}");
        assert_eq!(fitted(text, 10.0, 1e6), text);
        assert_eq!(fitted(text, 10.0, 0.0), "");
        assert!(width("動き", 10.0) > 0.0, "characters without a glyph have a box");
    }
}
