//! Weights of a blend as text: `1,2`, or keys over time.

use std::fmt;
use std::str::FromStr;

use super::weights::{WeightCurve, WeightError, WeightKey};
use crate::clip::Time;
use crate::text_form;

/// BlendWeights as users write them: `1,2` or, over time, `0:1/2:0,0:0/2:1`; times are seconds, or frames as in `50f`.
#[derive(Debug, Clone, PartialEq)]
pub struct BlendWeights(pub Vec<Vec<WeightAt>>);

/// A weight at a moment of the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightAt {
    /// When.
    pub at: Time,
    /// The weight there.
    pub weight: f64,
}

impl BlendWeights {
    /// The same weight for each of so many motions.
    #[must_use]
    pub fn equal(motions: usize) -> Self {
        Self(vec![vec![WeightAt { at: Time::Seconds(0.0), weight: 1.0 }]; motions])
    }

    /// Curves over seconds of a result of so many frames per second.
    ///
    /// # Errors
    /// When moments do not grow or numbers are not finite.
    pub fn curves(&self, fps: f64) -> Result<Vec<WeightCurve>, WeightError> {
        let seconds = |at: Time| match at {
            Time::Seconds(seconds) => seconds,
            Time::Frames(frames) => frames as f64 / fps,
        };
        let key = |key: &WeightAt| WeightKey { time_s: seconds(key.at), weight: key.weight };
        self.0.iter().map(|keys| WeightCurve::through(keys.iter().map(key).collect())).collect()
    }
}

text_form! {
    BlendWeights: "One weight per motion, such as 1,2, or keys over time, such as 0:1/2:0,0:0/2:1.";
}

impl FromStr for BlendWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |word: &str| {
            format!(
                "{word:?} is not a weight; give finite numbers such as 1,2 or keys over time such as 0:1/2:0,0:0/2:1"
            )
        };
        let number = |word: &str| word.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let key = |word: &str| {
            let (time, weight) = word.split_once(':').unwrap_or(("0", word));
            let at = match number(time) {
                Some(seconds) => Time::Seconds(seconds),
                None => time.trim().parse().map_err(|_| wrong(time))?,
            };
            Ok(WeightAt { at, weight: number(weight).ok_or_else(|| wrong(weight))? })
        };
        let curve = |word: &str| word.split('/').map(key).collect::<Result<Vec<_>, String>>();
        let weights = Self(text.split(',').map(curve).collect::<Result<_, _>>()?);
        // Only times of one kind can be compared before the rate is known.
        for keys in &weights.0 {
            let frames = keys.iter().filter(|key| matches!(key.at, Time::Frames(_))).count();
            if frames == 0 || frames == keys.len() {
                Self(vec![keys.clone()]).curves(1.0).map_err(|error| error.to_string())?;
            }
        }
        Ok(weights)
    }
}

impl fmt::Display for BlendWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let curve = |keys: &Vec<WeightAt>| match keys.as_slice() {
            [WeightAt { at: Time::Seconds(0.0), weight }] => weight.to_string(),
            keys => {
                let keys: Vec<String> = keys.iter().map(|key| format!("{}:{}", key.at, key.weight)).collect();
                keys.join("/")
            }
        };
        f.write_str(&self.0.iter().map(curve).collect::<Vec<_>>().join(","))
    }
}
