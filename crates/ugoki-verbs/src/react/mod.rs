//! `react`: a motion that answers to loads, pushes and thrown objects.

mod csv;
mod disturbances;
mod plot;
mod report;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::dynamics::{Body, BodyConfig, BodyError, mjcf, urdf};
use ugoki::formats::Read;
use ugoki::react::world::{Scene, SceneError, Thing, World};
use ugoki::react::{
    Config, Event, MAX_IMPULSE_N_S, MAX_LOAD_KG, Push as Blow, ReactError, Target, Touch, react_to,
};
use ugoki::signal::{DespikeError, FilterError};
use ugoki::skeleton::Role;

use crate::motion_verb::{Made, MotionVerb};
use crate::plots::check_plot_name;
use crate::text_form::as_texts;
use crate::{Error, Host, NewMotion, Output, Reading, Time, documents, extension};

pub use disturbances::{DisturbanceError, Load, Push};
pub(crate) use plot::plot;
pub use report::{FootForce, Frame, Hit, Report};

/// Makes a motion answer to weights, pushes and thrown objects like a person with limited strength who keeps balance
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki react squat.bvh out.bvh --load 8@chest --report r.csv\n  \
                        ugoki react stand.bvh out.bvh --push 1.0,leftUpperArm,0,0,-25 --report r.json --plot r.svg\n  \
                        ugoki react walk.bvh out.bvh --load 2@leftHand:0,-0.1,0 --mass 80 --control off\n  \
                        ugoki react stand.bvh out.bvh --throw balls.json --report r.json\n  \
                        ugoki react squat.bvh out.bvh --load 20@chest --export-body body.xml\n\n\
                        Loads are measured from a joint in the character's rest frame (left +X, up +Y, front +Z); a \
                        load at the chest lies on the shoulder blades unless told otherwise. Pushes are in world \
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
    pub loads: Vec<Load>,

    /// A blow: when, on which joint, impulse in N·s in world axes; may be repeated
    #[arg(long = "push", value_name = "SECONDS,ROLE,X,Y,Z", allow_hyphen_values = true)]
    #[serde(serialize_with = "as_texts")]
    #[schemars(with = "Vec<String>")]
    pub pushes: Vec<Push>,

    /// Balls and boxes that meet the body: position, velocity, mass, shape, time
    #[arg(long, value_name = "FILE.json")]
    pub throw: Option<String>,

    /// Whether strained joints are relieved and balance is kept
    #[arg(long, value_enum, default_value = "on")]
    pub control: Control,

    /// What differs from the tables about the body: masses, strengths, limits
    #[arg(long, value_name = "BODY.toml")]
    pub body: Option<String>,

    /// Mass of the body without loads, 5 to 500 kg; 65 when not given
    #[arg(long = "mass", value_name = "KG")]
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
    /// Joints are relieved and balance is kept.
    #[value(alias = "true", help = None)]
    On,
    /// The motion is only followed.
    #[value(alias = "false", help = None)]
    Off,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportFormat {
    /// The `--json` document.
    Json,
    /// One row a frame.
    Csv,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyFormat {
    /// MuJoCo's MJCF.
    Mjcf,
    /// URDF.
    Urdf,
}

/// The format of `--report` by its ending.
fn report_format(name: &str) -> Result<ReportFormat, Error> {
    match extension(name).as_deref() {
        Some("json") => Ok(ReportFormat::Json),
        Some("csv") => Ok(ReportFormat::Csv),
        _ => Err(Error::option("--report", format!("{name:?} has another ending")).hint("use .json or .csv")),
    }
}

/// The format of `--export-body` by its ending.
fn body_format(name: &str) -> Result<BodyFormat, Error> {
    match extension(name).as_deref() {
        Some("xml" | "mjcf") => Ok(BodyFormat::Mjcf),
        Some("urdf") => Ok(BodyFormat::Urdf),
        _ => Err(Error::option("--export-body", format!("{name:?} has another ending"))
            .hint("use .xml (MJCF) or .urdf")),
    }
}

/// What a body file says; see `docs/methods/react-world.md`.
fn read_body(text: &str) -> Result<BodyConfig, Error> {
    documents::parse_toml(text).map_err(|error| {
        let line = error.line.map_or_else(String::new, |line| format!("line {line}: "));
        Error::option("--body", format!("{line}{}", error.message.replace('\n', " ")))
    })
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
        self.report.as_deref().map(report_format).transpose()?;
        self.plot.as_deref().map(check_plot_name).transpose()?;
        self.export_body.as_deref().map(body_format).transpose()?;
        self.check_names()
    }

    fn one(&self, names: [&str; 2], host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        let [input, output] = names;
        let read = host.motion(input, &self.reading)?;
        let Made { clip, report, .. } =
            self.make(names, &read, host, progress).map_err(|error| error.in_file(input))?;
        host.write_motion(output, &NewMotion::new(&clip, &read))?;
        if let Some(name) = &self.report {
            let text = match report_format(name)? {
                ReportFormat::Csv => csv::csv(&report),
                ReportFormat::Json => {
                    let text = serde_json::to_string(&report);
                    text.map_err(|error| Error::refused(error.to_string()).in_file(name))? + "\n"
                }
            };
            host.write(name, text.as_bytes())?;
        }
        if let Some(name) = &self.plot {
            host.write(name, plot(&report).as_bytes())?;
        }
        if let (Some(name), Some(text)) = (&self.export_body, &report.body) {
            host.write(name, text.as_bytes())?;
        }
        report.notes.iter().for_each(|note| host.note(note));
        Ok(report)
    }

    fn make(
        &self,
        names: [&str; 2],
        read: &Read,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Made<Report>, Error> {
        let body = self.body.as_deref().map(|name| host.text(name, "")).transpose()?;
        let throw = self.throw.as_deref().map(|name| host.text(name, "")).transpose()?;
        let (clip, report) = self.react(names, &read.clip, [body.as_deref(), throw.as_deref()], progress)?;
        Ok(Made::new(clip, report))
    }
}

/// How near to the ground the top of a box is that stands for it, and how high a floor must be over zero to be a box's top, m.
const PEDESTAL_M: f64 = 0.03;

impl React {
    /// Refuses two files of one name: the later would replace the earlier.
    fn check_names(&self) -> Result<(), Error> {
        let plain = |name: &str| name.trim_start_matches("./").to_owned();
        let clash = |option, file: &str, other: &str| {
            Err(Error::option(option, format!("{file:?} is also {other}")).hint("give another name"))
        };
        let read = [("--throw", self.throw.as_deref()), ("--body", self.body.as_deref())];
        let written = [
            ("--report", self.report.as_deref()),
            ("--plot", self.plot.as_deref()),
            ("--export-body", self.export_body.as_deref()),
        ];
        let output: &str = &self.output;
        if let Some((option, _)) =
            read.iter().find(|(_, file)| file.is_some_and(|file| plain(file) == plain(output)))
        {
            return clash(option, output, "the motion written");
        }
        let mut names = vec![("the motion read", self.input.as_str()), ("the motion written", output)];
        names.extend(read.iter().filter_map(|(name, file)| Some((*name, (*file)?))));
        for (option, file) in written.iter().filter_map(|(name, file)| Some((*name, (*file)?))) {
            if let Some((other, _)) = names.iter().find(|(_, other)| plain(other) == plain(file)) {
                return clash(option, file, other);
            }
            names.push((option, file));
        }
        Ok(())
    }

    /// Follows the motion through everything that happens; `[body, throw]` are the texts of those files.
    fn react(
        &self,
        names: [&str; 2],
        clip: &Clip,
        [body, throw]: [Option<&str>; 2],
        progress: Progress<'_>,
    ) -> Result<(Clip, Report), Error> {
        let control = self.control == Control::On;
        let mut config = Config { control, strict: self.human_strength, ..Config::default() };
        if let Some(text) = body {
            config.body = read_body(text)?;
        }
        if let Some(mass) = self.mass_kg {
            config.body.mass_kg = mass;
        }
        // The clip's first row is the file's, unless an added T-pose was dropped.
        let offset_s = clip.first_row() as f64 / clip.fps();
        let mut notes = Vec::new();
        let events = self.events(clip, &config.body, offset_s, &mut notes)?;
        let target = Target::build(clip, &config, &mut |part| progress(0.4 * part));
        let target = Arc::new(target.map_err(|error| explained(error, clip))?);
        let body = self.export_body.as_deref().map(body_format).transpose()?;
        let body = body.map(|format| export(format, &target, &config, &events)).transpose()?;
        let Some(text) = throw else {
            let reaction = react_to(&target, &config, &events, None, progress);
            let reaction = reaction.map_err(|error| explained(error, clip))?;
            let report = Report { notes, body, ..Report::new(self, names, &reaction, &target, offset_s) };
            return Ok((reaction.clip, report));
        };
        let (mut world, bodies) = world(text, &target, &config, offset_s).map_err(|error| {
            let file = self.throw.as_deref().unwrap_or("the scene");
            Error::option("--throw", format!("{file}: {error}"))
        })?;
        let end_s = target.start_s() + offset_s + target.num_steps() as f64 * target.step_s();
        for (k, thing) in bodies.iter().enumerate().filter(|(_, thing)| thing.at_s > end_s) {
            let late = format!(
                "--throw: body {} appears at {} s, after the motion's end at {end_s:.2} s",
                k + 1,
                thing.at_s
            );
            notes.push(late);
        }
        notes.extend(bodies.iter().enumerate().filter_map(|(k, thing)| pedestal(k, thing, &target)));
        let (mut places, mut steps) = (Vec::new(), 0);
        let mut environment = |touch: &mut Touch<'_>| {
            if steps % target.substeps() == 0 {
                places.push(world.places());
            }
            steps += 1;
            world.step(touch);
        };
        let reaction = react_to(&target, &config, &events, Some(&mut environment), progress);
        let reaction = reaction.map_err(|error| explained(error, clip))?;
        places.push(world.places());
        for body in world.stood_in() {
            notes.push(format!(
                "--throw: planted feet reach into body {}; they keep to the motion's own ground, and no fixed body lifts or stops them",
                body + 1
            ));
        }
        let mut report =
            Report { notes, body, bodies, ..Report::new(self, names, &reaction, &target, offset_s) };
        report.add_world(world.hits(), places, &reaction.links, offset_s);
        Ok((reaction.clip, report))
    }

    /// Loads and pushes as the simulation takes them, each checked so that the message names the option.
    fn events(
        &self,
        clip: &Clip,
        body: &BodyConfig,
        offset_s: f64,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        let stature_m = match Body::build(clip.skeleton(), body) {
            Ok(body) => body.stature(),
            // Missing legs are the more important message than a missing joint of a load or push.
            Err(error @ BodyError::Missing { .. }) => return Err(explained(error.into(), clip)),
            // Everything else is reported when the target is built.
            Err(_) => 0.0,
        };
        for load in &self.loads {
            let load = &Load { role: nearest(clip, load.role, "--load", notes), ..*load };
            let placed = load.placed(clip.skeleton(), stature_m);
            if !(0.0..=MAX_LOAD_KG).contains(&load.mass_kg) {
                return Err(Error::option("--load", format!("{load}: no body carries that"))
                    .hint(format!("give 0 to {MAX_LOAD_KG} kg")));
            }
            find(clip, load.role, "--load")?;
            events.push(Event::Load(placed));
        }
        let motion = clip.motion_frames();
        let (start, end) = (motion.start as f64 / clip.fps(), (motion.end as f64 - 1.0) / clip.fps());
        // Fewer frames have no time to choose from; that is reported when the target is built.
        let too_short = motion.len() < 2;
        for push in &self.pushes {
            let push = &Push { role: nearest(clip, push.role, "--push", notes), ..*push };
            let size = push.impulse_n_s.iter().map(|x| x * x).sum::<f64>().sqrt();
            // Written so that what is not a number fails.
            if !(0.0..=MAX_IMPULSE_N_S).contains(&size) {
                return Err(Error::option("--push", format!("{push}: {size} N·s would break every body"))
                    .hint(format!("give at most {MAX_IMPULSE_N_S}")));
            }
            find(clip, push.role, "--push")?;
            let at_s = match push.at {
                Time::Seconds(seconds) => seconds,
                Time::Frames(frame) => frame as f64 / clip.fps(),
            } - offset_s;
            // A thousandth of a second of grace for rounded times; after the last frame nothing is simulated.
            if !(too_short || at_s >= start - 1e-3 && at_s < end) {
                let (start, end) = (start + offset_s, end + offset_s);
                let message = format!("{push}: the motion lasts from {start:.3} to {end:.3} s");
                return Err(Error::option("--push", message).hint("choose a time in it"));
            }
            events.push(Event::Push(Blow {
                at_s: at_s.max(start),
                role: push.role,
                impulse_n_s: push.impulse_n_s,
                seconds: 0.0,
            }));
        }
        Ok(events)
    }
}

