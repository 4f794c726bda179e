//! Convolution kernels: odd counts of taps that sum to 1.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// More taps than any clip is worth: three hours at 60 per second.
const MAX_TAPS: usize = 1_000_001;
/// Tap sums nearer to zero than this fraction of their absolute sum cannot be brought to 1 without noise: everything would
/// be enlarged a thousand times. Smoothing kernels lie between 0.5 and 1.
const MIN_SUM: f64 = 1e-3;
/// A Gaussian ends where its weight has fallen to exp(−4.5) ≈ 1 % of the centre: three deviations.
const GAUSS_REACH: f64 = 3.0;

/// What a kernel is made from, as users write it: `box:51`, `gauss:2.5`, `binomial:9`, `savgol:11,3`, `taps:1,2,1`.
#[derive(Debug, Clone, PartialEq)]
pub enum KernelShape {
    /// Moving average over this many frames.
    Box(usize),
    /// Gaussian with this deviation in frames.
    Gauss(f64),
    /// Row of Pascal's triangle with this many entries.
    Binomial(usize),
    /// Savitzky–Golay: least-squares polynomial of the given degree over this many frames.
    Savgol(usize, usize),
    /// The user's own weights.
    Taps(Vec<f64>),
}

/// Why a kernel cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum KernelError {
    /// Not a kernel at all.
    #[error(
        "{text:?} is not a kernel; write one such as box:51, gauss:2.5, binomial:9, savgol:11,3, taps:1,2,1 or one-euro:1,0.5"
    )]
    Syntax {
        /// The text found.
        text: String,
    },
    /// The count must be odd, so that there is a centre.
    #[error("a kernel of {taps} taps has no centre")]
    Even {
        /// Taps asked for.
        taps: usize,
    },
    /// No taps.
    #[error("a kernel of no taps does nothing")]
    Empty,
    /// Too many taps.
    #[error("a kernel of more than {max} taps is not possible")]
    TooMany {
        /// Taps asked for, or the largest count there is.
        taps: usize,
        /// The bound.
        max: usize,
    },
    /// The deviation must be positive.
    #[error("a Gaussian with a deviation of {sigma} frames is not possible")]
    Sigma {
        /// Deviation asked for.
        sigma: f64,
    },
    /// A One-Euro filter needs a cut-off above 0 and a rise that is not negative.
    #[error("a One-Euro filter with a cut-off of {min_cutoff_hz} Hz and a rise of {beta} is not possible")]
    OneEuro {
        /// Cut-off asked for, hertz.
        min_cutoff_hz: f64,
        /// Rise with speed asked for.
        beta: f64,
    },
    /// A polynomial needs more points than its degree.
    #[error("a polynomial of degree {degree} needs more than {degree} taps, found {taps}")]
    Degree {
        /// Taps asked for.
        taps: usize,
        /// Degree asked for.
        degree: usize,
    },
    /// A tap is not a finite number.
    #[error("tap {} is {value}, expected a finite number", index + 1)]
    NotFinite {
        /// Which one, from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The taps cancel.
    #[error(
        "the taps cancel: they sum to {}, their sizes to {}, and cannot be brought to sum 1",
        short(*sum),
        short(*size)
    )]
    ZeroSum {
        /// Σ of the taps.
        sum: f64,
        /// Σ of their sizes.
        size: f64,
    },
}

/// Weights h₋ᴷ … h₀ … hᴷ with sum 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    taps: Vec<f64>,
}

impl Kernel {
    /// Builds and normalises the weights.
    ///
    /// # Errors
    /// Says what is wrong with the shape and what to do.
    pub fn build(shape: &KernelShape) -> Result<Self, KernelError> {
        let taps = match shape {
            KernelShape::Box(n) => vec![1.0; odd(*n)?],
            KernelShape::Gauss(sigma) => gauss(*sigma)?,
            KernelShape::Binomial(n) => binomial(odd(*n)?),
            KernelShape::Savgol(n, degree) => savgol(odd(*n)?, *degree)?,
            KernelShape::Taps(taps) => {
                odd(taps.len())?;
                taps.clone()
            }
        };
        Self::from_taps(&taps)
    }

