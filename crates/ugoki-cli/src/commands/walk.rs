//! `ugoki walk`

use std::process::ExitCode;

use ugoki::edit::{Footstep, WalkError};
use ugoki::formats::Read;
use ugoki_verbs::Error;
use ugoki_verbs::walk::{Done, Request, Stride, nearest, read_steps, run as walk, wanted};

use super::{reading, say};
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{database, files, output};

/// Puts every footfall of a captured walk where you want it
///
/// Footsteps are metres in the world in which the motion starts above the origin facing +Z; the planted ankle's ground point goes to
/// (x, z) on ground of height y. With --stride, --count or --turn the way is straight, or turns evenly; with nothing the source's own
/// footfalls are walked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki walk walk.bvh --stride 0.5 --count 8 --turn 90 -o turn.bvh\n  \
                        ugoki walk walk.bvh --stride 0.7:0.3 --count 8 -o shrinking.bvh\n  \
                        ugoki walk moves.ugoki --steps steps.json -o out.bvh\n  \
                        steps.json: {\"steps\": [{\"foot\": \"left\", \"x\": 0.10, \"z\": 0.55, \"y\": 0.0, \"heading_deg\": 0}]}")]
pub(super) struct Words {
    /// Motion file or database clip that walks, or a database: then its walk with the nearest steps
    source: String,

    /// File to write, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: String,

    /// File with footsteps
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["stride", "count", "turn"])]
    steps: Option<String>,

    /// Distance between successive footfalls, metres, or from the first to the last as 0.7:0.3 [default: the source's]
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    stride: Option<Stride>,

    /// How many steps [default: as many as the source has]
    #[arg(long, value_name = "N")]
    count: Option<usize>,

    /// Turn to the left over the whole walk, degrees; to the right when negative
    #[arg(long, value_name = "DEG", allow_hyphen_values = true, value_parser = degrees)]
    turn: Option<f64>,

    /// Move impossible steps to the nearest possible place instead of refusing them
    #[arg(long)]
    clamp: bool,

    #[command(flatten)]
    reading: reading::Words,
}

fn degrees(word: &str) -> Result<f64, String> {
    let found = word.parse::<f64>().ok().filter(|degrees| degrees.is_finite());
    found.ok_or_else(|| format!("{word:?} is not a turn; give degrees such as 90, or -90 to the right"))
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            input: self.source.clone(),
            output: self.output.clone(),
            steps: self.steps.clone(),
            stride: self.stride,
            count: self.count,
            turn: self.turn,
            clamp: self.clamp,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    files::check_output(&request.output, json)?;
    files::check_not_input(&request.output, [request.input.as_str()])?;
    let plan: Option<Vec<Footstep>> = match &request.steps {
        None => None,
        Some(name) => {
            let bytes = files::bytes(name)?;
            let text = String::from_utf8(bytes).map_err(|_| Failure::of_file(name, &"is not text"))?;
            Some(read_steps(&text).map_err(|error| advised(name, &error.message).line(error.line))?)
        }
    };
    let bar = Bar::start("walking");
    let walked = match database::reference(&request.input) {
        Some((name, "")) => from_database(request, name, plan.as_deref(), &bar)?,
        _ => {
            let read = files::motion(&request.input, &request.reading)?;
            walk(request, &read.clip, plan.as_deref(), &mut |share| bar.step(share)).map(|done| (read, done))
        }
    };
    drop(bar);
    let (read, done) = match walked {
        Ok(walked) => walked,
        // Nothing there that walks: nothing was found.
        Err(error @ Error::Walk(WalkError::NoGait { .. } | WalkError::OnTiptoe { .. })) => {
            fault(request, &error).print(json);
            return Ok(ExitCode::from(1));
        }
        Err(error) => return Err(fault(request, &error)),
    };
    files::write_motion_with(&request.output, &done.clip, &read, Some(done.contacts), None)?;
    say(&done.report, json);
    for warning in done.report.warnings() {
        output::note(&format!("{}: {warning}", request.output));
    }
    Ok(ExitCode::SUCCESS)
}

/// Tags of clips whose steps may be taken: those that importing sets, and those that users give.
const TAGS: [&str; 8] = ["walk", "turn", "step", "stairs", "turn-left", "turn-right", "up", "down"];

/// The walk made from the clip of a database whose steps are most like the plan's and with which it can be walked.
fn from_database(
    request: &Request,
    name: &str,
    plan: Option<&[Footstep]>,
    bar: &Bar,
) -> Result<Result<(Read, Done), Error>, Failure> {
    let mut clips = Vec::new();
    for tag in &TAGS {
        clips.extend(database::tagged(name, tag).unwrap_or_default());
    }
    if clips.is_empty() {
        // Says why not, and what to do.
        clips = database::tagged(name, TAGS[0])?;
    }
    clips.sort_by(|a, b| a.name.cmp(&b.name));
    clips.dedup_by(|a, b| a.name == b.name);
    let order = match nearest(&clips, &wanted(request, plan), &mut |share| bar.step(0.5 * share)) {
        Ok(order) => order,
        Err(error) => return Ok(Err(error)),
    };
    let mut first = None;
    for at in order {
        let read = database::motion(name, &clips[at].name, &request.reading)?;
        match walk(request, &read.clip, plan, &mut |share| bar.step(0.5 + 0.5 * share)) {
            Ok(done) => return Ok(Ok((read, done))),
            Err(Error::Cancelled) => return Ok(Err(Error::Cancelled)),
            // The nearest walk says why not.
            Err(error) => first = first.or(Some(error)),
        }
    }
    Ok(Err(first.unwrap_or(Error::Walk(WalkError::NoSource))))
}

/// The failure with the file to blame: the footsteps, or what walks.
fn fault(request: &Request, error: &Error) -> Failure {
    let of_plan = matches!(
        error,
        Error::Walk(WalkError::Step { .. } | WalkError::EmptyPlan | WalkError::TooManySteps { .. })
    );
    match &request.steps {
        Some(steps) if of_plan => Failure::of_job(steps, error),
        _ => Failure::of_job(&request.input, error),
    }
}

fn advised(file: &str, message: &str) -> Failure {
    match message.split_once("; ") {
        Some((found, advice)) => Failure::of_file(file, &found).hint(advice),
        None => Failure::of_file(file, &message),
    }
}
