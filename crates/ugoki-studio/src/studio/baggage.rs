//! Files on their way in and out: uploads that wait to be imported, exports that wait to be fetched. All in memory, all
//! bounded; no name of a page reaches the file system.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ugoki::clip::Clip;
use ugoki::formats::{self, Companion, ReadOptions};

use super::protocol::Problem;

/// Largest file that may be uploaded, bytes: ten hours of a body at 30 frames a second as BVH text are 1 GB, ten minutes
/// of the densest captures 60 MB.
pub(super) const MOST_UPLOAD: usize = 64 << 20;
/// Bytes of all files that wait.
const MOST_WAITING: usize = 256 << 20;
/// Files that wait.
const MOST_FILES: usize = 200;
/// Exports that wait.
const MOST_EXPORTS: usize = 8;
/// Takes of one file that are taken in.
const MOST_TAKES: usize = 200;

/// Uploaded files that were not imported yet.
#[derive(Debug, Default)]
pub(super) struct Uploads(Mutex<Vec<(String, Vec<u8>)>>);

/// The last part of a name, without what a name must not have.
pub(super) fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control()).take(120).collect();
    if plain.trim_matches('.').is_empty() { "file".to_owned() } else { plain }
}

impl Uploads {
    /// Keeps a file; `false` when there is no room.
    pub(super) fn put(&self, name: &str, bytes: Vec<u8>) -> bool {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = plain_name(name);
        files.retain(|(known, _)| *known != name);
        let waiting: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        if files.len() >= MOST_FILES || waiting + bytes.len() > MOST_WAITING {
            return false;
        }
        files.push((name, bytes));
        true
    }

    /// Takes these files out. Others that they refer to go with them.
    pub(super) fn take(&self, names: &[String]) -> Vec<(String, Vec<u8>)> {
        let names: Vec<String> = names.iter().map(|name| plain_name(name)).collect();
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (taken, rest) =
            std::mem::take(&mut *files).into_iter().partition(|(name, _)| names.contains(name));
        *files = rest;
        taken
    }
}

/// All motions in uploaded files, and what could not be read. Files that others need are found among them.
pub(super) fn read(files: &[(String, Vec<u8>)]) -> (Vec<Clip>, Vec<Problem>) {
    let (mut clips, mut problems) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let extension = ending(name);
        // Not motions themselves, but parts of others.
        let part = |ending: &str| matches!(ending, "asf" | "bin" | "png" | "jpg" | "jpeg");
        if files.len() > 1 && part(&extension) {
            continue;
        }
        let mut take = None;
        for index in 0..MOST_TAKES {
            let options = ReadOptions { take: take.clone(), ..ReadOptions::default() };
            let mut fetch = |companion: Companion<'_>| beside(name, companion, files);
            match formats::read_with(bytes, Some(&extension), &options, &mut fetch) {
                Ok(read) if read.clip.motion_frames().is_empty() => {
                    let hint = Some("drop a file with motion in it".to_owned());
                    let message = "has no frames of motion".to_owned();
                    problems.push(Problem { file: Some(name.clone()), step: None, message, hint });
                    break;
                }
                Ok(read) => {
                    let mut clip = read.clip;
                    let stem = stem(name);
                    clip.name = match read.takes.get(index).filter(|_| read.takes.len() > 1) {
                        Some(take) => format!("{stem}-{take}"),
                        None => stem,
                    };
                    clips.push(clip);
                    if index + 1 >= read.takes.len() {
                        break;
                    }
                    take = Some((index + 1).to_string());
                }
                Err(error) => {
                    problems.push(Problem {
                        file: Some(name.clone()),
                        step: None,
                        message: match error.line() {
                            Some(line) => format!("line {line}: {error}"),
                            None => error.to_string(),
                        },
                        hint: error.hint().map(ToOwned::to_owned),
                    });
                    break;
                }
            }
        }
    }
    (clips, problems)
}

fn beside(name: &str, companion: Companion<'_>, files: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let found = |wanted: &str| files.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let file = match companion {
        Companion::Named(other) => found(&plain_name(other)),
        Companion::Skeleton => {
            let stem = stem(name);
            let subject = stem.split('_').next().unwrap_or(&stem);
            let any = || files.iter().find(|(name, _)| ending(name) == "asf");
            found(&format!("{stem}.asf")).or_else(|| found(&format!("{subject}.asf"))).or_else(any)
        }
    };
    file.map(|(_, bytes)| bytes.clone())
}

fn ending(name: &str) -> String {
    Path::new(name)
        .extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// A file that waits to be fetched.
#[derive(Debug, Clone)]
pub(super) struct Export {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// Exports, the newest last.
#[derive(Debug, Default)]
pub(super) struct Exports(Mutex<VecDeque<Export>>);

impl Exports {
    pub(super) fn put(&self, export: Export) {
        let mut exports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        exports.push_back(export);
        while exports.len() > MOST_EXPORTS {
            exports.pop_front();
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Export> {
        let exports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        exports.iter().find(|export| export.key == key).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_folders() {
        for (name, plain) in
            [("../../etc/passwd", "passwd"), (r"C:\x\walk.bvh", "walk.bvh"), ("..", "file"), ("a\nb", "ab")]
        {
            assert_eq!(plain_name(name), plain);
        }
    }

    #[test]
    fn uploads_are_bounded_and_taken_once() {
        let uploads = Uploads::default();
        for n in 0..MOST_FILES {
            assert!(uploads.put(&format!("{n}.bvh"), vec![0]));
        }
        assert!(!uploads.put("one more.bvh", vec![0]));
        assert!(uploads.put("0.bvh", vec![1]), "the same name replaces");
        assert_eq!(uploads.take(&["x/0.bvh".to_owned()]), [("0.bvh".to_owned(), vec![1])]);
        assert!(uploads.take(&["0.bvh".to_owned()]).is_empty());
        let uploads = Uploads::default();
        assert!(uploads.put("a", vec![0; MOST_UPLOAD]));
        assert!(!uploads.put("b", vec![0; MOST_WAITING - MOST_UPLOAD + 1]));
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_name() {
        for text in ["HIERARCHY\nROOT\n", "", "hello", "\u{0}\u{1}"] {
            let (clips, problems) = read(&[("x.bvh".to_owned(), text.as_bytes().to_vec())]);
            assert!(clips.is_empty(), "{text:?}");
            assert_eq!(problems[0].file.as_deref(), Some("x.bvh"));
        }
    }
}
