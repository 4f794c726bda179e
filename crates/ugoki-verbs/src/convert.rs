//! `convert`: between formats, with the changes people ask for.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::{Clip, ClipChange, RootMotion, UpAxis};
use ugoki::convert::{Changed, Conversion, ConvertError, Converted, change, convert, convert_markers};
use ugoki::edit::FeetAt;
use ugoki::formats::{self, Finding, Format, LengthScale, LengthUnit, Problem, Read, Severity, Tpose};
use ugoki::retarget::{RetargetReport, Whose};

use crate::error::InFile as _;
use crate::findings::check_hint;
use crate::host::format_to_write;
use crate::motion_verb::{Job, OneOrMany, Results, each, results};
use crate::seams;
use crate::words::{counted, short};
use crate::{Budget, Error, Host, NewMotion, Outcome, Reading, Span, Verb};

/// Converts motion files, changing what the options say
///
/// `convert IN OUT` writes one file, `convert IN… -o DIR` one file per input. Without options the
/// numbers of the source are written back unchanged.
#[derive(Debug, Clone, PartialEq, Default, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki convert walk.bvh walk60.bvh --fps 60 --scale auto --unit cm\n  \
                  ugoki convert captures/ -o out/ --mirror\n  ugoki convert walk.bvh step.bvh --trim 33f:173f\n  \
                  ugoki convert jog.fbx jog.glb --retarget sample#walk\n  \
                  ugoki convert 'moves.ugoki#16_*' -o out/ --to glb\n  \
                  ugoki convert walk.bvh - --to glb > walk.glb")]
pub struct Convert {
    /// Motion files, folders or patterns; without -o the last one is the file to write
    #[arg(required = true)]
    pub inputs: Vec<String>,

    /// File to write, or folder for one file per input: several inputs, a folder, a slash at the end or no ending mean a
    /// folder
    #[arg(short, long, value_name = "OUT|DIR", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub output: Option<String>,

    /// Format of the files: in the folder, or on standard output; bvh, glb, … [default: bvh]
    #[arg(long, value_name = "FORMAT", value_parser = formats::written_format)]
    #[schemars(with = "Option<String>")]
    pub to: Option<Format>,

    /// What to change.
    #[command(flatten)]
    #[serde(flatten)]
    pub change: Change,

    /// How to read the inputs.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What a conversion changes; the default changes nothing.
#[derive(Debug, Clone, PartialEq, Default, clap::Args, Serialize, JsonSchema)]
#[group(skip)]
pub struct Change {
    /// Frames per second of the result
    #[arg(long, allow_negative_numbers = true)]
    pub fps: Option<f64>,

    /// Factor on the source's lengths, or `auto` for true size in --unit
    #[arg(long, value_name = "N|auto", default_value = "1", allow_negative_numbers = true)]
    pub scale: LengthScale,

    /// Unit for --scale auto [default: cm]
    #[arg(long, value_enum)]
    pub unit: Option<LengthUnit>,

    /// Which way is up in the result (default: as in the source, or the file retargeted to)
    #[arg(long, value_enum, value_name = "AXIS")]
    pub up: Option<UpAxis>,

    /// Swap left and right
    #[arg(long)]
    pub mirror: bool,

    /// Play backwards
    #[arg(long)]
    pub reverse: bool,

    /// Play this many times as fast, at the same rate
    #[arg(long, allow_negative_numbers = true)]
    pub speed: Option<f64>,

    /// Only this interval: seconds, or frames with an f
    #[arg(long, value_name = "A:B")]
    pub trim: Option<Span>,

    /// What becomes of travel over the ground: extract puts it into a ground-level joint `root`, in-place
    /// removes it, turning included
    #[arg(long, value_enum, default_value = "keep")]
    pub root_motion: RootMotion,

    /// Move the motion onto this file's skeleton, feet that stand held; a file of the same format is written in its unit, axes
    /// and channels. A clip of a database is named as moves.ugoki#walk
    #[arg(long, value_name = "FILE")]
    pub retarget: Option<String>,

    /// Which standing feet are held; of a motion that is moved onto another skeleton
    #[arg(long, value_enum, default_value = "all")]
    pub feet: FeetAt,
}

impl Change {
    /// Checks what needs no motion.
    fn check(&self) -> Result<(), Error> {
        for (option, value) in [("--speed", self.speed), ("--fps", self.fps)] {
            value.map_or(Ok(()), |value| positive(option, value))?;
        }
        match self.scale {
            LengthScale::Factor(factor) => positive("--scale", factor)?,
            LengthScale::Auto => {}
        }
        if self.unit.is_some() && self.scale != LengthScale::Auto {
            return Err(Error::refused("--unit says what --scale auto is in").hint("add --scale auto"));
        }
        if self.feet != FeetAt::default() && self.retarget.is_none() {
            return Err(Error::option("--feet", "is for a motion that moves onto another skeleton")
                .hint("add --retarget, or leave it out"));
        }
        Ok(())
    }

