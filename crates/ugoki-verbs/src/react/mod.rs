//! `react`: a motion that answers to loads, pushes and thrown objects.

mod csv;
mod plot;
mod report;
mod words;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading, Time, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::dynamics::{Body, BodyConfig, BodyError, mjcf, urdf};
use ugoki::react::{
    Config, Event, MAX_IMPULSE_N_S, MAX_LOAD_KG, Push as Blow, ReactError, Target, Touch, react_to,
};

use ugoki::react::world::{Scene, SceneError, Thing, World};
use ugoki::skeleton::Role;

pub use csv::csv;
pub use plot::plot;
pub use report::{FootForce, Frame, Hit, Report};
pub use words::{Load, Push, WordError};

/// Ask for a reaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion file.
    pub input: String,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// Masses carried.
    #[serde(default)]
    pub loads: Vec<Load>,
    /// Blows.
    #[serde(default)]
    pub pushes: Vec<Push>,
    /// File of balls and boxes that meet the body, JSON.
    #[serde(default)]
    pub throw: Option<String>,
    /// Whether joints are relieved and balance is kept; without, the motion is only followed.
    #[serde(default = "on")]
    pub control: bool,
    /// File of what differs from the tables about the body, TOML.
    #[serde(default)]
    pub body: Option<String>,
    /// Mass of the body without loads, kg; stands over the file's.
    #[serde(default)]
    pub mass_kg: Option<f64>,
    /// Whether no joint gives more than its strength, also where the motion itself takes more.
    #[serde(default)]
    pub strict: bool,
    /// File to write the body to, as it was simulated: `.xml` (MJCF) or `.urdf`.
    #[serde(default)]
    pub export_body: Option<String>,
    /// File to write the report to: `.json` or `.csv`.
    #[serde(default)]
    pub report: Option<String>,
    /// File to write a plot of the report to: `.svg`.
    #[serde(default)]
    pub plot: Option<String>,
    /// How to read it.
    #[serde(default)]
    pub reading: Reading,
}

fn on() -> bool {
    true
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let mut words = reading_arguments(&self.reading, Arguments::new("react"));
        for load in &self.loads {
            words = words.option("load", Some(load));
        }
        for push in &self.pushes {
            words = words.option("push", Some(push));
        }
        words
            .option("throw", self.throw.as_ref())
            .option("control", (!self.control).then_some("off"))
            .option("body", self.body.as_ref())
            .option("mass", self.mass_kg)
            .flag("strict", self.strict)
            .option("export-body", self.export_body.as_ref())
            .option("report", self.report.as_ref())
            .option("plot", self.plot.as_ref())
            .file(&self.input)
            .file(&self.output)
            .finish()
    }
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// The `--json` document.
    Json,
    /// One row a frame.
    Csv,
}

impl ReportFormat {
    /// By the ending of a file name.
    ///
    /// # Errors
    /// When it is neither.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match ending(name).as_str() {
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv),
            _ => Err(option("--report", format!("{name:?} has another ending; use .json or .csv"))),
        }
    }
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFormat {
    /// MuJoCo's MJCF.
    Mjcf,
    /// URDF.
    Urdf,
}

impl BodyFormat {
    /// By the ending of a file name.
    ///
    /// # Errors
    /// When it is neither.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match ending(name).as_str() {
            "xml" | "mjcf" => Ok(Self::Mjcf),
            "urdf" => Ok(Self::Urdf),
            _ => {
                Err(option("--export-body", format!("{name:?} has another ending; use .xml (MJCF) or .urdf")))
            }
        }
    }
}

/// How near to the ground the top of a box is that stands for it, and how high a floor must be over zero to be a box's top, m.
const PEDESTAL_M: f64 = 0.03;

