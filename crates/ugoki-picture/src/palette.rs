//! The colours of an animation by median cut, and the nearest of them for every pixel.

use std::collections::BTreeMap;

/// Colours of an animation; the last index means "as before".
pub(super) struct Palette {
    colours: Vec<[u8; 3]>,
    /// Nearest colour of each 6-bit-per-channel colour, found when first asked for.
    nearest: Vec<u16>,
}

const UNKNOWN: u16 = u16::MAX;

/// Colours used: 255 make files a quarter larger (2.7 against 2.1 MB for a walk) and look the same.
const COLOURS: usize = 128;

/// A pixel keeps the index it has when that colour is this near, squared sRGB levels: 3 in each channel are
/// not seen on moving pictures.
const SAME_AS_BEFORE: i32 = 3 * 3 * 3;

/// A pixel takes its left neighbour's index when that colour is this near; more shows as streaks.
const SAME_AS_LEFT: i32 = 3 * 2 * 2;

impl Palette {
    /// The index that leaves a pixel as it was.
    pub(super) const TRANSPARENT: u8 = 255;

    /// Cuts the colours of these RGBA pictures into boxes of like colours; the same pictures give the same palette.
    pub(super) fn build<'a>(pictures: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut counts: BTreeMap<[u8; 3], u64> = BTreeMap::new();
        for picture in pictures {
            for p in picture.chunks_exact(4) {
                *counts.entry([p[0] & !1, p[1] & !1, p[2] & !1]).or_insert(0) += 1;
            }
        }
        // The square root keeps rare colours (footprints, labels) from drowning in the paper.
        let all: Vec<Counted> = counts.into_iter().map(|(c, n)| (c, (n as f64).sqrt())).collect();
        let measured = |colours: Vec<Counted>| (spread(&colours).1, colours);
        let mut boxes = vec![measured(all)];
        while boxes.len() < COLOURS {
            let widest = boxes.iter().enumerate().max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
            let Some((i, _)) = widest.filter(|(_, b)| b.0 > 0.0) else { break };
            let (low, high) = cut(boxes.swap_remove(i).1);
            boxes.push(measured(low));
            boxes.push(measured(high));
        }
        let mut colours: Vec<[u8; 3]> =
            boxes.iter().filter(|b| !b.1.is_empty()).map(|b| mean(&b.1)).collect();
        colours.sort_unstable();
        if colours.is_empty() {
            colours.push([0; 3]);
        }
        Self { colours, nearest: vec![UNKNOWN; 1 << 18] }
    }

    /// All 256 colours as bytes, unused ones black.
    pub(super) fn rgb(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.colours.iter().flatten().copied().collect();
        bytes.resize(256 * 3, 0);
        bytes
    }

    /// An index for each RGBA pixel: the one `shown` there or the left neighbour's where that is alike, so that
    /// runs are long, else the nearest. `shown` is empty for the first picture.
    pub(super) fn indices(&mut self, rgba: &[u8], shown: &[u8]) -> Vec<u8> {
        let mut indices: Vec<u8> = Vec::with_capacity(rgba.len() / 4);
        for (i, p) in rgba.chunks_exact(4).enumerate() {
            let before = shown.get(i).filter(|index| self.alike(**index, p, SAME_AS_BEFORE));
            let left = indices.last().filter(|index| self.alike(**index, p, SAME_AS_LEFT));
            let index = before.or(left).copied();
            let index = index.unwrap_or_else(|| self.nearest(p));
            indices.push(index);
        }
        indices
    }

    fn alike(&self, index: u8, p: &[u8], bound: i32) -> bool {
        let c = self.colours[usize::from(index)];
        (0..3).map(|i| (i32::from(c[i]) - i32::from(p[i])).pow(2)).sum::<i32>() <= bound
    }

    fn nearest(&mut self, p: &[u8]) -> u8 {
        let key = usize::from(p[0] >> 2) << 12 | usize::from(p[1] >> 2) << 6 | usize::from(p[2] >> 2);
        if self.nearest[key] == UNKNOWN {
            self.nearest[key] = self.find([p[0], p[1], p[2]]);
        }
        self.nearest[key] as u8
    }

    fn find(&self, c: [u8; 3]) -> u16 {
        // The middle of the 6-bit cell, so that the answer does not depend on which pixel asked first.
        let middle = c.map(|v| i32::from(v & !3) + 2);
        let distance = |d: &[u8; 3]| (0..3).map(|i| (middle[i] - i32::from(d[i])).pow(2)).sum::<i32>();
        let best = self.colours.iter().enumerate().min_by_key(|(_, d)| distance(d));
        best.map_or(0, |(i, _)| i as u16)
    }
}

type Counted = ([u8; 3], f64);

/// The channel in which colours differ most, and how much: range times the root of the weight.
fn spread(colours: &[Counted]) -> (usize, f64) {
    let mut widest = (0, 0.0);
    let weight: f64 = colours.iter().map(|(_, n)| n).sum();
    for channel in 0..3 {
        let low = colours.iter().map(|(c, _)| c[channel]).min().unwrap_or(0);
        let high = colours.iter().map(|(c, _)| c[channel]).max().unwrap_or(0);
        let value = f64::from(high - low) * weight.sqrt();
        if value > widest.1 {
            widest = (channel, value);
        }
    }
    widest
}

fn cut(mut colours: Vec<Counted>) -> (Vec<Counted>, Vec<Counted>) {
    let (channel, _) = spread(&colours);
    colours.sort_by_key(|(c, _)| (c[channel], *c));
    let half: f64 = colours.iter().map(|(_, n)| n).sum::<f64>() * 0.5;
    let mut sum = 0.0;
    let place = colours.iter().position(|(_, n)| {
        sum += n;
        sum >= half
    });
    let at = place.map_or(1, |p| p + 1).clamp(1, colours.len() - 1);
    let high = colours.split_off(at);
    (colours, high)
}

fn mean(colours: &[Counted]) -> [u8; 3] {
    let weight: f64 = colours.iter().map(|(_, n)| n).sum();
    std::array::from_fn(|i| {
        (colours.iter().map(|(c, n)| f64::from(c[i]) * n).sum::<f64>() / weight).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_and_many_come_close() {
        let few = [10, 20, 30, 255, 200, 100, 50, 255, 250, 250, 250, 255];
        let mut palette = Palette::build([few.as_slice()].into_iter());
        let indices = palette.indices(&few, &[]);
        let rgb = palette.rgb();
        for (pixel, &i) in few.chunks_exact(4).zip(&indices) {
            assert_eq!(&rgb[usize::from(i) * 3..][..3], &pixel[..3]);
        }
        // A grey ramp and a blue ramp: 512 colours in 128 boxes and runs of like colours leave a few levels each way.
        let ramp: Vec<u8> = (0..=255).flat_map(|v| [v, v, v, 255, 0, v / 2, v, 255]).collect();
        let mut palette = Palette::build([ramp.as_slice()].into_iter());
        let rgb = palette.rgb();
        for (pixel, i) in ramp.chunks_exact(4).zip(palette.indices(&ramp, &[])) {
            assert_ne!(i, Palette::TRANSPARENT);
            for channel in 0..3 {
                let found = rgb[usize::from(i) * 3 + channel];
                assert!(found.abs_diff(pixel[channel]) <= 8, "{pixel:?} became {found}");
            }
        }
    }
}