/// The body as it is simulated: hinges about the axes that the motion uses, loads welded on.
fn export(format: BodyFormat, target: &Target, config: &Config, events: &[Event]) -> Result<String, Error> {
    let carried = events.iter().filter_map(|event| match event {
        Event::Load(load) => Some(*load),
        Event::Push(_) => None,
    });
    let loads: Vec<_> = config.body.loads.iter().copied().chain(carried).collect();
    let body = target.body().with_loads(target.clip().skeleton(), &loads);
    let body = body.map_err(ReactError::Body)?;
    Ok(match format {
        BodyFormat::Mjcf => mjcf(&body),
        BodyFormat::Urdf => urdf(&body),
    })
}

/// A note on a fixed box that ends at the height of the ground: a character on a box was taken to stand on a floor.
fn pedestal(index: usize, thing: &Thing, target: &Target) -> Option<String> {
    let ([x, y, z], [_, height, _]) = (thing.position_m, thing.size_m?);
    let ground = target.floor().height_at(x, z);
    let under = thing.mass_kg.is_none() && (y + 0.5 * height - ground).abs() < PEDESTAL_M;
    // A plate let into a floor at zero is no pedestal.
    (under && ground > PEDESTAL_M).then(|| {
        format!(
            "--throw: body {} ends at the height of the motion's ground, {ground:.2} m, which goes on past its edges; no body comes down from it",
            index + 1
        )
    })
}