/// Refuses two files of one name: the later would take the place of the earlier.
///
/// # Errors
/// Names the two.
pub fn check_names(request: &Request) -> Result<(), Error> {
    let plain = |name: &str| name.trim_start_matches("./").to_owned();
    let written = [
        ("--report", request.report.as_deref()),
        ("--plot", request.plot.as_deref()),
        ("--export-body", request.export_body.as_deref()),
    ];
    // What is written must not take the place of what is read, nor of anything else that is written.
    let read = [("--throw", request.throw.as_deref()), ("--body", request.body.as_deref())];
    let output = request.output.as_str();
    if let Some((name, _)) =
        read.iter().find(|(_, file)| file.is_some_and(|file| plain(file) == plain(output)))
    {
        return Err(option(name, format!("{output:?} is also the motion written; give another name")));
    }
    let mut names = vec![("the motion read", request.input.as_str()), ("the motion written", output)];
    names.extend(read.iter().filter_map(|(name, file)| Some((*name, (*file)?))));
    for (name, file) in written.iter().filter_map(|(name, file)| Some((*name, (*file)?))) {
        if let Some((other, _)) = names.iter().find(|(_, other)| plain(other) == plain(file)) {
            return Err(option(name, format!("{file:?} is also {other}; give another name")));
        }
        names.push((name, file));
    }
    Ok(())
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

fn option(option: &'static str, message: String) -> Error {
    Error::Option { option, message }
}

/// What a body file says; see `docs/methods/react-world.md`.
///
/// # Errors
/// When the text is not TOML, names an unknown field or role, or has a value of another kind.
pub fn read_body(text: &str) -> Result<BodyConfig, Error> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        option("--body", format!("{line}{}", error.message().replace('\n', " ")))
    })
}

/// Texts of the files that a request names.
#[derive(Debug, Clone, Copy, Default)]
pub struct Files<'a> {
    /// Of [`Request::body`].
    pub body: Option<&'a str>,
    /// Of [`Request::throw`].
    pub throw: Option<&'a str>,
}

