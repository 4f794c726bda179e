//! Frames per second from a frame time that was rounded when it was written.

use super::text::decimals;
use super::{Findings, Severity};

/// What is assumed where no frame time can be used: the commonest rate among BVH files.
const DEFAULT_FPS: f64 = 30.0;

/// What cameras, games and capture systems run at.
const USUAL: [f64; 12] = [24.0, 25.0, 30.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0];

/// Fraction of the frame time lost in rounding up to which it is taken for a usual rate; 0.03 means 30.
const MAX_ROUNDING_USUAL: f64 = 0.2;

/// The same for whole rates that are not usual, which lie closer together.
const MAX_ROUNDING_WHOLE: f64 = 0.01;

/// Film and video rates divided by 1.001.
const NTSC: [f64; 5] = [24.0, 30.0, 48.0, 60.0, 120.0];

/// A frame time above this, seconds, that is a usual rate, was written as a rate.
const MIN_RATE_AS_TIME: f64 = 15.0;

/// Relative distance to which a rate is pulled to a usual one even if its digits do not say so: they may
/// have been cut off instead of rounded.
const PULL: f64 = 1e-3;

/// Relative distance that is pulled however many digits there are: 23.976 stands for 24/1.001, 1e-6 away.
const NAME_PULL: f64 = 2e-6;

/// Fraction of the frame time lost in rounding from which its digits are few enough to be wrong.
const FEW_DIGITS: f64 = 1e-6;

/// Rates no camera and no engine has.
const LIKELY: std::ops::RangeInclusive<f64> = 1.0..=2000.0;

/// Frame time as written and the rate taken for it; `written` is the time, its decimals and its line.
pub(crate) fn choose(written: Option<(f64, i32, u32)>, findings: &mut Findings) -> (f64, f64) {
    let fallback = format!("{DEFAULT_FPS} frames per second");
    let Some((time, decimals, line)) = written else {
        let message = "the line Frame Time is missing or not a number";
        findings.note(Severity::Warning, None, "frame-time-missing", message, fallback);
        return (1.0 / DEFAULT_FPS, DEFAULT_FPS);
    };
    // Times of less than 1e-9 s give rates that overflow what later stages count with.
    if !(1e-9..=1e9).contains(&time) {
        let message = format!("Frame Time is {time}, expected more than 0");
        findings.note(Severity::Warning, Some(line), "frame-time-impossible", message, fallback);
        return (1.0 / DEFAULT_FPS, DEFAULT_FPS);
    }
    if time >= MIN_RATE_AS_TIME && time.fract() == 0.0 && LIKELY.contains(&time) {
        let message = format!("Frame Time is {time} seconds, which looks like a rate");
        let assumed = format!("{time} frames per second");
        findings.note(Severity::Warning, Some(line), "frame-time-is-rate", message, assumed);
        return (time, time);
    }
    let fps = snap(time, decimals);
    if !LIKELY.contains(&fps) {
        let message = format!("Frame Time {time} means {fps:.4} frames per second, which is unlikely");
        findings.note(Severity::Warning, Some(line), "frame-time-unlikely", message, "taken as written");
    } else if (fps * time - 1.0).abs() > 2.0 * f64::EPSILON {
        let message = format!("Frame Time {time} is rounded ({} frames per second)", apart(1.0 / time, fps));
        let assumed = format!("{} frames per second", short(fps));
        findings.note(Severity::Info, Some(line), "frame-time-rounded", message, assumed);
    }
    (time, fps)
}

/// The usual rate whose frame time, written with this many decimals, is `time`; else a usual rate within
/// [`PULL`]; else the plain reciprocal.
pub(crate) fn snap(time: f64, decimals: i32) -> f64 {
    let fps = 1.0 / time;
    let half_digit = 0.5 * 10f64.powi(-decimals.clamp(0, 17));
    let nearest = |rates: &mut dyn Iterator<Item = f64>| {
        rates.min_by(|a, b| (a - fps).abs().total_cmp(&(b - fps).abs())).filter(|rate| *rate >= 1.0)
    };
    let usual = nearest(&mut USUAL.into_iter());
    let whole = nearest(&mut std::iter::once(fps.round()));
    let ntsc = nearest(&mut NTSC.iter().map(|n| n / 1.001));
    let fits = |rate: &f64| (1.0 / rate - time).abs() <= half_digit * (1.0 + 1e-9);
    // With digits enough to tell 24 from 23.976 at most one fits; otherwise the usual rate is likelier.
    // Digits so few that they fit rates far apart say nothing.
    let fraction = half_digit / time;
    let usual_fits = usual.filter(fits).filter(|_| fraction < MAX_ROUNDING_USUAL);
    let other_fits = whole.filter(fits).or(ntsc.filter(fits)).filter(|_| fraction < MAX_ROUNDING_WHOLE);
    if let Some(rate) = usual_fits.or(other_fits) {
        return rate;
    }
    let pull = if fraction >= FEW_DIGITS { PULL } else { NAME_PULL };
    [whole, ntsc]
        .into_iter()
        .flatten()
        .filter(|rate| (rate / fps - 1.0).abs() <= pull)
        .min_by(|a, b| (a - fps).abs().total_cmp(&(b - fps).abs()))
        .unwrap_or(fps)
}

