//! One file: read, hashed, its takes brought onto the database's skeleton and packed. Runs in worker threads and knows
//! no database.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ugoki_base::Progress;
use ugoki_base::markers::LabelMap;
use ugoki_base::skeleton::Skeleton;
use ugoki_files::{LARGEST_FILE, companion_paths, read_file, system_message};
use ugoki_formats as formats;
use ugoki_formats::{Companion, Finding, Format, Read, ReadError};
use ugoki_formats::{Problem, Reading};

use super::places::Stat;
use crate::derive::{Outcome, derive};
use crate::fingerprint::fingerprint;
use crate::hash::{Hash, hex, sha256};
use crate::provenance::Feet;
use crate::tag::fitted_tags;
use crate::{Error, blob};

/// A second file that the imported one depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptCompanion {
    /// Absolute, or relative to the folder of the file.
    pub(crate) path: String,
    pub(crate) size: u64,
    pub(crate) modified_ns: i64,
    pub(crate) sha256: String,
}

impl KeptCompanion {
    /// Whether it is as it was, by a cheap look.
    pub(crate) fn is_unchanged(&self, folder: &Path) -> bool {
        let now = Stat::read(&folder.join(&self.path));
        now.is_ok_and(|now| now == Stat { size: self.size, modified_ns: self.modified_ns })
    }
}

/// The bytes of a file and what identifies them.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: Hash,
}

/// Reads a file.
pub(crate) fn content(path: &Path) -> Result<Content, String> {
    let bytes = read_file(path, LARGEST_FILE).map_err(|error| system_message(&error))?;
    let hash = sha256(&bytes);
    Ok(Content { bytes, hash })
}

/// One motion of a file, ready to be stored.
#[derive(Debug)]
pub(crate) struct Take {
    /// What the file calls it; `None` when the file holds one.
    pub(crate) name: Option<String>,
    /// Its number in the file, from 0.
    pub(crate) index: usize,
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) fps: f64,
    pub(crate) frames: usize,
    pub(crate) tpose: bool,
    pub(crate) motion_seconds: f64,
    /// Frames of the motion, without a T-pose, that form a loop.
    pub(crate) loop_frames: Option<Range<usize>>,
    pub(crate) fingerprint: Vec<u8>,
    /// Lossless, folded.
    pub(crate) source: Vec<u8>,
    pub(crate) derived: Outcome,
    /// Contacts that the file marks, in frames of the clip as it came.
    pub(crate) contacts: Option<Feet>,
    /// Tags that come with the clip, made to fit.
    pub(crate) tags: Vec<String>,
    /// Messages about them.
    pub(crate) notes: Vec<String>,
}

/// What became of a file.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) hash: Hash,
    pub(crate) companions: Vec<KeptCompanion>,
    pub(crate) format: Option<Format>,
    pub(crate) findings: Vec<Finding>,
    /// Its motions, or why there are none.
    pub(crate) takes: Result<Vec<Take>, Problem>,
}

/// What every file is prepared for.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) fps: f64,
    pub(crate) reading: Reading,
    /// What the markers of marker files are, where the user says it.
    pub(crate) labels: Option<LabelMap>,
}

/// Reads all takes of a file and derives what the database keeps of them.
pub(crate) fn prepare(
    path: &Path,
    content: &Content,
    target: &Target,
    progress: Progress<'_>,
) -> Result<Prepared, Error> {
    let mut companions: Vec<KeptCompanion> = Vec::new();
    let mut fetch =
        |companion: Companion<'_>| read_companion(path, companion, &target.reading, &mut companions);
    let mut prepared = prepare_from(path, content, target, &mut fetch, progress)?;
    prepared.companions = companions;
    Ok(prepared)
}

