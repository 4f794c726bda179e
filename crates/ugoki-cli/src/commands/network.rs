//! `ugoki network`

use std::process::ExitCode;

use ugoki::network::Layers;
use ugoki_verbs::network::{Building, INTERIOR_S, Request, run as look};

use crate::failure::Failure;
use crate::{catalogues, files, output};

/// Builds or shows the motion network: which motion may follow which, layer by layer
///
/// The network is kept in the database and brought up to date when clips come or go.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ugoki network moves.ugoki\n  ugoki network moves.ugoki --layer upper --threshold 0.08 --plot upper.svg\n  \
                        ugoki network sample --layers head-arms-legs --json"
)]
pub(super) struct Words {
    /// Database, or sample for the built-in one
    database: String,

    /// Only this layer; full is the whole body in one
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,

    /// Draw it
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<String>,

    #[command(flatten)]
    building: BuildingWords,
}

/// How networks are built, here and in `compose`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct BuildingWords {
    /// Parts of the body that are put together: upper-lower, full, head-arms-legs, or a file with layers
    #[arg(long, value_name = "NAME|FILE", default_value = "upper-lower")]
    layers: String,

    /// Transitions that cost this much or more are none, rad²
    #[arg(long, value_name = "COST", default_value_t = Building::default().threshold)]
    threshold: f64,

    /// Keep only so many transitions per motion, the cheapest
    #[arg(long, value_name = "N")]
    most: Option<u32>,

    /// Let motions be entered and left up to so many seconds inside
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = INTERIOR)]
    interior: Option<f64>,

    /// Use clips only as a whole, not their single movements
    #[arg(long)]
    whole: bool,

    /// Let motions last whole beats of this tempo
    #[arg(long, value_name = "BEATS/MIN")]
    bpm: Option<f64>,
}

/// [`INTERIOR_S`] as a word; the test of command lines compares them.
const INTERIOR: &str = "0.3";
const _: () = assert!(INTERIOR_S == 0.3);

impl BuildingWords {
    pub(super) fn building(&self) -> Building {
        Building {
            layers: self.layers.clone(),
            threshold: self.threshold,
            most: self.most,
            interior_s: self.interior.unwrap_or(0.0),
            whole: self.whole,
            bpm: self.bpm,
        }
    }
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            database: self.database.clone(),
            layer: self.layer.clone(),
            plot: self.plot.clone(),
            building: self.building.building(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let mut layers = catalogues::layers(&request.building)?;
    if request.layer.as_deref() == Some("full") && layers.find("full").is_none() {
        layers = Layers::full();
    }
    let found = catalogues::find(&request.database, &request.building, layers)?;
    let done = look(request, &found.catalogue, found.changes, found.stored)
        .map_err(|error| Failure::of_job(&request.database, &error))?;
    if let (Some(file), Some(plot)) = (&request.plot, &done.plot) {
        files::write(file, plot.as_bytes())?;
    }
    output::report(&done.report, json);
    // A network in which nothing follows anything is none.
    Ok(ExitCode::from(u8::from(done.report.edges == 0)))
}