/// The bodies of a scene file around the target, their times counted as the target's are, and as the file has them.
fn world(
    text: &str,
    target: &Target,
    config: &Config,
    offset_s: f64,
) -> Result<(World, Vec<Thing>), SceneError> {
    let mut scene = Scene::from_json(text)?;
    let bodies = scene.bodies.clone();
    for thing in &mut scene.bodies {
        thing.at_s = (thing.at_s - offset_s).max(0.0);
    }
    let world = World::build(&scene, target.floor(), config.body.gravity_m_s2)?;
    Ok((world, bodies))
}

/// The chest, or the joint that stands for it in a skeleton without one.
fn nearest(clip: &Clip, role: Role, option: &str, notes: &mut Vec<String>) -> Role {
    let there = |role: &Role| clip.skeleton().find(*role).is_some();
    if role != Role::Chest || there(&role) {
        return role;
    }
    let Some(found) = [Role::UpperChest, Role::Spine].into_iter().find(there) else { return role };
    let note = format!("{option}: the skeleton has no chest; {found} is taken for it");
    if !notes.contains(&note) {
        notes.push(note);
    }
    found
}

/// Refuses roles that no joint of the clip has.
fn find(clip: &Clip, role: Role, name: &'static str) -> Result<(), Error> {
    if clip.skeleton().find(role).is_some() {
        return Ok(());
    }
    let usual = [
        "hips",
        "spine",
        "chest",
        "upperChest",
        "neck",
        "head",
        "leftUpperArm",
        "leftLowerArm",
        "leftHand",
        "rightUpperArm",
        "rightLowerArm",
        "rightHand",
    ];
    let there = |name: &&&str| Role::from_name(name).is_some_and(|role| clip.skeleton().find(role).is_some());
    let list: Vec<&str> = usual.iter().filter(there).copied().collect();
    Err(Error::option(name, format!("no joint of the motion is its {role}"))
        .hint(format!("there are {}", list.join(", "))))
}