/// The same; of `path` only the ending counts, and `fetch` gives what the file cannot be read without.
pub(crate) fn prepare_from(
    path: &Path,
    content: &Content,
    target: &Target,
    fetch: &mut dyn FnMut(Companion<'_>) -> Option<Vec<u8>>,
    progress: Progress<'_>,
) -> Result<Prepared, Error> {
    let extension = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let mut prepared = Prepared {
        hash: content.hash,
        companions: Vec::new(),
        format: formats::detect(&content.bytes, extension.as_deref()),
        findings: Vec::new(),
        takes: Ok(Vec::new()),
    };
    // Named by the user, as folders are searched for what is read.
    let written = extension.as_deref().and_then(Format::from_extension).filter(|format| !format.is_read());
    if let (None, Some(format)) = (prepared.format, written) {
        prepared.takes = Err(problem(&ReadError::WriteOnly { format }));
        return Ok(prepared);
    }
    let mut read = |take: Option<String>| {
        let mut options = target.reading.options();
        options.take = take.or(options.take);
        options.labels.clone_from(&target.labels);
        formats::read_with(&content.bytes, extension.as_deref(), &options, fetch)
    };
    let mut wanted: Vec<(Option<String>, Option<String>)> = vec![(None, None)];
    let mut takes: Vec<Take> = Vec::new();
    let mut index = 0;
    while let Some((name, asked)) = wanted.get(index).cloned() {
        let mut read = match read(asked.clone()).or_else(|error| match error {
            // Of a folder of mixed files those with one motion have nothing to choose from.
            ReadError::OneMotion { .. } => read(Some("0".to_owned())),
            error => Err(error),
        }) {
            Ok(read) => read,
            // The other takes of the file may be good.
            Err(error) if index > 0 => {
                prepared.findings.push(failed_take(name.as_deref(), &error));
                index += 1;
                continue;
            }
            Err(error) => {
                prepared.takes = Err(problem(&error));
                break;
            }
        };
        if index == 0 && target.reading.take.is_none() && read.takes.len() > 1 {
            wanted = read
                .takes
                .iter()
                .enumerate()
                .map(|(i, name)| (Some(name.clone()), asked_as(&read.takes, i)))
                .collect();
            // The first of them is what was just read.
        }
        let (name, number) = match &target.reading.take {
            Some(asked) if read.takes.len() > 1 => {
                let number = number_of(&read.takes, asked);
                (read.takes.get(number).cloned(), number)
            }
            Some(_) => (None, 0),
            None => (wanted[index].0.clone(), index),
        };
        // A skeleton alone: readers show its rest pose, which is no motion to keep.
        let at_rest = read.clip.num_frames() == 1 && read.findings.iter().any(|f| f.code == "no-motion");
        for finding in std::mem::take(&mut read.findings) {
            if !prepared.findings.contains(&finding) {
                prepared.findings.push(finding);
            }
        }
        // An added T-pose stays even where the user drops it: it shows how the body stands, and what is read from
        // the database comes without it.
        let Read { clip, marks, .. } = read;
        index += 1;
        if at_rest || clip.motion_frames().is_empty() {
            continue;
        }
        let motion = clip.motion_frames();
        let (tags, notes) = fitted_tags(&clip.tags);
        takes.push(Take {
            name,
            index: number,
            skeleton: clip.skeleton().clone(),
            fps: clip.fps(),
            frames: clip.num_frames(),
            tpose: clip.tpose_frame,
            motion_seconds: motion.len() as f64 / clip.fps(),
            loop_frames: marks
                .loop_frames
                .filter(|marked| marked.start >= motion.start)
                .map(|marked| marked.start - motion.start..marked.end - motion.start),
            fingerprint: fingerprint(&clip),
            source: blob::fold(&clip)?,
            derived: derive(&clip, marks.contacts.as_ref(), &target.skeleton, target.fps, progress)?,
            contacts: marks.contacts,
            tags,
            notes,
        });
    }
    if prepared.takes.is_ok() {
        prepared.takes = if takes.is_empty() { Err(no_motion()) } else { Ok(takes) };
    }
    Ok(prepared)
}

/// How to ask for a take: by its name where that is its own, else by its number.
fn asked_as(takes: &[String], index: usize) -> Option<String> {
    let name = &takes[index];
    let own = !name.is_empty()
        && takes.iter().filter(|other| *other == name).count() == 1
        && name.parse::<usize>().is_err();
    Some(if own { name.clone() } else { index.to_string() })
}

/// The number of the take that the user asked for by name or number.
fn number_of(takes: &[String], asked: &str) -> usize {
    let named = takes.iter().position(|name| name == asked);
    named.or_else(|| asked.parse().ok()).unwrap_or(0)
}

fn no_motion() -> Problem {
    Problem {
        file: None,
        line: None,
        message: "has a skeleton but no frames of motion".to_owned(),
        hint: Some("export it with its animation".to_owned()),
    }
}

fn failed_take(name: Option<&str>, error: &ReadError) -> Finding {
    Finding {
        line: error.line(),
        severity: formats::Severity::Error,
        code: "take-unreadable",
        message: format!("take {:?}: {error}", name.unwrap_or_default()),
        assumed: Some("left out".to_owned()),
    }
}

/// A reader's refusal as reports say it.
pub(crate) fn problem(error: &ReadError) -> Problem {
    let hint = match error {
        ReadError::WriteOnly { .. } => Some("add the file that it was made from, or a GLB or BVH file of it"),
        error => error.hint(),
    };
    Problem { file: None, line: error.line(), message: error.to_string(), hint: hint.map(ToOwned::to_owned) }
}

/// Bytes of a file that belongs to `path`: never outside its folder, but for what the user named.
fn read_companion(
    path: &Path,
    companion: Companion<'_>,
    reading: &Reading,
    used: &mut Vec<KeptCompanion>,
) -> Option<Vec<u8>> {
    let folder = path.parent()?;
    for candidate in companion_paths(path, companion, reading.asf.as_deref()) {
        let full = folder.join(&candidate);
        let (Ok(stat), Ok(bytes)) = (Stat::read(&full), read_file(&full, LARGEST_FILE)) else { continue };
        let kept = KeptCompanion {
            path: candidate.to_string_lossy().into_owned(),
            size: stat.size,
            modified_ns: stat.modified_ns,
            sha256: hex(&sha256(&bytes)),
        };
        if !used.contains(&kept) {
            used.push(kept);
        }
        return Some(bytes);
    }
    None
}
