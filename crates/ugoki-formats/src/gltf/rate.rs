//! Frames per second of keys that lie anywhere.

use crate::{Findings, Severity};

/// What programs and cameras run at, in the order in which they are tried.
const USUAL: [f64; 14] =
    [24.0, 25.0, 30.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0, 30.0 / 1.001, 24.0 / 1.001];

/// Where keys fit no rate: fine enough for any hand-made motion.
const FALLBACK_FPS: f64 = 60.0;

/// A key lies on a frame when it is this near, in frames.
const ON_FRAME: f64 = 0.02;

/// Fraction of the keys that may lie off the frames.
const OFF_FRACTION: f64 = 0.01;

/// Even keys slower than this are key poses with motion between them, not frames; the slowest captures have 10.
const MIN_FRAME_RATE: f64 = 10.0;

/// Even keys are frames from this many on.
const MIN_FRAMES: usize = 8;

/// The rate at which all of these keys are frames, in order: `times` sorted, without repeats, seconds.
pub(super) fn choose(times: &[f64], findings: &mut Findings) -> f64 {
    let Some((&first, &last)) = times.first().zip(times.last()) else { return USUAL[2] };
    if last <= first {
        return USUAL[2];
    }
    if let Some(fps) = even(times, first, last) {
        return fps;
    }
    let fits = |fps: f64| {
        let off = times
            .iter()
            .filter(|&&time| {
                let frames = (time - first) * fps;
                // Times are f32.
                (frames - frames.round()).abs() > ON_FRAME + time.abs() * fps * f64::from(f32::EPSILON)
            })
            .count();
        off as f64 <= OFF_FRACTION * times.len() as f64
    };
    let fps = USUAL.into_iter().find(|&fps| fits(fps));
    let keys = times.len();
    let (fps, message) = match fps {
        Some(fps) => (fps, format!("{keys} key times lie on frames, with gaps")),
        None => (FALLBACK_FPS, format!("{keys} key times lie on the frames of no usual rate")),
    };
    let assumed = format!("sampled at {fps:.5} frames per second");
    findings.note(Severity::Info, None, "keys-sampled", message, assumed);
    fps
}

/// The rate of keys that are all equally far apart.
fn even(times: &[f64], first: f64, last: f64) -> Option<f64> {
    let steps = times.len() - 1;
    let fps = steps as f64 / (last - first);
    if times.len() < MIN_FRAMES || fps < MIN_FRAME_RATE {
        return None;
    }
    let rounding = f64::from(f32::EPSILON) * last.abs() * fps;
    let is_even = times
        .iter()
        .enumerate()
        .all(|(frame, time)| ((time - first) * fps - frame as f64).abs() < ON_FRAME + rounding);
    if !is_even {
        return None;
    }
    // The last key gives the rate up to its own rounding.
    let certain = fps * (rounding / steps as f64).max(1e-6);
    let near = |rate: &f64| (rate - fps).abs() <= certain;
    Some(USUAL.into_iter().find(near).or(Some(fps.round()).filter(near)).unwrap_or(fps))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(times: impl Iterator<Item = f64>) -> f64 {
        let times: Vec<f64> = times.map(|time| f64::from(time as f32)).collect();
        choose(&times, &mut Findings::default())
    }

    #[test]
    fn frames_tell_their_rate() {
        for fps in [12.0, 16.0, 24.0, 30.0, 60.0, 120.0, 24.0 / 1.001, 30.0 / 1.001, 59.5, 240.0] {
            for start in [0.0, 1.0 / fps, 3.0] {
                let found = rate((0..500).map(|frame| start + f64::from(frame) / fps));
                assert!((found / fps - 1.0).abs() < 1e-6, "{fps} read as {found}");
            }
        }
    }

    #[test]
    fn sparse_keys_fit_the_slowest_usual_rate() {
        assert_eq!(rate([0.0, 1.25].into_iter()), 24.0);
        assert_eq!(rate([0.0, 0.1, 0.5, 0.7].into_iter()), 30.0);
        assert_eq!(rate((0..12).map(|i| f64::from(i) * 0.5)), 24.0);
        assert_eq!(rate([0.0, 0.123, 0.4567, 1.001].into_iter()), FALLBACK_FPS);
        assert_eq!(rate([0.5].into_iter()), 30.0);
    }
}
