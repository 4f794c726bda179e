//! Verbs that make one motion of one motion: reading, checking, writing and folders are the same for all of them.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::ops::Range;
use std::path::{Path, is_separator};

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::FootContacts;
use ugoki::formats::{Format, Problem, Read, Tpose};
use ugoki::picture::Picture;

use crate::error::InFile as _;
use crate::host::{extension, stem};
use crate::outcome::Outcome;
use crate::verb::{Report, Verb};
use crate::{Error, Host, NewMotion, Output, Reading};

/// What a verb made of a motion.
pub struct Made<R> {
    /// The new motion.
    pub clip: Clip,
    /// Frames in which heels and toes stand, where the verb knows them.
    pub contacts: Option<[FootContacts; 2]>,
    /// Frames that repeat, where the verb knows them.
    pub loop_frames: Option<Range<usize>>,
    /// What was done.
    pub report: R,
}

impl<R> Made<R> {
    /// A motion and what was done.
    pub fn new(clip: Clip, report: R) -> Self {
        Self { clip, contacts: None, loop_frames: None, report }
    }
}

/// One motion to make: where it comes from, where it goes, and the host that runs it.
pub struct Job<'a> {
    /// The input as named.
    pub input: &'a str,
    /// The output as named.
    pub output: &'a str,
    /// Reads and writes.
    pub host: &'a mut dyn Host,
    /// What long work calls.
    pub progress: Progress<'a>,
}

/// What was done with one motion, and the names of its files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Written<R> {
    /// The input as named.
    pub input: String,
    /// The output as named.
    pub output: String,
    /// What was done.
    #[serde(flatten)]
    pub report: R,
}

impl<R> Written<R> {
    /// What a job did.
    pub fn new(job: &Job<'_>, report: R) -> Self {
        Self { input: job.input.to_owned(), output: job.output.to_owned(), report }
    }
}

impl<R: MotionReport> Display for Written<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.text([&self.input, &self.output], f)
    }
}

