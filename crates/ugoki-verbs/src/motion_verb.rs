//! Verbs that make one motion of one motion: reading, checking, writing and folders are the same for all of them.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::contact::FootContacts;
use ugoki::formats::{Finding, Format, Problem, Read, Severity, Tpose};

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

/// A verb with one motion in and one motion out.
pub trait MotionVerb: clap::Args + Serialize + JsonSchema {
    /// What was done with one motion.
    type Report: Serialize + Display + 'static;

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

    /// Makes the motion. `names` are the input and the output as the report has them.
    ///
    /// # Errors
    /// When the motion or an option cannot be used, or the caller stops.
    fn make(
        &self,
        names: [&str; 2],
        read: &Read,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Made<Self::Report>, Error>;

    /// Reads, makes and writes; verbs that can do without a motion do otherwise.
    ///
    /// # Errors
    /// When the motion or an option cannot be used, or the caller stops.
    fn one(
        &self,
        names: [&str; 2],
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Self::Report, Error> {
        write_made(self, names, host, progress)
    }
}

/// Reads a motion, lets the verb make another of it, and writes that.
pub(crate) fn write_made<V: MotionVerb>(
    verb: &V,
    names: [&str; 2],
    host: &mut dyn Host,
    progress: Progress<'_>,
) -> Result<V::Report, Error> {
    let [input, output] = names;
    let read = host.motion(input, verb.files().2)?;
    let made = verb.make(names, &read, host, progress).map_err(|error| error.in_file(input))?;
    note_findings(host, input, &read.findings);
    let Made { clip, contacts, loop_frames, report } = made;
    let keep_reference = verb.files().2.tpose == Tpose::Keep;
    let motion = NewMotion { contacts, loop_frames, keep_reference, ..NewMotion::new(&clip, &read) };
    host.write_motion(output, &motion)?;
    Ok(report)
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
    type Report = OneOrMany<V::Report>;

    const ACTIVITY: &'static str = V::ACTIVITY;

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Self::Report, Error> {
        let (input, output, _) = self.files();
        let (mut inputs, mut outputs) = self.side_files();
        inputs.insert(0, input);
        outputs.insert(0, output);
        if !host.is_folder(input) {
            host.check_format(output)?;
            self.check()?;
            host.check_outputs(&inputs, &outputs)?;
            return self.one([input, output], host, progress).map(OneOrMany::One);
        }
        self.check()?;
        if let [_, file, ..] = outputs[..] {
            return Err(Error::refused("would be replaced by every motion of the folder")
                .hint("leave it out, or name one motion")
                .in_file(file));
        }
        host.create_folder(output)?;
        let names = host.expand(&[input.to_owned()], Some(output))?;
        let names = in_folder(output, names, written_ending);
        check_all(&names, host)?;
        each(&names, host, progress, |names, host, progress| self.one(names, host, progress))
    }
}

/// Inputs with the names of their results in a folder: the inputs' own, numbered where two are the same.
pub(crate) fn in_folder(
    folder: &str,
    inputs: Vec<String>,
    ending: impl Fn(&str) -> &'static str,
) -> Vec<[String; 2]> {
    let mut taken = HashSet::new();
    let named = |input: String| {
        let (stem, ending) = (stem(&input), ending(&input));
        let mut name = format!("{stem}.{ending}");
        let mut number = 1;
        while !taken.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{stem}-{number}.{ending}");
        }
        let result = Path::new(folder).join(name).to_string_lossy().into_owned();
        [input, result]
    };
    inputs.into_iter().map(named).collect()
}

/// Refuses a result that is also one of the inputs, its own or another's.
fn check_all(names: &[[String; 2]], host: &mut dyn Host) -> Result<(), Error> {
    let part = |at: usize| names.iter().map(|pair| pair[at].as_str()).collect::<Vec<_>>();
    host.check_outputs(&part(0), &part(1))
}

/// Does `one` for every input and result; one bad file does not stop the others.
pub(crate) fn each<R>(
    names: &[[String; 2]],
    host: &mut dyn Host,
    progress: Progress<'_>,
    mut one: impl FnMut([&str; 2], &mut dyn Host, Progress<'_>) -> Result<R, Error>,
) -> Result<OneOrMany<R>, Error> {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for (at, [input, result]) in names.iter().enumerate() {
        let progress = &mut |part: f32| progress((at as f32 + part) / names.len() as f32);
        match one([input, result], host, progress) {
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

/// What was unusual about a file: errors in full, warnings by number.
pub(crate) fn note_findings(host: &mut dyn Host, file: &str, findings: &[Finding]) {
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
        host.note(&format!("{file}: {line}{} [{}]", finding.message, finding.code));
    }
    let count = findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
    if count > 0 {
        host.note(&format!("{file}: {}", check_hint(file, count)));
    }
}

/// How many warnings a file has and how to see them.
pub(crate) fn check_hint(file: &str, count: usize) -> String {
    match count {
        1 => format!("1 warning; `ugoki check {file}` shows it"),
        count => format!("{count} warnings; `ugoki check {file}` lists them"),
    }
}
