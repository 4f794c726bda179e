//! Curves known in some frames, carried smoothly through the others.

use glam::DVec3;
use ugoki_base::contact_labels::FootContacts;

/// Fills the frames that are not `known`: a curve leaves a known stretch with its own slope and reaches zero, or
/// the next stretch if that comes sooner, after at most `fade` frames (cubic Hermite, so velocity does not jump).
pub(super) fn fill(curve: &mut [DVec3], known: &[bool], fade: usize) {
    let len = curve.len();
    let fade = fade.max(1);
    let mut frame = 0;
    while frame < len {
        if known[frame] {
            frame += 1;
            continue;
        }
        let start = frame;
        while frame < len && !known[frame] {
            frame += 1;
        }
        let left = start.checked_sub(1).map(|i| (curve[i], slope_before(curve, known, i)));
        let right = (frame < len).then(|| (curve[frame], slope_after(curve, known, frame)));
        let gap = frame - start + 1;
        let zero = (DVec3::ZERO, DVec3::ZERO);
        for (i, value) in curve[start..frame].iter_mut().enumerate() {
            // Steps from the last known frame, and steps still to go to the next one.
            let (from, to) = (i + 1, gap - i - 1);
            *value = match (left, right) {
                (Some(left), Some(right)) if gap <= 2 * fade => hermite(left, right, gap as f64, from as f64),
                (Some(left), _) if from < fade => hermite(left, zero, fade as f64, from as f64),
                (_, Some(right)) if to < fade => hermite(zero, right, fade as f64, (fade - to) as f64),
                _ => DVec3::ZERO,
            };
        }
    }
}

/// Frames of a known stretch over which its slope at an end is taken.
const SLOPE_FRAMES: usize = 3;

fn slope_before(curve: &[DVec3], known: &[bool], last: usize) -> DVec3 {
    let n = (1..=SLOPE_FRAMES).take_while(|&n| n <= last && known[last - n]).count();
    if n == 0 { DVec3::ZERO } else { (curve[last] - curve[last - n]) / n as f64 }
}

fn slope_after(curve: &[DVec3], known: &[bool], first: usize) -> DVec3 {
    let n = (1..=SLOPE_FRAMES).take_while(|&n| first + n < curve.len() && known[first + n]).count();
    if n == 0 { DVec3::ZERO } else { (curve[first + n] - curve[first]) / n as f64 }
}

/// Cubic from (value, slope per frame) at 0 to another at `length`.
fn hermite(from: (DVec3, DVec3), to: (DVec3, DVec3), length: f64, at: f64) -> DVec3 {
    let t = at / length;
    let (t2, t3) = (t * t, t * t * t);
    from.0 * (2.0 * t3 - 3.0 * t2 + 1.0)
        + from.1 * ((t3 - 2.0 * t2 + t) * length)
        + to.0 * (3.0 * t2 - 2.0 * t3)
        + to.1 * ((t3 - t2) * length)
}

/// Mean over ±`half` frames weighted by a raised cosine; frames beyond the ends repeat the end.
pub(super) fn smoothed(curve: &[DVec3], half: usize) -> Vec<DVec3> {
    let weights: Vec<f64> =
        (0..=half).map(|i| 0.5 + 0.5 * (std::f64::consts::PI * i as f64 / (half + 1) as f64).cos()).collect();
    let total = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    let last = curve.len().saturating_sub(1);
    (0..curve.len())
        .map(|frame| {
            let mut sum = curve[frame] * weights[0];
            for (i, &w) in weights.iter().enumerate().skip(1) {
                sum += (curve[frame.saturating_sub(i)] + curve[(frame + i).min(last)]) * w;
            }
            sum / total
        })
        .collect()
}

/// A smooth curve nowhere below `needed`: its running maximum over ±`half` frames, then `smoothed` as widely.
pub fn smooth_above(needed: &[f64], half: usize) -> Vec<f64> {
    let last = needed.len().saturating_sub(1);
    let highest: Vec<DVec3> = (0..needed.len())
        .map(|frame| {
            let window = &needed[frame.saturating_sub(half)..=(frame + half).min(last)];
            DVec3::Y * window.iter().fold(0.0, |a: f64, &b| a.max(b))
        })
        .collect();
    smoothed(&highest, half).iter().map(|v| v.y).collect()
}

/// 0 in contact, rising to 1 `fade` frames away from any contact.
pub(super) fn away_from_contact(contacts: &FootContacts, num_frames: usize, fade: usize) -> Vec<f64> {
    let mut distance = vec![usize::MAX; num_frames];
    for range in contacts.any() {
        for (frame, d) in distance.iter_mut().enumerate() {
            let away =
                if frame < range.start { range.start - frame } else { (frame + 1).saturating_sub(range.end) };
            *d = (*d).min(away);
        }
    }
    distance
        .iter()
        .map(|&d| {
            let t = (d as f64 / fade.max(1) as f64).min(1.0);
            t * t * (3.0 - 2.0 * t)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn filling_keeps_what_is_known_and_makes_no_jump(gap in 2usize..120, a in -0.03..0.03_f64, b in -0.03..0.03_f64, fade in 8usize..40) {
            let len = gap + 40;
            let known: Vec<bool> = (0..len).map(|i| i < 20 || i >= 20 + gap).collect();
            let original: Vec<DVec3> = (0..len).map(|i| DVec3::X * if i < 20 { a } else { b }).collect();
            let mut curve = original.clone();
            fill(&mut curve, &known, fade);
            for i in 0..len {
                if known[i] {
                    prop_assert_eq!(curve[i], original[i]);
                }
            }
            // A cubic over n frames between levels d apart moves at most 1.5·d/n per frame; it may take n = gap or fade.
            let bound = 1.6 * 0.06 / gap.min(fade) as f64;
            prop_assert!(curve.windows(2).all(|w| (w[1] - w[0]).length() <= bound));
        }

        #[test]
        fn the_smooth_bound_is_never_below_what_is_needed(values in prop::collection::vec(0.0..1.0_f64, 1..60), half in 0usize..12) {
            let above = smooth_above(&values, half);
            prop_assert!(above.iter().zip(&values).all(|(a, v)| *a >= v - 1e-12));
        }
    }

    #[test]
    fn a_curve_known_nowhere_is_zero_and_known_everywhere_is_kept() {
        let mut curve = vec![DVec3::ONE; 5];
        fill(&mut curve, &[true; 5], 3);
        assert_eq!(curve, [DVec3::ONE; 5]);
        fill(&mut curve, &[false; 5], 3);
        assert_eq!(curve, [DVec3::ZERO; 5]);
        assert!(smoothed(&[], 3).is_empty() && smooth_above(&[], 3).is_empty());
    }
}