/// The library's error with the option to blame.
fn explained(error: ReactError, clip: &Clip) -> Error {
    match error {
        ReactError::Config { name: "body.mass_kg", value, expected } => {
            Error::option("--mass", format!("a body of {value} kg cannot be simulated"))
                .hint(format!("give {expected}"))
        }
        ReactError::Config { name, value, expected } if name.starts_with("body.") => {
            Error::option("--body", format!("{} is {value}", &name[5..])).hint(format!("give {expected}"))
        }
        ReactError::Body(BodyError::Missing { roles }) => {
            let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            Error::refused(format!(
                "the skeleton has no {}, and who has no legs cannot stand",
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

#[cfg(test)]
mod tests {
    use super::*;

    const MANUAL: &str = include_str!("../../../../docs/methods/react-world.md");

    /// The first block of the manual in this language.
    fn block(language: &str) -> &'static str {
        let (_, rest) = MANUAL.split_once(&format!("```{language}\n")).unwrap();
        rest.split_once("```").unwrap().0
    }

    #[test]
    fn the_examples_of_the_manual_are_read() {
        let body = read_body(block("toml")).unwrap();
        assert_eq!((body.mass_kg, body.strength, body.loads.len()), (72.0, 1.2, 1));
        assert_eq!(body.links[&Role::LeftLowerLeg].strength, Some(0.5));
        assert_eq!(Scene::from_json(block("json")).unwrap().bodies.len(), 2);
    }

    #[test]
    fn body_files_that_cannot_be_are_refused_by_line() {
        for (text, part) in [
            ("mass_kg = 70\nheight = 2\n", "line 2"),
            ("mass_kg = \"x\"\n", "line 1"),
            ("[links.knee]\nstrength = 1\n", "knee"),
            ("mass_kg = \n", "line 1"),
        ] {
            let error = read_body(text).unwrap_err().to_string();
            assert!(error.starts_with("--body: ") && error.contains(part), "{text}: {error}");
        }
    }
}
