//! `ugoki convert`

use std::collections::HashSet;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::Progress;
use ugoki::clip::RootMotion;
use ugoki::formats::{Finding, Format, Read, Severity, WriteError};
use ugoki::retarget::{RetargetReport, Whose};
use ugoki_verbs::convert::{Change, FileReport, Output, Report, Request, Scale, Unit};
use ugoki_verbs::{self, Reading, Span};

use super::reading;
use crate::failure::Failure;
use crate::interrupt::{self, Bar};
use crate::{files, output};

/// Converts motion files, changing what the options say
///
/// `convert IN OUT` writes one file, `convert IN… -o DIR` one file per input. Without options the
/// numbers of the source are written back unchanged.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki convert walk.bvh walk60.bvh --fps 60 --scale auto --unit cm\n  \
                  ugoki convert captures/ -o out/ --mirror\n  ugoki convert walk.bvh step.bvh --trim 33f:173f\n  \
                  ugoki convert jog.fbx jog.glb --retarget sample#walk\n  \
                  ugoki convert 'moves.ugoki#16_*' -o out/ --to glb\n  \
                  ugoki convert walk.bvh - --to glb > walk.glb")]
pub(super) struct Words {
    /// Motion files, folders or patterns; without -o the last one is the file to write
    #[arg(required = true)]
    files: Vec<String>,

    /// Folder to write one file per input into
    #[arg(short, long, value_name = "DIR")]
    output: Option<String>,

    /// Format of the files in the folder, or of standard output: bvh, glb, … (default: bvh)
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    to: Option<Format>,

    /// Frames per second of the result
    #[arg(long, allow_negative_numbers = true)]
    fps: Option<f64>,

    /// Factor on the source's lengths, or `auto` for true size in --unit
    #[arg(long, value_name = "N|auto", value_parser = scale, allow_negative_numbers = true)]
    scale: Option<ScaleWord>,

    /// Unit for --scale auto: m, cm or in [default: cm]
    #[arg(long)]
    unit: Option<Unit>,

    /// Which way is up in the result (default: as in the source, or the file retargeted to)
    #[arg(long, value_enum, value_name = "AXIS")]
    up: Option<reading::Up>,

    /// Swap left and right
    #[arg(long)]
    mirror: bool,

    /// Play backwards
    #[arg(long)]
    reverse: bool,

    /// Play this many times as fast, at the same rate
    #[arg(long, allow_negative_numbers = true)]
    speed: Option<f64>,

    /// Only this stretch: seconds, or frames with an f
    #[arg(long, value_name = "A:B")]
    trim: Option<Span>,

    /// What becomes of travel over the ground: extract puts it into a ground-level joint `root`, in-place
    /// removes it, turning included
    #[arg(long, value_enum, default_value = "keep")]
    root_motion: RootMotionWord,

    /// Move the motion onto this file's skeleton, feet that stand held; a file of the same format is written in its unit, axes
    /// and channels. A clip of a database is named as moves.ugoki#walk
    #[arg(long, value_name = "FILE")]
    retarget: Option<String>,

    #[command(flatten)]
    reading: reading::Words,
}

#[derive(Debug, Clone, Copy)]
enum ScaleWord {
    Factor(f64),
    Auto,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RootMotionWord {
    Keep,
    Extract,
    InPlace,
}

fn format(text: &str) -> Result<Format, String> {
    if Format::from_extension(text) == Some(Format::Fbx) {
        let error = WriteError::ReadOnly { format: Format::Fbx };
        return Err(format!("{error}; {}", error.hint().unwrap_or_default()));
    }
    Format::from_extension(text).filter(|format| format.is_written()).ok_or_else(|| {
        let known: Vec<&str> =
            Format::all().filter(|format| format.is_written()).map(Format::extension).collect();
        format!("expected one of {}", known.join(", "))
    })
}

fn scale(text: &str) -> Result<ScaleWord, String> {
    if text == "auto" {
        return Ok(ScaleWord::Auto);
    }
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(ScaleWord::Factor(factor)),
        _ => Err("expected a number above 0, or auto".to_owned()),
    }
}

