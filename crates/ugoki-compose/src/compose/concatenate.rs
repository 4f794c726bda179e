//! Concatenates candidates of intervals into complete motions.

use super::{Candidate, Item, Searched};

/// Candidates of all intervals one after another: each, best first, is followed by the candidate of the next interval
/// that repeats least of it, among those that were taken least often. Two like gaps between the same keys would
/// otherwise be filled alike.
pub(super) fn joined(intervals: &[Searched]) -> Vec<Candidate> {
    let count = intervals.iter().map(|interval| interval.candidates.len()).max().unwrap_or(0);
    let Some((first, rest)) = intervals.split_first() else { return Vec::new() };
    let mut whole: Vec<Candidate> = first.candidates.iter().cycle().take(count).cloned().collect();
    for interval in rest {
        let mut taken = vec![0_usize; interval.candidates.len()];
        for whole in &mut whole {
            let cost = |i: usize| (taken[i], repeats(whole, &interval.candidates[i]), i);
            let cheaper = |&a: &usize, &b: &usize| {
                let (a, b) = (cost(a), cost(b));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
            };
            if let Some(next) = (0..taken.len()).min_by(cheaper) {
                taken[next] += 1;
                append(whole, &interval.candidates[next]);
            }
        }
    }
    let n = intervals.len() as f64;
    for whole in &mut whole {
        (whole.f, whole.f1) = (whole.f / n, whole.f1 / n);
        (whole.f2, whole.f3) = (whole.f2 / n, whole.f3 / n);
        whole.extras.iter_mut().for_each(|v| *v /= n);
        whole.set_tempo_change();
    }
    whole.sort_by(|a, b| a.f.total_cmp(&b.f));
    whole
}

/// Fraction of what a part shows, keys aside, that was shown before.
fn repeats(whole: &Candidate, part: &Candidate) -> f64 {
    let (mut count, mut again) = (0_usize, 0_usize);
    for (before, after) in whole.layers.iter().zip(&part.layers) {
        for item in after.items.iter().filter(|item| item.key.is_none()) {
            count += 1;
            let shown = |other: &&Item| other.key.is_none() && other.shows.is_like(item.shows);
            again += usize::from(before.items.iter().any(|other| shown(&other)));
        }
    }
    again as f64 / count.max(1) as f64
}

/// Joins what follows: both contain a common key, which was entered in the one and is left in the other.
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
