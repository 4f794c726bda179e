//! `network`: which motion of a database may follow which, layer by layer.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::compose::{HIGHEST_THRESHOLD, INTERIOR_S};
use ugoki::network::{
    Catalogue, CatalogueConfig, Changes, CutConfig, FeatureConfig, Layers, NetworkConfig, NetworkSummary,
    summarize,
};
use ugoki::picture::catalogue_svg;

use crate::error::InFile as _;
use crate::outcome::Outcome;
use crate::plots::check_plot_name;
use crate::verb::{Stream, Verb};
use crate::{Error, Host, documents};

/// Builds or shows the motion network: which motion may follow which, layer by layer
///
/// The network is kept in the database and brought up to date when clips come or go.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  ugoki network moves.ugoki\n  ugoki network moves.ugoki --layer upper --threshold 0.08 --plot upper.svg\n  \
                        ugoki network sample --layers head-arms-legs --json"
)]
pub struct Network {
    /// Database, or sample for the built-in one
    pub database: String,

    /// Only this layer; full is the whole body in one
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,

    /// Draw a plot: motions and their transitions
    #[arg(short = 'o', long, visible_alias = "output", value_name = "FILE.svg")]
    pub plot: Option<String>,

    /// How it is built.
    #[command(flatten)]
    #[serde(flatten)]
    pub building: Building,
}

/// How networks are built, for `network` and `compose` alike.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[group(skip)]
pub struct Building {
    /// Parts of the body that are put together: upper-lower, full, head-arms-legs, or a file with layers
    #[arg(long, value_name = "NAME|FILE", default_value = "upper-lower")]
    pub layers: String,

    /// Leave out transitions that cost this much or more, rad² [default: 0.05, and more where nothing else fits]
    #[arg(long, value_name = "COST", allow_negative_numbers = true)]
    pub threshold: Option<f64>,

    /// Keep only so many transitions into and out of each motion, the cheapest; 0 keeps all
    #[arg(long, value_name = "N", default_value_t = NetworkConfig::MOST)]
    pub most: u32,

    /// Let motions be entered and left up to so many seconds inside
    #[arg(long = "interior", value_name = "SECONDS", num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = 0.0, hide_default_value = true, default_missing_value = INTERIOR)]
    pub interior_s: f64,

    /// Use clips only as a whole, not their single movements
    #[arg(long)]
    pub whole: bool,

    /// Let motions last whole beats of this tempo
    #[arg(long, value_name = "BEATS/MIN", allow_negative_numbers = true)]
    pub bpm: Option<f64>,
}

/// [`INTERIOR_S`] as an argument.
const INTERIOR: &str = "0.3";
const _: () = assert!(INTERIOR_S == 0.3);

impl Building {
    /// The settings with these layers.
    #[must_use]
    pub fn config(&self, layers: Layers) -> CatalogueConfig {
        CatalogueConfig {
            layers,
            cut: CutConfig { pieces: !self.whole, bpm: self.bpm, ..CutConfig::default() },
            features: FeatureConfig { interior_s: self.interior_s, ..FeatureConfig::default() },
            network: self.edges(),
        }
    }

    /// Which transitions the database keeps. Where only the cheapest are kept, the network is the same for all usual
    /// thresholds, which are applied to it later.
    fn edges(&self) -> NetworkConfig {
        let usual = NetworkConfig::default();
        let most = Some(self.most).filter(|&most| most > 0);
        let threshold = match (most, self.threshold) {
            (Some(_), threshold) => threshold.unwrap_or(usual.threshold).max(HIGHEST_THRESHOLD),
            (None, threshold) => threshold.unwrap_or(usual.threshold),
        };
        NetworkConfig { threshold, most, ..usual }
    }

    /// # Errors
    /// When the threshold is no cost.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.threshold.filter(|threshold| !(*threshold > 0.0 && *threshold <= 1e6)) {
            Some(threshold) => {
                Err(Error::option("--threshold", format!("{threshold} is not a cost"))
                    .hint("give more than 0"))
            }
            None => Ok(()),
        }
    }

    /// The layers that the user named, by word or by file.
    ///
    /// # Errors
    /// When there is no such file, or it does not hold layers.
    pub fn read_layers(&self, host: &mut dyn Host) -> Result<Layers, Error> {
        let name = &self.layers;
        match name.as_str() {
            "upper-lower" => return Ok(Layers::upper_lower()),
            "full" => return Ok(Layers::full()),
            "head-arms-legs" => return Ok(Layers::head_arms_legs()),
            _ => {}
        }
        if !host.exists(name) {
            return Err(Error::refused(format!("{name:?} is neither a set of layers nor a file"))
                .hint("use upper-lower, full, head-arms-legs or a file with layers"));
        }
        let text = host.text(name, "layers as TOML or JSON")?;
        documents::parse(&text).map_err(|error| {
            let hint = "layers have names and roles such as spine.twist; see docs/methods/compose.md";
            error.in_file(name, Some(hint))
        })
    }
}

/// A network in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The database as named.
    pub database: String,
    /// The numbers.
    #[serde(flatten)]
    pub summary: NetworkSummary,
    /// What was new or gone since it was stored; absent when it was built at once.
    pub changes: Option<Changes>,
    /// Whether it is kept in the database.
    pub stored: bool,
}

impl Verb for Network {
    type Report = Report;

    const ACTIVITY: &'static str = "network";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        if let Some(plot) = &self.plot {
            check_plot_name(Some(plot))?;
            host.check_outputs(&[&self.database, &self.building.layers], &[plot])?;
            host.check_folders(&[plot])?;
        }
        let mut layers = self.building.read_layers(host)?;
        if self.layer.as_deref() == Some("full") && layers.find("full").is_none() {
            layers = Layers::full();
        }
        self.building.check()?;
        let (found, stored) = host.catalogue(&self.database, &self.building.config(layers), progress)?;
        let threshold = self.building.threshold.unwrap_or(NetworkConfig::default().threshold);
        let catalogue = &found.catalogue.below(threshold);
        let chosen = self.chosen(catalogue).in_file(&self.database)?;
        let summary = summarize(catalogue, &chosen);
        if let Some(file) = &self.plot {
            host.write(file, catalogue_svg(catalogue, &chosen, &summary).as_bytes())?;
        }
        Ok(Report { database: self.database.clone(), summary, changes: found.changes, stored })
    }
}

impl Network {
    /// The layers to show.
    fn chosen(&self, catalogue: &Catalogue) -> Result<Vec<usize>, Error> {
        let layers = catalogue.layers().layers();
        let Some(name) = self.layer.as_deref() else { return Ok((0..layers.len()).collect()) };
        let mut names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
        if !names.contains(&"full") {
            names.push("full");
        }
        let found = catalogue.layers().find(name).ok_or_else(|| {
            Error::option("--layer", format!("there is no layer {name:?}"))
                .hint(format!("use {}", names.join(", ")))
        })?;
        Ok(vec![found])
    }
}

impl crate::Report for Report {
    const STREAM: Stream = Stream::Result;

    fn outcome(&self) -> Outcome {
        // A network without transitions is useless.
        if self.summary.edges == 0 { Outcome::NothingFound } else { Outcome::Done }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.database, self.summary)?;
        if let Some(Changes { added, removed, kept }) = self.changes {
            write!(f, "\n  since it was stored: {added} clips added, {removed} removed, {kept} kept")?;
        }
        Ok(())
    }
}