/// What a verb did with a motion.
pub trait MotionReport: Serialize + 'static {
    /// The text form; `names` are the input and the output.
    ///
    /// # Errors
    /// When the formatter fails.
    fn text(&self, names: [&str; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// A verb with one motion in and one motion out.
pub trait MotionVerb: clap::Args + Serialize + JsonSchema {
    /// What was done with one motion.
    type Report: MotionReport;

    /// What a progress bar says.
    const ACTIVITY: &'static str;

    /// The input, the output and how to read the input.
    fn files(&self) -> (&str, &Output, &Reading);

    /// Further files that the options name: those read, those written.
    fn side_files(&self) -> (Vec<&str>, Vec<&str>) {
        (Vec::new(), Vec::new())
    }

    /// Checks options that need no input, before anything is read.
    ///
    /// # Errors
    /// When an option cannot be used.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Makes the motion.
    ///
    /// # Errors
    /// When the motion or an option cannot be used, or the caller stops.
    fn make(&self, read: &Read, job: &mut Job<'_>) -> Result<Made<Self::Report>, Error>;

    /// Reads, makes and writes; verbs that can do without a motion do otherwise.
    ///
    /// # Errors
    /// When the motion or an option cannot be used, or the caller stops.
    fn one(&self, mut job: Job<'_>) -> Result<Written<Self::Report>, Error> {
        write_made(self, &mut job)
    }
}

/// Reads a motion, lets the verb make another of it, and writes that.
pub(crate) fn write_made<V: MotionVerb>(verb: &V, job: &mut Job<'_>) -> Result<Written<V::Report>, Error> {
    let reading = verb.files().2;
    let read = job.host.motion(job.input, reading)?;
    let Made { clip, contacts, loop_frames, report } = verb.make(&read, job).in_file(job.input)?;
    let keep_reference = reading.tpose == Tpose::Keep;
    let motion = NewMotion { contacts, loop_frames, keep_reference, ..NewMotion::new(&clip, &read) };
    job.host.write_motion(job.output, &motion)?;
    Ok(Written::new(job, report))
}

/// The report on one motion, or on every motion of a folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OneOrMany<R> {
    /// On one motion.
    One(R),
    /// On a folder.
    Many {
        /// One entry per file written.
        files: Vec<R>,
        /// One entry per file that could not be.
        errors: Vec<Problem>,
    },
}

impl<R: Display> Display for OneOrMany<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(report) => report.fmt(f),
            Self::Many { files, errors } => {
                let texts = files.iter().map(ToString::to_string);
                let texts = texts.chain(errors.iter().map(|problem| format!("ugoki: {problem}")));
                f.write_str(&texts.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

impl<R: Serialize + Display + 'static> Report for OneOrMany<R> {
    fn outcome(&self) -> Outcome {
        match self {
            Self::Many { errors, .. } if !errors.is_empty() => Outcome::Failed,
            _ => Outcome::Done,
        }
    }
}

impl<V: MotionVerb> Verb for V {
    type Report = OneOrMany<Written<V::Report>>;

    const ACTIVITY: &'static str = V::ACTIVITY;

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Self::Report, Error> {
        let (input, output, _) = self.files();
        let (mut inputs, mut outputs) = self.side_files();
        self.check()?;
        if let (true, Some(file)) = (host.is_folder(input), outputs.first()) {
            return Err(Error::refused("would be replaced by every motion of the folder")
                .hint("leave it out, or name one motion")
                .in_file(file));
        }
        match results(&[input.to_owned()], output, written_ending, host)? {
            Results::One([input, output]) => {
                host.check_format(&output)?;
                inputs.insert(0, &input);
                outputs.insert(0, &output);
                host.check_outputs(&inputs, &outputs)?;
                host.check_folders(&outputs)?;
                self.one(Job { input: &input, output: &output, host, progress }).map(OneOrMany::One)
            }
            Results::Folder(names) => {
                host.check_outputs(&inputs, &[])?;
                each(&names, host, progress, |job| self.one(job))
            }
        }
    }
}

/// Where results go.
pub(crate) enum Results {
    /// The one input, and the file for its result.
    One([String; 2]),
    /// Each input, and the file for its result.
    Folder(Vec<[String; 2]>),
}

/// Where the results of files, folders and patterns go. A folder receives files with the names of the inputs: several inputs, a folder, a
/// slash at the end, or a new name without an ending mean a folder, which is made.
pub(crate) fn results(
    inputs: &[String],
    output: &str,
    ending: impl Fn(&str) -> &'static str,
    host: &mut dyn Host,
) -> Result<Results, Error> {
    let many = inputs.len() > 1 || inputs.iter().any(|input| host.is_folder(input));
    let names = host.expand(inputs, Some(output))?;
    let is_new_folder =
        || !["", "-"].contains(&output) && extension(output).is_none() && !host.exists(output);
    let into_folder = many
        || names.len() != 1
        || host.is_folder(output)
        || output.ends_with(is_separator)
        || is_new_folder();
    let is_file =
        |ending: String| Format::from_extension(&ending).is_some() || Picture::from_ending(&ending).is_some();
    if names.len() > 1 && !host.is_folder(output) && extension(output).is_some_and(is_file) {
        return Err(Error::refused(format!("{} inputs need a folder to write into", names.len()))
            .hint("give it with -o DIR"));
    }
    let [only] = match <[String; 1]>::try_from(names) {
        Ok(only) if !into_folder => only,
        Ok(only) => return in_folder(output, only.into(), ending, many, host),
        Err(names) => return in_folder(output, names, ending, true, host),
    };
    Ok(Results::One([only, output.to_owned()]))
}

/// Inputs with the names of their results in a folder, which is made: the inputs' own names, numbered where two are the same.
/// Refuses a result that is also an input.
fn in_folder(
    folder: &str,
    inputs: Vec<String>,
    ending: impl Fn(&str) -> &'static str,
    many: bool,
    host: &mut dyn Host,
) -> Result<Results, Error> {
    host.create_folder(folder)?;
    let names = unique_names(inputs, ending);
    let place =
        |[input, name]: [String; 2]| [input, Path::new(folder).join(name).to_string_lossy().into_owned()];
    let names: Vec<[String; 2]> = names.map(place).collect();
    let part = |at: usize| names.iter().map(|pair| pair[at].as_str()).collect::<Vec<_>>();
    host.check_outputs(&part(0), &part(1))?;
    // Also with --overwrite a result must not replace a motion that is read after it.
    if let Some(at) = host.first_replaced(&names) {
        return Err(would_be_replaced(&names[at][1]));
    }
    Ok(match <[_; 1]>::try_from(names) {
        Ok([only]) if !many => Results::One(only),
        Ok(names) => Results::Folder(names.into()),
        Err(names) => Results::Folder(names),
    })
}

/// The refusal of a result that would replace an input that is read after it.
pub(crate) fn would_be_replaced(file: &str) -> Error {
    Error::refused("would be replaced before it is read").hint("write into another folder").in_file(file)
}

/// Inputs with names of files: their own, numbered where two are the same.
pub(crate) fn unique_names(
    inputs: Vec<String>,
    ending: impl Fn(&str) -> &'static str,
) -> impl Iterator<Item = [String; 2]> {
    let mut taken = HashSet::new();
    inputs.into_iter().map(move |input| {
        let name = free_name(&stem(&input), ending(&input), &mut taken);
        [input, name]
    })
}

/// A file name that is not taken, also where capitals do not count; numbered where it would be.
pub(crate) fn free_name(stem: &str, ending: &str, taken: &mut HashSet<String>) -> String {
    let numbers = (2..).map(|number| format!("{stem}-{number}.{ending}"));
    let mut names = std::iter::once(format!("{stem}.{ending}")).chain(numbers);
    names.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
}

/// Does `one` for every input and result. Of several, one bad file does not stop the others.
pub(crate) fn each<R>(
    names: &[[String; 2]],
    host: &mut dyn Host,
    progress: Progress<'_>,
    mut one: impl FnMut(Job<'_>) -> Result<R, Error>,
) -> Result<OneOrMany<R>, Error> {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for (at, [input, output]) in names.iter().enumerate() {
        let progress = &mut |part: f32| progress((at as f32 + part) / names.len() as f32);
        match one(Job { input, output, host, progress }) {
            Ok(report) => files.push(report),
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => errors.push(error.in_file(input).problem()),
        }
    }
    Ok(OneOrMany::Many { files, errors })
}

/// The format of an input where that is written, else BVH.
pub(crate) fn written_ending(name: &str) -> &'static str {
    let format = extension(name).and_then(|ending| Format::from_extension(&ending));
    format.filter(|format| format.is_written()).map_or("bvh", Format::extension)
}
