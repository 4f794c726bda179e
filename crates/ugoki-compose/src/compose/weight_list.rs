//! Weights of the objective as text: `1,20,5`.

use std::fmt;
use std::str::FromStr;

use ugoki_base::text_form;

use super::config::Weights;

/// α, β and δ as users write them: `1,20,5`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightList(pub Weights);

impl FromStr for WeightList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> = text.split(',').filter_map(|word| word.trim().parse().ok()).collect();
        match numbers[..] {
            [time, roughness, torso] if numbers.iter().all(|n| n.is_finite() && *n >= 0.0) => {
                Ok(Self(Weights { time, roughness, torso }))
            }
            _ => Err(format!("{text:?} is not three weights; give time, roughness and torso such as 1,20,5")),
        }
    }
}

impl fmt::Display for WeightList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Weights { time, roughness, torso } = self.0;
        write!(f, "{time},{roughness},{torso}")
    }
}

text_form! {
    WeightList: "Weights of time error, transitions and torso, such as 1,20,5.";
}