/// Follows the motion through everything that happens.
///
/// # Errors
/// When the body cannot be built, an event makes no sense, the clip is too short, or the caller stops.
pub fn run(
    request: &Request,
    clip: &Clip,
    files: Files<'_>,
    progress: Progress<'_>,
) -> Result<(Clip, Report), Error> {
    let mut config = Config { control: request.control, strict: request.strict, ..Config::default() };
    if let Some(text) = files.body {
        config.body = read_body(text)?;
    }
    if let Some(mass) = request.mass_kg {
        config.body.mass_kg = mass;
    }
    // The clip's first row is the file's, unless an added T-pose was dropped.
    let offset_s = clip.first_row() as f64 / clip.fps();
    let mut notes = Vec::new();
    let events = events(request, clip, &config.body, offset_s, &mut notes)?;
    let target = {
        let mut part = |share: f32| progress(0.4 * share);
        Arc::new(Target::build(clip, &config, &mut part).map_err(|error| explained(error, clip))?)
    };
    let body = request.export_body.as_deref().map(BodyFormat::from_name).transpose()?;
    let body = body.map(|format| export(format, &target, &config, &events)).transpose()?;
    let Some(text) = files.throw else {
        let reaction = react_to(&target, &config, &events, None, progress);
        let reaction = reaction.map_err(|error| explained(error, clip))?;
        let report = Report { notes, body, ..Report::new(request, &reaction, &target, offset_s) };
        return Ok((reaction.clip, report));
    };
    let (mut world, bodies) = world(text, &target, &config, offset_s).map_err(|error| {
        let file = request.throw.as_deref().unwrap_or("the scene");
        option("--throw", format!("{file}: {error}"))
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
    let mut report = Report { notes, body, bodies, ..Report::new(request, &reaction, &target, offset_s) };
    report.add_world(world.hits(), places, &reaction.links, offset_s);
    Ok((reaction.clip, report))
}

/// The body as it is simulated: hinges about the axes that the motion uses, loads welded on.
fn export(format: BodyFormat, target: &Target, config: &Config, events: &[Event]) -> Result<String, Error> {
    let carried = events.iter().filter_map(|event| match event {
        Event::Load(load) => Some(*load),
        Event::Push(_) => None,
    });
    let loads: Vec<_> = config.body.loads.iter().copied().chain(carried).collect();
    let body = target.body().with_loads(target.clip().skeleton(), &loads);
    let body = body.map_err(|error| Error::React(error.to_string()))?;
    Ok(match format {
        BodyFormat::Mjcf => mjcf(&body),
        BodyFormat::Urdf => urdf(&body),
    })
}

/// A note on a fixed box that ends at the height of the ground: who stands on a box was taken to stand on a floor.
fn pedestal(index: usize, thing: &Thing, target: &Target) -> Option<String> {
    let ([x, y, z], [_, height, _]) = (thing.position_m, thing.size_m?);
    let ground = target.floor().height_at(x, z);
    let under = thing.mass_kg.is_none() && (y + 0.5 * height - ground).abs() < PEDESTAL_M;
    // A plate let into a floor at zero is no pedestal.
    (under && ground > PEDESTAL_M).then(|| {
        format!(
            "--throw: body {} ends at the height of the motion's ground, {ground:.2} m, which goes on past its edges; nobody comes down from it",
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

/// Loads and pushes as the simulation takes them, each checked so that the message names the option.
fn events(
    request: &Request,
    clip: &Clip,
    body: &BodyConfig,
    offset_s: f64,
    notes: &mut Vec<String>,
) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    let stature_m = match Body::build(clip.skeleton(), body) {
        Ok(body) => body.stature(),
        // Who has no legs is told so, not which joints are there to be hit.
        Err(error @ BodyError::Missing { .. }) => return Err(explained(error.into(), clip)),
        // Everything else is told about when the target is built.
        Err(_) => 0.0,
    };
    for load in &request.loads {
        let load = &Load { role: nearest(clip, load.role, "--load", notes), ..*load };
        let placed = load.placed(clip.skeleton(), stature_m);
        if !(0.0..=MAX_LOAD_KG).contains(&load.mass_kg) {
            return Err(option("--load", format!("{load}: nobody carries that; give 0 to {MAX_LOAD_KG} kg")));
        }
        find(clip, load.role, "--load")?;
        events.push(Event::Load(placed));
    }
    let motion = clip.motion_frames();
    let (start, end) = (motion.start as f64 / clip.fps(), (motion.end as f64 - 1.0) / clip.fps());
    // Fewer frames are no motion, and have no time to choose: that is told when the target is built.
    let too_short = motion.len() < 2;
    for push in &request.pushes {
        let push = &Push { role: nearest(clip, push.role, "--push", notes), ..*push };
        let size = push.impulse_n_s.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Written so that what is not a number fails.
        if !(0.0..=MAX_IMPULSE_N_S).contains(&size) {
            let message =
                format!("{push}: {size} N·s would break every body; give at most {MAX_IMPULSE_N_S}");
            return Err(option("--push", message));
        }
        find(clip, push.role, "--push")?;
        let at_s = match push.at {
            Time::Seconds(seconds) => seconds,
            Time::Frames(frame) => frame as f64 / clip.fps(),
        } - offset_s;
        // A thousandth of a second of grace for rounded times; after the last frame nothing is simulated.
        if !(too_short || at_s >= start - 1e-3 && at_s < end) {
            let (start, end) = (start + offset_s, end + offset_s);
            let message =
                format!("{push}: the motion lasts from {start:.3} to {end:.3} s; choose a time in it");
            return Err(option("--push", message));
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

/// The chest of a skeleton that calls its whole trunk otherwise.
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
    Err(option(name, format!("no joint of the motion is its {role}; there are {}", list.join(", "))))
}

/// The library's reason in the words of the command line.
fn explained(error: ReactError, clip: &Clip) -> Error {
    match error {
        ReactError::Config { name: "body.mass_kg", value, expected } => {
            option("--mass", format!("a body of {value} kg cannot be simulated; give {expected}"))
        }
        ReactError::Config { name, value, expected } if name.starts_with("body.") => {
            option("--body", format!("{} is {value}; give {expected}", &name[5..]))
        }
        ReactError::Body(BodyError::Missing { roles }) => {
            let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            Error::React(format!(
                "the skeleton has no {}, and who has no legs cannot stand; see `ugoki info` for the roles found",
                names.join(", ")
            ))
        }
        ReactError::TooShort { frames, least } => Error::React(format!(
            "{frames} frames of motion at {} per second are too few to be a motion; give at least {least}",
            clip.fps()
        )),
        ReactError::Cancelled(_) => Error::Cancelled,
        ReactError::Despike(ugoki::signal::DespikeError::Cancelled(_))
        | ReactError::Filter(ugoki::signal::FilterError::Cancelled(_)) => Error::Cancelled,
        other => Error::React(other.to_string()),
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
