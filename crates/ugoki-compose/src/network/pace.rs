//! How a node plays its frames: at what speed, and how it waits for the beat at its end.

/// Speed of a node and what it waits at its end.
///
/// ```text
/// frames   ├──────────────────────────┤
/// node     ├── at its speed ──┬─ slower and slower ─┬─ still ─┤ beat
///                             └───── 2 · ease ──────┘
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Captured seconds per second: 1.05 is 5 % faster than captured.
    pub speed: f64,
    /// How much longer the node lasts than its frames at that speed, seconds.
    pub held_s: f64,
}

impl Default for Pace {
    /// As captured.
    fn default() -> Self {
        Self { speed: 1.0, held_s: 0.0 }
    }
}

/// What is waited is spent on slowing down up to this long, seconds, and only then on standing still. The last 0.25 s
/// of the frames then take 0.5 s: walking at 1.4 m/s comes to rest by 2.8 m/s², about what people do within a step.
pub const EASE_S: f64 = 0.25;

/// Fraction by which rounding may miss a bound that frames were counted for.
const ROUNDING: f64 = 1e-9;

impl Pace {
    /// Brings `captured_s` onto whole beats: retimed to the nearest number of them where the tempo change is at most
    /// `tempo_change`, a fraction; else at its own speed, waiting for the next beat. Gives how long it then lasts,
    /// seconds.
    pub(super) fn on_beat(captured_s: f64, beat_s: f64, tempo_change: f64) -> (f64, Self) {
        let beats = captured_s / beat_s;
        let change = |whole: f64| (beats / whole - 1.0).abs();
        let (fewer, more) = (beats.floor().max(1.0), beats.ceil().max(1.0));
        let nearest = if change(fewer) < change(more) { fewer } else { more };
        if change(nearest) <= tempo_change + ROUNDING {
            (nearest * beat_s, Self { speed: beats / nearest, held_s: 0.0 })
        } else {
            // A clip that is longer than any number of beats within the bound is shorter than the next one.
            (more * beat_s, Self { speed: 1.0, held_s: more * beat_s - captured_s })
        }
    }

    /// How long the slowing down delays the end, seconds; what is waited beyond it is stood still.
    #[must_use]
    pub fn ease_s(&self) -> f64 {
        self.held_s.min(EASE_S)
    }

    /// Whether the pose is held at the end, after slowing down.
    #[must_use]
    pub fn stands_still(&self) -> bool {
        self.held_s > EASE_S + 1e-9
    }
}

/// Where a motion of length `whole` is at `at`, both from its start and in the same unit, when it slows down so as to
/// end `ease` later: the speed falls evenly to 0 over the last 2·ease, and the end stays.
///
/// With s = at − (whole − ease) from 0 to 2·ease it is whole − ease + s − s²/(4·ease).
#[must_use]
pub fn eased(at: f64, whole: f64, ease: f64) -> f64 {
    let ease = ease.min(whole);
    let from = whole - ease;
    if at <= from || ease <= 0.0 {
        return at.min(whole);
    }
    let s = (at - from).min(2.0 * ease);
    from + s - s * s / (4.0 * ease)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_length_becomes_whole_beats_and_nothing_is_lost(
            captured_s in 0.02..60.0_f64, bpm in 1.0..1000.0_f64, tempo_change in 0.0..0.3_f64,
        ) {
            let beat_s = 60.0 / bpm;
            let (seconds, pace) = Pace::on_beat(captured_s, beat_s, tempo_change);
            let beats = seconds / beat_s;
            prop_assert!((beats - beats.round()).abs() < 1e-9 && beats > 0.5, "{beats} beats");
            prop_assert!((pace.speed - 1.0).abs() <= tempo_change + 2.0 * ROUNDING);
            prop_assert!(pace.held_s >= 0.0 && pace.held_s < beat_s);
            // What plays and what is waited is all there is.
            prop_assert!((captured_s / pace.speed + pace.held_s - seconds).abs() < 1e-9 * seconds.max(1.0));
        }

        #[test]
        fn slowing_down_never_goes_back_nor_jumps_and_ends_at_the_end(
            whole in 0.1..9.0_f64, ease in 0.0..2.0_f64, at in 0.0..12.0_f64,
        ) {
            let step = 1e-3;
            let (now, next) = (eased(at, whole, ease), eased(at + step, whole, ease));
            prop_assert!(next >= now && next - now <= step + 1e-12, "{now} then {next}");
            prop_assert!((eased(whole + ease, whole, ease) - whole).abs() < 1e-9 || ease > whole);
            prop_assert!(eased(at, whole, 0.0) == at.min(whole));
        }
    }
}
