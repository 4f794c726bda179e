//! `react`: a motion that answers to loads, pushes and thrown objects.

mod report;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::dynamics::{BodyConfig, BodyError, mjcf, urdf};
use ugoki::formats::Read;
use ugoki::picture::reaction_svg;
use ugoki::react;
use ugoki::react::world::{Scene, SceneError};
use ugoki::react::{
    CarriedLoad, ClipReactionError, Config, Disturbances, EventError, MAX_IMPULSE_N_S, MAX_LOAD_KG,
    ReactError, TimedPush, react_clip,
};
use ugoki::signal::{DespikeError, FilterError};
use ugoki::skeleton::Role;

use crate::error::InFile as _;
use crate::motion_verb::{Job, Made, MotionVerb, Written};
use crate::plots::{check_ending, check_plot_name};
use crate::text_form::as_texts;
use crate::{Error, NewMotion, Output, Reading, documents, extension};

pub use report::Report;

/// Makes a motion answer to weights, pushes and thrown objects like a person with limited strength who keeps balance
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki react squat.bvh out.bvh --load 8@chest --report r.csv\n  \
                        ugoki react stand.bvh out.bvh --push 1.0,leftUpperArm,0,0,-25 --report r.json --plot r.svg\n  \
                        ugoki react walk.bvh out.bvh --load 2@leftHand:0,-0.1,0 --mass 80 --control off\n  \
                        ugoki react stand.bvh out.bvh --throw balls.json --report r.json\n  \
                        ugoki react squat.bvh out.bvh --load 20@chest --export-body body.xml\n\n\
                        Loads are measured from a joint in the character's rest frame (left +X, up +Y, front +Z); a \
                        load at the chest lies on the shoulder blades unless another place is given. Pushes are in world \
                        axes. The report has, for every frame, tracking error, torque and load ratio of each joint, \
                        ZMP and margin, corrections and ground forces.")]
pub struct React {
    /// Motion file or folder, or - for standard input
    pub input: String,

    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,

    /// A mass carried: kilograms at a joint, and metres from it; may be repeated
    #[arg(long = "load", value_name = "KG@ROLE[:X,Y,Z]", allow_hyphen_values = true)]
    #[serde(serialize_with = "as_texts")]
    #[schemars(with = "Vec<String>")]
    pub loads: Vec<CarriedLoad>,

    /// A blow: when, on which joint, impulse in N·s in world axes; may be repeated
    #[arg(long = "push", value_name = "SECONDS,ROLE,X,Y,Z", allow_hyphen_values = true)]
    #[serde(serialize_with = "as_texts")]
    #[schemars(with = "Vec<String>")]
    pub pushes: Vec<TimedPush>,

    /// Balls and boxes that meet the body: position, velocity, mass, shape, time
    #[arg(long, value_name = "FILE.json")]
    pub throw: Option<String>,

    /// What is done against loads and blows
    #[arg(long, value_enum, default_value = "on")]
    pub control: Control,

    /// How the motion is followed; deviation when not given, extremum with --control paper
    #[arg(long, value_enum)]
    pub tracking: Option<Tracking>,

    /// Part of its strength that a joint bears without discomfort, 0 to 10; 0.15 when not given
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    pub comfort: Option<f64>,

    /// Factor on the strength of all joints, 0.001 to 1000; 1 when not given
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    pub strength: Option<f64>,

    /// What differs from the tables about the body: masses, strengths, limits
    #[arg(long, value_name = "BODY.toml")]
    pub body: Option<String>,

    /// Mass of the body without loads, 5 to 500 kg; 65 when not given
    #[arg(long = "mass", value_name = "KG", allow_negative_numbers = true)]
    pub mass_kg: Option<f64>,

    /// Let no joint give more than its strength, also where the motion itself takes more
    #[arg(long)]
    pub human_strength: bool,

    /// Write the body as it is simulated, loads welded on: .xml (MJCF) or .urdf
    #[arg(long, value_name = "OUT")]
    pub export_body: Option<String>,

    /// Write the report of every frame: .json or .csv
    #[arg(long, value_name = "OUT")]
    pub report: Option<String>,

    /// Draw a plot: error, balance, strain and corrections
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<String>,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// The controller that relieves joints and keeps balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Control {
    /// Planned relief, balance, giving way and steps, chosen by rollouts.
    #[value(alias = "true", help = None)]
    On,
    /// The motion is only followed.
    #[value(alias = "false", help = None)]
    Off,
    /// The controller of Oshita and Makinouchi as published: no plans, rollouts or steps.
    #[value(help = None)]
    Paper,
}

