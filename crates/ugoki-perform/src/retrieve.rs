//! Which frame of the actor is shown.

/// How many frames compete \[shibata2005, 2.4\].
const CANDIDATES: usize = 5;

/// The frame, counted within the piece, to show for the estimate `wanted` of the objective.
///
/// Of the five frames whose `index` is nearest, the one of least z(P) + z(Q), where P is how far its index is from
/// the estimate and Q how far its pose, by `distance`, is from the one shown before; z counts in deviations over the
/// five, and a spread of zero counts as 0. Ties go to the frame whose index is nearer, then the earlier.
#[must_use]
pub fn retrieve(index: &[f32], wanted: f64, distance: Option<&dyn Fn(usize) -> f64>) -> usize {
    let mut best = [(f64::INFINITY, usize::MAX); CANDIDATES];
    for (frame, &y) in index.iter().enumerate() {
        let mut entry = ((f64::from(y) - wanted).abs(), frame);
        if entry.0.is_nan() {
            continue;
        }
        for place in &mut best {
            if entry.0 < place.0 {
                std::mem::swap(place, &mut entry);
            }
        }
    }
    let count = best.iter().take_while(|(p, _)| p.is_finite()).count();
    if count == 0 {
        return 0;
    }
    let mut p = [0.0; CANDIDATES];
    let mut q = [0.0; CANDIDATES];
    for (i, &(far, frame)) in best[..count].iter().enumerate() {
        p[i] = far;
        q[i] = distance.map_or(0.0, |distance| distance(frame));
    }
    standardise(&mut p[..count]);
    standardise(&mut q[..count]);
    let score = |i: usize| p[i] + q[i];
    let least = (0..count).min_by(|&a, &b| score(a).total_cmp(&score(b)).then(a.cmp(&b)));
    best[least.unwrap_or(0)].1
}

/// Deviations from the mean, in standard deviations.
fn standardise(values: &mut [f64]) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let scale = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for v in values {
        *v = if spread > 1e-12 * scale { (*v - mean) / spread } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_a_frame_before_the_nearest_is_shown() {
        let index: Vec<f32> = (0..20).map(|i| i as f32 * 0.1).collect();
        assert_eq!(retrieve(&index, 0.72, None), 7);
        assert_eq!(retrieve(&index, -9.0, None), 0);
        assert_eq!(retrieve(&index, 9.0, None), 19);
        assert_eq!(retrieve(&[], 9.0, None), 0);
        assert_eq!(retrieve(&[1.0], f64::NAN, None), 0);
    }

    #[test]
    fn among_frames_with_equal_index_the_one_nearest_to_the_last_is_shown() {
        // Frames 4 and 5 have nearly the same index; the pose shown before is that of frame 4.
        let index = [0.0, 1.0, 2.0, 3.0, 4.0, 4.01, 5.0, 6.0];
        assert_eq!(retrieve(&index, 4.006, Some(&|frame: usize| (frame as f64 - 4.0).abs())), 4);
    }

    proptest! {
        #[test]
        fn the_frame_shown_is_one_of_the_five_nearest(
            index in prop::collection::vec(0.0..1.0_f32, 1..40), wanted in -0.5..1.5_f64, salt in 0_u64..99,
        ) {
            let far = |frame: usize| ((frame as u64 * 7919 + salt) % 13) as f64;
            let shown = retrieve(&index, wanted, Some(&far));
            let own = (f64::from(index[shown]) - wanted).abs();
            let nearer = index.iter().filter(|&&y| (f64::from(y) - wanted).abs() < own).count();
            prop_assert!(nearer < 5);
        }
    }
}
