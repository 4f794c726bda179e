//! Clips as blobs: lossless ones compressed, with a checksum and a bound on what a hostile one may unfold to.

use std::io::Read as _;

use ugoki_base::clip::Clip;

use crate::Error;

/// Compression level: higher ones take several times as long for a few percent (`docs/results/database.md`).
const LEVEL: i32 = 3;
/// Largest size of an unfolded clip, bytes: two hours of 120 frames per second with fifty joints and channels.
const LARGEST: u64 = 2 << 30;

/// The clip without loss.
pub(crate) fn fold(clip: &Clip) -> Result<Vec<u8>, Error> {
    let fail = |error: std::io::Error| Error::Io { detail: format!("cannot compress a clip: {error}") };
    let bytes = clip.to_bytes();
    if bytes.len() as u64 > LARGEST {
        return Err(Error::Unfit { detail: "the clip is too long for a database, cut it".to_owned() });
    }
    let mut encoder = zstd::bulk::Compressor::new(LEVEL).map_err(fail)?;
    encoder.include_checksum(true).map_err(fail)?;
    encoder.compress(&bytes).map_err(fail)
}

/// The clip of a source blob.
pub fn unfold(bytes: &[u8]) -> Result<Clip, Error> {
    let fail = |error: std::io::Error| Error::damaged(format!("a clip does not decompress: {error}"));
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(fail)?;
    decoder.window_log_max(27).map_err(fail)?;
    let mut unfolded = Vec::new();
    // Grows as bytes come, so a small hostile blob cannot ask for much at once.
    decoder.by_ref().take(LARGEST + 1).read_to_end(&mut unfolded).map_err(fail)?;
    if unfolded.len() as u64 > LARGEST {
        return Err(Error::damaged("a clip is larger than any can be"));
    }
    Clip::from_bytes(&unfolded).map_err(|error| Error::damaged(format!("a clip does not decode: {error}")))
}