impl From<Control> for react::Control {
    fn from(control: Control) -> Self {
        match control {
            Control::On => Self::On,
            Control::Off => Self::Off,
            Control::Paper => Self::Paper,
        }
    }
}

/// How the motion is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Tracking {
    /// A cubic takes the deviation to zero: exact when undisturbed.
    #[value(help = None)]
    Deviation,
    /// A cubic goes straight to the next extremum, as published: it cuts corners.
    #[value(help = None)]
    Extremum,
}

impl From<Tracking> for react::Tracking {
    fn from(tracking: Tracking) -> Self {
        match tracking {
            Tracking::Deviation => Self::Deviation,
            Tracking::Extremum => Self::Extremum,
        }
    }
}

/// What a body file says; see `docs/methods/react-world.md`.
fn read_body(file: &str, text: &str) -> Result<BodyConfig, Error> {
    documents::parse_toml(text).map_err(|error| error.in_file(file, None))
}

impl MotionVerb for React {
    type Report = Report;

    const ACTIVITY: &'static str = "reacting";

    fn files(&self) -> (&str, &Output, &Reading) {
        (&self.input, &self.output, &self.reading)
    }

    fn side_files(&self) -> (Vec<&str>, Vec<&str>) {
        let inputs = [&self.throw, &self.body].into_iter().flatten();
        let outputs = [&self.report, &self.plot, &self.export_body].into_iter().flatten();
        (inputs.map(String::as_str).collect(), outputs.map(String::as_str).collect())
    }

    fn check(&self) -> Result<(), Error> {
        let check = |option, name: &Option<String>, endings: &[&str], hint| {
            name.as_deref().map_or(Ok(()), |name| check_ending(option, name, endings, hint))
        };
        check("--report", &self.report, &["json", "csv"], "use .json or .csv")?;
        check_plot_name(self.plot.as_deref())?;
        check("--export-body", &self.export_body, &["xml", "mjcf", "urdf"], "use .xml (MJCF) or .urdf")
    }

    fn one(&self, mut job: Job<'_>) -> Result<Written<Report>, Error> {
        let read = job.host.motion(job.input, &self.reading)?;
        let Made { clip, report, .. } = self.make(&read, &mut job).in_file(job.input)?;
        job.host.write_motion(job.output, &NewMotion::new(&clip, &read))?;
        let done = Written::new(&job, report);
        if let Some(name) = &self.report {
            let text = match extension(name).as_deref() {
                Some("csv") => done.report.reaction.csv(),
                _ => serde_json::to_string(&done).in_file(name)? + "\n",
            };
            job.host.write(name, text.as_bytes())?;
        }
        if let Some(name) = &self.plot {
            let title = format!("{} → {}", job.input, job.output);
            let Report { reaction, pushes, .. } = &done.report;
            job.host.write(name, reaction_svg(title, reaction, pushes).as_bytes())?;
        }
        if let (Some(name), Some(text)) = (&self.export_body, &done.report.body) {
            job.host.write(name, text.as_bytes())?;
        }
        done.report.notes.iter().for_each(|note| job.host.note(note));
        Ok(done)
    }

    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<Report>, Error> {
        let mut text = |name: &Option<String>, expected| {
            let read = |name: &String| Ok::<_, Error>((name.clone(), job.host.text(name, expected)?));
            name.as_ref().map(read).transpose()
        };
        let (body, throw) = (text(&self.body, "a body as TOML")?, text(&self.throw, "a scene as JSON")?);
        let (clip, report) = self.react(&read.clip, [body, throw], job.progress)?;
        Ok(Made::new(clip, report))
    }
}