    /// The library's settings; `target` is the motion that `retarget` names.
    fn conversion<'a>(&self, tpose: Tpose, target: Option<&'a Read>) -> Result<Conversion<'a>, Error> {
        Ok(Conversion {
            target,
            free_feet: !seams::are_feet_held(self.feet)?,
            tpose,
            trim: self.trim,
            change: ClipChange {
                trim: None,
                mirror: self.mirror,
                reverse: self.reverse,
                speed: self.speed,
                fps: self.fps,
                root_motion: self.root_motion,
            },
            scale: self.scale,
            unit: self.unit.unwrap_or_default(),
            up: self.up,
        })
    }

    /// Whether only rate, size and axes change, which points without a body have too.
    fn leaves_bodies_alone(&self) -> bool {
        let kept = Self { fps: self.fps, scale: self.scale, unit: self.unit, up: self.up, ..Self::default() };
        *self == kept
    }
}

/// What was converted.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct Report {
    /// One entry per file written.
    pub files: Vec<FileReport>,
    /// One entry per file that could not be.
    pub errors: Vec<Problem>,
}

/// One conversion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// What was written.
    #[serde(flatten)]
    pub converted: Converted,
}

impl Verb for Convert {
    type Report = Report;

    const ACTIVITY: &'static str = "converting";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        self.change.check()?;
        let results = self.results(host)?;
        let names = match &results {
            Results::One(only) => std::slice::from_ref(only),
            Results::Folder(names) => names,
        };
        let mut inputs: Vec<&str> = names.iter().map(|[input, _]| input.as_str()).collect();
        inputs.extend(self.change.retarget.as_deref());
        let outputs: Vec<&str> = names.iter().map(|[_, output]| output.as_str()).collect();
        host.check_outputs(&inputs, &outputs)?;
        let target = match &self.change.retarget {
            Some(file) => Some(host.motion(file, &Reading::default())?),
            None => None,
        };
        let one = |job: Job<'_>| self.one(target.as_ref(), job);
        let done = match &results {
            Results::One([input, output]) => {
                one(Job { input, output, host, progress }).map(OneOrMany::One)?
            }
            Results::Folder(names) => each(names, host, progress, one)?,
        };
        Ok(match done {
            OneOrMany::Many { files, errors } => Report { files, errors },
            OneOrMany::One(file) => Report { files: vec![file], errors: Vec::new() },
        })
    }
}

impl Convert {
    /// Inputs, and the file that each is written to.
    fn results(&self, host: &mut dyn Host) -> Result<Results, Error> {
        let (inputs, output) = match (&self.output, self.inputs.as_slice()) {
            (Some(output), inputs) => (inputs, output),
            (None, [inputs @ .., output]) if inputs.len() == 1 => (inputs, output),
            (None, [_]) => {
                return Err(Error::refused("convert needs an output").hint("give IN OUT, or IN… -o DIR"));
            }
            (None, _) => {
                return Err(Error::refused("several inputs need a folder to write into")
                    .hint("give it with -o DIR, as in `ugoki convert a.bvh b.bvh -o out`"));
            }
        };
        let results = results(inputs, output, |_| self.to.unwrap_or(Format::Bvh).extension(), host)?;
        if let Results::One([_, file]) = &results {
            if file == output && output != "-" && self.to.is_some() {
                return Err(Error::refused("--to says what goes into a folder or to standard output")
                    .hint("the ending of a file gives its format; leave --to out, or give -o DIR"));
            }
            host.check_format(file)?;
        }
        Ok(results)
    }

    /// Reads one file, converts and writes it.
    fn one(&self, target: Option<&Read>, job: Job<'_>) -> Result<FileReport, Error> {
        let Job { input, output, host, progress } = job;
        if host.keeps_motion(output) {
            return self.keep(target, Job { input, output, host, progress });
        }
        let format = self.to.map_or_else(|| format_to_write(output), Ok)?;
        let to = self.change.conversion(self.reading.tpose, target)?;
        let converted = self.converted(input, format, &to, host, progress)?;
        host.write(output, &converted.bytes)?;
        Ok(FileReport { input: input.to_owned(), output: output.to_owned(), converted })
    }

    fn converted(
        &self,
        input: &str,
        format: Format,
        to: &Conversion<'_>,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Converted, Error> {
        // Points go to points as they are, whether or not a body could be solved from them.
        if format == Format::Trc
            && self.change.leaves_bodies_alone()
            && let Some(markers) = host.markers(input, &self.reading)?
        {
            return convert_markers(&markers, format, to).in_file(input);
        }
        // An added T-pose shows how the body stands; it may be dropped after retargeting.
        let read = host.open(input, &self.reading.whole())?.motion(input)?;
        self.check_length(&read.clip, &host.budget()).in_file(input)?;
        convert(read, format, to, progress).map_err(|error| self.in_file_at_fault(error, input))
    }

