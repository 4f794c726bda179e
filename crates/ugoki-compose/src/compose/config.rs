//! Settings of a search.

use serde::{Deserialize, Serialize};

use super::ComposeError;

/// How gaps are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Generations of walks that begin with walks guided by the cost-to-go.
    #[default]
    Genetic,
    /// The genetic search of the paper and nothing else.
    GeneticPaper,
    /// A beam search of each layer, ranked again by F.
    Beam,
    /// The cheapest walks of the right length, layer by layer, ranked again by F.
    Paths,
}

/// Which edges must exist for a cut between Aᵢ|Aᵢ₊₁ and Bⱼ|Bⱼ₊₁.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum CutRule {
    /// Aᵢ→Bⱼ₊₁ and Bⱼ→Aᵢ₊₁, as in the paper's figure: what the exchange joins.
    #[default]
    Figure,
    /// Aᵢ→Bⱼ and Bⱼ₊₁→Aᵢ₊₁, as in the paper's text; children with a step that is no edge are dropped.
    Text,
}

/// One generation, for a log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Generation {
    /// Its number, from 0 for the first population.
    pub number: usize,
    /// M: how many chromosomes must be valid.
    pub wanted: usize,
    /// How many distinct ones are.
    pub valid: usize,
    /// The least F.
    pub best_f: f64,
    /// The median F.
    pub median_f: f64,
}

/// α, β and δ in F = α·f1 + β·f2 + δ·f3.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// α, per s².
    pub time: f64,
    /// β, per unit of transition cost.
    pub roughness: f64,
    /// δ, per rad².
    pub torso: f64,
}

/// Settings of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComposeConfig {
    /// How gaps are filled.
    pub method: Method,
    /// Candidates wanted: M at the start.
    pub candidates: usize,
    /// Candidates searched for beyond those, to choose from.
    pub spare: usize,
    /// Chromosomes of a generation.
    pub population: usize,
    /// Generations after which M is lowered; from then on by one for each further eighth of them.
    pub generations: usize,
    /// Generations without a better best after which a population has nothing new to tell and another begins.
    pub patience: usize,
    /// Where all chance comes from.
    pub seed: u64,
    /// α, β, δ; from the first population when absent, so that β·f2 is the largest term at its median.
    pub weights: Option<Weights>,
    /// Costs at or above which transitions are not taken: the second is tried for a gap only where the first gives no way to
    /// fill it, and so on. When empty, the networks' own.
    pub thresholds: Vec<f64>,
    /// Where the paper's search cuts chromosomes.
    pub cut_rule: CutRule,
    /// F_v: candidates must not be worse; half the first population's median F when absent.
    pub valid_f: Option<f64>,
    /// Candidates differ by at least this fraction of their length, unless nothing else exists.
    pub distance: f64,
    /// Times between keys may be off by this fraction, which rendering corrects by a tempo change.
    #[serde(rename = "stretch")]
    pub tempo_change: f64,
    /// Rows per second at which the torso is looked at during the search; candidates are scored on every frame.
    pub torso_hz: f64,
    /// Walks that the path search keeps for each node and time; more find better and take longer.
    pub kept: usize,
    /// Fraction of the chromosomes in which a part of the walk is replaced, each generation.
    pub mutation: f64,
}

impl Default for ComposeConfig {
    fn default() -> Self {
        Self {
            method: Method::Genetic,
            candidates: 8,
            spare: 0,
            population: 200,
            generations: 2000,
            patience: 12,
            seed: 0,
            weights: None,
            thresholds: Vec::new(),
            cut_rule: CutRule::Figure,
            valid_f: None,
            // The paper's figure 9 has 0.43 in the mean; a least distance of 0.3 leaves room around that.
            distance: 0.3,
            tempo_change: 0.05,
            torso_hz: 10.0,
            kept: 4,
            mutation: 0.15,
        }
    }
}

impl ComposeConfig {
    /// Thresholds by which gaps are filled where none is given, rad²: each twice the one before.
    pub const RELAXED: [f64; 9] = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8];

    pub(super) fn check(&self) -> Result<(), ComposeError> {
        let within = |name: &'static str, value: f64, low: f64, high: f64| {
            if value >= low && value <= high {
                Ok(())
            } else {
                Err(ComposeError::Config { name, value, low, high })
            }
        };
        within("candidates", self.candidates as f64, 1.0, 1000.0)?;
        within("spare", self.spare as f64, 0.0, 1000.0)?;
        within("population", self.population as f64, 4.0, 65_534.0)?;
        within("generations", self.generations as f64, 1.0, 1e7)?;
        within("patience", self.patience as f64, 1.0, 1e7)?;
        within("distance", self.distance, 0.0, 1.0)?;
        within("stretch", self.tempo_change, 0.0, 0.5)?;
        within("torso_hz", self.torso_hz, 1.0, 240.0)?;
        within("kept", self.kept as f64, 1.0, 1024.0)?;
        within("mutation", self.mutation, 0.0, 1.0)?;
        self.thresholds
            .iter()
            .try_for_each(|&threshold| within("threshold", threshold, f64::MIN_POSITIVE, 1e6))?;
        within("valid_f", self.valid_f.unwrap_or(0.0), f64::MIN, f64::MAX)?;
        let weights = self.weights.unwrap_or(Weights { time: 1.0, roughness: 1.0, torso: 1.0 });
        within("weights.time", weights.time, 0.0, 1e12)?;
        within("weights.roughness", weights.roughness, 0.0, 1e12)?;
        within("weights.torso", weights.torso, 0.0, 1e12)
    }
}
