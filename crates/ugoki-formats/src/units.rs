//! Which unit of length a file is in.

use crate::{Findings, Severity};

/// Units at least this long, metres, are implausible and would overflow f32 with large numbers.
pub(crate) const MAX_UNIT: f64 = 1e6;

/// An inch, metres.
pub(crate) const INCH: f64 = 0.0254;

/// Units seen in BVH files, metres, by name. `cmu` is cgspeed's: the capture's inches divided by 0.45.
const UNITS: [(f64, &str); 6] = [
    (1.0, "m"),
    (0.1, "dm"),
    (INCH / 0.45, "CMU unit (0.0254/0.45 m)"),
    (INCH, "inch"),
    (0.01, "cm"),
    (0.001, "mm"),
];

/// Stature the guess pulls to, metres: between the world means of women (1.60) and men (1.72), and of
/// rigs, which are drawn taller.
const STATURE: f64 = 1.7;

/// Ratio to [`STATURE`] beyond which the guess is reported as unsure: children and giants.
pub(crate) const SURE_RATIO: f64 = 1.35;

/// Reach from the root, units, at which something that is no body is taken to be of a person's size in metres.
const METRE_RANGE: std::ops::RangeInclusive<f64> = 0.5..=2.5;

/// Metres per unit and the unit's name. `height` is the body's in file units, `reach` how far
/// joints come from the root.
pub(crate) fn choose(
    given: Option<f64>,
    height: Option<f64>,
    reach: Option<f64>,
    findings: &mut Findings,
) -> (f64, String) {
    if let Some(unit) = given {
        return (unit, name(unit));
    }
    let Some(height) = height.filter(|height| *height > 0.0 && height.is_finite()) else {
        let metres = reach.is_some_and(|reach| METRE_RANGE.contains(&reach));
        let unit = if metres { 1.0 } else { 0.01 };
        let message = match reach {
            Some(reach) => {
                format!("no human body to measure; its joints reach {reach:.4} units from the root")
            }
            None => "no human body to measure".to_owned(),
        };
        let assumed = format!("1 unit is 1 {}", name(unit));
        findings.note(Severity::Warning, None, "unit-unknown", message, assumed);
        return (unit, name(unit));
    };
    let off = |unit: f64| (height * unit / STATURE).ln().abs();
    let (unit, name) = UNITS.into_iter().min_by(|a, b| off(a.0).total_cmp(&off(b.0))).expect("six units");
    let metres = height * unit;
    let message = format!("the body is {height:.4} units tall");
    let assumed = format!("1 unit is 1 {name}, the body {metres:.2} m");
    let sure = off(unit) <= SURE_RATIO.ln();
    let (severity, code) =
        if sure { (Severity::Info, "unit-guess") } else { (Severity::Warning, "unit-unsure") };
    findings.note(severity, None, code, message, assumed);
    (unit, name.to_owned())
}

/// [`choose`] where the file states a unit: taken when it makes a body of a person's size, at most `slack` times
/// larger or smaller than usual.
pub(crate) fn choose_stated(
    given: Option<f64>,
    stated: Option<f64>,
    height: Option<f64>,
    reach: Option<f64>,
    slack: f64,
    findings: &mut Findings,
) -> (f64, String) {
    let fits = |unit: f64| height.is_none_or(|height| (height * unit / STATURE).ln().abs() <= slack.ln());
    match stated.filter(|unit| given.is_none() && (0.0..MAX_UNIT).contains(unit) && *unit > 0.0) {
        Some(unit) if fits(unit) => {
            let size = height.map(|height| format!(", the body {:.2} m", height * unit)).unwrap_or_default();
            let assumed = format!("1 unit is 1 {}{size}", name(unit));
            findings.note(Severity::Info, None, "unit-stated", "the file states its unit", assumed);
            (unit, name(unit))
        }
        Some(unit) => {
            let metres = height.unwrap_or(0.0) * unit;
            let message = format!("in the unit the file states the body would be {metres:.2} m tall");
            findings.note(Severity::Warning, None, "unit-stated-wrong", message, "guessed from the body");
            choose(None, height, reach, findings)
        }
        None => choose(given, height, reach, findings),
    }
}

/// Name of a unit of this many metres.
pub(crate) fn name(unit: f64) -> String {
    let known = UNITS.iter().find(|(metres, _)| (metres / unit - 1.0).abs() < 1e-6);
    known.map_or_else(|| format!("unit of {unit} m"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statures_in_every_unit_find_their_unit() {
        for (unit, name) in UNITS {
            for stature in [1.5, 1.6, 1.75, 1.9] {
                let (guess, found) = choose(None, Some(stature / unit), None, &mut Findings::default());
                assert_eq!((guess, found.as_str()), (unit, name), "{stature} m");
            }
        }
    }

    #[test]
    fn without_a_body_a_persons_reach_is_metres_and_the_rest_centimetres() {
        assert_eq!(choose(None, None, Some(1.6), &mut Findings::default()).0, 1.0);
        assert_eq!(choose(None, None, Some(90.0), &mut Findings::default()).0, 0.01);
        assert_eq!(choose(Some(0.3048), None, None, &mut Findings::default()).0, 0.3048);
    }
}