    /// Reads one motion and gives the changed one to a host that keeps motions.
    fn keep(&self, target: Option<&Read>, job: Job<'_>) -> Result<FileReport, Error> {
        let Job { input, output, host, progress } = job;
        let to = self.change.conversion(self.reading.tpose, target)?;
        let read = host.open(input, &self.reading.whole())?.motion(input)?;
        self.check_length(&read.clip, &host.budget()).in_file(input)?;
        let (format, up) = target.map_or((read.format, read.up), |to| (to.format, to.up));
        let changed = change(read, format, &to, progress);
        let Changed { clip, options, unit_metres, retarget, read } =
            changed.map_err(|error| self.in_file_at_fault(error, input))?;
        let motion = NewMotion {
            clip: &clip,
            like: (format, unit_metres, options.up.unwrap_or(up)),
            contacts: options.contacts,
            loop_frames: options.loop_frames,
            keep_reference: options.keep_reference,
        };
        host.write_motion(output, &motion)?;
        let converted = Converted {
            bytes: Vec::new(),
            format,
            frames: clip.num_frames(),
            fps: clip.fps(),
            unit_metres,
            retarget,
            read,
            written: Vec::new(),
        };
        Ok(FileReport { input: input.to_owned(), output: output.to_owned(), converted })
    }

    fn in_file_at_fault(&self, error: ConvertError, input: &str) -> Error {
        let error = Error::from(error);
        let file = match (&error, &self.change.retarget) {
            (Error::Retarget(error), Some(target)) if error.whose() == Some(Whose::Target) => target,
            _ => input,
        };
        error.in_file(file)
    }

    /// Refuses a rate or a speed at which the result would not fit into the memory.
    fn check_length(&self, clip: &Clip, budget: &Budget) -> Result<(), Error> {
        let (fps, speed) = (self.change.fps.unwrap_or(clip.fps()), self.change.speed.unwrap_or(1.0));
        if fps <= clip.fps() && speed >= 1.0 {
            return Ok(());
        }
        let trim = self.change.trim.as_ref().map(|span| span.frames(clip)).transpose()?;
        let seconds = trim.map_or(clip.num_frames(), |trim| trim.len()) as f64 / clip.fps();
        budget.check_result(seconds * fps / speed, clip)
    }
}

fn positive(option: &'static str, value: f64) -> Result<(), Error> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::option(option, format!("{value} is not possible, give a number above 0")))
}

impl crate::Report for Report {
    fn outcome(&self) -> Outcome {
        if self.errors.is_empty() { Outcome::Done } else { Outcome::Failed }
    }
}

impl fmt::Display for Report {
    /// One line per file, then what was lost and noticed, once however many files it concerns, then errors.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self.files.iter().map(FileReport::line).collect();
        let mut notes: Vec<(String, usize)> = Vec::new();
        for note in self.files.iter().flat_map(FileReport::notes) {
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, files)) => *files += 1,
                None => notes.push((note, 1)),
            }
        }
        lines.extend(notes.into_iter().map(|(note, files)| match files {
            1 => format!("  {note}"),
            files => format!("  {note} ({files} files)"),
        }));
        let warnings = |file: &FileReport| {
            let is_warning = |finding: &&Finding| finding.severity == Severity::Warning;
            file.converted.read.iter().filter(is_warning).count()
        };
        let counts = self.files.iter().map(|file| (&file.input, warnings(file)));
        let counts: Vec<(&String, usize)> = counts.filter(|(_, count)| *count > 0).collect();
        lines.extend(match counts.as_slice() {
            [] => None,
            [(file, count)] => Some(format!("  {}", check_hint(file, *count))),
            files => {
                let count: usize = files.iter().map(|(_, count)| count).sum();
                Some(format!("  {count} warnings in {} files; `ugoki check` lists them", files.len()))
            }
        });
        lines.extend(self.errors.iter().map(|problem| format!("ugoki: {problem}")));
        f.write_str(&lines.join("\n"))
    }
}

impl FileReport {
    fn line(&self) -> String {
        let Self { input, output, converted: Converted { frames, fps, retarget, .. } } = self;
        let moved = retarget.as_ref().map_or_else(String::new, |moved| format!(", {}", moved.summary()));
        format!("{input} → {output}: {} at {} per second{moved}", counted(*frames, "frame"), short(*fps, 3))
    }

    /// What was lost or noticed.
    fn notes(&self) -> Vec<String> {
        // Takes that were left out are no fault of the file, but they are missing in the result.
        let serious =
            |finding: &&Finding| finding.severity == Severity::Error || finding.code == "several-takes";
        let note = |finding: &Finding| {
            let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
            let assumed = finding.assumed.as_ref().map_or_else(String::new, |text| format!("; {text}"));
            format!("{line}{}{assumed} [{}]", finding.message, finding.code)
        };
        let Converted { read, written, retarget, .. } = &self.converted;
        let findings = read.iter().filter(serious).chain(written).map(note);
        findings.chain(retarget.iter().flat_map(RetargetReport::notes)).collect()
    }
}
