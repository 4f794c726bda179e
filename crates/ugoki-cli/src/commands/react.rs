//! `ugoki react`

use std::process::ExitCode;

use clap::ValueEnum;
use ugoki_verbs::check_plot_name;
use ugoki_verbs::react::{
    BodyFormat, Files, Load, Push, ReportFormat, Request, check_names, csv, plot, run as react_job,
};

use super::{reading, say};
use crate::failure::Failure;
use crate::files;
use crate::interrupt::Bar;
use crate::output;

/// Makes a motion answer to weights, pushes and thrown objects like a person with limited strength who keeps balance
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki react squat.bvh out.bvh --load 8@chest --report r.csv\n  \
                        ugoki react stand.bvh out.bvh --push 1.0,leftUpperArm,0,0,-25 --report r.json --plot r.svg\n  \
                        ugoki react walk.bvh out.bvh --load 2@leftHand:0,-0.1,0 --mass 80 --control off\n  \
                        ugoki react stand.bvh out.bvh --throw balls.json --report r.json\n  \
                        ugoki react squat.bvh out.bvh --load 20@chest --export-body body.xml\n\n\
                        Loads are measured from a joint in the character's rest frame (left +X, up +Y, front +Z); a \
                        load at the chest lies on the shoulder blades unless told otherwise. Pushes are in world \
                        axes. The report has, for every frame, tracking error, torque and load ratio of each joint, \
                        ZMP and margin, corrections and ground forces.")]
pub(super) struct Words {
    /// Motion file, or - for standard input
    input: String,

    /// File to write, or - for standard output
    output: String,

    /// A mass carried: kilograms at a joint, and metres from it; may be repeated
    #[arg(long = "load", value_name = "KG@ROLE[:X,Y,Z]", allow_hyphen_values = true)]
    loads: Vec<Load>,

    /// A blow: when, on which joint, impulse in N·s in world axes; may be repeated
    #[arg(long = "push", value_name = "SECONDS,ROLE,X,Y,Z", allow_hyphen_values = true)]
    pushes: Vec<Push>,

    /// Balls and boxes that meet the body: position, velocity, mass, shape, time
    #[arg(long, value_name = "FILE.json")]
    throw: Option<String>,

    /// Whether strained joints are relieved and balance is kept
    #[arg(long, value_enum, default_value = "on")]
    control: Switch,

    /// What differs from the tables about the body: masses, strengths, limits
    #[arg(long, value_name = "BODY.toml")]
    body: Option<String>,

    /// Mass of the body without loads, 5 to 500 kg; 65 when not given
    #[arg(long = "mass", value_name = "KG")]
    mass_kg: Option<f64>,

    /// Let no joint give more than its strength, also where the motion itself takes more
    #[arg(long)]
    strict: bool,

    /// Write the body as it is simulated, loads welded on: .xml (MJCF) or .urdf
    #[arg(long = "export-body", value_name = "OUT")]
    export_body: Option<String>,

    /// Write the report of every frame: .json or .csv
    #[arg(long, value_name = "OUT")]
    report: Option<String>,

    /// Write a plot of error, balance, strain and corrections: .svg
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<String>,

    #[command(flatten)]
    reading: reading::Words,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            input: self.input.clone(),
            output: self.output.clone(),
            loads: self.loads.clone(),
            pushes: self.pushes.clone(),
            throw: self.throw.clone(),
            control: self.control == Switch::On,
            body: self.body.clone(),
            mass_kg: self.mass_kg,
            strict: self.strict,
            export_body: self.export_body.clone(),
            report: self.report.clone(),
            plot: self.plot.clone(),
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let refused = |error: ugoki_verbs::Error| Failure::advised(&error.to_string());
    files::check_output(&request.output, json)?;
    let format = request.report.as_deref().map(ReportFormat::from_name).transpose().map_err(refused)?;
    request.plot.as_deref().map(check_plot_name).transpose().map_err(refused)?;
    request.export_body.as_deref().map(BodyFormat::from_name).transpose().map_err(refused)?;
    check_names(request).map_err(refused)?;
    let body = request.body.as_deref().map(text).transpose()?;
    let throw = request.throw.as_deref().map(text).transpose()?;
    let read = files::motion(&request.input, &request.reading)?;
    let bar = Bar::start("reacting");
    let named = Files { body: body.as_deref(), throw: throw.as_deref() };
    let (clip, report) = react_job(request, &read.clip, named, &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    drop(bar);
    files::write_motion(&request.output, &clip, &read)?;
    if let (Some(name), Some(format)) = (&request.report, format) {
        let text = match format {
            ReportFormat::Csv => csv(&report),
            ReportFormat::Json => {
                serde_json::to_string(&report).map_err(|error| Failure::of_file(name, &error))? + "\n"
            }
        };
        files::write(name, text.as_bytes())?;
    }
    if let Some(name) = &request.plot {
        files::write(name, plot(&report).as_bytes())?;
    }
    if let (Some(name), Some(text)) = (&request.export_body, &report.body) {
        files::write(name, text.as_bytes())?;
    }
    report.notes.iter().for_each(|note| output::note(note));
    say(&report, json);
    Ok(ExitCode::SUCCESS)
}

/// A text file that an option names.
fn text(name: &str) -> Result<String, Failure> {
    String::from_utf8(files::bytes(name)?).map_err(|_| Failure::of_file(name, &"is not text"))
}
