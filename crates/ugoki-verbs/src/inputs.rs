//! Several input motions, brought onto the first one's skeleton.

use std::borrow::Cow;

use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::Read;
use ugoki::retarget::retarget_onto_first;

use crate::{Error, Host, Reading};

/// Reads the motions. Added T-poses stay, as they show how the bodies stand; [`onto_first`] drops them.
pub(crate) fn read_all(names: &[String], reading: &Reading, host: &mut dyn Host) -> Result<Vec<Read>, Error> {
    names.iter().map(|name| host.motion(name, &reading.whole())).collect()
}

/// The clips on the first one's skeleton, and the names of those that were moved onto it. Added T-poses are dropped after
/// that if `reading` says so.
pub(crate) fn onto_first<'a>(
    files: &[String],
    clips: &[&'a Clip],
    reading: &Reading,
    progress: Progress<'_>,
) -> Result<(Vec<Cow<'a, Clip>>, Vec<String>), Error> {
    let moved = retarget_onto_first(clips, progress)
        .map_err(|(index, error)| in_file_at(error.into(), files, Some(index)))?;
    let is_moved = |clip: &&Cow<'_, Clip>| matches!(clip, Cow::Owned(_));
    let names = moved.iter().filter(is_moved).map(|clip| clip.name.clone()).collect();
    let clips = moved.into_iter().map(|clip| match clip {
        Cow::Borrowed(clip) => reading.applied(clip),
        Cow::Owned(clip) => Cow::Owned(reading.apply(clip)),
    });
    Ok((clips.collect(), names))
}

/// Refuses a motion whose rate is not the first one's: for `--strict`.
pub(crate) fn check_rate(file: &str, clip: &Clip, first: &Clip) -> Result<(), Error> {
    if (clip.fps() / first.fps() - 1.0).abs() <= 1e-9 {
        return Ok(());
    }
    let message = format!("has {} frames per second, the first {}", clip.fps(), first.fps());
    Err(Error::option("--strict", message).hint("leave out --strict to allow that").in_file(file))
}

/// The error with the file at fault, if one is.
pub(crate) fn in_file_at(error: Error, files: &[String], index: Option<usize>) -> Error {
    match index.and_then(|index| files.get(index)) {
        Some(file) => error.in_file(file),
        None => error,
    }
}