impl Words {
    pub(super) fn request(&self) -> Result<Request, Failure> {
        let (inputs, output) = match (&self.output, self.files.as_slice()) {
            (Some(folder), inputs) => (inputs.to_vec(), Output::Folder(folder.clone())),
            (None, [_, output]) if output != "-" && self.to.is_some() => {
                return Err(Failure::new("--to says what goes into a folder or to standard output")
                    .hint("the ending of a file tells its format; leave --to out, or give -o DIR"));
            }
            (None, [input, output]) => (vec![input.clone()], Output::File(output.clone())),
            (None, [_]) => {
                return Err(Failure::new("convert needs an output").hint("give IN OUT, or IN… -o DIR"));
            }
            (None, _) => {
                return Err(Failure::new("several inputs need a folder to write into")
                    .hint("give it with -o DIR, as in `ugoki convert a.bvh b.bvh -o out`"));
            }
        };
        let scale = match (self.scale, self.unit) {
            (Some(ScaleWord::Auto), unit) => Scale::Auto(unit.unwrap_or_default()),
            (_, Some(_)) => {
                return Err(Failure::new("--unit says what --scale auto is in").hint("add --scale auto"));
            }
            (Some(ScaleWord::Factor(factor)), None) => Scale::Factor(factor),
            (None, None) => Scale::default(),
        };
        let change = Change {
            fps: self.fps,
            scale,
            up: self.up.map(Into::into),
            mirror: self.mirror,
            reverse: self.reverse,
            speed: self.speed,
            trim: self.trim,
            root_motion: match self.root_motion {
                RootMotionWord::Keep => RootMotion::Keep,
                RootMotionWord::Extract => RootMotion::Extract,
                RootMotionWord::InPlace => RootMotion::InPlace,
            },
            retarget: self.retarget.clone(),
        };
        Ok(Request { inputs, output, reading: self.reading.reading(), change, to: self.to })
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let names = files::expand(&request.inputs, output_folder(&request.output))?;
    let targets = targets(request, &names, json)?;
    let target = match &request.change.retarget {
        Some(file) => Some(files::motion(file, &Reading::default())?),
        None => None,
    };
    let bar = Bar::start("converting");
    let mut report = Report::default();
    for (index, (input, output)) in names.iter().zip(&targets).enumerate() {
        let step = |share: f32| bar.step((index as f32 + share) / names.len() as f32);
        match convert(request, input, output, target.as_ref(), &mut |share| step(share)) {
            Ok(done) => report.files.push(done),
            // In a folder of many one bad file does not stop the others; the user's wish to stop does.
            Err(failure) if names.len() > 1 && !interrupt::stopped() => report.errors.push(failure.problem()),
            Err(failure) => return Err(failure),
        }
    }
    drop(bar);
    let code = ExitCode::from(if report.errors.is_empty() { 0 } else { 2 });
    if json {
        output::json(&report);
        return Ok(code);
    }
    print(&report);
    for problem in report.errors {
        Failure::from(problem).print(false);
    }
    Ok(code)
}

fn convert(
    request: &Request,
    input: &str,
    output: &str,
    target: Option<&Read>,
    progress: Progress<'_>,
) -> Result<FileReport, Failure> {
    let format = match request.to {
        Some(format) => format,
        None => files::format_to_write(output)?,
    };
    // Points go to points as they are, whether or not a body could be solved from them.
    if format == Format::Trc
        && request.change.leaves_bodies_alone()
        && let Some(markers) = files::markers(input, &request.reading)?
    {
        let (bytes, report) =
            ugoki_verbs::convert::run_markers(&request.change, input, output, format, &markers)
                .map_err(|error| Failure::of_job(input, &error))?;
        files::write(output, &bytes)?;
        return Ok(report);
    }
    // Its T-pose may have to tell how the body stands before it goes.
    let read = files::motion(input, &request.reading.whole())?;
    let (bytes, report) = ugoki_verbs::convert::run(request, [input, output], format, read, target, progress)
        .map_err(|error| Failure::of_job(to_blame(request, input, &error), &error))?;
    files::write(output, &bytes)?;
    Ok(report)
}

/// The file that an error is about: the input, or the one whose skeleton was wanted.
fn to_blame<'a>(request: &'a Request, input: &'a str, error: &ugoki_verbs::Error) -> &'a str {
    match (error, &request.change.retarget) {
        (ugoki_verbs::Error::Retarget(error), Some(target)) if error.whose() == Some(Whose::Target) => target,
        _ => input,
    }
}

fn output_folder(output: &Output) -> Option<&str> {
    match output {
        Output::Folder(folder) => Some(folder),
        Output::File(_) => None,
    }
}

/// Where each input goes, one name each.
fn targets(request: &Request, names: &[String], json: bool) -> Result<Vec<String>, Failure> {
    let ending = request.to.unwrap_or(Format::Bvh).extension();
    let folder = match &request.output {
        Output::File(_) if names.len() != 1 => {
            return Err(Failure::new(format!("{} inputs need a folder to write into", names.len()))
                .hint("give it with -o DIR"));
        }
        Output::File(file) => {
            files::check_output(file, json)?;
            let is_text =
                matches!(request.to, None | Some(Format::Bvh | Format::Gltf | Format::Csv | Format::Trc));
            if file == "-" && !is_text && std::io::stdout().is_terminal() {
                return Err(Failure::new(format!("a terminal cannot show {ending} files"))
                    .hint(format!("add `> FILE.{ending}`, or name the file")));
            }
            return Ok(vec![file.clone()]);
        }
        Output::Folder(folder) => folder,
    };
    if Path::new(folder).is_file() {
        let message = "is a file, but -o names the folder that results go into";
        return Err(Failure::of_file(folder, &message)
            .hint("leave -o out to write one file, as in `ugoki convert IN OUT`, or name a folder"));
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::of_file(folder, &files::plain(&error)))?;
    let mut taken = HashSet::new();
    let targets = names.iter().map(|name| {
        let stem = files::stem(name);
        let mut target = format!("{stem}.{ending}");
        let mut number = 1;
        while !taken.insert(target.to_lowercase()) {
            number += 1;
            target = format!("{stem}-{number}.{ending}");
        }
        Path::new(folder).join(target).to_string_lossy().into_owned()
    });
    Ok(targets.collect())
}

/// One line per file, then what was lost and noticed: told once however many files it concerns.
fn print(report: &Report) {
    for file in &report.files {
        output::note(&format!(
            "{} → {}: {} {} at {} per second{}",
            file.input,
            file.output,
            file.frames,
            if file.frames == 1 { "frame" } else { "frames" },
            short(file.fps),
            file.retarget.as_ref().map_or_else(String::new, moved)
        ));
    }
    let mut told: Vec<(String, usize)> = Vec::new();
    let mut tell = |text: String| match told.iter_mut().find(|(known, _)| *known == text) {
        Some((_, files)) => *files += 1,
        None => told.push((text, 1)),
    };
    let mut warnings: Vec<(&str, usize)> = Vec::new();
    for file in &report.files {
        // Motions that were left out are no fault of the file, but something is missing in the result.
        let serious =
            |finding: &&Finding| finding.severity == Severity::Error || finding.code == "several-takes";
        for finding in file.read.iter().filter(serious).chain(&file.written) {
            let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
            let assumed = finding.assumed.as_ref().map_or_else(String::new, |text| format!("; {text}"));
            tell(format!("{line}{}{assumed} [{}]", finding.message, finding.code));
        }
        file.retarget.iter().flat_map(RetargetReport::notes).for_each(&mut tell);
        let count = file.read.iter().filter(|finding| finding.severity == Severity::Warning).count();
        if count > 0 {
            warnings.push((&file.input, count));
        }
    }
    for (text, files) in told {
        let how_many = if files > 1 { format!(" ({files} files)") } else { String::new() };
        output::note(&format!("  {text}{how_many}"));
    }
    match warnings.as_slice() {
        [] => {}
        [(file, 1)] => output::note(&format!("  1 warning; `ugoki check {file}` shows it")),
        [(file, count)] => output::note(&format!("  {count} warnings; `ugoki check {file}` lists them")),
        files => {
            let count: usize = files.iter().map(|(_, count)| count).sum();
            output::note(&format!("  {count} warnings in {} files; `ugoki check` lists them", files.len()));
        }
    }
}

/// How a motion stands on its new skeleton, in a few words.
fn moved(report: &RetargetReport) -> String {
    match &report.feet {
        _ if report.unchanged => ", on that skeleton already".to_owned(),
        Some(feet) if feet.contacts > 0 => {
            let released = match feet.released_frames {
                0 => String::new(),
                frames => format!(", {frames} frames between two stances released"),
            };
            // What the foot does itself while it stays down is told beside what was held.
            let shuffled = match feet.between_mm {
                moved if moved > 10.0 => format!(
                    ", a foot that stays down moves {moved:.0} mm between two of them (the source {:.0} mm)",
                    feet.source_between_mm
                ),
                _ => String::new(),
            };
            let beside = match feet.beside_mm {
                moved if moved > 10.0 => {
                    format!(", a low foot moves {moved:.0} mm more than the source beside a hold")
                }
                _ => String::new(),
            };
            format!(
                ", {} of {} contacts held, slip {:.1} mm{released}{shuffled}{beside}",
                feet.held, feet.contacts, feet.slip_mm
            )
        }
        _ => ", on another skeleton".to_owned(),
    }
}

/// At most three digits after the point.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