    pub(super) fn from_taps(taps: &[f64]) -> Result<Self, KernelError> {
        if let Some(index) = taps.iter().position(|tap| !tap.is_finite()) {
            return Err(KernelError::NotFinite { index, value: taps[index] });
        }
        // By the largest first: taps of any size have a sum.
        let largest = taps.iter().fold(0.0_f64, |most, tap| most.max(tap.abs())).max(f64::MIN_POSITIVE);
        let taps: Vec<f64> = taps.iter().map(|tap| tap / largest).collect();
        let sum: f64 = taps.iter().sum();
        let size: f64 = taps.iter().map(|tap| tap.abs()).sum();
        if sum.abs() <= MIN_SUM * size {
            let largest = if size > 0.0 { largest } else { 0.0 };
            return Err(KernelError::ZeroSum { sum: sum * largest, size: (size * largest).min(f64::MAX) });
        }
        Ok(Self { taps: taps.iter().map(|tap| tap / sum).collect() })
    }

    /// All weights, the first for the earliest frame.
    #[must_use]
    pub fn taps(&self) -> &[f64] {
        &self.taps
    }

    /// K: how many frames the kernel reaches to either side.
    #[must_use]
    pub fn reach(&self) -> usize {
        self.taps.len() / 2
    }
}

/// A number as people write it: powers of ten only where many digits would be needed.
fn short(number: f64) -> String {
    let plain = number == 0.0 || (1e-3..1e6).contains(&number.abs());
    if plain { format!("{number}") } else { format!("{number:.1e}") }
}

fn odd(taps: usize) -> Result<usize, KernelError> {
    match taps {
        0 => Err(KernelError::Empty),
        n if n > MAX_TAPS => Err(KernelError::TooMany { taps, max: MAX_TAPS }),
        n if n % 2 == 0 => Err(KernelError::Even { taps }),
        n => Ok(n),
    }
}

fn gauss(sigma: f64) -> Result<Vec<f64>, KernelError> {
    if !(sigma.is_finite() && sigma > 0.0) {
        return Err(KernelError::Sigma { sigma });
    }
    let reach = (GAUSS_REACH * sigma).ceil();
    if 2.0 * reach + 1.0 > MAX_TAPS as f64 {
        return Err(KernelError::TooMany { taps: (2.0 * reach + 1.0) as usize, max: MAX_TAPS });
    }
    let reach = reach as i64;
    Ok((-reach..=reach).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect())
}

fn binomial(taps: usize) -> Vec<f64> {
    // In logarithms: long rows overflow, and the sum is brought to 1 anyway.
    let n = taps - 1;
    let mut log_weight = 0.0_f64;
    let mut logs = Vec::with_capacity(taps);
    for k in 0..taps {
        logs.push(log_weight);
        log_weight += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    let largest = logs[n / 2];
    logs.iter().map(|log| (log - largest).exp()).collect()
}

/// Weights of the centre value of the least-squares polynomial, by orthogonal (Gram) polynomials on the
/// window, which stay well-conditioned where normal equations do not [gorry1990].
fn savgol(taps: usize, degree: usize) -> Result<Vec<f64>, KernelError> {
    if degree >= taps {
        return Err(KernelError::Degree { taps, degree });
    }
    let reach = (taps / 2) as f64;
    let at: Vec<f64> = (0..taps).map(|i| i as f64 - reach).collect();
    let centre = taps / 2;
    let (mut before, mut current) = (vec![0.0; taps], vec![1.0; taps]);
    let mut weights = vec![0.0; taps];
    let mut norm_before = 1.0_f64;
    for order in 0..=degree {
        let norm: f64 = current.iter().map(|p| p * p).sum();
        if norm <= 0.0 {
            break;
        }
        for i in 0..taps {
            weights[i] += current[centre] * current[i] / norm;
        }
        // Three-term recurrence; the window is symmetric, so the middle term vanishes.
        let back = if order == 0 { 0.0 } else { norm / norm_before };
        let next: Vec<f64> = (0..taps).map(|i| at[i] * current[i] - back * before[i]).collect();
        // Scaled so that high orders neither overflow nor vanish.
        let size = next.iter().fold(0.0_f64, |m, p| m.max(p.abs())).max(f64::MIN_POSITIVE);
        before = current.iter().map(|p| p / size).collect();
        norm_before = norm / (size * size);
        current = next.iter().map(|p| p / size).collect();
    }
    Ok(weights)
}

impl FromStr for KernelShape {
    type Err = KernelError;

    fn from_str(text: &str) -> Result<Self, KernelError> {
        let syntax = || KernelError::Syntax { text: text.to_owned() };
        let (name, value) = text.split_once(':').ok_or_else(syntax)?;
        // A count with too many digits is a count all the same: far too many taps, which building says.
        let count = |value: &str| match value.trim() {
            digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                Ok(digits.parse::<usize>().unwrap_or(usize::MAX))
            }
            _ => Err(syntax()),
        };
        let number = |value: &str| value.trim().parse::<f64>().map_err(|_| syntax());
        match name.trim() {
            "box" => Ok(Self::Box(count(value)?)),
            "gauss" => Ok(Self::Gauss(number(value)?)),
            "binomial" => Ok(Self::Binomial(count(value)?)),
            "savgol" => {
                let (taps, degree) = value.split_once(',').ok_or_else(syntax)?;
                Ok(Self::Savgol(count(taps)?, count(degree)?))
            }
            "taps" => value.split(',').map(number).collect::<Result<_, _>>().map(Self::Taps),
            _ => Err(syntax()),
        }
    }
}