impl React {
    /// Follows the motion through everything that happens; `[body, throw]` are the names and texts of those files.
    fn react(
        &self,
        clip: &Clip,
        [body, throw]: [Option<(String, String)>; 2],
        progress: Progress<'_>,
    ) -> Result<(Clip, Report), Error> {
        let as_published =
            if self.control == Control::Paper { Tracking::Extremum } else { Tracking::Deviation };
        let mut config = Config {
            control: self.control.into(),
            tracking: self.tracking.unwrap_or(as_published).into(),
            strict: self.human_strength,
            ..Config::default()
        };
        if let Some(comfort) = self.comfort {
            config.comfort = comfort;
        }
        if let Some((file, text)) = &body {
            config.body = read_body(file, text)?;
        }
        if let Some(mass) = self.mass_kg {
            config.body.mass_kg = mass;
        }
        if let Some(strength) = self.strength {
            config.body.strength = strength;
        }
        let blame = |error: ReactError| match (&error, &body) {
            (ReactError::Config { name, value, expected }, Some((file, _)))
                if name.starts_with("body.")
                    && (self.mass_kg.is_none() || *name != "body.mass_kg")
                    && (self.strength.is_none() || *name != "body.strength") =>
            {
                Error::refused(format!("{} is {value}", &name[5..]))
                    .hint(format!("give {expected}"))
                    .in_file(file)
            }
            _ => explained(error, clip),
        };
        let scene = match &throw {
            Some((file, text)) => Some(Scene::from_json(text).map_err(|error| of_scene(&error, file))?),
            None => None,
        };
        let what = Disturbances { loads: &self.loads, pushes: &self.pushes, scene: scene.as_ref() };
        let made = react_clip(clip, &config, what, progress).map_err(|error| match (error, &throw) {
            (ClipReactionError::Event(error), _) => of_event(error, blame),
            (ClipReactionError::React(error), _) => blame(error),
            (ClipReactionError::Scene(error), Some((file, _))) => of_scene(&error, file),
            (ClipReactionError::Scene(error), None) => Error::refused(error.to_string()),
        })?;
        let chests = [("--load", made.chest_of_loads), ("--push", made.chest_of_pushes)].into_iter();
        let chests = chests.filter_map(|(option, role)| {
            Some(format!("{option}: the skeleton has no chest; {} is taken for it", role?))
        });
        let warnings = made.warnings.iter().map(|warning| format!("--throw: {warning}"));
        let text = |name: &String| match extension(name).as_deref() {
            Some("urdf") => urdf(&made.body),
            _ => mjcf(&made.body),
        };
        let report = Report {
            control: self.control,
            loads: self.loads.clone(),
            pushes: self.pushes.clone(),
            notes: chests.chain(warnings).collect(),
            body: self.export_body.as_ref().map(text),
            reaction: made.report,
        };
        Ok((made.clip, report))
    }
}

/// The file of the scene is to blame, at a line if it has one.
fn of_scene(error: &SceneError, file: &str) -> Error {
    let line = if let SceneError::Json { line, .. } = error { *line } else { None };
    Error::refused(error.to_string()).at_line(file, line)
}

/// The option to blame for a load or push that cannot act.
fn of_event(error: EventError, blame: impl Fn(ReactError) -> Error) -> Error {
    let message = error.to_string();
    match error {
        EventError::Body(error) => blame(error.into()),
        EventError::Heavy { .. } => {
            Error::option("--load", message).hint(format!("give 0 to {MAX_LOAD_KG} kg"))
        }
        EventError::Hard { .. } => {
            Error::option("--push", message).hint(format!("give at most {MAX_IMPULSE_N_S}"))
        }
        EventError::NoJoint { of_load, known, .. } => {
            let known: Vec<&str> = known.into_iter().map(Role::name).collect();
            Error::option(if of_load { "--load" } else { "--push" }, message)
                .hint(format!("there are {}", known.join(", ")))
        }
        EventError::Outside { .. } => Error::option("--push", message).hint("choose a time in it"),
    }
}

/// The library's error with the option to blame.
fn explained(error: ReactError, clip: &Clip) -> Error {
    match error {
        ReactError::Config { name: "body.mass_kg", value, expected } => {
            Error::option("--mass", format!("a body of {value} kg cannot be simulated"))
                .hint(format!("give {expected}"))
        }
        ReactError::Config { name: name @ ("comfort" | "body.strength"), value, expected } => {
            let option = if name == "comfort" { "--comfort" } else { "--strength" };
            Error::option(option, format!("{value} is out of range")).hint(format!("give {expected}"))
        }
        ReactError::Body(BodyError::Missing { roles }) => {
            let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            Error::refused(format!(
                "the skeleton has no {}, and a body without legs cannot stand",
                names.join(", ")
            ))
            .hint("see `ugoki info` for the roles found")
        }
        ReactError::TooShort { frames, least } => Error::refused(format!(
            "{frames} frames of motion at {} per second are too few to be a motion",
            clip.fps()
        ))
        .hint(format!("give at least {least}")),
        ReactError::Despike(DespikeError::Cancelled(_)) | ReactError::Filter(FilterError::Cancelled(_)) => {
            Error::Cancelled
        }
        other => other.into(),
    }
}
