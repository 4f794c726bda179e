//! Bells: rest, peak, rest.

use super::{SHORTEST_BELL_S, SegmentConfig};

/// A stretch in which a group speeds up from rest once and comes to rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bell {
    /// The group that moves.
    pub group: usize,
    /// Frame of the rest before.
    pub start: usize,
    /// Frame of greatest speed.
    pub peak: usize,
    /// Frame of the rest after.
    pub end: usize,
    /// Greatest speed, metres per second.
    pub peak_m_s: f64,
}

/// The significant bells of one group's speeds, in time order.
///
/// From every local maximum one goes outwards to the first local minimum below `rest` times its height. A maximum that meets a
/// higher speed on the way is a shoulder of another bell. The first and last frame count as minima.
#[must_use]
pub fn find_bells(speeds: &[f64], fps: f64, group: usize, config: &SegmentConfig) -> Vec<Bell> {
    let n = speeds.len();
    let mut bells: Vec<Bell> = Vec::new();
    for peak in 1..n.saturating_sub(1) {
        // The first frame of a plateau stands for it.
        if !(speeds[peak] > speeds[peak - 1] && speeds[peak] >= speeds[peak + 1]) {
            continue;
        }
        let (Some(start), Some(end)) =
            (foot(speeds, peak, config.rest, false), foot(speeds, peak, config.rest, true))
        else {
            continue;
        };
        let bell = Bell { group, start, peak, end, peak_m_s: speeds[peak] };
        let seconds = (end - start) as f64 / fps;
        let insignificant = seconds < config.duration_s && bell.peak_m_s < config.peak_m_s;
        let too_long = config.longest_s.is_some_and(|longest| seconds > longest);
        let glitch = seconds < SHORTEST_BELL_S;
        if !(insignificant || too_long || glitch) {
            bells.push(bell);
        }
    }
    bells
}

/// The first local minimum at most `rest` times as high as the peak; `None` where the speed first rises above it.
fn foot(speeds: &[f64], peak: usize, rest: f64, forward: bool) -> Option<usize> {
    let height = speeds[peak];
    let step = |i: usize| match forward {
        true => (i + 1 < speeds.len()).then_some(i + 1),
        false => i.checked_sub(1),
    };
    let mut at = peak;
    while let Some(next) = step(at) {
        // Of two peaks of one height the first keeps the bell.
        if speeds[next] > height || (forward && speeds[next] == height && next > peak + 1 && at != peak) {
            return None;
        }
        at = next;
        let beyond = step(at).map(|i| speeds[i]);
        let minimum = beyond.is_none_or(|beyond| beyond >= speeds[at]);
        if minimum && speeds[at] <= rest * height {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Speed of a minimum-jerk movement of length 1 m in `n` frames at 1 frame per second, times `scale`.
    fn movement(n: usize, scale: f64) -> Vec<f64> {
        let at = |i: usize| {
            let t = i as f64 / n as f64;
            30.0 * t * t * (1.0 - t) * (1.0 - t) * scale
        };
        (0..=n).map(at).collect()
    }

    #[test]
    fn every_movement_between_rests_is_one_bell() {
        let mut speeds = movement(30, 0.5);
        speeds.extend(vec![0.0; 20]);
        speeds.extend(movement(46, 1.0));
        let config = SegmentConfig::default();
        let bells = find_bells(&speeds, 30.0, 3, &config);
        let spans: Vec<_> = bells.iter().map(|bell| (bell.start, bell.peak, bell.end)).collect();
        assert_eq!(spans, [(0, 15, 30), (51, 74, 97)]);
        assert!(bells.iter().all(|bell| bell.group == 3));
    }

    #[test]
    fn shoulders_belong_to_the_bell_they_lean_on() {
        // Two humps whose saddle stays above 20 % of both: one bell with the higher peak.
        let speeds = [0.0, 0.5, 1.0, 0.6, 0.5, 0.9, 1.4, 0.7, 0.2, 0.0, 0.0];
        let config = SegmentConfig { duration_s: 0.0, ..SegmentConfig::default() };
        let bells = find_bells(&speeds, 10.0, 0, &config);
        assert_eq!(bells.len(), 1);
        assert_eq!((bells[0].start, bells[0].peak, bells[0].end), (0, 6, 9));
    }

    proptest! {
        #[test]
        fn bells_lie_apart_and_fall_to_rest_on_both_sides(
            speeds in prop::collection::vec(0.0..2.0_f64, 3..120), rest in 0.05..0.9_f64,
        ) {
            let config = SegmentConfig { rest, duration_s: 0.0, ..SegmentConfig::default() };
            let bells = find_bells(&speeds, 30.0, 0, &config);
            for bell in &bells {
                let inside = &speeds[bell.start..=bell.end];
                prop_assert!(bell.start < bell.peak && bell.peak < bell.end);
                prop_assert!(inside.iter().all(|&v| v <= bell.peak_m_s));
                prop_assert!(speeds[bell.start].max(speeds[bell.end]) <= rest * bell.peak_m_s);
            }
            for pair in bells.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start, "{pair:?}");
            }
        }
    }
}