impl fmt::Display for KernelShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Box(taps) => write!(f, "box:{taps}"),
            Self::Gauss(sigma) => write!(f, "gauss:{sigma}"),
            Self::Binomial(taps) => write!(f, "binomial:{taps}"),
            Self::Savgol(taps, degree) => write!(f, "savgol:{taps},{degree}"),
            Self::Taps(taps) => {
                let taps: Vec<String> = taps.iter().map(ToString::to_string).collect();
                write!(f, "taps:{}", taps.join(","))
            }
        }
    }
}

impl Serialize for KernelShape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KernelShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn built(text: &str) -> Result<Kernel, KernelError> {
        Kernel::build(&text.parse::<KernelShape>()?)
    }

    proptest! {
        #[test]
        fn every_kernel_sums_to_one_and_is_symmetric(half in 0..60usize, sigma in 0.1..40.0_f64, degree in 0..6usize) {
            let n = 2 * half + 1;
            let mut shapes = vec![KernelShape::Box(n), KernelShape::Gauss(sigma), KernelShape::Binomial(n)];
            if degree < n {
                shapes.push(KernelShape::Savgol(n, degree));
            }
            for shape in shapes {
                let kernel = Kernel::build(&shape).unwrap();
                let taps = kernel.taps();
                prop_assert!((taps.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                for i in 0..taps.len() {
                    prop_assert!((taps[i] - taps[taps.len() - 1 - i]).abs() < 1e-12, "{shape}: {taps:?}");
                }
                prop_assert_eq!(shape.to_string().parse::<KernelShape>(), Ok(shape));
            }
        }

        #[test]
        fn savgol_keeps_polynomials_of_its_degree(half in 1..20usize, degree in 0..6usize, c in prop::array::uniform6(-1.0..1.0_f64)) {
            let n = 2 * half + 1;
            prop_assume!(degree < n);
            let kernel = Kernel::build(&KernelShape::Savgol(n, degree)).unwrap();
            let value = |t: f64| (0..=degree).map(|i| c[i] * (t / half as f64).powi(i as i32)).sum::<f64>();
            let smoothed: f64 = kernel.taps().iter().enumerate().map(|(i, h)| h * value(i as f64 - half as f64)).sum();
            prop_assert!((smoothed - value(0.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn known_kernels_come_out_as_published() {
        let pascal = built("binomial:5").unwrap();
        let wanted = [1.0, 4.0, 6.0, 4.0, 1.0].map(|x| x / 16.0);
        assert!(pascal.taps().iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12));
        // Savitzky & Golay 1964, table I: quadratic, five points: −3 12 17 12 −3 over 35.
        let quadratic = built("savgol:5,2").unwrap();
        let wanted = [-3.0, 12.0, 17.0, 12.0, -3.0].map(|x| x / 35.0);
        assert!(quadratic.taps().iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{quadratic:?}");
    }

    #[test]
    fn impossible_kernels_say_why() {
        for (text, words) in [
            ("box:50", "no centre"),
            ("box:0", "no taps"),
            ("taps:1,-1", "no centre"),
            ("taps:1,-2,1", "cannot be brought to sum 1"),
            ("taps:1,nan,1", "finite"),
            ("gauss:0", "deviation of 0 frames"),
            ("gauss:-1", "deviation of -1 frames"),
            ("gauss:1e300", "more than"),
            ("gauss:1e30", "more than"),
            ("gauss:inf", "deviation of inf frames"),
            ("gauss:nan", "deviation of NaN frames"),
            ("box:99999999999999999999999999", "more than"),
            ("binomial:99999999999999999999999999", "more than"),
            ("savgol:5,7", "needs more than 7 taps"),
            ("box", "such as box:51"),
            ("box:x", "such as box:51"),
            ("mean:3", "such as box:51"),
        ] {
            let error = built(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
