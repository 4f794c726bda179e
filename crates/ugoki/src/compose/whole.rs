//! Candidates of stretches one after another become complete motions.

use super::{Candidate, Searched};

/// The k-th candidates of all stretches one after another; where a stretch has fewer, its own begin again.
pub(super) fn joined(stretches: &[Searched]) -> Vec<Candidate> {
    let count = stretches.iter().map(|stretch| stretch.candidates.len()).max().unwrap_or(0);
    let mut whole: Vec<Candidate> = (0..count)
        .filter_map(|k| {
            let mut parts = stretches.iter().map(|stretch| &stretch.candidates[k % stretch.candidates.len()]);
            let mut whole = parts.next()?.clone();
            parts.for_each(|part| append(&mut whole, part));
            let n = stretches.len() as f64;
            (whole.f, whole.f1) = (whole.f / n, whole.f1 / n);
            (whole.f2, whole.f3) = (whole.f2 / n, whole.f3 / n);
            whole.extras.iter_mut().for_each(|v| *v /= n);
            whole.tell_stretch();
            Some(whole)
        })
        .collect();
    whole.sort_by(|a, b| a.f.total_cmp(&b.f));
    whole
}

/// Joins what follows: both share a key, which was entered in the one and is left in the other.
fn append(whole: &mut Candidate, part: &Candidate) {
    whole.f += part.f;
    whole.f1 += part.f1;
    whole.f2 += part.f2;
    whole.f3 += part.f3;
    whole.extras.iter_mut().zip(&part.extras).for_each(|(a, b)| *a += b);
    for (layer, more) in whole.layers.iter_mut().zip(&part.layers) {
        let mut more = more.items.clone();
        if let (Some(last), Some(first)) = (layer.items.last(), more.first_mut())
            && last.key.is_some()
            && last.key == first.key
        {
            // The key plays at the speed of what follows it, and its first frame, seen or not, stays on its time.
            first.enter_s = (last.start_s - first.start_s) * first.speed;
            (first.start_s, first.cost) = (last.start_s, last.cost);
            layer.items.pop();
        }
        layer.items.append(&mut more);
    }
    for key in &part.keys {
        if !whole.keys.iter().any(|other| other.key == key.key && other.layer == key.layer) {
            whole.keys.push(key.clone());
        }
    }
}
