//! The options about reading files, the same for every verb.

use clap::ValueEnum;
use ugoki::clip::{OffsetMode, UpAxis};
use ugoki_verbs::{Reading, Tpose};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
#[group(skip)]
pub(super) struct Words {
    /// Whether position channels replace a joint's offset or add to it (default: replace, unless that
    /// would put the whole body into one point)
    #[arg(long, value_enum)]
    offset: Option<Offset>,

    /// Which way is up in the file (default: found from the body)
    #[arg(long, value_enum, value_name = "AXIS")]
    source_up: Option<Up>,

    /// Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    source_unit: Option<f64>,

    /// Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of
    /// their keys)
    #[arg(long, value_name = "FPS", value_parser = rate)]
    source_fps: Option<f64>,

    /// Which motion of a file with several: its name, or its number from 0 (default: the first)
    #[arg(long, value_name = "NAME|N")]
    take: Option<String>,

    /// The ASF file of an AMC (default: the one of its name beside it, up to the underscore)
    #[arg(long, value_name = "FILE")]
    asf: Option<String>,

    /// What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    #[arg(long, value_name = "MAP.toml")]
    markers: Option<String>,

    /// What to do with an added T-pose in frame 0
    #[arg(long, value_enum, default_value = "keep")]
    tpose: TposeWord,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Offset {
    Replace,
    Add,
}

/// An axis that points up.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Up {
    Y,
    Z,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TposeWord {
    Keep,
    Drop,
}

impl From<Up> for UpAxis {
    fn from(up: Up) -> Self {
        match up {
            Up::Y => Self::Y,
            Up::Z => Self::Z,
        }
    }
}

impl Words {
    pub(super) fn reading(&self) -> Reading {
        Reading {
            offset: self.offset.map(|offset| match offset {
                Offset::Replace => OffsetMode::Replace,
                Offset::Add => OffsetMode::Add,
            }),
            source_up: self.source_up.map(Into::into),
            source_unit: self.source_unit,
            source_fps: self.source_fps,
            take: self.take.clone(),
            asf: self.asf.clone(),
            markers: self.markers.clone(),
            tpose: match self.tpose {
                TposeWord::Keep => Tpose::Keep,
                TposeWord::Drop => Tpose::Drop,
            },
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(fps) if fps.is_finite() && fps > 0.0 => Ok(fps),
        _ => Err("expected frames per second above 0".to_owned()),
    }
}

fn unit(text: &str) -> Result<f64, String> {
    let metres = match text {
        "m" => 1.0,
        "dm" => 0.1,
        "cm" => 0.01,
        "mm" => 0.001,
        "in" => 0.0254,
        "ft" => 0.3048,
        "cmu" => 0.0254 / 0.45,
        number => number.parse().unwrap_or(f64::NAN),
    };
    if metres.is_finite() && metres > 0.0 {
        return Ok(metres);
    }
    Err("expected metres per unit above 0, or one of m, dm, cm, mm, in, ft, cmu".to_owned())
}
