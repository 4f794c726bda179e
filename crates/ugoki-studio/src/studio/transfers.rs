//! Files on their way in and out: uploads that wait to be imported, exports that wait to be fetched. All in memory, all
//! bounded; no name of a page reaches the file system.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ugoki::Progress;
use ugoki::formats::Companion;
use ugoki_db::{Database, Upload};

use super::protocol::Problem;

/// Bytes of all files that wait.
const MOST_WAITING: usize = 256 << 20;
/// Files that wait.
const MOST_FILES: usize = 200;
/// Exports that wait.
const MOST_EXPORTS: usize = 8;

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

/// Names under which files say what one may do with the others, as the database's own import looks for them.
const LICENCES: [&str; 5] = ["license", "licence", "copying", "copyright", "readme"];
/// Longest text of a licence, bytes.
const MOST_LICENCE: usize = 128 << 10;

/// What the files say about their licence, if one of them does.
pub(super) fn licence(files: &[(String, Vec<u8>)]) -> Option<&str> {
    let words = |start: &str| {
        files.iter().find(|(name, _)| name.to_ascii_lowercase().starts_with(start) && !is_motion(name))
    };
    let (_, bytes) = LICENCES.iter().find_map(|start| words(start))?;
    std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MOST_LICENCE)
}

/// Whether a file may have motion in it, rather than being a part of others or a text about them.
pub(super) fn is_motion(name: &str) -> bool {
    !matches!(ending(name).as_str(), "asf" | "bin" | "png" | "jpg" | "jpeg" | "txt" | "md" | "")
}

/// Puts uploaded files into the database; gives the names of their clips and what could not be used. Files that others
/// need are found among them. Cancelling keeps what was finished.
pub(super) fn store(
    files: &[(String, Vec<u8>)],
    database: &mut Database,
    progress: Progress<'_>,
) -> Result<(Vec<String>, Vec<Problem>), ugoki_db::Error> {
    let (mut clips, mut problems) = (Vec::new(), Vec::new());
    let licence = licence(files);
    let count = files.len().max(1) as f32;
    for (at, (name, bytes)) in files.iter().enumerate() {
        if files.len() > 1 && !is_motion(name) {
            continue;
        }
        let upload = Upload { name, bytes, licence };
        let mut fetch = |companion: Companion<'_>| companion_bytes(name, companion, files);
        let part = &mut |part: f32| progress((at as f32 + part) / count);
        match database.add_upload(&upload, &mut fetch, part) {
            Err(ugoki_db::Error::Cancelled) => break,
            Err(error) => return Err(error),
            Ok(Ok(names)) => clips.extend(names),
            Ok(Err(problem)) => problems.push(Problem {
                file: Some(name.clone()),
                line: problem.line,
                step: None,
                message: match problem.line {
                    Some(line) => format!("line {line}: {}", problem.message),
                    None => problem.message,
                },
                hint: problem.hint,
            }),
        }
    }
    Ok((clips, problems))
}

fn companion_bytes(name: &str, companion: Companion<'_>, files: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
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
    use super::super::protocol::MOST_UPLOAD;
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
    fn unreadable_files_are_reported_by_name() {
        let mut database = Database::in_memory(&ugoki_db::CreateConfig::default()).unwrap();
        for text in ["HIERARCHY\nROOT\n", "", "hello", "\u{0}\u{1}"] {
            let files = [("x.bvh".to_owned(), text.as_bytes().to_vec())];
            let go_on = &mut |_| std::ops::ControlFlow::Continue(());
            let (clips, problems) = store(&files, &mut database, go_on).unwrap();
            assert!(clips.is_empty(), "{text:?}");
            assert_eq!(problems[0].file.as_deref(), Some("x.bvh"));
        }
    }

    #[test]
    fn an_imported_file_keeps_where_it_is_from_and_its_licence() {
        use ugoki::formats::{Format, WriteOptions, write};
        let go_on = &mut |_| std::ops::ControlFlow::Continue(());
        let bytes = |name: &str| {
            let clip = ugoki::sample::clip(name).unwrap();
            write(&clip, Format::Bvh, &WriteOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()))
                .unwrap()
                .bytes
        };
        let mut database = Database::in_memory(&ugoki_db::CreateConfig::default()).unwrap();
        let files =
            [("take.bvh".to_owned(), bytes("nod")), ("README.txt".to_owned(), b"for research only".to_vec())];
        let (clips, problems) = store(&files, &mut database, go_on).unwrap();
        assert_eq!((clips.as_slice(), problems.len()), (["take".to_owned()].as_slice(), 0));
        let file = database.details(database.find("take").unwrap()).unwrap().file.unwrap();
        assert!(file.path.starts_with("uploaded/") && file.path.ends_with("/take.bvh"), "{}", file.path);
        assert_eq!(file.licence_text.as_deref(), Some("for research only"));
        // The same again is the same; another motion of that name is another clip.
        assert_eq!(store(&files[..1], &mut database, go_on).unwrap().0, ["take"]);
        let other = [("take.bvh".to_owned(), bytes("wave"))];
        assert_eq!(store(&other, &mut database, go_on).unwrap().0, ["take-2"]);
        assert_eq!(database.num_clips().unwrap(), 2);
    }
}
