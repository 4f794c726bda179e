//! Files of footsteps: `{"steps": [{"foot": "left", "x": 0.1, "z": 0.55}]}`.

use serde::{Deserialize, Deserializer};
use ugoki_base::document::{json_place, number, optional_number};
use ugoki_base::skeleton::Side;

/// One step of a file of footsteps.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the fields of a step")]
pub struct PlannedStep {
    /// The foot that steps.
    pub foot: Side,
    /// The planted ankle's ground point, metres.
    #[serde(deserialize_with = "metres")]
    pub x: f32,
    /// The same.
    #[serde(deserialize_with = "metres")]
    pub z: f32,
    /// Height of the ground there, metres.
    #[serde(default, deserialize_with = "metres")]
    pub y: f32,
    /// Ankle to toe, degrees from +Z to the left.
    #[serde(default, deserialize_with = "degrees")]
    pub heading_deg: Option<f32>,
}

fn metres<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    number(deserializer).map(|metres| metres as f32)
}

fn degrees<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f32>, D::Error> {
    optional_number(deserializer).map(|degrees| degrees.map(|degrees| degrees as f32))
}

/// Why a file of footsteps cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FootstepsError {
    /// The file is not of the form.
    #[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
    Form {
        /// The line, from 1, where known.
        line: Option<u32>,
        /// What is wrong.
        message: String,
    },
    /// A step is not of the form.
    #[error("step {step}: {message}")]
    Step {
        /// Which one, from 1.
        step: usize,
        /// The line on which it begins, from 1.
        line: Option<u32>,
        /// What is wrong.
        message: String,
    },
    /// There are too many.
    #[error("{steps} steps, expected at most {most}")]
    TooMany {
        /// Steps there are.
        steps: usize,
        /// The bound.
        most: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the field `steps`")]
struct File<Step> {
    steps: Vec<Step>,
}

/// Reads a file of at most `most` footsteps.
///
/// # Errors
/// When the text is not of the form, or has too many steps.
pub fn read_footsteps(text: &str, most: usize) -> Result<Vec<PlannedStep>, FootstepsError> {
    // Editors of some systems begin a text with this mark.
    let text = text.trim_start_matches('\u{feff}');
    let form = |error: serde_json::Error| {
        let (line, message) = json_place(&error, error.line(), error.column());
        FootstepsError::Form { line, message }
    };
    let file: File<serde_json::Value> = serde_json::from_str(text).map_err(form)?;
    if file.steps.len() > most {
        return Err(FootstepsError::TooMany { steps: file.steps.len(), most });
    }
    for (at, value) in file.steps.into_iter().enumerate() {
        if let Err(error) = serde_json::from_value::<PlannedStep>(value) {
            let line = line_of_step(text, at);
            return Err(FootstepsError::Step { step: at + 1, line, message: error.to_string() });
        }
    }
    // A field given twice is lost among values, but not in the text.
    serde_json::from_str::<File<PlannedStep>>(text).map(|file| file.steps).map_err(form)
}

/// The line on which a step of a well-formed file begins, counted from 1.
fn line_of_step(text: &str, step: usize) -> Option<u32> {
    // Steps are the objects two levels deep: within the document's own braces and the list's brackets.
    let (mut depth, mut seen, mut in_text, mut escaped) = (0_usize, 0, false, false);
    let mut line = 1;
    for byte in text.bytes() {
        match byte {
            b'\n' => line += 1,
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth == 3 && seen == step {
                    return Some(line);
                }
                seen += usize::from(depth == 3);
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_reported_with_step_and_line() {
        let good = "{\"steps\": [\n{\"foot\": \"left\", \"x\": 0.1, \"z\": 0.5},\n{\"foot\": \"right\", \"x\": -0.1, \"z\": 1, \"heading_deg\": 5}]}";
        let steps = read_footsteps(good, 10).unwrap();
        assert_eq!((steps.len(), steps[1].heading_deg), (2, Some(5.0)));
        assert_eq!(read_footsteps(good, 1), Err(FootstepsError::TooMany { steps: 2, most: 1 }));
        let wrong = good.replace("right", "third");
        let error = read_footsteps(&wrong, 10).unwrap_err();
        assert!(matches!(error, FootstepsError::Step { step: 2, line: Some(3), .. }), "{error:?}");
        let twice = good.replace("\"z\": 1", "\"z\": 1, \"z\": 2");
        assert!(matches!(read_footsteps(&twice, 10), Err(FootstepsError::Form { line: Some(3), .. })));
        assert!(matches!(read_footsteps("[1]", 10), Err(FootstepsError::Form { .. })));
        // Texts are the user's: what looks like the parser's own words stays.
        for (wrong, expected) in [
            (good.replace("right", "struct File at line 9"), "`struct File at line 9`"),
            (good.replace("0.5", "\"expected f32\""), "string \"expected f32\", expected a number"),
            (good.replace("steps", "a at line 3"), "unknown field `a at line 3`, expected `steps`"),
        ] {
            let error = read_footsteps(&wrong, 10).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