/// `Frame Time` for a rate: the source's own number while it reads back as that rate, else the reciprocal.
pub(crate) fn text(fps: f64, raw: Option<f64>) -> String {
    let reads_back = |text: &String| {
        let time: f64 = text.parse().unwrap_or(0.0);
        (snap(time, decimals(text.as_bytes())) / fps - 1.0).abs() < 1e-12
    };
    let raw = raw.filter(|time| (1e-9..=1e9).contains(time));
    let as_written = raw.map(|time| format!("{time}"));
    // With all its decimals a number is not taken for a rounded one.
    let in_full = raw.map(|time| format!("{time:.17}"));
    let exact = format!("{}", 1.0 / fps);
    let candidates = [as_written, in_full, Some(exact)].into_iter().flatten();
    candidates.into_iter().find(reads_back).unwrap_or_else(|| format!("{:.17}", 1.0 / fps))
}

/// A rate with as many decimals, from 4 up, as show that it is not `other`: 23.99998 against 24.
fn apart(fps: f64, other: f64) -> String {
    let decimals = (-(fps - other).abs().log10().floor()).clamp(4.0, 15.0) as usize;
    format!("{fps:.decimals$}")
}

/// A rate for reading: 23.976, 120.
pub(crate) fn short(fps: f64) -> String {
    let text = format!("{fps:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rounded_frame_times_of_real_files_become_their_rates() {
        let cases = [
            (0.0083333, 7, 120.0),
            (0.008333, 6, 120.0),
            (0.033333, 6, 30.0),
            (0.033, 3, 30.0),
            (0.03, 2, 30.0),
            (0.017, 3, 60.0),
            (0.008, 3, 120.0),
            (0.0417083750417, 13, 24.0 / 1.001),
            (0.041667, 6, 24.0),
            (0.0416667, 7, 24.0),
            (0.013889, 6, 72.0),
            (0.0625, 4, 16.0),
            (0.04, 2, 25.0),
            (0.016683, 6, 60.0 / 1.001),
            (0.0333667, 7, 30.0 / 1.001),
            (0.01666, 5, 60.0),
            (1.0 / 59.95, 17, 59.95),
        ];
        for (time, decimals, fps) in cases {
            assert_eq!(snap(time, decimals), fps, "{time}");
        }
    }

    #[test]
    fn a_rounded_rate_is_shown_with_digits_that_differ() {
        assert_eq!(apart(1.0 / 0.0416667, 24.0), "23.99998");
        assert_eq!(apart(1.0 / 0.033, 30.0), "30.3030");
    }

    proptest! {
        #[test]
        fn whole_rates_survive_any_rounding_to_six_decimals(fps in 1u32..=240, decimals in 6i32..=12) {
            let scale = 10f64.powi(decimals);
            let written = (1.0 / f64::from(fps) * scale).round() / scale;
            prop_assert_eq!(snap(written, decimals), f64::from(fps));
        }

        #[test]
        fn odd_rates_stay_within_a_thousandth(time in 1e-3..2.0_f64) {
            prop_assert!((snap(time, 7) * time - 1.0).abs() <= PULL * 1.01);
        }

        #[test]
        fn written_rates_read_back(fps in 0.5..500.0_f64, time in 1e-3..2.0_f64) {
            for (fps, raw) in [(fps, None), (fps, Some(time)), (snap(time, 4), Some(time))] {
                let text = text(fps, raw);
                let back: f64 = text.parse().unwrap();
                let read = snap(back, decimals(text.as_bytes()));
                prop_assert!((read / fps - 1.0).abs() <= NAME_PULL, "{} as {} reads {}", fps, text, read);
            }
        }
    }
}
